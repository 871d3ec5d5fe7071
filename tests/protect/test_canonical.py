"""Sums and orders that do not depend on the order of rows."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from discreet.errors import InputError, RefusedError
from discreet.protect.canonical import (
    check_normals,
    lexicographic,
    ordered_spread,
    rows_by_stratum,
    standardise,
)

values = hnp.arrays(
    np.float64,
    st.tuples(st.integers(2, 30), st.integers(1, 3)),
    elements=st.floats(-1e6, 1e6, allow_subnormal=False),
)


@settings(deadline=None, derandomize=True, max_examples=60)
@given(values, st.randoms(use_true_random=False))
def test_permuted_rows_give_the_same_bits(matrix: Any, random: Any) -> None:
    order = list(range(len(matrix)))
    random.shuffle(order)
    try:
        z, mean, sd = standardise(matrix)
    except RefusedError:
        return
    for layout in (np.ascontiguousarray, np.asfortranarray):
        again, other_mean, other_sd = standardise(layout(matrix[order]))
        assert again.tobytes() == z[order].tobytes()
        assert (other_mean.tobytes(), other_sd.tobytes()) == (mean.tobytes(), sd.tobytes())


def test_spread_is_that_of_the_column() -> None:
    mean, sd = ordered_spread(np.array([[4.0, 0.0], [2.0, 10.0], [6.0, 5.0]]))

    assert mean.tolist() == [4.0, 5.0]
    assert sd.tolist() == [2.0, 5.0]


REFUSED: dict[str, tuple[Any, str]] = {
    "one row": ([[1.0, 2.0]], "too few rows"),
    "a constant column": ([[1.0, 2.0], [3.0, 2.0]], "column 1 of X is constant"),
    "too wide a column": ([[1e308], [-1e308]], "spans more than can be computed"),
}


@pytest.mark.parametrize(("matrix", "message"), REFUSED.values(), ids=REFUSED)
def test_what_has_no_z_scores_is_refused(matrix: Any, message: str) -> None:
    with pytest.raises(RefusedError, match=message):
        standardise(np.array(matrix))


def test_there_is_one_zero_and_nothing_next_to_it() -> None:
    z = standardise(np.array([[-1.0], [-0.0], [1e-200], [0.0], [-1e-200], [1.0]]))[0]

    assert z[1:5].tobytes() == np.zeros(4).tobytes()


ORDERS: dict[str, tuple[Any, list[int]]] = {
    "by the first column": ([[3, 1], [1, 2], [2, 3]], [1, 2, 0]),
    "then by the second": ([[1, 3], [0, 9], [1, 2]], [1, 2, 0]),
    "equal rows as they came": ([[1, 1], [0, 0], [1, 1]], [1, 0, 2]),
}


@pytest.mark.parametrize(("matrix", "order"), ORDERS.values(), ids=ORDERS)
def test_rows_are_ordered_by_columns_from_the_first_on(matrix: Any, order: list[int]) -> None:
    assert lexicographic(np.array(matrix, dtype=float)).tolist() == order


def test_blocks_are_ordered_one_after_the_other() -> None:
    strata, matrix = np.array([1, 0, 1, 0]), np.array([[1.0], [4.0], [0.0], [3.0]])

    assert lexicographic(strata, matrix).tolist() == [3, 1, 2, 0]


def test_rows_are_found_by_stratum() -> None:
    found = rows_by_stratum(np.array([1, 0, 1, 2, 0, 2]), k=2)

    assert [rows.tolist() for rows in found] == [[1, 4], [0, 2], [3, 5]]


def test_a_small_stratum_is_refused_without_its_size() -> None:
    with pytest.raises(RefusedError, match="a stratum holds fewer than k rows") as refused:
        rows_by_stratum(np.array([0, 0, 0, 1, 1]), k=3)
    assert not any(character.isdigit() for character in str(refused.value))


@pytest.mark.parametrize("normals", [np.zeros((2, 1)), np.zeros(4), np.full((2, 2), np.nan)])
def test_noise_is_one_finite_number_a_value(normals: Any) -> None:
    with pytest.raises(InputError, match="normals must hold one finite number for each value"):
        check_normals(normals, np.zeros((2, 2)))
