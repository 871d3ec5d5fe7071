"""Plates: lettered panels with a caption below, drawn with the letters and colours of the package.

Boxes and intervals are Scenes of the package, and drawn by it. It has no mark for means with error
bars, nor for one point a person in signs of its own; those are drawn here.
"""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from discreet.render import scene
from discreet.render.figure_file import content, plain_settings
from discreet.render.to_matplotlib import draw
from discreet.unfinished import write_whole

__all__ = ["INK", "RED", "Cloud", "Curve", "Panel", "Plate", "draw_plate"]

INK, RED, GRID = "#222222", "#cc3311", "#e8e8e8"
LETTERS = 9.0
LEFT, RIGHT, TOP, BETWEEN, ABOVE = 0.75, 0.25, 0.45, 0.95, 0.95  # inches
CAPTION = 8.0
INCHES_OF_A_LETTER = 0.0605  # of a caption

Numbers = tuple[float, ...]


@dataclass(frozen=True)
class Cloud:
    """Points, one for each person."""

    x: Numbers
    y: Numbers
    name: str = ""
    colour: str = INK
    marker: str = "o"
    hollow: bool = False
    size: float = 3.0

    @property
    def look(self) -> dict[str, Any]:
        """How a point looks, in the panel and in its legend."""
        face = "none" if self.hollow else self.colour
        edge = {"markeredgecolor": self.colour, "markeredgewidth": 0.6}
        return {"marker": self.marker, "markersize": self.size, "markerfacecolor": face, **edge}


@dataclass(frozen=True)
class Curve:
    """Means joined by lines, with a whisker of one standard deviation on either side, if given."""

    x: Numbers
    y: Numbers
    sd: Numbers = ()
    name: str = ""
    colour: str = INK
    marker: str = "o"


@dataclass(frozen=True)
class Panel:
    """Marks on one pair of axes.

    `ticks` are the numbers written on the x axis; `keys` stand in the legend instead of the names
    of the marks; `log` says which axes are logarithmic, `zero` that the y axis begins there.
    """

    marks: tuple[Cloud | Curve, ...]
    x: str = ""
    y: str = ""
    title: str = ""
    ticks: Numbers = ()
    keys: tuple[Cloud, ...] = ()
    log: str = ""
    zero: bool = False


@dataclass(frozen=True)
class Plate:
    """One figure: its number in the paper, what it shows and says, its panels; `size` is one's."""

    number: int
    title: str
    caption: str
    panels: tuple[Panel | scene.Panel, ...]
    across: int = 2
    size: tuple[float, float] = (4.4, 3.2)
    left: float = LEFT
    right: float = RIGHT

    @property
    def name(self) -> str:
        """Name the file of the figure."""
        return f"2022_figure_{self.number}.png"


def draw_plate(plate: Plate, folder: Path) -> Path:
    """Draw a figure into a folder."""
    path = folder / plate.name
    down = math.ceil(len(plate.panels) / plate.across)
    wide, high = plate.size
    width = plate.left + plate.across * wide + (plate.across - 1) * BETWEEN + plate.right
    caption = textwrap.wrap(
        f"Figure {plate.number}. {plate.caption}", int((width - 0.3) / INCHES_OF_A_LETTER)
    )
    below = 0.75 + 0.155 * len(caption)
    height = TOP + down * high + (down - 1) * ABOVE + below
    with plain_settings(LETTERS):
        figure = Figure(figsize=(width, height))
        axes = figure.subplots(
            down,
            plate.across,
            squeeze=False,
            gridspec_kw={
                "left": plate.left / width,
                "right": 1 - plate.right / width,
                "top": 1 - TOP / height,
                "bottom": below / height,
                "wspace": BETWEEN / wide,
                "hspace": ABOVE / high,
            },
        ).ravel()
        for order, (ax, panel) in enumerate(zip(axes, plate.panels, strict=False)):
            if isinstance(panel, Panel):
                draw_panel(ax, panel)
            else:
                draw(scene.Scene((panel,)), ax)
            if len(plate.panels) > 1:
                letter(ax, "ABCDEF"[order], plate.left if order % plate.across == 0 else BETWEEN)
        for ax in axes[len(plate.panels) :]:
            ax.remove()
        words = "\n".join(caption)
        figure.text(0.15 / width, 0.1 / height, words, fontsize=CAPTION, color=INK, va="bottom")
        write_whole(content(figure, path.suffix), path)
    return path


def letter(ax: Axes, which: str, room: float) -> None:
    """Write the letter of a panel above its upper left corner."""
    where: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points"}
    offset = (-(room - 0.2) * 72, 8)
    ax.annotate(which, (0, 1), offset, fontsize=12, weight="bold", color=INK, **where)


def draw_panel(ax: Axes, panel: Panel) -> None:
    """Draw the marks of a panel, then what frames them."""
    ax.set_axisbelow(True)
    ax.grid(color=GRID, linewidth=0.7)
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_title(panel.title, loc="left", fontsize=LETTERS, color=INK)
    ax.set_xlabel(panel.x, color=INK)
    ax.set_ylabel(panel.y, color=INK)
    for order, mark in enumerate(panel.marks):
        shift = order - (len(panel.marks) - 1) / 2
        if isinstance(mark, Cloud):
            ax.plot(mark.x, mark.y, linestyle="none", alpha=0.75, label=mark.name, **mark.look)
        else:
            draw_curve(ax, mark, shift, "x" in panel.log)
    settle(ax, panel)


def settle(ax: Axes, panel: Panel) -> None:
    """Set the scales and the ticks, and write the legend."""
    if "x" in panel.log:
        ax.set_xscale("log")
    if "y" in panel.log:
        ax.set_yscale("log")
    if panel.ticks:
        ax.set_xticks(panel.ticks, [f"{tick:g}" for tick in panel.ticks])
        ax.set_xticks([], minor=True)
    if panel.zero:
        ax.set_ylim(bottom=min(0.0, ax.dataLim.y0))
    signs = [Line2D([], [], linestyle="none", label=key.name, **key.look) for key in panel.keys]
    look: dict[str, Any] = {"framealpha": 0.85, "edgecolor": "none", "labelspacing": 0.35}
    if signs or any(mark.name for mark in panel.marks):
        named = signs or ax.get_legend_handles_labels()[0]
        ax.legend(handles=list[Artist](named), loc="best", fontsize=LETTERS - 1.5, **look)


def draw_curve(ax: Axes, mark: Curve, shift: float, log: bool) -> None:
    """Draw means and whiskers, a little beside those of the others so that none hides another."""
    span = max(mark.x) / min(mark.x) if log else max(mark.x) - min(mark.x)
    if not mark.sd:
        x = list(mark.x)
    elif log:
        x = [value * span ** (0.004 * shift) for value in mark.x]
    else:
        x = [value + 0.004 * span * shift for value in mark.x]
    ax.errorbar(
        x,
        mark.y,
        yerr=mark.sd or None,
        label=mark.name,
        color=mark.colour,
        marker=mark.marker,
        markersize=3.5,
        linewidth=1.0,
        elinewidth=0.8,
        capsize=1.5,
    )
