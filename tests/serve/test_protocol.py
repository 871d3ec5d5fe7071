"""Slow clients are cut off, and what uvicorn answers by itself quotes nothing."""

from __future__ import annotations

import json
import logging
import socket
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from discreet.serve.limits import HEADERS, CarefulProtocol
from tests.serve.raw import Reply, reply_of, running, send_slowly, talk

Address = tuple[str, int]

CANARY = b"Canary"
GET = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
LAST = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
LARGE = 40_000_000


class Hasty(CarefulProtocol):
    """With less patience than a test has."""

    head_seconds = 0.4
    answer_seconds = 0.4


def plain(request: Request) -> Response:
    return PlainTextResponse("fine")


def slow(request: Request) -> Response:
    time.sleep(1.0)
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
    with caplog.at_level(logging.DEBUG), running(APP, Hasty) as address:
        yield address
    assert CANARY.decode() not in caplog.text


def closed_after(address: Address, *parts: bytes, pause: float = 0.0) -> tuple[Reply, float]:
    began = time.monotonic()
    return talk(address, *parts, pause=pause), time.monotonic() - began


# --- slow clients ---------------------------------------------------------------------------------


def test_a_right_request_is_answered(address: Address) -> None:
    reply = talk(address, LAST)

    assert (reply.status, reply.body) == (200, b"fine")


def test_who_says_nothing_is_cut_off(address: Address) -> None:
    reply, took = closed_after(address)

    assert reply.raw == b""
    assert took > 0.3


@pytest.mark.parametrize("before", [b"", GET, GET * 3])
def test_a_head_byte_by_byte_is_cut_off(address: Address, before: bytes) -> None:
    start = before + b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow: "
    reply, took = send_slowly(address, start, b"x", pause=0.05)

    assert reply.raw.count(b"fine") == before.count(b"GET")
    assert took > 0.3


def test_a_head_in_pieces_but_in_time_is_answered(
    address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Hasty, "head_seconds", 20)
    reply = talk(address, LAST[:10], LAST[10:30], LAST[30:], pause=0.05)

    assert (reply.status, reply.body) == (200, b"fine")


def test_an_answer_may_take_longer_than_a_head(address: Address) -> None:
    reply = talk(address, LAST.replace(b"/ ", b"/slow ", 1))

    assert (reply.status, reply.body) == (200, b"slow")


def test_a_kept_connection_may_rest_between_requests(
    address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rest is uvicorn's timeout_keep_alive's to end; it begins anew after each answer."""
    monkeypatch.setattr(Hasty, "head_seconds", 1.2)
    with socket.create_connection(address, timeout=5) as client:
        for _ in range(3):
            client.sendall(GET)
            got = b""
            while not got.endswith(b"fine"):
                got += client.recv(65536)
            time.sleep(0.5)
        client.sendall(LAST)
        assert reply_of(client).body == b"fine"


def test_a_body_that_nobody_asked_for_is_cut_off(address: Address) -> None:
    head = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n"
    reply, took = send_slowly(address, head, b"x", pause=0.05)

    assert (reply.status, reply.body) == (200, b"fine")
    assert took > 0.3


def test_who_does_not_read_is_cut_off(address: Address) -> None:
    with socket.create_connection(address, timeout=5) as client:
        client.sendall(LAST.replace(b"/ ", b"/large ", 1))
        time.sleep(2.0)
        got = reply_of(client).raw

    assert 0 < len(got) < LARGE


def test_who_reads_a_little_now_and_then_is_cut_off(address: Address) -> None:
    with socket.create_connection(address, timeout=5) as client:
        client.sendall(LAST.replace(b"/ ", b"/large ", 1))
        for _ in range(20):
            assert client.recv(10)
            time.sleep(0.1)
        got = 0
        while part := client.recv(1 << 20):
            got += len(part)

    assert got < LARGE


def test_who_reads_on_gets_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Hasty, "answer_seconds", 0.05)  # looked at often
    monkeypatch.setattr(Hasty, "least_read", 0)  # a loaded machine may read nothing for as long
    with running(APP, Hasty) as address:
        reply = talk(address, LAST.replace(b"/ ", b"/large ", 1))

    assert len(reply.body) == LARGE


def test_slow_clients_keep_nobody_else_waiting() -> None:
    with running(APP, CarefulProtocol) as address:
        slow_ones = [socket.create_connection(address) for _ in range(20)]
        for each in slow_ones:
            each.sendall(b"GET / HT")
        assert talk(address, LAST).status == 200
        for each in slow_ones:
            each.setblocking(False)
            with pytest.raises(BlockingIOError, match="unavailable"):
                each.recv(1)  # neither answered nor cut off: the other did not wait for it
            each.close()


# --- what is not HTTP -----------------------------------------------------------------------------

NOT_HTTP = {
    "words": CANARY + b"\r\n\r\n",
    "no target": b"GET Canary\r\n\r\n",
    "a space in the target": b"GET /Canary Canary HTTP/1.1\r\nHost: a\r\n\r\n",
    "a byte beyond ASCII": b"GET /Canary\xff HTTP/1.1\r\nHost: a\r\n\r\n",
    "a NUL": b"GET / HTTP/1.1\r\nHost: a\r\nX: Canary\x00\r\n\r\n",
    "no host": b"GET /Canary HTTP/1.1\r\n\r\n",
    "two lengths": b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    "a length of words": b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: Canary\r\n\r\n",
    "an unknown coding": b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Canary\r\n\r\n",
    "a TLS greeting": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfcCanary\r\n\r\n",
    "too long a line": b"GET /" + CANARY * 10_000,
    "too many headers": b"GET / HTTP/1.1\r\nHost: a\r\n" + b"X: Canary\r\n" * 1600,
}


@pytest.mark.parametrize("words", NOT_HTTP.values(), ids=NOT_HTTP)
def test_what_is_not_http_is_told_so_and_not_quoted(address: Address, words: bytes) -> None:
    with socket.create_connection(address, timeout=5) as client:
        client.sendall(words)
        reply = Reply(client.recv(65536))  # what was not read may reset the connection

    assert reply.status == 400
    assert reply.json() == {
        "error": {
            "code": "body",
            "says": "The request is not valid HTTP.",
            "rule": "Requests are HTTP/1.1, and their lengths right.",
            "nearest": None,
        }
    }
    assert CANARY not in reply.raw
    assert {name: reply.headers[name] for name in HEADERS} == dict(HEADERS)
    assert (reply.headers["cache-control"], reply.headers["connection"]) == ("no-store", "close")
    assert reply.headers["content-type"] == "application/json"


def test_a_broken_body_in_the_middle_of_an_answer_closes(
    address: Address, caplog: pytest.LogCaptureFixture
) -> None:
    head = b"POST /begins HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    with socket.create_connection(address, timeout=5) as client:
        client.sendall(head)
        got = client.recv(65536)
        client.sendall(b"Canary\r\n")
        with suppress(ConnectionResetError):
            while part := client.recv(65536):
                got += part

    assert b"begun" in got
    assert b"never" not in got
    assert not [record for record in caplog.records if record.name == "asyncio" and record.exc_info]


def test_a_broken_second_request_is_answered_after_the_first(address: Address) -> None:
    with socket.create_connection(address, timeout=5) as client:
        client.sendall(GET + CANARY + b"\r\n\r\n")
        got = b""
        with suppress(ConnectionResetError):
            while part := client.recv(65536):
                got += part

    assert got.startswith(b"HTTP/1.1 200 OK")
    assert b"HTTP/1.1 400" in got
    assert CANARY not in got


def test_a_protocol_that_breaks_says_where_alone(
    address: Address, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(self: object, message: str) -> None:
        raise RuntimeError(CANARY)

    monkeypatch.setattr(Hasty, "send_400_response", breaks)
    with socket.create_connection(address, timeout=5) as client:
        client.sendall(b"Canary\r\n\r\n")
        with suppress(ConnectionResetError):
            assert client.recv(1) == b""

    assert "unexpected RuntimeError in test_protocol.py" in caplog.text


# --- many clients ---------------------------------------------------------------------------------


def test_too_many_at_once_are_told_so() -> None:
    with running(APP, CarefulProtocol, limit_concurrency=3) as address:
        silent = [socket.create_connection(address) for _ in range(3)]
        busy = talk(address, GET)
        for each in silent:
            each.close()
        until = time.monotonic() + 20
        while (fine := talk(address, LAST)).status == 503 and time.monotonic() < until:
            time.sleep(0.05)

    assert (busy.status, busy.json()["error"]["code"]) == (503, "busy")
    assert {name: busy.headers[name] for name in HEADERS} == dict(HEADERS)
    assert busy.headers["connection"] == "close"
    assert fine.status == 200


def test_bad_requests_fill_no_log(caplog: pytest.LogCaptureFixture) -> None:
    with running(APP, CarefulProtocol) as address:
        for raw in (b"NONSENSE\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\r\n\r\n"):
            assert talk(address, raw).status == 400
    assert [it.getMessage() for it in caplog.records if it.levelno >= logging.WARNING] == []


def test_the_access_log_is_silent(caplog: pytest.LogCaptureFixture) -> None:
    """The ledger says who asked for what; a second log would hold requests without a chain."""
    with caplog.at_level(logging.DEBUG), running(APP, CarefulProtocol) as address:
        assert talk(address, LAST.replace(b"/ ", b"/Canary?Canary ", 1)).status == 404

    assert "Canary" not in caplog.text
    assert json.dumps([record.name for record in caplog.records]).count("uvicorn.access") == 0
