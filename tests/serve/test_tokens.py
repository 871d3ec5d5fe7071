"""Tokens: who may ask; the record keeps a digest of each and nothing that opens anything."""

import hashlib
import hmac
import math
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from discreet.errors import InputError, RegisterError
from discreet.records.store import Store, stamp, verify
from discreet.serve.tokens import (
    FIELDS,
    ROLES,
    Caller,
    Token,
    add_token,
    caller_of,
    change_token,
    list_tokens,
    revoke_token,
)
from tests.records.given import ANOTHER, NOON, alter, record_file, rows_of

DAY = timedelta(days=1)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Return the store of a folder that is not there yet."""
    return record_file(tmp_path / "state")


def test_a_token_opens_the_study_in_its_role(store: Store) -> None:
    for role in ROLES:
        text = add_token(store, "s", f"{role}.1", role)
        assert caller_of(store, text) == (Caller(f"token {role}.1", role), "s")
    assert add_token(store, "s", "carol") != add_token(store, "s", "dave")
    assert [token.role for token in list_tokens(store)] == [*ROLES, "analyst", "analyst"]
    assert verify(store).broken == ()


def test_a_token_has_256_bits_and_a_prefix_to_know_it_by(store: Store) -> None:
    texts = {add_token(store, "s", f"t{n}") for n in range(20)}
    assert len(texts) == 20
    for text in texts:
        assert text.startswith("discreet_")
        assert len(text) == len("discreet_") + math.ceil(256 / 6)
        assert text.isascii()
        assert not set(text) & set("+/= ")


def test_the_file_holds_no_token(store: Store) -> None:
    text = add_token(store, "s", "alice")
    content = store.path.read_bytes()
    assert text.encode() not in content
    assert text.removeprefix("discreet_").encode() not in content
    assert rows_of(store.path, "SELECT digest FROM token") == [
        (hashlib.sha256(text.encode()).hexdigest(),)
    ]
    (token,) = list_tokens(store)
    assert hashlib.sha256(text.encode()).hexdigest() not in repr(token)
    assert text not in repr(token)


def test_what_is_no_token_opens_nothing(store: Store) -> None:
    assert caller_of(store, "discreet_x") is None, "there is no record yet"
    text = add_token(store, "s", "alice")
    digest = hashlib.sha256(text.encode()).hexdigest()
    for other in ("", "x", text[:-1], text + "x", text.upper(), f" {text}", digest, "alice", "ä\0"):
        assert caller_of(store, other) is None
    assert caller_of(store, "\ud800") is None, "no text that UTF-8 knows"


def test_a_token_opens_its_own_study_alone(store: Store) -> None:
    here, there = (add_token(store, study, "carol", "custodian") for study in ("s", "t"))
    carol = Caller("token carol", "custodian")
    assert [caller_of(store, text) for text in (here, there)] == [(carol, "s"), (carol, "t")]
    assert [token.study for token in list_tokens(store)] == ["s", "t"]
    assert [token.study for token in list_tokens(store, "t")] == ["t"]
    assert list_tokens(store, "u") == ()
    with pytest.raises(InputError, match="the study has no token of that name"):
        revoke_token(store, "u", "carol")
    revoke_token(store, "t", "carol")
    assert caller_of(store, here) == (carol, "s")
    assert caller_of(store, there) is None


def test_a_token_that_was_moved_to_another_study_in_the_file_opens_nothing(store: Store) -> None:
    text = add_token(store, "s", "alice")
    alter(store.path, "UPDATE token SET study = 't'")
    assert caller_of(store, text) is None


def test_one_token_is_read_and_compared_in_constant_time(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [add_token(store, "s", f"t{n}") for n in range(5)]
    compared: list[tuple[str, str]] = []
    compare = hmac.compare_digest

    def listen(one: str, other: str) -> bool:
        compared.append((one, other))
        return compare(one, other)

    monkeypatch.setattr("hmac.compare_digest", listen)
    for text, often in ((texts[0], 1), (texts[4], 1), ("none of them", 0)):
        compared.clear()
        caller_of(store, text)
        assert compared == [(hashlib.sha256(text.encode()).hexdigest(),) * 2] * often
    query = f"EXPLAIN QUERY PLAN SELECT {FIELDS} WHERE digest = 'x'"
    assert not any("SCAN token" in str(row) for row in rows_of(store.path, query))


@pytest.mark.parametrize(
    ("after", "opens"),
    [
        (timedelta(0), True),
        (2 * DAY - timedelta(milliseconds=1), True),
        (2 * DAY, False),
        (3 * DAY, False),
    ],
)
def test_a_token_expires(store: Store, after: timedelta, opens: bool) -> None:
    text = add_token(store, "s", "alice", days=2, now=NOON)
    (token,) = list_tokens(store)
    assert (caller_of(store, text, now=NOON + after) is not None) == opens
    assert token == Token("s", "alice", "analyst", stamp(NOON), stamp(NOON + 2 * DAY), None)
    assert token.state(NOON + after) == ("valid" if opens else "expired")


def test_a_revoked_token_opens_nothing_ever_again(store: Store) -> None:
    text, other = add_token(store, "s", "alice"), add_token(store, "s", "bob")
    revoke_token(store, "s", "alice")
    assert caller_of(store, text) is None
    assert caller_of(store, other) == (Caller("token bob", "analyst"), "s")
    first = list_tokens(store)
    assert [token.state() for token in first] == ["revoked", "valid"]
    revoke_token(store, "s", "alice")
    assert list_tokens(store) == first, "it is revoked once"
    assert first[0].state(NOON + 9999 * DAY) == "revoked"


def test_a_name_is_used_once_for_ever(store: Store) -> None:
    add_token(store, "s", "alice", days=0.001, now=NOON)
    with pytest.raises(
        InputError, match="there is or was a token named 'alice' already for study 's'"
    ):
        add_token(store, "s", "alice")
    revoke_token(store, "s", "alice")
    with pytest.raises(InputError, match="names cannot be reused, so choose another"):
        add_token(store, "s", "alice", "custodian")
    assert [token.role for token in list_tokens(store)] == ["analyst"]


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "no name": ({"name": ""}, "a token's name has 1 to 64 letters"),
    "a name with a new line": ({"name": "alice\n"}, "a token's name"),
    "a name of marks": ({"name": "[red]"}, "a letter first"),
    "a study that is none": ({"study": None}, "a token opens one study"),
    "another role": ({"role": "admin"}, "must be one of 'analyst', 'custodian'"),
    "no days": ({"days": 0}, "days must be more than 0 and at most 3660"),
    "too many days": ({"days": 3660.5}, "days must be"),
    "days without end": ({"days": math.inf}, "days must be"),
}


@pytest.mark.parametrize(("given_", "text"), BAD.values(), ids=BAD)
def test_bad_tokens_are_refused(store: Store, given_: dict[str, Any], text: str) -> None:
    with pytest.raises(InputError, match=text):
        add_token(store, **{"study": "s", "name": "alice", **given_})
    assert list_tokens(store) == ()


@pytest.mark.parametrize("name", ["x" * 64, "zoë", "alice.b-c_2@ward+x", "_x"])
def test_good_names_are_kept(store: Store, name: str) -> None:
    assert caller_of(store, add_token(store, "s", name)) == (
        Caller(f"token {name}", "analyst"),
        "s",
    )


FORGED = """
INSERT INTO token (at, study, name, role, digest, expires)
    SELECT at, study, 'eve', 'custodian', '{}', expires FROM token WHERE id = 1;
INSERT INTO chain (source, row, seal) SELECT 'token', 2, seal FROM chain WHERE id = 1;
"""


@pytest.mark.parametrize("links", [True, False], ids=["with a link", "without one"])
def test_a_token_that_was_written_into_the_file_opens_nothing(store: Store, links: bool) -> None:
    text = add_token(store, "s", "alice")
    forged = FORGED.format(hashlib.sha256(b"discreet_eve").hexdigest())
    alter(store.path, forged if links else forged.split(";")[0])
    assert [token.name for token in list_tokens(store)] == ["alice", "eve"]
    assert caller_of(store, "discreet_eve") is None
    assert caller_of(store, text) is not None
    alter(store.path, "UPDATE token SET role = 'custodian' WHERE id = 1")
    assert caller_of(store, text) is None
    assert caller_of(record_file(store.path.parent, ANOTHER), text) is None, "another key"


def test_without_a_record_nobody_is_let_in(store: Store) -> None:
    text = add_token(store, "s", "alice")
    store.path.write_bytes(b"rubbish" * 1000)
    with pytest.raises(RegisterError, match="is damaged or in use"):
        caller_of(store, text)
    with pytest.raises(RegisterError, match="is damaged or in use"):
        add_token(store, "s", "bob")


def test_a_token_holds_as_long_as_was_said_last(store: Store) -> None:
    text = add_token(store, "s", "alice", days=2, now=NOON)
    for days, until in ((9, 10), (3, 4), (0.5, 1.5)):
        end = NOON + until * DAY
        changed = change_token(store, "s", "alice", days=days, now=NOON + DAY)
        assert changed == Token("s", "alice", "analyst", stamp(NOON), stamp(end), None)
        assert list_tokens(store) == (changed,)
        before = caller_of(store, text, now=end - timedelta(milliseconds=1))
        assert before == (Caller("token alice", "analyst"), "s")
        assert caller_of(store, text, now=end) is None
    assert verify(store).broken == ()


def test_a_revoked_token_gets_no_other_terms(store: Store) -> None:
    add_token(store, "s", "alice")
    revoke_token(store, "s", "alice")
    with pytest.raises(InputError, match="'alice' is revoked for good; make another one"):
        change_token(store, "s", "alice", days=3)
    with pytest.raises(InputError, match="the study has no token of that name"):
        change_token(store, "t", "alice", days=3)


@pytest.mark.parametrize("days", [0, -1.0, 3660.5, math.inf, math.nan])
def test_days_that_no_token_may_hold_are_refused(store: Store, days: float) -> None:
    add_token(store, "s", "alice")
    before = list_tokens(store)
    with pytest.raises(InputError, match="days must be more than 0 and at most 3660"):
        change_token(store, "s", "alice", days=days)
    assert list_tokens(store) == before


def test_terms_that_were_changed_in_the_file_open_nothing(store: Store) -> None:
    text = add_token(store, "s", "alice")
    change_token(store, "s", "alice", days=5)
    assert caller_of(store, text) is not None
    alter(store.path, "UPDATE terms SET expires = '9'")
    assert caller_of(store, text) is None


def test_terms_written_into_the_file_open_nothing(store: Store) -> None:
    text = add_token(store, "s", "alice")
    alter(store.path, "INSERT INTO terms (at, token, expires) SELECT at, id, '9' FROM token")
    assert caller_of(store, text) is None
