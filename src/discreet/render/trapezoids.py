"""Draw parallel coordinates: uprights, and between them clusters as trapezoids, or strands.

Ends are rounded like all marks, so an SVG tells no more of a cluster than its pixels; the layers
that make a fuzzy edge follow from the rounded ends alone.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from discreet.render.figure_file import GREY, INK, LITERAL, fit, points, printable, width_of
from discreet.render.marks import ACCENT, HIDDEN, coarse, round_numbers
from discreet.render.scene import Panel, Strands, Trapezoids, Upright, Uprights

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Ends = tuple[float, float, float, float]  # low and high on the left, low and high on the right

# From narrow to wide; the middle is light, because orange and blue make mud.
SHADES = ("#e87700", "#f0a850", "#d0c3c6", "#82aedb", "#1f5fae")
PALE, APART = "#d3d7dd", "#882255"
GROUND = (1.0, 1.0, 1.0, 0.85)  # under what is lit, and under words

FAINTEST, STRONGEST = 0.2, 0.8  # how opaque a trapezoid is in its middle
THICK = 2.0  # where trapezoids lie one upon the other so deep, they are at their strongest
WIDE = 0.75  # of that, what the widest ones have
LIT, BEHIND = 0.88, 0.5  # how opaque those are that are lit, and what the others keep
STRAND = 0.35
THINNEST = 0.75  # points: a pixel of a screen
LAYER = 2.0  # points a layer of a fuzzy edge takes
MOST = 24  # layers
LEAST = 0.05  # how opaque a layer is; fainter ones would lose their hue where colours are whole
POLYGONS = 2400  # of a gap: an SVG lists them one by one
BETWEEN, UPON, WORDS = 1.5, 2.5, 3.0  # what lies in front of what: gaps, axes, words

SMALL = 0.8  # letters beside the axes, of the size of the others
SMALLEST = 0.68  # and what the others may shrink to
LEADING = 1.2  # from line to line, of the size of the letters


def colour(ends: Ends, span: tuple[float, float]) -> tuple[float, float, float]:
    """Give the colour of a trapezoid: orange if narrow, blue if wide, in even steps of its log."""
    from matplotlib.colors import to_rgb

    share = _share(ends, span)
    step = min(int(share * (len(SHADES) - 1)), len(SHADES) - 2)
    rest = share * (len(SHADES) - 1) - step
    one, other = to_rgb(SHADES[step]), to_rgb(SHADES[step + 1])
    red, green, blue = (round(a + rest * (b - a), 3) for a, b in zip(one, other, strict=True))
    return red, green, blue


def layers(ends: Ends, height: float, most: int) -> list[Ends]:
    """List the nested trapezoids of a fuzzy one, the outermost first, on axes so many points high.

    All have the middle line of the whole, and no end is thinner than a pixel; the more points a
    trapezoid takes, the more layers it has, and `most` at most.
    """
    count = max(1, min(most, _wanted(ends, height)))
    steps = [step / count for step in range(count)]
    # Half a cone, half a raised cosine: no hard edge outside, no sharp ridge inside.
    shares = [(1 - step + math.acos(2 * step - 1) / math.pi) / 2 for step in steps]
    return [_shrunk(ends, share, THINNEST / height) for share in shares]


def trapezoids(ax: Axes, mark: Trapezoids, panel: Panel) -> None:
    """Draw the clusters of a gap: wide ones first, and those that are lit last."""
    from matplotlib.collections import PolyCollection

    if not mark.ends:
        _nothing(ax, mark.gap, panel)
        return
    height = points(ax)[1]
    wanted = [_wanted(ends, height) for ends in mark.ends]
    fits = (most for most in range(MOST, 1, -1) if sum(min(n, most) for n in wanted) <= POLYGONS)
    most = next(fits, 1)
    # The deeper they lie one upon the other, the less opaque they are.
    depth = max(sum(_spans(ends) / 2 for ends in mark.ends), THICK)
    strength = min(STRONGEST, max(FAINTEST, STRONGEST * math.sqrt(THICK / depth)))
    corners, faces, edges, widths = [], [], [], []
    # The widest first; those that are lit come after all others.
    lit_or_not: Sequence[bool | None] = mark.lit or (None,) * len(mark.ends)
    back_to_front = sorted(
        zip(mark.ends, lit_or_not, strict=True),
        key=lambda item: (item[1] is True, -round(_spans(item[0]), 6), item[0]),
    )
    for ends, lit in back_to_front:
        shown = _shrunk(ends, 1.0, THINNEST / height)
        whole = LIT if lit else strength * (WIDE + (1 - WIDE) * (1 - _share(ends, mark.span)))
        whole *= BEHIND if lit is False else 1.0
        enough = min(most, int(math.log(1 - whole) / math.log(1 - LEAST)))
        nested = layers(shown, height, enough) if mark.fuzzy else [shown]
        each = 1 - (1 - whole) ** (1 / len(nested))
        rgb, edge, width = _ruled(ends, lit, mark)
        fills = [(*rgb, round(each, 4))] * len(nested)
        if lit:  # what lies behind must not change its colour
            nested, fills = [shown, *nested], [GROUND, *fills]
        corners += [
            [(mark.gap, a), (mark.gap, b), (mark.gap + 1, d), (mark.gap + 1, c)]
            for a, b, c, d in nested
        ]
        faces += fills
        edges += [edge] * len(nested)
        widths += [width] + [0.0] * (len(nested) - 1)
    look: dict[str, Any] = {"facecolors": faces, "edgecolors": edges, "linewidths": widths}
    drawn = PolyCollection(corners, zorder=BETWEEN, clip_on=False, joinstyle="round", **look)
    drawn.set_in_layout(False)
    ax.add_collection(drawn, autolim=False)


def strands(ax: Axes, mark: Strands, panel: Panel) -> None:
    """Draw straight lines; those that coincide are one, and darker. Those that are lit are last."""
    from matplotlib.collections import LineCollection
    from matplotlib.colors import to_rgb

    found: Counter[tuple[bool, float, float]] = Counter()
    for (left, right), lit in zip(mark.ends, mark.lit or (False,) * len(mark.ends), strict=True):
        first, last = coarse((left, right), (0.0, 1.0))
        found[lit, first, last] += 1
    alpha = STRAND * (1.0 if mark.lit is None else BEHIND)
    plain = to_rgb(ACCENT if mark.lit is None else PALE)
    colors, lines, widths = [], [], []
    for (lit, left, right), times in sorted(found.items()):
        seen = 0.95 if lit else round(1 - (1 - alpha) ** times, 3)
        colors.append((*(to_rgb(SHADES[0]) if lit else plain), seen))
        lines.append([(mark.gap, left), (mark.gap + 1, right)])
        widths.append(1.4 if lit else 0.7)
    drawn = LineCollection(lines, colors=colors, linewidths=widths, zorder=BETWEEN, clip_on=False)
    drawn.set_in_layout(False)
    ax.add_collection(drawn, autolim=False)


def upright_axes(ax: Axes, mark: Uprights, panel: Panel) -> None:
    """Draw the axes, each with a tick at each level; a sensitive one is a double line."""
    ax.set_xlim(-0.5, max(len(mark.axes) - 0.5, 0.5))
    ax.set_ylim(-0.05, 1.2)
    ax.spines[:].set_visible(False)
    how: dict[str, Any] = {"solid_capstyle": "butt", "clip_on": False, "zorder": UPON}
    for i, axis in enumerate(mark.axes):
        if axis.apart:
            ax.plot((i, i), (0, 1), color=APART, lw=4.5, **how)
            ax.plot((i, i), (0, 1), color="white", lw=1.9, **how)
        else:
            ax.plot((i, i), (0, 1), color=INK, lw=1.3, **how)
        if axis.levels:
            places = coarse([place for place, _ in axis.levels], (0.0, 1.0))
            tick: dict[str, Any] = {"marker": "_", "markersize": 6.5, "markeredgewidth": 1.1}
            color = APART if axis.apart else INK
            ax.plot([i] * len(places), places, ls="none", color=color, **tick, **how)


def upright_words(ax: Axes, mark: Uprights) -> None:
    """Write the names above the axes, and what stands beside them; all of it within `ax`.

    How large `ax` is must be known: the axes take what the words leave.
    """
    import matplotlib

    if not mark.axes:
        return
    base = float(matplotlib.rcParams["font.size"])
    small = SMALL * base
    wide, high = points(ax)
    gap = _spread(ax, mark, wide, base)
    lines = max(1, min(3, int(0.12 * high / base)))
    above = LEADING * small * (1.4 if any(axis.ends for axis in mark.axes) else 0.8) + 3
    # Letters of names are a little smaller where that keeps words from being broken.
    words = [word for axis in mark.axes for word in printable(axis.label).split()]
    shares = [0.93 * 0.92 * gap / max(width_of(w, base), 1.0) for w in words]  # as `fit` has it
    letters = base * min((share for share in shares if SMALLEST <= share < 1), default=1.0)
    where = ("center", "baseline")
    names = [
        _write(ax, (i, 1), (0, above), axis.label, where, letters, 0.92 * gap, lines)
        for i, axis in enumerate(mark.axes)
    ]
    heads = [above + LEADING * base * (1 + name.get_text().count("\n")) for name in names]
    # Room for a badge in any case: with one and without, axes are of one length.
    top = max(heads) + LEADING * small + 6
    bottom = LEADING * small + 4 if any(axis.ends for axis in mark.axes) else 0.6 * small
    tall = max(high - top - bottom, 0.3 * high)
    ax.set_ylim(-bottom / tall, 1 + top / tall)
    for i, axis in enumerate(mark.axes):
        if axis.apart:
            ground = {"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": APART}
            look: dict[str, Any] = {"color": APART, "bbox": {**ground, "lw": 0.8}}
            foot = ("center", "bottom")
            _write(ax, (i, 1), (0, heads[i] + 2), "sensitive", foot, 0.9 * small, 99.0, 1, **look)
        for y, va, word in zip((0, 1), ("top", "bottom"), axis.ends or (), strict=False):
            shift = (0.0, 3.0 if y else -3.0)
            _write(ax, (i, y), shift, word, ("center", va), small, 0.92 * gap, 1)
        _write_levels(ax, mark, i, small, _beside(mark, i, wide, gap), tall)


def named_levels(
    levels: Sequence[tuple[float, str]], least: float
) -> tuple[tuple[float, str], ...]:
    """Choose the levels whose names do not overlap where each takes `least` of the axis.

    From the foot upwards each that has room, and the last at the head in any case.
    """
    kept: list[tuple[float, str]] = []
    rising = sorted(levels)
    for place, name in rising:
        if not kept or place - kept[-1][0] >= least:
            kept.append((place, name))
    if rising and kept[-1] != rising[-1] and len(kept) > 1:
        kept[-1] = rising[-1]
    return tuple(kept)


def _shrunk(ends: Ends, share: float, least: float) -> Ends:
    """Make both ends narrower about their middles, but `least` wide and within the axes."""
    left, right = (_around(low, high, share, least) for low, high in (ends[:2], ends[2:]))
    return *left, *right


def _around(low: float, high: float, share: float, least: float) -> tuple[float, float]:
    low, high = (min(max(end, 0.0), 1.0) for end in coarse((low, high), (0.0, 1.0)))
    half = max(share * (high - low), least) / 2
    middle = min(max((low + high) / 2, half), 1 - half)
    return round(middle - half, 5), round(middle + half, 5)


def _wanted(ends: Ends, height: float) -> int:
    """Say how many layers an eye could tell apart in a trapezoid."""
    return max(1, min(MOST, round(max(ends[1] - ends[0], ends[3] - ends[2]) * height / LAYER)))


def _share(ends: Ends, span: tuple[float, float]) -> float:
    """Say how wide a trapezoid is: 0 for the first of a span, 1 for the last, by its log."""
    narrowest, widest = span
    spans = min(max(_spans(ends), narrowest), widest)
    return math.log(spans / narrowest) / math.log(widest / narrowest)


def _spans(ends: Ends) -> float:
    return ends[1] - ends[0] + ends[3] - ends[2]


def _ruled(ends: Ends, lit: bool | None, mark: Trapezoids) -> tuple[Any, Any, float]:
    """Give the colour of a cluster, that of its outline, and how wide the outline is."""
    from matplotlib.colors import to_rgb

    red, green, blue = to_rgb(PALE) if lit is False else colour(ends, mark.span)
    if lit:
        return (red, green, blue), (0.5 * red, 0.5 * green, 0.5 * blue, 1.0), 1.2
    # Where clusters are narrow there would be nothing to see but dark outlines.
    edge = (0.8 * red, 0.8 * green, 0.8 * blue, 0.6)
    return (red, green, blue), edge, 0.0 if mark.fuzzy or lit is False else 0.35


def _nothing(ax: Axes, gap: int, panel: Panel) -> None:
    """Say in a gap that it shows nothing, on the ground of what is hidden."""
    import matplotlib
    from matplotlib.patches import Rectangle

    how: dict[str, Any] = {"facecolor": HIDDEN, "linewidth": 0, "zorder": BETWEEN}
    ax.add_artist(Rectangle((gap + 0.06, 0), 0.88, 1, **how)).set_in_layout(False)
    count = max((len(m.axes) for m in panel.marks if isinstance(m, Uprights)), default=2) or 2
    small = SMALL * float(matplotlib.rcParams["font.size"])
    room = 0.85 * points(ax)[0] / count
    where = ("center", "center")
    said = _write(
        ax, (gap + 0.5, 0.5), (0, 0), "nothing is shown", where, small, room, 4, color=GREY
    )
    said.set_in_layout(False)


def _spread(ax: Axes, mark: Uprights, wide: float, base: float) -> float:
    """Set where the axes stand, with room for words at both sides; return the points of a gap."""
    count = len(mark.axes)
    sides = [_beside(mark, i, wide, 0.0) + 8.0 for i in (0, count - 1)]
    gaps = max(count - 1, 1)
    first = (wide - sum(sides)) / gaps
    for side, axis in enumerate((mark.axes[0], mark.axes[-1])):
        words = [axis.label, *(["sensitive"] if axis.apart else []), *(axis.ends or ())]
        widest = max(width_of(printable(word), base) for word in words)
        sides[side] = max(sides[side], 0.5 * min(1.05 * widest, 0.96 * first) + 2)
    gap = (wide - sum(sides)) / gaps
    ax.set_xlim(-sides[0] / gap, count - 1 + sides[1] / gap)
    return gap


def _beside(mark: Uprights, i: int, wide: float, gap: float) -> float:
    """Say how many points the names of levels may have, within a gap or beside the outer axes."""
    import matplotlib

    if 0 < i < len(mark.axes) - 1:
        return max(0.46 * gap, min(0.8 * gap, 40.0))
    small = SMALL * float(matplotlib.rcParams["font.size"])
    names = [width_of(printable(name), small) for _, name in _named(mark.axes[i], 0.0)]
    return min(1.1 * max(names, default=0.0), 90.0, 0.16 * wide)


def _named(axis: Upright, least: float) -> tuple[tuple[float, str], ...]:
    """Choose what stands beside an axis where each name takes `least` of it: levels or numbers."""
    if axis.dates:
        inner = tuple(it for it in axis.dates if least <= it[0] <= 1 - least)
        return named_levels(inner, least)
    if axis.levels or axis.scale is None:
        return named_levels(axis.levels, least)
    return round_numbers(axis.scale, least)


def _write_levels(ax: Axes, mark: Uprights, i: int, small: float, room: float, tall: float) -> None:
    """Write the names beside an axis: outside of the first, else to the right."""
    least = LEADING * small / tall
    kept = _named(mark.axes[i], least)
    numbers = not mark.axes[i].levels
    if numbers and any(width_of(name, small) > 0.93 * room for _, name in kept):
        return  # half a number would be another one
    places = [place for place, _ in kept]
    nearest = min((b - a for a, b in pairwise(places)), default=1.0)
    lines = max(1, min(3, int(nearest / least)))
    side, shift = ("right", -6.0) if i == 0 else ("left", 6.0)
    inner = 0 < i < len(mark.axes) - 1
    ground = {"facecolor": GROUND, "edgecolor": "none", "pad": 0.8}
    more: dict[str, Any] = {"bbox": ground} if inner else {}
    for place, whole in kept:
        name = " ".join(_cut(word, small, room) for word in printable(whole).split())
        at = (i, coarse([place], (0.0, 1.0))[0])
        if numbers:
            color = APART if mark.axes[i].apart else INK
            ax.plot(*at, ls="none", marker="_", markersize=5, color=color, zorder=UPON)
            more["color"] = GREY
        _write(ax, at, (shift, 0), name, (side, "center"), small, room, lines, **more)


def _cut(word: str, letters: float, room: float) -> str:
    """Shorten a word that is wider than the room: broken in two it would look like two levels."""
    wide = width_of(word, letters) / (0.93 * room)  # as `fit` has it
    return word if wide <= 1 else f"{word[: max(1, int(len(word) / wide) - 1)]}…"


def _write(
    ax: Axes,
    at: tuple[float, float],
    shift: tuple[float, float],
    words: str,
    where: tuple[str, str],
    letters: float,
    room: float,
    lines: int,
    **look: Any,
) -> Any:
    """Write a text at a place and so many points beside it, in so many lines at most."""
    how: dict[str, Any] = {"color": INK, "linespacing": 1.05, "zorder": WORDS, **look, **LITERAL}
    text = ax.annotate(
        printable(words),
        xy=at,
        xytext=shift,
        textcoords="offset points",
        ha=where[0],
        va=where[1],
        fontsize=letters,
        annotation_clip=False,
        **how,
    )
    fit(text, room, lines)
    return text
