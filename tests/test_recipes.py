"""Each recipe works when pasted: its blocks, in the order of the page, in an empty folder."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from discreet.cli.app import app, main

DOCS = Path(__file__).parents[1] / "docs"
PAGES = [DOCS / "five_minutes.md", *sorted((DOCS / "recipes").glob("*.md"))]
BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```", flags=re.DOTALL | re.MULTILINE)


def run_line(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run one command; a server would not end, so its words are only read."""
    name, *words = shlex.split(line)
    assert name == "discreet"
    if words[0] == "serve":
        command: Any = typer.main.get_command(app).commands["serve"]  # type: ignore[attr-defined]
        command.make_context("serve", words[1:])
        return
    monkeypatch.setattr(sys, "argv", [name, *words])
    code: object = 0
    try:
        main()
    except SystemExit as ended:
        code = ended.code
    assert code in (None, 0), line


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_a_recipe_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    text = page.read_text(encoding="utf-8")
    for language, block in BLOCK.findall(text):
        if language == "python":
            exec(block, names)
        else:
            for line in block.splitlines():
                run_line(line, monkeypatch)
    saved = re.findall(r'\.save\("([^"]+)"|-o (\S+)', text)
    assert {one or other for one, other in saved} <= {path.name for path in tmp_path.iterdir()}
