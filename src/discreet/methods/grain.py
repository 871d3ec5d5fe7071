"""What values of a column are rounded to: their own grain, or a step that hides last digits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from discreet.arguments import Floats
from discreet.methods.copies import threshold
from discreet.methods.values import nice_step

Chance = Callable[[str, int], Floats]
"""Returns so many numbers between 0 and 1 that hang on a name and on no record."""

FINER = 0.01
"""About this share of the values of a column may be finer than its grain."""
GRAINS = (1000.0, 500.0, 100.0, 50.0, 10.0, 5.0, 1.0, 0.5, 0.25, 0.2, 0.1, 0.01)
TINY = 1e-290


def shortened(values: Floats) -> Floats:
    """Return numbers without the last digits of a sum."""
    size = 10.0 ** (11 - np.floor(np.log10(np.maximum(np.abs(values), 1e-290))))
    with np.errstate(over="ignore", invalid="ignore"):
        return np.where(np.abs(values) < 1e-290, values, np.round(values * size) / size) + 0.0


def step_of(raw: Floats, out: Floats, chance: Chance, k: int) -> Floats:
    """Return what each number is rounded to: a fiftieth of an sd, or two digits, or its grain.

    A number of a column of quarters is one, too, as one of whole numbers is. Of a column that is
    nearly all 0 anything is a grain: none beyond its sd counts but 1.

    A grain is one that all raw numbers have but for a few: fewer than k to 2 k - 1, or than about
    a hundredth. The sd is that of safe quantiles. So no person decides on a step.
    """
    draws = chance("step", 3)
    few = max(threshold(draws[0], k), FINER * (0.5 + draws[1]) * len(raw))
    sd = float(np.std(np.sort(out), ddof=1)) if len(out) > 1 else 0.0
    sd *= 0.8 + 0.4 * draws[2]
    step = nice_step(max(sd, 1e-6 * float(np.ptp(out)), TINY))

    def has(grain: float) -> bool:
        return bool((np.abs(raw / grain - np.round(raw / grain)) >= 1e-6).sum() < few)

    grain = next((it for it in GRAINS if (it <= sd or it == 1.0) and has(it)), 0.0)
    step = next((it for it in GRAINS if it >= step and has(it)), step)
    digits = 10.0 ** (np.floor(np.log10(np.maximum(np.abs(out), TINY))) - 1)
    return np.maximum(np.maximum(np.minimum(step, digits), grain), TINY)
