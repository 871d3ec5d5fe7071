"""Numbers in the cells of a table: what is known of each cell without holding what is in it.

Sums are exact, so that no engine and no order of rows has another one: each number is cut to whole
multiples of a unit, a power of two that is less than what a float of the axis' size is rounded
to, and whole numbers are added.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from discreet.table.columns import array_of, text_of

__all__ = [
    "BEYOND",
    "NO_LEVELS",
    "Contributions",
    "Levels",
    "Magnitudes",
    "Question",
    "Whereabouts",
    "cells_in",
    "cells_of_levels",
    "of_duckdb",
]

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Places = NDArray[np.intp]
Levels = Mapping[str, Mapping[str, int]]
NO_LEVELS: Levels = MappingProxyType({})
Pair = tuple[float, float]
Collect = Callable[[nw.LazyFrame[Any]], nw.DataFrame[Any]]

SIDES = 3
"""Of two cuts: below the first, between them, and from the second on."""
BEYOND = 1.0
"""So many times the width of the axis beyond its ends numbers are added up."""
DIGITS = 62
"""So many binary digits the largest of those has, in units."""
SMALLEST = -900
"""Numbers below this power of two are cut no finer: no float is as small as the unit."""
HALF = 32
"""So many binary digits of a whole number are added by themselves."""
AT_ONCE = 1 << 20
"""Floats hold the sum of so many numbers of so many digits."""
BUCKETS = 16
"""Among so many numbers are dealt out, equal ones to the same, to see that no two are the half."""


@dataclass(frozen=True, eq=False, repr=False)
class Contributions:
    """The numbers of a cell: how many on each side of two cuts, their sums, those at either end.

    `lows` and `highs` are the smallest and the largest, each in ascending order. Where one of them
    is farther out than `BEYOND` allows, it may not be in the sums, which say nothing then.
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

    `again` (3, cells) was added up by other arithmetic, that of floats: how many, the sum of the
    distances from `middle`, with their signs, and of the numbers without theirs. `pair` are the two
    most frequent numbers of all, where more than half are one of them.
    """

    shape: tuple[int, int]
    cells: tuple[Contributions, ...]
    middle: float
    again: Floats
    pair: Pair | None

    @classmethod
    def of(
        cls, values: Floats, places: Places, shape: tuple[int, int], axis: Pair, most: int
    ) -> Magnitudes:
        """Return what is known of numbers that are held, each in the cell that `places` says."""
        asked, cells = Question.of(axis, most), int(np.prod(shape))
        kinds = (np.ones(len(values)), values - asked.middle, np.abs(values))
        again = np.array([np.bincount(places, it, minlength=cells) for it in kinds])
        known = asked.of_parts([(values, places)], cells)
        return cls(shape, known, asked.middle, again, _pair(values))


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
    """What is asked of each cell: sums, by `unit`, on each side of cuts; `most` values an end.

    The cuts are 0 and `middle`, that of the axis.
    """

    middle: float
    most: int
    unit: float

    @classmethod
    def of(cls, axis: Pair, most: int) -> Question:
        """Ask by the unit of an axis, of which the largest that is added has so many digits."""
        low, high = axis
        reach = BEYOND * (high - low)
        largest = min(max(abs(low - reach), abs(high + reach)), sys.float_info.max)
        _, power = math.frexp(largest)
        return cls((low + high) / 2, most, 2.0 ** (max(power, SMALLEST) - DIGITS))

    @property
    def cuts(self) -> Pair:
        """The two cuts, in order."""
        return min(0.0, self.middle), max(0.0, self.middle)

    def of_parts(
        self, parts: Iterable[tuple[Floats, Places]], cells: int
    ) -> tuple[Contributions, ...]:
        """Answer it of values that come by parts, each in one of so many cells."""
        sizes = np.zeros(cells * SIDES, dtype=np.int64)
        sums = np.zeros(cells * SIDES, dtype=object)
        lows = [np.zeros(0) for _ in range(cells)]
        highs = [np.zeros(0) for _ in range(cells)]
        for values, places in parts:
            side = (values >= self.cuts[0]).astype(np.intp) + (values >= self.cuts[1])
            at = places * SIDES + side
            sizes += np.bincount(at, minlength=cells * SIDES)
            sums += self._sums(values, at, cells * SIDES)
            self._keep_ends(values, places, lows, highs)
        return tuple(
            self.cell(sizes[at : at + SIDES], sums[at : at + SIDES], lows[cell], highs[cell])
            for cell, at in enumerate(range(0, cells * SIDES, SIDES))
        )

    def _sums(self, values: Floats, at: Places, cells: int) -> NDArray[Any]:
        """Add up values in units, the upper and the lower digits of each by themselves."""
        with np.errstate(over="ignore"):  # what is beyond a float is beyond 64 digits
            times = np.trunc(values / self.unit)
        added = (times >= -(2.0**63)) & (times < 2.0**63)
        whole = np.where(added, times, 0.0).astype(np.int64)
        sums = np.zeros(cells, dtype=object)
        for start in range(0, len(whole), AT_ONCE):
            here, of = whole[start : start + AT_ONCE], at[start : start + AT_ONCE]
            for digits, scale in ((here >> HALF, 1 << HALF), (here & ((1 << HALF) - 1), 1)):
                found = np.bincount(of, digits, minlength=cells).astype(np.int64)
                sums += found.astype(object) * scale
        return sums

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

    def cell(self, sizes: Whole, sums: NDArray[Any], lows: Floats, highs: Floats) -> Contributions:
        """Return a cell, given how many values are on each side of the cuts, and sums in units."""
        exact = tuple(Fraction(it) * Fraction(self.unit) for it in sums)
        return Contributions(self.cuts, tuple(sizes.tolist()), exact, lows, highs)


@dataclass(frozen=True)
class Whereabouts:
    """Where the numbers of a column are: the outermost, and those from which on few others are."""

    outermost: Pair
    few_beyond: Pair


class Answer(NamedTuple):
    """What DuckDB says of cells, and `again` as in `Magnitudes`.

    `mixed` is whether it is sure that no two numbers are more than half of all.
    """

    cells: tuple[Contributions, ...]
    again: Floats
    mixed: bool


def of_duckdb(
    relation: Any, asked: Question, levels: Levels, where: Whereabouts, collect: Collect
) -> Answer:
    """Answer a question where the data are, of a relation of a `value` and of levels.

    It is read once: what is counted again are plain sums of the same reading.
    """
    cells = cells_in(levels)
    before = [it for it in asked.cuts if it <= where.outermost[0]]
    inner = [it for it in asked.cuts if where.outermost[0] < it <= where.outermost[1]]
    out = collect(_sums_in(relation, asked, levels, inner, where.few_beyond))
    at, n = cells_of_levels(out, levels), array_of(out["n"]).astype(np.int64)
    side = np.full(len(out), len(before))
    for i in range(len(inner)):
        side += array_of(out[f"above{i}"]).astype(np.int64)
    sizes, sums = np.zeros((cells, SIDES), np.int64), np.zeros((cells, SIDES), dtype=object)
    again, buckets = np.zeros((3, cells)), np.zeros(BUCKETS, np.int64)
    np.add.at(sizes, (at, side), n)
    np.add.at(sums, (at, side), np.array([*map(int, out["total"].to_list())], dtype=object))
    np.add.at(buckets, array_of(out["bucket"]).astype(np.int64), n)
    for kind, column in zip(again, ("n", "away", "size"), strict=True):
        np.add.at(kind, at, array_of(out[column]))
    lows, highs = _ends_in(relation, asked, levels, out, sizes.sum(1), collect)
    known = tuple(asked.cell(*it) for it in zip(sizes, sums, lows, highs, strict=True))
    return Answer(known, again, bool(2 * np.sort(buckets)[-2:].sum() <= n.sum()))


def _sums_in(
    relation: Any, asked: Question, levels: Levels, cuts: Sequence[float], few_beyond: Pair
) -> nw.LazyFrame[Any]:
    """Ask for sums by levels, sides of some cuts, and buckets, and for a few values at the ends.

    Of nearly all values no more is asked, for the ends, than on which side of others they are.
    """
    times = f"try_cast(trunc(value * {_number(1 / asked.unit)}) AS BIGINT)"
    low, high = map(_number, few_beyond)
    by = _names(levels)
    keys = {f"above{i}": f"value >= {_number(it)}" for i, it in enumerate(cuts)}
    # Equal numbers are so in units, too, and in one bucket.
    keys["bucket"] = f"(hash(times) & {BUCKETS - 1})::TINYINT"
    grouped = [*by, *keys]
    wanted = [
        *grouped,
        f"hash({', '.join(by)}) AS digest",
        "count(*) AS n",
        "coalesce(sum(times), 0)::VARCHAR AS total",
        f"sum(value - {_number(asked.middle)}) AS away",
        "sum(abs(value)) AS size",
        f"min(value, {asked.most}) FILTER (value <= {low}) AS lows",
        f"max(value, {asked.most}) FILTER (value >= {high}) AS highs",
    ]
    named = (f"{key} AS {name}" for name, key in keys.items())
    cut = relation.project(f"*, {times} AS times").project(", ".join(["*", *named]))
    return _lazy(cut.aggregate(", ".join(wanted), ", ".join(grouped)))


def _ends_in(
    relation: Any,
    asked: Question,
    levels: Levels,
    out: nw.DataFrame[Any],
    sizes: Whole,
    collect: Collect,
) -> tuple[list[Floats], list[Floats]]:
    """Return values at the ends of each cell; of cells with few far out they are asked for anew."""
    at, columns = cells_of_levels(out, levels), ("lows", "highs")
    ends = [_by_cell(out[it], at, len(sizes)) for it in columns]
    known = np.array([[len(it) for it in end] for end in ends]).min(0)
    few = np.flatnonzero(known < np.minimum(sizes, asked.most))
    if len(few):
        by = ", ".join(_names(levels))
        digests = ", ".join(map(str, {*array_of(out["digest"])[np.isin(at, few)].tolist()}))
        found = relation.filter(f"hash({by}) IN ({digests})").aggregate(
            f"{by}, min(value, {asked.most}) AS lows, max(value, {asked.most}) AS highs", by
        )
        more = collect(_lazy(found))
        at = cells_of_levels(more, levels)
        for end, column in zip(ends, columns, strict=True):
            anew = _by_cell(more[column], at, len(sizes))
            for cell in few.tolist():
                end[cell] = anew[cell]
    lows, highs = ends
    return [it[: asked.most] for it in lows], [it[-asked.most :] for it in highs]


def _lazy(relation: Any) -> nw.LazyFrame[Any]:
    frame: nw.LazyFrame[Any] = nw.from_native(relation).lazy()
    return frame


def _names(levels: Levels) -> list[str]:
    return [f'"level {i}"' for i in range(len(levels))]


def _by_cell(lists: nw.Series[Any], at: Whole, cells: int) -> list[Floats]:
    """Return the values of the lists of each cell, in order."""
    found: list[list[float]] = [[] for _ in range(cells)]
    for cell, values in zip(at.tolist(), lists.to_list(), strict=True):
        found[cell] += values or []
    return [np.sort(np.array(values, dtype=np.float64)) for values in found]


def _number(value: float) -> str:
    """Return a float as SQL: as text, for digits alone would be a decimal, and rounded."""
    return f"'{value!r}'::DOUBLE"


def cells_in(levels: Levels) -> int:
    """Return how many cells the places of levels make."""
    return math.prod(max(places.values()) + 1 for places in levels.values())


def cells_of_levels(out: nw.DataFrame[Any], levels: Levels) -> Whole:
    """Return the cell of each row of a frame, in which the i-th column of levels is `level i`."""
    cell = np.zeros(len(out), dtype=np.int64)
    for i, places in enumerate(levels.values()):
        here = [places[text_of(level)] for level in out[f"level {i}"].to_list()]
        cell = cell * (max(places.values()) + 1) + np.array(here, dtype=np.int64)
    return cell
