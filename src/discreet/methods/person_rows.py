"""Rows drawn person by person: a first row, and later ones that look at the row before.

What is the same in all rows of a person is drawn once. How many rows a person has is drawn as a
number is. So a panel keeps how values go on from one year to the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels
from discreet.errors import RefusedError
from discreet.methods import fitted_columns
from discreet.methods.column_trees import usual_donor
from discreet.methods.copies import Levels, Rows, Settings

COUNT = "\0rows"
"""The column of how many rows a person has: no raw one has such a name."""


class DrawnRows(NamedTuple):
    """Drawn rows: columns, which raw row gave most of each, whose each is, and what is left out.

    `persons` is None where each row is a person's; `safe` is what may be drawn of the columns.
    """

    numbers: dict[str, Floats]
    levels: dict[str, Levels]
    source: Labels
    persons: Labels | None
    left_out: dict[str, str]
    safe: fitted_columns.SafeColumns


class _Fitted(NamedTuple):
    first: fitted_columns.FittedColumns
    later: fitted_columns.FittedColumns | None
    constant: tuple[str, ...]
    varying: tuple[str, ...]

    @property
    def means(self) -> tuple[str, ...]:
        """The columns of numbers of whose rows so far later ones look at the mean."""
        return tuple(name for name in self.varying if name in self.first.numbers)


def rows_by_themselves(rows: Rows, size: int, settings: Settings) -> DrawnRows:
    """Draw `size` rows of those that take part, each by itself.

    RefusedError is raised if no column can be shown.
    """
    safe = fitted_columns.safe_columns(rows, settings)
    fitted = fitted_columns.fit_columns(rows, safe, settings)
    _check_columns(len(fitted))
    out = fitted_columns.draw_columns(fitted, size)
    source = rows.at[usual_donor(out.donors)]
    return DrawnRows(out.numbers, out.levels, source, None, fitted.left_out, safe)


def _check_columns(columns: int) -> None:
    if not columns:
        raise RefusedError("no column of the table can be shown: each is nearly empty or unique")


def rows_of_persons(rows: Rows, size: int, settings: Settings) -> DrawnRows:
    """Draw `size` people, each with rows that belong together, from those that take part.

    RefusedError is raised if no column can be shown.
    """
    safe = fitted_columns.safe_columns(rows, settings)
    fitted, left_out = _fit(rows, safe, settings)
    first = fitted_columns.draw_columns(fitted.first, size, what="first ")
    count = np.maximum(np.rint(first.numbers.pop(COUNT, np.ones(size))), 1).astype(np.intp)
    pieces = [(np.arange(size), first, fitted.first)]
    now = first
    so_far = {name: SoFar(first.numbers[name]) for name in fitted.means}
    place = 0
    while fitted.later is not None and (some := np.flatnonzero(count > place + 1)).size:
        place += 1
        given = [
            *(_column_rows(first, name, some) for name in fitted.constant),
            *(_column_rows(now, name, some) for name in fitted.varying),
            *(of.of(some) for of in so_far.values()),
            np.full(len(some), float(place)),
        ]
        made = fitted_columns.draw_columns(fitted.later, len(some), given, f"{place} ")
        now = _update_rows(now, made, some)
        for name, of in so_far.items():
            of.add(some, made.numbers[name])
        if fitted.varying:
            pieces.append((some, made, fitted.later))
        else:  # all of it is of the first row
            made.donors.extend(it[some] for it in first.donors)
            pieces.append((some, made, fitted.first))
    numbers, levels, source, whose = _join_pieces(pieces)
    return DrawnRows(numbers, levels, source, whose, left_out, safe)


def _fit(
    rows: Rows, safe: fitted_columns.SafeColumns, settings: Settings
) -> tuple[_Fitted, dict[str, str]]:
    """Fit first rows, and later ones; a column that either leaves out is left out of both."""
    histories = histories_of(rows, settings)
    first = rows.taken(histories.first)._replace(persons=None)
    counts = histories.rows.astype(np.float64)
    first = first._replace(numbers={**first.numbers, COUNT: counts})
    safe_first = safe.taken(histories.first)
    own = fitted_columns.safe_values_of(COUNT, counts, first, settings)
    safe_first.numbers[COUNT] = np.arange(len(counts)), own
    left_out: dict[str, str] = {}
    while True:
        fitted = fitted_columns.fit_columns(_drop_columns(first, left_out), safe_first, settings)
        more = dict(fitted.left_out)
        later, constant, varying = None, tuple[str, ...](), tuple[str, ...]()
        every = np.ones(len(histories.later), dtype=np.bool_)
        if not more and rows.taken(histories.later).persons_with(every) >= settings.m:
            names = [*fitted.levels, *(it for it in fitted.numbers if it != COUNT)]
            constant = tuple(it for it in names if it in histories.constant)
            varying = tuple(it for it in names if it not in histories.constant)
            later = _later(rows, safe, histories, settings, constant, varying)
            more |= later.left_out
        if not more:
            _check_columns(len(constant) + len(varying) if later else len(fitted) - 1)
            return _Fitted(fitted, later, constant, varying), left_out
        left_out |= more


def _later(
    rows: Rows,
    safe: fitted_columns.SafeColumns,
    told: Histories,
    settings: Settings,
    constant: Sequence[str],
    varying: Sequence[str],
) -> fitted_columns.FittedColumns:
    """Fit later rows to what is constant, to the row before, and to all before it.

    Of these the number, and the means, which keep what rows further apart have in common.
    """

    def column(name: str, at: Labels) -> fitted_columns.Given:
        if name in rows.levels:
            return Levels(safe.levels[name].words, safe.levels[name].codes[at])
        return rows.numbers[name][at]

    given = [
        *(column(name, told.later) for name in constant),
        *(column(name, told.before) for name in varying),
        *(means_so_far(rows.numbers[it], told) for it in varying if it in rows.numbers),
        told.place.astype(np.float64),
    ]
    some = rows.taken(told.later)
    others = {*some.levels, *some.numbers} - {*varying}
    return fitted_columns.fit_columns(
        _drop_columns(some, others), safe.taken(told.later), settings, given
    )


def _drop_columns(rows: Rows, names: Sequence[str] | set[str] | dict[str, str]) -> Rows:
    return rows._replace(
        numbers={name: it for name, it in rows.numbers.items() if name not in names},
        levels={name: it for name, it in rows.levels.items() if name not in names},
    )


def _column_rows(drawn: fitted_columns.Drawn, name: str, at: Labels) -> fitted_columns.Given:
    if name in drawn.levels:
        return Levels(drawn.levels[name].words, drawn.levels[name].codes[at])
    return drawn.numbers[name][at]


def _update_rows(
    now: fitted_columns.Drawn, made: fitted_columns.Drawn, at: Labels
) -> fitted_columns.Drawn:
    """Return the last row of each person, of which some have a new one."""
    out = fitted_columns.Drawn({**now.levels}, {**now.numbers})
    for name, level in made.levels.items():
        codes = out.levels[name].codes.copy()
        codes[at] = level.codes
        out.levels[name] = Levels(level.words, codes)
    for name, values in made.numbers.items():
        column = out.numbers[name].copy()
        column[at] = values
        out.numbers[name] = column
    return out


def _join_pieces(
    pieces: Sequence[tuple[Labels, fitted_columns.Drawn, fitted_columns.FittedColumns]],
) -> tuple[dict[str, Floats], dict[str, Levels], Labels, Labels]:
    """Return all rows, those of a person one after the other: columns, sources, and whose."""
    first = pieces[0][1]
    whose = np.concatenate([some for some, _, _ in pieces])
    order = np.argsort(whose, kind="stable")
    numbers, levels = {}, {}
    for name in first.levels:
        parts = [
            (made if name in made.levels else first)
            .levels[name]
            .codes[slice(None) if name in made.levels else some]
            for some, made, _ in pieces
        ]
        levels[name] = Levels(first.levels[name].words, np.concatenate(parts)[order])
    for name in first.numbers:
        values = [
            made.numbers[name] if name in made.numbers else first.numbers[name][some]
            for some, made, _ in pieces
        ]
        numbers[name] = np.concatenate(values)[order]
    source = np.concatenate([of.rows.at[usual_donor(made.donors)] for _, made, of in pieces])
    return numbers, levels, source[order], whose[order]


# --- histories: which row comes after which, and what stays the same ------------------------------


class Histories(NamedTuple):
    """The rows of people in order.

    `first` is the first row of each person, and `rows` how many that person has; `later` are all
    others, `before` the row before each of them, `place` how many come before it, and `whose` which
    of the people it is of, as `first` has them. `constant` are the columns that have one value in
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

    That is one of dates or numbers of which no person has a value twice, but for a few people: of
    several one of dates, and then that of the fewest values, such as years. Where there is none
    rows come in the order of their keys. How few people are few the secret draws.
    """
    persons = np.arange(len(rows.at)) if rows.persons is None else rows.persons
    whose = np.unique(persons, return_inverse=True)[1]
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
        """Add a value each of some people; a missing one adds nothing."""
        known = ~np.isnan(values)
        self._sum[persons[known]] += values[known]
        self._count[persons[known]] += 1

    def of(self, persons: Labels) -> Floats:
        """Return the means of some people."""
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
