"""One step from the copy's estimates to the data's: a person's part hangs on own rows alone.

Where a model is at the copy's estimates, each row of the data says where it would rather be: its
score. A score is a function of that row and of the copy. So what a person adds can be bounded by
itself, and nothing is fitted to the data that could turn on one person.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from discreet.arguments import Floats, Labels
from discreet.explore.model import COX, POISSON, ModelRows
from discreet.regression import Asked as Model
from discreet.regression.formula import Design, design_of

STEP = 1e-3
"""Of a standard error: how far estimates are moved to find a slope."""
Scores = Callable[[Floats], Floats]
"""Return the score of each row at some estimates."""


def design_in(model: Model, rows: ModelRows, copy: ModelRows | None = None) -> Design:
    """Return the design of rows, with the levels that the copy has, whichever the rows have."""
    numbers, words = _columns(model, rows), rows.words
    if copy is None:
        return design_of(model.parsed, numbers, words, model.orders)
    before = _columns(model, copy)
    numbers = {name: np.append(before[name], it) for name, it in numbers.items()}
    words = {name: [*copy.words[name], *it] for name, it in words.items()}
    both, first = design_of(model.parsed, numbers, words, model.orders), len(copy.at)
    return replace(both, outcome=both.outcome[first:], matrix=both.matrix[first:])


def _columns(model: Model, rows: ModelRows) -> dict[str, Floats]:
    """Return the columns of numbers, with the outcome of a logistic model as 0 and 1."""
    numbers = dict(rows.numbers)
    if rows.happened is not None and model.event in model.parsed.outcome.columns:
        numbers[model.event] = rows.happened.astype(np.float64)
    return numbers


@dataclass(frozen=True, eq=False)
class Hazard:
    """The hazard of the copy, and the mean of the columns among who is at risk there.

    At each of its times, in order: the hazard until then, from 0 (`cumulated`), and that times the
    mean (`weighted`); the relative hazards of all at risk (`risk`), and these times their columns
    (`sums`).
    """

    times: Floats
    cumulated: Floats
    weighted: Floats
    risk: Floats
    sums: Floats

    @classmethod
    def of(cls, times: Floats, happened: Floats, matrix: Floats, at: Floats) -> Hazard:
        """Return that of the rows of a copy at some estimates (Breslow)."""
        order = np.argsort(times, kind="stable")
        times, happened, matrix = times[order], happened[order], matrix[order]
        risk = np.exp(np.clip(matrix @ at, -50, 50))
        all_risk = np.cumsum(risk[::-1])[::-1]
        sums = np.cumsum((risk[:, None] * matrix)[::-1], axis=0)[::-1]
        first = np.searchsorted(times, times, side="left")
        step = happened / all_risk[first]
        means = sums[first] / all_risk[first][:, None]
        return cls(
            times,
            np.append(0.0, np.cumsum(step)),
            np.vstack([np.zeros(matrix.shape[1]), np.cumsum(step[:, None] * means, axis=0)]),
            all_risk,
            sums,
        )

    def scores(self, times: Floats, happened: Floats, matrix: Floats, at: Floats) -> Floats:
        """Return the score of each row: what it adds where it is beside the copy's rows."""
        until = np.searchsorted(self.times, times, side="right")
        at_risk = np.minimum(np.searchsorted(self.times, times, side="left"), len(self.times) - 1)
        means = self.sums[at_risk] / self.risk[at_risk][:, None]
        hazard = np.exp(np.clip(matrix @ at, -50, 50))[:, None]
        expected = hazard * (matrix * self.cumulated[until][:, None] - self.weighted[until])
        found: Floats = happened[:, None] * (matrix - means) - expected
        return found


def scores_of(
    model: Model, rows: ModelRows, weights: Floats, copy: ModelRows, at: Floats
) -> Scores:
    """Return the scores of rows; `at` are the copy's estimates, and `copy` its rows."""
    design = design_in(model, rows, None if rows is copy else copy)
    if model.family == COX:
        own = design_in(model, copy)
        slopes = ~own.ones
        if rows.happened is None or copy.happened is None:
            raise ValueError("a Cox model has an event")
        hazard = Hazard.of(own.outcome, copy.happened.astype(np.float64), own.matrix[:, slopes], at)
        matrix, happened = design.matrix[:, slopes], rows.happened.astype(np.float64)
        return lambda values: hazard.scores(design.outcome, happened, matrix, values)
    matrix, outcome = design.matrix, design.outcome

    def scores(values: Floats) -> Floats:
        expected = matrix @ values
        if model.family == POISSON:
            expected = np.exp(np.clip(expected, -50, 50))
        elif rows.happened is not None:
            expected = 1 / (1 + np.exp(-np.clip(expected, -50, 50)))
        found: Floats = (weights * (outcome - expected))[:, None] * matrix
        return found

    return scores


def slope(function: Callable[[Floats], Floats], at: Floats, sizes: Floats) -> Floats:
    """Return by how much a function of estimates falls with each of them."""
    columns = []
    for place, size in enumerate(sizes.tolist()):
        step = np.zeros(len(at))
        step[place] = STEP * size
        columns.append((function(at - step) - function(at + step)) / (2 * STEP * size))
    return np.column_stack(columns)


def by_person(each: Floats, whose: Labels) -> Floats:
    """Return what the rows of each person add up to."""
    people, place = np.unique(whose, return_inverse=True)
    out = np.zeros((len(people), each.shape[1]))
    np.add.at(out, place, each)
    return out
