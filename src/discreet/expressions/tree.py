"""Texts cut up into tokens, the tree that they are read as, and that tree written out again."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Literal, NamedTuple

from discreet.errors import InputError

Kind = Literal["truth", "number", "level", "date"]
Place = tuple[int, int]
"""Where something stands in the text: its first character, and the one behind its last."""

KINDS: dict[Kind, str] = {
    "truth": "true or false",
    "number": "a number",
    "level": "text",
    "date": "a date",
}
"""What may come out of an expression, as messages call it."""


class Mistake(Exception):
    """A text cannot be read: what is wrong, and where; the room shows both to its caller."""

    def __init__(self, place: Place, says: str) -> None:
        super().__init__(says)
        self.place, self.says = place, says


@dataclass(frozen=True)
class Constant:
    """A number, a text, or a date in days since 1970; and how it was written."""

    value: float | str
    kind: Kind
    place: Place = field(compare=False)
    text: str = field(default="", compare=False)

    @property
    def whole_day(self) -> bool:
        """Whether it is a date without a time."""
        return self.kind == "date" and len(self.text) == len("2019-01-01")


@dataclass(frozen=True)
class Column:
    """A column as it is; `yes` is the value that is true of one that says yes or no, else empty."""

    name: str
    kind: Kind
    place: Place = field(compare=False)
    yes: str = ""


@dataclass(frozen=True)
class Applied:
    """A function or a sign, and what it is applied to; several signs where a chain has them.

    `levels` are those that can come out, in an order that reads well, where that is known.
    """

    name: str
    arguments: tuple[Node, ...]
    kind: Kind
    place: Place = field(compare=False)
    signs: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()


Node = Constant | Column | Applied


def nodes(node: Node) -> Iterator[Node]:
    """Return a node and all that is below it."""
    yield node
    if isinstance(node, Applied):
        for argument in node.arguments:
            yield from nodes(argument)


# --- a text is cut into names, numbers, quoted texts and signs, in one pass from left to right ----


PLAIN_NAME = re.compile(r"[^\W\d]\w*")
# What was taken is not given back (*+, ++), so the time grows with the length alone.
TOKEN = re.compile(
    r"\s*+(?:(?P<name>[^\W\d]\w*+)"
    r"|(?P<column>`[^`]++`)"
    r"|(?P<number>(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+)"
    r"|(?P<text>'(?:[^']++|'')*+'|\"(?:[^\"]++|\"\")*+\")"
    r"|(?P<sign>\*\*|[=!<>]=|[-+*/<>(),:~|]))"
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


def cut_up(text: str, what: str, signs: Collection[str], instead: Mapping[str, str]) -> list[Token]:
    """Cut a text up; raises a Mistake at the first sign that has no place in it.

    `what` it is called, `signs` are those that it may have (`"` where texts may be quoted), and
    `instead` says what is written in place of others.
    """
    tokens: list[Token] = []
    end = len(text.rstrip())
    at = 0
    while at < end:
        match = TOKEN.match(text, at)
        if match is None:
            at += len(text[at:]) - len(text[at:].lstrip())
            raise _no_place(text[at], at, what, instead)
        sort = str(match.lastgroup)
        start, at = match.span(sort)
        if sort == "sign" and match[sort] not in signs:
            raise _no_place(match[sort], start, what, instead)
        if sort == "text" and '"' not in signs:
            raise _no_place(text[start], start, what, instead)
        tokens.append(Token(sort, match[sort], (start, at)))
    return [*tokens, Token("end", "", (end, end + 1))]


def _no_place(sign: str, at: int, what: str, instead: Mapping[str, str]) -> Mistake:
    hint = {**INSTEAD, **instead}.get(sign[0], "a name that has it stands between backticks")
    says = f"the sign {sign!r} has no place in {what}; {hint}"
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


# --- a tree is written out again, as short as it can be read --------------------------------------


SUM, PRODUCT, MINUS, POWER, ALONE = range(5)
BINDING = {"sum": SUM, "product": PRODUCT, "minus": MINUS, "power": POWER}
"""What binds more tightly has the higher number; functions stand alone."""


def quoted(name: str) -> str:
    """Write a column's name as it stands in a text."""
    return name if PLAIN_NAME.fullmatch(name) else f"`{name}`"


def in_quotes(text: str) -> str:
    """Write a level, or another text, as it stands in a text."""
    doubled = text.replace("'", "''")
    return f"'{doubled}'"


def written(node: Node) -> str:
    """Write arithmetic and functions of numbers; brackets stand where they are needed.

    Two texts that differ in spaces and brackets alone are written alike.
    """
    match node:
        case Column(name=name):
            return quoted(name)
        case Constant(value=value):
            return repr(value)
        case Applied(name="sum" | "product", arguments=(first, *others), signs=signs):
            level = BINDING[node.name]
            rest = (
                f" {sign} {_within(other, level + 1)}"
                for sign, other in zip(signs, others, strict=True)
            )
            return "".join(chain([_within(first, level)], rest))
        case Applied(name="minus", arguments=(operand,)):
            return f"-{_within(operand, MINUS)}"
        case Applied(name="power", arguments=(base, exponent)):
            return f"{_within(base, ALONE)} ** {_within(exponent, POWER)}"
        case Applied(name=name, arguments=arguments):
            return f"{name}({', '.join(written(argument) for argument in arguments)})"


def _within(node: Node, least: int) -> str:
    """Write what binds less tightly than `least` within brackets."""
    text = written(node)
    binds = BINDING.get(node.name, ALONE) if isinstance(node, Applied) else ALONE
    if isinstance(node, Constant) and text.startswith("-"):
        binds = MINUS
    return text if binds >= least else f"({text})"
