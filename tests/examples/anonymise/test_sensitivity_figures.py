"""Figures 7 and 8: four panels each, and every setting of the paper."""

from __future__ import annotations

import pytest

from examples.anonymise.drawing import Curve, Panel, Plate
from examples.anonymise.sensitivity import Setting, Spread
from examples.anonymise.sensitivity_figures import (
    PANELS,
    SETTINGS_7,
    SETTINGS_8,
    figure_7,
    figure_8,
)


def test_settings_are_those_of_the_paper() -> None:
    assert [k for _, k in SETTINGS_7] == [3, 5, 7, 10, 15, 20, 25, 30, 35, 40, 46]
    assert {persons for persons, _ in SETTINGS_7} == {500}
    assert [n for n, _ in SETTINGS_8] == [50, 100, 200, 500, 1000, 1500, 2000, 2500, 3000]
    assert {k for _, k in SETTINGS_8} == {5}


@pytest.mark.parametrize("number", [7, 8])
def test_each_measure_has_a_curve_with_whiskers(number: int) -> None:
    settings = SETTINGS_7 if number == 7 else SETTINGS_8
    keys = [key for _, _, names in PANELS for key in names]
    found: dict[Setting, dict[str, Spread]] = {
        setting: {key: Spread(float(order), 0.5) for key in keys}
        for order, setting in enumerate(settings)
    }

    plate: Plate = (figure_7 if number == 7 else figure_8)(found, 100)

    assert plate.number == number
    counted = []
    for panel in plate.panels:
        assert isinstance(panel, Panel)
        counted.append(len(panel.marks))
        for mark in panel.marks:
            assert isinstance(mark, Curve)
            assert mark.y == tuple(map(float, range(len(settings))))
            assert mark.sd == (0.5,) * len(settings)
    assert counted == [1, 4, 6, 2]
    assert "100 simulated data sets" in plate.caption
    assert "not public" in plate.caption
