"""Bins of one column: which numbers lie in them, and which are merged by chi-square.

Binary searches of a block of numbers go on side by side, without a branch, so that the processor
works on several at once and waits for memory in all of them together. That is faster than to
sort, at any number of regions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.compiled import kernel

__all__ = ["chi_square", "means_of", "merge_by_chi_square", "merged", "points_of", "regions_of"]


INSTEAD_OF_NONE = 0.1


@kernel
def chi_square(above: NDArray[np.float64], below: NDArray[np.float64]) -> float:
    """Return chi-square of two rows of class counts, to 1e-9; no count expected is 0.1, as Kerber.

    Rounded, so that sums that are equal but for their order tie.
    """
    rows = (above.sum(), below.sum())
    total = rows[0] + rows[1]
    out = 0.0
    for j in range(len(above)):
        both = above[j] + below[j]
        for row, observed in ((rows[0], above[j]), (rows[1], below[j])):
            expected = row * both / total if both > 0 else INSTEAD_OF_NONE
            out += (observed - expected) ** 2 / expected
    return float(np.floor(out * 1e9 + 0.5) / 1e9)


@kernel
def merge_by_chi_square(
    table: NDArray[np.float64], threshold: float, least: int, most: int
) -> NDArray[np.bool_]:
    """Merge adjacent rows of class counts, the pair of least chi-square first, the lowest of ties.

    `table` (m rows, one column a class) is written over. While more than `most` rows are left, or
    more than `least` and a pair is at or below `threshold`, a pair is merged. Return for each row
    whether an interval begins with it.
    """
    m = len(table)
    begins = np.ones(m, dtype=np.bool_)
    before, after = np.arange(m) - 1, np.arange(m) + 1
    size = 1
    while size < m:
        size *= 2
    # A tournament: node i holds the smaller of nodes 2i and 2i + 1, leaf size + i the chi-square
    # of interval i with the next.
    tree = np.full(2 * size, np.inf)
    for i in range(m - 1):
        tree[size + i] = chi_square(table[i], table[i + 1])
    for node in range(size - 1, 0, -1):
        tree[node] = min(tree[2 * node], tree[2 * node + 1])
    left = m
    while left > 1 and (left > most or (left > least and tree[1] <= threshold)):
        node = 1
        while node < size:
            node *= 2
            if tree[node] > tree[node + 1]:
                node += 1
        i = node - size
        gone = after[i]
        table[i] += table[gone]
        begins[gone] = False
        after[i] = after[gone]
        if after[i] < m:
            before[after[i]] = i
        left -= 1
        for j in (before[i], i, gone):
            if j < 0:
                continue
            alone = j == gone or after[j] == m
            node = size + j
            tree[node] = np.inf if alone else chi_square(table[j], table[after[j]])
            while node > 1:
                node //= 2
                tree[node] = min(tree[2 * node], tree[2 * node + 1])
    return begins


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
