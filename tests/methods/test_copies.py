"""What a copy is drawn with: of the secret, the version and the record, and of nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.arguments import Floats
from discreet.keys import row_keys
from discreet.methods.copies import Draws, step_of
from discreet.secret import Secret

SECRET, OTHER = (Secret.from_bytes(bytes(range(it, it + 32))) for it in (0, 1))
KEYS = row_keys(SECRET, [np.arange(40.0)])
DRAWS = Draws(SECRET, b"1", KEYS)


def test_draws_are_of_the_secret_the_version_and_the_record() -> None:
    found = DRAWS.of_rows("a")[:, 0]
    assert len(np.unique(found)) == 40
    for other in (Draws(SECRET, b"2", KEYS), Draws(OTHER, b"1", KEYS)):
        assert not np.isin(other.of_rows("a"), found).any()
    assert not np.isin(DRAWS.of_rows("b"), found).any()
    turned = np.arange(40)[::-1]
    assert DRAWS.taken(turned).of_rows("a")[:, 0].tolist() == found[turned].tolist()


def test_draws_of_a_table_are_of_the_secret_and_the_version() -> None:
    found = DRAWS.of_table("a", 40)
    assert len(np.unique(found)) == 40
    for other in (Draws(SECRET, b"2", KEYS), Draws(OTHER, b"1", KEYS)):
        assert not np.isin(other.of_table("a", 40), found).any()
    assert not np.isin(DRAWS.of_table("b", 40), found).any()
    assert Draws(SECRET, b"1", KEYS[:3]).of_table("a", 40).tolist() == found.tolist()


def test_a_threshold_is_one_of_k_to_2_k_minus_1() -> None:
    found = {DRAWS.threshold(str(name), 5) for name in range(200)}
    assert found == {5, 6, 7, 8, 9}


# --- what values are rounded to: no person decides it, and a column keeps its own grain -----------


RANDOM = np.random.default_rng(6)


def always(value: float, name: str, count: int) -> Floats:
    """Draw the same number always."""
    return np.full(count, value)


def step(raw: Floats, drawn: float = 0.5) -> Floats:
    return step_of(raw, raw, lambda name, count: always(drawn, name, count), 5)


@pytest.mark.parametrize(
    ("wrong", "whole"),
    [(4, (True, True)), (5, (False, True)), (8, (False, True)), (9, (False,) * 2)],
)
def test_a_column_is_whole_but_for_a_drawn_number(wrong: int, whole: tuple[bool, bool]) -> None:
    raw = RANDOM.integers(0, 150, 400).astype(np.float64)
    raw[: 40 * wrong : 40] += 0.5
    assert tuple(step(raw, drawn).min() == 1 for drawn in (0.0, 0.999)) == whole


@pytest.mark.parametrize("grain", [0.1, 0.25, 100.0])
def test_a_column_keeps_its_grain_where_numbers_are_near_0(grain: float) -> None:
    found = step(np.round(RANDOM.normal(9, 9, 500)) * grain)
    assert found.min() >= grain
    np.testing.assert_allclose(found / grain, np.round(found / grain))


def test_few_numbers_beside_zeros_are_not_rounded_to_them() -> None:
    assert step(np.concatenate([np.zeros(9940), RANDOM.uniform(3, 7, 60)])).max() == 1
