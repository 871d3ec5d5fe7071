"""Tables 1 to 8 and Fig. 4 as texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from discreet.measure.roundings_report import MODELS, RoundingGrid, Trial, short
from examples.rounding.averages import Draws

__all__ = ["figure_4", "loss_and_risk", "models"]

SCORES = ("sse", "il_metrics", "il1s", "ddr", "idr", "score", "score_by_sum")
FAMILIES = (("k", ("mdav", "vmdav", "optimal")),
            ("c", ("equal_width", "equal_frequency", "kmeans", "resampling")))  # fmt: skip


def loss_and_risk(number: str, draws: Draws, family: str) -> str:
    """Write Table 1 to 6: loss, risk and both scores at each k or c, means over the draws."""
    methods = dict(FAMILIES)[family]
    first = draws.found[0]
    head = (family, "method", *(first.gauges[key].name for key in SCORES))
    rows = []
    for rung in range(len(first.line(methods[0]))):
        means = {m: [draws.mean(key, m, (rung,)) for key in SCORES] for m in methods}
        lowest = [min(column) for column in zip(*means.values(), strict=True)]
        for method, values in means.items():
            setting = next(t for t in first.line(method) if t.rung == rung)
            told = [short(value) for value in values]
            for scale in (-2, -1):
                told[scale] += " *" if values[scale] == lowest[scale] else "  "
            rows.append((str(getattr(setting, family)), method, *told))
    over = f", means over {len(draws.found)} draws" if len(draws.found) > 1 else ""
    return _table(f"{number}: {draws.kind}{over} (* lowest score)", head, rows)


def models(number: str, *found: RoundingGrid) -> str:
    """Write Table 7 or 8: the models at each setting, beside the model of unrounded rows."""
    first = found[0]
    keys = (*MODELS[first.model], "entropy", "correlation", "il_metrics")
    head = ("method", "setting", *(first.gauges[key].name for key in keys))
    rows = [("none", "not rounded", *(short(first.unrounded.get(k, float("nan"))) for k in keys))]
    trials: list[Trial] = [t for each in found for t in each.usable]
    rows += [(t.method, t.setting, *(short(t.value(key)) for key in keys)) for t in trials]
    return _table(f"{number}: {first.name}, {first.target}", head, rows)


def figure_4(draws: Mapping[str, Draws], score: str) -> str:
    """Write Fig. 4: the mean of one of the scores of each method over all k or c."""
    methods = [method for _, names in FAMILIES for method in names]
    rows = [
        (method, *(short(each.mean(score, method)) for each in draws.values()))
        for method in methods
    ]
    name = next(iter(draws.values())).found[0].gauges[score].name
    return _table(f"Figure 4: mean {name} of each method", ("method", *draws), rows)


def _table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    every = (head, *rows)
    widths = [max(map(len, column)) for column in zip(*every, strict=True)]
    lines = [
        "  ".join(
            cell.rjust(wide) if any(c.isdigit() for c in rows[0][j]) else cell.ljust(wide)
            for j, (cell, wide) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in every
    ]
    return "\n".join([title, "-" * len(title), *lines])
