"""What the file of the register has in it."""

from __future__ import annotations

from discreet.records.chain import Schema
from discreet.records.outputs import TABLES, TABLES_MADE

REGISTER = Schema(
    name="register",
    number=9,
    elsewhere="put the policy beside one that is",
    verify="discreet log --verify",
    again="`discreet register begin --lost REASON` (with --policy FILE, if it lies beside one)"
    " begins another, which knows nothing of what left before",
    tables=(
        *("beginning", "version", "choice", "sketch", "leaving", "withdrawal"),
        *("provenance", "lines", *TABLES),
    ),
    made=(
        """CREATE TABLE IF NOT EXISTS beginning (
        id INTEGER PRIMARY KEY, at TEXT NOT NULL, reason TEXT NOT NULL)""",
        # `secret` is a keyed fingerprint of the one that its copy is made with.
        """CREATE TABLE IF NOT EXISTS version (
        id INTEGER PRIMARY KEY, study TEXT NOT NULL, number INTEGER NOT NULL,
        settings TEXT NOT NULL, secret TEXT NOT NULL, opened TEXT NOT NULL)""",
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
        "CREATE INDEX IF NOT EXISTS leaving_version ON leaving (version)",
        # That nothing of a version was given away, by the custodian's word.
        """CREATE TABLE IF NOT EXISTS withdrawal (
        id INTEGER PRIMARY KEY, version INTEGER NOT NULL UNIQUE REFERENCES version,
        at TEXT NOT NULL, reason TEXT NOT NULL)""",
        """CREATE TABLE IF NOT EXISTS provenance (
        id INTEGER PRIMARY KEY, leaving INTEGER NOT NULL REFERENCES leaving, digest TEXT NOT NULL,
        checksum TEXT NOT NULL, told TEXT NOT NULL)""",
        "CREATE INDEX IF NOT EXISTS provenance_digest ON provenance (digest)",
        "CREATE INDEX IF NOT EXISTS provenance_checksum ON provenance (checksum)",
        """CREATE TABLE IF NOT EXISTS lines (
        id INTEGER PRIMARY KEY, provenance INTEGER NOT NULL REFERENCES provenance,
        rows INTEGER NOT NULL, digests BLOB NOT NULL)""",
        *TABLES_MADE,
    ),
)
