"""Figures 1 to 4: pictures for exploring data, of D1, D2 and D3 by every method."""

from __future__ import annotations

from examples.figures.ask import METHODS, Data, histogram, picture
from examples.figures.panels import Plate, Row
from examples.figures.simulate import NAMES

__all__ = ["figure_1", "figure_2", "figure_3", "figure_4"]

HEADS = tuple(way.head for way in METHODS)
PARTS = dict(zip("ABC", NAMES, strict=True))


def figure_1() -> Plate:
    """Draw histograms of X and Y."""
    rows = [
        Row(histogram(data, column, METHODS), f"{part} {data.name}" if column == "X" else "")
        for part, data in opened()
        for column in ("X", "Y")
    ]
    caption = (
        "Histograms of X and Y of D1 (A), D2 (B) and D3 (C): (i) of the data; (ii) without bars of"
        " fewer than three; (iii) the same with bars twice as wide; (iv) of the scaled centroids of"
        " each three nearest neighbours; (v) with noise of 6.25 % of the variance. The height is"
        " the count divided by the width of the bar."
    )
    return Plate(1, "Histograms", caption, HEADS, tuple(rows))


def figure_2() -> Plate:
    """Draw scatter plots of X and Y."""
    rows = [
        Row(picture(data, "scatter", METHODS, trend=data.name == "D1"), f"{part} {data.name}")
        for part, data in opened()
    ]
    caption = (
        "Scatter plots of D1 (A), D2 (B) and D3 (C): (i) the data; (ii) the cells of a 30 by 30"
        " grid that hold at least three records, each a dot in the middle with an area by count;"
        " (iii) the same of a 15 by 15 grid; (iv) scaled centroids of each three nearest"
        " neighbours, dark where several coincide; (v) with noise of 6.25 % of the variance. Lines"
        " of A: the trend of the data (red) and of what is drawn (dark), weighted in (ii) and"
        " (iii)."
    )
    return Plate(2, "Scatter plots", caption, HEADS, tuple(rows))


def figure_3() -> Plate:
    """Draw heat maps and contour plots of X and Y."""
    rows = [
        Row(picture(data, name, METHODS), f"{part} {data.name}" if name == "heatmap" else "")
        for part, data in opened()
        for name in ("heatmap", "contour")
    ]
    caption = (
        "Heat maps and contour plots of D1 (A), D2 (B) and D3 (C): (i) a 30 by 30 grid; (ii)"
        " without cells of fewer than three; (iii) the same of a 15 by 15 grid; (iv) a 30 by 30"
        " grid of the scaled centroids of each three nearest neighbours; (v) one of the data with"
        " noise of 6.25 % of the variance. Scales of colours differ; grey cells are empty or"
        " hidden; darker contours are higher, the lowest at half of the smallest"
        " count that is drawn, and what is hidden counts as none."
    )
    return Plate(3, "Heat maps and contour plots", caption, HEADS, tuple(rows))


def figure_4() -> Plate:
    """Draw box plots of X and Y."""
    rows = [Row(picture(data, "box", METHODS), f"{part} {data.name}") for part, data in opened()]
    caption = (
        "Box plots of X and Y of D1 (A), D2 (B) and D3 (C): (i) of the data; (ii) of the records in"
        " those cells of a 30 by 30 grid that hold at least three; (iii) the same of a 15 by 15"
        " grid; (iv) of scaled centroids of each three nearest neighbours; (v) with noise of"
        " 6.25 % of the variance. The diamond is the mean."
    )
    return Plate(4, "Box plots", caption, HEADS, tuple(rows))


def opened() -> list[tuple[str, Data]]:
    """Open the three data sets, each with the letter of its part of a figure."""
    return [(part, Data.of(name)) for part, name in PARTS.items()]
