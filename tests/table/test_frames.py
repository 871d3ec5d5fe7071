"""Frames of types that engines do not know: converted to one that they do, or not drawn."""

from __future__ import annotations

import datetime as dt
import decimal
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import duckdb
import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pyreadstat
import pytest

from discreet.errors import InputError
from discreet.table import Table, open_table

SIZE = 30


def opened(source: object) -> Table:
    return open_table(source, kinds={}, roles={}, unit=None, key=None)


def objects(*values: Any) -> pd.DataFrame:
    """Return a column of Python's objects beside one of numbers."""
    cells = [values[i % len(values)] for i in range(SIZE)]
    return pd.DataFrame({"n": range(SIZE), "x": pd.Series(cells, dtype=object)})


def framed(values: Any) -> pd.DataFrame:
    return pd.DataFrame({"n": range(SIZE), "x": values})


UTC = pd.date_range("2020-01-01", periods=SIZE, freq="12h", tz="UTC")
MOMENTS = 18262 + np.arange(SIZE) / 2
# The zone of some moments, and how many hours its clock is ahead of UTC in winter.
ZONES: dict[str, tuple[Any, float]] = {
    "a low line": ("America/New_York", -5),
    "an offset": ("+02:00", 2),
    "an offset of Python": (dt.timezone(dt.timedelta(hours=-3, minutes=-30)), -3.5),
    "plain": ("Europe/Berlin", 1),
}


@pytest.mark.parametrize(("zone", "ahead"), ZONES.values(), ids=ZONES)
def test_moments_are_those_of_their_clock(zone: Any, ahead: float) -> None:
    frame = framed(UTC.tz_convert(zone))
    found = opened(pa.Table.from_pandas(frame) if zone == "Europe/Berlin" else frame)
    days = found.rows([], gaps=["x"]).numbers["x"]
    np.testing.assert_allclose(days, MOMENTS + ahead / 24, rtol=0, atol=1e-9)


NUMBERS: dict[str, tuple[Any, list[float]]] = {
    "whole numbers": (objects(None, 1, 2), [np.nan, 1, 2]),
    "fractions": (objects(np.nan, 1.5, 2), [np.nan, 1.5, 2]),
    "decimals": (objects(None, decimal.Decimal("1.5"), decimal.Decimal(2)), [np.nan, 1.5, 2]),
    "very large": (objects(None, 10**25, 3), [np.nan, 1e25, 3]),
    "durations": (objects(None, dt.timedelta(hours=36), dt.timedelta(1)), [np.nan, 1.5, 1]),
    "times of day": (objects(None, dt.time(8, 30), dt.time(9)), [np.nan, 8.5, 9]),
    "long floats": (framed(np.array([1.5, np.nan, 3] * 10, dtype=np.longdouble)), [1.5, np.nan, 3]),
    "sparse with gaps": (framed(pd.arrays.SparseArray([np.nan, 1, 2.5] * 10)), [np.nan, 1, 2.5]),
    "run ends": (pa.table({"x": pa.compute.run_end_encode(pa.array([1, 1, 2] * 10))}), [1, 1, 2]),
    "times of nanoseconds": (
        duckdb.connect().sql("SELECT '08:30'::TIME_NS AS x FROM range(30)"),
        [8.5, 8.5, 8.5],
    ),
}


@pytest.mark.parametrize(("frame", "first"), NUMBERS.values(), ids=NUMBERS)
def test_what_holds_numbers_is_of_numbers(frame: object, first: list[float]) -> None:
    found = opened(frame)
    assert found.columns["x"].numeric
    values = found.rows([], gaps=["x"]).numbers["x"][:3]
    np.testing.assert_allclose(values, first, rtol=0, atol=1e-12)


DATES: dict[str, tuple[Any, list[float]]] = {
    "moments": (objects(None, dt.datetime(2020, 1, 2, 12)), [np.nan, 18263.5]),
    "moments of several offsets": (
        objects(
            dt.datetime(2020, 1, 2, 1, tzinfo=dt.timezone(dt.timedelta(hours=1))),
            dt.datetime(2020, 1, 2, 6, tzinfo=dt.timezone(dt.timedelta(hours=-6))),
        ),
        [18263, 18263.5],
    ),
    "moments of summer and winter": (
        objects(
            dt.datetime(2020, 1, 2, 12, tzinfo=ZoneInfo("Europe/Berlin")),
            dt.datetime(2020, 7, 2, 12, tzinfo=ZoneInfo("Europe/Berlin")),
        ),
        [18263.5, 18445.5],
    ),
    "days and moments": (
        objects(dt.date(2020, 1, 1), dt.datetime(2020, 1, 2, 12)),
        [18262, 18263.5],
    ),
    "months": (framed(pd.period_range("2020-01", periods=SIZE, freq="M")), [18262, 18293]),
    "days as periods": (framed(pd.period_range("2020-01-01", periods=SIZE)), [18262, 18263]),
    "levels of days": (
        framed(pd.Categorical(pd.to_datetime(["2020-01-01", "2020-01-03"] * 15))),
        [18262, 18264],
    ),
    "days of milliseconds": (
        pa.table({"x": pa.array([dt.date(2020, 1, 1), None] * 15, pa.date64())}),
        [18262, np.nan],
    ),
}


@pytest.mark.parametrize(("frame", "first"), DATES.values(), ids=DATES)
def test_what_holds_dates_is_of_dates(frame: object, first: list[float]) -> None:
    found = opened(frame)
    assert found.columns["x"].kind == "date"
    np.testing.assert_array_equal(found.rows([], gaps=["x"]).numbers["x"][:2], first)


PERIODS = {
    "D": [18262, 18263],
    "W-SUN": [18260, 18267],
    "M": [18262, 18293],
    "Q-DEC": [18262, 18353],
    "Y-DEC": [18262, 18628],
}
IN_ARROW: dict[str, Callable[[pa.Table, Path], object]] = {
    "table": lambda table, _: table,
    "parquet": lambda table, folder: pq.write_table(table, folder / "t.parquet"),
    "dataset": lambda table, _: ds.dataset(table),
    "feather": lambda table, folder: feather.write_feather(table, folder / "t.feather"),
}


@pytest.mark.parametrize(
    ("frequency", "days", "made"),
    [*((*it, "table") for it in PERIODS.items())]
    + [("M", PERIODS["M"], it) for it in IN_ARROW if it != "table"],
)
def test_periods_in_arrow_are_their_first_days(
    tmp_path: Path, frequency: str, days: list[int], made: str
) -> None:
    periods = pd.PeriodIndex([*pd.period_range("2020-01-01", periods=2, freq=frequency), pd.NaT])
    table = pa.Table.from_pandas(pd.DataFrame({"x": periods}))
    found = opened(IN_ARROW[made](table, tmp_path) or tmp_path / f"t.{made}")
    assert found.columns["x"].kind == "date"
    np.testing.assert_array_equal(found.rows([], gaps=["x"]).numbers["x"], [*days, np.nan])


@pytest.mark.parametrize("made", ["table", "parquet"])
def test_periods_of_another_length_are_refused_by_name(tmp_path: Path, made: str) -> None:
    periods = pd.period_range("2020-01-01", periods=3, freq="h")
    table = pa.Table.from_pandas(pd.DataFrame({"x": periods}))
    with pytest.raises(InputError, match=r"column 'x' holds periods .*to_timestamp\(\)"):
        opened(IN_ARROW[made](table, tmp_path) or tmp_path / f"t.{made}")


def chunked(*chunks: list[Any]) -> pa.Table:
    coded = [pa.array(it).dictionary_encode() for it in chunks]
    return pa.table({"x": pa.chunked_array(coded)})


LEVELS: dict[str, tuple[Any, dict[str, int]]] = {
    "intervals of cut": (
        framed(pd.cut(np.arange(SIZE), [-1, 9, 29])),
        {"(-1, 9]": 10, "(9, 29]": 20},
    ),
    "intervals in objects": (
        objects(None, pd.Interval(0, 1), pd.Interval(1, 2)),
        {"": 10, "(0.0, 1.0]": 10, "(1.0, 2.0]": 10},
    ),
    "levels of several types": (
        framed(pd.Categorical([1, "a", 2.5] * 10)),
        {"1": 10, "a": 10, "2.5": 10},
    ),
    "levels of one text": (framed(pd.Categorical([1, "1", "b"] * 10)), {"1": 20, "b": 10}),
    "yes, no and a number": (objects(True, 3), {"True": 15, "3": 15}),
    "chunks of other dictionaries": (chunked(["a", "b"], ["b", "c"]), {"a": 1, "b": 2, "c": 1}),
    "chunks in another order": (chunked(["b", "a"], ["a", "b"]), {"a": 2, "b": 2}),
    "nothing": (framed(pd.Series([None] * SIZE, dtype=object)), {"": SIZE}),
    "nothing, of pyarrow": (pa.table({"x": pa.nulls(SIZE)}), {"": SIZE}),
    "identifiers": (
        duckdb.connect().sql(f"SELECT '{'0' * 8}-{'-'.join(['0000'] * 3)}-{'0' * 12}'::UUID AS x"),
        {"00000000-0000-0000-0000-000000000000": 1},
    ),
}


@pytest.mark.parametrize(("frame", "levels"), LEVELS.values(), ids=LEVELS)
def test_what_holds_levels_is_of_levels(frame: object, levels: dict[str, int]) -> None:
    found = opened(frame)
    assert found.columns["x"].kind == "categorical"
    assert found.levels("x") == levels


ODD: dict[str, Any] = {
    "levels of pairs": framed(
        pd.Categorical.from_codes([0, 1] * 15, pd.Index([(1, 2), (3, 4)], tupleize_cols=False))
    ),
    "things": objects(object()),
    "moments with and without a zone": objects(
        dt.datetime(2020, 1, 2, tzinfo=dt.UTC), dt.datetime(2020, 1, 2)
    ),
    "complex numbers": framed(np.arange(SIZE) * 1j),
    "maps": pa.table({"x": pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64()))}),
    "bits": duckdb.connect().sql("SELECT '101'::BIT AS x"),
}


@pytest.mark.parametrize("frame", ODD.values(), ids=ODD)
def test_what_is_not_known_is_not_drawn(frame: object) -> None:
    found = opened(frame)
    assert found.columns["x"].kind.startswith("of a type that cannot be drawn")
    with pytest.raises(InputError, match="column 'x' is of a type that cannot be drawn"):
        found.require(["x"], "categorical")


# --- dates of Stata and SPSS ---------------------------------------------------------------------

STATA = {
    "tm": [dt.date(2019, 11, 1), dt.date(2020, 2, 1)],
    "tw": [dt.date(2019, 11, 12), dt.date(2020, 2, 12)],
    "td": [dt.date(2019, 11, 15), dt.date(2020, 2, 14)],
}


@pytest.mark.parametrize(("format", "days"), STATA.items(), ids=STATA)
def test_dates_of_stata(tmp_path: Path, format: str, days: list[dt.date]) -> None:
    frame = pd.DataFrame({"x": pd.to_datetime(["2019-11-15", "2020-02-14"]), "n": [1, 2]})
    frame.to_stata(tmp_path / "t.dta", write_index=False, convert_dates={"x": format})
    found = opened(tmp_path / "t.dta")
    expected = [(day - dt.date(1970, 1, 1)).days for day in days]
    assert found.rows([], gaps=["x"]).numbers["x"].tolist() == expected


@pytest.mark.parametrize("format", ["MOYR8", "EDATE9"])
def test_dates_of_spss(tmp_path: Path, format: str) -> None:
    seconds = (pd.Timestamp("2020-01-01") - pd.Timestamp("1582-10-14")).total_seconds()
    frame = pd.DataFrame({"x": [seconds, np.nan], "n": [1, 2]})
    pyreadstat.write_sav(frame, tmp_path / "t.sav", variable_format={"x": format})
    found = opened(tmp_path / "t.sav")
    np.testing.assert_array_equal(found.rows([], gaps=["x"]).numbers["x"], [18262, np.nan])


# --- workbooks that are larger than they look ----------------------------------------------------


def workbook(path: Path, cells: dict[str, Any]) -> Path:
    book = openpyxl.Workbook()
    for place, value in cells.items():
        book.active[place] = value
    book.save(path)
    return path


@pytest.mark.parametrize("far", ["XFD1048576", "KZ100000"])
def test_a_workbook_of_far_cells_is_refused(tmp_path: Path, far: str) -> None:
    path = workbook(tmp_path / "t.xlsx", {"A1": "a", "A2": 1, far: 1})
    with pytest.raises(InputError, match=r"extends to row [\d,]+ and column [\d,]+: more than"):
        opened(path)


def sheet(tmp_path: Path, name: str, content: bytes) -> Path:
    """Replace one part of a small workbook."""
    small, made = workbook(tmp_path / "small.xlsx", {"A1": "a", "A2": 1}), tmp_path / "t.xlsx"
    with zipfile.ZipFile(small) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for it in old.infolist():
            new.writestr(it, content if it.filename == name else old.read(it))
    return made


ROWS = b"<row><c><v>1</v></c></row>"
HUGE = {
    "rows without a number": ROWS * 120_000 + b"<row>" + b"<c><v>1</v></c>" * 100 + b"</row>",
    "another prefix": b'<x:row r="1"><x:c r="A1"/></x:row><x:row r="900000"><x:c r="ZZ2"/></x:row>',
    "rows in no order": b'<row r="900000"><c r="A900000"/></row><row r="1"><c r="ZZ1"/></row>',
}


@pytest.mark.parametrize("rows", HUGE.values(), ids=HUGE)
def test_a_sheet_that_hides_how_large_it_is_is_refused(tmp_path: Path, rows: bytes) -> None:
    content = b"<worksheet><sheetData>" + rows + b"</sheetData></worksheet>"
    with pytest.raises(InputError, match="more than 10,000,000 cells; delete what lies far"):
        opened(sheet(tmp_path, "xl/worksheets/sheet1.xml", content))


def test_a_workbook_of_much_text_is_refused(tmp_path: Path) -> None:
    text = b"<sst><si><t>" + b"x" * 1_000_000 + b"</t></si></sst>"
    made = sheet(tmp_path, "xl/sharedStrings.xml", text)
    cells = b'<row><c t="s"><v>0</v></c></row>' * 600
    made = sheet(tmp_path, "xl/worksheets/sheet1.xml", b"<sheetData>" + cells + b"</sheetData>")
    with zipfile.ZipFile(made, "a") as book:
        book.writestr("xl/sharedStrings.xml", text)
    with pytest.raises(InputError, match="more than 512 million letters; save the sheet as CSV"):
        opened(made)


def test_a_workbook_that_unpacks_to_very_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("discreet.table.excel.MOST_BYTES", 1 << 30)
    made = sheet(tmp_path, "docProps/core.xml", b"")
    with zipfile.ZipFile(made, "a", zipfile.ZIP_DEFLATED) as book:
        info = zipfile.ZipInfo("xl/more.xml")
        with book.open(info, "w") as part:
            part.write(b"0" * 100)
        info.file_size = 2 << 30
    with pytest.raises(InputError, match="larger than 1 GB when it is unpacked"):
        opened(made)


# --- tables of very many columns -----------------------------------------------------------------


@pytest.mark.parametrize("made", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_table_of_very_many_columns_is_refused(made: Callable[[Any], object]) -> None:
    with pytest.raises(InputError, match="has 3,001 columns, and at most 3,000 are read; leave"):
        opened(made({f"v{i}": [1.0] for i in range(3_001)}))


@pytest.mark.parametrize("made", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_wide_table_says_what_a_narrow_one_says(made: Callable[[Any], object]) -> None:
    few = {
        "age": [20.0, 30.0, np.nan, 50.5] * 5,
        "sex": ["f", "m", "", "f"] * 5,
        "visit": ["2020-01-01", "2020-01-02"] * 10,
        "code": [1, 2, -999, 2] * 5,
    }
    many = few | {f"v{i}": [float(i)] * 20 for i in range(250)}

    narrow, wide = opened(made(few)), opened(made(many))

    assert wide.framework == narrow.framework
    assert [it.tolist() for it in wide.extremes("age", 3)] == [
        it.tolist() for it in narrow.extremes("age", 3)
    ]
    assert wide.levels("sex") == narrow.levels("sex")
    assert wide.known_numbers("age") == narrow.known_numbers("age") == 15
    found, said = (it.rows(["code"], ["sex"], gaps=["age", "visit"]) for it in (wide, narrow))
    for name in ("code", "age", "visit"):
        np.testing.assert_array_equal(found.numbers[name], said.numbers[name])
    assert found.texts == said.texts
