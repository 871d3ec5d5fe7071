"""Listed pairs of columns, counted: the rows of a copy are given the counts, with noise.

A policy lists pairs of columns of levels whose cross-table matters. Their cells are counted in the
raw table, noise of the secret is added, and levels of some rows of the copy are changed until the
copy has these counts. So there is one number of each count: whatever is drawn, summed up or
released is of the rows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels
from discreet.methods.base import several_rows
from discreet.methods.copies import MISSING, OTHER, Draws, Levels, Settings, WholeCopy
from discreet.methods.whole import whole_copy

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

    Examples
    --------
    >>> noise_of_counts(7, 1)
    6.0
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

    Parameters
    ----------
    made : WholeCopy
        The copy.
    levels : mapping of str to Levels
        The raw columns of levels.
    draws : Draws
        What the noise of the copy is keyed by: the secret and the version, never who is in a cell.
    settings : Settings
        k, and the listed pairs. Pairs of which a column is not in the copy are left as they are.
    persons : ndarray of int of shape (n,), optional
        Whose each row is. Where some person has several rows nothing is counted: one person would
        move a cell by all of them.

    Returns
    -------
    WholeCopy
        With as many rows, of which some have another level in a listed column.

    Notes
    -----
    A cell is counted that holds so many persons that its noise is smaller than the error of a
    sample (and never fewer than k persons); how many that takes the secret draws for each cell. All
    others are what they are in the copy, or as many as would just not be counted. The table is then
    fitted to the copy's own margins, so that these stay. Of pairs that go round in a circle the
    counts are met as nearly as one table of all their columns can.
    """
    pairs = sorted({(min(pair), max(pair)) for pair in settings.tables})
    pairs = [(a, b) for a, b in pairs if a in made.levels and b in made.levels]
    if not pairs or several_rows(persons) is not None:
        return made
    sd = noise_of_counts(len(made.numbers) + len(made.levels), len(pairs))
    raw = {name: _as_made(levels[name], made.levels[name]) for pair in pairs for name in pair}
    found = {name: made.levels[name] for name in raw}
    tables = {pair: _table(pair, raw, found, draws, settings.k, sd) for pair in pairs}
    done: list[str] = []
    for name in _in_order(pairs):
        beside = [it for it in done if (min(it, name), max(it, name)) in tables]
        if beside:
            wanted = [tables[it, name] if it < name else tables[name, it].T for it in beside]
            codes = _given(found[name], [found[it] for it in beside], wanted)
            found[name] = found[name]._replace(codes=codes)
        done.append(name)
    return replace(made, levels={**made.levels, **found})


def _in_order(pairs: Sequence[Pair]) -> list[str]:
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


def _as_made(raw: Levels, made: Levels) -> Labels:
    """Return which level of the copy each raw row has; -1 where the copy has none for it."""
    place = {word: i for i, word in enumerate(made.words)}
    rest = place.get(OTHER, -1)
    at = np.array([place.get(word, rest) for word in (*raw.words, MISSING)], dtype=np.intp)
    codes: Labels = at[raw.codes]  # a missing level is the last
    return codes


def _crossed(a: Labels, b: Labels, shape: tuple[int, int]) -> Counts:
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
    counts = _crossed(raw[a], raw[b], shape)
    own = _crossed(made[a].codes, made[b].codes, shape).astype(np.float64)
    name = f"table {len(a)} {a} {b}"
    noise = sd * np.asarray(ndtri(draws.of_table(name, counts.size))).reshape(shape)
    least = max(k, math.ceil(sd**2))
    drawn = draws.of_table(f"least of {name}", counts.size).reshape(shape)
    enough = least + np.floor(drawn * least)
    scale = own.sum() / max(counts.sum(), 1)
    some = np.where(counts >= enough, np.maximum(counts + noise, k), enough)
    # Of a cell that is not counted it is known that it holds fewer than would be.
    wanted = np.where(counts >= enough, scale * some, np.minimum(own, scale * some))
    return _fitted(wanted, own.sum(axis=1), own.sum(axis=0))


def _fitted(table: Floats, rows: Floats, columns: Floats) -> Floats:
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


def _given(column: Levels, beside: Sequence[Levels], wanted: Sequence[Floats]) -> Labels:
    """Return the levels of a column changed in as few rows as it takes to have some tables."""
    codes = [it.codes for it in beside]
    each, of = np.unique(np.column_stack(codes), axis=0, return_inverse=True)
    kinds = _Kinds(of.ravel(), tuple(each.T))
    own = _crossed(kinds.of, column.codes, (len(each), len(column.words)))
    cells = wanted[0] if len(beside) == 1 else _jointly(own, kinds, wanted)
    # With one neighbour its levels are the kinds, but for those that no row has.
    cells = cells[kinds.each[0]] if len(beside) == 1 else cells
    return _changed(column.codes, kinds.of, own, _whole(cells, own.sum(axis=1)))


def _jointly(own: Counts, kinds: _Kinds, wanted: Sequence[Floats]) -> Floats:
    """Return how many rows of each kind have each level, so that all tables hold together."""
    size = own.sum(axis=1).astype(np.float64)
    shares = [_shares(table)[at] for table, at in zip(wanted, kinds.each, strict=True)]
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


def _shares(table: Floats) -> Floats:
    return table * _ratio(np.ones(len(table)), table.sum(axis=1))[:, None]


def _whole(cells: Floats, sizes: Counts) -> Counts:
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


def _changed(codes: Labels, kinds: Labels, own: Counts, wanted: Counts) -> Labels:
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
