"""Dates and times as numbers and back: days since 1970-01-01, as the clock of their column shows.

Here alone is said what stands for a date. All columns of dates have one unit, so that a start can
be compared with an end, and an end less its start is a number of days as others are.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from discreet.arguments import Floats, Labels
from discreet.columns.written import days_in
from discreet.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

DATE = "date"
"""The kind of a column of dates, with times or without."""
MICROSECONDS = 86_400_000_000
"""So many are a day."""
PARTS = (1, 24, 1_440, 86_400)
"""Into how many parts of a day dates may be told: days, hours, minutes, seconds."""
OPEN = (-718_797.0, 2_932_532.0)
"""Before the year 2 and from 9999 on no date is meant, but one not known or not yet there."""
TINY = 1e-9
"""Dates that are nearer to each other, in days, are told alike."""


@dataclass(frozen=True)
class Dates:
    """How a column stores dates: the unit ("day", "s", "ms", "us" or "ns"), and the time zone.

    `form` is how they are written where they are text (see `written`); moments with an offset are
    those of UTC then.
    """

    unit: str
    zone: str | None = None
    form: str | None = None


def stored_as(dtype: nw.dtypes.DType, zone: str | None = None) -> Dates | None:
    """Return how a type stores dates; None where it stores something else.

    Moments may be told in another `zone` than the type has.

    Examples
    --------
    >>> import narwhals as nw
    >>> stored_as(nw.Datetime("us", "UTC")), stored_as(nw.Int64())
    (Dates(unit='us', zone='UTC', form=None), None)
    """
    if isinstance(dtype, nw.Date):
        return Dates("day")
    if isinstance(dtype, nw.Datetime):
        return Dates(dtype.time_unit, zone or dtype.time_zone)
    return None


def spans_as_numbers(frame: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """Return a frame in which durations are numbers of days, and times of day numbers of hours.

    They are drawn, counted and protected as any number is.

    Examples
    --------
    >>> import datetime, narwhals as nw, pyarrow as pa
    >>> columns = {"stay": [datetime.timedelta(hours=36)], "at": [datetime.time(8, 30)]}
    >>> frame = spans_as_numbers(nw.from_native(pa.table(columns)).lazy())
    >>> frame.collect("pyarrow").to_dict(as_series=False)
    {'stay': [1.5], 'at': [8.5]}
    """
    made = []
    for name, dtype in frame.collect_schema().items():
        column = nw.col(name)
        if isinstance(dtype, nw.Duration):
            days = column.dt.total_microseconds().cast(nw.Float64) / MICROSECONDS
            made.append(days.alias(name))
        # What pandas has of times it cannot take apart: they stay what is not drawn.
        elif isinstance(dtype, nw.Time) and not frame.implementation.is_pandas_like():
            day = column.dt
            # As floats: some engines have hours and minutes of eight bits.
            hour, minute, second, micro = (
                it.cast(nw.Float64)
                for it in (day.hour(), day.minute(), day.second(), day.microsecond())
            )
            seconds = hour * 3_600 + minute * 60 + second + micro / 1e6
            made.append((seconds / 3_600).alias(name))
    return frame.with_columns(*made) if made else frame


def days_of(values: Any, dates: Dates) -> Floats:
    """Return a pyarrow array of dates as days since 1970-01-01; NaN where one is missing.

    The years 1 and 9999 are written where there is no date, and are missing, too. Moments are taken
    as the clocks of their time zone show them.

    Examples
    --------
    >>> import datetime, pyarrow as pa
    >>> days_of(pa.array([datetime.datetime(1970, 1, 2, 12), None]), Dates("us"))
    array([1.5, nan])
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if dates.form is not None:
        days = days_in(values, dates.form)
        return np.where((days >= OPEN[0]) & (days < OPEN[1]), days, np.nan)
    if dates.zone is not None:
        values = pc.local_timestamp(values.cast(pa.timestamp(dates.unit, dates.zone), safe=False))
    counted = values.cast(pa.timestamp("us"), safe=False).cast(pa.int64())
    known = np.asarray(counted.is_valid())
    days = np.asarray(counted.fill_null(0)).astype(np.float64) / MICROSECONDS
    return np.where(known & (days >= OPEN[0]) & (days < OPEN[1]), days, np.nan)


def day_of(value: object) -> object:
    """Return a date, or its text in ISO 8601, as days since 1970-01-01; a number as it is.

    A time zone plays no part: the clock is meant that a column shows.

    Examples
    --------
    >>> day_of("1970-01-02"), day_of("1970-01-02T12:00"), day_of(3.0)
    (1.0, 1.5, 3.0)
    """
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            raise InputError("an end of dates is a date, such as '2020-01-31'") from None
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    if not isinstance(value, datetime):
        return value
    return (value.replace(tzinfo=None) - datetime(1970, 1, 1)) / timedelta(days=1)


def dates_of(days: Floats, dates: Dates) -> pa.Array:
    """Return days since 1970-01-01 as dates of the type that the column had; NaN is a gap.

    Of an hour that a clock shows twice it is the first; one that a clock leaves out is its end.

    Examples
    --------
    >>> import numpy as np
    >>> dates_of(np.array([18262.0, np.nan]), Dates("day")).to_pylist()
    [datetime.date(2020, 1, 1), None]
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    gap = ~np.isfinite(days)
    whole = dates.unit == "day"
    count = np.round(np.where(gap, 0.0, days) * (1 if whole else MICROSECONDS)).astype(np.int64)
    if whole:
        return pa.array(count.astype(np.int32), pa.date32(), mask=gap)
    out = pa.array(count, pa.timestamp("us"), mask=gap)
    if dates.zone is not None:
        out = pc.assume_timezone(out, dates.zone, ambiguous="earliest", nonexistent="latest")
    return out.cast(pa.timestamp(dates.unit, dates.zone), safe=False)


def parts_of(days: Floats, persons: Labels | None, k: int) -> int | None:
    """Return into how many parts of a day dates are told, but for those of fewer than k persons.

    1 for dates without a time, 24, 1440 or 86400; None where seconds have parts, too.

    Examples
    --------
    >>> import numpy as np
    >>> parts_of(np.arange(20.0), None, k=5), parts_of(np.arange(20.0) / 4, None, k=5)
    (1, 24)
    """
    who = np.arange(len(days)) if persons is None else persons
    for parts in PARTS:
        told = days * parts
        with np.errstate(invalid="ignore"):
            broken = np.abs(told - np.round(told)) > TINY * parts
        if len(np.unique(who[broken])) < k:
            return parts
    return None


def on_clock(days: Floats, parts: int | None) -> Floats:
    """Return days to the nearest part of one; the same number for the same time, however reached.

    Without parts they are as they were, and so are numbers that are no days.

    Examples
    --------
    >>> import numpy as np
    >>> on_clock(np.array([1.49, 2.51]), 2)
    array([1.5, 2.5])
    """
    return days if parts is None else np.round(days * parts) / parts
