"""Plots of the copy of the whole table by two columns: its rows in parts, each drawn as one."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.columns.column import merge_columns
from discreet.errors import InputError
from discreet.explore.from_copy import WholeTable, levels_of_plot, view_from_copy, with_gaps
from discreet.plots import MultiplesView, Origin, PanelsView, Plot, PlotRequest, View
from discreet.plots.facets import MISSING, ROUGH, Pair, Pairs, pairs_of
from discreet.plots.scatter import AS_POINTS, DENSITY

Draw = Callable[[PlotRequest, WholeTable], View]


@dataclasses.dataclass(frozen=True, repr=False)
class _Parted:
    """The rows of all pairs of levels that are drawn, and which of the `pairs` each is of."""

    whole: WholeTable
    places: NDArray[np.intp]
    pairs: Pairs

    def part(self, wanted: Sequence[Pair]) -> WholeTable:
        """Return the rows of some pairs of levels."""
        asked = {*wanted}
        found = [place for place, pair in enumerate(_pairs(self.pairs)) if pair in asked]
        return self.whole.rows(np.flatnonzero(np.isin(self.places, found)))


def check_two(request: PlotRequest, whole: WholeTable) -> None:
    """Refuse more pairs of levels than can be told apart, or none of enough rows."""
    if len(request.plot.by_names) < 2:
        return
    if request.plot.get("show") == DENSITY:
        raise InputError(
            "a scatter plot by two columns always shows points; leave show out, or draw a heat map",
            parameter="show",
            rule="two",
        )
    _parted(request, whole)


def drawn_from_copy(
    request: PlotRequest, whole: WholeTable, origin: Origin, residual_df: int
) -> View:
    """Draw a plot of the rows of the copy, by the levels of one column or of two."""
    orders = _orders(request, whole)
    request = dataclasses.replace(request, how=dataclasses.replace(request.how, orders=orders))
    plot = request.plot
    if plot.by_names:
        origin = dataclasses.replace(origin, orders=tuple(orders.items()))

    def draw(asked: PlotRequest, rows: WholeTable) -> View:
        return view_from_copy(asked, rows, origin, residual_df)

    if len(plot.by_names) < 2:
        return draw(request, whole)
    parted = _parted(request, whole)
    origin = with_gaps(origin, whole, _needed(request))
    columns = parted.whole.copy.columns
    if plot.names[0] in columns:
        dated = parted.whole.raw[plot.names[0]].dates is not None
        plot = plot.on_axes_of(columns[plot.names[0]], request.how, dated=dated)
    shown = {"show": AS_POINTS} if "show" in plot.settings() else {}
    one = dataclasses.replace(request, plot=plot.changed(by=plot.by_name, **shown))
    each = _is_grid(plot)
    if not each:
        views = _by_second(parted, one, draw)
    elif plot.small_multiples:
        views = _on_one_grid(parted, one, draw)
    else:
        views = _each(parted, one, draw)
    return _panels(request, parted, views, dataclasses.replace(origin, total=len(whole)), each)


def _orders(request: PlotRequest, whole: WholeTable) -> dict[str, tuple[str, ...]]:
    """Return all levels in order of those columns of a plot that are drawn as levels."""
    held = whole.with_levels(levels_of_plot(request.plot, request.model))
    return {name: held.levels_of(name) for name in request.named if name in held.copy.strata}


def _is_grid(plot: Plot[Any]) -> bool:
    """Tell whether each pair of levels has a panel of its own, in a row and a column."""
    return plot.each_pair and not plot.get("overlay")


def _parted(request: PlotRequest, whole: WholeTable) -> _Parted:
    """Return the rows that have values in all columns, and the pairs of levels that are drawn."""
    plot = request.plot
    by = (plot.by_names[0], plot.by_names[1])
    whole = whole.with_levels(levels_of_plot(plot, request.model))
    needed = _needed(request)
    numbers = [name for name in needed if name in whole.copy.columns]
    whole = whole.rows(whole.complete(numbers, [it for it in needed if it not in numbers]))
    first, second = ([word or MISSING for word in whole.copy.strata[name]] for name in by)
    orders = (whole.levels_of(by[0]), whole.levels_of(by[1]))
    pairs = pairs_of(
        first, second, by, grid=_is_grid(plot), beside=plot.side_by_side, orders=orders
    )
    place_of = {pair: i for i, pair in enumerate(_pairs(pairs)) if pair in pairs.sizes}
    each = (place_of.get(pair, -1) for pair in zip(first, second, strict=True))
    places = np.fromiter(each, np.intp, len(first))  # one number a row: a table may be large
    kept = np.flatnonzero(places >= 0)
    return _Parted(whole.rows(kept), places[kept], pairs)


def _needed(request: PlotRequest) -> tuple[str, ...]:
    """Return the columns that a row needs a value of: of bars a missing value is a level."""
    return request.plot.by_names[1:] if request.plot.kind() == "categorical" else request.named


def _by_second(parted: _Parted, request: PlotRequest, draw: Draw) -> list[View | None]:
    """Draw the levels of the first column, for each level of the second."""
    return [
        draw(request, parted.part([pair for pair in parted.pairs.sizes if pair[1] == level]))
        for level in parted.pairs.second
    ]


def _each(parted: _Parted, request: PlotRequest, draw: Draw) -> list[View | None]:
    """Draw each pair of levels by itself."""
    alone = dataclasses.replace(request, plot=request.plot.changed(by=None))
    return [
        draw(alone, parted.part([pair])) if pair in parted.pairs.sizes else None
        for pair in _pairs(parted.pairs)
    ]


def _on_one_grid(parted: _Parted, request: PlotRequest, draw: Draw) -> list[View | None]:
    """Draw each pair of levels in the same bins: as the levels of one column."""
    numbers = [str(place) for place, _ in enumerate(_pairs(parted.pairs))]
    words = tuple(map(numbers.__getitem__, parted.places))
    copy = parted.whole.copy
    strata = merge_columns(copy.strata, {request.plot.by_name or "": words})
    drawn = draw(request, parted.whole.holding(copy.columns, strata))
    found: Mapping[str, View] = {}
    if isinstance(drawn, MultiplesView):
        found = dict(zip(drawn.levels, drawn.views, strict=True))
    return [found.get(number) for number in numbers]


def _pairs(pairs: Pairs) -> list[Pair]:
    return [(first, second) for first in pairs.first for second in pairs.second]


def _panels(
    request: PlotRequest, parted: _Parted, views: Sequence[View | None], origin: Origin, each: bool
) -> PanelsView:
    """Put the plots of all parts together, and say of how many rows they are."""
    drawn = [view for view in views if view is not None]
    counts = [view.origin.shown for view in drawn]
    told = sum(count for count in counts if count is not None)
    origin = dataclasses.replace(origin, shown=len(parted.places) if None in counts else told)
    sizes = parted.pairs.sizes
    return PanelsView(
        columns=drawn[0].columns,
        method=drawn[0].method,
        parameters=drawn[0].parameters,
        suppressed=sum(view.suppressed or 0 for view in drawn),
        origin=origin,
        by=(request.plot.by_names[0], request.plot.by_names[1]),
        first=parted.pairs.first,
        second=parted.pairs.second,
        views=tuple(None if view is None else _within(view, origin) for view in views),
        few=parted.pairs.few,
        rough=sum(size < ROUGH for size in sizes.values()),
        drawn=len(sizes),
        each_pair=each,
    )


def _within(view: View, origin: Origin) -> View:
    """Return the plot of a part, which is not shown how many there are in all."""
    own = dataclasses.replace(origin, shown=None, remarks=view.origin.remarks)
    return dataclasses.replace(view, origin=own)
