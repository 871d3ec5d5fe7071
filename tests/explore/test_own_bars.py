"""By how many points bars of the copy may be off: worked by hand, and beside the data."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import discreet as dc
from discreet.errors import RefusedError
from discreet.estimates.intervals import NORMAL, OwnErrors
from discreet.explore.own_errors import _added, _bins, _shares
from tests.explore.test_notes_of_copy import N, cohort

OFF = re.compile(r"^bars may be off by up to ([0-9.]+) points \(sampling error")
COUNTS_OFF = re.compile(r"^counts may be off by up to ([0-9.,]+) \(sampling error")


@pytest.fixture(scope="module")
def opened() -> dc.Study:
    return dc.open(cohort(), study="bars", unit=False)


def off_in(view: Any, said: re.Pattern[str] = OFF) -> list[float]:
    return [float(found[1]) for it in view.origin.remarks if (found := said.search(it))]


Draw = Callable[[dc.Study], Any]
#: What is drawn, and whether it has bars.
DRAWN: dict[str, tuple[Draw, bool]] = {
    "a histogram": (lambda s: s.histogram("bmi"), True),
    "by levels": (lambda s: s.histogram("bmi", by="chapter"), True),
    "weighted": (lambda s: s.histogram("bmi", weights="age"), True),
    "bars": (lambda s: s.bars("chapter"), True),
    "shares by levels": (lambda s: s.bars("chapter", by="band", percent=True), True),
    "no bars": (lambda s: s.ecdf("bmi"), False),
}


@pytest.mark.parametrize(("draw", "has"), DRAWN.values(), ids=DRAWN)
def test_bars_say_by_how_many_points_they_are_off(opened: dc.Study, draw: Draw, has: bool) -> None:
    found = off_in(draw(opened))
    assert len(found) == has
    assert all(0 < it < 30 for it in found)


def test_it_is_more_than_chance_among_so_many_rows_makes_of_them(opened: dc.Study) -> None:
    (found,) = off_in(opened.bars("sex"))
    sexes = opened.session.whole.copy.strata["sex"]
    share = sexes.count("f") / len(sexes)
    assert found > 100 * NORMAL * math.sqrt(share * (1 - share) / len(sexes))


def test_what_the_copy_adds_is_added(opened: dc.Study, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of copies that are off by three times the variance of chance, bars are off by twice it."""
    sexes = opened.session.whole.copy.strata["sex"]
    share = sexes.count("f") / len(sexes)
    chance = math.sqrt(share * (1 - share) / len(sexes))

    def own(session: Any, read: Callable[[Any], dict[Any, float]]) -> OwnErrors:
        found = read(session.whole)
        off = {bar: it + math.sqrt(3) * chance for bar, it in found.items()}
        return OwnErrors(found, [off] * 3, 1.0)

    monkeypatch.setattr("discreet.explore.own_errors.own_errors", own)
    (said,) = off_in(opened.bars("sex"))

    assert said == pytest.approx(100 * NORMAL * 2 * chance, rel=0.1)


def test_where_rows_have_no_copy_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*given: object) -> None:
        raise RefusedError("too few")

    monkeypatch.setattr("discreet.custodian.session.copy_again", none)

    assert off_in(dc.open(cohort(), study="few", unit=False).bars("sex")) == []


def test_shares_by_hand() -> None:
    weights = np.array([1.0, 1.0, 2.0, 4.0])
    assert _shares([], [["a", "b", "a", "a"]]) == {
        ("a",): (0.75, 4.0, 4.0),
        ("b",): (0.25, 4.0, 4.0),
    }
    found = _shares([["f", "f", "f", "m"]], [[0, 1, 0, 0]], weights)
    # (1 + 1 + 2)² / (1 + 1 + 4) rows of equal weight say as much
    assert found["f", 0] == pytest.approx((0.75, 4, 16 / 6))
    assert found["m", 0] == (1.0, 4.0, 1.0)
    drawn = _shares([["f", ""]], [[0, 0]], None, None, lambda it: "" not in it)
    assert drawn == {("f", 0): (1.0, 1.0, 1.0)}


def test_shares_by_persons_by_hand() -> None:
    # Of sex f two persons of two rows each: a has .5 (1 - .5) / .5², and so has b
    found = _shares(
        [["f"] * 4 + ["m"] * 2],
        [["a", "a", "b", "b", "b", "a"]],
        persons=np.array([0, 0, 1, 1, 2, 3]),
    )
    assert found["f", "a"] == found["f", "b"] == pytest.approx((0.5, 4, 1))
    assert found["m", "a"] == pytest.approx(
        (0.5, 2, 1)
    )  # two persons, who have one row each, and an error of .5


def test_bins_hold_their_lower_ends_and_the_last_both() -> None:
    values = np.array([-1.0, 0.0, 0.9, 1.0, 2.0, 2.1, math.nan])
    ends = np.array([0.0, 1.0, 2.0])
    assert _bins(values, ends).tolist() == [-1, 0, 0, 1, 1, -1, -1]
    assert _bins(values, ends, closed=False).tolist() == [-1, 0, 0, 1, -1, -1, -1]


def test_the_variance_that_a_copy_adds_is_a_share_of_that_of_chance() -> None:
    # chance: .5 * .5 / 25 = .01 of both; of the first copies of the copy are .1 off, so .01 more
    found = _shares([], [["a"] * 25])
    found = {("a",): found["a",]._replace(share=0.5), ("b",): found["a",]._replace(share=0.5)}
    copies = [{("a",): 0.6, ("b",): 0.5}] * 3
    rows = {bar: it.share for bar, it in found.items()}
    assert _added(OwnErrors(rows, copies, 1.0), found) == pytest.approx(0.5)
    assert _added(OwnErrors(rows, copies[:2], 1.0), found) is None


COUNTED: dict[str, tuple[Draw, bool]] = {
    "counts": (lambda s: s.over_time("visit", every="quarter"), True),
    "counts by two": (lambda s: s.over_time("visit", by=("band", "sex"), every="year"), True),
    "means": (lambda s: s.over_time("visit", "bmi", every="quarter"), False),
}


@pytest.mark.parametrize(("draw", "has"), COUNTED.values(), ids=COUNTED)
def test_counts_over_time_say_by_how_much_they_are_off(
    opened: dc.Study, draw: Draw, has: bool
) -> None:
    found = off_in(draw(opened), COUNTS_OFF)
    assert len(found) == has
    assert all(1 < it < 100 for it in found)


def test_counts_are_off_by_more_than_chance(opened: dc.Study) -> None:
    view = opened.over_time("visit", every="year")
    (found,) = off_in(view, COUNTS_OFF)
    counts = np.array(view.series[0].counts)
    n = counts.sum()
    assert found > NORMAL * math.sqrt(max(counts * (1 - counts / n))) - 1


def test_bars_of_the_data_are_as_near_as_is_said() -> None:
    within = list[bool]()
    for n in (N, 700):
        raw = cohort(n).to_pandas()
        study = dc.open(raw, unit=False)
        for name in ("sex", "band", "died", "chapter"):
            view = study.bars(name)
            (off,) = off_in(view)
            shares = view.to_frame()["percent"]
            true = raw[name].fillna("(missing)").value_counts(normalize=True)
            for level, share in zip(view.levels, shares, strict=True):
                within.append(abs(share - 100 * true[level]) <= off)
    assert np.mean(within) >= 0.95


def test_counts_over_time_of_the_data_are_as_near_as_is_said() -> None:
    within = list[bool]()
    for n in (N, 700):
        raw = cohort(n).to_pandas()
        view = dc.open(raw, unit=False).over_time("visit", every="quarter")
        (off,) = off_in(view, COUNTS_OFF)
        quarters = raw["visit"].dt.to_period("Q").value_counts()
        true = {it.start_time.to_datetime64(): count for it, count in quarters.items()}
        for start, count in zip(view.starts, view.series[0].counts, strict=True):
            day = np.datetime64(int(start), "D").astype("datetime64[ns]")
            within.append(abs(count - true[day]) <= off)
    assert len(within) >= 16
    assert np.mean(within) >= 0.95
