"""What the tests of the figures measure in a View: from its public numbers alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.render.scene import Box

Floats = NDArray[np.float64]


def records(view: Any) -> tuple[Floats, Floats]:
    """Return x and y of each record, a point as often as it stands for one."""
    return np.repeat(view.x, view.size), np.repeat(view.y, view.size)


def correlation(view: Any) -> float:
    """Correlate x and y of the records that are drawn."""
    return float(np.corrcoef(*records(view))[0, 1])


def slope(view: Any, of: str) -> float:
    """Return the slope of the trend of the raw records or of what is drawn."""
    (found,) = (trend.slope for trend in view.trends if trend.of == of)
    return float(found)


def bars(view: Any) -> tuple[Floats, Floats]:
    """Return the middles of the bars and what they hold; a hidden bar holds nothing."""
    middles = np.convolve(view.edges, [0.5, 0.5], mode="valid")
    return middles, np.array([count or 0 for count in view.counts], dtype=np.float64)


def mean_of_bars(view: Any) -> float:
    """Return the mean of what a histogram shows."""
    middles, held = bars(view)
    return float(np.average(middles, weights=held))


def sd_of_bars(view: Any) -> float:
    """Return the standard deviation of what a histogram shows."""
    middles, held = bars(view)
    return float(np.sqrt(np.average((middles - mean_of_bars(view)) ** 2, weights=held)))


def skewness_of_bars(view: Any) -> float:
    """Return the skewness of what a histogram shows; 0 is symmetrical."""
    middles, held = bars(view)
    third = float(np.average((middles - mean_of_bars(view)) ** 3, weights=held))
    return third / sd_of_bars(view) ** 3


def grid_correlation(view: Any) -> float:
    """Correlate the two columns of a heat map, from the counts of its cells."""
    held = np.array([[count or 0 for count in row] for row in view.counts])
    x, y = (np.convolve(ends, [0.5, 0.5], mode="valid") for ends in (view.x_edges, view.y_edges))
    places = np.nonzero(held)
    again = held[places]
    return float(np.corrcoef(np.repeat(x[places[0]], again), np.repeat(y[places[1]], again))[0, 1])


def box_of(view: Any, column: str) -> Box:
    """Return the box of one column."""
    box: Box
    (box,) = (it for it in view.groups if it.label == column)
    return box
