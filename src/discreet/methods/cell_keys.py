"""Cell-key perturbation: counts of people with noise that hangs on who is counted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, check_parameters, whole
from discreet.errors import InputError

STEPS_PER_SD = 4
"""The largest step is so many standard deviations, if nobody says."""


@dataclass(frozen=True)
class CellKey:
    """Change counts of people by whole numbers, drawn by the keys of the people counted.

    Each person has a keyed random number. The sum of these numbers over the people in a cell, and a
    keyed number of its condition, are its cell key, which draws the change. So the same cell gets
    the same change in every table. Of all distributions on -D to D with mean 0 and variance sd² the
    changes have the one of largest entropy: probabilities are proportional to exp(-b d²).

    Parameters
    ----------
    sd : int, default 15
        The standard deviation of the changes, in people.
    most : int, optional
        D, the largest change; at least 2 sd, by default 4 sd.

    Raises
    ------
    InputError
        If a number is out of its range.

    Notes
    -----
    Published tables of probabilities let no count of k or more become 0. Here a count below a
    threshold is shown as few, 0 included, so one row of probabilities serves all counts: its mean
    is 0, whatever the count is.

    **What it does not protect.** The noise of many cells that hold one person averages out: how
    many there may be is limited elsewhere (`Policy.answers`).

    References
    ----------
    Fraser and Wooton, "A proposed method for confidentialising tabular output to protect against
    differencing" (UNECE 2005); Marley and Leaver, "A method for confidentialising user-defined
    tables" (ISI 2011). Largest entropy: Giessing, "Computational issues in the design of transition
    probabilities and disclosure risk estimation for additive noise" (PSD 2016).

    Examples
    --------
    >>> noise = CellKey(sd=15)
    >>> noise.largest, round(noise.mean, 9), round(noise.variance, 6)
    (60, 0.0, 225.0)
    >>> noise.drawn(np.array([0.02, 0.5, 0.98])).tolist()
    [-31, 0, 31]
    """

    name: ClassVar[str] = "cell-key"
    promises: ClassVar[str] = (
        "Counts of people in the data with keyed noise: the same cell has the same noise in every "
        "table of a version, and no other cell has it."
    )
    leaves_open: ClassVar[str] = (
        "Many numbers about one person together: their noise averages out, so a version has a"
        " limited number of them. It is not differential privacy."
    )
    sentence: ClassVar[str] = (
        "counts of people in the data were changed by keyed noise with a standard deviation of"
        " {sd} people"
    )
    not_claimed: ClassVar[tuple[str, ...]] = ("differential privacy",)
    declared: ClassVar[tuple[str, ...]] = ("sd", "most")

    sd: int = whole(1, default=15)
    most: int | None = whole(2, default=None)

    def __post_init__(self) -> None:
        check_parameters(self)
        if self.largest < 2 * self.sd:
            raise InputError("most must be at least twice sd: the largest change of a count")

    @property
    def largest(self) -> int:
        """The largest change: `most`, or 4 sd."""
        return STEPS_PER_SD * self.sd if self.most is None else self.most

    @property
    def changes(self) -> NDArray[np.int64]:
        """All changes, from the smallest to the largest."""
        return np.arange(-self.largest, self.largest + 1, dtype=np.int64)

    @cached_property
    def probabilities(self) -> Floats:
        """How probable each of the `changes` is."""
        return _largest_entropy(self.sd**2, self.largest)

    @property
    def mean(self) -> float:
        """The mean of the changes."""
        return float(self.probabilities @ self.changes)

    @property
    def variance(self) -> float:
        """The variance of the changes."""
        return float(self.probabilities @ self.changes**2)

    def drawn(self, uniforms: Floats) -> NDArray[np.int64]:
        """Return the change that each of some numbers between 0 and 1 draws."""
        found = np.searchsorted(np.cumsum(self.probabilities), uniforms, side="right")
        return self.changes[np.minimum(found, 2 * self.largest)]


@lru_cache(maxsize=16)
def _largest_entropy(variance: int, most: int) -> Floats:
    from scipy.optimize import brentq

    squares = np.arange(-most, most + 1, dtype=np.float64) ** 2

    def weights(b: float) -> Floats:
        out = np.exp(-b * squares)
        return np.asarray(out / out.sum())

    found = brentq(lambda b: float(weights(b) @ squares) - variance, 0.0, 20.0, xtol=1e-15)
    return weights(float(found))
