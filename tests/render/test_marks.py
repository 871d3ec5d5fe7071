"""Bars, columns, boxes, cells and dots are drawn with the numbers of the scene."""

from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection, QuadMesh
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, Rectangle

from discreet.render.marks import ACCENT, DARK, HIDDEN, RAMP, SERIES, coarse
from discreet.render.scene import (
    Axis,
    Bars,
    Box,
    Boxes,
    Cells,
    Columns,
    Dots,
    Mark,
    Panel,
    Scene,
)
from discreet.render.to_matplotlib import draw

AGE, PEOPLE = Axis("age"), Axis("people")


def one(*marks: Mark, x: Axis = AGE, y: Axis = PEOPLE) -> Scene:
    return Scene((Panel(marks, x, y),))


def axes_of(scene: Scene, **more: Any) -> Axes:
    return draw(scene, **more).axes[0]


def hex_of(color: Any) -> str:
    return to_hex(color)


def dots_of(ax: Axes) -> PathCollection:
    (dots,) = ax.collections
    assert isinstance(dots, PathCollection)
    return dots


def columns_of(ax: Axes) -> list[Rectangle]:
    """Return the columns that are shown; hidden ones are hatched."""
    found = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    return [patch for patch in found if hex_of(patch.get_facecolor()) != "#ffffff"]


def signs_of(ax: Axes) -> list[Rectangle]:
    found = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    return [patch for patch in found if hex_of(patch.get_facecolor()) == "#ffffff"]


BARS = one(Bars((0.0, 1.0, 2.0, 5.0, 9.0), (4.0, None, 7.0, 2.5)))
DOTS = one(Dots((3.0, 1.0, 2.0), (30.0, 10.0, 25.0), (1, 4, 1)))
GRIDDED = one(Dots((1.0, 2.0, 3.0), (1.0, 1.0, 2.0), (5, 20, 10), by_size=True))
CELLS = one(
    Cells((0.0, 1.0, 3.0), (10.0, 20.0, 30.0, 50.0), ((5.0, None, 7.0), (None, 9.0, 3.0)), "count")
)
BOXES = one(
    Boxes(
        (
            Box("women", 1.0, 2.0, 3.0, 4.0, 6.0, mean=3.5, outliers=(8.0, 9.0)),
            Box("men", 2.0, 3.0, 4.0, 5.0, 7.0),
        )
    ),
    x=Axis("sex"),
)


class TestBars:
    def test_each_bar_stands_on_its_edges_and_a_hidden_one_has_a_sign(self) -> None:
        ax = axes_of(BARS)
        bars = columns_of(ax)
        (sign,) = signs_of(ax)
        assert (sign.get_x(), sign.get_width()) == (1.0, 1.0)
        assert [(bar.get_x(), bar.get_width(), bar.get_height()) for bar in bars] == [
            (0.0, 1.0, 4.0),
            (2.0, 3.0, 7.0),
            (5.0, 4.0, 2.5),
        ]

    def test_hidden_bars_at_the_ends_do_not_set_the_limits(self) -> None:
        ax = axes_of(one(Bars((-900.0, 0.0, 1.0, 900.0), (None, 4.0, None))))
        assert ax.get_xlim() == pytest.approx((-0.02, 1.02))

    def test_a_sign_alone_is_drawn_where_all_bars_are_hidden(self) -> None:
        ax = axes_of(one(Bars((0.0, 1.0, 2.0), (None, None)), x=Axis("age", (0.0, 2.0))))
        assert not columns_of(ax)
        assert len(signs_of(ax)) == 2

    def test_no_sign_reaches_out_of_the_axes(self) -> None:
        ax = axes_of(one(Bars((-900.0, 0.0, 1.0, 900.0), (None, 4.0, None))))
        low, high = ax.get_xlim()
        for sign in signs_of(ax):
            assert low <= sign.get_x() < sign.get_x() + sign.get_width() <= high + 1e-9

    def test_slight_bars_are_not_wiped_out_by_a_white_edge(self) -> None:
        ax = axes_of(one(Bars((0.0, 0.001, 50.0, 100.0), (900.0, 1.0, 800.0))))
        edges = [hex_of(patch.get_edgecolor()) for patch in ax.patches]
        assert edges == [ACCENT, ACCENT, "#ffffff"]


class TestDots:
    def test_dots_stand_where_and_in_the_order_they_are_given(self) -> None:
        dots = dots_of(axes_of(DOTS))
        assert np.asarray(dots.get_offsets()).tolist() == [[3, 30], [1, 10], [2, 25]]

    def test_a_dot_of_more_than_one_record_is_dark(self) -> None:
        dots = dots_of(axes_of(DOTS))
        assert [hex_of(color) for color in dots.get_facecolor()] == [ACCENT, DARK, ACCENT]
        assert len(set(dots.get_sizes())) == 1

    def test_by_size_the_area_is_in_proportion_and_a_legend_says_how(self) -> None:
        ax = axes_of(GRIDDED)
        sizes = dots_of(ax).get_sizes()
        assert sizes / sizes[0] == pytest.approx([1.0, 4.0, 2.0])
        assert 10 < max(sizes) < 400
        legend = ax.get_legend()
        assert legend is not None
        assert [text.get_text() for text in legend.get_texts()] == ["10", "20"]

    def test_what_lies_outside_fixed_limits_is_not_in_the_figure(self) -> None:
        mark = Dots((1.0, 2.0, 77.0), (1.0, 88.0, 1.0), (1, 1, 1))
        ax = axes_of(one(mark, x=Axis("x", (0.0, 9.0)), y=Axis("y", (0.0, 9.0))))
        assert np.asarray(dots_of(ax).get_offsets()).tolist() == [[1, 1]]
        assert (ax.get_xlim(), ax.get_ylim()) == ((0.0, 9.0), (0.0, 9.0))


class TestCells:
    def test_each_cell_has_its_value_and_a_hidden_one_none(self) -> None:
        (mesh,) = axes_of(CELLS).collections
        assert isinstance(mesh, QuadMesh)
        values: Any = mesh.get_array()
        assert values.filled(-1).tolist() == [[5, -1], [-1, 9], [7, 3]]
        assert np.asarray(mesh.get_coordinates())[0, :, 0].tolist() == [0, 1, 3]
        assert np.asarray(mesh.get_coordinates())[:, 0, 1].tolist() == [10, 20, 30, 50]
        assert hex_of(mesh.cmap.get_bad()) == HIDDEN

    def test_the_colour_bar_bears_the_label_of_the_mark(self) -> None:
        _, bar = draw(CELLS).axes
        assert bar.get_ylabel() == "count"
        assert all(float(tick).is_integer() for tick in bar.get_yticks())

    def test_cells_all_hidden_have_no_colour_bar(self) -> None:
        assert len(draw(one(Cells((0.0, 1.0, 2.0), (0.0, 1.0), ((None,), (None,)), "n"))).axes) == 1

    @pytest.mark.parametrize("value", [0.0, 5.0, 1e17])
    @pytest.mark.parametrize("span", [False, True])
    def test_the_colour_bar_of_one_value_is_of_one_colour_and_names_it(
        self, value: float, span: bool
    ) -> None:
        shared = (value, value) if span else None
        figure = draw(one(Cells((0.0, 1.0, 2.0), (0.0, 1.0), ((value,), (None,)), "n", shared)))
        figure.draw_without_rendering()
        ax, bar = figure.axes
        (mesh,) = ax.collections
        assert {hex_of(mesh.cmap(share)) for share in (0.0, 0.5, 1.0)} == {RAMP[-1]}
        assert bar.get_yticks().tolist() == [value]
        low, high = bar.get_ylim()
        assert low <= value <= high


class TestBoxes:
    def test_each_box_has_its_five_numbers_at_its_place(self) -> None:
        ax = axes_of(BOXES)
        boxes = [patch for patch in ax.patches if isinstance(patch, PathPatch)]
        corners = [np.asarray(box.get_path().vertices)[:4] for box in boxes]
        assert [(c[:, 0].mean(), c[:, 1].min(), c[:, 1].max()) for c in corners] == [
            (0, 2, 4),
            (1, 3, 5),
        ]
        lines = {tuple(np.asarray(line.get_ydata()).tolist()) for line in ax.lines}
        assert lines == {
            *[(2, 1), (4, 6), (1, 1), (6, 6), (3, 3), (3.5,), (8, 9)],
            *[(3, 2), (5, 7), (2, 2), (7, 7), (4, 4)],
        }
        assert len(ax.lines) == 12

    def test_boxes_are_named_below(self) -> None:
        ax = axes_of(BOXES)
        assert ax.get_xticks().tolist() == [0, 1]
        assert [tick.get_text() for tick in ax.get_xticklabels()] == ["women", "men"]
        assert ax.get_xlim() == (-0.6, 1.6)


class TestColumns:
    NAMES = Axis("place", ticks=("north", "south", "west"))
    TWO = Columns(((4.0, None, 2.0), (None, 8.0, 1.0)), ("women", "men"))

    def test_columns_stand_in_groups_at_the_ticks(self) -> None:
        ax = axes_of(one(self.TWO, x=self.NAMES))
        found = [(bar.get_x(), bar.get_width(), bar.get_height()) for bar in columns_of(ax)]
        assert found == [
            pytest.approx(place)
            for place in [(-0.4, 0.4, 4.0), (1.6, 0.4, 2.0), (1.0, 0.4, 8.0), (2.0, 0.4, 1.0)]
        ]
        assert ax.get_xticks().tolist() == [0, 1, 2]
        assert ax.get_xlim() == (-0.6, 2.6)
        assert ax.get_ylim()[0] == 0

    def test_each_series_has_its_colour(self) -> None:
        colors = [hex_of(bar.get_facecolor()) for bar in columns_of(axes_of(one(self.TWO)))]
        assert colors == [SERIES[0], SERIES[0], SERIES[1], SERIES[1]]

    def test_a_hidden_column_has_a_sign_below_the_axis(self) -> None:
        ax = axes_of(one(self.TWO, x=self.NAMES))
        signs = signs_of(ax)
        middles = [sign.get_x() + sign.get_width() / 2 for sign in signs]
        assert middles == pytest.approx([0.8, 0.2])
        assert all(sign.get_hatch() for sign in signs)

    @pytest.mark.parametrize("other", [1.0, 400.0, 1e6])
    def test_no_sign_is_taller_than_the_least_bar(self, other: float) -> None:
        ax = axes_of(one(Columns(((other, 1.0, None),)), x=self.NAMES))
        (sign,) = signs_of(ax)
        foot, head = sign.get_window_extent().intervaly
        assert head == pytest.approx(ax.get_window_extent().y0, abs=0.1)
        assert head - foot == pytest.approx(5 / 72 * ax.figure.figure.dpi)

    @pytest.mark.parametrize("series", [("",), ("women", "men")])
    def test_all_hidden_is_signs_alone(self, series: tuple[str, ...]) -> None:
        ax = axes_of(one(Columns(((None, None),) * len(series), series), x=self.NAMES))
        assert not columns_of(ax)
        assert len(signs_of(ax)) == 2 * len(series)
        assert ax.get_ylim()[0] == 0

    def test_signs_do_not_widen_the_axes(self) -> None:
        shown = axes_of(one(Columns(((4.0, 8.0),)), y=PEOPLE)).get_ylim()
        hidden = axes_of(one(Columns(((4.0, 8.0, None),)), y=PEOPLE)).get_ylim()
        assert shown == hidden

    def test_columns_below_zero_hang(self) -> None:
        ax = axes_of(one(Columns(((-4.0, None, 3.0),))))
        assert [bar.get_height() for bar in columns_of(ax)] == [-4.0, 3.0]

    def test_columns_of_no_height_stand_on_the_lower_edge(self) -> None:
        ax = axes_of(one(Columns(((0.0, 0.0),))))
        assert ax.get_ylim()[0] == 0
        assert len(columns_of(ax)) == 2

    def test_more_series_than_colours_are_hatched(self) -> None:
        ax = axes_of(one(Columns(((1.0,),) * 10, tuple("abcdefghij"))))
        looks = [(hex_of(bar.get_facecolor()), bar.get_hatch()) for bar in columns_of(ax)]
        assert len(set(looks)) == 10
        assert [bool(hatch) for _, hatch in looks] == [False] * 8 + [True] * 2

    def test_limits_are_kept(self) -> None:
        ax = axes_of(one(Columns(((4.0, 900.0),)), y=Axis("people", (0.0, 9.0))))
        assert ax.get_ylim() == (0.0, 9.0)
        assert columns_of(ax)[1].get_height() < 10

    @pytest.mark.parametrize("mark", [Columns(()), Columns(((),)), Columns(((), ()), ("a", "b"))])
    def test_no_columns_can_be_drawn(self, mark: Columns) -> None:
        draw(one(mark)).draw_without_rendering()


class TestSeries:
    A = Dots((1.0, 2.0), (1.0, 2.0), (1, 3), series="a")
    B = Dots((3.0, 4.0), (1.0, 2.0), (1, 1), series="b")

    def faces(self, ax: Axes) -> list[list[str]]:
        return [
            [hex_of(color) for color in dots.get_facecolor()]
            for dots in ax.collections
            if isinstance(dots, PathCollection)
        ]

    def test_series_have_colours_in_their_order(self) -> None:
        (a, _), b = self.faces(axes_of(one(self.A, self.B)))
        assert (a, b) == (SERIES[0], [SERIES[1]] * 2)

    def test_a_series_in_two_marks_has_one_colour(self) -> None:
        found = self.faces(axes_of(one(self.A, self.B, self.A)))
        assert found[0] == found[2]

    def test_a_series_without_dots_keeps_its_colour(self) -> None:
        empty = Dots((), (), (), series="a")
        assert self.faces(axes_of(one(empty, self.B))) == [[SERIES[1]] * 2]

    def test_a_dot_of_more_than_one_record_is_darker_with_a_dark_edge(self) -> None:
        dots = dots_of(axes_of(one(self.A)))
        faces, edges = np.asarray(dots.get_facecolor()), np.asarray(dots.get_edgecolor())
        assert faces[1, :3] == pytest.approx(0.6 * faces[0, :3], abs=0.01)
        assert edges[:, 3] == pytest.approx([0.0, 0.9])
        assert hex_of(edges[1]) == DARK

    def test_more_series_than_colours_have_other_markers(self) -> None:
        marks = [Dots((float(i),), (0.0,), (1,), series=f"s{i}") for i in range(9)]
        collections = axes_of(one(*marks)).collections
        shapes = [len(np.asarray(dots.get_paths()[0].vertices)) for dots in collections]
        assert len(set(shapes[:8])) == 1
        assert shapes[8] != shapes[0]

    def test_all_sized_dots_of_a_panel_have_one_scale(self) -> None:
        a = Dots((1.0,), (1.0,), (10,), True, series="a")
        b = Dots((2.0,), (1.0,), (40,), True, series="b")
        sizes = [
            float(dots.get_sizes()[0])
            for dots in axes_of(one(a, b)).collections
            if isinstance(dots, PathCollection)
        ]
        assert sizes[1] / sizes[0] == pytest.approx(4.0)


class TestSpan:
    def cells(self, values: tuple[float | None, ...], span: Any = (0.0, 50.0)) -> Cells:
        edges = tuple(map(float, range(len(values) + 1)))
        return Cells(edges, (0.0, 1.0), tuple((value,) for value in values), "count", span)

    def limits(self, figure: Figure) -> list[tuple[float, float]]:
        found = (mesh for ax in figure.axes for mesh in ax.collections)
        return [mesh.get_clim() for mesh in found if isinstance(mesh, QuadMesh)][: len(figure.axes)]

    def test_a_span_gives_the_colours_their_limits(self) -> None:
        figure = draw(one(self.cells((5.0, 9.0, None))))
        assert self.limits(figure)[0] == (0.0, 50.0)
        assert figure.axes[1].get_ylim() == (0.0, 50.0)

    def test_panels_of_one_span_share_a_colour_bar(self) -> None:
        panels = tuple(Panel((self.cells((v, 2 * v)),), AGE, PEOPLE) for v in (5.0, 9.0, 20.0, 1.0))
        figure = draw(Scene(panels))
        figure.draw_without_rendering()
        assert len(figure.axes) == 5
        bar = figure.axes[4]
        assert bar.get_ylim() == (0.0, 50.0)
        assert bar.get_ylabel() == "count"
        assert all(ax.get_position().x1 < bar.get_position().x0 for ax in figure.axes[:4])

    @pytest.mark.parametrize("spans", [((0.0, 50.0), (0.0, 9.0)), (None, None)])
    def test_panels_of_other_spans_have_one_each(self, spans: tuple[Any, Any]) -> None:
        panels = tuple(Panel((self.cells((5.0, 9.0), span),), AGE, PEOPLE) for span in spans)
        assert len(draw(Scene(panels)).axes) == 4

    def test_given_axes_have_one_each(self) -> None:
        figure = Figure(layout="constrained")
        panels = (Panel((self.cells((5.0, 9.0)),), AGE, PEOPLE),) * 2
        draw(Scene(panels), list(figure.subplots(1, 2)))
        assert len(figure.axes) == 4

    @pytest.mark.parametrize("values", [(None, None), (7.0, 7.0)])
    def test_panels_with_hidden_cells_alone_can_share(self, values: Any) -> None:
        panels = (
            Panel((self.cells((None, None)),), AGE, PEOPLE),
            Panel((self.cells(values),), AGE, PEOPLE),
        )
        figure = draw(Scene(panels))
        figure.draw_without_rendering()
        assert len(figure.axes) == (2 if values[0] is None else 3)


@pytest.mark.parametrize(
    ("values", "limits", "rounded"),
    [
        ([1.23456, 9.87654], None, [1.235, 9.877]),
        ([0.0123456, 100.0], None, [0.01, 100.0]),
        ([3.3333333], None, [3.333]),
        ([0.0], None, [0.0]),
        ([-900.0, 900.0], (0.0, 10.0), [-0.5, 10.5]),
        ([5.0], (10.0, 0.0), [5.0]),
    ],
)
def test_places_are_rounded_and_cut_off(
    values: list[float], limits: tuple[float, float] | None, rounded: list[float]
) -> None:
    assert coarse(values, limits) == rounded
