"""The histogram: bars on the intervals of one column."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from discreet.arguments import Floats, Labels
from discreet.errors import BrokenPromiseError, InputError, RefusedError
from discreet.plots.by_level import (
    MOST_OVERLAID,
    MultiplesView,
    Panels,
    check_shows_enough,
    count_levels,
    multiples,
    panels_of,
    panels_of_counts,
    panels_of_rows,
)
from discreet.plots.by_two import PanelsView
from discreet.plots.counts import (
    Protected,
    Shown,
    check_size,
    count_cells,
    count_rows,
    ends_of_table,
    parameters_of_counts,
    seen,
    short_places,
    shown_counts,
    shown_of_rows,
)
from discreet.plots.descriptor import BINNED, ROWS, ROWS_AND_COUNTS, Plot
from discreet.plots.request import PlotRequest
from discreet.plots.view import WHERE_SAID, Origin, Tidy, View
from discreet.protect import Merge, Merged
from discreet.protect.counts import LEAST_GAP, Bins, check_counts, joined_bins
from discreet.render.scene import Axis, Bars, Panel, Scene
from discreet.table import BinAxis, Counted, Table

__all__ = [
    "HISTOGRAM",
    "HistogramView",
    "by_level_from_counts",
    "by_level_from_rows",
    "from_counts",
    "from_rows",
    "histogram_view",
    "merged_bins",
    "weigh",
]

HIDDEN = "hatched below the axis: none, or fewer than k"


@dataclass(frozen=True, kw_only=True, repr=False)
class HistogramView(View):
    """Bars of one column.

    Parameters
    ----------
    edges : tuple of float
        The ends of the bins, one more than there are bins.
    counts : tuple of int or None
        What each bin holds; None where it is hidden, or lies in a gap of method "merge".
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
    guarded, axes = count_rows(rows, request, request.bins)
    origin = shown_of_rows(origin, request, guarded.counts[guarded.shown])
    return histogram_view(axes[0].edges, guarded.counts, guarded.shown, request, origin)


def from_counts(table: Table, request: PlotRequest, origin: Origin) -> HistogramView:
    """Count one column in bins, and hide or join those that hold fewer than k."""
    if request.method != Merge.name:
        counted, guarded, axes = count_cells(table, request, request.bins)
        everyone, told = counted.people + counted.left_out, guarded.counts[guarded.shown]
        origin = seen(origin, request, counted.people_in(guarded.shown), everyone, told)
        return histogram_view(axes[0].edges, guarded.counts, guarded.shown, request, origin)
    counted, merged, start = merged_bins(table, request)
    anew = counted.joined(merged.groups)
    check_counts(anew, np.ones(len(anew), dtype=np.bool_), request.k)
    everyone = counted.people + counted.left_out
    origin = seen(origin, request, counted.people, everyone, merged.counts)
    edges, of, origin = _pieces(origin, start, merged.groups, merged.gap)
    return histogram_view(edges, np.where(of >= 0, merged.counts[of], 0), of >= 0, request, origin)


def by_level_from_rows(
    rows: Protected, levels: Sequence[str], request: PlotRequest, origin: Origin
) -> MultiplesView:
    """Count the protected rows of each level in the bins of one column."""
    return _multiples(panels_of_rows(rows, levels, request, origin, request.bins), request)


def by_level_from_counts(table: Table, request: PlotRequest, origin: Origin) -> MultiplesView:
    """Count one column in bins, for each level."""
    if request.method == Merge.name:
        return _multiples(_merged_panels(table, request, origin), request)
    return _multiples(panels_of_counts(table, request, origin, request.bins), request)


def merged_bins(table: Table, request: PlotRequest) -> tuple[Counted, Merged, BinAxis]:
    """Count one column in bins and join neighbours; return what was counted, and where."""
    (column,) = request.columns
    ends = ends_of_table(table, request, column)
    start = ends.axis(ends.most(request.bins))
    counted = table.count((start,))
    check_size(counted, request)
    least = LEAST_GAP  # of empty bins; of whole numbers narrow bins are empty as a rule
    if not start.breaks and start.width < 1 and table.is_whole(column, but_for=request.k):
        least = LEAST_GAP * math.ceil(1 / start.width)
    merged = Merge(request.k)(lambda _: counted.counts, (start.bins,), counted.joined, least)
    return counted, merged, start


def _pieces(
    origin: Origin, start: BinAxis, groups: Labels, gap: Shown
) -> tuple[Floats, Labels, Origin]:
    """Return the edges of joined bins and of gaps, the group of each (-1 of a gap), and a word."""
    of = np.where(gap, -1, groups)
    firsts = np.flatnonzero(np.diff(of, prepend=-2))
    edges: Floats = np.append(start.edges[firsts], start.edges[-1])
    if gap.any():
        said = "nothing is joined across a gap; who lies in one is counted in the bar beside it"
        origin = replace(origin, remarks=(*origin.remarks, said))
    return edges, of[firsts], origin


def _merged_panels(table: Table, request: PlotRequest, origin: Origin) -> Panels:
    """Join merged bins further until every level has k persons in each, but not across a gap.

    What lies between two gaps and never holds k of each level is hidden.
    """
    names = panels_of(table, request)
    counted, merged, start = merged_bins(table, request)
    each = count_levels(table, request, (start,), names)
    levels, bins = each.shape[0], len(merged.counts)
    flat = (np.arange(levels)[:, None] * bins + merged.groups[None, :]).ravel()
    counts = each.joined(flat).reshape(levels, bins)
    own = np.flatnonzero(~merged.gap)
    firsts = own[np.flatnonzero(np.diff(merged.groups[own], prepend=-1))]
    after_gap = np.append(False, merged.gap)[firsts]
    joins, between = np.zeros(bins, dtype=np.intp), np.cumsum(after_gap)
    for stretch in range(int(between[-1]) + 1):
        part = np.flatnonzero(between == stretch)
        before = int(joins[part[0] - 1]) + 1 if stretch else 0
        joins[part] = before + joined_bins(counts[:, part], request.k)
    counts = np.stack([np.bincount(joins, one).astype(np.int64) for one in counts])
    shown: Shown = counts >= request.k
    shown[:] = shown.all(axis=0)
    kept = np.where(shown, counts, 0)
    check_counts(kept, shown, request.k)
    check_shows_enough(kept, counts.sum(axis=1), request)
    edges, of, origin = _pieces(origin, start, joins[merged.groups], merged.gap)
    panels = Panels(names.names, [edges], kept[:, of], shown[:, of] & (of >= 0), origin)
    return panels.seen_of(counted, origin, request)


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
    """Round the shown counts and turn them into densities."""
    told = shown_counts(counts, shown, request)
    widths = np.diff(edges)
    shares = not request.shows_exact or request.of_copy
    total = (sum(count or 0 for count in told) or 1) if shares else 1
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
        suppressed=int((~shown).sum()) if request.shows_exact else None,
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
    methods=(Merge.name, *BINNED, "none"),
    method=Merge.name,
    binned=True,
    edges="always",
    from_rows=from_rows,
    from_counts=from_counts,
    by_level=(by_level_from_rows, by_level_from_counts),
    weigh=weigh,
)
