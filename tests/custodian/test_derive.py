"""Columns that a policy derives: of the copy's rows, from the opening of the study."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import discreet as dc
from discreet import Policy
from discreet.errors import InputError, RefusedError
from tests.custodian.test_whole import cohort

DERIVE = {
    "log_bmi": "log(bmi)",
    "band": "cut(age, 40, 60)",
    "older": "band == '60 or more'",
    "none": "log(0 - age)",
    "risk": "case(smoker and older, 'both', 'not both')",
}


def study() -> dc.Study:
    """Open a study whose policy derives columns."""
    return dc.open(cohort(), Policy.preset("standard", derive=DERIVE), study="s")


@pytest.fixture(scope="module")
def opened() -> dc.Study:
    return study()


@pytest.mark.slow
def test_they_are_what_assign_makes(opened: dc.Study) -> None:
    asked = {name: text for name, text in DERIVE.items() if name != "none"}
    analyst = dc.open(cohort(), study="s").assign(**asked).anonymize().frame
    found = opened.anonymize().frame
    assert found.columns[-4:] == ["log_bmi", "band", "older", "risk"]
    assert found.equals(analyst)


def test_they_agree_with_their_source_in_every_row(opened: dc.Study) -> None:
    found = opened.anonymize().frame.drop_nulls("age")
    old = found.filter(pl.col("band") == "60 or more")
    assert old["age"].min() == 60
    assert (old["older"] == "yes").all()
    assert found.filter(pl.col("older") == "yes").height == old.height


def test_plots_and_tables_take_them_and_say_what_they_are(opened: dc.Study) -> None:
    view = opened.histogram("log_bmi", by="older")
    assert {"log_bmi is log(bmi)", "band is cut(age, 40, 60)"} <= {*view.describe().splitlines()}
    assert "log_bmi" in str(opened.summary())
    assert opened.where("log_bmi > 3").assign(more="log_bmi * 2").means("more", "band").figures
    assert "C(band)" in opened.residuals("bmi ~ age + C(band)").describe()


def test_the_register_names_the_columns_they_rest_on() -> None:
    one = study()
    one.histogram("log_bmi", by="older").to_json()
    assert one.session.register.history("s")[-1]["columns"] == ["bmi", "age"]


@pytest.mark.slow
def test_one_that_has_no_value_is_refused(opened: dc.Study) -> None:
    with pytest.raises(
        RefusedError, match="'none', which the policy derives, could not be computed"
    ):
        opened.histogram("none")


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "a function that is none": (
        {"derive": {"a": "lob(bmi)"}},
        r"(?s)derive of the policy, 'a': there is no function 'lob'; did you mean 'log'\?.*\^\^\^",
    ),
    "an identifier": ({"derive": {"a": "patient == 'P1'"}}, "derive of the policy, 'a': "),
    "a number as a condition": ({"derive": {"a": "not age"}}, "(?s)'not' stands before a cond"),
    "a later one": ({"derive": {"a": "b", "b": "age"}}, "derive of the policy, 'a': "),
    "a name that is taken": ({"derive": {"age": "bmi"}}, "has a column 'age', as the table has"),
    "no copy": ({"derive": {"a": "age"}}, "and this policy has none"),
    "limits of levels": (
        {"derive": {"a": "cut(age, 40)"}, "limits": {"a": (0, 1)}},
        "'a' of the policy's derive has levels, and so no limits",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_can_be_no_column_is_refused_at_the_opening(name: str) -> None:
    settings, says = WRONG[name]
    policy = Policy.preset("research" if name == "no copy" else "standard", **settings)
    door: Any = dc.open if policy.fixed else dc.research
    with pytest.raises(InputError, match=says):
        door(cohort(), policy, study="s")


def test_a_file_says_them(tmp_path: Path) -> None:
    path = tmp_path / "discreet.toml"
    path.write_text('[derive]\nlog_bmi = "log(bmi)"\n\n[limits]\nlog_bmi = [2, 4]\n')
    view = dc.open(cohort(), path).histogram("log_bmi")
    assert (view.edges[0], view.edges[-1]) == (2, 4)


@pytest.mark.slow
def test_other_ones_want_no_new_version() -> None:
    before = study()
    before.histogram("log_bmi").to_json()
    policy = Policy.preset("standard", derive={"decade": "cut(age, 30, 40, 50, 60)"})
    after = dc.open(cohort(), policy, study="s")
    after.bars("decade").to_json()
    assert after.session.whole.copy.version == before.session.whole.copy.version
