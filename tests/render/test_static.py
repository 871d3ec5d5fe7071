"""The browser's drawing: marks as SVG text, numbers as tables, nothing asked of anybody."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
import struct
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.etree import ElementTree as ET

import pyarrow.compute as pc
import pytest

import discreet as dc
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
    Violin,
    Violins,
    Words,
    scene_to_plain,
)
from discreet.render.to_html import script
from tests.browser import launched

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SVG = "{http://www.w3.org/2000/svg}"
ACCENT, ORANGE, PALE, STRONG = "#4477aa", "#e69f00", "#dbe6f1", "#10202f"
REFERENCE = "#808080"
HIDDEN, HATCHING, AXIS, TREND, RAW = "#f5f5f5", "#999999", "#8c8c8c", "#222222", "#cc3311"
NASTY = "<img src=x onerror=alert(1)> \"q\" & 's' \U0001f600"
PX = 0.11  # an SVG rounds places to a tenth of a pixel, here at both ends

START = """
globalThis.pictures = (scene, options) => {
  globalThis.drawing?.destroy();
  globalThis.drawing = draw(document.getElementById("host"), scene, options);
};
"""


def html(more: str = "") -> str:
    """A page under a strict policy: only this script runs, nothing may be asked of anybody."""
    text = script() + START
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    policy = f"default-src 'none'; script-src 'sha256-{digest}'"
    return (
        f'<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" '
        f'content="{policy}"><title>t</title><main{more}><div id="host"></div></main>'
        f'<script type="module">{text}</script>'
    )


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as found:
        yield found


def open_page(browser: Browser, **how: Any) -> Page:
    page = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **how}).new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text))
    page.on("request", lambda request: wrong.append(request.url))
    page.set_content(html())
    page.wait_for_function("() => Boolean(globalThis.pictures)")
    page.wrong = wrong  # type: ignore[attr-defined]
    return page


@pytest.fixture(scope="module")
def one_page(browser: Browser) -> Page:
    return open_page(browser)


@pytest.fixture
def page(one_page: Page) -> Iterator[Page]:
    """A page that says nothing on its console and asks for nothing."""
    yield one_page
    assert one_page.wrong == []  # type: ignore[attr-defined]


Fields = Mapping[str, str]


@dataclass(frozen=True)
class Drawn:
    """What an SVG holds: of each shape its attributes, and the texts."""

    width: float
    height: float
    shapes: tuple[tuple[str, Fields], ...]
    texts: tuple[tuple[str, Fields], ...]

    def of(self, kind: str, **wanted: str) -> list[Fields]:
        return [
            fields
            for name, fields in self.shapes
            if name == kind and all(fields.get(key) == value for key, value in wanted.items())
        ]

    @property
    def words(self) -> list[str]:
        return [text for text, _ in self.texts]

    @property
    def frame(self) -> tuple[float, float, float, float]:
        """Left, top, right and foot of the axes."""
        (line,) = [p for p in self.of("path", stroke=AXIS) if p["d"].count("L") == 2]
        (left, top), (_, foot), (right, _) = points(line["d"])
        return left - 0.5, top, right, foot - 0.5

    def at(self, x: float, y: float, across: tuple[float, float], up: tuple[float, float]) -> Point:
        """Where a value must be on the paper, between limits."""
        left, top, right, foot = self.frame
        return (
            left + (x - across[0]) / (across[1] - across[0]) * (right - left),
            foot - (y - up[0]) / (up[1] - up[0]) * (foot - top),
        )


Point = tuple[float, float]


def points(path: str) -> list[Point]:
    return [(float(x), float(y)) for x, y in re.findall(r"[ML](-?[\d.]+),(-?[\d.]+)", path)]


def read(svg: str) -> Drawn:
    assert not re.search(r"NaN|undefined|Infinity|\[object", svg)
    root = ET.fromstring(svg)
    found = [(it.tag.removeprefix(SVG), dict(it.attrib)) for it in root.iter()]
    texts = tuple((it.text or "", dict(it.attrib)) for it in root.iter(f"{SVG}text"))
    size = float(root.attrib["width"]), float(root.attrib["height"])
    return Drawn(*size, tuple(found), texts)


def show(page: Page, scene: Scene, **options: Any) -> None:
    plain = json.loads(json.dumps(scene_to_plain(scene)))
    page.evaluate("([scene, options]) => pictures(scene, options)", [plain, options])


def draw(page: Page, scene: Scene, **options: Any) -> Drawn:
    show(page, scene, **options)
    return read(page.evaluate("() => drawing.svg()"))


def tables(page: Page) -> list[dict[str, Any]]:
    """Each table of the page as its caption, its head and its rows."""
    found: list[dict[str, Any]] = page.evaluate(
        """() => [...document.querySelectorAll("details table")].map((table) => ({
          caption: table.caption.textContent,
          head: [...table.tHead.rows[0].cells].map((cell) => cell.textContent),
          rows: [...table.tBodies[0].rows].map((r) => [...r.cells].map((c) => c.textContent)),
        }))"""
    )
    return found


def panel(*marks: Mark, x: Axis | None = None, y: Axis | None = None, title: str = "") -> Panel:
    return Panel(marks, x or Axis("x"), y or Axis("y"), title)


# --- pictures of real views -----------------------------------------------------------------


class Opened(NamedTuple):
    papers: dc.Research
    guarded: dc.Study


@pytest.fixture(scope="module")
def study() -> Opened:
    cohort = dc.datasets.diabetes()
    group = pc.if_else(pc.less(cohort["age"], 60), "under 60", "60 and over")
    cohort = cohort.append_column("group", group)
    return Opened(dc.research(cohort, study="d", strata=["sex"]), dc.open(cohort, study="d"))


VIEWS: dict[str, Callable[[Opened], dc.View]] = {
    "histogram": lambda of: of.papers.histogram("age"),
    "histograms": lambda of: of.papers.histogram("age", by="sex"),
    "scatter": lambda of: of.papers.scatter("age", "bmi", trend=True),
    "scatter by": lambda of: of.papers.scatter("age", "bmi", by="sex", trend=True),
    "gridded": lambda of: of.papers.scatter("age", "bmi", method="suppression"),
    "heatmap": lambda of: of.papers.heatmap("age", "bmi"),
    "contour": lambda of: of.papers.contour("age", "bmi"),
    "box": lambda of: of.papers.box("age", "bmi"),
    "box by": lambda of: of.papers.box("age", by="sex"),
    "bars": lambda of: of.guarded.bars("sex"),
    "bars by": lambda of: of.guarded.bars("group", by="sex"),
    "crosstab": lambda of: of.guarded.crosstab("group", "sex"),
    "residuals": lambda of: of.papers.residuals("bmi ~ age"),
    "qq": lambda of: of.papers.qq("bmi ~ age"),
    "leverage": lambda of: of.papers.leverage("bmi ~ age"),
    "parallel": lambda of: of.papers.parallel(["age", "bmi", "sex"]),
}


def within(panel: Panel, x: float, y: float) -> bool:
    return all(
        limits is None or min(limits) <= value <= max(limits)
        for value, limits in ((x, panel.x.limits), (y, panel.y.limits))
    )


def expected(panel: Panel) -> Counter[str]:
    """Count what must be painted of a panel's marks, by what only such marks are made of."""
    count: Counter[str] = Counter()
    for mark in panel.marks:
        match mark:
            case Bars(heights=heights):
                count["bars"] += sum(height is not None for height in heights)
                count["hidden bars"] += heights.count(None)
            case Cells(values=values):
                flat = [value for column in values for value in column]
                count["cells"] += len(flat)
                count["hidden cells"] += flat.count(None)
            case Columns(heights=series):
                count["bars"] += sum(h is not None for heights in series for h in heights)
                count["hidden bars"] += sum(h is None for heights in series for h in heights)
            case Dots(x=xs, y=ys):
                count["dots"] += sum(within(panel, x, y) for x, y in zip(xs, ys, strict=True))
            case Boxes(boxes=boxes):
                count["boxes"] += len(boxes)
                count["dots"] += sum(len(box.outliers) for box in boxes)
                count["means"] += sum(box.mean is not None for box in boxes)
            case Lines(look=look, x=lines) if look in ("trend", "raw"):
                count[look] += len(lines)
            case Words(texts=texts):
                count.update(f"text {text}" for row in texts for text in row)
    return count


def painted(drawn: Drawn) -> Counter[str]:
    """Count the same in an SVG."""
    colours = {ACCENT, ORANGE, "#009e73", "#aa3377"}
    squares = [fields for fields in drawn.of("rect") if fields.get("stroke") == "#ffffff"]
    cells = [fields for fields in squares if fields["fill"] not in {*colours, ACCENT}]
    thin = [fields for fields in drawn.of("rect", stroke=ACCENT) if fields["fill"] == ACCENT]
    paths = [f for f in drawn.of("path") if f.get("stroke") in colours]
    of_groups = [f for f in paths if f.get("stroke-width") == "3"]  # trends among their dots
    found = Counter(
        {
            "bars": len([f for f in squares if f["fill"] in colours]) + len(thin),
            "cells": len(cells),
            "hidden cells": len([f for f in cells if f["fill"] == HIDDEN]),
            "hidden bars": len(drawn.of("rect", stroke=HATCHING)),
            "dots": len(drawn.of("circle")),
            "boxes": len(drawn.of("rect", fill=PALE)),
            "means": len([f for f in drawn.of("path", fill=STRONG) if "Z" in f["d"]]),
            "trend": len(drawn.of("path", stroke=TREND)) + len(of_groups),
            "raw": len(drawn.of("path", stroke=RAW)),
        }
    )
    found.update(f"text {word}" for word in drawn.words)
    return found


@pytest.mark.parametrize("kind", [kind for kind in VIEWS if kind != "parallel"])
def test_each_view_has_its_marks(page: Page, study: Opened, kind: str) -> None:
    scene = VIEWS[kind](study).scene()
    drawn = draw(page, scene)
    wanted = sum((expected(one) for one in scene.panels), Counter[str]())
    found = painted(drawn)
    signs = legend_signs(scene)
    assert {kind: found[kind] - signs[kind] for kind in wanted} == dict(wanted)


def legend_signs(scene: Scene) -> Counter[str]:
    """Count the signs of a legend, which is one for all panels."""
    marks = [mark for one in scene.panels for mark in one.marks]
    names = {mark.series for mark in marks if isinstance(mark, Dots)} - {""}
    sized = [size for m in marks if isinstance(m, Dots) and m.by_size for size in m.size]
    steps = 0
    if sized:
        raw = max(sized) / 3
        power = 10 ** math.floor(math.log10(raw))
        step = next(m * power for m in (1, 2, 5, 10) if m * power >= raw)
        each = [k * step for k in range(1, 4) if min(sized) <= k * step <= max(sized)]
        steps = len(each) or 1
    labels = Counter(mark.look for mark in marks if isinstance(mark, Lines) and mark.label)
    hidden = any(None in heights for m in marks if isinstance(m, Columns) for heights in m.heights)
    return Counter({"dots": len(names) + steps, **labels, "hidden bars": int(hidden)})


def test_parallel_coordinates_are_drawn_and_told(page: Page, study: Opened) -> None:
    drawn = draw(page, VIEWS["parallel"](study).scene())
    assert {"age", "bmi", "sex"} <= set(drawn.words)
    assert page.evaluate("() => drawing.order()") == [0, 1, 2]
    assert len(tables(page)) == 2


@pytest.mark.parametrize("width", [390, 2560])
def test_no_view_is_wider_than_the_page(page: Page, study: Opened, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    try:
        for kind, view in VIEWS.items():
            show(page, view(study).scene())
            wide = page.evaluate("() => document.documentElement.scrollWidth")
            assert (kind, wide) == (kind, width)
    finally:
        page.set_viewport_size({"width": 1280, "height": 800})


def test_notes_are_on_the_page_and_in_the_file(page: Page, study: Opened) -> None:
    scene = VIEWS["histogram"](study).scene()
    draw(page, scene)
    shown = page.locator("#host figcaption p").all_text_contents()
    below = scene.subtitle
    assert shown == [it for it in (" · ".join(below.says), below.code) if it]


# --- places, worked out by hand -------------------------------------------------------------


def test_bars_stand_on_their_edges(page: Page) -> None:
    x, y = Axis("age", (0.0, 4.0)), Axis("persons", (0.0, 4.0))
    drawn = draw(page, Scene((panel(Bars((0.0, 1.0, 3.0, 4.0), (2.0, 4.0, None)), x=x, y=y),)))
    bars = [fields for fields in drawn.of("rect") if fields["fill"] == ACCENT]
    for fields, (low, high, height) in zip(bars, [(0, 1, 2), (1, 3, 4)], strict=True):
        left, top = drawn.at(low, height, (0, 4), (0, 4))
        right, foot = drawn.at(high, 0, (0, 4), (0, 4))
        assert float(fields["x"]) == pytest.approx(left, abs=PX)
        assert float(fields["y"]) == pytest.approx(top, abs=PX)
        assert float(fields["width"]) == pytest.approx(right - left, abs=2 * PX)
        assert float(fields["height"]) == pytest.approx(foot - top, abs=2 * PX)
    assert {"0", "1", "2", "3", "4", "age", "persons"} <= set(drawn.words)


def test_without_limits_bars_have_a_little_room_above_and_none_below(page: Page) -> None:
    drawn = draw(page, Scene((panel(Bars((0.0, 1.0), (4.0,))),)))
    (bar,) = [fields for fields in drawn.of("rect") if fields["fill"] == ACCENT]
    left, top = drawn.at(0, 4, (-0.02, 1.02), (0, 4.2))
    assert (float(bar["x"]), float(bar["y"])) == pytest.approx((left, top), abs=PX)


def test_columns_share_their_place_and_hidden_ones_are_alike(page: Page) -> None:
    mark = Columns(((4.0, None, 1.0), (None, 2.0, 0.0)), ("women", "men"))
    x, y = Axis("g", ticks=("a", "b", "c")), Axis("persons", (0.0, 4.0))
    drawn = draw(page, Scene((panel(mark, x=x, y=y),)))
    across, up = (-0.6, 2.6), (0.0, 4.0)
    shown = drawn.of("rect", stroke="#ffffff")
    assert Counter(fields["fill"] for fields in shown) == {ACCENT: 2, ORANGE: 2}
    first = float(shown[0]["x"]), float(shown[0]["width"])
    left, right = (drawn.at(at, 0, across, up)[0] for at in (-0.4, 0.0))
    assert first == pytest.approx((left, right - left), abs=2 * PX)
    signs = drawn.of("rect", stroke=HATCHING)
    assert len(signs) == 3  # two hidden, and one in the legend
    foot = drawn.frame[3]
    for fields, middle in zip(signs[:2], (0.8, 0.2), strict=True):
        assert float(fields["y"]) == pytest.approx(foot, abs=2 * PX)  # below the axis
        assert float(fields["height"]) == pytest.approx(6, abs=2 * PX)
        place = float(fields["x"]) + float(fields["width"]) / 2
        assert place == pytest.approx(drawn.at(middle, 0, across, up)[0], abs=2 * PX)
    assert {"women", "men", "hidden"} <= set(drawn.words)


def test_a_gap_of_a_histogram_has_a_sign_within_the_axes(page: Page) -> None:
    bars = Bars((0.0, 1.0, 3.0, 4.0, 9.0), (4.0, None, 1.0, None))
    drawn = draw(page, Scene((panel(bars, x=Axis("x", (0.0, 4.0)), y=Axis("y", (0.0, 4.0))),)))
    (sign,) = drawn.of("rect", stroke=HATCHING)
    left, right = (drawn.at(at, 0, (0, 4), (0, 4))[0] for at in (1, 3))
    assert float(sign["x"]) == pytest.approx(left, abs=2 * PX)
    assert float(sign["width"]) == pytest.approx(right - left, abs=2 * PX)
    assert float(sign["y"]) == pytest.approx(drawn.frame[3], abs=2 * PX)


def test_panels_of_contours_have_one_scale_of_colours(page: Page) -> None:
    lines = [
        Lines(((0.0, 1.0),) * n, ((0.0, 1.0),) * n, "level", "", tuple(range(1, n + 1)), (1, 2, 3))
        for n in (1, 3)
    ]
    drawn = draw(page, Scene((panel(lines[0]), panel(lines[1]))))
    low, *all_levels = [
        fields["stroke"] for fields in drawn.of("path") if fields.get("stroke-width") == "2"
    ][-4:]
    assert low == all_levels[0]
    assert len({*all_levels}) == 3


def test_dots_outside_of_the_limits_are_not_in_the_file(page: Page) -> None:
    mark = Dots((1.0, 2.0, 9.0, 2.0), (1.0, 2.0, 1.0, 99.0), (1, 3, 1, 1))
    x, y = Axis("x", (0.0, 4.0)), Axis("y", (0.0, 4.0))
    drawn = draw(page, Scene((panel(mark, x=x, y=y),)))
    found = [((float(f["cx"]), float(f["cy"])), f["fill"]) for f in drawn.of("circle")]
    assert [fill for _, fill in found] == [ACCENT, STRONG]  # dark: several records
    for (at, _), value in zip(found, (1.0, 2.0), strict=True):
        assert at == pytest.approx(drawn.at(value, value, (0, 4), (0, 4)), abs=PX)


def test_lines_are_cut_without_being_bent(page: Page) -> None:
    line = Lines(((-4.0, 8.0),), ((-4.0, 8.0),), "raw", "of raw records")
    x, y = Axis("x", (0.0, 4.0)), Axis("y", (0.0, 4.0))
    drawn = draw(page, Scene((panel(line, x=x, y=y),)))
    (first, last), *_ = [points(f["d"]) for f in drawn.of("path", stroke=RAW)]
    # It goes on for a twentieth of the axis, so that no end of it is seen.
    assert first == pytest.approx(drawn.at(-0.2, -0.2, (0, 4), (0, 4)), abs=PX)
    assert last == pytest.approx(drawn.at(4.2, 4.2, (0, 4), (0, 4)), abs=PX)


@pytest.mark.parametrize(
    ("ends", "reached"),
    [
        (((1.0, 1.0), (2.0, 2.0)), ((-0.2, -0.2), (4.2, 4.2))),
        (((2.0, 1.0), (1.0, 1.0)), ((-0.2, 1.0), (4.2, 1.0))),
        (((3.0, 1.0), (3.0, 2.0)), ((3.0, -0.2), (3.0, 4.2))),
    ],
)
def test_a_straight_reference_goes_on_to_the_edges(
    page: Page, ends: tuple[Point, Point], reached: tuple[Point, Point]
) -> None:
    xs, ys = zip(*ends, strict=True)
    x, y = Axis("x", (0.0, 4.0)), Axis("y", (0.0, 4.0))
    drawn = draw(page, Scene((panel(Lines((xs,), (ys,), "reference"), x=x, y=y),)))
    ((first, last),) = [points(f["d"]) for f in drawn.of("path", stroke=REFERENCE)]
    for found, wanted in zip((first, last), reached, strict=True):
        assert found == pytest.approx(drawn.at(*wanted, (0, 4), (0, 4)), abs=PX)


def test_of_a_trend_upon_the_raw_line_both_are_seen(page: Page) -> None:
    trend, raw = (Lines(((0.0, 4.0),), ((0.0, 4.0),), look) for look in ("trend", "raw"))
    drawn = draw(page, Scene((panel(trend, raw),)))
    lines = [f for f in drawn.of("path") if f.get("stroke") in (TREND, RAW)]
    assert [f["stroke"] for f in lines] == [RAW, TREND]  # the last is on top
    assert float(lines[0]["stroke-width"]) >= 2 * float(lines[1]["stroke-width"])


@pytest.mark.parametrize("span", [None, (5.0, 5.0)])
def test_the_colour_bar_of_one_value_is_of_one_colour_and_names_it(
    page: Page, span: tuple[float, float] | None
) -> None:
    mark = Cells((0.0, 1.0, 2.0), (0.0, 1.0), ((5.0,), (None,)), "persons", span)
    drawn = draw(page, Scene((panel(mark, x=Axis("", ticks=("a", "b")), y=Axis("")),)))
    fills = Counter(f["fill"] for f in drawn.of("rect")[1:])  # the first is the paper
    assert fills == {"#0a2c50": 41, HIDDEN: 1}  # the cell, and forty shades of the bar
    assert drawn.words.count("5") == 1


@pytest.mark.parametrize(
    ("ys", "pieces"),
    [
        ((1.0, 9.0, 9.0, 1.0), [2, 2]),
        ((1.0, 9.0, 1.0, 2.0), [2, 3]),
        ((9.0, 9.0, 9.0, 9.0), []),
        ((-1.0, 5.0, 5.0, 9.0), [2]),
        ((1.0, 2.0, 3.0, 2.0), [4]),
    ],
)
def test_what_a_line_has_outside_is_not_in_the_file(
    page: Page, ys: tuple[float, ...], pieces: list[int]
) -> None:
    line = Lines(((1.0, 2.0, 3.0, 4.0),), (ys,), "trend")
    x, y = Axis("x", (0.0, 4.0)), Axis("y", (0.0, 4.0))
    drawn = draw(page, Scene((panel(line, x=x, y=y),)))
    found = [points(fields["d"]) for fields in drawn.of("path", stroke=TREND)]
    assert [len(piece) for piece in found] == pieces
    edge = drawn.at(0, 4.2, (0, 4), (0, 4))[1]
    assert all(at[1] >= edge - PX for piece in found for at in piece)


def test_cells_have_the_colours_of_their_span(page: Page) -> None:
    mark = Cells((0.0, 1.0, 2.0), (0.0, 1.0, 2.0), ((5.0, None), (10.0, 7.5)), "persons")
    drawn = draw(page, Scene((panel(mark),)))
    fills = [f["fill"] for f in drawn.of("rect", stroke="#ffffff")]
    assert fills == ["#cfe0ef", HIDDEN, "#0a2c50", "#5389bb"]
    corner = drawn.of("rect", stroke="#ffffff", fill="#0a2c50")[0]
    left, top = drawn.at(1, 1, (0, 2), (0, 2))
    assert (float(corner["x"]), float(corner["y"])) == pytest.approx((left, top), abs=PX)
    assert {"5", "6", "7", "8", "9", "10", "persons"} <= set(drawn.words)  # the colour bar


def test_boxes_have_five_numbers_a_mean_and_outliers(page: Page) -> None:
    box = Box("all", 1.0, 2.0, 3.0, 4.0, 5.0, mean=3.5, outliers=(6.0,))
    drawn = draw(page, Scene((panel(Boxes((box,)), y=Axis("v", (0.0, 8.0))),)))
    (body,) = drawn.of("rect", fill=PALE)
    left, top = drawn.at(-0.25, 4, (-0.6, 0.6), (0, 8))
    assert (float(body["x"]), float(body["y"])) == pytest.approx((left, top), abs=PX)
    median = points(drawn.of("path", stroke=STRONG)[0]["d"])
    assert median[0][1] == pytest.approx(drawn.at(0, 3, (-0.6, 0.6), (0, 8))[1], abs=PX)
    assert len([f for f in drawn.of("path", fill=STRONG) if "Z" in f["d"]]) == 1  # the mean
    assert len(drawn.of("circle", fill=ACCENT)) == 1
    assert "all" in drawn.words


def test_violins_are_as_wide_as_they_are_dense(page: Page) -> None:
    mark = Violins((Violin((1.0, 2.0, 4.0), (0.1, 0.4, 0.0), 1.5, 2.0, 3.0),))
    shown = panel(mark, x=Axis("", ticks=("all",)), y=Axis("v", (0.0, 8.0)))
    drawn = draw(page, Scene((shown,)))
    (shape,) = drawn.of("path", fill=PALE)
    corners = points(shape["d"])
    for place, value in ((0.1, 1), (0.4, 2), (0.0, 4), (-0.4, 2), (-0.1, 1)):
        there = drawn.at(place, value, (-0.6, 0.6), (0, 8))
        assert any(corner == pytest.approx(there, abs=PX) for corner in corners)
    assert "all" in drawn.words


def test_intervals_stand_one_above_the_other(page: Page) -> None:
    mark = Intervals((((0.0, 1.0, 2.0), None), ((1.0, 2.0, 9.0), (0.0, 1.0, 2.0))), ("a", "b"))
    scene = Scene((panel(mark, x=Axis("e", (0.0, 4.0)), y=Axis("", ticks=("p", "q"))),))
    drawn = draw(page, scene)
    # The ends of the second are cut at the axis; the first series stands above the second.
    first, cut, *_ = [points(f["d"]) for f in drawn.of("path") if f.get("stroke-width") == "2.1"]
    assert first[0] == pytest.approx(drawn.at(0, 0.12, (0, 4), (-0.6, 1.6)), abs=PX)
    _, second, _ = [points(f["d"]) for f in drawn.of("path") if f.get("stroke-width") == "2.1"][:3]
    assert second == cut
    assert cut[1] == pytest.approx(drawn.at(4, -0.12, (0, 4), (-0.6, 1.6)), abs=PX)


def test_areas_of_dots_are_in_proportion_and_the_legend_says_so(page: Page) -> None:
    mark = Dots((1.0, 2.0), (1.0, 2.0), (25, 100), by_size=True, label="persons")
    drawn = draw(page, Scene((panel(mark),)))
    small, large, *signs = [float(f["r"]) for f in drawn.of("circle")]
    assert large == pytest.approx(2 * small, abs=0.002)
    assert signs == pytest.approx([large * math.sqrt(0.5), large], abs=0.002)
    assert {"persons:", "50", "100"} <= set(drawn.words)


def test_levels_are_named_the_highest_first(page: Page) -> None:
    line = Lines(((0.0, 1.0),) * 3, ((0.0, 1.0),) * 3, "level", "persons", (5.0, 20.0, 10.0))
    drawn = draw(page, Scene((panel(line),)))
    at = [drawn.words.index(name) for name in ("persons:", "20", "10", "5")]
    assert at == sorted(at)
    strokes = Counter(f.get("stroke") for f in drawn.of("path") if f.get("stroke-width") == "2")
    assert strokes["#0a2c50"] == strokes["#8fb3d5"] == 2  # the line, and its sign


def test_series_beyond_the_colours_are_hatched(page: Page) -> None:
    names = tuple(f"s{i}" for i in range(10))
    mark = Columns(tuple((1.0,) for _ in names), names)
    drawn = draw(page, Scene((panel(mark, x=Axis("", ticks=("a",))),)))
    assert set(names) <= set(drawn.words)
    hatched = [f for f in drawn.of("path") if f.get("stroke") == "#ffffff"]
    assert hatched


def test_the_table_of_a_cross_table(page: Page) -> None:
    mark = Words((("5", "hidden", "15"), ("10", "20", "30")), totals=True)
    x, y = Axis("sex", ticks=("f", "m", "total")), Axis("age", ticks=("old", "total"))
    drawn = draw(page, Scene((panel(mark, x=x, y=y),)))
    bold = [text for text, fields in drawn.texts if fields.get("font-weight") == "bold"]
    assert bold == ["15", "10", "20", "30"]
    assert {"sex", "age", "f", "m", "old", "hidden"} <= set(drawn.words)
    assert tables(page) == [
        {
            "caption": "age by sex",
            "head": ["age", "f", "m", "total"],
            "rows": [["old", "5", "hidden", "15"], ["total", "10", "20", "30"]],
        }
    ]


# --- several panels, words, tables ----------------------------------------------------------


def four_panels(name: str = "level") -> Scene:
    mark = Columns(((1.0, None), (2.0, 3.0)), ("women", "men"))
    x = Axis("g", ticks=("a", "b"))
    return Scene(tuple(panel(mark, x=x, title=f"{name} {i}") for i in range(4)), "Four")


def test_panels_that_agree_have_one_legend(page: Page) -> None:
    drawn = draw(page, four_panels())
    assert [drawn.words.count(name) for name in ("women", "men", "hidden")] == [1, 1, 1]
    assert [f"level {i}" in drawn.words for i in range(4)] == [True] * 4
    assert page.evaluate("() => document.querySelector('.discreet-legend').hidden") is False


def test_panels_that_differ_have_their_own_legends(page: Page) -> None:
    one = panel(Dots((1.0,), (1.0,), (1,), series="f"))
    other = panel(Dots((1.0,), (1.0,), (1,), series="m"))
    drawn = draw(page, Scene((one, other)))
    assert [drawn.words.count(name) for name in ("f", "m")] == [1, 1]
    assert page.evaluate("() => document.querySelector('.discreet-legend').hidden") is True


@pytest.mark.parametrize(("width", "across"), [(390, 1), (700, 2), (1280, 3), (2560, 3)])
def test_fewer_panels_stand_side_by_side_where_there_is_less_room(
    page: Page, width: int, across: int
) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    try:
        show(page, four_panels())
        tops = page.evaluate(
            "() => [...document.querySelectorAll('.discreet-panel')]"
            ".map((it) => Math.round(it.getBoundingClientRect().top))"
        )
        assert max(Counter(tops).values()) == across
    finally:
        page.set_viewport_size({"width": 1280, "height": 800})


def test_a_wide_table_is_scrolled_and_not_squeezed(page: Page) -> None:
    mark = Words((tuple(str(i) for i in range(30)),))
    scene = Scene((panel(mark, x=Axis("", ticks=tuple(f"c{i}" for i in range(30)))),))
    page.set_viewport_size({"width": 390, "height": 800})
    try:
        show(page, scene)
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
        frame = page.locator(".discreet-scroll")
        assert frame.evaluate("(it) => it.scrollWidth > 1000 && it.tabIndex === 0") is True
    finally:
        page.set_viewport_size({"width": 1280, "height": 800})


def test_hidden_bars_say_so_in_the_table(page: Page) -> None:
    bars = panel(Bars((0.0, 1.0, 2.5), (3.0, None)), x=Axis("age"), y=Axis("persons"))
    mark = Columns(((4.0, None),), ("",))
    columns = panel(mark, x=Axis("sex", ticks=("f", "m")), y=Axis("persons"), title="all")
    show(page, Scene((bars, columns)))
    assert tables(page) == [
        {
            "caption": "persons of each bar",
            "head": ["age", "persons"],
            "rows": [["0 to 1", "3"], ["1 to 2.5", "hidden"]],
        },
        {
            "caption": "all: persons of each level of sex",
            "head": ["sex", "persons"],
            "rows": [["f", "4"], ["m", "hidden"]],
        },
    ]


def test_hidden_cells_say_so_in_the_table(page: Page) -> None:
    mark = Cells((0.0, 1.0, 2.0), (0.0, 10.0), ((5.0,), (None,)), "persons")
    show(page, Scene((panel(mark),)))
    (table,) = tables(page)
    assert table["rows"] == [["0 to 1", "0 to 10", "5"], ["1 to 2", "0 to 10", "hidden"]]


def test_of_a_fine_grid_the_table_has_what_is_shown(page: Page) -> None:
    edges = tuple(float(i) for i in range(31))
    values = tuple(tuple(5.0 if i == j == 3 else None for j in range(30)) for i in range(30))
    show(page, Scene((panel(Cells(edges, edges, values, "persons")),)))
    (table,) = tables(page)
    assert table["rows"] == [["3 to 4", "3 to 4", "5"]]
    assert "all others are hidden or empty" in table["caption"]


def test_numbers_are_written_for_people(page: Page) -> None:
    values = (0.0, -3.0, 0.1 + 0.2, 1234567.0, 2.5e7, -1e-5, 1.25e-7)
    show(page, Scene((panel(Dots(values, values, (1,) * 7)),)))
    (table,) = tables(page)
    assert [row[0] for row in table["rows"]] == [
        "0",
        "−3",
        "0.3",
        "1,234,567",
        "2.5e7",
        "−1e−5",
        "1.25e−7",
    ]


def test_boxes_and_intervals_in_tables(page: Page) -> None:
    box = panel(Boxes((Box("all", 1.0, 2.0, 3.0, 4.0, 5.0, 3.5, (9.0, 8.0)),)), y=Axis("v"))
    mark = Intervals((((0.0, 1.0, 2.0), None),), ("",))
    known = panel(mark, x=Axis("risk"), y=Axis("", ticks=("p", "q")))
    show(page, Scene((box, known)))
    first, second = tables(page)
    assert first["rows"] == [["all", "1", "2", "3", "4", "5", "3.5", "9, 8"]]
    assert second["rows"] == [["p", "0", "1", "2"], ["q", "not known", "", ""]]


def test_the_tables_may_be_left_out(page: Page) -> None:
    show(page, four_panels(), table=False)
    assert tables(page) == []
    assert page.evaluate("() => drawing.table().length") == 4


def test_very_many_rows_are_cut_and_it_says_so(page: Page) -> None:
    many = tuple(float(i) for i in range(700))
    show(page, Scene((panel(Dots(many, many, (1,) * 700)),)))
    (table,) = tables(page)
    assert len(table["rows"]) == 500
    assert table["caption"] == "points (the first 500 rows of 700)"


# --- names of people, of any kind -----------------------------------------------------------

NAMES = {
    "markup": NASTY,
    "script": "</script></svg><script>alert(1)</script>",
    "entity": "&lt;b&gt; &amp; ]]>",
    "quotes": "\" onload=\"alert(1)' x='",
    "controls": "a\x00b\x1bc\u202ed\u2028e\ufffe",
    "emoji": "\U0001f469\u200d\U0001f52c \U0001f1e9\U0001f1ea \u00e9\u0301",
    "long": "very long name " * 200,
    "one long word": "x" * 100_000,
    "empty": "",
}


def printable(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES.keys())
def test_names_are_text_wherever_they_stand(page: Page, name: str) -> None:
    columns = Columns(((4.0, None), (1.0, 2.0)), (name, "b"))
    x, y = Axis(name, ticks=(name, "z")), Axis(name)
    words = panel(
        Words(((name, "1"),)), x=Axis(name, ticks=(name, "t")), y=Axis(name, ticks=(name,))
    )
    dots = panel(Dots((1.0,), (1.0,), (1,), label=name, series=name), title=name)
    marks = [
        panel(columns, x=x, y=y, title=name),
        words,
        dots,
        panel(Cells((0.0, 1.0), (0.0, 1.0), ((5.0,),), name), title=name),
        panel(Lines(((0.0, 1.0),), ((0.0, 1.0),), "trend", name)),
    ]
    for one in marks:
        drawn = draw(page, Scene((one,), name, (name,)))  # `read` parses it as XML
        kinds = {kind for kind, _ in drawn.shapes}
        assert kinds <= {"svg", "title", "path", "rect", "circle", "text"}
        assert {key for _, fields in drawn.shapes for key in fields} <= ATTRIBUTES
        inside = "[...document.querySelectorAll('#host *')].map((it) => it.localName)"
        assert not set(page.evaluate(f"() => {inside}")) & {"img", "script", "b", "svg"}
    title = page.locator(".discreet-title")
    assert title.all_text_contents() == ([printable(name)] if name else [])


ATTRIBUTES = {
    *("xmlns", "width", "height", "viewBox", "role", "font-family", "x", "y", "overflow"),
    *("fill", "stroke", "stroke-width", "stroke-linejoin", "stroke-dasharray", "opacity", "d"),
    *("cx", "cy", "r", "font-size", "font-weight", "text-anchor", "transform", "dy"),
}


def test_texts_stay_on_the_paper(page: Page) -> None:
    name = "MWMWMWMWMWMW WMWMWM " * 20
    columns = Columns(((4.0, None) * 8,), (name,))
    scene = Scene((panel(columns, x=Axis(name, ticks=(name,) * 16), y=Axis(name)),), name, (name,))
    show(page, scene)
    page.evaluate(
        "() => { const it = document.createElement('div'); it.id = 'copy';"
        "document.body.append(it); it.attachShadow({mode: 'open'}).append("
        "new DOMParser().parseFromString(drawing.svg(), 'image/svg+xml').documentElement)}"
    )
    outside = page.evaluate(
        """() => {
          const svg = document.getElementById("copy").shadowRoot.firstElementChild;
          const paper = svg.getBoundingClientRect();
          const out = [...svg.querySelectorAll("text")].filter((text) => {
            const box = text.getBoundingClientRect();
            return box.left < paper.left - 1 || box.right > paper.right + 1
              || box.top < paper.top - 1 || box.bottom > paper.bottom + 1;
          }).map((text) => text.textContent);
          document.getElementById("copy").remove();
          return out;
        }"""
    )
    assert outside == []


# --- the page around it ---------------------------------------------------------------------

INK = "() => getComputedStyle(document.querySelector('.discreet-figure')).color"
LIGHT_INK, DARK_INK = "rgb(34, 34, 34)", "rgb(232, 234, 237)"


def test_it_is_drawn_again_when_the_reader_turns_the_light_off(page: Page) -> None:
    show(page, four_panels())
    assert page.evaluate(INK) == LIGHT_INK
    page.emulate_media(color_scheme="dark")
    try:
        page.wait_for_function(f"() => ({INK})() === '{DARK_INK}'")
        assert "#e8eaed" not in page.evaluate("() => drawing.svg()")  # a file is white paper
    finally:
        page.emulate_media(color_scheme="light")
    page.wait_for_function(f"() => ({INK})() === '{LIGHT_INK}'")


def test_what_is_dark_on_white_paper_is_said_to_be_light_on_dark_paper(page: Page) -> None:
    notes = ("dark: more than one record at the same place", "the dark: age")
    scene = Scene((panel(Dots((1.0,), (1.0,), (2,))),), notes=notes)
    show(page, scene, theme="dark")
    said = page.locator("#host figcaption p").all_text_contents()
    assert said == ["light: more than one record at the same place · the dark: age"]
    words = " ".join(read(page.evaluate("() => drawing.svg()")).words)  # on white paper
    assert notes[0] in words


@pytest.mark.parametrize(
    ("behind", "wish", "ink"),
    [
        ("#111", "auto", DARK_INK),
        ("#fff", "auto", LIGHT_INK),
        ("rgba(0, 0, 0, 0.2)", "auto", LIGHT_INK),
        ("#fff", "dark", DARK_INK),
        ("#111", "light", LIGHT_INK),
    ],
)
def test_colours_follow_what_lies_behind(page: Page, behind: str, wish: str, ink: str) -> None:
    page.evaluate("(it) => { document.querySelector('main').style.background = it }", behind)
    try:
        show(page, four_panels(), theme=wish)
        assert page.evaluate(INK) == ink
    finally:
        page.evaluate("() => { document.querySelector('main').style.background = '' }")


def test_it_is_drawn_again_when_it_gets_another_width(page: Page) -> None:
    show(page, Scene((panel(Bars((0.0, 1.0), (1.0,))),)))
    page.set_viewport_size({"width": 500, "height": 800})
    try:
        page.wait_for_function(
            "() => document.querySelector('.discreet-scroll canvas').clientWidth < 500"
        )
    finally:
        page.set_viewport_size({"width": 1280, "height": 800})


def test_what_has_no_width_yet_is_drawn_when_it_has(page: Page) -> None:
    page.evaluate("() => { document.querySelector('main').style.display = 'none' }")
    show(page, Scene((panel(Bars((0.0, 1.0), (1.0,))),)))
    page.evaluate("() => { document.querySelector('main').style.display = '' }")
    page.wait_for_function(
        "() => document.querySelector('.discreet-scroll canvas').clientWidth > 600"
    )


@pytest.mark.parametrize("scale", [1, 2, 3])
def test_text_is_sharp(browser: Browser, scale: int) -> None:
    page = open_page(browser, device_scale_factor=scale)
    show(page, four_panels())
    sizes = page.evaluate(
        "() => [...document.querySelectorAll('canvas')].map((it) => [it.width, it.clientWidth])"
    )
    assert all(width == scale * shown for width, shown in sizes)
    assert page.wrong == []  # type: ignore[attr-defined]
    page.context.close()


def test_a_png_is_a_sheet_of_white_paper(page: Page) -> None:
    drawn = draw(page, four_panels())
    data = base64.b64decode(
        page.evaluate(
            """async () => {
              const bytes = new Uint8Array(await (await drawing.png()).arrayBuffer());
              return btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), ""));
            }"""
        )
    )
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", data[16:24]) == (2 * drawn.width, 2 * drawn.height)


def test_canvases_are_named_for_who_cannot_see_them(page: Page, study: Opened) -> None:
    scene = VIEWS["heatmap"](study).scene()
    show(page, scene)
    name = page.locator("canvas[role=img]").get_attribute("aria-label")
    assert name == f"age and bmi. {scene.notes[0]}"
    frame = page.locator("details > div")
    assert frame.get_attribute("role") == "region"
    assert frame.get_attribute("tabindex") == "0"


def test_nothing_is_left_behind(page: Page) -> None:
    show(page, four_panels())
    page.evaluate("() => drawing.destroy()")
    assert page.evaluate("() => document.getElementById('host').childElementCount") == 0
    page.set_viewport_size({"width": 700, "height": 800})
    page.emulate_media(color_scheme="dark")
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1280, "height": 800})


def test_the_same_scene_is_the_same_svg(page: Page) -> None:
    show(page, four_panels())
    first = page.evaluate("() => drawing.svg()")
    show(page, four_panels())
    assert page.evaluate("() => drawing.svg()") == first


EMPTY: dict[str, Mark] = {
    "bars": Bars((0.0, 1.0), (None,)),
    "columns": Columns(((None, None),)),
    "no columns": Columns(()),
    "dots": Dots((), (), ()),
    "sized": Dots((), (), (), by_size=True),
    "cells": Cells((0.0, 1.0), (0.0, 1.0), ((None,),), "persons"),
    "boxes": Boxes(()),
    "violins": Violins(()),
    "intervals": Intervals(((None,),)),
    "lines": Lines((), (), "trend", "trend"),
    "levels": Lines((), (), "level", "persons"),
    "words": Words(()),
    "one dot": Dots((3.0,), (0.0,), (1,)),
    "one point": Lines(((1.0,),), ((1.0,),), "raw"),
    "huge": Dots((-1e300, 1e300), (1e-300, 2e-300), (1, 1)),
}


@pytest.mark.parametrize("kind", EMPTY)
def test_little_or_nothing_can_be_drawn(page: Page, kind: str) -> None:
    draw(page, Scene((panel(EMPTY[kind]),)))  # `read` finds what is no number
    draw(page, Scene((panel(EMPTY[kind], x=Axis("x", (0.0, 0.0)), y=Axis("y", (2.0, 1.0))),)))


@pytest.mark.slow
def test_very_many_dots_are_drawn(page: Page) -> None:
    many = tuple(float(i) for i in range(150_000))
    show(page, Scene((panel(Dots(many, many, (1,) * len(many))),)), table=False)
    assert page.evaluate("() => document.querySelectorAll('.discreet-scroll canvas').length") == 1
