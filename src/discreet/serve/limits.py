"""What stands around the application: headers, limits of size and time, and a net for faults.

Plain ASGI, so that they hold whatever the application does with a request. From the outside in:
`SecurityHeaders`, `Faults`, `RequestLimits`; below them `CarefulProtocol`, which limits how long
connections may take.
"""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import h11
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from discreet.serve.refusals import Refusal, refusal

logger = logging.getLogger("discreet.serve")

#: What every answer says of itself. The page has no inline script or style, is never framed, and
#: sends nothing elsewhere.
HEADERS: Mapping[str, str] = MappingProxyType(
    {
        "content-security-policy": (
            "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none';"
            " frame-ancestors 'none'; form-action 'self'"
        ),
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "permissions-policy": (
            "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()"
        ),
    }
)
MOST_DIGITS = 18
GONE: Message = {"type": "http.disconnect"}
NOTHING: Mapping[str, str] = MappingProxyType({})
NOT_HTTP = Refusal(
    "body", 400, "The request is not valid HTTP.", "Requests are HTTP/1.1, and their lengths right."
)


class SecurityHeaders:
    """Put the same security headers on every answer, errors too; they replace the app's own.

    What lies under /api is not to be kept by browsers or proxies (Cache-Control: no-store). It
    does not add Strict-Transport-Security, which would bind other services of the same host.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        ours = dict(HEADERS)
        if path == "/api" or path.startswith("/api/"):
            ours["cache-control"] = "no-store"
        added = [(name.encode(), value.encode()) for name, value in ours.items()]

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                theirs = [
                    (name, value)
                    for name, value in message.get("headers", ())
                    if name.lower().decode("latin-1") not in ours
                ]
                message = {**message, "headers": [*theirs, *added]}
            await send(message)

        await self.app(scope, receive, send_with_headers)


DRAWN, HAND_IN = "/api/drawn/", "/api/outputs"
"""Where pictures are sent as a page drew them."""


class RequestLimits:
    """Refuse what is too large or too slow: 413 and 408 for a body, 414 or 400 for the rest.

    A body is counted as it comes in, whatever its Content-Length says, and its time runs from when
    the application first asks for it: a client that sends a byte a second gets no more of it. A
    body that the application never asks for is not counted: the protocol class drops it. A body
    that holds a picture as a page drew it may have `drawing` bytes; `head` is of all headers
    together.
    """

    def __init__(
        self,
        app: ASGIApp,
        seconds: float = 10,
        body: int = 64 * 1024,
        query: int = 2048,
        path: int = 1024,
        head: int = 16 * 1024,
        drawing: int = 3 * 2**20,
    ) -> None:
        self.app, self.seconds = app, seconds
        self.body, self.query, self.path, self.head = body, query, path, head
        self.drawing = drawing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        reply = _Reply(send)
        wrong = self._wrong(scope)
        if wrong is not None:
            await reply.refuse(wrong)
            return
        size, complete, most = 0, False, self._most(scope)
        until: float | None = None

        async def limited() -> Message:
            nonlocal size, complete, until
            if reply.shut:
                return GONE
            if not complete and until is None:
                until = asyncio.get_running_loop().time() + self.seconds
            try:
                # Of a body that is complete, the client's leaving is waited for.
                async with asyncio.timeout_at(None if complete else until):
                    message = await receive()
            except TimeoutError:
                rule = f"A request comes in within {self.seconds:g} seconds."
                await reply.refuse(Refusal("slow", 408, "The request came in too slowly.", rule))
                return GONE
            if message["type"] == "http.request":
                size += len(message.get("body", b""))
                if size > most:
                    await reply.refuse(_too_large(413, "body", most))
                    return GONE
            complete |= message["type"] != "http.request" or not message.get("more_body", False)
            return message

        try:
            await self.app(scope, limited, reply.send)
        except Exception:  # what it says once another answer was given is of no account
            if not reply.shut:
                raise

    def _most(self, scope: Scope) -> int:
        """Say how large the body of a request may be."""
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        drawn = path == HAND_IN or path.startswith(DRAWN)
        return self.drawing if drawn else self.body

    def _wrong(self, scope: Scope) -> Refusal | None:
        """Say what is wrong with a request before its body is read."""
        names = {name.lower() for name, _ in scope["headers"]}
        if {b"content-length", b"transfer-encoding"} <= names:
            return NOT_HTTP  # a proxy may believe the other, and see requests where we see one
        path = scope.get("raw_path") or scope["path"].encode()
        if len(path) > self.path:
            return _too_large(414, "path", self.path)
        if len(scope["query_string"]) > self.query:
            return _too_large(414, "query", self.query)
        if sum(len(name) + len(value) for name, value in scope["headers"]) > self.head:
            return _too_large(400, "head", self.head)
        for name, value in scope["headers"]:
            if name.lower() != b"content-length":
                continue
            if not value.isdigit():
                return NOT_HTTP
            most = self._most(scope)
            if len(value.lstrip(b"0")) > MOST_DIGITS or int(value) > most:
                return _too_large(413, "body", most)
        return None


class Faults:
    """Turn any exception into the one answer 500 'broken', and log its type and place alone.

    Its text may quote cells, so it goes nowhere. Where the answer had begun, it is left
    incomplete, and the server closes the connection. Starlette has a net of its own that answers
    in plain text and raises again: this one belongs within it (`add_middleware`).
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        reply = _Reply(send)
        try:
            await self.app(scope, receive, reply.send)
        except ClientDisconnect:
            return  # nobody waits for an answer, and anybody could fill the log so
        except Exception as error:
            logger.error("unexpected %s", place_of(error))
            await reply.refuse(refusal("broken"))


class _Reply:
    """Lets one answer out: the application's, or the one that is given in its place."""

    def __init__(self, send: Send) -> None:
        self._send, self._begun, self.shut = send, False, False

    async def send(self, message: Message) -> None:
        """Let a part of the application's answer out."""
        if not self.shut:
            self._begun = True
            await self._send(message)

    async def refuse(self, instead: Refusal, more: Mapping[str, str] = NOTHING) -> None:
        """Answer in the application's place; where its answer has begun, let no more of it out."""
        if self.shut:
            return
        self.shut = True
        if self._begun:
            return
        if instead is NOT_HTTP:
            more = {"connection": "close", **more}  # what follows may be no request
        start = {"status": instead.status, "headers": refusal_headers(instead, more)}
        await self._send({"type": "http.response.start", **start})
        await self._send({"type": "http.response.body", "body": instead.body})


def place_of(error: BaseException) -> str:
    """Say of an exception what type it is and where it was raised, but not its text.

    Examples
    --------
    >>> try:
    ...     int("Canary")
    ... except ValueError as error:
    ...     place_of(error)
    'ValueError in <doctest discreet.serve.limits.place_of[0]>, line 2'
    """
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    place = [*traceback.walk_tb(error.__traceback__)]
    if not place:
        return type(error).__name__
    frame, line = place[-1]
    return f"{type(error).__name__} in {Path(frame.f_code.co_filename).name}, line {line}"


def refusal_headers(instead: Refusal, more: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    """Return the headers of a refusal's JSON, and more."""
    headers = {"content-type": "application/json", "content-length": str(len(instead.body)), **more}
    return [(name.encode(), value.encode()) for name, value in headers.items()]


def _too_large(status: int, what: str, most: int) -> Refusal:
    rule = f"The {what} of a request has at most {most} bytes."
    return Refusal("large", status, "The request is too large.", rule)


#: Of what uvicorn says of each bad request nothing is heard: whoever sends them would fill the log.
_unheard = logger.getChild("http")
_unheard.setLevel(logging.ERROR)

#: What is said of a connection that uvicorn itself answers, and SecurityHeaders never see.
CLOSING = {**HEADERS, "cache-control": "no-store", "connection": "close"}


class CarefulProtocol(H11Protocol):
    """uvicorn's protocol, for `uvicorn.Config(http=CarefulProtocol)`, with limits of time.

    A connection is closed whose request's head has not come within `head_seconds` of its opening
    or of the answer before; whose client goes on sending a body for as long after it was answered;
    or whose client has read fewer than `least_read` bytes of a waiting answer in `answer_seconds`.
    How long a body that is asked for may take is `RequestLimits`' to say.

    A head has at most `head_bytes`. What uvicorn answers by itself (a request that is not HTTP,
    too many connections) has the JSON and the headers of every other answer; nothing of a
    request is quoted, and none is written to uvicorn's access log: the server's record has them.

    One address has `of_an_address` connections at most; `limit_concurrency` is for all together.
    It does not limit how long a TLS handshake takes (asyncio: a minute).
    """

    head_seconds: float = 10.0
    answer_seconds: float = 30.0
    least_read: int = 16 * 1024
    head_bytes: int = 16 * 1024
    of_an_address: int | None = 20

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        most = config.h11_max_incomplete_event_size or self.head_bytes
        self.conn = h11.Connection(h11.SERVER, most)
        self.access_log, self.logger = False, _unheard
        self._most_clients, self.limit_concurrency = self.limit_concurrency, None
        self._answer: ASGIApp = self.app
        self.app = self._answer_unless_busy
        self._until_head: asyncio.TimerHandle | None = None
        self._until_read: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        for timer in (self._until_head, self._until_read):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Take what has come in; close where the protocol class itself cannot go on."""
        try:
            super().handle_events()
        except Exception as error:
            logger.error("unexpected %s", place_of(error))
            self.transport.abort()
        self._watch()

    def on_response_complete(self) -> None:
        """Begin to wait for the next request, or for the end of a body that nobody asked for."""
        super().on_response_complete()
        self._watch()

    def pause_writing(self) -> None:
        """Begin to wait for the client to read."""
        super().pause_writing()
        self._look_later()

    def resume_writing(self) -> None:
        """Let the client have read."""
        super().resume_writing()
        if self._until_read is not None:
            self._until_read.cancel()
            self._until_read = None

    def send_400_response(self, msg: str) -> None:
        """Answer what is not HTTP, and close."""
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.abort()  # an answer has begun: there is no room for another
            return
        answer = h11.Response(
            status_code=NOT_HTTP.status, headers=refusal_headers(NOT_HTTP, CLOSING)
        )
        events = (answer, h11.Data(data=NOT_HTTP.body), h11.EndOfMessage())
        self.transport.write(b"".join(self.conn.send(event) or b"" for event in events))
        self.transport.close()

    async def _answer_unless_busy(self, scope: Scope, receive: Receive, send: Send) -> None:
        most = self._most_clients
        if most is not None and max(len(self.connections), len(self.tasks)) > most:
            logger.warning("too many clients at once")
        elif not self._has_too_many():
            await self._answer(scope, receive, send)
            return
        await _Reply(send).refuse(refusal("busy"), CLOSING)

    def _has_too_many(self) -> bool:
        """Whether the address that this connection is of has more than it may."""
        if self.of_an_address is None or self.client is None:
            return False
        address = self.client[0]
        others = [getattr(it, "client", None) for it in self.connections]
        return len([it for it in others if it and it[0] == address]) > self.of_an_address

    def _look_later(self) -> None:
        unread = self.transport.get_write_buffer_size()
        self._until_read = self.loop.call_later(self.answer_seconds, self._look, unread)

    def _look(self, unread: int) -> None:
        """Close where the client has read too little of its answer since the last look."""
        if unread - self.transport.get_write_buffer_size() < self.least_read:
            self.transport.abort()
        else:
            self._look_later()

    def _watch(self) -> None:
        """Start the clock while the client owes us something, and stop it once it does not."""
        theirs, ours = self.conn.their_state, self.conn.our_state
        owes = theirs is h11.IDLE or (theirs is h11.SEND_BODY and ours is h11.DONE)
        if owes and self._until_head is None:
            self._until_head = self.loop.call_later(self.head_seconds, self.transport.close)
        elif not owes and self._until_head is not None:
            self._until_head.cancel()
            self._until_head = None


class ProxiedProtocol(CarefulProtocol):
    """The same behind a proxy, which has one address for all who come through it."""

    of_an_address = None
