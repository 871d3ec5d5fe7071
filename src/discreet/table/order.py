"""The values of a column in order: those at some ranks are found by counts, where the data are.

An engine's own quantiles are not asked for: some hold all values in memory, others estimate.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from discreet.errors import InputError
from discreet.table.columns import array_of
from discreet.table.level_cells import NO_LEVELS, Levels, cells_in, cells_of_levels

__all__ = ["Ordered", "Span", "ends_of"]

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Places = NDArray[np.intp]
Collect = Callable[[nw.LazyFrame[Any]], nw.DataFrame[Any]]
Span = tuple[int, int]
"""Ranks from the first up to, and without, the second."""

FINE = 1 << 16
"""So many bins are counted at once."""
MOST = 1 << 17
"""Bins of more rows than these are counted again in finer ones."""
AT_ONCE = 8 * MOST
"""So many rows, in fewer different values, are held at once."""
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
    """Finite values of a column, or of each of its parts: how many are in each of many bins.

    `values` is a frame of `value`, and of `level 0` where `levels` part it; `collect` reads a
    frame. `sizes` (parts, bins) are of bins of one `width` at `places`, in order. Where the values
    are few, or no bins part them, it is 0 and all are in one bin. `same` is the value of all in a
    bin, where it is known that they have one; else NaN.
    """

    values: nw.LazyFrame[Any]
    collect: Collect
    levels: Levels
    low: float
    high: float
    width: float
    places: Floats
    sizes: Whole
    same: Floats

    @classmethod
    def of(
        cls,
        values: nw.LazyFrame[Any],
        collect: Collect,
        low: float,
        high: float,
        size: int | None = None,
        levels: Levels = NO_LEVELS,
        *,
        alike: bool = False,
    ) -> Ordered:
        """Count values, of which the smallest and the largest are known, and `size` if it is.

        Where many are `alike`, it is asked of which bins all are.
        """
        # So that the largest is in the last of the bins, and in none beyond. Some engines take the
        # smallest numbers there are for 0.
        width = (high - low) / (FINE - 1)
        few = size is not None and size <= MOST
        width = width if sys.float_info.min < width < math.inf and not few else 0.0
        # Of no bins a column is left, and no mere literal, which some engines count once.
        place = _place(low, width) if width else nw.col("value") * 0.0
        by, value = _names(levels), nw.col("value")
        asked = {"low": value.min(), "high": value.max()} if alike else {}
        rows = values.select(*by, value=value, place=place).group_by(*by, "place")
        out = collect(rows.agg(n=nw.len(), **asked))
        places, at = np.unique(array_of(out["place"]) + 0.0, return_inverse=True)
        sizes = np.zeros((cells_in(levels), len(places)), np.int64)
        np.add.at(sizes, (cells_of_levels(out, levels), at), array_of(out["n"]).astype(np.int64))
        same = _same(out, at, len(places)) if alike else np.full(len(places), np.nan)
        return cls(values, collect, levels, low, high, width, places, sizes, same)

    @property
    def size(self) -> int:
        """How many values there are."""
        return int(self.sizes.sum())

    @property
    def each(self) -> list[int]:
        """How many values each part has."""
        found: list[int] = self.sizes.sum(axis=1).tolist()
        return found

    @property
    def together(self) -> Ordered:
        """The values of all parts."""
        return replace(self, levels=NO_LEVELS, sizes=self.sizes.sum(axis=0, keepdims=True))

    def at(self, spans: Sequence[Span]) -> list[Floats]:
        """Return the values at some ranks, in order.

        They are those of a sorted column to the last bit. Of fine bins those alone are looked into
        that hold a wanted rank.
        """
        (found,) = self.at_each([spans])
        return found

    def at_each(self, spans: Sequence[Sequence[Span]]) -> list[list[Floats]]:
        """Return the values at some ranks of each part, in order."""
        pieces: list[list[tuple[int, Floats]]] = [[] for _ in spans]
        for part, first, values in self._pieces(np.zeros(len(spans), np.int64), spans):
            pieces[part].append((first, values))
        found = [[_cut(held, it) for it in of] for held, of in zip(pieces, spans, strict=True)]
        for of, parts in zip(spans, found, strict=True):
            if [len(it) for it in parts] != [stop - start for start, stop in of]:
                raise InputError(CHANGED)
        return found

    def spread(self, low: float, high: float, part: int = 0) -> float:
        """Return the standard deviation (divisor n - 1) of a part's values, drawn in to two ends.

        Its last digits may hang on the engine, and on the order of rows.
        """
        size, width = self.each[part], high - low
        if size < 2 or not low < high or width * width == 0:
            return 0.0
        if not math.isfinite(width):
            return math.inf
        drawn = nw.min_horizontal(nw.max_horizontal(nw.col("value"), nw.lit(low)), nw.lit(high))
        along = (drawn - low) / width
        away = along - self._sum(along, part) / size
        squares = self._sum(away * away, part)
        # As a plain sum of squares would be: infinite, or 0, beyond what a float holds.
        return math.sqrt(squares * width * width / (size - 1))

    def spread_within(self, low: float, high: float, part: int = 0) -> tuple[float, float]:
        """Return between what `spread` lies: what is known of it without looking at a value.

        No value is farther from the middle of its bin than half a bin, and the standard deviation
        of such differences is what another one is off by at most.
        """
        n, sizes = self.each[part], self.sizes[part]
        if not self.width or n < 2 or not 0 < (high - low) * (high - low) < math.inf:
            return 0.0, math.inf
        # In bins from the smallest value on, for it may be large beside them.
        ends = (low - self.low) / self.width, (high - self.low) / self.width
        middles = np.clip(self.places - 0.5, *ends)
        away = middles - (middles * sizes).sum() / n
        sd = math.sqrt((away * away * sizes).sum() / (n - 1))
        off = (0.5 + SLACK) * math.sqrt(n / (n - 1)) + SLACK * sd
        return max(0.0, sd - off) * self.width, (sd + off) * self.width

    def _sum(self, what: nw.Expr, part: int) -> float:
        by = _names(self.levels)
        rows = self.values.select(*by, part=nw.col("value") * 0.0, what=what)
        out = self.collect(rows.group_by(*by, "part").agg(nw.col("what").sum()))
        of_part = cells_of_levels(out, self.levels) == part
        return math.fsum(array_of(out["what"])[of_part].tolist())

    def _pieces(
        self, firsts: Whole, spans: Sequence[Sequence[Span]]
    ) -> Iterator[tuple[int, int, Floats]]:
        """Return runs of values that hold all wanted ranks: of which part, from which rank on."""
        starts = firsts[:, np.newaxis] + np.cumsum(self.sizes, axis=1) - self.sizes
        wanted = np.zeros(len(self.places), dtype=np.bool_)
        for start, size, of in zip(starts, self.sizes, spans, strict=True):
            for begin, end in of:
                wanted |= (start < end) & (begin < start + size)
        known = wanted & ~np.isnan(self.same)
        for i in np.flatnonzero(known).tolist():
            for part, size in enumerate(self.sizes[:, i].tolist()):
                yield part, int(starts[part, i]), np.broadcast_to(self.same[i], size)
        rows, wanted = self.sizes.sum(axis=0), wanted & ~known
        many = wanted & (rows > MOST) & (self.width > 0)
        for i, finer in self._finer(np.flatnonzero(many)):
            yield from finer._pieces(starts[:, i], spans)
        few = np.flatnonzero(wanted & ~many)
        for bins in np.split(few, np.flatnonzero(np.diff(np.cumsum(rows[few]) // AT_ONCE)) + 1):
            for part, found in enumerate(self._sorted(bins)):
                for i, piece in zip(bins.tolist(), found, strict=True):
                    yield part, int(starts[part, i]), piece

    def _finer(self, bins: Places) -> Iterator[tuple[int, Ordered]]:
        """Count what is in some bins in finer ones; mostly it is one value, many times."""
        if not len(bins):
            return
        value, place = nw.col("value"), _place(self.low, self.width)
        rows = self._those_in(bins).select(value=value, place=place).group_by("place")
        out = self.collect(rows.agg(low=value.min(), high=value.max()))
        ends = (array_of(out[name]).tolist() for name in ("place", "low", "high"))
        for at, low, high in zip(*ends, strict=True):
            values, i = self.values.filter(place == at), int(np.searchsorted(self.places, at))
            if low < high:
                finer = Ordered.of(values, self.collect, low, high, None, self.levels)
            else:
                of_bin = self.places[[i]], self.sizes[:, [i]], np.array([low])
                finer = Ordered(values, self.collect, self.levels, low, high, 0.0, *of_bin)
            if finer.each != self.sizes[:, i].tolist():
                raise InputError(CHANGED)
            yield i, finer

    def _those_in(self, bins: Places) -> nw.LazyFrame[Any]:
        if not self.width:
            return self.values
        return self.values.filter(_place(self.low, self.width).is_in(self.places[bins].tolist()))

    def _sorted(self, bins: Places) -> list[list[Floats]]:
        """Return the values in some bins, in order, of each part and bin."""
        if not len(bins):
            return [[] for _ in self.sizes]
        by = [*_names(self.levels), "value"]
        out = self.collect(self._those_in(bins).select(*by).group_by(by).agg(n=nw.len()))
        values, n = array_of(out["value"]).astype(np.float64), array_of(out["n"])
        at, found = cells_of_levels(out, self.levels), []
        for part, sizes in enumerate(self.sizes[:, bins]):
            here = np.flatnonzero(at == part)
            here = here[np.argsort(values[here], kind="stable")]
            held = np.repeat(values[here], n[here])
            if len(held) != sizes.sum():
                raise InputError(CHANGED)
            found.append(np.split(held, np.cumsum(sizes)[:-1]))
        return found


def _same(out: nw.DataFrame[Any], at: Places, bins: int) -> Floats:
    """Return the value that all in a bin have, given the ends of each; NaN where they differ."""
    low, high = np.full(bins, np.inf), np.full(bins, -np.inf)
    np.minimum.at(low, at, array_of(out["low"]))
    np.maximum.at(high, at, array_of(out["high"]))
    return np.where(low == high, low, np.nan)


def _cut(pieces: Sequence[tuple[int, Floats]], span: Span) -> Floats:
    """Return the values at some ranks, of runs of values with the rank of the first of each."""
    start, stop = span
    found = [
        piece[max(start - first, 0) : max(stop - first, 0)]
        for first, piece in sorted(pieces, key=lambda it: it[0])
    ]
    return np.concatenate([*found, np.zeros(0)])


def _names(levels: Levels) -> list[str]:
    return [f"level {i}" for i in range(len(levels))]


def _place(low: float, width: float) -> nw.Expr:
    """Return which fine bin each value is in, from 1 on: a larger value is in no earlier bin.

    Not from 0 on, which has two signs; nor as a whole number, which values in other bins may be
    too far away for.
    """
    return ((nw.col("value") - low) / width + 1.0).floor()
