"""Numbers, shares and quartiles as tables of figures write them, and round steps."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from discreet.arguments import Floats

UNKNOWN = "–"
MOST_DECIMALS = 9
LARGEST = 1e12
"""A number of more digits is written with a power of ten."""
GROUPED = 10_000
"""From here on thousands are set apart, so that years are not."""


def decimals_of(sd: float | None) -> int | None:
    """Return how many decimals a mean has beside its sd; None where that does not say.

    The sd has two digits, or three where its first ones are below 355 (the rule of the Particle
    Data Group for errors, with one digit more).

    Examples
    --------
    >>> [decimals_of(sd) for sd in (13.1, 4.42, 0.045, 1520.0)]
    [1, 1, 3, 0]
    """
    if not sd:
        return None
    power = math.floor(math.log10(sd))
    digits = 3 if sd / 10.0**power < 3.55 else 2
    decimals = max(digits - 1 - power, 0)
    return decimals if decimals <= MOST_DECIMALS else None


def decimals_of_error(error: float) -> int | None:
    """Return how many decimals show two digits of a standard error; None of very small ones.

    Examples
    --------
    >>> [decimals_of_error(it) for it in (0.0123, 4.5, 120.0, 0.0)]
    [3, 1, 0, None]
    """
    return max(0, 1 - math.floor(math.log10(error))) if 1e-6 < error < 1e9 else None


def decimals_of_quartiles(
    values: Floats, quartiles: Sequence[float | None], decimals: int | None
) -> int | None:
    """Return how many decimals quartiles have: of whole numbers as few as they need."""
    if decimals is None or not values.size or (values != np.round(values)).any():
        return decimals
    whole = all(it is None or it == round(it) for it in quartiles)
    return 0 if whole else min(decimals, 1)


def number_words(value: float | None, decimals: int | None) -> str:
    """Return a number with so many decimals; None as a dash.

    Examples
    --------
    >>> [number_words(it, 1) for it in (12345.678, 2021.0, -0.001)], number_words(0.1, None)
    (['12,345.7', '2021.0', '0.0'], '0.1')
    """
    if value is None:
        return UNKNOWN
    if decimals is None or abs(value) >= LARGEST:
        return f"{value:.6g}"
    sign = "," if abs(value) >= GROUPED else ""
    return f"{round(value, decimals) + 0.0:{sign}.{decimals}f}"


def count_words(count: int, weight: float, of: float) -> str:
    """Return how many rows there are, and which share of all weight they have."""
    return f"{count:,} ({share_words(weight, of)})"


def gaps_words(known: int, gaps: int) -> str:
    """Return how many rows have a value, and how many of all have none."""
    return f"{known:,}, {count_words(gaps, gaps, known + gaps)}"


def share_words(count: float, of: float) -> str:
    """Return a share in per cent.

    Examples
    --------
    >>> share_words(1, 3), share_words(0, 3), share_words(1, 10_000), share_words(0, 0)
    ('33.3 %', '0 %', '<0.1 %', '–')
    """
    if not of:
        return UNKNOWN
    if 0 < count / of < 0.0005:
        return "<0.1 %"
    return f"{100 * count / of:.1f} %" if 0 < count < of else f"{100 * count / of:.0f} %"


def quartile_words(quartiles: Sequence[float | None], decimals: int | None) -> str:
    """Return a median with its quartiles."""
    low, middle, high = (number_words(it, decimals) for it in quartiles)
    if middle == UNKNOWN:
        return UNKNOWN
    between = " to " if "-" in low else "–"  # "-3–4" would be hard to read
    return f"{middle} ({low}{between}{high})"


def words_in_brackets(first: str | None, second: str) -> str:
    """Return words with others in brackets; of what is not known, a dash."""
    return UNKNOWN if first in (None, UNKNOWN) else f"{first} ({second})"


def nice_above(least: float, times: Sequence[float] = (1, 1.5, 2, 3, 5, 7)) -> float:
    """Return the smallest of some multiples of powers of ten that is at least so much.

    Examples
    --------
    >>> nice_above(0.012), nice_above(0.2), nice_above(0.71), nice_above(0.3, (1, 2, 5))
    (0.015, 0.2, 1.0, 0.5)
    """
    if not least > 0:
        return 0.0
    power = 10.0 ** math.floor(math.log10(least))
    multiple = next(it for it in (*times, 10) if it * power >= least * (1 - 1e-9))
    return float(f"{multiple * power:.3g}")
