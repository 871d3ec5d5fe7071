"""Several processes that serve one study: a new version, and one that is killed."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from tests.serve.cohort import MANY, narrow, published
from tests.serve.workers import Process, client, process

WORKERS = ("--workers", "2", "--a-minute", str(MANY))


def workers_of(server: Process) -> Iterator[int]:
    """Give the numbers of the processes that answer."""
    for child in Path(f"/proc/{server.popen.pid}/task").glob("*/children"):
        for number in child.read_text().split():
            with suppress(OSError):  # it has ended meanwhile
                if "spawn_main" in Path(f"/proc/{number}/cmdline").read_text():
                    yield int(number)


def wait(server: Process) -> None:
    """Wait until every worker is warm."""
    while httpx.get(f"{server.url}/api/ready", timeout=300).status_code != 200:
        time.sleep(0.2)


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


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs Linux's /proc")
def test_another_worker_takes_the_place_of_one_that_is_killed(tmp_path: Path) -> None:
    warm = {"PYTHONPATH": os.environ.get("PYTHONPATH", "")}  # /api/ready says when all are
    server = process(published(tmp_path), tmp_path / "state", *WORKERS, env=warm)
    body = {"columns": ["age"], "bins": 9}
    try:
        wait(server)
        with client(server.url, server.token) as alice:
            before = alice.post("/api/copy/histogram", json=body).content
        first, second = sorted(workers_of(server))
        os.kill(first, signal.SIGKILL)
        while len({*workers_of(server)} - {first}) < 2:
            time.sleep(0.1)
        wait(server)
        os.kill(second, signal.SIGKILL)  # the one that took the first's place answers
        while second in workers_of(server):
            time.sleep(0.1)
        with client(server.url, server.token) as alice:
            assert alice.post("/api/copy/histogram", json=body).content == before
    finally:
        server.stop()
