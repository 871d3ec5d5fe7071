"""Frames of pandas: columns of types that engines do not know become ones that they do.

What is an interval is a level, a period the date of its beginning, and a column of Python's objects
what all of its objects are. Columns of anything else stay as they are, and are not drawn.
"""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

DAYS = "date32[day][pyarrow]"
WORDS = "string"
LARGEST = 2**63
"""A larger whole number is a float."""
HOUR = 3_600.0
NUMBERS = (int, float, np.integer, np.floating, Decimal)
TOLD = (*NUMBERS, bool, np.bool_, str, date, time, timedelta)
"""Kinds of objects that have a text of their own."""


def plain_frame(source: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return a frame of plain columns, and the time zones of those of moments.

    What is changed in the frame afterwards is not seen (pandas 3 copies what is written to): counts
    of two states of it would give away who is in one of them.
    """
    made, zones = source.copy(deep=False), dict[str, str]()
    for name in source.columns:
        found = source[name]
        column = _plain(found)
        zone = getattr(column.dtype, "tz", None)
        if zone is not None and (known := _name_of_zone(column)) is not None:
            column, zones[name] = column.dt.tz_convert("UTC"), known
        if column is not found:
            made[name] = column
    return made, zones


def _name_of_zone(column: pd.Series[Any]) -> str | None:
    """Return what pyarrow calls the time zone of a column; None where it knows it not."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        values = pa.array(column[:1])
        pc.local_timestamp(values)
    except (pa.ArrowException, ValueError, TypeError, AttributeError):
        return None
    return str(values.type.tz)


def _plain(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return a column as one of a plain type, where there is one."""
    import pandas as pd

    kind = column.dtype
    if isinstance(kind, pd.SparseDtype):
        return _plain(column.sparse.to_dense())
    if isinstance(kind, pd.CategoricalDtype):
        of = kind.categories.dtype
        if isinstance(of, pd.IntervalDtype):
            return column.cat.rename_categories([str(it) for it in kind.categories])
        if isinstance(of, pd.PeriodDtype) or of.kind in "mM":
            return _plain(column.astype(of))
        return _of_words(column) if of.kind == "O" else column
    if isinstance(kind, pd.IntervalDtype):
        return _plain(column.astype("category"))
    if isinstance(kind, pd.PeriodDtype):
        return column.dt.to_timestamp()
    if isinstance(kind, pd.ArrowDtype):
        return _of_arrow(column, kind)
    if kind == np.longdouble:
        return column.astype(np.float64)
    objects = kind.kind == "O" and not isinstance(kind, pd.api.extensions.ExtensionDtype)
    return _of_objects(column) if objects else column


def _of_words(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return levels of Python's objects as texts in their order; what no level is stays objects."""
    import pandas as pd

    kinds = [type(it) for it in column.cat.categories]
    if all(issubclass(it, str) for it in kinds):
        return column
    words = [_text(it) for it in column.cat.categories]
    if all(issubclass(it, TOLD) for it in kinds) and len({*words}) == len(words):
        return column.cat.rename_categories(pd.Index(words, dtype=WORDS))
    return _plain(column.astype(object))


def _of_arrow(column: pd.Series[Any], kind: pd.ArrowDtype) -> pd.Series[Any]:
    """Return a column of one of pyarrow's types as one of a type that pandas has, too."""
    import pandas as pd
    import pyarrow as pa

    of = kind.pyarrow_dtype
    if pa.types.is_null(of):
        return column.astype(WORDS)
    if pa.types.is_dictionary(of):
        return column.astype("category")
    if pa.types.is_time(of):
        return _of_objects(column.astype(object))
    if pa.types.is_decimal(of):
        return column.astype("string").astype("Float64")
    return column.astype(pd.ArrowDtype(pa.date32())) if pa.types.is_date64(of) else column


def _of_objects(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return a column of Python's objects as what all of them are, where that is one kind."""
    known = column[column.notna()]
    held = {type(it) for it in known}
    if held == {str}:
        return column
    try:
        return _made(column, known, held)
    except (ValueError, TypeError, OverflowError):  # naive moments among those of a zone, say
        return column


def _made(column: pd.Series[Any], known: pd.Series[Any], held: set[type]) -> pd.Series[Any]:
    import pandas as pd

    def all_are(*kinds: type) -> bool:
        return all(issubclass(it, kinds) for it in held)

    if not held:
        return column.astype(WORDS)
    if all_are(bool, np.bool_):
        return column.astype("boolean")
    if all_are(*NUMBERS) and not held & {bool, np.bool_}:
        whole = all_are(int, np.integer) and all(-LARGEST <= it < LARGEST for it in known)
        values: Any = [int(it) if whole else float(it) for it in known]
        return _filled(column, pd.array(values, "Int64" if whole else "Float64"))
    if all_are(date, np.datetime64):
        if all_are(date) and not any(issubclass(it, datetime) for it in held):
            return column.astype(DAYS)
        return _filled(column, _moments(list(known)))
    if all_are(timedelta, np.timedelta64):
        return pd.to_timedelta(column)
    if all_are(time):
        hours = [
            it.hour + it.minute / 60 + (it.second + it.microsecond / 1e6) / HOUR for it in known
        ]
        return _filled(column, pd.array(hours, "Float64"))
    if all_are(pd.Period):
        return _filled(column, pd.PeriodIndex(list(known)).to_timestamp().array)
    if all_are(pd.Interval):
        return _plain(column.astype("category"))
    if all_are(*TOLD):
        return _filled(column, pd.array([_text(it) for it in known], WORDS))
    return column


def _moments(known: list[Any]) -> Any:
    """Return moments; those of several offsets are of UTC, as in text.

    Days are the midnights at which they begin, beside moments.
    """
    import pandas as pd

    try:
        return pd.to_datetime(known).array
    except ValueError:
        if any(getattr(it, "tzinfo", None) is None for it in known):
            raise
        return pd.to_datetime(known, utc=True).array


def _filled(column: pd.Series[Any], known: Any) -> pd.Series[Any]:
    """Return a column whose known values are others, in their order."""
    import pandas as pd

    places = np.where(column.notna(), np.cumsum(column.notna()) - 1, -1)
    made: pd.Series[Any] = pd.Series(known.take(places, allow_fill=True), index=column.index)
    return made


def _text(value: object) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
