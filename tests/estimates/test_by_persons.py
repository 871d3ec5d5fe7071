"""Figures of rows of which several are one person's, worked by hand and beside those of rows."""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet.estimates.intervals import (
    NORMAL,
    OwnErrors,
    error_by_persons,
    interval_of,
    log_minus_log_errors,
    rows_worth,
    rows_worth_by_persons,
    rows_worth_of_bars,
    share_interval,
)
from discreet.estimates.tables import RowsToDescribe, means_of, shares_of, summary_of
from discreet.plots.survival import product_limit

VALUES = np.array([1.0, 3.0, 5.0, 7.0])
PAIRS = np.array([0, 0, 1, 1])
T_1 = 12.706204736  # of one degree of freedom

ERRORS = {
    # 1, 3 and 5, 7: persons with the means 2 and 6, whose standard error is 4 / root 2 / root 2
    "two rows each": (VALUES, PAIRS, None, 2.0, 2),
    # about 4: -3, -1 of one, and 1 and 3 of two others: root(3 / 2 (16 + 1 + 9) / 16)
    "of unequal people": (VALUES, np.array([0, 0, 1, 2]), None, math.sqrt(1.5 * 26 / 16), 3),
    # weights 1, 1, 2, 2: the mean is 14 / 3, and -16 / 3 of 6 is one person's, 16 / 3 the other's
    "weighted": (VALUES, PAIRS, np.array([1.0, 1.0, 2.0, 2.0]), math.sqrt(2 * 2 * (8 / 9) ** 2), 2),
    "one person": (VALUES, np.zeros(4, dtype=int), None, math.nan, 1),
}


@pytest.mark.parametrize(
    ("values", "persons", "weights", "error", "count"), ERRORS.values(), ids=ERRORS
)
def test_errors_of_means_by_hand(
    values: np.ndarray, persons: np.ndarray, weights: np.ndarray | None, error: float, count: int
) -> None:
    found, of = error_by_persons(values, persons, weights)
    assert found == pytest.approx(error, nan_ok=True)
    assert of == count


def test_where_each_row_is_a_person_all_is_as_without() -> None:
    random = np.random.default_rng(2)
    values, weights, each = random.normal(size=40), random.uniform(1, 5, 40), np.arange(40)
    has = (values > 0.3).astype(float)
    assert interval_of(values, persons=each) == pytest.approx(interval_of(values))
    # of shares one row in n less, as Wilson's interval has no n - 1
    assert rows_worth_by_persons(has, each) == pytest.approx(39)
    assert rows_worth_by_persons(np.ones(40), each, weights) == pytest.approx(rows_worth(weights))
    times, happened = random.exponential(size=40), random.random(40) < 0.6
    at, shares, low, _ = product_limit(times, happened)
    inside = (shares > 0) & (shares < 1)
    half = np.log(np.log(low[inside]) / np.log(shares[inside]))
    errors = log_minus_log_errors(times, happened, each, at[inside])
    assert NORMAL * errors == pytest.approx(half)


def test_persons_whose_rows_agree_count_once() -> None:
    random = np.random.default_rng(3)
    values, times = random.normal(size=30), random.exponential(size=30)
    happened, has = random.random(30) < 0.6, (values > 0).astype(float)
    thrice, persons = np.repeat(np.arange(30), 3), np.repeat(np.arange(30), 3)
    at = np.sort(times)[5:20]
    assert interval_of(values[thrice], persons=persons) == pytest.approx(interval_of(values))
    assert rows_worth_by_persons(has[thrice], persons) == pytest.approx(29)
    assert log_minus_log_errors(times[thrice], happened[thrice], persons, at) == pytest.approx(
        log_minus_log_errors(times, happened, np.arange(30), at)
    )


def test_bars_are_worth_what_each_of_their_shares_is() -> None:
    random = np.random.default_rng(4)
    bars, persons = random.choice([0, 1, 2, 4], 90), np.repeat(np.arange(30), 3)
    weights = random.uniform(1, 3, 90)
    for of in (None, weights):
        each = [rows_worth_by_persons((bars == it).astype(float), persons, of) for it in range(5)]
        assert rows_worth_of_bars(bars, persons, of) == pytest.approx(each)


def test_where_a_share_is_0_or_1_survival_has_no_error() -> None:
    ends, happened = np.array([1.0, 2.0, 3.0]), np.ones(3, dtype=bool)
    found = log_minus_log_errors(ends, happened, np.arange(3), np.array([0.5, 1.0, 3.0]))
    assert np.isnan(found).tolist() == [True, False, True]


def test_intervals_of_tables_are_by_persons() -> None:
    rows = RowsToDescribe(
        {"x": np.array([*VALUES, np.nan])},
        {"ill": ("no", "yes", "yes", "yes", ""), "g": ("a",) * 5},
        persons=np.array([*PAIRS, 9]),
    )
    own = OwnErrors({}, (), 1.0)
    low, high = 4 - 2 * T_1, 4 + 2 * T_1
    # of the share .75 the persons have (.25 - .75) / 4 and (.25 + .25) / 4: an error of .25
    ends = share_interval(0.75, 0.75 * 0.25 / 0.25**2)

    means = {it.figure: it.value for it in means_of(rows, "x", ["g"]).figures if not it.group}
    assert (means["mean, low end"], means["mean, high end"]) == pytest.approx((low, high))
    shares = shares_of(rows, "ill", "yes", ["g"]).figures
    found = {it.figure: it.value for it in shares if not it.group}
    assert (found["share, low end"], found["share, high end"]) == pytest.approx(ends)
    told = summary_of(rows, ["x", "ill"], None, own).figures
    by_name = {(it.column, it.level, it.figure): it.value for it in told}
    assert by_name["x", None, "mean, low end"] == pytest.approx(low)
    assert by_name["ill", "yes", "share, low end"] == pytest.approx(ends[0])
