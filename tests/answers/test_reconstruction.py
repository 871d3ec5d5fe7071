"""What all counts together tell: levels by linear programs, and who is in a pair of counts."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from scipy import sparse

from discreet.answers import reconstruction
from discreet.answers.book import Book
from discreet.answers.reconstruction import EXACT, Differenced, attack_counts
from discreet.explore.questions import Question
from discreet.methods import CellKey
from tests.answers.conftest import book_for, cohort, with_secret
from tests.ready import opened_once

QUESTIONS = [
    Question(
        {
            "plot": "histogram",
            "columns": ["bmi"],
            "by": ["smoker"],
            "bins": 80,
            "derived": [["", f"sex == '{sex}'"], ["", f"age {side} {age}"]],
        }
    )
    for sex in "FM"
    for side in ("<", ">=")
    for age in (40, 50, 60, 70)
]
"""Far more than a version gives, and so fine that most people are alone with what they are in."""


@pytest.fixture
def of_few() -> Callable[[int], Book]:
    """Return what makes a book of 300 people with noise of some people, if it were allowed."""
    kept = opened_once("book of 300 people", lambda: book_for(cohort(300)))

    def made(noise: int) -> Book:
        book = with_secret(kept, 1)
        book.counter.noise, book.counter.least = CellKey(noise), 2 * noise
        return book

    return made


@pytest.mark.slow
def test_levels_are_reconstructed_with_little_noise_and_not_with_that_of_a_policy(
    of_few: Callable[[int], Book],
) -> None:
    asked = [Question({"plot": "bars", "columns": ["region"]}), *QUESTIONS]
    found = attack_counts(of_few(1), asked)
    sex, smokers = found.columns
    assert (sex.column, smokers.column) == ("sex", "smoker")
    assert smokers.exact > smokers.guess + 0.2
    assert smokers.found > smokers.guess + 0.08
    assert smokers.is_missed
    assert found.pairs.found > 0.65
    assert found.costliest in QUESTIONS
    with_noise = attack_counts(of_few(20), asked)
    assert with_noise.columns[1].exact == smokers.exact
    assert with_noise.columns[1].found <= smokers.guess + 0.05
    assert with_noise.costliest is None


def test_answers_without_counts_of_a_column_tell_nothing_of_it(
    of_few: Callable[[int], Book],
) -> None:
    model = Question({"figures": "model", "formula": "bmi ~ age"})
    assert attack_counts(of_few(1), [model]).columns == ()
    of_region = attack_counts(of_few(1), [Question({"plot": "bars", "columns": ["region"]})])
    assert (of_region.columns, of_region.pairs) == ((), Differenced(0, 0.5, 0.0))


SETS = [[1, 1, 1, 1], [1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]
"""Of four people, who is in which count."""


@pytest.mark.parametrize(
    ("counts", "least", "error", "guessed"),
    [
        ([2, 1, 1, 0], 0, EXACT, [False, True, False, True]),
        ([3, 1, 0, 1], 0, EXACT, [True, False, True, True]),
        # A count of 1 alone is not believed, if its error is large: the copy says .4 of each.
        ([1, 1, 1, 0], 0, 20.0, [False, False, False, False]),
        # All but the first count are few: 0 or 1, and 4 - 1 - 1 is more than the last can be.
        ([4, 0, 0, 0], 2, EXACT, [True, False, True, True]),
    ],
)
def test_guesses_of_four_people_by_hand(
    counts: list[float], least: int, error: float, guessed: list[bool]
) -> None:
    says = np.array([0.41, 0.4, 0.4, 0.4])
    unknown = reconstruction._Unknown(
        "ill", says > 1, says, np.zeros(4), sparse.csc_array(np.array(SETS, dtype=float))
    )
    found = reconstruction._guesses(unknown, np.arange(4), np.array(counts, float), least, error)
    assert found.tolist() == guessed


def test_pairs_of_counts_are_those_that_differ_by_fewer_than_k(
    of_few: Callable[[int], Book],
) -> None:
    book = of_few(1)
    counts = reconstruction._counts_of(book, QUESTIONS[:8])
    sets = [{*np.flatnonzero(it).tolist()} for it in counts.members().toarray()]
    given = [it for it in counts.cells().tolist() if counts.shown[it] >= book.counter.least]
    right = []
    for a, b in itertools.permutations(given, 2):
        one, other = sets[a], sets[b]
        if one & other and len(one) > len(other) and len(one ^ other) < book.policy.k:
            off = counts.shown[a] - counts.shown[b]
            right.append(0.5 if off == 0 else float(off > 0))
    found = reconstruction._differenced(counts, counts.cells())
    assert found.pairs == len(right)
    assert found.found == pytest.approx(np.mean(right))
    assert found.pairs > 20
