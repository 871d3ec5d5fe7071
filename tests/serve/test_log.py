"""What was asked: one rate and one answer, whoever asks at the same time."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import BrokenPromiseError, LeavingError
from discreet.serve.log import (
    Answer,
    Caller,
    LogEntry,
    Receipt,
    ask,
    callers,
    close,
    keep,
    kept,
    log,
)
from discreet.records.store import Store, verify
from tests.ledger.given import (
    ALICE,
    BOB,
    MUCH,
    NOON,
    SECRET,
    alter,
    question,
    rows_of,
    started,
    told,
)

DRAWN = Answer(200, b'{"drawn": [1, 2]}')


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Return the store of a folder that is not there yet."""
    return Store(tmp_path / "state", SECRET)


def seconds(number: float) -> Any:
    """Return a time after noon."""
    return NOON + timedelta(seconds=number)


def outcomes(store: Store) -> list[str]:
    """Return what became of all that was asked."""
    return [str(entry["outcome"]) for entry in log(store)]


def answered(store: Store, view: int = 1, caller: Caller = ALICE) -> Answer:
    """Ask for a view, and keep its answer."""
    asked = ask(store, caller, question(view), MUCH)
    return asked.answer or keep(store, asked, question(view), DRAWN, "answered")


# --- one question -----------------------------------------------------------------------------


def test_a_question_is_written_down_before_it_is_answered(store: Store) -> None:
    asked = ask(store, ALICE, question(), MUCH, now=NOON)

    assert asked == Receipt(1, "begun", None)
    assert log(store) == [
        {
            "id": 1,
            "at": "2026-03-01T12:00:00.000+00:00",
            "caller": "token alice",
            "study": "s",
            "version": 1,
            "what": "histogram",
            "request": '{"columns": ["age"], "bins": 1}',
            "outcome": "begun",
        }
    ]
    assert keep(store, asked, question(), DRAWN, "answered") == DRAWN
    assert outcomes(store) == ["answered"]
    assert verify(store).broken == ()


def test_a_repeat_is_answered_byte_for_byte(store: Store) -> None:
    answered(store)

    assert ask(store, ALICE, question(), MUCH) == Receipt(2, "repeated", DRAWN)
    assert ask(store, BOB, question(), MUCH) == Receipt(3, "repeated", DRAWN)
    assert outcomes(store) == ["answered", "repeated", "repeated"]


@pytest.mark.parametrize(
    "other",
    [question(2), question(study="t"), question(version=2), question(None)],
    ids=["another view", "another study", "another version", "no view"],
)
def test_another_question_has_another_answer(store: Store, other: LogEntry) -> None:
    answered(store)

    assert ask(store, ALICE, other, MUCH) == Receipt(2, "begun", None)


def test_of_two_answers_the_first_is_sent_by_both(store: Store) -> None:
    first, second = (ask(store, caller, question(), MUCH) for caller in (ALICE, BOB))
    assert (first.outcome, second.outcome) == ("begun", "begun")

    assert keep(store, second, question(), Answer(200, b"second"), "answered").body == b"second"
    assert keep(store, first, question(), Answer(500, b"first"), "answered") == Answer(
        200, b"second"
    )
    assert outcomes(store) == ["answered", "answered"]
    assert rows_of(store.path, "SELECT count(*) FROM answer") == [(1,)]


@given(st.binary(max_size=300), st.integers(100, 599))
def test_an_answer_comes_back_as_it_was(body: bytes, status: int) -> None:
    with TemporaryDirectory() as folder:
        store, answer = Store(Path(folder), SECRET), Answer(status, body)
        assert keep(store, ask(store, ALICE, question(), MUCH), question(), answer, "x") == answer
        assert ask(store, ALICE, question(), MUCH).answer == answer
        assert kept(store, "s", 1, f"{1:032x}", ALICE.name) == answer


def test_an_answer_to_no_view_is_not_kept(store: Store) -> None:
    asked = ask(store, ALICE, question(None), MUCH)

    assert keep(store, asked, question(None), DRAWN, "answered") == DRAWN
    assert ask(store, ALICE, question(None), MUCH) == Receipt(2, "begun", None)
    assert outcomes(store) == ["answered", "begun"]


def test_the_first_ending_of_a_question_stands(store: Store) -> None:
    asked = ask(store, ALICE, question(), MUCH)
    close(store, asked, "busy")
    close(store, asked, "broken")

    assert outcomes(store) == ["busy"]
    # It was drawn after all: kept for the next who asks.
    assert keep(store, asked, question(), DRAWN, "answered") == DRAWN
    assert outcomes(store) == ["busy"]
    assert ask(store, ALICE, question(), MUCH).outcome == "repeated"


def test_what_was_not_written_down_cannot_be_answered(store: Store) -> None:
    refused = ask(store, ALICE, question(), 0)
    assert refused == Receipt(None, "rate", None)

    with pytest.raises(BrokenPromiseError, match="that the ledger does not hold"):
        keep(store, refused, question(), DRAWN, "answered")
    with pytest.raises(BrokenPromiseError, match="that the ledger does not hold"):
        close(store, refused, "broken")
    with pytest.raises(LeavingError, match="is damaged or in use"):
        keep(store, Receipt(77, "begun", None), question(), DRAWN, "answered")
    assert rows_of(store.path, "SELECT count(*) FROM answer") == [(0,)]


OTHER_BODY = zlib.compress(b'{"drawn": [3]}').hex()


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE answer SET body = x'00'",
        f"UPDATE answer SET body = x'{OTHER_BODY}'",
        "UPDATE answer SET status = 500",
        "DELETE FROM chain WHERE source = 'answer'",
    ],
)
def test_an_answer_that_was_changed_is_not_sent(store: Store, change: str) -> None:
    answered(store)
    alter(store.path, change)

    with pytest.raises(LeavingError, match="is damaged or in use"):
        ask(store, ALICE, question(), MUCH)
    with pytest.raises(LeavingError, match="is damaged or in use"):
        kept(store, "s", 1, f"{1:032x}", None)


# --- who sees what is kept --------------------------------------------------------------------


def test_who_has_not_asked_for_a_view_does_not_see_it(store: Store) -> None:
    view = f"{1:032x}"
    assert kept(store, "s", 1, view, None) is None
    answered(store)

    assert kept(store, "s", 1, view, ALICE.name) == DRAWN
    assert kept(store, "s", 1, view, None) == DRAWN
    assert kept(store, "s", 1, view, BOB.name) is None
    for study, version, name in (("t", 1, view), ("s", 2, view), ("s", 1, "x"), ("s", 1, "")):
        assert kept(store, study, version, name, ALICE.name) is None
    answered(store, caller=BOB)
    assert kept(store, "s", 1, view, BOB.name) == DRAWN


@pytest.mark.parametrize(
    ("code", "a_minute", "outcome"),
    [("policy", MUCH, "policy"), ("", 0, "rate"), ("policy", 0, "rate")],
)
def test_who_asked_in_vain_does_not_see_it(
    store: Store, code: str, a_minute: int, outcome: str
) -> None:
    answered(store)

    asked = ask(store, BOB, question(), a_minute, code=code)
    assert (asked.outcome, asked.answer) == (outcome, None)
    assert kept(store, "s", 1, f"{1:032x}", BOB.name) is None
    assert outcomes(store) == ["answered", outcome]
    refused = rows_of(store.path, "SELECT view FROM asked WHERE caller = 'token bob'")
    assert refused == [(None,)], "which view it was is not written down"


@pytest.mark.parametrize("code", ["leaving", "busy", "broken", ""])
def test_who_was_not_answered_does_not_see_what_another_was(store: Store, code: str) -> None:
    receipt = ask(store, BOB, question(), MUCH)
    if code:
        close(store, receipt, code)
    answered(store)

    assert kept(store, "s", 1, f"{1:032x}", ALICE.name) == DRAWN
    assert kept(store, "s", 1, f"{1:032x}", BOB.name) is None


# --- the rate ---------------------------------------------------------------------------------


def test_a_rate_is_of_the_last_sixty_seconds(store: Store) -> None:
    def outcome(at: float, caller: Caller = ALICE, code: str = "") -> str:
        return ask(store, caller, question(None), 3, code=code, now=seconds(at)).outcome

    assert [outcome(0), outcome(20, code="policy"), outcome(40)] == ["begun", "policy", "begun"]
    assert outcome(41) == outcome(42, code="policy") == outcome(59.999) == "rate"
    assert outcome(50, BOB) == "begun"
    assert outcome(60) == "begun", "the first is sixty seconds ago"
    assert outcome(60.001) == "rate"
    assert outcome(80) == "begun"


def test_one_row_a_minute_tells_of_a_flood(store: Store) -> None:
    with store.kept_open():
        asked = [
            ask(store, ALICE, question(None), 2, now=seconds(n / 10)).outcome for n in range(3000)
        ]

    assert Counter(asked) == {"begun": 10, "rate": 2990}, "two in each of five minutes"
    assert Counter(outcomes(store)) == {"begun": 10, "rate": 5}
    assert verify(store).rows == 15


def test_who_keeps_asking_is_let_in_again(store: Store) -> None:
    asked = [ask(store, ALICE, question(), 1, now=seconds(30 * n)).outcome for n in range(7)]

    assert asked == ["begun", "rate"] * 3 + ["begun"]


def test_a_clock_that_was_put_back_gives_nobody_more(store: Store) -> None:
    assert ask(store, ALICE, question(), 1, now=NOON).outcome == "begun"
    assert ask(store, ALICE, question(), 1, now=seconds(-3600)).outcome == "rate"


def test_a_rate_is_of_one_study(store: Store) -> None:
    assert ask(store, ALICE, question(study="t"), 1, now=NOON).outcome == "begun"
    assert ask(store, ALICE, question(study="t"), 1, now=NOON).outcome == "rate"
    # there the name may be another person's
    assert ask(store, ALICE, question(study="s"), 1, now=NOON).outcome == "begun"
    assert ask(store, ALICE, question(study="s"), 1, now=NOON).outcome == "rate"


# --- the log ----------------------------------------------------------------------------------


def test_the_log_is_read_in_pages(store: Store) -> None:
    assert log(store) == log(store, most=3) == []
    for view in range(1, 8):
        ask(store, ALICE, question(view), MUCH)

    def ids(**page: Any) -> list[int]:
        return [entry["id"] for entry in log(store, **page)]

    assert ids() == [1, 2, 3, 4, 5, 6, 7]
    assert ids(most=3) == [7, 6, 5]
    assert ids(most=3, before=5) == [4, 3, 2]
    assert ids(most=3, before=2) == [1]
    assert ids(most=3, before=1) == ids(most=0) == ids(most=-1) == []
    assert ids(before=3) == [1, 2]


def test_the_log_of_a_study_is_of_it_alone(store: Store) -> None:
    for view, study in enumerate("ststt", start=1):
        ask(store, ALICE, question(view, study=study), MUCH)

    def ids(**page: Any) -> list[int]:
        return [entry["id"] for entry in log(store, **page)]

    assert (ids(study="s"), ids(study="t"), ids(study="u")) == ([1, 3], [2, 4, 5], [])
    assert ids(study="t", most=2) == [5, 4]
    assert ids(study="t", most=2, before=4) == [2]


# --- laws -------------------------------------------------------------------------------------

STEPS = st.lists(
    st.tuples(
        st.sampled_from([ALICE, BOB]),
        st.sampled_from([None, 1, 2, 3]),
        st.sampled_from([1, 2]),
        st.sampled_from(["", "", "", "policy"]),
        st.integers(0, 25),
        st.booleans(),
    ),
    max_size=25,
)


def expected(
    steps: Sequence[tuple[Caller, int | None, int, str, int, bool]], a_minute: int
) -> list[str]:
    """Say what becomes of questions, by lists alone."""
    asked: list[tuple[Caller, float]] = []
    answers: set[tuple[int, int]] = set()
    now, found = 0, []
    for caller, view, version, code, later, keeps in steps:
        now += later
        if sum(who == caller and at > now - 60 for who, at in asked) >= a_minute:
            found.append("rate")
            continue
        asked.append((caller, now))
        outcome = code or ("repeated" if (view, version) in answers else "begun")
        if outcome == "begun" and keeps and view is not None:
            answers.add((view, version))
        found.append(outcome)
    return found


@given(STEPS, st.integers(0, 5))
def test_what_becomes_of_questions_is_as_counted_by_hand(
    steps: list[tuple[Caller, int | None, int, str, int, bool]], a_minute: int
) -> None:
    now, found = NOON, []
    with TemporaryDirectory() as folder:
        store = Store(Path(folder), SECRET)
        with store.kept_open():
            for caller, view, version, code, later, keeps in steps:
                now += timedelta(seconds=later)
                of = question(view, version=version)
                asked = ask(store, caller, of, a_minute, code=code, now=now)
                found.append(asked.outcome)
                if asked.outcome == "begun" and keeps:
                    keep(store, asked, of, Answer(200, b"%d" % (view or 0)), "answered")
                elif asked.outcome == "repeated":
                    assert asked.answer == Answer(200, b"%d" % (view or 0))
            assert found == expected(steps, a_minute)
            written = [outcome for outcome in outcomes(store) if outcome != "rate"]
            assert len(written) == len([outcome for outcome in found if outcome != "rate"])
            assert verify(store).broken == ()


# --- at the same time -------------------------------------------------------------------------


def test_threads_have_one_rate_and_one_answer(store: Store) -> None:
    def draw(number: int) -> tuple[str, bytes]:
        of = question(number // 8)  # as many ask for a view as there are threads
        asked = ask(store, ALICE, of, 120, now=NOON)
        if asked.outcome != "begun":
            return asked.outcome, b"" if asked.answer is None else asked.answer.body
        mine = Answer(200, b"by %d" % number)
        return "begun", keep(store, asked, of, mine, "answered").body

    with store.kept_open(), ThreadPoolExecutor(8) as pool:
        found = list(pool.map(draw, range(200)))

    assert Counter(outcome == "rate" for outcome, _ in found) == {False: 120, True: 80}
    assert outcomes(store).count("rate") == 1
    bodies: dict[int, set[bytes]] = {}
    for number, (outcome, body) in enumerate(found):
        if outcome != "rate":
            bodies.setdefault(number // 8, set()).add(body)
    assert len(bodies) >= 120 / 8
    assert all(len(each) == 1 for each in bodies.values()), "one view, one answer"
    assert verify(store).broken == ()


ASKING = """
import sys, time
from pathlib import Path
from discreet.serve.log import Answer, ask, keep
from discreet.records.store import Store
from tests.ledger.given import ALICE, NOON, SECRET, question

folder, me, a_minute, kept = sys.argv[1:]
store = Store(Path(folder), SECRET)

def draw(view):
    of = question(view)
    asked = ask(store, ALICE, of, int(a_minute), now=NOON)
    if asked.outcome != "begun":
        return asked.outcome, asked.answer
    return "begun", keep(store, asked, of, Answer(200, f"by {me}".encode()), "answered")

def all_of_them():
    for n in range(100):
        view = (n * 7 + int(me) * 13) % 40
        outcome, answer = draw(view)
        print(outcome, view, "" if answer is None else answer.body.decode(), sep="|")

print("ready", flush=True)
while not Path(folder, "go").exists():
    time.sleep(0.001)
if kept == "kept":
    with store.kept_open():
        all_of_them()
else:
    all_of_them()
"""


@pytest.mark.parametrize("held", ["kept", "opened each time"])
@pytest.mark.parametrize("a_minute", [MUCH, 50])
def test_processes_have_one_rate_and_one_answer(tmp_path: Path, a_minute: int, held: str) -> None:
    processes = [started(ASKING, tmp_path, me, a_minute, held) for me in range(3)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    (tmp_path / "go").touch()
    lines = [line.split("|") for process in processes for line in told(process)]

    store = Store(tmp_path, SECRET)
    found = Counter(outcome for outcome, *_ in lines)
    assert sum(found.values()) == 3 * 100
    assert set(found) <= {"begun", "repeated", "rate"}
    assert found["begun"] + found["repeated"] == min(a_minute, 3 * 100)
    assert outcomes(store).count("rate") == (a_minute < 3 * 100)
    bodies = {(view, body) for outcome, view, body in lines if outcome != "rate"}
    assert len(bodies) == len({view for view, _ in bodies}), "one view, one answer"
    assert len(bodies) == 40 or a_minute < 3 * 100
    assert rows_of(store.path, "SELECT count(*) FROM answer") == [(len(bodies),)]
    assert "begun" not in outcomes(store)
    assert verify(store).broken == ()


def test_callers_are_those_of_a_study(store: Store) -> None:
    assert callers(store, "s") == ()
    for caller, study in ((BOB, "s"), (ALICE, "t"), (BOB, "t"), (BOB, "s"), (ALICE, "t")):
        ask(store, caller, question(study=study), MUCH)

    assert callers(store, "s") == (BOB.name,)
    assert callers(store, "t") == tuple(sorted((ALICE.name, BOB.name)))
    assert callers(store, "u") == ()
