"""From a name and a number, or two, to the method that finds the regions of one column."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from discreet.arguments import check_whole
from discreet.errors import InputError, one_of
from discreet.rounding.base import MOST_REGIONS, RegionMethod, SortedColumn
from discreet.rounding.clusters import KMeans, Resampling
from discreet.rounding.groups import Mdav, Optimal, VMdav
from discreet.rounding.intervals import Base, EqualFrequency, EqualWidth
from discreet.rounding.supervised import ChiMerge, Mdlp

LEAST_K = 3
LEAST_SHARED = 2


@dataclass(frozen=True)
class Choice:
    """What a rule chose for one column: width (0 for a constant), regions, rows each."""

    width: float
    c: int
    k: int


def freedman_diaconis(column: SortedColumn) -> Choice:
    """Choose the number of regions by the rule of Freedman and Diaconis (1981).

    width = 2·IQR/n^(1/3), the quartiles interpolated between values; c = ⌈range/width⌉, at most n
    and a million; k = ⌊n/c⌋, at least 3.

    Notes
    -----
    Where the quartiles are equal the width would be 0; c is then ⌈(2n)^(1/3)⌉, the least number of
    intervals that Terrell and Scott (1985) find for any smooth density. A constant column has one
    region. An outlier widens the range and with it c.

    **What it does not protect.** width, c and k are computed from raw values. The rule is made for
    drawing a density, and knows nothing of disclosure.

    Examples
    --------
    >>> from discreet.rounding.base import sorted_column
    >>> freedman_diaconis(sorted_column(range(1, 28)))  # quartiles 7.5 and 20.5
    Choice(width=8.666666666666666, c=3, k=9)
    """
    n = column.n
    low, high = float(column.values[0]), float(column.values[-1])
    if low == high:
        return Choice(0.0, 1, max(LEAST_K, n))
    width = 2 * (_quantile(column, 3) - _quantile(column, 1)) / math.cbrt(n)
    # Of more than n regions no more would be held than of n; the quotient may be infinite.
    most = min(n, MOST_REGIONS)
    c = math.ceil(min((high - low) / width, most)) if width > 0 else math.ceil(math.cbrt(2 * n))
    return Choice(width if width > 0 else (high - low) / c, c, max(LEAST_K, n // c))


def k_of_c(n: int, c: int) -> int:
    """Return how many rows each of c regions of n rows has: n / c, rounded up, and at least 2.

    So it is in section 4.3 of Senavirathne and Torra (2019); a region of one row protects nothing.

    Examples
    --------
    >>> [k_of_c(500, c) for c in (3, 5, 10, 15, 20, 25)]
    [167, 100, 50, 34, 25, 20]
    """
    n, c = check_whole("n", n, least=1), check_whole("c", c, least=1)
    return max(LEAST_SHARED, -(-n // c))


def c_of_k(n: int, k: int) -> int:
    """Return how many regions n rows make that hold about k each: n / k, rounded half up."""
    n, k = check_whole("n", n, least=1), check_whole("k", k, least=1)
    return max(1, (2 * n + k) // (2 * k))


def _quantile(column: SortedColumn, quarters: int) -> float:
    """Return a quartile, interpolated between the rows around the rank (n - 1)·quarters/4."""
    whole, rest = divmod((column.n - 1) * quarters, 4)
    rows = np.minimum([whole, whole + 1], column.n - 1)
    below, above = column.values[np.searchsorted(column.starts, rows, side="right") - 1]
    return float(below + (above - below) * (rest / 4))


FREEDMAN_DIACONIS = "freedman-diaconis"
USUAL_K = 5

_ALL: tuple[type[RegionMethod], ...] = (
    *(Mdav, VMdav, Optimal),
    *(EqualWidth, EqualFrequency, KMeans, Resampling),
    *(Mdlp, ChiMerge, Base),
)
METHODS: Mapping[str, type[RegionMethod]] = MappingProxyType({each.name: each for each in _ALL})
"""Ways to find rounding points, by name."""


def known_method(name: object) -> type[RegionMethod]:
    """Return the method of a name; "equal-width" is "equal_width"."""
    method = METHODS.get(name.replace("-", "_")) if isinstance(name, str) else None
    if method is None:
        raise InputError(f"unknown rounding method {name!r}; there are {one_of(METHODS)}")
    return method


def is_supervised(method: Any) -> bool:
    """Tell whether a method, by its name or as a value, needs classes."""
    kind = known_method(method) if isinstance(method, str) else method
    return bool(getattr(kind, "supervised", False))


def settled(method: Any, column: SortedColumn, *, k: Any = None, c: Any = None) -> RegionMethod:
    """Return the method that will find the regions of a column, of a name in `METHODS` or as it is.

    `k` and `c` are numbers or "freedman-diaconis", for methods by name: the least number of rows in
    a region, or how many regions; not both. Without both, k is 5. What the method does not take is
    turned into what it does: k = n / c, c = n / k.
    """
    if not isinstance(method, str):
        if not hasattr(method, "parameter") or isinstance(method, type):
            raise InputError(f"method must be one of {one_of(METHODS)}, or such a method")
        if k is not None or c is not None:
            raise InputError("a method given as a value has its own k or c")
        chosen: RegionMethod = method
        return chosen
    kind = known_method(method)
    if k is not None and c is not None:
        raise InputError("k and c both set the size of regions; give one of them")
    if not kind.parameter:
        if k is not None or c is not None:
            raise InputError(
                f"{kind.name!r} chooses the number of regions itself; leave k and c out"
            )
        return kind()
    number = _number(kind.parameter, column, k, c)
    return kind(**{kind.parameter: number})


def _number(parameter: str, column: SortedColumn, k: Any, c: Any) -> int:
    """Return k or c, whichever is the parameter."""
    if FREEDMAN_DIACONIS in [given for given in (k, c) if isinstance(given, str)]:
        choice = freedman_diaconis(column)
        if choice.k > column.n:
            raise InputError("the rule of Freedman and Diaconis needs a column of at least 3 rows")
        return choice.k if parameter == "k" else choice.c
    for name, given in (("k", k), ("c", c)):
        if isinstance(given, str):
            raise InputError(f"{name} must be a whole number, or {FREEDMAN_DIACONIS!r}")
    if parameter == "k":
        if c is None:
            return check_whole("k", USUAL_K if k is None else k, least=2)
        return k_of_c(column.n, check_whole("c", c, least=1))
    if c is None:
        return c_of_k(column.n, check_whole("k", USUAL_K if k is None else k, least=1))
    return check_whole("c", c, least=1)
