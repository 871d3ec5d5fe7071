"""The risks, beside a plain query of a tree and scikit-learn's robust covariance.

Record linkage with exact ties beside one query for the nearest released row (both standardise,
build and ask; rows are drawn from a continuous law and have no ties). Robust-Mahalanobis risk with
its baselines beside `MinCovDet` on as many rows and a plain query for the nearest other row; where
random starts differ, so do a few rows.
"""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.job import Job, Race
from discreet.measure.linkage import record_linkage
from discreet.measure.pairs import Pair, as_pair
from discreet.measure.rmd import SAMPLE, rmd_risk

__all__ = ["JOBS"]

Floats = NDArray[np.float64]

SIZES, TINY = (100_000, 1_000_000), 4_000
COLUMNS = 4
NOISES = {0.02: "nearly all linked", 0.1: "many linked", 0.25: "few linked"}


def _linkage_race(noise: float, n: int, _: Path) -> Race:
    pair = _pair(n, noise)
    return Race(
        partial(_linkage, pair), partial(_plain_query, pair), partial(math.isclose, rel_tol=1e-12)
    )


def _rmd_race(n: int, _: Path) -> Race:
    pair = _pair(n, 0.1)
    return Race(partial(_rmd, pair), partial(_plain_rmd, pair), partial(math.isclose, rel_tol=0.05))


def _pair(rows: int, noise: float) -> Pair:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(rows, COLUMNS))
    pair = as_pair(x, x + noise * rng.normal(size=x.shape))
    _ = pair.original.matrix, pair.released.matrix  # both are handed arrays
    return pair


def _linkage(pair: Pair) -> float:
    return record_linkage(pair).count


def _plain_query(pair: Pair) -> float:
    from scipy.spatial import cKDTree

    x, y = pair.original.matrix, pair.released.matrix
    mean, sd = x.mean(axis=0), x.std(axis=0, ddof=1)
    near = cKDTree((y - mean) / sd).query((x - mean) / sd, k=1, workers=-1)[1]
    return float((near == np.arange(len(x))).sum())


def _rmd(pair: Pair) -> float:
    return rmd_risk(pair).risk2.count


def _plain_rmd(pair: Pair) -> float:
    """Do the same with scikit-learn's covariance, fitted to as many rows."""
    from scipy.spatial import cKDTree
    from sklearn.covariance import MinCovDet

    x, y = (
        (z - z.mean(axis=0)) / z.std(axis=0, ddof=1)
        for z in (pair.original.matrix, pair.released.matrix)
    )
    inverse = np.linalg.inv(MinCovDet(random_state=0).fit(x[:SAMPLE]).covariance_)
    half = 0.01 * 0.05 * np.sqrt(np.einsum("ni,ij,nj->n", x, inverse, x))
    risky = np.abs(x - y).min(axis=1) < half
    alone = cKDTree(y).query(y, k=2, workers=-1)[0][:, 1] > 0.05
    return float((risky & alone).sum())


JOBS = [
    *(
        Job(
            f"linkage, {many}",
            "a query of scipy's tree",
            SIZES,
            TINY,
            partial(_linkage_race, noise),
            rounds=3,
        )
        for noise, many in NOISES.items()
    ),
    Job("robust-Mahalanobis risk", "scikit-learn", SIZES, TINY, _rmd_race, rounds=3),
]
