"""Every refusal that needs no data says which parameter it is about, and by which rule."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from discreet.errors import DiscreetError, InputError, RefusedError
from discreet.plots import Plot
from discreet.plots.bars import BarChart
from discreet.plots.box import BoxPlot
from discreet.plots.diagnostics import QQPlot
from discreet.plots.histogram import HistogramPlot
from discreet.plots.over_time import OverTimePlot
from discreet.plots.parallel import ParallelPlot
from discreet.plots.scatter import ScatterPlot
from discreet.policy import Policy, resolve
from discreet.regression import read_formula
from discreet.table import open_table

TABLE = open_table(
    pa.table({"x": [1.5, 2, 3], "y": [2.5, 1, 0], "sex": ["f", "m", "f"], "ill": ["a", "b", "a"]}),
    kinds={},
    roles={"ill": "sensitive", "sex": "quasi-identifier"},
    unit=None,
    key=None,
)
STANDARD, RESEARCH = Policy.preset("standard"), Policy.preset("research")

REFUSALS: dict[str, tuple[Policy, Plot[Any], dict[str, Any], type[DiscreetError], str, str]] = {
    "no column": (STANDARD, BoxPlot(()), {}, InputError, "columns", ""),
    "one axis": (STANDARD, ParallelPlot(("x",)), {}, InputError, "columns", ""),
    "no such column": (STANDARD, HistogramPlot("z"), {}, InputError, "columns", ""),
    "by numbers": (STANDARD, HistogramPlot("x", by="y"), {}, InputError, "by", ""),
    "by itself": (STANDARD, BarChart("sex", by="sex"), {}, InputError, "by", ""),
    "by itself twice": (STANDARD, HistogramPlot("x", by=("sex", "sex")), {}, InputError, "by", ""),
    "boxes": (STANDARD, BoxPlot(("x", "y"), by="sex"), {}, InputError, "by", "one column"),
    "points": (
        RESEARCH,
        ScatterPlot("x", "y", by="sex"),
        {"method": "none"},
        InputError,
        "by",
        "points",
    ),
    "no method": (RESEARCH, BarChart("sex"), {"method": "suppression"}, InputError, "method", ""),
    "raw": (STANDARD, BarChart("sex"), {"method": "none"}, RefusedError, "method", ""),
    "k": (STANDARD, HistogramPlot("x"), {"k": 7}, RefusedError, "numbers", ""),
    "bins": (RESEARCH, HistogramPlot("x", bins=1), {}, InputError, "numbers", ""),
    "noise": (
        RESEARCH,
        QQPlot("y ~ x", noise_on="variable"),
        {"model": read_formula("y ~ x", {"x": "continuous", "y": "continuous"})},
        InputError,
        "noise_on",
        "unused",
    ),
    "cost": (
        RESEARCH,
        ParallelPlot(("x", "y"), cost="seed"),
        {"method": "none"},
        InputError,
        "cost",
        "unused",
    ),
    "another cost": (RESEARCH, ParallelPlot(("x", "y"), cost="time"), {}, InputError, "cost", ""),
    "limits": (
        RESEARCH,
        ParallelPlot(("x", "y"), limits={"z": (0, 1)}),
        {},
        InputError,
        "limits",
        "",
    ),
    "limits of levels": (
        RESEARCH,
        HistogramPlot("x", limits={"sex": (0, 1)}),
        {},
        InputError,
        "limits",
        "",
    ),
    "no secret": (
        RESEARCH,
        ParallelPlot(("x", "y"), sensitive="ill"),
        {},
        InputError,
        "sensitive",
        "",
    ),
    "a word": (STANDARD, ScatterPlot("x", "y", show="dots"), {}, InputError, "show", ""),
    "a period": (STANDARD, OverTimePlot("x", every="hour"), {}, InputError, "every", ""),
}


@pytest.mark.parametrize("case", REFUSALS.values(), ids=REFUSALS)
def test_a_refusal_names_its_parameter(case: Any) -> None:
    policy, plot, way, error, parameter, rule = case
    with pytest.raises(error, match=r".+") as refused:
        resolve(policy, TABLE, plot, **way)
    assert (refused.value.parameter, refused.value.rule) == (parameter, rule)


def test_axes_are_resolved_with_all_that_they_need() -> None:
    plot = resolve(RESEARCH, TABLE, ParallelPlot(("x", "ill"), pixels=900, diversity=3)).plot
    assert (plot.get("pixels"), plot.get("diversity")) == (500, 3)
    assert dict(plot.get("sensitive")) == {"ill": ()}
    assert resolve(STANDARD, TABLE, ParallelPlot(("x", "y"))).plot.get("diversity") == 1
