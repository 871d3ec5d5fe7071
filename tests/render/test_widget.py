"""A scene as a widget: it holds the scene alone, and draws it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import nbformat
import pytest
from nbclient import NotebookClient

from discreet.render.browser import scene_widget
from discreet.render.scene import Axis, Bars, Panel, Scene, scene_to_plain
from tests.browser import launched
from tests.render.plain import scene_from_plain
from tests.render.quiet import quiet_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser

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
from discreet.render.browser import scene_widget
try:
    scene_widget(Scene(()))
except InputError as error:
    print(error)
"""

NOTEBOOK = """
from discreet.render.scene import Axis, Bars, Panel, Scene
from discreet.render.browser import scene_widget
scene_widget(Scene((Panel((Bars((0.0, 1.0), (5,)),), Axis("age"), Axis("persons")),)))
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser for all tests of this module."""
    with launched() as found:
        yield found


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
    assert repr(widget) == "<a picture of discreet>"


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

    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()

    (output,) = notebook.cells[0].outputs
    assert "application/vnd.jupyter.widget-view+json" in output.data
    assert output.data["text/plain"] == "<a picture of discreet>"
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
