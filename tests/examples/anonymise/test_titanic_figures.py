"""Figures 1 to 4."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.render.scene import Boxes, Intervals
from discreet.render.scene import Panel as ScenePanel
from examples.anonymise import titanic, titanic_figures
from examples.anonymise.compare import Compared, strata_of
from examples.anonymise.drawing import Cloud, Panel


def test_a_box_is_drawn_as_r_does() -> None:
    box = titanic_figures.box("a", np.array([1.0, 2.0, 3.0, 4.0, 5.0, 30.0]))
    assert (box.low, box.q1, box.median, box.q3, box.high) == (1, 2.25, 3.5, 4.75, 5)
    assert box.outliers == (30,)


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


def test_centroids_are_means_of_three_before_they_were_stretched(passengers: Compared) -> None:
    original = titanic_figures.values(passengers.original)
    released = titanic_figures.values(passengers.released)
    z = titanic_figures.standardised(original)
    strata = strata_of(passengers.original, titanic.STRATA)

    middles = titanic_figures.centroids(released, original, z, strata)

    # They spread less than what they are means of; of each one, three z-scores are three times.
    assert (middles.std(axis=0, ddof=1) < 1).all()
    rows = np.flatnonzero(np.asarray(strata) == "2 female no")
    triples = [
        (z[a] + z[b] + z[c]) / 3
        for i, a in enumerate(rows)
        for j, b in enumerate(rows[:i])
        for c in rows[:j]
    ]
    for middle in middles[rows]:
        assert np.abs(np.asarray(triples) - middle).sum(axis=1).min() < 1e-9


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


def test_most_scores_lie_close_to_one_half(passengers: Compared) -> None:
    plate = titanic_figures.figure_3(passengers)
    panel = plate.panels[0]
    assert isinstance(panel, ScenePanel)
    (mark,) = panel.marks
    assert isinstance(mark, Boxes)
    assert [box.label for box in mark.boxes] == ["original", "anonymised"]
    assert all(0.49 < box.q1 < box.q3 < 0.51 for box in mark.boxes)
    assert "0.000117, as in the paper (0.000117)" in plate.caption


def test_intervals_of_both_models_overlap(passengers: Compared) -> None:
    plate = titanic_figures.figure_4(passengers)
    panel = plate.panels[0]
    assert isinstance(panel, ScenePanel)
    mark = panel.marks[0]
    assert isinstance(mark, Intervals)
    for original, released in zip(*mark.ends, strict=True):
        assert original is not None
        assert released is not None
        assert max(original[0], released[0]) < min(original[2], released[2])
    assert panel.y.ticks[-1] == "Pclass (2nd)"
    sex = mark.ends[0][panel.y.ticks.index("Sex (male)")]
    assert sex is not None
    assert sex[1] == pytest.approx(-2.628 * passengers.original["Sex"].eq("male").std(), abs=1e-3)
