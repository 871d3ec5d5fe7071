"""What rows say of a population that was sampled with unequal weights: as surveys define it.

Weights are finite and above 0, one for each value; only their ratios matter, but for a total.
"""

from __future__ import annotations

import math

import numpy as np

from discreet.arguments import Floats

NEARLY = 1e-12
"""So near to a share, of all weights, the sum of weights has reached it: sums are rounded."""


def mean_by(values: Floats, weights: Floats) -> float:
    """Return the weighted mean (Hájek's).

    Examples
    --------
    >>> mean_by(np.array([1.0, 5.0]), np.array([3.0, 1.0]))
    2.0
    """
    return float(_shares(weights) @ values)


def sd_by(values: Floats, weights: Floats) -> float:
    """Return the standard deviation in the population, as it is estimated from n rows.

    The weighted mean square around the weighted mean, times n / (n - 1), as `svyvar` of R's package
    survey has it. It does not change where all weights are multiplied by a number.

    Examples
    --------
    >>> sd_by(np.array([1.0, 3.0]), np.array([7.0, 7.0])) == math.sqrt(2)
    True
    """
    shares, n = _shares(weights), len(values)
    return math.sqrt(n / (n - 1) * float(shares @ (values - shares @ values) ** 2))


def error_by(values: Floats, weights: Floats) -> float:
    """Return the standard error of the weighted mean, by linearisation (Taylor).

    As of a sample of n rows that were drawn independently, with such weights: no strata, no
    clusters.

    References
    ----------
    Binder, "On the variances of asymptotically normal estimators from complex surveys",
    International Statistical Review 51 (1983).

    Examples
    --------
    >>> error_by(np.array([1.0, 3.0]), np.array([7.0, 7.0]))  # that of a mean: sd / sqrt(n)
    1.0
    """
    shares, n = _shares(weights), len(values)
    each = shares * (values - shares @ values)
    return math.sqrt(n / (n - 1) * float(each @ each))


def quantiles_by(values: Floats, weights: Floats, shares: tuple[float, ...]) -> tuple[float, ...]:
    """Return quantiles: the least value that holds such a share of all weights, with those below.

    Where the values up to it hold that share and no more, it is the middle between it and the next
    one, so that the median of two equal weights lies between them.

    References
    ----------
    Francisco and Fuller, "Quantile estimation with a complex survey design", Annals of Statistics
    19 (1991); with the middle taken it is `qrule="school"` of `svyquantile` in R's package survey.

    Examples
    --------
    >>> quantiles_by(np.array([30.0, 10.0, 20.0]), np.array([1.0, 2.0, 1.0]), (0.25, 0.5, 0.6))
    (10.0, 15.0, 20.0)
    """
    order = np.argsort(values, kind="stable")
    ordered, reached = values[order], np.cumsum(_shares(weights)[order])
    last = len(values) - 1
    found = []
    for share in shares:
        at = min(int(np.searchsorted(reached, share - NEARLY)), last)
        after = min(at + 1, last) if reached[at] <= share + NEARLY else at
        low, high = float(ordered[at]), float(ordered[after])
        found.append(low + (high - low) / 2)
    return tuple(found)


def rows_worth(weights: Floats) -> float:
    """Return how many rows of equal weights say as much of a mean (Kish's effective n).

    References
    ----------
    Kish, Survey Sampling (1965), section 11.7.

    Examples
    --------
    >>> round(rows_worth(np.array([2.0, 2.0, 2.0]))), round(rows_worth(np.array([9.0, 1.0])), 2)
    (3, 1.22)
    """
    shares = _shares(weights)
    return 1 / float(shares @ shares)


def _shares(weights: Floats) -> Floats:
    """Return weights that add up to 1; the largest is divided by first, for very large ones."""
    of_largest = weights / weights.max()
    found: Floats = of_largest / of_largest.sum()
    return found
