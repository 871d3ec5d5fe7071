"""`discreet attack`: attacks on a released table, and on a copy that is made for it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from discreet.release import Release
from tests.cli.conftest import Run

pytestmark = pytest.mark.usefixtures("no_intervals")


@pytest.fixture
def tables(tmp_path: Path) -> tuple[Path, Path]:
    """A table, and one that was released of it: with a little noise."""
    random = np.random.default_rng(0)
    raw = pd.DataFrame({"age": random.normal(50, 9, 120), "bmi": random.normal(25, 4, 120)})
    raw["sex"] = np.where(raw["age"] > 48, "f", "m")
    paths = tmp_path / "raw.csv", tmp_path / "released.csv"
    raw.to_csv(paths[0], index=False)
    noise = raw.assign(age=raw["age"] + random.normal(0, 0.1, 120))
    noise.to_csv(paths[1], index=False)
    return paths


def test_a_released_table_is_attacked(run: Run, tables: tuple[Path, Path]) -> None:
    code, out, err = run("attack", *map(str, tables), "--same-rows", "--json")
    assert (code, err) == (0, "")
    told = json.loads(out)
    assert told["title"] == "Attacks on released.csv, made of raw.csv"
    found = {attack["name"]: attack["found"] for attack in told["attacks"]}
    assert found["linkage"]["share"] > 0.9
    assert found["linkage"]["allowed"] == 0.2
    assert found["numbers by rows"]["verdict"].startswith("beats a released row")


def test_rows_that_are_nobodys_are_not_linked(run: Run, tables: tuple[Path, Path]) -> None:
    code, out, _ = run("attack", *map(str, tables), "--drop", "bmi", "-k", "10")

    assert code == 0
    assert "record linkage: it is not known for which raw row" in " ".join(out.split())
    assert "bmi" not in out


@pytest.mark.slow
def test_a_copy_is_made_and_attacked(run: Run, tables: tuple[Path, Path], tmp_path: Path) -> None:
    page = tmp_path / "attacks.html"
    code, out, _ = run(
        "attack", str(tables[0]), "--no-unit", "--pairs", "0", "--rounded", "-o", str(page)
    )
    assert code == 0
    assert out.startswith(f"{page}\nAttacks on the copy of raw.csv")
    assert "Shares are rounded to 5 points" in out
    assert "<h1>Attacks on the copy of raw.csv</h1>" in page.read_text()
    assert not [*tmp_path.glob("*register*")]  # nothing is released, and nothing recorded


@pytest.mark.slow
def test_who_left_is_measured_and_nothing_else(run: Run, tables: tuple[Path, Path]) -> None:
    code, out, _ = run("attack", str(tables[0]), "--no-unit", "--versions", "3", "--json")
    assert code == 0
    told = json.loads(out)
    assert [attack["title"] for attack in told["attacks"]] == ["Who left between 3 versions"]
    assert told["release"] is False


@pytest.mark.slow
def test_a_version_is_measured_before_it_is_opened(run: Run, tables: tuple[Path, Path]) -> None:
    version = ("version", "new", str(tables[0]), "--no-unit")
    code, out, _ = run(*version, "--measure")
    assert code == 0
    assert "Who left between 2 versions" in out
    code, _, err = run(*version)  # nothing was opened, as nothing has been released
    assert code != 0
    assert "nothing of study" in err


def test_a_copy_is_released_with_its_attacks(
    run: Run, tables: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Release.with_attacks, "__defaults__", (0,))  # no pairs: they take long
    report = tmp_path / "report.txt"
    copy = ("protect", str(tables[0]), "--no-unit", "--attacks")
    code, out, _ = run(*copy, "-o", str(tmp_path / "copy.csv"), "--report", str(report))
    assert code == 0
    assert "Attacks that were tried\n-----" in out
    assert "Shares are rounded to 5 points" in report.read_text()


def test_tables_of_research_are_not_attacked(run: Run, tables: tuple[Path, Path]) -> None:
    words = ("--no-unit", "--columns", "age,bmi")
    code, _, err = run("anonymize", str(tables[0]), *words, "--attacks")
    assert code == 2
    assert "No such option: --attacks" in err
    code, _, err = run("attack", str(tables[0]), "--policy", "research", "--no-unit")
    assert code == 2
    assert "a policy with papers is for the papers' methods" in err


REFUSED = {
    "same rows of nothing": (["--same-rows"], "--same-rows is for a released table"),
    "another ending": (["-o", "attacks.pdf"], "is saved as one of"),
    "few pairs": (["--no-unit", "--pairs", "3"], "pairs must be 0 or at least 10"),
    "m of a released table": (["R", "--m", "10"], "--m is for a copy that is made here"),
    "versions of a released table": (["R", "--versions", "2"], "--versions is for a copy"),
    "one version": (["--no-unit", "--versions", "1"], "versions must be a whole number"),
    "numbers": (["R", "--kinds", "x=continuous"], "--kinds names codes that are levels here"),
    "a column that is not there": (["R", "--drop", "x"], "drop names columns that the table lacks"),
}


@pytest.mark.parametrize(("words", "says"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(run: Run, tables: tuple[Path, Path], words: list[str], says: str) -> None:
    given = [str(tables[1]) if word == "R" else word for word in words]
    code, _, err = run("attack", str(tables[0]), *given)
    assert code == 2
    assert says in err
