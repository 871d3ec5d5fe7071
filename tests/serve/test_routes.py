"""The addresses of the API, asked over HTTP: who may ask what, and what the answers look like."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from discreet.plots import PLOTS, View
from discreet.serve import asking, routes
from discreet.serve import drawing as drawing_of
from discreet.serve.drawing import FORMS
from discreet.serve.refusals import refusal
from tests.serve.cohort import opened
from tests.serve.conftest import Running, running

AGE = {"columns": ["age"]}
NOBODY = "0" * 32


@pytest.fixture
def alice(served: Running) -> Iterator[httpx.Client]:
    """An analyst."""
    with served.client() as client:
        yield client


@pytest.fixture
def carol(served: Running) -> Iterator[httpx.Client]:
    """A custodian."""
    with served.client(served.custodian) as client:
        yield client


def error(found: httpx.Response) -> dict[str, Any]:
    """Return what an answer says that is none."""
    assert found.headers["content-type"] == "application/json"
    assert found.headers["cache-control"] == "no-store"
    told = found.json()
    assert {*told} == {"error"}
    assert {*told["error"]} == {"code", "says", "rule", "nearest"}
    return dict(told["error"])


# --- who may ask ----------------------------------------------------------------------------------

ADDRESSES = [
    ("GET", "/api/study"),
    *(("POST", f"/api/views/{kind}") for kind in PLOTS),
    ("GET", f"/api/views/{NOBODY}"),
    ("GET", f"/api/views/{NOBODY}/orders"),
    *(("GET", f"/api/views/{NOBODY}/{form}") for form in FORMS),
    ("GET", "/api/custodian"),
    ("POST", "/api/custodian/verify"),
]
CREDENTIALS = {
    "none": {},
    "nothing": {"Authorization": "Bearer"},
    "another's": {"Authorization": "Bearer discreet_Canary"},
    "not a bearer's": {"Authorization": "Basic Y2FuYXJ5OmNhbmFyeQ=="},
    "a token alone": {"Authorization": "discreet_Canary"},
    "in a cookie": {"Cookie": "token=discreet_Canary"},
}


@pytest.mark.parametrize(("method", "path"), ADDRESSES, ids=lambda it: it)
def test_nothing_without_a_token(served: Running, method: str, path: str) -> None:
    with httpx.Client(base_url=served.url, trust_env=False) as client:
        for headers in CREDENTIALS.values():
            found = client.request(method, path, headers=headers, content=b"{Canary")
            assert (found.status_code, error(found)["code"]) == (401, "token")
            assert found.headers["www-authenticate"] == "Bearer"
            assert b"Canary" not in found.content
            assert error(found)["says"] == refusal("token").says


def test_a_token_in_the_address_is_none(served: Running) -> None:
    found = httpx.get(f"{served.url}/api/study?token={served.token}", trust_env=False)

    assert found.status_code == 401


@pytest.mark.parametrize(("method", "path"), ADDRESSES[-2:], ids=lambda it: it)
def test_an_analyst_is_no_custodian(
    alice: httpx.Client, carol: httpx.Client, method: str, path: str
) -> None:
    before = len(carol.get("/api/custodian").json()["log"])
    found = alice.request(method, path)

    assert (found.status_code, error(found)["code"]) == (403, "role")
    log = carol.get("/api/custodian").json()["log"]
    assert len(log) == before + 1
    assert [log[0][it] for it in ("caller", "what", "request", "outcome")] == [
        "token alice",
        "custodian",
        "",
        "role",
    ]


def test_nobody_who_is_unknown_is_recorded(served: Running, carol: httpx.Client) -> None:
    before = carol.get("/api/custodian").json()["log"]
    for method, path in ADDRESSES:
        found = httpx.request(
            method, served.url + path, headers=CREDENTIALS["another's"], trust_env=False
        )
        assert found.status_code == 401

    assert carol.get("/api/custodian").json()["log"] == before


def test_health_needs_no_token(served: Running) -> None:
    found = httpx.get(f"{served.url}/api/health", trust_env=False)

    assert (found.status_code, found.json()) == (200, {"ok": True})


# --- what is answered -----------------------------------------------------------------------------


def test_the_form_is_told(alice: httpx.Client, carol: httpx.Client) -> None:
    found = alice.get("/api/study").json()

    assert (found["study"], found["version"]) == ("cohort.csv", 1)
    assert found["caller"] == {"name": "token alice", "role": "analyst"}
    assert {it["kind"] for it in found["pictures"]} == set(PLOTS)
    assert carol.get("/api/study").json()["caller"] == {
        "name": "token carol",
        "role": "custodian",
    }


def test_a_picture_is_drawn_and_given_again(alice: httpx.Client, carol: httpx.Client) -> None:
    first = alice.post("/api/views/histogram", json=AGE)
    view = first.json()["id"]

    assert first.status_code == 200
    assert first.headers["content-type"] == "application/json"
    assert alice.post("/api/views/histogram", json={**AGE, "bins": 20}).content == first.content
    assert alice.get(f"/api/views/{view}").content == first.content
    assert carol.get(f"/api/views/{view}").content == first.content


def test_a_picture_of_somebody_else_is_not_there(alice: httpx.Client, carol: httpx.Client) -> None:
    view = carol.post("/api/views/histogram", json={"columns": ["tch"]}).json()["id"]

    for path in (f"/api/views/{view}", f"/api/views/{view}/figure.svg"):
        found = alice.get(path)
        assert (found.status_code, error(found)["code"]) == (404, "unknown")
        nobody = alice.get(path.replace(view, NOBODY))
        assert (nobody.status_code, nobody.content) == (404, found.content)


TYPES = {
    "figure.svg": ("image/svg+xml", b"<?xml"),
    "figure.png": ("image/png", b"\x89PNG"),
    "figure.pdf": ("application/pdf", b"%PDF"),
    "view.json": ("application/json", b"{"),
}


@pytest.mark.parametrize("form", TYPES)
def test_a_file_is_downloaded(alice: httpx.Client, form: str) -> None:
    sent = alice.post("/api/views/histogram", json=AGE)
    view = sent.json()["id"]
    found = alice.get(f"/api/views/{view}/{form}")
    kind, start = TYPES[form]

    assert found.status_code == 200
    assert found.headers["content-type"] == kind
    assert found.headers["content-disposition"] == (
        f'attachment; filename="discreet-{view[:8]}.{form.rpartition(".")[2]}"'
    )
    assert found.headers["cache-control"] == "no-store"
    assert found.content.startswith(start)
    assert alice.get(f"/api/views/{view}/{form}").content == found.content
    if form == "view.json":
        assert View.from_json(found.text).columns == ("age",)


def test_a_picture_that_was_held_back_has_no_files(
    alice: httpx.Client, carol: httpx.Client
) -> None:
    body = {"columns": ["region", "diagnosis"]}
    held = alice.post("/api/views/parallel", json=body)
    assert (held.status_code, error(held)["code"]) == (403, "data")
    assert held.content == refusal("data").body
    assert alice.post("/api/views/parallel", json=body).content == held.content

    log = carol.get("/api/custodian").json()["log"]
    assert [it["outcome"] for it in log[:2]] == ["repeated", "data"]


def test_orders_of_a_picture_are_told(alice: httpx.Client) -> None:
    body = {"columns": ["age", "bmi", "diagnosis"]}
    view = alice.post("/api/views/parallel", json=body).json()["id"]
    found = alice.get(f"/api/views/{view}/orders").json()

    assert (found["order"], found["allowed"]) == (["age", "bmi", "diagnosis"], True)
    assert len(found["moves"]) == 6


def test_the_custodian_reads_the_log_and_the_chain(carol: httpx.Client) -> None:
    carol.post("/api/views/bars", json={"columns": ["sex"]})
    told = carol.get("/api/custodian").json()
    newest = told["log"][0]

    assert (newest["caller"], newest["what"], newest["outcome"]) == (
        "token carol",
        "bars",
        newest["outcome"],
    )
    older = carol.get(f"/api/custodian?before={newest['id']}").json()["log"]
    assert all(it["id"] < newest["id"] for it in older)
    verified = carol.post("/api/custodian/verify").json()
    assert verified["broken"] == []
    assert {*verified} == {"rows", "head", "broken"}


# --- what is refused ------------------------------------------------------------------------------

NOT_AS = "{}: not as /api/openapi.json describes it"
NO_JSON = "the body: JSON as /api/openapi.json describes it, no more keys"
BODIES: dict[str, tuple[str, bytes, str]] = {
    # path, body, what is said
    "nothing": ("/api/views/histogram", b"", NO_JSON),
    "no JSON": ("/api/views/histogram", b"{Canary", NO_JSON),
    "a list": ("/api/views/histogram", b'["Canary"]', NO_JSON),
    "no text": ("/api/views/histogram", b"\xff\xfe\x00", NO_JSON),
    "another key": ("/api/views/histogram", b'{"columns": ["age"], "Canary": 1}', NO_JSON),
    "a wrong number": (
        "/api/views/histogram",
        b'{"columns": ["age"], "k": "Canary"}',
        NOT_AS.format("k"),
    ),
    "wrong columns": (
        "/api/views/scatter",
        b'{"columns": "Canary", "k": -1}',
        NOT_AS.format("columns"),
    ),
    "no formula": ("/api/views/qq", b"{}", NOT_AS.format("formula")),
    "one axis": ("/api/views/parallel", b'{"columns": ["Canary"]}', NOT_AS.format("columns")),
    "deep": ("/api/views/histogram", b"[" * 10_000, NO_JSON),
}


@pytest.mark.parametrize(("path", "body", "says"), BODIES.values(), ids=BODIES)
def test_a_body_that_is_wrong(
    alice: httpx.Client, carol: httpx.Client, path: str, body: bytes, says: str
) -> None:
    found = alice.post(path, content=body, headers={"Content-Type": "application/json"})

    assert (found.status_code, error(found)["code"]) == (422, "request")
    assert error(found)["says"] == says
    assert b"Canary" not in found.content
    (newest, *_) = carol.get("/api/custodian").json()["log"]
    assert (newest["caller"], newest["what"], newest["outcome"], newest["request"]) == (
        "token alice",
        path.rpartition("/")[2],
        "request",
        "",
    )


def test_a_body_is_json_whatever_its_type_says(alice: httpx.Client) -> None:
    body = json.dumps(AGE).encode()
    plain = alice.post("/api/views/histogram", content=body, headers={"Content-Type": "text/plain"})

    assert plain.status_code == 200


OTHERS: dict[str, tuple[str, str, int, str]] = {
    "an unknown picture": ("POST", "/api/views/pie", 405, "method"),
    "no such address": ("GET", "/api/Canary", 404, "unknown"),
    "a folder": ("GET", "/api/", 404, "unknown"),
    "a slash more": ("GET", "/api/study/", 404, "unknown"),
    "asking for orders": ("POST", f"/api/views/{NOBODY}/orders", 405, "method"),
    "asking what is read": ("POST", "/api/study", 405, "method"),
    "taking away": ("DELETE", f"/api/views/{NOBODY}", 405, "method"),
    "an unknown file": ("GET", f"/api/views/{NOBODY}/figure.exe", 404, "unknown"),
    "a page that is no number": ("GET", "/api/custodian?before=Canary", 422, "request"),
    "a page before the first": ("GET", "/api/custodian?before=0", 422, "request"),
    "a page beyond all": ("GET", f"/api/custodian?before={2**64}", 422, "request"),
}


@pytest.mark.parametrize(("method", "path", "status", "code"), OTHERS.values(), ids=OTHERS)
def test_an_address_that_is_wrong(
    carol: httpx.Client, method: str, path: str, status: int, code: str
) -> None:
    found = carol.request(method, path)

    assert (found.status_code, error(found)["code"]) == (status, code)
    assert b"Canary" not in found.content


def test_a_refusal_of_the_policy_offers_what_is_allowed(alice: httpx.Client) -> None:
    found = alice.post("/api/views/scatter", json={"columns": ["age", "hdl"], "k": 9})
    near = error(found)["nearest"]

    assert (found.status_code, error(found)["code"]) == (403, "policy")
    assert alice.post("/api/views/scatter", json=near).status_code == 200


def test_what_takes_long_is_finished_and_found_when_asked_again(
    alice: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def drawing(*args: Any) -> View:
        begun.set()
        assert go_on.wait(30)
        return drawing_of.drawn(*args)

    monkeypatch.setattr(asking, "drawn", drawing)
    monkeypatch.setattr(routes, "SECONDS", 0.5)
    found = alice.post("/api/views/histogram", json={"columns": ["ltg"]})
    assert (found.status_code, error(found)["code"]) == (503, "slow")
    assert found.headers["retry-after"] == "5"
    assert begun.is_set()

    go_on.set()
    monkeypatch.setattr(routes, "SECONDS", 30)
    again = alice.post("/api/views/histogram", json={"columns": ["ltg"]})
    assert again.status_code == 200
    assert again.json()["view"]["columns"] == ["ltg"]


def test_a_fault_says_nothing_of_itself(
    alice: httpx.Client, carol: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> View:
        raise ValueError("Canary")

    monkeypatch.setattr(asking, "drawn", fails)
    found = alice.post("/api/views/histogram", json={"columns": ["hdl"]})

    assert (found.status_code, found.content) == (500, refusal("broken").body)
    assert carol.get("/api/custodian").json()["log"][0]["outcome"] == "broken"


def test_pictures_wait_for_each_other_and_the_rest_does_not(
    served: Running, alice: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()

    def drawing(*args: Any) -> View:
        assert go_on.wait(30)
        return drawing_of.drawn(*args)

    kept = alice.post("/api/views/bars", json={"columns": ["region"]})
    monkeypatch.setattr(asking, "drawn", drawing)
    found: list[int] = []

    def draw() -> None:
        with served.client() as client:
            found.append(client.post("/api/views/histogram", json={"columns": ["ldl"]}).status_code)

    thread = threading.Thread(target=draw)
    thread.start()
    time.sleep(0.3)
    assert alice.post("/api/views/bars", json={"columns": ["region"]}).content == kept.content
    assert alice.get(f"/api/views/{kept.json()['id']}").content == kept.content
    assert found == []
    go_on.set()
    thread.join(30)
    assert found == [200]


def test_downloads_leave_threads_for_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, making = threading.Event(), threading.Event()
    before = {it.ident for it in threading.enumerate()}  # some of other servers

    def figure(picture: bytes, form: str) -> bytes:
        making.set()
        assert go_on.wait(60)
        return b"%PDF"

    monkeypatch.setattr(routes, "figure", figure)
    monkeypatch.setattr(routes, "SECONDS", 2.0)
    with running(opened(tmp_path), tmp_path) as own, own.client() as client:
        view = client.post("/api/views/histogram", json=AGE).json()["id"]

        def download(_: int) -> int:
            with own.client() as another:
                return another.get(f"/api/views/{view}/figure.pdf").status_code

        for _ in range(3):  # those that nobody waits for any longer keep their threads
            with ThreadPoolExecutor(30) as threads:
                codes = [threads.submit(download, i) for i in range(30)]
                assert making.wait(20)
                for _ in range(5):  # 503 if downloads had all threads
                    assert client.get("/api/study").status_code == 200
                assert {it.result(60) for it in codes} == {503}
        names = [it.name for it in threading.enumerate() if it.ident not in before]
        assert sum(name.startswith("discreet-request") for name in names) <= 40
        go_on.set()
        monkeypatch.setattr(routes, "SECONDS", 30)
        assert download(0) == 200


def test_a_request_that_found_no_thread_in_time_is_not_worked_on_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()
    worked: list[str] = []

    def told(*_: Any) -> dict[str, Any]:
        worked.append("told")
        assert go_on.wait(60)
        return {}

    monkeypatch.setattr(routes, "study_json", told)
    monkeypatch.setattr(routes, "AT_ONCE", 2)
    monkeypatch.setattr(routes, "SECONDS", 0.5)
    with running(opened(tmp_path), tmp_path) as own:

        def ask(_: int) -> int:
            with own.client() as client:
                return client.get("/api/study").status_code

        with ThreadPoolExecutor(6) as threads:
            assert [*threads.map(ask, range(6))] == [503] * 6
        assert worked == ["told", "told"]  # of which each keeps its thread
        with own.client() as client:
            assert client.get("/api/study").json()["error"]["code"] == "slow"
            go_on.set()
            monkeypatch.setattr(routes, "SECONDS", 30)
            assert client.get("/api/study").json() == {}
        assert worked == ["told"] * 3


# --- what is described ----------------------------------------------------------------------------


def test_every_address_is_described(served: Running) -> None:
    told = httpx.get(f"{served.url}/api/openapi.json", trust_env=False).json()
    described = {
        (method.upper(), path) for path, methods in told["paths"].items() for method in methods
    }
    expected = {(method, path.replace(NOBODY, "{view}")) for method, path in ADDRESSES}

    assert described == expected | {("GET", "/api/health")}
    for path, methods in told["paths"].items():
        for how in methods.values():
            assert how["summary"]
            assert path == "/api/health" or how["security"] == [{"token": []}]
            if path.startswith("/api/views/") and "requestBody" in how:
                assert how["requestBody"]["required"]
