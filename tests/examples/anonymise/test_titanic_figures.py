"""Figures 1 to 4."""

from __future__ import annotations

from examples.anonymise import titanic_figures
from examples.anonymise.compare import Compared
from examples.anonymise.drawing import Cloud, Panel


def test_the_five_steps_stand_in_six_panels(passengers: Compared) -> None:
    plate = titanic_figures.figure_1(passengers)
    assert len(plate.panels) == 6
    for panel in plate.panels:
        assert isinstance(panel, Panel)
        drawn = sum(len(mark.x) for mark in panel.marks if isinstance(mark, Cloud))
        assert drawn in (891, 2 * 891)
    strata = plate.panels[2]
    assert isinstance(strata, Panel)
    assert len(strata.marks) == 12


def test_risky_passengers_are_drawn_and_counted(passengers: Compared) -> None:
    plate = titanic_figures.figure_2(passengers)
    for panel, estimate in zip(
        plate.panels, (passengers.risk.risk1, passengers.risk.risk2), strict=True
    ):
        assert isinstance(panel, Panel)
        _, risky = panel.marks
        assert len(risky.x) == estimate.count
        assert max(risky.y) < 300
        assert f"{estimate.count:g} of 891" in panel.title
