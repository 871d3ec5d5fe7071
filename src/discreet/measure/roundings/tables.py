"""The tables of a comparison, as texts in rows and columns (Tables 1 to 8 of the paper)."""

from __future__ import annotations

import math
from collections.abc import Iterator

from discreet.measure.report_tables import Listing
from discreet.measure.roundings.grid import RoundingGrid
from discreet.measure.roundings.trial import MODELS, Trial
from discreet.measure.roundings.words import as_text

__all__ = ["BEST", "family_table", "models_table", "refused_table", "whole_table"]

#: Stands behind the best score of its rung.
BEST = " *"
LOSSES = ("sse", "il_metrics", "il1s", "ddr", "idr", "score")
TITLES = {
    "k": "Methods steered by k, the least number of rows at a rounding point",
    "c": "Methods steered by c, the number of rounding points",
    "classes": "Methods steered by the classes of the target",
}


def family_table(grid: RoundingGrid, family: str) -> Listing:
    """Return loss and risk of each setting of a family, and how many rows stand at its points."""
    keys = (*LOSSES, "score_by_sum")
    head = (
        *("method", "setting"),
        *(grid.gauges[key].name for key in keys),
        *("points a column", "rows at the least used", "rows in groups below k, %"),
        "rows alone, %",
    )
    rows = [
        (
            *(trial.method, trial.setting),
            *(_number(grid, trial, key, (family,)) for key in keys),
            *(_points(trial), _whole(trial.fewest)),
            *(_percent(trial.below), _percent(trial.alone)),
        )
        for trial in _ordered(grid, family)
    ]
    return Listing(TITLES[family], head, tuple(rows), (0, 1))


def models_table(grid: RoundingGrid) -> Listing:
    """Return what the models reach of each setting, beside the model of unrounded rows."""
    keys = tuple(MODELS.get(grid.model, ()))
    others = ("entropy", "correlation", "il_metrics", "score")
    title = {
        "": "",
        "tree": f"Decision trees for {grid.target}",
        "regression": f"Linear regressions of {grid.target}",
    }[grid.model]
    head = ("method", "setting", *(grid.gauges[key].name for key in (*keys, *others)))
    if not keys:
        return Listing(title, head, (), (0, 1))
    plain = ("none", "not rounded", *(as_text(_of(grid, key)) for key in (*keys, *others)))
    rows = [
        (trial.method, trial.setting, *(as_text(trial.value(key)) for key in (*keys, *others)))
        for family in ("k", "c", "classes")
        for trial in _ordered(grid, family)
    ]
    return Listing(title, head, (plain, *rows), (0, 1))


def whole_table(grid: RoundingGrid) -> Listing:
    """Return the numbers that a terminal has room for, of all families."""
    keys = (*LOSSES, *tuple(MODELS.get(grid.model, ()))[:1])
    short = {"acc_o": "acc, %", "acc_v": "acc V, %", "il_metrics": "IL"}
    names = (short.get(key, grid.gauges[key].name) for key in keys)
    head = ("method", "setting", *names, "alone, %")
    rows = [
        (
            *(trial.method, trial.setting),
            *(as_text(trial.value(key)) for key in keys),
            _percent(trial.alone),
        )
        for family in ("k", "c", "classes")
        for trial in _ordered(grid, family)
    ]
    return Listing("All settings", head, tuple(rows), (0, 1))


def refused_table(grid: RoundingGrid) -> Listing:
    """Return the settings that cannot be used on the table, and why."""
    rows = tuple((t.method, t.setting, t.refused) for t in grid.trials if t.refused is not None)
    title = "Settings that cannot be used on this table"
    return Listing(title, ("method", "setting", "why"), rows, (0, 1, 2))


def _ordered(grid: RoundingGrid, family: str) -> Iterator[Trial]:
    """Go through the usable trials of a family: by rung, and those without one at the end."""
    yield from sorted(
        (t for t in grid.usable if t.family == family),
        key=lambda trial: math.inf if trial.rung is None else trial.rung,
    )


def _number(grid: RoundingGrid, trial: Trial, key: str, families: tuple[str, ...]) -> str:
    """Write a number, and a star behind the best score of its rung."""
    text = as_text(trial.value(key))
    if key != "score" or trial.rung is None or len(grid.methods(*families)) < 2:
        return text
    return text + (BEST if trial.method in grid.best_at(key, trial.rung, *families) else "")


def _of(grid: RoundingGrid, key: str) -> float:
    return grid.unrounded.get(key, math.nan)


def _points(trial: Trial) -> str:
    """Write how many points are in use: one number, or from the fewest to the most of a column."""
    low, high = min(trial.points.values()), max(trial.points.values())
    return str(low) if low == high else f"{low} to {high}"


def _whole(count: int | None) -> str:
    return "-" if count is None else str(count)


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"
