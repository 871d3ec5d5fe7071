"""One protected copy of a whole table: its columns drawn one after the other.

**Who takes part.** A share of persons, drawn by the secret, stays out of everything
(`protect.participants`).
**Safe values.** What may be drawn of a column is safe by itself: levels of enough persons
(`protect.safe_levels`), values of many as they are, others as block means whose sums stay true
(`protect.safe_values`).
**Leaves.** Each column is drawn from the leaves of a tree over the columns before it, of m persons
or more (`protect.column_trees`): a drawn row takes a donor of its leaf (`protect.donors`) and the
donor's safe value, drawn anew. Levels come before numbers, gaps of a column before its values.
What has no exception in a leaf has none in the copy: skip patterns, and levels that imply another.

**Draws.** Each is a keyed function of the version and the record, or of the version and a name:
neither the order of rows nor that of columns changes anything. Rows are taken in the order of
their keys.

**Thresholds.** Whatever a number of persons decides (a level, a gap, a sum, an order, a whole
number, a column that is shown) is decided by one that the secret draws, of k to 2 k - 1 or of 4 k
to 8 k - 1: so no single person is sure to turn it. Of relations, of gaps and of columns that are
nearly empty there is one draw for all columns: who is rare in many of them in the same way is
seen no more often than who is so in one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels
from discreet.errors import BrokenPromiseError, RefusedError
from discreet.progress import advance
from discreet.protect.base import persons_in, several_rows
from discreet.protect.column_trees import (
    TARGETS,
    Before,
    Found,
    flag_targets,
    level_targets,
    number_targets,
)
from discreet.protect.copies import MISSING, OTHER, Draws, Levels, Settings, WholeCopy
from discreet.protect.donors import donors_evenly, usual_donor
from discreet.protect.exceptions import exceptions
from discreet.protect.participants import (
    ONE,
    PERSONS_PER_K,
    Rows,
    finite,
    least_known,
    participants,
    persons_of,
    usual_rows,
)
from discreet.protect.recount import check_whole
from discreet.protect.relations import relations_of
from discreet.protect.safe_levels import safe_levels
from discreet.protect.safe_values import BEYOND, SafeColumn, normal, safe_column

__all__ = ["MISSING", "OTHER", "Draws", "Levels", "Settings", "WholeCopy", "whole_copy"]

PERSONS_PER_M = 2
"""A copy is of at least so many times m persons, and up to k more; and of 4 k."""
ROWS_NOISE, WIDEST_NOISE = 2.0, 3.0
"""The noise of how many rows a copy has, in times k, and how many of its sds it is at most."""
SMOOTHED, ROWS_SMOOTHED = 0.2, 500
"""The noise of a value that is not kept, in standard deviations of its leaf, in a copy of so many
rows; from there on it falls with their fourth root."""
SENSITIVE = 2
"""A sensitive column is drawn from leaves of so many times as many persons."""
TASK = "drawing columns"


def whole_copy(
    numbers: Mapping[str, Floats],
    levels: Mapping[str, Levels],
    draws: Draws,
    settings: Settings,
    persons: Labels | None = None,
) -> WholeCopy:
    """Draw every row of a table anew, column after column, from leaves of at least m persons.

    Parameters
    ----------
    numbers : mapping of str to ndarray of shape (n,)
        Columns of numbers; what is not finite, or beyond 1e150, is missing.
    levels : mapping of str to Levels
        Columns of levels.
    draws : Draws
        What the noise of each record is keyed by.
    settings : Settings
        k, m, and what is declared of columns.
    persons : ndarray of int of shape (n,), optional
        Whose each row is, where a person may have several. Of one who has more than four times
        the median, some rows take no part; and all rows of a person weigh as much as the one of
        another.

    Returns
    -------
    WholeCopy
        About as many rows as the table has, with noise of 2 k persons', in the order of a draw.
        Columns with numbers of few persons (fewer than a draw of 4 k to 8 k - 1), and levels of
        which none is shared by k, are left out and named.

    Raises
    ------
    RefusedError
        If the table has fewer than 2 m or 4 k persons, or up to k more, which the secret draws; or
        no column that can be shown.
    BrokenPromiseError
        If a promise, counted again (`protect.recount`), does not hold.

    Notes
    -----
    Each leaf holds rows of m persons or more, each level and each gap stands on k, and each value
    is that of m persons, or drawn around the mean of a block of m, with noise. A tenth to a fifth
    of the persons, drawn by the secret, take no part in a copy.

    **What it does not protect.** It is not differential privacy. What a leaf has in common shows:
    who knows most of a person's values infers the last one a little better than from others. Who
    knows the whole table but for one person tells whether the person is in it somewhat better
    than by guessing, more so where rows are few and columns many. Copies of the same persons
    add up: make few. A person's many rows are drawn one by one: what they have in common as one
    person's is lost. Of a column whose mean hangs on few persons the mean is lower.

    References
    ----------
    Columns drawn one after the other from the leaves of trees: Reiter, "Using CART to generate
    partially synthetic public use microdata", Journal of Official Statistics 21, 2005. Our own
    are: leaves of persons, safe values that keep sums, a linear prediction among the features,
    persons left out, and whole numbers throughout, so that the same rows make the same copy.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet.keys import row_keys
    >>> from discreet.secret import Secret
    >>> secret, x = Secret.from_bytes(bytes(range(32))), np.arange(100.0)
    >>> draws = Draws(secret, b"1", row_keys(secret, [x, x % 7]))
    >>> made = whole_copy({"x": x, "day": x % 7}, {}, draws, Settings(k=5, m=10))
    >>> sorted(made.numbers), made.left_out
    (['day', 'x'], {})
    """
    persons, k = several_rows(persons), settings.k
    everyone = len(draws.keys) if persons is None else len(np.unique(persons))
    fewest = max(PERSONS_PER_M * settings.m, PERSONS_PER_K * k)
    if everyone < fewest + draws.threshold("persons", k) - k:
        raise RefusedError(
            f"the table has too few persons for a copy of all its columns: {PERSONS_PER_M} times m"
            f" are needed, {PERSONS_PER_K} times k, and up to k more, which the secret draws;"
            " choose a smaller k"
        )
    cleaned = {name: finite(numbers[name]) for name in sorted(numbers)}
    least = least_known(everyone, k, draws)
    shown = {n: it for n, it in cleaned.items() if persons_of(persons, ~np.isnan(it)) >= least}
    relations = relations_of(shown, k, draws.of_table, persons, settings.parts)
    rows = Rows(
        relations.apart(shown),
        {name: levels[name] for name in sorted(levels)},
        draws,
        persons,
        np.arange(len(draws.keys)),
    )
    usual = usual_rows(persons, draws)
    part, could = participants(rows, usual, min(everyone, PERSONS_PER_M * settings.m))
    out = _drawn(part, _rows_of_copy(could, usual, settings, draws), settings)
    left_out = dict.fromkeys(sorted(cleaned.keys() - shown.keys()), "nearly empty") | out.left_out
    if not out.numbers and not out.levels:
        raise RefusedError("no column of the table can be shown: each is nearly empty or unique")
    left_out |= dict.fromkeys(relations.unmade({*left_out}), "stands on a column left out")

    def safe(name: str, latent: Floats) -> Floats:
        return _safe(name, shown[name][part.at], part, settings, "end ").by_ranks(latent)

    again = relations.together(out.numbers, settings.bounds, safe, settings.parts)
    takes_part = np.zeros(len(draws.keys), dtype=np.bool_)
    takes_part[part.at] = True
    made = WholeCopy(
        {name: column for name, column in again.items() if name not in left_out},
        out.levels,
        part.at[usual_donor(out.donors)],
        takes_part,
        left_out,
    )
    check_whole(cleaned, levels, relations.within(made.numbers), made, settings, persons)
    return made


def _rows_of_copy(rows: int, usual: int, settings: Settings, draws: Draws) -> int:
    """Return how many rows are drawn: about as many as there are."""
    from scipy.special import ndtri

    off = float(np.clip(ndtri(draws.of_table("rows", 1)[0]), -WIDEST_NOISE, WIDEST_NOISE))
    return max(settings.m, round(rows + ROWS_NOISE * settings.k * usual * off))


# --- columns drawn --------------------------------------------------------------------------------


@dataclass
class _Drawn:
    """What was drawn so far: columns, the donors of each, and why others are left out."""

    numbers: dict[str, Floats] = field(default_factory=dict)
    levels: dict[str, Levels] = field(default_factory=dict)
    donors: list[Labels] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)


class _Donors(NamedTuple):
    """Of each drawn row the place of its donor among some raw rows, and the leaves of both."""

    at: Labels
    leaves: Found


@dataclass(frozen=True, eq=False)
class _Draw:
    """What columns are drawn from: the rows that take part, and what is drawn of them so far."""

    rows: Rows
    size: int
    settings: Settings
    before: Before
    weights: Labels
    coded: dict[str, Labels] = field(default_factory=dict)
    patterns: list[tuple[NDArray[np.bool_], NDArray[np.bool_]]] = field(default_factory=list)

    def least(self, name: str, rows: Labels) -> int:
        """Return how many persons a leaf has that a column is drawn from, of some rows."""
        m = self.settings.m
        if name not in self.settings.sensitive:
            return m
        among = np.isin(np.arange(len(self.rows.at)), rows)
        return max(m, min(SENSITIVE * m, self.rows.persons_with(among)))

    def givers(self, name: str, codes: Labels) -> NDArray[np.bool_]:
        """Say which rows give a value of a column of codes: all but exceptions to a rule."""
        self.coded[name] = codes
        least = self.rows.draws.threshold("rules", self.settings.k)
        return ~exceptions(self.coded, name, least, self.rows.persons)

    def donors(self, name: str, targets: NDArray[np.int64], rows: Labels) -> _Donors:
        """Return for each drawn row a place among `rows`, of its leaf."""
        m = self.least(name, rows)
        found = self.before.leaves(targets, rows, self.weights[rows], m * ONE)
        _check_leaves(found, rows, self.rows.persons, m)
        draws = self.rows.draws
        uniform = draws.of_table(f"donor of {name}", self.size)
        own = draws.taken(rows).of_rows(f"turn {name}", f"times {name}")
        return _Donors(donors_evenly(found.raw, found.drawn, uniform, own), found)


def _drawn(rows: Rows, size: int, settings: Settings) -> _Drawn:
    """Draw all columns of so many rows, levels first."""
    draw = _Draw(
        rows,
        size,
        settings,
        Before(len(rows.at), size),
        rows.weights(),
    )
    out, columns = _Drawn(), len(rows.levels) + len(rows.numbers)
    for done, name in enumerate([*rows.levels, *rows.numbers]):
        (_draw_levels if name in rows.levels else _draw_numbers)(name, draw, out)
        advance(TASK, done + 1, columns)
    return out


def _draw_levels(name: str, draw: _Draw, out: _Drawn) -> None:
    rows, draws = draw.rows, draw.rows.draws
    least = draws.threshold(f"level {name}", draw.settings.k)
    column = safe_levels(rows.levels[name], least, rows.persons)
    if {*column.words} <= {OTHER, MISSING}:
        out.left_out[name] = "nearly unique" if OTHER in column.words else "nearly empty"
        return
    count = len(column.words)
    # Raw rows that give no level have one of their own as a feature, which no drawn row has.
    features = np.where(column.codes < 0, count, column.codes)
    gives = (column.codes >= 0) & draw.givers(f"level {name}", features)
    if rows.persons_with(gives) < draw.settings.m:
        out.left_out[name] = "nearly empty"
        return
    givers = np.flatnonzero(gives)
    codes = column.codes[givers]
    signs = draws.of_table(f"signs of {name}", count * TARGETS).reshape(count, TARGETS)
    who = givers[draw.donors(name, level_targets(codes, count, signs), givers).at]
    out.donors.append(who)
    out.levels[name] = Levels(column.words, column.codes[who])
    draw.before.add_level(features, column.codes[who], int(features.max()) + 1)


def _draw_numbers(name: str, draw: _Draw, out: _Drawn) -> None:
    rows, draws, k = draw.rows, draw.rows.draws, draw.settings.k
    column = rows.numbers[name]
    gap = np.isnan(column)
    known = np.flatnonzero(~gap)
    if rows.persons_with(~gap) < draw.settings.m:
        out.left_out[name] = "nearly empty"
        return
    gaps = rows.persons_with(gap) >= draws.threshold("gaps", k)
    missing = _gaps(name, gap, draw) if gaps else np.zeros(draw.size, dtype=np.bool_)
    if missing is None:
        out.left_out[name] = "nearly empty"
        return
    safe = _safe(name, column, rows, draw.settings)
    who, leaves = draw.donors(name, number_targets(column[known], safe.centre), known)
    places, rounding, noise = draws.of_table(f"value of {name}", 3 * draw.size).reshape(3, -1)
    sd = safe.spread_in(leaves.raw)[leaves.drawn]
    share = SMOOTHED * min(1.0, ROWS_SMOOTHED / draw.size) ** 0.25
    drawn = safe.drawn(who, places, rounding, share * sd * normal(noise))
    drawn[missing] = np.nan
    out.donors.append(known[who])
    out.numbers[name] = drawn
    draw.before.add_number(column, drawn, gaps=gaps)


def _gaps(name: str, gap: NDArray[np.bool_], draw: _Draw) -> NDArray[np.bool_] | None:
    """Return which drawn rows have no number; None where too few persons say so.

    A pattern of gaps that differs from one before it for few persons is the same.
    """
    rows, least = draw.rows, draw.rows.draws.threshold("gaps", draw.settings.k)
    for pattern, drawn in draw.patterns:
        if rows.persons_with(pattern ^ gap) < least:
            return drawn
    gives = draw.givers(f"gap {name}", gap.astype(np.intp))
    if rows.persons_with(gives) < draw.settings.m:
        return None
    givers = np.flatnonzero(gives)
    missing = gap[givers[draw.donors(f"gap {name}", flag_targets(gap[givers]), givers).at]]
    draw.patterns.append((gap, missing))
    return missing


def _safe(name: str, column: Floats, rows: Rows, settings: Settings, what: str = "") -> SafeColumn:
    """Return the safe values of a column, gaps aside; draws of `what` it is are its own."""
    known = np.flatnonzero(~np.isnan(column))
    own = rows.draws.taken(known)
    return safe_column(
        column[known],
        rows.weights()[known],
        rows.chance(what + name),
        lambda kind: own.of_rows(f"{kind} {what}{name}")[:, 0],
        settings.k,
        settings.m,
        1.0 if name in settings.parts else BEYOND,
    )


def _check_leaves(found: Found, rows: Labels, persons: Labels | None, m: int) -> None:
    """Count again that leaves are of m persons or more, and that each drawn row has one."""
    held = persons_in(found.raw, None if persons is None else persons[rows])
    if held[held > 0].min() < m or not np.isin(found.drawn, np.flatnonzero(held)).all():
        raise BrokenPromiseError(
            "a leaf was of too few persons, when it was counted again; please report this"
        )
