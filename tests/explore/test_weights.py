"""A survey's weights: what is drawn and estimated of the copy with them, beside the copy's rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

import discreet as dc
from discreet.errors import InputError, RefusedError

N = 400
COLUMNS = ("bmi", "age", "region", "smokes", "wt", "seen")


@cache
def study() -> dc.Study:
    draw = np.random.default_rng(7)
    weight = draw.gamma(2, 50, N).round(1)
    frame = pd.DataFrame(
        {
            "bmi": np.where(draw.uniform(size=N) < 0.1, np.nan, draw.normal(26, 4, N).round(1)),
            "age": draw.normal(50, 12, N).round(),
            "sex": draw.choice(["f", "m"], N),
            "region": draw.choice(["east", "north", "west"], N),
            "smokes": draw.choice(["yes", "no", None], N),  # type: ignore[arg-type]
            "wt": np.where(draw.uniform(size=N) < 0.08, np.nan, weight),
            "seen": [pd.Timestamp(2020, 1, 1) + pd.Timedelta(days=int(d)) for d in range(N)],
        }
    )
    return dc.open(frame, study="survey", unit=False)


def test_means_are_weighted_and_rows_without_a_weight_are_left_out() -> None:
    frame = study().anonymize().frame
    table = study().means("bmi", "sex", weights="wt")

    figures = {(it.group, it.figure): it.value for it in table.figures}
    for sex, part in frame[frame["wt"] > 0].groupby("sex"):
        known = part.dropna(subset="bmi")
        group = (("sex", sex),)
        assert figures[group, "n"] == len(known)
        assert figures[group, "missing"] == len(part) - len(known)
        assert figures[group, "mean"] == pytest.approx(
            np.average(known["bmi"], weights=known["wt"])
        )
        assert figures[group, "sum"] == pytest.approx(known["bmi"] @ known["wt"])
        assert figures[group, "sum of weights"] == pytest.approx(known["wt"].sum())
    assert table.title == "Means of bmi in survey by sex, weighted by wt"
    assert any(
        note.startswith("weighted by wt; about ") and "as their weight is not above 0" in note
        for note in table.notes
    )
    assert "weighted mean of bmi" in table.scene().panels[0].x.label


def test_a_summary_is_weighted_and_leaves_the_weights_out() -> None:
    frame = study().anonymize().frame
    rows = frame[frame["wt"] > 0]
    table = study().summary(by="sex", weights="wt")
    figures = {(it.column, it.level, it.group, it.figure): it.value for it in table.figures}
    assert {it.column for it in table.figures} == {"", "age", "bmi", "region", "smokes", "seen"}
    assert figures["", None, (), "rows"] == len(rows)
    assert figures["age", None, (), "mean"] == pytest.approx(np.average(rows.age, weights=rows.wt))
    east = rows.wt[rows["region"] == "east"].sum() / rows.wt.sum()
    assert figures["region", "east", (), "share"] == pytest.approx(east)
    assert figures["region", "east", (), "count"] == (rows["region"] == "east").sum()
    assert table.title == "Summary of survey by sex, weighted by wt"
    assert any("are weighted, except ranges" in note for note in table.notes)
    assert "wt" in {it.column for it in study().summary(["wt"], weights="wt").figures}


def test_weights_of_one_change_no_estimate() -> None:
    ones = study().assign(one="1 + 0 * age")
    for plain, table in (
        (study().means("bmi", "sex"), ones.means("bmi", "sex", weights="one")),
        (study().summary(by="sex"), ones.summary([*COLUMNS], by="sex", weights="one")),
    ):
        weighted = {it[:4]: it.value for it in table.figures}
        for it in plain.figures:
            if "quartile" not in it.figure:  # by another definition, of surveys
                same = it.value if isinstance(it.value, str | None) else pytest.approx(it.value)
                assert weighted[it[:4]] == same, it


def test_weights_are_recorded_where_they_are_asked_for() -> None:
    asked = dc.open(dc.datasets.diabetes(), study="weights recorded")
    recorded = []
    for how in ({}, {"weights": "ldl"}):
        asked.means("bmi", "sex", **how).to_csv()
        recorded.append(asked.session.register.history("weights recorded")[-1]["columns"])
    assert recorded == [["bmi", "sex"], ["bmi", "sex", "ldl"]]


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        ("region", "'region' is one of levels; weights= takes one of numbers"),
        ("seen", "'seen' is one of dates; weights= takes one of numbers"),
        ("sex", "cannot be both by= and weights="),
    ],
)
def test_other_columns_are_refused(weights: str, says: str) -> None:
    with pytest.raises(InputError, match=says) as found:
        study().means("bmi", "sex", weights=weights)
    assert found.value.parameter == "weights"


def test_few_rows_with_a_weight_are_refused() -> None:
    few = study().assign(few="case(age > 75, 1, 0)")
    with pytest.raises(RefusedError, match="fewer than 50 rows of the copy have a weight above 0"):
        few.means("bmi", "sex", weights="few")


def test_a_model_is_weighted_and_widened_by_copies_with_their_own_weights() -> None:
    rows = study().anonymize().frame.dropna(subset=["bmi", "age", "wt"])
    rows = rows[rows["wt"] > 0]
    matrix = np.column_stack([np.ones(len(rows)), rows["age"]])
    by = matrix.T * rows["wt"].to_numpy()

    table = study().model("bmi ~ age", weights="wt")

    figures: dict[Any, Any] = {(it.column, it.figure): it.value for it in table.figures}
    expected = np.linalg.solve(by @ matrix, by @ rows["bmi"].to_numpy())
    assert figures["age", "estimate"] == pytest.approx(expected[1])
    assert figures["", "rows"] == len(rows)
    widths = [figures["age", f"std. error{it}"] for it in ("", " from the rows alone")]
    assert widths[0] > 1.4 * widths[1]
    assert table.title == "Linear model of bmi in survey, weighted by wt"
    assert sum("weighted by wt" in note or "linearised" in note for note in table.notes) == 2
    derived = study().assign(twice="2 * wt").model("bmi ~ age", weights="twice")
    again = {(it.column, it.figure): it.value for it in derived.figures}
    assert again["age", "std. error"] == pytest.approx(widths[0])


def test_a_model_refuses_weights_that_it_cannot_take() -> None:
    with pytest.raises(InputError, match="one of the model's levels, or its event"):
        study().model("bmi ~ C(sex)", weights="sex")
    with pytest.raises(InputError, match="a Cox model has no weights here") as found:
        study().model("survival(age, sex) ~ bmi", "cox", event_is="f", weights="wt")
    assert found.value.parameter == "weights"


def test_bars_are_sums_of_weights_and_persons_are_counted_as_ever() -> None:
    rows = study().anonymize().frame
    rows = rows[rows["wt"] > 0]
    plain, divided = (study().bars("region", by=by, weights="wt") for by in (None, "sex"))

    sums = rows.groupby("region")["wt"].sum()
    assert dict(zip(plain.levels, plain.sums[0], strict=True)) == pytest.approx(dict(sums))
    counts = dict(zip(plain.levels, plain.counts, strict=True))
    assert counts == dict(rows["region"].value_counts())
    for sex, of in zip(divided.by_levels, divided.sums, strict=True):
        part = rows[rows["sex"] == sex].groupby("region")["wt"].sum()
        assert dict(zip(divided.levels, of, strict=True)) == pytest.approx(dict(part))
    assert plain.scene().panels[0].y.label == "sum of weights (wt)"
    assert "weighted by wt; about" in plain.describe()
    percent = study().bars("region", by="sex", weights="wt", percent=True)
    assert percent.scene().panels[0].y.label == "% of each level of sex, weighted by wt"
    assert [sum(it or 0 for it in of) for of in percent.shares] == pytest.approx(
        [100, 100], abs=0.001
    )
    assert dc.View.from_json(divided.to_json()) == divided


def test_histograms_are_densities_of_weights() -> None:
    rows = study().anonymize().frame.dropna(subset=["bmi", "wt"])
    rows = rows[rows["wt"] > 0]
    one = study().histogram("bmi", weights="wt")
    many = study().histogram("bmi", by="sex", weights="wt", overlay=True)
    parts = [rows[rows["sex"] == it] for it in many.levels]
    for view, part in [(one, rows), *zip(many.views, parts, strict=True)]:
        assert isinstance(view, dc.plots.HistogramView)
        expected, _ = np.histogram(part["bmi"], view.edges, weights=part["wt"], density=True)
        assert [it or 0 for it in view.density] == pytest.approx(expected.tolist(), rel=1e-5)
        counts, _ = np.histogram(part["bmi"], view.edges)
        assert [it or 0 for it in view.counts] == counts.tolist()
    assert one.scene().panels[0].y.label == "density, weighted by wt"
    assert many.scene().panels[0].y.label == "density, weighted by wt"
    assert dc.View.from_json(many.to_json()) == many


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda it: it.bars("sex", weights="region"), "weights= takes one of numbers"),
        (lambda it: it.bars("sex", weights="wait"), "no column 'wait'"),
        (lambda it: it.histogram("bmi", by="sex", weights="sex"), "drawn as levels and be weights"),
    ],
)
def test_plots_refuse_what_is_no_weight(ask: Callable[[dc.Study], object], says: str) -> None:
    with pytest.raises((InputError, RefusedError), match=says) as found:
        ask(study())
    assert found.value.parameter == "weights"
