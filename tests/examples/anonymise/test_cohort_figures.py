"""Figures 5 and 6, on the stand-in cohort."""

from __future__ import annotations

import numpy as np

from discreet.render.scene import Intervals
from discreet.render.scene import Panel as ScenePanel
from examples.anonymise.cohort_figures import STAND_IN, figure_6, risk_grid
from examples.anonymise.compare import Compared


def test_risk_rises_with_w1_and_the_second_falls_with_w2(stand_in: Compared) -> None:
    grid = risk_grid(stand_in, (0.01, 0.03, 0.1), (0.05, 0.4, 0.8))
    first = [risk.share for risk in grid.risk1]
    near, middle, far = ([risk.share for risk in risks] for risks in zip(*grid.risk2, strict=True))
    assert first[0] < first[1] < first[2]
    assert near[0] < near[1] < near[2]
    assert (np.array(far) <= middle).all()
    assert (np.array(middle) <= near).all()
    assert (np.array(near) <= first).all()
    assert far[2] < near[2]
    assert grid.risk1[0].count == stand_in.risk.risk1.count
    assert grid.risk2[0][0].count == stand_in.risk.risk2.count


def test_risks_are_of_the_size_of_the_papers(stand_in: Compared) -> None:
    # The paper's cohort had 1.4 and 1.0 %.
    assert 0.005 < stand_in.risk.risk1.share < 0.04
    assert 0.003 < stand_in.risk.risk2.share <= stand_in.risk.risk1.share


def test_utility_loss_is_of_the_size_of_the_papers(stand_in: Compared) -> None:
    # The paper's cohort had 0.00005, and from 0.02 to 0.05.
    assert stand_in.propensity.u < 0.0005
    assert all(0.01 < moved < 0.06 for moved in stand_in.displacement.values())


def test_coefficients_stand_side_by_side_and_who_they_are_of_is_said(stand_in: Compared) -> None:
    plate = figure_6(stand_in)
    panel = plate.panels[0]
    assert isinstance(panel, ScenePanel)
    mark = panel.marks[0]
    assert isinstance(mark, Intervals)
    assert mark.series == ("original", "anonymised")
    assert [len(row) for row in mark.ends] == [5, 5]
    assert STAND_IN in plate.caption
