"""Tables of databases, of Spark and of web addresses: they are read, and never written to.

**One snapshot.** Of PostgreSQL all that a study asks is answered from the state of the table when
the study was opened: counts of two states of it would give away whoever came in between. The server
keeps that state as long as the study is open, in one read-only transaction.
"""

from __future__ import annotations

import io
import os
import shutil
import sys
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

import narwhals as nw
import pyarrow as pa

from discreet.errors import InputError, needing, one_of, path_in_words, some_of
from discreet.table.columns import lazy_frame
from discreet.table.engine import connect, error_name, plain_types, quote_name

if TYPE_CHECKING:
    import psycopg
    from duckdb import DuckDBPyRelation


DATABASES = (".duckdb", ".ddb")
PARQUET = (".parquet", ".pq")
DUCKDB_TABLES = """
SELECT schema_name, table_name FROM duckdb_tables()
WHERE database_name = current_database() AND NOT internal
UNION ALL SELECT schema_name, view_name FROM duckdb_views()
WHERE database_name = current_database() AND NOT internal ORDER BY ALL
"""


@dataclass(frozen=True)
class Opened:
    """A frame, what must be kept alive for it, and what it is known by.

    `path` is the file that it is in, if it is in one of this machine; `url` what a command takes to
    open it again, without a password.
    """

    frame: nw.LazyFrame[Any]
    keep: object
    name: str | None
    path: Path | None
    url: str | None


def is_database(source: object) -> bool:
    """Whether a source is a URL, or a database file."""
    file = isinstance(source, str | Path) and Path(source).suffix.lower() in DATABASES
    return file or is_url(source)


def open_database(source: str | Path) -> Opened:
    """Open a table of a database file, of a server, or at a web address."""
    if not is_url(source):
        return _open_duckdb(Path(source), "", str(source))
    url = str(source)
    scheme = url.partition(":")[0].lower()
    if scheme not in OPENERS:
        allowed = one_of(f"{name}://" for name in OPENERS)
        raise InputError(f"a URL of a table begins with one of {allowed}")
    return OPENERS[scheme](url)


def _open_duckdb_url(url: str) -> Opened:
    there, table = split_table(url)
    host, slash, path = there.partition("://")[2].partition("?")[0].partition("/")
    if host or not slash or not path:
        raise InputError(
            "a DuckDB file is named by duckdb:///file.duckdb?table=name, and by four slashes"
            " where its path begins at the root"
        )
    return _open_duckdb(Path(unquote(path)), table, url)


def _open_duckdb(path: Path, wanted: str, url: str) -> Opened:
    if not path.is_file():
        raise InputError(f"there is no file {path_in_words(path)}")
    try:
        kept = connect(path)
        found = kept.connection.execute(DUCKDB_TABLES).fetchall()
        tables = [(str(schema), str(name)) for schema, name in found]
    except InputError:
        raise
    except Exception as error:
        raise InputError(
            f"file {path.name!r} could not be opened by DuckDB ({type(error).__name__}); check that"
            " it is a DuckDB file, and that no other program has it open for writing"
        ) from None
    schema, name = chosen_table(f"file {path.name!r}", tables, wanted, usual="main")
    try:
        frame = _frame(
            kept.connection.sql(f"SELECT * FROM {quote_name(schema)}.{quote_name(name)}")
        )
    except InputError:
        raise
    except Exception as error:  # a view of what is not there
        raise InputError(
            f"table {name!r} of file {path.name!r} could not be read by DuckDB"
            f" ({type(error).__name__}); if it is a view, check that what it is of is there"
        ) from None
    called = name if schema == "main" else f"{schema}.{name}"
    return Opened(frame, kept, f"{path.stem}.{called}", path, url)


def _frame(relation: DuckDBPyRelation) -> nw.LazyFrame[Any]:
    return lazy_frame(plain_types(relation))


def _open_web_url(url: str) -> Opened:
    """Open a Parquet file by DuckDB's reader of web addresses, if it is installed here."""
    address = urlsplit(url)
    name = unquote(address.path).rpartition("/")[2]
    if not name.lower().endswith(PARQUET):
        raise InputError(
            f"of a web address Parquet is read ({one_of(PARQUET)}); for another kind of file"
            " download it, and name the file"
        )
    kept = connect()
    try:
        # LOAD takes what is on this machine; nothing is installed by itself.
        kept.connection.execute("LOAD httpfs")
    except Exception:
        raise InputError(
            f"{address.scheme}:// needs DuckDB's extension httpfs, and it is not installed here:"
            " download the file and name it, or where the network may be used run once"
            " python -c \"import duckdb; duckdb.execute('INSTALL httpfs')\""
        ) from None
    try:
        relation = kept.connection.read_parquet(url, hive_partitioning=False)
    except Exception as error:
        raise InputError(
            f"{mask_url(url)} could not be read by DuckDB ({type(error).__name__}); check the"
            " address, and for s3:// AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION"
        ) from None
    return Opened(_frame(relation), kept, name, None, mask_url(url))


# --- URLs, and which table is wanted --------------------------------------------------------------


SPARK = "spark:"


def is_url(source: object) -> bool:
    """Whether a source is written as a URL, or as a table of Spark, and is no path."""
    return isinstance(source, str) and ("://" in source or source.startswith(SPARK))


def split_table(url: str) -> tuple[str, str]:
    """Part a URL's `table=` from it; what is left is for whoever connects.

    Examples
    --------
    >>> split_table("duckdb:///a.duckdb?table=visits")
    ('duckdb:///a.duckdb', 'visits')
    """
    there, _, query = url.partition("?")
    parameters = parse_qsl(query, keep_blank_values=True)
    rest = urlencode([(name, value) for name, value in parameters if name != "table"])
    table = "".join(value for name, value in parameters if name == "table")
    return there + (f"?{rest}" if rest else ""), table


def shown(source: str) -> str:
    """Return a source as it may be printed: a path as it is, a URL without its password."""
    return mask_url(source) if is_url(source) else source


def mask_url(url: str) -> str:
    """Return a URL without password, and without what stands in it beside the table.

    Examples
    --------
    >>> mask_url("postgresql://ann:secret@db/clinic?password=secret&table=visits")
    'postgresql://ann@db/clinic?table=visits'
    """
    if url.startswith(SPARK):  # its settings are in none
        return url
    there, table = split_table(url)
    scheme, _, rest = there.partition("?")[0].partition("://")
    netloc, slash, path = rest.partition("/")
    user, at, host = netloc.rpartition("@")
    out = f"{scheme}://{user.partition(':')[0]}{at}{host}{slash}{path}"
    return f"{out}?table={table}" if table else out


def chosen_table(
    where: str, tables: Sequence[tuple[str, str]], wanted: str, *, usual: str
) -> tuple[str, str]:
    """Return schema and name of the table that is wanted; of one alone no name is needed."""
    names = [name if schema == usual else f"{schema}.{name}" for schema, name in tables]
    if not tables:
        raise InputError(f"{where} has no table that may be read; check database and user")
    if not wanted and len(tables) == 1:
        return tables[0]
    if not wanted:
        raise InputError(f"{where} has several tables; say which by ?table=: {some_of(names)}")
    for (schema, name), short in zip(tables, names, strict=True):
        if wanted in (short, f"{schema}.{name}"):
            return schema, name
    raise InputError(f"{where} has no table {wanted!r}; there are {some_of(names)}")


# --- postgreSQL: one table, looked at in one read-only transaction; counts are made there ---------


POSTGRES_URL = "postgresql://user@host:5432/database?table=schema.name"
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
    "invalid URI": f"the URL is not written as {POSTGRES_URL}",
    "invalid percent-encoded": f"the URL is not written as {POSTGRES_URL}",
}
# What can be chosen: tables, views and the like that the user may read.
POSTGRES_TABLES = """
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
        import pyarrow.csv as pc

        query = nw.to_native(frame)
        types = {it.name: _sent_as(it.type) for it in query.schema().to_pyarrow()}
        sent = query.cast({name: "string" for name, it in types.items() if it == pa.string()})
        text = sent.get_backend().compile(sent)
        with psycopg.connect(self.conninfo) as own, own.cursor() as cursor:
            _make_read_only(own)
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


def open_postgres(url: str) -> Opened:
    """Open the table that a URL names."""
    with needing("postgres", "PostgreSQL"):
        import ibis
        import psycopg
    conninfo, wanted = split_table(url)
    with _safe_errors():
        connection = psycopg.connect(conninfo)
    kept = Postgres(connection, "", conninfo)
    weakref.finalize(kept, connection.close)
    with _safe_errors():
        _make_read_only(connection)
        # Whoever administers the server may end transactions that wait; this one has to.
        connection.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        kept.snapshot = str(connection.execute("SELECT pg_export_snapshot()").fetchall()[0][0])
        tables = [(str(schema), str(name)) for schema, name in connection.execute(POSTGRES_TABLES)]
        database = connection.info.dbname
    schema, name = chosen_table(f"PostgreSQL's {database!r}", tables, wanted, usual="public")
    connection.execute("SAVEPOINT opened")
    _go_on_after_errors(connection)
    with _safe_errors():
        backend = ibis.postgres.from_connection(connection)
        table = backend.table(name, database=schema)
    frame, called = plain_columns(table), f"{database}.{schema}.{name}"
    return Opened(frame, kept, called, None, mask_url(url))


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


def _make_read_only(connection: psycopg.Connection[Any]) -> None:
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
    same = pa.types.is_floating(kind) or pa.types.is_boolean(kind) or pa.types.is_temporal(kind)
    return kind if same and not pa.types.is_duration(kind) else pa.string()


@contextmanager
def _safe_errors() -> Iterator[None]:
    """Turn an error of the server or its library into one that holds no password and no cell."""
    import psycopg

    try:
        yield
    except psycopg.errors.InsufficientPrivilege:
        raise InputError(
            "PostgreSQL lets this user not read the table; have SELECT granted on it"
        ) from None
    except psycopg.Error as error:
        message = str(error)
        why = next((text for piece, text in CAUSES.items() if piece in message), None)
        why = why or "check the URL, and that the server can be reached"
        raise InputError(
            f"PostgreSQL could not be opened ({type(error).__name__}); {why}"
        ) from None


# --- tables of Spark: a session's, or one that is named on the command line -----------------------


SPARK_URL = "spark:database.table, or spark://host:7077/database.table"
JAVA = "Spark needs Java 17 or newer: install openjdk-17-jre-headless, or set JAVA_HOME"

PYTHON = "PYSPARK_PYTHON"


def open_spark(source: str) -> Opened:
    """Open a table of Spark's catalog.

    That of the session that there is, or of a new one, whose settings are where Spark looks for
    them; the master may be named in a URL.
    """
    master, slash, table = "", "", source.removeprefix(SPARK)
    if table.startswith("//"):
        master, slash, table = table[2:].partition("/")
        if not master or not slash:
            raise InputError(f"a table of Spark is named by {SPARK_URL}")
    if not table:
        raise InputError(f"a table of Spark is named by {SPARK_URL}")
    session = _session(f"spark://{master}" if master else None)
    try:
        frame = session.table(table)
    except Exception as error:
        raise InputError(
            f"Spark has no table {table!r} that can be read ({error_name(error)}); name it as"
            " spark.catalog.listTables() does, with its database before it"
        ) from None
    return Opened(lazy_frame(frame), None, table, None, source)


def _session(master: str | None) -> Any:
    with needing("spark", "Spark"):
        from pyspark.sql import SparkSession
    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=home and os.path.join(home, "bin"))
    if "SPARK_REMOTE" not in os.environ and java is None:
        raise InputError(JAVA)
    os.environ.setdefault(PYTHON, sys.executable)
    builder = SparkSession.builder.appName("discreet").config(
        "spark.ui.showConsoleProgress", "false"
    )
    try:
        session = (builder.master(master) if master else builder).getOrCreate()
    except Exception as error:
        raise InputError(
            f"no session of Spark could be begun ({error_name(error)}); check its settings"
            " (spark-defaults.conf), and that the master answers"
        ) from None
    if "SPARK_REMOTE" not in os.environ:
        session.sparkContext.setLogLevel("ERROR")
    return session


def use_this_python(frame: Any) -> Any:
    """Return a frame of Spark whose workers run this Python, where nobody said another one.

    Of workers on this machine alone: another may have it elsewhere.
    """
    context = getattr(frame.sparkSession, "sparkContext", None)
    if PYTHON not in os.environ and context is not None and context.master.startswith("local"):
        context.pythonExec = sys.executable
    return frame


OPENERS: dict[str, Callable[[str], Opened]] = {
    "duckdb": _open_duckdb_url,
    "postgresql": open_postgres,
    "postgres": open_postgres,
    "s3": _open_web_url,
    "https": _open_web_url,
    "spark": open_spark,
}
