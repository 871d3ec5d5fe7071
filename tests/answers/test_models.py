"""Models with noise: the raw estimates lie within it, and nobody is seen in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from discreet.answers.book import Book
from discreet.answers.noise import KeyedNoise
from discreet.errors import DiscreetError, RefusedError
from discreet.explore.answered import DOES_NOT, HOLDS
from discreet.explore.model import fit_rows, rows_of_model
from discreet.explore.questions import Question
from discreet.methods import CellKey
from discreet.regression import Estimates
from tests.answers.conftest import book_for, with_secret, without
from tests.cases import slow
from tests.ready import opened_once

Books = Callable[..., Book]


def model(family: str, formula: str, holds: str = "", **more: str) -> Question:
    """Return the question for a model."""
    request = {"figures": "model", "formula": formula, "family": family, **more}
    has_event = family in ("logistic", "cox")
    return Question(request | ({"event_is": ["yes"]} if has_event else {}), holds)


MODELS = (
    model("linear", "bmi ~ age"),
    model("linear", "bmi ~ age * sex"),
    model("linear", "bmi ~ region + smoker"),
    model("linear", "bmi ~ income + smoker"),
    model("linear", "income ~ age + sex", weights="bmi"),
    model("logistic", "smoker ~ age + sex"),
    model("logistic", "died ~ age + smoker", weights="bmi"),
    model("poisson", "bmi ~ age + smoker"),
    model("poisson", "income ~ region"),
    model("cox", "survival(time, died) ~ age + sex"),
)


def raw(book: Book, question: Question, *, cut: bool = False) -> Estimates:
    """Return the estimates of the data without noise: as they are, or cut as answers cut them."""
    it = book.prepared(question).model
    assert it is not None
    used = [*it.model.numbers, *([it.weights] if it.weights else [])]
    uncut = {name: book.records.rows.copy.columns[name] for name in used}
    rows = it.rows if cut else it.rows.holding(uncut, it.rows.copy.strata)
    return fit_rows(it.model, rows_of_model(rows, it.model, it.events, it.weights), it.weights)


def answered(book: Book, question: Question) -> dict[str, dict[str, float]]:
    """Return the figures of each term."""
    found: dict[str, dict[str, float]] = {}
    table = book.answer(question).table
    assert table is not None
    for it in table.figures:
        found.setdefault(it.column, {})[it.figure] = float(it.value or 0)
    return found


@pytest.mark.slow
def test_the_raw_estimates_lie_within_the_noise_that_is_said(book: Book, new_book: Books) -> None:
    off, shares = [], []
    for question in MODELS:
        true = raw(book, question)
        for secret in range(2):
            found = answered(new_book(secret), question)
            for term, value in zip(true.terms, true.values.tolist(), strict=True):
                off.append((found[term]["estimate"] - value) / found[term]["noise"])
                shares.append(found[term]["noise"] / found[term]["std. error from the rows alone"])
    assert 0.88 < np.mean(np.abs(off) < 1.96) < 0.99
    assert np.median(shares) < 0.36


def test_standard_errors_are_near_those_of_the_data(book: Book, new_book: Books) -> None:
    question = model("linear", "bmi ~ age + smoker + sex")
    true = np.sqrt(raw(book, question).variances)
    found = answered(new_book(), question)
    inner = [found[term]["std. error from the rows alone"] for term in raw(book, question).terms]
    np.testing.assert_allclose(inner, true, rtol=0.12)


def test_the_same_model_of_the_same_people_is_the_same_answer(new_book: Books) -> None:
    first = answered(new_book(), model("linear", "bmi ~ age + sex"))
    again = answered(new_book(), model("linear", "bmi ~ age  +  C(sex)"))
    assert first == again


ATTACKED = [
    pytest.param(model("linear", "bmi ~ age + smoker"), False, id="linear"),
    pytest.param(
        model("linear", "bmi ~ age + smoker", weights="time"), True, id="weighted", marks=slow(True)
    ),
    pytest.param(model("poisson", "time ~ age + smoker"), True, id="poisson"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("question", "far_out"), ATTACKED)
def test_one_person_less_is_not_seen(
    book: Book, new_book: Books, question: Question, far_out: bool
) -> None:
    # The attacker knows all but the secret: which of the two estimates is nearer to the answer?
    random = np.random.default_rng(5)
    true = raw(book, question, cut=True)
    moves = np.asarray(true.moves() if true.moves else None)
    covariance = np.linalg.inv(moves.T @ moves)
    persons = random.choice(book.records.people, 40, replace=False)
    if far_out:
        rows = np.argsort(np.einsum("ij,jk,ik->i", moves, covariance, moves))[-40:]
        persons = book.records.persons[rows]  # each of these has one row
    right = without_noise = 0.0
    for at, person in enumerate(persons.tolist()):
        less = raw(without(book, person), question, cut=True)
        found = answered(new_book(at), question)
        values = np.array([found[term]["estimate"] for term in true.terms])
        off = (values - true.values, values - less.values)
        near = [float(it @ covariance @ it) for it in off]
        right += near[0] < near[1]
        without_noise += (true.values != less.values).any()
    assert 0.3 <= right / len(persons) <= 0.7
    assert without_noise == len(persons)


@pytest.mark.parametrize(
    ("family", "formula", "where"),
    [
        ("linear", "bmi ~ region * smoker", "age >= 86"),
        ("logistic", "smoker ~ age + region", "age >= 82"),
        ("logistic", "died ~ time", "age >= 20"),
    ],
)
def test_a_model_that_stands_on_few_people_is_refused_and_costs_nothing(
    new_book: Books, family: str, formula: str, where: str
) -> None:
    request = model(family, formula).request
    book = new_book()
    with pytest.raises(RefusedError, match=r"by the copy it has|separate the rows|fewer than 50"):
        book.answer(Question({**request, "derived": [["", where]]}))
    assert book.spent == 0


def test_a_model_is_refused_by_the_copy_and_not_by_one_person(book: Book, new_book: Books) -> None:
    # Whoever knows all others learns nothing from whether it is answered.
    question = Question({**model("linear", "bmi ~ region").request, "derived": [["", "age >= 83"]]})
    outcomes = set()
    for person in range(0, 400, 20):
        try:
            without(book, person).answer(question)
            outcomes.add("answered")
        except RefusedError as error:
            outcomes.add(str(error))
    assert len(outcomes) == 1


def test_once_the_data_were_looked_at_a_refusal_costs_what_an_answer_does(
    new_book: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    def separated(*_: object, **__: object) -> object:
        raise RefusedError("too large")

    book, question = new_book(), model("linear", "bmi ~ age")
    cost = book.cost(question)
    prepared = book.prepared(question)
    monkeypatch.setattr("discreet.answers.models.scores_of", separated)
    monkeypatch.setattr(Book, "prepared", lambda *_: prepared)
    with pytest.raises(RefusedError, match="its numbers are spent"):
        book.answer(question)
    assert book.spent == cost == 4


def test_the_noise_that_is_said_follows_from_what_is_given(new_book: Books) -> None:
    # Else it would tell the exact number of people, and the exact errors.
    book, question = new_book(), model("linear", "bmi ~ age + sex")
    found, it = answered(book, question), book.prepared(question).model
    assert it is not None
    copy, people = it.checked, found[""]["people"]
    fewer = copy.people / people
    for at, term in enumerate(copy.terms):
        noise = 20 * np.sqrt(fewer / people * (copy.root[at] ** 2).sum())
        assert found[term]["noise"] == pytest.approx(np.hypot(noise, copy.cut[at]))
        errors = found[term]["std. error from the rows alone"]
        assert errors == pytest.approx(np.sqrt(copy.estimates.variances[at] * fewer))
    assert found[""]["R²"] == pytest.approx(copy.estimates.quality[1])


# A person who is far out in two columns, within the range of each, and has a large weight.
FAR_OUT = {
    "linear": model("linear", "y ~ x + z"),
    "weighted": model("linear", "y ~ x + z", weights="w"),
    "poisson": model("poisson", "c ~ x + z"),
    "cox": model("cox", "survival(c, ill) ~ x + z"),
    "logistic": model("logistic", "ill ~ x + z"),
    "a small level": model("linear", "y ~ g"),
    "a slope in a small level": model("linear", "y ~ x * g"),
    "a small level, logistic": model("logistic", "ill ~ g + x"),
    "a small level, poisson": model("poisson", "c ~ g"),
    "a small level, cox": model("cox", "survival(c, ill) ~ g"),
    "skewed": model("logistic", "ill ~ inc"),
    "skewed twice": model("linear", "cost ~ inc"),
    "skewed, poisson": model("poisson", "c ~ inc + z"),
}


def far_out() -> Book:
    """Return a book whose first person is planted."""
    random, people = np.random.default_rng(1), 3000
    x, z = random.normal(50, 10, people).round(1), random.normal(100, 15, people).round(1)
    w, c = random.gamma(4, 1, people).round(2) + 0.1, random.poisson(3, people) * 1.0
    inc, cost = (random.lognormal(3, 1.3, people).round(1) for _ in range(2))
    y, ill = random.normal(10, 3, people).round(1), random.random(people) < 0.3
    for of in (x, z, w, c, y, inc, cost):
        of[0] = np.sort(of)[-3]
    columns = {"x": x, "z": z, "w": w, "c": c, "y": y, "inc": inc, "cost": cost}
    ill[0] = True
    small = np.where(np.arange(people) < 150, "small", "large")
    words = {"ill": np.where(ill, "yes", "no"), "g": small}
    return book_for(pa.table(columns | words))


@pytest.mark.parametrize("question", FAR_OUT.values(), ids=FAR_OUT)
def test_who_is_far_out_moves_estimates_no_further_than_is_said_and_no_error(
    monkeypatch: pytest.MonkeyPatch, question: Question
) -> None:
    book = opened_once("a book with somebody far out", far_out)
    monkeypatch.setattr(CellKey, "drawn", lambda _, draws: np.zeros(len(draws), dtype=int))
    monkeypatch.setattr(
        KeyedNoise, "normals", lambda _, __, sums, count: np.zeros((len(sums), count))
    )
    it = book.prepared(question).model
    assert it is not None
    copy = it.checked
    found = [
        answered(of, question)
        for of in (with_secret(book, 0), without(book, int(book.records.persons[0])))
    ]
    one, less = (np.array([of[term]["estimate"] for term in copy.terms]) for of in found)
    moved, scale = one - less, 20**2 / copy.people
    distance = float(moved @ np.linalg.solve(copy.root @ copy.root.T * scale, moved))
    assert 0 < distance <= 1.02 * copy.most / 20**2  # people in all are one more
    errors = "std. error from the rows alone"
    for term in copy.terms:  # the copy's, for so many people
        assert found[0][term][errors] == pytest.approx(found[1][term][errors], rel=1e-3)


def test_the_opposite_event_does_not_take_the_noise_away(book: Book, new_book: Books) -> None:
    own = new_book(answers=20)
    yes, no = (
        Question(
            {"figures": "model", "formula": "died ~ age", "family": "logistic", "event_is": [it]}
        )
        for it in ("yes", "no")
    )
    one, other = answered(own, yes), answered(own, no)
    true = dict(zip(raw(book, yes).terms, raw(book, yes).values.tolist(), strict=True))
    middle = (one["age"]["estimate"] - other["age"]["estimate"]) / 2
    assert abs(middle - true["age"]) > 1e-3 * one["age"]["noise"]


# --- what was found by an attacker ------------------------------------------------------------

SINGLED_OUT = [
    "bmi ~ I(1 / (abs(age - 82) + 0.001))",
    "bmi ~ log(abs(age - 82))",
    "bmi ~ exp(age)",
    "bmi ~ I(age * age * age * age)",
    "bmi ~ round(age)",
    "bmi ~ I(age - 50)",
    "bmi ~ I(age**3)",
    "bmi ~ age * income",
    "bmi ~ I(age**2):income",
    "bmi ~ 0 + age",
]


@pytest.mark.parametrize("formula", SINGLED_OUT)
def test_a_term_that_could_single_somebody_out_is_refused_by_its_form(
    new_book: Books, formula: str
) -> None:
    book = new_book()
    with pytest.raises(DiscreetError, match=r"the data are not asked for|there is no function"):
        book.answer(model("linear", formula))
    assert book.spent == 0


def test_new_columns_are_not_computed_of_raw_rows(book: Book, new_book: Books) -> None:
    # A column that has a value for one raw income alone would be an oracle, whatever it says.
    income = float(np.nanmax(book.records.rows.copy.columns["income"]))
    hidden = f"sqrt(0 - abs(income - {income}))"
    made = [["h", hidden], ["g", "case(missing(h), 'a', 'b')"]]
    question = Question({**model("linear", "bmi ~ g").request, "derived": made})
    said = set()
    person = int(np.nanargmax(book.records.rows.copy.columns["income"]))
    for of in (new_book(), without(book, int(book.records.persons[person]))):
        with pytest.raises(DiscreetError, match=r"\w+ \w+") as refused:
            of.answer(question)
        said.add(str(refused.value))
    assert len(said) == 1


def test_a_value_far_out_moves_a_model_no_further_than_the_largest_of_the_copy(book: Book) -> None:
    rows = book.records.rows
    columns = dict(rows.copy.columns)
    columns["income"] = np.where(np.arange(len(rows)) == 7, 400_000.0, columns["income"])
    far = Book(
        book.file, book.policy, replace(book.records, rows=rows.holding(columns, rows.copy.strata))
    )
    one, other = (raw(it, model("linear", "bmi ~ income"), cut=True) for it in (book, far))
    off = np.abs(one.values - other.values) / np.sqrt(one.variances)
    assert off.max() < 0.2


def test_texts_that_mean_the_same_of_atoms_are_the_same_number_of_the_same_rows(
    book: Book, new_book: Books
) -> None:
    # No value by which a condition is tried is one with a digit between two steps of the grid: of
    # the data it has everybody, and of the copy it would choose those whom a wrong model fits.
    plain = model("linear", "bmi ~ age")
    digit = "abs(bmi - round(bmi, 1)) < 0.000001 and abs(bmi * 2 - round(bmi * 2)) > 0.01"
    text = f"not (20 < bmi < 30 and {digit}) or abs(bmi - 25 - (age - 55) / 20) < 2"
    chosen = Question({**plain.request, "derived": [["", text]]})
    one, other = (book.prepared(it) for it in (plain, chosen))
    assert one.model is not None
    assert other.model is not None
    assert one.model.named == other.model.named
    assert one.model.checked.people == other.model.checked.people == len(book.file.kept)
    assert one.numbers.keys() == other.numbers.keys()
    own = new_book()
    assert answered(own, plain) == answered(own, chosen)
    assert own.spent == len(one.numbers)  # charged once


GROUPS = {"figures": "model", "formula": "bmi ~ g"}
LOGISTIC = {"figures": "model", "formula": "smoker ~ age", "family": "logistic"}
APART = {
    "formula": ({**GROUPS, "formula": "bmi ~ age"}, {**GROUPS, "formula": "bmi ~ sex"}),
    "new column": [
        {**GROUPS, "derived": [["g", f"case(age >= {age}, 'x', 'y')"]]} for age in (50, 60)
    ],
    "reference": [{**GROUPS, "formula": "bmi ~ sex", "reference": {"sex": it}} for it in "FM"],
    "event": [{**LOGISTIC, "event_is": [it]} for it in ("yes", "no")],
    "weights": [{**GROUPS, "formula": "bmi ~ age", "weights": it} for it in ("age", "time")],
}


@pytest.mark.parametrize("requests", APART.values(), ids=APART)
def test_models_that_differ_have_other_numbers_and_other_draws(
    book: Book, monkeypatch: pytest.MonkeyPatch, requests: Sequence[dict[str, Any]]
) -> None:
    # One draw under two known maps could be solved for, and a number of the same name is free.
    monkeypatch.setattr(Question, "id", "the same of both")
    one, other = (book.prepared(Question(it)) for it in requests)
    assert one.model is not None
    assert other.model is not None
    assert one.model.where == other.model.where
    assert one.model.named != other.model.named
    assert not one.numbers.keys() & other.numbers.keys()


def test_no_digit_tells_the_draw(new_book: Books) -> None:
    # By all 52 bits of a figure it is told which number without noise some draw leads to.
    book = new_book()
    figures = [
        ("estimate", model("logistic", "smoker ~ age + sex")),
        ("estimate", model("poisson", "bmi ~ age + smoker")),
        ("mean", Question({"figures": "means", "columns": ["age"], "by": ["sex"]})),
        ("sum", Question({"figures": "means", "columns": ["bmi"], "per": "time", "by": ["sex"]})),
    ]
    for name, question in figures:
        table = book.answer(question).table
        assert table is not None
        given = [float(it.value) for it in table.figures if it.figure == name and it.value]
        assert len(given) >= 2
        assert max(len(f"{it:.16g}".strip("-0.").replace(".", "")) for it in given) <= 7


STATEMENTS = [
    ("linear", "bmi ~ age + smoker + sex", "age > 0"),
    ("linear", "bmi ~ age + smoker + sex", "C(smoker)[T.yes] > 0"),
    ("linear", "bmi ~ age + smoker + sex", "C(smoker)[T.yes] > age > 0"),
    ("logistic", "died ~ age + smoker", "age > 0"),
    ("cox", "survival(time, died) ~ age + smoker", "C(smoker)[T.yes] > 0"),
]


@pytest.mark.parametrize(("family", "formula", "holds"), STATEMENTS)
def test_a_statement_holds_and_its_opposite_does_not(
    new_book: Books, family: str, formula: str, holds: str
) -> None:
    opposite = holds.replace(">", "<")
    book = new_book()
    found = book.answer(model(family, formula, holds))
    assert (found.verdict, found.table) == (HOLDS, None)
    spent = book.spent
    assert book.answer(model(family, formula, opposite)).verdict == DOES_NOT
    assert book.spent == spent  # charged once
