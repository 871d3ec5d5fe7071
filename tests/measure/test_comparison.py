"""Any two tables compared: in order or not, with codes that are levels, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from discreet.errors import InputError
from discreet.measure import compare
from discreet.measure.pairs import as_pair
from discreet.measure.report import Report, check_correspond

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


# --- by hand and at the limits --------------------------------------------------------------------

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


def test_every_frame_and_file_is_compared(source: Callable[[Any], Any]) -> None:
    report = compare(source(COHORT.to_dict("list")), MOVED)

    assert report.measured == compare(COHORT, MOVED).measured or (
        report.measured.to_dict() == compare(COHORT, MOVED).measured.to_dict()
    )


def test_files_are_named_and_numbers_are_not_for_others(tmp_path: Path) -> None:
    paths = [tmp_path / "before.csv", tmp_path / "after.csv"]
    for path, frame in zip(paths, (COHORT, MOVED), strict=True):
        frame.to_csv(path, index=False)

    report = compare(*paths)

    assert report.title == ("after.csv compared with before.csv: for the custodian, not a release")
    assert "For the custodian: exact numbers of the original table, and no release." in report.notes
    told = json.loads(report.to_json())
    assert told["made"]["original"] == "before.csv"
    assert told["measured"]["rounded_to"] is None


def test_rows_with_gaps_are_counted() -> None:
    gappy = MOVED.assign(x=[None] * 7 + MOVED["x"].tolist()[7:])

    found = compare(COHORT, gappy).measured

    assert (found.left_out, found.risks["linkage"].trials) == (7, N - 7)


# --- codes ----------------------------------------------------------------------------------------

# How the released table differs, what is asked, and which columns are then levels.
CODES: dict[str, tuple[dict[str, Any], dict[str, Any], list[str]]] = {
    "few whole numbers that did not change": ({}, {}, ["sex", "code"]),
    "in a file with points": ({"code": COHORT["code"].astype(float)}, {}, ["sex", "code"]),
    "declared": ({}, {"categorical": ["code", "age"]}, ["sex", "code", "age"]),
    "merged": ({"code": COHORT["code"].clip(upper=2)}, {}, ["sex"]),
    "merged and named": (
        {"code": COHORT["code"].clip(upper=2)},
        {"strata": ["code"]},
        ["sex", "code"],
    ),
    "many whole numbers": ({}, {"drop": ["code", "sex"]}, []),
    "sensitive": ({}, {"sensitive": "code"}, ["sex", "code"]),
}


@pytest.mark.parametrize(("changed", "asked", "levels"), CODES.values(), ids=CODES)
def test_codes_are_taken_for_levels(
    changed: dict[str, Any], asked: dict[str, Any], levels: list[str]
) -> None:
    report = compare(COHORT, MOVED.assign(**changed), **asked)

    assert set(report.measured.levels) == set(levels)
    said = "Taken for levels, being few whole numbers that did not change: code"
    guessed = "code" in levels and "code" not in asked.get("categorical", ())
    assert (said in notes_of(report)) is guessed


def test_a_sensitive_code_is_not_known_to_the_attacker() -> None:
    found = compare(COHORT, MOVED, strata=["sex"], sensitive="code").measured

    assert (found.strata, found.sensitive, found.l) == (("sex",), "code", 3)
    assert found.k == COHORT["sex"].value_counts().min()
    assert "attribute_disclosure" in found.risks


# --- rows that do not correspond ------------------------------------------------------------------

ORDERS: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
    "sorted by value": lambda frame: frame.sort_values(["y", "x"], ignore_index=True),
    "shuffled": lambda frame: frame.sample(frac=1, random_state=5, ignore_index=True),
    "upside down": lambda frame: frame.iloc[::-1].reset_index(drop=True),
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


@pytest.mark.parametrize("n", [10, 30, 100, 1000])
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
    "levels alone": (pd.DataFrame({"s": list("abc")}), pd.DataFrame({"s": list("bca")})),
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


# --- what does not fit ----------------------------------------------------------------------------

UNFIT: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "a column more": ({"w": 1.0}, {}, "the original lacks: 'w'"),
    "a level of nobody": ({"sex": "Canary"}, {}, "has levels that the original lacks"),
    "numbers for levels": ({"sex": 1.0}, {}, "'sex' is categorical in the original"),
    "drop of nobody": (
        {},
        {"drop": ["w"]},
        "drop names columns that the released table lacks: 'w'",
    ),
    "a stratum of nobody": ({}, {"strata": ["w"]}, "strata are not among the released columns"),
    "sensitive and nobody": ({}, {"sensitive": "w"}, "sensitive column 'w' is not among"),
    "sensitive and a stratum": (
        {},
        {"strata": ["sex"], "sensitive": "sex"},
        "cannot be one of the strata, too",
    ),
    "a formula of nobody": ({}, {"formula": "x ~ w"}, "no column 'w'"),
    "no formula": ({}, {"formula": "x"}, "a formula needs one ~"),
}


@pytest.mark.parametrize(("changed", "asked", "text"), UNFIT.values(), ids=UNFIT)
def test_what_does_not_fit(changed: dict[str, Any], asked: dict[str, Any], text: str) -> None:
    with pytest.raises(InputError, match=text) as refused:
        compare(COHORT, MOVED.assign(**changed), **asked)
    assert "Canary" not in str(refused.value)


def test_a_formula_is_fitted_to_both() -> None:
    model = compare(COHORT, MOVED, formula="y ~ x + sex").measured.model

    assert model is not None
    assert model.difference[1:] == pytest.approx([0, 0], abs=1e-9), "only the intercept moved"
    assert model.difference[0] > 0.4


# A formula, and of which kind the regression of a column of few whole numbers is then.
COUNTED: dict[str, tuple[str, set[str], tuple[str, ...]]] = {
    "an outcome": ("visits ~ age", {"sex", "code"}, ("Intercept", "age")),
    "a predictor": ("age ~ visits", {"sex", "code"}, ("Intercept", "visits")),
    "in quotes": ("age ~ `visits`", {"sex", "code"}, ("Intercept", "visits")),
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


def test_what_a_formula_has_as_levels_is_one_of_codes() -> None:
    report = compare(COHORT, MOVED, formula="y ~ x + C(code)")

    assert "code" in report.measured.levels
    assert report.measured.model is not None
    assert len(report.measured.model.terms) == 4  # of three codes, two


def test_codes_are_levels_whether_rows_correspond_or_not() -> None:
    before = pd.DataFrame(
        {"code": [1, 2, 3] * 20, "x": [float((7 * i) % 60) + i / 100 for i in range(60)]}
    )
    after = before.assign(x=before["x"] + 0.5).sample(frac=1, random_state=1)

    paired = compare(before, before.assign(x=before["x"] + 0.5))
    unpaired = compare(before, after, same_rows=False)

    for report in (paired, unpaired):
        assert report.made["levels"] == ["code"]
    assert "was NOT measured here" in unpaired.in_words()
    assert "was NOT measured here" not in paired.in_words()
