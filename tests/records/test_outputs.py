"""What was handed to a checker and what was decided of it: only grows, sealed, by its bytes."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from discreet.errors import InputError, RegisterError
from discreet.provenance import checksum_of_file
from discreet.records import outputs
from discreet.records.outputs import (
    MOST_LETTERS,
    InForce,
    Output,
    file_of,
    hand_in,
    list_outputs,
    review,
)
from discreet.records.store import Store, verify
from tests.records.given import NOW, alter, register_file

PASSED, LOOKED_AT = {"status": "pass", "says": []}, {"status": "review", "says": []}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Return the store of a folder that is not there yet."""
    return register_file(tmp_path / "state")


def handed(
    store: Store, path: Path, text: str = "drawn", record: dict[str, Any] = PASSED
) -> Output:
    """Hand in a file of some text."""
    path.write_text(text)
    return hand_in(store, "s", NOW, path, checksum_of_file(path), record)


def test_an_output_is_recorded_once_by_its_bytes(store: Store, tmp_path: Path) -> None:
    first = handed(store, tmp_path / "a.svg")
    again = handed(store, tmp_path / "a.svg")
    changed = handed(store, tmp_path / "a.svg", "drawn otherwise")
    renamed = handed(store, tmp_path / "b.svg")
    assert first == again
    assert first.digest == renamed.digest == hashlib.sha256(b"drawn").hexdigest()
    assert [it.id for it in list_outputs(store, "s")] == [first.id, changed.id, renamed.id]
    assert list_outputs(store, "t") == ()
    assert list_outputs(store) == list_outputs(store, "s")
    assert file_of(store, "s", first.id) == b"drawn"
    assert file_of(store, "t", first.id) is None
    assert verify(store).broken == ()


def test_the_last_decision_stands_and_comments_decide_nothing(store: Store, tmp_path: Path) -> None:
    output = handed(store, tmp_path / "a.svg")
    states = [output.state(NOW)]
    for what, text in (
        ("comment", "for table 2"),
        ("rejected", "too fine"),
        ("comment", "bins are wider now"),
        ("approved", "wide enough"),
    ):
        output = review(store, "s", output.id, what, f"  {text} ", NOW, "token eva")
        states.append(output.state(NOW))
    assert states == ["waiting", "waiting", "rejected", "rejected", "approved"]
    assert output.comments == ("for table 2", "bins are wider now")
    assert output.decision is not None
    assert (output.decision.what, output.decision.text) == ("approved", "wide enough")
    assert {it.caller for it in output.reviews} == {"token eva"}
    assert verify(store).broken == ()


def test_what_is_decided_of_one_output_says_nothing_of_another(
    store: Store, tmp_path: Path
) -> None:
    one, other = handed(store, tmp_path / "a.svg"), handed(store, tmp_path / "a.svg", "changed")
    review(store, "s", one.id, "approved", "", NOW)
    assert [it.state(NOW) for it in list_outputs(store, "s")] == ["approved", "waiting"]
    assert other.state(NOW) == "waiting"


UNDER = {
    "the same": (NOW, "approved", "pass"),
    "another policy": (InForce("q", "1"), "outdated", "review"),
    "a new version": (InForce("p", "2"), "outdated", "review"),
}


@pytest.mark.parametrize(("later", "state", "status"), UNDER.values(), ids=UNDER)
def test_an_approval_holds_for_the_rules_that_it_was_given_under(
    store: Store, tmp_path: Path, later: InForce, state: str, status: str
) -> None:
    output = handed(store, tmp_path / "a.svg")
    review(store, "s", output.id, "approved", "", NOW)
    (found,) = list_outputs(store, "s")
    assert (found.state(later), found.status(later)) == (state, status)
    assert ("checked under an earlier policy" in " ".join(found.says(later))) == (
        state != "approved"
    )
    if state == "outdated":
        # What was checked under other rules has not passed these: it takes a reason.
        with pytest.raises(
            InputError, match="give a reason: a comment, a rejection, and the approval"
        ):
            review(store, "s", output.id, "approved", "", later)
    again = review(store, "s", output.id, "approved", "looked at again", later)
    assert again.state(later) == "approved"


def test_a_rejection_stands_whatever_comes_into_force(store: Store, tmp_path: Path) -> None:
    output = handed(store, tmp_path / "a.svg")
    output = review(store, "s", output.id, "rejected", "too fine", NOW)
    assert {output.state(later) for later, *_ in UNDER.values()} == {"rejected"}


WITHOUT_WORDS = {
    "a comment": ("comment", PASSED),
    "a rejection": ("rejected", PASSED),
    "an approval of what did not pass": ("approved", LOOKED_AT),
}


@pytest.mark.parametrize(("what", "record"), WITHOUT_WORDS.values(), ids=WITHOUT_WORDS)
def test_words_are_needed(store: Store, tmp_path: Path, what: str, record: dict[str, Any]) -> None:
    output = handed(store, tmp_path / "a.svg", record=record)
    with pytest.raises(
        InputError, match="give a reason: a comment, a rejection, and the approval of"
    ):
        review(store, "s", output.id, what, " \n ", NOW)
    assert review(store, "s", output.id, what, "because", NOW).reviews != ()


BAD = {
    "another act": ({"what": "deleted"}, "must be one of 'comment', 'approved', 'rejected'"),
    "too long": ({"text": "x" * (MOST_LETTERS + 1)}, "at most 2000 letters"),
    "unprintable": ({"text": "a\x1b[2Jb"}, "no characters that cannot be printed"),
    "turned around": ({"text": "a\u202eb"}, "no characters that cannot be printed"),
    "no such output": ({"id_": 99}, "the study has no such output"),
    "of another study": ({"study": "t"}, "the study has no such output"),
}


@pytest.mark.parametrize(("given", "text"), BAD.values(), ids=BAD)
def test_bad_reviews_are_refused_and_write_nothing(
    store: Store, tmp_path: Path, given: dict[str, object], text: str
) -> None:
    output = handed(store, tmp_path / "a.svg")
    call = {"study": "s", "id_": output.id, "what": "comment", "text": "fine", "now": NOW} | given
    with pytest.raises(InputError, match=text):
        review(store, **call)  # type: ignore[arg-type]
    assert list_outputs(store, "s")[0].reviews == ()


def test_a_large_file_is_known_by_its_digest_alone(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outputs, "MOST_BYTES", 4)
    output = handed(store, tmp_path / "a.csv", "12345")
    assert not output.kept
    assert file_of(store, "s", output.id) is None


FORGED = {
    "a decision": "UPDATE review SET what = 'approved'",
    "a decision more": "INSERT INTO review (at, output, what, text, caller)"
    " VALUES ('2026', 1, 'approved', '', '')",
    "an approval of other rules": "UPDATE decision SET policy = 'q'",
    "what it was decided of": "UPDATE output SET digest = 'x'",
}


@pytest.mark.parametrize("script", FORGED.values(), ids=FORGED)
def test_an_approval_cannot_be_written_without_the_secret(
    store: Store, tmp_path: Path, script: str
) -> None:
    output = handed(store, tmp_path / "a.svg")
    review(store, "s", output.id, "rejected", "too fine", NOW)
    alter(store.path, script)
    with pytest.raises(RegisterError, match="is damaged or in use"):
        list_outputs(store, "s")
    assert verify(store).broken != ()
