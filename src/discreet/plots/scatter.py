"""The scatter plot: points of two columns, and least-squares lines of what is drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from discreet.arguments import Floats
from discreet.columns.countable import Countable
from discreet.errors import InputError, RefusedError, one_of
from discreet.levels import in_order
from discreet.methods import COUNT_METHODS
from discreet.plots import heatmap
from discreet.plots.by_two import PanelsView
from discreet.plots.counts import Protected, parameters_of_rows, short_places
from discreet.plots.descriptor import CELLS, POINTS, Plot
from discreet.plots.heatmap import GridView
from discreet.plots.request import SHOWN, PlotRequest
from discreet.plots.scatter_density import MANY, ScatterDensityView, density_of_rows
from discreet.plots.trends import DRAWN, Trend, line_of, trend_of, trend_of_raw
from discreet.plots.view import Origin, Tidy, View
from discreet.render.scene import Dots, Lines, Panel, Scene

AUTO, _, DENSITY = SHOWN


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
        coloured = () if self.by is None else (f"coloured by {self.label(self.by)}",)
        return Scene((panel,), notes=self.notes() + coloured + signs)

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

    @classmethod
    def _decoded(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        trends = tuple(Trend(**trend) for trend in given["trends"])
        return super()._decoded(given) | {"trends": trends}


def check_show(show: Any) -> str:
    """Refuse a word that says neither points nor cells."""
    if show not in SHOWN:
        raise InputError(f"show must be {one_of(SHOWN)}", parameter="show")
    found: str = show
    return found


def from_rows(
    rows: Protected, levels: Sequence[str], request: PlotRequest, origin: Origin
) -> PointsView | ScatterDensityView:
    """Draw the protected rows as points; or as cells, as many rows of the copy are."""
    many = request.of_copy and len(rows[request.columns[0]]) > MANY
    if request.show == DENSITY or (many and request.show == AUTO):
        return density_of_rows(rows, levels, request, origin)
    return points_of_rows(rows, levels, request, origin)


def points_of_rows(
    rows: Protected, levels: Sequence[str], request: PlotRequest, origin: Origin
) -> PointsView:
    """Draw the protected rows as points, in order of their values, coloured by their levels."""
    places = [rows[name].tolist() for name in request.columns]
    coloured = [] if request.by is None else [levels]
    sizes = Counter(zip(*places, *coloured, strict=True))
    points = sorted(sizes)
    return PointsView(
        columns=request.columns,
        method=request.method,
        parameters=parameters_of_rows(request),
        suppressed=0,
        origin=origin,
        x=tuple(point[0] for point in points),
        y=tuple(point[1] for point in points),
        size=tuple(sizes[point] for point in points),
        by=request.by,
        level=() if request.by is None else tuple(point[2] for point in points),
    )


def from_counts(table: Countable, request: PlotRequest, origin: Origin) -> PointsView:
    """Draw a point in the middle of each shown cell of a grid, sized by what it holds.

    With method "none" (under `research` alone) the raw points.
    """
    if request.show == DENSITY:
        raise InputError(
            "show='density' colours cells by how many rows lie in them, and there are none of"
            " counts; draw a heat map, or leave method out",
            parameter="show",
        )
    if request.method == "none":
        rows = table.rows(request.columns)
        matrix = np.column_stack(list(rows.numbers.values()))
        points, sizes = np.unique(matrix, axis=0, return_counts=True)
        return PointsView(
            columns=request.columns,
            method="none",
            parameters=MappingProxyType({}),
            suppressed=0,
            origin=replace(origin, shown=len(rows), total=table.size),
            x=tuple(points[:, 0].tolist()),
            y=tuple(points[:, 1].tolist()),
            size=tuple(sizes.tolist()),
        )
    grid = heatmap.from_counts(table, request, origin)
    x, y, size = middles_of_cells(grid)
    return PointsView(
        columns=grid.columns,
        method=grid.method,
        parameters=grid.parameters,
        suppressed=grid.suppressed,
        origin=grid.origin,
        x=x,
        y=y,
        size=size,
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


def with_trends(
    view: PointsView | ScatterDensityView, raw: tuple[Floats, Floats] | None
) -> PointsView | ScatterDensityView:
    """Add the trend of the drawn points, of each level where they have some, and that of `raw`.

    Each point counts as often as it stands for records (Avraam et al. 2021, Fig. 2A). Cells have
    the trends of their rows already.
    """
    of_raw = () if raw is None else (trend_of_raw(*raw),)
    if isinstance(view, ScatterDensityView):
        return replace(view, trends=(*view.trends, *of_raw))
    if not view.x:
        raise RefusedError("no point is shown, so there is no trend to draw; leave trend out")
    x, y, size = (np.array(part, dtype=np.float64) for part in (view.x, view.y, view.size))
    level = np.array(view.level or ("",) * len(x))
    trends = [
        trend_of(DRAWN, name, x[level == name], y[level == name], size[level == name])
        for name in in_order(level.tolist(), view.levels_of(view.by))
    ]
    return replace(view, trends=(*trends, *of_raw))


SCATTER: Plot[PointsView | ScatterDensityView | PanelsView] = Plot(
    name="scatter",
    title="Scatter plot",
    says="Two columns as points of protected rows.",
    columns="continuous",
    least=2,
    most=2,
    by=("rows",),
    parameters=(*CELLS, "trend", "show"),
    methods=POINTS,
    from_rows=from_rows,
    from_counts=from_counts,
)
