"""Persons of several rows: which row comes after which, and what stays the same in all of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels
from discreet.methods.copies import Settings
from discreet.methods.participants import Rows


class Histories(NamedTuple):
    """The rows of persons in order.

    `first` is the first row of each person, and `rows` how many that person has; `later` are all
    others, `before` the row before each of them, `place` how many come before it, and `whose` which
    of the persons it is of, as `first` has them. `constant` are the columns that have one value in
    all rows of a person.
    """

    first: Labels
    rows: Labels
    later: Labels
    before: Labels
    place: Labels
    whose: Labels
    constant: frozenset[str]


def histories_of(rows: Rows, settings: Settings) -> Histories:
    """Put the rows of each person in order, by the column that tells them apart, if there is one.

    That is one of dates or numbers of which no person has a value twice, but for a few persons: of
    several one of dates, and then that of the fewest values, such as years. Where there is none
    rows come in the order of their keys. How few persons are few the secret draws.
    """
    held = np.arange(len(rows.at)) if rows.persons is None else rows.persons
    whose = np.unique(held, return_inverse=True)[1]
    least = {what: rows.draws.threshold(what, settings.k) for what in ("in order", "constant")}
    times = []
    for name, column in rows.numbers.items():
        order = np.lexsort([column, whose])
        same = _beside(column[order], whose[order], apart=False)
        if _persons(whose[order][1:][same]) < least["in order"]:
            times.append((name not in settings.parts, len(np.unique(column)), name))
    time: Floats = np.zeros(len(whose)) if not times else rows.numbers[min(times)[2]]
    order = np.lexsort([np.arange(len(whose)), time, whose])
    start = np.diff(whose[order], prepend=-1) > 0
    at = np.flatnonzero(start)
    count = np.diff(at, append=len(order))
    place = np.arange(len(order)) - np.repeat(at, count)
    codes = {name: it.codes.astype(np.float64) for name, it in rows.levels.items()}
    constant = {
        name
        for name, column in (codes | dict(rows.numbers)).items()
        if _persons(whose[order][1:][_beside(column[order], whose[order], apart=True)])
        < least["constant"]
    }
    later = np.flatnonzero(~start)
    of = np.repeat(np.arange(len(at)), count)[later]
    return Histories(
        order[start], count, order[later], order[later - 1], place[later], of, frozenset(constant)
    )


class SoFar:
    """The mean of each person's values so far; NaN of who has none."""

    def __init__(self, first: Floats) -> None:
        self._sum, self._count = np.zeros(len(first)), np.zeros(len(first))
        self.add(np.arange(len(first)), first)

    def add(self, persons: Labels, values: Floats) -> None:
        """Add a value each of some persons; a missing one adds nothing."""
        known = ~np.isnan(values)
        self._sum[persons[known]] += values[known]
        self._count[persons[known]] += 1

    def of(self, persons: Labels) -> Floats:
        """Return the means of some persons."""
        count = self._count[persons]
        mean: Floats = self._sum[persons] / np.where(count > 0, count, np.nan)
        return mean


def means_so_far(column: Floats, told: Histories) -> Floats:
    """Return the mean of the values that come before each of the later rows."""
    so_far, out = SoFar(column[told.first]), np.empty(len(told.later))
    by_place = np.argsort(told.place, kind="stable")
    ends = np.flatnonzero(np.diff(told.place[by_place], append=-1)) + 1
    for rows in np.split(by_place, ends[:-1]):
        out[rows] = so_far.of(told.whose[rows])
        so_far.add(told.whose[rows], column[told.later[rows]])
    return out


def _beside(column: Floats, whose: Labels, *, apart: bool) -> NDArray[np.bool_]:
    """Say where a row and the one before it are of one person, and their values differ, or not."""
    gaps = np.isnan(column)
    same = (column[1:] == column[:-1]) | (gaps[1:] & gaps[:-1])
    out: NDArray[np.bool_] = (whose[1:] == whose[:-1]) & (same != apart)
    return out


def _persons(whose: Labels) -> int:
    return len(np.unique(whose))
