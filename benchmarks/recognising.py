"""Recognising data: the sketches of a table, its first save, and the keys of its rows.

As ratios to a peer in the same run: a bare pyarrow read of the same columns, and the picture that
is saved (which `run.py` compares with DuckDB's count). What is compared is CPU time, best of some
rounds, for both sides use all cores; memory is that of a process of its own. Sketches of batches
in another order are equal, or there is nothing to compare. Run with `make bench`.
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
from discreet.keys import row_keys
from discreet.secret import Secret
from discreet.sketch import sketched
from discreet.table import Table, open_table

SIZES = (1_000_000, 10_000_000)
NAMES = ("x0", "x1", "x2", "x3")
ROUNDS = 3
SECRET = Secret.from_bytes(bytes(range(32)))


def main() -> None:
    """Print a line for each size and job."""
    if sys.argv[1:2] == ["--measure"]:
        _measure(sys.argv[2], Path(sys.argv[3]))
        return
    print(
        f"load {os.getloadavg()[0]:.2f}, {os.cpu_count()} cores, best CPU time of {ROUNDS} rounds"
    )
    print(
        "rows        job            discreet s   peer                  s   ratio   memory MB more"
    )
    with tempfile.TemporaryDirectory(prefix="discreet-bench-") as folder:
        os.environ |= {"DISCREET_STATE": folder, "DISCREET_CONFIG": folder}
        times: dict[str, list[float]] = {}
        for rows in SIZES:
            path = Path(folder) / f"{rows}.parquet"
            _write(path, rows)
            _check_equal(path)
            for job, peer in (("sketches", "read"), ("first save", "histogram"), ("keys", "read")):
                ours, theirs = _timed(job, path), _timed(peer, path)
                more = _memory(job, path) - _memory(peer, path)
                times.setdefault(job, []).append(ours)
                print(
                    f"{rows:<12,}{job:<15}{ours:10.3f}   {peer:<15}{theirs:10.3f}"
                    f"{ours / theirs:8.2f}{more:12.0f}"
                )
        for job, (small, large) in times.items():
            exponent = np.log(large / small) / np.log(SIZES[1] / SIZES[0])
            print(f"{job}: grows with rows to the power {exponent:.2f}")


def _write(path: Path, rows: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(1)
    pq.write_table(pa.table({name: rng.normal(size=rows) for name in NAMES}), path)


def _table(path: Path) -> Table:
    return open_table(path, kinds={}, roles={}, unit=None, key=None)


def _read(path: Path) -> Callable[[], object]:
    """Read all columns part by part, as a peer of what does something with them."""
    import pyarrow.parquet as pq

    def work() -> int:
        with pq.ParquetFile(path) as file:
            return sum(part.num_rows for part in file.iter_batches(columns=[*NAMES]))

    return work


def _sketches(path: Path) -> Callable[[], object]:
    table = _table(path)
    return lambda: sketched(SECRET, table.batches(NAMES), rows=NAMES)


def _keys(path: Path) -> Callable[[], object]:
    table = _table(path)
    return lambda: row_keys(SECRET, [*table.rows(NAMES).numbers.values()])


def _histogram(path: Path) -> Callable[[], object]:
    return lambda: dc.open(path).histogram("x0")


def _first_save(path: Path) -> Callable[[], object]:
    """Let a picture leave into a ledger of its own."""
    os.environ["DISCREET_STATE"] = tempfile.mkdtemp(dir=os.environ["DISCREET_STATE"])
    view = dc.open(path).histogram("x0")
    return view.to_json


JOBS: dict[str, Callable[[Path], Callable[[], object]]] = {
    "read": _read,
    "sketches": _sketches,
    "keys": _keys,
    "histogram": _histogram,
    "first save": _first_save,
}


def _timed(job: str, path: Path) -> float:
    """Return the CPU seconds of the best round; what each round needs first is not counted."""
    found = []
    for _ in range(ROUNDS):
        work = JOBS[job](path)
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


def _memory(job: str, path: Path) -> float:
    """Return by how much a process's peak memory grows by a job, in MB (Linux)."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.recognising", "--measure", job, str(path)],
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout.split()[-1])


def _measure(job: str, path: Path) -> None:
    """Do it with a small file first, so that all is imported, and print what the large one adds."""
    with tempfile.TemporaryDirectory() as folder:
        _write(Path(folder) / "small.parquet", 1000)
        JOBS[job](Path(folder) / "small.parquet")()
    work = JOBS[job](path)
    before = _peak_mb()
    work()
    print(_peak_mb() - before)


def _peak_mb() -> float:
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if "VmHWM" in line) / 1024


def _check_equal(path: Path) -> None:
    """Compare the sketches of a file with those of its batches from the last to the first."""
    table = _table(path)
    parts = list(table.batches(NAMES))
    one, two = (sketched(SECRET, order, rows=NAMES) for order in (parts, parts[::-1]))
    marks = [[it.rows.mark, *(each.mark for each in it.columns.values())] for it in (one, two)]
    if marks[0] != marks[1]:
        raise SystemExit("sketches depend on the order of the rows")


if __name__ == "__main__":
    main()
