"""The ledger's file: one SQLite file, append-only, whose rows are chained with the secret."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
import weakref
import zlib
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from discreet.errors import DiscreetError, InputError, LeavingError
from discreet.ledger.chain import FIRST, link, row_of, seal_of
from discreet.ledger.schema import OLD_TABLES, SCHEMA, TABLES, create, objects_of
from discreet.progress import advance
from discreet.secret import Secret

__all__ = ["Store", "Verification", "stamp", "verify"]

WAIT_SECONDS = 30.0
PAUSE_SECONDS = 0.01
ROWS_A_STEP = 1000
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


class Store:
    """The file of the ledger in a folder, made with owner-only rights at the first writing.

    Many threads and processes may use one file at once. A connection is opened for each
    transaction and closed after it, unless within `kept_open`.

    Parameters
    ----------
    folder : Path
        Where `ledger.sqlite` lies.
    secret : Secret
        The custodian's; the rows are sealed with a key made from it, so that who can write the
        file but does not know the secret cannot mend the chain after a change.
    """

    def __init__(self, folder: Path, secret: Secret) -> None:
        self._path = folder / "ledger.sqlite"
        self._key = secret.digest("ledger chain")
        self._users, self._lent, self._forked = 0, 0, False
        self._idle: list[tuple[tuple[int, int], sqlite3.Connection]] = []
        # Threads of one process queue here: SQLite's own waiting sleeps longer and longer.
        self._writer, self._lending = threading.Lock(), threading.Lock()
        _stores.add(self)

    @property
    def path(self) -> Path:
        """Where the file lies."""
        return self._path

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction that holds off other writers; an error within undoes all of it.

        Raises
        ------
        LeavingError
            If the file cannot be made, is damaged, or has no room on its disk: nothing is then
            written.
        """
        if not self._writer.acquire(timeout=WAIT_SECONDS):
            raise self._damaged()
        try:
            with self._connected() as connection, _transaction(connection, "BEGIN IMMEDIATE"):
                yield connection
        finally:
            self._writer.release()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction that reads one state of the file, whoever writes meanwhile.

        Where there is no file none is made; it reads as one with no rows. A ledger from before
        the chain gets it first.
        """
        if not self._path.exists():
            with closing(_empty()) as connection:
                yield connection
            return
        with self._connected() as connection, _transaction(connection, "BEGIN"):
            connection.execute("PRAGMA query_only = ON")
            try:
                yield connection
            finally:
                connection.execute("PRAGMA query_only = OFF")

    def append(
        self,
        connection: sqlite3.Connection,
        table: str,
        values: Mapping[str, Any],
        *,
        unless_there: bool = False,
    ) -> int | None:
        """Write a row and its link: the only way rows are written.

        Parameters
        ----------
        connection : sqlite3.Connection
            What `writing` gave.
        table : str
            The table's name.
        values : mapping
            What the row holds, by column; text, whole numbers, bytes or None.
        unless_there : bool, default False
            Write nothing where a row with the same unique columns is there.

        Returns
        -------
        int or None
            The row's number; None where nothing was written.
        """
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        there = " ON CONFLICT DO NOTHING" if unless_there else ""
        cursor = connection.execute(
            f"INSERT INTO {table} ({names}) VALUES ({marks}){there}", tuple(values.values())
        )
        if cursor.rowcount == 0 or cursor.lastrowid is None:
            return None
        link(connection, self._key, table, cursor.lastrowid)
        return cursor.lastrowid

    @contextmanager
    def kept_open(self) -> Iterator[None]:
        """Keep connections from one transaction to the next, for a server; close them at the end.

        Many times faster, for whoever closes the last connection to a file tidies it up.
        """
        self._users += 1
        try:
            yield
        finally:
            self._users -= 1
            if self._users == 0:
                self.let_go()

    def let_go(self) -> None:
        """Close the connections that are kept and not in use."""
        with self._lending:
            while self._idle:
                self._idle.pop()[1].close()

    def seal(self, previous: str, table: str, row: int, values: Mapping[str, Any]) -> str:
        """Return the seal that a row has after the row of another seal."""
        return seal_of(self._key, previous, table, row, values)

    def begin_anew(self) -> None:
        """Begin in a process that was forked; in the middle of a transaction it cannot.

        SQLite would take the locks of the process that it was forked from for its own.
        """
        self._forked = self._forked or self._lent > 0
        self._writer, self._lending = threading.Lock(), threading.Lock()

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection; one that had an error is not lent again."""
        if self._forked:
            raise self._damaged()
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
            raise self._damaged(error) from None
        except (zlib.error, ValueError):
            raise self._damaged() from None
        finally:
            with self._lending:
                self._lent -= 1
                if keep and self._users:
                    self._idle.append((which, connection))
                elif not self._forked:
                    connection.close()

    def _taken(self) -> tuple[tuple[int, int], sqlite3.Connection] | None:
        """Return an idle connection, if it is one to the file that is there now."""
        with self._lending:
            if not self._idle:
                return None
            which, connection = self._idle.pop()
        try:
            found = self._path.stat()
        except OSError:
            found = None
        if found is not None and (found.st_dev, found.st_ino) == which:
            return which, connection
        connection.close()  # what it wrote would go into a file that nobody finds
        return None

    def _opened(self) -> tuple[tuple[int, int], sqlite3.Connection]:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600))
            found = self._path.stat()
            connection = sqlite3.connect(
                self._path, timeout=WAIT_SECONDS, isolation_level=None, check_same_thread=False
            )
        except (OSError, sqlite3.Error):
            raise self._closed() from None
        try:
            for setting in ("foreign_keys = ON", "recursive_triggers = ON", "synchronous = FULL"):
                connection.execute(f"PRAGMA {setting}")
            self._prepare(connection)
        except sqlite3.Error as error:
            connection.close()
            raise self._damaged(error) from None
        except LeavingError:
            connection.close()
            raise
        return (found.st_dev, found.st_ino), connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Make the tables of a new ledger, and adopt one from before the chain.

        What is missing from a ledger that is neither is not made again: it is damaged.
        """
        if self._is_ready(connection):
            return
        _write_ahead(connection)
        with _transaction(connection, "BEGIN IMMEDIATE"):
            if self._is_ready(connection):
                return  # another process was first
            before = objects_of(connection)
            if "table adoption" in before:
                raise self._damaged()  # it had a chain, and somebody made it look as if it had none
            create(connection)
            if before:
                self._adopt(connection)

    def _is_ready(self, connection: sqlite3.Connection) -> bool:
        (number,) = connection.execute("PRAGMA user_version").fetchone()
        if number > SCHEMA:
            raise LeavingError(
                f"the ledger {str(self._path)!r} was written by a later discreet, so nothing can"
                " leave by this one; install the later one"
            )
        return bool(number == SCHEMA)

    def _adopt(self, connection: sqlite3.Connection) -> None:
        """Link the rows that were written before there was a chain, and say when that was."""
        self.append(connection, "adoption", {"at": stamp()})
        for table in OLD_TABLES:
            rows = connection.execute(f"SELECT rowid FROM {table} ORDER BY rowid").fetchall()
            for (row,) in rows:
                link(connection, self._key, table, row)

    def _closed(self) -> LeavingError:
        return LeavingError(
            f"the ledger in {str(self._path.parent)!r} cannot be opened, so nothing can leave;"
            " make the folder writable, or put the policy beside one that is"
        )

    def _damaged(self, error: sqlite3.Error | None = None) -> LeavingError:
        if getattr(error, "sqlite_errorcode", None) in UNWRITABLE:
            return LeavingError(
                f"the ledger {str(self._path)!r} cannot be written, so nothing can leave; make"
                " room on its disk, and let its owner write there"
            )
        return LeavingError(
            f"the ledger {str(self._path)!r} is damaged or in use, so nothing can leave;"
            " try again, or restore it from a backup"
        )


_stores: weakref.WeakSet[Store] = weakref.WeakSet()


def _before_fork() -> None:
    for store in [*_stores]:
        store.let_go()


def _in_child() -> None:
    for store in [*_stores]:
        store.begin_anew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_child=_in_child)


@dataclass(frozen=True)
class Verification:
    """What a check of the whole ledger found.

    Parameters
    ----------
    rows : int
        Links of the chain, one for each row.
    head : str
        The last seal: keep it elsewhere, and a later check tells whether rows up to here are
        gone altogether.
    broken : tuple of str
        What does not hold, each a table and a row's number, never a value; empty if all holds.
    adopted : str or None
        When rows from before the chain were linked; what was changed before cannot be found.
    """

    rows: int
    head: str
    broken: tuple[str, ...]
    adopted: str | None = None


def verify(store: Store, head: str | None = None) -> Verification:
    """Check every row of the ledger against its link, and that nothing was added or is gone.

    It does not tell whether the newest rows were cut off together with their links, or an older
    copy of the whole file was put back, unless `head` is given; nor what was changed before a
    ledger got its chain; nor what was done by someone who knows the secret.

    Parameters
    ----------
    store : Store
        The ledger's file.
    head : str or None
        The head of an earlier check, which must still be in the chain.

    Returns
    -------
    Verification

    Raises
    ------
    InputError
        If `head` is none.
    LeavingError
        If the file is damaged such that it cannot be read.
    """
    wanted = None if head is None else head.strip().lower()
    if wanted is not None and (len(wanted) != len(FIRST) or set(wanted) - set("0123456789abcdef")):
        raise InputError("a head is 64 hexadecimal digits, as an earlier check printed it")
    with store.reading() as connection:
        # Bytes that are no text are to be found, not to end the search.
        connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
        try:
            return _verified(store, connection, wanted)
        finally:
            connection.text_factory = str


def _verified(store: Store, connection: sqlite3.Connection, head: str | None) -> Verification:
    broken = [*_broken_schema(connection)]
    if connection.execute("PRAGMA integrity_check(1)").fetchone() != ("ok",):
        broken.append("file: its pages do not fit together")
    if any(f"table {table} is " in found for found in broken for table in (*TABLES, "chain")):
        return Verification(0, FIRST, tuple(broken))
    (total,) = connection.execute("SELECT count(*) FROM chain").fetchone()
    previous, number, seals = FIRST, 0, {FIRST}
    links = connection.execute("SELECT id, source, row, seal FROM chain ORDER BY id")
    for done, (id_, table, row, seal) in enumerate(links, start=1):
        if id_ != number + 1:
            broken.append(f"chain: links before {id_} are gone")
        values = row_of(connection, table, row)
        if values is None:
            broken.append(f"{_name(table)} row {row} is gone")
        elif store.seal(previous, table, row, values) != seal:
            broken.append(f"{table} row {row} does not fit its seal")
        previous, number = seal, id_
        seals.add(seal)
        if done % ROWS_A_STEP == 0 or done == total:
            advance("checking the ledger", done, total)
    broken += _unlinked(connection)
    if head is not None and head not in seals:
        broken.append("chain: the head that was given is not in it, so rows are gone or another's")
    adopted = connection.execute("SELECT min(at) FROM adoption").fetchone()[0]
    return Verification(total, previous, tuple(broken), adopted)


def _broken_schema(connection: sqlite3.Connection) -> Iterator[str]:
    with closing(_empty()) as fresh:
        wanted = objects_of(fresh)
    found = objects_of(connection)
    for name, text in wanted.items():
        if name not in found:
            yield f"{name} is gone"
        elif found[name] != text:
            yield f"{name} is another"
    unknown = len(found.keys() - wanted.keys())
    if unknown:
        yield f"file: {unknown} tables, indexes, triggers or views are not the ledger's"


def _unlinked(connection: sqlite3.Connection) -> Iterator[str]:
    for table in TABLES:
        rows = connection.execute(
            f"SELECT rowid FROM {table} WHERE rowid NOT IN"
            " (SELECT row FROM chain WHERE source = ?) ORDER BY rowid",
            (table,),
        )
        yield from (f"{table} row {row} was added, or its link is gone" for (row,) in rows)


def _name(table: object) -> str:
    """Name a table of the ledger; what else may stand in a changed link is not repeated."""
    return str(table) if table in TABLES else "chain: an unknown table's"


def _empty() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    create(connection)
    return connection


@contextmanager
def _transaction(connection: sqlite3.Connection, begin: str) -> Iterator[None]:
    connection.execute(begin)
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        raise


def _write_ahead(connection: sqlite3.Connection) -> None:
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


def stamp(now: datetime | None = None) -> str:
    """Return a time, or the present, as text that sorts as times do: UTC, with milliseconds."""
    at = datetime.now(UTC) if now is None else now.astimezone(UTC)
    return at.isoformat(timespec="milliseconds")
