"""Edges between regions: above all that is below them, and never above what is not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.protect.rounding.base import edges_at

CLOSE = np.nextafter(1.0, 2.0)
BY_HAND: dict[str, tuple[list[float], list[int], list[float]]] = {
    "the middle": ([1.0, 2.0, 10.0], [1, 2], [1.5, 6.0]),
    "no cut, no edge": ([1.0, 2.0], [], []),
    "no number between": ([1.0, CLOSE], [1], [CLOSE]),
    "far apart": ([-1e308, 1e308], [1], [0.0]),
    "two large ones": ([1e308, 1.5e308], [1], [1.25e308]),
}


@pytest.mark.parametrize(("values", "cuts", "edges"), BY_HAND.values(), ids=BY_HAND)
def test_by_hand(values: list[float], cuts: list[int], edges: list[float]) -> None:
    assert edges_at(np.array(values), np.array(cuts, dtype=np.intp)).tolist() == edges


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, unique=True))
def test_an_edge_parts_the_values_below_from_those_above(given_values: list[float]) -> None:
    values = np.unique(np.array(given_values) + 0.0)
    cuts = np.arange(1, len(values))

    edges = edges_at(values, cuts)

    assert (np.searchsorted(edges, values, side="right") == np.arange(len(values))).all()
