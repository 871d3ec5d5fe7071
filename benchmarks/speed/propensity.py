"""The propensity U of two tables of seven columns, beside scikit-learn and statsmodels.

We start from the columns of the two tables; the peers are given them stacked, standardised and in
one matrix, which is not timed (scikit-learn at its default tolerance, its quickest).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from benchmarks.job import Job, Race
from discreet.measure.pairs import Pair, Side
from discreet.measure.utility import propensity

__all__ = ["JOBS"]

Floats = NDArray[np.float64]

SIZES, TINY = (100_000, 1_000_000), 2_000
COLUMNS = 7


def _race(peer: Callable[[Floats, Floats], float], tolerance: float, n: int, _: Path) -> Race:
    pair = _pair(n)
    return Race(
        lambda: propensity(pair).u,
        partial(peer, *_stacked(pair)),
        partial(math.isclose, rel_tol=tolerance),
    )


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


JOBS = [
    Job("propensity U", "scikit-learn", SIZES, TINY, partial(_race, _sklearn, 1e-7)),
    Job("propensity U", "statsmodels", SIZES, TINY, partial(_race, _statsmodels, 1e-9), rounds=3),
]
