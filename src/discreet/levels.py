"""The order of the levels of a column, wherever they are listed, drawn or compared.

What the data or the policy declare comes first; else the numbers that levels hold. How often a
level occurs plays no part, for that would tell of the people. The board has the same order:
`web/static/rows/order.js`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

OTHER = "(other)"
"""What levels are joined into that are too rare to be named."""
GIVEN = " as given"
LAST = (OTHER, "(missing)")
"""Levels that stand behind all others, whatever is declared."""

NUMBER = re.compile(r"\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*")
LEADING = re.compile(
    r"\s*(?P<bracket>[\[(]?)\s*"
    r"(?P<sign>[<>]=?|[≤≥]|(?:less than|fewer than|more than|up to|at most|at least"
    r"|under|below|over|above)\s|)\s*[$€£]?\s*"
    r"(?P<number>[-\u2212]?(?:[0-9]{1,3}(?:[, '\u00a0\u2009\u202f][0-9]{3})+(?![0-9])"
    r"|[0-9]+(?:[.,][0-9]+)?|inf\b))"
    r"(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
THOUSANDS = re.compile(r"[0-9]{1,3}(?:[, '\u00a0\u2009\u202f][0-9]{3})+")
BELOW, UP_TO, FROM, ABOVE = -2, -1, 1, 2
SIGNS = {
    "<": BELOW,
    "under": BELOW,
    "below": BELOW,
    "less than": BELOW,
    "fewer than": BELOW,
    "<=": UP_TO,
    "≤": UP_TO,
    "up to": UP_TO,
    "at most": UP_TO,
    ">=": FROM,
    "≥": FROM,
    "at least": FROM,
    ">": ABOVE,
    "over": ABOVE,
    "above": ABOVE,
    "more than": ABOVE,
}
AND_LESS = re.compile(r"\b(?:or|and) (?:less|fewer|under|below|lower|younger)\b", re.IGNORECASE)
AND_MORE = re.compile(r"^\s*\+|\b(?:or|and) (?:more|over|above|higher|older)\b", re.IGNORECASE)
DIGITS = re.compile(r"([0-9]+)")

Key = tuple[Any, ...]


def in_order(levels: Iterable[str], declared: Sequence[str] = ()) -> tuple[str, ...]:
    """Return different levels in the order in which they are listed and drawn.

    Parameters
    ----------
    levels : iterable of str
        In any order; of equal ones one is returned.
    declared : sequence of str
        Levels from first to last, as the data or the policy declare them: others too, which are
        not returned. Levels that are not among them come after those that are.

    Returns
    -------
    tuple of str
        Without a declared order numbers come first, by size, and then words; numbers within words
        count, too. What stands for rare levels, and for missing values, is last.

    Examples
    --------
    >>> in_order(["12", "9-11", ">12", "<9"])
    ('<9', '9-11', '12', '>12')
    >>> in_order(["Grade 10", "Grade 9", "(other)", "none"])
    ('Grade 9', 'Grade 10', 'none', '(other)')
    >>> in_order(["high", "low", "mid", "?"], ["low", "mid", "high", "very high"])
    ('low', 'mid', 'high', '?')
    """
    return tuple(sorted({*levels}, key=order_key(declared)))


def as_given(level: str) -> str:
    """Return a level of the data as a copy has it: by another name, if joined ones have its name.

    No two levels have one name then, and none hangs on which others there are.

    Examples
    --------
    >>> as_given("other"), as_given("(other)"), as_given("(other) as given")
    ('other', '(other) as given', '(other) as given as given')
    """
    return f"{level}{GIVEN}" if level.replace(GIVEN, "") == OTHER else level


def order_key(declared: Sequence[str] = ()) -> Callable[[str], Key]:
    """Return the key by which `in_order` sorts."""
    place: dict[str, int] = {}
    for level in declared:
        place.setdefault(level, len(place))

    def key(level: str) -> Key:
        if level in LAST:
            return (2, LAST.index(level))
        if level in place:
            return (0, place[level])
        return (1, *_natural(level))

    return key


def place_of_number(level: str) -> tuple[float, int] | None:
    """Return the number that a level begins with, and whether the level lies below it or above.

    Examples
    --------
    >>> place_of_number("under 40"), place_of_number("40-59"), place_of_number("60 or more")
    ((40.0, -2), (40.0, 0), (60.0, 1))
    >>> place_of_number("(-1.5, 2]"), place_of_number("$1,000-4,999"), place_of_number("Grade 2")
    ((-1.5, 0), (1000.0, 0), None)
    """
    if NUMBER.fullmatch(level) and math.isfinite(number := float(level)):
        return number, 0
    found = LEADING.match(level)
    if found is None or ("inf" in found["number"].lower() and not found["bracket"]):
        return None
    sign = SIGNS.get(" ".join(found["sign"].lower().split()), 0)
    rest = found["rest"]
    if not sign:
        sign = UP_TO if AND_LESS.search(rest) else FROM if AND_MORE.search(rest) else 0
    return _number(found["number"]), sign


def _number(text: str) -> float:
    minus, digits = text[0] in "-\u2212", text.lstrip("-\u2212")
    if THOUSANDS.fullmatch(digits):
        digits = re.sub(r"[^0-9]", "", digits)
    size = float(digits.replace(",", "."))
    return -size if minus else size


def _natural(level: str) -> Key:
    """Sort by the number that a level begins with, then by its words and numbers in turn."""
    place = place_of_number(level)
    # A number as its length and its digits: it may have any number of them.
    parts = [
        (len(digits := part.lstrip("0")), digits) if at % 2 else part
        for at, part in enumerate(DIGITS.split(level))
    ]
    return (place is None, *(place or (0.0, 0)), tuple(parts), level)
