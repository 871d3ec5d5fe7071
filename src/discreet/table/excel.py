"""Workbooks of Excel: a sheet with the names of its columns in the first row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any

from discreet.columns.written import MISSING_WORDS
from discreet.errors import InputError, needing, some_of
from discreet.table.engine import Kept, Source, check_different, held
from discreet.table.workbook_size import check_size

if TYPE_CHECKING:
    import pyarrow as pa
    from duckdb import DuckDBPyRelation

WHOLE = 2**53
"""Below it a float tells all whole numbers apart."""


def read_excel(kept: Kept, source: Source) -> DuckDBPyRelation:
    """Read the sheet of a workbook that is named, or the only one that holds anything."""
    import pyarrow as pa

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
    return held(kept, pa.table(found))


def names_in_excel(source: Source) -> list[str]:
    """Return the names of the columns of a sheet."""
    return [str(name).strip() for name in _rows(source, 1)[0]]


def _rows(source: Source, most: int | None = None) -> list[list[Any]]:
    """Return the rows of the sheet, or the first of them."""
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
    """Return cells as a column of one type: as text where they are of several."""
    import pyarrow as pa

    known = [None if isinstance(it, str) and it.strip() in MISSING_WORDS else it for it in cells]
    found = {type(it) for it in known if it is not None}
    if found <= {float, int}:
        whole = all(it == it // 1 and abs(it) < WHOLE for it in known if it is not None)
        return pa.array(known, pa.int64() if found and whole else pa.float64())
    for types, kind, make in KINDS:
        if found <= types:
            made = [None if it is None else make(it) for it in known]
            return pa.array(made, getattr(pa, kind[0])(*kind[1:]))
    return pa.array([None if it is None else _text(it) for it in known], pa.string())


def _moment(day: date) -> datetime:
    """Return a day as the moment at which it begins; calamine tells midnights as days."""
    return day if isinstance(day, datetime) else datetime(day.year, day.month, day.day)


def _text(cell: object) -> str:
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


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
