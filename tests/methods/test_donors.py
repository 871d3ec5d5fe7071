"""Donors are of the leaf of the drawn row, each about as often as its others."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.methods.column_trees import UNEVEN, donors_evenly, usual_donor


@given(st.integers(1, 40), st.integers(0, 80), st.integers(1, 6), st.integers(0, 2**20))
@settings(max_examples=100, deadline=None)
def test_donors_are_of_the_leaf_and_evenly_as_often_as_they_may(
    n: int, drawn: int, leaves: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    raw = random.integers(0, leaves, n) * 2
    of = random.choice(raw, drawn)
    uniform, own = random.uniform(size=drawn), random.uniform(size=(n, 2))
    found = donors_evenly(raw, of, uniform, own)
    assert (raw[found] == of).all()

    count = np.bincount(found, minlength=n)
    times = np.select([own[:, 1] < UNEVEN / 2, own[:, 1] >= 1 - UNEVEN / 2], [0, 2], 1)
    for leaf in np.unique(raw):
        here = raw == leaf
        may = times[here] if times[here].any() else np.ones(here.sum(), dtype=np.intp)
        rounds = (of == leaf).sum() // may.sum()
        assert (count[here] >= rounds * may).all()
        assert (count[here] <= (rounds + 1) * may).all()


@given(st.integers(1, 9), st.integers(1, 20), st.integers(1, 5), st.integers(0, 2**20))
@settings(max_examples=50, deadline=None)
def test_the_usual_donor_is_the_most_frequent_and_first(
    columns: int, rows: int, kinds: int, seed: int
) -> None:
    donors = np.random.default_rng(seed).integers(0, kinds, (columns, rows))
    counts = [Counter(row.tolist()) for row in donors.T]
    wanted = [min(count, key=lambda it: (-count[it], it)) for count in counts]

    assert usual_donor(list(donors)).tolist() == wanted
