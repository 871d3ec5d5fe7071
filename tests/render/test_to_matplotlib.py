"""Every mark is drawn with the numbers of the scene, and every word stays in the figure."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text

from discreet.errors import InputError
from discreet.render.marks import SERIES
from discreet.render.scene import (
    Axis,
    Bars,
    Box,
    Boxes,
    Cells,
    Columns,
    Dots,
    Lines,
    Mark,
    Panel,
    Scene,
    Strands,
    Trapezoids,
    Upright,
    Uprights,
    Words,
)
from discreet.render.to_matplotlib import draw, figure_bytes

LONG = "every dot is the mean of a record and its four nearest neighbours, scaled back "
NOTES = ("k = 5", LONG * 4, "without_any_space_" * 20)


AGE, PEOPLE = Axis("age"), Axis("people")


def one(mark: Mark, x: Axis = AGE, y: Axis = PEOPLE, **more: Any) -> Scene:
    return Scene((Panel((mark,), x, y),), **more)


BARS = one(Bars((0.0, 1.0, 2.0, 5.0, 9.0), (4.0, None, 7.0, 2.5)), title="Age", notes=("k = 3",))
DOTS = one(Dots((3.0, 1.0, 2.0), (30.0, 10.0, 25.0), (1, 4, 1)), title="Age & <glucose>")
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
COLUMNS = one(Columns(((4.0, None, 2.0), (None, 8.0, 1.0)), ("women", "men")))
LINES = one(Lines(((0.0, 9.0),), ((0.0, 9.0),), "trend", "trend of what is drawn"))
LEVELS = one(Lines(((0.0, 9.0),) * 2, ((0.0, 9.0), (1.0, 8.0)), "level", "people", (5.0, 9.0)))
WORDS = one(Words((("5", "hidden"), ("$x", "12")), totals=True))
PARALLEL = Scene(
    (
        Panel(
            (
                Uprights(
                    (
                        Upright("age", ("20", "90")),
                        Upright("sex", levels=((0.25, "f"), (0.75, "m"))),
                        Upright("illness", levels=((0.5, "flu"),), apart=True),
                    )
                ),
                Trapezoids(0, ((0.0, 0.5, 0.2, 0.3), (0.4, 0.9, 0.7, 0.8))),
                Trapezoids(1, ()),
                Strands(1, ((0.1, 0.9),)),
            ),
            Axis(""),
            Axis(""),
        ),
    )
)
TWO = Scene((*BARS.panels, *BOXES.panels), "Two", NOTES)
SCENES = {
    "bars": BARS,
    "dots": DOTS,
    "gridded": GRIDDED,
    "cells": CELLS,
    "boxes": BOXES,
    "columns": COLUMNS,
    "lines": LINES,
    "levels": LEVELS,
    "words": WORDS,
    "parallel": PARALLEL,
    "two": TWO,
}


def axes_of(scene: Scene, **more: Any) -> Axes:
    return draw(scene, **more).axes[0]


def texts_of(figure: Figure) -> list[str]:
    return [found.get_text() for found in figure.findobj(Text) if isinstance(found, Text)]


class TestAxes:
    def test_named_ticks_stand_at_whole_numbers(self) -> None:
        names = ("north", "south", "an_island_with_a_name_of_many_letters")
        ax = axes_of(one(Bars((-0.5, 0.5, 1.5, 2.5), (3.0, 5.0, None)), Axis("place", ticks=names)))
        assert ax.get_xticks().tolist() == [0, 1, 2]
        written = [tick.get_text() for tick in ax.get_xticklabels()]
        assert written == ["north", "south", "an_island_with_a_name_\nof_many_letters"]
        assert ax.get_xlim() == (-0.6, 2.6)

    def test_names_are_written_as_they_are(self) -> None:
        scene = one(DOTS.panels[0].marks[0], Axis("$x_1$"), Axis("a\nb\x00c"), title=r"\frac $y$")
        figure = draw(scene)
        figure.draw_without_rendering()
        assert {"$x_1$", "a b c", r"\frac $y$"} <= set(texts_of(figure))
        assert not any(text.get_parse_math() for text in (figure.axes[0].xaxis.label,))

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("name", "size"),
        [
            ("bars", None),
            ("cells", (1.5, 1.5)),
            ("gridded", (4.0, 1.5)),
            ("words", (1.5, 5.0)),
            ("parallel", (3.0, 2.0)),
            ("columns", (1.5, 1.5)),
        ],
    )
    def test_long_words_stay_inside_the_figure(
        self, name: str, size: tuple[float, float] | None
    ) -> None:
        (panel,) = SCENES[name].panels
        words = Axis("a_name_without_space_" * 9), Axis(LONG * 3)
        figure = draw(Scene((Panel(panel.marks, *words),), LONG * 2, NOTES), size=size)
        figure.draw_without_rendering()
        width, height = figure.bbox.size
        for text in (figure.get_suptitle(), figure.get_supxlabel()):
            (artist,) = (t for t in figure.texts if t.get_text() == text)
            box = artist.get_window_extent()
            assert box.x0 >= 0 <= box.y0
            assert box.x1 <= width
            assert box.y1 <= height
        assert min(figure.axes[0].bbox.size) > 0.2 * figure.dpi * min(size or (6.0, 4.2))
        for label in (figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()):
            assert re.match(r"\w.*…$", label, re.DOTALL)

    def test_the_notes_stand_below_the_axes_and_their_words(self) -> None:
        figure = draw(TWO)
        figure.draw_without_rendering()
        (notes,) = (t for t in figure.texts if t.get_text().startswith("k = 5"))
        renderer: Any = None
        for ax in figure.axes:
            box = ax.get_tightbbox(renderer)
            assert box is not None
            assert notes.get_window_extent().y1 <= box.y0
        assert notes.get_text() == NOTES[0]  # the others have no room beside it


class TestWhere:
    def test_a_new_figure_is_not_one_of_pyplot(self) -> None:
        import matplotlib.pyplot as plt

        before = plt.get_fignums()
        assert len(draw(TWO).axes) == 2
        assert plt.get_fignums() == before

    def test_given_axes_are_drawn_on(self) -> None:
        figure = Figure(layout="constrained")
        left, right = figure.subplots(1, 2)
        assert draw(TWO, [left, right]) is figure
        assert (len(left.patches), len(right.patches)) == (4, 2)  # one is the sign of a hidden bar
        assert left.get_title(loc="left") == "Two"
        assert draw(BARS, right) is figure
        array: Any = np.array([left, right])
        assert draw(TWO, array) is figure

    def test_what_is_said_stands_below_given_axes_and_their_label(self) -> None:
        figure = Figure(layout="constrained")
        ax = figure.subplots()
        draw(one(BARS.panels[0].marks[0], notes=("first", "second")), ax)
        figure.draw_without_rendering()
        (note,) = ax.texts
        assert note.get_text() == "first · second"
        assert note.get_window_extent().y0 >= 0
        assert note.get_window_extent().y1 <= ax.xaxis.label.get_window_extent().y0

    @pytest.mark.parametrize(("wrong", "got"), [(1, 1), (3, 3), (0, 0)])
    def test_a_wrong_number_of_axes_is_refused(self, wrong: int, got: int) -> None:
        axes = [Figure().subplots() for _ in range(wrong)]
        with pytest.raises(InputError, match=rf"ax must be 2 matplotlib Axes.* got {got}\. "):
            draw(TWO, axes)

    @pytest.mark.parametrize("size", [(1.0, 4.0), (float("nan"), 4.0), (400.0, 4.0)])
    def test_a_size_that_cannot_be_drawn_is_refused(self, size: tuple[float, float]) -> None:
        with pytest.raises(InputError, match=r"size must be from 1\.5 by 1\.5 inches"):
            draw(BARS, size=size)


def test_importing_does_not_import_matplotlib() -> None:
    code = "import sys, discreet.render.to_matplotlib; sys.exit('matplotlib' in sys.modules)"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code], check=True, env=env)


class TestPanelTitles:
    def titled(self, *titles: str) -> Scene:
        marks = DOTS.panels[0].marks
        return Scene(tuple(Panel(marks, AGE, PEOPLE, title) for title in titles), "All of them")

    def test_each_panel_has_its_title_above_it_and_below_that_of_the_scene(self) -> None:
        figure = draw(self.titled("sex = women", "$x_1$ = a\nb", ""))
        figure.draw_without_rendering()
        assert [ax.get_title(loc="left") for ax in figure.axes] == [
            "sex = women",
            "$x_1$ = a b",
            "",
        ]
        above = figure.texts[0].get_window_extent()
        for ax in figure.axes[:2]:
            (title,) = (t for t in ax.findobj(Text) if isinstance(t, Text) and "=" in t.get_text())
            assert not title.get_parse_math()
            assert ax.bbox.y1 <= title.get_window_extent().y0
            assert title.get_window_extent().y1 <= above.y0

    @pytest.mark.slow
    def test_titles_of_twelve_panels_lie_over_nothing(self) -> None:
        figure = draw(self.titled(*[f"district = {i}" for i in range(12)]))
        figure.draw_without_rendering()
        renderer: Any = None
        boxes = [ax.get_tightbbox(renderer) for ax in figure.axes]
        for i, box in enumerate(boxes):
            for other in boxes[:i]:
                assert box is not None
                assert other is not None
                assert not box.overlaps(other)
        assert min(min(ax.bbox.size) for ax in figure.axes) > 1.5 * figure.dpi


NUMBERS = st.floats(-1e6, 1e6)
NAMES = st.text(st.sampled_from("ab _$\\%{}^&<\n€"), max_size=30)
LIMITS = st.none() | st.tuples(NUMBERS, NUMBERS)


@st.composite
def any_mark(draws: st.DrawFn) -> Mark:
    def numbers(count: int) -> tuple[float, ...]:
        return tuple(draws(st.lists(NUMBERS, min_size=count, max_size=count)))

    def hidden(count: int) -> tuple[float | None, ...]:
        return tuple(draws(st.lists(st.none() | NUMBERS, min_size=count, max_size=count)))

    n, name = draws(st.integers(0, 4)), draws(NAMES)
    look = draws(st.sampled_from(["trend", "raw", "reference", "far reference", "level"]))
    lengths = draws(st.lists(st.integers(0, 4), max_size=3))
    sizes = tuple(draws(st.lists(st.integers(1, 99), min_size=n, max_size=n)))
    marks: list[Mark] = [
        Dots(numbers(n), numbers(n), sizes, draws(st.booleans()), name, draws(NAMES)),
        Lines(
            tuple(map(numbers, lengths)),
            tuple(map(numbers, lengths)),
            look,
            name,
            numbers(len(lengths)) if look == "level" else (),
        ),
        Columns((hidden(n), hidden(n)), (name, draws(NAMES))),
        Cells(tuple(range(n + 2)), (0.0, 1.0), tuple((v,) for v in hidden(n + 1)), name),
        Words(((name, "5"),) * n, draws(st.booleans())),
        Bars(tuple(range(n + 1)), tuple(v and abs(v) for v in hidden(n))),
        Uprights((Upright(name, ("0", name)), Upright("a", levels=((0.5, name),) * n)) * n),
        Trapezoids(n, tuple((-x, x, 0.0, x) for x in map(abs, numbers(n))), draws(st.booleans())),
        Strands(n, tuple((x, -x) for x in numbers(n))),
    ]
    return draws(st.sampled_from(marks))


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@given(st.lists(st.lists(any_mark(), max_size=3), min_size=1, max_size=4), LIMITS, LIMITS, NAMES)
def test_any_scene_can_be_drawn_and_twice_is_the_same_bytes(
    panels: list[list[Mark]], across: Any, up: Any, name: str
) -> None:
    x, y = Axis(name, across), Axis(name, up)
    scene = Scene(tuple(Panel(tuple(marks), x, y, name) for marks in panels), name, (name,))
    try:
        first = figure_bytes(scene, ".svg")
    except UserWarning as found:  # thirty lines of words on four panels leave no room for axes
        assume("collapsed to zero" not in str(found))
        raise
    assert figure_bytes(scene, ".svg") == first


TEXTS = (("12", "hidden", "40"), ("5 (3 %)", "$x_1$", "9"), ("17", "?", "49"))
X = Axis("smokes", ticks=("never", "now", "total"))
Y = Axis("sex", ticks=("women", "men", "total"))


def table(texts: Any = TEXTS, x: Axis = X, y: Axis = Y, totals: bool = False) -> Scene:
    return Scene((Panel((Words(texts, totals),), x, y),))


def drawn(scene: Scene, **more: Any) -> Figure:
    figure = draw(scene, **more)
    figure.draw_without_rendering()
    return figure


def size_of(figure: Figure) -> tuple[float, float]:
    width, height = figure.get_size_inches()
    return float(width), float(height)


def texts_on(ax: Axes) -> list[Text]:
    return [text for text in ax.texts if text.get_text()]


def rules_of(ax: Axes) -> list[Line2D]:
    return list(ax.lines)


class TestTable:
    def test_each_text_stands_in_its_row_and_column_the_first_row_on_top(self) -> None:
        (ax,) = drawn(table()).axes
        found = {text.get_position(): text.get_text() for text in texts_on(ax)}
        assert found == {(j, i): TEXTS[i][j] for i in range(3) for j in range(3)}
        low, high = ax.get_ylim()
        assert low > high

    def test_names_stand_on_top_and_to_the_left(self) -> None:
        (ax,) = drawn(table()).axes
        assert [tick.get_text() for tick in ax.get_xticklabels()] == ["never", "now", "total"]
        assert [tick.get_text() for tick in ax.get_yticklabels()] == ["women", "men", "total"]
        below = min(tick.get_window_extent().y0 for tick in ax.get_xticklabels())
        assert below > max(text.get_window_extent().y1 for text in texts_on(ax))
        assert ax.xaxis.label.get_window_extent().y0 >= max(
            tick.get_window_extent().y1 for tick in ax.get_xticklabels()
        )
        assert not any(spine.get_visible() for spine in ax.spines.values())

    def test_totals_are_bold_and_ruled_off(self) -> None:
        (ax,) = drawn(table(totals=True)).axes
        bold = {text.get_position() for text in texts_on(ax) if text.get_fontweight() == "bold"}
        assert bold == {(0, 2), (1, 2), (2, 2), (2, 0), (2, 1)}
        strong = [rule for rule in rules_of(ax) if rule.get_color() == "#8c8c8c"]
        places = [tuple(map(tuple, rule.get_xydata().tolist())) for rule in strong]
        assert places == [
            ((-0.5, -0.5), (2.5, -0.5)),
            ((-0.5, 1.5), (2.5, 1.5)),
            ((1.5, -0.5), (1.5, 2.5)),
        ]

    def test_the_words_are_as_they_are(self) -> None:
        texts = (("$\\frac", "a\nb\x00c", "_x_"),)
        (ax,) = drawn(table(texts, Axis("x"), Axis("y"))).axes
        assert [text.get_text() for text in texts_on(ax)] == ["$\\frac", "a b c", "_x_"]
        assert not any(text.get_parse_math() for text in texts_on(ax))


class TestSize:
    def many(self, rows: int, columns: int, text: str = "12.34") -> Scene:
        return table(
            ((text,) * columns,) * rows,
            Axis("x", ticks=tuple(f"column {j}" for j in range(columns))),
            Axis("y", ticks=tuple(f"row {i}" for i in range(rows))),
        )

    @pytest.mark.slow
    def test_a_large_table_makes_a_large_figure(self) -> None:
        small, high, wide = (
            size_of(drawn(self.many(rows, columns))) for rows, columns in ((3, 3), (40, 3), (3, 30))
        )
        assert high[1] > 3 * small[1]
        assert wide[0] > 2 * small[0]

    def test_beside_other_panels_these_keep_their_height(self) -> None:
        dots = Panel((Dots((1.0, 2.0), (1.0, 2.0), (1, 1)),), Axis("x"), Axis("y"))
        figure = drawn(Scene((dots, *self.many(2, 2).panels)))
        assert figure.axes[0].bbox.height > 2 * figure.dpi

    def test_names_of_columns_that_do_not_fit_slant_away_from_the_table(self) -> None:
        (ax,) = drawn(self.many(2, 25), size=(4.0, 3.0)).axes
        labels = ax.get_xticklabels()
        assert {(tick.get_rotation(), tick.get_horizontalalignment()) for tick in labels} == {
            (45.0, "left")
        }

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("size", "shape", "text"),
        [
            (None, (12, 6), "1234 (12.3 %)"),
            ((2.0, 2.0), (1, 1), "a text of very many words " * 4),
            ((4.0, 3.0), (5, 14), "a text of very many words " * 4),
        ],
    )
    def test_no_text_lies_over_another(self, size: Any, shape: tuple[int, int], text: str) -> None:
        (panel,) = self.many(*shape, text).panels
        (mark,) = panel.marks
        assert isinstance(mark, Words)
        scene = table(mark.texts, panel.x, panel.y, totals=True)
        (ax,) = drawn(scene, size=size).axes
        place = {text.get_position(): text.get_window_extent() for text in texts_on(ax)}
        for (x, y), box in place.items():
            if (x + 1, y) in place:
                assert box.x1 <= place[x + 1, y].x0 + 1
            if (x, y + 1) in place and size is None:
                assert box.y0 >= place[x, y + 1].y1 - 1
        assert min(box.x0 for box in place.values()) >= ax.bbox.x0 - 1


# --- legends -------------------------------------------------------------------------------------

X_OF_LEGEND, Y_OF_LEGEND = Axis("x"), Axis("y")
DOTS_OF_LEGEND = Dots((0.0, 10.0), (0.0, 20.0), (1, 1))
TREND = Lines(((0.0, 9.0),), ((0.0, 9.0),), "trend", "trend of what is drawn_of_legend")
RAW = Lines(((0.0, 9.0),), ((0.0, 8.0),), "raw", "trend of raw records")


def drawn_of_legend(*panels: tuple[Mark, ...], **more: Any) -> Figure:
    figure = draw(Scene(tuple(Panel(marks, X_OF_LEGEND, Y_OF_LEGEND) for marks in panels)), **more)
    figure.draw_without_rendering()
    return figure


def words_of(ax: Axes) -> tuple[str, list[str]]:
    legend = ax.get_legend()
    if legend is None:
        return "", []
    words = [text.get_text().replace("\n", " ") for text in legend.get_texts()]
    return legend.get_title().get_text(), words


class TestWords:
    @pytest.mark.parametrize(("marks", "title", "words"), [])
    def test_what_needs_words_has_them(
        self, marks: tuple[Mark, ...], title: str, words: list[str]
    ) -> None:
        assert words_of(drawn_of_legend(marks).axes[0]) == (title, words)

    @pytest.mark.parametrize(
        ("marks", "words"),
        [
            ((Dots((1.0,), (1.0,), (1,), series="1"),), ["1"]),
            ((Lines(((0.0, 1.0),), ((0.0, 1.0),), "curve", "1"),), ["1"]),
            ((Columns(((1.0,), (2.0,)), ("1", "2")),), ["1", "2"]),
            ((Dots((1.0,), (1.0,), (7,), True, "persons", "1"),), ["1", "persons:", "7"]),
        ],
    )
    def test_levels_stand_under_the_name_of_their_column(
        self, marks: tuple[Mark, ...], words: list[str]
    ) -> None:
        panel = Panel(marks, X_OF_LEGEND, Y_OF_LEGEND, legend="sex_at_birth")
        bare = replace(panel, marks=(DOTS_OF_LEGEND,))
        one, two = drawn(Scene((panel,))), drawn(Scene((panel, bare)))
        assert words_of(one.axes[0]) == ("sex_at_birth", words)
        assert [words_of(ax) for ax in two.axes] == [("sex_at_birth", words), ("", [])]

    def test_each_sign_looks_like_what_it_stands_for(self) -> None:
        series = [Dots((float(i),), (1.0,), (1,), series=name) for i, name in enumerate("ab")]
        legend = drawn_of_legend((*series, TREND, RAW)).axes[0].get_legend()
        assert legend is not None
        signs = [sign for sign in legend.legend_handles if isinstance(sign, Line2D)]
        assert [(to_hex(sign.get_color()), sign.get_marker()) for sign in signs] == [
            (SERIES[0], "o"),
            (SERIES[1], "o"),
            ("#222222", "None"),
            ("#cc3311", "None"),
        ]

    @pytest.mark.parametrize(
        ("levels", "words"),
        [
            ((20480.0, 1e6), ["1000000", "20480"]),
            ((0.00012345, 0.00012349), ["0.0001235", "0.0001234"]),
            ((-1.5, 0.0), ["0", "−1.5"]),
            ((7.0,), ["7"]),
            (tuple(map(float, range(1, 30))), ["29", "25", "21", "17", "13", "9", "5", "1"]),
        ],
    )
    def test_levels_are_told_apart_and_not_all_named(
        self, levels: tuple[float, ...], words: list[str]
    ) -> None:
        count = len(levels)
        mark = Lines(((0.0, 1.0),) * count, ((0.0, 1.0),) * count, "level", "", levels)
        assert words_of(drawn_of_legend((mark,)).axes[0]) == ("", words)

    @pytest.mark.parametrize("name", ["_hidden", r"\frac{", "a\nb", "very long name " * 30])
    def test_names_are_written_as_they_are(self, name: str) -> None:
        dots = Dots((1.0,), (1.0,), (1,), series=name)
        line = Lines(((0.0, 1.0),), ((0.0, 1.0),), "raw", name)
        both = (dots, line, Columns(((1.0,),), (name,)))
        figure = drawn_of_legend(both)
        legend = figure.axes[0].get_legend()
        assert legend is not None
        _, words = words_of(figure.axes[0])
        plain = " ".join(name.split())
        assert words[0] == plain or words[0].endswith("…")
        assert len(words) == 3
        assert not any(text.get_parse_math() for text in legend.get_texts())
        assert legend.get_window_extent().width < 0.5 * figure.bbox.width

    @pytest.mark.parametrize("size", [(1.5, 1.5), None])
    def test_a_legend_stands_beside_the_axes_and_in_the_figure(self, size: Any) -> None:
        figure = drawn_of_legend((DOTS_OF_LEGEND, TREND, RAW), size=size)
        (ax,) = figure.axes
        legend = ax.get_legend()
        assert legend is not None
        box = legend.get_window_extent()
        assert box.x0 >= ax.bbox.x1 - 1
        assert box.x1 <= figure.bbox.x1
        assert ax.bbox.width > 0.2 * figure.bbox.width


class TestPanels:
    def where(self, figure: Figure) -> list[int]:
        return [i for i, ax in enumerate(figure.axes) if ax.get_legend() is not None]

    @pytest.mark.parametrize(("count", "where"), [(1, 0), (2, 1), (5, 2)])
    def test_panels_that_agree_have_one_legend_on_the_right(self, count: int, where: int) -> None:
        assert self.where(drawn_of_legend(*[(DOTS_OF_LEGEND, TREND, RAW)] * count)) == [where]

    def test_panels_that_disagree_have_a_legend_each(self) -> None:
        other = Lines(((0.0, 9.0),), ((0.0, 9.0),), "trend", "another trend")
        assert self.where(
            drawn_of_legend((DOTS_OF_LEGEND, TREND), (DOTS_OF_LEGEND, other), (DOTS_OF_LEGEND,))
        ) == [0, 1]
