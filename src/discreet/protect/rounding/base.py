"""What every way to find quantization regions is: one sorted column in, inner edges out."""

from __future__ import annotations

from typing import ClassVar, Protocol

import numpy as np

from discreet.protect.base import Described, Floats, Labels
from discreet.protect.rounding.sorted_column import SortedColumn

__all__ = ["RegionMethod", "edges_at"]


class RegionMethod(Described, Protocol):
    """A frozen value of parameters that finds the regions of one column and keeps nothing of it.

    `parameter` is the number it is steered by: "k" (the least number of rows in a region), "c"
    (how many regions) or "" (neither). A `supervised` one needs the class of each row.
    """

    parameter: ClassVar[str]
    supervised: ClassVar[bool]

    def __call__(self, column: SortedColumn) -> Floats:
        """Return the inner edges of the regions, rising; each edge belongs to the region above."""
        ...


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
