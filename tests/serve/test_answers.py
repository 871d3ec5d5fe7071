"""How a request is answered: recorded first, drawn once, kept, and sent byte for byte."""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pyarrow.csv import write_csv

from discreet.datasets import diabetes
from discreet.errors import BrokenPromiseError, InputError, LeavingError, RefusedError
from discreet.ledger.ledger import Ledger
from discreet.serve.log import Answer, Caller, keep, log
from discreet.plots import View
from discreet.policy import Policy
from discreet.serve import answers
from discreet.serve import files as files_of
from discreet.serve.answers import (
    answer_again,
    answer_orders,
    answer_view,
    refused,
    study_json,
)
from discreet.serve.facts import MOST_AT_ONCE, Served, serve_study
from discreet.serve.refusals import Refusal, refusal
from discreet.serve.requests import check
from discreet.study import open as open_study
from tests.serve.cohort import COUNTED, POLICY, cohort, opened


def test_all_that_answers_depend_on_is_settled_at_the_start(tmp_path: Path) -> None:
    served = serve_study(opened(tmp_path))

    assert (served.name, served.version) == ("cohort.csv", 1)
    assert "patient" not in served.columns
    assert served.columns["diagnosis"].role == "sensitive"
    assert served.a_minute == 100000
    assert serve_study(served.study).edition == served.edition


def test_other_data_another_policy_and_another_secret_are_other_editions(tmp_path: Path) -> None:
    def edition(policy: str = POLICY, rows: int = 442, secret: bool = False) -> str:
        write_csv(cohort().slice(0, rows), tmp_path / "cohort.csv")
        (tmp_path / "discreet.toml").write_text(policy)
        if secret:
            (tmp_path / "discreet.secret").write_text(secrets.token_hex(32))
        return serve_study(open_study(tmp_path / "cohort.csv", tmp_path / "discreet.toml")).edition

    opened(tmp_path)
    first = edition()
    others = {edition(f"k = 7\n{POLICY}"), edition(rows=441), edition(secret=True)}
    assert len({first, *others}) == 4
    assert edition(POLICY.replace("100000", "5")) == edition()


def test_a_frame_is_known_by_its_columns() -> None:
    policy = Policy.preset("standard", public=True, study="frame")
    table = diabetes()

    first = serve_study(open_study(table, policy)).edition
    assert serve_study(open_study(table.to_pandas(), policy)).edition == first
    assert serve_study(open_study(table.slice(1), policy)).edition != first


def test_research_is_served_of_public_data_alone(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="public or simulated data alone"):
        serve_study(opened(tmp_path, 'preset = "research"\n'))
    assert serve_study(opened(tmp_path, 'preset = "research"\npublic = true\n')).version == 1


def test_a_study_without_a_name_is_not_served() -> None:
    with pytest.raises(InputError, match="needs a name"):
        serve_study(open_study(diabetes(), Policy.preset("standard", public=True)))


RESEARCH = 'preset = "research"\npublic = true\nkinds.sex = "categorical"\n'
ALICE, BOB = Caller("token alice", "analyst"), Caller("token bob", "analyst")
CAROL = Caller("token carol", "custodian")
AGE = {"columns": ["age"]}
AXES = {"columns": ["age", "bmi"]}
MANY = {**AGE, "k": 1000}  # more than there are persons


@pytest.fixture
def served(tmp_path: Path) -> Served:
    """Serve the cohort."""
    return serve_study(opened(tmp_path))


def bodies(found: Answer | Refusal) -> dict[str, Any]:
    """Read what is sent."""
    return dict(json.loads(found.body))


def drawn(found: Answer | Refusal) -> Answer:
    """Say that a picture was sent."""
    assert isinstance(found, Answer), found
    assert found.status == 200
    return found


def told(found: Answer | Refusal) -> Refusal:
    """Say that nothing was drawn."""
    assert isinstance(found, Refusal), found
    return found


def study_of(served: Served, caller: Caller) -> dict[str, Any]:
    """Return what is told of the study."""
    found = study_json(served, caller)
    assert not isinstance(found, Refusal), found
    return found


def outcomes(served: Served) -> list[tuple[str, str, str]]:
    """Return of the log who asked, for what, and what became of it."""
    rows = log(served.ledger.store)
    return [(row["caller"], row["what"], row["outcome"]) for row in rows]


def refuse(error: BaseException) -> Callable[..., View]:
    """Make a drawing that fails."""

    def fails(wish: object) -> View:
        raise error

    return fails


# --- a picture ------------------------------------------------------------------------------------


def test_a_picture_is_drawn_recorded_and_kept(served: Served) -> None:
    found = drawn(answer_view(served, ALICE, "histogram", AGE))

    sent = bodies(found)
    assert set(sent) == {"id", "kind", "view", "scene", "says", "alt"}
    assert (sent["kind"], len(sent["id"])) == ("histogram", 32)
    assert set(sent["id"]) <= set("0123456789abcdef")
    assert outcomes(served) == [("token alice", "histogram", "answered")]
    (row,) = log(served.ledger.store)
    assert (row["study"], row["version"], row["request"]) == (
        "cohort.csv",
        1,
        '{"columns":["age"]}',
    )
    (left,) = served.ledger.history()
    assert (left["columns"], left["form"]) == (["age"], "web")
    assert answer_again(served, ALICE, sent["id"], "again") == found


def test_a_picture_is_recorded_before_it_is_drawn_and_leaves_before_it_is_sent(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[object] = []

    def drawing(*args: Any) -> View:
        seen.append(outcomes(served))
        seen.append(len(served.ledger.history()))
        return files_of.drawn(*args)

    def keeping(*args: Any) -> Answer:
        seen.append(len(served.ledger.history()))
        return keep(*args)

    monkeypatch.setattr(answers, "drawn", drawing)
    monkeypatch.setattr(answers, "keep", keeping)
    drawn(answer_view(served, ALICE, "histogram", AGE))

    assert seen == [[("token alice", "histogram", "begun")], 0, 1]


def test_a_repeat_comes_from_the_ledger(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    first = drawn(answer_view(served, ALICE, "parallel", {"columns": ["age", "bmi", "diagnosis"]}))
    monkeypatch.setattr(answers, "drawn", refuse(AssertionError("it was drawn again")))
    whole = {"columns": ["age", "bmi", "diagnosis"], "k": 5, "gradient": True, "pixels": 400}

    assert answer_view(served, BOB, "parallel", whole) == first
    again = serve_study(served.study)
    assert answer_view(again, ALICE, "parallel", whole) == first
    assert [row[2] for row in outcomes(served)] == ["answered", "repeated", "repeated"]
    assert len(served.ledger.history()) == 1


def test_another_kind_of_the_same_columns_is_another_picture(served: Served) -> None:
    pair = {"columns": ["age", "bmi"]}
    ids = {bodies(answer_view(served, ALICE, it, pair))["id"] for it in ("heatmap", "contour")}
    ids.add(bodies(answer_view(served, ALICE, "heatmap", {"columns": ["bmi", "age"]}))["id"])

    assert len(ids) == 3


def test_a_new_version_answers_anew(tmp_path: Path) -> None:
    first = bodies(answer_view(serve_study(opened(tmp_path)), ALICE, "histogram", AGE))
    write_csv(cohort().slice(0, 300), tmp_path / "cohort.csv")
    between = serve_study(open_study(tmp_path / "cohort.csv", tmp_path / "discreet.toml"))

    assert told(answer_view(between, ALICE, "histogram", {**AGE, "by": "sex"})).code == "leaving"
    # What was drawn of other data is no answer about these.
    assert told(answer_view(between, ALICE, "histogram", AGE)).code == "leaving"
    assert between.study.new_version() == 2
    later = serve_study(open_study(tmp_path / "cohort.csv", tmp_path / "discreet.toml"))
    second = bodies(answer_view(later, ALICE, "histogram", AGE))

    assert second["id"] != first["id"]
    assert second["view"] != first["view"]
    assert told(answer_again(later, ALICE, first["id"], "again")).code == "unknown"
    assert study_of(later, ALICE)["version"] == 2


def test_a_server_gives_nothing_into_a_version_that_was_opened_meanwhile(tmp_path: Path) -> None:
    running = serve_study(opened(tmp_path))
    first = drawn(answer_view(running, ALICE, "histogram", AGE))
    policy = tmp_path / "discreet.toml"
    policy.write_text("k = 7\n" + policy.read_text())
    assert open_study(tmp_path / "cohort.csv", policy).new_version() == 2

    found = told(answer_view(running, ALICE, "scatter", {"columns": ["age", "bmi"]}))
    assert (found.code, found.says) == (
        "leaving",
        "A new version of the study was opened; the server must be started again with it.",
    )
    assert answer_view(running, BOB, "histogram", AGE) == first  # it has left already
    anew = serve_study(open_study(tmp_path / "cohort.csv", policy))
    drawn(answer_view(anew, ALICE, "scatter", {"columns": ["age", "hdl"]}))


def test_another_policy_or_other_data_are_no_answer_to_a_question(tmp_path: Path) -> None:
    opened(tmp_path)  # which makes a secret
    policy = 'preset = "research"\npublic = true\nk = 3\n'

    def asked(text: str, rows: int) -> str:
        write_csv(cohort().slice(0, rows), tmp_path / "cohort.csv")
        (tmp_path / "discreet.toml").write_text(text)
        study = open_study(tmp_path / "cohort.csv", tmp_path / "discreet.toml")
        return str(bodies(answer_view(serve_study(study), ALICE, "histogram", AGE))["id"])

    first = asked(policy, 400)
    assert len({first, asked(policy.replace("3", "7"), 400), asked(policy, 399)}) == 3
    assert asked(f"{policy}requests_a_minute = 9\n", 400) == first


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
        found = list(pool.map(lambda _: answer_view(served, ALICE, "histogram", AGE), range(8)))

    assert len({drawn(it).body for it in found}) == 1
    assert len(times) == len(served.ledger.history()) == 1
    assert {row[2] for row in outcomes(served)} == {"answered", "repeated"}


# --- what is refused before anything is drawn -----------------------------------------------------


def test_what_the_rules_refuse_is_recorded_without_its_words(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "drawn", refuse(AssertionError("it was drawn")))

    assert told(answer_view(served, ALICE, "histogram", {"columns": ["Canary"]})).code == "request"
    assert told(answer_view(served, ALICE, "histogram", {**AGE, "k": 9})).code == "policy"
    assert told(refused(served, ALICE, "box", refusal("request"))).code == "request"
    assert [(row["what"], row["request"], row["outcome"]) for row in log(served.ledger.store)] == [
        ("histogram", "", "request"),
        ("histogram", "", "policy"),
        ("box", "", "request"),
    ]


def test_the_rate_is_of_all_requests(tmp_path: Path) -> None:
    slow = POLICY.replace("requests_a_minute = 100000", "requests_a_minute = 5")
    served = serve_study(opened(tmp_path, slow))
    view = bodies(answer_view(served, ALICE, "parallel", AXES))["id"]
    answer_again(served, ALICE, view, "again")
    answer_orders(served, ALICE, view)
    study_of(served, ALICE)
    refused(served, ALICE, "box", refusal("request"))

    for found in (
        answer_view(served, ALICE, "histogram", AGE),
        answer_view(served, ALICE, "histogram", {"columns": ["Canary"]}),
        answer_again(served, ALICE, view, "again"),
        answer_again(served, ALICE, "0" * 32, "again"),
        answer_orders(served, ALICE, view),
        answer_orders(served, ALICE, "0" * 32),
        study_json(served, ALICE),
        refused(served, ALICE, "box", refusal("request")),
    ):
        assert isinstance(found, Refusal)
        assert (found.code, found.status) == ("rate", 429)
    assert [row[2] for row in outcomes(served)].count("rate") == 1
    drawn(answer_view(served, BOB, "histogram", AGE))


# --- what is refused because of the data or of what has left --------------------------------------


def test_what_the_data_hold_back_is_always_told_with_the_same_bytes(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    reasons = [RefusedError("too few"), RefusedError("'Canary'"), InputError("3 levels")]
    found = []
    for name, reason in zip(("age", "bmi", "glucose"), reasons, strict=True):
        monkeypatch.setattr(answers, "drawn", refuse(reason))
        found.append(answer_view(served, ALICE, "histogram", {"columns": [name]}))

    assert {it.status for it in found} == {403}
    assert {it.body for it in found} == {refusal("data").body}
    monkeypatch.setattr(answers, "drawn", refuse(AssertionError("it was drawn again")))
    again = answer_view(served, BOB, "histogram", AGE)
    assert again == Answer(403, refusal("data").body)
    assert [row[2] for row in outcomes(served)] == ["data", "data", "data", "repeated"]
    assert served.ledger.history() == []


def test_what_the_data_hold_back_is_kept_beyond_this_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = serve_study(opened(tmp_path, COUNTED))
    found = answer_view(few, ALICE, "box", MANY)
    assert (found.status, found.body) == (403, refusal("data").body)

    monkeypatch.setattr(answers, "drawn", refuse(AssertionError("it was drawn again")))
    assert answer_view(serve_study(few.study), BOB, "box", MANY).body == refusal("data").body


def test_what_may_not_leave_is_not_sent_and_may_be_asked_again(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stays(self: View, form: str) -> None:
        raise LeavingError("the group of 'x' is another", "group of 'x'")

    with monkeypatch.context() as patched:
        patched.setattr(answers, "picture_told", lambda *_: b"{}")
        patched.setattr(View, "ask_to_leave", stays)
        found = told(answer_view(served, ALICE, "histogram", AGE))

    assert (found.code, found.status) == ("leaving", 409)
    assert found.says == (
        "The group of 'x' is not that of the plot released before, and the two together reveal too"
        " much; draw that one."
    )
    assert outcomes(served) == [("token alice", "histogram", "leaving")]
    drawn(answer_view(served, ALICE, "histogram", AGE))
    assert [row[2] for row in outcomes(served)] == ["leaving", "answered"]


def test_what_may_not_leave_for_another_reason_says_the_usual_words(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stays(self: View, form: str) -> None:
        raise LeavingError("the data of 'Canary' have changed")

    monkeypatch.setattr(View, "ask_to_leave", stays)

    assert told(answer_view(served, ALICE, "histogram", AGE)) == refusal("leaving")


@pytest.mark.parametrize("rows", [442, 60, 51, 50, 49, 20, 1, 0])
def test_of_a_file_that_was_written_since_nothing_is_told(tmp_path: Path, rows: int) -> None:
    # Whether other data would be held back is a word about them, too: so is an order of axes.
    served = serve_study(opened(tmp_path))
    view = bodies(answer_view(served, ALICE, "parallel", AXES))["id"]
    write_csv(cohort().slice(0, rows), tmp_path / "cohort.csv")
    asked = [("histogram", AGE), ("box", AGE), ("parallel", {"columns": ["diagnosis", "region"]})]

    for kind, body in asked:
        assert told(answer_view(served, ALICE, kind, body)) == refusal("leaving")
    assert told(answer_orders(served, ALICE, view)) == refusal("leaving")
    assert [row[2] for row in outcomes(served)[1:]] == ["leaving"] * 4


@pytest.mark.parametrize("policy", [POLICY, f"public = true\n{POLICY}"], ids=["guarded", "public"])
def test_what_other_data_were_answered_is_not_kept_for_these(tmp_path: Path, policy: str) -> None:
    served = serve_study(opened(tmp_path, policy))
    file = tmp_path / "cohort.csv"
    was = file.read_bytes()
    write_csv(cohort().slice(0, 20), file)
    assert told(answer_view(served, ALICE, "histogram", AGE)).code == "leaving"
    write_csv(cohort().slice(0, 100), file)
    assert told(answer_view(served, ALICE, "histogram", AGE)).code == "leaving"

    file.write_bytes(was)
    now = serve_study(open_study(file, tmp_path / "discreet.toml"))
    assert drawn(answer_view(now, ALICE, "histogram", AGE)) == drawn(
        answer_view(now, BOB, "histogram", AGE)
    )


def test_a_file_that_is_written_while_it_is_read_lets_nothing_leave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    served = serve_study(opened(tmp_path))

    def meanwhile(*_: object) -> View:
        write_csv(cohort().slice(0, 20), tmp_path / "cohort.csv")
        raise RefusedError("too few")

    monkeypatch.setattr(answers, "drawn", meanwhile)
    assert told(answer_view(served, ALICE, "histogram", AGE)).code == "leaving"


BROKEN = [ValueError("Canary"), BrokenPromiseError("Canary"), KeyboardInterrupt(), MemoryError()]


@pytest.mark.parametrize("error", BROKEN, ids=lambda it: type(it).__name__)
def test_what_nobody_expects_is_recorded_and_raised(
    served: Served, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(answers, "drawn", refuse(error))
        with pytest.raises(type(error), match=r"Canary|^$"):
            answer_view(served, ALICE, "histogram", AGE)

    assert outcomes(served) == [("token alice", "histogram", "broken")]
    assert log(served.ledger.store)[0]["request"] == '{"columns":["age"]}'
    drawn(answer_view(served, ALICE, "histogram", AGE))  # its turn and its seat are free again
    for _ in range(MOST_AT_ONCE):
        assert served.places.take()
    assert not served.places.take()


def test_without_a_ledger_nothing_is_answered(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise LeavingError("the ledger is damaged")

    for name in ("ask", "keep"):
        with monkeypatch.context() as patched:
            patched.setattr(answers, name, stopped)
            with pytest.raises(LeavingError, match="the ledger is damaged"):
                answer_view(served, ALICE, "histogram", AGE)
    with monkeypatch.context() as patched:
        patched.setattr(answers, "close", stopped)
        patched.setattr(answers, "drawn", refuse(ValueError("Canary")))
        with pytest.raises(ValueError, match="Canary"):
            answer_view(served, ALICE, "histogram", {"columns": ["bmi"]})


# --- turns ----------------------------------------------------------------------------------------


def test_too_many_are_told_to_come_again(served: Served) -> None:
    view = bodies(answer_view(served, ALICE, "parallel", AXES))["id"]
    for _ in range(MOST_AT_ONCE):
        served.places.take()

    found = told(answer_view(served, ALICE, "histogram", AGE))
    assert (found.code, found.status) == ("busy", 503)
    assert told(answer_orders(served, ALICE, view)).code == "busy"
    assert [row[2] for row in outcomes(served)] == ["answered", "busy", "busy"]
    served.places.give_back()
    drawn(answer_view(served, ALICE, "histogram", AGE))


def test_one_picture_is_made_at_a_time(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    at_once, most = 0, 0
    counting = threading.Lock()

    def drawing(*args: Any) -> View:
        nonlocal at_once, most
        with counting:
            at_once += 1
            most = max(most, at_once)
        time.sleep(0.02)
        try:
            return files_of.drawn(*args)
        finally:
            with counting:
                at_once -= 1

    monkeypatch.setattr(answers, "drawn", drawing)
    names = ["age", "bmi", "glucose", "hdl", "ldl", "tch"]
    with ThreadPoolExecutor(6) as pool:
        found = list(
            pool.map(lambda it: answer_view(served, ALICE, "histogram", {"columns": [it]}), names)
        )

    assert [drawn(it).status for it in found] == [200] * 6
    assert most == 1


def test_who_asks_for_the_same_at_once_gets_the_same_bytes(served: Served) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(
            pool.map(
                lambda _: answer_view(served, ALICE, "heatmap", {"columns": ["age", "bmi"]}),
                "12345678",
            )
        )

    assert len({drawn(it).body for it in found}) == 1
    assert {row[2] for row in outcomes(served)} <= {"answered", "repeated"}


# --- axes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("columns", "early"),
    [(["sex", "age"], True), (["age", "sex", "bmi"], True), (["age", "sex"], False)],
    ids=["first", "in the middle", "last"],
)
def test_a_sensitive_axis_may_stand_anywhere_under_research(
    tmp_path: Path, columns: list[str], early: bool
) -> None:
    served = serve_study(opened(tmp_path, RESEARCH))
    body = {"columns": columns, "sensitive": ["sex"]}

    view = bodies(drawn(answer_view(served, ALICE, "parallel", body)))["view"]

    assert [axis["name"] for axis in view["axes"] if axis["sensitive"]] == ["sex"]
    said = [it for it in view["origin"]["remarks"] if it.startswith("sensitive: sex, not the last")]
    assert len(said) == early


@pytest.mark.parametrize("policy", [POLICY, COUNTED], ids=["guarded", "counted"])
def test_orders_of_a_picture_are_told_and_recorded(tmp_path: Path, policy: str) -> None:
    served = serve_study(opened(tmp_path, policy))
    view = bodies(answer_view(served, ALICE, "parallel", {"columns": ["age", "bmi", "diagnosis"]}))
    left = served.ledger.history()
    sent = bodies(answer_orders(served, ALICE, view["id"]))

    assert (sent["order"], sent["allowed"], sent["why"]) == (["age", "bmi", "diagnosis"], True, "")
    assert len(sent["moves"]) == 6
    assert all(it["allowed"] for it in sent["moves"])
    assert [row[1:] for row in outcomes(served)] == [
        ("parallel", "answered"),
        ("orders", "answered"),
    ]
    assert served.ledger.history() == left


def test_each_order_is_allowed_under_research(tmp_path: Path) -> None:
    served = serve_study(opened(tmp_path, RESEARCH))
    body = {"columns": ["age", "bmi", "sex"]}
    for sensitive in ([], ["sex"]):
        asked = {**body, "sensitive": sensitive}
        view = bodies(drawn(answer_view(served, ALICE, "parallel", asked)))["id"]
        moves = bodies(answer_orders(served, ALICE, view))["moves"]
        assert len(moves) == 6
        assert all(move["allowed"] for move in moves)


def test_orders_are_told_of_pictures_alone_that_the_caller_was_answered(tmp_path: Path) -> None:
    served = serve_study(opened(tmp_path, COUNTED))
    answer_view(served, ALICE, "parallel", {**AXES, "k": 1000})
    with served.ledger.store.reading() as connection:
        ((of_held,),) = connection.execute("SELECT view FROM asked WHERE view IS NOT NULL")
    of_age = bodies(answer_view(served, ALICE, "histogram", AGE))["id"]
    own = bodies(answer_view(served, ALICE, "parallel", AXES))["id"]

    for caller, view in ((ALICE, of_held), (ALICE, of_age), (BOB, own), (ALICE, "0" * 32)):
        assert told(answer_orders(served, caller, view)) == refusal("unknown")
        assert log(served.ledger.store)[-1]["request"] == ""
    assert drawn(answer_orders(served, CAROL, own)).status == 200


# --- again ----------------------------------------------------------------------------------------


def test_a_picture_is_given_again_to_who_has_asked_for_it(served: Served) -> None:
    found = drawn(answer_view(served, ALICE, "histogram", AGE))
    view = bodies(found)["id"]

    assert told(answer_again(served, BOB, view, "again")) == refusal("unknown")
    assert answer_again(served, CAROL, view, "figure.svg") == found
    assert answer_again(served, ALICE, view, "figure.svg") == found
    answer_view(served, BOB, "histogram", AGE)
    assert answer_again(served, BOB, view, "again") == found
    assert [row[1:] for row in outcomes(served)] == [
        ("histogram", "answered"),
        ("again", "unknown"),
        ("figure.svg", "answered"),
        ("figure.svg", "answered"),
        ("histogram", "repeated"),
        ("again", "answered"),
    ]


@pytest.mark.parametrize("view", ["", "0" * 32, "Canary", "../..", "%00", "é" * 1000])
def test_a_picture_that_nobody_has_is_unknown_and_not_quoted(served: Served, view: str) -> None:
    for caller in (ALICE, CAROL):
        assert told(answer_again(served, caller, view, "again")) == refusal("unknown")
    assert [row["request"] for row in log(served.ledger.store)] == ["", ""]


def test_what_was_held_back_is_held_back_again(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "drawn", refuse(RefusedError("too few")))
    answer_view(served, ALICE, "histogram", AGE)
    wish = check(served.study, served.columns, "histogram", AGE)
    assert not isinstance(wish, Refusal)
    view = answers._name_of(served, wish)

    assert answer_again(served, ALICE, view, "again") == Answer(403, refusal("data").body)


# --- the form -------------------------------------------------------------------------------------


def test_the_form_says_who_asks(tmp_path: Path) -> None:
    served = serve_study(opened(tmp_path, COUNTED))
    found = study_of(served, ALICE)

    assert (found["study"], found["version"]) == ("cohort.csv", 1)
    assert found["caller"] == {"name": "token alice", "role": "analyst"}
    assert {*found} == {
        *("study", "version", "caller", "policy", "columns"),
        *("pictures", "tables", "rows", "drawn"),
    }
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_the_form_is_told_while_a_picture_is_made(served: Served) -> None:
    with served.turn, ThreadPoolExecutor(1) as pool:
        told_meanwhile = pool.submit(study_json, served, ALICE).result(timeout=60)

    assert told_meanwhile == study_of(served, ALICE)


def test_the_ledger_is_the_studys(served: Served, tmp_path: Path) -> None:
    assert isinstance(served.ledger, Ledger)
    assert served.ledger.store.path == tmp_path / ".discreet" / "ledger.sqlite"
    assert "patient" not in served.columns
