"""A share that was counted: by hand, at its ends, and rounded."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from discreet.errors import InputError
from discreet.measure import Estimate

# Count, trials, baseline; and the share and Wilson's interval to three digits.
BY_HAND: dict[str, tuple[float, int, float | None, tuple[float, float, float]]] = {
    "a fifth of a hundred": (20, 100, 0.01, (0.2, 0.133, 0.289)),
    "none of ten": (0, 10, None, (0.0, 0.0, 0.278)),
    "all of ten": (10, 10, None, (1.0, 0.722, 1.0)),
    "none of one": (0, 1, None, (0.0, 0.0, 0.793)),
    "ties as parts": (2.5, 4, 0.25, (0.625, 0.219, 0.908)),
}


@pytest.mark.parametrize(("count", "trials", "baseline", "found"), BY_HAND.values(), ids=BY_HAND)
def test_by_hand(count: float, trials: int, baseline: float | None, found: Any) -> None:
    estimate = Estimate("w", count, trials, baseline)

    assert (estimate.share, round(estimate.low, 3), round(estimate.high, 3)) == found


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_is_wilsons(counted: tuple[int, int]) -> None:
    count, trials = counted
    estimate = Estimate("w", count, trials)

    wilson = binomtest(count, trials).proportion_ci(method="wilson")

    assert estimate.low == pytest.approx(wilson.low, abs=1e-12)
    assert estimate.high == pytest.approx(wilson.high, abs=1e-12)
    assert 0 <= estimate.low <= estimate.share <= estimate.high <= 1


ROUNDED: dict[str, tuple[float, int, int, tuple[float, int]]] = {
    "nearest": (12, 98, 5, (10, 100)),
    "up": (13, 98, 5, (15, 100)),
    "never none at all": (1, 2, 5, (0, 5)),
    "never above the trials": (8, 8, 5, (10, 10)),
    "parts": (2.6, 11, 5, (5, 10)),
    "by one": (2.6, 11, 1, (3, 11)),
}


@pytest.mark.parametrize(("count", "trials", "to", "found"), ROUNDED.values(), ids=ROUNDED)
def test_rounded(count: float, trials: int, to: int, found: tuple[float, int]) -> None:
    estimate = Estimate("w", count, trials, 0.5).rounded(to)

    assert (estimate.count, estimate.trials) == found
    assert (estimate.what, estimate.baseline) == ("w", 0.5)
    assert estimate.rounded(to) == estimate


@pytest.mark.parametrize(("count", "trials"), [(1, 0), (-1, 5), (6, 5), (math.nan, 5), (0, -1)])
def test_what_cannot_have_been_counted(count: float, trials: int) -> None:
    with pytest.raises(InputError, match="a count between 0 and its trials, of at least one"):
        Estimate("w", count, trials)


def test_it_is_told_in_full() -> None:
    estimate = Estimate("rows found", 1, 4, 0.25)

    assert str(estimate) == "rows found: 25.0 % (4.6 to 69.9 %; guessing 25.0 %)"
    assert str(Estimate("rows found", 1, 4)) == "rows found: 25.0 % (4.6 to 69.9 %)"
    assert estimate.to_dict() == {
        "what": "rows found",
        "count": 1,
        "trials": 4,
        "estimate": 0.25,
        "interval": [estimate.low, estimate.high],
        "baseline": 0.25,
    }
