"""Intervals that are equally wide, equally full, or drawn about the multiples of a number."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from discreet.arguments import CheckedParameters, Floats, Labels, check_parameters, ratio, whole
from discreet.errors import InputError, RefusedError
from discreet.rounding.base import MOST_REGIONS, Regions, SortedColumn, edges_at, sorted_column

FINEST = 2.0**50
"""Edges about multiples of a base that is smaller against its values would fall together."""
TRIED_SINGLY = 100
MOST_STEPS = 2000
"""So many numbers are tried for the smallest base."""


@dataclass(frozen=True)
class EqualWidth(CheckedParameters):
    """Regions of equal width from the least to the largest value.

    Parameters
    ----------
    c : int
        How many regions; at least 1, at most a million. A constant column has one.

    Notes
    -----
    **What it does not protect.** Regions may hold one row or none: nothing is promised of how many
    rows share a point. The edges tell the least and the largest value exactly.

    Examples
    --------
    >>> EqualWidth(c=4)(sorted_column([0.0, 1.0, 1.5, 8.0])).tolist()
    [2.0, 4.0, 6.0]
    """

    name: ClassVar[str] = "equal_width"
    parameter: ClassVar[str] = "c"
    supervised: ClassVar[bool] = False
    promises: ClassVar[str] = "Every value becomes the point of one of c equally wide intervals."
    leaves_open: ClassVar[str] = (
        "An interval may hold a single record, which its point then reveals; outliers are alone "
        "in theirs."
    )

    c: int = whole(1)

    def __call__(self, column: SortedColumn) -> Floats:
        """Return the inner edges, fewer than c - 1 only where floats lie too close for them."""
        if self.c > MOST_REGIONS:
            raise RefusedError("c makes more than a million regions; take a smaller c")
        low, high = float(column.values[0]), float(column.values[-1])
        edges = low + np.arange(1, self.c) * ((high - low) / self.c)
        return np.unique(edges[(edges > low) & (edges < high)])


@dataclass(frozen=True)
class EqualFrequency(CheckedParameters):
    """Regions that hold about equally many rows; equal values are never parted.

    Parameters
    ----------
    c : int
        How many regions; at least 1.

    Notes
    -----
    Cuts stand at the ranks n·i/p, each moved to the nearest boundary between different values (of
    two equally near ones, the lower); cuts that fall together are one. p is c. Where
    equal values leave fewer than c regions, p grows until there are c or more, as the paper has it.
    A column of fewer than c different values has a region for each value.

    **What it does not protect.** Regions beside a frequent value may hold few rows, and with c
    above n / k all do: nothing is promised of how many rows share a point.

    Examples
    --------
    >>> EqualFrequency(c=2)(sorted_column([1.0, 2.0, 3.0, 10.0])).tolist()
    [2.5]
    >>> EqualFrequency(c=3)(sorted_column([0.0] * 8 + [1.0, 2.0])).tolist()
    [0.5, 1.5]
    """

    name: ClassVar[str] = "equal_frequency"
    parameter: ClassVar[str] = "c"
    supervised: ClassVar[bool] = False
    promises: ClassVar[str] = (
        "Every value becomes the point of one of about c intervals that hold about equally many"
        " records."
    )
    leaves_open: ClassVar[str] = (
        "Beside frequent values an interval may hold few records, which its point then reveals."
    )

    c: int = whole(1)

    def __call__(self, column: SortedColumn) -> Floats:
        """Return the inner edges: c - 1 of them, or the next number that can be reached."""
        return edges_at(column.values, equal_frequency_cuts(column, self.c))


def equal_frequency_cuts(column: SortedColumn, c: int) -> Labels:
    """Return the positions in the different values at which regions begin, without the first."""
    different = len(column.values)
    if c >= different:
        return np.arange(1, different)
    parts, cuts = c, _cuts(column, c)
    while len(cuts) + 1 < c:  # ends: with n parts every boundary is a cut
        parts = min(parts + max(1, parts // TRIED_SINGLY), column.n)
        cuts = _cuts(column, parts)
    return cuts


def _cuts(column: SortedColumn, parts: int) -> Labels:
    """Return the boundaries nearest to n·i/parts, in whole numbers and so exactly."""
    starts, n = column.starts, column.n
    wanted = np.arange(1, parts, dtype=np.int64) * n
    inner = len(column.values) - 1  # boundaries between values are at 1 to inner
    below = np.searchsorted(starts, wanted // parts, side="right") - 1
    after = wanted - starts[below] * parts > starts[below + 1] * parts - wanted
    cuts = np.clip(below + after, 1, inner)
    return cuts[np.concatenate([[True], cuts[1:] != cuts[:-1]])] if parts > 1 else cuts


@dataclass(frozen=True)
class Base:
    """Multiples of a base b: the value x becomes the nearest b·i, ties upwards.

    Parameters
    ----------
    b : float, optional
        The base, above 0. By default the smallest number of `digits` significant digits with which
        every set of attraction from the least to the largest value holds k rows.
    k : int, default 5
        The least number of rows in a set of attraction; at least 1. A b that is given is not held
        to it.
    digits : {2, None}, default 2
        Among which numbers b is looked for; None for all there are, which gives the smallest b that
        works, as the paper has it: for public data, for it tells a value (docs/rounding.md).

    Notes
    -----
    The set of attraction of b·i is [b·i - b/2, b·i + b/2); sets between the least and the largest
    value count even if they are empty. A larger b may hold fewer in some set than a smaller one: b
    is not a safe bound for those above it. Where values lie far from zero beside their range the
    smallest is not looked for to the end, and b has two digits. A constant column needs no
    rounding, and its point is its value. (Willenborg and De Waal 2001.)

    **What it does not protect.** b depends on all values, and on the far ones most. Sets are of at
    least k rows for the column alone, not for rows of several columns.

    Examples
    --------
    >>> column = sorted_column([0.0, 1.0, 9.0, 11.0, 19.0, 20.0])
    >>> Base(b=20.0)(column).tolist()
    [10.0]
    >>> regions = Base(k=2).regions(column)  # with 8, 20 would be alone
    >>> dict(regions.found), regions.edges.tolist(), regions.points.tolist()
    ({'b': 8.1}, [4.05, 12.149999999999999], [0.0, 8.1, 16.2])
    >>> f"{Base(k=2, digits=None).regions(column).found['b']:.15f}"  # 20 is 5/2 of 8
    '8.000000000000002'
    """

    name: ClassVar[str] = "base"
    parameter: ClassVar[str] = "k"
    supervised: ClassVar[bool] = False
    promises: ClassVar[str] = (
        "Every value becomes the nearest multiple of one number; where that number is not given,"
        " each multiple stands for at least k records."
    )
    leaves_open: ClassVar[str] = (
        "A base that was given may leave single records at a multiple; the size of one that was"
        " found tells how far apart the outer values lie."
    )

    b: float | None = ratio(None, above=True)
    k: int = whole(1, default=5)
    digits: int | None = 2

    def __post_init__(self) -> None:
        check_parameters(self)
        if self.digits not in (2, None):
            raise InputError("digits must be 2, or None for the smallest b there is")

    def __call__(self, column: SortedColumn) -> Floats:
        """Return the odd multiples of b/2 above the least value and up to the largest."""
        return self.regions(column).edges

    def regions(self, column: SortedColumn) -> Regions:
        """Return the edges, their multiples of b for points (no means of rows), and b.

        b is 0 where that of a constant column is looked for: its point is its value.
        """
        low, high = float(column.values[0]), float(column.values[-1])
        if self.b is None:
            b = _smallest_base(column, self.k, self.digits is None)
        else:
            b = float(self.b)
            if high - low > MOST_REGIONS * b:
                raise RefusedError("b makes more than a million regions; take a larger b")
            if max(abs(low), abs(high)) > FINEST * b:
                raise RefusedError(
                    "b is too small beside the values of the column; take a larger b"
                )
        edges = _odd_halves(column, b) if b > 0 else np.empty(0)
        first = _first_multiple(low, b) if b > 0 else 0.0
        points = b * (first + np.arange(len(edges) + 1.0)) if b > 0 else column.values[:1]
        return Regions(edges, points, {"b": b}, held=self.b is None)


def _first_multiple(low: float, b: float) -> float:
    """Return the i for which `low` lies in [b·(i - 1/2), b·(i + 1/2)), as the edges round."""
    i = math.floor(low / b + 0.5)
    return float(i + (low >= b * (i + 0.5)) - (low < b * (i - 0.5)))


def _odd_halves(column: SortedColumn, b: float) -> Floats:
    low, high = float(column.values[0]), float(column.values[-1])
    first, last = _first_multiple(low, b), _first_multiple(high, b)
    return b * (np.arange(first, last) + 0.5)


def _smallest_base(column: SortedColumn, k: int, exact: bool) -> float:
    """Return the smallest b, of two digits or of all, each of whose sets holds k rows."""
    low, high = float(column.values[0]), float(column.values[-1])
    if column.n < k:
        raise RefusedError("k must be at most the number of rows; choose a smaller k")
    if low == high:
        return 0.0
    # A set lies wholly between two rows that are 2b apart: k rows on, they may not be.
    rows = np.repeat(column.values, column.counts)
    widest = float((rows[k:] - rows[:-k]).max()) if k < column.n else 0.0
    finest = max(abs(low), abs(high)) / FINEST
    bound = max(widest / 2, (high - low) * k / column.n, finest, sys.float_info.min)
    if exact and (smallest := _from_bound(column, rows, k, bound)) is not None:
        return smallest
    written = f"{bound:.1e}"
    # The bound may have been rounded up, by less than one: begin there.
    digits, exponent = int(written[0] + written[2]) - 1, int(written[4:]) - 1
    while True:  # ends: a b above twice the farthest value has one set, which holds all
        b = float(f"{digits}e{exponent}")
        if _rows_of_sets(column, b).min() >= k:
            return b
        digits, exponent = (digits + 1, exponent) if digits < 99 else (10, exponent + 1)


def _rows_of_sets(column: SortedColumn, b: float) -> Labels:
    """Count the rows of the sets of attraction, from that of the least value on."""
    parted = column.starts[np.searchsorted(column.values, _odd_halves(column, b))]
    counts: Labels = np.diff(parted, prepend=0, append=column.n)
    return counts


def _from_bound(column: SortedColumn, rows: Floats, k: int, b: float) -> float | None:
    """Return the smallest b from a lower bound on whose every set of attraction holds k rows.

    None where it is not found in `MOST_STEPS`, which is so where values lie far from zero beside
    their range: their sets then move with the least change of b. While some set holds too few, no
    b will do before the one at which that set reaches from one row to the k-th from it, or at
    which no value lies as far out.
    """
    low, high = float(rows[0]), float(rows[-1])
    first, last = rows[: len(rows) - k + 1], rows[k - 1 :]  # of k neighbours
    for _ in range(MOST_STEPS):
        counts = _rows_of_sets(column, b)
        if counts.min() >= k:
            return b
        i = _first_multiple(low, b) + int(counts.argmin())
        below, above = i - 0.5, i + 0.5
        # b · below <= first and last < b · above
        least = np.maximum(last / above if above > 0 else b, first / below if below < 0 else b)
        most = np.minimum(
            first / below if below > 0 else np.inf, last / above if above < 0 else np.inf
        )
        least = np.maximum(least, math.nextafter(b, math.inf))
        reached = least[least <= most * (1 + 4 * sys.float_info.epsilon)]
        gone = high / below if below > 0 else low / above if above < 0 else math.inf
        nearest = min(float(reached.min()) if reached.size else math.inf, gone)
        b = max(nearest, math.nextafter(b, math.inf))
    return None


def equal_width(x: ArrayLike, c: int) -> Floats:
    """Return the inner edges, rising, of c equally wide intervals of the numbers `x`: `EqualWidth`.

    Examples
    --------
    >>> equal_width([0.0, 1.0, 10.0], c=2).tolist()
    [5.0]
    """
    return EqualWidth(c)(sorted_column(x))


def equal_frequency(x: ArrayLike, c: int) -> Floats:
    """Return the inner edges, rising, of c intervals of about equally many of `x`.

    Examples
    --------
    >>> equal_frequency([5.0, 0.0, 1.0, 10.0], c=2).tolist()
    [3.0]
    """
    return EqualFrequency(c)(sorted_column(x))


def base(x: ArrayLike, b: float | None = None, k: int = 5) -> Floats:
    """Return the inner edges, rising, of the sets of attraction of multiples of b; see `Base`.

    Examples
    --------
    >>> base([1.0, 6.0, 14.0, 16.0], b=10.0).tolist()
    [5.0, 15.0]
    """
    return Base(b, k)(sorted_column(x))
