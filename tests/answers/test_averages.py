"""Means with noise: near the true ones, as far off as is said, and no one's alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.answers import averages
from discreet.answers.averages import no_few_hold_most
from discreet.answers.book import Book
from discreet.errors import InputError
from discreet.explore.answered import Answer
from discreet.explore.questions import Question, read_question
from tests.answers.conftest import with_atoms

Books = Callable[..., Book]


def means(value: str, *by: str, where: str = "") -> Question:
    """Return the question for means of a part."""
    request = {"figures": "means", "columns": [value], "by": list(by)}
    return Question(request | ({"derived": [["", where]]} if where else {}))


def figures(answer: Answer) -> dict[tuple[str, ...], dict[str, float]]:
    """Return the figures of an answer, by the levels of its groups."""
    out: dict[tuple[str, ...], dict[str, float]] = {}
    assert answer.table is not None
    for it in answer.table.figures:
        if isinstance(it.value, float | int):
            levels = tuple(str(level) for _, level in it.group)
            out.setdefault(levels, {})[it.figure] = float(it.value)
    return out


def true_means(book: Book, value: str, by: str) -> dict[tuple[str, ...], float]:
    rows = book.records.rows.copy
    values, words = rows.columns[value], np.array(rows.strata[by])
    found = {(name,): float(np.nanmean(values[words == name])) for name in np.unique(words)}
    return {(): float(np.nanmean(values)), **found}


@pytest.mark.parametrize(("value", "by"), [("bmi", "smoker"), ("age", "region"), ("income", "sex")])
def test_means_lie_within_the_noise_that_is_said(
    book: Book, new_book: Books, value: str, by: str
) -> None:
    true, off = true_means(book, value, by), []
    for secret in range(30):
        for levels, it in figures(new_book(secret).answer(means(value, by))).items():
            off.append((it["mean"] - true[levels]) / it["noise"])
    assert 0.9 <= np.mean(np.abs(off) < 1.96) <= 1.0
    assert abs(np.mean(off)) < 0.35  # what lies beyond the grid is cut


@pytest.mark.parametrize(("value", "by"), [("smoker", "sex"), ("died", "region")])
def test_shares_lie_within_the_noise_that_is_said(
    book: Book, new_book: Books, value: str, by: str
) -> None:
    rows = book.records.rows.copy
    has, words = np.array(rows.strata[value]) == "yes", np.array(rows.strata[by])
    true = {(): has.mean(), **{(it,): has[words == it].mean() for it in np.unique(words)}}
    off = []
    for secret in range(30):
        asked = new_book(secret)
        for levels, it in figures(asked.answer(means(value, by))).items():
            off.append((it["share"] - true[levels]) / it["noise"])
            assert it["share, low end"] <= it["share"] <= it["share, high end"]
        assert asked.spent == 2  # the people of each level, in all and by the other column
    assert 0.9 <= np.mean(np.abs(off) < 1.96) <= 1.0
    assert abs(np.mean(off)) < 0.35


def test_a_share_is_of_the_counts_that_a_table_has(new_book: Books) -> None:
    asked = new_book()
    shares = figures(asked.answer(means("smoker", "sex")))
    counts = figures(asked.answer(Question({"plot": "bars", "columns": ["smoker"], "by": "sex"})))
    assert shares[("F",)]["count"] == counts[("yes", "F")]["count"]
    assert shares[("F",)]["n"] == counts[("yes", "F")]["count"] + counts[("no", "F")]["count"]
    found = asked.answer(replace(means("smoker", "sex"), holds="M > F"))
    assert found.verdict == "holds"
    with pytest.raises(InputError, match="has other levels than yes and no"):
        asked.answer(means("region", "sex"))


@pytest.mark.slow
def test_a_sum_is_the_mean_of_all_people_and_as_far_off_as_is_said(
    book: Book, new_book: Books
) -> None:
    true = float(np.nansum(book.records.rows.copy.columns["bmi"]))
    off = []
    for secret in range(60):
        it = figures(new_book(secret).answer(means("bmi", "sex")))[()]
        assert it["sum"] == pytest.approx(it["mean"] * it["n"])
        off.append((it["sum"] - true) / it["noise of the sum"])
    assert 0.8 < np.std(off) < 1.25


def test_a_mean_tells_how_many_people_have_a_value(book: Book, new_book: Books) -> None:
    has_one = np.isfinite(book.records.rows.copy.columns["income"])
    known = len(np.unique(book.records.persons[has_one]))
    found = [figures(new_book(it).answer(means("income", "sex")))[()]["n"] for it in range(20)]
    assert abs(np.mean(found) - known) < 4 * 20 / np.sqrt(20)


def test_an_interval_holds_the_mean_and_the_noise(new_book: Books) -> None:
    for it in figures(new_book().answer(means("bmi", "smoker"))).values():
        half = (it["mean, high end"] - it["mean, low end"]) / 2
        assert half == pytest.approx(1.96 * it["std. error"], rel=1e-3)
        assert it["std. error"] > it["noise"] > 0


@given(st.lists(st.floats(0, 1e6), min_size=3, max_size=40))
def test_the_rules_of_dominance_count_the_two_largest(values: list[float]) -> None:
    first, second, *_ = sorted(values, reverse=True)
    total = float(np.array(values).sum())
    if total:
        rest = total - first - second
        assert no_few_hold_most(np.array(values)) == (
            first + second < 0.5 * total and rest >= 0.1 * first
        )


def test_nobody_moves_a_sum_by_more_than_half_the_grid(new_book: Books) -> None:
    book = new_book()
    rows = book.records.rows
    heavy = np.where(book.records.persons < 2, 1e9, rows.copy.columns["bmi"])
    changed = rows.holding({**rows.copy.columns, "bmi": heavy}, rows.copy.strata)
    records = replace(book.records, rows=changed)
    found = figures(Book(book.file, book.policy, records).answer(means("bmi")))[()]
    assert found["mean"] == pytest.approx(figures(book.answer(means("bmi")))[()]["mean"], abs=0.05)


# --- ratios ---------------------------------------------------------------------------------------


def per(value: str, of: str, *by: str) -> Question:
    """Return the question for ratios of two sums."""
    return Question({"figures": "means", "columns": [value], "by": list(by), "per": of})


@pytest.mark.slow
@pytest.mark.parametrize(("value", "of", "by"), [("died", "time", "sex"), ("bmi", "age", "region")])
def test_ratios_lie_within_the_noise_that_is_said(
    book: Book, new_book: Books, value: str, of: str, by: str
) -> None:
    rows = book.records.rows.copy
    words, below = np.array(rows.strata[by]), rows.columns[of]
    above = rows.columns[value] if value in rows.columns else np.array(rows.strata[value]) == "yes"
    true: dict[tuple[str, ...], float] = {(): above.sum() / below.sum()}
    true |= {(it,): above[words == it].sum() / below[words == it].sum() for it in np.unique(words)}
    off = []
    for secret in range(30):
        asked = new_book(secret)
        for levels, it in figures(asked.answer(per(value, of, by))).items():
            off.append((it["ratio"] - true[levels]) / it["noise"])
            half = (it["ratio, high end"] - it["ratio, low end"]) / 2
            assert half == pytest.approx(1.96 * it["std. error"], rel=1e-3)
            assert it["std. error"] > it["noise"] > 0
        assert asked.spent == 6  # people and two sums, in all and by the other column
    assert 0.88 <= np.mean(np.abs(off) < 1.96) <= 1.0
    assert 0.7 < np.std(off) < 1.3
    assert abs(np.mean(off)) < 0.5  # what lies beyond the grid is cut


def test_a_ratio_is_that_of_its_two_sums_and_these_are_those_of_means(new_book: Books) -> None:
    asked = new_book()
    found = asked.answer(per("bmi", "age", "sex")).table
    assert found is not None
    sums = {it.column: it.value for it in found.figures if it.figure == "sum" and not it.group}
    ratio = next(it.value for it in found.figures if it.figure == "ratio" and not it.group)
    assert ratio == pytest.approx(sums["bmi"] / sums["age"])  # type: ignore[operator]
    assert sums["bmi"] == pytest.approx(figures(asked.answer(means("bmi", "sex")))[()]["sum"])
    assert asked.spent == 6  # its people and its sum were given
    smokers = per("died", "age", "smoker")
    assert asked.answer(replace(smokers, holds="yes > no")).verdict == "holds"
    assert asked.answer(replace(smokers, holds="yes < no")).verdict == "does not hold"


def test_a_sum_that_few_hold_in_the_copy_is_given_in_no_mean_and_no_ratio(
    new_book: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(averages, "no_few_hold_most", lambda values: values.max() < 50)
    asked = new_book()
    for question in (means("age", "sex"), per("age", "bmi"), per("bmi", "age")):
        assert figures(asked.answer(question)) == {}
    assert figures(asked.answer(per("bmi", "time")))


def test_who_has_many_rows_is_in_no_more_cells_than_somebody_of_the_copy(book: Book) -> None:
    persons = np.arange(len(book.records.persons)) // 10
    noise = replace(book.records.noise, keys=book.records.noise.keys[: persons.max() + 1])
    records = replace(book.records, persons=persons, noise=noise)
    own = Book(book.file, book.policy, with_atoms(records, book.records))
    own.counter.most_cells = 3
    question = Question({"plot": "histogram", "columns": ["age"]})
    asked, (part,) = read_question(own.file, None, question)
    atoms = records.atoms({name: asked.grid(name) for name in part.columns})
    cells, people = own.counter.members(part, atoms)
    of_sums, whose, _ = averages.people_with_values(own.counter, part, asked, "bmi")
    assert np.bincount(people).max() == np.bincount(whose).max() == 3
    assert sorted(zip(cells, people, strict=True)) == sorted(zip(of_sums, whose, strict=True))


@pytest.mark.slow
def test_a_ratio_of_too_little_is_not_given(new_book: Books) -> None:
    asked, early = new_book(), {"derived": [["", "time < 1"]]}
    assert figures(asked.answer(means("bmi", where="time < 1")))[()]["n"] > 300
    assert figures(asked.answer(Question({**per("bmi", "time").request, **early}))) == {}
    asked.counter.least = 2000  # there are 5,000 people, and about 1,500 smokers
    assert figures(asked.answer(per("bmi", "age")))[()]["n"] > 2000
    assert figures(asked.answer(per("smoker", "age"))) == {}
    with pytest.raises(InputError, match="named twice"):
        asked.answer(per("bmi", "bmi"))
    with pytest.raises(InputError, match="is not one of numbers in the study file"):
        asked.answer(per("bmi", "smoker"))
    with pytest.raises(InputError, match="only a question for means has per"):
        Question({"plot": "bars", "columns": ["sex"], "per": "age"})
