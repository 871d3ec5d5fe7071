"""What each field of a policy may hold, and how it reads from and writes to plain values."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any

from discreet.arguments import parameters_of
from discreet.errors import one_of
from discreet.parallel.pixels import MOST_PIXELS, PIXEL_STEP
from discreet.plots import METHOD_OF_PLOT
from discreet.protect import ROW_METHODS, ROW_NAMES, Deterministic, Probabilistic
from discreet.protect.hierarchy import read_hierarchy
from discreet.protect.values import MISSING_LEVELS, MISSING_NUMBERS, OUTSIDE
from discreet.rounding import METHODS as ROUNDINGS
from discreet.table import KINDS, ROLES

__all__ = ["RULES", "frozen", "plain"]

REGIMES = ("guarded", "research")
METRICS = parameters_of(Deterministic)["metric"].words
FAR_NOISE = parameters_of(Probabilistic)["far_noise"].words
MOST_EDGES = 101


def frozen(key: str, value: Any) -> Any:
    """Return a field's value as it is kept: tuples and read-only mappings all the way."""
    if key == "pictures" and isinstance(value, Mapping):
        return MappingProxyType({**METHOD_OF_PLOT, **value})
    if key in ("kinds", "roles") and isinstance(value, Mapping):
        return MappingProxyType(dict(value))
    if key == "hierarchies" and isinstance(value, Mapping):
        return MappingProxyType({column: _hierarchy(column, it) for column, it in value.items()})
    if key in ("limits", "bounds", "edges", "ordered", "missing_values") and isinstance(
        value, Mapping
    ):
        ends = {column: _as_tuple(pair) for column, pair in value.items()}
        return MappingProxyType(ends)
    if key in ("groups", "pairs") and isinstance(value, list | tuple):
        return tuple(_as_tuple(group) for group in value)
    if key == "strata":
        return _as_tuple(value)
    if key == "rounding" and isinstance(value, str):
        return value.replace("-", "_")
    return value


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list | tuple) else value


def _hierarchy(column: str, given: Any) -> Any:
    """Return the lines of a hierarchy: each level with its coarser names, the coarsest last."""
    if isinstance(given, list | tuple):
        return tuple(_as_tuple(line) for line in given)
    if not isinstance(given, str | Path | Mapping):
        return given
    steps = read_hierarchy(column, given).steps
    return tuple((level, *(step[level] for step in steps)) for level in sorted(steps[0]))


def plain(value: Any) -> Any:
    """Return a field's value as TOML and JSON write it."""
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return value


def _whole(low: int, high: int) -> Callable[[Any], bool]:
    return lambda v: isinstance(v, int) and not isinstance(v, bool) and low <= v <= high


def _number(v: Any) -> bool:
    # A whole number of TOML may be too large for a float; NaN is not below anything.
    return isinstance(v, int | float) and not isinstance(v, bool) and abs(v) <= sys.float_info.max


def _names(v: Any) -> bool:
    return isinstance(v, tuple) and all(isinstance(name, str) and name for name in v)


def _pairs(v: Any) -> bool:
    return isinstance(v, tuple) and all(
        _names(pair) and len({*pair}) == len(pair) == 2 for pair in v
    )


def _words(allowed: Sequence[str]) -> Callable[[Any], bool]:
    return lambda v: (
        isinstance(v, Mapping)
        and all(isinstance(key, str) and word in allowed for key, word in v.items())
    )


def _ends(v: Any) -> bool:
    return isinstance(v, Mapping) and all(
        isinstance(column, str)
        and isinstance(ends, tuple)
        and len(ends) == 2
        and all(map(_number, ends))
        and ends[0] < ends[1]
        for column, ends in v.items()
    )


def _bounds(v: Any) -> bool:
    """Tell whether a column's ends are in order; an open end is infinite."""
    return isinstance(v, Mapping) and all(
        isinstance(column, str)
        and isinstance(ends, tuple)
        and len(ends) == 2
        and all(_number(end) or end in (-math.inf, math.inf) for end in ends)
        and ends[0] < ends[1]
        for column, ends in v.items()
    )


def _edges(v: Any) -> bool:
    return isinstance(v, Mapping) and all(
        isinstance(column, str)
        and isinstance(edges, tuple)
        and 2 <= len(edges) <= MOST_EDGES
        and all(map(_number, edges))
        and all(low < high for low, high in pairwise(edges))
        for column, edges in v.items()
    )


def _values(v: Any) -> bool:
    return isinstance(v, Mapping) and all(
        isinstance(column, str)
        and isinstance(values, tuple)
        and all(map(_number, values))
        and len(set(values)) == len(values)
        for column, values in v.items()
    )


def _ordered(v: Any) -> bool:
    return isinstance(v, Mapping) and all(
        isinstance(column, str) and _names(levels) and len(set(levels)) == len(levels)
        for column, levels in v.items()
    )


def _lines(v: Any) -> bool:
    return isinstance(v, Mapping) and all(
        isinstance(column, str)
        and isinstance(lines, tuple)
        and all(isinstance(line, tuple) and len(line) >= 2 and _texts(line) for line in lines)
        for column, lines in v.items()
    )


def _texts(v: Sequence[Any]) -> bool:
    return all(isinstance(text, str) for text in v)


def _text_or_none(v: Any) -> bool:
    return v is None or (isinstance(v, str) and bool(v))


_YES_NO = (lambda v: isinstance(v, bool), "true or false")
_NAME = (_text_or_none, "a name")
RULES: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "name": (lambda v: isinstance(v, str) and bool(v), "a name"),
    "regime": (lambda v: v in REGIMES, f"one of {one_of(REGIMES)}"),
    "k": (_whole(1, 10**6), "a whole number from 1 to 1000000"),
    "q": (lambda v: v is None or (_number(v) and 0 <= v <= 100), "a number from 0 to 100"),
    "rows": (lambda v: isinstance(v, str) and v in ROW_METHODS, f"one of {one_of(ROW_NAMES)}"),
    "metric": (lambda v: v in METRICS, f"one of {one_of(METRICS)}"),
    "rounding": (
        lambda v: isinstance(v, str) and v in ROUNDINGS,
        f"one of {one_of(ROUNDINGS)}",
    ),
    "c": (lambda v: v is None or _whole(1, 10**6)(v), "a whole number from 1 to 1000000"),
    "pictures": (lambda v: isinstance(v, Mapping), "a table of plots and methods"),
    "bins": (_whole(2, 1000), "a whole number from 2 to 1000"),
    "grid": (_whole(2, 1000), "a whole number from 2 to 1000"),
    "pixels": (
        lambda v: _whole(PIXEL_STEP, MOST_PIXELS)(v) and v % PIXEL_STEP == 0,
        f"a multiple of {PIXEL_STEP} from {PIXEL_STEP} to {MOST_PIXELS}",
    ),
    "pairs": (_pairs, "a list of pairs of different column names"),
    "round_to": (_whole(1, 1000), "a whole number from 1 to 1000"),
    "shown_share": (lambda v: _number(v) and 0 <= v <= 1, "a number from 0 to 1"),
    "show_empty": _YES_NO,
    "groups": (
        lambda v: isinstance(v, tuple) and all(_names(group) and group for group in v),
        "a list of lists of column names",
    ),
    "most_columns": (
        lambda v: v is None or _whole(1, 1000)(v),
        "a whole number from 1 to 1000",
    ),
    "strata": (_names, "a list of column names"),
    "limits": (_ends, "a table of columns, each with a lower and a larger upper number"),
    "edges": (_edges, "a table of columns, each with 2 to 101 numbers that rise"),
    "bounds": (_bounds, "a table of columns, each with a lower and a larger upper number, or inf"),
    "outside": (lambda v: v in OUTSIDE, f"one of {one_of(OUTSIDE)}"),
    "far_noise": (lambda v: v in FAR_NOISE, f"one of {one_of(FAR_NOISE)}"),
    "bins_share": (lambda v: _number(v) and 0 < v <= 1, "a number above 0 and at most 1"),
    "residual_df": (_whole(1, 10**6), "a whole number from 1 to 1000000"),
    "missing": (lambda v: v in MISSING_NUMBERS, f"one of {one_of(MISSING_NUMBERS)}"),
    "missing_values": (_values, "a table of columns, each with a list of different numbers"),
    "missing_levels": (lambda v: v in MISSING_LEVELS, f"one of {one_of(MISSING_LEVELS)}"),
    "hierarchies": (
        _lines,
        "a table of columns, each a CSV file or nested tables of names whose leaves are levels",
    ),
    "ordered": (_ordered, "a table of columns, each with its levels from first to last"),
    "most_suppressed": (lambda v: _number(v) and 0 <= v <= 1, "a number from 0 to 1"),
    "diversity": (_whole(1, 1000), "a whole number from 1 to 1000"),
    "closeness": (lambda v: _number(v) and 0 <= v <= 1, "a number from 0 to 1"),
    "kinds": (_words(KINDS), f"a table of columns, each one of {one_of(KINDS)}"),
    "roles": (_words(ROLES), f"a table of columns, each one of {one_of(ROLES)}"),
    "unit": (lambda v: v is False or _text_or_none(v), "a name, or false: a row is a person"),
    "key": _NAME,
    "study": _NAME,
    "public": _YES_NO,
    "versions": (_whole(1, 100), "a whole number from 1 to 100"),
    "budget": (_whole(1, 10**6), "a whole number from 1 to 1000000"),
    "requests_a_minute": (_whole(1, 10**6), "a whole number from 1 to 1000000"),
}
