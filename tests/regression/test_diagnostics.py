"""The fit: worked by hand, against statsmodels' formulas and a hat matrix; and its correction."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from discreet.errors import InputError, RefusedError
from discreet.methods import Multiplicative, outside
from discreet.regression import Fit, Folds, cook_line, corrected, fit, quantiles, read_formula
from discreet.regression.diagnostics import scored

Floats = NDArray[np.float64]

KINDS: Mapping[str, str] = {
    "y": "continuous",
    "x": "continuous",
    "z": "continuous",
    "sex": "categorical",
    "group": "categorical",
}
PER_ROW = ("fitted", "residuals", "standardized", "leverage", "cooks")


def table(n: int = 60, seed: int = 0) -> tuple[dict[str, Floats], dict[str, list[str]]]:
    """Make columns of which y follows from all others, with noise."""
    rng = np.random.default_rng(seed)
    x = rng.normal(3, 1, n).clip(0.5, None)
    z = 0.5 * x + rng.gamma(2, 1, n)
    sex = [("f", "m")[i] for i in rng.integers(0, 2, n)]
    group = [("a", "b", "c:d")[i] for i in rng.integers(0, 3, n)]
    y = np.exp(0.1 * x + 0.2 * (np.array(sex) == "m") - 0.05 * z + rng.normal(0, 0.2, n))
    return {"y": y, "x": x, "z": z}, {"sex": sex, "group": group}


def fitted(formula: str, numbers: Any, texts: Any, residual_df: int = 1) -> Fit:
    return fit(read_formula(formula, KINDS), numbers, texts, residual_df)


def close(actual: Any, desired: Any, atol: float = 0.0) -> None:
    np.testing.assert_allclose(actual, desired, rtol=1e-10, atol=atol)


FORMULAS = [
    "y ~ x",
    "y ~ x - 1",
    "y ~ C(sex)",
    "y ~ x + C(sex) + C(group)",
    "y ~ 0 + C(group) + x",
    "y ~ x * C(sex)",
    "y ~ x * z * C(sex)",
    "y ~ x + I(x**2) + log(z)",
    "log(y) ~ sqrt(x):C(group) + z",
]


@pytest.mark.parametrize("formula", FORMULAS)
def test_as_statsmodels_by_formula(formula: str) -> None:
    numbers, texts = table()
    frame = pd.DataFrame({**numbers, **texts})
    written = formula.replace("log", "np.log").replace("sqrt", "np.sqrt")
    theirs = smf.ols(written, frame).fit()
    influence = theirs.get_influence()

    ours = fitted(formula, numbers, texts)

    p = len(theirs.params)
    small = 1e-10 * float(np.abs(theirs.resid).max())
    assert (ours.rank_p, ours.residual_df) == (p, len(frame) - p)
    names = [name.replace("np.", "") for name in theirs.params.index]
    order = [ours.terms.index(name) for name in names]
    close(ours.coefficients[order], theirs.params)
    close(ours.standard_errors[order], theirs.bse)
    close(ours.fitted, theirs.fittedvalues)
    close(ours.residuals, theirs.resid, small)
    close(ours.standardized, theirs.resid / theirs.resid.std(ddof=1), 1e-10)
    close(ours.leverage, influence.hat_matrix_diag)
    close(ours.cooks, influence.cooks_distance[0], 1e-12)


def test_by_hand() -> None:
    ours = fitted("y ~ x", {"x": [0, 1, 2, 3], "y": [0, 1, 1, 2]}, {})
    # Sxx = 5, Sxy = 3, slope 3/5, intercept 1 - 0.9; RSS = 0.2, s² = 0.1
    e = np.array([-0.1, 0.3, -0.3, 0.1])
    h = np.array([0.7, 0.3, 0.3, 0.7])
    assert ours.terms == ("Intercept", "x")
    np.testing.assert_allclose(ours.coefficients, [0.1, 0.6], rtol=1e-12)
    np.testing.assert_allclose(ours.standard_errors, [0.07**0.5, 0.02**0.5], rtol=1e-12)
    np.testing.assert_allclose(ours.fitted, [0.1, 0.7, 1.3, 1.9], rtol=1e-12)
    np.testing.assert_allclose(ours.residuals, e, rtol=1e-12)
    np.testing.assert_allclose(ours.standardized, e / (0.2 / 3) ** 0.5, rtol=1e-12)
    np.testing.assert_allclose(ours.leverage, h, rtol=1e-12)
    np.testing.assert_allclose(ours.cooks, e**2 / 0.2 * h / (1 - h) ** 2, rtol=1e-12)
    assert (ours.residual_df, ours.rank_p) == (2, 2)


def test_a_fit_prints_its_formula_alone() -> None:
    ours = fitted("y~x*sex", *table())
    assert repr(ours) == str(ours) == "Fit(y ~ x + C(sex) + x:C(sex))"


@pytest.mark.parametrize("shift", [0, 2**27])
def test_columns_far_from_zero_are_fitted_exactly(shift: int) -> None:
    rng = np.random.default_rng(3)
    x, y = (np.round(rng.normal(size=40) * 2**20) / 2**20 + shift for _ in range(2))
    xs, ys = [Fraction(each) for each in x], [Fraction(each) for each in y]
    x_mean, y_mean = sum(xs) / 40, sum(ys) / 40
    sxx = sum((each - x_mean) ** 2 for each in xs)
    slope = sum((a - x_mean) * (b - y_mean) for a, b in zip(xs, ys, strict=True)) / sxx
    e = [b - y_mean - slope * (a - x_mean) for a, b in zip(xs, ys, strict=True)]
    h = [Fraction(1, 40) + (each - x_mean) ** 2 / sxx for each in xs]
    s2 = sum(each**2 for each in e) / 38
    cooks = [a**2 / (2 * s2) * b / (1 - b) ** 2 for a, b in zip(e, h, strict=True)]

    ours = fitted("y ~ x", {"x": x, "y": y}, {})

    assert ours.coefficients[1] == pytest.approx(float(slope), rel=1e-12)
    assert ours.coefficients[0] == pytest.approx(float(y_mean - slope * x_mean), rel=1e-12)
    assert ours.standard_errors[1] == pytest.approx(float(s2 / sxx) ** 0.5, rel=1e-12)
    intercept_error = float(s2 * (Fraction(1, 40) + x_mean**2 / sxx)) ** 0.5
    assert ours.standard_errors[0] == pytest.approx(intercept_error, rel=1e-12)
    np.testing.assert_allclose(ours.residuals, [float(each) for each in e], atol=1e-13)
    np.testing.assert_allclose(ours.leverage, [float(each) for each in h], rtol=1e-12)
    np.testing.assert_allclose(ours.cooks, [float(each) for each in cooks], rtol=1e-10)


@settings(deadline=None, max_examples=10)
@given(st.sampled_from(FORMULAS), st.permutations(range(30)))
def test_permuted_rows_give_the_permuted_result(formula: str, order: list[int]) -> None:
    numbers, texts = table(30, seed=2)
    permuted = {name: column[order] for name, column in numbers.items()}
    relabelled = {name: [column[i] for i in order] for name, column in texts.items()}
    before, after = fitted(formula, numbers, texts), fitted(formula, permuted, relabelled)
    assert after.terms == before.terms
    np.testing.assert_allclose(after.coefficients, before.coefficients, rtol=1e-9, atol=1e-12)
    for name in PER_ROW:
        np.testing.assert_allclose(
            getattr(after, name), getattr(before, name)[order], rtol=1e-8, atol=1e-11
        )


@pytest.mark.parametrize("n", [3, 4, 10])
def test_residual_degrees_of_freedom(n: int) -> None:
    numbers, _ = table(n)
    assert fitted("y ~ x", numbers, {}, residual_df=n - 2).residual_df == n - 2
    with pytest.raises(RefusedError, match="too few residual degrees of freedom; the policy asks"):
        fitted("y ~ x", numbers, {}, residual_df=n - 1)


@pytest.mark.parametrize("wanted", [0, 1.5])
def test_residual_df_is_a_whole_number(wanted: Any) -> None:
    with pytest.raises(InputError, match="residual_df must be a whole number"):
        fitted("y ~ x", *table(), residual_df=wanted)


def test_exact_fits_are_refused() -> None:
    x, z = table()[0]["x"], table()[0]["z"]
    for y in (2 * x - z, 1e8 + x, 1e-9 * x + 1e-12):
        with pytest.raises(RefusedError, match="leaves no residual variance"):
            fitted("y ~ x + z", {"x": x, "z": z, "y": y}, {})
    with pytest.raises(RefusedError, match="leaves no residual variance"):
        fitted("y ~ x", {"x": x, "y": np.ones(60)}, {})


def test_a_level_of_one_row_is_refused() -> None:
    numbers, texts = table()
    texts["sex"] = ["only"] + ["other"] * 59
    with pytest.raises(RefusedError, match="depends on one row alone"):
        fitted("y ~ x + sex", numbers, texts)


def test_dependent_terms_are_refused_by_name_of_no_value() -> None:
    numbers, texts = table()
    with pytest.raises(RefusedError, match="is constant or follows from the others; leave one out"):
        fitted("y ~ x + z", {**numbers, "z": 1 - numbers["x"]}, texts)


# --- Cook's distance as a line ---------------------------------------------------------------


@pytest.mark.parametrize("formula", ["y ~ x + z", "y ~ x * sex", "y ~ 0 + group + x"])
def test_cook_lines_pass_through_the_points(formula: str) -> None:
    ours = fitted(formula, *table())
    for i in range(0, 60, 7):
        line = cook_line(
            float(ours.cooks[i]), ours.rank_p, ours.residual_df, ours.leverage[i : i + 1]
        )
        assert line[0] == pytest.approx(abs(ours.standardized[i]), rel=1e-9)


def test_cook_lines_at_the_ends() -> None:
    line = cook_line(0.5, 3, 20, np.array([-0.1, 0.0, 1e-300, 1.0, 1.1, np.nan]))
    assert np.isnan(line[[0, 4, 5]]).all()
    assert line[1] == np.inf
    assert np.isfinite(line[2])
    assert line[3] == 0


@pytest.mark.parametrize("distance", [0, np.inf, True])
def test_cook_lines_of_no_distance(distance: Any) -> None:
    with pytest.raises(InputError, match="distance must be"):
        cook_line(distance, 2, 10, np.array([0.5]))


# --- corrected for noise ---------------------------------------------------------------------


@pytest.mark.parametrize("q", [0.0, 0.1, 0.5, 2.0])
def test_one_covariate_is_corrected_by_a_factor(q: float) -> None:
    numbers, texts = table()
    naive = fitted("y ~ x", numbers, texts).coefficients
    found = corrected(read_formula("y ~ x", KINDS), numbers, texts, noise=q)
    assert found is not None
    slope = naive[1] * (1 + q**2)
    expected = [numbers["y"].mean() - slope * numbers["x"].mean(), slope]
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_without_noise_it_is_least_squares() -> None:
    numbers, texts = table()
    model = read_formula("y ~ x + group + z + sex", KINDS)
    found = corrected(model, numbers, texts, noise=0)
    assert found is not None
    np.testing.assert_allclose(found, fit(model, numbers, texts).coefficients, rtol=1e-9)


def test_by_moments_with_a_categorical_covariate() -> None:
    numbers, texts = table()
    male = np.array([float(each == "m") for each in texts["sex"]])
    columns = np.column_stack([numbers["x"], male, numbers["z"]])
    q = 0.4
    share = q**2 / (1 + q**2)
    both = np.cov(np.column_stack([columns, numbers["y"]]).T)
    error = np.diag([share * both[0, 0], 0, share * both[2, 2]])
    slopes = np.linalg.solve(both[:3, :3] - error, both[:3, 3])
    expected = [numbers["y"].mean() - columns.mean(axis=0) @ slopes, *slopes]
    found = corrected(read_formula("y ~ x + sex + z", KINDS), numbers, texts, noise=q)
    assert found is not None
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_the_truth_is_recovered_on_average() -> None:
    rng = np.random.default_rng(7)
    n, q, times = 1000, 0.3, 40
    model = read_formula("y ~ x + z + sex", KINDS)
    right, naive = [], []
    for _ in range(times):
        male = rng.integers(0, 2, n)
        x = rng.normal(5, 2, n) + 1.5 * male
        z = 0.5 * x + rng.normal(0, 1, n)
        raw = {"x": x, "z": z, "y": 1 + 2 * x - 1 * z + 3 * male + rng.normal(0, 1, n)}
        noised = {name: v + q * v.std(ddof=1) * rng.normal(size=n) for name, v in raw.items()}
        texts = {"sex": [("f", "m")[each] for each in male]}
        right.append(corrected(model, noised, texts, q))
        naive.append(fit(model, noised, texts).coefficients)

    truth = np.array([1.0, 2, -1, 3])  # Intercept, x, z, C(sex)[T.m]
    errors = np.std(np.array(right), axis=0, ddof=1) / times**0.5
    assert (np.abs(np.mean(np.array(right), axis=0) - truth) < 2.5 * errors).all()
    assert (np.abs(np.mean(naive, axis=0) - truth) > 10 * errors).all()


def test_noise_that_leaves_nothing_is_not_corrected() -> None:
    numbers, texts = table()
    numbers["z"] = numbers["x"] + 0.01 * numbers["z"]
    model = read_formula("y ~ x + z", KINDS)
    assert corrected(model, numbers, texts, noise=0.001) is not None
    assert corrected(model, numbers, texts, noise=0.5) is None


@pytest.mark.parametrize("noise", [-0.1, np.inf, np.nan, True, "1", None])
def test_noise_is_a_ratio(noise: Any) -> None:
    numbers, texts = table()
    with pytest.raises(InputError, match="noise must be"):
        corrected(read_formula("y ~ x", KINDS), numbers, texts, noise)


# --- quantiles -------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "a"), [(1, 0.375), (10, 0.375), (11, 0.5), (500, 0.5)])
def test_quantiles(n: int, a: float) -> None:
    expected = stats.norm.ppf((np.arange(1, n + 1) - a) / (n + 1 - 2 * a))
    np.testing.assert_allclose(quantiles(n), expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("n", [0, 1.0])
def test_quantiles_are_counted(n: Any) -> None:
    with pytest.raises(InputError, match="n must be a whole number"):
        quantiles(n)


# --- the module ------------------------------------------------------------------------------


FLOATS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.integers(-3, 3).map(float),
    st.floats(-1e-150, 1e-150),
)
ROWS = st.lists(st.tuples(FLOATS, FLOATS, FLOATS, st.sampled_from("fm")), min_size=1, max_size=9)


@settings(deadline=None)
@given(st.sampled_from(FORMULAS[:9]), ROWS)
def test_whatever_the_numbers_it_is_finite_or_refused(
    formula: str, rows: list[tuple[float, float, float, str]]
) -> None:
    numbers = {name: [row[i] for row in rows] for i, name in enumerate("yxz")}
    texts = {"sex": [row[3] for row in rows], "group": [row[3] for row in rows]}
    try:
        ours = fitted(formula, numbers, texts)
        slopes = corrected(read_formula(formula, KINDS), numbers, texts, 0.1)
    except RefusedError:
        return
    for name in ("coefficients", "standard_errors", *PER_ROW):
        assert np.isfinite(getattr(ours, name)).all()
    assert slopes is None or np.isfinite(slopes).all()


# --- scores of columns with noise: right on average, also where values were folded at ends --------


N = 40_000
KINDS_of_noise = {"x": "continuous", "y": "continuous", "z": "continuous", "sex": "categorical"}
SHAPES: dict[str, Any] = {
    "normal": lambda rng: rng.normal(size=N),
    "uniform": lambda rng: rng.uniform(size=N),
    "skewed": lambda rng: np.minimum(rng.exponential(size=N), 6.0),
    "two modes": lambda rng: np.where(rng.random(N) < 0.3, -2.0, 2.0) + rng.normal(size=N),
}


def folded(x: Floats, q: float, rng: Any, step: float = 0.0) -> tuple[Floats, Folds]:
    """Add noise, put back what went beyond the ends by as much, and round to a step."""
    low, high = float(np.floor(x.min() * 20) / 20), float(np.ceil(x.max() * 20) / 20)
    y = outside(x + q * x.std() * rng.normal(size=len(x)), low, high, "reflect")
    return np.round(y / step) * step if step else y, Folds(low, high, step)


@pytest.mark.parametrize(
    ("shape", "q"), [*zip(SHAPES.values(), [0.1, 0.25, 0.5, 0.5], strict=True)], ids=SHAPES
)
def test_folded_noise_is_taken_out_of_means_variances_and_products(shape: Any, q: float) -> None:
    rng = np.random.default_rng(3)
    x = shape(rng)
    z = x + rng.normal(size=N)
    y, folds = folded(x, q, rng, 0.02 * x.std())
    found = scored(y, q, folds=folds)
    assert found is not None
    assert found.variance == pytest.approx(x.var(), rel=0.04)
    assert found.scores.mean() == pytest.approx(x.mean(), abs=0.02 * x.std())
    assert np.cov(found.scores, z)[0, 1] == pytest.approx(np.cov(x, z)[0, 1], rel=0.04)


def test_what_folding_does_to_the_plain_correction_is_larger_than_the_tolerance() -> None:
    # so that the test above can fail
    rng = np.random.default_rng(3)
    x = SHAPES["uniform"](rng)
    y, _ = folded(x, 0.5, rng)
    plain = scored(y, 0.5)
    assert plain is not None
    assert plain.variance < 0.85 * x.var()


def test_rounding_to_whole_numbers_is_taken_out_where_noise_is_wider() -> None:
    rng = np.random.default_rng(4)
    x = np.round(rng.normal(20, 4, N))
    y, folds = folded(x, 0.25, rng, 1.0)
    found = scored(y, 0.25, folds=folds)
    assert found is not None
    assert found.variance == pytest.approx(x.var(), rel=0.03)
    narrow, folds = folded(x, 0.05, rng, 1.0)
    assert scored(narrow, 0.05, folds=folds) is None


def regression(rng: Any) -> tuple[dict[str, Floats], dict[str, list[str]]]:
    """Return y = 1 + 2 x - z + 3 (m) with columns that end somewhere."""
    male = rng.integers(0, 2, N)
    x = rng.uniform(0, 4, N) + 0.5 * male
    z = 0.5 * x + rng.uniform(-2, 2, N)
    y = 1 + 2 * x - z + 3 * male + rng.normal(0, 1, N)
    return {"x": x, "z": z, "y": y}, {"sex": [("f", "m")[each] for each in male]}


TRUTH = [1.0, 2.0, 3.0, -1.0]  # Intercept, x, C(sex)[T.m], z
MODEL = read_formula("y ~ x + sex + z", KINDS_of_noise)


@pytest.mark.slow
def test_a_regression_on_folded_columns_is_corrected() -> None:
    rng = np.random.default_rng(6)
    numbers, texts = regression(rng)
    pairs = {name: folded(values, 0.3, rng, 0.01) for name, values in numbers.items()}
    noised = {name: pair[0] for name, pair in pairs.items()}
    folds = {name: pair[1] for name, pair in pairs.items()}
    found = corrected(MODEL, noised, texts, 0.3, folds=folds)
    plain = corrected(MODEL, noised, texts, 0.3)
    assert found is not None
    assert plain is not None
    np.testing.assert_allclose(found, TRUTH, atol=0.1)
    assert np.abs(plain - TRUTH).max() > 2 * np.abs(found - TRUTH).max()


def test_a_regression_on_multiplied_columns_is_corrected() -> None:
    rng = np.random.default_rng(7)
    numbers, texts = regression(rng)
    method, strata = Multiplicative(0.2), np.zeros(N, dtype=np.intp)
    noised = {
        name: method(values[:, None], rng.normal(size=(N, 1)), strata)[:, 0]
        for name, values in numbers.items()
    }
    found = corrected(MODEL, noised, texts, 0.2, multiplied=True)
    assert found is not None
    np.testing.assert_allclose(found, TRUTH, atol=0.12)
