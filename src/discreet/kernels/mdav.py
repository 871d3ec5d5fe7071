"""MDAV and V-MDAV on rows in canonical order, some steps at a time.

Equal rows follow one another in canonical order, so they are one point that stands for several
rows, and the first of them goes first.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.compiled import kernel
from discreet.kernels.tree import Found, Tree, farthest, nearest, plant, recentre, remove

__all__ = ["Left", "mdav_steps", "rows_left", "sow", "vmdav_steps"]

Floats = NDArray[np.float64]
Labels = NDArray[np.intp]

ROWS, GROUPS, LOOKED = 0, 1, 2


class Left(NamedTuple):
    """What is left to group, and what has been grouped.

    Parameters
    ----------
    tree : Tree
        The different rows of which some are left.
    points : ndarray of shape (m, p)
        The different rows.
    counts, next : ndarrays of int, of shape (m,)
        How many rows like it are left, and the first of them.
    labels : ndarray of int, of shape (n,)
        The group of each row; -1 where there is none yet.
    sums : ndarray of shape (2, p)
        The sum of what is left, as a double and the double of what that leaves over.
    told : ndarray of int, of shape (3,)
        How many rows are left and how many groups made; how many leaves were looked in for the
        farthest from the centroid since the tree was centred.
    found : Found
        Room for the nearest.
    """

    tree: Tree
    points: Floats
    counts: Labels
    next: Labels
    labels: Labels
    sums: Floats
    told: Labels
    found: Found


def rows_left(left: Left) -> int:
    """Return how many rows have no group yet."""
    return int(left.told[ROWS])


@kernel
def sow(rows: Floats, k: int) -> Left:
    """Return what is left at the start: all of `rows`, which are in canonical order."""
    n, p = rows.shape
    first = np.empty(n, dtype=np.intp)
    m = 0
    for i in range(n):
        new = i == 0
        for j in range(p):
            new = new or rows[i, j] != rows[i - 1, j]
        if new:
            first[m] = i
            m += 1
    points = np.empty((m, p))
    counts = np.empty(m, dtype=np.intp)
    sums = np.zeros((2, p))
    for number in range(m):
        end = first[number + 1] if number + 1 < m else n
        counts[number] = end - first[number]
        for j in range(p):
            points[number, j] = rows[first[number], j]
            for _ in range(counts[number]):
                _add(sums, j, points[number, j])
    tree = plant(points)
    told = np.array([n, 0, 0])
    labels = np.full(n, -1)
    found = Found(np.empty(k + 1), np.empty(k + 1, dtype=np.intp))
    left = Left(tree, points, counts, first[:m].copy(), labels, sums, told, found)
    recentre(tree, _centroid(left))
    return left


@kernel
def mdav_steps(left: Left, k: int, enough: int) -> None:
    """Make groups until no more than `enough` rows are left; for 0, all groups."""
    told, points, tree = left.told, left.points, left.tree
    while told[ROWS] >= 2 * k and told[ROWS] > enough:
        centroid = _centroid(left)
        far, looked = farthest(tree, centroid)
        told[LOOKED] += looked
        if told[LOOKED] > tree.sizes.size:  # as much work as to centre the tree
            told[LOOKED] = 0
            recentre(tree, centroid)
        both = told[ROWS] >= 3 * k
        _group(left, far, k)
        if both:
            _group(left, farthest(tree, points[far])[0], k)
    if told[ROWS] < 2 * k and told[ROWS] > enough:
        for number in range(left.counts.size):
            for i in range(left.counts[number]):
                left.labels[left.next[number] + i] = told[GROUPS]
        told[ROWS] = 0
        told[GROUPS] += 1


@kernel
def vmdav_steps(left: Left, k: int, gamma: float, enough: int) -> None:
    """Make groups until no more than `enough` rows are left; for 0, until fewer than k are.

    The tree was centred on the centroid of all rows and stays so. Rows left at last have no
    group yet.
    """
    tree, told = left.tree, left.told
    members = np.empty(2 * k, dtype=np.intp)
    others, gaps = np.empty(2 * k, dtype=np.intp), np.empty(2 * k)
    while told[ROWS] >= k and told[ROWS] > enough:
        far = farthest(tree, tree.centre)[0]
        size, rows = nearest(tree, left.points[far], far, left.counts, k, left.found)
        members[:size] = left.found.numbers[:size]
        _take(left, size, rows - k)
        if gamma > 0.0:
            _extend(left, k, gamma, members, size, others, gaps)
        told[GROUPS] += 1


@kernel
def _extend(
    left: Left,
    k: int,
    gamma: float,
    members: Labels,
    size: int,
    others: Labels,
    gaps: Floats,
) -> None:
    """Let rows join the group that is being made, as long as they are much nearer to it.

    `members` are its points; `others` and `gaps` are room for the nearest that is left to each
    of them. As rows only leave, such a nearest stays the nearest until it leaves itself.
    """
    told, counts = left.told, left.counts
    for i in range(size):
        _look_around(left, members, i, others, gaps)
    joined = 0
    while joined < k - 1 and told[ROWS] > 0:
        best = 0
        for i in range(1, size):
            if gaps[i] < gaps[best] or (gaps[i] == gaps[best] and others[i] < others[best]):
                best = i
        if counts[others[best]] == 0:
            _look_around(left, members, best, others, gaps)
            continue
        one = others[best]
        outward = np.inf  # where nothing else is left
        if counts[one] > 1:
            outward = 0.0
        elif told[ROWS] > 1:
            nearest(left.tree, left.points[one], one, counts, 2, left.found)
            outward = math.sqrt(left.found.gaps[0])
        if not math.sqrt(gaps[best]) < gamma * outward:
            break
        left.found.numbers[0] = one
        _take(left, 1, counts[one] - 1)
        members[size] = one
        if told[ROWS] > 0:
            _look_around(left, members, size, others, gaps)
        size += 1
        joined += 1


@kernel
def _look_around(left: Left, members: Labels, i: int, others: Labels, gaps: Floats) -> None:
    """Find the nearest that is left to a member."""
    number = members[i]
    nearest(left.tree, left.points[number], number, left.counts, 1, left.found)
    others[i], gaps[i] = left.found.numbers[0], left.found.gaps[0]


@kernel
def _group(left: Left, number: int, k: int) -> None:
    """Make a group of a point and its nearest."""
    size, rows = nearest(left.tree, left.points[number], number, left.counts, k, left.found)
    _take(left, size, rows - k)
    left.told[GROUPS] += 1


@kernel
def _take(left: Left, size: int, spare: int) -> None:
    """Put the first rows of the points found in the group that is being made.

    `size` points were found; of the first of them `spare` rows are left over.
    """
    points, counts, following, labels = left.points, left.counts, left.next, left.labels
    those, sums, told = left.found.numbers, left.sums, left.told
    empty = 0
    for i in range(size):
        number = those[i]
        stay = spare if i == 0 else 0
        while counts[number] > stay:
            labels[following[number]] = told[GROUPS]
            following[number] += 1
            counts[number] -= 1
            told[ROWS] -= 1
            for j in range(points.shape[1]):
                _add(sums, j, -points[number, j])
        if stay == 0:
            those[empty] = number
            empty += 1
    remove(left.tree, those, empty)


@kernel
def _centroid(left: Left) -> Floats:
    """Return the centroid of what is left."""
    centroid = np.empty(left.points.shape[1])
    for j in range(centroid.size):
        centroid[j] = left.sums[0, j] / left.told[ROWS]
    return centroid


@kernel
def _add(sums: Floats, j: int, value: float) -> None:
    """Add to a sum that is kept to twice double precision (Knuth's two-sum)."""
    high = sums[0, j] + value
    back = high - sums[0, j]
    low = (sums[0, j] - (high - back)) + (value - back) + sums[1, j]
    sums[0, j] = high + low
    sums[1, j] = low - (sums[0, j] - high)
