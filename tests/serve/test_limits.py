"""Headers on every answer, limits of size and time, and a net that tells no text."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from discreet.serve.limits import (
    HEADERS,
    CarefulProtocol,
    Faults,
    ProxiedProtocol,
    RequestLimits,
    SecurityHeaders,
)
from tests.serve.raw import Reply, reply_of, running, send_slowly, talk

CANARY = "Canary"


async def echo(request: Request) -> JSONResponse:
    return JSONResponse({"bytes": len(await request.body())})


async def unread(request: Request) -> JSONResponse:
    return JSONResponse({"unread": True})


async def fault(request: Request) -> JSONResponse:
    raise KeyError(CANARY)


async def late_fault(request: Request) -> StreamingResponse:
    async def parts() -> Any:
        yield b"begun"
        raise KeyError(CANARY)

    return StreamingResponse(parts(), headers={"content-length": "100"})


async def own_headers(request: Request) -> PlainTextResponse:
    return PlainTextResponse(
        "", headers={"Content-Security-Policy": "default-src *", "Cache-Control": "public"}
    )


ROUTES = [
    Route("/api/echo", echo, methods=["GET", "POST"]),
    Route("/api/unread", unread, methods=["GET", "POST"]),
    Route("/api/fault", fault),
    Route("/api/late", late_fault),
    Route("/api/own", own_headers),
    Route("/own", own_headers),
]


def guarded(seconds: float = 10, **sizes: int) -> ASGIApp:
    """The middlewares as a server stacks them, around a small app."""
    app = Starlette(routes=ROUTES)
    app.add_middleware(RequestLimits, seconds=seconds, **sizes)
    app.add_middleware(Faults)
    return SecurityHeaders(app)


def scope_of(path: str, query: bytes = b"", headers: Iterable[tuple[bytes, bytes]] = ()) -> Scope:
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query,
        "root_path": "",
        "headers": list(headers),
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 2),
        "state": {},
    }


class Said:
    """What an app sent: its messages, and what they amount to."""

    def __init__(self, messages: list[Message]) -> None:
        starts = [message for message in messages if message["type"] == "http.response.start"]
        assert len(starts) <= 1
        self.status = starts[0]["status"] if starts else 0
        self.headers = {k.decode().lower(): v.decode() for k, v in starts[0]["headers"]}
        bodies = [message for message in messages if message["type"] == "http.response.body"]
        self.body = b"".join(message.get("body", b"") for message in bodies)
        self.whole = bool(bodies) and not bodies[-1].get("more_body", False)

    @property
    def error(self) -> dict[str, Any]:
        return dict(json.loads(self.body)["error"])


def ask(
    app: ASGIApp,
    scope: Scope,
    parts: Iterable[bytes] = (b"",),
    pause: Callable[[], Awaitable[None]] | None = None,
) -> Said:
    """Send a request to an app in this process."""
    sent: list[Message] = []
    waiting = list(parts)

    async def receive() -> Message:
        if not waiting:
            return {"type": "http.disconnect"}
        if pause is not None:
            await pause()
        return {"type": "http.request", "body": waiting.pop(0), "more_body": bool(waiting)}

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(app(scope, receive, send))  # type: ignore[arg-type]
    return Said(sent)


# --- headers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "status", "kept"),
    [
        ("/api/echo", 200, False),
        ("/api/none", 404, False),
        ("/api", 404, False),
        ("/apix", 404, True),
        ("/none", 404, True),
        ("/api/fault", 405, False),
    ],
)
def test_every_answer_has_the_headers(path: str, status: int, kept: bool) -> None:
    said = ask(guarded(), scope_of(path))
    assert said.status == status
    assert {name: said.headers[name] for name in HEADERS} == dict(HEADERS)
    assert ("cache-control" in said.headers) != kept


def test_headers_of_the_app_do_not_loosen_ours() -> None:
    said = ask(guarded(), {**scope_of("/api/own"), "method": "GET"})
    assert said.status == 200
    assert said.headers["content-security-policy"] == HEADERS["content-security-policy"]
    assert said.headers["cache-control"] == "no-store"


def test_the_api_is_found_below_a_root_path() -> None:
    scope = {**scope_of("/study/api/echo"), "root_path": "/study"}
    assert ask(guarded(), scope).headers["cache-control"] == "no-store"


def test_what_is_not_http_passes() -> None:
    seen: list[str] = []

    async def inner(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(scope["type"])

    app = SecurityHeaders(Faults(RequestLimits(inner)))
    asyncio.run(app({"type": "lifespan"}, None, None))  # type: ignore[arg-type]
    assert seen == ["lifespan"]


# --- sizes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "query", "headers", "status", "code"),
    [
        ("/api/echo", b"", [], 200, None),
        ("/api/echo", b"q" * 20, [], 200, None),
        ("/api/echo", b"q" * 21, [], 414, "large"),
        ("/" + "p" * 39, b"", [], 404, None),
        ("/" + "p" * 40, b"", [], 414, "large"),
        ("/api/echo", b"", [(b"a", b"b" * 99)], 200, None),
        ("/api/echo", b"", [(b"a", b"b" * 100)], 400, "large"),
        ("/api/echo", b"", [(b"content-length", b"10")], 200, None),
        ("/api/echo", b"", [(b"content-length", b"11")], 413, "large"),
        ("/api/echo", b"", [(b"content-length", b"0" * 30)], 200, None),
        ("/api/echo", b"", [(b"content-length", b"9" * 60)], 413, "large"),
        ("/api/echo", b"", [(b"Content-Length", b"-1")], 400, "body"),
        ("/api/echo", b"", [(b"content-length", b"1 1")], 400, "body"),
        ("/api/echo", b"", [(b"content-length", b"")], 400, "body"),
        ("/api/unread", b"", [(b"content-length", b"11")], 413, "large"),
        ("/api/echo", b"", [(b"Content-Length", b"1"), (b"transfer-encoding", b"x")], 400, "body"),
    ],
)
def test_what_is_too_large_is_refused(
    path: str, query: bytes, headers: list[tuple[bytes, bytes]], status: int, code: str | None
) -> None:
    app = guarded(body=10, query=20, path=40, head=100)
    said = ask(app, scope_of(path, query, headers))
    assert said.status == status
    assert said.whole
    if code is not None:
        assert (said.error["code"], said.error["nearest"]) == (code, None)
        assert sorted(said.error) == ["code", "nearest", "place", "rule", "says"]
        assert said.error["place"] is None
        assert said.headers["content-type"] == "application/json"


@given(st.lists(st.binary(max_size=8), min_size=1, max_size=8))
def test_a_body_is_counted_as_it_comes_in(parts: list[bytes]) -> None:
    said = ask(guarded(body=16), scope_of("/api/echo"), parts)
    size = sum(map(len, parts))
    assert said.status == (200 if size <= 16 else 413)
    assert said.whole
    if size <= 16:
        assert json.loads(said.body) == {"bytes": size}
    else:
        assert said.error["code"] == "large"


def test_an_answer_that_has_begun_is_cut_off_where_the_body_grows_too_large() -> None:
    async def hasty(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        while (await receive())["type"] == "http.request":
            await send({"type": "http.response.body", "body": b"x", "more_body": True})
        await send({"type": "http.response.body", "body": b"the end"})

    said = ask(RequestLimits(hasty, body=2), scope_of("/"), [b"12", b"3", b"4"])
    assert (said.status, said.body, said.whole) == (200, b"x", False)


# --- time -----------------------------------------------------------------------------------------


def test_a_body_in_time_is_let_through_and_the_wait_for_the_end_is_not_counted() -> None:
    async def waits(scope: Scope, receive: Receive, send: Send) -> None:
        assert (await receive())["type"] == "http.request"
        assert (await receive())["type"] == "http.disconnect"  # after more than its time
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    async def receive_slowly() -> Message:
        messages = waiting.pop(0)
        await asyncio.sleep(messages[0])
        return messages[1]

    waiting: list[tuple[float, Message]] = [
        (0, {"type": "http.request", "body": b"", "more_body": False}),
        (0.2, {"type": "http.disconnect"}),
    ]
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(RequestLimits(waits, seconds=0.05)(scope_of("/"), receive_slowly, send))
    assert Said(sent).status == 204


def test_the_time_is_that_of_the_whole_body() -> None:
    async def pause() -> None:
        await asyncio.sleep(0.03)

    said = ask(guarded(seconds=0.1), scope_of("/api/echo"), [b"x"] * 50, pause)
    assert (said.status, said.error["code"]) == (408, "slow")
    assert said.error["rule"] == "A request comes in within 0.1 seconds."
    assert ask(guarded(seconds=9), scope_of("/api/echo"), [b"x"] * 3, pause).status == 200


# --- faults ---------------------------------------------------------------------------------------


def test_a_fault_is_one_answer_and_its_text_goes_nowhere(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        said = ask(guarded(), {**scope_of("/api/fault"), "method": "GET"})
    assert (said.status, said.error["code"], said.whole) == (500, "broken", True)
    assert said.headers["x-content-type-options"] == "nosniff"
    assert [record.name for record in caplog.records if record.name != "asyncio"] == [
        "discreet.serve"
    ]
    line = fault.__code__.co_firstlineno + 1
    assert f"unexpected KeyError in test_limits.py, line {line}" in caplog.text
    assert CANARY not in caplog.text
    assert CANARY.encode() not in said.body
    assert all(record.exc_info is None for record in caplog.records)


def test_a_fault_after_the_start_closes(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG), running(guarded(), CarefulProtocol) as address:
        reply = talk(address, b"GET /api/late HTTP/1.1\r\nHost: a\r\n\r\n")
    assert (reply.status, reply.body) == (200, b"begun")
    assert reply.headers["content-length"] == "100"
    assert "unexpected KeyError in test_limits.py" in caplog.text
    assert CANARY not in caplog.text


def test_a_fault_among_several_is_placed_where_the_first_was(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def several(scope: Scope, receive: Receive, send: Send) -> None:
        async def one() -> None:
            raise ValueError(CANARY)

        async with asyncio.TaskGroup() as group:
            group.create_task(one())

    said = ask(Faults(several), scope_of("/"))
    assert said.status == 500
    assert "unexpected ValueError in test_limits.py" in caplog.text
    assert CANARY not in caplog.text


Address = tuple[str, int]

SECRET = b"Canary"
GET = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
LAST = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
LARGE = 25_000_000


class Hasty(CarefulProtocol):
    """With less patience than a test has."""

    head_seconds = 0.4
    answer_seconds = 0.4
    closed = threading.Event()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.closed.set()


def plain(request: Request) -> Response:
    return PlainTextResponse("fine")


def slow(request: Request) -> Response:
    time.sleep(0.6)
    return PlainTextResponse("slow")


def large(request: Request) -> Response:
    return Response(b"x" * LARGE)


async def begins(request: Request) -> Response:
    from starlette.responses import StreamingResponse

    async def parts() -> object:
        yield b"begun"
        await request.body()
        yield b"never"

    return StreamingResponse(parts())  # type: ignore[arg-type]


APP = Starlette(
    routes=[
        Route("/", plain, methods=["GET", "POST"]),
        Route("/slow", slow),
        Route("/large", large),
        Route("/begins", begins, methods=["POST"]),
    ]
)


@pytest.fixture
def address(caplog: pytest.LogCaptureFixture) -> Iterator[Address]:
    """Run a server without patience; none of its log lines may quote a request."""
    Hasty.closed.clear()
    with caplog.at_level(logging.DEBUG), running(APP, Hasty) as address:
        yield address
    assert SECRET.decode() not in caplog.text


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the server wait as long as a loaded machine may need."""
    monkeypatch.setattr(Hasty, "head_seconds", 60)
    monkeypatch.setattr(Hasty, "answer_seconds", 60)


def closed_after(address: Address, *parts: bytes, pause: float = 0.0) -> tuple[Reply, float]:
    began = time.monotonic()
    return talk(address, *parts, pause=pause), time.monotonic() - began


# --- slow clients ---------------------------------------------------------------------------------


def test_who_says_nothing_is_cut_off(address: Address) -> None:
    reply, took = closed_after(address)
    assert reply.raw == b""
    assert took > 0.3


@pytest.mark.parametrize("before", [b"", GET * 3])
def test_a_head_byte_by_byte_is_cut_off(address: Address, before: bytes) -> None:
    start = before + b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow: "
    reply, took = send_slowly(address, start, b"x", pause=0.05)
    assert reply.raw.count(b"fine") == before.count(b"GET")
    assert took > 0.3


def test_an_answer_may_take_longer_than_a_head(address: Address) -> None:
    reply = talk(address, LAST.replace(b"/ ", b"/slow ", 1))
    assert (reply.status, reply.body) == (200, b"slow")


@pytest.mark.slow
def test_a_kept_connection_may_rest_between_requests(
    address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rest is uvicorn's timeout_keep_alive's to end; it begins anew after each answer."""
    monkeypatch.setattr(Hasty, "head_seconds", 2.4)
    with socket.create_connection(address, timeout=60) as client:
        for _ in range(3):
            client.sendall(GET)
            got = b""
            while not got.endswith(b"fine"):
                got += client.recv(65536)
            time.sleep(0.9)
        client.sendall(LAST)
        assert reply_of(client).body == b"fine"


def test_a_body_that_nobody_asked_for_is_cut_off(address: Address) -> None:
    head = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n"
    reply, took = send_slowly(address, head, b"x", pause=0.05)
    assert (reply.status, reply.body) == (200, b"fine")
    assert took > 0.3


def test_who_reads_a_little_now_and_then_is_cut_off(address: Address) -> None:
    with socket.create_connection(address, timeout=60) as client:
        client.sendall(LAST.replace(b"/ ", b"/large ", 1))
        got = 0
        while not Hasty.closed.wait(0.1):
            got += len(client.recv(10))
        while part := client.recv(1 << 20):
            got += len(part)
    assert got < LARGE


def test_who_reads_on_gets_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Hasty, "answer_seconds", 0.05)  # looked at often
    monkeypatch.setattr(Hasty, "least_read", 0)  # a loaded machine may read nothing for as long
    with running(APP, Hasty) as address:
        reply = talk(address, LAST.replace(b"/ ", b"/large ", 1))
    assert len(reply.body) == LARGE


# --- what is not HTTP -----------------------------------------------------------------------------

NOT_HTTP = {
    "words": SECRET + b"\r\n\r\n",
    "no host": b"GET /Canary HTTP/1.1\r\n\r\n",
    "two lengths": b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    "a TLS greeting": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfcCanary\r\n\r\n",
    "too long a line": b"GET /" + SECRET * 10_000,
    "too many headers": b"GET / HTTP/1.1\r\nHost: a\r\n" + b"X: Canary\r\n" * 1600,
}


@pytest.mark.usefixtures("unhurried")
def test_what_is_not_http_is_told_so_not_quoted_and_fills_no_log(
    address: Address, caplog: pytest.LogCaptureFixture
) -> None:
    for what, words in NOT_HTTP.items():
        with socket.create_connection(address, timeout=60) as client:
            client.sendall(words)
            reply = Reply(client.recv(65536))  # what was not read may reset the connection
        assert reply.status == 400, what
        assert reply.json() == {
            "error": {
                "code": "body",
                "says": "The request is not valid HTTP.",
                "rule": "Requests are HTTP/1.1, and their lengths right.",
                "nearest": None,
                "place": None,
            }
        }
        assert SECRET not in reply.raw
        assert {name: reply.headers[name] for name in HEADERS} == dict(HEADERS)
        assert reply.headers["cache-control"] == "no-store"
        assert reply.headers["connection"] == "close"
        assert reply.headers["content-type"] == "application/json"
    assert [it.getMessage() for it in caplog.records if it.levelno >= logging.WARNING] == []


@pytest.mark.usefixtures("unhurried")
def test_a_broken_body_in_the_middle_of_an_answer_closes(
    address: Address, caplog: pytest.LogCaptureFixture
) -> None:
    head = b"POST /begins HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    with socket.create_connection(address, timeout=60) as client:
        client.sendall(head)
        got = client.recv(65536)
        client.sendall(b"Canary\r\n")
        with suppress(ConnectionResetError):
            while part := client.recv(65536):
                got += part
    assert b"begun" in got
    assert b"never" not in got
    assert not [record for record in caplog.records if record.name == "asyncio" and record.exc_info]


@pytest.mark.usefixtures("unhurried")
def test_a_broken_second_request_is_answered_after_the_first(address: Address) -> None:
    with socket.create_connection(address, timeout=60) as client:
        client.sendall(GET + SECRET + b"\r\n\r\n")
        got = b""
        with suppress(ConnectionResetError):
            while part := client.recv(65536):
                got += part
    assert got.startswith(b"HTTP/1.1 200 OK")
    assert b"HTTP/1.1 400" in got
    assert SECRET not in got


@pytest.mark.usefixtures("unhurried")
def test_a_protocol_that_breaks_says_where_alone(
    address: Address, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(self: object, message: str) -> None:
        raise RuntimeError(SECRET)

    monkeypatch.setattr(Hasty, "send_400_response", breaks)
    with socket.create_connection(address, timeout=60) as client:
        client.sendall(b"Canary\r\n\r\n")
        with suppress(ConnectionResetError):
            assert client.recv(1) == b""
    assert "unexpected RuntimeError in test_limits.py" in caplog.text


# --- many clients ---------------------------------------------------------------------------------


def test_too_many_at_once_are_told_so() -> None:
    with running(APP, CarefulProtocol, limit_concurrency=3) as address:
        silent = [socket.create_connection(address) for _ in range(3)]
        busy = talk(address, GET)
        for each in silent:
            each.close()
        until = time.monotonic() + 60
        while (fine := talk(address, LAST)).status == 503 and time.monotonic() < until:
            time.sleep(0.05)
    assert (busy.status, busy.json()["error"]["code"]) == (503, "busy")
    assert {name: busy.headers[name] for name in HEADERS} == dict(HEADERS)
    assert busy.headers["connection"] == "close"
    assert fine.status == 200


def test_an_address_has_so_many_connections_and_others_have_theirs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(CarefulProtocol, "head_seconds", 60)
    assert CarefulProtocol.of_an_address == 20
    with running(APP, CarefulProtocol) as address:
        silent = [socket.create_connection(address) for _ in range(20)]
        busy = talk(address, GET)
        with socket.create_connection(address, 60, ("127.0.0.2", 0)) as other:
            other.sendall(LAST)
            assert reply_of(other).status == 200
        silent.pop().close()
        until = time.monotonic() + 60
        while (fine := talk(address, LAST)).status == 503 and time.monotonic() < until:
            time.sleep(0.05)
        silent[0].sendall(LAST)  # who was there before is answered
        assert reply_of(silent[0]).status == 200
        for each in silent:
            each.close()
    assert (busy.status, busy.json()["error"]["code"]) == (503, "busy")
    assert busy.headers["connection"] == "close"
    assert fine.status == 200


def test_behind_a_proxy_an_address_has_as_many_as_all_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(CarefulProtocol, "head_seconds", 60)
    with running(APP, ProxiedProtocol) as address:
        silent = [socket.create_connection(address) for _ in range(25)]
        assert talk(address, LAST).status == 200
        for each in silent:
            each.close()
