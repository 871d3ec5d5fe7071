"""How large the sheets of a workbook are, before any is read: a small file may be a huge table.

What reads workbooks holds the whole rectangle that reaches to a sheet's last row and column, and a
text anew in each cell. So this is counted first, by streaming the file's parts.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import numpy as np

from discreet.errors import InputError

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
    """Refuse a sheet of too many cells, or of too much text."""
    rows = columns = text = 0
    most = int(letters.max())
    for piece in _pieces(sheet, rb"</(?:\w+:)?row>|<(?:\w+:)?row\b[^>]*/>"):
        # Rows and cells may not say where they are.
        rows = max([rows + 1, *map(int, ROW.findall(piece))])
        cells = CELL.findall(piece)
        columns = max([columns, len(cells), *map(_column, {*cells})])
        if rows * columns > MOST_CELLS:
            raise InputError(
                f"file {name!r} has a sheet that reaches to row {rows:,} and column {columns:,}:"
                f" more than {MOST_CELLS:,} cells; {INSTEAD}"
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


def _column(letters: bytes) -> int:
    """Return which column some letters name, from 1 on.

    Examples
    --------
    >>> _column(b"A"), _column(b"XFD")
    (1, 16384)
    """
    found = 0
    for letter in letters.upper():
        found = 26 * found + letter - ord("A") + 1
    return found
