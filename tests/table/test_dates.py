"""Dates as days and back: the same type, the same clock, gaps as gaps."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.columns.dates import Dates, dates_of, days_of, on_clock, parts_of
from tests.table.test_table import opened

TYPES: dict[str, tuple[pa.DataType, Dates]] = {
    "dates": (pa.date32(), Dates("day")),
    "seconds": (pa.timestamp("s"), Dates("s")),
    "milliseconds": (pa.timestamp("ms"), Dates("ms")),
    "microseconds": (pa.timestamp("us"), Dates("us")),
    "nanoseconds": (pa.timestamp("ns"), Dates("ns")),
    "UTC": (pa.timestamp("us", "UTC"), Dates("us", "UTC")),
    "Berlin": (pa.timestamp("ms", "Europe/Berlin"), Dates("ms", "Europe/Berlin")),
}
#: Within what nanoseconds hold, and where Berlin had the rules of today.
SECONDS = st.integers(0, 4_000_000_000)


@pytest.mark.parametrize("name", TYPES)
@given(seconds=st.lists(SECONDS | st.none(), min_size=1))
def test_dates_come_back_as_they_were(name: str, seconds: list[int | None]) -> None:
    kind, dates = TYPES[name]
    per = 86_400 if dates.unit == "day" else 1
    moments = [None if s is None else datetime.fromtimestamp(s // per * per, UTC) for s in seconds]
    given = pa.array(moments, pa.timestamp("us", "UTC")).cast(kind, safe=False)

    days = days_of(given, dates)
    back = dates_of(days, dates)

    assert back.type == kind
    assert np.isnan(days).tolist() == [s is None for s in seconds]
    if dates.zone == "Europe/Berlin":  # of an hour that is twice on the clock, the first
        off = {
            one - other
            for one, other in zip(given.to_pylist(), back.to_pylist(), strict=True)
            if one is not None
        }
        assert off <= {timedelta(0), timedelta(hours=1)}
    else:
        assert back == given


def test_moments_are_told_as_their_clock_shows_them() -> None:
    midnights = [datetime(2020, month, 1, tzinfo=ZoneInfo("Europe/Berlin")) for month in (1, 7)]
    given = pa.array(midnights, pa.timestamp("us", "Europe/Berlin"))
    days = days_of(given, Dates("us", "Europe/Berlin"))
    assert days.tolist() == [18262.0, 18444.0]
    assert parts_of(np.tile(days, 10), None, k=5) == 1


def test_an_hour_that_a_clock_leaves_out_is_its_end() -> None:
    left_out = days_of(pa.array([datetime(2020, 3, 29, 2, 30)]), Dates("us"))
    (back,) = dates_of(left_out, Dates("us", "Europe/Berlin")).to_pylist()
    assert back.isoformat() == "2020-03-29T03:00:00+02:00"


@pytest.mark.parametrize(
    ("day", "parts"), [(1.0, 1), (0.5, 24), (1 / 24 / 60, 1440), (1 / 86_400, 86_400), (1e-8, None)]
)
def test_the_clock_is_told_as_nearly_all_tell_it(day: float, parts: int | None) -> None:
    days = 18_000 + np.arange(40.0)
    days[:5] += day
    assert parts_of(days, None, k=5) == parts
    assert parts_of(days, None, k=6) == 1
    assert parts_of(days, np.arange(40) // 2, k=5) == 1


@given(st.integers(0, 86_400 * 30_000), st.sampled_from([1, 24, 1440, 86_400]))
def test_a_time_is_one_number_however_it_is_reached(second: int, parts: int) -> None:
    day = second // (86_400 // parts) * (86_400 // parts) / 86_400
    assert on_clock(np.array([day + 1e-9, day - 1e-9, day]), parts).tolist() == [day] * 3


def test_a_parquet_file_keeps_the_zones_of_its_columns(tmp_path: Any) -> None:
    moments = pa.array([datetime(2020, 7, 1, tzinfo=UTC)] * 3, pa.timestamp("us", "Europe/Berlin"))
    pq.write_table(pa.table({"at": moments, "day": [date(2020, 7, 1)] * 3}), tmp_path / "a.parquet")
    table = opened(tmp_path / "a.parquet")
    rows = table.rows([], gaps=["at", "day"])
    assert table.columns["at"].dates == Dates("us", "Europe/Berlin")
    assert rows.numbers["at"].tolist() == [18444 + 2 / 24] * 3
    assert rows.numbers["day"].tolist() == [18444] * 3


def test_a_csv_file_has_dates_where_all_cells_are(tmp_path: Any) -> None:
    path = tmp_path / "a.csv"
    path.write_text("day,at,mixed\n2020-01-02,2020-01-02 12:00:00,2020-01-02\n,,spring\n")
    table = opened(path)
    kinds = {name: column.kind for name, column in table.columns.items()}
    assert kinds == {"day": "date", "at": "date", "mixed": "categorical"}
    found = table.rows([], gaps=["day", "at"]).numbers
    assert found["day"].tolist()[0] == 18263.0
    assert found["at"].tolist()[0] == 18263.5
    assert np.isnan([found["day"][1], found["at"][1]]).all()
