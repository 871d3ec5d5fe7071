"""A column that looks as if persons had several rows: cases by hand, both ways, and real tables."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import discreet as dc
from discreet.errors import RefusedError
from discreet.study.persons import person_column, refuse_unsaid_persons
from discreet.table import open_table

N = 240


def found(columns: dict[str, Any], roles: dict[str, str] | None = None) -> str | None:
    table = open_table(pa.table(columns), kinds={}, roles={}, unit=None, key=None)
    return person_column(table, roles or {})


def each(times: int, n: int = N) -> list[int]:
    """Number persons so that each has some rows."""
    return [1000 + i // times for i in range(n)]


def words(values: list[int]) -> list[str]:
    return [f"P{value}" for value in values]


PERSONS: dict[str, dict[str, Any]] = {
    "numbers": {"patient_id": each(4)},
    "texts": {"patient_id": words(each(4))},
    "floats that are whole": {"pid": [float(i) for i in each(4)]},
    "some missing": {"eid": [None, None, *each(3)[2:]]},
    "in one word": {"PatientID": each(2)},
    "without a line": {"patientid": each(2)},
    "two words": {"NHS number": each(5)},
    "a number of a person": {"subject no": each(5)},
    "a survey's own name": {"SEQN": each(3)},
    "a household": {"household_id": each(3)},
    "no more than id": {"ID": each(3)},
    "a person's word alone": {"subject": words(each(3))},
    "a thing with an id": {"loan_id": each(3)},
    "many rows of few persons": {"patient_id": each(60)},
    "one value twice": {"patient_id": [1000, *range(1000, 1000 + N - 1)]},
}
NO_PERSONS: dict[str, dict[str, Any]] = {
    "a row is a person": {"patient_id": [*range(N)]},
    "a row is a person, in words": {"patient_id": words([*range(N)])},
    "a survey of one row each": {"SEQN": [float(i) for i in range(N)]},
    "one person alone": {"patient_id": [7] * N},
    "valid": {"valid": each(4)},
    "idea": {"idea": words(each(4))},
    "grid": {"grid": each(4)},
    "paid": {"paid": each(4)},
    "a number of children": {"child_id_count": each(4)},
    "another number of children": {"n_children": each(4)},
    "a number of patients": {"patients": each(4)},
    "size of a household": {"household size": [i % 8 + 1 for i in range(N)]},
    "income of a household": {"household_income": each(4)},
    "residence": {"residence": words(each(4))},
    "hospitals": {"hospital_id": each(8)},
    "wards": {"ward": words(each(8))},
    "visits": {"visit_id": each(4)},
    "who is a case": {"case": [i % 2 for i in range(N)]},
    "school subjects": {"subject": [f"subject {i % 10}" for i in range(N)]},
    "kinds of an id": {"id_type": words(each(4))},
    "the age of a person": {"person_age": each(4)},
    "broken numbers": {"patient_id": [i / 8 for i in each(4)]},
    "yes and no": {"patient_id": [i % 2 == 0 for i in range(N)]},
    "one household in all rows": {"household": ["one"] * N},
    "no name of persons": {"weight": each(4)},
    "more rows each than a person has": {"loan_id": [i % 20 for i in range(2400)]},
}


@pytest.mark.parametrize("columns", PERSONS.values(), ids=PERSONS)
def test_a_column_of_persons_is_found(columns: dict[str, Any]) -> None:
    (name,) = columns

    assert found(columns | {"x": [*range(N)]}) == name
    assert found(columns, {name: "identifier"}) == name
    assert found(columns, {name: "quasi-identifier"}) is None, "who says otherwise is believed"


@pytest.mark.parametrize("columns", NO_PERSONS.values(), ids=NO_PERSONS)
def test_no_other_column_is_taken_for_one(columns: dict[str, Any]) -> None:
    assert found(columns) is None


def test_of_several_columns_the_one_of_most_persons_is_named() -> None:
    columns = {"household_id": each(8), "person_id": each(2), "patient_id": each(2)}

    assert found(columns) == "person_id"


def test_only_columns_with_such_a_name_are_read() -> None:
    failing = pl.LazyFrame({"x": ["a"] * N, "patient_id": words(each(4))}).with_columns(
        x=pl.col("x").cast(pl.Float64)
    )
    table = open_table(failing, kinds={}, roles={}, unit=None, key=None)

    assert person_column(table, {}) == "patient_id"


def test_the_refusal_names_both_ways_out_and_no_value() -> None:
    columns = {'a "patient" id': words(each(4))}
    table = open_table(pa.table(columns), kinds={}, roles={}, unit=None, key=None)

    with pytest.raises(RefusedError, match="some have several rows: then k must count") as refused:
        refuse_unsaid_persons(table, {})
    for way in (
        "unit='a \"patient\" id'",
        r'unit = "a \"patient\" id"',
        "--unit 'a \"patient\" id'",
        "unit=False",
        "unit = false",
        "--no-unit",
    ):
        assert way in str(refused.value)
    assert "P1000" not in str(refused.value)


# --- when a study is opened -----------------------------------------------------------------------


def frame(**more: Any) -> pa.Table:
    return pa.table({"x": np.random.default_rng(1).normal(size=N), "patient_id": each(4)} | more)


def test_a_guarded_study_asks_whose_a_row_is() -> None:
    for preset in ("standard", "sacro", "opensafely"):
        with pytest.raises(RefusedError, match=r"'patient_id' looks as if .* unit=False"):
            dc.open(frame(), preset)
    assert dc.open(frame(), unit="patient_id").histogram("x").origin.counted == (
        "persons (patient_id)"
    )
    said = dc.open(frame(), unit=False).histogram("x")
    assert said.origin.counted == "rows, each taken as a person"
    assert "counts are of rows, each taken as a person" in said.describe()


def test_public_data_and_research_are_not_asked() -> None:
    assert dc.open(frame(), "research").histogram("x")
    assert dc.open(frame(), dc.Policy.preset("standard", public=True)).histogram("x")


def test_a_policy_file_says_so_too(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    for line, counted in (
        ('unit = "patient_id"', "persons (patient_id)"),
        ("unit = false", "rows, each taken as a person"),
        ('roles.patient_id = "other"', "rows, each taken as a person"),
    ):
        path.write_text(f"{line}\n")
        assert dc.open(frame(), path).histogram("x").origin.counted == counted
    path.write_text('roles.patient_id = "identifier"\n')
    with pytest.raises(RefusedError, match="'patient_id' looks as if"):
        dc.open(frame(), path)


def test_the_ledger_holds_a_row_is_a_person_as_it_held_nothing_said(tmp_path: Path) -> None:
    table = pa.table({"x": np.random.default_rng(1).normal(size=N)})
    policy = dc.Policy.preset("standard")

    assert policy.changed(unit=False).settings() == policy.settings()
    assert policy.changed(unit=False).copy_settings() == policy.copy_settings()
    dc.open(table, policy, study="s").histogram("x").save(tmp_path / "before.json")
    dc.open(table, policy, study="s", unit=False).histogram("x").save(tmp_path / "after.json")


SHARED = Path(__file__).parents[3] / "shared" / "data"
TABLES = sorted(path.name for path in SHARED.glob("*.csv"))


@pytest.mark.skipif(not TABLES, reason="the public tables are not beside the repository")
@pytest.mark.parametrize("name", TABLES)
def test_public_tables_open_as_before(name: str) -> None:
    assert dc.open(SHARED / name).policy.unit is None


def test_tables_that_come_along_and_a_survey_open_as_before() -> None:
    survey = {"SEQN": 109263.0 + np.arange(N), "RIDAGEYR": np.arange(N) % 80.0, "SDMVPSU": [1] * N}

    assert dc.open(dc.datasets.diabetes())
    assert dc.open(pa.table(survey))
