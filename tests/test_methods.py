"""Every method says of itself what is shown beside what it makes."""

from __future__ import annotations

import pytest

from discreet import rounding
from discreet.protect import METHODS

ALL = {**METHODS, **rounding.METHODS}


@pytest.mark.parametrize("name", ALL)
def test_a_method_says_what_it_promises_and_what_not(name: str) -> None:
    method = ALL[name]

    assert method.name == name
    for told in (method.promises, method.leaves_open):
        assert told[0].isupper()
        assert told.endswith(".")
