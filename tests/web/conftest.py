"""A browser, and a study of visits on a page with the board's scripts."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from tests.browser import launched
from tests.web.running import Board, board_page
from tests.web.visits import visits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

    from discreet.explore import Study

OPEN: list[tuple[ExitStack, Browser]] = []


@pytest.fixture(scope="module")
def chromium() -> Browser:
    """A browser for all modules of these tests that follow each other."""
    if not OPEN:
        stack = ExitStack()
        OPEN.append((stack, stack.enter_context(launched())))
    return OPEN[0][1]


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Close it before others come, of whom some have a loop of their own."""
    if OPEN and (nextitem is None or nextitem.path.parent != item.path.parent):
        OPEN.pop()[0].close()


@pytest.fixture(scope="session")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A study of visits that are made up."""
    return visits(tmp_path_factory.mktemp("visits"))


@pytest.fixture(scope="module")
def board(chromium: Browser, study: Study) -> Iterator[Board]:
    """A page with its rows."""
    with board_page(chromium) as page:
        page.open(study)
        yield page
