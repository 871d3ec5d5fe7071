"""Searches side by side find what numpy finds, for any number of rows and edges."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.kernels.coding import merged, points_of, regions_of

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
