"""Entropy and correlation of one table: worked by hand, limits, and what is refused."""

import json
import math
from collections.abc import Callable
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
from discreet.measure.information_loss import entropy, mean_absolute_correlation
from discreet.measure.pairs import as_side

Floats = NDArray[np.float64]

BITS: dict[str, tuple[list[Any], float]] = {
    "constant": ([5, 5, 5, 5], 0),
    "two halves": ([5, 5, 7, 7], 1),
    "all different": ([1, 2, 3, 4, 5, 6, 7, 8], 3),
    "a quarter": ([1, 1, 1, 2], 2 - 0.75 * math.log2(3)),
    "halves and quarters": ([1, 1, 2, 3], 1.5),
    "zeros of both signs are one": ([0.0, -0.0, 1.0, 1.0], 1),
    "however close": ([1.0, 1.0 + 2**-52], 1),
    "one row": ([5], 0),
    "missing left out": ([1.0, math.nan, 2.0, math.inf], 1),
}


@pytest.mark.parametrize(("values", "bits"), BITS.values(), ids=BITS)
def test_by_hand(values: list[Any], bits: float) -> None:
    found = entropy(pa.table({"x": pa.array(values, pa.float64(), from_pandas=False)}))

    assert found.columns["x"] == pytest.approx(bits, abs=1e-15)
    assert math.copysign(1, found.columns["x"]) == 1


def test_total() -> None:
    table = pa.table({"x": [1.0, 1.0, 2.0, 3.0], "y": [1.0, 2.0, 3.0, 4.0], "sex": list("fmfm")})
    found = entropy(table)

    assert (dict(found.columns), found.total) == ({"x": 1.5, "y": 2}, 3.5)
    assert str(found) == "entropy: 3.5 bits"
    assert json.loads(json.dumps(found.to_dict())) == {"total": 3.5, "columns": {"x": 1.5, "y": 2}}
    assert list(entropy(table, categorical=["y"]).columns) == ["x"]


@given(
    hnp.arrays(np.float64, (9, 2), elements=st.integers(0, 5).map(float)), st.permutations(range(9))
)
def test_laws(x: Floats, order: list[int]) -> None:
    found = entropy(x)

    assert entropy(x[order]) == found
    assert entropy(3 * x - 7) == found
    for j, bits in enumerate(found.columns.values()):
        counts = np.unique(x[:, j], return_counts=True)[1]
        assert bits == pytest.approx(stats.entropy(counts, base=2), abs=1e-12)
        assert 0 <= bits <= math.log2(len(counts)) + 1e-12
    assert entropy(np.floor(x / 2)).total <= found.total + 1e-12


# --- correlation ------------------------------------------------------------------------------

R: dict[str, tuple[list[Any], float]] = {
    "one line": ([[1, 2], [2, 4], [3, 6]], 1),
    "falling": ([[1, 6], [2, 4], [3, 2]], 1),
    "uncorrelated": ([[1, 1], [2, 0], [3, 1]], 0),
    # 0 with the first, 1 with its own negative
    "three columns": ([[1, 1, -1], [2, 0, 0], [3, 1, -1]], 1 / 3),
    "a constant column is left out": ([[1, 2, 9], [2, 4, 9], [3, 6, 9]], 1),
    "by hand": ([[1, 1], [2, 2], [3, 1], [4, 2]], 1 / math.sqrt(5)),
    "a row with a gap is left out": ([[1, 2], [2, 4], [math.nan, 9], [3, 6]], 1),
}


@pytest.mark.parametrize(("rows", "expected"), R.values(), ids=R)
@pytest.mark.parametrize("offset", [0, 1e8])
def test_correlation_by_hand(rows: list[Any], expected: float, offset: float) -> None:
    table = pd.DataFrame(np.array(rows, dtype=float) + offset, columns=list("abc")[: len(rows[0])])

    assert mean_absolute_correlation(table) == pytest.approx(expected, abs=1e-12)
    assert mean_absolute_correlation(table) <= 1


def test_correlation_of_real_columns(shared_data: Callable[[str], Path]) -> None:
    x = pd.read_csv(shared_data("boston.csv"))
    r = np.abs(np.corrcoef(x.to_numpy(dtype=float).T))

    found = mean_absolute_correlation(x.astype(float))

    assert found == pytest.approx(r[np.triu_indices(14, k=1)].mean(), rel=1e-12)


@given(
    hnp.arrays(np.float64, (6, 3), elements=st.integers(-4, 4).map(float)),
    st.permutations(range(6)),
)
def test_correlation_laws(x: Floats, order: list[int]) -> None:
    assume((x != x[0]).any(axis=0).sum() > 1)
    found = mean_absolute_correlation(x / 3)

    assert mean_absolute_correlation(x[order] / 3) == found
    assert mean_absolute_correlation(-5 * x + 2) == pytest.approx(found, abs=1e-12)
    assert 0 <= found <= 1


# --- what is refused --------------------------------------------------------------------------


def test_no_numbers() -> None:
    words = pa.table({"sex": ["f", "m"]})

    with pytest.raises(InputError, match="no continuous column whose entropy"):
        entropy(words)
    with pytest.raises(InputError, match="no continuous column whose entropy"):
        entropy(as_side(words))
    with pytest.raises(RefusedError, match="fewer than two continuous columns vary"):
        mean_absolute_correlation(words)


def test_a_column_without_a_number() -> None:
    with pytest.raises(InputError, match="column 'x' has no finite number"):
        entropy(pa.table({"x": [math.nan, math.nan], "y": [1.0, 2.0]}))


@pytest.mark.parametrize("rows", [[[1, 7], [2, 7]], [[1.0], [2.0]], [[1, math.nan], [math.nan, 2]]])
def test_fewer_than_two_columns_vary(rows: list[Any]) -> None:
    with pytest.raises(RefusedError, match="fewer than two continuous columns vary"):
        mean_absolute_correlation(rows)


def test_numbers_too_wide_to_compute_with() -> None:
    with pytest.raises(RefusedError, match="spans more than can be computed with"):
        mean_absolute_correlation([[1e308, 1], [-1e308, 2], [0, 5]])
