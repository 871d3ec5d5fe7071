"""Which columns of text hold dates, and in which form: what their rows say, or what is declared."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from discreet.columns import KINDS, Column
from discreet.columns.column import FIRST
from discreet.columns.dates import (
    DATE,
    NAMED,
    NOT_KNOWN,
    YEAR_FIRST,
    YEAR_LAST,
    YEARS,
    Dates,
    check_form,
    forms_of,
    known_texts,
    read_dates,
)
from discreet.errors import InputError, about, some_of
from discreet.table.frames import parts

K = 5
LEVELS = KINDS[1]
EPOCH = date(1970, 1, 1)
LARGEST = 10.0**15
"""A number with more digits is of no date."""
NO_DATE = -1.0
BY_THEMSELVES = frozenset((*YEAR_FIRST, *NAMED))
"""Forms that say which part of a date is which."""


def least_rows(name: str) -> int:
    """Return how many rows must fit one order alone, where no policy says k: 2 k - 1 of k = 5."""
    return 2 * K - 1


@dataclass(frozen=True)
class DateReading:
    """What a column of text is: its dates, or the `readings` between which its rows do not say."""

    dates: Dates | None = None
    readings: tuple[str, ...] = ()


@dataclass
class SeenDates:
    """What the rows of a column of text say so far of the forms in which they may be dates.

    `others` holds who does not fit each form: numbers of rows, or people, up to `least` of them.
    """

    least: int
    forms: tuple[str, ...] | None = None
    others: dict[str, set[Any]] = field(default_factory=dict)
    rows: int = 0
    timed: bool = False
    zoned: int = 0
    known: int = 0

    @property
    def open(self) -> bool:
        """Whether some form fits all rows so far, or no row had a value."""
        return self.forms is None or any(not self.others[it] for it in self.forms)

    def see(self, values: Any, persons: Any = None) -> None:
        """Look at some more rows, and whose each is if people have several."""
        coded = known_texts(values)
        texts = coded.dictionary.drop_null()
        at = np.asarray(coded.indices.cast("int64").fill_null(-1))
        self.rows += len(at)
        if not len(texts):
            return
        if self.forms is None:
            self.forms = forms_of(texts[0].as_py())
            self.others = {it: set() for it in self.forms}
        known = np.asarray(coded.dictionary.is_valid())[at] & (at >= 0)
        self.known += int(known.sum())
        for form in self.forms:
            found = read_dates(coded.dictionary, form)
            # A year is one of which dates are, or one that stands for none.
            usual = (found.years >= YEARS[0]) & (found.years <= YEARS[1])
            fits = found.fits & (usual | np.isin(found.years, NOT_KNOWN))
            if not self.others[form] and fits[at[known]].all():
                self.timed |= bool(found.timed.any())
            self._leave_out(form, np.flatnonzero(known & ~fits[at]), persons)
        if self.open:
            fitting = next(it for it in self.forms if not self.others[it])
            zoned = read_dates(coded.dictionary, fitting).zoned
            self.zoned += int(zoned[at[known]].sum())

    def _leave_out(self, form: str, places: NDArray[np.intp], persons: Any) -> None:
        others = self.others[form]
        if len(others) >= self.least or not len(places):
            return
        whose: Iterable[Any] = (places + self.rows).tolist()
        if persons is not None:
            whose = persons.take(places).to_pylist()
        for it in whose:
            if it is not None:
                others.add(it)
            if len(others) >= self.least:
                return

    @property
    def found(self) -> DateReading:
        """What the column is, by all rows."""
        forms = self.forms or ()
        fitting = [it for it in forms if not self.others[it]]
        if not fitting or self.zoned not in (0, self.known):
            return DateReading()
        sure = [it for it in fitting if it in BY_THEMSELVES]
        # Of two orders one is taken where enough rows fit it alone; of short years none is.
        near = tuple(it for it in forms if len(self.others[it]) < self.least)
        last = [it for of in YEAR_LAST for it in of if it in near]
        if not sure and last == fitting:
            sure = last if len(last) == 1 else []
        if sure:
            unit, zone = "us" if self.timed else "day", "UTC" if self.zoned else None
            return DateReading(Dates(unit, zone, sure[0]))
        return DateReading(readings=near)


def check_declared_dates(name: str, form: str, batches: Iterable[Any]) -> Dates:
    """Return the dates of a column whose form is declared; refuse a row that does not fit it.

    The refusal names the row and no cell.
    """
    rows, timed, ahead, zoned, known = 0, False, False, 0, 0
    today = (date.today() - EPOCH).days
    for values in batches:
        coded = known_texts(values)
        at = np.asarray(coded.indices.cast("int64").fill_null(-1))
        if len(coded.dictionary):
            found = read_dates(coded.dictionary, form)
            here = np.asarray(coded.dictionary.is_valid())[at] & (at >= 0)
            wrong = np.flatnonzero(here & ~found.fits[at])
            if len(wrong):
                raise InputError(
                    f"column {name!r} is declared to hold dates written as {form!r}, and row "
                    f"{rows + int(wrong[0]) + 1} below the names is written differently; "
                    "correct the cell, leave it empty, or declare another form"
                )
            timed |= bool(found.timed.any())
            ahead |= bool((found.days > today).any())
            zoned, known = zoned + int(found.zoned[at[here]].sum()), known + int(here.sum())
        rows += len(at)
    if zoned not in (0, known):
        raise InputError(
            f"column {name!r} holds times some with a time zone and some without; write all of "
            "them with one, or all without"
        )
    if ahead and "%y" in form:
        raise InputError(
            f"column {name!r} has years of two digits, of which those up to 68 are taken for 2000"
            " to 2068, and some dates would lie in the future; write the years in full"
        )
    return Dates("us" if timed else "day", "UTC" if zoned else None, form)


def numbers_as_text(frame: nw.LazyFrame[Any], declared: Mapping[str, str]) -> nw.LazyFrame[Any]:
    """Return a frame in which whole numbers are text where their form as dates is declared.

    20200131 is a date of the form "%Y%m%d".
    """
    schema, made = frame.collect_schema(), []
    for name, form in declared.items():
        if name not in schema:
            raise InputError(f"dates names column {name!r}; there are {some_of(schema.names())}")
        with about("dates"):
            check_form(form)
        if schema[name].is_numeric():
            made.append(_as_text(name, floating=schema[name].is_float()).alias(name))
    return frame.with_columns(*made) if made else frame


def _as_text(name: str, *, floating: bool) -> nw.Expr:
    column = nw.col(name)
    if not floating:
        return column.cast(nw.Int64).cast(nw.String)
    # Engines make no whole number of a float that is missing, broken, or too large for one.
    known = column.is_finite()
    whole = known & (column.abs() < LARGEST) & (column.round(0) == column)
    text = nw.when(whole).then(column).otherwise(nw.lit(NO_DATE)).cast(nw.Int64).cast(nw.String)
    return nw.when(known).then(text)


def find_dates(
    frame: nw.LazyFrame[Any],
    keep: object,
    columns: Mapping[str, Column],
    declared: Mapping[str, str],
    levels: Collection[str],
    unit: str | None,
    least: Callable[[str], int],
) -> dict[str, Column]:
    """Return columns of which those of text hold dates where their form is declared, or plain.

    Those of `levels` stay levels. `least` says how many rows, or people where a `unit` says whose
    they are, must fit one order of a day and a month alone.
    """
    schema = frame.collect_schema()
    texts = {name for name, it in schema.items() if it in (nw.String, nw.Categorical, nw.Enum)}
    out = dict(columns)
    for name, form in declared.items():
        if name in texts:
            column = [nw.col(name).cast(nw.String)]
            read = (batch[name] for batch in parts(frame, column, keep))
            out[name] = _date_column(columns[name], check_declared_dates(name, form, read))
        elif columns[name].dates is None:
            raise InputError(
                f"column {name!r} is declared to hold dates, and holds neither text nor dates;"
                " leave the declaration out"
            )
    undeclared = [
        name
        for name, it in columns.items()
        if name in texts and it.kind == LEVELS and name not in {*declared, *levels}
    ]
    for name, found in _look_at_texts(frame, keep, undeclared, unit, least).items():
        if found.dates is not None:
            out[name] = _date_column(columns[name], found.dates)
        elif found.readings:
            out[name] = replace(columns[name], readings=found.readings)
    return out


def _date_column(column: Column, dates: Dates) -> Column:
    return Column(column.name, DATE, column.role, dates=dates)


def _look_at_texts(
    frame: nw.LazyFrame[Any],
    keep: object,
    names: Sequence[str],
    unit: str | None,
    least: Callable[[str], int],
) -> dict[str, DateReading]:
    """Look at the rows of columns of text: of most the first rows say that they hold no dates."""
    if not names:
        return {}
    wanted = [nw.col(name).cast(nw.String).alias(name) for name in names]
    first = frame.select(*wanted).head(FIRST).collect("pyarrow")
    candidates = []
    for name in names:
        seen = SeenDates(1)
        seen.see(first[name].to_native())
        if seen.open:
            candidates.append(name)
    columns = {name: SeenDates(least(name)) for name in candidates}
    whose = "_" * (1 + max(map(len, names)))  # no column has a name as long as this
    wanted = [it for name, it in zip(names, wanted, strict=True) if name in columns]
    wanted += [] if unit is None else [nw.col(unit).alias(whose)]
    for batch in parts(frame, wanted, keep) if columns else ():
        persons = None if unit is None else batch[whose]
        for name, it in columns.items():
            if it.open:
                it.see(batch[name], persons)
    return {name: it.found for name, it in columns.items() if it.open}
