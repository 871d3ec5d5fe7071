"""One question, settled: which picture, by which method, with which numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from discreet.protect import ROW_METHODS

__all__ = ["DEFAULT_PICTURES", "PICTURES", "ROWS_PER_K", "Asked", "Limits"]

#: A guarded picture or copy is made of at least this many times k persons.
ROWS_PER_K = 10

#: The method of each picture where neither policy nor caller says.
DEFAULT_PICTURES: Mapping[str, str] = MappingProxyType(
    {
        "scatter": "rows",
        "histogram": "merge",
        "heatmap": "generalization",
        "box": "order-means",
    }
)
Limits = Mapping[str, tuple[float, float]]

_BINNED = ("suppression", "generalization", *ROW_METHODS)
#: Every picture, with the methods it can be made by; "rows" stands for the policy's row method.
PICTURES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "histogram": ("merge", *_BINNED, "none"),
        "scatter": (*ROW_METHODS, "suppression", "generalization", "none"),
        "heatmap": (*_BINNED, "none"),
        "box": ("order-means", *_BINNED, "none"),
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

    @property
    def from_rows(self) -> bool:
        """Whether the picture is drawn from protected rows rather than from counts."""
        return self.method in ROW_METHODS
