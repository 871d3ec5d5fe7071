"""A table is written whole: each text in its place, and none over another."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text

from discreet.render.scene import Axis, Dots, Panel, Scene, Words
from discreet.render.to_matplotlib import draw

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


def texts_of(ax: Axes) -> list[Text]:
    return [text for text in ax.texts if text.get_text()]


def rules_of(ax: Axes) -> list[Line2D]:
    return list(ax.lines)


class TestTable:
    def test_each_text_stands_in_its_row_and_column_the_first_row_on_top(self) -> None:
        (ax,) = drawn(table()).axes
        found = {text.get_position(): text.get_text() for text in texts_of(ax)}
        assert found == {(j, i): TEXTS[i][j] for i in range(3) for j in range(3)}
        low, high = ax.get_ylim()
        assert low > high

    def test_names_stand_on_top_and_to_the_left(self) -> None:
        (ax,) = drawn(table()).axes
        assert [tick.get_text() for tick in ax.get_xticklabels()] == ["never", "now", "total"]
        assert [tick.get_text() for tick in ax.get_yticklabels()] == ["women", "men", "total"]
        below = min(tick.get_window_extent().y0 for tick in ax.get_xticklabels())
        assert below > max(text.get_window_extent().y1 for text in texts_of(ax))
        assert ax.xaxis.label.get_window_extent().y0 >= max(
            tick.get_window_extent().y1 for tick in ax.get_xticklabels()
        )
        assert not any(spine.get_visible() for spine in ax.spines.values())

    def test_rows_are_ruled_off(self) -> None:
        heights = [np.asarray(rule.get_ydata()) for rule in rules_of(drawn(table()).axes[0])]
        assert [tuple(height.tolist()) for height in heights] == [
            (at, at) for at in (-0.5, 0.5, 1.5, 2.5)
        ]

    def test_totals_are_bold_and_ruled_off(self) -> None:
        (ax,) = drawn(table(totals=True)).axes
        bold = {text.get_position() for text in texts_of(ax) if text.get_fontweight() == "bold"}
        assert bold == {(0, 2), (1, 2), (2, 2), (2, 0), (2, 1)}
        strong = [rule for rule in rules_of(ax) if rule.get_color() == "#8c8c8c"]
        places = [tuple(map(tuple, rule.get_xydata().tolist())) for rule in strong]  # type: ignore[union-attr]
        assert places == [
            ((-0.5, -0.5), (2.5, -0.5)),
            ((-0.5, 1.5), (2.5, 1.5)),
            ((1.5, -0.5), (1.5, 2.5)),
        ]

    def test_no_totals_nothing_bold(self) -> None:
        assert not any(t.get_fontweight() == "bold" for t in texts_of(drawn(table()).axes[0]))

    def test_a_table_without_names_has_no_ticks(self) -> None:
        (ax,) = drawn(table(x=Axis(""), y=Axis(""))).axes
        assert not ax.get_xticklabels()
        assert not ax.get_yticklabels()

    @pytest.mark.parametrize("texts", [(), ((),), (("",),), (("a",),)])
    def test_small_and_empty_tables_can_be_drawn(self, texts: Any) -> None:
        for totals in (False, True):
            drawn(table(texts, Axis("x"), Axis("y"), totals))

    def test_the_words_are_as_they_are(self) -> None:
        texts = (("$\\frac", "a\nb\x00c", "_x_"),)
        (ax,) = drawn(table(texts, Axis("x"), Axis("y"))).axes
        assert [text.get_text() for text in texts_of(ax)] == ["$\\frac", "a b c", "_x_"]
        assert not any(text.get_parse_math() for text in texts_of(ax))


class TestSize:
    def many(self, rows: int, columns: int, text: str = "12.34") -> Scene:
        return table(
            ((text,) * columns,) * rows,
            Axis("x", ticks=tuple(f"column {j}" for j in range(columns))),
            Axis("y", ticks=tuple(f"row {i}" for i in range(rows))),
        )

    def test_a_large_table_makes_a_large_figure(self) -> None:
        small, high, wide = (
            size_of(drawn(self.many(rows, columns))) for rows, columns in ((3, 3), (40, 3), (3, 30))
        )
        assert high[1] > 3 * small[1]
        assert wide[0] > 2 * small[0]

    def test_the_rows_of_a_small_table_stand_together(self) -> None:
        (ax,) = drawn(self.many(2, 2), size=(6.0, 8.0)).axes
        first, second = (ax.transData.transform((0, row))[1] for row in (0, 1))
        assert first - second < 0.5 * ax.figure.dpi

    def test_a_size_that_is_given_is_kept(self) -> None:
        width, _ = size_of(drawn(self.many(40, 12), size=(4.0, 3.0)))
        assert width == 4.0

    def test_beside_other_panels_these_keep_their_height(self) -> None:
        dots = Panel((Dots((1.0, 2.0), (1.0, 2.0), (1, 1)),), Axis("x"), Axis("y"))
        figure = drawn(Scene((dots, *self.many(2, 2).panels)))
        assert figure.axes[0].bbox.height > 2 * figure.dpi

    def test_long_names_of_rows_that_end_differently_are_told_apart(self) -> None:
        names = tuple(f"education[T.secondary]:age_{i}" for i in range(3))
        (ax,) = drawn(table(y=Axis("", ticks=names))).axes
        assert tuple(tick.get_text() for tick in ax.get_yticklabels()) == names

    def test_names_of_columns_that_do_not_fit_slant_away_from_the_table(self) -> None:
        (ax,) = drawn(self.many(2, 25), size=(4.0, 3.0)).axes
        labels = ax.get_xticklabels()
        assert {(tick.get_rotation(), tick.get_horizontalalignment()) for tick in labels} == {
            (45.0, "left")
        }

    @pytest.mark.parametrize("size", [None, (2.0, 2.0), (4.0, 3.0)])
    @pytest.mark.parametrize("shape", [(1, 1), (12, 6), (5, 14)])
    @pytest.mark.parametrize("text", ["1234 (12.3 %)", "a text of very many words " * 4])
    def test_no_text_lies_over_another(self, size: Any, shape: tuple[int, int], text: str) -> None:
        (panel,) = self.many(*shape, text).panels
        (mark,) = panel.marks
        assert isinstance(mark, Words)
        scene = table(mark.texts, panel.x, panel.y, totals=True)
        (ax,) = drawn(scene, size=size).axes
        place = {text.get_position(): text.get_window_extent() for text in texts_of(ax)}
        for (x, y), box in place.items():
            if (x + 1, y) in place:
                assert box.x1 <= place[x + 1, y].x0 + 1
            if (x, y + 1) in place and size is None:
                assert box.y0 >= place[x, y + 1].y1 - 1
        assert min(box.x0 for box in place.values()) >= ax.bbox.x0 - 1


NAMES = st.text(st.sampled_from("ab _$\\%{}^&<\n\t€äß"), max_size=40)


@settings(max_examples=15)
@given(st.lists(st.lists(NAMES, min_size=2, max_size=2), max_size=4), NAMES, st.booleans())
def test_any_texts_can_be_drawn(texts: list[list[str]], name: str, totals: bool) -> None:
    rows = tuple(map(tuple, texts))
    x, y = Axis(name, ticks=(name, "other")), Axis(name, ticks=(name,) * len(rows))
    drawn(table(rows, x, y, totals))
