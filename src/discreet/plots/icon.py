"""The marks of a plot's icon, as SVG in a box of 34 by 28."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["FRAME", "areas", "bars", "cells", "dots", "line", "ovals"]

FULL = 'fill="currentColor"'
STROKE = 'fill="none" stroke="currentColor" stroke-linecap="round"'
FRAME = f'<path d="M4 4v20h26" {STROKE} stroke-width="1.6" opacity="0.55"/>'


def bars(width: float, *places: tuple[float, float]) -> str:
    """Return bars, given where each stands and how high it is."""
    return "".join(
        f'<rect x="{x - 1:g}" y="{24 - height:g}" width="{width:g}" height="{height:g}" {FULL}'
        ' opacity="0.85"/>'
        for x, height in places
    )


def dots(*places: tuple[float, float]) -> str:
    """Return points."""
    return "".join(f'<circle cx="{x:g}" cy="{y:g}" r="1.7" {FULL}/>' for x, y in places)


def cells(*rows: Sequence[int]) -> str:
    """Return the cells of a grid, given how dark each is, from 0 to 7."""
    width, height = 25 / 3, 19 / len(rows)
    return "".join(
        f'<rect x="{5 + i * width:.4g}" y="{4 + j * height:.4g}" width="{width:.4g}"'
        f' height="{height:.4g}" {FULL} opacity="{weight / 7:.3g}"/>'
        for j, row in enumerate(rows)
        for i, weight in enumerate(row)
    )


def ovals(*places: tuple[float, float, float, float, float]) -> str:
    """Return ovals: the middle, both radii and how dark."""
    return "".join(
        f'<ellipse cx="{x:g}" cy="{y:g}" rx="{rx:g}" ry="{ry:g}" {STROKE} stroke-width="1.6"'
        f' opacity="{dark:g}"/>'
        for x, y, rx, ry, dark in places
    )


def line(path: str, width: float = 1.4) -> str:
    """Return a line along a path."""
    return f'<path d="{path}" {STROKE} stroke-width="{width:g}"/>'


def areas(*paths: tuple[str, float]) -> str:
    """Return filled areas, and how dark each is."""
    return "".join(f'<path d="{path}" {FULL} opacity="{dark:g}"/>' for path, dark in paths)
