"""What every row method asks of its arguments."""

from __future__ import annotations

import traceback
from typing import Any

import numpy as np
import pytest

from discreet.errors import InputError, RefusedError
from discreet.protect.base import as_matrix, as_strata, sd_of, spread

BAD: dict[str, tuple[Any, str]] = {
    "text": ([["Canary Alice", 1]], "numbers alone"),
    "ragged": ([[1.0, 2.0], [3.0]], "numbers alone"),
    "no rows": (np.empty((0, 2)), "at least one row"),
    "no columns": (np.empty((2, 0)), "at least one row"),
    "three axes": (np.zeros((2, 2, 2)), "at least one row"),
    "missing": ([[1.0], [np.nan]], "missing or infinite"),
    "infinite": ([[1.0], [np.inf]], "missing or infinite"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_no_table_of_numbers_is_refused_without_quoting_it(case: str) -> None:
    values, message = BAD[case]
    with pytest.raises(InputError, match=message) as caught:
        as_matrix(values)
    assert "Canary" not in "".join(traceback.format_exception(caught.value))


def test_one_column_may_be_flat_and_nothing_is_copied() -> None:
    flat = np.array([1.0, 2.0])
    assert as_matrix(flat).shape == (2, 1)
    table = np.zeros((3, 2))
    assert as_matrix(table) is table


def test_strata_are_numbered_from_0() -> None:
    assert as_strata(["b", "a", "b"], 3).tolist() == [1, 0, 1]
    assert as_strata(None, 2).tolist() == [0, 0]
    with pytest.raises(InputError, match="one label for each row"):
        as_strata(["a"], 2)


def test_spread_is_mean_and_sd_with_n_less_1() -> None:
    mean, sd = spread(np.array([[1.0, 2.0], [3.0, 6.0]]))
    assert mean.tolist() == [2.0, 4.0]
    assert sd == pytest.approx([2**0.5, 8**0.5], abs=1e-15)


def test_spread_refuses_constant_columns_and_single_rows() -> None:
    with pytest.raises(RefusedError, match="column 1 of X is constant"):
        spread(np.array([[1.0, 5.0], [2.0, 5.0]]))
    with pytest.raises(RefusedError, match="too few rows"):
        spread(np.array([[1.0]]))


@pytest.mark.parametrize("values", [[4.5, 4.5], [1e-200, 2e-200], [1.7e308, -1.7e308]])
def test_a_column_without_a_usable_sd_is_refused_by_name(values: list[float]) -> None:
    assert sd_of("age", np.array([3.0, 1.0])) == pytest.approx(2**0.5, abs=1e-15)
    with pytest.raises(RefusedError, match="column 'age' is constant"):
        sd_of("age", np.array(values))
