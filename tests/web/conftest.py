"""A study of visits on a page with the board's scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.web.running import Board, board_page
from tests.web.visits import visits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

    from discreet.explore import Study


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
