"""How clusters of whole cells grow: from which seeds, by what cost, and what is left over."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from discreet.parallel.pixels import TRIED, Seeding, bins_of_grid, choose_seeding

__all__ = ["NOWHERE", "Box", "Cell", "grow_cells"]

Whole = NDArray[np.int64]
Labels = NDArray[np.intp]
Box = tuple[int, int, int, int]  # left low, left high, right low, right high: half-open cells
Cell = tuple[int, int]

TAKEN = np.int64(1 << 60)  # no cell costs as much
NOWHERE = -1


def grow_cells(
    grid: Whole,
    k: int,
    *,
    kinds: tuple[str, str],
    edges: tuple[Whole, Whole],
    diversity: tuple[int, int] = (0, 0),
) -> tuple[tuple[Box, ...], Labels]:
    """Cluster the cells of a grid, by whichever cost leaves the average person a smaller box.

    What is given was looked at by `cluster_cells`. `diversity` is how many different cells of each
    axis a cluster must hold persons of; where nothing is asked for on either, a cell of k persons
    or more is a cluster of its own. The sum of spans over clusters, which the paper goes by, would
    favour few large ones here: how many clusters whole cells make is not fixed.

    Returns
    -------
    boxes : tuple of (int, int, int, int)
        Sorted, none twice.
    cluster_of : array of int, shape (c, d)
        The box of each occupied cell; -1 where nobody is.

    Examples
    --------
    >>> import numpy as np
    >>> boxes, cluster_of = grow_cells(
    ...     np.array([[2, 1, 0, 2]]),
    ...     3,
    ...     kinds=("categorical", "categorical"),
    ...     edges=(np.array([0, 10]), np.array([0, 10, 20, 30, 40])),
    ... )
    >>> boxes, cluster_of.tolist()
    (((0, 1, 0, 4),), [[0, 0, -1, 0]])
    """
    own = (grid >= k) & (not any(diversity))
    left = np.where(own, 0, grid)
    seeding = choose_seeding(bins_of_grid(left), *kinds) if left.any() else None
    ways = []
    for cost in TRIED:
        way = _Growing(grid, left, edges, k, diversity, cost)
        way.own(np.argwhere(own))
        if seeding is not None:
            way.fill(seeding)
        ways.append(way)
    return min(ways, key=_Growing.spread).finished()


class _Growing:
    """Clusters in the making: what is left, and what has been made of the rest."""

    def __init__(
        self,
        grid: Whole,
        left: Whole,
        edges: tuple[Whole, Whole],
        k: int,
        diversity: tuple[int, int],
        cost: str,
    ) -> None:
        self.grid, self.left = grid, left.copy()
        self.axes = _Axis(edges[0]), _Axis(edges[1])
        self.k, self.diversity, self.cost = k, diversity, cost
        self.barred = np.where(left > 0, 0, TAKEN)
        self.labels = np.full(grid.shape, NOWHERE, dtype=np.intp)
        self.boxes: list[Box] = []

    def own(self, cells: Labels) -> None:
        """Make each of the cells a cluster of its own."""
        for i, j in cells.tolist():
            self.labels[i, j] = len(self.boxes)
            self.boxes.append((i, i + 1, j, j + 1))

    def fill(self, seeding: Seeding) -> None:
        """Cluster what is left; what does not make another cluster goes where it costs least."""
        seeds = _Seeds(seeding)
        while self._goes_on():
            self._grow(seeds(self.left))
        self._give_away(np.argwhere(self.left))

    def spread(self) -> int:
        """Return the sum over persons of the pixels that their cluster's box spans."""
        spans = np.array([self._span(box) for box in self.boxes])
        some = self.labels >= 0
        return int((spans[self.labels[some]] * self.grid[some]).sum())

    def finished(self) -> tuple[tuple[Box, ...], Labels]:
        """Return the clusters, those with the same box as one."""
        boxes = tuple(sorted(set(self.boxes)))
        number = {box: place for place, box in enumerate(boxes)}
        # The last place is that of cells where nobody is.
        places = np.array([*(number[box] for box in self.boxes), NOWHERE], dtype=np.intp)
        return boxes, places[self.labels]

    def _goes_on(self) -> bool:
        """Tell whether what is left makes another cluster."""
        if self.left.sum() < self.k:
            return False
        return all(
            np.count_nonzero(self.left.any(axis=1 - axis)) >= least
            for axis, least in enumerate(self.diversity)
            if least
        )

    def _grow(self, seed: Cell) -> None:
        """Make one cluster from its seed, cell by cell."""
        number, persons = len(self.boxes), self._take(seed)
        box = (seed[0], seed[0] + 1, seed[1], seed[1] + 1)
        cells, price = [seed], self._price(seed, box)
        while True:
            offered = self._new_levels(cells, price)
            if persons >= self.k and offered is price:
                break
            at = divmod(int(offered.argmin()), price.shape[1])  # ties: the lowest (left, right)
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
        left, right = self.axes
        if self.cost == "span":
            down, along = left.growth(box[0], box[1]), right.growth(box[2], box[3])
        else:
            down, along = left.distance(seed[0]), right.distance(seed[1])
        price: Whole = down[:, None] + along
        price += self.barred
        return price

    def _new_levels(self, cells: list[Cell], price: Whole) -> Whole:
        """Return the price of cells that bring a level that is missing; of all, if none is."""
        if not any(self.diversity):
            return price
        brings = np.zeros(price.shape, dtype=np.bool_)
        missing = False
        for axis, least in enumerate(self.diversity):
            had = {cell[axis] for cell in cells}
            if len(had) < least:
                missing = True
                new = np.ones(price.shape[axis], dtype=np.bool_)
                new[list(had)] = False
                brings |= new[:, None] if axis == 0 else new
        if not missing:
            return price
        dear: Whole = np.where(brings, price, TAKEN)
        return dear

    def _give_away(self, cells: Labels) -> None:
        """Give each cell, in order, to the cluster whose box grows least; ties: made first."""
        boxes = np.array(self.boxes)
        left, right = (axis.edges for axis in self.axes)
        for i, j in cells.tolist():
            cost = np.maximum(left[boxes[:, 0]] - left[i], 0)
            cost += np.maximum(left[i + 1] - left[boxes[:, 1]], 0)
            cost += np.maximum(right[boxes[:, 2]] - right[j], 0)
            cost += np.maximum(right[j + 1] - right[boxes[:, 3]], 0)
            number = int(cost.argmin())
            self.boxes[number] = _around(self.boxes[number], (i, j))
            boxes[number] = self.boxes[number]
            self.labels[i, j] = number

    def _span(self, box: Box) -> int:
        left, right = (axis.edges for axis in self.axes)
        return int(left[box[1]] - left[box[0]] + right[box[3]] - right[box[2]])


class _Axis:
    """What the cells of one axis cost: remembered, as the same is asked for again and again."""

    def __init__(self, edges: Whole) -> None:
        self.edges = edges
        self._grown: dict[Cell, Whole] = {}

    def growth(self, low: int, high: int) -> Whole:
        """Return by how many pixels low..high grows for each cell."""
        if (low, high) not in self._grown:
            before, after = self.edges[low] - self.edges[:-1], self.edges[1:] - self.edges[high]
            self._grown[low, high] = np.maximum(np.maximum(before, after), 0)
        return self._grown[low, high]

    def distance(self, cell: int) -> Whole:
        """Return how far the middle of each cell is from that of this one, in half pixels."""
        middles = self.edges[:-1] + self.edges[1:]
        far: Whole = np.abs(middles - middles[cell])
        return far


def _around(box: Box, cell: Cell) -> Box:
    i, j = cell
    return min(box[0], i), max(box[1], i + 1), min(box[2], j), max(box[3], j + 1)


class _Seeds:
    """The next seed of what is left: of the highest metric, or from where most persons are.

    Blocks of cells only ever widen, from one call to the next.
    """

    def __init__(self, seeding: Seeding) -> None:
        self.flip = seeding.axis == "right"
        self.next: Callable[[Whole], Cell] = self._cell if seeding.axis == "both" else self._line
        self.width = 2

    def __call__(self, left: Whole) -> Cell:
        if not self.flip:
            return self.next(left)
        j, i = self.next(left.T)
        return i, j

    def _cell(self, left: Whole) -> Cell:
        """Seed by over-plotting."""
        best = int(left.argmax())
        i, j = divmod(best, left.shape[1])
        if left[i, j] > 1:
            return i, j
        while True:
            blocks = _blocks(_blocks(left, self.width, 0), self.width, 1)
            if blocks.max() > 1 or blocks.size == 1:
                break
            self.width *= 2
        a, b = divmod(int(blocks.argmax()), blocks.shape[1])
        i, j = a * self.width, b * self.width
        return _first(left[i : i + self.width, j : j + self.width], i, j)

    def _line(self, left: Whole) -> Cell:
        """Seed by how many cells a line of cells reaches."""
        reached = np.count_nonzero(left, axis=1)
        i = int(reached.argmax())
        if reached[i] > 1:
            return i, int(left[i].argmax())
        lines = left.sum(axis=1)
        while True:
            blocks = _blocks(lines, self.width, 0)
            if blocks.max() > 1 or blocks.size == 1:
                break
            self.width *= 2
        i = int(blocks.argmax()) * self.width
        return _first(left[i : i + self.width], i, 0)


def _blocks(counts: Whole, width: int, axis: int) -> Whole:
    """Return the sums of blocks of `width` neighbours."""
    starts = np.arange(0, counts.shape[axis], width)
    summed: Whole = np.add.reduceat(counts, starts, axis=axis)
    return summed


def _first(part: Whole, i: int, j: int) -> Cell:
    """Return the first occupied cell of a part of the grid that starts at (i, j)."""
    down, along = divmod(int((part > 0).argmax()), part.shape[1])
    return i + down, j + along
