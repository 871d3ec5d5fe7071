"""What a published file holds: the copy and its notes, signed, recorded, and nothing else."""

from __future__ import annotations

import io
import os
import stat
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as dc
from discreet.custodian import publishing
from discreet.errors import InputError, LeavingError, RefusedError
from discreet.study_file import open_study_file
from discreet.vault import whole_columns
from tests.custodian.test_whole import cohort
from tests.custodian.test_whose_rows import PATIENTS, VISITS, visits

SECRET = bytes(range(32)).hex()


def published(folder: Path, frame: Any = None, name: str = "cohort", **how: Any) -> Path:
    study = dc.open(cohort() if frame is None else frame, study=name, **how)
    return dc.Protected(study).publish(folder / f"{name}.discreet")


def manifest_of(path: Path) -> Any:
    with open_study_file(path) as file:
        return file.manifest


def in_folder(folder: Path) -> dc.Policy:
    """Return a policy beside which a secret lies."""
    folder.mkdir(exist_ok=True)
    secret = folder / "discreet.secret"
    secret.touch(mode=0o600)
    secret.write_text(SECRET, encoding="ascii")
    return replace(dc.Policy.preset("standard"), folder=folder)


def test_rows_are_those_of_the_copy(tmp_path: Path) -> None:
    study = dc.open(cohort(), study="cohort")
    path = dc.Protected(study).publish(tmp_path / "cohort.discreet")
    frame = study.anonymize().table
    with open_study_file(path) as file:
        assert file.manifest.study == "cohort"
        assert file.manifest.version == study.session.kept.copy.version
        assert file.names == ("age", "bmi", "glucose", "sex", "smoker")
        rows = file.columns(file.names)
    for name in frame.column_names:
        expected = frame[name].cast(pa.float64() if name in ("age", "bmi", "glucose") else "str")
        assert rows[name].cast(expected.type).to_pylist() == expected.to_pylist()


def test_persons_are_those_of_the_copy_and_rounded(tmp_path: Path) -> None:
    of_rows = manifest_of(published(tmp_path))
    assert of_rows.persons % 5 == 0
    assert abs(of_rows.persons - of_rows.rows) <= 3
    assert of_rows.person_column is None
    frame = pa.table(visits("texts"))
    of_persons = manifest_of(published(tmp_path, frame, "visits", unit="patient_id"))
    assert of_persons.person_column == "patient_id"
    assert of_persons.persons % 5 == 0
    assert abs(of_persons.persons * VISITS - of_persons.rows) < 3 * VISITS
    assert of_persons.persons != PATIENTS * VISITS


def test_levels_that_the_copy_has_not_are_not_named(tmp_path: Path) -> None:
    order = ["yes", "no", "a level of few"]
    policy = dc.Policy.preset("standard").changed(ordered={"smoker": order})
    path = dc.protect(cohort(), policy, study="ordered").publish(tmp_path / "ordered.discreet")
    assert manifest_of(path).policy["ordered"] == {"smoker": ["yes", "no"]}


def test_publishing_is_a_release_of_the_whole_copy(tmp_path: Path) -> None:
    study = dc.open(cohort(), study="recorded")
    dc.Protected(study).publish(tmp_path / "a.discreet")
    (entry,) = study.session.register.history("recorded")
    assert (entry["kind"], entry["form"], entry["method"]) == ("study file", "discreet", "whole")
    assert set(entry["columns"]) == {"age", "bmi", "glucose", "sex", "smoker"}


def test_copy_that_may_not_leave_is_not_written(tmp_path: Path) -> None:
    published(tmp_path, name="once")
    (tmp_path / "once.discreet").unlink()
    other = cohort().with_columns(
        pl.col("age") + pl.when(pl.col("visit") == 7).then(1).otherwise(0)
    )
    with pytest.raises(LeavingError, match="study"):
        published(tmp_path, other, name="once")
    assert [*tmp_path.iterdir()] == []


def test_record_stands_before_the_file_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise InputError("the disk is full")

    study = dc.open(cohort(), study="first")
    monkeypatch.setattr(publishing, "write_study_file", fails)
    with pytest.raises(InputError, match="the disk is full"):
        dc.Protected(study).publish(tmp_path / "a.discreet")
    assert len(study.session.register.history("first")) == 1
    assert [*tmp_path.iterdir()] == []


@pytest.mark.slow
@pytest.mark.made_anew
def test_same_data_policy_and_secret_have_one_content(tmp_path: Path) -> None:
    found = [
        published(tmp_path / name, policy=in_folder(tmp_path / name)) for name in ("here", "there")
    ]
    first, second = map(manifest_of, found)
    assert (first.content, first.values) == (second.content, second.values)
    assert first.key != second.key
    again = published(tmp_path / "here", policy=in_folder(tmp_path / "here"))
    assert manifest_of(again) == first
    policy = in_folder(tmp_path / "there").changed(labels={"bmi": "Body mass index"})
    assert manifest_of(published(tmp_path / "there", policy=policy)).content != first.content


def test_key_lies_beside_the_secret(tmp_path: Path) -> None:
    policy = in_folder(tmp_path / "custodian")
    path = published(tmp_path, policy=policy)
    key = tmp_path / "custodian" / "discreet.signing-key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    first = manifest_of(path)
    key.chmod(0o644)
    with pytest.raises(InputError, match="can be read by others"):
        published(tmp_path, policy=policy)
    key.unlink()
    other = manifest_of(published(tmp_path, policy=policy))
    assert other.key != first.key
    assert other.content == first.content


def test_what_is_not_published_says_why(tmp_path: Path) -> None:
    study = dc.open(cohort(), study="cohort")
    with pytest.raises(RefusedError, match="where and assign apply to the copy; protect"):
        dc.Protected(study.where("age > 40")).publish(tmp_path / "a.discreet")


def test_large_table_is_written_from_the_file_of_its_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whole_columns, "MOST_CELLS", 1300 * 5 // 2 + 1)
    study = dc.open(cohort(1300), study="large", k=3)
    assert study.session.kept.copy.path is not None
    path = dc.Protected(study).publish(tmp_path / "large.discreet")
    of_file = dc.open(path)
    assert len(of_file._copy.whole) == len(study.session.whole) > 1000
    assert of_file.histogram("bmi", by="sex") == study.histogram("bmi", by="sex")
    of_file.close()


# --- canaries -------------------------------------------------------------------------------------

RARE, NOTE, NUMBER, WHOLE = "canary-of-a-rare-level", "canary-note-", 98765.4321, 424242424.0


def with_canaries(n: int = 900) -> pa.Table:
    """Make a table whose rare values must not leave: identifiers, a rare level, extreme numbers."""
    random = np.random.default_rng(11)
    ward = random.choice(["east", "west", "north"], n).astype(object)
    ward[:2] = RARE
    wage = np.round(random.lognormal(8, 0.4, n), 2)
    wage[3], wage[4] = NUMBER, WHOLE
    return pa.table(
        {
            "patient": [f"canary-patient-{it:06}" for it in random.permutation(n)],
            "note": [f"{NOTE}{it}-{'x' * 40}" for it in random.permutation(n)],
            "number": random.permutation(n) * 7919.0 + 1_000_003.0,
            "ward": pa.array(ward.tolist()).dictionary_encode(),
            "wage": wage,
            "age": np.round(random.normal(50, 12, n)),
            "sex": random.choice(["f", "m"], n),
        }
    )


def everything_in(path: Path) -> bytes:
    """Return all bytes of a file, and all that its Parquet unpacks to."""
    found = [path.read_bytes()]
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            data = archive.read(name)
            found.append(data)
            if name.endswith(".parquet"):
                table = pq.read_table(io.BytesIO(data))
                found.append(str(table.to_pydict()).encode())
                for column in table.columns:
                    for chunk in column.chunks:
                        held = chunk.dictionary if pa.types.is_dictionary(chunk.type) else chunk
                        found += [bytes(it) for it in held.buffers() if it is not None]
    return b"\0".join(found)


def test_no_raw_value_of_few_is_in_the_file(tmp_path: Path) -> None:
    table = with_canaries()
    home = tmp_path / "home-of-the-custodian"
    home.mkdir()
    pq.write_table(table, home / "wards.parquet")
    study = dc.open(home / "wards.parquet", study="wards", roles={"patient": "identifier"})
    everything = everything_in(dc.Protected(study).publish(tmp_path / "wards.discreet"))
    assert b"east" in everything  # the search finds what is there
    assert np.float64(study.session.kept.copy.columns["age"][0]).tobytes() in everything
    for word in (b"canary", RARE.encode(), NOTE.encode(), str(home).encode(), b"home-of-the"):
        assert word not in everything
    for number in (NUMBER, WHOLE, *(table["number"][:20].to_pylist())):
        assert np.float64(number).tobytes() not in everything
        assert str(number).encode() not in everything
    assert os.environ["HOME"].encode() not in everything
    assert study.session.secret.digest("x")[:8] not in everything
    assert b"number" in everything  # that a column is not in the copy is said by its name


def test_of_a_public_table_the_rows_are_its_own_and_clusters_are_drawn(tmp_path: Path) -> None:
    frame = cohort()
    of_table = dc.research(frame, public=True, kinds={"sex": "categorical"}, study="cohort")
    path = of_table.publish(tmp_path / "cohort.discreet")
    with open_study_file(path) as file:
        assert file.manifest.is_public
        assert file.manifest.persons == file.manifest.rows == len(frame)
        assert file.columns(["age"])["age"].to_pylist() == frame["age"].cast(pl.Float64).to_list()
    assert "PUBLIC" in str(dc.check(path))
    opened = dc.open(path)
    view = opened.parallel(["age", "bmi", "sex"], method="k-member", k=7, sensitive=["sex"])
    expected = of_table.parallel(["age", "bmi", "sex"], method="k-member", k=7, sensitive=["sex"])
    assert (view.clusters, view.joins) == (expected.clusters, expected.joins)
    assert "PUBLIC: rows of the table itself" in view.describe()
    for draw in (opened.summary, opened.board, lambda: opened.histogram("age")):
        with pytest.raises(RefusedError, match=r"no copy of the whole table|public table"):
            draw()


# --- the copy that is kept beside the data ----------------------------------------------------


def test_a_copy_beside_the_data_is_private_and_the_same_each_time(tmp_path: Path) -> None:
    study = dc.open(cohort(), in_folder(tmp_path), study="cohort")
    study.histogram("age")
    (path,) = (tmp_path / ".discreet").glob("whole-*.copy")
    first = path.read_bytes()
    path.unlink()
    dc.open(cohort(), in_folder(tmp_path), study="cohort").histogram("age")
    assert path.read_bytes() == first
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("what", ["another secret's", "damaged"])
def test_a_copy_that_is_not_the_custodians_is_not_drawn_from(tmp_path: Path, what: str) -> None:
    study = dc.open(cohort(), in_folder(tmp_path), study="cohort")
    study.histogram("age")
    (path,) = (tmp_path / ".discreet").glob("whole-*.copy")
    if what == "damaged":
        path.write_bytes(path.read_bytes()[:-1])
    else:  # a study file that its own key signed, as anybody can write one
        path.write_bytes(published(tmp_path, cohort(), "other").read_bytes())
    with pytest.raises(InputError, match="cannot be read; move it away to have it made again"):
        dc.open(cohort(), in_folder(tmp_path), study="cohort").histogram("age")


def test_a_copy_beside_the_data_is_no_study_file_by_another_name(tmp_path: Path) -> None:
    """Else it would be explored and saved, and nothing recorded."""
    dc.open(cohort(), in_folder(tmp_path), study="cohort").histogram("age")
    (path,) = (tmp_path / ".discreet").glob("whole-*.copy")
    named = path.rename(tmp_path / "cohort.discreet")
    for opening in (dc.open, dc.check, open_study_file):
        with pytest.raises(InputError, match="keeps beside the data, and no study file"):
            opening(named)
