"""Survival curves: worked by hand and by brute force, what is the event, what is refused."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import discreet as dc
from discreet.custodian.papers import Papers
from discreet.errors import InputError, RefusedError
from discreet.plots import SurvivalCurve, SurvivalView
from discreet.plots.survival import SurvivalPlot, event_of, product_limit
from discreet.render.scene import Bands, Lines

# Weeks in remission of 21 children given 6-MP (Freireich et al. 1963); + is still in remission.
SIX_MP = "6 6 6 6+ 7 9+ 10 10+ 11+ 13 16 17+ 19+ 20+ 22 23 25+ 32+ 32+ 34+ 35+"
PLACEBO = "1 1 2 2 3 4 4 5 5 8 8 8 8 11 11 12 12 15 17 22 23"


def observed(text: str) -> tuple[Any, Any]:
    """Return times and whether each is that of an event."""
    words = text.split()
    times = np.array([float(it.rstrip("+")) for it in words])
    return times, np.array([not it.endswith("+") for it in words])


# --- the estimate ---------------------------------------------------------------------------------


def test_the_estimate_of_the_trial_of_6_mp() -> None:
    """As printed by Kalbfleisch and Prentice, and by Stata (`sts list`)."""
    at, shares, low, high = product_limit(*observed(SIX_MP))
    assert at.tolist() == [0, 6, 7, 10, 13, 16, 22, 23]
    assert shares.round(4).tolist() == [1, 0.8571, 0.8067, 0.7529, 0.6902, 0.6275, 0.5378, 0.4482]
    assert low.round(4).tolist() == [1, 0.6197, 0.5631, 0.5032, 0.4316, 0.3675, 0.2678, 0.1881]
    assert high.round(4).tolist() == [1, 0.9516, 0.9228, 0.8894, 0.8491, 0.8049, 0.7468, 0.6801]


def test_greenwoods_errors_of_the_trial_of_6_mp() -> None:
    """Kalbfleisch and Prentice: 0.0764 at 6 weeks, 0.0963 at 10, 0.1346 at 23."""
    at, shares, low, _ = product_limit(*observed(SIX_MP))
    half = np.log(-np.log(low[1:])) - np.log(-np.log(shares[1:]))
    errors = half / 1.959963984540054 * -np.log(shares[1:]) * shares[1:]
    assert dict(zip(at[1:].tolist(), errors.round(4).tolist(), strict=True)) == {
        **{6: 0.0764, 7: 0.0869, 10: 0.0963, 13: 0.1068},
        **{16: 0.1141, 22: 0.1282, 23: 0.1346},
    }


def test_without_ends_of_observation_it_is_the_share_that_is_left() -> None:
    times, happened = observed(PLACEBO)
    at, shares, low, high = product_limit(times, happened)
    assert shares[1:].tolist() == pytest.approx([(times > t).mean() for t in at[1:]])
    # Where nobody is left the interval is not defined: from 0 to where it reached before.
    assert (shares[-1], low[-1], high[-1]) == (0.0, 0.0, high[-2])


def test_it_ends_where_few_are_at_risk() -> None:
    at, _, _, _ = product_limit(*observed(SIX_MP), least=10)
    assert at.tolist() == [0, 6, 7, 10, 13, 16]  # 11 at risk; at 22 weeks 7


def by_brute_force(times: list[int], happened: list[bool]) -> dict[int, Fraction]:
    """Multiply, day by day, the shares of those at risk who had no event that day."""
    left, out = Fraction(1), {}
    for day in range(max(times) + 1):
        at_risk = [t for t in times if t >= day]
        events = [t for t, yes in zip(times, happened, strict=True) if yes and t == day]
        if events:
            left *= 1 - Fraction(len(events), len(at_risk))
            out[day] = left
    return out


ROWS = st.lists(st.tuples(st.integers(0, 12), st.booleans()), min_size=1, max_size=40)


@given(rows=ROWS)
def test_it_is_the_product_of_the_days(rows: list[tuple[int, bool]]) -> None:
    times, happened = [t for t, _ in rows], [yes for _, yes in rows]
    at, shares, low, high = product_limit(np.array(times, float), np.array(happened))
    expected = by_brute_force(times, happened)
    assert at[1:].tolist() == [*expected]
    assert shares[1:].tolist() == pytest.approx([float(it) for it in expected.values()], abs=1e-12)
    assert (low <= shares).all()
    assert (shares <= high).all()
    assert (np.diff(shares) < 0).all()


def test_intervals_are_those_of_scipy() -> None:
    times, happened = observed(SIX_MP)
    sample = stats.CensoredData(uncensored=times[happened], right=times[~happened])
    found = stats.ecdf(sample).sf
    ends = found.confidence_interval(0.95, method="log-log")
    at, shares, low, high = product_limit(times, happened)
    assert shares[1:] == pytest.approx(found.evaluate(at[1:]))
    assert low[1:] == pytest.approx(ends.low.evaluate(at[1:]))
    assert high[1:] == pytest.approx(ends.high.evaluate(at[1:]))


def test_an_interval_holds_the_copys_own_error_on_its_own_scale() -> None:
    at, shares, low, high = (tuple(it.tolist()) for it in product_limit(*observed(SIX_MP)))
    curve = SurvivalCurve("a", 21, 9, at, shares, low, high, 35.0, ())

    found = curve.widened(lambda level, time: 0.6 * ((level, time) == ("a", 10.0)))

    def half(end: float, share: float) -> float:
        return math.log(math.log(end) / math.log(share))

    greenwood = half(low[3], shares[3])
    wider = math.hypot(greenwood, 0.6)
    assert half(found.low[3], shares[3]) == pytest.approx(wider)
    assert half(found.high[3], shares[3]) == pytest.approx(-wider)
    others = [0, 1, 2, 4, 5, 6, 7]  # of which nothing is known
    assert [found.low[i] for i in others] == pytest.approx([low[i] for i in others])
    assert [found.high[i] for i in others] == pytest.approx([high[i] for i in others])


# --- what is the event ----------------------------------------------------------------------------

EVENTS: dict[str, tuple[list[str], Any, tuple[str, ...]]] = {
    "numbers": (["1", "0"], None, ("1",)),
    "words": (["No", "YES"], None, ("YES",)),
    "a level": (["alive", "dead"], "dead", ("dead",)),
    "a number": (["1", "2"], 2, ("2",)),
    "several": (["0", "1", "2"], [2, "1"], ("2", "1")),
    "one twice": (["a", "b"], ["a", "a"], ("a",)),
}


@pytest.mark.parametrize(("names", "said", "expected"), EVENTS.values(), ids=EVENTS)
def test_which_level_is_the_event(names: list[str], said: Any, expected: tuple[str, ...]) -> None:
    assert event_of(names, said, "status") == expected


ASKED = r"^it is not clear which values of 'status' are the event; name them: event_is='\.\.\.'"
UNCLEAR: dict[str, tuple[list[str], Any, str]] = {
    "words": (["dead", "alive"], None, ASKED + r".* --event-is\).*; there are 'dead', 'alive'$"),
    "three": (["0", "1", "2"], None, ASKED),
    "one alone, perhaps of 1 and 2": (["1"], None, ASKED),
    "an unknown one": (["1", "2"], 3, r"^event_is: '3' is not a level of 'status'; .* '1', '2'$"),
    "another case": (["Dead", "alive"], "dead", "^event_is: 'dead' is not a level of 'status'"),
    "no level": (["a", "b"], {"a": 1}, "^event_is is a level of the event's column"),
}


@pytest.mark.parametrize(("names", "said", "words"), UNCLEAR.values(), ids=UNCLEAR)
def test_an_event_that_is_not_clear_is_asked_for(names: list[str], said: Any, words: str) -> None:
    with pytest.raises(InputError, match=words) as raised:
        event_of(names, said, "status")
    assert raised.value.parameter == "event_is"


def test_raw_levels_are_not_named() -> None:
    with pytest.raises(InputError, match=r"one or several of its levels$"):
        event_of(["dead", "alive"], None, "status", told=False)


# --- a study --------------------------------------------------------------------------------------


def patients() -> pa.Table:
    """600 patients: the treated live twice as long; status 0 alive, 1 moved away, 2 dead."""
    rng = np.random.default_rng(7)
    arm = np.array(["control", "treated"])[rng.integers(0, 2, 600)]
    until = np.ceil(rng.exponential(np.where(arm == "treated", 40.0, 20.0)))
    seen = rng.integers(5, 60, 600)
    dead = until <= seen
    return pa.table(
        {
            "months": np.minimum(until, seen).astype(float),
            "died": dead.astype(int),
            "status": np.where(dead, 2, rng.integers(0, 2, 600)).astype(float),
            "vital": np.where(dead, "dead", "alive"),
            "age": rng.normal(60, 10, 600).round(1),
            "arm": arm,
            "ward": np.where(np.arange(600) < 6, "small", arm),
            "born": pa.array(rng.integers(0, 20000, 600).astype("int32"), pa.date32()),
        }
    )


@pytest.fixture(scope="module")
def study() -> dc.Study:
    """A study of one copy of the whole table."""
    return dc.open(patients(), dc.Policy.preset("standard", public=True))


@pytest.fixture(scope="module")
def records() -> Papers:
    """The same, of which curves are of the raw records."""
    return dc.research(patients(), public=True).papers


@pytest.mark.slow
def test_a_curve_of_the_copy(study: dc.Study) -> None:
    view = study.survival("months", "died")
    (curve,) = view.curves
    copy = study.session.whole
    rows, levels = copy.part(["months"], ["died"])
    at, shares, low, high = product_limit(rows["months"], np.array(levels["died"]) == "1", 10)

    assert (view.event_is, view.by, curve.level, view.method) == (("1",), None, "", "whole")
    assert (curve.times, curve.shares) == (tuple(at), tuple(shares))
    wider = [a < b for a, b in zip(curve.low[1:], low[1:], strict=True)]
    assert wider == [a > b for a, b in zip(curve.high[1:], high[1:], strict=True)]
    assert all(wider)  # they hold how far the copy is off
    assert view.own_error
    assert any("for the population" in it for it in view.scene().notes)
    assert curve.rows == len(copy)
    assert curve.end == np.sort(rows["months"])[-10]
    assert curve.at_risk == tuple((rows["months"] >= t).sum() for t in view.places)


def test_a_curve_for_each_level(study: dc.Study) -> None:
    view = study.survival("months", "status", by="arm", event_is=2)
    control, treated = view.curves
    assert (control.level, treated.level) == ("control", "treated")
    assert control.rows + treated.rows == len(study.session.whole)
    # Of the two, who is treated lives longer; of the raw rows 0.20 and 0.47 reach 30 months.
    at_30 = [[s for t, s in zip(it.times, it.shares, strict=True) if t <= 30][-1] for it in
             view.curves]  # fmt: skip
    assert at_30[0] < 0.35 < at_30[1]
    assert "; median " in view.describe().splitlines()[-1]


def test_codes_words_and_several_values_are_the_same_event(study: dc.Study) -> None:
    one, several = (study.survival("months", "status", event_is=it) for it in (1, [1, 2]))
    assert several.curves[0].events > one.curves[0].events
    assert several.event_is == ("1", "2")
    assert (
        study.survival("months", "vital", event_is="dead")
        .note()
        .startswith("survival over months until vital = dead: whole")
    )


def test_rows_that_are_left_out_are_said(records: Papers) -> None:
    table = patients()
    months = table["months"].to_numpy().copy()
    months[:3] = -1
    odd = table.set_column(0, "months", pa.array(months))
    view = dc.research(odd, public=True).papers.draw(SurvivalPlot("months", "died"))
    assert "rows of a negative months are left out: 3" in view.notes()
    assert "shown: 597 of 600 records, unprotected" in view.notes()
    said = records.draw(SurvivalPlot("months", "died", by="ward")).notes()
    assert "a level of fewer than 10 rows not drawn" in said
    assert "shown: 594 of 600 records, unprotected" in said


REFUSED: dict[str, tuple[list[str], dict[str, Any], type[Exception], str]] = {
    "an event to be named": (["months", "vital"], {}, InputError, "there are 'alive', 'dead'$"),
    "too many values": (["months", "age"], {}, InputError, "too many different values"),
    "levels as a time": (["arm", "died"], {}, InputError, "'arm' is categorical; numbers are need"),
    "dates": (
        ["born", "died"],
        {},
        InputError,
        "'born' holds dates; .*the time that each person was obs",
    ),
    "the event as by": (["months", "died"], {"by": "died"}, InputError, "named twice"),
    "many levels": (["months", "died"], {"by": "age"}, InputError, "^column 'age' "),
}


@pytest.mark.parametrize(("names", "how", "kind", "words"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(
    study: dc.Study, names: list[str], how: dict[str, Any], kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        study.survival(*names, **how)


def test_fewer_rows_than_a_curve_needs() -> None:
    few = dc.research(patients().slice(0, 9), public=True).papers
    with pytest.raises(RefusedError, match=r"^fewer than 10 rows have a time and an event"):
        few.draw(SurvivalPlot("months", "vital", event_is="dead"))


# --- the plot -------------------------------------------------------------------------------------


def test_a_scene_of_two_curves(study: dc.Study) -> None:
    view = study.survival("months", "died", by="arm")
    (panel,) = view.scene().panels
    bands = [mark for mark in panel.marks if isinstance(mark, Bands)]
    lines = [mark for mark in panel.marks if isinstance(mark, Lines)]

    assert (
        [mark.label for mark in bands] == [mark.label for mark in lines] == ["control", "treated"]
    )
    assert panel.y.limits == (0.0, 1.0)
    assert [row.name for row in panel.x.beneath] == ["at risk", "control", "treated"]
    for row, curve in zip(panel.x.beneath[1:], view.curves, strict=True):
        assert row.words == tuple(
            (t, f"{n:,}") for t, n in zip(view.places, curve.at_risk, strict=True)
        )
    x, y = lines[0].x[0], lines[0].y[0]
    control = view.curves[0]
    assert (x[0], y[0], x[-1], y[-1]) == (0.0, 1.0, control.end, control.shares[-1])
    # Each step goes along first and then down.
    assert all(a == b or c == d for a, b, c, d in zip(x, x[1:], y, y[1:], strict=False))
    assert all(a >= b for a, b in pairwise(y))


def test_many_times_are_drawn_as_far_as_an_eye_can_tell_them_apart() -> None:
    rng = np.random.default_rng(1)
    table = pa.table({"days": rng.exponential(9, 20_000), "died": rng.integers(0, 2, 20_000) == 1})
    view = dc.research(table, public=True).papers.draw(SurvivalPlot("days", "died"))
    (curve,) = view.curves
    at, shares, *_ = product_limit(table["days"].to_numpy(), table["died"].to_numpy(), 10)
    whole = dict(zip(at.tolist(), shares.tolist(), strict=True))
    assert 500 < len(curve.times) <= 1001 < len(whole)
    assert all(whole[t] == s for t, s in zip(curve.times, curve.shares, strict=True))


@pytest.mark.parametrize(("curves", "words"), {
    "none": ((), "has a curve"),
    "not at risk": (
        (SurvivalCurve("", 9, 3, (0.0,), (1.0,), (1.0,), (1.0,), 2.0, ()),), "rows at risk"
    ),
}.values())  # fmt: skip
def test_what_is_no_view_of_survival(
    study: dc.Study, curves: tuple[SurvivalCurve, ...], words: str
) -> None:
    whole = study.survival("months", "died")
    given = {name: getattr(whole, name) for name in ("columns", "method", "parameters", "origin")}
    with pytest.raises(InputError, match=words):
        SurvivalView(**given, suppressed=0, event_is=("1",), by=None, curves=curves, places=(0.0,))
