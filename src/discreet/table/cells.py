"""What kind the cells of a column of a text file are: numbers, yes/no, times of day, or text.

**One kind or text.** A column whose cells are not all of one kind is text, and no cell is read as
another value than it says. Codes such as 007, 0x1f, 1_000 and 12E3 are text; so is 20.000 where
other columns of the file have decimal commas.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.table.engine import quoted

if TYPE_CHECKING:
    import pyarrow as pa
    from duckdb import DuckDBPyRelation

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
        import pyarrow.compute as pc

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
    import pyarrow.compute as pc

    return bool(pc.all(pc.match_substring_regex(cells, _whole_cell(pattern))).as_py())


def kinds_of_cells(
    relation: DuckDBPyRelation, kinds: Sequence[str] | None = None, *, semicolons: bool = False
) -> dict[str, str]:
    """Return as which type of DuckDB each column of texts is read, of some `kinds` alone or of all.

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
        found |= dict.fromkeys(_with_fractions(relation, powers), "DOUBLE")
    commas = any(it.kinds == ("COMMAS",) and it.decimal_comma for it in seen.values())
    numbers = [name for name, kind in found.items() if kind == "DOUBLE"]
    if numbers and (commas or semicolons):
        doubtful = relation.project(", ".join(map(quoted, numbers)))
        found |= dict.fromkeys(grouped_by_points(doubtful, any_cell=commas), TEXT)
    return found


def _with_fractions(relation: DuckDBPyRelation, names: Sequence[str]) -> list[str]:
    """Name the columns of which some cell is written as a fraction."""
    import pyarrow.compute as pc

    found = set[str]()
    for batch in _batches(relation.project(", ".join(map(quoted, names)))):
        for name in names:
            fit = pc.match_substring_regex(batch[name].drop_null(), _whole_cell(FRACTION))
            if pc.any(fit).as_py():
                found.add(name)
    return [name for name in names if name in found]


def grouped_by_points(relation: DuckDBPyRelation, *, any_cell: bool) -> list[str]:
    """Name the columns whose points may stand before thousands: in any cell, or in all with one."""
    import pyarrow.compute as pc

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
    import pyarrow as pa

    batches: Iterable[pa.RecordBatch] = pa.RecordBatchReader.from_stream(relation)
    yield from batches


def read_as(name: str, kind: str) -> str:
    """Return how a column of texts is read as a type of DuckDB."""
    column = quoted(name)
    if kind == TEXT:
        return column
    # Beyond what a float holds a number is infinite, and as good as missing.
    return f"TRY_CAST(trim({column}) AS {kind}) AS {column}"
