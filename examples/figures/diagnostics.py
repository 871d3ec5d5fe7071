"""Figures 5 to 7: regression diagnostics of D1, D2 and D3 by every method."""

from __future__ import annotations

from collections.abc import Sequence

from examples.figures.ask import METHODS, Data, Way, diagnostic
from examples.figures.panels import Plate, Row
from examples.figures.simulate import NAMES

__all__ = ["diagnostic_figure", "diagnostic_rows"]

PICTURES = {"residuals": "A", "qq": "B", "leverage": "C"}


def diagnostic_figure(number: int) -> Plate:
    """Draw Figure 5, 6 or 7."""
    name = NAMES[number - 5]
    caption = (
        f"Diagnostics of the regression of Y on X of {name}: residuals against fitted values (A),"
        " normal QQ plots (B), residuals against leverage (C). (i) as it comes out; (ii) the cells"
        " of a 30 by 30 grid that hold at least three points; (iii) the same of a 15 by 15 grid;"
        " (iv) scaled centroids of each three nearest points; (v) points with noise of 6.25 % of"
        " the variance. In B and C residuals are divided by their standard deviation; Cook's"
        " distances of 0.5 and 1 lie outside the frame."
    )
    heads = tuple(way.head for way in METHODS)
    rows = diagnostic_rows(Data.of(name), METHODS)
    return Plate(number, f"Regression diagnostics of {name}", caption, heads, rows)


def diagnostic_rows(data: Data, ways: Sequence[Way]) -> tuple[Row, ...]:
    """Return the three rows of every figure of diagnostics."""
    return tuple(Row(diagnostic(data, name, ways), part) for name, part in PICTURES.items())
