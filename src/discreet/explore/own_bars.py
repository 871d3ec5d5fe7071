"""How far bars and counts of the copy are off: chance, and the copy's own error.

It comes of copies of the copy (`own_errors`), and nothing raw plays a part.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet.arguments import Floats, Labels
from discreet.errors import RefusedError
from discreet.estimates.intervals import FEWEST, NORMAL, OwnErrors, rows_worth, rows_worth_of_bars
from discreet.explore.from_copy import WholeTable
from discreet.explore.own_errors import own_errors, rounded_words
from discreet.explore.weights import weighed
from discreet.plots import HistogramView, MultiplesView, OverTimeView, PanelsView, PlotRequest, View
from discreet.plots.bars import BarChart
from discreet.plots.histogram import HistogramPlot
from discreet.plots.periods import edges_of

if TYPE_CHECKING:
    from discreet.explore.derived import DerivedCopy

SPAN = 1 << 16
"""So many rows are looked at at a time."""


class _Bar(NamedTuple):
    """The share of rows that a bar holds: of how many, and how many of equal weight say as much."""

    share: float
    of: float
    rows: float


Bars = dict[tuple[object, ...], _Bar]
Column = Sequence[object] | Labels


def bars_said(session: DerivedCopy, request: PlotRequest, view: View) -> tuple[str, ...]:
    """Say by how much the bars of a view, or its counts over time, may be off; else nothing.

    Bars are shares, and off by percentage points; counts are off by rows. The variance that the
    copy adds is pooled: that of all bars as a share of what chance makes of them. What is said is
    that of the bar which is known least.
    """
    over_time = _is_counted(view)
    if not isinstance(request.plot, BarChart | HistogramPlot) and not over_time:
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


def _bars(table: WholeTable, session: DerivedCopy, request: PlotRequest, view: View) -> Bars:
    """Return the bars of rows: each as a share of its panel, or of the level that it is a part of.

    Counts of levels of two columns, and over time, are shares of all rows that are drawn together.
    """
    plot, (column,) = request.plot, request.columns
    by, second = plot.by_name, plot.by_names[1:]
    counted, weighted_by = isinstance(plot, BarChart), plot.get("weights")
    levels = [*([column] if counted else []), *([] if by is None else [by]), *second]
    held = _held(table, levels, [] if counted else [column])
    if weighted_by is not None:
        held = held.rows(weighed(held.copy, held.raw, weighted_by).places)
    weights = None if weighted_by is None else held.copy.columns[weighted_by]
    words = {name: held.copy.strata[name] for name in levels}
    of_one = [] if by is None else [words[by]]
    beside = [words[it] for it in second]
    if not counted:
        of_time = isinstance(view, OverTimeView)
        bar: list[Column] = [_bins(held.copy.columns[column], _edges(view), closed=not of_time)]
        group = beside if of_time else [*of_one, *beside]
        bar += of_one if of_time else []
        return _shares(group, bar, weights, held.persons, lambda it: -1 not in it and "" not in it)
    if plot.get("percent"):
        return _shares([*of_one, *beside], [words[column]], weights, held.persons)
    return _shares(beside, [words[column], *of_one], weights, held.persons)


def _held(table: WholeTable, levels: Sequence[str], numbers: Sequence[str]) -> WholeTable:
    """Return a copy of the copy with some columns as levels, or refuse one that has lost any."""
    held = table.with_levels(levels)
    if not {*levels} <= {*held.copy.strata} or not {*numbers} <= {*held.copy.columns}:
        raise RefusedError("a copy of the copy has lost a column")
    return held


def _bins(values: Floats, ends: Floats, *, closed: bool = True) -> Labels:
    """Return in which bin each value lies; -1 of one that lies in none, or is missing.

    The last end belongs to the last bin where this is `closed`.
    """
    out: Labels = np.empty(len(values), np.int32)
    for part in _spans(len(values)):
        of = values[part]
        found = np.searchsorted(ends, of, "right") - 1
        inside = (of >= ends[0]) & (of < ends[-1])
        if closed:
            found = np.where(of == ends[-1], len(ends) - 2, found)
            inside |= of == ends[-1]
        out[part] = np.where(inside, found, -1)
    return out


def _spans(rows: int) -> Iterator[slice]:
    """Give parts of the rows, one after the other: a large copy is not held once more."""
    return (slice(start, start + SPAN) for start in range(0, rows, SPAN))


def _coded(column: Column) -> tuple[Labels, Sequence[object]]:
    """Return which of its different values each row of a column has, and these."""
    if isinstance(column, np.ndarray):
        least = int(column.min(initial=0))
        return column - least, range(least, int(column.max(initial=0)) + 1)
    place: dict[object, int] = {}
    each = (place.setdefault(it, len(place)) for it in column)
    return np.fromiter(each, np.int32, len(column)), [*place]


def _together(columns: Sequence[Column]) -> tuple[Labels, list[tuple[object, ...]]]:
    """Return which of the combinations of values that there are each row has, and these."""
    codes, keys = zip(*map(_coded, columns), strict=True)
    sizes = [len(it) for it in keys]
    out: Labels = np.empty(len(codes[0]), np.int32)
    known: dict[int, int] = {}
    for part in _spans(len(out)):
        place = np.zeros(len(out[part]), np.int64)
        for code, size in zip(codes, sizes, strict=True):
            place = place * size + code[part]
        different, inverse = np.unique(place, return_inverse=True)
        of = [known.setdefault(it, len(known)) for it in different.tolist()]
        out[part] = np.array(of, np.int32)[inverse]
    places = [np.unravel_index(it, sizes) for it in known]
    return out, [tuple(key[i] for key, i in zip(keys, at, strict=True)) for at in places]


def _shares(
    group: Sequence[Column],
    bar: Sequence[Column],
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
    codes, names = _together([*group, *bar])
    held = np.zeros(len(names))
    for part in _spans(len(codes)):
        held += np.bincount(codes[part], None if weights is None else weights[part], len(names))
    of: dict[tuple[object, ...], list[int]] = {}
    for code, key in enumerate(names):
        if drawn(key):
            of.setdefault(key[: len(group)], []).append(code)
    out = Bars()
    for theirs in of.values():
        total = math.fsum(held[code] for code in theirs)
        worth = _worth(codes, theirs, weights, persons) or [total] * len(theirs)
        out |= {
            names[code]: _Bar(float(held[code]) / total, total, rows)
            for code, rows in zip(theirs, worth, strict=True)
        }
    return out


def _worth(
    codes: Labels, theirs: Sequence[int], weights: Floats | None, persons: Labels | None
) -> list[float]:
    """Return for each bar of a group how many rows of equal weight say as much of its share.

    Nothing where each row is a person's and has no weight: it is as many as there are.
    """
    if persons is None:
        if weights is None:
            return []
        return [rows_worth(weights[np.isin(codes, theirs)])] * len(theirs)
    here = np.isin(codes, theirs)
    of = None if weights is None else weights[here]
    bars = np.searchsorted(np.sort(theirs), codes[here])
    found = rows_worth_of_bars(bars, persons[here], of)
    worth: list[float] = found[np.argsort(np.argsort(theirs))].tolist()
    return worth
