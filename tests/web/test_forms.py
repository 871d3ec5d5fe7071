"""Forms of filters and of new columns: what is chosen becomes an expression of the package."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from playwright.sync_api import expect

from discreet.explore import Study
from discreet.explore.board import board_rows
from discreet.web import page_files
from discreet.web.parts import script_of
from tests.serve.cohort import opened
from tests.serve.looking import keep_screen, violations
from tests.web.test_expressions_js import RULES, persons

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ENTRY = """
import { columnForm } from "./app/column-form.js";
import { offersAt } from "./app/expression-field.js";
import { dropColumn } from "./app/new-columns.js";
import { inWords, simpleOf } from "./app/condition-words.js";
import { lookOf } from "./draw/look.js";
import { cutsTyped, equalCuts, freeName, inRange, oneOfLevels } from "./app/expression-texts.js";
import { filterForm } from "./app/filter-form.js";
import { Answers } from "./rows/answers.js";
const texts = { cutsTyped, equalCuts, freeName, inRange, oneOfLevels };
const words = { dropColumn, inWords, lookOf, simpleOf, offersAt };
globalThis.it = { columnForm, filterForm, answers: new Answers(), ...texts, ...words };
"""
HOST = (
    '<!doctype html><html lang="en"><head><title>Forms</title></head><body>'
    "<main><h1>Forms</h1><div id='host'></div></main></body></html>"
)
OPEN = """async ([text, names]) => {
  const bytes = Uint8Array.from(atob(text), (one) => one.charCodeAt(0)).buffer;
  const { found } = it.answers.open({ bytes, facts: { k: 5, bins: 20, axes: {}, columns: [] } });
  const ask = async (what, given) => it.answers[what](given).found;
  const part = { where: [], assign: [] };
  const { columns } = await ask("part", { where: [], assign: [] });
  const known = names.map((name) => columns.find((one) => one.name === name));
  it.known = () => known;
  it.board = {
    columns: new Map(known.map((one) => [one.name, one])), draft: [], part,
    partSize: () => found, failed: (error) => { throw error; },
    rows: { part: (given) => ask("part", given),
      views: (given, specs) => ask("views", { part: given, specs }) },
  };
}"""
SHOW = """([name, before]) => {
  it.got = null;
  const host = document.getElementById("host");
  host.replaceChildren(it[name](it.board, (...got) => { it.got = got; }, before));
}"""
FITS = "(words) => document.querySelector('.fits').textContent.startsWith(words)"


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A study of persons, one column of whose has a name of two words, another a mark in levels."""
    rng = np.random.default_rng(3)
    table = persons().append_column("glucose level", [rng.normal(95, 12, 400).round(1).tolist()])
    words = [("it's", 'so "so"', "in")[i % 3] for i in range(400)]
    return opened(tmp_path_factory.mktemp("forms"), RULES, table.append_column("in", [words]))


@pytest.fixture(scope="module")
def page(chromium: Browser, study: Study) -> Iterator[Page]:
    """A page with the forms and the rows; nothing may go wrong in it."""
    wrong: list[str] = []
    page = chromium.new_page(viewport={"width": 360, "height": 700})
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.set_content(HOST)
    page.add_style_tag(content=page_files()["board.css"])
    text = script_of(ENTRY)
    page.add_script_tag(type="module", content=text)
    page.wait_for_function("globalThis.it")
    rows = base64.b64encode(board_rows(study._copy).data).decode()
    names = ["age", "bmi", "sex", "smoker", "region", "visit", "glucose level", "in"]
    page.evaluate(OPEN, [rows, names])
    yield page
    page.close()
    assert wrong == []


def got(page: Page) -> Any:
    """Press the button, and return what the form yields."""
    page.click(".btn.main")
    page.wait_for_function("it.got")
    return page.evaluate("it.got")


def rows_that_fit(study: Study, text: str) -> str:
    """Return the sentence of how many rows of the copy, whose number has noise, a filter keeps."""
    all_rows = study._copy
    return f"{len(all_rows.where(text).whole)} of {len(all_rows.whole)} rows fit"


# --- filters ----------------------------------------------------------------------------------

RANGES = {
    "both": ("bmi", {"from": "20", "to": "30"}, "20 <= bmi <= 30"),
    "below nought": ("age", {"from": "-1"}, "age >= -1"),
    "dates": ("visit", {"from": "2019-06-01"}, "visit >= '2019-06-01'"),
}
LEVELS = {
    "all but one": ("region", ["north", "east"], "region != 'south'"),
    "all": ("smoker", ["yes", "no"], "not missing(smoker)"),
    "codes": ("sex", ["1"], "sex == '1'"),
    "a mark": ("in", ["it's"], "`in` == 'it''s'"),
}


def choose(page: Page, field: str, name: str) -> None:
    """Choose by the keyboard what has a name."""
    page.locator(field).first.fill(name)
    page.keyboard.press("Enter")
    assert page.locator(field).first.input_value().startswith(name)


@pytest.mark.parametrize(("column", "ends", "text"), RANGES.values(), ids=RANGES)
def test_a_range_becomes_a_condition(
    page: Page, study: Study, column: str, ends: dict[str, str], text: str
) -> None:
    page.evaluate(SHOW, ["filterForm", ""])
    choose(page, "[name=column]", column)
    for name, value in ends.items():
        page.fill(f"[name={name}]", value)
    page.wait_for_function(FITS, arg=rows_that_fit(study, text))
    if column != "age":
        expect(page.locator(".small .off")).not_to_have_count(0)
    assert got(page) == [text]


@pytest.mark.parametrize(("column", "levels", "text"), LEVELS.values(), ids=LEVELS)
def test_levels_become_a_condition(
    page: Page, study: Study, column: str, levels: list[str], text: str
) -> None:
    page.evaluate(SHOW, ["filterForm", ""])
    choose(page, "[name=column]", column)
    for level in levels:
        page.get_by_label(level, exact=True).check()
    page.wait_for_function(FITS, arg=rows_that_fit(study, text))
    assert got(page) == [text]


def test_many_levels_are_a_list(page: Page) -> None:
    levels = [f"level {i}" for i in range(150)]
    asked = "([chosen, all]) => it.oneOfLevels('x', chosen, all)"
    assert page.evaluate(asked, [levels[:2], levels]) == "x in ('level 0', 'level 1')"
    assert page.evaluate(asked, [levels[:148], levels]) == "x not in ('level 148', 'level 149')"
    assert page.evaluate(asked, [[], levels]) == ""


def test_too_few_rows_are_said_before_the_filter_is_added(page: Page) -> None:
    page.evaluate(SHOW, ["filterForm", ""])
    page.fill("[name=from]", "79")
    page.wait_for_function(FITS, arg="Fewer than 50 rows fit")


def test_names_are_free(page: Page) -> None:
    taken = "(all) => it.freeName('x', (name) => all.includes(name))"
    assert page.evaluate(taken, ["x", "x_2"]) == "x_3"
    assert page.evaluate(taken, ["y"]) == "x"


def test_what_says_nothing_yet_is_no_filter(page: Page) -> None:
    page.evaluate(SHOW, ["filterForm", ""])
    page.click(".btn.main")
    assert page.text_content(".fits") == "Say where the range begins, or where it ends."
    page.fill("[name=from]", "60")
    page.fill("[name=to]", "40")
    page.click(".btn.main")
    assert page.text_content(".fits") == "The range ends before it begins."
    page.wait_for_timeout(400)  # a count that was under way does not take its place
    assert page.text_content(".fits") == "The range ends before it begins."
    choose(page, "[name=column]", "region")
    page.click(".btn.main")
    assert page.text_content(".fits") == "Choose one level or more."
    assert page.evaluate("it.got") is None


WORDS = {
    "age >= 50": "age ≥ 50",
    "20 <= bmi <= 30": "bmi 20–30",
    "20 <= bmi < 30": "20 ≤ bmi < 30",
    "age <= 5 <= bmi": "age ≤ 5 ≤ bmi",
    "visit >= '2019-06-01'": "visit ≥ 1 Jun 2019",
    "region in ('north', 'east')": "region = north or east",
    "`glucose level` != 90": "glucose level ≠ 90",
    "sex == '1'": "sex = 1",
    "sex == 1": "sex = 1",
    "smoker": "smoker",
    "not smoker": "not smoker",
    "smoker == 'no'": "smoker = no",
    "missing(region)": "region is missing",
    "not missing(region)": "region is known",
    "not age > 50": "not age > 50",
    "missing(log(age))": "missing(log(age))",
    "age > 50 and smoker": "age > 50 and smoker",
    "log(age) > 3": "log(age) > 3",
    "nothing > 3": "nothing > 3",
    "not missing(age > 3)": "not missing(age > 3)",
}


def test_a_filter_in_words(page: Page) -> None:
    asked = "(all) => all.map((text) => it.inWords(it.known(), text, it.lookOf(it.board.columns)))"
    assert dict(zip(WORDS, page.evaluate(asked, [*WORDS]), strict=True)) == WORDS


CHANGED = {
    "20 <= bmi <= 30": {"column": "bmi", "from": "20", "to": "30"},
    "age <= 60.5": {"column": "age", "to": "60.5"},
    "visit >= '2019-06-01'": {"column": "visit", "from": "2019-06-01"},
    "region != 'south'": {"column": "region", "levels": ["east", "north"]},
    "`in` == 'it''s'": {"column": "in", "levels": ["it's"]},
    "region in ('north', 'east')": {"column": "region", "levels": ["north", "east"]},
    "region not in ('north')": None,
    "age > 50": None,
    "age >= 50 and bmi > 3": None,
    "age + 1 >= 50": None,
    "visit >= visit": None,
    "age >=": None,
}


@pytest.mark.parametrize(("text", "simple"), CHANGED.items())
def test_a_filter_can_be_changed(page: Page, text: str, simple: dict[str, Any] | None) -> None:
    assert page.evaluate("(text) => it.simpleOf(it.known(), text)", text) == simple
    page.evaluate(SHOW, ["filterForm", text])
    if simple is None:
        assert page.input_value("textarea") == text
        return
    assert page.input_value("[name=column]") == simple["column"]
    again = text.replace("region in ('north', 'east')", "region != 'south'")
    assert got(page) == [again]


# --- what is written --------------------------------------------------------------------------


def test_a_mistake_is_marked_at_its_place(page: Page) -> None:
    page.evaluate(SHOW, ["filterForm", ""])
    page.get_by_text("Write it yourself").click()
    page.fill("textarea", "`in` == '🙂' and agee > 1")
    page.wait_for_selector("mark")
    assert page.text_content("mark") == "agee"
    assert page.text_content(".wrong") == "There is no column 'agee'; did you mean 'age'?"
    assert page.get_attribute("textarea", "aria-invalid") == "true"
    keep_screen(page, "form-mistake")
    page.fill("textarea", "age + 1")
    page.click(".btn.main")
    assert "no condition" in (page.text_content(".fits") or "")
    page.fill("textarea", "smoker and age > 1")
    assert page.locator("mark").count() == 0
    assert got(page) == ["smoker and age > 1"]


def test_columns_are_completed_by_keys(page: Page) -> None:
    page.evaluate(SHOW, ["filterForm", ""])
    page.get_by_text("Write it yourself").click()
    page.keyboard.type("glu")
    assert page.locator(".offer li").all_text_contents() == ["glucose level"]
    page.keyboard.press("ArrowDown")
    described = page.get_attribute("textarea", "aria-activedescendant")
    assert page.text_content(f"#{described}") == "glucose level"
    page.keyboard.press("Enter")
    page.keyboard.type(" > 90 and region == 'no")
    page.locator(".offer li").click()
    assert page.input_value("textarea") == "`glucose level` > 90 and region == 'north'"
    page.keyboard.type(" or lo")
    assert page.locator(".offer li").all_text_contents() == ["log(x)", "log2(x)", "log10(x)"]
    page.keyboard.press("Escape")
    assert page.locator(".offer").is_hidden()
    page.fill("textarea", "age > 30")
    page.keyboard.press("Enter")
    page.wait_for_function("it.got")
    assert page.evaluate("it.got") == ["age > 30"]


# --- new columns ------------------------------------------------------------------------------


def way(page: Page, value: str) -> None:
    page.click(f"[aria-label='How it is made'] [data-value={value}]")


def test_a_logarithm(page: Page) -> None:
    page.evaluate(SHOW, ["columnForm", 0])
    choose(page, "[role=combobox]", "glucose level")
    page.click("[data-value='2']")
    assert page.input_value("[name=name]") == "log2_glucose_level"
    page.wait_for_selector(".small rect")
    assert got(page) == ["log2_glucose_level", "log2(`glucose level`)"]


@pytest.mark.parametrize("groups", [3, 5])
def test_groups_of_about_equal_size(page: Page, study: Study, groups: int) -> None:
    page.evaluate(SHOW, ["columnForm", 0])
    way(page, "groups")
    choose(page, "[role=combobox]", "bmi")
    page.click(f"[data-value='{groups}']")
    name, text = got(page)  # what is pressed is taken, whatever picture is still to come
    expect(page.locator(".small rect")).to_have_count(groups)
    words = study._copy.assign({name: text}).whole.copy.strata[name]
    sizes = np.unique(words, return_counts=True)[1]
    assert name == "bmi_groups"
    assert len(sizes) == groups
    assert sizes.min() > 0.6 * 400 / groups  # the copy is another each time


def test_groups_at_cuts(page: Page) -> None:
    page.evaluate(SHOW, ["columnForm", 0])
    way(page, "groups")
    page.click("[data-value=cuts]")
    page.get_by_label("Cut at").fill("60, 40")
    page.click(".btn.main")
    page.wait_for_function(FITS, arg="“40” is no number above")
    page.get_by_label("Cut at").fill("40 60")
    page.wait_for_function(FITS, arg="under 40 · 40 to under 60 · 60 or more")
    assert got(page) == ["age_groups", "cut(age, 40, 60)"]
    choose(page, "[role=combobox]", "visit")
    page.get_by_label("Cut at").fill("2020-01-01")
    page.wait_for_function(FITS, arg="2020-01-01 or later · before 2020-01-01")
    page.evaluate("it.got = null")
    assert got(page) == ["visit_groups", "cut(visit, '2020-01-01')"]


def test_a_ratio_and_its_name(page: Page) -> None:
    page.evaluate(SHOW, ["columnForm", 0])
    way(page, "ratio")
    assert page.input_value("[name=name]") == "age_per_bmi"
    page.fill("[name=name]", "region")
    page.click(".btn.main")
    page.wait_for_selector(".small rect")  # its words do not take the place of the refusal
    expect(page.locator(".fits")).to_have_text(re.compile("^There is a column “region”"))
    page.fill("[name=name]", "ratio")
    assert got(page) == ["ratio", "age / bmi"]


def test_an_expression_of_ones_own(page: Page) -> None:
    page.evaluate(SHOW, ["columnForm", 0])
    way(page, "own")
    page.fill("textarea", "age >= 50")
    expect(page.locator(".fits")).to_have_text(re.compile("^no · yes"))
    assert page.input_value("[name=name]") == ""
    page.fill("[name=name]", "old")
    assert got(page) == ["old", "age >= 50"]


def test_a_new_column_is_changed_under_its_name(page: Page) -> None:
    page.evaluate("it.board.part.assign = [['a', 'log(age)'], ['b', 'a + 1']]")
    page.evaluate(SHOW, ["columnForm", 0])
    assert page.input_value("textarea") == "log(age)"
    assert page.input_value("[name=name]") == "a"
    page.fill("textarea", "a + 1")
    page.wait_for_selector("mark")
    page.fill("textarea", "log(bmi)")
    assert got(page) == ["a", "log(bmi)"]
    page.evaluate("it.board.part.assign = []")


def test_what_rests_on_a_column_goes_with_it(page: Page) -> None:
    state: dict[str, Any] = {
        "assign": [["a", "log(age)"], ["b", "a + 1"], ["c", "bmi"], ["d", "case(b > 1, c, 0)"]],
        "where": ["age > 1", "b > 3", "c > 3"],
        "off": [[0, "a > 2"], [2, "c < 9"]],
        "cards": [
            {"kind": "scatter", "columns": ["age", "d"]},
            {"kind": "a", "columns": ["c"], "by": ["region"]},
            {"kind": "box", "columns": ["c"], "by": ["a"]},
        ],
    }
    found = page.evaluate(
        """([state, names]) => {
          const known = names.map((name) => ({ name, kind: "number" }));
          it.dropColumn(state, 0, known);
          return state;
        }""",
        [state, ["age", "bmi", "a", "b", "c", "d"]],
    )
    assert found == {
        "assign": [["c", "bmi"]],
        "where": ["age > 1", "c > 3"],
        "off": [[1, "c < 9"]],
        "cards": [state["cards"][1]],
    }


def test_many_rows_of_one_value_make_fewer_groups(page: Page) -> None:
    view = {"edges": [0, 1, 2, 3], "counts": [900, 50, 50]}
    cuts = page.evaluate("(view) => it.equalCuts(view, 5)", view)
    assert len(cuts) == len({*cuts})
    assert all(0 < float(it) < 3 for it in cuts)


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_forms_can_be_used_by_all(page: Page, scheme: Any) -> None:
    page.emulate_media(color_scheme=scheme)
    for name, columns in (("filterForm", ["age", "region", "visit"]), ("columnForm", ["bmi"])):
        page.evaluate(SHOW, [name, "" if name == "filterForm" else 0])
        for column in columns:
            choose(page, "[role=combobox]", column)
            page.wait_for_selector(".small rect")
            keep_screen(page, f"form-{name}-{column}-{scheme}")
            assert violations(page) == []
    way(page, "own")
    page.keyboard.type("ag")
    page.fill("textarea", "agee")
    page.wait_for_selector("mark")
    assert violations(page) == []
