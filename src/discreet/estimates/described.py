"""What a table 1 says of columns: how many, means, quartiles and shares, as figures and as words.

Rows come in as arrays, a table goes out; whose rows they are is for the caller to say.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels
from discreet.estimates.by_persons import rows_worth_by_persons
from discreet.estimates.copy_table import Line
from discreet.estimates.figures import MISSING, OF_INTERVAL, OF_SHARE, OF_WEIGHTS, Figure, Group
from discreet.estimates.intervals import interval_of, share_interval
from discreet.estimates.own_error import OwnErrors
from discreet.estimates.weighted import mean_by, quantiles_by, rows_worth, sd_by
from discreet.levels import in_order
from discreet.render.dates import date_words

MOST_LEVELS = 12
"""Of more levels the most frequent ones are listed, and the others in one line."""
ROWS = "rows of the copy"
INTERVAL = "95 % interval of the mean"
UNKNOWN = "–"
MOST_DECIMALS = 9
LARGEST = 1e12
"""A number of more digits is written with a power of ten."""
GROUPED = 10_000
"""From here on thousands are set apart, so that years are not."""
QUARTILES = (0.25, 0.5, 0.75)


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
        sizes = [len(it) for it in self.numbers.values()]
        return max([*sizes, *(len(it) for it in self.levels.values())])

    def order_of(self, name: str) -> list[str]:
        """Return the levels that a column has, in the order in which they are listed."""
        said = (self.ordered or {}).get(name, ())
        return [*in_order({*self.levels[name]} - {""}, said)]


class Part(NamedTuple):
    """Rows that are described together: the levels they have, their name, and where they stand."""

    group: Group
    name: str
    places: NDArray[np.intp]


class Described(NamedTuple):
    """The head, lines and figures of a table, and the rows of each group."""

    head: tuple[str, ...]
    lines: tuple[Line, ...]
    figures: tuple[Figure, ...]
    sizes: tuple[tuple[str, int], ...]


def described(
    rows: RowsToDescribe,
    columns: Sequence[str],
    by: str | None = None,
    own: OwnErrors | None = None,
) -> Described:
    """Describe columns, of all rows and of those of each level of another column.

    Of numbers mean, standard deviation (divisor n - 1), median and quartiles (between values by
    straight lines); of dates median and range by day; of levels how many each has and their share
    of the rows with a value. With weights all but numbers of rows and ranges are weighted.

    With `own`, the copy's own error of each mean and share by its column, level and group, means
    have intervals in a line of theirs, and shares have some among the figures.

    Examples
    --------
    >>> rows = RowsToDescribe({"age": np.array([30.0, 40.0, 50.0, np.nan])}, {})
    >>> for line in described(rows, ["age"]).lines:
    ...     print(line.name, *line.cells)
    rows of the copy 4
    n, missing 3, 1 (25.0 %)
    mean (sd) 40.0 (10.0)
    median (quartiles) 40 (35–45)
    """
    parts = parts_of(rows, by)
    sizes = [len(it.places) for it in parts]
    weight = [_weight(rows, it.places) for it in parts]
    of_all = [
        _counted(size, of, weight[-1]) for size, of in zip(sizes[:-1], weight[:-1], strict=True)
    ]
    lines = [Line("", ROWS, (*of_all, f"{len(rows):,}"))]
    figures = [Figure("", None, it.group, "rows", n) for it, n in zip(parts, sizes, strict=True)]
    if rows.weights is not None:
        figures += [
            Figure("", None, it.group, OF_WEIGHTS[0], of)
            for it, of in zip(parts, weight, strict=True)
        ]
    for name in columns:
        of = _levels if name in rows.levels else _days if name in rows.dates else _numbers
        for line, found in of(rows, name, parts, own):
            lines.append(line)
            figures += found
    head = tuple(it.name for it in parts)
    return Described(head, tuple(lines), tuple(figures), tuple(zip(head, sizes, strict=True)))


def parts_of(rows: RowsToDescribe, by: str | None) -> list[Part]:
    """Return the rows of each level, those without one, and all."""
    every = Part((), "all", np.arange(len(rows)))
    if by is None:
        return [every]
    place, codes = _coded(rows.levels[by])
    kept, others = most_frequent(rows, by)
    named = [(it, [it]) for it in kept] + ([(_others(others), others)] if others else [])
    parts = [
        Part(((by, it),), it, np.flatnonzero(np.isin(codes, [place[w] for w in of])))
        for it, of in named
    ]
    gaps = np.flatnonzero(codes == place.get("", -1))
    return [*parts, *([Part(((by, None),), MISSING, gaps)] if gaps.size else []), every]


def _coded(words: Sequence[str]) -> tuple[dict[str, int], NDArray[np.intp]]:
    """Return the number of each word, and that of each row."""
    place: dict[str, int] = {}
    numbers = (place.setdefault(word, len(place)) for word in words)
    return place, np.fromiter(numbers, np.intp, len(words))


def most_frequent(rows: RowsToDescribe, name: str) -> tuple[list[str], list[str]]:
    """Return the levels of a column that are listed, in their order, and all others."""
    order = rows.order_of(name)
    if len(order) <= MOST_LEVELS + 1:  # one level in a line of others would be that level
        return order, []
    count = Counter(rows.levels[name])
    kept = set(sorted(order, key=lambda it: (-count[it], it))[:MOST_LEVELS])
    return [it for it in order if it in kept], [it for it in order if it not in kept]


# --- the lines of a column ------------------------------------------------------------------------

Found = Iterator[tuple[Line, list[Figure]]]


def _numbers(
    rows: RowsToDescribe, name: str, parts: Sequence[Part], own: OwnErrors | None
) -> Found:
    values = rows.numbers[name]
    known = values[np.isfinite(values)]
    each = [(known_in(values, part), weights_of(rows, values, part)) for part in parts]
    yield _gaps(name, parts, [len(it) for it, _ in each])
    decimals = decimals_of(sd_of(known))
    moments = [(mean_of(*it), sd_of(*it)) for it in each]
    cells = [_beside(number_words(m, decimals), number_words(s, decimals)) for m, s in moments]
    yield (Line(name, "mean (sd)", tuple(cells)), _figures(name, parts, ("mean", "sd"), moments))
    if own is not None:
        whose = [persons_of(rows, values, part) for part in parts]
        yield _intervals(
            name, parts, [(*it, of) for it, of in zip(each, whose, strict=True)], own, decimals
        )
    middles = [quartiles_of(*it) for it in each]
    places = decimals_of_quartiles(known, [it for of in middles for it in of], decimals)
    yield (
        Line(name, "median (quartiles)", tuple(middle_words(it, places) for it in middles)),
        _figures(name, parts, ("lower quartile", "median", "upper quartile"), middles),
    )


def _intervals(
    name: str,
    parts: Sequence[Part],
    each: Sequence[tuple[Floats, Floats | None, Labels | None]],
    own: OwnErrors,
    decimals: int | None,
) -> tuple[Line, list[Figure]]:
    """Return the intervals of the means of all groups."""
    found = [
        interval_of(values, weights, own.of((name, None, part.group)) or 0.0, persons)
        or (None, None)
        for part, (values, weights, persons) in zip(parts, each, strict=True)
    ]
    cells = [
        " to ".join(number_words(end, decimals) for end in ends) if ends[0] is not None else UNKNOWN
        for ends in found
    ]
    names = (OF_INTERVAL[0], OF_INTERVAL[-1])
    return Line(name, INTERVAL, tuple(cells)), _figures(name, parts, names, found)


def _days(rows: RowsToDescribe, name: str, parts: Sequence[Part], _own: OwnErrors | None) -> Found:
    values = rows.numbers[name]
    each = [(known_in(values, part), weights_of(rows, values, part)) for part in parts]
    yield _gaps(name, parts, [len(it) for it, _ in each])
    found = [tuple(map(_day, (_least(it), quartiles_of(it, w)[1], _most(it)))) for it, w in each]
    cells = [_beside(mid, UNKNOWN if mid is None else f"{a} to {b}") for a, mid, b in found]
    yield (
        Line(name, "median (range)", tuple(cells)),
        _figures(name, parts, ("first", "median", "last"), found),
    )


def _levels(rows: RowsToDescribe, name: str, parts: Sequence[Part], own: OwnErrors | None) -> Found:
    place, codes = _coded(rows.levels[name])
    counts = [np.bincount(codes[part.places], minlength=len(place)).tolist() for part in parts]
    weight = [_weights_at(rows, codes, part, len(place)) for part in parts]
    known = [sum(n for word, n in zip(place, it, strict=True) if word) for it in counts]
    of_known = [sum(n for word, n in zip(place, it, strict=True) if word) for it in weight]
    yield _gaps(name, parts, known)
    there = codes != place.get("", -1)
    kept, others = most_frequent(rows, name)
    listed = [(it, [it]) for it in kept] + ([(_others(others), others)] if others else [])
    for level, of in listed:
        many = [sum(each[place[it]] for it in of) for each in counts]
        heavy = [sum(each[place[it]] for it in of) for each in weight]
        figures = [
            Figure(name, level, part.group, figure, value)
            for part, n, share in zip(parts, many, map(_share, heavy, of_known), strict=True)
            for figure, value in (("count", n), ("share", share))
        ]
        if own is not None:
            has = np.isin(codes, [place[it] for it in of])
            worth = [_worth(rows, there, has, part) for part in parts]
            shares = zip(parts, map(_share, heavy, of_known), worth, strict=True)
            figures += _share_ends(name, level, shares, own)
        cells = [_counted(*it) for it in zip(many, heavy, of_known, strict=True)]
        yield Line(name, level, tuple(cells)), figures


def _share_ends(
    name: str, level: str, shares: Iterable[tuple[Part, float | None, float]], own: OwnErrors
) -> Iterator[Figure]:
    """Return the ends of the intervals of the shares of a level in all groups."""
    for part, share, worth in shares:
        ends: tuple[float | None, float | None] = (None, None)
        if share is not None and worth:
            ends = share_interval(share, worth, own.of((name, level, part.group)) or 0.0)
        for figure, end in zip((OF_SHARE[0], OF_SHARE[-1]), ends, strict=True):
            yield Figure(name, level, part.group, figure, end)


def _worth(
    rows: RowsToDescribe, known: NDArray[np.bool_], has: NDArray[np.bool_], part: Part
) -> float:
    """Return how many rows of equal weight say as much of a share as those with a value."""
    places = part.places[known[part.places]]
    weights = None if rows.weights is None else rows.weights[places]
    if not places.size:
        return 0.0
    if rows.persons is not None:
        return rows_worth_by_persons(has[places].astype(float), rows.persons[places], weights)
    return float(places.size) if weights is None else rows_worth(weights)


def _weights_at(
    rows: RowsToDescribe, codes: NDArray[np.intp], part: Part, size: int
) -> list[float]:
    """Return how much weight, or how many rows, a part has at each code."""
    weights = None if rows.weights is None else rows.weights[part.places]
    found: list[float] = np.bincount(codes[part.places], weights, minlength=size).tolist()
    return found


def _weight(rows: RowsToDescribe, places: NDArray[np.intp]) -> float:
    """Return how much weight some rows have: where there are no weights, how many they are."""
    return len(places) if rows.weights is None else float(rows.weights[places].sum())


def _share(weight: float, of: float) -> float | None:
    return weight / of if of else None


def _gaps(name: str, parts: Sequence[Part], known: Sequence[int]) -> tuple[Line, list[Figure]]:
    """Say how many rows of each group have a value, and how many have none."""
    found = [(n, len(part.places) - n) for part, n in zip(parts, known, strict=True)]
    cells = [count_and_gaps(n, gaps) for n, gaps in found]
    return (Line(name, "n, missing", tuple(cells)), _figures(name, parts, ("n", "missing"), found))


def _figures(
    name: str,
    parts: Sequence[Part],
    names: Sequence[str],
    values: Sequence[Sequence[float | str | None]],
) -> list[Figure]:
    return [
        Figure(name, None, part.group, figure, value)
        for part, each in zip(parts, values, strict=True)
        for figure, value in zip(names, each, strict=True)
    ]


def known_in(values: Floats, part: Part) -> Floats:
    """Return the values of some rows that are known."""
    known: Floats = values[part.places]
    return known[np.isfinite(known)]


def weights_of(rows: RowsToDescribe, values: Floats, part: Part) -> Floats | None:
    """Return the weights of those rows of a part whose value is known; None without weights."""
    if rows.weights is None:
        return None
    weights: Floats = rows.weights[part.places]
    return weights[np.isfinite(values[part.places])]


def persons_of(rows: RowsToDescribe, values: Floats, part: Part) -> Labels | None:
    """Return whose those rows of a part are whose value is known; None where each is a person."""
    if rows.persons is None:
        return None
    persons: Labels = rows.persons[part.places]
    return persons[np.isfinite(values[part.places])]


def _others(names: Sequence[str]) -> str:
    return f"others ({len(names)} levels)"


# --- figures --------------------------------------------------------------------------------------


def _finite(value: Any) -> float | None:
    return float(value) if math.isfinite(value) else None


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


def quartiles_of(
    values: Floats, weights: Floats | None = None
) -> tuple[float | None, float | None, float | None]:
    """Return lower quartile, median and upper quartile; None of no values."""
    if not values.size:
        return None, None, None
    if weights is None:
        low, middle, high = np.quantile(values, QUARTILES).tolist()
    else:
        low, middle, high = quantiles_by(values, weights, QUARTILES)
    return low, middle, high


def _least(values: Floats) -> float | None:
    return float(values.min()) if values.size else None


def _most(values: Floats) -> float | None:
    return float(values.max()) if values.size else None


def _day(days: float | None) -> str | None:
    """Return a moment as its day."""
    return None if days is None else date_words(float(math.floor(days)))


# --- words ----------------------------------------------------------------------------------------


def decimals_of(sd: float | None) -> int | None:
    """Return how many decimals a mean has beside its sd; None where that does not say.

    The sd has two digits, or three where its first ones are below 355 (the rule of the Particle
    Data Group for errors, with one digit more).

    Examples
    --------
    >>> [decimals_of(sd) for sd in (13.1, 4.42, 0.045, 1520.0)]
    [1, 1, 3, 0]
    """
    if not sd:
        return None
    power = math.floor(math.log10(sd))
    digits = 3 if sd / 10.0**power < 3.55 else 2
    decimals = max(digits - 1 - power, 0)
    return decimals if decimals <= MOST_DECIMALS else None


def decimals_of_quartiles(
    values: Floats, quartiles: Sequence[float | None], decimals: int | None
) -> int | None:
    """Return how many decimals quartiles have: of whole numbers as few as they need."""
    if decimals is None or not values.size or (values != np.round(values)).any():
        return decimals
    whole = all(it is None or it == round(it) for it in quartiles)
    return 0 if whole else min(decimals, 1)


def number_words(value: float | None, decimals: int | None) -> str:
    """Return a number with so many decimals; None as a dash.

    Examples
    --------
    >>> [number_words(it, 1) for it in (12345.678, 2021.0, -0.001)], number_words(0.1, None)
    (['12,345.7', '2021.0', '0.0'], '0.1')
    """
    if value is None:
        return UNKNOWN
    if decimals is None or abs(value) >= LARGEST:
        return f"{value:.6g}"
    sign = "," if abs(value) >= GROUPED else ""
    return f"{round(value, decimals) + 0.0:{sign}.{decimals}f}"


def count_and_gaps(known: int, gaps: int) -> str:
    """Say how many rows have a value, and how many of all have none."""
    return f"{known:,}, {_with_share(gaps, known + gaps)}"


def _with_share(count: int, of: int) -> str:
    return _counted(count, count, of)


def _counted(count: int, weight: float, of: float) -> str:
    """Say how many rows there are, and which share of all weight they have."""
    return f"{count:,} ({share_words(weight, of)})"


def share_words(count: float, of: float) -> str:
    """Return a share in per cent.

    Examples
    --------
    >>> share_words(1, 3), share_words(0, 3), share_words(1, 10_000), share_words(0, 0)
    ('33.3 %', '0 %', '<0.1 %', '–')
    """
    if not of:
        return UNKNOWN
    if 0 < count / of < 0.0005:
        return "<0.1 %"
    return f"{100 * count / of:.1f} %" if 0 < count < of else f"{100 * count / of:.0f} %"


def middle_words(quartiles: Sequence[float | None], decimals: int | None) -> str:
    """Return a median with its quartiles."""
    low, middle, high = (number_words(it, decimals) for it in quartiles)
    if middle == UNKNOWN:
        return UNKNOWN
    between = " to " if "-" in low else "–"  # "-3–4" would be hard to read
    return f"{middle} ({low}{between}{high})"


def _beside(first: str | None, second: str) -> str:
    return UNKNOWN if first in (None, UNKNOWN) else f"{first} ({second})"
