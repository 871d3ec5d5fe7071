"""Figures 16 to 21: every method on few records, simulated like D1."""

from __future__ import annotations

from examples.figures.ask import METHODS, Data
from examples.figures.diagnostics import diagnostic_rows
from examples.figures.panels import Plate
from examples.figures.parameters import DIAGNOSTIC, EXPLORATORY, exploratory_rows

__all__ = ["PERSONS_OF", "size_figure"]

PERSONS_OF = {16: 50, 17: 50, 18: 100, 19: 100, 20: 300, 21: 300}


def size_figure(number: int) -> Plate:
    """Draw one of Figures 16 to 21."""
    persons = PERSONS_OF[number]
    data = Data.of("D1", persons)
    exploring = number % 2 == 0
    caption = (
        f"{persons} records simulated like D1: {EXPLORATORY if exploring else DIAGNOSTIC}; of the"
        " data (i), suppressed (ii), generalized and suppressed (iii), as scaled centroids (iv) and"
        " with noise (v)."
    )
    heads = tuple(way.head for way in METHODS)
    rows = (exploratory_rows if exploring else diagnostic_rows)(data, METHODS)
    return Plate(
        number,
        f"{persons} records, {'exploring' if exploring else 'diagnostics'}",
        caption,
        heads,
        rows,
    )
