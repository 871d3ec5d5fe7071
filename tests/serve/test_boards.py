"""Boards with a name: kept by who made them, seen by nobody else but the custodian's record."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest

from discreet.serve import boards
from discreet.serve.tokens import add_token, list_tokens
from tests.serve.cohort import NAME
from tests.serve.conftest import Running

PATH = "/api/boards"
STATE = "cards=histogram:age&where=age%20%3E%3D%2050&name=Older"


@pytest.fixture
def bob(served: Running) -> str:
    """Return the token of another analyst."""
    store = served.studies.store
    return add_token(store, NAME, f"bob{len(list_tokens(store))}")


def names(found: Any) -> list[str]:
    return [it["name"] for it in found.json()["boards"]]


def test_the_last_of_a_name_stands_until_it_is_deleted(served: Running, bob: str) -> None:
    with served.client(bob) as client:
        assert names(client.get(PATH)) == []
        client.post(PATH, json={"name": "Older", "state": "cards=bars:sex"})
        assert names(client.post(PATH, json={"name": "Sex", "state": STATE})) == ["Sex", "Older"]
        again = client.post(PATH, json={"name": "Older", "state": STATE}).json()
        assert again == client.get(PATH).json()
        assert again["boards"][0] == {"name": "Older", "state": STATE}
        assert names(client.post(PATH, json={"name": "Older", "state": ""})) == ["Sex"]
        assert names(client.get(PATH)) == ["Sex"]


def test_nobody_else_sees_or_writes_over_a_board(served: Running, bob: str) -> None:
    with served.client() as alice, served.client(bob) as client:
        alice.post(PATH, json={"name": "Mine", "state": STATE})
        assert "Mine" in names(alice.get(PATH))  # the control
        assert names(client.get(PATH)) == []
        assert names(client.post(PATH, json={"name": "Mine", "state": ""})) == []
        client.post(PATH, json={"name": "Mine", "state": "cards=bars:sex"})
        kept = {it["name"]: it["state"] for it in alice.get(PATH).json()["boards"]}
    assert kept["Mine"] == STATE
    with served.client(served.custodian) as custodian:
        assert names(custodian.get(PATH)) == []
        log = custodian.get("/api/custodian/log?kind=other&most=20").json()["log"]
    assert "board kept" in {it["what"] for it in log}
    with served.client("no token of anybody") as nobody:
        assert nobody.get(PATH).status_code == 401


@pytest.mark.parametrize(
    "body",
    [
        pytest.param({"name": "", "state": STATE}, id="no name"),
        pytest.param({"name": "x" * (boards.LONGEST_TITLE + 1), "state": STATE}, id="a long name"),
        pytest.param({"name": "x", "state": "y" * (boards.LONGEST_STATE + 1)}, id="a large state"),
        pytest.param({"name": "x"}, id="no state"),
        pytest.param({"name": "x", "state": STATE, "of": "alice"}, id="of somebody else"),
    ],
)
def test_what_is_no_board_is_refused(served: Running, bob: str, body: dict[str, Any]) -> None:
    with served.client(bob) as client:
        assert client.post(PATH, json=body).status_code == 422
        assert names(client.get(PATH)) == []


def test_as_many_are_kept_as_may_be(
    served: Running, bob: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(boards, "MOST_BOARDS", 2)
    with served.client(bob) as client:
        with ThreadPoolExecutor(4) as at_once:
            ask = partial(client.post, PATH)
            bodies = [{"name": name, "state": STATE} for name in ("one", "two", "of", "many")]
            made = [at_once.submit(ask, json=it) for it in bodies]
        assert sorted(it.result().status_code for it in made) == [200, 200, 422, 422]
        for name in names(client.get(PATH)):
            client.post(PATH, json={"name": name, "state": ""})
        for name in ("one", "two"):
            client.post(PATH, json={"name": name, "state": STATE})
        refused = client.post(PATH, json={"name": "three", "state": STATE})
        assert refused.status_code == 422
        assert "delete one first" in refused.text
        assert names(client.post(PATH, json={"name": "one", "state": "cards=bars:sex"})) == [
            "one",
            "two",
        ]
        client.post(PATH, json={"name": "two", "state": ""})
        assert names(client.post(PATH, json={"name": "three", "state": STATE})) == ["three", "one"]
