"""DuckDB as discreet opens it: in bounded memory, and nothing comes over the network by itself.

Its errors, which may quote cells, become ours, which name a file and a cause.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Concatenate, Literal, ParamSpec, TypeVar

import narwhals as nw
import pyarrow as pa

from discreet.errors import DiscreetError, InputError
from discreet.table.private import at_end, own_folder

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation


P = ParamSpec("P")
R = TypeVar("R")
Compression = Literal["gzip", "zstd"]

MEMORY_LIMIT = "2GB"
"""So much memory DuckDB takes for one study; what does not fit goes to a private folder."""
MEMORY = "DISCREET_MEMORY"
"""The environment variable that sets another limit, such as "500MB" or "16GB"."""
MOST_COLUMNS = 3_000
"""A table has so many columns at most."""
SIZE = re.compile(r"\d+(\.\d+)? ?[KMGT]i?B", re.IGNORECASE)
NO_DATA = "the data could not be read"


def _nothing() -> str:
    return ""


@dataclass(eq=False)
class Kept:
    """What a frame of DuckDB needs as long as it is used."""

    connection: DuckDBPyConnection
    #: The time zones of columns of moments, which DuckDB does not keep.
    zones: Mapping[str, str] = field(default_factory=dict)
    #: What the file says that its columns are.
    labels: Mapping[str, str] = field(default_factory=dict)
    #: The levels of columns from first to last, where the file declares an order.
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    #: The files of Parquet that the frame is, if it is.
    files: tuple[Path, ...] = ()
    #: What is said where the frame cannot be read, and what looks for the cause then.
    failed: str = NO_DATA
    why: Callable[[], str] = _nothing

    def batches(self, frame: nw.LazyFrame[Any]) -> Iterator[pa.RecordBatch]:
        """Stream the rows of a frame by a connection of its own.

        Another question on the same one would end it.
        """
        query = nw.to_native(frame).sql_query()
        with self.connection.cursor() as own:
            yield from pa.RecordBatchReader.from_stream(own.sql(query))


@dataclass(frozen=True)
class Source:
    """Files of one format that together are a table; `compression` and `sheet` where there is."""

    name: str
    files: tuple[Path, ...]
    #: The folder above which nothing is looked at.
    folder: Path
    compression: Compression | None = None
    sheet: str | None = None

    @property
    def file(self) -> Path:
        """The file, of a format that has one."""
        return self.files[0]

    def start(self, size: int) -> bytes:
        """Return how the first file begins."""
        with pa.input_stream(str(self.file), compression=self.compression) as file:
            return bytes(file.read(size))


def connect(path: Path | None = None) -> Kept:
    """Open DuckDB on nothing, or on a database file that is only read."""
    import duckdb

    limit = os.environ.get(MEMORY) or MEMORY_LIMIT
    if not SIZE.fullmatch(limit):
        raise InputError(f"{MEMORY} is an amount of memory, such as '500MB' or '16GB'")
    options: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "memory_limit": limit,
    }
    connection = duckdb.connect(path or ":memory:", read_only=path is not None, config=options)
    kept = Kept(connection)
    # Data that do not fit into memory must not be spilled into the user's folder.
    spill = str(own_folder(kept)).replace("'", "''")
    at_end(kept, connection.close)  # before the folder is deleted
    connection.execute(f"SET temp_directory = '{spill}'")
    connection.execute("SET enable_progress_bar = false")
    # Whatever the clock of the machine: moments are shown as those of UTC.
    connection.execute("SET TimeZone = 'UTC'")
    return kept


def load_table(kept: Kept, table: pa.Table) -> DuckDBPyRelation:
    """Hold a table of pyarrow in a connection, where each of its cursors finds it."""
    kept.zones = time_zones(table.schema)
    kept.connection.register("made", table)
    kept.connection.execute("CREATE TABLE data AS SELECT * FROM made")
    kept.connection.unregister("made")
    return plain_types(kept.connection.table("data"))


PLAIN: Mapping[str, str] = MappingProxyType(
    {
        "TIMESTAMP WITH TIME ZONE_NS": "TIMESTAMPTZ",
        "TIMESTAMPTZ_NS": "TIMESTAMPTZ",
        "UUID": "VARCHAR",
        "TIME_NS": "TIME",
        "BIGNUM": "DOUBLE",
        '"NULL"': "VARCHAR",
    }
)
"""Types of DuckDB that what takes its frames does not know, and what they are read as."""


def replace_columns(relation: DuckDBPyRelation, made: Mapping[str, str]) -> DuckDBPyRelation:
    """Return a relation some of whose columns are made by expressions of DuckDB."""
    if not made:
        return relation
    return relation.project(
        ", ".join(
            f"{made[name]} AS {quote_name(name)}" if name in made else quote_name(name)
            for name in relation.columns
        )
    )


def plain_types(relation: DuckDBPyRelation) -> DuckDBPyRelation:
    """Return a relation whose columns are of types that what takes it knows, as far as they can."""
    kinds = [*zip(map(quote_name, relation.columns), map(str, relation.types), strict=True)]
    if not any(kind in PLAIN for _, kind in kinds):
        return relation
    return relation.project(
        ", ".join(
            f"CAST({it} AS {PLAIN[kind]}) AS {it}" if kind in PLAIN else it for it, kind in kinds
        )
    )


def quote_name(name: str) -> str:
    """Return the name of a column or table as SQL has it.

    Examples
    --------
    >>> print(quote_name("the sum"))
    "the sum"
    """
    return '"' + name.replace('"', '""') + '"'


def time_zones(schema: pa.Schema) -> dict[str, str]:
    """Return the time zones of the columns of a pyarrow schema that have one."""
    return {it.name: it.type.tz for it in schema if getattr(it.type, "tz", None)}


def check_many(names: Sequence[str]) -> None:
    """Refuse a table of very many columns."""
    if len(names) > MOST_COLUMNS:
        raise InputError(
            f"the table has {len(names):,} columns, and at most {MOST_COLUMNS:,} are read; leave"
            " out those that are not needed"
        )


def check_different(names: Sequence[str]) -> None:
    """Refuse two columns of one name: some engines take capitals and small letters for the same.

    Nor are there more columns than engines answer for in a time that somebody waits.
    """
    check_many(names)
    if len({name.lower() for name in names}) < len(names):
        raise InputError(
            "two columns of the table have the same name, or names that differ only in case; "
            "give each its own"
        )


@contextmanager
def quiet(
    what: str, why: Callable[[], str] = _nothing, where: Callable[[], str] = _nothing
) -> Iterator[None]:
    """Turn an engine's error, which may quote cells, into one of ours that does not.

    `why` looks for the cause, and says what to do; `where` for the column that cannot be read.
    """
    try:
        yield
    except DiscreetError:
        raise
    except Exception as error:
        column = _first_cause(where)
        at = f" at column {column!r}" if column else ""
        cause = _first_cause(why) or CAUSES.get(type(error).__name__, CHECK)
        raise InputError(f"{what}{at} ({error_name(error)}); {cause}") from None


def _first_cause(why: Callable[[], str]) -> str:
    with suppress(Exception):
        return why()
    return ""


def failure(keep: Any) -> tuple[str, Callable[[], str]]:
    """Return what is said where a frame cannot be read, by what is kept for it."""
    return (keep.failed, keep.why) if isinstance(keep, Kept) else (NO_DATA, _nothing)


def quietly(method: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Any, P], R]:
    """Let the errors of engines in a method of a Table become ours."""

    @wraps(method)
    def call(self: Any, /, *args: P.args, **named: P.kwargs) -> R:
        with quiet(*failure(self._keep), self.unreadable):
            return method(self, *args, **named)

    return call


# --- what an engine's error may mean --------------------------------------------------------------


CHECK = "check that it is complete, and that every column holds one type"
ENGINES = {
    "psycopg": "PostgreSQL",
    "pyspark": "Spark",
    "py4j": "Spark",
    "ibis": "ibis",
    "dask": "Dask",
}
CAUSES = {
    "OutOfMemoryException": "allow DuckDB more memory: DISCREET_MEMORY=8GB, say",
    "IdleInTransactionSessionTimeout": "the server ended the connection; open the study again",
    "OperationalError": "the connection to the server is lost; open the study again",
    "AdminShutdown": "the server ended the connection; open the study again",
    "InsufficientPrivilege": "have SELECT granted on the table to this user",
    "NumericValueOutOfRange": "a number of the column is too large for double precision",
    "PythonException": "Spark's workers need the driver's Python, with discreet: set"
    " PYSPARK_PYTHON before the session begins",
    "Py4JJavaError": "Spark's log says why; workers need the driver's Python, with discreet:"
    " PYSPARK_PYTHON",
    "AnalysisException": "Spark says what is wrong with a table where it is shown: frame.show()",
    "Py4JNetworkError": "the Spark session has ended; begin one, and open the study again",
}


def error_name(error: Exception) -> str:
    """Name an error by the engine that it is of, where that is known, and its kind.

    Examples
    --------
    >>> error_name(ValueError("a cell"))
    'ValueError'
    """
    engine = ENGINES.get(type(error).__module__.partition(".")[0])
    kind = type(error).__name__
    return kind if engine is None else f"{engine}: {kind}"
