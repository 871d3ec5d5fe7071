"""Questions to the data over HTTP: put on a list, taken by the custodian, and answered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest

import discreet as dc
from discreet.explore.questions import Questions
from discreet.serve import questions as server_questions
from discreet.serve.studies import Studies
from discreet.serve.tokens import add_token, list_tokens
from tests.serve.cohort import MANY, NAME, record_in, written
from tests.serve.conftest import Running, running
from tests.serve.workers import beside

PATH, ALL = "/api/questions", "/api/custodian/questions"
LIST = "/api/custodian/question-list"


@pytest.fixture
def bob(served: Running) -> str:
    """Return the token of another analyst."""
    store = served.studies.store
    return add_token(store, NAME, f"bob{len(list_tokens(store))}")


def drawn(client: httpx.Client, kind: str, body: dict[str, Any], what: str = "views") -> str:
    """Ask for a plot or table; return its id."""
    found = client.post(f"/api/{what}/{kind}", json=body)
    assert found.status_code == 200, found.text
    return str(found.json()["id"])


@pytest.mark.slow
def test_a_question_waits_for_the_custodian_who_takes_the_list(served: Running, bob: str) -> None:
    with served.client(bob) as client, served.client(served.custodian) as custodian:
        bars = drawn(client, "bars", {"columns": ["sex"], "where": "age >= 40"})
        means = drawn(client, "means", {"value": "bmi", "by": ["sex"]}, "tables")
        first = client.post(PATH, json={"id": bars}).json()["question"]
        assert (first["says"], first["state"]) == ("the bars of sex; where age >= 40", "waiting")
        second = client.post(PATH, json={"id": means, "holds": "1 > 2"}).json()["question"]
        client.post(PATH, json={"id": bars})  # the same again
        own = client.get(PATH).json()["questions"]
        assert [it["id"] for it in own] == [second["id"], first["id"]]
        waiting = custodian.get(ALL).json()["questions"]
        assert [it["id"] for it in waiting][-2:] == [first["id"], second["id"]]
        assert waiting[-1]["callers"][0].startswith("token bob")
        assert [(it["title"], it["gives"]) for it in waiting[-2:]] == [
            ("Bar chart of sex, where age >= 40", "counts of people"),
            ("Does “1 > 2” hold? Means of bmi by sex", server_questions.HOLDS),
        ]
        assert not {first["id"], second["id"]} & {*listed_by(custodian)}
        for it in (first, second):
            decide(custodian, it["id"], "agreed")
        listed = Questions.from_json(custodian.get(LIST).content)
        assert {first["id"], second["id"]} <= {it.id for it in listed}
        assert listed.version == served.served.version
        entry = custodian.get("/api/custodian/log?kind=other&most=20").json()["log"]
    assert "question to the data" in {it["what"] for it in entry}


def listed_by(custodian: httpx.Client) -> list[str]:
    """Return the ids on the list that `discreet answer` takes."""
    return [it.id for it in Questions.from_json(custodian.get(LIST).content)]


def decide(client: httpx.Client, id_: str, what: str, text: str = "") -> httpx.Response:
    """Agree to answer a question, or decline it."""
    return client.post(f"{ALL}/{id_}", json={"what": what, "text": text})


def test_whoever_asked_reads_what_the_custodian_decided_and_why(served: Running, bob: str) -> None:
    """The last decision holds, also when it is asked again; only what was agreed to is listed."""
    with served.client(bob) as client, served.client(served.custodian) as custodian:
        body = {"id": drawn(client, "bars", {"columns": ["region"]})}
        id_ = client.post(PATH, json=body).json()["question"]["id"]

        def states() -> tuple[str, str, bool]:
            (own,) = client.get(PATH).json()["questions"]
            (seen,) = [it for it in custodian.get(ALL).json()["questions"] if it["id"] == id_]
            assert (seen["state"], seen.get("reason")) == (own["state"], own.get("reason"))
            return own["state"], own.get("reason", ""), id_ in listed_by(custodian)

        assert states() == ("waiting", "", False)
        for text in ("", "  ", "\u202e"):
            assert decide(custodian, id_, "declined", text).status_code == 422
        assert states() == ("waiting", "", False)
        assert decide(custodian, id_, "declined", " too small a part ").status_code == 200
        assert states() == ("declined", "too small a part", False)
        assert client.post(PATH, json=body).json()["question"]["state"] == "declined"
        assert states() == ("declined", "too small a part", False)
        assert decide(custodian, id_, "agreed").json()["question"]["state"] == "agreed"
        assert states() == ("agreed", "", True)
        assert decide(custodian, "0" * 10, "agreed").status_code == 404
        assert decide(client, id_, "agreed").status_code == 403  # an analyst
        command = custodian.get(ALL).json()["command"]
        assert command == (
            "discreet answer cohort.csv questions.json --policy clinic.toml --study cohort.discreet"
        )


def test_what_others_ask_is_seen_by_the_custodian_alone(served: Running, bob: str) -> None:
    with served.client() as alice, served.client(bob) as client:
        view = drawn(alice, "bars", {"columns": ["sex"]})
        alice.post(PATH, json={"id": view})
        assert client.get(PATH).json() == {"questions": []}
        assert client.post(PATH, json={"id": view}).status_code == 404  # not asked for by bob
        for path in (ALL, LIST):
            assert client.get(path).status_code == 403


WRONG = {
    "unknown": ({"id": "0" * 32}, 404, ""),
    "no id": ({"id": "x"}, 422, "id: not as"),
    "more keys": ({"id": "0" * 32, "who": "me"}, 422, "no more keys"),
    "no statement": ({"id": "BARS", "holds": "f"}, 422, "a statement compares names"),
    "another plot": ({"id": "SCATTER"}, 422, "a scatter shows rows or many figures at once"),
    "off the grid": ({"id": "OFF"}, 422, "between the steps of the grid"),
}


@pytest.mark.parametrize(("body", "status", "says"), WRONG.values(), ids=WRONG)
def test_what_cannot_be_asked_is_refused_and_stands_on_no_list(
    served: Running, bob: str, body: dict[str, str], status: int, says: str
) -> None:
    with served.client(bob) as client:
        made: dict[str, tuple[str, dict[str, Any]]] = {
            "BARS": ("bars", {"columns": ["sex"]}),
            "SCATTER": ("scatter", {"columns": ["age", "bmi"]}),
            "OFF": ("bars", {"columns": ["sex"], "where": "bmi > 25.037"}),
        }
        if body["id"] in made:
            body = {**body, "id": drawn(client, *made[body["id"]])}
        found = client.post(PATH, json=body)
        assert found.status_code == status
        assert says in found.json()["error"]["says"]
        assert client.get(PATH).json() == {"questions": []}


def test_a_caller_has_so_many_questions_on_the_list(
    served: Running, bob: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_questions, "MOST_QUESTIONS", 1)
    with served.client(bob) as client:
        first, second = (drawn(client, "bars", {"columns": [it]}) for it in ("sex", "diagnosis"))
        assert client.post(PATH, json={"id": first}).status_code == 200
        assert client.post(PATH, json={"id": first}).status_code == 200
        found = client.post(PATH, json={"id": second})
    assert "as many questions on the list as you may" in found.json()["error"]["says"]


@pytest.mark.slow
def test_the_next_revision_answers_the_list(tmp_path: Path) -> None:
    data, rules = written(tmp_path)
    path = dc.protect(data, policy=rules).publish(tmp_path / "cohort.discreet")
    with running(Studies([path], record_in(tmp_path), MANY), tmp_path) as served:
        with served.client() as client:
            body = {"id": drawn(client, "bars", {"columns": ["sex"]})}
            id_ = client.post(PATH, json=body).json()["question"]["id"]
        with served.client(served.custodian) as custodian:
            decide(custodian, id_, "agreed")
            (tmp_path / "questions.json").write_bytes(custodian.get(LIST).content)
    dc.answer(data, tmp_path / "questions.json", study=path, policy=rules)
    with (
        beside(Studies([path], record_in(tmp_path), MANY)) as url,
        httpx.Client(base_url=url, headers={"Authorization": f"Bearer {served.token}"}) as client,
    ):
        (answer,) = client.get("/api/answers").json()["answers"]
        assert answer["says"] == "the bars of sex"
        assert answer["text"].startswith("People: the bars of sex")
        assert answer["request"] == {"plot": "bars", "columns": ["sex"]}
        assert answer["table"]["head"] == ["people"]
        assert "cell-key perturbation" in " ".join(answer["rules"])
        (own,) = client.get(PATH).json()["questions"]
        assert (own["state"], own["answer"]["id"]) == ("answered", answer["id"])
