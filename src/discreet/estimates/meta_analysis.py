"""A figure of several studies together: by inverse variance, and with heterogeneity in it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from discreet.arguments import Floats
from discreet.errors import InputError
from discreet.estimates.intervals import NORMAL

FIXED = "fixed effect"
DERSIMONIAN, KNAPP = "random effects (DL)", "random effects (PM, HK)"

Interval = tuple[float, float, float]
"""A low end, an estimate and a high end."""


class Combined(NamedTuple):
    """What several estimates say together.

    `pooled` has an interval of 95 % by each way to combine them, `weights` the share of each
    estimate in the fixed and in the random effect, `without` the second of `pooled` when
    one estimate is left out (none where there are two). `q`, `p`, `i2` and `tau` say how far the
    estimates differ beyond their errors.
    """

    pooled: dict[str, Interval]
    weights: tuple[tuple[float, float], ...]
    q: float
    p: float
    i2: float
    tau: float
    without: tuple[Interval, ...]


def combine(estimates: Sequence[float], errors: Sequence[float]) -> Combined:
    """Combine estimates of several studies, each with its standard error.

    At least two estimates; errors are above 0, with everything in them by which an estimate is off.
    The fixed effect weighs by inverse variance. Both random effects add the variance between
    studies: as DerSimonian and Laird (1986) estimate it, with a normal interval, and as Paule and
    Mandel (1982) do, with the interval of Hartung and Knapp (2001), which is never narrower than
    the errors alone make it (Röver, Knapp and Friede 2015). I² is that of Higgins and Thompson
    (2002).

    Examples
    --------
    >>> found = combine([1.0, 1.2, 0.8], [0.1, 0.14, 0.1])
    >>> [round(it, 3) for it in found.pooled["fixed effect"]]
    [0.837, 0.961, 1.085]
    >>> round(found.q, 2), round(found.i2, 2)
    (5.66, 0.65)
    """
    if len(estimates) < 2:
        raise InputError("fewer than two studies have an estimate; there is nothing to combine")
    from scipy.special import chdtrc

    values, variances = np.array(estimates), np.array(errors) ** 2
    df, fixed = len(values) - 1, _weighed(values, variances)
    between, knapp = (
        _weighed(values, variances + _laird(values, variances)),
        _paule(values, variances),
    )
    others = [np.arange(len(values)) != at for at in range(len(values))] if df > 1 else []
    return Combined(
        {
            FIXED: fixed.normal(),
            DERSIMONIAN: between.normal(),
            KNAPP: _weighed(values, variances + knapp).by_knapp(df),
        },
        tuple(zip(fixed.weights.tolist(), between.weights.tolist(), strict=True)),
        fixed.q,
        float(chdtrc(df, fixed.q)),
        max(0.0, 1 - df / fixed.q) if fixed.q > 0 else 0.0,
        math.sqrt(knapp),
        tuple(
            _weighed(values[it], variances[it] + _laird(values[it], variances[it])).normal()
            for it in others
        ),
    )


class _Weighed(NamedTuple):
    """A mean by inverse variance, its standard error, the weights, and Q about it."""

    mean: float
    error: float
    weights: Floats
    q: float

    def normal(self) -> Interval:
        reach = NORMAL * self.error
        return self.mean - reach, self.mean, self.mean + reach

    def by_knapp(self, df: int) -> Interval:
        """Return Hartung and Knapp's interval, never narrower than by the errors alone."""
        from scipy.special import stdtrit

        reach = float(stdtrit(df, 0.975)) * self.error * math.sqrt(max(1.0, self.q / df))
        return self.mean - reach, self.mean, self.mean + reach


def _weighed(values: Floats, variances: Floats) -> _Weighed:
    total = float((1 / variances).sum())
    weights = 1 / variances / total
    mean = float(weights @ values)
    return _Weighed(
        mean, math.sqrt(1 / total), weights, float((values - mean) ** 2 @ (1 / variances))
    )


def _laird(values: Floats, variances: Floats) -> float:
    """Return the variance between studies by moments (DerSimonian and Laird)."""
    of, weights = _weighed(values, variances), 1 / variances
    scale = weights.sum() - (weights**2).sum() / weights.sum()
    return max(0.0, float((of.q - len(values) + 1) / scale))


def _paule(values: Floats, variances: Floats) -> float:
    """Return the variance between studies for which Q is what chance makes it (Paule, Mandel)."""
    from scipy.optimize import brentq

    def more(between: float) -> float:
        return _weighed(values, variances + between).q - (len(values) - 1)

    if more(0.0) <= 0:
        return 0.0
    # With as much between studies as their values differ, Q is below its degrees of freedom.
    return float(brentq(more, 0.0, float(np.ptp(values)) ** 2))
