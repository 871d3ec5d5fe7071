"""The tables to try things on are the published ones, and cost nothing before they are read."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats
from sklearn.datasets import load_diabetes

from discreet import datasets
from discreet.errors import InputError

FIRST_AND_LAST_ROW = {
    "D1": ([9.3964671253072893, 10.381247093621845], [10.864038797368408, 10.418380780434394]),
    "D2": ([0.54735006437920652, 0.36093265306450506], [1.7454701138300091, 1.4428289380027717]),
    "D3": ([0.72794413592035467, 0.078743039989815619], [0.67037698848870064, 0.20657216629364061]),
}


@pytest.mark.parametrize(
    ("load", "name"), [(datasets.d1, "D1"), (datasets.d2, "D2"), (datasets.d3, "D3")]
)
def test_simulated_rows_are_read_to_the_last_digit(load: Callable[[], Any], name: str) -> None:
    table = load()
    assert table.column_names == ["X", "Y"]
    assert table.num_rows == 500
    rows = [[row["X"], row["Y"]] for row in table.to_pylist()]
    assert (rows[0], rows[-1]) == FIRST_AND_LAST_ROW[name]


DISTRIBUTIONS: dict[str, tuple[Callable[[], Any], Any]] = {
    "D1, X": (lambda: _xy(datasets.d1())[0], stats.norm(10, 0.5)),
    "D1, Y - X": (lambda: np.subtract(*reversed(_xy(datasets.d1()))), stats.norm()),
    "D2, X": (lambda: _xy(datasets.d2())[0], stats.lognorm(0.5)),
    "D2, Y - log(X)": (lambda: _less_log(*_xy(datasets.d2())), stats.uniform()),
    "D3, X": (lambda: _xy(datasets.d3())[0], stats.beta(5, 2)),
    "D3, Y": (lambda: _xy(datasets.d3())[1], stats.beta(0.5, 0.5)),
}


def test_simulated_columns_have_the_distributions_of_their_docstrings() -> None:
    for values, distribution in DISTRIBUTIONS.values():
        assert stats.kstest(values(), distribution.cdf).pvalue > 0.01
    assert stats.spearmanr(*_xy(datasets.d3())).pvalue > 0.01


def test_path_leads_to_the_file_that_is_read() -> None:
    header, first, *_ = datasets.path("D1").read_text().splitlines()
    assert header == "X,Y"
    assert [float(value) for value in first.split(",")] == FIRST_AND_LAST_ROW["D1"][0]


def test_path_of_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"no data set 'd4'; .* one of 'D1', 'D2', 'D3'"):
        datasets.path("d4")


def test_importing_reads_nothing_heavy() -> None:
    command = "import sys, discreet.datasets; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", command], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "discreet.datasets" in loaded
    assert {"numpy", "pandas", "pyarrow", "sklearn"}.isdisjoint(loaded)


def _xy(table: Any) -> tuple[Any, Any]:
    return table["X"].to_numpy(), table["Y"].to_numpy()


def _less_log(x: Any, y: Any) -> Any:
    return y - np.log(x)


def test_the_diabetes_study_is_that_of_scikit_learn() -> None:
    values, progression = load_diabetes(scaled=False, return_X_y=True)
    table = datasets.diabetes()
    found = np.column_stack([table[name].to_numpy().astype(float) for name in table.column_names])
    np.testing.assert_array_equal(found, np.column_stack([values, progression]))
    assert table.schema.field("sex").type == pa.string()
