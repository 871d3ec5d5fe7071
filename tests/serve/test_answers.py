"""How a request is answered: made of the study file, written down, and sent byte for byte."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from discreet.errors import BrokenPromiseError, InputError, LeavingError, RefusedError
from discreet.plots import View
from discreet.serve import answers
from discreet.serve import files as files_of
from discreet.serve.answers import TABLE, VIEW, answer, answer_again, refused, study_json, who
from discreet.serve.desk import Turns
from discreet.serve.record import Answer, log
from discreet.serve.refusals import Refusal, refusal
from discreet.serve.studies import Served
from discreet.serve.tokens import Caller
from tests.serve.cohort import NAME, PUBLIC, served_of

ALICE, BOB = Caller("token alice", "analyst"), Caller("token bob", "analyst")
CAROL = Caller("token carol", "custodian")
AGE = {"columns": ["age"]}
AXES = {"columns": ["age", "bmi"]}


@pytest.fixture
def served(tmp_path: Path) -> Served:
    return served_of(tmp_path)


def bodies(found: Answer | Refusal) -> dict[str, Any]:
    return dict(json.loads(found.body))


def drawn(found: Answer | Refusal) -> Answer:
    """Say that a picture was sent."""
    assert isinstance(found, Answer), found
    assert found.status == 200
    return found


def told(found: Answer | Refusal) -> Refusal:
    assert isinstance(found, Refusal), found
    return found


def outcomes(served: Served) -> list[tuple[str, str, str]]:
    """Return of the log who asked, for what, and what became of it."""
    return [(row["caller"], row["what"], row["outcome"]) for row in log(served.store)]


def refuse(error: BaseException) -> Callable[..., View]:

    def fails(wish: object) -> View:
        raise error

    return fails


def test_a_picture_is_drawn_and_written_down(served: Served) -> None:
    sent = bodies(drawn(answer(served, ALICE, "histogram", AGE)))
    assert set(sent) == {"id", "kind", "view", "scene", "says", "alt"}
    assert (sent["kind"], len(sent["id"])) == ("histogram", 32)
    assert set(sent["id"]) <= set("0123456789abcdef")
    (row,) = log(served.store)
    assert {name: it for name, it in row.items() if name not in ("id", "at")} == {
        "caller": "token alice",
        "study": NAME,
        "version": served.version,
        "what": "histogram",
        "request": '{"columns":["age"]}',
        "view": sent["id"],
        "outcome": "answered",
    }


def test_a_question_that_was_asked_is_not_drawn_again(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = drawn(answer(served, ALICE, "parallel", AXES))
    monkeypatch.setattr(answers, "drawn", refuse(AssertionError("it was drawn again")))
    whole = {**AXES, "k": 5, "gradient": True, "pixels": 400}
    assert answer(served, BOB, "parallel", whole) == first
    assert [row[2] for row in outcomes(served)] == ["answered", "answered"]


def test_who_asks_for_the_same_at_once_is_drawn_for_once(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = []

    def slowly(*of: Any) -> View:
        times.append(1)
        time.sleep(0.3)
        return files_of.drawn(*of)

    monkeypatch.setattr(answers, "drawn", slowly)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: answer(served, ALICE, "histogram", AGE), range(8)))
    assert len({drawn(it).body for it in found}) == 1
    assert len(times) == 1
    assert [row[2] for row in outcomes(served)] == ["answered"] * 8


def test_what_the_rules_refuse_is_recorded_without_its_words(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "drawn", refuse(AssertionError("it was drawn")))
    assert told(answer(served, ALICE, "histogram", {"columns": ["Canary"]})).code == "request"
    assert told(answer(served, ALICE, "histogram", {**AGE, "k": 9})).code == "policy"
    assert told(refused(served, ALICE, "box", refusal("request"))).code == "request"
    rows = log(served.store)
    assert [(it["what"], it["request"], it["view"], it["outcome"]) for it in rows] == [
        ("histogram", "", None, "request"),
        ("histogram", "", None, "policy"),
        ("box", "", None, "request"),
    ]


def test_the_rate_is_of_all_requests(tmp_path: Path) -> None:
    served = served_of(tmp_path, a_minute=5)
    view = bodies(answer(served, ALICE, "parallel", AXES))["id"]
    answer_again(served, ALICE, view, "again")
    answer(served, ALICE, "summary", AGE)
    study_json(served, ALICE)
    refused(served, ALICE, "box", refusal("request"))
    for found in (
        answer(served, ALICE, "histogram", AGE),
        answer(served, ALICE, "histogram", {"columns": ["Canary"]}),
        answer_again(served, ALICE, view, "again"),
        answer_again(served, ALICE, "0" * 32, "again"),
        answer(served, ALICE, "summary", AGE),
        study_json(served, ALICE),
        refused(served, ALICE, "box", refusal("request")),
    ):
        assert isinstance(found, Refusal)
        assert (found.code, found.status) == ("rate", 429)
    assert [row[2] for row in outcomes(served)].count("rate") == 1
    drawn(answer(served, BOB, "histogram", AGE))


def test_what_the_rows_hold_back_is_always_told_with_the_same_bytes(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    reasons = [RefusedError("too few"), RefusedError("'Canary'"), InputError("3 levels")]
    for name, reason in zip(("age", "bmi", "glucose"), reasons, strict=True):
        monkeypatch.setattr(answers, "drawn", refuse(reason))
        found = told(answer(served, ALICE, "histogram", {"columns": [name]}))
        assert (found.status, found.body) == (403, refusal("data").body)
    held_back = log(served.store)
    assert [it["outcome"] for it in held_back] == ["data"] * 3
    # Nobody was answered, so there is nothing to give again.
    view = held_back[0]["view"]
    assert told(answer_again(served, ALICE, view, "again")) == refusal("unknown")


BROKEN = [BrokenPromiseError("Canary"), KeyboardInterrupt()]


@pytest.mark.parametrize("error", BROKEN, ids=lambda it: type(it).__name__)
def test_what_nobody_expects_is_recorded_and_raised(
    served: Served, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(answers, "drawn", refuse(error))
        with pytest.raises(type(error), match=r"Canary|^$"):
            answer(served, ALICE, "histogram", AGE)
    assert outcomes(served) == [("token alice", "histogram", "broken")]
    assert log(served.store)[0]["request"] == '{"columns":["age"]}'
    assert served.desk.turns.taken == 0
    drawn(answer(served, ALICE, "histogram", AGE))


def test_without_a_record_nothing_is_answered(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object) -> None:
        raise LeavingError("the record is damaged")

    view = bodies(answer(served, ALICE, "histogram", AGE))["id"]
    monkeypatch.setattr(answers, "write_entry", stopped)
    asked: list[Callable[[], object]] = [
        lambda: answer(served, ALICE, "histogram", AGE),
        lambda: answer(served, ALICE, "histogram", {"columns": ["Canary"]}),
        lambda: answer(served, ALICE, "summary", AGE),
        lambda: answer_again(served, ALICE, view, "again"),
        lambda: study_json(served, ALICE),
    ]
    for ask in asked:
        with pytest.raises(LeavingError, match="the record is damaged"):
            ask()
    monkeypatch.setattr(answers, "drawn", refuse(ValueError("Canary")))
    with pytest.raises(ValueError, match="Canary"):
        answer(served, ALICE, "histogram", {"columns": ["bmi"]})


def test_who_has_too_much_waiting_is_told_to_come_again(served: Served) -> None:
    view = bodies(answer(served, ALICE, "histogram", AGE))["id"]
    served.desk.turns = Turns(most=1)
    with served.desk.turns.of(who(served, ALICE)):
        found = told(answer(served, ALICE, "box", AGE))
        assert told(answer(served, ALICE, "summary", AGE)) == found
        drawn(answer_again(served, ALICE, view, "again"))  # it is kept, and needs no turn
    assert (found.code, found.status) == ("busy", 503)
    assert [row[2] for row in outcomes(served)] == ["answered", "busy", "busy", "answered"]
    drawn(answer(served, ALICE, "box", AGE))


def test_of_a_public_table_more_persons_than_there_are_cannot_be_drawn(tmp_path: Path) -> None:
    found = answer(served_of(tmp_path, PUBLIC), ALICE, "parallel", {**AXES, "k": 1000})
    assert told(found) == refusal("data")


def test_a_picture_is_given_again_to_who_has_asked_for_it(served: Served) -> None:
    found = drawn(answer(served, ALICE, "histogram", AGE))
    view = bodies(found)["id"]
    assert told(answer_again(served, BOB, view, "again")) == refusal("unknown")
    assert answer_again(served, CAROL, view, "figure.svg") == found
    assert answer_again(served, ALICE, view, "figure.svg") == found
    answer(served, BOB, "histogram", AGE)
    assert answer_again(served, BOB, view, "again") == found
    assert [row[1:] for row in outcomes(served)] == [
        ("histogram", "answered"),
        ("again", "unknown"),
        ("figure.svg", "answered"),
        ("figure.svg", "answered"),
        ("histogram", "answered"),
        ("again", "answered"),
    ]


def test_what_is_kept_nowhere_is_made_again_of_its_request(tmp_path: Path) -> None:
    first = served_of(tmp_path)
    part = {**AXES, "where": "age >= 40", "assign": {"ratio": "ldl / hdl"}, "by": "region"}
    plot = drawn(answer(first, ALICE, "scatter", part))
    table = drawn(answer(first, ALICE, "means", {"value": "bmi", "by": ["sex"]}))
    other = served_of(tmp_path)  # started anew, with the same file and record
    assert answer_again(other, ALICE, bodies(plot)["id"], "again", VIEW) == plot
    assert answer_again(other, ALICE, bodies(table)["id"], "again", TABLE) == table
    assert answer(other, ALICE, "scatter", part) == plot


@pytest.mark.parametrize("view", ["", "0" * 32, "Canary", "../..", "%00", "é" * 1000])
def test_a_picture_that_nobody_has_is_unknown_and_not_quoted(served: Served, view: str) -> None:
    for caller in (ALICE, CAROL):
        assert told(answer_again(served, caller, view, "again")) == refusal("unknown")
    assert [row["request"] for row in log(served.store)] == ["", ""]


def test_the_form_says_who_asks(served: Served) -> None:
    found = study_json(served, ALICE)
    assert not isinstance(found, Refusal)
    assert (found["study"], found["version"]) == (NAME, served.version)
    assert found["caller"] == {"name": "token alice", "role": "analyst"}
    assert {*found} == {
        *("study", "version", "caller", "policy", "columns"),
        *("pictures", "tables", "rows", "drawn", "suggestions"),
    }
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert outcomes(served) == [("token alice", "study", "answered")]
