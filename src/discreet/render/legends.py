"""The legends of a Scene in matplotlib: what its colours, signs and sizes stand for."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from discreet.render.figure_file import INK, LITERAL, points, printable, with_minus
from discreet.render.marks import (
    HIDDEN_LOOK,
    box_colours,
    box_groups,
    interval_style,
    level_styles,
    place_of,
    series_names,
    series_style,
    size_scale,
    sizes_within,
    style,
)
from discreet.render.scene import Boxes, Cells, Columns, Dots, Intervals, Lines, Panel

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_LETTERS = 24  # of a line of a legend
MOST_LEVELS = 8


@dataclass(frozen=True)
class Entry:
    """One line of a legend: its words, and the sign before them as drawing settings.

    `sign` is "line", "dot", "patch" or, for words that stand over what follows, "head".
    """

    words: str
    sign: str
    look: tuple[tuple[str, Any], ...] = ()


def entries_of(panel: Panel, side: float) -> tuple[Entry, ...]:
    """List what needs words in one panel, whose shorter side is so many points long.

    The panel's own title of its legend comes first, and what stands under another heading last.
    """
    plain: list[Entry] = []
    headed: list[Entry] = []
    gridded = [mark for mark in panel.marks if isinstance(mark, Dots) and mark.by_size]
    for mark in panel.marks:
        if isinstance(mark, Lines) and any(mark.x):
            if mark.look == "level":
                headed += _levels(mark)
            elif mark.label:
                plain.append(_entry(mark.label, "line", **style(mark, panel)))
        elif isinstance(mark, Dots) and mark.series and mark.x:
            color, marker, _ = series_style(place_of(mark.series, series_names(panel), panel.order))
            plain.append(_entry(mark.series, "dot", color=color, marker=marker, markersize=5.0))
        elif isinstance(mark, Columns):
            plain += _columns(mark, panel)
        elif isinstance(mark, Boxes) and mark.group:
            color, pale = box_colours(place_of(mark.group, box_groups(panel), panel.order))
            plain.append(_entry(mark.group, "patch", facecolor=pale, edgecolor=color))
        elif isinstance(mark, Intervals):
            placed = ((it, place_of(it, mark.series, panel.order)) for it in mark.series)
            looks = [(name, interval_style(place)) for name, place in placed]
            plain += [_entry(n, "dot", markersize=5.0, **look) for n, look in looks if n]
    sizes = _sizes(gridded, panel, side) if gridded else []
    title = [_entry(panel.legend, "head")] if plain and panel.legend else []
    return tuple(dict.fromkeys([*title, *plain, *headed, *sizes]))


def _entry(words: str, sign: str, **look: Any) -> Entry:
    return Entry(words, sign, tuple(sorted(look.items())))


def _levels(mark: Lines) -> list[Entry]:
    """Name the levels, the highest first; of very many only some, in even steps."""
    styles = level_styles(mark)
    named = sorted(styles, reverse=True)
    if len(named) > MOST_LEVELS:
        steps = MOST_LEVELS - 1
        named = [named[round(i * (len(named) - 1) / steps)] for i in range(MOST_LEVELS)]
    digits = next(
        (d for d in range(3, 17) if len({_number(v, d) for v in named}) == len(named)), 17
    )
    head = [_entry(mark.label, "head")] if mark.label else []
    return head + [_entry(_number(v, digits), "line", **styles[v]) for v in named]


def _number(value: float, digits: int) -> str:
    """Write a number of so many digits, or of all before the point where it is not too long."""
    if 1 <= abs(value) < 1e7:
        digits = max(digits, 1 + math.floor(math.log10(abs(value))))
    return with_minus(f"{value:.{digits}g}")


def _columns(mark: Columns, panel: Panel) -> list[Entry]:
    found = []
    for name in mark.series:
        color, _, hatch = series_style(place_of(name, mark.series, panel.order))
        if name:
            found.append(_entry(name, "patch", facecolor=color, hatch=hatch, edgecolor="white"))
    if any(height is None for heights in mark.heights for height in heights):
        found.append(_entry("hidden", "patch", **HIDDEN_LOOK))
    return found


def _sizes(gridded: Sequence[Dots], panel: Panel, side: float) -> list[Entry]:
    """Say how many records a dot of which area stands for."""
    from matplotlib.ticker import MaxNLocator

    sizes = sizes_within(gridded, panel)
    if not sizes:
        return []
    ticks = MaxNLocator(3, steps=[1, 2, 5, 10], integer=True).tick_values(0, max(sizes))
    steps = [tick for tick in ticks if min(sizes) <= tick <= max(sizes)] or [max(sizes)]
    names = series_names(panel)
    color, scale = series_style(0)[0] if len(names) < 2 else "#888888", size_scale(panel, side)
    look = {"color": color, "marker": "o", "alpha": 0.7, "markeredgecolor": "white"}
    return [
        _entry(gridded[0].label, "head"),
        *(_entry(f"{n:g}", "dot", markersize=math.sqrt(scale * n), **look) for n in steps),
    ]


def legends(axes: Sequence[Axes], panels: Sequence[Panel], columns: int | None) -> None:
    """Write the legends of panels: one for all that agree, at the right end of the first row.

    `columns` is how many panels stand side by side; None, as on axes that are given, lets each
    have its own.
    """
    each = [entries_of(panel, min(points(ax))) for ax, panel in zip(axes, panels, strict=True)]
    fullest = max(each, key=len)
    agree = sum(map(bool, each)) > 1 and all(set(entries) <= set(fullest) for entries in each)
    if agree and columns is not None:
        right = min(columns, len(axes)) - 1
        _write(axes[right], fullest, panels[right])
        return
    for ax, panel, entries in zip(axes, panels, each, strict=True):
        if entries:
            _write(ax, entries, panel)


def _write(ax: Axes, entries: Sequence[Entry], panel: Panel) -> None:
    titled = entries[0].sign == "head"
    title, lines = list(entries[:titled]), list(entries[titled:])
    where: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0), "frameon": False}
    # A colour bar takes the place beside the axes, and cells all within.
    if any(
        isinstance(mark, Cells) for mark in panel.marks
    ):  # it stands on the cells, in the corner where it hides the least of lines
        where = {"loc": "best", "framealpha": 0.85, "edgecolor": "none"}
    large = any(entry.sign == "dot" and dict(entry.look)["markersize"] > 6 for entry in lines)
    legend = ax.legend(
        [_sign(entry) for entry in lines],
        ["-"] * len(lines),  # matplotlib would leave out a name that begins with _
        labelspacing=0.9 if large else 0.5,
        handlelength=2.4,  # all of a pattern of dashes and dots is seen
        alignment="left",
        title="-" if titled else None,
        fontsize="small",
        title_fontsize="small",
        **where,
    )
    legend.set_zorder(5)
    wide = ax.figure.bbox.width * 72 / ax.figure.dpi
    letters = int(min(MOST_LETTERS, max(8, 0.5 * wide / float(legend.get_title().get_fontsize()))))
    texts = [*legend.get_texts(), *([legend.get_title()] if titled else [])]
    within = [f"{it.words}:" if it.sign == "head" else it.words for it in lines]
    for text, said in zip(texts, [*within, *(it.words for it in title)], strict=True):
        text.set(color=INK, **LITERAL)
        words = textwrap.fill(printable(said), letters, max_lines=3, placeholder="…")
        text.set_text(words)


def _sign(entry: Entry) -> Any:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    look = dict(entry.look)
    if entry.sign == "patch":
        return Patch(**look)
    if entry.sign == "line":
        return Line2D([], [], **look)
    return Line2D([], [], linestyle="none", **look)
