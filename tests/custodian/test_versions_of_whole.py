"""Copies of the whole table add up: parts of it, changed data and other names count as versions."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import discreet as dc
from discreet.errors import LeavingError
from tests.custodian.test_whole import cohort

pytestmark = pytest.mark.usefixtures("no_intervals")

N = 700
NO_MORE = r"^no more copies of these people may be released: .* at most [14], counted"
PARTS = {
    "women": pl.col("sex") == "f",
    "men": pl.col("sex") == "m",
    "old": pl.col("age") > 50,
    "young": pl.col("age") <= 50,
    "even": pl.col("visit") % 2 == 0,
}


def released(frame: pl.DataFrame, name: str, **how: Any) -> dc.Study:
    """Release a plot of the copy of a whole table."""
    study = dc.open(frame, study=name, **how)
    study.scatter("age", "glucose").to_json()
    return study


def later(frame: pl.DataFrame, years: int = 1) -> pl.DataFrame:
    """Return a table after some years: all ages and half of the values are others."""
    return frame.with_columns(
        age=pl.col("age") + 3 * years + pl.col("visit") % 3,
        glucose=pl.col("glucose") + years * (pl.col("visit") % 2),
    )


@pytest.mark.slow
def test_parts_of_a_table_add_up_person_by_person() -> None:
    raw = cohort(N)
    released(raw, "all")
    for name in ("women", "men", "old"):
        released(raw.filter(PARTS[name]), name)
    released(raw.filter(PARTS["young"]), "young")  # each of them is in two others
    released(raw.filter(PARTS["even"]), "even")  # the old ones are in three others
    for name, part in (("smokers", pl.col("smoker") == "yes"), ("late", pl.col("visit") > 100)):
        with pytest.raises(LeavingError, match=NO_MORE):
            released(raw.filter(part), name)
    with pytest.raises(LeavingError, match=NO_MORE):
        dc.protect(later(raw), study="all").new_version()
    released(raw, "all")
    released(raw.filter(PARTS["women"]), "women")


@pytest.mark.slow
@pytest.mark.parametrize("key", ["patient", None])
def test_who_is_named_is_counted_by_name(key: str | None) -> None:
    """By a key a fifth version may leave in which nobody is for the fifth time; without, none."""
    raw = cohort(800).select("visit", "patient", "age", "glucose")
    waves = [later(raw, number).slice(100 * number, 400) for number in range(5)]
    released(waves[0], "all", key=key)
    for wave in waves[1:4]:
        dc.protect(wave, study="all", key=key).new_version()
        released(wave, "all", key=key)
    last = dc.protect(waves[4], study="all", key=key)
    if key is not None:
        assert last.new_version() == 5
        released(waves[4], "all", key=key)
        return
    with pytest.raises(LeavingError, match=NO_MORE):
        last.new_version()


@pytest.mark.slow
def test_a_part_is_known_by_who_its_persons_are() -> None:
    """By a key whatever the other columns are; without one, by rows that are as they were."""
    raw = cohort(N)
    released(raw, "all", key="patient")
    for place, names in enumerate([("visit", "sex"), ("smoker",), ("bmi",)]):
        # Ages of other people are so few that they are now and then nearly the same.
        part = raw.filter(pl.col("visit") % 4 != place).drop("age", *names)
        frame = dc.open(part, study=f"{place}", key="patient")
        frame.histogram("glucose").to_json()
    with pytest.raises(LeavingError, match=NO_MORE):
        released(raw.filter(pl.col("visit") % 3 == 0).drop("sex"), "fourth", key="patient")


@pytest.mark.slow
def test_a_part_that_is_cut_at_a_value_is_in_no_other_unit() -> None:
    raw = cohort(N)
    released(raw, "all")
    with pytest.raises(LeavingError, match=r"in another unit"):
        dc.open(
            raw.filter(pl.col("age") > 50).select("sex", months=pl.col("age") * 12 + 1),
            study="months",
        ).histogram("months").to_json()
    released(raw.filter(pl.col("age") > 50), "old")


def test_without_rounding_no_whole_leaves_of_which_a_part_has_left() -> None:
    raw, part = cohort(N), cohort(N).filter(pl.col("age").is_between(40, 50))
    dc.open(part, "sacro", study="part").bars("sex").to_json()
    with pytest.raises(LeavingError, match=r"^these data include more than half of the people in"):
        dc.open(raw, "sacro", study="all").bars("sex").to_json()
