"""A register and a server's record, and what somebody does to such a file behind its back."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from discreet.lines import Lines
from discreet.provenance import Provenance
from discreet.records.outputs import InForce, hand_in_bytes, review
from discreet.records.store import Store, stamp
from discreet.register.register import REGISTER, Register
from discreet.register.rules import ReleaseRecord
from discreet.secret import Secret
from discreet.serve.record import ANSWERED, RECORD, LogEntry, write_entry
from discreet.serve.tokens import Caller, add_token, change_token, revoke_token
from discreet.sketch import sketch_of

SECRET = Secret.from_bytes(bytes(range(32)))
ANOTHER = Secret.from_bytes(bytes(range(32, 64)))
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
NOW = InForce("p", "1")
ALICE, BOB = Caller("token alice", "analyst"), Caller("token bob", "analyst")


def register_file(folder: Path, secret: Secret = SECRET) -> Store:
    """Return the file of a register in a folder, which is not made yet, nor a key."""
    store = Store(folder, REGISTER)
    store.key = secret
    return store


def register_in(folder: Path, secret: Secret = SECRET, key: Secret = SECRET) -> Register:
    """Return a register in a folder by some secret, whose key is always the same."""
    register = Register(folder, secret, folder)
    register.store.key = key
    return register


def record_file(folder: Path, secret: Secret = SECRET) -> Store:
    """Return the file of a server's record in a folder, which is not made yet, nor a key."""
    store = Store(folder, RECORD)
    store.key = secret
    return store


def question(number: int = 1, *, study: str = "s", version: str = "a1") -> LogEntry:
    """Ask for the histogram that has a number."""
    request = json.dumps({"columns": ["age"], "bins": number})
    return LogEntry(study, version, "histogram", request, f"{number:032x}")


def asked(store: Store, number: int = 1, caller: Caller = ALICE) -> int | None:
    """Write down in a record that the histogram of a number was asked for."""
    return write_entry(store, caller, question(number), ANSWERED)


def handed_in(store: Store, name: str = "age.svg") -> None:
    """Hand in an output and approve it, which a register and a record both take."""
    record = {"status": "pass", "says": []}
    output = hand_in_bytes(store, "s", NOW, name, b"drawn", record)
    review(store, "s", output.id, "approved", "", NOW)


def filled_register(folder: Path) -> Store:
    """Make a register with a row or more in every table."""
    marks = SECRET.marks([str(n % 7) for n in range(60)])
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
    register = register_in(folder)
    with register.store.writing() as connection:
        register.store.append(connection, "beginning", {"at": stamp(NOON), "reason": "a new disk"})
    register.release([replace(leaving, study="tried", sketches={})], lambda: {})
    register.withdraw("tried", "nothing was given away")
    register.release([leaving], lambda: {})
    asked_for = {"who": "ana", "question": "{}", "outcome": "answered"}
    register.record_answers("t", "copy", "{}", [asked_for], 0)
    handed_in(register.store)
    return register.store


def filled_record(folder: Path) -> Store:
    """Make a server's record with a row or more in every table."""
    store = record_file(folder)
    for name in ("alice", "bob"):
        add_token(store, "s", name)
        change_token(store, "s", name, days=7)
    revoke_token(store, "s", "bob")
    for number in (1, 2, 3, 4):
        asked(store, number)
    handed_in(store)
    return store


def row_at(at: str) -> dict[str, object]:
    """Return a row of a small table of a register that says a time."""
    return {"study": "x", "number": 1, "settings": "{}", "secret": "", "opened": at}


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
    """Run a script on the file behind its back, and put its triggers back after it."""
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
    """Read the file past what keeps it."""
    connection = sqlite3.connect(path)
    rows = connection.execute(query).fetchall()
    connection.close()
    return rows


def started(script: str, *words: object) -> "subprocess.Popen[str]":
    """Start another process that runs a script; what it says is read from its output."""
    command: Sequence[str] = [sys.executable, "-c", script, *map(str, words)]
    root = Path(__file__).parents[2]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=root, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def told(process: "subprocess.Popen[str]", seconds: float = 600) -> list[str]:
    """Wait for a process that must end well, and return the lines it printed."""
    try:
        out, err = process.communicate(timeout=seconds)
    finally:
        process.kill()
    assert process.returncode == 0, err
    return out.splitlines()
