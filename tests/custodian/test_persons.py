"""A column that looks as if persons had several rows: cases by hand, both ways, and real tables."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import discreet as dc
from discreet.custodian.guesses import propose_policy
from discreet.custodian.persons import (
    Evidence,
    person_column,
    person_evidence,
    refuse_unsaid_persons,
    repeats_rows,
)
from discreet.errors import RefusedError
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
    "many rows of few people": {"patient_id": each(60)},
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
    "no name of people": {"weight": each(4)},
    "more rows each than a person has": {"loan_id": [i % 20 for i in range(2400)]},
}


def test_a_column_of_persons_is_found() -> None:
    for columns in PERSONS.values():
        (name,) = columns
        assert found(columns | {"x": [*range(N)]}) == name
        assert found(columns, {name: "identifier"}) == name
        assert found(columns, {name: "quasi-identifier"}) is None, "who says otherwise is believed"


def test_no_other_column_is_taken_for_one() -> None:
    assert [what for what, columns in NO_PERSONS.items() if found(columns)] == []


# --- by name, in the languages it is known in -----------------------------------------------------

NAMES = {
    Evidence.SURELY: """patient_id idnr PatNr Patientennummer Probanden-ID Versuchspersonennr persnr
        Kundennummer numero_patient id_patient matricule identifiant numero_paciente codigo_paciente
        id_paziente codice_paziente numero_do_paciente klantnummer deelnemer_nr proefpersoonnummer
        löpnr personnummer Schülernummer case_no SEQN""",
    Evidence.MAYBE: "subject participant Proband Teilnehmer sujet paciente paziente deelnemer"
    " loan_id",
    Evidence.NUMBER: "nr NR no code num key Nummer numéro código codice sleutel kod record"
    " dossier_no"
    " email E-Mail phone Telefon name patient_name Nachname adresse iban",
    Evidence.UNSAID: "x wt_1 foo grid paid patients Wert",
    Evidence.OTHER: """age year Alter Geburtsjahr ward hospital_code Krankenhausnummer Schulnummer
        plz postcode drug_name hospital_address street_type codigo_postal code_postal icd_code
        Diagnosecode visit_no week order_id edad n_child_count Artikelnummer""",
}


def test_what_names_say() -> None:
    for named, names in NAMES.items():
        assert {name for name in names.split() if person_evidence(name) is not named} == set()


# --- by what is in the rows -----------------------------------------------------------------------


def panel(name: str, seed: int = 0, *, first: bool = False, unit_as: str = "float") -> pa.Table:
    """Make persons of one to nine rows each, shuffled; sex and year of birth are a person's."""
    draw = np.random.default_rng(seed)
    times = draw.integers(1, 10, 80)
    whose = np.repeat(3 * np.arange(80) + 1001.0, times)
    n = len(whose)
    order = draw.permutation(n)
    ids = {"float": whose, "text": np.array([f"P{i:.0f}" for i in whose])}[unit_as]
    found: dict[str, Any] = {} if not first else {name: ids[order]}
    found |= {
        "sex": np.repeat(draw.integers(0, 2, 80), times)[order],
        "born": np.repeat(draw.integers(1930, 1999, 80), times)[order],
        "mg": draw.normal(size=n)[order],
        "day": draw.integers(0, 365, n)[order],
    }
    return pa.table(found if first else found | {name: ids[order]})


def person_in(table: pa.Table) -> str | None:
    return person_column(open_table(table, kinds={}, roles={}, unit=None, key=None), {})


@pytest.mark.parametrize("unit_as", ["float", "text"])
def test_a_number_of_rows_that_say_the_same_of_a_person_is_found(unit_as: str) -> None:
    for name in ("nr", "code", "idnr", "id_no", "Numéro", "patient_id", "email", "phone", "name"):
        assert person_in(panel(name, unit_as=unit_as)) == name


def test_a_column_whose_name_says_nothing_is_found_where_it_stands_first() -> None:
    assert person_in(panel("x", first=True)) == "x"
    assert person_in(panel("x")) is None
    assert person_in(panel("year", first=True)) is None, "a name that says something else"


def test_gaps_and_a_slip_of_the_pen_leave_an_id_one() -> None:
    table = panel("patient_id")
    ids = table["patient_id"].to_numpy().copy()
    ids[3] = np.nan
    assert person_in(table.set_column(4, "patient_id", pa.array(ids))) == "patient_id"
    ids[5] = 1003.5
    assert person_in(table.set_column(4, "patient_id", pa.array(ids))) == "patient_id"


def test_waves_below_each_other_and_balanced_panels_are_found() -> None:
    draw, whose = np.random.default_rng(1), np.arange(60.0)
    waves = {"mg": draw.normal(size=180), "nr": np.tile(whose, 3)}
    blocks = {"mg": draw.normal(size=180), "nr": np.repeat(whose, 3)}
    assert person_in(pa.table(waves)) == "nr"
    assert person_in(pa.table(blocks)) == "nr"


def test_measures_and_codes_of_things_are_no_persons() -> None:
    draw, n = np.random.default_rng(2), 600
    age, ward = draw.integers(18, 90, n), draw.integers(0, 30, n)
    table = {
        "age": age,
        "born": 2000 - age,
        "ward_code": ward,
        "floor": ward // 5,
        "code": draw.integers(100, 140, n),  # of a diagnosis, say: nothing goes with it
        "stay": draw.poisson(25, n),
        "number": draw.poisson(1, n),
        "mg": draw.normal(size=n),
    }
    assert person_in(pa.table(table)) is None
    order = np.argsort(age, kind="stable")
    assert person_in(pa.table({name: it[order] for name, it in table.items()})) is None


def test_a_policy_that_is_proposed_says_whose_a_row_is() -> None:
    for name in ("nr", "patient_id", "idnr"):
        lines = propose_policy(panel(name)).splitlines()
        assert f'unit = "{name}"' in lines, "no comment"
        assert f'roles.{name} = "identifier"' in lines, "never shown"
        assert not any(line.startswith(f"kinds.{name} ") for line in lines)


# --- rows that are alike --------------------------------------------------------------------------


def visits(seed: int = 3, n: int = 150) -> pa.Table:
    """Make persons joined with one to fifteen visits, without a column that names them."""
    draw = np.random.default_rng(seed)
    rows = draw.permutation(np.repeat(np.arange(n), draw.integers(1, 16, n)))
    persons = {
        "age": draw.integers(18, 90, n),
        "bmi": draw.normal(26, 4, n).round(1),
        "income": draw.lognormal(10, 0.5, n).round(),
        "region": draw.choice(["north", "south", "east", "west"], n),
    }
    return pa.table({name: it[rows] for name, it in persons.items()})


REPEATED = {
    "joined with visits": lambda: visits(),
    "each twice": lambda: pa.concat_tables([once(), once()]),
    "with tiny noise": lambda: visits().set_column(
        2,
        "income",
        pa.array(
            visits()["income"].to_numpy()
            + 1e-3 * np.random.default_rng(4).normal(size=visits().num_rows)
        ),
    ),
    "with the number of each visit": lambda: visits().append_column(
        "visit", pa.array(7 * np.arange(visits().num_rows))
    ),
}


def once(n: int = 400) -> pa.Table:
    draw = np.random.default_rng(5)
    return pa.table(
        {
            "age": draw.integers(18, 90, n),
            "bmi": draw.normal(26, 4, n).round(1),
            "region": draw.choice(["north", "south", "east", "west"], n),
        }
    )


@pytest.mark.parametrize("made", REPEATED.values(), ids=REPEATED)
def test_a_guarded_study_asks_whose_rows_are_that_are_alike(made: Any) -> None:
    with pytest.raises(RefusedError, match=r"alike in all columns.*unit='person'.*--no-unit"):
        dc.open(made())
    assert dc.open(made(), unit=False)
    assert dc.research(made())


def test_rows_that_are_alike_by_chance_are_not_asked_about() -> None:
    draw, n = np.random.default_rng(6), 900
    titanic = {name: draw.integers(0, levels, n) for name, levels in [("class", 3), ("sex", 2)]}
    assert dc.open(once())
    assert dc.open(pa.table(titanic | {"survived": draw.integers(0, 2, n)}))
    assert dc.open(pa.table({"age": draw.integers(18, 90, n)}))


def test_of_a_table_with_a_column_that_cannot_be_read_the_others_are_looked_at() -> None:
    repeated = pl.from_arrow(visits())
    assert isinstance(repeated, pl.DataFrame)
    failing = repeated.lazy().with_columns(broken=pl.col("region").cast(pl.Float64))
    assert repeats_rows(open_table(failing, kinds={}, roles={}, unit=None, key=None))


def _measured(table: pa.Table) -> pa.Table:
    draw = np.random.default_rng(7).normal(size=(2, table.num_rows))
    return table.append_column("mg", pa.array(draw[0])).append_column("dl", pa.array(draw[1]))


def records_found(raw: pa.Table, copy: Any) -> float:
    """Return the share of different raw records that a copy has, numbers to .02 sd."""
    numbers = [name for name in raw.column_names if name != "region"]
    spread = {name: raw[name].to_numpy().std() for name in numbers}

    def rows(of: Any) -> Any:
        return np.column_stack([of[name].to_numpy() / spread[name] for name in numbers])

    different = raw.group_by(raw.column_names).aggregate([])
    a, b = rows(different), rows(copy)
    levels, held = np.array(different["region"]), np.array(copy["region"])
    near = [(np.abs(b[held == levels[i]] - a[i]) < 0.02).all(axis=1).any() for i in range(len(a))]
    return float(np.mean(near))


@pytest.mark.slow
def test_a_copy_of_rows_alike_gives_no_record_away_and_would_without_the_cure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The attack finds most records where rows are persons: what is measured can be found."""
    table = pa.concat_tables([_measured(once(120))] * 20)
    cured = records_found(table, dc.open(table, unit=False, k=3).anonymize().table)
    monkeypatch.setattr("discreet.vault.whole_columns.persons_alike", lambda *_: None)
    bare = dc.open(table, unit=False, k=3).anonymize()
    assert records_found(table, bare.table) > 0.3
    assert cured <= 0.03
    first = bare.report.to_text().split("\n- ")[1]
    assert "worst attack" in first
    assert "low" not in first


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
    with pytest.raises(RefusedError, match="some with several rows: then k must count") as refused:
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
    with pytest.raises(RefusedError, match=r"'patient_id' looks as if .* unit=False"):
        dc.open(frame())
    for unit in ("patient_id", False):
        opened = dc.open(frame(), unit=unit)
        assert opened.policy.unit == unit
        assert opened.histogram("x").origin.counted == "protected rows"


def test_public_data_and_research_are_not_asked() -> None:
    assert dc.research(frame()).histogram("x")
    assert dc.open(frame(), dc.Policy.preset("standard", public=True)).histogram("x")


def test_a_policy_file_says_so_too(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    for line, unit in (
        ('unit = "patient_id"', "patient_id"),
        ("unit = false", False),
        ('roles.patient_id = "other"', None),
    ):
        path.write_text(f"{line}\n")
        study = dc.open(frame(), path)
        assert study.policy.unit == unit
        assert study.session.table.unit == (unit or None)
        assert study.histogram("x").origin.counted == "protected rows"
    path.write_text('roles.patient_id = "identifier"\n')
    with pytest.raises(RefusedError, match="'patient_id' looks as if"):
        dc.open(frame(), path)


def test_the_register_holds_a_row_is_a_person_as_it_held_nothing_said(tmp_path: Path) -> None:
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
