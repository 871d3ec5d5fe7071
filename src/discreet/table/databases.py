"""Tables of databases and of web addresses: they are read, and never written to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import narwhals as nw

from discreet.errors import InputError, one_of, path_in_words
from discreet.table.columns import as_lazy
from discreet.table.engine import connect, plain_types, quoted
from discreet.table.postgres import open_postgres
from discreet.table.spark import open_spark
from discreet.table.urls import chosen_table, is_url, masked, without_table

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

DATABASES = (".duckdb", ".ddb")
PARQUET = (".parquet", ".pq")
TABLES = """
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


def _from_duckdb(url: str) -> Opened:
    there, table = without_table(url)
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
        tables = [(str(schema), str(name)) for schema, name in _rows(kept.connection, TABLES)]
    except InputError:
        raise
    except Exception as error:
        raise InputError(
            f"file {path.name!r} could not be opened by DuckDB ({type(error).__name__}); check that"
            " it is a DuckDB file, and that no other program has it open for writing"
        ) from None
    schema, name = chosen_table(f"file {path.name!r}", tables, wanted, usual="main")
    try:
        frame = _frame(kept.connection.sql(f"SELECT * FROM {quoted(schema)}.{quoted(name)}"))
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
    return as_lazy(plain_types(relation))


def _rows(connection: DuckDBPyConnection, query: str) -> list[tuple[Any, ...]]:
    return connection.execute(query).fetchall()


def _from_postgres(url: str) -> Opened:
    frame, kept, name = open_postgres(url)
    return Opened(frame, kept, name, None, masked(url))


def _from_web(url: str) -> Opened:
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
            f"{masked(url)} could not be read by DuckDB ({type(error).__name__}); check the"
            " address, and for s3:// AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION"
        ) from None
    return Opened(_frame(relation), kept, name, None, masked(url))


def _from_spark(url: str) -> Opened:
    frame, name = open_spark(url)
    return Opened(as_lazy(frame), None, name, None, url)


OPENERS: dict[str, Callable[[str], Opened]] = {
    "duckdb": _from_duckdb,
    "postgresql": _from_postgres,
    "postgres": _from_postgres,
    "s3": _from_web,
    "https": _from_web,
    "spark": _from_spark,
}
