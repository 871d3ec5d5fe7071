"""Plates: what is asked for is drawn, each panel under its letter."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from discreet.render.scene import Axis, Box, Boxes
from discreet.render.scene import Panel as ScenePanel
from examples.anonymise.drawing import Cloud, Curve, Panel, Plate, draw_panel, draw_plate

CURVE = Curve((1.0, 10.0, 100.0), (1.0, 2.0, 4.0), (0.5, 0.5, 0.5), "U")


def test_a_plate_becomes_a_file(tmp_path: Path) -> None:
    boxes = Boxes((Box("a", 0, 1, 2, 3, 4),))
    plate = Plate(
        9,
        "All marks",
        "What there is to draw.",
        (
            Panel((Cloud((1.0, 2.0), (3.0, 4.0)),), x="x", y="y"),
            Panel((CURVE,), log="xy", ticks=(1, 10, 100)),
            ScenePanel((boxes,), x=Axis(""), y=Axis("y")),
        ),
    )
    path = draw_plate(plate, tmp_path)
    assert path == tmp_path / "2022_figure_9.png"
    assert path.stat().st_size > 10_000


def test_keys_stand_in_the_legend_instead_of_names() -> None:
    ax = Figure().subplots()
    key = Cloud((), (), "class 1")
    draw_panel(ax, Panel((Cloud((1.0,), (2.0,), "points"),), keys=(key,)))
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["class 1"]


def test_without_names_there_is_no_legend() -> None:
    ax = Figure().subplots()
    draw_panel(ax, Panel((Cloud((1.0,), (2.0,)),)))
    assert ax.get_legend() is None


@pytest.mark.parametrize("log", ["", "x"])
def test_curves_stand_beside_each_other_around_their_places(log: str) -> None:
    ax = Figure().subplots()
    draw_panel(ax, Panel((CURVE, CURVE), log=log, ticks=(1, 10, 100), zero=True))
    first, second = (container.lines[0] for container in ax.containers)  # type: ignore[attr-defined]
    assert (first.get_xdata() < second.get_xdata()).all()
    assert first.get_xdata() == pytest.approx([1, 10, 100], abs=1)
    assert ax.get_ylim()[0] == 0
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "10", "100"]


def test_curves_without_whiskers_stand_at_their_places() -> None:
    ax = Figure().subplots()
    bare = Curve((1.0, 2.0), (3.0, 4.0))
    draw_panel(ax, Panel((bare, bare)))
    assert [np.asarray(line.get_xdata()).tolist() for line in ax.lines] == [[1, 2], [1, 2]]
