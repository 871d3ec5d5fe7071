"""Lines are cut at the axes without being bent, and those to compare with do not widen them.

Estimates lie in their intervals, one above the other.
"""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.lines import Line2D

from discreet.render.marks import RAMP, cut, level_styles
from discreet.render.scene import Axis, Cells, Dots, Intervals, Lines, Mark, Panel, Scene
from discreet.render.to_matplotlib import draw

SCALE = (1.0, 5.0, 9.0)

X, Y = Axis("x"), Axis("y")
DOTS = Dots((0.0, 10.0), (0.0, 20.0), (1, 1))
RED, DARK = "#cc3311", "#222222"


def axes_of(*marks: Mark, x: Axis = X, y: Axis = Y) -> Axes:
    figure = draw(Scene((Panel(marks, x, y),)))
    figure.draw_without_rendering()
    return figure.axes[0]


def points_of(line: Line2D) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in np.asarray(line.get_xydata())]


def looks_of(ax: Axes) -> list[tuple[str, str]]:
    return [(to_hex(line.get_color()), str(line.get_linestyle())) for line in ax.lines]


def line(*places: tuple[float, float], look: str = "trend", **more: Any) -> Lines:
    return Lines((tuple(x for x, _ in places),), (tuple(y for _, y in places),), look, **more)


class TestLook:
    def test_each_line_goes_through_its_points(self) -> None:
        mark = Lines(((0.0, 1.0, 3.0), (5.0, 6.0)), ((2.0, 0.0, 2.0), (1.0, 1.0)), "trend")
        assert [points_of(drawn) for drawn in axes_of(mark).lines] == [
            [(0, 2), (1, 0), (3, 2)],
            [(5, 1), (6, 1)],
        ]

    @pytest.mark.parametrize("first", ["trend", "raw"])
    def test_of_a_trend_upon_the_raw_line_both_are_seen_above_the_dots(self, first: str) -> None:
        second = {"trend": "raw", "raw": "trend"}[first]
        same = ((0, 0), (10, 20))
        ax = axes_of(DOTS, line(*same, look=first), line(*same, look=second))
        drawn = dict(zip((first, second), ax.lines, strict=True))
        assert [to_hex(drawn[look].get_color()) for look in ("trend", "raw")] == [DARK, RED]
        assert drawn["raw"].get_zorder() < drawn["trend"].get_zorder()
        assert drawn["raw"].get_linewidth() >= 2 * drawn["trend"].get_linewidth()
        assert all(found.get_zorder() > ax.collections[0].get_zorder() for found in ax.lines)

    def test_lines_of_one_look_and_several_labels_have_other_dashes(self) -> None:
        trends = [line((0, i), (9, i), label=f"trend of {i}") for i in range(4)]
        raws = [line((0, i), (9, i), look="raw", label=f"raw of {i}") for i in range(4)]
        drawn = axes_of(*trends, *raws).lines
        dashes: list[Any] = [found._unscaled_dash_pattern for found in drawn]  # type: ignore[attr-defined]
        assert len({str(found) for found in dashes[:4]}) == 4
        assert dashes[:4] == dashes[4:]
        assert drawn[0].get_linestyle() == "-"

    def test_series_differ_in_colour_mark_and_dashes(self) -> None:
        marks = [line((0, i), (5, i), (9, i), look="series", label=f"{i}") for i in range(9)]
        ax = axes_of(*marks, line((0, 4), (9, 4), look="trend", label="level"))
        drawn = ax.lines[:9]
        colors = [to_hex(found.get_color()) for found in drawn]
        assert len(set(colors[:8])) == 8
        assert all(a.get_marker() != b.get_marker() for a, b in pairwise(drawn))
        assert drawn[0].get_linestyle() == "-"
        assert drawn[1].is_dashed()
        assert ax.lines[9].get_marker() == "None"
        assert ax.lines[9].get_linestyle() == "-"

    def test_far_references_are_dashed(self) -> None:
        near = line((0, 5), (10, 5), look="reference")
        far = [line((0, i), (10, i), look="far reference", label=f"{i}") for i in (6, 7)]
        assert [drawn.is_dashed() for drawn in axes_of(DOTS, near, *far).lines] == [
            False,
            True,
            True,
        ]

    def test_levels_are_the_darker_the_higher(self) -> None:
        mark = Lines(((0.0, 1.0),) * 4, ((0.0, 1.0),) * 4, "level", "", (5.0, 1.0, 9.0, 5.0))
        colors = [to_hex(drawn.get_color()) for drawn in axes_of(mark).lines]
        assert colors[0] == colors[3]
        assert (colors[1], colors[2]) == (RAMP[1], RAMP[-1])
        assert sum(to_rgb(RAMP[1])) > sum(to_rgb(colors[0])) > sum(to_rgb(RAMP[-1]))

    def test_levels_have_the_colours_of_the_scale_they_share(self) -> None:
        one, two = (
            Lines(((0.0, 1.0),) * n, ((0.0, 1.0),) * n, "level", "", SCALE[:n], SCALE)
            for n in (1, 3)
        )
        assert level_styles(one) == {1.0: level_styles(two)[1.0]}
        assert len({look["color"] for look in level_styles(two).values()}) == 3

    def test_a_single_level_is_dark(self) -> None:
        mark = Lines(((0.0, 1.0),), ((0.0, 1.0),), "level", "", (5.0,))
        assert looks_of(axes_of(mark)) == [(RAMP[-1], "-")]

    def test_a_line_of_one_point_is_a_dot(self) -> None:
        drawn = axes_of(line((2, 3)), line((4, 4), (4, 4))).lines
        assert [found.get_marker() for found in drawn] == ["o", "o"]
        assert points_of(drawn[0])[0] == (2, 3)

    @pytest.mark.parametrize("look", ["trend", "raw", "reference", "far reference", "level"])
    def test_no_lines_and_lines_without_points_can_be_drawn(self, look: str) -> None:
        assert not axes_of(Lines((), (), look, "nothing"), Lines(((),), ((),), look)).lines

    @pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
    def test_a_line_is_broken_where_a_value_is_not_finite(self, bad: float) -> None:
        mark = line((0, 0), (1, 1), (2, bad), (3, 3), (4, 4))
        assert [points_of(drawn) for drawn in axes_of(mark).lines] == [
            [(0, 0), (1, 1)],
            [(3, 3), (4, 4)],
        ]


class TestLimits:
    def test_trends_widen_the_axes_as_data_do(self) -> None:
        ax = axes_of(DOTS, line((-50, 0), (50, 0)))
        assert ax.get_xlim() == (-55, 55)

    @pytest.mark.parametrize("look", ["reference", "far reference"])
    def test_references_do_not_widen_the_axes_and_are_cut_at_them(self, look: str) -> None:
        alone = axes_of(DOTS)
        ax = axes_of(line((-1000, -2000), (1000, 2000), look=look), DOTS)
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
        (drawn,) = axes_of(DOTS, line(*ends, look="reference")).lines
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
        (drawn,) = axes_of(DOTS, line(*ends, look=look)).lines
        assert points_of(drawn) == list(ends)

    def test_a_reference_wholly_outside_is_not_drawn(self) -> None:
        ax = axes_of(DOTS, line((500, 0), (900, 3), look="far reference"))
        assert not ax.lines
        assert ax.get_xlim()[1] < 11

    def test_references_alone_leave_empty_axes(self) -> None:
        assert axes_of(line((0, 0), (50, 50), look="reference")).get_xlim() == (0, 1)

    def test_fixed_limits_are_kept_and_nothing_far_outside_is_in_the_figure(self) -> None:
        marks = (DOTS, line((-77, -77), (77, 77)), line((0, 50), (10, -50), look="raw"))
        ax = axes_of(*marks, x=Axis("x", (0.0, 4.0)), y=Axis("y", (0.0, 8.0)))
        assert (ax.get_xlim(), ax.get_ylim()) == ((0, 4), (0, 8))
        trend, raw = ax.lines
        assert points_of(trend) == [(-0.2, -0.2), (4.2, 4.2)]
        assert all(-0.2 <= x <= 4.2 and -0.4 <= y <= 8.4 for x, y in points_of(raw))

    def test_one_fixed_axis_leaves_the_other_free(self) -> None:
        ax = axes_of(line((0, 0), (10, 100)), x=Axis("x", (0.0, 4.0)))
        assert ax.get_xlim() == (0, 4)
        assert points_of(ax.lines[0]) == [(0, 0), (4.2, 42)]

    def test_limits_that_are_one_value_are_widened(self) -> None:
        ax = axes_of(DOTS, x=Axis("x", (5.0, 5.0)), y=Axis("y", (0.0, 0.0)))
        assert (ax.get_xlim(), ax.get_ylim()) == ((5, 10), (0, 1))

    def test_lines_over_cells_keep_to_the_cells(self) -> None:
        cells = Cells((0.0, 1.0, 2.0), (0.0, 2.0), ((5.0,), (None,)), "count")
        x, y = Axis("x", (0.0, 2.0)), Axis("y", (0.0, 2.0))
        ax = axes_of(cells, line((-9, 1), (9, 1)), x=x, y=y)
        assert points_of(ax.lines[0]) == [(-0.1, 1), (2.1, 1)]

    def test_digits_beyond_the_picture_are_not_drawn(self) -> None:
        secret = 1e-7

        def told(shift: float) -> list[Any]:
            marks = (
                DOTS,
                line((0.1 + shift, 0.2), (9.3, 18.4 + shift)),
                line((-30.2, 5.3 + shift), (30.4 + shift, 5.4), look="reference"),
            )
            return [points_of(drawn) for drawn in axes_of(*marks).lines]

        assert told(0.0) == told(secret) == told(-secret)


class TestIntervals:
    ONE = ((0.0, 1.0, 3.0), (-2.0, -1.0, 0.5))
    TWO = ((1.0, 1.5, 2.0), None)
    TERMS = Axis("", ticks=("age", "sex"))

    def drawn(self, *rows: Any, x: Axis = X, y: Axis = TERMS) -> list[list[tuple[float, float]]]:
        names = tuple("ab"[: len(rows)])
        return [points_of(line) for line in axes_of(Intervals(rows, names), x=x, y=y).lines]

    def test_a_bar_reaches_from_end_to_end_and_the_estimate_lies_on_it(self) -> None:
        assert self.drawn(self.ONE) == [
            [(0, 0), (3, 0)],
            [(1, 0)],
            [(-2, 1), (0.5, 1)],
            [(-1, 1)],
        ]

    def test_series_stand_one_above_the_other_and_what_is_not_known_is_left_out(self) -> None:
        lines = self.drawn(self.ONE, self.TWO)
        heights = [line[0][1] for line in lines]
        assert heights == [0.12, 0.12, 1.12, 1.12, -0.12, -0.12]
        assert lines[4] == [(1, -0.12), (2, -0.12)]

    def test_the_first_series_stands_on_top_of_an_axis_that_runs_down_too(self) -> None:
        down = Axis("", (1.6, -0.6), ("age", "sex"))
        heights = [line[0][1] for line in self.drawn(self.ONE, self.TWO, y=down)]
        assert heights == [-0.12, -0.12, 0.88, 0.88, 0.12, 0.12]

    def test_series_differ_in_colour_and_marker(self) -> None:
        drawn = axes_of(Intervals((self.ONE, self.TWO), ("a", "b")), y=self.TERMS).lines
        looks = {(to_hex(line.get_color()), str(line.get_marker())) for line in drawn[1::2]}
        assert looks == {("#4477aa", "o"), ("#e69f00", "s")}

    def test_what_reaches_out_of_fixed_limits_is_cut_there(self) -> None:
        rows = ((-9.0, -8.0, 1.0), (5.0, 6.0, 7.0))
        assert self.drawn(rows, x=Axis("x", (-1.0, 2.0))) == [[(-1, 0), (1, 0)]]

    def test_none_at_all_can_be_drawn(self) -> None:
        assert self.drawn((None, None)) == []
        assert self.drawn() == []

    def test_digits_beyond_the_picture_are_not_drawn(self) -> None:
        def told(shift: float) -> Any:
            return self.drawn(((0.0, 1.0 + shift, 3.0 + shift), (-2.0, -1.0, 0.5 - shift)))

        assert told(0.0) == told(1e-7)


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

    @given(
        st.lists(
            st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)),
            max_size=8,
        )
    )
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
