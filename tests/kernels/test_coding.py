"""Searches side by side find what numpy finds, for any number of rows and edges."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.kernels.bins import means_of, merged, points_of, regions_of

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
