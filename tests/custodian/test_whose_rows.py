"""A copy of a table of persons with several rows says which of its rows are one person's."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import discreet as dc
from discreet.errors import InputError, RefusedError

PATIENTS, VISITS = 160, 4
Columns = dict[str, Any]


def visits(ids: str) -> Columns:
    """Make patients of a sex and a town, and a weight that stays much as it was."""
    rng = np.random.default_rng(3)
    who = np.repeat(np.arange(PATIENTS), VISITS)
    weight = rng.normal(75, 12, PATIENTS)[who] + rng.normal(0, 2, len(who))
    named = who + 5000 if ids == "numbers" else np.array([f"P{it:05}" for it in who])
    return {
        "patient_id": named,
        "year": np.tile(np.arange(2001, 2001 + VISITS), PATIENTS),
        "sex": np.where(rng.random(PATIENTS) < 0.4, "f", "m")[who],
        "weight": weight.round(1),
    }


def opened(given: Columns, **more: Any) -> dc.Study:
    return dc.open(pa.table(given), unit="patient_id", **more)


def released(study: Any, **more: Any) -> Columns:
    table = study.anonymize(**more).table
    return {name: table[name].to_numpy() for name in table.column_names}


def between(rows: Columns) -> float:
    """Return which share of the variance of the weight lies between persons."""
    _, whose, count = np.unique(rows["patient_id"], return_inverse=True, return_counts=True)
    mean = np.bincount(whose, rows["weight"]) / count
    return float(np.var(mean[whose]) / np.var(rows["weight"]))


@pytest.mark.parametrize("ids", ["numbers", "texts"])
def test_a_person_of_the_copy_has_rows_that_belong_together(ids: str) -> None:
    given = visits(ids)
    rows = released(opened(given))
    assert [*rows] == [*given]
    assert rows["patient_id"].dtype == np.int64  # numbers of the copy alone, whatever they were
    persons, count = np.unique(rows["patient_id"], return_counts=True)
    assert 0.8 * PATIENTS < len(persons) < 1.2 * PATIENTS
    assert set(count.tolist()) == {VISITS}
    assert not {*persons.tolist()} & {*range(5000, 5000 + PATIENTS)}
    for name, most in (("sex", 1), ("year", VISITS)):
        values = zip(rows["patient_id"].tolist(), rows[name].tolist(), strict=True)
        assert len({*values}) == most * len(persons)
    # Rows by themselves would have 1 / VISITS of it between persons.
    assert between(rows) > 0.6


@pytest.mark.slow
def test_rows_of_other_tables_are_nobodys() -> None:
    given = visits("numbers")
    first = {name: column[::VISITS] for name, column in given.items()}
    assert "patient_id" not in released(opened(first))
    without = {name: column for name, column in given.items() if name != "patient_id"}
    table = dc.open(pa.table(without), unit=False).anonymize().table
    assert table.column_names == ["year", "sex", "weight"]


def test_whose_rows_are_is_no_column_that_is_drawn() -> None:
    study = opened(visits("numbers"))
    for draw in (study.histogram, study.bars, study.ecdf):
        with pytest.raises(RefusedError, match="identifies people"):
            draw("patient_id")
    assert "patient_id" not in {it.name for it in study.session.whole.table.columns.values()}


@pytest.mark.slow
def test_it_can_be_left_out_and_named() -> None:
    study = opened(visits("numbers"))
    assert [*released(study, drop=["patient_id"])] == ["year", "sex", "weight"]
    assert [*released(study, columns=["patient_id", "weight"])] == ["patient_id", "weight"]
    with pytest.raises(InputError, match="needs at least one column"):
        study.anonymize(columns=["patient_id"])


def test_a_part_of_the_copy_keeps_whose_its_rows_are() -> None:
    study = opened(visits("numbers"))
    every = released(study)
    part = released(study.where("sex == 'f'"))
    some = every["sex"] == "f"
    assert part["patient_id"].tolist() == every["patient_id"][some].tolist()


@pytest.mark.slow
def test_a_kept_copy_says_the_same(tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text('k = 5\nunit = "patient_id"\n')
    made = [released(dc.open(pa.table(visits("texts")), policy=policy)) for _ in range(2)]
    assert {**made[0]}.keys() == made[1].keys()
    for name, column in made[0].items():
        assert column.tolist() == made[1][name].tolist()


@pytest.mark.slow
def test_of_a_large_table_no_two_partitions_share_a_person(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.vault.whole_columns.MOST_CELLS", 900)
    monkeypatch.setattr("discreet.vault.whole_columns.LEAST_PERSONS", 2)
    study = opened(visits("texts"))
    rows = released(study)
    assert study.session.kept.copy.path is not None  # there are several
    _, count = np.unique(rows["patient_id"], return_counts=True)
    assert set(count.tolist()) == {VISITS}


def test_copies_of_the_copy_have_persons_too() -> None:
    tables = opened(visits("numbers")).session.copies_of_copy
    assert len(tables) > 1
    for table in tables:
        (whose,) = table.copy.whose.values()
        assert set(np.unique(whose, return_counts=True)[1].tolist()) == {VISITS}
