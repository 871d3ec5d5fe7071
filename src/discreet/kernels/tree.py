"""A tree of points whose boxes stay tight as points leave.

The points of a leaf lie column by column, so that the distances of all of them are one pass; so
do the boxes of the nodes below a block, so that a block bounds all of them in one pass. A
further column holds the distance of each point from a centre.

Nodes are numbered from the root, level by level: first the blocks, then the leaves.

Numba keeps what it compiled of a module until that file changes: who changes this one must touch
those that use it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.compiled import kernel

__all__ = ["WIDTH", "Tree", "extreme_box", "measure", "plant", "recentre", "remove"]

Floats = NDArray[np.float64]
Labels = NDArray[np.intp]

WIDTH = 16
"""How many points a leaf holds at most, and how many nodes a block."""

DEEPEST = 16
"""How many levels of blocks there can be: more than there is memory for."""


class Tree(NamedTuple):
    """Points by leaf, boxes by block, and room for a search.

    Parameters
    ----------
    points : ndarray of shape (leaves, p + 1, WIDTH)
        The columns of the points of each leaf; the last: their distances from the centre.
    numbers : ndarray of int, of shape (leaves, WIDTH)
        Which point each is.
    sizes : ndarray of int, of shape (leaves,)
        How many points of a leaf are left; they are the first.
    boxes : ndarray of shape (blocks, 2, p + 1, WIDTH)
        The least and largest values of each column below each node of a block.
    below : ndarray of int, of shape (blocks,)
        The first node of a block; the others follow.
    above : ndarray of int, of shape (blocks + leaves,)
        The block that a node is of; -1 for the root.
    homes : ndarray of int, of shape (points, 2)
        The leaf of each point, and its place there.
    centre : ndarray of shape (p,)
        What the last columns are distances from.
    room, other, away, bounds, nodes : ndarrays
        For what is computed on the way.
    """

    points: Floats
    numbers: Labels
    sizes: Labels
    boxes: Floats
    below: Labels
    above: Labels
    homes: Labels
    centre: Floats
    room: Floats
    other: Floats
    away: Floats
    bounds: Floats
    nodes: Labels


# --- planting ---------------------------------------------------------------------------------


@kernel
def plant(points: Floats) -> Tree:
    """Return a tree of `points` (m rows, p columns), without boxes: recentre it first."""
    m, p = points.shape
    leaves = 1
    while leaves * WIDTH < m:
        leaves *= 2
    order, starts = _divided(points, leaves)
    held = np.zeros((leaves, p + 1, WIDTH))
    numbers = np.zeros((leaves, WIDTH), dtype=np.intp)
    homes = np.empty((m, 2), dtype=np.intp)
    for leaf in range(leaves):
        for place in range(starts[leaf + 1] - starts[leaf]):
            number = order[starts[leaf] + place]
            numbers[leaf, place] = number
            homes[number, 0], homes[number, 1] = leaf, place
            for j in range(p):
                held[leaf, j, place] = points[number, j]
    below, above = _numbered(leaves)
    boxes = np.empty((below.size, 2, p + 1, WIDTH))
    boxes[:, 0], boxes[:, 1] = np.inf, -np.inf
    return Tree(
        held,
        numbers,
        np.diff(starts),
        boxes,
        below,
        above,
        homes,
        np.empty(p),
        np.empty(WIDTH),
        np.empty(WIDTH),
        np.empty(p),
        np.empty(DEEPEST * WIDTH),
        np.empty(DEEPEST * WIDTH, dtype=np.intp),
    )


@kernel
def _numbered(leaves: int) -> tuple[Labels, Labels]:
    """Return the first node of each block, and the block of each node."""
    blocks, level = 0, leaves
    while level > 1 or blocks == 0:
        level = (level + WIDTH - 1) // WIDTH
        blocks += level
    below = np.empty(blocks, dtype=np.intp)
    above = np.full(blocks + leaves, -1)
    start, level = blocks, leaves
    while start > 0:
        over = (level + WIDTH - 1) // WIDTH
        for node in range(level):
            above[start + node] = start - over + node // WIDTH
        for block in range(over):
            below[start - over + block] = start + block * WIDTH
        start -= over
        level = over
    return below, above


@kernel
def _divided(points: Floats, leaves: int) -> tuple[Labels, Labels]:
    """Halve the points again and again across their widest column; return order and starts."""
    m, p = points.shape
    order = np.arange(m)
    keys = np.empty(m)
    ends = np.zeros(2 * leaves, dtype=np.intp)  # of halves, numbered from 1, those of i: 2i, 2i+1
    ends[1] = m
    low, high = np.empty(p), np.empty(p)
    start, half = 0, 1
    while start < m:
        end = ends[half]
        if half >= leaves:  # a leaf; go on with the next half that has not been divided
            start = end
            while half % 2:
                half //= 2
            half += 1
            continue
        low[:], high[:] = np.inf, -np.inf
        for i in range(start, end):
            for j in range(p):
                value = points[order[i], j]
                low[j] = value if value < low[j] else low[j]
                high[j] = value if value > high[j] else high[j]
        widest = np.argmax(high - low)
        for i in range(start, end):
            keys[i] = points[order[i], widest]
        middle = (start + end) // 2
        _halve(keys, order, start, end, middle)
        ends[2 * half], ends[2 * half + 1] = middle, end
        half *= 2
    starts = np.zeros(leaves + 1, dtype=np.intp)
    starts[1:] = ends[leaves:]
    return order, starts


@kernel
def _halve(keys: Floats, order: Labels, start: int, end: int, middle: int) -> None:
    """Put the lower keys before `middle` and the others from there on, `order` with them."""
    while end - start > 1:
        a, b, c = keys[start], keys[(start + end) // 2], keys[end - 1]
        pivot = max(min(a, b), min(max(a, b), c))
        lower = _parted(keys, order, start, end, pivot, False)
        if middle < lower:
            end = lower
        else:
            start = _parted(keys, order, lower, end, pivot, True)
            if middle < start:  # it lies among those equal to the pivot
                end = start


@kernel
def _parted(keys: Floats, order: Labels, start: int, end: int, pivot: float, equal: bool) -> int:
    """Put keys below the pivot (or equal to it too) first; return where the others begin."""
    place = start
    for i in range(start, end):  # always swapped, so that no branch is guessed wrongly
        key, number = keys[i], order[i]
        keys[i], order[i] = keys[place], order[place]
        keys[place], order[place] = key, number
        place += int(key < pivot or (equal and key == pivot))
    return place


@kernel
def recentre(tree: Tree, centre: Floats) -> None:
    """Measure distances from another centre, and make all boxes anew."""
    points, sizes, boxes, below, above = tree.points, tree.sizes, tree.boxes, tree.below, tree.above
    p, blocks = centre.size, below.size
    tree.centre[:] = centre
    for node in range(above.size - 1, 0, -1):
        block = above[node]
        place = node - below[block]
        leaf = node - blocks
        if leaf >= 0:
            measure(points, leaf, centre, tree.room)
            for i in range(WIDTH):
                points[leaf, p, i] = math.sqrt(tree.room[i])
        for j in range(p + 1):
            for side in range(2):
                if leaf >= 0:
                    value = _extreme_point(points, sizes, leaf, side, j)
                else:
                    value = extreme_box(boxes, node, side, j)
                boxes[block, side, j, place] = value


# --- letting go -------------------------------------------------------------------------------


@kernel
def remove(tree: Tree, those: Labels, size: int) -> None:
    """Take the first `size` of those points out of the tree; boxes become tight again."""
    points, sizes, numbers, homes = tree.points, tree.sizes, tree.numbers, tree.homes
    boxes, below, above = tree.boxes, tree.below, tree.above
    for t in range(size):
        leaf, place = homes[those[t], 0], homes[those[t], 1]
        sizes[leaf] -= 1
        last = sizes[leaf]
        numbers[leaf, place] = numbers[leaf, last]
        homes[numbers[leaf, place], 1] = place
        for j in range(points.shape[1]):
            gone = points[leaf, j, place]
            points[leaf, j, place] = points[leaf, j, last]
            for side in range(2):
                # Pull in the boxes as far up as this point held them out.
                node, block = leaf + below.size, above[leaf + below.size]
                held, value = boxes[block, side, j, node - below[block]] == gone, gone
                if held:
                    value = _extreme_point(points, sizes, leaf, side, j)
                while held and value != gone:
                    boxes[block, side, j, node - below[block]] = value
                    node, block = block, above[block]
                    held = block >= 0 and boxes[block, side, j, node - below[block]] == gone
                    if held:
                        value = extreme_box(boxes, node, side, j)


@kernel
def _extreme_point(points: Floats, sizes: Labels, leaf: int, side: int, j: int) -> float:
    """Return the least (side 0) or largest (side 1) value of a column of a leaf."""
    low, high = np.inf, -np.inf
    for i in range(sizes[leaf]):
        value = points[leaf, j, i]
        low = value if value < low else low
        high = value if value > high else high
    return high if side else low


@kernel
def extreme_box(boxes: Floats, block: int, side: int, j: int) -> float:
    """Return the least (side 0) or largest (side 1) value of a column below a block."""
    low, high = np.inf, -np.inf
    for i in range(WIDTH):
        value = boxes[block, side, j, i]
        low = value if value < low else low
        high = value if value > high else high
    return high if side else low


# --- distances --------------------------------------------------------------------------------


@kernel
def measure(points: Floats, leaf: int, point: Floats, gaps: Floats) -> None:
    """Set the squared distances of the points of a leaf."""
    size = gaps.size  # a number not known when this is compiled makes one vectorised loop
    for i in range(size):
        gaps[i] = 0.0
    for j in range(point.size):
        at = point[j]
        for i in range(size):
            gap = points[leaf, j, i] - at
            gaps[i] += gap * gap
