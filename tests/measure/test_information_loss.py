"""The scores of the rounding paper: information loss, IL-DR, entropy and correlation."""

import json
import math
from collections.abc import Callable
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray
from scipy import stats

from discreet.errors import InputError, RefusedError
from discreet.measure.information_loss import (
    entropy,
    il1s,
    il_dr_score,
    il_metrics,
    mean_absolute_correlation,
    sse_share,
)
from discreet.measure.linkage import ddr, idr
from discreet.measure.pairs import as_pair
from discreet.rounding.rounding_set import column_sets, encoded
from examples.rounding.data import simulated

Floats = NDArray[np.float64]

# 0, 0, 6, 6: mean 3, SST 36, variance 12, sd 2 sqrt 3.
X = [0, 0, 6, 6]
SD = math.sqrt(12)

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
def test_sse_by_hand_in_any_unit(x: list[Any], y: list[Any], percent: float) -> None:
    for scale, offset in ((1.0, 0), (-2.0, 2**40), (2.0**-500, 0), (2.0**500, 0)):
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


IL1S: dict[str, tuple[list[Any], list[Any], float]] = {
    "nothing moved": (X, X, 0),
    "to the mean": (X, [3, 3, 3, 3], 3 / (math.sqrt(2) * SD)),
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
def test_il1s_by_hand_in_any_unit(x: list[Any], y: list[Any], expected: float) -> None:
    for scale in (1.0, -2.0, 2.0**-500, 2.0**500):
        turned = [scale * np.array(values, dtype=float) for values in (x, y)]
        assert il1s(*turned) == pytest.approx(expected, rel=1e-12)


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


@pytest.mark.parametrize("name", ["boston.csv"])
def test_formulas_on_real_data(shared_data: Callable[[str], Path], name: str) -> None:
    x = pd.read_csv(shared_data(name)).to_numpy(dtype=float)
    x = np.where(x == 0, 0.5, x)
    y = np.random.default_rng(6).normal(x, x.std(axis=0) / 3)
    found = il_metrics(x, y)
    assert list(found.parts.values()) == pytest.approx(plain(x, y), rel=1e-8)
    assert found.total == pytest.approx(100 * np.mean(plain(x, y)), rel=1e-8)


SMALL = hnp.arrays(np.float64, (7, 3), elements=st.integers(-4, 4).map(float))


@pytest.mark.slow
@given(SMALL, SMALL, st.permutations(range(7)))
def test_permuted_rows_change_no_bit(x: Floats, y: Floats, order: list[int]) -> None:
    assume((x != x[0]).any())
    x, y = x / 3, y / 7
    assert sse_share(x[order], y[order]) == sse_share(x, y)
    assert il1s(x[order], y[order]) == il1s(x, y)
    assert il_metrics(x[order], y[order]) == il_metrics(x, y)


@pytest.mark.slow
@given(SMALL, SMALL, st.sampled_from([-8.0, 0.25, 3.0, 1e6]))
def test_a_change_of_units_changes_nothing(x: Floats, y: Floats, factor: float) -> None:
    assume((x != x[0]).any())
    scale = np.array([factor, 1, 1])
    assert sse_share(x * scale, y * scale).total == pytest.approx(sse_share(x, y).total)
    assert il1s(x * scale, y * scale) == pytest.approx(il1s(x, y))
    before, after = il_metrics(x, y), il_metrics(x * scale, y * scale)
    assert after.left_out == before.left_out
    assert after.total == pytest.approx(before.total, rel=1e-9)


@pytest.mark.parametrize("loss", [sse_share, il1s])
def test_nothing_varies(loss: Callable[[Any, Any], object]) -> None:
    with pytest.raises(RefusedError, match="every column is constant in the original table"):
        loss([[5, 1], [5, 1]], [[5, 2], [6, 1]])


@pytest.mark.parametrize("loss", [sse_share, il1s, il_metrics])
def test_numbers_too_wide_to_compute_with(loss: Callable[[Any, Any], object]) -> None:
    with pytest.raises(RefusedError, match=r"too large, or too near to zero|spans more than"):
        loss([1e-150, 2e-150, 4e-150], [1e300, 2e300, -1e300])
    with pytest.raises(RefusedError, match=r"too large, or too near to zero|spans more than"):
        loss([1e308, -1e308, 1e308], [1, 2, 3])


@pytest.mark.parametrize("loss", [sse_share, il1s, il_metrics])
def test_rows_must_correspond(loss: Callable[[Any], object]) -> None:
    with pytest.raises(InputError, match="so the rows of both tables must correspond"):
        loss(as_pair([1, 2, 3], [1, 2], same_rows=False))


# --- The IL-DR score: worked by hand, its limits, and what it is made of ------------------------


SCORED, Y = [1, 2, 5, 8], [1.5, 1.5, 6.5, 6.5]


def test_by_hand() -> None:
    found = il_dr_score(SCORED, Y)
    # values .309375, means 0, V and S (10 to 25/3) 1/6; |x - y| is 1 on average, the sd sqrt 10
    assert found.il_metrics == pytest.approx(100 * (0.309375 + 0 + 1 / 6 + 1 / 6) / 4)
    assert found.il1s == pytest.approx(100 / math.sqrt(20))
    assert found.ddr == 50  # 1.5 lies between its own two, 6.5 as well
    assert found.idr == 0
    assert found.score == pytest.approx((16.0677083333 + 22.360679775 + 50 + 0) / 4)
    # four values, each 1 away on average
    assert found.il1s_sum == pytest.approx(4 / math.sqrt(20))
    assert found.score_by_sum == pytest.approx((16.0677083333 + 0.894427191 + 50 + 0) / 4)


def test_the_original_scores_50_and_the_mean_of_all_about_its_losses() -> None:
    x = np.random.default_rng(1).uniform(size=(400, 2))
    kept, lost = il_dr_score(x, x), il_dr_score(x, np.full_like(x, 0.5))
    assert (kept.il_metrics, kept.il1s, kept.ddr, kept.idr, kept.score) == (0, 0, 100, 100, 50)
    assert lost.ddr == pytest.approx(100 / 400)
    assert lost.idr == 0
    assert lost.score == pytest.approx((lost.il_metrics + lost.il1s + 0.25) / 4)


#: A kind of columns, how they are rounded, and the score that section 4.5 prints for c = 3.
PAPER = {
    "normal, equal width": ("normal", "equal_width", 84.27),
    "exponential, equal frequency": ("exponential", "equal_frequency", 71.31),
    "exponential, resampling": ("exponential", "resampling", 69.73),
}


@pytest.mark.parametrize(("kind", "method", "paper"), PAPER.values(), ids=PAPER)
def test_the_papers_scores_are_of_il1s_as_a_sum(kind: str, method: str, paper: float) -> None:
    scores = []
    for seed in range(7):
        x = simulated(kind, seed).to_numpy()
        sets = column_sets(x, method, k=None, c=3, representative="mean", classes=None)
        scores.append(il_dr_score(x, encoded(sets, x, "region", None)))
    assert np.median([each.score_by_sum for each in scores]) == pytest.approx(paper, rel=0.1)
    assert np.median([each.score for each in scores]) < paper / 2


@pytest.mark.slow
@given(
    hnp.arrays(np.float64, (7, 2), elements=st.integers(-4, 4).map(float)),
    hnp.arrays(np.float64, (7, 2), elements=st.integers(-4, 4).map(float)),
    st.permutations(range(7)),
)
def test_laws(x: Floats, y: Floats, order: list[int]) -> None:
    assume((x != x[0]).any())
    found = il_dr_score(x, y)
    assert il_dr_score(x[order], y[order]) == found
    parts = [il_metrics(x, y).total, 100 * il1s(x, y), 100 * ddr(x, y).share, 100 * idr(x, y).share]
    assert [found.il_metrics, found.il1s, found.ddr, found.idr] == parts
    varying = int((x != x[0]).any(axis=0).sum())
    assert found.il1s_sum == pytest.approx(7 * varying * il1s(x, y))
    assert found.score == pytest.approx(sum(parts) * 0.25)


# --- Entropy and correlation of one table: worked by hand, limits, and what is refused ----------


BITS: dict[str, tuple[list[Any], float]] = {
    "constant": ([5, 5, 5, 5], 0),
    "all different": ([1, 2, 3, 4, 5, 6, 7, 8], 3),
    "halves and quarters": ([1, 1, 2, 3], 1.5),
    "zeros of both signs are one": ([0.0, -0.0, 1.0, 1.0], 1),
    "however close": ([1.0, 1.0 + 2**-52], 1),
    "missing left out": ([1.0, math.nan, 2.0, math.inf], 1),
}


@pytest.mark.parametrize(("values", "bits"), BITS.values(), ids=BITS)
def test_by_hand_of_entropy(values: list[Any], bits: float) -> None:
    found = entropy(pa.table({"x": pa.array(values, pa.float64(), from_pandas=False)}))
    assert found.columns["x"] == pytest.approx(bits, abs=1e-15)
    assert math.copysign(1, found.columns["x"]) == 1


@given(
    hnp.arrays(np.float64, (9, 2), elements=st.integers(0, 5).map(float)), st.permutations(range(9))
)
def test_laws_of_entropy(x: Floats, order: list[int]) -> None:
    found = entropy(x)
    assert entropy(x[order]) == found
    assert entropy(3 * x - 7) == found
    for j, bits in enumerate(found.columns.values()):
        counts = np.unique(x[:, j], return_counts=True)[1]
        assert bits == pytest.approx(stats.entropy(counts, base=2), abs=1e-12)
        assert 0 <= bits <= math.log2(len(counts)) + 1e-12
    assert entropy(np.floor(x / 2)).total <= found.total + 1e-12


R: dict[str, tuple[list[Any], float]] = {
    "uncorrelated": ([[1, 1], [2, 0], [3, 1]], 0),
    # 0 with the first, 1 with its own negative
    "three columns": ([[1, 1, -1], [2, 0, 0], [3, 1, -1]], 1 / 3),
    "a constant column is left out": ([[1, 2, 9], [2, 4, 9], [3, 6, 9]], 1),
    "a row with a gap is left out": ([[1, 2], [2, 4], [math.nan, 9], [3, 6]], 1),
}


@pytest.mark.parametrize(("rows", "expected"), R.values(), ids=R)
def test_correlation_by_hand(rows: list[Any], expected: float) -> None:
    offset = 1e8
    table = pd.DataFrame(np.array(rows, dtype=float) + offset, columns=list("abc")[: len(rows[0])])
    assert mean_absolute_correlation(table) == pytest.approx(expected, abs=1e-12)
    assert mean_absolute_correlation(table) <= 1


@pytest.mark.parametrize("rows", [[[1, 7], [2, 7]], [[1.0], [2.0]], [[1, math.nan], [math.nan, 2]]])
def test_fewer_than_two_columns_vary(rows: list[Any]) -> None:
    with pytest.raises(RefusedError, match="fewer than two continuous columns vary"):
        mean_absolute_correlation(rows)
