"""Rows of bits: what is set next, before and after, against sets of columns."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.kernels.pairs import FAR, clear_bit, first_from, last_to, place_of, rows_of_bits

WIDTHS = [1, 2, 63, 64, 65, 128, 130, 400]


@st.composite
def two_rows(draw: st.DrawFn) -> tuple[int, list[tuple[int, int]]]:
    width = draw(st.sampled_from(WIDTHS))
    pairs = st.tuples(st.integers(0, 1), st.integers(0, width - 1))
    return width, sorted(draw(st.sets(pairs, max_size=12)))


@given(two_rows(), st.data())
def test_as_sets_of_columns(given: tuple[int, list[tuple[int, int]]], data: st.DataObject) -> None:
    width, pairs = given
    rows = rows_of_bits(np.array(pairs, dtype=np.int32).reshape(-1, 2), 2, width)
    gone = data.draw(st.sets(st.sampled_from(pairs)) if pairs else st.just(set()))
    for i, j in gone:
        clear_bit(rows, i, j)

    for place, (i, j) in enumerate(pairs):
        assert place_of(rows, i, j) == place
    for i in range(2):
        columns = [j for row, j in pairs if row == i and (row, j) not in gone]
        for j in range(width):
            assert first_from(rows, i, j) == min((c for c in columns if c >= j), default=FAR)
            assert last_to(rows, i, j) == max((c for c in columns if c <= j), default=-FAR)


@pytest.mark.parametrize("width", WIDTHS)
def test_past_either_end_is_nothing(width: int) -> None:
    rows = rows_of_bits(
        np.array([[0, 0], [0, width - 1]], dtype=np.int32)[: min(width, 2)], 1, width
    )

    assert first_from(rows, 0, width) == FAR
    assert last_to(rows, 0, -1) == -FAR
