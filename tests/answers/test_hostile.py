"""Hostile questions: each is answered or refused in a sentence, and none takes long."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from discreet.answers.book import Book
from discreet.errors import DiscreetError, RefusedError
from discreet.explore.questions import MOST_CELLS, Question, asked_of, parts_of
from discreet.plots import PLOTS
from tests.answers.conftest import with_secret

COLUMNS = st.sampled_from(
    ["age", "sex", "smoker", "region", "bmi", "income", "time", "died", "new", "none", "", "a b"]
)
TEXTS = st.sampled_from(
    [
        "age >= 50",
        "sex == 'F'",
        "age >= 50 and (sex == 'F' or smoker == 'yes')",
        "age / 0 > 1",
        "log(age) > 4",
        "age ** age > 1",
        "not (" * 30 + "age > 50" + ")" * 30,
        "age == age",
        "age != age",
        "sex == smoker",
        "age + bmi + income + time > 1",
        "bmi > 25 or income > 2000 or time > 3 or age > 40",
        "cut(age, 40, 60)",
        "case(age > 50, 'a', 'b')",
        "'",
        "age > 1e308",
        "sex in ()",
        "sex == '\u202e'",
        "__import__('os')",
    ]
)
NUMBERS = st.sampled_from([-1, 0, 1, 2, 7, 1000, 10**9, 10**30])
REQUESTS = st.fixed_dictionaries(
    {},
    optional={
        "plot": st.sampled_from([*PLOTS, "none"]),
        "figures": st.sampled_from(["means", "model", "summary"]),
        "columns": st.lists(COLUMNS, max_size=4),
        "by": COLUMNS | st.lists(COLUMNS, max_size=3),
        "formula": st.sampled_from(
            ["bmi ~ age", "bmi ~ new", "~", "bmi ~ age + I(2 * age)", "died ~ sex", "bmi ~ bmi"]
        ),
        "family": st.sampled_from(["linear", "logistic", "cox", "other"]),
        "event_is": st.lists(st.sampled_from(["yes", "no", "x"]), max_size=3),
        "bins": NUMBERS,
        "grid": NUMBERS,
        "edges": st.dictionaries(COLUMNS, st.lists(st.floats(), max_size=4), max_size=2),
        "reference": st.dictionaries(COLUMNS, st.just("F"), max_size=2),
        "derived": st.lists(st.tuples(st.just("") | COLUMNS, TEXTS).map(list), max_size=4),
        "holds": st.just("F > M"),
    },
)

NEARLY = st.builds(
    lambda request, more: {**request, **more},
    st.sampled_from(
        [
            {"plot": "bars", "columns": ["sex"]},
            {"plot": "crosstab", "columns": ["region", "died"]},
            {"plot": "histogram", "columns": ["age"]},
            {"plot": "heatmap", "columns": ["age", "bmi"]},
            {"plot": "box", "columns": ["income"]},
            {"plot": "survival", "columns": ["time", "died"], "event_is": ["yes"]},
            {"figures": "means", "columns": ["income"]},
            {"figures": "model", "formula": "bmi ~ age"},
        ]
    ),
    st.fixed_dictionaries(
        {},
        optional={
            "by": COLUMNS,
            "bins": NUMBERS,
            "derived": st.lists(
                st.tuples(st.sampled_from(["", "new"]), TEXTS).map(list), max_size=2
            ),
        },
    ),
)
"""Questions that are usual but for one thing or the other."""


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(REQUESTS | NEARLY, st.sampled_from(["", "F > M", "age > 0", "x > y > z", "0 < 0"]))
def test_a_question_is_answered_or_refused_in_a_sentence(
    book: Book, request_: dict[str, Any], holds: str
) -> None:
    try:
        found = with_secret(book, 1).answer(Question(request_, holds))
    except DiscreetError as error:
        said = str(error)
        assert " " in said
        assert len(said) < 3000
    else:
        assert found.verdict or found.table is not None


@pytest.mark.parametrize(
    "request_",
    [
        {"plot": "bars", "columns": ["region"], "by": ["smoker", "died"]},
        {"plot": "heatmap", "columns": ["age", "bmi"], "grid": 10**6},
        {"plot": "histogram", "columns": ["age"], "bins": 10**12},
        {"plot": "histogram", "columns": ["age"], "derived": [["", "age > 50"]] * 40},
    ],
)
def test_a_question_of_very_many_cells_is_bounded(
    new_book: Callable[..., Book], request_: dict[str, Any]
) -> None:
    question = Question(request_)
    with suppress(DiscreetError):
        parts = parts_of(question, asked_of(new_book().file.kept, {}, question))
        assert sum(len(it.conditions) for it in parts) <= MOST_CELLS


def test_conditions_that_are_chained_by_their_columns_are_refused_at_once(
    new_book: Callable[..., Book],
) -> None:
    chained = ["age < 40 or bmi < 30", "bmi < 25 or income < 2000", "income < 900 or time < 3"]
    question = Question(
        {"plot": "bars", "columns": ["sex"], "derived": [["", it] for it in chained]}
    )
    with pytest.raises(RefusedError, match="compares too many columns at once"):
        new_book().answer(question)
