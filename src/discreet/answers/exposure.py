"""What all answers of a version tell of whether somebody is in the data, by the strongest attack.

The attacker knows the records of all others, and all but the secret. Then the answers with a
person, and those without, are two sets of numbers with the same noise, whose distance in standard
deviations says how often the two can be told apart. The copy's noise is drawn apart from that of
answers, so both distances add up as squares.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

MOST_ABOVE = 0.03
"""Answers raise the AUC of the copy by no more: on average, and for who stands out most."""
MOST_GUESSED = 0.05
"""Answers let no more people's level of a column be guessed than without them, as a share."""
LEAST_OF_COPY = 0.57
"""The AUC of a copy for typical people, where nobody measured it (docs/attacks.md)."""
LEAST_OF_FAR_OUT = 0.68
"""The AUC of a copy for people who stand out."""


@dataclass(frozen=True)
class Exposure:
    """How often an attacker says rightly who is in the data, as AUCs.

    `alone` is by all answers without the copy. `typical` (people on average) and `far_out` (at
    most, of somebody who stands out) are two each: by the copy alone, and by copy and answers.
    """

    alone: float
    typical: tuple[float, float]
    far_out: tuple[float, float]

    @property
    def above(self) -> float:
        """By how much answers raise the AUC of the copy at the most."""
        return max(both - copy for copy, both in (self.typical, self.far_out))

    @property
    def says(self) -> str:
        """It in words, for the custodian."""
        return (
            "membership, all others known: AUC"
            f" {self.typical[0]:.2f} by the copy, {self.typical[1]:.2f} with all answers; of who "
            f"stands out most {self.far_out[0]:.2f} and at most {self.far_out[1]:.2f}"
        )


def auc_of(distance: float) -> float:
    """Return how often two numbers are told apart whose squared distance is so large.

    Examples
    --------
    >>> auc_of(0.0), round(auc_of(0.06), 3), round(auc_of(4.0), 3)
    (0.5, 0.569, 0.921)
    """
    return NormalDist().cdf(math.sqrt(distance / 2))


def distance_of(auc: float) -> float:
    """Return the squared distance at which two numbers are told apart so often.

    Examples
    --------
    >>> round(distance_of(auc_of(0.3)), 6)
    0.3
    """
    return 2 * NormalDist().inv_cdf(min(max(auc, 0.5), 0.9999)) ** 2


def gain_of(distance: float, shares: Sequence[float]) -> float:
    """Return for how many more people the level of a column is guessed right by numbers.

    Each level moves numbers of its own, so that any two are as far apart; of three levels the best
    guess gains more than of the two commonest alone.

    Parameters
    ----------
    distance : float
        Between the numbers with one level of a person and with another, squared, in their noise.
    shares : sequence of float
        Of people with each level.

    Examples
    --------
    >>> round(gain_of(0.09, [0.5, 0.5]), 3), round(gain_of(0.09, [0.7, 0.3]), 3)
    (0.06, 0.0)
    >>> round(gain_of(0.09, [0.4, 0.3, 0.3]), 3)
    0.016
    """
    some = np.array([it for it in shares if it > 0])
    if not distance or len(some) < 2:
        return 0.0
    from scipy.special import ndtr

    far, steps = math.sqrt(distance / 2), np.linspace(-8.0, 8.0, 321)
    density = np.exp(-(steps**2) / 2)
    right = 0.0
    for at, share in enumerate(some):
        ahead = far + np.log(share / some) / far
        ahead[at] = np.inf  # of itself
        right += share * np.average(ndtr(steps[:, None] + ahead).prod(axis=1), weights=density)
    return float(max(right - some.max(), 0.0))


def exposure_of(
    mean: float, most: float, copy: float = LEAST_OF_COPY, copy_far_out: float = LEAST_OF_FAR_OUT
) -> Exposure:
    """Return how often membership is told right by numbers of such squared distances.

    They are of people on average, and of who stands out most; so are the AUCs of the copy.
    """
    return Exposure(
        auc_of(mean),
        (copy, auc_of(distance_of(copy) + mean)),
        (copy_far_out, auc_of(distance_of(copy_far_out) + most)),
    )
