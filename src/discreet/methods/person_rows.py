"""Rows drawn person by person: a first row, and later ones that look at the row before.

What is the same in all rows of a person is drawn once. How many rows a person has is drawn as a
number is. So a panel keeps how values go on from one year to the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from discreet.arguments import Floats, Labels
from discreet.errors import RefusedError
from discreet.methods.copies import Levels, Settings
from discreet.methods.donors import usual_donor
from discreet.methods.fitted_columns import (
    Drawn,
    FittedColumns,
    Given,
    SafeColumns,
    draw_columns,
    fit_columns,
    safe_columns,
    safe_values_of,
)
from discreet.methods.histories import Histories, SoFar, histories_of, means_so_far
from discreet.methods.participants import Rows

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
    safe: SafeColumns


class _Fitted(NamedTuple):
    first: FittedColumns
    later: FittedColumns | None
    constant: tuple[str, ...]
    varying: tuple[str, ...]

    @property
    def means(self) -> tuple[str, ...]:
        """The columns of numbers of whose rows so far later ones look at the mean."""
        return tuple(name for name in self.varying if name in self.first.numbers)


def rows_by_themselves(rows: Rows, size: int, settings: Settings) -> DrawnRows:
    """Draw so many rows, each by itself.

    Parameters
    ----------
    rows : Rows
        Those that take part.
    size : int
        How many rows are drawn.
    settings : Settings
        k, m and what is declared of columns.

    Raises
    ------
    RefusedError
        If no column can be shown.
    """
    safe = safe_columns(rows, settings)
    fitted = fit_columns(rows, safe, settings)
    _check_columns(len(fitted))
    out = draw_columns(fitted, size)
    source = rows.at[usual_donor(out.donors)]
    return DrawnRows(out.numbers, out.levels, source, None, fitted.left_out, safe)


def _check_columns(columns: int) -> None:
    if not columns:
        raise RefusedError("no column of the table can be shown: each is nearly empty or unique")


def rows_of_persons(rows: Rows, size: int, settings: Settings) -> DrawnRows:
    """Draw so many persons, each with rows that belong together.

    Parameters
    ----------
    rows : Rows
        Those that take part; `persons` says whose each is.
    size : int
        How many persons are drawn.
    settings : Settings
        k, m and what is declared of columns.

    Raises
    ------
    RefusedError
        If no column can be shown.
    """
    safe = safe_columns(rows, settings)
    fitted, left_out = _fitted(rows, safe, settings)
    first = draw_columns(fitted.first, size, what="first ")
    count = np.maximum(np.rint(first.numbers.pop(COUNT, np.ones(size))), 1).astype(np.intp)
    pieces = [(np.arange(size), first, fitted.first)]
    now = first
    so_far = {name: SoFar(first.numbers[name]) for name in fitted.means}
    place = 0
    while fitted.later is not None and (some := np.flatnonzero(count > place + 1)).size:
        place += 1
        given = [
            *(_taken(first, name, some) for name in fitted.constant),
            *(_taken(now, name, some) for name in fitted.varying),
            *(of.of(some) for of in so_far.values()),
            np.full(len(some), float(place)),
        ]
        made = draw_columns(fitted.later, len(some), given, f"{place} ")
        now = _put(now, made, some)
        for name, of in so_far.items():
            of.add(some, made.numbers[name])
        if fitted.varying:
            pieces.append((some, made, fitted.later))
        else:  # all of it is of the first row
            made.donors.extend(it[some] for it in first.donors)
            pieces.append((some, made, fitted.first))
    numbers, levels, source, whose = _together(pieces)
    return DrawnRows(numbers, levels, source, whose, left_out, safe)


def _fitted(rows: Rows, safe: SafeColumns, settings: Settings) -> tuple[_Fitted, dict[str, str]]:
    """Fit first rows, and later ones; a column that either leaves out is left out of both."""
    told = histories_of(rows, settings)
    first = rows.taken(told.first)._replace(persons=None)
    counts = told.rows.astype(np.float64)
    first = first._replace(numbers={**first.numbers, COUNT: counts})
    safe_first = safe.taken(told.first)
    own = safe_values_of(COUNT, counts, first, settings)
    safe_first.numbers[COUNT] = np.arange(len(counts)), own
    left_out: dict[str, str] = {}
    while True:
        fitted = fit_columns(_without(first, left_out), safe_first, settings)
        more = dict(fitted.left_out)
        later, constant, varying = None, tuple[str, ...](), tuple[str, ...]()
        every = np.ones(len(told.later), dtype=np.bool_)
        if not more and rows.taken(told.later).persons_with(every) >= settings.m:
            names = [*fitted.levels, *(it for it in fitted.numbers if it != COUNT)]
            constant = tuple(it for it in names if it in told.constant)
            varying = tuple(it for it in names if it not in told.constant)
            later = _later(rows, safe, told, settings, constant, varying)
            more |= later.left_out
        if not more:
            _check_columns(len(constant) + len(varying) if later else len(fitted) - 1)
            return _Fitted(fitted, later, constant, varying), left_out
        left_out |= more


def _later(
    rows: Rows,
    safe: SafeColumns,
    told: Histories,
    settings: Settings,
    constant: Sequence[str],
    varying: Sequence[str],
) -> FittedColumns:
    """Fit later rows to what is constant, to the row before, and to all before it.

    Of these the number, and the means, which keep what rows further apart have in common.
    """

    def column(name: str, at: Labels) -> Given:
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
    return fit_columns(_without(some, others), safe.taken(told.later), settings, given)


def _without(rows: Rows, names: Sequence[str] | set[str] | dict[str, str]) -> Rows:
    return rows._replace(
        numbers={name: it for name, it in rows.numbers.items() if name not in names},
        levels={name: it for name, it in rows.levels.items() if name not in names},
    )


def _taken(drawn: Drawn, name: str, at: Labels) -> Given:
    if name in drawn.levels:
        return Levels(drawn.levels[name].words, drawn.levels[name].codes[at])
    return drawn.numbers[name][at]


def _put(now: Drawn, made: Drawn, at: Labels) -> Drawn:
    """Return the last row of each person, of which some have a new one."""
    out = Drawn({**now.levels}, {**now.numbers})
    for name, level in made.levels.items():
        codes = out.levels[name].codes.copy()
        codes[at] = level.codes
        out.levels[name] = Levels(level.words, codes)
    for name, values in made.numbers.items():
        column = out.numbers[name].copy()
        column[at] = values
        out.numbers[name] = column
    return out


def _together(
    pieces: Sequence[tuple[Labels, Drawn, FittedColumns]],
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
