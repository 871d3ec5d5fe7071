from collections import Counter
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import binom, kstwobign, kurtosis, skew

from discreet.errors import InputError, RefusedError
from discreet.rounding.base import SortedColumn, sorted_column
from discreet.rounding.clusters import Resampling, bootstrap_means, bootstrap_medians, resampling
from discreet.rounding.rounding_set import rounding_set
from tests.cases import few

Floats = NDArray[np.float64]


def draws(draw: Callable[[Floats, int], Floats], rows: Floats, atleast: int) -> Floats:
    """Draw anew, with other numbers each time, until there are enough."""
    return np.concatenate([draw(rows, i) for i in range(-(-atleast // len(rows)))])


def plain(rows: Floats, seed: int) -> Floats:
    return bootstrap_means(rows, seed, plain_up_to=10**9)


def from_law(rows: Floats, seed: int) -> Floats:
    return bootstrap_means(rows, -1 - seed, plain_up_to=0)


def distance(one: Floats, other: Floats) -> float:
    """Return the distance of Kolmogorov and Smirnov of two samples, in units of its own law."""
    both = np.sort(np.concatenate([one, other]))
    shares = [np.searchsorted(np.sort(x), both, side="right") / len(x) for x in (one, other)]
    size = len(one) * len(other) / (len(one) + len(other))
    return float(np.abs(shares[0] - shares[1]).max() * np.sqrt(size))


LIMIT = float(kstwobign.ppf(0.999))


# --- the centroids ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("draw", "centre"), [(plain, np.mean), (bootstrap_medians, np.median)], ids=["mean", "median"]
)
@pytest.mark.parametrize("m", few([5, 2, 3, 4]))
def test_centroids_come_as_often_as_among_all_samples(
    draw: Callable[[Floats, int], Floats], centre: Callable[[Floats], float], m: int
) -> None:
    rows = np.array([0.0, 1.0, 3.0, 8.0, 20.0])[:m]
    everyone = Counter(round(float(centre(np.array(s))), 9) for s in product(rows, repeat=m))
    drawn = Counter(draws(draw, rows, 20_000).round(9).tolist())

    assert set(drawn) <= set(everyone)
    trials = sum(drawn.values())
    for value, count in everyone.items():
        share = count / m**m
        error = np.sqrt(share * (1 - share) / trials)
        assert drawn[value] / trials == pytest.approx(share, abs=4.5 * error)


@pytest.mark.parametrize("m", [51, 2001])
def test_the_median_of_an_odd_sample_is_one_of_its_rows_by_the_binomial_law(m: int) -> None:
    found = draws(bootstrap_medians, np.arange(float(m)), 40_000)

    # At most the row j: at least half of m draws are.
    law = binom.sf((m + 1) // 2 - 1, m, np.arange(1, m + 1) / m)
    shares = np.searchsorted(np.sort(found), np.arange(m), side="right") / len(found)
    assert np.abs(shares - law).max() * np.sqrt(len(found)) < LIMIT


@pytest.mark.parametrize("m", [50, 2000])
def test_the_median_of_an_even_sample_is_drawn_as_from_samples(m: int) -> None:
    rows = np.sort(np.sin(np.arange(m) ** 2.0)) * 5
    chance = np.random.default_rng(1)
    samples = [
        np.median(rows[chance.integers(0, m, (m, m), dtype=np.int32)], axis=1)
        for _ in range(-(-8000 // m))
    ]

    found = draws(bootstrap_medians, rows, 8000)

    assert distance(found, np.concatenate(samples)) < LIMIT


def quantile_of(law: str, m: int) -> Floats:
    """Return the rows of a quantile: an inner one, or the topmost of a skewed column."""
    at = (np.arange(m) + 0.5) / m
    laws: dict[str, Floats] = {
        "inner": at,
        "exponential": -12.5 * np.log(1 - at),
        "log-normal, far": np.exp(3 * np.sqrt(-2 * np.log(1 - at))),
        "peaked": (2 * at - 1) ** 9,
        "one far row": np.where(at < at[-1], at, 1e4),
    }
    return laws[law]


LAWS = [
    ("inner", 50),
    ("inner", 2000),
    ("exponential", 50),
    ("exponential", 500),
    ("exponential", 2000),
    ("log-normal, far", 500),
    ("log-normal, far", 2000),
    ("one far row", 1000),
]


@pytest.mark.parametrize(("law", "m"), few(LAWS, 2))
def test_means_from_their_law_are_as_the_means_of_samples(law: str, m: int) -> None:
    rows = quantile_of(law, m)
    enough = min(200_000, 20_000_000 // m)

    assert distance(draws(plain, rows, enough), draws(from_law, rows, enough)) < LIMIT


@pytest.mark.parametrize("sign", few([1.0, -1.0]))
@pytest.mark.parametrize(("law", "m"), few([("exponential", 200), ("peaked", 40), ("inner", 20)]))
def test_means_from_their_law_have_the_moments_of_a_mean(law: str, m: int, sign: float) -> None:
    rows = np.sort(sign * quantile_of(law, m))

    found = draws(from_law, rows, 200_000)

    errors = 4 / np.sqrt(len(found))
    assert found.mean() == pytest.approx(rows.mean(), abs=errors * rows.std() / np.sqrt(m))
    assert found.std() == pytest.approx(rows.std() / np.sqrt(m), rel=errors)
    assert skew(found) == pytest.approx(skew(rows) / np.sqrt(m), abs=errors * np.sqrt(6))
    assert kurtosis(found) == pytest.approx(kurtosis(rows) / m, abs=errors * np.sqrt(24))


def test_a_normal_law_would_be_seen() -> None:
    # So the test above can fail.
    rows = quantile_of("exponential", 50)
    sampled = draws(plain, rows, 200_000)
    normal = np.random.default_rng(0).normal(rows.mean(), rows.std() / np.sqrt(50), 200_000)

    assert distance(sampled, normal) > 2 * LIMIT


@pytest.mark.parametrize("draw", [plain, from_law, bootstrap_medians])
def test_centroids_of_equal_rows_are_these(draw: Callable[[Floats, int], Floats]) -> None:
    assert draw(np.full(7, 0.1), 0).tolist() == [0.1] * 7
    assert draw(np.array([3.0]), 0).tolist() == [3.0]


# --- the method -------------------------------------------------------------------------------

EVERY = [
    (centre, then)
    for centre in ("mean", "median")
    for then in ("kmeans", "equal_width", "equal_frequency")
]


@pytest.mark.parametrize(("centre", "then"), EVERY)
@given(
    values=st.lists(st.integers(-20, 20), min_size=1, max_size=60),
    c=st.integers(1, 6),
    seed=st.integers(0, 9),
)
def test_edges_rise_within_the_values_and_rows_may_be_permuted(
    centre: str, then: str, values: list[int], c: int, seed: int
) -> None:
    x = np.array(values, dtype=float)
    edges = resampling(x, c, centre, then, seed)
    order = np.random.default_rng(seed).permutation(len(x))

    assert (np.diff(edges) > 0).all()
    assert ((edges > x.min()) & (edges <= x.max())).all()
    np.testing.assert_array_equal(resampling(x[order], c, centre, then, seed), edges)


@given(values=st.lists(st.integers(-20, 20), min_size=1, max_size=60), c=st.integers(1, 6))
def test_edges_move_with_the_values(values: list[int], c: int) -> None:
    x = np.array(values, dtype=float)
    edges = resampling(x, c, then="equal_width")

    np.testing.assert_allclose(resampling(x + 1e8, c, then="equal_width"), edges + 1e8, atol=1e-6)
    np.testing.assert_array_equal(resampling(x * 1024, c, then="equal_width"), edges * 1024)


def test_another_seed_draws_other_samples() -> None:
    x = np.arange(60.0) ** 2

    same = [resampling(x, 4, seed=3).tolist() for _ in range(2)]

    assert same[0] == same[1] != resampling(x, 4, seed=4).tolist()


def test_a_centroid_is_drawn_for_each_row_within_its_quantile() -> None:
    column = sorted_column(np.arange(1000.0))

    for centre in ("mean", "median"):
        centroids = Resampling(5, centre).resampled(column).reshape(10, 100)
        assert (centroids >= np.arange(0, 1000, 100)[:, None]).all()
        assert (centroids <= np.arange(99, 1000, 100)[:, None]).all()


def test_few_different_values_stay_as_they_are() -> None:
    x = [0.0] * 30 + [1.0] * 5 + [2.0] * 50

    assert sorted(set(Resampling(2).resampled(sorted_column(x)).tolist())) == [0.0, 1.0, 2.0]


def test_groups_that_lie_apart_are_parted() -> None:
    x = np.concatenate([np.arange(30.0), 1000 + np.arange(30.0), 5000 + np.arange(40.0)])

    edges = resampling(x, 3)

    assert len(edges) == 2
    assert 29 < edges[0] < 1000
    assert 1029 < edges[1] < 5000


def test_it_says_by_which_law_centroids_are_drawn() -> None:
    small, large = sorted_column(np.arange(20_000.0)), sorted_column(np.arange(20_010.0))
    frequent = sorted_column([*([0.0] * 2001), *range(1, 5000)])

    def law(method: Resampling, column: SortedColumn) -> object:
        return rounding_set(column, method).parameters["law"]

    assert law(Resampling(5), small) == "bootstrap"
    assert law(Resampling(5), large) == "approximation"
    assert law(Resampling(5), frequent) == "approximation"
    assert law(Resampling(5, centre="median"), large) == "bootstrap"


def test_with_many_rows_centroids_are_little_else_than_ten_means() -> None:
    x = np.arange(200_000.0)

    centroids = Resampling(5).resampled(sorted_column(x)).reshape(10, -1)

    np.testing.assert_allclose(centroids.mean(axis=1), x.reshape(10, -1).mean(axis=1), rtol=1e-3)
    sd = np.sqrt((20_000**2 - 1) / 12 / 20_000)
    np.testing.assert_allclose(centroids.std(axis=1), sd, rtol=0.03)


@pytest.mark.slow
@pytest.mark.parametrize("x", [np.linspace(0, 1, 10**6), np.tan(np.linspace(0, 1.5707, 10**6))])
def test_a_million_rows_are_resampled(x: Floats) -> None:
    """About half a second; it would not end in a day if each sample looked at every row."""
    assert np.isfinite(Resampling(25, then="equal_width")(sorted_column(x))).all()


def test_what_is_unknown_is_refused() -> None:
    with pytest.raises(RefusedError, match="c makes more than a million regions"):
        resampling([0.0, 1.0], 10**10, then="equal_width")
    with pytest.raises(InputError, match="c must be a whole number of at least 1"):
        Resampling(0)
    with pytest.raises(InputError, match="seed must be a whole number of at least 0"):
        Resampling(3, seed=-1)
    with pytest.raises(InputError, match="centre is unknown; choose one of 'mean', 'median'"):
        Resampling(3, centre="mode")
    with pytest.raises(InputError, match="then is unknown; choose one of 'kmeans', 'equal_width'"):
        Resampling(3, then="optimal")
