"""Linear, logistic, Poisson and Cox models: what a formula says, and what is estimated of rows."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.arguments import Floats, Labels, as_levels, check_word
from discreet.errors import InputError, RefusedError, near
from discreet.regression.formula import (
    DEPENDENT,
    PERFECT,
    Design,
    Parsed,
    Standard,
    check_residuals,
    design_of,
    parse,
    standardised,
)
from discreet.regression.mixed import (
    Intercepts,
    Likelihood,
    binomial,
    by_quadrature,
    by_reml,
    check_levels,
    poisson,
)

LINEAR, LOGISTIC, POISSON, COX = "linear", "logistic", "poisson", "cox"
FAMILIES = (LINEAR, LOGISTIC, POISSON, COX)
R_SQUARED = "R²"
EXPLAINED = "explained share of the deviance"
BETWEEN = "standard deviation between levels"
COLUMN = r"\s*(`[^`]+`|[^\s`~(),+*/:-]+)\s*"
SIDES = re.compile(r"((?:[^`~]|`[^`]*`)*)~(.*)", re.DOTALL)
TIME_AND_EVENT = re.compile(rf"\s*survival\s*\({COLUMN},{COLUMN}\)\s*")
ONE_COLUMN = re.compile(COLUMN)

MOST_STEPS = 100
FARTHEST = 30.0
"""A linear predictor this far out is on its way to infinity: no event, or events alone, there."""
WIDEST = 20.0
"""So is a coefficient of a standardised column with a standard error as large."""
STEEPEST = 1e-4
"""The slope of the likelihood, a row, from which on it has not reached its top."""
MOST_COMPARED = 1000
"""So many events at most are compared with the rows that outlive them, for the concordance."""
SEPARATED = (
    "the model has no finite estimates: a term, or several together, separate the rows with the "
    "event from the others completely, or nearly so; leave a term out, or join levels"
)
NO_WEIGHTS = (
    "a Cox model has no weights here, as statsmodels fits none with weights; leave them out, or"
    " take a linear, logistic or Poisson model"
)
NO_RANDOM_COX = (
    "a Cox model has no random term here; write the column as a fixed term, 'survival(days, died) ~"
    " age + study', or combine what each study says: study.meta_analysis"
)
NO_WEIGHTS_RANDOM = "a model with a random term has no weights here; leave one of them out"
NO_PERSONS_RANDOM = (
    "a model with a random term is of one row for each person, and people have several here; write"
    " the column as a fixed term: standard errors are by person then"
)
NOT_COUNTED = (
    "the outcome of a Poisson model is a count, 0 or more, and this one has numbers below 0; choose"
    " another outcome, or a linear model"
)
CONSTANT = "the outcome has only one value in these rows; choose another outcome or other rows"


@dataclass(frozen=True)
class Asked:
    """A model as it was asked for: its family, its formula taken apart, and the event's column.

    `event` is the outcome of a logistic model, and what ends the time of a Cox model. `orders` are
    the levels of columns from first to last: others are compared with the first, which the caller
    says of the columns that are `named`.
    """

    family: str
    parsed: Parsed
    event: str | None = None
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    named: tuple[str, ...] = ()

    @property
    def numbers(self) -> tuple[str, ...]:
        """The columns that are read as numbers, the event aside."""
        return tuple(name for name in self.parsed.model.numbers if name != self.event)

    @property
    def levels(self) -> tuple[str, ...]:
        """The columns of levels, that of a random term too, the event aside."""
        random = (self.parsed.random,) if self.parsed.random else ()
        return (*self.parsed.model.levels, *random)

    @property
    def formula(self) -> str:
        """The formula, written out."""
        outcome, terms = self.parsed.model.formula.split(" ~ ", 1)
        if self.family != COX:
            return f"{outcome} ~ {terms}"
        event = self.event or ""
        return f"survival({outcome}, {event if event.isidentifier() else f'`{event}`'}) ~ {terms}"


@dataclass(frozen=True, eq=False)
class Estimates:
    """What was estimated from rows: coefficients with their variances, and how well they fit.

    `freedom` are the residual degrees of freedom of a linear model, `quality` the name of a
    measure of the fit and its value. `references` are the columns of levels, each with the one that
    others are compared with. A linear model whose terms hold no constant has the R² of its squares
    `about_zero`. `persons` are how many the rows are of, where variances are by person. `moves`
    returns how each row moves the values, to first order: a row for each, a column for each term.
    `random` are the column of a random term and how many levels of it rows have; `correlation` is
    that of two rows of one level, in a linear model.
    """

    terms: tuple[str, ...]
    values: Floats
    variances: Floats
    rows: int
    quality: tuple[str, float]
    events: int | None = None
    freedom: int | None = None
    references: tuple[tuple[str, str], ...] = ()
    about_zero: bool = False
    persons: int | None = None
    moves: Callable[[], Floats] | None = field(default=None, repr=False)
    random: tuple[str, int] | None = None
    correlation: float | None = None


def _check_is_number(outcome: str, kinds: Mapping[str, str]) -> None:
    """Refuse a linear model of a column of levels, and say which model is of one."""
    parts = ONE_COLUMN.fullmatch(outcome)
    if parts is not None and kinds.get(parts[1].strip("`")) == "categorical":
        raise InputError(
            f"the outcome {parts[1]} has levels, and that of a linear model is a number: for yes or"
            " no take family='logistic' (--family logistic)"
        )


def read_model(formula: str, family: str, kinds: Mapping[str, str]) -> Asked:
    """Read a formula as the one of a family, and check it against the columns.

    `"y ~ x + z"`; of a Cox model `"survival(time, event) ~ x + z"`; of others also
    `"y ~ x + (1 | z)"`. `kinds` has the columns that there are, "continuous" or "categorical".
    InputError is raised if it cannot be read, or is not that of the family.

    Examples
    --------
    >>> kinds = dict.fromkeys(["days", "died", "age"], "continuous")
    >>> read_model("survival(days, died) ~ age", "cox", kinds).formula
    'survival(days, died) ~ age'
    """
    check_word("family", family, FAMILIES)
    if not isinstance(formula, str):
        raise InputError("a formula must be text, such as 'y ~ x'")
    sides = SIDES.fullmatch(formula)
    if family == LINEAR and sides is not None:
        _check_is_number(sides[1], kinds)
    if family in (LINEAR, POISSON) or sides is None:  # without a ~ the grammar says what is missing
        return Asked(family, parse(formula, kinds, random=True))
    left, right = sides[1], sides[2]
    if family == LOGISTIC:
        parts = ONE_COLUMN.fullmatch(left)
        if parts is None:
            raise InputError(
                "the outcome of a logistic model is one column of levels or codes:"
                " 'died ~ age + sex'"
            )
        event = _known(parts[1], kinds)
        as_number = {**kinds, event: "continuous"}
        parsed = parse(_keep_place(parts, right), as_number, formula, random=True)
        return Asked(LOGISTIC, parsed, event)
    parts = TIME_AND_EVENT.fullmatch(left)
    if parts is None:
        raise InputError(
            "the left side of a Cox model gives the time that each person was observed, and "
            "whether it ended with the event: 'survival(days, died) ~ age + sex'"
        )
    event = _known(parts[2], kinds)
    parsed = parse(_keep_place(parts, right), kinds, formula, random=True)
    if parsed.random:
        raise InputError(NO_RANDOM_COX)
    if not parsed.intercept:
        raise InputError("a Cox model has no intercept to remove; leave '- 1' or '0 +' out")
    if event in (*parsed.model.numbers, *parsed.model.levels):
        raise InputError(
            f"the event {event!r} is also on the right of the ~, or the time; leave it out"
        )
    return Asked(COX, parsed, event)


def _keep_place(outcome: re.Match[str], right: str) -> str:
    """Return the formula with the outcome alone on its left, and everything where it was.

    So a mistake in it is one at the same place of what was written.
    """
    start, end = outcome.span(1)
    return f"{' ' * start}{outcome[1]}{' ' * (len(outcome.string) - end)}~{right}"


def _known(text: str, kinds: Mapping[str, str]) -> str:
    name = text.strip("`")
    if name not in kinds:
        raise InputError(f"there is no column {name!r}; {near(name, [*kinds])}")
    return name


def estimated(
    asked: Asked,
    numbers: Mapping[str, ArrayLike],
    texts: Mapping[str, Sequence[str]],
    happened: NDArray[np.bool_] | None = None,
    weights: Floats | None = None,
    persons: Labels | None = None,
) -> Estimates:
    """Estimate a model from rows, by statsmodels.

    The columns are finite and known, all of one length; `happened` says which rows have the event,
    `weights` are a survey's (finite and above 0; only their ratios matter), `persons` whose each
    row is, where some have several. docs/models.md says how each family is estimated, how variances
    are found, and what is refused. Columns are centred and scaled before, and coefficients turned
    back.

    **What it does not protect.** Nothing: who shows what it returns has to have protected the rows
    before.

    Examples
    --------
    >>> asked = read_model("y ~ x", "linear", {"x": "continuous", "y": "continuous"})
    >>> estimates = estimated(asked, {"x": [0, 1, 2, 3], "y": [0, 1, 1, 2]}, {})
    >>> estimates.values.round(3).tolist(), estimates.freedom
    ([0.1, 0.6], 2)
    """
    if weights is not None and asked.family == COX:
        raise InputError(NO_WEIGHTS, parameter="weights")
    if asked.parsed.random and weights is not None:
        raise InputError(NO_WEIGHTS_RANDOM, parameter="weights")
    if asked.parsed.random and persons is not None:
        raise RefusedError(NO_PERSONS_RANDOM, rule="random")
    if happened is not None:
        if happened.all() or not happened.any():
            raise RefusedError(CONSTANT)
        if asked.family == LOGISTIC:
            numbers = {**numbers, asked.parsed.outcome.columns[0]: happened.astype(np.float64)}
    design = design_of(asked.parsed, numbers, texts, asked.orders)
    rows, parameters = design.matrix.shape
    if rows <= parameters:
        raise RefusedError(
            "the model has as many coefficients as rows, or more; leave terms out, or take in more"
            " rows"
        )
    clusters = None if persons is None else Clusters.of(persons)
    if clusters is not None and clusters.size <= parameters:
        raise RefusedError(
            "the model has as many coefficients as there are people, or more; leave terms out, "
            "or take in more rows"
        )
    standard = standardised(design)
    if name := asked.parsed.random:
        return _with_random_term(asked.family, design, standard, name, as_levels(name, texts[name]))
    of = None if weights is None else weights / weights.mean()
    estimates = _estimate_by_family(asked.family, design, standard, happened, of, clusters)
    return replace(
        estimates, references=design.references, persons=None if clusters is None else clusters.size
    )


class Clusters(NamedTuple):
    """Whose each row is, as places among so many people."""

    places: Labels
    size: int

    @classmethod
    def of(cls, persons: Labels) -> Clusters:
        """Return whose rows are, with people numbered."""
        names, places = np.unique(persons, return_inverse=True)
        return cls(places, len(names))

    def spread(self, scores: Floats, bread: Floats) -> Floats:
        """Return the covariance of estimates of which each row has a score (the sandwich)."""
        sums = np.zeros((self.size, scores.shape[1]))
        np.add.at(sums, self.places, scores)
        covariance: Floats = self.size / (self.size - 1) * bread @ sums.T @ sums @ bread
        return covariance


def _estimate_by_family(
    family: str,
    design: Design,
    standard: Standard,
    happened: NDArray[np.bool_] | None,
    of: Floats | None,
    persons: Clusters | None,
) -> Estimates:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # what they warn of is looked at, and refused
        if family == LINEAR:
            return _linear(design, standard, of, persons)
        try:
            if family == COX and happened is not None:
                return _cox(design, standard, happened, persons)
            return _logistic_or_poisson(design, standard, happened, of, persons)
        except (np.linalg.LinAlgError, ValueError, FloatingPointError):
            raise RefusedError(SEPARATED) from None


def _linear(
    design: Design, standard: Standard, weights: Floats | None, persons: Clusters | None
) -> Estimates:
    from statsmodels.regression.linear_model import OLS, WLS

    rows, about_zero = len(design.outcome), not _spans_constant(design, standard)
    if weights is None:
        result = OLS(standard.outcome, standard.matrix, hasconst=False).fit()
        spread = result.cov_params()
    else:
        result = WLS(standard.outcome, standard.matrix, weights, hasconst=False).fit(cov_type="HC0")
        spread = result.cov_params() * rows / (rows - 1)
    of = np.ones(rows) if weights is None else weights
    check_residuals(design, standard, np.sqrt(of) * result.resid)
    middle = 0.0 if about_zero else np.average(design.outcome, weights=of)
    left, whole = of @ (standard.scale * result.resid) ** 2, of @ (design.outcome - middle) ** 2
    return _of_design(
        design,
        standard.back * standard.scale,
        result.params,
        spread,
        result.normalized_cov_params,
        lambda: standard.matrix * (of * result.resid)[:, None],
        persons,
        centre=standard.centre,
        freedom=int(result.df_resid),
        quality=(R_SQUARED, float(1 - left / whole)),
        about_zero=about_zero,
    )


def _of_design(
    design: Design,
    back: Floats,
    params: Floats,
    spread: Floats,
    bread: Any,
    scores: Callable[[], Floats],
    persons: Clusters | None,
    *,
    centre: float = 0.0,
    **known: Any,
) -> Estimates:
    """Turn what was estimated of standardised columns back into estimates of the design.

    `scores` returns that of each row, and `bread` is the inverse of the information.
    """
    bread = np.asarray(bread)
    if persons is not None:
        spread = persons.spread(scores(), bread)
    return Estimates(
        terms=design.terms,
        values=back @ params + centre * design.ones,
        variances=np.diag(back @ np.asarray(spread) @ back.T),
        rows=len(design.outcome),
        moves=lambda: np.asarray(scores() @ bread @ back.T),
        **known,
    )


def _with_random_term(
    family: str, design: Design, standard: Standard, name: str, levels: tuple[Labels, Sequence[str]]
) -> Estimates:
    codes, names = levels
    check_levels(name, standard.matrix, codes)
    events = int(design.outcome.sum()) if family == LOGISTIC else None
    if family == POISSON and design.outcome.min() < 0:
        raise RefusedError(NOT_COUNTED)
    correlation, scale, centre = None, 1.0, 0.0
    with np.errstate(all="ignore"):
        if family == LINEAR:
            found = by_reml(standard.outcome, standard.matrix, codes)
            if found is None:
                raise RefusedError(PERFECT)
            correlation = found.between**2 / (found.between**2 + found.within**2)
            scale, centre = standard.scale, standard.centre
        else:
            found = _by_quadrature(family, design.outcome, standard.matrix, codes)
    back = standard.back * scale
    return Estimates(
        design.terms,
        back @ found.values + centre * design.ones,
        np.diag(back @ found.covariance @ back.T),
        len(codes),
        (BETWEEN, found.between * scale),
        events,
        references=design.references,
        random=(name, len(names)),
        correlation=correlation,
    )


def _by_quadrature(family: str, outcome: Floats, matrix: Floats, codes: Labels) -> Intercepts:
    """Fit a model with a random term, from the one without."""
    from statsmodels.genmod.families import Binomial, Poisson
    from statsmodels.genmod.generalized_linear_model import GLM

    of, cumulant = (Binomial(), binomial) if family == LOGISTIC else (Poisson(), poisson)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what they warn of is looked at, and refused
            model = GLM(outcome, matrix, of)
            begun = model.fit(maxiter=MOST_STEPS)
        slope = model.score(begun.params) / len(outcome)
        _check_finite(begun.params, begun.cov_params(), matrix @ begun.params, slope)
        found = by_quadrature(Likelihood.of(outcome, matrix, codes, cumulant), begun.params)
    except (np.linalg.LinAlgError, ValueError, FloatingPointError):
        found = None
    if found is None:
        raise RefusedError(SEPARATED)
    return found


def _spans_constant(design: Design, standard: Standard) -> bool:
    """Whether the terms of a model add up to a constant: by an intercept, or by levels that do.

    Where they do not, R² is 1 - RSS / Σy², as statsmodels and R have it: about the mean of the
    outcome, which such a model cannot predict, it could be below 0.
    """
    if design.ones.any():
        return True
    ones = np.ones(len(standard.matrix))
    parts = np.linalg.lstsq(standard.matrix, ones, rcond=None)[0]
    return bool(np.abs(standard.matrix @ parts - ones).max() < DEPENDENT)


def _logistic_or_poisson(
    design: Design,
    standard: Standard,
    happened: NDArray[np.bool_] | None,
    weights: Floats | None,
    persons: Clusters | None,
) -> Estimates:
    """Fit a logistic model where it is known which rows have the event, else a Poisson model."""
    from statsmodels.genmod.families import Binomial, Poisson
    from statsmodels.genmod.generalized_linear_model import GLM

    outcome, rows = design.outcome, len(design.outcome)
    if happened is None and outcome.min() < 0:
        raise RefusedError(NOT_COUNTED)
    of, usual = np.ones(rows) if weights is None else weights, 1.0
    family = Binomial() if happened is not None else Poisson()
    if happened is None:
        usual = outcome.mean()
    # freq_weights would take a row of weight 2 for two rows that agree: var_weights for one.
    model = GLM(outcome, standard.matrix, family, var_weights=of)
    # Until estimates stand still: the sandwich is of their last step.
    result = model.fit(maxiter=MOST_STEPS, tol=1e-10, tol_criterion="params", cov_type="HC0")
    at, bread = standard.matrix @ result.params, np.asarray(result.normalized_cov_params)
    slope = model.score(result.params) / (rows * usual)
    _check_finite(result.params, bread, at - np.log(usual), slope)
    spread = result.cov_params() * rows / (rows - 1)
    if happened is not None:
        spread = bread if weights is None else spread
        quality = ("area under the ROC curve", _area(at, happened, of))
    else:  # of the deviance of the mean alone, as R has it of a model with a constant
        mean = np.full(rows, np.average(outcome, weights=of))
        alone = family.deviance(outcome, mean, var_weights=of)
        quality = (EXPLAINED, float(1 - result.deviance / alone))
    return _of_design(
        design,
        standard.back,
        result.params,
        spread,
        bread,
        lambda: standard.matrix * (of * (outcome - result.fittedvalues))[:, None],
        persons,
        events=None if happened is None else int(happened.sum()),
        quality=quality,
    )


def _area(at: Floats, happened: NDArray[np.bool_], weights: Floats) -> float:
    """Return the share of pairs, by their weights' product, whose event has the larger number."""
    _, place = np.unique(at, return_inverse=True)
    others = np.bincount(place, weights * ~happened)
    below = np.cumsum(others) - others / 2
    of_events = weights * happened
    return float(of_events @ below[place]) / (float(of_events.sum()) * float(others.sum()))


def _cox(
    design: Design, standard: Standard, happened: NDArray[np.bool_], persons: Clusters | None
) -> Estimates:
    from statsmodels.duration.hazard_regression import PHReg

    slopes = ~design.ones
    matrix = standard.matrix[:, slopes]
    model = PHReg(design.outcome, matrix, status=happened.astype(np.float64), ties="efron")
    # By steps that never fall, and then by Newton's, which alone may go astray.
    begun = model.fit(method="bfgs", maxiter=MOST_STEPS, disp=False)
    result = model.fit(start_params=begun.params, maxiter=MOST_STEPS, disp=False)
    spread = np.asarray(result.cov_params())
    at = matrix @ result.params
    _check_finite(result.params, spread, at, model.score(result.params) / len(at))
    kept = np.flatnonzero(slopes)
    return _of_design(
        replace(design, terms=tuple(design.terms[i] for i in kept), ones=design.ones[slopes]),
        standard.back[np.ix_(slopes, slopes)],
        result.params,
        spread,
        spread,
        # Those of Breslow's ties. Who is observed no longer than until the first event has none,
        # and counts for nothing.
        lambda: np.nan_to_num(result.score_residuals),
        persons,
        events=int(happened.sum()),
        quality=("concordance", concordance(design.outcome, happened, at)),
    )


def _check_finite(values: Floats, spread: Floats, at: Floats, slope: Floats) -> None:
    """Refuse estimates that are on their way to infinity, or have not reached their place."""
    finite = np.isfinite(values).all() and np.isfinite(spread).all()
    if (
        not finite
        or np.abs(at).max() > FARTHEST
        or not 0 < np.diag(spread).min() <= np.diag(spread).max() < WIDEST**2
        or np.abs(slope).max() > STEEPEST
    ):
        raise RefusedError(SEPARATED)


def concordance(times: Floats, happened: NDArray[np.bool_], risk: Floats) -> float:
    """Return the share of pairs in which who has the event first was at the higher risk (Harrell).

    Of very many events every so manieth is compared with the rows that outlive it.
    """
    events = np.flatnonzero(happened)
    events = events[np.argsort(times[events], kind="stable")]
    events = events[:: -(-len(events) // MOST_COMPARED)]
    right = pairs = 0.0
    for event in events.tolist():
        later = risk[(times > times[event]) | ((times == times[event]) & ~happened)]
        right += float((later < risk[event]).sum()) + 0.5 * float((later == risk[event]).sum())
        pairs += len(later)
    return right / pairs if pairs else 0.5
