"""Least-squares lines: of what a plot draws, and under `research` of raw records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.arguments import Floats
from discreet.errors import RefusedError
from discreet.render.scene import Lines

RAW, DRAWN = "raw records", "what is drawn"
DIGITS, INTERCEPT_DIGITS = 12, 15


@dataclass(frozen=True)
class Trend:
    """A least-squares line y = intercept + slope x.

    `of` says of what: "what is drawn" (each point as often as it counts) or, under `research`
    alone, "raw records"; `level` of which level of `by`, or empty.
    """

    of: str
    level: str
    slope: float
    intercept: float


def line_of(trend: Trend, x: tuple[float, float]) -> Lines:
    """Return a trend as a line between two places."""
    y = (trend.intercept + trend.slope * x[0], trend.intercept + trend.slope * x[1])
    look = "raw" if trend.of == RAW else "trend"
    of_level = f" ({trend.level})" if trend.level else ""
    return Lines((x,), (y,), look, f"trend of {trend.of}{of_level}", group=trend.level)


@np.errstate(all="ignore")  # what comes of numbers beyond all measure is looked at in the end
def trend_of(of: str, level: str, x: Floats, y: Floats, weight: Floats) -> Trend:
    """Return the least-squares line of points, each of which counts as often as its weight says.

    Examples
    --------
    >>> found = trend_of(DRAWN, "", np.array([0.0, 1.0]), np.array([1.0, 3.0]), np.ones(2))
    >>> found.slope, found.intercept
    (2.0, 1.0)
    """
    if len(x) < 2 or not np.ptp(x) > 0:
        raise RefusedError("all points have the same x, so there is no trend; leave trend out")
    # Without it the products of large numbers lose what small differences there are.
    x_mid, y_mid = np.average(x, weights=weight), np.average(y, weights=weight)
    dx, dy = x - x_mid, y - y_mid
    along, across = (weight * dx * dy).sum(), (weight * dx * dx).sum()
    slope = float(f"{along / across:.{DIGITS}g}")
    # Of the slope as it is told, and with all its digits: x may be far from 0.
    intercept = float(f"{y_mid - slope * x_mid:.{INTERCEPT_DIGITS}g}")
    if not np.isfinite([along, across, slope, intercept]).all():
        raise RefusedError("the points are too close together or too far apart for a trend")
    return Trend(of, level, slope, intercept)
