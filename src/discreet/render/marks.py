"""Draw the marks that fill: bars, columns, boxes, cells and dots.

Places are rounded to what an eye can tell apart and what lies outside the axes is left out,
because an SVG or a PDF keeps every digit and every mark it is given.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from discreet.render.figure_file import LITERAL, frame, points, printable, with_minus
from discreet.render.scene import (
    Axis,
    Bands,
    Bars,
    Boxes,
    Cells,
    Columns,
    Dots,
    Intervals,
    Lines,
    Panel,
    Violins,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Limits = tuple[float, float]

ACCENT, PALE, DARK, HIDDEN = "#4477aa", "#dbe6f1", "#10202f", "#f5f5f5"
RAMP = ("#cfe0ef", "#8fb3d5", "#5389bb", "#235c90", "#0a2c50")  # light to dark, in even steps
SIGNED = ("#a34c00", "#e8a35c", "#f4f1ec", "#7fa9d1", "#1d4f86")  # below 0, about 0, above
DOT, LARGEST_DOT = 0.02, 0.07  # diameters, as parts of the shorter side of the axes
LEAST_DOT = 1.2  # points: one record among millions is still seen
MANY_DOTS = 2000

# Apart from each other, from white and from the red of raw lines, also to the colour-blind.
SERIES = (ACCENT, "#e69f00", "#009e73", "#aa3377", "#56b4e9", "#332288", "#eecc66", "#997700")
MARKERS, HATCHES = ("o", "s", "^", "D"), ("", "////", "....", "xxxx")  # for more series than that

GROUP = 0.8  # how much of the place of a group its columns take
SIGN = 5.0  # points that the sign of a hidden bar hangs below the axis, short of the names there
HIDDEN_LOOK: dict[str, Any] = {
    "facecolor": "white",
    "edgecolor": "#999999",
    "hatch": "//////",
    "linewidth": 0.6,
}


def bars(ax: Axes, mark: Bars, panel: Panel) -> None:
    """Draw a histogram; what is hidden is drawn by `hidden_signs`."""
    ends = zip(mark.edges[:-1], mark.edges[1:], mark.heights, strict=True)
    shown = [(left, right, height) for left, right, height in ends if height is not None]
    if not shown:
        return
    across = panel.x.limits or (shown[0][0], shown[-1][1])
    up = panel.y.limits or (0.0, max(height for _, _, height in shown))
    lefts = coarse([left for left, _, _ in shown], across)
    rights = coarse([right for _, right, _ in shown], across)
    widths = [right - left for left, right in zip(lefts, rights, strict=True)]
    heights = coarse([height for _, _, height in shown], up)
    ax.bar(
        lefts,
        heights,
        widths,
        align="edge",
        color=ACCENT,
        edgecolor=[  # a white edge would wipe out a bar that is hardly wider than it
            ACCENT
            if width < 0.01 * (across[1] - across[0]) or 0 < height < 0.01 * up[1]
            else "white"
            for width, height in zip(widths, heights, strict=True)
        ],
        linewidth=0.6,
    )
    ax.margins(x=0.02)


def columns(ax: Axes, mark: Columns, panel: Panel) -> None:
    """Draw upright bars in groups; what is hidden is drawn by `hidden_signs`."""
    shown = [height for heights in mark.heights for height in heights if height is not None]
    if not any(shown) and panel.y.limits is None:
        ax.update_datalim([(0, 0), (0, 1)])  # columns of no height stand on the lower edge
    if not shown:
        return
    up = panel.y.limits or (min(0.0, *shown), max(0.0, *shown))
    width = GROUP / len(mark.heights)
    for order, heights in enumerate(mark.heights):
        places = _column_places(mark, order)
        drawn = [(x, h) for x, h in zip(places, heights, strict=True) if h is not None]
        color, _, hatch = series_style(_place_of_row(mark, order, panel))
        ax.bar(
            [x for x, _ in drawn],
            coarse([height for _, height in drawn], up) if drawn else [],
            width,
            color=color,
            hatch=hatch,
            edgecolor="white",
            linewidth=min(0.6, 40 * width / len(heights)),
        )


def hidden_signs(ax: Axes, mark: Bars | Columns) -> None:
    """Mark each hidden bar below the axis, where no sign is taller than a small bar."""
    from matplotlib.patches import Rectangle
    from matplotlib.transforms import ScaledTranslation, blended_transform_factory

    down = ScaledTranslation(0, -SIGN / 72, ax.figure.figure.dpi_scale_trans)
    below = blended_transform_factory(ax.transData, ax.transAxes) + down
    low, high = across = ax.get_xlim()
    if isinstance(mark, Bars):
        each = zip(mark.edges[:-1], mark.edges[1:], mark.heights, strict=True)
        hidden = [(left, right) for left, right, height in each if height is None]
    else:
        half = 0.4 * (GROUP / max(len(mark.heights), 1))
        hidden = [
            (x - half, x + half)
            for order, heights in enumerate(mark.heights)
            for x, height in zip(_column_places(mark, order), heights, strict=True)
            if height is None
        ]
    for ends in hidden:
        left, right = coarse([min(max(end, low), high) for end in ends], across)
        if left < right:
            look = {**HIDDEN_LOOK, "transform": below, "clip_on": False}
            sign = Rectangle((left, 0), right - left, SIGN / points(ax)[1], **look)
            sign.set_in_layout(False)
            ax.add_artist(sign)


def _column_places(mark: Columns, order: int) -> list[float]:
    """Give the middles of the columns of the series that is the `order`-th."""
    width = GROUP / len(mark.heights)
    shift = (order + 0.5) * width - GROUP / 2
    return [round(group + shift, 6) for group in range(len(mark.heights[order]))]


def dots(ax: Axes, mark: Dots, panel: Panel) -> None:
    """Draw points, those outside of fixed limits left out."""
    from matplotlib.colors import to_hex, to_rgb, to_rgba

    kept = [
        (x, y, size)
        for x, y, size in zip(mark.x, mark.y, mark.size, strict=True)
        if inside(x, panel.x.limits) and inside(y, panel.y.limits)
    ]
    if not kept:
        return
    xs, ys, sizes = zip(*kept, strict=True)
    places = coarse(xs, panel.x.limits), coarse(ys, panel.y.limits)
    names = series_names(panel)
    color, marker, _ = series_style(place_of(mark.series, names, panel.order) if mark.series else 0)
    if mark.by_size:
        scale = size_scale(panel, min(points(ax)))
        areas = [max(scale * size, LEAST_DOT**2) for size in sizes]
        look: dict[str, Any] = {"alpha": 0.7, "edgecolors": "white", "linewidths": 0.5}
        ax.scatter(*places, s=areas, c=color, marker=marker, **look)
        return
    alpha = 0.55 if len(kept) <= MANY_DOTS else 0.25
    area = min(4.0, DOT * min(points(ax))) ** 2
    if not mark.series:
        colors = [to_rgba(DARK, 0.9) if size > 1 else to_rgba(ACCENT, alpha) for size in sizes]
        ax.scatter(*places, s=area, c=colors, linewidths=0)
        return
    red, green, blue = to_rgb(color)
    darker = to_hex((0.6 * red, 0.6 * green, 0.6 * blue))
    ax.scatter(
        *places,
        s=1.6 * area,  # colours are told apart on what is not too small
        c=[to_rgba(darker, 0.9) if n > 1 else to_rgba(color, alpha + 0.2) for n in sizes],
        marker=marker,
        edgecolors=[to_rgba(DARK, 0.9 if size > 1 else 0.0) for size in sizes],
        linewidths=0.9,
    )


def series_names(panel: Panel) -> list[str]:
    """Name the series of dots of a panel, in the order of their colours."""
    return list(dict.fromkeys(m.series for m in panel.marks if isinstance(m, Dots) and m.series))


def place_of(name: str, drawn: Sequence[str], order: Sequence[str]) -> int:
    """Give the place by which a series has its colour, among all in order and then those drawn.

    Examples
    --------
    >>> place_of("high", ["low", "high"], ["low", "mid", "high"]), place_of("b", ["a", "b"], ())
    (2, 1)
    """
    return [*order, *(it for it in drawn if it not in order)].index(name)


def _place_of_row(mark: Columns | Intervals, row: int, panel: Panel) -> int:
    """Give the place by which a row of bars or intervals has its colour; one may have no name."""
    named = mark.series[row : row + 1]
    return place_of(named[0], mark.series, panel.order) if named else row


def series_style(order: int) -> tuple[str, str, str]:
    """Give the colour, the marker and the hatching of the series that is the `order`-th."""
    again = order // len(SERIES)
    return SERIES[order % len(SERIES)], MARKERS[again % 4], HATCHES[again % 4]


def size_scale(panel: Panel, side: float) -> float:
    """Give the area of a dot for one record: all dots of a panel have one scale."""
    gridded = [mark for mark in panel.marks if isinstance(mark, Dots) and mark.by_size]
    return (LARGEST_DOT * side) ** 2 / max(sizes_within(gridded, panel), default=1)


def sizes_within(marks: Sequence[Dots], panel: Panel) -> list[int]:
    """List the sizes of the dots within the limits of their panel."""
    return [
        size
        for mark in marks
        for x, y, size in zip(mark.x, mark.y, mark.size, strict=True)
        if inside(x, panel.x.limits) and inside(y, panel.y.limits)
    ]


def cells(ax: Axes, mark: Cells, panel: Panel) -> None:
    """Draw a grid of values; its colours are told by `colour_bar`."""
    import numpy as np

    values = np.ma.masked_invalid(np.array(mark.values, dtype=float).T)
    cmap, low, high = _colours([mark])
    ax.pcolormesh(
        coarse(mark.x_edges, panel.x.limits),
        coarse(mark.y_edges, panel.y.limits),
        values,
        cmap=cmap,
        vmin=low,
        vmax=high,
        edgecolors="white",
        linewidth=min(0.5, 9 / max(values.shape)),
    )
    _cell_words(ax, mark, lambda value: cmap((value - low) / (high - low)))


def _cell_words(ax: Axes, mark: Cells, colour: Callable[[float], Sequence[float]]) -> None:
    """Write the texts of cells, white on dark ones."""
    across, up = points(ax)
    room = min(across / 3.2 / len(mark.values), up / 2 / max(map(len, mark.values), default=1))
    for i, line in enumerate(mark.texts):
        for j, text in enumerate(line):
            if not text or (value := mark.values[i][j]) is None:
                continue
            red, green, blue, *_ = colour(value)
            dark = 0.3 * red + 0.59 * green + 0.11 * blue < 0.5
            ax.text(
                sum(mark.x_edges[i : i + 2]) / 2,
                sum(mark.y_edges[j : j + 2]) / 2,
                with_minus(printable(text)),
                size=min(9.0, room),
                color="white" if dark else DARK,
                ha="center",
                va="center",
                clip_on=True,
                **LITERAL,
            )


def colour_bar(axes: Sequence[Axes], marks: Sequence[Cells]) -> None:
    """Stand one colour bar beside axes whose cells have the same colours."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    shown = _shown(marks)
    if not shown:
        return
    cmap, low, high = _colours(marks)
    rows = len({round(ax.get_position().y0, 3) for ax in axes})
    bar = axes[0].figure.colorbar(
        ScalarMappable(Normalize(low, high), cmap), ax=list(axes), pad=0.02, aspect=28 * rows
    )
    bar.outline.set_visible(False)
    frame(bar.ax.yaxis, Axis(marks[0].label), points(axes[0])[1])
    values = {*shown, *(marks[0].span or ())}
    if len(values) == 1:
        bar.set_ticks(list(values))
    else:
        bar.ax.locator_params(axis="y", integer=all(value == round(value) for value in shown))


def _shown(marks: Sequence[Cells]) -> list[float]:
    return [v for mark in marks for line in mark.values for v in line if v is not None]


def _colours(marks: Sequence[Cells]) -> tuple[Any, float, float]:
    """Give the colour map, and the values of its lightest and its darkest colour."""
    from matplotlib.colors import LinearSegmentedColormap

    shown = _shown(marks)
    low, high = marks[0].span or (min(shown, default=0.0), max(shown, default=1.0))
    ramp: Sequence[str] = SIGNED if marks[0].signed else RAMP
    if low == high:  # one value has one colour, and stands in the middle of its bar
        ramp, low, high = RAMP[-1:] * 2, low - 1, high + 1
    cmap = LinearSegmentedColormap.from_list("discreet", ramp).with_extremes(bad=HIDDEN)
    return cmap, low, high


def boxes(ax: Axes, mark: Boxes, panel: Panel) -> None:
    """Draw boxes side by side, with what is known of each."""
    drawn = [v for box in mark.boxes for v in (box.low, box.high, *box.outliers)]
    limits = panel.y.limits or (min(drawn, default=0.0), max(drawn, default=1.0))
    color, pale, order, wide = _box_look(mark, panel)
    line = {"color": color, "linewidth": 1.1}
    point = {"markeredgecolor": "white", "markeredgewidth": 0.6}
    for place, box in zip(_box_places(mark, panel, order, wide), mark.boxes, strict=True):
        five = (box.low, box.q1, box.median, box.q3, box.high)
        names = ("whislo", "q1", "med", "q3", "whishi")
        stats: dict[str, Any] = dict(zip(names, coarse(five, limits), strict=True))
        stats["fliers"] = coarse([v for v in box.outliers if inside(v, limits)], limits)
        if box.mean is not None:
            (stats["mean"],) = coarse([box.mean], limits)
        ax.bxp(
            [stats],
            positions=[place],
            widths=0.5 * wide,
            manage_ticks=False,
            patch_artist=True,
            showfliers=bool(stats["fliers"]),
            showmeans=box.mean is not None,
            boxprops={"facecolor": pale, "edgecolor": color, "linewidth": 1.1},
            medianprops={"color": DARK, "linewidth": 1.8, "solid_capstyle": "butt"},
            whiskerprops=line,
            capprops=line,
            flierprops={"marker": "o", "markersize": 4, "markerfacecolor": color, **point},
            meanprops={"marker": "D", "markersize": 5.5, "markerfacecolor": DARK, **point},
        )


def box_groups(panel: Panel) -> list[str]:
    """Name the groups of boxes of a panel, in the order of their colours."""
    return list(dict.fromkeys(m.group for m in panel.marks if isinstance(m, Boxes) and m.group))


def box_colours(order: int) -> tuple[str, str]:
    """Give the colour of the lines of a group's boxes, and the pale one within."""
    from matplotlib.colors import to_hex, to_rgb

    color, *_ = series_style(order)
    red, green, blue = (1 - 0.3 * (1 - part) for part in to_rgb(color))
    return color, to_hex((red, green, blue))


def _box_look(mark: Boxes, panel: Panel) -> tuple[str, str, int, float]:
    """Give the colours of boxes, which of the groups they are, and how wide each is drawn."""
    groups = box_groups(panel)
    if not mark.group:
        return ACCENT, PALE, 0, 1.0
    colours = box_colours(place_of(mark.group, groups, panel.order))
    wide = 1.5 / len(groups) if len(groups) > 1 else 1.0
    return (*colours, groups.index(mark.group), wide)


def _box_places(mark: Boxes, panel: Panel, order: int, wide: float) -> list[float]:
    """Say where boxes stand: one after the other, or those of groups beside others at a tick."""
    if not mark.group:
        return [float(place) for place in range(len(mark.boxes))]
    count = len(box_groups(panel))
    shift = (order - (count - 1) / 2) * GROUP / count
    return [round(panel.x.ticks.index(box.label) + shift, 6) for box in mark.boxes]


def inside(value: float, limits: Limits | None) -> bool:
    """Say whether a value lies within limits, if there are any."""
    return limits is None or min(limits) <= value <= max(limits)


def coarse(values: Sequence[float], limits: Limits | None = None) -> list[float]:
    """Round to a thousandth of the axis or finer, and cut off a little way outside of it."""
    low, high = sorted(limits or (min(values), max(values)))
    span = (high - low) or abs(high) or 1.0
    digits = 3 - math.floor(math.log10(span))
    return [round(min(max(v, low - span / 20), high + span / 20), digits) for v in values]


Point = tuple[float, float]

RAW, TREND, REFERENCE = "#cc3311", "#222222", "#808080"
REFERENCES = ("reference", "far reference")  # only compared with: they must not widen the axes
LOOKS: dict[str, dict[str, Any]] = {
    "trend": {"color": TREND, "linewidth": 1.4},
    "raw": {"color": RAW, "linewidth": 3.8},  # seen on both sides of a trend that lies upon it
    "reference": {"color": REFERENCE, "linewidth": 0.9},
    "far reference": {"color": REFERENCE, "linewidth": 0.9},
    "level": {"linewidth": 1.5},
    "series": {"linewidth": 1.6, "markersize": 5.0},
    "curve": {"linewidth": 1.6},
}
SOLID: Any = "-"
BROKEN: tuple[Any, ...] = ((0, (4, 1.5)), (0, (1.2, 1.2)), (0, (7, 1.5, 1.2, 1.5)))
FAR: tuple[Any, ...] = ((0, (6, 4)), (0, (2, 2)), (0, (10, 2, 2, 2)))
OF_GROUP, AROUND = 2.2, 1.8  # how wide a trend is among dots of its colour, and what parts it
BAND = 0.16  # how dark a band is: lines, and other bands, are seen through it
RAW_BELOW = 0.05  # the raw line lies below the trend of what is drawn, whichever comes first
ROOM = 0.05  # lines go on a little outside the axes, so that no end of them is to be seen


def style(mark: Lines, panel: Panel) -> dict[str, Any]:
    """Give the colour, width and dashes of lines that are no levels.

    Lines of one look and several labels have dashes of their own, by the places of the labels;
    those of a series have a colour and a mark, too, and curves a colour: none is told by it alone.
    Where colours begin again, dashes and marks are those of another one before.
    """
    alike = (m.label for m in panel.marks if isinstance(m, Lines) and m.look == mark.look)
    known = panel.order if mark.look in ("series", "curve") else ()
    order = place_of(mark.label, list(dict.fromkeys(alike)), known)
    dashes = FAR if mark.look == "far reference" else (SOLID, *BROKEN)
    turn = order + order // len(SERIES)  # or the ninth line would be the first one once more
    look = {**LOOKS[mark.look], "linestyle": dashes[turn % len(dashes)]}
    if mark.look in ("series", "curve"):
        look["color"] = series_style(order)[0]
    if mark.group in (names := series_names(panel)):
        look |= {"color": series_style(names.index(mark.group))[0], "linewidth": OF_GROUP}
    if mark.look == "series":
        look["marker"] = MARKERS[turn % len(MARKERS)]
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
    reference = mark.look in REFERENCES
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
            zorder = 2.1 - reference - RAW_BELOW * (mark.look == "raw")
            if mark.group and look["linewidth"] == OF_GROUP:  # or it would be lost among the dots
                wide = OF_GROUP + AROUND
                around = Line2D(places[0], places[1], color="white", linewidth=wide)
                around.set(solid_capstyle="butt", zorder=zorder - 0.01)
                ax.add_line(around)
            line = Line2D(
                places[0], places[1], **{**look, **more}, solid_capstyle="butt", zorder=zorder
            )
            if reference:
                ax.add_artist(line)
            else:
                ax.add_line(line)
    if not reference:
        ax.autoscale_view()


def bands(ax: Axes, mark: Bands, panel: Panel) -> None:
    """Shade what lies between two lines, within fixed limits."""
    names = list(dict.fromkeys(it.label for it in panel.marks if isinstance(it, Bands)))
    color = series_style(place_of(mark.label, names, panel.order))[0]
    across, up = panel.x.limits, panel.y.limits
    for x, low, high in zip(mark.x, mark.low, mark.high, strict=True):
        known = up or (min(low), max(high))
        ends = (coarse(low, known), coarse(high, known))
        ax.fill_between(coarse(x, across), *ends, color=color, alpha=BAND, linewidth=0, zorder=1.5)


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
        look = interval_style(_place_of_row(mark, order, panel))
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


FEW = 0.18  # how far apart two numbers are at least, as a part of the axis
STEPS = (1.0, 2.0, 5.0, 10.0)


def round_numbers(scale: tuple[float, float], least: float) -> tuple[tuple[float, str], ...]:
    """Return the place (0 to 1) and the name of round numbers strictly between the ends of an axis.

    They follow from the ends alone, so they tell nothing that the ends do not. Each takes `least`
    of the axis; there are none where names of seven digits would not tell where they stand.

    Examples
    --------
    >>> round_numbers((0.0, 1.0), 0.3)
    ((0.5, '0.5'),)
    """
    low, high = scale
    span = high - low
    wanted = span * max(least, FEW)
    if not (0 < wanted < math.inf):
        return ()
    power = 10.0 ** math.floor(math.log10(wanted))
    if power == 0 or not math.isfinite(low / power) or not math.isfinite(high / power):
        return ()
    step = next((m * power for m in STEPS if m * power >= wanted * (1 - 1e-9)), 10 * power)
    first, last = math.floor(low / step) + 1, math.ceil(high / step) - 1
    # as many as there can be: of ends that are nearly the same, steps are lost in rounding
    numbers = [k * step for k in range(first, min(last, first + int(1 / FEW) + 1) + 1)]
    places = [(number - low) / span for number in numbers]
    found = tuple(
        (place, f"{number:.7g}")
        for place, number in zip(places, numbers, strict=True)
        if least <= place <= 1 - least and 0 < place < 1
    )
    true = all(abs(low + place * span - float(name)) <= step / 50 for place, name in found)
    return found if true else ()


def violins(ax: Axes, mark: Violins, panel: Panel) -> None:
    """Draw a shape about each tick, a bar between its quartiles and a dot at its median."""
    drawn = [value for it in mark.violins for value in it.values]
    limits = panel.y.limits or (min(drawn, default=0.0), max(drawn, default=1.0))
    for place, it in enumerate(mark.violins):
        values = coarse(it.values, limits)
        halves = [round(half, 4) for half in it.halves]
        left, right = ([place + sign * half for half in halves] for sign in (-1, 1))
        ax.fill_betweenx(values, left, right, facecolor=PALE, edgecolor=ACCENT, linewidth=1.1)
        q1, median, q3 = coarse([it.q1, it.median, it.q3], limits)
        ax.vlines(place, q1, q3, color=DARK, linewidth=4)
        look: dict[str, Any] = {
            "markerfacecolor": "white",
            "markeredgecolor": DARK,
            "markeredgewidth": 1.0,
        }
        ax.plot([place], [median], "o", markersize=5.5, **look)
