"""Tables of figures of rows: word by word those of the package."""

from __future__ import annotations

import json
import math
import random
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from scipy.special import stdtrit

from discreet.estimates.tables import RowsToDescribe, means_of
from discreet.estimates.words import number_words, share_words
from discreet.web.parts import script_of
from tests.web.running import Board

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from discreet.estimates.copy_table import CopyTable
    from discreet.explore import Study

ENTRY = """
import { studentT } from "./rows/moments.js";
import { shareWords, words } from "./rows/number-words.js";
globalThis.words = { studentT, shareWords, words };
"""


@pytest.fixture(scope="module")
def page(board: Board) -> Page:
    """The same page, for what needs no rows."""
    board.page.add_script_tag(content=script_of(ENTRY), type="module")
    board.page.wait_for_function("globalThis.words")
    return board.page


def check(found: dict[str, Any], table: CopyTable) -> None:
    """Compare a table of the browser with one of the package."""
    wanted = json.loads(table.to_json())
    view = found["view"]
    for name in ("kind", "names", "head", "lines"):
        assert view[name] == wanted[name], name
    assert set(view["notes"]) <= set(wanted["notes"])
    assert len(view["figures"]) == len(wanted["figures"])
    for one, other in zip(view["figures"], wanted["figures"], strict=True):
        values = one.pop("value"), other.pop("value")
        assert one == other
        if isinstance(values[1], float):
            assert math.isclose(*values, rel_tol=1e-9, abs_tol=1e-12), one
        else:
            assert values[0] == values[1]


@pytest.mark.parametrize("by", [None, "arm", "year"])
def test_a_summary(board: Board, study: Study, by: str | None) -> None:
    names = ["age", "arm", "band", "months", "marker", "change", "visit", "site", "died"]
    columns = [it for it in names if it != by]
    spec = {"kind": "summary", "columns": columns, **({"by": [by]} if by else {})}
    check_summary(board.views(spec)[0], study.summary(columns, by=by))


def check_summary(found: dict[str, Any], table: CopyTable) -> None:
    """Compare a summary but for the intervals of its means, which the page leaves out and says."""
    assert found["view"]["notes"].pop().startswith("means have no intervals here")
    lines = tuple(it for it in table.lines if it.name != "95 % interval of the mean")
    figures = tuple(it for it in table.figures if not it.figure.endswith(" end"))
    check(found, replace(table, lines=lines, figures=figures))


@pytest.mark.parametrize(
    ("value", "by"),
    [
        ("age", ["arm"]),
        ("marker", ["band", "arm"]),
        ("change", ["year"]),
        ("age", ["site", "band"]),
    ],
)
def test_means(board: Board, study: Study, value: str, by: list[str]) -> None:
    """Intervals of the page leave the copy's own error out, and say so."""
    (found,) = board.views({"kind": "means", "columns": [value], "by": by})
    table = study.means(value, by)
    rows = RowsToDescribe(*_columns(study), ordered=study.session.whole.orders)
    of_rows = means_of(rows, value, by)
    last = found["view"]["notes"].pop()
    assert last.endswith(
        "leave out how far the copy is off: those of study.means in Python hold it"
    )
    check(found, replace(table, lines=of_rows.lines, figures=of_rows.figures))
    ends = ("mean, low end", "mean, high end")
    for own, wider in zip(of_rows.figures, table.figures, strict=True):
        if own.figure in ends and own.value is not None:
            assert (-1) ** ends.index(own.figure) * (
                float(own.value) - float(wider.value or 0)
            ) >= 0


def _columns(study: Study) -> tuple[Any, Any]:
    copy = study.session.whole.with_levels(["year"]).copy
    return copy.columns, copy.strata


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"kind": "summary", "columns": ["age"], "by": ["age"]}, "by its own levels"),
        ({"kind": "summary", "columns": ["age"], "by": ["arm", "band"]}, "of one column"),
        ({"kind": "means", "columns": ["age"]}, "one or two others"),
        ({"kind": "means", "columns": ["age"], "by": ["age"]}, "one or two others"),
        ({"kind": "means", "columns": ["arm"], "by": ["band"]}, "the share of each level"),
        ({"kind": "means", "columns": ["visit"], "by": ["band"]}, "holds dates"),
        ({"kind": "means", "columns": ["age"], "by": ["marker"]}, "too many different values"),
    ],
)
def test_what_cannot_be_made_says_why(board: Board, given: dict[str, Any], says: str) -> None:
    assert says in board.views(given)[0]["refused"]["says"]


def test_cells_that_count_rows_light_them(board: Board) -> None:
    spec = {"kind": "summary", "columns": ["band", "age", "arm"], "by": ["died"]}
    drawn = board.draw(spec)
    assert len(drawn["marks"]) == (3 + 4) * 3
    for mark in drawn["marks"]:
        found = board.ask(
            "light", part={"where": [], "assign": []}, conditions=mark["light"], specs=[]
        )
        assert found["size"] == mark["count"], mark["say"]


def test_tables_of_the_server_are_drawn_with_nothing_of_them_as_markup(
    board: Board, study: Study
) -> None:
    table = study.where("age > 20").summary(["band"]).to_json().replace("under 40", "<b>&")
    html = board.page.evaluate(
        """(view) => it.KINDS.get("model").draw(view, {}, it.lookOf(new Map())).html""",
        json.loads(table),
    )
    assert "&lt;b&gt;&amp;" in html
    assert "<b>" not in html


TERMS = {
    "Intercept": (-1.0, 0.2, 1.0, "–", "–"),
    "age": (-math.log(2), 0.0, math.log(2), "1", "0.5 to 2"),
    "C(arm)[T.new]": (0.1, 0.5, 0.9, "1.65", "1.11 to 2.46"),
    "C(arm)[T.<b>]": (-0.9, -0.5, -0.1, "0.607", "0.407 to 0.905"),
    "C(`age: group`)[T.60+]:age": (0.0, 0.3, 0.6, "1.35", "1 to 1.82"),
}
ENDS = ("estimate, low end", "estimate", "estimate, high end")


def forest(**labels: str) -> dict[str, Any]:
    """Return a table of a logistic model as a server sends it."""
    figures: list[dict[str, Any]] = [
        {"column": term, "level": None, "group": {}, "figure": name, "value": value}
        for term, values in TERMS.items()
        for name, value in zip((*ENDS, "odds ratio"), (*values[:3], 1.0), strict=True)
    ]
    references = {"arm": "old", "age: group": "under 60"}
    figures += [
        {"column": name, "level": level, "group": {}, "figure": "reference", "value": None}
        for name, level in references.items()
    ]
    lines = [{"section": "", "name": it, "cells": [*TERMS[it][3:]]} for it in TERMS]
    lines.append({"section": "fit", "name": "rows of the copy", "cells": ["900", ""]})
    head = ["odds ratio", "95 % interval"]
    return {"head": head, "lines": lines, "notes": [], "figures": figures, "labels": labels}


DRAW_FOREST = """([view, width]) => {
  const box = { width, height: 300 };
  const drawn = it.KINDS.get("model").draw(view, box, it.lookOf(new Map()));
  const host = document.createElement("div");
  host.innerHTML = `<svg>${drawn.svg}</svg>${drawn.html}`;
  const texts = (of) => [...host.querySelectorAll(of)].map((one) => one.textContent);
  const ends = [...host.querySelectorAll(".base line")].map((one) =>
    ["x1", "x2"].map((name) => Number(one.getAttribute(name))));
  const nought = Number(host.querySelectorAll("line.bl")[1].getAttribute("x1"));
  const at = [...host.querySelectorAll("circle")].map((one) => Number(one.getAttribute("cx")));
  return { names: texts("[text-anchor=start]"), numbers: texts("[text-anchor=end]"), at, ends,
    nought, ticks: texts("[text-anchor=middle]"), rows: texts("tbody th"), marks: drawn.marks };
}"""


def test_a_forest_names_levels_in_full_and_what_they_are_against(board: Board) -> None:
    found = board.page.evaluate(DRAW_FOREST, [forest(arm="Treatment"), 700])
    product = "age: group: 60+ × age"
    levels = ["Treatment", "old (reference)", "new", "<b>"]
    assert found["names"] == ["age", *levels, product]
    said = ["1 (0.5 to 2)", "1.65 (1.11 to 2.46)", "0.607 (0.407 to 0.905)", "1.35 (1 to 1.82)"]
    assert [it for it in found["numbers"] if it] == ["odds ratio, with its 95 % interval →", *said]
    named = ["age", "Treatment: new", "Treatment: <b>", product]
    assert found["rows"] == ["Intercept", *named, "fit", "rows of the copy"]
    assert [it["say"] for it in found["marks"]] == named
    assert [it["more"] for it in found["marks"]] == [f"odds ratio {it}" for it in said]
    # On the scale of ratios half is as far from 1 as double, and the reference is at 1.
    (low, high), *_ = found["ends"]
    assert low + high == pytest.approx(2 * found["nought"], abs=0.2)
    assert found["at"] == [found["nought"]]
    assert {"0.5", "1", "2"} <= {*found["ticks"]}


def test_a_name_that_is_too_long_stands_above_its_interval(board: Board) -> None:
    found = board.page.evaluate(DRAW_FOREST, [forest(age="Age at the first visit in years"), 300])
    above = "age: group: 60+ × Age at the first visit in years"
    assert found["names"][-2:] == [above, ""]
    assert [it for it in found["numbers"] if it] == ["odds ratio, with its 95 % interval →"]


def test_numbers_are_written_alike(page: Page) -> None:
    draw = random.Random(11)
    ties = [draw.randint(-(10**7), 10**7) / draw.choice((2, 4, 8, 16, 1024)) for _ in range(2000)]
    others = [draw.uniform(-1, 1) * 10 ** draw.randint(-9, 15) for _ in range(2000)]
    given = [(it, draw.choice((None, 0, 1, 2, 3, 9))) for it in (*ties, *others, 0.0, -0.0, -1e-4)]
    found = page.evaluate(
        "(all) => all.map(([value, decimals]) => words.words(value, decimals))",
        [[*it] for it in given],
    )
    assert found == [number_words(*it) for it in given]


def test_shares_are_written_alike(page: Page) -> None:
    given = [(count, of) for of in (0, 1, 3, 7, 40, 1000, 2000, 30_011) for count in (0, 1, 3, of)]
    found = page.evaluate("(all) => all.map((it) => words.shareWords(...it))", [*map(list, given)])
    assert found == [share_words(*it) for it in given]


def test_quantiles_of_t(page: Page) -> None:
    freedom = [*range(1, 60), 99, 150, 199, 200, 201, 399, 400, 401, 402, 1000, 9999, 300_000]
    found = page.evaluate("(all) => all.map(words.studentT)", freedom)
    assert found == pytest.approx([stdtrit(it, 0.975) for it in freedom], rel=1e-11)
