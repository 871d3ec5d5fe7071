"""What was asked on the web, by whom, and what became of it: written before anything is sent.

What is drawn of a study file is the same whenever it is asked for, so that no answer is kept: what
was asked is, and by that it is made again.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from discreet.records.store import Store, stamp
from discreet.serve.tokens import Caller

ANSWERED = "answered"


@dataclass(frozen=True)
class LogEntry:
    """What is asked: `what` is a plot's kind, or what else it is ("figure.svg", "study").

    `version` is that of the study file. `request` is canonical JSON of what was validated, and of
    nothing else. `view` is the id of the plot or table that it makes; None where it makes none.
    """

    study: str
    version: str
    what: str
    request: str
    view: str | None


@dataclass(frozen=True)
class Answer:
    """What is sent: an HTTP status, and bytes."""

    status: int
    body: bytes


def write_entry(store: Store, caller: Caller, entry: LogEntry, outcome: str) -> int | None:
    """Write down what was asked and what became of it, and return the row's number.

    The `outcome` is "answered", or the code of a refusal. If it cannot be written nothing may be
    sent: a RegisterError.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from discreet.serve.log import LogEntry, log, write_entry
    >>> from discreet.serve.state import opened_record
    >>> from discreet.serve.tokens import Caller
    >>> entry = LogEntry("s", "a1", "histogram", "{}", "f0")
    >>> with TemporaryDirectory() as folder:
    ...     store = opened_record(Path(folder))
    ...     number = write_entry(store, Caller("token alice", "analyst"), entry, "answered")
    ...     (found,) = log(store)
    >>> number, found["what"], found["outcome"]
    (1, 'histogram', 'answered')
    """
    with store.writing() as connection:
        values = {
            "at": stamp(),  # within, so that later rows are never of an earlier time
            "caller": caller.name,
            "study": entry.study,
            "version": entry.version,
            "what": entry.what,
            "request": entry.request,
            "view": entry.view,
            "outcome": outcome,
        }
        return store.append(connection, "asked", values)


def asked_before(store: Store, study: str, view: str, caller: str | None) -> LogEntry | None:
    """Return what was asked for a plot or table that was answered, by its id.

    The `caller` has to have asked for it; with None, whoever did. None is returned where nobody
    did, or not this caller: which of them is not told.
    """
    query = (
        "SELECT id, version, what, request FROM asked WHERE view = :view AND study = :study"
        " AND outcome = :answered AND (:caller IS NULL OR caller = :caller) ORDER BY id LIMIT 1"
    )
    given = {"view": view, "study": study, "answered": ANSWERED, "caller": caller}
    with store.reading() as connection:
        row = connection.execute(query, given).fetchone()
        if row is None:
            return None
        check_row(store, connection, row[0])
    _, version, what, request = row
    return LogEntry(study, version, what, request, view)


def explored(store: Store, study: str, version: str, what: str, caller: str) -> bool:
    """Tell whether it was written down that a caller explores the rows of a version."""
    query = (
        "SELECT id FROM asked WHERE caller = ? AND study = ? AND what = ? AND version = ?"
        " AND outcome = ? LIMIT 1"
    )
    with store.reading() as connection:
        found = connection.execute(query, (caller, study, what, version, ANSWERED)).fetchone()
        if found is not None:
            check_row(store, connection, found[0])
    return found is not None


def callers(store: Store, study: str) -> tuple[str, ...]:
    """Return the names of all who have asked for anything of a study, by name.

    Each is found by a step in the index, however often they asked.
    """
    with store.reading() as connection:
        rows = connection.execute(
            "WITH RECURSIVE found (caller) AS ("
            "SELECT min(caller) FROM asked"
            " UNION ALL SELECT (SELECT min(caller) FROM asked WHERE caller > found.caller)"
            " FROM found WHERE found.caller IS NOT NULL)"
            " SELECT caller FROM found WHERE EXISTS"
            " (SELECT 1 FROM asked WHERE asked.caller = found.caller AND study = ?)",
            (study,),
        )
        return tuple(name for (name,) in rows)


def log(store: Store, *, study: str | None = None, most: int | None = None) -> list[dict[str, Any]]:
    """Return what was asked: id, at, caller, study, version, what, request, view and outcome.

    Of one study, or of any; the newest `most`, newest first, or all, oldest first.
    """
    names = ("id", "at", "caller", "study", "version", "what", "request", "view", "outcome")
    query = (
        f"SELECT {', '.join(names)} FROM asked WHERE :study IS NULL OR study = :study"
        f" ORDER BY id {'ASC' if most is None else 'DESC'} LIMIT :most"
    )
    given = {"study": study, "most": -1 if most is None else max(most, 0)}
    with store.reading() as connection:
        rows = connection.execute(query, given).fetchall()
    return [dict(zip(names, row, strict=True)) for row in rows]


@dataclass(frozen=True)
class Download:
    """A file that was taken from a server: of which plot or table, in which form, and by whom.

    `view` is the id of the plot or table, `form` what the log says: "figure.svg".
    """

    view: str
    form: str
    callers: tuple[str, ...]


def downloads(
    store: Store, study: str, version: str, forms: Collection[str]
) -> tuple[Download, ...]:
    """Return what was taken as a file of a study's version, each once, oldest first."""
    query = (
        "SELECT min(id), what, request, caller FROM asked"
        " WHERE study = ? AND version = ? AND outcome = ?"
        f" AND what IN ({', '.join('?' * len(forms))})"
        " GROUP BY what, request, caller ORDER BY min(id)"
    )
    taken: dict[tuple[str, str], list[str]] = {}
    with store.reading() as connection:
        for id_, form, request, caller in connection.execute(
            query, (study, version, ANSWERED, *forms)
        ):
            check_row(store, connection, id_)
            taken.setdefault((json.loads(request)["view"], form), []).append(caller)
    return tuple(Download(*it, tuple(callers)) for it, callers in taken.items())


def check_row(store: Store, connection: sqlite3.Connection, row: int) -> None:
    """Raise for an entry that was changed, or written without the key of the record."""
    if not store.holds(connection, "asked", row):
        raise ValueError("an entry of the log was changed")  # as other damage of the file
