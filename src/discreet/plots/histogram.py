"""A histogram: bars on the intervals of one column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from discreet.errors import InputError
from discreet.plots.view import View
from discreet.render.scene import Axis, Bars, Panel, Scene

__all__ = ["HistogramView"]

HIDDEN = "hatched below the axis: none, or fewer than k"


@dataclass(frozen=True, kw_only=True, repr=False)
class HistogramView(View):
    """Bars of one column.

    Parameters
    ----------
    edges : tuple of float
        The ends of the bins, one more than there are bins.
    counts : tuple of int or None
        What each bin holds; None where it is hidden, or lies in a gap of method "merge".
    density : tuple of float or None
        The height of each bar: a guarded policy shows shares divided by the bin's width,
        `research` counts divided by it (the frequency density of the 2021 paper).
    """

    kind: ClassVar[str] = "histogram"

    edges: tuple[float, ...]
    counts: tuple[int | None, ...]
    density: tuple[float | None, ...]

    def __post_init__(self) -> None:
        if not len(self.edges) - 1 == len(self.counts) == len(self.density):
            raise InputError("a histogram has one edge more than it has counts and densities")

    def scene(self) -> Scene:
        """Return the bars; hidden ones have a sign."""
        label = "frequency density" if self.origin.regime == "research" else "density"
        panel = Panel(
            marks=(Bars(self.edges, self.density),),
            x=Axis(self.columns[0], (self.edges[0], self.edges[-1])),
            y=Axis(label),
        )
        signs = (HIDDEN,) if None in self.counts else ()
        return Scene((panel,), notes=self.notes() + signs)
