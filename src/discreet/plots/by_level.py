"""Small multiples: one histogram or grid for each level of a column, on shared axes.

Beside the picture of all persons, that of one level gives the others by subtraction. So under a
guarded policy a bin is shown for all levels or for none: where each of them has k persons in it.
Bins and cells are joined from those that the picture of all persons has, until every level shows
the share of its persons that the policy asks for; else nothing is drawn, for what is left of a
level might be another picture altogether.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats
from discreet.errors import BrokenPromiseError, RefusedError
from discreet.plots import (
    GridView,
    HistogramView,
    MultiplesView,
    Origin,
    View,
    contour_of,
    shared_levels,
)
from discreet.plots.axes import too_few
from discreet.plots.drawn import grid_view, histogram_view, seen
from discreet.plots.from_counts import (
    check_size,
    count_cells,
    merged_bins,
    pieces_of,
    with_gaps,
)
from discreet.plots.from_rows import cells_of, count_rows, shown_of
from discreet.plots.levels import Levels, panels_of
from discreet.plots.request import ROWS_PER_K, PlotRequest
from discreet.protect.counts import (
    Bins,
    Guarded,
    Merged,
    cells_of_levels,
    check_counts,
    in_blocks,
    joined_bins,
    shows_enough,
    widths_of_blocks,
)
from discreet.table import BinAxis, Counted, Table

__all__ = [
    "contours",
    "heatmaps",
    "histograms",
    "row_contours",
    "row_heatmaps",
    "row_histograms",
]

Protected = Mapping[str, Floats]
Drawn = tuple[Floats, Bins, NDArray[np.bool_]]
"""The ends of bins, what each level has in each, and whether that is shown."""


def histograms(table: Table, asked: PlotRequest, origin: Origin) -> MultiplesView:
    """Count one column in bins, for each level."""
    levels = panels_of(table, _by(asked), asked)
    if asked.method == "merge":
        counted, merged, start = merged_bins(table, asked)
        each = _count(table, asked, (start,), levels)
        edges, counts, shown = _joined(each, merged, start, asked)
        origin = with_gaps(origin, merged)
    else:
        counted, guarded, axes = count_cells(table, asked, asked.bins)
        each = _count(table, asked, axes, levels)
        (edges,), counts, shown = _cells(each.counts, guarded, axes, asked)
    origin = _said(_left(origin, counted, asked, counts[shown]), shown, asked)
    return _histograms(edges, counts, shown, levels.names, asked, origin)


def heatmaps(table: Table, asked: PlotRequest, origin: Origin) -> MultiplesView:
    """Count two columns in the cells of a grid, for each level."""
    return _multiples(_grids(table, asked, origin), asked)


def contours(table: Table, asked: PlotRequest, origin: Origin) -> MultiplesView:
    """Draw the grid of each level as lines of equal count."""
    return _multiples(_contours(_grids(table, asked, origin)), asked)


def row_histograms(
    rows: Protected, levels: Sequence[str], asked: PlotRequest, origin: Origin
) -> MultiplesView:
    """Count the protected rows of each level in the bins of one column."""
    _, axes = count_rows(rows, asked, asked.bins)
    names, counts = _row_counts(rows, levels, axes)
    (edges,), counts, shown = _row_cells(counts, axes, asked)
    origin = shown_of(origin, asked, counts[shown])
    return _histograms(edges, counts, shown, names, asked, origin)


def row_heatmaps(
    rows: Protected, levels: Sequence[str], asked: PlotRequest, origin: Origin
) -> MultiplesView:
    """Count the protected rows of each level in the cells of a grid."""
    return _multiples(_row_grids(rows, levels, asked, origin), asked)


def row_contours(
    rows: Protected, levels: Sequence[str], asked: PlotRequest, origin: Origin
) -> MultiplesView:
    """Draw the grid of the protected rows of each level as lines of equal count."""
    return _multiples(_contours(_row_grids(rows, levels, asked, origin)), asked)


def _by(asked: PlotRequest) -> str:
    if asked.by is None:
        raise BrokenPromiseError("small multiples were asked for without by=")
    return asked.by


def _count(table: Table, asked: PlotRequest, axes: Sequence[BinAxis], levels: Levels) -> Counted:
    """Count on the axes for each level, and refuse a level that no picture is made of."""
    if table.persons_repeat():
        raise RefusedError(
            "some person has several rows, so the levels do not add up to all persons, and the"
            " difference would tell of a few; make one row a person first, or draw without by="
        )
    each = table.count(axes, {_by(asked): levels.places})
    bins = int(np.prod(each.shape[1:]))
    persons = each.joined(np.repeat(np.arange(each.shape[0]), bins))
    if persons.min() < asked.k * (ROWS_PER_K if asked.guarded else 1):
        raise too_few(asked)
    if asked.bins_share < 1 and max(each.shape[1:]) > asked.bins_share * persons.min():
        raise too_few(asked)
    check_size(each, asked)
    return each


def _joined(each: Counted, merged: Merged, start: BinAxis, asked: PlotRequest) -> Drawn:
    """Join merged bins further until every level has k persons in each, but not across a gap.

    What lies between two gaps and never holds k of each level is hidden.
    """
    levels, bins = each.shape[0], len(merged.counts)
    flat = (np.arange(levels)[:, None] * bins + merged.groups[None, :]).ravel()
    counts = each.joined(flat).reshape(levels, bins)
    joins, between = np.zeros(bins, dtype=np.intp), np.cumsum(_after_gap(merged))
    for stretch in range(int(between[-1]) + 1):
        part = np.flatnonzero(between == stretch)
        before = int(joins[part[0] - 1]) + 1 if stretch else 0
        joins[part] = before + joined_bins(counts[:, part], asked.k)
    counts = np.stack([np.bincount(joins, one).astype(np.int64) for one in counts])
    shown: NDArray[np.bool_] = counts >= asked.k
    shown[:] = shown.all(axis=0)
    kept = np.where(shown, counts, 0)
    check_counts(kept, shown, asked.k)
    if not kept.any() or not shows_enough(kept, counts.sum(axis=1), _share(asked)):
        raise _too_far_apart(asked)
    edges, of = pieces_of(start, joins[merged.groups], merged.gap)
    return edges, kept[:, of], shown[:, of] & (of >= 0)


def _after_gap(merged: Merged) -> NDArray[np.bool_]:
    """Say which merged bins have a gap on their left."""
    own = np.flatnonzero(~merged.gap)
    firsts = own[np.flatnonzero(np.diff(merged.groups[own], prepend=-1))]
    after: NDArray[np.bool_] = np.append(False, merged.gap)[firsts]
    return after


def _cells(
    counts: Bins, guarded: Guarded, axes: tuple[BinAxis, ...], asked: PlotRequest
) -> tuple[list[Floats], Bins, NDArray[np.bool_]]:
    """Say what of each level may be shown: beside the others', where the policy is guarded."""
    edges = [axis.edges for axis in axes]
    if not asked.guarded:
        shown: NDArray[np.bool_] = (counts >= asked.k) | ((counts == 0) & asked.show_empty)
        if asked.method == "none":
            shown = np.ones(counts.shape, dtype=np.bool_)
        else:
            check_counts(np.where(shown, counts, 0), shown, asked.k)
        return edges, counts, shown
    told = guarded.shown & ((guarded.counts > 0) | asked.show_empty)
    found = cells_of_levels(counts, told, asked.k, _share(asked), show_empty=asked.show_empty)
    if found is None:
        raise _too_far_apart(asked)
    return _joined_edges(edges, found.widths), found.counts, found.shown


def _grids(table: Table, asked: PlotRequest, origin: Origin) -> list[tuple[str, GridView]]:
    levels = panels_of(table, _by(asked), asked)
    counted, guarded, axes = count_cells(table, asked, asked.grid)
    counts = _count(table, asked, axes, levels).counts
    edges, counts, shown = _cells(counts, guarded, axes, asked)
    origin = _said(_left(origin, counted, asked, counts[shown]), shown, asked)
    return _grid_views(edges, counts, shown, levels.names, asked, origin)


def _row_grids(
    rows: Protected, levels: Sequence[str], asked: PlotRequest, origin: Origin
) -> list[tuple[str, GridView]]:
    _, axes = count_rows(rows, asked, asked.grid)
    names, counts = _row_counts(rows, levels, axes)
    edges, counts, shown = _row_cells(counts, axes, asked)
    origin = shown_of(origin, asked, counts[shown])
    return _grid_views(edges, counts, shown, names, asked, origin)


def _row_counts(
    rows: Protected, levels: Sequence[str], axes: tuple[BinAxis, ...]
) -> tuple[tuple[str, ...], Bins]:
    names, of = tuple(sorted(set(levels))), np.array(levels)
    each = [
        cells_of({name: values[of == level] for name, values in rows.items()}, axes)
        for level in names
    ]
    return names, np.stack(each)


def _row_cells(
    counts: Bins, axes: tuple[BinAxis, ...], asked: PlotRequest
) -> tuple[list[Floats], Bins, NDArray[np.bool_]]:
    """Say what of each level is shown: cells of few protected rows say little."""
    edges = [axis.edges for axis in axes]
    if not asked.guarded:
        return edges, counts, np.ones(counts.shape, dtype=np.bool_)
    totals = counts.sum(axis=tuple(range(1, counts.ndim)))
    for widths in widths_of_blocks(counts.shape[1:]):
        found = in_blocks(counts, widths)
        each, all_levels = ((n == 0) | (n >= asked.k) for n in (found, found.sum(axis=0)))
        shown = each & all_levels
        if shows_enough(np.where(shown, found, 0), totals, _share(asked)):
            return _joined_edges(edges, widths), found, shown
    raise _too_far_apart(asked)


def _joined_edges(edges: Sequence[Floats], widths: tuple[int, ...]) -> list[Floats]:
    """Return the ends of joined cells, of which the last may be narrower."""
    return [np.append(ends[:-1:width], ends[-1]) for ends, width in zip(edges, widths, strict=True)]


def _share(asked: PlotRequest) -> float:
    return asked.shown_share if asked.guarded else 0.0


def _too_far_apart(asked: PlotRequest) -> RefusedError:
    return RefusedError(
        f"the levels of {_by(asked)!r} lie too far apart to be drawn side by side: too few of the"
        " persons of some level lie where each level has k of them; draw a box plot by"
        f" {_by(asked)!r}, or a column with fewer levels"
    )


def _said(origin: Origin, shown: NDArray[np.bool_], asked: PlotRequest) -> Origin:
    """Say with the picture why a cell of a level is hidden that holds k persons."""
    if shown.all() or not asked.guarded:
        return origin
    why = f"hidden for all levels of {_by(asked)} where one has fewer than k: the others would tell"
    return replace(origin, remarks=(*origin.remarks, why))


def _left(origin: Origin, counted: Counted, asked: PlotRequest, counts: Bins) -> Origin:
    """Say how many are shown, given what the shown cells of all levels hold: nobody is in two."""
    persons = counted.people + counted.left_out
    return seen(origin, asked, int(counts.sum()), persons, counts[counts > 0])


def _histograms(
    edges: Floats,
    counts: Bins,
    shown: NDArray[np.bool_],
    names: Sequence[str],
    asked: PlotRequest,
    origin: Origin,
) -> MultiplesView:
    kept = np.where(shown, counts, 0)
    views: list[tuple[str, HistogramView]] = [
        (name, histogram_view(edges, kept[i], shown[i], int((~shown[i]).sum()), asked, origin))
        for i, name in enumerate(names)
    ]
    return _multiples(views, asked)


def _grid_views(
    edges: Sequence[Floats],
    counts: Bins,
    shown: NDArray[np.bool_],
    names: Sequence[str],
    asked: PlotRequest,
    origin: Origin,
) -> list[tuple[str, GridView]]:
    kept = np.where(shown, counts, 0)
    out = []
    for i, name in enumerate(names):
        guarded = Guarded(kept[i], shown[i], kept[i].shape, int((~shown[i]).sum()))
        out.append((name, grid_view((edges[0], edges[1]), guarded, asked, origin)))
    return out


def _contours(grids: Sequence[tuple[str, GridView]]) -> list[tuple[str, View]]:
    """Draw grids as contours at the same levels."""
    drawn = [[count for row in grid.counts for count in row if count] for _, grid in grids]
    peaks = [max(counts, default=0) for counts in drawn]
    levels = shared_levels(peaks, min((min(counts) for counts in drawn if counts), default=0))
    return [(name, contour_of(grid, levels)) for name, grid in grids]


def _multiples(views: Sequence[tuple[str, View]], asked: PlotRequest) -> MultiplesView:
    first = views[0][1]
    hidden = [view.suppressed for _, view in views if view.suppressed is not None]
    return MultiplesView(
        columns=first.columns,
        method=first.method,
        parameters=first.parameters,
        suppressed=sum(hidden) if len(hidden) == len(views) else None,
        origin=first.origin,
        by=_by(asked),
        levels=tuple(name for name, _ in views),
        # What is said of all levels together is not true of each.
        views=tuple(replace(v, origin=replace(v.origin, shown=None)) for _, v in views),
    )
