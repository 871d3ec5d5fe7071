"""The whole way of an answer: asked of a file, answered from data, read in the next revision."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import discreet as dc
from discreet.custodian.answering import Answering, book_of
from discreet.custodian.outputs import outputs_in
from discreet.custodian.protect import session_of
from discreet.custodian.session import register_of
from discreet.errors import InputError, LeavingError, RefusedError
from discreet.explore import Study
from discreet.explore.from_file import FileSession
from discreet.policy import load_policy
from discreet.study_file import open_study_file
from tests.answers.conftest import cohort
from tests.ready import SECRET, opened_once

TABLE = cohort(2000)


def once(make: Callable[[], Path]) -> Path:
    """Return a study file that is made once for all tests."""
    return opened_once(f"a cohort of 2,000: {make.__name__}", make)


def copied(folder: Path, make: Callable[[], Path], patch: pytest.MonkeyPatch) -> Path:
    """Return a study file in a folder of its own, with its register beside."""
    kept = once(make)
    patch.setenv("DISCREET_SECRET", SECRET)
    for name in ("DISCREET_STATE", "DISCREET_CONFIG"):
        shutil.copytree(kept.parent / name, folder / name)
        patch.setenv(name, str(folder / name))
    return Path(shutil.copy(kept, folder / "cohort.discreet"))


def published() -> Path:
    home = Path(os.environ["DISCREET_STATE"]).parent
    return dc.protect(TABLE, study="cohort").publish(home / "cohort.discreet")


def published_and_answered() -> Path:
    path = published()
    answer(path, asked(path))
    return path


def published_and_asked_for_means() -> Path:
    path = published()
    study = dc.open(shutil.copy(path, path.with_name("before.discreet")))
    study.ask(study.means("bmi", "smoker"))
    answer(path, study)
    return path


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A study file that was published of the cohort."""
    return copied(tmp_path, published, monkeypatch)


@pytest.fixture
def answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A study file with the answers to the three questions."""
    return copied(tmp_path, published_and_answered, monkeypatch)


def asked(path: Path) -> Study:
    """Return the opened study with three questions on its list."""
    study = dc.open(path)
    study.ask(study.bars("sex", by="smoker"))
    study.ask(study.histogram("age", bins=8))
    study.ask(study.where("age >= 50").means("bmi", "smoker"), holds="yes > no")
    return study


def answered_of(path: Path) -> list[dict[str, str]]:
    """Return what the register has of the copy in a study file."""
    return register_of("standard").answered(dc.check(path).version)


def answer(path: Path, study: Study, **more: Any) -> Answering:
    return dc.answer(TABLE, study.questions, study=path, **more)


@pytest.mark.slow
def test_answers_come_in_the_next_revision_of_the_same_copy(path: Path) -> None:
    study = asked(path)
    before = dc.check(path)
    made = answer(path, study, who="A. Analyst")
    assert [it.says for it in made.outcomes] == ["answered"] * 3
    assert [it.cost for it in made.outcomes] == [4, 1, 4]
    opened, after = dc.open(path), dc.check(path)
    assert [*opened.answers] == sorted(it.id for it in study.questions)
    assert (after.version, after.content, after.rows) == (
        before.version,
        before.content,
        before.rows,
    )
    assert opened.bars("sex").counts == study.bars("sex").counts
    bars = next(it for it in opened.answers.values() if it.question.kind == "bars")
    assert bars.view is not None
    assert abs(sum(bars.view.counts) - 2000) < 4 * 2 * 80  # type: ignore[attr-defined]


def test_an_answer_is_saved_with_where_it_comes_from(answered: Path, tmp_path: Path) -> None:
    for it in dc.open(answered).answers.values():
        if it.table is not None:
            it.table.save(tmp_path / "table.csv")
            it.table.save(tmp_path / "table.html")
        if it.view is not None:
            it.view.save(tmp_path / "plot.svg")
            assert "from the data" in (tmp_path / "plot.svg").read_text()


@pytest.mark.parametrize("form", ["svg", "json"])
def test_a_figure_of_an_answer_is_verified_with_the_file(
    answered: Path, tmp_path: Path, form: str
) -> None:
    study = dc.open(answered)
    view = next(it.view for it in study.answers.values() if it.view is not None)
    figure = tmp_path / f"figure.{form}"
    view.save(figure)
    assert study.verify(figure).verdict == "as made"
    old = figure.read_text()
    changed = old.replace("age", "bge") if "age" in old else old.replace("sex", "sax")
    figure.write_text(changed)
    assert study.verify(figure).verdict != "as made"


TABLE_FORMS = ["csv", "json", "xlsx", "sav", "svg"]


@pytest.mark.parametrize("form", TABLE_FORMS)
def test_a_table_of_an_answer_is_verified_to_the_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    kept = once(published_and_asked_for_means)
    opened = dc.open(copied(tmp_path, published_and_asked_for_means, monkeypatch))
    (found,) = opened.answers.values()
    assert found.table is not None
    file = found.table.save(tmp_path / f"table.{form}")
    checked = opened.verify(file)
    assert (checked.verdict, found.question.id in checked.says) == ("as made", True)
    file.write_bytes(file.read_bytes() + b" ")
    assert opened.verify(file).verdict != "as made"
    before = dc.open(shutil.copy(kept.with_name("before.discreet"), tmp_path / "before.discreet"))
    assert before.verify(found.table.save(file)).verdict != "as made"  # it has no answers


@pytest.mark.slow
def test_an_output_checker_reads_by_which_rules_an_answer_was_given(
    answered: Path, tmp_path: Path
) -> None:
    study, figures = dc.open(answered), tmp_path / "figures"
    figures.mkdir()
    view = next(it.view for it in study.answers.values() if it.view is not None)
    view.save(figures / "answer.svg")
    study.histogram("age").save(figures / "copy.svg")
    (figures / "changed.svg").write_text((figures / "copy.svg").read_text().replace("age", "bge"))
    own = outputs_in(tmp_path / "request", "standard", "cohort", answered)
    assert [it.name for it in own.collect([figures])] == ["changed.svg"]
    own.write()
    record = json.loads((tmp_path / "request" / "results.json").read_text())["results"]
    assert {name: it["status"] for name, it in record.items()} == dict.fromkeys(
        ["answer.svg", "copy.svg"], "pass"
    )
    summary = record["answer.svg"]["summary"]
    assert "answered by rule; threshold: cells of fewer than 40 people" in summary
    assert "each value drawn anew" not in summary
    assert "each value drawn anew from at least 20 people" in record["copy.svg"]["summary"]
    assert own.collect([figures / "changed.svg"])
    # Without the file nobody can say what they are.
    assert len(outputs_in(tmp_path / "other", "standard", "cohort").collect([figures])) == 3


def test_a_file_of_another_study_or_secret_is_refused_for_outputs(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError, match="is not a file of study 'census' that was published"):
        outputs_in(tmp_path / "request", "standard", "census", path)
    monkeypatch.setenv("DISCREET_CONFIG", str(tmp_path / "others"))
    with pytest.raises(InputError, match="that was published with this secret"):
        outputs_in(tmp_path / "request", "standard", "cohort", path)


def test_what_was_asked_stands_in_the_register_and_no_figure_does(path: Path) -> None:
    study = asked(path)
    answer(path, study, who="A. Analyst")
    rows = answered_of(path)
    assert [(it["who"], it["outcome"]) for it in rows] == [("A. Analyst", "answered")] * 3
    for it, question in zip(rows, study.questions, strict=True):
        assert question.says in it["question"].replace('\\"', '"')


@pytest.mark.slow
def test_the_same_questions_are_answered_the_same_again_and_cost_nothing(path: Path) -> None:
    study = asked(path)
    first = answer(path, study)
    answers = {name: it.to_plain() for name, it in dc.open(path).answers.items()}
    again = answer(path, study)
    assert again.left == first.left
    assert {name: it.to_plain() for name, it in dc.open(path).answers.items()} == answers
    assert len(answered_of(path)) == 3


@pytest.mark.slow
def test_earlier_answers_count_whatever_is_found_of_the_copy_later(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = asked(path)
    first = answer(path, study)
    # An attack on the data at hand that leaves no room for any more.
    monkeypatch.setattr("discreet.custodian.answering._membership", lambda *_: (0.5, 0.5))
    again = answer(path, study, pairs=10)
    assert [it.says for it in again.outcomes] == ["answered"] * 3
    assert again.left == first.left
    study.ask(study.bars("region"))
    later = answer(path, study, pairs=10)
    assert "would tell too much" in later.outcomes[-1].says
    assert later.left == first.left
    assert answer(path, study).left == first.left - 1  # people in all were given before
    assert len(answered_of(path)) == 5


@pytest.mark.slow
def test_a_later_question_is_decided_beside_the_earlier_ones(path: Path) -> None:
    answer(path, asked(path))
    study = dc.open(path)
    study.ask(study.crosstab("sex", "smoker"))  # the same cells
    study.ask(study.where("time >= 0").bars("sex"))  # nobody less
    made = answer(path, study)
    assert [it.cost for it in made.outcomes] == [0, 2]
    found = dc.open(path).answers
    assert len(found) == 5
    bars = next(
        it.table for it in found.values() if it.question.says == "the bars of sex by smoker"
    )
    same = found[next(iter(study.questions)).id].table
    assert bars is not None
    assert same is not None
    assert [it.cells for it in same.lines] == [it.cells for it in bars.lines]


def test_a_dry_run_writes_and_records_nothing(path: Path) -> None:
    bytes_before = path.read_bytes()
    made = answer(path, asked(path), dry_run=True)
    assert made.path is None
    assert "dry run: nothing was written" in repr(made)
    assert path.read_bytes() == bytes_before
    assert answered_of(path) == []


@pytest.mark.slow
def test_the_attack_on_the_copy_is_made_on_the_data_at_hand(path: Path) -> None:
    made = answer(path, asked(path), dry_run=True, pairs=10)
    copy, both = made.exposure.typical
    assert copy != 0.57
    assert 0 <= both - copy < 0.03


@pytest.mark.slow
def test_a_question_that_is_refused_says_why_and_the_others_are_answered(path: Path) -> None:
    study = dc.open(path)
    study.ask(study.bars("sex"))
    for other in ("region", "smoker", "died"):
        study.ask(study.means("bmi", ["sex", other]))
    study.ask(study.model("bmi ~ age + region"))
    made = answer(path, study)
    assert [it.says == "answered" for it in made.outcomes] == [True, True, True, True, False]
    assert "used up" in made.outcomes[-1].says
    assert [*dc.open(path).answers] == sorted(it.question.id for it in made.outcomes[:-1])


# --- what may not be ------------------------------------------------------------------------------


def test_other_data_or_another_policy_are_refused(path: Path) -> None:
    study = asked(path)
    other = TABLE.set_column(0, "age", pa.array([50.0] * len(TABLE)))
    with pytest.raises(InputError, match="the study file is not of these data under this policy"):
        dc.answer(other, study.questions, study=path)
    with pytest.raises(InputError, match="the study file is not of these data under this policy"):
        answer(path, study, k=6)


def test_questions_of_another_version_are_refused(path: Path) -> None:
    study = asked(path)
    study.questions.version = "other"
    with pytest.raises(InputError, match="the questions are of version other"):
        answer(path, study)


def test_a_version_keeps_the_noise_it_was_answered_with(path: Path) -> None:
    answer(path, asked(path))
    study = dc.open(path)
    study.ask(study.bars("region"))
    with pytest.raises(
        LeavingError, match="answer_noise, answers or k of the policy are other ones"
    ):
        answer(path, study, answer_noise=30)


def test_noise_of_another_size_has_other_draws(path: Path) -> None:
    # Two sizes of one draw, by a copy of the register or a dry run, would tell what it is.
    rules, of = load_policy("standard").changed(study="cohort"), FileSession(open_study_file(path))
    versions = {
        book_of(session_of(TABLE, rules.changed(answer_noise=it)), of).records.noise.version
        for it in (20, 30)
    }
    assert len(versions) == 2


@pytest.mark.slow
def test_two_studies_of_one_copy_have_one_budget_and_one_noise(path: Path, tmp_path: Path) -> None:
    # They have the same draws: two sizes of noise of one draw would tell what it is.
    first = answer(path, asked(path))
    other = dc.protect(TABLE, study="another").publish(tmp_path / "another.discreet")
    study = asked(other)
    assert dc.check(other).version == dc.check(path).version
    with pytest.raises(LeavingError, match="maybe for another study of them"):
        answer(other, study, answer_noise=40)
    again = answer(other, study)
    assert (again.left, [it.cost for it in again.outcomes]) == (first.left, [0, 0, 0])


def test_answers_that_tell_too_much_do_not_leave(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Each question that would is refused by itself, before anything is looked at.
    monkeypatch.setattr("discreet.answers.book.MOST_ABOVE", 0.0)
    made = answer(path, asked(path))
    assert all("would tell too much of people who stand out" in it.says for it in made.outcomes)
    assert [it.cost for it in made.outcomes] == [0, 0, 0]
    assert [*dc.open(path).answers] == []


def test_a_study_that_was_never_published_here_has_no_answers(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = asked(path)
    shutil.rmtree(tmp_path / "DISCREET_STATE")
    with pytest.raises(dc.DiscreetError, match=r"\w+ \w+"):
        answer(path, study)


def test_public_data_have_no_answers(path: Path) -> None:
    with pytest.raises(RefusedError, match="only a guarded study has answers"):
        answer(path, asked(path), public=True)


def test_names_that_are_no_files_are_refused(path: Path) -> None:
    study = asked(path)
    with pytest.raises(InputError, match="study= names the study file"):
        dc.answer(TABLE, study.questions, study="cohort.csv")
    with pytest.raises(InputError, match="a study file is saved as"):
        answer(path, study, to="answers.json")


# --- attacks on the data at hand ------------------------------------------------------------------


@pytest.fixture
def attacked(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Attack counts as with `pairs`, and take what the attack on the copy found elsewhere."""
    monkeypatch.setattr("discreet.custodian.answering._membership", lambda *_: (0.57, 0.68))
    return monkeypatch


@pytest.mark.slow
def test_what_counts_tell_is_said_to_the_custodian_and_changes_nothing_that_leaves(
    path: Path, tmp_path: Path, attacked: pytest.MonkeyPatch
) -> None:
    study = asked(path)
    other = answer(path, study, to=tmp_path / "other.discreet")
    rows = answered_of(path)
    made = answer(path, study, pairs=1)
    assert other.counts is None
    assert made.counts is not None
    assert [it.column for it in made.counts.columns] == ["sex", "smoker"]  # no figure of the means
    assert "sex, all else known: right for" in repr(made)
    assert made.to_plain()["counts"]["costliest"] is None
    assert path.read_bytes() == (tmp_path / "other.discreet").read_bytes()
    assert answered_of(path) == rows


@pytest.mark.slow
def test_a_revision_whose_counts_tell_too_much_is_not_written_and_the_custodian_is_told_why(
    path: Path, attacked: pytest.MonkeyPatch
) -> None:
    study, before = asked(path), path.read_bytes()
    attacked.setattr("discreet.answers.reconstruction.MOST_ABOVE_GUESS", -0.5)
    assert "right for" in repr(answer(path, study, pairs=1, dry_run=True))
    with pytest.raises(RefusedError, match=r"The answer to \w{20}, the \w+ of .*, costs most"):
        answer(path, study, pairs=1)
    assert path.read_bytes() == before
    assert answered_of(path) == []
