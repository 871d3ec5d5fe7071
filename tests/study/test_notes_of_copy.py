"""What plots, tables and models of the copy say of gaps, of differences, and in their legends."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.measure.fidelity_report import Beside, Fidelity, difference_words
from discreet.plots import View
from discreet.study.session import FEW_ROWS

N = 400
DIFFERENCES = "differences between groups"


def cohort(n: int = N) -> pl.DataFrame:
    """Return a table with gaps in a number, and in a column of levels."""
    draw = np.random.default_rng(3)
    age = draw.integers(20, 80, n)
    chapter = [("a", "b", None)[i] for i in draw.choice(3, n, p=[0.3, 0.2, 0.5])]
    sugar = np.where(draw.random(n) < 0.2, np.nan, np.round(draw.normal(90 + age / 5, 10), 1))
    return pl.DataFrame(
        {
            "age": age,
            "bmi": np.round(draw.normal(20 + age / 15, 3), 1),
            "sugar": pl.Series(sugar).fill_nan(None),
            "chapter": chapter,
            "sex": draw.choice(["f", "m"], n),
            "band": np.where(age < 50, "young", "old"),
            "years": np.round(draw.exponential(900 / age), 1),
            "died": draw.choice(["yes", "no"], n),
            "visit": np.datetime64("2017-01-01") + draw.integers(0, 900, n),
        }
    )


@pytest.fixture(scope="module")
def opened() -> dc.Study:
    return dc.open(cohort(), study="notes", unit=False, labels={"sex": "Sex at birth"})


@pytest.fixture(scope="module")
def rows(opened: dc.Study) -> pl.DataFrame:
    found: pl.DataFrame = opened.anonymize().frame
    return found


# --- gaps -----------------------------------------------------------------------------------------

Draw = Callable[[dc.Study], Any]
#: Plots, and the columns that a row needs a value of.
GAPS: dict[str, tuple[Draw, list[str]]] = {
    "none has gaps": (lambda s: s.scatter("age", "bmi"), []),
    "one column": (lambda s: s.histogram("sugar", source="copy"), ["sugar"]),
    "the levels": (lambda s: s.box("age", by="chapter"), ["chapter"]),
    "both, the most first": (lambda s: s.box("sugar", by="chapter"), ["chapter", "sugar"]),
    "panels": (lambda s: s.heatmap("sugar", "age", by="chapter"), ["chapter", "sugar"]),
    "by two": (lambda s: s.box("sugar", by=("sex", "chapter")), ["chapter", "sugar"]),
    "parallel axes": (lambda s: s.parallel(["age", "sugar", "sex"]), ["sugar"]),
    "a model": (lambda s: s.residuals("sugar ~ age"), ["sugar"]),
    "of bars they are a level": (lambda s: s.bars("chapter", by="sex"), []),
    "estimates": (lambda s: s.model("bmi ~ sugar + chapter"), ["chapter", "sugar"]),
    "of each pair by itself": (lambda s: s.correlations(["age", "sugar"]), []),
}


@pytest.mark.parametrize(("draw", "names"), GAPS.values(), ids=GAPS)
def test_columns_whose_gaps_cost_rows_are_named(
    opened: dc.Study, rows: pl.DataFrame, draw: Draw, names: list[str]
) -> None:
    made = draw(opened)
    lines = made.notes() if isinstance(made, View) else made.notes
    said = [line for line in lines if line.startswith("rows without a value")]

    counted = ", ".join(f"{rows[name].is_null().sum()} of {name}" for name in names)
    assert said == ([f"rows without a value: {counted}"] if names else [])


def test_many_columns_with_gaps_are_not_all_named() -> None:
    draw, names = np.random.default_rng(5), [f"x{i}" for i in range(6)]
    gappy = {name: np.where(draw.random(N) < 0.1, np.nan, draw.normal(size=N)) for name in names}
    study = dc.open(pl.DataFrame(gappy).fill_nan(None), study="many", unit=False)

    (said,) = [it for it in study.parallel(names).notes() if it.startswith("rows without")]

    assert said.count(" of x") == 4
    assert said.endswith(" and of 2 more columns")


@pytest.mark.parametrize(("name", "gappy"), [("sugar", True), ("bmi", False)])
def test_counts_of_one_column_say_why_they_are_fewer(
    opened: dc.Study, name: str, gappy: bool
) -> None:
    view = opened.histogram(name, source="counts")
    said = [line for line in view.notes() if line.startswith("the others")]

    assert said == [f"the others have no value of {name}, or are too few to be shown"] * gappy
    # It follows from the rounded numbers beside it, and so says nothing more.
    assert gappy == ((view.origin.shown or 0) < (view.origin.total or 0))


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("bmi ~ age", []),
        ("bmi ~ age + sex", ["levels are compared with Sex at birth f"]),
        ("bmi ~ C(sex) * band", ["levels are compared with Sex at birth f, band old"]),
    ],
)
def test_a_model_says_what_its_levels_are_compared_with(
    opened: dc.Study, formula: str, said: list[str]
) -> None:
    notes = opened.model(formula).notes

    assert [line for line in notes if line.startswith("levels are compared")] == said


# --- differences between groups -------------------------------------------------------------------

OFF = "of their standard errors on average"
#: What was measured, rows, whether by rows: what is said.
WORDS: dict[str, tuple[Beside | None, int, bool, str]] = {
    "nothing": (None, 240, True, ""),
    "coarse": (
        Beside(1.5, 0.8),
        240,
        True,
        f"off by about 1.5 {OFF} (a resample: 0.8; rounded to 1.5)",
    ),
    "fine": (
        Beside(1.3, 0.8),
        3000,
        True,
        f"off by about 1.3 {OFF} (a resample: 0.8; rounded to 0.1)",
    ),
    "rounded to nought": (
        Beside(0.0, 0.8),
        240,
        True,
        f"off by less than 1.5 {OFF} (a resample: 0.8)",
    ),
    "of persons": (Beside(1.4, 0.8), 240, False, f"off by about 1.4 {OFF} (a resample: 0.8)"),
    "of few persons": (Beside(0.0, 0.8), 240, False, "so few persons do not show"),
}


@pytest.mark.parametrize(("off", "n", "by_rows", "words"), WORDS.values(), ids=WORDS)
def test_how_far_a_difference_is_off(off: Beside | None, n: int, by_rows: bool, words: str) -> None:
    found = Fidelity(n, 0.0, (), (), None, off, (), exact=False)
    said = difference_words(found, by_rows=by_rows)

    assert words in said
    assert bool(said) == said.startswith(f"{DIFFERENCES}: ") == (off is not None)


#: What compares groups, and what does not.
COMPARED: dict[str, tuple[Callable[[dc.Study], Any], bool]] = {
    "a plot": (lambda s: s.scatter("age", "bmi").notes(), False),
    "a plot by": (lambda s: s.scatter("age", "bmi", by="sex").notes(), True),
    "survival by": (
        lambda s: s.survival("years", "died", event_is="yes", by="sex").notes(),
        True,
    ),
    "by two": (lambda s: s.box("bmi", by=("sex", "band")).notes(), True),
    "a part, by": (lambda s: s.where("age > 30").ecdf("bmi", by="sex").notes(), True),
    "counts": (lambda s: s.histogram("bmi").notes(), False),
    "a model": (lambda s: s.model("bmi ~ age + sex").notes, True),
    "table 1": (lambda s: s.summary(["bmi"]).notes, False),
    "table 1 by": (lambda s: s.summary(["bmi"], by="sex").notes, True),
    "means": (lambda s: s.means("bmi", "sex").notes, True),
}


@pytest.mark.parametrize(("ask", "compares"), COMPARED.values(), ids=COMPARED)
def test_what_compares_groups_says_how_far_they_are_off(
    opened: dc.Study, ask: Callable[[dc.Study], Any], compares: bool
) -> None:
    said = [line for line in ask(opened) if line.startswith(DIFFERENCES)]

    # Of the figures that are released with the copy, and of nothing raw.
    kept = json.loads(opened.fidelity().to_json())["coefficients"]
    of_report = Fidelity(len(opened.anonymize().frame), 0, (), (), None, Beside(**kept), ())
    wanted = difference_words(Fidelity(**{**vars(of_report), "exact": False}))
    assert said == [wanted] * compares


def test_of_many_rows_nothing_is_said_of_differences() -> None:
    study = dc.open(cohort(FEW_ROWS + 100), study="large", unit=False)

    assert not any(DIFFERENCES in it for it in study.box("bmi", by="sex").notes())
    assert any(DIFFERENCES in it for it in study.where("age < 50").box("bmi", by="sex").notes())


# --- legends --------------------------------------------------------------------------------------

LEGENDS: dict[str, tuple[Draw, str]] = {
    "scatter": (lambda s: s.scatter("age", "bmi", by="sex"), "Sex at birth"),
    "bars": (lambda s: s.bars("band", by="sex"), "Sex at birth"),
    "outlines": (lambda s: s.histogram("bmi", by="sex", overlay=True), "Sex at birth"),
    "density": (lambda s: s.density("bmi", by="sex"), "Sex at birth"),
    "ecdf": (lambda s: s.ecdf("bmi", by="sex"), "Sex at birth"),
    "survival": (
        lambda s: s.survival("years", "died", event_is="yes", by="sex"),
        "Sex at birth",
    ),
    "over time": (lambda s: s.over_time("visit", by="band"), "band"),
    "boxes by two": (lambda s: s.box("bmi", by=("band", "sex")), "Sex at birth"),
    "lines by two": (lambda s: s.ecdf("bmi", by=("band", "sex")), "band"),
    "nothing": (lambda s: s.density("bmi"), ""),
    "names beneath": (lambda s: s.box("bmi", by="sex"), ""),
}


@pytest.mark.parametrize(("draw", "title"), LEGENDS.values(), ids=LEGENDS)
def test_a_legend_is_titled_with_its_column(opened: dc.Study, draw: Draw, title: str) -> None:
    assert {panel.legend for panel in draw(opened).scene().panels} == {title}
