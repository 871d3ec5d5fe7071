"""What a study file asks of whoever has it: for whom it is, until when, and by itself or not.

It is a request, not a lock: a study file can be read by whoever has it. `discreet.open` warns where
it is not followed, and a server refuses.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from discreet.errors import InputError, UseWarning, path_in_words

ASKED = ("audience", "until", "combine")
"""The fields of a policy that ask it."""
LONGEST_AUDIENCE = 200
SEVERAL = "whom each of the studies names"


def is_audience(value: object) -> bool:
    """Tell whether a value says in a line for whom a file is."""
    return (
        isinstance(value, str)
        and 0 < len(value.strip()) <= len(value) <= LONGEST_AUDIENCE
        and value.isprintable()
    )


def is_day(value: object) -> bool:
    """Tell whether a value is a day as it is written: 2027-12-31."""
    try:
        return isinstance(value, str) and date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


def today() -> date:
    """Return the day that it is, in UTC."""
    return datetime.now(UTC).date()


@dataclass(frozen=True)
class Use:
    """For whom a file is, until when, and whether it may be combined with those of other studies.

    Parameters
    ----------
    audience : str
        For whom, in words; empty where nothing is said.
    until : str
        The last day, in UTC; empty where nothing is said.
    combine : bool
        Whether its rows may be put together with those of other studies.

    Examples
    --------
    >>> use = Use("members of METAGUT", "2027-12-31", combine=False)
    >>> use.to_text()
    'for members of METAGUT, until 2027-12-31, not to be combined with other studies'
    >>> use.is_past(date(2027, 12, 31)), use.is_past(date(2028, 1, 1))
    (False, True)
    """

    audience: str = ""
    until: str = ""
    combine: bool = True

    def __post_init__(self) -> None:
        fits = (not self.audience or is_audience(self.audience)) and isinstance(self.combine, bool)
        if not fits or (self.until and not is_day(self.until)):
            raise InputError(
                f"the file says for whom it is in a line of at most {LONGEST_AUDIENCE} letters,"
                " until when as 2027-12-31, and whether it may be combined as true or false"
            )

    @classmethod
    def of(cls, policy: Mapping[str, Any]) -> Use:
        """Return what a policy asks, or as much of it as a study file says."""
        return cls(**{name: policy[name] for name in ASKED if policy.get(name) is not None})

    def is_past(self, day: date | None = None) -> bool:
        """Tell whether the last day is over."""
        return bool(self.until) and (day or today()).isoformat() > self.until

    def to_text(self) -> str:
        """Return it in words; empty where nothing is asked."""
        said = [
            f"for {self.audience}" if self.audience else "",
            f"until {self.until}" if self.until else "",
            "" if self.combine else "not to be combined with other studies",
        ]
        return ", ".join(filter(None, said))

    def to_plain(self) -> dict[str, Any]:
        """Return it as a policy has it, without what is as usual."""
        usual = Use()
        asked = {name: getattr(self, name) for name in ASKED}
        return {name: it for name, it in asked.items() if it != getattr(usual, name)}


def warn_of(uses: Mapping[str | Path, Use]) -> None:
    """Warn of files, by their paths, that are opened in another way than they ask."""
    for path, use in uses.items():
        if use.is_past():
            _warn(
                f"the study file {path_in_words(path)} was to be used until {use.until}, which is"
                " past; ask the custodian for another one"
            )
        if len(uses) > 1 and not use.combine:
            _warn(
                f"the study file {path_in_words(path)} is not to be combined with those of other"
                " studies; open it by itself, or ask the custodian"
            )


def _warn(message: str) -> None:
    warnings.warn(message, UseWarning, stacklevel=5)


def together(uses: Iterable[Use]) -> Use:
    """Return what files of several studies ask together: the first of their last days.

    Examples
    --------
    >>> together([Use("members", "2027-12-31"), Use("members", "2026-06-30"), Use()]).to_text()
    'for members, until 2026-06-30'
    """
    asked = [*uses]
    named = {it.audience for it in asked if it.audience}
    return Use(
        named.pop() if len(named) == 1 else SEVERAL if named else "",
        min((it.until for it in asked if it.until), default=""),
        all(it.combine for it in asked),
    )
