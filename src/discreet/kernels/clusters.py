"""One-dimensional k-means: an exact program, and Lloyd's steps.

Kernels take `values` (m different numbers, rising) as three prefix sums of length m + 1, all taken
outward from one value amid the column, so that they keep the digits of both tails: `rows`, and
the `sums` and `squares` of the values about that one. A cluster is [begin, end) among the values.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.compiled import kernel

__all__ = ["best_cuts", "cost_of", "lloyd", "prefix_sums"]

Floats = NDArray[np.float64]
Indices = NDArray[np.int32]
Places = NDArray[np.intp]


@kernel
def prefix_sums(values: Floats, counts: Places) -> tuple[Floats, Floats, Floats]:
    """Return rows, sums and sums of squares from the middle value up (and, negative, down)."""
    m = len(values)
    middle = m // 2
    centre = values[middle]
    rows, sums, squares = np.empty(m + 1), np.empty(m + 1), np.empty(m + 1)
    rows[middle] = sums[middle] = squares[middle] = 0.0
    for i in range(middle, m):
        gap = values[i] - centre
        rows[i + 1] = rows[i] + counts[i]
        sums[i + 1] = sums[i] + counts[i] * gap
        squares[i + 1] = squares[i] + counts[i] * gap * gap
    for i in range(middle - 1, -1, -1):
        gap = values[i] - centre
        rows[i] = rows[i + 1] - counts[i]
        sums[i] = sums[i + 1] - counts[i] * gap
        squares[i] = squares[i + 1] - counts[i] * gap * gap
    return rows, sums, squares


@kernel
def cost_of(rows: Floats, sums: Floats, squares: Floats, bounds: Places) -> float:
    """Return the sum of squares within the clusters between `bounds` (c + 1, from 0 to m)."""
    cost = 0.0
    for q in range(len(bounds) - 1):
        i, j = bounds[q], bounds[q + 1]
        total = sums[j] - sums[i]
        cost += squares[j] - squares[i] - total * total / (rows[j] - rows[i])
    return cost


@kernel
def best_cuts(rows: Floats, sums: Floats, squares: Floats, lows: Places, highs: Places) -> Places:
    """Return where the clusters begin, but 0, of the best partition within bounds of each begin.

    Cluster q of c begins from `lows[q]` to `highs[q]`; both are c + 1 numbers that rise, the
    first 0 and the last m. Layer q holds the least cost of the values below each of these ends
    in q clusters; one number of four bytes is kept for each.
    """
    c = len(lows) - 1
    offsets = np.zeros(c + 2, dtype=np.intp)
    for q in range(c + 1):
        offsets[q + 1] = offsets[q] + highs[q] - lows[q] + 1
    best = np.empty(offsets[c + 1], dtype=np.int32)
    cost, below = np.empty(len(rows)), np.empty(len(rows))
    cost[0] = 0.0
    for q in range(1, c + 1):
        below, cost = cost, below
        chosen = best[offsets[q] : offsets[q + 1]]
        _search_layer(rows, sums, squares, q, lows, highs, below, cost, chosen)
    cuts = np.empty(c - 1, dtype=np.intp)
    end = highs[c]
    for q in range(c, 1, -1):
        end = best[offsets[q] + end - lows[q]]
        cuts[q - 2] = end
    return cuts


@kernel
def _search_layer(
    rows: Floats,
    sums: Floats,
    squares: Floats,
    q: int,
    lows: Places,
    highs: Places,
    below: Floats,
    cost: Floats,
    chosen: Indices,
) -> None:
    """Set the least cost in q clusters up to each end, and where the last of them begins.

    That begin rises with the end, as the cost is a Monge one: it is looked for at every other
    end first, then at those between.
    """
    low, size = lows[q], highs[q] - lows[q] + 1
    stride = 1
    while 2 * stride <= size:
        stride *= 2
    while stride > 0:
        for place in range(stride - 1, size, 2 * stride):
            j = low + place
            first, last = lows[q - 1], min(highs[q - 1], j - 1)
            if place >= stride:
                first = chosen[place - stride]
            if place + stride < size:
                last = min(last, chosen[place + stride])
            best, least = first, np.inf
            rows_at, sum_at = rows[j], sums[j]
            for i in range(first, last + 1):
                total = sum_at - sums[i]
                found = below[i] - squares[i] - total * total / (rows_at - rows[i])
                if found < least:
                    best, least = i, found
            chosen[place], cost[j] = best, least + squares[j]
        stride //= 2


@kernel
def lloyd(
    values: Floats, rows: Floats, sums: Floats, squares: Floats, cuts: Places, most: int
) -> Places:
    """Return better cuts: each value goes to the nearest mean, until none moves.

    It ends early after `most` rounds, or before a round that would leave a cluster empty or not
    lower the cost.
    """
    m, c = len(values), len(cuts) + 1
    centre = values[m // 2]
    bounds = np.empty(c + 1, dtype=np.intp)
    bounds[0], bounds[1:c], bounds[c] = 0, cuts, m
    cost = cost_of(rows, sums, squares, bounds)
    means = np.empty(c)
    for _ in range(most):
        for q in range(c):
            i, j = bounds[q], bounds[q + 1]
            means[q] = centre + (sums[j] - sums[i]) / (rows[j] - rows[i])
        moved = bounds.copy()
        for q in range(1, c):
            moved[q] = np.searchsorted(values, means[q - 1] / 2 + means[q] / 2)
        if (moved == bounds).all() or (moved[1:] <= moved[:-1]).any():
            break
        lower = cost_of(rows, sums, squares, moved)
        if not lower < cost:
            break
        bounds, cost = moved, lower
    return bounds[1:c]
