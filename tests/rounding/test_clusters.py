"""k-means in one dimension: exact, nearly so, and never worse than equal intervals."""

from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet.errors import InputError, RefusedError
from discreet.rounding import clusters
from discreet.rounding.base import SortedColumn, sorted_column
from discreet.rounding.clusters import KMeans, kmeans
from discreet.rounding.intervals import equal_frequency, equal_width
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


# --- long columns -------------------------------------------------------------------------------


def long_columns() -> dict[str, Floats]:
    rng = np.random.default_rng(5)
    n = 45_000
    return {
        "lognormal": rng.lognormal(size=n),
        "normal": rng.normal(size=n),
        "uniform": rng.uniform(size=n),
        "heavy tail": rng.pareto(1.5, size=n),
        "two far clusters": np.concatenate([rng.normal(size=n // 2), 1e4 + rng.normal(size=n)]),
        "many ties": rng.normal(size=n).round(4),
    }


@pytest.mark.slow
@pytest.mark.parametrize("c", few([23, 60]))
@pytest.mark.parametrize("name", few(long_columns(), 2))
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


def test_it_does_not_lose_where_equal_intervals_are_the_best() -> None:
    x = np.arange(60_000.0)

    assert loss(x, KMeans(25)(sorted_column(x))) <= loss(x, equal_width(x, 25)) * (1 + 1e-12)


def test_more_regions_than_the_first_guess_has_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "ROOM", 100)
    x = np.random.default_rng(6).lognormal(size=50_000)

    edges = KMeans(30)(sorted_column(x))

    assert len(edges) == 29
    assert loss(x, edges) < min(loss(x, equal_width(x, 30)), loss(x, equal_frequency(x, 30)))


def test_a_peer_finds_the_same_cost() -> None:
    kmeans1d = pytest.importorskip("kmeans1d")
    x = np.random.default_rng(7).normal(size=3000)

    for c in (2, 5, 17):
        _, centroids = kmeans1d.cluster(x, c)
        middles = np.array([(a + b) / 2 for a, b in pairwise(sorted(centroids))])
        assert loss(x, kmeans(x, c)) == pytest.approx(loss(x, middles), rel=1e-12)


# --- clumps far apart -----------------------------------------------------------------------------


def clumps(n: int, *centres: float, seed: int = 3) -> Floats:
    """Return so many normal numbers about each centre."""
    rng = np.random.default_rng(seed)
    return np.concatenate([centre + rng.normal(size=n) for centre in centres])


@pytest.mark.parametrize("gap", [1e4, 1e6, 1e8, 1e10])
@pytest.mark.parametrize("exact", [False, True])
def test_clumps_far_apart_are_parted_as_well_as_each_alone(gap: float, exact: bool) -> None:
    x = clumps(40, 0.0, gap)
    c = 10
    alone = [
        np.array([loss(part, kmeans(part, q)) for q in range(1, c)]) for part in (x[:40], x[40:])
    ]
    least = (alone[0] + alone[1][::-1]).min()

    assert loss(x, kmeans(x, c, exact)) == pytest.approx(least, rel=1e-8)


@pytest.mark.parametrize("seed", range(20))
def test_it_never_loses_of_clumps_far_apart(seed: int) -> None:
    x = clumps(40, 0.0, 1e8, seed=seed)

    for c in (2, 4, 9, 20):
        for exact in (False, True):
            found = loss(x, kmeans(x, c, exact))
            for edges in (equal_width(x, c), equal_frequency(x, c)):
                assert found <= loss(x, edges) or in_use(x, edges) != c


@pytest.mark.parametrize("c", few([20, 4, 51]))
@pytest.mark.parametrize("centres", [(0.0, 1e8), (0.0, 1e4, 1e12), (-1e10, 0.0, 7.0, 1e10)])
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


@pytest.mark.parametrize("unit", [1e-300, 1e-150, 1.0, 1e140])
def test_any_unit_will_do(unit: float) -> None:
    assert kmeans(np.array([0.0, 1, 2, 10, 11, 30]) * unit, 3).tolist() == pytest.approx(
        [6 * unit, 20.5 * unit], rel=1e-15
    )


# --- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize("c", [0, 2.0, True, None])
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
