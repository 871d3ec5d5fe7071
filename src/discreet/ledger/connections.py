"""Connections to the ledger's file: lent for a transaction, and kept for a server.

SQLite alone opens the file. POSIX drops all locks of a process on a file when any of its
descriptors of it is closed; without its locks other programs take the file for one that nobody
uses, and remove what is written ahead.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import tempfile
import threading
import time
import weakref
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from discreet.errors import DiscreetError, LedgerError

__all__ = ["Connections", "Place", "place_of", "transaction", "unusable", "write_ahead"]

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

LOG = logging.getLogger("discreet.ledger")


class Connections:
    """Connections to one file, which many threads and processes may use at once.

    The file is made with owner-only rights when it is first opened; `prepare` is called with each
    connection that is opened, before it is lent.
    """

    def __init__(self, path: Path, prepare: Callable[[sqlite3.Connection], None]) -> None:
        self._path, self._prepare = path, prepare
        self._users, self._lent, self._forked, self._tidied = 0, 0, False, -TIDY_SECONDS
        self._idle: list[sqlite3.Connection] = []
        self._anchor: sqlite3.Connection | None = None
        # Files that must stay what they are; never changed, for others may read it meanwhile.
        self._known: Mapping[str, Place | None] = {}
        self._lost = False
        # Threads of one process queue here: SQLite's own waiting sleeps longer and longer.
        self._writer, self._lending = threading.Lock(), threading.Lock()
        _all.add(self)

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection in a transaction that holds off all others that write."""
        if not self._writer.acquire(timeout=WAIT_SECONDS):
            raise unusable(self._path)
        try:
            with self._connected() as connection:
                with transaction(connection, "BEGIN IMMEDIATE"):
                    yield connection
                    self.is_there()
                self.is_there()  # what others do not find was not written
                self._tidy(connection)
        finally:
            self._writer.release()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection in a transaction that reads one state, that of its first question."""
        with self._connected() as connection, transaction(connection, "BEGIN"):
            connection.execute("PRAGMA query_only = ON")
            try:
                yield connection
            finally:
                connection.execute("PRAGMA query_only = OFF")
            self.is_there()

    @contextmanager
    def kept_open(self) -> Iterator[None]:
        """Keep connections from one transaction to the next, and close them at the end."""
        if self._users == 0 and not self._known:
            self.expect(place_of(self._path))
        self._users += 1
        try:
            yield
        finally:
            with suppress(LedgerError):
                self.is_there()
            self._users -= 1
            if self._users == 0:
                self.let_go()
                self._known = {}

    def expect(self, place: Place | None) -> None:
        """Take no other file for the ledger, once it is kept open; any for None."""
        self._known = {} if place is None else {str(self._path): place}

    def is_there(self) -> bool:
        """Tell whether there is a file.

        If while it is kept open it is gone, or another has its name, or that of a file that SQLite
        keeps beside it, LedgerError is raised, for what is written then others never find; and from
        then on always, for SQLite would take what it remembers of the old files for the new ones.
        """
        if self._lost or any(place_of(path) != place for path, place in self._known.items()):
            raise self._gone()
        return place_of(self._path) is not None

    def _gone(self) -> LedgerError:
        with self._lending:
            first, self._lost = not self._lost, True
        error = LedgerError(
            f"the ledger {str(self._path)!r}, or what SQLite keeps beside it (-wal, -shm), was"
            " deleted, moved or replaced while it was in use, so nothing can leave; stop this"
            " program, look with discreet log --verify --head HEAD whether the last rows are"
            " missing (HEAD is what you noted before; without one, take it that they are), restore"
            " the ledger from a backup if so, and start again"
        )
        if first:
            LOG.error("discreet: %s", error)
        return error

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
            self._known = {path: it for path, it in self._known.items() if path == str(self._path)}

    def begin_anew(self) -> None:
        """Begin in a process that was forked; in the middle of a transaction it cannot.

        SQLite would take the locks of the process that it was forked from for its own.
        """
        in_use = self._lent > 0 or bool(self._idle) or self._anchor is not None
        self._forked = self._forked or in_use
        self._writer, self._lending = threading.Lock(), threading.Lock()

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection; one that had an error is not lent again."""
        if self._forked:
            raise unusable(self._path)
        with self._lending:
            idle = self._idle.pop() if self._idle else None
        connection = idle or self._opened()
        with self._lending:
            self._lent += 1
        keep = False
        try:
            self._hold()
            self.is_there()
            yield connection
            keep = True
        except DiscreetError:
            raise
        except sqlite3.Error as error:
            raise unusable(self._path, error) from None
        except (zlib.error, ValueError):
            raise unusable(self._path) from None
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
        ahead, now = self._path.with_name(f"{self._path.name}-wal"), time.monotonic()
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
            real = os.path.realpath(self._path)  # beside it SQLite keeps the others
            others = (f"{real}-wal", f"{real}-shm")
            self._known = {**self._known, **{path: place_of(path) for path in others}}

    def _opened(self) -> sqlite3.Connection:
        try:
            if not self.is_there():
                self._make()
            place = place_of(self._path)
            connection = self._connection("mode=rw")
        except (OSError, sqlite3.Error):
            raise _closed(self._path) from None
        try:
            for setting in SETTINGS:
                connection.execute(f"PRAGMA {setting}")
            self._prepare(connection)
            if place is None or place != place_of(self._path):
                raise unusable(self._path)
        except sqlite3.Error as error:
            connection.close()
            raise unusable(self._path, error) from None
        except LedgerError:
            connection.close()
            raise
        with self._lending:
            if self._users:
                self._known = {str(self._path): place, **self._known}
        return connection

    def _make(self) -> None:
        """Have SQLite make the file, with the rights of one that is its owner's alone."""
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.NamedTemporaryFile(dir=self._path.parent) as like:
            self._connection(f"mode=rwc&modeof={quote(os.fsencode(like.name))}").close()

    def _connection(self, how: str) -> sqlite3.Connection:
        return sqlite3.connect(
            f"{self._path.absolute().as_uri()}?{how}",
            uri=True,
            timeout=WAIT_SECONDS,
            isolation_level=None,
            check_same_thread=False,
        )


_all: weakref.WeakSet[Connections] = weakref.WeakSet()
_open_for_good: list[sqlite3.Connection] = []


def place_of(path: str | Path) -> Place | None:
    """Return the device and the number of a file, which is not opened; None where there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _before_fork() -> None:
    for each in [*_all]:
        each.let_go()


def _in_child() -> None:
    for each in [*_all]:
        each.begin_anew()


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


def unusable(path: Path, error: sqlite3.Error | None = None) -> LedgerError:
    """Return what is raised where the file cannot be read or written, by SQLite's error."""
    if getattr(error, "sqlite_errorcode", None) in UNWRITABLE:
        return LedgerError(
            f"the ledger {str(path)!r} cannot be written, so nothing can leave; make room on its"
            " disk, and let its owner write there"
        )
    return LedgerError(
        f"the ledger {str(path)!r} is damaged or in use, so nothing can leave; try again, or"
        " restore it from a backup"
    )


def _closed(path: Path) -> LedgerError:
    return LedgerError(
        f"the ledger in {str(path.parent)!r} cannot be opened, so nothing can leave; make the"
        " folder writable, or put the policy beside one that is"
    )
