"""A page that draws a scene by itself: nothing else runs in it, and nothing else is asked for."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
import pytest
from nbclient import NotebookClient

from discreet.render.scene import (
    Axis,
    Bars,
    Panel,
    Scene,
    Trapezoids,
    Upright,
    Uprights,
    scene_to_plain,
)
from discreet.render.to_html import parts, scene_page, scene_widget, script
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
FEW = "not reliable here: bmi ± 2.5 (kg/m²)"
FEW_SAID = "Not reliable here: bmi ± 2.5 (kg/m²)"
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

    @pytest.mark.parametrize(
        ("notes", "says", "grey"),
        [
            ((FEW,), FEW_SAID, True),
            ((FEW, "differences between levels of sex may be off: age ± 1"), FEW_SAID, False),
            (("differences between levels of sex may be off: age ± 1",), None, False),
        ],
        ids=["nothing is", "some are", "all are"],
    )
    def test_what_is_not_reliable_is_said_first_and_shown_grey(
        self, browser: Browser, notes: tuple[str, ...], says: str | None, grey: bool, tmp_path: Path
    ) -> None:
        path = tmp_path / "figure.html"
        scene = replace(BARS, notes=notes)
        path.write_text(scene_page(scene, "a", []), encoding="utf-8")

        with quiet_page(browser, own=path.as_uri()) as page:
            page.goto(path.as_uri())
            page.wait_for_selector(".discreet-figure canvas", state="attached")
            first = page.locator(".discreet-unreliable")
            assert first.all_inner_texts() == ([says] if says else [])
            look = "(it) => getComputedStyle(it).opacity"
            opacity = page.locator(".discreet-panels").evaluate(look)
            assert (float(opacity) < 0.5) is grey
            assert "ot reliable" not in page.locator("figcaption").inner_text()
            if says:
                size = "(it) => parseFloat(getComputedStyle(it).fontSize)"
                assert first.evaluate(size) > page.locator("figcaption").evaluate(size)
                assert first.bounding_box()["y"] < page.locator("canvas").last.bounding_box()["y"]  # type: ignore[index]

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


def test_every_part_is_reached_from_the_entry() -> None:
    text = script()
    for name in parts():
        if name != "scene.js":
            constant = f"part_{name.removesuffix('.js').replace('-', '_')}"
            assert text.count(f"const {constant} = (() => {{") == 1


def test_the_whole_imports_nothing_and_exports_what_the_entry_does() -> None:
    text = script()
    assert not re.findall(r"^\s*import\b", text, flags=re.MULTILINE)
    assert re.findall(r"^export (?:default|function (\w+))", text, flags=re.MULTILINE) == [
        "draw",
        "",
    ]


def test_nothing_is_asked_of_others() -> None:
    text = script().replace("http://www.w3.org/2000/svg", "")
    assert not re.findall(r"https?:|fetch\(|XMLHttpRequest|WebSocket|import\(|eval\(", text)
    assert "innerHTML" not in text


@pytest.mark.parametrize("name", sorted(parts()))
def test_parts_are_read_in_one_go(name: str) -> None:
    lines = parts()[name].decode().splitlines()
    code = [line for line in lines if line.strip() and not line.strip().startswith("//")]
    assert len(code) <= 300
    assert lines[0].startswith("// ")


@pytest.mark.parametrize("name", ["whole.mjs", *(f"{n[:-3]}.mjs" for n in sorted(parts()))])
def test_the_scripts_are_scripts(name: str, tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node to check scripts with")
    text = script() if name == "whole.mjs" else parts()[f"{name[:-4]}.js"].decode()
    (tmp_path / name).write_text(text)
    done = subprocess.run(
        [node, "--check", str(tmp_path / name)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


SCENE = Scene((Panel((Bars((0.0, 1.0, 2.0), (5, 7)),), Axis("age"), Axis("persons")),), title="t")

MODEL = """
const held = {};
const model = {
  get: (name) => held[name],
  on: (name, act) => (held[`on ${name}`] = act),
  off: (name) => delete held[`on ${name}`],
};
globalThis.start = (esm, scene) => {
  held.scene = scene;
  const url = URL.createObjectURL(new Blob([esm], { type: "text/javascript" }));
  return import(url).then((found) => found.default.render({ model, el: document.body }));
};
globalThis.change = (scene) => { held.scene = scene; held["on change:scene"](); };
"""

MISSING = """
import sys
sys.modules["anywidget"] = None
from discreet.errors import InputError
from discreet.render.scene import Scene
from discreet.render.to_html import scene_widget
try:
    scene_widget(Scene(()))
except InputError as error:
    print(error)
"""

NOTEBOOK = """
from discreet.render.scene import Axis, Bars, Panel, Scene
from discreet.render.to_html import scene_widget
scene_widget(Scene((Panel((Bars((0.0, 1.0), (5,)),), Axis("age"), Axis("persons")),)))
"""


def test_its_traits_hold_the_scene_alone() -> None:
    widget = scene_widget(SCENE)
    state = widget.get_state()
    # what every widget has: names of classes and modules, layout, and the script
    own = {
        name for name in state if not name.startswith("_") and name not in {"layout", "tabbable"}
    }

    assert own - {"tooltip"} == {"scene"}
    assert state.get("tooltip") is None
    assert scene_from_plain(json.loads(state["scene"])) == SCENE
    assert repr(widget) == "<a plot of discreet>"


def test_it_draws_in_a_browser_and_again_when_the_scene_changes(browser: Browser) -> None:
    with quiet_page(browser) as page:
        page.goto("about:blank")
        page.add_script_tag(content=MODEL)
        esm = scene_widget(SCENE).get_state()["_esm"]
        given = [esm, json.dumps(scene_to_plain(SCENE))]
        page.evaluate(
            "async ([esm, scene]) => { globalThis.end = await start(esm, scene); }", given
        )
        assert page.locator(".discreet-title").inner_text() == "t"
        assert page.locator(".discreet-figure canvas").count() >= 1
        other = Scene(SCENE.panels, title="another")
        page.evaluate("(scene) => change(scene)", json.dumps(scene_to_plain(other)))
        assert page.locator(".discreet-title").all_inner_texts() == ["another"]
        page.evaluate("end()")
        assert page.locator(".discreet-figure").count() == 0


def test_a_notebook_shows_it() -> None:
    cell = {"cell_type": "code", "source": NOTEBOOK, "metadata": {}, "outputs": []}
    plain = {"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": [cell]}
    notebook: Any = nbformat.from_dict(  # type: ignore[no-untyped-call]
        plain | {"cells": [cell | {"execution_count": None}]}
    )

    NotebookClient(notebook, timeout=600, startup_timeout=300, kernel_name="python3").execute()

    (output,) = notebook.cells[0].outputs
    assert "application/vnd.jupyter.widget-view+json" in output.data
    assert output.data["text/plain"] == "<a plot of discreet>"
    (state,) = (
        it["state"]
        for it in notebook.metadata.widgets["application/vnd.jupyter.widget-state+json"][
            "state"
        ].values()
        if "scene" in it["state"]
    )
    assert json.loads(state["scene"])["panels"][0]["x"]["label"] == "age"


def test_without_anywidget_it_says_what_to_install() -> None:
    done = subprocess.run(
        [sys.executable, "-c", MISSING], capture_output=True, text=True, check=True, timeout=120
    )
    assert "pip install 'discreet[jupyter]'" in done.stdout
