"""What plots, tables and models of the copy say of gaps, of differences, and in their legends."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.errors import RefusedError
from discreet.estimates.figures import Figure
from discreet.plots import View
from discreet.render.scene import subtitle_of

N = 400
GROUPS = "by band may be off by up to"


def cohort(n: int = N) -> pl.DataFrame:
    """Return a table with gaps in a number, and in a column of levels."""
    draw = np.random.default_rng(5)
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
    "one column": (lambda s: s.histogram("sugar"), ["sugar"]),
    "panels": (lambda s: s.heatmap("sugar", "age", by="chapter"), ["chapter", "sugar"]),
    "parallel axes": (lambda s: s.parallel(["age", "sugar", "sex"]), ["sugar"]),
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

NOT = "not reliable: differences"
#: What compares groups, what is off and what is not reliable: # stands for a number.
COMPARED: dict[str, tuple[Callable[[dc.Study], Any], list[str]]] = {
    "levels that differ by nothing": (
        lambda s: s.box("bmi", by="sex").notes(),
        [f"{NOT} in bmi {GROUPS} #".replace("band", "Sex at birth")],
    ),
    "a number and levels": (
        lambda s: s.survival("years", "died", event_is="yes", by="band").notes(),
        [f"{NOT} in died {GROUPS} # points", f"differences in years {GROUPS} #"],
    ),
    "dates": (
        lambda s: s.histogram("visit", by="band").notes(),
        [f"{NOT} in visit {GROUPS} # days"],
    ),
    "a part, by": (
        lambda s: s.where("age > 30").ecdf("bmi", by="band").notes(),
        [f"differences in bmi {GROUPS} #"],
    ),
    "a model": (lambda s: s.model("bmi ~ age + sex").notes, []),
    "table 1 by": (
        lambda s: s.summary(["bmi", "died"], by="band").notes,
        [f"{NOT} in died {GROUPS} # points", f"differences in bmi {GROUPS} #"],
    ),
    "means": (lambda s: s.means("bmi", "band").notes, [f"differences in bmi {GROUPS} #"]),
}


@pytest.mark.parametrize(("ask", "wanted"), COMPARED.values(), ids=COMPARED)
def test_what_compares_groups_says_how_far_they_are_off(
    opened: dc.Study, ask: Callable[[dc.Study], Any], wanted: list[str]
) -> None:
    said = [line for line in ask(opened) if "differences" in line]
    assert [re.sub(r"\b[0-9][0-9.]*", "#", line) for line in said] == wanted


def test_what_is_not_reliable_stands_first_below_the_picture(opened: dc.Study) -> None:
    found = subtitle_of(opened.scatter("age", "bmi", by="sex").scene().notes)
    assert found.says[0].startswith("not reliable: differences ")
    assert "by Sex at birth" in found.says[0]


def test_where_rows_have_no_copy_it_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*given: object) -> None:
        raise RefusedError("too few")

    monkeypatch.setattr("discreet.custodian.session.copy_again", none)
    study = dc.open(cohort(), study="few", unit=False)

    (said,) = [it for it in study.box("bmi", by="sex").notes() if "differences" in it]
    assert said == "differences by sex: too few rows to say how far they may be off"


@pytest.mark.slow
def test_means_of_the_data_lie_in_their_intervals() -> None:
    """And differences of two levels within what is said of them."""
    held, within = list[bool](), list[bool]()
    for n in (500, 900):
        raw = cohort(n).to_pandas()
        study = dc.open(raw, unit=False)
        for name, by in product(("age", "bmi", "sugar", "years"), ("sex", "band", "died")):
            table = study.means(name, by)
            found = {it.group: it for it in table.figures if it.figure == "mean"}
            ends = {(it.group, it.figure): number(it) for it in table.figures}
            means = raw.groupby(by)[name].mean()
            groups = [((by, str(level)),) for level in means.index]
            held += [
                ends[group, "mean, low end"] <= mean <= ends[group, "mean, high end"]
                for group, mean in zip(groups, means, strict=True)
            ]
            (said,) = [it for it in table.notes if "differences" in it]
            made = np.diff([number(found[group]) for group in groups]).item()
            off = float(said.split("by up to ")[1].replace(",", ""))
            within.append(abs(made - np.diff(means).item()) <= off)

    assert np.mean(held) >= 0.95
    assert np.mean(within) >= 0.9


def number(figure: Figure) -> float:
    assert isinstance(figure.value, int | float)
    return figure.value


# --- legends --------------------------------------------------------------------------------------

LEGENDS: dict[str, tuple[Draw, str]] = {
    "scatter": (lambda s: s.scatter("age", "bmi", by="sex"), "Sex at birth"),
    "outlines": (lambda s: s.histogram("bmi", by="sex", overlay=True), "Sex at birth"),
    "boxes by two": (lambda s: s.box("bmi", by=("band", "sex")), "Sex at birth"),
    "names beneath": (lambda s: s.box("bmi", by="sex"), ""),
}


@pytest.mark.parametrize(("draw", "title"), LEGENDS.values(), ids=LEGENDS)
def test_a_legend_is_titled_with_its_column(opened: dc.Study, draw: Draw, title: str) -> None:
    assert {panel.legend for panel in draw(opened).scene().panels} == {title}
