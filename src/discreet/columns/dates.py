"""Dates and times as numbers and back: days since 1970-01-01, as the clock of their column shows.

Here alone is said what stands for a date. All columns of dates have one unit, so that a start can
be compared with an end, and an end less its start is a number of days as others are.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels
from discreet.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa


Whole = NDArray[np.int64]

# Infinite is as good as missing, for only finite values count; DuckDB would make text of "-inf".
INFINITE_WORDS = [sign + word for sign in ("", "+", "-") for word in ("inf", "Inf", "Infinity")]
MISSING_WORDS = ["", "NA", "N/A", "NaN", "nan", "NULL", "null", "None", *INFINITE_WORDS]

YEARS = (1800, 2199)
"""Other years are no dates unless a form is declared."""
NOT_KNOWN = (1, 9999)
"""Years that are written where there is no date."""
PIVOT = 69
"""Years of two digits from here on are of the century before 2000, as `strptime` has them."""

MONTHS = (
    "jan january januar janvier janv enero ene gennaio gen janeiro januari jän jänner",
    "feb february februar février fevrier févr fevr fév fev febrero febbraio febr fevereiro"
    " februari",
    "mar march märz maerz mrz mär mars marzo março marco mrt maart",
    "apr april avril avr abril abr aprile",
    "may mai mayo maggio mag maio mei",
    "jun june juni juin junio giugno giu junho",
    "jul july juli juillet juil julio luglio lug julho",
    "aug august août aout agosto ago augustus",
    "sep sept september septembre septiembre settembre set setembro",
    "oct october oktober okt octobre octubre ottobre ott outubro out",
    "nov november novembre noviembre novembro",
    "dec december dezember dez décembre decembre déc diciembre dic dicembre dezembro",
)
"""Names of months in English, German, French, Spanish, Italian, Portuguese and Dutch."""
MONTH_OF: Mapping[str, int] = MappingProxyType(
    {name: i + 1 for i, names in enumerate(MONTHS) for name in names.split()}
)

NUMBERS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        **dict.fromkeys("dmHIMS", (r"\d{1,2}", r"\d{2}")),
        "Y": (r"\d{4}", r"\d{4}"),
        "y": (r"\d{2}", r"\d{2}"),
        "j": (r"\d{1,3}", r"\d{3}"),
        "f": (r"\d{1,9}", r"\d{1,9}"),
    }
)
"""What stands for each directive: beside others, and where digits follow it at once."""
WORDS: Mapping[str, str] = MappingProxyType(
    {
        "b": r"\pL{3,}\.?",
        "B": r"\pL{3,}\.?",
        "p": r"[AaPp]\.?[Mm]\.?",
        "z": r"Z|z|UTC|GMT|[+-]\d{2}(?::?\d{2})?",
    }
)
TIME = (
    r"(?:(?:[Tt]|,?\s+)(?P<H>\d{1,2}):(?P<M>\d{2})(?::(?P<S>\d{2})(?:[.,](?P<f>\d{1,9}))?)?"
    r"(?:\s?(?P<p>[AaPp]\.?[Mm]\.?))?\s?(?P<z>Z|z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?)?"
)
"""A time behind a date, and how far it is from UTC."""
SIGNS = ("-", "/", ".", ". ")
"""What may stand between the numbers of a date."""
YEAR_FIRST = tuple(f"%Y{it}%m{it}%d" for it in SIGNS)
NAMED = (
    *(f"%d{it}%b{it}%Y" for it in ("-", "/", ".", " ", "")),
    "%d. %b %Y",
    "%d de %b de %Y",
    "%b %d, %Y",
    "%b %d %Y",
)
YEAR_LAST = tuple((f"%d{it}%m{it}%Y", f"%m{it}%d{it}%Y") for it in SIGNS)
"""The two orders of day and month."""
TWO_DIGITS = (
    *((f"%d{it}%m{it}%y", f"%m{it}%d{it}%y", f"%y{it}%m{it}%d") for it in SIGNS),
    tuple(f"%d{it}%b{it}%y" for it in ("-", "/", ".", " ", "")),
)
"""Dates whose year has two digits, in three orders, or with a name: read where it is declared."""
NO_FORM = (
    "a form of dates is written as '%d/%m/%Y': %d, %m (or %b, a name) and %Y (or %y) for day, month"
    " and year, or %Y and %j; %H or %I with %p, %M, %S and %f for a time, %z for its zone"
)


@dataclass(frozen=True)
class TextDates:
    """Dates that were read of texts: which of these fit the form, and what they say.

    `days` since 1970-01-01, in UTC where an offset is written, NaN where a text does not fit.
    """

    fits: NDArray[np.bool_]
    days: Floats
    years: Whole
    timed: NDArray[np.bool_]
    zoned: NDArray[np.bool_]


def check_form(form: object) -> str:
    """Return a form of dates as it is; refuse one that says no whole date.

    Examples
    --------
    >>> check_form("%d/%m/%Y")
    '%d/%m/%Y'
    """
    if not isinstance(form, str):
        raise InputError(NO_FORM)
    found = re.findall(r"%(.)", form)
    known = all(it in {*NUMBERS, *WORDS, "%"} for it in found)
    day = {"d", "m"} <= {*found} or ("d" in found and {"b", "B"} & {*found}) or "j" in found
    month = {"m", "b", "B"} & {*found}
    whole = len({"Y", "y"} & {*found}) == 1 and (day or month or found == ["Y"])
    hours = len({"H", "I"} & {*found}) < 2 and (
        not {"M", "S", "f", "p"} & {*found} or ({"H", "I"} & {*found})
    )
    if not (known and whole and hours) or len({*found}) < len(found) or form.endswith("%"):
        raise InputError(NO_FORM)
    return form


def is_form(form: object) -> bool:
    """Whether something is a form of dates."""
    try:
        return bool(check_form(form))
    except InputError:
        return False


def declare_hint(name: str, readings: Sequence[str]) -> str:
    """Say which dates texts may be, and how to declare it.

    Examples
    --------
    >>> said = declare_hint("visit", ("%d/%m/%Y", "%m/%d/%Y"))
    >>> said.partition(";")[0]
    "may be dates, and its rows do not show the order of day and month: '%d/%m/%Y' or '%m/%d/%Y'"
    """
    import tomli_w

    orders = " or ".join(map(repr, readings))
    short = len(readings) == 1 and "%y" in readings[0]
    why = (
        "with years of two digits"
        if short
        else "and its rows do not show the order of day and month"
    )
    line = tomli_w.dumps({name: readings[0]}).strip()
    return (
        f"may be dates, {why}: {orders}; declare which: dates={{{name!r}: {readings[0]!r}}} (in "
        f"a policy file dates.{line}, on the command line --dates "
        f"{shlex.quote(f'{name}={readings[0]}')})"
    )


@cache
def _pattern(form: str) -> str:
    """Return the regular expression of a form, as RE2 reads it."""
    out, pieces = "", re.findall(r"%.|\s+|.", form, re.DOTALL)
    for i, piece in enumerate(pieces):
        sign = piece[1:]
        beside = (pieces[i - 1] if i else "") + (pieces[i + 1] if i + 1 < len(pieces) else "")
        if piece == "%%":
            out += "%"
        elif len(piece) == 2 and piece[0] == "%" and sign in NUMBERS:
            out += f"(?P<{sign}>{NUMBERS[sign][any(f'%{it}' in beside for it in NUMBERS)]})"
        elif len(piece) == 2 and piece[0] == "%" and sign in WORDS:
            out += f"(?P<{sign}>{WORDS[sign]})"
        else:
            out += r"\s+" if piece.isspace() else re.escape(piece)
    if not {"%H", "%I"} & {*pieces}:
        out += TIME
    return rf"^\s*{out}\s*$"


@cache
def _in_python(form: str) -> re.Pattern[str]:
    return re.compile(_pattern(form).replace(r"\pL", r"[^\W\d_]"))


def forms_of(text: str) -> tuple[str, ...]:
    """Return the forms without a declaration in which one text may be a date.

    Examples
    --------
    >>> forms_of("18/08/19"), forms_of("3-4-2"), forms_of("2020-03-25T10:00Z")
    (('%d/%m/%y', '%m/%d/%y', '%y/%m/%d'), (), ('%Y-%m-%d',))
    """
    if not any(it.isdigit() for it in text):
        return ()
    orders = (it for of in (*YEAR_LAST, *TWO_DIGITS) for it in of)
    found = [it for it in (*YEAR_FIRST, *NAMED, *orders) if _in_python(it).match(text)]
    # Codes such as 17.8.8 are not years, months and days of two digits.
    padded = re.match(r"\s*\d\d\D+\d\d\D+\d\d\b", text)
    return tuple(it for it in found if padded or not it.startswith("%y"))


def read_dates(texts: pa.Array, form: str) -> TextDates:
    """Read an array of texts in one form.

    Examples
    --------
    >>> import pyarrow as pa
    >>> found = read_dates(pa.array(["02/01/1970", "02/01/1970 12:00", "31/02/1970"]), "%d/%m/%Y")
    >>> found.fits.tolist(), found.days.tolist()
    ([True, True, False], [1.0, 1.5, nan])
    """
    import pyarrow.compute as pc

    matches = pc.extract_regex(texts, _pattern(form))
    fits = np.asarray(matches.is_valid())
    names = [matches.type.field(i).name for i in range(matches.type.num_fields)]
    parts = dict(zip(names, matches.flatten(), strict=True)) if len(fits) else {}
    if not parts:
        none = np.zeros(len(fits), dtype=np.bool_)
        return TextDates(none, np.full(len(fits), np.nan), np.zeros(len(fits), int), none, none)
    days, years, right = _days(parts, len(fits))
    time, within, timed = _times(parts, len(fits))
    offset, zoned, known = _offsets(parts, len(fits))
    fits = fits & right & within & known
    found = np.where(fits, (days * MICROSECONDS + time - offset) / MICROSECONDS, np.nan)
    return TextDates(fits, found, years, timed & fits, zoned & fits)


def known_texts(values: Any) -> pa.DictionaryArray:
    """Return texts of pyarrow, each once and where it stands: none where a value is missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    values = pa.concat_arrays(values.chunks) if isinstance(values, pa.ChunkedArray) else values
    coded = values if isinstance(values, pa.DictionaryArray) else values.dictionary_encode()
    texts = coded.dictionary.cast(pa.string())
    missing = pc.is_in(pc.utf8_trim_whitespace(texts), pa.array(MISSING_WORDS))
    texts = pc.if_else(missing, pa.scalar(None, pa.string()), texts)
    return pa.DictionaryArray.from_arrays(coded.indices, texts)


def days_in(values: Any, form: str) -> Floats:
    """Return texts of pyarrow, written in one form, as days since 1970-01-01; NaN where missing."""
    coded = known_texts(values)
    if not len(coded.dictionary):
        return np.full(len(coded), np.nan)
    days = np.append(read_dates(coded.dictionary, form).days, np.nan)
    return days.take(np.asarray(coded.indices.cast("int64").fill_null(len(days) - 1)))


def _whole(parts: Mapping[str, Any], name: str, size: int, usual: int) -> Whole:
    """Return the numbers of one part of dates; `usual` where it is not written."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if name not in parts:
        return np.full(size, usual, dtype=np.int64)
    text = parts[name].fill_null("")
    text = pc.if_else(pc.equal(text, ""), str(usual), text)
    return np.asarray(text.cast(pa.int64()))


def _words(parts: Mapping[str, Any], name: str, size: int) -> list[str]:
    found: list[str] = parts[name].fill_null("").to_pylist() if name in parts else [""] * size
    return found


def _days(parts: Mapping[str, Any], size: int) -> tuple[Whole, Whole, NDArray[np.bool_]]:
    """Return the days since 1970-01-01 of parts of dates, their years, and which there are."""
    year = _whole(parts, "Y", size, 0)
    if "y" in parts:
        year = _whole(parts, "y", size, 0)
        year = year + np.where(year >= PIVOT, 1900, 2000)
    month, day = _whole(parts, "m", size, 1), _whole(parts, "d", size, 1)
    for name in {"b", "B"} & {*parts}:
        words = _words(parts, name, size)
        month = np.array([MONTH_OF.get(it.lower().rstrip("."), 0) for it in words], dtype=np.int64)
    right = (year >= 1) & (month >= 1) & (month <= 12) & (day >= 1)
    first = ((np.where(right, year, 1970) - 1970) * 12 + np.where(right, month, 1) - 1).astype(
        "datetime64[M]"
    )
    begins = first.astype("datetime64[D]").astype(np.int64)
    length = (first + 1).astype("datetime64[D]").astype(np.int64) - begins
    days = begins + day - 1
    right &= day <= length
    if "j" in parts:
        of_year = _whole(parts, "j", size, 1)
        leap = (year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))
        right &= (of_year >= 1) & (of_year <= 365 + leap)
        days = days + of_year - 1
    return days, year, right


def _times(
    parts: Mapping[str, Any], size: int
) -> tuple[Whole, NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the microseconds since midnight, which times there are, and where one is written."""
    import pyarrow.compute as pc

    twelve = "I" in parts
    hour = _whole(parts, "I" if twelve else "H", size, 12 if twelve else 0)
    minute, second = _whole(parts, "M", size, 0), _whole(parts, "S", size, 0)
    half = np.array([it[:1].lower() for it in _words(parts, "p", size)])
    by_half = half != ""
    right = np.where(by_half, (hour >= 1) & (hour <= 12), hour <= 23) & (minute <= 59)
    right &= (second <= 59) & (by_half if twelve else True)
    hour = np.where(by_half, hour % 12 + 12 * (half == "p"), hour)
    fraction = np.zeros(size, dtype=np.int64)
    if "f" in parts:
        digits = pc.utf8_slice_codeunits(pc.utf8_rpad(parts["f"].fill_null(""), 6, "0"), 0, 6)
        fraction = _whole({"f": digits}, "f", size, 0)
    time = ((hour * 60 + minute) * 60 + second) * 1_000_000 + fraction
    written = [np.asarray(pc.not_equal(parts[it].fill_null(""), "")) for it in "HI" if it in parts]
    timed = written[0] if written else np.zeros(size, dtype=np.bool_)
    return time, right, timed


def _offsets(
    parts: Mapping[str, Any], size: int
) -> tuple[Whole, NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the microseconds ahead of UTC, where they are written, and which there are."""
    if "z" not in parts:
        none = np.zeros(size, dtype=np.int64)
        return none, none > 0, none == 0
    words = _words(parts, "z", size)
    of = {it: _offset(it) for it in {*words}}
    minutes = np.array([of[it] for it in words], dtype=np.int64)
    zoned = np.array([it != "" for it in words], dtype=np.bool_)
    return minutes * 60_000_000, zoned, np.abs(minutes) < 24 * 60


def _offset(text: str) -> int:
    digits = re.sub(r"\D", "", text)
    if not digits:
        return 0
    minutes = int(digits[:2]) * 60 + int(digits[2:] or 0)
    return -minutes if text.startswith("-") else minutes


# --- dates as days --------------------------------------------------------------------------------


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


def storage_of(dtype: nw.dtypes.DType, zone: str | None = None) -> Dates | None:
    """Return how a type stores dates; None where it stores something else.

    Moments may be told in another `zone` than the type has.

    Examples
    --------
    >>> import narwhals as nw
    >>> storage_of(nw.Datetime("us", "UTC")), storage_of(nw.Int64())
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
            raise InputError("a limit of dates is a date, such as '2020-01-31'") from None
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
    """Return into how many parts of a day dates are told, but for those of fewer than k people.

    1 for dates without a time, 24, 1440 or 86400; None where seconds have parts, too.

    Examples
    --------
    >>> import numpy as np
    >>> parts_of(np.arange(20.0), None, k=5), parts_of(np.arange(20.0) / 4, None, k=5)
    (1, 24)
    """
    who = np.arange(len(days)) if persons is None else persons
    for parts in PARTS:
        counts = days * parts
        with np.errstate(invalid="ignore"):
            broken = np.abs(counts - np.round(counts)) > TINY * parts
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
