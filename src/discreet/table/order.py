"""The values of a column in order: those at some ranks are found by counts, where the data are.

An engine's own quantiles are not asked for: some hold all values in memory, others estimate.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from discreet.errors import InputError
from discreet.table.columns import array_of

__all__ = ["Ordered", "Span"]

Floats = NDArray[np.float64]
Span = tuple[int, int]
"""Ranks from the first up to, and without, the second."""

FINE = 1 << 16
"""So many bins are counted at once."""
MOST = 1 << 17
"""Bins of more rows than these are counted again in finer ones."""
CHANGED = "the data have changed while they were read; open them again"


@dataclass(frozen=True, repr=False)
class Ordered:
    """Finite values of a column: how many there are, from where to where, and how to ask for some.

    `values` is a frame of one column, `value`; `collect` reads a frame.
    """

    values: nw.LazyFrame[Any]
    collect: Callable[[nw.LazyFrame[Any]], nw.DataFrame[Any]]
    size: int
    low: float
    high: float

    @classmethod
    def of(
        cls,
        values: nw.LazyFrame[Any],
        collect: Callable[[nw.LazyFrame[Any]], nw.DataFrame[Any]],
    ) -> Ordered:
        """Count the values; the ends are NaN where there are none."""
        value = nw.col("value")
        out = collect(values.select(n=nw.len(), low=value.min(), high=value.max()))
        size = int(out["n"][0])
        low, high = (float(out[end][0]) if size else math.nan for end in ("low", "high"))
        return cls(values, collect, size, low, high)

    def at(self, spans: Sequence[Span]) -> list[Floats]:
        """Return the values at some ranks, in order.

        They are those of a sorted column to the last bit. Fine bins are counted first, and then
        the values in those bins alone that hold a wanted rank.
        """
        pieces = list(self._pieces(0, spans))
        out = []
        for start, stop in spans:
            cut = [
                piece[max(start - first, 0) : max(stop - first, 0)]
                for first, piece in sorted(pieces, key=lambda it: it[0])
            ]
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

    def _pieces(self, first: int, spans: Sequence[Span]) -> Iterator[tuple[int, Floats]]:
        """Return runs of values that hold all wanted ranks, each with the rank of its first."""
        if self.low == self.high:
            yield first, np.broadcast_to(self.low, self.size)
            return
        width = (self.high - self.low) / FINE
        if self.size <= MOST or not 0 < width < math.inf:
            yield first, self._sorted(self.values)
            return
        few: list[tuple[int, int, int]] = []
        for cell, start, part in self._crossed(first, width, spans):
            # An engine may take the smallest numbers there are for one: no finer bin parts them.
            if part.low == part.high or MOST < part.size < self.size:
                yield from part._pieces(start, spans)
            else:
                few.append((cell, start, part.size))
        if few:
            rows = self.values.filter(self._cell(width).is_in([cell for cell, *_ in few]))
            found, before = self._sorted(rows), 0
            for _, start, size in few:
                yield start, found[before : before + size]
                before += size

    def _cell(self, width: float) -> nw.Expr:
        """Return which fine bin each value is in: a larger value is in no earlier bin."""
        place = ((nw.col("value") - self.low) / width).floor()
        return nw.min_horizontal(place, nw.lit(float(FINE - 1))).cast(nw.Int32)

    def _crossed(
        self, first: int, width: float, spans: Sequence[Span]
    ) -> Iterator[tuple[int, int, Ordered]]:
        """Count fine bins: return those of wanted ranks, each with the rank of its first value."""
        cell, value = self._cell(width), nw.col("value")
        counted = self.values.select(cell=cell, value=value).group_by("cell")
        out = self.collect(counted.agg(n=nw.len(), low=value.min(), high=value.max()))
        cells, sizes = (array_of(out[name]).astype(np.int64) for name in ("cell", "n"))
        order = np.argsort(cells)
        ends = first + np.cumsum(sizes[order])
        for at, stop in zip(order.tolist(), ends.tolist(), strict=True):
            size = int(sizes[at])
            if any(stop - size < end and begin < stop for begin, end in spans):
                number, low, high = int(cells[at]), float(out["low"][at]), float(out["high"][at])
                values = self.values.filter(cell == number)
                part = replace(self, values=values, size=size, low=low, high=high)
                yield number, stop - size, part

    def _sorted(self, values: nw.LazyFrame[Any]) -> Floats:
        """Return some values in order, each as often as it is there."""
        out = self.collect(values.group_by("value").agg(n=nw.len()))
        found, often = array_of(out["value"]).astype(np.float64), array_of(out["n"])
        order = np.argsort(found, kind="stable")
        return np.repeat(found[order], often[order])
