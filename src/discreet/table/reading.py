"""From a file or a frame of any kind to the one kind of frame inside."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import narwhals as nw

from discreet.errors import DiscreetError, InputError, one_of

__all__ = ["as_lazy", "quiet", "read_file"]

READERS = {".csv": "csv", ".tsv": "csv", ".parquet": "parquet", ".pq": "parquet"}
MISSING_WORDS = ["", "NA", "N/A", "NaN", "nan", "NULL", "null", "None"]


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
    if not start.strip() or (reader == "csv" and b"\0" in start):
        raise InputError(f"file {path.name!r} is empty or no {reader.upper()} file")
    # Data that do not fit into memory must not be spilled into the user's folder.
    spill = tempfile.TemporaryDirectory(prefix="discreet-", ignore_cleanup_errors=True)
    options: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "temp_directory": spill.name,
    }
    with quiet(f"file {path.name!r} could not be read as {reader.upper()}"):
        connection = duckdb.connect(config=options)
        connection.execute("SET enable_progress_bar = false")
        if reader == "parquet":
            relation = connection.read_parquet(str(path))
        else:
            # The whole file decides on types: with a sample a later row would fail, or differ.
            relation = connection.read_csv(
                str(path), header=True, sample_size=-1, na_values=MISSING_WORDS
            )
    return as_lazy(relation), (spill, connection)


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
    if any(not isinstance(name, str) or not name for name in names):
        raise InputError("every column of the table must have a name that is text")
    return frame.lazy()


@contextmanager
def quiet(what: str) -> Iterator[None]:
    """Turn an engine's error, which may quote cells, into one of ours that does not."""
    try:
        yield
    except DiscreetError:
        raise
    except Exception as error:
        raise InputError(
            f"{what} ({type(error).__name__}); check that it is complete, and that every column"
            " holds one type"
        ) from None
