"""A large table on Spark: the copy of one machine, made where the rows are."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import discreet as dc
from discreet.columns import words_of
from discreet.columns.column import Copy
from discreet.errors import InputError
from discreet.policy import Policy
from discreet.secret import Secret
from discreet.table import Table, open_table
from discreet.vault import partitions as on_spark
from discreet.vault import whole_columns
from discreet.vault.keyed_rows import Columns
from discreet.vault.partitions import (
    LargeTable,
    Runs,
    first_on_spark,
    protect_on_spark,
    total_on_spark,
)
from discreet.vault.stored import part_of
from discreet.vault.vault import Vault
from discreet.vault.whole_columns import Protected, Work, protect_partition
from tests.custodian.test_whole import cohort
from tests.spark_session import spark_session

cloudpickle = pytest.importorskip("cloudpickle")  # PySpark has its own copy of it
SECRET = Secret.from_bytes(bytes(range(32)))
POLICY = Policy.preset("standard", k=3, m=6)
N = 20_000
# Warnings are those of other libraries about each other.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("log")


@pytest.fixture(scope="module")
def spark(log: Path) -> Iterator[Any]:
    """A session whose driver takes little of a job, and writes down how much it took."""
    noted = {"spark.eventLog.enabled": "true", "spark.eventLog.dir": log.as_uri()}
    noted |= {"spark.eventLog.compress": "false"}
    with spark_session(**noted, **{"spark.driver.maxResultSize": "4m"}) as session:
        yield session


def come_to_the_driver(spark: Any, log: Path) -> int:
    """Return how many bytes workers have given back since the session began."""
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
    events = [
        json.loads(line)
        for path in log.rglob("*")
        if path.is_file() and not path.name.startswith(("appstatus", "."))
        # What Spark has not written to its end is of later than what was waited for.
        for line in path.read_text().rpartition("\n")[0].split("\n")
        if line
    ]
    ended = [it for it in events if it["Event"] == "SparkListenerTaskEnd"]
    return sum(it["Task Metrics"]["Result Size"] for it in ended if it.get("Task Metrics"))


@pytest.fixture(autouse=True)
def _small_partitions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let four partitions be made; how many, the workers are told."""
    monkeypatch.setattr(whole_columns, "MOST_CELLS", N * 5 // 4 + 1)


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


class Pretended:
    """Does with batches what Spark does with a frame; what would be sent to workers is noted."""

    def __init__(self, batches: list[pa.RecordBatch], sent: list[bytes]) -> None:
        self.batches, self.sent = batches, sent

    def _sent(self, work: Any) -> Any:
        self.sent.append(cloudpickle.dumps(work))
        return cloudpickle.loads(self.sent[-1])

    def mapInArrow(self, work: Any, schema: str) -> Pretended:
        return Pretended([*self._sent(work)(iter(self.batches))], self.sent)

    def repartition(self, *by: str) -> Pretended:
        return Pretended(self.batches[::-1], self.sent)

    def sortWithinPartitions(self, *by: str) -> Pretended:
        return self._of(self.toArrow().sort_by([(name, "ascending") for name in by]))

    def where(self, only: str) -> Pretended:
        name, _, value = only.partition(" = ")
        return self._of(self.toArrow().filter(pc.field(name) == int(value)))

    def groupBy(self, by: str) -> Pretended:
        return self

    def applyInArrow(self, work: Any, schema: str) -> Pretended:
        call, rows = self._sent(work), self.toArrow()
        places = rows["place"].unique().to_pylist()
        made = [call(rows.filter(pc.field("place") == place)) for place in places]
        return Pretended([batch for table in made for batch in table.to_batches()], self.sent)

    def _of(self, rows: pa.Table) -> Pretended:
        return Pretended(rows.combine_chunks().to_batches(97), self.sent)

    def toArrow(self) -> pa.Table:
        return pa.Table.from_batches(self.batches)

    def collect(self) -> list[dict[str, Any]]:
        parts: list[dict[str, Any]] = self.toArrow().to_pylist()
        return parts


@pytest.mark.slow
@pytest.mark.parametrize("how", [{}, {"unit": "patient"}], ids=["rows", "persons"])
def test_workers_get_no_secret_and_protect_as_one_machine_does(
    how: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    n = 1_300
    monkeypatch.setattr(whole_columns, "MOST_CELLS", n * 5 // 4 + 1)
    whose = pl.Series([f"P{i % (n // 2):05}" for i in range(n)])
    once = cohort(n // 2, 1).with_columns(bmi=pl.lit(25.0), glucose=pl.lit(5.0))  # many are alike
    frame = pl.concat([cohort(n // 2), once]).with_columns(patient=whose)
    table, sent = table_of(frame, **how), list[bytes]()
    large = LargeTable.of(table, POLICY, SECRET, whole_columns.choose_columns(table, POLICY))
    work = large.work
    lying, reading = table.where_it_lies(work.keyed.numbers, work.keyed.texts, work.keyed.known)
    rows = Pretended(lying.lazy().collect().to_arrow().to_batches(100), sent)

    assert total_on_spark(rows, reading, work).version(work.keyed.own) == large.version
    done = protect_on_spark(rows, reading, work, large.version, tmp_path)

    with large.each(None) as partitions:
        for place, made in enumerate(large.protected(partitions)):
            found = pq.read_table(tmp_path / part_of(place))
            assert {*made.whose} == {*how.values()}
            for name, column in {**made.numbers, **made.whose}.items():
                assert np.array_equal(found[name], column, equal_nan=True)
            assert all(words_of(found[name]) == it for name, it in made.levels.items())
            assert done[place].left_out == made.outcome.left_out
    assert len(sent) >= 3
    assert not any(bytes(range(32)) in it for it in sent)
    with pytest.raises(InputError, match="the data changed while they were being read"):
        protect_on_spark(rows, reading, work, bytes(32), tmp_path)
    with pytest.raises(InputError, match="put the policy into a folder that this machine and all"):
        protect_on_spark(rows, reading, work, large.version, tmp_path / "nowhere")
    first = work.raw(first_on_spark(rows, reading, work), 0, large.version)
    assert sorted(first.draws.keys[:, 0]) == sorted(large.first().draws.keys[:, 0])


@pytest.mark.slow
def test_the_copy_is_that_of_one_machine_though_a_worker_dies(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    how = {"unit": "patient"}
    frame = cohort(N).with_columns(
        patient=pl.Series([f"P{i % (N // 2):05}" for i in range(N)]),
        rare=pl.Series(["yes" if i < 4 else None for i in range(N)]),
    )
    path = tmp_path / "cohort.parquet"
    frame.write_parquet(path, row_group_size=3_000)
    expected = Vault(SECRET, tmp_path / "one").whole(table_of(str(path), **how), POLICY)

    died = tmp_path / "died"

    def dies_once(work: Work, rows: Columns, place: int, version: bytes) -> Protected:
        if place == 1 and not died.exists():
            died.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return protect_partition(work, rows, place, version)

    monkeypatch.setattr(on_spark, "protect_partition", dies_once)
    frame_of_spark = spark.read.parquet(str(path))
    copy = Vault(SECRET, tmp_path / "spark").whole(table_of(frame_of_spark, **how), POLICY)

    assert died.exists()

    assert kept(copy) == kept(expected)
    assert copy.path is not None
    assert len([*copy.path.glob("part-*")]) >= 4
    again = Vault(SECRET, tmp_path / "spark").whole(table_of(str(path), **how), POLICY)
    assert again.path == copy.path
    assert kept(again) == kept(copy)
    near = [*tmp_path.glob("*/whole-*.json")]
    assert len(near) == 2
    assert len({it.name for it in near}) == len({it.read_text() for it in near}) == 1


@pytest.mark.slow
def test_neither_rows_nor_a_copy_come_to_the_driver(
    spark: Any, log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    n = 300_000
    draw = np.random.default_rng(0)
    numbers = {f"x{i}": draw.normal(size=n) for i in range(4)}
    pl.DataFrame(numbers).write_parquet(tmp_path / "t.parquet", row_group_size=n // 6)
    monkeypatch.setattr(whole_columns, "MOST_CELLS", n * 4 // 16)
    expected = Vault(SECRET, tmp_path / "one").whole(table_of(str(tmp_path / "t.parquet")), POLICY)
    study = dc.open(spark.read.parquet(str(tmp_path / "t.parquet")), study="s", unit=False)
    before = come_to_the_driver(spark, log)
    copy = Vault(SECRET, tmp_path / "spark").whole(study.session.table, POLICY)
    made = come_to_the_driver(spark, log)
    assert kept(copy) == kept(expected)
    assert 0 < made - before < n * 4 * 8 / 10


@pytest.mark.slow
def test_what_a_worker_refuses_is_said_as_on_one_machine(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "cohort.parquet"
    cohort(N).with_columns(visit=pl.col("visit") // 2).write_parquet(path)
    with pytest.raises(InputError, match="key column 'visit' holds a value twice"):
        Vault(SECRET, tmp_path).whole(table_of(spark.read.parquet(str(path)), key="visit"), POLICY)
    assert [*tmp_path.iterdir()] == [path]
