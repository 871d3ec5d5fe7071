"""The histogram: bars on the intervals of one column."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from discreet.arguments import Floats, Labels
from discreet.columns.countable import Countable
from discreet.errors import BrokenPromiseError, InputError, RefusedError
from discreet.methods import Suppression
from discreet.methods.counts import Bins
from discreet.plots.by_level import (
    MOST_OVERLAID,
    MultiplesView,
    Panels,
    multiples,
    panels_of_counts,
    panels_of_rows,
)
from discreet.plots.by_two import PanelsView
from discreet.plots.counts import (
    Protected,
    Shown,
    count_cells,
    count_rows,
    parameters_of_counts,
    short_places,
    shown_all,
    shown_counts,
)
from discreet.plots.descriptor import BINNED, ROWS, ROWS_AND_COUNTS, Plot
from discreet.plots.request import PlotRequest
from discreet.plots.view import WHERE_SAID, Origin, Tidy, View
from discreet.render.scene import Axis, Bars, Panel, Scene

HIDDEN = "hatched below the axis: none, or fewer than k"


@dataclass(frozen=True, kw_only=True, repr=False)
class HistogramView(View):
    """Bars of one column.

    Parameters
    ----------
    edges : tuple of float
        The ends of the bins, one more than there are bins.
    counts : tuple of int or None
        What each bin holds; None where it is hidden.
    density : tuple of float or None
        The height of each bar: a guarded policy shows shares divided by the bin's width,
        `research` counts divided by it (the frequency density of the 2021 paper).
    weights : str
        The column whose sums the densities are of, where rows are weighted; counts are of rows.
    """

    kind: ClassVar[str] = "histogram"

    edges: tuple[float, ...]
    counts: tuple[int | None, ...]
    density: tuple[float | None, ...]
    weights: str = field(default="", metadata=WHERE_SAID)

    def __post_init__(self) -> None:
        if not len(self.edges) - 1 == len(self.counts) == len(self.density):
            raise InputError("a histogram has one edge more than it has counts and densities")

    def tidy(self) -> Tidy:
        """Return a row for each bin: its ends, what it holds and its density."""
        ends = self.ends(self.columns[0], self.edges)
        return [
            ("low", ends[:-1]),
            ("high", ends[1:]),
            ("count", self.counts),
            ("density", self.density),
        ]

    def scene(self) -> Scene:
        """Return the bars; hidden ones have a sign."""
        label = "frequency density" if self.origin.regime == "research" else "density"
        label += f", weighted by {self.label(self.weights)}" if self.weights else ""
        panel = Panel(
            marks=(Bars(self.edges, self.density),),
            x=self.axis(self.columns[0], self.edges, (self.edges[0], self.edges[-1])),
            y=Axis(label),
        )
        return Scene((panel,), notes=self.short_notes(*self.signs()))

    def signs(self) -> tuple[str, ...]:
        """Return what hatched bins mean, where there are any."""
        return (HIDDEN,) if None in self.counts else ()


def from_rows(
    rows: Protected, levels: Sequence[str], request: PlotRequest, origin: Origin
) -> HistogramView:
    """Count the protected rows in the bins of one column."""
    counts, axes = count_rows(rows, request, request.bins)
    origin = replace(origin, shown=int(counts.sum()))
    return histogram_view(axes[0].edges, counts, shown_all(counts), request, origin)


def from_counts(table: Countable, request: PlotRequest, origin: Origin) -> HistogramView:
    """Count one column in bins, and hide those that hold fewer than k."""
    counted, guarded, axes = count_cells(table, request, request.bins)
    everyone = counted.people + counted.left_out
    origin = replace(origin, shown=counted.people_in(guarded.shown), total=everyone)
    return histogram_view(axes[0].edges, guarded.counts, guarded.shown, request, origin)


def by_level_from_rows(
    rows: Protected, levels: Sequence[str], request: PlotRequest, origin: Origin
) -> MultiplesView:
    """Count the protected rows of each level in the bins of one column."""
    return _multiples(panels_of_rows(rows, levels, request, origin, request.bins), request)


def by_level_from_counts(table: Countable, request: PlotRequest, origin: Origin) -> MultiplesView:
    """Count one column in bins, for each level."""
    return _multiples(panels_of_counts(table, request, origin, request.bins), request)


def _multiples(panels: Panels, request: PlotRequest) -> MultiplesView:
    views = [
        histogram_view(panels.edges[0], counts, shown, request, panels.origin)
        for counts, shown in panels.each()
    ]
    drawn = multiples(panels.names, views, request)
    return _overlaid(drawn, views) if request.overlay else drawn


def _overlaid(drawn: MultiplesView, views: Sequence[HistogramView]) -> MultiplesView:
    """Keep the levels with the most in their bars, to be drawn on one pair of axes."""
    held = [sum(count or 0 for count in view.counts) for view in views]
    largest = sorted(range(len(held)), key=lambda i: -held[i])[:MOST_OVERLAID]
    kept = sorted(largest)
    # How many are shown of all levels is not true of those that are drawn.
    origin = drawn.origin if len(kept) == len(held) else replace(drawn.origin, shown=None)
    return replace(
        drawn,
        origin=origin,
        levels=tuple(drawn.levels[i] for i in kept),
        views=tuple(drawn.views[i] for i in kept),
        overlaid=True,
        others=tuple(name for i, name in enumerate(drawn.levels) if i not in largest),
    )


def histogram_view(
    edges: Floats, counts: Bins, shown: Shown, request: PlotRequest, origin: Origin
) -> HistogramView:
    """Turn the shown counts into densities."""
    told = shown_counts(counts, shown)
    widths = np.diff(edges)
    total = (sum(count or 0 for count in told) or 1) if request.of_copy else 1
    with np.errstate(over="ignore", divide="ignore"):
        density = [
            None if c is None else c / (total * w) for c, w in zip(told, widths, strict=True)
        ]
    if any(d is not None and not math.isfinite(d) for d in density):
        raise RefusedError(
            f"the values of {request.columns[0]!r} lie so close together that their density is too"
            " large to be written; give the column in other units"
        )
    declared = request.columns[0] in request.edges
    return HistogramView(
        columns=request.columns,
        method=request.method,
        parameters=parameters_of_counts(request, **({} if declared else {"bins": request.bins})),
        suppressed=int((~shown).sum()),
        origin=origin,
        edges=short_places(edges),
        counts=tuple(told),
        density=tuple(None if d is None else float(f"{d:.6g}") for d in density),
    )


def weigh(
    view: HistogramView | MultiplesView,
    rows: Protected,
    levels: Mapping[str, Sequence[str]],
    weights: Floats,
    request: PlotRequest,
) -> HistogramView | MultiplesView:
    """Draw the densities of weights in the same bins, of all rows or of those of each level."""
    (column,) = request.columns
    of = np.array(levels[request.by] if request.by else [column] * len(weights))
    known = np.isfinite(rows[column]) & (of != "")
    values = {column: rows[column][known]}
    _, (axis,) = count_rows(values, request, request.bins)
    places, of, weights = axis.places(values[column]), of[known], weights[known]
    if isinstance(view, HistogramView):
        return _weighed(view, places, weights, request)
    views = []
    for level, each in zip(view.levels, view.views, strict=True):
        if not isinstance(each, HistogramView):
            raise BrokenPromiseError("the panels of a histogram came out as other plots")
        here = of == level
        views.append(_weighed(each, places[here], weights[here], request))
    return replace(view, views=tuple(views))


def _weighed(
    view: HistogramView, places: Labels, weights: Floats, request: PlotRequest
) -> HistogramView:
    sums = np.bincount(places, weights, len(view.counts))
    if len(sums) != len(view.counts):
        raise BrokenPromiseError("rows were weighted in other bins than they were counted in")
    heights = sums / sums.sum() / np.diff(view.edges)
    density = tuple(
        None if count is None else float(f"{height:.6g}")
        for count, height in zip(view.counts, heights.tolist(), strict=True)
    )
    return replace(view, density=density, weights=request.weights or "")


HISTOGRAM: Plot[HistogramView | MultiplesView | PanelsView] = Plot(
    name="histogram",
    title="Histogram",
    says="How the values of one column are spread.",
    columns="continuous",
    least=1,
    most=1,
    by=ROWS_AND_COUNTS,
    parameters=(*ROWS, "bins", "overlay"),
    methods=(*BINNED, "none"),
    method=Suppression.name,
    binned=True,
    edges=True,
    from_rows=from_rows,
    from_counts=from_counts,
    by_level=(by_level_from_rows, by_level_from_counts),
    weigh=weigh,
)
