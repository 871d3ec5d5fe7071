"""Lay Views out as the figures of the paper are: a row for each picture, a column for each way.

A View is drawn by the package. What is done here is to give the panels of a row one pair of axes
limits, so that they can be compared, and to leave out what would be said in every small panel.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.collections import PathCollection, QuadMesh
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

import discreet as dc
from discreet.render.figure_file import content, plain_settings
from discreet.render.scene import Axis, Bars, Boxes, Cells, Dots, Lines, Panel, Scene
from discreet.render.to_matplotlib import draw
from discreet.unfinished import write_whole
from examples.figures.told import NOTHING, told

__all__ = ["Plate", "Row", "draw_plate"]

WIDTH, ROW, HEAD, LINE = 11.0, 1.62, 0.5, 0.135  # inches
LEFT, RIGHT, LABELS = 0.95, 0.2, 0.6
LETTERS = 6.5
INK, GREY = "#222222", "#666666"
ROOM = 0.04
CAPTION_LETTERS = 190

Span = tuple[float, float]


@dataclass(frozen=True)
class Row:
    """The panels of one row; `block` is written at its left where a new part begins."""

    views: tuple[dc.View | None, ...]
    block: str = ""


@dataclass(frozen=True)
class Plate:
    """One figure: its number in the paper, what it shows, and its rows of panels."""

    number: int
    title: str
    caption: str
    heads: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def name(self) -> str:
        """Name the file of the figure."""
        return f"figure_{self.number:02d}.png"


def draw_plate(plate: Plate, folder: Path) -> Path:
    """Draw a figure into a folder."""
    path = folder / plate.name
    caption = textwrap.wrap(f"Figure {plate.number}. {plate.caption}", CAPTION_LETTERS)
    below = LABELS + LINE * len(caption)
    height = HEAD + ROW * len(plate.rows) + below - 0.25
    with plain_settings(LETTERS):
        figure = Figure(figsize=(WIDTH, height))
        axes = figure.subplots(
            len(plate.rows),
            len(plate.heads),
            squeeze=False,
            gridspec_kw={
                "left": LEFT / WIDTH,
                "right": 1 - RIGHT / WIDTH,
                "top": 1 - HEAD / height,
                "bottom": below / height,
                "wspace": 0.24,
                "hspace": 0.58,
            },
        )
        for place, row in zip(axes, plate.rows, strict=True):
            draw_row(place, row)
        for ax, head in zip(axes[0], plate.heads, strict=True):
            where = (ax.get_position().x0, 1 - 0.2 / height)
            figure.text(*where, head, fontsize=8.5, weight="bold", color=INK, va="center")
        figure.text(
            0.12 / WIDTH, 0.08 / height, "\n".join(caption), fontsize=7, color=INK, va="bottom"
        )
        write_whole(content(figure, path.suffix), path)
    return path


def draw_row(axes: Sequence[Axes], row: Row) -> None:
    """Draw the panels of a row on axes of one size, with one pair of limits."""
    panels = [None if view is None else panel_of(view) for view in row.views]
    drawn = [panel for panel in panels if panel is not None]
    across = joined([span for panel in drawn for span in x_spans(panel)])
    up = joined([span for panel in drawn for span in y_spans(panel)])
    for order, (ax, view, panel) in enumerate(zip(axes, row.views, panels, strict=True)):
        slot = ax.get_position()
        words = told(view)
        if panel is None or words.endswith(NOTHING):
            blank(ax, words)
            continue
        x = panel.x if panel.x.ticks else replace(panel.x, limits=across)
        y = replace(panel.y, limits=up, label=panel.y.label if order == 0 else "")
        draw(Scene((replace(panel, x=x, y=y),)), ax)
        leave_out(ax, slot)
        thin_out(ax)
        ax.set_title(words, loc="right", fontsize=5.5, color=GREY, pad=2)
    if row.block:
        letter, _, rest = row.block.partition(" ")
        box = axes[0].get_position()
        where: dict[str, Any] = {"ha": "left", "va": "top", "color": INK}
        figure = axes[0].figure
        figure.text(0.1 / WIDTH, box.y1, letter, fontsize=11, weight="bold", **where)
        figure.text(0.28 / WIDTH, box.y1 - 0.04 * box.height, rest, **where)


def panel_of(view: dc.View) -> Panel:
    """Return the one panel of a view; the boxes of several columns stand side by side."""
    panels = view.scene().panels
    boxes = [
        box for panel in panels for m in panel.marks if isinstance(m, Boxes) for box in m.boxes
    ]
    if boxes:
        names = tuple(box.label for box in boxes)
        return Panel((Boxes(tuple(boxes)),), x=Axis("", ticks=names), y=Axis(""))
    (panel,) = panels
    label = panel.y.label.replace("standardised residuals", "residuals / sd")
    return replace(panel, y=replace(panel.y, label=label))


def leave_out(ax: Axes, slot: Bbox) -> None:
    """Leave out the legend, which the caption is, and stand the colour bar in a thin strip."""
    legend = ax.get_legend()
    if legend is not None:
        legend.remove()
    if not any(isinstance(mark, QuadMesh) for mark in ax.collections):
        return
    ax.set_position((slot.x0, slot.y0, 0.88 * slot.width, slot.height))
    bar = ax.figure.axes[-1]
    if bar.get_label() == "<colorbar>" and abs(bar.get_position().ymax - slot.ymax) < slot.height:
        bar.set_box_aspect(None)
        bar.set_aspect("auto")
        bar.set_position((slot.x0 + 0.9 * slot.width, slot.y0, 0.035 * slot.width, slot.height))
        bar.set_ylabel("")
        bar.tick_params(labelsize=5, length=1.5, pad=1)


def thin_out(ax: Axes) -> None:
    """Draw lines thinner and single records larger than the package does on axes of usual size."""
    for line in ax.lines:
        if line.get_linewidth() > 1:
            line.set_linewidth(0.55 * line.get_linewidth())
    for mark in ax.collections:
        if isinstance(mark, QuadMesh):
            mark.set_linewidth(0)
        elif isinstance(mark, PathCollection) and len(mark.get_sizes()) == 1:
            mark.set_sizes(1.7 * mark.get_sizes())


def blank(ax: Axes, words: str) -> None:
    """Say that nothing is left."""
    ax.set(xticks=[], yticks=[], facecolor="#f5f5f5")
    ax.spines[:].set_visible(False)
    ax.text(0.5, 0.5, words.replace(", ", "\n"), ha="center", va="center", color=GREY)


# --- one pair of limits for all panels of a row ---------------------------------------------------


def x_spans(panel: Panel) -> Iterator[Span]:
    """Find how far the marks of a panel reach along the x axis."""
    for mark in panel.marks:
        match mark:
            case Bars(edges=edges, heights=heights):
                held = [i for i, height in enumerate(heights) if height]
                if held:
                    yield edges[held[0]], edges[held[-1] + 1]
            case Dots(x=x) if x:
                yield padded(min(x), max(x))
            case Cells() | Lines(look="level") if panel.x.limits:
                yield panel.x.limits


def y_spans(panel: Panel) -> Iterator[Span]:
    """Find how far the marks of a panel reach along the y axis."""
    for mark in panel.marks:
        match mark:
            case Bars(heights=heights):
                yield 0.0, 1.05 * max((height or 0.0 for height in heights), default=1.0)
            case Boxes(boxes=boxes):
                for box in boxes:
                    reached = (box.low, box.high, *box.outliers)
                    yield padded(min(reached), max(reached))
            case Dots(y=y) if y:
                yield padded(min(y), max(y))
            case Cells() | Lines(look="level") if panel.y.limits:
                yield panel.y.limits


def padded(low: float, high: float) -> Span:
    """Leave a little room beyond both ends."""
    return low - ROOM * (high - low), high + ROOM * (high - low)


def joined(found: Sequence[Span]) -> Span | None:
    """Return the span that holds all."""
    if not found:
        return None
    return min(low for low, _ in found), max(high for _, high in found)
