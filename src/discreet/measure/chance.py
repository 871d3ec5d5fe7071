"""What chance alone would give: each record compared with the rows of other records.

Which other rows is decided by the values of the rows, never by their order in the file and never
by a generator, so that the same two tables always give the same baseline.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from discreet.measure.pairs import Floats
from discreet.protect.base import lexicographic

__all__ = ["TURNS", "chance_share", "keyed_order", "mixed"]

Labels = NDArray[np.intp]
Flags = NDArray[np.bool_]
Digests = NDArray[np.uint64]

TURNS = 8
"""With how many other rows each record is compared."""

KEY = 0x9E3779B97F4A7C15
STEPS = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))  # the finisher of splitmix64


def keyed_order(matrix: Floats) -> Labels:
    """Return the rows in an order that looks random and follows from their values alone.

    Parameters
    ----------
    matrix : ndarray of shape (n, p)
        Finite numbers.

    Returns
    -------
    ndarray of int, of shape (n,)
        The rows by a digest, under a constant key, of the ranks of their values in each column
        and of how many equal rows come before; rows that are equal are interchangeable. The
        first m rows are the keyed subsample of size m.

    Notes
    -----
    Ranks, so that a change of units changes nothing. The key is public: the order hides
    nothing.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.array([[1.0], [2.0], [3.0], [4.0]])
    >>> forward, backward = keyed_order(rows), keyed_order(rows[::-1])
    >>> bool((rows[forward] == rows[::-1][backward]).all())
    True
    """
    order = lexicographic(matrix)
    ordered = matrix[order]
    first = np.ones(len(ordered), dtype=np.bool_)
    first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    place = np.arange(len(ordered))
    copies = place - np.maximum.accumulate(np.where(first, place, 0))
    digest = mixed(copies.astype(np.uint64) + np.uint64(KEY))
    for column in ordered.T:
        rank = np.unique(column, return_inverse=True)[1]
        digest = mixed(digest ^ rank.astype(np.uint64))
    return order[np.argsort(digest, kind="stable")]


def chance_share(order: Labels, hits: Callable[[Labels], Flags]) -> float | None:
    """Return the share of hits when each row is given the row of another record.

    Parameters
    ----------
    order : ndarray of int, of shape (n,)
        Rows in keyed order.
    hits : callable
        Given for each row the place of another one, says which rows are hit.

    Returns
    -------
    float or None
        The mean over the next `TURNS` rows in the order (over all others where there are no
        more); None for a single row, which has no other.
    """
    n = len(order)
    turns = min(TURNS, n - 1)
    if not turns:
        return None
    found = 0
    other = np.empty(n, dtype=np.intp)
    for turn in range(1, turns + 1):
        other[order] = np.roll(order, turn)
        found += int(hits(other).sum())
    return found / (turns * n)


def mixed(values: Digests) -> Digests:
    """Return a well-mixed stand-in of each whole number of 64 bits.

    Parameters
    ----------
    values : ndarray of uint64

    Returns
    -------
    ndarray of uint64
        A different number for each different one, by a public rule: it hides nothing.

    Examples
    --------
    >>> import numpy as np
    >>> len(np.unique(mixed(np.arange(1000, dtype=np.uint64))))
    1000
    """
    for shift, factor in STEPS:
        values = (values ^ (values >> np.uint64(shift))) * np.uint64(factor)
    return values ^ (values >> np.uint64(31))
