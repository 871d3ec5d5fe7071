"""The tables of the ledger's file, and the chain that seals their rows."""

from __future__ import annotations

import hashlib
import hmac
import json
import sqlite3
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

__all__ = [
    "FIRST",
    "SCHEMA",
    "TABLES",
    "create",
    "link",
    "objects_of",
    "row_of",
    "seal_of",
    "stamp",
]


def stamp(now: datetime | None = None) -> str:
    """Return a time, or the present, as text that sorts as times do: UTC, with milliseconds."""
    at = datetime.now(UTC) if now is None else now.astimezone(UTC)
    return at.isoformat(timespec="milliseconds")


FIRST = "0" * 64
"""What stands for the seal before the first."""


def link(connection: sqlite3.Connection, key: bytes, table: str, row: int) -> None:
    """Add the link of a row that was just written to the end of the chain."""
    last = connection.execute("SELECT id, seal FROM chain ORDER BY id DESC LIMIT 1").fetchone()
    number, previous = last or (0, FIRST)
    values = row_of(connection, table, row)
    if values is None:
        raise ValueError("a row that is not there has no link")
    connection.execute(
        "INSERT INTO chain (id, source, row, seal) VALUES (?, ?, ?, ?)",
        (number + 1, table, row, seal_of(key, previous, table, row, values)),
    )


def row_of(connection: sqlite3.Connection, table: str, row: int) -> dict[str, Any] | None:
    """Return a row as it is kept, by column; None where there is none.

    As it is kept, not as it was given: SQLite may keep a number as text.
    """
    if table not in TABLES:
        return None
    cursor = connection.execute(f"SELECT * FROM {table} WHERE rowid = ?", (row,))
    names = [column[0] for column in cursor.description]
    values = cursor.fetchone()
    return None if values is None else dict(zip(names, values, strict=True))


def seal_of(key: bytes, previous: str, table: str, row: int, values: Mapping[str, Any]) -> str:
    """Return the seal of a row that follows the row of another seal, in hexadecimal digits."""
    # An object is no text, so that a digest never stands for a text that reads like it.
    plain = {
        name: {"sha256": hashlib.sha256(value).hexdigest()} if isinstance(value, bytes) else value
        for name, value in values.items()
    }
    text = json.dumps([table, row, plain], sort_keys=True, separators=(",", ":"))
    return hmac.new(key, f"{previous}\n{text}".encode(), hashlib.sha256).hexdigest()


SCHEMA = 7
"""What `PRAGMA user_version` says; 0 where a ledger is new."""

TABLES = (
    "version",
    "choice",
    "sketch",
    "leaving",
    "token",
    "revocation",
    "asked",
    "outcome",
    "answer",
    "terms",
    "provenance",
    "output",
    "review",
    "decision",
    "lines",
)
"""The tables whose rows have a link each in the table `chain`."""

MADE = (
    """CREATE TABLE IF NOT EXISTS version (
    id INTEGER PRIMARY KEY, study TEXT NOT NULL, number INTEGER NOT NULL,
    settings TEXT NOT NULL, opened TEXT NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS choice (
    version INTEGER NOT NULL REFERENCES version, what TEXT NOT NULL, value TEXT NOT NULL,
    UNIQUE (version, what))""",
    """CREATE TABLE IF NOT EXISTS sketch (
    version INTEGER NOT NULL REFERENCES version, what TEXT NOT NULL, mark TEXT NOT NULL,
    buckets BLOB NOT NULL, UNIQUE (version, what))""",
    """CREATE TABLE IF NOT EXISTS leaving (
    id INTEGER PRIMARY KEY, version INTEGER NOT NULL REFERENCES version, at TEXT NOT NULL,
    kind TEXT NOT NULL, columns TEXT NOT NULL, method TEXT NOT NULL, form TEXT NOT NULL)""",
    "CREATE INDEX IF NOT EXISTS sketch_mark ON sketch (mark)",
    """CREATE TABLE IF NOT EXISTS token (
    id INTEGER PRIMARY KEY, at TEXT NOT NULL, study TEXT NOT NULL, name TEXT NOT NULL,
    role TEXT NOT NULL, digest TEXT NOT NULL UNIQUE, expires TEXT NOT NULL,
    UNIQUE (study, name))""",
    """CREATE TABLE IF NOT EXISTS revocation (
    id INTEGER PRIMARY KEY, at TEXT NOT NULL, token INTEGER NOT NULL UNIQUE REFERENCES token)""",
    """CREATE TABLE IF NOT EXISTS asked (
    id INTEGER PRIMARY KEY, at TEXT NOT NULL, caller TEXT NOT NULL, study TEXT NOT NULL,
    version INTEGER NOT NULL, what TEXT NOT NULL, request TEXT NOT NULL, view TEXT,
    outcome TEXT NOT NULL)""",
    "CREATE INDEX IF NOT EXISTS asked_when ON asked (caller, study, at, outcome)",
    "CREATE INDEX IF NOT EXISTS asked_view ON asked (caller, study, version, view)",
    """CREATE TABLE IF NOT EXISTS outcome (
    id INTEGER PRIMARY KEY, at TEXT NOT NULL, asked INTEGER NOT NULL UNIQUE REFERENCES asked,
    code TEXT NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS answer (
    id INTEGER PRIMARY KEY, at TEXT NOT NULL, study TEXT NOT NULL, version INTEGER NOT NULL,
    view TEXT NOT NULL, status INTEGER NOT NULL, body BLOB NOT NULL,
    UNIQUE (study, version, view))""",
    """CREATE TABLE IF NOT EXISTS chain (
    id INTEGER PRIMARY KEY, source TEXT NOT NULL, row INTEGER NOT NULL, seal TEXT NOT NULL,
    UNIQUE (source, row))""",
    # What holds for a token from then on, in place of what it was made with: the last row stands.
    """CREATE TABLE IF NOT EXISTS terms (
    id INTEGER PRIMARY KEY, at TEXT NOT NULL, token INTEGER NOT NULL REFERENCES token,
    expires TEXT NOT NULL)""",
    "CREATE INDEX IF NOT EXISTS terms_token ON terms (token)",
    # What the files of a release carry, each as one line of JSON (`discreet.provenance`).
    """CREATE TABLE IF NOT EXISTS provenance (
    id INTEGER PRIMARY KEY, leaving INTEGER NOT NULL REFERENCES leaving, digest TEXT NOT NULL,
    checksum TEXT NOT NULL, told TEXT NOT NULL)""",
    "CREATE INDEX IF NOT EXISTS provenance_digest ON provenance (digest)",
    "CREATE INDEX IF NOT EXISTS provenance_checksum ON provenance (checksum)",
    # A file that was handed to an output checker, and what was said of it. A file that is changed
    # is another one, so that what was decided of one never holds for the other.
    """CREATE TABLE IF NOT EXISTS output (
    id INTEGER PRIMARY KEY, at TEXT NOT NULL, study TEXT NOT NULL, version INTEGER NOT NULL,
    name TEXT NOT NULL, digest TEXT NOT NULL, record TEXT NOT NULL, body BLOB,
    UNIQUE (study, name, digest))""",
    """CREATE TABLE IF NOT EXISTS review (
    id INTEGER PRIMARY KEY, at TEXT NOT NULL, output INTEGER NOT NULL REFERENCES output,
    what TEXT NOT NULL, text TEXT NOT NULL, caller TEXT NOT NULL)""",
    "CREATE INDEX IF NOT EXISTS review_output ON review (output)",
    # The policy (a digest) and the study version that were in force when an output was decided.
    """CREATE TABLE IF NOT EXISTS decision (
    id INTEGER PRIMARY KEY, review INTEGER NOT NULL UNIQUE REFERENCES review,
    policy TEXT NOT NULL, version INTEGER NOT NULL)""",
    # By what a released table of text is recognised, though it was changed (`discreet.lines`).
    """CREATE TABLE IF NOT EXISTS lines (
    id INTEGER PRIMARY KEY, provenance INTEGER NOT NULL REFERENCES provenance,
    rows INTEGER NOT NULL, digests BLOB NOT NULL)""",
)


def _triggers(*tables: str) -> tuple[str, ...]:
    return tuple(
        f"CREATE TRIGGER IF NOT EXISTS {table}_no_{verb.lower()} BEFORE {verb} ON {table}"
        " BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END"
        for table in tables
        for verb in ("UPDATE", "DELETE")
    )


def create(connection: sqlite3.Connection) -> None:
    """Make the tables, indexes and triggers that are not there, in the caller's transaction."""
    for statement in (*MADE, *_triggers(*TABLES, "chain")):
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {SCHEMA}")


def objects_of(connection: sqlite3.Connection) -> dict[str, str]:
    """Return the text of every table, index and trigger by its kind and name: "table asked"."""
    rows = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()
    return {
        f"{kind} {name}": " ".join(f"{table} {text}".split()) for kind, name, table, text in rows
    }
