"""The page of questions: each line in Python and in the shell is answered, in any order."""

from __future__ import annotations

import random
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import numpy as np
import pandas as pd
import pytest

import discreet as dc

PAGE = (Path(__file__).parents[2] / "docs" / "questions.md").read_text(encoding="utf-8")
OPENING, *_, TABLE = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
QUESTION = re.compile(
    r"^(\d+)\. (.*?)\n *```python\n(.*?)^ *```\n *```sh\n(.*?)^ *```",
    flags=re.MULTILINE | re.DOTALL,
)
QUESTIONS = {
    int(number): (title, dedent(line).strip(), dedent(command).strip())
    for number, title, line, command in QUESTION.findall(PAGE)
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the table of the page, where lines and commands are run."""
    found = tmp_path_factory.mktemp("questions")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(found)
        exec(TABLE, {})
        yield found


def test_they_are_numbered_and_each_is_found() -> None:
    assert [*QUESTIONS] == [*range(1, len(QUESTIONS) + 1)]
    assert PAGE.count("```sh") == len(QUESTIONS)


def test_each_line_is_answered_in_any_order(folder: Path) -> None:
    names: dict[str, Any] = {}
    exec(OPENING, names)
    numbers = random.Random(18).sample([*QUESTIONS], len(QUESTIONS))

    for number in numbers:
        _, line, _ = QUESTIONS[number]
        answer = eval(line, names)
        assert str(answer), line


@pytest.mark.slow
def test_each_command_is_answered_in_any_order(
    folder: Path, run: Callable[..., tuple[int, str, str]]
) -> None:
    numbers = random.Random(81).sample([*QUESTIONS], len(QUESTIONS))

    for number in numbers:
        _, _, command = QUESTIONS[number]
        program, *words = shlex.split(command)
        assert program == "discreet"
        code, _, says = run(*words, "--no-unit", "--study", "cohort")
        assert code == 0, (command, says)
        assert (folder / words[words.index("-o") + 1]).stat().st_size


# --- the same of public tables -------------------------------------------------------------------

ASKED: dict[str, tuple[str, str]] = {
    # what is asked in Python, and in the shell behind `discreet`
    "histogram": ("histogram({x!r})", "plot histogram {f} {x}"),
    "histogram by": ("histogram({x!r}, by={sex!r})", "plot histogram {f} {x} --by {sex}"),
    "scatter by": ("scatter({x!r}, {y!r}, by={sex!r})", "plot scatter {f} {x} {y} --by {sex}"),
    "boxes": ("box({x!r}, by={group!r})", "plot box {f} {x} --by {group}"),
    "boxes by two": (
        "assign(of='cut({x}, {cuts})').box({y!r}, by=('of', {sex!r}))",
        'plot box {f} {y} --assign "of=cut({x}, {cuts})" --by of --by {sex}',
    ),
    "percent": (
        "bars({event!r}, by={sex!r}, percent=True)",
        "plot bars {f} {event} --by {sex} --percent",
    ),
    "a part": ("where({part!r}).histogram({x!r})", 'plot histogram {f} {x} --where "{part}"'),
    "residuals": (
        "residuals('{x} ~ {y} + C({group})')",
        'plot residuals {f} "{x} ~ {y} + C({group})"',
    ),
    "logarithm": (
        "assign(new='log({y} + 1)').histogram('new')",
        'plot histogram {f} new --assign "new=log({y} + 1)"',
    ),
    "classes": (
        "assign(new='cut({x}, {cuts})').bars('new')",
        'plot bars {f} new --assign "new=cut({x}, {cuts})"',
    ),
    "survival": (
        "survival({y!r}, {event!r}, event_is={is_event!r}, by={sex!r})",
        "plot survival {f} {y} {event} --event-is {is_event} --by {sex}",
    ),
    "correlations": ("correlations({eight!r})", "plot correlations {f} {words}"),
    "logistic model": (
        "model('{event} ~ {x} + C({sex})', family='logistic', event_is={is_event!r})",
        'model {f} "{event} ~ {x} + C({sex})" --family logistic --event-is {is_event}',
    ),
    "Cox model": (
        "model('survival({y}, {event}) ~ {x}', family='cox', event_is={is_event!r})",
        'model {f} "survival({y}, {event}) ~ {x}" --family cox --event-is {is_event}',
    ),
    "people by month": ("over_time('day', every='month')", "plot over-time {f} day --every month"),
    "means": ("means({x!r}, {group!r})", "means {f} {x} {group}"),
    "weighted means": (
        "means({x!r}, {group!r}, weights={y!r})",
        "means {f} {x} {group} --weights {y}",
    ),
    "table 1": ("summary(by={sex!r})", "summary {f} --by {sex}"),
    "four axes": ("parallel({four!r})", "plot parallel {f} {axes}"),
}
ROLES: dict[str, dict[str, str]] = {
    "titanic": {
        **{"x": "Age", "y": "Fare", "sex": "Sex", "group": "Pclass", "event": "Survived"},
        **{"is_event": "1", "part": "Age > 30 and Sex == 'male'", "cuts": "18, 40"},
        **{"words": "Age Fare SibSp Parch", "axes": "Age Fare Pclass day"},
    },
    "german_credit": {
        **{"x": "age", "y": "duration", "sex": "foreign_worker", "group": "purpose"},
        **{"event": "credit_class", "is_event": "2", "part": "age > 40 and credit_class == 1"},
        **{"cuts": "30, 40, 50", "axes": "age duration credit_amount job"},
        "words": "age duration credit_amount savings employment property job installment_rate",
    },
    "diabetes": {
        **{"x": "bmi", "y": "progression", "sex": "sex", "group": "band", "event": "ill"},
        **{"is_event": "yes", "part": "age > 50 and sex == 1", "cuts": "18.5, 25, 30"},
        "words": "age bmi blood_pressure total_cholesterol ldl hdl tch ltg",
        "axes": "age bmi ldl day",
    },
}


def public(name: str, shared_data: Callable[[str], Path]) -> pd.DataFrame:
    """Return a public table with gaps in a column and days, which none of them has, by chance."""
    if name == "diabetes":
        found = dc.datasets.diabetes().to_pandas()
        found["band"] = np.where(found["age"] < 40, "young", "old")
        found["ill"] = np.where(found["progression"] > 200, "yes", "no")
    else:
        found = pd.read_csv(shared_data(f"{name}.csv")).drop(columns="PassengerId", errors="ignore")
    draw = np.random.default_rng(3)
    days = np.datetime64("2019-01-01") + draw.integers(0, 700, len(found))
    roles = ROLES[name]
    found[roles["x"]] = found[roles["x"]].where(draw.random(len(found)) > 0.05)
    return found.assign(day=days)


@pytest.mark.slow
@pytest.mark.parametrize("name", ROLES)
def test_public_tables_answer_in_any_order(
    name: str,
    shared_data: Callable[[str], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    run: Callable[..., tuple[int, str, str]],
) -> None:
    monkeypatch.chdir(tmp_path)
    public(name, shared_data).to_csv("table.csv", index=False)
    roles = ROLES[name] | {"f": "table.csv"}
    lists = {"eight": roles["words"].split(), "four": roles["axes"].split()}
    study = dc.open("table.csv", study="table", unit=False)

    for asked in random.Random(name).sample([*ASKED], len(ASKED)):
        line, command = (it.format(**roles, **lists) for it in ASKED[asked])
        assert str(eval(f"study.{line}", {"study": study})), asked
        words = [*shlex.split(command), "--no-unit", "--study", "table"]
        code, _, says = run(*words, "-o", "table.csv.html")
        assert code == 0, (command, says)
