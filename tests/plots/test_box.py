"""The box plot: a panel a column, five numbers in order."""

from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest

import discreet as dc
from discreet.errors import InputError, RefusedError
from discreet.plots import BoxView, Origin, View
from discreet.protect import OrderMeans
from discreet.protect.values import nice_step, stepped, winsorised
from discreet.render.scene import Axis, Box, Boxes


def view(*groups: Box, by: str | None = None) -> BoxView:
    """Make a view of boxes, of columns or of the levels of one."""
    return BoxView(
        columns=tuple(box.label for box in groups) if by is None else ("age",),
        method="order-means",
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


def test_mean_and_outliers_come_back_from_json() -> None:
    again = View.from_json(view(AGE, BMI).to_json())

    assert isinstance(again, BoxView)
    assert again.groups == (AGE, BMI)
    assert again.groups[1].outliers == (50.0, 60.0)


def test_a_box_without_outliers_field_is_no_view() -> None:
    text = view(BMI).to_json().replace('"outliers"', '"rows"')

    with pytest.raises(InputError, match="the JSON of the box view holds values of another type"):
        View.from_json(text)


@pytest.mark.parametrize("place", range(5))
def test_five_numbers_are_in_order(place: int) -> None:
    numbers = [1.0, 2.0, 3.0, 4.0, 5.0]
    numbers[place] = 10.0 if place < 4 else 0.0
    low, q1, median, q3, high = numbers

    with pytest.raises(InputError, match="the five numbers of a box are in order"):
        view(Box("age", low, q1, median, q3, high))


def test_equal_numbers_are_in_order() -> None:
    assert view(Box("age", 1, 1, 1, 1, 1)).groups[0].low == 1


def test_boxes_of_levels_share_one_panel() -> None:
    women, men = Box("f", 20, 30, 40, 50, 60), Box("m", 25, 35, 45, 55, 65, 44.5)
    drawn = view(women, men, by="sex")

    (panel,) = drawn.scene().panels

    assert panel.marks == (Boxes((women, men)),)
    assert (panel.x, panel.y) == (Axis("sex", ticks=("f", "m")), Axis("age"))
    assert drawn.scene().notes[-1] == "diamond: mean"
    assert View.from_json(drawn.to_json()) == drawn


def test_the_notes_say_what_the_boxes_are_of() -> None:
    assert view(AGE).scene().notes == view(AGE).notes()
    assert view(AGE, BMI).scene().notes[-1] == "diamond: mean"


def test_boxes_of_levels_without_whiskers_say_so() -> None:
    bare = view(Box("f", 30, 30, 40, 50, 50), Box("m", 35, 35, 45, 55, 55), by="sex")

    assert bare.scene().notes[-1].startswith("no whiskers: ")
    column = view(Box("age", 30, 30, 40, 50, 50))
    assert column.scene().notes == column.notes()


def test_boxes_of_levels_are_those_of_their_values() -> None:
    draw = np.random.default_rng(5)
    of = draw.choice(["a", "b", "c", "rare"], 900, p=[0.5, 0.3, 0.196, 0.004])
    x = draw.lognormal(3, 0.5, 900) * np.where(of == "b", 2, 1)
    x[3], of[4] = 1e6, "a"
    frame = pd.DataFrame({"x": x, "of": of})

    found = dc.open(frame, rows="condensation", unit=False).box("x", by="of").groups

    assert [it.label for it in found] == ["a", "b", "c + other"]
    for box, levels in zip(found, (["a"], ["b"], ["c", "rare"]), strict=True):
        values = x[np.isin(of, levels)]
        step = nice_step(float(np.std(winsorised(values, 5), ddof=1)))
        low, q1, median, q3, high = stepped(np.array(OrderMeans(5)(values)), step).tolist()
        assert low < q1
        assert q3 < high
        assert (box.low, box.q1, box.median, box.q3, box.high) == (q1, q1, median, q3, q3)


@pytest.mark.parametrize("one", [4.0, 90.0], ids=["none varies", "but for one"])
def test_a_level_that_hardly_varies_is_refused_as_a_small_one_is(one: float) -> None:
    x = np.concatenate([[one], np.full(599, 4.0), np.arange(200.0)])
    frame = pd.DataFrame({"x": x, "of": ["a"] * 600 + ["b"] * 200})

    with pytest.raises(RefusedError, match=r"too few complete rows .*, or hardly vary within one"):
        dc.open(frame, rows="condensation", unit=False).box("x", by="of")
