"""Intervals of 95 % of a mean and of a share, with a copy's own error in them where it is known.

Values come in as arrays; whose rows they are is for the caller to say.
"""

from __future__ import annotations

import math

import numpy as np

from discreet.arguments import Floats, Labels
from discreet.estimates.by_persons import error_by_persons
from discreet.estimates.own_error import NORMAL
from discreet.estimates.weighted import error_by, mean_by, sd_by

LEVEL = 0.975
"""The interval of a mean lies between the quantiles 1 - LEVEL and LEVEL of t."""


def interval_of(
    values: Floats, weights: Floats | None = None, own: float = 0.0, persons: Labels | None = None
) -> tuple[float, float] | None:
    """Return the 95 % interval of a mean, by t; None of fewer than two values.

    `own` is the copy's own standard error, which is added in squares. `persons` are whose each
    value is, where some have several: of fewer than two there is no interval.

    Examples
    --------
    >>> low, high = interval_of(np.array([1.0, 2.0, 3.0]))
    >>> round(low, 3), round(high, 3)
    (-0.484, 4.484)
    """
    from scipy.special import stdtrit

    n = len(values)
    if n < 2:
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        if persons is not None:
            mean = float(values.mean()) if weights is None else mean_by(values, weights)
            error, n = error_by_persons(values, persons, weights)
        elif weights is None:
            mean, error = float(values.mean()), float(values.std(ddof=1)) / math.sqrt(n)
        else:
            mean, sd = mean_by(values, weights), sd_by(values, weights)
            error = error_by(values, weights) if math.isfinite(sd) else math.inf
    if not (math.isfinite(mean) and math.isfinite(error)):
        return None
    half = math.hypot(float(stdtrit(n - 1, LEVEL)) * error, NORMAL * own)
    return mean - half, mean + half


def wilson(share: float, n: float) -> tuple[float, float]:
    """Return the interval of 95 % of a share of n rows (Wilson 1927).

    Examples
    --------
    >>> low, high = wilson(0.2, 100)
    >>> round(low, 3), round(high, 3)
    (0.133, 0.289)
    """
    z = NORMAL * NORMAL
    middle = (share * n + z / 2) / (n + z)
    half = NORMAL * math.sqrt(share * (1 - share) * n + z / 4) / (n + z)
    return max(0.0, middle - half), min(1.0, middle + half)


def share_interval(share: float, n: float, own: float = 0.0) -> tuple[float, float]:
    """Return Wilson's interval, each end as much farther as the copy's own error makes it.

    Examples
    --------
    >>> low, high = share_interval(0.2, 100, 0.05)
    >>> round(low, 3), round(high, 3)
    (0.081, 0.332)
    """
    below, above = (math.hypot(end - share, NORMAL * own) for end in wilson(share, n))
    return max(0.0, share - below), min(1.0, share + above)
