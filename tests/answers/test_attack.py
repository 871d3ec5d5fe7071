"""Who is in the data, for somebody who knows all others: at the full budget of a version."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from discreet.answers.book import Book
from discreet.answers.counting import Counted
from discreet.answers.exposure import auc_of
from discreet.errors import RefusedError
from discreet.explore.conditions import Asked
from discreet.explore.questions import Part, Question, asked_of, parts_of
from discreet.methods import CellKey
from tests.answers.conftest import with_atoms, with_secret, without

Books = Callable[..., Book]
QUESTIONS = [
    Question({"plot": "crosstab", "columns": ["sex", "smoker"]}),
    Question({"plot": "crosstab", "columns": ["region", "died"]}),
    Question({"plot": "crosstab", "columns": ["sex", "region"]}),
    Question({"plot": "histogram", "columns": ["age"], "bins": 12}),
    Question({"plot": "histogram", "columns": ["bmi"], "bins": 10}),
    Question({"plot": "heatmap", "columns": ["age", "bmi"], "grid": 5}),
    *(
        Question({"plot": "bars", "columns": ["sex"], "derived": [["", f"age >= {age}"]]})
        for age in (40, 50, 60)
    ),
]


def parts(book: Book, questions: Sequence[Question]) -> list[tuple[Part, Asked]]:
    """Return what some questions count, made once for many books."""
    found = []
    for question in questions:
        of = asked_of(book.file.kept, {}, question)
        found += [(it, of) for it in parts_of(question, of)]
    return found


def counts(book: Book, of: Sequence[tuple[Part, Asked]]) -> list[Counted]:
    """Count all cells that a version may give."""
    return [book.counter.count(part, asked) for part, asked in of]


def evidence(shown: list[Counted], true: list[Counted], less: list[Counted]) -> float:
    """Return how much likelier what is shown is with a person than without: as a logarithm."""
    noise, total = CellKey(20), 0.0
    logs = np.log(np.maximum(noise.probabilities, 1e-30))
    for found, of, other in zip(shown, true, less, strict=True):
        with_, bare = (np.bincount(it.cells, minlength=it.size) for it in (of, other))
        for cell in np.flatnonzero(found.given & (with_ != bare)).tolist():
            steps = [int(found.shown[cell] - it[cell]) + noise.largest for it in (with_, bare)]
            inside = [logs[it] if 0 <= it < len(logs) else -99.0 for it in steps]
            total += inside[0] - inside[1]
    return total


def auc(inside: Sequence[float], outside: Sequence[float]) -> float:
    a, b = np.array(inside)[:, None], np.array(outside)[None, :]
    return float(((a > b) + 0.5 * (a == b)).mean())


@pytest.mark.slow
def test_membership_at_the_full_budget_is_told_as_often_as_is_said_and_without_noise_always(
    book: Book, new_book: Books
) -> None:
    questions: list[Question] = []
    whole = new_book()
    for question in QUESTIONS:
        try:
            whole.answer(question)
        except RefusedError:
            break
        questions.append(question)
    assert whole.left <= 3
    random = np.random.default_rng(8)
    persons = random.choice(book.records.people, 100, replace=False).tolist()
    asked = parts(book, questions)
    true = counts(new_book(), asked)
    seen = 0
    inside: list[float] = []
    outside: list[float] = []
    for at, person in enumerate(persons):
        bare = without(book, person)
        less = counts(with_secret(bare, 1000 + at), asked)
        inside.append(evidence(counts(new_book(at), asked), true, less))
        outside.append(evidence(less, true, less))
        seen += any(
            (np.bincount(a.cells, minlength=a.size) != np.bincount(b.cells, minlength=b.size)).any()
            for a, b in zip(true, less, strict=True)
        )
    said = whole.exposure
    found = auc(inside, outside)
    assert found == pytest.approx(said.alone, abs=0.09)  # 100 persons
    assert found <= 0.65
    assert said.above <= 0.03
    assert seen == len(persons)  # the control: without noise everybody is seen


@pytest.mark.slow
def test_who_does_not_know_a_tenth_of_the_others_learns_nothing(
    book: Book, new_book: Books
) -> None:
    # Counts of the others are then off by more than the one person that is looked for.
    questions, random = QUESTIONS[:3], np.random.default_rng(9)
    asked = parts(book, questions)
    true = counts(new_book(), asked)
    inside: list[float] = []
    outside: list[float] = []
    for at, person in enumerate(random.choice(book.records.people, 60, replace=False).tolist()):
        less = counts(with_secret(without(book, person), 500 + at), asked)
        shown, wrong = counts(new_book(at), asked), random.normal(0, 15, 400).round()
        for into, found in ((inside, shown), (outside, less)):
            total, place = 0.0, 0
            for it, of, other in zip(found, true, less, strict=True):
                a, b = (np.bincount(x.cells, minlength=x.size) for x in (of, other))
                for cell in np.flatnonzero(it.given & (a != b)).tolist():
                    middle = (a[cell] + b[cell]) / 2 + wrong[place]
                    total += float(it.shown[cell] - middle)
                    place += 1
            into.append(total)
    assert auc(inside, outside) <= 0.65


@pytest.mark.slow
def test_who_left_between_two_versions_is_hardly_told(book: Book) -> None:
    # Two versions have other noise; a candidate who left is compared with one who stayed.
    asked, random = parts(book, QUESTIONS[:4]), np.random.default_rng(10)
    true = counts(with_secret(book, 1), asked)
    left: list[float] = []
    stayed: list[float] = []
    for at, person in enumerate(random.choice(book.records.people, 50, replace=False).tolist()):
        before = counts(with_secret(book, at), asked)
        after = counts(with_secret(without(book, person), 3000 + at), asked)
        same = counts(with_secret(book, 6000 + at), asked)
        for into, second in ((left, after), (stayed, same)):
            total = 0.0
            for a, b, x, y in zip(before, second, true, after, strict=True):
                counted = (np.bincount(it.cells, minlength=it.size) for it in (x, y))
                changed = np.not_equal(*counted)
                total += float((a.shown - b.shown)[a.given & b.given & changed].sum())
            into.append(total)
    assert auc(left, stayed) <= 0.65


def test_linear_programs_over_all_tables_leave_cells_open(book: Book, new_book: Books) -> None:
    # Least squares over nested and crossing tables, which a linear program with noise comes down
    # to, leaves a cell's number as far off as the noise of a few numbers does.
    off, asked = [], parts(book, QUESTIONS[:1])
    for secret in range(20):
        total, rows, columns, joint = counts(new_book(secret), asked)
        true = np.bincount(joint.cells, minlength=4)
        two, both = np.eye(2), np.ones((1, 2))
        sums = [np.kron(both, both), np.kron(two, both), np.kron(both, two)]
        design = np.vstack([np.eye(4), *sums])
        shown = np.concatenate([joint.shown, total.shown, rows.shown, columns.shown])
        found = np.linalg.lstsq(design, shown.astype(float), rcond=None)[0]
        off += (found - true).tolist()
    assert np.std(off) > 8
    assert auc_of(float(np.var(off)) ** -1) < 0.55


# --- sensitive values -----------------------------------------------------------------------------

OF_SMOKERS = [
    Question({"plot": "crosstab", "columns": ["sex", "smoker"]}),
    Question({"plot": "crosstab", "columns": ["region", "smoker"]}),
    Question({"plot": "crosstab", "columns": ["died", "smoker"]}),
    *(
        Question({"plot": "bars", "columns": ["smoker"], "derived": [["", f"age >= {age}"]]})
        for age in (30, 35, 40, 45, 50)
    ),
]


def with_other_level(book: Book, person: int, name: str, level: str) -> Book:
    """Return a book of data in which a person has another level."""
    records = book.records
    of = records.levels[name]
    codes = of.codes.copy()
    codes[person] = of.words.index(level)
    levels = {**records.levels, name: of._replace(codes=codes)}
    other = with_atoms(replace(records, levels=levels), records, but=name)
    return Book(book.file, book.policy, other)


@pytest.mark.slow
def test_a_sensitive_value_is_guessed_hardly_better_with_all_answers(
    book: Book, new_book: Books
) -> None:
    # The attacker knows all other people, all else of this one, and the method; all numbers of the
    # version are about the value.
    used = new_book()
    for question in OF_SMOKERS:
        used.answer(question)
    assert used.left <= 2
    asked, rows = parts(book, OF_SMOKERS), book.records.rows.copy
    smokes, sex = np.array(rows.strata["smoker"]) == "yes", np.array(rows.strata["sex"])
    random = np.random.default_rng(11)
    guessed = better = certain = 0
    once = np.flatnonzero(np.bincount(book.records.persons)[book.records.persons] == 1)
    persons = random.choice(once, 80, replace=False).tolist()  # rows, each of one person
    true = counts(new_book(), asked)
    for at, person in enumerate(persons):
        other = "no" if smokes[person] else "yes"
        flipped = counts(with_other_level(with_secret(book, 1), person, "smoker", other), asked)
        shown = counts(with_secret(book, 9000 + at), asked)
        others = np.arange(len(sex)) != person
        share = float(smokes[others & (sex == sex[person])].mean())
        of_true = share if smokes[person] else 1 - share
        guessed += of_true > 0.5
        odds = np.log(of_true / (1 - of_true)) + evidence(shown, true, flipped)
        better += odds > 0
        certain += any(
            (np.bincount(a.cells, minlength=a.size) != np.bincount(b.cells, minlength=b.size)).any()
            for a, b in zip(true, flipped, strict=True)
        )
    assert better - guessed <= 0.05 * len(persons)
    assert certain == len(persons)  # the control: without noise the value is told of everybody
