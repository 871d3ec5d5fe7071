"""`discreet token`: made and shown once, listed without what opens anything, revoked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

import discreet as dc
from discreet.ledger import Caller, caller_of
from discreet.study import ledger_of

Run = Callable[..., tuple[int, str, str]]


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
