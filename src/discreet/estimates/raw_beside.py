"""The raw table beside the copy, column by column, as bars of the same bins: for the custodian.

They are exact shares of raw data, and never released. What is drawn are the columns that are
farthest off; the copy as bars, the raw table as a line around them.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from discreet.arguments import Floats
from discreet.estimates.farthest import NamedCodes, Numbers
from discreet.estimates.words import number_words
from discreet.render.dates import date_ticks, date_words
from discreet.render.scene import Axis, Bars, Columns, Lines, Mark, Panel

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
BEYOND = "ends hold what is beyond"
LABEL, LONGEST = 24, 22
"""Letters of the name of a bar, and of the longest bar, in text."""
FULL, HALF = "█", "▌"


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


def read_beside(**held: Any) -> ColumnBeside:
    """Return what JSON held of a column: its lists as they were."""
    plain: dict[str, Any] = {
        name: tuple(it) if isinstance(it, list) else it for name, it in held.items()
    }
    return ColumnBeside(**plain)


def columns_beside(
    off: Mapping[str, float], numbers: Numbers, levels: Mapping[str, NamedCodes]
) -> tuple[ColumnBeside, ...]:
    """Return the columns that are farthest off, the farthest first, with their bars.

    `off` says how far each column is; a column of numbers too large to be put into bins is left
    out.

    Examples
    --------
    >>> codes = NamedCodes(("f", "m"), np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]))
    >>> (found,) = columns_beside({"sex": 0.25}, {}, {"sex": codes})
    >>> found.names, found.raw, found.of_copy
    (('f', 'm'), (0.5, 0.5), (0.25, 0.75))
    """
    found: list[ColumnBeside] = []
    for name in sorted(off, key=lambda it: (-off[it], it)):
        if len(found) == MOST_DRAWN:
            break
        if name in levels:
            found.append(_of_levels(name, off[name], levels[name]))
        else:
            found += _of_numbers(name, off[name], *numbers[name])
    return tuple(found)


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

    Examples
    --------
    >>> bins_of(np.array([1.0, 2.0, 4.0]), np.array([2.0, 3.0])).tolist()
    [0.5, 1.5, 2.5, 3.5, 4.5]
    >>> bins_of(np.array([0.0, 0.31, 1.0]), np.array([0.777]))[:3].round(2).tolist()
    [0.0, 0.05, 0.1]
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
    wide = _nice((high - low) / MOST_BARS) if high > low else 1.0
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


def _nice(least: float) -> float:
    """Return the smallest of 1, 2 and 5 times a power of ten that is at least so much."""
    power = 10.0 ** math.floor(math.log10(least)) if least > 0 else 0.0
    times = (it for it in (1, 2, 5, 10) if it * power >= least * (1 - 1e-9))
    return float(f"{next(times, 0) * power:.3g}")


# --- as a plot ----------------------------------------------------------------------------------


def panels_beside(found: Sequence[ColumnBeside], dates: Collection[str] = ()) -> tuple[Panel, ...]:
    """Return a panel for each column: the copy as bars, the raw table as a line around them."""
    return tuple(_panel(it, dated=it.name in dates) for it in found)


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
    title = f"{it.name}: off by {100 * it.off:.1f} points"
    return Panel(marks, x, Axis(WHAT, (0.0, top)), title)


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
    said = []
    if it.missing or it.missing_of_copy:
        said.append(f"missing {_percent(it.missing)}, copy {_percent(it.missing_of_copy)}")
    if it.beyond:
        said.append(BEYOND)
    return "; ".join(said)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


# --- as text ------------------------------------------------------------------------------------


def text_beside(found: Sequence[ColumnBeside], dates: Collection[str] = ()) -> str:
    """Return the same as text of 88 columns: for each column a line a bar, raw and copy beside.

    Examples
    --------
    >>> print(text_beside([ColumnBeside("sex", 0.25, (), ("f", "m"), (0.5, 0.5), (0.25, 0.75))]))
    sex: off by 25.0 points
                              raw                            copy
    f                          50.0 % ██████████████▌         25.0 % ███████▌
    m                          50.0 % ██████████████▌         75.0 % ██████████████████████
    """
    return "\n\n".join("\n".join(_lines(it, dated=it.name in dates)) for it in found)


def _lines(it: ColumnBeside, *, dated: bool) -> list[str]:
    names = it.names or _names_of_bins(it.edges, dated=dated)
    raw, copy = list(it.raw), list(it.of_copy)
    longest = max(*raw, *copy, 1e-9)
    lines = [f"{it.name}: off by {_points(it.off)}", _line("", "raw", "copy")]
    if it.missing or it.missing_of_copy:
        names = (*names, "(missing)")
        raw, copy = [*raw, it.missing], [*copy, it.missing_of_copy]
        longest = max(longest, *raw, *copy)
    for name, a, b in zip(names, raw, copy, strict=True):
        lines.append(
            _line(_short(name), *(f"{_percent(s):>7} {_bar(s / longest)}" for s in (a, b)))
        )
    return [*lines, *([BEYOND] if it.beyond else [])]


def _line(name: str, raw: str, copy: str) -> str:
    return f"{name:<{LABEL}}  {raw:<{LONGEST + 8}} {copy}".rstrip()


def _points(off: float) -> str:
    return f"{100 * off:.1f} points"


def _bar(part: float) -> str:
    halves = round(2 * LONGEST * part)
    return FULL * (halves // 2) + HALF * (halves % 2)


def _short(name: str) -> str:
    return name if len(name) <= LABEL else f"{name[: LABEL - 1]}…"


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
