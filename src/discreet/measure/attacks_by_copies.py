"""Attacks that make many copies: was a person in the table.

The attacker has the method, knows everybody else, and makes copies of their own with the person
and without; what tells these apart tells whether the released one was made with the person.
"""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from discreet.arguments import Floats, check_whole, check_word
from discreet.errors import RefusedError
from discreet.measure.attacks import (
    Attack,
    Make,
    Records,
    Success,
    attack_secret,
    bounded,
    first_of,
    first_rows,
    ranked_within,
    recognised,
    space_of,
)
from discreet.measure.ensemble import cross_validated
from discreet.measure.looks import Look, figures_of, look_of
from discreet.measure.pairs import Side
from discreet.progress import advance
from discreet.secret import generator

ROWS = 1000
"""Copies are made of so many records at most."""
FOLDS = 5
FEWEST_PAIRS = 2 * FOLDS
MARGINAL_SDS, JOINT_SDS, LEAST_VARIANCE = 8.0, 6.0, 0.05
TYPICAL = (0.4, 0.5, 0.6)
"""Typical persons have these places among all, by their distance from the mean."""
MOST_ROWS = 3
"""So many of a person's rows, first to last, are looked for in a copy."""
MANY = (0.9, 1.0)
"""Persons with many rows have these places among all, by how many they have."""
FEWEST_ROWS = 2
TOLD_APART = "copies with and without the person told apart (AUC)"
FEW = "few"
"""What a level is called that some persons get."""

#: Whose membership is asked for, in words.
WHO = MappingProxyType(
    {
        "typical": "a typical person",
        "marginal": "a person who is 8 sd off in one column",
        "joint": "a person whose numbers do not go together",
        "level": "a member of a small level",
        "rows": "a person with many rows",
    }
)


class _Place(NamedTuple):
    """A person who is looked for: what the place is called, all others, and the person's rows."""

    name: str
    rest: Records
    person: Side


def membership(
    records: Records,
    make: Make,
    *,
    who: str = "typical",
    pairs: int = 100,
    rows: int = ROWS,
    k: int = 5,
) -> Attack:
    """See whether copies made with a person can be told from copies made without.

    `who` is "typical": three records, each by itself, whose distance from the mean is near the
    median; "marginal": that at the median with one number 8 sd off; "joint": with its numbers 6 sd
    off along the direction in which they vary least; "level": one of `k`, and one of 2 k - 1,
    persons who get a level of their own, in the column that has most; or "rows": who has most rows,
    and who has more than nine tenths of all persons, with all of them. `pairs` (at least 10) copies
    of at most `rows` records are made with the person, and as many without.

    The AUC is of an ensemble of linear rules (`ensemble`), cross-validated, on all that `looks` has
    of a copy: distances, moments, correlations, and soft counts near the person in each column, in
    two and in all. Its parts are each person by itself, and the nearest distance alone.
    """
    check_word("who", who, WHO)
    check_whole("pairs", pairs, least=FEWEST_PAIRS)
    some = first_of(records, rows)
    places = _places(some, who, k)
    seen = [_seen(it, make, pairs, f"{who} {it.name}") for it in places]
    scores = [cross_validated(*each, folds=FOLDS)[::-1] for each in seen]
    near = [(-beside[:, 0], -without[:, 0]) for without, beside in seen]
    name = f"member, {who}"
    parts = [_told_apart(f"told apart: {WHO[who]}, {it.name} (AUC)", [of], learned=True)
             for it, of in zip(places, scores, strict=True)]  # fmt: skip
    alone = _told_apart("told apart by the distance of the nearest row alone (AUC)", near)
    of = f" of each of {len(places)} such persons" if len(places) > 1 else ""
    return Attack(
        name,
        f"Membership of {WHO[who]}",
        "Somebody knows the records of all other persons and of this one, makes copies of their"
        " own with the person and without, and learns from them to tell whether the released one"
        " was made with the person.",
        (
            "Nobody knows as much; who knows less can say less.",
            f"{pairs} pairs of copies of {len(some)} records{of}; with more pairs more is learned.",
            "Where a method keeps the number of rows, that number is not looked at.",
            "Another attacker may look at something else in a copy.",
        ),
        bounded(name, _told_apart(TOLD_APART, scores, learned=True)),
        (alone, *(parts if len(parts) > 1 else ())),
        recognised(scores, folds=FOLDS, copies=True),
    )


def _told_apart(
    what: str, scores: list[tuple[Floats, Floats]], *, learned: bool = False
) -> Success:
    return ranked_within(what, scores, folds=FOLDS if learned else 0, copies=True)


def _seen(place: _Place, make: Make, pairs: int, name: str) -> tuple[Floats, Floats]:
    """Return the figures of copies made without a person, and of as many made with.

    Where each copy has a row for each record, how many it has is left out: it would tell all.
    """
    beside = _beside(place.rest, place.person)
    of_rows = np.unique(np.linspace(0, len(place.person) - 1, MOST_ROWS).astype(np.intp))
    looks: list[Look] = []
    seen: tuple[list[Floats], list[Floats]] = ([], [])
    kept = True
    for i in range(pairs):
        for kind, of in enumerate((place.rest, beside)):
            copy = make(of, attack_secret("membership", name, i, kind)).table
            looks = looks or [
                look_of(beside.table, copy, place.person.taken(of_rows[[row]]))
                for row in range(len(of_rows))
            ]
            figures = [figures_of(look, copy) for look in looks]
            rows = figures[0][-1:]  # the last of each
            seen[kind].append(np.concatenate([*(it[:-1] for it in figures), rows]))
            kept = kept and len(copy) == len(of)
        advance("membership", i + 1, pairs)
    told = slice(None, -1 if kept else None)
    return np.array(seen[0])[:, told], np.array(seen[1])[:, told]


# --- who is looked for ---------------------------------------------------------------------------


def _places(records: Records, who: str, k: int) -> list[_Place]:
    if who == "level":
        return _in_small_levels(records, k)
    return _with_many_rows(records) if who == "rows" else _at_places(records, who)


def _with_many_rows(records: Records) -> list[_Place]:
    """Return who has most rows, and who has more than most persons have."""
    rows = np.bincount(records.persons)
    if rows.max() < FEWEST_ROWS:
        raise RefusedError("no person has several rows")
    order = np.argsort(rows, kind="stable")
    found = []
    for place in MANY:
        person = order[min(int(place * len(order)), len(order) - 1)]
        of = np.flatnonzero(records.persons == person)
        rest, _ = _without(records, int(of[0]))
        name = "who has most" if place == 1 else f"who has more than {100 * place:.0f} % of all"
        found.append(_Place(name, rest, records.table.taken(of)))
    return found


def _at_places(records: Records, who: str) -> list[_Place]:
    """Return persons near the median distance from the mean, or one of them who is far off."""
    at = space_of(records.table, [records.table]).of(records.table)
    order = np.argsort(np.round(np.square(at - at.mean(axis=0)).sum(axis=1), 9), kind="stable")
    found = []
    for place in TYPICAL if who == "typical" else (0.5,):
        row = int(order[int(place * len(order))])
        rest, person = _without(records, row)
        name = f"at {100 * place:.0f} % of all by distance from the mean"
        found.append(_Place(name, rest, _changed(person, rest.table, who)))
    return found


def _in_small_levels(records: Records, k: int) -> list[_Place]:
    """Return persons who share a level of their own with k - 1 others, and with 2 k - 2."""
    levels = records.table.levels
    if not levels:
        raise RefusedError("there is no column of levels that such a person could have one in")
    column = max(sorted(levels), key=lambda name: len(set(levels[name])))
    first = first_rows(records)
    if len(first) < 4 * k:
        raise RefusedError("there are too few persons for a small level among them")
    word = FEW
    while word in levels[column]:
        word += "-"
    found = []
    for size in (k, 2 * k - 1):
        rows = first[generator("attack", "level", size).permutation(len(first))[:size]]
        having = np.isin(records.persons, records.persons[rows]).tolist()
        words = [word if has else its for has, its in zip(having, levels[column], strict=True)]
        side = Side.of(records.table.numbers, {**levels, column: tuple(words)})
        rest, person = _without(Records(side, records.persons), int(rows[0]))
        found.append(_Place(f"of {size} persons", rest, person))
    return found


def _without(records: Records, row: int) -> tuple[Records, Side]:
    """Return the records of all but a person, and the row of that person."""
    rest = np.flatnonzero(records.persons != records.persons[row])
    return records.taken(rest), records.table.taken(np.array([row]))


def _beside(rest: Records, person: Side) -> Records:
    """Return the records with those of one more person."""
    numbers = {
        name: np.append(values, person.numbers[name]) for name, values in rest.table.numbers.items()
    }
    levels = {name: (*words, *person.levels[name]) for name, words in rest.table.levels.items()}
    more = np.full(len(person), rest.persons.max() + 1)
    return Records(Side.of(numbers, levels), np.append(rest.persons, more))


def _changed(person: Side, rest: Side, who: str) -> Side:
    """Return the person, far off in a column or along the direction of least variance."""
    if who == "typical":
        return person
    names = [name for name, values in rest.numbers.items() if _varies(values)]
    if len(names) < (1 if who == "marginal" else 2):
        raise RefusedError(
            "there are too few columns of numbers that such a person could be off in"
        )
    table = np.column_stack([rest.numbers[name] for name in names])
    mean, sd = np.nanmean(table, axis=0), np.nanstd(table, axis=0)
    numbers = dict(person.numbers)
    if who == "marginal":
        different = [len(np.unique(column[~np.isnan(column)])) for column in table.T]
        j = int(np.argmax(different))
        numbers[names[j]] = np.array([mean[j] + MARGINAL_SDS * sd[j]])
    else:
        z = np.where(np.isnan(table), 0.0, (table - mean) / sd)
        sizes, axes = np.linalg.eigh(z.T @ z / len(z))
        axis = axes[:, 0] * np.sign(axes[np.abs(axes[:, 0]).argmax(), 0])
        off = JOINT_SDS * axis * math.sqrt(max(float(sizes[0]), LEAST_VARIANCE))
        for j, name in enumerate(names):
            numbers[name] = np.array([mean[j] + off[j] * sd[j]])
    return Side.of(numbers, person.levels)


def _varies(values: Floats) -> bool:
    known = values[~np.isnan(values)]
    return bool(known.size and np.ptp(known) > 0)
