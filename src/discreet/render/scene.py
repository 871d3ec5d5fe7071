"""The drawing vocabulary: what a picture consists of, as plain data.

A View says what may be shown; its Scene says with which marks. Back-ends draw Scenes and know
nothing else, so what is not in a Scene cannot reach a figure.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Axis", "Bars", "Box", "Boxes", "Cells", "Dots", "Mark", "Panel", "Scene"]


@dataclass(frozen=True)
class Axis:
    """One axis: its label and, where the view fixes them, its limits and named ticks.

    The i-th named tick stands at i (0, 1, 2 ...), and so does the i-th of `Boxes`.
    """

    label: str
    limits: tuple[float, float] | None = None
    ticks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Bars:
    """Histogram bars on `edges` (one more than `heights`); a hidden bar is None."""

    edges: tuple[float, ...]
    heights: tuple[float | None, ...]


@dataclass(frozen=True)
class Dots:
    """Points; `size` is how many records one stands for.

    `by_size` draws the area in proportion to it (gridded points); otherwise all dots are alike
    and those of more than one record are dark, as in Fig. 2 of the 2021 paper. `label` says
    what is counted.
    """

    x: tuple[float, ...]
    y: tuple[float, ...]
    size: tuple[int, ...]
    by_size: bool = False
    label: str = "records"


@dataclass(frozen=True)
class Cells:
    """A grid of `values[i][j]` at x interval i and y interval j; a hidden cell is None."""

    x_edges: tuple[float, ...]
    y_edges: tuple[float, ...]
    values: tuple[tuple[float | None, ...], ...]
    label: str


@dataclass(frozen=True)
class Box:
    """One box: five numbers, and the mean and outliers where they may be drawn."""

    label: str
    low: float
    q1: float
    median: float
    q3: float
    high: float
    mean: float | None = None
    outliers: tuple[float, ...] = ()


@dataclass(frozen=True)
class Boxes:
    """Boxes side by side, one for each tick of the x axis."""

    boxes: tuple[Box, ...]


Mark = Bars | Dots | Cells | Boxes


@dataclass(frozen=True)
class Panel:
    """Marks on one pair of axes."""

    marks: tuple[Mark, ...]
    x: Axis
    y: Axis


@dataclass(frozen=True)
class Scene:
    """Panels side by side, a title, and notes that stand small below (how it was made)."""

    panels: tuple[Panel, ...]
    title: str = ""
    notes: tuple[str, ...] = ()
