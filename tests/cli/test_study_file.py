"""`discreet protect`, and the commands that take the file in place of the table."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import typer

from discreet.cli.app import app
from discreet.cli.complete import column_names
from tests.cli.conftest import Run


def test_it_says_what_it_wrote_who_signed_it_and_what_to_send(
    run: Run, cohort: Path, tmp_path: Path
) -> None:
    path = tmp_path / "cohort.discreet"
    code, out, err = run("protect", str(cohort), "--no-unit", "-o", str(path))
    first, *_, signed, send = out.splitlines()
    assert (code, err) == (0, "")
    assert first.startswith(f"{path}: ")
    assert first.endswith(" 0.1 MB")
    assert " rows of the copy, 12 columns, " in first
    assert "Send the file, and pass on the line above by another channel" in send
    checked = json.loads(run("check", str(path), "--json")[1])
    assert signed == f"signed by {checked['fingerprint']}"
    assert (checked["study"], checked["k"], checked["m"]) == ("cohort.csv", 5, 20)
    assert "study file" in run("log", "--released")[1]


REFUSED = {
    "another ending": (["-o", "cohort.zip"], 2, "the copy is saved as one of '.discreet', '.csv'"),
    "a file that is there": (["-o", "{cohort}.discreet"], 2, "there is a file"),
    "a report of no table": (
        ["--report", "r.html", "-o", "a.discreet"],
        2,
        "--report is of the copy as a table; name one: -o COPY.csv",
    ),
    "rows of no table": (
        ["--where", "age > 50", "-o", "a.discreet"],
        2,
        "--where is of the copy as a table",
    ),
    "a public table as a table": (
        ["--public", "-o", "a.csv"],
        2,
        "--public is of study files; name one",
    ),
    "a report alone": (["--report", "r.html"], 2, "a report is released with its table"),
}


@pytest.mark.parametrize(("words", "code", "says"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(run: Run, cohort: Path, words: list[str], code: int, says: str) -> None:
    cohort.with_suffix(".csv.discreet").write_text("of somebody")
    found = run("protect", str(cohort), "--no-unit", *(it.format(cohort=cohort) for it in words))
    assert found[0] == code
    assert says in found[2]


CALLS: dict[str, tuple[str, ...]] = {
    "plot": ("plot", "histogram", "FILE", "bmi", "--bins", "7", "--json"),
    "plot that is chosen": ("plot", "auto", "FILE", "age", "bmi", "--json"),
    "summary": ("summary", "FILE", "--by", "sex"),
    "model": ("model", "FILE", "glucose ~ age + C(sex)"),
    "columns": ("columns", "FILE"),
    "fidelity": ("fidelity", "FILE"),
}


@pytest.mark.parametrize("name", CALLS)
def test_command_takes_the_file_in_place_of_the_table(
    run: Run, cohort: Path, study_file: Path, name: str
) -> None:
    words = [str(cohort) if it == "FILE" else it for it in CALLS[name]]
    expected = run(*words, "--no-unit")
    cohort.unlink()
    found = run(*(str(study_file) if it == "FILE" else it for it in CALLS[name]))
    assert (found[0], found[2]) == (0, expected[2]), found
    if "--json" in words:
        made, told = json.loads(found[1]), json.loads(expected[1])
        assert made.pop("provenance") != told.pop("provenance")
        assert made == told
    else:
        assert found[1] == expected[1]


def test_figures_and_board_of_it_are_saved(
    run: Run, cohort: Path, study_file: Path, tmp_path: Path
) -> None:
    cohort.unlink()
    for words in (
        ("plot", "scatter", str(study_file), "age", "bmi", "-o", "a.svg"),
        ("plot", "scatter", str(study_file), "age", "bmi", "-o", "a.png", "--width", "85"),
        ("means", str(study_file), "bmi", "sex", "-o", "b.csv", "-o", "b.svg"),
        ("board", str(study_file), "-o", "c.html"),
        ("fidelity", str(study_file), "-o", "d.html"),
    ):
        named = [str(tmp_path / it) if it[1:2] == "." else it for it in words]
        code, _, err = run(*named)
        assert (code, err) == (0, "")
    assert {it.name for it in tmp_path.glob("?.*")} == {
        *("a.svg", "a.png", "b.csv", "b.svg", "c.html", "d.html")
    }
    assert "scatter" not in run("log", "--released")[1]


WRONG = {
    "a policy": (("summary", "FILE", "--policy", "sacro"), 2, "leave --policy out"),
    "k": (("plot", "histogram", "FILE", "bmi", "-k", "7", "--json"), 2, "leave --k out"),
    "a unit": (("columns", "FILE", "--unit", "age"), 2, "leave --unit out"),
    "exact figures": (("fidelity", "FILE", "--exact"), 3, "a study file has none"),
    "a table": (("protect", "FILE", "-o", "x.csv"), 3, "is a file, which contains protected rows"),
    "a table of the papers": (
        ("anonymize", "FILE", "-o", "x.csv"),
        2,
        "the papers' methods need a table, and this is a study file",
    ),
}


@pytest.mark.parametrize(("words", "code", "says"), WRONG.values(), ids=WRONG)
def test_what_is_refused_of_a_file(
    run: Run,
    study_file: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    code: int,
    says: str,
) -> None:
    monkeypatch.chdir(study_file.parent)
    found = run(*(str(study_file) if it == "FILE" else it for it in words))
    assert found[0] == code, found
    assert says in found[2]
    assert found[2].count("\n") == 1
    assert not [*study_file.parent.glob("x.*")]


def test_file_that_was_changed_is_refused(run: Run, study_file: Path) -> None:
    whole = bytearray(study_file.read_bytes())
    whole[whole.index(b"PAR1") + 400] ^= 1
    study_file.write_bytes(whole)
    code, _, err = run("summary", str(study_file))
    assert code == 2
    assert "was changed" in err


@pytest.mark.slow
def test_it_says_so_as_json(run: Run, cohort: Path, tmp_path: Path, policy: str) -> None:
    path = tmp_path / "cohort.discreet"
    words = ["--policy", policy, "--study", "ours", "--no-unit", "-o", str(path), "--json"]
    code, out, err = run("protect", str(cohort), *words)
    told = json.loads(out)
    assert (code, err) == (0, "")
    assert (told["path"], told["study"], told["columns"]) == (str(path), "ours", 12)
    assert told["bytes"] == path.stat().st_size
    assert set(told) == {
        *("path", "study", "version", "rows", "columns", "persons", "bytes"),
        *("fingerprint", "content"),
    }
    assert Path(os.environ["DISCREET_CONFIG"], "discreet.signing-key").exists()


@pytest.mark.slow
def test_columns_of_a_file_are_completed(study_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMP_WORDS", f"discreet means {study_file} b")
    context = typer.Context(typer.main.get_command(app))
    assert column_names(context, "b") == ["bmi", "blood_pressure"]
    assert column_names(context, "patient") == []
