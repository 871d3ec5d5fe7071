"""For whom a study file is, until when, and whether it may be combined."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.errors import InputError, UseWarning
from discreet.policy import Policy
from discreet.use import Use, together
from tests.explore.test_pooled import published, rows, saved

A_DAY = timedelta(days=1)


@given(st.dates(date(1, 1, 2), date(9999, 12, 30)))
def test_the_last_day_is_the_last_on_which_a_file_is_not_past(last: date) -> None:
    use = Use(until=last.isoformat())
    days = (last - A_DAY, last, last + A_DAY)
    assert [use.is_past(day) for day in days] == [False, False, True]
    assert not Use().is_past(last)


def test_what_several_files_ask_together() -> None:
    one, other = Use("members", "2027-12-31"), Use("", "2026-01-31", combine=False)
    assert together([one, other]) == Use("members", "2026-01-31", combine=False)
    assert together([one, Use("others")]).audience == "whom each of the studies names"
    assert together([Use(), Use()]) == Use()


def test_what_is_asked_in_another_way_is_refused() -> None:
    for wrong in ({"until": "soon"}, {"audience": "a" * 201}, {"combine": "no"}):
        with pytest.raises(InputError, match="says for whom it is in a line of at most 200"):
            Use.of(wrong)


def test_a_file_that_is_past_or_by_itself_is_opened_with_a_warning() -> None:
    rules = Policy.preset("standard")
    alone = rules.changed(audience="members of METAGUT", until="9999-12-31", combine=False)
    past = saved("past", rows("past"), policy=rules.changed(until="2020-01-31"))
    own = saved("alone", rows("alone"), policy=alone)
    with pytest.warns(UseWarning, match=r"past\.discreet' was to be used until 2020-01-31"):
        assert repr(dc.open(past)).endswith("; until 2020-01-31)")
    asked = "for members of METAGUT, until 9999-12-31, not to be combined with other studies"
    study = dc.open(own)  # by itself without a warning
    assert repr(study).endswith(f"; {asked})")
    assert f"F{asked[1:]}." in study.board().to_html()
    with pytest.warns(UseWarning, match=r"alone\.discreet' is not to be combined"):
        pooled = dc.open([own, published("north")])
    assert asked in repr(pooled)
