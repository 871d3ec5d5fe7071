"""Files of text: CSV and JSON lines, compressed or not."""

from __future__ import annotations

import csv
import glob
import io
import json
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals as nw

from discreet.errors import InputError
from discreet.table.engine import Kept, Source, check_different, quoted

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation

__all__ = [
    "MISSING_WORDS",
    "header_of",
    "is_number",
    "names_in_csv",
    "names_in_json",
    "read_csv",
    "read_json",
    "why_no_csv",
]

SEPARATORS = ",;\t|"
START = 1 << 16
MOST_LETTERS = 1 << 20
"""A longer line is not looked at for names."""
AS_UTF8 = "save it as UTF-8 (in a spreadsheet: 'CSV UTF-8')"
# Infinite is as good as missing, for only finite values count; DuckDB would make text of "-inf".
INFINITE_WORDS = [sign + word for sign in ("", "+", "-") for word in ("inf", "Inf", "Infinity")]
MISSING_WORDS = ["", "NA", "N/A", "NaN", "nan", "NULL", "null", "None", *INFINITE_WORDS]
# Not DuckDB's 128-bit integers, whose way to a float is off by a last digit at times.
CSV_TYPES = ["BOOLEAN", "BIGINT", "DOUBLE", "TIME", "DATE", "TIMESTAMP", "VARCHAR"]


def read_csv(kept: Kept, source: Source) -> DuckDBPyRelation:
    """Read a CSV file as it is written: little is left to be guessed.

    A guess skips lines that do not fit it, and torn ones.
    """
    start = source.start(START)
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(f"file {source.name!r} is UTF-16; {AS_UTF8}")
    if b"\0" in start:
        raise InputError(f"file {source.name!r} is empty or no CSV file")
    delimiter, names = header_of(source)
    named = [name.strip() for name in names if name.strip()]
    if not named:
        raise InputError(f"file {source.name!r} must name its columns in its first line")
    if any(is_number(name) for name in named):
        raise InputError(
            f"file {source.name!r} must name its columns in its first line, and a number is no"
            " name; write the names above the data"
        )
    check_different(named)
    read: Callable[..., DuckDBPyRelation] = partial(
        kept.connection.read_csv,
        glob.escape(str(source.file)),
        header=True,
        sep=delimiter,
        quotechar='"',
        escapechar='"',
        skiprows=0,
        comment="",
        compression=source.compression or "none",
        hive_partitioning=False,
        na_values=MISSING_WORDS,
        auto_type_candidates=CSV_TYPES,
        sample_size=-1,  # the whole file decides on types: a later row would fail, or differ
    )
    relation = read()
    _check_names(source, names, relation.columns)
    text = _not_yes_no(relation, read)
    return read(dtype=dict.fromkeys(text, "VARCHAR")) if text else relation


def _check_names(source: Source, header: Sequence[str], read: Sequence[str]) -> None:
    """Refuse a header that DuckDB reads as other names: a role would be that of another column.

    A blank name it calls column0, and what is called so by then column0_1.
    """
    alike = len(header) == len(read) and all(
        not wanted.strip() or wanted.strip() == name.strip()
        for wanted, name in zip(header, read, strict=False)
    )
    if not alike:
        raise InputError(
            f"file {source.name!r} must name each of its columns in its first line; one has no name"
            " (a word such as NA is none), or one that is given to a column without a name"
        )


def _not_yes_no(relation: DuckDBPyRelation, read: Callable[..., DuckDBPyRelation]) -> Sequence[str]:
    """Name the columns of other words than true and false: DuckDB takes yes, no, T and F too."""
    kinds = zip(relation.columns, relation.types, strict=True)
    doubtful = [name for name, kind in kinds if str(kind) == "BOOLEAN"]
    if not doubtful:
        return doubtful
    texts: nw.LazyFrame[Any] = nw.from_native(read(dtype=dict.fromkeys(doubtful, "VARCHAR")))
    words = (nw.col(name).str.to_lowercase() for name in doubtful)
    plain = texts.select(*(word.is_in(["true", "false"]).all() for word in words))
    found = plain.collect("pyarrow")
    return [name for name in doubtful if not found[name][0]]


def header_of(source: Source) -> tuple[str, list[str]]:
    """Return what parts the cells of a CSV file, and the names in its first line."""
    delimiter = _separator(source, source.start(START))
    with _lines(source) as file:
        return delimiter, next(csv.reader(file, delimiter=delimiter), [])


def names_in_csv(source: Source) -> list[str]:
    """Return the names in the first line of a CSV file."""
    return header_of(source)[1]


def names_in_json(source: Source) -> list[str]:
    """Return the names in the first line of a file of JSON lines."""
    with _lines(source) as file:
        return [*json.loads(file.readline(MOST_LETTERS))]


def why_no_csv(source: Source) -> str:
    """Say what is wrong with a CSV file that cannot be read, and what to do; no cell of it."""
    try:
        sign, _ = header_of(source)
        with _lines(source) as file:
            rows = csv.reader(file, delimiter=sign)
            wanted = len(next(rows))
            torn = next((cells for cells in rows if cells and len(cells) != wanted), None)
    except UnicodeDecodeError:
        return f"its letters are not UTF-8 (but latin-1, say); {AS_UTF8}"
    if torn is None:
        return ""
    if len(torn) == 1 and any(other in torn[0] for other in SEPARATORS if other != sign):
        return f"its names are parted by {sign!r} and its rows by another sign; use one for both"
    return (
        f"row {rows.line_num} has more or fewer cells than the first row, which is parted by"
        f" {sign!r}; quote cells that hold this sign, and leave out lines above or below the table"
    )


def _lines(source: Source) -> io.TextIOWrapper:
    """Open a file of text, whatever it is compressed by."""
    import pyarrow as pa

    raw = pa.input_stream(str(source.file), compression=source.compression)
    return io.TextIOWrapper(raw, encoding="utf-8-sig", newline="")


def _separator(source: Source, start: bytes) -> str:
    """Return what parts the names of a CSV file's header."""
    packed = source.compression is not None
    if (Path(source.file.stem) if packed else source.file).suffix.lower() == ".tsv":
        return "\t"
    header = re.sub(rb'"[^"]*"', b"", start).partition(b"\n")[0]
    return max(SEPARATORS, key=lambda sign: header.count(sign.encode()))


def is_number(text: str) -> bool:
    """Whether a text is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def read_json(kept: Kept, source: Source) -> DuckDBPyRelation:
    """Read a file of JSON with an object a line; a name that a line has not is missing there."""
    found = kept.connection.read_json(
        glob.escape(str(source.file)),
        format="newline_delimited",
        records="true",
        compression=source.compression or "none",
        sample_size=-1,
        hive_partitioning=False,
    )
    check_different(found.columns)
    kinds = zip(found.columns, found.types, strict=True)
    return found.project(", ".join(_plain(name, str(kind)) for name, kind in kinds))


def _plain(name: str, kind: str) -> str:
    """Return how a column of JSON is read: values of several types are texts."""
    column = quoted(name)
    if kind == "JSON":
        return f"{column} ->> '$' AS {column}"
    as_other = {"UUID": "VARCHAR", "HUGEINT": "DOUBLE", "UHUGEINT": "DOUBLE"}
    return f"CAST({column} AS {as_other[kind]}) AS {column}" if kind in as_other else column
