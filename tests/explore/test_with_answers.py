"""Tables of the copy with the data's answers in them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import discreet as dc
from discreet.estimates.copy_table import CopyTable
from discreet.explore import Study
from discreet.explore.answered import Answer
from discreet.explore.file_checks import AS_MADE
from discreet.policy import load_policy
from tests.answers.conftest import cohort
from tests.ready import opened_once

TABLE = cohort(2000)
MODELLED = "bmi ~ age + smoker"


def answered() -> tuple[Study, Study]:
    """Return a study as it was before its questions were answered, and after."""
    both: tuple[Study, Study] = opened_once("a cohort with answers", _answered)
    return both


def _answered() -> tuple[Study, Study]:
    rules = load_policy("standard").changed(answer_noise=40, answers=60)
    folder = Path(os.environ["DISCREET_STATE"]).parent
    path = dc.protect(TABLE, study="cohort", policy=rules).publish(folder / "cohort.discreet")
    before = dc.open(path)
    part = before.where("age >= 50")
    for figure in (
        before.bars("region", by="sex"),
        before.means("bmi", "sex"),
        before.box("income", by="sex"),
        before.means("smoker", "sex"),
        before.model(MODELLED),
        part.means("bmi", "smoker"),
    ):
        before.ask(figure)
    before.ask(before.means("time", "sex"), holds="F > M")
    made = dc.answer(
        TABLE, before.questions, study=path, to=folder / "answered.discreet", policy=rules
    )
    assert [it.says for it in made.outcomes] == ["answered"] * 7
    return before, dc.open(folder / "answered.discreet")


def figures(table: CopyTable, name: str) -> dict[Any, Any]:
    """Return the figures of a name, by terms or groups."""
    return {(it.column, it.level, it.group): it.value for it in table.figures if it.figure == name}


def answer_of(study: Study, kind: str, by: str = "") -> Answer:
    """Return the answer to the question of a kind that is divided so."""
    return next(
        it
        for it in study.answers.values()
        if it.question.kind == kind and by in ("", *it.question.by) and not it.verdict
    )


def test_a_model_that_was_answered_has_the_answer_and_the_copy_beside_it(tmp_path: Path) -> None:
    before, after = answered()
    copy, table = before.model(MODELLED), after.model(MODELLED)
    answer = answer_of(after, "model").table
    assert answer is not None
    assert table.head == (*answer.head, "of the copy")
    assert figures(table, "estimate") == figures(answer, "estimate")
    assert figures(table, "estimate of the copy") == figures(copy, "estimate")
    assert [it.cells[-1] for it in table.lines if not it.section] == [
        it.cells[0] for it in copy.lines if not it.section
    ]
    assert table.notes[0].startswith("from the data, with noise")
    assert "smoker: yes (against no)" in table.scene().panels[0].y.ticks
    assert CopyTable.from_json(table.save(tmp_path / "model.json").read_text()) == table
    assert answer_of(after, "model").question.id in (tmp_path / "model.json").read_text()
    after.ask(table)
    assert answer_of(after, "model").question.id in [it.id for it in after.questions]


def test_means_that_were_answered_have_the_answer() -> None:
    before, after = answered()
    table, answer = after.means("bmi", "sex"), answer_of(after, "means", "sex").table
    assert answer is not None
    assert figures(table, "mean") == figures(answer, "mean")
    assert figures(table, "mean of the copy") == figures(before.means("bmi", "sex"), "mean")
    shares, copy = after.means("smoker", "sex"), before.means("smoker", "sex")
    assert shares.title == copy.title == "Share of smoker = yes in cohort by sex"
    assert figures(shares, "share of the copy") == figures(copy, "share")
    assert {it.name: it.cells[-1] for it in shares.lines} == {
        it.name: it.cells[2] for it in copy.lines
    }


def test_what_was_answered_without_numbers_or_not_at_all_is_the_copys() -> None:
    before, after = answered()
    assert after.means("time", "sex") == before.means("time", "sex")
    assert after.means("bmi", "region") == before.means("bmi", "region")
    assert after.model("bmi ~ age") == before.model("bmi ~ age")


@pytest.mark.slow
def test_a_summary_marks_what_comes_from_the_data() -> None:
    before, after = answered()
    columns = ["region", "bmi", "income", "time"]
    copy, table = before.summary(columns, by="sex"), after.summary(columns, by="sex")
    bars = answer_of(after, "bars").table
    assert bars is not None
    counts = {frozenset(it.group): it.value for it in bars.figures if it.figure == "count"}
    groups = {"F": (("sex", "F"),), "M": (("sex", "M"),), "all": ()}
    marked = set()
    for line, of_copy in zip(table.lines, copy.lines, strict=True):
        for head, cell, other in zip(table.head, line.cells, of_copy.cells, strict=True):
            if not cell.endswith("*"):
                assert cell == other
                continue
            marked.add((line.section, line.name))
            if line.section == "region":
                count = counts[frozenset({("region", line.name), *groups[head]})]
                assert cell.startswith(f"{int(count or 0):,} (")
    assert marked == {
        *(("region", it) for it in ("east", "north", "south", "west")),
        *(("bmi", it) for it in ("mean (sd)", "95 % interval of the mean")),
        ("income", "median (quartiles)"),
    }
    assert table.notes[0].startswith("* from the data, ±")
    shares = {key: it for key, it in figures(table, "share").items() if key[0] == "region"}
    for group in groups.values():
        assert sum(it for key, it in shares.items() if key[2] == group) == pytest.approx(1)
    low, high = figures(table, "share, low end"), figures(table, "share, high end")
    assert all(low[it] < shares[it] < high[it] for it in shares)
    raw = {key[1]: (TABLE["region"].to_pylist().count(key[1])) / 2000 for key in shares}
    assert all(low[it] < raw[it[1]] < high[it] for it in shares if it[2] == ())


@pytest.mark.parametrize(
    ("where", "by", "weights"),
    [("age >= 60", "sex", None), (None, "region", None), (None, "sex", "time")],
)
def test_an_answer_to_another_question_is_in_no_summary(
    where: str | None, by: str, weights: str | None
) -> None:
    of = [it if where is None else it.where(where) for it in answered()]
    before, after = (it.summary(["bmi", "income"], by=by, weights=weights) for it in of)
    if by == "sex":
        assert before == after
    else:  # that of all is known from the answer by sex
        assert [it for it in after.lines if "*" in "".join(it.cells[:-1])] == []


@pytest.mark.slow
def test_a_part_has_the_answers_to_its_own_conditions() -> None:
    _, after = answered()
    table = after.where("age >= 50").summary(["bmi"], by="smoker")
    assert table.lines[2].cells[0].endswith("*")
    assert not after.where("age >= 55").summary(["bmi"], by="smoker").lines[2].cells[0].count("*")


@pytest.mark.slow
def test_an_answer_that_was_drawn_with_a_title_is_said_to_have_one(tmp_path: Path) -> None:
    """Whoever draws it chooses the title: an output checker has to read it."""
    _, after = answered()
    view = answer_of(after, "bars", "sex").view
    assert view is not None
    plain = after.verify(view.save(tmp_path / "plain.svg"))
    titled = after.verify(view.save(tmp_path / "titled.svg", title="Of Ann"))
    assert (plain.verdict, titled.verdict) == (AS_MADE, AS_MADE)
    assert titled.says == f"{plain.says}; its title was written by whoever drew it"
