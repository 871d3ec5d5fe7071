"""What a board gets of a study: the rows of its copy as bytes.

The rows are the copy's own, and so may be released; that they are is recorded, as of every plot.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from discreet.errors import RefusedError
from discreet.explore.derived import DerivedCopy
from discreet.explore.from_copy import WholeTable
from discreet.explore.gated import NO_COPY
from discreet.explore.new_columns import holds_codes
from discreet.policy import Policy
from discreet.render.sealing import Gate
from discreet.web.bundle import LevelColumn, NumberColumn, bundle, places_of

ROWS = "rows"
"""What the register calls the rows of a copy that leave as such."""
TO_BROWSER = "browser"
"""What a policy says of a copy whose rows a browser may have."""


@dataclass(frozen=True, repr=False)
class BoardRows:
    """The rows of a copy as bytes, a digest of these, and what is asked before they leave.

    Parameters
    ----------
    data : bytes
        As `discreet.web.bundle` writes them.
    digest : str
        Of the bytes: another copy, and the same one with other new columns, has another.
    rows : int
        How many there are.
    names : tuple of str
        Their columns.
    gate : callable
        Called with the form in which they are released, and with their provenance where there is
        one; raises where they may not be.
    """

    data: bytes
    digest: str
    rows: int
    names: tuple[str, ...]
    gate: Gate = field(compare=False)


def board_rows(of: DerivedCopy) -> BoardRows:
    """Return the rows of a study's copy, or of what was derived of it; their gate is not asked.

    Raises
    ------
    RefusedError
        If the study has no copy of the whole table.
    """
    check_there(of)
    whole = of.whole
    columns = board_columns(whole)
    data = bundle(whole.copy.version, columns)
    names = tuple(it.name for it in columns)
    digest = hashlib.sha256(data).hexdigest()[:32]
    return BoardRows(data, digest, len(whole), names, of.gate_of_copy(ROWS, names))


def names_in(whole: WholeTable) -> list[str]:
    """Return the columns of a copy in the order of the file, new ones last."""
    return [name for name in whole.raw if name in whole.copy.columns or name in whole.copy.strata]


def board_columns(whole: WholeTable) -> list[NumberColumn | LevelColumn]:
    """Return the columns of a copy as they are written for a board."""
    found: list[NumberColumn | LevelColumn] = []
    for name in names_in(whole):
        if name in whole.copy.columns:
            dates = whole.raw[name].dates is not None
            found.append(NumberColumn(name, whole.copy.columns[name], dates))
        else:
            levels, coded = whole.levels_of(name), holds_codes(whole.raw[name])
            places = places_of(whole.copy.strata[name], levels)
            found.append(LevelColumn(name, places, levels, coded))
    return found


def stays_on_server(policy: Policy, rows: int, size: int = 0) -> bool:
    """Whether a copy of so many rows and bytes is explored on the server, and not in a browser.

    That is where the policy says so, or where it is larger than the policy lets a browser have.
    """
    return policy.copy != TO_BROWSER or rows > policy.copy_rows or size > policy.copy_bytes


def check_there(of: DerivedCopy) -> None:
    """Refuse a study that has no copy of the whole table."""
    if not of.policy.fixed:
        raise RefusedError(NO_COPY)
