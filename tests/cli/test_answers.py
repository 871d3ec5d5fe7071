"""`discreet ask`, `answer` and `answers`, on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.csv as pc
import pytest

from tests.answers.conftest import cohort
from tests.cli.conftest import Run

TABLE = cohort(1000)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> Path:
    """A folder with a table and the study file that was published of it."""
    pc.write_csv(TABLE, tmp_path / "cohort.csv")
    monkeypatch.chdir(tmp_path)
    assert run("protect", "cohort.csv", "--study", "cohort", "-o", "cohort.discreet")[0] == 0
    return tmp_path


def test_a_question_is_asked_answered_and_read(folder: Path, run: Run) -> None:
    _, said, _ = run("ask", "bars", "cohort.discreet", "sex", "--by", "smoker")
    assert said.splitlines()[:2] == ["questions.json", "1 question on cohort:"]
    more = ["model", "cohort.discreet", "bmi ~ age", "--holds", "age > 0"]
    assert "2 questions on cohort" in run("ask", *more)[1]
    listed = json.loads((folder / "questions.json").read_text())
    assert [it["says"] for it in listed["questions"]] == [
        "the bars of sex by smoker",
        'does "age > 0" hold in the linear model bmi ~ age?',
    ]

    _, dry, _ = run(
        "answer", "cohort.csv", "questions.json", "--study", "cohort.discreet", "--dry-run"
    )
    assert "dry run: nothing was written" in dry
    assert "People: the bars of sex by smoker" in dry
    assert json.loads(run("answers", "cohort.discreet", "--json")[1]) == []

    _, done, _ = run(
        "answer", "cohort.csv", "questions.json", "--study", "cohort.discreet", "--json"
    )
    made = json.loads(done)
    assert [it["outcome"] for it in made["questions"]] == ["answered", "answered"]
    assert 0.5 < made["membership"]["alone"] < 0.6

    id_ = listed["questions"][0]["id"]
    assert f"{id_}  from the data" in run("answers", "cohort.discreet")[1]
    _, shown, _ = run("answers", "cohort.discreet", id_, "-o", "bars.svg")
    assert shown.startswith("From the data: the bars of sex by smoker")
    assert "<svg" in (folder / "bars.svg").read_text()


WRONG: tuple[tuple[list[str], str], ...] = (
    (["ask", "scatter", "cohort.discreet", "age", "bmi"], "the data cannot be asked for"),
    (["ask", "means", "cohort.discreet", "bmi"], "means takes a number and one or two columns"),
    (["ask", "model", "cohort.discreet", "bmi", "age"], "a model takes one formula"),
    (["ask", "bars", "cohort.discreet", "sex", "--bins", "3"], "bars has no --bins"),
    (["ask", "bars", "cohort.discreet", "sex", "--holds", "F"], "a statement compares names"),
    (
        ["ask", "histogram", "cohort.discreet", "age", "--where", "bmi > 25.01"],
        "cuts bmi between the steps of the grid",
    ),
    (["answers", "cohort.discreet", "none"], "there is no answer 'none'"),
    (["answers", "cohort.discreet", "-o", "a.csv"], "say which answer to save"),
    (["answer", "cohort.csv", "none.json", "--study", "cohort.discreet"], "cannot be read"),
)


def test_what_cannot_be_done_is_said_in_a_sentence(folder: Path, run: Run) -> None:
    for arguments, says in WRONG:
        code, _, error = run(*arguments)
        assert code != 0, arguments
        assert says in " ".join(error.split())


def test_a_weighted_model_is_asked_for(folder: Path, run: Run) -> None:
    more = ["bmi ~ age", "--family", "poisson", "--weights", "time"]
    assert run("ask", "model", "cohort.discreet", *more)[0] == 0
    (listed,) = json.loads((folder / "questions.json").read_text())["questions"]
    assert listed["says"] == "the poisson model bmi ~ age, weighted by time"
    code, _, error = run("ask", "bars", "cohort.discreet", "sex", "--weights", "time")
    assert code != 0
    assert "bars has no --weights" in error


def test_a_ratio_is_asked_for(folder: Path, run: Run) -> None:
    assert run("ask", "means", "cohort.discreet", "died", "sex", "--per", "time")[0] == 0
    (listed,) = json.loads((folder / "questions.json").read_text())["questions"]
    assert listed["says"] == "died per time by sex"
    code, text, _ = run("means", "cohort.discreet", "died", "sex", "--per", "time")
    assert (code, "died = yes per time" in text) == (0, True)
