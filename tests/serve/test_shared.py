"""Several processes that serve one study: a new version, and one that is killed."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.serve.cohort import MANY, narrow, published
from tests.serve.workers import Process, client, process

WORKERS = ("--workers", "2", "--a-minute", str(MANY))


def versions(server: Process) -> set[str]:
    """Return which versions are served, by connections enough that every worker takes some."""
    found = set()
    for _ in range(20):
        with client(server.url, server.token) as alice:
            found.add(alice.get("/api/study").json()["version"])
    return found


@pytest.mark.slow
def test_a_new_version_is_taken_by_every_worker(tmp_path: Path) -> None:
    file = published(tmp_path)
    (tmp_path / "next").mkdir()
    server = process(file, tmp_path / "state", *WORKERS)
    try:
        before = versions(server)
        assert len(before) == 1
        published(tmp_path / "next", table=narrow()).replace(file)
        until = time.monotonic() + 60
        while (now := versions(server)) & before and time.monotonic() < until:
            time.sleep(0.2)
        assert len(now) == 1
        assert not now & before
    finally:
        server.stop()
