"""How far bars and counts of the copy are off: chance, and the copy's own error.

It comes of copies of the copy (`own_errors`), and nothing raw plays a part.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet.arguments import Floats, Labels
from discreet.errors import RefusedError
from discreet.measure.by_persons import rows_worth_of_bars
from discreet.measure.own_error import FEWEST, NORMAL, OwnErrors
from discreet.measure.weighted import rows_worth
from discreet.plots import HistogramView, MultiplesView, OverTimeView, PanelsView, View
from discreet.plots.bars import BARS
from discreet.plots.histogram import HISTOGRAM
from discreet.plots.periods import edges_of
from discreet.plots.request import PlotRequest
from discreet.study.from_copy import WholeTable
from discreet.study.own_errors import own_errors, rounded_words
from discreet.study.weights import weighed

if TYPE_CHECKING:
    from discreet.study.derived import OfCopy

__all__ = ["bars_said"]


class _Bar(NamedTuple):
    """The share of rows that a bar holds: of how many, and how many of equal weight say as much."""

    share: float
    of: float
    rows: float


Bars = dict[tuple[object, ...], _Bar]


def bars_said(session: OfCopy, request: PlotRequest, view: View) -> tuple[str, ...]:
    """Say by how much the bars of a view, or its counts over time, may be off; else nothing.

    Bars are shares, and off by percentage points; counts are off by rows. The variance that the
    copy adds is pooled: that of all bars as a share of what chance makes of them. What is said is
    that of the bar which is known least.
    """
    over_time = _is_counted(view)
    if request.plot not in (BARS.name, HISTOGRAM.name) and not over_time:
        return ()
    read = partial(_bars, session=session, request=request, view=_one_of(view))
    own = own_errors(session, lambda table: {bar: it.share for bar, it in read(table).items()})
    found = read(session.whole)
    ratio = _added(own, found)
    if ratio is None:
        return ()
    errors = {bar: math.sqrt((1 + ratio) * _chance(it)) for bar, it in found.items()}
    if over_time:
        off = max(error * found[bar].of for bar, error in errors.items())
        said = f"counts ± {rounded_words(NORMAL * off)} at most"
    else:
        said = f"bars ± {rounded_words(100 * NORMAL * max(errors.values()))} points at most"
    return (f"{said}, for the population: chance, and how far the copy is off",)


def _chance(bar: _Bar) -> float:
    """Return the variance that chance gives the share of a bar."""
    return bar.share * (1 - bar.share) / bar.rows


def _added(own: OwnErrors, found: Bars) -> float | None:
    """Return the variance that the copy adds, as a share of that of chance; None if not known."""
    known = {bar: error for bar in found if (error := own.of(bar)) is not None}
    of_known = math.fsum(_chance(found[bar]) for bar in known)
    if len(own.copies) < FEWEST or not of_known:
        return None
    return math.fsum(it**2 for it in known.values()) / of_known


def _one_of(view: View) -> View:
    """Return a view of one panel: bins and periods are the same in all."""
    while isinstance(view, MultiplesView | PanelsView):
        view = next(it for it in view.views if it is not None)
    return view


def _is_counted(view: View) -> bool:
    """Whether a view counts rows over time."""
    one = _one_of(view)
    return isinstance(one, OverTimeView) and not one.of_means


def _edges(view: View) -> Floats:
    """Return the ends of the bins of a histogram, or of the periods of counts over time."""
    if isinstance(view, OverTimeView):
        return edges_of(np.array(view.starts), view.every)
    return np.array(view.edges if isinstance(view, HistogramView) else ())


def _bars(table: WholeTable, session: OfCopy, request: PlotRequest, view: View) -> Bars:
    """Return the bars of rows: each as a share of its panel, or of the level that it is a part of.

    Counts of levels of two columns, and over time, are shares of all rows that are drawn together.
    """
    (column,), by = request.columns, request.by
    counted = request.plot == BARS.name
    second = [] if request.by_second is None else [request.by_second]
    levels = [*([column] if counted else []), *([] if by is None else [by]), *second]
    held = _held(table, levels, [] if counted else [column])
    if request.weights is not None:
        held = held.rows(weighed(held.copy, held.raw, request.weights).places)
    weights = None if request.weights is None else held.copy.columns[request.weights]
    words = {name: held.copy.strata[name] for name in levels}
    of_one = [] if by is None else [words[by]]
    beside = [words[it] for it in second]
    if not counted:
        of_time = isinstance(view, OverTimeView)
        bins = _bins(held.copy.columns[column], _edges(view), closed=not of_time)
        group, bar = (beside, [bins, *of_one]) if of_time else ([*of_one, *beside], [bins])
        return _shares(group, bar, weights, held.persons, lambda it: -1 not in it and "" not in it)
    if request.percent:
        return _shares([*of_one, *beside], [words[column]], weights, held.persons)
    return _shares(beside, [words[column], *of_one], weights, held.persons)


def _held(table: WholeTable, levels: Sequence[str], numbers: Sequence[str]) -> WholeTable:
    """Return a copy of the copy with some columns as levels, or refuse one that has lost any."""
    held = table.with_levels(levels)
    if not {*levels} <= {*held.copy.strata} or not {*numbers} <= {*held.copy.columns}:
        raise RefusedError("a copy of the copy has lost a column")
    return held


def _bins(values: Floats, ends: Floats, *, closed: bool = True) -> list[int]:
    """Return in which bin each value lies; -1 of one that lies in none, or is missing.

    The last end belongs to the last bin where this is `closed`.
    """
    found = np.searchsorted(ends, values, "right") - 1
    inside = (values >= ends[0]) & (values < ends[-1])
    if closed:
        found = np.where(values == ends[-1], len(ends) - 2, found)
        inside |= values == ends[-1]
    places: list[int] = np.where(inside, found, -1).tolist()
    return places


def _shares(
    group: Sequence[Sequence[object]],
    bar: Sequence[Sequence[object]],
    weights: Floats | None = None,
    persons: Labels | None = None,
    drawn: Callable[[tuple[object, ...]], bool] = lambda _: True,
) -> Bars:
    """Return which share of each group's rows each bar has, and how many rows the group has.

    Where persons have several rows, as many rows say as much as are worth it by persons.

    Examples
    --------
    >>> found = _shares([["f", "f", "m"]], [["a", "b", "a"]])
    >>> [(bar, it.share, it.rows) for bar, it in found.items()]
    [(('f', 'a'), 0.5, 2.0), (('f', 'b'), 0.5, 2.0), (('m', 'a'), 1.0, 1.0)]
    """
    place: dict[tuple[object, ...], int] = {}
    each = zip(*group, *bar, strict=True)
    codes = np.fromiter((place.setdefault(it, len(place)) for it in each), np.intp, len(bar[0]))
    held = np.bincount(codes, weights, len(place)).tolist()
    of: dict[tuple[object, ...], list[int]] = {}
    for key, code in place.items():
        if drawn(key):
            of.setdefault(key[: len(group)], []).append(code)
    names, out = [*place], Bars()
    for theirs in of.values():
        total = math.fsum(held[code] for code in theirs)
        worth = _worth(codes, theirs, weights, persons)
        out |= {
            names[code]: _Bar(held[code] / total, total, rows)
            for code, rows in zip(theirs, worth, strict=True)
        }
    return out


def _worth(
    codes: Labels, theirs: Sequence[int], weights: Floats | None, persons: Labels | None
) -> list[float]:
    """Return for each bar of a group how many rows of equal weight say as much of its share."""
    here = np.isin(codes, theirs)
    of = None if weights is None else weights[here]
    if persons is not None:
        bars = np.searchsorted(np.sort(theirs), codes[here])
        found = rows_worth_of_bars(bars, persons[here], of)
        worth: list[float] = found[np.argsort(np.argsort(theirs))].tolist()
        return worth
    return [float(here.sum()) if of is None else rows_worth(of)] * len(theirs)
