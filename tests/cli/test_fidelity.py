"""`discreet fidelity`: how near the copy of a whole table is."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from discreet.measure import Fidelity
from tests.cli.conftest import Run

pytestmark = pytest.mark.usefixtures("no_intervals")


def test_it_says_how_near_the_copy_is_and_releases_nothing(run: Run, cohort: Path) -> None:
    code, out, err = run("fidelity", str(cohort), "--no-unit")
    assert (code, err) == (0, "")
    assert out.startswith("How near the copy is: ")
    assert "rows; figures are rounded up or down at random" in out
    assert "fidelity" not in run("log", "--released")[1]


def test_it_is_released_as_files_and_as_json(run: Run, cohort: Path, tmp_path: Path) -> None:
    page, plot = tmp_path / "near.html", tmp_path / "near.svg"
    code, out, err = run(
        "fidelity", str(cohort), "--no-unit", "-o", str(page), "-o", str(plot), "--json"
    )
    assert code == 0
    assert err == f"{page}, {plot}\n"
    assert Fidelity.from_json(out).word == json.loads(out)["word"]
    assert "<h1>How near the copy is: " in page.read_text()
    assert plot.stat().st_size > 1000
    assert "fidelity" in run("log", "--released")[1]


def test_exact_figures_are_looked_at_and_never_released(
    run: Run, cohort: Path, tmp_path: Path
) -> None:
    code, out, _ = run("fidelity", str(cohort), "--no-unit", "--exact")
    assert code == 0
    assert re.search(r"^- farthest numbers: \w+ mean [\d.,]+, in the copy", out, re.MULTILINE)
    assert "exact, for the custodian: not for release" in out
    assert "Raw beside copy" not in out
    for words in (["-o", str(tmp_path / "near.json")], ["--json"]):
        code, out, err = run("fidelity", str(cohort), "--no-unit", "--exact", *words)
        assert (code, out) == (4, "")
        assert "never released" in err
    assert not [*tmp_path.glob("near.*")]


def test_raw_beside_copy_is_shown_and_leaves_no_file(
    run: Run, cohort: Path, tmp_path: Path
) -> None:
    code, out, _ = run("fidelity", str(cohort), "--no-unit", "--exact", "--show")
    assert code == 0
    assert out.startswith("How near the copy is: ")
    assert re.search(r"^Raw beside copy$", out, re.MULTILINE)
    assert re.search(r"^\w+: off by [\d.]+ points.*\n-+\n +raw +copy\n", out, re.MULTILINE)
    assert max(map(len, out.splitlines())) <= 88
    assert "fidelity" not in run("log", "--released")[1]


REFUSED = {
    "another ending": (["-o", "near.csv"], "is saved as one of"),
    "raw beside copy, without exact": (["--show"], "--show is of exact figures, to look at"),
    "raw beside copy, as JSON": (["--exact", "--show", "--json"], "add --exact, and leave out"),
    "m below k": (["--no-unit", "-k", "5", "--m", "3"], "m must be at least k"),
}


@pytest.mark.parametrize(("words", "says"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(run: Run, cohort: Path, words: list[str], says: str) -> None:
    code, _, err = run("fidelity", str(cohort), *words)
    assert code == 2
    assert says in err
