"""What is taken beside columns: by pictures, for type checkers, and by tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

__all__ = ["Limits", "OfBins", "OfCells", "OfRows", "strata_as"]

Limits = Mapping[str, Sequence[float]]


class OfRows(TypedDict, total=False):
    """What every picture of numbers takes beside columns, for type checkers."""

    method: str | None
    k: int | None
    q: float | None
    limits: Limits | None


class OfBins(OfRows, total=False):
    """What a histogram takes."""

    bins: int | None
    edges: Limits | None


class OfCells(OfRows, total=False):
    """What a heat map or contour plot takes."""

    grid: int | None


def strata_as(
    missing_levels: str | None,
    hierarchies: Mapping[str, Any] | None,
    diversity: int | None = None,
    closeness: float | None = None,
) -> dict[str, Any]:
    """Return what was asked of strata, by the fields of the policy."""
    return {
        "missing_levels": missing_levels,
        "hierarchies": hierarchies,
        "diversity": diversity,
        "closeness": closeness,
    }
