"""Columns of the copy that the policy withholds: in nothing that is drawn, told or released."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import discreet as dc
from discreet.errors import DiscreetError, InputError, RefusedError
from discreet.explore.board import board_rows
from discreet.policy import Policy
from tests.explore.test_notes_of_copy import cohort


def opened(*withhold: str, **more: Any) -> dc.Study:
    policy = Policy.preset("standard", withhold=[*withhold], **more)
    return dc.open(cohort(), policy=policy, study="withheld", unit=False)


@pytest.fixture(scope="module")
def study() -> dc.Study:
    return opened(
        "sugar",
        "sex",
        derive={"much": "sugar > 100", "log_bmi": "log(bmi)", "more": "much == true"},
    )


WITHHELD = r"column '.*' is withheld, as the copy is too far off in it"
#: What names a column that is withheld, or what is made of one.
NAMED: dict[str, Callable[[dc.Study], Any]] = {
    "a histogram": lambda s: s.histogram("sugar"),
    "levels": lambda s: s.bars("sex"),
    "by levels": lambda s: s.box("bmi", by="sex"),
    "weights": lambda s: s.histogram("bmi", weights="sugar"),
    "a summary": lambda s: s.summary(["sugar"]),
    "a released table": lambda s: s.anonymize(["sugar", "age"]),
    "what is derived of it": lambda s: s.bars("much"),
    "what is derived of that": lambda s: s.bars("more"),
}


@pytest.mark.parametrize("ask", NAMED.values(), ids=NAMED)
def test_who_names_one_is_told(study: dc.Study, ask: Callable[[dc.Study], Any]) -> None:
    with pytest.raises(RefusedError, match=WITHHELD):
        ask(study)


@pytest.mark.parametrize(
    "ask",
    [
        lambda s: s.model("sugar ~ age"),
        lambda s: s.model("bmi ~ age + C(sex)"),
        lambda s: s.where("sugar > 100"),
        lambda s: s.assign(high="much == true"),
    ],
)
def test_no_expression_has_one(study: dc.Study, ask: Callable[[dc.Study], Any]) -> None:
    with pytest.raises(DiscreetError, match=r"withheld|no column|cannot"):
        ask(study)


def test_what_names_none_has_none(study: dc.Study) -> None:
    gone = {"sugar", "sex", "much", "more"}
    assert not gone & {*study.anonymize().frame.columns}
    summary = study.summary()
    assert not gone & {it.column for it in summary.figures}
    assert "withheld, as the copy is too far off in them: more, much, sex, sugar" in summary.notes
    assert not gone & {*study.correlations().columns}
    assert {"bmi", "log_bmi"} <= {*study.anonymize().frame.columns}


def test_a_board_and_the_list_of_columns_have_none_of_its_rows(study: dc.Study) -> None:
    names = {*board_rows(study._copy).names}
    assert not {"sugar", "sex", "much", "more"} & names
    assert {"age", "log_bmi"} <= names
    assert "sugar" not in study._copy.whole.drawable


@pytest.mark.slow
def test_the_copy_stays_as_it_is_and_other_columns_may_be_withheld() -> None:
    plain, one, other = opened(), opened("sugar"), opened("sex")
    copies = [it.session.kept.copy for it in (plain, one, other)]
    assert len({it.version for it in copies}) == 1
    kept = one.anonymize().frame
    assert kept.equals(plain.anonymize().frame[kept.columns])


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a name that no column has": ({"withhold": ["sugr"]}, "no column .sugr.; did you mean .sugar."),
    "without a copy of the whole table": (
        {"withhold": ["sugar"], "papers": {}},
        "the policy withholds columns of a copy, which only a guarded",
    ),
}


@pytest.mark.parametrize(("given", "says"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_withheld(given: dict[str, Any], says: str) -> None:
    policy = Policy.from_dict(given)
    door: Any = dc.open if policy.fixed else dc.research
    with pytest.raises(InputError, match=says):
        door(cohort(), policy=policy, unit=False)


def test_some_column_has_to_be_left() -> None:
    with pytest.raises(InputError, match="leaves the copy no column; withhold fewer"):
        opened(*cohort().columns).histogram("age")
