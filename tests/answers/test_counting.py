"""Counts with keyed noise: the same cell, the same noise, whatever else was asked."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from discreet.answers.book import Book
from discreet.answers.counting import Counted
from discreet.explore.conditions import grid_of
from discreet.explore.questions import Question, asked_of, parts_of
from tests.answers.conftest import with_secret, without

Books = Callable[..., Book]


def asked(kind: str, columns: list[str], *where: str, by: str | None = None) -> Question:
    """Return the question for a plot of a part."""
    request = {"plot": kind, "columns": columns, "derived": [["", it] for it in where]}
    return Question(request | ({"by": by} if by else {}))


def counted(book: Book, question: Question) -> list[Counted]:
    """Count the parts of a question."""
    of = asked_of(book.file.kept, {}, question)
    return [book.counter.count(it, of) for it in parts_of(question, of)]


def true_counts(found: Counted) -> np.ndarray:
    """Return how many people there are in each cell, without noise."""
    return np.bincount(found.cells, minlength=found.size)


def test_a_count_is_the_true_one_and_noise_of_the_table(new_book: Books) -> None:
    off = []
    for secret in range(40):
        book = new_book(secret)
        for found in counted(book, asked("bars", ["region"], by="sex")):
            off += (found.shown - true_counts(found))[found.given].tolist()
    assert abs(np.mean(off)) < 4 * 20 / np.sqrt(len(off))
    assert 18 < np.std(off) < 22
    assert max(map(abs, off)) <= 80


def test_the_true_counts_are_those_of_the_table(book: Book, new_book: Books) -> None:
    rows = book.records.rows.copy
    sex, age = np.array(rows.strata["sex"]), rows.columns["age"]
    *_, joint = counted(new_book(), asked("crosstab", ["sex", "smoker"], "age >= 50"))
    smoker = np.array(rows.strata["smoker"])
    whose = book.records.persons  # rows that are alike are one person's
    expected = [
        len(np.unique(whose[(sex == s) & (smoker == y) & (age >= 50)]))
        for s in ("F", "M")
        for y in ("no", "yes")
    ]
    assert true_counts(joint).tolist() == expected


def test_the_same_cell_has_the_same_noise_in_any_table_of_a_version(new_book: Books) -> None:
    book = new_book()
    _, of_sex, *_ = counted(book, asked("crosstab", ["sex", "region"]))
    _, again, *_ = counted(book, asked("bars", ["sex"], by="smoker"))
    alone = counted(book, asked("bars", ["sex"], "region in ('north', 'south', 'east', 'west')"))
    assert of_sex.shown.tolist() == again.shown.tolist() == alone[1].shown.tolist()


def test_the_same_cell_of_another_version_or_secret_has_other_noise(new_book: Books) -> None:
    found = [counted(new_book(it), asked("bars", ["region"]))[1].shown.tolist() for it in range(5)]
    assert len({*map(tuple, found)}) == 5


NESTED = [
    (f"age >= {low}", f"age >= {low} and {more}")
    for low in (45, 50, 55, 60, 65)
    for more in ("sex == 'F'", "smoker == 'yes'", "region == 'north'", "died == 'yes'")
]
DISJOINT = [
    (f"age < {low} and {more}", f"age >= {low} and {more}")
    for low in (45, 50, 55, 60, 65)
    for more in ("sex == 'F'", "smoker == 'yes'", "region == 'north'", "died == 'yes'")
]


@pytest.mark.slow
@pytest.mark.parametrize("pairs", [NESTED, DISJOINT], ids=["nested", "disjoint"])
def test_of_two_tables_that_are_given_the_difference_is_not_told(
    new_book: Books, pairs: list[tuple[str, str]]
) -> None:
    # Who guesses from two counts whether the difference has as many people as it has, or one less,
    # is right hardly more often than by chance, and two equal numbers mean nothing.
    right, equal, of = 0.0, 0, 0
    for secret in range(10):
        for first, second in pairs:
            book = new_book(secret)
            (a,), (b,) = (counted(book, asked("bars", ["sex"], it))[:1] for it in (first, second))
            if not (a.given.all() and b.given.all()):
                continue
            true = int(true_counts(a)[0] - true_counts(b)[0])
            difference = int(a.shown[0] - b.shown[0])
            right += abs(difference - true) < abs(difference - (true - 1))
            equal += difference == 0
            of += 1
    assert of > 150
    assert 0.4 < right / of < 0.6
    assert equal <= 2


def test_without_noise_the_same_attack_succeeds(new_book: Books) -> None:
    book = new_book()
    (a,), (b,) = (counted(book, asked("bars", ["sex"], it))[:1] for it in NESTED[0])
    true = int(true_counts(a)[0] - true_counts(b)[0])
    assert true_counts(a)[0] - true_counts(b)[0] == true != true - 1


@pytest.mark.slow
def test_filters_that_leave_one_person_out_average_to_nothing(book: Book, new_book: Books) -> None:
    # Conditions hold for all but a cell of few people, with a target among them or not: the mean
    # of their numbers tells hardly which.
    rows = book.records.rows.copy
    age, region = rows.columns["age"], np.array(rows.strata["region"])
    edges = {*grid_of(book.file.kept, "age").edges}
    year = next(
        it
        for it in range(88, 60, -1)
        if {it, it + 1} <= edges and 0 < ((age == it) & (region == "west")).sum() < 5
    )
    target = int(book.records.persons[np.flatnonzero((age == year) & (region == "west"))[0]])
    one = f"age >= {year} and age < {year + 1} and region == 'west'"
    but = [f"not ({one} and sex == '{it}')" for it in ("F", "M")] + [f"not ({one})"]
    but += [f"not ({one} and smoker == '{it}')" for it in ("yes", "no")]
    found: dict[bool, list[float]] = {True: [], False: []}
    for secret in range(60):
        for is_in in found:
            of = new_book(secret) if is_in else with_secret(without(book, target), 900 + secret)
            shown = [float(counted(of, asked("bars", ["sex"], it))[0].shown[0]) for it in but]
            found[is_in].append(float(np.mean(shown)))
    a, b = np.array(found[True])[:, None], np.array(found[False])[None, :]
    assert 0.3 < float((a > b).mean()) < 0.7


@pytest.mark.slow
def test_the_same_people_under_another_condition_are_another_number(new_book: Books) -> None:
    # So equal numbers tell nothing, and nothing need be withheld.
    equal = 0
    for secret in range(60):
        book = new_book(secret)
        one, *_ = counted(book, asked("bars", ["sex"], "age >= 50"))
        # Nobody has a time below 0, which the study file does not show.
        same, *_ = counted(book, asked("bars", ["sex"], "age >= 50 and time >= 0"))
        assert true_counts(one)[0] == true_counts(same)[0]
        equal += int(one.shown[0] == same.shown[0])
    assert equal <= 5


def test_whether_a_number_is_given_hangs_on_no_other_number(new_book: Books) -> None:
    alone = counted(new_book(), asked("bars", ["region"], "age >= 70"))
    book = new_book()
    for low in range(60, 70):
        counted(book, asked("bars", ["region"], f"age >= {low}"))
    beside = counted(book, asked("bars", ["region"], "age >= 70"))
    assert [it.given.tolist() for it in alone] == [it.given.tolist() for it in beside]


def test_sums_and_cells_add_up_but_for_noise(new_book: Books) -> None:
    off = []
    for secret in range(30):
        everyone, *_, joint = counted(new_book(secret), asked("crosstab", ["sex", "smoker"]))
        off.append(int(joint.shown.sum() - everyone.shown[0]))
    assert np.std(off) == pytest.approx(20 * np.sqrt(5), rel=0.4)


def test_what_is_shown_is_no_less_than_the_threshold(new_book: Books) -> None:
    for secret in range(10):
        for found in counted(new_book(secret), asked("histogram", ["age"], by="region")):
            assert (found.shown[found.given] >= 40).all()
            assert not found.given[true_counts(found) < 40 - 80].any()
