"""Rounding one column, from unsorted input to written means, beside other ways to do so.

We go the way that every user goes: a column in order, its rounding set, and that applied to the
column. A peer that gives labels has its means written by numpy. Sums of squares are compared, and
must not be above the peer's; MDAV has no peer, and stands beside an order of the rows alone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.job import Job, Race
from discreet.rounding.base import RegionMethod, sorted_column
from discreet.rounding.clusters import KMeans
from discreet.rounding.groups import Mdav, Optimal, VMdav
from discreet.rounding.intervals import EqualFrequency, EqualWidth
from discreet.rounding.rounding_set import rounding_set

__all__ = ["JOBS"]

Floats = NDArray[np.float64]
Labels = NDArray[np.intp]
Work = Callable[[], Floats]
Peer = Callable[[Floats], Work]

SIZES, TINY = (100_000, 1_000_000), 3_000
SIZES_OF_GROUPS = (3, 10, 100, 1000)
REGIONS = 25
QUANTILES = {"quantile_method": "averaged_inverted_cdf"}


def _race(method: RegionMethod, peer: Peer, tolerance: float, n: int, _: Path) -> Race:
    x = np.random.default_rng(1).lognormal(size=n)

    def no_worse(ours: Floats, theirs: Floats) -> bool:
        return bool(_cost(x, ours) <= _cost(x, theirs) * (1 + tolerance))

    return Race(lambda: rounding_set(sorted_column(x), method).encode(x), peer(x), no_worse)


def _cost(x: Floats, written: Floats) -> float:
    return float(((x - written) ** 2).sum())


def _means(x: Floats, labels: Labels) -> Floats:
    """Write the mean of each group over its rows."""
    sizes = np.bincount(labels)
    means = np.bincount(labels, x) / np.maximum(sizes, 1)
    written: Floats = means[labels]
    return written


# --- the peers --------------------------------------------------------------------------------


def _microagg1d(k: int, x: Floats) -> Work:
    """Return its quickest method at this k; the first call of each compiles."""
    grouped = import_module("microagg1d").univariate_microaggregation
    return lambda: _means(x, grouped(x, k, method="simple" if k < 100 else "staggered"))


def _kmeans1d(x: Floats) -> Work:
    kmeans1d = import_module("kmeans1d")

    def written() -> Floats:
        mean = x.mean()
        labels, points = kmeans1d.cluster(x - mean, REGIONS)
        found: Floats = (np.array(points) + mean)[np.array(labels)]
        return found

    return written


def _bins(strategy: str, x: Floats) -> Work:
    """Return scikit-learn's bins, whose codes numpy replaces by means."""
    from sklearn.preprocessing import KBinsDiscretizer

    def written() -> Floats:
        bins = KBinsDiscretizer(
            REGIONS, encode="ordinal", strategy=strategy, subsample=None, **QUANTILES
        )
        return _means(x, bins.fit_transform(x[:, None])[:, 0].astype(np.intp))

    return written


def _order(x: Floats) -> Work:
    """Return an order of the rows, as if each value were the mean of its group."""
    return lambda: np.full(len(x), x[np.argsort(x)].mean())


# --- the jobs ---------------------------------------------------------------------------------


def _job(
    name: str,
    method: RegionMethod,
    beside: str,
    peer: Peer,
    tolerance: float = 1e-9,
    needs: tuple[str, ...] = (),
) -> Job:
    race = partial(_race, method, peer, tolerance)
    return Job(name, beside, SIZES, TINY, race, rounds=3, needs=needs)


def _optimal(k: int) -> Job:
    peer = partial(_microagg1d, k)
    return _job(f"optimal, k = {k}", Optimal(k), "microagg1d", peer, needs=("microagg1d",))


JOBS = [
    *(_optimal(k) for k in SIZES_OF_GROUPS),
    *(_job(f"MDAV, one column, k = {k}", Mdav(k), "`np.argsort`", _order) for k in (3, 1000)),
    *(_job(f"V-MDAV, one column, k = {k}", VMdav(k), "`np.argsort`", _order) for k in (3, 1000)),
    _job("k-means, exact", KMeans(REGIONS, exact=True), "kmeans1d", _kmeans1d, needs=("kmeans1d",)),
    _job("k-means", KMeans(REGIONS), "kmeans1d", _kmeans1d, 1e-3, needs=("kmeans1d",)),
    _job("equal width", EqualWidth(REGIONS), "scikit-learn", partial(_bins, "uniform")),
    # Ranks at which a quantile lies differ, so costs are held together loosely.
    _job(
        "equal frequency", EqualFrequency(REGIONS), "scikit-learn", partial(_bins, "quantile"), 1e-3
    ),
]
