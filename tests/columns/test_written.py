"""Dates in text: which texts are dates, in which form, and which days they are."""

from __future__ import annotations

import datetime
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as dc
from discreet.columns.dates import check_form, days_in, forms_of, read_dates
from discreet.errors import InputError, RefusedError
from discreet.table import Table, open_table

SIZE = 72
DAYS = [datetime.date(2018, 1, 5) + datetime.timedelta(days=23 * i) for i in range(SIZE)]
EPOCH = datetime.date(1970, 1, 1)


def opened(source: object, **given: Any) -> Table:
    return open_table(source, **{"kinds": {}, "roles": {}, "unit": None, "key": None} | given)


def frame_of(texts: Sequence[str | None]) -> pa.Table:
    return pa.table({"n": [i % 7 for i in range(len(texts))], "x": pa.array(texts, pa.string())})


def days_of(table: Table) -> list[float]:
    found: list[float] = table.rows([], gaps=["x"]).numbers["x"].tolist()
    return found


def since(day: datetime.date) -> int:
    return (day - EPOCH).days


def as_csv(table: pa.Table, folder: Path) -> Path:
    table.to_pandas().to_csv(folder / "t.csv", index=False)
    return folder / "t.csv"


def as_quoted_csv(table: pa.Table, folder: Path) -> Path:
    """Write each cell in quotes, the lines ended in two ways, behind a byte order mark."""
    lines = table.to_pandas().to_csv(index=False, quoting=1).splitlines()
    ends = ("\r\n", "\n")
    text = "".join(line + ends[i % 2] for i, line in enumerate(lines))
    (folder / "t.csv").write_bytes(b"\xef\xbb\xbf" + text.encode())
    return folder / "t.csv"


def as_json(table: pa.Table, folder: Path) -> Path:
    table.to_pandas().to_json(folder / "t.jsonl", orient="records", lines=True)
    return folder / "t.jsonl"


def as_parquet(table: pa.Table, folder: Path) -> Path:
    pq.write_table(table, folder / "t.parquet")
    return folder / "t.parquet"


def as_excel(table: pa.Table, folder: Path) -> Path:
    table.to_pandas().to_excel(folder / "t.xlsx", index=False)
    return folder / "t.xlsx"


SOURCES: dict[str, Callable[[pa.Table, Path], object]] = {
    "csv": as_csv,
    "quoted csv": as_quoted_csv,
    "json lines": as_json,
    "parquet": as_parquet,
    "excel": as_excel,
    "pyarrow": lambda table, _: table,
    "pandas": lambda table, _: table.to_pandas(),
    "polars": lambda table, _: pl.from_arrow(table),
    "polars lazy": lambda table, _: pl.LazyFrame(pl.from_arrow(table)),
}

# What is written of the day and the time, and the time and offset in hours that it says.
WRITTEN: dict[str, tuple[str, float]] = {
    "year first": ("%Y-%m-%d", 0),
    "ISO 8601 with Z": ("%Y-%m-%dT10:30:00Z", 10.5),
    "ISO 8601 with an offset": ("%Y-%m-%dT10:30:00+02:00", 8.5),
    "ISO 8601 with a fraction": ("%Y-%m-%dT10:30:00.500", 10.5 + 0.5 / 3600),
    "day first, and a time": ("%d/%m/%Y 22:15", 22.25),
    "month first": ("%m/%d/%Y", 0),
    "month first, afternoon": ("%m/%d/%Y 2:30 PM", 14.5),
    "a name": ("%d-%b-%Y", 0),
}


@pytest.mark.parametrize(
    ("source", "form"),
    [*((it, "month first, afternoon") for it in SOURCES)]
    + [(it, form) for it in ("csv", "pyarrow") for form in WRITTEN if "afternoon" not in form],
)
def test_every_source_says_the_same_days(tmp_path: Path, source: str, form: str) -> None:
    written, hours = WRITTEN[form]
    texts: list[str | None] = [None, *(day.strftime(written) for day in DAYS)]
    found = opened(SOURCES[source](frame_of(texts), tmp_path))
    assert found.columns["x"].kind == "date"
    moment = np.round(hours * 3.6e9) / 8.64e10
    np.testing.assert_array_equal(days_of(found), [np.nan, *(since(day) + moment for day in DAYS)])


NO_DATES: dict[str, list[str]] = {
    "three scores": [f"{1 + i % 5}-{1 + i % 4}-{1 + i % 3}" for i in range(SIZE)],
    "years that are none": [f"{1234 + i % 9}-05-06" for i in range(SIZE)],
    "days that are none": [f"31/0{1 + i % 9}/2020" for i in range(SIZE)],
    "one of another order": ["03/25/2020", *(day.strftime("%d/%m/%Y") for day in DAYS)],
    "one word": ["soon", *(day.strftime("%Y-%m-%d") for day in DAYS)],
    "some with a zone": [f"{day}T10:00{'Z' * (i % 2)}" for i, day in enumerate(DAYS)],
}


@pytest.mark.parametrize("texts", NO_DATES.values(), ids=NO_DATES)
def test_what_is_no_date_stays_text(texts: list[str]) -> None:
    column = opened(frame_of(texts)).columns["x"]
    assert (column.kind, column.readings) == ("categorical", ())


STARTS = [datetime.date(2018 + i // 12 % 3, 1 + i % 12, 1) for i in range(SIZE)]
UNSURE: dict[str, tuple[list[str], tuple[str, ...]]] = {
    "months, month first": ([day.strftime("%m/%d/%Y") for day in STARTS], ("%d/%m/%Y", "%m/%d/%Y")),
    "few days say it": (
        [*(day.strftime("%d/%m/%Y") for day in STARTS), *["25/03/2020"] * 8],
        ("%d/%m/%Y", "%m/%d/%Y"),
    ),
    "years of two digits": (
        [day.strftime("%d/%m/%y") for day in STARTS],
        ("%d/%m/%y", "%m/%d/%y", "%y/%m/%d"),
    ),
    "years of two digits, German": (
        [f"{28 + i % 3}.03.{41 + i % 10}" for i in range(SIZE)],
        ("%d.%m.%y",),
    ),
    "years of two digits, and a time": (
        [day.strftime("%m-%d-%y 10:00") for day in STARTS],
        ("%d-%m-%y", "%m-%d-%y", "%y-%m-%d"),
    ),
}


@pytest.mark.parametrize(("texts", "readings"), UNSURE.values(), ids=UNSURE)
def test_texts_that_may_be_several_dates_stay_text(
    texts: list[str], readings: tuple[str, ...]
) -> None:
    found = opened(frame_of(texts))
    assert found.columns["x"].kind == "categorical"
    assert found.columns["x"].readings == readings
    with pytest.raises(InputError, match=r"may be dates.*declare which: dates=\{'x': '%"):
        found.require(["x"], "continuous")
    declared = opened(frame_of(texts), dates={"x": readings[0]}) if "%Y" in readings[0] else None
    assert declared is None or declared.columns["x"].kind == "date"


def test_a_text_that_all_rows_have_once_may_be_dates_too() -> None:
    found = opened(frame_of([f"{1 + i % 12}/{1 + i // 12}/2020" for i in range(SIZE)]))
    with pytest.raises(RefusedError, match=r"identifies people .* it may be dates, and"):
        found.require(["x"])


def test_nine_rows_of_one_order_alone_say_it() -> None:
    texts = [*(day.strftime("%d/%m/%Y") for day in STARTS), *["25/03/2020"] * 9]
    found = opened(frame_of(texts))
    assert days_of(found) == [*map(since, STARTS), *[18346] * 9]


def test_persons_count_and_not_their_rows() -> None:
    texts = [*(day.strftime("%d/%m/%Y") for day in STARTS), *["25/03/2020"] * 20]
    who = [*range(SIZE), *[1000, 1001] * 10]
    frame = frame_of(texts).append_column("who", pa.array(who))
    assert opened(frame, unit="who").columns["x"].kind == "categorical"
    assert opened(frame).columns["x"].kind == "date"


DECLARED: dict[str, tuple[str, str, datetime.date]] = {
    "two digits": ("%d/%m/%y", "18/08/19", datetime.date(2019, 8, 18)),
    "two digits, long ago": ("%d.%m.%y", "1.2.69", datetime.date(1969, 2, 1)),
    "no sign between": ("%Y%m%d", "20200229", datetime.date(2020, 2, 29)),
    "before 1800": ("%Y-%m-%d", "1756-01-27", datetime.date(1756, 1, 27)),
    "a German month": ("%d. %B %Y", "25. März 2020", datetime.date(2020, 3, 25)),
    "a French month": ("%d %b %Y", "3 févr. 2021", datetime.date(2021, 2, 3)),
}


@pytest.mark.parametrize(("form", "text", "day"), DECLARED.values(), ids=DECLARED)
def test_a_form_is_declared(form: str, text: str, day: datetime.date) -> None:
    found = opened(frame_of([text, None, " ", "NA", text]), dates={"x": form})
    np.testing.assert_array_equal(days_of(found), [since(day), np.nan, np.nan, np.nan, since(day)])


def test_numbers_are_dates_where_that_is_declared(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("x,n\n20200229,1\n,2\n20201231,3\n")
    found = opened(tmp_path / "t.csv", dates={"x": "%Y%m%d"})
    np.testing.assert_array_equal(days_of(found), [18321, np.nan, 18627])


FLOATS: dict[str, Callable[[list[float | None]], object]] = {
    "pandas": lambda it: pd.DataFrame({"x": pd.Series(it, dtype=float)}),
    "polars": lambda it: pl.DataFrame({"x": it}),
    "duckdb": lambda it: duckdb.from_arrow(pa.table({"x": it})),
}


@pytest.mark.parametrize("made", FLOATS.values(), ids=FLOATS)
def test_floats_with_gaps_are_dates_where_that_is_declared(
    made: Callable[[list[float | None]], object],
) -> None:
    found = opened(made([20200229.0, None, 20201231.0]), dates={"x": "%Y%m%d"})
    np.testing.assert_array_equal(days_of(found), [18321, np.nan, 18627])
    for other in (20201231.5, 1e300):
        with pytest.raises(InputError, match="row 3 below the names is written differently"):
            opened(made([20200229.0, None, other]), dates={"x": "%Y%m%d"})


WRONG: dict[str, tuple[list[str], str, str]] = {
    "another order": (
        ["25/03/2020", "", "03/25/2020"],
        "%d/%m/%Y",
        r"column 'x' is declared .*'%d/%m/%Y', and row 3 below the names is written differently",
    ),
    "no date": (["1/1/2020", "31/04/2020"], "%d/%m/%Y", "row 2 below the names"),
    "a zone in some": (
        ["2020-01-01 10:00Z", "2020-01-01 10:00"],
        "%Y-%m-%d",
        "some with a time zone",
    ),
    "the future": (["01/01/47"], "%d/%m/%y", "would lie in the future; write the years in full"),
}


@pytest.mark.parametrize(("texts", "form", "message"), WRONG.values(), ids=WRONG)
def test_a_declared_form_holds_for_every_row(texts: list[str], form: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as refused:
        opened(frame_of(texts), dates={"x": form})
    assert not any(text in str(refused.value) for text in texts if text)


@pytest.mark.parametrize("form", ["%d/%m", "%d/%m/%y/%Y", "day"])
def test_what_is_no_form_is_refused(form: object) -> None:
    with pytest.raises(InputError, match="a form of dates is written as '%d/%m/%Y'"):
        check_form(form)


def test_what_is_declared_must_be_there() -> None:
    with pytest.raises(InputError, match="dates names column 'y'; there are 'n', 'x'"):
        opened(frame_of(["a"]), dates={"y": "%Y-%m-%d"})
    with pytest.raises(InputError, match=r"'n' is declared to hold dates .* row 1 below"):
        opened(frame_of(["a"]), dates={"n": "%Y-%m-%d"})


def test_a_date_of_no_year_is_missing() -> None:
    texts = ["9999-12-31", "0001-01-01", *(str(day) for day in DAYS)]
    np.testing.assert_array_equal(
        days_of(opened(frame_of(texts))), [np.nan, np.nan, *map(since, DAYS)]
    )


def test_texts_of_no_form_are_told_from_dates() -> None:
    assert forms_of("no date") == forms_of("8 8 17") == forms_of("3-4-2") == ()
    found = read_dates(pa.array(["29/02/2019", "29/02/2020", None]), "%d/%m/%Y")
    assert found.fits.tolist() == [False, True, False]
    assert np.isnan(days_in(pa.array([None, None], pa.string()), "%d/%m/%Y")).all()


@pytest.mark.slow
def test_a_study_names_both_readings_and_takes_what_is_declared(tmp_path: Path) -> None:
    text = io.StringIO()
    frame_of([day.strftime("%m/%d/%Y") for day in STARTS]).to_pandas().to_csv(text, index=False)
    (tmp_path / "t.csv").write_text(text.getvalue())
    unsure = dc.open(tmp_path / "t.csv", study="unsure", unit=False)
    sure = dc.open(tmp_path / "t.csv", study="sure", unit=False, dates={"x": "%m/%d/%Y"})
    assert "'%d/%m/%Y' or '%m/%d/%Y'" in " ".join(unsure.columns.notes)
    assert sure.columns["x"].kind == "date"
    with pytest.raises(InputError, match="'%d/%m/%Y' or '%m/%d/%Y'; declare which"):
        unsure.over_time("x")
    assert pd.Timestamp("2018-01-01") <= pd.Timestamp(str(sure.columns["x"].least))
