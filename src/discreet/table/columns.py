"""What is known of a column before its values are looked at."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from discreet.errors import InputError, RefusedError, one_of, some_of
from discreet.table.sources import quiet

if TYPE_CHECKING:
    from discreet.table.table import Table

__all__ = [
    "CODES",
    "KINDS",
    "ROLES",
    "Column",
    "array_of",
    "codes_among",
    "codes_of",
    "columns_of",
    "finite_array",
    "floats_of",
    "levels_of",
    "numbers_in_texts",
    "text_of",
    "texts_of",
    "two_valued",
    "way_out",
    "with_levels_of_two",
    "without_values",
]


KINDS = ("continuous", "categorical")
ROLES = ("identifier", "quasi-identifier", "sensitive", "other")


@dataclass(frozen=True)
class Column:
    """A column's name, kind and role, and how its values are stored."""

    name: str
    kind: str
    role: str = "other"
    #: Stored as numbers or yes/no, so that it can be continuous.
    numeric: bool = False
    #: Stored as floating-point numbers, among which NaN may be.
    floating: bool = False
    #: Stored as yes/no.
    yes_no: bool = False


def columns_of(
    schema: Mapping[str, nw.dtypes.DType],
    kinds: Mapping[str, str],
    roles: Mapping[str, str],
    identifying: Sequence[str],
) -> dict[str, Column]:
    """Infer kind and role of each column of `schema`, and let what is declared override it.

    Numbers are continuous, texts and yes/no categorical; `identifying` columns identify.
    """
    _check_declared(schema, kinds, KINDS, "kinds or strata")
    _check_declared(schema, roles, ROLES, "roles")
    _check_declared(schema, dict.fromkeys(identifying, "identifier"), ROLES, "unit or key")
    columns = {}
    for column, dtype in schema.items():
        role = roles.get(column, "identifier" if column in identifying else "other")
        kind = kinds.get(column, _kind(dtype))
        numeric = dtype.is_numeric() or dtype == nw.Boolean
        if kind == "continuous" and not numeric:
            raise InputError(
                f"column {column!r} holds text where numbers are needed; correct the column,"
                " or declare it 'categorical'"
            )
        columns[column] = Column(column, kind, role, numeric, dtype.is_float(), dtype == nw.Boolean)
    return columns


def _check_declared(
    schema: Mapping[str, object], given: Mapping[str, str], allowed: Sequence[str], what: str
) -> None:
    for column, word in given.items():
        if column not in schema:
            raise InputError(f"{what} names column {column!r}; there are {some_of([*schema])}")
        if word not in allowed:
            raise InputError(f"{what} of column {column!r} must be one of {one_of(allowed)}")


def _kind(dtype: nw.dtypes.DType) -> str:
    if dtype.is_numeric():
        return "continuous"
    if dtype in (nw.String, nw.Categorical, nw.Boolean, nw.Enum, nw.Object, nw.Unknown):
        return "categorical"
    return f"of a type that is not drawn ({type(dtype).__name__})"


FIRST = 10_000
"""How many rows are looked at before a column is read to its end."""
CODES = tuple(
    sign * float(digit * times)
    for digit in "789"
    for times in range(1, 6)
    for sign in (-1, 1)
    if sign < 0 or times > 1
)
"""What is written for a missing number: 7, 8 or 9 repeated (-9, 99, -999, 7777, ...)."""
PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
COMMAS = re.compile(r"[+-]?\d[\d.,' ]*,\d[\d.,' ]*")
FAR = 0.1
"""How far from all others a code is, as a share of how far they reach."""


def with_levels_of_two(table: Table, declared: Collection[str]) -> Table:
    """Return a table in which numbers of two different values are levels.

    Columns whose kind is `declared`, and those that identify, stay as they are. As numbers they
    would be drawn between the two values, where a protected row tells which of them it was.
    """
    if table.size <= 2:  # two rows differ in every column
        return table
    keep = {*declared, table.unit, table.key}
    numbers = [it for it in table.columns.values() if it.numeric and it.kind == "continuous"]
    with quiet("the data could not be read"):
        few = two_valued(table._frame, [it.name for it in numbers if it.name not in keep])
    levels = {name: replace(table.columns[name], kind="categorical") for name in few}
    return table.changed({**table.columns, **levels}, table._missing)


def codes_of(table: Table, name: str, k: int) -> tuple[float, ...]:
    """Return the codes of a column of a table that k persons or more share: see `codes_among`."""
    column = table.columns[name]
    if not column.numeric or column.yes_no:
        return ()
    k = max(k, 2)
    number = nw.col(name).cast(nw.Float64)
    who = {} if table.unit is None else {"unit": nw.col(table.unit)}
    found = table._complete([name]).filter(number.is_in(CODES)).select(value=number, **who)
    found = found.unique() if who else found
    out = table._collect(found.group_by("value").agg(n=nw.len()))
    counts = dict(zip(out["value"].to_list(), out["n"].to_list(), strict=True))
    if max(counts.values(), default=0) < k:
        return ()
    try:
        lows, highs = table.extremes(name, k, but_for=CODES)
    except RefusedError:  # there is nothing but codes
        return ()
    return codes_among(counts, float(lows[-1]), float(highs[-1]), k) if len(lows) == k else ()


def two_valued(frame: nw.LazyFrame[Any], names: Sequence[str]) -> frozenset[str]:
    """Return those of some columns of numbers that hold two different finite values, no more.

    The first rows are looked at; only columns of at most two values there are read to their end,
    where the data are.
    """
    if not names:
        return frozenset()
    numbers = [nw.col(name).cast(nw.Float64).alias(str(i)) for i, name in enumerate(names)]
    wanted = frame.select(*numbers)
    first = wanted.head(FIRST).collect("pyarrow")
    found = {str(i): _different(first[str(i)]) for i in range(len(names))}
    few = [i for i, values in found.items() if len(values) <= 2]
    if len(first) == FIRST and few:
        ends = _one_row(wanted, {f"{at} {i}": _end(i, at) for i in few for at in ("min", "max")})
        spread = [i for i in few if ends[f"min {i}"] is not None]
        between = {i: _between(i, ends[f"min {i}"], ends[f"max {i}"]) for i in spread}
        others = _one_row(wanted, between) if between else {}
        few = [i for i in spread if ends[f"min {i}"] < ends[f"max {i}"] and not others[i]]
        return frozenset(names[int(i)] for i in few)
    return frozenset(names[int(i)] for i in few if len(found[i]) == 2)


def codes_among(counts: Mapping[float, int], low: float, high: float, k: int) -> tuple[float, ...]:
    """Return which of the `CODES` in a column are likely to stand for a missing value.

    Parameters
    ----------
    counts : mapping of float to int
        How many persons have each of the codes.
    low, high : float
        The k-th smallest and the k-th largest of all other values.
    k : int
        How many persons must share a code.

    Returns
    -------
    tuple of float
        Those that k persons or more share and that lie beyond the other values by more than a
        tenth of their range, or are below 0 where no other value is.

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


def way_out(frame: nw.LazyFrame[Any], column: Column, kind: str) -> str:
    """Say what a column is where another kind is needed, and what to do."""
    declare = f"or declare it: kinds={{{column.name!r}: {kind!r}}}"
    if kind == "categorical":
        return f"is {column.kind}; levels are needed here; {declare}"
    if column.numeric:
        return f"is categorical; numbers are needed here; {declare}"
    if column.kind != "categorical":
        return (
            f"is {column.kind}; numbers are needed here: make some of it first, such as years or"
            " days since a day"
        )
    why = numbers_in_texts(frame, column.name) or "draw bars of it, or name another column"
    return f"is categorical; numbers are needed here: {why}"


def numbers_in_texts(frame: nw.LazyFrame[Any], name: str) -> str:
    """Say why the texts of a column may be no numbers, and what to do; nothing where they are not.

    The first rows are looked at. What is said names ways of writing, and no cell.
    """
    first = frame.select(nw.col(name).cast(nw.String)).head(FIRST).collect("pyarrow")
    texts = {text.strip() for text in first[name].to_list() if text and text.strip()}
    plain = {text for text in texts if PLAIN.fullmatch(text)}
    commas = {text for text in texts - plain if COMMAS.fullmatch(text)}
    others = texts - plain - commas
    if commas and len(others) <= len(commas):
        return "its numbers hold commas: write decimal points, and nothing between thousands"
    if not plain or len(others) > len(plain):
        return ""
    if others == {"."}:
        return "a point alone stands for a missing value, as SAS writes it: leave such cells empty"
    return (
        "beside numbers it holds words: leave such cells empty, or write a number for them"
        " (missing_values of a policy says which)"
    )


def without_values(
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


def _different(values: nw.Series[Any]) -> set[float]:
    numbers = np.asarray(array_of(values), dtype=np.float64)
    return set(np.unique(numbers[np.isfinite(numbers)])[:3].tolist())


def _end(name: str, at: str) -> nw.Expr:
    finite = nw.when(nw.col(name).is_finite()).then(nw.col(name))
    end: nw.Expr = getattr(finite, at)()
    return end


def _between(name: str, low: float, high: float) -> nw.Expr:
    value = nw.col(name)
    other = value.is_finite() & (value > low) & (value < high)
    return nw.when(other).then(nw.lit(1)).max()


def _one_row(frame: nw.LazyFrame[Any], wanted: Mapping[str, nw.Expr]) -> dict[str, Any]:
    found = frame.select(**wanted).collect("pyarrow")
    return {name: found[name][0] for name in wanted}


def array_of(values: nw.Series[Any]) -> NDArray[Any]:
    """Return a series as an array; a float that is missing is NaN.

    Numbers of pyarrow go by DLPack: its own way imports pandas wherever that is installed, which
    takes longer than counting a table of a million rows.
    """
    numbers = values.dtype.is_float() or values.dtype.is_integer()
    if values.implementation.is_pyarrow() and numbers and not values.null_count():
        return np.from_dlpack(values.to_native().combine_chunks())
    return values.to_numpy()


def finite_array(values: nw.Series[Any]) -> NDArray[np.float64]:
    """Return numbers with one sign, NaN, for all that are missing or infinite."""
    out = np.array(array_of(values), dtype=np.float64)
    out[~np.isfinite(out)] = np.nan
    return out


def floats_of(values: Any) -> NDArray[np.float64]:
    """Return a pyarrow array of 64-bit floats as one of numpy; what is missing is NaN."""
    known = values.fill_null(np.nan) if values.null_count else values
    return np.asarray(np.from_dlpack(known), dtype=np.float64)


def levels_of(values: Any) -> Any:
    """Return a pyarrow array of cells as a DictionaryArray of their texts, as `texts_of` does."""
    import pyarrow as pa

    coded = values if isinstance(values, pa.DictionaryArray) else values.dictionary_encode()
    texts = [*texts_of(coded.dictionary.to_pylist()), ""]
    codes = coded.indices.cast(pa.int64()).fill_null(len(texts) - 1)
    return pa.DictionaryArray.from_arrays(codes, pa.array(texts, pa.large_string()))


def texts_of(values: Sequence[object]) -> tuple[str, ...]:
    """Return the one text of each level."""
    return tuple(text_of(value) for value in values)


def text_of(value: object) -> str:
    """Return the one text of a level, whatever it is stored as; nothing for a missing one."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
