"""Figures 11 and 12: what chance tells, and which order is refused."""

import pytest

from discreet.render.scene import Columns
from examples.parallel import order
from examples.parallel.data import CONTINUOUS, Credit


def test_of_many_values_chance_tells_much(made_up: Credit) -> None:
    amount, duration = (order.told(made_up, name) for name in ("credit_amount", "duration"))
    assert amount.values > duration.values
    assert amount.chance > duration.chance
    # The columns are independent, and so is what is left.
    assert amount.pixels == pytest.approx(amount.chance, abs=0.15)
    assert amount.cells.bits == pytest.approx(amount.cells_chance, abs=0.15)
    assert amount.beaten > 0.01


def test_the_avoided_order_is_refused(made_up: Credit) -> None:
    why, nearest = order.refusal(made_up)
    assert "'savings' must not stand next to sensitive axis 'credit_history'" in why
    assert sorted(nearest) == sorted(order.AVOIDED)
    assert nearest[-1] == order.SECRET
    assert nearest[-2] in CONTINUOUS


@pytest.mark.slow
def test_figures_have_their_panels(made_up: Credit) -> None:
    bars = order.figure_11(made_up).panels[1].marks[0]
    assert isinstance(bars, Columns)
    assert bars.heights[0] == tuple(order.told(made_up, name).pixels for name in CONTINUOUS)
    assert len(order.figure_12(made_up).panels) == 2


def test_claims_have_numbers(made_up: Credit) -> None:
    told = order.claims(made_up)
    assert len(told) == 4
    assert all(each.numbers for each in told)
    assert told[1].verdict == "HOLDS"


def test_the_information_of_the_amount_is_mostly_chance(credit: Credit) -> None:
    found = order.told(credit, "credit_amount")
    assert found.values == 921
    assert found.pixels == pytest.approx(0.57, abs=0.005)
    assert found.cells.bits == pytest.approx(0.054, abs=0.005)
    assert found.chance > 0.8 * found.pixels
    assert found.cells_chance > 0.7 * found.cells.bits
    assert found.beaten > 0.05
