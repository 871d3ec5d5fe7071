"""Parallel coordinates in Chromium: what lights up, what moves, what the keys and an SVG do."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pytest

from discreet.plots import Origin, ParallelAxis, ParallelView
from discreet.render.scene import Axis, Panel, Scene, Strands, Trapezoids, Upright, Uprights
from tests.browser import launched
from tests.render.quiet import scene_drawn

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

LEVELS = ParallelAxis("sex", "categorical", levels=("f", "m"), bands=((0, 50), (50, 100)))
SECRET = replace(LEVELS, name="ill", levels=("no", "yes"), sensitive=True)
AXES = (
    ParallelAxis("age", "continuous", 19.5, 90.5, whole=True),
    LEVELS,
    ParallelAxis("bmi", "continuous", 15.0, 47.5),
    SECRET,
)
MOVES = [
    {"from": 0, "to": 1, "allowed": True, "why": ""},
    {"from": 0, "to": 2, "allowed": False, "why": "age and bmi are shown already"},
    {"from": 1, "to": 0, "allowed": True, "why": ""},
]
NO = Axis("")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser for all tests of this module."""
    with launched() as found:
        yield found


def view(seed: int = 1, **changes: Any) -> ParallelView:
    """Make clusters and joins at random over four axes of 100 pixels."""
    chance = random.Random(seed)

    def interval(axis: ParallelAxis) -> tuple[int, int]:
        if axis.bands:
            return chance.choice([(0, 50), (50, 100), (0, 100)])
        low = chance.randrange(90)
        return low, chance.randrange(low + 1, min(low + 30, 100) + 1)

    gaps = []
    for gap in range(3):
        boxes = {interval(AXES[gap]) + interval(AXES[gap + 1]) for _ in range(9)}
        gaps.append(tuple(sorted(boxes)))
    joins = tuple(
        tuple(sorted({(chance.randrange(len(a)), chance.randrange(len(b))) for _ in range(12)}))
        for a, b in pairwise(gaps)
    )
    plain = ParallelView(
        columns=tuple(axis.name for axis in AXES),
        method="whole",
        parameters=MappingProxyType({"k": 5, "pixels": 100}),
        suppressed=None,
        origin=Origin("standard", "guarded", False, "s", None, 0, "persons"),
        axes=AXES,
        pixels=100,
        clusters=tuple(gaps),
        joins=joins,
    )
    return replace(plain, **changes)


def lit_in(page: Page) -> set[tuple[int, int]]:
    """Read which clusters are lit."""
    words = page.locator(".discreet-parallel").get_attribute("data-lit") or ""
    return {(int(gap), int(cluster)) for gap, cluster in re.findall(r"(\d+):(\d+)", words)}


def said_in(page: Page) -> str:
    """Read what a screen reader is told."""
    return page.locator(".discreet-live").text_content() or ""


def calls_in(page: Page) -> Any:
    """Read what the page was told."""
    return page.evaluate("calls")


def settled(page: Page) -> None:
    """Wait until the axes have slid back to where they were."""
    page.wait_for_function(
        "[...document.querySelectorAll('.discreet-stage canvas')]"
        ".every((canvas) => !canvas.style.transform)"
    )


class TestLit:
    @pytest.mark.parametrize("seed", [1, 2])
    def test_all_clusters_light_what_python_says(self, browser: Browser, seed: int) -> None:
        shown = view(seed)
        with scene_drawn(browser, shown.scene()) as page:
            for gap, clusters in enumerate(shown.clusters):
                for cluster in range(len(clusters)):
                    told = page.evaluate(f"drawing.light({gap}, {cluster})")
                    assert {tuple(one) for one in told} == shown.lit(gap, cluster)
                    assert lit_in(page) == shown.lit(gap, cluster)
            page.evaluate("drawing.light()")
            assert lit_in(page) == set()

    def test_a_pointer_lights_the_narrowest_cluster_below_it(self, browser: Browser) -> None:
        shown = view(3)
        chance = random.Random(5)
        hits = 0
        with scene_drawn(browser, shown.scene()) as page:
            boxes = [one.bounding_box() for one in page.locator(".discreet-pick").all()]
            for _ in range(60):
                gap, across, up = chance.randrange(3), chance.random(), chance.random()
                box = boxes[gap]
                assert box is not None
                # the pick reaches six pixels above and below the axes
                tall = box["height"] - 12
                x, y = box["x"] + across * box["width"], box["y"] + 6 + (1 - up) * tall
                found = at(shown, gap, across, up, tall)
                if found is None:
                    continue
                page.mouse.move(x, y)
                assert lit_in(page) == (shown.lit(gap, found) if found >= 0 else set())
                hits += found >= 0
            page.mouse.move(1, 1)
            assert lit_in(page) == set()
        assert hits > 15

    def test_what_is_lit_is_told_in_words_and_the_rest_is_dimmed(self, browser: Browser) -> None:
        boxes = (((0, 30, 0, 50), (20, 40, 50, 100)), ((0, 50, 10, 20),), ((10, 20, 0, 100),))
        shown = view(clusters=boxes, joins=(((0, 0),), ((0, 0),)))
        with scene_drawn(browser, shown.scene()) as page:
            page.evaluate("drawing.light(1, 0)")
            assert said_in(page) == (
                "lit: sex: f, bmi: 18.3 to 21.5;"
                " joined to 1 between age and sex and 1 between bmi and ill"
            )
            tip = page.locator(".discreet-tip")
            assert tip.is_visible()
            assert tip.locator("p").all_inner_texts() == ["sex: f", "bmi: 18.3 to 21.5"]
            assert page.locator(".discreet-base.discreet-dimmed").count() == 1
            page.evaluate("drawing.light(0, 0)")
            assert said_in(page).startswith("lit: age: 20 to 40, sex: f;")
            page.evaluate("drawing.light(0, 99)")
            assert (said_in(page), lit_in(page)) == ("", set())
            assert not tip.is_visible()

    def test_strands_light_up_too(self, browser: Browser) -> None:
        one, other = Upright("a", ("0", "1"), scale=(0.0, 1.0)), Upright("b", ("0", "1"))
        gaps = (
            Strands(0, ((0.1, 0.9), (0.9, 0.9)), None, ((0, 1), (1, 0))),
            Strands(1, ((0.9, 0.5), (0.9, 0.1))),
        )
        scene = Scene((Panel((Uprights((one, other, one)), *gaps), NO, NO),))
        with scene_drawn(browser, scene) as page:
            box = page.locator(".discreet-pick").first.bounding_box()
            assert box is not None
            page.mouse.move(box["x"] + 5, box["y"] + 0.88 * box["height"])
            assert lit_in(page) == {(0, 0), (1, 1)}


def at(shown: ParallelView, gap: int, across: float, up: float, tall: float) -> int | None:
    """Find by hand the narrowest cluster at a place; -1 if all are far, None near an edge."""
    left, right = shown.axes[gap : gap + 2]
    best, width, near = -1, 9.0, 8 / tall
    for number, (a, b, c, d) in enumerate(shown.clusters[gap]):
        (p, q), (r, s) = left.place(a, b, 100), right.place(c, d, 100)
        low, high = p + across * (r - p), q + across * (s - q)
        if abs(low - up) < near or abs(high - up) < near:
            return None
        if low < up < high and q - p + s - r < width - 1e-9:
            best, width = number, q - p + s - r
    return best


class TestKeys:
    def test_arrows_walk_from_top_to_bottom_and_escape_ends_it(self, browser: Browser) -> None:
        boxes = (((0, 10, 0, 50), (40, 50, 0, 50), (80, 90, 0, 50)), (), ())
        shown = view(clusters=boxes, joins=((), ()))
        with scene_drawn(browser, shown.scene()) as page:
            page.keyboard.press("Tab")
            walked = []
            for key in ("Down", "Down", "Down", "Down", "Up"):
                page.keyboard.press(f"Arrow{key}")
                walked.append(lit_in(page))
            assert walked == [{(0, 2)}, {(0, 1)}, {(0, 0)}, {(0, 0)}, {(0, 1)}]
            assert said_in(page) == "lit: age: 48 to 55, sex: f"
            page.keyboard.press("End")
            assert lit_in(page) == {(0, 0)}
            page.keyboard.press("Escape")
            assert lit_in(page) == set()

    def test_right_goes_to_the_next_gap_and_a_bare_gap_says_so(self, browser: Browser) -> None:
        boxes = (((0, 10, 0, 50),), (), ((0, 10, 0, 50),))
        shown = view(clusters=boxes, joins=((), ()))
        with scene_drawn(browser, shown.scene()) as page:
            page.keyboard.press("Tab")
            page.keyboard.press("ArrowUp")
            page.keyboard.press("ArrowRight")
            focused = page.evaluate("document.activeElement.getAttribute('aria-label')")
            assert focused == "clusters between sex and bmi: nothing is shown"
            page.keyboard.press("ArrowDown")
            assert lit_in(page) == set()

    def test_arrows_at_a_header_move_the_axis(self, browser: Browser) -> None:
        with scene_drawn(browser, view().scene(), {"moves": MOVES}) as page:
            heads = page.get_by_role("button")
            assert heads.all()[3].get_attribute("aria-label") == (
                "ill, sensitive, axis 4 of 4; left and right arrow keys move it"
            )
            heads.first.press("ArrowLeft")
            assert said_in(page) == "the axis is at the end"
            heads.first.press("ArrowRight")
            assert said_in(page) == "age moves to place 2 of 4"
            heads.nth(1).press("ArrowRight")
            assert said_in(page) == "sex may not stand there"
            assert calls_in(page) == [["order", 0, 1], ["refused", ""]]


def drag(page: Page, axis: int, to: float, *, drop: bool = True) -> None:
    """Drag an axis to a place, counted in gaps from the first axis."""
    heads = [one.bounding_box() for one in page.locator(".discreet-handle").all()]
    xs = [box["x"] + box["width"] / 2 for box in heads if box is not None]
    page.mouse.move(xs[axis], heads[axis]["y"] + 30)  # type: ignore[index]
    page.mouse.down()
    page.mouse.move(xs[0] + to * (xs[1] - xs[0]), heads[axis]["y"] + 30, steps=5)  # type: ignore[index]
    if drop:
        page.mouse.up()


class TestDrag:
    def test_an_axis_is_dropped_where_it_may_stand(self, browser: Browser) -> None:
        with scene_drawn(browser, view().scene(), {"moves": MOVES}) as page:
            drag(page, 0, 1.4)
            settled(page)
            assert calls_in(page) == [["order", 0, 1]]
            assert page.evaluate("drawing.order()") == [0, 1, 2, 3]

    def test_at_a_closed_place_it_is_refused_with_the_reason(self, browser: Browser) -> None:
        with scene_drawn(browser, view().scene(), {"moves": MOVES}) as page:
            drag(page, 0, 2.4)
            settled(page)
            why = "age and bmi are shown already"
            assert calls_in(page) == [["refused", why]]
            assert said_in(page) == f"age may not stand there: {why}"

    def test_places_look_open_or_closed_while_it_is_dragged(self, browser: Browser) -> None:
        with scene_drawn(browser, view().scene(), {"moves": MOVES}) as page:
            drag(page, 0, 2.4, drop=False)
            looks = {
                int(slot.get_attribute("data-to") or -1): slot.get_attribute("class")
                for slot in page.locator(".discreet-slot").all()
            }
            assert looks == {
                1: "discreet-slot",
                2: "discreet-slot discreet-closed discreet-aimed",
                3: "discreet-slot discreet-closed",
            }
            page.mouse.up()
            assert page.locator(".discreet-slot").count() == 0

    def test_gaps_beside_the_axis_are_stretched_and_no_other(self, browser: Browser) -> None:
        with scene_drawn(browser, view().scene()) as page:
            drag(page, 1, 1.5, drop=False)
            looks = [one.get_attribute("style") for one in page.locator(".discreet-gap").all()]
            scales = [re.findall(r"scaleX\(([\d.]+)\)", look or "") for look in looks]
            assert [float(scale[0]) for scale in scales if scale] == pytest.approx([1.5, 0.5], 0.01)
            assert scales[2] == []
            page.mouse.up()

    def test_a_short_way_is_no_move(self, browser: Browser) -> None:
        with scene_drawn(browser, view().scene()) as page:
            drag(page, 1, 1.2)
            settled(page)
            assert calls_in(page) == []

    def test_where_nobody_listens_the_axes_do_not_ask_to_be_moved(self, browser: Browser) -> None:
        with scene_drawn(browser, view().scene(), {"onOrder": None}) as page:
            assert page.locator("button.discreet-axis").count() == 0
            labels = [it.get_attribute("aria-label") for it in page.locator(".discreet-axis").all()]
            assert labels[-1] == "ill, sensitive, axis 4 of 4"
            for grip in (".discreet-axis", ".discreet-handle"):
                look = "it => getComputedStyle(it).cursor"
                assert page.locator(grip).first.evaluate(look) == "default"
            drag(page, 1, 2.3)
            assert page.locator(".discreet-slot").count() == 0
            assert calls_in(page) == []

    def test_a_finger_scrolls_the_page_wherever_it_starts(self, browser: Browser) -> None:
        with scene_drawn(browser, view().scene()) as page:
            looks = "it => getComputedStyle(it).touchAction"
            for name in (".discreet-axis", ".discreet-handle"):
                assert page.locator(name).first.evaluate(looks) == "pan-y pinch-zoom"
            assert page.locator(".discreet-stage").evaluate(looks) == "manipulation"

    def test_a_finger_that_scrolls_lights_nothing(self, browser: Browser) -> None:
        with scene_drawn(browser, view().scene()) as page:
            stage = page.locator(".discreet-stage")
            box = stage.bounding_box()
            assert box is not None
            x, y = box["x"] + box["width"] / 6, box["y"] + box["height"] / 2
            touch = {"clientX": x, "clientY": y, "pointerType": "touch", "pointerId": 7}
            stage.dispatch_event("pointerdown", touch)
            assert page.locator(".discreet-parallel").get_attribute("data-lit")
            stage.dispatch_event("pointercancel", touch)
            assert page.locator(".discreet-parallel").get_attribute("data-lit") == ""

    def test_there_is_nothing_to_scroll_to_beyond_the_last_axis(self, browser: Browser) -> None:
        for width in (360, 1000):
            with scene_drawn(
                browser, view().scene(), viewport={"width": width, "height": 800}
            ) as page:
                wide = "it => [it.scrollWidth, it.firstElementChild.offsetWidth]"
                scrolls, stage = page.locator(".discreet-frame").evaluate(wide)
                assert scrolls <= stage + 1

    def test_all_places_are_open_where_nothing_is_said_of_them(self, browser: Browser) -> None:
        with scene_drawn(browser, view().scene()) as page:
            drag(page, 3, -0.2)
            settled(page)
            assert calls_in(page) == [["order", 3, 0]]


def polygons(svg: str) -> list[list[tuple[float, float]]]:
    """Read the closed shapes of an SVG."""
    return [
        [(float(x), float(y)) for x, y in re.findall(r"[ML](-?[\d.]+),(-?[\d.]+)", path)]
        for path in re.findall(r'<path d="([^"]+)Z"', svg)
    ]


class TestSvg:
    def test_it_holds_one_trapezoid_for_each_cluster_where_it_belongs(
        self, browser: Browser
    ) -> None:
        shown = view(4).flat()
        with scene_drawn(browser, shown.scene()) as page:
            svg = page.evaluate("drawing.svg()")
        # flat clusters are filled, and outlined by a second path of the same corners
        drawn = [*dict.fromkeys(map(tuple, polygons(svg)))]
        xs = sorted({x for corners in drawn for x, _ in corners})
        assert len(xs) == 4
        top, foot = frame_of(svg, xs[0])
        expected = set()
        for mark in shown.scene().panels[0].marks:
            if isinstance(mark, Trapezoids):
                left, right = xs[mark.gap : mark.gap + 2]
                for a, b, c, d in mark.ends:
                    places = ((left, a), (left, b), (right, d), (right, c))
                    expected.add(tuple((x, round(foot - y * (foot - top))) for x, y in places))
        found = {tuple((x, round(y)) for x, y in corners) for corners in drawn}
        assert len(drawn) == sum(map(len, shown.clusters))
        assert close(found, expected)

    def test_fading_ones_hold_the_whole_trapezoid_and_layers_within(self, browser: Browser) -> None:
        with scene_drawn(browser, view(4).flat().scene()) as page:
            flat = page.evaluate("drawing.svg()")
        with scene_drawn(browser, view(4).scene()) as page:
            fuzzy = page.evaluate("drawing.svg()")
        whole = set(map(tuple, polygons(flat)))
        assert whole <= set(map(tuple, polygons(fuzzy)))
        assert len(polygons(fuzzy)) > len(whole)

    def test_names_stand_in_it_and_a_bare_gap_says_so(self, browser: Browser) -> None:
        shown = view(clusters=((), (), ()), joins=((), ()))
        with scene_drawn(browser, shown.scene()) as page:
            svg = page.evaluate("drawing.svg()")
        texts = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
        assert {"age", "sex", "bmi", "ill", "sensitive", "20", "90", "15", "47.5"} <= set(texts)
        assert {"f", "m", "no", "yes", "40", "60", "80"} <= set(texts), "levels, round numbers"
        assert texts.count("nothing is shown") == 3

    def test_a_png_is_made(self, browser: Browser) -> None:
        with scene_drawn(browser, view().scene()) as page:
            head = page.evaluate(
                "drawing.png().then((blob) => blob.arrayBuffer())"
                ".then((bytes) => [...new Uint8Array(bytes, 1, 3)])"
            )
        assert bytes(head) == b"PNG"


def frame_of(svg: str, x: float) -> tuple[float, float]:
    """Read from where to where an axis goes."""
    ways = re.findall(rf'd="M{x:g},([\d.]+)L{x:g},([\d.]+)"', svg)
    top, foot = max(((float(a), float(b)) for a, b in ways), key=lambda ends: ends[1] - ends[0])
    return top, foot


def close(found: set[Any], expected: set[Any]) -> bool:
    """Say whether all shapes have a twin whose corners are a pixel away at most."""

    def alike(one: Any, other: Any) -> bool:
        return all(p == r and abs(q - s) <= 1.5 for (p, q), (r, s) in zip(one, other, strict=True))

    return all(any(alike(one, other) for other in expected) for one in found) and all(
        any(alike(one, other) for one in found) for other in expected
    )


class TestPage:
    def test_tables_tell_the_ends_of_each_cluster(self, browser: Browser) -> None:
        boxes = (((0, 30, 0, 50), (20, 40, 0, 100)), (), ((10, 20, 50, 100),))
        shown = view(clusters=boxes, joins=((), ()))
        with scene_drawn(browser, shown.scene()) as page:
            told = page.evaluate(
                "drawing.table().map((t) => [t.caption.textContent,"
                " ...[...t.rows].map((r) => [...r.cells].map((c) => c.textContent))])"
            )
        assert told == [
            [
                "Clusters between age and sex",
                ["age, from", "age, to", "sex, from", "sex, to"],
                ["20", "40", "f", "f"],
                ["34", "47", "f", "m"],
            ],
            [
                "Clusters between sex and bmi: nothing is shown",
                ["sex, from", "sex, to", "bmi, from", "bmi, to"],
            ],
            [
                "Clusters between bmi and ill",
                ["bmi, from", "bmi, to", "ill, from", "ill, to"],
                ["18.3", "21.5", "yes", "yes"],
            ],
        ]

    @pytest.mark.parametrize("width", [390, 1280, 2560])
    def test_it_scrolls_within_its_frame_and_never_the_page(
        self, browser: Browser, width: int
    ) -> None:
        axes = AXES + tuple(replace(AXES[0], name=f"a long name {i}") for i in range(3))
        shown = view(
            axes=axes,
            columns=tuple(axis.name for axis in axes),
            clusters=(((0, 10, 0, 50),), (), (), (), (), ()),
            joins=((),) * 5,
        )
        size = {"width": width, "height": 700}
        with scene_drawn(browser, shown.scene(), viewport=size) as page:
            wide = page.evaluate("document.documentElement.scrollWidth")
            inner = page.locator(".discreet-stage").bounding_box()
            assert wide <= width
            assert inner is not None
            assert (inner["width"] > width) == (width == 390)
            heads = [one.bounding_box() for one in page.locator(".discreet-axis").all()]
            assert min(box["width"] for box in heads if box is not None) > 70

    def test_bitmaps_are_as_fine_as_the_screen(self, browser: Browser) -> None:
        with scene_drawn(browser, view().scene(), device_scale_factor=2) as page:
            widths = page.evaluate(
                "[...document.querySelectorAll('.discreet-gap')]"
                ".map((c) => c.width / c.getBoundingClientRect().width)"
            )
        assert widths == pytest.approx([2, 2, 2], abs=0.01)

    def test_another_scheme_is_drawn_in_its_colours(self, browser: Browser) -> None:
        pixel = (
            "(() => { const c = document.querySelectorAll('.discreet-upright')[0];"
            " const w = c.width, d = c.getContext('2d').getImageData(w / 2, c.height / 2, 1, 1);"
            " return d.data[0]; })()"
        )
        with scene_drawn(browser, view().scene(), color_scheme="light") as page:
            assert page.evaluate(pixel) < 100
            page.emulate_media(color_scheme="dark")
            page.wait_for_function(f"{pixel} > 150")

    def test_after_destroy_nothing_is_left(self, browser: Browser) -> None:
        with scene_drawn(browser, view().scene()) as page:
            page.evaluate("drawing.destroy()")
            assert page.locator(".discreet-parallel").count() == 0

    def test_a_scene_that_lights_some_is_drawn_so(self, browser: Browser) -> None:
        with scene_drawn(browser, view(2).select(1, 0).scene()) as page:
            svg = page.evaluate("drawing.svg()")
        assert "#d3d7dd" in svg, "the pale colour of those that are not lit"


def test_scenes_carry_the_joins_of_the_view() -> None:
    shown = view(6)
    marks = [m for m in shown.scene().panels[0].marks if isinstance(m, Trapezoids)]

    assert [mark.joins for mark in marks] == [*shown.joins, ()]
    assert json.dumps(marks[0].joins)
