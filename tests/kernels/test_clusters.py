"""The exact program against all partitions, and Lloyd's steps."""

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet.kernels.columns import best_cuts, cost_about_means, cost_of, lloyd, prefix_sums

Places = NDArray[np.intp]


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


@pytest.mark.parametrize("c", [2, 3, 8, 40])
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


def test_sums_are_taken_from_the_middle_value() -> None:
    rows, sums, squares = prefix_sums(np.array([-1e9, 1.0, 2.0, 4.0]), np.array([1, 2, 1, 3]))

    assert np.diff(rows).tolist() == [1, 2, 1, 3]
    assert sums[0, 1:].tolist() == [2.0, 0.0, 0.0, 6.0]
    assert squares[0, 1:].tolist() == [-2.0, 0.0, 0.0, 12.0]
    assert sums[0, 1] - sums[0, 0] == -1e9 - 2


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


def test_lloyd_moves_values_to_the_nearest_mean_and_never_loses() -> None:
    values = np.array([0.0, 1.0, 2.0, 10.0, 11.0, 12.0])
    sums = prefix_sums(values, np.ones(6, dtype=np.intp))

    assert lloyd(values, *sums, np.array([1]), 100).tolist() == [3]
    assert lloyd(values, *sums, np.array([1]), 0).tolist() == [1]


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
