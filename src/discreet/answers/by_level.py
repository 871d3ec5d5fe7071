"""Small multiples: one histogram or grid for each level of a column, on shared axes.

Beside the picture of all persons, that of one level gives the others by subtraction. So under a
guarded policy a bin is shown for all levels or for none: where each of them has k persons in it.
Bins are joined, or cells used, from those that the picture of all persons has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from discreet.answers.axes import too_few
from discreet.answers.drawn import grid_view, histogram_view, seen
from discreet.answers.from_counts import (
    check_size,
    count_cells,
    edges_of_groups,
    merged_bins,
)
from discreet.answers.from_rows import cells_of, count_rows, shown_of
from discreet.answers.levels import Levels, panels_of
from discreet.errors import BrokenPromiseError, RefusedError
from discreet.policy import ROWS_PER_K, Asked
from discreet.protect.base import Floats, Labels
from discreet.protect.counts import Bins, Guarded, check_counts, joined_bins
from discreet.table import BinAxis, Counted, Table
from discreet.views import (
    GridView,
    HistogramView,
    MultiplesView,
    Origin,
    View,
    contour_levels,
    contour_of,
)

__all__ = [
    "contours",
    "heatmaps",
    "histograms",
    "row_contours",
    "row_heatmaps",
    "row_histograms",
]

Protected = Mapping[str, Floats]


def histograms(table: Table, asked: Asked, origin: Origin) -> MultiplesView:
    """Count one column in bins, for each level."""
    levels = panels_of(table, _by(asked), asked)
    if asked.method == "merge":
        counted, merged, start = merged_bins(table, asked)
        each = _count(table, asked, (start,), levels)
        groups, counts = _joined(each, merged.groups, asked)
        edges, shown = edges_of_groups(start, groups), np.ones(counts.shape, dtype=np.bool_)
        check_counts(counts, shown, asked.k)
    else:
        counted, guarded, axes = count_cells(table, asked, asked.bins)
        counts = _count(table, asked, axes, levels).counts
        edges, shown = axes[0].edges, _shown(counts, guarded, asked)
    origin = _left(origin, counted, asked, counts[shown])
    return _histograms(edges, counts, shown, levels.names, asked, origin)


def heatmaps(table: Table, asked: Asked, origin: Origin) -> MultiplesView:
    """Count two columns in the cells of a grid, for each level."""
    return _multiples(_grids(table, asked, origin), asked)


def contours(table: Table, asked: Asked, origin: Origin) -> MultiplesView:
    """Draw the grid of each level as lines of equal count."""
    return _multiples(_contours(_grids(table, asked, origin)), asked)


def row_histograms(
    rows: Protected, levels: Sequence[str], asked: Asked, origin: Origin
) -> MultiplesView:
    """Count the protected rows of each level in the bins of one column."""
    guarded, axes = count_rows(rows, asked, asked.bins)
    names, counts = _row_counts(rows, levels, axes)
    shown = _row_shown(counts, guarded, asked)
    origin = shown_of(origin, asked, counts[shown])
    return _histograms(axes[0].edges, counts, shown, names, asked, origin)


def row_heatmaps(
    rows: Protected, levels: Sequence[str], asked: Asked, origin: Origin
) -> MultiplesView:
    """Count the protected rows of each level in the cells of a grid."""
    return _multiples(_row_grids(rows, levels, asked, origin), asked)


def row_contours(
    rows: Protected, levels: Sequence[str], asked: Asked, origin: Origin
) -> MultiplesView:
    """Draw the grid of the protected rows of each level as lines of equal count."""
    return _multiples(_contours(_row_grids(rows, levels, asked, origin)), asked)


def _by(asked: Asked) -> str:
    if asked.by is None:
        raise BrokenPromiseError("small multiples were asked for without by=")
    return asked.by


def _count(table: Table, asked: Asked, axes: Sequence[BinAxis], levels: Levels) -> Counted:
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


def _joined(each: Counted, groups: Labels, asked: Asked) -> tuple[Labels, Bins]:
    """Join bins that are joined already further, until every level has k persons in each."""
    levels = each.shape[0]
    while True:
        bins = int(groups[-1]) + 1
        flat = (np.arange(levels)[:, None] * bins + groups[None, :]).ravel()
        counts = each.joined(flat).reshape(levels, bins)
        if (counts >= asked.k).all():
            return groups, counts
        if bins == 1:
            raise too_few(asked)
        groups = joined_bins(counts, asked.k)[groups]


def _shown(counts: Bins, guarded: Guarded, asked: Asked) -> NDArray[np.bool_]:
    """Say what of each level may be shown: beside the others', where the policy is guarded."""
    if asked.method == "none":
        return np.ones(counts.shape, dtype=np.bool_)
    shown: NDArray[np.bool_] = (counts >= asked.k) | ((counts == 0) & asked.show_empty)
    if asked.guarded:
        shown[:] = (shown & guarded.shown).all(axis=0)
    check_counts(np.where(shown, counts, 0), shown, asked.k)
    if not (shown & (counts > 0)).any():
        raise RefusedError(
            f"no bin holds k persons of each level of {_by(asked)!r}; draw a histogram by merge,"
            " or a column with fewer levels"
        )
    return shown


def _grids(table: Table, asked: Asked, origin: Origin) -> list[tuple[str, GridView]]:
    levels = panels_of(table, _by(asked), asked)
    counted, guarded, axes = count_cells(table, asked, asked.grid)
    counts = _count(table, asked, axes, levels).counts
    shown = _shown(counts, guarded, asked)
    origin = _left(origin, counted, asked, counts[shown])
    return _grid_views(axes, counts, shown, levels.names, asked, origin)


def _row_grids(
    rows: Protected, levels: Sequence[str], asked: Asked, origin: Origin
) -> list[tuple[str, GridView]]:
    guarded, axes = count_rows(rows, asked, asked.grid)
    names, counts = _row_counts(rows, levels, axes)
    shown = _row_shown(counts, guarded, asked)
    origin = shown_of(origin, asked, counts[shown])
    return _grid_views(axes, counts, shown, names, asked, origin)


def _row_counts(
    rows: Protected, levels: Sequence[str], axes: tuple[BinAxis, ...]
) -> tuple[tuple[str, ...], Bins]:
    names, of = tuple(sorted(set(levels))), np.array(levels)
    each = [
        cells_of({name: values[of == level] for name, values in rows.items()}, axes)
        for level in names
    ]
    return names, np.stack(each)


def _row_shown(counts: Bins, guarded: Guarded, asked: Asked) -> NDArray[np.bool_]:
    """Say what of each level is shown: cells of few protected rows say little."""
    if not asked.guarded:
        return np.ones(counts.shape, dtype=np.bool_)
    shown: NDArray[np.bool_] = ((counts == 0) | (counts >= asked.k)) & guarded.shown
    return shown


def _left(origin: Origin, counted: Counted, asked: Asked, counts: Bins) -> Origin:
    """Say how many are shown, given what the shown cells of all levels hold: nobody is in two."""
    persons = counted.people + counted.left_out
    return seen(origin, asked, int(counts.sum()), persons, counts[counts > 0])


def _histograms(
    edges: Floats,
    counts: Bins,
    shown: NDArray[np.bool_],
    names: Sequence[str],
    asked: Asked,
    origin: Origin,
) -> MultiplesView:
    kept = np.where(shown, counts, 0)
    views: list[tuple[str, HistogramView]] = [
        (name, histogram_view(edges, kept[i], shown[i], int((~shown[i]).sum()), asked, origin))
        for i, name in enumerate(names)
    ]
    return _multiples(views, asked)


def _grid_views(
    axes: tuple[BinAxis, ...],
    counts: Bins,
    shown: NDArray[np.bool_],
    names: Sequence[str],
    asked: Asked,
    origin: Origin,
) -> list[tuple[str, GridView]]:
    kept, edges = np.where(shown, counts, 0), (axes[0].edges, axes[1].edges)
    out = []
    for i, name in enumerate(names):
        guarded = Guarded(kept[i], shown[i], kept[i].shape, int((~shown[i]).sum()))
        out.append((name, grid_view(edges, guarded, asked, origin)))
    return out


def _contours(grids: Sequence[tuple[str, GridView]]) -> list[tuple[str, View]]:
    """Draw grids as contours at the same levels."""
    counts = [count for _, grid in grids for row in grid.counts for count in row if count]
    levels = contour_levels(max(counts, default=0), min(counts, default=0))
    return [(name, contour_of(grid, levels)) for name, grid in grids]


def _multiples(views: Sequence[tuple[str, View]], asked: Asked) -> MultiplesView:
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
