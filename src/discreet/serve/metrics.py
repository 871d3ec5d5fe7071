"""Counts and times of a server's requests, for Prometheus: off unless a port is named.

They are offered on a port of their own, on this machine alone (127.0.0.1), without a token: whoever
collects them runs beside the server. Labels are statuses and routes of the API, as they are written
in its description, and so the kind of a plot; no name of a study, column or caller is among them.
A request is timed where its client could time it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio.to_thread
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from discreet.errors import InputError, needing
from discreet.serve.ready import Ready, runs

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry
    from prometheus_client.metrics_core import Metric

#: Names the folder in which processes share their counts; prometheus-client reads it at its import.
SHARED = "PROMETHEUS_MULTIPROC_DIR"
HOST = "127.0.0.1"
LOOK_SECONDS = 15.0
SECONDS = (0.01, 0.05, 0.25, 1.0, 5.0, 15.0, 60.0)
OTHER = "other"
"""The route of what is no request of the API: pages, unknown addresses, what is no proper HTTP."""


def _needed() -> AbstractContextManager[None]:
    return needing("server", "a port of metrics", instead="leave out --metrics-port")


class Metrics:
    """What is counted of one process, which `ready` says answers at once or not."""

    def __init__(self, ready: Ready) -> None:
        with _needed():
            import prometheus_client
            from prometheus_client import CollectorRegistry, Gauge, Histogram

        client: Any = prometheus_client  # of which some functions have no types
        client.disable_created_metrics()  # they say when each was first asked for

        def gauge(name: str, says: str) -> Gauge:
            return Gauge(name, says, registry=self.registry, multiprocess_mode="livesum")

        self._state, self.registry = ready, CollectorRegistry()
        self._seconds = Histogram(
            "discreet_request_seconds",
            "How long requests took, by route and status.",
            ("route", "status"),
            buckets=SECONDS,
            registry=self.registry,
        )
        self._open = gauge("discreet_requests_open", "Requests that are not answered yet.")
        self._pictures = gauge("discreet_pictures_in_turn", "Pictures being made or waiting.")
        self._workers = gauge("discreet_workers", "Processes that serve.")
        self._ready = gauge("discreet_workers_ready", "Processes that answer at once.")
        self._workers.set(1)
        self._ready.set(0)

    @contextmanager
    def request(self, scope: Scope, status: list[int]) -> Iterator[None]:
        """Count a request while it is open, and its time once it is answered."""
        began = time.perf_counter()
        self._open.inc()
        self._pictures.set(self._state.pictures)
        try:
            yield
        finally:
            self._open.dec()
            self._pictures.set(self._state.pictures)
            code = str(status[0]) if status else "none"
            self._seconds.labels(_route(scope), code).observe(time.perf_counter() - began)

    def look(self) -> None:
        """Look whether the process answers at once, and how many pictures wait."""
        self._ready.set(self._state.warm_now)
        self._pictures.set(self._state.pictures)


def _route(scope: Scope) -> str:
    """Return the route of a request as the API describes it: with no part of its address."""
    path = str(getattr(scope.get("route"), "path", ""))
    return path if path.startswith("/api/") else OTHER


class Measured:
    """Counts and times requests, whatever the application does with them."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app, self.metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "lifespan":
            looking = asyncio.create_task(self._look())
            try:
                await self.app(scope, receive, send)
            finally:
                looking.cancel()
            return
        status: list[int] = []

        async def heard(message: Message) -> None:
            if message["type"] == "http.response.start":
                status.append(message["status"])
            await send(message)

        with self.metrics.request(scope, status):
            await self.app(scope, receive, heard)

    async def _look(self) -> None:
        while True:
            await anyio.to_thread.run_sync(self.metrics.look)
            await asyncio.sleep(LOOK_SECONDS)


class _Shared:
    """The counts of several processes together, as they have written them into a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def collect(self) -> Iterator[Metric]:
        """Give each metric; what processes that are no more had open or waiting counts no more."""
        from prometheus_client import multiprocess

        client: Any = multiprocess  # of which some functions have no types
        for file in self._folder.glob("gauge_live*.db"):
            process = int(file.stem.rpartition("_")[2])
            if not runs(process):
                with suppress(FileNotFoundError):
                    client.mark_process_dead(process, str(self._folder))
        yield from client.MultiProcessCollector(None, str(self._folder)).collect()


def shared_registry(folder: Path) -> CollectorRegistry:
    """Return what collects the counts of several processes out of a folder."""
    with _needed():
        from prometheus_client import CollectorRegistry

    registry = CollectorRegistry()
    registry.register(_Shared(folder))
    return registry


@contextmanager
def offered(registry: CollectorRegistry, port: int) -> Iterator[str]:
    """Offer metrics on a port of this machine for a while; give their address."""
    from prometheus_client import start_http_server

    try:
        server, thread = start_http_server(port, HOST, registry)
    except OSError:
        raise InputError(
            f"{HOST} port {port} cannot be listened on for metrics; is it in use? Name another"
        ) from None
    with closing(server.socket):
        try:
            yield f"http://{HOST}:{server.server_port}/metrics"
        finally:
            server.shutdown()
            thread.join()
