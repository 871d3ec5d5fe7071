"""A cross-table: how many persons have each pair of levels of two categorical columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from discreet.errors import InputError
from discreet.plots.view import View
from discreet.render.scene import Axis, Panel, Scene, Words

__all__ = ["CrossTableView"]

HIDDEN = "·"


@dataclass(frozen=True, kw_only=True, repr=False)
class CrossTableView(View):
    """Counts of two categorical columns, and their sums.

    Parameters
    ----------
    row_levels, column_levels : tuple of str
        The levels of the first and of the second column; small ones are joined into "other".
    counts : tuple of tuples of int or None
        `counts[i][j]` of the i-th row level and the j-th column level; None where it is hidden,
        because it is small or because it would give a small one back.
    row_totals, column_totals : tuple of int or None
        The sums, counted and rounded by themselves.
    total : int or None
        All of them.
    """

    kind: ClassVar[str] = "crosstab"

    row_levels: tuple[str, ...]
    column_levels: tuple[str, ...]
    counts: tuple[tuple[int | None, ...], ...]
    row_totals: tuple[int | None, ...]
    column_totals: tuple[int | None, ...]
    total: int | None

    def __post_init__(self) -> None:
        rows, columns = len(self.row_levels), len(self.column_levels)
        if len(self.counts) != rows or any(len(row) != columns for row in self.counts):
            raise InputError("a cross-table has a count for each pair of levels")
        if len(self.row_totals) != rows or len(self.column_totals) != columns:
            raise InputError("a cross-table has a sum for each level")

    def scene(self) -> Scene:
        """Return the table as words."""
        lines = [*zip(self.counts, self.row_totals, strict=True), (self.column_totals, self.total)]
        texts = tuple(tuple(_word(count) for count in (*row, total)) for row, total in lines)
        panel = Panel(
            marks=(Words(texts, totals=True),),
            x=Axis(self.columns[1], ticks=(*self.column_levels, "total")),
            y=Axis(self.columns[0], ticks=(*self.row_levels, "total")),
        )
        hidden = any(HIDDEN in row for row in texts)
        sign = f"{HIDDEN} nobody, too few to show, or hidden so that sums do not give others back"
        return Scene((panel,), notes=self.notes() + ((sign,) if hidden else ()))


def _word(count: int | None) -> str:
    return HIDDEN if count is None else f"{count:,}".replace(",", "\u2009")
