"""A line a method, each through its own numbers; what would press the others flat is cut off."""

import math

import pytest

from discreet.measure.report import Picture
from discreet.measure.roundings_report import (
    BEYOND,
    NOT_ROUNDED,
    family_picture,
    model_picture,
    score_picture,
)
from discreet.measure.trials import RoundingGrid, Trial
from discreet.render.scene import Columns, Lines, Panel


def trials(method: str, family: str, *scores: float, **more: float) -> list[Trial]:
    return [
        Trial(method, family, k=20 + 5 * i, c=25 - 5 * i, rung=i, values={"score": score, **more})
        for i, score in enumerate(scores)
    ]


GRID = RoundingGrid(
    "toy",
    (
        *trials("mdav", "k", 3.0, 5.0, acc_o=80.0, acc_v=90.0),
        *trials("optimal", "k", 2.0, math.nan, acc_o=81.0, acc_v=91.0),
        Trial("mdav", "k", "freedman-diaconis", values={"score": 99.0}),
        *trials("kmeans", "c", 4.0, 6.0, acc_o=82.0, acc_v=92.0),
        Trial("mdlp", "classes", "classes", values={"score": 1.0, "acc_o": 70.0, "acc_v": 97.0}),
    ),
    columns=("x", "y"), rows=500, target="z", model="tree",
    unrounded={"acc_o": 88.0, "acc_v": 88.0},
)  # fmt: skip


def lines_of(panel: Panel) -> dict[str, tuple[tuple[float, ...], tuple[float, ...]]]:
    lines = [mark for mark in panel.marks if isinstance(mark, Lines)]
    return {mark.label: (mark.x[0], mark.y[0]) for mark in lines}


def panel_of(picture: Picture | None, title: str) -> Panel:
    assert picture is not None
    return next(panel for panel in picture.scene.panels if panel.title == title)


def test_lines_go_through_what_was_measured_against_k() -> None:
    panel = panel_of(family_picture(GRID, "k"), "Score")
    assert lines_of(panel) == {
        "mdav": ((20.0, 25.0), (3.0, 5.0)),  # not what Freedman and Diaconis chose
        "optimal": ((20.0,), (2.0,)),  # a gap where nothing is known
    }
    assert {mark.look for mark in panel.marks if isinstance(mark, Lines)} == {"series"}


def test_against_c_it_rises_and_methods_without_a_number_are_level() -> None:
    assert lines_of(panel_of(family_picture(GRID, "c"), "Score")) == {
        "kmeans": ((20.0, 25.0), (6.0, 4.0)),
        "mdlp": ((20.0, 25.0), (1.0, 1.0)),
    }


def test_models_stand_beside_the_unrounded_one() -> None:
    picture = model_picture(GRID)
    assert picture is not None
    assert [panel.title for panel in picture.scene.panels] == [
        "Accuracy on original rows", "Accuracy on rounded rows",
        "Accuracy on original rows", "Accuracy on rounded rows",
    ]  # fmt: skip
    assert lines_of(picture.scene.panels[0])[NOT_ROUNDED] == ((20.0, 25.0), (88.0, 88.0))
    assert lines_of(picture.scene.panels[2])["mdlp"] == ((20.0, 25.0), (70.0, 70.0))


def test_bars_are_the_mean_scores() -> None:
    picture = score_picture(GRID)
    assert picture is not None
    (panel,) = picture.scene.panels
    (bars,) = panel.marks
    assert isinstance(bars, Columns)
    assert (panel.x.ticks, bars.heights) == (("mdav", "optimal", "kmeans"), ((3.0, 2.0, 4.0),))
    assert "lowest optimal with 2, highest kmeans with 4" in picture.words


@pytest.mark.parametrize(
    ("tops", "limits"),
    [
        ({"a": 3.0, "b": 4.0, "c": 5.0}, None),
        ({"a": 3.0, "b": 4.0, "c": 50.0}, (0.0, 5.2)),
        ({"a": 0.0, "b": 0.0, "c": 0.0}, (-0.03, 1.0)),
        ({"a": 1.0, "b": 10.0}, None),  # of two, neither is the odd one
        ({"a": 1.0, "b": 4.0, "c": 5.0}, None),  # one far below presses nothing flat
        ({"a": 50.0}, None),
    ],
)
def test_what_would_press_all_others_flat_is_cut_off(
    tops: dict[str, float], limits: tuple[float, float] | None
) -> None:
    made = [trial for name, top in tops.items() for trial in trials(name, "k", top, top / 2)]
    picture = family_picture(RoundingGrid("toy", tuple(made), ("x",), 500), "k")
    panel = panel_of(picture, "Score")
    assert panel.y.limits == (limits and pytest.approx(limits))
    assert picture is not None
    assert (picture.scene.notes == (BEYOND,)) == (limits is not None and limits[0] == 0)


def test_nothing_is_drawn_of_nothing() -> None:
    refused = RoundingGrid("toy", (Trial("mdav", "k", k=20, rung=0, refused="no"),), ("x",), 9)
    assert family_picture(refused, "k") is None
    assert score_picture(refused) is None
    assert model_picture(refused) is None
