"""Relations between columns that hold for all records: a start before its end, parts and their sum.

They are found in the raw numbers, kept by protecting what is free in them (the start and how long
it took; the parts), and put together again afterwards, so that nothing impossible is shown.

An end that is a start and a time has both of these right, and its own margin only as near as the
two are jointly. So ends that lie farther from the safe quantile of their rank than chance would
have it move towards it, where the time that it took stays about as long.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Container, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels
from discreet.columns.dates import on_clock
from discreet.methods.copies import Chance, shortened, threshold

AT_RISK = 0.01
"""An order is looked after where so many pairs of different records would break it, to twice."""
UNSURE = 0.2
"""By up to this share of itself a risk is drawn, so that no person decides which is larger."""
TINY = 1e-9
FEWEST = 4
"""A relation is looked for where this many times k people, to twice, have all of its columns."""
SAMPLE = 500
"""So many rows are looked at first: most relations that do not hold break there."""
LOOKED_AT = 100
"""So many rows, of a person each, and some for each of k, say first which sums may be."""
NEAR, LONGER = 0.5, 2
"""How many sds of a sample's ranks of ends may be off; within what factor a time stays."""

Bounds = Mapping[str, tuple[float, float]]
Parts = Mapping[str, int]
ANY = (-np.inf, np.inf)
NO_PARTS: Parts = MappingProxyType({})
Rows = NDArray[np.bool_]
Safe = Callable[[str, Floats], Floats]
"""Returns, for latent numbers, safe quantiles of the column of a name by their ranks."""
Columns = dict[str, Floats]


@dataclass(frozen=True)
class Relations:
    """What holds for all records, but for those of a few people.

    `sums` are columns that are the sum of others, `orders` pairs of columns of which the first is
    never above the second, and `after` columns that are protected as their difference from another
    one.
    """

    sums: Mapping[str, tuple[str, ...]]
    orders: tuple[tuple[str, str], ...]
    after: Mapping[str, str]

    def apart(self, numbers: Mapping[str, Floats]) -> dict[str, Floats]:
        """Return the columns that are protected: no sums, and differences in place of ends."""
        return {
            name: np.maximum(column - numbers[self.after[name]], 0)
            if name in self.after
            else column
            for name, column in numbers.items()
            if name not in self.sums
        }

    def unmade(self, left_out: Set[str]) -> set[str]:
        """Return the columns that cannot be put together again without those left out."""
        lost = set(left_out)
        while True:
            more = {name for name, start in self.after.items() if start in lost}
            more |= {name for name, parts in self.sums.items() if lost & {*parts}}
            if more <= lost:
                return lost - left_out
            lost |= more

    def within(self, names: Container[str]) -> Relations:
        """Return those between columns of these names."""
        return Relations(
            {it: parts for it, parts in self.sums.items() if all(n in names for n in (it, *parts))},
            tuple(pair for pair in self.orders if pair[0] in names and pair[1] in names),
            {high: low for high, low in self.after.items() if high in names and low in names},
        )

    def together(
        self, numbers: Mapping[str, Floats], bounds: Bounds, safe: Safe, parts: Parts = NO_PARTS
    ) -> Columns:
        """Return protected columns put together again: ends from starts, sums from parts.

        Nothing is outside of `bounds` but where a relation would be broken by it. `safe` gives
        each end its own margin, and no column goes beyond that of one that is never below it.
        Columns of `parts` are whole multiples of their part.
        """
        out = dict(numbers)
        done: set[str] = set()

        def end(name: str) -> Floats:
            if name not in done:
                done.add(name)
                if name in self.after:
                    out[name] = _fit_margin(name, end(self.after[name]), out[name], safe)
                out[name] = np.clip(on_clock(out[name], parts.get(name)), *bounds.get(name, ANY))
            return out[name]

        for name in numbers:
            end(name)
        for name, summed in self.sums.items():
            if name in bounds and {*summed} <= out.keys():
                _draw_in(out, name, summed, bounds)
        _order_columns(out, [pair for pair in self.orders if {*pair} <= out.keys()], parts)
        for name, summed in self.sums.items():
            if {*summed} <= out.keys():
                out[name] = shortened(np.sum([out[part] for part in summed], axis=0))
        return out


def _fit_margin(name: str, start: Floats, took: Floats, safe: Safe) -> Floats:
    """Return ends: starts and times, moved to about the safe quantiles of their ranks.

    They stay where the rank of a quantile near to it is not farther from theirs than a sample's
    would be, and where the time would be less than half as long, more than twice, or longer than
    any; a time of nothing stays one. None is beyond the farthest quantile.
    """
    end = shortened(start + took)
    have = np.flatnonzero(~np.isnan(end))
    if not have.size:
        return end
    made = end[have]
    quantiles = np.sort(safe(name, made))
    rank = np.empty(len(made), dtype=np.intp)
    rank[np.argsort(made, kind="stable")] = np.arange(len(made))
    off = int(NEAR * np.sqrt(len(made)))
    low = quantiles[np.maximum(rank - off, 0)]
    high = quantiles[np.minimum(rank + off, len(made) - 1)]
    moved = np.clip(made, low, high)
    time, longer = took[have], moved - start[have]
    kept = (longer * LONGER < time) | (longer > np.minimum(time * LONGER, time.max()))
    end[have] = np.clip(np.where(kept, made, moved), quantiles[0], quantiles[-1])
    return end


def _order_columns(out: Columns, orders: list[tuple[str, str]], parts: Parts) -> None:
    """Draw lower columns in to what the upper ones reach, then raise upper to lower ones.

    So the largest number of a column is still one that its own people have or are beyond.
    """
    reach = {
        name: np.full(len(out[name]), np.nanmax(out[name], initial=-np.inf))
        for name in {name for pair in orders for name in pair}
    }
    for low, high in reversed(orders):
        both = ~np.isnan(out[low] + out[high])
        most = np.where(both, np.minimum(reach[low], reach[high]), reach[low])
        reach[low] = -_not_below(-most, parts.get(low))
    for name, most in reach.items():
        out[name] = np.where(out[name] > most, most, out[name])
    for low, high in orders:
        least = _not_below(out[low], parts.get(high))
        out[high] = np.where(out[low] > out[high], least, out[high])


def relations_of(
    numbers: Mapping[str, Floats],
    k: int,
    chance: Chance,
    persons: Labels | None = None,
    parts: Parts = NO_PARTS,
) -> Relations:
    """Return sums and orders that all records keep, but for those of a few people.

    Fewer than a number that is drawn between k and 2 k - 1: one for all relations, so that who is
    the last that breaks several shows no more than who is the last of one. They are looked for
    where 4 k to 8 k - 1 people or more, drawn too, have all the columns. A column of `parts`
    (whole multiples of one part of so many) is not protected as its difference from one of smaller
    parts: that would end between two of its own.
    """
    names = sorted(numbers)
    draws = chance("relations", 3)
    least, fewest = threshold(draws[0], k), threshold(draws[1], FEWEST * k)
    few = _Few(numbers, persons, least, fewest)
    sums = _sums(numbers, names, few)
    free = [name for name in names if name not in sums]
    risk: dict[tuple[str, str], float] = {}
    unsure = iter(1 - UNSURE * chance("risks of orders", len(free) ** 2))
    for low, high in itertools.permutations(free, 2):
        weight = float(next(unsure))
        if not few.hold((low, high), np.greater):
            continue
        both = ~(np.isnan(numbers[low]) | np.isnan(numbers[high]))
        ends = np.sort(numbers[high][both])
        share = float(np.searchsorted(ends, numbers[low][both], side="left").mean() / len(ends))
        if share >= AT_RISK * (1 + draws[2]) and not few.hold((low, high), np.less):
            risk[low, high] = share * weight
    orders: list[tuple[str, str]] = []
    for pair in sorted(risk, key=lambda pair: (-risk[pair], pair)):
        if not _leads(orders, pair[1], pair[0]):  # in a circle of orders, nothing is first
            orders.append(pair)
    after: dict[str, str] = {}
    for high in free:
        starts = [low for low, other in orders if other == high and _ends_on(parts, low, high)]
        starts = [it for it in starts if few.are(np.isnan(numbers[it]) & ~np.isnan(numbers[high]))]
        if starts:
            after[high] = max(starts, key=lambda low: (risk[low, high], low))
    return Relations(sums, _from_below(orders), after)


@dataclass(frozen=True, eq=False, repr=False)
class _Few:
    """Which rows are those of few people, and of which columns enough people have all."""

    numbers: Mapping[str, Floats]
    persons: Labels | None
    least: int
    fewest: int

    def _count(self, those: Rows, at: slice = slice(None)) -> int:
        if self.persons is None:
            return int(those.sum())
        return len(np.unique(self.persons[at][those]))

    def are(self, those: Rows, at: slice = slice(None)) -> bool:
        """Say whether rows are those of few people."""
        return self._count(those, at) < self.least

    def hold(self, columns: tuple[str, ...], broken: Callable[..., Rows]) -> bool:
        """Say whether few people break what is to hold between columns that enough have."""
        rows = len(self.numbers[columns[0]])
        for at in (slice(None, None, max(1, rows // SAMPLE)), slice(None)):
            if not self.are(broken(*(self.numbers[name][at] for name in columns)), at):
                return False
        known = ~np.isnan(np.sum([self.numbers[name] for name in columns], axis=0))
        return self.fewest <= self._count(known)

    def alike(self, name: str) -> bool:
        """Say whether all known numbers of a column but those of few people are the same."""
        column = self.numbers[name]
        values, rows = np.unique(column[~np.isnan(column)], return_counts=True)
        return self.are(~np.isnan(column) & (column != values[rows.argmax()]))

    def likely_sums(self, names: Sequence[str]) -> Callable[[str, str], Iterator[str]]:
        """Return what names the columns that may be the sum of two: some rows rule most out.

        A row of each of some people is looked at: whatever few people break, few of these do.
        """
        rows = len(next(iter(self.numbers.values()), ()))
        persons = self.persons
        first = np.arange(rows) if persons is None else np.unique(persons, return_index=True)[1]
        some = first[:: max(1, len(first) // (LOOKED_AT + 2 * self.least))]
        totals = np.array([self.numbers[name][some] for name in names])

        def likely(first: str, second: str) -> Iterator[str]:
            off = _no_sum(self.numbers[first][some], self.numbers[second][some], totals).sum(axis=1)
            return (names[i] for i in np.flatnonzero(off < self.least).tolist())

        return likely


def _sums(numbers: Mapping[str, Floats], names: list[str], few: _Few) -> dict[str, tuple[str, ...]]:
    """Return columns that are another one again, or the sum of two others."""
    sums: dict[str, tuple[str, ...]] = {}
    for first, name in itertools.combinations(names, 2):
        if not {first, name} & sums.keys() and few.hold((first, name), _other):
            sums[name] = (first,)
    varied = [name for name in names if name not in sums and not few.alike(name)]
    likely = few.likely_sums(varied)
    for first, second in itertools.combinations(varied, 2):
        for name in likely(first, second):
            if name in (first, second) or name in sums or {first, second} & sums.keys():
                continue
            if few.hold((first, second, name), _no_sum):
                sums[name] = (first, second)
    return sums


def _other(first: Floats, second: Floats) -> Rows:
    """Say where two columns differ, or one has a number and the other none."""
    return np.asarray((first != second) & ~(np.isnan(first) & np.isnan(second)))


def _no_sum(first: Floats, second: Floats, total: Floats) -> Rows:
    """Say which totals are not the sum of the two, or have no parts."""
    both = first + second
    off = np.abs(both - total) > TINY * np.maximum(np.abs(both), 1)
    return off | (np.isnan(both) & ~np.isnan(total))


def _draw_in(out: dict[str, Floats], name: str, parts: tuple[str, ...], bounds: Bounds) -> None:
    """Move the parts of a sum, within their bounds, so that it is within its own.

    Each moves by a share of the room that it has; equally those that have no bound on that side.
    """
    total = np.sum([out[part] for part in parts], axis=0)
    off = total - np.clip(total, *bounds[name])
    for side, sign in ((0, 1.0), (1, -1.0)):
        rooms = [np.abs(out[part] - bounds.get(part, ANY)[side]) for part in parts]
        free = [np.isinf(room) for room in rooms]
        if any(it.any() for it in free):
            rooms = [it.astype(np.float64) for it in free]
        whole = np.maximum(np.sum(rooms, axis=0), TINY)
        move = sign * np.maximum(sign * off, 0)
        for part, room in zip(parts, rooms, strict=True):
            moved = shortened(out[part] - move * room / whole)
            out[part] = np.where(move == 0, out[part], np.clip(moved, *bounds.get(part, ANY)))


def _ends_on(parts: Parts, low: str, high: str) -> bool:
    """Say whether what begins on a part of the lower column may end on one of the upper."""
    return high not in parts or (low in parts and parts[high] % parts[low] == 0)


def _not_below(values: Floats, parts: int | None) -> Floats:
    """Return the least multiples that are not below the numbers."""
    if parts is None:
        return values
    count = np.ceil(values * parts)
    return np.where(count / parts < values, count + 1, count) / parts


def _leads(orders: list[tuple[str, str]], low: str, high: str) -> bool:
    """Say whether orders make the first column the lower one, by way of others or none."""
    above, ahead = {low}, [low]
    while ahead:
        name = ahead.pop()
        more = {upper for lower, upper in orders if lower == name} - above
        above |= more
        ahead += more
    return high in above


def _from_below(orders: list[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return orders so that none comes before one that may raise its lower column."""
    above = {
        name: {low for low, high in orders if high == name} for pair in orders for name in pair
    }
    depth: dict[str, int] = {}

    def of(name: str) -> int:
        if name not in depth:
            depth[name] = 0
            depth[name] = 1 + max((of(low) for low in above[name]), default=0)
        return depth[name]

    return tuple(sorted(orders, key=lambda pair: (of(pair[1]), of(pair[0]), pair)))
