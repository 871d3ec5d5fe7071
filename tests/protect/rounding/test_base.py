"""Edges between regions: above all that is below them, and never above what is not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.protect.rounding.base import edges_at, regions_by, scaled
from discreet.protect.rounding.groups import Optimal
from discreet.protect.rounding.intervals import Base
from discreet.protect.rounding.sorted_column import sorted_column

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


def test_what_a_method_finds_beside_edges() -> None:
    column = sorted_column([0.0, 1.0, 9.0, 10.0])
    plain, told = regions_by(Optimal(k=2), column), regions_by(Base(b=4.0), column)

    assert (plain.edges.tolist(), plain.points, plain.found, plain.held) == ([5.0], None, {}, True)
    assert told.points is not None
    assert told.points.tolist() == [0.0, 4.0, 8.0, 12.0]
    assert (told.found, told.held) == ({"b": 4.0}, False)


def test_columns_whose_squares_would_be_lost_are_scaled() -> None:
    wide, narrow = np.array([-1e149, 0.0, 1e149]), np.array([0.0, 5e-324, 1e-323])

    assert scaled(np.array([0.0, 3.0])).tolist() == [0.0, 3.0]
    assert scaled(np.array([7.0])).tolist() == [7.0]
    for values in (wide, narrow):
        assert 0.5 <= np.ptp(scaled(values)) <= 4
        assert np.diff(scaled(values)) == pytest.approx(np.ptp(scaled(values)) / 2)
