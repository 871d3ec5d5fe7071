"""The plots: each is one module, which says all there is to say of it; `PLOTS` lists them."""

from discreet.plots.bars import BarView
from discreet.plots.box import BoxView
from discreet.plots.by_level import MultiplesView
from discreet.plots.contour import ContourView, contour_levels, contour_of, shared_levels
from discreet.plots.crosstab import CrossTableView
from discreet.plots.descriptor import PARAMETERS, Parameter, Plot
from discreet.plots.diagnostics import (
    Curve,
    Diagnostic,
    LeverageView,
    QQView,
    ResidualView,
)
from discreet.plots.heatmap import GridView
from discreet.plots.histogram import HistogramView
from discreet.plots.parallel_view import ParallelAxis, ParallelView
from discreet.plots.registry import METHOD_OF_PLOT, PLOTS
from discreet.plots.scatter import DRAWN, RAW, PointsView, Trend
from discreet.plots.view import Gate, Origin, View

__all__ = [
    "DRAWN",
    "METHOD_OF_PLOT",
    "PARAMETERS",
    "PLOTS",
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
    "Parameter",
    "Plot",
    "PointsView",
    "QQView",
    "ResidualView",
    "Trend",
    "View",
    "contour_levels",
    "contour_of",
    "shared_levels",
]
