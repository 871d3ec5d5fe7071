"""What is told of raw data is coarse; what is counted on the released table is not touched."""

import math
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.measure.coefficients import Coefficients
from discreet.measure.estimate import Estimate
from discreet.measure.evaluate import (
    coarse_box,
    coarse_estimate,
    coarse_model,
    coarse_preservation,
    to_step,
    two_digits,
)
from discreet.measure.utility import Preservation


@pytest.mark.parametrize(
    ("value", "rounded"),
    [(0.0114321, 0.011), (0.00011749, 0.00012), (-1250.0, -1200.0), (0.0, 0.0), (7.0, 7.0)],
)
def test_two_digits_are_kept(value: float, rounded: float) -> None:
    assert two_digits(value) == rounded


@pytest.mark.parametrize(
    ("value", "step", "rounded"),
    [(0.976, 0.05, 1.0), (0.974, 0.05, 0.95), (-0.02, 0.05, 0.0), (13.0, 5.0, 15.0)],
)
def test_a_step_leaves_no_digit_beyond_it(value: float, step: float, rounded: float) -> None:
    assert to_step(value, step) == rounded


def test_what_is_no_number_stays() -> None:
    assert to_step(math.inf, 0.05) == math.inf
    assert math.isnan(to_step(math.nan, 0.05))


class TestEstimates:
    def test_count_trials_and_guessing_lose_what_single_rows_move(self) -> None:
        found = coarse_estimate(Estimate("linked", 123.4, 891, 1 / 891), 5)
        assert found == Estimate("linked", 125, 890, 0.0011)

    def test_too_few_trials_are_not_told(self) -> None:
        # 3 of 5 rounded to fives would be told as all, and 2 of 5 as none
        assert coarse_estimate(Estimate("far", 3, 5, 0.2), 5) is None
        assert coarse_estimate(Estimate("far", 3, 19, 0.2), 5) is None
        assert coarse_estimate(Estimate("far", 3, 20, 0.2), 5) == Estimate("far", 5, 20, 0.2)

    @given(st.integers(0, 500), st.integers(1, 500), st.integers(1, 20))
    def test_neighbouring_tables_are_mostly_told_alike(self, a: int, n: int, to: int) -> None:
        found = coarse_estimate(Estimate("x", min(a, n), n, 0.37123), to)
        if found is not None:
            assert found.count % to == 0
            assert found.trials % to == 0
            assert found.baseline == 0.37
            assert abs(found.trials - n) <= to / 2
            assert abs(found.count - min(a, n)) <= to / 2 or found.count == found.trials


class TestBoxes:
    def test_all_five_numbers_have_one_step(self) -> None:
        assert coarse_box((0.41234, 0.4812, 0.5003, 0.5232, 0.6119)) == (
            *(0.412, 0.482, 0.5, 0.524, 0.612),
        )

    def test_a_box_without_height_is_one_number(self) -> None:
        assert coarse_box((0.5003,) * 5) == (0.5,) * 5

    @given(st.lists(st.floats(0, 1), min_size=5, max_size=5))
    def test_the_order_stays(self, values: list[float]) -> None:
        low, q1, median, q3, high = sorted(values)
        box = coarse_box((low, q1, median, q3, high))
        assert list(box) == sorted(box)


def model(**changes: object) -> Coefficients:
    given: dict[str, object] = {
        "formula": "y ~ x",
        "model": "linear",
        "terms": ("Intercept", "x"),
        "original": np.array([12.3456, -0.0123456]),
        "original_se": np.array([1.2345, 0.0056789]),
        "original_df": 98.0,
        "released": np.array([12.9876, -0.0111111]),
        "released_se": np.array([1.1, 0.005]),
        "released_df": 98.0,
    }
    return Coefficients(**{**given, **changes})  # type: ignore[arg-type]


class TestModels:
    def test_the_originals_numbers_lose_what_is_far_below_their_error(self) -> None:
        coarse = coarse_model(model())
        assert coarse.original.tolist() == [12.5, -0.012]
        assert coarse.original_se.tolist() == [1.2, 0.006]

    def test_the_released_tables_numbers_are_its_own(self) -> None:
        coarse = coarse_model(model())
        assert coarse.released.tolist() == [12.9876, -0.0111111]
        assert coarse.released_se.tolist() == [1.1, 0.005]

    def test_what_follows_from_them_is_rounded_with_them(self) -> None:
        coarse = coarse_model(model())
        assert coarse.difference[0] == pytest.approx((12.9876 - 12.5) / 1.2)

    @given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
    def test_no_estimate_moves_by_more_than_a_quarter_of_its_error(
        self, estimate: float, error: float
    ) -> None:
        given = model(original=np.array([estimate, 0.0]), original_se=np.array([error, 1.0]))
        coarse = coarse_model(given)
        assert abs(coarse.original[0] - estimate) <= 0.2501 * error
        assert abs(coarse.original_se[0] - error) <= 0.1001 * error
        assert coarse.original_se[0] > 0


def test_summaries_are_told_in_twentieths() -> None:
    kept = Preservation(
        means=MappingProxyType({"a": 0.0123, "b": -0.13}),
        spreads=MappingProxyType({"a": 0.9731, "b": 1.0}),
        quantiles=MappingProxyType({"a": (0.024, 0.026, -0.3333)}),
        correlations=MappingProxyType({("a", "b"): -0.0812}),
        levels=MappingProxyType({"sex": 0.0}),
    )
    coarse = coarse_preservation(kept)
    assert coarse.means == {"a": 0.0, "b": -0.15}
    assert coarse.spreads == {"a": 0.95, "b": 1.0}
    assert coarse.quantiles == {"a": (0.0, 0.05, -0.35)}
    assert coarse.correlations == {("a", "b"): -0.1}
    assert coarse.levels == {"sex": 0.0}
