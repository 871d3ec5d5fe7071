"""Grids to count on, and what was counted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["BinAxis", "Counted"]

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]


@dataclass(frozen=True)
class BinAxis:
    """`bins` intervals of one column from `low` to `high`, all of one width.

    Each holds its left edge and not its right one; the two end bins are open and take what lies
    beyond them.
    """

    column: str
    low: float
    high: float
    bins: int

    @property
    def width(self) -> float:
        """How wide each interval is."""
        return (self.high - self.low) / self.bins

    @property
    def edges(self) -> Floats:
        """The `bins + 1` ends of the intervals, from left to right."""
        return np.linspace(self.low, self.high, self.bins + 1)


@dataclass(frozen=True)
class Counted:
    """For each cell of a grid, which persons are in it: pairs, or plain counts of records."""

    shape: tuple[int, ...]
    cells: Whole
    weights: Whole
    persons: NDArray[np.intp] | None
    left_out: int

    def __repr__(self) -> str:
        return f"Counted(shape={self.shape})"

    @property
    def counts(self) -> Whole:
        """How many persons are in each cell."""
        counts = np.bincount(self.cells, weights=self.weights, minlength=int(np.prod(self.shape)))
        return counts.astype(np.int64).reshape(self.shape)

    @property
    def people(self) -> int:
        """How many persons are in the whole grid, each counted once."""
        if self.persons is None:
            return int(self.weights.sum())
        return len(np.unique(self.persons))

    def joined(self, groups: NDArray[np.intp]) -> Whole:
        """Count again with bin i of a one-dimensional grid joined into bin `groups[i]`."""
        cells, size = groups[self.cells], int(groups.max()) + 1
        if self.persons is None:
            return np.bincount(cells, weights=self.weights, minlength=size).astype(np.int64)
        pairs = np.unique(np.stack([cells, self.persons]), axis=1)
        return np.bincount(pairs[0], minlength=size).astype(np.int64)
