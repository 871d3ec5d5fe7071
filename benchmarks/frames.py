"""Frames of parallel coordinates in a browser: how smooth it is to hover.

Clusters over six axes, on a page 1200 pixels wide, in Chromium without a screen. Each frame moves
the pointer over the gaps, and the time from frame to frame is taken by the page itself
(`requestAnimationFrame`); a screen has one each 16.7 ms. First paint is from the call of `draw` to
the second frame after it. Run it as `python -m benchmarks.frames`; needs Playwright and Chromium.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.web.parts import figure_style, script_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["HOVER", "SIZE", "main", "painted"]

AXES = 6
PIXELS = 400
SIZE = (1200, 600)
COUNTS = (2_000, 5_000)
FRAMES = 240
GOAL_MS, GOAL_PAINT_MS = 16.7, 500.0

HOVER = """async ([frames]) => {
  const pic = document.querySelector(".pic");
  const box = pic.getBoundingClientRect();
  const times = [];
  let before = await new Promise(requestAnimationFrame);
  for (let i = 0; i < frames; i += 1) {
    const share = i / frames;
    const clientX = box.left + box.width * (0.05 + 0.9 * share);
    const clientY = box.top + box.height * (0.55 + 0.35 * Math.sin(23 * share));
    const at = document.elementFromPoint(clientX, clientY) || pic;
    const how = { clientX, clientY, bubbles: true, pointerType: "mouse" };
    at.dispatchEvent(new PointerEvent("pointermove", how));
    const now = await new Promise(requestAnimationFrame);
    times.push(now - before);
    before = now;
  }
  return times;
}"""

PAINT = """async (view) => {
  const before = performance.now();
  draw(document.querySelector("main"), view);
  await new Promise(requestAnimationFrame);
  await new Promise(requestAnimationFrame);
  return performance.now() - before;
}"""


def main() -> None:
    """Print a line for each number of clusters."""
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
            first = painted(page, count)
            page.wait_for_timeout(1000)
            print(_line(count, first, page.evaluate(HOVER, [frames])))
            page.close()
        browser.close()


def painted(page: Page, count: int) -> float:
    """Draw so many clusters on a page; return the milliseconds to the first paint."""
    page.set_content("<main></main>")
    page.add_style_tag(content=figure_style())
    code = script_of('import { draw } from "./figure/any.js";\nglobalThis.draw = draw;')
    page.add_script_tag(content=code, type="module")
    page.wait_for_function("globalThis.draw !== undefined")
    return float(page.evaluate(PAINT, _view_of(count)))


def _view_of(count: int) -> dict[str, Any]:
    """Return the JSON of so many clusters over the gaps; each joins some of the next gap."""
    each = count // (AXES - 1)
    random = np.random.default_rng(7)
    middles = random.integers(20, PIXELS - 20, (AXES - 1, each, 2))
    halves = random.integers(1, 12, (AXES - 1, each, 2))
    ends = np.stack([middles - halves, middles + halves], axis=-1).reshape(AXES - 1, each, 4)
    joins = random.integers(0, each, (AXES - 2, 3 * each))
    return {
        "kind": "parallel",
        "columns": [f"axis {i}" for i in range(AXES)],
        "axes": [
            {"name": f"axis {i}", "low": 0, "high": 100, "levels": [], "bands": []}
            for i in range(AXES)
        ],
        "pixels": PIXELS,
        "clusters": ends.tolist(),
        "joins": [[[i // 3, to] for i, to in enumerate(row)] for row in joins.tolist()],
        "parameters": {"k": 3},
        "origin": {},
    }


def _line(count: int, first: float, hover: Sequence[float]) -> str:
    p95 = statistics.quantiles(hover, n=20)[-1]
    return (
        f"{count:6,} clusters: first paint {first:4.0f} ms,"
        f" hover {statistics.median(hover):4.1f} / {p95:4.1f} ms"
    )


if __name__ == "__main__":
    main()
