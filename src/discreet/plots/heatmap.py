"""The heat map: a grid of counts over two columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, ClassVar

from discreet.arguments import Floats
from discreet.columns.countable import Countable
from discreet.errors import InputError
from discreet.methods import Whole
from discreet.methods.counts import Bins
from discreet.plots.counts import (
    Panels,
    Protected,
    Shown,
    panels_of_cells,
    panels_of_counts,
    panels_of_rows,
    short_places,
)
from discreet.plots.facets import MultiplesView, PanelsView, multiples
from discreet.plots.plot import (
    BINNED,
    BY,
    CELLS,
    COUNTS,
    GRID,
    LIMITS,
    ROWS,
    AnsweredCells,
    By,
    Ends,
    How,
    Plot,
    column,
)
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
        rows, columns = len(self.x_edges) - 1, len(self.y_edges) - 1
        if len(self.counts) != rows or any(len(row) != columns for row in self.counts):
            raise InputError("a grid has one edge more along each side than it has counts")

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
        signs = of.get(self.method, ("grey: nobody, or too few people to show",))
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


def grids_of(panels: Panels, plot: Plot[Any], how: How) -> list[GridView]:
    """Return the grid of each level."""
    return [
        grid_view(panels.edges, counts, shown, plot, how, panels.origin)
        for counts, shown in zip(panels.counts, panels.shown, strict=True)
    ]


def grid_view(
    edges: Sequence[Floats], counts: Bins, shown: Shown, plot: Plot[Any], how: How, origin: Origin
) -> GridView:
    """Return a grid, its hidden counts as None."""
    each = zip(counts.ravel().tolist(), shown.ravel().tolist(), strict=True)
    flat = [n if seen else None for n, seen in each]
    across, up = counts.shape
    # How many cells are drawn is said where they are fewer than the policy's.
    grid = plot.get("grid") or GRID
    drawn = {} if (across, up) == (grid, grid) else {"drawn": f"{across} x {up}"}
    parameters = how.count_parameters(grid=grid, **drawn)
    return GridView(
        **plot.made(how, origin, parameters, suppressed=int((~shown).sum())),
        x_edges=short_places(edges[0]),
        y_edges=short_places(edges[1]),
        counts=tuple(tuple(flat[i : i + up]) for i in range(0, len(flat), up)),
    )


@dataclass(frozen=True)
class HeatMap(Plot[GridView | MultiplesView | PanelsView]):
    """Draw two columns as the cells of a grid, coloured by what they hold.

    Parameters
    ----------
    x, y : str
        Two continuous columns.
    by : str or pair of str, optional
        A categorical column: one grid for each of its levels, on the same cells and colours. Of
        two, the levels of the first have a row of panels each and those of the second a column;
        what has fewer than 50 rows is not drawn.
    grid : int, optional
        Cells along each side; fewer where there are few rows.
    limits : mapping of str to (float, float), optional
        The ends of the axes.

    Returns
    -------
    GridView, or MultiplesView with `by`, or PanelsView by two columns

    Notes
    -----
    Of a study cells hold rows of the protected copy. By the papers' method "generalization" there
    are half as many cells along each axis, and small ones are hidden: Avraam et al. (2021),
    section 4.1, Fig. 3.
    """

    name = "heatmap"
    title = "Heat map"
    says = "Two columns as cells, coloured by the number of rows in them."
    numbers = ("k", "q")
    methods = (*BINNED, "none")
    method = "generalization"
    sources = divided = (ROWS, COUNTS)
    small_multiples = each_pair = True
    binned = True
    answered = "bins"

    x: str = field(metadata=column("Along the axis."))
    y: str = field(metadata=column("Upwards."))
    _: KW_ONLY
    by: By | None = field(default=None, metadata=BY)
    grid: int | None = field(default=None, metadata=CELLS)
    limits: Ends | None = field(default=None, metadata=LIMITS)

    def from_rows(
        self, rows: Protected, levels: Sequence[str], how: How, origin: Origin
    ) -> GridView | MultiplesView:
        """Count the protected rows in the cells of a grid of two columns."""
        return self._drawn(panels_of_rows(rows, levels, self, how, origin, self.grid or GRID), how)

    def from_counts(self, table: Countable, how: How, origin: Origin) -> GridView | MultiplesView:
        """Count two columns in the cells of a grid, and hide those that hold fewer than k."""
        return self._drawn(panels_of_counts(table, self, how, origin, self.grid or GRID), how)

    def from_cells(
        self, cells: AnsweredCells, how: How, origin: Origin
    ) -> GridView | MultiplesView | None:
        """Draw answered counts: of each level, and none where two columns divide them."""
        panels = panels_of_cells(cells, self, origin)
        return None if panels is None else self._drawn(panels, how)

    def grid_of_counts(self, table: Countable, how: How, origin: Origin) -> GridView:
        """Count two columns in the cells of one grid."""
        panels = panels_of_counts(table, replace(self, by=None), how, origin, self.grid or GRID)
        return grids_of(panels, self, how)[0]

    def _drawn(self, panels: Panels, how: How) -> GridView | MultiplesView:
        grids = grids_of(panels, self, how)
        return grids[0] if self.by_name is None else multiples(panels.names, grids, self.by_name)
