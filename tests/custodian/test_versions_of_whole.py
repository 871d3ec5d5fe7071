"""Copies of the whole table add up: parts of it, changed data and other names count as versions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet import Policy
from discreet.errors import LeavingError
from tests.custodian.test_whole import cohort

N = 700
NO_MORE = r"^no more copies of these persons may leave: .* there are at most [14], counted"
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


def test_a_table_is_one_more_copy_of_those_in_its_parts() -> None:
    raw = cohort(N)
    for low, high in ((0, 60), (40, 200), (45, 55)):
        released(raw.filter(pl.col("age").is_between(low, high, closed="left")), f"from {low}")
    released(raw, "all")
    with pytest.raises(LeavingError, match=NO_MORE):
        dc.protect(later(raw), study="all").new_version()


def test_versions_of_a_study_are_of_the_same_persons_whatever_has_changed() -> None:
    raw = cohort(N)
    released(raw, "all")
    second = later(raw)
    dc.protect(second, study="all").new_version()
    released(second, "all")
    released(second.filter(PARTS["women"]), "women")
    released(second.filter(PARTS["old"]), "old")  # each woman of them for the fourth time
    with pytest.raises(LeavingError, match=NO_MORE):
        released(second.filter(PARTS["even"]), "even")
    with pytest.raises(LeavingError, match=NO_MORE):
        dc.protect(later(raw, 5), study="all").new_version()


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


@pytest.mark.parametrize("first", ["all", "part"])
def test_groups_of_k_have_one_copy_and_no_part(first: str) -> None:
    raw, policy = cohort(N), Policy.preset("standard", m=5)
    frames = {"all": raw, "part": raw.filter(PARTS["women"] | PARTS["old"])}
    name, other = (first, "part") if first == "all" else (first, "all")
    dc.open(frames[name], policy, study=name).scatter("age", "glucose").to_json()
    with pytest.raises(LeavingError, match=NO_MORE):
        dc.open(frames[other], policy, study=other).scatter("age", "glucose").to_json()


def test_parts_without_a_person_in_common_are_of_other_persons() -> None:
    raw = cohort(N)
    for name, low in (("a", 0), ("b", 140), ("c", 280), ("d", 420), ("e", 560)):
        released(raw.slice(low, 140), name)


def test_a_part_is_known_by_who_its_persons_are() -> None:
    """By a key whatever the other columns are; without one, by rows that are as they were."""
    raw = cohort(N)
    released(raw, "all", key="patient")
    for place, names in enumerate([("visit", "sex"), ("smoker",), ("bmi",)]):
        part = raw.filter(pl.col("visit") % 4 != place).drop(*names)
        frame = dc.open(part, study=f"{place}", key="patient")
        frame.histogram("glucose").to_json()
    with pytest.raises(LeavingError, match=NO_MORE):
        released(raw.filter(pl.col("visit") % 3 == 0).drop("sex"), "fourth", key="patient")


def test_a_part_that_is_cut_at_a_value_is_in_no_other_unit() -> None:
    raw = cohort(N)
    released(raw, "all")
    with pytest.raises(LeavingError, match=r"in another unit"):
        dc.open(
            raw.filter(pl.col("age") > 50).select("sex", months=pl.col("age") * 12 + 1),
            study="months",
        ).histogram("months").to_json()
    released(raw.filter(pl.col("age") > 50), "old")


def test_without_rounding_no_part_is_released_and_no_whole_of_it() -> None:
    raw = cohort(N)
    policy = Policy.preset("sacro")
    part = raw.filter(pl.col("age").is_between(40, 50))
    dc.open(part, policy, study="part").scatter("age", "glucose").to_json()
    with pytest.raises(LeavingError, match=r"^these data hold more than half of the persons of"):
        dc.open(raw, policy, study="all").scatter("age", "glucose").to_json()


OTHER_SECRET = (
    r"^another secret: that of the earlier .* as study 's', .* put that secret back, from"
)
SECRETS = ("0123456789abcdef" * 4, "fedcba9876543210" * 4)


@pytest.mark.parametrize("name", ["s", "other"])
def test_the_same_data_under_another_secret_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Persons are recognised by a key of the register's own, whatever the study is called."""
    (tmp_path / "p.toml").write_text('preset = "standard"\n', encoding="utf-8")
    raw = cohort(N)
    monkeypatch.setenv("DISCREET_SECRET", SECRETS[0])
    first = dc.open(raw, tmp_path / "p.toml", study="s")
    first.scatter("age", "glucose").to_json()
    monkeypatch.setenv("DISCREET_SECRET", SECRETS[1])
    second = dc.open(raw, tmp_path / "p.toml", study=name)

    assert second.session.whole.copy.version != first.session.whole.copy.version
    ages = [it.session.whole.copy.columns["age"] for it in (first, second)]
    assert not np.array_equal(np.sort(ages[0]), np.sort(ages[1]))
    for draw in (second.scatter, second.heatmap):
        with pytest.raises(LeavingError, match=OTHER_SECRET):
            draw("age", "glucose").to_json()
    with pytest.raises(LeavingError, match=OTHER_SECRET):
        second.histogram("age").to_json()
    with pytest.raises(LeavingError, match=OTHER_SECRET):
        second.anonymize().save(tmp_path / "copy.csv")
    assert not (tmp_path / "copy.csv").exists()
