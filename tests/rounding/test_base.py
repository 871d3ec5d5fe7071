"""One column in order, and the edges of regions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.arguments import as_column
from discreet.errors import InputError, RefusedError
from discreet.rounding.base import edges_at, scaled, sorted_column

NUMBERS = st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=40)


def test_different_values_in_order_with_their_counts() -> None:
    column = sorted_column([3.0, 1.0, 3.0, 2.0, 3.0])
    assert column.values.tolist() == [1.0, 2.0, 3.0]
    assert column.counts.tolist() == [1, 1, 3]
    assert column.starts.tolist() == [0, 1, 2, 5]
    assert column.n == 5
    assert column.class_counts is None


def test_there_is_one_zero() -> None:
    column = sorted_column([-0.0, 0.0, 0.0])
    assert column.values.tolist() == [0.0]
    assert column.counts.tolist() == [3]
    assert not np.signbit(column.values).any()


def test_one_column_of_a_table_is_a_column() -> None:
    assert as_column([[1.0], [2.0]]).tolist() == [1.0, 2.0]


BAD: dict[str, tuple[Any, str]] = {
    "a word": ([1.0, "Alice"], "x must contain only numbers$"),
    "no value": ([], "at least one number"),
    "two columns": ([[1.0, 2.0]], "one column"),
    "missing": ([1.0, np.nan], "missing or infinite"),
    "infinite": ([1.0, np.inf], "missing or infinite"),
}


@pytest.mark.parametrize(("x", "message"), BAD.values(), ids=BAD)
def test_what_is_no_column_is_refused(x: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        sorted_column(x)


def test_numbers_whose_squares_are_infinite_are_refused() -> None:
    with pytest.raises(RefusedError, match="too large to be squared; rescale it"):
        sorted_column([0.0, 1e200])


def test_a_class_is_needed_for_each_row() -> None:
    with pytest.raises(InputError, match="a class is needed for each row"):
        sorted_column([1.0, 2.0], ["a"])


def test_a_number_is_no_class() -> None:
    y = np.arange(1001)
    assert sorted_column(y, y % 1000).class_counts is not None
    with pytest.raises(InputError, match="classes are few, and these are more than 1000"):
        sorted_column(y, y)


@given(NUMBERS)
def test_the_order_of_the_rows_does_not_matter(x: list[float]) -> None:
    once, again = sorted_column(x), sorted_column(x[::-1])
    assert once.values.tolist() == again.values.tolist() == sorted({value + 0.0 for value in x})
    assert once.counts.tolist() == again.counts.tolist()
    assert np.repeat(once.values, once.counts).tolist() == (np.sort(x) + 0.0).tolist()


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


def test_columns_whose_squares_would_be_lost_are_scaled() -> None:
    wide, narrow = np.array([-1e149, 0.0, 1e149]), np.array([0.0, 5e-324, 1e-323])
    assert scaled(np.array([0.0, 3.0])).tolist() == [0.0, 3.0]
    assert scaled(np.array([7.0])).tolist() == [7.0]
    for values in (wide, narrow):
        assert 0.5 <= np.ptp(scaled(values)) <= 4
        assert np.diff(scaled(values)) == pytest.approx(np.ptp(scaled(values)) / 2)
