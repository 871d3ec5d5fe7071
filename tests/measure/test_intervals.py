"""Interval disclosure: worked by hand, as sdcMicro has it, and what is refused."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from discreet.errors import InputError, RefusedError
from discreet.measure.linkage import (
    check_same_rows,
    interval_risk,
    interval_risks,
    moments,
)
from discreet.measure.pairs import as_pair

Floats = NDArray[np.float64]

# A column of -3, -1, 1, 3 has an sd (n - 1) of sqrt(20 / 3) = 2.58.
BY_HAND: dict[str, tuple[list[Any], list[Any], float, int]] = {
    "identical": ([-3, -1, 1, 3], [-3, -1, 1, 3], 0.05, 4),
    "within .129, beyond .129": ([-3, -1, 1, 3], [-2.88, -0.86, 1.0, 3.5], 0.05, 2),
    "a wider interval": ([-3, -1, 1, 3], [-2.88, -0.86, 1.0, 3.5], 0.2, 4),
    "every column counts": (
        [[-3, 0], [-1, 1], [1, 2], [3, 3]],
        [[-3, 0], [-1, 9], [9, 2], [9, 9]],
        0.05,
        1,
    ),
    "a constant column that stays": ([[0, 7], [1, 7], [2, 7]], [[0, 7], [1, 7], [2, 7]], 0.05, 3),
    "a constant column that moves": ([[0, 7], [1, 7], [2, 7]], [[0, 7], [1, 8], [2, 7]], 0.05, 2),
    # sd 2, so half a width of 0.2 * 2: 0.4 is on the end in decimals, beyond it in floats
    "an end counts": ([1, 3, 5], [1.4, 3.4, 5.41], 0.2, 2),
}


@pytest.mark.parametrize(("x", "y", "share", "count"), BY_HAND.values(), ids=BY_HAND)
def test_by_hand(x: list[Any], y: list[Any], share: float, count: int) -> None:
    found = interval_risk(x, y, share=share)

    assert (found.count, found.trials) == (count, len(x))


def test_as_sdcmicro_has_it_one_column_of_a_record_may_lie_outside() -> None:
    x = [[0, 0, 0], [1, 1, 1], [2, 2, 2], [3, 3, 3]]
    y = [[0, 0, 0], [1, 1, 9], [2, 9, 9], [9, 9, 9]]

    assert interval_risk(x, y).count == 1
    assert interval_risk(x, y, variant="sdcmicro").count == 2
    assert "but one at most" in str(interval_risk(x, y, variant="sdcmicro"))
    assert interval_risk([1, 2, 3], [7, 9, 8], variant="sdcmicro").share == 1


def test_as_sdcmicro_has_it_the_released_sd_counts() -> None:
    x = [[0, 0], [1, 1], [2, 2]]
    y = [[0.06, 0.06], [10, 10], [20, 20]]  # half widths .05 of the original sd, .5 of this one

    assert interval_risk(x, y).count == 0
    assert interval_risk(x, y, variant="sdcmicro").count == 1


def test_as_described_no_column_may_lie_outside_the_released_interval() -> None:
    x = [[0, 0], [1, 1], [2, 2]]
    y = [[0.06, 0.06], [1.4, 10], [20, 20]]  # half widths of .05 released sd: .56 and .5
    found = interval_risk(x, y, variant="released")

    assert (found.count, found.trials) == (1, 3)
    assert interval_risk(x, y).count == 0  # half widths of .05
    assert interval_risk(x, y, variant="sdcmicro").count == 2
    assert "lies within 0.05 released sd of the released one" in str(found)
    # a column that is released constant has an sd of 0: only the same value is inside
    assert interval_risk([1, 2, 3], [2, 2, 2], variant="released").count == 1


def test_by_column() -> None:
    found = interval_risks([[0, 5], [1, 6], [2, 7]], [[0, 6], [1, 7], [9, 7]])

    assert {name: estimate.count for name, estimate in found.items()} == {"0": 2, "1": 1}
    assert found["0"].baseline == 0  # 0, 1, 9: nobody else's value is near
    assert found["1"].baseline == pytest.approx(2 / 6)  # 6 and 7 are those of two others


@given(
    hnp.arrays(np.float64, (7, 2), elements=st.integers(0, 4).map(float)),
    st.sampled_from([0.05, 0.5, 1.0]),
    st.permutations(range(7)),
)
def test_laws(x: Floats, share: float, order: list[int]) -> None:
    y = np.roll(x, 1, axis=1)
    found = interval_risk(x, y, share=share)

    assert interval_risk(x[order], y[order], share=share) == found
    assert found.count <= interval_risk(x, y, share=2 * share).count
    assert found.count <= min(one.count for one in interval_risks(x, y, share=share).values())
    assert interval_risk(x, x, share=share).share == 1


def test_moments_of_a_constant_column() -> None:
    mean, sd = moments(np.array([[1.0, 7.0], [3.0, 7.0]]))

    assert mean.tolist() == [2, 7]
    assert sd.tolist() == [pytest.approx(2**0.5), 0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"share": 0}, "share must be above 0"),
        ({"share": float("nan")}, "share must be a finite number"),
        ({"variant": "median"}, "variant is unknown; choose one of 'all', 'sdcmicro', 'released'"),
    ],
)
def test_bad_parameters(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        interval_risk([1, 2, 3], [1, 2, 3], **options)


def test_rows_must_correspond() -> None:
    pair = as_pair([1, 2, 3], [1, 2], same_rows=False)

    with pytest.raises(InputError, match="rows of both tables must correspond"):
        check_same_rows(pair)
    with pytest.raises(InputError, match="rows of both tables must correspond"):
        interval_risk(pair)
    with pytest.raises(InputError, match="different numbers of rows"):
        interval_risk([1, 2, 3], [1, 2])


def test_numbers_too_wide_to_compute_with() -> None:
    with pytest.raises(RefusedError, match="spans more than can be computed with"):
        interval_risk([-1e308, 0, 1e308], [1, 2, 3])
