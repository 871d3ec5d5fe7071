"""Means of a number by one or two columns of levels, as figures and as words.

Rows come in as arrays, a table goes out; whose rows they are is for the caller to say.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats
from discreet.estimates.by_persons import rows_worth_by_persons
from discreet.estimates.copy_table import Line
from discreet.estimates.described import (
    Described,
    Part,
    RowsToDescribe,
    count_and_gaps,
    decimals_of,
    decimals_of_quartiles,
    known_in,
    mean_of,
    middle_words,
    number_words,
    parts_of,
    persons_of,
    quartiles_of,
    sd_of,
    share_words,
    weights_of,
)
from discreet.estimates.figures import OF_INTERVAL, OF_SHARE, OF_WEIGHTS, Figure
from discreet.estimates.intervals import interval_of, share_interval
from discreet.estimates.own_error import OwnErrors
from discreet.estimates.weighted import rows_worth

HEAD = ("n, missing", "mean", "95 % interval", "sd", "median (quartiles)", "sum")
SHARE_HEAD = ("n, missing", "with it", "share", "95 % interval")


class Found(NamedTuple):
    """The figures of one group of rows, None where one is not known."""

    n: int
    missing: int
    mean: float | None
    interval: tuple[float, float] | None
    sd: float | None
    quartiles: tuple[float | None, float | None, float | None]
    sum: float | None
    weighed: tuple[float | None, float | None] | None
    """The sum of the weights, and how many equal ones say as much; None without weights."""


def means_of(
    rows: RowsToDescribe, value: str, by: Sequence[str], own: OwnErrors | None = None
) -> Described:
    """Return means of a number, by the levels of one column or of two, and of all rows.

    Intervals have the copy's `own` error of the mean of each group in them, where it is known. They
    are by persons, where the rows say whose they are.

    Examples
    --------
    >>> rows = RowsToDescribe({"x": np.array([1.0, 2.0, 3.0, 7.0])}, {"g": ("a", "a", "b", "b")})
    >>> for line in means_of(rows, "x", ["g"]).lines:
    ...     print(line.name, *line.cells)
    a 2, 0 (0 %) 1.50 -4.85 to 7.85 0.71 1.5 (1.2–1.8) 3
    b 2, 0 (0 %) 5.00 -20.41 to 30.41 2.83 5.0 (4.0–6.0) 10
    all 4, 0 (0 %) 3.25 -0.93 to 7.43 2.63 2.5 (1.8–4.0) 13
    """
    values = rows.numbers[value]
    parts = [(section, part) for section, part in _sections(rows, by)]
    found = [_found(rows, values, part, _own(own, part)) for _, part in parts]
    known = values[np.isfinite(values)]
    decimals = decimals_of(sd_of(known))
    quartiles = [it for each in found for it in each.quartiles]
    of_quartiles = decimals_of_quartiles(known, quartiles, decimals)
    of_sum = 0 if _is_whole(known, rows.weights) else decimals
    lines = [
        Line(section, part.name, _cells(it, decimals, of_quartiles, of_sum))
        for (section, part), it in zip(parts, found, strict=True)
    ]
    figures = [
        Figure(value, None, part.group, figure, number)
        for (_, part), it in zip(parts, found, strict=True)
        for figure, number in _named(it)
    ]
    return Described(HEAD, tuple(lines), tuple(figures), _sizes(parts))


def shares_of(
    rows: RowsToDescribe, value: str, level: str, by: Sequence[str], own: OwnErrors | None = None
) -> Described:
    """Return which share of the rows has a level of a column, by the levels of others.

    The interval is Wilson's, of as many rows as the weights are worth; of each end the distance
    from the share has the copy's `own` error in it.

    Examples
    --------
    >>> rows = RowsToDescribe({}, {"ill": ("yes", "no", "no", ""), "g": ("a", "a", "b", "b")})
    >>> for line in shares_of(rows, "ill", "yes", ["g"]).lines:
    ...     print(line.name, *line.cells)
    a 2, 0 (0 %) 1 50.0 % 9.5 to 90.5 %
    b 1, 1 (50.0 %) 0 0 % 0.0 to 79.3 %
    all 3, 1 (25.0 %) 1 33.3 % 6.1 to 79.2 %
    """
    values = _with_level(rows, value, level).numbers[value]
    parts = [(section, part) for section, part in _sections(rows, by)]
    lines, figures = [], []
    for section, part in parts:
        found = _found(rows, values, part)
        count = int(np.nansum(values[part.places]))
        worth = _worth_of(rows, values, part)
        ends = None
        if found.mean is not None and worth:
            ends = share_interval(found.mean, worth, _own(own, part))
        shown = "–" if ends is None else f"{100 * ends[0]:.1f} to {100 * ends[1]:.1f} %"
        share = share_words(found.mean or 0.0, float(found.n > 0))
        cells = (count_and_gaps(found.n, found.missing), f"{count:,}", share, shown)
        lines.append(Line(section, part.name, cells))
        low, high = ends or (None, None)
        named: list[tuple[str, float | None]] = [("n", found.n), ("missing", found.missing)]
        named += [("count", count), *zip(OF_SHARE, (low, found.mean, high), strict=True)]
        named += zip(OF_WEIGHTS, found.weighed or (), strict=False)
        figures += [Figure(value, level, part.group, name, number) for name, number in named]
    return Described(SHARE_HEAD, tuple(lines), tuple(figures), _sizes(parts))


def _sizes(parts: Sequence[tuple[str, Part]]) -> tuple[tuple[str, int], ...]:
    """Say how many rows each group has."""
    return tuple(
        (", ".join([*([section] if section else []), part.name]), len(part.places))
        for section, part in parts
    )


def _sections(rows: RowsToDescribe, by: Sequence[str]) -> list[tuple[str, Part]]:
    """Return the rows of each level, or of each pair of levels, with the section they stand in."""
    first, *others = by
    parts = parts_of(rows, first)
    if not others:
        return [("", part) for part in parts]
    second = parts_of(rows, others[0])
    return [
        (
            f"{first}: {outer.name}" if outer.group else outer.name,
            Part(outer.group + inner.group, inner.name, _both(outer, inner, len(rows))),
        )
        for outer in parts
        for inner in second
    ]


def _both(first: Part, second: Part, rows: int) -> NDArray[np.intp]:
    here = np.zeros(rows, dtype=np.bool_)
    here[first.places] = True
    return second.places[here[second.places]]


def means_by_group(rows: RowsToDescribe, value: str, by: Sequence[str]) -> dict[object, float]:
    """Return the mean of a number in each group of rows, and in all, as far as it is known."""
    values, out = rows.numbers[value], dict[object, float]()
    for _, part in _sections(rows, by):
        mean = mean_of(known_in(values, part), weights_of(rows, values, part))
        if mean is not None:
            out[part.group] = mean
    return out


def shares_by_group(
    rows: RowsToDescribe, value: str, level: str, by: Sequence[str]
) -> dict[object, float]:
    """Return which share of each group of rows has a level of a column, as far as it is known."""
    return means_by_group(_with_level(rows, value, level), value, by)


def _with_level(rows: RowsToDescribe, value: str, level: str) -> RowsToDescribe:
    """Return rows with 1 where they have a level of a column, 0 where another, NaN where none."""
    of = np.array([math.nan if not it else float(it == level) for it in rows.levels[value]])
    return replace(rows, numbers={**rows.numbers, value: of})


def _own(own: OwnErrors | None, part: Part) -> float:
    """Return the copy's own standard error of a group: 0 where it is not known."""
    return 0.0 if own is None else own.of(part.group) or 0.0


def _worth_of(rows: RowsToDescribe, values: Floats, part: Part) -> float | None:
    """Return how many rows, of equal weight and a person each, say as much of a share."""
    weights, persons = weights_of(rows, values, part), persons_of(rows, values, part)
    known = known_in(values, part)
    if persons is not None and known.size:
        return rows_worth_by_persons(known, persons, weights)
    return len(known) if weights is None else _worth(weights)


def _found(rows: RowsToDescribe, values: Floats, part: Part, own: float = 0.0) -> Found:
    known, weights = known_in(values, part), weights_of(rows, values, part)
    weighed = None if weights is None else (_total(weights), _worth(weights))
    return Found(
        len(known),
        len(part.places) - len(known),
        mean_of(known, weights),
        interval_of(known, weights, own, persons_of(rows, values, part)),
        sd_of(known, weights),
        quartiles_of(known, weights),
        _total(known, weights),
        weighed,
    )


def _is_whole(values: Floats, weights: Floats | None) -> bool:
    """Say whether sums go without decimals: totals of persons, and sums of whole numbers."""
    if weights is not None:
        return bool(weights.min() >= 1)
    return bool((values == np.round(values)).all())


def _total(values: Floats, weights: Floats | None = None) -> float | None:
    with np.errstate(over="ignore", invalid="ignore"):
        total = float(values.sum() if weights is None else weights @ values)
    return total if math.isfinite(total) else None


def _worth(weights: Floats) -> float | None:
    return rows_worth(weights) if weights.size else None


def _cells(
    it: Found, decimals: int | None, of_quartiles: int | None, of_sum: int | None
) -> tuple[str, ...]:
    return (
        count_and_gaps(it.n, it.missing),
        number_words(it.mean, decimals),
        " to ".join(number_words(end, decimals) for end in it.interval or (None,)),
        number_words(it.sd, decimals),
        middle_words(it.quartiles, of_quartiles),
        number_words(it.sum, of_sum),
    )


def _named(it: Found) -> list[tuple[str, float | None]]:
    low, high = it.interval or (None, None)
    quartiles = zip(("lower quartile", "median", "upper quartile"), it.quartiles, strict=True)
    return [
        ("n", it.n),
        ("missing", it.missing),
        *zip(OF_INTERVAL, (low, it.mean, high), strict=True),
        ("sd", it.sd),
        *quartiles,
        ("sum", it.sum),
        *zip(OF_WEIGHTS, it.weighed or (), strict=False),
    ]
