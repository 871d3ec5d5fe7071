"""Quantiles with noise: near the true ones, and no one's own value."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.answers.book import Book
from discreet.answers.quantiles import SHARES, steps_at
from discreet.explore.questions import Question
from discreet.plots.box import BoxView

Books = Callable[..., Book]
BOX = Question({"plot": "box", "columns": ["bmi"], "by": "smoker"})


def medians(book: Book) -> dict[str, tuple[float, float, float]]:
    """Return low end, median and high end of each group."""
    table = book.answer(BOX).table
    assert table is not None
    found: dict[str, dict[str, float]] = {}
    for it in table.figures:
        name = ", ".join(str(level) for _, level in it.group) or "all"
        found.setdefault(name, {})[it.figure] = float(it.value or 0)
    return {
        name: (of["median, low end"], of["median"], of["median, high end"])
        for name, of in found.items()
    }


def test_medians_lie_near_the_true_ones_and_within_their_intervals(
    book: Book, new_book: Books
) -> None:
    rows = book.records.rows.copy
    values, smoker = rows.columns["bmi"], np.array(rows.strata["smoker"])
    true = {it: float(np.median(values[smoker == it])) for it in ("no", "yes")}
    true["all"] = float(np.median(values))
    inside = []
    for secret in range(20):
        for name, (low, middle, high) in medians(new_book(secret)).items():
            assert middle == pytest.approx(true[name], abs=0.8)
            inside.append(low <= true[name] <= high)
    assert np.mean(inside) >= 0.95


def test_an_answer_is_drawn_as_boxes_whose_numbers_are_in_order(new_book: Books) -> None:
    book = new_book()
    view = book.answer(BOX).view
    assert isinstance(view, BoxView)
    assert [it.label for it in view.groups] == ["no", "yes"]
    assert book.spent == 2 * (1 + len(SHARES))


@given(
    st.lists(st.integers(0, 49), min_size=12, max_size=60), st.floats(-100, 200), st.integers(3, 5)
)
def test_a_quantile_is_the_step_of_a_rank_that_k_people_lie_beyond(
    values: list[int], rank: float, k: int
) -> None:
    ordered = np.sort(np.array(values, dtype=float))
    (found,) = steps_at(ordered, np.array([rank]), range(0, 51, 5), k).tolist()
    if rank < k or rank > len(values) - k:
        assert np.isnan(found)
    else:
        assert found == ordered[int(rank)] // 5 * 5
        assert (ordered < found + 5).sum() >= k


def test_ends_of_a_column_are_nobodys_own(new_book: Books) -> None:
    # Of 120 people noise of 20 moves the rank of the 5 % quantile from end to end.
    question = Question({"plot": "box", "columns": ["age"], "derived": [["", "age >= 78"]]})
    gaps = set()
    for secret in range(12):
        answer = new_book(secret).answer(question)
        assert answer.table is not None
        (line,) = answer.table.lines
        assert len(line.cells) == 1 + len(SHARES)
        gaps.add("" in line.cells)
        assert (answer.view is None) == ("" in line.cells), "a box has all its numbers"
    assert gaps == {True, False}
