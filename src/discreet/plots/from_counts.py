"""Views from grouped counts of the raw data, each standing on at least k persons."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels
from discreet.errors import RefusedError
from discreet.plots import (
    BoxView,
    ContourView,
    GridView,
    HistogramView,
    Origin,
    PointsView,
    contour_of,
)
from discreet.plots.axes import ends_of_table, too_few
from discreet.plots.drawn import (
    box_of,
    cell_middles,
    grid_view,
    histogram_view,
    public,
    seen,
)
from discreet.plots.levels import panels_of
from discreet.plots.request import ROWS_PER_K, PlotRequest
from discreet.protect import (
    Generalization,
    Merge,
    Merged,
    NoProtection,
    OrderMeans,
    Suppression,
)
from discreet.protect.base import sd_of, several_rows
from discreet.protect.counts import LEAST_GAP, Bins, Guarded, check_counts
from discreet.protect.order_means import nice_step, stepped, winsorised
from discreet.table import BinAxis, Counted, Table

__all__ = [
    "box",
    "check_size",
    "contour",
    "count_cells",
    "gaps_of",
    "heatmap",
    "histogram",
    "merged_bins",
    "pieces_of",
    "scatter",
    "with_gaps",
]


def histogram(table: Table, asked: PlotRequest, origin: Origin) -> HistogramView:
    """Count one column in bins, and hide or join those that hold fewer than k."""
    if asked.method == "merge":
        counted, merged, start = merged_bins(table, asked)
        anew = counted.joined(merged.groups)
        check_counts(anew, np.ones(len(anew), dtype=np.bool_), asked.k)
        edges, of = pieces_of(start, merged.groups, merged.gap)
        shown = of >= 0
        counts, hidden = np.where(shown, merged.counts[of], 0), int((~shown).sum())
        # Who is in a gap is counted in the bar beside it.
        origin = with_gaps(_left(origin, counted, asked, merged.counts), merged)
    else:
        counted, guarded, axes = count_cells(table, asked, asked.bins)
        edges, counts, shown = axes[0].edges, guarded.counts, guarded.shown
        hidden = guarded.hidden
        origin = _left(origin, counted, asked, counts, shown)
    return histogram_view(edges, counts, shown, hidden, asked, origin)


def merged_bins(table: Table, asked: PlotRequest) -> tuple[Counted, Merged, BinAxis]:
    """Count one column in bins and join neighbours; return what was counted, and where."""
    (column,) = asked.columns
    ends = ends_of_table(table, asked, column)
    start = ends.axis(ends.most(asked.bins))
    counted = table.count((start,))
    check_size(counted, asked)
    least = _least_gap(table, start, asked)
    merged = Merge(asked.k)(lambda _: counted.counts, (start.bins,), counted.joined, least)
    return counted, merged, start


def _least_gap(table: Table, axis: BinAxis, asked: PlotRequest) -> int:
    """Return how many empty bins are a gap: of whole numbers narrow bins are empty as a rule."""
    if axis.breaks or axis.width >= 1 or not table.is_whole(axis.column, but_for=asked.k):
        return LEAST_GAP
    return LEAST_GAP * math.ceil(1 / axis.width)


def with_gaps(origin: Origin, merged: Merged) -> Origin:
    """Say with a histogram where those are counted who lie in a gap."""
    if not merged.gap.any():
        return origin
    said = "nothing is joined across a gap; who lies in one is counted in the bar beside it"
    return replace(origin, remarks=(*origin.remarks, said))


def pieces_of(start: BinAxis, groups: Labels, gap: NDArray[np.bool_]) -> tuple[Floats, Labels]:
    """Return the edges of joined bins and of gaps, and the group of each; -1 of a gap."""
    of = np.where(gap, -1, groups)
    firsts = np.flatnonzero(np.diff(of, prepend=-2))
    edges: Floats = np.append(start.edges[firsts], start.edges[-1])
    return edges, of[firsts]


def heatmap(table: Table, asked: PlotRequest, origin: Origin) -> GridView:
    """Count two columns in the cells of a grid, and hide those that hold fewer than k."""
    counted, guarded, axes = count_cells(table, asked, asked.grid)
    edges = (axes[0].edges, axes[1].edges)
    origin = _left(origin, counted, asked, guarded.counts, guarded.shown)
    return grid_view(edges, guarded, asked, origin)


def contour(table: Table, asked: PlotRequest, origin: Origin) -> ContourView:
    """Draw the grid of the heat map as lines of equal count."""
    return contour_of(heatmap(table, asked, origin))


def scatter(table: Table, asked: PlotRequest, origin: Origin) -> PointsView:
    """Draw a point in the middle of each shown cell of a grid, sized by what it holds.

    With method "none" (under `research` alone) the raw points.
    """
    if asked.method == "none":
        rows = table.rows(asked.columns)
        points, sizes = np.unique(_matrix(rows.numbers), axis=0, return_counts=True)
        origin = seen(origin, asked, len(rows), table.size)
        return PointsView(
            columns=asked.columns,
            method="none",
            parameters=public({}),
            suppressed=0,
            origin=origin,
            x=tuple(points[:, 0].tolist()),
            y=tuple(points[:, 1].tolist()),
            size=tuple(sizes.tolist()),
        )
    counted, guarded, axes = count_cells(table, asked, asked.grid)
    origin = _left(origin, counted, asked, guarded.counts, guarded.shown)
    drawn = grid_view((axes[0].edges, axes[1].edges), guarded, asked, origin)
    x, y, size = cell_middles(drawn)
    return PointsView(
        columns=drawn.columns,
        method=drawn.method,
        parameters=drawn.parameters,
        suppressed=drawn.suppressed,
        origin=drawn.origin,
        x=x,
        y=y,
        size=size,
    )


def box(table: Table, asked: PlotRequest, origin: Origin) -> BoxView:
    """Draw a box a column: from means of order statistics, or as the 2021 paper does it."""
    if asked.method == "order-means":
        return _box_of_order_means(table, asked, origin)
    rows = table.rows(asked.columns, levels=() if asked.by is None else (asked.by,))
    kept = np.ones(len(rows), dtype=np.bool_)
    parameters: dict[str, Any] = {}
    if asked.method != "none":
        kept = _kept_in_grid(table, asked, rows.numbers)
        parameters = {"k": asked.k, "grid": asked.grid}
        if not kept.any():
            raise RefusedError("every cell of the grid is suppressed; choose a smaller k or grid")
    drawn = {name: rows.numbers[name][kept] for name in asked.columns}
    if asked.by is not None:
        (values,) = rows.numbers.values()
        found = _rows_of_levels(table, asked, rows.texts[asked.by])
        drawn = {level: values[kept & of] for level, of in found.items()}
    return BoxView(
        columns=asked.columns,
        method=asked.method,
        parameters=public(parameters),
        suppressed=int((~kept).sum()),
        origin=seen(origin, asked, int(kept.sum()), table.size),
        groups=tuple(box_of(label, values) for label, values in drawn.items() if len(values)),
        by=asked.by,
    )


def _box_of_order_means(table: Table, asked: PlotRequest, origin: Origin) -> BoxView:
    method = OrderMeans(asked.k)
    boxes = []
    if asked.by is not None:
        _check_varies(table, asked)
    for label, values, persons in _values(table, asked):
        if not _enough(values, persons, asked):
            raise too_few(asked)
        trimmed = winsorised(values, asked.k, persons)
        if asked.by is not None and np.ptp(trimmed) == 0:
            raise too_few(asked)  # to say that it is constant would be to say it of a level
        step = nice_step(sd_of(label, trimmed))
        low, q1, median, q3, high = stepped(np.array(method(values, persons)), step).tolist()
        if asked.by is not None and asked.guarded:
            # The whiskers of several columns' levels, solved together, give far values back.
            low, high = q1, q3
        boxes.append(box_of(label, np.array([]), numbers=(low, q1, median, q3, high)))
    everyone, gaps = table.persons(), max(gaps_of(table, name) for name in asked.columns)
    return BoxView(
        columns=asked.columns,
        method=asked.method,
        parameters=public({"k": asked.k}),
        suppressed=None,
        origin=seen(origin, asked, everyone - gaps, everyone),
        groups=tuple(boxes),
        by=asked.by,
    )


def _check_varies(table: Table, asked: PlotRequest) -> None:
    """Refuse a constant column as its box of all persons is refused: of no level is that said."""
    (column,) = asked.columns
    rows = table.rows([column])
    if _enough(rows.numbers[column], rows.persons, asked):
        sd_of(column, winsorised(rows.numbers[column], asked.k, rows.persons))


def _enough(values: Floats, persons: Labels | None, asked: PlotRequest) -> bool:
    """Say whether values are of so many persons as a box must be of."""
    size = len(values) if persons is None else len(np.unique(persons))
    return size >= (ROWS_PER_K * asked.k if asked.guarded else asked.k)


def _values(table: Table, asked: PlotRequest) -> Iterator[tuple[str, Floats, Labels | None]]:
    """Return the values of each box with its label, and whose they are."""
    if asked.by is None:
        for name in asked.columns:
            rows = table.rows([name])
            yield name, rows.numbers[name], rows.persons
        return
    (column,) = asked.columns
    rows = table.rows([column], levels=(asked.by,))
    for level, of in _rows_of_levels(table, asked, rows.texts[asked.by]).items():
        whose = None if rows.persons is None else rows.persons[of]
        yield level, rows.numbers[column][of], several_rows(whose)


def _rows_of_levels(
    table: Table, asked: PlotRequest, stored: tuple[str, ...]
) -> dict[str, NDArray[np.bool_]]:
    """Return which rows have each level that has a box, given the level of each row."""
    levels = panels_of(table, asked.by or "", asked)
    places = np.array(levels.at(stored))
    return {name: places == i for i, name in enumerate(levels.names)}


def count_cells(
    table: Table, asked: PlotRequest, bins: int
) -> tuple[Counted, Guarded, tuple[BinAxis, ...]]:
    """Count by the method asked for; return what it counted last, what may show, and where."""
    ends = [ends_of_table(table, asked, name) for name in asked.columns]
    last: dict[str, Any] = {}

    def counts_at(resolution: tuple[int, ...]) -> Bins:
        """Count where the data are, and remember on which axes."""
        axes = tuple(end.axis(cells) for end, cells in zip(ends, resolution, strict=True))
        counted = table.count(axes)
        check_size(counted, asked)
        last.update(axes=axes, counted=counted)
        # An axis of whole numbers may have fewer intervals than it was asked for.
        room = [(0, cells - axis.bins) for axis, cells in zip(axes, resolution, strict=True)]
        return np.pad(counted.counts, room)

    guarded = _count_method(asked)(counts_at, tuple(end.most(bins) for end in ends))
    counted, axes = last["counted"], last["axes"]
    used = tuple(slice(axis.bins) for axis in axes)
    guarded = Guarded(guarded.counts[used], guarded.shown[used], counted.shape, guarded.hidden)
    if asked.method != "none":
        check_counts(counted.counts, guarded.shown, asked.k)
    return counted, guarded, axes


def _count_method(asked: PlotRequest) -> Suppression | Generalization | NoProtection:
    if asked.method == "suppression":
        return Suppression(asked.k)
    if asked.method == "generalization":
        return Generalization(asked.k, asked.shown_share or None)
    if asked.method == "none":
        return NoProtection()
    raise RefusedError(f"method {asked.method!r} does not count")


def check_size(counted: Counted, asked: PlotRequest) -> None:
    """Refuse a grid of too few persons, or of too many bins for them."""
    if asked.guarded and counted.people < ROWS_PER_K * asked.k:
        raise too_few(asked)
    if asked.bins_share < 1 and max(counted.shape) > asked.bins_share * counted.people:
        raise too_few(asked)


def _kept_in_grid(
    table: Table, asked: PlotRequest, numbers: Mapping[str, Floats]
) -> NDArray[np.bool_]:
    """Say which rows lie in the shown cells of the grid of one or two columns (section 4.1)."""
    if len(asked.columns) > 2:
        raise RefusedError(
            f"a box by {asked.method} is made from the grid of one or two columns; name at most"
            " two, or take method='order-means'"
        )
    _, guarded, axes = count_cells(table, asked, asked.grid)
    return guarded.shown[tuple(axis.places(numbers[axis.column]) for axis in axes)]


def _matrix(numbers: Mapping[str, Floats]) -> Floats:
    return np.column_stack(list(numbers.values()))


def _left(
    origin: Origin,
    counted: Counted,
    asked: PlotRequest,
    counts: Bins,
    cells: NDArray[np.bool_] | None = None,
) -> Origin:
    """Say beside the view how many it shows: in those cells, or in all if none are named.

    `counts` are what its bins or cells hold, of which empty ones are not told.
    """
    shown = counted.people if cells is None else counted.people_in(cells)
    held = counts if cells is None else counts[cells]
    return seen(origin, asked, shown, counted.people + counted.left_out, held[held > 0])


def gaps_of(table: Table, name: str) -> int:
    """Count the persons without a value in a column: for rules, never for showing."""
    if table.columns[name].kind == "continuous":
        return table.count((BinAxis(name, 0.0, 1.0, 1),)).left_out
    return table.levels(name).get("", 0)
