"""Draw lines and intervals: cut at the axes without bending them, and rounded like all marks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from discreet.render.marks import GROUP, MARKERS, RAMP, Limits, coarse, inside, series_style
from discreet.render.scene import Intervals, Lines, Panel

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "cut",
    "interval_style",
    "intervals",
    "is_reference",
    "level_styles",
    "lines",
    "style",
    "through",
]

Point = tuple[float, float]

RAW, TREND, REFERENCE = "#cc3311", "#222222", "#808080"
LOOKS: dict[str, dict[str, Any]] = {
    "trend": {"color": TREND, "linewidth": 1.4},
    "raw": {"color": RAW, "linewidth": 3.8},  # seen on both sides of a trend that lies upon it
    "reference": {"color": REFERENCE, "linewidth": 0.9},
    "far reference": {"color": REFERENCE, "linewidth": 0.9},
    "level": {"linewidth": 1.5},
    "series": {"linewidth": 1.6, "markersize": 5.0},
}
SOLID: Any = "-"
BROKEN: tuple[Any, ...] = ((0, (4, 1.5)), (0, (1.2, 1.2)), (0, (7, 1.5, 1.2, 1.5)))
FAR: tuple[Any, ...] = ((0, (6, 4)), (0, (2, 2)), (0, (10, 2, 2, 2)))
RAW_BELOW = 0.05  # the raw line lies below the trend of what is drawn, whichever comes first
ROOM = 0.05  # lines go on a little outside the axes, so that no end of them is to be seen


def is_reference(mark: object) -> bool:
    """Say whether a mark is only compared with, and must not widen the axes."""
    return isinstance(mark, Lines) and mark.look in ("reference", "far reference")


def style(mark: Lines, panel: Panel) -> dict[str, Any]:
    """Give the colour, width and dashes of lines that are no levels.

    Lines of one look and several labels have dashes of their own, in the order of the labels;
    those of a series have a colour and a mark, too, so that none is told by colour alone.
    """
    alike = (m.label for m in panel.marks if isinstance(m, Lines) and m.look == mark.look)
    order = list(dict.fromkeys(alike)).index(mark.label)
    dashes = FAR if mark.look == "far reference" else (SOLID, *BROKEN)
    look = {**LOOKS[mark.look], "linestyle": dashes[order % len(dashes)]}
    if mark.look == "series":
        look |= {"color": series_style(order)[0], "marker": MARKERS[order % len(MARKERS)]}
    return look


def level_styles(mark: Lines) -> dict[float, dict[str, Any]]:
    """Give each level its look, in even steps the higher the darker.

    The lightest colour of cells would hardly be seen as a line.
    """
    from matplotlib.colors import LinearSegmentedColormap, to_hex

    cmap = LinearSegmentedColormap.from_list("discreet", RAMP[1:])
    scale = sorted({*mark.scale, *mark.levels})
    last = len(scale) - 1
    return {
        level: {**LOOKS["level"], "color": to_hex(cmap(rank / last if last else 1.0))}
        for rank, level in enumerate(scale)
        if level in mark.levels
    }


def lines(ax: Axes, mark: Lines, panel: Panel) -> None:
    """Draw lines within the limits of the panel.

    Those to compare with are drawn within the limits that the axes have by then, and leave them
    alone.
    """
    from matplotlib.lines import Line2D

    levels = level_styles(mark) if mark.look == "level" else {}
    reference = is_reference(mark)
    across, up = panel.x.limits, panel.y.limits
    if reference:
        across, up = ax.get_xlim(), ax.get_ylim()
    x_room, y_room = _room(mark.x, across), _room(mark.y, up)
    for order, (xs, ys) in enumerate(zip(mark.x, mark.y, strict=True)):
        look = levels[mark.levels[order]] if levels else style(mark, panel)
        whole = list(zip(xs, ys, strict=True))
        if mark.look == "reference":
            whole = through(whole, x_room, y_room)
        for piece in cut(whole, x_room, y_room):
            places = [
                coarse([x for x, _ in piece], across or x_room),
                coarse([y for _, y in piece], up or y_room),
            ]
            # A line of one point would not be seen.
            more: dict[str, Any] = {"marker": "o", "markersize": 4} if len(set(piece)) == 1 else {}
            line = Line2D(
                places[0],
                places[1],
                **{**look, **more},
                solid_capstyle="butt",
                zorder=2.1 - reference - RAW_BELOW * (mark.look == "raw"),
            )
            if reference:
                ax.add_artist(line)
            else:
                ax.add_line(line)
    if not reference:
        ax.autoscale_view()


def interval_style(order: int) -> dict[str, Any]:
    """Give the colour and the marker of the series of intervals that is the `order`-th."""
    return {"color": series_style(order)[0], "marker": MARKERS[order % len(MARKERS)]}


def intervals(ax: Axes, mark: Intervals, panel: Panel) -> None:
    """Draw estimates lying in their intervals, the series of one tick one above the other.

    An interval that reaches out of fixed limits is cut there; an estimate outside is left out.
    """
    known = [end for row in mark.ends for ends in row if ends for end in ends]
    if not known:
        return
    across = panel.x.limits or (min(known), max(known))
    band = 0.6 * GROUP / max(len(mark.ends), 1)
    down = panel.y.limits is not None and panel.y.limits[0] > panel.y.limits[1]
    for order, row in enumerate(mark.ends):
        # The first series stands on top, whichever way the axis runs.
        shift = (order - (len(mark.ends) - 1) / 2) * band * (1 if down else -1)
        look = interval_style(order)
        for place, ends in enumerate(row):
            if ends is None:
                continue
            low, middle, high = ends
            height = round(place + shift, 6)
            if low <= max(across) and high >= min(across):
                drawn = coarse([max(low, min(across)), min(high, max(across))], across)
                ax.plot(drawn, (height, height), color=look["color"], linewidth=1.6)
            if inside(middle, across):
                ax.plot(coarse([middle], across), (height,), markersize=5.0, **look)


def cut(line: Sequence[Point], across: Limits, up: Limits) -> Iterator[list[Point]]:
    """Yield the pieces of a line that lie within limits, and as straight as the line."""
    piece: list[Point] = []
    for start, end in zip(line, line[1:] or line, strict=False):
        first, last = _part_within(start, end, across, up)
        if piece and (first > 0 or first > last):
            yield piece
            piece = []
        if first > last:
            continue
        piece = piece or [_between(start, end, first)]
        piece.append(_between(start, end, last))
        if last < 1:
            yield piece
            piece = []
    if piece:
        yield piece


def through(line: Sequence[Point], across: Limits, up: Limits) -> list[Point]:
    """Let a straight line of two points go on to the limits; other lines stay as they are."""
    if len(line) != 2 or line[0] == line[1]:
        return list(line)
    (x, y), (other_x, other_y) = line
    if x == other_x:
        return [(x, min(up)), (x, max(up))]
    slope = (other_y - y) / (other_x - x)
    ends = [(end, y + slope * (end - x)) for end in sorted(across)]
    return ends if all(math.isfinite(height) for _, height in ends) else list(line)


def _part_within(start: Point, end: Point, across: Limits, up: Limits) -> Point:
    """Say from where to where, of 0 to 1, a straight line is within; (1, 0) if nowhere."""
    first, last = 0.0, 1.0
    for one, other, limits in zip(start, end, (across, up), strict=True):
        low, high = sorted(limits)
        way = other - one
        if not math.isfinite(way):
            return 1.0, 0.0
        if way == 0:
            if not low <= one <= high:
                return 1.0, 0.0
            continue
        enter, leave = sorted(((low - one) / way, (high - one) / way))
        first, last = max(first, enter), min(last, leave)
    return (first, last) if first <= last else (1.0, 0.0)


def _between(start: Point, end: Point, share: float) -> Point:
    if share in (0.0, 1.0):
        return end if share else start
    x, y = (one + share * (other - one) for one, other in zip(start, end, strict=True))
    return x, y


def _room(values: Sequence[Sequence[float]], limits: Limits | None) -> Limits:
    """Give the limits, and a little more; or where there are none, those of the values."""
    if limits is None:
        known = [v for line in values for v in line if math.isfinite(v)]
        return min(known, default=0.0), max(known, default=1.0)
    low, high = sorted(limits)
    span = (high - low) or abs(high) or 1.0  # as `coarse` has it
    return low - ROOM * span, high + ROOM * span
