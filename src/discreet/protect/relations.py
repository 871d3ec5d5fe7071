"""Relations between columns that hold for all records: a start before its end, parts and their sum.

They are found in the raw numbers, kept by protecting what is free in them (the start and how long
it took; the parts), and put together again afterwards, so that nothing impossible is shown.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels

__all__ = ["Relations", "relations_of"]

AT_RISK = 0.01
"""An order is looked after where so many pairs of different records would break it."""
TINY = 1e-9


@dataclass(frozen=True)
class Relations:
    """What holds for all records, but for fewer than k persons.

    Parameters
    ----------
    sums : mapping of str to tuple of str
        Columns that are the sum of others.
    orders : tuple of pairs of str
        Columns of which the first is never above the second.
    after : mapping of str to str
        Columns that are protected as their difference from another one.
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

    def together(self, numbers: Mapping[str, Floats]) -> dict[str, Floats]:
        """Return protected columns put together again: ends from starts, sums from parts."""
        out = dict(numbers)
        done: set[str] = set()

        def end(name: str) -> Floats:
            if name in self.after and name not in done:
                out[name] = _short(end(self.after[name]) + out[name])
            done.add(name)
            return out[name]

        for name in self.after:
            end(name)
        for low, high in self.orders:
            if low in out and high in out:
                out[high] = np.where(out[low] > out[high], out[low], out[high])
        for name, parts in self.sums.items():
            out[name] = _short(np.sum([out[part] for part in parts], axis=0))
        return out


def relations_of(numbers: Mapping[str, Floats], k: int, persons: Labels | None = None) -> Relations:
    """Find sums and orders that all records keep, but for rows of fewer than k persons.

    Examples
    --------
    >>> import numpy as np
    >>> x, wait = np.arange(40.0), np.tile([0.0, 30.0, 5.0, 9.0], 10)
    >>> found = relations_of({"start": x, "end": x + wait}, k=5)
    >>> found.orders, found.after
    ((('start', 'end'),), {'end': 'start'})
    """
    names = sorted(numbers)

    def holds(rows: NDArray[np.bool_], of: NDArray[np.bool_]) -> bool:
        broken = of & ~rows
        few = broken.sum() if persons is None else len(np.unique(persons[broken]))
        return bool(of.any()) and few < k

    sums = _sums(numbers, names, holds)
    free = [name for name in names if name not in sums]
    orders, risk = [], {}
    for low, high in itertools.permutations(free, 2):
        both = ~(np.isnan(numbers[low]) | np.isnan(numbers[high]))
        if not holds(numbers[low] <= numbers[high], both):
            continue
        ends = np.sort(numbers[high][both])
        share = float(np.searchsorted(ends, numbers[low][both], side="left").mean() / len(ends))
        if share >= AT_RISK and not holds(numbers[low] >= numbers[high], both):
            orders.append((low, high))
            risk[low, high] = share
    after: dict[str, str] = {}
    for high in free:
        starts = [low for low, other in orders if other == high]
        starts = [low for low in starts if _same_gaps(numbers[low], numbers[high], k)]
        if starts:
            after[high] = max(starts, key=lambda low: (risk[low, high], low))
    return Relations(sums, _from_below(orders), after)


def _sums(
    numbers: Mapping[str, Floats],
    names: list[str],
    holds: Callable[[NDArray[np.bool_], NDArray[np.bool_]], bool],
) -> dict[str, tuple[str, ...]]:
    """Return columns that are another one again, or the sum of two others."""
    found: dict[str, tuple[str, ...]] = {}
    for first, name in itertools.combinations(names, 2):
        equal = (numbers[first] == numbers[name]) | np.isnan(numbers[first] + numbers[name])
        gaps = np.isnan(numbers[first]) == np.isnan(numbers[name])
        if first not in found and (equal & gaps).all():
            found[name] = (first,)
    names = [name for name in names if name not in found]
    for first, second in itertools.combinations(names, 2):
        total = numbers[first] + numbers[second]
        for name in names:
            if name in (first, second) or name in found or {first, second} & found.keys():
                continue
            known = ~np.isnan(total + numbers[name])
            if not np.any(numbers[first][known]) or not np.any(numbers[second][known]):
                continue
            gap = np.abs(total - numbers[name])
            if holds(gap <= TINY * np.maximum(np.abs(total), 1), known):
                found[name] = (first, second)
    return found


def _same_gaps(low: Floats, high: Floats, k: int) -> bool:
    """Say whether the end is missing wherever the start is, but for fewer than k rows."""
    return int((np.isnan(low) & ~np.isnan(high)).sum()) < k


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


def _short(values: Floats) -> Floats:
    """Return numbers without the last digits of a sum."""
    size = 10.0 ** (11 - np.floor(np.log10(np.maximum(np.abs(values), 1e-290))))
    with np.errstate(over="ignore", invalid="ignore"):
        return np.where(np.abs(values) < 1e-290, values, np.round(values * size) / size) + 0.0
