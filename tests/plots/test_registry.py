"""What is known of each plot: its places and settings, and how it can be made."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

import pytest

from discreet.custodian.research import Research
from discreet.errors import BrokenPromiseError, InputError
from discreet.explore import Study
from discreet.methods import CLUSTER_METHODS, COUNT_METHODS, METHODS, ROW_METHODS
from discreet.plots import PLOTS, How, Plot, Setting
from discreet.plots.box import BoxPlot
from discreet.plots.crosstab import CrossTable
from discreet.plots.ecdf import EcdfPlot
from discreet.plots.histogram import HistogramPlot
from discreet.plots.over_time import OverTimePlot
from discreet.plots.parallel import ParallelPlot
from discreet.plots.plot import OF_METHOD
from discreet.plots.scatter import ScatterPlot
from discreet.policy import FIELDS, PAPER_FIELDS
from tests.plots.cases import OF_RECORDS, ROWS, SUPPRESSED, table_of

EACH = pytest.mark.parametrize("plot", PLOTS.values(), ids=PLOTS)
SETTINGS = [(f"{name}-{key}", it) for name, p in PLOTS.items() for key, it in p.settings().items()]
SETTINGS += [*OF_METHOD.items()]


# --- what it is -----------------------------------------------------------------------------------


@EACH
def test_a_plot_says_what_it_is(plot: type[Plot[Any]]) -> None:
    assert plot.title[0].isupper()
    assert plot.says.endswith(".")
    assert 0 <= plot.least() <= plot.most()
    assert (plot.most() == 0) == (plot.kind() == "formula")
    assert plot.kind() in ("continuous", "categorical", "any", "formula")
    assert len(plot.places()) == (1 if plot.listed() else plot.most())


def test_columns_and_what_divides_them_in_the_order_of_their_places() -> None:
    bars, pair = HistogramPlot("age", by="sex"), BoxPlot(("age", "bmi"), by=["arm", "sex"])
    assert (bars.names, bars.by_names, bars.by_name) == (("age",), ("sex",), "sex")
    assert (pair.names, pair.by_names) == (("age", "bmi"), ("arm", "sex"))
    assert (EcdfPlot("age").by_names, EcdfPlot("age").by_name) == ((), None)
    assert CrossTable.of_columns(["a", "b"]) == CrossTable("a", "b")
    assert BoxPlot.of_columns(["a", "b"], by="c") == BoxPlot(("a", "b"), by="c")
    assert (OverTimePlot.of_columns(["day"]).names, OverTimePlot("day", "x").names) == (
        ("day",),
        ("day", "x"),
    )
    for by in (["a", "b", "c"], [], 3):
        with pytest.raises(InputError, match=r"^by takes the name of a column of levels, or of tw"):
            HistogramPlot("x", by=by).by_names  # type: ignore[arg-type]  # noqa: B018


# --- what it is asked for with --------------------------------------------------------------------


@pytest.mark.parametrize("it", [it for _, it in SETTINGS], ids=[name for name, _ in SETTINGS])
def test_a_setting_says_what_it_may_be(it: Setting) -> None:
    assert it.says.endswith(".")
    assert it.only in ("", "study", "papers")
    assert {*it.methods, *it.more} <= {*METHODS}
    assert bool(it.choices) == (it.type == "word")
    ranged = it.type in ("integer", "number", "columns")
    assert ranged == (it.least is not None)
    assert ranged or it.most is it.step is None
    assert it.type != "number" or it.most is not None
    assert (it.kind == "any") or it.type in ("column", "columns", "by")


@EACH
def test_what_holds_where_nobody_says_is_allowed(plot: type[Plot[Any]]) -> None:
    required = {name for name, it in plot.usual().items() if it is dataclasses.MISSING}
    assert required <= {*plot.places(), "formula"}
    for name, it in plot.parameters().items():
        usual = plot.usual().get(name)
        if it.type == "yes_no":
            assert isinstance(usual, bool)
        elif usual is not None:
            assert usual in it.choices
        # The policy says what is usual of its numbers.
        assert usual is not None or name in {**FIELDS, **PAPER_FIELDS, "event_is": 0, "noise_on": 0}


@EACH
@pytest.mark.parametrize(("of", "door"), [(Study, "study"), (Research, "papers")])
def test_a_method_takes_what_its_plot_does(plot: type[Plot[Any]], of: type, door: str) -> None:
    if (method := getattr(of, plot.name, None)) is None:
        assert of is Research
        return
    taken = [*inspect.signature(method).parameters.values()][1:]
    here = [name for name, it in plot.settings().items() if it.only in ("", door)]
    ways = [it.name for it in taken if it.name not in here]
    assert [it.name for it in taken] == [*here, *ways]
    assert {*ways} <= {"method", *plot.numbers}
    assert (of is Research) <= (ways == ["method", *plot.numbers])
    for it in taken:
        usual = plot.usual().get(it.name)
        assert it.default == (usual if usual is not dataclasses.MISSING else it.empty)


LEAST: dict[str, tuple[Setting, list[str], float | None]] = {
    "of counts": (OF_METHOD["k"], ["suppression"], 1),
    "of rows": (OF_METHOD["k"], ["suppression", "condensation"], 2),
    "of the nearest three": (OF_METHOD["k"], ["condensation", "deterministic", "suppression"], 3),
    "of clusters": (OF_METHOD["k"], ["k-member", "none"], 2),
    "of records": (ParallelPlot.parameters()["diversity"], ["k-member"], 1),
    "of what is no number": (ScatterPlot.parameters()["trend"], ["condensation"], None),
}


@pytest.mark.parametrize(("setting", "methods", "least"), LEAST.values(), ids=LEAST)
def test_the_least_that_is_enough_for_all(
    setting: Setting, methods: list[str], least: float | None
) -> None:
    assert setting.least_of(methods) == least


# --- how it is made -------------------------------------------------------------------------------


def test_row_methods_draw_from_rows_and_others_from_counts() -> None:
    assert all(How(it, k=3).from_rows for it in ROW_METHODS)
    assert not any(How(it, k=3).from_rows for it in (*COUNT_METHODS, *CLUSTER_METHODS))


@EACH
def test_a_plot_is_drawn_from_what_it_says(plot: type[Plot[Any]]) -> None:
    """Of what it is not drawn from nothing is drawn at all."""
    own = {name for name in ("from_rows", "from_counts") if name in vars(plot)}
    assert plot.kind() == "formula" or own == {f"from_{it}" for it in plot.sources}
    assert bool(plot.divided) == ("by" in plot.settings())
    asked = Plot.__new__(plot)
    if "from_rows" not in own:
        with pytest.raises(BrokenPromiseError, match=r"is not drawn from rows$"):
            asked.from_rows({}, (), ROWS, OF_RECORDS)
    if "from_counts" not in own:
        with pytest.raises(BrokenPromiseError, match=r"is not drawn from counts$"):
            asked.from_counts(table_of({"x": [1.0]}), SUPPRESSED, OF_RECORDS)
    if "weighted" not in vars(plot):
        with pytest.raises(BrokenPromiseError, match=r"has no weights$"):
            asked.weighted(None, {}, {}, None, ROWS)  # type: ignore[arg-type]
