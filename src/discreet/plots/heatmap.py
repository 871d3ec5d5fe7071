"""A grid of counts over two columns: the heat map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from discreet.errors import InputError
from discreet.plots.view import View
from discreet.render.scene import Axis, Cells, Panel, Scene

__all__ = ["GridView", "check_grid"]


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

    def scene(self) -> Scene:
        """Return the cells; hidden ones are left blank, and empty ones too."""
        blank = tuple(tuple(count or None for count in row) for row in self.counts)
        panel = Panel(
            marks=(Cells(self.x_edges, self.y_edges, blank, self.origin.counted),),
            x=Axis(self.columns[0], (self.x_edges[0], self.x_edges[-1])),
            y=Axis(self.columns[1], (self.y_edges[0], self.y_edges[-1])),
        )
        signs = () if self.method == "none" else ("grey: nobody, or too few to show",)
        return Scene((panel,), notes=self.notes() + signs)


def check_grid(
    x_edges: tuple[float, ...],
    y_edges: tuple[float, ...],
    counts: tuple[tuple[int | None, ...], ...],
) -> None:
    """Refuse counts that do not lie between the edges."""
    rows, columns = len(x_edges) - 1, len(y_edges) - 1
    if len(counts) != rows or any(len(row) != columns for row in counts):
        raise InputError("a grid has one edge more along each side than it has counts")
