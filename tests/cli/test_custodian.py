"""`discreet log`, `version`, `policy` and `token`: what they write, say and refuse."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import httpx
import pytest

import discreet as dc
from discreet.cli.custodian import policy_init
from discreet.errors import InputError
from discreet.ledger.ledger import Ledger
from discreet.serve.log import (
    Answer,
    Caller,
    LogEntry,
    add_token,
    ask,
    caller_of,
    keep,
    list_tokens,
)
from discreet.records.store import verify
from discreet.study import ledger_of
from discreet.study.guesses import proposed_policy
from tests.ledger.given import ALICE, MUCH, alter, question
from tests.serve.cohort import narrow, written
from tests.serve.workers import COLD

Run = Callable[..., tuple[int, str, str]]


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
        ("", "histogram", "released as json"),
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
    assert " histogram of bmi; method whole " in out
    assert [line[-3:] for line in lines if "bmi;" in line] == [["released", "as", "json"]]
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
    assert run("log") == (0, "nothing was asked, and nothing was released yet\n", "")
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
    assert told == {"rows": found.rows, "head": found.head, "broken": []}


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


# --- version --------------------------------------------------------------------------------------


def test_version_new_opens_a_version_for_another_k(run: Run, cohort: Path) -> None:
    plot = ("plot", "histogram", str(cohort), "bmi", "--json")
    assert run(*plot)[0] == 0
    assert run(*plot, "-k", "8")[0] == dc.LeavingError.exit_code
    code, out, _ = run("version", "new", str(cohort), "-k", "8")
    assert (code, out) == (0, "version 2 is open; what is released from now on belongs to it\n")
    assert run(*plot, "-k", "8")[0] == 0
    history = json.loads(run("log", "--released", "--json")[1])
    assert [(entry["version"], entry["kind"]) for entry in history] == [
        (1, "histogram"),
        (2, "histogram"),
    ]
    assert "histogram" in run("log", "--released")[1]


def test_two_files_of_one_name_are_two_studies(run: Run, tmp_path: Path) -> None:
    files = []
    for folder, name, step in (("exams", "age", 7), ("labs", "chol", 11)):
        (tmp_path / folder).mkdir()
        files.append(tmp_path / folder / "nhanes.csv")
        rows = [f"{20 + step * n % 61 + n / 1000}" for n in range(300)]
        files[-1].write_text("\n".join([name, *rows]))
    exams, labs = (("plot", "histogram", str(file)) for file in files)

    assert run(*exams, "age", "--json")[0] == 0
    code, out, err = run(*labs, "chol", "--json")
    assert (code, out) == (dc.LeavingError.exit_code, "")
    assert "another table was released before as study 'nhanes.csv'" in err
    assert run(*labs, "chol", "--study", "labs", "--json")[0] == 0
    assert run(*exams, "age", "--json")[0] == 0

    history = json.loads(run("log", "--released", "--json")[1])
    assert [(it["study"], it["columns"]) for it in history] == [
        ("nhanes.csv", ["age"]),
        ("labs", ["chol"]),
        ("nhanes.csv", ["age"]),
    ]
    for command in (("log", "--released"), ("log",)):
        printed = run(*command)[1]
        assert printed.count("nhanes.csv, version 1") == 2
        assert printed.count("labs, version 1") == 1


def test_nothing_has_left_yet(run: Run) -> None:
    assert run("log", "--released") == (0, "nothing was released yet\n", "")
    assert json.loads(run("log", "--released", "--json")[1]) == []


def test_a_version_of_what_has_not_left_is_refused(run: Run, cohort: Path) -> None:
    code, out, err = run("version", "new", str(cohort), "-k", "8")

    assert (code, out) == (dc.InputError.exit_code, "")
    assert err.count("\n") == 1


# --- files ----------------------------------------------------------------------------------------


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


def test_a_table_comes_by_standard_input(cohort: Path) -> None:
    words = [sys.executable, "-m", "discreet"]
    for what in (["columns", "-", "--no-unit"], ["policy", "init", "-", "-o", "new.toml"]):
        found = subprocess.run(
            [*words, *what],
            input=cohort.read_bytes(),
            cwd=cohort.parent,
            capture_output=True,
            check=False,
        )
        assert (found.returncode, b"age" in found.stdout or what[0] == "policy") == (0, True)
    assert b"age" in (cohort.parent / "new.toml").read_bytes()


def test_a_server_takes_no_standard_input(run: Run) -> None:
    code, out, err = run("serve", "-")

    assert (code, out) == (dc.InputError.exit_code, "")
    assert err == (
        "discreet: a server reads its data whenever it starts; name a file in place of -\n"
    )


# --- policy ---------------------------------------------------------------------------------------


def test_a_policy_is_written_and_the_next_steps_said(
    cohort: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "policy.toml"
    policy_init(str(cohort), path)
    out, err = capsys.readouterr()

    assert out == f"{path}\n"
    assert f"discreet plot histogram {cohort} COLUMN --policy {path} -o try.png" in err
    assert f"discreet token add NAME --policy {path}" in err
    assert f"discreet serve {cohort} --policy {path}" in err
    assert path.read_text(encoding="utf-8") == proposed_policy(cohort)
    assert dc.open(cohort, path).histogram("age").columns == ("age",)


def test_a_file_is_not_written_over(cohort: Path, tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.write_text("k = 7")
    with pytest.raises(InputError, match=r"there is a file .* already; name another one"):
        policy_init(str(cohort), path)
    assert path.read_text() == "k = 7"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("policy.txt", "a policy is a .toml file"),
        ("policy", "a policy is a .toml file"),
        ("none/policy.toml", "there is no folder"),
    ],
)
def test_odd_places_are_refused(cohort: Path, tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        policy_init(str(cohort), tmp_path / name)


def test_a_link_to_nowhere_is_not_followed(cohort: Path, tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.symlink_to(tmp_path / "elsewhere.toml")
    with pytest.raises(InputError, match=r"there is a file .* already; name another one"):
        policy_init(str(cohort), path)
    assert not (tmp_path / "elsewhere.toml").exists()


def test_a_file_that_cannot_be_read_leaves_none(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    with pytest.raises(InputError, match="there is no file"):
        policy_init(str(tmp_path / "none.csv"), path)
    assert not path.exists()


# --- token ----------------------------------------------------------------------------------------


def test_a_token_is_printed_once_and_alone(run: Run, own_home: Path) -> None:
    code, out, err = run("token", "add", "alice", "--study", "cohort.csv")

    assert code == 0
    assert out.count("\n") == 1
    text = out.strip()
    assert caller_of(ledger_of("standard").store, "cohort.csv", text) == Caller(
        "token alice", "analyst"
    )
    assert text not in err
    assert "a token of study cohort.csv for alice, analyst, for 30 days" in err
    digest = hashlib.sha256(text.encode()).hexdigest()
    for words in (["list"], ["list", "--json"]):
        listed = run("token", *words)[1]
        assert "alice" in listed
        assert text not in listed
        assert digest not in listed
    for path in own_home.rglob("*"):
        assert not path.is_file() or text.encode() not in path.read_bytes()


def test_tokens_are_listed_with_their_state(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = tmp_path / "ours.toml"
    policy.write_text('k = 6\nstudy = "clinic"\n')
    at = ("--policy", str(policy))
    assert run("token", "add", "alice", "--role", "custodian", "--days", "2.5", *at)[0] == 0
    assert run("token", "add", "bob", *at)[0] == 0
    assert run("token", "revoke", "bob", *at) == (
        0,
        "the token of bob for study clinic is revoked\n",
        "",
    )

    told = json.loads(run("token", "list", "--json", *at)[1])
    assert [(it["study"], it["name"], it["role"], it["state"]) for it in told] == [
        ("clinic", "alice", "custodian", "valid"),
        ("clinic", "bob", "analyst", "revoked"),
    ]
    assert {*told[0]} == {"study", "name", "role", "made", "expires", "revoked", "state"}
    monkeypatch.setenv("COLUMNS", "120")
    listed = run("token", "list", *at)[1]
    assert all(
        word in listed for word in ("clinic", "alice", "custodian", "valid", "bob", "revoked")
    )
    assert (tmp_path / ".discreet" / "ledger.sqlite").exists()
    assert run("token", "list")[1].startswith("there are no tokens"), "another policy's ledger"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("add", "alice"), "there is or was a token named 'alice'"),
        (("add", "two words"), "a token's name has 1 to 64 letters"),
        (("add", "bob", "--role", "admin"), "must be one of 'analyst', 'custodian'"),
        (("add", "bob", "--days", "0"), "days must be more than 0"),
        (
            ("add", "bob", "--study", ""),
            "so name it (--study cohort.csv, as it is served), or write",
        ),
        (("revoke", "bob"), "the study has no token of that name"),
    ],
)
def test_bad_words_end_with_one_line(run: Run, words: tuple[str, ...], said: str) -> None:
    assert run("token", "add", "alice", "--study", "cohort.csv")[0] == 0

    named = () if "--study" in words else ("--study", "cohort.csv")
    code, out, err = run("token", *words, *named)
    assert (code, out) == (dc.InputError.exit_code, "")
    assert said in err
    assert err.count("\n") == 1
    assert len(json.loads(run("token", "list", "--json")[1])) == 1


@pytest.mark.parametrize("verb", ["add", "revoke"])
def test_a_token_is_of_a_study_that_is_named(run: Run, tmp_path: Path, verb: str) -> None:
    policy = tmp_path / "ours.toml"
    policy.write_text("k = 6\n")

    for where in ([], ["--policy", str(policy)]):
        code, out, err = run("token", verb, "alice", *where)
        assert (code, out) == (dc.InputError.exit_code, "")
        assert "name it (--study cohort.csv, as it is served), or write study = " in err
    assert not (tmp_path / ".discreet").exists()


def test_the_option_comes_before_the_policy(run: Run, tmp_path: Path) -> None:
    policy = tmp_path / "ours.toml"
    policy.write_text('study = "clinic"\n')
    at = ("--policy", str(policy))
    for words in ([], ["--study", "other.csv"]):
        assert run("token", "add", "alice", *words, *at)[0] == 0

    def listed(*words: str) -> list[tuple[str, str]]:
        told = json.loads(run("token", "list", "--json", *words, *at)[1])
        return [(it["study"], it["state"]) for it in told]

    assert listed() == [("clinic", "valid"), ("other.csv", "valid")]
    assert listed("--study", "other.csv") == [("other.csv", "valid")]
    assert run("token", "revoke", "alice", *at)[0] == 0
    assert listed() == [("clinic", "revoked"), ("other.csv", "valid")]


def test_the_walk_through_of_the_readme(run: Run, cohort: Path, tmp_path: Path) -> None:
    policy = tmp_path / "clinic.toml"
    assert run("policy", "init", str(cohort), "-o", str(policy))[0] == 0

    code, out, _ = run("token", "add", "carol", "--role", "custodian", "--policy", str(policy))
    assert code == 0
    store = ledger_of(str(policy)).store
    assert caller_of(store, cohort.name, out.strip()) == Caller("token carol", "custodian")
    assert dc.open(cohort, policy).session.known_name() == cohort.name


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A cohort, its policy file, and a ledger beside it that was begun before."""
    files = written(tmp_path_factory.mktemp("study"), table=narrow())  # nothing is warned of
    add_token(ledger_of(files[1]).store, "cohort.csv", "before")
    return files


@dataclass
class Started:
    """A server that runs: its process, where it is, and what it printed."""

    process: subprocess.Popen[str]
    address: str
    token: str
    printed: list[str] = field(default_factory=list)

    def end(self, by: signal.Signals) -> int:
        """Ask it to end; return how it did."""
        self.process.send_signal(by)
        return self.process.wait(120)

    def get(self, path: str, token: str | None = None, verify: Any = True) -> httpx.Response:
        """Ask it for something."""
        headers = {"Authorization": f"Bearer {token or self.token}"}
        with httpx.Client(trust_env=False, verify=verify, timeout=300) as client:
            return client.get(self.address + path, headers=headers)


@contextmanager
def started(
    study: tuple[Path, Path], *words: str, as_json: bool = True, cold: bool = True
) -> Iterator[Started]:
    """Run the command until its address is printed, and kill it at the end if it still runs."""
    file, policy = study
    command = [sys.executable, "-m", "discreet", "serve", str(file), "--policy", str(policy)]
    command += ["--port", "0", *words, *(["--json"] if as_json else [])]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        cwd=file.parent,
        env={**os.environ, **(COLD if cold else {})},
    )
    assert process.stdout is not None
    try:
        lines = [process.stdout.readline()]
        if not lines[0]:
            pytest.fail(f"the server has not started: {process.communicate(timeout=120)[1]}")
        if as_json:
            told = json.loads(lines[0])
            yield Started(process, told["address"], told["token"], lines)
        else:
            lines += [process.stdout.readline() for _ in range(6)]
            link = next(line for line in lines if "#token=" in line).split()[-1]
            address, _, token = link.partition("/#token=")
            yield Started(process, address, token, lines)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=120)


def states(study: tuple[Path, Path]) -> dict[str, str]:
    """Return what state each token of the ledger is in."""
    return {it.name: it.state() for it in list_tokens(ledger_of(study[1]).store)}


# --- what it prints -------------------------------------------------------------------------------


def test_it_prints_a_link_with_a_token(study: tuple[Path, Path]) -> None:
    with started(study, as_json=False) as server:
        text = "".join(server.printed)
        first = f"discreet serves cohort.csv under policy 'clinic' at {server.address}\n\n"
        assert text.startswith(first)
        assert f"  An analyst opens   {server.address}/#token={server.token}\n" in text
        assert f"for {server.address}/custodian. Stop with Ctrl-C.\n" in text
        options = f"--study cohort.csv --policy {study[1]}"
        assert f"discreet token add NAME {options}; with --role custodian\n" in text
        assert server.address.startswith("http://127.0.0.1:")
        assert server.token.startswith("discreet_")
        told = server.get("/api/study").json()
    assert (told["study"], told["caller"]["role"]) == ("cohort.csv", "analyst")
    assert told["caller"]["name"].startswith("token start-")


@pytest.mark.parametrize(
    "by", [pytest.param(signal.SIGTERM, marks=pytest.mark.slow), signal.SIGINT]
)
def test_it_ends_cleanly_and_takes_its_token_back(
    study: tuple[Path, Path], by: signal.Signals
) -> None:
    with started(study, cold=False) as server:
        assert server.get("/api/health").json() == {"ok": True}
        name = server.get("/api/study").json()["caller"]["name"].removeprefix("token ")
        assert states(study)[name] == "valid"
        assert server.end(by) == (130 if by is signal.SIGINT else 0)
        assert server.process.stderr is not None
        # Who makes the copy first may be told that it is wide.
        said = server.process.stderr.read().splitlines()
        assert [line for line in said if "WideTableWarning" not in line] == []
        assert {*json.loads(server.printed[0])} == {"address", "token"}
        assert server.process.stdout is not None
        assert server.process.stdout.read() == ""  # one line of JSON was all
    assert states(study)[name] == "revoked"


@pytest.mark.slow
def test_a_preset_serves_too(study: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    state = study[0].parent / "state"
    for name in ("DISCREET_STATE", "DISCREET_CONFIG"):
        monkeypatch.setenv(name, str(state))
    with started((study[0], Path("sacro")), "--study", "wards") as server:
        told = server.get("/api/study").json()
        assert (told["study"], told["policy"]["k"]) == ("wards", 10)
        assert server.end(signal.SIGTERM) == 0
    assert (state / "ledger.sqlite").is_file()


# --- workers and TLS ------------------------------------------------------------------------------


def test_two_workers_agree_and_end_with_the_command(study: tuple[Path, Path]) -> None:
    body = {"columns": ["age", "bmi"]}
    with started(study, "--workers", "2") as server:
        bearer = {"Authorization": f"Bearer {server.token}"}
        found = []
        for _ in range(6):
            with httpx.Client(trust_env=False, timeout=300, headers=bearer) as client:
                found.append(client.post(f"{server.address}/api/views/heatmap", json=body))
        assert [it.status_code for it in found] == [200] * 6
        assert len({it.content for it in found}) == 1
        study_told = server.get("/api/study").json()
        name = study_told["caller"]["name"].removeprefix("token ")
        children = _children(server.process.pid)
        assert len(children) >= 2
        assert server.end(signal.SIGTERM) == 0
        until = time.monotonic() + 60
        while any(Path(f"/proc/{it}").exists() for it in children) and time.monotonic() < until:
            time.sleep(0.05)
        assert not any(Path(f"/proc/{it}").exists() for it in children)
    assert states(study)[name] == "revoked"


def _children(pid: int) -> list[int]:
    """Return the processes that a process has started; Linux tells."""
    tasks = Path(f"/proc/{pid}/task/{pid}/children")
    if not tasks.is_file():
        pytest.skip("this system does not tell which processes one has started")
    return [int(it) for it in tasks.read_text().split()]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate of this machine, signed by itself, and its key."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    names = [x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))]
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .sign(key, hashes.SHA256())
    )
    folder = tmp_path_factory.mktemp("tls")
    chain, secret = folder / "chain.pem", folder / "key.pem"
    chain.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    secret.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return chain, secret


@pytest.mark.slow
@pytest.mark.parametrize("workers", [pytest.param("1", marks=pytest.mark.slow), "2"])
def test_over_tls(study: tuple[Path, Path], certificate: tuple[Path, Path], workers: str) -> None:
    chain, key = certificate
    words = ["--host", "0.0.0.0", "--certificate", str(chain), "--key", str(key)]
    with started(study, *words, "--workers", workers) as server:
        assert server.address.startswith("https://0.0.0.0:")
        server.address = server.address.replace("0.0.0.0", "127.0.0.1")
        trusted = ssl.create_default_context(cafile=str(chain))
        assert server.get("/api/study", verify=trusted).status_code == 200
        with pytest.raises(httpx.ConnectError, match=r"(?i)certificate"):
            server.get("/api/health")
        with pytest.raises(httpx.RemoteProtocolError, match=r".*"):
            httpx.get(server.address.replace("https", "http") + "/api/health", trust_env=False)
        assert server.end(signal.SIGTERM) == 0


# --- what it refuses ------------------------------------------------------------------------------

NO_TLS = "others could read what goes over this address; give --certificate and --key, or say"
REFUSED: dict[str, tuple[list[str], int, str]] = {
    "all addresses without TLS": (["--host", "0.0.0.0"], 2, NO_TLS),
    "an address of others without TLS": (["--host", "192.0.2.1"], 2, NO_TLS),
    "all addresses of IPv6": (["--host", "::"], 2, NO_TLS),
    "a name without TLS": (["--host", "example.org"], 2, NO_TLS),
    "no such port": (["--port", "65536"], 2, "the port is a whole number from 0 to 65535"),
    "half of TLS": (["--key", "key.pem"], 2, "TLS needs a certificate and its key; give both"),
    "no certificate": (
        ["--certificate", "nowhere.pem", "--key", "nowhere.pem"],
        2,
        "there is no file 'nowhere.pem' for TLS",
    ),
    "no workers": (["--workers", "0"], 2, "workers are 1 to 64"),
    "too many workers": (["--workers", "65"], 2, "workers are 1 to 64"),
    "half of an issuer": (
        ["--issuer", "https://login.example.org"],
        2,
        "OpenID Connect needs an issuer and an audience; give both",
    ),
    "half of another": (["--audience", "discreet"], 2, "OpenID Connect needs an issuer"),
    "an issuer in the clear": (
        ["--issuer", "http://login.example.org", "--audience", "discreet"],
        2,
        "the address of an issuer must be https://",
    ),
    "an address of nobody here": (
        ["--host", "192.0.2.1", "--behind-proxy"],
        2,
        "192.0.2.1 port 8765 cannot be listened on; is it in use? Try --port 0",
    ),
}


@pytest.mark.parametrize(("words", "code", "says"), REFUSED.values(), ids=REFUSED)
def test_what_is_wrong_is_one_line(
    run: Run, tmp_path: Path, words: list[str], code: int, says: str
) -> None:
    study = written(tmp_path)
    found, out, err = run("serve", str(study[0]), "--policy", str(study[1]), *words)

    assert (found, out) == (code, "")
    assert err.splitlines()[-1].startswith(f"discreet: {says}")
    assert "valid" not in states(study).values()


def test_a_port_that_is_in_use(run: Run, tmp_path: Path) -> None:
    study = written(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, out, err = run("serve", str(study[0]), "--policy", str(study[1]), "--port", str(port))

    assert (code, out) == (2, "")
    assert err.splitlines()[-1] == (
        f"discreet: 127.0.0.1 port {port} cannot be listened on; is it in use? Try --port 0"
    )
    assert [*states(study).values()] == ["revoked"]


def test_no_file_and_no_policy(run: Run, tmp_path: Path) -> None:
    study = written(tmp_path)
    assert run("serve", str(tmp_path / "no.csv"), "--policy", str(study[1]))[0] == 2
    assert run("serve", str(study[0]), "--policy", str(tmp_path / "no.toml"))[0] == 2
    assert run("serve", str(study[0]), "--policy", "strict")[0] == 2


def without(module: str, study: tuple[Path, Path]) -> tuple[int, str, str]:
    """Serve in a process in which a module cannot be imported."""
    code = f"import sys; sys.modules[{module!r}] = None; from discreet.cli import main; main()"
    command = [sys.executable, "-c", code, "serve", str(study[0]), "--policy", str(study[1])]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    return ended.returncode, ended.stdout, ended.stderr


@pytest.mark.parametrize("missing", ["fastapi", "uvicorn"])
def test_without_the_packages_of_a_server_it_says_how_to_get_them(
    study: tuple[Path, Path], missing: str
) -> None:
    assert without(missing, study) == (
        2,
        "",
        "discreet: serving needs packages that are not installed: pip install 'discreet[server]'\n",
    )


def test_a_module_of_discreet_that_is_missing_is_a_bug(study: tuple[Path, Path]) -> None:
    code, _, err = without("discreet.serve.answers", study)

    assert code == 70
    assert "unexpected ModuleNotFoundError" in err


def test_a_token_that_cannot_be_taken_back_is_said(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from discreet.errors import LedgerError

    def fails(store: object, study: str, name: str) -> None:
        raise LedgerError("the ledger is damaged")

    study = written(tmp_path)
    monkeypatch.setattr("discreet.serve.log.revoke_token", fails)
    monkeypatch.setattr(importlib.import_module("discreet.serve.start"), "run", lambda *_: None)
    code, out, err = run("serve", str(study[0]), "--policy", str(study[1]))

    assert (code, out) == (0, "")
    assert err.splitlines()[1:] == [
        "discreet: the start's token stays valid for a day: the ledger is damaged"
    ]


@pytest.mark.parametrize("behind", [True, False])
def test_behind_a_proxy_the_link_is_said_to_be_another(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, behind: bool
) -> None:
    def told(_: object, __: object, said: Callable[[str], None]) -> None:
        said("http://127.0.0.1:1")

    study = written(tmp_path)
    monkeypatch.setattr(importlib.import_module("discreet.serve.start"), "run", told)
    options = ["--behind-proxy"] if behind else []
    code, out, _ = run("serve", str(study[0]), "--policy", str(study[1]), *options)

    assert code == 0
    assert ("https:// and your proxy's name, not as http://127.0.0.1:1." in out) is behind


def test_a_ledger_that_is_new_is_said(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = written(tmp_path)
    monkeypatch.setattr(importlib.import_module("discreet.serve.start"), "run", lambda *_: None)
    words = ("serve", str(study[0]), "--policy", str(study[1]))

    assert run(*words) == (
        0,
        "",
        "discreet: a new ledger begins: no release of this study is known. If there was one, stop,"
        " and restore the ledger from a backup\n",
    )
    assert run(*words) == (0, "", "")


@pytest.mark.slow
def test_a_service_prints_and_makes_no_token(study: tuple[Path, Path]) -> None:
    before = states(study)
    with started(study, "--no-token") as server:
        assert json.loads(server.printed[0]) == {"address": server.address, "token": None}
        assert httpx.get(f"{server.address}/api/health").json() == {"ok": True}
    assert states(study) == before
