"""The layout: one pair of limits a row, and nothing that looks like a record but is none."""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.image import imread

import discreet as dc
from discreet.render.scene import Boxes, Lines
from examples.figures.ask import METHODS, Data, diagnostic, histogram, picture
from examples.figures.panels import Plate, Row, draw_plate, draw_row, panel_of


def test_panels_of_a_row_share_their_limits() -> None:
    data = Data.of("D3")
    for views in (picture(data, "scatter", METHODS), histogram(data, "Y", METHODS)):
        axes = Figure().subplots(1, 5)
        draw_row(axes, Row(views))

        assert len({ax.get_xlim() for ax in axes}) == len({ax.get_ylim() for ax in axes}) == 1
        assert not any(ax.get_legend() for ax in axes)
        assert [bool(ax.get_ylabel()) for ax in axes] == [True, *[False] * 4]


def test_boxes_of_both_columns_stand_side_by_side(d1: dc.Research) -> None:
    panel = panel_of(d1.box("X", "Y", method="none"))

    (boxes,) = panel.marks
    assert isinstance(boxes, Boxes)
    assert panel.x.ticks == ("X", "Y")


def test_a_line_to_compare_with_is_no_point() -> None:
    suppressed = diagnostic(Data.of("D1", 100), "residuals", METHODS)[1]
    assert isinstance(suppressed, dc.ResidualView)
    assert len(suppressed.x) == 1

    lines = [mark for mark in panel_of(suppressed).marks if isinstance(mark, Lines)]
    assert lines
    assert all(min(x) < max(x) for line in lines for x in line.x)


def test_a_figure_is_drawn_where_nothing_is_left(tmp_path: Path) -> None:
    few = Data.of("D1", 50)
    rows = (Row(picture(few, "heatmap", METHODS), "A D1"), Row(picture(few, "box", METHODS)))
    heads = tuple(way.head for way in METHODS)

    path = draw_plate(Plate(7, "title", "caption " * 90, heads, rows), tmp_path)

    assert path == tmp_path / "figure_07.png"
    high, wide, _ = imread(path).shape
    assert wide == 2200
    assert high > 900
