"""Letters of any script: drawn with a font that has them, or said once in plain words."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import matplotlib
import pytest
from fontTools.fontBuilder import FontBuilder  # type: ignore[import-untyped]
from fontTools.pens.ttGlyphPen import TTGlyphPen  # type: ignore[import-untyped]
from matplotlib.font_manager import fontManager

from discreet.render import figure_file
from discreet.render.figure_file import families_for, letters_of
from discreet.render.scene import Axis, Bars, Box, Boxes, Dots, Panel, Scene
from discreet.render.to_matplotlib import draw, figure_bytes

CJK = "北京"


def scene(*names: str, label: str = "place") -> Scene:
    edges = tuple(i - 0.5 for i in range(len(names) + 1))
    bars = Bars(edges, tuple(1.0 for _ in names))
    return Scene((Panel((bars,), Axis(label, ticks=names), Axis("rows")),))


@pytest.fixture(autouse=True)
def anew() -> Iterator[None]:
    """Forget what was said, and the fonts of a test."""
    figure_file._say_once.cache_clear()
    kept = list(fontManager.ttflist)
    yield
    fontManager.ttflist = kept


def test_no_font_of_the_machine_is_seen() -> None:
    own = Path(matplotlib.get_data_path())
    assert [it.fname for it in fontManager.ttflist if not Path(it.fname).is_relative_to(own)] == []


@pytest.fixture
def small_font(tmp_path: Path) -> str:
    """Install a font that has two letters alone."""
    names = [".notdef", "north", "capital"]
    pen = TTGlyphPen(None)
    pen.moveTo((0, 0))
    for point in ((0, 700), (700, 700), (700, 0)):
        pen.lineTo(point)
    pen.closePath()
    square = pen.glyph()
    font = FontBuilder(1000, isTTF=True)
    font.setupGlyphOrder(names)
    font.setupCharacterMap({ord(c): n for c, n in zip(CJK, names[1:], strict=True)})
    font.setupGlyf(dict.fromkeys(names, square))
    font.setupHorizontalMetrics(dict.fromkeys(names, (1000, 0)))
    font.setupHorizontalHeader(ascent=800, descent=-200)
    font.setupNameTable({"familyName": "Two Letters Sans", "styleName": "Regular"})
    font.setupOS2(usWeightClass=400)
    font.setupPost()
    path = tmp_path / "two.ttf"
    font.save(path)
    fontManager.addfont(str(path))
    return "Two Letters Sans"


def test_letters_are_those_of_all_words() -> None:
    boxes = Boxes((Box("größe", 1, 2, 3, 4, 5),))
    dots = Dots((1.0, 2.0), (1.0, 2.0), (1, 1), label="名")
    found = Scene((Panel((boxes, dots), Axis("µ"), Axis("y", dates=((1.0, "é"),))),), "ß", ("ñ",))
    assert letters_of(found) == frozenset("öß名µéñ")


def test_a_font_that_has_the_letters_is_taken(small_font: str) -> None:
    assert families_for(CJK) == ((small_font,), frozenset())
    assert families_for(f"{CJK}한") == ((small_font,), frozenset("한"))


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_it_draws_them_without_a_warning(small_font: str, suffix: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with_font = figure_bytes(scene(CJK, "south"), suffix)
    fontManager.ttflist = [it for it in fontManager.ttflist if it.name != small_font]
    with pytest.warns(UserWarning, match="no installed font"):
        without = figure_bytes(scene(CJK, "south"), suffix)
    assert with_font != without


def test_what_no_font_has_is_said_once_by_its_script() -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        figure_bytes(scene("한국", "여자", label="北"), ".png")
        figure_bytes(scene("한국", "여자", label="北"), ".svg")
    (only,) = said
    assert "(CJK, Hangul)" in str(only.message)
    assert "한" not in str(only.message)


def test_an_svg_keeps_letters_as_text() -> None:
    with pytest.warns(UserWarning, match="no installed font"):
        assert CJK in figure_bytes(scene(CJK, "south"), ".svg").decode()


def ticks(figure_scene: Scene, width: float = 6.0) -> list[str]:
    (ax,) = draw(figure_scene, size=(width, 4.0)).axes
    return [it.get_text() for it in ax.get_xticklabels()]


@pytest.mark.slow
def test_names_are_broken_at_the_ends_of_words_and_lie_beside_each_other() -> None:
    names = ("White or another European background", "South Asian, including Indian", "Mixed")
    figure = draw(scene(*names), size=(6.0, 4.0))
    figure.draw_without_rendering()
    labels = figure.axes[0].get_xticklabels()
    assert [it.get_text().replace("\n", " ") for it in labels] == list(names)
    assert "\n" in labels[0].get_text()
    boxes = [it.get_window_extent() for it in labels]
    assert all(a.x1 < b.x0 for a, b in pairwise(boxes))


def test_names_of_rows_have_lines_instead_of_being_cut() -> None:
    names = ("White or another European background", "Mixed")
    bars = scene("a", "b").panels[0].marks
    (ax,) = draw(Scene((Panel(bars, Axis("x"), Axis("", ticks=names)),))).axes
    long, short = (it.get_text() for it in ax.get_yticklabels())
    assert long.replace("\n", " ") == names[0]
    assert "\n" in long
    assert short == "Mixed"
