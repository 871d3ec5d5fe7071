from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from discreet.serve.studies import Served, Studies
from discreet.serve.tokens import add_token
from tests.serve.cohort import NAME, studies_of
from tests.serve.workers import beside

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
        return httpx.Client(base_url=self.url, headers=bearer, timeout=300, verify=False)


@contextmanager
def running(studies: Studies, folder: Path, **entrance: Any) -> Iterator[Running]:
    """Serve studies on a free port of this machine, with two tokens of the cohort."""
    token = add_token(studies.store, NAME, "alice")
    custodian = add_token(studies.store, NAME, "carol", "custodian")
    with beside(studies, **entrance) as url:
        yield Running(url, token, custodian, folder, studies)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server of the made-up cohort, one for all tests of a module."""
    folder = tmp_path_factory.mktemp("served")
    with running(studies_of(folder), folder) as found:
        yield found
