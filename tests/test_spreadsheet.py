"""No text of a file that discreet writes is run by a spreadsheet, and numbers stay numbers."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import discreet as dc
from discreet.measure import compare
from discreet.spreadsheet import as_meant, as_text

LEVELS = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\tx", "\ry", "x\r=1", "plain", "a=b"]


@pytest.mark.parametrize("text", LEVELS)
def test_a_text_that_would_run_is_marked(text: str) -> None:
    marked = as_text(text)
    assert marked == (text if text in ("plain", "a=b", "x\r=1") else f"'{text}")
    assert as_meant(marked) == text


@pytest.mark.parametrize(
    "text", ["-2.83", "+5", "1,234.5", "-1,234", "2e-5", "-.5", "-12.5 %", "", "'tis", "–"]
)
def test_a_number_stays_one(text: str) -> None:
    assert as_text(text) == as_meant(text) == text


def cells(text: str, sign: str = ",") -> list[str]:
    return [
        cell for line in csv.reader(io.StringIO(text, newline=""), delimiter=sign) for cell in line
    ]


def frame() -> pd.DataFrame:
    random, n = np.random.default_rng(5), 400
    return pd.DataFrame(
        {
            "=age": random.integers(20, 90, n),
            "change": random.normal(-3, 4, n).round(1),
            "note": random.choice(LEVELS, n),
        }
    )


@pytest.mark.slow
@pytest.mark.parametrize(("suffix", "sign"), [(".csv", ","), (".tsv", "\t")])
def test_a_released_table_runs_nothing_and_is_read_back(
    suffix: str, sign: str, tmp_path: Path
) -> None:
    raw = frame()
    release = dc.open(raw, study="cells", unit=False).anonymize()
    path = release.save(tmp_path / f"released{suffix}")
    found = cells(path.read_bytes().decode(), sign)
    assert {as_meant(it) for it in found} >= {*LEVELS, "=age"}
    assert all(as_text(as_meant(it)) == it for it in found)
    assert any(it.startswith("-") and float(it) < 0 for it in found)
    report = compare(raw, path, same_rows=False)
    assert (report.made["columns"], report.made["levels"]) == (["=age", "change"], ["note"])


def test_tables_of_figures_run_nothing() -> None:
    study = dc.open(frame(), study="cells", unit=False)
    for table in (study.summary(by="note"), study.means("change", "note")):
        found = cells(table.to_csv())
        assert {as_meant(it) for it in found} >= {"=1+1", "-2+3", "@SUM(A1)"}
        assert all(as_text(as_meant(it)) == it for it in found)
