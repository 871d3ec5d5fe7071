"""The tables of the ledger, all of them append-only."""

from __future__ import annotations

import sqlite3

__all__ = ["OLD_TABLES", "SCHEMA", "TABLES", "create", "objects_of"]

SCHEMA = 1
"""What `PRAGMA user_version` says; 0 where a ledger is new, or older than the chain."""

OLD_TABLES = ("version", "choice", "sketch", "leaving")
"""Those of a ledger from before the chain."""

TABLES = (
    *OLD_TABLES,
    "adoption",
    "token",
    "revocation",
    "asked",
    "outcome",
    "answer",
)
"""The tables whose rows have a link each in the table `chain`."""

# The first four and the index after them stand in ledgers from before the chain, so that their
# text stays as it is.
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
    """CREATE TABLE IF NOT EXISTS adoption (
    id INTEGER PRIMARY KEY, at TEXT NOT NULL)""",
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
)
TRIGGERS = tuple(
    f"CREATE TRIGGER IF NOT EXISTS {table}_no_{verb.lower()} BEFORE {verb} ON {table}"
    " BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END"
    for table in (*TABLES, "chain")
    for verb in ("UPDATE", "DELETE")
)


def create(connection: sqlite3.Connection) -> None:
    """Make the tables, indexes and triggers that are not there, in the caller's transaction."""
    for statement in (*MADE, *TRIGGERS):
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {SCHEMA}")


def objects_of(connection: sqlite3.Connection) -> dict[str, str]:
    """Return the text of every table, index and trigger by its kind and name: "table asked"."""
    rows = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()
    return {
        f"{kind} {name}": " ".join(f"{table} {text}".split()) for kind, name, table, text in rows
    }
