"""Where persons have several rows, intervals of what a study shows of its copy are by persons."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.estimates.intervals import error_by_persons
from discreet.explore.from_copy import WholeTable
from tests.explore.test_own_bars import off_in

PERSONS, VISITS = 300, 4


def visits() -> pl.DataFrame:
    """Return visits of persons who differ from each other more than visits of one do."""
    random = np.random.default_rng(5)
    person = np.repeat(np.arange(PERSONS), VISITS)
    frail = random.normal(size=PERSONS)[person]
    arm = random.choice(["a", "b"], PERSONS)[person]
    n = len(person)
    months = np.round(random.exponential(20 * np.exp(-frail)), 1)
    return pl.DataFrame(
        {
            "person": person,
            "arm": arm,
            "pain": np.round(5 + 2 * frail + random.normal(0, 0.7, n), 1),
            "months": np.minimum(months, 40),
            "died": np.where(months < 40, "yes", "no"),
            "visit": np.datetime64("2019-01-01") + random.integers(0, 1000, n),
        }
    )


@pytest.fixture(scope="module")
def study() -> dc.Study:
    return dc.open(visits(), study="visits", unit="person")


Ends = list[tuple[float, float]]


def ends_of_figures(table: Any, what: str = "mean") -> Ends:
    found = [it.value for it in table.figures if it.figure == f"{what}, low end"]
    high = [it.value for it in table.figures if it.figure == f"{what}, high end"]
    return [it for it in zip(found, high, strict=True) if None not in it]


def ends_of_view(view: Any, lines: str) -> Ends:
    each = [pair for it in getattr(view, lines) for pair in zip(it.low, it.high, strict=True)]
    return [it for it in each if None not in it]


def of_survival(study: dc.Study) -> tuple[Ends, str]:
    view = study.survival("months", "died", by="arm")
    return ends_of_view(view, "curves"), " ".join(view.scene().notes)


def of_means_over_time(study: dc.Study) -> tuple[Ends, str]:
    view = study.over_time("visit", "pain", every="year", by="arm")
    return ends_of_view(view, "series"), " ".join(view.scene().notes)


def of_table(make: Callable[[dc.Study], Any], what: str) -> Callable[[dc.Study], tuple[Ends, str]]:
    def found(study: dc.Study) -> tuple[Ends, str]:
        table = make(study)
        return ends_of_figures(table, what), " ".join(table.notes)

    return found


SHOWN: dict[str, tuple[Callable[[dc.Study], tuple[Ends, str]], str]] = {
    "means": (
        of_table(lambda s: s.means("pain", "arm"), "mean"),
        "of the mean, by t, clustered by person",
    ),
    "a share": (
        of_table(lambda s: s.means("died", "arm"), "share"),
        "Wilson's, widened, clustered by person",
    ),
    "a summary": (of_table(lambda s: s.summary(by="arm"), "mean"), "clustered by person"),
    "survival": (
        of_survival,
        "they include sampling error (clustered by person) and the copy's own error",
    ),
    "over time": (
        of_means_over_time,
        "they include sampling error (clustered by person) and the copy's own error",
    ),
    "a linear model": (
        of_table(lambda s: s.model("pain ~ arm"), "estimate"),
        "standard errors are clustered by person",
    ),
    "a Cox model": (
        of_table(lambda s: s.model("survival(months, died) ~ arm", family="cox"), "estimate"),
        "standard errors are clustered by person",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(("shown", "says"), SHOWN.values(), ids=SHOWN)
def test_intervals_are_by_persons_and_wider(
    study: dc.Study,
    shown: Callable[[dc.Study], tuple[Ends, str]],
    says: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    by_persons, notes = shown(study)
    assert says in notes
    monkeypatch.setattr(WholeTable, "persons", None)
    by_rows, others = shown(study)
    assert "by person" not in others
    assert len(by_persons) == len(by_rows) > 0
    wide, narrow = (np.median([b - a for a, b in it]) for it in (by_persons, by_rows))
    assert wide > 1.05 * narrow


def test_chance_among_means_is_that_of_persons_of_the_copy(study: dc.Study) -> None:
    copy = study.session.whole.copy
    (whose,) = copy.whose.values()
    error, count = error_by_persons(copy.columns["pain"], whose.astype(np.int64))
    rows = copy.columns["pain"].std(ddof=1) / np.sqrt(len(whose))
    assert count < len(whose) / 2
    assert error > 1.3 * rows
    low, high = ends_of_figures(study.means("pain", "arm"))[-1]  # of all rows
    assert (high - low) / 2 > 1.96 * error


@pytest.mark.parametrize(
    "draw",
    [lambda s: s.histogram("pain"), lambda s: s.bars("died", by="arm")],
    ids=["histogram", "bars by levels"],
)
def test_bars_are_known_by_persons(
    study: dc.Study, draw: Callable[[dc.Study], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    (by_persons,) = off_in(draw(study))
    monkeypatch.setattr(WholeTable, "persons", None)
    (by_rows,) = off_in(draw(study))
    assert by_persons > by_rows


@pytest.mark.slow
def test_a_part_of_the_rows_has_its_own_persons(study: dc.Study) -> None:
    part = study.where("arm == 'a'")
    view = part.over_time("visit", "pain", every="year")
    assert "by person" in " ".join(part.means("pain", "died").notes)
    assert "by person" in " ".join(view.scene().notes)
    assert all(a < b for a, b in pairwise(view.starts))


@pytest.mark.slow
def test_without_persons_nothing_is_said_of_them() -> None:
    plain = dc.open(visits().drop("person"), study="plain", unit=False)
    assert "by person" not in " ".join(plain.means("pain", "arm").notes)
    assert plain.session.whole.persons is None
