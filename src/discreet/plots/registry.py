"""The plots there are, in the order in which they are named."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from discreet.plots.bars import BarChart
from discreet.plots.box import BoxPlot
from discreet.plots.contour import ContourPlot
from discreet.plots.correlations import CorrelationPlot
from discreet.plots.crosstab import CrossTable
from discreet.plots.density import DensityPlot
from discreet.plots.diagnostics import LeveragePlot, QQPlot, ResidualPlot
from discreet.plots.ecdf import EcdfPlot
from discreet.plots.heatmap import HeatMap
from discreet.plots.histogram import HistogramPlot
from discreet.plots.over_time import OverTimePlot
from discreet.plots.parallel import ParallelPlot
from discreet.plots.plot import Plot
from discreet.plots.scatter import ScatterPlot
from discreet.plots.survival import SurvivalPlot
from discreet.plots.violin import ViolinPlot

ALL: tuple[type[Plot[Any]], ...] = (
    HistogramPlot,
    DensityPlot,
    EcdfPlot,
    ScatterPlot,
    CorrelationPlot,
    HeatMap,
    ContourPlot,
    BoxPlot,
    ViolinPlot,
    BarChart,
    CrossTable,
    ResidualPlot,
    QQPlot,
    LeveragePlot,
    ParallelPlot,
    SurvivalPlot,
    OverTimePlot,
)
PLOTS: Mapping[str, type[Plot[Any]]] = MappingProxyType({plot.name: plot for plot in ALL})
"""Every plot by name. CONTRIBUTING.md says how to add one."""
