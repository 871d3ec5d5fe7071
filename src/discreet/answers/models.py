"""Models of the data: estimates with noise on the scale of one person's influence.

The noise has the covariance that the estimates of the copy have: that of one person's influence,
times the square of the policy's number of people. So it hides a person as a count's noise does, and
its share of a standard error is that number over the square root of the number of people. Numbers
beyond the least and the largest of the copy count as these, who lies farther out than anybody of
the copy is pulled in, and what somebody would move estimates by beyond a bound is taken off. All
else that is said is the copy's: standard errors, the size of the noise, and what is refused.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from types import MappingProxyType

import numpy as np

from discreet.answers.counting import Counted, Counter
from discreet.arguments import Floats, Labels
from discreet.errors import BrokenPromiseError, DiscreetError, RefusedError
from discreet.explore.conditions import Asked, Condition, Factor, Grid
from discreet.explore.from_copy import WholeTable
from discreet.explore.model import COX, POISSON, ModelRows, fit_rows, rows_of_model
from discreet.explore.questions import Part
from discreet.expressions.tree import Applied, Column, Node
from discreet.regression import Asked as Model
from discreet.regression import Estimates
from discreet.regression.formula import Design, design_of

MOST_INFLUENCE, MORE_A_TERM = 7.5, 3.0
"""Nobody's squared influence is more than the first, and the second for each term; on average it is
as many as there are terms."""
TIMES = MappingProxyType({"linear": 2.0, "logistic": 2.0, POISSON: 2.5, COX: 4.0})
WITH_WEIGHTS = 1.75
"""Where somebody is missing, others are taken off by other amounts: what one person moves is up to
so many times as much, measured as a squared distance on people who were planted far out; and with
weights up to so many times that."""
PEOPLE_A_TERM = 10
FIT_BY = 6.0
"""By how many people's average influence the fit is changed at least, for each of which the noise
has."""
TRIED = 2
"""So many people of each kind are left out of the copy to see how far one moves the fit."""
BESIDE_ESTIMATES = 1.5
"""How many numbers about a person events and the fit are worth together."""
NEARLY_ALL = 0.96
"""The noise of a model hides such a share of the people of the copy as they are; of others what is
beyond is taken off."""
WIDEST = 3.0
"""The noise of a model is at most so many times that of one in which nobody stands out."""
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
    "this model is not answered, and its numbers are spent: in the data it has too few people, or"
    " terms separate the outcome; leave terms out, or ask for a larger part"
)


@dataclass(frozen=True, eq=False)
class Modelled:
    """Estimates with noise, how far it and the cut of numbers may move them, and who entered.

    `of_counts` is that of numbers of people and of events, `of_fit` that of the fit.
    """

    estimates: Estimates
    noise: Floats
    counted: Counted
    of_counts: float
    of_fit: float


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
    """A model to be answered.

    Parameters
    ----------
    model : Model
    events : sequence of str
        The levels that are its event.
    where : Condition
        Whose model it is.
    rows : WholeTable
        All raw rows, with the model's columns of levels as the copy has them.
    named : str
        All that says which model it is, by which its noise is drawn.
    checked : Checked
        What the copy says of it.
    weights : str, optional
        The column of weights.
    by_persons : bool
        Whether people have several rows, as the copy says.
    """

    model: Model
    events: Sequence[str]
    where: Condition
    rows: WholeTable
    named: str
    checked: Checked
    weights: str | None = None
    by_persons: bool = False


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


@dataclass(frozen=True, eq=False)
class Leverage:
    """How far out people lie among those of the copy, by the information of a model's rows.

    Parameters
    ----------
    centre : ndarray
        Of the columns of the design; of a model without a constant 0.
    inverse : ndarray
        Of the sum of squares and products of the columns, with the rows' information.
    slopes : ndarray, optional
        The copy's estimates, where a row's information hangs on what the model expects of it.
    most : float
        The largest leverage that somebody of the copy has.
    """

    centre: Floats
    inverse: Floats
    slopes: Floats | None
    most: float = math.inf

    @classmethod
    def of(
        cls, model: Model, design: Design, estimates: Estimates, weights: Floats, whose: Labels
    ) -> Leverage:
        """Return how far out people lie among those of a design of the copy."""
        matrix = design.matrix
        centred = bool(design.ones.any()) and model.parsed.intercept
        slopes = estimates.values if model.family == POISSON else None
        centre = (
            np.average(matrix, axis=0, weights=weights) if centred else np.zeros(matrix.shape[1])
        )
        bare = cls(centre, np.eye(matrix.shape[1]), slopes)
        information = bare.information(matrix) * weights
        inverse: Floats = np.asarray(np.linalg.pinv(matrix.T @ (information[:, None] * matrix)))
        bare = dataclasses.replace(bare, inverse=inverse)
        return dataclasses.replace(bare, most=float(bare.by_person(matrix, weights, whose).max()))

    def information(self, matrix: Floats) -> Floats:
        """Return what a row tells of the estimates, at most between here and the centre."""
        if self.slopes is None:
            return np.ones(len(matrix))
        found: Floats = np.exp(np.clip(matrix @ self.slopes, self.centre @ self.slopes, 50.0))
        return found

    def by_person(self, matrix: Floats, weights: Floats, whose: Labels) -> Floats:
        """Return the leverage of each person, for each row."""
        each = np.einsum("ij,jk,ik->i", matrix, self.inverse, matrix)
        each *= self.information(matrix) * weights
        people, place = np.unique(whose, return_inverse=True)
        found = np.zeros(len(people))
        np.add.at(found, place, each)
        return found[place]

    def bounded(self, design: Design, weights: Floats, whose: Labels) -> Design:
        """Pull in who lies farther out than anybody of the copy."""
        leverage = self.by_person(design.matrix, weights, whose)
        share = np.sqrt(np.minimum(1.0, self.most / np.maximum(leverage, 1e-300)))
        matrix = self.centre + share[:, None] * (design.matrix - self.centre)
        return dataclasses.replace(design, matrix=matrix)


Ends = Mapping[str, tuple[float, float]]
"""The least and the largest number of columns."""


@dataclass(frozen=True, eq=False)
class Checked:
    """What the copy says of a model.

    Parameters
    ----------
    model : Model
    rows : ModelRows
        Those of the copy.
    weights : str or None
    whose : ndarray of int
        Whose each of the rows is.
    estimates : Estimates
        Of these rows.
    people : int
        How many people they are of.
    covariance : ndarray
        Of the estimates, by how far people move them.
    leverage : Leverage
        How far out rows lie, and where they are pulled in.
    width : float
        By how much more noise the model has.
    taken_off : ndarray
        How far what people would move estimates by beyond a bound moves them together.
    around : ndarray
        How far that varies by chance.
    ends : sequence of mapping
        The ends of columns in copies of the copy: as these cut the copy, it cuts the data.
    """

    model: Model
    rows: ModelRows
    weights: str | None
    whose: Labels
    estimates: Estimates
    people: int
    covariance: Floats
    leverage: Leverage
    width: float
    taken_off: Floats
    around: Floats
    ends: Sequence[Ends]

    @property
    def terms(self) -> tuple[str, ...]:
        """The terms of the model."""
        return self.estimates.terms

    @property
    def most(self) -> float:
        """How many numbers about a person the model is worth for who moves it most."""
        times = TIMES[self.model.family] * (1.0 if self.weights is None else WITH_WEIGHTS)
        return times * _most(len(self.terms)) + BESIDE_ESTIMATES

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
        found_all: Floats = np.sqrt(squares + self.around**2 + (self.taken_off / 2) ** 2)
        return found_all

    @cached_property
    def fit_by(self) -> float:
        """How far a person moves the fit, times the number of people.

        By those of the copy who may move it most: who have the largest influence on estimates, the
        farthest outcomes or the largest weights. Of a Cox model a person is in so many pairs.
        """
        if self.model.family == COX:
            return max(FIT_BY, self.people / max(1, self.estimates.events or 0))
        moves = np.asarray(None if self.estimates.moves is None else self.estimates.moves())
        far = [(moves**2 / np.maximum((moves**2).sum(axis=0), 1e-300)).sum(axis=1)]
        far += [self.rows.numbers[self.weights]] if self.weights is not None else []
        if self.rows.happened is None:
            outcome = self.rows.numbers[self.model.numbers[0]]
            far.append(np.abs(outcome - outcome.mean()))
        moved, whole = [FIT_BY], self.estimates.quality[1]
        for person in np.unique([self.whose[np.argsort(it)[-TRIED:]] for it in far]).tolist():
            less = self._again(self.rows.rows(np.flatnonzero(self.whose != person)))
            if less is not None:
                moved.append(self.people * abs(less.quality[1] - whole))
        return max(moved)

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
    if estimates.moves is None:
        raise BrokenPromiseError("estimates came without what people move them by")
    whose = np.arange(len(rows.at)) if persons is None else persons
    _, moves = by_person(estimates.moves(), whose)
    people, terms = moves.shape
    fewest = people
    if rows.happened is not None:
        fewest = min(int(rows.happened.sum()), int((~rows.happened).sum()))
    elif model.family == POISSON:
        fewest = int((rows.numbers[model.numbers[0]] > 0).sum())
    if fewest < PEOPLE_A_TERM * terms or not _all_large(model, rows, LEVEL_PER_K * k, weights):
        raise RefusedError(TOO_FEW, rule="model")
    covariance = moves.T @ moves
    influence = _influence(moves, covariance, people)
    width = max(1.0, math.sqrt(float(np.quantile(influence, NEARLY_ALL)) / _most(terms)))
    if not width <= WIDEST:
        raise RefusedError(FEW_DECIDE, rule="influence")
    beyond = 1 - _kept(influence, width, terms)
    taken = beyond[:, None] * moves
    taken_off, around = taken.sum(axis=0), np.sqrt((taken**2).sum(axis=0))
    by = weights_of(rows, weights)
    leverage = Leverage.of(model, _design(model, rows), estimates, by, whose)
    of = (estimates, people, covariance, leverage, width, taken_off, around)
    return Checked(model, rows, weights, whose, *of, ends)


def weights_of(rows: ModelRows, weights: str | None) -> Floats:
    """Return the weight of each row, on average 1."""
    if weights is None:
        return np.ones(len(rows.at))
    found: Floats = rows.numbers[weights] / rows.numbers[weights].mean()
    return found


def _design(model: Model, rows: ModelRows) -> Design:
    numbers = dict(rows.numbers)
    if rows.happened is not None and model.event in model.parsed.outcome.columns:
        numbers[model.parsed.outcome.columns[0]] = rows.happened.astype(np.float64)
    return design_of(model.parsed, numbers, rows.words, model.orders)


def _all_large(model: Model, rows: ModelRows, least: int, weights: str | None) -> bool:
    """Tell whether many people stand on each side of each level, and nobody has much leverage."""
    matrix = _design(model, rows).matrix
    there = (matrix != 0).sum(axis=0)
    is_level = np.isin(matrix, (0.0, 1.0)).all(axis=0)
    absent = len(matrix) - there
    sides = (there >= least) & (~is_level | (absent >= least) | (absent == 0))
    if weights is not None:
        matrix = matrix * np.sqrt(rows.numbers[weights])[:, None]
    leverage = np.einsum("ij,ji->i", matrix, np.linalg.pinv(matrix))
    return bool(sides.all()) and float(leverage.max()) <= MOST_LEVERAGE


def model_of(counter: Counter, asked: Asked, it: ToFit) -> Modelled:
    """Estimate a model from raw rows, and change it by noise.

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
        weights = weights_of(rows, it.weights)
        by = partial(it.checked.leverage.bounded, weights=weights, whose=persons)
        clusters = persons if it.by_persons else None
        estimates = fit_rows(model, rows, it.weights, clusters, by)
        if estimates.moves is None or estimates.terms != it.checked.terms:
            raise refused
        _, moves = by_person(estimates.moves(), persons)
        design = by(_design(model, rows))
        _, first = np.unique(persons, return_index=True)
        far = it.checked.leverage.by_person(design.matrix, weights, persons)[first]
        far *= it.checked.people / len(moves)
        # What leaving a person out moves, to second order.
        moves = moves / (1 - np.minimum(far, 0.5))[:, None]
        return _with_noise(counter, it, estimates, moves, counted)
    except (DiscreetError, np.linalg.LinAlgError):
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


def by_person(moves: Floats, persons: Labels) -> tuple[Labels, Floats]:
    """Return people, and what the rows of each move estimates by together."""
    people, place = np.unique(persons, return_inverse=True)
    out = np.zeros((len(people), moves.shape[1]))
    np.add.at(out, place, moves)
    return people, out


def _with_noise(
    counter: Counter, it: ToFit, estimates: Estimates, moves: Floats, counted: Counted
) -> Modelled:
    """Return estimates with noise, and all else by the copy: nothing else tells of a person."""
    of_copy, terms = it.checked, moves.shape[1]
    sd, shown, width = counter.noise.sd, int(counted.shown[0]), of_copy.width
    draws = counter.records.noise.normals(it.named, counted.sums, terms + 2)[0]
    # Who moves the estimates how far is measured in the copy's units, which are known.
    fewer = of_copy.people / shown
    covariance = of_copy.covariance * fewer
    influence = _influence(moves, of_copy.covariance, of_copy.people)
    kept = _kept(influence, width, terms)
    off = ((1 - kept)[:, None] * moves).sum(axis=0)
    scale = width * sd / math.sqrt(shown)
    name, fit = estimates.quality
    of_fit = of_copy.fit_by * sd / shown
    events = None if it.by_persons else estimates.events  # of who has several rows they are many
    made = dataclasses.replace(
        estimates,
        # What is taken off of the copy is given back: that of the data is near it.
        values=estimates.values
        - off
        + of_copy.taken_off
        + scale * np.linalg.cholesky(covariance) @ draws[:terms],
        variances=of_copy.estimates.variances * fewer,
        rows=shown,
        events=None if events is None else max(0, round(events + sd * draws[-2])),
        quality=(name, float(np.clip(fit + of_fit * draws[-1], 0.0, 1.0))),
        moves=None,
    )
    noise = np.hypot(scale * np.sqrt(np.diag(covariance)), of_copy.cut)
    return Modelled(made, noise, counted, sd, of_fit)


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
