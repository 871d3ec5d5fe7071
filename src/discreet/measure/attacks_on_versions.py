"""Who left between several versions of a table, told from the copies of all of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels, check_ratio, check_whole
from discreet.errors import RefusedError
from discreet.measure.attacks import (
    Attack,
    Make,
    Records,
    Space,
    attack_secret,
    bounded,
    counted_of,
    first_of,
    first_rows,
    ranked_within,
    recognised,
    space_of,
    told_as,
)
from discreet.measure.attacks_by_copies import ROWS
from discreet.measure.ensemble import discriminant, standard
from discreet.measure.pairs import Side
from discreet.progress import advance
from discreet.secret import generator

NEAREST = (3, 1, 30)
"""Of so many nearest rows the mean distance is looked at: of the first alone, too."""
SOFTER = (1.0, 2.0)
"""Rows count the more the nearer they are, in so many times the usual distance."""
WIDTHS = (0.1, 0.4)
"""In each column of numbers, rows count that are so near, in sds."""
BLOCK = 1 << 22
"""So many distances are held at a time."""


def versions(
    records: Records,
    make: Make,
    *,
    copies: int = 4,
    leave: float = 0.05,
    repeats: int = 10,
    rows: int = ROWS,
) -> Attack:
    """See whether several versions of a table give away who left it between them.

    Of at most `rows` records a share `leave` of the persons leaves between the first and the last
    of `copies` versions (at least 2), as many each time; it is tried `repeats` times with others
    who leave. How that shows is learned from the other times, as somebody does who makes versions
    of their own; tried once, the nearest rows say it. The AUC is that of leavers beside stayers;
    its parts are the share of leavers among as many persons as left, those who are suspected most,
    and the AUC of the nearest rows alone.
    """
    count = check_whole("copies", copies, least=2)
    share = check_ratio("leave", leave, zero=False)
    some = first_of(records, rows)
    first = first_rows(some)
    few = max(1, round(share * len(first)))
    if few >= len(first):
        raise RefusedError("more persons would leave than there are; choose a smaller share")
    left, seen = [], []
    for turn in range(check_whole("repeats", repeats, least=1)):
        leavers = generator("attack", "leavers", turn).permutation(len(first))[:few]
        seen.append(_changes(some, make, first, some.persons[first[leavers]], count, turn))
        left.append(np.isin(np.arange(len(first)), leavers))
        advance("versions", turn + 1, repeats)
    near = [figures[:, 0] for figures in seen]
    scores = near if repeats == 1 else _learned(seen, left)
    folds = 0 if repeats == 1 else repeats
    groups, alone = _groups(scores, left), _groups(near, left)
    what = f"pairs of who left and who stayed told apart in {count} versions (AUC)"
    caught = sum(int(gone[np.argsort(-it, kind="stable")[:few]].sum())
                 for it, gone in zip(scores, left, strict=True))  # fmt: skip
    suspected = f"of the {few} persons suspected most, those who left"
    return Attack(
        "versions",
        f"Who left between {count} versions",
        f"Somebody knows the records of all who were in the first of {count} versions, makes"
        " versions of their own, and learns from them how it shows in the copies that somebody"
        " leaves: fewer rows near the person, in all columns and in each, from version to version.",
        (
            f"{100 * share:.0f} % leave between the first and the last version, as many each time.",
            f"Tried {repeats} times with {len(first)} persons.",
            "Who knows when somebody may have left knows more.",
        ),
        bounded("versions", ranked_within(what, groups, folds=folds)),
        (
            counted_of(suspected, caught, few * repeats, few / len(first)),
            ranked_within("told apart by the distance of the nearest rows alone (AUC)", alone),
        ),
        recognised(groups, folds=folds),
    )


Flags = NDArray[np.bool_]


def _groups(scores: list[Floats], left: list[Flags]) -> list[tuple[Floats, Floats]]:
    return [(it[gone], it[~gone]) for it, gone in zip(scores, left, strict=True)]


def _learned(seen: list[Floats], left: list[Flags]) -> list[Floats]:
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
    records: Records, make: Make, first: Labels, leavers: Labels, count: int, turn: int
) -> Floats:
    """Return for each person how figures of the copies change, from version to version.

    First how much farther off the nearest rows are.
    """
    seen: list[Floats] = []
    usual: float | None = None
    for version in range(count):
        so_far = leavers[: round(len(leavers) * version / (count - 1))]
        here = records.taken(np.flatnonzero(~np.isin(records.persons, so_far)))
        copy = make(here, attack_secret("version", turn, version)).table
        told = told_as(records.table.taken(first), copy)
        space = space_of(told, [copy])
        gaps, counts, usual = _in_all(space.of(told), space.of(copy), usual)
        seen.append(np.column_stack([gaps, counts, *_in_each(told, copy, space)]))
    table = np.stack(seen)
    weights = np.arange(count) - (count - 1) / 2
    change = np.tensordot(weights, table, axes=1)
    out: Floats = np.round(change / np.maximum(table.mean(axis=0), 1e-9), 9)
    return out


def _in_all(at: Floats, rows: Floats, usual: float | None) -> tuple[Floats, Floats, float]:
    """Return for each person how far off the nearest rows are, and how many are near, softly.

    `usual` is how far off they are as a rule, in the first version.
    """
    most = min(max(NEAREST), len(rows))
    step = max(1, BLOCK // len(rows))
    blocks = [_squares(at[i : i + step], rows) for i in range(0, len(at), step)]
    near = np.vstack([np.sort(np.partition(it, most - 1)[:, :most], axis=1) for it in blocks])
    gaps = np.cumsum(np.sqrt(near), axis=1)
    few = np.minimum(NEAREST, most)
    gaps = gaps[:, few - 1] / few
    usual = usual or float(np.median(gaps[:, 0])) or 1.0
    counts = [
        np.concatenate([np.exp(-it / (2 * (usual * softer) ** 2)).mean(axis=1) for it in blocks])
        for softer in SOFTER
    ]
    return gaps, np.column_stack(counts), usual


def _squares(at: Floats, rows: Floats) -> Floats:
    """Return squared distances; never below 0, as rounding could make them."""
    lengths = np.square(at).sum(axis=1)[:, None] + np.square(rows).sum(axis=1)
    return np.asarray(np.maximum(lengths - 2 * at @ rows.T, 0.0))


def _in_each(told: Side, copy: Side, space: Space) -> list[Floats]:
    """Return for each person the share of rows that are like it, column by column."""
    found: list[Floats] = []
    for name, (_, sd) in space.centre.items():
        values = np.sort(copy.numbers[name][~np.isnan(copy.numbers[name])])
        own = told.numbers[name]
        for width in WIDTHS:
            away = width * (sd or 1.0)
            low = np.searchsorted(values, own - away, "left")
            high = np.searchsorted(values, own + away, "right")
            found.append(np.where(np.isnan(own), len(copy) - len(values), high - low) / len(copy))
    for name, words in space.words.items():
        place = {word: j for j, word in enumerate(words)}
        codes, mine = (
            np.fromiter((place[it] for it in side.levels[name]), np.intp) for side in (copy, told)
        )
        found.append((np.bincount(codes, minlength=len(words)) / len(copy))[mine])
    return found
