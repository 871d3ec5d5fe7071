"""A table of figures as a file of Excel, Stata and SPSS, and how it is recognised again."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import openpyxl
import pyreadstat
import pytest

import discreet as dc
from discreet.errors import InputError, RefusedError
from discreet.estimates.copy_table import CopyTable, Line
from discreet.estimates.figures import Figure
from discreet.lines import WORKBOOKS
from discreet.render.workbook import as_labelled
from tests.ready import opened_once

READERS = {".dta": pyreadstat.read_dta, ".sav": pyreadstat.read_sav}
GROUPS = [(("sex", it),) for it in ("=1+1", "m")]
TABLE = CopyTable(
    "means",
    "Means of bmi",
    ("sex", "sex"),
    ("mean", "95 % interval"),
    (Line("", "=1+1", ("20.5", "20 to 21")), Line("", "m", ("–", "–"))),
    ("a note",),
    (
        Figure("bmi", None, GROUPS[0], "mean", 20.5),
        Figure("bmi", None, GROUPS[0], "rows of the copy", 12.0),
        Figure("bmi", None, GROUPS[1], "mean", None),
    ),
    {"sex": "Sex at birth"},
)


def test_a_workbook_has_the_table_its_numbers_and_its_notes(tmp_path: Path) -> None:
    book = openpyxl.load_workbook(TABLE.save(tmp_path / "t.xlsx"))

    sheets = {it.title: [[*row] for row in it.iter_rows(values_only=True)] for it in book}
    assert sheets["table"] == [
        ["sex", "mean", "95 % interval"],
        ["=1+1", "20.5", "20 to 21"],
        ["m", "–", "–"],
    ]
    assert sheets["numbers"][1:] == [["=1+1", 20.5, 12], ["m", None, None]]
    assert sheets["notes"] == [["notes"], ["a note"]]
    assert book["table"]["A2"].data_type == "s"  # and is no formula


@pytest.mark.parametrize("suffix", READERS)
def test_numbers_have_labels_and_names_that_the_program_takes(suffix: str, tmp_path: Path) -> None:
    frame, about = READERS[suffix](str(TABLE.save(tmp_path / f"t{suffix}")))

    assert [*frame.columns] == ["sex", "mean", "rows_of_the_copy"]
    assert about.column_labels == ["Sex at birth", "mean", "rows of the copy"]
    assert about.file_label == "Means of bmi"
    assert [*frame["sex"]] == ["=1+1", "m"]
    assert frame["mean"][0] == 20.5
    assert math.isnan(frame["mean"][1])


@pytest.mark.parametrize("suffix", READERS)
def test_names_that_would_be_the_same_differ(suffix: str, tmp_path: Path) -> None:
    columns = [("a b", [1.0]), ("A-B", [2.0]), ("x" * 70, [3.0]), ("x" * 70 + "y", [4.0])]

    (tmp_path / f"t{suffix}").write_bytes(as_labelled(columns, suffix, "t", {}))

    frame, _ = READERS[suffix](str(tmp_path / f"t{suffix}"))
    assert len({it.lower() for it in frame.columns}) == 4
    assert frame.iloc[0].tolist() == [1.0, 2.0, 3.0, 4.0]


@pytest.mark.parametrize("suffix", WORKBOOKS)
def test_what_may_not_be_released_is_not_written(suffix: str, tmp_path: Path) -> None:
    def refuse(form: str, *_: object) -> None:
        raise RefusedError(f"not as {form}")

    with pytest.raises(RefusedError, match=f"not as {suffix[1:]}"):
        replace(TABLE, gate=refuse).save(tmp_path / f"t{suffix}")
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("suffix", WORKBOOKS)
def test_a_released_file_is_recognised_and_one_that_was_changed_is_not(
    suffix: str, tmp_path: Path
) -> None:
    study = opened_once("workbook", lambda: dc.open(dc.datasets.diabetes(), study="workbook"))
    path = study.means("bmi", "sex").save(tmp_path / f"t{suffix}")

    assert study.verify(path).verdict == "as made"
    path.write_bytes(path.read_bytes() + b" ")
    assert study.verify(path).verdict == "unknown"


def test_without_what_writes_it_its_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openpyxl", None)

    with pytest.raises(InputError, match=r"discreet\[excel\]"):
        TABLE.to_workbook(".xlsx")


def test_a_file_names_no_day_so_the_same_table_is_the_same_file(tmp_path: Path) -> None:
    book = openpyxl.load_workbook(TABLE.save(tmp_path / "t.xlsx"))
    assert {book.properties.created.year, book.properties.modified.year} == {1980}
    with ZipFile(tmp_path / "t.xlsx") as packed:
        assert {it.date_time[0] for it in packed.infolist()} == {1980}
    for suffix, reader in READERS.items():
        _, said = reader(TABLE.save(tmp_path / f"t{suffix}"))
        assert said.creation_time.year == 1980
