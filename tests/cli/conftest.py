"""The command line called in this process, a public cohort and a policy for it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from discreet import cli
from discreet.custodian import session
from tests.forked import COMMAND, ran

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def files(files_are_kept: None) -> None:
    """Keep the file of each copy for the tests that follow."""


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Call the command line in this process; return exit code, standard output and error."""

    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["discreet", *words])
        code: object = 0
        try:
            cli.main()
        except SystemExit as ended:
            code = ended.code
        out, err = capsys.readouterr()
        return (code if isinstance(code, int) else 0), out, err

    return call


@pytest.fixture
def protected_by_a_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `serve` protect a table in a process that has imported everything."""

    others = subprocess.run  # which libraries call as well

    def run(words: list[str], **given: Any) -> subprocess.CompletedProcess[str]:
        if "discreet" not in words:
            return others(words, **given)
        code, _out, err = ran(COMMAND, *words[words.index("discreet") + 1 :])
        sys.stderr.write(err)
        return subprocess.CompletedProcess(words, code)

    monkeypatch.setattr("discreet.cli.server.subprocess.run", run)


@pytest.fixture
def policy(tmp_path: Path) -> str:
    """Write a policy file, beside which the register lies."""
    path = tmp_path / "ours.toml"
    path.write_text("k = 6\n")
    return str(path)


COHORT: list[str] = []


@pytest.fixture
def cohort(tmp_path: Path, run: Run) -> Path:
    """A public cohort as a CSV file, with a column of levels more."""
    path = tmp_path / "cohort.csv"
    if not COHORT:  # the command writes the same each time
        assert run("example", str(path))[0] == 0
        head, *rows = path.read_text().splitlines()
        groups = [f"{line.split(',')[0][0]}0s" for line in rows]  # age is the first column
        lines = [f"{head},age_group", *map(",".join, zip(rows, groups, strict=True))]
        COHORT.append("\n".join(lines) + "\n")
    path.write_text(COHORT[0])
    return path


#: By how many copies of the copy are made.
STUDY: dict[int, bytes] = {}


@pytest.fixture
def study_file(run: Run, cohort: Path, tmp_path: Path) -> Path:
    """The same cohort as a study file, protected once in a run: for what releases nothing."""
    path = tmp_path / "sent.discreet"
    if session.AGAIN not in STUDY:
        code, _, err = run("protect", str(cohort), "--no-unit", "-o", str(path))
        assert (code, err) == (0, "")
        STUDY[session.AGAIN] = path.read_bytes()
    path.write_bytes(STUDY[session.AGAIN])
    return path
