"""Whether a Parquet file is what the manifest says, found before a value of it is unpacked.

Parquet that comes from a stranger may say of a few bytes that they are a billion values, or that a
page is two gigabytes once it is unpacked. Everything here is compared with what the manifest's
columns and numbers of rows can be: first the length of the footer, then what it says, then pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from discreet.errors import InputError
from discreet.study_file.archive import Archive, Slice
from discreet.study_file.manifest import Column
from discreet.study_file.pages import DATA, DICTIONARY, Page, read_pages
from discreet.study_file.rows import rows_a_group

__all__ = ["Part", "open_part"]

MAGIC = b"PAR1"
TAIL = 8
"""The length of the footer in four bytes, and what every Parquet file ends with."""
LEAST_A_CHUNK, MOST_A_CHUNK, MOST_A_COLUMN = 32, 400, 200
"""Bytes of a footer about the values of a column in one group, and about a column."""
MOST_BESIDE = 4_096
PLAIN, PLAIN_DICTIONARY, RLE_DICTIONARY = 0, 2, 8
WIDEST = 8
"""Bytes of a number."""
STORED = {
    "continuous": ("DOUBLE", "None"),
    "categorical": ("BYTE_ARRAY", "String"),
    "day": ("INT32", "Date"),
    "us": (
        "INT64",
        "Timestamp(isAdjustedToUTC=false, timeUnit=microseconds,"
        " is_from_converted_type=false, force_set_converted_type=false)",
    ),
}
"""How Parquet says what a column holds."""


@dataclass(frozen=True)
class Part:
    """A Parquet file in the study file: its name, how many rows it has, and of which columns."""

    name: str
    rows: int
    columns: tuple[Column, ...]

    @property
    def groups(self) -> list[int]:
        """How many rows each of its groups has."""
        most = rows_a_group(len(self.columns))
        return [min(most, self.rows - start) for start in range(0, self.rows, most)]


def open_part(archive: Archive, part: Part, *, is_known: bool = False) -> pq.ParquetFile:
    """Open a Parquet file of which all that it says was compared with the manifest.

    Parameters
    ----------
    archive : Archive
    part : Part
        What it should be.
    is_known : bool
        Whether its pages were looked at before, and it was not changed since.

    Raises
    ------
    InputError
        It is none, or another than the manifest says.
    """
    size = archive.stretches[part.name].size
    tail = archive.read(part.name, size - TAIL) if size > 2 * TAIL else b""
    if tail[4:] != MAGIC or archive.read(part.name, 0, 4) != MAGIC:
        raise _unfit(part, "it is no Parquet file")
    footer = int.from_bytes(tail[:4], "little")
    chunks = len(part.groups) * len(part.columns)
    names = sum(len(it.name.encode()) for it in part.columns)
    most = (
        MOST_BESIDE
        + chunks * MOST_A_CHUNK
        + len(part.columns) * MOST_A_COLUMN
        + names * (len(part.groups) + 1)
    )
    if not chunks * LEAST_A_CHUNK <= footer <= min(most, size - TAIL - 4):
        raise _unfit(part, "its footer has a length that cannot be")
    try:
        file = pq.ParquetFile(
            pa.PythonFile(Slice(archive, part.name), "r"),
            read_dictionary=[it.name for it in part.columns if it.kind == "categorical"],
            thrift_string_size_limit=footer,
            thrift_container_size_limit=max(MOST_BESIDE, len(part.columns) + 1),
        )
        _check_footer(part, file)
        if not is_known:
            _check_places(archive, part, file.metadata, size - TAIL - footer)
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
        raise _unfit(part, "its footer cannot be read") from None
    return file


def _unfit(part: Part, why: str) -> InputError:
    return InputError(
        f"{part.name} does not fit the manifest: {why}; the file was changed, or made by something"
        " else: ask the custodian for it anew"
    )


def _check_footer(part: Part, file: pq.ParquetFile) -> None:
    """Compare columns, types and numbers of rows with the manifest."""
    metadata = file.metadata
    if metadata.metadata is not None:
        raise _unfit(part, "it says more than its columns")
    groups = [metadata.row_group(at).num_rows for at in range(metadata.num_row_groups)]
    if metadata.num_rows != part.rows or groups != part.groups:
        raise _unfit(part, "it has another number of rows, or other groups of them")
    if metadata.num_columns != len(part.columns):
        raise _unfit(part, "it has another number of columns")
    for at, column in enumerate(part.columns):
        found = file.schema.column(at)
        stored = STORED[column.dates or column.kind]
        levels = (found.max_definition_level, found.max_repetition_level)
        if (found.name, found.path) != (column.name, column.name):
            raise _unfit(part, "it has other columns, or in another order")
        if (found.physical_type, str(found.logical_type)) != stored or levels != (1, 0):
            raise _unfit(part, f"column {column.name!r} is stored as another type")


def _check_places(archive: Archive, part: Part, metadata: Any, end: int) -> None:
    """See that columns follow one another without a gap, each with the pages that it may have."""
    at = len(MAGIC)
    for group, rows in enumerate(part.groups):
        described = metadata.row_group(group)
        for place, column in enumerate(part.columns):
            chunk = described.column(place)
            first = chunk.dictionary_page_offset if chunk.has_dictionary_page else None
            start = chunk.data_page_offset if first is None else first
            size = chunk.total_compressed_size
            if start != at or not 0 < size <= end - at or chunk.path_in_schema != column.name:
                raise _unfit(part, "its columns do not follow one another")
            if chunk.compression != "ZSTD" or chunk.num_values != rows:
                raise _unfit(part, f"column {column.name!r} is packed in another way")
            pages = _pages(archive, part, at, at + size)
            _check_pages(part, column, pages, rows)
            at += size
    if at != end:
        raise _unfit(part, "there are bytes in it that belong to no column")


def _pages(archive: Archive, part: Part, start: int, end: int) -> list[Page]:
    """Return what the pages between two places say of themselves, no more than rows they hold."""

    def read(at: int, size: int) -> bytes:
        return archive.read(part.name, at, size)

    found: list[Page] = []
    try:
        for page in read_pages(read, start, end):
            found.append(page)
            if len(found) > max(part.groups) + 1:
                raise InputError("a column has more pages than rows")
    except InputError as error:
        raise _unfit(part, str(error)) from None
    return found


def _check_pages(part: Part, column: Column, pages: Sequence[Page], rows: int) -> None:
    """See that pages hold as many values as there are rows, and take no more room than these."""
    dictionaries = [it for it in pages if it.kind == DICTIONARY]
    data = [it for it in pages if it.kind == DATA]
    if dictionaries and (len(dictionaries) > 1 or pages[0] != dictionaries[0]):
        raise _unfit(part, f"column {column.name!r} has two dictionaries")
    if sum(it.values for it in data) != rows or not all(it.values for it in data):
        raise _unfit(part, f"column {column.name!r} has another number of values")
    if any(it.unpacked > it.values * (WIDEST + 1) + MOST_BESIDE for it in data):
        raise _unfit(part, f"a page of column {column.name!r} is too large for its values")
    if column.kind == "categorical":
        words = sum(len(it.encode()) + 4 for it in column.levels)
        expected = [(words, len(column.levels))]
        if [(it.unpacked, it.values) for it in dictionaries] != expected:
            raise _unfit(part, f"column {column.name!r} has another dictionary")
        if any(it.encoding not in (PLAIN_DICTIONARY, RLE_DICTIONARY) for it in data):
            raise _unfit(part, f"column {column.name!r} holds texts beside its dictionary")
    elif any(it.unpacked > it.values * WIDEST or it.values > rows for it in dictionaries):
        raise _unfit(part, f"column {column.name!r} has a dictionary that is too large")
