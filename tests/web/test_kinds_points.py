"""Pictures of two numbers and more: computed in the browser as they are by the package."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from discreet.plots.plot import GRID
from tests.web.running import Board, board_page, check, near, plain
from tests.web.visits import visits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

    from discreet.explore import Study

ALL: dict[str, list[str]] = {"where": [], "assign": []}


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A study of more visits than are drawn as points alone."""
    return visits(tmp_path_factory.mktemp("visits"), 2400)


@pytest.fixture(scope="module")
def board(chromium: Browser, study: Study) -> Iterator[Board]:
    with board_page(chromium) as page:
        page.open(study, grid=GRID)
        yield page


PAIRS = [("age", "change"), ("visit", "marker"), ("months", "year"), ("change", "visit")]


SHOWN: list[tuple[str, dict[str, Any]]] = [
    ("auto", {}),
    ("points", {"by": "arm"}),
    ("density", {"by": "died", "trend": True}),
    ("points", {"trend": True}),
    ("auto", {"by": "died"}),
    ("density", {}),
]


@pytest.mark.parametrize(("place", "shown"), [*enumerate(SHOWN)])
def test_scatter_plots(
    board: Board, study: Study, place: int, shown: tuple[str, dict[str, Any]]
) -> None:
    check(board, study, "scatter", *PAIRS[place % len(PAIRS)], show=shown[0], **shown[1])


def test_of_many_rows_the_points_are_beside_the_cells(board: Board) -> None:
    spec = {"kind": "scatter", "columns": ["age", "change"]}
    many, asked = (it["view"] for it in board.views(spec, {**spec, "show": "density"}))
    assert len(many["points"]["x"]) == many["shown"]
    assert "points" not in asked


def test_levels_of_few_rows_are_named_and_not_drawn(board: Board, study: Study) -> None:
    view = check(board, study, "scatter", "age", "change", by="site", show="density")
    assert len(view["panels"]) == 12
    assert len(view["others"]) == 18


SPECS = [
    {"kind": "scatter", "columns": ["age", "marker"]},
    {"kind": "scatter", "columns": ["age", "marker"], "show": "points", "by": ["arm"]},
    {"kind": "scatter", "columns": ["visit", "change"], "by": ["band"]},
    {"kind": "scatter", "columns": ["visit", "change"], "show": "density"},
]


@pytest.mark.parametrize("spec", SPECS)
def test_marks_count_the_rows_that_they_light(board: Board, spec: dict[str, Any]) -> None:
    marks = board.draw(spec)["marks"]
    everything = board.ask("light", part=ALL, conditions=[], specs=[spec])["each"][0]["counts"]
    counts = [it["count"] for it in marks]
    assert everything == counts
    place = counts.index(max(counts))
    lit = board.ask("light", part=ALL, conditions=marks[place]["light"], specs=[spec])["each"][0]
    assert lit["counts"][place] == counts[place] == sum(lit["counts"])


def test_lit_points_are_the_rows_that_are_lit(board: Board) -> None:
    condition = {"column": "age", "to": 40}
    specs = [*SPECS[:2], SPECS[3]]
    found = board.ask("light", part=ALL, conditions=[condition], specs=specs)
    points, leveled, cells = found["each"]
    for lit in (points, leveled):
        assert len(lit["view"]["x"]) == sum(lit["counts"])
        assert max(lit["view"]["x"]) < 40
    assert sum(cells["view"]["counts"]) == found["size"]


DRAWN = """([view, formula]) => {
  const host = document.getElementById("host");
  const kind = it.KINDS.get(view.kind);
  const { marks } = it.drawPicture(host, kind, view, it.lookOf(new Map()));
  const dashed = host.querySelectorAll("[stroke-dasharray]").length;
  return { marks, title: kind.title({ formula }), dashed };
}"""


@pytest.mark.parametrize(("kind", "curves"), [("residuals", 0), ("qq", 0), ("leverage", 4)])
def test_residuals_are_drawn_as_the_server_gives_them(
    board: Board, study: Study, kind: str, curves: int
) -> None:
    formula = "change ~ age + C(band)"
    view = json.loads(getattr(study, kind)(formula).to_json())
    drawn = board.page.evaluate(DRAWN, [view, formula])
    assert drawn["title"].startswith(f"Residuals of {formula} against ")
    assert sum(it["count"] for it in drawn["marks"]) == view["origin"]["shown"]
    assert {it["light"] for it in drawn["marks"]} == {None}
    assert drawn["dashed"] == curves
    (asked,) = board.views({"kind": kind, "columns": [], "formula": formula})
    assert asked["refused"]["says"].endswith("is drawn of the copy's rows.")  # the server draws it


def test_correlations(board: Board, study: Study) -> None:
    names = ("age", "marker", "change", "months", "visit", "year")
    (found,) = board.views({"kind": "correlations", "columns": names})
    view = found["view"]
    assert near(view, plain(study.correlations(names)))
    assert len(view["pearson"]) == 6
    spec = {"kind": "correlations", "columns": names[:3]}
    marks = board.draw(spec)["marks"]
    assert [it["go"]["columns"] for it in marks] == [
        ["age", "marker"],
        ["age", "change"],
        ["marker", "change"],
    ]
    everyone = [{"column": "age"}]
    lit = board.ask("light", part=ALL, conditions=everyone, specs=[spec])["each"][0]
    for i, row in enumerate(lit["view"]["pearson"]):
        assert row == pytest.approx(view["pearson"][i][:i], abs=1e-6)


def test_a_column_of_one_value_has_no_correlation(board: Board) -> None:
    part = {"where": [], "assign": [["seven", "change * 0 + 7"]]}
    spec = {"kind": "correlations", "columns": ["age", "seven"]}
    (found,) = board.ask("views", part=part, specs=[spec])
    assert found["view"]["pearson"] == [[1, None], [None, None]]


@pytest.mark.slow
@pytest.mark.parametrize("columns", [("age", "change"), ("visit", "marker")])
def test_contours(board: Board, study: Study, columns: tuple[str, str]) -> None:
    check(board, study, "contour", *columns)


@pytest.mark.parametrize(("kind", "by"), [("contour", ("band",)), ("scatter", ("band", "died"))])
def test_panels_share_what_the_package_shares(
    board: Board, study: Study, kind: str, by: tuple[str, ...]
) -> None:
    columns = ("age", "change")
    (found,) = board.views({"kind": kind, "columns": columns, "by": by})
    wanted = json.loads(getattr(study, kind)(*columns, by=by).to_json())
    assert len(found["view"]["views"]) == len(wanted["views"])
    for view, other in zip(found["view"]["views"], wanted["views"], strict=True):
        names = ("x", "y", "size") if kind == "scatter" else ("x_edges", "counts", "levels")
        assert view is None or near([view[it] for it in names], [other[it] for it in names])
