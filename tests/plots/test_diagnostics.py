"""Pictures of a regression: points, the lines to compare them with, and the estimates."""

from types import MappingProxyType
from typing import Any

import pytest

from discreet.plots import Curve, LeverageView, Origin, QQView, ResidualView
from discreet.render.scene import Axis, Dots, Lines

Diagnostic = ResidualView | QQView | LeverageView
UP, DOWN = (Curve("Cook's distance 1", (0.1, 0.2), (s * 3.0, s * 2.0)) for s in (1, -1))
HALF = Curve("Cook's distance 0.5", (0.1, 0.2), (2.0, 1.0))
CLASSES: dict[str, type[Diagnostic]] = {
    "residuals": ResidualView,
    "qq": QQView,
    "leverage": LeverageView,
}


def view(kind: str, method: str = "condensation", **changes: Any) -> Diagnostic:
    """Make a diagnostic of three points."""
    given: dict[str, Any] = {
        "formula": "y ~ x + C(sex)",
        "x": (-1.0, 0.5, 2.0),
        "y": (3.0, 4.0, 0.0),
        "size": (1, 2, 1),
        "coefficients": MappingProxyType({"Intercept": 1.23456, "x": -0.5}),
        "corrected": MappingProxyType({}),
        "parameters": MappingProxyType({"k": 5}),
    }
    if kind == "leverage":
        given["curves"] = (UP, DOWN, HALF)
    return CLASSES[kind](
        columns=("y", "x"),
        method=method,
        suppressed=None,
        origin=Origin("standard", "guarded", False, None, "0" * 16, 0, "protected rows"),
        **given | changes,
    )


AXES = {
    "residuals": ("fitted values", "residuals"),
    "qq": ("normal quantiles", "standardised residuals"),
    "leverage": ("leverage", "standardised residuals"),
}
# the slope of the line to compare with, which renderers let go on to the edges
SLOPES = {"residuals": 0.0, "qq": 1.0, "leverage": 0.0}


@pytest.mark.parametrize("kind", CLASSES)
def test_the_scene_is_one_panel_of_dots_over_a_line_to_compare_with(kind: str) -> None:
    (panel,) = view(kind).scene().panels
    dots, line, *_ = panel.marks
    assert dots == Dots((-1.0, 0.5, 2.0), (3.0, 4.0, 0.0), (1, 2, 1), False, "protected rows")
    ends = (-1.0, 2.0)
    heights = tuple(SLOPES[kind] * end for end in ends)
    assert line == Lines((ends,), (heights,), "reference")
    assert (panel.x, panel.y) == (Axis(AXES[kind][0]), Axis(AXES[kind][1]))


def test_cook_s_distances_are_one_mark_a_distance() -> None:
    (panel,) = view("leverage").scene().panels
    assert panel.marks[2:] == (
        Lines((UP.x, DOWN.x), (UP.y, DOWN.y), "far reference", "Cook's distance 1"),
        Lines((HALF.x,), (HALF.y,), "far reference", "Cook's distance 0.5"),
    )


@pytest.mark.parametrize(("method", "by_size"), [("suppression", True), ("none", False)])
def test_points_of_cells_are_sized_by_their_count(method: str, by_size: bool) -> None:
    dots = view("qq", method).scene().panels[0].marks[0]
    assert isinstance(dots, Dots)
    assert dots.by_size == by_size


@pytest.mark.parametrize("kind", CLASSES)
def test_describe_tells_the_estimates(kind: str) -> None:
    estimates = "estimates: Intercept 1.235, x -0.5"
    assert view(kind).describe().splitlines()[-1] == estimates
    better = view(kind, corrected=MappingProxyType({"Intercept": 1.0, "x": -0.625}))
    assert better.describe().splitlines()[-2:] == [
        estimates,
        "estimates corrected for the noise: Intercept 1, x -0.625",
    ]
    none = view(kind, coefficients=MappingProxyType({}))
    assert "estimates" not in none.describe()
