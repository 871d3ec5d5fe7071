"""Attacks on a running server: tokens, paths, bodies, slow clients, other people's pictures."""

from __future__ import annotations

import json
import re
import socket
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from discreet.serve.limits import HEADERS, RequestLimits
from discreet.serve.record import log, open_record
from discreet.serve.studies import Studies
from discreet.serve.tokens import add_token, revoke_token
from tests.serve.cohort import MANY, NAME, POLICY, narrow, published, studies_of
from tests.serve.conftest import Running, running
from tests.serve.raw import Reply, talk
from tests.serve.workers import beside, client

AGE = {"columns": ["age"]}
HEAD = b"Host: x\r\nConnection: close\r\n"


def address_of(served: Running) -> tuple[str, int]:
    host, _, port = served.url.removeprefix("http://").partition(":")
    return host, int(port)


def bearer(token: str) -> bytes:
    return b"Authorization: Bearer " + token.encode("latin-1") + b"\r\n"


def send(served: Running, line: bytes, headers: bytes, body: bytes = b"") -> Reply:
    return talk(address_of(served), line + b" HTTP/1.1\r\n" + HEAD + headers + b"\r\n" + body)


def post(served: Running, path: str, body: bytes, headers: bytes = b"") -> Reply:
    length = b"Content-Length: %d\r\n" % len(body)
    return send(served, b"POST " + path.encode(), bearer(served.token) + headers + length, body)


def told(reply: Reply) -> dict[str, str]:
    """Return the headers of an answer that do not hold the time."""
    return {name: value for name, value in reply.headers.items() if name != "date"}


# --- tokens -------------------------------------------------------------------------------------


def other_token(folder: Path) -> str:
    """Return a token that is good for another record."""
    return add_token(open_record(folder), NAME, "alice")


def made(served: Running, name: str, *, days: float = 1.0, ago: float = 0.0) -> str:
    now = datetime.now(UTC) - timedelta(days=ago)
    return add_token(served.studies.store, NAME, name, days=days, now=now)


def test_no_token_but_a_valid_one_opens_anything(served: Running, tmp_path: Path) -> None:
    revoked = made(served, "revoked")
    revoke_token(served.studies.store, NAME, "revoked")
    good = served.token
    credentials: dict[str, bytes] = {
        "none": b"",
        "empty": b"Authorization: \r\n",
        "no token": b"Authorization: Bearer\r\n",
        "spaces": b"Authorization: Bearer    \r\n",
        "made up": bearer("discreet_" + "a" * 43),
        "expired": bearer(made(served, "expired", days=0.5, ago=1.0)),
        "revoked": bearer(revoked),
        "of another record": bearer(other_token(tmp_path)),
        "a part": bearer(good[:-1]),
        "more": bearer(good + "a"),
        "twice": bearer(good + good),
        "another case": bearer(good.upper()),
        "without its prefix": bearer(good.removeprefix("discreet_")),
        "its digest": bearer("0" * 64),
        "another scheme": b"Authorization: Basic " + good.encode() + b"\r\n",
        "no scheme": b"Authorization: " + good.encode() + b"\r\n",
        "overlong": bearer("a" * 9000),
        "not ASCII": bearer("\xe9\xff\xfe"),
        "like another's": bearer("a.b.c"),
        "in a cookie": b"Cookie: token=" + good.encode() + b"\r\n",
        "in another header": b"X-Authorization: Bearer " + good.encode() + b"\r\n",
        "the wrong one first": bearer("x") + bearer(good),
    }
    replies = {name: send(served, b"GET /api/study", it) for name, it in credentials.items()}
    unsent = bearer("made up") + b"Content-Length: 1000\r\n"  # a body is read of who is known alone
    replies["before its body"] = send(served, b"POST /api/outputs", unsent)
    replies["in the query"] = send(served, b"GET /api/study?token=" + good.encode(), b"")
    expected = replies["made up"]
    assert expected.status == 401
    assert expected.headers["www-authenticate"] == "Bearer"
    for name, reply in replies.items():
        assert (reply.status, reply.body) == (401, expected.body), name
        assert told(reply) == told(expected), name
    assert send(served, b"GET /api/study", bearer(good)).status == 200


SECOND = "second.csv"
"""The name of another study on the same server."""


def test_a_token_opens_its_own_study_alone(tmp_path: Path) -> None:
    second = published(tmp_path, f'study = "{SECOND}"\n{POLICY}', narrow()).rename(
        tmp_path / "second.discreet"
    )
    store = open_record(tmp_path / "state")
    studies = Studies([published(tmp_path), second], store, MANY)
    tokens = {
        (name, role): add_token(store, name, "carol", role)
        for name, role in ((NAME, "analyst"), (SECOND, "custodian"))
    }
    elsewhere = add_token(store, "third.csv", "carol")
    with beside(studies) as url:
        views: dict[str, str] = {}
        for (name, role), token in tokens.items():
            with client(url, token) as caller:
                found = caller.get("/api/study").json()
                assert (found["study"], found["caller"]["role"]) == (name, role)
                ours = caller.post("/api/views/histogram", json=AGE).json()
                views[name] = ours["id"]
                # Of the other study nothing is told: not what is drawn, nor which columns it has.
                wide = caller.post("/api/views/histogram", json={"columns": ["ldl"]})
                assert wide.status_code == (200 if name == NAME else 422)
                assert caller.get("/api/custodian").status_code == (403 if name == NAME else 200)
        assert len({*views.values()}) == 2
        for (name, _), token in tokens.items():
            with client(url, token) as caller:
                for of, view in views.items():
                    again = caller.get(f"/api/views/{view}").status_code
                    assert again == (200 if of == name else 404)
        with client(url, tokens[SECOND, "custodian"]) as carol:
            rows = carol.get("/api/custodian/log").json()["log"]
            assert {it["version"] for it in rows} == {studies.all()[1].version}
        with client(url, elsewhere) as nobody:
            assert nobody.get("/api/study").status_code == 401
    assert {(row["study"], row["caller"]) for row in log(store)} == {
        (NAME, "token carol"),
        (SECOND, "token carol"),
    }


# --- paths --------------------------------------------------------------------------------------

NOT_THERE = (
    *("/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e%2fapp.py"),
    *("/static/%252e%252e%252fapp.py", "/static/....//app.py", r"/static/..\app.py"),
    *("/static/..%5capp.py", "/static/board.js%00", "/static/board.js/"),
    *("/static/%62oard.js/../../app.py", "/static", "/../../../../etc/passwd"),
    *("/%2e%2e/%2e%2e/etc/passwd", "/state/record.sqlite", "/cohort.discreet", "/openapi.json"),
    *("/api", "/api/study/", "/API/STUDY", "/api//study", "/api/views/../study"),
    *("/api/views/..%2fstudy", "/api/views/%00", "/api/views/%ff%fe", "/api/views/x/figure.svg"),
    *("/api/views/x/..%2f..%2fcohort.discreet", "/api/views/%27%20OR%201=1--"),
    *("/api/views/a%0d%0aSet-Cookie:%20x=y/figure.svg", "http://elsewhere/api/study", "*"),
)


@pytest.mark.parametrize("path", NOT_THERE)
def test_what_is_not_there_is_said_in_one_way(served: Running, path: str) -> None:
    reply = send(served, b"GET " + path.encode("latin-1"), bearer(served.token))
    assert reply.status == 404
    assert reply.json()["error"]["code"] == "unknown"
    assert "set-cookie" not in reply.headers
    assert reply.body == send(served, b"GET /nowhere", b"").body


# --- heads and bodies ---------------------------------------------------------------------------

MALFORMED: dict[str, bytes] = {
    "deep lists": b"[" * 60_000,
    "deep lists within": b'{"columns":' + b"[" * 30_000 + b"]" * 30_000 + b"}",
    "thousands of keys": json.dumps({f"k{i}": 1 for i in range(5000)}).encode(),
    "an identifier": b'{"columns":["patient"]}',
    "half a pair": b'{"columns":["\\ud800"]}',
    "not UTF-8": b'{"columns":["\xff\xfe"]}',
    "1e999": b'{"columns":["age"],"q":1e999}',
    "many digits": b'{"columns":["age"],"k":' + b"9" * 5000 + b"}",
    "a secret key": b'{"columns":["age"],"study":"x","version":1,"view":"x","gate":null}',
}


@pytest.mark.parametrize("body", MALFORMED.values(), ids=[*MALFORMED])
def test_a_body_that_is_not_as_described_is_refused(served: Running, body: bytes) -> None:
    reply = post(served, "/api/views/histogram", body)
    assert (reply.status, reply.json()["error"]["code"]) == (422, "request")
    assert post(served, "/api/views/histogram", json.dumps(AGE).encode()).status == 200


def test_of_a_request_of_two_lengths_no_second_one_is_read(served: Running) -> None:
    smuggled = (
        b"POST /api/views/box HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /api/health HTTP/1.1\r\n\r\n"
    )
    reply = talk(address_of(served), smuggled)
    assert (reply.status, reply.json()["error"]["code"]) == (400, "body")
    assert reply.raw.count(b"HTTP/1.1 ") == 1


def test_who_goes_away_is_no_fault(served: Running, caplog: pytest.LogCaptureFixture) -> None:
    start = (
        b"POST /api/views/box HTTP/1.1\r\n" + HEAD + bearer("x") + b"Content-Length: 99\r\n\r\n{"
    )
    for _ in range(3):
        with socket.create_connection(address_of(served), timeout=60) as client:
            client.sendall(start)
            time.sleep(0.05)
    time.sleep(0.3)
    assert [it.getMessage() for it in caplog.records if it.name == "discreet.serve"] == []


# --- headers ------------------------------------------------------------------------------------


def every_kind_of_answer(served: Running) -> Iterator[tuple[str, Reply]]:
    token, drawn = bearer(served.token), post(served, "/api/views/box", json.dumps(AGE).encode())
    view = drawn.json()["id"].encode()
    yield "a picture", drawn
    for line in (
        b"GET /",
        b"GET /custodian",
        b"GET /static/board.js",
        b"GET /static/board.css",
        b"GET /api/health",
        b"GET /api/openapi.json",
        b"GET /api/study",
        b"GET /api/views/" + view,
        *(
            b"GET /api/views/" + view + b"/" + it
            for it in (b"figure.svg", b"figure.png", b"figure.pdf", b"view.json")
        ),
        b"GET /api/custodian",
        b"GET /nowhere",
        b"GET /api/nowhere",
        b"PUT /",
        b"PUT /api/study",
        b"HEAD /",
        b"OPTIONS /api/study",
        b"GET /" + b"a" * 2000,
    ):
        yield line.decode(), send(served, line, token)
    yield "no token", send(served, b"GET /api/study", b"")
    yield "malformed", post(served, "/api/views/box", b"[")
    yield "too large", post(served, "/api/views/box", b" " * 70_000)
    yield "not HTTP", talk(address_of(served), b"NONSENSE\r\n\r\n")
    yield (
        "what the browser has",
        send(served, b"GET /", b"If-None-Match: " + tag_of(served) + b"\r\n"),
    )


def tag_of(served: Running) -> bytes:
    return send(served, b"GET /", b"").headers["etag"].encode()


@pytest.mark.slow
def test_every_kind_of_answer_has_the_headers(served: Running) -> None:
    kinds = set()
    for name, reply in every_kind_of_answer(served):
        kinds.add(reply.status)
        assert {it: reply.headers.get(it) for it in HEADERS} == dict(HEADERS), name
        assert not {"server", "set-cookie", "x-powered-by"} & {*reply.headers}, name
        assert not [it for it in reply.headers if it.startswith("access-control")], name
        if "/api/" in name:
            assert reply.headers["cache-control"] == "no-store", name
        if reply.status >= 400 and name[:4] != "HEAD":
            assert reply.headers["content-type"] == "application/json", name
            assert {*reply.json()["error"]} == {"code", "says", "rule", "nearest", "place"}, name
        if name.count("/") == 4:
            assert re.fullmatch(
                r'attachment; filename="discreet-[0-9a-f]{12}\.\w+"',
                reply.headers["content-disposition"],
            )
    assert kinds >= {200, 304, 400, 401, 403, 404, 405, 413, 414, 422}


def test_pages_hold_no_script_of_their_own(served: Running) -> None:
    with served.client() as client:
        for path in ("/", "/custodian"):
            text = client.get(path).text
            assert not re.search(r"<script(?![^>]*\bsrc=\"/static/)", text)
            assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:|https?://(?!www\.w3)", text)


# --- other origins ------------------------------------------------------------------------------

LAB = "https://lab.example"


def preflight(client: httpx.Client, origin: str, method: str = "POST") -> httpx.Response:
    headers = {
        "Origin": origin,
        "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": "authorization, content-type",
    }
    return client.options("/api/views/histogram", headers=headers)


def shared_with(response: httpx.Response) -> str | None:
    return dict(response.headers).get("access-control-allow-origin")


def test_no_other_origin_may_ask_unless_it_is_named(tmp_path: Path) -> None:
    with (
        running(studies_of(tmp_path), tmp_path, origins=(LAB,)) as served,
        served.client() as client,
    ):
        for origin in (LAB, "https://lab.example.evil.org", "http://lab.example", "null", "*"):
            ours = origin == LAB
            found = client.get("/api/study", headers={"Origin": origin})
            assert shared_with(found) == (LAB if ours else None)
            refused = client.get("/api/study", headers={"Origin": origin, "Authorization": "x"})
            assert (refused.status_code, shared_with(refused)) == (401, LAB if ours else None)
            asked = preflight(client, origin)
            assert (asked.status_code, shared_with(asked)) == ((200, LAB) if ours else (400, None))
            assert "access-control-allow-credentials" not in {**asked.headers, **found.headers}
            assert preflight(client, origin, "DELETE").status_code == 400
        named = preflight(client, LAB).headers["access-control-allow-headers"].lower()
        assert "authorization" in named


def test_by_default_no_other_origin_may_ask(served: Running) -> None:
    with served.client() as client:
        assert preflight(client, LAB).status_code == 405
        assert shared_with(preflight(client, LAB)) is None
        assert shared_with(client.get("/api/study", headers={"Origin": LAB})) is None


# --- other people's pictures --------------------------------------------------------------------

PATHS = ("", "/figure.svg", "/figure.png", "/figure.pdf", "/figure.html", "/view.json")


def test_anothers_picture_is_as_one_that_is_not_there(served: Running) -> None:
    with served.client() as alice, served.client(made(served, "nosy")) as nosy:
        view = alice.post("/api/views/histogram", json={"columns": ["bmi"]}).json()["id"]
        for path in PATHS:
            theirs = nosy.get(f"/api/views/{view}{path}")
            nowhere = nosy.get(f"/api/views/{'0' * 32}{path}")
            assert theirs.status_code == nowhere.status_code == 404
            assert theirs.content == nowhere.content
            heads = [{**it.headers, "date": ""} for it in (theirs, nowhere)]
            assert heads[0] == heads[1]
        with served.client(served.custodian) as custodian:
            assert custodian.get(f"/api/views/{view}").status_code == 200
        # Whoever asks for it sees it, from then on.
        assert nosy.post("/api/views/histogram", json={"columns": ["bmi"]}).status_code == 200
        assert nosy.get(f"/api/views/{view}").status_code == 200


# --- what is held back because of the data ------------------------------------------------------

HELD_BACK: tuple[tuple[str, dict[str, Any]], ...] = (
    ("residuals", {"formula": "age ~ bmi + I(2 * bmi)"}),
    ("qq", {"formula": "age ~ bmi + C(sex) + I(0 * bmi)"}),
    ("leverage", {"formula": "age ~ I(bmi - bmi)"}),
)


@pytest.mark.made_anew
@pytest.mark.slow
def test_what_the_data_hold_back_looks_alike(tmp_path: Path) -> None:
    held = []
    with running(studies_of(tmp_path), tmp_path) as served, served.client() as client:
        client.post("/api/views/histogram", json=AGE)  # imports what it needs
        for kind, body in HELD_BACK:
            found = client.post(f"/api/views/{kind}", json=body)
            assert (found.status_code, found.json()["error"]["code"]) == (403, "data"), kind
            held.append(found.content)
            again = client.post(f"/api/views/{kind}", json=body)
            assert (again.status_code, again.content) == (403, found.content)
    assert len(set(held)) == 1


# --- slow clients -------------------------------------------------------------------------------


@pytest.mark.slow
def test_others_are_served_while_many_are_slow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("discreet.serve.limits.CarefulProtocol.head_seconds", 600)
    sizes = (RequestLimits.__init__.__defaults__ or ())[1:]
    monkeypatch.setattr(RequestLimits.__init__, "__defaults__", (600, *sizes))
    with running(studies_of(tmp_path), tmp_path) as served:
        start = b"POST /api/views/box HTTP/1.1\r\nHost: x\r\n" + bearer(served.token)
        head, body = b"GET /api/study HTTP/1.1\r\nHost: ", start + b"Content-Length: 999\r\n\r\n{"
        slow_ones = [  # of several addresses, each of which has as many as it may
            socket.create_connection(address_of(served), source_address=(f"127.0.0.{2 + i % 4}", 0))
            for i in range(80)
        ]
        for each, sent in zip(slow_ones, [head, body] * 40, strict=True):
            each.sendall(sent)
        with served.client() as client:
            for _ in range(3):
                assert client.get("/api/study").status_code == 200
                assert client.post("/api/views/histogram", json=AGE).status_code == 200
                for each in slow_ones:
                    each.sendall(b"a")
        for each in slow_ones:
            each.setblocking(False)
            with pytest.raises(BlockingIOError, match="unavailable"):
                each.recv(1)  # neither answered nor cut off: nobody waited for it
            each.close()
