"""A tree is written out again, as short as it can be read."""

from __future__ import annotations

from itertools import chain

from discreet.expressions.tokens import PLAIN_NAME
from discreet.expressions.tree import Applied, Column, Constant, Node

SUM, PRODUCT, MINUS, POWER, ALONE = range(5)
BINDING = {"sum": SUM, "product": PRODUCT, "minus": MINUS, "power": POWER}
"""What binds more tightly has the higher number; functions stand alone."""


def quoted(name: str) -> str:
    """Write a column's name as it stands in a text."""
    return name if PLAIN_NAME.fullmatch(name) else f"`{name}`"


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
