"""The board in Chromium: rows are brushed, kept as filters, and let go, by mouse and by keys."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.serve.looking import violations
from tests.web.test_page_in_browser import opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

    from discreet.explore import Study

pytestmark = pytest.mark.slow

DRAGS = {
    "histogram": (0.35, 0.7, r"age \d"),
    "bars": (0.5, 0.9, r"band: 40 to under 60 or 60 or more"),
    "scatter": (0.3, 0.7, r"age \d+–\d+ · change −"),
    "heatmap": (0.3, 0.7, r"age .* · change "),
    "over_time": (0.3, 0.7, r"visit "),
    "survival": (0.3, 0.5, r"months "),
    "density": (0.3, 0.7, r"change "),
    "box": (0.2, 0.4, r"band: under 40"),
    "ecdf": (0.3, 0.7, r"age "),
    "parallel": (0.3, 0.6, r"age "),
}
"""Kinds, from where to where they are brushed as shares of their sides, and what is then said."""
CARDS = (
    "histogram:age;bars:band:by=died;scatter:age,change;heatmap:age,change;over_time:visit;"
    "survival:months,died:by=band;density:change:by=band;box:age:by=band;ecdf:age;"
    "parallel:age,band,change"
)


@pytest.fixture(scope="module")
def file(study: Study, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return study.board().save(tmp_path_factory.mktemp("board") / "board.html")


def drag(page: Page, pic: Locator, kind: str, start: float, end: float) -> None:
    pic.scroll_into_view_if_needed()
    box = pic.locator("svg").bounding_box()
    assert box is not None
    xs = [box["x"] + box["width"] * it for it in (start, end)]
    ys = [box["y"] + box["height"] * it for it in (start, end)]
    if kind == "parallel":  # along its first axis
        axis = pic.locator(".trunk").first.bounding_box()
        assert axis is not None
        xs = [axis["x"] + axis["width"] / 2] * 2
    page.mouse.move(xs[0], ys[0])
    page.mouse.down()
    page.mouse.move(xs[1], ys[1], steps=4)


def test_rows_are_brushed_in_each_kind(chromium: Browser, study: Study, file: Path) -> None:
    with opened(chromium, 1280) as page:
        page.goto(f"{file.as_uri()}#cards={CARDS}")
        page.locator(".pic-parallel svg").wait_for()
        held, tip = page.locator(".dock .held"), page.locator(".tip")
        for kind, (start, end, says) in DRAGS.items():
            drag(page, page.locator(f".pic-{kind}"), kind, start, end)
            expect(tip).to_have_text(re.compile(rf"^{says}.*[\d,]+ rows$"))  # while it is dragged
            page.mouse.up()
            expect(held).to_have_text(re.compile(rf"^Highlighted {says}.* · [\d,]+ rows$"))
            expect(page.locator(".brush:visible")).to_have_count(1)
        assert violations(page) == []
        page.keyboard.press("Escape")
        expect(page.locator(".brush:visible, .hot, .hotl")).to_have_count(0)
        expect(held).to_be_hidden()


def test_a_brush_is_changed_and_kept(chromium: Browser, study: Study, file: Path) -> None:
    with opened(chromium, 1280) as page:
        page.goto(f"{file.as_uri()}#cards=histogram:age;bars:band:by=died")
        held, chips = page.locator(".dock .held"), page.locator(".where .chip")
        said, pic = page.locator(".bhead .say"), page.locator(".pic-histogram")
        drag(page, pic, "histogram", 0.4, 0.6)
        page.mouse.up()
        first = held.inner_text()
        for at, by in ((".brush [data-side=right]", 40), (".brush [data-side=left]", -40)):
            edge = page.locator(at).bounding_box()  # it is dragged by an edge
            assert edge is not None
            page.mouse.move(edge["x"] + 6, edge["y"] + 60)
            page.mouse.down()
            page.mouse.move(edge["x"] + 6 + by, edge["y"] + 60, steps=3)
            page.mouse.up()
            expect(held).not_to_have_text(first)
            first = held.inner_text()
        page.keyboard.press("Escape")
        pic.locator("svg").focus()  # keys alone
        for key in ("ArrowRight", "ArrowRight", *["Shift+ArrowRight"] * 3, "Shift+ArrowLeft"):
            page.keyboard.press(key)
        expect(held).to_have_text(re.compile(r"^Highlighted age [\d.]+–[\d.]+ · \d+ rows$"))
        low, high, _ = re.findall(r"[\d.]+", held.inner_text())
        text = f"{low} <= age <= {high}"  # whole numbers, both ends among them
        rows = len(study._copy.where(text).whole)
        expect(held).to_have_text(re.compile(rf" · {rows} rows$"))  # counts follow the words
        expect(page.locator("[aria-live]").first).to_contain_text(f"{rows} rows")
        page.keyboard.press("Enter")
        expect(said).to_have_text(re.compile(rf"^{rows} of [\d,]+ rows$"))
        expect(chips).to_have_count(1)
        assert page.evaluate("document.activeElement.matches('article.card')")
        chips.locator("input").focus()  # switched off, it stays
        page.keyboard.press("Space")
        expect(said).to_have_text(re.compile(r"^All [\d,]+ rows$"))
        assert "off=0:" in page.url
        assert page.evaluate("document.activeElement.type") == "checkbox"
        assert violations(page) == []
        page.reload()
        expect(page.locator(".where .chip.off")).to_have_count(1)
        page.locator(".pic-bars [data-k]", has_text="under 40").first.click()  # its name: one click
        expect(chips).to_have_text([re.compile("age"), "band = under 40"])
        page.locator("article.card:has(.pic-bars) .key").first.click()  # a level of the legend
        expect(chips.last).to_have_text("died = 0")
        both = len(study._copy.where("band == 'under 40' and died == 0").whole)
        expect(said).to_have_text(re.compile(rf"^{both} of [\d,]+ rows$"))
        page.get_by_role("button", name="Remove the filter").last.click()
        expect(chips).to_have_count(2)
