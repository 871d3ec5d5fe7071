"""Round numbers to stand beside an axis whose ends are given."""

from __future__ import annotations

import math

__all__ = ["round_numbers"]

FEW = 0.18  # how far apart two numbers are at least, as a part of the axis
STEPS = (1.0, 2.0, 5.0, 10.0)


def round_numbers(scale: tuple[float, float], least: float) -> tuple[tuple[float, str], ...]:
    """Return the place and the name of round numbers strictly between the ends of an axis.

    They follow from the ends alone, so they tell nothing that the ends do not.

    Parameters
    ----------
    scale : (float, float)
        The numbers at the foot and at the head.
    least : float
        How much of the axis the letters of one number take; numbers are not closer than that to
        each other, nor to the ends, which have words of their own.

    Returns
    -------
    tuple of (float, str)
        Place, 0 at the foot to 1 at the head, and name; none where names of seven digits would
        not tell where they stand.

    Examples
    --------
    >>> [name for _, name in round_numbers((15.0, 90.0), 0.05)]
    ['20', '40', '60', '80']
    >>> round_numbers((0.0, 1.0), 0.3)
    ((0.5, '0.5'),)
    """
    low, high = scale
    span = high - low
    wanted = span * max(least, FEW)
    if not (0 < wanted < math.inf):
        return ()
    power = 10.0 ** math.floor(math.log10(wanted))
    if power == 0 or not math.isfinite(low / power) or not math.isfinite(high / power):
        return ()
    step = next((m * power for m in STEPS if m * power >= wanted * (1 - 1e-9)), 10 * power)
    first, last = math.floor(low / step) + 1, math.ceil(high / step) - 1
    # as many as there can be: of ends that are nearly the same, steps are lost in rounding
    numbers = [k * step for k in range(first, min(last, first + int(1 / FEW) + 1) + 1)]
    places = [(number - low) / span for number in numbers]
    found = tuple(
        (place, f"{number:.7g}")
        for place, number in zip(places, numbers, strict=True)
        if least <= place <= 1 - least and 0 < place < 1
    )
    true = all(abs(low + place * span - float(name)) <= step / 50 for place, name in found)
    return found if true else ()
