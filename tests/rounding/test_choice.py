"""How many rows in a region, or regions, and which method a name means."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.rounding import choice
from discreet.rounding.base import sorted_column
from discreet.rounding.choice import (
    METHODS,
    Choice,
    c_of_k,
    freedman_diaconis,
    k_of_c,
    known_method,
    settled,
)

CHOICES: dict[str, tuple[list[float], Choice]] = {
    # Quartiles at ranks 1.75 and 5.25: IQR 3.5, width 2 * 3.5 / 2.
    "eight numbers": ([0, 1, 2, 3, 4, 5, 6, 7], Choice(3.5, 2, 4)),
    "a far value": ([0, 1, 2, 3, 4, 5, 6, 17], Choice(3.5, 5, 3)),
    "never more regions than rows": ([0, 1, 2, 3, 4, 5, 6, 1e9], Choice(3.5, 8, 3)),
    # Terrell and Scott: the cube root of 16, upwards.
    "equal quartiles": ([0, 5, 5, 5, 5, 5, 5, 12], Choice(4.0, 3, 3)),
    "constant": ([4, 4, 4, 4], Choice(0.0, 1, 4)),
    "one row": ([4], Choice(0.0, 1, 3)),
    "two rows": ([0, 1], Choice(2 * 0.5 / 2 ** (1 / 3), 2, 3)),
}


@pytest.mark.parametrize(("x", "expected"), CHOICES.values(), ids=CHOICES)
def test_by_hand(x: list[float], expected: Choice) -> None:
    found = freedman_diaconis(sorted_column(x))
    assert (found.c, found.k) == (expected.c, expected.k)
    assert found.width == pytest.approx(expected.width, rel=1e-14)


@given(st.lists(st.integers(-20, 20), min_size=4, max_size=60))
def test_the_width_is_of_numpys_quartiles_and_c_covers_the_range(values: list[int]) -> None:
    x = np.array(values, dtype=float)
    low, high = np.quantile(x, [0.25, 0.75])
    if low == high:
        return
    found = freedman_diaconis(sorted_column(x))
    assert found.width == pytest.approx(2 * (high - low) / len(x) ** (1 / 3), rel=1e-12)
    assert found.c == min(len(x), math.ceil(np.ptp(x) / found.width))
    assert found.k == max(3, len(x) // found.c)


@given(st.lists(st.integers(-20, 20), min_size=2, max_size=60), st.integers(-8, 8))
def test_c_and_k_do_not_depend_on_the_unit(values: list[int], power: int) -> None:
    # The paper's k = n / width would.
    x = np.array(values, dtype=float)
    here, there = (
        freedman_diaconis(sorted_column(x)),
        freedman_diaconis(sorted_column(x * 2**power)),
    )
    assert (here.c, here.k) == (there.c, there.k)
    assert there.width == here.width * 2.0**power


PAPER = ((167, 3), (100, 5), (50, 10), (34, 15), (25, 20), (20, 25))


@pytest.mark.parametrize(("k", "c"), PAPER)
def test_k_and_c_are_the_papers_for_its_500_rows(k: int, c: int) -> None:
    assert k_of_c(500, c) == k
    assert c_of_k(500, k) == c


LIMITS = {
    "more regions than rows": (k_of_c(10, 50), 2),
    "one region": (k_of_c(10, 1), 10),
    "groups larger than the data": (c_of_k(10, 50), 1),
    "groups of one": (c_of_k(10, 1), 10),
    "half is rounded up": (c_of_k(10, 4), 3),
}


@pytest.mark.parametrize(("found", "expected"), LIMITS.values(), ids=LIMITS)
def test_limits(found: int, expected: int) -> None:
    assert found == expected


def test_there_are_no_more_regions_than_methods_make(monkeypatch: pytest.MonkeyPatch) -> None:
    column = sorted_column([*range(40), 1e9])
    assert freedman_diaconis(column).c == 41
    monkeypatch.setattr(choice, "MOST_REGIONS", 7)
    assert (freedman_diaconis(column).c, freedman_diaconis(column).k) == (7, 5)


COLUMN = sorted_column(np.arange(100.0) ** 1.5)
K_METHODS = [name for name, kind in METHODS.items() if kind.parameter == "k"]
C_METHODS = [name for name, kind in METHODS.items() if kind.parameter == "c"]


def number(method: object) -> int:
    return int(next(getattr(method, name) for name in ("k", "c") if hasattr(method, name)))


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(
        InputError, match="unknown rounding method 'round'; there are 'mdav', 'vmdav'"
    ):
        known_method("round")


@pytest.mark.parametrize("name", K_METHODS[:2])
def test_of_methods_that_take_k(name: str) -> None:
    rule = freedman_diaconis(COLUMN)
    assert number(settled(name, COLUMN, k=7)) == 7
    assert number(settled(name, COLUMN, c=7)) == 15  # rounded up: the paper has 34 for 15 of 500
    assert number(settled(name, COLUMN)) == 5
    assert number(settled(name, COLUMN, k="freedman-diaconis")) == rule.k
    assert number(settled(name, COLUMN, c="freedman-diaconis")) == rule.k


@pytest.mark.parametrize("name", C_METHODS[:2])
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
