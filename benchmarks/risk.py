"""Speed of the risks, as ratios to a peer in the same run.

Record linkage with exact ties against one plain `cKDTree` query for the nearest released row
(both standardise, build and ask); robust-Mahalanobis risk with its baselines against
scikit-learn's `MinCovDet` on as many rows and a plain query for the nearest other row. Equal
results are asserted first: rows drawn from a continuous law have no ties, and on tied rows
linkage is compared with brute force. Rounds are interleaved, medians are compared, and growth
over the rows is printed.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from statistics import median

import numpy as np
from numpy.typing import NDArray

from discreet.measure.linkage import record_linkage
from discreet.measure.pairs import Pair, as_pair
from discreet.measure.rmd import SAMPLE, rmd_risk

Floats = NDArray[np.float64]
Measure = Callable[[Pair], float]

SIZES = (100_000, 1_000_000)
COLUMNS = 4
NOISES = (0.02, 0.1, 0.25)  # nearly all, many and few rows are linked
ROUNDS = 3
CHECKED = 4000


def main() -> None:
    """Print a line for each risk, noise and size."""
    _check_ties()
    _check_rmd()
    print(f"load {os.getloadavg()[0]:.2f}, {os.cpu_count()} cores, {COLUMNS} columns")
    print("rows        risk                      discreet s     peer s   ratio")
    for noise in NOISES:
        _line(f"linkage, noise {noise}", noise, _linkage, _plain_query)
    _line("rmd, noise 0.1", 0.1, _rmd, _plain_rmd)


def _line(name: str, noise: float, ours: Measure, theirs: Measure) -> None:
    """Race two ways to measure on each size, and print how they grow."""
    times = []
    for rows in SIZES:
        pair = _pair(rows, noise)
        if ours is _linkage and not math.isclose(ours(pair), theirs(pair), rel_tol=1e-12):
            raise SystemExit("the linkages differ")
        mine, peer = _race(ours, theirs, pair)
        times.append(mine)
        print(f"{rows:<12,}{name:<26}{mine:10.2f}{peer:11.2f}{mine / peer:8.2f}", flush=True)
    exponent = np.log(times[1] / times[0]) / np.log(SIZES[1] / SIZES[0])
    print(f"{name} grows with rows to the power {exponent:.2f}")


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


def _check_rmd() -> None:
    """Compare the counts where both fit to all rows: random starts differ, so nearly equal."""
    pair = _pair(CHECKED, 0.1)
    if not math.isclose(_rmd(pair), _plain_rmd(pair), rel_tol=0.05):
        raise SystemExit("the robust-Mahalanobis risks differ")


def _check_ties() -> None:
    """Compare linkage with brute force on whole numbers, where most rows are tied."""
    rng = np.random.default_rng(2)
    x = rng.integers(0, 9, (CHECKED, COLUMNS)).astype(float)
    y = x + rng.integers(-1, 2, x.shape)
    sd = x.std(axis=0, ddof=1)
    parts = []
    for i, row in enumerate(x):
        gaps = np.sqrt(np.square((y - row) / sd).sum(axis=1))
        near = gaps <= gaps.min() * (1 + 1e-10) + 1e-12
        parts.append(near[i] / near.sum())
    if not math.isclose(_linkage(as_pair(x, y)), math.fsum(parts), rel_tol=1e-12):
        raise SystemExit("the linkages of tied rows differ")


def _race(ours: Measure, theirs: Measure, pair: Pair) -> tuple[float, float]:
    mine, peer = [], []
    for _ in range(ROUNDS):
        mine.append(_timed(ours, pair))
        peer.append(_timed(theirs, pair))
    return median(mine), median(peer)


def _timed(measure: Measure, pair: Pair) -> float:
    start = time.perf_counter()
    measure(pair)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
