"""What is given, checked alike in every room: numbers, words, rows, and a method's parameters."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, field, fields
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.errors import InputError, one_of

Floats = NDArray[np.float64]
Labels = NDArray[np.intp]
LONGEST_LABEL = 80
"""Letters of what stands in place of a column's name: a longer one has no room on an axis."""


def check_whole(name: str, value: object, least: int | None = None) -> int:
    """Return `value` as an int if it is a whole number, of at least `least`; a bool is none."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or (least is not None and value < least):  # type: ignore[operator]
        at_least = "" if least is None else f" of at least {least}"
        raise InputError(f"{name} must be a whole number{at_least}")
    return int(value)  # type: ignore[call-overload,no-any-return]


def check_ratio(name: str, value: object, *, zero: bool) -> float:
    """Return `value` as a float if it is finite and above 0 (or 0 itself, where `zero`)."""
    number = isinstance(value, int | float | np.integer | np.floating)
    if isinstance(value, bool) or not number or not math.isfinite(value):  # type: ignore[arg-type]
        raise InputError(f"{name} must be a finite number")
    ratio = float(value)  # type: ignore[arg-type]
    if ratio < 0 or (ratio == 0 and not zero):
        raise InputError(f"{name} must be {'at least' if zero else 'above'} 0")
    return ratio


def check_word(name: str, value: object, allowed: Iterable[str]) -> None:
    """Refuse a word that is none of those allowed."""
    words = tuple(allowed)
    if value not in words:
        raise InputError(f"{name} is unknown; choose one of {one_of(words)}")


def as_matrix(values: ArrayLike) -> Floats:
    """Return `values` as n rows of p finite columns, without a copy where it is one already."""
    try:
        matrix = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):  # numpy's message quotes the cell
        raise InputError("X must contain only numbers, as many in each row") from None
    if matrix.ndim == 1:
        matrix = matrix[:, None]
    if matrix.ndim != 2 or matrix.shape[0] == 0 or matrix.shape[1] == 0:
        raise InputError("X must be a table of at least one row and one column")
    if not np.isfinite(matrix).all():
        raise InputError(
            "X contains missing or infinite values; leave those rows out before protecting the rest"
        )
    return matrix


def as_column(x: ArrayLike) -> Floats:
    """Return `x` as one column of finite numbers, with one zero."""
    try:
        column = np.asarray(x, dtype=np.float64)
    except (TypeError, ValueError):  # numpy's message quotes the cell
        raise InputError("x must contain only numbers") from None
    if column.ndim == 2 and column.shape[1] == 1:
        column = column[:, 0]
    if column.ndim != 1 or column.size == 0:
        raise InputError("x must be one column of at least one number")
    if not np.isfinite(column).all():
        raise InputError("x contains missing or infinite values; leave those rows out first")
    return column + 0.0  # -0.0 becomes 0.0


def as_strata(strata: ArrayLike | None, n: int) -> Labels:
    """Return one whole number from 0 on for each of `n` rows; one stratum where none is given."""
    if strata is None:
        return np.zeros(n, dtype=np.intp)
    given = np.asarray(strata)
    if given.shape != (n,):
        raise InputError("strata must hold one label for each row of X")
    return np.unique(given, return_inverse=True)[1].astype(np.intp)


def as_levels(name: str, given: Sequence[str]) -> tuple[Labels, tuple[str, ...]]:
    """Return which level each row of a column has, and its different levels in order of names."""
    import pandas as pd

    texts = np.asarray(given, dtype=object)
    if texts.ndim != 1:
        raise InputError(f"column {name!r} must be a sequence of texts, one for each row")
    codes, found = pd.factorize(texts)
    if (codes < 0).any() or not all(isinstance(level, str) for level in found):
        raise InputError(f"column {name!r} must contain only text; give a missing level as a text")
    order = sorted(range(len(found)), key=found.__getitem__)
    rank = np.empty(len(found), dtype=np.intp)
    rank[order] = np.arange(len(found))
    return rank[codes], tuple(str(found[i]) for i in order)


# --- what a method is asked with --------------------------------------------------------------


class Described(Protocol):
    """What every method says of itself: one sentence each, shown beside every plot.

    It is a frozen dataclass, whose parameters are its fields (`parameters_of`).
    """

    name: ClassVar[str]
    promises: ClassVar[str]
    leaves_open: ClassVar[str]


class Parameter(NamedTuple):
    """What a method may be asked with: one of some words, or a number of at least `least`.

    `least` itself is no value where the number must be `above` it; None is one where it is the
    `default`.
    """

    default: Any
    words: tuple[str, ...] = ()
    least: int = 0
    most: float = math.inf
    above: bool = False
    whole: bool = False

    def check(self, name: str, value: object) -> None:
        """Refuse a value that the parameter may not have."""
        if (value is None and self.default is None) or (self.words and value in self.words):
            return
        if self.whole:
            check_whole(name, value, self.least)
        elif self.words:
            check_word(name, value, self.words)
        elif check_ratio(name, value, zero=not self.above) > self.most:
            raise InputError(f"{name} must be at most {self.most:g}")


def _declared(parameter: Parameter) -> Any:
    default = {} if parameter.default is MISSING else {"default": parameter.default}
    return field(**default, metadata={"parameter": parameter})


def whole(least: int, default: Any = MISSING, or_word: str = "") -> Any:
    """Declare a whole number of at least `least`, or one word in its place."""
    words = (or_word,) if or_word else ()
    return _declared(Parameter(default, words, least, whole=True))


def ratio(default: float | None, *, above: bool = False, most: float = math.inf) -> Any:
    """Declare a finite number of at least 0 (or `above` it) and at most `most`."""
    return _declared(Parameter(default, most=most, above=above))


def word(default: str, allowed: Iterable[str]) -> Any:
    """Declare one of some words."""
    return _declared(Parameter(default, tuple(allowed)))


def parameters_of(method: Any) -> Mapping[str, Parameter]:
    """Return what a method, a class or a value of it, may be asked with, by name."""
    found = {item.name: item.metadata.get("parameter") for item in fields(method)}
    return MappingProxyType({name: each for name, each in found.items() if each is not None})


def check_parameters(method: Any) -> None:
    """Refuse a method that was asked with what it does not declare: its `__post_init__`."""
    for item in fields(method):
        if "parameter" in item.metadata:
            item.metadata["parameter"].check(item.name, getattr(method, item.name))


class CheckedParameters:
    """What refuses, when it is made, what its parameters may not be."""

    def __post_init__(self) -> None:
        check_parameters(self)
