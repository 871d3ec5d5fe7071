"""What the data decide about a copy: a fixed number of persons is seen, a drawn one hardly."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.oracles import DECISIONS, fixed, told
from tests.cases import few


@pytest.mark.parametrize("name", few(DECISIONS, 4, every=7))
def test_a_fixed_number_of_persons_is_seen_and_no_drawn_one_for_sure(name: str) -> None:
    """The first is the control. Of so few copies no AUC of .6 is above .95 but by great chance."""
    with fixed():
        assert max(told(DECISIONS[name], 6)) > 0.75
    assert max(told(DECISIONS[name], 5)) < 0.95


@pytest.mark.slow
@pytest.mark.parametrize("name", DECISIONS)
def test_one_person_more_is_hardly_seen(name: str) -> None:
    """The bounds are the aim and what chance adds: to the worst of many places more.

    benchmarks/oracles.py makes 300 copies at each place; of a number that is fixed every AUC is 1.
    """
    each = told(DECISIONS[name], 12)
    assert np.mean(each) <= 0.65
    assert max(each) <= 0.9
