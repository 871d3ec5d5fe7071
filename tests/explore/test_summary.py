"""Tables of figures of a study: those of the very copy that `anonymize` gives."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import discreet as dc
from discreet.errors import InputError, RefusedError
from discreet.estimates.intervals import wilson
from discreet.measure import CopyTable

N = 400


@cache
def cohort() -> pd.DataFrame:
    """Make a table with numbers, gaps, levels, codes, dates and an identifier."""
    random = np.random.default_rng(4)
    age = random.normal(50, 12, N).round()
    bmi = np.round(18 + age / 8 + random.normal(0, 3, N), 1)
    start = [pd.Timestamp(date(2019, 1, 1) + timedelta(int(d))) for d in random.integers(0, 700, N)]
    return pd.DataFrame(
        {
            "patient": [f"P{i:05}" for i in random.permutation(N)],
            "age": age,
            "bmi": np.where(random.uniform(size=N) < 0.15, np.nan, bmi),
            "sex": np.where(random.uniform(size=N) < 0.5, "f", "m"),
            "smoker & co_": [None if it < 0.1 else "no" for it in random.uniform(size=N)],
            "grade": random.choice([1.0, 2.0, 3.0], N),
            "start": start,
        }
    )


@cache
def study(**how: Any) -> dc.Study:
    return dc.open(cohort(), study="trial", **how)


def test_means_and_shares_have_intervals_that_hold_the_copys_own_error() -> None:
    table = study().summary(["bmi", "sex"])
    of = {(it.column, it.level, it.figure): float(it.value or 0) for it in table.figures}
    rows = study().session.whole.copy
    bmi = rows.columns["bmi"]
    known = bmi[np.isfinite(bmi)]
    low, high = of["bmi", None, "mean, low end"], of["bmi", None, "mean, high end"]
    assert (low + high) / 2 == pytest.approx(known.mean())
    assert high - low > 2 * stats.t.ppf(0.975, len(known) - 1) * stats.sem(known)
    sexes = [it for it in rows.strata["sex"] if it]
    ends = wilson(sexes.count("f") / len(sexes), len(sexes))
    assert of["sex", "f", "share, low end"] < ends[0]
    assert of["sex", "f", "share, high end"] > ends[1]
    assert table.notes[-1].startswith("intervals: for the population, with the copy's own error")
    assert not table.has_plot


def test_ratios_are_those_of_the_copys_rows_with_its_own_error() -> None:
    table = study().means("bmi", "sex", per="age")
    rows = study().session.whole.copy
    of = {(it.column, it.group, it.figure): float(it.value or 0) for it in table.figures}
    known = np.isfinite(rows.columns["bmi"]) & np.isfinite(rows.columns["age"])
    bmi, age = rows.columns["bmi"][known], rows.columns["age"][known]
    ratio = bmi.sum() / age.sum()
    assert of["bmi", (), "ratio"] == pytest.approx(ratio)
    assert of["age", (), "sum"] == pytest.approx(age.sum())
    error = stats.sem(bmi - ratio * age) / age.mean()
    width = of["bmi", (), "ratio, high end"] - of["bmi", (), "ratio, low end"]
    assert width > 2 * stats.t.ppf(0.975, len(bmi) - 1) * error
    assert table.title == "bmi per age in trial by sex"
    assert table.has_plot
    of_yes = study().assign(old="age >= 60").means("old", "sex", per="age")
    assert of_yes.head == ("n, missing", "ratio", "95 % interval", "sum of old", "sum of age")


@pytest.mark.parametrize(
    ("per", "says"),
    [
        ("smoker & co_", "is not one of numbers"),
        ("start", "is not one of numbers"),
        ("bmi", "named twice"),
    ],
)
def test_what_nothing_is_divided_by_is_refused(per: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        study().means("bmi", "sex", per=per)
    with pytest.raises(InputError, match="has values below 0"):
        study().assign(under="age - 100").means("bmi", "sex", per="under")


def test_every_figure_is_that_of_pandas_on_the_released_table() -> None:
    frame = study().anonymize().frame
    table = study().summary(by="sex")

    assert {it.column for it in table.figures} == {"", *frame.columns} - {"sex"}
    for it in table.figures:
        part = frame if not it.group else frame[frame["sex"] == it.group[0][1]]
        if it.figure == "rows":
            assert it.value == len(part)
            continue
        if it.figure.endswith(" end"):
            continue
        column = part[it.column]
        numbers: dict[str, Callable[[], Any]] = {
            "n": column.count,
            "missing": column.isna().sum,
            "mean": column.mean,
            "sd": column.std,
            "lower quartile": partial(column.quantile, 0.25),
            "median": column.median,
            "upper quartile": partial(column.quantile, 0.75),
            "first": column.min,
            "last": column.max,
            "count": (column == it.level).sum,
            "share": (column.dropna() == it.level).mean,
        }
        expected = numbers[it.figure]()
        if it.column == "start" and it.figure not in ("n", "missing"):
            assert it.value == str(expected.date())
        else:
            assert it.value == pytest.approx(expected), it


def test_means_are_those_of_pandas_on_the_released_table() -> None:
    frame = study().anonymize().frame
    table = study().means("bmi", ["sex", "smoker & co_"])

    found = {(it.group, it.figure): it.value for it in table.figures}
    for (sex, smokes), part in frame.groupby(["sex", "smoker & co_"], dropna=False)["bmi"]:
        group = (("sex", sex), ("smoker & co_", None if pd.isna(smokes) else smokes))
        low, high = (found[group, f"mean, {it} end"] for it in ("low", "high"))
        assert isinstance(low, float)
        assert isinstance(high, float)
        assert found[group, "n"] == part.count()
        assert found[group, "missing"] == part.isna().sum()
        for figure in ("mean", "sd", "median", "sum"):
            assert found[group, figure] == pytest.approx(
                part.agg("std" if figure == "sd" else figure)
            )
        assert (low + high) / 2 == pytest.approx(part.mean())
        t = stats.t.ppf(0.975, part.count() - 1)
        assert (high - low) / 2 > t * part.sem()
    assert found[(), "mean"] == pytest.approx(frame["bmi"].mean())
    assert table.title == "Means of bmi in trial by sex and smoker & co_"
    assert any("the copy's own error" in note for note in table.notes)
    table.scene()


def test_it_says_what_it_is_of_and_how_near_the_copy_is() -> None:
    table = study().summary()
    first, *others = table.notes
    assert first.startswith("of ")
    assert (
        f"rows of the protected copy {study().session.whole.copy.version} (k = 5, m = 20)" in first
    )
    assert first.endswith("its number of rows is not the number of people")
    assert f"the copy: {study().fidelity().said}" in others
    assert others[-1] == "not in the protected copy: patient (nearly unique)"
    assert table.title == "Summary of trial"


@pytest.mark.slow
def test_codes_may_part_the_rows_and_groups_of_few_rows_are_named() -> None:
    raw = cohort().assign(rare=np.where(np.arange(N) < 30, "rare", "common"))
    table = dc.open(raw, study="rare").summary(["age"], by="grade")
    rare = dc.open(raw, study="rare").summary(["age"], by="rare")
    assert table.head == ("1", "2", "3", "all")
    assert not any(note.startswith("rough") for note in table.notes)
    assert "rough, with fewer than 50 rows: rare" in rare.notes


def test_it_is_recorded_when_it_is_released_and_looking_is_free(tmp_path: Path) -> None:
    opened = dc.open(cohort(), study="recorded")
    table = opened.summary(["age", "bmi"], by="sex")
    str(table), table._repr_html_()
    assert opened.session.register.history("recorded") == []
    saved = table.save(tmp_path / "table1.json")
    (entry,) = opened.session.register.history("recorded")
    assert (entry["kind"], entry["form"]) == ("summary", "json")
    assert set(entry["columns"]) == {"age", "bmi", "sex"}
    assert CopyTable.from_json(saved.read_text()) == table
    opened.histogram("age").save(tmp_path / "age.json")  # nothing is compared with it


REFUSED: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "one that identifies": ({"columns": ["patient"]}, RefusedError, "patient"),
    "by numbers": ({"by": "age"}, InputError, "by='age' is a column of numbers or dates"),
    "by what is described": (
        {"columns": ["sex", "age"], "by": "sex"},
        InputError,
        "cannot be described by its own levels",
    ),
}


@pytest.mark.parametrize(("asked", "error", "says"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(asked: dict[str, Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        study().summary(**asked)


NO_MEANS: dict[str, tuple[str, Any, type[Exception], str]] = {
    "of levels": ("sex", "grade", InputError, "'sex' holds levels and cannot be averaged"),
    "by itself": ("grade", "grade", InputError, "means are of one column by the levels of one or"),
    "by none": ("age", [], InputError, "by the levels of one or two others"),
    "by numbers": ("age", "bmi", InputError, r"by='bmi' is a column of numbers or dates.*cut\("),
    "by dates": ("bmi", "start", InputError, r"study.assign\(group=.year\(start\)"),
    "by one that identifies": ("age", "patient", RefusedError, "patient"),
}


@pytest.mark.parametrize(("value", "by", "error", "says"), NO_MEANS.values(), ids=NO_MEANS)
def test_what_has_no_means(value: str, by: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        study().means(value, by)


@pytest.mark.parametrize("values", [("no", "yes"), ("FALSE", "TRUE")])
def test_means_of_yes_and_no_are_shares(values: tuple[Any, Any]) -> None:
    random = np.random.default_rng(9)
    ill, sex = random.random(N) < 0.3, random.choice(["f", "m"], N)
    frame = pd.DataFrame(
        {"ill": [values[int(it)] for it in ill], "sex": sex, "age": random.integers(20, 90, N)}
    )
    study = dc.open(frame, study="shares", unit=False)
    copy = study.anonymize().frame
    yes = copy["ill"].astype(str).isin(["yes", "1", "True", "TRUE"])

    table = study.means("ill", "sex")

    found = {it.group: it.value for it in table.figures if it.figure == "share"}
    here = copy["sex"] == "f"
    assert found[("sex", "f"),] == pytest.approx(yes[here].mean())
    assert table.head == ("n, missing", "with it", "share", "95 % interval")
    (panel,) = table.scene().panels
    assert "share of ill = " in panel.x.label
    assert table.to_frame()["share"].between(0, 1).all()
