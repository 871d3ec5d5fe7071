"""HTTP/1.1 for clients that nobody knows: slow ones are cut off, and no answer quotes a request."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import h11
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from discreet.serve.limits import HEADERS, NOT_HTTP, place_of, refusal_headers
from discreet.serve.refusals import Refusal, refusal

__all__ = ["CarefulProtocol"]

logger = logging.getLogger("discreet.serve")
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
    How long a body that is asked for may take is `BodyTimeout`'s to say.

    A head has at most `head_bytes`. What uvicorn answers by itself (a request that is not HTTP,
    too many connections) has the JSON and the headers of every other answer; nothing of a
    request is quoted, and none is written to uvicorn's access log: the ledger keeps them.

    It does not limit how long a TLS handshake takes (asyncio: a minute), nor how many
    connections one address has; `limit_concurrency` is for all together.

    Attributes
    ----------
    head_seconds : float
        How long a request's head may take.
    answer_seconds, least_read : float, int
        How slowly a client may read its answer.
    head_bytes : int
        The most bytes of a request's head.
    """

    head_seconds: float = 10.0
    answer_seconds: float = 30.0
    least_read: int = 16 * 1024
    head_bytes: int = 16 * 1024

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
        answer = h11.Response(status_code=NOT_HTTP.status, headers=_headers(NOT_HTTP))
        events = (answer, h11.Data(data=NOT_HTTP.body), h11.EndOfMessage())
        self.transport.write(b"".join(self.conn.send(event) or b"" for event in events))
        self.transport.close()

    async def _answer_unless_busy(self, scope: Scope, receive: Receive, send: Send) -> None:
        most = self._most_clients
        if most is None or max(len(self.connections), len(self.tasks)) <= most:
            await self._answer(scope, receive, send)
            return
        logger.warning("too many clients at once")
        busy = refusal("busy")
        start = {"status": busy.status, "headers": _headers(busy)}
        await send({"type": "http.response.start", **start})
        await send({"type": "http.response.body", "body": busy.body})

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


def _headers(instead: Refusal) -> list[tuple[bytes, bytes]]:
    ours = [(name.encode(), value.encode()) for name, value in CLOSING.items()]
    return [*refusal_headers(instead), *ours]
