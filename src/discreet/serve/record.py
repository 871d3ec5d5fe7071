"""What a server keeps in a folder of its own: its record, whose key lies beside it.

In the record are tokens, what was asked, and outputs that were handed in. Nothing of it is of the
data: a server has the study files, and no secret but the key of its record. What is asked is
written down before anything is sent. What is drawn of a study file is the same whenever it is asked
for, so that no answer is kept: by what was asked it is made again.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from discreet.errors import InputError, path_in_words
from discreet.records.outputs import TABLES, TABLES_MADE
from discreet.records.store import Schema, Store, stamp
from discreet.secret import key_there
from discreet.serve.tokens import Caller

RECORD = Schema(
    name="record",
    number=101,
    elsewhere="name another one (--state)",
    verify="discreet log --state FOLDER --verify",
    tables=("token", "terms", "revocation", "asked", *TABLES),
    made=(
        """CREATE TABLE IF NOT EXISTS token (
        id INTEGER PRIMARY KEY, at TEXT NOT NULL, study TEXT NOT NULL, name TEXT NOT NULL,
        role TEXT NOT NULL, digest TEXT NOT NULL UNIQUE, expires TEXT NOT NULL,
        UNIQUE (study, name))""",
        # What holds for a token from then on, in place of what it was made with: the last stands.
        """CREATE TABLE IF NOT EXISTS terms (
        id INTEGER PRIMARY KEY, at TEXT NOT NULL, token INTEGER NOT NULL REFERENCES token,
        expires TEXT NOT NULL)""",
        "CREATE INDEX IF NOT EXISTS terms_token ON terms (token)",
        """CREATE TABLE IF NOT EXISTS revocation (
        id INTEGER PRIMARY KEY, at TEXT NOT NULL,
        token INTEGER NOT NULL UNIQUE REFERENCES token)""",
        """CREATE TABLE IF NOT EXISTS asked (
        id INTEGER PRIMARY KEY, at TEXT NOT NULL, caller TEXT NOT NULL, study TEXT NOT NULL,
        version TEXT NOT NULL, what TEXT NOT NULL, request TEXT NOT NULL, view TEXT,
        outcome TEXT NOT NULL)""",
        "CREATE INDEX IF NOT EXISTS asked_caller ON asked (caller, study, what)",
        "CREATE INDEX IF NOT EXISTS asked_view ON asked (view, study, caller)",
        *TABLES_MADE,
    ),
)


def state_folder(folder: Path | None = None) -> Path:
    """Return where a server keeps its record: in a folder that is named, or in the user's own."""
    from platformdirs import user_state_path

    own = Path(os.environ.get("DISCREET_STATE") or user_state_path("discreet")) / "server"
    return own if folder is None else folder


def open_record(folder: Path | None = None) -> Store:
    """Return the record of a server; its key is made on the first call, for its owner alone.

    Raises
    ------
    InputError
        If the folder cannot be read, or the key is readable by others.
    RegisterError
        If there is a record without its key.
    """
    store = Store(state_folder(folder), RECORD)
    _ = store.key  # so that it is there, or is refused, before anything is asked
    return store


def existing_record(folder: Path | None = None) -> Store | None:
    """Return the record of a server where there is one; nothing is made."""
    place = state_folder(folder)
    there = key_there(place / RECORD.key_name) or Store(place, RECORD).place is not None
    return open_record(folder) if there else None


def require_record(folder: Path | None = None) -> Store:
    """Return the record of a server, and refuse a folder that has none."""
    store = existing_record(folder)
    if store is None:
        raise InputError(
            f"there is no server's record in {path_in_words(state_folder(folder))}; name its folder"
            " by --state"
        )
    return store


# --- what is written ------------------------------------------------------------------------------

ANSWERED = "answered"
QUESTION = "question to the data"
"""What a question is called that is put on the list."""
DECIDED = "question decided"
"""What it is called that a custodian agrees to answer a question, or declines."""
DONE = "done"
"""How it ended that something was done that shows nothing of the rows."""
KIND = "kind"
"""In a request of a study of which another is made: which plot or table was looked at."""
BOARD = "board kept"
"""What a board is called that is kept under a name."""


@dataclass(frozen=True)
class LogEntry:
    """What is asked: `what` is a plot's kind, or what else it is ("figure.svg", "study").

    `version` is that of the study file. `request` is canonical JSON of what was validated, and of
    nothing else. `view` is the id of the plot or table that it makes; None where it makes none.
    `parts` are the same as they are written down of each study that the study is made of.
    """

    study: str
    version: str
    what: str
    request: str
    view: str | None
    parts: tuple[LogEntry, ...] = ()


@dataclass(frozen=True)
class Answer:
    """What is sent: an HTTP status, bytes, what they are, and headers."""

    status: int
    body: bytes
    media: str | None = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)


def write_entry(store: Store, caller: Caller, entry: LogEntry, outcome: str) -> int | None:
    """Write down what was asked and what became of it, and return the row's number.

    The `outcome` is "answered", or the code of a refusal. If it cannot be written nothing may be
    sent: a RegisterError.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from discreet.serve.record import LogEntry, log, write_entry
    >>> from discreet.serve.record import open_record
    >>> from discreet.serve.tokens import Caller
    >>> entry = LogEntry("s", "a1", "histogram", "{}", "f0")
    >>> with TemporaryDirectory() as folder:
    ...     store = open_record(Path(folder))
    ...     number = write_entry(store, Caller("token alice", "analyst"), entry, "answered")
    ...     (found,) = log(store)
    >>> number, found["what"], found["outcome"]
    (1, 'histogram', 'answered')
    """
    with store.writing() as connection:
        return _append(store, connection, caller, entry, outcome)


def write_board(store: Store, caller: Caller, entry: LogEntry, most: int) -> bool:
    """Write down that a board is kept, or refused as one more than `most`; say whether it is kept.

    Boards are counted where it is written, so that of two at once one alone is the last.
    """
    board = json.loads(entry.request)
    with store.writing() as connection:
        kept = _boards_in(store, connection, entry.study, caller.name)
        fits = len(kept) < most or not board["state"] or board["name"] in kept
        _append(store, connection, caller, entry, DONE if fits else "request")
    return fits


def _append(
    store: Store, connection: sqlite3.Connection, caller: Caller, entry: LogEntry, outcome: str
) -> int | None:
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
    # Who has a token of the one study need not be who has one of that name of the other.
    other = Caller(f"{caller.name} of {entry.study}", caller.role)
    row = store.append(connection, "asked", values)
    for part in entry.parts:
        _append(store, connection, other, part, outcome)
    return row


def entry_of_view(store: Store, study: str, view: str, caller: str | None) -> LogEntry | None:
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
        store.check(connection, "asked", row[0])
    _, version, what, request = row
    return LogEntry(study, version, what, request, view)


def explored(store: Store, study: str, version: str, what: str, caller: str) -> bool:
    """Tell whether it was written down that a caller explores the rows of a version."""
    query = (
        "SELECT id FROM asked WHERE caller = ? AND study = ? AND what = ? AND version = ?"
        " AND request = ''"
        " AND outcome = ? LIMIT 1"
    )
    with store.reading() as connection:
        row = connection.execute(query, (caller, study, what, version, ANSWERED)).fetchone()
        if row is not None:
            store.check(connection, "asked", row[0])
    return row is not None


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
        f" AND what IN ({', '.join('?' * len(forms))}) AND json_extract(request, '$.view') NOT NULL"
        " GROUP BY what, request, caller ORDER BY min(id)"
    )
    taken: dict[tuple[str, str], list[str]] = {}
    with store.reading() as connection:
        for id_, form, request, caller in connection.execute(
            query, (study, version, ANSWERED, *forms)
        ):
            store.check(connection, "asked", id_)
            taken.setdefault((json.loads(request)["view"], form), []).append(caller)
    return tuple(Download(*it, tuple(callers)) for it, callers in taken.items())


@dataclass(frozen=True)
class Put:
    """A question on the list: what, since when, by whom, and what was decided.

    `said` is "agreed" or "declined", "" while nothing is decided; `reason` is what the custodian
    wrote.
    """

    question: Mapping[str, Any]
    at: str
    callers: tuple[str, ...]
    said: str = ""
    reason: str = ""


def put_questions(store: Store, study: str, version: str) -> dict[str, Put]:
    """Return what the data of a study's version are asked for, by id, oldest first."""
    query = (
        "SELECT id, at, caller, what, request FROM asked WHERE study = ? AND version = ?"
        " AND what IN (?, ?) AND outcome = 'done' ORDER BY id"
    )
    found: dict[str, Put] = {}
    with store.reading() as connection:
        given = (study, version, QUESTION, DECIDED)
        for row, at, caller, what, request in connection.execute(query, given):
            store.check(connection, "asked", row)
            asked = json.loads(request)
            had = found.get(asked["id"])
            if what == DECIDED and had is not None:
                found[asked["id"]] = replace(had, said=asked["said"], reason=asked["text"])
            elif what == QUESTION:
                had = had or Put(asked, at, ())
                by = tuple(dict.fromkeys((*had.callers, str(caller))))
                found[asked["id"]] = replace(had, callers=by)
    return found


def kept_boards(store: Store, study: str, caller: str) -> dict[str, str]:
    """Return the states of a caller's boards by their names, those that were kept last last."""
    with store.reading() as connection:
        return _boards_in(store, connection, study, caller)


def _boards_in(
    store: Store, connection: sqlite3.Connection, study: str, caller: str
) -> dict[str, str]:
    query = (
        "SELECT id, request FROM asked WHERE caller = ? AND study = ? AND what = ?"
        " AND outcome = ? ORDER BY id"
    )
    found: dict[str, str] = {}
    for id_, request in connection.execute(query, (caller, study, BOARD, DONE)):
        store.check(connection, "asked", id_)
        board = json.loads(request)
        found.pop(board["name"], None)
        if board["state"]:
            found[board["name"]] = board["state"]
    return found


# --- what a custodian reads -----------------------------------------------------------------------

KINDS = ("shown", "left", "refused", "unanswered", "other")
"""What an entry can be: shown on the page, left the server, refused, not answered, or neither."""
GIVEN = (ANSWERED, "done")
UNANSWERED = ("busy", "slow", "broken")

# The text of a request is JSON, whose letters beyond ASCII are escaped.
ENTRIES = """
WITH entry AS (
    SELECT chain.id AS id, at, caller, version, what, request, view, outcome,
        CASE WHEN outcome IN (SELECT value FROM json_each(:unanswered)) THEN 'unanswered'
            WHEN outcome NOT IN (SELECT value FROM json_each(:given)) THEN 'refused'
            WHEN what IN (SELECT value FROM json_each(:leaving)) THEN 'left'
            WHEN what IN (SELECT value FROM json_each(:other)) THEN 'other'
            ELSE 'shown' END AS kind
    FROM chain
    JOIN asked ON asked.id = chain.row
    WHERE chain.source = 'asked' AND asked.study = :study
)
"""
FIELDS = ("id", "at", "caller", "version", "what", "request", "view", "outcome", "kind")
SEARCHED = "lower(caller || ' ' || what || ' ' || request || ' ' || kind || ' ' || outcome)"


@dataclass(frozen=True)
class Wanted:
    """Which entries are wanted: all that fit whatever is not None.

    `kind` is one of `KINDS`, `outcome` the code of a refusal; each word of `find` is somewhere in
    the entry, in any case; `since` is the first moment and `until` the first that is too late.
    """

    kind: str | None = None
    caller: str | None = None
    outcome: str | None = None
    find: str = ""
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True)
class Held:
    """What a caller did with a version: from when to when, and how often each thing was given."""

    caller: str
    version: str
    first: str
    last: str
    given: Mapping[str, int]


@dataclass(frozen=True)
class Record:
    """The entries of a study: `leaving` and `other` say what of what is asked is of which kind.

    `leaving` are files and rows that are handed over, `other` what shows nothing of the data.
    """

    store: Store
    study: str
    leaving: Collection[str]
    other: Collection[str]

    def entries(
        self, wanted: Wanted, *, before: int | None = None, most: int | None = None
    ) -> list[dict[str, Any]]:
        """Return the newest `most` entries that are wanted, newest first, or all.

        Those with a smaller number than `before` alone. Of each: id, at, caller, version, what,
        request, view, outcome, kind, and what was asked when the view was made that it is a file
        of (`of`).
        """
        fits = _where(wanted, ("id < :before" if before is not None else "1"))
        query = (
            f"{ENTRIES} SELECT {', '.join(FIELDS)} FROM entry WHERE {fits}"
            " ORDER BY id DESC LIMIT :most"
        )
        ends = {"before": before, "most": -1 if most is None else most}
        with self._rows(query, wanted, ends) as rows:
            entries = [dict(zip(FIELDS, row, strict=True)) for row in rows]
        named = {it["id"]: _view_of(it) for it in entries}
        made = self._made([*{view for view in named.values() if view is not None}])
        return [{**it, "of": made.get(named[it["id"]] or "")} for it in entries]

    def _made(self, views: list[str]) -> dict[str, dict[str, str]]:
        """Return what was asked when some views were made."""
        query = (
            "SELECT view, what, request FROM asked WHERE study = :study"
            " AND view IN (SELECT value FROM json_each(:views)) GROUP BY view"
        )
        given = {"study": self.study, "views": json.dumps(views)}
        with self.store.reading() as connection:
            rows = connection.execute(query, given).fetchall() if views else []
        return {view: {"what": what, "request": request} for view, what, request in rows}

    def counts(self, wanted: Wanted) -> dict[str, int]:
        """Return how many entries of each kind are wanted."""
        query = f"{ENTRIES} SELECT kind, count(*) FROM entry WHERE {_where(wanted)} GROUP BY kind"
        with self._rows(query, wanted) as rows:
            return {**dict.fromkeys(KINDS, 0), **dict(rows)}

    def hours(self, wanted: Wanted) -> list[dict[str, Any]]:
        """Return the counts of each kind of each hour (UTC) that has any, oldest first."""
        query = (
            f"{ENTRIES} SELECT substr(at, 1, 13), kind, count(*) FROM entry"
            f" WHERE {_where(wanted)} GROUP BY 1, 2 ORDER BY 1"
        )
        by_hour: dict[str, dict[str, int]] = {}
        with self._rows(query, wanted) as rows:
            for hour, kind, count in rows:
                by_hour.setdefault(hour, {})[kind] = count
        return [{"at": f"{hour}:00:00+00:00", **counts} for hour, counts in by_hour.items()]

    def held(self) -> list[Held]:
        """Return what each caller did with each version, by caller, the newest version first."""
        query = (
            "SELECT caller, version, what, outcome IN (SELECT value FROM json_each(:given)),"
            " count(*), min(at), max(at), max(id) FROM asked WHERE study = :study"
            " GROUP BY 1, 2, 3, 4 ORDER BY 1, 8 DESC"
        )
        given = {"study": self.study, "given": json.dumps(GIVEN)}
        found: dict[tuple[str, str], Held] = {}
        with self.store.reading() as connection:
            for caller, version, what, was_given, count, first, last, _ in connection.execute(
                query, given
            ):
                had = found.get((caller, version), Held(caller, version, first, last, {}))
                counts = {**had.given, what: count} if was_given else had.given
                ends = min(had.first, first), max(had.last, last)
                found[caller, version] = Held(caller, version, *ends, counts)
        return [*found.values()]

    @contextmanager
    def _rows(
        self, query: str, wanted: Wanted, ends: dict[str, int | None] | None = None
    ) -> Iterator[Iterator[tuple[Any, ...]]]:
        given = {
            "study": self.study,
            "given": json.dumps(GIVEN),
            "unanswered": json.dumps(UNANSWERED),
            "leaving": json.dumps([*self.leaving]),
            "other": json.dumps([*self.other]),
            "kind": wanted.kind,
            "caller": wanted.caller,
            "outcome": wanted.outcome,
            "since": None if wanted.since is None else stamp(wanted.since),
            "until": None if wanted.until is None else stamp(wanted.until),
            **{f"word{i}": word for i, word in enumerate(_words(wanted))},
            **{f"escaped{i}": json.dumps(word)[1:-1] for i, word in enumerate(_words(wanted))},
            **(ends or {}),
        }
        with self.store.reading() as connection:
            yield iter(connection.execute(query, given))


def _view_of(entry: dict[str, Any]) -> str | None:
    """Return the view that an entry is about by its request, where it did not ask for one."""
    request = json.loads(entry["request"] or "{}")
    return None if entry["view"] is not None else request.get("view")


def _where(wanted: Wanted, also: str = "1") -> str:
    """Return the condition of what is wanted; its values are parameters."""
    fits = [also]
    said = [it for it in ("kind", "caller", "outcome") if getattr(wanted, it) is not None]
    fits += [f"{name} = :{name}" for name in said]
    fits += ["at >= :since"] if wanted.since is not None else []
    fits += ["at < :until"] if wanted.until is not None else []
    for i, _ in enumerate(_words(wanted)):
        # As it is, and as JSON writes it.
        fits.append(f"(instr({SEARCHED}, :word{i}) OR instr({SEARCHED}, :escaped{i}))")
    return " AND ".join(fits)


def _words(wanted: Wanted) -> list[str]:
    return wanted.find.lower().split()
