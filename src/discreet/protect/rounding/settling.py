"""From a name and a number, or two, to the method that finds the regions of one column."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from discreet.errors import InputError, one_of
from discreet.protect.arguments import check_whole
from discreet.protect.rounding.base import RegionMethod
from discreet.protect.rounding.choice import c_of_k, freedman_diaconis, k_of_c
from discreet.protect.rounding.clusters import KMeans
from discreet.protect.rounding.groups import Mdav, Optimal, VMdav
from discreet.protect.rounding.intervals import Base, EqualFrequency, EqualWidth
from discreet.protect.rounding.resampling import Resampling
from discreet.protect.rounding.sorted_column import SortedColumn
from discreet.protect.rounding.supervised import ChiMerge, Mdlp

__all__ = ["FREEDMAN_DIACONIS", "METHODS", "is_supervised", "known_method", "settled"]

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
    found = METHODS.get(name.replace("-", "_")) if isinstance(name, str) else None
    if found is None:
        raise InputError(f"there is no way to round {name!r}; there are {one_of(METHODS)}")
    return found


def is_supervised(method: Any) -> bool:
    """Tell whether a method, by its name or as a value, needs classes."""
    kind = known_method(method) if isinstance(method, str) else method
    return bool(getattr(kind, "supervised", False))


def settled(method: Any, column: SortedColumn, *, k: Any = None, c: Any = None) -> RegionMethod:
    """Return the method that will find the regions of a column.

    Parameters
    ----------
    method : str or RegionMethod
        A name of `METHODS`, or a method that holds its own numbers.
    column : SortedColumn
        What it will be called with.
    k, c : int or "freedman-diaconis", optional
        The least number of rows in a region, or how many regions; not both. Without both, k is
        5. What the method does not take is turned into what it does: k = n / c, c = n / k.

    Raises
    ------
    InputError
        If the name is unknown, or a number is out of range or of no use.
    """
    if not isinstance(method, str):
        if not hasattr(method, "parameter") or isinstance(method, type):
            raise InputError(f"method must be one of {one_of(METHODS)}, or such a method")
        if k is not None or c is not None:
            raise InputError("a method that is given as a value holds its own k or c")
        chosen: RegionMethod = method
        return chosen
    kind = known_method(method)
    if k is not None and c is not None:
        raise InputError("k and c say the same thing in two ways; give one of them")
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
