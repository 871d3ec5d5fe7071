"""The cross-table: how many people have each pair of levels of two categorical columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from discreet.columns.countable import Countable
from discreet.errors import InputError, RefusedError
from discreet.plots.counts import Levels, check_few, levels_of
from discreet.plots.plot import COUNTS, AnsweredCells, How, Plot, column
from discreet.plots.view import Origin, Tidy, View
from discreet.render.scene import Axis, Panel, Scene, Words

MOST_CELLS = 1000


@dataclass(frozen=True, kw_only=True, repr=False)
class CrossTableView(View):
    """Counts of two categorical columns, and their sums.

    Parameters
    ----------
    row_levels, column_levels : tuple of str
        The levels of the first and of the second column.
    counts : tuple of tuples of int
        `counts[i][j]` of the i-th row level and the j-th column level.
    row_totals, column_totals : tuple of int
        The sums.
    total : int
        All of them.
    """

    kind: ClassVar[str] = "crosstab"

    row_levels: tuple[str, ...]
    column_levels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    row_totals: tuple[int, ...]
    column_totals: tuple[int, ...]
    total: int

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
            tuple(f"{count:,}".replace(",", "\u2009") for count in (*row, total))
            for row, total in lines
        )
        panel = Panel(
            marks=(Words(texts, totals=True),),
            x=Axis(self.label(self.columns[1]), ticks=(*self.column_levels, "total")),
            y=Axis(self.label(self.columns[0]), ticks=(*self.row_levels, "total")),
        )
        return Scene((panel,), notes=self.notes())


def count_pairs(table: Countable, levels: Mapping[str, Levels]) -> list[list[int]]:
    """Count two columns; return the rows of cells, each with its sum, and the sums of columns."""
    counted = table.count((), {name: found.places for name, found in levels.items()})
    if counted.people != counted.weights.sum():
        raise RefusedError(
            "some people have several rows, so cells of the table do not add up to people; make "
            "one row per person first, or draw a bar chart of one column"
        )
    cells = counted.counts
    sums = np.zeros((cells.shape[0] + 1, cells.shape[1] + 1), dtype=np.int64)
    sums[:-1, :-1] = cells
    sums[:-1, -1], sums[-1, :-1], sums[-1, -1] = cells.sum(1), cells.sum(0), cells.sum()
    found: list[list[int]] = sums.tolist()
    return found


@dataclass(frozen=True)
class CrossTable(Plot[CrossTableView]):
    """Count the pairs of levels of two categorical columns, with their sums.

    Parameters
    ----------
    rows, columns : str
        Two categorical columns.

    Returns
    -------
    CrossTableView

    Raises
    ------
    RefusedError
        Also if some person is in several cells.

    Notes
    -----
    Rows of the protected copy are counted. Where the policy lists the two columns (`tables`) the
    copy has the counts of the data, with noise.
    """

    name = "crosstab"
    title = "Cross-table"
    says = "How many have each pair of levels of two columns."
    methods = ("none",)
    method = "none"
    sources = (COUNTS,)
    answered = "levels"

    rows: str = field(metadata=column("The column whose levels are rows.", "categorical"))
    columns: str = field(metadata=column("The column whose levels are columns.", "categorical"))

    def from_cells(self, cells: AnsweredCells, how: How, origin: Origin) -> None:
        """Draw nothing: its answer is a table."""

    def from_counts(self, table: Countable, how: How, origin: Origin) -> CrossTableView:
        """Count the pairs of levels of two columns, and their sums."""
        levels = {name: levels_of(table, name) for name in self.names}
        check_few(levels.values(), MOST_CELLS, *self.names)
        rows, columns = levels.values()
        told = count_pairs(table, levels)
        total = told[-1][-1]
        return CrossTableView(
            **self.made(how, replace(origin, shown=total, total=total), how.count_parameters()),
            row_levels=rows.names,
            column_levels=columns.names,
            counts=tuple(tuple(row[:-1]) for row in told[:-1]),
            row_totals=tuple(row[-1] for row in told[:-1]),
            column_totals=tuple(told[-1][:-1]),
            total=total,
        )
