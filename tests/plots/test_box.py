"""The box plot: a panel a column, five numbers in order."""

from types import MappingProxyType

import pytest

from discreet.errors import InputError
from discreet.plots import BoxView, Origin, View
from discreet.render.scene import Axis, Box, Boxes


def view(*groups: Box, by: str | None = None) -> BoxView:
    """Make a view of boxes, of columns or of the levels of one."""
    return BoxView(
        columns=tuple(box.label for box in groups) if by is None else ("age",),
        method="suppression",
        parameters=MappingProxyType({"k": 5}),
        suppressed=None,
        origin=Origin("standard", "guarded", False, None, None, 0, "records"),
        groups=groups,
        by=by,
    )


AGE, BMI = Box("age", 20, 30, 40, 50, 60), Box("bmi", 18, 22, 25, 28, 40, 25.5, (50.0, 60.0))


def test_the_scene_has_a_panel_a_column() -> None:
    panels = view(AGE, BMI).scene().panels
    assert [panel.marks for panel in panels] == [(Boxes((AGE,)),), (Boxes((BMI,)),)]
    assert [panel.x.ticks for panel in panels] == [("age",), ("bmi",)]


@pytest.mark.parametrize("place", range(5))
def test_five_numbers_are_in_order(place: int) -> None:
    numbers = [1.0, 2.0, 3.0, 4.0, 5.0]
    numbers[place] = 10.0 if place < 4 else 0.0
    low, q1, median, q3, high = numbers
    with pytest.raises(InputError, match="the five numbers of a box are in order"):
        view(Box("age", low, q1, median, q3, high))


def test_boxes_of_levels_share_one_panel() -> None:
    women, men = Box("f", 20, 30, 40, 50, 60), Box("m", 25, 35, 45, 55, 65, 44.5)
    drawn = view(women, men, by="sex")
    (panel,) = drawn.scene().panels
    assert panel.marks == (Boxes((women, men)),)
    assert (panel.x, panel.y) == (Axis("sex", ticks=("f", "m")), Axis("age"))
    assert drawn.scene().notes[-1] == "diamond: mean"
    assert View.from_json(drawn.to_json()) == drawn
