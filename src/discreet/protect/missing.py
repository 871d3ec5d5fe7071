"""What stands in for missing values, where rows that lack one are not left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from discreet.errors import InputError, RefusedError, one_of
from discreet.protect.base import Floats

__all__ = ["MISSING_LEVELS", "MISSING_NUMBERS", "drawn_levels", "filled"]

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
