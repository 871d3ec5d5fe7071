"""A comparison of rounding methods in sentences: which is best by what, and what is not said."""

from __future__ import annotations

from collections.abc import Sequence

from discreet.measure.roundings.grid import EQUAL, RoundingGrid
from discreet.measure.roundings.trial import Trial
from discreet.rounding.choice import FREEDMAN_DIACONIS

__all__ = ["as_text", "claims", "in_short", "stated"]

HEADS = {
    "sse": "Least squared error",
    "il_metrics": "Least information loss by IL metrics",
    "il1s": "Least information loss by IL1s",
    "ddr": "Fewest rows linked by distance (DDR)",
    "idr": "Fewest rows disclosed by interval (IDR)",
    "score": "Lowest IL-DR score",
    "acc_o": "Trees that are right most often on original rows",
    "mse": "Regressions with the least error on original rows",
}
PERCENT = ("sse", "ddr", "idr", "acc_o", "acc_v")


def as_text(value: float) -> str:
    """Write a number with three digits that count, and a missing one as a dash.

    Examples
    --------
    >>> as_text(0.01234), as_text(98.76), as_text(123456.0), as_text(float("nan"))
    ('0.0123', '98.8', '123,000', '-')
    """
    if value != value:
        return "-"
    short = float(f"{value:.3g}")
    return f"{short:,.0f}" if abs(short) >= 1000 else f"{short:.3g}"


def stated(measure: str, value: float) -> str:
    """Write a value with its unit, as a sentence has it."""
    return f"{as_text(value)} %" if measure in PERCENT else as_text(value)


def in_short(grid: RoundingGrid) -> tuple[str, ...]:
    """Return what was found, a sentence for each measure; means are over the settings."""
    told = [_ranking(grid, measure, head) for measure, head in HEADS.items()]
    told += [_against_unrounded(grid), _freedman_diaconis(grid), _by_classes(grid)]
    return tuple(filter(None, told))


def _ranking(grid: RoundingGrid, measure: str, head: str) -> str:
    """Say which methods are the first, the second and the last by their means."""
    means = grid.means(measure) if measure in grid.gauges else {}
    if len(means) < 2:
        return ""
    rungs = grid.common(measure, grid.methods("k", "c"))
    names = list(means)
    first, *others = names
    best = means[first]
    alike = [name for name in others if abs(means[name] - best) <= EQUAL * abs(best)]
    if len(alike) == len(others):
        return f"{head}: all methods are alike, {stated(measure, best)}."
    over = f"on average over {len(rungs)} settings" if len(rungs) > 1 else "at the one setting"
    words = f"{head}: {', '.join([first, *alike])}, {stated(measure, best)} {over}"
    if len(rungs) > 1 and not alike:
        times = sum(first in grid.best_at(measure, rung) for rung in rungs)
        words += f" (the best at {times} of them)"
    rest = [name for name in others if name not in alike]
    words += f"; next {rest[0]}, {stated(measure, means[rest[0]])}"
    if len(rest) > 1:
        words += f"; last {rest[-1]}, {stated(measure, means[rest[-1]])}"
    return f"{words}."


def _key(grid: RoundingGrid) -> str:
    return {"tree": "acc_o", "regression": "mse"}.get(grid.model, "")


def _model(grid: RoundingGrid) -> str:
    return {"tree": "tree", "regression": "regression"}[grid.model]


def _against_unrounded(grid: RoundingGrid) -> str:
    key = _key(grid)
    if key not in grid.unrounded:
        return ""
    tried = [t for t in grid.usable if t.rung is not None]
    good = grid.as_good_as_unrounded(key, tried)
    of = {m: sum(t.method == m for t in good) for m in dict.fromkeys(t.method for t in tried)}
    each = ", ".join(f"{method} {times}" for method, times in of.items())
    row = f" One row is {100 / grid.rows:.2g} points of accuracy." if grid.model == "tree" else ""
    return (
        f"A {_model(grid)} that learned from unrounded rows has"
        f" {stated(key, grid.unrounded[key])} ({grid.gauges[key].name}); one that learned from"
        f" rounded rows does at least as well in {len(good)} of {len(tried)} settings ({each})."
        f"{row}"
    )


def _freedman_diaconis(grid: RoundingGrid) -> str:
    key = _key(grid)
    tried = grid.by_rule(FREEDMAN_DIACONIS)
    if not tried or not key:
        return ""
    return (
        f"With the parameter chosen by the Freedman-Diaconis rule, {_span(key, tried)}; not rounded"
        f" {stated(key, grid.unrounded[key])}."
    )


def _by_classes(grid: RoundingGrid) -> str:
    tried = grid.by_rule("classes")
    if not tried or not grid.unrounded:
        return ""
    each = "; ".join(
        f"{t.method} {stated('acc_v', t.value('acc_v'))} on rounded and"
        f" {stated('acc_o', t.value('acc_o'))} on original rows"
        for t in tried
    )
    level = stated("acc_o", grid.unrounded["acc_o"])
    return f"Trees after methods that look at the classes: {each}; not rounded {level}."


def _span(measure: str, trials: Sequence[Trial]) -> str:
    ordered = sorted(trials, key=lambda trial: trial.value(measure))
    low, high = ordered[0], ordered[-1]
    return (
        f"from {stated(measure, low.value(measure))} ({low.method}) to"
        f" {stated(measure, high.value(measure))} ({high.method})"
    )


def claims(grid: RoundingGrid) -> tuple[str, ...]:
    """Return what must not be claimed of any of it, with the numbers of this table."""
    return tuple(filter(None, (_rows_alone(grid), _points_alone(grid), *ALWAYS)))


ALWAYS = (
    "That a low score is a safe release. The score is the mean of two losses and two risks in units"
    " that cannot be compared; where a loss is far above 100, no risk can outweigh it, and a method"
    " that spoils the table may score well.",
    "That nobody can do more than these two attacks. DDR and IDR are of somebody who has the"
    " original rows and looks for the nearest; one who knows how the points were found may do"
    " better.",
    "That the choice costs nothing. The numbers are exact and of the raw data; two rounded versions"
    " of one table give away more than either, so choose one setting and keep it.",
)


def _rows_alone(grid: RoundingGrid) -> str:
    """Say that columns rounded one at a time leave rows alone, at the least and the largest k."""
    known = [t for t in grid.usable if t.rung is not None and t.alone is not None]
    if not known:
        return ""
    joint = "in all columns together" if len(grid.columns) > 1 else "in the one column"
    words = (
        "That rows are k-anonymous: that each shares its rounded values with k - 1 others. Columns"
        " are rounded one at a time"
    )
    spans = []
    for rung in sorted({min(t.rung or 0 for t in known), max(t.rung or 0 for t in known)}):
        here = sorted((t for t in known if t.rung == rung), key=lambda t: t.alone or 0.0)
        low, high = (f"{100 * (t.alone or 0.0):.1f} %" for t in (here[0], here[-1]))
        span = f"from {low} ({here[0].method}) to {high} ({here[-1].method})"
        spans.append(f"at k = {here[0].k} {low if low == high else span}")
    return f"{words}; {', and '.join(spans)} of the rows share their values {joint} with nobody."


def _points_alone(grid: RoundingGrid) -> str:
    """Say which methods have rounding points of one row, which are that row's own value."""
    alone = [t for t in grid.usable if t.fewest == 1]
    if not alone:
        return ""
    names = ", ".join(dict.fromkeys(t.method for t in alone))
    settings = "settings" if len(alone) > 1 else "setting"
    return (
        "That every rounding point stands for many rows. Only methods steered by k promise that; in"
        f" {len(alone)} {settings}, of {names}, a point stands for one row alone and is as good as"
        " its original value."
    )
