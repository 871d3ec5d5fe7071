"""Whose a token is: the ledger's first, then a trusted issuer's."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from discreet.ledger import Store, add_token, revoke_token
from discreet.ledger.tokens import Caller
from discreet.secret import Secret
from discreet.serve.access import LONGEST, callers


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path, Secret.from_bytes(bytes(range(32))))


class Issuer:
    """Says that every token is somebody's, and remembers which it was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def caller(self, token: str) -> Caller | None:
        self.asked.append(token)
        return Caller("oidc f3a1", "analyst")


def test_a_token_of_the_ledger_is_its_owners(store: Store) -> None:
    alice, carol = add_token(store, "s", "alice"), add_token(store, "s", "carol", "custodian")
    caller_of = callers(store, "s")

    assert caller_of(alice) == Caller("token alice", "analyst")
    assert caller_of(carol) == Caller("token carol", "custodian")
    revoke_token(store, "s", "alice")
    assert (caller_of(alice), caller_of(carol)) == (None, Caller("token carol", "custodian"))


def test_a_token_of_another_study_of_the_ledger_is_nobodys(store: Store) -> None:
    here, there = (add_token(store, study, "carol", "custodian") for study in ("s", "t"))

    assert callers(store, "s")(here) == callers(store, "t")(there)
    assert callers(store, "s")(there) is None
    assert callers(store, "t")(here) is None
    revoke_token(store, "t", "carol")
    assert callers(store, "s")(here) is not None


def test_an_expired_token_is_nobodys(store: Store) -> None:
    before = datetime.now(UTC) - timedelta(days=2)
    assert callers(store, "s")(add_token(store, "s", "alice", days=1, now=before)) is None


@pytest.mark.parametrize(
    "token", ["", "Canary", "discreet_", "discreet_\udc80", "ä" * 10, "a.b.c", "a" * (LONGEST + 1)]
)
def test_any_other_text_is_nobodys(store: Store, token: str) -> None:
    add_token(store, "s", "alice")
    assert callers(store, "s")(token) is None


def test_an_issuer_is_asked_for_what_looks_like_its_tokens_alone(store: Store) -> None:
    alice, issuer = add_token(store, "s", "alice"), Issuer()
    caller_of = callers(store, "s", issuer)

    assert caller_of("head.body.seal") == Caller("oidc f3a1", "analyst")
    assert caller_of(alice) == Caller("token alice", "analyst")
    for token in ("", "Canary", "a.b", "a.b.c.d", f"a.b.{'c' * LONGEST}"):
        assert caller_of(token) is None
    assert issuer.asked == ["head.body.seal"]
