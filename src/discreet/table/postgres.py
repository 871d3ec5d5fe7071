"""PostgreSQL: one table, looked at in one read-only transaction; counts are made there.

**One snapshot.** All that a study asks is answered from the state of the table when the study was
opened: counts of two states of it would give away whoever came in between. The server keeps that
state as long as the study is open.
"""

from __future__ import annotations

import io
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, cast

import narwhals as nw

from discreet.errors import InputError, needing
from discreet.table.urls import chosen_table, without_table

if TYPE_CHECKING:
    import psycopg
    import pyarrow as pa

FORM = "postgresql://user@host:5432/database?table=schema.name"
PASSWORDS = "PGPASSWORD, ~/.pgpass or a service file (PGSERVICE) may hold it"
#: Of what the server's library says one piece is looked for; what it says may hold a password.
CAUSES = {
    "password authentication failed": f"the password is wrong; {PASSWORDS}",
    "no password supplied": f"a password is needed; {PASSWORDS}",
    "does not exist": "there is no such user or database; check both in the URL",
    "pg_hba.conf": "the server lets this user not in from here; ask its administrator",
    "could not translate host name": "the host is not known; check it in the URL",
    "timeout": "the server does not answer; check host and port, and the network",
    "Connection refused": "nothing answers there; check host and port, and whether it runs",
    "invalid URI": f"the URL is not written as {FORM}",
    "invalid percent-encoded": f"the URL is not written as {FORM}",
}
# What can be chosen: tables, views and the like that the user may read.
TABLES = """
SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f') AND n.nspname !~ '^pg_'
AND n.nspname <> 'information_schema' AND has_table_privilege(c.oid, 'SELECT') ORDER BY 1, 2
"""
# Beyond these no date is meant (see `dates`), and Python has none for PostgreSQL's infinite ones.
FIRST_DAY, LAST_DAY = (2, 1, 1), (9998, 12, 31)


@dataclass(eq=False)
class Postgres:
    """A connection whose transaction holds one snapshot, and how another one shares it."""

    connection: psycopg.Connection[Any]
    snapshot: str
    conninfo: str

    def __repr__(self) -> str:
        return "Postgres()"

    def batches(self, frame: nw.LazyFrame[Any]) -> Iterator[pa.RecordBatch]:
        """Stream the rows of a frame by a connection of its own, as the snapshot has them."""
        import psycopg
        import pyarrow as pa
        import pyarrow.csv as pc

        query = nw.to_native(frame)
        types = {it.name: _sent_as(it.type) for it in query.schema().to_pyarrow()}
        sent = query.cast({name: "string" for name, it in types.items() if it == pa.string()})
        text = sent.get_backend().compile(sent)
        with psycopg.connect(self.conninfo) as own, own.cursor() as cursor:
            _read_only(own)
            cursor.execute(f"SET TRANSACTION SNAPSHOT '{self.snapshot}'")
            cursor.execute("SET LOCAL TimeZone = 'UTC'; SET LOCAL DateStyle = 'ISO'")
            with cursor.copy(f"COPY ({text}) TO STDOUT (FORMAT csv)") as copy:
                yield from pc.open_csv(
                    io.BufferedReader(_Stream(copy)),
                    pc.ReadOptions(column_names=[*types], block_size=1 << 22),
                    pc.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
                    pc.ConvertOptions(
                        column_types=types,
                        true_values=["t"],
                        false_values=["f"],
                        null_values=[""],
                        strings_can_be_null=True,
                        quoted_strings_can_be_null=False,
                    ),
                )


class _Stream(io.RawIOBase):
    """What a COPY sends, as a file that is read."""

    def __init__(self, copy: psycopg.Copy) -> None:
        self._chunks, self._rest = iter(copy), memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int:
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._rest = memoryview(chunk)
        size = min(len(into), len(self._rest))
        into[:size], self._rest = self._rest[:size], self._rest[size:]
        return size


def open_postgres(url: str) -> tuple[nw.LazyFrame[Any], Postgres, str]:
    """Open the table that a URL names; return it, what must be kept for it, and its name."""
    with needing("postgres", "PostgreSQL"):
        import ibis
        import psycopg
    conninfo, wanted = without_table(url)
    with _said():
        connection = psycopg.connect(conninfo)
    kept = Postgres(connection, "", conninfo)
    weakref.finalize(kept, connection.close)
    with _said():
        _read_only(connection)
        # Whoever administers the server may end transactions that wait; this one has to.
        connection.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        kept.snapshot = str(connection.execute("SELECT pg_export_snapshot()").fetchall()[0][0])
        tables = [(str(schema), str(name)) for schema, name in connection.execute(TABLES)]
        database = connection.info.dbname
    schema, name = chosen_table(f"PostgreSQL's {database!r}", tables, wanted, usual="public")
    connection.execute("SAVEPOINT opened")
    _go_on_after_errors(connection)
    with _said():
        backend = ibis.postgres.from_connection(connection)
        table = backend.table(name, database=schema)
    return plain_columns(table), kept, f"{database}.{schema}.{name}"


def plain_columns(table: Any) -> nw.LazyFrame[Any]:
    """Return an ibis table of PostgreSQL, its columns of types that every engine knows."""
    frame = nw.from_native(table).lazy()
    schema = frame.collect_schema()
    casts = {name: "string" for name, it in schema.items() if it == nw.Unknown}
    casts |= {name: "float64" for name, it in schema.items() if it.is_decimal()}
    frame = nw.from_native(table.cast(casts)).lazy() if casts else frame
    dated = []
    for name, it in schema.items():
        if isinstance(it, nw.Date):
            first, last = date(*FIRST_DAY), date(*LAST_DAY)
        elif isinstance(it, nw.Datetime):
            zone = UTC if it.time_zone else None
            first, last = (datetime(*day, tzinfo=zone) for day in (FIRST_DAY, LAST_DAY))
        else:
            continue
        known = (nw.col(name) >= nw.lit(first)) & (nw.col(name) <= nw.lit(last))
        dated.append(nw.when(known).then(nw.col(name)).alias(name))
    return cast("nw.LazyFrame[Any]", frame.with_columns(*dated) if dated else frame)


def _read_only(connection: psycopg.Connection[Any]) -> None:
    from psycopg import IsolationLevel

    connection.isolation_level = IsolationLevel.REPEATABLE_READ
    connection.read_only = True


def _go_on_after_errors(connection: psycopg.Connection[Any]) -> None:
    """Let a question that failed end no other: the snapshot stays as it is.

    ibis begins each question by `transaction`. What failed leaves the transaction unusable, as
    ibis closes cursors that are gone by then.
    """
    from psycopg.pq import TransactionStatus

    begun = connection.transaction

    def transaction(*args: Any, **kwargs: Any) -> Any:
        if connection.info.transaction_status == TransactionStatus.INERROR:
            connection.execute("ROLLBACK TO SAVEPOINT opened")
        return begun(*args, **kwargs)

    connection.transaction = transaction  # type: ignore[method-assign]


def _sent_as(kind: pa.DataType) -> pa.DataType:
    """Return as which type a column is read from the text that is sent."""
    import pyarrow as pa

    same = pa.types.is_floating(kind) or pa.types.is_boolean(kind) or pa.types.is_temporal(kind)
    return kind if same and not pa.types.is_duration(kind) else pa.string()


@contextmanager
def _said() -> Iterator[None]:
    """Turn an error of the server or its library into one that holds no password and no cell."""
    import psycopg

    try:
        yield
    except psycopg.errors.InsufficientPrivilege:
        raise InputError(
            "PostgreSQL lets this user not read the table; have SELECT granted on it"
        ) from None
    except psycopg.Error as error:
        said = str(error)
        why = next((text for piece, text in CAUSES.items() if piece in said), None)
        why = why or "check the URL, and that the server can be reached"
        raise InputError(
            f"PostgreSQL could not be opened ({type(error).__name__}); {why}"
        ) from None
