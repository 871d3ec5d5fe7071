"""A picture as the page drew it: sealed by the server, recorded, handed in, and verified."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from discreet.explore.file_checks import ALTERED, NOT_COMPARABLE, read
from discreet.explore.verify_file import FileVerifier
from discreet.provenance import Provenance
from discreet.serve.tokens import add_token
from tests.render.test_page_drawing import drawing, png
from tests.serve.cohort import NAME

if TYPE_CHECKING:
    import httpx

    from tests.serve.conftest import Running

DRAWING = drawing().decode()
IMAGE = base64.b64encode(png()).decode()
SENT = {"figure.svg": DRAWING, "figure.pdf": DRAWING, "figure.png": IMAGE}


def view_id(client: httpx.Client) -> str:
    return str(client.post("/api/views/histogram", json={"columns": ["bmi"]}).json()["id"])


def drawn(client: httpx.Client, id_: str, form: str, sent: str) -> httpx.Response:
    return client.post(f"/api/drawn/{id_}", json={"form": form, "drawing": sent})


@pytest.mark.slow
@pytest.mark.parametrize("form", SENT)
def test_a_drawing_is_sealed_and_verified(served: Running, form: str, tmp_path: Path) -> None:
    with served.client() as client:
        answer = drawn(client, view_id(client), form, SENT[form])
    assert answer.status_code == 200
    path = tmp_path / form
    path.write_bytes(answer.content)
    words = read(path).words
    assert words is not None
    said = Provenance.from_text(words)
    assert said.is_genuine(served.served.file.key)
    assert said.request["columns"] == ["bmi"]
    found = FileVerifier(served.served.copy.session, tmp_path).check(path)
    assert (found.verdict, found.checks["seal"], found.checks["file"]) == (
        NOT_COMPARABLE,
        "passed",
        "passed",
    )
    assert "a page drew it" in found.says
    assert found.beside is not None
    if form == "figure.svg":
        path.write_bytes(answer.content.replace(b"#3576ab", b"#3576ac"))
        assert FileVerifier(served.served.copy.session).check(path).verdict == ALTERED


def test_a_file_says_of_which_study_and_rules_it_is(served: Running) -> None:
    with served.client() as client:
        id_ = view_id(client)
        svg, image = (
            drawn(client, id_, it, SENT[it]).content for it in ("figure.svg", "figure.png")
        )
    policy = served.served.file.policy
    for said in (NAME, id_, f"k = {policy.k}, m = {policy.members}", "protected copy"):
        assert said.encode() in svg
        assert said.encode() in image


REFUSED: dict[str, tuple[dict[str, Any], int]] = {
    "a script": (
        {"form": "figure.svg", "drawing": DRAWING.replace("</svg>", "<script/></svg>")},
        422,
    ),
    "an SVG as PNG": ({"form": "figure.png", "drawing": DRAWING}, 422),
    "a table's form": ({"form": "table.svg", "drawing": DRAWING}, 422),
    "a form that the server makes": ({"form": "figure.html", "drawing": DRAWING}, 422),
    "nothing": ({"form": "figure.svg"}, 422),
    "too large": ({"form": "figure.svg", "drawing": "a" * 4_000_000}, 413),
}


@pytest.mark.parametrize(("body", "status"), REFUSED.values(), ids=[*REFUSED])
def test_what_is_no_drawing_is_refused(served: Running, body: dict[str, Any], status: int) -> None:
    with served.client() as client:
        answer = client.post(f"/api/drawn/{view_id(client)}", json=body)
    assert answer.status_code == status
    assert "script" not in answer.text


def test_others_plots_are_not_sealed(served: Running) -> None:
    other = add_token(served.studies.store, NAME, "mallory")
    with served.client() as client, served.client(other) as mallory:
        id_ = view_id(client)
        assert drawn(mallory, id_, "figure.svg", DRAWING).status_code == 404
        assert drawn(client, id_, "figure.svg", DRAWING).status_code == 200


def test_other_bodies_stay_small(served: Running) -> None:
    with served.client() as client:
        answer = client.post("/api/views/histogram", json={"columns": ["a" * 100_000]})
    assert answer.status_code == 413


def test_a_drawing_is_recorded_and_handed_in_for_a_look(served: Running) -> None:
    with served.client() as client, served.client(served.custodian) as custodian:
        body = {"columns": ["age"], "bins": 12}
        id_ = client.post("/api/views/histogram", json=body).json()["id"]
        saved = drawn(client, id_, "figure.svg", DRAWING).content
        log = custodian.get("/api/custodian/log").json()["log"]
        assert (log[0]["what"], log[0]["outcome"]) == ("figure.svg", "answered")
        told = {"id": id_, "form": "figure.svg", "text": "figure 1", "drawing": DRAWING}
        output = client.post("/api/outputs", json=told).json()["output"]
        (listed,) = [
            it
            for it in custodian.get("/api/custodian/outputs").json()["outputs"]
            if it["id"] == output["id"]
        ]
        file = custodian.get(f"/api/custodian/outputs/{output['id']}/file").content
    assert file == saved
    assert listed["status"] == "review"
    assert "drawn by the page" in listed["says"][0]


@pytest.mark.slow
def test_a_table_that_was_drawn_is_collected_as_a_page(served: Running) -> None:
    with served.client() as client, served.client(served.custodian) as custodian:
        id_ = client.post("/api/tables/summary", json={"columns": ["age"]}).json()["id"]
        assert drawn(client, id_, "figure.svg", DRAWING).status_code == 422
        assert drawn(client, id_, "table.svg", DRAWING).status_code == 200
        custodian.post("/api/custodian/outputs", json={"caller": None})
        after = custodian.get("/api/custodian/outputs").json()
    assert f"discreet-{id_[:12]}.html" in {it["name"] for it in after["outputs"]}
    assert after["downloaded"] == []
