"""The record as it is read: what of it is wanted, and of what kind each entry is."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from discreet.records.chain import stamp
from discreet.serve.entries import KINDS, Record, Wanted
from discreet.ledger.ledger import Ledger
from discreet.serve.log import Answer, Caller, LogEntry, ask, close, keep
from discreet.ledger.rules import ReleaseRecord
from discreet.records.store import Store
from discreet.sketch import sketch_of
from tests.ledger.given import ALICE, BOB, MUCH, NOON, SECRET

HOUR = timedelta(hours=1)
CAROL = Caller("token carol", "custodian")
# Who asks for what, after how many hours; how it ends; and the kind that it is.
ASKED: list[tuple[Caller, str, str, str | None, str, str]] = [
    (ALICE, "study", "", None, "answered", "other"),
    (ALICE, "histogram", '{"columns":["age"]}', "a", "answered", "shown"),
    (BOB, "histogram", '{"columns":["age"]}', "a", "repeated", "shown"),
    (BOB, "bars", '{"columns":["gr\\u00f6\\u00dfe"]}', "b", "data", "refused"),
    (ALICE, "bars", '{"columns":["gr\\u00f6\\u00dfe"]}', "b", "repeated", "refused"),
    (BOB, "scatter", "", None, "policy", "refused"),
    (ALICE, "figure svg", '{"view":"a"}', None, "answered", "left"),
    (BOB, "box", "{}", "c", "busy", "unanswered"),
    (BOB, "box", "{}", "c", "begun", "unanswered"),
    (CAROL, "token", '{"name":"dora"}', None, "answered", "other"),
    (ALICE, "figure svg", "", None, "unknown", "refused"),
]
KIND_OF = [case[-1] for case in ASKED]


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Record:
    """Return the record of a study, and of another in the same ledger."""
    store = Store(tmp_path_factory.mktemp("entries"), SECRET)
    for i, (caller, what, request, view, code, _) in enumerate(ASKED):
        question, now = LogEntry("s", 1, what, request, view), NOON + i * HOUR
        at_once = code if view is None else ""
        receipt = ask(store, caller, question, MUCH, code=at_once, now=now)
        if code in ("answered", "data") and view is not None:
            keep(store, receipt, question, Answer(200 if code == "answered" else 403, b"{}"), code)
        elif code == "busy":
            close(store, receipt, code)
        assert receipt.outcome in ("begun", code)
    ask(store, ALICE, LogEntry("t", 1, "histogram", "", "z"), MUCH)
    return Record(store, "s", leaving=("figure svg",), other=("study", "token"))


def kinds_of(found: list[dict[str, Any]]) -> list[str]:
    return [it["kind"] for it in found]


def test_each_entry_has_its_kind(record: Record) -> None:
    found = record.entries(Wanted())

    assert kinds_of(found[::-1]) == KIND_OF
    assert [(it["caller"], it["what"], it["at"]) for it in found[::-1]] == [
        (case[0].name, case[1], stamp(NOON + i * HOUR)) for i, case in enumerate(ASKED)
    ]
    assert [it["again"] for it in found[::-1]].count(True) == 2
    assert [it["outcome"] for it in found[::-1]][4] == "data", "what was held back stays so"
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


def test_causes_are_counted_the_most_first(record: Record) -> None:
    found = record.causes(Wanted())
    newest = {it["outcome"]: it["id"] for it in record.entries(Wanted(kind="refused"))[::-1]}

    assert [(it["outcome"], it["count"]) for it in found] == [
        ("data", 2),
        ("policy", 1),
        ("unknown", 1),
    ]
    assert {it["outcome"]: it["newest"] for it in found} == newest


def test_who_was_seen_last(record: Record) -> None:
    assert record.last_seen() == {
        "token alice": stamp(NOON + 10 * HOUR),
        "token bob": stamp(NOON + 8 * HOUR),
        "token carol": stamp(NOON + 9 * HOUR),
    }


def test_what_left_without_a_server_is_an_entry_too(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, SECRET)
    for form in ("svg", "web"):
        leaving = ReleaseRecord(
            study="s",
            settings={"regime": "guarded"},
            choices={},
            sketches={"column x": sketch_of(SECRET.marks([str(n) for n in range(60)]))},
            k=5,
            kind="histogram",
            columns=("x",),
            method="whole",
            form=form,
        )
        ledger.release([leaving], dict)
    (entry,) = Record(ledger.store, "s", (), ()).entries(Wanted(kind="left"))

    assert (entry["caller"], entry["what"], entry["outcome"]) == ("", "histogram", "answered")
    assert entry["request"] == '{"columns":["x"],"method":"whole","form":"svg"}'
    assert Record(ledger.store, "t", (), ()).entries(Wanted()) == []


def test_there_is_no_record_before_there_is_a_ledger(tmp_path: Path) -> None:
    record = Record(Store(tmp_path / "none", SECRET), "s", (), ())

    assert (record.entries(Wanted()), record.hours(Wanted()), record.last_seen()) == ([], [], {})
    assert not (tmp_path / "none").exists()
