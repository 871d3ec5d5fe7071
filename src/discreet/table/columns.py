"""From a file or a frame to columns: one kind of frame inside, and what is known of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from discreet.columns import KINDS, ROLES, Column, texts_of
from discreet.columns.column import FIRST
from discreet.columns.dates import DATE, storage_of
from discreet.errors import InputError, one_of, some_of
from discreet.table.engine import check_different, check_many

PART = 1 << 18
"""So many rows of a frame are read at once."""


def lazy_frame(source: object) -> nw.LazyFrame[Any]:
    """Take a frame that narwhals knows, whatever made it."""
    try:
        frame: nw.DataFrame[Any] | nw.LazyFrame[Any] = nw.from_native(source)
        names = frame.collect_schema().names()
    except Exception:
        raise InputError(
            "source must be a path to a CSV or Parquet file, or a pandas, polars, pyarrow or"
            " DuckDB table whose columns have different names"
        ) from None
    check_many(names)
    if not names or any(not isinstance(name, str) or not name for name in names):
        raise InputError("every column of the table must have a name that is text")
    if nw.dependencies.is_duckdb_relation(source):
        check_different(source.columns)
    return frame.lazy()


def columns_of(
    schema: Mapping[str, nw.dtypes.DType],
    kinds: Mapping[str, str],
    roles: Mapping[str, str],
    identifying: Sequence[str],
    zones: Mapping[str, str] = MappingProxyType({}),
    orders: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> dict[str, Column]:
    """Infer kind and role of each column of `schema`, and let what is declared override it.

    Numbers are continuous, texts and yes/no categorical, dates with times or without are dates;
    `identifying` columns identify. `zones` are the time zones of moments, where the type tells none
    or another one; `orders` are the orders of levels that are declared.
    """
    _check_declared(schema, kinds, KINDS, "kinds or strata")
    _check_declared(schema, roles, ROLES, "roles")
    _check_declared(schema, dict.fromkeys(identifying, "identifier"), ROLES, "unit or key")
    for column in identifying:
        if roles.get(column, "identifier") != "identifier":
            raise InputError(
                f"column {column!r} says whose a row is, or which (unit or key), so it "
                "identifies people; roles must not give it another role: leave it out there"
            )
    columns = {}
    for column, dtype in schema.items():
        if column == "*" or (column.startswith("^") and column.endswith("$")):
            raise InputError(
                f"column {column!r} has a name that engines read as several columns, of which one"
                " may identify people; give it another name"
            )
        role = "identifier" if column in identifying else roles.get(column, "other")
        kind = f"of a type that cannot be drawn ({type(dtype).__name__})"
        if dtype.is_numeric():
            kind = "continuous"
        elif dtype in (nw.String, nw.Categorical, nw.Boolean, nw.Enum):
            kind = "categorical"
        elif storage_of(dtype) is not None:
            kind = DATE
        kind = kinds.get(column, kind)
        numeric = dtype.is_numeric() or dtype == nw.Boolean
        if kind == "continuous" and not numeric:
            raise InputError(
                f"column {column!r} holds text where numbers are needed; correct the column,"
                " or declare it 'categorical'"
            )
        dates = storage_of(dtype, zones.get(column)) if kind == DATE else None
        floating, yes_no = dtype.is_float(), dtype == nw.Boolean
        order = tuple(orders.get(column, ()))
        columns[column] = Column(
            column, kind, role, numeric, floating, yes_no, dates, dtype.is_integer(), order
        )
    return columns


def _check_declared(
    schema: Mapping[str, object], given: Mapping[str, str], allowed: Sequence[str], what: str
) -> None:
    for column, word in given.items():
        if column not in schema:
            raise InputError(f"{what} names column {column!r}; there are {some_of([*schema])}")
        if word not in allowed:
            raise InputError(f"{what} of column {column!r} must be one of {one_of(allowed)}")


CODES = tuple(
    sign * float(digit * times)
    for digit in "789"
    for times in range(1, 6)
    for sign in (-1, 1)
    if sign < 0 or times > 1
)
"""What is written for a missing number: 7, 8 or 9 repeated (-9, 99, -999, 7777, ...)."""
FAR = 0.1
"""How far from all others a code is, as a share of how far they reach."""


def two_valued(
    frame: nw.LazyFrame[Any], names: Sequence[str], few: int = 1, unit: str | None = None
) -> frozenset[str]:
    """Return those of some columns of numbers that hold two different finite values, no more.

    Each of the two is that of `few` people or more, and all others those of fewer; `unit` says
    whose a row is, where a person may have several. The first rows are looked at; only columns of
    hardly more than two values there are read to their end, where the data are.
    """
    if not names:
        return frozenset()
    wanted = [nw.col(name).cast(nw.Float64).alias(str(i)) for i, name in enumerate(names)]
    rows = frame.select(*wanted, **({} if unit is None else {"who": nw.col(unit)}))
    first = rows.head(FIRST).collect("pyarrow")
    persons = None if unit is None else _places(first["who"].to_list())
    counts = {
        i: _counts(np.asarray(array_of(first[i]), dtype=np.float64), persons)
        for i in map(str, range(len(names)))
    }
    maybe = [i for i, of in counts.items() if sum(of[2:]) < few]
    if len(first) >= FIRST:
        counts = {i: _counts_where_they_are(rows, i, few, unit is not None) for i in maybe}
    two = [i for i in maybe if len(counts[i]) > 1 and counts[i][1] >= few > sum(counts[i][2:])]
    return frozenset(names[int(i)] for i in two)


def _places(values: Sequence[object]) -> NDArray[np.intp]:
    place: dict[object, int] = {}
    return np.array([place.setdefault(value, len(place)) for value in values], dtype=np.intp)


def _counts(values: NDArray[np.float64], persons: NDArray[np.intp] | None) -> list[int]:
    known = np.isfinite(values)
    if persons is None:
        return sorted(np.unique(values[known], return_counts=True)[1].tolist(), reverse=True)
    pairs = np.unique(np.stack([values[known], persons[known].astype(np.float64)]), axis=1)
    return sorted(np.unique(pairs[0], return_counts=True)[1].tolist(), reverse=True)


def _counts_where_they_are(
    rows: nw.LazyFrame[Any], name: str, few: int, persons: bool
) -> list[int]:
    """Count the people of each finite value of a whole column, of few more than two values."""
    finite = rows.filter(nw.col(name).is_finite())
    finite = finite.select(name, "who").unique() if persons else finite.select(name)
    counts = finite.group_by(name).agg(weight=nw.len())
    found = counts.head(few + 2).collect("pyarrow")
    return sorted(map(int, found["weight"].to_list()), reverse=True)


def codes_among(counts: Mapping[float, int], low: float, high: float, k: int) -> tuple[float, ...]:
    """Return which of the `CODES` in a column are likely to stand for a missing value.

    Those that `k` people or more share (`counts` says how many have each) and that lie beyond the
    other values, of which the k-th smallest and largest are `low` and `high`, by more than a tenth
    of their range, or are below 0 where no other value is.

    Examples
    --------
    >>> codes_among({-999.0: 40, 99.0: 12}, low=18.0, high=84.0, k=5)
    (-999.0, 99.0)
    >>> codes_among({999.0: 40, -9.0: 2}, low=0.0, high=2000.0, k=5)
    ()
    >>> codes_among({-999.0: 40}, low=12_000.0, high=300_000.0, k=5)
    (-999.0,)
    """
    away = FAR * (high - low)
    return tuple(
        sorted(
            code
            for code, count in counts.items()
            if count >= k
            and low < high
            and (code < low - away or code > high + away or code < 0 <= low)
        )
    )


def drop_missing_codes(
    frame: nw.LazyFrame[Any], missing: Mapping[str, Sequence[float]]
) -> nw.LazyFrame[Any]:
    """Return a frame in which some values of some columns are missing."""
    schema = frame.collect_schema()
    for name, values in missing.items():
        if name not in schema:
            raise InputError(
                f"missing_values names column {name!r}; there are {some_of(schema.names())}"
            )
        if values and not schema[name].is_numeric():
            raise InputError(
                f"missing_values of column {name!r} are numbers, and the column holds none"
            )
    known = {
        name: ~nw.col(name).cast(nw.Float64).is_in([*map(float, values)])
        for name, values in missing.items()
        if values
    }
    kept = [nw.when(keep).then(nw.col(name)).alias(name) for name, keep in known.items()]
    return frame.with_columns(*kept) if kept else frame


# Engines do not agree on what a blank is: these are all of Unicode, and marks of no width.
BLANKS = (
    "\t\n\x0b\x0c\r \x85\xa0\u1680\u180e\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008"
    "\u2009\u200a\u200b\u200c\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff"
)


def normalize_blanks(
    frame: nw.LazyFrame[Any], name: str, dtype: nw.dtypes.DType
) -> nw.LazyFrame[Any]:
    """Return a frame in which texts of a column that differ in blanks alone are the same.

    There is one blank where there were several, or of another kind, and none at either end; a text
    of nothing but blanks is missing.
    """
    if dtype not in (nw.String, nw.Categorical, nw.Enum):
        return frame
    text = nw.col(name).cast(nw.String).str.replace_all(f"[{BLANKS}]+", " ")
    text = text.str.replace_all("^ | $", "")
    return frame.with_columns(nw.when(text != "").then(text).alias(name))


def array_of(values: nw.Series[Any]) -> NDArray[Any]:
    """Return a series as an array; a float that is missing is NaN.

    Numbers of pyarrow go by DLPack: its own way imports pandas wherever that is installed, which
    takes longer than counting a table of a million rows.
    """
    numbers = values.dtype.is_float() or values.dtype.is_integer()
    if values.implementation.is_pyarrow() and numbers and not values.null_count():
        return np.from_dlpack(values.to_native().combine_chunks())
    return values.to_numpy()


def floats_of(values: Any) -> NDArray[np.float64]:
    """Return a pyarrow array of 64-bit floats as one of numpy; what is missing is NaN."""
    known = values.fill_null(np.nan) if values.null_count else values
    return np.asarray(np.from_dlpack(known), dtype=np.float64)


def levels_of(values: Any) -> Any:
    """Return a pyarrow array of cells as a DictionaryArray of their texts, as `texts_of` does."""
    coded = values if isinstance(values, pa.DictionaryArray) else values.dictionary_encode()
    texts = [*texts_of(coded.dictionary.to_pylist()), ""]
    codes = coded.indices.cast(pa.int64()).fill_null(len(texts) - 1)
    return pa.DictionaryArray.from_arrays(codes, pa.array(texts, pa.large_string()))
