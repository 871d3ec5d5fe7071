"""What was handed to a checker and what was decided of it: only grows, sealed, by its bytes."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from discreet.errors import InputError, LedgerError
from discreet.ledger import outputs
from discreet.ledger.outputs import MOST_LETTERS, Output, file_of, hand_in, list_outputs, review
from discreet.ledger.store import Store, verify
from discreet.provenance import checksum_of_file
from tests.ledger.given import SECRET, alter

PASSED, LOOKED_AT = {"status": "pass"}, {"status": "review"}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Return the store of a folder that is not there yet."""
    return Store(tmp_path / "state", SECRET)


def handed(
    store: Store, path: Path, text: str = "drawn", record: dict[str, str] = PASSED
) -> Output:
    """Hand in a file of some text."""
    path.write_text(text)
    return hand_in(store, "s", 1, path, checksum_of_file(path), record)


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
    states = [output.state]
    for what, text in (
        ("comment", "for table 2"),
        ("rejected", "too fine"),
        ("comment", "bins are wider now"),
        ("approved", ""),
    ):
        output = review(store, "s", output.id, what, f"  {text} ", "token eva")
        states.append(output.state)

    assert states == ["waiting", "waiting", "rejected", "rejected", "approved"]
    assert output.comments == ("for table 2", "bins are wider now")
    assert output.decision is not None
    assert (output.decision.what, output.decision.text) == ("approved", "")
    assert {it.caller for it in output.reviews} == {"token eva"}
    assert verify(store).broken == ()


def test_what_is_decided_of_one_output_says_nothing_of_another(
    store: Store, tmp_path: Path
) -> None:
    one, other = handed(store, tmp_path / "a.svg"), handed(store, tmp_path / "a.svg", "changed")
    review(store, "s", one.id, "approved", "")
    assert [it.state for it in list_outputs(store, "s")] == ["approved", "waiting"]
    assert other.state == "waiting"


WITHOUT_WORDS = {
    "a comment": ("comment", PASSED),
    "a rejection": ("rejected", PASSED),
    "an approval of what did not pass": ("approved", LOOKED_AT),
}


@pytest.mark.parametrize(("what", "record"), WITHOUT_WORDS.values(), ids=WITHOUT_WORDS)
def test_words_are_needed(store: Store, tmp_path: Path, what: str, record: dict[str, str]) -> None:
    output = handed(store, tmp_path / "a.svg", record=record)
    with pytest.raises(InputError, match="say why: a comment, a rejection, and the approval of"):
        review(store, "s", output.id, what, " \n ")
    assert review(store, "s", output.id, what, "because").reviews != ()


BAD = {
    "another act": ({"what": "deleted"}, "is one of 'comment', 'approved', 'rejected'"),
    "too long": ({"text": "x" * (MOST_LETTERS + 1)}, "at most 2000 letters"),
    "unprintable": ({"text": "a\x1b[2Jb"}, "no signs that cannot be printed"),
    "turned around": ({"text": "a\u202eb"}, "no signs that cannot be printed"),
    "no such output": ({"id_": 99}, "the study has no such output"),
    "of another study": ({"study": "t"}, "the study has no such output"),
}


@pytest.mark.parametrize(("given", "text"), BAD.values(), ids=BAD)
def test_bad_reviews_are_refused_and_write_nothing(
    store: Store, tmp_path: Path, given: dict[str, object], text: str
) -> None:
    output = handed(store, tmp_path / "a.svg")
    call = {"study": "s", "id_": output.id, "what": "comment", "text": "fine"} | given
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
    "what it was decided of": "UPDATE output SET digest = 'x'",
}


@pytest.mark.promise
@pytest.mark.parametrize("script", FORGED.values(), ids=FORGED)
def test_an_approval_cannot_be_written_without_the_secret(
    store: Store, tmp_path: Path, script: str
) -> None:
    output = handed(store, tmp_path / "a.svg")
    review(store, "s", output.id, "rejected", "too fine")
    alter(store.path, script)
    with pytest.raises(LedgerError, match="is damaged or in use"):
        list_outputs(store, "s")
    assert verify(store).broken != ()


def test_a_ledger_from_before_outputs_gets_them(store: Store, tmp_path: Path) -> None:
    with store.writing() as connection:
        store.append(connection, "adoption", {"at": "2026"})
    alter(store.path, "DROP TABLE review; DROP TABLE output; PRAGMA user_version = 3;")

    output = handed(store, tmp_path / "a.svg")
    assert review(store, "s", output.id, "approved", "").state == "approved"
    assert verify(store).broken == ()


def test_a_ledger_whose_outputs_were_taken_away_is_damaged(store: Store, tmp_path: Path) -> None:
    handed(store, tmp_path / "a.svg")
    alter(store.path, "DROP TABLE review; DROP TABLE output; PRAGMA user_version = 3;")
    with pytest.raises(LedgerError, match="is damaged or in use"):
        list_outputs(store, "s")
