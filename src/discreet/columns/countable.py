"""What plots ask of rows: those of a table, counted where they lie, or arrays in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from discreet.arguments import Floats
from discreet.columns.column import Column
from discreet.columns.grids import NO_LEVELS, BinAxis, Counted, Levels, Rows


class NamedColumns(Protocol):
    """Columns by name: which there are, and of which kind."""

    @property
    def columns(self) -> Mapping[str, Column]:
        """What is known of each column."""

    @property
    def framework(self) -> str:
        """Which library's frame a table of them is given back in."""

    def known(self, name: str) -> Column:
        """Return what is known of a column, or say which there are."""

    def shown(self, names: Sequence[str], kind: str) -> tuple[str, ...]:
        """Return those of the names that are of a kind, can be read, and identify nobody."""

    def require(self, names: Sequence[str], kind: str | None = None) -> None:
        """Refuse names that are unknown, named twice, identifiers, or of another kind."""


class Countable(NamedColumns, Protocol):
    """Rows that are counted and read by the names of their columns."""

    @property
    def size(self) -> int:
        """How many rows there are."""

    def count(self, axes: Sequence[BinAxis], levels: Levels = NO_LEVELS) -> Counted:
        """Count the people in each cell of the grid that `axes` span, levels first."""

    def levels(self, name: str, complete: Sequence[str] = ()) -> dict[str, int]:
        """Count the people of each level; those alone who have numbers in `complete`."""

    def extremes(self, name: str, k: int) -> tuple[Floats, Floats]:
        """Return the `k` smallest and the `k` largest values of a column."""

    def is_whole(self, name: str, but_for: int = 1) -> bool:
        """Whether the values of a column are whole numbers, but for fewer than some."""

    def rows(
        self, names: Sequence[str], texts: Sequence[str] = (), levels: Sequence[str] = ()
    ) -> Rows:
        """Return the complete cases of `names` and `texts`; `levels` may be missing in them."""

    def persons_repeat(self) -> bool:
        """Whether some person has several rows."""
