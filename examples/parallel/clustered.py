"""Clusters with the records in them, which a View does not tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from discreet.parallel.clusters import cluster_jointly, cluster_pair, members
from discreet.parallel.pixels import PairBins, Seeding, Whole, bin_of_records, pair_bins
from examples.parallel.data import HEIGHT, Places, kinds_of

__all__ = ["Gap", "bins_of", "chain", "gap_of", "joint_chain", "range_of"]


@dataclass(frozen=True, eq=False)
class Gap:
    """The clusters between two axes: a box of half-open pixels each, and those of each record."""

    pair: tuple[str, str]
    height: int
    boxes: Whole
    labels: NDArray[np.intp]

    @property
    def ranges(self) -> Whole:
        """How many pixels each cluster takes on both axes together."""
        ends = self.boxes
        return np.asarray(ends[:, 1] - ends[:, 0] + ends[:, 3] - ends[:, 2])

    def side(self, column: str) -> Whole:
        """Return the lowest and highest pixel (half-open) of each record's cluster on an axis."""
        at = 2 * self.pair.index(column)
        return self.boxes[self.labels, at : at + 2]


def bins_of(places: Places, pair: Sequence[str], height: int = HEIGHT) -> PairBins:
    """Return the occupied bins of a pair of axes."""
    return pair_bins(places[pair[0]], places[pair[1]], (height, height))


def range_of(
    bins: PairBins,
    pair: Sequence[str],
    k: int,
    seeding: Seeding | None = None,
    cost: str = "smaller",
) -> int:
    """Return the cluster range of a pair: the pixels of all its clusters on both axes."""
    return cluster_pair(bins, k, kinds_of(pair), cost=cost, seeding=seeding).range


def gap_of(places: Places, pair: Sequence[str], k: int, height: int = HEIGHT) -> Gap:
    """Cluster the records of a pair of axes, as `study.parallel` does under `research`."""
    left, right = pair
    bins = bins_of(places, pair, height)
    of = bin_of_records(bins, places[left], places[right])
    # Records of one bin are told apart by their other pixels.
    rank = np.lexsort([places[name] for name in sorted(places, reverse=True)])
    found = cluster_pair(bins, k, kinds_of(pair))
    return _boxed(places, (left, right), height, members(found, bins, of, rank))


def chain(places: Places, order: Sequence[str], k: int, height: int = HEIGHT) -> list[Gap]:
    """Cluster the records of each pair of neighbouring axes of an order."""
    shown = {name: places[name] for name in order}
    return [gap_of(shown, pair, k, height) for pair in pairwise(order)]


def joint_chain(places: Places, order: Sequence[str], k: int, height: int = HEIGHT) -> list[Gap]:
    """Cluster the records over all axes of an order at once, and cut the clusters into pairs."""
    together = np.column_stack([places[name] for name in sorted(order)])
    labels = np.asarray(cluster_jointly(together, k))
    return [_boxed(places, pair, height, labels) for pair in pairwise(order)]


def _boxed(places: Places, pair: tuple[str, str], height: int, labels: NDArray[np.intp]) -> Gap:
    """Return clusters with the boxes that hold their records."""
    order = np.argsort(labels, kind="stable")
    starts = np.flatnonzero(np.diff(labels[order], prepend=-1))
    sides = []
    for name in pair:
        held = places[name][order]
        sides += [np.minimum.reduceat(held, starts), np.maximum.reduceat(held, starts) + 1]
    return Gap(pair, height, np.column_stack(sides), labels)
