"""Hears all that leaves a server: answers, log records, and the file of its record."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from tests.serve.searching import Canaries

__all__ = ["Ear", "hearing"]

DRAWINGS = ("image/svg+xml", "application/pdf", "image/png")
CLIENTS_OWN = ("httpx", "httpcore", "hypothesis", "numba")  # numba tells its own code alone


@dataclass
class Ear(logging.Handler):
    """Listens for canaries, and remembers what it was that sang."""

    canaries: Canaries
    sung: list[str] = field(default_factory=list)
    heard: int = 0

    def __post_init__(self) -> None:
        super().__init__(logging.DEBUG)

    def __hash__(self) -> int:
        return id(self)

    def listen(self, where: str, data: bytes | str, digits: int = 6) -> None:
        """Listen to something."""
        self.heard += 1
        self.sung += [f"{where}: {it}" for it in self.canaries.found(data, digits)]

    def answer(self, where: str, response: httpx.Response) -> httpx.Response:
        """Listen to an answer: its status, headers and body."""
        head = [response.reason_phrase, *(f"{a}: {b}" for a, b in response.headers.multi_items())]
        self.listen(f"{where}, head", "\n".join(head))
        drawing = response.headers.get("content-type", "").partition(";")[0] in DRAWINGS
        self.listen(f"{where}, {response.status_code}", response.content, 8 if drawing else 6)
        return response

    def emit(self, record: logging.LogRecord) -> None:
        """Listen to a log record."""
        if record.name.split(".")[0] not in CLIENTS_OWN:
            said = f"{record.getMessage()} {record.args} {record.exc_info} {record.exc_text}"
            self.listen(f"log of {record.name}", said)

    def record(self, folder: Path) -> None:
        """Listen to the server's record: every value of every row, and every byte of its files."""
        files = sorted(folder.rglob("record.sqlite*"))
        assert files
        for file in files:
            self.listen(file.name, file.read_bytes())
        with closing(sqlite3.connect(files[0])) as connection:
            names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            for (name,) in names.fetchall():
                for row in connection.execute(f"SELECT * FROM {name}"):
                    for value in row:
                        told = value if isinstance(value, bytes) else str(value)
                        self.listen(f"table {name}", told)


@contextmanager
def hearing(canaries: Canaries) -> Iterator[Ear]:
    """Listen to all log records for a while; fail if a canary sang."""
    ear, root = Ear(canaries), logging.getLogger()
    level = root.level
    root.addHandler(ear)
    root.setLevel(logging.DEBUG)
    logging.getLogger("numba").setLevel(logging.INFO)
    try:
        yield ear
    finally:
        root.removeHandler(ear)
        root.setLevel(level)
    if ear.sung:
        raise AssertionError(f"{len(ear.sung)} canaries sing, such as {ear.sung[:5]}")
