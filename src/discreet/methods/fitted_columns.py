"""Columns fitted to raw rows, one after the other, and rows drawn of them as often as wanted.

How each is fitted and drawn says `methods.whole`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels
from discreet.errors import BrokenPromiseError
from discreet.methods import column_trees, safe_values
from discreet.methods.base import persons_in
from discreet.methods.copies import MISSING, ONE, OTHER, Draws, Levels, Rows, Settings
from discreet.progress import advance

Given = Levels | Floats
"""A column that others are drawn by."""

SMOOTHED, ROWS_SMOOTHED = 0.2, 500
"""The noise of a value that is not kept, in standard deviations of its leaf, in a copy of so many
rows; from there on it falls with their fourth root."""
SENSITIVE = 2
"""A sensitive column is drawn from leaves of so many times as many people."""
TASK = "drawing columns"
FEW = "a leaf was of too few people, when it was counted again; please report this"


class Leaves(NamedTuple):
    """The raw rows that give values of a column, in order, and the leaves that they are in."""

    name: str
    givers: Labels
    fitted: column_trees.Fitted


class LevelColumn(NamedTuple):
    """A fitted column of levels: its words, and which each raw row has."""

    column: Levels
    leaves: Leaves
    code: column_trees.LevelCode


class NumberColumn(NamedTuple):
    """A fitted column of numbers: safe values of those that give one, and how they spread.

    `spread` is the standard deviation in each leaf. `gaps` are leaves that say which drawn rows
    have none, the name of a column that has the same, or None where no row is without one.
    """

    safe: safe_values.SafeColumn
    leaves: Leaves
    spread: Floats
    gaps: Leaves | str | None
    missing: NDArray[np.bool_]
    code: column_trees.NumberCode


class SafeColumns(NamedTuple):
    """What may be drawn of each column of some rows: levels, and values of rows that have one.

    `far` says at which ends of a column of numbers its mean hangs on few people, and `joined` of
    how many levels or more the joined ones of a column of levels are.
    """

    levels: dict[str, Levels]
    numbers: dict[str, tuple[Labels, safe_values.SafeColumn]]
    far: dict[str, safe_values.Ends]
    joined: dict[str, int]

    def taken(self, rows: Labels) -> SafeColumns:
        """Return it of some rows."""
        levels = {n: Levels(it.words, it.codes[rows]) for n, it in self.levels.items()}
        numbers = {}
        for name, (known, safe) in self.numbers.items():
            some = np.flatnonzero(np.isin(rows, known))
            numbers[name] = some, safe.taken(np.searchsorted(known, rows[some]))
        return self._replace(levels=levels, numbers=numbers)


@dataclass(frozen=True, eq=False)
class FittedColumns:
    """Columns in the order in which they are drawn, and why others are left out.

    `given` is how columns that are drawn before are known to their trees.
    """

    rows: Rows
    given: tuple[column_trees.LevelCode | column_trees.NumberCode, ...] = ()
    levels: dict[str, LevelColumn] = field(default_factory=dict)
    numbers: dict[str, NumberColumn] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.levels) + len(self.numbers)


@dataclass(frozen=True, eq=False)
class Drawn:
    """Drawn columns, and of each the raw row that every drawn one has its value of."""

    levels: dict[str, Levels] = field(default_factory=dict)
    numbers: dict[str, Floats] = field(default_factory=dict)
    donors: list[Labels] = field(default_factory=list)


# --- fitted ---------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Fit:
    """What columns are fitted to: the rows that take part, and the columns before."""

    rows: Rows
    safe: SafeColumns
    settings: Settings
    before: column_trees.Before
    weights: Labels
    coded: dict[str, Labels] = field(default_factory=dict)
    patterns: dict[str, NDArray[np.bool_]] = field(default_factory=dict)

    def add(self, place: int, given: Given) -> column_trees.LevelCode | column_trees.NumberCode:
        """Add a column that is drawn before."""
        if isinstance(given, Levels):
            self.coded[f"given {place}"] = _features(given)
            return self.before.add_level(_features(given), len(given.words) + 1)
        return self.before.add_number(given, gaps=bool(np.isnan(given).any()))

    def givers(self, name: str, codes: Labels, among: NDArray[np.bool_]) -> Labels | None:
        """Return the rows that give a value of a column of codes: all but exceptions to a rule.

        None where they are of fewer than m people.
        """
        self.coded[name] = codes
        least = self.rows.draws.threshold("rules", self.settings.k)
        gives = among & ~column_trees.exceptions(self.coded, name, least, self.rows.persons)
        enough = self.rows.persons_with(gives) >= self.settings.m
        return np.flatnonzero(gives) if enough else None

    def leaves(self, name: str, targets: NDArray[np.int64], rows: Labels) -> Leaves:
        """Return leaves of some raw rows that are alike in the targets of a column."""
        m = self.settings.m
        if name in self.settings.sensitive:
            among = np.isin(np.arange(len(self.rows.at)), rows)
            m = max(m, min(SENSITIVE * m, self.rows.persons_with(among)))
        fitted = self.before.fit(targets, rows, self.weights[rows], m * ONE)
        _check_leaves(fitted.leaf, rows, self.rows.persons, m)
        return Leaves(name, rows, fitted)


def safe_columns(rows: Rows, settings: Settings) -> SafeColumns:
    """Return what may be drawn of each column of some rows, by itself."""
    levels, joined = {}, {}
    more = float(rows.draws.of_table("joined levels", 1)[0])  # one for all columns
    for name, column in rows.levels.items():
        least = rows.draws.threshold(f"level {name}", settings.k)
        levels[name] = safe_values.safe_levels(column, least, rows.persons)
        joined[name] = safe_values.joined_levels(
            column, levels[name], settings.k, more, rows.persons
        )
    numbers, far, weights = {}, {}, rows.weights()
    few = rows.draws.threshold("far out", settings.k)  # one for all columns
    for name, values in rows.numbers.items():
        known = np.flatnonzero(~np.isnan(values))
        if rows.persons_with(~np.isnan(values)) >= settings.m:
            safe = safe_values_of(name, values, rows, settings)
            numbers[name] = known, safe
            far[name] = safe_values.far_out(values[known], weights[known], safe, settings.k, few)
    return SafeColumns(levels, numbers, far, joined)


def fit_columns(
    rows: Rows, safe: SafeColumns, settings: Settings, given: Sequence[Given] = ()
) -> FittedColumns:
    """Fit all columns of the raw rows that take part, levels first.

    `safe` is what may be drawn of their columns; `given` are columns that are drawn before, and
    these look at them, too. BrokenPromiseError is raised if a leaf is of fewer than m people, when
    it is counted again.
    """
    fit = _Fit(
        rows,
        safe,
        settings,
        column_trees.Before(column_trees.Features(len(rows.at))),
        rows.weights(),
    )
    codes = tuple(fit.add(place, it) for place, it in enumerate(given))
    out = FittedColumns(rows, codes)
    names = [*rows.levels, *rows.numbers]
    for done, name in enumerate(names):
        reason = (_fit_levels if name in rows.levels else _fit_numbers)(name, fit, out)
        if reason:
            out.left_out[name] = reason
        advance(TASK, done + 1, 2 * len(names))
    return out


def _fit_levels(name: str, fit: _Fit, out: FittedColumns) -> str:
    draws = fit.rows.draws
    column = fit.safe.levels[name]
    if {*column.words} <= {OTHER, MISSING}:
        return "nearly unique" if OTHER in column.words else "nearly empty"
    count = len(column.words)
    features = _features(column)
    givers = fit.givers(f"level {name}", features, column.codes >= 0)
    if givers is None:
        return "nearly empty"
    codes = column.codes[givers]
    signs = draws.of_table(f"signs of {name}", count * column_trees.TARGETS).reshape(
        count, column_trees.TARGETS
    )
    leaves = fit.leaves(name, column_trees.level_targets(codes, count, signs), givers)
    code = fit.before.add_level(features, int(features.max()) + 1)
    out.levels[name] = LevelColumn(column, leaves, code)
    return ""


def _features(column: Levels) -> Labels:
    """Return codes, of which raw rows that give no level have one of their own: no drawn row."""
    return np.where(column.codes < 0, len(column.words), column.codes)


def _fit_numbers(name: str, fit: _Fit, out: FittedColumns) -> str:
    rows, settings = fit.rows, fit.settings
    column = rows.numbers[name]
    gap = np.isnan(column)
    known = np.flatnonzero(~gap)
    if rows.persons_with(~gap) < settings.m:
        return "nearly empty"
    gaps: Leaves | str | None = None
    if rows.persons_with(gap) >= rows.draws.threshold("gaps", settings.k):
        gaps = _fit_gaps(name, gap, fit)
        if gaps is None:
            return "nearly empty"
    safe = fit.safe.numbers[name][1]
    leaves = fit.leaves(name, column_trees.number_targets(column[known], safe.centre), known)
    least = safe_values.LEAST_IN_LEAF + rows.draws.threshold("lone", settings.k) - settings.k
    safe = safe.without_lone(leaves.fitted.leaf, fit.weights[known], least)
    spread = safe.spread_in(leaves.fitted.leaf)
    known_as = column.copy()
    known_as[known] = _draw_as_seen(name, safe, spread[leaves.fitted.leaf], rows.draws.taken(known))
    code = fit.before.add_number(known_as, gaps=gaps is not None)
    out.numbers[name] = NumberColumn(safe, leaves, spread, gaps, gap, code)
    return ""


def _draw_as_seen(name: str, safe: safe_values.SafeColumn, spread: Floats, own: Draws) -> Floats:
    """Return the values of raw rows drawn anew, as columns after them see drawn ones."""
    of_rows = own.of_rows(
        *(f"{it} of {name} as it is seen" for it in ("place", "rounding", "noise"))
    )
    place, rounding, noise = of_rows.T
    rows = np.arange(len(spread))
    return safe.drawn(
        rows, place, rounding, _share(len(spread)) * spread * safe_values.normal(noise)
    )


def _share(rows: int) -> float:
    """Return how large the noise of a value is, in standard deviations of its leaf."""
    return SMOOTHED * float(min(1.0, ROWS_SMOOTHED / rows) ** 0.25)


def _fit_gaps(name: str, gap: NDArray[np.bool_], fit: _Fit) -> Leaves | str | None:
    """Return leaves that say which drawn rows have no number; None where too few people say so.

    A pattern of gaps that differs from one before it for few people is the same.
    """
    rows, least = fit.rows, fit.rows.draws.threshold("gaps", fit.settings.k)
    for other, pattern in fit.patterns.items():
        if rows.persons_with(pattern ^ gap) < least:
            return other
    givers = fit.givers(f"gap {name}", gap.astype(np.intp), np.ones(len(gap), dtype=np.bool_))
    if givers is None:
        return None
    fit.patterns[name] = gap
    return fit.leaves(f"gap {name}", column_trees.flag_targets(gap[givers]), givers)


def safe_values_of(
    name: str, column: Floats, rows: Rows, settings: Settings, what: str = ""
) -> safe_values.SafeColumn:
    """Return the safe values of a column, gaps aside; draws of `what` it is are its own."""
    known = np.flatnonzero(~np.isnan(column))
    own = rows.draws.taken(known)
    return safe_values.safe_column(
        column[known],
        rows.weights()[known],
        rows.chance(what + name),
        lambda kind: own.of_rows(f"{kind} {what}{name}")[:, 0],
        settings.k,
        settings.m,
        1.0 if name in settings.parts else safe_values.BEYOND,
        None if rows.persons is None else rows.persons[known],
    )


def _check_leaves(leaf: Labels, rows: Labels, persons: Labels | None, m: int) -> None:
    """Count again that leaves are of m people or more."""
    sizes = persons_in(leaf, None if persons is None else persons[rows])
    if sizes[sizes > 0].min() < m:
        raise BrokenPromiseError(FEW)


def _check_drawn(leaf: Labels, raw: Labels) -> None:
    """Count again that each drawn row is of the leaf of some raw ones."""
    if not np.isin(leaf, raw).all():
        raise BrokenPromiseError(FEW)


# --- drawn ----------------------------------------------------------------------------------------


def draw_columns(
    fitted: FittedColumns, size: int, given: Sequence[Given] = (), what: str = ""
) -> Drawn:
    """Draw so many rows, column after column as they were fitted.

    `given` has, of these rows, the columns that are drawn before, as many as were given to what was
    fitted; `what` rows these are: draws of others have other names.
    """
    drawn, out = column_trees.Features(size), Drawn()
    for column, code in zip(given, fitted.given, strict=True):
        if isinstance(column, Levels):
            drawn.add_level(_features(column), cast(column_trees.LevelCode, code))
        else:
            drawn.add_number(column, cast(column_trees.NumberCode, code))
    missing: dict[str, NDArray[np.bool_]] = {}
    for done, (name, level) in enumerate(fitted.levels.items()):
        at, _ = _donors(level.leaves, fitted.rows, drawn, what)
        codes = level.column.codes[at]
        out.donors.append(at)
        out.levels[name] = Levels(level.column.words, codes)
        drawn.add_level(codes, level.code)
        advance(TASK, len(fitted) + done + 1, 2 * len(fitted))
    for done, (name, number) in enumerate(fitted.numbers.items()):
        if isinstance(number.gaps, Leaves):
            missing[name] = number.missing[_donors(number.gaps, fitted.rows, drawn, what)[0]]
        values, at = _draw_numbers(number, fitted.rows, drawn, what)
        if number.gaps is not None:
            values[missing[number.gaps if isinstance(number.gaps, str) else name]] = np.nan
        out.donors.append(at)
        out.numbers[name] = values
        drawn.add_number(values, number.code)
        advance(TASK, len(fitted) + len(out.levels) + done + 1, 2 * len(fitted))
    return out


def _draw_numbers(
    number: NumberColumn, rows: Rows, drawn: column_trees.Features, what: str
) -> tuple[Floats, Labels]:
    """Return drawn numbers, none missing, and the raw row of each."""
    at, leaf = _donors(number.leaves, rows, drawn, what)
    of = f"{what}value of {number.leaves.name}"
    places, rounding, noise = rows.draws.of_table(of, 3 * drawn.rows).reshape(3, -1)
    share = _share(drawn.rows)
    known = np.searchsorted(number.leaves.givers, at)
    noise = share * number.spread[leaf] * safe_values.normal(noise)
    return number.safe.drawn(known, places, rounding, noise), at


def _donors(
    leaves: Leaves, rows: Rows, drawn: column_trees.Features, what: str
) -> tuple[Labels, Labels]:
    """Return for each drawn row a raw row of its leaf, and the leaf."""
    name, givers, fitted = leaves
    leaf = drawn.leaves(fitted)
    _check_drawn(leaf, fitted.leaf)
    uniform = rows.draws.of_table(f"{what}donor of {name}", drawn.rows)
    own = rows.draws.taken(givers).of_rows(f"{what}turn {name}", f"{what}times {name}")
    return givers[column_trees.donors_evenly(fitted.leaf, leaf, uniform, own)], leaf
