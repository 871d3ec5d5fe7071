"""The search tree of the ANN library, as R's RANN and FNN build it and walk through it.

A box is cut at the middle of a long side, or at the outermost point where all lie on one side.
Of points that are equally near the first that is met stays, so which they are hangs on the order
of the rows and on the last bits of their numbers. It is for doing again what R did, no more.

Mount and Arya, "ANN: a library for approximate nearest neighbor searching", version 1.1.2: the
sliding midpoint rule for a kd-tree with one point a leaf, searched exactly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.compiled import kernel

Floats = NDArray[np.float64]
Labels = NDArray[np.intp]

LONG = 0.999
"""A side counts as long from this share of the longest on."""


class Boxes(NamedTuple):
    """A tree: for each cut its axis, its place, and the ends of its box along that axis.

    `below` and `above` are the cuts on either side of it; a point is -1 less its number.
    """

    axis: Labels
    cut: Floats
    low: Floats
    high: Floats
    below: Labels
    above: Labels


@kernel
def _swapped(values: Floats, rows: Labels, start: int, cut: float, also: bool) -> int:
    """Move rows below `cut`, or at it `also`, to the front from `start` on; return their end."""
    left, right = start, len(rows) - 1
    while True:
        while left < len(rows) and (
            values[rows[left]] < cut or (also and values[rows[left]] == cut)
        ):
            left += 1
        while right >= start and not (
            values[rows[right]] < cut or (also and values[rows[right]] == cut)
        ):
            right -= 1
        if left > right:
            return left
        rows[left], rows[right] = rows[right], rows[left]
        left += 1
        right -= 1


@kernel
def _axis_of(points: Floats, rows: Labels, bounds: Floats) -> int:
    """Return the long side of a box along which its points are spread most."""
    longest = (bounds[1] - bounds[0]).max()
    found, most = 0, -1.0
    for axis in range(points.shape[1]):
        if bounds[1, axis] - bounds[0, axis] >= LONG * longest:
            values = points[:, axis][rows]
            spread = values.max() - values.min()
            if spread > most:
                found, most = axis, spread
    return found


@kernel
def _divide(values: Floats, rows: Labels, low: float, high: float) -> tuple[float, int]:
    """Return where rows are cut, and how many go below; they are put in order for it."""
    inside = values[rows]
    least, most, middle = inside.min(), inside.max(), (low + high) / 2
    cut = min(max(middle, least), most)
    below = _swapped(values, rows, 0, cut, False)
    upto = _swapped(values, rows, below, cut, True)
    if middle < least:
        return cut, 1
    if middle > most:
        return cut, len(rows) - 1
    return cut, min(max(len(rows) // 2, below), upto)


@kernel
def _boxes(points: Floats) -> Boxes:
    """Return the tree of at least two points."""
    n, p = points.shape
    rows = np.arange(n)
    axis, below, above = np.empty(n, np.intp), np.empty(n, np.intp), np.empty(n, np.intp)
    cut, low, high = np.empty(n), np.empty(n), np.empty(n)
    starts, ends = np.empty(n, np.intp), np.empty(n, np.intp)
    bounds = np.empty((n, 2, p))
    for j in range(p):
        bounds[0, 0, j], bounds[0, 1, j] = points[:, j].min(), points[:, j].max()
    starts[0], ends[0] = 0, n
    made = 1
    for node in range(n - 1):  # of n points there are n - 1 cuts
        start, end = starts[node], ends[node]
        part = rows[start:end]
        along = _axis_of(points, part, bounds[node])
        low[node], high[node] = bounds[node, 0, along], bounds[node, 1, along]
        cut[node], size = _divide(points[:, along], part, low[node], high[node])
        axis[node] = along
        for side in range(2):
            first = start + side * size
            last = end if side else start + size
            if last - first == 1:
                child = -1 - rows[first]
            else:
                child = made
                starts[child], ends[child] = first, last
                bounds[child] = bounds[node]
                bounds[child, 1 - side, along] = cut[node]
                made += 1
            if side:
                above[node] = child
            else:
                below[node] = child
    return Boxes(axis, cut, low, high, below, above)


@kernel
def _nearest(
    tree: Boxes, points: Floats, at: Floats, near: Labels, gaps: Floats, nodes: Labels, away: Floats
) -> None:
    """Fill `near` with the nearest points, and `gaps` with their squared distances.

    `nodes` and `away` are room for the parts that are still to be looked at.
    """
    k, held, waiting = len(near), 0, 1
    nodes[0], away[0] = 0, 0.0
    while waiting:
        waiting -= 1
        node, far = nodes[waiting], away[waiting]
        if held == k and not far < gaps[k - 1]:
            continue
        while node >= 0:  # to the nearer side first
            mine, cut = at[tree.axis[node]], tree.cut[node]
            beyond = mine - cut
            if beyond < 0:
                here, there = tree.below[node], tree.above[node]
                outside = tree.low[node] - mine
            else:
                here, there = tree.above[node], tree.below[node]
                outside = mine - tree.high[node]
            nodes[waiting] = there
            away[waiting] = far + (beyond * beyond - max(outside, 0.0) ** 2)
            waiting += 1
            node = here
        row, gap = -1 - node, 0.0
        for j in range(len(at)):
            gap += (at[j] - points[row, j]) * (at[j] - points[row, j])
        place = held
        while place and gaps[place - 1] > gap:
            place -= 1
        if place == k:
            continue
        held = min(held + 1, k)
        for later in range(held - 1, place, -1):
            near[later], gaps[later] = near[later - 1], gaps[later - 1]
        near[place], gaps[place] = row, gap


@kernel
def centroids_by_tree(values: Floats, points: Floats, k: int) -> Floats:
    """Return the mean of the rows of `values` whose `points` are the k nearest, for each row."""
    n = len(points)
    out = np.zeros(values.shape)
    if n == 1:
        return values.copy()
    tree = _boxes(points)
    near, gaps = np.empty(k, np.intp), np.empty(k)
    nodes, away = np.empty(n, np.intp), np.empty(n)
    for row in range(n):
        _nearest(tree, points, points[row], near, gaps, nodes, away)
        for other in near:
            out[row] += values[other]
        out[row] /= k
    return out
