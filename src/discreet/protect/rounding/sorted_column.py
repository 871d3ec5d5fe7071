"""One column as rounding sees it: its different values in order, and how many rows have each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from discreet.errors import InputError, RefusedError
from discreet.protect.base import Floats, Labels

__all__ = ["SortedColumn", "as_column", "sorted_column"]

WIDEST = 1e150
"""Squares of larger numbers could not be summed."""
MOST_CLASSES = 1000


@dataclass(frozen=True, eq=False, repr=False)
class SortedColumn:
    """The different values of a column, rising, and how many rows have each.

    Parameters
    ----------
    values : ndarray of shape (m,)
        Finite, strictly rising.
    counts : ndarray of int, of shape (m,)
        At least 1.
    class_counts : ndarray of int, of shape (m, classes), optional
        How many rows of each class have each value.
    """

    values: Floats
    counts: Labels
    class_counts: Labels | None = None

    @property
    def n(self) -> int:
        """How many rows the column has."""
        return int(self.starts[-1])

    @cached_property
    def starts(self) -> Labels:
        """Before each value, and at last after all of them: how many rows have lower values."""
        starts = np.zeros(len(self.counts) + 1, dtype=np.intp)
        np.cumsum(self.counts, out=starts[1:])
        return starts


def sorted_column(x: ArrayLike, classes: ArrayLike | None = None) -> SortedColumn:
    """Return a column in order.

    Parameters
    ----------
    x : array-like of shape (n,)
        Finite numbers.
    classes : array-like of shape (n,), optional
        The class of each row, for supervised methods; up to 1000 different ones.

    Returns
    -------
    SortedColumn

    Raises
    ------
    InputError
        If x is no list of finite numbers, or classes are not as many, or more than 1000 of them
        differ: a table of different values and classes is counted.
    RefusedError
        If the numbers are too large to be squared.
    """
    column = as_column(x)
    if max(abs(column.min()), abs(column.max())) > WIDEST:
        raise RefusedError("a column has numbers too large to be squared; rescale it")
    if classes is not None:
        return _with_classes(column, np.asarray(classes))
    ordered = np.sort(column)
    new = np.concatenate([[True], ordered[1:] != ordered[:-1]])
    if new.all():
        return SortedColumn(ordered, np.ones(len(ordered), dtype=np.intp))
    first = np.flatnonzero(new)
    return SortedColumn(ordered[first], np.diff(np.append(first, len(ordered))))


def as_column(x: ArrayLike) -> Floats:
    """Return `x` as one column of finite numbers, with one zero."""
    try:
        column = np.asarray(x, dtype=np.float64)
    except (TypeError, ValueError):  # numpy's message quotes the cell
        raise InputError("x must hold numbers alone") from None
    if column.ndim == 2 and column.shape[1] == 1:
        column = column[:, 0]
    if column.ndim != 1 or column.size == 0:
        raise InputError("x must be one column of at least one number")
    if not np.isfinite(column).all():
        raise InputError("x holds missing or infinite values; leave those rows out first")
    return column + 0.0  # -0.0 becomes 0.0


def _with_classes(column: Floats, classes: np.ndarray) -> SortedColumn:
    if classes.shape != column.shape:
        raise InputError("a class is needed for each row")
    values, place, counts = np.unique(column, return_inverse=True, return_counts=True)
    names, of = np.unique(classes.astype(str), return_inverse=True)
    if len(names) > MOST_CLASSES:
        raise InputError(
            f"classes are few, and these are more than {MOST_CLASSES}; give a column of categories,"
            " or group the numbers into a few first"
        )
    table = np.bincount(place * len(names) + of, minlength=len(values) * len(names))
    return SortedColumn(values, counts, table.reshape(len(values), len(names)))
