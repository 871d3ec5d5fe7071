"""`discreet log`, `version` and `policy`: what they write, say and refuse."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import discreet as dc
from discreet.cli.custodian import policy_init
from discreet.custodian import register_of
from discreet.custodian.guesses import propose_policy
from discreet.errors import InputError
from discreet.records.store import Store, verify
from discreet.register.register import Register
from discreet.serve.record import ANSWERED, LogEntry, open_record, write_entry
from discreet.serve.tokens import Caller
from tests.records.given import ALICE, alter, asked

pytestmark = pytest.mark.usefixtures("no_intervals")

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def register(policy: str, run: Run, cohort: Path) -> Register:
    plot = ("plot", "histogram", str(cohort), "bmi", "--json", "--policy", policy)
    assert run(*plot)[0] == 0
    return register_of(policy)


@pytest.fixture
def record(register: Register, tmp_path: Path) -> Store:
    """Ask for two pictures on the web after it; one is refused."""
    record = open_record(tmp_path / "server")
    asked(record)
    refused = LogEntry("s", "a1", "histogram", "", None)  # as a server records what it refuses
    write_entry(record, Caller("token [red]bob", "analyst"), refused, "policy")
    return record


@pytest.fixture
def where(policy: str, record: Store) -> tuple[str, ...]:
    """Say where the register and the record are."""
    return "--policy", policy, "--state", str(record.path.parent)


def entries(run: Run, *words: str) -> list[dict[str, Any]]:
    """Return what the command prints as JSON."""
    code, out, err = run("log", "--json", *words)
    assert (code, err) == (0, "")
    return list(json.loads(out))


def test_the_log_says_who_asked_what_and_what_left(run: Run, where: tuple[str, ...]) -> None:
    found = entries(run, *where)
    told = [(entry["caller"], entry["what"], entry["outcome"]) for entry in found]
    assert told == [
        ("", "histogram", "released as json"),
        ("token alice", "histogram", "answered"),
        ("token [red]bob", "histogram", "policy"),
    ]
    assert json.loads(found[0]["request"])["columns"] == ["bmi"]
    assert [entry["at"] for entry in found] == sorted(entry["at"] for entry in found)
    assert {*found[1]} - {*found[0]} == {"view"}
    assert entries(run, *where, "--last", "2") == found[1:]
    assert entries(run, *where, "--last", "99") == found
    assert [it["kind"] for it in entries(run, *where, "--released")] == ["histogram"]


def test_the_log_is_a_table_for_the_eye(
    run: Run, register: Register, where: tuple[str, ...]
) -> None:
    code, out, _ = run("log", *where)
    lines = [line.split() for line in out.splitlines()]
    assert code == 0
    assert max(len(line) for line in out.splitlines()) <= 80
    title, heading = (line for line in lines[:3] if line)
    assert title == [f"{register.history()[0]['study']},", "version", "1"]
    assert heading == ["when", "(UTC)", "who", "what", "outcome"]
    assert "s, version a1" in out
    assert " histogram of bmi; method whole " in out
    assert [line[-3:] for line in lines if "bmi;" in line] == [["released", "as", "json"]]
    assert [line[2:4] for line in lines if line[-1:] == ["policy"]] == [["token", "[red]bob"]]
    assert "answered" not in run("log", *where, "--last", "1")[1]


def test_what_is_no_letter_or_sign_is_printed_as_its_code(
    run: Run, record: Store, where: tuple[str, ...]
) -> None:
    asked(record, 4, Caller("oidc \x1b[2J\u202e", "analyst"))
    out = run("log", *where)[1]
    assert "\x1b" not in out
    assert r"\x1b[2J\u202e" in out


def test_nothing_was_asked_yet(run: Run, own_home: Path) -> None:
    assert run("log") == (0, "nothing was asked, and nothing was released yet\n", "")
    assert run("log", "--released") == (0, "nothing was released yet\n", "")
    assert run("log", "--last", "0")[0] == 2
    assert entries(run) == []
    assert run("log", "--verify")[0] == 0
    assert not [*own_home.rglob("record*")]


@pytest.mark.parametrize("which", ["register", "record"])
def test_a_check_prints_rows_and_head(
    run: Run, register: Register, record: Store, where: tuple[str, ...], which: str
) -> None:
    found = verify(record if which == "record" else register.store)
    words = where if which == "record" else where[:2]
    code, out, _ = run("log", "--verify", *words)
    assert code == 0
    assert out.splitlines()[:2] == [f"rows: {found.rows}", f"head: {found.head}"]
    assert (
        "no row that is here was changed; only --head can tell whether the last rows were cut off"
    ) in out
    code, out, _ = run("log", "--verify", "--head", found.head, *words)
    assert code == 0
    assert "nothing was changed, and everything up to the head is there" in out
    told = json.loads(run("log", "--verify", "--json", *words)[1])
    assert told == {"rows": found.rows, "head": found.head, "broken": []}


def test_a_changed_row_is_found(run: Run, record: Store, where: tuple[str, ...]) -> None:
    alter(record.path, "UPDATE asked SET caller = 'CanaryX' WHERE id = 2")
    code, out, err = run("log", "--verify", *where)
    assert code == dc.BrokenPromiseError.exit_code == 70
    assert "broken: asked row 2 does not fit its seal\n" in out
    assert "restore it and the key beside it from one backup" in out
    assert err == ""
    assert "Canary" not in out
    code, out, _ = run("log", "--verify", "--json", *where)
    assert code == 70
    assert json.loads(out)["broken"] == ["asked row 2 does not fit its seal"]


def test_a_head_that_is_gone_is_found(run: Run, register: Register, policy: str) -> None:
    code, out, _ = run("log", "--head", "a" * 64, "--policy", policy)
    assert code == 70
    assert "broken: chain: the head that was given is not in it" in out


MISUSED = {
    "no head": (("--head", "abc"), "64 hexadecimal digits"),
    "a part of the log": (("--last", "3"), "leave out --released and --last"),
    "no record": (("--state", "nowhere"), "the folder of --state has no server record"),
}


@pytest.mark.slow
def test_what_cannot_be_checked_is_refused(run: Run, register: Register, policy: str) -> None:
    for words, says in MISUSED.values():
        code, out, err = run("log", "--verify", *words, "--policy", policy)
        assert (code, out) == (dc.InputError.exit_code, "")
        assert says in err
        assert not Path("nowhere").exists()


@pytest.mark.parametrize("which", ["register", "record"])
def test_a_damaged_file_is_told_in_one_line(
    run: Run, register: Register, record: Store, where: tuple[str, ...], which: str
) -> None:
    damaged = record if which == "record" else register.store
    damaged.path.write_bytes(b"CanaryX" * 1000)
    verified = ["log", "--verify", *(where if which == "record" else where[:2])]
    for words in (["log", *where], verified):
        code, out, err = run(*words)
        assert (code, out) == (dc.LeavingError.exit_code, "")
        assert err.count("\n") == 1
        assert "Canary" not in err


def test_a_version_of_what_has_not_left_is_refused(run: Run, cohort: Path) -> None:
    code, out, err = run("version", "new", str(cohort), "-k", "8")
    assert (code, out) == (dc.InputError.exit_code, "")
    assert err.count("\n") == 1


def test_private_files_are_forgotten(run: Run, cohort: Path, tmp_path: Path) -> None:
    policy = tmp_path / "ours.toml"
    policy.write_text("unit = false\n")
    words = ("--policy", str(policy))
    assert run("columns", str(cohort), *words)[0] == 0
    assert len([*(tmp_path / ".discreet").glob("raw-*.parquet")]) == 1
    assert run("forget", *words) == (0, "deleted: 1 private file\n", "")
    assert run("forget", *words) == (0, "deleted: 0 private files\n", "")
    assert run("forget") == (0, "deleted: 0 private files\n", "")
    assert not [*(tmp_path / ".discreet").glob("raw-*")]


def test_a_table_comes_by_standard_input(
    run: Run, cohort: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(cohort.read_bytes())))
    assert run("policy", "init", "-", "-o", str(tmp_path / "new.toml"))[0] == 0
    assert "age" in (tmp_path / "new.toml").read_text()


@pytest.mark.slow
def test_a_policy_is_written_and_the_next_steps_said(
    cohort: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "policy.toml"
    policy_init(file=str(cohort), output=path)
    out, err = capsys.readouterr()
    assert out == f"{path}\n"
    assert f"discreet plot histogram {cohort} COLUMN --policy {path} -o try.png" in err
    assert f"discreet serve {cohort} --policy {path}" in err
    assert path.read_text(encoding="utf-8") == propose_policy(cohort)
    assert dc.open(cohort, path).histogram("age").columns == ("age",)


@pytest.mark.parametrize(
    ("name", "message"),
    [("policy.txt", "a policy is a .toml file"), ("none/policy.toml", "there is no folder")],
)
def test_odd_places_are_refused(cohort: Path, tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        policy_init(file=str(cohort), output=tmp_path / name)


def test_a_link_to_nowhere_is_not_followed(cohort: Path, tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.symlink_to(tmp_path / "elsewhere.toml")
    with pytest.raises(InputError, match=r"there is a file .* already; name another one"):
        policy_init(file=str(cohort), output=path)
    assert not (tmp_path / "elsewhere.toml").exists()


def test_another_secret_breaks_every_seal(run: Run, record: Store, where: tuple[str, ...]) -> None:
    for number in range(30):
        asked(record, number)
    (record.path.parent / "record.key").write_text(bytes(range(32)).hex())
    code, out, _ = run("log", "--verify", *where)
    assert code == 70
    assert out.count("broken: ") == 21
    assert "broken: and more (--json lists all)" in out
    assert "sealed with another key" in out


def test_what_was_taken_along_is_told_by_the_beginning_of_its_id(
    run: Run, record: Store, where: tuple[str, ...]
) -> None:
    again = LogEntry("s", "a1", "figure.svg", json.dumps({"view": "01234567" * 4}), None)
    write_entry(record, ALICE, again, ANSWERED)
    out = run("log", *where, "--last", "1")[1]
    assert "figure.svg of view" in out
    assert "01234567" in out.split()
    assert "0123456701" not in out
