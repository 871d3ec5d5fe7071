"""The ledger's file: one SQLite file, append-only, whose rows are chained with the secret."""

from __future__ import annotations

import hashlib
import hmac
import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from discreet.errors import InputError, LedgerError
from discreet.ledger.connections import (
    Connections,
    Place,
    place_of,
    transaction,
    unusable,
    write_ahead,
)
from discreet.progress import advance
from discreet.secret import PLACES, Secret

__all__ = [
    "FIRST",
    "OLD_TABLES",
    "SCHEMA",
    "TABLES",
    "Store",
    "Verification",
    "create",
    "link",
    "objects_of",
    "row_of",
    "seal_of",
    "stamp",
    "verify",
]


ROWS_A_STEP = 1000


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
        file but does not know the secret cannot repair the chain after a change.
    """

    def __init__(self, folder: Path, secret: Secret) -> None:
        self._path = folder / "ledger.sqlite"
        self._key = secret.digest("ledger chain")
        self._connections = Connections(self._path, self._prepare)

    @property
    def path(self) -> Path:
        """Where the file lies."""
        return self._path

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction that holds off other writers; an error within undoes all of it.

        A LedgerError is raised if the file cannot be made, is damaged, has no room on its disk, or
        was sealed with another secret: nothing is then written.
        """
        with self._connections.writing() as connection:
            # Each time, for another process may have begun the file since: it reads one row.
            self._check_secret(connection)
            yield connection

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction that reads one state of the file, whoever writes meanwhile.

        Where there is no file none is made; it reads as one with no rows. A ledger from before
        the chain gets it first.
        """
        if not self._connections.is_there():
            with closing(_empty()) as connection:
                yield connection
            return
        with self._connections.reading() as connection:
            yield connection

    def kept_open(self) -> AbstractContextManager[None]:
        """Keep connections from one transaction to the next, for a server; close them at the end.

        About three times faster, for whoever closes the last connection to a file tidies it up.
        If the file goes meanwhile, or what SQLite keeps beside it, or another takes a name of
        theirs, nothing more is read or written, and a log record says so once.
        """
        return self._connections.kept_open()

    @property
    def place(self) -> Place | None:
        """The device and number of the file; None where there is none."""
        return place_of(self._path)

    def expect(self, place: Place | None) -> None:
        """Take no other file for this one, once it is kept open; any for None."""
        self._connections.expect(place)

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
        link(connection, self._key, table, cursor.lastrowid)
        return cursor.lastrowid

    def seal(self, previous: str, table: str, row: int, values: Mapping[str, Any]) -> str:
        """Return the seal that a row has after the row of another seal."""
        return seal_of(self._key, previous, table, row, values)

    def holds(self, connection: sqlite3.Connection, table: str, row: int) -> bool:
        """Tell whether a row fits its seal, before something rests on it.

        Not whether rows are gone: that takes `verify`.
        """
        found = connection.execute(
            "SELECT seal, (SELECT seal FROM chain AS before WHERE before.id = chain.id - 1)"
            " FROM chain WHERE source = ? AND row = ?",
            (table, row),
        ).fetchone()
        values = row_of(connection, table, row)
        if found is None or values is None:
            return False
        seal, previous = found
        return bool(self.seal(previous or FIRST, table, row, values) == seal)

    def _check_secret(self, connection: sqlite3.Connection) -> None:
        """Refuse a ledger whose last row was not sealed with this secret.

        Rows of two secrets in one chain could never be told from rows that were changed.
        """
        last = connection.execute(
            "SELECT id, source, row, seal,"
            " (SELECT seal FROM chain AS before WHERE before.id = chain.id - 1)"
            " FROM chain ORDER BY id DESC LIMIT 1"
        ).fetchone()
        if last is None:
            return
        id_, table, row, seal, previous = last
        values = row_of(connection, table, row)
        if values is None or (previous is None and id_ != 1):
            raise unusable(self._path)
        if self.seal(previous or FIRST, table, row, values) != seal:
            raise LedgerError(
                f"the ledger {str(self._path)!r} was sealed with another secret (or its last row"
                " was changed), so nothing was written; give the secret that it was begun with,"
                f" which is {PLACES}"
            )

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Make the tables of a new ledger, and adopt one from before the chain.

        What is missing from a ledger that is neither is not made again: it is damaged.
        """
        if self._is_ready(connection):
            return
        write_ahead(connection)
        with transaction(connection, "BEGIN IMMEDIATE"):
            if self._is_ready(connection):
                return  # another process was first
            before = objects_of(connection)
            if "table adoption" in before:
                raise unusable(
                    self._path
                )  # it had a chain, and somebody made it look as if it had none
            create(connection)
            if before:
                self._adopt(connection)

    def _is_ready(self, connection: sqlite3.Connection) -> bool:
        (number,) = connection.execute("PRAGMA user_version").fetchone()
        if number > SCHEMA:
            raise LedgerError(
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


@dataclass(frozen=True)
class Verification:
    """What a check of the whole ledger found.

    `rows` are links of the chain, one for each row. `head` is the last seal: keep it elsewhere, and
    a later check tells whether rows up to here are gone altogether. `broken` is what does not hold,
    each a table and a row's number, never a value. `adopted` is when rows from before the chain
    were linked; what was changed before cannot be found.
    """

    rows: int
    head: str
    broken: tuple[str, ...]
    adopted: str | None = None


def verify(store: Store, head: str | None = None) -> Verification:
    """Check every row of the ledger against its link, and that nothing was added or is gone.

    It does not tell whether the newest rows were cut off together with their links, or an older
    copy of the whole file was put back, unless `head` of an earlier check is given, which must
    still be in the chain; nor what was changed before a ledger got its chain; nor what was done by
    someone who knows the secret.

    Raises
    ------
    InputError
        If `head` is none.
    LedgerError
        If the file is damaged such that it cannot be read.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from discreet.ledger import Store, add_token, verify
    >>> from discreet.secret import Secret
    >>> with TemporaryDirectory() as folder:
    ...     store = Store(Path(folder), Secret.from_bytes(bytes(range(32))))
    ...     text = add_token(store, "cohort.csv", "alice")
    ...     head = verify(store).head
    ...     text = add_token(store, "cohort.csv", "bob")
    ...     found = verify(store, head)
    >>> found.rows, found.broken
    (2, ())
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
    previous, number, held = FIRST, 0, head in {None, FIRST}
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
        held = held or seal == head
        if done % ROWS_A_STEP == 0 or done == total:
            advance("checking the ledger", done, total)
    broken += _unlinked(connection)
    if not held:
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


def stamp(now: datetime | None = None) -> str:
    """Return a time, or the present, as text that sorts as times do: UTC, with milliseconds."""
    at = datetime.now(UTC) if now is None else now.astimezone(UTC)
    return at.isoformat(timespec="milliseconds")


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


SCHEMA = 1
"""What `PRAGMA user_version` says; 0 where a ledger is new, or older than the chain."""

OLD_TABLES = ("version", "choice", "sketch", "leaving")
"""Those of a ledger from before the chain."""

TABLES = (
    *OLD_TABLES,
    "adoption",
    "token",
    "revocation",
    "asked",
    "outcome",
    "answer",
)
"""The tables whose rows have a link each in the table `chain`."""

# The first four and the index after them stand in ledgers from before the chain, so that their
# text stays as it is.
MADE = (
    """CREATE TABLE IF NOT EXISTS version (
    id INTEGER PRIMARY KEY, study TEXT NOT NULL, number INTEGER NOT NULL,
    settings TEXT NOT NULL, opened TEXT NOT NULL)""",
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
    """CREATE TABLE IF NOT EXISTS adoption (
    id INTEGER PRIMARY KEY, at TEXT NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS token (
    id INTEGER PRIMARY KEY, at TEXT NOT NULL, study TEXT NOT NULL, name TEXT NOT NULL,
    role TEXT NOT NULL, digest TEXT NOT NULL UNIQUE, expires TEXT NOT NULL,
    UNIQUE (study, name))""",
    """CREATE TABLE IF NOT EXISTS revocation (
    id INTEGER PRIMARY KEY, at TEXT NOT NULL, token INTEGER NOT NULL UNIQUE REFERENCES token)""",
    """CREATE TABLE IF NOT EXISTS asked (
    id INTEGER PRIMARY KEY, at TEXT NOT NULL, caller TEXT NOT NULL, study TEXT NOT NULL,
    version INTEGER NOT NULL, what TEXT NOT NULL, request TEXT NOT NULL, view TEXT,
    outcome TEXT NOT NULL)""",
    "CREATE INDEX IF NOT EXISTS asked_when ON asked (caller, study, at, outcome)",
    "CREATE INDEX IF NOT EXISTS asked_view ON asked (caller, study, version, view)",
    """CREATE TABLE IF NOT EXISTS outcome (
    id INTEGER PRIMARY KEY, at TEXT NOT NULL, asked INTEGER NOT NULL UNIQUE REFERENCES asked,
    code TEXT NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS answer (
    id INTEGER PRIMARY KEY, at TEXT NOT NULL, study TEXT NOT NULL, version INTEGER NOT NULL,
    view TEXT NOT NULL, status INTEGER NOT NULL, body BLOB NOT NULL,
    UNIQUE (study, version, view))""",
    """CREATE TABLE IF NOT EXISTS chain (
    id INTEGER PRIMARY KEY, source TEXT NOT NULL, row INTEGER NOT NULL, seal TEXT NOT NULL,
    UNIQUE (source, row))""",
)
TRIGGERS = tuple(
    f"CREATE TRIGGER IF NOT EXISTS {table}_no_{verb.lower()} BEFORE {verb} ON {table}"
    " BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END"
    for table in (*TABLES, "chain")
    for verb in ("UPDATE", "DELETE")
)


def create(connection: sqlite3.Connection) -> None:
    """Make the tables, indexes and triggers that are not there, in the caller's transaction."""
    for statement in (*MADE, *TRIGGERS):
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {SCHEMA}")


def objects_of(connection: sqlite3.Connection) -> dict[str, str]:
    """Return the text of every table, index and trigger by its kind and name: "table asked"."""
    rows = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()
    return {
        f"{kind} {name}": " ".join(f"{table} {text}".split()) for kind, name, table, text in rows
    }
