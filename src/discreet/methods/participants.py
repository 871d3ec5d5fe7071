"""Who takes part in a copy: all but a share of persons that the secret leaves out.

Who is left out is nowhere in the copy: nothing is fitted to, counted of or drawn from their rows.
So even who knows everybody else cannot be sure that a person is in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels
from discreet.methods.copies import Draws, Levels
from discreet.methods.grain import Chance

HUGE = 1e150
PERSONS_PER_K = 4
"""A column of numbers has at least so many times k persons, to twice, who have one."""
ROWS_OF_ONE = 4
"""Of a person so many times as many rows as usual take part at the most."""
USUAL = (0.4, 0.6)
"""Between these quantiles is what is usual: where, the secret says."""
ONE = 1 << 20
"""What the rows of a person weigh together: more than anyone has rows, as each weighs 1 or more."""


class Rows(NamedTuple):
    """Rows of the raw table: their columns, draws, whose they are, and their places in it."""

    numbers: Mapping[str, Floats]
    levels: Mapping[str, Levels]
    draws: Draws
    persons: Labels | None
    at: Labels

    def taken(self, at: Labels) -> Rows:
        """Return some of the rows."""
        return self._replace(
            numbers={name: column[at] for name, column in self.numbers.items()},
            levels={name: Levels(it.words, it.codes[at]) for name, it in self.levels.items()},
            draws=self.draws.taken(at),
            persons=None if self.persons is None else self.persons[at],
            at=self.at[at],
        )

    def chance(self, name: str) -> Chance:
        """Return the draws of a column that hang on no record."""
        return lambda what, count: self.draws.of_table(f"{what} of {name}", count)

    def persons_with(self, rows: NDArray[np.bool_]) -> int:
        """Return how many persons have some of the rows."""
        return persons_of(self.persons, rows)

    def weights(self) -> Labels:
        """Return what each row weighs: those of a person `ONE` together, at the most."""
        if self.persons is None:
            return np.full(len(self.at), ONE, dtype=np.int64)
        _, whose, rows = np.unique(self.persons, return_inverse=True, return_counts=True)
        return np.maximum(ONE // rows, 1)[whose].astype(np.int64)


def persons_of(persons: Labels | None, rows: NDArray[np.bool_]) -> int:
    """Return how many persons have some of the rows; `persons` says whose each row is."""
    return int(rows.sum()) if persons is None else len(np.unique(persons[rows]))


def finite(column: Floats) -> Floats:
    """Return a column in which what is not finite, or beyond 1e150, is missing."""
    values = np.asarray(column, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        return np.where(np.abs(values) < HUGE, values, np.nan) + 0.0


def least_known(persons: int, k: int, draws: Draws) -> int:
    """Return how many persons have a number in a column that is shown; what all have always is."""
    wide = max(1, min(PERSONS_PER_K * k, persons - PERSONS_PER_K * k + 1))
    return PERSONS_PER_K * k + int(draws.of_table("known numbers", 1)[0] * wide)


def usual_rows(persons: Labels | None, draws: Draws) -> int:
    """Return how many rows a person usually has: about the median, at a quantile by chance."""
    if persons is None:
        return 1
    rows = np.sort(np.unique(persons, return_counts=True)[1])
    low, high = USUAL
    share = low + (high - low) * float(draws.of_table("usual rows", 1)[0])
    return int(rows[int(share * len(rows))])


def participants(rows: Rows, usual: int, least: int, left_out: float) -> tuple[Rows, int]:
    """Return the rows that take part, in the order of their keys, and how many could.

    Parameters
    ----------
    rows : Rows
        All rows.
    usual : int
        How many rows a person usually has: of none very many more take part.
    least : int
        So many persons take part at the least.
    left_out : float
        The largest share of persons left out; between half of it and it, the secret says.
    """
    some = rows.taken(_limited(rows.draws, rows.persons, usual))
    return some.taken(_in_part(some, least, left_out)), len(some.at)


def _limited(draws: Draws, persons: Labels | None, usual: int) -> Labels:
    """Return rows in the order of their keys, of no person very many more than `usual`."""
    order: Labels = np.lexsort(draws.keys.T)
    if persons is None:
        return order
    _, whose, count = np.unique(persons[order], return_inverse=True, return_counts=True)
    by_person = np.argsort(whose, kind="stable")
    place = np.empty(len(order), dtype=np.intp)
    place[by_person] = np.arange(len(order)) - np.repeat(np.cumsum(count) - count, count)
    return order[place < ROWS_OF_ONE * usual]


def _in_part(rows: Rows, least: int, left_out: float) -> Labels:
    chance: Floats = rows.draws.of_rows("apart")[:, 0]
    whose = np.arange(len(chance))
    if rows.persons is not None:  # a sum of uniform numbers, less its whole part, is one too
        whose = np.unique(rows.persons, return_inverse=True)[1]
        chance = np.bincount(whose, chance).astype(np.float64) % 1.0
    low = left_out / 2
    share = low + (left_out - low) * float(rows.draws.of_table("apart", 1)[0])
    out = max(0, min(int(share * len(chance)), len(chance) - least))
    left = np.argsort(chance, kind="stable")[:out]
    return np.flatnonzero(~np.isin(whose, left))
