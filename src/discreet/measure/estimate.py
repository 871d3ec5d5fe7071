"""A share that was counted: never a bare number."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from discreet.errors import InputError

__all__ = ["Estimate"]

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
        return max(0.0, self._middle() - self._half())

    @property
    def high(self) -> float:
        """The upper end of the interval of 95 %."""
        return min(1.0, self._middle() + self._half())

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

    def _middle(self) -> float:
        n = self.trials
        return (self.count + Z * Z / 2) / (n + Z * Z)

    def _half(self) -> float:
        n = self.trials
        spread = self.share * (1 - self.share) * n + Z * Z / 4
        return Z * math.sqrt(max(spread, 0.0)) / (n + Z * Z)
