"""A file of records: one SQLite file, append-only, whose rows are chained by a key of its own.

The key lies beside the file: drawn once, before the file is made, and for its owner alone. It
belongs to the file as the file to it, and without it nothing more is written.

SQLite alone opens the file. POSIX drops all locks of a process on a file when any of its
descriptors of it is closed; without its locks other programs take the file for one that nobody
uses, and remove what is written ahead.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import os
import re
import sqlite3
import threading
import time
import weakref
import zlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

from discreet.errors import DiscreetError, InputError, RegisterError
from discreet.places import is_there
from discreet.progress import advance
from discreet.secret import Secret, key_there, secret_at
from discreet.unfinished import being_written, delete_unfinished, partial_file


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

    By its name it is called in messages, and its file: "register" is register.sqlite. `PRAGMA
    user_version` has its number, so that no other file is taken for one; 0 is a new one's.
    `elsewhere` says what to do where its folder cannot be written, `again` what begins another
    where it is lost. Each row of its tables has a link in the table `chain`.
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


# --- the file -------------------------------------------------------------------------------------


WAIT_SECONDS = 30.0
PAUSE_SECONDS = 0.01
SETTINGS = (
    "foreign_keys = ON",
    "recursive_triggers = ON",  # or INSERT OR REPLACE would delete past them
    "synchronous = FULL",
    "wal_autocheckpoint = 0",  # see `_tidy`
)
MOST_AHEAD = 4 * 2**20
TIDY_SECONDS = 10.0
TIDY_WAIT_SECONDS = 1.0
UNWRITABLE = (
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_READONLY_DBMOVED,
    sqlite3.SQLITE_READONLY_DIRECTORY,
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_FSYNC,
    sqlite3.SQLITE_IOERR_SHMSIZE,
)
"""The codes of SQLite for a disk that is full, over its quota or may not be written."""

Place = tuple[int, int]
"""A file's device and number."""

ROWS_A_STEP = 1000

TEXT_OF_MARK = (
    "discreet began a {} of released files. While this file is here, nothing is released without\n"
    "that {}. Fingerprint of its key:"
)

LOG = logging.getLogger("discreet.records")


class Store:
    """A file of records in a folder, made with owner-only rights at the first writing.

    Many threads and processes may use one file at once. A connection is opened for each
    transaction and closed after it, unless within `kept_open`. Rows are sealed with a key, so that
    who can write the file but does not know the key cannot repair the chain after a change.

    `mark` is a file elsewhere that says of which key a file was begun, written once a first row is:
    while it is there, a file that is gone is not begun anew (`lost`).
    """

    def __init__(self, folder: Path, schema: Schema, mark: Path | None = None) -> None:
        self.path, self.schema, self.mark = folder / schema.file_name, schema, mark
        self._users, self._lent, self._forked, self._tidied = 0, 0, False, -TIDY_SECONDS
        self._idle: list[sqlite3.Connection] = []
        self._anchor: sqlite3.Connection | None = None
        # Files that must stay what they are; never changed, for others may read it meanwhile.
        self._known: Mapping[str, Place | None] = {}
        self._lost = False
        # Threads of one process queue here: SQLite's own waiting sleeps longer and longer.
        self._writer, self._lending = threading.Lock(), threading.Lock()
        _all.add(self)

    def __str__(self) -> str:
        return f"the {self.schema.name} {str(self.path)!r}"

    @cached_property
    def key(self) -> Secret:
        """The key that belongs to the file, drawn at the first call where there is no file yet.

        A RegisterError is raised where the file is there without it, or is lost.
        """
        self.check_begun()
        begun = self._is_there()  # asked first: the key is there before the file is
        path = self.path.with_name(self.schema.key_name)
        if begun and not key_there(path):
            raise RegisterError(
                f"{self} is there, but not its key, the file {self.schema.key_name} beside it, so"
                " nothing can be released; restore the key from a backup"
                + self._without_backup("move the file elsewhere, and then ")
            )
        return secret_at(path)

    @property
    def _seal(self) -> bytes:
        return self.key.digest("chain")

    def check_begun(self) -> None:
        """Refuse a file that was begun and is gone, without opening anything."""
        if self._marked is not None and not self._is_there():
            raise self.lost()

    def lost(self) -> RegisterError:
        """Return what is raised where a file was begun and is gone, or another is in its place."""
        return RegisterError(
            f"{self} is gone, or another is in its place, though one was begun (the file"
            f" {str(self.mark)!r} says so), so nothing can be released; restore it and"
            f" {self.schema.key_name} beside it from a backup" + self._without_backup()
        )

    def _without_backup(self, first: str = "") -> str:
        return f". Without one, {first}{self.schema.again}" if self.schema.again else ""

    @property
    def _marked(self) -> str | None:
        """What the mark says; None where there is none."""
        if self.mark is None:
            return None
        try:
            return self.mark.read_text(encoding="ascii") if is_there(self.mark) else None
        except (OSError, UnicodeDecodeError) as error:
            raise _hidden(self.mark, error) from None

    @property
    def _own_mark(self) -> str:
        text = TEXT_OF_MARK.format(*2 * [self.schema.name])
        return f"{text}\n{self.key.digest('mark').hex()[:32]}\n"

    def _keep_mark(self) -> None:
        """Say beside the secret that the file was begun, before anything is let out."""
        if self.mark is None or self._marked == self._own_mark:
            return
        try:
            self.mark.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            delete_unfinished(self.mark.parent, f"{self.mark.name}.")
            with being_written(self.mark) as file:
                file.write(self._own_mark.encode("ascii"))
        except OSError as error:
            raise RegisterError(
                f"it cannot be kept in {str(self.mark)!r} that {self} was begun"
                f" ({type(error).__name__}), so nothing can be released; make its folder writable"
            ) from None

    def unusable(self, error: sqlite3.Error | None = None) -> RegisterError:
        """Return what is raised where the file cannot be read or written, by SQLite's error."""
        if getattr(error, "sqlite_errorcode", None) in UNWRITABLE:
            return RegisterError(
                f"{self} cannot be written, so nothing can be released; make room on its disk, and"
                " let its owner write there"
            )
        return RegisterError(
            f"{self} is damaged or in use, so nothing can be released; try again, or restore it"
            " from a backup"
        )

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction that holds off other writers; an error within undoes all of it.

        A RegisterError is raised if the file cannot be made, is damaged or lost, has no room on its
        disk, or was sealed with another key: nothing is then written.
        """
        self.check_begun()
        with self._writing() as connection:
            # By another file's key, or without a row, it is not the one that was begun.
            if self._marked is not None and not (
                self._marked == self._own_mark and has_rows(connection)
            ):
                raise self.lost()
            yield connection

    @contextmanager
    def beginning_again(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction for the first row of a file in place of one that is lost.

        An InputError is raised where none is lost.
        """
        if self._marked is None or (self._is_there() and self._holds_rows()):
            raise InputError(
                f"{self} is not lost, so it cannot be started again; if another file is in its "
                "place, move that and its key elsewhere first"
            )
        if not self._is_there():  # the key is of the new file, the old one may be lost as well
            self.__dict__["key"] = secret_at(self.path.with_name(self.schema.key_name))
        with self._writing() as connection:
            if has_rows(connection):
                raise InputError(f"{self} was started again meanwhile; see discreet log")
            yield connection
            self._keep_mark()  # before the row is there: whoever is killed between may begin again

    def _holds_rows(self) -> bool:
        with self.reading() as connection:
            return has_rows(connection)

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        _ = self.key  # before the file is made
        if not self._writer.acquire(timeout=WAIT_SECONDS):
            raise self.unusable()
        try:
            with self._connected() as connection:
                with transaction(connection, "BEGIN IMMEDIATE"):
                    # Each time, for another process may have begun the file since.
                    self._check_key(connection)
                    yield connection
                    self._is_there()
                    begun = has_rows(connection)
                self._is_there()  # what others do not find was not written
                if begun:
                    self._keep_mark()
                self._tidy(connection)
        finally:
            self._writer.release()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction that reads one state of the file, that of its first question.

        Where there is no file none is made; it reads as one with no rows, unless it is lost.
        """
        self.check_begun()
        if not self._is_there():
            with closing(_empty(self.schema)) as connection:
                yield connection
            return
        with self._connected() as connection, transaction(connection, "BEGIN"):
            connection.execute("PRAGMA query_only = ON")
            try:
                yield connection
            finally:
                connection.execute("PRAGMA query_only = OFF")
            self._is_there()

    @contextmanager
    def kept_open(self) -> Iterator[None]:
        """Keep connections from one transaction to the next, for a server; close them at the end.

        About three times faster, for whoever closes the last connection to a file tidies it up.
        If the file goes meanwhile, or what SQLite keeps beside it, or another takes a name of
        theirs, nothing more is read or written, and a log record says so once.
        """
        if self._users == 0 and not self._known:
            self.expect(place_of(self.path))
        self._users += 1
        try:
            yield
        finally:
            with suppress(RegisterError):
                self._is_there()
            self._users -= 1
            if self._users == 0:
                self.let_go()
                self._known = {}

    @property
    def place(self) -> Place | None:
        """The device and number of the file; None where there is none."""
        return place_of(self.path)

    def expect(self, place: Place | None) -> None:
        """Take no other file for this one, once it is kept open; any for None."""
        self._known = {} if place is None else {str(self.path): place}

    def append(
        self,
        connection: sqlite3.Connection,
        table: str,
        values: Mapping[str, Any],
        *,
        unless_there: bool = False,
    ) -> int | None:
        """Write a row and its link, the only way rows are written; return the row's number.

        Where a row with the same unique columns is there nothing is written, if `unless_there`, and
        None is returned.
        """
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        there = " ON CONFLICT DO NOTHING" if unless_there else ""
        cursor = connection.execute(
            f"INSERT INTO {table} ({names}) VALUES ({marks}){there}", tuple(values.values())
        )
        if cursor.rowcount == 0 or cursor.lastrowid is None:
            return None
        link(connection, self.schema.tables, self._seal, table, cursor.lastrowid)
        return cursor.lastrowid

    def holds(self, connection: sqlite3.Connection, table: str, row: int) -> bool:
        """Tell whether a row fits its seal, before something rests on it.

        Not whether rows are gone: that takes `verify`.
        """
        found = connection.execute(
            "SELECT seal, (SELECT seal FROM chain AS before WHERE before.id = chain.id - 1)"
            " FROM chain WHERE source = ? AND row = ?",
            (table, row),
        ).fetchone()
        values = row_of(connection, self.schema.tables, table, row)
        if found is None or values is None:
            return False
        seal, previous = found
        return bool(seal_of(self._seal, previous or FIRST, table, row, values) == seal)

    def check(self, connection: sqlite3.Connection, table: str, row: int) -> None:
        """Raise for a row that does not fit its seal, as for other damage of the file."""
        if not self.holds(connection, table, row):
            raise ValueError(f"a row of {table} was changed")

    def _check_key(self, connection: sqlite3.Connection) -> None:
        """Refuse a file whose last row was not sealed with this key.

        Rows of two keys in one chain could never be told from rows that were changed.
        """
        last = connection.execute(
            "SELECT id, source, row, seal,"
            " (SELECT seal FROM chain AS before WHERE before.id = chain.id - 1)"
            " FROM chain ORDER BY id DESC LIMIT 1"
        ).fetchone()
        if last is None:
            return
        id_, table, row, seal, previous = last
        values = row_of(connection, self.schema.tables, table, row)
        if values is None or (previous is None and id_ != 1):
            raise self.unusable()
        if seal_of(self._seal, previous or FIRST, table, row, values) != seal:
            raise RegisterError(
                f"{self} was sealed with another key (or its last row was changed), so nothing was"
                f" written; restore it, and {self.schema.key_name} beside it, from one backup"
            )

    def _is_there(self) -> bool:
        """Tell whether there is a file.

        If while it is kept open it is gone, or another has its name, or that of a file that SQLite
        keeps beside it, RegisterError is raised, for what is written then others never find; and
        from then on always, for SQLite would take what it remembers of the old files for the new
        ones.
        """
        if self._lost or any(place_of(path) != place for path, place in self._known.items()):
            with self._lending:
                first, self._lost = not self._lost, True
            error = RegisterError(
                f"{self}, or what SQLite keeps beside it (-wal, -shm), was"
                " deleted, moved or replaced while it was in use, so nothing can be released; stop"
                f" this program, look with {self.schema.verify} --head HEAD whether the last rows"
                " are missing (HEAD is what you noted before; without one, take it that they are),"
                " restore it from a backup if so, and start again"
            )
            if first:
                LOG.error("discreet: %s", error)
            raise error
        return place_of(self.path) is not None

    def let_go(self) -> None:
        """Close the connections that are kept and not in use.

        The last to be closed moves what is written ahead into the file and removes it. Where the
        file is lost, that could destroy what others have written: one stays open that cannot.
        """
        with self._lending:
            anchor, self._anchor = self._anchor, None
            if anchor is not None and self._lost:
                _open_for_good.append(anchor)
            elif anchor is not None:
                anchor.close()
            while self._idle:
                self._idle.pop().close()
            self._known = {path: it for path, it in self._known.items() if path == str(self.path)}

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection; one that had an error is not lent again."""
        if self._forked:
            raise self.unusable()
        with self._lending:
            idle = self._idle.pop() if self._idle else None
        connection = idle or self._opened()
        with self._lending:
            self._lent += 1
        keep = False
        try:
            self._hold()
            self._is_there()
            yield connection
            keep = True
        except DiscreetError:
            raise
        except sqlite3.Error as error:
            raise self.unusable(error) from None
        except (zlib.error, ValueError):
            raise self.unusable() from None
        finally:
            with self._lending:
                self._lent -= 1
                if keep and self._users:
                    self._idle.append(connection)
                elif not self._forked:
                    connection.close()

    def _tidy(self, connection: sqlite3.Connection) -> None:
        """Move what was written ahead into the file itself, where it has grown long.

        SQLite would do so after any commit, while others may write; before its version 3.51.3
        that can lose rows (its "WAL-reset bug"). By TRUNCATE it holds off all who write.
        """
        ahead, now = self.path.with_name(f"{self.path.name}-wal"), time.monotonic()
        with suppress(OSError, sqlite3.Error):  # what was written is safe where it is
            if ahead.stat().st_size < MOST_AHEAD or now < self._tidied + TIDY_SECONDS:
                return
            self._tidied = now
            connection.execute(f"PRAGMA busy_timeout = {TIDY_WAIT_SECONDS * 1000:.0f}")
            try:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            finally:
                connection.execute(f"PRAGMA busy_timeout = {WAIT_SECONDS * 1000:.0f}")

    def _hold(self) -> None:
        """Have one connection open all the time that a server runs, which is never lent.

        While it is, no other process removes what is written ahead. It only reads, and so cannot
        move what is written ahead when it is closed, nor remove it.
        """
        with self._lending:
            if self._users == 0 or self._anchor is not None:
                return
            anchor = self._connection("mode=ro")
            try:
                anchor.execute("PRAGMA user_version").fetchone()
            except sqlite3.Error:
                anchor.close()
                raise
            self._anchor = anchor
            real = os.path.realpath(self.path)  # beside it SQLite keeps the others
            others = (f"{real}-wal", f"{real}-shm")
            self._known = {**self._known, **{path: place_of(path) for path in others}}

    def _opened(self) -> sqlite3.Connection:
        try:
            if not self._is_there():
                # SQLite makes the file, with the rights of one that is its owner's alone.
                self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                begins = f"{self.path.stem}."  # no name that SQLite takes for its own
                delete_unfinished(self.path.parent, begins)
                with partial_file(self.path, begins) as (_, like):
                    self._connection(f"mode=rwc&modeof={quote(os.fsencode(like))}").close()
            place = place_of(self.path)
            connection = self._connection("mode=rw")
        except (OSError, sqlite3.Error):
            raise RegisterError(
                f"the {self.schema.name} in {str(self.path.parent)!r} cannot be opened, so nothing"
                f" can be released; make the folder writable, or {self.schema.elsewhere}"
            ) from None
        try:
            for setting in SETTINGS:
                connection.execute(f"PRAGMA {setting}")
            self._prepare(connection)
            if place is None or place != place_of(self.path):
                raise self.unusable()
        except sqlite3.Error as error:
            connection.close()
            raise self.unusable(error) from None
        except RegisterError:
            connection.close()
            raise
        with self._lending:
            if self._users:
                self._known = {str(self.path): place, **self._known}
        return connection

    def _connection(self, how: str) -> sqlite3.Connection:
        return sqlite3.connect(
            f"{self.path.absolute().as_uri()}?{how}",
            uri=True,
            timeout=WAIT_SECONDS,
            isolation_level=None,
            check_same_thread=False,
        )

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Make the tables of a new file.

        What is missing from one that has some is not made again: it is damaged.
        """
        if self._is_ready(connection):
            return
        write_ahead(connection)
        with transaction(connection, "BEGIN IMMEDIATE"):
            if self._is_ready(connection):
                return  # another process was first
            if objects_of(connection):
                raise self.unusable()  # made to look as if it were new
            create(connection, self.schema)

    def _is_ready(self, connection: sqlite3.Connection) -> bool:
        (number,) = connection.execute("PRAGMA user_version").fetchone()
        if number not in (0, self.schema.number):
            raise RegisterError(
                f"{self} was written by another version of discreet, so this"
                " one can release nothing; install that version"
            )
        return bool(number == self.schema.number)


_all: weakref.WeakSet[Store] = weakref.WeakSet()
_open_for_good: list[sqlite3.Connection] = []


def place_of(path: str | Path) -> Place | None:
    """Return the device and the number of a file, which is not opened; None where there is none.

    RegisterError is raised where that cannot be known: what is hidden is not taken for nothing.
    """
    try:
        if not is_there(Path(path)):
            return None
        found = os.stat(path)
    except OSError as error:
        raise _hidden(path, error) from None
    return found.st_dev, found.st_ino


def has_rows(connection: sqlite3.Connection) -> bool:
    """Tell whether a file of records was begun: its first row is written with it."""
    return connection.execute("SELECT 1 FROM chain LIMIT 1").fetchone() is not None


def _hidden(path: str | Path, error: Exception) -> RegisterError:
    return RegisterError(
        f"it cannot be seen whether there is a file {str(path)!r} ({type(error).__name__}), so"
        " nothing can be released; give whoever runs discreet the right to read its folder, or"
        " say which folder is meant"
    )


def _before_fork() -> None:
    for each in [*_all]:
        each.let_go()


def _in_child() -> None:
    """Begin anew in a process that was forked; in the middle of a transaction it cannot.

    SQLite would take the locks of the process that it was forked from for its own.
    """
    for each in [*_all]:
        in_use = each._lent > 0 or bool(each._idle) or each._anchor is not None
        each._forked = each._forked or in_use
        each._writer, each._lending = threading.Lock(), threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_child=_in_child)


@contextmanager
def transaction(connection: sqlite3.Connection, begin: str) -> Iterator[None]:
    """Begin a transaction by some words; an error within undoes all of it."""
    connection.execute(begin)
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        raise


def write_ahead(connection: sqlite3.Connection) -> None:
    """Let readers and a writer not wait for each other; where a disk cannot, they do."""
    last = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            # SQLite does not wait for others by itself here.
            busy = error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
            if not busy or time.monotonic() > last:
                raise
            time.sleep(PAUSE_SECONDS)
        else:
            return


@dataclass(frozen=True)
class Verification:
    """What a check of a whole file of records found.

    `rows` are links of the chain, one for each row. `head` is the last seal: keep it elsewhere, and
    a later check tells whether rows up to here are gone altogether. `broken` is what does not hold,
    each a table and a row's number, never a value.
    """

    rows: int
    head: str
    broken: tuple[str, ...]


def verify(store: Store, head: str | None = None) -> Verification:
    """Check every row against its link, and that nothing was added or is gone.

    It does not tell whether the newest rows were cut off together with their links, or an older
    copy of the whole file was put back, unless `head` of an earlier check is given, which must
    still be in the chain; nor what was done by someone who knows the key.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from discreet.records.store import Store, verify
    >>> from discreet.serve.record import RECORD
    >>> from discreet.serve.tokens import add_token
    >>> with TemporaryDirectory() as folder:
    ...     store = Store(Path(folder), RECORD)
    ...     text = add_token(store, "cohort", "alice")
    ...     head = verify(store).head
    ...     text = add_token(store, "cohort", "bob")
    ...     found = verify(store, head)
    >>> found.rows, found.broken
    (2, ())
    """
    wanted = None if head is None else head.strip().lower()
    if wanted is not None and re.fullmatch("[0-9a-f]{64}", wanted) is None:
        raise InputError("a head is 64 hexadecimal digits, as an earlier check printed it")
    store.check_begun()
    with store.reading() as connection:
        # Bytes that are no text are to be found, not to end the search.
        connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
        try:
            return _verified(store, connection, wanted)
        finally:
            connection.text_factory = str


def _verified(store: Store, connection: sqlite3.Connection, head: str | None) -> Verification:
    broken, tables = [*_broken_schema(connection, store.schema)], store.schema.tables
    if connection.execute("PRAGMA integrity_check(1)").fetchone() != ("ok",):
        broken.append("file: its pages do not fit together")
    if any(f"table {table} is " in found for found in broken for table in (*tables, "chain")):
        return Verification(0, FIRST, tuple(broken))
    (total,) = connection.execute("SELECT count(*) FROM chain").fetchone()
    previous, number, held = FIRST, 0, head in {None, FIRST}
    links = connection.execute("SELECT id, source, row, seal FROM chain ORDER BY id")
    for done, (id_, table, row, seal) in enumerate(links, start=1):
        if id_ != number + 1:
            broken.append(f"chain: links before {id_} are gone")
        values = row_of(connection, tables, table, row)
        if values is None:
            # what else may stand in a changed link is not repeated
            known = table if table in tables else "chain: an unknown table's"
            broken.append(f"{known} row {row} is gone")
        elif seal_of(store._seal, previous, table, row, values) != seal:
            broken.append(f"{table} row {row} does not fit its seal")
        previous, number = seal, id_
        held = held or seal == head
        if done % ROWS_A_STEP == 0 or done == total:
            advance(f"checking the {store.schema.name}", done, total)
    for table in tables:
        unlinked = connection.execute(
            f"SELECT rowid FROM {table} WHERE rowid NOT IN"
            " (SELECT row FROM chain WHERE source = ?) ORDER BY rowid",
            (table,),
        )
        broken += [f"{table} row {row} was added, or its link is gone" for (row,) in unlinked]
    if not held:
        broken.append("chain: the head that was given is not in it, so rows are gone or another's")
    return Verification(total, previous, tuple(broken))


def _broken_schema(connection: sqlite3.Connection, schema: Schema) -> Iterator[str]:
    with closing(_empty(schema)) as fresh:
        wanted = objects_of(fresh)
    found = objects_of(connection)
    for name, text in wanted.items():
        if name not in found:
            yield f"{name} is gone"
        elif found[name] != text:
            yield f"{name} is another"
    unknown = len(found.keys() - wanted.keys())
    if unknown:
        yield f"file: {unknown} tables, indexes, triggers or views are not the {schema.name}'s"


def _empty(schema: Schema) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.deserialize(_empty_file(schema))
    return connection


@cache
def _empty_file(schema: Schema) -> bytes:
    """Return a file without rows: a register that is not there yet is read many times."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        create(connection, schema)
        return connection.serialize()
