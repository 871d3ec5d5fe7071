"""Intervals of plots of the copy, with the copy's own error in them.

Curves of survival have it at each time, on the scale that their intervals are made on; means over
time at each period. It comes of copies of the copy (`own_errors`), and nothing raw plays a part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats
from discreet.errors import RefusedError
from discreet.measure.own_error import FEWEST, NORMAL, OwnErrors
from discreet.plots import OverTimeView, PanelsView, SurvivalView, View
from discreet.plots.curves import Own
from discreet.plots.over_time import means_by
from discreet.plots.request import PlotRequest
from discreet.plots.survival import log_minus_log
from discreet.study.from_copy import WholeTable
from discreet.study.own_bars import bars_said
from discreet.study.own_errors import Figures, own_errors

if TYPE_CHECKING:
    from discreet.study.derived import OfCopy

__all__ = ["with_own_errors"]

NOWHERE = ("", "")
"""No column that divides into panels, and no level of it."""


def with_own_errors(session: OfCopy, request: PlotRequest, view: View) -> View:
    """Return a view whose intervals hold how far the copy is off, and which says it of its bars."""
    if said := bars_said(session, request, view):
        remarks = (*view.origin.remarks, *said)
        return replace(view, origin=replace(view.origin, remarks=remarks))
    if isinstance(view, PanelsView):
        if view.each_pair:  # none of these has intervals
            return view
        by = view.by[1]
        inner = tuple(
            None if it is None else _widened(session, it, (by, level))
            for level, it in zip(view.second, view.views, strict=True)
        )
        return replace(view, views=inner)
    return _widened(session, view, NOWHERE)


def _widened(session: OfCopy, view: View, within: tuple[str, str]) -> View:
    if isinstance(view, SurvivalView):
        own = own_errors(session, partial(_survival, view=view, within=within))
        curves = tuple(it.widened(_halves(own)) for it in view.curves)
        return replace(view, curves=curves, own_error=_is_known(own))
    if isinstance(view, OverTimeView) and view.of_means:
        own = own_errors(session, partial(_over_time, view=view, within=within))
        series = tuple(it.widened(view.starts, _halves(own)) for it in view.series)
        return replace(view, series=series, own_error=_is_known(own))
    return view


def _is_known(own: OwnErrors) -> bool:
    return len(own.copies) >= FEWEST


def _halves(own: OwnErrors) -> Own:
    return lambda level, at: NORMAL * (own.of((level, at)) or 0.0)


def _survival(table: WholeTable, view: SurvivalView, within: tuple[str, str]) -> Figures:
    """Return each curve's estimate in a copy of the copy, at the times at which it falls."""
    time, event = view.columns
    held = _held(table, [time], [event, view.by, within[0]])
    times, words = held.copy.columns[time], np.array(held.copy.strata[event])
    known = (times >= 0) & (words != "")
    happened = np.isin(words, view.event_is)
    out = dict[object, float]()
    for it in view.curves:
        here = known & _of_level(held, view.by, it.level) & _of_level(held, *within)
        falls = it.times[1:]
        if here.any() and falls:
            found = log_minus_log(times[here], happened[here], falls)
            out |= {(it.level, at): n for at, n in zip(falls, found.tolist(), strict=True)}
    return out


def _over_time(table: WholeTable, view: OverTimeView, within: tuple[str, str]) -> Figures:
    """Return the mean of each period of each line in a copy of the copy."""
    date, value = view.columns
    held = _held(table, [date, value], [view.by, within[0]])
    times, values = (held.copy.columns[name] for name in (date, value))
    places = np.searchsorted(view.starts, times, "right") - 1
    known = np.isfinite(times) & np.isfinite(values) & (places >= 0)
    out = dict[object, float]()
    for it in view.series:
        here = known & _of_level(held, view.by, it.level) & _of_level(held, *within)
        found = _means(places[here], values[here], len(view.starts))
        out |= {(it.level, view.starts[at]): found[at] for at in np.flatnonzero(np.isfinite(found))}
    return out


def _means(places: NDArray[np.int64], values: Floats, size: int) -> list[float]:
    means: list[float] = means_by(places, values, size)[0].tolist()
    return means


def _held(table: WholeTable, numbers: Sequence[str], levels: Sequence[str | None]) -> WholeTable:
    """Return a copy of the copy with some columns as levels, or refuse one that has lost any."""
    held = table.with_levels([it for it in levels if it])
    if not {*numbers} <= {*held.copy.columns} or not {it for it in levels if it} <= {
        *held.copy.strata
    }:
        raise RefusedError("a copy of the copy has lost a column")
    return held


def _of_level(held: WholeTable, name: str | None, level: str) -> NDArray[np.bool_]:
    if not name:
        return np.ones(len(held), dtype=np.bool_)
    found: NDArray[np.bool_] = np.array(held.copy.strata[name]) == level
    return found
