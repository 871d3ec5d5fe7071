"""Expressions in the browser: the same values, kinds and words as the room of the package has."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from pyarrow import Table

from discreet.errors import DiscreetError, InputError
from discreet.explore import Study
from discreet.explore.board import board_rows
from discreet.expressions import Levels, Numbers, Values, parse_expression, yes_of
from discreet.expressions.grammar import EXPRESSIONS
from discreet.web.parts import script_of, texts_below
from tests.expressions import test_expressions as worked
from tests.expressions import test_hostile as hostile
from tests.expressions import test_twin as twin
from tests.serve.cohort import opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

STATIC = resources.files("discreet.web").joinpath("static")
ENTRY = """
import { asCondition, evaluate, parseExpression } from "./rows/expressions/expression.js";
import { yesOf } from "./rows/expressions/meaning.js";
import { Mistake } from "./rows/expressions/mistake.js";
import { written } from "./rows/expressions/tokens.js";
import { readBundle } from "./rows/bundle.js";
import { columnOf, maskWhere } from "./rows/derive.js";
import { rowsOf, whole, withNew } from "./rows/part.js";
const parts = { readBundle, columnOf, maskWhere, rowsOf, whole, withNew };
globalThis.it = { asCondition, evaluate, parseExpression, yesOf, Mistake, written, ...parts };
"""
# All goes as a text of ASCII alone, as half a pair of UTF-16 is lost on the way otherwise.
ANSWERS = r"""(asked) => {
  const { columns, kinds, yes, rows, texts } = JSON.parse(asked);
  const known = new Map(kinds);
  const number = (word) => Number(word.replace("inf", "Infinity"));
  const column = ({ kind, values, codes, levels }) => kind === "level"
    ? { kind, codes: Uint8Array.from(codes), levels, missing: 255 }
    : { kind, values: Float64Array.from(values, number), dates: known.get("dates") };
  const held = new Map(columns.map(([name, it]) => [name, column(it)]));
  const out = (found) => found.kind === "level"
    ? { levels: found.levels,
        words: Array.from(found.codes, (it) => it === found.missing ? "" : found.levels[it]) }
    : { kind: found.kind, dates: found.dates || false, values: Array.from(found.values, String) };
  const answer = (text) => {
    try {
      const read = it.parseExpression(text, known, new Map(yes));
      const found = out(it.evaluate(read, held, rows));
      return { names: read.names, kind: read.kind, condition: it.asCondition(read).kind, found };
    } catch (error) {
      if (!(error instanceof it.Mistake)) return { broken: String(error.stack) };
      return { says: error.message, place: error.place };
    }
  };
  return JSON.stringify(texts.map(answer));
}"""
ULPS = 4
SEEN = settings(
    max_examples=300, database=None, derandomize=True, deadline=None, phases=[Phase.generate]
)


@dataclass(frozen=True)
class Known:
    """Columns, their kinds, and which of their values is true."""

    columns: Mapping[str, Values]
    kinds: Mapping[str, str]
    yes: Mapping[str, str]

    @property
    def rows(self) -> int:
        first = next(iter(self.columns.values()))
        return len(first.words if isinstance(first, Levels) else first.values)


WORKED = Known(worked.COLUMNS, worked.KINDS, worked.YES)
TWINS = Known(twin.COLUMNS, {**twin.KINDS, **twin.TRUTHS, **twin.DATES}, twin.YES)
HOSTILE = Known(hostile.COLUMNS, hostile.KINDS, {})


@pytest.fixture(scope="module")
def page(chromium: Browser) -> Iterator[Page]:
    page = chromium.new_page()
    text = script_of(ENTRY)
    page.add_script_tag(type="module", content=text)
    page.wait_for_function("globalThis.it")
    yield page
    page.close()


# --- both ways ------------------------------------------------------------------------------


def as_sent(values: Values) -> dict[str, Any]:
    if not isinstance(values, Levels):
        return {"kind": "number", "values": [repr(float(it)) for it in values.values]}
    levels = [*dict.fromkeys(word for word in values.words if word)]
    codes = [levels.index(word) if word else 255 for word in values.words]
    return {"kind": "level", "codes": codes, "levels": levels}


def in_browser(page: Page, known: Known, texts: Sequence[str]) -> list[dict[str, Any]]:
    asked = {
        "columns": [(name, as_sent(values)) for name, values in known.columns.items()],
        "kinds": [*known.kinds.items()],
        "yes": [*known.yes.items()],
        "rows": known.rows,
        "texts": texts,
    }
    found: list[dict[str, Any]] = json.loads(page.evaluate(ANSWERS, json.dumps(asked)))
    return found


def in_package(known: Known, text: str) -> dict[str, Any]:
    try:
        read = parse_expression(text, known.kinds, known.yes)
    except InputError as error:
        if error.place is None:
            return {"says": str(error), "place": None}
        at, stop = error.place
        return {"says": str(error).rsplit("\n", 2)[0], "place": {"at": at, "length": stop - at}}
    known_of = {"names": [*read.names], "kind": read.kind, "condition": read.as_condition().kind}
    return {**known_of, "found": read.evaluate(known.columns)}


def near(found: Sequence[str], wanted: Any) -> bool:
    """Tell whether numbers are the same, but for the last digits."""
    a, b = np.array([float(it) for it in found]), np.asarray(wanted, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        close = np.abs(a - b) <= ULPS * np.spacing(np.maximum(np.abs(a), np.abs(b)))
    return bool((close | (np.isnan(a) & np.isnan(b))).all())


def differs(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Tell whether the browser says something else."""
    if "found" not in found or "found" not in wanted:
        return found != wanted
    values, expected = found["found"], wanted["found"]
    if any(found[name] != wanted[name] for name in ("names", "kind", "condition")):
        return True
    if isinstance(expected, Levels):
        ordered = not expected.order or values["levels"] == [*expected.order]
        return values["words"] != [*expected.words] or not ordered
    if found["kind"] == "truth":
        return not near([{"2": "nan"}.get(it, it) for it in values["values"]], expected.values)
    dates = values["dates"] is (found["kind"] == "date")
    return not dates or not near(values["values"], expected.values)


def agree(page: Page, known: Known, texts: Sequence[str]) -> None:
    texts = [*dict.fromkeys(texts)]
    pairs = [
        (text, found, in_package(known, text))
        for text, found in zip(texts, in_browser(page, known, texts), strict=True)
    ]
    assert [it for it in pairs if differs(*it[1:])] == []


# --- tables -----------------------------------------------------------------------------------

STRANGE = [
    *("age >= 50 and sec == 'F'", "age\n+ \x00", "sex == '日本' and age = 1", "🙂🙂 age = 1"),
    *("`🙂` > 1", "sex == '🙂' and agee > 1", "  \u2003age\x1c>\x85 3", "age\ufeff > 1"),
    *("Größe > 1",),
    *("sex == 'F' and sex == 'F' and sex == 'F' and sex == 'F' and sex == 'F' and age > ",),
    *("`it's` > 1", '`it\'s "so"` > 1', "`\\\t\x07\u200b` > 1", "AGE > 1", "bodymass > 1"),
    *("visitt > 1", "smokers", "loog(age)", "agebirthvisit > 1", "visit > '0001-01-01'"),
    *("visit > '0000-12-31'", "visit > '9999-12-31 23:59:59'", "visit > '2019-01-01 24:00'"),
    *("visit > '1900-02-29'", "visit > '2000-02-29 00:60'", "visit - birth - 3 > 1"),
    *("1 + visit", "visit == birth + 0", "age == '1' and true", "round(age, -2.0)"),
    *("round(age, --1)", "round(-age, 1)", "round(-größe - 1)", "age ** -0", "age ** 3"),
    *("-(-1) * age", "cut(age, -1.50, +3, 1e1)", "case(smoker, '', in, 'x')"),
    *("case(smoker, '', 'x')", "cut(age, 1)", "missing(true) or age > 1", "age in (1, true)"),
    *("age > 1 not in (2)", "year(visit - 1e15)", "case(age > 40, sex, 'F')"),
    *("case(age > 40, visit, birth)", "min(visit, '2000-01-01')", "log(10 ** age)"),
    *("log10(1000 * (age - age + 1)) >= 3", "log2(8 * (log / log))", "-age * 0"),
    *("visit != '2019-01-01' and visit + 1e9 != '2019-01-01'", "visit + 1e9 < '2019-01-01'"),
    *("'F' == sex", "sex == 'F' == true", "'a' in ('a') or age > 1", "sex != sex"),
    *("sex in ('M', 'F')",),
]
TABLES = {
    "worked": [*worked.CONDITIONS, *worked.YES_NO, *worked.NUMBERS, *worked.TEXTS, *worked.ORDERS],
    "mistakes": [*worked.MISTAKES, *worked.MISTAKES_OF_TRUTH, *worked.MARKED],
    "strange": STRANGE,
}


@pytest.mark.parametrize("table", TABLES)
def test_tables_of_cases(page: Page, table: str) -> None:
    agree(page, WORKED, TABLES[table])


def test_hostile_texts_are_refused_in_the_same_words(page: Page) -> None:
    deep = hostile.DEEPEST
    limits = ["(" * deep + "x" + ")" * deep, "-" * deep + "x", "-" * (deep + 1) + "x"]
    agree(page, HOSTILE, [*hostile.HOSTILE, *limits])


NAMES = [
    *("and", "not", "case", "None", "__class__", "a.b", "{x}", " ", "1", "'", "x; import os"),
    *(
        "__proto__",
        "constructor",
        "toString",
        "hasOwnProperty",
        "prototype",
        "🙂",
        "\u017f",
        "true",
    ),
]


def test_a_column_may_have_any_name(page: Page) -> None:
    two = Numbers(np.array([2.0]))
    every = Known(dict.fromkeys(NAMES, two), dict.fromkeys(NAMES, "number"), {})
    texts = [" + ".join(f"`{name}`" for name in NAMES), "__proto__ > 1", "toString", "valueOf > 1"]
    agree(page, every, [*texts, "true", "constructor ** 2", "toString(x)", "constructor(1)"])
    none = Known({"x": two}, {"x": "number"}, {})
    agree(page, none, [*NAMES, "__proto__", "x.constructor", "toString(x)", "constructor(x)"])


def test_names_that_are_near_are_found_alike(page: Page) -> None:
    names = [
        "height",
        "weight",
        "Weight",
        "waist",
        "hight",
        "wheight",
        "\U0001d4bdeight",
        "w" * 150,
        "aab",
    ]
    some = Known({"height": Numbers(np.array([2.0]))}, dict.fromkeys(names, "number"), {})
    wrong = ["eight", "WEIGHT", "weigth", "heiht", "w" * 90, "w" * 101, "thgieh", "aba", "baa", "q"]
    agree(page, some, [*wrong, "whight", "waste"])
    many = {f"column_{i}": "number" for i in range(30)}
    agree(page, Known(some.columns, many, {}), ["xyz", "colum_1", "olumn2"])


@pytest.mark.parametrize("spaces", [" ", "\t\n"])
def test_numbers_that_are_not_finite_are_missing(page: Page, spaces: str) -> None:
    given = {"x": Numbers(np.array([math.inf, -math.inf, math.nan, 1e308, -0.0]))}
    agree(page, Known(given, {"x": "number"}, {}), [f"x{spaces}>{spaces}1", "x", "x * 10", "0 * x"])


WORDS = [*worked.PAIRS, ("no", "ye\u017f"), ("NO",), ("n", "y", "Y"), ("", "yes"), ("toString",)]


def test_columns_of_yes_and_no_are_known_by_their_values(page: Page) -> None:
    found = page.evaluate("(all) => all.map((words) => it.yesOf(words))", [[*it] for it in WORDS])
    assert found == [yes_of(words) for words in WORDS]


# --- random ones ------------------------------------------------------------------------------


def seen_of(strategy: st.SearchStrategy[Any]) -> list[Any]:
    found: list[Any] = []

    @SEEN
    @given(strategy)
    def take(example: Any) -> None:
        found.append(example)

    take()
    return found


@pytest.mark.slow
def test_random_expressions_are_computed_alike(page: Page) -> None:
    agree(page, TWINS, [meant.text for meant in seen_of(twin.EXPRESSIONS)])


@pytest.mark.slow
def test_any_text_is_computed_or_refused_alike(page: Page) -> None:
    assigned = st.characters(exclude_categories=["Cn"])  # known to each by its year of Unicode
    agree(page, HOSTILE, seen_of(hostile.ANY_TEXT | st.text(assigned)))


@pytest.mark.slow
def test_signs_bind_alike(page: Page) -> None:
    parts = st.lists(st.tuples(twin.OPERANDS, st.sampled_from(twin.SIGNS)), min_size=1, max_size=7)
    texts = [
        " ".join([*(f"{operand} {sign}" for operand, sign in some), last])
        for some, last in seen_of(st.tuples(parts, twin.OPERANDS))
    ]
    agree(page, TWINS, texts)


# --- rows of a copy ---------------------------------------------------------------------------

RULES = """
[roles]
person = "identifier"
"""
STEPS = r"""([bytes, asks]) => {
  const copy = it.readBundle(Uint8Array.from(atob(bytes), (one) => one.charCodeAt(0)).buffer);
  const word = (held) => (code) => code === held.missing ? "" : held.levels[code];
  const told = (held) => held.kind === "level"
    ? { kind: "level", values: Array.from(held.codes, word(held)) }
    : { kind: held.dates ? "date" : "number", values: Array.from(held.values, String) };
  let part = it.whole(copy);
  try {
    for (const [name, text] of asks) {
      part = name
        ? it.withNew(part, it.columnOf(part, name, text))
        : it.rowsOf(part, it.maskWhere(part, text));
    }
  } catch (error) {
    if (!error.where) throw error;
    return { says: error.message, at: error.where.at ?? null };
  }
  return [...part.names()].map((name) => [name, told(part.column(name))]);
}"""


def persons() -> Table:
    """Return persons with levels of every sort: codes, yes and no, words, and dates."""
    rng, n = np.random.default_rng(7), 400
    age = rng.integers(20, 80, n).astype(float)
    age[::17] = np.nan
    return Table.from_pydict(
        {
            "person": [f"person {i}" for i in range(n)],
            "age": age,
            "bmi": rng.normal(27, 4, n).round(1),
            "sex": rng.integers(1, 3, n),
            "smoker": [("yes", "no", "no", None)[i] for i in rng.integers(0, 4, n)],
            "region": rng.choice(["north", "east", "south"], n).tolist(),
            "visit": np.datetime64("2019-01-01") + rng.integers(0, 900, n),
        }
    )


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A study whose copy has them."""
    return opened(tmp_path_factory.mktemp("persons"), RULES, persons())


ASKED: dict[str, list[tuple[str, str]]] = {
    "numbers": [("older", "age + 10"), ("ratio", "older / bmi")],
    "a condition is a column of yes and no": [("old", "age >= 50"), ("two", "old and smoker")],
    "levels": [("band", "cut(age, 40, 60)"), ("", "band == 'under 40'")],
    "codes as numbers": [("", "sex == 1")],
    "codes as levels": [("", "sex == '1'"), ("other", "sex != '2'")],
    "codes as both": [("x", "case(sex == 1, age, sex)"), ("y", "case(age > 1, 'x', sex)")],
    "yes and no": [("", "smoker"), ("still", "smoker == true")],
    "dates": [("day", "visit + 30"), ("year", "year(day)"), ("", "visit < '2020-06-01'")],
    "words of rows that are left": [("", "region in ('north')"), ("x", "cut(bmi, 20, 100)")],
    "a mistake": [("x", "log(agee)")],
    "no condition": [("", "age + 1")],
    "no value": [("x", "log(0 * age)")],
    "a name that is taken": [("age", "bmi")],
    "a name of spaces": [(" ", "bmi")],
    "an unknown name among many": [("new", "age"), ("", "nothing_like_it > 2")],
    "what is level and number": [("", "region + 1 > 2")],
    "what is a code and no number": [("x", "log(sex)"), ("y", "log(region)")],
}


@pytest.mark.parametrize("asks", ASKED.values(), ids=ASKED)
def test_rows_and_columns_are_derived_alike(
    page: Page, study: Study, asks: list[tuple[str, str]]
) -> None:
    found = page.evaluate(STEPS, [base64.b64encode(board_rows(study._copy).data).decode(), asks])
    wanted = derived(study, asks)
    if isinstance(wanted, dict):
        assert found == wanted
        return
    assert {name: it["kind"] for name, it in found} == {name: kind for name, kind, _ in wanted}
    values = {name: it["values"] for name, it in found}
    for name, kind, of in wanted:
        assert values[name] == [*of] if kind == "level" else near(values[name], of), name


def derived(study: Study, asks: list[tuple[str, str]]) -> dict[str, Any] | list[Any]:
    """Return the columns that the package makes, or what it says."""
    part = study._copy
    try:
        for name, text in asks:
            part = part.assign({name: text}) if name else part.where(text)
    except DiscreetError as error:
        says = str(error).rsplit("\n", 2)[0] if error.place else str(error)
        return {"says": says, "at": error.place and error.place[0]}
    raw, copy = part.whole.raw, part.whole.copy
    numbers = [(it, "date" if raw[it].dates else "number", copy.columns[it]) for it in copy.columns]
    return [*numbers, *((it, "level", words) for it, words in copy.strata.items())]


# --- what the module is -----------------------------------------------------------------------


def test_nothing_here_can_run_a_text() -> None:
    texts = texts_below(STATIC.joinpath("rows").joinpath("expressions"))
    for text in texts.values():
        assert not any(word in text for word in ("eval(", "Function(", "import(", "setTimeout"))
    assert len(texts) > 5


def test_functions_are_those_of_the_package(page: Page) -> None:
    x = Known({"x": Numbers(np.array([1.0]))}, {"x": "number"}, {})
    agree(page, x, [f"{name}()" for name in EXPRESSIONS.functions])
    agree(page, x, [*EXPRESSIONS.functions])
