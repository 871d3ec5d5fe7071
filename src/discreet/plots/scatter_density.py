"""A scatter plot of many rows: cells coloured by which share of the rows lies in them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from discreet.arguments import Floats
from discreet.errors import InputError, RefusedError
from discreet.plots.counts import Protected, short_places
from discreet.plots.curves import LEAST_ROWS, left_out, shown_levels
from discreet.plots.heatmap import tidy_cells
from discreet.plots.plot import How, Plot
from discreet.plots.trends import DRAWN, RAW, Trend, line_of, trend_of
from discreet.plots.view import Origin, Tidy, View, stacked
from discreet.render.scene import Axis, Cells, Lines, Panel, Scene

MANY = 2000
"""More points than these hide each other, so that cells are drawn where nobody says."""
SIDES = (20, 50)
"""A grid has so many cells a side at least and at most."""
ROWS_A_CELL = 5
ON_GRID = 0.9
"""Where so large a share of the values are multiples of one step, cells end between these."""
SHOWN, FAR, LARGE = 0.99, 2.0, 0.1
"""The darkest colour is that of the fullest cell, or, where this holds more than twice as much as
99 of 100 cells, of what those hold; levels of less than a tenth of the largest play no part."""
DIGITS = 3
ALL = "all rows"


@dataclass(frozen=True)
class CellsOfLevel:
    """What the cells of one level, or of all rows, hold.

    `counts[i][j]` is how many rows lie at x interval i and y interval j, of `rows` in all.
    """

    level: str
    rows: int
    counts: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, kw_only=True, repr=False)
class ScatterDensityView(View):
    """A grid over two columns, coloured by which share of the rows lies in each cell.

    Parameters
    ----------
    x_edges, y_edges : tuple of float
        The ends of the intervals of the two columns.
    panels : tuple of CellsOfLevel
        The cells of all rows, or of those of each level.
    by : str or None
        The column whose levels have a panel each.
    trends : tuple of Trend
        Least-squares lines of all rows, or of those of each level, where asked for.
    few, others : tuple of str
        Levels that are not drawn: of fewer than ten rows, and beyond the twelve largest.
    """

    kind: ClassVar[str] = "scatter_density"

    x_edges: tuple[float, ...]
    y_edges: tuple[float, ...]
    panels: tuple[CellsOfLevel, ...]
    by: str | None = None
    trends: tuple[Trend, ...] = ()
    few: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        shape = (len(self.x_edges) - 1, len(self.y_edges) - 1)
        found = {(len(it.counts), *{len(row) for row in it.counts}) for it in self.panels}
        if found != {shape}:
            raise InputError("a grid has one edge more along each side than it has counts")
        if any(sum(map(sum, it.counts)) != it.rows for it in self.panels):
            raise InputError("the cells of a level hold its rows")

    def tidy(self) -> Tidy:
        """Return a row for each cell of each panel: its ends, and what it holds."""
        parts = [tidy_cells(self, self.x_edges, self.y_edges, it.counts) for it in self.panels]
        cells = len(parts[0][0][1])
        found = stacked(parts)
        if self.by is None:
            return found
        return [(self.by, [it.level for it in self.panels for _ in range(cells)]), *found]

    def scene(self) -> Scene:
        """Return a panel of cells for each level, in colours that mean the same in all."""
        shares = [_shares(it) for it in self.panels]
        top = self._top(shares)
        x = self.axis(self.columns[0], self.x_edges, (self.x_edges[0], self.x_edges[-1]))
        y = self.axis(self.columns[1], self.y_edges, (self.y_edges[0], self.y_edges[-1]))
        whose = "the level's" if self.by else "the"
        label = f"% of {whose} {self._rows} in a cell"
        panels = tuple(
            self._panel(it, share, x, y, label, top)
            for it, share in zip(self.panels, shares, strict=True)
        )
        fullest = max(n for grid in shares for row in grid for n in row if n is not None)
        darkest = f"the darkest cells hold {top:g} % or more, at most {fullest:g} %"
        said = (darkest,) if fullest > top else ()
        return Scene(panels, notes=(*self.notes(), *said, *self._signs()))

    def describe(self) -> str:
        """Say what is shown, and how large the cells are and how full the fullest is."""
        wide, high = (edges[1] - edges[0] for edges in (self.x_edges, self.y_edges))
        lines = [super().describe(), f"cells of {wide:.4g} by {high:.4g}"]
        for it in self.panels:
            fullest = 100 * max(map(max, it.counts)) / it.rows
            name = f"{it.level}: " if it.level else ""
            lines.append(f"{name}{it.rows:,} rows, at most {fullest:.3g} % of them in one cell")
        return "\n".join(lines)

    @property
    def _rows(self) -> str:
        return "rows" if self.origin.counted == "protected rows" else "records"

    def _top(self, shares: Sequence[Sequence[Sequence[float | None]]]) -> float:
        """Return the share that has the darkest colour."""
        least = LARGE * max(it.rows for it in self.panels)
        large = [grid for it, grid in zip(self.panels, shares, strict=True) if it.rows >= least]
        found = [n for grid in large for row in grid for n in row if n is not None]
        most, usual = max(found), float(np.quantile(found, SHOWN))
        return float(f"{usual:.2g}") if most > FAR * usual else most

    def _panel(
        self,
        it: CellsOfLevel,
        shares: Sequence[Sequence[float | None]],
        x: Axis,
        y: Axis,
        label: str,
        top: float,
    ) -> Panel:
        cells = Cells(self.x_edges, self.y_edges, tuple(map(tuple, shares)), label, span=(0.0, top))
        held = [i for i, row in enumerate(it.counts) if any(row)]
        ends = self.x_edges[held[0]], self.x_edges[held[-1] + 1]
        lines = [
            # In panels of their own there is one word for all.
            replace(line_of(trend, ends), label=f"trend of {RAW if trend.of == RAW else ALL}")
            for trend in self.trends
            if trend.of == RAW or trend.level == it.level
        ]
        title = f"{self.label(self.by)}: {it.level}" if self.by else ""
        return Panel((cells, *_raw_first(lines)), x, y, title)

    def _signs(self) -> tuple[str, ...]:
        copied = self.origin.counted == "protected rows"
        said = [f"grey: no {'row of the copy' if copied else 'record'}"]
        if self.trends:
            said.append("trends are fitted to the rows, not the cells")
        return (*said, *left_out(self.few, self.others))

    def _subject(self) -> str:
        return f"density of {' and '.join(self.columns)}"


def _raw_first(lines: Sequence[Lines]) -> list[Lines]:
    """Order lines so that the wider one, of raw records, lies below."""
    return sorted(lines, key=lambda line: line.look != "raw")


def _shares(it: CellsOfLevel) -> tuple[tuple[float | None, ...], ...]:
    """Return what percent of the rows lie in each cell, None where there are none."""
    return tuple(
        tuple(float(f"{100 * n / it.rows:.{DIGITS}g}") if n else None for n in row)
        for row in it.counts
    )


def density_of_rows(
    rows: Protected,
    levels: Sequence[str],
    plot: Plot[Any],
    how: How,
    origin: Origin,
    *,
    trend: bool = False,
) -> ScatterDensityView:
    """Count the rows in the cells of a grid, those of each level by themselves."""
    x, y = (rows[name] for name in plot.names)
    of = np.array(("",) * len(x) if plot.by_name is None else levels)
    drawn, few, others = shown_levels(of.tolist(), how.orders.get(plot.by_name or "", ()))
    if not drawn:
        raise RefusedError(
            f"no level of {plot.by_name!r} has {LEAST_ROWS} rows; leave by out, or draw points:"
            " show='points'"
        )
    most = int(np.isin(of, drawn).sum()) // len(drawn)
    side = min(max(math.isqrt(most // ROWS_A_CELL), SIDES[0]), SIDES[1])
    edges = [edges_of(values, side) for values in (x, y)]
    panels, trends = [], []
    for level in drawn:
        here = of == level
        counts = np.histogram2d(x[here], y[here], bins=edges)[0].astype(int)
        panels.append(CellsOfLevel(level, int(here.sum()), tuple(map(tuple, counts.tolist()))))
        if trend:
            trends.append(trend_of(DRAWN, level, x[here], y[here], np.ones(int(here.sum()))))
    if plot.by_name:
        origin = replace(origin, shown=sum(it.rows for it in panels))
    return ScatterDensityView(
        **plot.made(how, origin, how.row_parameters),
        x_edges=short_places(edges[0]),
        y_edges=short_places(edges[1]),
        panels=tuple(panels),
        by=plot.by_name,
        trends=tuple(trends),
        few=few,
        others=others,
    )


def edges_of(values: Floats, side: int) -> Floats:
    """Return the ends of about so many cells that hold all values.

    Of values that are multiples of a step each cell holds as many multiples, or stripes would
    be seen where there are none.

    Examples
    --------
    >>> edges_of(np.arange(10.0), 4).tolist()
    [-0.5, 1.5, 3.5, 5.5, 7.5, 9.5]
    >>> edges_of(np.array([0.0, 0.13, 0.2, 1.0]), 2).tolist()
    [0.0, 0.5, 1.0]
    """
    low, high = float(values.min()), float(values.max())
    if not np.isfinite(high - low):
        raise RefusedError("the values are too far apart for cells; rescale the column")
    if low == high:
        half = 0.5 * (abs(low) or 1.0)
        return np.array([low - half, low + half])
    step = _step_of(values)
    if step and high - low >= step:
        first = math.floor(low / step + 0.5) - 0.5
        count = math.floor(high / step + 0.5) + 0.5 - first
        many = max(1, round(count / side))
        return np.asarray(step * (first + many * np.arange(math.ceil(count / many) + 1)))
    return np.linspace(low, high, side + 1)


def _step_of(values: Floats) -> float:
    """Return the step that nearly all values are multiples of, or 0."""
    gaps = np.diff(np.unique(values))
    gaps = np.array([float(f"{gap:.6g}") for gap in gaps.tolist()])
    each, count = np.unique(gaps, return_counts=True)
    step = float(each[count.argmax()])
    with np.errstate(all="ignore"):
        places = values / step
        near = np.abs(places - np.round(places)) < 1e-6 * np.maximum(1, np.abs(places))
    return step if near.mean() >= ON_GRID and np.abs(places).max() < 1e6 else 0.0
