"""A share that was counted, and what chance alone would give: each record with others' rows.

Which other rows is decided by the values of the rows, never by their order in the file and never
by a generator, so that the same two tables always give the same baseline.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels
from discreet.errors import InputError
from discreet.protect.base import lexicographic

__all__ = ["Estimate", "Flags", "counted", "keyed_order", "mixed"]

Z = 1.959963984540054
"""A normal value lies within this many standard deviations with a chance of 95 %."""


@dataclass(frozen=True)
class Estimate:
    """A share with what it was counted from, its interval, and what guessing would give.

    Parameters
    ----------
    what : str
        What was counted, in plain words.
    count : float
        How many; ties may count as parts.
    trials : int
        Of how many; at least 1.
    baseline : float or None
        The share that who knows nothing but the question would reach by guessing; None where
        guessing makes no sense.

    Raises
    ------
    InputError
        If there are no trials, or the count is not between 0 and the trials.

    Notes
    -----
    The interval is Wilson's of 95 % for a share of independent trials. The records of one table
    are not independent, so it says how far a count of this size is from certain, no more.

    Examples
    --------
    >>> found = Estimate("records recognised by the nearest released row", 20, 100, 0.01)
    >>> found.share, round(found.low, 3), round(found.high, 3)
    (0.2, 0.133, 0.289)
    >>> print(found)
    records recognised by the nearest released row: 20.0 % (13.3 to 28.9 %; guessing 1.0 %)
    """

    what: str
    count: float
    trials: int
    baseline: float | None = None

    def __post_init__(self) -> None:
        if self.trials < 1 or not 0 <= self.count <= self.trials:
            raise InputError("an estimate needs a count between 0 and its trials, of at least one")

    @property
    def share(self) -> float:
        """The count as a share of the trials."""
        return self.count / self.trials

    @property
    def low(self) -> float:
        """The lower end of the interval of 95 %."""
        return min(self.share, max(0.0, self._end(-1)))

    @property
    def high(self) -> float:
        """The upper end of the interval of 95 %."""
        return max(self.share, min(1.0, self._end(1)))

    def rounded(self, to: int) -> Estimate:
        """Return the estimate made of a count and trials that are multiples of `to`."""
        trials = max(to, to * round(self.trials / to))
        count = min(trials, to * round(self.count / to))
        return Estimate(self.what, count, trials, self.baseline)

    def to_dict(self) -> dict[str, Any]:
        """Return the estimate as plain values."""
        return {
            "what": self.what,
            "count": self.count,
            "trials": self.trials,
            "estimate": self.share,
            "interval": [self.low, self.high],
            "baseline": self.baseline,
        }

    def __str__(self) -> str:
        ends = f"{100 * self.low:.1f} to {100 * self.high:.1f} %"
        guess = "" if self.baseline is None else f"; guessing {100 * self.baseline:.1f} %"
        return f"{self.what}: {100 * self.share:.1f} % ({ends}{guess})"

    def _end(self, sign: int) -> float:
        n = self.trials
        middle = (self.count + Z * Z / 2) / (n + Z * Z)
        spread = self.share * (1 - self.share) * n + Z * Z / 4
        return middle + sign * Z * math.sqrt(max(spread, 0.0)) / (n + Z * Z)


Flags = NDArray[np.bool_]
Digests = NDArray[np.uint64]

TURNS = 8
"""With how many other rows each record is compared."""

KEY = 0x9E3779B97F4A7C15
STEPS = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))  # the finisher of splitmix64


def keyed_order(matrix: Floats) -> Labels:
    """Return the rows in an order that looks random and follows from their values alone.

    By a digest, under a public key, of the ranks of their values in each column (so that a change
    of units changes nothing) and of how many equal rows come before. The first m rows are the keyed
    subsample of size m.
    """
    order = lexicographic(matrix)
    ordered = matrix[order]
    first = np.ones(len(ordered), dtype=np.bool_)
    first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    place = np.arange(len(ordered))
    copies = place - np.maximum.accumulate(np.where(first, place, 0))
    digest = mixed(copies.astype(np.uint64) + np.uint64(KEY))
    for column in ordered.T:
        rank = np.unique(column, return_inverse=True)[1]
        digest = mixed(digest ^ rank.astype(np.uint64))
    return order[np.argsort(digest, kind="stable")]


def counted(what: str, order: Labels, hits: Callable[[Labels], Any]) -> Estimate:
    """Count the records that are hit, beside the share when each is given another record's row.

    `order` has the rows in keyed order; `hits`, given for each record the place of a row, says
    which records are hit. The baseline is the mean over the next `TURNS` rows in the order, or all
    others where there are no more; None for a single row, which has no other.
    """
    n = len(order)
    turns = min(TURNS, n - 1)
    found = int(hits(np.arange(n)).sum())
    chance = 0
    other = np.empty(n, dtype=np.intp)
    for turn in range(1, turns + 1):
        other[order] = np.roll(order, turn)
        chance += int(hits(other).sum())
    return Estimate(what, found, n, chance / (turns * n) if turns else None)


def mixed(values: Digests) -> Digests:
    """Return a well-mixed stand-in of each whole number of 64 bits.

    A different one for each different number, by a public rule: it hides nothing.
    """
    for shift, factor in STEPS:
        values = (values ^ (values >> np.uint64(shift))) * np.uint64(factor)
    return values ^ (values >> np.uint64(31))
