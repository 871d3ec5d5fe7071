"""Models of the data: estimates with noise on the scale of one person's influence.

A model is answered by one step from the copy's estimates (`steps`): nothing is fitted to the data.
How far a person moves the step hangs on that person's rows and the copy alone, and is bounded. The
noise has the covariance of such steps in the copy, times the square of the policy's number of
people, so it hides a person as a count's noise does. Numbers beyond the least and the largest of
the copy count as these. All else is the copy's: standard errors, the fit, and what is refused.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.answers.counting import Counted, Counter
from discreet.answers.noise import in_steps
from discreet.answers.records import places_within
from discreet.answers.steps import by_person, design_in, scores_of, slope
from discreet.arguments import Floats, Labels
from discreet.errors import DiscreetError, RefusedError
from discreet.explore.conditions import Asked, Condition, Factor, Grid
from discreet.explore.from_copy import WholeTable
from discreet.explore.model import POISSON, ModelRows, fit_rows, rows_of_model
from discreet.explore.questions import Part
from discreet.expressions.tree import Applied, Column, Node
from discreet.provenance import checksum_of
from discreet.regression import Asked as Model
from discreet.regression import Estimates

MOST_INFLUENCE, MORE_A_TERM = 12.0, 3.0
"""Nobody's squared influence is more than the first, and the second for each term; on average it is
as many as there are terms."""
PEOPLE_A_TERM = 10
BESIDE_ESTIMATES = 2.0
"""How many numbers about a person the numbers of people and of events are."""
NEARLY_ALL = 0.96
"""The noise of a model hides such a share of the people of the copy as they are; of others what is
beyond is taken off."""
WIDEST = 4.0
"""The noise of an estimate is at most so many times that of one in which nobody stands out."""
ENDS_LOST = 2.0
"""Copies of the copy, whose ends are cut already, show about half of how far cutting the data moves
estimates (`benchmarks/answered_models.py`)."""
FEW_DECIDE = (
    "this model is not answered: by the copy a few people decide about it; take the logarithm of a "
    "column, join levels, or leave a term out"
)
LEVEL_PER_K, MOST_LEVERAGE = 8, 0.1
"""A level of a model, and each cell of an interaction, has so many times k people in the copy, and
nobody there has more leverage."""
TOO_FEW = (
    "this model is not answered: by the copy it has fewer than ten people, or events, for each"
    " term, or too few people on one side of a level; leave terms out, join levels, or ask for a"
    " larger part"
)
NOT_ANSWERED = (
    "this model is not answered, and its numbers are spent: in the data it has too few people; ask"
    " for a larger part"
)


@dataclass(frozen=True, eq=False)
class Modelled:
    """Estimates with noise, how far it and the cut of numbers may move them, and who entered.

    `of_counts` is that of numbers of people and of events.
    """

    estimates: Estimates
    noise: Floats
    counted: Counted
    of_counts: float


def condition_of(asked: Asked, where: Condition, names: Sequence[str]) -> Condition:
    """Return the condition of all people who have each column of a model."""
    known = []
    for name in names:
        if name in asked.whole.copy.columns:
            known.append(asked.grid(name).has_value())
        else:
            _, columns, table = asked.levels(name)
            known.append(Factor(columns, table >= 0))
    return where.both(known)


@dataclass(frozen=True, eq=False)
class ToFit:
    """A model to be answered, with what the copy says of it (`checked`).

    `rows` are all raw rows, with its columns of levels as the copy has them; by all of `named` its
    noise is drawn, and `moved` says how far its numbers move, all together, where a person has
    another level of a column.
    """

    model: Model
    events: Sequence[str]
    where: Condition
    rows: WholeTable
    named: str
    checked: Checked
    moved: Mapping[str, float]
    weights: str | None = None
    by_persons: bool = False

    @property
    def digest(self) -> str:
        """Which numbers it is answered by: the same for the same model of the same condition."""
        return checksum_of([self.named, self.where.digest])


def check_formula(model: Model, grids: Mapping[str, Grid]) -> None:
    """Refuse a formula that could be made to single a person out, or has no value at some place.

    Of numbers it may have columns as they are, their logarithms, square roots and squares, and
    interactions of one with levels. A product of two is large for the few who are far out in both,
    and so is everything without a constant.
    """
    parsed = model.parsed
    for term in parsed.terms:
        if sum(not it.categorical for it in term) > 1:
            raise RefusedError(
                "the data are not asked for products of numbers, which the few decide who are far"
                f" out in both: {':'.join(it.text for it in term)}; leave it out, or make levels of"
                " one by cut(...)",
                rule="formula",
            )
    if not parsed.intercept:
        raise RefusedError(
            "the data are not asked for models without a constant; leave '0 +' or '- 1' out",
            rule="formula",
        )
    for factor in {parsed.outcome, *(it for term in parsed.terms for it in term)}:
        if factor.categorical:
            continue
        name = _plain(factor.tree)
        if name is None:
            raise RefusedError(
                f"the data are not asked for {factor.text}: a model of them has columns as they"
                " are, log(x), sqrt(x), x**2 and interactions with levels; leave it out",
                rule="formula",
            )
        grid = grids.get(name)
        if not factor.plain and grid is not None and grid.ends[0] <= 0:
            raise RefusedError(
                f"{factor.text} needs a column above 0, and {name!r} has others in the copy; take"
                " the column as it is",
                rule="formula",
            )


def _plain(tree: Node) -> str | None:
    """Return the column of a tree that is one, or a power or logarithm of one; else None."""
    if isinstance(tree, Column):
        return tree.name
    if not isinstance(tree, Applied):
        return None
    first, *others = tree.arguments
    if tree.name == "I":
        return _plain(first)
    if tree.name == "power" and [getattr(it, "value", None) for it in others] == [2.0]:
        return first.name if isinstance(first, Column) else None
    if tree.name in ("log", "log2", "log10", "sqrt") and not others:
        return first.name if isinstance(first, Column) else None
    return None


Ends = Mapping[str, tuple[float, float]]
"""The least and the largest number of columns."""


@dataclass(frozen=True, eq=False)
class Checked:
    """What the copy says of a model: the estimates of its rows, and what noise they need.

    `turned` turns scores into how far a row moves the estimates, and `back` a sum of bounded moves
    into a step of them; `covariance` is by how far people move them, and `root` that of the
    covariance of the noise for one person, of which the model has `width` times as much. `own` is
    the sum of the copy's bounded moves, and `around` how far what is beyond the bound moves
    estimates by chance. As `ends` cut the copy, they cut the data: ends of columns in copies of the
    copy.
    """

    model: Model
    rows: ModelRows
    weights: str | None
    estimates: Estimates
    people: int
    turned: Floats
    covariance: Floats
    root: Floats
    back: Floats
    width: float
    own: Floats
    around: Floats
    ends: Sequence[Ends]

    @property
    def terms(self) -> tuple[str, ...]:
        """The terms of the model."""
        return self.estimates.terms

    @property
    def most(self) -> float:
        """How many numbers about a person the model is worth for who moves it most."""
        return _most(len(self.terms)) + BESIDE_ESTIMATES

    @cached_property
    def cut(self) -> Floats:
        """How far estimates may be off because numbers are cut, and influence is bounded."""
        moved = []
        for of in self.ends:
            numbers = {name: np.clip(it, *of[name]) for name, it in self.rows.numbers.items()}
            found = self._again(dataclasses.replace(self.rows, numbers=numbers))
            if found is not None and found.terms == self.terms:
                moved.append(found.values - self.estimates.values)
        squares = np.mean(np.square(moved), axis=0) if moved else np.zeros(len(self.terms))
        found_all: Floats = np.sqrt(ENDS_LOST**2 * squares + self.around**2)
        return found_all

    def _again(self, rows: ModelRows) -> Estimates | None:
        try:
            return fit_rows(self.model, rows, self.weights)
        except DiscreetError:
            return None


def check_in_copy(
    model: Model,
    rows: ModelRows,
    k: int,
    weights: str | None = None,
    persons: Labels | None = None,
    ends: Sequence[Ends] = (),
) -> Checked:
    """Decide by a model's rows in the copy whether it is answered, so that no data decide.

    Raises
    ------
    RefusedError
        If the copy has too few people for each term, or on one side of a level or of an
        interaction; or if few people move the estimates more than noise can hide.
    """
    estimates = fit_rows(model, rows, weights, persons)
    whose = np.arange(len(rows.at)) if persons is None else persons
    people, terms = len(np.unique(whose)), len(estimates.terms)
    fewest = people
    if rows.happened is not None:
        fewest = min(int(rows.happened.sum()), int((~rows.happened).sum()))
    elif model.family == POISSON:
        fewest = int((rows.numbers[model.numbers[0]] > 0).sum())
    if fewest < PEOPLE_A_TERM * terms or not _all_large(model, rows, LEVEL_PER_K * k, weights):
        raise RefusedError(TOO_FEW, rule="model")
    at, sizes = estimates.values, np.sqrt(estimates.variances)
    scores = scores_of(model, rows, _relative(rows, rows, weights), rows, at)
    turned = _inverse(slope(lambda it: scores(it).sum(axis=0), at, sizes))
    moves = by_person(scores(at), whose) @ turned.T
    covariance = moves.T @ moves
    influence = _influence(moves, covariance, people)
    width = max(1.0, math.sqrt(float(np.quantile(influence, NEARLY_ALL)) / _most(terms)))

    def bounded(values: Floats) -> Floats:
        of = by_person(scores(values), whose) @ turned.T
        return of * _kept(_influence(of, covariance, people), width, terms)[:, None]

    back = _inverse(slope(lambda it: bounded(it).sum(axis=0), at, sizes))
    root: Floats = width * back @ np.asarray(np.linalg.cholesky(covariance))
    wider = np.sqrt(np.diag(root @ root.T) / np.diag(covariance))
    if not (np.isfinite(wider).all() and wider.max() <= WIDEST):
        raise RefusedError(FEW_DECIDE, rule="influence")
    kept = bounded(at)
    around = np.sqrt((((moves - kept) @ back.T) ** 2).sum(axis=0))
    return Checked(
        model, rows, weights, estimates, people, turned, covariance, root, back, width,
        kept.sum(axis=0), around, ends,
    )  # fmt: skip


def _inverse(matrix: Floats) -> Floats:
    try:
        found: Floats = np.asarray(np.linalg.inv(matrix))
    except np.linalg.LinAlgError:
        raise RefusedError(FEW_DECIDE, rule="influence") from None
    return found


def _relative(rows: ModelRows, copy: ModelRows, weights: str | None) -> Floats:
    """Return the weight of each row, on average 1 in the copy."""
    if weights is None:
        return np.ones(len(rows.at))
    found: Floats = rows.numbers[weights] / copy.numbers[weights].mean()
    return found


def _all_large(model: Model, rows: ModelRows, least: int, weights: str | None) -> bool:
    """Tell whether many people stand on each side of each level, and nobody has much leverage."""
    matrix = design_in(model, rows).matrix
    there = (matrix != 0).sum(axis=0)
    is_level = np.isin(matrix, (0.0, 1.0)).all(axis=0)
    absent = len(matrix) - there
    sides = (there >= least) & (~is_level | (absent >= least) | (absent == 0))
    if weights is not None:
        matrix = matrix * np.sqrt(rows.numbers[weights])[:, None]
    leverage = np.einsum("ij,ji->i", matrix, np.linalg.pinv(matrix))
    return bool(sides.all()) and float(leverage.max()) <= MOST_LEVERAGE


def model_of(counter: Counter, asked: Asked, it: ToFit) -> Modelled:
    """Answer a model by one step of the raw rows from the copy's estimates, with noise.

    Raises
    ------
    RefusedError
        One sentence, whatever the reason in the data is. The numbers of the version that it would
        have cost are spent then.
    """
    model, records = it.model, counter.records
    names = [*model.numbers, *model.levels, *([model.event] if model.event else [])]
    names += [] if it.weights is None else [it.weights]
    part = Part(condition_of(asked, it.where, names))
    counted = counter.count(part, asked)
    refused = RefusedError(NOT_ANSWERED, rule="model")
    if not counted.given[0]:
        raise refused
    atoms = records.atoms({name: asked.grid(name) for name in part.columns})
    inside = np.flatnonzero(part.cells(atoms, len(records.persons)) == 0)
    try:
        rows = rows_of_model(it.rows.rows(inside), model, it.events, it.weights)
        persons = records.persons[inside][rows.at]
        copy, at = it.checked, it.checked.estimates.values
        by = _relative(rows, copy.rows, it.weights)
        each = scores_of(model, rows, by, copy.rows, at)(at)
        first = places_within(np.unique(persons, return_inverse=True)[1]) < counter.most_cells
        moves = by_person(each[first], persons[first]) @ copy.turned.T
        return _with_noise(counter, it, rows, moves, counted)
    except DiscreetError:
        raise refused from None


def _most(terms: int) -> float:
    return MOST_INFLUENCE + MORE_A_TERM * terms


def _influence(moves: Floats, covariance: Floats, people: int) -> Floats:
    """Return each person's squared influence: on average as many as there are terms."""
    root = np.linalg.cholesky(covariance)
    found: Floats = people * (np.linalg.solve(root, moves.T) ** 2).sum(axis=0)
    return found


def _kept(influence: Floats, width: float, terms: int) -> Floats:
    """Return the share of what each person moves that an answer keeps."""
    most = width**2 * _most(terms)
    found: Floats = np.sqrt(np.minimum(1.0, most / np.maximum(influence, 1e-300)))
    return found


def _with_noise(
    counter: Counter, it: ToFit, rows: ModelRows, moves: Floats, counted: Counted
) -> Modelled:
    """Return a step from the copy's estimates, with noise; all else is the copy's."""
    copy, terms = it.checked, moves.shape[1]
    sd, shown = counter.noise.sd, int(counted.shown[0])
    draws = counter.records.noise.normals(it.named, counted.sums, terms + 1)[0]
    kept = _kept(_influence(moves, copy.covariance, copy.people), copy.width, terms)
    total = (kept[:, None] * moves).sum(axis=0)
    fewer = copy.people / shown
    step = copy.back @ (total * fewer - copy.own)
    root = copy.root * sd / math.sqrt(shown) * math.sqrt(fewer)
    events = None
    if rows.happened is not None and not it.by_persons:  # of who has several rows they are many
        events = max(0, round(int(rows.happened.sum()) + sd * draws[-1]))
    reach = np.sqrt((root**2).sum(axis=1))
    made = dataclasses.replace(
        copy.estimates,
        values=in_steps(copy.estimates.values + step + root @ draws[:terms], reach),
        variances=copy.estimates.variances * fewer,
        rows=shown,
        events=events,
        persons=None,
        moves=None,
    )
    noise = np.hypot(reach, copy.cut)
    return Modelled(made, noise, counted, sd)


def as_in_copy(
    rows: WholeTable, numbers: Mapping[str, Grid], levels: Mapping[str, Sequence[str]]
) -> WholeTable:
    """Return rows with a model's columns: numbers within the copy's ends, and levels as given.

    Nothing else of the rows is read, so that no expression is computed of them.
    """
    columns = {}
    for name, grid in numbers.items():
        values = np.clip(rows.copy.columns[name], grid.ends[0], grid.ends[-1])
        # Of few people: see Grid.
        middle = np.nan if grid.gaps else (grid.edges[0] + grid.edges[-1]) / 2
        columns[name] = np.where(np.isnan(values), middle, values)
    return rows.holding(columns, {name: tuple(words) for name, words in levels.items()})
