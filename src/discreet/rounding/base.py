"""What every way to find rounding points is: one sorted column in, inner edges of regions out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike

from discreet.arguments import Described, Floats, Labels, as_column
from discreet.errors import InputError, RefusedError

WIDEST = 1e150
"""Squares of larger numbers could not be summed."""
MOST_CLASSES = 1000


@dataclass(frozen=True, eq=False, repr=False)
class SortedColumn:
    """The different values of a column, rising, and how many rows have each.

    `class_counts` (m, classes) are how many rows of each class have each value, where there are
    classes.
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
    """Return a column of finite numbers in order; those too large to be squared are refused.

    `classes` is the class of each row, for supervised methods: up to 1000 different ones.
    """
    column = as_column(x)
    if max(abs(column.min()), abs(column.max())) > WIDEST:
        raise RefusedError("a column has numbers too large to be squared; rescale it")
    if classes is not None:
        given = np.asarray(classes)
        if given.shape != column.shape:
            raise InputError("a class is needed for each row")
        values, place, counts = np.unique(column, return_inverse=True, return_counts=True)
        names, of = np.unique(given.astype(str), return_inverse=True)
        if len(names) > MOST_CLASSES:
            raise InputError(
                f"classes are few, and these are more than {MOST_CLASSES}; give a column of"
                " categories, or group the numbers into a few first"
            )
        table = np.bincount(place * len(names) + of, minlength=len(values) * len(names))
        return SortedColumn(values, counts, table.reshape(len(values), len(names)))
    ordered = np.sort(column)
    new = np.concatenate([[True], ordered[1:] != ordered[:-1]])
    if new.all():
        return SortedColumn(ordered, np.ones(len(ordered), dtype=np.intp))
    first = np.flatnonzero(new)
    return SortedColumn(ordered[first], np.diff(np.append(first, len(ordered))))


MOST_REGIONS = 1_000_000
"""Of regions that are made by arithmetic, so that any number of them could be asked for."""
SMALLEST, LARGEST = 1e-60, 1e60
"""A column of another width is scaled before distances are squared."""


@dataclass(frozen=True, eq=False, repr=False)
class Regions:
    """What a method found in one column.

    `edges` are the inner edges of m regions, rising; `points` (m) what stands for each, where the
    method says that itself; `found` what else it found out, to be kept among the parameters of the
    rounding set; `held` whether each region is to hold as many rows as the method's `k`.
    """

    edges: Floats
    points: Floats | None = None
    found: Mapping[str, Any] = field(default_factory=dict)
    held: bool = True


class RegionMethod(Described, Protocol):
    """A frozen value of parameters that finds the regions of one column and keeps nothing of it.

    `parameter` is the number it is steered by: "k" (the least number of rows in a region), "c"
    (how many regions) or "" (neither). A `supervised` one needs the class of each row. One that
    finds more than edges also has a method `regions`, which returns `Regions`.
    """

    parameter: ClassVar[str]
    supervised: ClassVar[bool]

    def __call__(self, column: SortedColumn) -> Floats:
        """Return the inner edges of the regions, rising; each edge belongs to the region above."""
        ...


def scaled(values: Floats) -> Floats:
    """Return `values` times a power of two where squares of their differences would be lost."""
    width = float(values[-1] / 2 - values[0] / 2)
    if width == 0 or SMALLEST < width < LARGEST:
        return values
    return np.ldexp(values, -int(np.frexp(width)[1]))


def edges_at(values: Floats, cuts: Labels) -> Floats:
    """Return the inner edges of regions that begin at some positions of sorted values."""
    below, above = values[cuts - 1], values[cuts]
    middle = below / 2 + above / 2  # halved first: their sum may be too large
    return np.where((middle > below) & (middle <= above), middle, above)
