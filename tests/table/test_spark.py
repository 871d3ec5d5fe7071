"""Tables of Spark by their names, and what is said where Spark or Java is not there."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

import discreet as dc
from discreet import cli
from discreet.errors import InputError
from discreet.table import open_table, shown
from discreet.table.databases import use_this_python
from tests.spark_session import spark_session

# Warnings are those of other libraries about each other.
pytestmark = pytest.mark.filterwarnings("ignore")


def opened(source: str) -> Any:
    return open_table(source, kinds={}, roles={}, unit=None, key=None)


@pytest.mark.parametrize("source", ["spark:", "spark://", "spark://host:7077", "spark:///visits"])
def test_a_table_needs_a_name(source: str) -> None:
    with pytest.raises(InputError, match=r"is named by spark:database\.table, or spark://"):
        opened(source)


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    none = SimpleNamespace(getActiveSession=lambda: None)
    monkeypatch.setitem(sys.modules, "pyspark.sql", SimpleNamespace(SparkSession=none))
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.delenv("SPARK_REMOTE", raising=False)
    with pytest.raises(InputError, match="Spark needs Java 17 or newer: install"):
        opened("spark:visits")
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(InputError, match=r"not installed: pip install 'discreet\[spark\]'"):
        opened("spark:visits")


@pytest.mark.parametrize(
    ("master", "said", "expected"),
    [("local[2]", None, sys.executable), ("local", "mine", "python3"), ("yarn", None, "python3")],
)
def test_workers_of_this_machine_run_this_python(
    master: str, said: str | None, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYSPARK_PYTHON", raising=False)
    if said is not None:
        monkeypatch.setenv("PYSPARK_PYTHON", said)
    context = SimpleNamespace(master=master, pythonExec="python3")
    frame = SimpleNamespace(sparkSession=SimpleNamespace(sparkContext=context))
    assert use_this_python(frame) is frame
    assert context.pythonExec == expected


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    path = tmp_path_factory.mktemp("spark") / "visits.parquet"
    pl.DataFrame(
        {"age": [float(i % 70) for i in range(700)], "ward": ["a", "b"] * 350}
    ).write_parquet(path)
    with spark_session() as session:
        session.read.parquet(str(path)).createOrReplaceTempView("visits")
        yield session


@pytest.mark.slow
def test_a_table_is_named_on_the_command_line(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = dc.open(spark.table("visits"), study="visits", unit=False)
    expected = study.histogram("age")
    monkeypatch.chdir(tmp_path)
    command = "plot histogram spark:visits age --no-unit -o age.json"
    monkeypatch.setattr("sys.argv", ["discreet", *command.split()])
    with pytest.raises(SystemExit, match="0"):
        cli.main()

    told, wanted = (
        json.loads(it) for it in ((tmp_path / "age.json").read_text(), expected.to_json())
    )
    assert told.pop("provenance")["checksum"] == wanted.pop("provenance")["checksum"]
    assert told == wanted
    assert shown(opened("spark:visits").source) == "spark:visits"
    with pytest.raises(InputError, match="Spark has no table 'nothing' that can be read"):
        opened("spark:nothing")


@pytest.mark.slow
def test_a_large_partition_comes_to_the_driver_in_small_ones(
    spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = spark.range(10_000, numPartitions=1).selectExpr("id", "id % 7 AS day")
    sizes: list[int] = []

    def read() -> list[int]:
        table = opened(one)
        batches = [batch["id"] for batch in table.batches(["id", "day"])]
        sizes[:] = map(len, batches)
        return sorted(int(it) for batch in batches for it in batch)

    assert read() == [*range(10_000)]
    monkeypatch.setattr("discreet.table.frames.MOST_CELLS", 2_000)
    whole = max(sizes)
    assert read() == [*range(10_000)]
    assert max(sizes) < 1_500 < whole
