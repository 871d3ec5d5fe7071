"""From names and numbers to methods."""

import numpy as np
import pytest

from discreet.errors import InputError
from discreet.protect.rounding.choice import freedman_diaconis
from discreet.protect.rounding.settling import METHODS, known_method, settled
from discreet.protect.rounding.sorted_column import sorted_column

COLUMN = sorted_column(np.arange(100.0) ** 1.5)
K_METHODS = [name for name, kind in METHODS.items() if kind.parameter == "k"]
C_METHODS = [name for name, kind in METHODS.items() if kind.parameter == "c"]


def number(method: object) -> int:
    return int(next(getattr(method, name) for name in ("k", "c") if hasattr(method, name)))


def test_the_names() -> None:
    assert list(METHODS) == [
        *("mdav", "vmdav", "optimal"),
        *("equal_width", "equal_frequency", "kmeans", "resampling"),
        *("mdlp", "chimerge", "base"),
    ]
    assert K_METHODS == ["mdav", "vmdav", "optimal", "base"]
    assert C_METHODS == ["equal_width", "equal_frequency", "kmeans", "resampling"]
    assert [name for name, kind in METHODS.items() if kind.supervised] == ["mdlp", "chimerge"]


def test_a_hyphen_is_an_underscore() -> None:
    assert known_method("equal-width") is METHODS["equal_width"]


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(InputError, match="no way to round 'round'; there are 'mdav', 'vmdav'"):
        known_method("round")


@pytest.mark.parametrize("name", K_METHODS)
def test_of_methods_that_take_k(name: str) -> None:
    rule = freedman_diaconis(COLUMN)

    assert number(settled(name, COLUMN, k=7)) == 7
    assert number(settled(name, COLUMN, c=7)) == 15  # rounded up: the paper has 34 for 15 of 500
    assert number(settled(name, COLUMN)) == 5
    assert number(settled(name, COLUMN, k="freedman-diaconis")) == rule.k
    assert number(settled(name, COLUMN, c="freedman-diaconis")) == rule.k


@pytest.mark.parametrize("name", C_METHODS)
def test_of_methods_that_take_c(name: str) -> None:
    rule = freedman_diaconis(COLUMN)

    assert number(settled(name, COLUMN, c=7)) == 7
    assert number(settled(name, COLUMN, k=7)) == 14
    assert number(settled(name, COLUMN)) == 20
    assert number(settled(name, COLUMN, k="freedman-diaconis")) == rule.c
    assert number(settled(name, COLUMN, c="freedman-diaconis")) == rule.c


@pytest.mark.parametrize("name", ["mdlp", "chimerge"])
def test_of_methods_that_take_neither(name: str) -> None:
    assert settled(name, COLUMN) == METHODS[name]()
    with pytest.raises(InputError, match="chooses the number of regions itself; leave k and c out"):
        settled(name, COLUMN, c="freedman-diaconis")
