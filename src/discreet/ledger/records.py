"""Versions as the ledger's tables hold them: read, and written by the store alone."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from discreet.leaving import FORMAT_OF_ROWS, Version, format_of
from discreet.ledger.store import Store, stamp
from discreet.secret import WORD
from discreet.sketch import BUCKETS, Sketch

__all__ = [
    "all_versions",
    "choices_of",
    "holding",
    "insert",
    "latest",
    "oldest_format",
    "remember",
    "sketches_of",
    "versions_of",
]


def latest(connection: sqlite3.Connection, study: str) -> Version | None:
    """Return the latest version of a study, where there is one."""
    row = connection.execute(
        "SELECT id, study, number, settings FROM version WHERE study = ? ORDER BY number DESC",
        (study,),
    ).fetchone()
    return None if row is None else Version(row[0], row[1], row[2], json.loads(row[3]))


def versions_of(connection: sqlite3.Connection, study: str) -> list[Version]:
    """Return all versions of a study."""
    return [version for version in all_versions(connection) if version.study == study]


def all_versions(connection: sqlite3.Connection) -> list[Version]:
    """Return the versions of all studies, oldest first."""
    rows = connection.execute("SELECT id, study, number, settings FROM version ORDER BY id")
    return [Version(row[0], row[1], row[2], json.loads(row[3])) for row in rows.fetchall()]


def holding(connection: sqlite3.Connection, sketch: Sketch) -> dict[int, Version]:
    """Return the versions that hold what is sketched, by their ids."""
    rows = connection.execute(
        "SELECT version.id, study, number, settings FROM sketch"
        " JOIN version ON version.id = sketch.version WHERE mark = ?",
        (sketch.mark,),
    )
    return {row[0]: Version(row[0], row[1], row[2], json.loads(row[3])) for row in rows}


def choices_of(connection: sqlite3.Connection, version: Version) -> dict[str, str]:
    """Return what was chosen for a version."""
    rows = connection.execute("SELECT what, value FROM choice WHERE version = ?", (version.id,))
    return dict(rows.fetchall())


def oldest_format(connection: sqlite3.Connection, versions: Sequence[Version]) -> int | None:
    """Return the oldest format that rows of some versions are keyed in; None if there is none."""
    return min((format_of(choices_of(connection, version)) for version in versions), default=None)


def sketches_of(connection: sqlite3.Connection, version: Version) -> dict[str, Sketch]:
    """Return by what a version is recognised."""
    rows: Sequence[tuple[str, str, bytes]] = connection.execute(
        "SELECT what, mark, buckets FROM sketch WHERE version = ?", (version.id,)
    ).fetchall()
    return {what: _sketch(mark, packed) for what, mark, packed in rows}


def _sketch(mark: str, packed: bytes) -> Sketch:
    """Read a sketch: its buckets, and after them the smallest digests, where it has any."""
    held = zlib.decompress(packed)
    ends = BUCKETS * WORD.itemsize
    return Sketch(
        mark, np.frombuffer(held[:ends], dtype=np.int64), np.frombuffer(held[ends:], dtype=WORD)
    )


def insert(
    store: Store,
    connection: sqlite3.Connection,
    study: str,
    number: int,
    settings: Mapping[str, Any],
    format: int,
) -> Version:
    """Record a version, and how the rows of its copies are keyed."""
    kept = json.dumps(settings, sort_keys=True)
    values = {"study": study, "number": number, "settings": kept, "opened": stamp()}
    id_ = store.append(connection, "version", values) or 0
    chosen = {"version": id_, "what": FORMAT_OF_ROWS, "value": str(format)}
    store.append(connection, "choice", chosen)
    return Version(id_, study, number, settings)


def remember(
    store: Store,
    connection: sqlite3.Connection,
    version: Version,
    choices: Mapping[str, str],
    sketches: Mapping[str, Sketch],
) -> None:
    """Record what was chosen for a version and by what it is recognised, as far as it is new."""
    for what, value in choices.items():
        of = {"version": version.id, "what": what}
        store.append(connection, "choice", {**of, "value": value}, unless_there=True)
    for what, sketch in sketches.items():
        of = {"version": version.id, "what": what, "mark": sketch.mark}
        packed = zlib.compress(sketch.buckets.tobytes() + sketch.smallest.tobytes())
        store.append(connection, "sketch", {**of, "buckets": packed}, unless_there=True)
