"""What may be shown: frozen, plain numbers, JSON out and in."""

from discreet.views.bars import BarView
from discreet.views.base import Gate, Origin, View
from discreet.views.box import BoxView
from discreet.views.contour import ContourView, contour_levels, contour_of, shared_levels
from discreet.views.crosstab import CrossTableView
from discreet.views.diagnostics import (
    Curve,
    Diagnostic,
    LeverageView,
    QQView,
    ResidualView,
)
from discreet.views.grid import GridView
from discreet.views.histogram import HistogramView
from discreet.views.multiples import MultiplesView
from discreet.views.parallel import ParallelAxis, ParallelView
from discreet.views.points import DRAWN, RAW, PointsView, Trend

__all__ = [
    "DRAWN",
    "RAW",
    "BarView",
    "BoxView",
    "ContourView",
    "CrossTableView",
    "Curve",
    "Diagnostic",
    "Gate",
    "GridView",
    "HistogramView",
    "LeverageView",
    "MultiplesView",
    "Origin",
    "ParallelAxis",
    "ParallelView",
    "PointsView",
    "QQView",
    "ResidualView",
    "Trend",
    "View",
    "contour_levels",
    "contour_of",
    "shared_levels",
]
