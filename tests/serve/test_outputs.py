"""Outputs that were handed in, over HTTP: who sees and decides them, and what is recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from discreet.ledger.outputs import hand_in, list_outputs
from discreet.provenance import checksum_of_file
from tests.serve.conftest import Running

PATH = "/api/custodian/outputs"
SVG = (
    b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2 1"><rect width="2" height="1"/></svg>'
)
RECORD = {
    "status": "pass",
    "kind": "histogram",
    "type": "plot",
    "columns": ["bmi"],
    "method": "merge",
    "command": "histogram(bmi)",
    "says": ["made here, and not changed since"],
}


def hand(served: Running, name: str, study: str = "cohort.csv", **record: Any) -> int:
    """Hand in a file as the command line does; return its number."""
    store = served.study.session.ledger.store
    path = Path(served.folder) / name
    path.write_bytes(SVG + name.encode())
    return hand_in(store, study, 1, path, checksum_of_file(path), RECORD | record).id


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
    "without a reason": ({"what": "rejected", "text": " "}, "say why"),
    "unprintable": ({"what": "comment", "text": "a\u202eb"}, "no signs that cannot be printed"),
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
    store = served.study.session.ledger.store
    assert [it.reviews for it in list_outputs(store) if it.id == number] == [()]


def test_an_output_of_another_study_is_not_there(served: Running) -> None:
    other = hand(served, "other.svg", "other.csv")
    with served.client(served.custodian) as client:
        assert "other.svg" not in client.get(PATH).text
        assert client.get(f"{PATH}/{other}/file").status_code == 404
        assert client.post(f"{PATH}/{other}", json={"what": "approved"}).status_code == 422
        for word in ("0", "-1", "1e3", "²", "9" * 30, "..%2f"):
            assert client.get(f"{PATH}/{word}/file").status_code == 404


@pytest.mark.promise
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
    store = served.study.session.ledger.store
    assert [it.state for it in list_outputs(store) if it.id == number] == ["waiting"]
