"""What a custodian sees and does over HTTP; and who may not."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from discreet.serve import custodian
from discreet.serve.answers import answer, answer_again
from discreet.serve.board import answer_rows
from discreet.serve.custodian import (
    INSTEAD,
    LOG_FORMS,
    LogQuery,
    add,
    change,
    log_file,
    log_page,
    overview,
    revoke,
    verified,
)
from discreet.serve.record import ANSWERED, LogEntry, write_entry
from discreet.serve.refusals import CODES, Refusal
from discreet.serve.studies import Served, Studies
from discreet.serve.tokens import Caller, add_token, list_tokens, revoke_token
from tests.records.given import alter
from tests.serve.cohort import MANY, NAME, POLICY, narrow, published, served_of, studies_of
from tests.serve.conftest import Running, running

ALICE, BOB = Caller("token alice", "analyst"), Caller("token bob", "analyst")
CAROL = Caller("token carol", "custodian")


@pytest.fixture
def served(tmp_path: Path) -> Served:
    """A study with tokens, of which some pictures were asked."""
    found = served_of(tmp_path)
    store = found.store
    for name, role in (("alice", "analyst"), ("bob", "analyst"), ("carol", "custodian")):
        add_token(store, NAME, name, role, days=3)
    revoke_token(store, NAME, "bob")
    answer(found, ALICE, "histogram", {"columns": ["age"]})
    answer(found, ALICE, "histogram", {"columns": ["age"]})
    answer(found, ALICE, "bars", {"columns": ["sex"]})
    answer(found, BOB, "bars", {"columns": ["Canary"]})
    return found


def seen(served: Served) -> dict[str, Any]:
    return overview(served, CAROL)


# --- what there is to see -------------------------------------------------------------------------


def test_what_is_told(served: Served) -> None:
    told = seen(served)
    assert (told["study"], told["version"]) == (NAME, served.version)
    assert told["caller"] == {"name": "token carol", "role": "custodian"}
    assert told["a_minute"] == 100_000
    assert {it["field"] for it in told["words"]} >= {"k", "papers"}
    assert {"name": "age", "label": "", "kind": "numbers"} in told["columns"]
    assert told["remarks"] == ["not in the protected copy: patient (identifies people)"]
    assert json.loads(json.dumps(told)) == told


def test_every_cause_has_its_words(served: Served) -> None:
    told = seen(served)["causes"]
    unanswered = {"busy", "slow", "record", "broken"}
    never_recorded = {"token", "method", "own"}
    assert {*told} == {*INSTEAD} == {*CODES} - unanswered - never_recorded
    assert told["data"] == {"says": CODES["data"][1], "instead": INSTEAD["data"]}


def test_tokens_are_told_with_when_they_were_used(served: Served) -> None:
    tokens = seen(served)["tokens"]
    assert [(it["name"], it["role"], it["state"]) for it in tokens] == [
        ("alice", "analyst", "valid"),
        ("bob", "analyst", "revoked"),
        ("carol", "custodian", "valid"),
    ]
    assert [it["own"] for it in tokens] == [False, False, True]
    assert [it["seen"] is None for it in tokens] == [False, False, True]
    assert all(it["made"] < it["expires"] for it in tokens)
    assert "discreet_" not in json.dumps(seen(served))


def test_who_asks_without_a_token_of_the_record_is_told_too(served: Served) -> None:
    dora = Caller("oidc dora", "analyst")
    answer(served, dora, "histogram", {"columns": ["age"]})
    told = seen(served)
    assert [it["name"] for it in told["others"]] == ["oidc dora"]
    assert [it["name"] for it in told["tokens"]] == ["alice", "bob", "carol"]


def test_who_has_what_of_which_version_is_told(served: Served) -> None:
    """What was looked at, what was taken, and nothing of what was refused."""
    first = log_page(served, LogQuery())["log"][-1]
    answer_again(served, ALICE, first["view"], "figure.svg")
    answer_rows(served, ALICE)
    earlier = LogEntry(NAME, "0123456789abcdef", "rows", "", None)
    write_entry(served.store, BOB, earlier, ANSWERED)
    nothing = {"rows": False, "figures": 0, "tables": 0, "looked": 0}
    held = seen(served)["held"]
    assert [{**it, "first": "", "last": ""} for it in held] == [
        {"caller": caller.name, "version": version, "first": "", "last": "", **nothing, **some}
        for caller, version, some in (
            (ALICE, served.version, {"rows": True, "figures": 1, "looked": 3}),
            (BOB, earlier.version, {"rows": True}),
            (BOB, served.version, {}),
        )
    ]
    assert held[0]["first"] == first["at"]
    assert all(it["first"] <= it["last"] for it in held)


def test_the_log_is_told_page_by_page(served: Served) -> None:
    whole = log_page(served, LogQuery())
    assert [(it["caller"], it["what"], it["request"], it["kind"]) for it in whole["log"]] == [
        ("token bob", "bars", "", "refused"),
        ("token alice", "bars", '{"columns":["sex"]}', "shown"),
        ("token alice", "histogram", '{"columns":["age"]}', "shown"),
        ("token alice", "histogram", '{"columns":["age"]}', "shown"),
    ]
    assert (whole["fit"], whole["all"], whole["more"]) == (4, 4, False)
    assert (whole["counts"]["shown"], whole["counts"]["refused"]) == (3, 1)
    assert [it["title"] for it in whole["log"]] == [
        "Bar chart",  # what was refused is not written down
        "Bar chart of sex",
        "Histogram of age",
        "Histogram of age",
    ]
    assert [it["shown"] for it in whole["hours"]] == [3]
    first = log_page(served, LogQuery(most=3))
    second = log_page(served, LogQuery(most=3, before=first["log"][-1]["id"]))
    assert (first["more"], second["more"]) == (True, False)
    assert first["log"] + second["log"] == whole["log"]
    assert {*second} == {"log", "more"}


def test_counts_are_of_all_kinds_and_what_fits_of_one(served: Served) -> None:
    page = log_page(served, LogQuery(kind="refused"))
    assert (len(page["log"]), page["fit"], page["all"]) == (1, 1, 4)
    assert page["counts"]["shown"] == 3


def test_a_saved_file_left_the_server_and_says_what_it_is_of(served: Served) -> None:
    view = log_page(served, LogQuery())["log"][-1]["view"]
    answer_again(served, ALICE, view, "figure.svg")
    (left,) = log_page(served, LogQuery(kind="left"))["log"]
    assert (left["what"], json.loads(left["request"])) == ("figure.svg", {"view": view})
    assert left["of"] == {"what": "histogram", "request": '{"columns":["age"]}'}


@pytest.mark.parametrize("form", LOG_FORMS)
def test_the_record_is_had_as_a_file_and_that_is_recorded(served: Served, form: str) -> None:
    found = log_file(served, CAROL, LogQuery(), form)
    assert not isinstance(found, Refusal)
    text = found.body.decode()
    rows = json.loads(text)["log"] if form == "log.json" else [*csv.DictReader(io.StringIO(text))]
    assert [it["what"] for it in rows] == ["bars", "bars", "histogram", "histogram"]
    assert json.loads(rows[1]["request"]) == {"columns": ["sex"]}
    newest = log_page(served, LogQuery())["log"][0]
    assert (newest["caller"], newest["what"], newest["outcome"]) == ("token carol", form, "done")


def test_no_cell_of_the_csv_is_a_formula(served: Served) -> None:
    """A spreadsheet would work out what begins with = + - @."""
    answer(served, ALICE, "histogram", {"columns": ["=1+1"]})
    found = log_file(served, CAROL, LogQuery(), "log.csv")
    assert not isinstance(found, Refusal)
    cells = [cell for row in csv.reader(io.StringIO(found.body.decode())) for cell in row]
    assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in cells)


def test_the_head_of_the_chain_is_told_without_counting_it(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = verified(served)
    monkeypatch.setattr(custodian, "verify", None)
    told = seen(served)
    assert (told["rows"], told["head"]) == (counted["rows"], counted["head"])
    answer(served, ALICE, "bars", {"columns": ["sex"]})
    assert seen(served)["rows"] > told["rows"]
    assert seen(served)["head"] != told["head"]


def test_a_changed_row_is_found(served: Served) -> None:
    alter(served.store.path, "UPDATE asked SET caller = 'token mallory' WHERE id = 1")
    broken = verified(served)["broken"]
    assert any("asked" in it and "1" in it for it in broken)
    assert "mallory" not in json.dumps(broken)


@pytest.mark.slow
def test_another_study_of_the_same_server_is_not_told_of(served: Served, tmp_path: Path) -> None:
    before = seen(served)
    (tmp_path / "second").mkdir()
    file = published(tmp_path / "second", f'study = "second.csv"\n{POLICY}', narrow())
    found = Studies([file], served.store, MANY).get("second.csv")
    assert found is not None
    other = found
    add_token(other.store, "second.csv", "alice", "custodian")
    add_token(other.store, "second.csv", "zoe")
    answer(other, ALICE, "bars", {"columns": ["sex"]})
    answer(other, Caller("token zoe", "analyst"), "histogram", {"columns": ["Canary"]})
    # All studies of a server share its chain.
    after = seen(served)
    assert after["rows"] > before["rows"]
    of_chain = {"rows": 0, "head": "", "tokens": ""}
    assert {**after, **of_chain} == {**before, **of_chain}
    told = [seen(other), log_page(other, LogQuery())]
    assert len(told[1]["log"]) == told[1]["all"] == 2
    assert [(it["name"], it["role"]) for it in told[0]["tokens"]] == [
        ("alice", "custodian"),
        ("zoe", "analyst"),
    ]
    assert NAME not in json.dumps(told)
    assert isinstance(change(other, Caller("token alice", "custodian"), "carol", TERMS), Refusal)
    assert isinstance(revoke(other, Caller("token alice", "custodian"), "carol"), Refusal)
    assert seen(served)["tokens"][2]["state"] == "valid"


TERMS: Mapping[str, Any] = {"days": 1.0}


# --- what is done ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server for all tests of this module that go over HTTP."""
    folder = tmp_path_factory.mktemp("custodian")
    with running(studies_of(folder), folder) as found:
        yield found


@pytest.fixture(scope="module")
def carol(server: Running) -> Iterator[httpx.Client]:
    with server.client(server.custodian) as client:
        yield client


def newest(client: httpx.Client) -> dict[str, Any]:
    """Return the newest entry of the log."""
    found: dict[str, Any] = client.get("/api/custodian/log").json()["log"][0]
    return found


def token_of(client: httpx.Client, name: str) -> dict[str, Any]:
    """Return what is told of a token."""
    tokens = client.get("/api/custodian").json()["tokens"]
    (found,) = [it for it in tokens if it["name"] == name]
    return dict(found)


def test_a_token_is_made_told_once_changed_and_revoked(
    server: Running, carol: httpx.Client
) -> None:
    body = {"name": "dora", "days": 5}
    made = carol.post("/api/custodian/tokens", json=body).json()
    assert made["text"].startswith("discreet_")
    entry = newest(carol)
    assert (entry["caller"], entry["what"], entry["outcome"]) == (
        "token carol",
        "token added",
        "done",
    )
    assert json.loads(entry["request"]) == {**body, "role": "analyst"}
    assert made["text"] not in carol.get("/api/custodian").text
    assert made["text"] not in carol.get("/api/custodian/log").text
    with server.client(made["text"]) as dora:
        assert dora.post("/api/views/bars", json={"columns": ["sex"]}).status_code == 200
        assert dora.get("/api/custodian").status_code == 403
        shorter = carol.post("/api/custodian/tokens/dora", json={"days": 0.5}).json()["token"]
        assert shorter["expires"] < made["token"]["expires"]
        assert json.loads(newest(carol)["request"]) == {"name": "dora", "days": 0.5}
        assert carol.delete("/api/custodian/tokens/dora").json()["token"]["state"] == "revoked"
        assert newest(carol)["what"] == "token revoked"
        assert dora.get("/api/study").status_code == 401
    assert token_of(carol, "dora")["state"] == "revoked"
    assert carol.post("/api/custodian/verify").json()["broken"] == []


def test_a_custodian_makes_another_for_no_longer_than_their_own(
    server: Running, carol: httpx.Client
) -> None:
    own = token_of(carol, "carol")["expires"]
    body = {"name": "eve", "role": "custodian", "days": 29}
    made = carol.post("/api/custodian/tokens", json=body).json()
    assert made["token"]["expires"] <= own
    for path, longer in (
        ("/api/custodian/tokens", {**body, "name": "mallory", "days": 31}),
        ("/api/custodian/tokens/eve", {"days": 31}),
    ):
        found = carol.post(path, json=longer)
        assert (found.status_code, found.json()["error"]["code"]) == (403, "own")
        assert "cannot be valid longer than your own" in found.json()["error"]["says"]
    assert {it.name for it in list_tokens(server.studies.store)}.isdisjoint({"mallory"})
    assert token_of(carol, "eve")["expires"] == made["token"]["expires"]
    analyst = {"name": "fred", "days": 3000}
    assert carol.post("/api/custodian/tokens", json=analyst).status_code == 200
    with server.client(made["text"]) as eve:
        assert eve.get("/api/custodian").status_code == 200
        assert eve.delete("/api/custodian/tokens/eve").status_code == 403


OWN: dict[str, Callable[[httpx.Client], httpx.Response]] = {
    "revoked": lambda it: it.delete("/api/custodian/tokens/carol"),
    "shortened": lambda it: it.post("/api/custodian/tokens/carol", json={"days": 0.01}),
    "made to hold longer": lambda it: it.post("/api/custodian/tokens/carol", json={"days": 99}),
}


@pytest.mark.parametrize("act", OWN.values(), ids=OWN)
def test_nobody_s_own_token_is_changed(
    carol: httpx.Client, act: Callable[[httpx.Client], httpx.Response]
) -> None:
    before = token_of(carol, "carol")
    found = act(carol)
    assert (found.status_code, found.json()["error"]["code"]) == (403, "own")
    assert newest(carol)["outcome"] == "own"
    assert {**token_of(carol, "carol"), "seen": 0} == {**before, "seen": 0}


def test_a_custodian_of_an_issuer_makes_analysts_tokens_alone(served: Served) -> None:
    issued = Caller("oidc carol", "custodian")
    body = {"name": "dora", "role": "custodian", "days": 1.0}
    found = add(served, issued, "", body)
    assert isinstance(found, Refusal)
    assert "only be made on the server" in found.says
    assert not isinstance(add(served, issued, "", {**body, "role": "analyst"}), Refusal)


BAD: dict[str, tuple[str, str, Any, int, str]] = {
    "a name that is taken": (
        "POST",
        "/tokens",
        {"name": "alice"},
        422,
        "there is or was a token named 'alice' already",
    ),
    "a long name": ("POST", "/tokens", {"name": "x" * 65}, 422, "name: not as"),
    "another role": ("POST", "/tokens", {"name": "x", "role": "root"}, 422, "role: not as"),
    "many days": ("POST", "/tokens/alice", {"days": 3661}, 422, "days: not as"),
    "another key": (
        "POST",
        "/tokens/alice",
        {"days": 1, "role": "custodian"},
        422,
        "the body: JSON",
    ),
    "nobody's": ("POST", "/tokens/nobody", {"days": 1}, 422, "the study has no token of that"),
    "nobody's, to be revoked": ("DELETE", "/tokens/nobody", None, 422, "the study has no token"),
    "another kind": ("GET", "/log?kind=Canary", None, 422, "kind: not as"),
    "a page of none": ("GET", "/log?most=0", None, 422, "most: not as"),
    "no time": ("GET", "/log?since=-1", None, 422, "since: not as"),
    "another query": ("GET", "/log?Canary=1", None, 422, "the query: as /api/openapi.json"),
    "another query of a file": ("GET", "/log.csv?Canary=1", None, 422, "the query: as"),
}


@pytest.mark.parametrize(("method", "path", "body", "status", "says"), BAD.values(), ids=BAD)
def test_what_is_wrong_is_refused_and_recorded(
    carol: httpx.Client, method: str, path: str, body: Any, status: int, says: str
) -> None:
    found = carol.request(method, f"/api/custodian{path}", json=body)
    assert found.status_code == status
    assert found.json()["error"]["says"].startswith(says)
    entry = newest(carol)
    assert (entry["caller"], entry["outcome"]) == ("token carol", "request")
    assert "Canary" not in json.dumps(entry)
