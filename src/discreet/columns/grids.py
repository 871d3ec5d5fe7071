"""Grids to count on, what was counted, and complete rows of some columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats

Whole = NDArray[np.int64]
Levels = Mapping[str, Mapping[str, int]]
"""Of columns of levels the place that each level has; a missing one is the empty text."""
NO_LEVELS: Levels = MappingProxyType({})

# A value this share of a bin's width below an edge counts as on it: 0.3 in bins of 0.1 is
# stored as a hair less than three widths.
EDGE_TOLERANCE = 1e-9


@dataclass(frozen=True)
class BinAxis:
    """`bins` intervals of one column from `low` to `high`, of one width or between `breaks`.

    Each holds its left edge and not its right one; the two end bins are open and take what lies
    beyond them. `breaks` are all edges, the first and the last too, where widths differ.
    """

    column: str
    low: float
    high: float
    bins: int
    breaks: tuple[float, ...] = ()

    @property
    def width(self) -> float:
        """How wide each interval is, where all are alike."""
        return (self.high - self.low) / self.bins

    def places(self, values: Floats) -> NDArray[np.intp]:
        """Say which interval each value is in, as `Table.count` does where the data are."""
        if self.breaks:
            return np.searchsorted(self.breaks[1:-1], values, side="right").astype(np.intp)
        found = np.floor((values - self.low) / self.width + EDGE_TOLERANCE)
        return np.clip(found, 0, self.bins - 1).astype(np.intp)

    @property
    def edges(self) -> Floats:
        """The `bins + 1` ends of the intervals, from left to right."""
        if self.breaks:
            return np.array(self.breaks)
        return np.linspace(self.low, self.high, self.bins + 1)


@dataclass(frozen=True)
class Counted:
    """For each cell of a grid, which people are in it: pairs, or plain counts of records."""

    shape: tuple[int, ...]
    cells: Whole
    weights: Whole
    persons: NDArray[np.intp] | None
    left_out: int

    def __repr__(self) -> str:
        return f"Counted(shape={self.shape})"

    @property
    def counts(self) -> Whole:
        """How many people are in each cell."""
        counts = np.bincount(self.cells, weights=self.weights, minlength=int(np.prod(self.shape)))
        return counts.astype(np.int64).reshape(self.shape)

    @property
    def people(self) -> int:
        """How many people are in the whole grid, each counted once."""
        if self.persons is None:
            return int(self.weights.sum())
        return len(np.unique(self.persons))

    def people_in(self, shown: NDArray[np.bool_]) -> int:
        """How many people are in the cells that are `shown`, each counted once."""
        seen = shown.ravel()[self.cells]
        if self.persons is None:
            return int(self.weights[seen].sum())
        return len(np.unique(self.persons[seen]))

    def joined(self, groups: NDArray[np.intp]) -> Whole:
        """Count again with the i-th cell, in the order of `ravel`, joined into `groups[i]`."""
        cells, size = groups[self.cells], int(groups.max()) + 1
        if self.persons is None:
            return np.bincount(cells, weights=self.weights, minlength=size).astype(np.int64)
        pairs = np.unique(np.stack([cells, self.persons]), axis=1)
        return np.bincount(pairs[0], minlength=size).astype(np.int64)


@dataclass(frozen=True)
class Rows:
    """The complete cases of some columns: numbers, texts, keys; and how many rows were left.

    `persons` is whose each row is, as a place in `names`; None where each row is a person's.
    """

    numbers: Mapping[str, Floats]
    texts: Mapping[str, tuple[str, ...]]
    left_out: int
    persons: NDArray[np.intp] | None = None
    names: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Rows({', '.join([*self.numbers, *self.texts])})"

    def __len__(self) -> int:
        if self.numbers:
            return len(next(iter(self.numbers.values())))
        return len(next(iter(self.texts.values())))
