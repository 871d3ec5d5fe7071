"""Questions on a list: what they say, how they are kept, and what is refused before it is asked."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import discreet as dc
from discreet.errors import DiscreetError, InputError, RefusedError
from discreet.explore import Study
from discreet.explore.questions import MOST_QUESTIONS, Question, Questions, _of_events
from tests.ready import opened_once


@pytest.fixture(scope="module")
def study() -> Study:
    """Diabetes, opened."""
    return opened_once(
        "diabetes to be asked", lambda: dc.open(dc.datasets.diabetes(), study="diabetes")
    )


@pytest.fixture
def asked(study: Study) -> Study:
    """The study, with nothing on its list."""
    for it in [*study.questions]:
        study.questions.remove(it.id)
    return study


def test_what_is_asked_is_what_is_drawn(asked: Study) -> None:
    part = asked.assign(old="age >= 50").where("bmi >= 25")
    asked.ask(asked.bars("sex"))
    part.ask(part.histogram("glucose", by="old", bins=10))
    part.ask(part.means("bmi", "sex"), holds="1 > 2")
    asked.ask(asked.model("bmi ~ age + sex"))
    asked.ask(asked.bars("sex"))  # stands there
    assert [it.says for it in asked.questions] == [
        "the bars of sex",
        "the histogram of glucose by old; old is age >= 50; where bmi >= 25",
        'does "1 > 2" hold in the means of bmi by sex; old is age >= 50; where bmi >= 25?',
        "the linear model bmi ~ age + sex",
    ]


def test_a_list_is_saved_and_read_again(asked: Study, tmp_path: Path) -> None:
    asked.ask(asked.bars("sex"))
    asked.ask(asked.means("bmi", "sex"), holds="1 > 2")
    path = asked.questions.save(tmp_path / "questions.json")
    again = Questions.load(path)
    assert again.to_json() == asked.questions.to_json() == path.read_text()
    assert (again.study, again.version) == ("diabetes", asked.questions.version)
    assert repr(again).startswith("2 questions on diabetes:")


def test_a_list_that_is_not_json_has_no_other_ending(asked: Study, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"saved as \.json"):
        asked.questions.save(tmp_path / "questions.txt")


@pytest.mark.parametrize(
    ("figure", "says"),
    [
        (lambda s: s.scatter("age", "bmi"), "a scatter shows rows or many figures at once"),
        (lambda s: s.summary(["age"]), "a summary shows rows or many figures at once"),
        (lambda s: s.violin("bmi"), "ask for one of"),
        (lambda s: s.where("bmi > 25.03").bars("sex"), "cuts bmi between the steps of the grid"),
        (
            lambda s: s.assign(x="log(bmi)").histogram("x"),
            "is not one of numbers in the study file",
        ),
        (
            lambda s: s.assign(part="cut(age, 40, 55)").model("bmi ~ glucose + (1 | part)"),
            "models with a random term",
        ),
        (lambda s: s.columns, "ask takes a plot, a table of means or a model"),
        (lambda s: "bars", "ask takes a plot, a table of means or a model"),
    ],
)
def test_what_cannot_be_asked_is_refused_at_once(asked: Study, figure: object, says: str) -> None:
    with pytest.raises(DiscreetError, match=says):
        asked.ask(figure(asked))  # type: ignore[operator]
    assert len(asked.questions) == 0


@pytest.mark.parametrize("holds", ["age", "age >", "> 0", "age >= 0", "age == 0", "a > b; drop"])
def test_a_statement_has_one_of_the_offered_forms(asked: Study, holds: str) -> None:
    if holds == "a > b; drop":  # a name may be any text: whether it is there, the answer says
        asked.ask(asked.model("bmi ~ age"), holds=holds)
        return
    with pytest.raises(InputError, match="a statement compares names of levels, or a term with 0"):
        asked.ask(asked.model("bmi ~ age"), holds=holds)


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=8)
    | st.sampled_from(["figures", "bars"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["plot", "figures", "columns", "by", "derived", "formula", "bins", "edges", "x"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


@given(PLAIN)
@example({"plot": "histogram", "columns": ["age"], "edges": {"age": [0.0, float("nan"), 10**400]}})
@example({"plot": "bars", "columns": ["\ud800"]})
def test_whatever_stands_in_a_list_is_a_question_or_refused_in_a_sentence(plain: object) -> None:
    with suppress(InputError, RefusedError):
        found = Question.from_plain({"request": plain})
        assert Question.from_plain(found.to_plain()).id == found.id
        assert found.says


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "this is not JSON"),
        ("[]", "no list of questions"),
        (json.dumps({"schema": 2, "study": "a", "version": "1", "questions": []}), "no list"),
        (json.dumps({"schema": 1, "study": 3, "version": "1", "questions": []}), "no list"),
        (json.dumps({"schema": 1, "study": "a", "version": "1", "questions": [{}]}), "has id"),
        (
            json.dumps(
                {
                    "schema": 1,
                    "study": "a",
                    "version": "1",
                    "questions": [{}] * (MOST_QUESTIONS + 1),
                }
            ),
            "at most",
        ),
    ],
)
def test_a_file_that_is_no_list_is_refused(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        Questions.from_json(text)


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        Questions.load(tmp_path / "none.json")


def test_a_study_without_answers_says_how_to_get_some(asked: Study) -> None:
    assert "put questions on a list by study.ask" in repr(asked.answers)
    with pytest.raises(InputError, match="there is no answer 'x'"):
        asked.answers["x"]


@pytest.mark.parametrize("times", [[0, 1, 2, 3, 4], [0], [4], [1, 3]])
def test_steps_of_a_curve_rise_wherever_the_events_are(times: list[float]) -> None:
    # Where many events are in the last step of the grid, its end is not taken twice.
    edges = _of_events((0.0, 1.0, 2.0, 3.0, 4.0), np.repeat(np.array(times, dtype=float), 100), 60)
    assert [*edges] == sorted({*edges})
    assert (edges[0], edges[-1]) == (0.0, 4.0)
