"""Counts, or means of a number, over time: by day, week, month, quarter or year."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from itertools import groupby, pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats
from discreet.columns.countable import Countable
from discreet.errors import InputError, RefusedError
from discreet.plots.curves import LEAST_ROWS, Chance, Own, intervals_for, left_out, shown_levels
from discreet.plots.facets import PanelsView
from discreet.plots.periods import AUTO, EVERY, STEP, Periods, divided, in_part, words_of
from discreet.plots.plot import BY, COUNTS, ROWS, By, How, Plot, column, setting
from discreet.plots.view import WHERE_SAID, Origin, Tidy, View
from discreet.render.scene import Axis, Bands, Lines, Panel, Scene

LEVEL = 0.975
"""The interval of a mean lies between the quantiles 1 - LEVEL and LEVEL of t."""
FEW = 50
"""Points of fewer rows are called rough."""
MOST_MARKED = 100
"""More points on one line stand too close for a mark at each."""
MOST_NAMED = 8
"""So many periods at most are named one by one on the axis."""
LEAST_WHOLE = 3
"""Periods that are covered in part are left off where at least so many others are drawn."""
BEYOND = 3
"""So many times k people at most have a date beyond either end of the copy: its end stands on the
farthest k to 2 k, and is drawn in by as much as k more."""
ABOVE = 1.05
NARROW = 0.15
"""So far to each side of a mean between gaps its interval is shaded, in periods."""


@dataclass(frozen=True)
class Series:
    """What one level has in each period.

    Parameters
    ----------
    level : str
        The level of `by`, or empty.
    counts : tuple of int
        How many rows each period has; of means those with a value.
    means, low, high : tuple of float or None
        The mean and the ends of its interval of 95 %, None where it is of fewer than ten rows;
        empty where rows are counted.
    """

    level: str
    counts: tuple[int, ...]
    means: tuple[float | None, ...] = ()
    low: tuple[float | None, ...] = ()
    high: tuple[float | None, ...] = ()

    def widened(self, starts: Sequence[float], own: Own, chance: Chance | None = None) -> Series:
        """Return the series with the copy's own error in its intervals, or other chance."""
        ends: list[tuple[float | None, float | None]] = []
        for start, mean, low in zip(starts, self.means, self.low, strict=True):
            if mean is None or low is None:
                ends.append((None, None))
                continue
            of = None if chance is None else chance(self.level, start)
            half = math.hypot(mean - low if of is None else of, own(self.level, start))
            ends.append((mean - half, mean + half))
        low_ends, high_ends = zip(*ends, strict=True)
        return replace(self, low=low_ends, high=high_ends)

    def pieces(self) -> Iterator[list[int]]:
        """Yield the places of periods between gaps, as one line goes through them."""
        heights = self.means or self.counts
        for known, piece in groupby(range(len(heights)), lambda at: heights[at] is not None):
            if known:
                yield [*piece]


@dataclass(frozen=True, kw_only=True, repr=False)
class OverTimeView(View):
    """A line over time for each level: how many rows, or the mean of a column.

    Parameters
    ----------
    every : str
        How long a period is; "step" of a column of whole numbers, such as years.
    starts : tuple of float
        The first day of each period, in days since 1970-01-01; of whole numbers each of them.
        There is none left out between the first and the last.
    series : tuple of Series
        What each level has.
    by : str or None
        The column whose levels have a line each.
    partly, partly_drawn : tuple of str
        The first and last period, where the dates do not reach to their outer ends: those that are
        left off, and those that are drawn all the same.
    few, others : tuple of str
        Levels that are not drawn: of fewer than ten rows, and beyond the twelve largest.
    own_error : bool
        Whether the intervals hold how far the copy is off.
    by_persons : bool
        Whether chance in them is that of people, who have several rows.
    """

    kind: ClassVar[str] = "over_time"

    every: str
    starts: tuple[float, ...]
    series: tuple[Series, ...]
    by: str | None = None
    partly: tuple[str, ...] = ()
    few: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    partly_drawn: tuple[str, ...] = field(default=(), metadata=WHERE_SAID)
    own_error: bool = field(default=False, metadata=WHERE_SAID)
    by_persons: bool = field(default=False, metadata=WHERE_SAID)

    def __post_init__(self) -> None:
        lengths = {len(it.counts) for it in self.series}
        of_mean = [part for it in self.series for part in (it.means, it.low, it.high)]
        lengths |= {len(part) for part in of_mean if self.of_means or part}
        if lengths != {len(self.starts)} or any(a >= b for a, b in pairwise(self.starts)):
            raise InputError("a view over time has a number for each of its periods, which rise")

    @property
    def of_means(self) -> bool:
        """Whether means are drawn, and not counts."""
        return len(self.columns) > 1

    def tidy(self) -> Tidy:
        """Return a row for each period of each line."""
        lines = self.series
        found: Tidy = [(self.columns[0], self.values(self.columns[0], self.starts * len(lines)))]
        if self.by is not None:
            found.append((self.by, [it.level for it in lines for _ in self.starts]))
        found.append(("count", [n for it in lines for n in it.counts]))
        if self.of_means:
            found += [
                ("mean", [n for it in lines for n in it.means]),
                ("low", [n for it in lines for n in it.low]),
                ("high", [n for it in lines for n in it.high]),
            ]
        return found

    def scene(self) -> Scene:
        """Return a line for each level, with a point for each period; means in their intervals."""
        look = "series" if len(self.starts) <= MOST_MARKED else "curve"
        marks: list[Bands | Lines] = []
        for it in self.series if self.of_means else ():
            marks.append(self._band(it))
        for it in self.series:
            heights = _heights(it, it.means or it.counts)
            marks.append(Lines(self._across(it), heights, look, it.level))
        if self.of_means:
            y = Axis(f"mean of {self.label(self.columns[1])}")
        else:
            most = max(count for it in self.series for count in it.counts)
            y = Axis(f"{self.origin.counted}{self._a_period}", (0.0, ABOVE * max(most, 1)))
        legend = "" if self.by is None else self.label(self.by)
        of_by = self.levels_of(self.by)
        panel = Panel(tuple(marks), self._across_axis(), y, legend=legend, order=of_by)
        return Scene((panel,), notes=(*self.notes(), *self._signs()))

    def describe(self) -> str:
        """Say what is shown, and of each line from when to when it goes and of how many rows."""
        lines = [super().describe()]
        first, last = (self._words(start) for start in (self.starts[0], self.starts[-1]))
        for it in self.series:
            name = f"{it.level}: " if it.level else ""
            many = f"{sum(it.counts):,} rows, at most {max(it.counts):,} {self._in_one}"
            lines.append(f"{name}{many}, from {first} to {last}")
        return "\n".join(lines)

    def _across_axis(self) -> Axis:
        """Return the axis of time, on which few periods are named where they are drawn."""
        found = replace(
            self.axis(self.columns[0], self.starts, label=self._label), whole=self.every == STEP
        )
        if found.dates and len(self.starts) <= MOST_NAMED:
            found = replace(
                found,
                dates=tuple((at, self._words(at).removeprefix("week of ")) for at in self.starts),
            )
        return found

    @property
    def _in_one(self) -> str:
        return f"for one {self.columns[0]}" if self.every == STEP else f"in one {self.every}"

    @property
    def _a_period(self) -> str:
        return "" if self.every == STEP else f" a {self.every}"

    @property
    def _label(self) -> str:
        date = self.label(self.columns[0])
        return date if self.every == STEP else f"{date} ({self.every})"

    def _words(self, start: float) -> str:
        return f"{start:.7g}" if self.every == STEP else words_of(start, self.every)

    def _across(self, it: Series) -> tuple[tuple[float, ...], ...]:
        return tuple(tuple(self.starts[at] for at in piece) for piece in it.pieces())

    def _band(self, it: Series) -> Bands:
        """Return the intervals of the means; that of a mean between gaps is a narrow band."""
        x, low, high = self._across(it), _heights(it, it.low), _heights(it, it.high)
        narrow = NARROW * min((b - a for a, b in pairwise(self.starts)), default=1.0)
        return Bands(
            tuple(at if len(at) > 1 else (at[0] - narrow, at[0] + narrow) for at in x),
            tuple(at if len(at) > 1 else 2 * at for at in low),
            tuple(at if len(at) > 1 else 2 * at for at in high),
            it.level,
        )

    def _signs(self) -> tuple[str, ...]:
        copied = self.origin.counted == "protected rows"
        rows = "rows of the copy" if copied else "records"
        said = []
        if self.of_means:
            held = intervals_for(self.origin.counted, self.own_error, self.by_persons)
            said.append(f"shaded: 95 % intervals; of each mean, {held} (t)")
            gaps = sum(it.means.count(None) for it in self.series)
            if gaps:
                said.append(f"gaps: means of fewer than {LEAST_ROWS} {rows} are not drawn")
        dates = "dates of the copy" if copied else "dates"
        for periods, what in ((self.partly, "left out, as"), (self.partly_drawn, "drawn, though")):
            if periods:
                said.append(f"{what} the {dates} cover it in part: {' and '.join(periods)}")
        rough = [
            0 < count < FEW
            for it in self.series
            for at, count in enumerate(it.counts)
            if not self.of_means or it.means[at] is not None
        ]
        if any(rough):
            said.append(f"rough, with fewer than {FEW} {rows}: {sum(rough)} of {len(rough)} points")
        said += left_out(self.few, self.others)
        divided = () if self.by is None else (f"one line for each level of {self.label(self.by)}",)
        return (*divided, *said)

    def _subject(self) -> str:
        date, *values = self.columns
        period = "" if self.every == STEP else f", by {self.every}"
        return f"{f'mean of {values[0]}' if values else 'counts'} over {date}{period}"


def _heights(
    it: Series, of: Sequence[float | None] | Sequence[int]
) -> tuple[tuple[float, ...], ...]:
    """Return the heights of the pieces of a line."""
    return tuple(tuple(_known(of[at]) for at in piece) for piece in it.pieces())


def _known(height: float | None) -> float:
    if height is None:
        raise InputError("the ends of the interval of a mean are known where the mean is")
    return float(height)


def check_times(columns: Sequence[str], values: Floats, every: str, dates: Sequence[str]) -> None:
    """Refuse columns that no line over time can be drawn of; the first has dates or years."""
    date, *value = columns
    if dated := [name for name in value if name in dates]:
        raise InputError(
            f"column {dated[0]!r} holds dates, which have no mean here; name a column of numbers",
            parameter="columns",
            rule="times",
        )
    known = values[np.isfinite(values)]
    if len(known):
        divided(known, date, every, dated=date in dates)


def periods_for(days: Floats, plot: OverTimePlot, how: How, *, dated: bool) -> tuple[str, Periods]:
    """Divide time into periods; that of a part of the rows into those of all."""
    if plot.periods is not None:
        every, periods = plot.periods
        return every, replace(periods, places=np.searchsorted(periods.starts, days, "right") - 1)
    beyond = BEYOND * how.k if how.of_copy else 0
    return divided(days, plot.names[0], plot.every, dated=dated, beyond=beyond)


def _series(
    level: str,
    here: NDArray[np.bool_],
    values: Floats | None,
    periods: Periods,
    kept: NDArray[np.intp],
) -> Series:
    """Return the counts, or the means, of the rows of one level in the periods that are drawn."""
    places, size = periods.places[here], len(periods.starts)
    counts = np.bincount(places, minlength=size)
    if values is None:
        return Series(level, tuple(counts[kept].tolist()))
    means, halves = means_by(places, values[here], size)
    drawn = (counts >= LEAST_ROWS) & np.isfinite(means) & np.isfinite(halves)
    ends = (means, means - halves, means + halves)
    mean, low, high = (
        tuple(float(of[at]) if drawn[at] else None for at in kept.tolist()) for of in ends
    )
    return Series(level, tuple(counts[kept].tolist()), mean, low, high)


def means_by(places: NDArray[np.int64], values: Floats, size: int) -> tuple[Floats, Floats]:
    """Return the mean of the values at each place, and half of its interval of 95 % by t.

    Both are not a number where there are fewer than two values.

    Examples
    --------
    >>> means, halves = means_by(np.array([0, 0, 0, 2]), np.array([1.0, 2.0, 3.0, 9.0]), 3)
    >>> means.round(3).tolist(), halves.round(3).tolist()
    ([2.0, nan, nan], [2.484, nan, nan])
    """
    from scipy.special import stdtrit

    counts = np.bincount(places, minlength=size).astype(float)
    counts[counts < 2] = np.nan
    with np.errstate(over="ignore", invalid="ignore"):
        means = np.bincount(places, values, size) / counts
        squares = np.bincount(places, (values - means[places]) ** 2, size)
        errors = np.sqrt(squares / (counts - 1) / counts)
        return means, stdtrit(counts - 1, LEVEL) * errors


def _rows_drawn(it: Series) -> int:
    """Count the rows that the points of a line stand on."""
    return sum(
        count for at, count in enumerate(it.counts) if not it.means or it.means[at] is not None
    )


@dataclass(frozen=True)
class OverTimePlot(Plot[OverTimeView | PanelsView]):
    """Draw how many rows there are in each period of time, or the mean of a column in each.

    Parameters
    ----------
    date : str
        A column of dates, or one of whole numbers, such as years.
    value : str, optional
        A continuous column whose mean is drawn; without it rows are counted.
    by : str or pair of str, optional
        A categorical column: a line for each of its levels of at least 10 rows; of more than 12
        levels for those with the most rows. The others are named below the plot. Of two, the levels
        of the first have a line in a panel for each of the second; what has fewer than 50 rows is
        not drawn.
    every : {"auto", "day", "week", "month", "quarter", "year"}, default "auto"
        How long a period is: "auto" is the shortest of which there are at most 60. Weeks begin on
        Mondays. Whole numbers are their own periods; of years "year" may be said.

    Returns
    -------
    OverTimeView, or PanelsView by two columns
        `starts`: the first day of each period, in days since 1970-01-01, or the whole numbers, none
        left out from the first to the last. `series`: for each level its counts, its means and the
        ends of their intervals of 95 % (by t), None where a period has fewer than 10 rows with a
        value. `partly`: the first and the last period, where the dates do not reach to their outer
        ends, and counts are not drawn; `partly_drawn`: where they are, or means, as fewer than
        three other periods would be left, or a mean does not fall there.

    Raises
    ------
    InputError
        Also if `date` holds neither dates nor whole numbers, or there are more than 1,000 periods.
    RefusedError
        Also if no point has 10 rows.

    Notes
    -----
    Computed from rows of the copy of the whole table, so it teaches nothing that the copy does not.
    A period without rows has a count of 0, and a gap in place of a mean. In the copy dates are
    means of some people's dates: a peak of a few days is flatter than in the data. Intervals are
    for the population: they include sampling error and the copy's own error, as far as copies of
    it are from it (`own_error`).

    Examples
    --------
    >>> import datetime, discreet as dc, pyarrow as pa
    >>> first = datetime.date(2020, 1, 1)
    >>> days = [first + datetime.timedelta(days=i % 730) for i in range(1460)]
    >>> study = dc.open(pa.table({"visit": days, "score": [float(i % 7) for i in range(1460)]}))
    >>> view = study.over_time("visit", "score", every="quarter")
    >>> view.every, 6 <= len(view.starts) <= 8, 2 < view.series[0].means[0] < 4
    ('quarter', True, True)
    """

    name = "over_time"
    title = "Over time"
    noun = "plot over time"
    says = "How many there are, or the mean of a number, by day, week, month, quarter or year."
    methods = ("none",)
    method = "none"
    sources = (COUNTS,)
    divided = (ROWS, COUNTS)

    date: str = field(metadata=column("Dates, or whole numbers such as years."))
    value: str | None = field(default=None, metadata=column("The column whose mean is drawn."))
    _: KW_ONLY
    by: By | None = field(default=None, metadata=BY)
    every: str = field(
        default=AUTO,
        metadata=setting(
            "word",
            "How long a period is; auto is the shortest that gives at most 60.",
            choices=(AUTO, *EVERY),
        ),
    )
    periods: tuple[str, Periods] | None = field(default=None, repr=False)
    """Those of all that are drawn beside this one."""

    def on_axes_of(self, values: Floats, how: How, *, dated: bool) -> OverTimePlot:
        """Return the plot of a part, in the periods of all."""
        return replace(self, periods=periods_for(values, self, how, dated=dated))

    def from_counts(self, table: Countable, how: How, origin: Origin) -> OverTimeView:
        """Draw counts or means of the rows of the copy; under `research` of the raw records."""
        date, *value = self.names
        rows = table.rows([*self.names], [] if self.by_name is None else [self.by_name])
        check_times(self.names, rows.numbers[date], self.every, origin.dates)
        every, periods = periods_for(rows.numbers[date], self, how, dated=date in origin.dates)
        of = np.array(
            ("",) * len(periods.places) if self.by_name is None else rows.texts[self.by_name]
        )
        order = () if self.by_name is None else table.columns[self.by_name].order
        drawn, few, others = shown_levels(of.tolist(), order)
        parts = in_part(periods)
        # A mean does not fall where a period is covered in part, as a count does.
        off = () if value or len(periods.starts) - len(parts) < LEAST_WHOLE else parts
        kept = np.setdiff1d(np.arange(len(periods.starts)), np.array(off, dtype=np.intp))
        numbers = rows.numbers[value[0]] if value else None
        series = [_series(name, of == name, numbers, periods, kept) for name in drawn]
        shown = sum(_rows_drawn(it) for it in series)
        if not shown:
            raise RefusedError(
                f"no point has {LEAST_ROWS} rows; take longer periods (every='year'), another "
                "column, or leave by= out"
            )
        names = tuple(words_of(float(periods.starts[at]), every) for at in parts)
        return OverTimeView(
            **self.made(how, replace(origin, shown=shown, total=table.size)),
            every=every,
            starts=tuple(periods.starts[kept].tolist()),
            series=tuple(series),
            by=self.by_name,
            partly=names if off else (),
            partly_drawn=() if off else names,
            few=few,
            others=others,
        )
