"""The kernels by hand and against all partitions; more in rounding/test_groups.py."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet.kernels.columns import (
    best_cuts,
    chi_square,
    cost_about_means,
    cost_of,
    lloyd,
    merge_by_chi_square,
    optimal_cuts,
    prefix_sums,
)

Places = NDArray[np.intp]


def starts_of(counts: Any) -> Places:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.intp)


def squares(values: Any, counts: Any) -> Fraction:
    """Return the exact sum of squares about the mean."""
    exact = [Fraction(float(v)) for v in values]
    weights = [int(w) for w in counts]
    mean = sum((w * v for w, v in zip(weights, exact, strict=True)), Fraction(0)) / sum(weights)
    return sum((w * (v - mean) ** 2 for w, v in zip(weights, exact, strict=True)), Fraction(0))


def cost(values: Any, counts: Any, cuts: Any) -> Fraction:
    ends = pairwise([0, *(int(cut) for cut in cuts), len(values)])
    return sum((squares(values[i:j], counts[i:j]) for i, j in ends), Fraction(0))


def least_cost(values: Any, counts: Any, k: int) -> Fraction:
    """Look at every partition."""
    m = len(values)
    costs = []
    for parts in range(m):
        for cuts in combinations(range(1, m), parts):
            if all(sum(counts[i:j]) >= k for i, j in pairwise([0, *cuts, m])):
                costs.append(cost(values, counts, cuts))
    return min(costs)


OPTIMAL: dict[str, tuple[list[float], list[int], int, list[int]]] = {
    "two clusters": ([1, 2, 3, 8, 9, 10], [1] * 6, 3, [3]),
    "a group of 2k - 1": ([1, 2, 3, 8, 9], [1] * 5, 2, [3]),
    "fewer than 2k rows": ([1, 2, 9], [1] * 3, 2, []),
    "a light value joins the nearer": ([1, 2.4, 3], [5, 1, 5], 5, [1]),
    "more than 2k - 1 rows, as no cut is allowed": ([1, 2, 3], [2, 9, 2], 3, []),
}


@pytest.mark.parametrize(("values", "counts", "k", "cuts"), OPTIMAL.values(), ids=OPTIMAL)
def test_optimal_by_hand(values: list[float], counts: list[int], k: int, cuts: list[int]) -> None:
    found = optimal_cuts(np.array(values, dtype=float), starts_of(counts), k)
    assert found.tolist() == cuts


spaces = st.one_of(
    st.sampled_from([0.25, 0.5, 1.0, 3.0]), st.floats(1e-3, 1e3), st.sampled_from([1e-6, 1e6, 1e9])
)
columns = st.lists(st.tuples(spaces, st.integers(1, 4)), min_size=2, max_size=9)


@given(columns, st.integers(2, 5), st.sampled_from([0.0, -7.5, 1e8]))
def test_no_partition_costs_less(column: list[tuple[float, int]], k: int, offset: float) -> None:
    values = np.unique(offset + np.cumsum([gap for gap, _ in column]))
    counts = np.array([count for _, count in column][: len(values)])
    if counts.sum() < k:
        return
    found = cost(values, counts, optimal_cuts(values, starts_of(counts), k))
    assert found <= least_cost(values, counts, k) * (1 + Fraction(1, 10**12))


@pytest.mark.parametrize("k", [2, 7])
def test_optimal_is_a_plain_program(k: int) -> None:
    """Hold long columns, in which blocks are many, against a program that tries every region."""
    rng = np.random.default_rng(k)
    values = np.unique(rng.lognormal(size=150).round(2))
    counts = rng.integers(1, 4, len(values))
    starts = starts_of(counts)

    exact = [Fraction(float(v)) for v in values]
    zero = Fraction(0)
    total, square = [zero], [zero]
    for value, count in zip(exact, counts.tolist(), strict=True):
        total.append(total[-1] + count * value)
        square.append(square[-1] + count * value * value)
    best: list[Fraction | None] = [zero]
    for j in range(1, len(exact) + 1):
        found = [
            before + square[j] - square[i] - (total[j] - total[i]) ** 2 / int(starts[j] - starts[i])
            for i, before in enumerate(best[:j])
            if before is not None and starts[j] - starts[i] >= k
        ]
        best.append(min(found) if found else None)

    least = best[-1]
    assert least is not None
    assert cost(values, counts, optimal_cuts(values, starts, k)) <= least * (
        1 + Fraction(1, 10**12)
    )


# --- searches side by side find what numpy finds, for any number of rows and edges ----------------


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


# --- the exact program against all partitions, and Lloyd's steps ----------------------------------


def exact_cost(values: Any, counts: Any, cuts: Any) -> Fraction:
    total = Fraction(0)
    for i, j in pairwise([0, *map(int, cuts), len(values)]):
        rows = [(Fraction(float(v)), int(w)) for v, w in zip(values[i:j], counts[i:j], strict=True)]
        mean = sum((w * v for v, w in rows), Fraction(0)) / sum(w for _, w in rows)
        total += sum((w * (v - mean) ** 2 for v, w in rows), Fraction(0))
    return total


def whole(m: int, c: int) -> tuple[Places, Places]:
    """Return bounds that bound nothing."""
    lows = np.append(np.arange(c), m)
    return lows, np.append(0, np.arange(m - c + 1, m + 1))


gaps = st.lists(st.tuples(st.floats(0.01, 100), st.integers(1, 4)), min_size=2, max_size=9)


@pytest.mark.parametrize("c", [3, 40])
def test_the_program_is_a_plain_one(c: int) -> None:
    rng = np.random.default_rng(c)
    values, counts = np.unique(rng.lognormal(size=120)), rng.integers(1, 5, 120)
    m = len(values)
    rows, all_sums, all_squares = prefix_sums(values, counts)
    sums, squares = all_sums[0], all_squares[0]
    i, j = np.meshgrid(np.arange(m + 1), np.arange(m + 1), indexing="ij")
    with np.errstate(divide="ignore", invalid="ignore"):
        within = squares[j] - squares[i] - (sums[j] - sums[i]) ** 2 / (rows[j] - rows[i])
    within[i >= j] = np.inf
    least = within[0]
    for _ in range(c - 1):
        least = (least[:, None] + within).min(axis=0)
    cuts = best_cuts(rows, all_sums, all_squares, *whole(m, c))
    bounds = np.concatenate([[0], cuts, [m]])
    assert cost_of(rows, all_sums, all_squares, bounds) == pytest.approx(least[m], rel=1e-12)
    assert cost_about_means(values, counts, bounds) == pytest.approx(least[m], rel=1e-12)


def test_cuts_stay_within_their_bounds() -> None:
    values = np.array([0.0, 1.0, 2.0, 10.0, 11.0, 12.0])
    sums = prefix_sums(values, np.ones(6, dtype=np.intp))
    assert best_cuts(*sums, np.array([0, 1, 6]), np.array([0, 2, 6])).tolist() == [2]
    assert best_cuts(*sums, np.array([0, 4, 6]), np.array([0, 5, 6])).tolist() == [4]
    assert best_cuts(*sums, *whole(6, 2)).tolist() == [3]


@given(
    st.lists(st.tuples(st.floats(-1e3, 1e3), st.integers(0, 3)), min_size=1, max_size=30),
    st.sampled_from([1.0, 1e4, 1e8]),
)
def test_sums_keep_what_one_number_cannot(given: list[tuple[float, int]], gap: float) -> None:
    values = np.unique([x / 7 + gap * clump for x, clump in given])
    counts = np.arange(len(values)) % 3 + 1
    rows, sums, squares = prefix_sums(values, counts)
    centre = Fraction(float(values[len(values) // 2]))
    for i in range(len(values)):
        off = Fraction(float(values[i])) - centre
        assert rows[i + 1] - rows[i] == counts[i]
        for kept, power in ((sums, 1), (squares, 2)):
            low, high = (sum(map(Fraction, map(float, kept[:, at]))) for at in (i, i + 1))
            size = Fraction(float(np.abs(kept[0]).max()))
            assert abs(high - low - int(counts[i]) * off**power) <= size / 2**98


@given(gaps, st.data())
def test_lloyd_keeps_every_cluster_and_never_loses(
    column: list[tuple[float, int]], data: st.DataObject
) -> None:
    values = np.unique(np.cumsum([gap for gap, _ in column]))
    counts = np.array([count for _, count in column][: len(values)])
    m = len(values)
    assume(m > 1)
    cuts = sorted(data.draw(st.sets(st.integers(1, m - 1), min_size=1)))
    sums = prefix_sums(values, counts)
    found = lloyd(values, *sums, np.array(cuts), 50)
    assert len(found) == len(cuts)
    assert (np.diff(np.concatenate([[0], found, [m]])) > 0).all()
    assert exact_cost(values, counts, found) <= exact_cost(values, counts, cuts) * (
        1 + Fraction(1, 10**9)
    )
