"""Pictures of rows: computed in the browser as they are by the package."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser import chromium
from tests.serve.cohort import opened
from tests.web.running import Board, board_page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

    from discreet.explore import Study

__all__ = ["chromium"]

RULES = """
[roles]
patient = "identifier"
"""
BESIDE = ("discreet", "method", "parameters", "suppressed", "origin", "provenance")


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A study of public measurements."""
    return opened(tmp_path_factory.mktemp("clinic"), RULES)


@pytest.fixture(scope="module")
def board(chromium: Browser, study: Study) -> Iterator[Board]:
    """A page with its rows."""
    with board_page(chromium) as page:
        page.open(study)
        yield page


def plain(view: Any) -> dict[str, Any]:
    """Return the numbers of a view, and how many rows it shows."""
    found = json.loads(view.to_json())
    shown = found["origin"]["shown"]
    return {**{n: it for n, it in found.items() if n not in BESIDE}, "shown": shown}


@pytest.mark.parametrize("column", ["age", "bmi", "glucose", "progression"])
def test_a_histogram(board: Board, study: Study, column: str) -> None:
    (found,) = board.views({"kind": "histogram", "columns": [column]})
    assert found["view"] == plain(study.histogram(column))
