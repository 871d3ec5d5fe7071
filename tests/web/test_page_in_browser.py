"""The board's file in Chromium: opened from a folder and within a notebook, it works by itself."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote
from xml.etree.ElementTree import fromstring, parse

import pytest
from playwright.sync_api import expect

from discreet.web.parts import widget_script
from tests.web.visits import visits

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from discreet.web.board import Board

pytestmark = pytest.mark.slow

LOG = quote("log(marker)")
CARDS = {
    "scatter": "scatter:age,change:by=band",
    "survival": "survival:months,died:by=arm",
    "histogram": "histogram:log_marker",
    "parallel": "parallel:age,change,band",
    "means": "means:age:by=arm",
}
"""By their kinds, as they stand in an address."""


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Board:
    return visits(tmp_path_factory.mktemp("visits")).board()


@pytest.fixture(scope="module")
def file(board: Board, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return board.save(tmp_path_factory.mktemp("board") / "board.html")


@contextmanager
def opened(chromium: Browser, width: int) -> Iterator[Page]:
    """Open a page; at the end nothing was asked of anybody, and nothing went wrong."""
    context = chromium.new_context(
        viewport={"width": width, "height": 844}, color_scheme="dark" if width < 800 else "light"
    )
    page = context.new_page()
    wrong: list[str] = []
    asked: list[str] = []
    page.on("console", lambda it: wrong.append(it.text))
    page.on("pageerror", lambda it: wrong.append(str(it)))
    page.on("request", lambda it: asked.append(it.url[:5]))
    yield page
    context.close()
    assert wrong == []
    assert {*asked} <= {"file:", "blob:"}


def set_address(page: Page, hash: str) -> None:
    page.evaluate("(it) => { location.hash = it; }", hash)


def test_all_that_needs_no_server_works_from_the_file(
    chromium: Browser, board: Board, file: Path
) -> None:
    with opened(chromium, 390) as page:
        page.goto(file.as_uri())
        page.locator(".mini .pic svg").nth(len(board.columns) - 1).wait_for()
        assert page.locator(".mini").count() == len(board.columns)
        assert "nobody's. Each group behind them" in page.locator(".promise").inner_text()
        first = page.locator(".first")
        first.nth(3).locator("svg").wait_for()
        assert "(95 % interval" in first.nth(0).inner_text()
        first.nth(1).get_by_role("button", name="Draw Age across band").press("Enter")
        page.locator(".card .pic-box svg").wait_for()
        page.go_back()
        first.nth(0).wait_for()
        set_address(page, f"new=log_marker:{LOG}&where={quote('age >= 50')}")
        page.locator(".mini[data-column=log_marker] .pic svg").wait_for()
        assert first.count() == 0  # sentences are of all rows
        page.locator(".mini[data-column=band] .pic svg [data-m]").first.click()
        held = page.locator(".held")
        held.wait_for()
        assert held.inner_text().startswith("Highlighted")
        page.locator("[data-act=keep]").click()
        page.wait_for_function("location.hash.includes('band')")
        page.go_back()
        page.wait_for_function("!location.hash.includes('band')")
        for kind, spec in CARDS.items():
            set_address(page, f"new=log_marker:{LOG}&where={quote('age >= 50')}&cards={spec}")
            page.locator(f".pic-{kind} :is(svg, table, canvas)").first.wait_for()
            assert "rows" in page.locator(".card .foot").inner_text()
            of = page.locator(".ctl .of").all_inner_texts()
            assert of == {"survival": ["arm"], "scatter": ["band"]}.get(kind, [])
            if kind == "histogram":
                assert " have no log_marker" in page.locator(".card .foot").inner_text()
        page.reload()
        page.locator(".pic-means table").wait_for()
        sorted_by_mean(page)


def sorted_by_mean(page: Page) -> None:
    """Sort the lines of a table by a column, down and up; that of all rows stays last."""
    names, head = page.locator(".figs tbody th"), page.locator(".figs thead button[data-by=mean]")
    means = page.locator(".figs tbody td:nth-child(3)")
    for way in ("descending", "ascending"):
        head.press("Enter")
        expect(page.locator(f".figs th[aria-sort={way}]")).to_have_text(re.compile("^mean"))
        expect(head).to_be_focused()
        found = [float(it) for it in means.all_inner_texts()[:-1]]
        assert found == sorted(found, reverse=way == "descending")
        assert names.all_inner_texts()[-1] == "all"
    assert ":sort=mean&" in page.url


def test_everything_is_found_and_done_by_the_keyboard(chromium: Browser, file: Path) -> None:
    with opened(chromium, 1280) as page:
        page.goto(file.as_uri())
        page.locator(".mini .pic svg").first.wait_for()
        keys = page.keyboard
        keys.press("Control+k")
        field = page.get_by_role("combobox", name="Find anything")
        expect(field).to_be_focused()
        field.fill("marker empirical")
        keys.press("Enter")
        page.locator(".pic-ecdf svg").wait_for()
        keys.press("Control+k")
        field.fill("band bar")
        keys.press("Enter")
        page.locator(".card .pic-bars svg").wait_for()
        keys.press("Control+k")
        field.fill("marker go")
        keys.press("Enter")
        expect(page.locator("article.card").nth(0)).to_be_focused()
        menu = page.locator("article.card").nth(0).locator("[data-act=menu]")
        menu.press("Enter")
        lines = page.locator("#pop > *:not(hr)").count()
        assert 5 <= lines <= 9
        page.locator("#pop [data-act=later]").press("Enter")
        later = page.locator("article.card").nth(1)
        later.locator(".pic-ecdf svg").wait_for()
        expect(later.locator("[data-act=menu]")).to_be_focused()
        keys.press("Enter")
        page.locator("#pop [data-act=kinds]").press("Enter")
        page.locator("#pop").get_by_role("button", name="Histogram", exact=True).press("Enter")
        page.locator(".card .pic-histogram svg").wait_for()
        expect(later.locator("[data-act=menu]")).to_be_focused()
        keys.press("Enter")
        page.locator("#pop [data-act=remove]").press("Enter")
        expect(page.locator("article.card")).to_have_count(1)
        expect(page.locator("article.card [data-act=menu]")).to_be_focused()
        keys.press("Shift+?")
        expect(page.get_by_role("heading", name="Keys")).to_be_focused()
        assert "Find anything" in page.locator("dl.keys").inner_text()
        keys.press("Escape")
        expect(page.locator("article.card [data-act=menu]")).to_be_focused()
        keys.press("Control+k")
        keys.press("Escape")
        keys.press("Escape")
        expect(page.locator("#pop")).to_be_hidden()


def test_a_board_has_a_name_words_and_is_presented(
    chromium: Browser, file: Path, tmp_path: Path
) -> None:
    note = "5 % of them, at most;\nso it is: true"
    with opened(chromium, 1280) as page:
        page.goto(f"{file.as_uri()}#cards={CARDS['scatter']};histogram:age")
        cards, pop = page.locator("article.card"), page.locator("#pop")
        cards.nth(1).locator(".pic svg").wait_for()
        cards.nth(0).locator("[data-act=menu]").click()
        pop.locator("[data-act=words]").click()
        pop.get_by_label("Title").fill("true")
        pop.get_by_label("Note").fill(note)
        pop.get_by_role("button", name="Write it").click()
        expect(cards.nth(0).locator(".note")).to_have_text(note)
        expect(cards.nth(0).locator("[data-act=menu]")).to_be_focused()
        page.locator("[data-act=text]").click()
        pop.get_by_label("Text").fill("<b>What we saw</b>")
        pop.get_by_role("button", name="Write it").click()
        expect(cards.nth(2).locator(".note")).to_have_text("<b>What we saw</b>")
        page.locator("[data-act=boards]").click()
        pop.get_by_label("Name of this board").fill("Change & age")
        with page.expect_download() as download:
            pop.get_by_role("button", name="Save as a file").click()
        assert download.value.suggested_filename == "change-age.json"
        download.value.save_as(tmp_path / "board.json")
        page.locator("[data-act=present]").click()
        expect(cards.nth(0)).to_be_focused()
        assert [it.is_visible() for it in cards.all()] == [True, False, False]
        page.keyboard.press("ArrowRight")
        page.keyboard.press("End")
        expect(page.locator(".presents span")).to_have_text("3 of 3")
        assert [it.is_visible() for it in cards.all()] == [False, False, True]
        page.keyboard.press("Escape")
        expect(cards.nth(2)).to_be_focused()
        assert page.locator(".presents").count() == 0
        page.emulate_media(media="print")
        assert not page.locator(".rail").is_visible()
        assert all(it.is_visible() for it in cards.all())
        page.emulate_media(media="screen")
        open_files(page, tmp_path)
        expect(cards).to_have_count(3)
        expect(page.locator(".named")).to_have_text("Change & age")
        assert cards.nth(0).locator("h2").inner_text() == "true"
        assert cards.nth(0).locator(".note").inner_text() == note
    kept = json.loads((tmp_path / "board.json").read_text(encoding="utf-8"))
    assert kept["board"] == "Change & age"
    assert kept["state"].startswith("cards=scatter:age,change:by=band:title=true:note=5%20%25")


def open_files(page: Page, folder: Path) -> None:
    """Open a file that holds no board, which is said, and then one that does."""
    set_address(page, "")
    page.locator(".mini .pic svg").first.wait_for()
    (folder / "other.json").write_text('{"state": 1}', encoding="utf-8")
    for name in ("other", "board"):
        page.locator("[data-act=boards]").click()
        page.locator("#pop input[type=file]").set_input_files(folder / f"{name}.json")
        if name == "other":
            page.get_by_text("This file holds no board.").wait_for()
            page.keyboard.press("Escape")


def test_pictures_are_saved_from_the_file(chromium: Browser, file: Path, tmp_path: Path) -> None:
    with opened(chromium, 1280) as page:
        page.goto(f"{file.as_uri()}#cards=histogram:age&where={quote('age >= 50')}")
        page.locator(".pic-histogram svg").wait_for()
        saved = {}
        for form in ("JSON", "HTML", "SVG", "PNG"):
            page.locator("[data-act=menu]").click()
            with page.expect_download() as download:
                page.locator(f"[data-act=save][data-form={form}]").click()
            download.value.save_as(tmp_path / form)
            saved[form] = (tmp_path / form).read_bytes()
        page.locator("[data-act=menu]").click()
        assert page.locator("[data-act=save]").all_inner_texts() == [
            *("SVG", "PNG", "HTML", "JSON")
        ]
        for act in ("link", "hand-in", "ask-data"):
            assert page.locator(f"[data-act={act}]").count() == 0
        assert "No server seals these files." in page.locator("#pop").inner_text()
        (tmp_path / "saved.html").write_bytes(saved["HTML"])
        page.goto((tmp_path / "saved.html").as_uri())
        assert "drawn from the protected copy" in page.locator("svg text").all_text_contents()[-2]
        held = json.loads(page.locator("#view").text_content() or "")
    told = json.loads(saved["JSON"])
    assert held == told
    about = fromstring(saved["SVG"]).findtext("{*}metadata")
    assert {**json.loads(about or ""), "view": told["view"]} == told
    assert f'"digest": "{told["digest"]}"'.replace(" ", "").encode() in saved["PNG"]
    assert f"view {told['digest'][:8]}".encode() in saved["SVG"]
    assert (told["k"], told["spec"]["kind"]) == (5, "histogram")
    assert told["where"] == ["age >= 50"]
    assert told["view"]["edges"][0] >= 45
    assert saved["SVG"].startswith(b"<svg ")
    assert saved["PNG"].startswith(b"\x89PNG")


def test_what_needs_python_says_so_with_the_line(chromium: Browser, file: Path) -> None:
    with opened(chromium, 1280) as page:
        page.goto(f"{file.as_uri()}#cards=model:age:formula={quote('change ~ age')}")
        page.locator(".card .py").wait_for()
        assert "need Python" in page.locator(".card .no").inner_text()
        assert page.locator(".card .py").inner_text() == 'study.model("change ~ age")'
        assert 'Models are fitted in Python: study.model("' in page.locator(".free").inner_text()
        page.locator('.col[data-column="age"]').click()
        assert page.locator("[data-act=model], [data-act=edit-model]").count() == 0
        page.locator('.col[data-column="age"]').click()
        set_address(page, "cards=histogram:age")
        page.locator(".pic-histogram svg").wait_for()
        page.locator("[data-act=about]").click()
        assert page.locator(".drawer .py").inner_text() == 'study.histogram("age")'
        assert "How far the copy is off" not in page.locator(".drawer").inner_text()
        for spec in ("box:age:by=band", "over_time:visit,age"):
            set_address(page, f"cards={spec}")
            page.locator(".card .pic svg").wait_for()
            page.locator("[data-act=about]").click()
            expect(page.locator(".drawer")).to_contain_text("How far the copy is off is not known")


HOSTILE = 'a="1"); __import__("os").system("id"); f(b'
"""A name of a new column, which an address that somebody sends may hold."""


def test_names_that_scripts_and_python_have_a_meaning_for_are_names(
    chromium: Browser, file: Path, tmp_path: Path
) -> None:
    new = [("toString", "cut(age, 40, 60)"), ("nb\u00a0sp", "age * 2"), (HOSTILE, "age")]
    told = ",".join(f"{quote(name, safe='')}:{quote(text, safe='')}" for name, text in new)
    with opened(chromium, 1280) as page:
        page.goto(f"{file.as_uri()}#new={told}&cards=means:age:by=toString")
        page.locator(".pic-means table").wait_for()
        set_address(page, f"new={told}&cards=histogram:age:columns=x:kind=x")
        page.locator(".pic-histogram svg").wait_for()
        page.locator("[data-act=about]").click()
        line = page.locator(".drawer .py").inner_text()
        set_address(page, f"new={told}&cards=histogram:;bars:;histogram:{quote(new[1][0])}")
        page.get_by_text("Pictures · 1").wait_for()
        page.locator(".pic-histogram svg").wait_for()
        for form in ("SVG", "PNG"):
            page.locator("[data-act=menu]").click()
            with page.expect_download() as download:
                page.locator(f"[data-act=save][data-form={form}]").click()
            download.value.save_as(tmp_path / form)
    assert parse(tmp_path / "SVG").getroot().tag.endswith("svg")
    (call,) = [it.value for it in ast.parse(line).body if isinstance(it, ast.Expr)]
    assert {it.id for it in ast.walk(call) if isinstance(it, ast.Name)} == {"study"}
    assert HOSTILE in {it.value for it in ast.walk(call) if isinstance(it, ast.Constant)}


MODEL = """
(async ([esm, page]) => {
  const held = { page, title: "The board of visits" };
  const model = { get: (name) => held[name], on: () => {}, off: () => {} };
  const script = URL.createObjectURL(new Blob([esm], { type: "text/javascript" }));
  (await import(script)).default.render({ model, el: document.body });
})
"""


def test_within_a_notebook_steps_are_kept_in_memory(chromium: Browser, board: Board) -> None:
    with opened(chromium, 1280) as page:
        page.goto("about:blank")
        page.evaluate(MODEL, [widget_script(), board.to_html()])
        inner = page.frame_locator("iframe")
        inner.locator(".mini .pic svg").nth(len(board.columns) - 1).wait_for()
        frame = page.locator("iframe")
        assert frame.get_attribute("title") == "The board of visits"
        assert frame.bounding_box()["height"] == 720  # type: ignore[index]
        page.get_by_text("Full height").click()
        assert frame.bounding_box()["height"] == 796  # type: ignore[index]
        inner.locator(".mini[data-column=age] .pick").click()
        inner.locator(".dock [data-act=make]").first.click()
        inner.locator(".pic-histogram svg").wait_for()
        inner.locator("[data-act=undo]").click()
        inner.locator(".mini .pic svg").first.wait_for()
        inner.locator("[data-act=redo]").click()
        inner.locator(".pic-histogram svg").wait_for()
        assert page.url == "about:blank"
