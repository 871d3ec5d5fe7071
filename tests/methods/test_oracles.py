"""What the data decide about a copy: a fixed number of persons is seen, a drawn one hardly."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.oracles import DECISIONS, fixed, told


@pytest.mark.parametrize("name", DECISIONS)
def test_fixed_numbers_of_persons_are_seen(name: str) -> None:
    """The control: else no attack would be one."""
    with fixed():
        assert max(told(DECISIONS[name], 6)) > 0.75


@pytest.mark.slow
@pytest.mark.parametrize("name", DECISIONS)
def test_one_person_more_is_hardly_seen(name: str) -> None:
    """The bounds are the aim and what chance adds: to the worst of many places more."""
    each = told(DECISIONS[name], 100)
    assert np.mean(each) <= 0.65
    assert max(each) <= 0.75
