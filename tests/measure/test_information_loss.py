"""Losses: worked by hand, identities, plain twins, and what is refused."""

import json
import math
from collections.abc import Callable
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from discreet.errors import InputError, RefusedError
from discreet.measure.information_loss import (
    covariances,
    il1s,
    il_metrics,
    sse_share,
)
from discreet.measure.pairs import as_pair
from discreet.protect import mdav

Floats = NDArray[np.float64]

# 0, 0, 6, 6: mean 3, SST 36, variance 12, sd 2 sqrt 3.
X = [0, 0, 6, 6]
SD = math.sqrt(12)

# --- SSE / SST --------------------------------------------------------------------------------

SSE: dict[str, tuple[list[Any], list[Any], float]] = {
    "nothing moved": (X, X, 0),
    "to the mean": (X, [3, 3, 3, 3], 100),
    "one row": (X, [0, 0, 6, 3], 25),
    "turned round": (X, [6, 6, 0, 0], 400),
    "two columns of other units": (
        [[0, 0], [0, 0], [6, 600], [6, 600]],
        [[3, 0]] * 2 + [[3, 600]] * 2,
        50,
    ),
}


@pytest.mark.parametrize(("x", "y", "percent"), SSE.values(), ids=SSE)
@pytest.mark.parametrize("offset", [0, 2**40])
@pytest.mark.parametrize("scale", [1.0, -2.0, 2.0**-500, 2.0**500])
def test_sse_by_hand_in_any_unit(
    x: list[Any], y: list[Any], percent: float, offset: float, scale: float
) -> None:
    turned = [scale * (np.array(values, dtype=float) + offset) for values in (x, y)]

    assert sse_share(*turned).total == pytest.approx(percent, rel=1e-12)


def test_sse_by_column() -> None:
    found = sse_share(
        [[0, 0, 7], [0, 0, 7], [6, 6, 7], [6, 6, 7]], [[3, 0, 7]] * 2 + [[3, 6, 8]] * 2
    )

    assert dict(found.columns) == {"0": 100, "1": 0}
    assert (found.total, found.left_out) == (50, ("2",))
    assert str(found) == "SSE / SST: 50 %"
    assert json.loads(json.dumps(found.to_dict())) == {
        "total": 50,
        "columns": {"0": 100, "1": 0},
        "left out": ["2"],
    }


@pytest.mark.parametrize("k", [2, 3, 5, 40])
@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_within_and_between_groups_make_the_total(k: int, offset: float) -> None:
    x = np.random.default_rng(1).exponential(12.5, (200, 3)) + offset
    y = np.empty_like(x)
    labels = mdav(x, k)
    for group in np.unique(labels):
        y[labels == group] = x[labels == group].mean(axis=0)
    between = np.square(y - x.mean(axis=0)).sum(axis=0) / np.square(x - x.mean(axis=0)).sum(axis=0)

    found = sse_share(x, y)

    assert list(found.columns.values()) == pytest.approx(list(100 * (1 - between)), rel=1e-6)
    assert 0 < found.total < 100


def test_within_and_between_make_the_total_of_real_columns(
    shared_data: Callable[[str], Path],
) -> None:
    x = pd.read_csv(shared_data("tarragona.csv"))
    y = x.copy()
    for name in x:
        y[name] = x[name].groupby(x[name].rank(method="first") // 25).transform("mean")
    between = ((y - x.mean()) ** 2).sum() / ((x - x.mean()) ** 2).sum()

    found = sse_share(x.astype(float), y)

    assert list(found.columns.values()) == pytest.approx(list(100 * (1 - between)), rel=1e-9)


# --- IL1s -------------------------------------------------------------------------------------

IL1S: dict[str, tuple[list[Any], list[Any], float]] = {
    "nothing moved": (X, X, 0),
    "to the mean": (X, [3, 3, 3, 3], 3 / (math.sqrt(2) * SD)),
    "one row": (X, [0, 0, 6, 2], 1 / (math.sqrt(2) * SD)),
    "two columns": (
        [[0, 1], [0, 3], [6, 3], [6, 1]],
        [[3, 1], [3, 3], [3, 3], [3, 1]],
        3 / (math.sqrt(2) * SD) / 2,
    ),
    "a constant column is left out": (
        [[0, 9], [0, 9], [6, 9], [6, 9]],
        [[3, 8]] * 4,
        3 / (math.sqrt(2) * SD),
    ),
}


@pytest.mark.parametrize(("x", "y", "expected"), IL1S.values(), ids=IL1S)
@pytest.mark.parametrize("scale", [1.0, -2.0, 2.0**-500, 2.0**500])
def test_il1s_by_hand_in_any_unit(
    x: list[Any], y: list[Any], expected: float, scale: float
) -> None:
    turned = [scale * np.array(values, dtype=float) for values in (x, y)]

    assert il1s(*turned) == pytest.approx(expected, rel=1e-12)


def test_normal_records_that_were_shuffled_lose_as_much_as_is_said() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=(200_000, 1))

    assert il1s(x, rng.permutation(x)) == pytest.approx(math.sqrt(2 / math.pi), abs=0.005)


# --- IL metrics -------------------------------------------------------------------------------


def test_one_column_by_hand() -> None:
    # values: 1/2 1/4 3/10 3/16 of 4; mean 4 stays; variance 10 to 25/3; no pair of columns
    found = il_metrics([1, 2, 5, 8], [1.5, 1.5, 6.5, 6.5])

    assert found.values == (1 / 2 + 1 / 4 + 3 / 10 + 3 / 16) / 4
    assert found.means == 0
    assert found.covariances == found.variances == pytest.approx(1 / 6)
    assert found.correlations is None
    assert found.total == pytest.approx(100 * (0.309375 + 0 + 1 / 6 + 1 / 6) / 4)
    assert set(found.left_out.values()) == {0}


def test_two_columns_by_hand() -> None:
    # the second column is released constant
    x = [[1, 2], [3, 2], [1, 4], [3, 6]]
    y = [[2, 3.5], [2, 3.5], [1, 3.5], [3, 3.5]]
    found = il_metrics(x, y)

    # 1 1/3 0 0 and 3/4 3/4 1/8 5/12
    assert found.values == pytest.approx((1 + 1 / 3 + 3 / 4 + 3 / 4 + 1 / 8 + 5 / 12) / 8)
    assert found.means == 0
    # sums of squares 4 and 11, of products 2; released 2, 0 and 0
    assert found.variances == pytest.approx((1 / 2 + 1) / 2)
    assert found.covariances == pytest.approx((1 / 2 + 1 + 1) / 3)
    assert found.correlations == pytest.approx(2 / math.sqrt(44))
    assert found.total == pytest.approx(
        100 / 5 * (3.375 / 8 + 0 + 0.75 + 2.5 / 3 + 2 / math.sqrt(44))
    )


def test_entries_over_zero_are_left_out_and_counted() -> None:
    # columns: mean 0 with a cell of 0; uncorrelated to the first; constant; all zero
    x = [[-1, 1, 5, 0], [0, -2, 5, 0], [1, 1, 5, 0]]
    y = [[-1, 1, 6, 1], [7, -2, 6, 1], [1, 2, 5, 1]]
    found = il_metrics(x, y)

    # left out: 1 + 3 cells; means 0, 0 and 0; of 10 covariances all but 2 variances, and 5 of 6
    assert dict(found.left_out) == {
        "values": 4,
        "means": 3,
        "covariances": 8,
        "variances": 2,
        "correlations": 5,
    }
    assert found.values == pytest.approx((1 + 2 * 1 / 5) / 8)
    assert found.means == pytest.approx(2 / 15)


def test_zero_but_for_rounding_is_zero() -> None:
    x = np.array([[0.1, 0.7], [0.2, 0.7], [-0.3, 0.1], [0.0, 0.1]])  # mean 1e-17
    assert abs(x[:, 0].mean()) > 0

    assert il_metrics(x, x + 1).left_out["means"] == 1
    z = np.array([[0.1, 0.1], [0.1, 0.3], [0.3, 0.1], [0.3, 0.3]])
    assert il_metrics(z, z**2).left_out["covariances"] == 1


def test_parts_without_entries_are_not_averaged() -> None:
    found = il_metrics([[5.0, 0.0]], [[4.0, 1.0]])

    assert (found.values, found.means) == (1 / 5, 1 / 5)
    assert (found.covariances, found.variances, found.correlations) == (None, None, None)
    assert found.total == pytest.approx(20)
    assert str(found) == (
        "IL metrics: 20 (values 20, means 20, covariances none, variances none, correlations none)"
    )


def test_it_is_not_capped_and_explodes_near_zero() -> None:
    x = np.random.default_rng(4).normal(size=(500, 2))
    y = np.where(x < 0, -0.8, 0.8)

    assert il_metrics(x, y).total > 100
    assert il_metrics(x + 10, y + 10).total < 30


def plain(x: Floats, y: Floats) -> list[float]:
    """Compute the five parts as the formulas have them, for data without zeros."""
    p = x.shape[1]
    v, w, r, s = (np.asarray(of(z.T)) for of in (np.cov, np.corrcoef) for z in (x, y))
    upper = list(combinations_with_replacement(range(p), 2))
    parts = [
        np.mean(np.abs(x - y) / np.abs(x)),
        np.mean(np.abs(x.mean(0) - y.mean(0)) / np.abs(x.mean(0))),
        np.mean([abs(v[i, j] - w[i, j]) / abs(v[i, j]) for i, j in upper]),
        np.mean([abs(v[i, i] - w[i, i]) / v[i, i] for i in range(p)]),
        np.mean([abs(r[i, j] - s[i, j]) for i, j in upper if i < j]),
    ]
    return list(map(float, parts))


@pytest.mark.parametrize("name", ["tarragona.csv", "boston.csv", "faithful.csv"])
def test_formulas_on_real_data(shared_data: Callable[[str], Path], name: str) -> None:
    x = pd.read_csv(shared_data(name)).to_numpy(dtype=float)
    x = np.where(x == 0, 0.5, x)
    y = np.random.default_rng(6).normal(x, x.std(axis=0) / 3)

    found = il_metrics(x, y)

    assert list(found.parts.values()) == pytest.approx(plain(x, y), rel=1e-8)
    assert found.total == pytest.approx(100 * np.mean(plain(x, y)), rel=1e-8)


# --- laws -------------------------------------------------------------------------------------

SMALL = hnp.arrays(np.float64, (7, 3), elements=st.integers(-4, 4).map(float))


@given(SMALL, SMALL, st.permutations(range(7)))
def test_permuted_rows_change_no_bit(x: Floats, y: Floats, order: list[int]) -> None:
    assume((x != x[0]).any())
    x, y = x / 3, y / 7

    assert sse_share(x[order], y[order]) == sse_share(x, y)
    assert il1s(x[order], y[order]) == il1s(x, y)
    assert il_metrics(x[order], y[order]) == il_metrics(x, y)


@given(SMALL, SMALL, st.sampled_from([-8.0, 0.25, 3.0, 1e6]))
def test_a_change_of_units_changes_nothing(x: Floats, y: Floats, factor: float) -> None:
    assume((x != x[0]).any())
    scale = np.array([factor, 1, 1])

    assert sse_share(x * scale, y * scale).total == pytest.approx(sse_share(x, y).total)
    assert il1s(x * scale, y * scale) == pytest.approx(il1s(x, y))
    before, after = il_metrics(x, y), il_metrics(x * scale, y * scale)
    assert after.left_out == before.left_out
    assert after.total == pytest.approx(before.total, rel=1e-9)


@given(hnp.arrays(np.float64, (6, 2), elements=st.floats(-1e6, 1e6, width=32)))
def test_the_original_loses_nothing(x: Floats) -> None:
    assume((x != x[0]).any() and np.ptp(x, axis=0).max() > 1e-30)
    found = il_metrics(x, x.copy())

    assert (sse_share(x, x).total, il1s(x, x), found.total) == (0, 0, 0)


def test_covariances() -> None:
    x = np.random.default_rng(9).normal(size=(50, 4))

    assert covariances(x - x.mean(axis=0)) == pytest.approx(np.cov(x.T), rel=1e-12)


# --- what is refused --------------------------------------------------------------------------


@pytest.mark.parametrize("loss", [sse_share, il1s])
def test_nothing_varies(loss: Callable[[Any, Any], object]) -> None:
    with pytest.raises(RefusedError, match="every column is constant in the original table"):
        loss([[5, 1], [5, 1]], [[5, 2], [6, 1]])


def test_nothing_to_divide_by() -> None:
    with pytest.raises(RefusedError, match="every value of the original is zero"):
        il_metrics([0, 0, 0], [1, 2, 3])


@pytest.mark.parametrize("loss", [sse_share, il1s, il_metrics])
def test_numbers_too_wide_to_compute_with(loss: Callable[[Any, Any], object]) -> None:
    with pytest.raises(RefusedError, match=r"too large, or too near to zero|spans more than"):
        loss([1e-150, 2e-150, 4e-150], [1e300, 2e300, -1e300])
    with pytest.raises(RefusedError, match=r"too large, or too near to zero|spans more than"):
        loss([1e308, -1e308, 1e308], [1, 2, 3])


@pytest.mark.parametrize("loss", [sse_share, il1s, il_metrics])
def test_rows_must_correspond(loss: Callable[[Any], object]) -> None:
    with pytest.raises(InputError, match="the rows of these tables do not correspond"):
        loss(as_pair([1, 2, 3], [1, 2], same_rows=False))


@pytest.mark.parametrize("loss", [sse_share, il1s, il_metrics])
def test_no_column_to_compare(loss: Callable[[Any, Any], object]) -> None:
    words = pd.DataFrame({"sex": ["f", "m", "f"]})
    with pytest.raises(InputError, match="no continuous column to compare"):
        loss(words, words)
