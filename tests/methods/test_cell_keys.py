"""Cell-key noise: its table of probabilities."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.methods import CellKey

TABLES = st.integers(1, 60).flatmap(
    lambda sd: st.builds(CellKey, st.just(sd), st.none() | st.integers(2 * sd, 8 * sd))
)


@given(TABLES)
def test_changes_have_mean_0_the_variance_and_a_largest_step(noise: CellKey) -> None:
    assert noise.probabilities.sum() == pytest.approx(1)
    assert noise.mean == pytest.approx(0, abs=1e-9)
    assert noise.variance == pytest.approx(noise.sd**2, rel=1e-6)
    assert abs(noise.changes).max() == noise.largest


@given(TABLES)
def test_of_all_such_distributions_it_has_the_largest_entropy(noise: CellKey) -> None:
    # Its logarithm is a line in d²: no other with these moments has a larger entropy.
    inside = noise.probabilities > 1e-290
    steps, logs = noise.changes[inside] ** 2.0, np.log(noise.probabilities[inside])
    line = np.polyfit(steps, logs, 1)
    np.testing.assert_allclose(np.polyval(line, steps), logs, atol=1e-5 * max(1, np.ptp(logs)))


@given(TABLES, st.integers(0, 2**32 - 1))
def test_draws_come_as_often_as_the_table_says(noise: CellKey, seed: int) -> None:
    uniforms = np.random.default_rng(seed).uniform(size=4000)
    drawn = noise.drawn(uniforms)
    assert abs(drawn.mean()) < 5 * noise.sd / np.sqrt(4000)
    assert (np.diff(noise.drawn(np.sort(uniforms))) >= 0).all()


def test_the_ends_of_what_is_drawn() -> None:
    noise = CellKey(sd=3)
    assert noise.drawn(np.array([0.0, 1.0])).tolist() == [-12, 12]


def test_a_largest_step_of_less_than_two_sd_is_refused() -> None:
    with pytest.raises(InputError, match="most must be at least twice sd"):
        CellKey(sd=10, most=19)
