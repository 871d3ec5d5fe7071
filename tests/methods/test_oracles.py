"""What the data decide about a copy: a fixed number of persons is seen, a drawn one hardly."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.oracles import DECISIONS, fixed, told
from tests.cases import few


@pytest.mark.parametrize("name", few(DECISIONS, 2, every=20))
def test_a_fixed_number_of_persons_is_seen_and_a_drawn_one_hardly(name: str) -> None:
    """The first is the control: of a number that is fixed every AUC is 1.

    The bounds of the second are the aim and what chance adds, to the worst of many places more.
    benchmarks/oracles.py makes 300 copies at each place.
    """
    with fixed():
        assert max(told(DECISIONS[name], 6)) > 0.75
    each = told(DECISIONS[name], 8)
    assert np.mean(each) <= 0.7
    assert max(each) < 0.95
