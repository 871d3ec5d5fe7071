"""What a server holds of a copy: how often it may be asked for, and what was asked before."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.ledger.log import Allowance, Caller, LogEntry, ask, asked_before
from discreet.ledger.store import Store
from discreet.secret import Secret
from discreet.serve.held import Rate

ALICE, BOB = Caller("token alice", "analyst"), Caller("token bob", "analyst")


def test_the_rate_begins_anew_each_minute() -> None:
    now = [0.0]
    rate = Rate(2, lambda: now[0])
    for minute in (0.0, 60.0, 3600.0):
        now[0] = minute
        assert [rate.lets("alice") for _ in range(4)] == [True, True, False, False]
        now[0] = minute + 59.9
        assert not rate.lets("alice")
        assert rate.lets("bob")


BEFORE: dict[str, tuple[Caller, LogEntry, bool]] = {
    "the same": (ALICE, LogEntry("s", 1, "rows", "{}", "wa"), True),
    "another caller": (BOB, LogEntry("s", 1, "rows", "{}", "wa"), False),
    "another view": (ALICE, LogEntry("s", 1, "rows", "{}", "wb"), False),
    "another version": (ALICE, LogEntry("s", 2, "rows", "{}", "wa"), False),
    "another study": (ALICE, LogEntry("t", 1, "rows", "{}", "wa"), False),
    "what was one too many": (ALICE, LogEntry("s", 1, "rows", "{}", "c"), False),
}


@pytest.mark.parametrize("name", BEFORE)
def test_what_was_asked_before_is_known(tmp_path: Path, name: str) -> None:
    caller, question, known = BEFORE[name]
    store = Store(tmp_path, Secret.from_bytes(bytes(range(32))))
    assert not asked_before(store, caller, question)
    ask(store, ALICE, LogEntry("s", 1, "rows", "{}", "wa"), Allowance(0, 9))
    over = ask(store, ALICE, LogEntry("s", 1, "rows", "{}", "c"), Allowance(0, 9))

    assert over.outcome == "budget"
    assert asked_before(store, caller, question) == known
