"""What every way to find quantization regions is: one sorted column in, inner edges out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np

from discreet.protect.base import Described, Floats, Labels
from discreet.protect.rounding.sorted_column import SortedColumn

__all__ = ["MOST_REGIONS", "RegionMethod", "Regions", "edges_at", "regions_by", "scaled"]

MOST_REGIONS = 1_000_000
"""Of regions that are made by arithmetic, so that any number of them could be asked for."""
SMALLEST, LARGEST = 1e-60, 1e60
"""A column of another width is scaled before distances are squared."""


@dataclass(frozen=True, eq=False, repr=False)
class Regions:
    """What a method found in one column.

    Parameters
    ----------
    edges : ndarray of shape (m - 1,)
        The inner edges of m regions, rising.
    points : ndarray of shape (m,), optional
        What stands for each region, where the method says that itself.
    found : mapping of str to plain values
        What else it found out, to be kept among the parameters of the rounding set.
    held : bool, default True
        Whether each region is to hold as many rows as the method's `k`.
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


def regions_by(method: RegionMethod, column: SortedColumn) -> Regions:
    """Return what a method finds in a column: its `regions`, or its edges where it has none."""
    regions = getattr(method, "regions", None)
    found: Regions = Regions(method(column)) if regions is None else regions(column)
    return found


def scaled(values: Floats) -> Floats:
    """Return `values` times a power of two where squares of their differences would be lost."""
    width = float(values[-1] / 2 - values[0] / 2)
    if width == 0 or SMALLEST < width < LARGEST:
        return values
    return np.ldexp(values, -int(np.frexp(width)[1]))


def edges_at(values: Floats, cuts: Labels) -> Floats:
    """Return the inner edges of regions that begin at some positions of sorted values.

    Parameters
    ----------
    values : ndarray of shape (m,)
        Different numbers, rising.
    cuts : ndarray of int
        Where regions begin, rising, without the first, from 1 to m - 1.

    Returns
    -------
    ndarray
        The middle between the last value below and the first above each cut; where no number
        lies between them, the first above.
    """
    below, above = values[cuts - 1], values[cuts]
    middle = below / 2 + above / 2  # halved first: their sum may be too large
    return np.where((middle > below) & (middle <= above), middle, above)
