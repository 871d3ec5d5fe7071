"""The density: a smooth curve with an area of 1, which ends where the values of its rows do."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import gaussian_kde

from discreet.errors import InputError, RefusedError
from discreet.plots import Curve, DensityView, Origin, View
from discreet.plots.density import NARROWEST, DensityPlot, bandwidth_of, density_of
from discreet.render.scene import Lines
from tests.plots.cases import OF_ROWS, ROWS, rows_of


def drawn(values: Any, levels: Any = None, origin: Origin = OF_ROWS) -> DensityView:
    by = None if levels is None else "sex"
    plot = DensityPlot("age", by=by)
    return plot.from_rows(rows_of(age=values), levels or (), ROWS, origin)


def test_the_bandwidth_is_that_of_the_rule_of_thumb() -> None:
    values = np.array([0.0, 1.0, 2.0, 3.0, 4.0])  # quartiles 1 and 3, standard deviation 1.414
    assert bandwidth_of(values) == pytest.approx(0.9 * np.sqrt(2) * 5**-0.2)
    values = np.array([-20.0, 1.0, 2.0, 3.0, 20.0])
    assert bandwidth_of(values) == pytest.approx(0.9 * 2 / 1.34 * 5**-0.2)


def test_many_zeros_leave_a_bandwidth() -> None:
    """Four in five rows have one value, and then all but one of very many."""
    many, most = np.zeros(100), np.zeros(10**6)
    many[80:], most[-1] = np.arange(20), 1.0
    assert bandwidth_of(many) == pytest.approx(0.9 * many.std() * 100**-0.2)
    assert bandwidth_of(most) == NARROWEST
    assert max(density_of("", most, bandwidth_of(most)).y) < 200


@pytest.mark.parametrize("seed", range(3))
def test_it_is_that_of_scipy_with_its_mirrors(seed: int) -> None:
    random = np.random.default_rng(seed)
    values = np.sort(random.gamma(1.5, 10, size=300))  # most of it near the end at 0
    width = bandwidth_of(values)
    curve = density_of("", values, width)
    twin = gaussian_kde(values, width / values.std(ddof=1))
    x, low, high = np.array(curve.x), values[0], values[-1]
    expected = twin(x) + twin(2 * low - x) + twin(2 * high - x)
    assert np.abs(np.array(curve.y) - expected).max() < 0.005 * expected.max()
    assert (curve.x[0], curve.x[-1]) == (low, high)


@given(st.lists(st.integers(-50, 50) | st.floats(-1e6, 1e6), min_size=10, max_size=60))
def test_the_area_is_1_whatever_the_values(given: list[float]) -> None:
    values = np.sort(np.array(given, dtype=float))
    if not values[0] < values[-1]:
        return
    curve = density_of("", values, bandwidth_of(values))
    assert np.trapezoid(curve.y, curve.x) == pytest.approx(1, abs=0.02)
    assert min(curve.y) >= 0
    assert np.all(np.diff(curve.x) > 0)


def test_the_scene_falls_to_0_where_the_rows_end() -> None:
    view = dataclasses.replace(drawn(range(12)), curves=(Curve("", (0, 2, 4), (0.1, 0.4, 0.2)),))
    (panel,) = view.scene().panels
    assert panel.marks == (Lines(((0, 0, 2, 4, 4),), ((0, 0.1, 0.4, 0.2, 0),), "curve"),)
    assert panel.y.label == "density"
    assert panel.y.limits is not None
    assert panel.y.limits == pytest.approx((0, 0.42))
    assert View.from_json(view.to_json()) == view


def test_levels_without_a_curve_are_named() -> None:
    view = drawn([*range(10), *[3] * 10, 4], ["f"] * 10 + ["m"] * 10 + ["x"])
    assert [curve.label for curve in view.curves] == ["f"]
    assert (view.few, view.constant) == (("x",), ("m",))
    assert view.scene().notes[-2:] == (
        "not drawn, with fewer than 10 rows: x",
        "not drawn, as all their rows have one value: m",
    )


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ([7] * 12, "'age' has only one value, so it has no density"),
        ([-1e308, 1e308] * 6, "'age' lie too close together or too far apart"),
        ([0, 5e-324] * 6, "'age' lie too close together or too far apart"),
        (range(9), "no column has 10 rows"),
    ],
)
def test_what_has_no_density_is_refused(values: Any, says: str) -> None:
    with pytest.raises(RefusedError, match=says):
        drawn(values)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"curves": (Curve("", (1, 2), (0.5,)),)}, "as many heights as places"),
        ({"curves": ()}, "as many heights as places"),
        ({"bandwidths": ()}, "a bandwidth each"),
        ({"curves": (Curve("", (1, 2), (0.5, -0.1)),)}, "nowhere below 0"),
    ],
)
def test_a_view_that_is_no_density_is_refused(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        dataclasses.replace(drawn(range(12)), **changes)
