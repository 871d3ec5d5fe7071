"""Files of text: CSV and JSON lines, compressed or not."""

from __future__ import annotations

import csv
import glob
import io
import json
import os
import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from discreet.columns.written import MISSING_WORDS
from discreet.errors import InputError
from discreet.table.cells import TEXT, TIME, kinds_of_cells, read_as
from discreet.table.engine import Compression, Kept, Source, check_different, quoted
from discreet.table.private import INPUT, own_folder

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation

SEPARATORS = "\t;|,"
OTHER_SEPARATORS: Mapping[str, str] = MappingProxyType(
    {" ": "blanks", ":": "colons", "^": "the sign ^", "~": "the sign ~"}
)
START = 1 << 16
MOST_LETTERS = 1 << 20
"""A longer line is not looked at for names."""
AS_UTF8 = "save it as UTF-8 (in a spreadsheet: 'CSV UTF-8')"


def read_csv(kept: Kept, source: Source) -> DuckDBPyRelation:
    """Read a CSV file as it is written: nothing is left to be guessed.

    A guess skips lines that do not fit it, and torn ones.
    """
    start = source.start(START)
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(f"file {source.name!r} is UTF-16; {AS_UTF8}")
    if b"\0" in start:
        raise InputError(f"file {source.name!r} is empty or no CSV file")
    delimiter, names = header_of(source)
    if start.removeprefix(b"\xef\xbb\xbf")[:4].lower() == b"sep=":
        raise InputError(
            f"file {source.name!r} begins with a line that tells a spreadsheet what parts its cells"
            " (sep=): leave this line out, so that the first line names the columns"
        )
    named = _names_of_columns(source, names)
    texts = _read_texts(kept, source.file, source.compression, delimiter, named)
    semicolons = delimiter == ";"
    try:
        kinds = kinds_of_cells(texts, semicolons=semicolons)
    except Exception:
        if not _ends_lines_differently(source):
            raise
        # DuckDB reads no file whose lines end in several ways.
        made = own_folder(kept) / INPUT
        _write_alike(source, made, delimiter)
        texts = _read_texts(kept, made, None, delimiter, named)
        kinds = kinds_of_cells(texts, semicolons=semicolons)
    return texts.project(", ".join(read_as(name, kind) for name, kind in kinds.items()))


def _names_of_columns(source: Source, header: Sequence[str]) -> list[str]:
    """Return the names of the columns; refuse a header that names not each of them."""
    names = [name.strip() for name in header]
    if not any(names):
        raise InputError(f"file {source.name!r} must name its columns in its first line")
    if any(is_number(name) for name in names if name):
        raise InputError(
            f"file {source.name!r} must name its columns in its first line, and a number is no"
            " name; write the names above the data"
        )
    check_different([name for name in names if name])
    # A first column without a name numbers the rows, as pandas and R write it.
    width = len(str(len(names) - 1))
    filled = [name or f"column{i:0{width}}" for i, name in enumerate(names)]
    if len({name.lower() for name in filled}) < len(filled) or {*names} & {*MISSING_WORDS[1:]}:
        raise InputError(
            f"file {source.name!r} must name each of its columns in its first line; one has no name"
            " (a word such as NA is none), or one that is given to a column without a name"
        )
    return filled


def _read_texts(
    kept: Kept, file: Path, compression: Compression | None, delimiter: str, names: Sequence[str]
) -> DuckDBPyRelation:
    """Return a CSV file whose cells are all texts."""
    return kept.connection.read_csv(
        glob.escape(str(file)),
        header=True,
        sep=delimiter,
        quotechar='"',
        escapechar='"',
        skiprows=0,
        comment="",
        compression=compression or "none",
        hive_partitioning=False,
        na_values=MISSING_WORDS,
        auto_detect=False,
        columns=dict.fromkeys(names, "VARCHAR"),
    )


def _ends_lines_differently(source: Source) -> bool:
    """Whether lines of a file end in several ways."""
    import pyarrow as pa

    ends, last = set[bytes](), b""
    with pa.input_stream(str(source.file), compression=source.compression) as file:
        while part := bytes(file.read(1 << 20)):
            ends |= {*re.findall(rb"\r\n|\r(?=[^\n])|\n", last + part)}
            last = part[-1:] if part.endswith(b"\r") else b""
    return len(ends) > 1


def _write_alike(source: Source, path: Path, delimiter: str) -> None:
    """Write a CSV file again, each line ended alike; line ends within cells stay."""
    opener = partial(os.open, mode=0o600)
    with (
        _lines(source) as file,
        open(path, "w", encoding="utf-8", newline="", opener=opener) as made,
    ):
        rows = csv.reader(file, delimiter=delimiter, strict=True)
        csv.writer(made, delimiter=delimiter, lineterminator="\n").writerows(
            cells for cells in rows if cells
        )


def header_of(source: Source) -> tuple[str, list[str]]:
    """Return what parts the cells of a CSV file, and the names in its first line."""
    delimiter = _separator(source)
    with _lines(source) as file:
        return delimiter, next(csv.reader(file, delimiter=delimiter), [])


def names_in_csv(source: Source) -> list[str]:
    """Return the names in the first line of a CSV file."""
    return header_of(source)[1]


def names_in_json(source: Source) -> list[str]:
    """Return the names in the first line of a file of JSON lines."""
    with _lines(source) as file:
        return [*json.loads(file.readline(MOST_LETTERS))]


def why_no_csv(source: Source) -> str:
    """Say what is wrong with a CSV file that cannot be read, and what to do; no cell of it."""
    line = 1
    try:
        sign, _ = header_of(source)
        with _lines(source) as file:
            rows = csv.reader(file, delimiter=sign, strict=True)
            wanted, torn = len(next(rows)), None
            line = rows.line_num + 1
            while torn is None and (cells := next(rows, None)) is not None:
                torn = cells if cells and len(cells) != wanted else None
                line = rows.line_num + (torn is None)
    except UnicodeDecodeError:
        return f"its letters are not UTF-8 (but latin-1, say); {AS_UTF8}"
    except csv.Error:
        return (
            f"row {line} has a cell in double quotes that does not end, or with letters behind"
            ' its end, or one that is very long; write a quote within a cell twice (""), and put'
            " the cell in double quotes"
        )
    if torn is None:
        return ""
    if len(torn) == 1 and any(other in torn[0] for other in SEPARATORS if other != sign):
        return f"its names are parted by {sign!r} and its rows by another sign; use one for both"
    return (
        f"row {line} has more or fewer cells than the first row, which is parted by"
        f" {sign!r}; quote cells that hold this sign, and leave out lines above or below the table"
    )


def _lines(source: Source) -> io.TextIOWrapper:
    """Open a file of text, whatever it is compressed by."""
    import pyarrow as pa

    raw = pa.input_stream(str(source.file), compression=source.compression)
    return io.TextIOWrapper(raw, encoding="utf-8-sig", newline="")


def _separator(source: Source) -> str:
    """Return what parts the cells of a CSV file: what gives each row the same number of them.

    Of several signs that do it is the one that gives the most, and a comma last: it may stand in
    numbers and names.
    """
    packed = source.compression is not None
    if (Path(source.file.stem) if packed else source.file).suffix.lower() == ".tsv":
        return "\t"
    counts = {sign: _cells_of_rows(source, sign) for sign in SEPARATORS}
    alike = [sign for sign, of in counts.items() if len({*of}) == 1 and of[0] > 1]
    if alike:
        return max(alike, key=lambda sign: counts[sign][0])
    if all(of[0] == 1 for of in counts.values() if of):
        _refuse_other_signs(source)
    # A row is torn, which is said where it is read; the names tell the sign.
    return max(SEPARATORS, key=lambda sign: (counts[sign][:1], max(counts[sign], default=0)))


def _cells_of_rows(source: Source, sign: str) -> list[int]:
    """Return how many cells each of the first rows has, where a sign parts them."""
    with _lines(source) as file:
        text = file.read(START)
        whole = not file.read(1)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=sign, skipinitialspace=sign == " ")
    try:
        found = [len(cells) for cells in rows if cells]
    except csv.Error:  # a cell is longer than what was looked at
        found = []
    # The last row may be cut off.
    return found if whole or len(found) == 1 else found[:-1]


def _refuse_other_signs(source: Source) -> None:
    """Refuse a file whose cells are parted by a sign that is not read."""
    for sign, word in OTHER_SEPARATORS.items():
        found = _cells_of_rows(source, sign)
        if len(found) > 1 and len({*found}) == 1 and found[0] > 1:
            raise InputError(
                f"file {source.name!r} has its cells parted by {word}; part them by a comma, a"
                " semicolon, a tab or | (and put a cell that holds such a sign in double quotes)"
            )


def is_number(text: str) -> bool:
    """Whether a text is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def read_json(kept: Kept, source: Source) -> DuckDBPyRelation:
    """Read a file of JSON with an object a line; a name that a line has not is missing there.

    What a line writes as text is text, and of it times of day are told apart, as in CSV.
    """
    read = partial(
        kept.connection.read_json,
        glob.escape(str(source.file)),
        format="newline_delimited",
        records="true",
        compression=source.compression or "none",
        hive_partitioning=False,
    )
    found = read(sample_size=-1)
    check_different(found.columns)
    kinds = dict(zip(found.columns, map(str, found.types), strict=True))
    texts = [name for name, kind in kinds.items() if kind.startswith(IN_TEXTS)]
    if any(kinds[name] != TEXT for name in texts):
        found = read(columns=kinds | dict.fromkeys(texts, TEXT))
    plain = {name: _plain(name, kind) for name, kind in kinds.items()} | dict.fromkeys(texts, "")
    if texts:
        of = kinds_of_cells(found.project(", ".join(map(quoted, texts))), [TIME])
        plain |= {name: read_as(name, kind) for name, kind in of.items()}
    return found.project(", ".join(plain.values()))


IN_TEXTS = (TEXT, TIME, "DATE", "TIMESTAMP", "UUID")
"""Types that DuckDB reads texts of JSON as."""


def _plain(name: str, kind: str) -> str:
    """Return how a column of JSON is read: values of several types are texts."""
    column = quoted(name)
    if kind == "JSON":
        return f"{column} ->> '$' AS {column}"
    as_other = {"HUGEINT": "DOUBLE", "UHUGEINT": "DOUBLE"}
    return f"CAST({column} AS {as_other[kind]}) AS {column}" if kind in as_other else column
