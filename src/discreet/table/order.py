"""The values of a column in order: those at some ranks are found by counts, where the data are.

An engine's own quantiles are not asked for: some hold all values in memory, others estimate.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from discreet.errors import InputError
from discreet.table.columns import array_of

__all__ = ["Ordered", "Span", "ends_of"]

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Collect = Callable[[nw.LazyFrame[Any]], nw.DataFrame[Any]]
Span = tuple[int, int]
"""Ranks from the first up to, and without, the second."""

FINE = 1 << 16
"""So many bins are counted at once."""
MOST = 1 << 17
"""Bins of more rows than these are counted again in finer ones."""
SLACK = 1e-6
"""So much of a bin arithmetic may be off."""
CHANGED = "the data have changed while they were read; open them again"


def ends_of(values: nw.LazyFrame[Any], collect: Collect) -> tuple[int, float, float]:
    """Return how many values there are, the smallest and the largest: NaN where there are none."""
    value = nw.col("value")
    out = collect(values.select(n=nw.len(), low=value.min(), high=value.max()))
    size = int(out["n"][0])
    low, high = (float(out[end][0]) if size else math.nan for end in ("low", "high"))
    return size, low, high


@dataclass(frozen=True, eq=False, repr=False)
class Ordered:
    """Finite values of a column: from where to where, and how many are in each of many bins.

    `values` is a frame of one column, `value`; `collect` reads a frame. Where the values are few,
    or no bins part them, `width` is 0 and all are in one bin.
    """

    values: nw.LazyFrame[Any]
    collect: Collect
    low: float
    high: float
    width: float
    places: Floats
    sizes: Whole

    @classmethod
    def of(
        cls,
        values: nw.LazyFrame[Any],
        collect: Collect,
        low: float,
        high: float,
        size: int | None = None,
    ) -> Ordered:
        """Count values, of which the smallest and the largest are known, and `size` if it is."""
        # So that the largest is in the last of the bins, and in none beyond. Some engines take the
        # smallest numbers there are for 0.
        width = (high - low) / (FINE - 1)
        if not sys.float_info.min < width < math.inf or (size is not None and size <= MOST):
            if size is None:
                size = int(collect(values.select(n=nw.len()))["n"][0])
            return cls(values, collect, low, high, 0.0, np.zeros(1), np.array([size]))
        bins = values.select(place=_place(low, width)).group_by("place").agg(n=nw.len())
        out = collect(bins)
        places, sizes = array_of(out["place"]), array_of(out["n"]).astype(np.int64)
        order = np.argsort(places)
        return cls(values, collect, low, high, width, places[order], sizes[order])

    @property
    def size(self) -> int:
        """How many values there are."""
        return int(self.sizes.sum())

    def at(self, spans: Sequence[Span]) -> list[Floats]:
        """Return the values at some ranks, in order.

        They are those of a sorted column to the last bit. Of fine bins those alone are looked into
        that hold a wanted rank.
        """
        pieces = sorted(self._pieces(0, spans), key=lambda it: it[0])
        out = []
        for start, stop in spans:
            cut = [piece[max(start - first, 0) : max(stop - first, 0)] for first, piece in pieces]
            found = np.concatenate([*cut, np.zeros(0)])
            if len(found) != stop - start:
                raise InputError(CHANGED)
            out.append(found)
        return out

    def spread(self, low: float, high: float) -> float:
        """Return the standard deviation (divisor n - 1) of the values, drawn in to two ends.

        Its last digits may hang on the engine, and on the order of rows.
        """
        if self.size < 2 or not low < high:
            return 0.0
        drawn = nw.min_horizontal(nw.max_horizontal(nw.col("value"), nw.lit(low)), nw.lit(high))
        mean = float(self.collect(self.values.select(mean=drawn.mean()))["mean"][0])
        width = high - low
        if not math.isfinite(width):
            return math.inf
        away = (drawn - mean) / width
        out = self.collect(self.values.select(squares=(away * away).sum()))
        # As a plain sum of squares would be: infinite, or 0, beyond what a float holds.
        return math.sqrt(float(out["squares"][0]) * width * width / (self.size - 1))

    def spread_within(self, low: float, high: float) -> tuple[float, float]:
        """Return between what `spread` lies: what is known of it without looking at a value.

        No value is farther from the middle of its bin than half a bin, and the standard deviation
        of such differences is what another one is off by at most.
        """
        n = self.size
        if not self.width or n < 2 or not low < high:
            return 0.0, math.inf
        # In bins from the smallest value on, for it may be large beside them.
        ends = (low - self.low) / self.width, (high - self.low) / self.width
        middles = np.clip(self.places - 0.5, *ends)
        away = middles - (middles * self.sizes).sum() / n
        sd = math.sqrt((away * away * self.sizes).sum() / (n - 1))
        off = (0.5 + SLACK) * math.sqrt(n / (n - 1)) + SLACK * sd
        return max(0.0, sd - off) * self.width, (sd + off) * self.width

    def _pieces(self, first: int, spans: Sequence[Span]) -> Iterator[tuple[int, Floats]]:
        """Return runs of values that hold all wanted ranks, each with the rank of its first."""
        if self.low == self.high:
            yield first, np.broadcast_to(self.low, self.size)
            return
        if not self.width:
            yield first, self._sorted(self.values)
            return
        starts = first + np.cumsum(self.sizes) - self.sizes
        bins = (it.tolist() for it in (self.places, starts, self.sizes))
        crossed = {
            place: (start, size)
            for place, start, size in zip(*bins, strict=True)
            if any(start < end and begin < start + size for begin, end in spans)
        }
        many = [place for place, (_, size) in crossed.items() if size > MOST]
        for place, part in self._parts(many):
            start, size = crossed.pop(place)
            if part.size != size:
                raise InputError(CHANGED)
            yield from part._pieces(start, spans)
        if crossed:
            found, before = self._sorted(self._those_in([*crossed])), 0
            for start, size in crossed.values():
                yield start, found[before : before + size]
                before += size

    def _those_in(self, places: Sequence[float]) -> nw.LazyFrame[Any]:
        return self.values.filter(_place(self.low, self.width).is_in(places))

    def _parts(self, places: Sequence[float]) -> Iterator[tuple[float, Ordered]]:
        """Return what is in some bins: mostly one value, many times."""
        if not places:
            return
        value, place = nw.col("value"), _place(self.low, self.width)
        rows = self._those_in(places).select(value=value, place=place).group_by("place")
        out = self.collect(rows.agg(n=nw.len(), low=value.min(), high=value.max()))
        ends = (array_of(out[name]).tolist() for name in ("place", "n", "low", "high"))
        for at, size, low, high in zip(*ends, strict=True):
            values = self.values.filter(place == at)
            yield at, Ordered.of(values, self.collect, low, high, size)

    def _sorted(self, values: nw.LazyFrame[Any]) -> Floats:
        """Return some values in order, each as often as it is there."""
        out = self.collect(values.group_by("value").agg(n=nw.len()))
        found, often = array_of(out["value"]).astype(np.float64), array_of(out["n"])
        order = np.argsort(found, kind="stable")
        return np.repeat(found[order], often[order])


def _place(low: float, width: float) -> nw.Expr:
    """Return which fine bin each value is in, from 1 on: a larger value is in no earlier bin.

    Not from 0 on, which has two signs; nor as a whole number, which values in other bins may be
    too far away for.
    """
    return ((nw.col("value") - low) / width + 1.0).floor()
