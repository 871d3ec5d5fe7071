"""A register's own key, and what becomes of it: lost, begun anew, and versions withdrawn."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discreet.errors import InputError, LeavingError, RegisterError
from discreet.records.store import verify
from discreet.register.register import MARK, Register
from discreet.register.rules import COPY_OF_TABLE, STUDY_FILE, ReleaseRecord
from discreet.secret import Secret
from discreet.sketch import SMALLEST, WHOLE_ROWS, Sketch, sketch_of
from tests.records.given import ANOTHER, SECRET, alter, started

SETTINGS: Mapping[str, Any] = {"regime": "guarded", "k": 5, "m": 20, "round_to": 5}


@pytest.fixture
def register(tmp_path: Path) -> Register:
    """Return a register in a folder that is not there yet, whose key is drawn."""
    return register_of_secret(tmp_path)


def register_of_secret(folder: Path, secret: Secret = SECRET) -> Register:
    return Register(folder / "state", secret, folder)


def table(register: Register, first: int = 0, last: int = 400) -> dict[str, Sketch]:
    """Sketch a table of so many persons, by a column and by rows."""
    marks = register.key.marks(np.arange(first, last, dtype=float) + 0.5)
    return {"column x": sketch_of(marks), WHOLE_ROWS: sketch_of(marks, SMALLEST)}


def leave(
    register: Register,
    study: str = "s",
    copy: str = "1",
    kind: str = "histogram",
    rows: tuple[int, int] = (0, 400),
    **settings: Any,
) -> None:
    """Let something of a copy leave."""
    every = table(register, *rows)
    record = ReleaseRecord(
        study,
        {**SETTINGS, **settings},
        {COPY_OF_TABLE: copy},
        {"column x": every["column x"]},
        5,
        kind,
        ("x",),
        "whole",
        "svg",
    )
    register.release([record], lambda: every)


# --- the key ----------------------------------------------------------------------------------


def test_the_key_is_drawn_once_and_its_owner_s_alone(register: Register, tmp_path: Path) -> None:
    leave(register)
    key = tmp_path / "state" / "register.key"
    if os.name == "posix":
        assert stat.S_IMODE(key.stat().st_mode) == 0o600
    before = key.read_bytes()
    again = register_of_secret(tmp_path)
    leave(again, kind="bars")
    assert key.read_bytes() == before
    assert verify(again.store).broken == ()
    other = register_of_secret(tmp_path / "other")
    assert table(other)["column x"].mark != table(register)["column x"].mark


def test_looking_draws_no_key(register: Register, tmp_path: Path) -> None:
    assert register.version("s") == 1
    assert not register.knows("s")
    assert (register.history(), register.declared(), register.choices("s", "")) == ([], [], {})
    assert verify(register.store).rows == 0
    assert [*tmp_path.iterdir()] == []


def test_of_many_that_begin_at_once_one_key_is_drawn(tmp_path: Path) -> None:
    def begin(number: int) -> str:
        own = register_of_secret(tmp_path)
        leave(own, f"s{number}", f"{number}", rows=(1000 * number, 1000 * number + 400))
        return own.fingerprint

    with ThreadPoolExecutor(8) as pool:
        prints = set(pool.map(begin, range(12)))
    last = register_of_secret(tmp_path)
    assert prints == {last.fingerprint}
    assert len(last.history()) == 12
    assert verify(last.store).broken == ()
    assert {it.name for it in (tmp_path / "state").iterdir()} == {"register.key", "register.sqlite"}


def unreadable(folder: Path) -> None:
    (folder / "state" / "register.key").chmod(0o644)


# What is done to the key while the file is there, and what is said.
KEYS: dict[str, tuple[Callable[[Path], Any], str]] = {
    "gone": (
        lambda folder: (folder / "state" / "register.key").unlink(),
        r"is there, but not its key, the file register.key beside it, .* restore the key from a"
        r" backup\. Without one, move the file elsewhere, and then `discreet register begin --lost",
    ),
    "another": (
        lambda folder: (folder / "state" / "register.key").write_text(bytes(range(9, 41)).hex()),
        r"is gone, or another is in its place|sealed with another key",
    ),
    "for all to read": (unreadable, r"can be read by others"),
    "cut short": (lambda folder: (folder / "state" / "register.key").write_text("1f"), "too weak"),
}


@pytest.mark.parametrize(("harm", "says"), KEYS.values(), ids=KEYS)
def test_without_its_key_nothing_leaves(
    register: Register, tmp_path: Path, harm: Callable[[Path], Any], says: str
) -> None:
    leave(register)
    before = (tmp_path / "state" / "register.sqlite").read_bytes()
    kept = (tmp_path / "state" / "register.key").read_text()
    harm(tmp_path)
    for study in ("s", "t"):
        with pytest.raises((RegisterError, InputError), match=says):
            leave(register_of_secret(tmp_path), study)
    assert (tmp_path / "state" / "register.sqlite").read_bytes() == before
    (tmp_path / "state" / "register.key").write_text(kept)
    (tmp_path / "state" / "register.key").chmod(0o600)
    leave(register_of_secret(tmp_path))


# --- another secret ---------------------------------------------------------------------------

OTHER_SECRET = (
    r"^another secret: that of the earlier release of these people, as study 's', is not the "
    r"current one, .* put that secret back, from a backup if need be \(it is looked for in the "
    r"environment variable DISCREET_SECRET, .*\); or, if nothing of it was given away, withdraw "
    r"it: `discreet register withdraw s --reason REASON`$"
)
# Whose persons a table has that is to leave by another secret.
BY_ANOTHER: dict[str, tuple[str, tuple[int, int], bool]] = {
    "the same table": ("s", (0, 400), False),
    "under another name": ("t", (0, 400), False),
    "a part of it": ("t", (100, 400), False),
    "a few of it and others": ("t", (396, 1500), True),
    "others": ("t", (1000, 1400), True),
}


@pytest.mark.parametrize(("study", "rows", "may"), BY_ANOTHER.values(), ids=BY_ANOTHER)
def test_the_same_persons_are_known_whatever_the_secret(
    register: Register, tmp_path: Path, study: str, rows: tuple[int, int], may: bool
) -> None:
    leave(register)
    other = register_of_secret(tmp_path, ANOTHER)
    if may:
        leave(other, study, "2", rows=rows)
        return
    with pytest.raises(LeavingError, match=OTHER_SECRET):
        leave(other, study, "2", rows=rows)
    leave(register, study, "1" if rows == (0, 400) else "2", rows=rows)  # by the old one it may


def test_of_a_secret_nothing_is_in_the_file(register: Register, tmp_path: Path) -> None:
    leave(register)
    content = (tmp_path / "state" / "register.sqlite").read_bytes()
    for material in (bytes(range(32)), SECRET.digest("fingerprint")):
        assert material not in content
        assert material.hex().encode() not in content
    assert register.fingerprint.encode() in content


# --- a lost register ----------------------------------------------------------------------------

GONE = (
    r"is gone, or another is in its place, though one was begun .* so nothing can be released;"
    r" restore it and register.key beside it from a backup\. Without one, `discreet register begin"
    r" --lost REASON`"
)


def emptied(folder: Path) -> None:
    """Put a file in its place that was never begun."""
    (folder / "state" / "register.sqlite").unlink()
    (folder / "state" / "register.sqlite").touch()


def replaced(folder: Path) -> None:
    """Put another register in its place, with its key."""
    leave(register_of_secret(folder / "other"))
    shutil.rmtree(folder / "state")
    shutil.copytree(folder / "other" / "state", folder / "state")


LOSSES: dict[str, Callable[[Path], Any]] = {
    "the file": lambda folder: (folder / "state" / "register.sqlite").unlink(),
    "file and key": lambda folder: shutil.rmtree(folder / "state"),
    "emptied": emptied,
    "replaced": replaced,
}


@pytest.mark.parametrize("lose", LOSSES.values(), ids=LOSSES)
def test_where_a_register_is_lost_nothing_leaves_until_that_is_said(
    register: Register, tmp_path: Path, lose: Callable[[Path], Any]
) -> None:
    leave(register)
    lose(tmp_path)

    for secret in (SECRET, ANOTHER):
        with pytest.raises(RegisterError, match=GONE):
            leave(register_of_secret(tmp_path, secret))
    if lose is replaced:
        with pytest.raises(InputError, match=r"is not lost, .* move that and its key elsewhere"):
            register_of_secret(tmp_path).begin("a broken disk")
        shutil.rmtree(tmp_path / "state")
    register_of_secret(tmp_path).begin("a broken disk")

    begun = register_of_secret(tmp_path)
    leave(begun)
    (first,) = begun.declared()
    assert (first["kind"], first["reason"], first["study"]) == ("beginning", "a broken disk", "")
    with begun.store.reading() as connection:
        rows = connection.execute("SELECT source FROM chain ORDER BY id LIMIT 1").fetchall()
    assert rows == [("beginning",)]
    assert verify(begun.store).broken == ()


def test_a_register_that_is_lost_meanwhile_is_not_made_again(
    register: Register, tmp_path: Path
) -> None:
    leave(register)
    shutil.rmtree(tmp_path / "state")
    with pytest.raises(RegisterError, match=GONE):
        leave(register)
    with pytest.raises(RegisterError, match=GONE):
        register.withdraw("s", "tried")
    assert not (tmp_path / "state").exists()


def test_a_register_that_is_there_is_not_begun_anew(register: Register, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not lost, so it cannot be started again"):
        register.begin("tidying up")
    assert [*tmp_path.iterdir()] == []
    leave(register)
    for reason in ("tidying up", "x"):
        with pytest.raises(InputError, match="is not lost, so it cannot be started again"):
            register.begin(reason)
    with pytest.raises(InputError, match="give a reason in some words"):
        register.begin("  ")
    assert register.declared() == []


KILLED = """
import os, signal, sys
from pathlib import Path
from discreet.records.store import Store
from tests.register.test_lost import leave, register_of_secret
folder, moment, what = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
keep = Store._keep_mark

def killed(store):
    if moment == "after":
        keep(store)
    os.kill(os.getpid(), signal.SIGKILL)

Store._keep_mark = killed
register = register_of_secret(folder)
leave(register) if what == "first" else register.begin("a broken disk")
"""


@pytest.mark.parametrize(("moment", "what"), [("before", "first"), ("after", "again")])
def test_who_is_killed_while_a_register_begins_begins_it_again(
    register: Register, tmp_path: Path, moment: str, what: str
) -> None:
    if what == "again":
        leave(register)
        shutil.rmtree(tmp_path / "state")
    with started(KILLED, tmp_path, moment, what) as process:
        _, wrong = process.communicate(timeout=600)
    assert process.returncode == -9, wrong
    if what == "again":
        with pytest.raises(RegisterError, match=GONE):
            leave(register_of_secret(tmp_path))
        register_of_secret(tmp_path).begin("a broken disk")
    leave(register_of_secret(tmp_path))
    found = register_of_secret(tmp_path)
    assert len(found.declared()) == (what == "again")
    assert verify(found.store).broken == ()
    assert {it.name for it in tmp_path.iterdir()} == {MARK, "state"}


@pytest.mark.parametrize("by", ["log", "verify"])
def test_a_lost_register_is_not_checked_as_if_there_were_none(
    register: Register, tmp_path: Path, by: str
) -> None:
    leave(register)
    shutil.rmtree(tmp_path / "state")
    store = register_of_secret(tmp_path).store
    with pytest.raises(RegisterError, match=GONE):
        verify(store) if by == "verify" else store.check_begun()


def test_the_mark_is_written_once_something_left_and_again_where_it_is_gone(
    register: Register, tmp_path: Path
) -> None:
    with pytest.raises(LeavingError, match="is damaged or in use"):
        leave(register, kind=None)  # type: ignore[arg-type]
    assert not (tmp_path / MARK).exists()
    leave(register)
    before = (tmp_path / MARK).read_text()
    assert "nothing is released without that register" in before.replace("\n", " ")
    (tmp_path / MARK).unlink()
    leave(register)
    assert (tmp_path / MARK).read_text() == before


@pytest.mark.skipif(os.name != "posix" or os.getuid() == 0, reason="who may all is stopped by none")
def test_where_no_mark_can_be_kept_nothing_leaves(register: Register, tmp_path: Path) -> None:
    (tmp_path / "state").mkdir(mode=0o700)
    tmp_path.chmod(0o500)
    with pytest.raises(RegisterError, match=r"it cannot be kept in .* make its folder writable"):
        leave(register)
    tmp_path.chmod(0o700)


def test_a_mark_that_is_a_folder_stops_all(register: Register, tmp_path: Path) -> None:
    (tmp_path / MARK).mkdir()
    with pytest.raises(RegisterError, match=r"whether there is a file .*IsADirectoryError"):
        leave(register)


# --- withdrawn --------------------------------------------------------------------------------


def test_what_is_withdrawn_counts_no_more_and_stays_in_the_chain(register: Register) -> None:
    for number in range(4):
        leave(register, f"s{number}", f"{number}", rows=(60 * number, 400 + 60 * number))
    with pytest.raises(LeavingError, match="no more copies of these people may be released"):
        leave(register, "e", "e", rows=(240, 640))
    assert register.withdraw("s2", "it was looked at and deleted") == 1
    leave(register, "e", "e", rows=(240, 640))
    (row,) = register.declared()
    assert {**row, "at": ""} == {
        "study": "s2",
        "version": 1,
        "at": "",
        "kind": "withdrawal",
        "reason": "it was looked at and deleted",
    }
    assert "s2" in {it["study"] for it in register.history()}
    assert verify(register.store).broken == ()


# What the next copy of persons is made by, once the only one is withdrawn.
NEXT: dict[str, tuple[str, Secret, dict[str, Any]]] = {
    "another secret": ("s", ANOTHER, {}),
    "another secret, renamed": ("t", ANOTHER, {}),
    "another k": ("s", SECRET, {"k": 6, "m": 24}),
    "another m, renamed": ("t", SECRET, {"m": 40}),
    "the same": ("s", SECRET, {}),
}


@pytest.mark.parametrize(("study", "secret", "settings"), NEXT.values(), ids=NEXT)
def test_after_it_persons_are_copied_anew(
    register: Register, tmp_path: Path, study: str, secret: Secret, settings: dict[str, Any]
) -> None:
    leave(register)
    other = register_of_secret(tmp_path, secret)
    if secret is ANOTHER or settings:
        with pytest.raises(LeavingError, match=r"another secret|'[km]' must be the same as in"):
            leave(other, study, "2", **settings)
    register.withdraw("s", "nothing left the room")
    assert other.version("s") == 2
    assert other.left_under("s") is None
    leave(other, study, "2", **settings)
    assert [(it["study"], it["version"]) for it in other.history()][1:] == [
        (study, 2 if study == "s" else 1)
    ]
    assert other.settings("s", 1) == SETTINGS, "what left by it is still told"


def test_twice_a_version_is_withdrawn_and_no_third_time_by_any_name(register: Register) -> None:
    for number, study in enumerate(("s", "s", "t")):
        leave(register, study, f"{number}", k=5 + number)
        if study == "s":
            assert register.withdraw("s", "tried") == number + 1
    with pytest.raises(LeavingError, match="of the same people under other names, were withdr"):
        register.withdraw("t", "tried")
    leave(register, "others", "9", rows=(5000, 5400), k=9)
    assert register.withdraw("others", "tried") == 1


def test_a_copy_that_was_withdrawn_leaves_again_as_any_other(register: Register) -> None:
    leave(register)
    register.withdraw("s", "tried")
    leave(register, "t", "2", rows=(200, 600), k=6)
    with pytest.raises(
        LeavingError, match="'k' must be the same as in the earlier copy of these people"
    ):
        leave(register, "u", "1")
    register.withdraw("t", "tried")
    leave(register, "u", "1")


# What is to be withdrawn, and what is said.
REFUSED: dict[str, tuple[tuple[Any, ...], type[Exception], str]] = {
    "published": (("s", "tried"), LeavingError, "version 1 of study 's' was published as a study"),
    "no such study": (("x", "tried"), InputError, "nothing of study 'x' was released; `discreet"),
    "no name": (("", "tried"), InputError, "nothing of study '' was released"),
    "no such version": (("s", "tried", 2), InputError, "nothing of version 2 of study 's' was"),
    "withdrawn": (("t", "tried", 1), InputError, "version 1 of study 't' was already withdrawn"),
    "no reason": (("s", " "), InputError, "give a reason in some words"),
    "no words": (("s", "\x1b[2J"), InputError, "no characters that cannot be printed"),
}


@pytest.mark.parametrize(("words", "error", "says"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_withdrawn_is_said(
    register: Register, words: tuple[Any, ...], error: type[Exception], says: str
) -> None:
    leave(register)
    leave(register, kind=STUDY_FILE)
    leave(register, "t", "2", rows=(5000, 5400))
    register.withdraw("t", "tried")
    with pytest.raises(error, match=says):
        register.withdraw(*words)
    assert len(register.declared()) == 1


def test_a_withdrawal_that_is_taken_back_by_hand_is_found(register: Register) -> None:
    leave(register)
    register.withdraw("s", "tried")
    alter(register.store.path, "DELETE FROM withdrawal")
    assert verify(register.store).broken == ("withdrawal row 1 is gone",)


def test_changed_data_are_compared_with_no_version_that_was_withdrawn(register: Register) -> None:
    leave(register)
    with pytest.raises(LeavingError, match="nearly the same data were released before"):
        leave(register, "t", "2", rows=(1, 400))
    register.withdraw("s", "tried")
    leave(register, "t", "2", rows=(1, 400))


def test_a_version_follows_one_that_stands(register: Register) -> None:
    leave(register)
    fresh = table(register, 100, 500)
    record = ReleaseRecord("s", SETTINGS, {COPY_OF_TABLE: "2"}, {}, 5)
    assert register.open_version(record, fresh.get) == 2
    register.withdraw("s", "opened by mistake")
    assert register.version("s") == 1
    assert register.open_version(replace(record), fresh.get) == 3
