"""What columns with known noise say of the columns before: numbers that are right on average.

A score is a function of a value with noise whose mean, over the noise, is the value before. Means
and products of scores of different columns are then those of the values before, on average; the
square of a score is not, so the variance is estimated by itself.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.arguments import Floats

STEADY = 1e-12
TURNS = 200
"""So often at most the variance is estimated with the noise that follows from it."""
AMPLIFIED = 2.0
"""Waves that the noise has made smaller than exp(-2) are left out: they say little any more."""
MOST_WAVES = 199


class Folds(NamedTuple):
    """The ends that values with noise were folded back at, and the step they were rounded to."""

    low: float
    high: float
    step: float


class Scored(NamedTuple):
    """The scores of a column, and the variance (divisor n) that it had before the noise."""

    scores: Floats
    variance: float


def scored(
    values: Floats, q: float, *, multiplied: bool = False, folds: Folds | None = None
) -> Scored | None:
    """Return scores of a column with noise, and the variance that it had without.

    Parameters
    ----------
    values : ndarray of shape (n,)
        The column with its noise.
    q : float
        The standard deviation of the noise as a share of the column's, or of the factor where it
        is `multiplied`.
    folds : Folds, optional
        Where values that went beyond an end were put back by as much; the column before lies
        between the ends.

    Returns
    -------
    Scored or None
        None where the noise leaves no variance, or rounding hides it.

    Notes
    -----
    Of noise that is added, v = var(y) / (1 + q²); of noise that is multiplied, E[x²] = E[y²] /
    (1 + q²). Either way y is its own score.

    Values that are folded between ends are those of a wave that the ends do not change: with
    u = (y − low) / (high − low), c_m = cos(m π u) and normal noise of sd s in units of u,

        E[c_m(u) | t] = c_m(t) exp(−(m π s)² / 2),

    whatever was folded how often; rounding to a step makes it smaller again by sin(h) / h with
    h = m π step / 2. Position and square are sums of waves on (0, 1),

        t = 1/2 − 4/π² Σ_{m odd} c_m / m²,   t² = 1/3 + 4/π² Σ_m (−1)^m c_m / m²,

    so dividing each wave by what it lost gives scores. Waves that are nearly lost are left out;
    the noise follows from the variance, which is found by trying again until it stays.

    Examples
    --------
    >>> import numpy as np
    >>> scored(np.array([0.0, 2.0, 4.0, 6.0]), q=0.5).variance
    4.0
    >>> scored(np.array([1.0, 2.0, 3.0]), q=0.1, multiplied=True).variance < 2 / 3
    True
    """
    if folds is not None and not multiplied:
        return _unfolded(values, q, folds)
    mean, share = float(values.mean()), q**2 / (1 + q**2)
    variance = float(values.var())
    lost = share * (variance + mean**2 if multiplied else variance)
    return Scored(values, variance - lost) if variance > lost else None


def _unfolded(values: Floats, q: float, folds: Folds) -> Scored | None:
    """Return the same of values that were folded."""
    width = folds.high - folds.low
    u = (values - folds.low) / width
    variance = float(u.var()) / (1 + q**2)
    for _ in range(TURNS):
        sd = q * np.sqrt(variance)
        if folds.step > 2 * sd * width:
            return None
        before, (first, second) = variance, _position(u, sd, folds.step / width)
        variance = float(second.mean() - first.mean() ** 2)
        if not variance > 0:
            return None
        if abs(variance - before) <= STEADY * before:
            break
    scores: Floats = folds.low + width * first
    return Scored(scores, variance * width**2)


def _position(u: Floats, sd: float, step: float) -> tuple[Floats, Floats]:
    """Return scores of the position between the ends and of its square, for noise of one sd."""
    reach = np.sqrt(2 * AMPLIFIED) / (np.pi * sd) if sd > 0 else MOST_WAVES
    first, second = np.full(len(u), 1 / 2), np.full(len(u), 1 / 3)
    for m in range(1, max(3, int(min(reach, MOST_WAVES))) + 1):
        left = np.exp(-((m * np.pi * sd) ** 2) / 2) * np.sinc(m * step / 2)
        wave = np.cos(m * np.pi * u) * (4 / np.pi**2 / m**2 / left)
        second += -wave if m % 2 else wave
        if m % 2:
            first -= wave
    return first, second
