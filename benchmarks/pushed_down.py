"""Counts made where the data are: time and memory of what a study asks of a Parquet file.

As ratios to DuckDB's own `SELECT` of the same counts on the same threads and with the same memory
limit. A job runs in a process of its own, with a small file first, so that all is imported; CPU
seconds are compared, for both sides use all cores, and memory is what the large file adds. What a
box rests on must be the values of the sorted column, or there is nothing to compare. Run with
`python -m benchmarks.pushed_down [rows ...]`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import discreet as dc
from discreet.study.guesses import proposed_policy
from discreet.table import open_table
from discreet.table.engine import connect

SIZES = (1_000_000, 10_000_000)
SMALL = 20_000
CELL = "least(floor((income - {low}) / {width}), {last})::int"
RANKS = "SELECT {cell} AS cell, count(*), min(income), max(income) FROM '{path}' GROUP BY 1"

PEERS = {
    "open": "SELECT count(*) FROM '{path}'",
    "histogram": "SELECT {cell} AS cell, count(*) FROM '{path}' GROUP BY 1",
    "heat map": "SELECT {cell} AS a, age // 5 AS b, count(*) FROM '{path}' GROUP BY 1, 2",
    "bars": "SELECT region, count(*) FROM '{path}' GROUP BY 1",
    "box": RANKS,
    "means": "SELECT region, count(*), avg(income), max(income) FROM '{path}' GROUP BY 1",
    "proposal": "SELECT "
    + ", ".join(f"min({it}), max({it})" for it in ("age", "bmi", "income"))
    + " FROM '{path}'",
}
JOBS: dict[str, Callable[[Path], object]] = {
    "open": dc.open,
    "histogram": lambda path: dc.open(path).histogram("income"),
    "heat map": lambda path: dc.open(path).heatmap("age", "income", source="counts"),
    "bars": lambda path: dc.open(path).bars("region"),
    "box": lambda path: dc.open(path).box("income", source="counts"),
    "means": lambda path: dc.open(path).means("income", "region", source="counts"),
    "proposal": proposed_policy,
}


def main() -> None:
    """Print a line for each size and job."""
    if sys.argv[1:2] == ["--measure"]:
        _measure(sys.argv[2], sys.argv[3], Path(sys.argv[4]))
        return
    sizes = [*map(int, sys.argv[1:])] or SIZES
    print(f"load {os.getloadavg()[0]:.2f}, {os.cpu_count()} cores, CPU seconds of one round")
    print("rows          job          discreet s   DuckDB s   ratio   memory MB more   DuckDB's")
    with tempfile.TemporaryDirectory(prefix="discreet-bench-") as folder:
        os.environ |= {"DISCREET_STATE": folder, "DISCREET_CONFIG": folder}
        for rows in sizes:
            path = Path(folder) / f"{rows}.parquet"
            _write(path, rows)
            if rows == min(sizes):
                _check_equal(path)
            for job in JOBS:
                (ours, more), (theirs, beside) = (_in_process(it, job, path) for it in WHO)
                print(
                    f"{rows:<14,}{job:<13}{ours:10.3f}{theirs:11.3f}{ours / theirs:8.2f}"
                    f"{more:15.0f}{beside:11.0f}"
                )
            path.unlink()


def _write(path: Path, rows: int) -> None:
    """Write four columns: whole numbers, tenths, numbers that nearly all differ, and levels."""
    kept = connect()  # which is closed with its holder
    kept.connection.execute(
        f"""COPY (SELECT (18 + floor(73 * pow(random(), 1.3)))::INTEGER AS age,
        round(22 + 12 * random() + 8 * random() * random(), 1) AS bmi,
        exp(9.8 + 0.7 * sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random())) AS income,
        ['north', 'south', 'east', 'west'][1 + floor(4 * random())::INT] AS region
        FROM range({rows})) TO '{path}' (FORMAT parquet)"""
    )


def _ours(job: str, path: Path) -> None:
    JOBS[job](path)


def _theirs(job: str, path: Path) -> None:
    cell = CELL.format(low=0, width=5000 if job != "box" else 10, last=65535)
    kept = connect()
    kept.connection.execute(PEERS[job].format(path=path, cell=cell)).fetchall()


WHO: dict[str, Callable[[str, Path], None]] = {"ours": _ours, "theirs": _theirs}


def _in_process(who: str, job: str, path: Path) -> tuple[float, float]:
    """Return CPU seconds and by how many MB a process's peak memory grows (Linux)."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.pushed_down", "--measure", who, job, str(path)],
        capture_output=True,
        text=True,
        check=True,
    )
    seconds, memory = map(float, done.stdout.split()[-2:])
    return seconds, memory


def _measure(who: str, job: str, path: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        _write(Path(folder) / "small.parquet", SMALL)
        WHO[who](job, Path(folder) / "small.parquet")
    before, start = _peak_mb(), time.process_time()
    WHO[who](job, path)
    print(time.process_time() - start, _peak_mb() - before)


def _peak_mb() -> float:
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if "VmHWM" in line) / 1024


def _check_equal(path: Path) -> None:
    """Compare the values at some ranks with those of the sorted column."""
    table = open_table(path, kinds={}, roles={}, unit=None, key=None)
    values, spans = np.sort(table.rows(["income"]).numbers["income"]), [(0, 10), (5000, 5010)]
    for found, (start, stop) in zip(table.ordered("income").at(spans), spans, strict=True):
        if not np.array_equal(found, values[start:stop]):
            raise SystemExit("values at ranks are not those of the sorted column")


if __name__ == "__main__":
    main()
