"""A real server in a thread, and clients that write what they like, as slowly as they like."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["Reply", "reply_of", "running", "send_slowly", "talk"]


class Reply:
    """What came back on a socket until it was closed: status, headers (lower case) and body."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        head, _, self.body = raw.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        self.status = int(lines[0].split()[1]) if raw else 0
        pairs = (line.split(": ", 1) for line in lines[1:])
        self.headers = {name.lower(): value for name, value in pairs}

    def json(self) -> Any:
        return json.loads(self.body)


@contextmanager
def running(app: ASGIApp, http: type[H11Protocol], **options: Any) -> Iterator[tuple[str, int]]:
    """Serve an app on loopback for a while; give its address."""
    config = uvicorn.Config(
        app,
        host="127.0.0.1",
        port=0,
        http=http,
        ws="none",
        lifespan="off",
        log_config=None,
        timeout_graceful_shutdown=1,
        **options,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.005)
        address = server.servers[0].sockets[0].getsockname()
        yield address[0], address[1]
    finally:
        server.should_exit = True
        thread.join(60)
        assert not thread.is_alive()


def talk(address: tuple[str, int], *parts: bytes, pause: float = 0.0, wait: float = 60.0) -> Reply:
    """Send some bytes, a pause between the parts; read until the server closes."""
    with socket.create_connection(address, timeout=wait) as client:
        for i, part in enumerate(parts):
            if i:
                time.sleep(pause)
            client.sendall(part)
        return reply_of(client)


def send_slowly(
    address: tuple[str, int], start: bytes, byte: bytes, pause: float, most: float = 60.0
) -> tuple[Reply, float]:
    """Send a start, then a byte now and then until the server closes; say how long it took."""
    began = time.monotonic()
    got = b""
    with socket.create_connection(address, timeout=pause) as client:
        client.sendall(start)
        while time.monotonic() - began < most:
            try:
                part = client.recv(65536)
                got += part
                if not part:
                    return Reply(got), time.monotonic() - began
            except TimeoutError:
                pass
            except ConnectionResetError:
                return Reply(got), time.monotonic() - began
            try:
                client.sendall(byte)
            except OSError:
                return Reply(got), time.monotonic() - began
    raise AssertionError("the server did not close the connection")


def reply_of(client: socket.socket) -> Reply:
    """Read until the server closes."""
    parts = []
    while part := client.recv(1 << 18):
        parts.append(part)
    return Reply(b"".join(parts))
