"""A bar chart: how many persons have each level of a categorical column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from discreet.errors import InputError
from discreet.plots.view import View
from discreet.render.scene import Axis, Columns, Panel, Scene

__all__ = ["BarView"]


@dataclass(frozen=True, kw_only=True, repr=False)
class BarView(View):
    """Bars of the levels of a column.

    Parameters
    ----------
    levels : tuple of str
        The levels; small ones are joined into "other".
    counts : tuple of int or None
        How many have each level; None where it is hidden.
    by : str or None
        The column whose levels divide each bar.
    by_levels : tuple of str
        Its levels.
    by_counts : tuple of tuples of int or None
        `by_counts[j][i]` of the i-th level and the j-th of `by_levels`; None where it is hidden.
    """

    kind: ClassVar[str] = "bars"

    levels: tuple[str, ...]
    counts: tuple[int | None, ...]
    by: str | None = None
    by_levels: tuple[str, ...] = ()
    by_counts: tuple[tuple[int | None, ...], ...] = ()

    def __post_init__(self) -> None:
        rows = (self.counts, *self.by_counts)
        if any(len(row) != len(self.levels) for row in rows):
            raise InputError("a bar chart has as many counts as levels")
        if len(self.by_counts) != len(self.by_levels):
            raise InputError("a bar chart has one row of counts for each level that divides it")

    def scene(self) -> Scene:
        """Return a bar for each level, or one for each pair of levels."""
        rows, names = self.by_counts or (self.counts,), self.by_levels or ("",)
        panel = Panel(
            marks=(Columns(rows, names),),
            x=Axis(self.columns[0], ticks=self.levels),
            y=Axis(self.origin.counted),
        )
        hidden = any(None in row for row in rows)
        signs = ("hatched below the axis: nobody, or too few to show",) if hidden else ()
        divided = () if self.by is None else (f"divided by {self.by}",)
        return Scene((panel,), notes=self.notes() + divided + signs)
