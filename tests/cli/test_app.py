"""The command line: its small commands, and what it does with errors nobody expects."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import discreet as dc
from discreet import cli

Run = Callable[..., tuple[int, str, str]]


def test_methods_are_listed_with_what_they_work_on(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    code, out, _ = run("methods")
    assert code == 0
    cells = [[cell.strip() for cell in line.split("│")] for line in out.splitlines()]
    works_on = {cell[1]: cell[2] for cell in cells if len(cell) > 3 and cell[1]}
    assert works_on["rounding"] == works_on["microaggregation"] == "rows"
    assert works_on["suppression"] == works_on["generalization"] == "counts"
    assert works_on["column-rounding"] == "columns"
    assert "does not protect" in out


def test_an_unexpected_error_tells_where_and_not_what(
    run: Run, cohort: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ValueError("could not convert 'Alice Canary'")

    monkeypatch.setattr("discreet.explore.Study.histogram", broken)
    code, out, err = run("plot", "histogram", str(cohort), "bmi", "--json")
    assert code == 70
    assert "unexpected ValueError" in err
    assert "Canary" not in out + err


def test_example_does_not_overwrite(run: Run, cohort: Path, tmp_path: Path) -> None:
    for there in (cohort, tmp_path):
        code, _, err = run("example", str(there))
        assert code == 2
        assert "already" in err


def test_example_is_content_with_its_own_file(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "again.csv"
    assert run("example", str(path))[0] == 0
    first = path.read_bytes()
    assert run("example", str(path))[0] == 0
    assert path.read_bytes() == first


HEAVY = ("numpy", "numba", "scipy", "matplotlib", "pyarrow", "duckdb", "sklearn", "narwhals")


@pytest.mark.slow
def test_importing_is_light() -> None:
    script = f"import sys, discreet.cli; print([m for m in {HEAVY!r} if m in sys.modules])"
    command = [sys.executable, "-c", script]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "[]\n"


def test_it_says_its_version(run: Run) -> None:
    assert run("--version") == (0, f"discreet {dc.__version__}\n", "")


@pytest.mark.parametrize("words", [[], ["version"], ["policy"], ["token"]])
def test_without_a_command_the_help_is_printed(run: Run, words: list[str]) -> None:
    code, out, err = run(*words)
    assert (code, err) == (2, "")
    assert " Usage: " in out


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["draw"], "No such command 'draw'. See discreet --help.\n"),
        (["tune"], "Missing argument 'file'. See discreet tune --help.\n"),
        (["anonymize"], "Missing argument 'file'"),
        (["round", "a.csv", "--per-column", "3"], "Got unexpected extra argument"),
        (["means", "a.csv", "x", "--by"], "No such option: --by. See discreet means --help.\n"),
        (["version", "old"], "No such command 'old'. See discreet version --help.\n"),
    ],
)
def test_a_wrong_word_is_one_line_on_standard_error(run: Run, words: list[str], text: str) -> None:
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert err.startswith("discreet: ")
    assert text in err
    assert err.count("\n") == 1


URL = "postgresql:/bob:hunter2@db/clinic?table=t&password=hunter2"
"""With one slash, as what takes it for a path writes it."""


@pytest.mark.parametrize(
    "words",
    [
        ["columns", URL],
        ["summary", "host=db password=hunter2"],
        ["evaluate", URL, URL],
        ["policy", "init", URL, "-o", "new.toml"],
        ["forget", "--policy", URL],
        ["forget", "--policy", f"{URL}.toml"],
        ["columns", "cohort.csv", URL],
        ["columns", "bob:hunter2@db/clinic"],
        ["columns", f"--data={URL}"],
        [URL],
    ],
)
def test_no_message_repeats_a_password(run: Run, words: list[str]) -> None:
    code, out, err = run(*words)
    assert code == 2
    assert err.startswith("discreet: ")
    assert "hunter2" not in out + err


@pytest.mark.slow
def test_what_protects_a_table_for_a_server_repeats_no_password(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["discreet", "serve", URL, "--no-token", "--port", "0"]
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit, match=r"^2$"):
        cli.main()
    told = capfd.readouterr()
    assert told.out == ""
    assert told.err.startswith("discreet: ")
    assert "hunter2" not in told.err
