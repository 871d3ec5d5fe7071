"""Parts of the copy and new columns: what is asked of its rows, and of nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.errors import InputError, RefusedError
from discreet.render.scene import scene_to_plain
from discreet.table import Table
from tests.custodian.test_dates_of_whole import stays
from tests.custodian.test_whole import PLOTS, cohort

FAST = ("histogram by", "scatter", "cross-table", "another order", "qq")
"""Plots of each way to draw; those of a file are compared one by one in test_from_file."""
OLD = "age >= 45 and sex == 'f'"


def study(**how: Any) -> dc.Study:
    """Open a study with a copy of the whole table."""
    return dc.open(cohort(), **{"study": "s"} | how)


def stay() -> dc.Study:
    """Open a study with dates and yes/no in it."""
    return dc.open(pl.DataFrame(stays()), study="stays", unit=False)


@pytest.fixture(scope="module")
def opened() -> dc.Study:
    return study()


@pytest.fixture(scope="module")
def frame(opened: dc.Study) -> pl.DataFrame:
    found: pl.DataFrame = opened.anonymize().frame
    return found


@pytest.mark.parametrize("name", FAST)
def test_every_plot_of_a_part_is_that_of_its_rows_alone(
    opened: dc.Study, frame: pl.DataFrame, name: str
) -> None:
    new = opened.assign(band="cut(age, 40, 60)", ratio="glucose / bmi")
    part = new.where("age >= 30 and sex in ('f', 'm') and bmi > 20")
    view = PLOTS[name](part)
    of = view.origin
    assert of.total == ((frame["age"] >= 30) & (frame["bmi"] > 20)).sum() < len(frame)
    where = "where age >= 30 and sex in ('f', 'm') and bmi > 20"
    assert any(remark.endswith(where) for remark in of.remarks)
    assert view.method == "whole"
    assert scene_to_plain(view.scene())


def test_the_rows_of_a_part_are_those_for_which_it_holds(
    opened: dc.Study, frame: pl.DataFrame
) -> None:
    part = opened.where(OLD).anonymize().frame
    wanted = frame.filter((pl.col("age") >= 45) & (pl.col("sex") == "f"))
    assert part.equals(wanted)
    assert 50 < len(part) < len(frame)


def test_rows_of_which_it_is_unknown_are_in_no_part(opened: dc.Study, frame: pl.DataFrame) -> None:
    smokers, others, all_but_others = (
        opened.where(of).box("age").origin.total or 0
        for of in ("smoker == 'yes'", "smoker == 'no'", "missing(smoker) or smoker == 'yes'")
    )
    assert smokers + others == len(frame) - frame["smoker"].null_count()
    assert all_but_others == len(frame) - others


def test_new_columns_are_made_of_the_copy_one_after_the_other(
    opened: dc.Study, frame: pl.DataFrame
) -> None:
    made = opened.assign(
        log_bmi="log(bmi)", twice="2 * log_bmi", old="age >= 50", band="cut(age, 40, 60)"
    )
    found = made.anonymize().frame
    bmi, age = (frame[name].to_numpy() for name in ("bmi", "age"))
    np.testing.assert_allclose(found["log_bmi"].to_numpy(), np.log(bmi))
    np.testing.assert_allclose(found["twice"].to_numpy(), 2 * np.log(bmi))
    assert found["old"].to_list() == ["yes" if it >= 50 else "no" for it in age]
    assert found["band"].n_unique() == 3
    assert found.columns == [*frame.columns, "log_bmi", "twice", "old", "band"]
    assert found.select(frame.columns).equals(frame)


@pytest.mark.parametrize("name", ["bars by", "scatter"])
def test_bands_stand_in_order(opened: dc.Study, name: str) -> None:
    made = opened.assign(band="cut(age, 40, 60)")
    draw: dict[str, Callable[[], Any]] = {
        "box by": lambda: made.box("bmi", by="band"),
        "bars by": lambda: made.bars("sex", by="band"),
        "histogram by": lambda: made.histogram("bmi", by="band"),
        "scatter": lambda: made.scatter("age", "bmi", by="band"),
        "ecdf by": lambda: made.ecdf("bmi", by="band"),
    }
    drawn = json.dumps(scene_to_plain(draw[name]().scene()))
    places = [drawn.index(band) for band in ("under 40", "40 to under 60", "60 or more")]
    assert places == sorted(places)


@pytest.mark.slow
def test_dates_have_parts_and_levels_that_are_numbers_are_compared_as_such() -> None:
    frame = cohort().with_columns(died=pl.Series(np.arange(400) % 2))
    coded = dc.open(frame, study="coded")
    of = stay()
    made = of.assign(year="year(start)", days="end - start")
    assert set(made.anonymize().frame["year"].to_list()) <= {*range(2014, 2022)}
    assert made.where("days > 5").scatter("days", "age").origin.total
    later = of.where("start >= '2018-01-01'").anonymize().frame["start"]
    assert later.min() >= pl.Series(["2018-01-01"]).str.to_date()[0]
    died = coded.where("died == 1").anonymize().frame
    assert {*died["died"].to_list()} == {1}
    assert coded.where("died == '1'").box("age").origin.total == len(died)


@pytest.mark.slow
def test_columns_of_yes_and_no_are_conditions(opened: dc.Study) -> None:
    coded = dc.open(cohort().with_columns(died=pl.Series(np.arange(400) % 2)), study="coded")
    same = [
        (opened, "smoker", "smoker == 'yes'"),
        (opened, "not smoker and age > 30", "smoker == 'no' and age > 30"),
        (coded, "not died", "died == 0"),
        (stay(), "smoker != true", "smoker == 'False'"),
        (opened.assign(old="age >= 50"), "old", "age >= 50"),
        (opened.where("smoker"), "smoker", "smoker == 'yes'"),  # though there is no 'no' any more
    ]
    for of, short, long in same:
        part, wanted = of.where(short), of.where(long)
        assert part.anonymize().frame.equals(wanted.anonymize().frame), short
        assert len(part.anonymize().frame) >= 50
    with pytest.raises(InputError, match="'sex' is not a condition but a level"):
        opened.where("sex")


@pytest.mark.slow
def test_what_is_released_of_a_part_is_recorded_by_the_columns_it_rests_on(tmp_path: Path) -> None:
    rows = study()
    part = rows.assign(log_bmi="log(bmi)").where("sex == 'f'")
    for of in (part, rows, part.where("age > 45"), rows.where("smoker == 'no'")):
        of.scatter("age", "glucose").save(tmp_path / "plot.json")
    part.box("log_bmi").save(tmp_path / "plot.svg")
    part.anonymize().save(tmp_path / "part.csv")
    recorded = [each["columns"] for each in rows.session.register.history("s")]
    assert recorded[0] == ["age", "glucose", "sex"]
    assert recorded[-2] == ["sex", "bmi"]
    assert {*recorded[-1]} == {"age", "bmi", "glucose", "sex", "smoker"}


def test_no_raw_value_plays_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = study()
    opened.parallel(["age", "bmi", "glucose"])  # makes the copy, and looks for codes once

    def read(*_: Any, **__: Any) -> Any:
        raise AssertionError("the raw data were read")

    for name in ("rows", "count", "levels", "batches", "extremes"):
        monkeypatch.setattr(Table, name, read)

    part = opened.assign(ratio="glucose / bmi").where(OLD)

    assert part.box("ratio", by="smoker").origin.total
    assert part.heatmap("age", "bmi").origin.total


def test_small_parts_say_that_they_are_rough_and_smaller_ones_are_not_drawn(
    opened: dc.Study,
) -> None:
    rough = opened.where(OLD).scatter("age", "bmi").origin.remarks
    assert any(line.startswith("rough: only ") for line in rough)
    assert not any("rough" in line for line in opened.where("age > 20").box("age").origin.remarks)
    with pytest.raises(
        RefusedError, match=r"fewer than 50 rows of the copy have age > 75: too few"
    ):
        opened.where("age > 75")


#: Conditions that hold for no row of the copy, and what is said of the level that they name.
MISNAMED = {
    "case(sex == 'f', 'x', 'y') == 'x' and age > 75": "fewer than 50 rows",
    "sex == 'F'": r"no row of the copy has sex == 'F'; did you mean 'f'\?",
    "sex in ('female', 'f') and age > 75": r"has sex == 'female'; there are 'f', 'm'",
    "age > 20 and not (smoker != 'Yes')": r"has smoker == 'Yes'; did you mean 'yes'\?",
}


@pytest.mark.parametrize(("condition", "says"), MISNAMED.items())
def test_a_level_that_there_is_not_is_named_beside_those_there_are(
    opened: dc.Study, condition: str, says: str
) -> None:
    with pytest.raises(RefusedError, match=says):
        opened.where(condition)


REFUSED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "no condition": (lambda s: s.where("age + 1"), r"'age \+ 1' is not a condition but a number"),
    "a name that is taken": (lambda s: s.assign(age="bmi"), r"there is a column 'age'"),
    "no value": (lambda s: s.assign(x="log(-age - 200)"), r"has no value in any row of the copy"),
    "what identifies": (lambda s: s.where("patient == 'P00001'"), r"there is no column 'patient'"),
    "what the custodian holds": (
        lambda s: dc.Protected(s.where(OLD)),
        r"where and assign apply to the copy; protect the table itself",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_part_does_not_have_is_refused_with_a_way_that_works(
    opened: dc.Study, name: str
) -> None:
    ask, says = REFUSED[name]
    with pytest.raises((InputError, RefusedError), match=says):
        ask(opened)


def test_codes_are_numbers_where_rows_of_another_word_are_left_out() -> None:
    """Rare codes are joined, and what they are called is no number."""
    code = [1] * 200 + [2] * 200 + [*range(3, 43)]
    frame = pl.DataFrame({"code": code, "x": range(440)})
    opened = dc.open(frame, study="codes", unit=False, kinds={"code": "categorical"})
    kept = opened.where("code != '(other)'").where("code < 3")
    assert kept.assign(next="code + 1").bars("next").levels == ("2", "3")
