"""The bar chart: a bar a level, or one for each pair of levels."""

from types import MappingProxyType
from typing import Any

import pytest

from discreet.errors import InputError
from discreet.plots import BarView, Origin
from discreet.render.scene import Axis, Columns


def view(**changes: Any) -> BarView:
    """Make bars of three levels, of which one is hidden."""
    given: dict[str, Any] = {"levels": ("a", "b", "other"), "counts": (20, 35, None)}
    return BarView(
        columns=("ward",),
        method="cell-suppression",
        parameters=MappingProxyType({"k": 5}),
        suppressed=None,
        origin=Origin("standard", "guarded", False, None, None, 0, "persons"),
        **given | changes,
    )


DIVIDED: dict[str, Any] = {
    "by": "sex",
    "by_levels": ("f", "m"),
    "by_counts": ((10, 20, 5), (10, 15, 10)),
}


def test_the_scene_is_one_panel_of_upright_bars() -> None:
    (panel,) = view().scene().panels

    assert panel.marks == (Columns(((20, 35, None),), ("",)),)
    assert panel.x == Axis("ward", ticks=("a", "b", "other"))
    assert panel.y == Axis("persons")


def test_divided_bars_are_a_series_for_each_level() -> None:
    (panel,) = view(**DIVIDED).scene().panels

    assert panel.marks == (Columns(((10, 20, 5), (10, 15, 10)), ("f", "m")),)


HIDDEN = "hatched below the axis: nobody, or too few to show"
NOTES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "a hidden bar": ({}, [HIDDEN]),
    "none hidden": ({"counts": (20, 35, 5)}, []),
    "a hidden sum of bars that show": (DIVIDED, ["divided by sex"]),
    "a hidden part": (
        DIVIDED | {"counts": (20, 35, 15), "by_counts": ((10, 20, 5), (10, None, 10))},
        ["divided by sex", HIDDEN],
    ),
}


@pytest.mark.parametrize(("changes", "signs"), NOTES.values(), ids=NOTES)
def test_the_notes_say_what_is_not_there(changes: dict[str, Any], signs: list[str]) -> None:
    first, *rest = view(**changes).scene().notes

    assert first == "bars of ward: cell-suppression (k = 5), policy standard"
    assert rest == signs


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "a count too few": ({"counts": (20, 35)}, "as many counts as levels"),
    "a level too many": ({"levels": ("a", "b", "c", "d")}, "as many counts as levels"),
    "a row too short": (
        DIVIDED | {"by_counts": ((10, 20), (10, 15, 10))},
        "as many counts as levels",
    ),
    "a row too many": (DIVIDED | {"by_levels": ("f",)}, "one row of counts for each level"),
    "no row": ({"by": "sex", "by_levels": ("f", "m")}, "one row of counts for each level"),
}


@pytest.mark.parametrize(("changes", "message"), WRONG.values(), ids=WRONG)
def test_levels_and_counts_belong_together(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        view(**changes)
