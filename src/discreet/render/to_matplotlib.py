"""Draw a Scene with matplotlib: on a new figure, on someone's axes, or into a file.

It knows Scenes alone. Places are rounded to what an eye can tell apart and what lies outside the
axes is left out, because an SVG or a PDF keeps every digit and every mark it is given.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.errors import InputError
from discreet.render.figure_file import (
    LINE,
    checked_path,
    frame,
    head,
    head_axes,
    new_figure,
    plain_settings,
    points,
    write,
)
from discreet.render.scene import Axis, Bars, Boxes, Cells, Dots, Panel, Scene

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw", "save"]

Limits = tuple[float, float]

ACCENT, PALE, DARK, GRID, HIDDEN = "#4477aa", "#dbe6f1", "#10202f", "#e8e8e8", "#f5f5f5"
RAMP = ("#cfe0ef", "#8fb3d5", "#5389bb", "#235c90", "#0a2c50")  # light to dark, in even steps
DOT, LARGEST_DOT = 0.02, 0.07  # diameters, as parts of the shorter side of the axes
MANY_DOTS = 2000


def draw(
    scene: Scene,
    ax: Axes | Sequence[Axes] | None = None,
    *,
    size: tuple[float, float] | None = None,
) -> Figure:
    """Draw a scene on a new figure, or on axes that are given.

    Parameters
    ----------
    scene : Scene
        What to draw.
    ax : Axes or sequence of Axes, optional
        Where to draw, one for each panel. Given axes keep their fonts, and of the notes only the
        first stands below them. Without, a new figure is made, outside pyplot.
    size : tuple of float, optional
        Width and height in inches of a new figure; the title and the notes add to the height.

    Returns
    -------
    Figure
        The new figure, or the one the axes belong to.

    Raises
    ------
    InputError
        If the number of axes is not that of the panels, or the size is not from 1.5 inches a
        panel to 100.
    """
    if not scene.panels:
        raise InputError("The scene has no panels, so there is nothing to draw")
    if ax is not None:
        axes = _given_axes(ax, len(scene.panels))
        for place, panel in zip(axes, scene.panels, strict=True):
            _draw_panel(place, panel)
        head_axes(axes[0], scene.title, scene.notes)
        return axes[0].figure.figure  # of a subfigure, the whole
    with new_figure(len(scene.panels), size) as (figure, axes):
        for place, panel in zip(axes, scene.panels, strict=True):
            _draw_panel(place, panel)
        head(figure, scene.title, scene.notes)
    return figure


def save(scene: Scene, path: str | os.PathLike[str]) -> Path:
    """Draw a scene into a file that tells no more than the picture.

    Parameters
    ----------
    scene : Scene
        What to draw.
    path : str or path
        Where to; the suffix says how: ``.png``, ``.svg`` or ``.pdf``.

    Returns
    -------
    Path
        The file, written whole. The same scene is the same bytes, whatever the user's settings.

    Raises
    ------
    InputError
        If the suffix is another, or there is no such folder.
    """
    target = checked_path(path)
    with plain_settings():
        write(draw(scene), target)
    return target


def _given_axes(ax: Axes | Sequence[Axes], needed: int) -> list[Axes]:
    import numpy as np
    from matplotlib.axes import Axes

    given = list(np.ravel(np.asarray(ax, dtype=object)))
    axes = [place for place in given if isinstance(place, Axes)]
    if not len(axes) == len(given) == needed:
        raise InputError(
            f"ax must be {needed} matplotlib Axes, one for each panel; got {len(axes)}. "
            f"Make them with plt.subplots(1, {needed}), or leave ax out for a new figure"
        )
    return axes


def _draw_panel(ax: Axes, panel: Panel) -> None:
    """Draw the marks of one panel, then what frames them."""
    for mark in panel.marks:
        _DRAW[type(mark)](ax, mark, panel)
    kinds = {type(mark) for mark in panel.marks}
    ax.set_axisbelow(True)
    ax.grid(visible=False)
    if Cells not in kinds:
        ax.grid(visible=True, axis="both" if Dots in kinds else "y", color=GRID, linewidth=0.7)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set(color=LINE, linewidth=0.8)
    names = tuple(
        box.label for mark in panel.marks if isinstance(mark, Boxes) for box in mark.boxes
    )
    x, y = replace(panel.x, ticks=panel.x.ticks or names), panel.y
    across, up = points(ax)
    frame(ax.xaxis, x, across)
    frame(ax.yaxis, y, up)
    beside = 0.5 if Cells in kinds else 0.6
    for axis, set_limits in ((x, ax.set_xlim), (y, ax.set_ylim)):
        if axis.limits is not None or axis.ticks:
            set_limits(axis.limits or (-beside, len(axis.ticks) - 1 + beside))


def _bars(ax: Axes, mark: Bars, panel: Panel) -> None:
    ends = zip(mark.edges[:-1], mark.edges[1:], mark.heights, strict=True)
    shown = [(left, right, height) for left, right, height in ends if height is not None]
    if not shown:
        return
    across = panel.x.limits or (shown[0][0], shown[-1][1])
    up = panel.y.limits or (0.0, max(height for _, _, height in shown))
    lefts = _coarse([left for left, _, _ in shown], across)
    rights = _coarse([right for _, right, _ in shown], across)
    widths = [right - left for left, right in zip(lefts, rights, strict=True)]
    heights = _coarse([height for _, _, height in shown], up)
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


def _dots(ax: Axes, mark: Dots, panel: Panel) -> None:
    dots = [
        (x, y, size)
        for x, y, size in zip(mark.x, mark.y, mark.size, strict=True)
        if _inside(x, panel.x.limits) and _inside(y, panel.y.limits)
    ]
    if not dots:
        return
    xs, ys, sizes = zip(*dots, strict=True)
    places = _coarse(xs, panel.x.limits), _coarse(ys, panel.y.limits)
    side = min(points(ax))
    if mark.by_size:
        scale = (LARGEST_DOT * side) ** 2 / max(sizes)
        areas = [scale * size for size in sizes]
        ax.scatter(*places, s=areas, c=ACCENT, alpha=0.7, edgecolors="white", linewidths=0.5)
        _size_legend(ax, sizes, scale, mark.label)
    else:
        alpha = 0.55 if len(dots) <= MANY_DOTS else 0.25
        colors = [(DARK, 0.9) if size > 1 else (ACCENT, alpha) for size in sizes]
        ax.scatter(*places, s=min(4.0, DOT * side) ** 2, c=colors, linewidths=0)


def _size_legend(ax: Axes, sizes: Sequence[int], scale: float, label: str) -> None:
    """Say beside the axes how many a dot of which area stands for."""
    from matplotlib.lines import Line2D
    from matplotlib.ticker import MaxNLocator

    ticks = MaxNLocator(3, steps=[1, 2, 5, 10], integer=True).tick_values(0, max(sizes))
    steps = [tick for tick in ticks if min(sizes) <= tick <= max(sizes)] or [max(sizes)]
    look: dict[str, Any] = {"color": ACCENT, "alpha": 0.7, "markeredgecolor": "white"}
    handles = [
        Line2D([], [], marker="o", ls="", ms=math.sqrt(scale * step), label=f"{step:g}", **look)
        for step in steps
    ]
    ax.legend(
        handles=handles,
        title=label,
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        frameon=False,
        fontsize="small",
        title_fontsize="small",
        labelspacing=0.9,
    )


def _cells(ax: Axes, mark: Cells, panel: Panel) -> None:
    import numpy as np
    from matplotlib.colors import LinearSegmentedColormap

    values = np.ma.masked_invalid(np.array(mark.values, dtype=float).T)
    mesh = ax.pcolormesh(
        _coarse(mark.x_edges, panel.x.limits),
        _coarse(mark.y_edges, panel.y.limits),
        values,
        cmap=LinearSegmentedColormap.from_list("discreet", RAMP).with_extremes(bad=HIDDEN),
        edgecolors="white",
        linewidth=min(0.5, 9 / max(values.shape)),
    )
    shown = values.compressed()
    if not shown.size:
        return
    if shown.min() == shown.max():
        mesh.set_clim(min(0.0, shown.min()), max(1.0, shown.max()))
    bar = ax.figure.colorbar(mesh, ax=ax, pad=0.02, aspect=28)
    bar.outline.set_visible(False)
    frame(bar.ax.yaxis, Axis(mark.label), points(ax)[1])
    bar.ax.locator_params(axis="y", integer=bool(np.all(shown == np.round(shown))))


def _boxes(ax: Axes, mark: Boxes, panel: Panel) -> None:
    drawn = [v for box in mark.boxes for v in (box.low, box.high, *box.outliers)]
    limits = panel.y.limits or (min(drawn, default=0.0), max(drawn, default=1.0))
    line = {"color": ACCENT, "linewidth": 1.1}
    point = {"markeredgecolor": "white", "markeredgewidth": 0.6}
    for place, box in enumerate(mark.boxes):
        five = (box.low, box.q1, box.median, box.q3, box.high)
        names = ("whislo", "q1", "med", "q3", "whishi")
        stats: dict[str, Any] = dict(zip(names, _coarse(five, limits), strict=True))
        stats["fliers"] = _coarse([v for v in box.outliers if _inside(v, limits)], limits)
        if box.mean is not None:
            (stats["mean"],) = _coarse([box.mean], limits)
        ax.bxp(
            [stats],
            positions=[place],
            widths=0.5,
            manage_ticks=False,
            patch_artist=True,
            showfliers=bool(stats["fliers"]),
            showmeans=box.mean is not None,
            boxprops={"facecolor": PALE, "edgecolor": ACCENT, "linewidth": 1.1},
            medianprops={"color": DARK, "linewidth": 1.8, "solid_capstyle": "butt"},
            whiskerprops=line,
            capprops=line,
            flierprops={"marker": "o", "markersize": 4, "markerfacecolor": ACCENT, **point},
            meanprops={"marker": "D", "markersize": 5.5, "markerfacecolor": DARK, **point},
        )


_DRAW: dict[type, Callable[[Axes, Any, Panel], None]] = {
    Bars: _bars,
    Dots: _dots,
    Cells: _cells,
    Boxes: _boxes,
}


def _inside(value: float, limits: Limits | None) -> bool:
    return limits is None or min(limits) <= value <= max(limits)


def _coarse(values: Sequence[float], limits: Limits | None = None) -> list[float]:
    """Round to a thousandth of the axis or finer, and cut off a little way outside of it."""
    low, high = sorted(limits or (min(values), max(values)))
    span = (high - low) or abs(high) or 1.0
    digits = 3 - math.floor(math.log10(span))
    return [round(min(max(v, low - span / 20), high + span / 20), digits) for v in values]
