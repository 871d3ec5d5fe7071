"""What sections 4.3 to 4.5 of the paper say of Figures 8 to 15, in numbers."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import discreet as dc
from examples.figures.ask import LIMITS_OF_D1
from examples.figures.parameters import parameter_figure
from tests.examples.figures.measure import (
    bars,
    correlation,
    grid_correlation,
    mean_of_bars,
    records,
    sd_of_bars,
    skewness_of_bars,
    slope,
)

MODEL = "Y ~ X"
KS = (3, 5, 7, 9)
CENTROID_KS = (3, 5, 10, 20, 50)
QS = (0.1, 0.5, 1.0, 2**0.5)
SPANS = {"X": (7.0, 13.0), "Y": (6.0, 14.0)}


@pytest.mark.parametrize("number", range(8, 16))
def test_the_panels_are_those_of_the_captions(number: int) -> None:
    plate = parameter_figure(number)

    exploring = ["scatter", "heatmap", "contour", "histogram", "histogram", "box"]
    kinds = exploring if number in (8, 9, 12, 14) else ["residuals", "qq", "leverage"]
    assert len(plate.heads) == 5
    for row, kind in zip(plate.rows, kinds, strict=True):
        assert {view.kind for view in row.views if view is not None} == {kind}
        real = row.views[0]
        assert real is not None
        assert real.suppressed == 0


@pytest.mark.parametrize(("number", "width"), [(8, 0.2), (9, 0.4)])
def test_bars_are_as_wide_as_the_paper_says(number: int, width: float) -> None:
    for row in parameter_figure(number).rows[3:5]:
        for view in row.views:
            assert isinstance(view, dc.HistogramView)
            assert np.diff(view.edges) == pytest.approx(width)


# --- k of k-anonymization (Figs. 8 to 11) -----------------------------------------------------


@pytest.mark.parametrize("column", ["X", "Y"])
@pytest.mark.parametrize("width", [0.2, 0.4])
def test_histograms_stay_symmetrical_about_the_same_mean(
    d1: dc.Research, column: str, width: float
) -> None:
    low, high = SPANS[column]
    named: dict[str, Any] = {"bins": round((high - low) / width), "limits": SPANS}

    whole = d1.histogram(column, method="none", **named)
    for k in KS:
        view = d1.histogram(column, method="suppression", k=k, **named)
        assert mean_of_bars(view) == pytest.approx(mean_of_bars(whole), abs=0.06)
        assert abs(skewness_of_bars(view)) < 0.3
        assert bars(view)[1].sum() > 0.9 * 500


@pytest.mark.parametrize(
    ("method", "left"),
    [("suppression", [280, 139, 54, 10]), ("generalization", [445, 388, 311, 236])],
)
def test_points_get_fewer_as_k_grows(d1: dc.Research, method: str, left: list[int]) -> None:
    views = [d1.scatter("X", "Y", method=method, k=k, limits=LIMITS_OF_D1) for k in KS]

    assert [sum(view.size) for view in views] == left


@pytest.mark.parametrize("picture", ["residuals", "qq", "leverage"])
def test_generalization_loses_fewer_points_of_diagnostics(d1: dc.Research, picture: str) -> None:
    ask = getattr(d1, picture)
    suppressed, generalized = (
        [sum(ask(MODEL, method=method, k=k).size) for k in KS]
        for method in ("suppression", "generalization")
    )

    assert all(fine < coarse for fine, coarse in zip(suppressed, generalized, strict=True))
    assert suppressed == sorted(suppressed, reverse=True)
    assert generalized == sorted(generalized, reverse=True)


def test_hardly_a_residual_is_left_at_nine(d1: dc.Research) -> None:
    assert sum(d1.residuals(MODEL, method="suppression", k=9).size) == 11
    # A QQ plot is a line, so its cells are full: most of it stays.
    assert sum(d1.qq(MODEL, method="suppression", k=9).size) == 383


# --- k of centroids (Figs. 12 and 13) ---------------------------------------------------------


def test_fewer_centroids_coincide_as_k_grows(d1: dc.Research) -> None:
    views = [d1.scatter("X", "Y", method="deterministic", k=k) for k in CENTROID_KS]

    assert [sum(size > 1 for size in view.size) for view in views] == [105, 75, 46, 22, 11]


def test_the_trend_of_centroids_drifts_with_k(d1: dc.Research) -> None:
    views = [d1.scatter("X", "Y", method="deterministic", k=k, trend=True) for k in CENTROID_KS]

    drifts = [slope(view, "what is drawn") - slope(view, "raw records") for view in views]
    assert drifts == sorted(drifts)
    assert drifts[0] == pytest.approx(0.025, abs=0.001)
    assert drifts[-1] == pytest.approx(0.283, abs=0.001)
    # ... and so does the correlation, as centroids lie closer to a line than records do
    assert correlation(views[-1]) > correlation(views[0]) + 0.1


def test_centroids_keep_means_and_spread_but_draw_in_the_ends(d1: dc.Research) -> None:
    raw = records(d1.scatter("X", "Y", method="none"))
    reach = [np.ptp(values) for values in raw]

    for k in CENTROID_KS:
        drawn = records(d1.scatter("X", "Y", method="deterministic", k=k))
        assert all(np.ptp(values) < wide for values, wide in zip(drawn, reach, strict=True))
        for one, other in zip(raw, drawn, strict=True):
            assert other.mean() == pytest.approx(one.mean(), abs=0.01)
            assert other.std() == pytest.approx(one.std(), rel=1e-6)
    assert all(np.ptp(values) < 0.85 * wide for values, wide in zip(drawn, reach, strict=True))


def test_extreme_quantiles_disappear_above_ten(d1: dc.Research) -> None:
    def reach(view: dc.QQView) -> float:
        return max(view.y) - min(view.y)

    raw = reach(d1.qq(MODEL, method="none"))
    reaches = [reach(d1.qq(MODEL, method="deterministic", k=k)) / raw for k in CENTROID_KS]
    assert all(earlier > later for earlier, later in pairwise(reaches))
    assert reaches[0] > 0.95
    assert reaches[1] > 0.9
    assert reaches[3] < 0.8
    assert reaches[4] < 0.7


# --- q of noise (Figs. 14 and 15) -------------------------------------------------------------


def test_points_spread_as_the_noise_grows(d1: dc.Research) -> None:
    raw = [values.std() for values in records(d1.scatter("X", "Y", method="none"))]
    for q in QS:
        drawn = records(d1.scatter("X", "Y", method="probabilistic", q=q))
        spread = [values.std() / sd for values, sd in zip(drawn, raw, strict=True)]
        assert spread == pytest.approx([np.sqrt(1 + q * q)] * 2, rel=0.1)


def test_noise_obscures_the_correlation_of_a_heat_map(d1: dc.Research) -> None:
    raw = grid_correlation(d1.heatmap("X", "Y", method="none"))
    noisy = [grid_correlation(d1.heatmap("X", "Y", method="probabilistic", q=q)) for q in QS]

    assert raw == pytest.approx(0.53, abs=0.01)
    assert all(earlier > later for earlier, later in pairwise([raw, *noisy]))
    assert noisy[-1] < 0.5 * raw


@pytest.mark.parametrize("column", ["X", "Y"])
def test_noisy_histograms_keep_symmetry_and_mean_and_get_wider(
    d1: dc.Research, column: str
) -> None:
    named: dict[str, Any] = {"bins": 100, "limits": {column: (0.0, 20.0)}}
    whole = d1.histogram(column, method="none", **named)
    wide = [d1.histogram(column, method="probabilistic", q=q, **named) for q in QS]

    # Noise of 0.1 widens by half a percent, which the chance of 500 draws outweighs.
    spreads = [sd_of_bars(view) for view in (whole, *wide[1:])]
    assert spreads == sorted(spreads)
    assert spreads[-1] > 1.5 * spreads[0]
    for view in wide:
        assert mean_of_bars(view) == pytest.approx(mean_of_bars(whole), abs=0.15 * sd_of_bars(view))
        assert abs(skewness_of_bars(view)) < 0.4


def test_noise_keeps_residuals_and_spoils_quantiles_and_leverage(d1: dc.Research) -> None:
    raw = d1.leverage(MODEL, method="none")
    quantiles = [correlation(d1.qq(MODEL, method="none"))]
    for q in QS:
        noise: dict[str, Any] = {"method": "probabilistic", "q": q}
        assert abs(correlation(d1.residuals(MODEL, **noise))) < 0.12
        quantiles.append(correlation(d1.qq(MODEL, **noise)))
    spread = d1.leverage(MODEL, method="probabilistic", q=2**0.5)

    assert all(earlier > later for earlier, later in pairwise(quantiles))
    assert quantiles[-1] < 0.5 < 0.99 < quantiles[0]
    assert np.ptp(spread.y) > 1.4 * np.ptp(raw.y)
    assert min(spread.x) < 0 < min(raw.x)  # leverage that no record can have
