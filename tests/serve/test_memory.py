"""No canary lies in the memory of a server's process: it never had one to lose."""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from discreet.study_file import open_study_file
from tests.forked import COMMAND
from tests.serve.canaries import ALONE, BIRDS, COHORT, ROLES, RULES
from tests.serve.cohort import SECRET, published
from tests.serve.workers import COLD, begun, client

HERE = Path("/proc/self/mem")
PIECE = 1 << 24
OVERLAP = 64


def pieces(number: int) -> Iterator[bytes]:
    """Give what a process has written into its memory, piece by piece."""
    maps = Path(f"/proc/{number}/maps").read_text().splitlines()
    with Path(f"/proc/{number}/mem").open("rb", buffering=0) as memory:
        for line in maps:
            found = re.match(r"([0-9a-f]+)-([0-9a-f]+) rw", line)
            if found is None:
                continue
            place, end = (int(it, 16) for it in found.groups())
            while place < end:
                memory.seek(place)
                try:
                    piece = memory.read(min(PIECE, end - place))
                except OSError:  # pages that are there for the system alone
                    break
                yield piece
                place += max(len(piece) - OVERLAP, PIECE - OVERLAP)


def found_in(number: int, sought: dict[str, bytes]) -> set[str]:
    """Return the names of what is found in the memory of a process."""
    return {name for piece in pieces(number) for name, it in sought.items() if it in piece}


def double(value: float) -> bytes:
    """Return a number as columns hold it."""
    return struct.pack("<d", value)


def words(text: str) -> dict[str, bytes]:
    """Return a text as a process may hold it."""
    return {f"{text} in {it}": text.encode(it) for it in ("utf-8", "utf-16-le", "utf-32-le")}


@pytest.mark.slow
@pytest.mark.skipif(not HERE.exists(), reason="needs Linux's /proc")
def test_no_canary_lies_in_the_memory_of_a_server(tmp_path: Path) -> None:
    path = published(tmp_path, RULES + ROLES, COHORT)
    with open_study_file(path) as file:
        drawn = float(file.column("bmi")[0].as_py())
    sought = {"the secret": SECRET.encode(), "the secret's bytes": bytes.fromhex(SECRET)}
    for bird in BIRDS:
        sought |= words(bird)
    for values in ALONE.values():
        for value in values:
            sought |= {f"{value}": str(value).encode(), f"{value} as a double": double(value)}
    there = {"the study's name": b"canaries", "a drawn number": double(drawn)}
    # A new interpreter: a fork has in memory what its parent imported, constants among it.
    given = ["serve", str(path), "--state", str(tmp_path / "state"), "--port", "0", "--json"]
    server = begun(
        subprocess.Popen(
            [sys.executable, "-c", COMMAND, *given],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **COLD},
            start_new_session=True,
        )
    )
    try:
        with client(server.url, server.token) as alice:
            for name in ("age", "bmi", "glucose", "income", "visits", "half"):
                body = {"columns": [name]}
                assert alice.post("/api/copy/histogram", json=body).status_code == 200
            for name in ("ward", "sex", "illness", "smoker"):
                assert alice.post("/api/copy/bars", json={"columns": [name]}).status_code == 200
            assert alice.get("/api/rows").status_code == 200
            assert alice.get(f"/api/views/{BIRDS[0][:-1]}").status_code >= 400
        found = found_in(server.popen.pid, {**sought, **there})
    finally:
        server.stop()
    assert found == {*there}  # the search finds what the server does have
