"""The smallest and the largest values of a column, and how many it has: in one reading, or few.

The first rows say from where on a value may be among the smallest or the largest. So of nearly
all rows no more is asked than on which side of two numbers they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from discreet.table.columns import FIRST, array_of

__all__ = ["Extremes", "extremes_of"]

Floats = NDArray[np.float64]
Collect = Callable[[nw.LazyFrame[Any]], nw.DataFrame[Any]]


@dataclass(frozen=True, eq=False, repr=False)
class Extremes:
    """How many finite values a column has, and the smallest and the largest, from the ends inward.

    `broken` of them at least are no whole numbers.
    """

    size: int
    lows: Floats
    highs: Floats
    broken: int

    def holds(self, k: int) -> bool:
        """Whether so many of the smallest and of the largest are here, or all that there are."""
        return len(self.lows) >= min(k, self.size)


def extremes_of(values: nw.LazyFrame[Any], collect: Collect, k: int) -> Extremes:
    """Return the `k` smallest and largest of some finite values.

    `values` is a frame of one column, `value`; `collect` reads a frame.
    """
    first = np.sort(array_of(collect(values.head(FIRST))["value"]).astype(np.float64))
    broken = int((first != np.floor(first)).sum())
    if len(first) < FIRST:  # these are all
        return Extremes(len(first), first[:k], first[::-1][:k], broken)
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
    return Extremes(int(size), lows.astype(np.float64), highs.astype(np.float64), broken)
