"""Frames of parallel coordinates in a browser: how smooth it is to hover and to drag an axis.

Trapezoids over six axes, on a stage 1200 pixels wide, in Chromium without a screen. Each frame
moves the pointer over the gaps, or an axis to and fro, and the time from frame to frame is taken by
the page itself (`requestAnimationFrame`); a screen has one each 16.7 ms. First paint is from the
call of `draw` to the second frame after it. Run it as `python -m benchmarks.frames`; needs
Playwright and Chromium.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.render.scene import (
    Axis,
    Mark,
    Panel,
    Scene,
    Trapezoids,
    Upright,
    Uprights,
    scene_to_plain,
)
from discreet.render.to_html import script

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["HOVER", "PAINT", "SIZE", "main", "scene_of"]

AXES = 6
SIZE = (1200, 600)
COUNTS = (2_000, 5_000)
FRAMES = 240
GOAL_MS, GOAL_PAINT_MS = 16.7, 500.0

HOVER = """async ([frames, width, height]) => {
  const stage = document.querySelector(".discreet-stage");
  const box = stage.getBoundingClientRect();
  const times = [];
  let before = await new Promise(requestAnimationFrame);
  for (let i = 0; i < frames; i += 1) {
    const share = i / frames;
    const at = { clientX: box.left + box.width * (0.05 + 0.9 * share), bubbles: true,
      clientY: box.top + box.height * (0.55 + 0.35 * Math.sin(23 * share)), pointerType: "mouse" };
    stage.dispatchEvent(new PointerEvent("pointermove", at));
    const now = await new Promise(requestAnimationFrame);
    times.push(now - before);
    before = now;
  }
  return times;
}"""

# Without capture: it is for pointers that there are.
DRAG = """async ([frames]) => {
  Element.prototype.setPointerCapture = () => {};
  const head = document.querySelectorAll(".discreet-axis")[2];
  const box = head.getBoundingClientRect();
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
  const more = { clientY: y, bubbles: true, pointerId: 1 };
  const send = (name, clientX) =>
    head.dispatchEvent(new PointerEvent(name, { clientX, ...more }));
  const times = [];
  send("pointerdown", x);
  let before = await new Promise(requestAnimationFrame);
  for (let i = 0; i < frames; i += 1) {
    send("pointermove", x + 150 * Math.sin(i / 15));
    const now = await new Promise(requestAnimationFrame);
    times.push(now - before);
    before = now;
  }
  send("pointerup", x);
  return times;
}"""

PAINT = """async (scene) => {
  const host = document.querySelector("main");
  const before = performance.now();
  globalThis.drawing = draw(host, scene, { table: false });
  await new Promise(requestAnimationFrame);
  await new Promise(requestAnimationFrame);
  return performance.now() - before;
}"""


def main() -> None:
    """Print a line for each number of trapezoids."""
    parser = argparse.ArgumentParser(description="Time the frames of parallel coordinates.")
    parser.add_argument("--quick", action="store_true", help="a quarter of the frames")
    frames = FRAMES // 4 if parser.parse_args().quick else FRAMES
    path = shutil.which("chromium")
    if path is None:
        print("there is no chromium, so no frames are timed")
        return
    from playwright.sync_api import sync_playwright

    print(
        f"frames of {AXES} axes, {SIZE[0]} x {SIZE[1]}, load {os.getloadavg()[0]:.2f}; median / p95"
    )
    print(f"goals: {GOAL_MS} ms a frame, {GOAL_PAINT_MS:.0f} ms to the first paint")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for count in COUNTS:
            page = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]})
            print(_line(count, *_timed(page, count, frames)))
            page.close()
        browser.close()


def scene_of(count: int) -> Scene:
    """Make a scene of so many clusters over the gaps; each joins some clusters of the next gap."""
    each = count // (AXES - 1)
    random = np.random.default_rng(7)
    gaps: list[Mark] = []
    for gap in range(AXES - 1):
        middles = random.beta(2, 3, (each, 2))
        halves = random.gamma(1.5, 0.012, (each, 2))
        low, high = np.clip(middles - halves, 0, 1), np.clip(middles + halves, 0, 1)
        ends = np.round(np.stack([low[:, 0], high[:, 0], low[:, 1], high[:, 1]], axis=1), 4)
        pairs = np.stack(
            [np.repeat(np.arange(each), 3), random.integers(0, each, 3 * each)], axis=1
        )
        joins = sorted({(int(a), int(b)) for a, b in pairs}) if gap < AXES - 2 else []
        gaps.append(Trapezoids(gap, tuple(map(tuple, ends.tolist())), joins=tuple(joins)))
    axes = tuple(Upright(f"axis {i}", ("0", "100"), scale=(0.0, 100.0)) for i in range(AXES))
    return Scene((Panel((Uprights(axes), *gaps), Axis(""), Axis("")),))


def _timed(page: Page, count: int, frames: int) -> tuple[float, Sequence[float], Sequence[float]]:
    """Time the first paint, and frames of hovering and of dragging."""
    page.set_content("<main></main>")
    code = f"{script()}\nglobalThis.draw = draw;"
    page.add_script_tag(content=code, type="module")
    page.wait_for_function("globalThis.draw !== undefined")
    plain: Any = json.loads(json.dumps(scene_to_plain(scene_of(count))))
    first = float(page.evaluate(PAINT, plain))
    page.wait_for_timeout(1000)
    hover = page.evaluate(HOVER, [frames, *SIZE])
    return first, hover, page.evaluate(DRAG, [frames])


def _line(count: int, first: float, hover: Sequence[float], drag: Sequence[float]) -> str:
    both = [
        f"{statistics.median(times):5.1f} / {np.quantile(times, 0.95):5.1f} ms"
        for times in (hover, drag)
    ]
    return f"{count:>6} trapezoids: hover {both[0]}, drag {both[1]}, first paint {first:.0f} ms"


if __name__ == "__main__":
    main()
