"""Encoding: the region of each number, and the point of its region."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from discreet.protect.base import Floats, Labels
from discreet.protect.rounding.sorted_column import SortedColumn, as_column

__all__ = ["cuts_of", "encode", "region_means", "regions_of"]

FEW = 20_000
"""Up to so many rows numpy is quick enough, and nothing needs to be compiled."""


def regions_of(x: ArrayLike, edges: Floats) -> Labels:
    """Return the region of each number: how many edges it is not below.

    Parameters
    ----------
    x : array-like of shape (n,)
        Finite numbers in any order.
    edges : ndarray of shape (m - 1,)
        Inner edges of m regions, rising; each belongs to the region above it.

    Returns
    -------
    ndarray of int, of shape (n,)
        From 0 to m - 1.

    Raises
    ------
    InputError
        If x is no list of finite numbers.

    Notes
    -----
    **What it does not protect.** A region says between which two edges a number lies.

    Examples
    --------
    >>> import numpy as np
    >>> regions_of([0.5, 1.0, 7.0], np.array([1.0, 2.0])).tolist()
    [0, 1, 2]
    """
    column = as_column(x)
    if len(column) <= FEW or len(edges) == 0:
        return np.searchsorted(edges, column, side="right")
    from discreet.kernels.coding import regions_of as search

    return search(column, _plain(edges))


def encode(x: ArrayLike, edges: Floats, points: Floats) -> Floats:
    """Return the point of the region of each number.

    Parameters
    ----------
    x : array-like of shape (n,)
        Finite numbers in any order; only the edges are sorted.
    edges : ndarray of shape (m - 1,)
        Inner edges of m regions, rising; each belongs to the region above it.
    points : ndarray of shape (m,)
        The point of each region.

    Returns
    -------
    ndarray of shape (n,)

    Raises
    ------
    InputError
        If x is no list of finite numbers.

    Notes
    -----
    **What it does not protect.** Points are as safe as the regions are large, column by column:
    rows of several rounded columns may be unique.

    Examples
    --------
    >>> import numpy as np
    >>> encode([7.0, 0.5, 1.0], np.array([1.0, 2.0]), np.array([0.5, 1.5, 7.0])).tolist()
    [7.0, 0.5, 1.5]
    """
    column = as_column(x)
    if len(column) <= FEW or len(edges) == 0:
        return np.asarray(points[np.searchsorted(edges, column, side="right")], dtype=np.float64)
    from discreet.kernels.coding import points_of

    return points_of(column, _plain(edges), _plain(points))


def cuts_of(column: SortedColumn, edges: Floats) -> Labels:
    """Return where regions begin among the different values of a column, without the first.

    Parameters
    ----------
    column : SortedColumn
    edges : ndarray of shape (m - 1,)
        Inner edges, rising.

    Returns
    -------
    ndarray of int, of shape (m - 1,)
    """
    if len(column.values) <= FEW or len(edges) <= FEW // 20:
        return np.searchsorted(column.values, edges)
    from discreet.kernels.coding import merged

    return merged(_plain(column.values), _plain(edges))


def region_means(column: SortedColumn, cuts: Labels) -> Floats:
    """Return the mean of the rows in each region of a column, between its least and largest.

    Parameters
    ----------
    column : SortedColumn
    cuts : ndarray of int
        Where regions begin among the different values, rising, without the first; none is empty.

    Returns
    -------
    ndarray
        Summed about the least value of each region, so that neither an offset nor the length of
        the column costs digits.
    """
    if len(column.values) > FEW:
        from discreet.kernels.coding import means_of

        return means_of(_plain(column.values), column.starts, cuts)
    begins = np.concatenate([[0], cuts])
    first = np.repeat(column.values[begins], np.diff(begins, append=len(column.values)))
    sums = np.add.reduceat((column.values - first) * column.counts, begins)
    rows = np.diff(column.starts[begins], append=column.n)
    means: Floats = column.values[begins] + sums / rows
    np.minimum(means, np.append(column.values[cuts - 1], column.values[-1]), out=means)
    return means


def _plain(numbers: Floats) -> Floats:
    """Return numbers in one piece and not locked, for which the kernels are compiled."""
    return np.require(numbers, dtype=np.float64, requirements=["C", "W"])
