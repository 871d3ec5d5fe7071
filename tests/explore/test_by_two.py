"""Plots of the copy by two columns: each part is what a study of those rows alone draws."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.errors import InputError, RefusedError
from discreet.plots import HistogramView, OverTimeView, PanelsView, SurvivalView, View

BANDS, TWO = ("young", "old"), ("band", "sex")


def cohort(n: int = 700) -> pl.DataFrame:
    """Return women and men of two ages, a few of neither sex, and a level of few rows."""
    draw = np.random.default_rng(7)
    age = draw.integers(20, 80, n)
    sex = [("f", "m", None)[i] for i in draw.choice(3, n, p=[0.5, 0.45, 0.05])]
    return pl.DataFrame(
        {
            "band": np.where(age < 45, *BANDS),
            "sex": sex,
            "ward": draw.choice(["a", "b", "c"], n, p=[0.6, 0.37, 0.03]),
            "bmi": np.round(draw.normal(20 + age / 15, 3), 1),
            "sbp": np.round(draw.normal(90 + age / 2, 10)),
            "smoker": draw.choice(["yes", "no"], n),
            "visit": np.datetime64("2017-01-01") + draw.integers(0, 900, n),
            "years": np.round(draw.exponential(900 / age), 1),
            "died": draw.choice(["yes", "no"], n),
        }
    )


def study(**how: Any) -> dc.Study:
    given: dict[str, Any] = {"study": "two", "unit": False} | how
    return dc.open(cohort(), **given)


@pytest.fixture(scope="module")
def opened() -> dc.Study:
    return study()


@pytest.fixture(scope="module")
def frame(opened: dc.Study) -> pl.DataFrame:
    found: pl.DataFrame = opened.anonymize().frame
    return found


def same(one: View, other: View) -> bool:
    """Whether two plots show the same numbers, wherever they come from."""
    names = {"curves", "groups", "x", "y", "size", "counts", "by_counts", "levels", "trends"}
    found = [{k: v for k, v in vars(it).items() if k in names} for it in (one, other)]
    assert found[0]
    return found[0] == found[1]


def part(of: dc.Study, **levels: str) -> dc.Study:
    return of.where(" and ".join(f"{name} == '{level}'" for name, level in levels.items()))


@pytest.mark.parametrize(
    ("plot", "columns", "how"),
    [("ecdf", ["bmi"], {}), ("box", ["bmi"], {}), ("bars", ["smoker"], {"percent": True})],
)
def test_a_panel_of_the_second_column_is_the_plot_of_its_rows_by_the_first(
    opened: dc.Study, plot: str, columns: list[str], how: dict[str, Any]
) -> None:
    view = getattr(opened, plot)(*columns, by=TWO, **how)
    assert isinstance(view, PanelsView)
    assert (view.by, view.first, view.second) == (TWO, ("old", "young"), ("f", "m"))
    for sex, drawn in zip(view.second, view.views, strict=True):
        assert drawn is not None
        assert same(drawn, getattr(part(opened, sex=sex), plot)(*columns, by="band", **how))


def test_points_of_each_pair_are_those_of_its_rows(opened: dc.Study, frame: pl.DataFrame) -> None:
    view = opened.scatter("bmi", "sbp", by=TWO, trend=True)
    pairs = [(band, sex) for band in view.first for sex in view.second]
    for (band, sex), drawn in zip(pairs, view.views, strict=True):
        assert drawn is not None
        alone = part(opened, band=band, sex=sex).scatter("bmi", "sbp", trend=True)
        assert same(drawn, alone)
    known = frame.drop_nulls(["band", "sex", "bmi", "sbp"])
    assert (view.origin.shown, view.origin.total) == (len(known), len(frame))


@pytest.mark.parametrize("plot", ["histogram", "heatmap"])
def test_bins_of_all_panels_are_the_same_and_hold_their_rows(
    opened: dc.Study, frame: pl.DataFrame, plot: str
) -> None:
    columns = ["bmi"] if plot == "histogram" else ["bmi", "sbp"]
    view = getattr(opened, plot)(*columns, by=("sex", "band"))
    drawn = [it for it in view.views if it is not None]
    edges = [
        it.edges if isinstance(it, HistogramView) else (it.x_edges, it.y_edges) for it in drawn
    ]
    assert len({*edges}) == 1
    for (sex, band), it in zip([(s, b) for s in "fm" for b in view.second], drawn, strict=True):
        held = sum(n or 0 for n in np.ravel(np.array(it.counts, dtype=object)))
        rows = frame.filter((pl.col("sex") == sex) & (pl.col("band") == band))
        assert held == len(rows.drop_nulls(columns))


def test_survival_and_time_have_one_axis_of_time(opened: dc.Study) -> None:
    curves = opened.survival("years", "died", by=TWO)
    lines = opened.over_time("visit", by=TWO)
    places = {it.places for it in curves.views if isinstance(it, SurvivalView)}
    assert len(places) == 1
    for sex, it in zip("fm", curves.views, strict=True):
        alone = part(opened, sex=sex).survival("years", "died", by="band")
        assert isinstance(it, SurvivalView)
        assert [c.shares for c in it.curves] == [c.shares for c in alone.curves]
    assert len({(it.starts, it.partly) for it in lines.views if isinstance(it, OverTimeView)}) == 1


def test_pairs_of_few_rows_are_not_drawn_and_it_is_said(
    opened: dc.Study, frame: pl.DataFrame
) -> None:
    few = {s for s in "fm" if 0 < len(frame.filter(sex=s, ward="c")) < 50}
    assert few == {"f", "m"}  # or this test has nothing to say
    view = opened.histogram("bmi", by=("sex", "ward"))
    assert view.second == ("a", "b")
    assert "not drawn, with fewer than 50 rows: f with c, m with c" in view.scene().notes
    assert "c" not in {*"".join(panel.title for panel in view.scene().panels).split()}


def test_both_columns_are_recorded_and_only_where_they_are_asked_for(tmp_path: Path) -> None:
    own = study(study="recorded")
    own.ecdf("bmi", by=TWO).save(tmp_path / "two.json")
    own.ecdf("bmi", by="sex").save(tmp_path / "one.json")
    own.where("sbp > 100").histogram("bmi", by=("sex", "ward")).save(tmp_path / "part.png")
    recorded = [each["columns"] for each in own.session.register.history("recorded")]
    assert recorded == [["bmi", "band", "sex"], ["bmi", "sex"], ["bmi", "sex", "ward", "sbp"]]
    view = View.load(tmp_path / "two.json")
    assert view.scene() == own.ecdf("bmi", by=TWO).scene()


@pytest.mark.parametrize(
    ("by", "how", "message"),
    [
        (("band", "band"), {}, "named twice"),
        (("band", "bmi"), {}, "named twice|no column of levels|categorical"),
        (("band", "sex", "ward"), {}, "of a column of levels, or of two"),
        (TWO, {"method": "merge"}, "unknown setting 'method' here"),
    ],
)
def test_other_columns_are_refused(
    opened: dc.Study, by: Any, how: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        opened.histogram("bmi", by=by, **how)


def test_too_many_pairs_are_refused_before_they_are_drawn(opened: dc.Study) -> None:
    fine = opened.assign(all="sbp > 0", part="cut(bmi, 20, 22, 23, 24, 25, 27)")
    with pytest.raises(RefusedError, match=r"1 by 7 levels.*with fewer levels second") as found:
        fine.histogram("sbp", by=("all", "part"))
    assert (found.value.parameter, found.value.rule) == ("by", "many")
    assert len(fine.density("sbp", by=("all", "part")).views) == 7
    with pytest.raises(RefusedError, match="has 50 rows of the copy"):
        opened.where("ward == 'a' and sex == 'f' and sbp > 120").box("bmi", by=("band", "smoker"))


def test_the_papers_plots_are_divided_by_one_column() -> None:
    two: Any = TWO
    with pytest.raises(InputError, match="box takes the name of one column as by"):
        dc.research(cohort()).box("bmi", by=two)
