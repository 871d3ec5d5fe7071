"""Counts and means over time: periods, gaps, intervals, and ends that are covered in part."""

from __future__ import annotations

import json
import math
from datetime import date, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.errors import InputError, RefusedError
from discreet.plots import OverTimeView, View
from discreet.plots.over_time import OverTimePlot, Series, means_by
from discreet.plots.periods import AUTO, EVERY, MOST_PERIODS, divided, in_part, periods_of, steps_of
from discreet.plots.view import Origin
from discreet.policy import Policy
from discreet.render.scene import Bands, Lines
from discreet.table import open_table
from tests.plots.cases import RAW

FIRST = date(1970, 1, 1)


def day(text: str) -> float:
    """Return a date as days."""
    return float((date.fromisoformat(text) - FIRST).days)


def days(*texts: str) -> Any:
    return np.array([day(text) for text in texts])


# --- periods --------------------------------------------------------------------------------------


def period_by_hand(when: date, every: str) -> date:
    """Return the first day of a period, by the calendar of the standard library."""
    return {
        "day": when,
        "week": when - timedelta(days=when.weekday()),
        "month": when.replace(day=1),
        "quarter": date(when.year, (when.month - 1) // 3 * 3 + 1, 1),
        "year": date(when.year, 1, 1),
    }[every]


@given(
    st.lists(
        st.dates(date(1940, 1, 1), date(1942, 6, 1)) | st.dates(date(2020, 1, 1), date(2022, 6, 1)),
        min_size=1,
        max_size=12,
    ).filter(lambda it: max(it) - min(it) < timedelta(days=MOST_PERIODS)),
    st.sampled_from(EVERY),
    st.floats(0, 0.999),
)
def test_periods_are_those_of_the_calendar(dates: list[date], every: str, hour: float) -> None:
    given = np.array([(it - FIRST).days + hour for it in dates])
    name, found = periods_of(given, every)
    assert name == every
    began = [FIRST + timedelta(days=found.starts[at]) for at in found.places]
    assert began == [period_by_hand(it, every) for it in dates]
    assert {0, len(found.starts) - 1} <= {*found.places.tolist()}
    starts = [FIRST + timedelta(days=it) for it in found.starts]
    assert [period_by_hand(it, every) for it in starts] == starts
    # None is left out: what comes just before a start belongs to the period before.
    before = [period_by_hand(it - timedelta(days=1), every) for it in starts[1:]]
    assert before == starts[:-1]


@pytest.mark.parametrize(
    ("last", "every"),
    [
        ("2020-02-29", "day"),
        ("2020-03-01", "week"),
        ("2021-02-21", "week"),
        ("2024-12-31", "month"),
        ("2034-12-31", "quarter"),
    ],
)
def test_the_shortest_period_of_which_there_are_not_too_many_is_taken(
    last: str, every: str
) -> None:
    assert periods_of(days("2020-01-01", last), AUTO)[0] == every


def test_an_end_may_be_covered_in_part() -> None:
    # Every day from 10 January to 12 May: the first and the last month are not whole.
    found = periods_of(np.arange(day("2020-01-10"), day("2020-05-13")), "month")[1]
    assert in_part(found) == (0, 4)
    whole = periods_of(np.arange(day("2020-01-02"), day("2020-05-31")), "month")[1]
    assert in_part(whole) == ()  # a day is no tenth of a month
    late = periods_of(np.arange(day("2020-01-02"), day("2020-05-20")), "month")[1]
    assert in_part(late) == (4,)
    alone = periods_of(np.arange(day("2020-01-16"), day("2020-02-01")), "month")[1]
    assert in_part(alone) == (0,)


def test_ends_of_a_copy_are_drawn_in() -> None:
    # Ten a day; the farthest 30 of either end have the date that the next have: 3 days of 31.
    copied = np.clip(np.repeat(np.arange(day("2020-01-01"), day("2020-06-01")), 10), 18_266, 18_408)
    assert in_part(periods_of(copied, "month")[1]) == (0, 4)
    assert in_part(periods_of(copied, "month", beyond=30)[1]) == ()
    half = copied[copied >= day("2020-01-16")]
    assert in_part(periods_of(half, "month", beyond=30)[1]) == (0,)


def test_whole_numbers_have_steps_as_wide_as_all_their_differences_allow() -> None:
    found = steps_of(np.array([2001.0, 2007, 2004, 2013]), "wave")
    assert found.starts.tolist() == [2001, 2004, 2007, 2010, 2013]
    assert found.places.tolist() == [0, 2, 1, 4]
    assert steps_of(np.array([5.0, 5.0]), "wave").starts.tolist() == [5]
    # Who says that they are years has the same.
    years = np.array([2001.0, 2007, 2013])
    name, found = divided(years, "wave", "year", dated=False)
    assert (name, found.starts.tolist()) == ("step", [2001, 2007, 2013])


WRONG: dict[str, tuple[Any, str, bool, str, str]] = {
    "no whole numbers": ([1.5, 2], AUTO, False, "columns", "neither dates nor whole numbers"),
    "far apart": ([0, 1, 5000], AUTO, False, "columns", "more than 1,000 steps apart"),
    "huge": ([0, 1e300], AUTO, False, "columns", "neither dates nor whole numbers"),
    "a period of numbers": ([1, 2], "year", False, "every", "is for dates, .*leave it out$"),
    "months of years": ([2001, 2002], "month", False, "every", "is for dates, .*leave it out$"),
    "too many": ([0, 1000], "day", True, "every", "more than 1,000 periods of a day; take longer"),
}


@pytest.mark.parametrize(("values", "every", "dated", "of", "words"), WRONG.values(), ids=WRONG)
def test_what_is_not_divided(values: Any, every: str, dated: bool, of: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as raised:
        divided(np.array(values, dtype=float), "wave", every, dated=dated)
    assert raised.value.parameter == of


# --- means ----------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(0, 4), st.floats(-1e6, 1e6)), max_size=40))
def test_means_are_those_of_each_place_alone(rows: list[tuple[int, float]]) -> None:
    from scipy.stats import t

    places = np.array([at for at, _ in rows], dtype=np.int64)
    values = np.array([value for _, value in rows])
    means, halves = means_by(places, values, 5)
    for at in range(5):
        own = values[places == at]
        if len(own) < 2:
            assert np.isnan(means[at])
            continue
        half = t.ppf(0.975, len(own) - 1) * own.std(ddof=1) / np.sqrt(len(own))
        assert means[at] == pytest.approx(own.mean(), rel=1e-9, abs=1e-6)
        assert halves[at] == pytest.approx(half, rel=1e-6, abs=1e-6)


# --- views ----------------------------------------------------------------------------------------


def drawn(columns: dict[str, Any], value: str | None = None, **asked: Any) -> OverTimeView:
    """Draw raw days, for which alone a table needs no copy."""
    kinds = {"day": "continuous", "score": "continuous", "ward": "categorical"}
    table = open_table(
        pa.table(columns),
        kinds={name: kinds[name] for name in columns},
        roles=dict.fromkeys(columns, "other"),
        unit=None,
        key=None,
    )
    origin = Origin("r", "research", True, None, None, None, "records", dates=("day",))
    return OverTimePlot("day", value, **asked).from_counts(table, RAW, origin)


# January whole, nothing in February, March whole, and of April a day.
SPELL = [
    *np.arange(day("2021-01-01"), day("2021-02-01")),
    *np.arange(day("2021-03-01"), day("2021-04-02")),
]


def test_a_month_without_rows_is_a_count_of_0() -> None:
    view = drawn({"day": [*SPELL, *np.arange(day("2020-12-01"), day("2021-01-01"))]}, every="month")

    (series,) = view.series
    assert series.counts == (31, 31, 0, 31)
    assert view.partly == ("2021-04",)
    assert (view.origin.shown, view.origin.total) == (93, 94)
    (panel,) = view.scene().panels
    assert panel.marks == (Lines((view.starts,), ((31.0, 31.0, 0.0, 31.0),), "series"),)
    assert (panel.x.label, panel.y.label) == ("day (month)", "records a month")
    assert panel.x.dates == tuple(
        (day(f"{month}-01"), month) for month in ("2020-12", "2021-01", "2021-02", "2021-03")
    )
    assert panel.y.limits == (0.0, 31 * 1.05)
    assert "left out, as the dates cover it in part: 2021-04" in view.scene().notes
    assert "rough, with fewer than 50 records: 3 of 4 points" in view.scene().notes
    assert view.describe().splitlines()[-1] == (
        "93 rows, at most 31 in one month, from 2020-12 to 2021-03"
    )


def test_an_interval_of_a_mean_holds_the_copys_own_error() -> None:
    line = Series("a", (20, 3, 20), (5.0, None, 7.0), (4.0, None, 6.0), (6.0, None, 8.0))
    found = line.widened([0.0, 1.0, 2.0], lambda level, at: 2.0 * ((level, at) == ("a", 0.0)))
    half = math.hypot(1, 2)
    assert [*found.low] == [pytest.approx(5 - half), None, 6.0]
    assert [*found.high] == [pytest.approx(5 + half), None, 8.0]


def test_a_mean_of_few_rows_is_a_gap() -> None:
    given = [*SPELL, *np.arange(day("2021-02-10"), day("2021-02-19"))]  # nine in February
    view = drawn({"day": given, "score": np.arange(len(given)) % 7.0}, "score", every="month")

    (series,) = view.series
    assert series.counts == (31, 9, 31, 1)
    assert (view.partly, view.partly_drawn) == ((), ("2021-04",))
    assert [mean is None for mean in series.means] == [False, True, False, True]
    january = np.arange(31) % 7.0
    assert series.means[0] == pytest.approx(january.mean())
    bands, lines = view.scene().panels[0].marks
    assert isinstance(bands, Bands)
    assert isinstance(lines, Lines)
    assert [len(x) for x in lines.x] == [1, 1]
    # A mean between gaps has its interval about it all the same.
    assert [len(x) for x in bands.x] == [2, 2]
    assert bands.x[0][0] < lines.x[0][0] < bands.x[0][1]
    assert bands.low[0][0] == bands.low[0][1] < lines.y[0][0] < bands.high[0][0]
    notes = view.scene().notes
    assert "gaps: means of fewer than 10 records are not drawn" in notes
    assert "rough, with fewer than 50 records: 2 of 2 points" in notes
    assert "drawn, though the dates cover it in part: 2021-04" in notes
    assert view.origin.shown == 62
    assert View.from_json(view.to_json()) == view


def test_a_mean_of_ten_rows_is_drawn() -> None:
    given = [*SPELL, *np.arange(day("2021-02-10"), day("2021-02-20"))]
    view = drawn({"day": given, "score": np.arange(len(given)) % 7.0}, "score", every="month")
    assert view.series[0].counts == (31, 10, 31, 1)
    assert [mean is None for mean in view.series[0].means] == [False, False, False, True]


def test_levels_have_lines_of_the_same_periods() -> None:
    ward = ["b"] * 31 + ["a"] * 28 + ["few"] * 4
    view = drawn({"day": SPELL, "ward": ward}, by="ward", every="month")
    assert [it.level for it in view.series] == ["a", "b"]
    assert [it.counts for it in view.series] == [(0, 0, 28), (31, 0, 0)]
    assert view.partly == ("2021-04",)
    assert "not drawn, with fewer than 10 rows: few" in view.scene().notes
    assert "one line for each level of ward" in view.scene().notes


def test_where_no_point_has_ten_rows_it_is_refused() -> None:
    with pytest.raises(RefusedError, match=r"^no point has 10 rows; take longer periods"):
        drawn({"day": SPELL, "score": SPELL}, "score", every="day")
    with pytest.raises(RefusedError, match=r"^no point has 10 rows; .* leave by= out$"):
        drawn({"day": SPELL[:18], "ward": ["a", "b"] * 9}, by="ward")


def test_what_is_no_view_over_time() -> None:
    plain = json.loads(drawn({"day": SPELL}, every="month").to_json())
    plain["series"][0]["counts"] = [1, 2]
    with pytest.raises(InputError, match="a number for each of its periods"):
        View.from_json(json.dumps(plain))


# --- a study --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def study() -> dc.Study:
    """A study of 900 visits of three years."""
    rng = np.random.default_rng(5)
    visit = np.sort(rng.integers(18_262, 18_262 + 3 * 365, 900))
    table = pa.table(
        {
            "visit": pa.array(visit.astype("int32"), pa.date32()),
            "year": 1970 + visit // 365.25,
            "score": rng.normal(visit / 100, 1).round(2),
            "ward": np.array(["a", "b"])[rng.integers(0, 2, 900)],
        }
    )
    return dc.open(table, Policy.preset("standard", public=True))


def test_lines_of_the_copy(study: dc.Study) -> None:
    rows, levels = study.session.whole.part(["visit", "score"], ["ward"])
    view = study.over_time("visit", "score", by="ward", every="quarter")
    found = periods_of(rows["visit"], "quarter")[1]
    kept = np.isin(found.starts, view.starts)

    assert view.method == "whole"
    assert [it.level for it in view.series] == ["a", "b"]
    for it in view.series:
        own = np.array(levels["ward"]) == it.level
        assert it.counts == tuple(np.bincount(found.places[own], minlength=len(kept))[kept])
        for at, start in enumerate(view.starts):
            here = own & (found.starts[found.places] == start)
            assert it.means[at] == pytest.approx(rows["score"][here].mean())
    assert any(note.startswith("shaded: 95 % intervals; of each") for note in view.scene().notes)
    assert study.over_time("visit").every == "month"
    years = study.over_time("year")
    axis = years.scene().panels[0].x
    assert (years.every, axis.dates, axis.whole) == ("step", (), True)
    assert not view.scene().panels[0].x.whole
    assert study.over_time("year", every="year") == years
    assert {2020, 2021, 2022} <= {*years.starts} <= {2019, 2020, 2021, 2022}
    part = study.where("ward == 'a'").over_time("visit", every="quarter")
    assert len(part.series) == 1


REFUSED: dict[str, tuple[list[str], dict[str, Any], type[Exception], str]] = {
    "numbers that are not whole": (["score"], {}, InputError, "neither dates nor whole numbers"),
    "levels": (["ward"], {}, InputError, "'ward' is categorical; numbers are needed"),
    "a mean of dates": (
        ["year", "visit"],
        {},
        InputError,
        "'visit' holds dates, which have no mean",
    ),
    "another period": (["visit"], {"every": "hour"}, InputError, "^every must be"),
    "many periods": (["visit"], {"every": "day"}, InputError, "more than 1,000 periods of a day"),
    "an unknown column": (["visits"], {}, InputError, "visits"),
}


@pytest.mark.parametrize(("names", "how", "kind", "words"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(
    study: dc.Study, names: list[str], how: dict[str, Any], kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        study.over_time(*names, **how)
