"""Box plots of one or more columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from discreet.errors import InputError
from discreet.plots.view import View
from discreet.protect import OrderMeans
from discreet.render.scene import Axis, Box, Boxes, Panel, Scene

__all__ = ["BoxView"]


@dataclass(frozen=True, kw_only=True, repr=False)
class BoxView(View):
    """The drawn numbers of each box.

    Parameters
    ----------
    groups : tuple of Box
        One for each column, or for each level of `by`: low, q1, median, q3, high, and mean and
        outliers where the policy lets them be drawn.
    by : str or None
        The column whose levels have a box each.
    """

    kind: ClassVar[str] = "box"

    groups: tuple[Box, ...]
    by: str | None = None

    def __post_init__(self) -> None:
        for box in self.groups:
            if not box.low <= box.q1 <= box.median <= box.q3 <= box.high:
                raise InputError("the five numbers of a box are in order")

    def scene(self) -> Scene:
        """Return a panel a column, because columns have units of their own; levels share one."""
        panels = tuple(
            Panel((Boxes((box,)),), x=Axis("", ticks=(box.label,)), y=Axis(""))
            for box in self.groups
        )
        if self.by is not None:
            ticks = tuple(box.label for box in self.groups)
            panels = (
                Panel((Boxes(self.groups),), Axis(self.by, ticks=ticks), Axis(self.columns[0])),
            )
        signs = ("diamond: mean",) if any(box.mean is not None for box in self.groups) else ()
        if self.by is not None and all(box.low == box.q1 for box in self.groups):
            signs = ("no whiskers: those of several levels together would tell far values",)
        return Scene(panels, notes=self.notes() + signs)

    def _source(self) -> str:
        means = self.method == OrderMeans.name
        return "from means of neighbouring values" if means else super()._source()

    @classmethod
    def _decoded(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        boxes = tuple(Box(**box | {"outliers": tuple(box["outliers"])}) for box in given["groups"])
        return super()._decoded(given) | {"groups": boxes}
