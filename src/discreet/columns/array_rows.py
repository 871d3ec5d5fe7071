"""Rows that are arrays in memory: columns of numbers, and columns of levels as words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats
from discreet.columns.column import FIRST, KINDS, Column, check_names, find_column, way_out
from discreet.columns.grids import NO_LEVELS, BinAxis, Counted, Levels, Rows
from discreet.errors import InputError, RefusedError, one_of


@dataclass(frozen=True, repr=False, eq=False)
class ArrayRows:
    """Rows in memory, each of which is counted once; all that they hold may be shown.

    Parameters
    ----------
    numbers : mapping of str to array, shape (n,)
        Columns of numbers; NaN is a missing value.
    words : mapping of str to tuple of str
        Columns of levels; the empty text is a missing one.
    columns : mapping of str to Column
        What is known of each.
    framework : str, default "pandas"
        Which library's frame a table of them is given back in.

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
            column = self.known(name)
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
            words = self.words[name]
            here = np.fromiter((places[words[i]] for i in complete.tolist()), np.int64)
            cell = cell * (max(places.values()) + 1) + here
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
        some = words if len(kept) == len(words) else [words[i] for i in kept.tolist()]
        return dict(Counter(some))

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
        return tuple(words[i] for i in kept.tolist())

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
