"""Reports: their text, tables, plots, JSON and page; two tables compared."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import pytest

import discreet as dc
from discreet.errors import InputError
from discreet.measure import compare
from discreet.measure.evaluate import Measured, Scores
from discreet.measure.models import Coefficients
from discreet.measure.pairs import Estimate, as_pair
from discreet.measure.report import (
    SCHEMA,
    Report,
    check_correspond,
    grid_plot,
    histogram_plot,
    listings,
)
from discreet.measure.rmd import RmdGrid
from discreet.measure.utility import Preservation
from discreet.render.scene import Bars, Lines

MODEL = Coefficients(
    "y ~ x", "linear", ("Intercept", "a term of a name that is very long indeed"),
    np.array([1.0, 2.0]), np.array([0.5, 0.2]), 9.0,
    np.array([1.0, 2.1]), np.array([0.5, 0.2]), 9.0,
)  # fmt: skip
FOUND = Measured(
    columns=("age",),
    risks={"linkage": Estimate("linked", 15, 100, 0.01), "rmd1": Estimate("r " * 60, 5, 100)},
    strata=("sex",),
    k=5,
    displacement={"age": 0.0114},
    u=0.0001,
    scores=Scores((0.1, 0.4, 0.5, 0.6, 0.9), (0.2, 0.4, 0.5, 0.6, 0.8), 5),
    model=MODEL,
    not_measured={"rmd2": "there is no <such> thing"},
    rounded_to=5,
)
MADE = {
    "method": "microaggregation",
    "k": 5,
    "strata": ("sex",),
    "missing": {"age": "median"},
    "policy": "standard",
    "share": np.float64(0.5),
    "rows": np.int64(100),
    "odd": float("nan"),
}
PICTURE = histogram_plot("age", (0.0, 10.0, 20.0), (5, None), (6, 5))


def report(**changes: Any) -> Report:
    given: dict[str, Any] = {"plots": (PICTURE,), "notes": ("A <note> & more.",)}
    return Report("Cohort & <friends>", MADE, FOUND, **{**given, **changes})


class TestJson:
    def test_keys_are_stable_and_no_number_is_none(self) -> None:
        told = json.loads(report().to_json(), parse_constant=pytest.fail)
        assert list(told) == [
            "discreet", "kind", "title", "made", "summary", "measured", "pictures",
            "claims_not_to_make", "notes",
        ]  # fmt: skip
        assert (told["discreet"], told["kind"]) == (SCHEMA, "report")
        assert told["made"]["odd"] is None
        assert told["made"]["rows"] == 100
        assert told["made"]["strata"] == ["sex"]
        assert told["measured"]["risks"]["linkage"]["estimate"] == 0.15
        assert len(told["pictures"]) == 3


# --- The tables of a report: every number that is known, none that is not -----------------------


SHARE = Estimate("risky", 5, 100, 0.01)
KEPT = Preservation(
    means=MappingProxyType({"age": 0.05}),
    spreads=MappingProxyType({"age": 0.95}),
    quantiles=MappingProxyType({"age": (0.1, 0.0, 0.0, -0.0, -0.25)}),
    correlations=MappingProxyType({("age", "pay"): -0.1}),
    levels=MappingProxyType({"sex": 0.0}),
)
TOLD_MODEL = Coefficients(
    "y ~ x", "linear", ("Intercept", "x"), np.array([1.0, 2.0]), np.array([0.5, 0.2]), 9.0,
    np.array([1.0, 2.1]), np.array([0.5, 0.2]), 9.0,
)  # fmt: skip
FULL = Measured(
    columns=("age", "pay"),
    levels=("sex",),
    risks={"near_1": SHARE, "linkage": Estimate("linked", 17.5, 100, None)},
    strata=("sex",),
    sensitive="ill",
    k=4,
    l=2,
    t=0.25,
    displacement={"age": 0.0114},
    u=1e-33,
    ratio=0.5,
    preservation=KEPT,
    model=TOLD_MODEL,
    grid=RmdGrid((0.01,), (0.05, 0.5), (SHARE,), ((SHARE, SHARE),), ()),
    left_out=5,
)


def rows_of(found: Measured, title: str, **made: Any) -> list[tuple[str, ...]]:
    (listing,) = [one for one in listings(found, made) if one.title.startswith(title)]
    assert all(len(row) == len(listing.head) for row in listing.rows)
    return list(listing.rows)


def test_risks_stand_in_their_order_with_interval_count_and_guessing() -> None:
    assert rows_of(FULL, "Risks") == [
        ("linked", "17.5 %", "11.3 to 26.1 %", "17.5 of 100", "-"),
        ("risky", "5.0 %", "2.2 to 11.2 %", "5 of 100", "1.0 %"),
    ]


# --- The plots of a report hold the numbers they were given, and words beside them -----------


def share(count: int) -> Estimate:
    return Estimate("risky", count, 100)


GRID = RmdGrid(
    (0.01, 0.1), (0.05, 0.5, 1.0), (share(2), share(30)),
    ((share(2), share(1), share(0)), (share(20), share(9), share(1))), (),
)  # fmt: skip


def test_the_grid_is_two_panels() -> None:
    shown = grid_plot(GRID)
    left, right = shown.scene.panels
    assert left.marks == (Lines(((0.01, 0.1),), ((2.0, 30.0),), "trend"),)
    (mark,) = right.marks
    assert isinstance(mark, Lines)
    assert mark.x == ((0.05, 0.5, 1.0),) * 2
    assert mark.y == ((2.0, 1.0, 0.0), (20.0, 9.0, 1.0))
    assert (mark.look, mark.label, mark.levels) == ("level", "w1", (0.01, 0.1))
    assert "from 2.0 % at the narrowest to 30.0 % at the widest" in shown.words


class TestHistograms:
    EDGES = (0.0, 10.0, 20.0, 30.0, 40.0)

    def test_bars_are_the_original_and_the_line_the_released(self) -> None:
        shown = histogram_plot("age", self.EDGES, (5, None, 7, 9), (6, 5, None, 8))
        bars, line = shown.scene.panels[0].marks
        assert bars == Bars(self.EDGES, (5, None, 7, 9))
        assert isinstance(line, Lines)
        assert line.x == ((0.0, 10.0, 10.0, 20.0), (30.0, 40.0))
        assert line.y == ((6, 6, 5, 5), (8, 8))
        assert shown.scene.notes == (
            "bars: original; line: released",
            "hatched below the axis: nobody, or too few people to show",
        )
        assert len(histogram_plot("age", self.EDGES, (5,) * 4, (6,) * 4).scene.notes) == 1


# --- two tables compared --------------------------------------------------------------------

N = 60


def cohort() -> pd.DataFrame:
    """Make an original table: two numbers, codes, whole numbers of many values, and levels."""
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "x": rng.normal(size=N).round(3),
            "y": rng.normal(size=N).round(3),
            "code": rng.integers(1, 4, size=N),
            "age": rng.permutation(np.arange(20, 20 + N)),
            "sex": rng.choice(["f", "m"], size=N),
        }
    )


COHORT = cohort()
MOVED = COHORT.assign(x=COHORT["x"] + 0.1, y=COHORT["y"] - 0.1)


def notes_of(report: Report) -> str:
    """Return what else the reader of a report is told."""
    return " ".join(report.notes)


BEFORE = [[1.0, 2.0], [2.0, 1.0], [3.0, 5.0], [9.0, 7.0], [4.0, 4.0], [6.0, 8.0]]
AFTER = [[1.5, 1.5], [1.5, 1.5], [3.5, 4.5], [7.5, 7.5], [3.5, 4.5], [7.5, 7.5]]


def test_pairs_of_equal_rows_are_linked_one_time_in_two() -> None:
    found = compare(BEFORE, AFTER).measured
    assert (found.risks["linkage"].count, found.risks["linkage"].trials) == (3, 6)
    assert found.risks["unique_rows"].count == 0
    assert set(found.displacement) == {"0", "1"}


def test_identical_tables_have_all_the_risk_and_no_loss() -> None:
    found = compare(COHORT, COHORT).measured
    assert found.risks["linkage"].share == 1
    assert found.risks["near_1"].share == 1
    assert set(found.displacement.values()) == {0}
    assert found.u == pytest.approx(0, abs=1e-12)


def test_files_are_named_and_numbers_are_not_for_others(tmp_path: Path) -> None:
    paths = [tmp_path / "before.csv", tmp_path / "after.csv"]
    for path, frame in zip(paths, (COHORT, MOVED), strict=True):
        frame.to_csv(path, index=False)
    report = compare(*paths)
    assert report.title == (
        "after.csv compared with before.csv: for the custodian, not for release"
    )
    assert (
        "For the custodian: exact numbers of the original table, not for release." in report.notes
    )
    told = json.loads(report.to_json())
    assert told["made"]["original"] == "before.csv"
    assert told["measured"]["rounded_to"] is None


# How the released table differs, what is asked, and which columns are then levels.
CODES: dict[str, tuple[dict[str, Any], dict[str, Any], list[str]]] = {
    "few whole numbers that did not change": ({}, {}, ["sex", "code"]),
    "declared": ({}, {"categorical": ["code", "age"]}, ["sex", "code", "age"]),
    "merged": ({"code": COHORT["code"].clip(upper=2)}, {}, ["sex"]),
    "merged and named": (
        {"code": COHORT["code"].clip(upper=2)},
        {"strata": ["code"]},
        ["sex", "code"],
    ),
    "sensitive": ({}, {"sensitive": "code"}, ["sex", "code"]),
}


@pytest.mark.parametrize(("changed", "asked", "levels"), CODES.values(), ids=CODES)
def test_codes_are_taken_for_levels(
    changed: dict[str, Any], asked: dict[str, Any], levels: list[str]
) -> None:
    report = compare(COHORT, MOVED.assign(**changed), **asked)
    assert set(report.measured.levels) == set(levels)
    if "sensitive" in asked:
        found = compare(COHORT, MOVED, strata=["sex"], sensitive="code").measured
        assert (found.strata, found.sensitive, found.l) == (("sex",), "code", 3)
        assert "attribute_disclosure" in found.risks
    said = "Treated as levels, being few whole numbers that did not change: code"
    guessed = "code" in levels and "code" not in asked.get("categorical", ())
    assert (said in notes_of(report)) is guessed


# --- rows that do not correspond ------------------------------------------------------------------

ORDERS: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
    "sorted by value": lambda frame: frame.sort_values(["y", "x"], ignore_index=True),
    "shuffled": lambda frame: frame.sample(frac=1, random_state=5, ignore_index=True),
}


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
def test_rows_in_another_order_are_refused_with_a_way_out(
    order: Callable[[pd.DataFrame], pd.DataFrame],
) -> None:
    columns = ["x", "y", "sex"]
    released = order(MOVED[columns])
    with pytest.raises(InputError, match=r"do not seem to correspond.*--no-same-rows"):
        compare(COHORT, released)
    report = compare(COHORT, released, same_rows=False)
    assert "Rows were not compared one by one." in report.notes
    assert "linkage" not in report.measured.risks
    assert "rows of both tables must correspond" in report.measured.not_measured["linkage"]
    assert report.measured.u == pytest.approx(compare(COHORT, MOVED[columns]).measured.u, rel=1e-6)
    assert report.measured.risks["unique_rows"].trials == N


@pytest.mark.slow
@pytest.mark.parametrize("sensitive", [None, "ward"])
def test_rows_of_a_copy_that_was_drawn_anew_are_called_no_persons(sensitive: str | None) -> None:
    """Its joined levels are compared, and a row that is alone in its levels is nobody's."""
    random, n = np.random.default_rng(4), 300
    raw = pd.DataFrame(
        {
            "x": random.normal(size=n).round(2),
            "y": random.normal(size=n).round(2),
            "ward": ["a", "b", *"cdefghijklmn"] * 3 + ["a", "b"] * ((n - 42) // 2),
            "band": random.choice([*"abcdefghijk"], n),
            "sex": random.choice(["f", "m"], n),
        }
    )
    drawn = dc.open(raw, study="drawn", unit=False).anonymize().frame

    report = compare(raw, drawn, same_rows=False, sensitive=sensitive)

    text = " ".join(report.to_text().split())
    assert "(other)" in {*drawn["ward"]}
    assert report.made["rows"] == "not compared one by one"
    assert "In a copy whose rows were drawn anew some are that near by chance" in text
    for claim in ("which row is that person's", "can be read off", "knows the other"):
        assert claim not in text


@pytest.mark.slow
@pytest.mark.parametrize("n", [10, 100])
def test_rows_at_random_seldom_pass(n: int) -> None:
    """The fewer rows, the nearer to each other some are by chance."""
    rng = np.random.default_rng(6)
    passed = 0
    for _ in range(100):
        values = rng.lognormal(size=(n, 2))
        try:
            check_correspond(as_pair(values, rng.permutation(values)))
            passed += 1
        except InputError:
            continue
    assert passed <= 10


def test_noise_as_large_as_the_data_is_no_other_order() -> None:
    rng = np.random.default_rng(8)
    noisy = COHORT[["x", "y"]] + rng.normal(0, 1.5, size=(N, 2))
    check_correspond(as_pair(COHORT[["x", "y"]], noisy))


# Tables that tell nothing of their order: too few rows, no numbers, or numbers that are one.
SILENT: dict[str, tuple[Any, Any]] = {
    "two rows": ([[1.0], [2.0]], [[2.0], [1.0]]),
    "a constant column": ([[1.0]] * 4, [[1.0], [2.0], [1.0], [2.0]]),
}


@pytest.mark.parametrize(("before", "after"), SILENT.values(), ids=SILENT)
def test_tables_that_do_not_tell_are_not_refused(before: Any, after: Any) -> None:
    check_correspond(as_pair(before, after))


def test_a_column_that_was_made_one_mean_tells_nothing_of_the_order() -> None:
    """As microaggregation of all rows makes it; others still tell."""
    flat = COHORT[["x", "y"]].assign(x=COHORT["x"].mean())
    check_correspond(as_pair(COHORT[["x", "y"]], flat))
    check_correspond(as_pair(COHORT[["x"]], flat[["x"]]))
    with pytest.raises(InputError, match="do not seem to correspond"):
        check_correspond(as_pair(COHORT[["x", "y"]], flat.iloc[::-1]))


def test_tables_of_other_lengths_are_compared_without_pairing() -> None:
    with pytest.raises(InputError, match="different numbers of rows"):
        compare(COHORT, MOVED.head(50))
    found = compare(COHORT, MOVED.head(50), same_rows=False).measured
    assert found.u is not None
    assert "displacement" in found.not_measured


UNFIT: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "a column more": ({"w": 1.0}, {}, "the original lacks: 'w'"),
    "a level of nobody": ({"sex": "Canary"}, {}, "has levels that the original lacks"),
    "numbers for levels": ({"sex": 1.0}, {}, "'sex' is categorical in the original"),
    "drop of nobody": (
        {},
        {"drop": ["w"]},
        "drop names columns that the released table lacks: 'w'",
    ),
    "a formula of nobody": ({}, {"formula": "x ~ w"}, "no column 'w'"),
}


@pytest.mark.parametrize(("changed", "asked", "text"), UNFIT.values(), ids=UNFIT)
def test_what_does_not_fit(changed: dict[str, Any], asked: dict[str, Any], text: str) -> None:
    with pytest.raises(InputError, match=text) as refused:
        compare(COHORT, MOVED.assign(**changed), **asked)
    assert "Canary" not in str(refused.value)


# A formula, and of which kind the regression of a column of few whole numbers is then.
COUNTED: dict[str, tuple[str, set[str], tuple[str, ...]]] = {
    "an outcome": ("visits ~ age", {"sex", "code"}, ("Intercept", "age")),
    "a predictor": ("age ~ visits", {"sex", "code"}, ("Intercept", "visits")),
}


@pytest.mark.parametrize(("formula", "levels", "terms"), COUNTED.values(), ids=COUNTED)
def test_what_a_formula_has_as_a_number_is_none_of_codes(
    formula: str, levels: set[str], terms: tuple[str, ...]
) -> None:
    visits = np.arange(N) % 9
    before, after = (frame.assign(visits=visits) for frame in (COHORT, MOVED))
    report = compare(before, after, formula=formula)
    model = report.measured.model
    assert model is not None
    assert (model.model, tuple(model.terms)) == ("linear", terms)
    assert set(report.measured.levels) == levels
    assert "visits" in compare(before, after).measured.levels, "which are levels otherwise"
