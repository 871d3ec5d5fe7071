"""The nearest and the farthest points of a tree, exactly.

Distances are squared and summed in the order of the columns, and compared as they are; of equal
ones the point of the lowest number counts. The bounds that boxes give are sums of no smaller (or
no larger) terms in the same order, so rounding cannot put them on the wrong side. For the
farthest, the sphere around the centre of the tree, cut by the box, is a better bound than the
corner of the box; such bounds are widened. Nothing is left out of a search but what its bound
rules out strictly.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.compiled import kernel
from discreet.kernels.tree import WIDTH, Tree, extreme_box, measure

__all__ = ["Found", "farthest", "nearest"]

Floats = NDArray[np.float64]
Labels = NDArray[np.intp]

WIDER = 1e-12
"""How much bounds from the sphere are widened: far more than they are rounded."""


class Found(NamedTuple):
    """The nearest points found: a heap of their squared distances and numbers, worst first."""

    gaps: Floats
    numbers: Labels


# --- bounds -----------------------------------------------------------------------------------


@kernel
def _near(boxes: Floats, block: int, point: Floats, gaps: Floats) -> None:
    """Set a lower bound of the squared distances below each node; infinite where nothing is."""
    size = gaps.size
    for i in range(size):
        gaps[i] = 0.0
    for j in range(point.size):
        at = point[j]
        for i in range(size):
            gap = max(max(boxes[block, 0, j, i] - at, at - boxes[block, 1, j, i]), 0.0)
            gaps[i] += gap * gap


@kernel
def _far(
    boxes: Floats,
    block: int,
    point: Floats,
    away: Floats,
    shift: float,
    reach: float,
    slack: float,
    gaps: Floats,
    other: Floats,
) -> None:
    """Set an upper bound of the squared distances below each node; -1 where nothing is.

    `away` is the point less the centre, the numbers are what `_sphere` returns. With x seen from
    the centre, |x - away|² = |x|² - 2 x·away + |away|²: the first is bounded by the sphere, the
    second by the box.
    """
    size, p = gaps.size, point.size
    for i in range(size):
        gaps[i] = 0.0
        other[i] = shift
    for j in range(p):
        at, turn = point[j], -2.0 * away[j]
        for i in range(size):
            low, high = boxes[block, 0, j, i], boxes[block, 1, j, i]
            gap = max(at - low, high - at)
            gaps[i] += gap * gap
            other[i] += max(low * turn, high * turn)
    for i in range(size):
        radius = boxes[block, 1, p, i]
        cut = radius * radius + other[i]
        whole = (radius + reach) * (radius + reach)
        bound = (cut if cut < whole else whole) + slack
        bound = bound if bound < gaps[i] else gaps[i]
        gaps[i] = bound if radius >= 0.0 else -1.0


@kernel
def _sphere(tree: Tree, point: Floats) -> tuple[float, float, float]:
    """Set `tree.away` and return what of the bounds is the same for all nodes.

    That is what does not depend on x, the distance of the point from the centre, and by how much
    bounds are widened.
    """
    inside, outside, centre = 0.0, 0.0, 0.0
    for j in range(point.size):
        gap = point[j] - tree.centre[j]
        tree.away[j] = gap
        outside += gap * gap
        inside += gap * tree.centre[j]
        centre += tree.centre[j] * tree.centre[j]
    reach = math.sqrt(outside)
    whole = extreme_box(tree.boxes, 0, 1, point.size) + reach + math.sqrt(centre)
    return outside + 2.0 * inside, reach, WIDER * whole * whole


# --- searching --------------------------------------------------------------------------------


@kernel
def farthest(tree: Tree, point: Floats) -> tuple[int, int]:
    """Return the first of the points farthest from `point`, and how many leaves were looked in.

    The number is -1 where no point is left.
    """
    points, numbers, sizes = tree.points, tree.numbers, tree.sizes
    boxes, below, away = tree.boxes, tree.below, tree.away
    room, other, bounds, nodes = tree.room, tree.other, tree.bounds, tree.nodes
    blocks = below.size
    shift, reach, slack = _sphere(tree, point)
    best, found, looked = 0.0, -1, 0
    nodes[0], bounds[0], depth = 0, np.inf, 1
    while depth:
        depth -= 1
        node = nodes[depth]
        if bounds[depth] < best:
            continue
        if node < blocks:
            _far(boxes, node, point, away, shift, reach, slack, room, other)
            base = depth
            for i in range(WIDTH):
                if room[i] >= best:  # the farthest on top
                    depth = _stack(nodes, bounds, base, depth, below[node] + i, room[i])
            continue
        looked += 1
        leaf = node - blocks
        measure(points, leaf, point, room)
        for i in range(sizes[leaf]):
            gap = room[i]
            if gap > best or (gap == best and (found < 0 or numbers[leaf, i] < found)):
                best, found = gap, numbers[leaf, i]
    return found, looked


@kernel
def nearest(
    tree: Tree, point: Floats, near: int, counts: Labels, k: int, found: Found
) -> tuple[int, int]:
    """Find the nearest points that stand for `k` rows or more, as few as do.

    Parameters
    ----------
    tree, point
        Where, and from what.
    near : int
        The number of a point that is or was close by: its leaf is looked in first.
    counts : ndarray of int, of shape (points,)
        How many rows each point stands for.
    k : int
        How many rows.
    found : Found
        Room for k + 1 points, which is set: the worst first, the others in no order.

    Returns
    -------
    tuple of int
        How many points were found, and how many rows they stand for.
    """
    points, numbers, sizes = tree.points, tree.numbers, tree.sizes
    boxes, below, room, bounds, nodes = tree.boxes, tree.below, tree.room, tree.bounds, tree.nodes
    gaps, those = found.gaps, found.numbers
    blocks = below.size
    first = tree.homes[near, 0] + blocks
    size, rows, limit = 0, 0, np.inf
    nodes[0], bounds[0], nodes[1], bounds[1], depth = 0, 0.0, first, 0.0, 2
    done = False
    while depth:
        depth -= 1
        node = nodes[depth]
        if bounds[depth] > limit or (node == first and done):
            continue
        if node < blocks:
            _near(boxes, node, point, room)
            base = depth
            for i in range(WIDTH):
                if room[i] <= limit and room[i] < np.inf:  # the nearest on top
                    depth = _stack(nodes, bounds, base, depth, below[node] + i, -room[i])
            for i in range(base, depth):
                bounds[i] = -bounds[i]
            continue
        done = True
        leaf = node - blocks
        measure(points, leaf, point, room)
        for i in range(sizes[leaf]):
            gap, number = room[i], numbers[leaf, i]
            if gap < limit or (gap == limit and (rows < k or number < those[0])):
                size, rows = _offer(gaps, those, size, rows, gap, number, counts, k)
                limit = gaps[0] if rows >= k else np.inf
    return size, rows


@kernel
def _stack(nodes: Labels, bounds: Floats, base: int, depth: int, node: int, bound: float) -> int:
    """Put a node among those from `base` on, by rising bound."""
    at = depth
    while at > base and bounds[at - 1] > bound:
        nodes[at], bounds[at] = nodes[at - 1], bounds[at - 1]
        at -= 1
    nodes[at], bounds[at] = node, bound
    return depth + 1


@kernel
def _offer(
    gaps: Floats,
    those: Labels,
    size: int,
    rows: int,
    gap: float,
    number: int,
    counts: Labels,
    k: int,
) -> tuple[int, int]:
    """Put a point in the heap, and let the worst go that are not needed for `k` rows."""
    enough = rows >= k  # so the new point is not the worst
    rows += counts[number]
    if enough and rows - counts[those[0]] >= k:  # in place of the worst
        rows -= counts[those[0]]
        _sink(gaps, those, size, gap, number)
    else:
        at = size
        while at and _worse(gap, number, gaps[(at - 1) // 2], those[(at - 1) // 2]):
            gaps[at], those[at] = gaps[(at - 1) // 2], those[(at - 1) // 2]
            at = (at - 1) // 2
        gaps[at], those[at] = gap, number
        size += 1
    while rows - counts[those[0]] >= k:
        rows -= counts[those[0]]
        size -= 1
        _sink(gaps, those, size, gaps[size], those[size])
    return size, rows


@kernel
def _sink(gaps: Floats, those: Labels, size: int, gap: float, number: int) -> None:
    """Put a point in place of the worst of a heap."""
    at = 0
    while 2 * at + 1 < size:
        under = 2 * at + 1
        if under + 1 < size and _worse(
            gaps[under + 1], those[under + 1], gaps[under], those[under]
        ):
            under += 1
        if not _worse(gaps[under], those[under], gap, number):
            break
        gaps[at], those[at] = gaps[under], those[under]
        at = under
    gaps[at], those[at] = gap, number


@kernel
def _worse(a: float, number_a: int, b: float, number_b: int) -> bool:
    """Return whether a point is farther away than another, or as far and later."""
    return a > b or (a == b and number_a > number_b)
