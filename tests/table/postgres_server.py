"""Debian's PostgreSQL for tests: a server of its own on a free port, stopped afterwards."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
TRIES = 150
TYPES = {
    pa.int16(): "int2",
    pa.int64(): "int8",
    pa.float64(): "float8",
    pa.bool_(): "boolean",
    pa.date32(): "date",
    pa.timestamp("us"): "timestamp",
}


class Server:
    """Where it listens, and how tables get into it."""

    def __init__(self, port: int) -> None:
        self.port, self._tables = port, 0

    def url(self, table: str = "", user: str = "postgres", database: str = "postgres") -> str:
        there = f"postgresql://{user}@127.0.0.1:{self.port}/{database}"
        return f"{there}?table={table}" if table else there

    def run(self, *commands: str) -> None:
        import psycopg

        with psycopg.connect(self.url(), autocommit=True) as connection:
            for command in commands:
                connection.execute(command.encode())

    def write(self, table: pa.Table) -> str:
        """Write a table of Arrow, under a name of its own; return its URL."""
        import psycopg

        # To drop a table would wait for whoever has it open.
        self._tables += 1
        name = f"t{self._tables}"
        types = [_type(it) for it in table.schema.types]
        columns = ", ".join(f'"{c}" {t}' for c, t in zip(table.column_names, types, strict=True))
        with psycopg.connect(self.url()) as connection, connection.cursor() as cursor:
            cursor.execute(f"CREATE TABLE {name} ({columns})".encode())
            with cursor.copy(f"COPY {name} FROM STDIN".encode()) as copy:
                for batch in table.to_batches(max_chunksize=10_000):
                    for row in _rows(batch):
                        copy.write_row(row)
        return self.url(name)


def _rows(batch: pa.RecordBatch) -> Iterator[Sequence[Any]]:
    return zip(*(column.to_pylist() for column in batch.columns), strict=True)


def _type(kind: pa.DataType) -> str:
    return "numeric(10, 2)" if pa.types.is_decimal(kind) else TYPES.get(kind, "text")


@contextmanager
def serving() -> Iterator[Server]:
    """Start a server; skip where Debian's programs or ours to ask it are not there."""
    for package in ("ibis", "psycopg"):
        pytest.importorskip(package, reason="pip install 'discreet[postgres]'")
    if not PROGRAMS:
        pytest.skip("there is no PostgreSQL to start: apt-get install postgresql")
    folder = Path(tempfile.mkdtemp(prefix="discreet-pg-", dir="/tmp"))
    who = _nobody(folder)
    initdb = ["-D", "data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8"]
    quiet: dict[str, Any] = {
        "cwd": folder,
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.STDOUT,
    }
    server = None
    try:
        subprocess.run([PROGRAMS[-1] / "initdb", "--no-sync", *initdb], check=True, **quiet, **who)
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        given = ["-D", "data", "-p", str(port), "-k", str(folder), "-h", "127.0.0.1", "-F"]
        server = subprocess.Popen([PROGRAMS[-1] / "postgres", *given], **quiet, **who)
        _wait(server, port)
        yield Server(port)
    finally:
        if server is not None:
            server.send_signal(signal.SIGINT)  # at SIGTERM it would wait for who is connected
            server.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _nobody(folder: Path) -> dict[str, Any]:
    """PostgreSQL does not run as root: as whom it does, who then owns the folder."""
    if os.geteuid() != 0:
        return {}
    user = pwd.getpwnam("nobody")
    os.chown(folder, user.pw_uid, user.pw_gid)
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def _wait(server: subprocess.Popen[bytes], port: int) -> None:
    import psycopg

    for _ in range(TRIES):
        try:
            psycopg.connect(f"postgresql://postgres@127.0.0.1:{port}/postgres").close()
            return
        except psycopg.OperationalError:
            if server.poll() is not None:
                break
            time.sleep(0.2)
    raise RuntimeError("PostgreSQL did not start")
