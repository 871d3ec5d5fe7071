"""Grids to count on, what was counted, and rows in memory that are counted and read on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats
from discreet.columns.column import FIRST, KINDS, Column, check_names, find_column, way_out
from discreet.columns.words import coded, counts_of, words_at
from discreet.errors import InputError, RefusedError, one_of

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


@dataclass(frozen=True, repr=False, eq=False)
class ArrayRows:
    """Rows in memory, each of which is counted once; all that they hold may be shown.

    NaN is a missing number, the empty text a missing level. A table of them is given back in a
    frame of `framework`.

    Examples
    --------
    >>> ages = {"age": np.array([18.0, 40.0, np.nan])}
    >>> rows = ArrayRows(ages, {"sex": ("F", "M", "F")})
    >>> rows.levels("sex"), rows.count([BinAxis("age", 0, 100, 2)]).counts.tolist()
    ({'F': 2, 'M': 1}, [2, 0])
    """

    numbers: Mapping[str, Floats]
    words: Mapping[str, Sequence[str]] = field(default_factory=dict)
    columns: Mapping[str, Column] = field(default_factory=dict)
    framework: str = "pandas"

    def __post_init__(self) -> None:
        if not self.columns:
            kinds = {**dict.fromkeys(self.numbers, KINDS[0]), **dict.fromkeys(self.words, KINDS[1])}
            known = {name: Column(name, kind) for name, kind in kinds.items()}
            object.__setattr__(self, "columns", known)

    def __repr__(self) -> str:
        return f"ArrayRows({', '.join(self.columns)})"

    @property
    def size(self) -> int:
        """How many rows there are."""
        return next((len(it) for of in (self.numbers, self.words) for it in of.values()), 0)

    # --- names ----------------------------------------------------------------------------------

    def known(self, name: str) -> Column:
        """Return what is known of a column, or say which there are."""
        return find_column(self.columns, name)

    def shown(self, names: Sequence[str], kind: str) -> tuple[str, ...]:
        """Return those of the names that are of a kind."""
        return tuple(name for name in names if self.columns[name].kind == kind)

    def require(self, names: Sequence[str], kind: str | None = None) -> None:
        """Refuse names that are unknown, named twice, or of another kind."""
        check_names(names)
        for name in names:
            column = find_column(self.columns, name)
            if kind is not None and column.kind != kind:
                texts = self.words.get(name, ())[:FIRST]
                raise InputError(f"column {name!r} {way_out(texts, column, kind)}")

    # --- counts ---------------------------------------------------------------------------------

    def count(self, axes: Sequence[BinAxis], levels: Levels = NO_LEVELS) -> Counted:
        """Count the rows in each cell of the grid that `axes` span.

        `levels` says of columns of levels which place each has; they are the first dimensions of
        the grid. Rows without a number on an axis are left out.
        """
        shape = tuple(max(places.values()) + 1 for places in levels.values())
        shape += tuple(axis.bins for axis in axes)
        complete = self._complete([axis.column for axis in axes], [])
        cell = np.zeros(len(complete), dtype=np.int64)
        for name, places in levels.items():
            names, codes = coded(words_at(self.words[name], complete))
            here = np.array([places[it] for it in names], dtype=np.int64)
            cell = cell * (max(places.values()) + 1) + here[codes]
        for axis in axes:
            cell = cell * axis.bins + axis.places(self.numbers[axis.column][complete])
        cells, weights = np.unique(cell, return_counts=True)
        return Counted(shape, cells, weights.astype(np.int64), None, self.size - len(complete))

    def levels(self, name: str, complete: Sequence[str] = ()) -> dict[str, int]:
        """Count the rows of each level of a column; the empty text stands for none.

        Those alone that have a number in all of the columns `complete`.
        """
        kept = self._complete(complete, [])
        words = self.words[name]
        return counts_of(words if len(kept) == len(words) else words_at(words, kept))

    def extremes(self, name: str, k: int) -> tuple[Floats, Floats]:
        """Return the `k` smallest and the `k` largest values of a column."""
        values = self._finite(name)
        if len(values) == 0:
            raise RefusedError(f"column {name!r} has no finite value, so there is nothing to show")
        if k == 1:
            return values.min(keepdims=True), values.max(keepdims=True)
        values = np.sort(values)
        return values[:k], values[::-1][:k]

    def is_whole(self, name: str, but_for: int = 1) -> bool:
        """Whether the values of a column are whole numbers, but for fewer than some."""
        values = self._finite(name)
        return int((values != np.floor(values)).sum()) < but_for

    def rows(
        self, names: Sequence[str], texts: Sequence[str] = (), levels: Sequence[str] = ()
    ) -> Rows:
        """Return the rows that have all of `names` and `texts`; `levels` may be missing in them."""
        kept = self._complete(names, texts)
        if len(kept) == 0:
            raise RefusedError(
                f"no row has values in all of {one_of([*names, *texts])}; leave a column out"
            )
        numbers = {name: self.numbers[name][kept] for name in names}
        words = {name: self._words(name, kept) for name in (*texts, *levels)}
        return Rows(numbers, words, self.size - len(kept))

    def persons_repeat(self) -> bool:
        """Whether some person has several rows: each row is counted by itself."""
        return False

    def _words(self, name: str, kept: NDArray[np.intp]) -> tuple[str, ...]:
        words = self.words[name]
        if len(kept) == len(words):
            return tuple(words)
        return words_at(words, kept)

    def _finite(self, name: str) -> Floats:
        values = self.numbers[name]
        return values[np.isfinite(values)]

    def _complete(self, numbers: Sequence[str], words: Sequence[str]) -> NDArray[np.intp]:
        known = np.ones(self.size, dtype=np.bool_)
        for name in numbers:
            known &= np.isfinite(self.numbers[name])
        for name in words:
            known &= np.fromiter((word != "" for word in self.words[name]), np.bool_, self.size)
        return np.flatnonzero(known)
