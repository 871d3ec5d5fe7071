"""The pictures of a comparison: each measure against k or c, and the mean scores as bars."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from discreet.measure.pictures import Picture
from discreet.measure.roundings.grid import RoundingGrid
from discreet.measure.roundings.trial import MODELS
from discreet.measure.roundings.words import stated
from discreet.render.scene import Axis, Columns, Lines, Panel, Scene

__all__ = ["family_picture", "model_picture", "score_picture"]

SHOWN = ("sse", "il_metrics", "il1s", "ddr", "idr", "score")
AXES = {"k": "k, least rows at a point", "c": "c, number of points"}
FAR = 2.5  # times what the methods below it reach
ROOM = 1.3
BEYOND = "lines that leave a drawing at the top, or are not to be seen in it, lie above"
NOT_ROUNDED = "not rounded"


def family_picture(grid: RoundingGrid, family: str) -> Picture | None:
    """Draw each measure against k or c, one line a method (Fig. 2 and 3 of the paper)."""
    panels = tuple(_panel(grid, family, measure) for measure in SHOWN)
    if not any(panel.marks for panel in panels):
        return None
    methods = ", ".join(grid.methods(family))
    title = {
        "k": "Methods that put at least k rows at each rounding point",
        "c": "Methods that make c rounding points",
    }[family]
    said = " ".join(filter(None, (_best_of(grid, family, measure) for measure in SHOWN)))
    return Picture(
        Scene(panels, title, _notes(panels)),
        f"Lines of {methods} against {family}. {said}".strip(),
    )


def model_picture(grid: RoundingGrid) -> Picture | None:
    """Draw what models of rounded rows reach on original and on rounded ones."""
    keys = tuple(MODELS.get(grid.model, ()))
    panels = tuple(
        panel
        for family in ("k", "c")
        for key in keys
        for panel in (_panel(grid, family, key),)
        if panel.marks
    )
    if not panels:
        return None
    kind = {"tree": "decision trees", "regression": "linear regressions"}[grid.model]
    of = "class" if grid.model == "tree" else "value"
    return Picture(
        Scene(panels, f"How well {kind} of rounded rows tell the {of}", _notes(panels)),
        f"Lines of {', '.join(f'{grid.gauges[key].name}' for key in keys)} against k and c, beside"
        " the level of a model of unrounded rows.",
    )


def score_picture(grid: RoundingGrid) -> Picture | None:
    """Draw the mean score of each method as a bar (Fig. 4)."""
    means = grid.means("score")
    if not means:
        return None
    names = tuple(name for name in grid.methods("k", "c") if name in means)
    panel = Panel(
        (Columns((tuple(means[name] for name in names),)),),
        Axis("", ticks=names),
        Axis("mean IL-DR score"),
    )
    best, *_, worst = (*means, *means)
    rungs = len(grid.common("score", names))
    over = f"mean over {rungs} settings" if rungs > 1 else "of one setting"
    return Picture(
        Scene((panel,), "Mean score by method", (f"{over}; lower is better",)),
        f"Bars of the mean score of {len(names)} methods: lowest {best} with"
        f" {stated('score', means[best])}, highest {worst} with {stated('score', means[worst])}.",
    )


def _panel(grid: RoundingGrid, family: str, measure: str) -> Panel:
    """Draw one measure of one family; what has no number to be drawn against is a level line."""
    marks: list[Lines] = []
    for method in grid.methods(family):
        known = [t for t in grid.line(method) if math.isfinite(t.value(measure))]
        places = sorted((float(getattr(t, family) or 0), t.value(measure)) for t in known)
        if places:
            xs, ys = zip(*places, strict=True)
            marks.append(Lines((xs,), (ys,), "series", method))
    gauge = grid.gauges[measure]
    if marks:
        marks += _levels(grid, family, measure, [x for mark in marks for x in mark.x[0]])
    limits = _limits([max(mark.y[0]) for mark in marks])
    name = gauge.name[0].upper() + gauge.name[1:]
    return Panel(tuple(marks), Axis(AXES[family]), Axis("", limits), name)


def _levels(grid: RoundingGrid, family: str, measure: str, xs: Sequence[float]) -> list[Lines]:
    """Draw methods without a number beside those with c, and the unrounded table beside both."""
    ends = min(xs), max(xs)
    marks = []
    for trial in grid.by_rule("classes") if family == "c" else ():
        y = trial.value(measure)
        if math.isfinite(y):
            marks.append(Lines((ends,), ((y, y),), "series", trial.method))
    level = grid.unrounded.get(measure, math.nan)
    if math.isfinite(level):
        marks.append(Lines((ends,), ((level, level),), "trend", NOT_ROUNDED))
    return marks


def _limits(tops: Sequence[float]) -> tuple[float, float] | None:
    """Cut off the few methods that would press all others flat; None where there is none.

    `tops` are the highest values of each line.
    """
    ordered = sorted(tops)
    if not ordered or ordered[-1] == 0:
        return -0.03, 1.0
    for below, top in list(pairwise(ordered))[len(ordered) // 2 :]:
        if top > FAR * below > 0:
            return 0.0, ROOM * below
    return None


def _notes(panels: Sequence[Panel]) -> tuple[str, ...]:
    return (BEYOND,) if any(panel.y.limits and panel.y.limits[0] == 0 for panel in panels) else ()


def _best_of(grid: RoundingGrid, family: str, measure: str) -> str:
    means = grid.means(measure, family)
    if len(means) < 2:
        return ""
    return f"{grid.gauges[measure].name}: least on average {next(iter(means))}."
