"""One protected copy of a whole table: its columns drawn one after the other.

**Who takes part.** A share of people, drawn by the secret, stays out of everything (`copies`).
**Safe values.** What may be drawn of a column is safe by itself (`safe_values`): levels of enough
people, values of many as they are, others as block means whose sums stay true.
**Leaves.** Each column is drawn from the leaves of a tree over the columns before it, of m people
or more (`column_trees`): a drawn row takes a donor of its leaf and the donor's safe value, drawn
anew. Levels come before numbers, gaps of a column before its values. What has no exception in a
leaf has none in the copy: skip patterns, and levels that imply another.

**Draws.** Each is a keyed function of the version and the record, or of the version and a name:
neither the order of rows nor that of columns changes anything. Rows are taken in the order of
their keys.

**Thresholds.** Whatever a number of people decides (a level, a gap, a sum, an order, a whole
number, a column that is shown) is decided by one that the secret draws, of k to 2 k - 1 or of 4 k
to 8 k - 1: so no single person is sure to turn it. Of relations, of gaps and of columns that are
nearly empty there is one draw for all columns: who is rare in many of them in the same way is
seen no more often than who is so in one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels
from discreet.errors import RefusedError
from discreet.methods.base import several_rows
from discreet.methods.copies import (
    MISSING,
    OTHER,
    PERSONS_PER_K,
    Draws,
    Levels,
    Rows,
    Settings,
    WholeCopy,
    finite,
    least_known,
    participants,
    persons_of,
    usual_rows,
)
from discreet.methods.fitted_columns import safe_values_of
from discreet.methods.person_rows import rows_by_themselves, rows_of_persons
from discreet.methods.recount import check_whole
from discreet.methods.relations import relations_of
from discreet.methods.safe_values import far_out_together, words_of_ends

PERSONS_PER_M = 2
"""A copy is of at least so many times m people, and up to k more; and of 4 k."""
ROWS_NOISE, WIDEST_NOISE = 2.0, 3.0
"""The noise of how many rows a copy has, in times k, and how many of its sds it is at most."""


def whole_copy(
    numbers: Mapping[str, Floats],
    levels: Mapping[str, Levels],
    draws: Draws,
    settings: Settings,
    persons: Labels | None = None,
    *,
    together: bool = False,
) -> WholeCopy:
    """Draw every row of a table anew, column after column, from leaves of at least m people.

    Numbers that are not finite, or beyond 1e150, are missing. `persons` says whose each row is,
    where a person may have several: of one who has more than four times the median, some rows take
    no part; and all rows of a person weigh as much as the one of another. Drawn rows belong
    `together` as a person's, in an order as in the data, where `persons` are declared, not where
    rows that are alike count as one's.

    The copy has about as many rows as the table, with noise of 2 k persons', in the order of a
    draw. Columns with numbers of few people (fewer than a draw of 4 k to 8 k - 1), and levels of
    which none is shared by k, are left out and named. Refused is a table of fewer than 2 m or 4 k
    people, or up to k more, which the secret draws; or of no column that can be shown. Promises are
    counted again (`methods.recount`).

    **What it does not protect.** It is not differential privacy. What a leaf has in common shows:
    who knows most of a person's values infers the last one a little better than from others. Who
    knows the whole table but for one person tells whether the person is in it somewhat better
    than by guessing, more so where rows are few and columns many. Copies of the same people
    add up: make few. A column whose mean depends on a few extreme people is named (`far_out` of the
    copy) where they are k to 2 k - 1 or more, which the secret draws: of fewer nothing is said.

    References
    ----------
    Columns drawn one after the other from the leaves of trees: Reiter, "Using CART to generate
    partially synthetic public use microdata", Journal of Official Statistics 21, 2005. Our own
    are: leaves of people, safe values that keep sums, a linear prediction among the features,
    people left out, and whole numbers throughout, so that the same rows make the same copy.

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
    _check_persons(everyone, settings, draws)
    cleaned = {name: finite(numbers[name]) for name in sorted(numbers)}
    least = least_known(everyone, k, draws)
    shown = {n: it for n, it in cleaned.items() if persons_of(persons, ~np.isnan(it)) >= least}
    relations = relations_of(shown, k, draws.of_table, persons, settings.parts)
    ordered = {name: levels[name] for name in sorted(levels)}
    rows = Rows(relations.apart(shown), ordered, draws, persons, np.arange(len(draws.keys)))
    usual = usual_rows(persons, draws)
    part, could = participants(
        rows, usual, min(everyone, PERSONS_PER_M * settings.m), settings.left_out
    )
    if together and persons is not None:
        out = rows_of_persons(part, _number_to_draw(everyone, 1, settings, draws), settings)
    else:
        out = rows_by_themselves(part, _number_to_draw(could, usual, settings, draws), settings)
    left_out = dict.fromkeys(sorted(cleaned.keys() - shown.keys()), "nearly empty") | out.left_out
    left_out |= dict.fromkeys(relations.unmade({*left_out}), "stands on a column left out")

    def safe(name: str, latent: Floats) -> Floats:
        return safe_values_of(name, shown[name][part.at], part, settings, "end ").by_ranks(latent)

    again = relations.together(out.numbers, settings.bounds, safe, settings.parts)
    takes_part = np.zeros(len(draws.keys), dtype=np.bool_)
    takes_part[part.at] = True
    far = words_of_ends(far_out_together(out.safe.far, relations))
    made = WholeCopy(
        {name: column for name, column in again.items() if name not in left_out},
        out.levels,
        out.source,
        takes_part,
        left_out,
        out.persons,
        {name: how for name, how in far.items() if name in again and name not in left_out},
        {name: count for name, count in out.safe.joined.items() if count and name in out.levels},
    )
    check_whole(cleaned, levels, relations.within(made.numbers), made, settings, persons)
    return made


def _check_persons(persons: int, settings: Settings, draws: Draws) -> None:
    k, fewest = settings.k, max(PERSONS_PER_M * settings.m, PERSONS_PER_K * settings.k)
    if persons < fewest + draws.threshold("persons", k) - k:
        raise RefusedError(
            f"the table has too few people for a copy of all its columns: {PERSONS_PER_M} times "
            f"m are needed, {PERSONS_PER_K} times k, and up to k more, chosen by the secret; "
            "choose a smaller k"
        )


def _number_to_draw(rows: int, usual: int, settings: Settings, draws: Draws) -> int:
    """Return how many rows, or people, are drawn: about as many as there are."""
    from scipy.special import ndtri

    off = float(np.clip(ndtri(draws.of_table("rows", 1)[0]), -WIDEST_NOISE, WIDEST_NOISE))
    return max(settings.m, round(rows + ROWS_NOISE * settings.k * usual * off))


# --- listed pairs of columns, counted: the rows of a copy are given the counts, with noise --------
# A policy lists pairs of columns of levels whose cross-table matters. Levels of some rows of the
# copy are changed until it has these counts: so there is one number of each, whatever is drawn of
# it.


Pair = tuple[str, str]
Counts = NDArray[np.int64]

NOISE = 2.0
"""The noise of a count in square roots of columns."""
MOST_ROUNDS, NEAR = 200, 1e-6
SPREAD = 0.5
"""So much of what the tables alone would give stands beside the copy's own counts at first."""


def noise_of_counts(columns: int, tables: int) -> float:
    """Return the sd of the noise of a cell: what all of them tell of one person is bounded.

    A person is in a cell of each table. All tables together tell an eighth at most, as a squared
    distance in sds.
    """
    return NOISE * math.sqrt(columns + 2 * tables)


def copy_with_tables(
    numbers: Mapping[str, Floats],
    levels: Mapping[str, Levels],
    draws: Draws,
    settings: Settings,
    persons: Labels | None = None,
    *,
    alike: bool = False,
) -> WholeCopy:
    """Make the copy of a whole table, with the counts of its listed pairs of columns.

    As `whole_copy` and `with_tables`. Where rows of one person are `alike` in all columns, a person
    is counted once, and drawn rows are each by themselves.
    """
    made = whole_copy(numbers, levels, draws, settings, persons, together=not alike)
    if persons is not None and alike:
        first = np.unique(persons, return_index=True)[1]
        levels = {name: Levels(it.words, it.codes[first]) for name, it in levels.items()}
        persons = None
    return with_tables(made, levels, draws, settings, persons)


def with_tables(
    made: WholeCopy,
    levels: Mapping[str, Levels],
    draws: Draws,
    settings: Settings,
    persons: Labels | None = None,
) -> WholeCopy:
    """Return a copy whose listed pairs of columns have the counts of the raw table, with noise.

    The noise is keyed by the secret and the version (`draws`), never by who is in a cell. Pairs of
    which a column is not in the copy are left as they are. Where some person has several rows
    nothing is counted: one person would move a cell by all of them.

    A cell is counted that holds so many people that its noise is smaller than the error of a sample
    (and never fewer than k people); how many that takes the secret draws for each cell. All others
    are what they are in the copy, or as many as would just not be counted. The table is then fitted
    to the copy's own margins, so that these stay. Of pairs that go round in a circle the counts are
    met as nearly as one table of all their columns can.
    """
    pairs = sorted({(min(pair), max(pair)) for pair in settings.tables})
    pairs = [(a, b) for a, b in pairs if a in made.levels and b in made.levels]
    if not pairs or several_rows(persons) is not None:
        return made
    sd = noise_of_counts(len(made.numbers) + len(made.levels), len(pairs))
    raw = {name: _codes_in_copy(levels[name], made.levels[name]) for pair in pairs for name in pair}
    levels_now = {name: made.levels[name] for name in raw}
    tables = {pair: _table(pair, raw, levels_now, draws, settings.k, sd) for pair in pairs}
    done: list[str] = []
    for name in _column_order(pairs):
        beside = [it for it in done if (min(it, name), max(it, name)) in tables]
        if beside:
            wanted = [tables[it, name] if it < name else tables[name, it].T for it in beside]
            codes = _assign_levels(levels_now[name], [levels_now[it] for it in beside], wanted)
            levels_now[name] = levels_now[name]._replace(codes=codes)
        done.append(name)
    return replace(made, levels={**made.levels, **levels_now})


def _column_order(pairs: Sequence[Pair]) -> list[str]:
    """Return the columns of pairs, each after a neighbour where it has one.

    Where pairs go in no circle each column comes after one neighbour alone.
    """
    beside: dict[str, set[str]] = {}
    for a, b in pairs:
        beside.setdefault(a, set()).add(b)
        beside.setdefault(b, set()).add(a)
    order: list[str] = []
    for first in sorted(beside, key=lambda name: (-len(beside[name]), name)):
        waiting = [first]
        while waiting:
            name = waiting.pop(0)
            if name not in order:
                order.append(name)
                waiting += sorted(beside[name] - {*order})
    return order


def _codes_in_copy(raw: Levels, made: Levels) -> Labels:
    """Return which level of the copy each raw row has; -1 where the copy has none for it."""
    place = {word: i for i, word in enumerate(made.words)}
    rest = place.get(OTHER, -1)
    at = np.array([place.get(word, rest) for word in (*raw.words, MISSING)], dtype=np.intp)
    codes: Labels = at[raw.codes]  # a missing level is the last
    return codes


def _cross_table(a: Labels, b: Labels, shape: tuple[int, int]) -> Counts:
    known = (a >= 0) & (b >= 0)
    places = a[known] * shape[1] + b[known]
    return np.bincount(places, minlength=shape[0] * shape[1]).reshape(shape).astype(np.int64)


def _table(
    pair: Pair,
    raw: Mapping[str, Labels],
    made: Mapping[str, Levels],
    draws: Draws,
    k: int,
    sd: float,
) -> Floats:
    """Return the cells of a pair as the copy is to have them, with the copy's own margins."""
    from scipy.special import ndtri

    a, b = pair
    shape = (len(made[a].words), len(made[b].words))
    counts = _cross_table(raw[a], raw[b], shape)
    own = _cross_table(made[a].codes, made[b].codes, shape).astype(np.float64)
    name = f"table {len(a)} {a} {b}"
    noise = sd * np.asarray(ndtri(draws.of_table(name, counts.size))).reshape(shape)
    least = max(k, math.ceil(sd**2))
    drawn = draws.of_table(f"least of {name}", counts.size).reshape(shape)
    enough = least + np.floor(drawn * least)
    scale = own.sum() / max(counts.sum(), 1)
    some = np.where(counts >= enough, np.maximum(counts + noise, k), enough)
    # Of a cell that is not counted it is known that it holds fewer than would be.
    wanted = np.where(counts >= enough, scale * some, np.minimum(own, scale * some))
    return _fit_margins(wanted, own.sum(axis=1), own.sum(axis=0))


def _fit_margins(table: Floats, rows: Floats, columns: Floats) -> Floats:
    """Return a table scaled by rows and columns until it has some margins, as near as it can."""
    out = table.copy()
    for _ in range(MOST_ROUNDS):
        out *= _ratio(rows, out.sum(axis=1))[:, None]
        out *= _ratio(columns, out.sum(axis=0))
        if np.abs(out.sum(axis=1) - rows).max() < NEAR:
            break
    return out


def _ratio(wanted: Floats, have: Floats) -> Floats:
    return np.divide(wanted, have, out=np.zeros_like(wanted, dtype=np.float64), where=have > 0)


class _Kinds(NamedTuple):
    """The combinations of levels that rows have beside a column, and which one each row has."""

    of: Labels
    each: tuple[Labels, ...]


def _assign_levels(column: Levels, beside: Sequence[Levels], wanted: Sequence[Floats]) -> Labels:
    """Return the levels of a column changed in as few rows as it takes to have some tables."""
    codes = [it.codes for it in beside]
    each, of = np.unique(np.column_stack(codes), axis=0, return_inverse=True)
    kinds = _Kinds(of.ravel(), tuple(each.T))
    own = _cross_table(kinds.of, column.codes, (len(each), len(column.words)))
    cells = wanted[0] if len(beside) == 1 else _fit_jointly(own, kinds, wanted)
    # With one neighbour its levels are the kinds, but for those that no row has.
    cells = cells[kinds.each[0]] if len(beside) == 1 else cells
    return _change_levels(column.codes, kinds.of, own, _round_cells(cells, own.sum(axis=1)))


def _fit_jointly(own: Counts, kinds: _Kinds, wanted: Sequence[Floats]) -> Floats:
    """Return how many rows of each kind have each level, so that all tables hold together."""
    size = own.sum(axis=1).astype(np.float64)
    shares = [
        (table * _ratio(np.ones(len(table)), table.sum(axis=1))[:, None])[at]
        for table, at in zip(wanted, kinds.each, strict=True)
    ]
    allowed = np.all([it > 0 for it in shares], axis=0)
    out = np.where(allowed, own + SPREAD * size[:, None] * np.mean(shares, axis=0), 0.0)
    for _ in range(MOST_ROUNDS):
        before = out.copy()
        for table, at in zip(wanted, kinds.each, strict=True):
            have = np.zeros_like(table)
            np.add.at(have, at, out)
            out *= _ratio(table, have)[at]
        out *= _ratio(size, out.sum(axis=1))[:, None]
        if np.abs(out - before).max() < NEAR:
            break
    empty = out.sum(axis=1) == 0  # of a kind that no table leaves a level: as it is
    out[empty] = own[empty]
    return out


def _round_cells(cells: Floats, sizes: Counts) -> Counts:
    """Return whole numbers near the cells of a table, whose rows have some sums.

    What rounding leaves of a column goes to its next row, so that columns keep their sums, too.
    """
    out = np.zeros(cells.shape, dtype=np.int64)
    left = np.zeros(cells.shape[1])
    for i, size in enumerate(sizes.tolist()):
        row = np.where(cells[i] > 0, cells[i] + left, -np.inf)
        take = np.where(row > 0, np.floor(np.maximum(row, 0)), 0)
        while take.sum() < size:
            take[np.argmax(row - take)] += 1
        while take.sum() > size:
            take[np.argmin(np.where(take > 0, row - take, np.inf))] -= 1
        out[i] = take
        left += cells[i] - take
    return out


def _change_levels(codes: Labels, kinds: Labels, own: Counts, wanted: Counts) -> Labels:
    """Give rows of each kind as many of each level as are wanted.

    Rows of a copy stand in an order of chance, and the first ones are changed.
    """
    out = codes.copy()
    by_kind = np.argsort(kinds, kind="stable")
    ends = np.cumsum(own.sum(axis=1))
    for i in np.flatnonzero((own != wanted).any(axis=1)).tolist():
        rows = by_kind[ends[i] - own[i].sum() : ends[i]]
        more = own[i] - wanted[i]
        place = np.zeros(len(rows), dtype=np.intp)  # which one of its level a row is
        for level in np.flatnonzero(more > 0).tolist():
            here = codes[rows] == level
            place[here] = np.arange(here.sum())
        free = rows[place < np.maximum(more, 0)[codes[rows]]]
        out[free] = np.repeat(np.arange(len(more)), np.maximum(-more, 0))
    return out
