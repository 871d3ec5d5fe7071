"""A copy in a Parquet file that is read a column at a time, and written a partition at a time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from discreet.arguments import Floats
from discreet.columns import words_of
from discreet.columns.column import Unread
from discreet.errors import InputError
from discreet.places import files_like, is_there
from discreet.table.private import own_folder
from discreet.unfinished import being_written, delete_unfinished, partial_folder

DONE = b"discreet: how the rows were prepared"
VERSION, WITHOUT = b"discreet: version", b"discreet: columns that are not in the copy"
WHOSE = b"discreet: the column that says which rows are one person's"
OF_COLUMNS = b"discreet: what is said of columns"
ABOUT, PART = "about.parquet", "part-"
"""What files are called in the folder of a copy that was written by many."""
PIECE = 1 << 18
"""So many rows are read at once."""


class CopyNotes(NamedTuple):
    """What is said of a kept copy: rows left out, remarks, its version, and columns not in it.

    `whose` names the column that says which rows are one person's, and `of_columns` are remarks on
    single columns, by name.
    """

    left_out: int
    remarks: tuple[str, ...]
    version: str
    without: tuple[str, ...] = ()
    whose: tuple[str, ...] = ()
    of_columns: Mapping[str, tuple[str, ...]] = MappingProxyType({})

    def metadata(self) -> dict[bytes, bytes]:
        """Return it as the file keeps it."""
        return {
            DONE: json.dumps([self.left_out, *self.remarks]).encode(),
            VERSION: self.version.encode(),
            WITHOUT: json.dumps(self.without).encode(),
            WHOSE: json.dumps(self.whose).encode(),
            OF_COLUMNS: json.dumps({**self.of_columns}).encode(),
        }


def read_notes(file: pq.FileMetaData, version: str) -> CopyNotes:
    """Return what is said of the copy in a file; refuse one of another version."""
    found = file.metadata
    left_out, *remarks = json.loads(found[DONE])
    if found[VERSION].decode() != version:
        raise InputError("a copy of another version has the name of this one")
    without, whose, of_columns = (json.loads(found[it]) for it in (WITHOUT, WHOSE, OF_COLUMNS))
    remarks_of = {name: tuple(lines) for name, lines in of_columns.items()}
    return CopyNotes(
        int(left_out), tuple(remarks), version, tuple(without), tuple(whose), remarks_of
    )


def columns_in(
    path: Path, version: str
) -> tuple[Unread[Floats], Unread[tuple[str, ...]], Unread[Floats], CopyNotes]:
    """Return what is in the file of a copy: numbers, levels, whose each row is, and its notes.

    Of one that Spark's workers wrote it is a folder, of a file that is about the others and them.
    """
    with read_errors(path):
        first = _files(path)[0]
        notes = read_notes(pq.read_metadata(first), version)
        schema = [it for it in pq.read_schema(first) if it.name not in notes.without]
    numbers = [it.name for it in schema if pa.types.is_floating(it.type)]
    levels = [it.name for it in schema if it.name not in numbers]
    numbers = [name for name in numbers if name not in notes.whose]
    read = partial(_numbers, path)
    whose = Unread(notes.whose, read)
    return Unread(numbers, read), Unread(levels, partial(_words, path)), whose, notes


def kind_of(path: Path) -> str:
    """Return how the names begin of files of copies of one kind."""
    return f"{path.name.partition('-')[0]}-"


def is_kept(path: Path) -> bool:
    """Tell whether a copy is kept; refuse to guess where that cannot be seen."""
    try:
        return is_there(path)
    except OSError as error:
        raise InputError(
            f"it cannot be seen whether there is a protected copy at {str(path)!r}"
            f" ({type(error).__name__}); give whoever runs discreet the right to read its folder"
        ) from None


@contextmanager
def read_errors(path: Path) -> Iterator[None]:
    """Say of a kept copy that cannot be read what to do; no word of the cause."""
    try:
        yield
    except Exception:
        raise InputError(
            f"the protected copy {str(path)!r} cannot be read; move it away to have it made again"
        ) from None


def pieces_of(
    path: Path, names: Sequence[str]
) -> Iterator[tuple[dict[str, Floats], dict[str, tuple[str, ...]]]]:
    """Read some columns of a copy by parts of its rows, in their order."""
    with read_errors(path):
        for batch in batches_in(path, names):
            table = pa.Table.from_batches([batch])
            numbers = [it.name for it in table.schema if pa.types.is_floating(it.type)]
            yield (
                {name: _floats(table[name]) for name in numbers},
                {name: words_of(table[name]) for name in names if name not in numbers},
            )


def batches_in(path: Path, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Read some columns of a copy by parts of its rows, as pyarrow has them."""
    for each in _files(path):
        with pq.ParquetFile(each) as file:
            yield from file.iter_batches(PIECE, columns=[*names])


def _column(path: Path, name: str, coded: Sequence[str] = ()) -> pa.ChunkedArray:
    with read_errors(path):
        chunks = []
        for each in _files(path):
            with pq.ParquetFile(each, read_dictionary=coded) as file:
                chunks += file.read([name]).column(0).chunks
        return pa.chunked_array(chunks)


def _files(path: Path) -> list[Path]:
    """Return the files of a copy in the order of their rows; the first says what it is."""
    return [path / ABOUT, *files_like(path, f"{PART}*.parquet")] if path.is_dir() else [path]


def part_of(place: int) -> str:
    """Return what the file of one partition is called, in the folder of a copy."""
    return f"{PART}{place:08}.parquet"


def _numbers(path: Path, name: str) -> Floats:
    return _floats(_column(path, name))


def _floats(column: pa.ChunkedArray) -> Floats:
    out = np.empty(len(column))
    start = 0
    for chunk in column.chunks:
        out[start : start + len(chunk)] = np.from_dlpack(chunk)
        start += len(chunk)
    out.setflags(write=False)
    return out


def _words(path: Path, name: str) -> tuple[str, ...]:
    return words_of(_column(path, name, [name]))


class TemporaryFolder:
    """A folder of the owner's alone, which is deleted when nothing refers to this any more."""

    def __init__(self) -> None:
        self.path = own_folder(self)


class _Writer:
    """Writes the rows of one partition after the other."""

    def __init__(self, file: Any, schema: pa.Schema) -> None:
        self.parquet: pq.ParquetWriter = pq.ParquetWriter(file, schema)
        self.schema = schema

    def add(self, numbers: Mapping[str, Floats], levels: Mapping[str, Sequence[str]]) -> None:
        """Write rows; a column that a partition has not is missing there."""
        rows = max(map(len, (*numbers.values(), *levels.values())))
        arrays = [
            pa.array(numbers.get(it.name, np.full(rows, np.nan)))
            if pa.types.is_floating(it.type)
            else pa.array([word or None for word in levels.get(it.name, ("",) * rows)], it.type)
            for it in self.schema
        ]
        table = pa.table(arrays, schema=self.schema)
        self.parquet.write_table(table, row_group_size=max(1, rows))


@contextmanager
def write_copy(
    path: Path, numbers: Sequence[str], levels: Sequence[str], notes: Callable[[], CopyNotes]
) -> Iterator[Callable[[Mapping[str, Floats], Mapping[str, Sequence[str]]], None]]:
    """Write a copy by parts; it has its name once all of it is there, with what is `notes` of it.

    Its owner alone may read it.
    """
    with write_errors(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        delete_unfinished(path.parent, kind_of(path))
        # Another thread may make it, too: each writes a file of its own.
        with being_written(path) as file:
            writer = _Writer(file, _schema(numbers, levels))
            try:
                yield writer.add
                writer.parquet.add_key_value_metadata(notes().metadata())
            finally:
                writer.parquet.close()


@contextmanager
def write_copy_in_parts(
    path: Path, numbers: Sequence[str], levels: Sequence[str], notes: Callable[[], CopyNotes]
) -> Iterator[Path]:
    """Give a folder for files that `write_part` writes, whoever does; otherwise as `write_copy`."""
    with write_errors(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        delete_unfinished(path.parent, kind_of(path))
        with partial_folder(path) as partial:
            yield partial
            delete_unfinished(partial, PART)  # of a worker that was killed
            with write_copy(partial / ABOUT, numbers, levels, notes):
                pass
            try:
                partial.rename(path)
            except OSError:
                if not path.is_dir():  # no other process has made it meanwhile
                    raise


def write_part(
    folder: Path,
    place: int,
    schema: tuple[Sequence[str], Sequence[str]],
    numbers: Mapping[str, Floats],
    levels: Mapping[str, Sequence[str]],
) -> None:
    """Write the rows of one partition; a file that another process wrote of them is as it was.

    `schema` are the columns of numbers, and those of levels, that the copy has.
    """
    with write_errors(folder), being_written(folder / part_of(place)) as file:
        writer = _Writer(file, _schema(*schema))
        try:
            writer.add(numbers, levels)
        finally:
            writer.parquet.close()


def _schema(numbers: Sequence[str], levels: Sequence[str]) -> pa.Schema:
    schema = pa.schema([(name, pa.float64()) for name in numbers])
    for name in levels:
        schema = schema.append(pa.field(name, pa.string()))
    return schema


@contextmanager
def write_errors(folder: Path) -> Iterator[None]:
    """Say of a copy that cannot be kept in a folder what to do."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"the protected copy cannot be kept in {str(folder)!r} ({type(error).__name__}); make"
            " the folder writable, and room on its disk"
        ) from None
