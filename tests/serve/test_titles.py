"""What plots and tables that were asked for are called."""

from __future__ import annotations

from typing import Any

import pytest

from discreet.serve.titles import title_of

CALLED: dict[str, tuple[str, dict[str, Any], str]] = {
    "two columns": ("scatter", {"columns": ["age", "bmi"]}, "Scatter plot of age and bmi"),
    "by one": ("bars", {"columns": ["sex"], "by": "ward"}, "Bar chart of sex by ward"),
    "by two": ("box", {"columns": ["a"], "by": ["b", "c"]}, "Box plot of a by b and c"),
    "conditions": (
        "histogram",
        {"columns": ["age"], "where": ["age >= 50", "sex == 'F'"]},
        "Histogram of age, where age >= 50 and sex == 'F'",
    ),
    "one condition": (
        "histogram",
        {"columns": ["a"], "where": "a > 1"},
        "Histogram of a, where a > 1",
    ),
    "an event": (
        "survival",
        {"columns": ["months", "died"], "event_is": ["yes", "of it"], "by": "sex"},
        "Survival over months until died (yes or of it) by sex",
    ),
    "no event named": ("survival", {"columns": ["t", "d"]}, "Survival over t until d"),
    "a formula": ("residuals", {"formula": "bmi ~ age"}, "Residuals of bmi ~ age"),
    "a model": ("model", {"formula": "bmi ~ age"}, "Model of bmi ~ age"),
    "means": ("means", {"value": "bmi", "by": ["sex"]}, "Means of bmi by sex"),
    "a ratio": ("means", {"value": "events", "per": "years"}, "Means of events per years"),
    "all columns": ("summary", {"by": "sex"}, "Summary by sex"),
    "seven": (
        "parallel",
        {"columns": [*"abcdefg"]},
        "Parallel coordinates of a, b, c, d, e and 2 more",
    ),
    "nothing known": ("bars", {}, "Bar chart"),
    "no plot": ("token added", {"name": "ana"}, ""),
}


@pytest.mark.parametrize(("kind", "asked", "title"), CALLED.values(), ids=CALLED)
def test_it_is_called_as_a_person_would(kind: str, asked: dict[str, Any], title: str) -> None:
    assert title_of(kind, asked) == title
