"""A ledger with rows in every table, and what somebody does to its file behind its back."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from discreet.ledger.ledger import Ledger
from discreet.serve.log import (
    Answer,
    Caller,
    LogEntry,
    add_token,
    ask,
    change_token,
    close,
    keep,
    revoke_token,
)
from discreet.records.outputs import InForce, hand_in, review
from discreet.ledger.rules import ReleaseRecord
from discreet.records.store import Store
from discreet.lines import Lines
from discreet.provenance import Provenance, checksum_of_file
from discreet.secret import Secret
from discreet.sketch import sketch_of

SECRET = Secret.from_bytes(bytes(range(32)))
ANOTHER = Secret.from_bytes(bytes(range(32, 64)))
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
ALICE, BOB = Caller("token alice", "analyst"), Caller("token bob", "analyst")
MUCH = 10**6
"""So many requests a minute that nobody is refused."""


def question(view: int | None = 1, *, study: str = "s", version: int = 1) -> LogEntry:
    """Ask for the histogram that has a number."""
    request = json.dumps({"columns": ["age"], "bins": view})
    named = None if view is None else f"{view:032x}"
    return LogEntry(study, version, "histogram", request, named)


def filled(folder: Path, secret: Secret = SECRET) -> Store:
    """Make a ledger with a row or more in every table."""
    folder.mkdir(parents=True, exist_ok=True)
    store = Store(folder, secret)
    marks = secret.marks([str(n % 7) for n in range(60)])
    made = Provenance("v", "p", "0.1.0", {"plot": "histogram"}, "counts", "c", "s")
    leaving = ReleaseRecord(
        study="t",
        settings={"regime": "guarded", "k": 5},
        choices={"strata": "[]"},
        sketches={"column x": sketch_of(marks)},
        k=5,
        kind="histogram",
        columns=("x",),
        method="whole",
        form="svg",
        provenance=(made.to_text(),),
        lines=Lines(1, 2, (3, 4)),
    )
    Ledger(folder, secret).release([leaving], lambda: {})
    write_rows(store, "0")
    for name in ("alice", "bob"):
        add_token(store, "s", name)
        change_token(store, "s", name, days=7)
    revoke_token(store, "s", "bob")
    for view in (1, 2, 3):
        asked = ask(store, ALICE, question(view), MUCH)
        keep(store, asked, question(view), Answer(200, b"drawn %d" % view), "answered")
    close(store, ask(store, ALICE, question(4), MUCH), "broken")
    file = folder / "age.svg"
    file.write_text("drawn")
    now, record = InForce("p", 1), {"status": "pass", "says": []}
    output = hand_in(store, "s", now, file, checksum_of_file(file), record)
    review(store, "s", output.id, "approved", "", now)
    file.unlink()
    return store


def row_at(at: str) -> dict[str, object]:
    """Return a row of a small table that says a time."""
    return {"study": "x", "number": 1, "settings": "{}", "opened": at}


def write_rows(store: Store, *times: str) -> None:
    """Write rows of a small table."""
    with store.writing() as connection:
        for at in times:
            store.append(connection, "version", row_at(at))


def times(store: Store) -> list[str]:
    """Read them."""
    with store.reading() as connection:
        rows = connection.execute("SELECT opened FROM version WHERE study = 'x' ORDER BY id")
        return [at for (at,) in rows]


def alter(path: Path, script: str) -> None:
    """Run a script on the file behind the ledger's back, and put its triggers back after it."""
    connection = sqlite3.connect(path)
    triggers = connection.execute(
        "SELECT name, tbl_name, sql FROM sqlite_master"
        " WHERE type = 'trigger' AND sql LIKE '%append-only%'"
    ).fetchall()
    for name, _, _ in triggers:
        connection.execute(f"DROP TRIGGER {name}")
    connection.executescript(script)
    left = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    for _, table, text in triggers:
        if table in left:
            connection.execute(text)
    connection.commit()
    connection.close()


def rows_of(path: Path, query: str) -> list[tuple[object, ...]]:
    """Read the file past the ledger."""
    connection = sqlite3.connect(path)
    rows = connection.execute(query).fetchall()
    connection.close()
    return rows


def started(script: str, *words: object) -> "subprocess.Popen[str]":
    """Start another process that runs a script; what it says is read from its output."""
    command: Sequence[str] = [sys.executable, "-c", script, *map(str, words)]
    root = Path(__file__).parents[2]
    return subprocess.Popen(
        command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def told(process: "subprocess.Popen[str]", seconds: float = 600) -> list[str]:
    """Wait for a process that must end well, and return the lines it printed."""
    try:
        out, err = process.communicate(timeout=seconds)
    finally:
        process.kill()
    assert process.returncode == 0, err
    return out.splitlines()
