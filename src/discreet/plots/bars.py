"""The bar chart: how many people have each level of a categorical column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import ClassVar

import numpy as np

from discreet.arguments import Floats, Labels
from discreet.columns.countable import Countable
from discreet.columns.words import coded
from discreet.errors import InputError
from discreet.plots.counts import MISSING_NAMES, Protected, check_few, levels_of
from discreet.plots.crosstab import count_pairs
from discreet.plots.facets import PanelsView
from discreet.plots.plot import (
    BY,
    COUNTS,
    ROWS,
    WEIGHTS,
    AnsweredCells,
    By,
    How,
    Plot,
    column,
    setting,
)
from discreet.plots.view import WHERE_SAID, Origin, Tidy, View
from discreet.render.scene import Axis, Columns, Panel, Scene

MOST_BARS = 200
DECIMALS = 4
DIGITS = 9


@dataclass(frozen=True, kw_only=True, repr=False)
class BarView(View):
    """Bars of the levels of a column.

    Parameters
    ----------
    levels : tuple of str
        The levels; small ones are joined into "other".
    counts : tuple of int
        How many have each level.
    by : str or None
        The column whose levels divide each bar.
    by_levels : tuple of str
        Its levels.
    by_counts : tuple of tuples of int
        `by_counts[j][i]` of the i-th level and the j-th of `by_levels`.
    percent : bool
        Whether shares are drawn instead of counts.
    weights : str
        The column of weights whose sums are drawn, where there is one.
    sums : tuple of tuples of float
        The sum of weights of each level, or of each pair of them as `by_counts`.
    """

    kind: ClassVar[str] = "bars"

    levels: tuple[str, ...]
    counts: tuple[int, ...]
    by: str | None = None
    by_levels: tuple[str, ...] = ()
    by_counts: tuple[tuple[int, ...], ...] = ()
    percent: bool = field(default=False, metadata=WHERE_SAID)
    weights: str = field(default="", metadata=WHERE_SAID)
    sums: tuple[tuple[float, ...], ...] = field(default=(), metadata=WHERE_SAID)

    def __post_init__(self) -> None:
        rows = (self.counts, *self.by_counts, *self.sums)
        if any(len(row) != len(self.levels) for row in rows):
            raise InputError("a bar chart has as many counts as levels")
        if self.sums and len(self.sums) != max(len(self.by_levels), 1):
            raise InputError("a weighted bar chart has a sum for each bar")
        if len(self.by_counts) != len(self.by_levels):
            raise InputError("a bar chart has one row of counts for each level that divides it")

    @property
    def shares(self) -> tuple[tuple[float | None, ...], ...]:
        """In percent, of each level of `by` or of all: of the counts, or of the sums of weights.

        None where a level of `by` has nobody, or no weight.
        """
        return tuple(_shares(row) for row in self.sums or self.by_counts or (self.counts,))

    def tidy(self) -> Tidy:
        """Return a row for each bar: its level, its count and its share in percent."""
        rows = self.by_counts or (self.counts,)
        found: Tidy = [(self.columns[0], [*self.levels] * len(rows))]
        if self.by is not None:
            found.append((self.by, [it for it in self.by_levels for _ in self.levels]))
        found.append(("count", [it for row in rows for it in row]))
        if self.sums:
            found.append((f"sum of {self.weights}", [it for row in self.sums for it in row]))
        return [*found, ("percent", [it for row in self.shares for it in row])]

    def scene(self) -> Scene:
        """Return a bar for each level, or one for each pair of levels."""
        weights = f"sum of weights ({self.label(self.weights)})"
        label = weights if self.sums else self.origin.counted
        if self.percent:
            of = self.origin.counted if self.by is None else f"each level of {self.label(self.by)}"
            label = f"% of {of}" + (
                f", weighted by {self.label(self.weights)}" if self.sums else ""
            )
        panel = Panel(
            marks=(Columns(self._heights, self.by_levels or ("",)),),
            x=Axis(self.label(self.columns[0]), ticks=self.levels),
            y=Axis(label),
            legend="" if self.by is None else self.label(self.by),
            order=self.levels_of(self.by),
        )
        return Scene((panel,), notes=self.notes())

    @property
    def _heights(self) -> tuple[tuple[float | None, ...], ...]:
        """How high the bars are, a row for each level that divides them."""
        return self.shares if self.percent else self.sums or self.by_counts or (self.counts,)


def _shares(counts: Sequence[float]) -> tuple[float | None, ...]:
    total = sum(counts)
    if not total:
        return (None,) * len(counts)
    return tuple(round(100 * count / total, DECIMALS) for count in counts)


def _places(words: Sequence[str], names: Sequence[str]) -> Labels:
    """Return which of the shown levels each row has; a missing one is shown under a name."""
    place = {name: i for i, name in enumerate(names)}
    there, codes = coded(words)
    missing = next((it for it in MISSING_NAMES if it in place and it not in there), "")
    return np.array([place[it or missing] for it in there], dtype=np.intp)[codes]


@dataclass(frozen=True)
class BarChart(Plot[BarView | PanelsView]):
    """Draw how many, or which share of them, have each level of a categorical column.

    Parameters
    ----------
    column : str
        A categorical column.
    by : str or pair of str, optional
        Another one whose levels divide the bars. Of two, the levels of the first divide the bars in
        a panel for each of the second; what has fewer than 50 rows is not drawn.
    percent : bool, default False
        Draw shares in percent; with `by`, within each of its levels: of the women, 12 % have it.
    weights : str, optional
        A column of numbers, a survey's weights, above 0: sums of the weights of the rows, or their
        shares. Rows without one are left out.

    Returns
    -------
    BarView, or PanelsView by two columns

    Raises
    ------
    RefusedError
        Also if some person has several rows and bars are divided by `by`.

    Notes
    -----
    Rows of the protected copy are counted, as in every other plot and table of it. A missing value
    is a level.

    Examples
    --------
    >>> import discreet as dc
    >>> view = dc.open(dc.datasets.diabetes()).bars("sex", percent=True)
    >>> [round(sum(shares)) for shares in view.shares]
    [100]
    """

    name = "bars"
    title = "Bar chart"
    says = "How many have each level of a column."
    methods = ("none",)
    method = "none"
    sources = (COUNTS,)
    divided = (ROWS, COUNTS)
    answered = "levels"

    column: str = field(metadata=column("The column.", "categorical"))
    _: KW_ONLY
    by: By | None = field(default=None, metadata=BY)
    percent: bool = field(
        default=False,
        metadata=setting("yes_no", "Draw shares in percent, within each level of by."),
    )
    weights: str | None = field(default=None, metadata=WEIGHTS)

    def from_counts(self, table: Countable, how: How, origin: Origin) -> BarView:
        """Count the levels of one column, or those of each level of another."""
        (column,), by = self.names, self.by_name
        levels = {name: levels_of(table, name) for name in (*self.names, *self.by_names)}
        check_few(levels.values(), MOST_BARS, *levels)
        by_counts: list[tuple[int, ...]] = []
        if by is None:
            counted = table.count((), {name: found.places for name, found in levels.items()})
            told, people = counted.counts.tolist(), counted.people
        else:  # the cells of a cross-table as bars
            pairs = count_pairs(table, levels)
            told, people = [row[-1] for row in pairs[:-1]], pairs[-1][-1]
            by_counts = list(zip(*(row[:-1] for row in pairs[:-1]), strict=True))
        return BarView(
            **self.made(how, replace(origin, shown=people, total=people), how.count_parameters()),
            levels=levels[column].names,
            counts=tuple(told),
            by=by,
            by_levels=() if by is None else levels[by].names,
            by_counts=tuple(by_counts),
            percent=self.percent,
        )

    def from_cells(self, cells: AnsweredCells, how: How, origin: Origin) -> BarView | None:
        """Draw answered counts; none where one is not given, or two columns divide them."""
        if len(self.by_names) > 1 or not cells.given.all():
            return None
        levels, *by_levels = cells.labels
        rows = cells.counts.reshape(len(levels), -1)
        return BarView(
            **self.made(how, origin, how.count_parameters()),
            levels=levels,
            counts=tuple(rows.sum(axis=1).tolist()),
            by=self.by_name,
            by_levels=by_levels[0] if by_levels else (),
            by_counts=tuple(map(tuple, rows.T.tolist())) if by_levels else (),
            percent=self.percent,
        )

    def weighted(
        self,
        view: BarView,
        _rows: Protected,
        levels: Mapping[str, Sequence[str]],
        weights: Floats,
        how: How,
    ) -> BarView:
        """Add up the weights of each level, or of each pair of levels, as they were counted."""
        (column,), name = self.names, self.weights or ""
        places = _places(levels[column], view.levels)
        if view.by is None:
            masks = [np.ones(len(places), dtype=np.bool_)]
        else:
            of = _places(levels[view.by], view.by_levels)
            masks = [of == i for i in range(len(view.by_levels))]
        found = [np.bincount(places[it], weights[it], len(view.levels)).tolist() for it in masks]
        sums = tuple(tuple(float(f"{it:.{DIGITS}g}") for it in row) for row in found)
        return replace(view, weights=name, sums=sums)
