"""`discreet board`: the protected copy as a page in one file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

pytestmark = pytest.mark.usefixtures("no_intervals")


@pytest.mark.slow
def test_it_writes_one_file_says_how_large_and_is_recorded(
    run: Run, cohort: Path, tmp_path: Path
) -> None:
    page = tmp_path / "board.html"
    code, out, err = run("board", str(cohort), "--no-unit", "-o", str(page))
    again = run("board", str(cohort), "--no-unit", "-o", str(tmp_path / "again.html"), "--json")[1]
    assert (code, err) == (0, "")
    rows = json.loads(again)["rows"]
    assert 400 < rows < 480
    assert out.startswith(f"{page}: {rows} rows of the copy, 12 columns, ")
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert "rows" in run("log", "--released")[1]


@pytest.mark.slow
def test_a_part_of_it_as_json(run: Run, cohort: Path, tmp_path: Path) -> None:
    page = tmp_path / "older.html"
    words = ["--where", "age >= 50", "--assign", "ratio=ldl / hdl", "-o", str(page), "--json"]
    code, out, _ = run("board", str(cohort), "--no-unit", *words)
    told = json.loads(out)
    assert code == 0
    assert told["rows"] < 380
    assert told == {
        "path": str(page),
        "rows": told["rows"],
        "columns": 13,
        "bytes": page.stat().st_size,
    }


REFUSED = {
    "nowhere": ([], 2, "say where to write the board"),
    "another ending": (["-o", "board.pdf"], 2, "a board is saved as one of"),
    "a file that is there": (["-o", "{cohort}.html"], 2, "there is a file"),
    "no copy": (
        ["--policy", "research", "-o", "board.html"],
        2,
        "a policy with papers is for the papers' methods",
    ),
}


@pytest.mark.parametrize(("words", "code", "says"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(run: Run, cohort: Path, words: list[str], code: int, says: str) -> None:
    cohort.with_suffix(".csv.html").write_text("of somebody")
    found = run("board", str(cohort), "--no-unit", *(it.format(cohort=cohort) for it in words))
    assert found[0] == code
    assert says in found[2]
    assert cohort.with_suffix(".csv.html").read_text() == "of somebody"
