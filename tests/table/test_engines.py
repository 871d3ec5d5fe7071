"""One table on every engine: the same pictures from counts, the same sketches, the same copy."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

import discreet as dc
from discreet.secret import Secret
from discreet.sketch import sketched
from discreet.table import Table, open_table
from tests.spark_session import spark_session
from tests.table.postgres_server import Server, serving

N, MANY = 2_000, 100_000
ODD = [float("nan"), float("inf"), float("-inf")]
WARDS = np.array(["east", "west", "north", 'söuth, "old"\nwing'])
KINDS = {"stay": "categorical", "died": "continuous"}


@cache
def data(n: int) -> pa.Table:
    """Whole numbers, floats, decimals, yes/no, levels, text and dates, with all that is missing."""
    draw = np.random.default_rng(20)

    def gaps(values: NDArray[Any], share: float = 0.03) -> list[Any]:
        return [
            None if gap else it
            for it, gap in zip(values.tolist(), draw.random(n) < share, strict=True)
        ]

    day, minute = date(2015, 1, 1), datetime(2015, 1, 1)
    bmi = draw.normal(27, 4, n).round(2)
    bmi[draw.choice(n, n // 50, replace=False)] = draw.choice(ODD, n // 50)
    cents, days, minutes = (draw.integers(0, most, n) for most in (99_999, 2_000, 2_880_000))
    return pa.table(
        {
            "age": pa.array(draw.integers(18, 90, n), pa.int64()),
            "stay": pa.array(gaps(draw.integers(1, 6, n)), pa.int16()),
            "bmi": pa.array(gaps(bmi), pa.float64()),
            "cost": pa.array(
                [None if it is None else Decimal(it).scaleb(-2) for it in gaps(cents)],
                pa.decimal128(10, 2),
            ),
            "smokes": pa.array(gaps(draw.random(n) < 0.3), pa.bool_()),
            "died": pa.array(gaps(draw.random(n) < 0.2), pa.bool_()),
            "ward": pa.array(gaps(WARDS[draw.integers(0, 4, n)])),
            "note": np.array(["a", "b", ""])[draw.integers(0, 3, n)],
            "seen": pa.array(
                [None if it is None else day + timedelta(days=it) for it in gaps(days)]
            ),
            "at": pa.array(
                [None if it is None else minute + timedelta(minutes=it) for it in gaps(minutes)],
                pa.timestamp("us"),
            ),
        }
    )


# --- the engines ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as found:
        yield found


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    with spark_session() as session:
        yield session


def of_parquet(table: pa.Table, path: Path) -> Path:
    pq.write_table(table, path / "t.parquet", row_group_size=len(table) // 3)
    return path / "t.parquet"


def of_folder(table: pa.Table, path: Path) -> Path:
    third = len(table) // 3
    (path / "folder").mkdir()
    for i, start in enumerate((0, third, 2 * third)):
        part = table.slice(start, third if i < 2 else None)
        pq.write_table(part, path / "folder" / f"{i}.parquet")
    return path / "folder"


def of_duckdb(table: pa.Table, path: Path) -> Path:
    with duckdb.connect(path / "t.duckdb") as made:
        made.register("given", table)
        made.execute(
            "CREATE TABLE t AS FROM given; CREATE SCHEMA other; CREATE VIEW other.v AS FROM t"
        )
    return path / "t.duckdb"


def of_pandas(table: pa.Table) -> Any:
    """Return a frame of pandas, where whole numbers with gaps stay whole."""
    return table.to_pandas(types_mapper={pa.int16(): pd.Int16Dtype()}.get)


def of_relation(table: pa.Table, path: Path) -> Any:
    return duckdb.connect().read_parquet(str(of_parquet(table, path)))


def of_ibis(table: pa.Table, path: Path) -> Any:
    ibis = pytest.importorskip("ibis", reason="pip install 'discreet[postgres]'")
    return ibis.duckdb.connect().read_parquet(of_parquet(table, path))


def of_dask(table: pa.Table, path: Path) -> Any:
    frames = pytest.importorskip("dask.dataframe", reason="pip install 'dask[dataframe]'")
    return frames.read_parquet(of_parquet(table, path))


#: How an engine gets the table. A format of files is one more line.
ENGINES: dict[str, Callable[[pa.Table, Path], Any]] = {
    "pandas": lambda table, path: of_pandas(table),
    "polars": lambda table, path: pl.from_arrow(table),
    "polars lazy": lambda table, path: pl.scan_parquet(of_parquet(table, path)),
    "pyarrow": lambda table, path: table,
    "pyarrow dataset": lambda table, path: ds.dataset(of_folder(table, path)),
    "DuckDB relation": of_relation,
    "DuckDB file": lambda table, path: f"duckdb:///{of_duckdb(table, path)}?table=t",
    "DuckDB view": lambda table, path: f"duckdb:///{of_duckdb(table, path)}?table=other.v",
    "ibis": of_ibis,
    "Dask": of_dask,
}
SERVED = ("PostgreSQL", "Spark")
AT_SCALE = ("polars lazy", "DuckDB view", "PostgreSQL")
"""Those that are compared with many rows, too: others hold all rows of a copy, or take minutes."""
FAST = ("pandas", "DuckDB view", "PostgreSQL")
SLOW = [it for it in (*ENGINES, *SERVED) if it not in FAST]


def source_of(engine: str, table: pa.Table, path: Path, request: pytest.FixtureRequest) -> Any:
    if engine == "PostgreSQL":
        return request.getfixturevalue("server").write(table)
    if engine == "Spark":
        return request.getfixturevalue("spark").read.parquet(str(of_parquet(table, path)))
    return ENGINES[engine](table, path)


# --- what they say --------------------------------------------------------------------------------

PICTURES: dict[str, Callable[[dc.Study], Any]] = {
    "histogram of whole numbers": lambda it: it.histogram("age", source="counts"),
    "histogram of floats": lambda it: it.histogram("bmi", source="counts"),
    "histogram of decimals": lambda it: it.histogram("cost", source="counts"),
    "histogram of yes/no": lambda it: it.histogram("died", source="counts"),
    "histogram by levels": lambda it: it.histogram("bmi", by="ward", source="counts"),
    "heatmap": lambda it: it.heatmap("age", "bmi", source="counts"),
    "contour": lambda it: it.contour("age", "cost", source="counts"),
    "box": lambda it: it.box("bmi", by="ward", source="counts"),
    "bars": lambda it: it.bars("ward", source="counts"),
    "bars of yes/no": lambda it: it.bars("smokes", source="counts"),
    "bars of whole numbers": lambda it: it.bars("stay", source="counts"),
    "bars of text": lambda it: it.bars("note", source="counts"),
    "crosstab": lambda it: it.crosstab("ward", "smokes", source="counts"),
    "parallel": lambda it: it.parallel(["age", "bmi", "cost"], source="counts"),
}


def opened(source: Any) -> dc.Study:
    return dc.open(source, study="engines", unit=False, kinds=KINDS)


def answers(study: dc.Study) -> dict[str, str]:
    """Return the JSON of each picture, or what is said in its place."""
    found = {}
    for name, draw in PICTURES.items():
        try:
            found[name] = draw(study).to_json()
        except dc.DiscreetError as error:
            found[name] = f"{type(error).__name__}: {error}"
    return found


def marks(table: Table) -> dict[str, str]:
    """Return what the ledger would know of the columns and of the rows."""
    names = [*table.columns]
    found = sketched(Secret.from_text("5f1c0a9be37d2486" * 4), table.batches(names), rows=names)
    return {name: it.mark for name, it in found.columns.items()} | {"rows": found.rows.mark}


def copied(study: dc.Study, path: Path) -> str:
    """Return a digest of the protected copy."""
    return hashlib.sha256(study.anonymize().save(path / "copy.csv").read_bytes()).hexdigest()


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], dict[str, Any]]:
    """Say what the engines must say: what is said of one Parquet file."""

    @cache
    def found(n: int) -> dict[str, Any]:
        path = tmp_path_factory.mktemp("expected")
        study = opened(of_parquet(data(n), path))
        told = {"pictures": answers(study), "marks": marks(study.session.table)}
        told["kinds"] = {name: it.kind for name, it in study.session.table.columns.items()}
        return told | {"copy": copied(study, path)}

    return found


def check(source: Any, wanted: dict[str, Any], path: Path) -> None:
    study = opened(source)
    table = study.session.table

    assert {name: it.kind for name, it in table.columns.items()} == wanted["kinds"]
    assert marks(table) == wanted["marks"]
    assert answers(study) == wanted["pictures"]
    assert copied(study, path) == wanted["copy"]


# Warnings are those of other libraries about each other.
OTHERS = pytest.mark.filterwarnings("ignore")


@OTHERS
@pytest.mark.parametrize(
    "engine", [*FAST, *(pytest.param(it, marks=pytest.mark.slow) for it in SLOW)]
)
def test_every_engine_says_the_same(
    engine: str,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    expected: Callable[[int], dict[str, Any]],
) -> None:
    wanted = expected(N)
    assert not [it for it in wanted["pictures"].values() if it.startswith("InputError")]

    check(source_of(engine, data(N), tmp_path, request), wanted, tmp_path)


@OTHERS
@pytest.mark.slow
@pytest.mark.parametrize("engine", AT_SCALE)
def test_every_engine_says_the_same_of_many_rows(
    engine: str,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    expected: Callable[[int], dict[str, Any]],
) -> None:
    check(source_of(engine, data(MANY), tmp_path, request), expected(MANY), tmp_path)


@OTHERS
@pytest.mark.parametrize(
    "engine", [*FAST, *(pytest.param(it, marks=pytest.mark.slow) for it in SLOW)]
)
def test_persons_with_several_rows_are_counted_alike(
    engine: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    who = pa.array([None if i % 50 == 0 else f"p{i // 3}" for i in range(N)])
    given = data(N).append_column("person", who).select(["person", "ward", "bmi"])

    def said(source: Any) -> list[Any]:
        study = dc.open(source, study="persons", unit="person")
        table = study.session.table
        views = [study.bars("ward", source="counts"), study.histogram("bmi", source="counts")]
        return [table.persons(), table.persons_repeat(), *(view.to_json() for view in views)]

    assert said(source_of(engine, given, tmp_path, request)) == said(given)


@OTHERS
@pytest.mark.parametrize("engine", [*ENGINES, "PostgreSQL"])
def test_rows_come_in_parts(
    engine: str,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("discreet.table.frames.PART", 500)
    source = source_of(engine, data(N), tmp_path, request)
    table = open_table(source, kinds={}, roles={}, unit=None, key=None)

    one = [batch["stay"] for batch in table.batches(["stay"])]  # a column alone, with gaps
    numbers = np.concatenate(one)

    assert len(numbers) == N
    assert np.isnan(numbers).sum() == data(N)["stay"].null_count
    assert np.nansum(numbers) == sum(it or 0 for it in data(N)["stay"].to_pylist())
