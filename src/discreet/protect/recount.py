"""The promises of a copy of a whole table, counted again on what was made, apart from how.

Nothing here is used to make a copy: rows are counted with sets and dictionaries, or compared as
they are.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels
from discreet.errors import BrokenPromiseError
from discreet.protect.copies import MISSING, OTHER, Levels, Settings, WholeCopy
from discreet.protect.relations import Relations

__all__ = ["check_columns", "check_whole"]

ROOM, SDS = 12.0, 7.0
"""Coincidences that chance may add to those expected: so many, and so many sds."""
TINY = 1e-9


def check_whole(
    numbers: Mapping[str, Floats],
    levels: Mapping[str, Levels],
    relations: Relations,
    made: WholeCopy,
    settings: Settings,
    persons: Labels | None,
) -> None:
    """Count again what a copy promises; raise where it does not hold.

    1. A group is of m rows or more, of as many persons; every row of the copy is of a group.
    2. A level of the copy is that of k persons or more in the raw table, and so are what was
       joined, what is missing, and the gaps of a column of numbers.
    3. k persons or more have raw values at the least value of a column or below it, and as many at
       the largest or above it. The parts of a sum that has bounds may be moved for these.
    4. No value is outside of its declared bounds.
    5. Relations hold in every row.
    6. Rows of the copy are equal to the raw row that they were drawn for in all columns no more
       often than to the others of its group: a row is drawn without looking which of the group it
       is for, so how often is a sum of draws whose expectation is known. The alarm sounds beyond
       it by 7 of its sds and 12 more; by Bernstein's inequality that happens by chance less
       than once in 10 million copies, and always where half of the rows of a table of some size
       were passed on as they are.

    Parameters
    ----------
    numbers : mapping of str to ndarray of shape (n,)
        The raw columns, missing ones NaN.
    levels : mapping of str to Levels
        The raw columns of levels.
    relations : Relations
        What was found to hold for all records.
    made : WholeCopy
        The copy.
    settings : Settings
        k, m and bounds.
    persons : ndarray of int of shape (n,) or None
        Whose each row is, where a person may have several.

    Raises
    ------
    BrokenPromiseError
        If one of them does not hold.
    """
    who = np.arange(len(made.groups)) if persons is None else persons
    _check_groups(made, who, settings.m)
    check_columns(levels, relations, made, settings, who)
    _check_numbers(numbers, relations, made, settings, who)
    _check_coincidences(numbers, levels, made)


def check_columns(
    levels: Mapping[str, Levels],
    relations: Relations,
    made: WholeCopy,
    settings: Settings,
    who: Labels,
) -> None:
    """Count again what columns promise: levels of k persons, declared bounds, and relations.

    Parameters
    ----------
    levels, relations, made, settings
        As of `check_whole`.
    who : ndarray of int of shape (n,)
        Whose each raw row is.
    """
    for name, column in made.levels.items():
        _check_levels(name, levels[name], column, who, settings.k)
    _check_bounds(made.numbers, settings)
    _check_relations(relations, made.numbers)


def _broken(what: str) -> BrokenPromiseError:
    return BrokenPromiseError(f"{what}, when the copy was counted again; please report this")


def _check_groups(made: WholeCopy, who: Labels, m: int) -> None:
    rows: Counter[int] = Counter()
    members: defaultdict[int, set[int]] = defaultdict(set)
    for group, person in zip(made.groups.tolist(), who.tolist(), strict=True):
        rows[group] += 1
        members[group].add(person)
    if any(rows[g] < m or len(members[g]) < m for g in rows if g >= 0):
        raise _broken("a group was too small")
    if any(group < 0 for group in made.groups[made.source].tolist()):
        raise _broken("a row was drawn for one that takes no part")


def _few(who: Labels, rows: NDArray[np.bool_] | Iterable[bool], k: int) -> bool:
    return len(set(who[np.asarray(rows)].tolist())) < k


def _check_levels(name: str, raw: Levels, made: Levels, who: Labels, k: int) -> None:
    # A level may have the name of those that are joined: then both are one.
    place = {word: i for i, word in enumerate(dict.fromkeys(made.words))}
    rest = place.get(OTHER, -1)
    codes = np.array([place.get(word, rest) for word in (*raw.words, MISSING)])[raw.codes]
    known, people = codes >= 0, int(who.max()) + 1
    pairs = np.unique(codes[known] * people + who[known])
    if (np.bincount(pairs // people, minlength=len(place)) < k).any():
        raise _broken(f"a level of column {name!r} stood on fewer than k persons")


def _check_bounds(numbers: Mapping[str, Floats], settings: Settings) -> None:
    for name, (low, high) in settings.bounds.items():
        if name in numbers and ((numbers[name] < low) | (numbers[name] > high)).any():
            raise _broken(f"a value of column {name!r} was outside of its bounds")


def _check_numbers(
    numbers: Mapping[str, Floats],
    relations: Relations,
    made: WholeCopy,
    settings: Settings,
    who: Labels,
) -> None:
    free = relations.apart(numbers)  # of an end, who has no start has no time
    # The parts of a sum that has bounds may have been moved for it.
    moved = {it for of, parts in relations.sums.items() if of in settings.bounds for it in parts}
    for name, column in made.numbers.items():
        if name in relations.sums:
            continue
        raw, gaps = numbers[name], np.isnan(column)
        if gaps.any() and _few(who, np.isnan(free[name]), settings.k):
            raise _broken(f"gaps of column {name!r} stood on fewer than k persons")
        if name in moved or gaps.all():
            continue
        ends, before = column[~gaps], np.clip(raw, *settings.bounds.get(name, (-np.inf, np.inf)))
        least, most = before <= ends.min(), before >= ends.max()
        if _few(who, least, settings.k) or _few(who, most, settings.k):
            raise _broken(f"an end of column {name!r} stood on fewer than k persons")


def _check_relations(relations: Relations, numbers: Mapping[str, Floats]) -> None:
    for low, high in relations.orders:
        if low in numbers and high in numbers and (numbers[low] > numbers[high]).any():
            raise _broken(f"column {low!r} was above {high!r}")
    for name, parts in relations.sums.items():
        if name not in numbers:
            continue
        total = np.sum([numbers[part] for part in parts], axis=0)
        gap = np.abs(total - numbers[name])
        if (gap > TINY * np.maximum(np.abs(total), 1)).any():
            raise _broken(f"column {name!r} was not the sum of its parts")


def _check_coincidences(
    numbers: Mapping[str, Floats], levels: Mapping[str, Levels], made: WholeCopy
) -> None:
    n, drawn = len(made.groups), len(made.source)
    same: Labels = np.zeros(n + drawn, dtype=np.intp)
    for name, column in made.numbers.items():
        same = _told_apart(same, np.concatenate([numbers[name], column]))
    for name, held in made.levels.items():
        raw = np.array([*levels[name].words, MISSING], dtype=str)[levels[name].codes]
        words = np.array(held.words, dtype=str)
        raw = np.where(np.isin(raw, words), raw, OTHER)
        same = _told_apart(same, np.concatenate([raw, words[held.codes]]))
    before, after = same[:n].tolist(), same[n:].tolist()
    of = made.groups.tolist()
    rows, alike = Counter(of), Counter(zip(of, before, strict=True))
    found, expected = 0, 0.0
    for source, row in zip(made.source.tolist(), after, strict=True):
        found += before[source] == row
        expected += alike[of[source], row] / rows[of[source]]
    if found > expected + SDS * np.sqrt(expected) + ROOM:
        raise _broken("rows were equal to those they were drawn for more often than by chance")


def _told_apart(same: Labels, column: NDArray[np.generic]) -> Labels:
    """Return one number for rows that were the same so far and have the same value here."""
    kinds, codes = np.unique(column, return_inverse=True)
    found: Labels = np.unique(same * len(kinds) + codes, return_inverse=True)[1]
    return found
