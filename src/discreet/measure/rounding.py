"""How coarsely a number measured on raw data is told beside an exact release.

An exact mean, coefficient or displacement of the raw data is an exact answer to an exact question:
two of them, of tables that differ by one person, give that person's values (n times the mean less
n - 1 times the other mean). So what is told of raw data under a guarded policy is rounded to a
step that one person of many hardly moves. What is counted on the released table alone is exact:
whoever has the table can count it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from discreet.measure.coefficients import Coefficients
from discreet.measure.estimate import Estimate
from discreet.measure.utility import Preservation
from discreet.protect.order_means import nice_step, stepped

__all__ = [
    "COUNT_STEPS",
    "MOVED_STEP",
    "U_STEP",
    "Five",
    "coarse_box",
    "coarse_estimate",
    "coarse_model",
    "coarse_preservation",
    "to_step",
    "two_digits",
]

COUNT_STEPS = 4
"""An estimate of fewer trials than so many steps would say nothing once it is rounded."""
U_STEP = 0.0005
"""U grows with the square of a difference of means: to two digits it told one to 1e-5 sd."""
MOVED_STEP = 0.01
SUMMARY_STEP = 0.05
ESTIMATE_SHARE, ERROR_SHARE = 0.5, 0.2

Five = tuple[float, float, float, float, float]


def two_digits(value: float) -> float:
    """Round to two significant digits.

    Examples
    --------
    >>> two_digits(0.011437), two_digits(-1250.0), two_digits(0.0)
    (0.011, -1200.0, 0.0)
    """
    return float(f"{value:.2g}")


def to_step(value: float, step: float) -> float:
    """Round to the nearest multiple of a nice step; what is not finite stays as it is.

    Examples
    --------
    >>> to_step(0.9731, 0.05), to_step(-0.02, 0.05)
    (0.95, 0.0)
    """
    return float(stepped(np.array([value]), step)[0]) if math.isfinite(value) else value


def coarse_estimate(found: Estimate, to: int) -> Estimate | None:
    """Round count and trials to multiples of `to`, and guessing to two digits.

    Returns None where there are too few trials for that to say anything.
    """
    if found.trials < COUNT_STEPS * to:
        return None
    baseline = None if found.baseline is None else min(1.0, two_digits(found.baseline))
    return replace(found.rounded(to), baseline=baseline)


def coarse_box(numbers: Five) -> Five:
    """Round the five numbers of a box to a tenth of the box, all to one step."""
    spread = numbers[3] - numbers[1] or numbers[4] - numbers[0]
    if spread <= 0:  # as of tables that nothing tells apart
        return (two_digits(numbers[2]),) * 5
    low, q1, median, q3, high = stepped(np.array(numbers), nice_step(spread, 0.1)).tolist()
    return low, q1, median, q3, high


def coarse_model(model: Coefficients) -> Coefficients:
    """Round the original's estimates to about half their error, and the errors to a fifth.

    Rounded to a tenth, ten coefficients gave the outcome of one of 400 persons, all others known,
    within 5 % of a standard deviation in 71 % of cases; rounded to a half, in 8 % (guessing: 6 %).

    What follows from them (differences, intervals, their overlap) is then rounded as well. The
    coefficients of the released table are what anybody would compute from it, and stay.
    """
    errors = [float(error) for error in model.original_se]
    steps = [nice_step(error, ESTIMATE_SHARE) for error in errors]
    finer = [nice_step(error, ERROR_SHARE) for error in errors]
    pairs = zip(model.original, steps, strict=True)
    return replace(
        model,
        original=np.array([to_step(float(value), step) for value, step in pairs]),
        original_se=np.array([to_step(e, s) for e, s in zip(errors, finer, strict=True)]),
    )


def coarse_preservation(kept: Preservation) -> Preservation:
    """Round differences of summaries, all told in standard deviations or shares, to 0.05."""

    def coarse(values: Mapping[str, float]) -> Mapping[str, float]:
        return MappingProxyType({name: to_step(v, SUMMARY_STEP) for name, v in values.items()})

    quantiles = {
        name: tuple(to_step(value, SUMMARY_STEP) for value in values)
        for name, values in kept.quantiles.items()
    }
    correlations = {names: to_step(v, SUMMARY_STEP) for names, v in kept.correlations.items()}
    return Preservation(
        means=coarse(kept.means),
        spreads=coarse(kept.spreads),
        quantiles=MappingProxyType(quantiles),
        correlations=MappingProxyType(correlations),
        levels=coarse(kept.levels),
    )
