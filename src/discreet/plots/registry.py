"""The plots there are, in the order in which they are named."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from discreet.plots.bars import BARS
from discreet.plots.box import BOX
from discreet.plots.contour import CONTOUR
from discreet.plots.correlations import CORRELATIONS
from discreet.plots.crosstab import CROSSTAB
from discreet.plots.density import DENSITY
from discreet.plots.descriptor import Plot
from discreet.plots.diagnostics import LEVERAGE, QQ, RESIDUALS
from discreet.plots.ecdf import ECDF
from discreet.plots.heatmap import HEATMAP
from discreet.plots.histogram import HISTOGRAM
from discreet.plots.over_time import OVER_TIME
from discreet.plots.parallel import PARALLEL
from discreet.plots.scatter import SCATTER
from discreet.plots.survival import SURVIVAL
from discreet.plots.view import View
from discreet.plots.violin import VIOLIN

PLOTS: Mapping[str, Plot[View]] = MappingProxyType(
    {
        plot.name: plot
        for plot in (
            HISTOGRAM,
            DENSITY,
            ECDF,
            SCATTER,
            CORRELATIONS,
            HEATMAP,
            CONTOUR,
            BOX,
            VIOLIN,
            BARS,
            CROSSTAB,
            RESIDUALS,
            QQ,
            LEVERAGE,
            PARALLEL,
            SURVIVAL,
            OVER_TIME,
        )
    }
)
"""Every plot by name. To add one: its module, a line here, a method of `Study`, a test."""
