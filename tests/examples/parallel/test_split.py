"""Figures 7 and 8: splits, and clusters that are completed."""

import numpy as np
import pytest

from discreet.render.scene import Trapezoids
from examples.parallel import split
from examples.parallel.data import Credit


def test_treated_clusters_light_enough_or_nothing(made_up: Credit) -> None:
    found = split.treated(made_up, split.K, split.L)
    assert len(found.values) == len(found.own) > 0
    assert all(value == 0 or value >= split.L for value in found.values)
    assert any(own < split.L for own in found.own)
    assert 0 <= found.narrowest <= 1
    assert 0 < found.alike < 1


def test_who_is_not_treated_has_not_the_value(made_up: Credit) -> None:
    inside, outside, at_large = split.treated(made_up, split.K, split.L).odds
    assert outside == 0 < at_large < inside
    assert at_large == np.mean(made_up.table["credit_history"] == split.BAD)


@pytest.mark.slow
def test_figures_select_clusters(credit: Credit) -> None:
    assert len(split.figure_7(credit).panels) == 4
    plate = split.figure_8(credit)
    lit = []
    for panel in plate.panels[1:]:
        last = panel.marks[-1]
        assert isinstance(last, Trapezoids)
        lit.append(sum(last.lit or ()))
    assert lit[0] < split.L <= lit[1]


@pytest.mark.slow
def test_claims_have_numbers(made_up: Credit) -> None:
    told = split.claims(made_up)
    assert len(told) == 7
    verdicts = {each.claim: each.verdict for each in told}
    assert verdicts["Larger k leads to more splits."] == "HOLDS"
    assert verdicts["Splits add to the uncertainty about the value of a record."] == "DOES NOT HOLD"
