"""Gaps are filled and bounds kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from discreet.errors import InputError, RefusedError
from discreet.methods.values import (
    OUTSIDE,
    OrderMeans,
    drawn_levels,
    extreme_mean,
    filled,
    nice_step,
    outside,
    stepped,
)
from tests.cases import examples

NAN = float("nan")
# Values, how, and what stands in for the missing ones.
FILLED: dict[str, tuple[list[float], str, float]] = {
    "median of an odd number": ([9, NAN, 1, 2], "median", 2),
    "median of an even number": ([9, NAN, 1, 2, 4], "median", 3),
    "mean": ([9, NAN, 1, 2], "mean", 4),
}


@pytest.mark.parametrize(("values", "how", "expected"), FILLED.values(), ids=FILLED)
def test_by_hand(values: list[float], how: str, expected: float) -> None:
    given_values = np.array(values)
    out = filled(given_values, how)
    gaps = np.isnan(given_values)
    assert out[~gaps].tolist() == given_values[~gaps].tolist()
    assert out[gaps].tolist() == [expected] * gaps.sum()
    assert np.isnan(given_values).tolist() == gaps.tolist(), "what came in is left alone"


BAD: dict[str, tuple[list[float], Any, type[Exception], str]] = {
    "another word": ([1, NAN], "mode", InputError, "how must be one of 'median', 'mean'"),
    "no word for leaving out": ([1, NAN], "complete", InputError, "how must be"),
    "nothing known": ([NAN, NAN], "mean", RefusedError, "leave the column out"),
}


@pytest.mark.parametrize(("values", "how", "error", "text"), BAD.values(), ids=BAD)
def test_what_cannot_be_filled(
    values: list[float], how: Any, error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        filled(np.array(values), how)


# Of a, a, b: a below two thirds, b from there on.
DRAWN: dict[str, tuple[list[str], list[float], list[str]]] = {
    "shares decide": (["a", "", "b", "a", ""], [0, 0.66, 0, 0, 0.67], ["a", "a", "b", "a", "b"]),
    "names in order of letters": (["b", "", "a", ""], [0, 0.49, 0, 0.51], ["b", "a", "a", "b"]),
    "the ends": (["a", "", "b", ""], [0, 0, 0, 1], ["a", "a", "b", "b"]),
}


@pytest.mark.parametrize(("words", "uniforms", "expected"), DRAWN.values(), ids=DRAWN)
def test_levels_by_hand(words: list[str], uniforms: list[float], expected: list[str]) -> None:
    assert list(drawn_levels(words, np.array(uniforms))) == expected


@given(st.data())
def test_levels_belong_to_the_row_and_not_to_its_place(data: Any) -> None:
    words = ["a", "b", "", "b", "", "c", ""]
    uniforms = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.95])
    order = data.draw(st.permutations(range(7)))
    out = drawn_levels([words[i] for i in order], uniforms[order])
    before = drawn_levels(words, uniforms)
    assert list(out) == [before[i] for i in order]


INF = float("inf")

BY_HAND: dict[str, tuple[list[float], float, float, str, list[float]]] = {
    "kept": ([-1, 0.5, 2], 0, 1, "keep", [-1, 0.5, 2]),
    "clipped at both ends": ([-1, 0.5, 2], 0, 1, "clip", [0, 0.5, 1]),
    "clipped at one end": ([-1, 0.5, 2], 0, INF, "clip", [0, 0.5, 2]),
    "reflected": ([9, 10, 11, 20, 23], 10, 20, "reflect", [11, 10, 11, 20, 17]),
    "reflected twice": ([-1.25, 2.25, 3.25], 0, 1, "reflect", [0.75, 0.25, 0.75]),
    "reflected below": ([-3, 2], 0, INF, "reflect", [3, 2]),
    "reflected above": ([-3, 2], -INF, 1, "reflect", [-3, 0]),
    "no bounds": ([-3, 2], -INF, INF, "reflect", [-3, 2]),
    "nothing to do": ([], 0, 1, "reflect", []),
}


@pytest.mark.parametrize(("given", "low", "high", "rule", "out"), BY_HAND.values(), ids=BY_HAND)
def test_by_hand_of_outside(given: Any, low: float, high: float, rule: str, out: Any) -> None:
    assert outside(np.array(given, float), low, high, rule).tolist() == out


def test_clipping_heaps_up_on_the_bound_and_reflecting_does_not() -> None:
    rng = np.random.default_rng(0)
    noised = rng.uniform(size=2000) + rng.normal(0, 0.1, size=2000)
    clipped, reflected = (outside(noised, 0, 1, rule) for rule in ("clip", "reflect"))
    assert (clipped == 0).sum() > 50
    assert (reflected == 0).sum() == 0
    assert reflected.std() < clipped.std() < noised.std()


laws = settings(deadline=None, derandomize=True, max_examples=examples(100))
numbers = st.floats(allow_nan=False, allow_infinity=False)
columns = hnp.arrays(np.float64, st.integers(0, 20), elements=st.one_of(numbers, st.floats(-3, 3)))
ends = (
    st.tuples(
        st.one_of(numbers, st.just(-INF), st.just(0.0)),
        st.one_of(numbers, st.just(INF), st.just(1.0)),
    )
    .map(lambda pair: (min(pair), max(pair)))
    .filter(lambda pair: pair[0] < pair[1])
)


@laws
@given(columns, ends, st.sampled_from(["reflect", "clip"]))
def test_nothing_lies_outside_and_twice_is_once(values: Any, pair: Any, rule: str) -> None:
    low, high = pair
    once = outside(values, low, high, rule)
    assert np.isfinite(once).all()
    assert ((low <= once) & (once <= high)).all()
    assert outside(once, low, high, rule).tobytes() == once.tobytes()


@laws
@given(columns, ends, st.sampled_from(OUTSIDE))
def test_what_lies_inside_is_not_touched(values: Any, pair: Any, rule: str) -> None:
    low, high = pair
    inside = (low <= values) & (values <= high)
    out = outside(values, low, high, rule)
    assert out[inside].tobytes() == values[inside].tobytes()
    if rule == "keep":
        assert out.tobytes() == values.tobytes()


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "an unknown rule": ({"rule": "wrap"}, "choose one of 'keep', 'reflect', 'clip'"),
    "ends in the wrong order": ({"low": 2}, "low must be a number below high"),
    "a missing value": ({"values": np.array([np.nan])}, "missing or infinite"),
}


@pytest.mark.parametrize(("change", "message"), WRONG.values(), ids=WRONG)
def test_what_is_wrong(change: dict[str, Any], message: str) -> None:
    call = {"values": np.array([0.5]), "low": 0, "high": 1, "rule": "clip", **change}
    with pytest.raises(InputError, match=message):
        outside(**call)


# --- means of neighbouring order statistics: what a box may draw, and where a range ends ----------


NUMBERS = st.floats(-1e6, 1e6, allow_nan=False).map(lambda v: round(v, 3))


BOXES: dict[str, tuple[int, list[float], list[float]]] = {  # k, values, the five numbers
    "every value of three": (1, [3, 1, 2], [1, 2, 2, 3, 3]),
    "one to nine": (3, [1, 2, 3, 4, 5, 6, 7, 8, 9], [2, 3, 5, 7, 8]),
    "as many as k": (4, [1, 2, 3, 10], [4, 4, 4, 4, 4]),
    "ties": (2, [5, 5, 5, 5, 9, 9], [5, 5, 5, 7, 9]),
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


@pytest.mark.parametrize("k", [0, True])
def test_k_is_a_whole_number_of_at_least_one(k: Any) -> None:
    with pytest.raises(InputError, match="k must be a whole number of at least 1"):
        OrderMeans(k)


ENDS: dict[str, tuple[list[float], float]] = {  # from the extreme one inward, the mean at k = 3
    "none dominates": ([9, 8, 7, 6, 5, 4], 8),
    "one dominates": ([900, 8, 7, 6, 5, 4], 7),
    "two do, one after the other": ([9e6, 900, 8, 7, 6, 5], 7),
    "two together do not": ([900, 899, 8, 7, 6, 5], 1807 / 3),
    "less than four fifths": ([79, 11, 10, 0, 0, 0], 100 / 3),
    "more than four fifths": ([85, 10, 5, 0, 0, 0], 5),
    "heavy tails to the end": ([1e9, 1e6, 1e3, 1, 0.5, 0.1], 1.6 / 3),
}


@pytest.mark.parametrize(("inward", "mean"), ENDS.values(), ids=ENDS)
def test_the_mean_of_the_extremes_that_none_dominates(inward: list[float], mean: float) -> None:
    assert extreme_mean(np.array(inward), 3) == pytest.approx(mean)


@given(st.floats(1e-200, 1e200))
def test_a_nice_step_lies_between_a_fifth_of_a_share_and_the_share(sd: float) -> None:
    step = nice_step(sd)
    assert 0.4 * 0.02 * sd * (1 - 1e-9) <= step <= 0.02 * sd * (1 + 1e-9)
    assert f"{step:e}"[0] in "125"


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
