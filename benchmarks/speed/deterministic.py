"""Deterministic anonymisation, k = 3, beside pipelines that find neighbours by other trees.

All standardise, take the mean of the nearest within a stratum and stretch it back. The tree of
scipy is asked in its own order, which is the quickest way to ask it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.job import Job, Race
from discreet.methods import deterministic

__all__ = ["JOBS"]

Floats = NDArray[np.float64]
Labels = NDArray[np.intp]

STRATA, K = 12, 3


def _race(nearest: Callable[[Floats], Floats], strata: int, columns: int, n: int, _: Path) -> Race:
    rng = np.random.default_rng(1)
    x, labels = rng.normal(size=(n, columns)), rng.integers(0, strata, n)
    return Race(
        partial(deterministic, x, K, None if strata == 1 else labels),
        partial(_pipeline, x, labels, nearest),
        lambda ours, theirs: np.allclose(ours, theirs, rtol=0, atol=1e-9),
    )


def _pipeline(x: Floats, strata: Labels, nearest: Callable[[Floats], Floats]) -> Floats:
    mean, sd = x.mean(axis=0), x.std(axis=0, ddof=1)
    z = (x - mean) / sd
    out = np.empty_like(z)
    order = np.argsort(strata, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(strata[order])) + 1):
        out[rows] = nearest(z[rows])
    scaled: Floats = out * (sd / out.std(axis=0, ddof=1)) + mean
    return scaled


def _scipy(z: Floats) -> Floats:
    from scipy.spatial import cKDTree

    tree = cKDTree(z)
    near = tree.query(z[tree.indices], k=K, workers=-1)[1]
    out = np.empty_like(z)
    out[tree.indices] = z[near].mean(axis=1)
    return out


def _sklearn(z: Floats) -> Floats:
    from sklearn.neighbors import NearestNeighbors

    found = NearestNeighbors(n_neighbors=K, algorithm="kd_tree", n_jobs=os.cpu_count()).fit(z)
    out: Floats = z[found.kneighbors(z, return_distance=False)].mean(axis=1)
    return out


def _job(name: str, nearest: Callable[[Floats], Floats], strata: int, columns: int) -> Job:
    parted = f", {strata} strata" if strata > 1 else ""
    race = partial(_race, nearest, strata, columns)
    title = f"`deterministic`, {columns} columns{parted}"
    return Job(title, name, (100_000, 1_000_000), 2_000, race, rounds=3)


JOBS = [
    _job("scipy's tree", _scipy, 1, 2),
    _job("scipy's tree", _scipy, 1, 4),
    _job("scipy's tree", _scipy, STRATA, 2),
    _job("scikit-learn", _sklearn, STRATA, 2),
]
