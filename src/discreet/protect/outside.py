"""What becomes of protected values that lie outside the bounds a column has by its meaning."""

from __future__ import annotations

import numpy as np

from discreet.errors import InputError
from discreet.protect.arguments import check_word
from discreet.protect.base import Floats

__all__ = ["OUTSIDE", "outside"]

OUTSIDE = ("keep", "reflect", "clip")
"""What may be done with values outside the bounds of their column."""

LARGEST = float(np.finfo(np.float64).max)


def outside(values: Floats, low: float, high: float, rule: str) -> Floats:
    """Keep, reflect or clip the values that lie outside the theoretical bounds of a column.

    Noise and rescaling do not know that a share ends at 0 and 1, or that no time is negative.

    Parameters
    ----------
    values : ndarray of float
        Protected values of one column, finite.
    low, high : float
        The bounds that the column has by its meaning, not by its data; low below high. An end
        that the column does not have is -inf or inf.
    rule : str
        "keep" changes nothing: spread and correlations stay as the method left them, and some
        values are impossible. "reflect" folds a value back by as much as it lies outside,
        from bound to bound until it lies inside: no value piles up and the shape stays smooth,
        but the part near a bound is mixed with what lay beyond it, which draws the mean inward
        and makes the spread smaller. "clip" puts a value on the bound it has passed: it moves
        least, and least of the spread is lost, but the bound gets a spike that is not in the
        data.

    Returns
    -------
    ndarray of float, of the shape of `values`
        A copy in which values from low to high are unchanged, bit for bit; with "reflect" and
        "clip" there are no others.

    Raises
    ------
    InputError
        If the rule is unknown, low is not below high, or a value is missing or infinite.

    Notes
    -----
    **What it does not protect.** Nothing more than the values that come in: it is done to
    protected values, with bounds that everybody knows. Bounds taken from the data (a smallest or
    largest value) give a record away. A spike after "clip" says about how many records lie
    within the noise of the bound.

    References
    ----------
    Avraam et al., "Privacy preserving data visualizations", EPJ Data Science 10:2 (2021),
    section 4.1: both methods "can generate anonymized values that fall outside the original (or
    theoretically defined) ranges"; its pictures keep them.

    Examples
    --------
    >>> import numpy as np
    >>> share = np.array([-0.25, 0.5, 1.25, 2.25])
    >>> outside(share, 0.0, 1.0, "reflect").tolist()
    [0.25, 0.5, 0.75, 0.25]
    >>> outside(share, 0.0, np.inf, "clip").tolist()
    [0.0, 0.5, 1.25, 2.25]
    """
    check_word("outside", rule, OUTSIDE)
    if not low < high:
        raise InputError("low must be a number below high; an end that is open is -inf or inf")
    given = np.array(values, dtype=np.float64)
    if not np.isfinite(given).all():
        raise InputError("values are missing or infinite; leave them out before bounds are kept")
    if rule == "keep":
        return given
    beyond = (given < low) | (given > high)
    moved = given[beyond]
    if rule == "reflect":
        moved = _reflected(moved, low, high)
    given[beyond] = np.clip(moved, max(low, -LARGEST), min(high, LARGEST))
    return given


def _reflected(values: Floats, low: float, high: float) -> Floats:
    """Return `values`, all outside, mirrored at the bounds; rounding may leave them just there."""
    with np.errstate(over="ignore"):
        if np.isinf(low):
            return high - (values - high)
        if np.isinf(high):
            return low + (low - values)
        there_and_back = min(2 * (high - low), LARGEST)
        gone = np.mod(np.clip(values - low, -LARGEST, LARGEST), there_and_back)
        folded: Floats = low + np.minimum(gone, there_and_back - gone)
    return folded
