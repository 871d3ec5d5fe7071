"""Donors: for each drawn row a raw row of the same leaf, whose value it takes, drawn anew."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.arguments import Floats, Labels

UNEVEN = 0.2
"""Such a share of donors counts twice or not at all, where they are taken evenly."""


def donors_evenly(raw: Labels, drawn: Labels, uniform: Floats, own: Floats) -> Labels:
    """Return a raw row for each drawn row: each of a leaf about as often as its others.

    That is nearer than by chance. How often a row is taken has noise, or a copy would have the
    counts of the raw rows.

    Parameters
    ----------
    raw : ndarray of int of shape (n,)
        The leaf of each raw row.
    drawn : ndarray of int of shape (N,)
        The leaf of each drawn row: each is that of some raw row.
    uniform : ndarray of shape (N,)
        A draw for each drawn row.
    own : ndarray of shape (n, 2)
        Two draws for each raw row.
    """
    leaves = int(max(raw.max(), drawn.max(initial=0))) + 1
    times = 1 + (own[:, 1] >= 1 - UNEVEN / 2) - (own[:, 1] < UNEVEN / 2).astype(np.intp)
    times = np.where(np.bincount(raw, times, minlength=leaves)[raw] == 0, 1, times)
    order = np.lexsort([own[:, 0], raw])
    order = np.repeat(order, times[order])
    size = np.bincount(raw[order], minlength=leaves)
    start = np.cumsum(size) - size
    wanted = np.bincount(drawn, minlength=leaves)
    rows = np.lexsort([uniform, drawn])
    place = np.arange(len(drawn)) - np.repeat(np.cumsum(wanted) - wanted, wanted)
    leaf = drawn[rows]
    out = np.empty(len(drawn), dtype=np.intp)
    out[rows] = order[start[leaf] + place % size[leaf]]
    return out


def usual_donor(donors: Sequence[Labels]) -> Labels:
    """Return the raw row that gave most columns of each drawn row, the first of several.

    Examples
    --------
    >>> usual_donor([np.array([3, 1]), np.array([2, 1]), np.array([3, 0])]).tolist()
    [3, 1]
    """
    rows = np.sort(np.column_stack(donors), axis=1)
    best = rows[:, 0].copy()
    most = np.ones(len(rows), dtype=np.intp)
    run = most.copy()
    for j in range(1, rows.shape[1]):
        run = np.where(rows[:, j] == rows[:, j - 1], run + 1, 1)
        best = np.where(run > most, rows[:, j], best)
        most = np.maximum(most, run)
    return best
