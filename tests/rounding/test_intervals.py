import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.preprocessing import KBinsDiscretizer

from discreet.errors import InputError, RefusedError
from discreet.rounding.base import sorted_column
from discreet.rounding.intervals import Base, base, equal_frequency, equal_width

Floats = NDArray[np.float64]

whole = st.lists(st.integers(-15, 15), min_size=1, max_size=30)
skewed = st.lists(st.sampled_from([0, 0, 0, 0, 0, 1, 2, 3, 4, 50]), min_size=1, max_size=30)


def floats(values: list[int]) -> Floats:
    return np.array(values, dtype=float)


def rows_in(x: Floats, edges: Floats) -> list[int]:
    region = np.searchsorted(edges, x, side="right")
    return [int(count) for count in np.bincount(region, minlength=len(edges) + 1)]


WIDTHS: dict[str, tuple[list[float], int, list[float]]] = {
    "four of two": ([0, 3, 8], 4, [2, 4, 6]),
    "constant": ([5, 5, 5], 4, []),
    "below zero": ([-6, -1, 3], 3, [-3, 0]),
    "no float between": ([1, 1 + 2**-52], 4, []),
    "few floats between": ([2.0**53, 2.0**53 + 4], 4, [2.0**53 + 2]),
}


@pytest.mark.parametrize(("x", "c", "edges"), WIDTHS.values(), ids=WIDTHS)
def test_equal_width_by_hand(x: list[float], c: int, edges: list[float]) -> None:
    assert equal_width(x, c).tolist() == edges


@given(values=whole, c=st.integers(2, 12))
def test_equal_width_is_scikit_learns(values: list[int], c: int) -> None:
    x = floats(values)
    if x.min() == x.max():
        return
    bins = KBinsDiscretizer(c, strategy="uniform", encode="ordinal").fit(x[:, None])
    np.testing.assert_array_equal(equal_width(x, c), bins.bin_edges_[0][1:-1])


def test_more_than_a_million_regions_are_refused() -> None:
    with pytest.raises(RefusedError, match="c makes more than a million regions; take a smaller c"):
        equal_width([0.0, 1.0], 10**10)
    assert equal_frequency([0.0, 1.0, 5.0], 10**10).tolist() == [0.5, 3.0]  # bound by the values


FREQUENCIES: dict[str, tuple[list[float], int, list[float]]] = {
    "two by two": ([1, 2, 3, 10], 2, [2.5]),
    "ranks 10/3 and 20/3": ([*range(10)], 3, [2.5, 6.5]),
    # The rank 1.5 is as near to 1 as to 2.
    "the lower of two equally near": ([1, 2, 3], 2, [1.5]),
    # The rank 2 is within the ones; 1 is nearer than 4.
    "moved to the nearest": ([0, 1, 1, 1], 2, [0.5]),
    # Boundaries are at 8 and 9; of 3 to 6 parts no cut is above 8.5, of 7 one is, at 8 4/7.
    "the next number that can be reached": ([*[0] * 8, 1, 2], 3, [0.5, 1.5]),
    # Of 4 parts cuts move to 6, 6, 7, of 5 to 6, 6, 6, 8, of 6 to 6, 6, 6, 7, 8.
    "six parts make four": ([*[0] * 6, 1, 2, 3, 4], 4, [0.5, 1.5, 2.5]),
    # Of 6 parts cuts move to 2, 2, 4, 6, 7, of 7 to 2, 2, 4, 5, 6, 8; 8 would do otherwise.
    "seven parts make six": ([-2, -2, 0, 0, 1, 2, 3, 4, 5], 6, [-1, 0.5, 1.5, 2.5, 4.5]),
    "fewer values than regions": ([0, 0, 0, 1, 2], 9, [0.5, 1.5]),
}


@pytest.mark.parametrize(("x", "c", "edges"), FREQUENCIES.values(), ids=FREQUENCIES)
def test_equal_frequency_by_hand(x: list[float], c: int, edges: list[float]) -> None:
    assert equal_frequency(x, c).tolist() == edges


def frequency_plainly(x: Floats, c: int) -> list[float]:
    """Try every number of parts from c on, in fractions."""
    rows, n = sorted(x.tolist()), len(x)
    between = [i for i in range(1, n) if rows[i - 1] < rows[i]]
    for parts in range(c, n + c + 1):
        cuts = {
            min(between, key=lambda b: (abs(b - Fraction(n * i, parts)), b))
            for i in range(1, parts if between else 1)
        }
        if len(cuts) + 1 >= min(c, len(between) + 1):
            break
    return [(rows[cut - 1] + rows[cut]) / 2 for cut in sorted(cuts)]


@given(values=whole | skewed, c=st.integers(1, 12))
def test_equal_frequency_is_as_with_every_number_tried(values: list[int], c: int) -> None:
    x = floats(values)
    different = len(set(values))
    edges = equal_frequency(x, c)
    if c >= different:
        assert len(edges) + 1 == different
    else:
        assert edges.tolist() == frequency_plainly(x, c)
    assert min(rows_in(x, edges)) > 0


def test_the_number_of_parts_is_found_where_nearly_all_values_are_equal() -> None:
    x = np.concatenate([np.zeros(99_000), np.arange(1, 1001.0)])
    regions = len(equal_frequency(x, 300)) + 1
    assert 300 <= regions <= 303  # steps of a hundredth pass over a few


# --- the multiples of a base ------------------------------------------------------------------

BASES: dict[str, tuple[list[float], float, list[float], list[float]]] = {
    "tens": ([1, 6, 14, 16], 10, [5, 15], [0, 10, 20]),
    "on an edge is above": ([4, 5], 10, [5], [0, 10]),
    "only above the least value": ([5, 6], 10, [], [10]),
    "below zero": ([-16, -15, -5, -4], 10, [-15, -5], [-20, -10, 0]),
    "empty sets between": ([0, 30], 10, [5, 15, 25], [0, 10, 20, 30]),
}


@pytest.mark.parametrize(("x", "b", "edges", "points"), BASES.values(), ids=BASES)
def test_base_by_hand(x: list[float], b: float, edges: list[float], points: list[float]) -> None:
    found = Base(b).regions(sorted_column(x))
    assert Base(b)(sorted_column(x)).tolist() == found.edges.tolist() == edges
    assert found.points is not None
    assert found.points.tolist() == points
    assert (found.found, found.held) == ({"b": b}, False)


@pytest.mark.parametrize("b", [0.1, 4.9])
def test_values_on_an_edge_as_it_is_rounded_belong_above(b: float) -> None:
    for i in range(-60, 60):
        edge = b * (i + 0.5)
        for low, at in ((np.nextafter(edge, -np.inf), i), (edge, i + 1)):
            column = sorted_column([low, b * (i + 3)])
            found = Base(b).regions(column)
            assert found.edges.tolist() == [b * (j + 0.5) for j in range(at, i + 3)]
            assert found.points is not None
            assert found.points.tolist() == [b * j for j in range(at, i + 4)]


FOUND: dict[str, tuple[list[float], int, float]] = {
    # With 8 the edge 20 leaves the last value alone; with 8.1 it is 20.25.
    "three pairs": ([0, 1, 9, 11, 19, 20], 2, 8.1),
    # The set of 1 must begin where that of 0 ends: 1 >= b/2 and 1 < 3b/2.
    "zeros and ones": ([0, 0, 0, 1, 1, 1], 3, 0.67),
    # 1 begins a set, 4.99 lies just below the end of the next: no b can be smaller.
    "as small as can be": ([1, 4.99], 1, 2.0),
    "a thousand": ([0, 1000, 2000, 3000], 1, 860.0),
}


@pytest.mark.parametrize(("x", "k", "b"), FOUND.values(), ids=FOUND)
def test_the_smallest_base_by_hand(x: list[float], k: int, b: float) -> None:
    found = Base(k=k).regions(sorted_column(x))
    assert (found.found, found.held) == ({"b": b}, True)


#: Values, k and the smallest b: a value over an odd number of halves, or the next number above it.
EXACT: dict[str, tuple[list[float], int, float]] = {
    "above 20 / 2.5": ([0, 1, 9, 11, 19, 20], 2, math.nextafter(8, 9)),
    "above 1 / 1.5": ([0, 0, 0, 1, 1, 1], 3, math.nextafter(2 / 3, 1)),
    "above 25 / 1.5, where two digits give 22": (
        [1.5, 4, 11, 25, 25.5, 31, 35.5, 42, 54.5],
        2,
        math.nextafter(25 / 1.5, 17),
    ),
    "at 12 / 1.5, for the set below zero ends there": ([-12, 0, 4, 18, 21, 26, 28], 1, 8.0),
}


@pytest.mark.parametrize(("x", "k", "b"), EXACT.values(), ids=EXACT)
def test_the_smallest_base_of_all_by_hand(x: list[float], k: int, b: float) -> None:
    found = Base(k=k, digits=None).regions(sorted_column(x))
    assert found.found["b"] == pytest.approx(b, rel=1e-15)
    assert min(rows_in(np.array(x), found.edges)) >= k


@pytest.mark.slow
@given(values=st.lists(st.integers(-15, 15), min_size=2, max_size=12), k=st.integers(1, 4))
def test_no_smaller_base_does(values: list[int], k: int) -> None:
    x = floats(values)
    if len(x) < k or x.min() == x.max():
        return
    b = Base(k=k, digits=None).regions(sorted_column(x)).found["b"]
    assert b <= Base(k=k).regions(sorted_column(x)).found["b"]
    assert min(rows_in(x, base(x, b=b))) >= k
    i = np.arange(40) + 0.5
    halves = np.abs(x[x != 0, None]) / i
    for at in halves[(halves < b) & (halves > (x.max() - x.min()) / 40)]:
        for smaller in (at, math.nextafter(at, math.inf), 0.999999 * at):
            assert smaller >= b or min(rows_in(x, base(x, b=smaller))) < k


def smallest_plainly(x: Floats, k: int) -> float:
    """Try every number of two digits from 0.05 on; count each set of attraction by its ends."""
    for exponent in range(-3, 4):
        for digits in range(50 if exponent == -3 else 10, 100):
            b = float(f"{digits}e{exponent}")
            first, last = math.floor(x.min() / b) - 1, math.ceil(x.max() / b) + 1
            i = np.arange(first, last + 1)
            low, high = b * (i - 0.5), b * (i + 0.5)
            among = (high > x.min()) & (low <= x.max())
            held = ((x >= low[:, None]) & (x < high[:, None])).sum(axis=1)
            if held[among].min() >= k:
                return b
    raise AssertionError("no base was found")


@given(values=st.lists(st.integers(-15, 15), min_size=2, max_size=12), k=st.integers(1, 4))
def test_the_smallest_base_is_as_with_every_one_tried(values: list[int], k: int) -> None:
    x = floats(values)
    if len(x) < k or x.min() == x.max():
        return
    found = Base(k=k).regions(sorted_column(x))
    assert found.found["b"] == smallest_plainly(x, k)
    assert min(rows_in(x, found.edges)) >= k


@given(
    values=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30),
    b=st.sampled_from([None, 0.1, 3.0, 7.3, 1e5]),
)
def test_a_point_is_the_multiple_that_is_nearest(values: list[float], b: float | None) -> None:
    column = sorted_column(values)
    method = Base(b) if b is not None else Base(k=1)
    try:
        regions = method.regions(column)
    except RefusedError:
        return
    found, edges, points = regions.found["b"], regions.edges, regions.points
    assert points is not None
    region = np.searchsorted(edges, column.values, side="right")
    assert len(points) == len(edges) + 1
    np.testing.assert_array_equal(
        np.searchsorted(edges, points, side="right"), np.arange(len(points))
    )
    away = np.abs(column.values - points[region])
    assert (away <= found / 2 + 1e-9 * np.abs(column.values)).all()


@pytest.mark.parametrize("scale", [5e-324, 1e140])
def test_a_base_is_found_at_any_scale(scale: float) -> None:
    x = np.repeat(floats([0, 1, 2, 3]), 5) * scale
    assert len(Base()(sorted_column(x))) in {0, 3}


def test_what_base_cannot_do_is_refused() -> None:
    with pytest.raises(RefusedError, match="k must be at most the number of rows"):
        base([1.0, 2.0])
    with pytest.raises(RefusedError, match="more than a million regions"):
        base([0.0, 1.0], b=1e-7)
    with pytest.raises(RefusedError, match="too small beside the values"):
        base([1e17, 1e17 + 16], b=0.5)
    with pytest.raises(InputError, match="b must be above 0"):
        Base(b=0.0)
    with pytest.raises(InputError, match="k must be a whole number of at least 1"):
        Base(k=0)
    with pytest.raises(InputError, match="digits must be 2, or None"):
        Base(digits=3)


METHODS: dict[str, Callable[[Floats], Floats]] = {
    "equal width": lambda x: equal_width(x, 5),
    "equal frequency": lambda x: equal_frequency(x, 5),
    "base": lambda x: base(x, b=2.5),
    "base found": lambda x: base(x, k=1),
}


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
@given(values=whole | skewed, seed=st.integers(0, 99))
def test_edges_rise_within_the_values_and_rows_may_be_permuted(
    method: Callable[[Floats], Floats], values: list[int], seed: int
) -> None:
    x = floats(values)
    edges = method(x)
    assert (np.diff(edges) > 0).all()
    assert ((edges > x.min()) & (edges <= x.max())).all()
    np.testing.assert_array_equal(method(np.random.default_rng(seed).permutation(x)), edges)


@pytest.mark.parametrize("method", [equal_width, equal_frequency])
@given(values=whole | skewed, c=st.integers(1, 9))
def test_edges_move_with_the_values(
    method: Callable[[Floats, int], Floats], values: list[int], c: int
) -> None:
    x = floats(values)
    edges = method(x, c)
    np.testing.assert_allclose(method(x + 1e8, c), edges + 1e8, rtol=0, atol=2e-8)
    np.testing.assert_array_equal(method(x * 2.0**40, c), edges * 2.0**40)
    np.testing.assert_allclose(method(x * 1e-7, c), edges * 1e-7, rtol=1e-12, atol=1e-20)
