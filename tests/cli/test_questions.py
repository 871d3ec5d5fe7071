"""The page of questions: each line in Python and in the shell is answered, in any order."""

from __future__ import annotations

import random
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

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


@pytest.mark.slow
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
