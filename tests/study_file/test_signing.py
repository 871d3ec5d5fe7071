"""The signing key: where it is kept, what it signs, and what follows it."""

from __future__ import annotations

import copy
import pickle
import stat
import sys
from pathlib import Path

import pytest

from discreet.errors import InputError
from discreet.study_file.signing import (
    FILE_NAME,
    Successor,
    draw_key,
    follows,
    is_signed,
    load_signing_key,
    replace_signing_key,
)

DAMAGED = {
    "nothing": b"",
    "a secret": b"ab" * 32,
    "no schema": b'{"private":"00"}',
    "a private half that is short": b'{"private":"00","schema":1,"successors":[]}',
}


def test_key_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    key = load_signing_key(tmp_path)
    assert load_signing_key(tmp_path).public == key.public
    assert draw_key().public != key.public
    assert [it.name for it in tmp_path.iterdir()] == [FILE_NAME]
    if sys.platform != "win32":
        assert stat.S_IMODE((tmp_path / FILE_NAME).stat().st_mode) == 0o600


def test_key_does_not_hang_on_the_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCREET_SECRET", "ab12" * 16)
    first, second = tmp_path / "a", tmp_path / "b"
    first.mkdir()
    second.mkdir()
    assert load_signing_key(first).public != load_signing_key(second).public


def test_signature_is_of_one_message_by_one_key_for_one_purpose() -> None:
    key = draw_key()
    signature = key.sign(b"message")
    assert is_signed(b"message", signature, key.public)
    assert not is_signed(b"massage", signature, key.public)
    assert not is_signed(b"message", signature, draw_key().public)
    assert not is_signed(b"message", signature, key.public, "successor")
    assert not is_signed(b"message", signature.upper(), key.public)
    assert not is_signed(b"message", "", key.public)


def test_key_is_followed_by_one_that_it_signed(tmp_path: Path) -> None:
    first = load_signing_key(tmp_path)
    second = replace_signing_key(tmp_path)
    third = replace_signing_key(tmp_path)
    assert load_signing_key(tmp_path).public == third.public
    chain = third.successors
    assert follows(first.public, third.public, chain)
    assert follows(second.public, third.public, chain)
    assert not follows(third.public, first.public, chain)
    assert not follows(draw_key().public, third.public, chain)


def test_successor_that_another_key_signed_is_refused() -> None:
    first, forger = draw_key(), draw_key()
    signature = forger.sign(bytes.fromhex(forger.public), "successor")
    with pytest.raises(InputError, match="not signed by that key"):
        Successor.from_plain(
            {"before": first.public, "after": forger.public, "signature": signature}
        )


@pytest.mark.parametrize("plain", [[], "text", {}, {"before": "a", "after": "b"}])
def test_successor_has_three_fields(plain: object) -> None:
    with pytest.raises(InputError, match="has the fields after, before, signature"):
        Successor.from_plain(plain)


@pytest.mark.skipif(sys.platform == "win32", reason="there rights are others")
def test_key_that_others_may_read_is_refused(tmp_path: Path) -> None:
    load_signing_key(tmp_path)
    (tmp_path / FILE_NAME).chmod(0o644)
    with pytest.raises(InputError, match="chmod 600"):
        load_signing_key(tmp_path)


@pytest.mark.parametrize("text", DAMAGED.values(), ids=DAMAGED)
def test_damaged_key_is_refused_and_stays(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / FILE_NAME
    path.write_bytes(text)
    path.chmod(0o600)
    with pytest.raises(InputError, match="signing-key") as refused:
        load_signing_key(tmp_path)
    assert path.read_bytes() == text
    assert "abab" not in str(refused.value)


def test_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read or made"):
        load_signing_key(tmp_path / "none")


def test_key_prints_and_pickles_as_nothing() -> None:
    key = draw_key()
    assert repr(key) == "SigningKey(...)"
    for write in (pickle.dumps, copy.copy):
        with pytest.raises(InputError, match="not written down"):
            write(key)
