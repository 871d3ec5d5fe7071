"""Random intercepts: of a linear model by REML, of others by adaptive Gauss-Hermite quadrature.

A level has one intercept of its own, so its likelihood is an integral over one number. The fit of a
linear model needs no more than the means of each level and the products within levels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.polynomial.hermite import hermgauss

from discreet.arguments import Floats, Labels
from discreet.errors import RefusedError
from discreet.regression.formula import DEPENDENT

FEWEST_LEVELS = 3
"""Of fewer levels nothing can be said of how they vary."""
FEW_LEVELS = (
    "a random term needs a column of {least} levels or more in these rows; take {name!r} as a fixed"
    " term"
)
ALONE = (
    "a random term needs levels of several rows, and each row is a level of {name!r}; leave it out"
)
APART = (
    "the other terms tell the levels of {name!r} apart, and leave nothing to a random term; leave"
    " terms out, or take {name!r} as a fixed term"
)
NODES = 15
"""At so many places the likelihood of a level is computed, around its highest one."""
FEWER_NODES, MUCH_KNOWN = 5, 1000.0
"""As many for a level of so much information, such as of so many counts, which is near to normal:
estimates are off by less than .0001 of their standard errors."""
FARTHEST_RATIO, LEAST_WITHIN = 1e12, 1e-18
NEGLIGIBLE = 1e-4
"""A variance between levels that is this small beside the error of a level's mean counts as 0."""
MOST_STEPS, NEAR, NEAR_ENOUGH = 100, 1e-3, 1e-2
"""The maximum is searched until it is so many standard errors away, before a last step."""
HIGHEST = 300.0


_nodes = lru_cache(hermgauss)


class Intercepts(NamedTuple):
    """A fitted model: coefficients and their covariance, and the sd between levels and in them."""

    values: Floats
    covariance: Floats
    between: float
    within: float = 0.0


def means_by_level(columns: Floats, codes: Labels) -> tuple[Floats, Floats]:
    """Return how many rows each level has, and the mean of each column there."""
    rows = np.bincount(codes).astype(np.float64)
    sums = [np.bincount(codes, column) for column in columns.T]
    return rows, np.column_stack(sums) / rows[:, None]


def check_levels(name: str, matrix: Floats, codes: Labels) -> None:
    """Refuse a random term of few levels, or one that the other terms leave nothing to."""
    rows, means = means_by_level(matrix, codes)
    if len(rows) < FEWEST_LEVELS:
        raise RefusedError(FEW_LEVELS.format(name=name, least=FEWEST_LEVELS), rule="random")
    if len(rows) == len(matrix):
        raise RefusedError(ALONE.format(name=name), rule="random")
    known = np.einsum("ij,ji->", means, np.linalg.solve(matrix.T @ matrix, (means.T * rows**2)))
    if len(matrix) - known <= DEPENDENT * len(matrix):
        raise RefusedError(APART.format(name=name), rule="random")


def by_reml(outcome: Floats, matrix: Floats, codes: Labels) -> Intercepts | None:
    """Fit a linear model with an intercept of each level, by restricted maximum likelihood.

    The likelihood is a function of one number, the variance between levels as a multiple of that
    within. It is searched over its whole range, as it may have two maxima where levels differ much
    in their rows. None is returned where nothing varies within levels.

    Examples
    --------
    >>> outcome = np.array([1.0, 3.0, 5.0, 7.0, 6.0, 8.0])
    >>> found = by_reml(outcome, np.ones((6, 1)), np.array([0, 0, 1, 1, 2, 2]))
    >>> found.values.round(6), round(found.between**2, 6), round(found.within**2, 6)
    (array([5.]), 6.0, 2.0)
    """
    from scipy.optimize import minimize_scalar

    columns = np.column_stack([matrix, outcome])
    rows, means = means_by_level(columns, codes)
    columns -= means[codes]
    within = columns.T @ columns
    free = len(outcome) - matrix.shape[1]

    def at(ratio: float) -> tuple[Floats, Floats, float, float]:
        products = within + (means.T * (rows / (1 + ratio * rows))) @ means
        left, right = products[:-1, :-1], products[:-1, -1]
        values: Floats = np.asarray(np.linalg.solve(left, right))
        variance = float(products[-1, -1] - right @ values) / free
        height = np.log1p(ratio * rows).sum() + np.linalg.slogdet(left)[1]
        return values, left, variance, float(height + free * np.log(variance))

    least, most = np.log(NEGLIGIBLE / rows.max()), np.log(FARTHEST_RATIO)
    logs = np.linspace(least, most, 100)
    heights = [at(ratio)[3] for ratio in np.exp(logs)]
    best, ratio = int(np.argmin(heights)), 0.0
    if best == len(logs) - 1 or not np.isfinite(heights[best]):
        return None
    if heights[best] < at(0.0)[3] and best > 0:
        around = (logs[best - 1], logs[best + 1])
        found = minimize_scalar(
            lambda it: at(np.exp(it))[3], bounds=around, method="bounded", options={"xatol": 1e-9}
        )
        ratio = float(np.exp(found.x))
    values, left, variance, _ = at(ratio)
    if not variance > LEAST_WITHIN * np.mean(outcome**2):
        return None
    return Intercepts(
        values,
        np.asarray(np.linalg.inv(left)) * variance,
        float(np.sqrt(ratio * variance)),
        float(np.sqrt(variance)),
    )


# --- by quadrature ------------------------------------------------------------------------------


Cumulant = Callable[[Floats], tuple[Floats, Floats, Floats]]
"""What a linear predictor gives: the cumulant of the outcome, its mean and its variance."""


def binomial(at: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the cumulant, mean and variance of yes or no."""
    small = np.exp(-np.abs(at))
    mean = np.where(at >= 0, 1.0, small) / (1 + small)
    return np.maximum(at, 0) + np.log1p(small), mean, mean * (1 - mean)


def poisson(at: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the cumulant, mean and variance of a count."""
    mean = np.exp(np.minimum(at, HIGHEST))
    return mean, mean, mean


@dataclass(frozen=True, eq=False)
class Likelihood:
    """The likelihood of a model with an intercept of each level, which is integrated out.

    Rows stand level by level, and `starts` is where each level begins. A level's intercept is u
    times the sd between levels, with u standard normal.
    """

    outcome: Floats
    matrix: Floats
    starts: Labels
    cumulant: Cumulant
    nodes: int = NODES
    fewer: int = FEWER_NODES

    @classmethod
    def of(cls, outcome: Floats, matrix: Floats, codes: Labels, cumulant: Cumulant) -> Likelihood:
        """Return that of rows in any order; each code from 0 on has a row."""
        order = np.argsort(codes, kind="stable")
        rows = np.bincount(codes)
        return cls(outcome[order], matrix[order], np.cumsum(rows) - rows, cumulant)

    def modes(self, fixed: Floats, deviation: float) -> tuple[Floats, Floats]:
        """Return where the likelihood of each level is highest, and how curved it is there."""
        rows = np.diff(np.append(self.starts, len(fixed)))
        u = np.zeros(len(rows))
        for _ in range(MOST_STEPS):
            _, mean, variance = self.cumulant(fixed + deviation * np.repeat(u, rows))
            slope = deviation * np.add.reduceat(self.outcome - mean, self.starts) - u
            curvature = 1 + deviation**2 * np.add.reduceat(variance, self.starts)
            step = slope / curvature
            if np.abs(step).max() < 1e-9:
                break
            u = u + np.clip(step, -2, 2)
        return u, curvature

    def __call__(self, at: Floats) -> tuple[float, Floats, Floats]:
        """Return the negative logarithm at coefficients and sd, its gradient and its curvature.

        Gradient and curvature are expectations over each level's intercept (Louis 1982), computed
        at the same places as the likelihood.
        """
        values, deviation = at[:-1], float(at[-1])
        fixed = self.matrix @ values
        height, slope, curvature = 0.0, np.zeros(len(at)), np.zeros((len(at), len(at)))
        ends = np.append(self.starts[1:], len(fixed))
        modes = zip(self.starts.tolist(), ends.tolist(), *self.modes(fixed, deviation), strict=True)
        for start, end, mode, curved in modes:
            x, y = self.matrix[start:end], self.outcome[start:end]
            is_known = curved - 1 >= MUCH_KNOWN * deviation**2
            z, weights = _nodes(self.fewer if is_known else self.nodes)
            u = mode + np.sqrt(2 / curved) * z
            predictor = fixed[start:end, None] + deviation * u
            cumulant, mean, variance = self.cumulant(predictor)
            logs = y @ predictor - cumulant.sum(axis=0) - u**2 / 2 + np.log(weights) + z**2
            share = np.exp(logs - logs.max())
            height -= logs.max() + np.log(share.sum()) - np.log(np.pi * curved) / 2
            share /= share.sum()
            left = y[:, None] - mean
            scores = np.vstack([x.T @ left, u * left.sum(axis=0)])
            score = scores @ share
            each = variance @ np.column_stack([share, share * u])
            curvature[:-1, :-1] += (x.T * each[:, 0]) @ x
            beside = x.T @ each[:, 1]
            curvature[:-1, -1] += beside
            curvature[-1, :-1] += beside
            curvature[-1, -1] += variance.sum(axis=0) @ (share * u**2)
            curvature -= (scores * share) @ scores.T - np.outer(score, score)
            slope -= score
        return height, slope, curvature


def by_quadrature(likelihood: Likelihood, values: Floats) -> Intercepts | None:
    """Maximise a likelihood, from the coefficients of the model without a random term.

    Where none with a variance between levels is higher, that is 0. None is returned where no
    maximum was found. The covariance is of all parameters together, the sd between levels too.
    """
    from scipy.optimize import minimize

    begin = np.append(values, _first_deviation(likelihood, values))
    known = lru_cache(maxsize=2)(lambda place: likelihood(np.frombuffer(place)))
    # In such coordinates a standard error is about 1.
    sizes, axes = np.linalg.eigh(known(begin.tobytes())[2])
    axes = axes / np.sqrt(np.maximum(np.abs(sizes), 1.0))

    def at(moved: Floats) -> tuple[float, Floats, Floats]:
        height, slope, curvature = known((begin + axes @ moved).tobytes())
        return height, axes.T @ slope, axes.T @ curvature @ axes

    moved = minimize(
        lambda it: at(it)[0],
        np.zeros(len(begin)),
        jac=lambda it: at(it)[1],
        hess=lambda it: at(it)[2],
        method="trust-exact",
        options={"gtol": NEAR, "maxiter": MOST_STEPS},
    ).x
    _, slope, curvature = at(moved)
    step = np.linalg.solve(curvature, slope)
    if not 0 <= slope @ step < NEAR_ENOUGH**2:
        return None
    place = begin + axes @ (moved - step)
    height, _, curvature = likelihood(place)
    fixed = likelihood.matrix @ values
    cumulant, _, variance = likelihood.cumulant(fixed)
    if height > cumulant.sum() - likelihood.outcome @ fixed - NEGLIGIBLE:
        information = (likelihood.matrix.T * variance) @ likelihood.matrix
        return Intercepts(values, np.asarray(np.linalg.inv(information)), 0.0)
    covariance = np.asarray(np.linalg.inv(curvature))[:-1, :-1]
    return Intercepts(place[:-1], covariance, abs(float(place[-1])))


def _first_deviation(likelihood: Likelihood, values: Floats) -> float:
    """Return about how much levels differ: by one step from the model without a random term."""
    _, mean, variance = likelihood.cumulant(likelihood.matrix @ values)
    left = np.add.reduceat(likelihood.outcome - mean, likelihood.starts)
    rows = np.add.reduceat(variance, likelihood.starts)
    error = np.mean(1 / rows)
    return float(np.sqrt(np.clip(np.mean((left / rows) ** 2) - error, error, 9.0)))
