"""Least squares with residuals, leverage and Cook's distances; and the correction for noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from discreet.arguments import Floats, check_ratio, check_whole
from discreet.errors import RefusedError
from discreet.regression.formula import (
    DEPENDENT,
    Design,
    Model,
    check_residuals,
    design_of,
    parse_again,
    standardised,
)

ALONE = 1e-10
"""A leverage this near to one is one."""


@dataclass(frozen=True, eq=False, repr=False)
class Fit:
    """A fitted model, row for row: raw data, not to be shown. Prints its formula only."""

    formula: str
    terms: tuple[str, ...]  # the names of the coefficients: Intercept, x, C(sex)[T.level], ...
    coefficients: Floats
    standard_errors: Floats
    fitted: Floats
    residuals: Floats
    standardized: Floats  # residuals over their standard deviation (divisor n - 1)
    leverage: Floats  # the diagonal of the hat matrix
    cooks: Floats
    residual_df: int
    rank_p: int  # how many coefficients there are

    def __repr__(self) -> str:
        return f"Fit({self.formula})"


def fit(
    model: Model,
    numbers: Mapping[str, ArrayLike],
    texts: Mapping[str, Sequence[str]],
    residual_df: int = 1,
) -> Fit:
    """Fit a linear model by least squares, with residuals, leverage and Cook's distances.

    Columns are finite and of one length, those of levels compared with their first level. With
    fewer than `residual_df` residual degrees of freedom it is refused, and so is a term that
    follows from others or depends on one row alone.

    **What it does not protect.** Nothing: outcome = fitted + residual for each row, and in a model
    of one covariate leverage gives that away too. The levels of columns stand in the names of
    terms.

    Examples
    --------
    >>> from discreet.regression import read_formula
    >>> model = read_formula("y ~ x", {"x": "continuous", "y": "continuous"})
    >>> found = fit(model, {"x": [0, 1, 2, 3], "y": [0, 1, 1, 2]}, {})
    >>> found, found.terms
    (Fit(y ~ x), ('Intercept', 'x'))
    >>> found.leverage.round(6).tolist()
    [0.7, 0.3, 0.3, 0.7]
    """
    from statsmodels.regression.linear_model import OLS

    check_whole("residual_df", residual_df, least=1)
    design = design_of(parse_again(model), numbers, texts)
    rows, parameters = design.matrix.shape
    if rows - parameters < residual_df:
        raise RefusedError(
            "the model has too few residual degrees of freedom; the policy asks for at least"
            f" {residual_df}: leave terms out, or take in more rows"
        )
    standard = standardised(design)
    result = OLS(standard.outcome, standard.matrix, hasconst=False).fit()
    spread = result.resid.std(ddof=1)
    check_residuals(design, standard, result.resid)
    influence = result.get_influence()
    leverage: Floats = influence.hat_matrix_diag
    if leverage.max() >= 1 - ALONE:
        raise RefusedError("a term depends on one row alone; leave it out, or join levels")
    back = standard.back * standard.scale
    coefficients = back @ result.params + standard.centre * design.ones
    return Fit(
        formula=model.formula,
        terms=design.terms,
        coefficients=coefficients,
        standard_errors=np.sqrt(np.diag(back @ result.cov_params() @ back.T)),
        fitted=result.fittedvalues * standard.scale + standard.centre,
        residuals=result.resid * standard.scale,
        standardized=result.resid / spread,
        leverage=leverage,
        cooks=influence.cooks_distance[0],
        residual_df=rows - parameters,
        rank_p=parameters,
    )


def corrected(
    model: Model,
    numbers: Mapping[str, ArrayLike],
    texts: Mapping[str, Sequence[str]],
    noise: float,
    *,
    multiplied: bool = False,
    folds: Mapping[str, Folds] | None = None,
) -> Floats | None:
    """Correct coefficients for known noise on every continuous column, by moments.

    The columns of numbers have independent normal noise, of standard deviation `noise` times that
    of the column before, or were `multiplied` by factors of mean 1 and that sd; `folds` says of
    which columns values were folded back at their ends. None is returned if the model is not
    additive or has no intercept, or the noise leaves nothing to correct by; else the coefficients,
    as of `Fit.terms`.

    With S the covariances of the columns with noise, and D diagonal with what noise adds to the
    variance of a column of numbers (a share q² / (1 + q²) of it; see `scored`),

        β = (S_xx − D)⁻¹ S_xy,

    and the intercept makes the means fit. Noise on the outcome widens errors only. β is consistent,
    not unbiased: its noise grows as S_xx − D comes near to singular. (Fuller, "Measurement Error
    Models", 1987, sections 1.1 and 2.2.)

    Examples
    --------
    >>> from discreet.regression import read_formula
    >>> model = read_formula("y ~ x", {"x": "continuous", "y": "continuous"})
    >>> corrected(model, {"x": [0, 1, 2, 3], "y": [0, 1, 1, 2]}, {}, noise=0.5).round(6).tolist()
    [-0.125, 0.75]
    """
    check_ratio("noise", noise, zero=True)
    parsed = parse_again(model)
    if not (parsed.model.additive and parsed.intercept):
        return None
    found_of = {
        name: scored(
            np.asarray(numbers[name], dtype=np.float64),
            noise,
            multiplied=multiplied,
            folds=(folds or {}).get(name),
        )
        for name in parsed.model.numbers
    }
    known = {name: each for name, each in found_of.items() if each is not None}
    if len(known) < len(found_of):
        return None
    design = design_of(parsed, {name: each.scores for name, each in known.items()}, texts)
    standard = standardised(design)
    rest = ~design.ones
    columns = standard.matrix[:, rest]
    error = (_errors(design, known) * np.diag(standard.back) ** 2)[rest]
    moments = columns.T @ columns / len(columns) - np.diag(error)
    if np.linalg.eigvalsh(moments)[0] <= DEPENDENT:
        return None
    slopes = np.zeros(len(rest))
    slopes[rest] = np.linalg.solve(moments, columns.T @ standard.outcome / len(columns))
    out: Floats = standard.back @ slopes * standard.scale + standard.centre * design.ones
    return out


def _errors(design: Design, known: Mapping[str, Scored]) -> Floats:
    """Return by how much the variance of each column of scores is too large."""
    out = np.zeros(design.matrix.shape[1])
    for j in np.flatnonzero(design.noisy):
        column = design.matrix[:, j]
        (variance,) = {
            each.variance for each in known.values() if np.array_equal(each.scores, column)
        }
        out[j] = column.var() - variance
    return out


def cook_line(distance: float, parameters: int, residual_df: int, leverage: ArrayLike) -> Floats:
    """Return the standardised residual at which Cook's distance is `distance`, by leverage.

    The upper line, for each h of `leverage`; the lower one is its negative. `parameters` and
    `residual_df` are p and n - p. With residuals standardised by r = e / sd, sd² = RSS / (n − 1),

        D = r² (n − p) / (p (n − 1)) · h / (1 − h)².

    Examples
    --------
    >>> cook_line(1.0, parameters=2, residual_df=8, leverage=[0, 0.25, 1]).tolist()
    [inf, 2.25, 0.0]
    """
    check_ratio("distance", distance, zero=False)
    check_whole("parameters", parameters, least=1)
    check_whole("residual_df", residual_df, least=1)
    h = np.asarray(leverage, dtype=np.float64)
    factor = np.sqrt(distance * parameters * (residual_df + parameters - 1) / residual_df)
    with np.errstate(divide="ignore", invalid="ignore"):
        line = factor * (1 - h) / np.sqrt(h)
    out: Floats = np.where((h >= 0) & (h <= 1), line, np.nan)
    return out


def quantiles(n: int) -> Floats:
    """Return the n normal quantiles that ordered residuals are drawn against.

    They are those at (i − a) / (n + 1 − 2a) for i = 1 to n, with a = 3/8 for n <= 10 and 1/2
    above, as qqnorm in R (Blom, "Statistical Estimates and Transformed Beta-Variables", 1958).
    """
    from scipy.special import ndtri

    check_whole("n", n, least=1)
    a = 3 / 8 if n <= 10 else 1 / 2
    out: Floats = ndtri((np.arange(1, n + 1) - a) / (n + 1 - 2 * a))
    return out


# --- what columns with known noise say of the columns before: numbers that are right on average ---
# A score is a function of a value with noise whose mean, over the noise, is the value before. Means
# and products of scores of different columns are then those of the values before, on average; the
# square of a score is not, so the variance is estimated by itself.


STEADY = 1e-12
TURNS = 200
"""So often at most the variance is estimated with the noise that follows from it."""
AMPLIFIED = 2.0
"""Waves that the noise has made smaller than exp(-2) are left out: they say little any more."""
MOST_WAVES = 199


class Folds(NamedTuple):
    """The ends that values with noise were folded back at, and the step they were rounded to."""

    low: float
    high: float
    step: float


class Scored(NamedTuple):
    """The scores of a column, and the variance (divisor n) that it had before the noise."""

    scores: Floats
    variance: float


def scored(
    values: Floats, q: float, *, multiplied: bool = False, folds: Folds | None = None
) -> Scored | None:
    """Return scores of a column with noise, and the variance that it had without.

    `q` is the standard deviation of the noise as a share of the column's, or of the factor where it
    is `multiplied`; `folds` are the ends at which values were put back by as much as they went
    beyond, where the column before lies between the ends. None where the noise leaves no variance,
    or rounding hides it.

    Notes
    -----
    Of noise that is added, v = var(y) / (1 + q²); of noise that is multiplied, E[x²] = E[y²] /
    (1 + q²). Either way y is its own score.

    Values that are folded between ends are those of a wave that the ends do not change: with
    u = (y − low) / (high − low), c_m = cos(m π u) and normal noise of sd s in units of u,

        E[c_m(u) | t] = c_m(t) exp(−(m π s)² / 2),

    whatever was folded how often; rounding to a step makes it smaller again by sin(h) / h with
    h = m π step / 2. Position and square are sums of waves on (0, 1),

        t = 1/2 − 4/π² Σ_{m odd} c_m / m²,   t² = 1/3 + 4/π² Σ_m (−1)^m c_m / m²,

    so dividing each wave by what it lost gives scores. Waves that are nearly lost are left out;
    the noise follows from the variance, which is found by trying again until it stays.
    """
    if folds is not None and not multiplied:
        return _unfold(values, q, folds)
    mean, share = float(values.mean()), q**2 / (1 + q**2)
    variance = float(values.var())
    lost = share * (variance + mean**2 if multiplied else variance)
    return Scored(values, variance - lost) if variance > lost else None


def _unfold(values: Floats, q: float, folds: Folds) -> Scored | None:
    """Return the same of values that were folded."""
    width = folds.high - folds.low
    u = (values - folds.low) / width
    variance = float(u.var()) / (1 + q**2)
    for _ in range(TURNS):
        sd = q * np.sqrt(variance)
        if folds.step > 2 * sd * width:
            return None
        before, (first, second) = variance, _position(u, sd, folds.step / width)
        variance = float(second.mean() - first.mean() ** 2)
        if not variance > 0:
            return None
        if abs(variance - before) <= STEADY * before:
            break
    scores: Floats = folds.low + width * first
    return Scored(scores, variance * width**2)


def _position(u: Floats, sd: float, step: float) -> tuple[Floats, Floats]:
    """Return scores of the position between the ends and of its square, for noise of one sd."""
    reach = np.sqrt(2 * AMPLIFIED) / (np.pi * sd) if sd > 0 else MOST_WAVES
    first, second = np.full(len(u), 1 / 2), np.full(len(u), 1 / 3)
    for m in range(1, max(3, int(min(reach, MOST_WAVES))) + 1):
        left = np.exp(-((m * np.pi * sd) ** 2) / 2) * np.sinc(m * step / 2)
        wave = np.cos(m * np.pi * u) * (4 / np.pi**2 / m**2 / left)
        second += -wave if m % 2 else wave
        if m % 2:
            first -= wave
    return first, second
