"""Views from rows that are protected already: post-processing, which teaches nothing new."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from discreet.answers.axes import Ends, ends_of_values
from discreet.answers.drawn import box_of, grid_view, histogram_view, public
from discreet.errors import RefusedError
from discreet.policy import Asked
from discreet.protect import Generalization, NoProtection, OrderMeans, Suppression
from discreet.protect.base import Floats
from discreet.protect.counts import Bins, Guarded
from discreet.render.scene import Box
from discreet.views import BoxView, GridView, HistogramView, Origin, PointsView

__all__ = ["box", "heatmap", "histogram", "scatter"]

Protected = Mapping[str, Floats]


def scatter(rows: Protected, asked: Asked, origin: Origin) -> PointsView:
    """Draw the protected rows as points, in order of their values."""
    points, sizes = np.unique(_matrix(rows, asked), axis=0, return_counts=True)
    return PointsView(
        columns=asked.columns,
        method=asked.method,
        parameters=_parameters(asked),
        suppressed=_hidden(asked),
        origin=origin,
        x=tuple(points[:, 0].tolist()),
        y=tuple(points[:, 1].tolist()),
        size=tuple(sizes.tolist()),
    )


def histogram(rows: Protected, asked: Asked, origin: Origin) -> HistogramView:
    """Count the protected rows in the bins of one column."""
    (column,) = asked.columns
    ends = ends_of_values(rows[column], asked, column)
    guarded = _counted([ends], asked.bins, rows, asked)
    edges = ends.axis(asked.bins).edges
    return histogram_view(edges, guarded.counts, guarded.shown, 0, asked, origin)


def heatmap(rows: Protected, asked: Asked, origin: Origin) -> GridView:
    """Count the protected rows in the cells of a grid of two columns."""
    ends = [ends_of_values(rows[name], asked, name) for name in asked.columns]
    guarded = _counted(ends, asked.grid, rows, asked)
    edges = [end.axis(cells).edges for end, cells in zip(ends, guarded.resolution, strict=True)]
    return grid_view((edges[0], edges[1]), guarded, asked, origin)


def box(rows: Protected, asked: Asked, origin: Origin) -> BoxView:
    """Draw a box a column of the protected rows.

    Under a guarded policy with means of order statistics, as from the raw data; under
    `research` with the mean and the outliers of the protected values, as in Fig. 4 (2021).
    """
    boxes: list[Box] = []
    for name in asked.columns:
        numbers = OrderMeans(asked.k)(rows[name]) if asked.guarded else None
        shown = None if numbers is None else [float(f"{number:.6g}") for number in numbers]
        boxes.append(box_of(name, rows[name], numbers=shown))
    return BoxView(
        columns=asked.columns,
        method=asked.method,
        parameters=_parameters(asked),
        suppressed=_hidden(asked),
        origin=origin,
        groups=tuple(boxes),
    )


def _counted(ends: list[Ends], bins: int, rows: Protected, asked: Asked) -> Guarded:
    """Count the rows; a guarded grid gets coarser, as one of raw counts does by default."""

    def counts_at(resolution: tuple[int, ...]) -> Bins:
        """Count the protected rows in so many cells along each axis."""
        axes = [end.axis(cells) for end, cells in zip(ends, resolution, strict=True)]
        places = tuple(axis.places(rows[axis.column]) for axis in axes)
        cells = np.ravel_multi_index(places, resolution)
        counts = np.bincount(cells, minlength=int(np.prod(resolution)))
        return counts.astype(np.int64).reshape(resolution)

    method: Suppression | Generalization | NoProtection = NoProtection()
    if asked.guarded:
        coarser = Generalization(asked.k, asked.shown_share or None)
        method = Suppression(asked.k) if len(ends) == 1 else coarser
    guarded = method(counts_at, (bins,) * len(ends))
    if not (guarded.shown & (guarded.counts > 0)).any():
        raise RefusedError(
            "every bin of the protected rows holds fewer than k of them; open a study with fewer"
            " bins, or draw it from counts (method='merge' or 'generalization')"
        )
    return guarded


def _matrix(rows: Protected, asked: Asked) -> Floats:
    return np.column_stack([rows[name] for name in asked.columns])


def _parameters(asked: Asked) -> Mapping[str, object]:
    given: dict[str, object] = {} if asked.method == "probabilistic" else {"k": asked.k}
    return public(given | ({"q": asked.q} if asked.q else {}))


def _hidden(asked: Asked) -> int | None:
    return None if asked.guarded else 0
