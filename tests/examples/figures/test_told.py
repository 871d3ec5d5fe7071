"""The few words above each panel."""

from __future__ import annotations

import discreet as dc
from examples.figures.ask import LIMITS_OF_D1
from examples.figures.told import NOTHING, told


def test_what_each_picture_tells(d1: dc.Research) -> None:
    assert told(None) == NOTHING
    assert told(d1.heatmap("X", "Y", method="suppression", limits=LIMITS_OF_D1)) == (
        "164 of 900 cells hidden, 280 records"
    )
    assert told(d1.contour("X", "Y", method="none")) == "500 records"
    assert told(d1.box("X", "Y", method="suppression", limits=LIMITS_OF_D1)) == (
        "means 9.99, 9.89, 220 hidden"
    )
    bars = d1.histogram("X", method="suppression", bins=20, limits={"X": (8.0, 12.0)})
    assert told(bars) == "3 bars hidden, 495 records, mean 10.01"
    centroids = d1.scatter("X", "Y", method="deterministic", trend=True)
    assert told(centroids) == "363 points, 105 shared, slope 1.18"
    assert told(d1.qq("Y ~ X", method="none")) == "500 points"
    assert told(d1.residuals("Y ~ X", method="suppression", k=9)) == "11 records in 1 cell"
    assert told(d1.leverage("Y ~ X", method="suppression", k=99)) == NOTHING
    assert told(d1.heatmap("X", "Y", method="suppression", k=99)).endswith(NOTHING)
    assert told(d1.histogram("X", method="suppression", k=499, bins=9)) == NOTHING
