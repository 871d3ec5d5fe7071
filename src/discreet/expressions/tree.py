"""What a text is read as: constants, columns, and what is done with them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

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
