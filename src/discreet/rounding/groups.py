"""Univariate microaggregation: MDAV, V-MDAV and the optimal partition, of one column alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from discreet.arguments import (
    CheckedParameters,
    Floats,
    Labels,
    as_column,
    check_whole,
    ratio,
    whole,
)
from discreet.errors import BrokenPromiseError, RefusedError
from discreet.rounding.base import SortedColumn, edges_at, scaled

GAIN = 0.2
"""How much nearer to a group than to the rest a row must be to join it: what Solanas et al. use."""
NOT_ROWS = " A column rounded by itself says nothing of whole rows."


@dataclass(frozen=True)
class Optimal(CheckedParameters):
    """Regions of at least k rows with the least sum of squares within them.

    Parameters
    ----------
    k : int, default 5
        The least number of rows in a region; at least 2. A column of fewer is refused.

    Notes
    -----
    Among all partitions that keep equal values together this is one with the least sum of squares
    (to rounding; Hansen and Mukherjee 2003). Fewer than 2k rows are one region.

    **What it does not protect.** The best fitting points lie nearest to the data: of the methods
    with the same k this one tells the most. Means of regions for several k, or of two versions that
    differ in one person, give people away.

    Examples
    --------
    >>> from discreet.rounding.base import sorted_column
    >>> Optimal(k=2)(sorted_column([1, 2, 3, 7, 8])).tolist()
    [5.0]
    """

    name: ClassVar[str] = "optimal"
    parameter: ClassVar[str] = "k"
    supervised: ClassVar[bool] = False
    promises: ClassVar[str] = (
        "Each region of a column holds at least k records, and no such regions lie closer around"
        " their means."
    )
    leaves_open: ClassVar[str] = (
        "Means lie as near to the values as k allows, and are kept for the whole column, so "
        "versions that differ in few people reveal them." + NOT_ROWS
    )

    k: int = whole(2, default=5)

    def __call__(self, column: SortedColumn) -> Floats:
        """Return the inner edges of the regions of `column`."""
        from discreet.kernels.columns import optimal_cuts

        _check_rows(column.n, self.k)
        return _edges(column, optimal_cuts(scaled(column.values), column.starts, self.k), self.k)


@dataclass(frozen=True)
class Mdav(CheckedParameters):
    """Regions of k rows taken from the two ends of a column in turn, inwards (MDAV).

    Parameters
    ----------
    k : int, default 5
        The least number of rows in a region; at least 2.

    Notes
    -----
    While 3k rows or more are left: one region from the end farther from the mean of what is left
    (of equally far ends the lower), one from the other end. Of 2k to 3k - 1 rows left one region
    from the farther end; the rest is a region. A region takes whole values until it holds k rows.
    If at last fewer than k rows are left, they join the region beside them whose mean is nearer.
    Where all values differ these are the groups of `discreet.methods.mdav`.

    **What it does not protect.** As of `Optimal`.

    Examples
    --------
    >>> from discreet.rounding.base import sorted_column
    >>> Mdav(k=2)(sorted_column([0, 1, 2, 4, 6, 9])).tolist()
    [1.5, 5.0]
    """

    name: ClassVar[str] = "mdav"
    parameter: ClassVar[str] = "k"
    supervised: ClassVar[bool] = False
    promises: ClassVar[str] = "Each region of a column holds at least k records."
    leaves_open: ClassVar[str] = (
        "Where many values lie close together the mean of a region lies near each of them, and "
        "means of columns are kept, so versions that differ in few people reveal them." + NOT_ROWS
    )

    k: int = whole(2, default=5)

    def __call__(self, column: SortedColumn) -> Floats:
        """Return the inner edges of the regions of `column`."""
        from discreet.kernels.columns import mdav_labels

        _check_rows(column.n, self.k)
        labels = mdav_labels(scaled(column.values), column.starts, self.k)
        return _edges(column, _changes(labels), self.k)


@dataclass(frozen=True)
class VMdav(CheckedParameters):
    """Regions of k rows or more, taken from the ends of a column inwards and grown (V-MDAV).

    Parameters
    ----------
    k : int, default 5
        The least number of rows in a region; at least 2.
    gamma : float, default 0.2
        A value joins a region that it is nearer to than gamma times its distance from what else is
        left; at least 0, which lets none join.

    Notes
    -----
    While k rows or more are left: a region of k rows from the end farther from the mean of the
    whole column. Then the next value inwards joins it as long as the region would hold at most 2k -
    1 rows and the value lies near enough. Each value left at last joins the region whose mean, as
    it was then, is nearer. Values left at last may bring a region above 2k - 1 rows, which the
    paper (Solanas et al. 2006) promises and its rule does not keep: where all values differ, to 3k
    - 2 at most.

    **What it does not protect.** As of `Optimal`.

    Examples
    --------
    >>> from discreet.rounding.base import sorted_column
    >>> VMdav(k=2)(sorted_column([0, 1, 1.1, 9, 10])).tolist()
    [5.05]
    """

    name: ClassVar[str] = "vmdav"
    parameter: ClassVar[str] = "k"
    supervised: ClassVar[bool] = False
    promises: ClassVar[str] = "Each region of a column holds at least k records."
    leaves_open: ClassVar[str] = Mdav.leaves_open

    k: int = whole(2, default=5)
    gamma: float = ratio(GAIN)

    def __call__(self, column: SortedColumn) -> Floats:
        """Return the inner edges of the regions of `column`."""
        from discreet.kernels.columns import vmdav_labels

        _check_rows(column.n, self.k)
        values = scaled(column.values)
        labels = vmdav_labels(values, column.starts, self.k, float(self.gamma))
        return _edges(column, _changes(labels), self.k)


def optimal(x: ArrayLike, k: int) -> Labels:
    """Return groups of k to 2k - 1 numbers with the least sum of squares, numbered by rising value.

    Parameters
    ----------
    x : array-like of shape (n,) or (n, 1)
        Finite numbers.
    k : int
        The least number of rows in a group; 2 <= k <= n.

    Notes
    -----
    Equal rows may come into two groups, those first in the file into the lower one (`Optimal` keeps
    equal values together).

    **What it does not protect.** Labels are private. Means of such groups are k-anonymous once, for
    one column; together with other columns, or released for several k, they are not.

    Examples
    --------
    >>> optimal([1, 9, 2, 8, 3, 10], k=3).tolist()
    [0, 1, 0, 1, 0, 1]
    """
    from discreet.kernels.columns import optimal_cuts

    column = as_column(x)
    k = check_whole("k", k, least=2)
    _check_rows(len(column), k)
    order = np.argsort(column, kind="stable")
    cuts = optimal_cuts(scaled(column[order]), np.arange(len(order) + 1, dtype=np.intp), k)
    sizes = np.diff(cuts, prepend=0, append=len(order))
    labels = np.empty(len(order), dtype=np.intp)
    labels[order] = np.repeat(np.arange(len(sizes), dtype=np.intp), sizes)
    _check_sizes(np.bincount(labels), k)
    return labels


def _check_rows(n: int, k: int) -> None:
    if k > n:
        raise RefusedError("k must be at most the number of rows; choose a smaller k")


def _changes(labels: Labels) -> Labels:
    return np.flatnonzero(labels[1:] != labels[:-1]) + 1


def _edges(column: SortedColumn, cuts: Labels, k: int) -> Floats:
    """Return the edges at `cuts`, between which at least k rows lie when counted again."""
    edges = edges_at(column.values, cuts)
    apart = (column.values[cuts - 1] < edges) & (edges <= column.values[cuts])
    _check_sizes(np.diff(column.starts[cuts], prepend=0, append=column.n), k, all_apart=apart.all())
    return edges


def _check_sizes(sizes: Labels, k: int, *, all_apart: bool | np.bool_ = True) -> None:
    if sizes.min() < k or not all_apart:
        raise BrokenPromiseError(
            "a group was counted again and holds fewer than k rows; please report this"
        )
