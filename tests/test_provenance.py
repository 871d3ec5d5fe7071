"""What is written of where a figure comes from, and that it cannot be made without the secret."""

import hashlib
import json
from dataclasses import replace
from typing import Any

import pytest

from discreet.errors import BrokenPromiseError, InputError
from discreet.provenance import Provenance, Sealer, canonical_text, checksum_of, key_of, keyed
from discreet.secret import Secret

KEY = key_of(Secret.from_bytes(bytes(range(32))))
OTHER = key_of(Secret.from_bytes(bytes(range(1, 33))))
BARE = Provenance(
    version="0e598ffd46393cc0",
    policy="a84c345d085a8def",
    discreet="0.1.0",
    request={"plot": "histogram", "columns": ["age"]},
    source="copy",
    checksum="9f6c",
)
SEALED = BARE.sealed(KEY)
CHANGES: dict[str, Any] = {
    "version": "0e598ffd46393cc1",
    "policy": "b",
    "discreet": "0.1.1",
    "request": {"plot": "histogram", "columns": ["bmi"]},
    "source": "counts",
    "checksum": "9f6d",
    "seal": "00",
    "schema": 1,
}


def test_it_holds_what_the_issue_says_and_nothing_else() -> None:
    told = SEALED.sealed_file(KEY, b"x", ".png").to_plain()
    held = ["version", "policy", "discreet", "request", "source", "checksum"]
    assert [*told] == ["schema", "id", *held, "seal", "file_seal"]
    assert [*BARE.to_plain()] == ["schema", "id", *held]


@pytest.mark.parametrize("told", [BARE, SEALED, SEALED.sealed_file(KEY, b"x", ".png")])
def test_it_comes_back_as_it_was_written(told: Provenance) -> None:
    assert Provenance.from_text(told.to_text()) == told


def test_its_text_is_no_markup() -> None:
    told = replace(BARE, request={"formula": "a < b & c > 'ä'"})
    text = told.to_text()
    assert text.isascii()
    assert not set("<>&") & set(text)
    assert Provenance.from_text(text) == told


@pytest.mark.parametrize("name", [*CHANGES])
def test_a_changed_field_breaks_the_seal(name: str) -> None:
    assert SEALED.is_genuine(KEY)
    changed = replace(SEALED, **{name: CHANGES[name]})
    assert not changed.is_genuine(KEY)
    if name != "seal":
        assert changed.id != SEALED.id


def test_another_secret_seals_otherwise() -> None:
    assert not SEALED.is_genuine(OTHER)
    assert not SEALED.sealed_file(KEY, b"file", ".png").fits_file(OTHER, b"file", ".png")
    assert not BARE.is_genuine(KEY)
    assert not SEALED.fits_file(KEY, b"", ".png")


def test_the_seal_of_a_file_is_of_its_bytes_its_ending_and_of_what_is_said() -> None:
    told = SEALED.sealed_file(KEY, b"file", ".png")
    assert told.fits_file(KEY, b"file", ".png")
    assert not told.fits_file(KEY, b"fil", ".png")
    assert not told.fits_file(KEY, b"file", ".svg")
    assert not replace(told, checksum="other").fits_file(KEY, b"file", ".png")
    assert not replace(SEALED, file_seal=SEALED.seal).fits_file(KEY, b"", ".png")


def test_guessed_numbers_are_not_confirmed_by_a_file() -> None:
    """Its checksum is keyed: whoever has a figure alone cannot try numbers against it."""
    guessed = checksum_of({"counts": [5, 10, 25]})
    made = Sealer(KEY, lambda: BARE).provenance(guessed)
    assert made is not None
    assert made.holds(KEY, guessed)
    assert not made.holds(KEY, checksum_of({"counts": [5, 10, 30]}))
    assert not made.holds(OTHER, guessed)
    text = made.to_text()
    assert guessed not in text
    assert hashlib.sha256(guessed.encode()).hexdigest() not in text


def test_the_same_numbers_have_the_same_id() -> None:
    assert BARE.id == SEALED.id == "".join(filter(str.isalnum, BARE.id))
    assert len(BARE.id) == 16


@pytest.mark.parametrize(
    "wrong",
    [
        "x",
        "[]",
        "{}",
        "[" * 5000,
        json.dumps(SEALED.to_plain() | {"user": "alice"}),
        json.dumps(SEALED.to_plain() | {"schema": 3}),
        json.dumps(SEALED.to_plain() | {"schema": True}),
        json.dumps(SEALED.to_plain() | {"schema": 1}),
        json.dumps(SEALED.to_plain() | {"id": "0" * 16}),
        json.dumps(SEALED.to_plain() | {"seal": 1}),
        json.dumps(SEALED.to_plain() | {"request": []}),
        json.dumps({name: it for name, it in SEALED.to_plain().items() if name != "source"}),
        json.dumps(SEALED.to_plain() | {"request": {"bins": float("nan")}}),
        SEALED.to_text().replace('{"plot"', '{"x": 1e999, "plot"'),
        replace(SEALED, seal="ä").to_text(),
        replace(SEALED, policy="a\nb.png: as made").to_text(),
        replace(SEALED, policy="\x1b[2J").to_text(),
    ],
)
def test_what_is_none_is_refused(wrong: str) -> None:
    with pytest.raises(InputError, match="not provenance written by discreet"):
        Provenance.from_text(wrong)


def test_words_that_say_the_same_otherwise_are_refused() -> None:
    """Of a name that stands twice the last counts; the first could be markup that is drawn."""
    text = SEALED.to_text()
    for same in (
        '{"source": "</metadata><rect/><metadata>", ' + text[1:],
        text.replace("{", "{ ", 1),
        text.replace("copy", "\\u0063opy"),
    ):
        assert json.loads(same) == json.loads(text)
        with pytest.raises(InputError, match="not provenance written by discreet"):
            Provenance.from_text(same)


def test_checksums_are_of_values_and_not_of_how_they_are_written() -> None:
    assert canonical_text({"b": [1.5, None], "a": "ä"}) == '{"a":"\\u00e4","b":[1.5,null]}'
    assert checksum_of({"b": 1, "a": 2}) == checksum_of({"a": 2, "b": 1})
    assert checksum_of({"a": 1}) != checksum_of({"a": 2})


def test_a_sealer_completes_and_seals() -> None:
    sealer = Sealer(KEY, lambda: BARE)
    assert sealer.of_text("9f6c") == SEALED
    assert sealer.provenance("9f6c") == replace(BARE, checksum=keyed(KEY, "9f6c")).sealed(KEY)
    assert Sealer(KEY).provenance("9f6c") is None
    with pytest.raises(BrokenPromiseError, match="nothing says where it is from"):
        Sealer(KEY).of_text("9f6c")


def test_what_holds_the_place_of_a_provenance_is_as_long() -> None:
    sealer = Sealer(KEY, lambda: BARE)
    made = sealer.of_file(b"rest", ".parquet")
    assert made.fits_file(KEY, b"rest", ".parquet")
    assert made.holds(KEY, b"rest".hex())
    assert len(sealer.placeholder()) == len(made.to_text())
