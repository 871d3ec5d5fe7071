"""Figures of several studies combined: as the literature has them, and laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.meta_analysis import combine_effects

from discreet.errors import InputError
from discreet.estimates.meta_analysis import DERSIMONIAN, FIXED, KNAPP, combine

BCG = (
    *((4, 123, 11, 139), (6, 306, 29, 303), (3, 231, 11, 220), (62, 13598, 248, 12867)),
    *((33, 5069, 47, 5808), (180, 1541, 372, 1451), (8, 2545, 10, 629), (505, 88391, 499, 88391)),
    *((29, 7499, 45, 7277), (17, 1716, 65, 1665), (186, 50634, 141, 27338), (5, 2498, 3, 2341)),
    (27, 16913, 29, 17854),
)
"""Thirteen trials of the BCG vaccine: cases and people, vaccinated and not (Colditz 1994)."""
STUDIES = st.lists(st.tuples(st.floats(-10, 10), st.floats(0.1, 5)), min_size=2, max_size=8).map(
    lambda it: tuple(zip(*it, strict=True))
)


def test_trials_of_a_vaccine_are_combined_as_in_textbooks() -> None:
    """The figures are those of R's metafor for its dat.bcg."""
    ratios = [math.log(a / n / (c / m)) for a, n, c, m in BCG]
    errors = [math.sqrt(1 / a - 1 / n + 1 / c - 1 / m) for a, n, c, m in BCG]

    found = combine(ratios, errors)

    low, middle, high = found.pooled[DERSIMONIAN]
    assert (round(middle, 4), round(low, 4), round(high, 4)) == (-0.7141, -1.0644, -0.3638)
    assert round(found.pooled[FIXED][1], 4) == -0.4303
    assert (round(found.q, 3), round(found.i2, 4)) == (152.233, 0.9212)
    assert round(found.tau**2, 4) == 0.3181
    assert len(found.without) == len(BCG)


@given(STUDIES)
def test_estimates_are_combined_as_statsmodels_does(studies: tuple[tuple[float, ...], ...]) -> None:
    estimates, errors = studies
    found = combine(estimates, errors)
    with np.errstate(all="ignore"):  # theirs may be a variance below nought
        theirs = combine_effects(np.array(estimates), np.array(errors) ** 2, method_re="dl")
    assert found.pooled[FIXED][1] == pytest.approx(theirs.mean_effect_fe)
    assert found.q == pytest.approx(theirs.q, abs=1e-9)
    if theirs.tau2 > 0:
        assert found.pooled[DERSIMONIAN][1] == pytest.approx(theirs.mean_effect_re)


@settings(max_examples=50)
@given(STUDIES, st.floats(-5, 5), st.floats(0.5, 3))
def test_what_is_combined_moves_with_its_unit(
    studies: tuple[tuple[float, ...], ...], shift: float, scale: float
) -> None:
    estimates, errors = studies
    found = combine(estimates, errors)
    moved = combine([scale * it + shift for it in estimates], [scale * it for it in errors])
    for name, ends in found.pooled.items():
        assert moved.pooled[name] == pytest.approx([scale * it + shift for it in ends], rel=1e-4)
    assert moved.i2 == pytest.approx(found.i2, abs=1e-6)
    assert sum(fixed for fixed, _ in found.weights) == pytest.approx(1)
    assert found.pooled[FIXED][2] - found.pooled[FIXED][0] <= 1.0001 * (
        found.pooled[KNAPP][2] - found.pooled[KNAPP][0]
    )


def test_studies_that_agree_have_nothing_between_them() -> None:
    found = combine([1.0, 1.0, 1.0], [0.1, 0.2, 0.3])
    assert (found.q, found.i2, found.tau) == (0, 0, 0)
    assert found.pooled[DERSIMONIAN] == found.pooled[FIXED]


def test_one_estimate_is_not_combined() -> None:
    with pytest.raises(InputError, match="fewer than two studies have an estimate"):
        combine([1.0], [0.1])
