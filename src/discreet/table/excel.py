"""Workbooks of Excel: a sheet with the names of its columns in the first row.

What reads workbooks holds the whole rectangle that reaches to a sheet's last row and column, and a
text anew in each cell: a small file may be a huge table. So this is counted first, by streaming the
file's parts.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from discreet.columns.dates import MISSING_WORDS
from discreet.errors import InputError, needing, some_of
from discreet.table.engine import Kept, Source, check_different, load_table
from discreet.table.frames import text_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation


WHOLE = 2**53
"""Below it a float tells all whole numbers apart."""


def read_excel(kept: Kept, source: Source) -> DuckDBPyRelation:
    """Read the sheet of a workbook that is named, or the only one that holds anything."""
    names, *rows = _rows(source)
    columns = [*zip(*rows, strict=True)] if rows else [()] * len(names)
    found = {}
    for name, cells in zip(names, columns, strict=True):
        if name == "" and all(cell == "" for cell in cells):
            continue
        if not isinstance(name, str) or not name.strip():
            raise InputError(
                f"file {source.name!r} must name its columns in the first row of its sheet, each by"
                " a text"
            )
        if name.strip() in found:
            check_different([name, name])
        found[name.strip()] = _column(cells)
    check_different([*found])
    return load_table(kept, pa.table(found))


def names_in_excel(source: Source) -> list[str]:
    """Return the names of the columns of a sheet."""
    return [str(name).strip() for name in _rows(source, 1)[0]]


def _rows(source: Source, most: int | None = None) -> list[list[Any]]:
    with needing("excel", f"file {source.name!r}"):
        from python_calamine import CalamineWorkbook
    check_size(source.file)
    with CalamineWorkbook.from_path(source.file) as book:
        filled = [name for name in book.sheet_names if book.get_sheet_by_name(name).height]
        sheet = book.get_sheet_by_name(_chosen(source, filled))
        return sheet.to_python(skip_empty_area=False, nrows=most)


def _chosen(source: Source, filled: Sequence[str]) -> str:
    """Return which sheet is read, of those that hold anything."""
    if source.sheet is not None and source.sheet not in filled:
        raise InputError(
            f"file {source.name!r} has no filled sheet {source.sheet!r}; there are"
            f" {some_of(filled)}"
        )
    if not filled:
        raise InputError(f"file {source.name!r} is empty")
    if source.sheet is None and len(filled) > 1:
        raise InputError(
            f"file {source.name!r} has several sheets: {some_of(filled)}; name one behind a #:"
            f" '{source.file.name}#{filled[0]}'"
        )
    return source.sheet or filled[0]


def _column(cells: Sequence[Any]) -> pa.Array:
    known = [None if isinstance(it, str) and it.strip() in MISSING_WORDS else it for it in cells]
    found = {type(it) for it in known if it is not None}
    if found <= {float, int}:
        whole = all(it == it // 1 and abs(it) < WHOLE for it in known if it is not None)
        return pa.array(known, pa.int64() if found and whole else pa.float64())
    for types, kind, make in KINDS:
        if found <= types:
            made = [None if it is None else make(it) for it in known]
            return pa.array(made, getattr(pa, kind[0])(*kind[1:]))
    return pa.array([None if it is None else text_of(it) for it in known], pa.string())


def _moment(day: date) -> datetime:
    """Return a day as the moment at which it begins; calamine tells midnights as days."""
    return day if isinstance(day, datetime) else datetime(day.year, day.month, day.day)


def _same(cell: object) -> object:
    return cell


KINDS: tuple[tuple[set[type], tuple[str, ...], Callable[[Any], object]], ...] = (
    ({bool}, ("bool_",), _same),
    ({date}, ("date32",), _same),
    ({date, datetime}, ("timestamp", "us"), _moment),
    ({time}, ("time64", "us"), _same),
    ({timedelta}, ("duration", "us"), _same),
)
"""Which cells make a column of which type of pyarrow."""


# --- how large a workbook is ----------------------------------------------------------------------


MOST_CELLS = 10_000_000
"""So many cells the rectangle of a sheet may have."""
MOST_BYTES = 2 << 30
"""So many bytes all parts of a workbook may have unpacked."""
MOST_LETTERS = 1 << 29
"""So many letters a sheet may have, each text counted as often as it stands in a cell."""
PART = 1 << 20
MOST_ROW = 1 << 26
"""A row has fewer bytes."""
SHEETS, TEXTS = re.compile(r"xl/worksheets/[^/]+\.xml", re.I), "xl/sharedstrings.xml"
# Names of elements may have a prefix.
ROW = re.compile(rb"<(?:\w+:)?row\b[^>]*?\sr=\"(\d{1,8})\"")
CELL = re.compile(rb"<(?:\w+:)?c\b(?:\s[^>]*?\br=\"([A-Za-z]{1,4}))?")
SHARED = re.compile(rb"t=\"s\"[^>]*>\s*<(?:\w+:)?v>(\d{1,9})<")
INSTEAD = "delete what lies far from the table, or save the sheet as CSV"


def check_size(path: Path) -> None:
    """Refuse a workbook that is larger than it looks."""
    try:
        with zipfile.ZipFile(path) as book:
            parts = book.infolist()
            if sum(it.file_size for it in parts) > MOST_BYTES:
                raise InputError(
                    f"file {path.name!r} is larger than {MOST_BYTES >> 30} GB when it is unpacked;"
                    " save its sheet as CSV"
                )
            letters = _letters_of_texts(book)
            for part in parts:
                if SHEETS.fullmatch(part.filename):
                    _check_letters(path.name, part.file_size)
                    with book.open(part) as sheet:
                        _check_sheet(path.name, sheet, letters)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise InputError(
            f"file {path.name!r} could not be read as Excel ({type(error).__name__}); check that it"
            " is complete, and has no password"
        ) from None


def _letters_of_texts(book: zipfile.ZipFile) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return how many bytes each text has that cells of a workbook share."""
    found: list[int] = []
    for part in book.infolist():
        if part.filename.lower() == TEXTS:
            with book.open(part) as file:
                found += (len(it) for it in _pieces(file, rb"</(?:\w+:)?si>|<(?:\w+:)?si/>"))
    return np.array(found or [0], dtype=np.int64)


def _check_sheet(
    name: str, sheet: IO[bytes], letters: np.ndarray[tuple[int], np.dtype[np.int64]]
) -> None:
    rows = columns = text = 0
    most = int(letters.max())
    for piece in _pieces(sheet, rb"</(?:\w+:)?row>|<(?:\w+:)?row\b[^>]*/>"):
        # Rows and cells may not say where they are.
        rows = max([rows + 1, *map(int, ROW.findall(piece))])
        cells = CELL.findall(piece)
        columns = max([columns, len(cells), *map(_place_of_column, {*cells})])
        if rows * columns > MOST_CELLS:
            raise InputError(
                f"file {name!r} has a sheet that extends to row {rows:,} and column "
                f"{columns:,}: more than {MOST_CELLS:,} cells; {INSTEAD}"
            )
        at = [int(it) for it in SHARED.findall(piece)]
        text += len(piece)
        if most * len(at) > PART:
            text += int(letters[np.minimum(at, len(letters) - 1)].sum())
        else:
            text += most * len(at)
        _check_letters(name, text)


def _check_letters(name: str, letters: int) -> None:
    if letters > MOST_LETTERS:
        raise InputError(
            f"file {name!r} has a sheet with more than {MOST_LETTERS >> 20} million letters; save"
            " the sheet as CSV"
        )


def _pieces(file: IO[bytes], end: bytes) -> Iterator[bytes]:
    """Cut a part of a workbook behind each end of an element, holding one piece at a time."""
    ends, rest = re.compile(end), b""
    while part := file.read(PART):
        rest += part
        start = 0
        for found in ends.finditer(rest):
            yield rest[start : found.end()]
            start = found.end()
        rest = rest[start:]
        if len(rest) > MOST_ROW:
            raise InputError(
                f"the workbook has a row or a text of more than {MOST_ROW >> 20} MB; save the sheet"
                " as CSV"
            )
    yield rest


def _place_of_column(letters: bytes) -> int:
    """Return which column some letters name, from 1 on.

    Examples
    --------
    >>> _place_of_column(b"A"), _place_of_column(b"XFD")
    (1, 16384)
    """
    found = 0
    for letter in letters.upper():
        found = 26 * found + letter - ord("A") + 1
    return found
