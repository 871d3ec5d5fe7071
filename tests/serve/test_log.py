"""What was asked and what became of it: written once, read by study and by caller."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from discreet.errors import RegisterError
from discreet.records.store import Store, verify
from discreet.serve.record import (
    ANSWERED,
    Download,
    LogEntry,
    downloads,
    entry_of_view,
    explored,
    log,
    write_entry,
)
from discreet.serve.tokens import Caller
from tests.records.given import ALICE, BOB, alter, question, record_file, started, told


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Return the record of a folder that is not there yet."""
    return record_file(tmp_path / "state")


def test_a_row_says_who_asked_what_and_what_became_of_it(store: Store) -> None:
    assert write_entry(store, ALICE, question(), ANSWERED) == 1
    assert write_entry(store, BOB, LogEntry("s", "a1", "bars", "", None), "policy") == 2
    first, second = log(store)
    assert first.pop("at") <= second.pop("at")
    assert first == {
        "id": 1,
        "caller": "token alice",
        "study": "s",
        "version": "a1",
        "what": "histogram",
        "request": '{"columns": ["age"], "bins": 1}',
        "view": f"{1:032x}",
        "outcome": "answered",
    }
    assert (second["caller"], second["view"], second["outcome"]) == ("token bob", None, "policy")
    assert verify(store).broken == ()


def test_the_log_is_of_one_study_or_all_and_the_newest_first_where_so_many_are_wanted(
    store: Store,
) -> None:
    assert log(store) == log(store, most=3) == []
    for number, study in enumerate("ststt", start=1):
        write_entry(store, ALICE, question(number, study=study), ANSWERED)

    def ids(study: str | None = None, most: int | None = None) -> list[int]:
        return [entry["id"] for entry in log(store, study=study, most=most)]

    assert (ids(), ids(most=3), ids(most=0), ids(most=-1)) == ([1, 2, 3, 4, 5], [5, 4, 3], [], [])
    assert (ids("s"), ids("t"), ids("u")) == ([1, 3], [2, 4, 5], [])
    assert ids("t", most=2) == [5, 4]


VIEW = f"{1:032x}"


def test_who_has_not_asked_for_a_plot_does_not_find_it(store: Store) -> None:
    assert entry_of_view(store, "s", VIEW, None) is None
    write_entry(store, ALICE, question(), ANSWERED)
    write_entry(store, ALICE, question(version="b2"), ANSWERED)
    assert entry_of_view(store, "s", VIEW, ALICE.name) == question()
    assert entry_of_view(store, "s", VIEW, None) == question()
    assert entry_of_view(store, "s", VIEW, BOB.name) is None
    for study, view in (("t", VIEW), ("s", "x"), ("s", "")):
        assert entry_of_view(store, study, view, ALICE.name) is None
    write_entry(store, BOB, question(), ANSWERED)
    assert entry_of_view(store, "s", VIEW, BOB.name) == question()


@pytest.mark.parametrize("outcome", ["policy", "rate", "data", "busy", "broken"])
def test_who_asked_in_vain_does_not_find_what_another_was_answered(
    store: Store, outcome: str
) -> None:
    write_entry(store, BOB, question(), outcome)
    assert entry_of_view(store, "s", VIEW, None) is None
    write_entry(store, ALICE, question(), ANSWERED)
    assert entry_of_view(store, "s", VIEW, BOB.name) is None


def test_who_explores_the_rows_of_a_version_is_known(store: Store) -> None:
    def known(caller: Caller = ALICE, study: str = "s", version: str = "a1") -> bool:
        return explored(store, study, version, "rows", caller.name)

    entry = LogEntry("s", "a1", "rows", "", None)
    write_entry(store, ALICE, entry, "rate")
    assert not known()
    write_entry(store, ALICE, entry, ANSWERED)
    assert known()
    assert not any((known(BOB), known(study="t"), known(version="b2")))


def test_what_was_taken_from_a_server_is_listed_once_with_all_who_took_it(store: Store) -> None:
    for caller, view, what, outcome in (
        (ALICE, "b", "figure.svg", ANSWERED),
        (ALICE, "a", "figure.svg", ANSWERED),
        (ALICE, "a", "figure.svg", ANSWERED),
        (BOB, "a", "figure.svg", ANSWERED),
        (BOB, "a", "again", ANSWERED),
        (BOB, "c", "figure.svg", "unknown"),
    ):
        entry = LogEntry("s", "a1", what, json.dumps({"view": view}), None)
        write_entry(store, caller, entry, outcome)
    assert downloads(store, "s", "a1", ("figure.svg", "figure.png")) == (
        Download("b", "figure.svg", (ALICE.name,)),
        Download("a", "figure.svg", (ALICE.name, BOB.name)),
    )
    assert downloads(store, "s", "b2", ("figure.svg",)) == ()
    assert downloads(store, "t", "a1", ("figure.svg",)) == ()


CHANGED = {
    "whose it is": "UPDATE asked SET caller = 'token bob'",
    "what was asked": 'UPDATE asked SET request = \'{"view": "b"}\'',
    "its link is gone": "DELETE FROM chain WHERE source = 'asked'",
}
READERS: dict[str, Callable[[Store], object]] = {
    "what was asked before": lambda it: entry_of_view(it, "s", VIEW, None),
    "what was taken": lambda it: downloads(it, "s", "a1", ("figure.svg",)),
}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
@pytest.mark.parametrize("script", CHANGED.values(), ids=CHANGED)
def test_nothing_rests_on_an_entry_that_was_changed(
    store: Store, script: str, read: Callable[[Store], object]
) -> None:
    write_entry(store, ALICE, question(), ANSWERED)
    taken = LogEntry("s", "a1", "figure.svg", json.dumps({"view": VIEW}), None)
    write_entry(store, ALICE, taken, ANSWERED)
    assert read(store)
    alter(store.path, script)
    with pytest.raises(RegisterError, match=r"the record .* is damaged or in use"):
        read(store)


ASKING = """
import sys
from contextlib import nullcontext
from pathlib import Path
from tests.records.given import asked, record_file

folder, me, kept = sys.argv[1:]
store = record_file(Path(folder))
print("ready", flush=True)
sys.stdin.readline()
with store.kept_open() if kept == "kept" else nullcontext():
    for number in range(100):
        asked(store, 1000 * int(me) + number)
"""


@pytest.mark.slow
def test_processes_write_one_log(tmp_path: Path) -> None:
    held = ("kept", "opened each time")
    processes = [started(ASKING, tmp_path, me, how) for me, how in enumerate(held)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        told(process)
    store = record_file(tmp_path)
    found = log(store)
    wanted = [question(1000 * me + number).view for me in range(2) for number in range(100)]
    assert sorted(str(entry["view"]) for entry in found) == sorted(map(str, wanted))
    assert [entry["at"] for entry in found] == sorted(entry["at"] for entry in found)
    assert verify(store).broken == ()
