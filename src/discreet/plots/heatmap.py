"""The heat map: a grid of counts over two columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from discreet.arguments import Floats
from discreet.columns.countable import Countable
from discreet.errors import InputError
from discreet.methods import Whole
from discreet.methods.counts import Bins
from discreet.plots.by_level import (
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
from discreet.plots.descriptor import BINNED, CELLS, ROWS_AND_COUNTS, Plot
from discreet.plots.request import PlotRequest
from discreet.plots.view import Origin, Tidy, View
from discreet.render.scene import Cells, Panel, Scene


@dataclass(frozen=True, kw_only=True, repr=False)
class GridView(View):
    """Counts in the cells of a grid.

    Parameters
    ----------
    x_edges, y_edges : tuple of float
        The ends of the intervals of the two columns.
    counts : tuple of tuples of int or None
        `counts[i][j]` of the cell at x interval i and y interval j; None where it is hidden.
    """

    kind: ClassVar[str] = "heatmap"

    x_edges: tuple[float, ...]
    y_edges: tuple[float, ...]
    counts: tuple[tuple[int | None, ...], ...]

    def __post_init__(self) -> None:
        check_grid(self.x_edges, self.y_edges, self.counts)

    def tidy(self) -> Tidy:
        """Return a row for each cell of the grid: its ends, and what it holds."""
        return tidy_cells(self, self.x_edges, self.y_edges, self.counts)

    def scene(self) -> Scene:
        """Return the cells; hidden ones are left blank, and empty ones too."""
        blank = tuple(tuple(count or None for count in row) for row in self.counts)
        panel = Panel(
            marks=(Cells(self.x_edges, self.y_edges, blank, self.origin.counted),),
            x=self.axis(self.columns[0], self.x_edges, (self.x_edges[0], self.x_edges[-1])),
            y=self.axis(self.columns[1], self.y_edges, (self.y_edges[0], self.y_edges[-1])),
        )
        of = {"none": (), Whole.name: ("grey: no row of the copy",)}
        signs = of.get(self.method, ("grey: nobody, or too few to show",))
        return Scene((panel,), notes=self.notes() + signs)


def tidy_cells(
    view: View,
    x_edges: Sequence[float],
    y_edges: Sequence[float],
    counts: Sequence[Sequence[int | None]],
) -> Tidy:
    """Return a row for each cell of a grid of two columns: its ends, and what it holds."""
    x, y = (view.ends(n, e) for n, e in zip(view.columns, (x_edges, y_edges), strict=True))
    (across, up), wide, high = view.columns, len(x) - 1, len(y) - 1
    return [
        (f"{across} low", [it for it in x[:-1] for _ in range(high)]),
        (f"{across} high", [it for it in x[1:] for _ in range(high)]),
        (f"{up} low", y[:-1] * wide),
        (f"{up} high", y[1:] * wide),
        ("count", [it for column in counts for it in column]),
    ]


def check_grid(
    x_edges: tuple[float, ...],
    y_edges: tuple[float, ...],
    counts: tuple[tuple[int | None, ...], ...],
) -> None:
    """Refuse counts that do not lie between the edges."""
    rows, columns = len(x_edges) - 1, len(y_edges) - 1
    if len(counts) != rows or any(len(row) != columns for row in counts):
        raise InputError("a grid has one edge more along each side than it has counts")


def from_rows(
    rows: Protected, levels: Sequence[str], request: PlotRequest, origin: Origin
) -> GridView:
    """Count the protected rows in the cells of a grid of two columns."""
    counts, axes = count_rows(rows, request, request.grid)
    origin = replace(origin, shown=int(counts.sum()))
    return grid_view([axis.edges for axis in axes], counts, shown_all(counts), request, origin)


def from_counts(table: Countable, request: PlotRequest, origin: Origin) -> GridView:
    """Count two columns in the cells of a grid, and hide those that hold fewer than k."""
    counted, guarded, axes = count_cells(table, request, request.grid)
    everyone = counted.people + counted.left_out
    origin = replace(origin, shown=counted.people_in(guarded.shown), total=everyone)
    edges = [axis.edges for axis in axes]
    return grid_view(edges, guarded.counts, guarded.shown, request, origin)


def by_level_from_rows(
    rows: Protected, levels: Sequence[str], request: PlotRequest, origin: Origin
) -> MultiplesView:
    """Count the protected rows of each level in the cells of a grid."""
    panels = panels_of_rows(rows, levels, request, origin, request.grid)
    return multiples(panels.names, grids_of(panels, request), request)


def by_level_from_counts(table: Countable, request: PlotRequest, origin: Origin) -> MultiplesView:
    """Count two columns in the cells of a grid, for each level."""
    panels = panels_of_counts(table, request, origin, request.grid)
    return multiples(panels.names, grids_of(panels, request), request)


def grids_of(panels: Panels, request: PlotRequest) -> list[GridView]:
    """Return the grid of each level."""
    return [
        grid_view(panels.edges, counts, shown, request, panels.origin)
        for counts, shown in panels.each()
    ]


def grid_view(
    edges: Sequence[Floats], counts: Bins, shown: Shown, request: PlotRequest, origin: Origin
) -> GridView:
    """Return a grid, its hidden counts as None."""
    flat = shown_counts(counts.ravel(), shown.ravel())
    across, up = counts.shape
    # How many cells are drawn is said where they are fewer than the policy's.
    drawn = {} if (across, up) == (request.grid,) * 2 else {"drawn": f"{across} x {up}"}
    return GridView(
        columns=request.columns,
        method=request.method,
        parameters=parameters_of_counts(request, grid=request.grid, **drawn),
        suppressed=int((~shown).sum()),
        origin=origin,
        x_edges=short_places(edges[0]),
        y_edges=short_places(edges[1]),
        counts=tuple(tuple(flat[i : i + up]) for i in range(0, len(flat), up)),
    )


HEATMAP: Plot[GridView | MultiplesView | PanelsView] = Plot(
    name="heatmap",
    title="Heat map",
    says="Two columns as cells, coloured by how many lie in them.",
    columns="continuous",
    least=2,
    most=2,
    by=ROWS_AND_COUNTS,
    parameters=CELLS,
    methods=(*BINNED, "none"),
    method="generalization",
    binned=True,
    from_rows=from_rows,
    from_counts=from_counts,
    by_level=(by_level_from_rows, by_level_from_counts),
)
