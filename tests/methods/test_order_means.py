"""Means of neighbouring order statistics: what a box may draw, and where a range ends."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet.errors import InputError, RefusedError
from discreet.methods.values import OrderMeans, extreme_mean, nice_step, stepped

Floats = NDArray[np.float64]

NUMBERS = st.floats(-1e6, 1e6, allow_nan=False).map(lambda v: round(v, 3))


BOXES: dict[str, tuple[int, list[float], list[float]]] = {  # k, values, the five numbers
    "every value of three": (1, [3, 1, 2], [1, 2, 2, 3, 3]),
    "one to nine": (3, [1, 2, 3, 4, 5, 6, 7, 8, 9], [2, 3, 5, 7, 8]),
    "the same in another order": (3, [9, 2, 7, 4, 5, 6, 3, 8, 1], [2, 3, 5, 7, 8]),
    "as many as k": (4, [1, 2, 3, 10], [4, 4, 4, 4, 4]),
    "ties": (2, [5, 5, 5, 5, 9, 9], [5, 5, 5, 7, 9]),
    "few values have no others": (2, [0, 1, 2, 3, 4, 1000], [0.5, 1.5, 2.5, 3.5, 502]),
    "a far value is passed over": (3, [*range(1, 24), 1000], [2, 7, 13, 18, 22]),
    "far values on both sides": (3, [-99, *range(2, 24), 1000], [3, 7, 13, 18, 22]),
}


@pytest.mark.parametrize(("k", "values", "numbers"), BOXES.values(), ids=BOXES)
def test_five_numbers(k: int, values: list[float], numbers: list[float]) -> None:
    assert list(OrderMeans(k)(np.array(values, dtype=float))) == numbers


def end(inward: list[float], k: int) -> float:
    """Return what stands for an end of values, of which the extreme ones come first."""
    start = 0
    while start + k < max(k, min(2 * k, len(inward) // 4)):
        reach = [abs(value - inward[start + k]) for value in inward[start : start + k]]
        if reach[0] <= 0.8 * sum(reach):
            break
        start += 1
    return float(np.mean(inward[start : start + k]))


@given(st.lists(NUMBERS, min_size=1, max_size=60), st.integers(1, 10))
def test_every_number_is_the_mean_of_k_neighbours_about_its_place(
    values: list[float], k: int
) -> None:
    if k > len(values):
        return
    numbers = OrderMeans(k)(np.array(values))
    ordered = sorted(values)
    runs = [ordered[i : i + k] for i in range(len(values) - k + 1)]

    assert numbers[0] == pytest.approx(end(ordered, k), abs=1e-6)
    assert numbers[4] == pytest.approx(end(ordered[::-1], k), abs=1e-6)
    for share, number in zip((0.25, 0.5, 0.75), numbers[1:4], strict=True):
        place = share * (len(values) - 1)
        middles = [i + (k - 1) / 2 for i in range(len(runs))]
        nearest = min(abs(middle - place) for middle in middles)
        allowed = [
            np.mean(run)
            for run, middle in zip(runs, middles, strict=True)
            if abs(middle - place) <= nearest + 1e-9
        ]
        assert any(number == pytest.approx(mean, abs=1e-6) for mean in allowed)


@given(st.lists(NUMBERS, min_size=5, max_size=40), st.randoms())
def test_the_order_of_the_rows_does_not_matter(values: list[float], random: Any) -> None:
    shuffled = random.sample(values, len(values))

    assert OrderMeans(5)(np.array(values)) == OrderMeans(5)(np.array(shuffled))


def test_fewer_values_than_k_are_refused() -> None:
    with pytest.raises(RefusedError, match="k is larger than the number of values"):
        OrderMeans(5)(np.arange(4.0))


@pytest.mark.parametrize("k", [0, -1, True, 2.0, "3"])
def test_k_is_a_whole_number_of_at_least_one(k: Any) -> None:
    with pytest.raises(InputError, match="k must be a whole number of at least 1"):
        OrderMeans(k)


ENDS: dict[str, tuple[list[float], float]] = {  # from the extreme one inward, the mean at k = 3
    "no more than k": ([900, 8, 7], 305),
    "none dominates": ([9, 8, 7, 6, 5, 4], 8),
    "one dominates": ([900, 8, 7, 6, 5, 4], 7),
    "two do, one after the other": ([9e6, 900, 8, 7, 6, 5], 7),
    "two together do not": ([900, 899, 8, 7, 6, 5], 1807 / 3),
    "to the left": ([-900, -8, -7, -6, -5, -4], -7),
    "less than four fifths": ([79, 11, 10, 0, 0, 0], 100 / 3),
    "more than four fifths": ([85, 10, 5, 0, 0, 0], 5),
    "ties": ([5, 5, 5, 5, 5, 5], 5),
    "heavy tails to the end": ([1e9, 1e6, 1e3, 1, 0.5, 0.1], 1.6 / 3),
}


@pytest.mark.parametrize(("inward", "mean"), ENDS.values(), ids=ENDS)
def test_the_mean_of_the_extremes_that_none_dominates(inward: list[float], mean: float) -> None:
    assert extreme_mean(np.array(inward), 3) == pytest.approx(mean)


STEPS = {  # a share of 0.02 of the sd, next below it
    13.0: 0.2,
    50.0: 1.0,
    49.9: 0.5,
    100.0: 2.0,
    0.25: 0.005,
    1e-9: 2e-11,
}


@pytest.mark.parametrize(("sd", "step"), STEPS.items())
def test_the_nice_step_is_one_two_or_five(sd: float, step: float) -> None:
    assert nice_step(sd) == step


@given(st.floats(1e-200, 1e200))
def test_a_nice_step_lies_between_a_fifth_of_a_share_and_the_share(sd: float) -> None:
    step = nice_step(sd)

    assert 0.4 * 0.02 * sd * (1 - 1e-9) <= step <= 0.02 * sd * (1 + 1e-9)
    assert f"{step:e}"[0] in "125"


@pytest.mark.parametrize("sd", [0.0, float("nan"), float("inf")])
def test_no_step_for_what_does_not_vary(sd: float) -> None:
    with pytest.raises(RefusedError, match="a column is constant, or too wide"):
        nice_step(sd)


@given(st.lists(NUMBERS, min_size=1, max_size=20), st.sampled_from([0.002, 0.05, 0.1, 1.0, 20.0]))
def test_stepped_values_are_multiples_and_stay_within_half_a_step(
    values: list[float], step: float
) -> None:
    given = np.array(values)
    out = stepped(given, step)

    assert np.abs(out - given).max() <= step / 2 * (1 + 1e-6)
    assert np.abs(out / step - np.round(out / step)).max() < 1e-6
    assert stepped(out, step).tolist() == out.tolist()
    # as a reader writes a multiple of the step: 0.3, not 0.30000000000000004
    assert all(len(f"{value!r}".partition(".")[2]) <= 4 for value in out.tolist())
    assert not np.signbit(out[out == 0]).any()
