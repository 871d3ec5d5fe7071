"""What section 4.1 of the paper says of Figures 1 to 4, in numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import discreet as dc
from examples.figures.ask import LIMITS_OF_D1, METHODS
from examples.figures.exploratory import figure_1, figure_2, figure_3, figure_4
from examples.figures.simulate import table
from tests.examples.figures.measure import (
    bars,
    box_of,
    correlation,
    records,
    skewness_of_bars,
    slope,
)

StudyOf = Callable[..., dc.Research]
NAMES = ("D1", "D2", "D3")


@pytest.mark.slow
def test_the_panels_are_those_of_the_captions() -> None:
    ways = tuple(way.head for way in METHODS)
    for plate, kinds in (
        (figure_1(), ["histogram"] * 6),
        (figure_2(), ["scatter"] * 3),
        (figure_3(), ["heatmap", "contour"] * 3),
        (figure_4(), ["box"] * 3),
    ):
        assert plate.heads == ways
        assert [row.block for row in plate.rows if row.block] == ["A D1", "B D2", "C D3"]
        for row, kind in zip(plate.rows, kinds, strict=True):
            views = [view for view in row.views if view is not None]
            assert [view.kind for view in views] == [kind] * 5
            assert [view.method for view in views] == [way.method for way in METHODS]


# --- Fig. 1: histograms -----------------------------------------------------------------------


def y_of_d3(d3: dc.Research, method: str, **named: Any) -> tuple[np.ndarray[Any, Any], ...]:
    limits = {"Y": (-0.6, 1.6)}
    return bars(d3.histogram("Y", method=method, bins=22, limits=limits, **named))


def test_noise_flattens_the_two_modes_of_d3_and_centroids_keep_them(d3: dc.Research) -> None:
    def modes(method: str, **named: Any) -> float:
        """Divide the mean density of the outer fifths of [0, 1] by that of the middle fifth."""
        middles, held = y_of_d3(d3, method, **named)
        fifth = np.floor(5 * middles)
        outer = held[(fifth == 0) | (fifth == 4)].sum() / 2
        return float(outer / held[fifth == 2].sum())

    assert modes("none") == pytest.approx(2.10, abs=0.01)
    assert modes("deterministic") == pytest.approx(modes("none"), abs=0.05)
    assert modes("probabilistic") < 0.85 * modes("none")  # flattened, not gone ...
    assert modes("probabilistic", q=0.5) < 1.35  # ... as it is with more noise
    assert modes("probabilistic", q=0.05) > 0.9 * modes("none")


def test_values_leave_the_bounds_of_d3(d3: dc.Research) -> None:
    def outside(method: str) -> float:
        middles, held = y_of_d3(d3, method)
        return float(held[(middles < 0) | (middles > 1)].sum())

    assert outside("none") == outside("suppression") == 0
    assert outside("deterministic") == 2  # stretched after smoothing: few, and hardly
    assert box_of(d3.box("Y", method="deterministic"), "Y").low == pytest.approx(0, abs=1e-4)
    assert 50 < outside("probabilistic") < 100


def test_suppression_with_a_large_k_hides_the_skewness_of_d2(d2: dc.Research) -> None:
    def skewness(k: int) -> float:
        limits = {"X": (0.0, 5.0)}
        return skewness_of_bars(
            d2.histogram("X", method="suppression", k=k, bins=25, limits=limits)
        )

    assert skewness(1) > 1.0
    assert skewness(3) < 0.85 * skewness(1)
    assert skewness(20) < 0.5 * skewness(1)
    assert abs(skewness(40)) < 0.1


# --- Fig. 2: scatter plots --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "shown", "points"), [("suppression", 280, 66), ("generalization", 445, 56)]
)
def test_k_anonymization_hides_and_aggregates_points(
    d1: dc.Research, method: str, shown: int, points: int
) -> None:
    view = d1.scatter("X", "Y", method=method, limits=LIMITS_OF_D1)

    assert sum(view.size) == shown  # of 500: 44 % are hidden without generalization
    assert len(view.x) == points
    assert min(view.size) >= 3


@pytest.mark.parametrize("name", NAMES)
def test_centroids_keep_what_noise_keeps_roughly(study_of: StudyOf, name: str) -> None:
    study = study_of(name)
    raw, centroids, noisy = (
        study.scatter("X", "Y", method=method)
        for method in ("none", "deterministic", "probabilistic")
    )

    for one, other, noise in zip(records(raw), records(centroids), records(noisy), strict=True):
        assert other.mean() == pytest.approx(one.mean(), abs=0.01 * one.std())
        assert other.std() == pytest.approx(one.std(), rel=1e-6)
        assert noise.mean() == pytest.approx(one.mean(), abs=0.05 * one.std())
        assert noise.std() == pytest.approx(one.std() * np.sqrt(1 + 0.25**2), rel=0.04)
    assert correlation(centroids) == pytest.approx(correlation(raw), abs=0.02)
    assert correlation(noisy) == pytest.approx(correlation(raw) / (1 + 0.25**2), abs=0.04)


@pytest.mark.parametrize("name", NAMES)
def test_fewer_centroids_are_seen_than_there_are_records(study_of: StudyOf, name: str) -> None:
    view = study_of(name).scatter("X", "Y", method="deterministic")

    assert len(view.x) < 400
    assert sum(view.size) == 500
    assert 90 < sum(size > 1 for size in view.size) < 120  # the dark ones


@pytest.mark.parametrize("method", ["deterministic", "probabilistic"])
@pytest.mark.parametrize("name", NAMES)
def test_no_exact_value_is_seen(study_of: StudyOf, name: str, method: str) -> None:
    raw = table(name)
    view = study_of(name).scatter("X", "Y", method=method)

    assert not set(view.x) & set(raw["X"].to_pylist())
    assert not set(view.y) & set(raw["Y"].to_pylist())


@pytest.mark.parametrize("way", METHODS[1:], ids=lambda way: way.method)
def test_trend_lines_of_d1_stay_near_the_real_one(d1: dc.Research, way: Any) -> None:
    view = d1.scatter("X", "Y", method=way.method, trend=True)

    assert slope(view, "raw records") == pytest.approx(1.1517, abs=1e-4)
    assert slope(view, "what is drawn") == pytest.approx(1.15, abs=0.25)


def test_noise_leaves_the_bounds_in_two_dimensions_and_centroids_do_not(d3: dc.Research) -> None:
    _, noisy = records(d3.scatter("X", "Y", method="probabilistic"))
    _, centroids = records(d3.scatter("X", "Y", method="deterministic"))

    assert 50 < ((noisy < 0) | (noisy > 1)).sum() < 110
    assert 0 < centroids.min() < centroids.max() < 1


# --- Fig. 3: heat maps ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "cells", "hidden"), [("suppression", 900, 164), ("generalization", 225, 42)]
)
def test_the_cells_that_the_paper_counts_are_suppressed(
    d1: dc.Research, method: str, cells: int, hidden: int
) -> None:
    view = d1.heatmap("X", "Y", method=method, limits=LIMITS_OF_D1)

    assert np.array(view.counts, dtype=float).size == cells
    assert view.suppressed == hidden


# --- Fig. 4: box plots ------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["suppression", "generalization"])
def test_k_anonymization_shortens_whiskers(d1: dc.Research, method: str) -> None:
    raw = box_of(d1.box("X", "Y", method="none"), "Y")
    box = box_of(d1.box("X", "Y", method=method, limits=LIMITS_OF_D1), "Y")

    assert raw.low < box.low < box.high < raw.high
    share = (box.high - box.low) / (raw.high - raw.low)
    assert share < (0.65 if method == "suppression" else 0.9)


def test_suppression_shifts_the_mean_of_y_of_d3(d3: dc.Research) -> None:
    raw, suppressed, centroids = (
        box_of(d3.box("X", "Y", method=method), "Y")
        for method in ("none", "suppression", "deterministic")
    )

    assert raw.mean == pytest.approx(0.465, abs=0.001)
    assert suppressed.mean == pytest.approx(0.407, abs=0.001)  # to the left
    assert suppressed.median == pytest.approx(0.178, abs=0.001)  # and less symmetrical
    assert raw.median == pytest.approx(0.447, abs=0.001)
    assert centroids.mean == pytest.approx(raw.mean, abs=0.002)


@pytest.mark.parametrize("method", ["deterministic", "probabilistic"])
def test_outliers_are_drawn_but_none_of_them_is_a_record(d1: dc.Research, method: str) -> None:
    raw = box_of(d1.box("X", "Y", method="none"), "X").outliers
    drawn = box_of(d1.box("X", "Y", method=method), "X").outliers

    assert raw
    assert drawn
    assert not set(raw) & set(drawn)


def test_noise_lengthens_the_whiskers_of_y_of_d3(d3: dc.Research) -> None:
    raw, noisy = (
        box_of(d3.box("X", "Y", method=method), "Y") for method in ("none", "probabilistic")
    )

    assert noisy.low < -0.1 < 0 <= raw.low
    assert noisy.high > 1.1 > 1 >= raw.high
