"""Points of two columns: the scatter plot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

from discreet.errors import InputError
from discreet.plots.view import View
from discreet.protect import COUNT_METHODS
from discreet.render.scene import Axis, Dots, Lines, Panel, Scene

__all__ = ["DRAWN", "RAW", "PointsView", "Trend"]

RAW, DRAWN = "raw records", "what is drawn"


@dataclass(frozen=True)
class Trend:
    """A least-squares line y = intercept + slope x.

    `of` says of what: "what is drawn" (each point as often as it counts) or, under `research`
    alone, "raw records"; `level` of which level of `by`, or empty.
    """

    of: str
    level: str
    slope: float
    intercept: float


@dataclass(frozen=True, kw_only=True, repr=False)
class PointsView(View):
    """Different points in order of their coordinates, and how many records each stands for.

    Parameters
    ----------
    x, y : tuple of float
        The coordinates; of gridded points the middle of the cell.
    size : tuple of int
        How many records share the point.
    by : str or None
        The column whose levels colour the points.
    level : tuple of str
        The level of each point; empty without `by`.
    trends : tuple of Trend
        Lines through the points, where asked for.
    """

    kind: ClassVar[str] = "scatter"

    x: tuple[float, ...]
    y: tuple[float, ...]
    size: tuple[int, ...]
    by: str | None = None
    level: tuple[str, ...] = ()
    trends: tuple[Trend, ...] = ()

    def __post_init__(self) -> None:
        if not len(self.x) == len(self.y) == len(self.size):
            raise InputError("points have as many x as y coordinates and sizes")
        if len(self.level) != (0 if self.by is None else len(self.x)):
            raise InputError("points that are coloured have a level each")
        found = list(zip(self.x, self.y, self.level or ("",) * len(self.x), strict=True))
        if any(a >= b for a, b in pairwise(found)):
            raise InputError("points are different and in order of their coordinates")

    def scene(self) -> Scene:
        """Return the dots, sized by count where they stand for cells of a grid."""
        gridded = self.method in COUNT_METHODS and self.method != "none"
        panel = Panel(
            marks=(*self._dots(gridded), *self._lines()),
            x=Axis(self.columns[0]),
            y=Axis(self.columns[1]),
        )
        coincide = not gridded and any(size > 1 for size in self.size)
        what = "protected row" if self.origin.counted == "protected rows" else "record"
        signs = (f"dark: more than one {what} at the same place",) if coincide else ()
        coloured = () if self.by is None else (f"coloured by {self.by}",)
        return Scene((panel,), notes=self.notes() + coloured + signs)

    def _dots(self, gridded: bool) -> list[Dots]:
        if self.by is None:
            return [Dots(self.x, self.y, self.size, gridded, self.origin.counted)]
        found = list(zip(self.x, self.y, self.size, self.level, strict=True))
        dots = []
        for name in sorted(set(self.level)):
            x, y, size = zip(*((a, b, n) for a, b, n, level in found if level == name), strict=True)
            dots.append(Dots(x, y, size, gridded, self.origin.counted, name))
        return dots

    def _lines(self) -> list[Lines]:
        """Return each trend as a line over the points it is of."""
        lines = []
        for trend in self.trends:
            of = [x for x, name in self._places() if trend.level in ("", name)]
            x = (min(of), max(of))
            y = (trend.intercept + trend.slope * x[0], trend.intercept + trend.slope * x[1])
            look = "raw" if trend.of == RAW else "trend"
            of_level = f" ({trend.level})" if trend.level else ""
            lines.append(Lines((x,), (y,), look, f"trend of {trend.of}{of_level}"))
        return lines

    def _places(self) -> list[tuple[float, str]]:
        return list(zip(self.x, self.level or ("",) * len(self.x), strict=True))

    @classmethod
    def _decoded(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        trends = tuple(Trend(**trend) for trend in given["trends"])
        return super()._decoded(given) | {"trends": trends}
