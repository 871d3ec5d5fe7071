"""One table from every source: what each costs, and that all say the same to the last bit.

CPU seconds and the peak memory of a process that reads one source, and of those that it begins: of
Spark these are Java and its workers. PostgreSQL's server has its own beside them. Compared are the
JSON of every picture, what the register would know of the data, and the protected copy. Run with
`python -m benchmarks.engines [ROWS [SOURCE ...]]`; without sources it takes all.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

import discreet as dc
from tests.spark_session import spark_session
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

Source = Callable[[pa.Table, Path], AbstractContextManager[str]]

ROWS = 1_000_000
STEPS = ("open", "pictures", "copy")


def main() -> None:
    """Print a line for each source."""
    if sys.argv[1:2] == ["--measure"]:
        with _source(sys.argv[2], sys.argv[3]) as source:
            _measure(source)
        return
    rows = int(sys.argv[1]) if sys.argv[1:] else ROWS
    chosen = sys.argv[2:] or [*SOURCES]
    print(f"{rows:,} rows, load {os.getloadavg()[0]:.2f}, {os.cpu_count()} cores, CPU seconds")
    print("source              " + "".join(f"{it:>10}" for it in (*STEPS, "peak MB", "says")))
    said = set()
    with tempfile.TemporaryDirectory(prefix="discreet-bench-") as folder:
        os.environ |= {"DISCREET_CONFIG": folder, "DISCREET_SECRET": "5f1c0a9be37d2486" * 4}
        for name in chosen:
            os.environ["DISCREET_STATE"] = f"{folder}/state of {name}"
            with SOURCES[name](data(rows), Path(folder)) as source:
                *figures, digest = _measured(name, source)
            said.add(digest)
            print(f"{name:<20}" + "".join(f"{it:>10}" for it in (*figures, digest[:8])), flush=True)
    if len(said) > 1:
        raise SystemExit("not all sources say the same")


def _measured(name: str, source: str) -> list[str]:
    """Return the figures of a source, and a digest of all that is said of it."""
    command = [sys.executable, "-m", "benchmarks.engines", "--measure", name, source]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        memory = Memory(process.pid)
        while process.poll() is None:
            memory.look()
            time.sleep(0.2)
        said = process.stdout.read() if process.stdout else ""
    if process.returncode:
        raise SystemExit(f"{name} ended with {process.returncode}")
    *seconds, digest = said.split()[-len(STEPS) - 1 :]
    return [*seconds, f"{memory.peak / 2**20:.0f}", digest]


class Memory:
    """The most memory that a process and those it began had together, as often as it was looked at.

    Pages that several of them share count once, by their shares.
    """

    def __init__(self, pid: int) -> None:
        self.peak, self._pid = 0, pid

    def look(self) -> None:
        """Look at it now."""
        self.peak = max(self.peak, sum(_memory(it) for it in _family(self._pid)))


def _family(pid: int) -> list[int]:
    """Return a process and all that it began, and these began."""
    found = [pid]
    with suppress(OSError):
        for children in Path(f"/proc/{pid}/task").glob("*/children"):
            for child in children.read_text().split():
                found += _family(int(child))
    return found


def _memory(pid: int) -> int:
    with suppress(OSError, StopIteration):
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return int(next(it for it in lines if it.startswith("Pss:")).split()[1]) * 1024
    return 0


@contextmanager
def _at_postgres(table: pa.Table, folder: Path) -> Iterator[str]:
    with serving() as server:
        yield server.write(table)


def _written(write: Callable[[pa.Table, Path], Path], url: str = "{}") -> Source:
    """Return a source that lies in a file or folder, which is written if it is not there."""

    @contextmanager
    def source(table: pa.Table, folder: Path) -> Iterator[str]:
        where = folder / write.__name__
        if not where.exists():
            where.mkdir()
            (where / "path").write_text(str(write(table, where)))
        yield url.format((where / "path").read_text())

    return source


#: How the table is written for each source, and where it lies then.
SOURCES: dict[str, Source] = {
    "Parquet": _written(of_parquet),
    "folder of Parquet": _written(of_folder),
    "CSV": _written(of_csv),
    "DuckDB": _written(of_duckdb, "duckdb:///{}?table=other.v"),
    "polars lazy": _written(of_parquet),
    "pandas": _written(of_parquet),
    "Spark": _written(of_parquet),
    "PostgreSQL": _at_postgres,
}


@contextmanager
def _source(name: str, where: str) -> Iterator[Any]:
    if name == "Spark":
        with spark_session(**{"spark.driver.memory": "4g"}) as session:
            yield session.read.parquet(where)
    elif name == "polars lazy":
        yield pl.scan_parquet(where)
    else:
        yield of_pandas(pq.read_table(where)) if name == "pandas" else where


def _measure(source: Any) -> None:
    found: dict[str, Any] = {}
    seconds: list[float] = []
    with _timed(seconds):
        study = opened(source)
    with _timed(seconds):
        found["without a copy"] = without_copy(source)
    with _timed(seconds):
        found["copy"] = _copied(study)
    digest = hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()
    print(*(f"{it:.1f}" for it in seconds), digest)


@contextmanager
def _timed(seconds: list[float]) -> Iterator[None]:
    start = _used()
    yield
    seconds.append(_used() - start)


def _used() -> float:
    """Return the CPU seconds of this process and of all that it began: Java and workers, too."""
    return sum(map(_seconds, _family(os.getpid())))


def _seconds(pid: int) -> float:
    with suppress(OSError):
        figures = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, figures[11:15])) / os.sysconf("SC_CLK_TCK")
    return 0.0


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
