"""What a board suggests to look at first: pictures of the copy, each with a sentence.

They are chosen by rule. Two columns are related as far as their ranks are correlated (numbers,
dates), as the correlation ratio of ranks (a number by levels) or Cramer's V (levels by levels) say:
all three go from 0 to 1. What counts is the lower end of the interval of that strength, so that few
rows and chance suggest nothing. The interval holds the copy's own error, and allows for how many
pairs were looked at. The figures of a sentence have intervals of their own.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from discreet.arguments import Floats, Labels
from discreet.columns.words import counts_of, each_as
from discreet.errors import InputError, RefusedError
from discreet.estimates.intervals import FEWEST as FEWEST_COPIES
from discreet.estimates.intervals import NORMAL, OwnErrors, error_by_persons
from discreet.estimates.units import unit_in
from discreet.estimates.words import decimals_of_error, number_words
from discreet.explore.derived import DerivedCopy
from discreet.explore.from_copy import WholeTable
from discreet.explore.own_errors import LOST, own_errors
from discreet.plots.bars import BarChart
from discreet.plots.box import BoxPlot
from discreet.plots.correlations import CorrelationPlot
from discreet.plots.ecdf import EcdfPlot
from discreet.plots.over_time import OverTimePlot
from discreet.plots.parallel import ParallelPlot
from discreet.plots.plot import Plot
from discreet.plots.scatter import ScatterPlot
from discreet.plots.survival import SurvivalPlot, SurvivalView, event_of
from discreet.plots.view import PUBLIC_ROWS

MOST, FEWEST_SUGGESTED = 6, 4
MOST_RELATIONS = 4
MOST_OF_COLUMN, MOST_OF_KIND = 2, 2
"""So many relations of one column, and of one kind of picture, are suggested."""
LEAST = 0.1
"""A strength that may be less than this is not worth a picture (Cohen 1988: small)."""
ALIKE = 0.95
"""Two columns that are related by more say the same in two ways."""
CHANCE = 0.05
"""With this probability noise alone has a relation suggested, whatever the number of pairs."""
MOST_ROWS = 20_000
"""The first so many rows of the copy say which pairs are suggested."""
MOST_LEVELS = 12
MOST_CODES = 6
"""So many whole numbers at most are levels: classes, grades or stages."""
LEAST_ROWS = 50
"""A level of fewer rows is not compared."""
MOST_COLUMNS = 60
MOST_AXES = 6

TIMES = re.compile(r"time|follow|surviv|durat|until|observ|month|day|week|pfs|ttd", re.I)
EVENTS = re.compile(r"die|dead|death|deceas|event|status|relap|recur|fail|progress|censor", re.I)
"""What names of times and of events have in them: survival curves need to know which is which."""

NUMBER, DATE, LEVEL = "number", "date", "level"


def suggestions(of: DerivedCopy) -> list[dict[str, Any]]:
    """Return four to six pictures to look at first: each as a board has it, and a sentence."""
    if not of.policy.fixed:
        return []
    names = _Names(of)
    found = _of_survival(of, names)
    found += _chosen(_relations(of, names, [it.columns for it in found]), names)
    found += _overviews(of, names, found)
    return [{"spec": it.spec, "says": it.says} for it in found[:MOST]]


class Suggestion(NamedTuple):
    """A picture that is suggested, and its sentence."""

    spec: Mapping[str, Any]
    says: str

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns in it."""
        return (*self.spec["columns"], *self.spec.get("by", ()))


def _spec(
    plot: type[Plot[Any]], *columns: str, by: str | None = None, **more: Any
) -> dict[str, Any]:
    return {"kind": plot.name, "columns": [*columns], **({"by": [by]} if by else {}), **more}


class _Names:
    """The columns that are looked at: of which kind each is, and what it is called in sentences."""

    def __init__(self, of: DerivedCopy) -> None:
        self._of, self.first = of, of.whole.rows(np.arange(min(MOST_ROWS, len(of.whole))))
        kinds = {name: self._kind(name) for name in [*of.whole.drawable][:MOST_COLUMNS]}
        self.kinds: dict[str, str] = {name: it for name, it in kinds.items() if it}

    def of_kind(self, kind: str) -> list[str]:
        return [name for name, it in self.kinds.items() if it == kind]

    def _kind(self, name: str) -> str | None:
        if name in self._of.whole.withheld:
            return None
        values = self.first.copy.columns.get(name)
        if values is None:
            return LEVEL if 2 <= self._levels(self.first.copy.strata[name]) <= MOST_LEVELS else None
        there = np.unique(values[np.isfinite(values)])
        if name in self._of.dates:
            return DATE if len(there) > 1 else None
        if len(there) <= MOST_CODES and (there % 1 == 0).all():  # 0 and 1, or classes
            levels = self._levels(_words(self.first, name)) if len(there) > 1 else 0
            return LEVEL if levels >= 2 else None
        return NUMBER if len(there) > 1 else None

    @staticmethod
    def _levels(words: Sequence[str]) -> int:
        return sum(count >= LEAST_ROWS for word, count in counts_of(words).items() if word)

    def say(self, name: str) -> str:
        """Return what a column is called, without its unit."""
        label = self._of.labels.get(name, name)
        unit = self._unit(name)
        at = label.rfind(unit) if unit else -1
        return label if at < 1 else label[: at - 1].rstrip()

    def _unit(self, name: str) -> str | None:
        label = self._of.labels.get(name, name)
        return unit_in(label, declared=name in (self._of.policy.labels or {}))

    def amount(self, name: str, decimals: int | None, value: float) -> str:
        """Return an amount of a column with its unit."""
        unit = "days" if self.kinds[name] == DATE else self._unit(name)
        return " ".join([_number(value, decimals), *([unit] if unit else [])])


def _number(value: float, decimals: int | None) -> str:
    return number_words(value, decimals).replace("-", "\u2212")


# --- how strongly two columns are related -------------------------------------------------------


class Strength(NamedTuple):
    """How strongly two columns are related in some rows.

    `square` times the rows is distributed as chi-square with `freedom` degrees where the columns
    have nothing to do with each other; divided by `most`, it is at most 1.
    """

    square: float
    freedom: int
    most: int
    rows: int
    sign: float = 1.0

    @property
    def size(self) -> float:
        """The strength, from 0 to 1."""
        return math.sqrt(self.square / self.most)

    def worth(self, people: float, own: float) -> float:
        """Return how many independent rows say as much: the copy's own error counts as chance.

        Examples
        --------
        >>> round(Strength(0.04, 1, 1, 400).worth(1.0, 0.05))
        200
        """
        return 1 / (1 / max(self.rows * people, 1) + own**2)

    def low(self, worth: float, chance: float) -> float:
        """Return the lower end of its interval, one-sided, of so many independent rows.

        Of the noncentral chi-square (Smithson, *Confidence intervals*, 2003, chapter 4).

        Examples
        --------
        >>> related = Strength(0.04, 1, 1, 400)
        >>> round(related.low(400, 0.025), 2), related.low(50, 0.025)
        (0.1, 0.0)
        """
        from scipy.special import chndtrinc

        beyond = float(chndtrinc(worth * self.square, self.freedom, 1 - chance))
        return math.sqrt(beyond / worth / self.most) if beyond > 1e-9 else 0.0


def strength(x: Floats, y: Floats, levels: tuple[int, int] = (0, 0)) -> Strength | None:
    """Return how strongly two columns are related; None where too few rows have both.

    Of ranks, or of places of so many `levels`; NaN where there is none.

    Examples
    --------
    >>> ranks, codes = np.arange(100.0), np.repeat([0.0, 1.0], 50)
    >>> [round(strength(x, y, n).size, 3) for x, y, n in (
    ...     (ranks, -ranks, (0, 0)), (ranks, codes, (0, 2)), (codes, codes, (2, 2)))]
    [1.0, 0.866, 1.0]
    """
    if levels[0] and not levels[1]:
        return strength(y, x, (0, levels[0]))
    both = np.isfinite(x) & np.isfinite(y)
    rows = int(both.sum())
    if rows < LEAST_ROWS:
        return None
    if rows < len(x):
        x, y = x[both], y[both]
    if levels[0]:
        return _of_levels(x.astype(np.intp), y.astype(np.intp), levels)
    x = x - x.mean()
    whole = _dot(x, x)
    if not levels[1]:
        y = y - y.mean()
        of = math.sqrt(whole * _dot(y, y))
        r = _dot(x, y) / of if of else 0.0
        return Strength(min(r * r, 1.0), 1, 1, rows, math.copysign(1.0, r)) if of else None
    codes = y.astype(np.intp)
    counts, sums = np.bincount(codes), np.bincount(codes, x)
    there = counts > 0
    if there.sum() < 2 or not whole:
        return None
    between = float((sums[there] ** 2 / counts[there]).sum())
    return Strength(min(between / whole, 1.0), int(there.sum()) - 1, 1, rows)


def _dot(x: Floats, y: Floats) -> float:
    return float((x * y).sum())  # by one thread: a server has others


def _of_levels(x: Labels, y: Labels, levels: tuple[int, int]) -> Strength | None:
    counts = np.bincount(x * levels[1] + y, minlength=levels[0] * levels[1]).reshape(levels)
    counts = counts[counts.any(axis=1)][:, counts.any(axis=0)]
    if min(counts.shape) < 2:
        return None
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0))
    square = max(float((counts**2 / expected).sum()) - 1, 0.0)
    less = [it - 1 for it in counts.shape]
    return Strength(square, less[0] * less[1], min(less), int(counts.sum()))


def _words(table: WholeTable, name: str) -> tuple[str, ...]:
    """Return a column as levels: numbers of few values, too."""
    coded = table.with_levels([name])
    if name not in coded.copy.strata:
        raise RefusedError(f"a copy of the copy has lost {name!r}")
    return coded.copy.strata[name]


def _coded(table: WholeTable, name: str, kind: str) -> tuple[Floats, int]:
    """Return ranks, or places of levels that are common; and how many levels there are."""
    from scipy.stats import rankdata

    if kind != LEVEL:
        values = table.copy.columns.get(name)
        if values is None:
            raise RefusedError(f"a copy of the copy has lost {name!r}")
        ranks: Floats = rankdata(values, nan_policy="omit")
        return np.where(np.isfinite(values), ranks, math.nan), 0
    coded = pa.array(_words(table, name)).dictionary_encode()
    codes, words = coded.indices.to_numpy().astype(float), coded.dictionary.to_pylist()
    counts = np.bincount(coded.indices.to_numpy(), minlength=len(words))
    few = [i for i, word in enumerate(words) if not word or counts[i] < LEAST_ROWS]
    codes[np.isin(codes, few)] = math.nan
    return codes, len(words)


Pair = tuple[str, str]


def _strengths(
    table: WholeTable, kinds: Mapping[str, str], pairs: Sequence[Pair]
) -> dict[Pair, Strength]:
    coded = {name: _coded(table, name, kinds[name]) for name in {it for two in pairs for it in two}}
    found: dict[Pair, Strength] = {}
    for a, b in pairs:
        (x, n), (y, m) = coded[a], coded[b]
        it = strength(x, y, (n, m))
        if it is not None:
            found[a, b] = it
    return found


@dataclass(frozen=True)
class _Relations:
    """Pairs of columns that are related, the strongest first, and what sentences are made of."""

    of: DerivedCopy
    ranked: tuple[Pair, ...]
    worth: Mapping[Pair, float]
    strengths: Mapping[Pair, Strength]


def _relations(of: DerivedCopy, names: _Names, drawn: Sequence[tuple[str, ...]]) -> _Relations:
    """Return pairs that are related; not those that are drawn together, or made of one another."""
    beneath = {name: {*of.whole.beneath([name])} for name in names.kinds}
    pairs = [
        (a, b)
        for a, b in combinations(names.kinds, 2)
        if not (beneath[a] & beneath[b] or names.kinds[a] == names.kinds[b] == DATE)
        and not any({a, b} <= {*it} for it in drawn)
    ]
    people, chance = _people(of.whole), CHANCE / max(len(pairs), 1)
    found = _strengths(names.first, names.kinds, pairs)
    likely = [
        pair
        for pair, it in found.items()
        if it.size < ALIKE and it.low(it.worth(people, 0.0), chance) >= LEAST
    ]
    own = _own(of, names.kinds, [*found]) if likely else {}
    worth = {pair: found[pair].worth(people, own[pair]) for pair in likely if pair in own}
    lows = {pair: found[pair].low(it, chance) for pair, it in worth.items()}
    ranked = sorted((it for it in lows if lows[it] >= LEAST), key=lambda it: (-lows[it], it))
    return _Relations(of, tuple(ranked), worth, found)


def _people(whole: WholeTable) -> float:
    """Return how many people there are for each row: chance is theirs."""
    persons = whole.persons
    return 1.0 if persons is None else len(np.unique(persons)) / len(persons)


def _own(of: DerivedCopy, kinds: Mapping[str, str], pairs: Sequence[Pair]) -> dict[Pair, float]:
    """Return the copy's own errors of strengths, of those pairs of which they are known.

    A few copies may lie near to each other by chance: no pair's error is below that of all pairs.
    """
    if of.rows_are == PUBLIC_ROWS:
        return dict.fromkeys(pairs, 0.0)

    def squares(table: WholeTable) -> dict[object, float]:
        found = _strengths(table, kinds, pairs)
        return {pair: math.sqrt(it.square) for pair, it in found.items()}

    known = own_errors(of, squares)
    errors = {pair: error for pair in pairs if (error := known.of(pair)) is not None}
    usual = _usual(errors.values())
    return {pair: LOST * max(error, usual) for pair, error in errors.items()}


def _usual(errors: Iterable[float]) -> float:
    """Return the root of the mean square of some errors; 0 of none."""
    squares = [it * it for it in errors]
    return math.sqrt(math.fsum(squares) / len(squares)) if squares else 0.0


# --- sentences ----------------------------------------------------------------------------------


def _chosen(related: _Relations, names: _Names) -> list[Suggestion]:
    """Return relations with a sentence, the strongest first, and not all of the same columns."""
    found: list[Suggestion] = []
    seen: Counter[str] = Counter()  # of columns, and of kinds of pictures
    for pair in related.ranked:
        if len(found) == MOST_RELATIONS or max(seen[it] for it in pair) >= MOST_OF_COLUMN:
            continue
        made = _sentence(related, names, pair)
        if made is not None and seen[made.spec["kind"]] < MOST_OF_KIND:
            found.append(made)
            seen.update([*pair, made.spec["kind"]])
    return found


def _sentence(related: _Relations, names: _Names, pair: Pair) -> Suggestion | None:
    kinds = names.kinds
    # Numbers are compared between levels, and stand over dates.
    first, second = sorted(pair, key=lambda it: [NUMBER, DATE, LEVEL].index(kinds[it]))
    if kinds[second] != LEVEL:
        return _of_ranks(related, names, pair, (first, second))
    if kinds[first] != LEVEL:
        return _of_means(related.of, names, first, second)
    return _of_shares(related.of, names, *_outcome_first(related.of.whole, first, second))


def _of_ranks(related: _Relations, names: _Names, pair: Pair, of: Pair) -> Suggestion:
    """Say how two numbers go together, or a number and time."""
    it, worth = related.strengths[pair], related.worth[pair]
    r, half = math.atanh(it.sign * it.size), NORMAL / math.sqrt(max(worth - 3, 1))
    low, high = (_number(math.tanh(r + side * half), 2) for side in (-1, 1))
    shown = f"rank correlation {_number(it.sign * it.size, 2)}, 95 % interval {low} to {high}"
    first, second = of
    if names.kinds[second] == DATE:
        goes = "rises" if it.sign > 0 else "falls"
        says = f"{names.say(first)} {goes} over time, by {names.say(second)} ({shown})."
        return Suggestion(_spec(OverTimePlot, second, first), says)
    x, y = pair
    beside = "higher" if it.sign > 0 else "lower"
    says = f"Where {names.say(x)} is higher, {names.say(y)} is {beside} ({shown})."
    return Suggestion(_spec(ScatterPlot, x, y), says)


class _Difference(NamedTuple):
    """The levels with the highest and the lowest mean, these, and an interval of the difference."""

    highest: str
    lowest: str
    means: tuple[float, float]
    low: float
    high: float


def _of_means(of: DerivedCopy, names: _Names, value: str, by: str) -> Suggestion | None:
    it = _difference(of, lambda table: table.copy.columns[value], by)
    if it is None:
        return None
    decimals = decimals_of_error(5 * (it.high - it.low))  # one digit of half of the interval
    is_date = names.kinds[value] == DATE
    more = "later" if is_date else "higher"
    apart = names.amount(value, decimals, it.means[0] - it.means[1])
    ends = f"{_number(it.low, decimals)} to {_number(it.high, decimals)}"
    says = (
        f"Where {names.say(by)} is {it.highest}, {names.say(value)} is {more}: {apart} "
        f"{'later' if is_date else 'more'} on average than where it is {it.lowest} "
        f"(95 % interval {ends})."
    )
    spec = _spec(OverTimePlot, value, by=by) if is_date else _spec(BoxPlot, value, by=by)
    return Suggestion(spec, says)


def _outcome_first(whole: WholeTable, first: str, second: str) -> Pair:
    """Return the column whose share is compared, and that by which it is."""
    sizes = [len({*_words(whole, it)} - {""}) for it in (first, second)]
    certain = [_yes(whole, it) is not None for it in (first, second)]
    swapped = (not certain[1], sizes[1]) < (not certain[0], sizes[0])
    return (second, first) if swapped else (first, second)


def _yes(whole: WholeTable, name: str) -> str | None:
    """Return the level that is yes of yes and no, or 1 of 0 and 1; None of other columns."""
    with suppress(InputError):
        return event_of(sorted({*_words(whole, name)} - {""}), None, name)[0]
    return None


def _of_shares(of: DerivedCopy, names: _Names, value: str, by: str) -> Suggestion | None:
    counts = counts_of(_words(of.whole, value))
    level = _yes(of.whole, value) or min({*counts} - {""}, key=lambda it: (-counts[it], it))

    def holds(table: WholeTable) -> Floats:
        words = _words(table, value)
        return each_as(words, {level: 1.0, "": math.nan}, 0.0, np.float64)

    it = _difference(of, holds, by)
    if it is None:
        return None
    shares = [f"{100 * mean:.0f} %" for mean in it.means]
    points = [f"{100 * end:.0f}" for end in (it.means[0] - it.means[1], it.low, it.high)]
    says = (
        f"Where {names.say(by)} is {it.highest}, {names.say(value)} is more often {level}: "
        f"{shares[0]}, against {shares[1]} where it is {it.lowest} ({points[0]} points more, "
        f"95 % interval {points[1]} to {points[2]})."
    )
    return Suggestion(_spec(BarChart, value, by=by, percent=True), says)


def _difference(of: DerivedCopy, values_of: Any, by: str) -> _Difference | None:
    """Return how far the extreme levels are apart; None where the interval holds 0.

    It allows for how many pairs of levels there are, as the extreme ones were chosen among them.
    """
    from scipy.special import ndtri

    def means(table: WholeTable) -> dict[object, float]:
        return {level: float(it.mean()) for level, it in _groups(values_of(table), table, by)}

    whole, persons = of.whole, of.whole.persons
    groups = dict(_groups(values_of(whole), whole, by))
    public = of.rows_are == PUBLIC_ROWS
    own = OwnErrors({}, (), 1.0) if public else own_errors(of, means)
    if len(groups) < 2 or (len(own.copies) < FEWEST_COPIES and not public):
        return None
    ordered = sorted(groups, key=lambda it: (-float(groups[it].mean()), it))
    ends = (ordered[0], ordered[-1])
    off = LOST * _usual(error for it in groups if (error := own.of(it)) is not None)
    people = {} if persons is None else dict(_groups(values_of(whole), whole, by, persons))
    errors = [_error(groups[it], people.get(it)) for it in ends]
    wide = -float(ndtri(CHANCE / (len(groups) * (len(groups) - 1))))
    half = wide * math.hypot(*errors, off, off)
    top, bottom = (float(groups[it].mean()) for it in ends)
    apart = top - bottom
    return _Difference(*ends, (top, bottom), apart - half, apart + half) if apart > half else None


def _error(values: Floats, persons: Any) -> float:
    if persons is not None:
        return error_by_persons(values, persons)[0]
    return float(values.std(ddof=1)) / math.sqrt(len(values))


def _groups(
    values: Floats, table: WholeTable, by: str, give: Any = None
) -> Iterator[tuple[str, Any]]:
    """Return what is known of each level of enough rows: its values, or what else is given."""
    coded = pa.array(_words(table, by)).dictionary_encode()
    codes, known = coded.indices.to_numpy(), np.isfinite(values)
    for code, level in enumerate(coded.dictionary.to_pylist()):
        here = known & (codes == code)
        if level and here.sum() >= LEAST_ROWS:
            yield level, (values if give is None else give)[here]


# --- survival, and overviews --------------------------------------------------------------------


def _of_survival(of: DerivedCopy, names: _Names) -> list[Suggestion]:
    """Suggest survival curves where names say which column is a time and which its event."""
    times = [it for it in names.of_kind(NUMBER) if TIMES.search(f"{it} {of.labels.get(it, '')}")]
    levels = [it for it in names.of_kind(LEVEL) if EVENTS.search(f"{it} {of.labels.get(it, '')}")]
    events = [it for it in levels if _yes(of.whole, it)]
    if not (times and events):
        return []
    time, event = times[0], events[0]
    try:
        view = of.draw(SurvivalPlot(time, event))
    except (InputError, RefusedError):
        return []
    if not isinstance(view, SurvivalView):
        return []
    curve = view.curves[0]
    at = int(np.searchsorted(curve.times, curve.end / 2, "right")) - 1
    known = [curve.shares[at], curve.low[at], curve.high[at]]
    if any(it is None for it in known):
        return []
    share, high, low = (f"{100 * (1 - it):.0f}" for it in known if it is not None)
    when = names.amount(time, 0 if curve.end > 10 else 1, curve.times[at])
    says = (
        f"At {names.say(time)} {when}, {names.say(event)} is {_yes(of.whole, event)} for an "
        f"estimated {share} % (95 % interval {low} to {high})."
    )
    return [Suggestion(_spec(SurvivalPlot, time, event), says)]


def _overviews(of: DerivedCopy, names: _Names, found: Sequence[Suggestion]) -> list[Suggestion]:
    """Return pictures that say nothing of relations, as many as are wanting."""
    made: list[Suggestion] = []
    dates = [it for it in names.of_kind(DATE) if not any(it in of.columns for of in found)]
    for date in dates[:1]:
        with suppress(InputError, RefusedError):
            of.draw(OverTimePlot(date))
            says = f"How many rows there are over time, by {names.say(date)}."
            made.append(Suggestion(_spec(OverTimePlot, date), says))
    axes = [it for it in names.kinds if names.kinds[it] != DATE][:MOST_AXES]
    if len(axes) > 2:
        says = f"{len(axes)} columns side by side, each row a line through all of them."
        made.append(Suggestion(_spec(ParallelPlot, *axes), says))
    numbers, levels = names.of_kind(NUMBER), names.of_kind(LEVEL)
    if len(numbers) > 2:
        says = "How closely each two numbers are related."
        made.append(Suggestion(_spec(CorrelationPlot, *numbers[: 2 * MOST_AXES]), says))
    made += [
        Suggestion(
            _spec(EcdfPlot, it), f"Which share of rows has {names.say(it)} up to each value."
        )
        for it in numbers[:1]
    ]
    made += [
        Suggestion(_spec(BarChart, it), f"How many rows there are of each {names.say(it)}.")
        for it in levels[:1]
    ]
    # A curve over time is wanted in any case; the others fill up.
    wanted = max(FEWEST_SUGGESTED - len(found), min(len(dates), 1))
    return made[:wanted]
