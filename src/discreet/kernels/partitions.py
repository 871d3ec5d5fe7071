"""Partitions of one sorted column into regions of at least k rows.

Every kernel takes `values` (m different numbers, rising, of a size whose squares are numbers) and
`starts` (m + 1 counts: how many rows have lower values, at last all rows), and never parts the
rows of one value. Who wants equal rows parted gives each row as a value of its own. A region is
told by where it begins and ends among the values: [begin, end).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

from discreet.kernels.compiled import kernel

__all__ = ["mdav_labels", "optimal_cuts", "vmdav_labels"]

Floats = NDArray[np.float64]
Indices = NDArray[np.int32]
Places = NDArray[np.intp]
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
    """Set sums, sums of squares and rows of [i, block) from `low` on, of [block, j) up to `end`.

    All are about the value just before the block, and numbered from `low`.
    """
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
    """Return the MDAV group of each value, numbered in the order in which they are made.

    While 3k rows are left a group is taken from the end farther from their mean, and then, if
    2k are left, one from the other end; of 2k left one more, and the rest is a group. A group
    takes whole values until it holds k rows. If fewer than k rows are left at last, they join
    the group beside them whose mean is nearer to theirs, of equally near ones that made first.
    """
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
    """Return the V-MDAV group of each value, numbered in the order in which they are made.

    While k rows are left a group is taken from the end farther from the mean of all rows, as
    whole values until it holds k rows; then the next value joins, up to 2k - 1 rows, if it is
    nearer to the group than `gamma` times its distance from the value after it, or the last one
    left. Each value left at last joins the group whose mean, as it was made, is nearer (of
    equally near groups the one made first).
    """
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

    The two together are the sum to twice double precision, so that a mean is the rounded true
    one, whichever values have left and when.
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
