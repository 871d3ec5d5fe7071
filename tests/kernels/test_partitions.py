"""The kernels by hand and against all partitions; more in rounding/test_groups.py."""

from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet.kernels.columns import optimal_cuts

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
    "one value": ([4], [7], 3, []),
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


@pytest.mark.parametrize("k", [2, 3, 7, 16, 33])
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


def test_a_far_value_below_does_not_blur_what_is_above() -> None:
    rng = np.random.default_rng(0)
    near = np.sort(rng.normal(size=60))
    alone = optimal_cuts(near, starts_of([1] * 60), 3)
    values = np.concatenate([[-1e12, -1e12 + 1, -1e12 + 2], near])

    assert optimal_cuts(values, starts_of([1] * 63), 3).tolist() == [3, *(alone + 3).tolist()]


def test_a_wide_gap_does_not_blur_what_lies_behind_it() -> None:
    values = np.array([0.25, 0.5, 1e9, 1e9 + 0.25, 1e9 + 0.5, 1e9 + 0.75])
    counts = [1, 1, 1, 1, 1, 2]

    assert optimal_cuts(values, starts_of(counts), 2).tolist() == [2, 4]


# --- MDAV and V-MDAV with heavy values ---------------------------------------------------------
