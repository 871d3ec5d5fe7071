"""One table on every engine: the same pictures from counts, the same sketches, the same copy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import discreet as dc
from discreet.plots.bars import BarChart
from discreet.table import open_table
from tests.spark_session import spark_session
from tests.table.engines import (
    ENGINES,
    FORMATS,
    OF_COPY,
    PLAIN_FORMATS,
    answers,
    copied,
    data,
    of_parquet,
    opened,
    plain_data,
    without_copy,
)
from tests.table.postgres_server import Server, serving

N, MANY = 600, 150_000


# --- the engines ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as found:
        yield found


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    with spark_session() as session:
        yield session


SERVED = ("PostgreSQL", "Spark")
AT_SCALE = ("folder of Parquet", "CSV", "polars lazy", "PostgreSQL")
"""Those that are compared with many rows, too; Spark has tests of its own."""
FAST = ("pandas", "DuckDB view", "PostgreSQL")
SLOW = [it for it in (*ENGINES, *SERVED) if it not in FAST]


def source_of(engine: str, table: pa.Table, path: Path, request: pytest.FixtureRequest) -> Any:
    if engine == "PostgreSQL":
        return request.getfixturevalue("server").write(table)
    if engine == "Spark":
        return request.getfixturevalue("spark").read.parquet(str(of_parquet(table, path)))
    return ENGINES[engine](table, path)


# --- what they say --------------------------------------------------------------------------------


Told = dict[str, Any]
Expected = Callable[[pa.Table, Callable[[Any, Path], Told]], Told]


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Expected:
    """Say what the engines must say of a table: what is said of one Parquet file."""
    known: dict[int, Told] = {}

    def found(table: pa.Table, tell: Callable[[Any, Path], Told]) -> Told:
        if id(table) not in known:  # tables are made once
            path = tmp_path_factory.mktemp("expected")
            known[id(table)] = tell(of_parquet(table, path), path)
        return known[id(table)]

    return found


def told(source: Any, path: Path) -> Told:
    study = opened(source)
    of_copy = {"copy": copied(study, path), "of copy": answers(study, OF_COPY)}
    return without_copy(source) | of_copy


def told_of_many(source: Any, path: Path) -> Told:
    """The copy itself would take too long to make again and again: that is to be measured."""
    return without_copy(source)


# Warnings are those of other libraries about each other.
OTHERS = pytest.mark.filterwarnings("ignore")


@OTHERS
@pytest.mark.parametrize(
    "engine", [*FAST, *(pytest.param(it, marks=pytest.mark.slow) for it in SLOW)]
)
def test_every_engine_says_the_same(
    engine: str, tmp_path: Path, request: pytest.FixtureRequest, expected: Expected
) -> None:
    source = source_of(engine, data(N), tmp_path, request)
    assert told(source, tmp_path) == expected(data(N), told)


@pytest.mark.slow
@pytest.mark.parametrize("format", FORMATS)
def test_every_format_says_the_same(format: str, tmp_path: Path, expected: Expected) -> None:
    source = FORMATS[format](data(N), tmp_path)
    assert told(source, tmp_path) == expected(data(N), told)


@pytest.mark.slow
@pytest.mark.parametrize("format", PLAIN_FORMATS)
def test_files_of_statistics_say_the_same(format: str, tmp_path: Path, expected: Expected) -> None:
    source = PLAIN_FORMATS[format](plain_data(N), tmp_path)
    assert told(source, tmp_path) == expected(plain_data(N), told)


@OTHERS
@pytest.mark.slow
@pytest.mark.parametrize("engine", AT_SCALE)
def test_every_engine_says_the_same_of_many_rows(
    engine: str, tmp_path: Path, request: pytest.FixtureRequest, expected: Expected
) -> None:
    source = source_of(engine, data(MANY), tmp_path, request)
    assert told_of_many(source, tmp_path) == expected(data(MANY), told_of_many)


@pytest.mark.slow
@OTHERS
@pytest.mark.parametrize("engine", FAST)
def test_persons_with_several_rows_are_counted_alike(
    engine: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    who = pa.array([None if i % 50 == 0 else f"p{i // 3}" for i in range(N)])
    given = data(N).append_column("person", who).select(["person", "ward", "bmi"])

    def said(source: Any) -> list[Any]:
        study = dc.research(source, study="persons", unit="person")
        table = study.session.table
        views = [study.papers.draw(BarChart("ward")), study.histogram("bmi")]
        return [table.persons(), table.persons_repeat(), *(view.to_json() for view in views)]

    assert said(source_of(engine, given, tmp_path, request)) == said(given)


@OTHERS
@pytest.mark.parametrize("engine", ["folder of Parquet", "CSV", "pandas", "ibis", "PostgreSQL"])
def test_rows_come_in_parts(
    engine: str, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("discreet.table.frames.PART", 500)
    source = source_of(engine, data(N), tmp_path, request)
    table = open_table(source, kinds={}, roles={}, unit=None, key=None)
    one = [batch["stay"] for batch in table.batches(["stay"])]  # a column alone, with gaps
    numbers = np.concatenate(one)
    assert len(numbers) == N
    assert np.isnan(numbers).sum() == data(N)["stay"].null_count
    assert np.nansum(numbers) == sum(it or 0 for it in data(N)["stay"].to_pylist())
