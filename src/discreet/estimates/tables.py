"""Tables of figures of rows: a table 1 (`summary_of`), and means or shares by columns of levels.

Rows come in as arrays, a table goes out as figures and as words; whose rows they are is for the
caller to say.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels
from discreet.columns.words import coded, counts_of, each_as
from discreet.estimates.copy_table import Line
from discreet.estimates.figures import (
    MISSING,
    OF_INTERVAL,
    OF_RATIO,
    OF_SHARE,
    OF_WEIGHTS,
    Figure,
    Group,
)
from discreet.estimates.intervals import (
    NORMAL,
    OwnErrors,
    interval_of,
    mean_by,
    quantiles_by,
    rows_worth,
    rows_worth_by_persons,
    sd_by,
    share_interval,
)
from discreet.estimates.words import (
    UNKNOWN,
    count_words,
    decimals_of,
    decimals_of_error,
    decimals_of_quartiles,
    gaps_words,
    number_words,
    quartile_words,
    share_words,
    words_in_brackets,
)
from discreet.levels import in_order
from discreet.render.dates import date_words

MOST_LEVELS = 12
"""Of more levels the most frequent ones are listed, and the others in one line."""
ROWS = "rows of the copy"
MEAN_SD, INTERVAL = "mean (sd)", "95 % interval of the mean"
MEDIAN = "median (quartiles)"
OF_QUARTILES = ("lower quartile", "median", "upper quartile")
QUARTILES = (0.25, 0.5, 0.75)
HEAD = ("n, missing", "mean", "95 % interval", "sd", MEDIAN, "sum")
SHARE_HEAD = ("n, missing", "with it", "share", "95 % interval")

Value = float | str | None
Lines = Iterator[tuple[Line, list[Figure]]]


@dataclass(frozen=True, eq=False)
class RowsToDescribe:
    """Rows as columns: numbers (NaN is a gap; of `dates` they are days) and levels ("" is one).

    `ordered` has the levels of a column from first to last, where somebody says. `weights` are a
    survey's, above 0, one for each row. `persons` are whose each row is, where some have several.
    """

    numbers: Mapping[str, Floats]
    levels: Mapping[str, tuple[str, ...]]
    dates: tuple[str, ...] = ()
    ordered: Mapping[str, Sequence[str]] | None = None
    weights: Floats | None = None
    persons: Labels | None = None

    def __len__(self) -> int:
        # Of the first column: each is read when it is asked for.
        columns: tuple[Mapping[str, Sized], ...] = (self.numbers, self.levels)
        return next((len(of[name]) for of in columns for name in of), 0)

    def order_of(self, name: str) -> list[str]:
        """Return the levels that a column has, in the order in which they are listed."""
        there = {*counts_of(self.levels[name])} - {""}
        return [*in_order(there, (self.ordered or {}).get(name, ()))]

    def weight(self, places: NDArray[np.intp]) -> float:
        """Return how much weight some rows have: without weights, how many they are."""
        return len(places) if self.weights is None else float(self.weights[places].sum())


class Part(NamedTuple):
    """Rows that are described together: the levels they have, their name, and where they stand."""

    group: Group
    name: str
    places: NDArray[np.intp]


class TableBody(NamedTuple):
    """The head, lines and figures of a table, and the rows of each group."""

    head: tuple[str, ...]
    lines: tuple[Line, ...]
    figures: tuple[Figure, ...]
    sizes: tuple[tuple[str, int], ...]


class Sample(NamedTuple):
    """The known values of a column in some rows, and how many of these have none."""

    values: Floats
    missing: int
    weights: Floats | None
    persons: Labels | None

    @property
    def mean(self) -> float | None:
        """The mean; None of no values."""
        return mean_of(self.values, self.weights)

    @property
    def sd(self) -> float | None:
        """The standard deviation; None of fewer than two values."""
        return sd_of(self.values, self.weights)

    @property
    def quartiles(self) -> tuple[float | None, float | None, float | None]:
        """Lower quartile, median and upper quartile; None of no values."""
        if not self.values.size:
            return None, None, None
        if self.weights is not None:
            low, middle, high = quantiles_by(self.values, self.weights, QUARTILES)
        else:
            low, middle, high = np.quantile(self.values, QUARTILES).tolist()
        return low, middle, high

    @property
    def total(self) -> float | None:
        """The sum; None where it is too large."""
        with np.errstate(over="ignore", invalid="ignore"):
            values, weights = self.values, self.weights
            return _finite(values.sum() if weights is None else weights @ values)

    @property
    def worth(self) -> float:
        """How many rows, of equal weight and a person each, say as much of a share."""
        if not self.values.size:
            return 0.0
        if self.persons is not None:
            return rows_worth_by_persons(self.values, self.persons, self.weights)
        return float(len(self.values)) if self.weights is None else rows_worth(self.weights)

    @property
    def weighed(self) -> list[tuple[str, float | None]]:
        """The figures of its weights; none without weights."""
        if self.weights is None:
            return []
        worth = rows_worth(self.weights) if self.weights.size else None
        with np.errstate(over="ignore", invalid="ignore"):
            return [*zip(OF_WEIGHTS, (_finite(self.weights.sum()), worth), strict=True)]

    def interval(self, own: float) -> tuple[float | None, float | None]:
        """Return the ends of the interval of the mean; None where there are too few values."""
        return interval_of(self.values, self.weights, own, self.persons) or (None, None)


def sample_of(rows: RowsToDescribe, values: Floats, part: Part) -> Sample:
    """Return the values of some rows that are known, with their weights and people."""
    here = values[part.places]
    known = np.isfinite(here)
    places = part.places[known]
    weights = None if rows.weights is None else rows.weights[places]
    persons = None if rows.persons is None else rows.persons[places]
    return Sample(here[known], len(here) - len(places), weights, persons)


# --- a table 1 ----------------------------------------------------------------------------------


def summary_of(
    rows: RowsToDescribe,
    columns: Sequence[str],
    by: str | None = None,
    own: OwnErrors | None = None,
) -> TableBody:
    """Describe columns, of all rows and of those of each level of another column.

    With weights all but numbers of rows and ranges are weighted. With `own`, the copy's own error
    of each mean and share by its column, level and group, means have intervals in a line of theirs,
    and shares have some among the figures.

    Examples
    --------
    >>> rows = RowsToDescribe({"age": np.array([30.0, 40.0, 50.0, np.nan])}, {})
    >>> for line in summary_of(rows, ["age"]).lines:
    ...     print(line.name, *line.cells)
    rows of the copy 4
    n, missing 3, 1 (25.0 %)
    mean (sd) 40.0 (10.0)
    median (quartiles) 40 (35–45)
    """
    parts = parts_of(rows, by)
    sizes = [len(it.places) for it in parts]
    weight = [rows.weight(it.places) for it in parts]
    cells = [count_words(n, of, weight[-1]) for n, of in zip(sizes, weight, strict=True)]
    lines = [Line("", ROWS, (*cells[:-1], f"{len(rows):,}"))]
    figures = _figures("", None, parts, ("rows",), [(n,) for n in sizes])
    if rows.weights is not None:
        figures += _figures("", None, parts, OF_WEIGHTS[:1], [(it,) for it in weight])
    for name in columns:
        of = _levels if name in rows.levels else _days if name in rows.dates else _numbers
        for line, more in of(rows, name, parts, own):
            lines.append(line)
            figures += more
    head = tuple(it.name for it in parts)
    return TableBody(head, tuple(lines), tuple(figures), tuple(zip(head, sizes, strict=True)))


def parts_of(rows: RowsToDescribe, by: str | None) -> list[Part]:
    """Return the rows of each level, those without one, and all."""
    every = Part((), "all", np.arange(len(rows)))
    if by is None:
        return [every]
    place, codes = _codes(rows.levels[by])
    parts = [
        Part(((by, name),), name, np.flatnonzero(np.isin(codes, [place[it] for it in of])))
        for name, of in listed_levels(rows, by)
    ]
    gaps = np.flatnonzero(codes == place.get("", -1))
    return [*parts, *([Part(((by, None),), MISSING, gaps)] if gaps.size else []), every]


def _codes(words: Sequence[str]) -> tuple[dict[str, int], NDArray[np.intp]]:
    """Return the number of each word, and that of each row."""
    names, codes = coded(words)
    return {name: i for i, name in enumerate(names)}, codes.astype(np.intp)


def listed_levels(rows: RowsToDescribe, name: str) -> list[tuple[str, list[str]]]:
    """Return the names of the levels that are listed, each with its levels: the rare are one."""
    order = rows.order_of(name)
    if len(order) <= MOST_LEVELS + 1:  # one level in a line of others would be that level
        return [(it, [it]) for it in order]
    count = counts_of(rows.levels[name])
    kept = set(sorted(order, key=lambda it: (-count[it], it))[:MOST_LEVELS])
    others = [it for it in order if it not in kept]
    listed = [(it, [it]) for it in order if it in kept]
    return [*listed, (f"others ({len(others)} levels)", others)]


def _numbers(
    rows: RowsToDescribe, name: str, parts: Sequence[Part], own: OwnErrors | None
) -> Lines:
    values = rows.numbers[name]
    samples = [sample_of(rows, values, part) for part in parts]
    yield _gaps(name, parts, [len(it.values) for it in samples])
    known = values[np.isfinite(values)]
    decimals = decimals_of(sd_of(known))
    moments = [(it.mean, it.sd) for it in samples]
    cells = [
        words_in_brackets(number_words(mean, decimals), number_words(sd, decimals))
        for mean, sd in moments
    ]
    yield (Line(name, MEAN_SD, tuple(cells)), _figures(name, None, parts, ("mean", "sd"), moments))
    if own is not None:
        ends = [
            it.interval(own.of((name, None, part.group)) or 0.0)
            for it, part in zip(samples, parts, strict=True)
        ]
        names = (OF_INTERVAL[0], OF_INTERVAL[-1])
        yield (
            Line(name, INTERVAL, tuple(_interval_words(it, decimals) for it in ends)),
            _figures(name, None, parts, names, ends),
        )
    quartiles = [it.quartiles for it in samples]
    places = decimals_of_quartiles(known, [it for of in quartiles for it in of], decimals)
    yield (
        Line(name, MEDIAN, tuple(quartile_words(it, places) for it in quartiles)),
        _figures(name, None, parts, OF_QUARTILES, quartiles),
    )


def _interval_words(ends: tuple[float | None, float | None], decimals: int | None) -> str:
    known = ends if ends[0] is not None else ends[:1]
    return " to ".join(number_words(end, decimals) for end in known)


def _days(rows: RowsToDescribe, name: str, parts: Sequence[Part], _own: OwnErrors | None) -> Lines:
    samples = [sample_of(rows, rows.numbers[name], part) for part in parts]
    yield _gaps(name, parts, [len(it.values) for it in samples])
    days = []
    for it in samples:
        ends = (it.values.min(), it.values.max()) if it.values.size else (None, None)
        days.append(tuple(map(_day, (ends[0], it.quartiles[1], ends[1]))))
    cells = [words_in_brackets(middle, f"{first} to {last}") for first, middle, last in days]
    yield (
        Line(name, "median (range)", tuple(cells)),
        _figures(name, None, parts, ("first", "median", "last"), days),
    )


def _levels(rows: RowsToDescribe, name: str, parts: Sequence[Part], own: OwnErrors | None) -> Lines:
    place, codes = _codes(rows.levels[name])
    counts, weights = [], []
    for part in parts:
        here, size = codes[part.places], len(place)
        weight = None if rows.weights is None else rows.weights[part.places]
        counts.append(np.bincount(here, minlength=size).tolist())
        weights.append(np.bincount(here, weight, minlength=size).tolist())
    known, of_known = (
        [sum(n for word, n in zip(place, it, strict=True) if word) for it in each]
        for each in (counts, weights)
    )
    yield _gaps(name, parts, known)
    for level, of in listed_levels(rows, name):
        many, heavy = ([sum(it[place[w]] for w in of) for it in each] for each in (counts, weights))
        shares = [w / known if known else None for w, known in zip(heavy, of_known, strict=True)]
        pairs = [*zip(many, shares, strict=True)]
        figures = _figures(name, level, parts, ("count", "share"), pairs)
        if own is not None:
            has = np.array([np.nan if not word else float(word in of) for word in place])[codes]
            ends = [
                _share_ends(sample_of(rows, has, part), share, own.of((name, level, part.group)))
                for part, share in zip(parts, shares, strict=True)
            ]
            figures += _figures(name, level, parts, (OF_SHARE[0], OF_SHARE[-1]), ends)
        cells = [count_words(int(n), w, of) for n, w, of in zip(many, heavy, of_known, strict=True)]
        yield Line(name, level, tuple(cells)), figures


def _share_ends(
    sample: Sample, share: float | None, own: float | None
) -> tuple[float | None, float | None]:
    """Return the ends of the interval of a share of 0 and 1; None of no values."""
    worth = sample.worth
    return (None, None) if share is None or not worth else share_interval(share, worth, own or 0.0)


def _gaps(name: str, parts: Sequence[Part], known: Sequence[int]) -> tuple[Line, list[Figure]]:
    """Return how many rows of each group have a value, and how many have none."""
    pairs = [(n, len(part.places) - n) for part, n in zip(parts, known, strict=True)]
    line = Line(name, "n, missing", tuple(gaps_words(*it) for it in pairs))
    return line, _figures(name, None, parts, ("n", "missing"), pairs)


def _figures(
    name: str,
    level: str | None,
    parts: Sequence[Part],
    names: Sequence[str],
    values: Sequence[Sequence[Value]],
) -> list[Figure]:
    """Return the figures of each part, under their names."""
    return [
        Figure(name, level, part.group, figure, value)
        for part, each in zip(parts, values, strict=True)
        for figure, value in zip(names, each, strict=True)
    ]


# --- means and shares by levels -----------------------------------------------------------------


def means_of(
    rows: RowsToDescribe, value: str, by: Sequence[str], own: OwnErrors | None = None
) -> TableBody:
    """Return means of a number, by the levels of one column or of two, and of all rows.

    Intervals have the copy's `own` error of the mean of each group in them, where it is known. They
    are by person, where the rows say whose they are.

    Examples
    --------
    >>> rows = RowsToDescribe({"x": np.array([1.0, 2.0, 3.0, 7.0])}, {"g": ("a", "a", "b", "b")})
    >>> for line in means_of(rows, "x", ["g"]).lines:
    ...     print(line.name, *line.cells)
    a 2, 0 (0 %) 1.50 -4.85 to 7.85 0.71 1.5 (1.2–1.8) 3
    b 2, 0 (0 %) 5.00 -20.41 to 30.41 2.83 5.0 (4.0–6.0) 10
    all 4, 0 (0 %) 3.25 -0.93 to 7.43 2.63 2.5 (1.8–4.0) 13
    """
    values = rows.numbers[value]
    sections = _sections(rows, by)
    known = values[np.isfinite(values)]
    decimals = decimals_of(sd_of(known))
    samples = [sample_of(rows, values, part) for _, part in sections]
    quartiles = [it.quartiles for it in samples]
    of_quartiles = decimals_of_quartiles(known, [it for of in quartiles for it in of], decimals)
    # Totals of persons, and sums of whole numbers, go without decimals.
    whole = (known == np.round(known)).all() if rows.weights is None else rows.weights.min() >= 1
    of_sum = 0 if whole else decimals
    lines, figures = [], []
    for (section, part), it, middle in zip(sections, samples, quartiles, strict=True):
        low, high = it.interval(_own(own, part))
        cells = (
            gaps_words(len(it.values), it.missing),
            number_words(it.mean, decimals),
            _interval_words((low, high), decimals),
            number_words(it.sd, decimals),
            quartile_words(middle, of_quartiles),
            number_words(it.total, of_sum),
        )
        lines.append(Line(section, part.name, cells))
        named: list[tuple[str, Value]] = [
            ("n", len(it.values)),
            ("missing", it.missing),
            *zip(OF_INTERVAL, (low, it.mean, high), strict=True),
            ("sd", it.sd),
            *zip(OF_QUARTILES, middle, strict=True),
            ("sum", it.total),
            *it.weighed,
        ]
        figures += [Figure(value, None, part.group, name, number) for name, number in named]
    return TableBody(HEAD, tuple(lines), tuple(figures), _sizes(sections))


def shares_of(
    rows: RowsToDescribe, value: str, level: str, by: Sequence[str], own: OwnErrors | None = None
) -> TableBody:
    """Return which share of the rows has a level of a column, by the levels of others.

    The interval is Wilson's, of as many rows as the weights are worth; of each end the distance
    from the share has the copy's `own` error in it.

    Examples
    --------
    >>> rows = RowsToDescribe({}, {"ill": ("yes", "no", "no", ""), "g": ("a", "a", "b", "b")})
    >>> for line in shares_of(rows, "ill", "yes", ["g"]).lines:
    ...     print(line.name, *line.cells)
    a 2, 0 (0 %) 1 50.0 % 9.5 to 90.5 %
    b 1, 1 (50.0 %) 0 0 % 0.0 to 79.3 %
    all 3, 1 (25.0 %) 1 33.3 % 6.1 to 79.2 %
    """
    values = _with_level(rows, value, level).numbers[value]
    sections = _sections(rows, by)
    lines, figures = [], []
    for section, part in sections:
        it = sample_of(rows, values, part)
        n, count, mean = len(it.values), int(it.values.sum()), it.mean
        low, high = _share_ends(it, mean, _own(own, part))
        interval = UNKNOWN
        if low is not None and high is not None:
            interval = f"{100 * low:.1f} to {100 * high:.1f} %"
        share = share_words(mean or 0.0, float(n > 0))
        lines.append(
            Line(section, part.name, (gaps_words(n, it.missing), f"{count:,}", share, interval))
        )
        named: list[tuple[str, Value]] = [
            ("n", n),
            ("missing", it.missing),
            ("count", count),
            *zip(OF_SHARE, (low, mean, high), strict=True),
            *it.weighed,
        ]
        figures += [Figure(value, level, part.group, name, number) for name, number in named]
    return TableBody(SHARE_HEAD, tuple(lines), tuple(figures), _sizes(sections))


def ratios_of(
    rows: RowsToDescribe,
    value: str,
    level: str | None,
    per: str,
    by: Sequence[str],
    own: OwnErrors | None = None,
) -> TableBody:
    """Return a sum divided by that of another column, by the levels of others, and of all rows.

    What is added up is a number, or of a column of levels how many rows have one. Rows that lack
    either are left out. The interval is that of the linearised values (the delta method), whose
    mean is the ratio; the copy's `own` error is in it.

    Examples
    --------
    >>> numbers = {"days": np.array([2.0, 2.0, 4.0, 4.0])}
    >>> rows = RowsToDescribe(numbers, {"ill": ("yes", "no", "yes", "no"), "g": ("a",) * 4})
    >>> for line in ratios_of(rows, "ill", "yes", "days", ["g"]).lines:
    ...     print(line.name, *line.cells)
    a 4, 0 (0 %) 0.17 -0.16 to 0.49 2 12
    all 4, 0 (0 %) 0.17 -0.16 to 0.49 2 12
    """
    rows = rows if level is None else _with_level(rows, value, level)
    sections = _sections(rows, by)
    lines, figures = [], []
    for section, part in sections:
        above, below = _both(rows, value, per, part)
        it = _linearised(above, below)
        ends = (None, None) if it is None else it.interval(_own(own, part))
        errors = [(high - low) / NORMAL / 2 for low, high in [ends] if low is not None and high]
        decimals = decimals_of_error(errors[0]) if errors else None
        cells = (
            gaps_words(len(above.values), above.missing),
            number_words(it and it.mean, decimals),
            _interval_words(ends, decimals),
            *(number_words(x.total, _decimals_of_sum(x.values)) for x in (above, below)),
        )
        lines.append(Line(section, part.name, cells))
        named: list[tuple[str, Value]] = [
            ("n", len(above.values)),
            ("missing", above.missing),
            *zip(OF_RATIO, (ends[0], it and it.mean, ends[1]), strict=True),
            ("sum", above.total),
            *above.weighed,
        ]
        figures += [Figure(value, level, part.group, name, number) for name, number in named]
        figures.append(Figure(per, None, part.group, "sum", below.total))
    head = ("n, missing", OF_RATIO[1], "95 % interval", f"sum of {value}", f"sum of {per}")
    return TableBody(head, tuple(lines), tuple(figures), _sizes(sections))


def ratios_by_group(
    rows: RowsToDescribe, value: str, level: str | None, per: str, by: Sequence[str]
) -> dict[object, float]:
    """Return the ratio of two sums in each group of rows, and in all, as far as it is known."""
    rows = rows if level is None else _with_level(rows, value, level)
    found = {
        part.group: _linearised(*_both(rows, value, per, part)) for _, part in _sections(rows, by)
    }
    return {group: it.mean for group, it in found.items() if it is not None and it.mean is not None}


def _both(rows: RowsToDescribe, value: str, per: str, part: Part) -> tuple[Sample, Sample]:
    """Return the values of two columns in the rows of a part that have both."""
    known = np.isfinite(rows.numbers[value]) & np.isfinite(rows.numbers[per])
    above, below = (np.where(known, rows.numbers[it], np.nan) for it in (value, per))
    return sample_of(rows, above, part), sample_of(rows, below, part)


def _linearised(above: Sample, below: Sample) -> Sample | None:
    """Return values whose mean is a ratio of two sums, and varies as it; None where there is none.

    Examples
    --------
    >>> above, below = (Sample(np.array(it), 0, None, None) for it in ([1.0, 5.0], [1.0, 3.0]))
    >>> _linearised(above, below).values.tolist()  # 6 / 4, and (1 - 1.5) / 2, (5 - 4.5) / 2
    [1.25, 1.75]
    """
    mean, of = above.mean, below.mean
    if mean is None or of is None or not of > 0 or not math.isfinite(mean / of):
        return None
    return above._replace(values=mean / of + (above.values - mean / of * below.values) / of)


def _decimals_of_sum(values: Floats) -> int | None:
    return 0 if (values == np.round(values)).all() else decimals_of(sd_of(values))


def means_by_group(rows: RowsToDescribe, value: str, by: Sequence[str]) -> dict[object, float]:
    """Return the mean of a number in each group of rows, and in all, as far as it is known."""
    values = rows.numbers[value]
    means = {part.group: sample_of(rows, values, part).mean for _, part in _sections(rows, by)}
    return {group: mean for group, mean in means.items() if mean is not None}


def shares_by_group(
    rows: RowsToDescribe, value: str, level: str, by: Sequence[str]
) -> dict[object, float]:
    """Return which share of each group of rows has a level of a column, as far as it is known."""
    return means_by_group(_with_level(rows, value, level), value, by)


def _sections(rows: RowsToDescribe, by: Sequence[str]) -> list[tuple[str, Part]]:
    """Return the rows of each level, or of each pair of levels, with the section they stand in."""
    first, *others = by
    parts = parts_of(rows, first)
    if not others:
        return [("", part) for part in parts]
    within = parts_of(rows, others[0])
    return [
        (
            f"{first}: {outer.name}" if outer.group else outer.name,
            Part(
                outer.group + inner.group,
                inner.name,
                np.intersect1d(outer.places, inner.places, assume_unique=True),
            ),
        )
        for outer in parts
        for inner in within
    ]


def _sizes(sections: Sequence[tuple[str, Part]]) -> tuple[tuple[str, int], ...]:
    """Return how many rows each group has, by its name."""
    return tuple(
        (", ".join([*([section] if section else []), part.name]), len(part.places))
        for section, part in sections
    )


def _with_level(rows: RowsToDescribe, value: str, level: str) -> RowsToDescribe:
    """Return rows with 1 where they have a level of a column, 0 where another, NaN where none."""
    of = each_as(rows.levels[value], {level: 1.0, "": math.nan}, 0.0, np.float64)
    return replace(rows, numbers={**rows.numbers, value: of})


def _own(own: OwnErrors | None, part: Part) -> float:
    """Return the copy's own standard error of a group: 0 where it is not known."""
    return 0.0 if own is None else own.of(part.group) or 0.0


# --- figures ------------------------------------------------------------------------------------


def mean_of(values: Floats, weights: Floats | None = None) -> float | None:
    """Return the mean; None of no values."""
    if not values.size:
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        return _finite(values.mean() if weights is None else mean_by(values, weights))


def sd_of(values: Floats, weights: Floats | None = None) -> float | None:
    """Return the standard deviation with divisor n - 1; None of fewer than two values."""
    if values.size < 2:
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        return _finite(values.std(ddof=1) if weights is None else sd_by(values, weights))


def _finite(value: Any) -> float | None:
    return float(value) if math.isfinite(value) else None


def _day(days: float | None) -> str | None:
    """Return a moment as its day."""
    return None if days is None else date_words(float(math.floor(days)))
