"""What values are rounded to: no person decides it, and a column keeps its own grain."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.arguments import Floats
from discreet.methods.copies import shortened, step_of

RANDOM = np.random.default_rng(6)


def always(value: float, name: str, count: int) -> Floats:
    """Draw the same number always."""
    return np.full(count, value)


def step(raw: Floats, drawn: float = 0.5) -> Floats:
    return step_of(raw, raw, lambda name, count: always(drawn, name, count), 5)


def test_the_last_digits_of_a_sum_go() -> None:
    assert shortened(np.array([0.1 + 0.2, 0.0, -1e-300, 12345678.900000001])).tolist() == [
        0.3,
        0.0,
        -1e-300,
        12345678.9,
    ]


@pytest.mark.parametrize(
    ("wrong", "whole"),
    [(4, (True, True)), (5, (False, True)), (8, (False, True)), (9, (False,) * 2)],
)
def test_a_column_is_whole_but_for_a_drawn_number(wrong: int, whole: tuple[bool, bool]) -> None:
    raw = RANDOM.integers(0, 150, 400).astype(np.float64)
    raw[: 40 * wrong : 40] += 0.5

    assert tuple(step(raw, drawn).min() == 1 for drawn in (0.0, 0.999)) == whole


@pytest.mark.parametrize("grain", [0.1, 0.2, 0.25, 0.5, 5.0, 100.0])
def test_a_column_keeps_its_grain_where_numbers_are_near_0(grain: float) -> None:
    found = step(np.round(RANDOM.normal(9, 9, 500)) * grain)

    assert found.min() >= grain
    np.testing.assert_allclose(found / grain, np.round(found / grain))


def test_few_numbers_beside_zeros_are_not_rounded_to_them() -> None:
    assert step(np.concatenate([np.zeros(9940), RANDOM.uniform(3, 7, 60)])).max() == 1


def test_a_number_keeps_two_digits() -> None:
    raw = np.exp(RANDOM.normal(0, 3, 500))

    assert (step(raw) <= raw / 10).all()
