"""What a policy says in plain words: a sentence for each field that holds, with the field's name.

No sentence names a level or a value of a column.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import tomli_w

from discreet.policy.fields import Field
from discreet.policy.paper_settings import PAPER_FIELDS
from discreet.policy.policy import FIELDS, Policy

ALWAYS = ("k", "round_to", "papers", "versions", "residual_df", "name", "papers.method")
"""Fields that protect, or that somebody reads of in pictures, whether they are set or not."""


@dataclass(frozen=True)
class Sentence:
    """What one field of a policy says: `lead` comes first, and `rest` follows it.

    `setting` is how the file says it; the field's name alone where that is long.
    """

    field: str
    setting: str
    lead: str
    rest: str

    @property
    def words(self) -> str:
        """The whole sentence."""
        return self.lead + self.rest


def words(policy: Policy) -> list[Sentence]:
    """Return a sentence for each field of a policy that holds, the most important first.

    Those that hold are all that the policy sets, and those that protect whether set or not.

    Examples
    --------
    >>> from discreet import Policy
    >>> from discreet.policy.words import words
    >>> first = words(Policy.preset("standard"))[0]
    >>> first.words, first.setting
    ('At least 5 people stand behind every bar, cell, band and point.', 'k = 5')
    """
    always = {*ALWAYS, *(("m", "copy") if policy.fixed else ())}
    sentences = []
    for name, field in FIELDS.items():
        value = policy.in_force(name)
        own = getattr(policy, name)
        if name in always or (own != field.default and own != {}):
            sentences.append(_sentence(name, field, value, {name: value, **_beside(policy)}))
        if name == "papers" and policy.papers is not None:
            own = policy.papers
            noise = own.noise(own.rows)
            for each, of in PAPER_FIELDS.items():
                value = noise or None if each == "q" else getattr(own, each)
                if f"papers.{each}" in always or value != of.default:
                    sentences.append(_sentence(f"papers.{each}", of, value, {each: value}))
    return sentences


def _beside(policy: Policy) -> dict[str, Any]:
    """Return what sentences say beside the value of their own field."""
    low, high = (f"{100 * share:g}" for share in (policy.left_out / 2, policy.left_out))
    rounded, least = f"Counts are rounded to {policy.round_to}", "."
    if policy.round_to == 1:
        rounded = "Counts are not rounded."
        least = " Several plots together may reveal hidden counts."
    elif policy.fixed:
        least = f"; a count below {policy.k} is not shown."
    go, there = "go to the analysts' browsers", "to be explored there"
    if policy.copy == "served":
        go, there = "stay on the server", "which answers with figures computed from them"
    return {
        "rounded": rounded,
        "least": least,
        "go": go,
        "there": there,
        "members": policy.members if policy.fixed else None,
        "shares": f"{low} to {high}",
        "pairs": "; ".join(map(" by ".join, policy.tables or ())),
        "copies": min(policy.versions, 4),
        "told": "; ".join(_roles(policy)) or "no role is named",
    }


def _roles(policy: Policy) -> Iterator[str]:
    """Say what columns tell by their roles."""
    for role, what in (("sensitive", "sensitive"), ("identifier", "never shown")):
        names = [name for name, it in policy.roles.items() if it == role]
        if names:
            yield f"{listed(names)} {'is' if len(names) == 1 else 'are'} {what}"
    others = [name for name, it in policy.roles.items() if it not in ("sensitive", "identifier")]
    if others:
        yield f"{listed(others)} have the role that the file names"


def _sentence(name: str, field: Field, value: Any, beside: Mapping[str, Any]) -> Sentence:
    """Return what a field says, in the words that stand beside its rule."""
    empty = value in (None, False, (), {})
    said = (field.otherwise if empty else field.words) or f"{field.says}\n"
    if not said.partition("\n")[2] and isinstance(value, Mapping | tuple):
        said += " Here: {value}."
    lead, _, rest = said.partition("\n")
    shown = {it: _shown(of) for it, of in {**beside, "value": value}.items()}
    return Sentence(name, _setting(name, value), lead.format(**shown), rest.format(**shown))


def _shown(value: Any) -> str:
    """Return a value as it is read in a sentence; of columns their names alone."""
    if isinstance(value, Mapping | tuple):
        return listed(map(str, value)) or "no column"
    return f"{value:,}" if isinstance(value, int) else str(value)


def listed(names: Iterable[str]) -> str:
    """Return names as they are read: "a, b and c"."""
    *others, last = [*names] or [""]
    return f"{', '.join(others)} and {last}" if others else last


def _setting(name: str, value: Any) -> str:
    """Return a field as the file has it, in a line; its name where that is too long."""
    if value is None or not isinstance(value, str | int | float):
        return name
    return f"{name} = {toml_of(value)}"


def toml_of(value: str | float) -> str:
    """Return a value as TOML writes it."""
    return tomli_w.dumps({"a": value})[len("a = ") : -1]
