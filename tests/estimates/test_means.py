"""Means of a number by one or two columns of levels, worked by hand and beside scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from discreet.estimates.intervals import interval_of
from discreet.estimates.tables import RowsToDescribe, means_of

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
