"""What is written is what is read, by discreet and by others, and the digests say so."""

from __future__ import annotations

import datetime as dt
import os
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from discreet.errors import InputError
from discreet.study_file import Column, Draft, open_study_file, write_study_file
from discreet.study_file import rows as rows_module
from discreet.study_file.archive import Archive
from discreet.study_file.signing import draw_key
from tests.study_file.files import COLUMNS, DRAFT, LEVELS, again_of, rows_of

KEY = draw_key()


def written(path: Path, rows: pa.Table | None = None, draft: Draft = DRAFT, size: int = 900) -> Any:
    table = rows_of(2_000) if rows is None else rows
    return write_study_file(path, draft, table.to_batches(max_chunksize=size), KEY)


@pytest.fixture
def small_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups of 100 rows, so that 2,000 rows are three parts."""
    monkeypatch.setattr(rows_module, "MOST_ROWS_A_GROUP", 100)
    monkeypatch.setattr(rows_module, "LEAST_ROWS_A_GROUP", 10)


def test_rows_are_read_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "clinic.discreet"
    assert written(path).rows == 2_000
    with open_study_file(path) as file:
        assert file.columns(file.names).equals(rows_of(2_000))
        assert file.columns(("born", "age")).equals(rows_of(2_000).select(["born", "age"]))
        assert file.column("smoker").combine_chunks().dictionary.to_pylist() == list(LEVELS)
        assert file.nearness() == DRAFT.nearness
        assert (file.answers, file.answer("deaths-by-year")) == (
            ("deaths-by-year",),
            DRAFT.answers["deaths-by-year"],
        )
        assert file.manifest.columns == COLUMNS


def test_copies_of_the_copy_are_read_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "clinic.discreet"
    written(path)
    with open_study_file(path) as file:
        whole, lost = file.again()
        manifest = file.manifest
    assert whole.equals(again_of(80, seed=8))
    assert lost.equals(again_of(70, seed=9).drop_columns(["seen"]))
    assert whole["smoker"][0].as_py() == "(other)"
    assert [it.without for it in manifest.again] == [(), ("seen",)]
    assert (manifest.again_of, manifest.person_column) == (75, "age")
    assert manifest.remarks == DRAFT.remarks
    assert manifest.columns[0].remarks == ("of few people",)


@pytest.mark.usefixtures("small_groups")
def test_rows_of_several_parts_are_read_in_their_order(tmp_path: Path) -> None:
    path = tmp_path / "clinic.discreet"
    made = written(path)
    assert [it.name for it in made.row_entries] == [f"rows/0000{at}.parquet" for at in range(3)]
    with open_study_file(path) as file:
        assert file.columns(file.names).equals(rows_of(2_000))
        assert [it.num_rows for it in file.batches(["age"])] == [100] * 20


@pytest.mark.usefixtures("small_groups")
def test_rows_come_a_few_at_a_time_and_never_all_at_once(tmp_path: Path) -> None:
    taken = 0

    def batches() -> Iterator[pa.RecordBatch]:
        nonlocal taken
        for batch in rows_of(5_000).to_batches(max_chunksize=50):
            taken += 1
            yield batch

    groups = rows_module.group_rows(batches(), COLUMNS)
    assert next(groups).num_rows == 100
    assert taken == 2


def test_digest_hangs_on_values_and_not_on_how_they_are_packed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = written(tmp_path / "a")
    assert written(tmp_path / "b", size=17) == first
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    monkeypatch.setattr(rows_module, "MOST_ROWS_A_GROUP", 300)
    monkeypatch.setattr(rows_module, "LEAST_ROWS_A_GROUP", 10)
    monkeypatch.setattr("discreet.study_file.writing.own_version", lambda: "9.9")
    others = write_study_file(tmp_path / "c", DRAFT, [rows_of(2_000)], draw_key())
    assert (others.values, others.content) == (first.values, first.content)
    assert others.entries != first.entries


CHANGES: dict[str, Any] = {
    "version": {"version": "3"},
    "k": {"k": 4},
    "policy": {"policy": {"k": 5}},
    "label": {"columns": (replace(COLUMNS[0], label="Age"), *COLUMNS[1:])},
    "nearness": {"nearness": {"means": 0.6}},
    "copies of the copy": {"again": (again_of(80, seed=7),)},
    "of which rows": {"again_of": 76},
    "persons": {"person_column": None},
    "remarks": {"remarks": ()},
}


def test_another_word_is_another_content(tmp_path: Path) -> None:
    first = written(tmp_path / "a")
    for name, changed in CHANGES.items():
        other = written(tmp_path / "b", draft=replace(DRAFT, **changed))
        assert (other.values == first.values) > (other.content == first.content), name


def test_answers_may_be_added_to_the_same_content(tmp_path: Path) -> None:
    first = written(tmp_path / "a")
    other = written(tmp_path / "b", draft=replace(DRAFT, answers={}))
    assert (other.values, other.content) == (first.values, first.content)
    assert other.signature != first.signature


def test_one_value_less_is_another_digest(tmp_path: Path) -> None:
    table, first = rows_of(2_000), written(tmp_path / "a")
    for place, name in enumerate(table.column_names):
        values = table[name].to_pylist()
        values[next(at for at, it in enumerate(values) if it is not None)] = None
        field = pa.chunked_array([pa.array(values, table[name].type)])
        assert written(tmp_path / "b", table.set_column(place, name, field)).values != first.values


def test_the_two_zeros_are_one(tmp_path: Path) -> None:
    draft = Draft("s", "1", (Column("x", "continuous"),), k=3, m=5, persons=2, policy={})
    found = [
        written(tmp_path / str(zero), pa.table({"x": [zero, 1.0]}), draft) for zero in (0.0, -0.0)
    ]
    assert found[0] == found[1]


def test_duckdb_reads_the_rows_without_discreet(tmp_path: Path) -> None:
    path = tmp_path / "clinic.discreet"
    written(path)
    with zipfile.ZipFile(path) as archive:  # as `unzip` does
        assert archive.testzip() is None
        archive.extractall(tmp_path / "out")
    rows = f"read_parquet('{tmp_path}/out/rows/*.parquet')"
    with duckdb.connect() as connection:
        described = connection.sql(f"describe select * from {rows}").fetchall()
        assert [it[:2] for it in described] == [
            ("age", "DOUBLE"),
            ("smoker", "VARCHAR"),
            ("born", "DATE"),
            ("seen", "TIMESTAMP"),
        ]
        mean = connection.sql(
            f"select smoker, count(*), avg(age) from {rows} group by 1"
        ).fetchall()
        found = connection.sql(f"select * from {rows}").fetchall()
    table = rows_of(2_000)
    assert found == list(
        zip(*(table[name].to_pylist() for name in table.column_names), strict=True)
    )
    counted = {it[0].as_py(): it[1].as_py() for it in _pairs(table)}
    assert {level: count for level, count, _ in mean} == counted


def _pairs(table: pa.Table) -> Any:
    counts = table["smoker"].cast(pa.string()).value_counts()
    return [(it["values"], it["counts"]) for it in counts]


def test_file_says_no_day_path_or_user(tmp_path: Path) -> None:
    path = tmp_path / "clinic.discreet"
    written(path)
    with zipfile.ZipFile(path) as archive:
        assert {it.date_time for it in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        manifest = archive.read("manifest.json")
    whole = path.read_bytes()
    today = dt.datetime.now(tz=dt.UTC)
    for word in (str(tmp_path), os.environ.get("HOME", "/root"), f"{today:%Y-%m-%d}"):
        assert word.encode() not in manifest
        assert word.encode() not in whole


@pytest.mark.parametrize(
    ("again", "why"),
    [
        (rows_of(0), "no rows"),
        (rows_of(20_001), "more than so many columns leave"),
        (rows_of(80).rename_columns(["a", "b", "c", "d"]), "other columns"),
        (again_of(80, seed=8).set_column(1, "smoker", pa.array(["canary"] * 80)), "does not list"),
    ],
)
def test_copies_of_the_copy_that_do_not_fit_leave_no_file(
    tmp_path: Path, again: pa.Table, why: str
) -> None:
    with pytest.raises(InputError, match=why) as refused:
        written(tmp_path / "a", draft=replace(DRAFT, again=(again,)))
    assert "canary" not in str(refused.value)
    assert list(tmp_path.iterdir()) == []


REFUSED: dict[str, tuple[Any, str]] = {
    "no rows": (rows_of(0), "at least one row"),
    "another column": (rows_of(9).rename_columns(["a", "b", "c", "d"]), "other columns"),
    "another order": (rows_of(9).select(["smoker", "age", "born", "seen"]), "another order"),
    "a text": (rows_of(9).set_column(0, "age", pa.array(["canary"] * 9)), "not of the kind"),
    "NaN": (rows_of(9).set_column(0, "age", pa.array([float("nan")] * 9)), "not finite"),
    "a level": (rows_of(9).set_column(1, "smoker", pa.array(["canary"] * 9)), "does not list"),
}


@pytest.mark.parametrize(("rows", "why"), REFUSED.values(), ids=REFUSED)
def test_rows_that_do_not_fit_leave_no_file(tmp_path: Path, rows: pa.Table, why: str) -> None:
    path = tmp_path / "clinic.discreet"
    path.write_bytes(b"the one before")
    with pytest.raises(InputError, match=why) as refused:
        written(path, rows)
    assert "canary" not in str(refused.value)
    assert [it.name for it in tmp_path.iterdir()] == ["clinic.discreet"]
    assert path.read_bytes() == b"the one before"


def test_label_has_at_most_80_letters() -> None:
    assert replace(COLUMNS[0], label="a" * 80).label == "a" * 80
    with pytest.raises(InputError, match="the label of column 'age' is a text of 0 to 80 letters"):
        replace(COLUMNS[0], label="a" * 81)


def test_name_of_an_answer_leads_nowhere_else(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no study file has"):
        written(tmp_path / "a", draft=replace(DRAFT, answers={"../x": 1}))


def test_source_that_fails_half_way_leaves_no_file(tmp_path: Path) -> None:
    def batches() -> Iterator[pa.Table]:
        yield rows_of(100)
        raise RuntimeError("the disk is gone")

    with pytest.raises(RuntimeError, match="disk"):
        write_study_file(tmp_path / "a", DRAFT, batches(), KEY)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full disk to try it on")
def test_disk_that_is_full_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(InputError, match="cannot be written"):
        written(tmp_path / "a")
    assert list(tmp_path.iterdir()) == []


# --- reading ------------------------------------------------------------------------------------


def test_only_what_is_asked_for_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "clinic.discreet"
    made = written(path, rows_of(30_000))
    read: list[tuple[str, int]] = []
    usual = Archive.read

    def watched(self: Archive, name: str, start: int = 0, size: int | None = None) -> bytes:
        found = usual(self, name, start, size)
        read.append((name, len(found)))
        return found

    monkeypatch.setattr(Archive, "read", watched)
    with open_study_file(path) as file:
        assert {name for name, _ in read} == {"manifest.json"}
        file.column("smoker")
        read.clear()
        file.column("smoker")  # its digest is known by now
    rows = sum(size for name, size in read if name.startswith("rows/"))
    assert rows < made.row_entries[0].size / 2


def test_file_that_changes_while_it_is_open_is_looked_at_again(tmp_path: Path) -> None:
    path = tmp_path / "clinic.discreet"
    written(path)
    with open_study_file(path) as file:
        file.column("age")
        whole = bytearray(path.read_bytes())
        whole[whole.index(b"PAR1") + 300] ^= 1
        path.write_bytes(whole)
        os.utime(path, ns=(1, 1))
        with pytest.raises(InputError, match="checksum"):
            file.column("age")


def test_unknown_names_are_answered_with_near_ones(tmp_path: Path) -> None:
    path = tmp_path / "clinic.discreet"
    written(path)
    with open_study_file(path) as file:
        with pytest.raises(InputError, match="did you mean 'smoker'"):
            file.column("smokr")
        with pytest.raises(InputError, match="did you mean 'deaths-by-year'"):
            file.answer("deaths-by-yaer")


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes")
def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, tmp_path / "none"):
        with pytest.raises(InputError, match=r"cannot be read|is not a study file"):
            open_study_file(path)


def test_file_above_two_gigabytes_has_larger_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 1_000)
    path = tmp_path / "clinic.discreet"
    written(path)
    assert b"PK\6\6" in path.read_bytes()
    with open_study_file(path) as file:
        assert file.columns(file.names).equals(rows_of(2_000))
