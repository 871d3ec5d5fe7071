"""Counts in bins and cells, of a table or of protected rows, and of each level; what is told."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats
from discreet.columns import BinAxis, Counted
from discreet.columns.countable import Countable
from discreet.columns.words import CodedWords, counts_of, is_word
from discreet.errors import BrokenPromiseError, InputError, RefusedError
from discreet.levels import order_key
from discreet.methods import Generalization, NoProtection, Suppression
from discreet.methods.counts import Bins, Guarded, check_counts
from discreet.methods.values import DIGITS, safe_ends, short
from discreet.plots.plot import AnsweredCells, How, Plot
from discreet.plots.view import Origin

MISSING, OTHER = "(missing)", "other"
MISSING_NAMES = (MISSING, "(no value)")
"""How rows without a level are shown: the second where a level has the first as its name."""
MOST_MULTIPLES = 60
MOST_CODES = 30
"""So many different numbers of a column may be levels of a plot."""

# Numbers whose range is a smaller share of their size have too few digits left for bins.
NARROWEST = 1e-9
# A thousandth of it, the width of the narrowest bin, is not 0.
SMALLEST = sys.float_info.min
MOST_DECIMALS, MOST_WHOLE, MOST_STEPS = 6, 1e15, 1000
ON_STEP = 1e-6
"""Numbers are not further than this from a multiple of their last decimal."""


@dataclass(frozen=True)
class AxisRange:
    """Where the axis of a column begins and ends, and by which step its values go, if by one.

    Whole numbers go by 1, others by tenths; the ends lie half a step beyond the values. `breaks`
    are declared edges of bins, of any widths.
    """

    column: str
    low: float
    high: float
    step: float = 0.0
    breaks: tuple[float, ...] = ()

    def most(self, bins: int) -> int:
        """Return into how many intervals the axis is divided where `bins` are asked for."""
        return len(self.breaks) - 1 if self.breaks else bins

    def axis(self, bins: int) -> BinAxis:
        """Divide the axis into `bins` intervals.

        Values that go by a step get intervals of whole steps, between two steps, so that each can
        hold the same number of different values; there may be fewer than `bins` of them. Of
        declared edges some are left out where fewer are asked for.
        """
        if self.breaks:
            found = np.linspace(0, len(self.breaks) - 1, bins + 1).round().astype(int)
            breaks = tuple(self.breaks[i] for i in found.tolist())
            return BinAxis(self.column, self.low, self.high, bins, breaks)
        if not self.step:
            return BinAxis(self.column, self.low, self.high, bins)
        reach = round((self.high - self.low) / self.step)  # in steps
        width = math.ceil(reach / bins)
        bins = math.ceil(reach / width)
        low = short(self.low - self.step * ((width * bins - reach) // 2))
        return BinAxis(self.column, low, short(low + self.step * width * bins), bins)


def ends_of_table(table: Countable, plot: Plot[Any], column: str) -> AxisRange:
    """Return the ends of a raw column's axis.

    Where no limits are declared they are the observed range.
    """
    if plot.declared("edges", column) or plot.declared("limits", column):
        return _declared(plot, column)
    lows, highs = table.extremes(column, 1)
    return _range(column, lows[0], highs[0])


def ends_of_values(values: Floats, plot: Plot[Any], how: How, column: str) -> AxisRange:
    """Return the ends of the axis of a column of protected rows."""
    if plot.declared("edges", column) or plot.declared("limits", column):
        return _declared(plot, column)
    if how.of_copy:  # whose ends are those of blocks of persons
        low, high, step = float(values.min()), float(values.max()), step_of(values)
        _range(column, low, high, " but for fewer than k values")
        if step and step != 1.0:
            return AxisRange(column, short(low - step / 2), short(high + step / 2), step)
        low, high = safe_ends(low, high, whole=bool(step))  # which are nobody's
        return AxisRange(column, low - step / 2, high + step / 2, step)
    return _range(column, values.min(), values.max())


LARGEST = float(np.finfo(np.float64).max)


def short_places(places: Floats) -> tuple[float, ...]:
    """Return ends or middles of bins without the last digits of their arithmetic.

    Where bins are narrow for the size of their numbers they keep as many digits as it takes to
    say to a billionth of a bin which value is in which.
    """
    with np.errstate(over="ignore", divide="ignore"):
        away = np.abs(places).max() / np.diff(places).min() if len(places) > 1 else 1.0
    # Numbers that are hardly apart from 0 have ends that are infinitely far for their width.
    digits = max(DIGITS, 10 + math.ceil(math.log10(min(max(away, 1.0), LARGEST))))
    return tuple(short(place, min(digits, 17)) for place in places)


def _declared(plot: Plot[Any], column: str) -> AxisRange:
    breaks = plot.declared("edges", column)
    ends = breaks or plot.declared("limits", column)
    return replace(_range(column, ends[0], ends[-1]), breaks=breaks)


def step_of(values: Floats) -> float:
    """Return the largest step by which all values go, 0 of values that go by none.

    A step of which there are very many on the axis is none: bins hold so many that it is not seen.

    Examples
    --------
    >>> step_of(np.array([18.0, 40.0, 73.0, 74.0])), step_of(np.array([200.0, 1700.0, 400.0]))
    (1.0, 100.0)
    >>> step_of(np.array([22.4, 25.0, 31.9])), step_of(np.array([0.25, 1.0, 2.75]))
    (0.1, 0.25)
    >>> step_of(np.array([0.1234567, 2.0])), step_of(np.array([0.001, 40.0, 80.0]))
    (0.0, 0.0)
    """
    largest = float(np.abs(values).max())
    for decimals in range(MOST_DECIMALS + 1):
        scale = 10.0**decimals
        if largest * scale > MOST_WHOLE:  # no digits are left to see a step in
            return float((values == np.floor(values)).all()) if decimals == 0 else 0.0
        scaled = values * scale
        whole = np.round(scaled)
        if (np.abs(scaled - whole) <= (ON_STEP if decimals else 0.0)).all():
            steps = int(np.gcd.reduce((whole - whole.min()).astype(np.int64)))
            many = (values.max() - values.min()) * scale > MOST_STEPS * steps
            return 0.0 if decimals and many else steps / scale
    return 0.0


def _range(column: str, low: float, high: float, but_for: str = "") -> AxisRange:
    """Return an axis from low to high; refuse what bins cannot be told apart in."""
    low, high = float(low), float(high)  # of which a difference is infinite without a warning
    if not high > low:
        raise RefusedError(f"column {column!r} is constant{but_for}, so it cannot be drawn")
    if not math.isfinite(high - low):
        raise RefusedError(f"column {column!r} is too wide to be drawn; rescale it")
    if high - low < SMALLEST:
        raise RefusedError(f"column {column!r} varies too little to be drawn; rescale it")
    if high - low < NARROWEST * max(abs(low), abs(high)):
        raise RefusedError(
            f"column {column!r} varies too little for the size of its numbers to be drawn;"
            " subtract a constant from it"
        )
    return AxisRange(column, low, high)


# --- counting -----------------------------------------------------------------------------------

Protected = Mapping[str, Floats]
"""The columns of protected rows."""
Shown = NDArray[np.bool_]
"""Which bins or cells may be shown."""


def count_cells(
    table: Countable, plot: Plot[Any], how: How, bins: int
) -> tuple[Counted, Guarded, tuple[BinAxis, ...]]:
    """Count by the method asked for; return what it counted last, what may show, and where."""
    ends = [ends_of_table(table, plot, name) for name in plot.names]
    last: dict[str, Any] = {}

    def counts_at(resolution: tuple[int, ...]) -> Bins:
        """Count where the data are, and remember on which axes."""
        axes = tuple(end.axis(cells) for end, cells in zip(ends, resolution, strict=True))
        counted = table.count(axes)
        last.update(axes=axes, counted=counted)
        return _with_room(counted.counts, resolution)

    guarded = _count_method(how)(counts_at, tuple(end.most(bins) for end in ends))
    counted, axes = last["counted"], last["axes"]
    guarded = _without_room(guarded, counted.shape)
    if how.method != "none":
        check_counts(counted.counts, guarded.shown, how.k)
    return counted, guarded, axes


def _with_room(counts: Bins, resolution: tuple[int, ...]) -> Bins:
    """Add empty cells where an axis of whole numbers has fewer intervals than it was asked for."""
    return np.pad(counts, [(0, n - m) for n, m in zip(resolution, counts.shape, strict=True)])


def _without_room(guarded: Guarded, shape: tuple[int, ...]) -> Guarded:
    """Take away the cells that `_with_room` added."""
    used = tuple(slice(cells) for cells in shape)
    return Guarded(guarded.counts[used], guarded.shown[used], shape, guarded.hidden)


def _count_method(how: How) -> Suppression | Generalization | NoProtection:
    if how.method == "suppression":
        return Suppression(how.k)
    if how.method == "generalization":
        return Generalization(how.k)
    if how.method == "none":
        return NoProtection()
    raise RefusedError(f"method {how.method!r} does not count")


def axes_of_rows(rows: Protected, plot: Plot[Any], how: How, bins: int) -> tuple[BinAxis, ...]:
    """Divide the axis of each column of protected rows into bins."""
    ends = [ends_of_values(rows[name], plot, how, name) for name in plot.names]
    return tuple(end.axis(end.most(bins)) for end in ends)


def cells_of(rows: Protected, axes: tuple[BinAxis, ...]) -> Bins:
    """Count the protected rows in each cell of a grid."""
    shape = tuple(axis.bins for axis in axes)
    places = tuple(axis.places(rows[axis.column]) for axis in axes)
    counts = np.bincount(np.ravel_multi_index(places, shape), minlength=int(np.prod(shape)))
    return counts.astype(np.int64).reshape(shape)


# --- by the levels of a column --------------------------------------------------------------------


@dataclass(frozen=True)
class Levels:
    """The names that levels are shown under, and the place of each stored level among them."""

    names: tuple[str, ...]
    places: Mapping[str, int] = field(repr=False)  # names levels that are joined for being small

    def at(self, stored: Sequence[str]) -> tuple[int, ...]:
        """Return the place of each stored level."""
        try:
            return tuple(self.places[level] for level in stored)
        except KeyError:
            raise InputError(
                "the data changed while they were being read; open the study again"
            ) from None

    def named(self, stored: tuple[str, ...]) -> tuple[str, ...]:
        """Return the shown name of each stored level."""
        return tuple(self.names[place] for place in self.at(stored))


def codes_as_words(values: Floats) -> tuple[str, ...] | None:
    """Return numbers as names of levels, the empty text for a missing one; None of too many.

    Examples
    --------
    >>> codes_as_words(np.array([1.0, 2.0, np.nan, 1.0]))
    ('1', '2', '', '1')
    """
    found, places = np.unique(values, return_inverse=True)
    if np.isfinite(found).sum() > MOST_CODES:
        return None
    names = [f"{value:.15g}" if math.isfinite(value) else "" for value in found.tolist()]
    return CodedWords(tuple(names), places)


def levels_of(table: Countable, name: str) -> Levels:
    """Return the levels of a column of a table or bar chart."""
    return joined(table.levels(name), order=table.columns[name].order)


def panels_of(table: Countable, plot: Plot[Any], how: How) -> Levels:
    """Return the levels of the column that divides a plot which have a panel of their own.

    Each is of k people or more who have what is drawn; smaller ones are joined.
    """
    if (name := plot.by_name) is None:
        raise BrokenPromiseError("small multiples need by=")
    drawn = table.levels(name, complete=plot.names)
    counts = {level: drawn.get(level, 0) for level in table.levels(name)}
    levels = joined(counts, how.k, order=table.columns[name].order)
    check_few([levels], MOST_MULTIPLES, name)
    return levels


def check_few(found: Iterable[Levels], most: int, *names: str) -> None:
    """Refuse more levels, or pairs of levels, than can be told apart in a picture."""
    if math.prod(len(levels.names) for levels in found) > most:
        what = "levels" if len(names) == 1 else "pairs of levels"
        raise RefusedError(
            f"{' by '.join(map(repr, names))} has more than {most} {what}, too many to "
            "distinguish; merge levels (codes by their first letters, places by region), or "
            "name another column"
        )


def joined(counts: Mapping[str, int], least: int = 0, order: Sequence[str] = ()) -> Levels:
    """Join the levels that fewer than `least` have.

    Where all of them together are still fewer, the smallest other level joins them. A missing
    value is a level. They stand in the `order` that is declared, then those without a level, and
    joined ones last.

    Examples
    --------
    >>> joined({"a": 9, "b": 7, "c": 2, "": 1}, 3).names
    ('a', 'b', 'other')
    >>> joined({"a": 9, "b": 7, "c": 2}, 3).names
    ('a', 'b + other')
    """
    missing = MISSING_NAMES[MISSING in counts]
    groups = [_Group(level or missing, (level,), count) for level, count in counts.items()]
    large = [group for group in groups if group.count >= least]
    small = [group for group in groups if group.count < least]
    if small:
        groups = _with_rest(large, small, least)
    key = order_key(order)
    groups.sort(key=lambda group: (group.rest, group.members == ("",), key(group.name)))
    places = {level: i for i, group in enumerate(groups) for level in group.members}
    return Levels(tuple(group.name for group in groups), MappingProxyType(places))


@dataclass(frozen=True)
class _Group:
    """Levels that are shown as one; `rest` if they were joined for being small."""

    name: str
    members: tuple[str, ...]
    count: int
    rest: bool = False


def _with_rest(large: list[_Group], small: list[_Group], least: int) -> list[_Group]:
    name = OTHER if all(group.name != OTHER for group in large) else "other levels"
    if large and sum(group.count for group in small) < least:
        smallest = min(large, key=lambda group: (group.count, group.name))
        large, small = [it for it in large if it is not smallest], [*small, smallest]
        name = f"{smallest.name} + {name}"
    members = tuple(level for group in small for level in group.members)
    return [*large, _Group(name, members, sum(group.count for group in small), rest=True)]


@dataclass(frozen=True, repr=False)
class Panels:
    """What the panel of each level holds, before it is a view; of a plot that is not divided one.

    `counts` and `shown` have a row a level; of each further dimension the ends are in `edges`. What
    is not shown is counted as 0.
    """

    names: tuple[str, ...]
    edges: list[Floats]
    counts: Bins
    shown: Shown
    origin: Origin


def panels_of_counts(
    table: Countable, plot: Plot[Any], how: How, origin: Origin, bins: int
) -> Panels:
    """Count the columns in bins or cells; of each level in those that a plot of all has."""
    counted, guarded, axes = count_cells(table, plot, how, bins)
    edges = [axis.edges for axis in axes]
    origin = replace(origin, total=counted.people + counted.left_out)
    if plot.by_name is None:
        origin = replace(origin, shown=counted.people_in(guarded.shown))
        counts = np.where(guarded.shown, guarded.counts, 0)
        return Panels((), edges, counts[None], guarded.shown[None], origin)
    levels = panels_of(table, plot, how)
    counts = _count_levels(table, plot, how, axes, levels).counts
    shown = np.ones(counts.shape, dtype=np.bool_)
    if how.method != "none":
        shown = (counts >= how.k) | (counts == 0)
        counts = np.where(shown, counts, 0)
        check_counts(counts, shown, how.k)
    origin = replace(origin, shown=int(counts.sum()))
    return Panels(levels.names, edges, counts, shown, origin)


def panels_of_rows(
    rows: Protected, levels: Sequence[str], plot: Plot[Any], how: How, origin: Origin, bins: int
) -> Panels:
    """Count the protected rows in bins or cells, those of each level by themselves."""
    axes, names = axes_of_rows(rows, plot, how, bins), tuple[str, ...]()
    if (by := plot.by_name) is None:
        counts = cells_of(rows, axes)[None]
    else:
        names = how.in_order(counts_of(levels), by)
        check_few([Levels(names, {})], MOST_MULTIPLES, by)
        here = (is_word(levels, level) for level in names)
        parts = ({name: v[at] for name, v in rows.items()} for at in here)
        counts = np.stack([cells_of(part, axes) for part in parts])
    origin = replace(origin, shown=int(counts.sum()))
    shown = np.ones(counts.shape, dtype=np.bool_)
    return Panels(names, [axis.edges for axis in axes], counts, shown, origin)


def panels_of_cells(cells: AnsweredCells, plot: Plot[Any], origin: Origin) -> Panels | None:
    """Return answered counts, those of each level by themselves; None where two columns divide."""
    if len(plot.by_names) > 1:
        return None
    dims = len(plot.names)
    shape = (-1, *cells.counts.shape[-dims:])
    names = cells.labels[0] if plot.by_name else ()
    edges = [np.array(it) for it in cells.edges[-dims:]]
    return Panels(names, edges, cells.counts.reshape(shape), cells.given.reshape(shape), origin)


def _count_levels(
    table: Countable, plot: Plot[Any], how: How, axes: Sequence[BinAxis], levels: Levels
) -> Counted:
    """Count on the axes for each level, and refuse a level that no plot is made of."""
    if table.persons_repeat():
        raise RefusedError(
            "some people have several rows, so the levels do not add up to all people; make one "
            "row per person first, or draw without by="
        )
    each = table.count(axes, {plot.by_name or "": levels.places})
    bins = int(np.prod(each.shape[1:]))
    persons = each.joined(np.repeat(np.arange(each.shape[0]), bins))
    if persons.min() < how.k:
        raise RefusedError(
            f"columns {', '.join(map(repr, plot.names))} have fewer than k complete rows for"
            f" some level of {plot.by_name!r}; choose other columns, or a smaller k"
        )
    return each
