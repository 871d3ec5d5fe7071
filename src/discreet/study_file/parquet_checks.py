"""Whether a Parquet file is what the manifest says, found before a value of it is unpacked.

Parquet that comes from a stranger may say of a few bytes that they are a billion values, or that a
page is two gigabytes once it is unpacked. Everything here is compared with what the manifest's
columns and numbers of rows can be: first the length of the footer, then what it says, then pages.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from discreet.errors import InputError
from discreet.study_file.archive import Archive, Slice
from discreet.study_file.footer import DICTIONARIES, MAGIC, PLAIN, Chunk, most_bytes, read_footer
from discreet.study_file.pages import DATA, DICTIONARY, Page, read_pages
from discreet.study_file.rows import Part

TAIL = 8
"""The length of the footer in four bytes, and what every Parquet file ends with."""
WIDEST, MOST_BESIDE = 8, 4_096
"""Bytes of a number, and what a page has beside its values."""


def open_part(archive: Archive, part: Part, *, is_known: bool = False) -> pq.ParquetFile:
    """Open a Parquet file of which all that it says was compared with the manifest.

    Parameters
    ----------
    archive : Archive
    part : Part
        What it should be.
    is_known : bool
        Whether it was looked at before, and was not changed since.

    Raises
    ------
    InputError
        It is none, or another than the manifest says.
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
        f"{part.name} does not fit the manifest: {why}; the file was changed, or made by something"
        " else: ask the custodian for it anew"
    )


def _check(archive: Archive, part: Part) -> None:
    """Compare all that a Parquet file says of itself with the manifest."""
    size = archive.stretches[part.name].size
    tail = archive.read(part.name, size - TAIL) if size > 2 * TAIL else b""
    if tail[4:] != MAGIC or archive.read(part.name, 0, len(MAGIC)) != MAGIC:
        raise InputError("it is no Parquet file")
    length = int.from_bytes(tail[:4], "little")
    end = size - TAIL - length
    if length > most_bytes(part) or end < len(MAGIC):
        raise InputError("its footer has a length that cannot be")
    for chunk in read_footer(archive.read(part.name, end, length), part, end):
        rows = part.groups[chunk.group]
        _check_pages(chunk, _pages(archive, part, chunk, rows), rows)


def _pages(archive: Archive, part: Part, chunk: Chunk, rows: int) -> list[Page]:
    """Return what the pages of a column say of themselves, no more than there are rows."""

    def read(at: int, size: int) -> bytes:
        return archive.read(part.name, at, size)

    found: list[Page] = []
    for page in read_pages(read, chunk.start, chunk.start + chunk.size):
        found.append(page)
        if len(found) > rows + 1:
            raise InputError("a column has more pages than rows")
    return found


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
