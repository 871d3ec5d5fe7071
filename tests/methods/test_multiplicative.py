"""Multiplied noise: factors of mean 1 that are the record's own, and moments by their formulas."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import discreet as dc
from discreet import datasets
from discreet.errors import InputError, RefusedError
from discreet.methods import Multiplicative, multiplicative, probabilistic

Floats = NDArray[np.float64]
SECRET = bytes(range(32))
ROOT = np.log1p(0.5**2) ** 0.5  # the sd of the logarithm of a factor of sd .5


@pytest.fixture(scope="module")
def d2() -> Floats:
    table = datasets.d2()
    return np.column_stack([table["X"].to_numpy(), table["Y"].to_numpy()])


BY_HAND: dict[str, tuple[Any, Any, float, Any]] = {
    # exp(-s² / 2) = (1 + q²)^(-1/2) where the noise is 0
    "no noise still has the factor of the mean": ([[2], [4]], [[0], [0]], 0.5,
                                                  [[2 / 1.25**0.5], [4 / 1.25**0.5]]),
    "half a variance up is 1": ([[3], [-8]], [[ROOT / 2], [ROOT / 2]], 0.5, [[3], [-8]]),
    "one sd up": ([[10]], [[1]], 0.5, [[10 * np.exp(ROOT) / 1.25**0.5]]),
    "zero stays": ([[0], [1]], [[3], [ROOT / 2]], 0.5, [[0], [1]]),
    "each value by its own": ([[1, 2], [3, 4]], [[ROOT / 2, 0], [0, ROOT / 2]], 0.5,
                              [[1, 2 / 1.25**0.5], [3 / 1.25**0.5, 4]]),
}  # fmt: skip


@pytest.mark.parametrize(("x", "normals", "q", "out"), BY_HAND.values(), ids=BY_HAND)
def test_by_hand(x: Any, normals: Any, q: float, out: Any) -> None:
    strata = np.zeros(len(x), dtype=np.intp)

    noised = Multiplicative(q)(np.array(x, float), np.array(normals, float), strata)

    np.testing.assert_allclose(noised, out, rtol=1e-12)


COLUMNS: dict[str, Any] = {
    "positive": lambda rng, n: rng.lognormal(0, 0.5, n),
    "both signs": lambda rng, n: rng.normal(1, 2, n),
    "far from 0": lambda rng, n: rng.normal(50, 1, n),
    "many zeros": lambda rng, n: np.where(rng.random(n) < 0.5, 0.0, rng.exponential(3, n)),
}


@pytest.mark.parametrize("q", [0.1, 0.25, 0.5])
@pytest.mark.parametrize("draw", COLUMNS.values(), ids=list(COLUMNS))
def test_the_mean_is_kept_and_the_variance_is_by_its_formula(draw: Any, q: float) -> None:
    n = 200_000
    rng = np.random.default_rng(5)
    x = np.column_stack([draw(rng, n), rng.normal(size=n)])

    y = Multiplicative(q)(x, rng.normal(size=x.shape), np.zeros(n, dtype=np.intp))

    moved, first = (y - x)[:, 0], x[:, 0]
    error = q * np.sqrt(np.mean(first**2) / n)
    assert abs(moved.mean()) < 4 * error
    assert np.mean(moved**2) == pytest.approx(q**2 * np.mean(first**2), rel=0.05)
    assert y[:, 0].var() == pytest.approx(first.var() + q**2 * np.mean(first**2), rel=0.05)
    # columns have factors of their own: products are kept, which gives covariances back
    assert abs(np.mean(y[:, 0] * y[:, 1]) - np.mean(x[:, 0] * x[:, 1])) < 6 * error


laws = settings(deadline=None, derandomize=True, max_examples=30)


@laws
@given(st.randoms(use_true_random=False))
def test_permuted_rows_give_the_permuted_result(random: Any) -> None:
    table = datasets.d2()
    x = np.column_stack([table["X"].to_numpy(), table["Y"].to_numpy()])[:50]
    order = list(range(len(x)))
    random.shuffle(order)
    kept = x.copy()

    out = multiplicative(x, 0.25, SECRET)

    assert multiplicative(x[order], 0.25, SECRET).tobytes() == out[order].tobytes()
    assert x.tobytes() == kept.tobytes()


@laws
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20), st.floats(0.01, 2))
def test_signs_and_zeros_stay(values: list[float], q: float) -> None:
    out = multiplicative(values, q, SECRET)[:, 0]

    assert np.sign(out).tolist() == np.sign(values).tolist()


def test_a_record_keeps_its_factor_whoever_leaves(d2: Floats) -> None:
    assert (multiplicative(d2[::3], 0.5, SECRET) == multiplicative(d2, 0.5, SECRET)[::3]).all()


def test_factors_belong_to_the_secret_the_identifier_and_the_column(d2: Floats) -> None:
    names = [f"person {i}" for i in range(len(d2))]
    factor = multiplicative(d2, 0.5, SECRET, keys=names, columns=["x", "y"]) / d2

    again = multiplicative(2 * d2[:, ::-1], 0.5, SECRET, keys=names, columns=["y", "x"])
    np.testing.assert_allclose((again / (2 * d2[:, ::-1]))[:, ::-1], factor, rtol=1e-12)
    for other in (
        multiplicative(d2, 0.5, bytes(range(1, 33)), keys=names, columns=["x", "y"]),
        multiplicative(d2, 0.5, SECRET, columns=["x", "y"]),
        multiplicative(d2, 0.5, SECRET, keys=names, columns=["u", "v"]),
    ):
        assert (np.abs(other / d2 - factor) > 1e-9).mean() > 0.99


def test_its_noise_is_not_that_which_is_added(d2: Floats) -> None:
    # both beside each other would be two equations for a value and its noise
    added = (probabilistic(d2, 0.5, SECRET) - d2) / (0.5 * d2.std(axis=0, ddof=1))
    multiplied = np.log(multiplicative(d2, 0.5, SECRET) / d2)

    assert abs(np.corrcoef(added[:, 0], multiplied[:, 0])[0, 1]) < 0.15


WRONG: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "no noise": ({"q": 0}, InputError, "q must be above 0"),
    "q is infinite": ({"q": float("inf")}, InputError, "q must be a finite number"),
    "a short secret": ({"secret": "x" * 32}, InputError, "at least 16 random bytes"),
    "keys of other rows": ({"keys": ["a"]}, InputError, "one identifier for each row"),
    "columns of other names": ({"columns": ["a", "b"]}, InputError, "one name for each column"),
    "a missing value": ({"X": [[float("nan")]]}, InputError, "missing or infinite"),
    "too large": ({"X": [1.7e308] * 50, "q": 2.0}, RefusedError, "more than can be computed with"),
}


@pytest.mark.parametrize(("change", "error", "message"), WRONG.values(), ids=WRONG)
def test_what_is_wrong(change: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        multiplicative(**{"X": [[1.0], [2.0]], "q": 0.25, "secret": SECRET, **change})


def test_plots_and_tables_of_the_papers_are_made_with_it() -> None:
    study = dc.research(datasets.d2())

    view = study.scatter("X", "Y", method="multiplicative", q=0.1)
    release = study.anonymize(["X", "Y"], method="multiplicative", q=0.1)

    assert (view.method, dict(view.parameters)) == ("multiplicative", {"q": 0.1})
    assert all(x > 0 for x in view.x)
    assert release.report.made["q"] == 0.1
    assert "k" not in release.report.made
    assert "multiplied by a random factor" in release.report.to_text()
