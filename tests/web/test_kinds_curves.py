"""Boxes and curves of rows: computed in the browser as they are by the package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from discreet.errors import DiscreetError
from tests.browser import chromium
from tests.web.running import Board, board_page
from tests.web.test_kinds import plain
from tests.web.visits import visits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

    from discreet.study import Study

__all__ = ["chromium"]


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A study of visits."""
    return visits(tmp_path_factory.mktemp("visits"))


@pytest.fixture(scope="module")
def board(chromium: Browser, study: Study) -> Iterator[Board]:
    """A page with its rows."""
    with board_page(chromium) as page:
        page.open(study)
        yield page


def near(found: Any, wanted: Any) -> bool:
    """Compare plain values, numbers to a billionth."""
    if isinstance(wanted, dict):
        return found.keys() == wanted.keys() and all(near(found[n], wanted[n]) for n in wanted)
    if isinstance(wanted, list):
        return len(found) == len(wanted) and all(map(near, found, wanted))
    if isinstance(wanted, float):
        return bool(found == pytest.approx(wanted, rel=1e-9, abs=1e-12))
    return bool(found == wanted)


def check(board: Board, study: Study, kind: str, *columns: str, **how: Any) -> dict[str, Any]:
    """Compare the view of the browser with that of the package; return the former."""
    by = {"by": [how["by"]]} if "by" in how else {}
    (found,) = board.views({"kind": kind, "columns": [*columns], **how, **by})
    assert "view" in found, found
    view: dict[str, Any] = found["view"]
    wanted = plain(getattr(study, kind)(*columns, source="copy", **how))
    different = [name for name in wanted if not near(view[name], wanted[name])]
    assert different == []
    return view


@pytest.mark.parametrize("column", ["age", "marker", "change", "visit"])
@pytest.mark.parametrize("by", [None, "band", "arm", "died"])
def test_boxes(board: Board, study: Study, column: str, by: str | None) -> None:
    view = check(board, study, "box", column, **({"by": by} if by else {}))
    assert sum(sum(it["counts"]) for it in view["ridges"]) == view["shown"]


def test_boxes_of_several_columns_are_of_the_rows_that_have_all(board: Board, study: Study) -> None:
    check(board, study, "box", "change", "marker", "months")


@pytest.mark.parametrize("how", [{}, {"by": "band"}, {"by": "year"}, {"event_is": "0"}])
def test_survival(board: Board, study: Study, how: dict[str, Any]) -> None:
    check(board, study, "survival", "months", "died", **how)
    other: dict[str, Any] = {**how, "event_is": ["tablet"]}
    check(board, study, "survival", "marker", "arm", **other)


def test_survival_of_what_is_no_event_is_refused(board: Board) -> None:
    specs: list[dict[str, Any]] = [
        {"columns": ["months", "age"]},
        {"columns": ["visit", "died"]},
        {"columns": ["months", "band"]},
        {"columns": ["months", "died"], "event_is": 2},
        {"columns": ["months", "died"], "by": ["site"]},
    ]
    found = board.views(*({"kind": "survival", **it} for it in specs))
    words = ["too many", "dates", "not clear", "no level", "more than 12 levels"]
    for each, word in zip(found, words, strict=True):
        assert word in each["refused"]["says"]


@pytest.mark.parametrize("kind", ["density", "ecdf"])
@pytest.mark.parametrize("column", ["age", "marker", "change", "visit"])
@pytest.mark.parametrize("by", [None, "band", "arm", "site"])
def test_curves(board: Board, study: Study, kind: str, column: str, by: str | None) -> None:
    view = check(board, study, kind, column, **({"by": by} if by else {}))
    assert sum(view["strips"]["counts"]) == view["shown"]


@pytest.mark.parametrize("column", ["age", "marker", "visit"])
@pytest.mark.parametrize("by", [None, "arm", "site"])
def test_violins(board: Board, study: Study, column: str, by: str | None) -> None:
    check(board, study, "violin", column, **({"by": by} if by else {}))


@pytest.mark.parametrize("columns", [["visit"], ["visit", "change"], ["visit", "marker"]])
@pytest.mark.parametrize("how", [{}, {"by": "band"}, {"by": "arm"}])
@pytest.mark.parametrize("every", [None, "day", "week", "month", "quarter", "year"])
def test_over_time(
    board: Board, study: Study, columns: list[str], how: dict[str, Any], every: str | None
) -> None:
    of = {**how, **({"every": every} if every else {})}
    if every == "week" and how:  # of means hardly any has ten rows
        columns = columns[:1]
    if every == "day":
        (found,) = board.views({"kind": "over_time", "columns": columns, "every": every})
        assert "ake longer" in found["refused"]["says"]
        with pytest.raises(DiscreetError, match="take longer"):
            study.over_time(*columns, source="copy", **of)
        return
    check(board, study, "over_time", *columns, **of)


def test_over_years(board: Board, study: Study) -> None:
    check(board, study, "over_time", "year")
    check(board, study, "over_time", "year", every="year")
    check(board, study, "over_time", "age", "change", by="band")
    specs: list[dict[str, Any]] = [
        {"columns": ["change"]},
        {"columns": ["age"], "every": "month"},
        {"columns": ["visit", "visit"]},
    ]
    found = board.views(*({"kind": "over_time", **it} for it in specs))
    words = ["neither dates nor whole numbers", "is for dates", "holds dates"]
    for each, word in zip(found, words, strict=True):
        assert word in each["refused"]["says"]
