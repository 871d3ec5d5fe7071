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
from discreet.register.register import MARK

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def plot(run: Run, policy: str, cohort: Path) -> Callable[..., tuple[int, str, str]]:
    """Plot something that is released."""

    def drawn(*more: str) -> tuple[int, str, str]:
        words = ("plot", "histogram", str(cohort), "bmi", "--json", "--policy", policy)
        return run(*words, *more)

    return drawn


def logged(run: Run, policy: str) -> list[tuple[str, str]]:
    """Return what the log says came to pass."""
    code, out, err = run("log", "--json", "--policy", policy)
    assert (code, err) == (0, "")
    return [(it["what"], it["outcome"]) for it in json.loads(out)]


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


def test_a_published_study_is_not_withdrawn(
    run: Run, policy: str, cohort: Path, tmp_path: Path
) -> None:
    made = ("protect", str(cohort), "-o", str(tmp_path / "a.discreet"), "--policy", policy)
    assert run(*made)[0] == 0
    study = register_of(policy).history()[0]["study"]

    code, out, err = run("register", "withdraw", study, "--reason", "tried", "--policy", policy)
    assert (code, out) == (dc.LeavingError.exit_code, "")
    assert "was published as a study file, so it was given away" in err
    words = ("register", "withdraw", study, "--reason", "tried", "--version", "7")
    assert run(*words, "--policy", policy)[0] == dc.InputError.exit_code


def test_the_mark_lies_beside_the_policy_or_in_the_users_own_folder(
    run: Run, plot: Callable[..., tuple[int, str, str]], policy: str, cohort: Path, own_home: Path
) -> None:
    assert plot()[0] == 0
    folder = dc.Policy.preset("standard").folder if policy == "standard" else Path(policy).parent
    assert folder is None or (folder / MARK).is_file()
    assert run("plot", "histogram", str(cohort), "bmi", "--json")[0] == 0
    assert (own_home / ".config" / "discreet" / MARK).is_file()
