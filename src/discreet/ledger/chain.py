"""The chain: every row of the ledger has a link, sealed with the custodian's secret."""

from __future__ import annotations

import hashlib
import hmac
import json
import sqlite3
from collections.abc import Mapping
from typing import Any

from discreet.ledger.schema import TABLES

__all__ = ["FIRST", "link", "row_of", "seal_of"]

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
    plain = {name: _plain(value) for name, value in values.items()}
    text = json.dumps([table, row, plain], sort_keys=True, separators=(",", ":"))
    return hmac.new(key, f"{previous}\n{text}".encode(), hashlib.sha256).hexdigest()


def _plain(value: Any) -> Any:
    # An object is no text, so that a digest never stands for a text that reads like it.
    return {"sha256": hashlib.sha256(value).hexdigest()} if isinstance(value, bytes) else value
