"""The contour plot: the grid of a heat map, drawn as lines of equal count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import ClassVar

import numpy as np

from discreet.columns.countable import Countable
from discreet.errors import InputError
from discreet.plots.counts import Panels, Protected, panels_of_counts, panels_of_rows
from discreet.plots.facets import MultiplesView, PanelsView, multiples
from discreet.plots.heatmap import GridView, HeatMap, grids_of
from discreet.plots.plot import BY, CELLS, COUNTS, GRID, LIMITS, ROWS, By, Ends, How, Plot, column
from discreet.plots.view import Origin
from discreet.render.scene import Lines, Panel, Scene

STEPS = 8
FEWEST = 3

Paths = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, kw_only=True, repr=False)
class ContourView(GridView):
    """The grid of a heat map, drawn as lines of equal count.

    Parameters
    ----------
    x_edges, y_edges, counts
        As of `GridView`.
    levels : tuple of float
        The counts at which lines are drawn, from low to high.
    """

    kind: ClassVar[str] = "contour"

    levels: tuple[float, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        if list(self.levels) != sorted(set(self.levels)):
            raise InputError("the levels of a contour plot rise")

    def scene(self) -> Scene:
        """Return the lines through the middles of the cells; what is hidden counts as 0."""
        x, y, levels = self._lines()
        panel = Panel(
            marks=(Lines(x, y, "level", f"{self.origin.counted} a cell", levels, self.levels),),
            x=self.axis(self.columns[0], self.x_edges, (self.x_edges[0], self.x_edges[-1])),
            y=self.axis(self.columns[1], self.y_edges, (self.y_edges[0], self.y_edges[-1])),
        )
        hidden = self.method != "none" and any(None in row for row in self.counts)
        signs = ("cells of nobody, or too few to show, count as 0",) if hidden else ()
        return Scene((panel,), notes=self.notes() + signs)

    def _lines(self) -> tuple[Paths, Paths, tuple[float, ...]]:
        from contourpy import contour_generator

        heights = np.array([[count or 0 for count in row] for row in self.counts], dtype=float)
        if min(heights.shape) < 2:
            return (), (), ()
        x, y = (
            np.convolve(ends, [0.5, 0.5], mode="valid") for ends in (self.x_edges, self.y_edges)
        )
        generator = contour_generator(x, y, heights.T)
        found = [
            (level, np.asarray(line)) for level in self.levels for line in generator.lines(level)
        ]
        return (
            tuple(tuple(line[:, 0].tolist()) for _, line in found),
            tuple(tuple(line[:, 1].tolist()) for _, line in found),
            tuple(level for level, _ in found),
        )


def contour_levels(most: int, least: int = 0) -> tuple[float, ...]:
    """Return about eight nice counts below `most` at which to draw lines.

    Below them is a line at half of `least`, the smallest count that is drawn: the edge of what is
    shown. Without it the plot would be the same whatever small cells are hidden.

    Examples
    --------
    >>> contour_levels(20)
    (2.5, 5.0, 7.5, 10.0, 12.5, 15.0, 17.5)
    >>> contour_levels(10, least=3)
    (1.5, 4.0, 6.0, 8.0)
    """
    if most <= 0:
        return ()
    power = 10.0 ** np.floor(np.log10(most / STEPS))
    step = float(next(f * power for f in (1.0, 2.0, 2.5, 5.0, 10.0) if f * power >= most / STEPS))
    levels = [float(f"{level:.6g}") for level in np.arange(1, np.ceil(most / step)) * step]
    return _from_edge(levels, least / 2, step / 2)


def _from_edge(levels: Sequence[float], edge: float, apart: float) -> tuple[float, ...]:
    """Begin levels with the edge of what is shown, if there is one, and leave out those near it."""
    return (*([edge] if edge else []), *(level for level in levels if level >= edge + apart))


def shared_levels(peaks: Sequence[int], least: int = 0) -> tuple[float, ...]:
    """Return nice counts at which to draw lines in several panels, given the most in each.

    In even steps, unless a panel of few would have fewer than three lines then; else in steps of 1,
    2, 5 and 10 from a fifth of what that panel has at most. `least` is as in `contour_levels`.

    Examples
    --------
    >>> shared_levels([350, 75])
    (20.0, 50.0, 100.0, 200.0)
    """
    most = max(peaks, default=0)
    even = contour_levels(most)
    lowest = min((peak for peak in peaks if peak > 0), default=0)
    if not even or lowest > FEWEST * even[0]:
        return contour_levels(most, least)
    powers = range(int(np.floor(np.log10(lowest / 5))), int(np.log10(most)) + 1)
    steps = [float(f"{factor}e{power}") for power in powers for factor in (1, 2, 5)]
    return _from_edge([step for step in steps if lowest / 5 <= step < most], least / 2, lowest / 10)


def contour_of(grid: GridView, levels: tuple[float, ...] | None = None) -> ContourView:
    """Draw the grid of a heat map as a contour plot, at nice levels unless some are given."""
    counts = [count for row in grid.counts for count in row if count]
    most, least = max(counts, default=0), min(counts, default=0)
    return ContourView(
        **grid.made(),
        x_edges=grid.x_edges,
        y_edges=grid.y_edges,
        counts=grid.counts,
        levels=contour_levels(most, least) if levels is None else levels,
    )


@dataclass(frozen=True)
class ContourPlot(Plot[ContourView | MultiplesView | PanelsView]):
    """Draw two columns as lines of equal count, from the grid of the heat map.

    Parameters
    ----------
    x, y, by, grid, limits
        As of `heatmap`, whose grid it is: what the heat map hides counts as 0.

    Returns
    -------
    ContourView, or MultiplesView with `by`, or PanelsView by two columns

    Notes
    -----
    Shows nothing that the heat map does not. Avraam et al. (2021), section 4.1, Fig. 3.
    """

    name = "contour"
    title = "Contour plot"
    says = "Two columns as lines of equal count."
    numbers = ("k", "q")
    methods = HeatMap.methods
    method = HeatMap.method
    sources = divided = (ROWS, COUNTS)
    small_multiples = each_pair = True
    binned = True

    x: str = field(metadata=column("Along the axis."))
    y: str = field(metadata=column("Upwards."))
    _: KW_ONLY
    by: By | None = field(default=None, metadata=BY)
    grid: int | None = field(default=None, metadata=CELLS)
    limits: Ends | None = field(default=None, metadata=LIMITS)

    def from_rows(
        self, rows: Protected, levels: Sequence[str], how: How, origin: Origin
    ) -> ContourView | MultiplesView:
        """Draw the grid of the protected rows."""
        return self._drawn(panels_of_rows(rows, levels, self, how, origin, self.grid or GRID), how)

    def from_counts(
        self, table: Countable, how: How, origin: Origin
    ) -> ContourView | MultiplesView:
        """Draw the grid of the heat map."""
        return self._drawn(panels_of_counts(table, self, how, origin, self.grid or GRID), how)

    def _drawn(self, panels: Panels, how: How) -> ContourView | MultiplesView:
        """Draw the grids of all levels with lines at the same counts."""
        grids = grids_of(panels, self, how)
        if self.by_name is None:
            return contour_of(grids[0])
        drawn = [[count for row in grid.counts for count in row if count] for grid in grids]
        peaks = [max(counts, default=0) for counts in drawn]
        levels = shared_levels(peaks, min((min(counts) for counts in drawn if counts), default=0))
        return multiples(panels.names, [contour_of(it, levels) for it in grids], self.by_name)
