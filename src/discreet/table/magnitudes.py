"""Numbers in the cells of a table: what is known of each cell without holding what is in it.

Sums are exact, so that no engine and no order of rows has another one. Each number is split into
whole multiples of three units, powers of two, of which floats hold the sums of all rows; so each
engine adds floats, and rounds none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from discreet.table.columns import array_of, text_of

__all__ = ["Contributions", "Magnitudes", "Question", "cells_of_levels", "of_duckdb"]

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Places = NDArray[np.intp]
Levels = Mapping[str, Mapping[str, int]]
Pair = tuple[float, float]
Collect = Callable[[nw.LazyFrame[Any]], nw.DataFrame[Any]]

UNITS = 3
SIDES = 3
"""Of two cuts: below the first, between them, and from the second on."""
DIGITS = 52
"""So many binary digits a sum of whole numbers may have, for floats to hold it."""
SMALLEST = -900
"""Numbers below this power of two are not split as finely: no float is as small as the units."""


@dataclass(frozen=True, eq=False, repr=False)
class Contributions:
    """The numbers of a cell: how many on each side of two cuts, their sums, those at either end.

    `lows` and `highs` are the smallest and the largest, each in ascending order.
    """

    cuts: Pair
    sizes: tuple[int, ...]
    sums: tuple[Fraction, ...]
    lows: Floats
    highs: Floats

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return sum(self.sizes)

    @property
    def total(self) -> Fraction:
        """The sum of the numbers."""
        return sum(self.sums, Fraction(0))

    @property
    def ends(self) -> Floats:
        """Numbers at both ends, in order: all where there are no more than twice as many."""
        twice = max(0, len(self.lows) + len(self.highs) - self.size)
        return np.concatenate([self.lows, self.highs[twice:]])

    def away(self, cut: float) -> Fraction:
        """Return the sum of the distances from one of the two cuts."""
        last = self.cuts.index(cut)
        parts = zip(self.sums, self.sizes, strict=True)
        far = [total - n * Fraction(cut) for total, n in parts]
        return sum(far[last + 1 :], Fraction(0)) - sum(far[: last + 1], Fraction(0))

    @staticmethod
    def joined(cells: Sequence[Contributions], most: int) -> Contributions:
        """Return what is known of several cells as of one, with up to `most` numbers at an end."""
        sizes, sums = (zip(*each, strict=True) for each in zip(*map(_sides, cells), strict=True))
        lows, highs = (np.sort(np.concatenate(it)) for it in zip(*map(_ends, cells), strict=True))
        return Contributions(
            cells[0].cuts,
            tuple(map(sum, sizes)),
            tuple(sum(it, Fraction(0)) for it in sums),
            lows[:most],
            highs[-most:],
        )


def _sides(cell: Contributions) -> tuple[tuple[int, ...], tuple[Fraction, ...]]:
    return cell.sizes, cell.sums


def _ends(cell: Contributions) -> tuple[Floats, Floats]:
    return cell.lows, cell.highs


@dataclass(frozen=True, eq=False, repr=False)
class Magnitudes:
    """What is known of the numbers in the cells of a `shape`.

    `again` (3, cells) was counted by itself: how many, the sum of the distances from `middle`, with
    their signs, and of the numbers without theirs. `pair` are the two most frequent numbers of all,
    where more than half are one of them.
    """

    shape: tuple[int, int]
    cells: tuple[Contributions, ...]
    middle: float
    again: Floats
    pair: Pair | None

    @classmethod
    def of(
        cls, values: Floats, places: Places, shape: tuple[int, int], middle: float, most: int
    ) -> Magnitudes:
        """Return what is known of numbers that are held, each in the cell that `places` says."""
        largest = float(np.abs(values).max(initial=0.0))
        asked = Question.of(middle, most, largest, len(values))
        cells, kinds = int(np.prod(shape)), (np.ones(len(values)), values - middle, np.abs(values))
        again = np.array([np.bincount(places, it, minlength=cells) for it in kinds])
        return cls(shape, asked.of_parts([(values, places)], cells), middle, again, _pair(values))


def _pair(values: Floats) -> Pair | None:
    """Return the two most frequent values, if more than half are one of them."""
    different, times = np.unique(values, return_counts=True)
    most = np.argsort(-times, kind="stable")[:2]
    if len(most) < 2 or 2 * times[most].sum() <= len(values):
        return None
    first, second = different[most].tolist()
    return first, second


@dataclass(frozen=True)
class Question:
    """What is asked of each cell: sums by `units` on each side of `cuts`, `most` values an end."""

    cuts: Pair
    most: int
    units: tuple[float, ...]

    @classmethod
    def of(cls, middle: float, most: int, largest: float, rows: int) -> Question:
        """Ask by units of so many rows, of which no number is larger, with the sign or without."""
        _, power = math.frexp(largest)
        step = DIGITS - rows.bit_length()
        first = max(power, SMALLEST)
        low, high = sorted((0.0, middle))
        return cls((low, high), most, tuple(2.0 ** (first - i * step) for i in (1, 2, 3)))

    def of_parts(
        self, parts: Iterable[tuple[Floats, Places]], cells: int
    ) -> tuple[Contributions, ...]:
        """Answer it of values that come by parts, each in one of so many cells."""
        sizes = np.zeros(cells * SIDES, dtype=np.int64)
        sums = np.zeros((UNITS, cells * SIDES))
        lows = [np.zeros(0) for _ in range(cells)]
        highs = [np.zeros(0) for _ in range(cells)]
        for values, places in parts:
            side = (values >= self.cuts[0]).astype(np.intp) + (values >= self.cuts[1])
            at, rest = places * SIDES + side, values
            sizes += np.bincount(at, minlength=cells * SIDES)
            for of_unit, unit in zip(sums, self.units, strict=True):
                times = np.trunc(rest / unit)
                of_unit += np.bincount(at, times, minlength=cells * SIDES)
                rest = rest - times * unit
            self._keep_ends(values, places, lows, highs)
        return tuple(
            self._cell(sizes[at : at + SIDES], sums[:, at : at + SIDES], lows[cell], highs[cell])
            for cell, at in enumerate(range(0, cells * SIDES, SIDES))
        )

    def _keep_ends(
        self, values: Floats, places: Places, lows: list[Floats], highs: list[Floats]
    ) -> None:
        """Put the values of one part that are among the smallest or largest of a cell beside them.

        Of nearly all no more is asked than on which side of those before they are.
        """
        full = [len(it) >= self.most for it in lows]
        below = np.array([it[-1] if n else np.inf for it, n in zip(lows, full, strict=True)])
        above = np.array([it[0] if n else -np.inf for it, n in zip(highs, full, strict=True)])
        near = np.flatnonzero((values < below[places]) | (values > above[places]))
        near = near[np.argsort(places[near], kind="stable")]
        found, starts = np.unique(places[near], return_index=True)
        for cell, new in zip(found.tolist(), np.split(values[near], starts)[1:], strict=True):
            lows[cell] = np.sort(np.concatenate([lows[cell], new]))[: self.most]
            highs[cell] = np.sort(np.concatenate([highs[cell], new]))[-self.most :]

    def _cell(self, sizes: Whole, sums: Floats, lows: Floats, highs: Floats) -> Contributions:
        exact = tuple(self._sum(of_units) for of_units in sums.T.tolist())
        return Contributions(self.cuts, tuple(sizes.tolist()), exact, lows, highs)

    def _sum(self, of_units: Sequence[float]) -> Fraction:
        parts = zip(of_units, self.units, strict=True)
        return sum((Fraction(times) * Fraction(unit) for times, unit in parts), Fraction(0))


def of_duckdb(
    relation: Any, asked: Question, levels: Levels, collect: Collect
) -> tuple[Contributions, ...]:
    """Answer a question where the data are: of a relation of a `value` and of levels."""
    low, high = map(_number, asked.cuts)
    rest = "value"
    for i, unit in enumerate(map(_number, asked.units)):
        relation = relation.project(f"*, trunc(({rest}) / {unit}) AS times{i}")
        rest += f" - times{i} * {unit}"
    relation = relation.project(f"*, (value >= {low})::INT + (value >= {high})::INT AS side")
    by = ", ".join([*(f'"level {i}"' for i in range(len(levels))), "side"])
    sums = ", ".join(f"sum(times{i}) AS sum{i}" for i in range(UNITS))
    ends = f"min(value, {asked.most}) AS lows, max(value, {asked.most}) AS highs"
    found = relation.aggregate(f"{by}, count(*) AS n, {sums}, {ends}", by)
    out = collect(nw.from_native(found).lazy())
    cells = math.prod(max(places.values()) + 1 for places in levels.values())
    at, side = cells_of_levels(out, levels), array_of(out["side"])
    sizes, of_units = np.zeros((cells, SIDES), np.int64), np.zeros((UNITS, cells, SIDES))
    np.add.at(sizes, (at, side), array_of(out["n"]))
    for i, of_unit in enumerate(of_units):
        np.add.at(of_unit, (at, side), array_of(out[f"sum{i}"]))
    lows, highs = (_by_cell(out[end], at, cells) for end in ("lows", "highs"))
    return tuple(
        asked._cell(sizes[i], of_units[:, i], lows[i][: asked.most], highs[i][-asked.most :])
        for i in range(cells)
    )


def _by_cell(lists: nw.Series[Any], at: Whole, cells: int) -> list[Floats]:
    """Return the values of the lists of each cell, in order."""
    found: list[list[float]] = [[] for _ in range(cells)]
    for cell, values in zip(at.tolist(), lists.to_list(), strict=True):
        found[cell] += values
    return [np.sort(np.array(values, dtype=np.float64)) for values in found]


def _number(value: float) -> str:
    """Return a float as SQL: as text, for digits alone would be a decimal, and rounded."""
    return f"'{value!r}'::DOUBLE"


def cells_of_levels(out: nw.DataFrame[Any], levels: Levels) -> Whole:
    """Return the cell of each row of a frame, in which the i-th column of levels is `level i`."""
    cell = np.zeros(len(out), dtype=np.int64)
    for i, places in enumerate(levels.values()):
        here = [places[text_of(level)] for level in out[f"level {i}"].to_list()]
        cell = cell * (max(places.values()) + 1) + np.array(here, dtype=np.int64)
    return cell
