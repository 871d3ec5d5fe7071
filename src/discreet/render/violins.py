"""Draw violins: mirrored densities side by side, with their median and quartiles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from discreet.render.marks import ACCENT, DARK, PALE, coarse
from discreet.render.scene import Panel, Violins

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def violins(ax: Axes, mark: Violins, panel: Panel) -> None:
    """Draw a shape about each tick, a bar between its quartiles and a dot at its median."""
    drawn = [value for it in mark.violins for value in it.values]
    limits = panel.y.limits or (min(drawn, default=0.0), max(drawn, default=1.0))
    for place, it in enumerate(mark.violins):
        values = coarse(it.values, limits)
        halves = [round(half, 4) for half in it.halves]
        left, right = ([place + sign * half for half in halves] for sign in (-1, 1))
        ax.fill_betweenx(values, left, right, facecolor=PALE, edgecolor=ACCENT, linewidth=1.1)
        q1, median, q3 = coarse([it.q1, it.median, it.q3], limits)
        ax.vlines(place, q1, q3, color=DARK, linewidth=4)
        look: dict[str, Any] = {
            "markerfacecolor": "white",
            "markeredgecolor": DARK,
            "markeredgewidth": 1.0,
        }
        ax.plot([place], [median], "o", markersize=5.5, **look)
