"""Files of Stata, SPSS and SAS: numbers with labels, and codes for what is missing."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.arguments import Floats
from discreet.columns import text_of
from discreet.columns.column import orders_in_arrow
from discreet.errors import needing
from discreet.levels import order_key
from discreet.table.engine import Kept, Source, check_different, load_table

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation

READERS: Mapping[str, str] = MappingProxyType(
    {
        ".dta": "read_dta",
        ".sav": "read_sav",
        ".zsav": "read_sav",
        ".por": "read_por",
        ".sas7bdat": "read_sas7bdat",
        ".xpt": "read_xport",
    }
)
"""What of pyreadstat reads a file that ends so."""


def read_labelled(kept: Kept, source: Source) -> DuckDBPyRelation:
    """Read a file by pyreadstat, and hold it.

    Codes that a file says are missing are so. A column all of whose values have a label holds the
    labels, and a column of numbers some of which have one is of numbers.
    """
    frame, about = _reader(source)(source.file)
    check_different(about.column_names)
    labels = {str(k): str(v) for k, v in about.column_names_to_labels.items() if v and v.strip()}
    kept.labels = {name: label for name, label in labels.items() if label != name}
    table = pa.Table.from_pandas(frame, preserve_index=False)
    del frame
    formats = {str(k): str(v) for k, v in about.original_variable_types.items() if v}
    ending = source.file.suffix.lower()
    columns = {
        name: _column(about.variable_value_labels, name, it)
        if (dates := _dates(it, ending, formats.get(name, ""))) is None
        else dates
        for name, it in zip(table.column_names, table.columns, strict=True)
    }
    made = pa.table(columns)
    kept.orders = orders_in_arrow(made)
    return load_table(kept, made)


STATA = re.compile(r"%-?t([mwqh])")
STATA_YEAR = 1960
"""Stata counts months, weeks, quarters and half years from its beginning."""
MONTHS: Mapping[str, int] = MappingProxyType({"m": 1, "q": 3, "h": 6})
WEEKS = 52
"""A year of Stata has so many weeks: the last one has eight days or nine."""
SPSS = re.compile(r"(?:A|E|S|J)?DATE|MOYR|QYR|WKYR")
SPSS_MOMENTS = re.compile(r"DATETIME|YMDHMS")
SAS = re.compile(r"MONYY|MMYY|YYMM|YYMON|YYQ|YYWEEK|YYMMDD|DDMMYY|MMDDYY|DATE\d*$|WORDDAT|WEEKDAT")
DAYS_FROM: Mapping[str, str] = MappingProxyType({"SPSS": "1582-10-14", "SAS": "1960-01-01"})
OF_SPSS, OF_SAS = (".sav", ".zsav", ".por"), (".sas7bdat", ".xpt")
DAY = 86_400


def _dates(values: Any, ending: str, format: str) -> pa.ChunkedArray | None:
    """Return numbers that the file says are dates as such, where their reader left them numbers."""
    if not (pa.types.is_floating(values.type) or pa.types.is_integer(values.type)):
        return None
    numbers = np.asarray(values.cast(pa.float64()).fill_null(np.nan), dtype=np.float64)
    known = np.isfinite(numbers)
    count = np.where(known, np.floor(numbers), 0.0)
    stata = STATA.match(format) if ending == ".dta" else None
    if stata is not None and stata[1] == "w":
        year, week = np.divmod(count, WEEKS)
        days = _days_of_months(12 * year) + 7 * week
    elif stata is not None:
        days = _days_of_months(count * MONTHS[stata[1]])
    elif ending in OF_SPSS and SPSS_MOMENTS.match(format):
        start = np.datetime64(DAYS_FROM["SPSS"], "us").astype(np.int64)
        moments = start + np.round(np.where(known, numbers, 0.0) * 1e6).astype(np.int64)
        return pa.chunked_array([pa.array(moments, pa.timestamp("us"), mask=~known)])
    elif ending in OF_SPSS and SPSS.match(format):
        days = count // DAY + _day(DAYS_FROM["SPSS"])
    elif ending in OF_SAS and SAS.match(format):
        days = count + _day(DAYS_FROM["SAS"])
    else:
        return None
    return pa.chunked_array([pa.array(days.astype(np.int32), pa.date32(), mask=~known)])


def _day(day: str) -> int:
    return int(np.datetime64(day, "D").astype(np.int64))


def _days_of_months(months: Floats) -> Floats:
    first = months.astype(np.int64).astype("datetime64[M]") + 12 * (STATA_YEAR - 1970)
    return first.astype("datetime64[D]").astype(np.float64)


def names_in_labelled(source: Source) -> list[str]:
    """Return the names of the columns of a file; no row is read."""
    _, about = _reader(source)(source.file, metadataonly=True)
    return list(about.column_names)


def _reader(source: Source) -> Callable[..., tuple[Any, Any]]:
    with needing("stata", f"file {source.name!r}"):
        import pyreadstat
    found: Callable[..., tuple[Any, Any]] = getattr(pyreadstat, READERS[source.file.suffix.lower()])
    return found


def _column(of: Mapping[str, Mapping[Any, str]], name: str, values: Any) -> Any:
    """Return a column as it is read: its labels, in order of their codes, where all have one."""
    if pa.types.is_null(values.type):
        return values.cast(pa.float64())
    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        values = pc.if_else(pc.equal(values, ""), None, values)
    labels = of.get(name)
    if not labels:
        return values
    coded = values.combine_chunks().dictionary_encode()
    known = coded.dictionary.to_pylist()
    if not known or not all(value in labels for value in known):
        return values
    texts = [labels[value].strip() for value in known]
    with_code = [
        f"{text} ({text_of(value)})".strip() for text, value in zip(texts, known, strict=True)
    ]
    # Two values may have one label: they stay apart.
    named = [
        text if text and texts.count(text) == 1 else longer
        for text, longer in zip(texts, with_code, strict=True)
    ]
    if len({*named}) < len(named):  # a label reads as another one with its code does
        named = with_code
    by_code = sorted(range(len(known)), key=lambda i: _rank(known[i]))
    place = pa.array([by_code.index(i) for i in range(len(known))], pa.int32())
    ordered = pa.array([named[i] for i in by_code], pa.string())
    return pa.DictionaryArray.from_arrays(pc.take(place, coded.indices), ordered, ordered=True)


def _rank(code: object) -> tuple[Any, ...]:
    """Sort codes: numbers by size, and texts as levels are sorted."""
    return order_key()(code) if isinstance(code, str) else (code,)
