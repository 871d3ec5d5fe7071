"""Connections to the ledger's file: lent for a transaction, and kept for a server."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
import weakref
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from discreet.errors import DiscreetError, LedgerError

__all__ = ["Connections", "transaction", "unusable", "write_ahead"]

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

LOST = (-1, -1)

Lent = tuple[tuple[int, int], sqlite3.Connection]


class Connections:
    """Connections to one file, which many threads and processes may use at once.

    Parameters
    ----------
    path : Path
        The file, made with owner-only rights when it is first opened.
    prepare : callable
        Called with each connection that is opened, before it is lent.
    """

    def __init__(self, path: Path, prepare: Callable[[sqlite3.Connection], None]) -> None:
        self._path, self._prepare = path, prepare
        self._users, self._lent, self._forked, self._tidied = 0, 0, False, -TIDY_SECONDS
        self._idle: list[Lent] = []
        self._only: tuple[int, int] | None = None  # the file that is kept open
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

    @contextmanager
    def kept_open(self) -> Iterator[None]:
        """Keep connections from one transaction to the next, and close them at the end."""
        if self._users == 0:
            self._only = self._which()
        self._users += 1
        try:
            yield
        finally:
            self._users -= 1
            if self._users == 0:
                self._only = None
                self.let_go()

    def is_there(self) -> bool:
        """Tell whether there is a file.

        Raises
        ------
        LedgerError
            If it is gone, or another has its name, while it is kept open: who would begin a new
            one would forget what has left.
        """
        found = self._which()
        if self._only not in (None, found):
            self._only = LOST  # for good: another file may have the number of the first
            raise unusable(self._path)
        return found is not None

    def _which(self) -> tuple[int, int] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def let_go(self) -> None:
        """Close the connections that are kept and not in use."""
        with self._lending:
            while self._idle:
                self._idle.pop()[1].close()

    def begin_anew(self) -> None:
        """Begin in a process that was forked; in the middle of a transaction it cannot.

        SQLite would take the locks of the process that it was forked from for its own.
        """
        self._forked = self._forked or self._lent > 0 or bool(self._idle)
        self._writer, self._lending = threading.Lock(), threading.Lock()

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection; one that had an error is not lent again."""
        if self._forked:
            raise unusable(self._path)
        which, connection = self._taken() or self._opened()
        with self._lending:
            self._lent += 1
        keep = False
        try:
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
                    self._idle.append((which, connection))
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

    def _taken(self) -> Lent | None:
        """Return an idle connection, if it is one to the file that is there now."""
        with self._lending:
            if not self._idle:
                return None
            which, connection = self._idle.pop()
        if self._which() == which:
            return which, connection
        connection.close()  # what it wrote would go into a file that nobody finds
        return None

    def _opened(self) -> Lent:
        make = 0 if self.is_there() else os.O_CREAT
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            os.close(os.open(self._path, os.O_RDWR | make, 0o600))
            found = self._path.stat()
            connection = sqlite3.connect(
                self._path, timeout=WAIT_SECONDS, isolation_level=None, check_same_thread=False
            )
        except (OSError, sqlite3.Error):
            raise _closed(self._path) from None
        try:
            for setting in SETTINGS:
                connection.execute(f"PRAGMA {setting}")
            self._prepare(connection)
        except sqlite3.Error as error:
            connection.close()
            raise unusable(self._path, error) from None
        except LedgerError:
            connection.close()
            raise
        which = found.st_dev, found.st_ino
        if self._users and self._only is None:
            self._only = which
        return which, connection


_all: weakref.WeakSet[Connections] = weakref.WeakSet()


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
