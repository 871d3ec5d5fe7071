"""Plates become pictures; of several legends the last is left."""

from pathlib import Path

import pytest

from discreet.render.figure_file import plain_settings
from discreet.render.scene import Axis, Cells, Panel, Upright, Uprights
from examples.parallel.data import Credit
from examples.parallel.drawing import (
    LETTERS,
    Plate,
    columns_panel,
    draw_plate,
    drawn,
    has_legend,
    lines_panel,
    panel_of,
)

BARS = columns_panel("bars", ("a", "b"), {"one": (1.0, 2.0), "two": (3.0, 1.0)}, ("", "pixels"))
LINES = lines_panel("lines", (1.0, 2.0), {"one": (0.0, 1.0)}, ("k", "share"), 1.0)
CELLS = Panel(
    (
        Uprights((Upright("x", ("0", "1")), Upright("y", ("0", "1")))),
        Cells((0.0, 0.5, 1.0), (0.0, 0.5, 1.0), ((1.0, 2.0), (0.0, 3.0)), ""),
    ),
    Axis(""),
    Axis(""),
    "cells below uprights",
)


@pytest.mark.slow
def test_a_plate_is_a_png(tmp_path: Path, made_up: Credit) -> None:
    view = panel_of(made_up.study.parallel(["age", "duration"], k=4), "clusters")
    plate = Plate(5, "Seeds", "a", "b", "c", (view, BARS, CELLS, LINES))
    assert draw_plate(plate, tmp_path) == tmp_path / "2011_figure_05.png"
    assert (tmp_path / plate.name).read_bytes().startswith(b"\x89PNG")


def test_a_caption_has_three_parts() -> None:
    plate = Plate(1, "t", "it shows", "ours shows", "nothing", ())
    assert plate.texts == (
        ("The paper", "it shows"),
        ("Here", "ours shows"),
        ("What differs", "nothing"),
    )


def test_who_has_a_legend() -> None:
    assert has_legend(BARS)
    assert has_legend(LINES)
    assert not has_legend(CELLS)


def test_the_title_of_a_view_stands_on_its_panel(made_up: Credit) -> None:
    view = made_up.study.parallel(["age", "duration"], k=4)
    assert panel_of(view, "a title").title == "a title"


NAMES = {
    "as in Figure 5": ("over-plotting", "convergence/divergence"),
    "short ones": ("a", "b"),
    "wide letters": ("MMMMMMMMMMMMMMMM", "WWWWWWWWWWWWWWWW"),
    "more than a line": ("seeds of over-plotting, and of divergence", "b"),
}


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
def test_a_legend_lies_within_its_figure(names: tuple[str, ...]) -> None:
    series: dict[str, tuple[float, ...]] = {name: (1.0, 2.0) for name in names}
    panel = columns_panel("bars", ("a", "b"), series, ("", "pixels"))
    with plain_settings(LETTERS):
        figure = drawn(Plate(5, "bars", "", "", "", (panel, panel), across=2, size=(4.5, 3.4)))
        legends = [it for ax in figure.axes if (it := ax.get_legend()) is not None]
        figure.draw_without_rendering()
        assert len(legends) == 1
        box = legends[0].get_window_extent()
    assert box.x1 <= figure.bbox.x1
    assert box.y1 <= figure.bbox.y1
