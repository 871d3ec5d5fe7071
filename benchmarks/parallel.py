"""k-member clusters of pairs of axes: against the naive algorithm, and one count of the pair.

The naive algorithm (`benchmarks.naive_members`) goes record by record; equal clusters, that is
boxes, sizes and parts, are asserted first, for every metric of the seeds and both costs. Axes have
400 pixels. A pair is timed from two columns of pixels to its clusters: counting the bins, choosing
the seeding, clustering. Beside it stands one `np.bincount` of the pair, whose places are computed
with it, in turns; dealing the clusters out to records is a column of its own. Least of some runs.
One cost runs on one thread and is told in milliseconds of the processor, for the machine has other
work; "smaller" tries both costs at once, on two threads, and is told by the clock. The naive
algorithm runs once for each. Goals stand beside what they are about. Run with `make bench`, or
alone; `--quick` leaves out the naive algorithm on ten thousand records but for one metric.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from benchmarks.naive_members import naive_clusters
from discreet.parallel.clusters import (
    PairClusters,
    cluster_jointly,
    cluster_pair,
    members,
)
from discreet.parallel.pixels import COSTS, METRICS, TRIED, Seeding, bin_of_records, pair_bins

__all__ = ["main"]

Whole = NDArray[np.int64]
Pair = tuple[Whole, Whole]

HEIGHT = 400
HEIGHTS = (HEIGHT, HEIGHT)
SMALL, MIDDLE, LARGE = 1_000, 10_000, 1_000_000
KINDS = {
    "normal": ("continuous", "continuous"),
    "uniform": ("continuous", "continuous"),
    "skewed": ("continuous", "continuous"),
    "mixed": ("continuous", "categorical"),
    "categorical": ("categorical", "categorical"),
}
MOST_MS, MOST_COUNTS = 50, 15
"""Goals for a million records: milliseconds a pair, and for one cost as many counts of the pair."""
SMALL_MS = 2
"""The goal for a thousand records."""

Clock = Callable[[], float]


def main() -> None:
    """Print a table for the naive algorithm, one for speed, and one for cluster ranges."""
    parser = argparse.ArgumentParser(description="Time the clusters of parallel coordinates.")
    parser.add_argument("--quick", action="store_true", help="leave most of the naive runs out")
    quick = parser.parse_args().quick
    print(f"clusters of a pair of axes, load {os.getloadavg()[0]:.2f}")
    _warm()
    _against_naive(quick)
    _speed(quick)
    _ranges()


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


def _warm() -> None:
    start = time.perf_counter()
    left, right = pair_of("normal", 100)
    bins = pair_bins(left, right, HEIGHTS)
    for metric in METRICS:
        cluster_pair(bins, 3, seeding=Seeding(metric))
    _dealt(left, right, cluster_pair(bins, 3))
    cluster_jointly(np.column_stack([left, right]), 3)
    print(f"first calls, compiled or loaded: {time.perf_counter() - start:.1f} s")


def _dealt(left: Whole, right: Whole, clusters: PairClusters) -> NDArray[np.intp]:
    bins = pair_bins(left, right, HEIGHTS)
    return members(clusters, bins, bin_of_records(bins, left, right), np.arange(len(left)))


# --- against the naive algorithm --------------------------------------------------------------


def _against_naive(quick: bool) -> None:
    print()
    print("k = 3, the same clusters         rows       naive ms   discreet ms   naive/discreet")
    for n in (SMALL, MIDDLE):
        for kind in KINDS:
            left, right = pair_of(kind, n)
            for metric in METRICS[: 1 if quick and n > SMALL else None]:
                for cost in TRIED:
                    naive, own = _race(left, right, metric, cost)
                    name = f"{kind}, {metric}, {cost}"
                    print(f"{name:<33}{n:<11,}{naive:8.1f}{own:14.2f}{naive / own:17.0f}")


def _race(left: Whole, right: Whole, metric: str, cost: str) -> tuple[float, float]:
    bins = pair_bins(left, right, HEIGHTS)
    start = time.process_time()
    labels, boxes = naive_clusters(left, right, HEIGHTS, 3, metric, cost)
    naive = 1e3 * (time.process_time() - start)
    found = cluster_pair(bins, 3, cost=cost, seeding=Seeding(metric))
    pairs = np.column_stack([bin_of_records(bins, left, right), labels])
    parts, amounts = np.unique(pairs, axis=0, return_counts=True)
    same = (
        np.array_equal(found.boxes, boxes)
        and np.array_equal(found.sizes, np.bincount(labels))
        and np.array_equal(found.parts, np.column_stack([parts, amounts]))
    )
    if not same:
        raise SystemExit("the clusters differ")
    return naive, _least(lambda: _pair(left, right, metric, cost, 3), 15)


def _pair(left: Whole, right: Whole, metric: str | None, cost: str, k: int) -> PairClusters:
    """Return the clusters of two columns of pixels; the metric None is that of two numbers."""
    bins = pair_bins(left, right, HEIGHTS)
    return cluster_pair(bins, k, cost=cost, seeding=Seeding(metric) if metric else None)


def _least(work: Callable[[], object], runs: int, clock: Clock = time.process_time) -> float:
    """Return the least of the milliseconds that some runs take."""
    return min(_timed(work, clock) for _ in range(runs))


def _timed(work: Callable[[], object], clock: Clock = time.process_time) -> float:
    start = clock()
    work()
    return 1e3 * (clock() - start)


# --- by itself --------------------------------------------------------------------------------


def _speed(quick: bool) -> None:
    print()
    print("ms a pair            k    1,000 (goal)   10,000   1,000,000 (goal)", end="")
    print("   clustering   dealing   one count   pair/count (goal)   growth from 10,000")
    for kind, kinds in KINDS.items():
        pairs = {n: pair_of(kind, n) for n in (SMALL, MIDDLE, LARGE)}
        for k in (3, 10):
            for cost in COSTS:
                _print_speed(kind, kinds, pairs, k, cost, 3 if quick else 7)


def _print_speed(
    kind: str, kinds: tuple[str, str], pairs: dict[int, Pair], k: int, cost: str, runs: int
) -> None:
    clock = time.process_time if cost in TRIED else time.perf_counter
    works = {n: _asked(*pair, kinds, k, cost) for n, pair in pairs.items()}
    least = {n: _least(works[n], 20, clock) for n in (SMALL, MIDDLE)}
    left, right = pairs[LARGE]
    least[LARGE] = count = np.inf
    for _ in range(runs):
        least[LARGE] = min(least[LARGE], _timed(works[LARGE], clock))
        count = min(count, _timed(lambda: _count(left, right)))
    bins = pair_bins(left, right, HEIGHTS)
    alone = _least(lambda: cluster_pair(bins, k, kinds, cost=cost), runs, clock)
    clusters = cluster_pair(bins, k, kinds, cost=cost)
    bin_of, rank = bin_of_records(bins, left, right), np.arange(len(left))
    deal = _least(lambda: members(clusters, bins, bin_of, rank), runs)
    growth = least[LARGE] / least[MIDDLE]
    power = np.log(growth) / np.log(LARGE / MIDDLE)
    name = f"{kind}, {cost}"
    goal = f"({MOST_COUNTS})" if cost in TRIED else ""
    print(
        f"{name:<21}{k:<3}{least[SMALL]:7.2f} {f'({SMALL_MS})':<6}{least[MIDDLE]:9.2f}"
        f"{least[LARGE]:12.1f} {f'({MOST_MS})':<6}{alone:13.1f}{deal:10.1f}{count:12.2f}"
        f"{least[LARGE] / count:13.1f} {goal:<6}   {growth:.0f} times, power {power:.2f}"
    )


def _count(left: Whole, right: Whole) -> Whole:
    return np.bincount(left * HEIGHT + right, minlength=HEIGHT * HEIGHT)


def _asked(
    left: Whole, right: Whole, kinds: tuple[str, str], k: int, cost: str
) -> Callable[[], PairClusters]:
    return lambda: cluster_pair(pair_bins(left, right, HEIGHTS), k, kinds, cost=cost)


# --- how large the clusters are ---------------------------------------------------------------


def _ranges() -> None:
    print()
    print(
        "cluster range, pixels a cluster, 10,000 rows      seed      span   over all axes at once"
    )
    for kind, kinds in KINDS.items():
        left, right = pair_of(kind, MIDDLE)
        bins = pair_bins(left, right, HEIGHTS)
        # A third column that says nothing of the other two.
        third = np.random.default_rng(3).integers(0, HEIGHT, MIDDLE)
        table = np.column_stack([left, right, third])
        for k in (3, 10):
            made = MIDDLE // k
            seed, span = (cluster_pair(bins, k, kinds, cost=cost).range for cost in TRIED[::-1])
            labels = cluster_jointly(table, k)
            of_each = [table[labels == label, :2] for label in range(labels.max() + 1)]
            joint = sum(int((np.ptp(found, axis=0) + 1).sum()) for found in of_each)
            name = f"{kind}, k = {k}"
            print(f"{name:<46}{seed / made:8.1f}{span / made:10.1f}{joint / made:24.1f}")


if __name__ == "__main__":
    main()
