"""Multivariate MDAV, beside a plain one compiled by numba that gives the same labels.

The plain one passes over all rows that are left: once for the farthest from the centroid, and
for each group once for distances and the nearest and once to close the gaps and find the
farthest. Both go from unsorted input to labels, share how rows are standardised and ordered, and
run on one thread.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

from benchmarks.job import Job, Race
from discreet.methods.base import lexicographic, standardise
from discreet.methods.microaggregation import mdav

__all__ = ["JOBS"]

Floats = NDArray[np.float64]
Labels = NDArray[np.intp]
Function = TypeVar("Function", bound=Callable[..., Any])

MAKE: dict[str, Callable[[np.random.Generator, int, int], Floats]] = {
    "normal": lambda rng, n, p: rng.normal(size=(n, p)),
    "skewed": lambda rng, n, p: rng.lognormal(size=(n, p)),
    "rounded": lambda rng, n, p: rng.normal(size=(n, p)).round(1),
    "mass ties": lambda rng, n, p: rng.integers(0, 5, size=(n, p)).astype(float),
}


def _race(kind: str, columns: int, k: int, n: int, _: Path) -> Race:
    x = MAKE[kind](np.random.default_rng(1), n, columns)
    return Race(partial(mdav, x, k), partial(_plain, x, k), np.array_equal)


def _job(kind: str, columns: int, k: int, sizes: tuple[int, int]) -> Job:
    race = partial(_race, kind, columns, k)
    name = f"MDAV, {columns} columns, {kind}, k = {k}"
    return Job(name, "a plain loop by numba", sizes, 500, race, rounds=3)


# --- the plain version ------------------------------------------------------------------------


def _plain(x: Floats, k: int) -> Labels:
    z = standardise(x)[0]
    order = lexicographic(z, x)
    labels = np.empty(len(x), dtype=np.intp)
    labels[order] = _plain_groups(z[order], k)
    return labels


def compiled(function: Function) -> Function:
    return cast("Function", numba.njit(nogil=True)(function))


@compiled
def _add(sums: Floats, j: int, value: float) -> None:
    high = sums[0, j] + value
    back = high - sums[0, j]
    low = (sums[0, j] - (high - back)) + (value - back) + sums[1, j]
    sums[0, j] = high + low
    sums[1, j] = low - (sums[0, j] - high)


@compiled
def _farthest(rows: Floats, left: int, point: Floats) -> int:
    far, found = -1.0, 0
    for i in range(left):
        gap = 0.0
        for j in range(point.size):
            gap += (rows[i, j] - point[j]) * (rows[i, j] - point[j])
        if gap > far:
            far, found = gap, i
    return found


@compiled
def _nearest(
    rows: Floats, left: int, point: Floats, gaps: Floats, least: Floats, found: Labels
) -> None:
    held = 0
    for i in range(left):
        gap = 0.0
        for j in range(point.size):
            gap += (rows[i, j] - point[j]) * (rows[i, j] - point[j])
        gaps[i] = gap
        if held < found.size or gap < least[held - 1]:
            held = min(held + 1, found.size)
            at = held - 1
            while at and least[at - 1] > gap:
                least[at], found[at] = least[at - 1], found[at - 1]
                at -= 1
            least[at], found[at] = gap, i


@compiled
def _close_gaps(rows: Floats, names: Labels, gaps: Floats, left: int) -> tuple[int, int]:
    """Move up the rows that stay; return how many do, and the farthest of them."""
    stay, far, found = 0, -1.0, 0
    for i in range(left):
        if gaps[i] < 0.0:
            continue
        if gaps[i] > far:
            far, found = gaps[i], stay
        if stay != i:
            for j in range(rows.shape[1]):
                rows[stay, j] = rows[i, j]
            names[stay] = names[i]
        stay += 1
    return stay, found


@compiled
def _plain_groups(ordered: Floats, k: int) -> Labels:
    n, p = ordered.shape
    rows, names = ordered.copy(), np.arange(n)
    labels = np.empty(n, dtype=np.intp)
    gaps, least, found = np.empty(n), np.empty(k), np.empty(k, dtype=np.intp)
    sums, point = np.zeros((2, p)), np.empty(p)
    for i in range(n):
        for j in range(p):
            _add(sums, j, rows[i, j])
    left, made = n, 0
    while left >= 2 * k:
        for j in range(p):
            point[j] = sums[0, j] / left
        far = _farthest(rows, left, point)
        for _ in range(2 if left >= 3 * k else 1):
            for j in range(p):
                point[j] = rows[far, j]
            _nearest(rows, left, point, gaps, least, found)
            for one in found:
                labels[names[one]] = made
                gaps[one] = -1.0
                for j in range(p):
                    _add(sums, j, -rows[one, j])
            made += 1
            left, far = _close_gaps(rows, names, gaps, left)
    for i in range(left):
        labels[names[i]] = made
    return labels


JOBS = [
    _job("normal", 4, 3, (20_000, 100_000)),
    _job("normal", 4, 10, (20_000, 100_000)),
    _job("normal", 2, 3, (10_000, 20_000)),
    _job("normal", 6, 3, (10_000, 20_000)),
    _job("skewed", 4, 3, (10_000, 20_000)),
    _job("rounded", 4, 3, (10_000, 20_000)),
    _job("mass ties", 4, 3, (10_000, 20_000)),
]
