"""How fast each job is, beside a peer in the same run: what docs/speed.md shows.

    python -m benchmarks.run                    # all, and the page is written anew
    python -m benchmarks.run --only histogram   # those whose name has the word, to the screen

A job is declared in a module of `benchmarks/speed`. Each of its sizes has a process of its own: a
tiny race first, so that all is imported and compiled, then ours once for its memory, then the
peer, and what they return must be equal; then both by turns, and medians are compared. What is
compared is seconds of the processor, for the machine may have other work, or those of the clock
where other processes do the work (a server, a browser). Growth is the power of the size that the
time grows with. Memory is what ours adds to what the process holds (Linux).
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from benchmarks.job import Job, all_jobs

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/speed.md"
FROM, TO = "<!-- measured -->", "<!-- measured so far -->"
HEAD = ("job", "n", "ours, s", "peer", "peer's, s", "ratio", "growth", "memory, MB", "load")
TIE = 1.1
"""A peer wins where we take more than so many times as long."""


class Measured(NamedTuple):
    """What one size of a job came to."""

    n: int
    ours: float
    peer: float
    memory: float | None
    load: float

    @property
    def ratio(self) -> float:
        """How many times as long as the peer ours takes."""
        return self.ours / self.peer


def main() -> None:
    """Measure all jobs and write the page, or some and print them."""
    parser = argparse.ArgumentParser(description="Measure speed and memory beside peers.")
    parser.add_argument("--only", help="measure jobs whose name has this word, and print them")
    parser.add_argument("--one", nargs=3, metavar=("TITLE", "SIZE", "FOLDER"), help="for itself")
    given = parser.parse_args()
    if given.one:
        title, size, folder = given.one
        (job,) = (it for it in all_jobs() if it.title == title)
        print(json.dumps(measured(job, int(size), Path(folder))))
        return
    jobs = [it for it in all_jobs() if given.only is None or given.only in it.title]
    began, failed, found = time.perf_counter(), [], []
    with tempfile.TemporaryDirectory(prefix="discreet-bench-") as name:
        for job in jobs:
            rows = _in_processes(job, Path(name))
            found.append((job, rows))
            failed += [job.title] * (len(rows) < len(job.sizes) and not job.missing)
    if failed:
        raise SystemExit("not measured: " + ", ".join(failed))
    if given.only is None:
        _write(page_of(found, time.perf_counter() - began))


def _in_processes(job: Job, folder: Path) -> list[Measured]:
    """Measure each size of a job in a process of its own, and print a line for each."""
    if job.missing:
        print(f"{job.title}: left out, for {', '.join(job.missing)} is not there", flush=True)
        return []
    found: list[Measured] = []
    for n in job.sizes:
        command = [sys.executable, "-m", "benchmarks.run", "--one", job.title, str(n), str(folder)]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            break
        found.append(Measured(*json.loads(done.stdout.splitlines()[-1])))
        print("  ".join(line_of(job, found)), flush=True)
    return found


def measured(job: Job, n: int, folder: Path) -> Measured:
    """Race ours against the peer at a size, in this process."""
    os.environ |= {"DISCREET_STATE": str(folder), "DISCREET_CONFIG": str(folder)}
    check(job, job.tiny, folder)
    race = job.race(n, folder)
    try:
        before = _reset_peak()
        result = race.ours()
        memory = None if before is None else _megabytes("VmHWM") - before
        _check_equal(job, race.equal(result, race.peer()))
        del result
        load = os.getloadavg()[0]
        rounds = [[_timed(job, it) for it in (race.ours, race.peer)] for _ in range(job.rounds)]
    finally:
        race.close()
    ours, peer = (median(taken) for taken in zip(*rounds, strict=True))
    others = job.clock is not time.process_time  # memory is theirs, too
    return Measured(n, ours, peer, None if others else memory, load)


def check(job: Job, n: int, folder: Path) -> None:
    """Do both once, and check that what they return is equal."""
    race = job.race(n, folder)
    try:
        _check_equal(job, race.equal(race.ours(), race.peer()))
    finally:
        race.close()


def _check_equal(job: Job, equal: bool) -> None:
    if not equal:
        raise SystemExit(f"{job.title}: the results differ")


def _timed(job: Job, work: Callable[[], Any]) -> float:
    start = job.clock()
    work()
    return job.clock() - start


def _reset_peak() -> float | None:
    """Let the peak of memory begin anew; return what is held now, in MB, or None (not Linux)."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return None
    return _megabytes("VmRSS")


def _megabytes(what: str) -> float:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return next(int(it.split()[1]) for it in status.splitlines() if it.startswith(what)) / 1024


# --- what is shown ----------------------------------------------------------------------------


def line_of(job: Job, found: Sequence[Measured]) -> tuple[str, ...]:
    """Return the cells of the last size measured; growth is from the one before."""
    last = found[-1]
    growth = ""
    if len(found) > 1:
        first = found[0]
        growth = f"{math.log(last.ours / first.ours) / math.log(last.n / first.n):.2f}"
    memory = "–" if last.memory is None else f"{last.memory:,.0f}"
    ours, peer = (f"{it:.3g}" if it < 1 else f"{it:.2f}" for it in (last.ours, last.peer))
    ratio = f"{last.ratio:.2f}" if last.ratio >= 0.1 else f"{last.ratio:.2g}"
    return (
        job.name,
        f"{last.n:,}",
        ours,
        job.peer,
        peer,
        ratio,
        growth,
        memory,
        f"{last.load:.1f}",
    )


def page_of(found: Sequence[tuple[Job, Sequence[Measured]]], seconds: float) -> str:
    """Return the table, and the jobs in which the peer is quicker."""
    lines = [f"| {' | '.join(HEAD)} |", "|" + "---|" * len(HEAD)]
    for job, rows in found:
        for i in range(len(rows)):
            lines.append(f"| {' | '.join(line_of(job, rows[: i + 1]))} |")
    lost = [
        f"- {job.name}: {job.peer} ({', '.join(f'{it.ratio:.1f}' for it in rows)} times)"
        for job, rows in found
        if any(it.ratio > TIE for it in rows)
    ]
    left_out = [f"{job.title} ({', '.join(job.missing)})" for job, rows in found if not rows]
    lines += ["", "The peer is quicker, at one size at least, in:", "", *lost, ""]
    if left_out:
        lines += [f"Left out, for what they need was not there: {', '.join(left_out)}.", ""]
    lines.append(f"All of it took {seconds / 60:.0f} minutes on {os.cpu_count()} cores.")
    return "\n".join(lines)


def _write(text: str) -> None:
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(FROM)
    PAGE.write_text(f"{before}{FROM}\n\n{text}\n\n{TO}{rest.split(TO)[1]}", encoding="utf-8")


if __name__ == "__main__":
    main()
