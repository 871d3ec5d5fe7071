"""The record as it is read: what of it is wanted, and of what kind each entry is."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from discreet.records.store import stamp
from discreet.serve.record import KINDS, Record, Wanted
from discreet.serve.tokens import Caller
from tests.records.given import ALICE, BOB, NOON, asked, record_file

HOUR = timedelta(hours=1)
CAROL = Caller("token carol", "custodian")
# Who asks for what, after how many hours; how it ends; and the kind that it is.
ASKED: list[tuple[Caller, str, str, str | None, str, str]] = [
    (ALICE, "study", "", None, "answered", "other"),
    (ALICE, "histogram", '{"columns":["age"]}', "a", "answered", "shown"),
    (BOB, "histogram", '{"columns":["age"]}', "a", "answered", "shown"),
    (BOB, "bars", '{"columns":["gr\\u00f6\\u00dfe"]}', "b", "data", "refused"),
    (ALICE, "bars", '{"columns":["gr\\u00f6\\u00dfe"]}', "b", "data", "refused"),
    (BOB, "scatter", "", None, "policy", "refused"),
    (ALICE, "figure svg", '{"view":"a"}', None, "answered", "left"),
    (BOB, "box", "{}", "c", "busy", "unanswered"),
    (BOB, "box", "{}", "c", "broken", "unanswered"),
    (CAROL, "token", '{"name":"dora"}', None, "done", "other"),
    (ALICE, "figure svg", "", None, "unknown", "refused"),
]
KIND_OF = [case[-1] for case in ASKED]


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Record:
    """Return the record of a study, and of another on the same server."""
    store = record_file(tmp_path_factory.mktemp("entries"))
    with store.writing() as connection:
        for i, (caller, what, request, view, outcome, _) in enumerate(ASKED):
            values = {
                "at": stamp(NOON + i * HOUR),
                "caller": caller.name,
                "study": "t",
                "version": "a1",
                "what": what,
                "request": request,
                "view": view,
                "outcome": outcome,
            }
            store.append(connection, "asked", values)
    asked(store)
    return Record(store, "t", leaving=("figure svg",), other=("study", "token"))


def kinds_of(found: list[dict[str, Any]]) -> list[str]:
    return [it["kind"] for it in found]


def test_each_entry_has_its_kind(record: Record) -> None:
    found = record.entries(Wanted())
    assert kinds_of(found[::-1]) == KIND_OF
    assert [(it["caller"], it["what"], it["at"]) for it in found[::-1]] == [
        (case[0].name, case[1], stamp(NOON + i * HOUR)) for i, case in enumerate(ASKED)
    ]
    assert {*KIND_OF} == {*KINDS}
    of = {"what": "histogram", "request": '{"columns":["age"]}'}
    assert [it["of"] for it in found if it["of"]] == [of], "a file of what was asked before"


WANTED: dict[str, tuple[Wanted, list[int]]] = {
    "a kind": (Wanted(kind="left"), [6]),
    "a caller": (Wanted(caller="token carol"), [9]),
    "a code": (Wanted(outcome="data"), [3, 4]),
    "a kind of a caller": (Wanted(kind="refused", caller="token alice"), [4, 10]),
    "a word": (Wanted(find="HISTO"), [1, 2]),
    "two words, in any order": (Wanted(find="age  alice"), [1]),
    "a word that JSON escapes": (Wanted(find="größe"), [3, 4]),
    "what it became": (Wanted(find="refused bars"), [3, 4]),
    "a word of nothing": (Wanted(find="Canary"), []),
    "no pattern": (Wanted(find="%"), []),
    "from a moment": (Wanted(since=NOON + 9 * HOUR), [9, 10]),
    "until a moment": (Wanted(until=NOON + 2 * HOUR), [0, 1]),
    "an hour": (Wanted(since=NOON + 3 * HOUR, until=NOON + 4 * HOUR), [3]),
}


@pytest.mark.parametrize(("wanted", "rows"), WANTED.values(), ids=WANTED)
def test_what_is_wanted_is_found(record: Record, wanted: Wanted, rows: list[int]) -> None:
    every = record.entries(Wanted())[::-1]
    found = record.entries(wanted)
    assert found == [every[i] for i in rows][::-1]
    assert record.counts(wanted) == {kind: kinds_of(found).count(kind) for kind in KINDS}
    hours = record.hours(wanted)
    assert [it["at"] for it in hours] == [f"{every[i]['at'][:13]}:00:00+00:00" for i in rows]
    assert sum(count for it in hours for name, count in it.items() if name != "at") == len(rows)


def test_the_record_is_read_page_by_page(record: Record) -> None:
    whole, read = record.entries(Wanted()), list[dict[str, Any]]()
    while page := record.entries(Wanted(), before=read[-1]["id"] if read else None, most=4):
        assert len(page) <= 4
        read += page
    assert read == whole


def test_what_each_caller_was_given_and_from_when_to_when(record: Record) -> None:
    found = {it.caller: it for it in record.held()}
    assert {name: it.last for name, it in found.items()} == {
        "token alice": stamp(NOON + 10 * HOUR),
        "token bob": stamp(NOON + 8 * HOUR),
        "token carol": stamp(NOON + 9 * HOUR),
    }
    for name, it in found.items():
        own = [of for of in record.entries(Wanted(caller=name))[::-1]]
        assert it.first == own[0]["at"]
        given = [of["what"] for of in own if of["kind"] not in ("refused", "unanswered")]
        assert it.given == {what: given.count(what) for what in given}


def test_there_is_no_entry_before_there_is_a_record(tmp_path: Path) -> None:
    record = Record(record_file(tmp_path / "none"), "s", (), ())
    assert (record.entries(Wanted()), record.hours(Wanted()), record.held()) == ([], [], [])
    assert not (tmp_path / "none").exists()
