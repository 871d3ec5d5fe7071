"""One question, settled: which picture, by which method, with which numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from discreet.protect import ROW_METHODS, CellSuppression

__all__ = ["DEFAULT_PICTURES", "DIAGNOSTICS", "PICTURES", "ROWS_PER_K", "Asked", "Edges", "Limits"]

#: A guarded picture or copy is made of at least this many times k persons.
ROWS_PER_K = 10

#: The method of each picture where neither policy nor caller says. A contour plot has none of
#: its own: it is drawn from the grid of the heat map.
DEFAULT_PICTURES: Mapping[str, str] = MappingProxyType(
    {
        "scatter": "rows",
        "histogram": "merge",
        "heatmap": "generalization",
        "box": "order-means",
        "bars": "cell-suppression",
        "crosstab": "cell-suppression",
        "residuals": "rows",
        "qq": "rows",
        "leverage": "rows",
    }
)
Limits = Mapping[str, tuple[float, float]]
Edges = Mapping[str, tuple[float, ...]]

#: Pictures of a regression, asked for with a formula.
DIAGNOSTICS = ("residuals", "qq", "leverage")

_BINNED = ("suppression", "generalization", *ROW_METHODS)
_POINTS = (*ROW_METHODS, "suppression", "generalization", "none")
_TABLE = (CellSuppression.name, "none")
#: Every picture, with the methods it can be made by; "rows" stands for the policy's row method.
PICTURES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "histogram": ("merge", *_BINNED, "none"),
        "scatter": _POINTS,
        "heatmap": (*_BINNED, "none"),
        "contour": (*_BINNED, "none"),
        "box": ("order-means", *_BINNED, "none"),
        "bars": _TABLE,
        "crosstab": _TABLE,
        **dict.fromkeys(DIAGNOSTICS, _POINTS),
    }
)


@dataclass(frozen=True)
class Asked:
    """One picture as it will be made: the method and every number it needs."""

    picture: str
    columns: tuple[str, ...]
    method: str
    k: int
    q: float | None
    bins: int
    grid: int
    limits: Limits
    guarded: bool
    round_to: int
    shown_share: float
    show_empty: bool
    by: str | None
    edges: Edges
    bins_share: float
    rounding: str | None = None
    c: int | None = None

    @property
    def named(self) -> tuple[str, ...]:
        """All columns that the picture says something about."""
        return self.columns if self.by is None else (*self.columns, self.by)

    @property
    def from_rows(self) -> bool:
        """Whether the picture is drawn from protected rows rather than from counts."""
        return self.method in ROW_METHODS
