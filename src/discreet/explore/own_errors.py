"""How far what a study shows is off by the copy's own error, in the units of what is shown.

All of it comes of copies of the copy (`estimates.own_error`); nothing raw plays a part. Curves of
survival have it at each time, on the scale that their intervals are made on; means over time at
each period; bars and counts have one number for all. Where people have several rows, chance is by
people.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels
from discreet.columns.words import CodedWords, is_word
from discreet.errors import InputError, RefusedError
from discreet.estimates.intervals import (
    FEWEST,
    NORMAL,
    OwnErrors,
    interval_of,
    log_minus_log_errors,
    rows_worth,
    rows_worth_of_bars,
)
from discreet.estimates.tables import MOST_LEVELS, RowsToDescribe, means_by_group, shares_by_group
from discreet.explore.from_copy import WholeTable
from discreet.explore.weights import weighed
from discreet.plots import (
    HistogramView,
    MultiplesView,
    OverTimeView,
    PanelsView,
    PlotRequest,
    SurvivalView,
    View,
)
from discreet.plots.bars import BarChart
from discreet.plots.curves import Chance
from discreet.plots.histogram import HistogramPlot
from discreet.plots.over_time import means_by
from discreet.plots.periods import edges_of
from discreet.plots.survival import log_minus_log

if TYPE_CHECKING:
    from discreet.explore.derived import DerivedCopy

Figures = Mapping[object, float]
LOST = 1.25
"""So many times as far off are differences as copies of the copy are: what it has lost they do not
lose again. With it 95 of 100 differences of twenty copies of a table were within what is said."""
MOST_NAMED = 4
"""So many columns are named whose differences are off."""


def own_errors(session: DerivedCopy, figures: Callable[[WholeTable], Figures]) -> OwnErrors:
    """Return figures of some rows of a copy, and the same of copies of these rows.

    Of a copy that cannot have them, as it has lost a column or a level, there are none.
    """
    tables, share = session.copies_again()
    known: list[Figures] = []
    for table in tables:
        try:
            known.append(figures(table))
        except (InputError, RefusedError):
            if not known:
                break
    return OwnErrors(known[0] if known else {}, known[1:], share)


def said_of_own(own: OwnErrors) -> str:
    """Say whether intervals hold the copy's own error.

    Examples
    --------
    >>> said_of_own(OwnErrors({}, (), 1.0))
    "for sampling error alone (with so few rows the copy's own error is not known)"
    """
    if len(own.copies) < FEWEST:
        return "for sampling error alone (with so few rows the copy's own error is not known)"
    return "for the population, with the copy's own error"


def columns_of_copy(
    table: WholeTable, numbers: Sequence[str], levels: Sequence[str | None]
) -> WholeTable:
    """Return a copy of the copy with some columns as levels, or refuse one that has lost any."""
    grouping = [it for it in levels if it]
    coded = table.with_levels(grouping)
    if not ({*numbers} <= {*coded.copy.columns} and {*grouping} <= {*coded.copy.strata}):
        raise RefusedError("a copy of the copy has lost a column")
    return coded


def rounded_words(off: float) -> str:
    """Return a number of two digits.

    Examples
    --------
    >>> rounded_words(2.518), rounded_words(0.2411), rounded_words(23.12), rounded_words(1840.0)
    ('2.5', '0.24', '23', '1,800')
    """
    places = 1 - math.floor(math.log10(off)) if off > 0 else 0
    return f"{round(off, places):,.{max(places, 0)}f}"


# --- differences between groups -----------------------------------------------------------------


class _Off(NamedTuple):
    """By how much a difference of two groups may be off, 95 times of 100, and if it is more."""

    column: str
    by: str
    reliable: bool


def differences(session: DerivedCopy, columns: Sequence[str], by: Sequence[str]) -> tuple[str, ...]:
    """Say by how much differences between groups are off, those that are not reliable first.

    Compared are means of numbers and dates, and shares of levels, between the levels of `by`.
    """
    compared = [name for name in dict.fromkeys(columns) if name not in by] if by else []
    known = [off for name in compared if (off := _off(session, name, by)) is not None]
    groups = f"by {' and '.join(session.labels.get(it, it) for it in by)}"
    if not known:
        unknown = f"differences {groups}: too few rows to say how far they may be off"
        return (unknown,) if compared else ()
    unreliable = [it for it in known if not it.reliable]
    others = [it for it in known if it.reliable]
    said = []
    if unreliable:
        said.append(f"not reliable: {_may_be_off(unreliable, groups)}")
    if others:
        said.append(_may_be_off(others, groups))
    return tuple(said)


def _may_be_off(known: Sequence[_Off], groups: str) -> str:
    """Return how far the differences of some columns may be off, as a sentence.

    Examples
    --------
    >>> bmi, died = _Off("bmi", "1.1", True), _Off("died", "4.2 points", True)
    >>> _may_be_off([bmi], "by sex")
    'differences in bmi by sex may be off by up to 1.1'
    >>> _may_be_off([bmi, died], "by sex")
    'differences by sex may be off by up to 1.1 in bmi, 4.2 points in died'
    """
    if len(known) == 1:
        return f"differences in {known[0].column} {groups} may be off by up to {known[0].by}"
    each = ", ".join(f"{it.by} in {it.column}" for it in known[:MOST_NAMED])
    more = len(known) - MOST_NAMED
    others = f" and {more} more" if more > 0 else ""
    return f"differences {groups} may be off by up to {each}{others}"


def _off(session: DerivedCopy, name: str, by: Sequence[str]) -> _Off | None:
    """Return by how much differences of a column are off; None where it is not known."""

    def means(table: WholeTable) -> Figures:
        return means_by_group(_rows(table, [name], by), name, by)

    def shares(table: WholeTable, level: str) -> Figures:
        return shares_by_group(_rows(table, [], [*by, name]), name, level, by)

    label = session.labels.get(name, name)
    if name in session.whole.with_levels(by).copy.columns:
        off, reliable = _difference(own_errors(session, means), len(by))
        unit = " days" if name in session.dates else ""
        return None if off is None else _Off(label, f"{rounded_words(off)}{unit}", reliable)
    if name not in session.whole.copy.strata:
        return None
    levels = session.whole.levels_of(name)[:MOST_LEVELS]
    each = [_difference(own_errors(session, partial(shares, level=it)), len(by)) for it in levels]
    known = [(off, reliable) for off, reliable in each if off is not None]
    if not known:
        return None
    most = max(off for off, _ in known)
    return _Off(label, f"{rounded_words(100 * most)} points", any(it for _, it in known))


def _rows(table: WholeTable, numbers: Sequence[str], levels: Sequence[str]) -> RowsToDescribe:
    of = columns_of_copy(table, numbers, levels)
    return RowsToDescribe(of.copy.columns, of.copy.strata, (), of.orders)


def _difference(own: OwnErrors, columns: int) -> tuple[float | None, bool]:
    """Return how far the difference of two groups may be off, and if groups differ by more."""
    groups = [it for it in own.rows if isinstance(it, tuple) and len(it) == columns]
    of_levels = [it for it in groups if all(level is not None for _, level in it)]
    known = {it: error for it in of_levels if (error := own.of(it)) is not None}
    if len(known) < 2:
        return None, False
    off = LOST * NORMAL * math.sqrt(2 * float(np.mean(np.square([*known.values()]))))
    apart = math.sqrt(2.0) * float(np.std([own.rows[it] for it in known], ddof=1))
    return off, apart > off


# --- intervals of curves and means over time ----------------------------------------------------

Panel = tuple[str, str]
"""A column that divides a view into panels, and the level of one of them."""
NO_PANEL = ("", "")


def with_own_errors(session: DerivedCopy, request: PlotRequest, view: View) -> View:
    """Return a view whose intervals hold how far the copy is off, and which says it of its bars."""
    if said := bars_said(session, request, view):
        remarks = (*view.origin.remarks, *said)
        return replace(view, origin=replace(view.origin, remarks=remarks))
    if not isinstance(view, PanelsView):
        return _widened(session, view, NO_PANEL)
    if view.each_pair:  # none of these has intervals
        return view
    panels = tuple(
        None if it is None else _widened(session, it, (view.by[1], level))
        for level, it in zip(view.second, view.views, strict=True)
    )
    return replace(view, views=panels)


def _widened(session: DerivedCopy, view: View, panel: Panel) -> View:
    if isinstance(view, SurvivalView):
        of: Callable[..., Figures] = partial(_of_survival, view=view, panel=panel)
    elif isinstance(view, OverTimeView) and view.of_means:
        of = partial(_over_time, view=view, panel=panel)
    else:
        return view
    own, chance = own_errors(session, of), _chance(session, of)

    def half(level: str, at: float) -> float:
        return NORMAL * (own.of((level, at)) or 0.0)

    known: dict[str, Any] = {"own_error": len(own.copies) >= FEWEST}
    known["by_persons"] = chance is not None
    if isinstance(view, SurvivalView):
        curves = tuple(it.widened(half, chance) for it in view.curves)
        return replace(view, curves=curves, **known)
    series = tuple(it.widened(view.starts, half, chance) for it in view.series)
    return replace(view, series=series, **known)


def _chance(session: DerivedCopy, halves: Callable[..., Figures]) -> Chance | None:
    """Return halves of intervals by person; None where each row is a person of its own."""
    if session.whole.persons is None:
        return None
    known = halves(session.whole, by_persons=True)
    return lambda level, at: known.get((level, at))


def _of_survival(
    table: WholeTable, view: SurvivalView, panel: Panel, *, by_persons: bool = False
) -> Figures:
    """Return each curve's estimate at the times at which it falls, or half of its interval."""
    time, event = view.columns
    part = columns_of_copy(table, [time], [event, view.by, panel[0]])
    times, words, persons = part.copy.columns[time], part.copy.strata[event], part.persons
    known = (times >= 0) & ~is_word(words, "")
    happened = is_word(words, *view.event_is)
    out: dict[object, float] = {}
    for curve in view.curves:
        here = known & _of_level(part, view.by, curve.level) & _of_level(part, *panel)
        falls = curve.times[1:]
        if not falls or not here.any():
            continue
        if by_persons and persons is not None:
            at = np.array(falls)
            errors = log_minus_log_errors(times[here], happened[here], persons[here], at)
            numbers = NORMAL * errors
        else:
            numbers = log_minus_log(times[here], happened[here], falls)
        out |= _finite(curve.level, falls, numbers)
    return out


def _over_time(
    table: WholeTable, view: OverTimeView, panel: Panel, *, by_persons: bool = False
) -> Figures:
    """Return the mean of each period of each line, or half of its interval by person."""
    date, value = view.columns
    part = columns_of_copy(table, [date, value], [view.by, panel[0]])
    times, values, persons = part.copy.columns[date], part.copy.columns[value], part.persons
    places = np.searchsorted(view.starts, times, "right") - 1
    known = np.isfinite(times) & np.isfinite(values) & (places >= 0)
    out: dict[object, float] = {}
    for line in view.series:
        here = known & _of_level(part, view.by, line.level) & _of_level(part, *panel)
        if not by_persons or persons is None:
            means = means_by(places[here], values[here], len(view.starts))[0]
            out |= _finite(line.level, view.starts, means)
            continue
        for at in np.unique(places[here]).tolist():
            rows = here & (places == at)
            ends = interval_of(values[rows], persons=persons[rows])
            if ends is not None:
                out[line.level, view.starts[at]] = (ends[1] - ends[0]) / 2
    return out


def _of_level(part: WholeTable, name: str | None, level: str) -> NDArray[np.bool_]:
    if not name:
        return np.ones(len(part), dtype=np.bool_)
    return is_word(part.copy.strata[name], level)


def _finite(level: str, places: Sequence[float], numbers: Floats) -> dict[object, float]:
    """Return those numbers of a level that are known, by their places."""
    each = zip(places, numbers.tolist(), strict=True)
    return {(level, at): number for at, number in each if math.isfinite(number)}


# --- bars and counts ----------------------------------------------------------------------------


class _Bar(NamedTuple):
    """The share of rows that a bar holds: of how many, and how many of equal weight say as much."""

    share: float
    of: float
    rows: float

    @property
    def chance(self) -> float:
        """The variance that chance gives the share."""
        return self.share * (1 - self.share) / self.rows


Key = tuple[object, ...]
Bars = dict[Key, _Bar]
Values = Sequence[object] | Labels
"""A column whose different values make bars: words, or the places of bins."""


def bars_said(session: DerivedCopy, request: PlotRequest, view: View) -> tuple[str, ...]:
    """Say by how much the bars of a view, or its counts over time, may be off; else nothing.

    Bars are shares, and off by percentage points; counts are off by rows. The variance that the
    copy adds is pooled: that of all bars as a share of what chance makes of them. What is said is
    that of the bar which is known least.
    """
    one = view
    while isinstance(one, MultiplesView | PanelsView):  # bins and periods are the same in all
        one = next(it for it in one.views if it is not None)
    over_time = isinstance(one, OverTimeView) and not one.of_means
    if not isinstance(request.plot, BarChart | HistogramPlot) and not over_time:
        return ()
    read = partial(_bars, request=request, view=one)
    own = own_errors(session, lambda table: {bar: it.share for bar, it in read(table).items()})
    bars = read(session.whole)
    ratio = _added(own, bars)
    if ratio is None:
        return ()
    errors = {bar: math.sqrt((1 + ratio) * it.chance) for bar, it in bars.items()}
    if over_time:
        off = max(error * bars[bar].of for bar, error in errors.items())
        said = f"counts may be off by up to {rounded_words(NORMAL * off)}"
    else:
        most = rounded_words(100 * NORMAL * max(errors.values()))
        said = f"bars may be off by up to {most} points"
    return (f"{said} (sampling error and the copy's own error)",)


def _added(own: OwnErrors, bars: Bars) -> float | None:
    """Return the variance that the copy adds, as a share of that of chance; None if not known."""
    known = {bar: error for bar in bars if (error := own.of(bar)) is not None}
    of_known = math.fsum(bars[bar].chance for bar in known)
    if len(own.copies) < FEWEST or not of_known:
        return None
    return math.fsum(it**2 for it in known.values()) / of_known


def _bars(table: WholeTable, request: PlotRequest, view: View) -> Bars:
    """Return the bars of rows: each as a share of its panel, or of the level that it is a part of.

    Counts of levels of two columns, and over time, are shares of all rows that are drawn together.
    """
    (column,), plot = request.columns, request.plot
    by, counted, weighted_by = plot.by_names, isinstance(plot, BarChart), plot.get("weights")
    numbers, levels = ([], [column, *by]) if counted else ([column], [*by])
    part = columns_of_copy(table, numbers, levels)
    weights = None
    if weighted_by is not None:
        part = part.rows(weighed(part.copy, part.raw, weighted_by).places)
        weights = part.copy.columns[weighted_by]
    words = part.copy.strata
    first: list[Values] = [words[it] for it in by[:1]]
    second: list[Values] = [words[it] for it in by[1:]]
    if counted:
        group, bar = ([*first, *second], []) if plot.get("percent") else (second, first)
        return _shares(group, [words[column], *bar], weights, part.persons)
    values = part.copy.columns[column]
    if isinstance(view, OverTimeView):
        ends = edges_of(np.array(view.starts), view.every)
        group, bar = second, [_bins(values, ends, closed=False), *first]
    else:
        ends = np.array(view.edges if isinstance(view, HistogramView) else ())
        group, bar = [*first, *second], [_bins(values, ends)]
    return _shares(group, bar, weights, part.persons, lambda it: -1 not in it and "" not in it)


def _bins(values: Floats, ends: Floats, *, closed: bool = True) -> Labels:
    """Return in which bin each value lies; -1 of one that lies in none, or is missing.

    The last end belongs to the last bin where this is `closed`.
    """
    places = np.searchsorted(ends, values, "right") - 1
    inside = (values >= ends[0]) & (values < ends[-1])
    if closed:
        places[values == ends[-1]] = len(ends) - 2
        inside |= values == ends[-1]
    bins: Labels = np.where(inside, places, -1)
    return bins


def _shares(
    group: Sequence[Values],
    bar: Sequence[Values],
    weights: Floats | None = None,
    persons: Labels | None = None,
    drawn: Callable[[Key], bool] = lambda _: True,
) -> Bars:
    """Return which share of each group's rows each bar has, and how many rows the group has.

    Where people have several rows, as many rows say as much as are worth it by person.

    Examples
    --------
    >>> bars = _shares([["f", "f", "m"]], [["a", "b", "a"]])
    >>> [(bar, it.share, it.rows) for bar, it in bars.items()]
    [(('f', 'a'), 0.5, 2.0), (('f', 'b'), 0.5, 2.0), (('m', 'a'), 1.0, 1.0)]
    """
    values, of_rows = zip(*(_coded(it) for it in (*group, *bar)), strict=True)
    sizes = [len(it) for it in values]
    places = np.ravel_multi_index(of_rows, sizes)
    together = pa.array(places).dictionary_encode()  # which does not sort, as np.unique does
    found = zip(*np.unravel_index(together.dictionary.to_numpy(), sizes), strict=True)
    # The combinations of values that there are, and which of them each row has.
    keys = [tuple(of[i] for of, i in zip(values, at, strict=True)) for at in found]
    codes: Labels = together.indices.to_numpy()
    sums = np.bincount(codes, weights, len(keys))
    groups: dict[Key, list[int]] = {}
    for code, key in enumerate(keys):
        if drawn(key):
            groups.setdefault(key[: len(group)], []).append(code)
    out = Bars()
    for theirs in groups.values():
        total = math.fsum(sums[theirs])
        worth = [total] * len(theirs)  # each row is one person's, and counts as one
        if persons is not None or weights is not None:
            worth = _worth(codes, theirs, total, weights, persons)
        each = zip(theirs, worth, strict=True)
        out |= {keys[code]: _Bar(float(sums[code]) / total, total, rows) for code, rows in each}
    return out


def _coded(values: Values) -> tuple[Sequence[object], Labels]:
    """Return the values that there are, and of each row the place of its own."""
    if isinstance(values, CodedWords):
        return values.names, values.codes.astype(np.intp)
    found = pa.array(values).dictionary_encode()
    return found.dictionary.to_pylist(), found.indices.to_numpy()


def _worth(
    codes: Labels,
    theirs: Sequence[int],
    total: float,
    weights: Floats | None,
    persons: Labels | None,
) -> list[float]:
    """Return for each bar of a group how many rows of equal weight say as much of its share."""
    here = np.isin(codes, theirs)
    if persons is not None:
        bars = np.searchsorted(theirs, codes[here])  # codes of a group rise
        of = None if weights is None else weights[here]
        worth: list[float] = rows_worth_of_bars(bars, persons[here], of).tolist()
        return worth
    return [total if weights is None else rows_worth(weights[here])] * len(theirs)
