"""Values outside the bounds of their column: kept, folded back, or put on the bound."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from discreet.errors import InputError
from discreet.protect.outside import OUTSIDE, outside

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
def test_by_hand(given: Any, low: float, high: float, rule: str, out: Any) -> None:
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

laws = settings(deadline=None, derandomize=True, max_examples=200)
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
