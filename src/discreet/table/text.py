"""Files of text: CSV and JSON lines, compressed or not.

**One kind or text.** A column whose cells are not all of one kind (numbers, yes/no, times of day)
is text, and no cell is read as another value than it says. Codes such as 007, 0x1f, 1_000 and 12E3
are text; so is 20.000 where other columns of the file have decimal commas.
"""

from __future__ import annotations

import csv
import glob
import io
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from discreet.columns.dates import MISSING_WORDS
from discreet.errors import InputError
from discreet.table.engine import Compression, Kept, Source, check_different, quote_name
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
            f"file {source.name!r} begins with a line that tells a spreadsheet its separator "
            "(sep=): remove this line, so that the first line names the columns"
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
    return texts.project(", ".join(cast_sql(name, kind) for name, kind in kinds.items()))


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
        return f"it is not UTF-8 (but perhaps latin-1); {AS_UTF8}"
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
    for sign, word in OTHER_SEPARATORS.items():
        found = _cells_of_rows(source, sign)
        if len(found) > 1 and len({*found}) == 1 and found[0] > 1:
            raise InputError(
                f"file {source.name!r} has its cells separated by {word}; separate them by a "
                "comma, a semicolon, a tab or | (and put a cell with such a character in "
                "double quotes)"
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
        of = kinds_of_cells(found.project(", ".join(map(quote_name, texts))), [TIME])
        plain |= {name: cast_sql(name, kind) for name, kind in of.items()}
    return found.project(", ".join(plain.values()))


def _plain(name: str, kind: str) -> str:
    """Return how a column of JSON is read: values of several types are texts."""
    column = quote_name(name)
    if kind == "JSON":
        return f"{column} ->> '$' AS {column}"
    as_other = {"HUGEINT": "DOUBLE", "UHUGEINT": "DOUBLE"}
    return f"CAST({column} AS {as_other[kind]}) AS {column}" if kind in as_other else column


# --- what kind of values the cells of a column of text are ----------------------------------------


# Digits that begin with a nought are a code, and many behind a plus a telephone number. So is an
# exponent without a sign or a point before it part of a code, as in 12E3.
UNSIGNED = r"(?:(?:WHOLE\.\d*|\.\d+)(?:[eE][+-]?\d{1,3})?|WHOLE(?:[eE][+-]\d{1,3})?)"
NUMBER = (
    f"(?:-?{UNSIGNED.replace('WHOLE', '(?:0|[1-9][0-9]*)')}"
    f"|[+]{UNSIGNED.replace('WHOLE', '(?:0|[1-9][0-9]{0,5})')})"
)
"""How numbers are written: with a decimal point, and nothing between thousands."""
POWERS = r"[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?"
"""The same with exponents such as in 1e3, which are some in a column that holds fractions."""
FRACTION = r"[^.eE]*(?:\.|[eE][+-]).*"
WHOLE = r"(?:-?(?:0|[1-9]\d{0,17})|\+(?:0|[1-9]\d{0,5}))"
COMMAS = r"[+-]?(?:\d+|\d{1,3}(?:\.\d{3})+)(?:,\d+)?"
"""How numbers are written with a decimal comma, and perhaps points between thousands."""
DECIMAL_COMMA = r"[+-]?[\d.]+,(?:\d{1,2}|\d{4,})"
"""One whose comma does not stand before thousands."""
GROUPED = r"[+-]?[1-9]\d{0,2}\.\d{3}"
"""A number whose point may stand before thousands."""
POINT = r"[^.]*\.[^.]*"
YES_NO = r"(?:[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])"
TIME_OF_DAY = r"(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?"

TEXT, TIME = "VARCHAR", "TIME"
IN_TEXTS = (TEXT, TIME, "DATE", "TIMESTAMP", "UUID")
"""Types that DuckDB reads texts of JSON as."""
# The narrower of two kinds of numbers comes first.
PATTERNS: Mapping[str, str] = {
    "BIGINT": WHOLE,
    "DOUBLE": NUMBER,
    "POWERS": POWERS,
    "BOOLEAN": YES_NO,
    TIME: TIME_OF_DAY,
    "COMMAS": COMMAS,
}
"""What DuckDB calls each kind, and how its cells are written."""


def _whole_cell(pattern: str) -> str:
    return rf"^\s*{pattern}\s*$"


IN_PYTHON = {kind: re.compile(_whole_cell(it)) for kind, it in PATTERNS.items()}


@dataclass
class _Seen:
    """What the cells of a column are so far: the kinds that fit all of them, None before one is."""

    kinds: tuple[str, ...] | None = None
    decimal_comma: bool = False

    def see(self, cells: pa.Array) -> None:
        """Look at some more cells."""
        cells = cells.drop_null()
        if self.kinds == () or not len(cells):
            return
        if self.kinds is None:
            first = cells[0].as_py()
            self.kinds = tuple(it for it, of in IN_PYTHON.items() if of.match(first))
        # What is a whole number is so in every way of writing numbers.
        if self.kinds[:1] != ("BIGINT",) or not _all_match(cells, WHOLE):
            wider = (it for it in self.kinds if it != "BIGINT")
            self.kinds = tuple(it for it in wider if _all_match(cells, PATTERNS[it]))
        if self.kinds == ("COMMAS",) and not self.decimal_comma:
            pattern = _whole_cell(DECIMAL_COMMA)
            self.decimal_comma = bool(pc.any(pc.match_substring_regex(cells, pattern)).as_py())

    @property
    def kind(self) -> str:
        """What the column is read as."""
        found = self.kinds[0] if self.kinds else TEXT
        return TEXT if found in ("POWERS", "COMMAS") else found


def _all_match(cells: pa.Array, pattern: str) -> bool:
    return bool(pc.all(pc.match_substring_regex(cells, _whole_cell(pattern))).as_py())


def kinds_of_cells(
    relation: DuckDBPyRelation, kinds: Sequence[str] | None = None, *, semicolons: bool = False
) -> dict[str, str]:
    """Return as which type of DuckDB each column of text is read, of some `kinds` alone or of all.

    `semicolons` is whether they part the cells, as where commas are decimal signs.
    """
    seen = {name: _Seen() for name in relation.columns}
    for batch in _batches(relation):
        for name, it in seen.items():
            it.see(batch[name])
    found = {
        name: it.kind if kinds is None or it.kind in kinds else TEXT for name, it in seen.items()
    }
    powers = [name for name, it in seen.items() if it.kinds and it.kinds[0] == "POWERS"]
    if powers and kinds is None:
        found |= dict.fromkeys(_columns_of_fractions(relation, powers), "DOUBLE")
    commas = any(it.kinds == ("COMMAS",) and it.decimal_comma for it in seen.values())
    numbers = [name for name, kind in found.items() if kind == "DOUBLE"]
    if numbers and (commas or semicolons):
        doubtful = relation.project(", ".join(map(quote_name, numbers)))
        found |= dict.fromkeys(columns_of_thousands(doubtful, any_cell=commas), TEXT)
    return found


def _columns_of_fractions(relation: DuckDBPyRelation, names: Sequence[str]) -> list[str]:
    found = set[str]()
    for batch in _batches(relation.project(", ".join(map(quote_name, names)))):
        for name in names:
            fit = pc.match_substring_regex(batch[name].drop_null(), _whole_cell(FRACTION))
            if pc.any(fit).as_py():
                found.add(name)
    return [name for name in names if name in found]


def columns_of_thousands(relation: DuckDBPyRelation, *, any_cell: bool) -> list[str]:
    """Name the columns whose points may stand before thousands: in any cell, or in all with one."""
    grouped, others = dict.fromkeys(relation.columns, False), set[str]()
    for batch in _batches(relation):
        for name in relation.columns:
            cells = batch[name].drop_null()
            pointed = cells.filter(pc.match_substring_regex(cells, _whole_cell(POINT)))
            fit = pc.match_substring_regex(pointed, _whole_cell(GROUPED))
            grouped[name] |= bool(pc.any(fit).as_py())
            if pc.all(fit).as_py() is False:
                others.add(name)
    return [name for name, it in grouped.items() if it and (any_cell or name not in others)]


def _batches(relation: DuckDBPyRelation) -> Iterator[pa.RecordBatch]:
    batches: Iterable[pa.RecordBatch] = pa.RecordBatchReader.from_stream(relation)
    yield from batches


def cast_sql(name: str, kind: str) -> str:
    """Return how a column of text is read as a type of DuckDB."""
    column = quote_name(name)
    if kind == TEXT:
        return column
    # Beyond what a float holds a number is infinite, and as good as missing.
    return f"TRY_CAST(trim({column}) AS {kind}) AS {column}"
