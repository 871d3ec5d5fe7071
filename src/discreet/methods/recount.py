"""The promises of a copy of a whole table, counted again on what was made, apart from how.

Nothing here is used to make a copy: rows are counted with sets and dictionaries, or compared as
they are.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels
from discreet.errors import BrokenPromiseError
from discreet.methods.base import persons_in
from discreet.methods.copies import MISSING, OTHER, Levels, Settings, WholeCopy
from discreet.methods.relations import Relations

MORE, SDS = 0.3, 7.0
"""So much more of the rows of people in a copy may be found in it, and so many sds by chance."""
TINY = 1e-9


def check_whole(
    numbers: Mapping[str, Floats],
    levels: Mapping[str, Levels],
    relations: Relations,
    made: WholeCopy,
    settings: Settings,
    persons: Labels | None,
) -> None:
    """Count again what a copy promises; raise BrokenPromiseError where it does not hold.

    1. Every row of the copy is mostly of a row that takes part.
    2. A level of the copy is that of k people or more in the raw table, and so are what was
       joined, what is missing, and the gaps of a column of numbers.
    3. No value is outside of its declared bounds.
    4. Relations hold in every row.
    5. Of people whose row is nobody else's, those who take part are found in the copy, equal in
       all columns, hardly more often than those who were left out: by three in ten of them and 7
       sds of chance at the most. It is what shows that rows were passed on as they are.

    That leaves are of m people is counted where they are made. `numbers` and `levels` are the raw
    columns, `relations` what holds for all records, `persons` whose each row is.
    """
    who = np.arange(len(made.takes_part)) if persons is None else persons
    if not made.takes_part[made.source].all():
        raise _broken_promise("a row was drawn of one that takes no part")
    for name, column in made.levels.items():
        _check_levels(name, levels[name], column, who, settings.k)
    _check_bounds(made.numbers, settings)
    _check_relations(relations, made.numbers)
    _check_gaps(numbers, relations, made, settings, who)
    _check_coincidences(numbers, levels, made, who)


def _broken_promise(what: str) -> BrokenPromiseError:
    return BrokenPromiseError(f"{what}, when the copy was counted again; please report this")


def _check_levels(name: str, raw: Levels, made: Levels, who: Labels, k: int) -> None:
    # A level may have the name of those that are joined: then both are one.
    place = {word: i for i, word in enumerate(dict.fromkeys(made.words))}
    rest = place.get(OTHER, -1)
    codes = np.array([place.get(word, rest) for word in (*raw.words, MISSING)])[raw.codes]
    known, people = codes >= 0, int(who.max()) + 1
    pairs = np.unique(codes[known] * people + who[known])
    if (np.bincount(pairs // people, minlength=len(place)) < k).any():
        raise _broken_promise(f"a level of column {name!r} stood on fewer than k people")


def _check_bounds(numbers: Mapping[str, Floats], settings: Settings) -> None:
    for name, (low, high) in settings.bounds.items():
        if name in numbers and ((numbers[name] < low) | (numbers[name] > high)).any():
            raise _broken_promise(f"a value of column {name!r} was outside of its bounds")


def _check_gaps(
    numbers: Mapping[str, Floats],
    relations: Relations,
    made: WholeCopy,
    settings: Settings,
    who: Labels,
) -> None:
    free = relations.apart(numbers)  # of an end, who has no start has no time
    for name, column in made.numbers.items():
        if name in relations.sums or not np.isnan(column).any():
            continue
        if len({*who[np.isnan(free[name])].tolist()}) < settings.k:
            raise _broken_promise(f"gaps of column {name!r} stood on fewer than k people")


def _check_relations(relations: Relations, numbers: Mapping[str, Floats]) -> None:
    for low, high in relations.orders:
        if low in numbers and high in numbers and (numbers[low] > numbers[high]).any():
            raise _broken_promise(f"column {low!r} was above {high!r}")
    for name, parts in relations.sums.items():
        if name not in numbers:
            continue
        total = np.sum([numbers[part] for part in parts], axis=0)
        gap = np.abs(total - numbers[name])
        if (gap > TINY * np.maximum(np.abs(total), 1)).any():
            raise _broken_promise(f"column {name!r} was not the sum of its parts")


def _check_coincidences(
    numbers: Mapping[str, Floats], levels: Mapping[str, Levels], made: WholeCopy, who: Labels
) -> None:
    n, drawn = len(made.takes_part), len(made.source)
    same: Labels = np.zeros(n + drawn, dtype=np.intp)
    for name, column in made.numbers.items():
        same = _split_by(same, np.concatenate([numbers[name], column]))
    for name, level in made.levels.items():
        raw = np.array([*levels[name].words, MISSING], dtype=str)[levels[name].codes]
        words = np.array(level.words, dtype=str)
        raw = np.where(np.isin(raw, words), raw, OTHER)
        same = _split_by(same, np.concatenate([raw, words[level.codes]]))
    released = np.isin(same[:n], same[n:])
    kinds, alone = np.unique(same[:n], return_inverse=True)[1], np.zeros(n, dtype=np.bool_)
    alone[:] = persons_in(kinds, who)[kinds] == 1
    inside, outside = (released[alone & of] for of in (made.takes_part, ~made.takes_part))
    if not inside.size or not outside.size:
        return
    share = (outside.sum() + 1) / (outside.size + 1)
    sd = np.sqrt(share * (1 - share) * (1 / inside.size + 1 / outside.size))
    if inside.mean() > share + MORE + SDS * sd:
        raise _broken_promise(
            "rows were equal to those of people in the copy more often than by chance"
        )


def _split_by(same: Labels, column: NDArray[np.generic]) -> Labels:
    """Return one number for rows that were the same so far and have the same value here."""
    kinds, codes = np.unique(column, return_inverse=True)
    numbered: Labels = np.unique(same * len(kinds) + codes, return_inverse=True)[1]
    return numbered
