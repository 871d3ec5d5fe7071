"""A server of a study with one copy of the whole table: what is asked of it, answered, and told."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyarrow import array
from pydantic import ValidationError

from discreet.serve.log import Answer, Caller, log
from discreet.plots import PLOTS
from discreet.serve.answers import answer_again, answer_orders, answer_view
from discreet.serve.facts import Served, serve_study
from discreet.serve.refusals import Refusal
from discreet.serve.requests import BODIES, Accepted, check
from discreet.study.facts import study_facts
from tests.serve.cohort import COUNTED, WHOLE, cohort, opened

Body = dict[str, Any]
Told = dict[str, Any]

ALICE, BOB = Caller("token alice", "analyst"), Caller("token bob", "analyst")


def serving(folder: Path, policy: str = WHOLE) -> Served:
    """Serve the cohort with a column that numbers its rows, which the copy leaves out."""
    table = cohort()
    return serve_study(
        opened(folder, policy, table.append_column("visit", array(range(table.num_rows))))
    )


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Served:
    return serving(tmp_path_factory.mktemp("whole"))


def checked(found: Served, kind: str, body: Mapping[str, Any]) -> Accepted | Refusal:
    """Read a body as the server does, and check it."""
    read = BODIES[kind].model_validate_json(json.dumps(body)).model_dump()
    return check(found.study, found.columns, kind, read)


def passed(found: Served, kind: str, body: Mapping[str, Any]) -> Accepted:
    asked = checked(found, kind, body)
    assert isinstance(asked, Accepted), (kind, body, asked)
    return asked


def answered(found: Served, caller: Caller, kind: str, body: Mapping[str, Any]) -> Any:
    """Return what is sent for a body."""
    read = BODIES[kind].model_validate_json(json.dumps(body)).model_dump()
    return answer_view(found, caller, kind, read)


# --- what passes ----------------------------------------------------------------------------------

A, AB = {"columns": ["age"]}, {"columns": ["age", "bmi"]}
PASSES: dict[str, tuple[str, Body, str]] = {
    # kind, body, the question as text
    "one column": ("histogram", A, '{"columns":["age"]}'),
    "one column, as it is anyway": (
        "histogram",
        {**A, "k": 5, "bins": 20},
        '{"columns":["age"]}',
    ),
    "one column by the copy's method": (
        "histogram",
        {**A, "method": "whole"},
        '{"columns":["age"]}',
    ),
    "levels of one column": ("bars", {"columns": ["sex"]}, '{"columns":["sex"]}'),
    "other bins": ("histogram", {**A, "bins": 7}, '{"bins":7,"columns":["age"]}'),
    "other bins of the copy": (
        "histogram",
        {**A, "bins": 7, "method": "whole"},
        '{"bins":7,"columns":["age"]}',
    ),
    "by any levels": (
        "scatter",
        {**AB, "by": "region"},
        '{"by":"region","columns":["age","bmi"]}',
    ),
    "by two columns": (
        "box",
        {"columns": ["age"], "by": ["region", "sex"]},
        '{"by":["region","sex"],"columns":["age"]}',
    ),
    "by one in a list": (
        "scatter",
        {**AB, "by": ["region"]},
        '{"by":"region","columns":["age","bmi"]}',
    ),
    "another grid": (
        "heatmap",
        {**AB, "grid": 9},
        '{"columns":["age","bmi"],"grid":9}',
    ),
    "other ends": (
        "histogram",
        {**A, "limits": {"age": [40, 60.5]}},
        '{"columns":["age"],"limits":{"age":[40.0,60.5]}}',
    ),
    "other ends of a grid": (
        "contour",
        {**AB, "limits": {"bmi": [20, 30]}, "grid": 7},
        '{"columns":["age","bmi"],"grid":7,"limits":{"bmi":[20.0,30.0]}}',
    ),
    "axes in any order": (
        "parallel",
        {"columns": ["diagnosis", "age", "sex", "ldl"], "pixels": 300, "gradient": False},
        '{"columns":["diagnosis","age","sex","ldl"],"gradient":false,"pixels":300}',
    ),
    "what a role says is sensitive": (
        "parallel",
        {"columns": ["diagnosis", "age"], "sensitive": ["diagnosis"], "diversity": 2},
        '{"columns":["diagnosis","age"]}',
    ),
    "any levels in a formula": (
        "residuals",
        {"formula": "bmi~age+C( region )"},
        '{"formula":"bmi ~ age + C(region)"}',
    ),
}


@pytest.mark.parametrize(("kind", "body", "text"), PASSES.values(), ids=PASSES)
def test_what_passes_is_asked_with_one_text(
    served: Served, kind: str, body: Body, text: str
) -> None:
    asked = passed(served, kind, body)

    assert asked.text == text
    assert asked.plot.of_copy
    again = passed(served, kind, asked.body)
    assert (again.text, again.plot) == (text, asked.plot)


@pytest.mark.parametrize(("kind", "body"), [it[:2] for it in PASSES.values()], ids=PASSES)
def test_what_is_asked_is_settled_as_in_python(served: Served, kind: str, body: Body) -> None:
    """But for what is sensitive, which a plot of the copy has no use for."""
    how = {name: it for name, it in body.items() if name not in ("sensitive", "diversity")}
    formula = how.pop("formula", None)
    usual = {"k": 5, "bins": 20, "grid": 30}
    how = {name: it for name, it in how.items() if usual.get(name) != it}

    in_python = served.study.session.settle(kind, how.pop("columns", ()), formula=formula, **how)

    assert passed(served, kind, body).plot == in_python


# --- what is refused ------------------------------------------------------------------------------

COLUMNS = "columns: each is one that can be drawn; /api/study lists them"
METHOD = "method: the policy of this study does not allow it; /api/study lists those it does"
FIXED = "{}: the policy of this study fixes it; leave it out"
REFUSED: dict[str, tuple[str, Body, str, str, Body | None]] = {
    # kind, body, the code, the sentence, the nearest
    "a column that is left out": (
        "scatter",
        {"columns": ["visit", "age"]},
        "request",
        COLUMNS,
        None,
    ),
    "a formula of what is left out": (
        "qq",
        {"formula": "visit ~ age"},
        "request",
        "formula: it cannot be read; write columns that can be drawn as 'y ~ x + C(group)',"
        " with :, *, log, log10, exp and sqrt",
        None,
    ),
    "an identifier": (
        "bars",
        {"columns": ["patient"]},
        "request",
        COLUMNS,
        None,
    ),
    "nobody's column": (
        "scatter",
        {"columns": ["age", "Canary"]},
        "request",
        COLUMNS,
        None,
    ),
    "a column twice": (
        "scatter",
        {"columns": ["age", "age"]},
        "request",
        "columns: each is named once",
        None,
    ),
    "levels for numbers": (
        "scatter",
        {"columns": ["age", "sex"]},
        "request",
        "columns: this plot takes continuous columns",
        None,
    ),
    "by numbers": (
        "scatter",
        {**AB, "by": "ldl"},
        "request",
        "by: it is a categorical column that can be drawn, and none of the columns",
        None,
    ),
    "by a column twice": (
        "box",
        {"columns": ["age"], "by": ["sex", "sex"]},
        "request",
        "by: it is a categorical column that can be drawn, and none of the columns",
        None,
    ),
    "by itself": (
        "bars",
        {"columns": ["sex"], "by": "sex"},
        "request",
        "by: it is a categorical column that can be drawn, and none of the columns",
        None,
    ),
    "another k": ("scatter", {**AB, "k": 7}, "policy", FIXED.format("k"), AB),
    "another k beside another grid": (
        "heatmap",
        {**AB, "k": 7, "grid": 9},
        "policy",
        FIXED.format("k"),
        {**AB, "grid": 9},
    ),
    "noise": ("scatter", {**AB, "q": 0.5}, "policy", FIXED.format("q"), AB),
    "diversity": (
        "parallel",
        {"columns": ["age", "diagnosis"], "diversity": 3},
        "policy",
        FIXED.format("diversity"),
        {"columns": ["age", "diagnosis"]},
    ),
    "a grid without use": (
        "scatter",
        {**AB, "grid": 9},
        "request",
        "grid: out of range, or without use for this method",
        None,
    ),
    "ends of another column": (
        "histogram",
        {**A, "limits": {"Canary": [1, 2]}},
        "request",
        "limits: of some of the columns, each a lower and a larger upper number",
        None,
    ),
    "ends the wrong way round": (
        "histogram",
        {**A, "limits": {"age": [2, 1]}},
        "request",
        "limits: of some of the columns, each a lower and a larger upper number",
        None,
    ),
    "ends of levels": (
        "parallel",
        {"columns": ["age", "sex"], "limits": {"sex": [1, 2]}},
        "request",
        "limits: of some of the columns, each a lower and a larger upper number",
        None,
    ),
    "a cost without use": (
        "parallel",
        {**AB, "cost": "seed"},
        "request",
        "cost: this method has no use for it; leave it out",
        None,
    ),
    "a method of counts": (
        "heatmap",
        {**AB, "method": "suppression", "grid": 9},
        "policy",
        METHOD,
        {**AB, "grid": 9},
    ),
    "another row method": (
        "scatter",
        {**AB, "method": "deterministic", "by": "region"},
        "policy",
        METHOD,
        {**AB, "by": "region"},
    ),
    "no such method": (
        "scatter",
        {**AB, "method": "Canary"},
        "policy",
        METHOD,
        AB,
    ),
    "a secret of the moment": (
        "parallel",
        {"columns": ["age", "sex"], "sensitive": ["sex"]},
        "policy",
        "sensitive: the policy of this study says what is; leave it out",
        {"columns": ["age", "sex"]},
    ),
    "a secret that is no axis": (
        "parallel",
        {"columns": ["age", "sex"], "sensitive": ["diagnosis"]},
        "request",
        "sensitive: each is one of the columns",
        None,
    ),
}


@pytest.mark.parametrize(("kind", "body", "code", "says", "near"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused_is_said_in_fixed_words(
    served: Served, kind: str, body: Body, code: str, says: str, near: Body | None
) -> None:
    found = checked(served, kind, body)

    assert isinstance(found, Refusal)
    assert (found.code, found.says, found.nearest) == (code, says, near)
    assert b"Canary" not in found.body
    if near is not None:
        passed(served, kind, near)


def test_ends_are_named_for_the_copy_alone(tmp_path: Path) -> None:
    found = checked(serving(tmp_path, COUNTED), "histogram", {**A, "limits": {"age": [40, 60]}})

    assert isinstance(found, Refusal)
    assert (found.code, found.says, found.nearest) == ("policy", FIXED.format("limits"), A)


@pytest.mark.parametrize("kind", BODIES)
@pytest.mark.parametrize("source", ["copy", "counts"])
def test_nobody_chooses_where_a_plot_comes_from(kind: str, source: str) -> None:
    with pytest.raises(ValidationError, match="source"):
        BODIES[kind].model_validate_json(json.dumps({"columns": ["age"], "source": source}))


# --- what is told ---------------------------------------------------------------------------------


def told_of(served: Served) -> Told:
    return study_facts(served.study.session, served.columns)


def test_columns_are_those_of_the_copy(served: Served) -> None:
    names = {it["name"] for it in told_of(served)["columns"]}

    assert names == {*served.study.session.whole.raw} - {"visit", "patient"}


def test_every_plot_is_drawn_by_the_copys_method_alone(served: Served) -> None:
    told = {it["kind"]: it for it in told_of(served)["pictures"]}

    assert set(told) == set(PLOTS)
    for it in told.values():
        assert [(of["name"], of["usual"], of["rows"]) for of in it["methods"]] == [
            ("whole", True, True)
        ]
        assert it["derivation"]


def test_settings_of_a_view_are_free(served: Served) -> None:
    told = {it["kind"]: it for it in told_of(served)["pictures"]}

    def numbers(kind: str) -> list[tuple[str, bool, list[str] | None]]:
        return [(it["name"], it["fixed"], it["methods"]) for it in told[kind]["parameters"]]

    assert numbers("histogram") == [
        ("k", True, None),
        ("bins", False, None),
        ("overlay", False, None),
    ]
    assert ("grid", False, None) in numbers("heatmap")
    assert ("pixels", False, None) in numbers("parallel")
    assert "diversity" not in {name for name, *_ in numbers("parallel")}
    levels = ["sex", "region", "diagnosis"]
    assert sorted(told["scatter"]["by"]["rows"]) == sorted(levels)


def test_plots_of_the_copy_say_whether_they_take_ends(served: Served) -> None:
    told = told_of(served)["pictures"]

    taken = {"histogram", "heatmap", "contour", "parallel"}
    assert {it["kind"] for it in told if it["limits"]} == taken
    assert {it["kind"] for it in told if it["weights"]} == {"bars", "histogram"}


def test_a_plot_of_too_few_columns_of_the_copy_is_not_offered(tmp_path: Path) -> None:
    roles = "".join(f'{it} = "identifier"\n' for it in ("region", "sex"))
    policy = WHOLE.replace('[kinds]\nsex = "categorical"\n', "").replace(
        "[roles]\n", f"[roles]\n{roles}"
    )
    served = serving(tmp_path, policy)
    told = {it["kind"] for it in told_of(served)["pictures"]}

    assert "bars" in told
    assert "crosstab" not in told


SEXES = ["1", "2"]
OTHER = {
    "event_is": SEXES[:1],
    "every": "auto",
    "bins": 7,
    "grid": 11,
    "pixels": 150,
    "trend": True,
    "gradient": False,
    "overlay": False,
    "show": "points",
    "percent": True,
}


def offered(told: Told) -> Iterator[tuple[str, Body]]:
    """Give kind and body of a request of each plot, with each free parameter."""
    for picture in told["pictures"]:
        takes = picture["columns"]
        columns = [
            it["name"] for it in told["columns"] if takes and takes["kind"] in (it["kind"], "any")
        ]
        body: Body = {"formula": "bmi ~ age + C(region)"}
        if takes:
            body = {"columns": columns[: max(takes["least"], min(takes["most"], 3))]}
        if picture["kind"] == "survival":
            body = {"columns": ["age", "sex"], "event_is": SEXES}
        if picture["kind"] == "over_time":
            body = {"columns": ["age", "bmi"]}
        for method in picture["methods"]:
            base = {**body, "method": method["name"]}
            yield picture["kind"], base
            by = (picture["by"] or {}).get("rows" if method["rows"] else "columns", [])
            # Of so many ages no level has ten rows each.
            whole = picture["kind"] not in ("box", "over_time")
            if by and by[-1] not in body["columns"] and whole:
                yield picture["kind"], {**base, "by": by[-1]}
            if picture["limits"] and method["rows"]:
                yield picture["kind"], {**base, "limits": {"age": [30, 60]}}
            for it in picture["parameters"]:
                if not it["fixed"] and method["name"] in (it["methods"] or [method["name"]]):
                    yield picture["kind"], {**base, it["name"]: OTHER[it["name"]]}


def test_all_that_is_offered_is_taken_and_drawn(served: Served) -> None:
    kinds = set()
    for kind, body in offered(told_of(served)):
        asked = passed(served, kind, body)
        view = served.study.session.view(PLOTS[kind], asked.plot)
        kinds.add(kind)
        assert view.method == "whole", body

    assert kinds == set(PLOTS)


# --- what is answered -----------------------------------------------------------------------------


@pytest.fixture
def own(tmp_path: Path) -> Served:
    """A server of this test alone."""
    return serving(tmp_path)


def test_a_plot_of_the_copy_is_recorded_and_found_again_byte_for_byte(own: Served) -> None:
    first = answered(own, ALICE, "scatter", {"columns": ["age", "ldl"], "by": "region"})
    named = {"columns": ["age", "ldl"], "by": "region", "k": 5}
    second = answered(own, BOB, "scatter", named)
    other = serve_study(own.study)

    assert isinstance(first, Answer)
    assert first.status == 200
    assert second.body == first.body == answered(other, ALICE, "scatter", named).body
    sent = json.loads(first.body)
    assert sent["view"]["method"] == "whole"
    assert answer_again(own, BOB, sent["id"], "again") == first
    rows = log(own.ledger.store)
    assert {row["request"] for row in rows if row["what"] == "scatter"} == {
        '{"by":"region","columns":["age","ldl"]}'
    }
    outcomes = sorted(row["outcome"] for row in rows if row["what"] == "scatter")
    assert outcomes == ["answered", "repeated", "repeated"]
    (left,) = own.ledger.history("cohort.csv")
    assert (left["columns"], left["method"]) == (["age", "ldl", "region"], "whole")


def test_axes_of_the_copy_may_stand_in_any_order(own: Served) -> None:
    for columns in (["diagnosis", "age", "bmi"], ["bmi", "diagnosis", "age", "sex"]):
        sent = json.loads(answered(own, ALICE, "parallel", {"columns": columns}).body)
        orders = json.loads(answer_orders(own, ALICE, sent["id"]).body)

        assert len(orders["moves"]) == len(columns) * (len(columns) - 1)
        assert all(move["allowed"] and not move["why"] for move in orders["moves"])


def test_a_walk_of_two_analysts_is_never_refused(own: Served) -> None:
    random = np.random.default_rng(3)
    names, levels = ["age", "bmi", "glucose", "ldl", "hdl"], ["sex", "region", "diagnosis"]

    def some(n: int, of: list[str]) -> list[str]:
        return [str(it) for it in random.permutation(of)[:n]]

    for _ in range(25):
        caller = (ALICE, BOB)[int(random.integers(2))]
        kind = str(random.choice([*PLOTS]))
        plot = PLOTS[kind]
        of = {"continuous": names, "categorical": levels, "any": [*names, *levels]}
        body: Body = {"formula": f"bmi ~ age + {some(1, levels)[0]}"}
        if not plot.of_formula:
            body = {"columns": some(min(plot.most, max(plot.least, 3)), of[plot.columns])}
        if kind == "survival":
            body = {"columns": [*some(1, names), "sex"], "event_is": some(1, SEXES)}
        if kind == "over_time":
            body = {"columns": ["age", "bmi"]}
        if plot.by and random.uniform() < 0.5:
            free = [it for it in levels if it not in body["columns"]]
            body |= {"by": some(1, free)[0], "columns": body["columns"][: plot.least]}
        if "grid" in plot.parameters and kind != "scatter" and plot.binned:
            body["grid"] = int(random.integers(4, 30))

        assert answered(own, caller, kind, body).status == 200, (kind, body)


def test_listed_tables_are_of_the_copy_and_free(tmp_path: Path) -> None:
    tables = 'tables = [["sex", "region"]]\n'
    served = serving(tmp_path, WHOLE.replace("requests_a_minute", f"{tables}requests_a_minute"))
    listed: Body = {"columns": ["region", "sex"]}
    other: Body = {"columns": ["sex", "diagnosis"]}

    for body in (listed, other):
        assert answered(served, ALICE, "crosstab", body).status == 200
    view = json.loads(answered(served, ALICE, "crosstab", listed).body)["view"]
    assert view["method"] == "whole"
    assert "counted in the data, with noise: sex by region" in view["origin"]["remarks"]


def test_requests_a_minute_count_plots_of_the_copy(tmp_path: Path) -> None:
    served = serving(tmp_path, WHOLE.replace("minute = 100000", "minute = 2"))
    for kind in ("histogram", "box"):
        assert answered(served, ALICE, kind, A).status == 200

    refused = answered(served, ALICE, "scatter", AB)

    assert isinstance(refused, Refusal)
    assert refused.code == "rate"


# --- parts and new columns ------------------------------------------------------------------------

OLD = {"where": "age >= 50 and sex == '1'", "assign": {"ratio": "ldl / hdl"}}


def test_a_part_with_a_new_column_is_answered_as_in_python(served: Served) -> None:
    body = {"columns": ["ratio"], "by": "region", **OLD}
    part = served.study.assign(**OLD["assign"]).where(OLD["where"])  # type: ignore[arg-type]

    found = json.loads(answered(served, ALICE, "histogram", body).body)

    assert found["view"] == json.loads(part.histogram("ratio", by="region").to_json())
    assert f"ratio is ldl / hdl; where {OLD['where']}" in found["says"]
    asked = passed(served, "histogram", body)
    assert passed(served, "histogram", asked.body).text == asked.text


def test_what_the_policy_derives_is_asked_for_as_any_column(tmp_path: Path) -> None:
    served = serving(tmp_path, WHOLE + '\n[derive]\nratio = "ldl / hdl"\nband = "cut(age, 50)"\n')

    found = json.loads(answered(served, ALICE, "histogram", {**A, "by": "band"}).body)
    columns = study_facts(served.study.session, served.columns)["columns"]

    assert "band is cut(age, 50)" in found["says"]
    assert {"ratio", "band"} <= {it["name"] for it in columns}


def test_axes_of_a_part_may_stand_in_any_order(served: Served) -> None:
    body = {"columns": ["ratio", "age", "region"], **OLD}
    sent = json.loads(answered(served, ALICE, "parallel", body).body)

    found = answer_orders(served, ALICE, sent["id"])

    assert isinstance(found, Answer)
    moves = json.loads(found.body)["moves"]
    assert len(moves) == 6
    assert all(move["allowed"] for move in moves)


NOT_DERIVED: dict[str, tuple[Body, str, str, Body | None]] = {
    # what is asked, the code, the sentence, the nearest
    "no condition": (
        {"where": "age +"},
        "request",
        "where: it cannot be read; compare columns of the copy: age >= 50 and sex == 'F'",
        None,
    ),
    "what identifies": (
        {"where": "patient == 'Canary'"},
        "request",
        "where: it cannot be read; compare columns of the copy: age >= 50 and sex == 'F'",
        None,
    ),
    "nobody": (
        {"where": "age > 2000"},
        "policy",
        "where: too few rows of the copy are left; ask for a larger part",
        A,
    ),
    "no expression": (
        {"assign": {"new": "import os"}},
        "request",
        "assign: it cannot be read; give each new name columns of the copy, computed: log(bmi)",
        None,
    ),
    "a name that is taken": (
        {"assign": {"patient": "age"}},
        "request",
        "assign: there is a column of that name; choose another one",
        None,
    ),
    "no value": (
        {"assign": {"new": "log(-age)"}},
        "policy",
        "assign: what is computed has no value in any row of the copy",
        A,
    ),
}


@pytest.mark.parametrize("name", NOT_DERIVED)
def test_what_cannot_be_derived_is_refused_in_fixed_words(served: Served, name: str) -> None:
    more, code, says, nearest = NOT_DERIVED[name]

    found = checked(served, "histogram", {**A, **more})

    assert isinstance(found, Refusal)
    told = json.loads(found.body)["error"]
    assert (told["code"], told["nearest"]) == (code, nearest)
    assert says in told["says"]
