"""`discreet log`: what was asked and what left, and whether the record was changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import discreet as dc
from discreet.ledger import Answer, Caller, Ledger, LogEntry, ask, keep, verify
from discreet.study import ledger_of
from tests.ledger.given import ALICE, MUCH, alter, old_ledger, question

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def policy(tmp_path: Path) -> str:
    """Write a policy file, beside which the ledger lies."""
    path = tmp_path / "ours.toml"
    path.write_text("k = 6\n")
    return str(path)


@pytest.fixture
def ledger(policy: str, run: Run, cohort: Path) -> Ledger:
    """Let a picture leave, and ask for three on the web; one is answered."""
    plot = ("plot", "histogram", str(cohort), "bmi", "--json", "--policy", policy)
    assert run(*plot)[0] == 0
    ledger = ledger_of(policy)
    for view in (1, 2):
        asked = ask(ledger.store, ALICE, question(view), MUCH)
    keep(ledger.store, asked, question(2), Answer(200, b"drawn"), "answered")
    refused = LogEntry("s", 1, "histogram", "", None)  # as a server records what it refuses
    ask(ledger.store, Caller("token [red]bob", "analyst"), refused, MUCH, code="policy")
    return ledger


def entries(run: Run, *words: str) -> list[dict[str, Any]]:
    """Return what the command prints as JSON."""
    code, out, err = run("log", "--json", *words)
    assert (code, err) == (0, "")
    return list(json.loads(out))


def test_the_log_says_who_asked_what_and_what_left(run: Run, ledger: Ledger, policy: str) -> None:
    found = entries(run, "--policy", policy)

    told = [(entry["caller"], entry["what"], entry["outcome"]) for entry in found]
    assert told == [
        ("", "histogram", "left as json"),
        ("token alice", "histogram", "begun"),
        ("token alice", "histogram", "answered"),
        ("token [red]bob", "histogram", "policy"),
    ]
    assert json.loads(found[0]["request"])["columns"] == ["bmi"]
    assert [entry["at"] for entry in found] == sorted(entry["at"] for entry in found)
    assert {*found[0]} == {*found[1]}
    assert entries(run, "--policy", policy, "--last", "2") == found[2:]
    assert entries(run, "--policy", policy, "--last", "99") == found


def test_the_log_is_a_table_for_the_eye(run: Run, ledger: Ledger, policy: str) -> None:
    code, out, _ = run("log", "--policy", policy)
    lines = [line.split() for line in out.splitlines()]

    assert code == 0
    assert max(len(line) for line in out.splitlines()) <= 80
    title, heading = (line for line in lines[:3] if line)
    assert title == [f"{ledger.history()[0]['study']},", "version", "1"]
    assert heading == ["when", "(UTC)", "who", "what", "became", "of", "it"]
    assert " histogram of bmi; method merge " in out
    assert [line[-3:] for line in lines if "bmi;" in line] == [["left", "as", "json"]]
    assert [line[2:4] for line in lines if line[-1:] == ["policy"]] == [["token", "[red]bob"]]
    assert "answered" not in run("log", "--policy", policy, "--last", "1")[1]


def test_what_is_no_letter_or_sign_is_printed_as_its_code(
    run: Run, ledger: Ledger, policy: str
) -> None:
    ask(ledger.store, Caller("oidc \x1b[2J\u202e", "analyst"), question(4), MUCH)

    out = run("log", "--policy", policy)[1]
    assert "\x1b" not in out
    assert r"\x1b[2J\u202e" in out


def test_nothing_was_asked_yet(run: Run) -> None:
    assert run("log") == (0, "nothing was asked, and nothing has left yet\n", "")
    assert entries(run) == []
    assert run("log", "--verify")[0] == 0


def test_what_left_by_the_server_is_told_once(run: Run, ledger: Ledger, policy: str) -> None:
    with ledger.store.writing() as connection:
        values = {"version": 1, "at": "2026-01-01", "kind": "box", "columns": '["age"]'}
        ledger.store.append(connection, "leaving", {**values, "method": "m", "form": "web"})

    assert len(ledger.history()) == 2
    assert "box" not in {entry["what"] for entry in entries(run, "--policy", policy)}


def test_a_check_prints_rows_and_head(run: Run, ledger: Ledger, policy: str) -> None:
    found = verify(ledger.store)
    code, out, _ = run("log", "--verify", "--policy", policy)

    assert code == 0
    assert out.splitlines()[:2] == [f"rows: {found.rows}", f"head: {found.head}"]
    assert "no row that is here was changed; whether the last ones were cut off" in out
    code, out, _ = run("log", "--verify", "--head", found.head, "--policy", policy)
    assert code == 0
    assert "what the head stands for is all there" in out
    told = json.loads(run("log", "--verify", "--json", "--policy", policy)[1])
    assert told == {"rows": found.rows, "head": found.head, "broken": [], "adopted": None}


def test_a_changed_row_is_found(run: Run, ledger: Ledger, policy: str) -> None:
    alter(ledger.store.path, "UPDATE asked SET caller = 'CanaryX' WHERE id = 2")

    code, out, err = run("log", "--verify", "--policy", policy)
    assert code == dc.BrokenPromiseError.exit_code == 70
    assert "broken: asked row 2 does not fit its seal\n" in out
    assert "restore it and its secret from a backup" in out
    assert err == ""
    assert "Canary" not in out
    code, out, _ = run("log", "--verify", "--json", "--policy", policy)
    assert code == 70
    assert json.loads(out)["broken"] == ["asked row 2 does not fit its seal"]


def test_a_head_that_is_gone_is_found(run: Run, ledger: Ledger, policy: str) -> None:
    code, out, _ = run("log", "--head", "a" * 64, "--policy", policy)

    assert code == 70
    assert "broken: chain: the head that was given is not in it" in out


def test_what_is_no_head_is_refused(run: Run, ledger: Ledger, policy: str) -> None:
    code, out, err = run("log", "--verify", "--head", "abc", "--policy", policy)

    assert (code, out) == (dc.InputError.exit_code, "")
    assert "64 hexadecimal digits" in err


def test_another_secret_breaks_every_seal(
    run: Run, ledger: Ledger, policy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for view in range(30):
        ask(ledger.store, ALICE, question(view), MUCH)
    monkeypatch.setenv("DISCREET_SECRET", bytes(range(32)).hex())

    code, out, _ = run("log", "--verify", "--policy", policy)
    assert code == 70
    assert out.count("broken: ") == 21
    assert "broken: and more (--json lists all)" in out
    assert "sealed with another secret" in out


def test_an_old_ledger_says_when_it_got_its_chain(run: Run, policy: str) -> None:
    old_ledger(Path(policy).parent / ".discreet")

    code, out, _ = run("log", "--verify", "--policy", policy)
    assert code == 0
    assert "rows from before 20" in out
    assert entries(run, "--policy", policy)[0]["outcome"] == "left as svg"


def test_a_damaged_ledger_is_told_in_one_line(run: Run, ledger: Ledger, policy: str) -> None:
    ledger.store.path.write_bytes(b"CanaryX" * 1000)

    for words in (["log"], ["log", "--verify"], ["token", "list"]):
        code, out, err = run(*words, "--policy", policy)
        assert (code, out) == (dc.LeavingError.exit_code, "")
        assert err.count("\n") == 1
        assert "Canary" not in err


@pytest.mark.parametrize("last", ["0", "-1", "x"])
def test_the_last_are_one_or_more(run: Run, last: str) -> None:
    assert run("log", "--last", last)[0] == 2


def test_what_was_taken_along_is_told_by_the_beginning_of_its_id(
    run: Run, ledger: Ledger, policy: str
) -> None:
    again = LogEntry("s", 1, "figure.svg", json.dumps({"view": "01234567" * 4}), None)
    ask(ledger.store, ALICE, again, MUCH, code="answered")

    out = run("log", "--policy", policy, "--last", "1")[1]
    assert "figure.svg of view" in out
    assert "01234567" in out.split()
    assert "0123456701" not in out
