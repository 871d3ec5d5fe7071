"""Draw a table of texts on a pair of axes, so that each text stays in its own place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from discreet.render.figure_file import GRID, INK, LINE, LITERAL, points, printable, width_of
from discreet.render.scene import Panel, Words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ROW_LETTERS", "shape", "size_in_inches", "table_axes", "words"]

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
