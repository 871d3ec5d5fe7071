"""Searches side by side find what numpy finds, for any number of rows and edges."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import chi2_contingency

from discreet.kernels.columns import chi_square, merge_by_chi_square

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
