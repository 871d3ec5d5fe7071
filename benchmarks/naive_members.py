"""k-member clustering of a pair of axes record by record, in NumPy: the algorithm to the letter.

What `discreet.parallel.clusters` is compared with, in tests and in speed. Records are taken one
at a time, each looked for among all that are left, and counts are made anew for each seed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["NaiveClusters", "naive_clusters"]

Whole = NDArray[np.int64]
GONE = 1 << 40


class NaiveClusters(NamedTuple):
    """The cluster of each record, and the box of each cluster in half-open pixels."""

    labels: Whole
    boxes: Whole


def naive_clusters(
    left: Whole, right: Whole, heights: tuple[int, int], k: int, metric: str, cost: str
) -> NaiveClusters:
    """Cluster records by their pixels; `metric` as that of a Seeding, `cost` "seed" or "span"."""
    order = np.lexsort((right, left))
    i, j = left[order].astype(np.int64), right[order].astype(np.int64)
    there = np.ones(len(i), dtype=np.bool_)
    labels = np.empty(len(i), dtype=np.int64)
    boxes: list[Whole] = []
    seeds = _Seeds(i, j, heights, metric)
    while np.count_nonzero(there) >= k:
        seed = seeds.first(there)
        box = _widened(np.array([i[seed], i[seed] + 1, j[seed], j[seed] + 1]), i[seed], j[seed])
        taken = seed
        reach = np.abs(i - i[seed]) + np.abs(j - j[seed])
        for size in range(k):
            if size:
                if cost == "span":
                    reach = _growth(box, i, j)
                taken = int(np.where(there, reach, GONE).argmin())
            there[taken] = False
            labels[taken] = len(boxes)
            box = _widened(box, i[taken], j[taken])
        boxes.append(box)
    made = np.array(boxes)
    for record in np.flatnonzero(there):
        best = int(_growth(made.T, i[record], j[record]).argmin())
        labels[record] = best
        made[best] = _widened(made[best], i[record], j[record])
    out = np.empty_like(labels)
    out[order] = labels
    return NaiveClusters(out, made)


class _Seeds:
    """Finds seeds among records that are sorted by (left, right)."""

    def __init__(self, i: Whole, j: Whole, heights: tuple[int, int], metric: str) -> None:
        self.pixels = (i, j)
        self.heights = heights
        # The side seeds are looked for on, if it is one.
        self.side = {"over-plotting": None, "divergence": 0, "convergence": 1}[metric]
        self.bins, self.bin_of = np.unique(i * heights[1] + j, return_inverse=True)
        self.shift = 1  # blocks are of 2 ** shift pixels a side

    def first(self, there: NDArray[np.bool_]) -> int:
        """Return the record that the next cluster grows from."""
        counts = np.bincount(self.bin_of[there], minlength=len(self.bins))
        if self.side is None:
            if counts.max() == 1:
                return self._in_block(there)
            return int((there & (self.bin_of == counts.argmax())).argmax())
        pixels = np.divmod(self.bins, self.heights[1])[self.side]
        reached = np.bincount(pixels[counts > 0])
        if reached.max() == 1:
            return self._in_block(there)
        inside = np.where(pixels == reached.argmax(), counts, 0)
        return int((there & (self.bin_of == inside.argmax())).argmax())

    def _in_block(self, there: NDArray[np.bool_]) -> int:
        """Return the first record of the fullest block."""
        while True:
            over, along = (side >> self.shift for side in self.pixels)
            blocks = over * (along.max() + 1) + along
            if self.side is not None:
                blocks = (over, along)[self.side]
            held = np.bincount(blocks[there])
            if held.max() > 1 or 1 << self.shift >= max(self.heights):
                break
            self.shift += 1
        inside = np.flatnonzero(there & (blocks == held.argmax()))
        if self.side == 1:
            inside = inside[np.lexsort((self.pixels[0][inside], self.pixels[1][inside]))]
        return int(inside[0])


def _growth(box: Whole, i: Whole, j: Whole) -> Whole:
    """Return how many pixels boxes grow on both axes to contain records."""
    over = np.maximum(np.maximum(box[0] - i, i + 1 - box[1]), 0)
    along = np.maximum(np.maximum(box[2] - j, j + 1 - box[3]), 0)
    return np.asarray(over + along)


def _widened(box: Whole, i: Whole, j: Whole) -> Whole:
    return np.array([min(box[0], i), max(box[1], i + 1), min(box[2], j), max(box[3], j + 1)])
