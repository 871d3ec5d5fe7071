"""Figures 8 to 15: what k of two methods and the noise q of the third do to pictures of D1."""

from __future__ import annotations

from collections.abc import Sequence

from examples.figures.ask import Data, Way, histogram, picture
from examples.figures.diagnostics import diagnostic_rows
from examples.figures.panels import Plate, Row

__all__ = ["SERIES", "exploratory_rows", "parameter_figure"]

REAL = "(real data)"


def of_k(method: str, ks: Sequence[int]) -> tuple[Way, ...]:
    """Return a way for each k of a method that hides, k = 1 first."""
    first = Way(f"k = 1 {REAL}", method, {"k": 1})
    return (first, *(Way(f"k = {k}", method, {"k": k}) for k in ks))


CENTROIDS = (
    Way(f"k = 1 {REAL}", "none"),
    *(Way(f"k = {k}", "deterministic", {"k": k}) for k in (5, 10, 20, 50)),
)
NOISE = (
    Way(f"q = 0 {REAL}", "none"),
    *(
        Way(f"q = {name}", "probabilistic", {"q": q})
        for name, q in {"0.1": 0.1, "0.5": 0.5, "1": 1.0, "√2": 2**0.5}.items()
    ),
)
#: The exploring figure of each parameter: what is varied, how far it was told, and in which ways.
SERIES = {
    8: (
        "k of suppression",
        "on grids of 30 by 30, with bars of 0.2",
        of_k("suppression", (3, 5, 7, 9)),
    ),
    9: (
        "k of suppression after generalization",
        "on grids of 15 by 15, with bars of 0.4",
        of_k("generalization", (3, 5, 7, 9)),
    ),
    12: ("k of deterministic anonymization", "as scaled centroids of k neighbours", CENTROIDS),
    14: ("q of probabilistic anonymization", "with noise of q standard deviations", NOISE),
}
#: The exploring figure that each figure of diagnostics goes with.
DIAGNOSTICS_OF = {10: 8, 11: 9, 13: 12, 15: 14}

EXPLORATORY = (
    "scatter plots (A; lines: trend of the data in red, of what is drawn dark), heat maps (B),"
    " contour plots (C), histograms of X (D) and Y (E), box plots (F)"
)
DIAGNOSTIC = (
    "residuals against fitted values (A), normal QQ plots (B), residuals against leverage (C;"
    " dashed, where it reaches into the frame: Cook's distance of 0.5)"
)


def parameter_figure(number: int) -> Plate:
    """Draw one of Figures 8 to 15."""
    varied, made, ways = SERIES[DIAGNOSTICS_OF.get(number, number)]
    data = Data.of("D1")
    heads = tuple(way.head for way in ways)
    exploring = number in SERIES
    pictures = EXPLORATORY if exploring else DIAGNOSTIC
    caption = f"What {varied} does to pictures of D1, {made}: {pictures}."
    rows = exploratory_rows(data, ways) if exploring else diagnostic_rows(data, ways)
    what = "exploring D1" if exploring else "diagnostics of D1"
    return Plate(number, f"{varied}, {what}", caption, heads, rows)


def exploratory_rows(data: Data, ways: Sequence[Way]) -> tuple[Row, ...]:
    """Return the six rows of every figure that explores one data set."""
    return (
        Row(picture(data, "scatter", ways, trend=True), "A"),
        Row(picture(data, "heatmap", ways), "B"),
        Row(picture(data, "contour", ways), "C"),
        Row(histogram(data, "X", ways), "D"),
        Row(histogram(data, "Y", ways), "E"),
        Row(picture(data, "box", ways), "F"),
    )
