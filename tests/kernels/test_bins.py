"""Searches side by side find what numpy finds, for any number of rows and edges."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import chi2_contingency

from discreet.kernels.columns import (
    chi_square,
    means_of,
    merge_by_chi_square,
    merged,
    points_of,
    regions_of,
)

Floats = NDArray[np.float64]


def floats(rows: object) -> Floats:
    return np.array(rows, dtype=np.float64)


BY_HAND = {
    "told apart": ([4, 0], [0, 4], 8.0),
    "alike": ([2, 1], [4, 2], 0.0),
    "half alike": ([3, 1], [1, 3], 2.0),
    # Both expected counts of the third class are 0, and 0.1 instead: 0.1 each.
    "a class in neither": ([1, 0, 0], [0, 1, 0], 2.2),
}


@pytest.mark.parametrize(("above", "below", "expected"), BY_HAND.values(), ids=BY_HAND)
def test_chi_square_by_hand(above: list[int], below: list[int], expected: float) -> None:
    assert chi_square(floats(above), floats(below)) == expected


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=2, max_size=4))
def test_chi_square_is_scipys_where_all_classes_are_there(counts: list[tuple[int, int]]) -> None:
    above, below = floats(counts).T

    statistic = chi2_contingency([above, below], correction=False).statistic

    assert chi_square(above.copy(), below.copy()) == pytest.approx(statistic, abs=2e-9)


def merged_plainly(table: Floats, threshold: float, least: int, most: int) -> list[int]:
    """Look at every pair anew for every merge; return where intervals begin."""
    intervals = [(i, row) for i, row in enumerate(table.copy())]
    while len(intervals) > 1:
        pairs = pairwise(intervals)
        chi = [chi_square(above[1], below[1]) for above, below in pairs]
        enough = len(intervals) <= least or min(chi) > threshold
        if enough and len(intervals) <= most:
            break
        i = chi.index(min(chi))
        intervals[i : i + 2] = [(intervals[i][0], intervals[i][1] + intervals[i + 1][1])]
    return [begin for begin, _ in intervals]


@given(
    rows=st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(1, 2)), min_size=1, max_size=14
    ),
    threshold=st.sampled_from([0.0, 1.0, 3.0, 5.99, np.inf]),
    least=st.integers(1, 4),
    more=st.integers(0, 12),
)
def test_merges_as_when_every_pair_is_looked_at_anew(
    rows: list[tuple[int, int, int]], threshold: float, least: int, more: int
) -> None:
    table = floats(rows)
    plain = merged_plainly(table, threshold, least, least + more)

    begins = merge_by_chi_square(table.copy(), threshold, least, least + more)

    assert np.flatnonzero(begins).tolist() == plain


def test_of_equal_pairs_the_lowest_is_merged_first() -> None:
    # Pairs 0-1 and 2-3 are both 0.2, for the class that neither has; pair 1-2 is 2, later 4.
    table = floats([[1, 0], [1, 0], [0, 1], [0, 1]])

    assert merge_by_chi_square(table.copy(), 0.2, 3, 4).tolist() == [True, False, True, True]
    assert merge_by_chi_square(table.copy(), 0.2, 1, 4).tolist() == [True, False, True, False]
    assert merge_by_chi_square(table.copy(), 0.1, 1, 4).tolist() == [True, True, True, True]
    assert merge_by_chi_square(table.copy(), 0.1, 1, 1).tolist() == [True, False, False, False]


numbers = st.one_of(st.integers(-5, 5).map(float), st.floats(-1e3, 1e3))


@given(st.lists(numbers, max_size=200), st.sets(numbers, min_size=1, max_size=40))
def test_regions_and_points_are_numpys(x: list[float], edges: set[float]) -> None:
    column, rising = np.array(x), np.array(sorted(edges)) + 0.0
    points = np.linspace(0.0, 1.0, len(rising) + 1)
    expected = np.searchsorted(rising, column, side="right")

    assert regions_of(column, rising).tolist() == expected.tolist()
    assert points_of(column, rising, points).tolist() == points[expected].tolist()


@pytest.mark.parametrize("n", [0, 1, 63, 64, 65, 128, 1000])
@pytest.mark.parametrize("edges", [1, 2, 3, 7, 8, 9, 1000])
def test_every_length_of_the_last_block(n: int, edges: int) -> None:
    x = np.random.default_rng(n).integers(0, edges + 1, n).astype(float)

    expected = np.searchsorted(np.arange(float(edges)), x, side="right")
    assert regions_of(x, np.arange(float(edges))).tolist() == expected.tolist()


@given(st.lists(numbers, max_size=60), st.sets(numbers, max_size=20))
def test_merged_places_are_numpys(x: list[float], edges: set[float]) -> None:
    values, rising = np.sort(np.array(x)), np.array(sorted(edges))

    assert merged(values, rising).tolist() == np.searchsorted(values, rising).tolist()


def test_means_by_hand() -> None:
    values, starts = np.array([1.0, 2.0, 4.0, 9.0]), np.array([0, 3, 4, 6, 7])

    assert means_of(values, starts, np.array([2])).tolist() == [1.25, 17 / 3]
    assert means_of(values + 1e8, starts, np.array([2]))[0] == 1e8 + 1.25
    assert means_of(values, starts, np.empty(0, dtype=np.intp)).tolist() == [22 / 7]


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=40, unique=True), st.data())
def test_means_lie_within_their_regions(x: list[float], data: st.DataObject) -> None:
    values = np.sort(np.array(x))
    counts = np.array(data.draw(st.lists(st.integers(1, 9), min_size=len(x), max_size=len(x))))
    cuts = np.array(sorted(data.draw(st.sets(st.integers(1, len(x) - 1)))), dtype=np.intp)
    starts = np.concatenate([[0], np.cumsum(counts)])

    means = means_of(values, starts, cuts)

    for mean, part, weights in zip(
        means, np.split(values, cuts), np.split(counts, cuts), strict=True
    ):
        assert part[0] <= mean <= part[-1]
        assert mean == pytest.approx(np.average(part, weights=weights), rel=1e-12, abs=1e-9)
