"""What the footer of a Parquet file says, compared with the manifest: all of it, field by field.

The footer is read here and not by pyarrow, which gets it once every number in it is one that the
manifest's columns and rows can have. What a field's number means stands in Parquet's own
`parquet.thrift`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from discreet.errors import InputError
from discreet.study_file.manifest import Column
from discreet.study_file.rows import Part
from discreet.study_file.thrift import STRUCT, Reader

MAGIC = b"PAR1"
MOST_BESIDE, MOST_A_CHUNK, MOST_A_COLUMN = 4_096, 400, 200
"""Bytes of a footer about the file, about the values of a column in one group, about a column."""
MAKER = re.compile(rb"parquet-cpp-arrow version [0-9a-zA-Z.-]{1,40}")
PLAIN, RLE, DICTIONARIES, ZSTD = 0, 3, (2, 8), 6
STORED: dict[str, dict[int, Any]] = {
    "continuous": {1: 5, 3: 1},
    "categorical": {1: 6, 3: 1, 6: 0, 10: {1: {}}},
    "day": {1: 1, 3: 1, 6: 6, 10: {6: {}}},
    "us": {1: 2, 3: 1, 6: 10, 10: {8: {1: 0, 2: {2: {}}}}},
}
"""How a column is stored, by its kind or how it tells dates: its type, that it may lack values,
and what the type stands for."""
VERSIONS = (1, 2)
OF_FILE = {1, 2, 3, 4, 6, 7}
OF_GROUP, ORDINAL = {1, 2, 3, 5, 6}, 7
OF_CHUNK, MAY_CHUNK = {1, 2, 3, 4, 5, 6, 7, 9}, {11, 13, 16}


@dataclass(frozen=True)
class Chunk:
    """Where the values of a column in one group lie, and how many bytes they are unpacked."""

    group: int
    column: Column
    start: int
    size: int
    unpacked: int


def most_bytes(part: Part) -> int:
    """Return how long a footer may be."""
    groups, columns = len(part.groups), len(part.columns)
    names = sum(len(it.name.encode()) for it in part.columns)
    chunks = groups * columns * MOST_A_CHUNK
    return MOST_BESIDE + chunks + columns * MOST_A_COLUMN + names * (groups + 1)


def read_footer(text: bytes, part: Part, end: int) -> Iterator[Chunk]:
    """Give where the values of each column lie, group after group.

    Parameters
    ----------
    text : bytes
        The footer.
    part : Part
        What the file should be.
    end : int
        Where its footer begins: there the values end.

    Raises
    ------
    InputError
        The footer says something else than the manifest, or more.
    """
    reader = Reader(text)
    found: set[int] = set()
    for number, kind in reader.heads():
        if number in found:
            raise InputError("its footer says something twice")
        found.add(number)
        if number == 2:
            _check_columns(reader, part)
        elif number == 4:
            yield from _groups(reader, part, end)
        else:
            _check_field(number, reader.value(kind, len(part.columns)), part)
    if found != OF_FILE or reader.at != len(text):
        raise InputError("its footer says less than it should, or more than its columns")


def _check_field(number: int, value: object, part: Part) -> None:
    """Compare what the footer says of the whole file."""
    fits = {
        1: lambda: value in VERSIONS,
        3: lambda: value == part.rows,
        6: lambda: isinstance(value, bytes) and MAKER.fullmatch(value) is not None,
        7: lambda: value == ({1: {}},) * len(part.columns),
    }
    if number == 3 and not fits[3]():
        raise InputError("it has another number of rows")
    if number not in fits or not fits[number]():
        raise InputError("its footer says more than its columns, or something else")


def _check_columns(reader: Reader, part: Part) -> None:
    """Compare names and types of the columns."""
    try:
        reader.length(STRUCT, len(part.columns) + 1)
    except InputError:
        raise InputError("it has another number of columns") from None
    root = reader.fields()
    if root != {3: 0, 4: b"schema", 5: len(part.columns)}:
        raise InputError("it has other columns")
    for column in part.columns:
        found = reader.fields()
        if found.get(4) != column.name.encode():
            raise InputError("it has other columns, or in another order")
        if found != {**STORED[column.dates or column.kind], 4: column.name.encode()}:
            raise InputError(f"column {column.name!r} is stored as another type")


def _groups(reader: Reader, part: Part, end: int) -> Iterator[Chunk]:
    """Give the places of all columns, each of which begins where the last one ends."""
    try:
        reader.length(STRUCT, len(part.groups))
    except InputError:
        raise InputError("it has other groups of rows") from None
    at = len(MAGIC)
    for group, rows in enumerate(part.groups):
        start, unpacked, said = at, 0, dict[int, object]()
        for number, kind in reader.heads():
            if number != 1 or number in said:
                said[number] = reader.value(kind)
                continue
            said[number] = reader.length(STRUCT, len(part.columns))
            for column in part.columns:
                chunk = _chunk(reader.fields(), group, rows, column, at)
                if chunk.size > end - at:
                    raise InputError("its columns do not follow one another")
                at, unpacked = at + chunk.size, unpacked + chunk.unpacked
                yield chunk
        expected = {1: len(part.columns), 2: unpacked, 3: rows, 5: start, 6: at - start}
        if said != expected and said != {**expected, ORDINAL: group}:
            raise InputError("it has other groups of rows")
    if at != end:
        raise InputError("there are bytes in it that belong to no column")


def _chunk(fields: Any, group: int, rows: int, column: Column, at: int) -> Chunk:
    """Return where the values of a column in a group lie; refuse whatever else is said of them."""
    said = fields.get(3)
    if set(fields) != {2, 3} or not isinstance(said, dict):
        raise InputError(f"column {column.name!r} lies elsewhere, or is encrypted")
    if not OF_CHUNK <= set(said) <= OF_CHUNK | MAY_CHUNK or fields[2] not in (0, at):
        raise InputError(f"of column {column.name!r} it says too little or too much")
    stored = {1: STORED[column.dates or column.kind][1], 3: (column.name.encode(),), 5: rows}
    if {key: said[key] for key in stored} != stored:
        raise InputError(f"column {column.name!r} is stored as another type, or of other rows")
    if said[4] != ZSTD or not _are(said[2], (PLAIN, RLE, *DICTIONARIES)):
        raise InputError(f"column {column.name!r} is packed in another way")
    size, unpacked, data = said[7], said[6], said[9]
    if not (_is_number(size) and _is_number(unpacked) and _is_number(data)):
        raise InputError(f"of column {column.name!r} it says no size")
    if said.get(11, data) != at or not at <= data < at + size or not size:
        raise InputError("its columns do not follow one another")
    if not (_are_counted(said.get(13, ()), rows) and _are_sizes(said.get(16, {}))):
        raise InputError(f"of column {column.name!r} it says what cannot be")
    return Chunk(group, column, at, size, unpacked)


def _is_number(value: object) -> bool:
    return isinstance(value, int) and 0 <= value < 2**62


def _are(values: object, known: tuple[int, ...]) -> bool:
    """Whether something is a list of numbers, each one of those that are known."""
    return isinstance(values, tuple) and all(isinstance(it, int) and it in known for it in values)


def _are_counted(stats: object, rows: int) -> bool:
    """Whether something says of how many pages there are of which kind."""
    if not isinstance(stats, tuple):
        return False
    for it in stats:
        if not isinstance(it, dict) or set(it) != {1, 2, 3} or not _is_number(it[3]):
            return False
        if it[1] not in (0, 2) or it[2] not in (PLAIN, *DICTIONARIES) or it[3] > rows + 1:
            return False
    return True


def _are_sizes(sizes: object) -> bool:
    """Whether something says how many bytes and missing values there are."""
    if not isinstance(sizes, dict) or not set(sizes) <= {1, 2, 3}:
        return False
    lists = all(
        isinstance(sizes.get(it, ()), tuple) and all(map(_is_number, sizes.get(it, ())))
        for it in (2, 3)
    )
    return lists and _is_number(sizes.get(1, 0))
