"""Parallel coordinates: boxes between axes, what lights up together, and what is said below."""

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.plots import Origin, ParallelAxis, ParallelView, View
from discreet.render.scene import Strands, Upright, Uprights

RESEARCH = Origin("research", "research", False, "s", None, 0, "records")
GUARDED = Origin("standard", "guarded", False, "s", None, 0, "persons")

AGE = ParallelAxis("age", "continuous", 20.0, 90.0)
SEX = ParallelAxis("sex", "categorical", levels=("f", "m"), bands=((0, 50), (50, 100)))
BMI = ParallelAxis("bmi", "continuous", 15, 47.5)
ILL = ParallelAxis("ill", "categorical", None, None, ("no", "yes"), ((0, 50), (50, 100)), True)

# Three gaps; cluster 1 of the middle one joins 0 and 2 on the left, and 1 on the right.
CLUSTERS: Any = (
    ((0, 10, 0, 50), (0, 20, 50, 100), (80, 100, 0, 50)),
    ((0, 50, 0, 30), (0, 50, 20, 40)),
    ((0, 30, 0, 100), (25, 40, 0, 100)),
)
JOINS: Any = (((0, 1), (1, 0), (2, 1)), ((0, 0), (1, 1)))


def view(**changes: Any) -> ParallelView:
    """Stand four axes of 100 pixels side by side."""
    given: dict[str, Any] = {
        "columns": ("age", "sex", "bmi", "ill"),
        "method": "whole",
        "parameters": MappingProxyType({"k": 5, "pixels": 100}),
        "suppressed": None,
        "origin": GUARDED,
        "axes": (AGE, SEX, BMI, ILL),
        "pixels": 100,
        "clusters": CLUSTERS,
        "joins": JOINS,
    }
    return ParallelView(**given | changes)


def marks_of(drawn: ParallelView) -> tuple[Uprights, list[Any]]:
    (panel,) = drawn.scene().panels
    first, *rest = panel.marks
    assert isinstance(first, Uprights)
    return first, rest


class TestScene:
    def test_an_upright_for_each_axis_with_its_ends_or_levels(self) -> None:
        uprights, _ = marks_of(view())
        assert uprights.axes == (
            Upright("age", ("20", "90"), scale=(20.0, 90.0)),
            Upright("sex", None, ((0.25, "f"), (0.75, "m"))),
            Upright("bmi", ("15", "47.5"), scale=(15, 47.5)),
            Upright("ill", None, ((0.25, "no"), (0.75, "yes")), apart=True),
        )

    def test_trapezoids_for_each_gap_as_parts_of_the_axes(self) -> None:
        _, gaps = marks_of(view())
        # a level of 50 pixels is drawn as 3 in its middle
        level = (0.235, 0.265)
        assert gaps[1].ends == ((*level, 0.0, 0.3), (*level, 0.2, 0.4))
        assert len({gap.span for gap in gaps}) == 1, "colours are those of the whole picture"
        assert gaps[2].ends[0] == (0.0, 0.3, 0.235, 0.765), "both levels, and what lies between"
        assert [gap.gap for gap in gaps] == [0, 1, 2]
        assert all(gap.fuzzy and gap.lit is None for gap in gaps)

    def test_flat_clusters_have_no_gradient_and_all_else_is_the_same(self) -> None:
        _, gaps = marks_of(view().flat())
        assert not any(gap.fuzzy for gap in gaps)
        assert replace(view().flat(), fuzzy=True) == view()

    def test_what_is_selected_and_its_joins_are_lit(self) -> None:
        _, gaps = marks_of(view().select(1, 1))
        assert [gap.lit for gap in gaps] == [(True, False, True), (False, True), (False, True)]

    def test_single_records_are_strands_between_the_middles_of_pixels(self) -> None:
        records = (((0, 1, 99, 100), (4, 5, 49, 50)),)
        _, (strands,) = marks_of(
            view(
                columns=("age", "bmi"),
                axes=(AGE, BMI),
                method="none",
                origin=RESEARCH,
                clusters=records,
                joins=(),
            )
        )
        assert strands == Strands(0, ((0.005, 0.995), (0.045, 0.495)))

    @pytest.mark.parametrize(
        ("low", "high", "drawn"),
        [
            (0, 10, (0.035, 0.065)),
            (0, 20, (0.035, 0.165)),
            (10, 20, (0.135, 0.165)),
            (20, 22, (0.205, 0.215)),  # narrow bands are drawn a pixel high
            (50, 51, (0.5, 0.51)),  # one pixel stays one pixel
            (30, 40, (0.3, 0.4)),  # where there is no level, pixels are drawn as they are
        ],
    )
    def test_a_level_is_drawn_as_a_piece_of_its_band(
        self, low: int, high: int, drawn: tuple[float, float]
    ) -> None:
        bands = ((0, 10), (10, 20), (20, 22), (50, 51))
        axis = ParallelAxis("x", "categorical", levels=("a", "b", "c", "d"), bands=bands)
        assert axis.place(low, high, 100) == pytest.approx(drawn)

    def test_an_axis_of_one_number_has_no_scale(self) -> None:
        assert ParallelAxis("x", "continuous", 5.0, 5.0).upright(100).scale is None
        assert ParallelAxis("x", "continuous", 18.5, 78.5, whole=True).upright(9).scale == (
            18.5,
            78.5,
        )


class TestLit:
    @pytest.mark.parametrize(
        ("gap", "cluster", "lit"),
        [
            (0, 0, {(0, 0), (1, 1)}),
            (0, 1, {(0, 1), (1, 0)}),
            (1, 1, {(1, 1), (0, 0), (0, 2), (2, 1)}),
            (1, 0, {(1, 0), (0, 1), (2, 0)}),
            (2, 1, {(2, 1), (1, 1)}),
        ],
    )
    def test_a_cluster_lights_itself_and_its_neighbours_alone(
        self, gap: int, cluster: int, lit: set[tuple[int, int]]
    ) -> None:
        assert view().lit(gap, cluster) == lit

    @pytest.mark.parametrize("place", [(3, 0), (0, 3), (-1, 0), (0, -1), (True, 0)])
    def test_a_cluster_that_there_is_not_is_refused(self, place: Any) -> None:
        with pytest.raises(InputError, match="named by its gap and its place in the gap"):
            view().lit(*place)
        with pytest.raises(InputError, match="named by its gap and its place in the gap"):
            view().select(*place)


class TestNotes:
    def test_they_say_how_it_was_made_and_what_the_colours_mean(self) -> None:
        assert view().scene().notes == (
            "parallel coordinates of age, sex, bmi and ill: whole (k = 5, pixels = 100),"
            " policy standard",
            "a shape is a cluster of rows of the copy, from where they are on one axis to where"
            " they are on the next",
            "blue: wide, orange: narrow clusters; colour does not show the number of rows of the"
            " copy",
        )


AXIS: dict[str, tuple[dict[str, Any], str]] = {
    "a third kind": ({"kind": "date"}, "'x' is continuous or categorical"),
    "continuous levels": ({"levels": ("a",)}, "'x' is continuous and has no levels"),
    "no high": ({"high": None}, "'x' goes from a finite low to a finite high"),
    "falling": ({"low": 2.0}, "'x' goes from a finite low to a finite high"),
    "endless": ({"high": float("inf")}, "'x' goes from a finite low to a finite high"),
    "not a number": ({"low": float("nan")}, "'x' goes from a finite low to a finite high"),
}
LEVELS: dict[str, tuple[dict[str, Any], str]] = {
    "with a low": ({"low": 0.0}, "'x' has levels, so it has no low and no high"),
    "no levels": ({"levels": (), "bands": ()}, "'x' has different levels, and one at least"),
    "twice the same": ({"levels": ("a", "a")}, "'x' has different levels, and one at least"),
    "a band too few": ({"bands": ((0, 5),)}, "'x' has a band of pixels for each level"),
    "an empty band": ({"bands": ((0, 5), (5, 5))}, "bands of the axis 'x' are pixels that rise"),
    "falling bands": ({"bands": ((5, 9), (0, 5))}, "bands of the axis 'x' are pixels that rise"),
    "below the foot": ({"bands": ((-1, 4), (5, 9))}, "bands of the axis 'x' are pixels that rise"),
}


@pytest.mark.parametrize(("changes", "message"), AXIS.values(), ids=AXIS)
def test_a_continuous_axis_has_finite_ends(changes: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"name": "x", "kind": "continuous", "low": 0.0, "high": 1.0}
    with pytest.raises(InputError, match=message):
        ParallelAxis(**given | changes)


@pytest.mark.parametrize(("changes", "message"), LEVELS.values(), ids=LEVELS)
def test_a_categorical_axis_has_levels_with_bands(changes: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"name": "x", "kind": "categorical", "levels": ("a", "b")}
    with pytest.raises(InputError, match=message):
        ParallelAxis(**given | {"bands": ((0, 5), (5, 9))} | changes)


BOX = "a cluster goes from a low pixel to a higher one, within the axes on both sides"
WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "one axis": (
        {"axes": (AGE,), "columns": ("age",), "clusters": (), "joins": ()},
        "two axes or more",
    ),
    "another name": ({"columns": ("age", "sex", "bmi", "sick")}, "named like the columns"),
    "twice the same": (
        {"columns": ("age", "sex", "bmi", "age"), "axes": (AGE, SEX, BMI, AGE)},
        "each column has one axis",
    ),
    "no pixels": ({"pixels": 0}, "the axes are 1 to 500 pixels high"),
    "one pixel too many": ({"pixels": 501}, "the axes are 1 to 500 pixels high"),
    "bands out of the axes": ({"pixels": 99}, "bands of levels lie within the pixels"),
    "a gap too few": ({"clusters": CLUSTERS[:2]}, "clusters for each gap between two axes"),
    "below the foot": ({"clusters": (((-1, 1, 0, 1),), (), ())}, BOX),
    "above the head": ({"clusters": (((0, 101, 0, 1),), (), ())}, BOX),
    "above the head on the right": ({"clusters": (((0, 1, 0, 101),), (), ())}, BOX),
    "an empty side": ({"clusters": (((5, 5, 0, 1),), (), ())}, BOX),
    "an empty right side": ({"clusters": (((5, 6, 1, 1),), (), ())}, BOX),
    "not sorted": ({"clusters": (((5, 6, 0, 1), (0, 1, 0, 1)), (), ())}, "a gap are sorted"),
    "one box twice": ({"clusters": (((0, 1, 0, 1),) * 2, (), ())}, "the same box are one"),
    "a wide record": ({"method": "none"}, "shown by itself, as 'none' does, is one pixel"),
    "an axis of joins too few": ({"joins": JOINS[:1]}, "joins for each axis between two others"),
    "a join of nobody": ({"joins": (((3, 0),), ())}, "a join names clusters that there are"),
    "a join to nobody": ({"joins": ((), ((0, 2),))}, "a join names clusters that there are"),
    "joins not sorted": ({"joins": (((1, 0), (0, 1)), ())}, "joins of an axis are different"),
    "a join twice": ({"joins": (((0, 1), (0, 1)), ())}, "joins of an axis are different"),
    "sizes where guarded": ({"sizes": ((5, 5, 5), (5, 5), (5, 5))}, "clusters have no sizes"),
    "selected out of place": ({"selected": (0, 3)}, "there is none at that place"),
}


@pytest.mark.parametrize(("changes", "message"), WRONG.values(), ids=WRONG)
def test_what_does_not_fit_together_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        view(**changes)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        (((5, 5), (5, 5), (5, 5)), "clusters have a size each, or none of them has"),
        (((5, 5, 5), (5, 5)), "clusters have a size each, or none of them has"),
        (((5, 5, 0), (5, 5), (5, 5)), "a number of records, 1 or more"),
    ],
)
def test_sizes_are_whole_numbers_one_for_each_cluster(sizes: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        view(origin=RESEARCH, sizes=sizes)


def test_under_research_clusters_have_sizes_and_may_coincide() -> None:
    twice: Any = (((0, 9, 0, 9),) * 2, (), ())
    drawn = view(origin=RESEARCH, clusters=twice, joins=((), ()), sizes=((5, 6), (), ()))
    assert drawn.sizes == ((5, 6), (), ())


# --- JSON -------------------------------------------------------------------------------------

NAMES = st.text(min_size=1, max_size=8)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def any_axis(draws: Callable[..., Any], name: str, pixels: int) -> ParallelAxis:
    sensitive = draws(st.booleans())
    if draws(st.booleans()):
        low, high = sorted((draws(NUMBERS), draws(NUMBERS)))
        return ParallelAxis(name, "continuous", low, high, sensitive=sensitive)
    levels = draws(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    cuts = draws(
        st.lists(st.integers(0, pixels), min_size=2, max_size=len(levels) + 1, unique=True)
    )
    bands = tuple(pairwise(sorted(cuts)))
    names = tuple(levels[: len(bands)])
    return ParallelAxis(name, "categorical", None, None, names, bands, sensitive)


@st.composite
def any_view(draws: Callable[..., Any]) -> ParallelView:
    names = draws(st.lists(NAMES, min_size=2, max_size=5, unique=True))
    pixels = draws(st.integers(4, 500))
    side = st.tuples(st.integers(0, pixels - 1), st.integers(1, pixels)).map(
        lambda pair: (min(pair), max(pair)) if pair[0] != pair[1] else (pair[0] - 1, pair[0])
    )
    boxes = st.sets(st.tuples(side, side).map(lambda two: (*two[0], *two[1])), max_size=5)
    clusters = tuple(tuple(sorted(draws(boxes))) for _ in names[1:])
    joins = tuple(
        tuple(sorted(draws(st.sets(st.sampled_from(pairs), max_size=4)))) if pairs else ()
        for pairs in (
            [(a, b) for a in range(len(before)) for b in range(len(after))]
            for before, after in pairwise(clusters)
        )
    )
    guarded = draws(st.booleans())
    sizes = tuple(tuple(draws(st.integers(1, 99)) for _ in gap) for gap in clusters)
    there = [(gap, c) for gap, found in enumerate(clusters) for c in range(len(found))]
    return ParallelView(
        columns=tuple(names),
        method=draws(st.sampled_from(["k-member", "k-member-joint", "whole"])),
        parameters=MappingProxyType({"k": draws(st.integers(2, 20)), "order": "as given"}),
        suppressed=None,
        origin=GUARDED if guarded else RESEARCH,
        axes=tuple(draws(any_axis(name, pixels)) for name in names),
        pixels=pixels,
        clusters=clusters,
        joins=joins,
        sizes=None if guarded or draws(st.booleans()) else sizes,
        fuzzy=draws(st.booleans()),
        selected=draws(st.none() | st.sampled_from(there)) if there else None,
    )


class TestJson:
    @given(any_view())
    def test_out_and_in_is_exact(self, drawn: ParallelView) -> None:
        text = drawn.to_json()
        again = View.from_json(text)
        assert again == drawn
        assert again.to_json() == text
        assert again.scene() == drawn.scene()

    @given(any_view())
    def test_lighting_is_mutual_and_only_to_the_neighbours(self, drawn: ParallelView) -> None:
        for gap, found in enumerate(drawn.clusters):
            for cluster in range(len(found)):
                lit = drawn.lit(gap, cluster)
                assert (gap, cluster) in lit
                assert {other for other, _ in lit} <= {gap - 1, gap, gap + 1}
                assert {place for place in lit if place[0] == gap} == {(gap, cluster)}
                assert all((gap, cluster) in drawn.lit(*place) for place in lit)

    DAMAGED: tuple[tuple[str, str], ...] = (
        ('"pixels": 100,', '"pixels": "100",'),
        ('"pixels": 100,', '"pixels": NaN,'),
        ('"pixels": 100,', '"pixels": null,'),
        ('"low": 20.0', '"low": 1e999'),
        ('"low": 20.0, ', ""),
        ('"sensitive": true', '"secret": true'),
        (', "sensitive": true', ""),
        ('"sensitive": true', '"sensitive": "no"'),
        ('"levels": ["f", "m"]', '"levels": "fm", "more": 1'),
        ('"bands": [[0, 50], [50, 100]]', '"bands": [0, 50]'),
        ('"joins": [[[0, 1]', '"joins": [[[0, 1e3]'),
        ("[0, 10, 0, 50]", "null"),
        ("[0, 10, 0, 50]", "[0, 10, 0]"),
        ("[0, 10, 0, 50]", "[0, 10, 0, 50.5]"),
        ('"fuzzy": true', '"fuzzy": null'),
        ('"selected": null', '"selected": [0, 99]'),
        ('"sizes": null', '"sizes": []'),
        ('"axes": [', '"axes": [[], '),
    )

    @pytest.mark.parametrize(("good", "bad"), DAMAGED)
    def test_damaged_text_is_refused(self, good: str, bad: str) -> None:
        text = view().to_json()
        assert good in text
        with pytest.raises(InputError, match=r"."):
            View.from_json(text.replace(good, bad, 1))

    WORDS = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=2),
        max_leaves=6,
    )

    @given(
        st.sampled_from(["axes", "pixels", "clusters", "joins", "sizes", "fuzzy", "selected"]),
        WORDS,
    )
    def test_any_other_value_is_taken_as_it_is_or_refused(self, name: str, value: Any) -> None:
        given = json.loads(view().to_json()) | {name: value}
        try:
            read = View.from_plain(given)
        except InputError:
            return
        assert json.loads(read.to_json())[name] == value
