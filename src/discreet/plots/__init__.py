"""The plots: each is one module, which says all there is to say of it; `PLOTS` lists them.

**How many are shown.** Every View says how many persons it shows of how many, both rounded as
counts are. How many have a gap is not shown beside them, and where nearly all counts of a plot
are rounded the same way, their sum is told drawn in by one step: so each count, the sum and the
rest keep as many possible values as rounding leaves.

**Levels.** The name of a level says that somebody has it, so a guarded policy joins levels of
fewer than k persons, and a missing value is a level: no sum of levels differs from another by a
few who have no level. A missing number makes such a difference where counts are not rounded.

**One level beside all.** The plot of one level, taken from that of all, leaves the others. So a
guarded bin or cell is shown for every level or for none, and bins and cells are joined from
those of the plot of all persons, until every level shows the share that the policy asks for.
Cells that the plot of all hides count only where k persons of several of them are shown
together, whatever the levels are; so no panels, added up, narrow one of them down.

**Gaps.** No bin reaches across three or more that hold fewer than k persons in all. Who is
there is counted in the bin beside it: all counts together are everybody, and no total tells of
a gap.
"""

from discreet.plots.bars import BarView
from discreet.plots.box import BoxView
from discreet.plots.by_level import MultiplesView
from discreet.plots.by_two import PanelsView
from discreet.plots.contour import ContourView, contour_levels, contour_of, shared_levels
from discreet.plots.correlations import CorrelationsView
from discreet.plots.crosstab import CrossTableView
from discreet.plots.curves import Curve
from discreet.plots.density import DensityView
from discreet.plots.descriptor import PARAMETERS, Parameter, Plot
from discreet.plots.diagnostics import (
    Diagnostic,
    LeverageView,
    QQView,
    ResidualView,
)
from discreet.plots.ecdf import EcdfView
from discreet.plots.heatmap import GridView
from discreet.plots.histogram import HistogramView
from discreet.plots.over_time import OverTimeView, Series
from discreet.plots.parallel_view import ParallelAxis, ParallelView
from discreet.plots.registry import METHOD_OF_PLOT, PLOTS
from discreet.plots.scatter import PointsView
from discreet.plots.scatter_density import CellsOfLevel, ScatterDensityView
from discreet.plots.survival import SurvivalCurve, SurvivalView
from discreet.plots.trends import DRAWN, RAW, Trend
from discreet.plots.view import Gate, Origin, View
from discreet.plots.violin import ViolinView

__all__ = [
    "DRAWN",
    "METHOD_OF_PLOT",
    "PARAMETERS",
    "PLOTS",
    "RAW",
    "BarView",
    "BoxView",
    "CellsOfLevel",
    "ContourView",
    "CorrelationsView",
    "CrossTableView",
    "Curve",
    "DensityView",
    "Diagnostic",
    "EcdfView",
    "Gate",
    "GridView",
    "HistogramView",
    "LeverageView",
    "MultiplesView",
    "Origin",
    "OverTimeView",
    "PanelsView",
    "ParallelAxis",
    "ParallelView",
    "Parameter",
    "Plot",
    "PointsView",
    "QQView",
    "ResidualView",
    "ScatterDensityView",
    "Series",
    "SurvivalCurve",
    "SurvivalView",
    "Trend",
    "View",
    "ViolinView",
    "contour_levels",
    "contour_of",
    "shared_levels",
]
