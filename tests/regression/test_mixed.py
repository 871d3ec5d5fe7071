"""Random intercepts: beside statsmodels, beside integrals, and beside what lme4 published."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import gammaln
from statsmodels.genmod.families import Poisson
from statsmodels.genmod.generalized_linear_model import GLM
from statsmodels.regression.linear_model import OLS
from statsmodels.regression.mixed_linear_model import MixedLM

from discreet.arguments import Floats, Labels
from discreet.errors import InputError, RefusedError
from discreet.regression import Estimates, estimated, read_model
from discreet.regression.mixed import (
    Cumulant,
    Likelihood,
    binomial,
    by_quadrature,
    by_reml,
    poisson,
)

KINDS = {**dict.fromkeys("xyz", "continuous"), **dict.fromkeys(["site", "sex"], "categorical")}
SIZES = (40, 25, 60, 5, 30)


def drawn(*, spread: float = 1.0) -> tuple[Floats, Floats, Labels]:
    """Return a number, an intercept beside it, and levels of different sizes that differ."""
    random = np.random.default_rng(4)
    codes = np.repeat(np.arange(len(SIZES)), SIZES)
    matrix = np.column_stack([np.ones(len(codes)), random.normal(size=len(codes))])
    around = spread * np.array([-0.9, 0.4, 1.2, -0.3, -0.4])[codes]
    return matrix @ [1.0, 0.5] + around + random.normal(size=len(codes)), matrix, codes


def fitted(formula: str, family: str, outcome: Floats, matrix: Floats, codes: Labels) -> Estimates:
    asked = read_model(formula, family, KINDS)
    happened = outcome > 0 if family == "logistic" else None
    levels = {"site": [f"s{it}" for it in codes], "sex": ["f", "m"] * (len(codes) // 2)}
    return estimated(asked, {"x": matrix[:, 1], "y": outcome}, levels, happened)


# --- the formula --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("formula", "written"),
    [
        ("y ~ x+(1|site)", "y ~ x + (1 | site)"),
        ("y ~ (1 | C(site)) + sex*x", "y ~ C(sex) + x + C(sex):x + (1 | site)"),
        ("y ~ 1 + (1 | `site`)", "y ~ 1 + (1 | site)"),
        ("y ~ 0 + x + (1 | site)", "y ~ 0 + x + (1 | site)"),
    ],
)
def test_a_random_term_is_read(formula: str, written: str) -> None:
    asked = read_model(formula, "linear", KINDS)
    assert asked.formula == read_model(written, "linear", KINDS).formula == written
    assert asked.parsed.random == asked.levels[-1] == "site"
    assert "site" not in asked.parsed.model.levels


@pytest.mark.parametrize(
    ("formula", "says"),
    [
        ("y ~ (x | site)", "no random slopes"),
        ("y ~ x + (1 + x | site)", "no random slopes"),
        ("y ~ x + (1 | site) + (1 | sex)", "one such term at most"),
        ("y ~ x - (1 | site)", "a random term is an intercept"),
        ("y ~ x * (1 | site)", "a random term is an intercept"),
        ("y ~ x + 1 | site", "a random term is an intercept"),
        ("y ~ x + (1 | site:sex)", "cannot be read on from here"),
        ("y ~ x + (1 | site)(x)", "a bracket is closed that was not opened"),
        ("y ~ x + (1 | )", "something is missing here"),
        ("y ~ x + (1 | z)", r"of codes '\+ \(1 \| C\(ward\)\)'"),
        ("y ~ x + log(x | site)", "a random term is an intercept"),
        ("y ~ site + (1 | site)", "'site' is a random term and a fixed one"),
        ("y ~ 0 + (1 | site)", "needs another term beside it; keep the intercept"),
    ],
)
def test_what_is_no_random_term_is_refused(formula: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_model(formula, "linear", KINDS)


def test_a_cox_model_has_none() -> None:
    with pytest.raises(InputError, match=r"as a fixed term, .* study\.meta_analysis"):
        read_model("survival(y, z) ~ x + (1 | site)", "cox", KINDS)


# --- linear -------------------------------------------------------------------------------------


def test_a_linear_model_is_that_of_statsmodels_by_reml() -> None:
    outcome, matrix, codes = drawn()
    beside = MixedLM(outcome, matrix, codes).fit(reml=True, method="bfgs", gtol=1e-9)
    found = fitted("y ~ x + (1 | site)", "linear", 1e4 + 100 * outcome, matrix, codes)
    assert found.values == pytest.approx(100 * beside.fe_params + [1e4, 0], rel=1e-5)
    between = float(beside.cov_re[0, 0])
    covariance = beside.scale * np.eye(len(codes)) + between * (codes[:, None] == codes)
    known = np.linalg.inv(matrix.T @ np.linalg.solve(covariance, matrix))  # as if it were known
    assert np.sqrt(found.variances) == pytest.approx(100 * np.sqrt(np.diag(known)), rel=1e-5)
    assert found.quality[0] == "standard deviation between levels"
    assert found.quality[1] == pytest.approx(100 * math.sqrt(between), rel=1e-5)
    assert found.correlation == pytest.approx(between / (between + beside.scale), rel=1e-5)
    assert (found.random, found.rows, found.references) == (("site", 5), len(codes), ())


def test_levels_that_do_not_differ_leave_least_squares() -> None:
    outcome, matrix, codes = drawn(spread=0.0)
    plain = OLS(outcome, matrix).fit()
    found = fitted("y ~ x + (1 | site)", "linear", outcome, matrix, codes)
    assert found.quality[1] == found.correlation == 0
    assert found.values == pytest.approx(plain.params, rel=1e-9)
    assert np.sqrt(found.variances) == pytest.approx(plain.bse, rel=1e-9)


def test_one_large_level_does_not_hide_that_others_differ() -> None:
    # At no variance the likelihood falls, as the intercept is that of the large level.
    codes = np.repeat(np.arange(5), [4000, 30, 30, 30, 30])
    outcome = np.tile([-1.0, 1.0], 2060) + np.array([0.0, 1.3, -1.0, 1.0, -1.2])[codes]
    found = by_reml(outcome, np.ones((4120, 1)), codes)
    assert found is not None
    # Of level means 0, 1.3, -1, 1, -1.2 that are known to 1 / 30 the variance is 1.2.
    assert found.between == pytest.approx(1.12, abs=0.02)
    binary = (outcome > 0.5).astype(np.float64)
    likelihood = Likelihood.of(binary, np.ones((4120, 1)), codes, binomial)
    logit = by_quadrature(likelihood, np.array([math.log(binary.mean() / (1 - binary.mean()))]))
    assert logit is not None
    assert logit.between > 0.5


# --- others -------------------------------------------------------------------------------------


def tiny(cumulant: Cumulant) -> Likelihood:
    matrix = np.array([[1, 0.2], [1, -1], [1, 0.5], [1, 2], [1, 0.1], [1, -0.4], [1, 1]])
    outcome = [1, 0, 1, 0, 1, 1, 0] if cumulant is binomial else [3, 0, 1, 7, 1, 0, 2]
    codes = np.array([0, 1, 2, 0, 2, 2, 1])
    return Likelihood.of(np.array(outcome, dtype=np.float64), matrix, codes, cumulant)


@pytest.mark.parametrize("cumulant", [binomial, poisson])
def test_the_likelihood_is_an_integral(cumulant: Cumulant) -> None:
    it, at = tiny(cumulant), np.array([0.3, -0.2, 0.9])
    whole = 0.0
    for level in np.split(np.arange(7), it.starts[1:]):
        y, fixed = it.outcome[level], it.matrix[level] @ at[:-1]

        def density(u: float, y: Floats = y, fixed: Floats = fixed) -> float:
            total, _, _ = cumulant(fixed + at[-1] * u)
            return math.exp(y @ (fixed + at[-1] * u) - total.sum() - u**2 / 2) / math.sqrt(math.tau)

        whole -= math.log(quad(density, -12, 12, epsabs=1e-13)[0])
    height, slope, curvature = it(at)
    assert height == pytest.approx(whole, abs=1e-6)
    steps = 1e-4 * np.eye(3)
    slopes = [(it(at + step)[0] - it(at - step)[0]) / 2e-4 for step in steps]
    assert slope == pytest.approx(slopes, abs=1e-5)
    curvatures = [(it(at + step)[1] - it(at - step)[1]) / 2e-4 for step in steps]
    assert curvature == pytest.approx(np.array(curvatures), abs=1e-4)


def test_of_much_information_fewer_places_are_enough() -> None:
    random = np.random.default_rng(1)
    outcome = random.poisson(0.4, 3000).astype(np.float64)  # 1,200 counts
    few = Likelihood(outcome, np.ones((3000, 1)), np.array([0]), poisson)
    at = np.array([-1.2, 0.8])
    found, best = few(at), dataclasses.replace(few, fewer=40)(at)
    assert found[0] == pytest.approx(best[0], abs=1e-6)
    assert found[1] == pytest.approx(best[1], abs=1e-4 * math.sqrt(best[2][0, 0]))


CATTLE = (  # incidence of size, a herd a line and a period a column: Lesnoff et al. 2004
    "2/14 3/12 4/9 0/5", "3/22 1/18 1/21", "8/22 2/16 0/16 2/20", "2/10 0/10 2/9 0/6",
    "5/18 0/25 0/24 1/4", "3/17 0/17 0/18 1/20", "8/16 1/10 3/9 0/5", "12/34", "2/9 0/6 0/8 0/6",
    "1/22 1/22 0/18 2/22", "0/25 5/27 3/22 1/22", "2/10 1/8 0/6 0/5", "1/21 2/24 0/19 0/23",
    "11/19 0/2 0/3 0/2", "1/19 1/15 1/15 0/15",
)  # fmt: skip


def test_herds_of_cattle_are_as_lme4_has_them() -> None:
    herds, periods, events, choices = [], [], [], 0.0
    for herd, line in enumerate(CATTLE):
        for period, cell in enumerate(line.split()):
            some, size = map(int, cell.split("/"))
            herds += [herd] * size
            periods += [period] * size
            events += [1.0] * some + [0.0] * (size - some)
            choices += gammaln(size + 1) - gammaln(some + 1) - gammaln(size - some + 1)
    matrix = np.column_stack([np.ones(len(herds)), np.array(periods)[:, None] == [1, 2, 3]])
    likelihood = Likelihood.of(np.array(events), matrix, np.array(herds), binomial)
    laplace = dataclasses.replace(likelihood, nodes=1, fewer=1)
    at = np.array([-1.398343, -0.991925, -1.128216, -1.579745, 0.642070])  # glmer, nAGQ = 1
    assert 2 * (laplace(at)[0] - choices) == pytest.approx(184.053, abs=1e-3)
    found = by_quadrature(likelihood, np.zeros(4))
    assert found is not None
    assert [*found.values, found.between] == pytest.approx(at, abs=0.006)
    published = [0.2312, 0.3032, 0.3228, 0.4220]
    assert np.sqrt(np.diag(found.covariance)) == pytest.approx(published, rel=0.015)


def test_a_logistic_model_has_its_maximum_where_no_step_leads_up() -> None:
    outcome, matrix, codes = drawn()
    found = fitted("y ~ x + (1 | site)", "logistic", outcome, matrix, codes)
    it = Likelihood.of((outcome > 0).astype(np.float64), matrix, codes, binomial)
    _, slope, curvature = it(np.append(found.values, found.quality[1]))
    errors = np.sqrt(np.diag(np.linalg.inv(curvature)))
    assert slope * errors == pytest.approx(np.zeros(3), abs=1e-4)
    assert np.sqrt(found.variances) == pytest.approx(errors[:2], rel=1e-5)
    assert (found.events, found.random) == (int((outcome > 0).sum()), ("site", 5))


def test_counts_that_do_not_differ_by_level_leave_the_model_without() -> None:
    _, matrix, codes = drawn()
    counts = np.random.default_rng(2).binomial(4, 0.5, len(codes)).astype(np.float64)
    plain = GLM(counts, matrix, Poisson()).fit()
    found = fitted("y ~ x + (1 | site)", "poisson", counts, matrix, codes)
    assert found.quality[1] == 0
    assert found.values == pytest.approx(plain.params, abs=1e-6)
    assert np.sqrt(found.variances) == pytest.approx(plain.bse, rel=1e-5)


@pytest.mark.parametrize(
    ("formula", "family", "changed", "says"),
    [
        ("y ~ x + (1 | sex)", "linear", {}, "needs a column of 3 levels or more"),
        ("y ~ x + (1 | site)", "linear", {"weights": np.ones(160)}, "has no weights here"),
        ("y ~ x + (1 | site)", "poisson", {"persons": np.arange(160)}, "one row for each person"),
        ("y ~ x + (1 | site)", "poisson", {"y": -np.arange(160.0)}, "is a count, 0 or more"),
        ("y ~ x + (1 | site)", "linear", {"y": 1.0 * np.repeat(range(5), SIZES)}, "no residual"),
        ("y ~ x + z + (1 | site)", "linear", {}, "nothing to a random term"),
        ("y ~ x + (1 | site)", "logistic", {"happened": True}, "no finite estimates"),
        ("y ~ x + (1 | site)", "linear", {"site": np.arange(160)}, "needs levels of several rows"),
    ],
)
def test_what_has_no_estimates_is_refused(
    formula: str, family: str, changed: dict[str, Any], says: str
) -> None:
    outcome, matrix, codes = drawn()
    codes = np.minimum(codes, 2) if "z" in formula else codes
    numbers = {"y": changed.get("y", outcome), "x": matrix[:, 1], "z": 1.0 * (codes == 1)}
    if "z" in formula:
        numbers["x"] = 1.0 * (codes == 2)
    levels = {"site": [f"s{it}" for it in changed.get("site", codes)], "sex": ["f", "m"] * 80}
    happened = matrix[:, 1] > 0.1 if "happened" in changed else None
    asked = read_model(formula, family, KINDS)
    with pytest.raises((InputError, RefusedError), match=says):
        estimated(asked, numbers, levels, happened, changed.get("weights"), changed.get("persons"))
