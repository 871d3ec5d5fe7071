"""Scaled centroids: worked by hand, against a brute-force twin, and whatever the row order."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from discreet import datasets
from discreet.errors import InputError, RefusedError
from discreet.methods.base import ordered_spread, standardise
from discreet.methods.deterministic import Deterministic, deterministic
from tests.cases import examples
from tests.measure.r_neighbours import released_by_r

Floats = NDArray[np.float64]


def rescaled(raw: Any, centroids: Any) -> Floats:
    """Stretch centroids about the column's mean to the column's standard deviation."""
    x, c = np.asarray(raw, dtype=float), np.asarray(centroids, dtype=float)
    out: Floats = (c - x.mean(axis=0)) * x.std(axis=0, ddof=1) / c.std(axis=0, ddof=1)
    out += x.mean(axis=0)
    return out


# x, k, strata and the centroids before they are rescaled
BY_HAND: dict[str, tuple[list[float], int, list[str] | None, list[float]]] = {
    "two clusters": ([1, 2, 3, 10, 11, 12], 3, None, [2, 2, 2, 11, 11, 11]),
    "both neighbours": ([0, 1, 2, 3, 4, 5], 3, None, [1, 1, 2, 3, 4, 4]),
    "duplicates first, then what is left": (
        [0, 0, 1, 1, 1, 9, 10, 11],
        3,
        None,
        [1 / 3, 1 / 3, 1, 1, 1, 10, 10, 10],
    ),
    "more duplicates than k": ([5, 5, 5, 5, 0, 1, 2, 9], 3, None, [5, 5, 5, 5, 1, 1, 1, 19 / 3]),
    "strata keep apart": (
        [1, 2, 3, 4, 10, 20, 30, 40],
        3,
        ["a", "b", "a", "b", "a", "b", "b", "a"],
        [14 / 3, 26 / 3, 14 / 3, 26 / 3, 14 / 3, 18, 18, 53 / 3],
    ),
    "k is the size of a stratum": (
        [1, 2, 3, 7, 8, 9],
        3,
        ["a", "a", "a", "b", "b", "b"],
        [2, 2, 2, 8, 8, 8],
    ),
}


@pytest.mark.parametrize(("x", "k", "strata", "centroids"), BY_HAND.values(), ids=BY_HAND)
def test_by_hand(x: list[float], k: int, strata: list[str] | None, centroids: list[float]) -> None:
    out = deterministic(x, k, strata)
    np.testing.assert_allclose(out[:, 0], rescaled(x, centroids), rtol=1e-12)


EIGHT = list(range(8))
PAIRS = [1, 1, 2, 3, 3, 8, 9, 10]  # the 1s and the 3s are as far from 2
# x, k, the order of ties and the centroids before they are rescaled
TIED_BY_HAND: dict[str, tuple[list[int], int, Sequence[float], list[float]]] = {
    "the lower of two": (EIGHT, 4, EIGHT, [1.5, 1.5, 1.5, 2.5, 3.5, 4.5, 5.5, 5.5]),
    "now this, now that": (  # 2 takes 0 before 4, 3 takes 5 before 1, 4 takes 2, 5 takes 7
        EIGHT,
        4,
        [0, 6, 2, 5, 3, 1, 7, 4],
        [1.5, 1.5, 1.5, 3.5, 3.5, 5.5, 5.5, 5.5],
    ),
    "points of some weight": (PAIRS, 3, EIGHT, [4 / 3, 4 / 3, 4 / 3, 8 / 3, 8 / 3, 9, 9, 9]),
    "of equal rows the first": (
        PAIRS,
        3,
        [7, 2, 6, 9, 1, 3, 4, 5],
        [4 / 3, 4 / 3, 8 / 3, 8 / 3, 8 / 3, 9, 9, 9],
    ),
}


@pytest.mark.parametrize(
    ("x", "k", "ties", "centroids"), TIED_BY_HAND.values(), ids=list(TIED_BY_HAND)
)
def test_ties_come_in_the_order_that_is_given(
    x: list[int], k: int, ties: Sequence[float], centroids: list[float]
) -> None:
    out = deterministic(x, k, ties=ties)
    np.testing.assert_allclose(out[:, 0], rescaled(x, centroids), rtol=1e-12)


GRID = np.array([[i, j] for i in range(20) for j in range(20)], dtype=float)


def pull(out: Floats, x: Floats) -> float:
    """Return how far inner points of a grid moved towards its middle, on average, in columns."""
    inner = (np.abs(x - 9.5) <= 7).all(axis=1)
    outward = np.sign(x[inner] - 9.5)
    moved = (out - x.mean(axis=0)) / out.std(axis=0) - (x - x.mean(axis=0)) / x.std(axis=0)
    return float((moved[inner] * outward).mean())


def test_ties_draw_nobody_towards_the_mean() -> None:
    # Of four neighbours that are equally near two count. If the nearest to the mean came first,
    # inner points would move by a fifth of the grid's step.
    from_mean = ((GRID - 9.5) ** 2).sum(axis=1)
    step = float(1 / GRID[:, 0].std())
    centroids = {
        "mean first": deterministic(GRID, 3, ties=from_mean),
        "mean last": deterministic(GRID, 3, ties=-from_mean),
        "digests": deterministic(GRID, 3),
        "keyed": by_secret(1),
    }
    found = {name: pull(out, GRID) / step for name, out in centroids.items()}
    assert found["mean last"] - found["mean first"] > 0.3
    middle = (found["mean last"] + found["mean first"]) / 2
    assert abs(found["digests"] - middle) < 0.1
    assert abs(found["keyed"] - middle) < 0.1


def by_secret(seed: int, order: Any = slice(None), k: int = 3) -> Floats:
    """Return the grid by the method, its noise (the stand-in of a secret) that of `seed`."""
    normals = np.random.default_rng(seed).normal(size=GRID.shape)
    return Deterministic(k=k)(GRID[order], normals[order], np.zeros(len(GRID), dtype=np.intp))


def test_the_methods_ties_hang_on_the_secret_and_not_on_the_order_of_rows() -> None:
    order = np.random.default_rng(3).permutation(len(GRID))
    once, other = by_secret(1), by_secret(2)
    assert by_secret(1, order).tobytes() == once[order].tobytes()
    assert (np.abs(once - other) > 0.1).any(axis=1).mean() > 0.5


# --- the tree of R ----------------------------------------------------------------------------

OF_R: dict[str, Callable[[Any], Floats]] = {
    "no ties": lambda rng: rng.normal(size=(120, 2)),
    "a grid": lambda rng: rng.permutation(GRID[:160]),
    "few points of many rows": lambda rng: rng.integers(0, 3, size=(100, 2)).astype(float),
    "a column of few values": lambda rng: rng.integers(0, 5, size=(90, 1)).astype(float),
    "four columns": lambda rng: rng.integers(0, 4, size=(120, 4)).astype(float),
    "far rows": lambda rng: np.exp(4 * rng.normal(size=(90, 2))).round(1),
}


@pytest.mark.parametrize(
    ("make", "k"), [*zip(OF_R.values(), (3, 10, 3, 10, 3, 10), strict=True)], ids=OF_R
)
def test_the_tree_is_that_of_r(make: Callable[[Any], Floats], k: int) -> None:
    rng = np.random.default_rng(k)
    x = make(rng)
    strata = rng.choice(["a", "b"], size=len(x)).tolist()
    found = deterministic(x, k, strata, ties="tree")
    np.testing.assert_allclose(found, released_by_r(x, strata, k), rtol=1e-10, atol=1e-10)


def twin(
    x: Floats, k: int, strata: Any = None, metric: str = "euclidean", ties: Any = None
) -> Floats:
    """Follow the documented rule over all pairs of points, to the last bit."""
    ties = np.zeros(len(x)) if ties is None else np.asarray(ties)
    z, mean, sd = standardise(x)
    inverse: Floats = np.eye(z.shape[1])
    if metric == "mahalanobis":
        inverse = np.asarray(np.linalg.inv(np.cov(z.T).reshape(z.shape[1], -1)), dtype=float)
    strata = np.zeros(len(z)) if strata is None else np.asarray(strata)
    centroids = np.empty_like(z)
    for stratum in np.unique(strata):
        rows = np.flatnonzero(strata == stratum)
        points, place, weights = np.unique(z[rows], axis=0, return_inverse=True, return_counts=True)
        place = place.ravel()
        first = np.array([ties[rows][place == i].min() for i in range(len(points))])
        means = [_twin_mean(i, points, weights, k, inverse, first) for i in range(len(points))]
        centroids[rows] = np.array(means)[place]
    shrunk = ordered_spread(centroids)[1]
    out: Floats = centroids * (sd / shrunk) + mean
    return out


def _twin_mean(i: int, points: Floats, weights: Any, k: int, inverse: Floats, first: Any) -> Floats:
    gaps = points - points[i]
    distance = np.sqrt(np.maximum(np.einsum("nj,jl,nl->n", gaps, inverse, gaps), 0))
    distance[i] = -1
    by_distance = np.argsort(distance, kind="stable")
    reached = np.flatnonzero(np.cumsum(weights[by_distance]) >= k)[0]
    limit = distance[by_distance[reached]]
    tied = np.abs(distance - limit) <= abs(limit) * 1e-10
    below = np.flatnonzero((distance < limit) & ~tied)
    places, taken = k, {}
    for j in [*below, *sorted(np.flatnonzero(tied), key=lambda j: first[j])]:
        taken[j] = min(places, weights[j])
        places -= taken[j]
    assert places == 0
    total = np.zeros(points.shape[1])
    for j in sorted(taken):
        total += taken[j] * points[j]
    out: Floats = total / k
    return out


def _matrix(table: Any) -> Floats:
    return np.column_stack([table[name].to_numpy() for name in table.column_names])


@pytest.mark.parametrize(("k", "metric"), [(3, "euclidean"), (50, "mahalanobis")])
def test_brute_force_agrees_on_the_papers_data(k: int, metric: str) -> None:
    x = _matrix(datasets.d1())
    np.testing.assert_array_equal(deterministic(x, k, metric=metric), twin(x, k, metric=metric))


TIED_DATA: dict[str, tuple[int, int, int]] = {  # rows, columns, different values a column
    "one column of few values": (200, 1, 7),
    "a plane of few points, many rows a point": (400, 2, 6),
    "a plane of many points": (400, 2, 25),
    "four columns": (300, 4, 4),
}


@pytest.mark.parametrize(("n", "p", "values"), TIED_DATA.values(), ids=TIED_DATA)
@pytest.mark.parametrize(("k", "metric"), [(3, "euclidean"), (10, "mahalanobis")])
def test_brute_force_agrees_on_ties_and_duplicates(
    n: int, p: int, values: int, k: int, metric: str
) -> None:
    rng = np.random.default_rng(n + p)
    x = rng.integers(0, values, size=(n, p)).astype(float)
    strata, ties = rng.choice(["a", "b"], size=n), rng.permutation(n)
    np.testing.assert_array_equal(
        deterministic(x, k, strata, metric, ties), twin(x, k, strata, metric, ties)
    )


@pytest.mark.parametrize(("k", "sharing"), [(3, 242), (10, 95)])
def test_rows_of_one_set_of_neighbours_share_a_place_to_the_last_bit(k: int, sharing: int) -> None:
    x = _matrix(datasets.d1())
    z = (x - x.mean(axis=0)) / x.std(axis=0, ddof=1)
    near = np.sort(np.argsort(cdist(z, z), axis=1)[:, :k], axis=1)
    out = deterministic(x, k)
    _, set_of, rows = np.unique(near, axis=0, return_inverse=True, return_counts=True)
    assert (rows[set_of.ravel()] > 1).sum() == sharing
    _, place_of = np.unique(out, axis=0, return_inverse=True)
    assert len(set(zip(set_of.ravel(), place_of.ravel(), strict=True))) == len(rows)
    assert place_of.max() + 1 == len(rows)


laws = settings(deadline=None, derandomize=True, max_examples=examples(100))
tables = st.tuples(st.integers(6, 30), st.integers(1, 3)).flatmap(
    lambda shape: st.one_of(
        hnp.arrays(np.float64, shape, elements=st.integers(-3, 3).map(float)),
        hnp.arrays(np.float64, shape, elements=st.floats(-1e3, 1e3)),
    )
)


@laws
@given(tables, st.integers(3, 8), st.booleans(), st.booleans(), st.randoms(use_true_random=False))
def test_permuted_rows_give_the_permuted_result(
    x: Floats, k: int, whitened: bool, parted: bool, random: Any
) -> None:
    order = list(range(len(x)))
    random.shuffle(order)
    strata = np.array([random.choice("ab") for _ in order]) if parted else np.full(len(x), "a")
    metric = "mahalanobis" if whitened else "euclidean"
    ties = None if random.random() < 0.5 else np.array([random.random() for _ in order])
    again = None if ties is None else ties[order]
    try:
        out = deterministic(x, k, strata, metric, ties)
    except RefusedError:
        with pytest.raises(RefusedError, match=r"k|constant|coincide|covariance"):
            deterministic(x[order], k, strata[order], metric, again)
        return
    found = deterministic(x[order], k, strata[order], metric, again)
    assert found.tobytes() == out[order].tobytes()


@laws
@given(tables, st.integers(3, 8))
def test_the_spread_is_kept_and_the_input_left_alone(x: Floats, k: int) -> None:
    before = x.tobytes()
    try:
        out = deterministic(x, k)
    except RefusedError:
        return
    assert x.tobytes() == before
    np.testing.assert_allclose(out.std(axis=0, ddof=1), x.std(axis=0, ddof=1), rtol=1e-6)


TEN = [[float(i), float(i * i % 7)] for i in range(10)]
LIMITS = "k must be at least 3 and at most the number of rows less 3"
WRONG: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "k is a float": ({"k": 3.0}, InputError, "k must be a whole number"),
    "k is below 3": ({"k": 2}, RefusedError, LIMITS),
    "k is above n - 3": ({"k": 8}, RefusedError, LIMITS),
    "an unknown metric": ({"metric": "manhattan"}, InputError, "'euclidean', 'mahalanobis'"),
    "unknown ties": ({"ties": "mean"}, InputError, "ties must be 'tree', or one finite number"),
    "a missing tie": ({"ties": [*range(9), float("nan")]}, InputError, "one finite number for"),
    "a small stratum": ({"strata": [0] * 8 + [1] * 2}, RefusedError, "a stratum holds fewer"),
    "a constant column": ({"X": [[1.0, i] for i in range(10)]}, RefusedError, "is constant"),
    "a column twice": (
        {"X": [[i, 2 * i] for i in range(10)], "metric": "mahalanobis"},
        RefusedError,
        "covariance is singular",
    ),
    "centroids that coincide": (
        {"X": [0, 1, 5, 0, 1, 5], "strata": [0, 0, 0, 1, 1, 1]},
        RefusedError,
        "all coincide",
    ),
}


@pytest.mark.parametrize(("change", "error", "message"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_or_not_allowed(
    change: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        deterministic(**{"X": TEN, "k": 3, **change})


@pytest.mark.parametrize("k", [2, 24, 1000])
def test_the_limits_are_told_without_the_number_of_rows(k: int) -> None:
    x = np.random.default_rng(1).normal(size=(26, 2))
    with pytest.raises(RefusedError, match=LIMITS) as refused:
        deterministic(x, k)
    assert set("".join(c if c.isdigit() else " " for c in str(refused.value)).split()) == {"3"}


def test_the_method_adds_noise_in_proportion_to_the_raw_spread() -> None:
    x = _matrix(datasets.d1())
    normals = np.random.default_rng(2).normal(size=x.shape)
    strata = np.zeros(len(x), dtype=np.intp)
    plain = Deterministic(k=5)(x, normals, strata)
    noised = Deterministic(k=5, q=0.1)(x, normals, strata)
    assert plain.tobytes() == deterministic(x, 5).tobytes()
    np.testing.assert_allclose(noised - plain, 0.1 * x.std(axis=0, ddof=1) * normals, atol=1e-12)
