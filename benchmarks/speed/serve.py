"""A served picture that was asked for before, beside a bare route of FastAPI.

Eight clients ask over loopback, with one connection each; a size is how many requests there are.
"""

from __future__ import annotations

import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from pyarrow.csv import write_csv

from benchmarks.job import Job, Race
from discreet.datasets import diabetes

__all__ = ["JOBS", "process", "ready"]

CLIENTS = 8
COLUMNS = ("age", "bmi", "glucose", "ldl")

BARE = """
import uvicorn
from fastapi import FastAPI

app = FastAPI()

@app.post("/")
async def bare() -> dict[str, bool]:
    return {"ok": True}

uvicorn.run(app, port=PORT, log_level="warning", access_log=False)
"""


@contextmanager
def process(command: Sequence[str], environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """Run a program as long as the block lasts."""
    settings = {**os.environ, **environment}
    with subprocess.Popen([*command], stdout=subprocess.PIPE, text=True, env=settings) as found:
        try:
            yield found
        finally:
            found.terminate()


def ready(address: str, path: str) -> None:
    """Wait until a server answers."""
    for _ in range(600):
        try:
            with closing(http.client.HTTPConnection(urlsplit(address).netloc, timeout=5)) as asked:
                asked.request("GET", path)
                asked.getresponse().read()
            return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError("the server did not start")


def _race(n: int, folder: Path) -> Race:
    with ExitStack() as stack:  # closes what has begun, should the rest fail
        address, headers = stack.enter_context(_served(Path(tempfile.mkdtemp(dir=folder))))
        plain = stack.enter_context(_bare())
        bodies = [json.dumps({"columns": [name]}).encode() for name in COLUMNS]
        asked = partial(_asked, address, "/api/views/histogram", headers, bodies, n)
        asked()  # each is drawn
        return Race(
            asked,
            partial(_asked, plain, "/", {}, [b"{}"], n),
            lambda ours, theirs: ours == theirs,
            stack.pop_all().close,
        )


@contextmanager
def _served(folder: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Serve a small cohort; give the address, and what each request says."""
    write_csv(diabetes(), folder / "cohort.csv")
    command = [sys.executable, "-m", "discreet", "serve", str(folder / "cohort.csv")]
    command += ["--state", str(folder), "--a-minute", "1000000", "--port", "0", "--json"]
    with process(command, {}) as server:
        if server.stdout is None:
            raise RuntimeError("the server says nothing")
        said = json.loads(server.stdout.readline())
        ready(said["address"], "/api/ready")
        (token,) = said["tokens"].values()
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        yield said["address"], headers


@contextmanager
def _bare() -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with process([sys.executable, "-c", BARE.replace("PORT", str(port))], {}):
        address = f"http://127.0.0.1:{port}"
        ready(address, "/openapi.json")
        yield address


def _asked(
    address: str, path: str, headers: Mapping[str, str], bodies: Sequence[bytes], n: int
) -> int:
    """Let all clients ask at once; return how many requests were answered."""
    with ThreadPoolExecutor(CLIENTS) as pool:
        each = max(1, n // CLIENTS)
        asked = [pool.submit(_ask, address, path, headers, bodies, each) for _ in range(CLIENTS)]
        return sum(one.result() for one in asked)


def _ask(
    address: str, path: str, headers: Mapping[str, str], bodies: Sequence[bytes], times: int
) -> int:
    """Ask again and again over one connection."""
    with closing(http.client.HTTPConnection(urlsplit(address).netloc, timeout=60)) as connection:
        for number in range(times):
            connection.request("POST", path, bodies[number % len(bodies)], {**headers})
            answer = connection.getresponse()
            answer.read()
            if answer.status != 200:
                raise RuntimeError(f"a request was answered with {answer.status}")
    return times


JOBS = [
    Job(
        "served pictures that were asked for before",
        "a bare route of FastAPI",
        (500, 2_000),
        CLIENTS,
        _race,
        rounds=3,
        clock=time.perf_counter,
        needs=("fastapi",),
    )
]
