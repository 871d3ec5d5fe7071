"""Gaps are filled and bounds kept."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from discreet.errors import InputError, RefusedError
from discreet.methods.values import OUTSIDE, drawn_levels, filled, outside
from tests.cases import examples

Floats = NDArray[np.float64]

NAN = float("nan")
# Values, how, and what stands in for the missing ones.
FILLED: dict[str, tuple[list[float], str, float]] = {
    "median of an odd number": ([9, NAN, 1, 2], "median", 2),
    "median of an even number": ([9, NAN, 1, 2, 4], "median", 3),
    "mean": ([9, NAN, 1, 2], "mean", 4),
    "one known value": ([5, NAN, NAN], "median", 5),
    "nothing missing": ([1, 2, 3], "median", NAN),
}


@pytest.mark.parametrize(("values", "how", "expected"), FILLED.values(), ids=FILLED)
def test_by_hand(values: list[float], how: str, expected: float) -> None:
    given_values = np.array(values)
    out = filled(given_values, how)

    gaps = np.isnan(given_values)
    assert out[~gaps].tolist() == given_values[~gaps].tolist()
    assert out[gaps].tolist() == [expected] * gaps.sum()
    assert np.isnan(given_values).tolist() == gaps.tolist(), "what came in is left alone"


@given(st.permutations([1.0, 2.0, 3.5, 8.0, 13.0, NAN, NAN]))
def test_the_order_of_rows_does_not_matter(values: list[float]) -> None:
    for how in ("median", "mean"):
        before = filled(np.array([1.0, 2.0, 3.5, 8.0, 13.0, NAN, NAN]), how)
        assert filled(np.array(values), how)[np.isnan(values)].tolist() == before[5:].tolist()


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
    "nothing missing": (["a", "b"], [0.9, 0.9], ["a", "b"]),
    "one level": (["a", "", ""], [0.5, 0, 1], ["a", "a", "a"]),
}


@pytest.mark.parametrize(("words", "uniforms", "expected"), DRAWN.values(), ids=DRAWN)
def test_levels_by_hand(words: list[str], uniforms: list[float], expected: list[str]) -> None:
    assert list(drawn_levels(words, np.array(uniforms))) == expected


def test_shares_are_kept() -> None:
    words = ["a"] * 60 + ["b"] * 30 + ["c"] * 10 + [""] * 4000
    uniforms: Floats = (np.arange(len(words)) * np.float64(0.6180339887)) % 1

    counts = Counter(drawn_levels(words, uniforms)[100:])

    assert {name: round(n / 4000, 2) for name, n in counts.items()} == {
        "a": 0.6,
        "b": 0.3,
        "c": 0.1,
    }


@given(st.data())
def test_levels_belong_to_the_row_and_not_to_its_place(data: Any) -> None:
    words = ["a", "b", "", "b", "", "c", ""]
    uniforms = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.95])
    order = data.draw(st.permutations(range(7)))

    out = drawn_levels([words[i] for i in order], uniforms[order])

    before = drawn_levels(words, uniforms)
    assert list(out) == [before[i] for i in order]


def test_no_level_at_all_is_refused() -> None:
    with pytest.raises(RefusedError, match="no level of a column is known; leave the column out"):
        drawn_levels(["", ""], np.array([0.1, 0.9]))


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


def test_what_comes_in_is_not_written_to() -> None:
    values = np.array([-1.0, 0.5])

    for rule in OUTSIDE:
        assert not np.shares_memory(outside(values, 0, 1, rule), values)

    assert values.tolist() == [-1.0, 0.5]


def test_clipping_heaps_up_on_the_bound_and_reflecting_does_not() -> None:
    rng = np.random.default_rng(0)
    noised = rng.uniform(size=2000) + rng.normal(0, 0.1, size=2000)

    clipped, reflected = (outside(noised, 0, 1, rule) for rule in ("clip", "reflect"))

    assert (clipped == 0).sum() > 50
    assert (reflected == 0).sum() == 0
    assert reflected.std() < clipped.std() < noised.std()


# --- laws -------------------------------------------------------------------------------------

laws = settings(deadline=None, derandomize=True, max_examples=examples(200))
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
    "equal ends": ({"low": 1}, "low must be a number below high"),
    "no end": ({"low": float("nan")}, "low must be a number below high"),
    "a missing value": ({"values": np.array([np.nan])}, "missing or infinite"),
    "an infinite value": ({"values": np.array([INF])}, "missing or infinite"),
}


@pytest.mark.parametrize(("change", "message"), WRONG.values(), ids=WRONG)
def test_what_is_wrong(change: dict[str, Any], message: str) -> None:
    call = {"values": np.array([0.5]), "low": 0, "high": 1, "rule": "clip", **change}
    with pytest.raises(InputError, match=message):
        outside(**call)
