"""Clusters between uprights: wide ones behind, narrow ones in front, and no word over another."""

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Annotation

from discreet.render.figure_file import content
from discreet.render.scene import Axis, Mark, Panel, Scene, Strands, Trapezoids, Upright, Uprights
from discreet.render.to_matplotlib import draw, figure_bytes
from discreet.render.trapezoids import MOST, PALE, SHADES, Ends, colour, layers, named_levels

NO = Axis("")
AGE = Upright("age", ("20", "90"))
SEX = Upright("sex", levels=((0.25, "f"), (0.75, "m")))
ILL = Upright("illness", levels=((0.1, "asthma"), (0.5, "flu"), (0.9, "HIV")), apart=True)
WIDE, MIDDLE, NARROW = (0.0, 0.8, 0.1, 1.0), (0.4, 0.6, 0.5, 0.6), (0.7, 0.704, 0.2, 0.204)


def scene(*gaps: Mark, axes: tuple[Upright, ...] = (AGE, SEX), **more: Any) -> Scene:
    """Stand marks between uprights."""
    return Scene((Panel((Uprights(axes), *gaps), NO, NO),), **more)


def hex_of(color: Any) -> str:
    return to_hex(color)


def polygons_of(ax: Axes) -> list[list[list[float]]]:
    """Return the corners of each polygon: lower left, upper left, upper right, lower right."""
    return [
        np.asarray(path.vertices)[:4].tolist()
        for drawn in ax.collections
        if isinstance(drawn, PolyCollection)
        for path in drawn.get_paths()
    ]


def collection_of(ax: Axes) -> PolyCollection:
    (drawn,) = ax.collections
    assert isinstance(drawn, PolyCollection)
    return drawn


def texts_of(figure: Figure) -> list[Annotation]:
    return [text for text in figure.axes[0].texts if isinstance(text, Annotation)]


def words_of(figure: Figure) -> list[str]:
    return [text.get_text() for text in texts_of(figure)]


class TestFlat:
    def test_each_cluster_is_a_trapezoid_from_axis_to_axis_and_the_widest_lies_behind(self) -> None:
        mark = Trapezoids(1, (NARROW, WIDE, MIDDLE), fuzzy=False)
        ax = draw(scene(Trapezoids(0, ()), mark, axes=(AGE, SEX, AGE))).axes[0]
        assert polygons_of(ax) == [
            [[1, 0.0], [1, 0.8], [2, 1.0], [2, 0.1]],
            [[1, 0.4], [1, 0.6], [2, 0.6], [2, 0.5]],
            [[1, 0.7], [1, 0.704], [2, 0.204], [2, 0.2]],
        ]

    def test_wide_is_blue_and_narrow_is_orange(self) -> None:
        drawn = collection_of(draw(scene(Trapezoids(0, (NARROW, WIDE), fuzzy=False))).axes[0])
        assert [hex_of(face) for face in drawn.get_facecolor()] == [SHADES[-1], SHADES[0]]

    def test_an_end_of_no_width_is_a_pixel_high_and_stays_on_its_axis(self) -> None:
        for low, high in ((0.5, 0.5), (0.0, 0.0), (1.0, 1.0)):
            ends = (low, high, 0.2, 0.7)
            (corners,) = polygons_of(draw(scene(Trapezoids(0, (ends,), fuzzy=False))).axes[0])
            (_, bottom), (_, top) = corners[:2]
            assert 0.001 < top - bottom < 0.01
            assert 0 <= bottom < top <= 1
            assert corners[2:] == [[1, 0.7], [1, 0.2]]

    def test_ends_are_rounded_to_a_thousandth_of_the_axis(self) -> None:
        ends = (0.1234567, 0.4567891, 0.3, 1.7)
        (corners,) = polygons_of(draw(scene(Trapezoids(0, (ends,), fuzzy=False))).axes[0])
        assert corners == [[0, 0.123], [0, 0.457], [1, 1.0], [1, 0.3]]


@st.composite
def any_ends(draws: st.DrawFn) -> Ends:
    share = st.integers(0, 1000).map(lambda n: n / 1000)
    a, b, c, d = (draws(share) for _ in range(4))
    return min(a, b), max(a, b), min(c, d), max(c, d)


class TestFuzzy:
    @given(any_ends(), st.floats(40, 900), st.integers(1, MOST))
    def test_layers_lie_one_within_the_other_about_the_middle(
        self, ends: Ends, height: float, most: int
    ) -> None:
        found = layers(ends, height, most)

        assert 1 <= len(found) <= most
        for outer, inner in pairwise(found):
            for side in (0, 2):
                assert outer[side] <= inner[side] + 1e-5
                assert outer[side + 1] >= inner[side + 1] - 1e-5
        for layer in found:
            assert min(layer) >= 0
            assert max(layer) <= 1
            for side in (0, 2):
                assert (layer[side + 1] - layer[side]) * height > 0.7, "no end is lost"
                if ends[side + 1] - ends[side] > 1 / height:
                    middle = (ends[side] + ends[side + 1]) / 2
                    assert (layer[side] + layer[side + 1]) / 2 == pytest.approx(middle, abs=1e-5)
                    assert layer[side] >= ends[side] - 1e-5
                    assert layer[side + 1] <= ends[side + 1] + 1e-5

    def test_the_wider_a_cluster_the_more_layers_it_has(self) -> None:
        counts = [len(layers((0.5, 0.5 + w, 0.5, 0.5), 250.0, MOST)) for w in (0, 0.03, 0.2, 0.4)]
        assert counts == [1, 4, MOST, MOST]

    def test_all_layers_together_are_as_opaque_as_the_flat_one(self) -> None:
        def opaque(fuzzy: bool) -> Any:
            ax = draw(scene(Trapezoids(0, (WIDE,), fuzzy))).axes[0]
            seen = [1 - alpha for alpha in np.asarray(collection_of(ax).get_facecolor())[:, 3]]
            return 1 - math.prod(seen)

        assert opaque(True) == pytest.approx(opaque(False), abs=0.002)

    def test_layers_of_a_wide_cluster_lie_behind_all_of_a_narrow_one(self) -> None:
        drawn = collection_of(draw(scene(Trapezoids(0, (NARROW, WIDE)))).axes[0])
        colors = [hex_of(face) for face in drawn.get_facecolor()]
        assert colors == [SHADES[-1]] * (len(colors) - 1) + [SHADES[0]]
        assert len(colors) > 8


SPAN = (0.02, 0.9)


def bluer(rgb: tuple[float, float, float]) -> float:
    """Say how much more blue than red a colour has; each of the two is rounded to a thousandth."""
    return rgb[2] - rgb[0]


class TestColour:
    def test_the_ends_of_the_scale_are_those_of_the_picture(self) -> None:
        tenth = (0.0, 0.05, 0.5, 0.55)
        assert hex_of(colour(tenth, (0.1, 0.5))) == SHADES[0]
        assert hex_of(colour(tenth, (0.02, 0.1))) == SHADES[-1]

    @given(any_ends(), any_ends())
    def test_the_wider_the_bluer(self, one: Ends, other: Ends) -> None:
        spans = [ends[1] - ends[0] + ends[3] - ends[2] for ends in (one, other)]
        narrow, wide = (one, other) if spans[0] <= spans[1] else (other, one)
        assert bluer(colour(narrow, SPAN)) <= bluer(colour(wide, SPAN)) + 2e-3 + 1e-9


class TestLit:
    LIT = Trapezoids(0, (MIDDLE, NARROW, WIDE), lit=(False, False, True))

    def test_what_is_lit_lies_in_front_with_an_outline_and_the_rest_is_pale(self) -> None:
        drawn = collection_of(draw(scene(self.LIT)).axes[0])
        colors = [hex_of(face) for face in drawn.get_facecolor()]
        widths = np.asarray(drawn.get_linewidth()).tolist()
        ground = colors.index("#ffffff")
        assert set(colors[:ground]) == {PALE}
        assert set(colors[ground + 1 :]) == {SHADES[-1]}
        assert widths[ground] > 1
        assert set(widths[:ground] + widths[ground + 1 :]) == {0.0}


class TestStrands:
    def lines(self, mark: Strands) -> tuple[list[Any], Any]:
        (drawn,) = draw(scene(mark)).axes[0].collections
        assert isinstance(drawn, LineCollection)
        segments = [np.asarray(line).tolist() for line in drawn.get_segments()]
        return segments, np.asarray(drawn.get_colors())

    def test_a_line_goes_from_axis_to_axis_and_coinciding_ones_are_darker(self) -> None:
        found, colors = self.lines(Strands(0, ((0.5, 0.25), (0.1, 0.9), (0.5, 0.25))))
        assert found == [[[0, 0.1], [1, 0.9]], [[0, 0.5], [1, 0.25]]]
        assert colors[1, 3] > colors[0, 3]

    def test_what_is_lit_lies_in_front(self) -> None:
        found, colors = self.lines(Strands(0, ((0.1, 0.9), (0.5, 0.25)), (True, False)))
        assert found[1] == [[0, 0.1], [1, 0.9]]
        assert [hex_of(color) for color in colors] == [PALE, SHADES[0]]


class TestUprights:
    AXES = (AGE, SEX, AGE, ILL)

    @pytest.mark.parametrize("given", [False, True], ids=["a new figure", "given axes"])
    def test_a_badge_does_not_shorten_the_axes(self, given: bool) -> None:
        def tall(apart: bool) -> float:
            figure = Figure(figsize=(5, 3))
            ax = figure.add_subplot() if given else None
            marked = replace(SEX, apart=apart)
            drawn = draw(scene(Trapezoids(0, (WIDE,)), axes=(AGE, marked)), ax)
            drawn.draw_without_rendering()
            low, high = drawn.axes[0].transData.transform([(0, 0), (0, 1)])[:, 1]
            return float(high - low)

        assert tall(apart=True) == tall(apart=False)

    def test_names_ends_and_levels_are_written_and_a_secret_is_named_so(self) -> None:
        figure = draw(scene(axes=self.AXES))
        assert sorted(words_of(figure)) == sorted(
            ["age", "20", "90"] * 2
            + ["sex", "f", "m", "illness", "sensitive"]
            # the levels of the last
            + ["asthma", "flu", "HIV"]
        )

    def test_a_sensitive_axis_is_a_double_line(self) -> None:
        ax = draw(scene(axes=self.AXES)).axes[0]
        whole = [
            line for line in ax.lines if line.get_marker() == "None" and line.get_linestyle() == "-"
        ]
        assert [float(np.asarray(line.get_xdata())[0]) for line in whole] == [0, 1, 2, 3, 3]
        assert whole[-1].get_color() == "white"
        assert whole[-1].get_linewidth() < whole[-2].get_linewidth()

    def test_round_numbers_stand_beside_an_axis_that_has_a_scale(self) -> None:
        axis = Upright("age", ("20", "90"), scale=(20.0, 90.0))
        figure = draw(scene(axes=(axis, SEX, axis)))
        numbers = [text for text in texts_of(figure) if text.get_text() in {"40", "60", "80"}]
        assert [text.get_text() for text in numbers] == ["40", "60", "80"] * 2
        assert [round(text.xy[1], 3) for text in numbers] == [0.286, 0.571, 0.857] * 2
        (first, *_) = numbers
        assert first.get_horizontalalignment() == "right", "outside of the first axis"

    def test_numbers_that_do_not_fit_are_left_out_and_never_cut(self) -> None:
        axis = Upright("x", ("a", "b"), scale=(1.111e-5, 1.112e-5))
        figure = draw(scene(axes=(axis, axis, axis)), size=(2.0, 3.0))
        assert not [word for word in words_of(figure) if "…" in word and "e-" in word]


LONG = tuple((0.1 + 0.2 * i, f"gestational diabetes mellitus of kind {i}") for i in range(5))
MANY = tuple(((i + 0.5) / 60, f"ward {i}") for i in range(60))
CASES: dict[str, tuple[Upright, ...]] = {
    "two": (AGE, SEX),
    "long levels": (Upright("a", levels=LONG), Upright("b", levels=LONG), AGE, ILL),
    "many levels": (Upright("a", levels=MANY), Upright("b", levels=MANY), AGE),
    "long names": tuple(Upright(f"a_name_without_any_space_{i}" * 3, ("0", "1")) for i in range(6)),
    "seven": (AGE, SEX, AGE, Upright("b", levels=LONG), AGE, SEX, ILL),
    "scales": (Upright("a", ("-0.5", "1234567"), scale=(-0.5, 1234567.0)), SEX) * 3,
    "long ends": tuple(Upright("x", ("-1.234567e+300", "1.234567e+300")) for _ in range(5)),
}


@pytest.mark.parametrize(
    ("name", "size"),
    [*((name, None) for name in CASES), ("many levels", (12.0, 6.0))]
    + [(name, (3.0, 2.5)) for name in ("two", "long levels", "long names")],
    ids=str,
)
def test_no_word_lies_over_another_or_outside_of_the_figure(
    name: str, size: tuple[float, float] | None
) -> None:
    figure = draw(scene(axes=CASES[name], notes=("k = 5",)), size=size)
    figure.draw_without_rendering()
    found = [(text.get_text(), text.get_window_extent()) for text in texts_of(figure)]
    width, height = figure.bbox.size
    for i, (word, box) in enumerate(found):
        assert box.x0 >= -1, word
        assert box.x1 <= width + 1, word
        assert box.y0 >= -1, word
        assert box.y1 <= height + 1, word
        for other, beside in found[:i]:
            within = min(box.y1, beside.y1) - max(box.y0, beside.y0)
            across = min(box.x1, beside.x1) - max(box.x0, beside.x0)
            # letters do not fill their boxes
            assert within < 3 * figure.dpi / 72 or across < 1, (word, other)


def test_many_levels_are_thinned_but_all_have_a_tick() -> None:
    figure = draw(scene(axes=(Upright("a", levels=MANY), AGE)))
    named = [word for word in words_of(figure) if word.startswith("ward")]
    assert 10 < len(named) < 60
    assert {"ward 0", "ward 59"} <= set(named)
    (ticks,) = (line for line in figure.axes[0].lines if line.get_marker() == "_")
    assert len(np.asarray(ticks.get_xdata())) == 60


@given(st.lists(st.tuples(st.floats(0, 1), st.text(max_size=3)), max_size=30), st.floats(0.01, 0.5))
def test_levels_that_are_named_have_room(levels: list[tuple[float, str]], least: float) -> None:
    kept = named_levels(levels, least)
    places = [place for place, _ in kept]
    assert set(kept) <= set(levels)
    assert all(b - a >= least for a, b in pairwise(places))
    if levels:
        assert kept[0] == min(levels)
    if levels and max(levels)[0] - min(levels)[0] >= 2 * least:
        assert kept[-1] == max(levels)


def test_words_stay_on_given_axes_and_beside_other_panels() -> None:
    figure = Figure(figsize=(12, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    panel = scene(Trapezoids(0, (WIDE,))).panels[0]
    assert draw(Scene((panel, panel)), [left, right]) is figure
    assert {"age", "sex", "f", "m"} <= {text.get_text() for text in right.texts}


@pytest.mark.slow
def test_a_picture_of_many_wide_clusters_is_no_large_file_and_always_the_same() -> None:
    ends = tuple((i / 1000, 0.6 + i / 1000, 0.3 - i / 1000, 0.9 - i / 1000) for i in range(300))
    crowded = scene(*(Trapezoids(gap, ends) for gap in range(5)), axes=(AGE,) * 6)
    first = figure_bytes(crowded, ".svg")
    assert len(first) < 3_000_000
    assert figure_bytes(crowded, ".svg") == first
    assert b"<dc:date" not in first


def test_clusters_in_another_order_are_the_same_picture() -> None:
    ends = (WIDE, NARROW, MIDDLE)
    one, other = (draw(scene(Trapezoids(0, found))) for found in (ends, ends[::-1]))
    assert content(one, ".png", dpi=50) == content(other, ".png", dpi=50)
