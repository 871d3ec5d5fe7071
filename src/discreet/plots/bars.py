"""The bar chart: how many persons have each level of a categorical column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from discreet.errors import InputError, RefusedError
from discreet.plots.by_level import Levels, check_few, levels_of
from discreet.plots.by_two import PanelsView
from discreet.plots.counts import parameters_of_counts, seen, shown_counts
from discreet.plots.crosstab import CROSSTAB, check_persons, count_pairs
from discreet.plots.descriptor import FRAME, ROWS_AND_COUNTS, Plot, bars
from discreet.plots.request import PlotRequest
from discreet.plots.view import WHERE_SAID, Origin, View
from discreet.protect.counts import check_counts
from discreet.render.scene import Axis, Columns, Panel, Scene
from discreet.table import Table

__all__ = ["BARS", "BarView", "from_counts"]

MOST_BARS = 200
DECIMALS = 4


@dataclass(frozen=True, kw_only=True, repr=False)
class BarView(View):
    """Bars of the levels of a column.

    Parameters
    ----------
    levels : tuple of str
        The levels; small ones are joined into "other".
    counts : tuple of int or None
        How many have each level; None where it is hidden.
    by : str or None
        The column whose levels divide each bar.
    by_levels : tuple of str
        Its levels.
    by_counts : tuple of tuples of int or None
        `by_counts[j][i]` of the i-th level and the j-th of `by_levels`; None where it is hidden.
    percent : bool
        Whether shares are drawn instead of counts.
    """

    kind: ClassVar[str] = "bars"

    levels: tuple[str, ...]
    counts: tuple[int | None, ...]
    by: str | None = None
    by_levels: tuple[str, ...] = ()
    by_counts: tuple[tuple[int | None, ...], ...] = ()
    percent: bool = field(default=False, metadata=WHERE_SAID)

    def __post_init__(self) -> None:
        rows = (self.counts, *self.by_counts)
        if any(len(row) != len(self.levels) for row in rows):
            raise InputError("a bar chart has as many counts as levels")
        if len(self.by_counts) != len(self.by_levels):
            raise InputError("a bar chart has one row of counts for each level that divides it")

    @property
    def shares(self) -> tuple[tuple[float | None, ...], ...]:
        """In percent, of each level of `by` or of all: those of the counts that are shown.

        Where one of them is hidden, how many there are is not known, and so no share.
        """
        return tuple(_shares(row) for row in self.by_counts or (self.counts,))

    def scene(self) -> Scene:
        """Return a bar for each level, or one for each pair of levels."""
        rows: tuple[tuple[float | None, ...], ...] = self.by_counts or (self.counts,)
        label = self.origin.counted
        divided: tuple[str, ...] = () if self.by is None else (f"divided by {self.label(self.by)}",)
        sign = "hatched below the axis: nobody, or too few to show"
        if self.percent:
            rows, sign = self.shares, "hatched below the axis: a count of the level is hidden"
            label = (
                f"% of {label}" if self.by is None else f"% of each level of {self.label(self.by)}"
            )
            divided += ("shares of rounded counts",) if "round_to" in self.parameters else ()
        panel = Panel(
            marks=(Columns(rows, self.by_levels or ("",)),),
            x=Axis(self.label(self.columns[0]), ticks=self.levels),
            y=Axis(label),
        )
        signs = (sign,) if any(None in row for row in rows) else ()
        return Scene((panel,), notes=self.notes() + divided + signs)


def _shares(counts: Sequence[int | None]) -> tuple[float | None, ...]:
    known = [count for count in counts if count is not None]
    if len(known) < len(counts) or not sum(known):
        return (None,) * len(counts)
    return tuple(round(100 * count / sum(known), DECIMALS) for count in known)


def from_counts(table: Table, request: PlotRequest, origin: Origin) -> BarView:
    """Count the levels of one column, or those of each level of another."""
    (column,), by = request.columns, request.by
    levels = {name: levels_of(table, name, request) for name in request.named}
    check_few(levels.values(), MOST_BARS, *levels)
    by_counts: list[tuple[int | None, ...]] = []
    if by is None:
        told, hidden, origin = _count_levels(table, request, levels, origin)
    else:
        # The cells of a cross-table as bars: the same cells are hidden in both.
        pairs, hidden, origin = count_pairs(table, request, levels, origin)
        told = [row[-1] for row in pairs[:-1]]
        by_counts = list(zip(*(row[:-1] for row in pairs[:-1]), strict=True))
    view = BarView(
        columns=request.columns,
        method=request.method,
        parameters=parameters_of_counts(request),
        suppressed=hidden if request.shows_exact else None,
        origin=origin,
        levels=levels[column].names,
        counts=tuple(told),
        by=by,
        by_levels=() if by is None else levels[by].names,
        by_counts=tuple(by_counts),
        percent=request.percent,
    )
    if view.percent and not any(share for shares in view.shares for share in shares):
        raise RefusedError(
            "a count is hidden of each level, so its shares are not known; draw counts, or shares"
            " of the copy (source='copy')"
        )
    return view


def _count_levels(
    table: Table, request: PlotRequest, levels: Mapping[str, Levels], origin: Origin
) -> tuple[list[int | None], int, Origin]:
    """Count one column, as `count_pairs` counts two."""
    counted = table.count((), {name: found.places for name, found in levels.items()})
    counts = counted.counts
    check_persons(counted.people, request)
    if not request.shows_exact and (counts < request.k).any():
        # Levels were joined by sums of persons; who has several was counted once for each.
        raise RefusedError(
            "some person has several levels, so small ones cannot be joined; make one row a person"
            " first (a last level, or the most frequent)"
        )
    shown = np.ones(counts.shape, dtype=np.bool_)
    if request.method != "none":
        shown = (counts >= request.k) | ((counts == 0) & request.show_empty)
        check_counts(np.where(shown, counts, 0), shown, request.k)
    origin = seen(origin, request, counted.people_in(shown), counted.people, counts[shown])
    return shown_counts(counts, shown, request), int((~shown).sum()), origin


BARS: Plot[BarView | PanelsView] = Plot(
    name="bars",
    title="Bar chart",
    says="How many have each level of a column.",
    columns="categorical",
    least=1,
    most=1,
    by=ROWS_AND_COUNTS,
    parameters=(*CROSSTAB.parameters, "percent"),
    icon=FRAME + bars(5, (8, 15), (16, 9), (24, 12)),
    methods=CROSSTAB.methods,
    method=CROSSTAB.method,
    from_counts=from_counts,
)
