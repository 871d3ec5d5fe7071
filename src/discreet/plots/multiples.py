"""Small multiples: one picture for each level of a column, on axes that all of them share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from discreet.errors import InputError
from discreet.plots.view import View
from discreet.render.scene import Bars, Cells, Mark, Panel, Scene

__all__ = ["MultiplesView"]

HEADROOM = 1.05


@dataclass(frozen=True, kw_only=True, repr=False)
class MultiplesView(View):
    """One view for each level of a categorical column.

    Parameters
    ----------
    by : str
        The column.
    levels : tuple of str
        Its levels; small ones are joined into "other".
    views : tuple of View
        The view of each level.
    """

    kind: ClassVar[str] = "multiples"

    by: str
    levels: tuple[str, ...]
    views: tuple[View, ...]

    def __post_init__(self) -> None:
        if not self.levels or len(self.levels) != len(self.views):
            raise InputError("small multiples have one view for each level, and one at least")

    def note(self) -> str:
        """Return one line on what this is and how it was made."""
        return f"{self.views[0].note()}, for each level of {self.by}"

    def scene(self) -> Scene:
        """Return the panels of all views, named by level, with shared axes and colours."""
        scenes = [view.scene() for view in self.views]
        panels = [
            replace(panel, title=f"{self.by}: {level}")
            for level, scene in zip(self.levels, scenes, strict=True)
            for panel in scene.panels
        ]
        signs = [line for scene in scenes for line in scene.notes if line not in self._said()]
        return Scene(_alike(panels), notes=(*self.notes(), *dict.fromkeys(signs)))

    def _said(self) -> tuple[str, ...]:
        """Return the lines that each view would say for all."""
        return tuple(line for view in self.views for line in view.notes())

    @classmethod
    def _decoded(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        views = tuple(View.from_plain(view) for view in given["views"])
        return super()._decoded(given) | {"views": views}


def _alike(panels: list[Panel]) -> tuple[Panel, ...]:
    """Give all bars one height of axes, and all cells one scale of colours."""
    marks = [mark for panel in panels for mark in panel.marks]
    heights = [h for mark in marks if isinstance(mark, Bars) for h in mark.heights if h]
    values = [
        v for mark in marks if isinstance(mark, Cells) for row in mark.values for v in row if v
    ]
    highest = (0.0, HEADROOM * max(heights)) if heights else None
    span = (float(min(values)), float(max(values))) if values else None

    def coloured(mark: Mark) -> Mark:
        return replace(mark, span=span) if isinstance(mark, Cells) else mark

    return tuple(
        replace(
            panel,
            marks=tuple(coloured(mark) for mark in panel.marks),
            y=replace(panel.y, limits=highest or panel.y.limits),
        )
        for panel in panels
    )
