"""What k and the number of persons do, on fewer data sets than are drawn."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from examples.anonymise.cohort import COLUMNS
from examples.anonymise.sensitivity import Setting, Spread, gather, measured, spreads

SETS = 6
Found = Mapping[Setting, Mapping[str, Spread]]


@pytest.fixture(scope="module")
def found() -> Found:
    return spreads([(500, 3), (500, 10), (500, 46), (50, 5), (1000, 5)], SETS, workers=2)


def test_means_and_spreads_worked_out_by_hand() -> None:
    three = gather([{"U": 1.0}, {"U": 2.0}, {"U": 6.0}])
    assert three["U"].mean == 3
    assert three["U"].sd == pytest.approx(7**0.5)
    assert gather([{"U": 1.0}])["U"] == Spread(1.0, 0.0)


@pytest.mark.slow
def test_a_data_set_is_the_same_each_time_and_no_other() -> None:
    first, again, other = (measured(number, 50, [5])[0] for number in (1, 1, 2))
    assert first == again
    assert first != other
    assert len(first) == 1 + 4 + 6 + 2


@pytest.mark.slow
def test_processes_gather_what_one_would(found: Found) -> None:
    rows = [measured(number, 50, [5])[0] for number in range(SETS)]
    assert found[50, 5] == gather(rows)


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["U", *(f"δ {name}" for name in COLUMNS)])
def test_loss_of_utility_grows_with_k_and_falls_with_persons(found: Found, measure: str) -> None:
    few, some, many = (found[500, k][measure].mean for k in (3, 10, 46))
    assert few < some < many
    assert found[50, 5][measure].mean > found[1000, 5][measure].mean


@pytest.mark.slow
def test_coefficients_are_farther_off_at_a_large_k(found: Found) -> None:
    moved = [name for name in found[500, 3] if name.startswith("d ")]
    assert len(moved) == 6
    assert all(found[500, 3][name].mean < found[500, 46][name].mean for name in moved)


@pytest.mark.slow
@pytest.mark.parametrize("risk", ["risk1", "risk2"])
def test_risk_falls_with_k_and_rises_with_persons(found: Found, risk: str) -> None:
    assert found[500, 3][risk].mean > found[500, 46][risk].mean
    assert found[50, 5][risk].mean < found[1000, 5][risk].mean
