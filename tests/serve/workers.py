"""Servers of a study that others serve too: in a thread, or as a process that can be killed."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import uvicorn

from discreet.serve.app import create_app
from discreet.serve.start import Serving, configured, listening
from discreet.serve.studies import Studies
from tests.forked import COMMAND, Forked

__all__ = ["COLD", "Process", "begun", "beside", "client", "first_asked", "process"]

#: The environment of a server that does not warm up.
COLD = {
    "PYTHONPATH": os.pathsep.join(
        it for it in (str(Path(__file__).parent / "cold"), os.environ.get("PYTHONPATH")) if it
    )
}


def client(url: str, token: str) -> httpx.Client:
    """Return a client that sends a token."""
    bearer = {"Authorization": f"Bearer {token}"}
    return httpx.Client(base_url=url, headers=bearer, timeout=300, trust_env=False, verify=False)


def first_asked(url: str) -> None:
    """Ask a server for something by itself, before anybody asks it for many things at once.

    What FastAPI builds at the first request it builds with warnings caught, and that is not safe
    among threads: where warnings are errors, some of many at once would fail.
    """
    found = httpx.get(f"{url}/api/study", trust_env=False, verify=False, timeout=300)
    assert found.status_code in (401, 503)


@contextmanager
def beside(studies: Studies, **entrance: Any) -> Iterator[str]:
    """Serve studies whose tokens are made already; give the address."""
    serving = Serving([], port=0)
    config = configured(create_app(studies, **entrance), serving)
    socket = listening(config, serving)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [socket]}, daemon=True)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.005)
        url = f"http://127.0.0.1:{socket.getsockname()[1]}"
        first_asked(url)
        yield url
    finally:
        server.should_exit = True
        thread.join(60)
        socket.close()
        assert not thread.is_alive()


@dataclass(frozen=True)
class Process:
    """`discreet serve` as a process of its own, in a session of its own."""

    popen: Forked
    url: str
    token: str

    def kill(self) -> str:
        """End it and its workers at once, whatever they do, and return what they complained of."""
        os.killpg(self.popen.pid, signal.SIGKILL)
        return self.popen.communicate()[1]

    def stop(self) -> tuple[str, str]:
        """Ask it to end, and return what it said."""
        if self.popen.poll() is None:
            self.popen.send_signal(signal.SIGTERM)
        return self.popen.communicate()


def process(
    file: Path, state: Path, *options: str, env: Mapping[str, str] | None = None
) -> Process:
    """Start `discreet serve` of a study file with a record in a folder; wait until it listens."""
    words = ["serve", str(file), "--state", str(state), "--port", "0", "--json", *options]
    return begun(Forked(COMMAND, words, {**COLD, **(env or {})}))


def begun(popen: Any) -> Process:
    """Wait until a server that was started listens; it may be one in a new interpreter."""
    said = popen.stdout.readline()
    if not said:
        raise AssertionError(popen.communicate()[1])
    told: dict[str, Any] = json.loads(said)
    return Process(popen, told["address"], next(iter(told["tokens"].values()), ""))
