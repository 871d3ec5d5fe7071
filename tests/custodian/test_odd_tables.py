"""Tables of all kinds: a copy is made of them, or it is refused in words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import discreet as dc
from discreet.errors import InputError, RefusedError

X = np.random.default_rng(3).normal(50, 10, 400).round(1)
UP = np.where(np.random.default_rng(4).uniform(size=400) < 0.5, "up", "down")
FEW = "the table has too few people for a copy of all its columns: 2 times m are needed"

#: Columns, arguments, and how many different values each column of the copy has at the least.
MADE: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, int]]] = {
    "fewer than 4 m people": ({"x": X[:79], "up": UP[:79]}, {}, {"x": 20, "up": 2}),
    "one column": ({"x": X}, {}, {"x": 100}),
    "one column of levels": ({"up": UP}, {}, {"up": 2}),
    "levels alone": ({"up": UP, "other": UP[::-1]}, {}, {"up": 2, "other": 2}),
    "all gaps": ({"x": X, "none": np.full(400, np.nan)}, {}, {"x": 100}),
    "constants": ({"x": X, "c": 7.0, "word": "same"}, {}, {"x": 100, "c": 1, "word": 1}),
    "six zeros of ten": ({"x": np.where(X < 53, 0.0, X), "up": UP}, {}, {"x": 20, "up": 2}),
    "k = 3": ({"x": X, "up": UP}, {"k": 3}, {"x": 100, "up": 2}),
    "k = 25": ({"x": X, "up": UP}, {"k": 25}, {"x": 50, "up": 2}),
    "weights with gaps": ({"x": X, "wt": np.where(UP == "up", X[::-1], np.nan)}, {}, {"wt": 50}),
    "a name of spaces and signs": ({" ": X, 'a"b,\n': UP}, {}, {" ": 100, 'a"b,\n': 2}),
}
REFUSED: dict[str, tuple[dict[str, Any], dict[str, Any], type[Exception], str]] = {
    "no row": ({"x": X[:0]}, {}, InputError, "the table has no rows"),
    "one row": ({"x": X[:1]}, {}, RefusedError, FEW),
    "fewer than 2 m people": ({"x": X[:39]}, {}, RefusedError, FEW),
    "k = 25 of few": ({"x": X[:150]}, {"k": 25}, RefusedError, FEW),
    "nothing but gaps": ({"x": np.full(400, np.nan)}, {}, RefusedError, "no column of the table"),
    "a name each": ({"x": [f"p{i}" for i in range(400)]}, {}, RefusedError, "no column of this"),
}


@pytest.mark.parametrize("case", MADE.values(), ids=MADE)
def test_a_copy_is_made(case: tuple[dict[str, Any], dict[str, Any], dict[str, int]]) -> None:
    columns, how, values = case
    found = dc.open(pd.DataFrame(columns), study="odd", **how).anonymize().frame
    assert {name: min(found[name].nunique(), least) for name, least in values.items()} == values
    assert 0.7 < len(found) / len(pd.DataFrame(columns)) < 1.3
    for name in set(values) & {"c", "word"}:
        assert found[name].unique().tolist() == [columns[name]]


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_no_copy_is_made(case: tuple[dict[str, Any], dict[str, Any], type[Exception], str]) -> None:
    columns, how, error, says = case
    with pytest.raises(error, match=says):
        dc.open(pd.DataFrame(columns), study="odd", **how).anonymize()
