"""Correlations: Pearson's and Spearman's, of each two columns by the rows that have both."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import pearsonr, spearmanr

import discreet as dc
from discreet.errors import InputError
from discreet.plots import CorrelationsView
from discreet.plots.correlations import CorrelationPlot, correlation_of
from discreet.render.scene import Axis, Cells
from tests.plots.cases import OF_ROWS, ROWS, rows_of


def drawn(**columns: Any) -> CorrelationsView:
    return CorrelationPlot(tuple(columns)).from_rows(rows_of(**columns), (), ROWS, OF_ROWS)


TEN = list(range(10))


def test_they_are_those_of_scipy_by_the_rows_that_have_both() -> None:
    random = np.random.default_rng(4)
    rows = {
        name: random.integers(0, 12, size=60) + random.normal(size=60).round() for name in "abc"
    }
    rows["a"][:20], rows["b"][15:30] = np.nan, np.nan
    view = drawn(**rows)
    for i, first in enumerate(rows.values()):
        for j, second in enumerate(rows.values()):
            both = np.isfinite(first) & np.isfinite(second)
            x, y = first[both], second[both]
            assert view.pearson[i][j] == pytest.approx(pearsonr(x, y)[0], abs=1e-6)
            assert view.spearman[i][j] == pytest.approx(spearmanr(x, y)[0], abs=1e-6)


def test_few_rows_and_what_does_not_vary_have_none() -> None:
    gap = [*TEN[:9], np.nan]
    view = drawn(x=TEN, gap=gap, same=[3] * 10)
    assert view.pearson == view.spearman == ((1.0, None, None), (None,) * 3, (None,) * 3)
    assert view.scene().notes[-1] == "empty: fewer than 10 rows with both values, or only one value"


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e150])
def test_the_size_of_numbers_plays_no_part(scale: float) -> None:
    x = np.arange(12.0)
    assert correlation_of(x * scale, np.cos(x) * scale) == correlation_of(x, np.cos(x))


def test_pearson_stands_below_the_diagonal_and_spearman_above() -> None:
    pearson = ((1.0, 0.25, None), (0.25, 1.0, -0.5), (None, -0.5, 1.0))
    spearman = ((1.0, 0.75, None), (0.75, 1.0, -0.001), (None, -0.001, 1.0))
    view = dataclasses.replace(drawn(a=TEN, b=TEN, c=TEN), pearson=pearson, spearman=spearman)
    (panel,) = view.scene().panels
    # Column by column, each from the lowest row upward.
    edges = (-0.5, 0.5, 1.5, 2.5)
    values = ((None, 0.25, None), (-0.5, None, 0.75), (None, -0.001, None))
    texts = (("", "0.25", ""), ("−0.50", "", "0.75"), ("", "0.00", ""))
    assert panel.marks == (
        Cells(edges, edges, values, "correlation", (-1.0, 1.0), texts, signed=True),
    )
    assert (panel.x, panel.y) == (Axis("", ticks=("a", "b", "c")), Axis("", ticks=("c", "b", "a")))


@pytest.mark.parametrize(
    ("matrix", "says"),
    [
        (((1.0, 0.5),), "a correlation of each two columns"),
        (((1.0,), (0.5,)), "a correlation of each two columns"),
        (((1.0, 1.5), (1.5, 1.0)), "from -1 to 1"),
    ],
)
def test_what_is_no_matrix_of_correlations_is_refused(matrix: Any, says: str) -> None:
    view = drawn(a=TEN, b=TEN)
    for field in ("pearson", "spearman"):
        with pytest.raises(InputError, match=says):
            dataclasses.replace(view, **{field: matrix})


def table(columns: int) -> pa.Table:
    random = np.random.default_rng(1)
    return pa.table({f"x{i}": random.normal(size=150).round(3) for i in range(columns)})


def test_all_columns_of_the_copy_unless_some_are_named() -> None:
    study = dc.open(table(3))
    copy = study.session.whole.copy.columns
    view = study.correlations()
    assert view.columns == ("x0", "x1", "x2")
    expected = pearsonr(copy["x0"], copy["x2"])[0]
    assert view.pearson[0][2] == pytest.approx(expected, abs=1e-6)
    assert study.correlations(["x2", "x0"]).pearson[0][1] == view.pearson[0][2]
    for wrong in (["x0"], [f"x{i}" for i in range(21)]):
        with pytest.raises(InputError, match=r"a list of 2 to 20 columns of numbers; name them"):
            study.correlations(wrong)
