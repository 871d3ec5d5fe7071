"""Pages that must not say anything in the console nor ask for anything but themselves."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from discreet.render.scene import Scene, scene_to_plain
from discreet.render.to_html import script

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

__all__ = ["quiet_page", "scene_drawn"]


@contextmanager
def quiet_page(browser: Browser, *, own: str = "about:blank", **how: Any) -> Iterator[Page]:
    """Open a page; at its end, check that it had no error and asked for `own` and blobs alone."""
    page = browser.new_page(**{"viewport": {"width": 1000, "height": 800}, **how})
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    try:
        yield page
        assert said == []
        assert [url for url in asked if url != own and not url.startswith("blob:")] == []
    finally:
        page.close()


@contextmanager
def scene_drawn(
    browser: Browser, scene: Scene, options: Mapping[str, Any] | None = None, **how: Any
) -> Iterator[Page]:
    """Draw a scene by script; what `onOrder` and `onRefused` are called with is kept in `calls`."""
    with quiet_page(browser, **how) as page:
        page.set_content("<!DOCTYPE html><html lang=en><body><main></main></body></html>")
        code = f"{script()}\nglobalThis.draw = draw; globalThis.calls = [];"
        page.add_script_tag(content=code, type="module")
        page.wait_for_function("globalThis.draw !== undefined")
        given = json.dumps([scene_to_plain(scene), dict(options or {})])
        page.evaluate(
            """(given) => {
              const [scene, options] = JSON.parse(given);
              const onOrder = (from, to) => void calls.push(["order", from, to]);
              const onRefused = (why) => void calls.push(["refused", why]);
              const all = { onOrder, onRefused, ...options };
              globalThis.drawing = draw(document.querySelector("main"), scene, all);
            }""",
            given,
        )
        yield page
