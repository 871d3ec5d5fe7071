"""A study that is a file: what is made of it is what the custodian makes of the same copy."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest

import discreet as dc
from discreet.errors import InputError, RefusedError
from discreet.plots import View
from discreet.render.scene import scene_to_plain
from discreet.study_file import open_study_file
from tests.cases import slow
from tests.study.test_dates_of_whole import stays
from tests.study.test_whole import cohort
from tests.study.test_whose_rows import visits

OLD = "age >= 45 and sex == 'f'"
CALLS: dict[str, Callable[[dc.Study], Any]] = {
    "histogram": lambda s: s.histogram("bmi"),
    "histogram by": lambda s: s.histogram("bmi", by="smoker", bins=7),
    "histogram of weights": lambda s: s.histogram("bmi", weights="age"),
    "histogram between limits": lambda s: s.histogram("age", limits={"age": (40, 60)}),
    "correlations": lambda s: s.correlations(),
    "density by": lambda s: s.density("glucose", by="sex"),
    "violin by": lambda s: s.violin("glucose", by="sex"),
    "ecdf by two": lambda s: s.ecdf("bmi", by=("smoker", "sex")),
    "scatter": lambda s: s.scatter("age", "glucose", by="sex", trend=True),
    "heat map": lambda s: s.heatmap("age", "bmi", grid=9),
    "contour": lambda s: s.contour("age", "bmi"),
    "box": lambda s: s.box("age", "bmi", "glucose"),
    "box by two": lambda s: s.box("bmi", by=("sex", "smoker")),
    "bars by": lambda s: s.bars("smoker", by="sex", percent=True),
    "bars of weights": lambda s: s.bars("smoker", weights="age"),
    "cross-table": lambda s: s.crosstab("smoker", "sex"),
    "survival": lambda s: s.survival("age", "smoker", event_is="yes", by="sex"),
    "parallel coordinates": lambda s: s.parallel(["bmi", "sex", "age", "glucose"]),
    "residuals": lambda s: s.residuals("glucose ~ age + bmi + smoker"),
    "qq": lambda s: s.qq("bmi ~ sex"),
    "leverage": lambda s: s.leverage("bmi ~ age"),
    "a plot that is chosen": lambda s: s.plot("sex", "bmi"),
    "an overview": lambda s: s.plot(),
    "a part": lambda s: s.where(OLD).histogram("bmi", by="smoker"),
    "a new column": lambda s: s.assign(band="cut(age, 40, 60)").bars("band", by="sex"),
    "a part with a new column": lambda s: (
        s.assign(r="glucose / bmi").where(OLD).scatter("r", "age")
    ),
    "a column that the policy derives": lambda s: s.histogram("log_bmi", by="sex"),
    "a date": lambda s: s.over_time("start", "age", by="ward"),
    "a moment": lambda s: s.histogram("seen"),
    "dates beside": lambda s: s.scatter("start", "end"),
    "days between": lambda s: s.assign(days="end - start").box("days", by="ward"),
    "yes and no": lambda s: s.where("smoker == 'True'").bars("ward"),
    "summary": lambda s: s.summary(),
    "summary by": lambda s: s.summary(["age", "bmi"], by="sex", weights="glucose"),
    "summary of a part": lambda s: s.where(OLD).summary(),
    "means": lambda s: s.means("bmi", ["sex", "smoker"]),
    "shares": lambda s: s.means("smoker", "sex"),
    "linear model": lambda s: s.model("glucose ~ age + bmi + C(sex)"),
    "logistic model": lambda s: s.model("smoker ~ age + sex", family="logistic"),
    "Cox model": lambda s: s.model("survival(age, smoker) ~ sex", family="cox"),
    "columns": lambda s: [it for it in s.columns.figures if it.in_copy],
    "new columns": lambda s: [it for it in s.assign(o="age >= 65").columns.figures if it.in_copy],
    "persons": lambda s: s.summary(by="sex"),
    "means by persons": lambda s: s.means("weight", "sex"),
    "model by persons": lambda s: s.model("weight ~ year + sex"),
    "over persons' years": lambda s: s.histogram("weight", by="sex"),
}
OF = dict.fromkeys(
    ("a date", "a moment", "dates beside", "days between", "yes and no"), "stays"
) | dict.fromkeys(
    ("persons", "means by persons", "model by persons", "over persons' years"), "visits"
)
FAST = (
    *("histogram by", "scatter", "survival", "a part with a new column", "a moment", "yes and no"),
    *("summary", "means", "linear model", "columns", "persons"),
)


def opened(name: str) -> dc.Study:
    """Open one of the tables as its custodian does."""
    if name == "stays":
        return dc.open(pl.DataFrame(stays()), study="stays", unit=False)
    if name == "visits":
        return dc.open(pa.table(visits("texts")), study="visits", unit="patient_id")
    policy = dc.Policy.preset(
        "standard",
        derive={"log_bmi": "log(bmi)", "g": "glucose * 2"},
        labels={"bmi": "Body mass index (kg/m²)", "log_bmi": "Logarithm"},
        ordered={"smoker": ["yes", "no", "unknown"]},
        tables=[["sex", "smoker"]],
        withhold=["visit"],
        limits={"age": [20, 90]},
    )
    return dc.open(cohort(), policy, study="cohort")


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Any]]:
    """Give the custodian's study and the one that is a file, of each table."""
    found: dict[str, tuple[dc.Study, dc.Study]] = {}

    def pair(name: str) -> tuple[dc.Study, dc.Study]:
        if name not in found:
            study = opened(name)
            path = study.publish(tmp_path_factory.mktemp(name) / f"{name}.discreet")
            found[name] = study, dc.open(path)
        return found[name]

    yield pair
    for _, of_file in found.values():
        of_file.close()


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=slow(name not in FAST)) for name in CALLS]
)
def test_file_answers_as_the_custodian_does(studies: Callable[[str], Any], name: str) -> None:
    call, (study, of_file) = CALLS[name], studies(OF.get(name, "cohort"))
    expected, found = call(study), call(of_file)
    assert type(found) is type(expected)
    assert found == expected
    if isinstance(expected, View):
        assert found.describe() == expected.describe()
        assert scene_to_plain(found.scene()) == scene_to_plain(expected.scene())
