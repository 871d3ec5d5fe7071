"""Which files are a table, of which format they are, and how they are opened.

A format is one entry of `FORMATS`: how its files end and begin, and what reads them. Text is parsed
once a version where a private file may be kept (`private`): no view reads it again.
"""

from __future__ import annotations

import glob
import hashlib
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import narwhals as nw
import pyarrow as pa
import pyarrow.parquet as pq

from discreet.columns.dates import spans_as_numbers
from discreet.errors import InputError, one_of, path_in_words
from discreet.table.arrow import (
    names_in_arrow,
    names_in_parquet,
    read_arrow,
    read_parquet,
    relation_of,
)
from discreet.table.engine import Compression, Kept, Source, connect, quiet, time_zones
from discreet.table.excel import names_in_excel, read_excel
from discreet.table.labelled import READERS, names_in_labelled, read_labelled
from discreet.table.private import (
    INPUT,
    labels_in,
    orders_in,
    own_folder,
    private_file,
    write_parquet,
)
from discreet.table.text import names_in_csv, names_in_json, read_csv, read_json, why_no_csv

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation

STANDARD_INPUT = "-"
READ_AS = 4
"""How the types of text are taken; another number has private files made again."""
GONE = "its private file is gone or damaged; open the study again"


def _nothing(source: Source) -> str:
    return ""


@dataclass(frozen=True)
class Format:
    """A format of files: how they end and begin, and what reads them."""

    name: str
    endings: tuple[str, ...]
    read: Callable[[Kept, Source], DuckDBPyRelation]
    #: Returns the names of the columns without reading the rows.
    names: Callable[[Source], list[str]]
    begins: bytes = b""
    #: What looks for the cause where a file cannot be read.
    why: Callable[[Source], str] = _nothing
    #: Text, that may be compressed.
    text: bool = False
    #: Read where it lies, column by column, and from several files.
    in_place: bool = False
    #: Of several tables, of which one is named.
    sheets: bool = False


COMPRESSED: Mapping[str, Compression] = MappingProxyType({".gz": "gzip", ".zst": "zstd"})
CSV = Format("CSV", (".csv", ".tsv"), read_csv, names_in_csv, why=why_no_csv, text=True)
PARQUET = Format(
    "Parquet", (".parquet", ".pq"), read_parquet, names_in_parquet, b"PAR1", in_place=True
)
ARROW = Format("Arrow", (".feather", ".arrow"), read_arrow, names_in_arrow, b"ARROW1")
FORMATS = (
    CSV,
    PARQUET,
    ARROW,
    Format("JSON lines", (".jsonl", ".ndjson"), read_json, names_in_json, text=True),
    Format("Excel", (".xlsx",), read_excel, names_in_excel, b"PK\3\4", sheets=True),
    Format("Stata, SPSS or SAS", tuple(READERS), read_labelled, names_in_labelled),
)
STREAM = b"\xff\xff\xff\xff"
"""How a stream of Arrow begins."""
BEGINNINGS = MappingProxyType({b"\x1f\x8b": ".gz", b"\x28\xb5\x2f\xfd": ".zst"})
ENDINGS = tuple(ending for it in FORMATS for ending in it.endings)


# --- which files ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Place:
    """The files that a path names; `folder` is where their names begin to differ."""

    files: tuple[Path, ...] = ()
    folder: Path = Path()
    #: Whether it names a folder or a pattern: of how many files is not said.
    several: bool = False
    sheet: str | None = None


def place_of(path: Path) -> Place:
    """Return the files that a path names: a file, those of a folder, or those a pattern finds.

    In order of their names. Of a folder they are those of Parquet, in folders below it too, but for
    names that begin with a dot or an underscore: what writes folders keeps notes in such files.
    `book.xlsx#sheet` names a sheet. All are told from the root on: an engine reads a name such as
    `~/a.csv` or `file:/a.csv` as another file than the system does.
    """
    if path.is_file():
        return Place((path.absolute(),), path.absolute().parent)
    if path.is_dir():
        path = path.absolute()
        found = [it for it in path.rglob("*") if it.suffix.lower() in PARQUET.endings]
        files = (it for it in found if it.is_file() and not _hidden(it.relative_to(path)))
        return Place(tuple(sorted(files)), path, several=True)
    if glob.has_magic(str(path)):
        files = (Path(it).absolute() for it in glob.glob(str(path), recursive=True))
        fixed = next(it for it in path.parents if not glob.has_magic(str(it))).absolute()
        return Place(tuple(sorted(it for it in files if it.is_file())), fixed, several=True)
    book, mark, sheet = str(path).rpartition("#")
    file = Path(book).absolute()
    if mark and file.is_file():
        return Place((file,), file.parent, sheet=sheet)
    return Place()


def _hidden(path: Path) -> bool:
    return any(part[0] in "._" for part in path.parts)


def _find_files(path: Path) -> tuple[Format, Source]:
    """Return the format of what a path names, and its files; refuse what is no table."""
    name, place = name_of(path), place_of(path)
    if not place.files:
        what = "no file"
        if place.several:
            what = "no Parquet file in folder" if path.is_dir() else "no file like"
        raise InputError(f"there is {what} {path_in_words(path)}")
    formats = {_format(it) for it in place.files}
    if place.several and formats != {(PARQUET, None)}:
        raise InputError(
            f"{name!r} names other files than Parquet, and only Parquet may lie in several; name"
            " one file"
        )
    format, compression = formats.pop()
    if place.sheet is not None and not format.sheets:
        raise InputError(
            f"file {place.files[0].name!r} has no sheets, so none can be named behind a #; name the"
            " file alone"
        )
    for each in place.files:
        _check_beginning(format, Source(each.name, (each,), place.folder, compression))
    return format, Source(name, place.files, place.folder, compression, place.sheet)


def names_in(path: Path) -> list[str]:
    """Return the names of the columns of a file, as far as they are had without its rows."""
    format, source = _find_files(path)
    return format.names(source)


def is_file_name(word: str) -> bool:
    """Whether a word ends as a file of some format does."""
    file = word.rpartition("#")[0] or word
    with suppress(InputError):
        return bool(_format(Path(file)))
    return False


def name_of(path: Path) -> str:
    """Return what a table of some files is called."""
    return path.name or path.resolve().name


def _format(path: Path) -> tuple[Format, Compression | None]:
    compression = COMPRESSED.get(path.suffix.lower())
    inner = Path(path.stem) if compression else path
    for format in FORMATS:
        if inner.suffix.lower() in format.endings and (format.text or not compression):
            return format, compression
    raise InputError(
        f"file {path.name!r} must end in one of {one_of(ENDINGS)}; text may be compressed, as"
        " '.csv.gz' or '.csv.zst'"
    )


def _check_beginning(format: Format, source: Source) -> None:
    with source.file.open("rb") as file:
        raw = file.read(1 << 16)
    start = raw
    if source.compression and raw:
        with quiet(f"file {source.name!r} could not be read as {format.name}", lambda: NOT_PACKED):
            start = source.start(1 << 16)
    if not start.strip():
        raise InputError(f"file {source.name!r} is empty or no {format.name} file")
    other = _begins_as(raw) if not source.compression else None
    if other is not None and other[0] != format.name:
        raise InputError(
            f"file {source.name!r} is no {format.name} file: it begins like those of "
            f"{other[0]}; give it the matching extension: {other[1]!r}"
        )


NOT_PACKED = "its extension says that it is compressed; check that it is, and that it is complete"


def _begins_as(start: bytes) -> tuple[str, str] | None:
    """Return the name and the ending of the format whose files begin so, where that is certain."""
    for format in FORMATS:
        if format.begins and start.startswith(format.begins):
            return format.name, format.endings[0]
    for begins, ending in BEGINNINGS.items():
        if start.startswith(begins):
            return "compressed text", f".csv{ending}"
    return None


# --- how they are opened -------------------------------------------------------------------------


def read_file(path: Path, private: Path | None = None) -> tuple[nw.LazyFrame[Any], Kept]:
    """Open files with DuckDB; return the table, and what must be kept alive for it.

    `private` is the folder where a private file of it may be kept.
    """
    if str(path) == STANDARD_INPUT:
        format, source = _standard_input()
        private = None
    else:
        format, source = _find_files(path)
    failed = f"file {source.name!r} could not be read as {format.name}"
    why: Callable[[], str] = partial(format.why, source)
    kept = connect()
    with quiet(failed, why):
        if private is None or format.in_place:
            relation = format.read(kept, source)
        else:
            relation = _parsed_once(kept, format, source, path, private)
            why = partial(str, GONE)
    kept.failed, kept.why = failed, why
    return nw.from_native(relation), kept


def _parsed_once(
    kept: Kept, format: Format, source: Source, path: Path, private: Path
) -> DuckDBPyRelation:
    """Return the private file of a source as a relation; write it where there is none."""
    before = stamp_of(path)
    digest = hashlib.sha256(digest_of(path))
    digest.update(repr((READ_AS, format.name, source.file.suffix, source.sheet)).encode())

    def write(file: IO[bytes]) -> None:
        of = connect()
        # Parquet has no durations of DuckDB: they are numbers before, as they are afterwards.
        frame = spans_as_numbers(nw.from_native(format.read(of, source)))
        batches = pa.RecordBatchReader.from_stream(nw.to_native(frame))
        write_parquet(file, batches, of.labels, of.orders, of.zones, digest.digest())

    try:
        made = private_file(private, path, digest.digest(), write)
    except OSError as error:
        raise InputError(
            f"the private file of {source.name!r} cannot be kept in {str(private)!r}"
            f" ({type(error).__name__}); make room, make the folder writable, or write"
            " private_files = false into the policy"
        ) from None
    if stamp_of(path) != before:
        made.unlink(missing_ok=True)
        raise InputError(f"file {source.name!r} was changed while it was being read; open it again")
    schema = pq.read_schema(made)
    kept.labels, kept.orders, kept.zones = labels_in(schema), orders_in(schema), time_zones(schema)
    return relation_of(kept, (made,), schema)


@cache
def _standard_input() -> tuple[Format, Source]:
    """Take what comes by standard input into a file of this process's own, once."""
    folder = own_folder(read_file)  # as long as the process: it comes once
    path = folder / INPUT
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        while part := sys.stdin.buffer.read(1 << 20):
            file.write(part)
    with path.open("rb") as written:
        start = written.read(8)
    compression = next(
        (COMPRESSED[it] for by, it in BEGINNINGS.items() if start.startswith(by)), None
    )
    format = CSV
    if start.startswith(PARQUET.begins):
        format = PARQUET
    elif start.startswith((ARROW.begins, STREAM)):
        format = ARROW
    source = Source("standard input", (path,), folder, compression)
    if not start.strip():
        raise InputError("standard input is empty; send a table: CSV, Parquet or Arrow")
    return format, source


# --- which version of them -----------------------------------------------------------------------


def digest_of(path: Path) -> bytes:
    """Return a digest of a file, or of the names and digests of several."""
    place = place_of(path)
    each = {}
    for file in place.files:
        with file.open("rb") as opened:
            each[file] = hashlib.file_digest(opened, "sha256").digest()
    if not each:
        raise FileNotFoundError(path)
    if not place.several:
        return each.popitem()[1]
    together = hashlib.sha256()
    for file, digest in each.items():
        name = os.fsencode(file.relative_to(place.folder))
        together.update(len(name).to_bytes(8, "little") + name + digest)
    return together.digest()


class Stamp(NamedTuple):
    """Which file each of a path is, when it was written and how long it is; when it was changed.

    The system alone says when something was changed, be it a name: tools that copy set when it was
    written.
    """

    files: tuple[tuple[str | int, ...], ...]
    changed: tuple[int, ...]


def stamp_of(path: Path) -> Stamp | None:
    """Return the stamp of a path; None where a file is gone."""
    try:
        found = {str(file): file.stat() for file in place_of(path).files}
    except OSError:
        return None
    files = tuple(
        (name, it.st_dev, it.st_ino, it.st_mtime_ns, it.st_size) for name, it in found.items()
    )
    return Stamp(files, tuple(it.st_ctime_ns for it in found.values())) if found else None
