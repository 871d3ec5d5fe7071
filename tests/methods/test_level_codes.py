"""Levels are known to trees by codes that rise with what is drawn, and tell apart what they can."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.methods import level_codes as module
from discreet.methods.level_codes import MANY_ROWS, MOST_LEVEL_CODES, level_codes

SEEDS = st.integers(0, 2**20)


def test_few_levels_have_a_code_each() -> None:
    level, target = np.array([0, 0, 1, 1, 2, 2]), np.array([5, 7, 1, 1, 3, 2])

    for rows in (6, MANY_ROWS):
        assert level_codes(level, target, 3, rows).tolist() == [2, 0, 1]


def test_levels_of_few_rows_are_nearer_to_the_usual_target() -> None:
    level, target = np.array([0] + [1] * 9 + [2] * 90), np.array([100] + [90] * 9 + [0] * 90)

    # (100 + 5 * 9.1) / 6 is below (810 + 5 * 9.1) / 14.
    assert level_codes(level, target, 3, 100).tolist() == [1, 2, 0]


def test_below_many_rows_codes_hold_as_many_rows_each() -> None:
    level = np.repeat(np.arange(1024), 2)
    code = level_codes(level, level // 100, 1024, MANY_ROWS - 1)

    assert (np.bincount(code[level]) == 8).all()


@given(SEEDS)
@settings(max_examples=20, deadline=None)
def test_of_many_rows_levels_that_differ_share_no_code(seed: int) -> None:
    """Hours of the year are told apart by the hour of the day, however many rows each has."""
    random = np.random.default_rng(seed)
    hour = random.integers(0, 20, 3000)
    level = np.repeat(np.arange(3000), random.integers(1, 9, 3000))
    few = level_codes(level, hour[level], 3000, MANY_ROWS - 1)
    many = level_codes(level, hour[level], 3000, MANY_ROWS)

    assert len({*zip(many.tolist(), hour.tolist(), strict=True)}) == 20
    assert (hour[np.argsort(many, kind="stable")] == np.sort(hour)).all()
    assert len({*zip(few.tolist(), hour.tolist(), strict=True)}) > 256


@given(SEEDS)
@settings(max_examples=20, deadline=None)
def test_codes_rise_with_the_mean_and_hang_on_no_order_of_rows(seed: int) -> None:
    random = np.random.default_rng(seed)
    effect = random.integers(-1000, 1000, 700)
    level = np.tile(np.arange(700), 13)
    target = effect[level] + random.integers(-300, 300, 9100)
    code = level_codes(level, target, 700, MANY_ROWS)
    turned = random.permutation(9100)

    assert code.max() == MOST_LEVEL_CODES - 1
    assert (code == level_codes(level[turned], target[turned], 700, MANY_ROWS)).all()
    mean = np.bincount(code[level], target) / np.bincount(code[level])
    assert (np.diff(mean) > 0).all()


def test_runs_are_parted_where_most_is_gained() -> None:
    size, total = np.array([2, 2, 1, 1]), np.array([0.0, 2.0, 10.0, 11.0])

    assert module._joined(size, total, 1).tolist() == [0, 0, 0, 0]
    assert module._joined(size, total, 2).tolist() == [0, 0, 1, 1]
    assert module._joined(size, total, 3).tolist() == [0, 1, 2, 2]
    assert module._joined(size, total, 9).tolist() == [0, 1, 2, 3]
    # Levels that are alike are never parted.
    assert module._joined(np.ones(4, dtype=np.intp), np.array([3.0, 3, 3, 5]), 9).tolist() == [
        *(0, 0, 0, 1)
    ]


@pytest.mark.parametrize(
    ("target", "wanted"),
    [
        ([1, 1, 5, 5, 9, 9], 0.0),  # a level says it all
        ([1, 9, 1, 9, 1, 9], 5.0),  # a level says nothing
    ],
)
def test_so_many_usual_rows_stand_beside_those_of_a_level(target: list[int], wanted: float) -> None:
    level, held = np.repeat(np.arange(3), 2), np.array(target)
    total = np.bincount(level, held).astype(np.float64)

    assert module._shrunk(np.bincount(level), total, held) == wanted


def test_between_them_it_is_by_how_rows_and_levels_spread() -> None:
    level, held = np.repeat(np.arange(2), 2), np.array([0, 4, 10, 14])
    # Within levels (4 + 4 + 4 + 4) / 2 = 8; between them (100 - 8) / 2 = 46 a level.
    assert module._shrunk(np.bincount(level), np.array([4.0, 24.0]), held) == pytest.approx(
        8 / 46, abs=1e-3
    )
