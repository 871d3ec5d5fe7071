"""Whether a Parquet file is what the manifest says, found before a value of it is unpacked.

Parquet that comes from a stranger may say of a few bytes that they are a billion values, or that a
page is two gigabytes once it is unpacked. Everything here is compared with what the manifest's
columns and numbers of rows can be: first the length of the footer, then what it says, then pages.
The footer is read here and not by pyarrow, which gets it once every number in it is one that there
can be. What a field's number means stands in Parquet's own `parquet.thrift`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from discreet.errors import InputError
from discreet.study_file.archive import Archive, Slice
from discreet.study_file.manifest import Column
from discreet.study_file.rows import Part

TAIL = 8
"""The length of the footer in four bytes, and what every Parquet file ends with."""
WIDEST, MOST_BESIDE = 8, 4_096
"""Bytes of a number, and what a page has beside its values."""


def open_part(archive: Archive, part: Part, *, is_known: bool = False) -> pq.ParquetFile:
    """Open a Parquet file of which all that it says was compared with the manifest.

    One that `is_known` was looked at before, and was not changed since.
    """
    if not is_known:
        try:
            _check(archive, part)
        except InputError as error:
            raise _unfit(part, str(error)) from None
    try:
        return pq.ParquetFile(
            pa.PythonFile(Slice(archive, part.name), "r"),
            read_dictionary=[it.name for it in part.columns if it.kind == "categorical"],
        )
    except (pa.ArrowException, OSError) as error:
        raise _unfit(part, f"it cannot be read ({type(error).__name__})") from None


def _unfit(part: Part, why: str) -> InputError:
    return InputError(
        f"{part.name} does not fit the manifest: {why}; the file was changed, or made by "
        "something else: ask the custodian for a new copy of it"
    )


def _check(archive: Archive, part: Part) -> None:
    size = archive.stretches[part.name].size
    tail = archive.read(part.name, size - TAIL) if size > 2 * TAIL else b""
    if tail[4:] != MAGIC or archive.read(part.name, 0, len(MAGIC)) != MAGIC:
        raise InputError("it is no Parquet file")
    length = int.from_bytes(tail[:4], "little")
    end = size - TAIL - length
    if length > most_bytes(part) or end < len(MAGIC):
        raise InputError("its footer has a length that cannot be")
    for chunk in read_footer(archive.read(part.name, end, length), part, end):
        rows, read = part.groups[chunk.group], partial(archive.read, part.name)
        pages = read_pages(read, chunk.start, chunk.start + chunk.size)
        found = [*islice(pages, rows + 2)]  # no more are read than there can be
        if len(found) > rows + 1:
            raise InputError("a column has more pages than rows")
        _check_pages(chunk, found, rows)


def _check_pages(chunk: Chunk, pages: Sequence[Page], rows: int) -> None:
    """See that pages hold as many values as there are rows, and take no more room than these."""
    name = chunk.column.name
    dictionaries = [it for it in pages if it.kind == DICTIONARY]
    data = [it for it in pages if it.kind == DATA]
    heads = chunk.size - sum(it.packed for it in pages)
    if sum(it.unpacked for it in pages) + heads != chunk.unpacked:
        raise InputError(f"the pages of column {name!r} have other sizes than its footer says")
    if dictionaries and (len(dictionaries) > 1 or pages[0] != dictionaries[0]):
        raise InputError(f"column {name!r} has two dictionaries")
    if sum(it.values for it in data) != rows or not all(it.values for it in data):
        raise InputError(f"column {name!r} has another number of values")
    if any(it.unpacked > it.values * (WIDEST + 1) + MOST_BESIDE for it in data):
        raise InputError(f"a page of column {name!r} is too large for its values")
    known = DICTIONARIES if dictionaries else ()
    if chunk.column.kind == "categorical":
        words = sum(len(it.encode()) + 4 for it in chunk.column.levels)
        expected = [(words, len(chunk.column.levels))]
        if [(it.unpacked, it.values) for it in dictionaries] != expected:
            raise InputError(f"column {name!r} has another dictionary")
    else:
        known = (PLAIN, *known)
        if any(it.unpacked > it.values * WIDEST or it.values > rows for it in dictionaries):
            raise InputError(f"column {name!r} has a dictionary that is too large")
    if any(it.encoding not in known for it in data):
        raise InputError(f"column {name!r} is written in another way")


# --- the footer -----------------------------------------------------------------------------------


MAGIC = b"PAR1"
MOST_ABOUT_FILE, MOST_A_CHUNK, MOST_A_COLUMN = 4_096, 400, 200
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
ORDINAL = 7
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
    return MOST_ABOUT_FILE + chunks + columns * MOST_A_COLUMN + names * (groups + 1)


def read_footer(text: bytes, part: Part, end: int) -> Iterator[Chunk]:
    """Give where the values of each column lie, group after group.

    They end where the footer begins: at `end`. Refuses a footer that says something else than the
    manifest, or more.
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
        start, unpacked, known = at, 0, dict[int, object]()
        for number, kind in reader.heads():
            if number != 1 or number in known:
                known[number] = reader.value(kind)
                continue
            known[number] = reader.length(STRUCT, len(part.columns))
            for column in part.columns:
                chunk = _chunk(reader.fields(), group, rows, column, at)
                if chunk.size > end - at:
                    raise InputError("its columns do not follow one another")
                at, unpacked = at + chunk.size, unpacked + chunk.unpacked
                yield chunk
        expected = {1: len(part.columns), 2: unpacked, 3: rows, 5: start, 6: at - start}
        if known != expected and known != {**expected, ORDINAL: group}:
            raise InputError("it has other groups of rows")
    if at != end:
        raise InputError("there are bytes in it that belong to no column")


def _chunk(fields: Any, group: int, rows: int, column: Column, at: int) -> Chunk:
    """Return where the values of a column in a group lie; refuse whatever else is said of them."""
    about = fields.get(3)
    if set(fields) != {2, 3} or not isinstance(about, dict):
        raise InputError(f"column {column.name!r} lies elsewhere, or is encrypted")
    if not OF_CHUNK <= set(about) <= OF_CHUNK | MAY_CHUNK or fields[2] not in (0, at):
        raise InputError(f"of column {column.name!r} it says too little or too much")
    stored = {1: STORED[column.dates or column.kind][1], 3: (column.name.encode(),), 5: rows}
    if {key: about[key] for key in stored} != stored:
        raise InputError(f"column {column.name!r} is stored as another type, or of other rows")
    if about[4] != ZSTD or not _are(about[2], (PLAIN, RLE, *DICTIONARIES)):
        raise InputError(f"column {column.name!r} is packed in another way")
    size, unpacked, data = about[7], about[6], about[9]
    if not (_is_number(size) and _is_number(unpacked) and _is_number(data)):
        raise InputError(f"of column {column.name!r} it says no size")
    if about.get(11, data) != at or not at <= data < at + size or not size:
        raise InputError("its columns do not follow one another")
    if not (_are_counted(about.get(13, ()), rows) and _are_sizes(about.get(16, {}))):
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


# --- pages ----------------------------------------------------------------------------------------


DATA, DICTIONARY = 0, 2
"""The two kinds of pages that are written."""
HEAD_BYTES = 256
"""A head without statistics is shorter."""
OF_KIND = {DATA: 5, DICTIONARY: 7}
"""In which field a head tells of a page of its kind; no head has other fields than these."""
BESIDE: dict[Any, tuple[dict[int, Any], ...]] = {
    DATA: ({3: 3, 4: 3}, {3: 3, 4: 3, 5: {}}),
    DICTIONARY: ({}, {3: 0}, {3: 1}),
}
"""What a head may tell beside the number of values and their encoding: how it is said which are
missing, and statistics that are empty; whether a dictionary is in order."""
LARGEST = 2**31 - 1


@dataclass(frozen=True)
class Page:
    """What a page says of itself: its kind, bytes unpacked and packed, values and encoding."""

    kind: int
    unpacked: int
    packed: int
    values: int
    encoding: int


def read_pages(read: Callable[[int, int], bytes], start: int, end: int) -> Iterator[Page]:
    """Give what each page says that lies between two places of a file, which `read` reads.

    Refuses a head that is none, and pages that do not end where they should.
    """
    while start < end:
        reader = Reader(read(start, min(HEAD_BYTES, end - start)))
        page = _page(reader.fields())
        start += reader.at + page.packed
        yield page
    if start != end:
        raise InputError("the pages of a column do not end where it does")


def _page(fields: Any) -> Page:
    """Return what a head says; refuse one that says too little or too much."""
    kind = fields.get(1)
    place = OF_KIND.get(kind) if isinstance(kind, int) else None
    of = fields.get(place)
    if set(fields) != {1, 2, 3, place} or not isinstance(of, dict):
        raise InputError("a page is of a kind that is not written")
    beside = {key: value for key, value in of.items() if key > 2}
    if beside not in BESIDE[kind]:
        raise InputError("a page says too little or too much")
    numbers: tuple[Any, ...] = (kind, fields[2], fields[3], of.get(1), of.get(2))
    if not all(isinstance(it, int) and 0 <= it <= LARGEST for it in numbers):
        raise InputError("a page says no size")
    return Page(*numbers)


# --- the compact protocol of Thrift, in which Parquet says what is where: read byte by byte -------


STOP, TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, STRUCT = (*range(10), 12)
WHOLE = (I16, I32, I64)
MOST_VARINT = 10
"""Bytes of a number of 64 bits."""
DEEPEST, LONGEST = 5, 16
"""Structs and lists may lie so deep in one another, and lists may be so long."""

Fields = dict[int, "int | bytes | tuple[object, ...] | Fields"]


class Reader:
    """Reads bytes from a place on, which goes ahead; InputError where they are no Thrift."""

    def __init__(self, data: bytes) -> None:
        self._data, self.at = data, 0

    def heads(self) -> Iterator[tuple[int, int]]:
        """Give number and type of each field of a struct; whoever asks reads its value."""
        last = 0
        while (head := self._byte()) != STOP:
            last = last + (head >> 4) if head >> 4 else self.number()
            yield last, head & 15

    def fields(self, deep: int = DEEPEST) -> Fields:
        """Return the fields of a struct by their numbers; refuse one that stands twice."""
        found: Fields = {}
        for number, kind in self.heads():
            if number in found:
                raise _no_thrift()
            found[number] = self._value(kind, deep)
        return found

    def length(self, kind: int, expected: int) -> int:
        """Return how long a list is whose values are of a type; refuse another length."""
        found, of = self._list_head()
        if of != kind or found != expected:
            raise _no_thrift()
        return found

    def number(self) -> int:
        """Return a number in as many bytes as it takes, its sign in the last bit."""
        number = self._unsigned()
        return (number >> 1) ^ -(number & 1)

    def text(self) -> bytes:
        """Return bytes that say how many they are."""
        size = self._unsigned()
        self.at += size
        if self.at > len(self._data):
            raise _no_thrift()
        return self._data[self.at - size : self.at]

    def value(self, kind: int, longest: int = LONGEST) -> object:
        """Return a value of a type; a list may be so long, and lists in it sixteen values."""
        if kind != LIST:
            return self._value(kind, DEEPEST)
        length, of = self._list_head()
        if length > longest:
            raise _no_thrift()
        return tuple(self._value(of, DEEPEST) for _ in range(length))

    def _value(self, kind: int, deep: int) -> int | bytes | tuple[object, ...] | Fields:
        if kind in (TRUE, FALSE):
            return int(kind == TRUE)
        if kind == BYTE:
            return self._byte()
        if kind in WHOLE:
            return self.number()
        if kind == BINARY:
            return self.text()
        if kind == STRUCT and deep:
            return self.fields(deep - 1)
        if kind == LIST and deep:
            length, of = self._list_head()
            if length > LONGEST:
                raise _no_thrift()
            return tuple(self._value(of, deep - 1) for _ in range(length))
        raise _no_thrift()

    def _list_head(self) -> tuple[int, int]:
        head = self._byte()
        return (self._unsigned() if head >> 4 == 15 else head >> 4), head & 15

    def _unsigned(self) -> int:
        number = 0
        for place in range(MOST_VARINT):
            byte = self._byte()
            number |= (byte & 127) << 7 * place
            if byte < 128:
                return number
        raise _no_thrift()

    def _byte(self) -> int:
        self.at += 1
        if self.at > len(self._data):
            raise _no_thrift()
        return self._data[self.at - 1]


def _no_thrift() -> InputError:
    return InputError("its provenance cannot be read")
