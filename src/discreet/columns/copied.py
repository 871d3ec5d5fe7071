"""Protected rows: columns of numbers and of levels, in memory or read as they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from discreet.arguments import Floats

CopiedRows = tuple[Mapping[str, Floats], Mapping[str, tuple[str, ...]]]
"""Columns of numbers and of levels, by name."""
Pieces = Callable[[Sequence[str]], Iterator[CopiedRows]]


@dataclass(frozen=True, repr=False)
class Copy:
    """Protected rows: their columns, the levels of their strata, and the version they are of.

    `whose` holds the column that says which rows are one drawn person's, where there is one.
    `remarks` are sentences on how the rows were prepared, `of_columns` on single columns of a copy
    of the whole table, by name.
    Of a copy that is not in memory `path` is its Parquet file, `pieces` reads some columns of it by
    parts of the rows, and `keep` is what has to be there as long as it is read.
    """

    columns: Mapping[str, Floats]
    strata: Mapping[str, tuple[str, ...]]
    version: str
    left_out: int
    remarks: tuple[str, ...] = ()
    path: Path | None = None
    pieces: Pieces | None = None
    keep: object = None
    whose: Mapping[str, Floats] = field(default_factory=lambda: MappingProxyType({}))
    of_columns: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))

    def __len__(self) -> int:
        columns: Mapping[str, Any] = self.columns or self.strata
        return len(next(iter(columns.values()))) if columns else 0

    def parts(self, names: Sequence[str]) -> Iterator[CopiedRows]:
        """Return some columns by parts of the rows, in their order; of those in memory one part."""
        if self.pieces is not None:
            yield from self.pieces(names)
            return
        numbers = {**self.columns, **self.whose}
        yield (
            {name: numbers[name] for name in names if name in numbers},
            {name: self.strata[name] for name in names if name in self.strata},
        )

    def first(self, rows: int) -> CopiedRows:
        """Return the first rows, whose they are among the numbers; those after are not read."""
        numbers = {name: [np.zeros(0)] for name in (*self.columns, *self.whose)}
        words: dict[str, tuple[str, ...]] = dict.fromkeys(self.strata, ())
        missing = rows
        for of_numbers, of_words in self.parts([*numbers, *self.strata]):
            for name, values in of_numbers.items():
                numbers[name].append(values[:missing])
            words |= {name: words[name] + of_words[name][:missing] for name in words}
            missing -= len(next(iter((of_numbers or of_words).values()), ()))
            if missing <= 0:
                break
        return {name: np.concatenate(it) for name, it in numbers.items()}, words
