"""What a server of a board takes when many analysts explore at once: times, faults and memory.

    python -m benchmarks.board_load --rows 10000 --seconds 60

Eight analysts, each with a token and a connection, ask over loopback for what a board asks for: the
study, first pictures, rows (which the browser mostly has), plots of the copy, and what lights up.
What they ask is drawn from a seed.
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from pyarrow import Table, table
from pyarrow.csv import write_csv

from benchmarks.speed.serve import process, ready
from discreet.serve.record import open_record
from discreet.serve.tokens import add_token

ANALYSTS, SECONDS, ROWS = 8, 60.0, 10_000
LEVELS: Mapping[str, tuple[str, ...]] = {
    "sex": ("F", "M"),
    "smoking": ("never", "former", "current"),
    "ward": ("north", "east", "south", "west"),
}
NUMBERS = ("age", "bmi", "glucose", "systolic", "ldl", "hdl")
STARTED = 240.0

Asking = tuple[str, str, dict[str, Any] | None]
"""A method, a path, and a body."""


def cohort(rows: int) -> Table:
    """Make up a cohort of numbers that hang together, and of levels."""
    rng = np.random.default_rng(19)
    age = rng.normal(54, 13, rows).clip(18, 95)
    slopes = {"bmi": 0.05, "glucose": 0.6, "systolic": 0.7, "ldl": 0.4, "hdl": -0.2}
    columns: dict[str, Any] = {"age": age.round()}
    for name, slope in slopes.items():
        columns[name] = (60 + slope * age + rng.normal(0, 12, rows)).round(1)
    return table(columns | {name: rng.choice(of, rows) for name, of in LEVELS.items()})


@dataclass
class Found:
    """How long answers took, by what was asked, and what became of them."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    statuses: Counter[int] = field(default_factory=Counter)

    def add(self, other: Found) -> None:
        """Take in what another analyst found."""
        self.statuses += other.statuses
        for what, taken in other.seconds.items():
            self.seconds[what] += taken

    @property
    def faults(self) -> int:
        """How many answers were faults of the server."""
        return sum(many for status, many in self.statuses.items() if status >= 500)


@dataclass
class Analyst:
    """Somebody who explores: which filters stand, and which tag the rows had."""

    address: str
    token: str
    chance: random.Random
    tag: str = ""
    where: str | None = None

    def explore(self, seconds: float) -> Found:
        """Ask one thing after the other for so long."""
        found, until = Found(), time.perf_counter() + seconds
        connection = http.client.HTTPConnection(urlsplit(self.address).netloc, timeout=120)
        while time.perf_counter() < until:
            (what,) = self.chance.choices([*ASKED], [weight for weight, _ in ASKED.values()])
            method, path, body = ASKED[what][1](self)
            began = time.perf_counter()
            headers = {"Authorization": f"Bearer {self.token}", "Accept-Encoding": "gzip"}
            if what == "rows" and self.tag:
                headers["If-None-Match"] = self.tag
            data = None if body is None else json.dumps(body)
            connection.request(method, path, data, headers)
            answer = connection.getresponse()
            answer.read()
            self.tag = answer.headers.get("ETag") or self.tag
            found.seconds[what].append(time.perf_counter() - began)
            found.statuses[answer.status] += 1
        connection.close()
        return found

    def plot(self) -> Asking:
        """Ask for a plot of the copy, of the rows that the filter keeps."""
        if self.chance.random() < 0.3:
            low = self.chance.randrange(20, 60)
            self.where = self.chance.choice([None, f"age >= {low}", f"sex == 'F' and bmi > {low}"])
        one, other = self.chance.sample(NUMBERS, 2)
        level = self.chance.choice([*LEVELS])
        kinds: dict[str, dict[str, Any]] = {
            "histogram": {"columns": [one], "by": level},
            "scatter": {"columns": [one, other]},
            "heatmap": {"columns": [one, other]},
            "box": {"columns": [one], "by": level},
            "bars": {"columns": [level]},
            "correlations": {"columns": [*NUMBERS]},
        }
        kind, body = self.chance.choice([*kinds.items()])
        return "POST", f"/api/copy/{kind}", {**body, "where": self.where}

    def light(self) -> Asking:
        """Point at a mark, with sixteen cards on the board."""
        low = self.chance.randrange(20, 80)
        ends = [float(it) for it in range(0, 210, 10)]
        numbers = [{"column": name, "edges": ends} for name in NUMBERS]
        levels = [{"column": name, "levels": [*of]} for name, of in LEVELS.items()]
        pairs = [[a, b] for a in numbers[:3] for b in (*levels, numbers[3])][:7]
        cards = [{"marks": {"axes": it}} for it in [*([it] for it in (*numbers, *levels)), *pairs]]
        light = {"all": [{"column": "age", "from": low, "to": low + 5}]}
        where = [] if self.where is None else [self.where]
        return "POST", "/api/copy/light", {"where": where, "light": light, "cards": cards}


ASKED: Mapping[str, tuple[float, Callable[[Analyst], Asking]]] = {
    "study": (1, lambda _: ("GET", "/api/study", None)),
    "rows": (2, lambda _: ("GET", "/api/rows", None)),
    "plots of the copy": (8, Analyst.plot),
    "what lights up": (16, Analyst.light),
}
"""What is asked for, how often beside the others, and how."""


@contextmanager
def served(folder: Path, rows: int) -> Iterator[tuple[str, int, list[str]]]:
    """Serve a cohort; give the address, the process, and a token for each analyst."""
    write_csv(cohort(rows), folder / "cohort.csv")
    store = open_record(folder / "state")
    tokens = [add_token(store, "cohort", f"analyst-{i}") for i in range(ANALYSTS)]
    command = [sys.executable, "-m", "discreet", "serve", str(folder / "cohort.csv")]
    command += ["--study", "cohort", "--no-unit", "--state", str(folder / "state")]
    command += ["--a-minute", "1000000", "--port", "0", "--json"]
    with process(command, {}) as server:
        if server.stdout is None:
            raise RuntimeError("the server says nothing")
        address = json.loads(server.stdout.readline())["address"]
        ready(address, "/api/health")
        yield address, server.pid, tokens


def wait_until_warm(address: str) -> float:
    """Wait until the server says that it answers at once; return how long that took."""
    began = time.perf_counter()
    while time.perf_counter() < began + STARTED:
        connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=60)
        connection.request("GET", "/api/ready")
        if connection.getresponse().status == 200:
            break
        time.sleep(0.2)
    return time.perf_counter() - began


def explored(address: str, tokens: Sequence[str], seconds: float) -> Found:
    """Let all analysts explore at once."""
    found = Found()
    analysts = [Analyst(address, it, random.Random(i)) for i, it in enumerate(tokens)]
    with ThreadPoolExecutor(len(analysts)) as pool:
        for one in [pool.submit(it.explore, seconds) for it in analysts]:
            found.add(one.result())
    return found


def memory_of(pid: int) -> float:
    """Return how much memory a process holds, in MB; as Linux tells it."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    (line,) = [line for line in status.splitlines() if line.startswith("VmRSS:")]
    return int(line.split()[1]) / 1024


def report(found: Found, seconds: float) -> None:
    """Print how many requests there were, what became of them, and how long they took."""
    total = sum(found.statuses.values())
    print(f"{total:,} requests in {seconds:g} s, {total / seconds:,.0f} a second")
    print("answers: " + ", ".join(f"{n:,} of {it}" for it, n in sorted(found.statuses.items())))
    for what, taken in found.seconds.items():
        half, most = (float(np.percentile(taken, share) * 1e3) for share in (50, 95))
        print(f"{what:20} {len(taken):7,}   median {half:7.1f} ms   p95 {most:7.1f} ms")


def main() -> None:
    """Print what the load came to; end with 1 where an answer was a fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, served(Path(name), given.rows) as server:
        address, pid, tokens = server
        print(f"{given.rows:,} rows; warm after {wait_until_warm(address):.1f} s")
        before = memory_of(pid)
        found = explored(address, tokens, given.seconds)
        report(found, given.seconds)
        print(f"memory of the server: {before:.0f} MB before, {memory_of(pid):.0f} MB after")
    if found.faults:
        raise SystemExit("some answers were faults of the server")


if __name__ == "__main__":
    main()
