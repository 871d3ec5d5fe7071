"""Series as arrays, of every engine."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.table.columns import array_of

ENGINES: dict[str, Callable[[list[Any]], Any]] = {
    "pandas": lambda values: pd.Series(values, dtype="float64"),
    "polars": lambda values: pl.Series(values, dtype=pl.Float64),
    "pyarrow": lambda values: pa.chunked_array([values[:1], values[1:]], pa.float64()),
}
FLOATS = st.lists(st.none() | st.floats(), max_size=6)


def series(native: Any) -> nw.Series[Any]:
    return nw.from_native(native, series_only=True)


@pytest.mark.parametrize("engine", ENGINES)
@given(values=FLOATS)
def test_a_missing_float_is_nan(engine: str, values: list[float | None]) -> None:
    found = array_of(series(ENGINES[engine](values)))
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, [math.nan if it is None else it for it in values])


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([3, -1], pa.int16()),
        ([2**63], pa.uint64()),
        ([True, False], pa.bool_()),
        (["a", "b"], pa.string()),
        ([1.5], pa.float32()),
        ([], pa.float64()),
    ],
)
def test_other_kinds(values: list[Any], kind: pa.DataType) -> None:
    assert array_of(series(pa.chunked_array([values], kind))).tolist() == values


def test_a_part_of_a_series_is_that_part() -> None:
    whole = pa.chunked_array([[1.0, 2.0, 3.0, 4.0]])
    assert array_of(series(whole.slice(1, 2))).tolist() == [2.0, 3.0]


def test_numbers_do_not_import_pandas() -> None:
    code = """
import io, sys
import narwhals as nw
from pyarrow.csv import read_csv
from discreet.table.columns import array_of
read = nw.from_native(read_csv(io.BytesIO(b"a,b\\n1,2.5\\n3,4.5\\n")))
print(*(array_of(read[name]).tolist() for name in read.columns), "pandas" in sys.modules)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[1, 3] [2.5, 4.5] False\n"
