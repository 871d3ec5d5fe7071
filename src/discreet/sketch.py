"""A keyed stand-in of a column, by which the ledger recognises data without keeping a value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Sketch", "sketch_of"]

BUCKETS = 1 << 14
# A column of fewer different values may well be the same in two unrelated tables.
DISTINCTIVE = 20


@dataclass(frozen=True)
class Sketch:
    """A keyed stand-in of a column: equal for equal values in any order."""

    mark: str
    buckets: NDArray[np.int64]

    @property
    def distinctive(self) -> bool:
        """Whether there are so many different values that no unrelated column is the same."""
        return bool(np.count_nonzero(self.buckets) >= DISTINCTIVE)

    def resembles(self, new: Sketch, fewer_than: int) -> bool:
        """Whether `new` is this column with fewer than some rows changed.

        Two samples of one population may have much the same values too, if these are few; they
        differ by about the square root of how often each occurs, changed data by less.
        """
        by_chance = np.minimum(self.buckets, 0.56 * np.sqrt(self.buckets)).sum()
        return bool(0 < self.changed_rows(new) < min(fewer_than, by_chance / 2))

    def changed_rows(self, new: Sketch) -> int:
        """Return how many rows at least differ between this and `new`."""
        difference = new.buckets - self.buckets
        gained, lost = difference[difference > 0].sum(), -difference[difference < 0].sum()
        return int(max(gained, lost))


def sketch_of(marks: NDArray[np.uint64]) -> Sketch:
    """Sketch the keyed marks of a column's values (`Secret.marks`), whatever their order."""
    with np.errstate(over="ignore"):
        first, second = marks.sum(axis=0, dtype=np.uint64)
    buckets = np.bincount(marks[:, 0] % np.uint64(BUCKETS), minlength=BUCKETS)
    return Sketch(f"{int(first):016x}{int(second):016x}", buckets.astype(np.int64))
