"""Boxes and curves of rows: computed in the browser as they are by the package."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

from discreet.errors import DiscreetError
from tests.serve.cohort import opened
from tests.web.running import Board, board_page, check

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

    from discreet.explore import Study


#: Numbers, with gaps, of two signs, and dates; by no level, levels in order, a rare one, and many.
DIVIDED = [("age", None), ("marker", "band"), ("change", "arm"), ("visit", "site")]


@pytest.mark.parametrize(("column", "by"), [*DIVIDED[:3], ("visit", "died")])
def test_boxes(board: Board, study: Study, column: str, by: str | None) -> None:
    view = check(board, study, "box", column, **({"by": by} if by else {}))
    assert sum(sum(it["counts"]) for it in view["ridges"]) == view["shown"]


def test_boxes_of_several_columns_are_of_the_rows_that_have_all(board: Board, study: Study) -> None:
    check(board, study, "box", "change", "marker", "months")


@pytest.mark.slow
def test_of_thousands_of_outliers_those_are_kept_that_can_be_seen_apart(
    chromium: Browser, tmp_path: Path
) -> None:
    many = np.random.default_rng(2).lognormal(0, 1.5, 20_000).round(2)
    study = opened(tmp_path, "", pa.table({"days": many}))
    with board_page(chromium) as page:
        page.open(study)
        view = check(page, study, "box", "days")
    copy = study.session.kept.copy.columns["days"]
    (box,) = view["groups"]
    assert (copy > box["high"]).sum() > 1000
    assert 100 < len(box["outliers"]) <= 1001


def refused(board: Board, found: list[dict[str, Any]], words: list[str]) -> None:
    """See why specs were refused, and that what they offer instead is drawn."""
    for each, word in zip(found, words, strict=True):
        assert word in each["refused"]["says"]
        if instead := each["refused"].get("alternative"):
            spec = {name: it for name, it in instead.items() if it is not None}
            assert "view" in board.views(spec)[0]


@pytest.mark.parametrize("how", [{}, {"by": "band"}, {"by": "year"}, {"event_is": "0"}])
def test_survival(board: Board, study: Study, how: dict[str, Any]) -> None:
    check(board, study, "survival", "months", "died", **how)
    other: dict[str, Any] = {**how, "event_is": ["usual care"]}
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
    words = ["too many", "dates", "not clear", "not a level", "more than 12 levels"]
    refused(board, found, words)


@pytest.mark.parametrize("kind", ["density", "ecdf"])
@pytest.mark.parametrize(("column", "by"), DIVIDED)
def test_curves(board: Board, study: Study, kind: str, column: str, by: str | None) -> None:
    view = check(board, study, kind, column, **({"by": by} if by else {}))
    assert sum(view["strips"]["counts"]) == view["shown"]


@pytest.mark.parametrize(("column", "by"), DIVIDED)
def test_violins(board: Board, study: Study, column: str, by: str | None) -> None:
    check(board, study, "violin", column, **({"by": by} if by else {}))


OVER_TIME: list[tuple[list[str], dict[str, str]]] = [
    (["visit"], {}),
    (["visit", "change"], {"by": "band"}),
    (["visit"], {"every": "week", "by": "arm"}),
    (["visit", "marker"], {"every": "month"}),
    (["visit", "change"], {"every": "quarter", "by": "arm"}),
    (["visit", "marker"], {"every": "year", "by": "band"}),
]


@pytest.mark.parametrize(("columns", "how"), OVER_TIME)
def test_over_time(board: Board, study: Study, columns: list[str], how: dict[str, str]) -> None:
    check(board, study, "over_time", *columns, **how)


def test_periods_of_too_few_are_refused(board: Board, study: Study) -> None:
    (found,) = board.views({"kind": "over_time", "columns": ["visit"], "every": "day"})
    assert "ake longer" in found["refused"]["says"]
    with pytest.raises(DiscreetError, match="take longer"):
        study.over_time("visit", every="day")


def test_over_years(board: Board, study: Study) -> None:
    check(board, study, "over_time", "year")
    check(board, study, "over_time", "year", every="year")
    check(board, study, "over_time", "age", "change", by="band")
    specs: list[dict[str, Any]] = [
        {"columns": ["change"]},
        {"columns": ["age"], "every": "month"},
        {"columns": ["visit", "visit"]},
        {"columns": ["visit"], "every": "day"},
    ]
    found = board.views(*({"kind": "over_time", **it} for it in specs))
    words = ["neither dates nor whole numbers", "is for dates", "holds dates", "periods of a day"]
    refused(board, found, words)


def lit(board: Board, spec: dict[str, Any]) -> dict[str, Any]:
    """Return what is drawn of the rows whose change is below 0."""
    found: dict[str, Any] = board.page.evaluate(
        """(spec) => {
          const part = { where: [], assign: [] };
          const conditions = [{ column: "change", to: 0 }];
          const { size, each: [{ counts, view }] } =
            it.answers.light({ part, conditions, specs: [spec] }).found;
          return { size, view, counts: counts ? [...counts] : null };
        }""",
        spec,
    )
    return found


BELOW = ["change < 0"]


def test_highlighted_boxes_and_violins_are_those_of_the_rows_alone(board: Board) -> None:
    for kind in ("box", "violin"):
        spec = {"kind": kind, "columns": ["months"], "by": ["band"]}
        found, (alone,) = lit(board, spec), board.views(spec, where=BELOW)
        view = alone["view"]
        assert sum(found["counts"]) == found["size"] == view["shown"]
        if kind == "box":
            assert [{**it["box"], "label": ""} for it in found["view"]["each"]] == [
                {**it, "label": ""} for it in view["groups"]
            ]
        else:
            assert found["counts"] == view["rows"]
            for it, quarters in zip(found["view"]["each"], view["quarters"], strict=True):
                assert it["median"] == pytest.approx(quarters[1], rel=1e-5)


def test_highlighted_curves_are_those_of_the_rows_alone(board: Board, study: Study) -> None:
    for columns, kind in [
        (["months"], "ecdf"),
        (["months"], "density"),
        (["months", "died"], "survival"),
    ]:
        spec = {"kind": kind, "columns": columns}
        found, (alone,) = lit(board, spec), board.views(spec, where=BELOW)
        (curve,) = alone["view"]["curves"]
        if kind == "survival":
            assert found["view"]["times"] == curve["times"]
            assert found["view"]["heights"] == curve["shares"]
            continue
        assert sum(found["counts"]) == found["size"]
        assert found["view"]["x"] == curve["x"]
        rows = len(study.session.whole.copy)
        share = 1.0 if kind == "ecdf" else found["size"] / rows
        assert found["view"]["y"] == pytest.approx([share * it for it in curve["y"]])


def test_highlighted_periods_are_those_of_the_rows_alone(board: Board) -> None:
    plain = {"kind": "over_time", "columns": ["year"]}
    found, (alone,) = lit(board, plain), board.views(plain, where=BELOW)
    assert found["counts"] == alone["view"]["series"][0]["counts"]
    spec = {"kind": "over_time", "columns": ["year", "months"]}
    found, (alone,) = lit(board, spec), board.views(spec, where=BELOW)
    assert found["view"]["lines"] == [alone["view"]["series"][0]["means"]]


SPECS: list[dict[str, Any]] = [
    {"kind": "box", "columns": ["marker"], "by": ["arm"]},
    {"kind": "box", "columns": ["change", "marker", "months"]},
    {"kind": "violin", "columns": ["visit"], "by": ["site"]},
    {"kind": "density", "columns": ["change"], "by": ["arm"]},
    {"kind": "ecdf", "columns": ["visit"], "by": ["site"]},
    {"kind": "survival", "columns": ["months", "died"], "by": ["arm"]},
    {"kind": "survival", "columns": ["months", "died"]},
    {"kind": "over_time", "columns": ["visit"], "by": ["arm"]},
    {"kind": "over_time", "columns": ["visit", "change"], "every": "quarter"},
    {"kind": "over_time", "columns": ["year"]},
]
LAID = """() => {
  const words = [...document.querySelectorAll("#host text")];
  const boxes = words.map((it) => it.getBoundingClientRect());
  const host = document.querySelector("#host svg").getBoundingClientRect();
  const said = [];
  boxes.forEach((a, i) => {
    // Around a picture a card leaves 16 pixels free.
    if (a.left < host.left - 12 || a.right > host.right + 12 || a.bottom > host.bottom + 4) {
      said.push(`cut: ${words[i].textContent}`);
    }
    boxes.slice(0, i).forEach((b, j) => {
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > 1 && down > 4) said.push(`${words[j].textContent} on ${words[i].textContent}`);
    });
  });
  return said;
}"""


@pytest.mark.parametrize("spec", SPECS, ids=lambda it: "-".join([it["kind"], *it["columns"]]))
def test_words_of_pictures_lie_side_by_side(board: Board, spec: dict[str, Any]) -> None:
    for width, height in [(340, 240), (1100, 420)]:
        found = board.draw(spec, width=width, height=height)
        assert board.page.evaluate(LAID) == []
        assert not any(word in found["html"] for word in ("<img", "NaN", "undefined", "style="))
        assert all(mark["say"] for mark in found["marks"])


@pytest.mark.parametrize(
    "spec", SPECS[:-1:2], ids=lambda it: "-".join([it["kind"], *it["columns"]])
)
def test_views_of_the_package_are_drawn_too(
    board: Board, study: Study, spec: dict[str, Any]
) -> None:
    how = {name: it for name, it in spec.items() if name not in ("kind", "columns", "by")}
    by = {"by": spec["by"][0]} if "by" in spec else {}
    made = getattr(study, spec["kind"])(*spec["columns"], **by, **how)
    html = board.page.evaluate(
        """([spec, view]) => {
          const host = document.getElementById("host");
          const columns = new Map(it.facts.columns.map((one) => [one.name, one]));
          it.drawPicture(host, it.kindFor(spec), view, it.lookOf(columns, { spec }));
          return host.innerHTML;
        }""",
        [spec, json.loads(made.to_json())],
    )
    assert "<path" in html or "<rect" in html
    assert not any(word in html for word in ("<img", "NaN", "undefined", "style="))
