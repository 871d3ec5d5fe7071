"""Attacks that need one copy: who is linked to a row, and which rows are a person's very own."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from discreet.arguments import Floats, Labels
from discreet.errors import InputError, RefusedError
from discreet.measure.anonymity import combinations_of
from discreet.measure.attacks import Attack, Copy, Records, counted_of, space_of, told_as
from discreet.measure.pairs import Estimate, Flags, Side
from discreet.secret import generator

FAR = 5
TURNS = 8
"""Of so many tables of independent columns coincidences are counted, as a baseline."""
LEAST, PAIRS = 200, 50_000_000
"""Fewer records are attacked where there are so many pairs with released rows, but not below."""
MOST_COMBINED = 8
"""Of more level columns than this, combinations of two are looked at, and none of three."""


def some_of(records: int, most: int) -> Labels:
    """Return the records that are attacked, in keyed order the first: not all of very many."""
    return np.arange(min(records, most, max(LEAST, PAIRS // records)))


def farthest(at: Floats, far: int | None) -> Labels:
    """Return the rows farthest from the mean, in sds of numbers and by rarity of levels; or all."""
    if far is None:
        return some_of(len(at), len(at))
    length = np.square(at - at.mean(axis=0)).sum(axis=1)
    return np.argsort(-np.round(length, 9), kind="stable")[:far]


# --- linkage ------------------------------------------------------------------------------------


def linkage(
    records: Records, copies: Sequence[Copy], *, k: int | None = None, far: int | None = None
) -> Attack:
    """Count the records linked to the row drawn for them.

    Each of the `copies` is attacked by itself, for the records that are `far` from the mean where
    that is given. A record counts as the share of its own rows among the nearest ones; of one that
    was withheld no row is its own. InputError if the source of a copy is not known.
    """
    count, trials, guess = 0.0, 0, 0.0
    for copy in copies:
        if copy.source is None:
            raise InputError("linkage needs to know for which raw row each released row was drawn")
        recoded = told_as(records.table, copy.table)
        space = space_of(recoded, [copy.table])
        at, rows = space.of(recoded), space.of(copy.table)
        who = farthest(at, far)
        count += math.fsum(own_parts(at[who], rows, copy.source, who).tolist())
        drawn = np.bincount(copy.source[copy.source >= 0], minlength=len(at))
        guess += float(drawn[who].sum()) / len(rows)
        trials += len(who)
    which = "records" if far is None else f"of the {far} records farthest from the mean, those"
    success = counted_of(
        f"{which} linked to the row drawn for them",
        count,
        trials,
        guess / trials,
        allowed=None if k is None else 1 / k,
    )
    return Attack(
        "linkage" if far is None else f"linkage, far {far}",
        "Record linkage" if far is None else f"Record linkage of the {far} farthest",
        "An attacker knows the true values of a person in every column, and takes the nearest "
        "released row to be this person's.",
        (
            "Numbers are compared in standard deviations; a different level counts as one.",
            "Only the custodian knows for which raw row a released row was drawn.",
            "A released row is made from several people: here it counts as that of the person "
            "who contributed most.",
        ),
        success,
    )


def own_parts(at: Floats, rows: Floats, source: Labels, who: Labels) -> Floats:
    """Return for each record the share of its own rows among the rows nearest to it."""
    from scipy.spatial import cKDTree

    tree = cKDTree(rows)
    gap = tree.query(at, k=1)[0]
    limit = gap * (1 + 1e-9) + 1e-9
    order = np.argsort(source, kind="stable")
    first, end = (np.searchsorted(source[order], who, side) for side in ("left", "right"))
    out = np.zeros(len(at))
    for i in range(len(at)):
        mine = rows[order[first[i] : end[i]]]
        own = int((np.sqrt(np.square(mine - at[i]).sum(axis=1)) <= limit[i]).sum())
        if own:
            near = tree.query_ball_point(at[i], limit[i], return_length=True)
            out[i] = own / max(int(near), own)
    return out


# --- coincidences -------------------------------------------------------------------------------


def coincidences(records: Records, copy: Copy) -> Attack:
    """Count the released rows that equal a raw row in every column.

    The baseline is the share in tables whose columns are drawn independently of one another from
    those of the copy. A copy that keeps how columns hang together has more, whoever is in it;
    whether they give away who is in it is what `verbatim` counts.
    """
    recoded = told_as(records.table, copy.table)
    rows = len(copy.table)
    equal = int(same_rows_as(copy.table, recoded).sum())
    chance = sum(int(same_rows_as(each, recoded).sum()) for each in _independent(copy.table))
    return Attack(
        "coincidences",
        "Coincidences",
        "An attacker knows a person's row in every column, and checks whether the released "
        "table has exactly the same row.",
        ("A match alone does not show whether it is a coincidence.",),
        counted_of(
            "released rows that equal a raw row in every column",
            equal,
            rows,
            chance / (TURNS * rows),
            against="independent columns",
        ),
    )


def rare_combinations(records: Records, copy: Copy, k: int) -> Attack:
    """Count the released rows with a combination of levels that fewer than k people have.

    Combinations of two columns of levels, and of three where there are few, that at least one raw
    person has; the baseline as in `coincidences`.
    """
    recoded = told_as(records.table, copy.table)
    raw, table = codes_of(recoded, copy.table)
    rare = [
        (chosen, np.unique(codes[few]))
        for chosen, codes in combined(raw)
        if (few := shared_by_few(codes, records.persons, k)).any()
    ]
    if not rare:
        raise RefusedError("no combination of levels is rare")

    def hit(columns: Mapping[str, Codes]) -> int:
        out = np.zeros(len(copy.table), dtype=np.bool_)
        for chosen, few in rare:
            out |= np.isin(combination(columns, chosen), few)
        return int(out.sum())

    def turned(turn: int) -> dict[str, Codes]:
        return {
            name: (codes[_order(turn, name, len(codes))], size)
            for name, (codes, size) in table.items()
        }

    rows = len(copy.table)
    chance = sum(hit(turned(turn)) for turn in range(TURNS))
    return Attack(
        "rare combinations",
        "Rare combinations",
        f"An attacker knows that fewer than {k} people have a combination of levels, and finds "
        "it in the released table.",
        (
            "Combinations of two columns of levels, and of three where there are few columns.",
            "A match alone does not show whether it is a coincidence.",
        ),
        counted_of(
            f"released rows with a combination that fewer than {k} people have",
            hit(table),
            rows,
            chance / (TURNS * rows),
            against="independent columns",
        ),
    )


Codes = tuple[Labels, int]
"""Which word each row of a column has, and how many there are."""


def codes_of(told: Side, table: Side) -> tuple[dict[str, Codes], dict[str, Codes]]:
    """Return the columns of levels of two tables as numbers, alike for like words."""
    out: tuple[dict[str, Codes], dict[str, Codes]] = ({}, {})
    for name in sorted(told.levels):
        both = combinations_of([(*told.levels[name], *table.levels[name])])
        size = int(both.max()) + 1
        out[0][name] = both[: len(told)], size
        out[1][name] = both[len(told) :], size
    return out


def combination(columns: Mapping[str, Codes], chosen: Sequence[str]) -> Labels:
    """Return the number of each row's combination of some columns."""
    codes = np.zeros(len(columns[chosen[0]][0]), dtype=np.intp)
    for name in chosen:
        codes = codes * columns[name][1] + columns[name][0]
    return codes


def combined(columns: Mapping[str, Codes]) -> Iterator[tuple[tuple[str, ...], Labels]]:
    """Go through columns of levels by twos, and by threes where there are few."""
    most = 3 if len(columns) <= MOST_COMBINED else 2
    for size in range(2, most + 1):
        for chosen in itertools.combinations(sorted(columns), size):
            yield chosen, combination(columns, chosen)


def shared_by_few(codes: Labels, persons: Labels, k: int) -> Flags:
    """Say which rows have what fewer than k people have."""
    at = np.unique(codes, return_inverse=True)[1]
    pairs = np.unique(at * (int(persons.max()) + 1) + persons)
    few: Flags = np.bincount(pairs // (int(persons.max()) + 1))[at] < k
    return few


def _order(turn: int, name: str, rows: int) -> Labels:
    return generator("attack", "independent", turn, name).permutation(rows)


def _independent(table: Side) -> Iterator[Side]:
    """Make tables of the same columns, each in an order of its own."""
    for turn in range(TURNS):
        numbers = {
            name: values[_order(turn, name, len(table))] for name, values in table.numbers.items()
        }
        levels = {
            name: tuple(words[i] for i in _order(turn, name, len(table)).tolist())
            for name, words in table.levels.items()
        }
        yield Side.of(numbers, levels)


def same_rows_as(table: Side, other: Side) -> Any:
    """Say which rows of a table equal, in all its columns, a row of another one."""
    columns: list[Any] = [
        np.concatenate([values, other.numbers[name]]) for name, values in table.numbers.items()
    ]
    columns += [(*words, *other.levels[name]) for name, words in table.levels.items()]
    both = combinations_of(columns)
    return np.isin(both[: len(table)], both[len(table) :])


# --- raw records that stand in a released table, as it was or nearly, more often than by chance ---


WHAT = "records that a released row resembles in every column"
AGAINST = "rows that are no record"
NEAR = 0.02
"""So near in standard deviations are numbers that are alike."""
MOST, AWAY = 1000, 1e4


def found_records(raw: Side, released: Side) -> Estimate:
    """Count the raw records that some released row is like: in all levels, and nearly in numbers.

    Numbers match if they are at most a fiftieth of a standard deviation apart. Of very many raw
    rows a sample is looked for. The baseline is how often a released row is like a row that is no
    record, but lies halfway between a record and its nearest other one of the same levels, at
    values that the columns have; where there is none it is the record.

    Examples
    --------
    >>> from discreet.measure.pairs import as_side
    >>> raw = as_side(np.random.default_rng(0).normal(size=(200, 3)))
    >>> result = found_records(raw, raw)
    >>> result.share, result.baseline
    (1.0, 0.0)
    """
    from scipy.spatial import cKDTree

    points, there = _points(raw, released)
    at = np.linspace(0, len(points) - 1, min(MOST, len(points))).astype(np.intp)
    different = np.unique(points, axis=0)
    tree = cKDTree(there)

    def hits(of: Floats) -> int:
        gap = tree.query(of, k=1, p=np.inf, distance_upper_bound=NEAR)[0]
        return int(np.isfinite(gap).sum())

    between = _between(points[at], different)
    return Estimate(WHAT, hits(points[at]), len(at), hits(between) / len(at))


def _points(raw: Side, released: Side) -> tuple[Floats, Floats]:
    """Return the rows of both as points: numbers in standard deviations, other levels far off."""
    columns = []
    for name in sorted(raw.numbers):
        both = np.concatenate([raw.numbers[name], released.numbers[name]])
        spread = float(np.nanstd(raw.numbers[name])) or 1.0
        columns.append(np.nan_to_num((both - np.nanmean(raw.numbers[name])) / spread, nan=AWAY))
    if raw.levels:
        words = [(*raw.levels[name], *released.levels[name]) for name in sorted(raw.levels)]
        columns.append(AWAY * combinations_of(words).astype(np.float64))
    points = np.column_stack(columns)
    return points[: len(raw)], points[len(raw) :]


def _between(points: Floats, different: Floats) -> Floats:
    """Return points halfway to the nearest other one, at values that each column has."""
    from scipy.spatial import cKDTree

    if len(different) < 2:
        return points
    gap, near = cKDTree(different).query(points, k=2)
    middle = (points + different[near[:, 1]]) / 2
    for j, column in enumerate(middle.T):
        values = np.unique(different[:, j])
        right = np.clip(np.searchsorted(values, column), 1, max(len(values) - 1, 1))
        if len(values) > 1:
            left = column - values[right - 1] < values[right] - column
            middle[:, j] = np.where(left, values[right - 1], values[right])
    return np.where((gap[:, 1] < AWAY / 2)[:, None], middle, points)


def records_in_copy(records: Records, copy: Copy) -> Attack:
    """Count the records that a released row is like, beside what chance explains."""
    estimate = found_records(told_as(records.table, copy.table), copy.table)
    success = counted_of(
        estimate.what, estimate.count, estimate.trials, estimate.baseline or 0.0, against=AGAINST
    )
    return Attack(
        "records",
        "Records in the table",
        "An attacker knows most of a person's values, looks for a released row with these, and "
        "takes the rest of that row to be the person's.",
        (
            "Numbers match if they are at most a fiftieth of a standard deviation apart.",
            "The baseline uses points halfway between two records; if columns have few levels, "
            "most records are found by chance.",
        ),
        success,
    )
