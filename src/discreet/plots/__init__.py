"""The plots: each is one module, which says all there is to say of it; `PLOTS` lists them.

**Counts.** A guarded study counts the rows of its protected copy. Rows of the table are counted
under `research` alone, for public or simulated data: exactly, by the papers' methods.

**Levels.** Levels of fewer than k rows share a panel, and a missing value is a level.

**Gaps.** The cells of an axis of parallel coordinates hold k rows each, and none is joined across
three bins or more that hold fewer than k in all: who is there is in the cell beside them.
"""

from discreet.plots.bars import BarView
from discreet.plots.box import BoxView
from discreet.plots.contour import ContourView
from discreet.plots.correlations import CorrelationsView
from discreet.plots.crosstab import CrossTableView
from discreet.plots.curves import Curve
from discreet.plots.density import DensityView
from discreet.plots.diagnostics import Diagnostic, LeverageView, QQView, ResidualView
from discreet.plots.ecdf import EcdfView
from discreet.plots.facets import MultiplesView, PanelsView
from discreet.plots.heatmap import GridView
from discreet.plots.histogram import HistogramView
from discreet.plots.over_time import OverTimeView
from discreet.plots.parallel_view import ParallelAxis, ParallelView
from discreet.plots.plot import How, Plot, PlotRequest, Setting
from discreet.plots.registry import PLOTS
from discreet.plots.scatter import PointsView
from discreet.plots.scatter_density import ScatterDensityView
from discreet.plots.survival import SurvivalCurve, SurvivalView
from discreet.plots.view import Origin, View
from discreet.plots.violin import ViolinView

__all__ = [
    "PLOTS",
    "BarView",
    "BoxView",
    "ContourView",
    "CorrelationsView",
    "CrossTableView",
    "Curve",
    "DensityView",
    "Diagnostic",
    "EcdfView",
    "GridView",
    "HistogramView",
    "How",
    "LeverageView",
    "MultiplesView",
    "Origin",
    "OverTimeView",
    "PanelsView",
    "ParallelAxis",
    "ParallelView",
    "Plot",
    "PlotRequest",
    "PointsView",
    "QQView",
    "ResidualView",
    "ScatterDensityView",
    "Setting",
    "SurvivalCurve",
    "SurvivalView",
    "View",
    "ViolinView",
]
