"""Means of a number by one or two columns of levels, worked by hand and beside scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from discreet.estimates.intervals import interval_of
from discreet.estimates.tables import RowsToDescribe, means_of, ratios_of

ROWS = RowsToDescribe(
    {"x": np.array([1.0, 3.0, math.nan, 10.0, 20.0, 30.0])},
    {"sex": ("f", "f", "f", "m", "m", "m"), "old": ("no", "no", "yes", "no", "yes", "")},
)


def test_by_two_columns_each_has_its_sums() -> None:
    found = means_of(ROWS, "x", ["sex", "old"])

    n = {(it.section, it.name): it.cells[0].split(",")[0] for it in found.lines}
    assert n == {
        ("sex: f", "no"): "2",
        ("sex: f", "yes"): "0",
        ("sex: f", "(missing)"): "0",
        ("sex: f", "all"): "2",
        ("sex: m", "no"): "1",
        ("sex: m", "yes"): "1",
        ("sex: m", "(missing)"): "1",
        ("sex: m", "all"): "3",
        ("all", "no"): "3",
        ("all", "yes"): "1",
        ("all", "(missing)"): "1",
        ("all", "all"): "5",
    }
    nobody = found.lines[2].cells
    assert nobody == ("0, 0 (–)", "–", "–", "–", "–", "0")
    groups = {it.group for it in found.figures}
    assert (("sex", "m"), ("old", None)) in groups
    assert {(), (("old", "no"),), (("sex", "f"),)} <= groups


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30))
def test_the_interval_is_that_of_t(values: list[float]) -> None:
    found = interval_of(np.array(values))
    scale = float(np.std(values, ddof=1)) / math.sqrt(len(values))
    low, high = stats.t.interval(0.95, len(values) - 1, np.mean(values), scale or 1e-300)
    assert found == pytest.approx((low, high), rel=1e-9, abs=1e-6)


# --- ratios ---------------------------------------------------------------------------------------

T_3, T_1 = stats.t.ppf(0.975, [3, 1])
YEARS = {"died": np.array([1.0, 0, 1, 0, math.nan]), "years": np.array([2.0, 2, 4, 4, 9])}
RATIOS = {
    # 2 / 12, and 2/3, -1/3, 1/3, -2/3 of these: root(4/3 * 10/9) / 12
    "rows": (None, None, 1 / 6, T_3 * math.sqrt(40 / 27) / 12),
    # of two people 1/3 and -1/3: root(2 * 2/9) / 12
    "people": (None, np.array([0, 0, 1, 1, 1]), 1 / 6, T_1 * math.sqrt(4 / 9) / 12),
    # 3 / 14, and twice 4/7, then -3/7, 1/7, -6/7: root(4/3 * (64 + 9 + 1 + 36) / 49) / 14
    "weights": (np.array([2.0, 1, 1, 1, 1]), None, 3 / 14, T_3 * math.sqrt(440 / 147) / 14),
}


@pytest.mark.parametrize(("weights", "persons", "ratio", "half"), RATIOS.values(), ids=RATIOS)
def test_ratios_by_hand(
    weights: np.ndarray | None, persons: np.ndarray | None, ratio: float, half: float
) -> None:
    rows = RowsToDescribe(YEARS, {"g": ("a",) * 5}, weights=weights, persons=persons)
    found = {
        it.figure: it.value for it in ratios_of(rows, "died", None, "years", ["g"]).figures[:6]
    }
    ends = (found["ratio, low end"], found["ratio"], found["ratio, high end"])
    assert ends == pytest.approx((ratio - half, ratio, ratio + half))
    assert (found["n"], found["missing"]) == (4, 1)


def test_nothing_is_divided_by_a_sum_of_0() -> None:
    rows = RowsToDescribe({"a": np.ones(3), "b": np.zeros(3)}, {"g": ("x", "x", "y")})
    assert [it.cells[1:3] for it in ratios_of(rows, "a", None, "b", ["g"]).lines] == [
        ("–", "–")
    ] * 3


@pytest.mark.parametrize("each", [1, 4])
def test_intervals_of_ratios_hold_the_true_one_in_95_of_100_samples(each: int) -> None:
    # Deaths per year of people with one or four rows: each person's rate is 0.2 times their own.
    random, held = np.random.default_rng(5), 0
    for _ in range(400):
        own = np.repeat(random.gamma(4, 0.25, 100), each)
        years = random.uniform(0.5, 6, 100 * each)
        numbers = {"died": random.poisson(0.2 * own * years).astype(float), "years": years}
        persons = np.repeat(np.arange(100), each)
        rows = RowsToDescribe(numbers, {"g": ("a",) * len(years)}, persons=persons)
        of = {it.figure: it.value for it in ratios_of(rows, "died", None, "years", ["g"]).figures}
        held += float(of["ratio, low end"] or 0) <= 0.2 <= float(of["ratio, high end"] or 0)
    assert 0.92 <= held / 400 <= 0.98
