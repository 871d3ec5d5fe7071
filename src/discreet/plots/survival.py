"""The survival curve: which share has not had the event by each time (Kaplan and Meier)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from itertools import islice, pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats
from discreet.columns import Rows
from discreet.columns.countable import Countable
from discreet.columns.grids import ArrayRows
from discreet.errors import InputError, RefusedError, some_of
from discreet.expressions import NO_AND_YES
from discreet.levels import in_order
from discreet.plots.counts import Levels, check_few, codes_as_words
from discreet.plots.curves import Chance, Own, intervals_for
from discreet.plots.facets import PanelsView
from discreet.plots.plot import BY, COUNTS, ROWS, AnsweredCells, By, How, Plot, column, setting
from discreet.plots.view import WHERE_SAID, Origin, Tidy, View
from discreet.render.scene import Axis, Bands, Beneath, Lines, Panel, Scene

LEAST_AT_RISK = 10
"""A curve ends where fewer rows than this are at risk: each would be a large step."""
MOST_CURVES = 12
MOST_STEPS = 1000
MOST_TIMES = 6
NORMAL = 1.959963984540054
"""The standard normal quantile of an interval of 95 %."""
MOST = 700.0
"""exp() of more has no number."""


@dataclass(frozen=True)
class SurvivalCurve:
    """The curve of one level: the share without the event from each time on, in its interval.

    Parameters
    ----------
    level : str
        The level of `by`, or empty.
    rows, events : int
        How many rows it is of, and how many of them have the event.
    times : tuple of float
        When it falls, rising; the first is 0. Of very many the last of each thousandth of the axis.
    shares, low, high : tuple of float
        The share from each of the times on, and the ends of its interval of 95 %.
    end : float
        The last time at which enough rows are at risk: the curve is not drawn beyond.
    at_risk : tuple of int
        How many rows are at risk at each of the view's `places`.
    """

    level: str
    rows: int
    events: int
    times: tuple[float, ...]
    shares: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    end: float
    at_risk: tuple[int, ...]

    def __post_init__(self) -> None:
        if not len(self.times) == len(self.shares) == len(self.low) == len(self.high) > 0:
            raise InputError("a survival curve has a share, and an interval, for each of its times")
        if any(a > b for a, b in pairwise(self.times)) or self.end < self.times[-1]:
            raise InputError("the times of a survival curve rise up to its end")

    def widened(self, own: Own, chance: Chance | None = None) -> SurvivalCurve:
        """Return the curve with the copy's own error, and perhaps another chance, in its intervals.

        Both are of log(-log(share)), as the intervals are.
        """
        low, high = [self.low[0]], [self.high[0]]
        each = zip(self.times, self.shares, self.low, self.high, strict=True)
        for at, share, *ends in islice(each, 1, None):
            if 0 < share < 1:
                of = None if chance is None else chance(self.level, at)
                alone = _half(share, *ends) if of is None else of
                half = math.hypot(alone, own(self.level, at))
                ends = [share ** math.exp(min(half, MOST)), share ** math.exp(-half)]
            elif share <= 0:
                ends = [0.0, high[-1]]  # not defined: to where it reached before
            low.append(ends[0])
            high.append(ends[1])
        return replace(self, low=tuple(low), high=tuple(high))

    def steps(self, heights: Sequence[float]) -> tuple[float, ...]:
        """Return how high the corners of a line in steps are."""
        return tuple(np.repeat(heights, 2).tolist())

    @property
    def corners(self) -> tuple[float, ...]:
        """Where the corners of a line in steps stand."""
        return tuple(np.repeat((*self.times, self.end), 2)[1:-1].tolist())


@dataclass(frozen=True, kw_only=True, repr=False)
class SurvivalView(View):
    """Survival curves, one for each level, and how many rows are at risk.

    Parameters
    ----------
    event_is : tuple of str
        The levels of the second column that are the event.
    by : str or None
        The column whose levels have a curve each.
    curves : tuple of SurvivalCurve
        The curves.
    places : tuple of float
        The times at which the curves say how many rows are at risk.
    own_error : bool
        Whether the intervals hold how far the copy is off.
    by_persons : bool
        Whether chance in them is that of people, who have several rows.
    """

    kind: ClassVar[str] = "survival"

    event_is: tuple[str, ...]
    by: str | None
    curves: tuple[SurvivalCurve, ...]
    places: tuple[float, ...]
    own_error: bool = field(default=False, metadata=WHERE_SAID)
    by_persons: bool = field(default=False, metadata=WHERE_SAID)

    def __post_init__(self) -> None:
        if not self.curves or any(len(it.at_risk) != len(self.places) for it in self.curves):
            raise InputError("a view of survival has a curve, and rows at risk at each place")

    def tidy(self) -> Tidy:
        """Return a row for each time at which a curve falls, with the ends of its interval."""
        found: Tidy = []
        if self.by is not None:
            found.append((self.by, [it.level for it in self.curves for _ in it.times]))
        times = [time for it in self.curves for time in it.times]
        return [
            *found,
            (self.columns[0], self.values(self.columns[0], times)),
            ("share", [n for it in self.curves for n in it.shares]),
            ("low", [n for it in self.curves for n in it.low]),
            ("high", [n for it in self.curves for n in it.high]),
        ]

    def scene(self) -> Scene:
        """Return a line in steps for each level, in the band of its interval."""
        marks: list[Bands | Lines] = []
        for it in self.curves:
            low, high = it.steps(it.low), it.steps(it.high)
            marks.append(Bands((it.corners,), (low,), (high,), it.level))
        marks += [
            Lines((it.corners,), (it.steps(it.shares),), "curve", it.level) for it in self.curves
        ]
        end = max(*(it.end for it in self.curves), self.places[-1])
        panel = Panel(
            marks=tuple(marks),
            x=Axis(
                self.label(self.columns[0]), (0.0, end if end > 0 else 1.0), beneath=self._at_risk()
            ),
            y=Axis("share without the event", (0.0, 1.0)),
            legend="" if self.by is None else self.label(self.by),
            order=self.levels_of(self.by),
        )
        return Scene((panel,), notes=(*self.notes(), *self._signs()))

    def describe(self) -> str:
        """Say what is shown, and of each curve how many rows and events it is of."""
        lines = [super().describe()]
        for it in self.curves:
            name = f"{it.level}: " if it.level else ""
            median = next((t for t, s in zip(it.times, it.shares, strict=True) if s <= 0.5), None)
            half = "not reached" if median is None else f"{median:.7g}"
            lines.append(f"{name}{it.rows:,} rows, {it.events:,} with the event; median {half}")
        return "\n".join(lines)

    def _at_risk(self) -> tuple[Beneath, ...]:
        names = [it.level or "at risk" for it in self.curves]
        rows = [
            Beneath(
                name, tuple((t, f"{n:,}") for t, n in zip(self.places, it.at_risk, strict=True))
            )
            for name, it in zip(names, self.curves, strict=True)
        ]
        return (*([] if self.by is None else [Beneath("at risk")]), *rows)

    def _signs(self) -> tuple[str, ...]:
        of = "rows of the copy" if self.origin.counted == "protected rows" else "records"
        held = intervals_for(self.origin.counted, self.own_error, self.by_persons)
        how = "linearised" if self.by_persons else "Greenwood"
        return (
            f"shaded: 95 % intervals; at each time, {held} ({how}, log minus log)",
            f"curves end below {LEAST_AT_RISK} {of} at risk",
        )

    def _subject(self) -> str:
        time, event = self.columns
        return f"survival over {time} until {event} = {' or '.join(self.event_is)}"


def product_limit(
    times: Floats, happened: NDArray[np.bool_], least: int = 1
) -> tuple[Floats, Floats, Floats, Floats]:
    """Estimate which share has not had an event, by Kaplan and Meier's product limit.

    Returned are when the estimate falls, after a first time of 0; the share from then on; and the
    ends of its pointwise interval of 95 % (Greenwood's variance on the scale of log(-log(share))).
    It ends where fewer than `least` are at risk. Who is observed no longer than until a time is at
    risk at that time, and events come before ends of observation. Where the share is 0 the interval
    is from 0 to where it reached before. Kaplan and Meier (1958); Kalbfleisch and Prentice (1980).

    Examples
    --------
    >>> ends = np.array([1.0, 2.0, 2.0, 3.0, 5.0])
    >>> at, shares, low, high = product_limit(ends, np.array([True, True, False, True, False]))
    >>> at.tolist(), shares.round(3).tolist()
    ([0.0, 1.0, 2.0, 3.0], [1.0, 0.8, 0.6, 0.3])
    """
    at, events = np.unique(times[happened], return_counts=True)
    at_risk = _at_risk(times, at)
    kept = at_risk >= least
    at, events, at_risk = at[kept], events[kept], at_risk[kept]
    shares = np.cumprod(1 - events / at_risk)
    some = shares > 0  # of a rising sequence of times, all but perhaps the last
    variance = np.cumsum(events[some] / (at_risk[some] * (at_risk[some] - events[some])))
    half = NORMAL * np.sqrt(variance) / -np.log(shares[some])
    low, high = np.zeros(len(at)), np.zeros(len(at))
    low[some], high[some] = shares[some] ** np.exp(half), shares[some] ** np.exp(-half)
    high[~some] = high[some][-1] if some.any() else 1.0
    first = np.ones(1)
    return (
        np.concatenate([[0.0], at]),
        np.concatenate([first, shares]),
        np.concatenate([first, low]),
        np.concatenate([first, high]),
    )


def log_minus_log(times: Floats, happened: NDArray[np.bool_], at: Sequence[float]) -> Floats:
    """Return log(-log(share)) of the product limit at some times.

    Shares of 0 and 1 have none: they count as half a row from either.

    Examples
    --------
    >>> ends = np.array([1.0, 2.0, 3.0, 4.0])
    >>> log_minus_log(ends, np.array([True, True, True, False]), [0.5, 1.0, 2.5]).round(3).tolist()
    [-2.013, -1.246, -0.367]
    """
    fell, shares, _, _ = product_limit(times, happened)
    reached = shares[np.searchsorted(fell, at, "right") - 1]
    least = 0.5 / len(times)
    found: Floats = np.log(-np.log(np.clip(reached, least, 1 - least)))
    return found


def _half(share: float, low: float, high: float) -> float:
    """Return how long the half of an interval is on the scale of log(-log(share)).

    Examples
    --------
    >>> round(_half(0.5, 0.5 ** math.exp(0.2), 0.5 ** math.exp(-0.2)), 12)
    0.2
    """
    if low > 0:
        return math.log(math.log(low) / math.log(share))
    return math.log(math.log(share) / math.log(high)) if 0 < high < 1 else MOST


def _at_risk(times: Floats, at: Floats) -> NDArray[np.intp]:
    """Count those who are observed until each of some times, or longer."""
    return len(times) - np.searchsorted(np.sort(times), at)


def event_of(
    names: Sequence[str], event_is: object, column: str, *, told: bool = True
) -> tuple[str, ...]:
    """Say which of a column's levels are the event, or refuse what is not clear.

    Where the caller says nothing it is 1 of 0 and 1, yes of no and yes, and true of false and true.
    `told` is whether a refusal may name the levels: those of a copy may be.

    Examples
    --------
    >>> event_of(["0", "1"], None, "died"), event_of(["0", "1", "2"], [1, 2], "status")
    (('1',), ('1', '2'))
    """
    there = f"; there are {some_of(names)}" if told else ""
    asked = values_named(event_is)
    if asked:
        known = {_plain(name): name for name in names}
        if unknown := [it for it in asked if _plain(it) not in known]:
            says = f"event_is: {unknown[0]!r} is not a level of {column!r}{there}"
            raise InputError(says, parameter="event_is")
        return tuple(dict.fromkeys(known[_plain(it)] for it in asked))
    for pair in NO_AND_YES:
        found = {name.casefold(): name for name in names}
        if len(names) == 2 and {*found} == {*pair}:
            return (found[pair[1]],)
    raise InputError(
        f"it is not clear which values of {column!r} are the event; name them: event_is='...' "
        f"(on the command line --event-is), one or several of its levels{there}",
        parameter="event_is",
    )


def too_many_values(column: str) -> InputError:
    """Return the refusal of numbers that are no codes."""
    return InputError(
        f"column {column!r} has too many different values to be an event; name a column of levels,"
        " or of a few codes",
        parameter="columns",
        rule="event",
    )


def values_named(event_is: object) -> tuple[str, ...]:
    """Return the values of an event as they were named, as texts; none where none was."""
    given: Sequence[object] = ()
    if event_is is not None:
        listed = isinstance(event_is, Sequence) and not isinstance(event_is, str)
        given = event_is if listed else [event_is]  # type: ignore[assignment]
    if not all(isinstance(it, str | int | float) for it in given):
        says = "event_is is a level of the event's column, or a list of levels"
        raise InputError(says, parameter="event_is")
    return tuple(str(it) for it in given)


def _plain(value: str) -> str:
    """Write a number in one way, and true and false as a column of them has it."""
    if value in ("True", "False"):
        return value.lower()
    try:
        return f"{float(value):.15g}"
    except ValueError:
        return value


def _curves(
    rows: Rows,
    happened: NDArray[np.bool_],
    plot: SurvivalPlot,
    origin: Origin,
    order: Sequence[str],
) -> tuple[tuple[SurvivalCurve, ...], tuple[float, ...], Origin]:
    """Return a curve for each level of enough rows, and say what is left out."""
    times, said = rows.numbers[plot.names[0]], []
    known = times >= 0
    if not known.all():
        said.append(f"rows of a negative {plot.names[0]} are left out: {(~known).sum():,}")
    levels = np.array(("",) * len(times) if plot.by_name is None else rows.texts[plot.by_name])
    names = in_order(levels.tolist(), order)
    check_few([Levels(names, {})], MOST_CURVES, plot.by_name or "")
    parts = {name: known & (levels == name) for name in names}
    large = {name: part for name, part in parts.items() if part.sum() >= LEAST_AT_RISK}
    if not large:
        raise RefusedError(
            f"fewer than {LEAST_AT_RISK} rows have a time and an event; draw another column, or"
            " leave by= out"
        )
    if small := len(parts) - len(large):
        which = "a level" if small == 1 else f"{small} levels"
        said.append(f"{which} of fewer than {LEAST_AT_RISK} rows not drawn")
    ends = {name: _end(times[part]) for name, part in large.items()}
    places = _round_places(max(plot.until, *ends.values()))
    found = tuple(
        _curve(name, times[part], happened[part], ends[name], places)
        for name, part in large.items()
    )
    return found, places, replace(origin, remarks=(*origin.remarks, *said))


def _end(times: Floats) -> float:
    """Return the last time at which enough rows are at risk."""
    return float(np.sort(times)[-LEAST_AT_RISK])


def _curve(
    level: str, times: Floats, happened: NDArray[np.bool_], end: float, places: tuple[float, ...]
) -> SurvivalCurve:
    at, shares, low, high = product_limit(times, happened, LEAST_AT_RISK)
    if len(at) > MOST_STEPS:  # what stands in one thousandth of the axis is not told apart
        cell = np.minimum(np.floor(at / end * MOST_STEPS), MOST_STEPS - 1)
        kept = np.append(np.diff(cell) > 0, True) | (np.arange(len(at)) == 0)
        at, shares, low, high = (part[kept] for part in (at, shares, low, high))
    return SurvivalCurve(
        level=level,
        rows=len(times),
        events=int(happened.sum()),
        times=tuple(at.tolist()),
        shares=tuple(shares.tolist()),
        low=tuple(low.tolist()),
        high=tuple(high.tolist()),
        end=end,
        at_risk=tuple(_at_risk(times, np.array(places)).tolist()),
    )


LARGEST = 1e290


def _round_places(end: float) -> tuple[float, ...]:
    """Return round times from 0 up to an end.

    Examples
    --------
    >>> _round_places(23.0), _round_places(0.0)
    ((0.0, 5.0, 10.0, 15.0, 20.0), (0.0,))
    """
    if not end > 1 / LARGEST:  # steps of less have no digits
        return (0.0,)
    power = 10.0 ** np.floor(np.log10(end / MOST_TIMES))
    step = next(s * power for s in (1, 2, 5, 10) if end / (s * power) <= MOST_TIMES)
    return tuple(float(f"{i * step:.12g}") for i in range(int(end / step + 1e-9) + 1))


@dataclass(frozen=True)
class SurvivalPlot(Plot[SurvivalView | PanelsView]):
    """Draw which share has not had the event by each time, by Kaplan and Meier.

    Parameters
    ----------
    time : str
        A continuous column: how long each was observed. Rows of a negative time are left out.
    event : str
        Whether that ended with the event or with the end of observation: a column of levels, or of
        codes, numbers of which there are 30 different ones at most.
    by : str or pair of str, optional
        A categorical column: a curve for each of its levels of at least 10 rows, 12 at most. Of
        two, the levels of the first have a curve in a panel for each of the second; what has fewer
        than 50 rows is not drawn.
    event_is : str or number, or a sequence of them, optional
        The values of `event` that are the event, all others being the end of observation. Without
        it 1 of 0 and 1, yes of no and yes, true of false and true.

    Returns
    -------
    SurvivalView, or PanelsView by two columns
        `curves`: of each level when its curve falls, the share from then on, and the ends of its
        interval of 95 % (Greenwood's variance, on the scale of log(-log(share))). `places`: round
        times, for which each curve says how many rows are at risk.

    Raises
    ------
    InputError
        Also if which values are the event is not clear, or `event_is` names another; the message
        names the levels of the copy.
    RefusedError
        Also if no curve has 10 rows.

    Notes
    -----
    Computed from rows of the copy of the whole table, so it teaches nothing that the copy does not.
    A curve ends where fewer than 10 rows are at risk. Intervals are for the population: at each
    time they hold chance among so many rows and how far the copy is off, as far as copies of it are
    from it (`own_error`). Kaplan and Meier (1958).

    Examples
    --------
    >>> import discreet as dc, pyarrow as pa
    >>> weeks = [float(1 + 7 * i % 40) for i in range(200)]
    >>> died = ["yes" if i % 3 else "no" for i in range(200)]
    >>> study = dc.open(pa.table({"weeks": weeks, "died": died}))
    >>> (curve,) = study.survival("weeks", "died").curves
    >>> curve.shares[0], 0.0 < curve.low[-1] <= curve.shares[-1] < 0.5
    (1.0, True)
    """

    name = "survival"
    title = "Survival curves"
    noun = "survival curve"
    says = "The share without the event by each time."
    methods = ("none",)
    method = "none"
    sources = (COUNTS,)
    divided = (ROWS, COUNTS)
    answered = "steps"

    time: str = field(metadata=column("How long each person was observed."))
    event: str = field(metadata=column("Whether it ended with the event.", "any"))
    _: KW_ONLY
    by: By | None = field(default=None, metadata=BY)
    event_is: str | float | Sequence[str | float] | None = field(
        default=None,
        metadata=setting(
            "words",
            "The values of the event column that are the event; known of 0 and 1, no and yes.",
        ),
    )
    until: float = field(default=0.0, repr=False)
    """When the last curve ends of those that are drawn beside this one."""

    def on_axes_of(self, values: Floats, how: How, *, dated: bool) -> SurvivalPlot:
        """Return the plot of a part, whose axis ends with that of all."""
        return replace(self, until=max(0.0, _end(values)))

    def from_cells(self, cells: AnsweredCells, how: How, origin: Origin) -> SurvivalView | None:
        """Draw curves of people whose time ended in each step, with the event or without it.

        They stand at the end of their step; of steps whose number is not given nobody does.
        """
        if len(self.by_names) > 1 or not cells.given[..., 1].any():
            return None
        counts = np.where(cells.given, cells.counts, 0)
        *of_by, ends, _ = np.indices(counts.shape)
        times = np.repeat(np.array(cells.edges[-2])[1:][ends.ravel()], counts.ravel())
        happened = np.repeat(np.indices(counts.shape)[-1].ravel(), counts.ravel())
        event = ["event" if it else "none" for it in happened.tolist()]
        words: dict[str, Sequence[str]] = {self.event: event}
        for name, labels, places in zip(self.by_names, cells.labels[:-2], of_by, strict=True):
            found = np.repeat(places.ravel(), counts.ravel()).tolist()
            words[name] = [labels[place] for place in found]
        rows = ArrayRows({self.time: times}, words)
        return replace(self, event_is=("event",)).from_counts(rows, how, origin)

    def from_counts(self, table: Countable, how: How, origin: Origin) -> SurvivalView:
        """Draw the curves of the rows of the copy; under `research` of the raw records."""
        time, event = self.names
        if dated := [name for name in self.names if name in origin.dates]:
            raise InputError(
                f"column {dated[0]!r} holds dates; a survival curve needs the time that each "
                "person was observed, as a number, such as days between two dates"
            )
        coded = table.columns[event].kind == "continuous"
        texts = [*([] if coded else [event]), *([] if self.by_name is None else [self.by_name])]
        rows = table.rows([time, *([event] if coded else [])], texts)
        words = codes_as_words(rows.numbers[event]) if coded else rows.texts[event]
        if words is None:
            raise too_many_values(event)
        told = how.of_copy
        is_event = event_of(
            in_order(words, table.columns[event].order), self.event_is, event, told=told
        )
        order = () if self.by_name is None else table.columns[self.by_name].order
        happened = np.isin(words, is_event)
        curves, places, origin = _curves(rows, happened, self, origin, order)
        shown = sum(it.rows for it in curves)
        return SurvivalView(
            **self.made(how, replace(origin, shown=shown, total=table.size)),
            event_is=is_event,
            by=self.by_name,
            curves=curves,
            places=places,
        )
