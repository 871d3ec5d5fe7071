"""The README works when pasted, and so do the pages that took over parts of it."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from discreet.cli.app import app, main

ROOT = Path(__file__).parents[1]
#: What is run: the README, and pages that go on with its cohort.
PAGES = "\n".join(
    (ROOT / page).read_text(encoding="utf-8")
    for page in ("README.md", "docs/policy.md", "docs/rounding.md")
)


def blocks(language: str) -> list[str]:
    """Return the fenced blocks of one language that stand by themselves."""
    return re.findall(rf"^```{language}\n(.*?)^```", PAGES, flags=re.DOTALL | re.MULTILINE)


def test_the_shell_commands_are_known() -> None:
    for line in "".join(blocks("sh")).splitlines():
        name, *words = shlex.split(line)
        assert name == "discreet"
        command: Any = typer.main.get_command(app)
        while hasattr(command, "commands"):
            command = command.commands[words.pop(0)]
        command.make_context(name, words)  # reads the words and runs nothing


@pytest.mark.slow
def test_the_shell_commands_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "discreet.toml").write_text(blocks("toml")[0])
    monkeypatch.chdir(tmp_path)
    first, *others = "".join(blocks("sh")).splitlines()
    command = [sys.executable, "-m", *shlex.split(first)]  # as a shell does; the others in here
    assert subprocess.run(command, check=False).returncode == 0
    for line in others:
        monkeypatch.setattr(sys, "argv", shlex.split(line))
        assert sys.argv[0] == "discreet"
        code: object = 0
        try:
            main()
        except SystemExit as ended:
            code = ended.code
        assert code in (None, 0), (line, capsys.readouterr().err)
    assert {path.name for path in tmp_path.iterdir()} == {
        "cohort.csv",
        "cohort.discreet",
        "discreet.toml",
        "discreet.register",
        ".discreet",
        "scatter.svg",
        "histogram.png",
        "heatmap.pdf",
        "box.png",
        "clinic.toml",
        "compare.html",
        "map.html",
        "parallel.html",
        "released.csv",
        "report.html",
        "by-sex.svg",
        "from-file.svg",
        "older.png",
    }


# Of each block: what it prints, and what it writes.
PYTHON: tuple[tuple[str, set[str]], ...] = (
    ("How near the copy is: ", {"age-glucose.svg", "bmi.svg", "hdl.png", "ratio.svg"}),
    ("is a study file of discreet", {"diabetes.discreet", "from-file.png"}),
    ("What somebody could learn about a person", {"patients.parquet", "patients.html"}),
    ("RoundingSet(optimal, 24 points)", set()),
)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(PYTHON)))
def test_the_python_runs(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = blocks("python")
    assert len(found) == len(PYTHON)
    says, writes = PYTHON[number]
    monkeypatch.chdir(tmp_path)
    exec(found[number], {"__name__": "__main__"})
    assert says in capsys.readouterr().out
    assert {path.name for path in tmp_path.iterdir()} == writes


def test_the_policy_loads(tmp_path: Path) -> None:
    import discreet as dc

    block, *_ = blocks("toml")
    path = tmp_path / "discreet.toml"
    path.write_text(block)
    policy = dc.Policy.load(path)
    assert (policy.k, policy.rows_by, policy.limits) == (10, "whole", {"age": (18, 90)})


DOCS = ["README.md", *(str(it.relative_to(ROOT)) for it in sorted((ROOT / "docs").rglob("*.md")))]


@pytest.mark.parametrize("page", DOCS)
def test_links_lead_somewhere(page: str) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", (ROOT / page).read_text(encoding="utf-8"))
    assert [it for it in links if not ((ROOT / page).parent / it).exists()] == []


def test_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for target in set(
        re.findall(r"make ([a-z]+)", "\n".join((ROOT / page).read_text("utf-8") for page in DOCS))
    ):
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), target
