"""How long a served picture takes that was asked for before, against a bare route of FastAPI.

    python -m benchmarks.serve

Sixteen clients ask five hundred times each, over loopback, with one connection each. The ratio is
of the 95th percentiles in the same run; memory is that of the server's process before and after.
"""

from __future__ import annotations

import http.client
import json
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
from pyarrow.csv import write_csv

from discreet.datasets import diabetes

CLIENTS, REQUESTS = 16, 500
GOAL = 20.0  # times the bare route's 95th percentile, at most
GROWTH = 0.1  # of the memory, at most

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
    found = subprocess.Popen(
        [*command], stdout=subprocess.PIPE, text=True, env={**os.environ, **environment}
    )
    try:
        yield found
    finally:
        found.terminate()
        found.wait(30)


def ready(address: str, path: str) -> None:
    """Wait until a server answers."""
    for _ in range(600):
        try:
            connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=5)
            connection.request("GET", path)
            connection.getresponse().read()
            return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError("the server did not start")


def one_client(
    address: str, path: str, headers: dict[str, str], bodies: Sequence[bytes]
) -> list[float]:
    """Ask again and again over one connection; return how long each answer took, in seconds."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=60)
    taken = []
    for number in range(REQUESTS):
        began = time.perf_counter()
        connection.request("POST", path, bodies[number % len(bodies)], headers)
        answer = connection.getresponse()
        answer.read()
        taken.append(time.perf_counter() - began)
        if answer.status != 200:
            raise RuntimeError(f"a request was answered with {answer.status}")
    return taken


def many_clients(
    address: str, path: str, headers: dict[str, str], bodies: Sequence[bytes]
) -> list[float]:
    """Let all clients ask at once; return all times."""
    with ThreadPoolExecutor(CLIENTS) as pool:
        asked = [pool.submit(one_client, address, path, headers, bodies) for _ in range(CLIENTS)]
        return [seconds for one in asked for seconds in one.result()]


def memory_of(pid: int) -> float:
    """Return how much memory a process holds, in MB; as Linux tells it."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    (line,) = [line for line in status.splitlines() if line.startswith("VmRSS:")]
    return int(line.split()[1]) / 1024


def told(name: str, taken: Sequence[float]) -> float:
    """Print the times of one server, and return the 95th percentile in milliseconds."""
    half, most = (float(np.percentile(taken, share) * 1e3) for share in (50, 95))
    rate = len(taken) / (sum(taken) / CLIENTS)
    print(f"{name:24} median {half:6.1f} ms   p95 {most:6.1f} ms   {rate:6.0f} requests/s")
    return most


def bare(port: int) -> float:
    """Measure the bare route."""
    with process([sys.executable, "-c", BARE.replace("PORT", str(port))], {}):
        address = f"http://127.0.0.1:{port}"
        ready(address, "/openapi.json")
        return told("bare FastAPI route", many_clients(address, "/", {}, [b"{}"]))


def served(folder: Path) -> tuple[float, float, float]:
    """Measure pictures that were asked for before; return the p95 and the memory around it."""
    write_csv(diabetes(), folder / "cohort.csv")
    (folder / "discreet.toml").write_text("requests_a_minute = 1000000\n", encoding="utf-8")
    secret = folder / "discreet.secret"
    secret.touch(mode=0o600)
    secret.write_text(secrets.token_hex(32), encoding="ascii")
    command = [sys.executable, "-m", "discreet", "serve", str(folder / "cohort.csv")]
    command += ["--policy", str(folder / "discreet.toml"), "--port", "0", "--json"]
    with process(command, {}) as server:
        if server.stdout is None:
            raise RuntimeError("the server says nothing")
        said = json.loads(server.stdout.readline())
        ready(said["address"], "/api/health")
        headers = {"Authorization": f"Bearer {said['token']}", "Content-Type": "application/json"}
        columns = ("age", "bmi", "glucose", "ldl")
        bodies = [json.dumps({"columns": [name]}).encode() for name in columns]
        path = "/api/views/histogram"
        one_client(said["address"], path, headers, bodies)  # each is drawn, and all is warm
        before = memory_of(server.pid)
        most = told(
            "a picture asked for before", many_clients(said["address"], path, headers, bodies)
        )
        return most, before, memory_of(server.pid)


def main() -> None:
    """Print the times of both, their ratio, and the memory."""
    with tempfile.TemporaryDirectory() as folder:
        most, before, after = served(Path(folder))
    plain = bare(18231)
    print(f"ratio of p95: {most / plain:.1f} (goal: at most {GOAL:g})")
    print(f"memory of the server: {before:.0f} MB before, {after:.0f} MB after")
    if most > GOAL * plain or after > before * (1 + GROWTH):
        raise SystemExit("slower than the goal, or memory grew")


if __name__ == "__main__":
    main()
