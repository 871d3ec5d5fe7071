"""Days since 1970-01-01 as words, and where the ticks of an axis of dates stand.

All words of dates come from here, but those of numbers that a page lists by itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import takewhile

EPOCH = datetime(1970, 1, 1)
MOST = 8
"""An axis has this many ticks of dates at most, as one of numbers."""
ENOUGH = 4
"""With so many of a step no finer one is looked for."""
YEARS = tuple(digit * 10**power for power in range(4) for digit in (1, 2, 5))
MONTHS = (6, 3, 2, 1)
SECONDS = tuple(
    count * size
    for size, counts in (
        (86_400, (14, 7, 2, 1)),
        (3_600, (12, 6, 3, 1)),
        (60, (30, 15, 5, 1)),
        (1, (30, 15, 5, 1)),
    )
    for count in counts
)
YEAR, MONTH, DAY, MINUTE = 4, 7, 10, 16
"""Letters that ISO 8601 has for a moment told to the year, the month, the day or the minute."""

Tick = tuple[float, str]


def date_words(days: float) -> str:
    """Return days since 1970-01-01 as ISO 8601 has them, without a time where it is midnight.

    Examples
    --------
    >>> date_words(18262.0), date_words(18262.75), date_words(1e9)
    ('2020-01-01', '2020-01-01T18:00', '1e+09 days')
    """
    moment = _moment(days)
    if moment is None:
        return f"{days:.7g} days"
    text = moment.isoformat()
    return text[: DAY if text.endswith("T00:00:00") else MINUTE if moment.second == 0 else None]


def date_ticks(low: float, high: float, most: int = MOST) -> tuple[Tick, ...]:
    """Return places between two days, and their words: round years, months, days or times.

    Where nothing is round between them, or a year is none that ISO 8601 writes in four digits, they
    are the two ends.

    Examples
    --------
    >>> date_ticks(18262.0, 18400.0)[:2]
    ((18262.0, '2020-01'), (18293.0, '2020-02'))
    >>> [words for _, words in date_ticks(0.0, 20000.0, 6)]
    ['1970', '1980', '1990', '2000', '2010', '2020']
    """
    first, last = _moment(min(low, high)), _moment(max(low, high))
    found: list[Tick] = []
    if first is not None and last is not None:
        for letters, moments in _finer(first):
            ticks = _between(moments, first, last, most)
            if ticks is None or len(found) >= min(ENOUGH, most):
                break
            if len(ticks) >= len(found):
                found = [(_days(it), it.isoformat()[:letters]) for it in ticks]
    if len(found) >= 2:
        return tuple(found)
    return tuple((end, date_words(end)) for end in sorted({low, high}))


def _moment(days: float) -> datetime | None:
    """Return the second of so many days; None where there is no such year."""
    try:
        return EPOCH + timedelta(seconds=round(days * 86_400))
    except (OverflowError, ValueError):
        return None


def _days(moment: datetime) -> float:
    return (moment - EPOCH) / timedelta(days=1)


def _finer(first: datetime) -> Iterator[tuple[int, Iterator[datetime]]]:
    """Yield ever finer steps of moments from about the first one on."""
    for years in reversed(YEARS):
        yield YEAR, _years(first.year // years * years, years)
    for months in MONTHS:
        yield MONTH, _months(first.year, months)
    for seconds in SECONDS:
        start = math.floor((first - EPOCH).total_seconds() / seconds) * seconds
        letters = DAY if seconds >= 86_400 else MINUTE if seconds >= 60 else None
        yield letters or 19, _seconds(start, seconds)


def _years(start: int, step: int) -> Iterator[datetime]:
    for year in range(max(start, step if start == 0 else 1), 10_000, step):
        yield datetime(year, 1, 1)


def _months(year: int, step: int) -> Iterator[datetime]:
    for month in range(12 * year, 12 * 10_000, step):
        yield datetime(month // 12, month % 12 + 1, 1)


def _seconds(start: int, step: int) -> Iterator[datetime]:
    while True:
        moment = _moment(start / 86_400)
        if moment is None:
            return
        yield moment
        start += step


def _between(
    moments: Iterator[datetime], first: datetime, last: datetime, most: int
) -> list[datetime] | None:
    """Return those between two others; None where there are more than so many, or than two."""
    found = []
    for moment in takewhile(lambda it: it <= last, moments):
        if moment >= first:
            found.append(moment)
        if len(found) > max(most, 2):
            return None
    return found
