"""Values at the ends of a column by what files of Parquet say of groups of rows: by brute force."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from discreet.table import Table, open_table
from discreet.table.arrow import ends_of_groups
from tests.cases import examples

NAN, INF = math.nan, math.inf
GROUP, GROUPS = 20, 60
N = GROUP * GROUPS


@pytest.fixture(autouse=True)
def _first_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.table.extremes.FIRST", GROUP)
    monkeypatch.setattr("discreet.table.table.EXTREMES", 2)


def written(path: Path, values: Any, **how: Any) -> Path:
    columns = pa.table({"x": values, "row": pa.array([*range(len(values))])})
    parquet.write_table(columns, path, row_group_size=GROUP, **how)
    return path


def opened(path: Path, **how: Any) -> Table:
    given: dict[str, Any] = {"kinds": {}, "roles": {}, "unit": None, "key": None}
    return open_table(path, **given | how)


def finite(values: Sequence[Any]) -> list[float]:
    return sorted(float(it) for it in values if it is not None and math.isfinite(it))


def check(table: Table, known: list[float], k: int) -> None:
    low, high = table.extremes("x", k)
    assert (low + 0.0).tolist() == [it + 0.0 for it in known[:k]]
    assert (high + 0.0).tolist() == [it + 0.0 for it in known[::-1][:k]]


def _numbers() -> list[Any]:
    held: list[Any] = np.random.default_rng(5).normal(0, 9, N).round(3).tolist()
    held[100:104] = [NAN, INF, -INF, None]
    return held


COLUMNS: dict[str, tuple[Any, bool]] = {
    "numbers that differ": (_numbers(), True),
    "nearly all alike": ([5] * 600 + [4, 6] + [5] * (N - 602), True),
    "both signs of nothing": ([0.0, -0.0] * (N // 2), True),
    "large whole numbers": ([2**53 + (i * 7) % 1009 for i in range(N)], True),
    "whole numbers without a sign": (
        pa.array([2**63 + i * 4096 for i in range(N)], pa.uint64()),
        True,
    ),
    "one group holds all that is known": ([None] * 400 + [1.5, 2.5] + [None] * (N - 402), False),
    "every group holds infinity": ([-INF if i % 5 else float(i) for i in range(N)], False),
}


@pytest.mark.parametrize(("values", "skips"), COLUMNS.values(), ids=COLUMNS)
@pytest.mark.parametrize("k", [1, 5])
def test_are_those_of_all_rows(values: Any, skips: bool, k: int, tmp_path: Path) -> None:
    plain = values.to_pylist() if isinstance(values, pa.Array) else values
    table, known = opened(written(tmp_path / "t.parquet", values)), finite(plain)
    check(table, known, k)
    assert (table._answers["ends", "x"].size is None) == skips  # the rows were not all read
    assert table.gaps("x") == N - len(known)
    assert table.known_numbers("x") == len(known)


def test_are_asked_for_again_where_more_are_wanted(tmp_path: Path) -> None:
    table, known = opened(written(tmp_path / "t.parquet", _numbers())), finite(_numbers())
    for k in (3, 12, 40, 4):  # of 40 values groups are too few: all rows are read
        check(table, known, k)
    assert table._answers["ends", "x"].size == len(known)


@pytest.mark.parametrize("said", [(3.0, 3.0), (0.5, -0.5)], ids=["one value", "turned round"])
def test_files_that_are_wrong_are_not_believed(
    said: tuple[float, float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("discreet.table.table.ends_of_groups", lambda *_: [said] * GROUPS)
    check(opened(written(tmp_path / "t.parquet", _numbers())), finite(_numbers()), 5)


def test_numbers_that_stand_for_missing_ones_are_none(tmp_path: Path) -> None:
    values = [-999 if i % 9 == 0 else i for i in range(N)]
    path = written(tmp_path / "t.parquet", values)
    assert opened(path).codes("x", 5) == (-999.0,)
    table = opened(path, missing_values={"x": [-999.0]})
    check(table, [float(it) for it in values if it != -999], 5)
    assert table.gaps("x") == sum(it == -999 for it in values)


def test_a_code_is_found_behind_a_few_values_and_other_codes(tmp_path: Path) -> None:
    values = [*_numbers(), -1000.0, -1000.5, -999.0, -77.0, 9999.0]
    values += [-99.0] * 6
    assert opened(written(tmp_path / "t.parquet", values)).codes("x", 5) == (-99.0,)


def test_files_of_a_folder_and_columns_that_are_no_numbers(tmp_path: Path) -> None:
    values = _numbers()
    written(tmp_path / "a.parquet", values[:700])
    written(tmp_path / "b.parquet", values[700:])
    check(opened(tmp_path), finite(values), 5)
    dates = written(tmp_path / "c.parquet", pa.array([*range(50)], pa.date32()))
    assert ends_of_groups((dates,), "x") == []
    assert ends_of_groups((dates,), "none") == []
    assert ends_of_groups((dates,), "row") == [(0, 19), (20, 39), (40, 49)]
    bare = written(tmp_path / "d.parquet", [1.0, 2.0], write_statistics=False)
    assert ends_of_groups((bare,), "x") == []


def test_persons_who_are_not_known_are_left_out(tmp_path: Path) -> None:
    who = [None if i % 3 else f"p{i}" for i in range(N)]
    columns = pa.table({"x": _numbers(), "who": who})
    parquet.write_table(columns, tmp_path / "t.parquet", row_group_size=GROUP)
    known = [it for it, person in zip(_numbers(), who, strict=True) if person]
    table = opened(tmp_path / "t.parquet", unit="who")
    assert table.known_numbers("x") == len(finite(known))
    check(table, finite(known), 5)


@pytest.mark.slow
@given(
    values=st.lists(
        st.sampled_from([NAN, INF, -INF, None, -7.5, 0.0, 3.0]) | st.floats(-50, 50),
        min_size=10 * GROUP,
        max_size=12 * GROUP,
    ),
    k=st.integers(1, 3),
)
@settings(max_examples=examples(15), deadline=None)
def test_is_so_of_whatever_numbers(
    values: list[float | None], k: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = written(tmp_path_factory.mktemp("any") / "t.parquet", pa.array(values, pa.float64()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("discreet.table.table.FEW_EXTREMES", 1)
        table = opened(path)
        if known := finite(values):
            check(table, known, k)
        assert table.gaps("x") == len(values) - len(known)
