"""The scatter plot: points of two columns, and least-squares lines of what is drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from itertools import pairwise
from typing import Any, ClassVar, TypeVar

import numpy as np

from discreet.arguments import Floats
from discreet.columns.countable import Countable
from discreet.errors import InputError, RefusedError
from discreet.levels import in_order
from discreet.methods import COPY_METHODS, COUNT_METHODS
from discreet.plots.counts import Protected, short_places
from discreet.plots.facets import PanelsView
from discreet.plots.heatmap import GridView, HeatMap
from discreet.plots.plot import (
    BY,
    CELLS,
    COUNTS,
    LIMITS,
    POINTS,
    ROWS,
    STUDY,
    By,
    Ends,
    How,
    Plot,
    column,
    setting,
)
from discreet.plots.scatter_density import MANY, ScatterDensityView, density_of_rows
from discreet.plots.trends import DRAWN, RAW, Trend, line_of, trend_of
from discreet.plots.view import Origin, Tidy, View
from discreet.render.scene import Dots, Lines, Panel, Scene

SHOWN = AUTO, AS_POINTS, DENSITY = ("auto", "points", "density")
"""What is drawn: cells of very many rows and points of fewer, or one of the two."""


Trended = TypeVar("Trended", "PointsView", ScatterDensityView)


@dataclass(frozen=True, kw_only=True, repr=False)
class PointsView(View):
    """Different points in order of their coordinates, and how many records each stands for.

    Parameters
    ----------
    x, y : tuple of float
        The coordinates; of gridded points the middle of the cell.
    size : tuple of int
        How many records share the point.
    by : str or None
        The column whose levels colour the points.
    level : tuple of str
        The level of each point; empty without `by`.
    trends : tuple of Trend
        Lines through the points, where asked for.
    """

    kind: ClassVar[str] = "scatter"

    x: tuple[float, ...]
    y: tuple[float, ...]
    size: tuple[int, ...]
    by: str | None = None
    level: tuple[str, ...] = ()
    trends: tuple[Trend, ...] = ()

    def __post_init__(self) -> None:
        if not len(self.x) == len(self.y) == len(self.size):
            raise InputError("points have as many x as y coordinates and sizes")
        if len(self.level) != (0 if self.by is None else len(self.x)):
            raise InputError("points that are coloured have a level each")
        found = list(zip(self.x, self.y, self.level or ("",) * len(self.x), strict=True))
        if any(a >= b for a, b in pairwise(found)):
            raise InputError("points are different and in order of their coordinates")

    def tidy(self) -> Tidy:
        """Return a row for each point, and how many rows share it."""
        found: Tidy = [
            (name, self.values(name, numbers))
            for name, numbers in zip(self.columns, (self.x, self.y), strict=True)
        ]
        found += [] if self.by is None else [(self.by, self.level)]
        return [*found, ("count", self.size)]

    def scene(self) -> Scene:
        """Return the dots, sized by count where they stand for cells of a grid."""
        gridded = self.method in COUNT_METHODS and self.method != "none"
        panel = Panel(
            marks=(*self._dots(gridded), *self._lines()),
            x=self.axis(self.columns[0], self.x),
            y=self.axis(self.columns[1], self.y),
            legend="" if self.by is None else self.label(self.by),
            order=self.levels_of(self.by),
        )
        coincide = not gridded and any(size > 1 for size in self.size)
        what = "protected row" if self.origin.counted == "protected rows" else "record"
        signs = (f"dark: more than one {what} at the same place",) if coincide else ()
        return Scene((panel,), notes=self.notes() + signs)

    def _dots(self, gridded: bool) -> list[Dots]:
        if self.by is None:
            return [Dots(self.x, self.y, self.size, gridded, self.origin.counted)]
        found = list(zip(self.x, self.y, self.size, self.level, strict=True))
        dots = []
        for name in in_order(self.level, self.levels_of(self.by)):
            x, y, size = zip(*((a, b, n) for a, b, n, level in found if level == name), strict=True)
            dots.append(Dots(x, y, size, gridded, self.origin.counted, name))
        return dots

    def _lines(self) -> list[Lines]:
        """Return each trend as a line over the points it is of."""
        lines = []
        for trend in self.trends:
            names = self.level or ("",) * len(self.x)
            of = [x for x, name in zip(self.x, names, strict=True) if trend.level in ("", name)]
            lines.append(line_of(trend, (min(of), max(of))))
        return lines


def points_of_rows(
    rows: Protected, levels: Sequence[str], plot: Plot[Any], how: How, origin: Origin
) -> PointsView:
    """Draw the protected rows as points, in order of their values, coloured by their levels."""
    places = [rows[name].tolist() for name in plot.names]
    coloured = [] if plot.by_name is None else [levels]
    sizes = Counter(zip(*places, *coloured, strict=True))
    points = sorted(sizes)
    return PointsView(
        **plot.made(how, origin, how.row_parameters),
        x=tuple(point[0] for point in points),
        y=tuple(point[1] for point in points),
        size=tuple(sizes[point] for point in points),
        by=plot.by_name,
        level=() if plot.by_name is None else tuple(point[2] for point in points),
    )


def middles_of_cells(
    grid: GridView,
) -> tuple[tuple[float, ...], tuple[float, ...], tuple[int, ...]]:
    """Return the middle and the count of every cell that shows one."""
    x, y = (
        short_places(np.convolve(edges, [0.5, 0.5], mode="valid"))
        for edges in (grid.x_edges, grid.y_edges)
    )
    cells = [
        (x[i], y[j], count)
        for i, row in enumerate(grid.counts)
        for j, count in enumerate(row)
        if count
    ]
    across, up, size = zip(*cells, strict=True) if cells else ((), (), ())
    return tuple(across), tuple(up), tuple(size)


def _with_trends(view: PointsView) -> PointsView:
    """Add the trend of the drawn points, of each level where they have some.

    Each point counts as often as it stands for records (Avraam et al. 2021, Fig. 2A).
    """
    if not view.x:
        raise RefusedError("no point is shown, so there is no trend to draw; leave trend out")
    x, y, size = (np.array(part, dtype=np.float64) for part in (view.x, view.y, view.size))
    level = np.array(view.level or ("",) * len(x))
    trends = [
        trend_of(DRAWN, name, x[level == name], y[level == name], size[level == name])
        for name in in_order(level.tolist(), view.levels_of(view.by))
    ]
    return replace(view, trends=tuple(trends))


@dataclass(frozen=True)
class ScatterPlot(Plot[PointsView | ScatterDensityView | PanelsView]):
    """Draw two columns against each other as points, or, of many rows, as coloured cells.

    Parameters
    ----------
    x, y : str
        Two continuous columns.
    by : str or pair of str, optional
        A categorical column that colours the points. Of two, the levels of the first have a row of
        panels each and those of the second a column; what has fewer than 50 rows is not drawn.
    trend : bool, default False
        Draw the least-squares line of what is drawn, one for each level of `by`; by the papers'
        methods also that of the raw records.
    show : {"auto", "points", "density"}, default "auto"
        Each row as a point; or "density", cells coloured by which share of the rows lies in them,
        with a panel for each level of `by`. "auto" draws the density of more than 2,000 rows of the
        copy, and points of fewer. By two columns it is points.
    grid : int, optional
        Cells along each side of the grid, where points stand for cells.
    limits : mapping of str to (float, float), optional
        The ends of the axes.

    Returns
    -------
    PointsView, or ScatterDensityView where cells are drawn, or PanelsView by two columns

    Notes
    -----
    The points are rows of the protected copy, so asking again, or for other columns, teaches
    nothing that the copy does not. By the papers' methods "suppression" and "generalization" they
    are the middles of the cells of a grid: Avraam et al. (2021), section 4.1, Fig. 2.
    """

    name = "scatter"
    title = "Scatter plot"
    says = "Two columns as points, one for each protected row."
    numbers = ("k", "q")
    methods = POINTS
    sources = (ROWS, COUNTS)
    each_pair = True
    divided = (ROWS,)

    x: str = field(metadata=column("Along the axis."))
    y: str = field(metadata=column("Upwards."))
    _: KW_ONLY
    by: By | None = field(default=None, metadata=BY)
    grid: int | None = field(default=None, metadata=CELLS)
    trend: bool = field(default=False, metadata=setting("yes_no", "Draw the least-squares line."))
    show: str = field(
        default=AUTO,
        metadata=setting(
            "word",
            "Points, or cells coloured by the number of rows in them; by default cells if more "
            "than 2,000 rows of the copy are drawn.",
            choices=SHOWN,
            methods=tuple(COPY_METHODS),
            only=STUDY,
        ),
    )
    limits: Ends | None = field(default=None, metadata=LIMITS)

    def from_rows(
        self, rows: Protected, levels: Sequence[str], how: How, origin: Origin
    ) -> PointsView | ScatterDensityView:
        """Draw the protected rows as points; or as cells, as many rows of the copy are."""
        many = how.of_copy and len(rows[self.x]) > MANY
        if self.show == DENSITY or (many and self.show == AUTO):
            return density_of_rows(rows, levels, self, how, origin, trend=self.trend)
        view = points_of_rows(rows, levels, self, how, origin)
        return _with_trends(view) if self.trend else view

    def from_counts(self, table: Countable, how: How, origin: Origin) -> PointsView:
        """Draw a point in the middle of each shown cell of a grid, sized by what it holds.

        With method "none" (under `research` alone) the raw points.
        """
        if self.show == DENSITY:
            raise InputError(
                "show='density' colours cells by the number of rows in them, which methods of "
                "counts do not have; draw a heat map, or leave method out",
                parameter="show",
            )
        draw = self._raw if how.method == "none" else self._cells
        view = draw(table, how, origin)
        return _with_trends(view) if self.trend else view

    def _raw(self, table: Countable, how: How, origin: Origin) -> PointsView:
        rows = table.rows(self.names)
        matrix = np.column_stack(list(rows.numbers.values()))
        points, sizes = np.unique(matrix, axis=0, return_counts=True)
        return PointsView(
            **self.made(how, replace(origin, shown=len(rows), total=table.size)),
            x=tuple(points[:, 0].tolist()),
            y=tuple(points[:, 1].tolist()),
            size=tuple(sizes.tolist()),
        )

    def _cells(self, table: Countable, how: How, origin: Origin) -> PointsView:
        on_grid = HeatMap(self.x, self.y, grid=self.grid, limits=self.limits)
        grid = on_grid.grid_of_counts(table, how, origin)
        x, y, size = middles_of_cells(grid)
        return PointsView(**grid.made(), x=x, y=y, size=size)


def with_raw_trend(view: Trended, x: Floats, y: Floats) -> Trended:
    """Add the trend of the raw records, whatever their order, to a view."""
    order = np.lexsort((x, y))  # sums in another order have other last digits
    trend = trend_of(RAW, "", x[order], y[order], np.ones(len(order)))
    return replace(view, trends=(*view.trends, trend))
