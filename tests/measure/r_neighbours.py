"""The rows that the paper's R program releases: its arithmetic, and the search tree of its RANN.

Which of several equally near rows is a neighbour depends there on the last bits of the z-scores
and on the order in which the tree of the ANN library is built and walked through.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["released_by_r"]

Floats = NDArray[np.float64]
ERROR = 0.001  # of a box's longest side
Bounds = list[tuple[float, float]]


def released_by_r(x: Floats, strata: list[str], k: int) -> Floats:
    """Return the scaled centroids of the k nearest rows within strata, as R comes to them."""
    columns = [_moments(column) for column in x.T]
    mean, sd = (np.array(each) for each in zip(*columns, strict=True))
    z = (x - mean) / sd
    centroids = np.empty_like(z)
    labels = np.asarray(strata)
    for label in np.unique(labels):
        rows = np.flatnonzero(labels == label)
        bounds = list(zip(z[rows].min(axis=0), z[rows].max(axis=0), strict=True))
        tree = _grown(z, rows.tolist(), bounds)
        for row in rows:
            near: list[tuple[float, int]] = []
            _search(tree, z, z[row].tolist(), 0.0, k, near)
            centroids[row] = z[[i for _, i in near]].mean(axis=0)
    out: Floats = centroids * (z.std(axis=0, ddof=1) / centroids.std(axis=0, ddof=1)) * sd + mean
    return out


def _moments(column: Floats) -> tuple[float, float]:
    """Return mean() and sd(): of long doubles, the mean corrected by that of the residuals."""
    wide = column.astype(np.longdouble)
    mean = wide.sum() / len(wide)
    mean += (wide - mean).sum() / len(wide)
    return float(mean), math.sqrt(float(((wide - mean) ** 2).sum() / (len(wide) - 1)))


class _Split:
    def __init__(self, z: Floats, rows: list[int], bounds: Bounds) -> None:
        """Cut a box at the middle of a long side, or at the outermost row if none is beyond."""
        sides = [high - low for low, high in bounds]
        spread = [
            float(np.ptp(z[rows, d])) if side >= (1 - ERROR) * max(sides) else -1.0
            for d, side in enumerate(sides)
        ]
        self.axis = int(np.argmax(spread))
        self.low, self.high = bounds[self.axis]
        values = z[:, self.axis]
        middle = (self.low + self.high) / 2
        least, most = float(values[rows].min()), float(values[rows].max())
        self.cut = min(max(middle, least), most)
        below = _parted(rows, 0, lambda row: bool(values[row] < self.cut))
        upto = _parted(rows, below, lambda row: bool(values[row] <= self.cut))
        half = len(rows) // 2
        size = min(max(half, below), upto)
        size = 1 if middle < least else len(rows) - 1 if middle > most else size
        inner = bounds[: self.axis], bounds[self.axis + 1 :]
        self.below = _grown(z, rows[:size], [*inner[0], (self.low, self.cut), *inner[1]])
        self.above = _grown(z, rows[size:], [*inner[0], (self.cut, self.high), *inner[1]])


Tree = _Split | list[int]


def _grown(z: Floats, rows: list[int], bounds: Bounds) -> Tree:
    return rows if len(rows) <= 1 else _Split(z, rows, bounds)


def _parted(rows: list[int], start: int, first: object) -> int:
    """Move the rows that are to come first to the front, as the library swaps them."""
    assert callable(first)
    left, right = start, len(rows) - 1
    while True:
        while left < len(rows) and first(rows[left]):
            left += 1
        while right >= start and not first(rows[right]):
            right -= 1
        if left > right:
            return left
        rows[left], rows[right] = rows[right], rows[left]
        left, right = left + 1, right - 1


def _search(
    tree: Tree, z: Floats, at: list[float], away: float, k: int, near: list[tuple[float, int]]
) -> None:
    """Go down to the nearer side first; of equally near rows the first that is met stays."""
    if isinstance(tree, list):
        for row in tree:
            gap = 0.0
            for mine, other in zip(at, z[row].tolist(), strict=True):
                gap += (mine - other) * (mine - other)
            place = len(near)
            while place and near[place - 1][0] > gap:
                place -= 1
            near.insert(place, (gap, row))
            del near[k:]
        return
    beyond = at[tree.axis] - tree.cut
    here, there = (tree.below, tree.above) if beyond < 0 else (tree.above, tree.below)
    outside = tree.low - at[tree.axis] if beyond < 0 else at[tree.axis] - tree.high
    _search(here, z, at, away, k, near)
    away += beyond * beyond - max(outside, 0.0) ** 2
    if len(near) < k or away < near[-1][0]:
        _search(there, z, at, away, k, near)
