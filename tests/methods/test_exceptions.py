"""Persons who break what all others keep."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.arguments import Labels
from discreet.methods.column_trees import exceptions

N = 200
HALF: Labels = np.repeat([0, 1], N // 2)
EVERY_SECOND: Labels = np.arange(N) % 2

# The later column, whose rows are whose, and which rows break a rule.
CASES: dict[str, tuple[Labels, Labels | None, list[int]]] = {
    "nobody breaks it": (HALF * EVERY_SECOND, None, []),
    "one person breaks it": (np.where(np.arange(N) == 8, 1, HALF * EVERY_SECOND), None, [8]),
    "four persons break it": (
        np.where(np.arange(N) < 4, 1, HALF * EVERY_SECOND),
        None,
        [*range(4)],
    ),
    "five persons are no exception": (np.where(np.arange(N) < 5, 1, HALF * EVERY_SECOND), None, []),
    "four rows of one person": (
        np.where(np.arange(N) < 6, 1, HALF * EVERY_SECOND),
        np.where(np.arange(N) < 3, 0, np.arange(N)),
        [*range(6)],
    ),
    "a level that few have anywhere": ((np.arange(N) == 8).astype(np.intp), None, []),
    "nothing to do with it": (EVERY_SECOND, None, []),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_who_breaks_a_rule(case: tuple[Labels, Labels | None, list[int]]) -> None:
    later, persons, expected = case
    found = exceptions({"half": HALF, "later": later, "after": HALF}, "later", 5, persons)

    assert np.flatnonzero(found).tolist() == expected


def test_the_first_column_has_none() -> None:
    assert not exceptions({"half": HALF, "later": HALF}, "half", 5, None).any()
