"""`discreet protect --public`: the rows of a public table go into the file as they are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyarrow.csv import read_csv

from discreet.study_file import open_study_file
from tests.cli.conftest import Run

ROWS = "site,level\n" + "".join(f"{('north', 'south')[n % 2]},{n / 8}\n" for n in range(80))


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A small table that anybody may have."""
    path = tmp_path / "rivers.csv"
    path.write_text(ROWS)
    return path


def test_the_rows_of_a_public_table_are_in_the_file_and_marked(
    run: Run, table: Path, tmp_path: Path
) -> None:
    path = tmp_path / "rivers.discreet"
    words = ("protect", str(table), "--public", "--no-unit", "-o", str(path))
    code, out, err = run(*words)
    assert (code, err) == (0, "")
    assert f"{path}: 80 rows of a PUBLIC table, 2 columns, " in out
    checked = json.loads(run("check", str(path), "--json")[1])
    assert (checked["study"], checked["k"], checked["m"]) == ("rivers.csv", 1, 1)
    code, out, _ = run("plot", "parallel", str(path), "level", "site", "--json")
    assert code == 0
    with open_study_file(path) as file:
        assert file.columns(["site", "level"]).to_pylist() == read_csv(table).to_pylist()


def test_of_a_public_table_no_copy_is_made(run: Run, table: Path, tmp_path: Path) -> None:
    path = tmp_path / "rivers.discreet"
    code, out, err = run("protect", str(table), "--public", "-m", "12", "-o", str(path))
    assert (code, out) == (2, "")
    assert "no copy is made of a public table; leave --m and --left-out out" in err
    assert not path.exists()
