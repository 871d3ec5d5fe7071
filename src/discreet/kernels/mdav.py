"""A tree of points whose boxes stay tight as points leave, and the nearest and farthest of them.

The points of a leaf lie column by column, so that the distances of all of them are one pass; so
do the boxes of the nodes below a block, so that a block bounds all of them in one pass. A
further column holds the distance of each point from a centre. Nodes are numbered from the root,
level by level: first the blocks, then the leaves.

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

Floats = NDArray[np.float64]
Labels = NDArray[np.intp]

WIDTH = 16
"""How many points a leaf holds at most, and how many nodes a block."""

DEEPEST = 16
"""How many levels of blocks there can be: more than there is memory for."""


class Tree(NamedTuple):
    """Points by leaf, boxes by block, and room for a search.

    `points` (leaves, p + 1, WIDTH) are the columns of the points of each leaf, the last their
    distances from the `centre`; `numbers` which point each is, and `sizes` how many of a leaf are
    left: the first. `boxes` (blocks, 2, p + 1, WIDTH) are the least and largest values of each
    column below each node of a block, `below` its first node, and `above` the block of each node,
    -1 for the root. `homes` (points, 2) are the leaf of each point and its place there.
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

    That is what does not depend on x, how far the point is from the centre, and by how much to
    widen.
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
    """Find the nearest points that stand for `k` rows or more, as few as do; count both.

    `near` is the number of a point that is or was close by: its leaf is looked in first. `counts`
    say how many rows each point stands for. `found` has room for k + 1 points and is set: the worst
    first, the others in no order.
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


ROWS, GROUPS, LOOKED = 0, 1, 2


class Left(NamedTuple):
    """What is left to group, and what has been grouped.

    `tree` holds the different rows (`points`) of which some are left; `counts` say how many, `next`
    which is the first, `labels` the group of each row, -1 where there is none yet. `sums` (2, p) is
    the sum of what is left, as a double and the double of what that leaves over. `told` is how many
    rows are left and how many groups made, and how many leaves were looked in for the farthest from
    the centroid since the tree was centred. `found` is room for the nearest.
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

    The tree was centred on the centroid of all rows and stays so.
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
    left: Left, k: int, gamma: float, members: Labels, size: int, others: Labels, gaps: Floats
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
