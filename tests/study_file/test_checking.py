"""What a check says, and who signed a study before."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import discreet as dc
from discreet.errors import InputError
from discreet.study_file import (
    SigningKey,
    check,
    fingerprint,
    load_signing_key,
    open_signed,
    write_study_file,
)
from discreet.study_file.signing import draw_key
from tests.cli.conftest import run
from tests.study_file.files import DRAFT, rows_of

__all__ = ["run"]

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCREET_STATE", str(tmp_path / "state"))


def signed(folder: Path, name: str, key: SigningKey, **changed: Any) -> Path:
    path = folder / f"{name}.discreet"
    write_study_file(path, replace(DRAFT, **changed), [rows_of(500)], key)
    return path


def test_check_says_what_the_file_is(tmp_path: Path) -> None:
    key = draw_key()
    path = signed(tmp_path, "clinic", key)
    found = dc.check(path)
    own = fingerprint(key.public)
    assert (found.study, found.version, found.rows, found.persons) == ("clinic", "2", 500, 3000)
    assert (found.signer.state, found.signer.fingerprint, found.is_trusted) == ("first", own, True)
    lines = str(found).splitlines()
    assert lines[:5] == [
        f"{path} is a study file of discreet, unchanged since it was signed.",
        "study      clinic, version 2",
        "rows       500, of a protected copy; people: about 3000",
        "columns    4: age (years), smoker (3 levels), born (dates), seen (dates)",
        "protected  k = 5, m = 20: each value has at least k people behind it, and is drawn "
        "from at least m who are alike",
    ]
    assert f"signed by  {own}: seen for the first time" in str(found)
    assert "use  " not in str(found)


def test_check_says_for_whom_the_file_is_and_whether_its_day_is_past(tmp_path: Path) -> None:
    asked = {"audience": "members of METAGUT", "until": "2020-01-31", "combine": False}
    found = dc.check(signed(tmp_path, "old", draw_key(), policy=asked))
    assert (
        "use        for members of METAGUT, until 2020-01-31, not to be combined with other"
        " studies, which is past: ask the custodian for another one"
    ) in str(found)
    assert asked.items() <= found.to_plain().items()


STEPS: dict[str, tuple[Callable[[SigningKey], SigningKey], str]] = {
    "the same key": (lambda key: key, "same"),
    "its successor": (lambda key: key.followed(), "successor"),
    "the successor of its successor": (lambda key: key.followed().followed(), "successor"),
    "another key": (lambda key: draw_key(), "changed"),
    "a successor of another": (lambda key: draw_key().followed(), "changed"),
}


@pytest.mark.parametrize(("step", "state"), STEPS.values(), ids=STEPS)
def test_who_signed_is_compared_with_who_signed_before(
    tmp_path: Path, step: Callable[[SigningKey], SigningKey], state: str
) -> None:
    first = draw_key()
    check(signed(tmp_path, "one", first))
    path = signed(tmp_path, "two", step(first), version="3")
    found = check(path)
    assert (found.signer.state, found.is_trusted) == (state, state != "changed")
    assert found.signer.before == fingerprint(first.public)
    # Once a successor is taken it is what later ones are compared with; another key never is.
    again = check(path).signer.state
    assert again == ("changed" if state == "changed" else "same")


def test_other_studies_have_keys_of_their_own(tmp_path: Path) -> None:
    check(signed(tmp_path, "one", draw_key()))
    assert check(signed(tmp_path, "two", draw_key(), study="register")).signer.state == "first"


def test_file_of_another_key_is_not_opened_until_it_is_trusted(tmp_path: Path) -> None:
    first, second = draw_key(), draw_key()
    open_signed(signed(tmp_path, "one", first)).close()
    path = signed(tmp_path, "two", second)
    with pytest.raises(InputError, match="ANOTHER KEY than before"):
        open_signed(path)
    with pytest.raises(InputError, match="not that of the key that signed"):
        check(path, trust=fingerprint(first.public))
    assert check(path, trust=fingerprint(second.public)).signer.state == "trusted"
    with open_signed(path) as file:
        assert file.column("age").length() == 500


def test_key_that_was_rotated_beside_the_secret_is_followed(tmp_path: Path) -> None:
    from discreet.study_file import replace_signing_key

    check(signed(tmp_path, "one", load_signing_key(tmp_path)))
    found = check(signed(tmp_path, "two", replace_signing_key(tmp_path)))
    assert found.signer.state == "successor"


DAMAGED = {
    "nothing": b"",
    "a list": b"[]",
    "a key that is none": b'{"key":"","schema":1,"study":""}',
}


@pytest.mark.parametrize("text", DAMAGED.values(), ids=DAMAGED)
def test_damaged_memory_of_keys_is_not_begun_anew(tmp_path: Path, text: bytes) -> None:
    path = signed(tmp_path, "one", draw_key())
    check(path)
    (kept,) = (tmp_path / "state" / "signers").iterdir()
    kept.write_bytes(text)
    with pytest.raises(InputError, match=kept.name):
        check(path)
    assert kept.read_bytes() == text


def test_state_that_cannot_be_kept_is_named(tmp_path: Path) -> None:
    path = signed(tmp_path, "one", draw_key())
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="DISCREET_STATE"):
        check(path, state=tmp_path / "file")


# --- the command line -----------------------------------------------------------------------------


def test_command_says_what_the_file_is(run: Run, tmp_path: Path) -> None:
    path = signed(tmp_path, "clinic", draw_key())
    code, out, err = run("check", str(path))
    assert (code, err) == (0, "")
    assert out.splitlines()[1] == "study      clinic, version 2"
    code, out, _ = run("check", str(path), "--json")
    found = json.loads(out)
    assert (code, found["key"], found["rows"], found["k"]) == (0, "same", 500, 5)
    assert [it["name"] for it in found["columns"]] == ["age", "smoker", "born", "seen"]


def test_command_ends_with_10_where_another_key_signed(run: Run, tmp_path: Path) -> None:
    run("check", str(signed(tmp_path, "one", draw_key())))
    second = draw_key()
    path = signed(tmp_path, "two", second)
    code, out, _ = run("check", str(path))
    assert code == 10
    assert f"--trust '{fingerprint(second.public)}'" in out
    assert run("check", str(path), "--trust", fingerprint(second.public))[0] == 0
    assert run("check", str(path))[0] == 0


def test_command_refuses_what_is_no_study_file(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "cohort.csv"
    path.write_text("age\n41\n")
    code, out, err = run("check", str(path))
    assert (code, out) == (2, "")
    assert "is not a study file" in err


def test_signs_that_would_colour_a_terminal_stand_as_their_code(run: Run, tmp_path: Path) -> None:
    path = signed(tmp_path, "clinic", draw_key(), study="clinic\u202e")
    assert "\\u202e" in run("check", str(path))[1]
