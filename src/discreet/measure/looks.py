"""What an attacker looks at in a copy who wants to see whether a person was in the table.

Everything about a copy that one person more could change: how near the nearest rows come, how many
rows are like the person in each column, in two of them and in all, which weighs a row the more the
nearer it is (soft counts), and how far the copy reaches in the directions in which the person is
off.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from discreet.arguments import Floats, Labels
from discreet.measure.attacks import Space, space_of, told_as
from discreet.measure.pairs import Side
from discreet.secret import generator

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
    """How copies are looked at for a person: in one space for all, and along one way.

    Parameters
    ----------
    person : Side
        One row.
    space : Space
        Where the rows of copies lie.
    numbers : ndarray of int
        Where in it the columns of numbers lie.
    way : ndarray of float
        The direction in which the person is farthest off, of the numbers.
    most : ndarray of int
        The columns of numbers whose correlations are looked at.
    pairs : pair of ndarray of int
        The pairs of columns in which rows are compared with the person.
    """

    person: Side
    space: Space
    numbers: Labels
    way: Floats
    most: Labels
    pairs: tuple[Labels, Labels]


def look_of(table: Side, copy: Side, person: Side) -> Look:
    """Return how copies of a table are looked at for a person; `copy` is one of them."""
    space = space_of(table, [copy])
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
    told = told_as(look.person, copy)
    row = look.space.of(told)[0]
    near = _nearness(look, copy, rows, row)
    found = [*_extent(look, rows, row), *_of_columns(look, copy, told, near)]
    found += [(near.T @ near / len(near))[look.pairs], *_over_all(look, near)]
    found.append(np.array([len(copy)]))
    return np.concatenate([np.asarray(part, dtype=np.float64).ravel() for part in found])


def _extent(look: Look, rows: Floats, row: Floats) -> list[Floats]:
    """Return how near rows come, how far the copy reaches, its moments, and its levels."""
    gap = np.sort(np.sqrt(np.square(rows - row).sum(axis=1)))
    found = [gap[:1], np.array([gap[:5].mean(), gap[min(10, len(gap) - 1)]])]
    if len(look.numbers):
        z = rows[:, look.numbers]
        along = np.sort(z @ look.way)
        found += [z.mean(axis=0), z.std(axis=0), z.max(axis=0), z.min(axis=0)]
        found += [np.abs(z - row[look.numbers]).min(axis=0)]
        ends = [along[-1], along[-5:].mean(), along[0], along.mean(), along.std()]
        some = z[:, look.most]
        some = (some - some.mean(axis=0)) / np.maximum(some.std(axis=0), 1e-12)
        together = some.T @ some / len(some)
        found += [np.array(ends), together[np.triu_indices(some.shape[1], 1)]]
    return found


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


def _of_columns(look: Look, copy: Side, told: Side, near: Floats) -> list[Floats]:
    """Return soft counts of each column by itself."""
    found = [near.mean(axis=0)]
    for name, (_, sd) in look.space.centre.items():
        gaps, value = _gaps(copy, name), look.person.numbers[name][0]
        if np.isnan(value) or name not in copy.numbers:
            found.append(np.array([gaps.mean(), 0.0, 0.0]))
            continue
        away = np.where(gaps > 0, -np.inf, copy.numbers[name] - value) / (sd or 1.0)
        very = np.exp(-np.square(away / VERY_NEAR) / 2)
        found.append(np.array([gaps.mean(), very.mean(), (away > 0).mean()]))
    named = [told.levels.get(n) == look.person.levels[n] for n in look.space.words]
    return [*found, np.array(named, dtype=np.float64)]


def _over_all(look: Look, near: Floats) -> list[Floats]:
    """Return soft counts over all columns, and over those of levels."""
    like = np.log(np.maximum(near, LEAST)).sum(axis=1)
    alike = near.sum(axis=1)
    found = [_tops(like), _tops(alike), np.array([like.mean(), alike.var()])]
    found.append(np.array([np.exp(like / softer).mean() for softer in SOFTER]))
    words = [j for j, name in enumerate(look.space.spans) if name in look.space.words]
    equal = near[:, words].sum(axis=1)
    found.append(np.array([(equal >= len(words) - most - 0.5).mean() for most in MISSED]))
    return found


def _tops(values: Floats) -> Floats:
    """Return the means of the largest values."""
    so_far = np.cumsum(np.sort(values)[::-1])
    few = np.minimum(NEAREST, len(values))
    return np.asarray(so_far[few - 1] / few)
