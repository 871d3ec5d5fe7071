"""Plates: panels with titles, and below them what the paper shows and what is different here."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass, replace
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from matplotlib.textpath import TextPath

import discreet as dc
from discreet.render.figure_file import content, plain_settings
from discreet.render.legends import MOST_LETTERS
from discreet.render.scene import Axis, Cells, Columns, Lines, Panel, Scene, Uprights
from discreet.render.to_matplotlib import draw
from discreet.unfinished import write_whole

__all__ = ["Plate", "columns_panel", "draw_plate", "drawn", "lines_panel", "panel_of"]

INK, GREY = "#222222", "#5f5f5f"
LETTERS, CAPTION = 9.0, 8.0
LEFT, RIGHT, TOP, BETWEEN, ABOVE = 0.75, 0.3, 0.45, 0.85, 0.8  # inches
LEGEND, SIGN = 1.7, 0.6  # inches beside the last panel, at least; a sign and its margins
LINE, LETTER = 0.155, 0.0605  # inches of a caption


@dataclass(frozen=True)
class Plate:
    """One figure: its number in the paper (0: it is not there), its panels, three texts on it."""

    number: int
    title: str
    paper: str
    here: str
    differs: str
    panels: tuple[Panel, ...]
    across: int = 2
    size: tuple[float, float] = (4.6, 3.6)

    @property
    def name(self) -> str:
        """Name the file of the figure."""
        return f"2011_figure_{self.number:02d}.png" if self.number else "2011_beside.png"

    @property
    def label(self) -> str:
        """Say which figure it is, and what of."""
        return f"Figure {self.number}. {self.title}" if self.number else self.title

    @property
    def texts(self) -> tuple[tuple[str, str], ...]:
        """The caption, in three parts."""
        return ("The paper", self.paper), ("Here", self.here), ("What differs", self.differs)


def panel_of(view: dc.View, title: str) -> Panel:
    """Return the one panel of a view, under a title."""
    (panel,) = view.scene().panels
    return replace(panel, title=title)


def columns_panel(
    title: str,
    ticks: tuple[str, ...],
    series: dict[str, tuple[float, ...]],
    labels: tuple[str, str],
) -> Panel:
    """Return a panel of upright bars, a group for each tick and a bar for each series."""
    mark = Columns(tuple(series.values()), tuple(series))
    return Panel((mark,), Axis(labels[0], ticks=ticks), Axis(labels[1]), title)


def lines_panel(
    title: str,
    x: tuple[float, ...],
    series: dict[str, tuple[float, ...]],
    labels: tuple[str, str],
    top: float | None = None,
) -> Panel:
    """Return a panel of lines, one for each series."""
    marks = tuple(Lines((x,), (y,), "series", name) for name, y in series.items())
    upward = Axis(labels[1], None if top is None else (0.0, top))
    return Panel(marks, Axis(labels[0]), upward, title)


def draw_plate(plate: Plate, folder: Path) -> Path:
    """Draw a figure into a folder."""
    path = folder / plate.name
    with plain_settings(LETTERS):
        write_whole(content(drawn(plate), path.suffix), path)
    return path


def drawn(plate: Plate) -> Figure:
    """Draw a figure, under the settings that are in force."""
    down = math.ceil(len(plate.panels) / plate.across)
    wide, high = plate.size
    last = plate.panels[-1]
    right = max(LEGEND, SIGN + width_of_names(last)) if has_legend(last) else RIGHT
    width = LEFT + plate.across * wide + (plate.across - 1) * BETWEEN + right
    letters = int((width - 0.3) / LETTER)
    caption = textwrap.wrap(plate.label, letters)
    for head, text in plate.texts:
        caption += textwrap.wrap(f"{head}: {text}", letters)
    framed = any(not isinstance(panel.marks[0], Uprights) for panel in plate.panels)
    below = (0.85 if framed else 0.3) + LINE * len(caption)
    height = TOP + down * high + (down - 1) * ABOVE + below
    figure = Figure(figsize=(width, height))
    axes = figure.subplots(
        down,
        plate.across,
        squeeze=False,
        gridspec_kw={
            "left": LEFT / width,
            "right": 1 - right / width,
            "top": 1 - TOP / height,
            "bottom": below / height,
            "wspace": BETWEEN / wide,
            "hspace": ABOVE / high,
        },
    ).ravel()
    for ax, panel in zip(axes, plate.panels, strict=False):
        draw_panel(ax, panel)
    for ax in axes[: len(plate.panels) - 1]:
        if (legend := ax.get_legend()) is not None:
            legend.remove()
    for ax in axes[len(plate.panels) :]:
        ax.remove()
    words = "\n".join(caption)
    figure.text(0.15 / width, 0.1 / height, words, fontsize=CAPTION, color=INK, va="bottom")
    return figure


def width_of_names(panel: Panel) -> float:
    """Return how wide the longest name of a legend is, in inches: long ones take several lines."""
    columns = [name for mark in panel.marks if isinstance(mark, Columns) for name in mark.series]
    lines = [mark.label or "" for mark in panel.marks if isinstance(mark, Lines)]
    words = [line for name in (*columns, *lines) for line in textwrap.wrap(name, MOST_LETTERS)]
    points = [TextPath((0, 0), line, size=LETTERS).get_extents().width for line in words]
    return float(max(points, default=0.0)) / 72


def has_legend(panel: Panel) -> bool:
    """Say whether a legend stands beside a panel."""
    return any(
        (isinstance(mark, Columns) and any(mark.series)) or (isinstance(mark, Lines) and mark.label)
        for mark in panel.marks
    )


def draw_panel(ax: Axes, panel: Panel) -> None:
    """Draw a panel; cells below uprights are drawn before them, without seams and colour bar."""
    cells = tuple(mark for mark in panel.marks if isinstance(mark, Cells))
    if cells:
        slot = ax.get_position()
        draw(Scene((replace(panel, marks=cells),)), ax)
        for other in ax.figure.axes:
            if other.get_label() == "<colorbar>":
                other.remove()
        ax.set_position(slot)
        for mark in ax.collections:
            if isinstance(mark, QuadMesh):
                mark.set_linewidth(0)
                mark.set_cmap(mark.get_cmap().with_extremes(bad="white"))
    rest = tuple(mark for mark in panel.marks if mark not in cells)
    draw(Scene((replace(panel, marks=rest),)), ax)
