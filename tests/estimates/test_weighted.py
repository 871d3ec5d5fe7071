"""Weighted figures: beside statsmodels and rows repeated, and laws that hold of any weights."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from discreet.estimates.intervals import (
    error_by_persons,
    interval_of,
    mean_by,
    quantiles_by,
    rows_worth,
    sd_by,
)
from discreet.estimates.tables import RowsToDescribe, mean_of, means_of, sd_of, summary_of

QUARTILES = (0.25, 0.5, 0.75)
NUMBERS = st.integers(-50, 50).map(float)
WHOLE = st.lists(st.tuples(NUMBERS, st.integers(1, 5)), min_size=2, max_size=25)
ANY = st.lists(st.tuples(NUMBERS, st.floats(0.01, 100)), min_size=2, max_size=25)


def columns(pairs: list[tuple[float, float]]) -> tuple[np.ndarray, np.ndarray]:
    values, weights = zip(*pairs, strict=True)
    return np.array(values, dtype=float), np.array(weights, dtype=float)


@given(WHOLE)
def test_whole_weights_are_rows_repeated(pairs: list[tuple[float, float]]) -> None:
    values, weights = columns(pairs)
    repeated = np.repeat(values, weights.astype(int))
    assert mean_by(values, weights) == pytest.approx(repeated.mean())
    n = len(values)  # the sd around the mean is that of the population; its divisor counts rows
    assert sd_by(values, weights) == pytest.approx(repeated.std() * math.sqrt(n / (n - 1)))
    expected = np.quantile(repeated, QUARTILES, method="averaged_inverted_cdf")
    assert quantiles_by(values, weights, QUARTILES) == pytest.approx(expected.tolist())


@given(st.lists(NUMBERS, min_size=2, max_size=25), st.floats(1e-9, 1e300))
def test_equal_weights_are_none(values: list[float], weight: float) -> None:
    known, weights = np.array(values), np.full(len(values), weight)
    assert mean_of(known, weights) == pytest.approx(mean_of(known), abs=1e-9)
    assert sd_of(known, weights) == pytest.approx(sd_of(known), abs=1e-9)
    assert interval_of(known, weights) == pytest.approx(interval_of(known), abs=1e-9)
    assert quantiles_by(known, weights, (0.5,))[0] == pytest.approx(float(np.median(known)))
    assert rows_worth(weights) == pytest.approx(len(values))


@given(ANY, st.floats(1e-3, 1e3))
def test_only_ratios_of_weights_matter(pairs: list[tuple[float, float]], times: float) -> None:
    values, weights = columns(pairs)
    for by in (mean_by, sd_by):
        assert by(values, times * weights) == pytest.approx(by(values, weights), abs=1e-9)
    assert 1 - 1e-9 <= rows_worth(weights) <= len(values) + 1e-9


def test_the_error_is_the_sandwich_of_a_weighted_regression() -> None:
    # A weighted mean is a regression on a constant; HC1 is the linearised variance of surveys.
    from statsmodels.regression.linear_model import WLS

    draw = np.random.default_rng(2)
    values, weights = draw.normal(3, 2, 80), draw.gamma(2, 5, 80)
    found = WLS(values, np.ones((80, 1)), weights).fit(cov_type="HC1")
    assert mean_by(values, weights) == pytest.approx(float(found.params[0]))
    assert error_by_persons(values, np.arange(80), weights)[0] == pytest.approx(float(found.bse[0]))


def test_by_hand() -> None:
    # weights 1, 3 | 2: means 2.5 and 7; errors by sqrt(2 * sum (w/sum w * (x - mean))²)
    rows = RowsToDescribe(
        {"x": np.array([1.0, 3.0, math.nan, 7.0])},
        {"g": ("a", "a", "b", "b")},
        weights=np.array([1.0, 3.0, 5.0, 2.0]),
    )
    found = means_of(rows, "x", ["g"])
    figures = {(it.group, it.figure): it.value for it in found.figures}
    a = (("g", "a"),)

    assert figures[a, "n"] == 2
    assert figures[a, "mean"] == 2.5
    assert figures[a, "sd"] == pytest.approx(math.sqrt(2 * (1.5**2 + 3 * 0.5**2) / 4))
    error = math.sqrt(2 * 2 * 0.375**2)
    assert figures[a, "mean, low end"] == pytest.approx(2.5 - stats.t.ppf(0.975, 1) * error)
    assert (figures[a, "sum"], figures[a, "sum of weights"]) == (10, 4)
    assert figures[a, "effective n"] == pytest.approx(16 / 10)
    b = (("g", "b"),)
    assert (figures[b, "n"], figures[b, "missing"], figures[b, "mean"]) == (1, 1, 7)
    assert (figures[b, "sum of weights"], figures[(), "sum"]) == (2, 24)


def test_a_summary_counts_rows_and_weights_the_rest() -> None:
    rows = RowsToDescribe(
        {"x": np.array([1.0, 3.0, math.nan, 7.0]), "day": np.array([0.0, 1.0, 2.0, 9.0])},
        {"g": ("a", "a", "b", "b"), "h": ("y", "n", "n", "")},
        ("day",),
        weights=np.array([1.0, 3.0, 5.0, 1.0]),
    )
    cells = {
        (it.section, it.name): it.cells for it in summary_of(rows, ["x", "day", "h"], "g").lines
    }
    assert cells["", "rows of the copy"] == ("2 (40.0 %)", "2 (60.0 %)", "4")
    assert cells["x", "n, missing"] == ("2, 0 (0 %)", "1, 1 (50.0 %)", "3, 1 (25.0 %)")
    assert cells["x", "mean (sd)"][0] == "2.50 (1.22)"
    assert cells["x", "median (quartiles)"][0] == "3 (2–3)"
    assert cells["day", "median (range)"][2] == "1970-01-03 (1970-01-01 to 1970-01-10)"
    assert cells["h", "n"] == ("1 (75.0 %)", "1 (100 %)", "2 (88.9 %)")
    assert cells["h", "y"] == ("1 (25.0 %)", "0 (0 %)", "1 (11.1 %)")
