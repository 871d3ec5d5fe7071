"""Scores of columns with noise: right on average, also where values were folded at ends."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.methods import Multiplicative, outside
from discreet.regression import Folds, corrected, read_formula
from discreet.regression.diagnostics import scored

Floats = NDArray[np.float64]
N = 40_000
KINDS = {"x": "continuous", "y": "continuous", "z": "continuous", "sex": "categorical"}
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


@pytest.mark.parametrize("q", [0.1, 0.25, 0.5])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=list(SHAPES))
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


def test_plain_and_multiplied_noise_by_hand() -> None:
    y = np.array([1.0, 2.0, 3.0, 6.0])  # mean 3, variance 3.5, mean square 12.5

    added, multiplied = scored(y, 0.5), scored(y, 0.5, multiplied=True)

    assert added is not None
    assert multiplied is not None
    assert added.variance == pytest.approx(3.5 / 1.25)
    assert multiplied.variance == pytest.approx(12.5 / 1.25 - 9)
    assert scored(y, 1.0, multiplied=True) is None  # 12.5 / 2 < 9


def regression(rng: Any) -> tuple[dict[str, Floats], dict[str, list[str]]]:
    """Return y = 1 + 2 x - z + 3 (m) with columns that end somewhere."""
    male = rng.integers(0, 2, N)
    x = rng.uniform(0, 4, N) + 0.5 * male
    z = 0.5 * x + rng.uniform(-2, 2, N)
    y = 1 + 2 * x - z + 3 * male + rng.normal(0, 1, N)
    return {"x": x, "z": z, "y": y}, {"sex": [("f", "m")[each] for each in male]}


TRUTH = [1.0, 2.0, 3.0, -1.0]  # Intercept, x, C(sex)[T.m], z
MODEL = read_formula("y ~ x + sex + z", KINDS)


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
