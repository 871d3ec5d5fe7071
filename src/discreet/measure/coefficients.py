"""What becomes of the coefficients of a regression if it is fitted to the released table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.arguments import Floats
from discreet.errors import InputError, RefusedError
from discreet.measure.pairs import Pair, Side, as_pair
from discreet.regression import Model, read_formula
from discreet.regression.formula import (
    PERFECT,
    ROUNDING,
    Design,
    Standard,
    design_of,
    parse_again,
    standardised,
)

__all__ = ["Coefficients", "coefficient_difference", "model_of"]

LEVEL = 0.95
"""The level of the confidence intervals."""
PERFECT_FIT = 1e-9
"""Residuals that vary less than this (in sd of the outcome) are rounding errors."""
MOST_STEPS = 35
"""Newton's steps: where outcomes can be separated, each adds one to some logit for ever."""
SEPARATED = (
    "no logistic model fits: the terms, or some of them, tell the two outcomes apart without"
    " fail; leave terms out, or merge levels"
)


@dataclass(frozen=True, eq=False, repr=False)
class Coefficients:
    """The same model fitted to the original and to the released table; prints its formula only.

    Attributes
    ----------
    formula : str
        The formula in its normal form.
    model : {"linear", "logistic"}
        What was fitted.
    terms : tuple of str
        The names of the coefficients: Intercept, x, C(sex)[T.level], ...
    original, original_se, released, released_se : ndarray
        Estimates and standard errors, one for each of `terms`.
    original_df, released_df : float
        Residual degrees of freedom; infinite for the logistic model, whose tests are normal.
    """

    formula: str
    model: str
    terms: tuple[str, ...]
    original: Floats
    original_se: Floats
    original_df: float
    released: Floats
    released_se: Floats
    released_df: float

    def __repr__(self) -> str:
        return f"Coefficients({self.formula}; {self.model})"

    @property
    def difference(self) -> Floats:
        """The absolute differences of the estimates, in standard errors of the original."""
        out: Floats = np.abs(self.original - self.released) / self.original_se
        return out

    @property
    def overlap(self) -> Floats:
        """The overlap of the confidence intervals, averaged over the shares of either."""
        (low, high), (low_after, high_after) = self.original_interval, self.released_interval
        common = np.minimum(high, high_after) - np.maximum(low, low_after)
        out: Floats = (common / (high - low) + common / (high_after - low_after)) / 2
        return out

    @property
    def original_statistic(self) -> Floats:
        """Estimate by standard error in the original: t (linear) or z (logistic)."""
        return self.original / self.original_se

    @property
    def released_statistic(self) -> Floats:
        """Estimate by standard error in the released table: t (linear) or z (logistic)."""
        return self.released / self.released_se

    @property
    def original_p(self) -> Floats:
        """The two-sided p values in the original."""
        return _two_sided(self.original_statistic, self.original_df)

    @property
    def released_p(self) -> Floats:
        """The two-sided p values in the released table."""
        return _two_sided(self.released_statistic, self.released_df)

    @property
    def original_interval(self) -> tuple[Floats, Floats]:
        """The ends of the 95 % confidence intervals in the original."""
        return _interval(self.original, self.original_se, self.original_df)

    @property
    def released_interval(self) -> tuple[Floats, Floats]:
        """The ends of the 95 % confidence intervals in the released table."""
        return _interval(self.released, self.released_se, self.released_df)

    def to_dict(self) -> dict[str, Any]:
        """Return the two models and their differences as plain values."""
        tables = {
            "original": (self.original, self.original_se, self.original_p),
            "released": (self.released, self.released_se, self.released_p),
        }
        return {
            "formula": self.formula,
            "model": self.model,
            "terms": list(self.terms),
            **{
                table: {"estimates": b.tolist(), "standard errors": se.tolist(), "p": p.tolist()}
                for table, (b, se, p) in tables.items()
            },
            "difference": self.difference.tolist(),
            "overlap": self.overlap.tolist(),
        }


def coefficient_difference(
    original: object,
    released: object = None,
    formula: str = "",
    *,
    categorical: Sequence[str] = (),
    same_rows: bool = True,
) -> Coefficients:
    """Fit the same regression to two tables, and compare the coefficients.

    Parameters
    ----------
    original, released : array of shape (n, p), frame or path; or a Pair alone
        Two tables of the same columns.
    formula : str
        As `discreet.regression.read_formula` reads it: it is never run. The model is logistic
        where the outcome is a categorical column of two levels (the event is the later one, by
        number if both are numbers, else by alphabet) or a column of the numbers 0 and 1 alone;
        else it is linear.
    categorical : sequence of str
        Columns of codes that are levels; texts and yes/no are levels anyway.
    same_rows : bool, default True
        Whether rows correspond; the models do not ask for it. If they do, a row with a missing
        number in one table is left out of both.

    Returns
    -------
    Coefficients
        Estimates, standard errors, tests and intervals of both, the standardised differences
        d = abs(b_or − b_an) / SE(b_or), and the overlap of the 95 % confidence intervals.

    Raises
    ------
    InputError
        If the formula cannot be read or names an unknown column, an outcome has levels that are
        not two, or the tables do not fit each other.
    RefusedError
        If a table has no more rows than terms, a level of the original is missing in the
        released table, a term follows from others, or a table leaves the model no residuals
        (linear) or is separated by its terms (logistic; also where some rows alone are). The
        message says which table.

    Notes
    -----
    Levels are coded against the first level of the original in alphabetical order, and both
    tables must have all of them, so that terms mean the same. Columns are centred and scaled
    before the fit, and coefficients turned back after it.

    The overlap is (common / length before + common / length after) / 2, where `common` is the
    smaller upper end less the larger lower one. It is 1 if the intervals are equal, 0 if they
    touch, and negative if they lie apart, the more so the farther. Intervals are those of
    t for linear models and of the normal distribution for logistic ones.

    **What it does not tell.** One model, and not whether it is a good one. The difference is in
    standard errors of the original: the same bias is small in a small table and large in a large
    one. The released table's standard errors take its rows for observations, and know nothing
    of the protection. Estimates of the original are its custodian's to see: with a term for one
    person they show that person.

    References
    ----------
    Avraam et al., "A deterministic approach for protecting privacy in sensitive personal data",
    BMC Med. Inform. Decis. Mak. 22:24 (2022), "Metrics for utility loss". Karr, Kohnen,
    Oganian, Reiter and Sanil, "A framework for evaluating the utility of data altered to
    protect confidentiality", The American Statistician 60 (2006).

    Examples
    --------
    >>> before = {"x": [0.0, 1, 2, 3], "y": [0.0, 1, 1, 2]}
    >>> after = {"x": [0.5, 0.5, 2.5, 2.5], "y": [0.5, 0.5, 1.4, 1.6]}
    >>> import pandas as pd
    >>> found = coefficient_difference(pd.DataFrame(before), pd.DataFrame(after), "y ~ x")
    >>> found.terms, found.original.round(2).tolist(), found.released.round(2).tolist()
    (('Intercept', 'x'), [0.1, 0.6], [0.25, 0.5])
    >>> found.difference.round(2).tolist(), found.overlap.round(2).tolist()
    ([0.57, 0.71], [0.67, 0.68])
    """
    pair = as_pair(original, released, categorical=categorical, same_rows=same_rows)
    outcome, event = _event(pair, formula)
    model = model_of(pair, formula)
    for name in (*model.levels, *([outcome] if event is not None else [])):
        if set(pair.original.levels[name]) != set(pair.released.levels[name]):
            raise RefusedError(
                f"column {name!r} of the released table lacks a level of the original, so the two"
                " models have different terms; merge its levels in both, or leave it out"
            )
    logistic = event is not None or _is_binary(pair, model)
    before, after = (
        _fitted(table, model, _numbers(side, outcome, event), side.levels, logistic)
        for table, side in (("original", pair.original), ("released", pair.released))
    )
    return Coefficients(
        model.formula,
        "logistic" if logistic else "linear",
        before.terms,
        before.estimates,
        before.se,
        before.df,
        after.estimates,
        after.se,
        after.df,
    )


def model_of(pair: Pair, formula: str) -> Model:
    """Read the formula of a regression on the columns of a pair."""
    kinds = dict.fromkeys(pair.original.numbers, "continuous")
    kinds |= dict.fromkeys(pair.original.levels, "categorical")
    outcome, event = _event(pair, formula)
    if event is not None:
        kinds[outcome] = "continuous"
    return read_formula(formula, kinds)


@dataclass(frozen=True, eq=False)
class _Fitted:
    """A model fitted to one table."""

    terms: tuple[str, ...]
    estimates: Floats
    se: Floats
    df: float


def _event(pair: Pair, formula: str) -> tuple[str, str | None]:
    """Return the outcome, and if it is categorical the level that is the event."""
    left = formula.partition("~")[0] if isinstance(formula, str) else ""
    outcome = left.strip().strip("`")
    if outcome not in pair.original.levels:
        return outcome, None
    levels = sorted(set(pair.original.levels[outcome]))
    if len(levels) != 2:
        raise InputError(
            f"the outcome {outcome!r} must have two levels (a missing one is a level too); merge"
            " levels, or name a continuous column"
        )
    try:
        return outcome, max(levels, key=float)
    except ValueError:
        return outcome, levels[-1]


def _numbers(side: Side, outcome: str, event: str | None) -> Mapping[str, Floats]:
    """Return the columns of numbers, with an outcome of levels as 0 and 1."""
    if event is None:
        return side.numbers
    words = side.levels[outcome]
    happened = np.fromiter((word == event for word in words), np.float64, len(words))
    return {**side.numbers, outcome: happened}


def _is_binary(pair: Pair, model: Model) -> bool:
    """Whether the outcome is a column of the numbers 0 and 1, in both tables."""
    name = model.outcome
    if not parse_again(model).outcome.plain:
        return False
    before, after = (set(np.unique(side.numbers[name])) for side in (pair.original, pair.released))
    if before != {0.0, 1.0}:
        return False
    if after - before:
        raise RefusedError(
            f"the outcome {name!r} is 0 or 1 in the original table and something else in the"
            " released one, so no logistic model fits both; release it as levels"
        )
    return True


def _fitted(
    table: str,
    model: Model,
    numbers: Mapping[str, Floats],
    levels: Mapping[str, Sequence[str]],
    logistic: bool,
) -> _Fitted:
    try:
        design = design_of(parse_again(model), numbers, levels)
        rows, parameters = design.matrix.shape
        if rows <= parameters:
            raise RefusedError("there are no more rows than terms; leave terms out")
        standard = standardised(design)
        estimates, covariance = (_logistic if logistic else _linear)(design, standard)
    except RefusedError as error:
        raise RefusedError(f"the model of the {table} table: {error}") from None
    df = math.inf if logistic else float(rows - parameters)
    return _Fitted(design.terms, estimates, np.sqrt(np.diag(covariance)), df)


def _linear(design: Design, standard: Standard) -> tuple[Floats, Floats]:
    """Return estimates and their covariance by least squares."""
    from statsmodels.regression.linear_model import OLS

    result = OLS(standard.outcome, standard.matrix, hasconst=False).fit()
    doubt = ROUNDING * float(np.abs(design.outcome).max()) / standard.scale
    if math.sqrt(result.ssr / len(design.outcome)) <= PERFECT_FIT + doubt:
        raise RefusedError(PERFECT)
    back = standard.back * standard.scale
    return back @ result.params + standard.centre * design.ones, _turned(back, result)


def _logistic(design: Design, standard: Standard) -> tuple[Floats, Floats]:
    """Return estimates and their covariance by maximum likelihood."""
    from statsmodels.discrete.discrete_model import Logit

    try:
        with np.errstate(all="ignore"):
            # No ridge, which would end what has no end; and no warnings, but the check below.
            result = Logit(design.outcome, standard.matrix).fit(
                method="newton",
                maxiter=MOST_STEPS,
                ridge_factor=0,
                disp=0,
                warn_convergence=False,
                callback=lambda *_: None,
            )
    except np.linalg.LinAlgError:
        raise RefusedError(SEPARATED) from None
    if not result.mle_retvals["converged"]:
        raise RefusedError(SEPARATED)
    return standard.back @ result.params, _turned(standard.back, result)


def _turned(back: Floats, result: Any) -> Floats:
    """Return the covariance of the coefficients of the design."""
    out: Floats = back @ result.cov_params() @ back.T
    return out


def _two_sided(statistic: Floats, df: float) -> Floats:
    from scipy.stats import t

    out: Floats = 2 * t.sf(np.abs(statistic), df)
    return out


def _interval(estimates: Floats, se: Floats, df: float) -> tuple[Floats, Floats]:
    from scipy.stats import t

    half = t.ppf((1 + LEVEL) / 2, df) * se
    return estimates - half, estimates + half
