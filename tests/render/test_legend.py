"""A legend says what is drawn, once for panels that agree, and every name as it is."""

from typing import Any

import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from discreet.render.marks import SERIES
from discreet.render.scene import (
    Axis,
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

X, Y = Axis("x"), Axis("y")
DOTS = Dots((0.0, 10.0), (0.0, 20.0), (1, 1))
TREND = Lines(((0.0, 9.0),), ((0.0, 9.0),), "trend", "trend of what is drawn")
RAW = Lines(((0.0, 9.0),), ((0.0, 8.0),), "raw", "trend of raw records")
GRIDDED = Dots((1.0, 2.0), (1.0, 2.0), (20, 40), True, "persons")
LEVELS = Lines(((0.0, 1.0),) * 3, ((0.0, 1.0),) * 3, "level", "people a cell", (5.0, 160.0, 20.0))
ENDS = ((0.0, 1.0, 2.0),)
CELLS = Cells((0.0, 5.0, 10.0), (0.0, 10.0), ((5.0,), (9.0,)), "count")


def drawn(*panels: tuple[Mark, ...], **more: Any) -> Figure:
    figure = draw(Scene(tuple(Panel(marks, X, Y) for marks in panels)), **more)
    figure.draw_without_rendering()
    return figure


def words_of(ax: Axes) -> tuple[str, list[str]]:
    legend = ax.get_legend()
    if legend is None:
        return "", []
    words = [text.get_text().replace("\n", " ") for text in legend.get_texts()]
    return legend.get_title().get_text(), words


class TestWords:
    @pytest.mark.parametrize(
        ("marks", "title", "words"),
        [
            ((DOTS,), "", []),
            ((DOTS, TREND, RAW), "", ["trend of what is drawn", "trend of raw records"]),
            ((TREND, TREND), "", ["trend of what is drawn"]),
            ((Lines(((0.0, 1.0),), ((0.0, 1.0),), "reference"),), "", []),
            ((Lines((), (), "trend", "nothing"),), "", []),
            ((GRIDDED,), "persons", ["20", "40"]),
            ((GRIDDED, RAW), "", ["trend of raw records", "persons:", "20", "40"]),
            ((LEVELS,), "people a cell", ["160", "20", "5"]),
            ((LEVELS, RAW), "", ["trend of raw records", "people a cell:", "160", "20", "5"]),
            ((Columns(((1.0,), (2.0,)), ("men", "women")),), "", ["men", "women"]),
            ((Columns(((1.0, None),)),), "", ["hidden"]),
            ((Columns(((1.0,),)),), "", []),
            ((Intervals((ENDS, ENDS), ("original", "released")),), "", ["original", "released"]),
            ((Intervals((ENDS,)),), "", []),
            ((Dots((1.0,), (1.0,), (1,), series="a"), Dots((), (), (), series="b")), "", ["a"]),
        ],
    )
    def test_what_needs_words_has_them(
        self, marks: tuple[Mark, ...], title: str, words: list[str]
    ) -> None:
        assert words_of(drawn(marks).axes[0]) == (title, words)

    def test_each_sign_looks_like_what_it_stands_for(self) -> None:
        series = [Dots((float(i),), (1.0,), (1,), series=name) for i, name in enumerate("ab")]
        legend = drawn((*series, TREND, RAW)).axes[0].get_legend()
        assert legend is not None
        signs = [sign for sign in legend.legend_handles if isinstance(sign, Line2D)]
        assert [(to_hex(sign.get_color()), sign.get_marker()) for sign in signs] == [
            (SERIES[0], "o"),
            (SERIES[1], "o"),
            ("#222222", "None"),
            ("#cc3311", "None"),
        ]

    def test_the_sign_of_hidden_columns_is_hatched(self) -> None:
        legend = drawn((Columns(((1.0, None),)),)).axes[0].get_legend()
        assert legend is not None
        (sign,) = legend.legend_handles
        assert isinstance(sign, Patch)
        assert sign.get_hatch()

    @pytest.mark.parametrize(
        ("levels", "words"),
        [
            ((20480.0, 1e6), ["1000000", "20480"]),
            ((0.00012345, 0.00012349), ["0.0001235", "0.0001234"]),
            ((-1.5, 0.0), ["0", "-1.5"]),
            ((7.0,), ["7"]),
            (tuple(map(float, range(1, 30))), ["29", "25", "21", "17", "13", "9", "5", "1"]),
        ],
    )
    def test_levels_are_told_apart_and_not_all_named(
        self, levels: tuple[float, ...], words: list[str]
    ) -> None:
        count = len(levels)
        mark = Lines(((0.0, 1.0),) * count, ((0.0, 1.0),) * count, "level", "", levels)
        assert words_of(drawn((mark,)).axes[0]) == ("", words)

    @pytest.mark.parametrize(
        "name", ["_hidden", "$x_1$", r"\frac{", "a\nb", "_", "%s", "<b>&", "very long name " * 30]
    )
    def test_names_are_written_as_they_are(self, name: str) -> None:
        dots = Dots((1.0,), (1.0,), (1,), series=name)
        line = Lines(((0.0, 1.0),), ((0.0, 1.0),), "raw", name)
        both = (dots, line, Columns(((1.0,),), (name,)))
        figure = drawn(both)
        legend = figure.axes[0].get_legend()
        assert legend is not None
        _, words = words_of(figure.axes[0])
        plain = " ".join(name.split())
        assert words[0] == plain or words[0].endswith("…")
        assert len(words) == 3
        assert not any(text.get_parse_math() for text in legend.get_texts())
        assert legend.get_window_extent().width < 0.5 * figure.bbox.width

    @pytest.mark.parametrize("size", [(1.5, 1.5), (3.0, 2.0), None, (12.0, 3.0)])
    def test_a_legend_stands_beside_the_axes_and_in_the_figure(self, size: Any) -> None:
        figure = drawn((DOTS, TREND, RAW), size=size)
        (ax,) = figure.axes
        legend = ax.get_legend()
        assert legend is not None
        box = legend.get_window_extent()
        assert box.x0 >= ax.bbox.x1 - 1
        assert box.x1 <= figure.bbox.x1
        assert ax.bbox.width > 0.2 * figure.bbox.width

    def test_beside_a_colour_bar_it_stands_on_the_cells(self) -> None:
        figure = drawn((CELLS, RAW))
        legend = figure.axes[0].get_legend()
        assert legend is not None
        assert legend.get_window_extent().x1 <= figure.axes[0].bbox.x1
        assert legend.get_frame_on()


class TestPanels:
    def where(self, figure: Figure) -> list[int]:
        return [i for i, ax in enumerate(figure.axes) if ax.get_legend() is not None]

    @pytest.mark.parametrize(("count", "where"), [(1, 0), (2, 1), (3, 2), (5, 2), (12, 2)])
    def test_panels_that_agree_have_one_legend_on_the_right(self, count: int, where: int) -> None:
        assert self.where(drawn(*[(DOTS, TREND, RAW)] * count)) == [where]

    def test_a_panel_with_less_agrees(self) -> None:
        figure = drawn((DOTS, TREND), (DOTS, TREND, RAW), (DOTS,))
        assert self.where(figure) == [2]
        assert len(words_of(figure.axes[2])[1]) == 2

    def test_panels_that_disagree_have_a_legend_each(self) -> None:
        other = Lines(((0.0, 9.0),), ((0.0, 9.0),), "trend", "another trend")
        assert self.where(drawn((DOTS, TREND), (DOTS, other), (DOTS,))) == [0, 1]

    def test_a_lone_legend_stays_with_its_panel(self) -> None:
        assert self.where(drawn((DOTS, TREND), (DOTS,), (DOTS,))) == [0]

    def test_given_axes_have_a_legend_each(self) -> None:
        axes = Figure(layout="constrained").subplots(1, 2)
        assert self.where(drawn(*[(DOTS, TREND)] * 2, ax=list(axes))) == [0, 1]
