"""To find the region of each of many numbers, in any order.

Binary searches of a block of numbers go on side by side, without a branch, so that the processor
works on several at once and waits for memory in all of them together. That is faster than to
sort, at any number of regions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.compiled import kernel

__all__ = ["means_of", "merged", "points_of", "regions_of"]

Floats = NDArray[np.float64]
Indices = NDArray[np.int32]
Places = NDArray[np.intp]

BLOCK = 64


@kernel
def regions_of(x: Floats, edges: Floats) -> Places:
    """Return how many of `edges` (rising, at least one) each number of `x` is not below."""
    out = np.empty(len(x), dtype=np.intp)
    found = np.empty(BLOCK, dtype=np.int32)
    for begin in range(0, len(x), BLOCK):
        end = min(begin + BLOCK, len(x))
        _search(x[begin:end], edges, found)
        for i in range(end - begin):
            out[begin + i] = found[i]
    return out


@kernel
def points_of(x: Floats, edges: Floats, points: Floats) -> Floats:
    """Return for each number of `x` the point, one more than `edges`, of its region."""
    out = np.empty(len(x))
    found = np.empty(BLOCK, dtype=np.int32)
    for begin in range(0, len(x), BLOCK):
        end = min(begin + BLOCK, len(x))
        _search(x[begin:end], edges, found)
        for i in range(end - begin):
            out[begin + i] = points[found[i]]
    return out


@kernel
def _search(x: Floats, edges: Floats, found: Indices) -> None:
    """Set the regions of a block of numbers; every step halves the edges left to look at."""
    found[:] = 0
    left = len(edges)
    while left > 1:
        half = left // 2
        for i in range(len(x)):
            place = found[i] + half
            found[i] = place if edges[place - 1] <= x[i] else found[i]
        left -= half
    for i in range(len(x)):
        found[i] += edges[found[i]] <= x[i]


@kernel
def merged(values: Floats, edges: Floats) -> Places:
    """Return for each of `edges` (rising) how many of `values` (rising) lie below it."""
    out = np.empty(len(edges), dtype=np.intp)
    place = 0
    for q in range(len(edges)):
        while place < len(values) and values[place] < edges[q]:
            place += 1
        out[q] = place
    return out


@kernel
def means_of(values: Floats, starts: Places, cuts: Places) -> Floats:
    """Return the mean of the rows of each region that begins at 0 or at `cuts`, none empty.

    `starts` are how many rows lie below each value. Sums are taken about the first value of a
    region, and a mean lies between its least and largest.
    """
    out = np.empty(len(cuts) + 1)
    begin = 0
    for q in range(len(out)):
        end = cuts[q] if q < len(cuts) else len(values)
        first, total = values[begin], 0.0
        for i in range(begin + 1, end):
            total += (values[i] - first) * (starts[i + 1] - starts[i])
        mean = first + total / (starts[end] - starts[begin])
        out[q] = min(mean, values[end - 1])
        begin = end
    return out
