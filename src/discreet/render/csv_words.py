"""Words in a table of CSV: a last column, which has them in its first row and is empty below.

A line of its own would not be read as what it is: most readers refuse a line with other cells than
those above it. A column more is read by each, and leaves the others as they are.
"""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Iterable, Sequence
from typing import Any

from discreet.errors import InputError
from discreet.spreadsheet import as_text, as_texts

CSV = ".csv"
NAME = "provenance"
BEGINS = '{"schema": '
"""How the words begin; a column of data may have the same name."""


def as_csv(columns: Sequence[tuple[str, Sequence[Any]]]) -> bytes:
    r"""Return named columns as CSV: numbers with all digits, and nothing where one is missing.

    Examples
    --------
    >>> as_csv([("level", ["a", "=b"]), ("count", [3, None])])
    b"level,count\na,3\n'=b,\n"
    """
    rows = zip(*(values for _, values in columns), strict=True)
    return _written([[as_text(name) for name, _ in columns], *([*map(_cell, row)] for row in rows)])


def _cell(value: Any) -> str:
    """Return a value as a cell has it."""
    if value is None:
        return ""
    if isinstance(value, str):
        return as_text(value)
    if isinstance(value, datetime.date):  # or a moment
        return value.isoformat()
    number = value.item() if hasattr(value, "item") else value
    return "" if number != number else repr(number)


def csv_text(rows: Iterable[Sequence[str]]) -> str:
    """Return rows of texts as CSV, of which a spreadsheet runs none."""
    return _written([as_texts(row) for row in rows]).decode()


def _written(rows: Iterable[Sequence[str]]) -> bytes:
    """Write cells; all of them in quotes, where a return in one would end its line."""
    rows, file = [*rows], io.StringIO()
    returns = any("\r" in cell for row in rows for cell in row)
    if returns:
        csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(rows)
    else:
        csv.writer(file, lineterminator="\n").writerows(rows)
    return file.getvalue().encode()


def _read(file: bytes) -> list[list[str]]:
    return [*csv.reader(io.StringIO(file.decode(), newline=""), strict=True)]


def with_column(file: bytes, words: str) -> bytes:
    """Return CSV that `as_csv` wrote, which has a row, with words in it."""
    head, *rows = _read(file)
    if not rows:
        raise InputError("this plot has no row that CSV could hold; save it as .json")
    cells = [words, *[""] * (len(rows) - 1)]
    more = [[*row, cell] for row, cell in zip(rows, cells, strict=True)]
    return _written([[*head, NAME], *more])


def without_column(file: bytes) -> tuple[bytes, str | None]:
    """Return CSV as it was before `with_column`, and the words; None where it has none.

    Where it is not as `with_column` writes it to the byte, it is as it is.
    """
    try:
        words = _words_in(file)
        if words is None:
            return file, None
        rest = _written(row[:-1] for row in _read(file))
        return (rest if with_column(rest, words) == file else file), words
    except (ValueError, csv.Error, InputError):
        return file, None


def _words_in(file: bytes) -> str | None:
    """Return the words, of which no more is read than the first two rows."""
    with io.TextIOWrapper(io.BytesIO(file), encoding="utf-8", newline="") as text:
        rows = csv.reader(text, strict=True)
        head, first = next(rows, []), next(rows, [])
    if not head or not first or head[-1] != NAME or not first[-1].startswith(BEGINS):
        return None
    return first[-1]
