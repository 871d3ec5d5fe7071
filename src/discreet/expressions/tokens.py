"""A text is cut into names, numbers, quoted texts and signs, in one pass from left to right."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping
from typing import NamedTuple, Protocol

from discreet.errors import InputError
from discreet.expressions.tree import Mistake, Place

PLAIN_NAME = re.compile(r"[^\W\d]\w*")
# What was taken is not given back (*+, ++), so the time grows with the length alone.
TOKEN = re.compile(
    r"\s*+(?:(?P<name>[^\W\d]\w*+)"
    r"|(?P<column>`[^`]++`)"
    r"|(?P<number>(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+)"
    r"|(?P<text>'(?:[^']++|'')*+'|\"(?:[^\"]++|\"\")*+\")"
    r"|(?P<sign>\*\*|[=!<>]=|[-+*/<>(),:~]))"
)
INSTEAD = {
    "[": "write round brackets",
    "{": "write round brackets",
    "`": "close the backtick, with a name before it",
    **dict.fromkeys("−–—", "write a plain minus, -"),
}
"""What is written in place of a sign that has no place."""
SHOWN = 30
"""So many characters before and behind a place are shown with it."""


class Token(NamedTuple):
    """A name, a column between backticks, a number, a quoted text, or a sign; "end" is the last."""

    sort: str
    text: str
    place: Place


class Signs(Protocol):
    """What a text is cut up by: the signs it may have, `"` where texts may be quoted.

    `what` it is called, and `instead` says what is written in place of other signs.
    """

    @property
    def what(self) -> str:
        """Name what is written: "an expression"."""

    @property
    def signs(self) -> Collection[str]:
        """List the signs that may stand in it."""

    @property
    def instead(self) -> Mapping[str, str]:
        """Say what is written in place of others."""


def cut_up(text: str, grammar: Signs) -> list[Token]:
    """Cut a text up; raises a Mistake at the first sign that has no place in it."""
    found: list[Token] = []
    end = len(text.rstrip())
    at = 0
    while at < end:
        match = TOKEN.match(text, at)
        if match is None:
            at += len(text[at:]) - len(text[at:].lstrip())
            raise _no_place(text[at], at, grammar)
        sort = str(match.lastgroup)
        start, at = match.span(sort)
        if sort == "sign" and match[sort] not in grammar.signs:
            raise _no_place(match[sort], start, grammar)
        if sort == "text" and '"' not in grammar.signs:
            raise _no_place(text[start], start, grammar)
        found.append(Token(sort, match[sort], (start, at)))
    return [*found, Token("end", "", (end, end + 1))]


def _no_place(sign: str, at: int, grammar: Signs) -> Mistake:
    known = {**INSTEAD, **grammar.instead}
    instead = known.get(sign[0], "a name that has it stands between backticks")
    says = f"the sign {sign!r} has no place in {grammar.what}; {instead}"
    return Mistake((at, at + len(sign)), says)


def as_input_error(text: str, mistake: Mistake) -> InputError:
    """Show a mistake below what is said of it: the text around its place, and the place marked."""
    start, stop = mistake.place
    stop = max(min(stop, len(text), start + SHOWN), start + 1)
    first, last = max(start - SHOWN, 0), min(stop + SHOWN, len(text))
    before, here = _clean(text[first:start]), _clean(text[start:stop])
    more = "… " if first else ""
    line = f"{more}{before}{here}{_clean(text[stop:last])}{' …' if last < len(text) else ''}"
    marks = " " * (len(more) + _width(before)) + "^" * max(_width(here), 1)
    error = InputError(f"{mistake.says}\n  {line}\n  {marks}")
    error.place = (start, min(stop, len(text)))
    return error


def _clean(text: str) -> str:
    """Show what cannot be seen, or would move the rest, as one dot."""
    return "".join(sign if sign.isprintable() else "·" if sign.strip() else " " for sign in text)


def _width(text: str) -> int:
    """Count the places that a text takes on a screen."""
    wide = sum(unicodedata.east_asian_width(sign) in "WF" for sign in text)
    return len(text) + wide - sum(unicodedata.combining(sign) > 0 for sign in text)
