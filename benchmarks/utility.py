"""Speed of the propensity U of two tables, as ratios to scikit-learn and statsmodels.

Seven columns in either table. We start from the columns of the two tables; the peers are given
them stacked, standardised and in one matrix, which is not timed (scikit-learn at its default
tolerance, its quickest). All end with U. statsmodels' U must be ours to 1e-9 of itself.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import partial
from statistics import median
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from discreet.measure.pairs import Pair, Side
from discreet.measure.utility import propensity

SIZES = (100_000, 1_000_000)
COLUMNS = 7
ROUNDS = 5
EQUAL, NEAR = 1e-9, 1e-7

Floats = NDArray[np.float64]


def main() -> None:
    """Print a line for each size."""
    print(f"load {os.getloadavg()[0]:.2f}, {os.cpu_count()} cores, median of {ROUNDS} rounds")
    print(
        "propensity U        discreet s   sklearn s   ratio   statsmodels s   ratio   prepared in s"
    )
    times = []
    for rows in SIZES:
        pair = _pair(rows)
        prepared = _timed(partial(_stacked, pair))
        design, released = _stacked(pair)
        _check_equal(pair, design, released)
        jobs: list[Callable[[], object]] = [
            partial(propensity, pair),
            partial(_sklearn, design, released),
            partial(_statsmodels, design, released),
        ]
        rounds = [[_timed(job) for job in jobs] for _ in range(ROUNDS)]
        ours, sklearn, statsmodels = (median(column) for column in zip(*rounds, strict=True))
        times.append(ours)
        print(
            f"2 x {rows:<9,} x {COLUMNS} {ours:13.3f}{sklearn:12.3f}{ours / sklearn:8.2f}"
            f"{statsmodels:16.3f}{ours / statsmodels:8.2f}{prepared:16.3f}"
        )
    exponent = np.log(times[1] / times[0]) / np.log(SIZES[1] / SIZES[0])
    print(f"propensity U grows with rows to the power {exponent:.2f}")


def _pair(rows: int) -> Pair:
    """Make a table of correlated columns, and one that moved a little."""
    rng = np.random.default_rng(1)
    before = rng.normal(size=(rows, COLUMNS)) @ rng.normal(size=(COLUMNS, COLUMNS))
    after = before + 0.3 * rng.normal(size=before.shape) + 0.02 * rng.normal(size=COLUMNS)
    return Pair(_side(before), _side(after), same_rows=True)


def _side(table: Floats) -> Side:
    columns = {str(j): table[:, j].copy() for j in range(COLUMNS)}
    return Side(MappingProxyType(columns), MappingProxyType({}))


def _stacked(pair: Pair) -> tuple[Floats, Floats]:
    both = np.vstack([pair.original.matrix, pair.released.matrix])
    released = np.repeat([0.0, 1.0], [len(pair.original), len(pair.released)])
    return (both - both.mean(axis=0)) / both.std(axis=0), released


def _sklearn(design: Floats, released: Floats) -> float:
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(solver="newton-cholesky", C=np.inf).fit(design, released)
    return float(np.mean((model.predict_proba(design)[:, 1] - 0.5) ** 2))


def _statsmodels(design: Floats, released: Floats) -> float:
    from statsmodels.discrete.discrete_model import Logit

    model = Logit(released, np.column_stack([np.ones(len(design)), design]))
    return float(np.mean((model.fit(disp=0).predict() - 0.5) ** 2))


def _check_equal(pair: Pair, design: Floats, released: Floats) -> None:
    ours = propensity(pair).u
    if abs(_statsmodels(design, released) / ours - 1) > EQUAL:
        raise SystemExit("statsmodels finds another U")
    if abs(_sklearn(design, released) / ours - 1) > NEAR:
        raise SystemExit("scikit-learn finds another U")


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
