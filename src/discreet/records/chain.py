"""The chain that seals the rows of a file of records, and what tables such a file has."""

from __future__ import annotations

import hashlib
import hmac
import json
import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any


def stamp(now: datetime | None = None) -> str:
    """Return a time, or the present, as text that sorts as times do: UTC, with milliseconds."""
    at = datetime.now(UTC) if now is None else now.astimezone(UTC)
    return at.isoformat(timespec="milliseconds")


FIRST = "0" * 64
"""What stands for the seal before the first."""


def link(
    connection: sqlite3.Connection, tables: Collection[str], key: bytes, table: str, row: int
) -> None:
    """Add the link of a row that was just written to the end of the chain."""
    last = connection.execute("SELECT id, seal FROM chain ORDER BY id DESC LIMIT 1").fetchone()
    number, previous = last or (0, FIRST)
    values = row_of(connection, tables, table, row)
    if values is None:
        raise ValueError("a row that is not there has no link")
    connection.execute(
        "INSERT INTO chain (id, source, row, seal) VALUES (?, ?, ?, ?)",
        (number + 1, table, row, seal_of(key, previous, table, row, values)),
    )


def row_of(
    connection: sqlite3.Connection, tables: Collection[str], table: str, row: int
) -> dict[str, Any] | None:
    """Return a row of one of some tables as it is kept, by column; None where there is none.

    As it is kept, not as it was given: SQLite may keep a number as text.
    """
    if table not in tables:
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


@dataclass(frozen=True)
class Schema:
    """What is in a file of records: its tables, and the statements that make them.

    Parameters
    ----------
    name : str
        What it is called in messages, and its file: "register" is register.sqlite.
    number : int
        What `PRAGMA user_version` says, so that no other file is taken for one; 0 is a new one's.
    elsewhere : str
        What to do where its folder cannot be written.
    verify : str
        The command that checks it.
    again : str
        What begins another where it is lost; empty where nothing has to.
    tables : tuple of str
        The tables whose rows have a link each in the table `chain`.
    made : tuple of str
        What makes them, and their indexes.
    """

    name: str
    number: int
    elsewhere: str
    verify: str
    tables: tuple[str, ...]
    made: tuple[str, ...]
    again: str = ""

    @property
    def file_name(self) -> str:
        """What the file is called."""
        return f"{self.name}.sqlite"

    @property
    def key_name(self) -> str:
        """What the file of the key is called that the rows are sealed with."""
        return f"{self.name}.key"


CHAIN = """CREATE TABLE IF NOT EXISTS chain (
    id INTEGER PRIMARY KEY, source TEXT NOT NULL, row INTEGER NOT NULL, seal TEXT NOT NULL,
    UNIQUE (source, row))"""


def _triggers(*tables: str) -> tuple[str, ...]:
    return tuple(
        f"CREATE TRIGGER IF NOT EXISTS {table}_no_{verb.lower()} BEFORE {verb} ON {table}"
        " BEGIN SELECT RAISE(ABORT, 'a record is append-only'); END"
        for table in tables
        for verb in ("UPDATE", "DELETE")
    )


def create(connection: sqlite3.Connection, schema: Schema) -> None:
    """Make the tables, indexes and triggers that are not there, in the caller's transaction."""
    for statement in (CHAIN, *schema.made, *_triggers(*schema.tables, "chain")):
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {schema.number}")


def objects_of(connection: sqlite3.Connection) -> dict[str, str]:
    """Return the text of every table, index and trigger by its kind and name: "table asked"."""
    rows = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()
    return {
        f"{kind} {name}": " ".join(f"{table} {text}".split()) for kind, name, table, text in rows
    }
