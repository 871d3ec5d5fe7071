"""What somebody learns who knows which clusters a record is in (threats of section 6)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from discreet.parallel.diversity import splits
from discreet.parallel.pixels import Whole
from examples.parallel.clustered import Gap
from examples.parallel.data import Places

__all__ = ["NARROW", "at_edge", "lit_by", "narrowed", "single_joins", "unique_paths", "widths"]

NARROW = 0.01  # of an axis

Floats = NDArray[np.float64]


def widths(gaps: Sequence[Gap], column: str) -> Floats:
    """Return which share of an axis is left to each record by all its clusters together.

    The clusters may be of several orders and resolutions: each says of a record that its value
    lies between the ends of a box.
    """
    lows, highs = [], []
    for gap in gaps:
        if column in gap.pair:
            ends = gap.side(column) / gap.height
            lows.append(ends[:, 0])
            highs.append(ends[:, 1])
    return np.asarray(np.min(highs, axis=0) - np.max(lows, axis=0))


def narrowed(found: Sequence[Floats]) -> float:
    """Return the share of records, over several axes, to whom 1 % of the axis or less is left."""
    # A pixel is a fraction that floats do not hold, so a hair is left.
    return float(np.mean([each <= NARROW + 1e-9 for each in found]))


def at_edge(gap: Gap, places: Places, column: str) -> float:
    """Return the share of records whose pixel is an edge of their own cluster on an axis."""
    ends, own = gap.side(column), places[column]
    return float(np.mean((own == ends[:, 0]) | (own == ends[:, 1] - 1)))


def lit_by(before: Gap, after: Gap) -> float:
    """Return into how many clusters of the next gap a cluster splits, on average."""
    return len(splits(before.labels, after.labels).shared) / len(before.boxes)


def single_joins(gaps: Sequence[Gap]) -> float:
    """Return the share of pairs of clusters lit together that have one record in common."""
    shared = [splits(a.labels, b.labels).shared for a, b in itertools.pairwise(gaps)]
    return float(np.mean(np.concatenate(shared) == 1))


def unique_paths(gaps: Sequence[Gap]) -> float:
    """Return the share of records whose path of clusters no other record has."""
    paths = np.column_stack([gap.labels for gap in gaps])
    _, times = np.unique(paths, axis=0, return_counts=True)
    return float(np.sum(times == 1) / len(paths))


def _within(places: Whole, ends: Sequence[int]) -> NDArray[np.bool_]:
    return np.asarray((places >= ends[0]) & (places < ends[1]))
