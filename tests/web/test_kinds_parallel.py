"""Parallel axes of rows: their bands are counted again here, row by row."""

from __future__ import annotations

import json
import math
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from tests.web.running import Board

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from discreet.explore import Study

AXES = ("age", "arm", "marker", "visit", "died")


def rows_of(study: Study, names: Sequence[str]) -> list[dict[str, Any]]:
    """Return the rows of the copy that have a value in each of some columns."""
    copy = study.session.whole.copy
    held: dict[str, list[Any]] = {
        **{
            name: [None if math.isnan(it) else it for it in of.tolist()]
            for name, of in copy.columns.items()
        },
        **{name: [it or None for it in of] for name, of in copy.strata.items()},
    }
    rows = [
        dict(zip(names, row, strict=True)) for row in zip(*(held[n] for n in names), strict=True)
    ]
    return [row for row in rows if None not in row.values()]


def cell(axis: Mapping[str, Any], row: Mapping[str, Any]) -> int:
    """Return which range or level of an axis a row has."""
    value = row[axis["name"]]
    if axis["kind"] == "categorical":
        words = [value if isinstance(value, str) else f"{value:.15g}"]
        return int(axis["levels"].index(words[0]))
    low, high = axis["edges"][0], axis["edges"][-1]
    ranges = len(axis["edges"]) - 1
    place: int = math.floor((value - low) / ((high - low) / ranges) + 1e-9)
    return min(max(place, 0), ranges - 1)


@pytest.mark.parametrize("colour", [None, "arm", "change"])
def test_bands_are_the_rows_that_go_through_them(
    board: Board, study: Study, colour: str | None
) -> None:
    spec = {"kind": "parallel", "columns": AXES, **({"colour": colour} if colour else {})}
    view = board.views(spec)[0]["view"]
    rows = rows_of(study, [*dict.fromkeys([*AXES, *([colour] if colour else [])])])
    assert view["shown"] == len(rows)
    for axis in view["axes"]:
        counts = Counter(cell(axis, row) for row in rows)
        assert axis["counts"] == [counts[i] for i in range(len(axis["counts"]))]
    for bands, (one, other) in zip(view["gaps"], pairwise(view["axes"]), strict=True):
        tone = view["colour"]
        want = Counter(
            (cell(one, row), cell(other, row), cell(tone, row) if tone else None) for row in rows
        )
        found = {(it["left"], it["right"], it["colour"]): it["count"] for it in bands}
        assert found == {key: n for key, n in want.items() if n >= study.policy.k}


def test_levels_stand_in_their_order_and_numbers_have_the_bins_of_a_histogram(
    board: Board, study: Study
) -> None:
    view = board.views({"kind": "parallel", "columns": ["age", "band", "died"], "ranges": 6})[0]
    age, band, died = view["view"]["axes"]
    assert band["levels"] == ["under 40", "40 to under 60", "60 or more"]
    assert died["levels"] == ["0", "1"]
    assert age["edges"] == [*study.histogram("age", bins=6).edges]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"columns": ["age"]}, "two columns"),
        ({"columns": ["age", "none"]}, "no column “none”"),
        ({"columns": ["age", "band"], "colour": "site"}, "cannot be told apart"),
    ],
)
def test_what_cannot_be_drawn_says_why(board: Board, given: dict[str, Any], says: str) -> None:
    (found,) = board.views({"kind": "parallel", **given})
    assert says in found["refused"]["says"]


def test_too_many_colours_can_be_drawn_without(board: Board) -> None:
    spec = {"kind": "parallel", "columns": ["age", "band"], "ranges": 5}
    (found,) = board.views({**spec, "colour": "site"})
    assert found["refused"]["alternative"] == spec


@pytest.mark.slow
def test_a_mark_lights_its_own_rows_and_follows_them(board: Board, study: Study) -> None:
    spec = {"kind": "parallel", "columns": AXES, "colour": "band"}
    drawn = board.draw(spec, width=900, height=360)
    part: dict[str, list[str]] = {"where": [], "assign": []}
    for place, mark in enumerate(drawn["marks"]):
        found = board.ask("light", part=part, conditions=mark["light"], specs=[spec])
        counts = found["each"][0]["counts"]
        assert counts[place] == mark["count"], mark["say"]
        through = counts[len(counts) - sum(len(it["counts"]) for it in drawn["view"]["axes"]) :]
        assert sum(through) == len(AXES) * mark["count"]


def read(board: Board, spec: Mapping[str, Any], conditions: Sequence[Mapping[str, Any]]) -> str:
    """Return what a picture says of lit rows."""
    found: str = board.page.evaluate(
        """([spec, conditions]) => {
          const part = { where: [], assign: [] };
          const [{ view }] = it.answers.views({ part, specs: [spec] }).found;
          const look = it.lookOf(new Map(it.facts.columns.map((one) => [one.name, one])));
          const drawn = it.KINDS.get("parallel").draw(view, { width: 600, height: 360 }, look);
          const lit = it.answers.light({ part, conditions, specs: [spec] }).found.each[0];
          return drawn.read(conditions.length ? lit : null);
        }""",
        [dict(spec), [*conditions]],
    )
    return found


def test_it_says_where_lit_rows_go(board: Board, study: Study) -> None:
    spec = {"kind": "parallel", "columns": ["age", "band"]}
    rows = [row for row in rows_of(study, ["age", "band"]) if row["band"] == "under 40"]
    says = read(board, spec, [{"column": "band", "levels": ["under 40"]}])
    assert says.startswith(f"{len(rows)} rows · age ")
    assert says.endswith(" · band: under 40")
    assert read(board, spec, []).startswith("Point at a band")
    assert (
        read(board, spec, [{"column": "age", "from": 500}]) == "No rows of these are on all axes."
    )


def grips(board: Board, width: int, height: int) -> None:
    """Draw four axes with their grips; what is moved is kept."""
    board.draw({"kind": "parallel", "columns": AXES[:4]}, width=width, height=height)
    board.page.evaluate(
        """() => {
          const host = document.getElementById("host");
          const box = { width: host.clientWidth, height: host.clientHeight };
          const part = { where: [], assign: [] };
          const look = it.lookOf(new Map(it.facts.columns.map((one) => [one.name, one])));
          it.moved = [];
          const draw = (columns) => {
            const spec = { kind: "parallel", columns };
            const [{ view }] = it.answers.views({ part, specs: [spec] }).found;
            const drawn = it.drawPicture(host, it.KINDS.get("parallel"), view, look);
            it.moves(host, drawn, (from, to) => {
              it.moved.push([from, to]);
              const next = columns.filter((_, i) => i !== from);
              next.splice(to, 0, columns[from]);
              draw(next);
            });
          };
          draw(["age", "arm", "marker", "visit"]);
        }"""
    )


def test_axes_move_by_keys_and_keep_the_focus(board: Board) -> None:
    grips(board, 900, 360)
    page = board.page
    page.locator(".grip").nth(1).focus()
    for key in ("ArrowRight", "ArrowLeft", "ArrowLeft", "ArrowLeft", "End", "Tab"):
        page.keyboard.press(key)
    assert page.evaluate("it.moved") == [[1, 2], [2, 1], [1, 0], [0, 3]]
    names = page.locator(".grip").evaluate_all("(all) => all.map((it) => it.title)")
    assert names == ["age", "marker", "visit", "arm"]


@pytest.mark.parametrize(("width", "height"), [(900, 360), (340, 420)])
def test_axes_move_by_a_pointer(board: Board, width: int, height: int) -> None:
    grips(board, width, height)
    page = board.page
    places = [it.bounding_box() for it in page.locator(".grip").all()]
    middles = [(it["x"] + it["width"] / 2, it["y"] + it["height"] / 2) for it in places if it]
    page.mouse.move(*middles[0])
    page.mouse.down()
    page.mouse.move(*middles[2], steps=4)
    page.mouse.up()
    assert page.evaluate("it.moved") == [[0, 2]]


def test_clusters_of_the_server_are_drawn_too(board: Board, study: Study) -> None:
    view = study.parallel(["age", "marker", "change"]).to_json()
    marks = board.page.evaluate(
        """(view) => {
          const look = it.lookOf(new Map());
          const drawn = it.KINDS.get("parallel").draw(view, { width: 600, height: 360 }, look);
          return [drawn.marks, drawn.svg.split("<path").length - 1, drawn.read(null)];
        }""",
        json.loads(view),
    )
    assert len(marks[0]) == marks[1] > 0
    assert marks[0][0]["number"] == marks[0][0]["more"] == "at least 5 rows"
    assert "count" not in marks[0][0]
    assert marks[0][0]["more"] == f"at least {study.policy.k} rows"
    assert "at least" in marks[2]


def test_many_axes_have_fewer_ranges(board: Board) -> None:
    few, many = (
        board.views({"kind": "parallel", "columns": names})[0]["view"]["axes"][0]["counts"]
        for names in (["age", "band"], ["age", "band", *AXES, *AXES][:7])
    )
    assert len(few) > 5 >= len(many)


def test_axes_that_tell_most_of_each_other_stand_side_by_side(board: Board) -> None:
    part: dict[str, Any] = {"where": [], "assign": []}
    for columns, pairs in (
        (["age", "change", "band"], [("age", "band")]),  # the band is of the age
        (["band", "visit", "arm", "year", "age"], [("age", "band"), ("visit", "year")]),
    ):
        spec = {"kind": "parallel", "columns": columns}
        order = board.ask("order", part=part, spec=spec)
        assert sorted(order) == sorted(columns)
        for one, other in pairs:
            assert abs(order.index(one) - order.index(other)) == 1, order
