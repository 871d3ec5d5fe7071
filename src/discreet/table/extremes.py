"""The smallest and the largest values of a column, and how many it has: in one reading, or less.

The first rows say from where on a value may be among the smallest or the largest. So of nearly
all rows no more is asked than on which side of two numbers they are. Files that say where each
group of their rows ends say it better: an engine then skips most groups.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from discreet.columns.column import FIRST
from discreet.table.columns import array_of


def ends_of(values: nw.LazyFrame[Any], collect: Collect) -> tuple[int, float, float]:
    """Return how many values there are, the smallest and the largest: NaN where there are none."""
    value = nw.col("value")
    out = collect(values.select(n=nw.len(), low=value.min(), high=value.max()))
    size = int(out["n"][0])
    low, high = (float(out[end][0]) if size else math.nan for end in ("low", "high"))
    return size, low, high


# --- extremes -------------------------------------------------------------------------------------


Floats = NDArray[np.float64]
Collect = Callable[[nw.LazyFrame[Any]], nw.DataFrame[Any]]

MANY = 4
"""Of so many times more groups than values are wanted, most are skipped."""


@dataclass(frozen=True, eq=False, repr=False)
class Extremes:
    """The smallest and the largest finite values of a column, from the ends inward.

    There are `size` values; where it is None, most were not read. `broken` of them at least are no
    whole numbers.
    """

    size: int | None
    lows: Floats
    highs: Floats
    broken: int

    def holds(self, k: int) -> bool:
        """Whether so many of the smallest and of the largest are here, or all that there are."""
        return len(self.lows) >= (k if self.size is None else min(k, self.size))


@dataclass(frozen=True)
class Outer:
    """From where on a value of a `column` is among the `k` smallest and the `k` largest, or near.

    `rows` are those with a finite value, in DuckDB.
    """

    rows: nw.LazyFrame[Any]
    column: str
    k: int
    low: float
    high: float

    def ends(self, collect: Collect) -> tuple[Floats, Floats] | None:
        """Return the `k` smallest and the `k` largest values; None where files said it wrong."""
        column = nw.col(self.column)
        value, below, above = column.cast(nw.Float64), column < self.low, column > self.high
        rows = self.rows.filter(below | above).select(value=value, below=below, above=above)
        question = f"min(value, {self.k}) FILTER (below), max(value, {self.k}) FILTER (above)"
        ((lows, highs),) = nw.to_native(rows).aggregate(question).fetchall()
        ends = []
        for found, end in ((lows or [], self.low), (highs or [], self.high)):
            # Further inward come those at the limit itself: of whole numbers there are many.
            if lacking := self.k - len(found):
                same = self.rows.filter(column == end).select(value=value).head(lacking)
                found = [*found, *array_of(collect(same)["value"]).tolist()]
            ends.append(np.array(found, dtype=np.float64))
        return (ends[0], ends[1]) if min(map(len, ends)) == self.k else None


def outer_of(
    rows: nw.LazyFrame[Any], column: str, k: int, groups: Sequence[tuple[float, float]]
) -> Outer | None:
    """Return where `k` values at either end are, by the ends of groups of rows; None of few groups.

    Each group holds a value at its end: so many groups, so many values at least.
    """
    if len(groups) < MANY * k:
        return None
    lows, highs = zip(*groups, strict=True)
    return Outer(rows, column, k, sorted(lows)[k], sorted(highs)[-k - 1])


def extremes_of(
    values: nw.LazyFrame[Any], collect: Collect, k: int, outer: Outer | None = None
) -> Extremes:
    """Return the `k` smallest and largest of some finite values, or those of `outer`.

    `values` is a frame of one column, `value`; `collect` reads a frame.
    """
    first = np.sort(array_of(collect(values.head(FIRST))["value"]).astype(np.float64))
    broken = int((first != np.floor(first)).sum())
    if len(first) < FIRST:  # these are all
        return Extremes(len(first), first[:k], first[::-1][:k], broken)
    if outer is not None and (ends := outer.ends(collect)) is not None:
        return Extremes(None, *ends, broken)
    value = nw.col("value")
    inner = min(k, FIRST)  # a value further inward is not among the k, for so many are not
    low, high = (nw.lit(float(end)) for end in (first[inner - 1], first[-inner]))
    if k > FIRST:
        low, high = nw.lit(np.inf), nw.lit(-np.inf)
    below, above = value <= low, value >= high
    if values.implementation.is_duckdb():
        parted = nw.to_native(values.select(value, below=below, above=above))
        question = f"count(*), min(value, {k}) FILTER (below), max(value, {k}) FILTER (above)"
        ((size, *both),) = parted.aggregate(question).fetchall()
        lows, highs = (np.array(end, dtype=np.float64) for end in both)
    else:
        size = collect(values.select(n=nw.len()))["n"][0]
        lows, highs = (
            array_of(collect(rows.sort("value", descending=down).head(k))["value"])
            for rows, down in ((values.filter(below), False), (values.filter(above), True))
        )
    lows, highs = lows.astype(np.float64), highs.astype(np.float64)
    return Extremes(int(size), lows, highs, broken)
