"""One table on every engine, and what each is asked of it: for tests, and to be measured."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pe
import pyarrow.csv as pc
import pyarrow.dataset as ds
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

import discreet as dc
from discreet.plots.bars import BarChart
from discreet.plots.crosstab import CrossTable
from discreet.secret import Secret
from discreet.sketch import sketched
from discreet.table import Table
from discreet.vault.vault import version_of_whole

ODD = [float("nan"), float("inf"), float("-inf")]
WARDS = np.array(["east", "west", "north", 'söuth, "old"\nwing'])
KINDS = {"stay": "categorical", "died": "continuous"}
DAY, MINUTE = np.datetime64(date(2015, 1, 1), "D"), np.datetime64(datetime(2015, 1, 1), "us")


@cache
def data(n: int) -> pa.Table:
    """Whole numbers, floats, decimals, yes/no, levels, text and dates, with all that is missing."""
    draw = np.random.default_rng(20)

    def gaps(values: NDArray[Any], kind: pa.DataType | None = None) -> pa.Array:
        return pa.array(values, kind, mask=draw.random(n) < 0.03)

    bmi = draw.normal(27, 4, n).round(2)
    bmi[draw.choice(n, n // 50, replace=False)] = draw.choice(ODD, n // 50)
    cents, days, minutes = (draw.integers(0, most, n) for most in (99_999, 2_000, 2_880_000))
    return pa.table(
        {
            "age": pa.array(draw.integers(18, 90, n), pa.int64()),
            "stay": gaps(draw.integers(1, 6, n), pa.int16()),
            "bmi": gaps(bmi),
            "cost": _hundredths(gaps(cents)),
            "smokes": gaps(draw.random(n) < 0.3),
            "died": gaps(draw.random(n) < 0.2),
            "ward": gaps(WARDS[draw.integers(0, 4, n)]),
            "note": np.array(["a", "b", ""])[draw.integers(0, 3, n)],
            "seen": gaps(DAY + days),
            "at": gaps(MINUTE + 60_000_000 * minutes),
        }
    )


def _hundredths(whole: pa.Array) -> pa.Array:
    """Return whole numbers of hundredths as decimals, which hold 128 bits."""
    wide = np.zeros((len(whole), 2), np.int64)
    wide[:, 0] = whole.fill_null(0).to_numpy()
    return pa.Array.from_buffers(
        pa.decimal128(10, 2), len(whole), [whole.buffers()[0], pa.py_buffer(wide)]
    )


@cache
def plain_data(n: int) -> pa.Table:
    """Return the table as programs of statistics hold it: numbers, text, dates, and gaps."""
    table = data(n)
    for i, field in enumerate(table.schema):
        column = table[i]
        if not (pa.types.is_string(field.type) or pa.types.is_temporal(field.type)):
            column = column.cast(pa.float64())
            column = pe.if_else(pe.is_finite(column), column, None)
        table = table.set_column(i, field.name, column)
    return table


# --- how an engine gets the table ----------------------------------------------------------------


def of_parquet(table: pa.Table, path: Path) -> Path:
    pq.write_table(table, path / "t.parquet", row_group_size=min(len(table) // 3, 1 << 20))
    return path / "t.parquet"


def of_folder(table: pa.Table, path: Path) -> Path:
    third = len(table) // 3
    (path / "folder").mkdir()
    for i, start in enumerate((0, third, 2 * third)):
        part = table.slice(start, third if i < 2 else None)
        pq.write_table(part, path / "folder" / f"{i}.parquet")
    return path / "folder"


def of_csv(table: pa.Table, path: Path) -> Path:
    pc.write_csv(table, path / "t.csv")
    return path / "t.csv"


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
    "Parquet": of_parquet,
    "folder of Parquet": of_folder,
    "CSV": of_csv,
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


def of_feather(table: pa.Table, path: Path) -> Path:
    feather.write_feather(table, path / "t.feather")
    return path / "t.feather"


def of_json(table: pa.Table, path: Path) -> Path:
    with (path / "t.jsonl").open("w") as file:
        for row in table.to_pylist():
            cells = {name: _plain(it) for name, it in row.items()}
            file.write(json.dumps(cells, default=str) + "\n")
    return path / "t.jsonl"


def of_excel(table: pa.Table, path: Path) -> Path:
    openpyxl = pytest.importorskip("openpyxl", reason="pip install openpyxl")
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("patients")
    sheet.append(table.column_names)
    for row in table.to_pylist():
        sheet.append([_plain(it) for it in row.values()])
    book.save(path / "t.xlsx")
    return path / "t.xlsx"


def _plain(value: object) -> object:
    """Return a cell as it is written where there are no decimals and no infinite numbers."""
    value = float(value) if isinstance(value, Decimal) else value
    return None if isinstance(value, float) and not math.isfinite(value) else value


def of_stata(table: pa.Table, path: Path) -> Path:
    pyreadstat = pytest.importorskip("pyreadstat", reason="pip install 'discreet[stata]'")
    pyreadstat.write_dta(table.to_pandas(date_as_object=True), path / "t.dta")
    return path / "t.dta"


def of_spss(table: pa.Table, path: Path) -> Path:
    pyreadstat = pytest.importorskip("pyreadstat", reason="pip install 'discreet[stata]'")
    pyreadstat.write_sav(table.to_pandas(date_as_object=True), path / "t.sav")
    return path / "t.sav"


#: Formats of files whose writers are for few rows; the latter hold the `plain_data`.
FORMATS: dict[str, Callable[[pa.Table, Path], Any]] = {
    "Feather": of_feather,
    "JSON lines": of_json,
    "Excel": of_excel,
}
PLAIN_FORMATS = {"Stata": of_stata, "SPSS": of_spss}


# --- what it says --------------------------------------------------------------------------------

PICTURES: dict[str, Callable[[dc.Research], Any]] = {
    "histogram of whole numbers": lambda it: it.histogram("age"),
    "histogram of floats": lambda it: it.histogram("bmi"),
    "histogram of decimals": lambda it: it.histogram("cost"),
    "histogram of yes/no": lambda it: it.histogram("died"),
    "histogram by levels": lambda it: it.histogram("bmi", by="ward"),
    "heatmap": lambda it: it.heatmap("age", "bmi"),
    "contour": lambda it: it.contour("age", "cost"),
    "box": lambda it: it.box("bmi", by="ward"),
    "bars": lambda it: it.papers.draw(BarChart("ward")),
    "bars of yes/no": lambda it: it.papers.draw(BarChart("smokes")),
    "bars of whole numbers": lambda it: it.papers.draw(BarChart("stay")),
    "bars of text": lambda it: it.papers.draw(BarChart("note")),
    "crosstab": lambda it: it.papers.draw(CrossTable("ward", "smokes")),
    "parallel": lambda it: it.parallel(["bmi", "cost"], k=100),
}
OF_COPY: dict[str, Callable[[dc.Study], Any]] = {
    "scatter": lambda it: it.scatter("age", "bmi"),
    "histogram of days": lambda it: it.histogram("seen"),
    "histogram of moments": lambda it: it.histogram("at"),
    "over time": lambda it: it.over_time("seen", "cost", by="ward"),
    "violin": lambda it: it.violin("bmi", by="smokes"),
}


def opened(source: Any) -> dc.Study:
    return dc.open(source, study="engines", unit=False, kinds=KINDS)


def answers(study: Any, pictures: Mapping[str, Callable[[Any], Any]] = PICTURES) -> dict[str, str]:
    """Return the JSON of each picture."""
    return {name: draw(study).to_json() for name, draw in pictures.items()}


def counted(source: Any) -> dc.Research:
    """Open a table whose pictures are counted where the data are."""
    return dc.research(source, study="counted", unit=False, kinds=KINDS, public=True)


SECRET = Secret.from_text("5f1c0a9be37d2486" * 4)


def marks(table: Table) -> dict[str, str]:
    """Return what the register would know of the columns and of the rows."""
    names = [*table.columns]
    found = sketched(SECRET, table.batches(names), rows=names)
    return {name: it.mark for name, it in found.columns.items()} | {"rows": found.rows.mark}


def copied(study: dc.Study, path: Path) -> str:
    """Return a digest of the protected copy, as a file."""
    return hashlib.sha256(study.anonymize().save(path / "copy.csv").read_bytes()).hexdigest()


def without_copy(source: Any) -> dict[str, Any]:
    """Return all that is said without a copy, and which copy it would be."""
    study = opened(source)
    table = study.session.table
    kinds = {name: it.kind for name, it in table.columns.items()}
    version = version_of_whole(table, study.session.policy, SECRET).hex()
    return {
        "kinds": kinds,
        "marks": marks(table),
        "pictures": answers(counted(source)),
        "version": version,
    }
