"""Points of two columns: the scatter plot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from discreet.errors import InputError
from discreet.protect import COUNT_METHODS
from discreet.render.scene import Axis, Dots, Panel, Scene
from discreet.views.base import View

__all__ = ["PointsView"]


@dataclass(frozen=True, kw_only=True, repr=False)
class PointsView(View):
    """Different points in order of their coordinates, and how many records each stands for.

    Parameters
    ----------
    x, y : tuple of float
        The coordinates; of gridded points the middle of the cell.
    size : tuple of int
        How many records share the point.
    """

    kind: ClassVar[str] = "scatter"

    x: tuple[float, ...]
    y: tuple[float, ...]
    size: tuple[int, ...]

    def __post_init__(self) -> None:
        if not len(self.x) == len(self.y) == len(self.size):
            raise InputError("points have as many x as y coordinates and sizes")
        if any(a >= b for a, b in zip(self._pairs(), self._pairs()[1:], strict=False)):
            raise InputError("points are different and in order of their coordinates")

    def scene(self) -> Scene:
        """Return the dots, sized by count where they stand for cells of a grid."""
        gridded = self.method in COUNT_METHODS and self.method != "none"
        panel = Panel(
            marks=(Dots(self.x, self.y, self.size, gridded, self.origin.counted),),
            x=Axis(self.columns[0]),
            y=Axis(self.columns[1]),
        )
        coincide = not gridded and any(size > 1 for size in self.size)
        signs = ("dark: more than one record at the same place",) if coincide else ()
        return Scene((panel,), notes=self.notes() + signs)

    def _pairs(self) -> list[tuple[float, float]]:
        return list(zip(self.x, self.y, strict=True))
