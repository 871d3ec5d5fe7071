"""The scatter plot: different points in order, and how many records each stands for."""

from types import MappingProxyType
from typing import Any

import pytest

from discreet.errors import InputError
from discreet.render.scene import Axis, Dots
from discreet.views import Origin, PointsView


def view(method: str = "condensation", **changes: Any) -> PointsView:
    """Make three points."""
    given: dict[str, Any] = {"x": (1.0, 1.0, 2.0), "y": (3.0, 4.0, 0.0), "size": (1, 2, 1)}
    return PointsView(
        columns=("age", "bmi"),
        method=method,
        parameters=MappingProxyType({"k": 5}),
        suppressed=None,
        origin=Origin("standard", "guarded", False, None, "0" * 16, 0, "protected rows"),
        **given | changes,
    )


def test_the_scene_is_one_panel_of_dots_without_limits_of_its_own() -> None:
    (panel,) = view().scene().panels

    assert panel.marks == (
        Dots((1.0, 1.0, 2.0), (3.0, 4.0, 0.0), (1, 2, 1), False, "protected rows"),
    )
    assert (panel.x, panel.y) == (Axis("age"), Axis("bmi"))


@pytest.mark.parametrize(
    ("method", "by_size"),
    [("suppression", True), ("generalization", True), ("none", False), ("deterministic", False)],
)
def test_points_of_cells_are_sized_by_their_count(method: str, by_size: bool) -> None:
    (dots,) = view(method).scene().panels[0].marks

    assert isinstance(dots, Dots)
    assert dots.by_size == by_size


@pytest.mark.parametrize("changes", [{"x": (1.0, 2.0)}, {"y": ()}, {"size": (1, 1, 1, 1)}])
def test_coordinates_and_sizes_belong_together(changes: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="as many x as y coordinates and sizes"):
        view(**changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"x": (2.0, 1.0, 1.0)},
        {"y": (4.0, 3.0, 0.0)},
        {"x": (1.0, 1.0, 1.0), "y": (3.0, 3.0, 4.0)},
    ],
    ids=["x falls", "y falls within x", "a point twice"],
)
def test_points_out_of_order_are_refused_for_rows_might_be(changes: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="points are different and in order"):
        view(**changes)
