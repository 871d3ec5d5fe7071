"""A browser for tests of pages: Debian's Chromium, or a reason to skip them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = ["chromium", "launched"]


@contextmanager
def launched() -> Iterator[Browser]:
    """Start Chromium, or skip where there is none."""
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("there is no chromium; on Debian: apt-get install chromium")
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=20_000)  # a loaded machine takes its time
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A browser of its own for each module of tests."""
    with launched() as browser:
        yield browser
