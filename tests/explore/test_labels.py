"""Labels of columns: what is drawn in place of their names, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import discreet as dc
from discreet.errors import InputError
from discreet.estimates.copy_table import CopyTable
from discreet.estimates.figures import term_words
from discreet.policy import Policy
from discreet.render.scene import Scene, scene_to_plain
from tests.custodian.test_dates_of_whole import stays

LABELS = {
    "age": "Age at admission (years)",
    "ward": "Ward of the stay",
    "smoker": "Smokes",
    "start": "Admitted on",
}


@pytest.fixture(scope="module")
def opened() -> dc.Study:
    return of_stays()


def of_stays() -> dc.Study:
    """Open a study with labels; what releases something opens one of its own."""
    return dc.open(pl.DataFrame(stays()), study="stays", unit=False, labels=LABELS)


def words(scene: Scene) -> str:
    """Return what is drawn but for the notes."""
    return json.dumps({**scene_to_plain(scene), "notes": []}, ensure_ascii=False)


DRAWN: dict[str, Any] = {
    "density": (lambda it: it.density("age"), ("age",)),
    "box by": (lambda it: it.box("age", by="smoker"), ("age", "smoker")),
    "scatter": (lambda it: it.scatter("age", "start"), ("age", "start")),
    "heat map": (lambda it: it.heatmap("start", "age"), ("age", "start")),
    "bars": (lambda it: it.bars("smoker"), ("smoker",)),
    "cross-table": (lambda it: it.crosstab("smoker", "ward"), ("smoker", "ward")),
    "parallel": (lambda it: it.parallel(["age", "start", "ward"]), ("age", "start", "ward")),
    "over time": (lambda it: it.over_time("start", "age", every="year"), ("age", "start")),
    "survival": (lambda it: it.survival("age", "smoker"), ("age",)),
}


@pytest.mark.parametrize("name", DRAWN)
def test_plots_have_labels_in_place_of_names(opened: dc.Study, name: str) -> None:
    draw, columns = DRAWN[name]
    plain = words(draw(opened).scene())
    for column in columns:
        assert LABELS[column] in plain
        assert f'"{column}"' not in plain


def test_a_matrix_of_correlations_has_them_on_both_sides() -> None:
    study = dc.open(dc.datasets.diabetes(), labels={"bmi": "Body mass index (kg/m²)"})
    (panel,) = study.correlations(["age", "bmi", "glucose"]).scene().panels
    assert panel.x.ticks == ("age", "Body mass index (kg/m²)", "glucose")
    assert panel.y.ticks == panel.x.ticks[::-1]


def test_what_was_asked_goes_by_names_and_is_read_back() -> None:
    opened = of_stays()
    view = opened.histogram("age", by="ward")
    assert view.columns == ("age",)
    assert "histogram of age" in view.describe()
    assert dc.View.from_json(view.to_json()) == view
    assert "Ward of the stay: east" in words(dc.View.from_json(view.to_json()).scene())
    assert '"labels"' not in opened.histogram("end").to_json()  # where there are none


def test_tables_have_them() -> None:
    opened = of_stays()
    summary = opened.summary(["age", "smoker"], by="ward")
    assert {it.section for it in summary.lines} == {"", LABELS["age"], LABELS["smoker"]}
    assert summary.title == "Summary of stays by Ward of the stay"
    assert {it.column for it in summary.figures} == {"", "age", "smoker"}
    means = opened.means("age", ["ward", "smoker"])
    assert means.title.startswith("Means of Age at admission (years) in stays by Ward of the stay")
    assert {it.section for it in means.lines} == {
        "Ward of the stay: east",
        "Ward of the stay: west",
        "all",
    }
    assert CopyTable.from_json(means.to_json()).scene() == means.scene()


TERMS = {
    "age": "Age",
    "log(age)": "log(age)",
    "C(ward)[T.2]": "Ward [T.2]",
    "C(`the ward`)[T.2]": "The ward [T.2]",
    "ward[T.2]:age": "Ward [T.2]:Age",
}


@pytest.mark.parametrize(("term", "said"), TERMS.items())
def test_terms_of_models(term: str, said: str) -> None:
    labels = {"age": "Age", "ward": "Ward", "the ward": "The ward"}
    assert term_words(term, labels) == said
    assert term_words(term, {}) == term


def test_columns_have_the_label_and_its_unit() -> None:
    opened = of_stays()
    columns = opened.columns
    assert (columns["age"].label, columns["age"].unit) == ("Age at admission (years)", "years")
    assert "age     Age at admission (years)" in columns.to_text()
    assert "<td>Age at admission (years)</td>" in columns._repr_html_()
    plain = {it["name"]: it for it in json.loads(columns.to_json())["columns"]}
    assert plain["age"]["label"] == LABELS["age"]
    assert "label" not in plain["end"]


@pytest.mark.slow
def test_a_file_says_them_and_other_ones_want_no_new_version(tmp_path: Path) -> None:
    table = tmp_path / "stays.parquet"
    pl.DataFrame(stays()).write_parquet(table)
    path = tmp_path / "discreet.toml"
    for label in ("Age (years)", "Age in full years (a)"):
        path.write_text(f'unit = false\n[labels]\nage = "{label}"\n', encoding="utf-8")
        study = dc.open(table, path)
        assert label in words(study.histogram("age", by="ward").scene())
        study.scatter("age", "start").to_json()
    assert Policy.load(path).labels == {"age": "Age in full years (a)"}


def test_what_is_wrong_is_named() -> None:
    with pytest.raises(InputError, match="no column 'agee'; did you mean 'age'"):
        dc.open(dc.datasets.diabetes(), labels={"agee": "Age"})
    with pytest.raises(InputError, match="labels of the policy must be a table of columns"):
        dc.open(dc.datasets.diabetes(), labels={"age": " "})
