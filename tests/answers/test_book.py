"""A version's answers: what they cost, that they can be made again, and statements on them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from discreet.answers.book import Book, verdict_of
from discreet.answers.exposure import MOST_ABOVE, auc_of, exposure_of, gain_of
from discreet.arguments import Floats
from discreet.errors import DiscreetError, InputError, RefusedError
from discreet.explore.answered import DOES_NOT, HOLDS, UNKNOWN, Answer
from discreet.explore.questions import Question
from tests.answers.conftest import with_secret, without

Books = Callable[..., Book]
BARS = Question({"plot": "bars", "columns": ["sex"], "by": "smoker"})
TABLE = Question({"plot": "crosstab", "columns": ["sex", "region"]})
AGES = Question({"plot": "histogram", "columns": ["age"], "bins": 12})
HEAT = Question({"plot": "heatmap", "columns": ["age", "bmi"], "by": "sex"})
MEANS = Question({"figures": "means", "columns": ["bmi"], "by": ["sex"]})
MODEL = Question({"figures": "model", "formula": "bmi ~ age + sex"})
SURVIVAL = Question({"plot": "survival", "columns": ["time", "died"], "event_is": ["yes"]})


@pytest.mark.parametrize(
    ("questions", "costs"),
    [
        ([BARS], [4]),  # all, sex, smoker, both
        ([BARS, TABLE], [4, 2]),  # all and sex were given
        ([AGES, HEAT], [1, 1]),
        ([MEANS], [4]),  # of all and of each sex how many and the sum
        ([MODEL], [5]),  # three terms, and two more
        ([MODEL, MODEL], [5, 0]),
        ([SURVIVAL], [1]),
    ],
)
def test_a_number_is_charged_once(
    new_book: Books, questions: list[Question], costs: list[int]
) -> None:
    book, found = new_book(), []
    for question in questions:
        before, cost = book.spent, book.cost(question)
        book.answer(question)
        found.append(book.spent - before)
        assert found[-1] == cost
    assert found == costs


def test_the_same_questions_in_the_same_order_have_the_same_answers(new_book: Books) -> None:
    listed = [BARS, AGES, MEANS, MODEL, TABLE]
    first, again = new_book(3), new_book(3)
    for question in listed:
        assert first.answer(question).to_plain() == again.answer(question).to_plain()


def test_when_the_numbers_are_used_up_a_question_is_refused_and_tells_nothing(
    new_book: Books,
) -> None:
    book = new_book(answers=5)
    book.answer(BARS)
    with pytest.raises(RefusedError, match=r"used up: 2 more numbers .* 1 of 5 are left"):
        book.answer(TABLE)
    assert book.spent == 4
    book.answer(Question({"plot": "bars", "columns": ["sex"]}))  # was given


def test_a_policy_without_answers_gives_none(new_book: Books) -> None:
    with pytest.raises(RefusedError, match="0 of 0 are left"):
        new_book(answers=0).answer(AGES)


def test_answers_are_written_and_read_again(new_book: Books) -> None:
    book = new_book()
    for question in (BARS, AGES, MEANS, MODEL, SURVIVAL):
        plain = book.answer(question).to_plain()
        assert Answer.from_plain(plain).to_plain() == plain


@pytest.mark.parametrize("field", ["schema", "question", "noise", "rules", "verdict", "table"])
def test_an_answer_that_was_tampered_with_is_refused(new_book: Books, field: str) -> None:
    plain = new_book().answer(AGES).to_plain()
    with pytest.raises(InputError, match="an answer in the study file cannot be read"):
        Answer.from_plain({**plain, field: {"a": 1}})


def test_all_answers_together_raise_the_attack_by_no_more_than_the_aim(new_book: Books) -> None:
    book = new_book()
    more = [
        Question({"figures": "model", "formula": f"bmi ~ age + sex + {name}"})
        for name in ("smoker", "region", "income")
    ]
    for question in (BARS, TABLE, AGES, HEAT, MEANS, MODEL, SURVIVAL, *more):
        try:
            book.answer(question)
        except RefusedError:
            continue
    assert book.left < 6
    assert 0 < book.exposure.above <= MOST_ABOVE


def test_answers_about_one_column_stop_where_its_levels_could_be_guessed(
    new_book: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    shares = [
        Question({"figures": "means", "columns": ["smoker"], "derived": [["", f"age > {years}"]]})
        for years in range(40, 60)
    ]

    def says(book: Book, question: Question) -> str:
        try:
            book.answer(question)
        except RefusedError as error:
            return str(error)
        return "answered"

    # A guess that most do not smoke gains little from answers; of a half it would gain more.
    most = new_book()
    assert {says(most, it) for it in shares} == {"answered"}
    monkeypatch.setattr(Book, "_shares", lambda _, it: [0.5, 0.5] if it == "smoker" else [])
    book = new_book()
    found = [says(book, it) for it in shares]
    assert found.count("answered") == 12
    assert "too many people's 'smoker' could be guessed" in found[12]
    assert says(book, Question({"plot": "histogram", "columns": ["bmi"]})) == "answered"


def test_codes_are_levels_that_could_be_guessed(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Numbers of few different values, such as a stage of 0 to 2, which the copy has as numbers.
    kept, own = book.file.kept, with_secret(book, 1)
    stages: Floats = np.arange(len(kept), dtype=np.float64) % 3
    columns: dict[str, Floats] = {**kept.copy.columns, "age": stages}
    monkeypatch.setattr(own.file, "kept", kept.holding(columns, kept.copy.strata))
    assert own._shares("age") == pytest.approx([1 / 3] * 3, abs=0.001)
    assert own._shares("bmi") == []
    for question, moved in (
        (Question({"plot": "bars", "columns": ["age"]}), 2),  # everybody, and each stage
        (Question({"figures": "means", "columns": ["age"], "by": ["sex"]}), 4 + 4),
        (Question({"figures": "model", "formula": "age ~ sex + bmi"}), 2 + 4 * 3),
        (Question({"figures": "model", "formula": "bmi ~ age"}), 2 + 4),
        (Question({**MODEL.request, "formula": "bmi ~ sex", "derived": [["", "age > 0"]]}), 2 + 2),
    ):
        assert own._moved_with(own.prepared(question))["age"] == pytest.approx(moved / 20**2)


def test_guesses_gain_by_how_far_answers_move() -> None:
    half, most = [0.5, 0.5], [0.7, 0.3]
    assert gain_of(0.0, half) == 0.0
    assert gain_of(12 * 2 / 400, half) < 0.05 < gain_of(13 * 2 / 400, half)
    assert gain_of(0.5, most) < gain_of(0.5, half)
    assert gain_of(100.0, most) == pytest.approx(0.3, abs=1e-5)
    assert gain_of(0.5, [1.0]) == 0.0
    # Of three levels the best guess is right more often than of two of them alone: tried.
    random, shares = np.random.default_rng(2), np.array([0.4, 0.3, 0.3])
    levels = random.choice(3, 200_000, p=shares)
    seen = random.normal(0, 1, (len(levels), 3)) + np.sqrt(0.3 / 2) * np.eye(3)[levels]
    right = (np.sqrt(0.3 / 2) * seen + np.log(shares)).argmax(axis=1) == levels
    assert gain_of(0.3, shares.tolist()) == pytest.approx(right.mean() - 0.4, abs=0.004)


def test_an_attack_adds_up_distances() -> None:
    assert auc_of(0) == 0.5
    assert exposure_of(0, 0, copy=0.6).typical == pytest.approx((0.6, 0.6))
    assert exposure_of(0.05, 0.1, copy=0.6).above < MOST_ABOVE
    assert exposure_of(0.0, 2.0).above > MOST_ABOVE


def test_what_is_refused_of_who_stands_out_hangs_on_the_copy_alone(
    book: Book, new_book: Books
) -> None:
    # Whoever knows all others learns nothing from which question of a list is refused.
    models = [
        Question({"figures": "model", "formula": f"bmi ~ age + {name}"})
        for name in ("smoker", "region", "sex")
    ]
    person = int(np.nanargmax(book.records.rows.copy.columns["bmi"]))
    found = []
    for own in (new_book(answers=20), without(book, int(book.records.persons[person]))):
        says = []
        for question in models:
            try:
                own.answer(question)
                says.append("answered")
            except RefusedError as error:
                says.append(str(error))
        found.append((says, own.distances, own.spent))
    assert found[0] == found[1]
    assert "people who stand out" in " ".join(found[0][0])


# --- statements -----------------------------------------------------------------------------------


def statement(book: Book, question: Question, text: str) -> str:
    return book.answer(Question(question.request, text)).verdict


def test_statements_on_levels(new_book: Books) -> None:
    book = new_book()
    regions = Question({"plot": "bars", "columns": ["region"]})
    assert statement(book, regions, "north > south > east > west") == HOLDS
    assert statement(book, regions, "west > north") == DOES_NOT
    assert statement(book, Question({"plot": "bars", "columns": ["sex"]}), "F > M") == UNKNOWN
    by_smoker = Question({"figures": "means", "columns": ["bmi"], "by": ["smoker"]})
    assert statement(book, by_smoker, "yes > no") == HOLDS


def test_a_statement_on_a_level_that_is_not_there_is_refused(new_book: Books) -> None:
    answer = new_book().answer(BARS)
    with pytest.raises(InputError, match="names 'X', which the answer has not; it has"):
        verdict_of(answer, "X > 0")


@pytest.mark.parametrize(
    "request_",
    [
        {"plot": "bars", "columns": ["nothing"]},
        {"plot": "bars", "columns": ["age"]},
        {"plot": "histogram", "columns": ["sex"]},
        {"plot": "bars", "columns": ["sex"], "derived": [["", "age >= 50.01 and bmi < 25.01"]]},
        {"plot": "bars", "columns": ["sex"], "derived": [["", "age >"]]},
        {"plot": "bars", "columns": ["new"], "derived": [["new", "log(age)"]]},
        {"plot": "crosstab", "columns": ["sex", "sex"]},
        {"figures": "means", "columns": ["sex"], "by": ["smoker"]},
        {"figures": "model", "formula": "bmi ~"},
        {"figures": "model", "formula": "bmi ~ new", "derived": [["new", "log(age)"]]},
        {"plot": "survival", "columns": ["time", "died"]},
        {"plot": "histogram", "columns": ["bmi"], "edges": {"bmi": [20.01, 30.0]}},
    ],
)
def test_what_does_not_fit_the_file_is_refused_in_a_sentence(
    new_book: Books, request_: dict[str, object]
) -> None:
    with pytest.raises(DiscreetError, match=r"\w+ \w+"):
        new_book().answer(Question(request_))
