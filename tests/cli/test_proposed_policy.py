"""Every command runs with the policy file that `discreet policy init` wrote, as it was written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import typer

from discreet.cli.app import app

Run = Callable[..., tuple[int, str, str]]
Calls = tuple[tuple[str, ...], ...]

#: Of each command that takes a table or a policy the calls that lead to it: it is the last one.
#: TABLE, POLICY, COPY and FIGURE are files.
CALLS: dict[str, Calls] = {
    "columns": (("columns", "TABLE"),),
    "plot": (("plot", "box", "TABLE", "bmi", "--by", "sex", "--json"),),
    "board": (("board", "TABLE", "-o", "BOARD"),),
    "summary": (("summary", "TABLE", "--by", "sex"),),
    "means": (("means", "TABLE", "bmi", "sex"),),
    "model": (("model", "TABLE", "bmi ~ age + sex"),),
    "meta-analysis": (("meta-analysis", "TABLE", "bmi ~ age", "--by", "sex"),),
    "research": (("research", "scatter", "TABLE", "age", "bmi", "--json"),),
    "anonymize": (("anonymize", "TABLE", "-o", "COPY"),),
    "round": (("round", "TABLE", "-o", "COPY"),),
    "evaluate": (
        ("anonymize", "TABLE", "-o", "COPY"),
        ("evaluate", "TABLE", "COPY", "--no-same-rows"),
    ),
    "attack": (("attack", "TABLE", "--pairs", "0"),),
    "fidelity": (("fidelity", "TABLE"),),
    "tune": (("tune", "TABLE", "--methods", "whole", "-k", "5", "-m", "10"),),
    "outputs": (("plot", "box", "TABLE", "bmi", "-o", "FIGURE"), ("outputs", "FOLDER", "FIGURE")),
    "verify": (
        ("plot", "box", "TABLE", "bmi", "-o", "FIGURE"),
        ("verify", "FIGURE", "--data", "TABLE"),
    ),
    "serve": (("serve", "TABLE", "--no-token", "--json"),),
    "forget": (("forget",),),
    "doctor": (("doctor",),),
    "log": (("plot", "box", "TABLE", "bmi", "--json"), ("log", "--verify")),
    "version new": (("plot", "box", "TABLE", "bmi", "--json"), ("version", "new", "CHANGED")),
    "register withdraw": (
        ("plot", "box", "TABLE", "bmi", "--json"),
        ("register", "withdraw", "t.csv", "--reason", "a trial"),
    ),
    "protect": (("protect", "TABLE", "-o", "STUDY"),),
    "answer": (
        ("protect", "TABLE", "-o", "STUDY"),
        ("ask", "bars", "STUDY", "sex", "-o", "QUESTIONS"),
        ("answer", "TABLE", "QUESTIONS", "--study", "STUDY"),
    ),
    "policy init": (("policy", "init", "TABLE", "-o", "ANOTHER"),),
}
#: What `policy init` itself and a released table need no policy for.
WITHOUT_POLICY = {"evaluate", "policy init"}
#: What public or simulated data are drawn and made with: it takes no guarded policy.
OF_PAPERS = {"research", "anonymize", "round"}
TABLES = {"file", "original", "data"}
#: What takes a study file, and what runs where a register is lost.
OF_OTHERS = {"check", "register begin", "ask", "answers", "rows"}


def commands(group: Any, before: tuple[str, ...] = ()) -> Iterator[tuple[str, set[str]]]:
    """Find each command that can be typed, by its words, with the names of its parameters."""
    for name, command in group.commands.items():
        if command.hidden:
            continue
        words = (*before, name)
        if getattr(command, "commands", None):
            yield from commands(command, words)
        else:
            yield " ".join(words), {it.name for it in command.params}


def test_every_command_that_takes_a_table_or_a_policy_is_tried() -> None:
    found = dict(commands(typer.main.get_command(app)))
    wanted = {name for name, of in found.items() if of & {*TABLES, "policy"}}
    assert wanted - OF_OTHERS == {*CALLS}
    assert {name for name in CALLS if "policy" not in found[name]} == WITHOUT_POLICY


def table_of(size: int) -> pd.DataFrame:
    chance = np.random.default_rng(5)
    return pd.DataFrame(
        {
            "age": chance.integers(20, 80, size),
            "bmi": chance.normal(26, 4, size).round(1),
            "sex": chance.choice(["f", "m"], size),
            "income (USD)": chance.integers(10, 90, size) * 1000,
        }
    )


PROPOSED: list[str] = []


@pytest.fixture
def files(tmp_path: Path, run: Run) -> dict[str, str]:
    """Write a table, and have a policy proposed for it."""
    names = {
        "TABLE": "t.csv",
        "CHANGED": "u.csv",
        "POLICY": "clinic.toml",
        "ANOTHER": "another.toml",
        "COPY": "copy.csv",
        "FIGURE": "box.svg",
        "BOARD": "board.html",
        "FOLDER": "request",
        "STUDY": "t.discreet",
        "QUESTIONS": "questions.json",
    }
    found = {word: str(tmp_path / name) for word, name in names.items()}
    rows = table_of(160)
    rows.to_csv(found["TABLE"], index=False)
    table_of(260).to_csv(found["CHANGED"], index=False)
    if not PROPOSED:  # it is the same each time
        code, _, err = run("policy", "init", found["TABLE"], "-o", found["POLICY"])
        assert code == 0, err
        PROPOSED.append(Path(found["POLICY"]).read_text())
    Path(found["POLICY"]).write_text(PROPOSED[0])
    return found


def called(run: Run, files: dict[str, str], words: Sequence[str]) -> tuple[int, str, str]:
    name = " ".join(words[:2]) if " ".join(words[:2]) in CALLS else words[0]
    policy = ["--policy", files["POLICY"]]
    if name in WITHOUT_POLICY or words[0] in {*OF_PAPERS, "ask"}:
        policy = []
    return run(*(files.get(word, word) for word in words), *policy)


@pytest.mark.usefixtures("protected_by_a_fork")
@pytest.mark.parametrize("command", CALLS)
def test_it_runs_with_the_file_that_policy_init_wrote(
    run: Run, files: dict[str, str], monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    # A server would go on until somebody stops it.
    monkeypatch.setattr(
        "discreet.serve.start.run", lambda found, serving, said: said("http://127.0.0.1")
    )
    for words in CALLS[command]:
        code, out, err = called(run, files, words)
        assert code == 0, err
    assert out or command == "forget"


OVERRULED: dict[str, tuple[tuple[str, ...], int, str]] = {
    "m as it follows from k": (("summary", "TABLE", "-m", "20"), 0, ""),
    "k as in the file": (("fidelity", "TABLE", "-k", "5"), 0, ""),
    "another m": (("means", "TABLE", "bmi", "sex", "-m", "12"), 3, "sets m"),
    "another k": (("attack", "TABLE", "-k", "4"), 3, "sets k"),
}


@pytest.mark.parametrize(("words", "expected", "message"), OVERRULED.values(), ids=OVERRULED)
def test_an_option_that_says_what_holds_anyway_overrules_nothing(
    run: Run, files: dict[str, str], words: tuple[str, ...], expected: int, message: str
) -> None:
    more = ("--json",) if words[0] == "plot" else ()
    code, _, err = called(run, files, (*words, *more))
    assert (code, message in err) == (expected, True), err
