"""Draw a Scene with matplotlib: on a new figure, on someone's axes, or into a file.

It knows Scenes alone; each kind of mark is drawn by a function of its own.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from discreet.errors import InputError
from discreet.render.figure_file import (
    GRID,
    INK,
    LINE,
    LITERAL,
    PANELS_A_ROW,
    checked_path,
    content,
    entitle,
    frame,
    head,
    head_axes,
    new_figure,
    plain_settings,
    points,
    printable,
    width_of,
    write,
)
from discreet.render.legend import legends
from discreet.render.marks import (
    bars,
    boxes,
    cells,
    colour_bar,
    columns,
    dots,
    hidden_signs,
    intervals,
    is_reference,
    lines,
)
from discreet.render.scene import (
    Bars,
    Boxes,
    Cells,
    Columns,
    Dots,
    Intervals,
    Lines,
    Panel,
    Scene,
    Strands,
    Trapezoids,
    Uprights,
    Words,
)
from discreet.render.trapezoids import (
    size_of_uprights,
    strands,
    trapezoids,
    upright_axes,
    upright_words,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["ROW_LETTERS", "draw", "png", "save", "shape", "size_in_inches", "table_axes", "words"]


ROW, COLUMN = 0.32, 0.95  # inches of a new figure
ROW_POINTS = 26.0  # rows of a small table do not stand further apart than this
SMALLEST_LETTERS = 5.5
BOLD = 1.15  # how much wider bold letters are
ROW_LETTERS = 36  # of the name of a row
NAMES = 0.075  # inches a letter of a row's name


def shape(mark: Words, panel: Panel) -> tuple[int, int]:
    """Count the rows and the columns of a table, by its texts and its names."""
    rows = max(len(mark.texts), len(panel.y.ticks), 1)
    return rows, max(*map(len, mark.texts), len(panel.x.ticks), 1, 1)


def size_in_inches(mark: Words, panel: Panel) -> tuple[float, float]:
    """Say how wide and how high a panel should be for the table to be read."""
    rows, across = shape(mark, panel)
    names = min(ROW_LETTERS, max(map(len, panel.y.ticks), default=0))
    longest = max((len(text) for line in mark.texts for text in line), default=0)
    column = max(COLUMN, 0.1 * min(longest, 24))
    return 0.6 + NAMES * names + column * across, 1.3 + ROW * rows


def table_axes(ax: Axes, mark: Words, panel: Panel) -> None:
    """Make axes those of a table: names on top and to the left, and no frame."""
    ax.set_xlim(-0.5, shape(mark, panel)[1] - 0.5)
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    ax.xaxis.labelpad = 8.0  # or it would stand among the names
    ax.spines[:].set_visible(False)


def words(ax: Axes, mark: Words, panel: Panel, *, settled: bool) -> None:
    """Write a table: the first row on top, thin rules between rows, sums set apart.

    How large the axes are must be known. If they are not `settled`, long names of rows will take
    their place from the columns when the figure is laid out.
    """
    import matplotlib

    rows, across = shape(mark, panel)
    wide, high = points(ax)
    lines = max(rows, high / ROW_POINTS)
    ax.set_ylim(lines - 0.5, -0.5)
    ax.yaxis.label.set_y(1 - 0.5 * rows / lines)
    base = 0.9 * matplotlib.rcParams["font.size"]
    if not settled:
        names = [width_of(printable(name)[:ROW_LETTERS], base) for name in panel.y.ticks]
        wide = max(0.4 * wide, wide - max(0.0, max(names, default=0.0) - 40))
    room = 0.92 * wide / across
    widest = max((width_of(printable(t), base) for row in mark.texts for t in row), default=0.0)
    widest *= BOLD if mark.totals else 1.0
    letters = min(base, 0.72 * high / lines, base * room / max(widest, 1.0))
    letters = max(letters, min(SMALLEST_LETTERS, 0.8 * high / lines))
    for i, row in enumerate(mark.texts):
        for j, text in enumerate(row):
            total = mark.totals and (i == len(mark.texts) - 1 or j == len(row) - 1)
            how: dict[str, Any] = {"weight": "bold"} if total else {}
            shown = _short(printable(text), letters * (BOLD if total else 1.0), room)
            how |= {"ha": "center", "va": "center_baseline", "fontsize": letters, "color": INK}
            ax.text(j, i, shown, clip_on=True, **how, **LITERAL)
    _rules(ax, rows, across, mark.totals)


def _rules(ax: Axes, rows: int, across: int, totals: bool) -> None:
    """Rule off the head, each row, and the sums."""
    for i in range(rows + 1):
        strong = i == 0 or (totals and i == rows - 1)
        look: dict[str, Any] = {"color": LINE if strong else GRID, "lw": 0.9 if strong else 0.7}
        ax.plot((-0.5, across - 0.5), (i - 0.5, i - 0.5), solid_capstyle="butt", **look)
    if totals and across > 1:
        beside = across - 1.5
        ax.plot((beside, beside), (-0.5, rows - 0.5), color=LINE, lw=0.9, solid_capstyle="butt")


def _short(text: str, letters: float, room: float) -> str:
    """Cut off what of a text is wider than the room."""
    keep, short = len(text), text
    while keep and width_of(short, letters) > room:
        keep = min(keep - 1, int(keep * room / width_of(short, letters)))
        short = f"{text[:keep].rstrip()}…"
    return short


SCREEN_DPI = 100
BARE = {Uprights, Words}  # they have no frame, no ticks and limits of their own


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
        _draw_panels(axes, scene.panels, new=False)
        _write_words(axes, scene.panels, new=False)
        head_axes(axes[0], (scene.title, scene.panels[0].title), scene.notes)
        return axes[0].figure.figure  # of a subfigure, the whole
    with new_figure(len(scene.panels), size, _needed(scene.panels)) as (figure, axes):
        _draw_panels(axes, scene.panels, new=True)
        head(figure, scene.title, scene.notes)
        _write_words(axes, scene.panels, new=True)
    return figure


def save(scene: Scene, path: str | os.PathLike[str]) -> Path:
    """Draw a scene into a file that tells no more than the picture; return its path.

    The suffix says how: ``.png``, ``.svg`` or ``.pdf``. The file is written whole, and the same
    scene is the same bytes, whatever the user's settings.

    Raises
    ------
    InputError
        If the suffix is another, or there is no such folder.
    """
    target = checked_path(path)
    with plain_settings():
        write(draw(scene), target)
    return target


def png(scene: Scene) -> bytes:
    """Draw a scene as the bytes of a PNG, as large as a screen shows it."""
    with plain_settings():
        return content(draw(scene), ".png", dpi=SCREEN_DPI)


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


def _needed(panels: Sequence[Panel]) -> tuple[float, float | None]:
    """Say how many inches a panel should have: tables and uprights are as large as they need."""
    sizes = [
        size_in_inches(mark, panel) if isinstance(mark, Words) else size_of_uprights(mark)
        for panel in panels
        for mark in panel.marks
        if isinstance(mark, Words | Uprights)
    ]
    width = max((wide for wide, _ in sizes), default=0.0)
    height = max((high for _, high in sizes), default=None)
    if height is not None and len(sizes) < len(panels):
        height = max(height, 3.6)  # other panels stand beside
    return width, height


def _draw_panels(axes: Sequence[Axes], panels: Sequence[Panel], *, new: bool) -> None:
    """Draw panels, then what tells their colours."""
    for place, panel in zip(axes, panels, strict=True):
        _draw_panel(place, panel)
    grids = [
        (place, mark)
        for place, panel in zip(axes, panels, strict=True)
        for mark in panel.marks
        if isinstance(mark, Cells)
    ]
    alike = len({(mark.label, mark.span) for _, mark in grids}) == 1 and grids[0][1].span
    if new and alike and len(grids) == len(panels):
        colour_bar([place for place, _ in grids], [mark for _, mark in grids])
    else:
        for place, mark in grids:
            colour_bar([place], [mark])
    legends(axes, panels, PANELS_A_ROW if new else None)


def _write_words(axes: Sequence[Axes], panels: Sequence[Panel], *, new: bool) -> None:
    """Write tables, and the words of uprights, last: when axes are as large as they will be."""
    found = [
        (place, mark, panel)
        for place, panel in zip(axes, panels, strict=True)
        for mark in panel.marks
        if isinstance(mark, Words | Uprights)
    ]
    if found and new:
        axes[0].figure.figure.draw_without_rendering()
    for place, mark, panel in found:
        if isinstance(mark, Uprights):
            upright_words(place, mark)
            continue
        settled = new or place.figure.figure.get_layout_engine() is None
        words(place, mark, panel, settled=settled)


def _draw_panel(ax: Axes, panel: Panel) -> None:
    """Draw the marks of one panel, then what frames them, then what must not move the frame."""
    for mark in panel.marks:
        if not is_reference(mark):
            _DRAW[type(mark)](ax, mark, panel)
    kinds = {type(mark) for mark in panel.marks}
    if not kinds & BARE:
        ax.spines[["top", "right"]].set_visible(False)
        ax.spines[["left", "bottom"]].set(color=LINE, linewidth=0.8)
    ax.set_axisbelow(True)
    ax.grid(visible=False)
    if not kinds & {Cells, *BARE}:
        both = Dots in kinds or kinds == {Lines}
        way: Literal["x", "y", "both"] = "x" if Intervals in kinds else "both" if both else "y"
        ax.grid(visible=True, axis=way, color=GRID, linewidth=0.7)
    entitle(ax, [panel.title], lines=2, fontsize="medium", color=INK)
    _frame(ax, panel, 0.5 if Cells in kinds else 0.6)
    for mark in panel.marks:
        if isinstance(mark, Lines) and is_reference(mark):
            lines(ax, mark, panel)
        if isinstance(mark, Bars | Columns):
            hidden_signs(ax, mark)


def _frame(ax: Axes, panel: Panel, beside: float) -> None:
    """Name both axes and set their limits, `beside` the outer of named ticks."""
    table = any(isinstance(mark, Words) for mark in panel.marks)
    bare = table or any(isinstance(mark, Uprights) for mark in panel.marks)
    names = tuple(
        box.label for mark in panel.marks if isinstance(mark, Boxes) for box in mark.boxes
    )
    x, y = replace(panel.x, ticks=panel.x.ticks or names), panel.y
    across, up = points(ax)
    for drawn, axis, room in ((ax.xaxis, x, across), (ax.yaxis, y, up)):
        frame(drawn, axis, room, ROW_LETTERS if table and axis is y else None)
        if bare:  # names alone stand beside it
            drawn.set_tick_params(length=0)
            if not axis.ticks:
                drawn.set_ticks([])
    for axis, set_limits in ((x, ax.set_xlim), (y, ax.set_ylim)):
        if not bare and (axis.limits is not None or axis.ticks):
            low, high = axis.limits or (-beside, len(axis.ticks) - 1 + beside)
            set_limits(low, high if high != low else low + (abs(low) or 1.0))


_DRAW: dict[type, Callable[[Axes, Any, Panel], None]] = {
    Bars: bars,
    Boxes: boxes,
    Cells: cells,
    Columns: columns,
    Dots: dots,
    Intervals: intervals,
    Lines: lines,
    Strands: strands,
    Trapezoids: trapezoids,
    Uprights: upright_axes,
    Words: table_axes,
}
