"""The cross-table: how many persons have each pair of levels of two categorical columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from discreet.errors import InputError, RefusedError
from discreet.plots.by_level import Levels, check_few, levels_of
from discreet.plots.counts import Shown, parameters_of_counts, seen, shown_counts, too_few
from discreet.plots.descriptor import Plot
from discreet.plots.request import PlotRequest
from discreet.plots.view import Origin, Tidy, View
from discreet.protect import CellSuppression
from discreet.protect.cells import MOST_CELLS
from discreet.protect.counts import Bins
from discreet.render.scene import Axis, Panel, Scene, Words
from discreet.table import Table

__all__ = [
    "CROSSTAB",
    "CrossTableView",
    "check_persons",
    "count_pairs",
    "from_counts",
    "guarded_pairs",
    "levels_of_pair",
]

HIDDEN = "·"

Told = list[list[int | None]]


@dataclass(frozen=True, kw_only=True, repr=False)
class CrossTableView(View):
    """Counts of two categorical columns, and their sums.

    Parameters
    ----------
    row_levels, column_levels : tuple of str
        The levels of the first and of the second column; small ones are joined into "other".
    counts : tuple of tuples of int or None
        `counts[i][j]` of the i-th row level and the j-th column level; None where it is hidden,
        because it is small or because it would give a small one back.
    row_totals, column_totals : tuple of int or None
        The sums, counted and rounded by themselves.
    total : int or None
        All of them.
    """

    kind: ClassVar[str] = "crosstab"

    row_levels: tuple[str, ...]
    column_levels: tuple[str, ...]
    counts: tuple[tuple[int | None, ...], ...]
    row_totals: tuple[int | None, ...]
    column_totals: tuple[int | None, ...]
    total: int | None

    def __post_init__(self) -> None:
        rows, columns = len(self.row_levels), len(self.column_levels)
        if len(self.counts) != rows or any(len(row) != columns for row in self.counts):
            raise InputError("a cross-table has a count for each pair of levels")
        if len(self.row_totals) != rows or len(self.column_totals) != columns:
            raise InputError("a cross-table has a sum for each level")

    def tidy(self) -> Tidy:
        """Return a row for each cell, without the sums."""
        rows, columns = self.columns
        return [
            (rows, [it for it in self.row_levels for _ in self.column_levels]),
            (columns, [*self.column_levels] * len(self.row_levels)),
            ("count", [it for row in self.counts for it in row]),
        ]

    def scene(self) -> Scene:
        """Return the table as words."""
        lines = [*zip(self.counts, self.row_totals, strict=True), (self.column_totals, self.total)]
        texts = tuple(
            tuple(
                HIDDEN if count is None else f"{count:,}".replace(",", "\u2009")
                for count in (*row, total)
            )
            for row, total in lines
        )
        panel = Panel(
            marks=(Words(texts, totals=True),),
            x=Axis(self.label(self.columns[1]), ticks=(*self.column_levels, "total")),
            y=Axis(self.label(self.columns[0]), ticks=(*self.row_levels, "total")),
        )
        hidden = any(HIDDEN in row for row in texts)
        sign = f"{HIDDEN} nobody, too few to show, or hidden so that sums do not give others back"
        return Scene((panel,), notes=self.notes() + ((sign,) if hidden else ()))


def from_counts(table: Table, request: PlotRequest, origin: Origin) -> CrossTableView:
    """Count the pairs of levels of two columns, and their sums."""
    levels = levels_of_pair(table, request)
    rows, columns = levels.values()
    told, hidden, origin = count_pairs(table, request, levels, origin)
    return CrossTableView(
        columns=request.columns,
        method=request.method,
        parameters=parameters_of_counts(request),
        suppressed=hidden if request.shows_exact else None,
        origin=origin,
        row_levels=rows.names,
        column_levels=columns.names,
        counts=tuple(tuple(row[:-1]) for row in told[:-1]),
        row_totals=tuple(row[-1] for row in told[:-1]),
        column_totals=tuple(told[-1][:-1]),
        total=told[-1][-1],
    )


def levels_of_pair(table: Table, request: PlotRequest) -> dict[str, Levels]:
    """Return the levels of two columns as they are shown, if they are not too many."""
    levels = {name: levels_of(table, name, request) for name in request.columns}
    check_few(levels.values(), MOST_CELLS, *request.columns)
    return levels


def count_pairs(
    table: Table, request: PlotRequest, levels: Mapping[str, Levels], origin: Origin
) -> tuple[Told, int, Origin]:
    """Count two columns; return what may be told, sums last, how many cells may not, and of whom.

    How many persons there are is not told where the table hides it.
    """
    counts, shown = guarded_pairs(table, request, levels)
    sums: Bins = np.zeros(shown.shape, dtype=np.int64)
    sums[:-1, :-1] = counts
    sums[:-1, -1], sums[-1, :-1], sums[-1, -1] = counts.sum(1), counts.sum(0), counts.sum()
    told = shown_counts(sums.ravel(), shown.ravel(), request)
    width = shown.shape[1]
    if shown[-1, -1]:
        cells = counts[shown[:-1, :-1] & (counts > 0)]
        origin = seen(origin, request, int(cells.sum()), int(counts.sum()), cells)
    rows = [told[i : i + width] for i in range(0, len(told), width)]
    return rows, int((~shown).sum()), origin


def guarded_pairs(
    table: Table, request: PlotRequest, levels: Mapping[str, Levels]
) -> tuple[Bins, Shown]:
    """Count two columns; return the cells, and which of them and of their sums may be shown."""
    counted = table.count((), {name: found.places for name, found in levels.items()})
    if counted.people != counted.weights.sum():
        raise RefusedError(
            "some person has several rows, in several cells of the table, which do not add up to"
            " persons; make one row a person first, or draw a bar chart of one column"
        )
    counts = counted.counts
    check_persons(int(counts.sum()), request)
    shown: Shown = np.ones(np.add(counts.shape, 1), dtype=np.bool_)
    if request.method != "none":
        # One orientation for both: a table that looks the same either way up may have two answers.
        turned = list(levels) != sorted(levels)
        # Avraam et al. (2021), section 2.1, protect cells of 0 and of 100 % too, so research does.
        method = CellSuppression(request.k, request.show_empty and not request.shows_exact)
        shown = method(counts.T).shown.T if turned else method(counts).shown
    return counts, shown


def check_persons(persons: int, request: PlotRequest) -> None:
    """Refuse a table of too few persons."""
    if not request.shows_exact and persons < request.least_persons:
        raise too_few(request)


CROSSTAB = Plot(
    name="crosstab",
    title="Cross-table",
    says="How many have each pair of levels of two columns.",
    columns="categorical",
    least=2,
    most=2,
    parameters=("k",),
    methods=(CellSuppression.name, "none"),
    method=CellSuppression.name,
    from_counts=from_counts,
)
