"""`discreet register`: what was lost and what was withdrawn, as the custodian says it."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

import discreet as dc
from discreet.custodian import register_of

pytestmark = pytest.mark.usefixtures("no_intervals")

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def plot(run: Run, policy: str, cohort: Path) -> Callable[..., tuple[int, str, str]]:

    def drawn(*more: str) -> tuple[int, str, str]:
        words = ("plot", "histogram", str(cohort), "bmi", "--json", "--policy", policy)
        return run(*words, *more)

    return drawn


def logged(run: Run, policy: str) -> list[tuple[str, str]]:
    """Return what the log says came to pass."""
    code, out, err = run("log", "--json", "--policy", policy)
    assert (code, err) == (0, "")
    return [(it["what"], it["outcome"]) for it in json.loads(out)]


@pytest.mark.slow
def test_a_lost_register_is_begun_anew_as_the_message_says(
    run: Run, plot: Callable[..., tuple[int, str, str]], policy: str
) -> None:
    assert plot()[0] == 0
    store = register_of(policy).store
    store.path.unlink()
    for words in (("log",), ("log", "--verify"), ("log", "--released")):
        code, out, err = run(*words, "--policy", policy)
        assert (code, out) == (dc.RegisterError.exit_code, "")
        assert "is gone, or another is in its place" in err
    code, out, err = plot()
    assert (code, out) == (dc.RegisterError.exit_code, "")
    (command,) = re.findall("`(discreet register begin --lost )REASON`", err)
    begin = [*shlex.split(command)[1:], "the disk broke", "--policy", policy]
    said = (0, "a new register was begun; it knows nothing about earlier releases\n", "")
    assert run(*begin) == said
    assert run(*begin)[0] == dc.InputError.exit_code
    assert plot()[0] == 0
    assert logged(run, policy) == [
        ("beginning", "the disk broke"),
        ("histogram", "released as json"),
    ]
    shown = run("log", "--policy", policy)[1].splitlines()
    assert next(line for line in shown if line).strip() == "(all studies)"
    assert run("log", "--verify", "--policy", policy)[0] == 0


def test_where_nothing_is_lost_nothing_begins(run: Run, policy: str) -> None:
    code, out, err = run("register", "begin", "--lost", "tidying up", "--policy", policy)
    assert (code, out) == (dc.InputError.exit_code, "")
    assert "is not lost, so it cannot be started again" in err
    assert run("register", "begin")[0] == dc.InputError.exit_code


@pytest.mark.slow
def test_another_k_is_drawn_once_the_first_is_withdrawn(
    run: Run, plot: Callable[..., tuple[int, str, str]], policy: str
) -> None:
    assert plot()[0] == 0
    study = register_of(policy).history()[0]["study"]
    Path(policy).write_text("k = 8\n")
    code, _, err = plot()
    assert code == dc.LeavingError.exit_code
    (command,) = re.findall("`discreet (register withdraw [^`]*)`", err)
    words = ["a trial" if it == "REASON" else it for it in shlex.split(command)]
    said = f"version 1 of {study} is withdrawn; delete what was saved from it\n"
    assert run(*words) == (0, said, "")
    assert plot()[0] == 0
    assert logged(run, policy) == [
        ("histogram", "released as json"),
        ("withdrawal", "a trial"),
        ("histogram", "released as json"),
    ]
    history = [(it["study"], it["version"]) for it in register_of(policy).history()]
    assert history == [(study, 1), (study, 2)]
