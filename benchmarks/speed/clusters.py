"""k-member clusters of a pair of axes, beside the naive algorithm and one count of the pair.

From two columns of pixels to clusters: counting the bins, choosing the seeding, clustering. The
naive algorithm (`benchmarks.naive_members`) goes record by record, and makes the same boxes, sizes
and parts. One `np.bincount` of the pair has its places computed with it; it is no way to cluster,
and counts as many records. Axes have 400 pixels.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.job import Job, Race
from benchmarks.naive_members import NaiveClusters, naive_clusters
from discreet.parallel.clusters import PairClusters, cluster_pair
from discreet.parallel.pixels import METRICS, TRIED, Seeding, bin_of_records, pair_bins

__all__ = ["HEIGHT", "HEIGHTS", "JOBS", "KINDS", "pair_of"]

Whole = NDArray[np.int64]
Pair = tuple[Whole, Whole]

HEIGHT = 400
HEIGHTS = (HEIGHT, HEIGHT)
KINDS = {
    "normal": ("continuous", "continuous"),
    "uniform": ("continuous", "continuous"),
    "skewed": ("continuous", "continuous"),
    "mixed": ("continuous", "categorical"),
    "categorical": ("categorical", "categorical"),
}


def pair_of(kind: str, n: int) -> Pair:
    """Return n records on two axes."""
    rng = np.random.default_rng(n)
    x, y = rng.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], size=n).T
    made: dict[str, Callable[[], Pair]] = {
        "normal": lambda: (_spread(x), _spread(y)),
        "uniform": lambda: (rng.integers(0, HEIGHT, n), rng.integers(0, HEIGHT, n)),
        "skewed": lambda: (_spread(np.exp(x)), _spread(np.exp(y))),
        "mixed": lambda: (_spread(x), _levels(y, 5)),
        "categorical": lambda: (_levels(x, 5), _levels(y, 4)),
    }
    return made[kind]()


def _spread(values: NDArray[np.float64]) -> Whole:
    low, high = np.quantile(values, [0.001, 0.999])
    return np.asarray(((values - low) / (high - low) * HEIGHT).clip(0, HEIGHT - 1), dtype=np.int64)


def _levels(values: NDArray[np.float64], number: int) -> Whole:
    level = np.asarray(((values + 2) * number / 4).clip(0, number - 1), dtype=np.int64)
    return np.asarray(level * (HEIGHT - 1) // (number - 1))


def _pair(left: Whole, right: Whole, cost: str, seeding: Seeding | None) -> PairClusters:
    return cluster_pair(pair_bins(left, right, HEIGHTS), 3, cost=cost, seeding=seeding)


def _naive_race(kind: str, cost: str, n: int, _: Path) -> Race:
    left, right = pair_of(kind, n)
    bins = pair_bins(left, right, HEIGHTS)

    def same(found: PairClusters, naive: NaiveClusters) -> bool:
        labels, boxes = naive
        pairs = np.column_stack([bin_of_records(bins, left, right), labels])
        parts, amounts = np.unique(pairs, axis=0, return_counts=True)
        return (
            np.array_equal(found.boxes, boxes)
            and np.array_equal(found.sizes, np.bincount(labels))
            and np.array_equal(found.parts, np.column_stack([parts, amounts]))
        )

    metric = METRICS[0]
    return Race(
        partial(_pair, left, right, cost, Seeding(metric)),
        partial(naive_clusters, left, right, HEIGHTS, 3, metric, cost),
        same,
    )


def _count_race(kind: str, cost: str, n: int, _: Path) -> Race:
    left, right = pair_of(kind, n)
    return Race(
        lambda: cluster_pair(pair_bins(left, right, HEIGHTS), 3, KINDS[kind], cost=cost),
        lambda: np.bincount(left * HEIGHT + right, minlength=HEIGHT * HEIGHT),
        lambda found, counts: found.sizes.sum() == counts.sum(),
    )


JOBS = [
    *(
        Job(
            f"clusters, {kind}",
            "record by record",
            (1_000, 10_000),
            300,
            partial(_naive_race, kind, TRIED[0]),
            rounds=3,
        )
        for kind in KINDS
    ),
    *(
        Job(
            f"clusters, {kind}",
            "one `np.bincount`",
            (10_000, 1_000_000),
            1_000,
            partial(_count_race, kind, TRIED[0]),
        )
        for kind in KINDS
    ),
]
