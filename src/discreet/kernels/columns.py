"""One sorted column: bins, partitions into regions of at least k rows, and k-means.

Partitions take `values` (m different numbers, rising, of a size whose squares are numbers) and
`starts` (m + 1 counts: how many rows have lower values, at last all rows), and never part the
rows of one value. A region or cluster is told by where it begins and ends: [begin, end).

k-means takes three prefix sums of length m + 1, all taken outward from one value amid the column:
`rows`, and the `sums` and `squares` of the values about that one. The latter two are kept as a
number and what it leaves over, (2, m + 1), about 32 digits: of clumps that lie far apart, each
keeps its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

from discreet.kernels.compiled import kernel

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


Function = TypeVar("Function", bound=Callable[..., object])


def inlined(function: Function) -> Function:
    """Write out `function` where it is called, which matters where that is for every few rows."""
    return cast("Function", numba.njit(inline="always")(function))


# --- optimal: a shortest path over the places where regions may begin ---------------------------


@kernel
def optimal_cuts(values: Floats, starts: Places, k: int) -> Places:
    """Return where the regions of the partition with the least sum of squares begin, but 0.

    There are at least k rows. Regions are followed back from the last.
    """
    best = _best_starts(values, starts, k)
    cuts = np.empty(len(values), dtype=np.intp)
    first, begin = len(cuts), best[-1]
    while begin > 0:
        first -= 1
        cuts[first] = begin
        begin = best[begin]
    return cuts[first:].copy()


@kernel
def _best_starts(values: Floats, starts: Places, k: int) -> Indices:
    """Return for each end of a region where the last region of the best partition begins.

    Ends are worked off in blocks in which every region that may be chosen begins before the
    block. Such a region holds the value just before the block, so sums taken outward from that
    value lose no digits, wherever the column lies and whatever lies far away in it. Within a
    block the best begin rises with the end, as the sum of squares is a Monge cost.
    """
    m = len(values)
    latest = _latest_starts(starts, k)
    best = np.zeros(m + 1, dtype=np.int32)
    cost = np.empty(m + 1)
    block = int(np.searchsorted(starts, k))
    cost[0], cost[1:block] = 0.0, np.inf
    size = 0
    sums, squares, rows = np.empty(0), np.empty(0), np.empty(0)
    while block <= m:
        low = _earliest_start(latest, block)
        end = block + 1
        while end <= m and latest[end] < block:
            end += 1
        if end - low > size:
            size = 2 * (end - low)  # small, so that they stay in the cache
            sums, squares, rows = np.empty(size), np.empty(size), np.empty(size)
        base = np.inf
        for i in range(low, block):
            base = min(base, cost[i])
        for i in range(low, block):
            cost[i] -= base  # only differences matter; those between the best are kept exact
        _sum_outward(values, starts, low, block, end, cost, sums, squares, rows)
        # Every other end first, then those between, whose best begin lies between theirs.
        stride = 1
        while 2 * stride <= end - block:
            stride *= 2
        while stride > 0:
            for j in range(block + stride - 1, end, 2 * stride):
                last = latest[j]
                first = latest[last] + 1 if last >= 0 else 0
                if j - stride >= block:
                    first = max(first, best[j - stride])
                if j + stride < end:
                    last = min(last, best[j + stride])
                sum_above, rows_above = sums[j - low], rows[j - low]
                chosen, least = first, np.inf
                for i in range(first - low, last - low + 1):
                    total = sums[i] + sum_above
                    found = squares[i] - total * total / (rows[i] + rows_above)
                    if found < least:
                        chosen, least = low + i, found
                best[j], cost[j] = chosen, least + squares[j - low]
            stride //= 2
        block = end
    return best


@kernel
def _latest_starts(starts: Places, k: int) -> Indices:
    """Return for each end the latest begin of a region of k rows; -1 where there is none."""
    latest = np.empty(len(starts), dtype=np.int32)
    place = -1
    for end in range(len(starts)):
        while starts[place + 1] <= starts[end] - k:
            place += 1
        latest[end] = place
    return latest


@inlined
def _earliest_start(latest: Indices, end: int) -> int:
    """Return the earliest begin to look at: a longer region could be cut in two."""
    middle = latest[end]
    return latest[middle] + 1 if middle >= 0 else 0


@inlined
def _sum_outward(
    values: Floats,
    starts: Places,
    low: int,
    block: int,
    end: int,
    cost: Floats,
    sums: Floats,
    squares: Floats,
    rows: Floats,
) -> None:
    """Set sums, sums of squares and rows of [i, block) from `low` on, of [block, j) up to `end`."""
    centre, middle = values[block - 1], starts[block]
    total = square = 0.0
    for i in range(block - 1, low - 1, -1):
        gap = values[i] - centre
        weighted = gap * (starts[i + 1] - starts[i])
        total += weighted
        square += weighted * gap
        sums[i - low], squares[i - low], rows[i - low] = total, cost[i] + square, middle - starts[i]
    sums[block - low] = squares[block - low] = rows[block - low] = 0.0
    total = square = 0.0
    for j in range(block + 1, end):
        gap = values[j - 1] - centre
        weighted = gap * (starts[j] - starts[j - 1])
        total += weighted
        square += weighted * gap
        sums[j - low], squares[j - low], rows[j - low] = total, square, starts[j] - middle


# --- MDAV and V-MDAV: in one dimension the farthest value is always an end ----------------------


@kernel
def mdav_labels(values: Floats, starts: Places, k: int) -> Places:
    """Return the MDAV group of each value, numbered as they are made (see `Mdav`)."""
    m = len(values)
    labels = np.empty(m, dtype=np.intp)
    left, right, made = 0, m, 0
    below, above = 0, m  # where the last group below begins, and where the last above ends
    sums = _added(values, starts, 0, m, 1.0, (0.0, 0.0))
    while starts[right] - starts[left] >= 2 * k:
        rows = starts[right] - starts[left]
        upper = _is_upper_farther(values, left, right, (sums[0] + sums[1]) / rows)
        for turn in range(2):
            if turn == 1:
                if rows < 3 * k or starts[right] - starts[left] < 2 * k:
                    break
                upper = not upper
            place = _reach(starts, left, right, k, upper)
            begin, end = (place, right) if upper else (left, place)
            labels[begin:end] = made
            sums = _added(values, starts, begin, end, -1.0, sums)
            made += 1
            if upper:
                above, right = right, place
            else:
                below, left = left, place
    if starts[right] - starts[left] >= k:
        labels[left:right] = made
    elif left < right:
        mean = _mean(values, starts, left, right)
        labels[left:right] = _nearer(values, starts, labels, below, left, right, above, mean)
    return labels


@kernel
def vmdav_labels(values: Floats, starts: Places, k: int, gamma: float) -> Places:
    """Return the V-MDAV group of each value, numbered as they are made (see `VMdav`)."""
    m = len(values)
    labels = np.empty(m, dtype=np.intp)
    left, right, made = 0, m, 0
    below, above = 0, m
    sums = _added(values, starts, 0, m, 1.0, (0.0, 0.0))
    mean = (sums[0] + sums[1]) / starts[m]
    while starts[right] - starts[left] >= k:
        upper = _is_upper_farther(values, left, right, mean)
        place = _reach(starts, left, right, k, upper)
        place = _reach_near(values, starts, left, right, place, 2 * k - 1, gamma, upper)
        if upper:
            labels[place:right] = made
            above, right = right, place
        else:
            labels[left:place] = made
            below, left = left, place
        made += 1
    for i in range(left, right):  # fewer than k
        labels[i] = _nearer(values, starts, labels, below, left, right, above, values[i])
    return labels


@kernel
def _added(
    values: Floats, starts: Places, begin: int, end: int, sign: float, sums: tuple[float, float]
) -> tuple[float, float]:
    """Add (or take away) the values from `begin` to `end` to a sum, and its error to its error.

    The two are the sum to twice double precision, so that a mean is the rounded true one.
    """
    total, left_over = sums
    for i in range(begin, end):
        term = sign * values[i] * (starts[i + 1] - starts[i])
        new = total + term
        part = new - total
        left_over += (total - (new - part)) + (term - part)
        total = new
    return total, left_over


@kernel
def _is_upper_farther(values: Floats, left: int, right: int, mean: float) -> bool:
    """Say whether the upper end is farther from `mean`; of equally far ends the lower is taken."""
    up, down = values[right - 1] - mean, values[left] - mean
    return bool(up * up > down * down)


@kernel
def _reach(starts: Places, left: int, right: int, k: int, upper: bool) -> int:
    """Return how far a group of k rows reaches inwards from one end of what is left."""
    if upper:
        place = right - 1
        while place > left and starts[right] - starts[place] < k:
            place -= 1
        return place
    place = left + 1
    while place < right and starts[place] - starts[left] < k:
        place += 1
    return place


@kernel
def _reach_near(
    values: Floats,
    starts: Places,
    left: int,
    right: int,
    place: int,
    most: int,
    gamma: float,
    upper: bool,
) -> int:
    """Return how far a group reaches that values join which are near to it, up to `most` rows."""
    step = -1 if upper else 1
    first = right if upper else left
    while left < place < right:
        joins = place - 1 if upper else place
        inward = abs(values[joins] - values[joins - step])
        beyond = joins + step
        outward = abs(values[beyond] - values[joins]) if left <= beyond < right else np.inf
        if abs(starts[place + step] - starts[first]) > most or not inward < gamma * outward:
            break
        place += step
    return place


@kernel
def _mean(values: Floats, starts: Places, begin: int, end: int) -> float:
    sums = _added(values, starts, begin, end, 1.0, (0.0, 0.0))
    return (sums[0] + sums[1]) / float(starts[end] - starts[begin])


@kernel
def _nearer(
    values: Floats,
    starts: Places,
    labels: Places,
    below: int,
    left: int,
    right: int,
    above: int,
    point: float,
) -> int:
    """Return which of the groups [below, left) and [right, above) is nearer to `point`.

    Of equally near ones it is the one made first; one of them may not be there.
    """
    if left == 0:
        return _made_first(values, labels, right, 1)
    if right == len(values):
        return _made_first(values, labels, left - 1, -1)
    down = point - _mean(values, starts, below, left)
    up = _mean(values, starts, right, above) - point
    lower = _made_first(values, labels, left - 1, -1)
    upper = _made_first(values, labels, right, 1)
    if down == up:
        return min(lower, upper)
    return lower if down < up else upper


@kernel
def _made_first(values: Floats, labels: Places, place: int, step: int) -> int:
    """Return the group at `place`, or the first made of those with its mean, outward from there.

    Only groups of one value alone have the same mean.
    """
    value, found = values[place], labels[place]
    while 0 <= place < len(values) and values[place] == value:
        beyond = place + step
        if not 0 <= beyond < len(values) or labels[beyond] != labels[place]:
            found = labels[place]
        place = beyond
    return int(found)


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

    It ends after `most` rounds, or before one that would leave a cluster empty or not lower the
    cost.
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
