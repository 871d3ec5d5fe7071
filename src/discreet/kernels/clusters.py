"""One-dimensional k-means: an exact program, and Lloyd's steps.

Kernels take `values` (m different numbers, rising) as three prefix sums of length m + 1, all taken
outward from one value amid the column: `rows`, and the `sums` and `squares` of the values about
that one. The latter two are kept as a number and what it leaves over, (2, m + 1), about 32 digits:
of clumps that lie far apart, each keeps its own. A cluster is [begin, end) among the values.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.compiled import kernel

__all__ = ["best_cuts", "cost_about_means", "cost_of", "lloyd", "prefix_sums"]

Floats = NDArray[np.float64]
Indices = NDArray[np.int32]
Places = NDArray[np.intp]

ENOUGH = 1e-7
"""A cost that is so large beside the squares it is a difference of has digits enough without
what they leave over; costs are then told apart to about 1e-8."""
SPLITTER = 2.0**27 + 1


@kernel
def _sum(a: float, b: float) -> tuple[float, float]:
    """Return a + b, and what rounding left over (Knuth)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


@kernel
def _product(a: float, b: float) -> tuple[float, float]:
    """Return a * b, and what rounding left over (Dekker, Veltkamp)."""
    product = a * b
    high = SPLITTER * a
    a1 = high - (high - a)
    high = SPLITTER * b
    b1 = high - (high - b)
    a2, b2 = a - a1, b - b1
    return product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2


@kernel
def _set_next(sums: Floats, at: int, to: int, high: float, low: float) -> None:
    """Set the sum at a place to that at another one and a number of two parts."""
    total, rest = _sum(sums[0, at], high)
    rest += sums[1, at] + low
    sums[0, to] = total + rest
    sums[1, to] = rest - (sums[0, to] - total)


@kernel
def _add_value(
    rows: Floats, sums: Floats, squares: Floats, at: int, to: int, gap: float, rest: float, n: float
) -> None:
    """Set the three sums at a place to those at another one and n rows of one value.

    The value lies `gap` and `rest` off the middle one; n is negative below it.
    """
    rows[to] = rows[at] + n
    high, low = _product(gap, n)
    _set_next(sums, at, to, high, low + rest * n)
    square, left = _product(gap, gap)
    left += 2 * gap * rest
    high, low = _product(square, n)
    _set_next(squares, at, to, high, low + left * n)


@kernel
def prefix_sums(values: Floats, counts: Places) -> tuple[Floats, Floats, Floats]:
    """Return rows, sums and sums of squares from the middle value up (and, negative, down)."""
    m = len(values)
    middle = m // 2
    centre = values[middle]
    rows, sums, squares = np.empty(m + 1), np.empty((2, m + 1)), np.empty((2, m + 1))
    rows[middle] = 0.0
    sums[:, middle] = 0.0
    squares[:, middle] = 0.0
    for i in range(middle, m):
        gap, rest = _sum(values[i], -centre)
        _add_value(rows, sums, squares, i, i + 1, gap, rest, float(counts[i]))
    for i in range(middle - 1, -1, -1):
        gap, rest = _sum(values[i], -centre)
        _add_value(rows, sums, squares, i + 1, i, gap, rest, -float(counts[i]))
    return rows, sums, squares


@kernel
def _within(rows: Floats, sums: Floats, squares: Floats, i: int, j: int) -> float:
    """Return the sum of squares of one cluster about its mean."""
    n = rows[j] - rows[i]
    total, rest = _sum(sums[0, j], -sums[0, i])
    rest += sums[1, j] - sums[1, i]
    rise, left = _sum(squares[0, j], -squares[0, i])
    left += squares[1, j] - squares[1, i]
    square, over = _product(total, total)
    over += 2 * total * rest
    share = square / n
    back, lost = _product(share, n)
    cost = (rise - share) + (left - (((square - back) - lost) + over) / n)
    return cost if cost > 0 else 0.0


@kernel
def cost_of(rows: Floats, sums: Floats, squares: Floats, bounds: Places) -> float:
    """Return the sum of squares within the clusters between `bounds` (c + 1, from 0 to m)."""
    cost = 0.0
    for q in range(len(bounds) - 1):
        cost += _within(rows, sums, squares, bounds[q], bounds[q + 1])
    return cost


@kernel
def cost_about_means(values: Floats, counts: Places, bounds: Places) -> float:
    """Return the same from the values, whose squares are taken about the mean of each cluster."""
    cost = 0.0
    for q in range(len(bounds) - 1):
        first, rows, total = values[bounds[q]], 0, 0.0
        for i in range(bounds[q], bounds[q + 1]):
            rows += counts[i]
            total += counts[i] * (values[i] - first)
        mean, squares, rest = total / rows, 0.0, 0.0
        for i in range(bounds[q], bounds[q + 1]):
            gap = (values[i] - first) - mean
            squares += counts[i] * gap * gap
            rest += counts[i] * gap
        cost += squares - rest * rest / rows
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
    plain_sums, plain_squares = sums[0], squares[0]
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
            rows_at, sum_at, square_at = rows[j], plain_sums[j], plain_squares[j]
            for i in range(first, last + 1):
                total = sum_at - plain_sums[i]
                found = below[i] - plain_squares[i] - total * total / (rows_at - rows[i])
                if found < least:
                    best, least = i, found
            least += square_at
            if not least > ENOUGH * (abs(square_at) + abs(plain_squares[first])):
                best, least = _least(rows, sums, squares, below, first, last, j)
            chosen[place], cost[j] = best, least
        stride //= 2


@kernel
def _least(
    rows: Floats, sums: Floats, squares: Floats, below: Floats, first: int, last: int, j: int
) -> tuple[int, float]:
    """Return where the last cluster up to j best begins, from first to last, and the cost."""
    best, least = first, np.inf
    for i in range(first, last + 1):
        found = below[i] + _within(rows, sums, squares, i, j)
        if found < least:
            best, least = i, found
    return best, least


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
            total = (sums[0, j] - sums[0, i]) + (sums[1, j] - sums[1, i])
            means[q] = centre + total / (rows[j] - rows[i])
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
