"""Periods of time: days, weeks, months, quarters and years, and steps of whole numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats
from discreet.errors import InputError, one_of
from discreet.methods.values import nice_step
from discreet.render.dates import date_words

EVERY = ("day", "week", "month", "quarter", "year")
AUTO, STEP = "auto", "step"
"""What is asked for where nobody names a period, and what whole numbers have in its place."""
ENOUGH = 60
"""The shortest period is taken of which there are no more than this, where nobody names one."""
MOST_PERIODS = 1000
"""More points lie too close to be seen one by one."""
MONTHS = {"month": 1, "quarter": 3, "year": 12}
MONDAY = 3
"""1970-01-01 is a Thursday: its week began so many days before."""
COVERED, LATE = 0.1, 5
"""A period is covered in part where so large a share of it lies beyond the first or last day, and
more than the first of so few rows would lie there by chance."""
YEARS = (1000, 2999)
"""Whole numbers between these may be years."""

Places = NDArray[np.int64]


@dataclass(frozen=True)
class Periods:
    """Periods one after the other: when each starts, and in which of them each row lies.

    `covered` says of the first and of the last whether the rows reach to its outer end.
    """

    starts: Floats
    places: Places
    covered: tuple[bool, bool] = (True, True)


def check_every(every: Any) -> str:
    """Refuse a word that is no period."""
    if every not in (AUTO, *EVERY):
        raise InputError(f"every must be {one_of((AUTO, *EVERY))}", parameter="every")
    found: str = every
    return found


def divided(
    values: Floats, column: str, every: str, *, dated: bool, beyond: int = 0
) -> tuple[str, Periods]:
    """Divide a column of dates, or of whole numbers such as years, and say how."""
    if dated:
        return periods_of(values, every, beyond)
    of_years = every == EVERY[-1] and YEARS[0] <= values.min() <= values.max() <= YEARS[1]
    if every != AUTO and not of_years:
        raise InputError(
            f"every={every!r} is for dates, and {column!r} holds numbers; leave it out",
            parameter="every",
        )
    return STEP, steps_of(values, column)


def periods_of(days: Floats, every: str, beyond: int = 0) -> tuple[str, Periods]:
    """Divide time into periods, from that of the first day to that of the last.

    "auto" is the shortest that there are at most 60 of; weeks begin on Mondays. So many people as
    `beyond` may have dates before the first of these, or after the last, as the ends of a copy are
    drawn in.

    Examples
    --------
    >>> every, found = periods_of(np.array([0.0, 40.5, 95.0]), "month")
    >>> found.places.tolist(), found.starts.tolist()
    ([0, 1, 3], [0.0, 31.0, 59.0, 90.0])
    """
    if every == AUTO:
        ends = np.array([days.min(), days.max()])
        spans = {it: np.ptp(_numbers(ends, it)) + 1 for it in EVERY}
        every = next((it for it in EVERY if spans[it] <= ENOUGH), EVERY[-1])
    numbers = _numbers(days, every)
    first, last = int(numbers.min()), int(numbers.max())
    if last - first >= MOST_PERIODS:
        raise InputError(
            f"from the first to the last date there are more than {MOST_PERIODS:,} periods of a"
            f" {every}; take longer ones, or rows of less time: study.where(...)",
            parameter="every",
        )
    edges = _starts(np.arange(first, last + 2), every)
    places = numbers - first
    return every, Periods(edges[:-1], places, _covered(days, places, edges, beyond))


def steps_of(values: Floats, column: str) -> Periods:
    """Divide whole numbers, such as years, into steps as wide as all their differences allow.

    Examples
    --------
    >>> steps_of(np.array([2000.0, 2010.0, 2005.0]), "year").starts.tolist()
    [2000.0, 2005.0, 2010.0]
    """
    whole = (values == np.floor(values)).all() and np.abs(values).max() < 2**53
    if not whole:
        raise InputError(
            f"column {column!r} holds neither dates nor whole numbers such as years; name one that"
            " does, or make one: study.assign(year='year(visit)')",
            parameter="columns",
            rule="times",
        )
    numbers = values.astype(np.int64)
    first = int(numbers.min())
    step = max(int(np.gcd.reduce(numbers - first)), 1)
    places = (numbers - first) // step
    count = int(places.max()) + 1
    if count > MOST_PERIODS:
        raise InputError(
            f"the numbers of column {column!r} are more than {MOST_PERIODS:,} steps apart; name a"
            " column of dates, or of fewer years",
            parameter="columns",
            rule="times",
        )
    return Periods(first + step * np.arange(count, dtype=float), places)


def edges_of(starts: Floats, every: str) -> Floats:
    """Return the starts of periods, and where the last of them ends.

    Examples
    --------
    >>> edges_of(np.array([0.0, 31.0]), "month"), edges_of(np.array([2000.0, 2005.0]), STEP)
    (array([ 0., 31., 59.]), array([2000., 2005., 2010.]))
    """
    last = starts[-1:]
    if every == STEP:
        return np.append(starts, last + (starts[-1] - starts[-2] if len(starts) > 1 else 1.0))
    return np.append(starts, _starts(_numbers(last, every) + 1, every))


def words_of(start: float, every: str) -> str:
    """Return what a period is called: by its first day, as far as that says more.

    Examples
    --------
    >>> [words_of(18293.0, every) for every in EVERY]
    ['2020-02-01', 'week of 2020-02-01', '2020-02', '2020 Q1', '2020']
    """
    day = date_words(start)
    quarter = f"{day[:4]} Q{(int(day[5:7]) + 2) // 3}"
    words = {"week": f"week of {day}", "month": day[:7], "quarter": quarter, "year": day[:4]}
    return words.get(every, day)


def _numbers(days: Floats, every: str) -> Places:
    """Return the number of the period that each day lies in, 0 being that of 1970-01-01."""
    whole = np.floor(days).astype(np.int64)
    if every == "day":
        return whole
    if every == "week":
        return (whole + MONDAY) // 7
    months = whole.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    return months // MONTHS[every]


def _starts(numbers: Places, every: str) -> Floats:
    """Return the first day of periods of some numbers."""
    if every == "day":
        return numbers.astype(float)
    if every == "week":
        return (7 * numbers - MONDAY).astype(float)
    months = (numbers * MONTHS[every]).astype("datetime64[M]")
    return months.astype("datetime64[D]").astype(np.int64).astype(float)


def _covered(days: Floats, places: Places, edges: Floats, beyond: int) -> tuple[bool, bool]:
    """Say whether rows reach to the start of the first period, and to the end of the last.

    Where the ends are drawn in, days are rounded, too: by one step more they may be off.
    """
    first, last = float(np.floor(days.min())), float(np.floor(days.max())) + 1
    counts = np.bincount(places)
    usual = float(np.median(counts[counts > 0]))
    step = nice_step(float(days.std())) if beyond and np.ptp(days) else 0.0
    spans = np.array([edges[1] - edges[0], edges[-1] - edges[-2]])
    missing = np.array([first - edges[0], edges[-1] - last]) / spans
    covered = missing < max(COVERED, LATE / usual) + beyond / usual + step / spans
    return bool(covered[0]), bool(covered[1])


def in_part(periods: Periods) -> tuple[int, ...]:
    """Return the places of a first and of a last period that are covered in part."""
    ends = zip((0, len(periods.starts) - 1), periods.covered, strict=True)
    return tuple(dict.fromkeys(at for at, whole in ends if not whole))
