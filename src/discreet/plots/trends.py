"""Trend lines of a scatter plot: least squares of what is drawn."""

from __future__ import annotations

import dataclasses

import numpy as np

from discreet.arguments import Floats
from discreet.errors import RefusedError
from discreet.plots import DRAWN, RAW, PointsView, Trend

__all__ = ["with_trends"]

DIGITS, INTERCEPT_DIGITS = 12, 15


def with_trends(view: PointsView, raw: tuple[Floats, Floats] | None) -> PointsView:
    """Add the trend of the drawn points, of each level where they have some, and that of `raw`.

    Each point counts as often as it stands for records (Avraam et al. 2021, Fig. 2A).
    """
    if not view.x:
        raise RefusedError("no point is shown, so there is no trend to draw; leave trend out")
    x, y, size = (np.array(part, dtype=np.float64) for part in (view.x, view.y, view.size))
    level = np.array(view.level or ("",) * len(x))
    trends = [
        _trend(DRAWN, name, x[level == name], y[level == name], size[level == name])
        for name in sorted(set(level.tolist()))
    ]
    if raw is not None:
        order = np.lexsort(raw)  # sums in another order have other last digits
        trends.append(_trend(RAW, "", raw[0][order], raw[1][order], np.ones(len(order))))
    return dataclasses.replace(view, trends=tuple(trends))


@np.errstate(all="ignore")  # what comes of numbers beyond all measure is looked at in the end
def _trend(of: str, level: str, x: Floats, y: Floats, weight: Floats) -> Trend:
    if len(x) < 2 or not np.ptp(x) > 0:
        raise RefusedError("all points lie above one another, so there is no trend; draw none")
    # Without it the products of large numbers lose what small differences there are.
    x_mid, y_mid = np.average(x, weights=weight), np.average(y, weights=weight)
    dx, dy = x - x_mid, y - y_mid
    along, across = (weight * dx * dy).sum(), (weight * dx * dx).sum()
    slope = float(f"{along / across:.{DIGITS}g}")
    # Of the slope as it is told, and with all its digits: x may be far from 0.
    intercept = float(f"{y_mid - slope * x_mid:.{INTERCEPT_DIGITS}g}")
    if not np.isfinite([along, across, slope, intercept]).all():
        raise RefusedError("the points lie too close together or too far apart for a trend")
    return Trend(of, level, slope, intercept)
