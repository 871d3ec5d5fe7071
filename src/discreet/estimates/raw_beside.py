"""The raw table beside the copy: what is farthest off, and bars of both. For the custodian.

Means and standard deviations of numbers, shares of levels, means of the groups that levels make,
and the columns that are farthest off as bars of the same bins. They are exact figures of raw data,
and none of them is released.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np

from discreet.arguments import Floats, Labels
from discreet.document import Listing
from discreet.estimates.words import nice_above, number_words
from discreet.render.dates import date_ticks, date_words
from discreet.render.scene import Axis, Bars, Columns, Lines, Mark, Panel

FEWEST_OF_GROUP = 20
"""Means of fewer rows, of either table, are not compared."""
MOST_GROUPS = 30
MOST_NAMED = 3
"""So many of each kind are named."""
MOST_DRAWN = 12
"""So many columns are drawn at most: those that are farthest off."""
MOST_BARS = 24
MOST_LEVELS = 8
"""Of a column of more levels, those that are rarer in the raw table are one bar."""
OUTER = (0.005, 0.995)
WIDE = 2.0
"""Bars end at the outer values, where these are not much farther out than `OUTER`."""
MOST_STEPS = 1e6
LEAST = 1e-300
"""Bars that are less wide are not drawn."""
TICKS_OF_DATES = 4
WHAT, ROOM = "% of rows", 1.08
BEYOND = "the end bins include what lies beyond"
LONGEST = 22
"""Letters of the longest bar in text."""
FULL, HALF = "█", "▌"


class MomentFit(NamedTuple):
    """The mean and standard deviation of a number: of the raw table, and of the copy."""

    name: str
    mean: float
    of_copy: float
    sd: float
    sd_of_copy: float

    @property
    def off(self) -> float:
        """How far the farther of both is, in raw standard deviations."""
        far = max(abs(self.mean - self.of_copy), abs(self.sd - self.sd_of_copy))
        return far / self.sd if self.sd else (math.inf if far else 0.0)


class LevelFit(NamedTuple):
    """The level of a column whose share of the rows is farthest off."""

    name: str
    level: str
    share: float
    of_copy: float

    @property
    def off(self) -> float:
        """How far it is."""
        return abs(self.share - self.of_copy)


class GroupFit(NamedTuple):
    """The group of rows by a column of levels in which the mean of a number is farthest off.

    `error` is the standard error of the raw mean.
    """

    name: str
    by: str
    level: str
    mean: float
    of_copy: float
    error: float

    @property
    def off(self) -> float:
        """How far it is, in its standard errors."""
        far = abs(self.mean - self.of_copy)
        return far / self.error if self.error else (math.inf if far else 0.0)


class NamedCodes(NamedTuple):
    """A column of levels of both tables: the names of classes, and which each row has."""

    names: Sequence[str]
    raw: Labels
    copy: Labels


T = TypeVar("T", MomentFit, LevelFit, GroupFit)
Numbers = Mapping[str, tuple[Floats, Floats]]


def moment_fits(numbers: Numbers) -> Iterator[MomentFit]:
    """Yield the mean and standard deviation of each number, where both tables have two values."""
    for name, both in numbers.items():
        raw, copy = (values[~np.isnan(values)] for values in both)
        if min(len(raw), len(copy)) >= 2:
            moments = (raw.mean(), copy.mean(), raw.std(ddof=1), copy.std(ddof=1))
            if np.isfinite(moments).all():
                yield MomentFit(name, *map(float, moments))


def level_fits(levels: Mapping[str, NamedCodes]) -> Iterator[LevelFit]:
    """Yield of each column of levels the one whose share is farthest off."""
    for name, it in levels.items():
        size = len(it.names)
        raw, copy = (np.bincount(codes, minlength=size) / len(codes) for codes in it[1:])
        at = int(np.argmax(np.round(np.abs(raw - copy), 12)))
        yield LevelFit(name, it.names[at], float(raw[at]), float(copy[at]))


def group_fits(numbers: Numbers, levels: Mapping[str, NamedCodes]) -> Iterator[GroupFit]:
    """Yield of each number by each column of levels the group whose mean is farthest off.

    Compared are groups of twenty values or more in both tables, of columns of thirty levels or
    fewer.
    """
    for by, codes in levels.items():
        if len(codes.names) > MOST_GROUPS:
            continue
        for name, values in numbers.items():
            groups = [*_groups(name, by, codes, *values)]
            if groups:
                yield max(groups, key=lambda it: it.off)


def _groups(name: str, by: str, codes: NamedCodes, raw: Floats, copy: Floats) -> Iterator[GroupFit]:
    means, errors, counts = _means(raw, codes.raw, len(codes.names))
    of_copy, _, counts_of_copy = _means(copy, codes.copy, len(codes.names))
    for at in np.flatnonzero(np.minimum(counts, counts_of_copy) >= FEWEST_OF_GROUP).tolist():
        means_and_error = (means[at], of_copy[at], errors[at])
        if np.isfinite(means_and_error).all():
            yield GroupFit(name, by, codes.names[at], *map(float, means_and_error))


def _means(values: Floats, codes: Labels, size: int) -> tuple[Floats, Floats, Floats]:
    """Return the mean of each class, its standard error, and how many values it is of."""
    known = ~np.isnan(values)
    some, of = values[known], codes[known]
    counts = np.bincount(of, minlength=size).astype(float)
    with np.errstate(all="ignore"):
        means = np.bincount(of, some, size) / counts
        squares = np.bincount(of, (some - means[of]) ** 2, size)
        return means, np.sqrt(squares / (counts - 1) / counts), counts


def farthest_words(
    moments: Sequence[MomentFit],
    shares: Sequence[LevelFit],
    groups: Sequence[GroupFit],
    dates: Collection[str] = (),
) -> tuple[str, ...]:
    """Name what is farthest, in the units of the columns; numbers that are as they were, not.

    Examples
    --------
    >>> moments = [MomentFit("bmi", 26.38, 26.11, 4.42, 4.13), MomentFit("age", 48.0, 48.0, 13, 13)]
    >>> for line in farthest_words(moments, [LevelFit("sex", "f", 0.5, 0.488)], []):
    ...     print(line)
    farthest numbers: bmi mean 26.38, in the copy 26.11, sd 4.42, in the copy 4.13
    farthest levels: sex = f 50.0 % of the rows, in the copy 48.8 %
    """
    of_numbers = [
        f"{it.name} mean {_both(it.mean, it.of_copy, it.sd, it.name in dates)}, sd"
        f" {_both(it.sd, it.sd_of_copy, it.sd)}{' days' if it.name in dates else ''}"
        for it in _worst(moments)
    ]
    of_levels = [
        f"{it.name} = {it.level} {100 * it.share:.1f} % of the rows, in the copy"
        f" {100 * it.of_copy:.1f} %"
        for it in _worst(shares)
    ]
    of_groups = [
        f"{it.name} where {it.by} = {it.level}"
        f" {_both(it.mean, it.of_copy, it.error, it.name in dates)}"
        for it in _worst(groups)
    ]
    kinds = (("numbers", of_numbers), ("levels", of_levels), ("means of groups", of_groups))
    return tuple(f"farthest {what}: {'; '.join(names)}" for what, names in kinds if names)


def _worst(fits: Sequence[T]) -> list[T]:
    return [it for it in sorted(fits, key=lambda it: -it.off) if it.off > 0][:MOST_NAMED]


def _both(raw: float, copy: float, spread: float, dated: bool = False) -> str:
    """Write a figure of both tables, to two digits of what it is known to."""
    if dated:
        return f"{date_words(math.floor(raw))}, in the copy {date_words(math.floor(copy))}"
    step = max(abs(raw - copy), spread / 100)
    decimals = max(0, 1 - math.floor(math.log10(step))) if step > 0 else 0
    words = [number_words(it, min(decimals, 9)) for it in (raw, copy)]
    return f"{words[0]}, in the copy {words[1]}"


# --- columns as bars ----------------------------------------------------------------------------


class ColumnBeside(NamedTuple):
    """Which share of the rows each bar of a column has, in the raw table and in the copy.

    Bars of numbers lie between `edges`; those of levels have `names`. `off` is the largest
    difference of shares, `missing` the share of rows without a number. Where values lie `beyond`
    the ends, the outermost bars hold them as well.
    """

    name: str
    off: float
    edges: tuple[float, ...]
    names: tuple[str, ...]
    raw: tuple[float, ...]
    of_copy: tuple[float, ...]
    missing: float = 0.0
    missing_of_copy: float = 0.0
    beyond: bool = False

    @classmethod
    def from_plain(cls, **plain: Any) -> Self:
        """Return the bars that JSON has: its lists as tuples."""
        lists = {name: tuple(it) for name, it in plain.items() if isinstance(it, list)}
        return cls(**plain | lists)


def columns_beside(
    off: Mapping[str, float], numbers: Numbers, levels: Mapping[str, NamedCodes]
) -> tuple[ColumnBeside, ...]:
    """Return the columns that are farthest off, the farthest first, with their bars.

    `off` says how far each column is; a column of numbers too large to be put into bins is left
    out.
    """
    columns: list[ColumnBeside] = []
    for name in sorted(off, key=lambda it: (-off[it], it)):
        if len(columns) == MOST_DRAWN:
            break
        if name in levels:
            columns.append(_of_levels(name, off[name], levels[name]))
        else:
            columns += _of_numbers(name, off[name], *numbers[name])
    return tuple(columns)


def _of_levels(name: str, off: float, it: NamedCodes) -> ColumnBeside:
    size = len(it.names)
    raw, copy = (np.bincount(codes, minlength=size) / len(codes) for codes in it[1:])
    order = sorted(np.flatnonzero(raw + copy).tolist(), key=lambda at: (-raw[at], it.names[at]))
    kept, rest = order, order[:0]
    if len(order) > MOST_LEVELS:
        kept, rest = order[: MOST_LEVELS - 1], order[MOST_LEVELS - 1 :]
    more = [f"({len(rest)} more)"] if rest else []
    shares = [
        (*(float(table[at]) for at in kept), *([float(table[rest].sum())] if rest else []))
        for table in (raw, copy)
    ]
    names = (*(it.names[at] for at in kept), *more)
    return ColumnBeside(name, off, (), names, shares[0], shares[1])


def _of_numbers(name: str, off: float, raw: Floats, copy: Floats) -> list[ColumnBeside]:
    known = [values[~np.isnan(values)] for values in (raw, copy)]
    gaps = [1 - len(some) / len(values) for some, values in zip(known, (raw, copy), strict=True)]
    edges = bins_of(*known)
    if edges is None:
        return []
    shares = [
        tuple((_counts(some, edges) / len(values)).tolist())
        for some, values in zip(known, (raw, copy), strict=True)
    ]
    beyond = any(bool(((it < edges[0]) | (it > edges[-1])).any()) for it in known)
    ends = tuple(float(f"{end:.12g}") for end in edges.tolist())
    return [ColumnBeside(name, off, ends, (), shares[0], shares[1], gaps[0], gaps[1], beyond)]


def _counts(values: Floats, edges: Floats) -> Floats:
    """Count values between edges; those beyond the ends are in the outermost bins."""
    last = len(edges) - 2
    places = np.clip(np.searchsorted(edges, values, "right") - 1, 0, last)
    return np.bincount(places, minlength=last + 1).astype(float)


def bins_of(raw: Floats, copy: Floats) -> Floats | None:
    """Return the edges of bins for known numbers of both tables; None where there are no such.

    Bins are 1, 2 or 5 times a power of ten wide. Of numbers in even steps each bin holds as many
    steps, and begins half a step before the first of them.
    """
    both = np.concatenate([raw, copy])
    if not both.size:
        return None
    (least, most), (low, high) = (both.min(), both.max()), np.quantile(both, OUTER)
    with np.errstate(over="ignore", invalid="ignore"):
        if most - least <= WIDE * (high - low):
            low, high = least, most
        if not math.isfinite(2 * (high - low)):
            return None
    step = _step(raw if raw.size else copy)
    wide = nice_above((high - low) / MOST_BARS, (1, 2, 5)) if high > low else 1.0
    if step:
        wide = step * max(1, math.ceil(wide / step - 1e-6))
    if wide < LEAST:
        return None
    first = math.floor(low / wide + 1e-9) * wide
    bins = (high - first) / wide
    count = max(1, math.floor(bins + 1e-9) + 1 if step else math.ceil(bins - 1e-9))
    edges = first - step / 2 + wide * np.arange(count + 1)
    return edges if bool((np.diff(edges) > 0).all()) else None


def _step(values: Floats) -> float:
    """Return the even step that numbers are written in; 0 of those that have none."""
    distinct = np.unique(values)
    if len(distinct) < 2:
        return 1.0 if float(distinct[0]).is_integer() else 0.0
    step = float(np.diff(distinct).min())
    steps = distinct / step
    if not math.isfinite(steps[-1] - steps[0]) or steps[-1] - steps[0] > MOST_STEPS:
        return 0.0
    even = np.abs(steps - np.round(steps)).max() < 1e-3
    return float(f"{step:.9g}") if even else 0.0


# --- as a plot ----------------------------------------------------------------------------------


def panels_beside(
    columns: Sequence[ColumnBeside], dates: Collection[str] = ()
) -> tuple[Panel, ...]:
    """Return a panel for each column: the copy as bars, the raw table as a line around them."""
    return tuple(_panel(it, dated=it.name in dates) for it in columns)


def _panel(it: ColumnBeside, *, dated: bool) -> Panel:
    raw, copy = ([100 * share for share in shares] for shares in (it.raw, it.of_copy))
    marks: tuple[Mark, ...]
    if it.edges:
        marks = (Bars(it.edges, tuple(copy)), _stairs(it.edges, raw))
        ends = (it.edges[0], it.edges[-1])
        ticks = date_ticks(*ends, TICKS_OF_DATES) if dated else ()
        x = Axis(_said_of(it), ends, dates=ticks)
    else:
        marks = (Columns((tuple(copy),)), _frames(raw))
        x = Axis("", (-0.5, len(raw) - 0.5), ticks=it.names)
    top = ROOM * max(*raw, *copy, 1.0)
    return Panel(marks, x, Axis(WHAT, (0.0, top)), _title(it))


def _stairs(edges: Sequence[float], heights: Sequence[float]) -> Lines:
    """Return the line over the bars of a histogram."""
    x = [end for end in edges for _ in (0, 1)]
    y = [0.0, *(height for height in heights for _ in (0, 1)), 0.0]
    return Lines((tuple(x),), (tuple(y),), "trend")


def _frames(heights: Sequence[float]) -> Lines:
    """Return a frame for each bar of levels."""
    half = 0.4
    x = tuple((at - half, at - half, at + half, at + half) for at in range(len(heights)))
    y = tuple((0.0, height, height, 0.0) for height in heights)
    return Lines(x, y, "trend")


def _said_of(it: ColumnBeside) -> str:
    """Say which rows have no number, and that the outermost bars hold more."""
    notes = []
    if it.missing or it.missing_of_copy:
        notes.append(f"missing {_percent(it.missing)}, copy {_percent(it.missing_of_copy)}")
    if it.beyond:
        notes.append(BEYOND)
    return "; ".join(notes)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


# --- as text ------------------------------------------------------------------------------------


def listings_beside(
    columns: Sequence[ColumnBeside], dates: Collection[str] = ()
) -> tuple[Listing, ...]:
    """Return a table for each column: a line a bar, raw and copy beside each other.

    Examples
    --------
    >>> sex = ColumnBeside("sex", 0.25, (), ("f", "m"), (0.5, 0.5), (0.25, 0.75))
    >>> for line in listings_beside([sex])[0].text():
    ...     print(line)
    sex: off by 25.0 points
    -----------------------
          raw                     copy
    f  50.0 %  ██████████████▌  25.0 %  ███████▌
    m  50.0 %  ██████████████▌  75.0 %  ██████████████████████
    """
    return tuple(_listing(it, dated=it.name in dates) for it in columns)


def _listing(it: ColumnBeside, *, dated: bool) -> Listing:
    names = it.names or _names_of_bins(it.edges, dated=dated)
    bars = [*zip(names, it.raw, it.of_copy, strict=True)]
    if it.missing or it.missing_of_copy:
        bars.append(("(missing)", it.missing, it.missing_of_copy))
    longest = max(1e-9, *(share for _, *shares in bars for share in shares))
    rows = tuple(
        (name, *(words for share in shares for words in (_percent(share), _bar(share / longest))))
        for name, *shares in bars
    )
    title = f"{_title(it)}; {BEYOND}" if it.beyond else _title(it)
    return Listing(title, ("", "raw", "", "copy", ""), rows, (0, 2, 4))


def _title(it: ColumnBeside) -> str:
    return f"{it.name}: off by {100 * it.off:.1f} points"


def _bar(part: float) -> str:
    halves = round(2 * LONGEST * part)
    return FULL * (halves // 2) + HALF * (halves % 2)


def _names_of_bins(edges: Sequence[float], *, dated: bool) -> tuple[str, ...]:
    """Name bins by their ends; those of whole numbers by the first and the last of them."""
    pairs = [*pairwise(edges)]
    whole = all(float(2 * end).is_integer() and not float(end).is_integer() for end in edges)
    if whole:
        pairs = [(low + 0.5, high - 0.5) for low, high in pairs]
    if dated:
        words = [tuple(date_words(end) for end in pair) for pair in pairs]
    else:
        wide = edges[1] - edges[0]
        decimals = 0 if whole else max(0, -math.floor(math.log10(wide) + 1e-9))
        words = [tuple(number_words(end, min(decimals, 9)) for end in pair) for pair in pairs]
    return tuple(low if low == high else f"{low} to {high}" for low, high in words)
