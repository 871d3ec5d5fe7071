"""Views from rows that are protected already: post-processing, which teaches nothing new."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from discreet.arguments import Floats
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
from discreet.plots.axes import ends_of_values
from discreet.plots.drawn import box_of, grid_view, histogram_view, public
from discreet.plots.request import PlotRequest
from discreet.protect import ROW_METHODS, Generalization, NoProtection, OrderMeans, Suppression
from discreet.protect.counts import Bins, Guarded, rounded
from discreet.render.scene import Box
from discreet.table import BinAxis

__all__ = [
    "box",
    "cells_of",
    "contour",
    "count_rows",
    "heatmap",
    "histogram",
    "scatter",
    "shown_of",
]

Protected = Mapping[str, Floats]


def scatter(
    rows: Protected, levels: Sequence[str], asked: PlotRequest, origin: Origin
) -> PointsView:
    """Draw the protected rows as points, in order of their values, coloured by their levels."""
    places = [rows[name].tolist() for name in asked.columns]
    coloured = [] if asked.by is None else [levels]
    sizes = Counter(zip(*places, *coloured, strict=True))
    points = sorted(sizes)
    return PointsView(
        columns=asked.columns,
        method=asked.method,
        parameters=_parameters(asked),
        suppressed=_hidden(asked),
        origin=origin,
        x=tuple(point[0] for point in points),
        y=tuple(point[1] for point in points),
        size=tuple(sizes[point] for point in points),
        by=asked.by,
        level=() if asked.by is None else tuple(point[2] for point in points),
    )


def histogram(
    rows: Protected, levels: Sequence[str], asked: PlotRequest, origin: Origin
) -> HistogramView:
    """Count the protected rows in the bins of one column."""
    guarded, axes = count_rows(rows, asked, asked.bins)
    origin = shown_of(origin, asked, guarded.counts[guarded.shown])
    return histogram_view(axes[0].edges, guarded.counts, guarded.shown, 0, asked, origin)


def heatmap(rows: Protected, levels: Sequence[str], asked: PlotRequest, origin: Origin) -> GridView:
    """Count the protected rows in the cells of a grid of two columns."""
    guarded, axes = count_rows(rows, asked, asked.grid)
    origin = shown_of(origin, asked, guarded.counts[guarded.shown])
    return grid_view((axes[0].edges, axes[1].edges), guarded, asked, origin)


def contour(
    rows: Protected, levels: Sequence[str], asked: PlotRequest, origin: Origin
) -> ContourView:
    """Draw the grid of the heat map as lines of equal count."""
    return contour_of(heatmap(rows, levels, asked, origin))


def box(rows: Protected, levels: Sequence[str], asked: PlotRequest, origin: Origin) -> BoxView:
    """Draw a box a column of the protected rows, or one of each level.

    Under a guarded policy with means of order statistics, as from the raw data; under
    `research` with the mean and the outliers of the protected values, as in Fig. 4 (2021).
    """
    values: dict[str, Floats] = {name: rows[name] for name in asked.columns}
    if asked.by is not None:
        (column,), of = asked.columns, np.array(levels)
        values = {level: rows[column][of == level] for level in sorted(set(levels))}
    boxes: list[Box] = []
    for label, drawn in values.items():
        numbers = OrderMeans(asked.k)(drawn) if asked.guarded else None
        shown = None if numbers is None else [float(f"{number:.6g}") for number in numbers]
        boxes.append(box_of(label, drawn, numbers=shown))
    return BoxView(
        columns=asked.columns,
        method=asked.method,
        parameters=_parameters(asked),
        suppressed=_hidden(asked),
        origin=origin,
        groups=tuple(boxes),
        by=asked.by,
    )


def count_rows(
    rows: Protected, asked: PlotRequest, bins: int
) -> tuple[Guarded, tuple[BinAxis, ...]]:
    """Count the rows; a guarded grid gets coarser, as one of raw counts does by default."""
    ends = [ends_of_values(rows[name], asked, name) for name in asked.columns]

    def axes_of(resolution: tuple[int, ...]) -> tuple[BinAxis, ...]:
        return tuple(end.axis(cells) for end, cells in zip(ends, resolution, strict=True))

    method: Suppression | Generalization | NoProtection = NoProtection()
    if asked.guarded:
        coarser = Generalization(asked.k, asked.shown_share or None)
        method = Suppression(asked.k) if len(ends) == 1 else coarser
    resolution = tuple(end.most(bins) for end in ends)
    guarded = method(lambda cells: cells_of(rows, axes_of(cells)), resolution)
    if not (guarded.shown & (guarded.counts > 0)).any():
        raise RefusedError(
            "every bin of the protected rows holds fewer than k of them; draw it from counts"
            " (method='merge' or 'generalization'), or the custodian can declare fewer bins"
        )
    return guarded, axes_of(guarded.resolution)


def shown_of(origin: Origin, asked: PlotRequest, counts: Bins) -> Origin:
    """Say how many protected rows are drawn, given how many of them each shown bin holds."""
    (shown,) = rounded(np.array([counts.sum()]), asked.told_to).tolist()
    return replace(origin, shown=shown)


def cells_of(rows: Protected, axes: tuple[BinAxis, ...]) -> Bins:
    """Count the protected rows in each cell of a grid."""
    shape = tuple(axis.bins for axis in axes)
    places = tuple(axis.places(rows[axis.column]) for axis in axes)
    counts = np.bincount(np.ravel_multi_index(places, shape), minlength=int(np.prod(shape)))
    return counts.astype(np.int64).reshape(shape)


def _parameters(asked: PlotRequest) -> Mapping[str, object]:
    given: dict[str, object] = {} if ROW_METHODS[asked.method].additive else {"k": asked.k}
    also = {"q": asked.q or None, "rounding": asked.rounding, "c": asked.c}
    return public(given | {name: value for name, value in also.items() if value is not None})


def _hidden(asked: PlotRequest) -> int | None:
    return None if asked.guarded else 0
