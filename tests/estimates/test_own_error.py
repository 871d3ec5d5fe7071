"""How far a copy is off, of copies of it: by hand, and in intervals of means and shares."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.estimates.intervals import NORMAL, OwnErrors, interval_of, own_variance, wilson
from discreet.estimates.tables import RowsToDescribe, means_of, shares_of

ROWS = RowsToDescribe(
    {"x": np.array([1.0, 3.0, math.nan, 10.0, 20.0, 30.0])},
    {"sex": ("f", "f", "f", "m", "m", "m"), "ill": ("yes", "no", "", "no", "yes", "yes")},
)
F, M = (("sex", "f"),), (("sex", "m"),)

#: How far copies are off, the share of rows they are of, and the variance.
OFF: dict[str, tuple[list[float], float, float]] = {
    "chance alone": ([-1, 0, 1], 1, 1),
    "of a quarter of the rows chance is less": ([-1, 0, 1], 0.25, 0.25),
    "all off by the same": ([2, 2, 2, 2], 0.25, 4),
    "more than chance makes of it": ([2, 3, 4], 1, 9 - 1 / 3 + 1),
    "as much as chance makes of it": ([0, 0, 3], 1, 3),
}


@pytest.mark.parametrize(("off", "share", "variance"), OFF.values(), ids=OFF)
def test_a_variance_by_hand(off: list[float], share: float, variance: float) -> None:
    assert own_variance(off, share) == pytest.approx(variance)


@given(
    st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=9), st.floats(0.01, 1), st.floats(-100, 100)
)
def test_it_is_in_the_units_of_the_figure(off: list[float], share: float, times: float) -> None:
    found = own_variance([times * it for it in off], share)
    assert found == pytest.approx(times**2 * own_variance(off, share), rel=1e-6, abs=1e-6)


def test_of_fewer_than_three_copies_nothing_is_known() -> None:
    copies = [{"a": 1.0, "b": 2.0}, {"a": 2.0, "b": 3.0}, {"a": 3.0}]
    own = OwnErrors({"a": 2.0, "b": 2.0, "c": 1.0}, copies, 1.0)
    assert [own.of(it) for it in "abcd"] == [1.0, None, None, None]
    assert OwnErrors({}, (), 1.0).of("a") is None


def test_intervals_hold_the_error_of_the_copy() -> None:
    own = OwnErrors({M: 20.0}, [{M: 20.0 + it} for it in (-6.0, 0.0, 6.0)], 1.0)
    alone, wider = (means_of(ROWS, "x", ["sex"], it) for it in (None, own))
    ends: dict[tuple[Any, str], Any] = {
        (it.group, it.figure): (it.value, other.value)
        for it, other in zip(alone.figures, wider.figures, strict=True)
    }
    low, high = interval_of(np.array([10.0, 20.0, 30.0])) or (0, 0)
    half = math.hypot((high - low) / 2, NORMAL * 6)
    assert ends[M, "mean, low end"] == (pytest.approx(low), pytest.approx(20 - half))
    assert ends[M, "mean, high end"] == (pytest.approx(high), pytest.approx(20 + half))
    for figure in ("mean, low end", "mean, high end"):  # of which nothing is known
        assert ends[F, figure][0] == ends[F, figure][1]


def test_intervals_of_shares_hold_it_and_stay_shares() -> None:
    def ends(off: float) -> tuple[float, float]:
        own = OwnErrors({M: 0.6}, [{M: 0.6 + it} for it in (-off, 0.0, off)], 1.0)
        found = {
            it.figure: it.value
            for it in shares_of(ROWS, "ill", "yes", ["sex"], own).figures
            if it.group == M
        }
        return float(found["share, low end"] or 0), float(found["share, high end"] or 0)

    low, high = wilson(2 / 3, 3)
    below, above = (math.hypot(end - 2 / 3, NORMAL * 0.1) for end in (low, high))
    assert ends(0.0) == pytest.approx((low, high))
    assert ends(0.1) == pytest.approx((2 / 3 - below, min(1, 2 / 3 + above)))
    assert ends(5.0) == (0, 1)
