"""What a custodian does beside a server that runs, over and over, in processes of its own."""

from __future__ import annotations

import io
import json
import os
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import typer

from discreet.cli.app import app
from discreet.records.store import FIRST
from tests.serve.cohort import NAME
from tests.serve.workers import client

__all__ = ["main"]

FORKED = 5  # every so many rounds
COMMANDS = typer.main.get_command(app)

Command = Callable[[list[str]], str]


def here(words: list[str]) -> str:
    """Run a command in this process, and return what it prints."""
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(io.StringIO()):
        COMMANDS.main(words, standalone_mode=False)
    return said.getvalue()


def forked(words: list[str]) -> str:
    """Run a command in a process of its own, which need not import all there is once more."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.write(write, here(words).encode())
            code = 0
        finally:
            os._exit(code)
    os.close(write)
    with open(read, "rb") as pipe:
        said = pipe.read()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, words
    return said.decode()


@dataclass
class Custodian:
    """Looks, adds and revokes; nothing that was there before may ever be gone."""

    state: str
    server: httpx.Client
    rows: int = 0
    head: str = FIRST
    names: list[str] = field(default_factory=list)

    def round(self, name: str, command: Command) -> None:
        """Use every command once, and copy the record as SQLite does it."""
        of = ["--state", self.state]
        asked = [it["id"] for it in json.loads(command(["log", "--json", *of])) if it["id"]]
        assert asked == [*range(1, len(asked) + 1)], "the log has gaps"
        assert len(asked) >= self.rows, "rows of the log are gone"
        found = json.loads(command(["log", "--verify", "--head", self.head, "--json", *of]))
        assert found["broken"] == []
        token = command(["token", "add", name, *of, "--study", NAME]).strip()
        assert self.status(token) == 200, "a new token opens nothing"
        command(["token", "revoke", name, *of, "--study", NAME])
        assert self.status(token) == 401, "a revoked token opens the study"
        self.rows, self.head = len(asked), found["head"]
        self.names.append(name)
        self.copy()

    def status(self, token: str) -> int:
        """Ask the server for what the study holds."""
        bearer = {"Authorization": f"Bearer {token}"}
        return self.server.get("/api/study", headers=bearer).status_code

    def copy(self) -> None:
        """Make a copy that holds together, and holds all that was there."""
        record = Path(self.state) / "record.sqlite"
        with closing(sqlite3.connect(record)) as source, closing(sqlite3.connect(":memory:")) as to:
            source.backup(to)
            assert to.execute("PRAGMA quick_check").fetchone() == ("ok",)
            held = to.execute("SELECT count(*) FROM chain WHERE seal = ?", (self.head,)).fetchone()
            assert held == (1,), "the copy lacks rows"

    def told(self) -> dict[str, Any]:
        """Return what was seen."""
        return {"rows": self.rows, "head": self.head, "names": self.names}


def main(state: str, url: str, rounds: str) -> None:
    """Do all rounds beside a server; print a line after each, and then what was seen."""
    with client(url, "") as server:
        custodian = Custodian(state, server)
        for number in range(int(rounds)):
            custodian.round(f"r{number}", here if number % FORKED else forked)
            sys.stdout.write(f"{number}\n")
            sys.stdout.flush()
    sys.stdout.write(json.dumps(custodian.told()))
