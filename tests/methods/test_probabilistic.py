"""Keyed noise: in proportion to the column, and the record's own whatever is around it."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet import datasets
from discreet.arguments import parameters_of
from discreet.errors import InputError, RefusedError
from discreet.methods import Multiplicative, multiplicative
from discreet.methods import probabilistic as probabilistic_multiplicative
from discreet.methods.probabilistic import Probabilistic, probabilistic

FAR_NOISE = parameters_of(Probabilistic)["far_noise"].words

Floats = NDArray[np.float64]
SECRET = bytes(range(32))


@pytest.fixture(scope="module")
def d1() -> Floats:
    table = datasets.d1()
    return np.column_stack([table["X"].to_numpy(), table["Y"].to_numpy()])


BY_HAND: dict[str, tuple[Any, Any, float, Any]] = {
    "one column of sd 1": ([[1], [2], [3]], [[1], [0], [-2]], 0.5, [[1.5], [2], [2]]),
    "each column by its own sd": (
        [[0, 10], [2, 10], [4, 40]],
        [[1, 0], [0, 1], [0, 0]],
        1.0,
        [[2, 10], [2, 10 + 300**0.5], [4, 40]],
    ),
}


@pytest.mark.parametrize(("x", "normals", "q", "out"), BY_HAND.values(), ids=BY_HAND)
def test_by_hand(x: Any, normals: Any, q: float, out: Any) -> None:
    strata = np.zeros(len(x), dtype=np.intp)
    noised = Probabilistic(q)(np.array(x, float), np.array(normals, float), strata)
    np.testing.assert_allclose(noised, out, rtol=1e-12)


def test_the_noise_has_q_times_the_columns_sd(d1: Floats) -> None:
    noise = probabilistic(d1, 0.25, SECRET) - d1
    share = noise.std(axis=0, ddof=1) / d1.std(axis=0, ddof=1)
    assert share == pytest.approx([0.25, 0.25], rel=0.1)  # sd of an sd of 500: 3 %
    assert abs(np.corrcoef(noise[:, 0], noise[:, 1]).item(1)) < 0.15


@settings(deadline=None, derandomize=True, max_examples=20)
@given(st.randoms(use_true_random=False))
def test_permuted_rows_give_the_permuted_result(random: Any) -> None:
    table = datasets.d2()
    x = np.column_stack([table["X"].to_numpy(), table["Y"].to_numpy()])[:50]
    order = list(range(len(x)))
    random.shuffle(order)
    kept = x.copy()
    out = probabilistic(x, 0.25, SECRET)
    assert probabilistic(x[order], 0.25, SECRET).tobytes() == out[order].tobytes()
    assert x.tobytes() == kept.tobytes()


def unit_noise(x: Floats, **more: Any) -> Floats:
    """Recover the standard normal noise of each value."""
    out: Floats = (probabilistic(x, 0.5, SECRET, **more) - x) / (0.5 * x.std(axis=0, ddof=1))
    return out


def test_a_record_keeps_its_noise_when_others_leave(d1: Floats) -> None:
    np.testing.assert_allclose(unit_noise(d1[::3]), unit_noise(d1)[::3], atol=1e-9)


def test_noise_belongs_to_the_identifier_where_there_is_one(d1: Floats) -> None:
    names = [f"person {i}" for i in range(500)]
    corrected = d1 + 1
    same = unit_noise(d1, keys=names)
    np.testing.assert_allclose(unit_noise(corrected, keys=names), same, atol=1e-9)
    np.testing.assert_allclose(
        unit_noise(d1, keys=np.arange(500.0)),
        unit_noise(corrected, keys=np.arange(500.0)),
        atol=1e-9,
    )
    assert np.abs(unit_noise(corrected) - unit_noise(d1)).max() > 0.1


def test_noise_belongs_to_the_columns_name(d1: Floats) -> None:
    names = [str(i) for i in range(500)]
    both = unit_noise(d1, keys=names, columns=["x", "y"])
    swapped = unit_noise(d1[:, ::-1], keys=names, columns=["y", "x"])
    np.testing.assert_allclose(swapped, both[:, ::-1], atol=1e-9)
    assert np.abs(both[:, 0] - both[:, 1]).max() > 0.1


def test_another_secret_gives_other_noise(d1: Floats) -> None:
    other = probabilistic(d1, 0.25, bytes(range(1, 33)))
    assert (other != probabilistic(d1, 0.25, SECRET)).all()


def test_exact_duplicates_do_not_share_their_noise() -> None:
    out = probabilistic([[1.0], [1.0], [2.0], [3.0]], 0.25, SECRET)
    assert out[0, 0] != out[1, 0]


# --- more noise for those who are far -----------------------------------------------------------


def by_distance(x: Any, q: float, k: int) -> Floats:
    """Find how many times the even noise each record of one column carries."""
    column = np.array(x, float)[:, None]
    ones, strata = np.ones_like(column), np.zeros(len(column), dtype=np.intp)
    even = Probabilistic(q)(column, ones, strata) - column
    far = Probabilistic(q, "by-distance", k)(column, ones, strata) - column
    times: Floats = (far / even).ravel()
    return times


FARTHER: dict[str, tuple[list[float], float, int, list[float]]] = {
    "distance over the median": ([0, 1, 2, 3, 12], 0.25, 1, [1, 1, 1, 1, 9 / 4.8270 / 0.25]),
    "the limit is out of reach": ([0, 1, 2, 3, 12], 0.1, 1, [1, 1, 1, 1, 9]),
    "the second neighbour": ([0, 1, 2, 3, 12], 0.1, 2, [1, 1, 1, 1, 5]),
    "coinciding records": ([0, 0, 0, 0, 6], 1.0, 2, [1, 1, 1, 1, 6 / 2.6833]),
}


@pytest.mark.parametrize(("x", "q", "k", "times"), FARTHER.values(), ids=FARTHER)
def test_noise_by_distance_by_hand(x: Any, q: float, k: int, times: Any) -> None:
    assert by_distance(x, q, k) == pytest.approx(times, rel=1e-4)


def heavy() -> Floats:
    """Make a lognormal cloud with five records far from it."""
    far = np.array([[30.0, 2], [2, 40], [60, 60], [25, -20], [100, 5]])
    return np.vstack([np.random.default_rng(11).lognormal(0, 0.5, size=(495, 2)), far])


def test_far_records_are_found_again_less_often_and_the_bulk_carries_the_same_noise() -> None:
    x, strata = heavy(), np.zeros(500, dtype=np.intp)
    sd = x.std(axis=0, ddof=1)
    linked = {"even": 0, "by-distance": 0}
    spreads = []
    for seed in range(20):
        normals = np.random.default_rng(seed).normal(size=x.shape)
        out = {way: Probabilistic(0.25, way)(x, normals, strata) for way in FAR_NOISE}
        same = (out["even"] == out["by-distance"]).all(axis=1)
        assert same.sum() >= 250
        assert not same[495:].any()
        for way in FAR_NOISE:
            gap = ((x[495:, None, :] - out[way][None, :, :]) / sd) ** 2
            linked[way] += int((gap.sum(axis=2).argmin(axis=1) == np.arange(495, 500)).sum())
        spreads.append(out["by-distance"].std(axis=0, ddof=1) / sd)
    assert linked["even"] == 100
    assert linked["by-distance"] <= 35
    assert np.mean(spreads) < 2.5  # what it costs


@settings(deadline=None, derandomize=True, max_examples=30)
@given(st.integers(1, 9), st.integers(0, 10**6))
def test_the_neighbour_is_that_of_a_plain_search(k: int, seed: int) -> None:
    x = np.random.default_rng(seed).normal(size=40).round(seed % 3)
    z = x / x.std(ddof=1)
    distance = np.sort(np.abs(z[:, None] - z[None, :]), axis=1)[:, k]
    median = np.median(distance)
    with np.errstate(divide="ignore", invalid="ignore"):
        times = np.fmax(1, np.fmin(distance / median, distance / 0.1))
    assert by_distance(x, 0.1, k) == pytest.approx(times, rel=1e-6)


WRONG: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "q is nought": ({"q": 0}, InputError, "q must be above 0"),
    "a seed for a secret": ({"secret": 1234}, InputError, "at least 16 random bytes"),
    "a short secret": ({"secret": b"short"}, InputError, "the secret is too weak"),
    "a name too few": ({"columns": ["x"]}, InputError, "one name for each column"),
    "an identifier too few": ({"keys": ["a", "b"]}, InputError, "one identifier for each row"),
    "a constant column": ({"X": [[1.0, 2.0], [1.0, 3.0]]}, RefusedError, "column 0 of X is const"),
    "an unknown word": ({"far_noise": "more"}, InputError, "one of 'even', 'by-distance'"),
    "as many neighbours as rows": (
        {"far_noise": "by-distance", "k": 3},
        RefusedError,
        "k must be below the number of rows",
    ),
}


@pytest.mark.parametrize(("change", "error", "message"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_or_not_allowed(
    change: dict[str, Any], error: type[Exception], message: str
) -> None:
    x = [[1.0, 5.0], [2.0, 4.0], [3.0, 6.0]]
    with pytest.raises(error, match=message):
        probabilistic(**{"X": x, "q": 0.25, "secret": SECRET, **change})


ROOT = np.log1p(0.5**2) ** 0.5  # the sd of the logarithm of a factor of sd .5


@pytest.fixture(scope="module")
def d2() -> Floats:
    table = datasets.d2()
    return np.column_stack([table["X"].to_numpy(), table["Y"].to_numpy()])


BY_HAND_of_multiplicative: dict[str, tuple[Any, Any, float, Any]] = {
    # exp(-s² / 2) = (1 + q²)^(-1/2) where the noise is 0
    "no noise still has the factor of the mean": ([[2], [4]], [[0], [0]], 0.5,
                                                  [[2 / 1.25**0.5], [4 / 1.25**0.5]]),
    "half a variance up is 1": ([[3], [-8]], [[ROOT / 2], [ROOT / 2]], 0.5, [[3], [-8]]),
    "one sd up": ([[10]], [[1]], 0.5, [[10 * np.exp(ROOT) / 1.25**0.5]]),
    "zero stays": ([[0], [1]], [[3], [ROOT / 2]], 0.5, [[0], [1]]),
    "each value by its own": ([[1, 2], [3, 4]], [[ROOT / 2, 0], [0, ROOT / 2]], 0.5,
                              [[1, 2 / 1.25**0.5], [3 / 1.25**0.5, 4]]),
}  # fmt: skip


@pytest.mark.parametrize(
    ("x", "normals", "q", "out"), BY_HAND_of_multiplicative.values(), ids=BY_HAND_of_multiplicative
)
def test_by_hand_of_multiplicative(x: Any, normals: Any, q: float, out: Any) -> None:
    strata = np.zeros(len(x), dtype=np.intp)
    noised = Multiplicative(q)(np.array(x, float), np.array(normals, float), strata)
    np.testing.assert_allclose(noised, out, rtol=1e-12)


COLUMNS: dict[str, Any] = {
    "positive": lambda rng, n: rng.lognormal(0, 0.5, n),
    "both signs": lambda rng, n: rng.normal(1, 2, n),
    "far from 0": lambda rng, n: rng.normal(50, 1, n),
    "many zeros": lambda rng, n: np.where(rng.random(n) < 0.5, 0.0, rng.exponential(3, n)),
}


@pytest.mark.parametrize(
    ("draw", "q"), [*zip(COLUMNS.values(), (0.1, 0.25, 0.5, 0.25), strict=True)], ids=COLUMNS
)
def test_the_mean_is_kept_and_the_variance_is_by_its_formula(draw: Any, q: float) -> None:
    n = 50_000
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
    added = (probabilistic_multiplicative(d2, 0.5, SECRET) - d2) / (0.5 * d2.std(axis=0, ddof=1))
    multiplied = np.log(multiplicative(d2, 0.5, SECRET) / d2)
    assert abs(np.corrcoef(added[:, 0], multiplied[:, 0])[0, 1]) < 0.15


WRONG_of_multiplicative: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "no noise": ({"q": 0}, InputError, "q must be above 0"),
    "too large": ({"X": [1.7e308] * 50, "q": 2.0}, RefusedError, "more than can be computed with"),
}


@pytest.mark.parametrize(
    ("change", "error", "message"), WRONG_of_multiplicative.values(), ids=WRONG_of_multiplicative
)
def test_what_is_wrong(change: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        multiplicative(**{"X": [[1.0], [2.0]], "q": 0.25, "secret": SECRET, **change})
