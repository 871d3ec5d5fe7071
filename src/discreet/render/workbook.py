"""Tables as files of Excel, Stata and SPSS, whose columns have labels.

None of them has room for where its numbers come from: the register knows each by its digest. So
they name no day, and the same table is the same file.
"""

from __future__ import annotations

import io
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from discreet.errors import needing
from discreet.lines import WORKBOOKS
from discreet.render.figure_file import printable

Columns = Sequence[tuple[str, Sequence[Any]]]
XLSX, STATA, SPSS = WORKBOOKS
WRITERS = {STATA: "write_dta", SPSS: "write_sav"}
LONGEST = {STATA: 32, SPSS: 64}
"""Letters of a column's name."""
LONGEST_LABEL = {STATA: 80, SPSS: 255}
PROPERTIES = "docProps/core.xml"
WIDEST = 60
"""Letters that a column of a sheet shows at most."""
NO_DAY = {
    STATA: (re.compile(rb"(<timestamp>.).{17}(?=</timestamp>)"), rb"\g<1>01 Jan 1980 00:00"),
    SPSS: (re.compile(rb"\A(\$FL.{89}).{17}", re.DOTALL), rb"\g<1>01 Jan 8000:00:00"),
    XLSX: (re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"), b"1980-01-01T00:00:00Z"),
}
"""Where files say when they were made, and what stands there in place of it."""


def as_workbook(sheets: Mapping[str, Sequence[Sequence[Any]]]) -> bytes:
    """Return sheets by their names as a file of Excel; the first row of each is its head.

    A text that begins like a formula stays a text.
    """
    with needing("excel", "a .xlsx file", "save it as .csv"):
        from openpyxl import Workbook
        from openpyxl.styles import Font
    book = Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        widths: dict[str, int] = {}
        for i, row in enumerate(rows, 1):
            for j, value in enumerate(row, 1):
                if value is None:
                    continue
                cell = sheet.cell(i, j)
                cell.value = printable(value) if isinstance(value, str) else value
                if isinstance(value, str):
                    cell.data_type = "s"
                if i == 1:
                    cell.font = Font(bold=True)
                letter = cell.column_letter
                widths[letter] = min(WIDEST, max(widths.get(letter, 8), len(str(value)) + 2))
        for letter, width in widths.items():
            sheet.column_dimensions[letter].width = width
        sheet.freeze_panes = "A2"
    file, again = io.BytesIO(), io.BytesIO()
    book.save(file)
    with ZipFile(file) as packed, ZipFile(again, "w", ZIP_DEFLATED) as anew:
        for name in packed.namelist():
            data = packed.read(name)
            data = _without_day(data, XLSX) if name == PROPERTIES else data
            anew.writestr(ZipInfo(name), data, ZIP_DEFLATED)  # of 1980
    return again.getvalue()


def _without_day(data: bytes, suffix: str) -> bytes:
    found, instead = NO_DAY[suffix]
    return found.sub(instead, data)


def as_labelled(columns: Columns, suffix: str, title: str, labels: Mapping[str, str]) -> bytes:
    """Return named columns as a file of Stata (.dta) or SPSS (.sav).

    A column is named as such a file allows, and labelled with what `labels` says or with its name.
    """
    with needing("stata", f"a {suffix} file", "save it as .csv"):
        import pyreadstat
    import pandas as pd

    short = _names([name for name, _ in columns], LONGEST[suffix])
    frame = pd.DataFrame(
        {key: _values(of) for key, (_, of) in zip(short, columns, strict=True)}, columns=short
    )
    of_columns = [labels.get(name, name)[: LONGEST_LABEL[suffix]] for name, _ in columns]
    write: Callable[..., None] = getattr(pyreadstat, WRITERS[suffix])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table{suffix}"
        write(frame, str(path), file_label=title[:60], column_labels=of_columns)
        return _without_day(path.read_bytes(), suffix)


def _values(values: Sequence[Any]) -> Any:
    """Return values as what writes them takes them: texts where one is, else numbers or days."""
    import pandas as pd

    if any(isinstance(it, str) for it in values):
        return pd.Series(["" if it is None else printable(str(it)) for it in values], dtype=object)
    if any(hasattr(it, "isoformat") for it in values):
        return pd.Series(list(values), dtype=object)
    return pd.Series([float("nan") if it is None else it for it in values], dtype="float64")


def _names(names: Sequence[str], most: int) -> list[str]:
    """Return names of letters, digits and underscores that differ.

    Examples
    --------
    >>> _names(["mean", "95 % low", "mean!", "Größe"], 32)
    ['mean', 'v_95_low', 'mean_2', 'Gr_e']
    """
    out: list[str] = []
    for name in names:
        plain = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_") or "v"
        plain = (plain if plain[0].isalpha() else f"v_{plain}")[:most]
        again, first = 2, plain
        while plain.lower() in {it.lower() for it in out}:
            plain, again = f"{first[: most - 3]}_{again}", again + 1
        out.append(plain)
    return out
