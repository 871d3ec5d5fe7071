"""Outputs that were handed in, over HTTP: who sees and decides them, and what is recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from discreet.custodian.outputs import outputs_in
from discreet.errors import InputError
from discreet.records.outputs import MOST_LETTERS, hand_in_bytes, list_outputs
from discreet.records.store import verify
from discreet.serve import outputs as server_outputs
from discreet.serve.desk import Rate, Turns
from discreet.serve.files import Kept
from discreet.serve.tokens import add_token, list_tokens
from tests.serve.cohort import MANY, NAME, POLICY, published, studies_of, written
from tests.serve.conftest import Running, running

if TYPE_CHECKING:
    import httpx

PATH = "/api/custodian/outputs"
SVG = (
    b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2 1"><rect width="2" height="1"/></svg>'
)
RECORD = {
    "status": "pass",
    "kind": "histogram",
    "type": "plot",
    "columns": ["bmi"],
    "method": "whole",
    "command": "histogram(bmi)",
    "says": ["made here, and unchanged since"],
}


def hand(served: Running, name: str, study: str = NAME, **record: Any) -> int:
    """Hand in a file; return its number."""
    now = server_outputs.rules_in_force(served.served)
    body = SVG + name.encode()
    return hand_in_bytes(served.studies.store, study, now, name, body, RECORD | record).id


def test_outputs_are_seen_newest_first_and_decided(served: Running) -> None:
    first, second = hand(served, "a.svg"), hand(served, "b.csv", status="review")
    with served.client(served.custodian) as client:
        told = client.get(PATH).json()["outputs"]
        assert [(it["id"], it["state"], it["picture"]) for it in told[:2]] == [
            (second, "waiting", False),
            (first, "waiting", True),
        ]
        found = client.post(f"{PATH}/{first}", json={"what": "approved"}).json()["output"]
        assert (found["state"], found["reviews"][0]["caller"]) == ("approved", "token carol")
        found = client.get(f"{PATH}/{first}/file")
        assert found.content == SVG + b"a.svg"
        assert found.headers["content-type"] == "application/octet-stream"
        assert found.headers["content-disposition"] == "attachment"
        entry = client.get("/api/custodian/log?kind=other&most=1").json()["log"][0]
    assert (entry["what"], entry["caller"]) == ("output reviewed", "token carol")
    assert json.loads(entry["request"]) == {"output": "a.svg", "said": "approved"}


WRONG = {
    "without a reason": ({"what": "rejected", "text": " "}, "give a reason"),
    "unprintable": (
        {"what": "comment", "text": "a\u202eb"},
        "no characters that cannot be printed",
    ),
    "another act": ({"what": "deleted"}, "what: not as"),
    "too long": ({"what": "comment", "text": "x" * 2001}, "text: not as"),
    "more keys": ({"what": "approved", "at": "2020"}, "no more keys"),
}


@pytest.mark.parametrize(("body", "text"), WRONG.values(), ids=WRONG)
def test_a_wrong_review_is_refused_and_recorded_nowhere(
    served: Running, body: dict[str, str], text: str
) -> None:
    number = hand(served, "wrong.svg")
    with served.client(served.custodian) as client:
        found = client.post(f"{PATH}/{number}", json=body)
    assert found.status_code == 422
    assert text in found.json()["error"]["says"]
    store = served.studies.store
    assert [it.reviews for it in list_outputs(store) if it.id == number] == [()]


def test_an_output_of_another_study_is_not_there(served: Running) -> None:
    other = hand(served, "other.svg", "other.csv")
    with served.client(served.custodian) as client:
        assert "other.svg" not in client.get(PATH).text
        assert client.get(f"{PATH}/{other}/file").status_code == 404
        assert client.post(f"{PATH}/{other}", json={"what": "approved"}).status_code == 422
        for word in ("0", "-1", "1e3", "²", "9" * 30, "..%2f"):
            assert client.get(f"{PATH}/{word}/file").status_code == 404


def test_an_analyst_sees_and_decides_nothing(served: Running) -> None:
    number = hand(served, "mine.svg")
    with served.client() as client:
        for found in (
            client.get(PATH),
            client.get(f"{PATH}/{number}/file"),
            client.post(f"{PATH}/{number}", json={"what": "approved"}),
        ):
            assert found.status_code == 403
            assert "mine.svg" not in found.text
    store = served.studies.store
    assert [it.reviews for it in list_outputs(store) if it.id == number] == [()]


# --- what analysts hand in ------------------------------------------------------------------------

OWN = "/api/outputs"
AGE = {"columns": ["age"]}
EVERYBODY = {"caller": None}


@pytest.fixture
def bob(served: Running) -> str:
    """Return the token of another analyst."""
    store = served.studies.store
    return add_token(store, NAME, f"bob{len(list_tokens(store))}")


def drawn(client: httpx.Client, body: dict[str, Any], kind: str = "histogram") -> str:
    """Ask for a plot; return its id."""
    return str(client.post(f"/api/views/{kind}", json=body).json()["id"])


def test_an_analyst_hands_in_what_she_was_answered_and_sees_what_becomes_of_it(
    served: Running,
) -> None:
    with served.client() as client, served.client(served.custodian) as custodian:
        view = drawn(client, AGE)
        file = client.get(f"/api/views/{view}/figure.svg")
        body = {"id": view, "form": "figure.svg", "text": " figure 1 of the paper "}
        told = client.post(OWN, json=body).json()["output"]
        assert (told["state"], told["view"], told["reviews"][0]["text"]) == (
            *("waiting", view, "figure 1 of the paper"),
        )
        assert told["name"] in file.headers["content-disposition"]
        (seen,) = [it for it in custodian.get(PATH).json()["outputs"] if it["id"] == told["id"]]
        assert (seen["status"], seen["callers"]) == ("pass", ["token alice"])
        assert [it["caller"] for it in seen["reviews"]] == ["token alice"]
        assert custodian.get(f"{PATH}/{told['id']}/file").content == file.content
        custodian.post(f"{PATH}/{told['id']}", json={"what": "comment", "text": "for ourselves"})
        body = {"what": "rejected", "text": "bins too fine"}
        custodian.post(f"{PATH}/{told['id']}", json=body)
        again = client.post(f"{OWN}/{told['id']}", json={"text": "they are wider now"})
        assert again.json()["output"]["state"] == "rejected"
        (mine,) = [it for it in client.get(OWN).json()["outputs"] if it["id"] == told["id"]]
        assert [(it["what"], it["text"]) for it in mine["reviews"]] == [
            ("comment", "figure 1 of the paper"),
            ("rejected", "bins too fine"),
            ("comment", "they are wider now"),
        ]
        assert "caller" not in mine["reviews"][0]
        log = custodian.get("/api/custodian/log?kind=other&most=9").json()["log"]
    done = [(it["what"], it["caller"]) for it in log if it["what"].startswith("output")]
    assert done[:4] == [
        ("output commented", "token alice"),
        ("output reviewed", "token carol"),
        ("output reviewed", "token carol"),
        ("output handed in", "token alice"),
    ]
    assert verify(served.studies.store).broken == ()


def test_another_s_output_is_not_there(served: Running, bob: str) -> None:
    with served.client() as client, served.client(bob) as other:
        view = drawn(client, {"columns": ["bmi"]})
        body = {"id": view, "form": "figure.png", "text": "mine alone"}
        told = client.post(OWN, json=body).json()["output"]
        assert other.get(OWN).json() == {"outputs": []}
        refused = other.post(f"{OWN}/{told['id']}", json={"text": "let me in"})
        nowhere = other.post(f"{OWN}/999999", json={"text": "let me in"})
        assert (refused.status_code, refused.text) == (404, nowhere.text)
        assert other.post(OWN, json=body).status_code == 404  # he has not asked for that plot
        # Once he has, it is his as well, and what she said of it is still hers alone.
        assert drawn(other, {"columns": ["bmi"]}) == view
        assert other.get(OWN).json() == {"outputs": []}
        own = other.post(OWN, json=body | {"text": "mine, too"}).json()["output"]
        assert own["id"] == told["id"]
        assert "mine alone" not in other.get(OWN).text
        assert "mine, too" not in client.get(OWN).text


MISUSED: dict[str, tuple[dict[str, Any], int, str]] = {
    "no words": ({"text": ""}, 422, "text: not as"),
    "spaces alone": ({"text": "  "}, 422, "text: not as"),
    "endless words": ({"text": "x" * 2001}, 422, "text: not as"),
    "more than a body may hold": ({"text": "x" * 3_200_000}, 413, "too large"),
    "signs that turn text around": ({"text": "a\u202eb"}, 422, "cannot be printed"),
    "no form": ({"form": "figure.exe"}, 422, "form: not as"),
    "the form of a table": ({"form": "table.csv"}, 422, "form: this plot or table is not given"),
    "bytes of one's own": ({"file": "PHN2Zz4="}, 422, "no more keys"),
    "another address": ({"id": "../custodian/log.json"}, 422, "id: not as"),
    "no id that there is": ({"id": "0" * 32}, 404, "nothing here"),
}


@pytest.mark.parametrize(("given", "status", "text"), MISUSED.values(), ids=MISUSED)
def test_what_cannot_be_handed_in_is_refused_and_recorded_nowhere(
    served: Running, given: dict[str, Any], status: int, text: str
) -> None:
    store = served.studies.store
    before = list_outputs(store)
    with served.client() as client:
        view = drawn(client, {"columns": ["glucose"]})
        body = {"id": view, "form": "figure.svg", "text": "figure 1"} | given
        found = client.post(OWN, json=body)
    assert found.status_code == status
    assert text in found.json()["error"]["says"]
    assert list_outputs(store) == before


def test_whoever_asks_too_often_is_told_to_wait(
    served: Running, bob: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served.client(bob) as client:
        view = drawn(client, AGE)
        monkeypatch.setattr(Rate, "count", lambda *_: MANY + 2)
        assert client.get(OWN).status_code == 429
        body = {"id": view, "form": "figure.svg", "text": "figure 1"}
        assert client.post(OWN, json=body).status_code == 429
        assert client.post(f"{OWN}/1", json={"text": "mine"}).status_code == 429


def test_what_is_handed_in_is_made_again_or_told_to_be_asked_again(
    served: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served.client() as client, served.client(served.custodian) as custodian:
        view = drawn(client, {"columns": ["ldl"]})
        file = client.get(f"/api/views/{view}/figure.png").content
        body = {"id": view, "form": "figure.png", "text": "figure 4"}
        monkeypatch.setattr(served.served.kept, "answers", Kept(0))
        with monkeypatch.context() as busy:
            busy.setattr(served.studies.desk, "turns", Turns(0))
            for found in (client.post(OWN, json=body), custodian.post(PATH, json=EVERYBODY)):
                assert (found.status_code, found.json()["error"]["code"]) == (503, "busy")
        number = client.post(OWN, json=body).json()["output"]["id"]
        assert custodian.get(f"{PATH}/{number}/file").content == file


def test_outputs_that_wait_and_comments_are_so_many(
    served: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    most = server_outputs.MOST_WAITING, server_outputs.MOST_COMMENTS, MOST_LETTERS
    assert most == (100, 50, 2000)  # as docs/serving.md says
    with served.client() as client:
        view = drawn(client, {"columns": ["sex"]}, "bars")
        body = {"id": view, "form": "figure.svg", "text": "figure 2"}
        number = client.post(OWN, json=body).json()["output"]["id"]
        monkeypatch.setattr(server_outputs, "MOST_COMMENTS", 2)
        assert client.post(f"{OWN}/{number}", json={"text": "two"}).status_code == 200
        for found in (
            client.post(f"{OWN}/{number}", json={"text": "three"}),
            client.post(OWN, json=body),
        ):
            assert "reached the number of comments allowed" in found.json()["error"]["says"]
        waiting = [it for it in client.get(OWN).json()["outputs"] if it["state"] == "waiting"]
        monkeypatch.setattr(server_outputs, "MOST_WAITING", len(waiting))
        found = client.post(OWN, json=body | {"form": "figure.png"})
        assert "await a decision" in found.json()["error"]["says"]


@pytest.mark.slow
def test_the_custodian_collects_what_a_token_downloaded(served: Running, bob: str) -> None:
    name = f"token {list_tokens(served.studies.store)[-1].name}"
    with served.client(bob) as client, served.client(served.custodian) as custodian:
        view = drawn(client, {"columns": ["hdl"]})
        table = client.post("/api/tables/means", json={"value": "bmi", "by": ["region"]})
        paths = f"/api/views/{view}/figure.pdf", f"/api/tables/{table.json()['id']}/table.csv"
        files = [client.get(path).content for path in paths]
        client.get(paths[0])

        def missing() -> list[dict[str, Any]]:
            told = custodian.get(PATH).json()["downloaded"]
            return [it for it in told if it["caller"] == name]

        assert missing() == [{"caller": name, "files": 2}]
        assert client.post(PATH, json={"caller": name}).status_code == 403
        assert custodian.post(PATH, json={"caller": "token x"}).json() == {"collected": 0}
        assert custodian.post(PATH, json={"caller": name}).json() == {"collected": 2}
        assert missing() == []
        handed = client.get(OWN).json()["outputs"][::-1]
        assert [it["reviews"] for it in handed] == [[], []]
        kept = [custodian.get(f"{PATH}/{it['id']}/file").content for it in handed]
        assert kept == files


def test_what_was_handed_in_is_taken_over_by_the_command_line(
    served: Running, bob: str, tmp_path: Path
) -> None:
    """Byte for byte; of one token, or of any."""
    his = list_tokens(served.studies.store)[-1].name
    with served.client() as alice, served.client(bob) as client:
        shared, own = drawn(alice, {"columns": ["age", "bmi"]}, "scatter"), drawn(client, AGE)
        assert drawn(client, {"columns": ["age", "bmi"]}, "scatter") == shared
        for form in ("figure.svg", "view.json"):
            alice.get(f"/api/views/{shared}/{form}")
        for view, form in ((shared, "figure.svg"), (own, "view.json")):
            body = {"id": view, "form": form, "text": "figure 5"}
            assert client.post(OWN, json=body).status_code == 200
        wanted = {
            f"discreet-{shared[:12]}.svg": client.get(f"/api/views/{shared}/figure.svg").content,
            f"discreet-{own[:12]}.json": client.get(f"/api/views/{own}/view.json").content,
        }
    _, rules = written(tmp_path)
    found = outputs_in(tmp_path / "request", str(rules), NAME)
    for _ in range(2):
        found.collect_from_server(served.studies.store, his)
    files = {it.name: it.read_bytes() for it in (tmp_path / "request").iterdir()}
    assert files == wanted
    standing = found.folder.standing()
    assert {it.output.name: it.state for it in standing} == dict.fromkeys(wanted, "waiting")
    assert {it.output.record["callers"][0] for it in standing} == {f"token {his}"}
    commands = sorted(it.output.record["command"] for it in standing)
    assert commands[0].startswith("histogram(age")
    assert commands[1].startswith("scatter(age, bmi")
    found.collect_from_server(served.studies.store)
    assert len(found.folder.standing()) > 2
    with pytest.raises(InputError, match=f"with a token 'nobody'; outputs are of .*{his}"):
        found.collect_from_server(served.studies.store, "nobody")


@pytest.mark.slow
def test_an_approval_is_of_the_file_that_it_was_given_under(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new version of the study: nothing of the earlier one is approved any more, nor made."""
    with (
        running(studies_of(tmp_path), tmp_path) as served,
        served.client() as client,
        served.client(served.custodian) as custodian,
    ):
        view = drawn(client, AGE)
        body = {"id": view, "form": "figure.svg", "text": "figure 3"}
        number = client.post(OWN, json=body).json()["output"]["id"]
        approved = {"what": "approved"}
        assert custodian.post(f"{PATH}/{number}", json=approved).status_code == 200

        def states() -> set[str]:
            found = [*client.get(OWN).json()["outputs"], *custodian.get(PATH).json()["outputs"]]
            return {it["state"] for it in found if it["id"] == number}

        assert states() == {"approved"}
        monkeypatch.setattr("discreet.serve.studies.LOOK_SECONDS", 0.0)
        published(tmp_path, f"k = 7\n{POLICY}")
        assert states() == {"outdated"}
        assert "give a reason" in custodian.post(f"{PATH}/{number}", json=approved).text
        again = client.post(OWN, json=body | {"form": "figure.png"})
        assert (again.status_code, again.json()["error"]["code"]) == (409, "version")
        why = approved | {"text": "k was 3, and it is a histogram"}
        assert custodian.post(f"{PATH}/{number}", json=why).status_code == 200
        assert states() == {"approved"}
