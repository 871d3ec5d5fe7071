"""One table from every source: what each costs, and that all say the same to the last bit.

CPU seconds of this process and its peak memory: PostgreSQL's server has its own beside them. Each
source is read in a process of its own. Compared are the JSON of every picture, what the ledger
would know of the data, and the protected copy. Run with `python -m benchmarks.engines [rows]`.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.parquet as pq

import discreet as dc
from tests.table.engines import (
    data,
    of_csv,
    of_duckdb,
    of_folder,
    of_pandas,
    of_parquet,
    opened,
    without_copy,
)
from tests.table.postgres_server import serving

ROWS = 1_000_000
STEPS = ("open", "pictures", "copy")


def main() -> None:
    """Print a line for each source."""
    if sys.argv[1:2] == ["--measure"]:
        _measure(sys.argv[2], sys.argv[3])
        return
    rows = int(sys.argv[1]) if sys.argv[1:] else ROWS
    print(f"{rows:,} rows, load {os.getloadavg()[0]:.2f}, {os.cpu_count()} cores, CPU seconds")
    print("source                open   pictures   copy   peak memory MB")
    said = set()
    with tempfile.TemporaryDirectory(prefix="discreet-bench-") as folder:
        os.environ |= {"DISCREET_CONFIG": folder, "DISCREET_SECRET": "5f1c0a9be37d2486" * 4}
        for name, source in _sources(rows, Path(folder)):
            os.environ["DISCREET_STATE"] = f"{folder}/state of {name}"
            command = [sys.executable, "-m", "benchmarks.engines", "--measure", name, source]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            *seconds, peak, digest = done.stdout.split()[-len(STEPS) - 2 :]
            said.add(digest)
            print(f"{name:<20}" + "".join(f"{it:>8}" for it in seconds) + f"{peak:>15}", flush=True)
    if len(said) > 1:
        raise SystemExit("not all sources say the same")


def _sources(rows: int, folder: Path) -> Iterator[tuple[str, str]]:
    """Write the table in each way, and say where it lies."""
    table = data(rows)
    parquet = str(of_parquet(table, folder))
    yield "Parquet", parquet
    yield "folder of Parquet", str(of_folder(table, folder))
    yield "CSV", str(of_csv(table, folder))
    yield "DuckDB", f"duckdb:///{of_duckdb(table, folder)}?table=other.v"
    yield "polars lazy", parquet
    yield "pandas", parquet
    with serving() as server:
        yield "PostgreSQL", server.write(table)


def _source(name: str, where: str) -> Any:
    if name == "polars lazy":
        return pl.scan_parquet(where)
    return of_pandas(pq.read_table(where)) if name == "pandas" else where


def _measure(name: str, where: str) -> None:
    source = _source(name, where)
    found: dict[str, Any] = {}
    seconds: list[float] = []
    with _timed(seconds):
        study = opened(source)
    with _timed(seconds):
        found["without a copy"] = without_copy(study)
    with _timed(seconds):
        found["copy"] = _copied(study)
    peak = next(it for it in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in it)
    digest = hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()
    print(*(f"{it:.1f}" for it in seconds), int(peak.split()[1]) // 1024, digest)


@contextmanager
def _timed(seconds: list[float]) -> Iterator[None]:
    start = time.process_time()
    yield
    seconds.append(time.process_time() - start)


def _copied(study: dc.Study) -> str:
    """Return a digest of the protected copy, read a column at a time."""
    copy, digest = study.session.kept.copy, hashlib.sha256()
    for name in copy.columns:
        digest.update(copy.columns[name].tobytes())
    for name in copy.strata:
        digest.update("\0".join(copy.strata[name]).encode())
    return digest.hexdigest()


if __name__ == "__main__":
    main()
