"""Intervals of plots of the copy, with the copy's own error in them.

Curves of survival have it at each time, on the scale that their intervals are made on; means over
time at each period. It comes of copies of the copy (`own_errors`), and nothing raw plays a part.
Where persons have several rows, chance is by persons.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels
from discreet.errors import RefusedError
from discreet.estimates.intervals import (
    FEWEST,
    NORMAL,
    OwnErrors,
    interval_of,
    log_minus_log_errors,
)
from discreet.explore.from_copy import WholeTable
from discreet.explore.own_bars import bars_said
from discreet.explore.own_errors import Figures, own_errors
from discreet.plots import OverTimeView, PanelsView, PlotRequest, SurvivalView, View
from discreet.plots.curves import Chance, Own
from discreet.plots.over_time import means_by
from discreet.plots.survival import SurvivalCurve, log_minus_log

if TYPE_CHECKING:
    from discreet.explore.derived import DerivedCopy

NOWHERE = ("", "")
"""No column that divides into panels, and no level of it."""


def with_own_errors(session: DerivedCopy, request: PlotRequest, view: View) -> View:
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


def _widened(session: DerivedCopy, view: View, within: tuple[str, str]) -> View:
    if isinstance(view, SurvivalView):
        own = own_errors(session, partial(_survival, view=view, within=within))
        chance = _chance(session, partial(_survival_by_persons, view=view, within=within))
        curves = tuple(it.widened(_halves(own), chance) for it in view.curves)
        return replace(view, curves=curves, own_error=_is_known(own), by_persons=chance is not None)
    if isinstance(view, OverTimeView) and view.of_means:
        own = own_errors(session, partial(_over_time, view=view, within=within))
        chance = _chance(session, partial(_over_time_by_persons, view=view, within=within))
        series = tuple(it.widened(view.starts, _halves(own), chance) for it in view.series)
        return replace(view, series=series, own_error=_is_known(own), by_persons=chance is not None)
    return view


def _is_known(own: OwnErrors) -> bool:
    return len(own.copies) >= FEWEST


def _halves(own: OwnErrors) -> Own:
    return lambda level, at: NORMAL * (own.of((level, at)) or 0.0)


def _chance(session: DerivedCopy, halves: Callable[[WholeTable], Figures]) -> Chance | None:
    """Return halves of intervals by persons; None where each row is a person of its own."""
    if session.whole.persons is None:
        return None
    found = halves(session.whole)
    return lambda level, at: found.get((level, at))


def _survival(table: WholeTable, view: SurvivalView, within: tuple[str, str]) -> Figures:
    """Return each curve's estimate in a copy of the copy, at the times at which it falls."""
    out = dict[object, float]()
    for it, rows in _of_curves(table, view, within):
        falls = it.times[1:]
        if rows.times.size and falls:
            found = log_minus_log(rows.times, rows.happened, falls)
            out |= {(it.level, at): n for at, n in zip(falls, found.tolist(), strict=True)}
    return out


def _survival_by_persons(table: WholeTable, view: SurvivalView, within: tuple[str, str]) -> Figures:
    """Return half of the interval of each curve by persons, at the times at which it falls."""
    out = dict[object, float]()
    for it, rows in _of_curves(table, view, within):
        falls = it.times[1:]
        if rows.persons is not None and falls:
            errors = log_minus_log_errors(rows.times, rows.happened, rows.persons, np.array(falls))
            out |= _finite(it.level, falls, NORMAL * errors)
    return out


class _Observed(NamedTuple):
    """The rows of one curve: how long, whether it ended with the event, and whose they are."""

    times: Floats
    happened: NDArray[np.bool_]
    persons: Labels | None


def _of_curves(
    table: WholeTable, view: SurvivalView, within: tuple[str, str]
) -> Iterator[tuple[SurvivalCurve, _Observed]]:
    time, event = view.columns
    held = _held(table, [time], [event, view.by, within[0]])
    times, words = held.copy.columns[time], np.array(held.copy.strata[event])
    known = (times >= 0) & (words != "")
    happened, persons = np.isin(words, view.event_is), held.persons
    for it in view.curves:
        here = known & _of_level(held, view.by, it.level) & _of_level(held, *within)
        of = None if persons is None else persons[here]
        yield it, _Observed(times[here], happened[here], of)


def _over_time(table: WholeTable, view: OverTimeView, within: tuple[str, str]) -> Figures:
    """Return the mean of each period of each line in a copy of the copy."""
    out = dict[object, float]()
    for level, places, values, _ in _of_lines(table, view, within):
        found = means_by(places, values, len(view.starts))[0]
        out |= _finite(level, view.starts, found)
    return out


def _over_time_by_persons(
    table: WholeTable, view: OverTimeView, within: tuple[str, str]
) -> Figures:
    """Return half of the interval of each mean by persons."""
    out = dict[object, float]()
    for level, places, values, persons in _of_lines(table, view, within):
        for at in np.unique(places).tolist():
            here = places == at
            if persons is not None:
                found = interval_of(values[here], persons=persons[here])
                if found is not None:
                    out[level, view.starts[at]] = (found[1] - found[0]) / 2
    return out


def _of_lines(
    table: WholeTable, view: OverTimeView, within: tuple[str, str]
) -> Iterator[tuple[str, NDArray[np.int64], Floats, Labels | None]]:
    """Yield of each line its level, and the periods, the values and the persons of its rows."""
    date, value = view.columns
    held = _held(table, [date, value], [view.by, within[0]])
    times, values = (held.copy.columns[name] for name in (date, value))
    places, persons = np.searchsorted(view.starts, times, "right") - 1, held.persons
    known = np.isfinite(times) & np.isfinite(values) & (places >= 0)
    for it in view.series:
        here = known & _of_level(held, view.by, it.level) & _of_level(held, *within)
        yield it.level, places[here], values[here], None if persons is None else persons[here]


def _finite(level: str, places: Sequence[float], found: Floats) -> dict[object, float]:
    """Return those numbers of a level that are known, by their places."""
    each = zip(places, found.tolist(), strict=True)
    return {(level, at): number for at, number in each if math.isfinite(number)}


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
