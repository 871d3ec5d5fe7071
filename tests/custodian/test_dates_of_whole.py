"""Dates in the copy of the whole table: they come out as dates, in order, and nobody's own."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dc
from discreet.columns.dates import Dates, days_of
from discreet.errors import InputError, LeavingError, RefusedError
from discreet.plots import View
from discreet.policy import Policy
from discreet.release import arrow_table
from discreet.render.scene import scene_to_plain
from discreet.secret import Secret
from discreet.table import open_table
from discreet.vault.vault import raw_whole
from discreet.vault.whole_columns import copy_of_whole
from tests.cases import examples
from tests.ready import opened_once

pytestmark = pytest.mark.usefixtures("no_intervals")

N = 300
DAY = timedelta(days=1)
SECRET = Secret.from_bytes(bytes(range(32)))


def stays(n: int = N, seed: int = 0, **more: Any) -> dict[str, Any]:
    """Make hospital stays: an admission, a discharge after it, a visit with a time, gaps."""
    random = np.random.default_rng(seed)
    start = [date(2015, 1, 1) + int(d) * DAY for d in random.integers(0, 2000, n)]
    length = random.integers(0, 60, n).tolist()
    end = [one + days * DAY for one, days in zip(start, length, strict=True)]
    seen = [
        datetime(day.year, day.month, day.day) + timedelta(seconds=int(s))
        for day, s in zip(end, random.integers(1, 90 * 86_400, n), strict=True)
    ]
    gone = random.uniform(size=n) < 0.2
    return {
        "age": random.normal(50, 12, n).round(),
        "ward": random.choice(["east", "west"], n).tolist(),
        "smoker": (random.uniform(size=n) < 0.3).tolist(),
        "start": start,
        "end": end,
        "seen": [None if no else at for no, at in zip(gone, seen, strict=True)],
        **more,
    }


def whole(frame: Any = None, **how: Any) -> dc.Study:
    """Open a study with a copy of the whole table."""
    given = pl.DataFrame(stays()) if frame is None else frame
    return dc.open(given, unit=False, **{"study": "stays"} | how)


def released(given: pa.Table, secret: int = 1) -> pa.Table:
    """Make the copy as it is released, without what is measured on it."""
    table = open_table(given, kinds={}, roles={}, unit=None, key=None)
    of = Secret.from_bytes(bytes(range(secret, secret + 32)))
    made = copy_of_whole(raw_whole(table, Policy.preset("standard", k=3), of))
    return arrow_table(made.numbers, {}, table.columns)


def test_dates_are_in_the_frame_and_in_its_order() -> None:
    raw, frame = pl.DataFrame(stays()), whole().anonymize().frame
    assert {n: frame.schema[n] for n in ("start", "end", "seen")} == {
        "start": pl.Date(),
        "end": pl.Date(),
        "seen": pl.Datetime("us"),
    }
    assert frame.schema["smoker"] == pl.Boolean
    assert (frame["start"] <= frame["end"]).all()
    known = frame.drop_nulls("seen")
    assert (known["end"].cast(pl.Datetime("us")) <= known["seen"]).all()
    assert frame["seen"].is_null().mean() == pytest.approx(raw["seen"].is_null().mean(), abs=0.04)
    for name in ("start", "end"):  # the middle of the years is where it was
        off = (frame[name].cast(pl.Int32).median() or 0) - (raw[name].cast(pl.Int32).median() or 0)  # type: ignore[operator]
        assert abs(off) < 150


FRAMES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "pandas": lambda columns: pd.DataFrame(
        columns | {n: pd.to_datetime(columns[n]) for n in ("start", "end", "seen")}
    ),
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
}


@pytest.mark.parametrize("name", FRAMES)
def test_dates_have_the_type_that_they_came_with(name: str) -> None:
    given = FRAMES[name](stays())
    frame = whole(given).anonymize().frame

    def types(of: Any) -> list[Any]:
        if isinstance(of, pa.Table):
            return [of.schema.field(it).type for it in ("start", "end", "seen")]
        return [of[it].dtype for it in ("start", "end", "seen")]

    assert type(frame) is type(given)
    assert types(frame) == types(given)


def test_a_time_zone_stays_and_days_of_it_are_whole() -> None:
    zoned = pl.DataFrame(stays()).with_columns(
        pl.col("start", "end").cast(pl.Datetime("ms")).dt.replace_time_zone("Europe/Berlin")
    )
    frame = whole(zoned).anonymize().frame
    assert frame.schema["start"] == pl.Datetime("ms", "Europe/Berlin")
    assert (frame["start"] <= frame["end"]).all()
    for name in ("start", "end"):
        assert set(frame[name].dt.hour().to_list()) == {0}


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_dates_of_a_file_are_dates_in_what_is_written(suffix: str, tmp_path: Path) -> None:
    frame, source = pl.DataFrame(stays()), tmp_path / f"stays{suffix}"
    if suffix == ".csv":
        frame.write_csv(source)
    else:
        frame.write_parquet(source)
    release = dc.open(source, unit=False).anonymize()
    out = release.save(tmp_path / f"copy{suffix}")
    again = pl.read_csv(out, try_parse_dates=True) if suffix == ".csv" else pl.read_parquet(out)
    assert again.schema["start"] == again.schema["end"] == pl.Date
    assert again.schema["seen"].is_temporal()
    assert str(release.frame["start"].dtype).startswith("datetime64")


DATES = st.dates(date(1900, 1, 1), date(2200, 1, 1))


@pytest.mark.slow
@settings(max_examples=examples(40), deadline=None)
@given(
    starts=st.lists(DATES, min_size=30, max_size=60),
    days=st.lists(st.integers(0, 9_000), min_size=5, max_size=60),
    hours=st.booleans(),
    secret=st.integers(0, 200),
)
def test_dates_come_out_within_those_that_went_in(
    starts: list[date], days: list[int], hours: bool, secret: int
) -> None:
    kind = pa.timestamp("us") if hours else pa.date32()
    first = [datetime(it.year, it.month, it.day, 7 * hours) for it in starts]
    last = [it + days[i % len(days)] * DAY for i, it in enumerate(first)]
    raw = pa.table({"a": pa.array(first).cast(kind), "b": pa.array(last).cast(kind)})
    made = released(raw, secret)
    assert made.schema == raw.schema
    for name in ("a", "b"):
        before, after = np.array(raw[name].to_pylist()), np.array(made[name].to_pylist())
        assert before.min() <= after.min()
        assert after.max() <= before.max()
    ends = np.array(made["b"].to_pylist())
    lengths = ends - np.array(made["a"].to_pylist())
    assert timedelta(0) <= lengths.min()
    # no stay is longer than any, but where the first end is later than a start and a length
    assert (ends[lengths > max(days) * DAY] == ends.min()).all()


def shown_exactly(raw: pa.Table, made: pa.Table, name: str, k: int) -> float:
    """Return which share of the dates of fewer than k persons is shown in another table."""
    values, held = np.unique(np.array(raw[name].drop_null().to_pylist()), return_counts=True)
    rare = values[held < k]
    return float(np.isin(rare, np.array(made[name].drop_null().to_pylist())).mean())


@pytest.mark.slow
def test_no_moment_of_fewer_than_k_persons_is_shown() -> None:
    raw = pa.table(stays(600))
    copies = pa.concat_tables([released(raw, secret) for secret in range(4)])
    rows = np.random.default_rng(3).integers(0, 600, 600)
    assert shown_exactly(raw, copies, "seen", 3) == 0
    # Of rows drawn again, as a bootstrap does, the same attack finds more than half.
    assert shown_exactly(raw, raw.take(rows), "seen", 3) > 0.5


@pytest.mark.slow
def test_the_first_and_last_of_few_persons_are_not_shown() -> None:
    columns = stays()
    columns["start"][:2] = [date(1901, 1, 1), date(1902, 5, 7)]
    raw = pa.table(columns)
    for secret in range(4):
        made = released(raw, secret)
        assert min(made["start"].to_pylist()) >= sorted(columns["start"])[2]


def test_a_date_that_ends_after_a_time_is_not_before_it() -> None:
    random = np.random.default_rng(5)
    at = [datetime(2019, 1, 1) + timedelta(minutes=int(m)) for m in random.integers(0, 90_000, 200)]
    days = [
        (it + timedelta(days=int(1 + d))).date()
        for it, d in zip(at, random.integers(0, 9, 200), strict=True)
    ]
    made = released(pa.table({"at": at, "day": days}))
    out = zip(made["at"].to_pylist(), made["day"].to_pylist(), strict=True)
    assert all(one <= datetime(day.year, day.month, day.day) for one, day in out)


def test_moments_are_told_to_the_minute_where_nearly_all_are() -> None:
    columns = stays()
    minutes = [None if it is None else it.replace(second=0) for it in columns["seen"]]
    minutes[0] = datetime(2018, 1, 1, 1, 1, 1)
    made = released(pa.table({**columns, "seen": minutes}))
    days = days_of(made["seen"], Dates("us"))
    known = days[np.isfinite(days)] * 1440
    assert np.abs(known - np.round(known)).max() < 1e-4


def test_what_few_tell_otherwise_is_taken_as_the_others_tell_it() -> None:
    days = [datetime(2020, 1, 1) + i * DAY for i in range(40)]
    days[:2] = [datetime(2020, 1, 1, 11), datetime(2020, 1, 1, 13)]
    table = open_table(pa.table({"day": days}), kinds={}, roles={}, unit=None, key=None)
    raw = raw_whole(table, Policy.preset("standard", k=3), SECRET)
    assert raw.settings.parts == {"day": 1}
    assert raw.numbers["day"][:3].tolist() == [18262.0, 18263.0, 18264.0]


def test_dates_may_be_levels() -> None:
    years = [date(2000 + i % 3, 1, 1) for i in range(N)]
    study = whole(pl.DataFrame(stays(year=years)), kinds={"year": "categorical"})
    assert {"2000-01-01", "2001-01-01", "2002-01-01"} == set(
        study.session.whole.copy.strata["year"]
    )


PLOTS: dict[str, Callable[[dc.Study], Any]] = {
    "histogram": lambda s: s.histogram("start"),
    "histogram by": lambda s: s.histogram("seen", by="ward", bins=8),
    "density": lambda s: s.density("start"),
    "ecdf": lambda s: s.ecdf("seen", by="ward"),
    "scatter": lambda s: s.scatter("start", "end", by="ward", trend=True),
    "heat map": lambda s: s.heatmap("start", "seen"),
    "heat map by": lambda s: s.heatmap("start", "seen", by="ward", grid=7),
    "contour": lambda s: s.contour("start", "end"),
    "box": lambda s: s.box("start", "end"),
    "box by": lambda s: s.box("start", by="ward"),
    "parallel": lambda s: s.parallel(["start", "ward", "end", "seen"]),
}


@pytest.fixture(scope="module")
def study() -> dc.Study:
    return opened_once("dates of a copy", whole)


@pytest.mark.parametrize("name", PLOTS)
def test_plots_of_dates_come_from_the_copy_and_have_dates_beside_their_axes(
    study: dc.Study, name: str
) -> None:
    view = PLOTS[name](study)
    assert view.method == "whole"
    text = str(scene_to_plain(view.scene()))
    assert {str(year) for year in range(2016, 2020)} <= {*re.findall(r"'(\d{4})'", text)}
    again = View.from_json(view.to_json())
    assert again.scene() == view.scene()


def test_limits_of_dates_are_dates(study: dc.Study) -> None:
    given = ("2016-01-01", date(2018, 1, 1))
    view = study.histogram("start", bins=4, limits={"start": given})  # type: ignore[dict-item]
    assert (view.edges[0], view.edges[-1]) == (16801.0, 17532.0)
    with pytest.raises(InputError, match="a limit of dates is a date, such as '2020-01-31'"):
        study.histogram("start", limits={"start": ("spring", "2018-01-01")})  # type: ignore[dict-item]


REFUSED: dict[str, tuple[Callable[[dc.Study], Any], str]] = {
    "a method of counts": (
        lambda s: s.heatmap("start", "age", method="generalization"),  # type: ignore[call-arg]
        "unknown setting 'method' here",
    ),
    "levels": (lambda s: s.bars("start"), "levels are needed here; or declare it: kinds="),
    "an event": (
        lambda s: s.survival("age", "start"),
        r"'start' holds dates, not events; .*--assign 'days=end - start'\)",
    ),
}


def test_what_is_not_drawn_of_dates_is_refused_in_words(study: dc.Study) -> None:
    for call, says in REFUSED.values():
        with pytest.raises((InputError, RefusedError), match=says):
            call(study)


def test_research_says_what_has_dates() -> None:
    study = dc.research(pl.DataFrame(stays()), unit=False, study="other")
    with pytest.raises(InputError, match=r"holds dates; numbers are needed .*\(under a guarded"):
        study.histogram("start")


@pytest.mark.slow
@pytest.mark.parametrize("first", ["age", "start"])
def test_one_date_that_changed_is_seen_whatever_was_released_first(
    first: str, tmp_path: Path
) -> None:
    raw = stays()
    study = whole(pl.DataFrame(raw))
    study.histogram(first).to_json()
    study.anonymize().save(tmp_path / "copy.csv")
    other = whole(pl.DataFrame(raw | {"seen": [datetime(2019, 1, 1), *raw["seen"][1:]]}))
    with pytest.raises(LeavingError, match="changed"):
        other.anonymize().save(tmp_path / "other.csv")
    with pytest.raises(LeavingError, match="at least 10 k"):
        dc.Protected(other).new_version()


def test_a_table_of_dates_alone_is_released_and_known_again(tmp_path: Path) -> None:
    raw = {"start": stays()["start"]}
    whole(pl.DataFrame(raw)).histogram("start").save(tmp_path / "start.svg")
    other = whole(pl.DataFrame({"start": [date(2001, 1, 1), *raw["start"][1:]]}))
    with pytest.raises(LeavingError, match="changed"):
        other.histogram("start").save(tmp_path / "other.svg")
