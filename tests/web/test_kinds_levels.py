"""Pictures by levels: computed in the browser as they are by the package."""

from __future__ import annotations

import datetime
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from pyarrow import Table, array

import discreet as dc
from discreet.plots import PLOTS, View
from discreet.plots.crosstab import CrossTable
from discreet.plots.plot import GRID
from tests.serve.cohort import cohort, opened
from tests.web.running import BESIDE, Board, board_page

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from playwright.sync_api import Browser

    from discreet.explore import Study

RULES = """
[roles]
patient = "identifier"
"""


def table() -> Table:
    """Return the cohort with levels that begin with numbers, codes, many, and gaps in some."""
    found = cohort().select(
        ["age", "bmi", "glucose", "progression", "sex", "region", "diagnosis", "patient"]
    )
    rows = range(found.num_rows)
    bands = [(None, "under 40", "40 to under 60", "60 or more")[(7 * i * i + i) % 4] for i in rows]
    codes = [None if i % 11 == 0 else (3 * i * i) % 5 for i in rows]
    ninth = [f"group {i % 9}" for i in rows]
    found = found.append_column("band", array(bands)).append_column("code", array(codes))
    found = found.append_column("ninth", array(ninth))
    half = ["first" if i < 220 else "second" for i in rows]
    own = ["abc"[i % 3] for i in rows]
    found = found.append_column("half", array(half)).append_column("own", array(own))
    rare = ["often" if i % 9 else "seldom" if i % 18 else "hardly" for i in rows]
    found = found.append_column("rare", array(rare))
    days = [datetime.date(2019, 1, 1) + datetime.timedelta(days=(37 * i) % 700) for i in rows]
    gappy = [None if i % 7 == 0 else ((37 * i) % 101) / 8 - 4 for i in rows]
    return found.append_column("visit", array(days)).append_column("gappy", array(gappy))


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return opened(tmp_path_factory.mktemp("clinic"), RULES, table())


@pytest.fixture(scope="module")
def board(chromium: Browser, study: Study) -> Iterator[Board]:
    with board_page(chromium) as page:
        page.open(study, grid=GRID)
        yield page


def plain(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the numbers of a view, and of those within it."""
    kept = {name: it for name, it in found.items() if name not in (*BESIDE, "shown")}
    if "views" in kept:
        kept["views"] = [it and plain(it) for it in kept["views"]]
    return kept


def same(board: Board, study: Study, spec: Mapping[str, Any]) -> dict[str, Any]:
    """Check that a picture of the browser holds what that of the package does; return it."""
    (found,) = board.views(spec)
    given = {name: it for name, it in spec.items() if name not in ("kind", "columns")}
    view = getattr(study, spec["kind"])(*spec["columns"], **given)
    told = json.loads(view.to_json())
    assert plain(found["view"]) == plain(told)
    assert found["view"]["shown"] == told["origin"]["shown"] or told["origin"]["shown"] is None
    return dict(found["view"])


@pytest.mark.parametrize("column", ["bmi", "visit", "gappy"])
def test_a_histogram(board: Board, study: Study, column: str) -> None:
    same(board, study, {"kind": "histogram", "columns": [column]})


BARS = [
    {"columns": ["band"]},
    {"columns": ["code"]},
    {"columns": ["region"], "by": ["band"]},
    {"columns": ["band"], "by": ["code"], "percent": True},
    {"columns": ["sex"], "percent": True},
]


#: Pictures, and the columns whose gaps cost them rows.
GAPS: dict[str, tuple[dict[str, Any], set[str]]] = {
    "none": ({"kind": "histogram", "columns": ["age"]}, set()),
    "a number": ({"kind": "histogram", "columns": ["gappy"]}, {"gappy"}),
    "both": ({"kind": "box", "columns": ["gappy"], "by": ["band"]}, {"gappy", "band"}),
    "of bars they are a level": ({"kind": "bars", "columns": ["band"]}, set()),
}


@pytest.mark.parametrize(("spec", "names"), GAPS.values(), ids=GAPS)
def test_columns_whose_gaps_cost_rows_are_known(
    board: Board, study: Study, spec: dict[str, Any], names: set[str]
) -> None:
    (found,) = board.views(spec)
    copy = study.session.whole.copy
    numbers = {it: int(np.isnan(copy.columns[it]).sum()) for it in names if it in copy.columns}
    words = {it: copy.strata[it].count("") for it in names if it in copy.strata}
    assert dict(found["gaps"]) == numbers | words
    counts = [count for _, count in found["gaps"]]
    assert counts == sorted(counts, reverse=True)


@pytest.mark.parametrize(
    ("value", "words"),
    [(1996, "1996"), (9999, "9999"), (12000, "12,000"), (-2500, "−2500"), (0.12345, "0.1235")],
)
def test_numbers_of_four_digits_are_written_as_years_are(
    board: Board, value: float, words: str
) -> None:
    say = "(value) => it.lookOf(new Map()).say('year', value)"
    assert board.page.evaluate(say, value) == words


@pytest.mark.parametrize("asked", BARS)
def test_bars(board: Board, study: Study, asked: dict[str, Any]) -> None:
    view = same(board, study, {"kind": "bars", **asked})
    drawn = board.draw({"kind": "bars", **asked})
    counts = [it for row in zip(*view["by_counts"], strict=True) for it in row] or view["counts"]
    assert [it["count"] for it in drawn["marks"]] == counts
    assert drawn["html"].count("data-m=") == sum(count > 0 for count in counts)


ALL: dict[str, Any] = {"where": [], "assign": []}


def lit_alone(board: Board, spec: Mapping[str, Any]) -> None:
    """Check that the condition of each mark lights that mark alone, and the whole of it."""
    marks = board.draw(spec)["marks"]
    found = board.page.evaluate(
        """([marks, part, spec]) => marks.map((mark) => {
          const { found } = it.answers.light({ part, conditions: mark.light, specs: [spec] });
          return Array.from(found.each[0].counts);
        })""",
        [marks, ALL, spec],
    )
    for place, (mark, counts) in enumerate(zip(marks, found, strict=True)):
        lit = {at: count for at, count in enumerate(counts) if count}
        assert lit == ({place: mark["count"]} if mark["count"] else {})


@pytest.mark.parametrize("asked", BARS[:3])
def test_marks_of_bars_are_lit_by_their_own_conditions(board: Board, asked: dict[str, Any]) -> None:
    lit_alone(board, {"kind": "bars", **asked})


PANELS = [{"columns": ["age"], "by": ["band"]}, {"columns": ["glucose"], "by": ["code"], "bins": 8}]


@pytest.mark.parametrize("asked", PANELS)
def test_a_histogram_of_each_level(board: Board, study: Study, asked: dict[str, Any]) -> None:
    spec = {"kind": "histogram", **asked}
    view = same(board, study, spec)
    lit_alone(board, spec)
    assert board.draw(spec)["html"].count('class="bar"') == sum(
        count > 0 for each in view["views"] for count in each["counts"]
    )


BY_TWO = [
    {"kind": "histogram", "columns": ["glucose"], "by": ["code", "band"], "bins": 6},
    {"kind": "bars", "columns": ["diagnosis"], "by": ["band", "sex"]},
    {"kind": "bars", "columns": ["code"], "by": ["region", "sex"], "percent": True},
]


@pytest.mark.parametrize("spec", BY_TWO)
def test_pictures_by_two_columns(board: Board, study: Study, spec: dict[str, Any]) -> None:
    same(board, study, spec)
    lit_alone(board, spec)


def test_bars_of_panels_have_the_levels_of_all(board: Board, study: Study) -> None:
    spec = {"kind": "bars", "columns": ["own"], "by": ["region", "half"]}
    wanted = "not (own == 'c' and half == 'first')"
    (found,) = board.views(spec, where=[wanted])
    told = study.where(wanted).bars("own", by=("region", "half"))
    assert plain(found["view"]) == plain(json.loads(told.to_json()))
    first, second = (each["levels"] for each in found["view"]["views"])
    assert (first, second) == (["a", "b"], ["a", "b", "c"])
    part = {"where": [wanted], "assign": []}
    lit = [{"column": "own", "levels": ["c"]}]
    (marks,) = board.ask("light", part=part, conditions=lit, specs=[spec])["each"]
    regions = len(found["view"]["first"])
    counts = found["view"]["views"][1]["by_counts"]
    # Both panels have three bars; of the first nobody has the last.
    assert marks["counts"][: 5 * regions] == [0] * 5 * regions
    assert marks["counts"][5 * regions :] == [row[2] for row in counts]


def test_a_highlight_is_drawn_in_each_panel_by_itself(board: Board) -> None:
    spec = {"kind": "histogram", "columns": ["age"], "by": ["sex"]}
    whole = [{"column": "region", "levels": ["north"]}]
    (found,) = board.ask("light", part=ALL, conditions=whole, specs=[spec])["each"]
    (alone,) = board.views({"kind": "histogram", "columns": ["age"]})
    counts = found["counts"]
    assert len(counts) == 2 * len(alone["view"]["counts"])
    assert sum(counts) == board.ask("light", part=ALL, conditions=whole, specs=[])["size"]


OVERLAID = [
    {"columns": ["age"], "by": ["code"]},
    {"columns": ["bmi"], "by": ["ninth"], "bins": 7},
    {"columns": ["bmi"], "by": ["band", "region"]},
]


@pytest.mark.parametrize("asked", OVERLAID)
def test_outlines_of_levels(board: Board, study: Study, asked: dict[str, Any]) -> None:
    spec = {"kind": "histogram", "overlay": True, **asked}
    view = same(board, study, spec)
    lit_alone(board, spec)
    drawn = sum(len(it["levels"]) for it in view["views"]) if view["kind"] == "panels" else 0
    found = board.draw(spec)
    assert found["html"].count('class="outline"') == (drawn or len(view["levels"]))
    if not drawn:
        assert [it["name"] for it in found["keys"]] == view["levels"]


TABLES = [["band", "code"], ["ninth", "sex"]]


@pytest.mark.parametrize("columns", TABLES)
def test_a_cross_table(board: Board, study: Study, columns: list[str]) -> None:
    spec = {"kind": "crosstab", "columns": columns}
    view = same(board, study, spec)
    lit_alone(board, spec)
    found = board.draw(spec)["html"]
    assert found.count("data-m=") == sum(count > 0 for row in view["counts"] for count in row)
    assert found.count("<tr>") == len(view["row_levels"]) + 2


GRIDS = [
    {"columns": ["glucose", "progression"], "grid": 12},
    {"columns": ["visit", "age"]},
    {"columns": ["gappy", "bmi"], "by": ["band"]},
    {"columns": ["age", "bmi"], "by": ["sex", "region"]},
]


@pytest.mark.slow
@pytest.mark.parametrize("asked", GRIDS)
def test_a_heat_map(board: Board, study: Study, asked: dict[str, Any]) -> None:
    spec = {"kind": "heatmap", **asked}
    view = same(board, study, spec)
    lit_alone(board, spec)
    views = [it for it in view.get("views", [view]) if it]
    cells = [count for it in views for row in it["counts"] for count in row]
    assert board.draw(spec)["html"].count("data-m=") == sum(count > 0 for count in cells)


COUNTED: list[dict[str, Any]] = [
    {"kind": "histogram", "columns": ["bmi"], "by": ["sex"]},
    {"kind": "bars", "columns": ["ninth"], "by": ["rare"]},
    {"kind": "crosstab", "columns": ["ninth", "rare"]},
    {"kind": "heatmap", "columns": ["age", "bmi"], "by": ["sex"]},
]
DRAWN = """([spec, view]) => {
  const host = document.getElementById("host");
  const columns = new Map(it.facts.columns.map((one) => [one.name, one]));
  const drawn = it.drawPicture(host, it.kindFor(spec), view, it.lookOf(columns, { spec }));
  return { marks: drawn.marks, html: host.innerHTML };
}"""


@pytest.mark.parametrize("spec", COUNTED)
def test_counts_of_data_are_drawn_too(board: Board, spec: dict[str, Any]) -> None:
    """Of the papers now, and of answers of the data."""
    by = {"by": spec["by"][0]} if "by" in spec else {}
    papers = dc.research(table(), public=True).papers
    view: View = papers.draw(PLOTS[spec["kind"]].of_columns(spec["columns"], **by))
    found = board.page.evaluate(DRAWN, [spec, json.loads(view.to_json())])
    assert found["marks"]


def test_a_hidden_cell_of_a_table_is_said_to_be_of_few(board: Board) -> None:
    """An answer of the data may hide what few have, which is no 0."""
    spec = {"kind": "crosstab", "columns": ["ninth", "rare"]}
    papers = dc.research(table(), public=True).papers
    view = json.loads(papers.draw(CrossTable("ninth", "rare")).to_json())
    shown = board.page.evaluate(DRAWN, [spec, view])["html"]
    view["counts"][0][0] = None
    hidden = board.page.evaluate(DRAWN, [spec, view])["html"]
    assert [it.count('class="few"') for it in (shown, hidden)] == [0, 1]


# --- one order and one colour ---------------------------------------------------------------------

ORDERED = """
[roles]
patient = "identifier"

[ordered]
stage = ["early", "mid", "late"]
own = ["c", "a"]
"""
STAGES = ["early", "mid", "late"]
COLOURED: dict[str, dict[str, Any]] = {
    "bars": {"kind": "bars", "columns": ["own"], "by": ["stage"]},
    "outlines": {"kind": "histogram", "columns": ["bmi"], "by": ["stage"], "overlay": True},
    "densities": {"kind": "density", "columns": ["bmi"], "by": ["stage"]},
    "distributions": {"kind": "ecdf", "columns": ["bmi"], "by": ["stage"]},
    "survival": {"kind": "survival", "columns": ["age", "own"], "by": ["stage"], "event_is": "a"},
    "over time": {"kind": "over_time", "columns": ["visit"], "by": ["stage"]},
    "points": {"kind": "scatter", "columns": ["age", "bmi"], "by": ["stage"]},
    "parallel axes": {"kind": "parallel", "columns": ["age", "bmi"], "colour": "stage"},
    "panels": {"kind": "density", "columns": ["bmi"], "by": ["stage", "half"]},
}


@pytest.fixture(scope="module")
def ordered(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    """A page with rows whose levels have an order that their names have not."""
    stage = [None if i % 10 == 0 else STAGES[(i * i + i // 3) % 3] for i in range(len(table()))]
    rows = table().append_column("stage", array(stage))
    with board_page(chromium) as page:
        study = opened(tmp_path_factory.mktemp("ordered"), ORDERED, rows)
        page.open(study, grid=GRID)
        yield page


@pytest.mark.parametrize("spec", COLOURED.values(), ids=COLOURED)
def test_a_level_has_one_colour_in_all_parts(ordered: Board, spec: dict[str, Any]) -> None:
    def keys(*where: str) -> dict[str, str]:
        drawn = ordered.draw(spec, where=where)
        named = (it for it in drawn["keys"] if it.get("name") not in (None, "(missing)"))
        return {it["name"]: it["colour"] for it in named}

    whole = keys()
    assert [*whole] == STAGES
    assert [*whole.values()] == ["var(--s0)", "var(--s1)", "var(--s2)"]
    part = keys("stage != 'early'")
    assert [*part] == STAGES[1:]
    assert part.items() <= whole.items()


def test_a_declared_order_is_that_of_the_board(ordered: Board) -> None:
    (bars, table_of, box) = ordered.views(
        {"kind": "bars", "columns": ["own"]},
        {"kind": "crosstab", "columns": ["stage", "own"]},
        {"kind": "box", "columns": ["bmi"], "by": ["stage"]},
    )
    (summary,) = ordered.views({"kind": "summary", "columns": ["own"], "by": ["stage"]})
    assert bars["view"]["levels"] == ["c", "a", "b"]
    assert table_of["view"]["row_levels"] == [*STAGES, "(missing)"]
    assert table_of["view"]["column_levels"] == ["c", "a", "b"]
    assert [it["label"] for it in box["view"]["groups"]] == STAGES
    assert summary["view"]["head"] == [*STAGES, "(missing)", "all"]
    assert [it["name"] for it in summary["view"]["lines"][2:]] == ["c", "a", "b"]


def test_bars_go_by_size_where_levels_have_no_order(board: Board) -> None:
    script = "([names, all]) => it.hasOrder(names, all)"
    cases: dict[str, tuple[list[str], bool]] = {
        "words": (["bus", "train", "walking"], False),
        "two": (["no", "yes, daily"], True),
        "numbers": (["none of it", "1 to 5", "6 or more"], True),
        "codes": (["I", "II", "III", "IV"], True),
        "declared": (["never", "rarely", "always"], True),
        "a rest is no level": (["bus", "train", "(missing)"], True),
    }
    for name, (names, ordered) in cases.items():
        assert board.page.evaluate(script, [names, names]) is ordered, name
    drawn = board.draw({"kind": "bars", "columns": ["rare"]})
    order = drawn["order"]
    counts = [drawn["view"]["counts"][i] for i in order]
    assert drawn["view"]["levels"] == ["hardly", "often", "seldom"]
    assert counts == sorted(counts, reverse=True) != drawn["view"]["counts"]


def test_whole_numbers_have_whole_ticks(board: Board) -> None:
    drawn = board.draw({"kind": "histogram", "columns": ["age"]})
    assert drawn["view"]["edges"][0] % 1 == 0.5
    said = [it["say"] for it in drawn["marks"]]
    assert not [it for it in said if "." in it]
    part = board.ask("part", **ALL)
    ends = {it["name"]: (it.get("whole"), it.get("ends")) for it in part["columns"]}
    assert ends["age"][0] is True
    assert ends["bmi"][0] is False
    assert ends["region"] == (None, None)
    (view,) = board.views({"kind": "histogram", "columns": ["age"]})
    low, high = view["quartiles"]
    assert ends["age"][1][0] < low < high < ends["age"][1][1]
