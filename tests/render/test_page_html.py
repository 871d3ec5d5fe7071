"""A page that draws a scene by itself: nothing else runs in it, and nothing else is asked for."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from discreet.render.browser import scene_page
from discreet.render.scene import Axis, Bars, Panel, Scene, Trapezoids, Upright, Uprights
from tests.browser import launched
from tests.render.plain import scene_from_plain
from tests.render.quiet import quiet_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NASTY = '</script><script>globalThis.broken = 1</script><!--"&\u2028<img src=x onerror=broken=2>'
BARS = Scene(
    (Panel((Bars((0.0, 1.0, 2.0), (5, None)),), Axis(NASTY), Axis("persons")),),
    title=NASTY,
    notes=(NASTY,),
)
GAP = Scene(
    (
        Panel(
            (
                Uprights((Upright(NASTY, ("0", "1"), scale=(0.0, 1.0)), Upright("b", ("0", "1")))),
                Trapezoids(0, ((0.1, 0.3, 0.2, 0.8),)),
            ),
            Axis(""),
            Axis(""),
        ),
    )
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser for all tests of this module."""
    with launched() as found:
        yield found


def policy_of(page: str) -> str:
    """Read the content security policy of a page."""
    found = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert found is not None
    return unescape(found[1])


def digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


class TestText:
    def test_the_same_is_the_same_text(self) -> None:
        assert scene_page(BARS, "a", ["b"]) == scene_page(BARS, "a", ["b"])

    def test_its_scene_can_be_read_back(self) -> None:
        page = scene_page(BARS, "a", [])
        found = re.search(r'<script type="application/json" id="scene">(.*?)</script>', page, re.S)
        assert found is not None
        assert scene_from_plain(json.loads(found[1])) == BARS

    def test_names_are_escaped_wherever_they_stand(self) -> None:
        page = scene_page(BARS, NASTY, [NASTY], NASTY)
        assert "globalThis.broken = 1</script>" not in page
        assert page.count("</script>") == 2
        assert "<img" not in page

    def test_the_policy_lets_its_own_script_and_style_run_and_nothing_else(self) -> None:
        page = scene_page(BARS, "a", [])
        rules = dict(rule.strip().split(" ", 1) for rule in policy_of(page).split(";"))
        (code,) = re.findall(r'<script type="module">(.*?)</script>', page, re.S)
        (style,) = re.findall(r"<style>(.*?)</style>", page, re.S)
        assert rules == {
            "default-src": "'none'",
            "script-src": digest(code),
            "style-src": digest(style),
            "img-src": "blob: data:",
            "base-uri": "'none'",
            "form-action": "'none'",
        }
        assert " style=" not in page
        assert not re.search(r"\son\w+=", page.partition("<script")[0])

    def test_it_names_no_address(self) -> None:
        found = re.findall(r"https?://[^\s\"'`]+", scene_page(BARS, "a", []))
        assert set(found) <= {"http://www.w3.org/2000/svg"}


class TestOpened:
    @pytest.mark.parametrize("scene", [BARS, GAP], ids=["bars", "parallel"])
    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_it_opens_from_a_file_and_says_how_it_was_made(
        self, browser: Browser, scene: Scene, scheme: str, tmp_path: Path
    ) -> None:
        path = tmp_path / "figure.html"
        path.write_text(scene_page(scene, NASTY, ["made so", NASTY]), encoding="utf-8")

        with quiet_page(browser, own=path.as_uri(), color_scheme=scheme) as page:
            page.goto(path.as_uri())
            page.wait_for_selector(".discreet-figure canvas", state="attached")
            assert page.locator("h1").inner_text().startswith("</script><script>")
            assert page.locator(".says p").all_inner_texts()[0] == "made so"
            assert page.evaluate("globalThis.broken") is None
            assert page.locator("img").count() == 0

    def test_a_script_that_is_put_into_it_does_not_run(
        self, browser: Browser, tmp_path: Path
    ) -> None:
        path = tmp_path / "figure.html"
        whole = scene_page(GAP, "a", [])
        put_in = "<script>globalThis.broken = 3</script><body onload='globalThis.broken = 4'>"
        path.write_text(whole.replace("<body>", put_in), encoding="utf-8")
        page = browser.new_page()
        page.goto(path.as_uri())
        page.wait_for_selector(".discreet-figure canvas", state="attached")

        assert page.evaluate("globalThis.broken") is None
        assert page.evaluate("fetch('data:text/plain,x').then(() => 1, () => 0)") == 0
        page.close()

    @pytest.mark.parametrize(
        ("form", "head"), [("svg", b"<svg xmlns"), ("png", b"\x89PNG\r\n\x1a\n")]
    )
    def test_a_picture_is_saved_from_it(
        self, browser: Browser, form: str, head: bytes, tmp_path: Path
    ) -> None:
        path = tmp_path / "figure.html"
        path.write_text(scene_page(GAP, "a", [], "parallel-a-b"), encoding="utf-8")
        with quiet_page(browser, own=path.as_uri()) as page:
            page.goto(path.as_uri())
            with page.expect_download() as download:
                page.locator(f"#{form}").click()
            assert download.value.suggested_filename == f"parallel-a-b.{form}"
            assert Path(download.value.path()).read_bytes().startswith(head)

    def test_without_script_the_words_are_there(self, browser: Browser, tmp_path: Path) -> None:
        path = tmp_path / "figure.html"
        path.write_text(scene_page(GAP, "a", ["made so"]), encoding="utf-8")
        with quiet_page(browser, own=path.as_uri(), java_script_enabled=False) as page:
            page.goto(path.as_uri())
            assert page.locator(".says").inner_text() == "made so"
            assert not page.locator(".bar").is_visible()
            assert "is not allowed to run" in page.locator("main").inner_text()
