"""From a file or a frame of any kind to the one kind of frame inside."""

from __future__ import annotations

import csv
import glob
import re
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals as nw

from discreet.errors import DiscreetError, InputError, one_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

__all__ = ["as_lazy", "parts", "quiet", "read_file"]

SEPARATORS = ",;\t|"
AS_UTF8 = "save it as UTF-8 (in a spreadsheet: 'CSV UTF-8')"
READERS = {".csv": "csv", ".tsv": "csv", ".parquet": "parquet", ".pq": "parquet"}
# Infinite is as good as missing, for only finite values count; DuckDB would make text of "-inf".
INFINITE_WORDS = [sign + word for sign in ("", "+", "-") for word in ("inf", "Inf", "Infinity")]
MISSING_WORDS = ["", "NA", "N/A", "NaN", "nan", "NULL", "null", "None", *INFINITE_WORDS]
# Not DuckDB's 128-bit integers, whose way to a float is off by a last digit at times.
CSV_TYPES = ["BOOLEAN", "BIGINT", "DOUBLE", "TIME", "DATE", "TIMESTAMP", "VARCHAR"]


PART = 1 << 18
"""So many rows of a frame are read at once."""


@dataclass(eq=False)
class _Kept:
    """What a frame of a file needs as long as it is used."""

    connection: DuckDBPyConnection


def read_file(path: Path) -> tuple[nw.LazyFrame[Any], object]:
    """Open a CSV or Parquet file with DuckDB; return it, and what must be kept alive for it."""
    import duckdb

    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise InputError(f"file {path.name!r} must end in one of {one_of(READERS)}")
    if not path.is_file():
        raise InputError(f"there is no file {str(path)!r}")
    with path.open("rb") as file:
        start = file.read(1 << 16)
    if reader == "csv" and start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(f"file {path.name!r} is UTF-16; {AS_UTF8}")
    if not start.strip() or (reader == "csv" and b"\0" in start):
        raise InputError(f"file {path.name!r} is empty or no {reader.upper()} file")
    # Data that do not fit into memory must not be spilled into the user's folder.
    spill = tempfile.mkdtemp(prefix="discreet-")
    options: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "temp_directory": spill,
    }
    with quiet(f"file {path.name!r} could not be read as {reader.upper()}", path):
        connection = duckdb.connect(config=options)
        kept = _Kept(connection)
        weakref.finalize(kept, shutil.rmtree, spill, ignore_errors=True)
        connection.execute("SET enable_progress_bar = false")
        if reader == "parquet":
            relation = _read_parquet(connection, path)
        else:
            relation = _read_csv(connection, path, start)
    return as_lazy(relation), kept


def as_lazy(source: object) -> nw.LazyFrame[Any]:
    """Take a frame that narwhals knows, whatever made it."""
    try:
        frame: nw.DataFrame[Any] | nw.LazyFrame[Any] = nw.from_native(source)
        names = frame.collect_schema().names()
    except Exception:
        raise InputError(
            "source must be a path to a CSV or Parquet file, or a pandas, polars, pyarrow or"
            " DuckDB table whose columns have different names"
        ) from None
    if not names or any(not isinstance(name, str) or not name for name in names):
        raise InputError("every column of the table must have a name that is text")
    if nw.dependencies.is_duckdb_relation(source):
        _check_different(source.columns)
    return frame.lazy()


def parts(frame: nw.LazyFrame[Any], wanted: Sequence[nw.Expr], keep: object) -> Iterator[Any]:
    """Read columns of a frame as pyarrow batches of rows.

    A file is read by a connection of its own, for another question on the same one would end it.
    `keep` is what `read_file` gave.
    """
    import pyarrow as pa

    native = nw.to_native(frame)
    if isinstance(keep, _Kept):
        query = nw.to_native(frame.select(*wanted)).sql_query()
        with keep.connection.cursor() as own:
            yield from pa.RecordBatchReader.from_stream(own.sql(query))
        return
    eager = nw.from_native(native, eager_only=True, pass_through=True)
    if not isinstance(eager, nw.DataFrame):
        eager = frame.select(*wanted).collect("pyarrow")
        wanted = [nw.col(name) for name in eager.columns]
    for start in range(0, len(eager), PART):
        part = eager[start : start + PART].lazy().select(*wanted).collect("pyarrow")
        yield from part.to_native().combine_chunks().to_batches()


@contextmanager
def quiet(what: str, path: Path | None = None) -> Iterator[None]:
    """Turn an engine's error, which may quote cells, into one of ours that does not.

    Of a CSV file at `path` the cause is looked for.
    """
    try:
        yield
    except DiscreetError:
        raise
    except Exception as error:
        why = _why_not(path) if path is not None and READERS[path.suffix.lower()] == "csv" else ""
        why = why or "check that it is complete, and that every column holds one type"
        raise InputError(f"{what} ({type(error).__name__}); {why}") from None


def _why_not(path: Path) -> str:
    """Say what is wrong with a CSV file that cannot be read, and what to do; no cell of it."""
    try:
        with path.open("rb") as raw:
            sign = _separator(path, raw.read(1 << 16))
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.reader(file, delimiter=sign)
            wanted = len(next(rows))
            torn = next((cells for cells in rows if cells and len(cells) != wanted), None)
    except UnicodeDecodeError:
        return f"its letters are not UTF-8 (but latin-1, say); {AS_UTF8}"
    except (OSError, csv.Error, StopIteration):
        return ""
    if torn is None:
        return ""
    if len(torn) == 1 and any(other in torn[0] for other in SEPARATORS if other != sign):
        return f"its names are parted by {sign!r} and its rows by another sign; use one for both"
    return (
        f"row {rows.line_num} has more or fewer cells than the first row, which is parted by"
        f" {sign!r}; quote cells that hold this sign, and leave out lines above or below the table"
    )


def _read_parquet(connection: DuckDBPyConnection, path: Path) -> DuckDBPyRelation:
    from pyarrow.parquet import read_schema

    _check_different(read_schema(path).names)
    return connection.read_parquet(glob.escape(str(path)), hive_partitioning=False)


def _read_csv(connection: DuckDBPyConnection, path: Path, start: bytes) -> DuckDBPyRelation:
    # Little is left to be guessed: a guess skips lines that do not fit it, and torn ones.
    delimiter = _separator(path, start)
    with path.open(encoding="utf-8-sig", newline="") as file:
        names = next(csv.reader(file, delimiter=delimiter))
    named = [name.strip() for name in names if name.strip()]
    if not named:
        raise InputError(f"file {path.name!r} must name its columns in its first line")
    if any(_is_number(name) for name in named):
        raise InputError(
            f"file {path.name!r} must name its columns in its first line, and a number is no name;"
            " write the names above the data"
        )
    _check_different(named)
    read = partial(
        connection.read_csv,
        glob.escape(str(path)),
        header=True,
        sep=delimiter,
        quotechar='"',
        escapechar='"',
        skiprows=0,
        comment="",
        hive_partitioning=False,
        na_values=MISSING_WORDS,
        auto_type_candidates=CSV_TYPES,
        sample_size=-1,  # the whole file decides on types: a later row would fail, or differ
    )
    relation = read()
    text = _not_yes_no(relation, read)
    return read(dtype=dict.fromkeys(text, "VARCHAR")) if text else relation


def _not_yes_no(relation: DuckDBPyRelation, read: Callable[..., DuckDBPyRelation]) -> Sequence[str]:
    """Name the columns of other words than true and false: DuckDB takes yes, no, T and F too."""
    kinds = zip(relation.columns, relation.types, strict=True)
    doubtful = [name for name, kind in kinds if str(kind) == "BOOLEAN"]
    if not doubtful:
        return doubtful
    texts = as_lazy(read(dtype=dict.fromkeys(doubtful, "VARCHAR")))
    words = (nw.col(name).str.to_lowercase() for name in doubtful)
    plain = texts.select(*(word.is_in(["true", "false"]).all() for word in words))
    found = plain.collect("pyarrow")
    return [name for name in doubtful if not found[name][0]]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _separator(path: Path, start: bytes) -> str:
    """Return what parts the names of a CSV file's header."""
    if path.suffix.lower() == ".tsv":
        return "\t"
    header = re.sub(rb'"[^"]*"', b"", start).partition(b"\n")[0]
    return max(SEPARATORS, key=lambda sign: header.count(sign.encode()))


def _check_different(names: Sequence[str]) -> None:
    if len({name.lower() for name in names}) < len(names):
        raise InputError(
            "two columns of the table have the same name, or one that differs in capitals alone;"
            " give each its own"
        )
