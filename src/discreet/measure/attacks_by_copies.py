"""Attacks that make many copies: was a person in the table, and who left between versions.

The attacker has the method, knows everybody else, and makes copies of their own with the person
and without; what tells these apart tells whether the released one was made with the person.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels, check_ratio, check_whole, check_word
from discreet.errors import RefusedError
from discreet.measure import attacks
from discreet.measure.pairs import Side
from discreet.progress import advance
from discreet.secret import generator

ROWS = 1000
"""Copies are made of so many records at most."""
FOLDS = 5
FEWEST_PAIRS = 2 * FOLDS
MARGINAL_SDS, JOINT_SDS, LEAST_VARIANCE = 8.0, 6.0, 0.05
TYPICAL = (0.4, 0.5, 0.6)
"""Typical people have these places among all, by their distance from the mean."""
MOST_ROWS = 3
"""So many of a person's rows, first to last, are looked for in a copy."""
MANY = (0.9, 1.0)
"""Persons with many rows have these places among all, by how many they have."""
FEWEST_ROWS = 2
TOLD_APART = "copies with the person distinguished from copies without (AUC)"
FEW = "few"
"""What a level is called that some people get."""

#: Whose membership is asked for, in words.
WHO = MappingProxyType(
    {
        "typical": "a typical person",
        "marginal": "a person who is 8 sd off in one column",
        "joint": "a person whose numbers do not fit together",
        "level": "a member of a small level",
        "rows": "a person with many rows",
    }
)


class _Place(NamedTuple):
    """A person who is looked for: what the place is called, all others, and the person's rows."""

    name: str
    rest: attacks.Records
    person: Side


def membership(
    records: attacks.Records,
    make: attacks.Make,
    *,
    who: str = "typical",
    pairs: int = 100,
    rows: int = ROWS,
    k: int = 5,
) -> attacks.Attack:
    """See whether copies made with a person can be told from copies made without.

    `who` is one of `WHO`; docs/attacks.md says who they are, and what is looked at. Who gets a
    small level is one of `k`, and one of 2 k - 1. `pairs` (at least 10) copies of at most `rows`
    records are made with the person, and as many without. The AUC is of several linear rules
    together (`learned`), cross-validated, on all figures of a copy (`figures_of`). Its parts are
    each person by itself, and the nearest distance alone.
    """
    check_word("who", who, WHO)
    check_whole("pairs", pairs, least=FEWEST_PAIRS)
    some = attacks.first_of(records, rows)
    if who == "level":
        places = people_in_small_levels(some, k)
    else:
        places = _persons_with_many_rows(some) if who == "rows" else people_at_places(some, who)
    seen = [figures_of_copies(it, make, pairs, f"{who} {it.name}") for it in places]
    scores = [cross_validated(*each, folds=FOLDS)[::-1] for each in seen]
    near = [(-beside[:, 0], -without[:, 0]) for without, beside in seen]
    name = f"member, {who}"
    parts = [_mean_auc(f"{WHO[who]}, {it.name} (AUC)", [of], learned=True)
             for it, of in zip(places, scores, strict=True)]  # fmt: skip
    alone = _mean_auc("by the distance of the nearest row alone (AUC)", near)
    of = f" for each of {len(places)} such people" if len(places) > 1 else ""
    return attacks.Attack(
        name,
        f"Membership of {WHO[who]}",
        "An attacker knows the records of all other people and of this one, makes copies with "
        "and without the person, and learns from them to tell whether the released copy was "
        "made with the person.",
        (
            "Hardly anybody knows this much; an attacker who knows less succeeds less often.",
            f"{pairs} pairs of copies of {len(some)} records{of}; with more pairs the attacker "
            "learns more.",
            "If a method keeps the number of rows, that number is not used.",
            "Another attacker may use other features of a copy.",
        ),
        attacks.bounded(name, _mean_auc(TOLD_APART, scores, learned=True)),
        (alone, *(parts if len(parts) > 1 else ())),
        attacks.recognised(scores, folds=FOLDS, copies=True),
    )


def _mean_auc(
    what: str, scores: list[tuple[Floats, Floats]], *, learned: bool = False
) -> attacks.Success:
    return attacks.ranked(what, scores, folds=FOLDS if learned else 0, copies=True)


def figures_of_copies(
    place: _Place, make: attacks.Make, pairs: int, name: str
) -> tuple[Floats, Floats]:
    """Return the figures of copies made without a person, and of as many made with.

    Where each copy has a row for each record, how many it has is left out: it would tell all.
    """
    beside = _add_person(place.rest, place.person)
    of_rows = np.unique(np.linspace(0, len(place.person) - 1, MOST_ROWS).astype(np.intp))
    looks: list[Look] = []
    seen: tuple[list[Floats], list[Floats]] = ([], [])
    kept = True
    for i in range(pairs):
        for kind, of in enumerate((place.rest, beside)):
            copy = make(of, attacks.attack_secret("membership", name, i, kind)).table
            looks = looks or [
                look_of(beside.table, copy, place.person.taken(of_rows[[row]]))
                for row in range(len(of_rows))
            ]
            figures = [figures_of(look, copy) for look in looks]
            rows = figures[0][-1:]  # the last of each
            seen[kind].append(np.concatenate([*(it[:-1] for it in figures), rows]))
            kept = kept and len(copy) == len(of)
        advance("membership", i + 1, pairs)
    columns = slice(None, -1 if kept else None)
    return np.array(seen[0])[:, columns], np.array(seen[1])[:, columns]


# --- who is looked for ---------------------------------------------------------------------------


def _persons_with_many_rows(records: attacks.Records) -> list[_Place]:
    """Return who has most rows, and who has more than most people have."""
    rows = np.bincount(records.persons)
    if rows.max() < FEWEST_ROWS:
        raise RefusedError("nobody has several rows")
    order = np.argsort(rows, kind="stable")
    places = []
    for place in MANY:
        person = order[min(int(place * len(order)), len(order) - 1)]
        of = np.flatnonzero(records.persons == person)
        rest, _ = _split_off(records, int(of[0]))
        name = "who has most" if place == 1 else f"who has more than {100 * place:.0f} % of all"
        places.append(_Place(name, rest, records.table.taken(of)))
    return places


def people_at_places(records: attacks.Records, who: str) -> list[_Place]:
    """Return people near the median distance from the mean, or one of them who is far off."""
    at = attacks.space_of(records.table, [records.table]).of(records.table)
    order = np.argsort(np.round(np.square(at - at.mean(axis=0)).sum(axis=1), 9), kind="stable")
    places = []
    for place in TYPICAL if who == "typical" else (0.5,):
        row = int(order[int(place * len(order))])
        rest, person = _split_off(records, row)
        name = f"at {100 * place:.0f} % of all by distance from the mean"
        places.append(_Place(name, rest, _move_person(person, rest.table, who)))
    return places


def people_in_small_levels(records: attacks.Records, k: int) -> list[_Place]:
    """Return people who share a level of their own with k - 1 others, and with 2 k - 2."""
    levels = records.table.levels
    if not levels:
        raise RefusedError("there is no column of levels for such a person")
    column = max(sorted(levels), key=lambda name: len(set(levels[name])))
    first = attacks.first_rows(records)
    if len(first) < 4 * k:
        raise RefusedError("there are too few people for a small level")
    word = FEW
    while word in levels[column]:
        word += "-"
    places = []
    for size in (k, 2 * k - 1):
        rows = first[generator("attack", "level", size).permutation(len(first))[:size]]
        having = np.isin(records.persons, records.persons[rows]).tolist()
        words = [word if has else its for has, its in zip(having, levels[column], strict=True)]
        side = Side.of(records.table.numbers, {**levels, column: tuple(words)})
        rest, person = _split_off(attacks.Records(side, records.persons), int(rows[0]))
        places.append(_Place(f"of {size} persons", rest, person))
    return places


def _split_off(records: attacks.Records, row: int) -> tuple[attacks.Records, Side]:
    """Return the records of all but a person, and the row of that person."""
    rest = np.flatnonzero(records.persons != records.persons[row])
    return records.taken(rest), records.table.taken(np.array([row]))


def _add_person(rest: attacks.Records, person: Side) -> attacks.Records:
    """Return the records with those of one more person."""
    numbers = {
        name: np.append(values, person.numbers[name]) for name, values in rest.table.numbers.items()
    }
    levels = {name: (*words, *person.levels[name]) for name, words in rest.table.levels.items()}
    more = np.full(len(person), rest.persons.max() + 1)
    return attacks.Records(Side.of(numbers, levels), np.append(rest.persons, more))


def _move_person(person: Side, rest: Side, who: str) -> Side:
    """Return the person, far off in a column or along the direction of least variance."""
    if who == "typical":
        return person
    names = [
        name
        for name, values in rest.numbers.items()
        if len(np.unique(values[~np.isnan(values)])) > 1
    ]
    if len(names) < (1 if who == "marginal" else 2):
        raise RefusedError("there are too few columns of numbers for such a person")
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


# --- who left between several versions of a table, told from the copies of all of them ------------


NEAR_IN_VERSIONS = (3, 1, 30)
"""Of so many nearest rows the mean distance is looked at: of the first alone, too."""
SOFTER_IN_VERSIONS = (1.0, 2.0)
"""Rows count the more the nearer they are, in so many times the usual distance."""
WIDTHS = (0.1, 0.4)
"""In each column of numbers, rows count that are so near, in sds."""


def versions(
    records: attacks.Records,
    make: attacks.Make,
    *,
    copies: int = 4,
    leave: float = 0.05,
    repeats: int = 10,
    rows: int = ROWS,
) -> attacks.Attack:
    """See whether several versions of a table give away who left it between them.

    Of at most `rows` records a share `leave` of the people leaves between the first and the last of
    `copies` versions, as many each time; it is tried `repeats` times with others who leave. How
    that shows is learned from the other times; tried once, the nearest rows say it. The AUC is that
    of leavers beside stayers; its parts are the share of leavers among as many suspects as left,
    and the AUC of the nearest rows alone.
    """
    count = check_whole("copies", copies, least=2)
    share = check_ratio("leave", leave, zero=False)
    some = attacks.first_of(records, rows)
    first = attacks.first_rows(some)
    few = max(1, round(share * len(first)))
    if few >= len(first):
        raise RefusedError("more people would leave than there are; choose a smaller share")
    left, seen = [], []
    for turn in range(check_whole("repeats", repeats, least=1)):
        leavers = generator("attack", "leavers", turn).permutation(len(first))[:few]
        seen.append(_changes(some, make, first, some.persons[first[leavers]], count, turn))
        left.append(np.isin(np.arange(len(first)), leavers))
        advance("versions", turn + 1, repeats)
    near = [figures[:, 0] for figures in seen]
    scores = near if repeats == 1 else _suspicions(seen, left)
    folds = 0 if repeats == 1 else repeats
    groups, alone = _groups(scores, left), _groups(near, left)
    what = f"people who left distinguished from people who stayed, in {count} versions (AUC)"
    caught = sum(int(gone[np.argsort(-it, kind="stable")[:few]].sum())
                 for it, gone in zip(scores, left, strict=True))  # fmt: skip
    suspected = f"of the {few} people suspected most, those who left"
    return attacks.Attack(
        "versions",
        f"Who left between {count} versions",
        f"An attacker knows the records of all who were in the first of {count} versions, makes "
        "similar versions, and learns from them what the copies look like when somebody "
        "leaves: fewer rows near the person, in all columns and in each, from version to "
        "version.",
        (
            f"{100 * share:.0f} % leave between the first and the last version, equally many "
            "each time.",
            f"Tried {repeats} times with {len(first)} people.",
            "An attacker who knows when somebody may have left can do better.",
        ),
        attacks.bounded("versions", attacks.ranked(what, groups, folds=folds)),
        (
            attacks.counted_of(suspected, caught, few * repeats, few / len(first)),
            attacks.ranked("by the distance of the nearest rows alone (AUC)", alone),
        ),
        attacks.recognised(groups, folds=folds),
    )


Flags = NDArray[np.bool_]


def _groups(scores: list[Floats], left: list[Flags]) -> list[tuple[Floats, Floats]]:
    return [(it[gone], it[~gone]) for it, gone in zip(scores, left, strict=True)]


def _suspicions(seen: list[Floats], left: list[Flags]) -> list[Floats]:
    """Return how much each person is suspected: each time by what the other times taught."""
    out = []
    for turn, figures in enumerate(seen):
        others = [i for i in range(len(seen)) if i != turn]
        rows = np.vstack([seen[i] for i in others])
        kinds = 1.0 * np.concatenate([left[i] for i in others])
        of = standard(rows)
        weights = discriminant(of.of(rows), kinds)
        out.append(np.round(of.of(figures) @ weights, 9))
    return out


def _changes(
    records: attacks.Records,
    make: attacks.Make,
    first: Labels,
    leavers: Labels,
    count: int,
    turn: int,
) -> Floats:
    """Return for each person how figures of the copies change, from version to version.

    First how much farther off the nearest rows are.
    """
    seen: list[Floats] = []
    usual: float | None = None
    for version in range(count):
        so_far = leavers[: round(len(leavers) * version / (count - 1))]
        here = records.taken(np.flatnonzero(~np.isin(records.persons, so_far)))
        copy = make(here, attacks.attack_secret("version", turn, version)).table
        persons = attacks.told_as(records.table.taken(first), copy)
        space = attacks.space_of(persons, [copy])
        gaps, counts, usual = _nearness_of_rows(space.of(persons), space.of(copy), usual)
        seen.append(np.column_stack([gaps, counts, *_shares_by_column(persons, copy, space)]))
    table = np.stack(seen)
    weights = np.arange(count) - (count - 1) / 2
    change = np.tensordot(weights, table, axes=1)
    out: Floats = np.round(change / np.maximum(table.mean(axis=0), 1e-9), 9)
    return out


def _nearness_of_rows(
    at: Floats, rows: Floats, usual: float | None
) -> tuple[Floats, Floats, float]:
    """Return for each person how far off the nearest rows are, and how many are near, softly.

    `usual` is how far off they are as a rule, in the first version.
    """
    from scipy.spatial.distance import cdist

    squares = cdist(at, rows, "sqeuclidean")
    most = min(max(NEAR_IN_VERSIONS), len(rows))
    gaps = np.cumsum(np.sqrt(np.sort(squares, axis=1)[:, :most]), axis=1)
    few = np.minimum(NEAR_IN_VERSIONS, most)
    gaps = gaps[:, few - 1] / few
    usual = usual or float(np.median(gaps[:, 0])) or 1.0
    counts = [
        np.exp(-squares / (2 * (usual * softer) ** 2)).mean(axis=1) for softer in SOFTER_IN_VERSIONS
    ]
    return gaps, np.column_stack(counts), usual


def _shares_by_column(told: Side, copy: Side, space: attacks.Space) -> list[Floats]:
    """Return for each person the share of rows that are like it, column by column."""
    shares: list[Floats] = []
    for name, (_, sd) in space.centre.items():
        values = np.sort(copy.numbers[name][~np.isnan(copy.numbers[name])])
        own = told.numbers[name]
        for width in WIDTHS:
            away = width * (sd or 1.0)
            low = np.searchsorted(values, own - away, "left")
            high = np.searchsorted(values, own + away, "right")
            shares.append(np.where(np.isnan(own), len(copy) - len(values), high - low) / len(copy))
    for name, words in space.words.items():
        codes, mine = (space.codes(name, side.levels[name]) for side in (copy, told))
        shares.append((np.bincount(codes, minlength=len(words)) / len(copy))[mine])
    return shares


# --- what an attacker looks at in a copy who wants to see whether a person was in the table -------
# Everything about a copy that one person more could change: how near the nearest rows come, how
# many rows are like the person in each column, in two of them and in all, which weighs a row the
# more the nearer it is (soft counts), and how far the copy reaches where the person is off.


CORRELATED = 12
PAIRS = 80
"""So many pairs of columns are looked at, at most."""
NEAR, VERY_NEAR = 0.4, 0.05
"""Numbers so many sds apart are alike: they count as e^-1/2."""
LEAST = 1e-3
"""A column in which a row is nothing like the person counts as so little, and not as nothing."""
NEAREST = (1, 5, 10, 30, 100)
"""Of so many rows, those most like the person, the mean is looked at."""
SOFTER = (2.0, 5.0)
MISSED = (0, 1, 2)
"""Rows count that have the person's levels but in so many columns."""


@dataclass(frozen=True, eq=False)
class Look:
    """How copies are looked at for a person (one row): in one space for all, and along one way.

    `numbers` are the places of the columns of numbers in the space, `way` the direction in which
    the person is farthest off in these, `most` the columns whose correlations are looked at, and
    `pairs` the pairs of columns in which rows are compared with the person.
    """

    person: Side
    space: attacks.Space
    numbers: Labels
    way: Floats
    most: Labels
    pairs: tuple[Labels, Labels]


def look_of(table: Side, copy: Side, person: Side) -> Look:
    """Return how copies of a table are looked at for a person; `copy` is one of them."""
    space = attacks.space_of(table, [copy])
    at = np.array([space.spans[name].start for name in space.centre], dtype=np.intp)
    pairs = _pairs_of(len(space.spans))
    rows, row = space.of(table)[:, at], space.of(person)[0, at]
    if not len(at):
        return Look(person, space, at, np.zeros(0), at, pairs)
    spread = rows.T @ rows / len(rows) + 0.01 * np.eye(len(at))
    way = np.linalg.solve(spread, row)
    size = float(np.sqrt(way @ spread @ way)) or 1.0
    most = np.argsort(-np.abs(row), kind="stable")[:CORRELATED]
    return Look(person, space, at, way / size, most, pairs)


def _pairs_of(columns: int) -> tuple[Labels, Labels]:
    """Return pairs of columns: all, or some by chance where there are many."""
    every = np.array([*combinations(range(columns), 2)], dtype=np.intp).reshape(-1, 2)
    if len(every) > PAIRS:
        every = every[np.sort(generator("attack", "pairs").permutation(len(every))[:PAIRS])]
    return every[:, 0], every[:, 1]


def figures_of(look: Look, copy: Side) -> Floats:
    """Return all that is looked at in a copy: first the nearest distance, last how many rows."""
    rows = look.space.of(copy)
    person = attacks.told_as(look.person, copy)
    row = look.space.of(person)[0]
    near = _nearness(look, copy, rows, row)
    figures = [*_extent(look, rows, row), *_counts_by_column(look, copy, person, near)]
    figures += [(near.T @ near / len(near))[look.pairs], *_counts_over_columns(look, near)]
    figures.append(np.array([len(copy)]))
    return np.concatenate([np.asarray(part, dtype=np.float64).ravel() for part in figures])


def _extent(look: Look, rows: Floats, row: Floats) -> list[Floats]:
    """Return how near rows come, how far the copy reaches, its moments, and its levels."""
    gap = np.sort(np.sqrt(np.square(rows - row).sum(axis=1)))
    figures = [gap[:1], np.array([gap[:5].mean(), gap[min(10, len(gap) - 1)]])]
    if len(look.numbers):
        z = rows[:, look.numbers]
        along = np.sort(z @ look.way)
        figures += [z.mean(axis=0), z.std(axis=0), z.max(axis=0), z.min(axis=0)]
        figures += [np.abs(z - row[look.numbers]).min(axis=0)]
        ends = [along[-1], along[-5:].mean(), along[0], along.mean(), along.std()]
        some = z[:, look.most]
        some = (some - some.mean(axis=0)) / np.maximum(some.std(axis=0), 1e-12)
        together = some.T @ some / len(some)
        figures += [np.array(ends), together[np.triu_indices(some.shape[1], 1)]]
    return figures


def _gaps(copy: Side, name: str) -> Floats:
    values = copy.numbers.get(name)
    return np.ones(len(copy)) if values is None else 1.0 * np.isnan(values)


def _nearness(look: Look, copy: Side, rows: Floats, row: Floats) -> Floats:
    """Say of each row and column how much it is like the person: from 0 to 1."""
    columns = []
    for name, span in look.space.spans.items():
        if name not in look.space.centre:
            columns.append(1.0 * ((rows[:, span] > 0) @ (row[span] > 0) > 0))
            continue
        gaps = _gaps(copy, name)
        if np.isnan(look.person.numbers[name][0]):
            columns.append(gaps)
            continue
        away = rows[:, span.start] - row[span.start]
        columns.append((1 - gaps) * np.exp(-np.square(away / NEAR) / 2))
    return np.column_stack(columns)


def _counts_by_column(look: Look, copy: Side, told: Side, near: Floats) -> list[Floats]:
    """Return soft counts of each column by itself."""
    figures = [near.mean(axis=0)]
    for name, (_, sd) in look.space.centre.items():
        gaps, value = _gaps(copy, name), look.person.numbers[name][0]
        if np.isnan(value) or name not in copy.numbers:
            figures.append(np.array([gaps.mean(), 0.0, 0.0]))
            continue
        away = np.where(gaps > 0, -np.inf, copy.numbers[name] - value) / (sd or 1.0)
        very = np.exp(-np.square(away / VERY_NEAR) / 2)
        figures.append(np.array([gaps.mean(), very.mean(), (away > 0).mean()]))
    named = [told.levels.get(n) == look.person.levels[n] for n in look.space.words]
    return [*figures, np.array(named, dtype=np.float64)]


def _counts_over_columns(look: Look, near: Floats) -> list[Floats]:
    """Return soft counts over all columns, and over those of levels."""
    like = np.log(np.maximum(near, LEAST)).sum(axis=1)
    alike = near.sum(axis=1)
    figures = [_tops(like), _tops(alike), np.array([like.mean(), alike.var()])]
    figures.append(np.array([np.exp(like / softer).mean() for softer in SOFTER]))
    words = [j for j, name in enumerate(look.space.spans) if name in look.space.words]
    equal = near[:, words].sum(axis=1)
    figures.append(np.array([(equal >= len(words) - most - 0.5).mean() for most in MISSED]))
    return figures


def _tops(values: Floats) -> Floats:
    """Return the means of the largest values."""
    so_far = np.cumsum(np.sort(values)[::-1])
    few = np.minimum(NEAREST, len(values))
    return np.asarray(so_far[few - 1] / few)


# --- two kinds of rows told apart by many figures: several linear rules, which vote together ------
# There are often more figures than rows, so that each rule is shrunk: ridges, and a covariance that
# is drawn in. What they say together is more often right than what one of them says.


PENALTIES = (10.0, 100.0, 1000.0)
STEPS = 12
FARTHEST = 6.0
"""A figure counts as if it were at most so many standard deviations off."""
TINY = 1e-9


class Standard(NamedTuple):
    """How figures are compared: those that vary, in standard deviations of rows learned from."""

    kept: Labels
    mean: Floats
    sd: Floats

    def of(self, rows: Floats) -> Floats:
        """Return the figures that vary, in standard deviations."""
        z: Floats = (rows[:, self.kept] - self.mean) / self.sd
        return np.clip(z, -FARTHEST, FARTHEST)


def standard(rows: Floats) -> Standard:
    """Return how the figures of some rows, and of others beside them, are compared."""
    mean, sd = rows.mean(axis=0), rows.std(axis=0)
    kept = np.flatnonzero(sd > TINY * np.maximum(np.abs(mean), TINY))
    return Standard(kept, mean[kept], sd[kept])


class Rule(NamedTuple):
    """A linear rule: the higher the score, the more a row is of the second kind."""

    of: Standard
    weights: Floats
    offset: float

    def __call__(self, rows: Floats) -> Floats:
        """Return the score of each row."""
        scores: Floats = self.of.of(rows) @ self.weights - self.offset
        return scores


def learned(rows: Floats, kinds: Floats) -> Rule:
    """Learn to tell rows of kind 0 from as many of kind 1.

    The rule is the mean of logistic regressions with three ridges and of a discriminant with a
    shrunk covariance, each in standard deviations of its own scores.
    """
    of = standard(rows)
    z = of.of(rows)
    if not z.shape[1]:
        return Rule(of, np.zeros(0), 0.0)
    # All of these rules lie in the space that the rows span, which is the smaller one.
    _, sizes, axes = np.linalg.svd(z, full_matrices=False)
    axes = axes[sizes > TINY * sizes[0]]
    inner = z @ axes.T
    rules = [ridge_logistic(inner, kinds, penalty) for penalty in PENALTIES]
    rules.append(discriminant(inner, kinds, figures=z.shape[1]))
    together, offset = np.zeros(len(axes)), 0.0
    for weights in rules:
        scores = inner @ weights
        spread = float(scores.std()) or 1.0
        together += weights / spread / len(rules)
        offset += float(scores.mean()) / spread / len(rules)
    return Rule(of, together @ axes, offset)


def cross_validated(first: Floats, second: Floats, folds: int) -> tuple[Floats, Floats]:
    """Return scores of pairs of rows: each pair is scored by what was learned from other pairs."""
    out = np.zeros(len(first)), np.zeros(len(first))
    fold = np.arange(len(first)) % folds
    for turn in range(folds):
        use = fold != turn
        kinds = np.repeat([0.0, 1.0], int(use.sum()))
        rule = learned(np.vstack([first[use], second[use]]), kinds)
        for place, rows in enumerate((first, second)):
            out[place][~use] = rule(rows[~use])
    return out


def ridge_logistic(x: Floats, y: Floats, penalty: float) -> Floats:
    """Return the slopes of a logistic regression with a ridge, by Newton's method.

    `x` is centred, `y` 0 or 1, as many of each; half the `penalty` times the squared length of the
    slopes is added to the loss.
    """
    weights = np.zeros(x.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        slope = x.T @ (y - chance) - penalty * weights
        bend = (x * (chance * (1 - chance))[:, None]).T @ x + penalty * np.eye(len(weights))
        step = np.linalg.solve(bend, slope)
        weights = weights + step
        if np.abs(step).max(initial=0.0) < 1e-8:
            break
    return weights


def discriminant(x: Floats, y: Floats, figures: int | None = None) -> Floats:
    """Return the direction of Fisher's linear discriminant, with a covariance shrunk to a ball.

    How far it is shrunk is what Ledoit and Wolf (2004) estimate. `y` is 0 or 1, and `figures` how
    many columns there are where `x` holds rows in the space that they span.
    """
    p, n = figures or x.shape[1], len(x)
    means = [x[y == kind].mean(axis=0) for kind in (0, 1)]
    rows = np.where((y == 1)[:, None], x - means[1], x - means[0])
    spread = rows.T @ rows / n
    size = float(np.trace(spread)) / p
    if size <= 0:
        return np.asarray(means[1] - means[0])
    squared = float(np.square(spread).sum())
    lengths = np.square(rows).sum(axis=1)
    noise = (float(np.square(lengths).sum()) / n - squared) / n
    apart = squared - p * size**2
    shrunk = min(1.0, max(0.0, noise / apart)) if apart > 0 else 1.0
    ball = (shrunk * size + TINY * size) * np.eye(x.shape[1])
    return np.asarray(np.linalg.solve((1 - shrunk) * spread + ball, means[1] - means[0]))
