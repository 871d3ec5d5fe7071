"""Bar charts and cross-tables: counts of the levels of categorical columns."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from discreet.errors import RefusedError
from discreet.plots import BarView, CrossTableView, Origin
from discreet.plots.axes import too_few
from discreet.plots.drawn import public, seen, shown_counts, stated
from discreet.plots.levels import Levels, check_few, levels_of
from discreet.plots.request import ROWS_PER_K, PlotRequest
from discreet.protect import CellSuppression
from discreet.protect.cells import MOST_CELLS
from discreet.protect.counts import Bins, check_counts
from discreet.table import Table

__all__ = ["bars", "crosstab"]

MOST_BARS = 200
Told = list[list[int | None]]


def bars(table: Table, asked: PlotRequest, origin: Origin) -> BarView:
    """Count the levels of one column, or those of each level of another."""
    (column,) = asked.columns
    if asked.by is not None:
        return _divided(table, asked, origin, column, asked.by)
    levels = levels_of(table, column, asked)
    check_few([levels], MOST_BARS, column)
    counted = table.count((), {column: levels.places})
    counts = counted.counts
    _check_size(counted.people, asked)
    if asked.guarded and (counts < asked.k).any():
        # Levels were joined by sums of persons; who has several was counted once for each.
        raise RefusedError(
            "some person has several levels, so small ones cannot be joined; make one row a person"
            " first (a last level, or the most frequent)"
        )
    shown = np.ones(counts.shape, dtype=np.bool_)
    if asked.method != "none":
        shown = (counts >= asked.k) | ((counts == 0) & asked.show_empty)
        check_counts(np.where(shown, counts, 0), shown, asked.k)
    return BarView(
        columns=asked.columns,
        method=asked.method,
        parameters=public(stated(asked)),
        suppressed=None if asked.guarded else int((~shown).sum()),
        origin=seen(
            origin, asked, counted.people_in(shown), counted.people, counts[shown & (counts > 0)]
        ),
        levels=levels.names,
        counts=tuple(shown_counts(counts, shown, asked)),
    )


def crosstab(table: Table, asked: PlotRequest, origin: Origin) -> CrossTableView:
    """Count the pairs of levels of two columns, and their sums."""
    rows, columns = (levels_of(table, name, asked) for name in asked.columns)
    check_few([rows, columns], MOST_CELLS, *asked.columns)
    levels = dict(zip(asked.columns, (rows, columns), strict=True))
    told, hidden, origin = _table(table, asked, levels, origin)
    return CrossTableView(
        columns=asked.columns,
        method=asked.method,
        parameters=public(stated(asked)),
        suppressed=None if asked.guarded else hidden,
        origin=origin,
        row_levels=rows.names,
        column_levels=columns.names,
        counts=tuple(tuple(row[:-1]) for row in told[:-1]),
        row_totals=tuple(row[-1] for row in told[:-1]),
        column_totals=tuple(told[-1][:-1]),
        total=told[-1][-1],
    )


def _divided(table: Table, asked: PlotRequest, origin: Origin, column: str, by: str) -> BarView:
    """Draw the cells of a cross-table as bars: the same cells are hidden in both."""
    levels = {name: levels_of(table, name, asked) for name in (column, by)}
    check_few(levels.values(), MOST_BARS, column, by)
    told, hidden, origin = _table(table, asked, levels, origin)
    return BarView(
        columns=asked.columns,
        method=asked.method,
        parameters=public(stated(asked)),
        suppressed=None if asked.guarded else hidden,
        origin=origin,
        levels=levels[column].names,
        counts=tuple(row[-1] for row in told[:-1]),
        by=by,
        by_levels=levels[by].names,
        by_counts=tuple(zip(*(row[:-1] for row in told[:-1]), strict=True)),
    )


def _table(
    table: Table, asked: PlotRequest, levels: Mapping[str, Levels], origin: Origin
) -> tuple[Told, int, Origin]:
    """Count two columns; return what may be told, sums last, how many cells may not, and of whom.

    How many persons there are is not told where the table hides it.
    """
    counted = table.count((), {name: found.places for name, found in levels.items()})
    if counted.people != counted.weights.sum():
        raise RefusedError(
            "some person has several rows, in several cells of the table, which do not add up to"
            " persons; make one row a person first, or draw a bar chart of one column"
        )
    counts = counted.counts
    _check_size(int(counts.sum()), asked)
    shown: NDArray[np.bool_] = np.ones(np.add(counts.shape, 1), dtype=np.bool_)
    if asked.method != "none":
        # One orientation for both: a table that looks the same either way up may have two answers.
        turned = list(levels) != sorted(levels)
        # Avraam et al. (2021), section 2.1, protect cells of 0 and of 100 % too, so research does.
        method = CellSuppression(asked.k, asked.show_empty and asked.guarded)
        shown = method(counts.T).shown.T if turned else method(counts).shown
    sums: Bins = np.zeros(shown.shape, dtype=np.int64)
    sums[:-1, :-1] = counts
    sums[:-1, -1], sums[-1, :-1], sums[-1, -1] = counts.sum(1), counts.sum(0), counts.sum()
    told = shown_counts(sums.ravel(), shown.ravel(), asked)
    width = shown.shape[1]
    if shown[-1, -1]:
        cells = counts[shown[:-1, :-1] & (counts > 0)]
        origin = seen(origin, asked, int(cells.sum()), int(counts.sum()), cells)
    rows = [told[i : i + width] for i in range(0, len(told), width)]
    return rows, int((~shown).sum()), origin


def _check_size(persons: int, asked: PlotRequest) -> None:
    if asked.guarded and persons < ROWS_PER_K * asked.k:
        raise too_few(asked)
