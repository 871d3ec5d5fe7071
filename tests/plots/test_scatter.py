"""The scatter plot: different points in order, and how many records each stands for."""

from types import MappingProxyType
from typing import Any

import pytest

from discreet.errors import InputError
from discreet.plots import DRAWN, RAW, Origin, PointsView, Trend, View
from discreet.render.scene import Axis, Dots, Lines


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


# --- levels and trends ------------------------------------------------------------------------

COLOURED: dict[str, Any] = {"by": "sex", "level": ("m", "f", "m")}


def test_points_of_a_level_are_a_series_in_order_of_its_name() -> None:
    coloured = view(**COLOURED)

    assert coloured.scene().panels[0].marks == (
        Dots((1.0,), (4.0,), (2,), False, "protected rows", "f"),
        Dots((1.0, 2.0), (3.0, 0.0), (1, 1), False, "protected rows", "m"),
    )
    assert coloured.scene().notes[-2:] == (
        "coloured by sex",
        "dark: more than one protected row at the same place",
    )


def test_one_place_may_have_two_levels_but_not_one_twice() -> None:
    same: dict[str, Any] = {"x": (1.0,) * 2, "y": (3.0,) * 2, "size": (1, 1), "by": "sex"}

    assert view(**same, level=("f", "m")).level == ("f", "m")
    for level in (("f", "f"), ("m", "f")):
        with pytest.raises(InputError, match="points are different and in order"):
            view(**same, level=level)


@pytest.mark.parametrize(
    "changes",
    [{"by": "sex"}, {"level": ("f", "m", "m")}, {"by": "sex", "level": ("f",)}],
    ids=["by alone", "levels alone", "a level too few"],
)
def test_levels_and_points_belong_together(changes: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="points that are coloured have a level each"):
        view(**changes)


def test_a_trend_runs_over_the_points_it_is_of() -> None:
    trends = (
        Trend(DRAWN, "f", 2.0, 1.0),
        Trend(DRAWN, "m", -1.0, 0.0),
        Trend(RAW, "", 0.5, 10.0),
    )

    lines = view(**COLOURED, trends=trends).scene().panels[0].marks[2:]

    assert lines == (
        Lines(((1.0, 1.0),), ((3.0, 3.0),), "trend", "trend of what is drawn (f)"),
        Lines(((1.0, 2.0),), ((-1.0, -2.0),), "trend", "trend of what is drawn (m)"),
        Lines(((1.0, 2.0),), ((10.5, 11.0),), "raw", "trend of raw records"),
    )


def test_levels_and_trends_come_back_from_json() -> None:
    coloured = view(**COLOURED, trends=(Trend(DRAWN, "f", 2.0, 1.0), Trend(DRAWN, "m", 0.0, -1e-9)))

    again = View.from_json(coloured.to_json())

    assert again == coloured
    assert again.scene() == coloured.scene()
