"""Values of one column beside a method: what fills gaps, and what keeps bounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from discreet.arguments import Floats, check_word
from discreet.errors import InputError, RefusedError, one_of

__all__ = ["MISSING_LEVELS", "MISSING_NUMBERS", "OUTSIDE", "drawn_levels", "filled", "outside"]

MISSING_NUMBERS = ("complete", "median", "mean")
"""What happens to rows without a number: left out, or filled with a value of the column."""
MISSING_LEVELS = ("complete", "level", "drawn")
"""What happens to rows without a level: left out, a level of their own, or a level drawn."""


def filled(values: Floats, how: str, k: int = 1) -> Floats:
    """Return `values` with the missing ones (NaN) replaced by the median or mean of the others.

    Parameters
    ----------
    values : ndarray of float, of shape (n,)
        One column; missing values are NaN.
    how : {"median", "mean"}
        What stands in for them.
    k : int, default 1
        The median is the mean of the `k` values around it, so that with k above 1 it is not one
        person's.

    Returns
    -------
    ndarray of float, of shape (n,)

    Raises
    ------
    InputError
        If `how` is neither.
    RefusedError
        If fewer than k values are known.

    Notes
    -----
    Every missing value becomes the same one, so the column's spread and its correlations shrink,
    and the filled rows can be told apart. It is right for few missing values alone.

    References
    ----------
    Avraam et al., "A deterministic approach for protecting privacy in sensitive personal data",
    BMC Medical Informatics and Decision Making 22:24 (2022), Discussion.

    Examples
    --------
    >>> import numpy as np
    >>> filled(np.array([1.0, 2.0, np.nan, 9.0]), "median").tolist()
    [1.0, 2.0, 2.0, 9.0]
    >>> filled(np.array([1.0, 2.0, np.nan, 9.0]), "mean").tolist()
    [1.0, 2.0, 4.0, 9.0]
    """
    if how not in ("median", "mean"):
        raise InputError(f"how must be one of {one_of(('median', 'mean'))}")
    known = np.sort(values[~np.isnan(values)])
    if len(known) < max(k, 1):
        raise RefusedError("fewer than k values of a column are known; leave the column out")
    out: Floats = values.copy()
    out[np.isnan(values)] = known.mean() if how == "mean" else _median(known, k)
    return out


def drawn_levels(words: Sequence[str], uniforms: Floats) -> tuple[str, ...]:
    """Return `words` with the missing ones (no text) drawn from the shares of the others.

    Parameters
    ----------
    words : sequence of str, of length n
        One column of levels; missing ones are the empty text.
    uniforms : ndarray of float, of shape (n,)
        Numbers between 0 and 1, keyed by the secret: a record's own decides its level.

    Returns
    -------
    tuple of str

    Raises
    ------
    RefusedError
        If no level is known.

    Notes
    -----
    Shares are kept on average; what the level has to do with other columns is lost for the rows
    that were filled. Not what the paper prints to the letter, which names a binomial distribution
    fitted to the known values: for two levels it is that.

    Examples
    --------
    >>> import numpy as np
    >>> drawn_levels(["a", "", "b", "a"], np.array([0.0, 0.9, 0.0, 0.0]))
    ('a', 'b', 'b', 'a')
    """
    counts = Counter(word for word in words if word)
    if not counts:
        raise RefusedError("no level of a column is known; leave the column out")
    names = sorted(counts)
    ends = np.cumsum([counts[name] for name in names]) / counts.total()
    found = np.minimum(np.searchsorted(ends, uniforms, side="right"), len(names) - 1)
    return tuple(word or names[i] for word, i in zip(words, found.tolist(), strict=True))


def _median(ordered: Floats, k: int) -> float:
    """Return the mean of the values around the middle: one or two of them, or k if that is more."""
    size = max(k, 2 - len(ordered) % 2)
    start = min(max((len(ordered) - size + 1) // 2, 0), len(ordered) - size)
    return float(ordered[start : start + size].mean())


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
