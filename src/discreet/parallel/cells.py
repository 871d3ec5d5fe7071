"""Clusters of whole cells, which are all that a guarded view of parallel coordinates tells."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import check_whole
from discreet.errors import BrokenPromiseError, InputError, RefusedError, one_of
from discreet.parallel.diversity import Joins
from discreet.parallel.pixels import KINDS, TRIED, Seeding, bins_of_grid, choose_seeding, whole_grid

Whole = NDArray[np.int64]
Numbers = NDArray[np.integer]
Labels = NDArray[np.intp]
Box = tuple[int, int, int, int]  # left low, left high, right low, right high: half-open cells
Cell = tuple[int, int]

TAKEN = np.int64(1 << 60)  # no cell costs as much
NOWHERE = -1


@dataclass(frozen=True, eq=False)
class CellClusters:
    """The clusters of a pair of axes.

    `boxes` are (left low, left high, right low, right high) in cells, half-open, sorted, none
    twice; none where nothing may be shown. `cluster_of`, of the shape of the counts, is the box of
    each occupied cell, and -1 where nobody is; it is not to be shown.
    """

    boxes: tuple[Box, ...]
    cluster_of: Labels = field(repr=False)

    def __post_init__(self) -> None:
        self.cluster_of.setflags(write=False)


def cluster_cells(
    counts: Numbers, k: int, *, kinds: tuple[str, str], edges: tuple[Numbers, Numbers]
) -> CellClusters:
    """Cluster the cells of a pair of axes so that every cluster holds at least k people.

    Parameters
    ----------
    counts : array of int, shape (c, d)
        Persons in each cell of the left axis (rows) and the right one (columns). Each row and
        column should hold at least k people, or nobody, in the data at large.
    k : int
        The least number of people in a cluster; at least 2. If there are fewer in all, it is
        refused.
    kinds : (str, str)
        "continuous" or "categorical", for each axis.
    edges : (array of int, shape (c + 1,), array of int, shape (d + 1,))
        The pixels between which the cells of each axis lie; increasing.

    Notes
    -----
    A variant of sections 4.1 and 4.2 of the paper (`discreet.parallel`). A cell of k people or more
    is a cluster of its own; what is left is clustered as records are, with cells in their place. Of
    the two ways to grow, the one is taken that leaves the average person the smaller box. Clusters
    with the same box are one.

    However many such views are intersected, a person is not narrowed down below one cell of each
    axis, as no box has edges inside of one. So an axis must have the same cells in all its pairs.

    **What it does not protect.** Both outermost cells of each side of a box hold somebody, one
    person or more, and where a box is one cell wide on one axis that is somebody in the very cell
    of the pair (fewer than k, if that cell has no box of its own); cells outside of all boxes hold
    nobody. Of a person in a row nearly all of whose people are in one cluster, one learns that
    cluster. The views before and after a person is added differ.

    Examples
    --------
    >>> import numpy as np
    >>> edges, kinds = np.array([0, 10, 20, 30]), ("continuous", "continuous")
    >>> counts = np.array([[6, 0, 0], [0, 2, 1], [0, 2, 7]])
    >>> clusters = cluster_cells(counts, 5, kinds=kinds, edges=(edges, edges))
    >>> clusters.boxes
    ((0, 1, 0, 1), (1, 3, 1, 3), (2, 3, 2, 3))
    >>> clusters.cluster_of.tolist()
    [[0, -1, -1], [-1, 1, 1], [-1, 1, 2]]
    """
    grid = whole_grid(counts)
    check_whole("k", k, 2)
    if any(kind not in KINDS for kind in kinds):
        raise InputError(f"the kind of an axis is one of {one_of(KINDS)}")
    between = _edges(edges[0], grid.shape[0], "left"), _edges(edges[1], grid.shape[1], "right")
    if grid.sum() < k:
        raise RefusedError(
            "fewer than k people have a value on both axes; leave one of the axes out, or lower k"
        )
    boxes, of = grow_cells(grid, k, kinds=kinds, edges=between)
    return CellClusters(boxes, of)


def shared(
    triples: Numbers, persons: Numbers, left: CellClusters, right: CellClusters, *, least: int
) -> Joins:
    """Return the pairs of clusters of neighbouring gaps that have `least` people in common.

    Parameters
    ----------
    triples : array of int, shape (t, 3)
        Occupied cells of the left, the shared and the right axis, none twice; in any order.
    persons : array of int, shape (t,)
        How many people each has; at least 0.
    left, right : CellClusters
        The clusters between the left and the shared axis, and between that and the right one.
    least : int
        k, or more; at least 2.

    Notes
    -----
    **What it does not protect.** Where a cluster is lit with one other alone, fewer than `least`
    persons of it are with any other: one guesses that a person of the one is in the other.

    Examples
    --------
    >>> import numpy as np
    >>> gap = CellClusters(((0, 1, 0, 1), (1, 2, 0, 2)), np.array([[0, -1], [1, 1]]))
    >>> triples = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]])
    >>> shared(triples, np.array([5, 2, 3, 9]), gap, gap, least=5)
    ((0, 0), (1, 1))
    """
    check_whole("least", least, 2)
    cells, counts = _triples(triples, persons, left, right)
    if not (left.boxes and right.boxes and len(counts)):
        return ()
    ones = left.cluster_of[cells[:, 0], cells[:, 1]]
    others = right.cluster_of[cells[:, 1], cells[:, 2]]
    if ones.min() < 0 or others.min() < 0:
        raise InputError("a triple is in a cell without a cluster; count the same people")
    pairs, pair_of = np.unique(ones * len(right.boxes) + others, return_inverse=True)
    in_pair = np.zeros(len(pairs), dtype=np.int64)
    np.add.at(in_pair, pair_of, counts)
    lit = pairs[in_pair >= least]
    return tuple(
        zip((lit // len(right.boxes)).tolist(), (lit % len(right.boxes)).tolist(), strict=True)
    )


def check_cells(counts: Numbers, clusters: CellClusters, k: int) -> None:
    """Raise BrokenPromiseError if clusters are not what `cluster_cells` promises.

    Counted again in code of its own, of what that was given and what it returned.
    """
    if clusters.cluster_of.shape != np.asarray(counts).shape:
        raise BrokenPromiseError("counts and clusters of cells differ in shape")
    members: defaultdict[int, dict[Cell, int]] = defaultdict(dict)
    for (i, j), label in np.ndenumerate(clusters.cluster_of):
        count = int(counts[i, j])
        if (label == NOWHERE) != (count == 0):
            raise BrokenPromiseError("an occupied cell is in no cluster, or an empty one is")
        if label != NOWHERE:
            members[int(label)][i, j] = count
    if list(clusters.boxes) != sorted(set(clusters.boxes)):
        raise BrokenPromiseError("boxes of clusters are not sorted, or one is there twice")
    if set(members) != set(range(len(clusters.boxes))):
        raise BrokenPromiseError("clusters and boxes are not as many")
    for number, cells in members.items():
        low, high, right_low, right_high = clusters.boxes[number]
        if not all(low <= i < high and right_low <= j < right_high for i, j in cells):
            raise BrokenPromiseError("a cluster is larger than its box")
        if sum(cells.values()) < k:
            raise BrokenPromiseError("a cluster was counted again and holds fewer than k people")


def check_shared(
    triples: Numbers,
    persons: Numbers,
    left: CellClusters,
    right: CellClusters,
    joins: Joins,
    *,
    least: int,
) -> None:
    """Raise BrokenPromiseError if lit pairs of clusters are not what `shared` promises.

    Counted again in code of its own; not whether a pair is missing.
    """
    if len(set(joins)) != len(joins):
        raise BrokenPromiseError("a pair of clusters is lit twice")
    ones, others = left.cluster_of.tolist(), right.cluster_of.tolist()
    common: Counter[Cell] = Counter()
    for (i, q, j), count in zip(triples.tolist(), persons.tolist(), strict=True):
        if count > 0:
            common[ones[i][q], others[q][j]] += count
    for pair in joins:
        if min(pair) < 0 or common[pair] < least:
            raise BrokenPromiseError(
                "two clusters are lit that have too few people in common; please report this"
            )


# --- what is given ------------------------------------------------------------------------------


def _edges(edges: Numbers, cells: int, side: str) -> Whole:
    given = np.asarray(edges)
    if given.shape != (cells + 1,) or given.dtype.kind not in "iu" or (np.diff(given) < 1).any():
        raise InputError(
            f"edges of the {side} axis must be whole numbers that increase, one more than its cells"
        )
    return given.astype(np.int64)


def _triples(
    triples: Numbers, persons: Numbers, left: CellClusters, right: CellClusters
) -> tuple[Labels, Whole]:
    """Return the triples that somebody is in, and how many people."""
    cells, counts = np.asarray(triples), np.asarray(persons)
    if cells.ndim != 2 or cells.shape[1] != 3 or counts.shape != cells.shape[:1]:
        raise InputError("triples must be three cells each, with as many numbers of people")
    if any(given.dtype.kind not in "iu" or given.min(initial=0) < 0 for given in (cells, counts)):
        raise InputError("triples and persons must be whole numbers of at least 0")
    shapes = left.cluster_of.shape, right.cluster_of.shape
    if shapes[0][1] != shapes[1][0]:
        raise InputError("the clusters must have the cells of the shared axis in common")
    if (cells.max(axis=0, initial=0) >= (*shapes[0], shapes[1][1])).any():
        raise InputError("a triple is in a cell that the axes do not have")
    some = counts > 0
    return cells[some].astype(np.intp), counts[some].astype(np.int64)


# --- how clusters grow --------------------------------------------------------------------------


def grow_cells(
    grid: Whole, k: int, *, kinds: tuple[str, str], edges: tuple[Whole, Whole]
) -> tuple[tuple[Box, ...], Labels]:
    """Return boxes and the box of each cell, grown as `cluster_cells` says."""
    own = grid >= k
    left = np.where(own, 0, grid)
    seeding = choose_seeding(bins_of_grid(left), *kinds) if left.any() else None
    ways = []
    for cost in TRIED:
        way = _Growing(grid, left, edges, k, cost)
        for i, j in np.argwhere(own).tolist():
            way.labels[i, j] = len(way.boxes)
            way.boxes.append((i, i + 1, j, j + 1))
        if seeding is not None:
            way.fill(seeding)
        ways.append(way)
    best = min(ways, key=_Growing.spread)
    boxes = tuple(sorted(set(best.boxes)))
    number = {box: place for place, box in enumerate(boxes)}
    # The last place is that of cells where nobody is.
    places = np.array([*(number[box] for box in best.boxes), NOWHERE], dtype=np.intp)
    return boxes, places[best.labels]


class _Growing:
    """Clusters in the making: what is left, and what has been made of the rest."""

    def __init__(
        self, grid: Whole, left: Whole, edges: tuple[Whole, Whole], k: int, cost: str
    ) -> None:
        self.grid, self.left = grid, left.copy()
        self.edges = edges
        self.k, self.cost = k, cost
        self.barred = np.where(left > 0, 0, TAKEN)
        self.labels = np.full(grid.shape, NOWHERE, dtype=np.intp)
        self.boxes: list[Box] = []

    def fill(self, seeding: Seeding) -> None:
        """Cluster what is left; what does not make another cluster goes where it costs least."""
        seeds = _Seeds(seeding)
        while self.left.sum() >= self.k:
            self._grow(seeds(self.left))
        boxes = np.array(self.boxes)
        left, right = self.edges
        # Each cell that is left, in order, goes where a box grows least; ties: made first.
        for i, j in np.argwhere(self.left).tolist():
            cost = np.maximum(left[boxes[:, 0]] - left[i], 0)
            cost += np.maximum(left[i + 1] - left[boxes[:, 1]], 0)
            cost += np.maximum(right[boxes[:, 2]] - right[j], 0)
            cost += np.maximum(right[j + 1] - right[boxes[:, 3]], 0)
            number = int(cost.argmin())
            self.boxes[number] = _around(self.boxes[number], (i, j))
            boxes[number] = self.boxes[number]
            self.labels[i, j] = number

    def spread(self) -> int:
        """Return the sum over people of the pixels that their cluster's box spans."""
        left, right = self.edges
        boxes = np.array(self.boxes)
        spans = left[boxes[:, 1]] - left[boxes[:, 0]] + right[boxes[:, 3]] - right[boxes[:, 2]]
        some = self.labels >= 0
        return int((spans[self.labels[some]] * self.grid[some]).sum())

    def _grow(self, seed: Cell) -> None:
        """Make one cluster from its seed, cell by cell."""
        number, persons = len(self.boxes), self._take(seed)
        box = (seed[0], seed[0] + 1, seed[1], seed[1] + 1)
        cells, price = [seed], self._price(seed, box)
        while persons < self.k:
            at = divmod(int(price.argmin()), price.shape[1])  # ties: the lowest (left, right)
            persons += self._take(at)
            cells.append(at)
            price[at] = TAKEN
            wider = _around(box, at)
            if wider != box:
                box = wider
                price = self._price(seed, box) if self.cost == "span" else price
        for cell in cells:
            self.labels[cell] = number
        self.boxes.append(box)

    def _take(self, cell: Cell) -> int:
        persons = int(self.left[cell])
        self.left[cell] = 0
        self.barred[cell] = TAKEN
        return persons

    def _price(self, seed: Cell, box: Box) -> Whole:
        """Return what each cell costs a cluster with this seed and box."""
        sides = []
        for edges, cell, low, high in zip(self.edges, seed, box[::2], box[1::2], strict=True):
            if self.cost == "span":  # by how many pixels the box grows for it
                before, after = edges[low] - edges[:-1], edges[1:] - edges[high]
                sides.append(np.maximum(np.maximum(before, after), 0))
            else:  # how far its middle is from that of the seed, in half pixels
                middles = edges[:-1] + edges[1:]
                sides.append(np.abs(middles - middles[cell]))
        price: Whole = sides[0][:, None] + sides[1]
        price += self.barred
        return price


def _around(box: Box, cell: Cell) -> Box:
    i, j = cell
    return min(box[0], i), max(box[1], i + 1), min(box[2], j), max(box[3], j + 1)


class _Seeds:
    """The next seed of what is left; blocks of cells only widen, from one call to the next."""

    def __init__(self, seeding: Seeding) -> None:
        self.axis, self.width = seeding.axis, 2

    def __call__(self, left: Whole) -> Cell:
        if self.axis != "right":
            return self._next(left)
        j, i = self._next(left.T)
        return i, j

    def _next(self, left: Whole) -> Cell:
        """Seed by over-plotting, or by how many cells a line of cells reaches."""
        if self.axis == "both":
            i, j = divmod(int(left.argmax()), left.shape[1])
            counts, enough = left, left[i, j] > 1
        else:
            reached = np.count_nonzero(left, axis=1)
            i = int(reached.argmax())
            j = int(left[i].argmax())
            counts, enough = left.sum(axis=1), reached[i] > 1
        if enough:
            return i, j
        while True:
            blocks = counts
            for axis in range(counts.ndim):
                starts = np.arange(0, counts.shape[axis], self.width)
                blocks = np.add.reduceat(blocks, starts, axis=axis)
            if blocks.max() > 1 or blocks.size == 1:
                break
            self.width *= 2
        at = [int(n) * self.width for n in np.unravel_index(int(blocks.argmax()), blocks.shape)]
        part = left[tuple(slice(n, n + self.width) for n in at)]
        down, along = divmod(int((part > 0).argmax()), part.shape[1])
        return at[0] + down, sum(at[1:]) + along
