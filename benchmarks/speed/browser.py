"""What moves in a browser, beside a page of which nothing is drawn, for as many frames.

A board of sixteen cards whose bars are pointed at one after the other, and parallel coordinates
over which the pointer moves, in Chromium without a screen. A screen has 60 frames a second, so a
ratio of 1 is as smooth as can be. `benchmarks.board` and `benchmarks.frames` say how the times of
single frames are spread.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.board import LIT, SIZE, draw_cards, page_of
from benchmarks.frames import HOVER, painted
from benchmarks.job import Job, Race

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["JOBS"]

FRAMES = 60
STILL = """async (frames) => {
  const times = [];
  for (let i = 0; i < frames; i += 1) times.push(await new Promise(requestAnimationFrame));
  return times;
}"""


def _race(drawn: Callable[[Page, int, Path], Callable[[], Any]], n: int, folder: Path) -> Race:
    from playwright.sync_api import sync_playwright

    with ExitStack() as stack:  # closes what has begun, should the rest fail
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        stack.callback(browser.close)
        page, still = (browser.new_page(viewport=SIZE) for _ in range(2))  # type: ignore[arg-type]
        moved = drawn(page, n, folder)

        def ours() -> Any:
            page.bring_to_front()
            return moved()

        def peer() -> Any:
            still.bring_to_front()
            return still.evaluate(STILL, FRAMES)

        return Race(ours, peer, lambda one, other: len(one) == len(other), stack.pop_all().close)


def _board(page: Page, n: int, folder: Path) -> Callable[[], Any]:
    path = folder / f"board-{n}.html"
    path.write_text(page_of(n), encoding="utf-8")
    page.goto(path.as_uri())
    draw_cards(page)
    return lambda: page.evaluate(LIT, [FRAMES])


def _parallel(page: Page, n: int, _: Path) -> Callable[[], Any]:
    painted(page, n)
    return lambda: page.evaluate(HOVER, [FRAMES])


def _job(
    name: str,
    drawn: Callable[[Page, int, Path], Callable[[], Any]],
    sizes: tuple[int, int],
    tiny: int,
) -> Job:
    needs = ("playwright", "chromium")
    peer = f"{FRAMES} still frames"
    race, clock = partial(_race, drawn), time.perf_counter
    return Job(name, peer, sizes, tiny, race, rounds=3, clock=clock, needs=needs)


JOBS = [
    _job("pointing at 60 bars of a board", _board, (10_000, 300_000), 1_000),
    _job("60 moves over parallel coordinates", _parallel, (2_000, 5_000), 50),
]
