"""Values of columns, row by row, and what is computed of them; a missing value stays missing."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats
from discreet.expressions.tree import Applied, Column, Constant, Node


@dataclass(frozen=True, eq=False)
class Numbers:
    """A number a row; NaN where it is missing."""

    values: Floats


@dataclass(frozen=True, eq=False)
class Days:
    """A date a row, in days since 1970-01-01 and parts of a day; NaN where it is missing."""

    values: Floats


@dataclass(frozen=True)
class Levels:
    """A text a row; "" where it is missing. `order` has the levels where an order is known."""

    words: tuple[str, ...]
    order: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Truth:
    """1 where a condition is true, 0 where it is false, NaN where that is unknown."""

    values: Floats

    def as_levels(self) -> Levels:
        """Return "yes", "no", and "" where it is unknown."""
        words = np.array(["no", "yes", ""], dtype=object)[_steps(self.values, 2)]
        return Levels(tuple(words.tolist()), ("no", "yes"))


Values = Numbers | Days | Levels | Truth
Array = NDArray[Any]
"""Numbers, or texts as objects; of a constant of no dimension."""

EARLIEST, LATEST = -719_162, 2_932_896
"""The days from the year 1 to the year 9999."""
MILLISECONDS = 86_400_000


def values_of(node: Node, columns: Mapping[str, Array], rows: int) -> Values:
    """Compute an expression, and give each row its value."""
    with np.errstate(all="ignore"):
        each = np.broadcast_to(computed(node, columns), (rows,))
    if node.kind == "level":
        order = node.levels if isinstance(node, Applied) else ()
        return Levels(tuple(each.tolist()), order)
    values = each + 0.0  # a copy; and -0.0 becomes 0.0
    if node.kind == "date":
        return Days(_valid_dates(values))
    return Truth(values) if node.kind == "truth" else Numbers(values)


def computed(node: Node, columns: Mapping[str, Array]) -> Array:
    """Compute a node; what it is made of one after the other, so that few are held at once."""
    match node:
        case Constant(value=value):
            return np.asarray(value, dtype=object if node.kind == "level" else np.float64)
        case Column(name=name):
            return columns[name]
        case Applied(name=name, arguments=arguments):
            return COMPUTED[name](node, (computed(each, columns) for each in arguments))


def _finite(values: Array) -> Array:
    """Take what has no value, and what is too large for one, as missing."""
    return np.where(np.isfinite(values), values, np.nan)


def _valid_dates(days: Array) -> Array:
    return np.where((days >= EARLIEST) & (days < LATEST + 1), days, np.nan)


def _steps(values: Array, missing: int) -> NDArray[np.intp]:
    """Return whole numbers as places of a list, and that of what is missing."""
    return np.where(np.isnan(values), missing, values).astype(np.intp)


# --- conditions -------------------------------------------------------------------------------


def _and(_: Applied, values: Iterator[Array]) -> Array:
    result = next(values)
    for other in values:
        result = _both(result, other)
    return result


def _both(left: Array, right: Array) -> Array:
    """Return false if one of them is false, whatever the other may be."""
    return np.where((left == 0) | (right == 0), 0.0, np.minimum(left, right))


def _or(_: Applied, values: Iterator[Array]) -> Array:
    result = next(values)
    for other in values:
        result = np.where((result == 1) | (other == 1), 1.0, np.maximum(result, other))
    return result


def _compare(node: Applied, values: Iterator[Array]) -> Array:
    """Compare neighbours; with a date that has no time, days are compared."""
    result: Array = np.asarray(1.0)
    left = next(values)
    for sign, (one, other) in zip(node.signs, pairwise(node.arguments), strict=True):
        right = next(values)
        result = _both(result, _pair(sign, one, left, other, right))
        left = right
    return result


def _pair(sign: str, one: Node, left: Array, other: Node, right: Array) -> Array:
    unknown = _missing(one, left) | _missing(other, right)
    if _is_day(one) or _is_day(other):
        left, right = _day_of(left), _day_of(right)
    return np.where(unknown, np.nan, COMPARED[sign](left, right).astype(np.float64))


def _in(node: Applied, values: Iterator[Array]) -> Array:
    first, *choices = node.arguments
    operand = next(values)
    result: Array = np.asarray(0.0)
    for choice, value in zip(choices, values, strict=True):
        result = np.maximum(result, _pair("==", first, operand, choice, value))
    return result


def _missing(node: Node, values: Array) -> Array:
    return values == "" if node.kind == "level" else np.isnan(values)


def _is_day(node: Node) -> bool:
    return isinstance(node, Constant) and node.whole_day


def _case(node: Applied, values: Iterator[Array]) -> Array:
    """Take the value behind the first true condition; an unknown one before it leaves it open."""
    nothing = np.asarray("", dtype=object) if node.kind == "level" else np.asarray(np.nan)
    result, pending = nothing, np.asarray(True)
    for _ in range(len(node.arguments) // 2):
        condition, value = next(values), next(values)
        result = np.where(pending & (condition == 1), value, result)
        pending = pending & (condition == 0)
    return np.where(pending, next(values), result)


# --- numbers ----------------------------------------------------------------------------------


def _fold(node: Applied, values: Iterator[Array]) -> Array:
    """Compute a chain of signs from left to right."""
    result = next(values)
    for sign, other in zip(node.signs, values, strict=True):
        result = _finite(ARITHMETIC[sign](result, other))
    return result


def _power(_: Applied, values: Iterator[Array]) -> Array:
    base, exponent = values
    return _finite(np.where(np.isnan(base), np.nan, base ** float(exponent)))


def _round(_: Applied, values: Iterator[Array]) -> Array:
    """Round halves to the even neighbour; what is too large to have such digits stays."""
    value, digits = values
    scale = 10.0 ** abs(float(digits))
    scaled = value * scale if digits >= 0 else value / scale
    whole = np.rint(scaled)
    out = whole / scale if digits >= 0 else whole * scale
    return _finite(np.where(np.isfinite(scaled), out, value))


def _extreme(choose: Callable[[Array, Array], Array]) -> Computing:
    def found(_: Applied, values: Iterator[Array]) -> Array:
        out = next(values)
        for other in values:
            out = choose(out, other)
        return out

    return found


def _cut(node: Applied, values: Iterator[Array]) -> Array:
    value, *edges = values
    place = np.searchsorted(np.array(edges, dtype=np.float64), value, side="right")
    labels = np.array([*node.levels, ""], dtype=object)
    return np.asarray(labels[np.where(np.isnan(value), len(node.levels), place)])


def _each(function: Callable[[Array], Array]) -> Computing:
    return lambda _, values: _finite(function(next(values)))


# --- dates ------------------------------------------------------------------------------------


def _moments(days: Array) -> Array:
    """Return milliseconds since 1970; a part of a day is not exact in double precision."""
    return np.asarray(np.rint(_valid_dates(days) * MILLISECONDS))


def _day_of(days: Array) -> Array:
    return np.asarray(np.floor(_moments(days) / MILLISECONDS))


def _hour(days: Array) -> Array:
    moments = _moments(days)
    midnight = np.floor(moments / MILLISECONDS) * MILLISECONDS
    return np.asarray(np.floor((moments - midnight) / 3_600_000))


def _calendar(part: Callable[[NDArray[np.datetime64]], Array]) -> Computing:
    def found(days: Array) -> Array:
        known = _day_of(days)
        dates = np.where(np.isnan(known), 0, known).astype("int64").astype("datetime64[D]")
        return np.where(np.isnan(known), np.nan, part(dates))

    return _each(found)


def _months(dates: NDArray[np.datetime64]) -> Array:
    return np.asarray(dates.astype("datetime64[M]").astype(np.int64) % 12 + 1)


def _weekday(node: Applied, values: Iterator[Array]) -> Array:
    place = (_day_of(next(values)) + 3) % 7  # 1970-01-01 was a Thursday
    labels = np.array([*node.levels, ""], dtype=object)
    return np.asarray(labels[_steps(place, len(node.levels))])


Computing = Callable[[Applied, Iterator[Array]], Array]
COMPARED: Mapping[str, Callable[[Array, Array], Array]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
ARITHMETIC: Mapping[str, Callable[[Array, Array], Array]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
COMPUTED: Mapping[str, Computing] = {
    "and": _and,
    "or": _or,
    "not": lambda _, values: 1 - next(values),
    "compare": _compare,
    "in": _in,
    "missing": lambda node, values: _missing(node.arguments[0], next(values)).astype(np.float64),
    "case": _case,
    "sum": _fold,
    "product": _fold,
    "minus": lambda _, values: -next(values),
    "power": _power,
    "I": lambda _, values: next(values),  # what a formula writes around arithmetic
    "log": _each(np.log),
    "log2": _each(np.log2),
    "log10": _each(np.log10),
    "sqrt": _each(np.sqrt),
    "exp": _each(np.exp),
    "abs": _each(np.abs),
    "round": _round,
    "min": _extreme(np.minimum),
    "max": _extreme(np.maximum),
    "cut": _cut,
    "year": _calendar(lambda dates: dates.astype("datetime64[Y]").astype(np.int64) + 1970),
    "quarter": _calendar(lambda dates: (_months(dates) + 2) // 3),
    "month": _calendar(_months),
    "day": _calendar(lambda dates: (dates - dates.astype("datetime64[M]")).astype(np.int64) + 1),
    "hour": _each(_hour),
    "weekday": _weekday,
}
