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
    code, out, err = run("token", "add", "alice")

    assert code == 0
    assert out.count("\n") == 1
    text = out.strip()
    assert caller_of(ledger_of("standard").store, text) == Caller("token alice", "analyst")
    assert text not in err
    assert "for alice, analyst, for 30 days" in err
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
    policy.write_text("k = 6\n")
    at = ("--policy", str(policy))
    assert run("token", "add", "alice", "--role", "custodian", "--days", "2.5", *at)[0] == 0
    assert run("token", "add", "bob", *at)[0] == 0
    assert run("token", "revoke", "bob", *at) == (0, "the token of bob is revoked\n", "")

    told = json.loads(run("token", "list", "--json", *at)[1])
    assert [(it["name"], it["role"], it["state"]) for it in told] == [
        ("alice", "custodian", "valid"),
        ("bob", "analyst", "revoked"),
    ]
    assert {*told[0]} == {"name", "role", "made", "expires", "revoked", "state"}
    monkeypatch.setenv("COLUMNS", "120")
    listed = run("token", "list", *at)[1]
    assert all(word in listed for word in ("alice", "custodian", "valid", "bob", "revoked"))
    assert (tmp_path / ".discreet" / "ledger.sqlite").exists()
    assert run("token", "list")[1].startswith("there are no tokens"), "another policy's ledger"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("add", "alice"), "there is or was a token named 'alice'"),
        (("add", "two words"), "a token's name has 1 to 64 letters"),
        (("add", "bob", "--role", "admin"), "must be one of 'analyst', 'custodian'"),
        (("add", "bob", "--days", "0"), "days must be more than 0"),
        (("revoke", "bob"), "there is no token of that name"),
    ],
)
def test_bad_words_end_with_one_line(run: Run, words: tuple[str, ...], said: str) -> None:
    assert run("token", "add", "alice")[0] == 0

    code, out, err = run("token", *words)
    assert (code, out) == (dc.InputError.exit_code, "")
    assert said in err
    assert err.count("\n") == 1
    assert len(json.loads(run("token", "list", "--json")[1])) == 1
