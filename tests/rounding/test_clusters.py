"""k-means in one dimension: exact, nearly so, and never worse than equal intervals."""

from collections import Counter
from collections.abc import Callable
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import binom, kstwobign, kurtosis, skew

from discreet.errors import InputError, RefusedError
from discreet.rounding import clusters
from discreet.rounding.base import SortedColumn, sorted_column
from discreet.rounding.clusters import (
    KMeans,
    Resampling,
    bootstrap_means,
    bootstrap_medians,
    kmeans,
    resampling,
)
from discreet.rounding.intervals import equal_frequency, equal_width
from discreet.rounding.rounding_set import rounding_set
from tests.cases import few

Floats = NDArray[np.float64]


def loss(x: Any, edges: Floats) -> float:
    """Return the sum of squares within regions."""
    column = np.asarray(x, dtype=float)
    at = np.searchsorted(edges, column, side="right")
    parts = (column[at == region] for region in np.unique(at))
    return float(sum(((part - part.mean()) ** 2).sum() for part in parts))


def in_use(x: Any, edges: Floats) -> int:
    """Return how many regions are not empty."""
    return len(np.unique(np.searchsorted(edges, x, side="right")))


BY_HAND: dict[str, tuple[list[float], int, list[float]]] = {
    "two clusters": ([10, 0, 2, 1, 9], 2, [5.5]),
    "three": ([0, 1, 10, 11, 20, 21], 3, [5.5, 15.5]),
    "one region": ([3, 1, 2], 1, []),
    "a region for each value": ([1, 1, 5, 5, 9], 3, [3, 7]),
    "fewer values than regions": ([1, 1, 5, 5, 9], 7, [3, 7]),
    "a constant column": ([4, 4, 4], 3, []),
    "a heavy value": ([0, 0, 0, 0, 3, 5], 2, [1.5]),
    "a far value stands alone": ([1, 2, 3, -1000], 2, [-499.5]),
}


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize(("x", "c", "edges"), BY_HAND.values(), ids=BY_HAND)
def test_by_hand(x: list[float], c: int, edges: list[float], exact: bool) -> None:
    assert kmeans(x, c, exact).tolist() == edges


some = st.lists(
    st.one_of(st.integers(-20, 20).map(float), st.floats(-50, 50)), min_size=1, max_size=10
)


@given(some, st.integers(1, 6), st.sampled_from([0.0, 1e8]))
def test_no_partition_costs_less(x: list[float], c: int, offset: float) -> None:
    x = sorted(v + offset for v in x)
    centred = np.array(x) - offset
    m = len(set(x))
    assume(m > 1)
    values = np.unique(centred)
    least = min(
        loss(centred, (values[list(cuts)] if cuts else np.array([])))
        for cuts in combinations(range(1, m), min(c, m) - 1)
    )
    edges = kmeans(x, c)
    assert len(edges) == min(c, m) - 1
    assert loss(centred, edges - offset) <= least + 1e-12 * loss(centred, np.array([]))


columns = st.lists(
    st.one_of(st.integers(-9, 9).map(float), st.floats(-1e3, 1e3)), min_size=2, max_size=60
)


@given(columns, st.integers(1, 12), st.randoms(use_true_random=False))
def test_it_never_loses_to_equal_intervals_and_does_not_heed_the_order(
    x: list[float], c: int, random: Any
) -> None:
    slack = 1e-12 * loss(x, np.array([]))
    for edges in (equal_width(x, c), equal_frequency(x, c)):
        assert loss(x, kmeans(x, in_use(x, edges))) <= loss(x, edges) + slack
    found = kmeans(x, c)
    assert (np.diff(found) > 0).all()
    assert in_use(x, found) == len(found) + 1 == min(c, len(set(x)))
    random.shuffle(x)
    assert kmeans(x, c).tolist() == found.tolist()


def long_columns() -> dict[str, Floats]:
    rng = np.random.default_rng(5)
    n = 22_000
    return {
        "lognormal": rng.lognormal(size=n),
        "normal": rng.normal(size=n),
        "uniform": rng.uniform(size=n),
        "heavy tail": rng.pareto(1.5, size=n),
        "two far clusters": np.concatenate([rng.normal(size=n // 2), 1e4 + rng.normal(size=n)]),
        "many ties": rng.normal(size=n).round(4),
    }


@pytest.mark.slow
@pytest.mark.parametrize("c", [23])
@pytest.mark.parametrize("name", ["lognormal", "heavy tail", "two far clusters"])
def test_nearly_the_least_cost_in_long_columns(name: str, c: int) -> None:
    x = long_columns()[name]
    column = sorted_column(x)
    assert len(column.values) > clusters.FEW
    near = loss(x, KMeans(c)(column))
    best = loss(x, KMeans(c, exact=True)(column))
    assert best <= near * (1 + 1e-12)
    assert near <= 1.0001 * best
    for edges in (equal_width(x, c), equal_frequency(x, c)):
        assert near <= loss(x, edges) * (1 + 1e-12) or in_use(x, edges) != c


# --- clumps far apart -----------------------------------------------------------------------------


def clumps(n: int, *centres: float, seed: int = 3) -> Floats:
    """Return so many normal numbers about each centre."""
    rng = np.random.default_rng(seed)
    return np.concatenate([centre + rng.normal(size=n) for centre in centres])


@pytest.mark.parametrize(("gap", "exact"), [(1e4, False), (1e10, False), (1e8, True)])
def test_clumps_far_apart_are_parted_as_well_as_each_alone(gap: float, exact: bool) -> None:
    x = clumps(40, 0.0, gap)
    c = 10
    alone = [
        np.array([loss(part, kmeans(part, q)) for q in range(1, c)]) for part in (x[:40], x[40:])
    ]
    least = (alone[0] + alone[1][::-1]).min()
    assert loss(x, kmeans(x, c, exact)) == pytest.approx(least, rel=1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_it_never_loses_of_clumps_far_apart(seed: int) -> None:
    x = clumps(40, 0.0, 1e8, seed=seed)
    for c in (2, 4, 9, 20):
        for exact in (False, True):
            found = loss(x, kmeans(x, c, exact))
            for edges in (equal_width(x, c), equal_frequency(x, c)):
                assert found <= loss(x, edges) or in_use(x, edges) != c


@pytest.mark.parametrize(
    ("centres", "c"), [((0.0, 1e8), 20), ((0.0, 1e4, 1e12), 4), ((-1e10, 0.0, 7.0, 1e10), 20)]
)
def test_it_never_loses_of_many_values_in_clumps_far_apart(
    centres: tuple[float, ...], c: int
) -> None:
    x = clumps(60_000 // len(centres), *centres)
    found = loss(x, kmeans(x, c))
    assert found <= loss(x, equal_frequency(x, c))
    assert found <= 1.01 * loss(x, kmeans(x, c, exact=True))


def test_rivals_are_taken_where_they_are_better(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.arange(60.0)
    monkeypatch.setattr(clusters, "_best", lambda sums, c: np.array([1, 2]))
    assert kmeans(x, 3).tolist() == [19.5, 39.5]


@pytest.mark.parametrize("unit", [1e-300, 1e140])
def test_any_unit_will_do(unit: float) -> None:
    assert kmeans(np.array([0.0, 1, 2, 10, 11, 30]) * unit, 3).tolist() == pytest.approx(
        [6 * unit, 20.5 * unit], rel=1e-15
    )


@pytest.mark.parametrize("c", [0, 2.0])
def test_c_must_be_a_whole_number(c: Any) -> None:
    with pytest.raises(InputError, match="c must be a whole number of at least 1"):
        kmeans([1.0, 2.0], c)


def test_what_takes_too_much_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "MOST_EXACT", 100)
    column = SortedColumn(np.arange(60.0), np.ones(60, dtype=np.intp))
    assert len(KMeans(2)(column)) == 1
    monkeypatch.setattr(clusters, "MOST_REGIONS", 10)
    with pytest.raises(RefusedError, match="more than a million regions; take a smaller c"):
        KMeans(11)(column)
    assert len(KMeans(10**10)(column)) == 59  # a region for each value is no guess
    with pytest.raises(RefusedError, match="too much memory with exact=True; leave it out"):
        KMeans(2, exact=True)(column)


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


@pytest.mark.parametrize(
    ("draw", "centre"), [(plain, np.mean), (bootstrap_medians, np.median)], ids=["mean", "median"]
)
@pytest.mark.parametrize("m", [2, 5])
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


@pytest.mark.parametrize("m", [50, 500])
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


LAWS = [("inner", 50), ("exponential", 500), ("log-normal, far", 500), ("one far row", 1000)]


@pytest.mark.parametrize(("law", "m"), few(LAWS, 2))
def test_means_from_their_law_are_as_the_means_of_samples(law: str, m: int) -> None:
    rows = quantile_of(law, m)
    enough = min(100_000, 10_000_000 // m)
    assert distance(draws(plain, rows, enough), draws(from_law, rows, enough)) < LIMIT


@pytest.mark.parametrize(
    ("law", "m", "sign"), [("exponential", 200, 1.0), ("peaked", 40, -1.0), ("inner", 20, 1.0)]
)
def test_means_from_their_law_have_the_moments_of_a_mean(law: str, m: int, sign: float) -> None:
    rows = np.sort(sign * quantile_of(law, m))
    found = draws(from_law, rows, 100_000)
    errors = 4 / np.sqrt(len(found))
    assert found.mean() == pytest.approx(rows.mean(), abs=errors * rows.std() / np.sqrt(m))
    assert found.std() == pytest.approx(rows.std() / np.sqrt(m), rel=errors)
    assert skew(found) == pytest.approx(skew(rows) / np.sqrt(m), abs=errors * np.sqrt(6))
    assert kurtosis(found) == pytest.approx(kurtosis(rows) / m, abs=errors * np.sqrt(24))


def test_a_normal_law_would_be_seen() -> None:
    # So the test above can fail.
    rows = quantile_of("exponential", 50)
    sampled = draws(plain, rows, 100_000)
    normal = np.random.default_rng(0).normal(rows.mean(), rows.std() / np.sqrt(50), 100_000)
    assert distance(sampled, normal) > 1.5 * LIMIT


EVERY = [("mean", "kmeans"), ("median", "equal_width"), ("mean", "equal_frequency")]


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


def test_a_centroid_is_drawn_for_each_row_within_its_quantile() -> None:
    column = sorted_column(np.arange(1000.0))
    for centre in ("mean", "median"):
        centroids = Resampling(5, centre).resampled(column).reshape(10, 100)
        assert (centroids >= np.arange(0, 1000, 100)[:, None]).all()
        assert (centroids <= np.arange(99, 1000, 100)[:, None]).all()


def test_it_says_by_which_law_centroids_are_drawn() -> None:
    small, large = sorted_column(np.arange(20_000.0)), sorted_column(np.arange(20_010.0))
    frequent = sorted_column([*([0.0] * 2001), *range(1, 5000)])

    def law(method: Resampling, column: SortedColumn) -> object:
        return rounding_set(column, method).parameters["law"]

    assert law(Resampling(5), small) == "bootstrap"
    assert law(Resampling(5), large) == "approximation"
    assert law(Resampling(5), frequent) == "approximation"
    assert law(Resampling(5, centre="median"), large) == "bootstrap"


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
