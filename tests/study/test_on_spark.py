"""A large table on Spark: the copy of one machine, made where the rows are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from discreet.policy import Policy
from discreet.secret import Secret
from discreet.table import Table, open_table
from discreet.vault import whole_columns
from discreet.vault.on_spark import Runs
from discreet.vault.vault import Copy, Vault
from tests.spark_session import spark_session
from tests.study.test_whole import cohort

SECRET = Secret.from_bytes(bytes(range(32)))
POLICY = Policy.preset("standard", rows="whole", k=3)
N = 20_000
# Warnings are those of other libraries about each other.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with spark_session() as session:
        yield session


@pytest.fixture(autouse=True)
def _small_partitions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let four partitions be made; how many, the workers are told."""
    monkeypatch.setattr(whole_columns, "MOST_CELLS", N * 9 // 4 + 1)
    monkeypatch.setattr(whole_columns, "WIDEST", 3)


def table_of(frame: object, **how: object) -> Table:
    given = {"kinds": {}, "roles": {}, "unit": None, "key": None} | how
    return open_table(frame, **given)  # type: ignore[arg-type]


def kept(copy: Copy) -> tuple[object, ...]:
    """Return a copy as plain values."""
    numbers = {name: np.nan_to_num(it, nan=-1e9).tolist() for name, it in copy.columns.items()}
    return numbers, {name: it for name, it in copy.strata.items()}, copy.version, copy.remarks


def test_equal_digests_are_counted_from_batch_to_batch() -> None:
    digests = np.array([[1, 1], [1, 1], [1, 2], [3, 0], [3, 0], [3, 0], [4, 0]], dtype=np.uint64)
    expected = [0, 1, 0, 0, 1, 2, 0]

    for size in range(1, 8):
        runs = Runs()
        found = [runs.repeats(digests[i : i + size]) for i in range(0, 7, size)]
        assert np.concatenate(found).tolist() == expected
    assert Runs().repeats(digests[:0]).tolist() == []


@pytest.mark.slow
@pytest.mark.parametrize("how", [{}, {"key": "visit"}, {"unit": "patient"}], ids=str)
def test_the_copy_is_that_of_one_machine(how: dict[str, str], spark: Any, tmp_path: Path) -> None:
    frame = cohort(N).with_columns(
        patient=pl.Series([f"P{i % (N // 2):05}" for i in range(N)]),
        rare=pl.Series(["yes" if i < 4 else None for i in range(N)]),
    )
    path = tmp_path / "cohort.parquet"
    frame.write_parquet(path, row_group_size=3_000)
    expected = Vault(SECRET, tmp_path / "one").whole(table_of(str(path), **how), POLICY)

    made = Vault(SECRET, tmp_path / "spark")
    copy = made.whole(table_of(spark.read.parquet(str(path)), **how), POLICY)

    assert kept(copy) == kept(expected)
    assert copy.path is not None
    assert len([*copy.path.iterdir()]) == 1 + 4
