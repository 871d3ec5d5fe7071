"""Bars, columns, boxes, cells and dots are drawn with the numbers of the scene."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection, QuadMesh
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch, Rectangle

from discreet.render.marks import (
    ACCENT,
    DARK,
    HIDDEN,
    RAMP,
    SERIES,
    SIGNED,
    coarse,
    cut,
    level_styles,
    round_numbers,
)
from discreet.render.scene import (
    Axis,
    Bars,
    Box,
    Boxes,
    Cells,
    Columns,
    Dots,
    Intervals,
    Lines,
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

    def test_no_sign_reaches_out_of_the_axes(self) -> None:
        ax = axes_of(one(Bars((-900.0, 0.0, 1.0, 900.0), (None, 4.0, None))))
        low, high = ax.get_xlim()
        for sign in signs_of(ax):
            assert low <= sign.get_x() < sign.get_x() + sign.get_width() <= high + 1e-9


class TestDots:
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

    def test_signed_cells_hold_their_texts_white_on_dark_ones(self) -> None:
        values, texts = ((-1.0, 0.0), (None, 0.2)), (("−1.00", "0.00"), ("", "0.20"))
        ends = (-0.5, 0.5, 1.5)
        mark = Cells(ends, ends, values, "r", (-1.0, 1.0), texts, signed=True)
        ax = axes_of(one(mark, x=Axis("", ticks=("a", "b")), y=Axis("", ticks=("b", "a"))))
        written = {it.get_position(): (it.get_text(), it.get_color()) for it in ax.texts}
        assert written == {
            (0, 0): ("−1.00", "white"),
            (0, 1): ("0.00", DARK),
            (1, 1): ("0.20", DARK),
        }
        (mesh,) = ax.collections
        assert [hex_of(mesh.cmap(share)) for share in (0.0, 1.0)] == [SIGNED[0], SIGNED[-1]]

    @pytest.mark.parametrize(("value", "span"), [(0.0, True), (1e17, False)])
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

    @pytest.mark.parametrize("other", [1.0, 1e6])
    def test_no_sign_is_taller_than_the_least_bar(self, other: float) -> None:
        ax = axes_of(one(Columns(((other, 1.0, None),)), x=self.NAMES))
        (sign,) = signs_of(ax)
        foot, head = sign.get_window_extent().intervaly
        assert head == pytest.approx(ax.get_window_extent().y0, abs=0.1)
        assert head - foot == pytest.approx(5 / 72 * ax.figure.figure.dpi)

    def test_more_series_than_colours_are_hatched(self) -> None:
        ax = axes_of(one(Columns(((1.0,),) * 10, tuple("abcdefghij"))))
        looks = [(hex_of(bar.get_facecolor()), bar.get_hatch()) for bar in columns_of(ax)]
        assert len(set(looks)) == 10
        assert [bool(hatch) for _, hatch in looks] == [False] * 8 + [True] * 2


class TestSeries:
    A = Dots((1.0, 2.0), (1.0, 2.0), (1, 3), series="a")
    B = Dots((3.0, 4.0), (1.0, 2.0), (1, 1), series="b")

    def faces(self, ax: Axes) -> list[list[str]]:
        return [
            [hex_of(color) for color in dots.get_facecolor()]
            for dots in ax.collections
            if isinstance(dots, PathCollection)
        ]

    def test_a_series_in_two_marks_has_one_colour(self) -> None:
        found = self.faces(axes_of(one(self.A, self.B, self.A)))
        assert found[0] == found[2]

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


SCALE = (1.0, 5.0, 9.0)

X, Y = Axis("x"), Axis("y")
TWO_DOTS = Dots((0.0, 10.0), (0.0, 20.0), (1, 1))
RED, DARK_LINE = "#cc3311", "#222222"


def axes_with(*marks: Mark, x: Axis = X, y: Axis = Y) -> Axes:
    figure = draw(Scene((Panel(marks, x, y),)))
    figure.draw_without_rendering()
    return figure.axes[0]


def points_of(line: Line2D) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in np.asarray(line.get_xydata())]


def line(*places: tuple[float, float], look: str = "trend", **more: Any) -> Lines:
    return Lines((tuple(x for x, _ in places),), (tuple(y for _, y in places),), look, **more)


class TestLook:
    def test_each_line_goes_through_its_points(self) -> None:
        mark = Lines(((0.0, 1.0, 3.0), (5.0, 6.0)), ((2.0, 0.0, 2.0), (1.0, 1.0)), "trend")
        assert [points_of(drawn) for drawn in axes_with(mark).lines] == [
            [(0, 2), (1, 0), (3, 2)],
            [(5, 1), (6, 1)],
        ]

    @pytest.mark.parametrize("first", ["trend", "raw"])
    def test_of_a_trend_upon_the_raw_line_both_are_seen_above_the_dots(self, first: str) -> None:
        second = {"trend": "raw", "raw": "trend"}[first]
        same = ((0, 0), (10, 20))
        ax = axes_with(TWO_DOTS, line(*same, look=first), line(*same, look=second))
        drawn = dict(zip((first, second), ax.lines, strict=True))
        assert [to_hex(drawn[look].get_color()) for look in ("trend", "raw")] == [DARK_LINE, RED]
        assert drawn["raw"].get_zorder() < drawn["trend"].get_zorder()
        assert drawn["raw"].get_linewidth() >= 2 * drawn["trend"].get_linewidth()
        assert all(found.get_zorder() > ax.collections[0].get_zorder() for found in ax.lines)

    def test_lines_of_one_look_and_several_labels_have_other_dashes(self) -> None:
        trends = [line((0, i), (9, i), label=f"trend of {i}") for i in range(4)]
        raws = [line((0, i), (9, i), look="raw", label=f"raw of {i}") for i in range(4)]
        drawn = axes_with(*trends, *raws).lines
        dashes: list[Any] = [found._unscaled_dash_pattern for found in drawn]  # type: ignore[attr-defined]
        assert len({str(found) for found in dashes[:4]}) == 4
        assert dashes[:4] == dashes[4:]
        assert drawn[0].get_linestyle() == "-"

    def test_series_differ_in_colour_mark_and_dashes(self) -> None:
        marks = [line((0, i), (5, i), (9, i), look="series", label=f"{i}") for i in range(9)]
        ax = axes_with(*marks, line((0, 4), (9, 4), look="trend", label="level"))
        drawn = ax.lines[:9]
        colors = [to_hex(found.get_color()) for found in drawn]
        assert len(set(colors[:8])) == 8
        assert all(a.get_marker() != b.get_marker() for a, b in pairwise(drawn))
        assert drawn[0].get_linestyle() == "-"
        assert drawn[1].is_dashed()
        assert ax.lines[9].get_marker() == "None"
        assert ax.lines[9].get_linestyle() == "-"

    @pytest.mark.parametrize("look", ["series", "curve"])
    def test_no_two_of_many_lines_are_drawn_alike(self, look: str) -> None:
        marks = [line((0, i), (9, i), look=look, label=f"{i}") for i in range(24)]
        drawn = axes_with(*marks).lines
        signs = {
            (to_hex(it.get_color()), str(it._unscaled_dash_pattern))  # type: ignore[attr-defined]
            for it in drawn
        }
        assert len(signs) == 24

    def test_levels_have_the_colours_of_the_scale_they_share(self) -> None:
        one, two = (
            Lines(((0.0, 1.0),) * n, ((0.0, 1.0),) * n, "level", "", SCALE[:n], SCALE)
            for n in (1, 3)
        )
        assert level_styles(one) == {1.0: level_styles(two)[1.0]}
        assert len({look["color"] for look in level_styles(two).values()}) == 3


class TestLimits:
    @pytest.mark.parametrize("look", ["reference", "far reference"])
    def test_references_do_not_widen_the_axes_and_are_cut_at_them(self, look: str) -> None:
        alone = axes_with(TWO_DOTS)
        ax = axes_with(line((-1000, -2000), (1000, 2000), look=look), TWO_DOTS)
        assert (ax.get_xlim(), ax.get_ylim()) == (alone.get_xlim(), alone.get_ylim())
        (drawn,) = ax.lines
        assert all(-2 <= x <= 12 and abs(y - 2 * x) < 0.01 for x, y in points_of(drawn))
        assert points_of(drawn)[0][0] <= -0.5
        assert points_of(drawn)[-1][0] >= 10.5

    @pytest.mark.parametrize(
        ("ends", "reached"),
        [
            (((4, 8), (5, 10)), [(-1.05, -2.1), (11.05, 22.1)]),
            (((5, 10), (4, 8)), [(-1.05, -2.1), (11.05, 22.1)]),
            (((4, 3), (5, 3)), [(-1.05, 3), (11.05, 3)]),
            (((6, 1), (6, 2)), [(6, -2.1), (6, 22.1)]),
            (((4, 0), (5, 10)), [(3.79, -2.1), (6.21, 22.1)]),
        ],
        ids=["rising", "backwards", "level", "upright", "steep"],
    )
    def test_a_straight_reference_goes_on_to_the_edges_and_stays_straight(
        self, ends: Any, reached: list[tuple[float, float]]
    ) -> None:
        # the axes go from -0.5 to 10.5 and from -1 to 21, and lines a twentieth beyond
        (drawn,) = axes_with(TWO_DOTS, line(*ends, look="reference")).lines
        found = points_of(drawn)
        assert np.allclose(found, reached, atol=0.01)
        assert found[0][0] <= -0.5 or found[0][1] <= -1
        assert found[-1][0] >= 10.5 or found[-1][1] >= 21

    @pytest.mark.parametrize(
        ("ends", "look"),
        [
            (((4, 8), (5, 10), (6, 8)), "reference"),
            (((4, 8), (4, 8)), "reference"),
            (((4, 8), (5, 10)), "far reference"),
            (((4, 8), (5, 10)), "trend"),
        ],
    )
    def test_other_lines_end_where_their_points_do(self, ends: Any, look: str) -> None:
        (drawn,) = axes_with(TWO_DOTS, line(*ends, look=look)).lines
        assert points_of(drawn) == list(ends)

    def test_a_reference_wholly_outside_is_not_drawn(self) -> None:
        ax = axes_with(TWO_DOTS, line((500, 0), (900, 3), look="far reference"))
        assert not ax.lines
        assert ax.get_xlim()[1] < 11

    def test_fixed_limits_are_kept_and_nothing_far_outside_is_in_the_figure(self) -> None:
        marks = (TWO_DOTS, line((-77, -77), (77, 77)), line((0, 50), (10, -50), look="raw"))
        ax = axes_with(*marks, x=Axis("x", (0.0, 4.0)), y=Axis("y", (0.0, 8.0)))
        assert (ax.get_xlim(), ax.get_ylim()) == ((0, 4), (0, 8))
        trend, raw = ax.lines
        assert points_of(trend) == [(-0.2, -0.2), (4.2, 4.2)]
        assert all(-0.2 <= x <= 4.2 and -0.4 <= y <= 8.4 for x, y in points_of(raw))

    def test_digits_beyond_the_picture_are_not_drawn(self) -> None:
        secret = 1e-7

        def told(shift: float) -> list[Any]:
            marks = (
                TWO_DOTS,
                line((0.1 + shift, 0.2), (9.3, 18.4 + shift)),
                line((-30.2, 5.3 + shift), (30.4 + shift, 5.4), look="reference"),
            )
            return [points_of(drawn) for drawn in axes_with(*marks).lines]

        assert told(0.0) == told(secret) == told(-secret)


class TestIntervals:
    ONE = ((0.0, 1.0, 3.0), (-2.0, -1.0, 0.5))
    TWO = ((1.0, 1.5, 2.0), None)
    TERMS = Axis("", ticks=("age", "sex"))

    def drawn(self, *rows: Any, x: Axis = X, y: Axis = TERMS) -> list[list[tuple[float, float]]]:
        names = tuple("ab"[: len(rows)])
        return [points_of(line) for line in axes_with(Intervals(rows, names), x=x, y=y).lines]

    def test_a_bar_reaches_from_end_to_end_and_the_estimate_lies_on_it(self) -> None:
        assert self.drawn(self.ONE) == [[(0, 0), (3, 0)], [(1, 0)], [(-2, 1), (0.5, 1)], [(-1, 1)]]

    def test_series_stand_one_above_the_other_and_what_is_not_known_is_left_out(self) -> None:
        lines = self.drawn(self.ONE, self.TWO)
        heights = [line[0][1] for line in lines]
        assert heights == [0.12, 0.12, 1.12, 1.12, -0.12, -0.12]
        assert lines[4] == [(1, -0.12), (2, -0.12)]

    def test_the_first_series_stands_on_top_of_an_axis_that_runs_down_too(self) -> None:
        down = Axis("", (1.6, -0.6), ("age", "sex"))
        heights = [line[0][1] for line in self.drawn(self.ONE, self.TWO, y=down)]
        assert heights == [-0.12, -0.12, 0.88, 0.88, 0.12, 0.12]


class TestCut:
    BOX = ((0.0, 10.0), (0.0, 10.0))

    @pytest.mark.parametrize(
        ("given", "pieces"),
        [
            ([(1, 1), (2, 2)], [[(1, 1), (2, 2)]]),
            ([(-5, 5), (15, 5)], [[(0, 5), (10, 5)]]),
            ([(15, 5), (-5, 5)], [[(10, 5), (0, 5)]]),
            ([(5, 5), (5, 15), (6, 15), (6, 5)], [[(5, 5), (5, 10)], [(6, 10), (6, 5)]]),
            ([(5, 5), (5, 20), (8, 5)], [[(5, 5), (5, 10)], [(7, 10), (8, 5)]]),
            ([(-5, 5), (5, 15)], [[(0, 10), (0, 10)]]),
            ([(-5, 0), (0, 15)], []),
            ([(20, 1), (20, 9)], []),
            ([(3, 4)], [[(3, 4), (3, 4)]]),
            ([(33, 4)], []),
            ([], []),
        ],
    )
    def test_pieces_are_what_lies_within(self, given: Any, pieces: Any) -> None:
        assert list(cut(given, *self.BOX)) == pieces

    @given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)), max_size=8))
    def test_no_piece_is_outside_nor_off_the_line(self, given: list[tuple[float, float]]) -> None:
        for piece in cut(given, *self.BOX):
            for place in piece:
                assert all(-1e-6 <= value <= 10 + 1e-6 for value in place)
                assert min(map(lambda pair: off(place, *pair), pairs(given))) < 1e-4


def pairs(line: list[tuple[float, float]]) -> list[Any]:
    return list(zip(line, line[1:] or line, strict=False))


def off(place: Any, start: Any, end: Any) -> float:
    """Measure how far a place is from a straight line between two others."""
    p, a, b = (np.asarray(v, dtype=float) for v in (place, start, end))
    way = b - a
    length = float(way @ way)
    share = 0.0 if length == 0 else min(1.0, max(0.0, float((p - a) @ way) / length))
    return float(np.hypot(*(a + share * way - p)))


@pytest.mark.parametrize(
    ("scale", "least", "names"),
    [
        ((20.0, 90.0), 0.05, ["40", "60", "80"]),
        ((15.0, 90.0), 0.05, ["20", "40", "60", "80"]),
        ((19.5, 90.0), 0.05, ["40", "60", "80"]),  # 20 would touch what stands at the foot
        ((0.0, 1.0), 0.05, ["0.2", "0.4", "0.6", "0.8"]),
        ((0.0, 1.0), 0.3, ["0.5"]),
        ((0.0, 1.0), 0.9, []),
        ((-1.0, 1.0), 0.05, ["-0.5", "0", "0.5"]),
        ((0.0, 3e8), 0.05, ["1e+08", "2e+08"]),
        ((5.0, 5.0), 0.05, []),
        ((-1.7e308, 1.7e308), 0.05, []),  # as wide as no number is
        ((0.0, 5e-324), 0.05, []),
        ((1e17, 1e17 + 100), 0.05, []),  # all would have the same name
        ((12345670.0, 12345681.0), 0.4, []),  # 12345675 would be called 1.234568e+07
    ],
)
def test_round_numbers(scale: tuple[float, float], least: float, names: list[str]) -> None:
    assert [name for _, name in round_numbers(scale, least)] == names


@given(st.floats(-1e9, 1e9), st.floats(1e-3, 1e9), st.floats(0.01, 0.5))
def test_numbers_lie_apart_within_and_where_they_belong(
    low: float, span: float, least: float
) -> None:
    high = low + span
    found = round_numbers((low, high), least)
    assert len(found) <= 6
    for place, name in found:
        assert least <= place <= 1 - least
        assert float(name) == pytest.approx(low + place * span, rel=1e-9, abs=span / 100)
    assert all(b[0] - a[0] >= 0.99 * least for a, b in pairwise(found))
    for one, other in pairwise(found):
        step = float(Fraction(other[1]) - Fraction(one[1]))
        assert f"{step:.0e}"[0] in "125"
