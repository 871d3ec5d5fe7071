from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn

from discreet.serve.app import create_app
from discreet.serve.start import Serving, configured, listening
from discreet.serve.studies import Served, Studies
from discreet.serve.tokens import add_token
from tests.serve.cohort import NAME, studies_of

# It changes the process that imports it, and is for servers that are started as processes.
collect_ignore = ["cold"]


@dataclass(frozen=True)
class Running:
    """A server of this test: where it is, and a token of each role."""

    url: str
    token: str
    custodian: str
    folder: Path
    studies: Studies

    @property
    def served(self) -> Served:
        """The cohort as it is served now."""
        found = self.studies.get(NAME)
        assert found is not None
        return found

    def client(self, token: str | None = None) -> httpx.Client:
        """Return a client that sends the analyst's token, or another."""
        bearer = {"Authorization": f"Bearer {self.token if token is None else token}"}
        return httpx.Client(base_url=self.url, headers=bearer, timeout=300)


def first_asked(url: str) -> None:
    """Ask a server for something by itself, before anybody asks it for many things at once.

    What FastAPI builds at the first request it builds with warnings caught, and that is not safe
    among threads: where warnings are errors, some of many at once would fail.
    """
    found = httpx.get(f"{url}/api/study", trust_env=False, timeout=300)
    assert found.status_code in (401, 503)


@contextmanager
def running(studies: Studies, folder: Path, **entrance: Any) -> Iterator[Running]:
    """Serve studies on a free port of this machine, with two tokens of the cohort."""
    token = add_token(studies.store, NAME, "alice")
    custodian = add_token(studies.store, NAME, "carol", "custodian")
    app = create_app(studies, **entrance)
    serving = Serving([], port=0)
    config = configured(app, serving)
    socket = listening(config, serving)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [socket]}, daemon=True)
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.01)
    url = f"http://127.0.0.1:{socket.getsockname()[1]}"
    first_asked(url)
    try:
        yield Running(url, token, custodian, folder, studies)
    finally:
        server.should_exit = True
        thread.join(60)
        socket.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server of the made-up cohort, one for all tests of a module."""
    folder = tmp_path_factory.mktemp("served")
    with running(studies_of(folder), folder) as found:
        yield found
