"""The box plot: the middle and the spread of columns, or of the levels of one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from discreet.arguments import Floats
from discreet.columns.countable import Countable
from discreet.errors import InputError, RefusedError
from discreet.methods import Suppression
from discreet.plots.counts import Protected, count_cells, panels_of
from discreet.plots.facets import PanelsView
from discreet.plots.plot import (
    BINNED,
    BY,
    CELLS,
    COUNTS,
    GRID,
    LIMITS,
    ROWS,
    By,
    Ends,
    How,
    Plot,
    setting,
)
from discreet.plots.view import Origin, Tidy, View
from discreet.render.scene import Axis, Box, Boxes, Panel, Scene

MOST_BOXES = 24
MOST_OUTLIERS = 1000


@dataclass(frozen=True, kw_only=True, repr=False)
class BoxView(View):
    """The drawn numbers of each box.

    Parameters
    ----------
    groups : tuple of Box
        One for each column, or for each level of `by`: low, q1, median, q3, high, and mean and
        outliers where the policy lets them be drawn. Of more than 1,000 outliers only those are
        kept that can be seen apart.
    by : str or None
        The column whose levels have a box each.
    """

    kind: ClassVar[str] = "box"

    groups: tuple[Box, ...]
    by: str | None = None

    def __post_init__(self) -> None:
        for box in self.groups:
            if not box.low <= box.q1 <= box.median <= box.q3 <= box.high:
                raise InputError("the five numbers of a box are in order")

    def tidy(self) -> Tidy:
        """Return a row for each box: its five numbers, and its mean where there is one."""
        names = ("low", "q1", "median", "q3", "high", "mean")
        return [
            (self.by or "column", [it.label for it in self.groups]),
            *((name, [getattr(it, name) for it in self.groups]) for name in names),
        ]

    def scene(self) -> Scene:
        """Return a panel a column, because columns have units of their own; levels share one."""
        panels = tuple(
            Panel(
                (Boxes((replace(box, label=self.label(box.label)),)),),
                x=Axis("", ticks=(self.label(box.label),)),
                y=self.axis(box.label, (box.low, box.high), label=""),
            )
            for box in self.groups
        )
        if self.by is not None:
            ticks = tuple(box.label for box in self.groups)
            ends = [end for box in self.groups for end in (box.low, box.high)]
            values = self.axis(self.columns[0], ends)
            panels = (Panel((Boxes(self.groups),), Axis(self.label(self.by), ticks=ticks), values),)
        signs = ("diamond: mean",) if any(box.mean is not None for box in self.groups) else ()
        return Scene(panels, notes=self.notes() + signs)


def tukey_box(label: str, values: Floats) -> Box:
    """Return the box of values as Tukey draws it, with mean and outliers."""
    # Sums in another order have other last digits; and −0 and 0 stay in theirs unless they are one.
    values = np.sort(values + 0.0)
    q1, median, q3 = (float(q) for q in np.quantile(values, [0.25, 0.5, 0.75]))
    reach = 1.5 * (q3 - q1)
    inside = values[(values >= q1 - reach) & (values <= q3 + reach)]
    outliers = values[(values < q1 - reach) | (values > q3 + reach)]
    # A quartile is interpolated: the nearest value within reach may lie on its other side.
    low, high = min(float(inside.min()), q1), max(float(inside.max()), q3)
    with np.errstate(over="ignore"):
        mean = float(values.mean())
    if not math.isfinite(mean):  # where a sum is beyond what a float holds
        mean = float((values / len(values)).sum())
    return Box(label, low, q1, median, q3, high, mean, tuple(_apart(outliers).tolist()))


def _apart(outliers: Floats) -> Floats:
    """Return outliers, in order, that can be seen apart: of many one for each place on the axis.

    Of ten million rows some seventy thousand are outliers, which nobody sees and all would carry.
    """
    if len(outliers) <= MOST_OUTLIERS:
        return outliers
    width = (outliers[-1] - outliers[0]) / MOST_OUTLIERS or 1.0
    places = np.floor((outliers - outliers[0]) / width)
    return outliers[np.flatnonzero(np.diff(places, prepend=-1.0))]


@dataclass(frozen=True)
class BoxPlot(Plot[BoxView | PanelsView]):
    """Draw a box plot of each column, or of one column for each level of another.

    Parameters
    ----------
    *columns : str
        One or more continuous columns; one alone with `by`.
    by : str or pair of str, optional
        A categorical column whose levels have a box each. Of two, the boxes of the second stand
        side by side at each level of the first; what has fewer than 50 rows is not drawn.
    grid : int, optional
        Of methods that count, cells along each side of the grid.
    limits : mapping of str to (float, float), optional
        The ends of that grid.

    Returns
    -------
    BoxView, or PanelsView by two columns

    Notes
    -----
    Of a study boxes are of the rows of the protected copy, outliers too. By the papers' method
    "suppression" they are of the rows in the shown cells of a grid: Avraam et al. (2021),
    section 4.1, Fig. 4.

    Examples
    --------
    >>> import discreet as dc
    >>> study = dc.open(dc.datasets.diabetes()).assign(old="age >= 50")
    >>> view = study.box("bmi", by=("old", "sex"))
    >>> view.first, view.second, view.drawn
    (('no', 'yes'), ('1', '2'), 4)
    """

    name = "box"
    title = "Box plot"
    says = "The median and spread of columns, side by side."
    numbers = ("k", "q")
    methods = (*BINNED, "none")
    method = Suppression.name
    sources = divided = (ROWS, COUNTS)
    side_by_side = True
    answered = "quantiles"

    columns: tuple[str, ...] = field(
        metadata=setting(
            "columns", "The columns.", kind="continuous", least=1, most=MOST_BOXES, one_by_one=True
        )
    )
    _: KW_ONLY
    by: By | None = field(default=None, metadata=BY)
    grid: int | None = field(default=None, metadata=CELLS)
    limits: Ends | None = field(default=None, metadata=LIMITS)

    def from_rows(
        self, rows: Protected, levels: Sequence[str], how: How, origin: Origin
    ) -> BoxView:
        """Draw a box a column of the protected rows, or one of each level, as in Fig. 4 (2021)."""
        values: dict[str, Floats] = {name: rows[name] for name in self.names}
        if self.by_name is not None:
            (column,), of = self.names, np.array(levels)
            values = {
                level: rows[column][of == level] for level in how.in_order(levels, self.by_name)
            }
        return BoxView(
            **self.made(how, origin, how.row_parameters),
            groups=tuple(tukey_box(label, drawn) for label, drawn in values.items()),
            by=self.by_name,
        )

    def from_counts(self, table: Countable, how: How, origin: Origin) -> BoxView:
        """Draw a box a column of the rows in the shown cells of a grid, as the 2021 paper does."""
        rows = table.rows(self.names, levels=() if self.by_name is None else (self.by_name,))
        kept = np.ones(len(rows), dtype=np.bool_)
        parameters: dict[str, Any] = {}
        if how.method != "none":
            if len(self.names) > 2:
                raise RefusedError(
                    f"a box plot by {how.method} is made from the grid of one or two columns; name"
                    " at most two"
                )
            # The rows in the shown cells of the grid (section 4.1).
            _, guarded, axes = count_cells(table, self, how, self.grid or GRID)
            kept = guarded.shown[tuple(axis.places(rows.numbers[axis.column]) for axis in axes)]
            parameters = {"k": how.k, "grid": self.grid or GRID}
            if not kept.any():
                raise RefusedError(
                    "every cell of the grid is suppressed; choose a smaller k or grid"
                )
        drawn = {name: rows.numbers[name][kept] for name in self.names}
        if self.by_name is not None:
            (values,) = rows.numbers.values()
            levels = panels_of(table, self, how)
            places = np.array(levels.at(rows.texts[self.by_name]))
            drawn = {it: values[kept & (places == i)] for i, it in enumerate(levels.names)}
        origin = replace(origin, shown=int(kept.sum()), total=table.size)
        return BoxView(
            **self.made(how, origin, parameters, suppressed=int((~kept).sum())),
            groups=tuple(
                tukey_box(label, values) for label, values in drawn.items() if len(values)
            ),
            by=self.by_name,
        )
