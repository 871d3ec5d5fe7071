"""A browser for tests of pages: Debian's Chromium, or a reason to skip them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Container, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, BrowserContext, Page

__all__ = ["chromium", "close_before", "launched"]

#: How many times slower than it could a page runs: so tests that race with it are found.
SLOW = float(os.environ.get("DISCREET_SLOW_BROWSER", "1"))
PATIENCE = 120_000  # milliseconds: a loaded machine takes its time


@contextmanager
def launched() -> Iterator[Browser]:
    """Start Chromium, or skip where there is none."""
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("there is no chromium; on Debian: apt-get install chromium")
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox"], timeout=PATIENCE
        )
        with patch.multiple(browser, **patient(browser)):
            yield browser
        browser.close()


def patient(browser: Browser) -> dict[str, Any]:
    """Return ways to a page that wait for it long enough, and make it as slow as `SLOW` says."""
    plain_page, plain_context = browser.new_page, browser.new_context

    def slow(page: Page) -> Page:
        page.set_default_timeout(PATIENCE)
        if SLOW > 1:
            session = page.context.new_cdp_session(page)
            session.send("Emulation.setCPUThrottlingRate", {"rate": SLOW})
        return page

    def context(**how: Any) -> BrowserContext:
        made = plain_context(**how)
        plain = made.new_page
        made.new_page = lambda: slow(plain())  # type: ignore[method-assign]
        return made

    return {"new_page": lambda **how: slow(plain_page(**how)), "new_context": context}


OPEN: list[tuple[ExitStack, Browser]] = []


@pytest.fixture(scope="module")
def chromium() -> Browser:
    """A browser for all modules of these tests, which follow each other."""
    if not OPEN:
        stack = ExitStack()
        OPEN.append((stack, stack.enter_context(launched())))
    return OPEN[0][1]


def close_before(following: pytest.Item | None, pages: Container[Path]) -> None:
    """Close the browser before tests of no page come, of which some have a loop of their own."""
    if OPEN and (following is None or following.path not in pages):
        OPEN.pop()[0].close()
