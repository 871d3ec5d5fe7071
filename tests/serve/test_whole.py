"""A server of a study with one copy of the whole table: what is asked of it, answered, and told."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyarrow import array

from discreet.ledger.log import Answer, Caller, log
from discreet.plots import PLOTS
from discreet.serve.answers import answer_again, answer_orders, answer_view, study_json
from discreet.serve.custodian import overview
from discreet.serve.facts import Served, serve_study
from discreet.serve.refusals import Refusal
from discreet.serve.requests import BODIES, Accepted, check
from discreet.study.facts import study_facts
from tests.serve.cohort import POLICY, cohort, opened

Body = dict[str, Any]
Told = dict[str, Any]

WHOLE = """
name = "clinic"
rows = "whole"
budget = 400
requests_a_minute = 100000

[kinds]
sex = "categorical"

[roles]
patient = "identifier"
diagnosis = "sensitive"
"""
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
PASSES: dict[str, tuple[str, Body, str, str]] = {
    # kind, body, where it comes from, the question as text
    "one column": ("histogram", A, "copy", '{"columns":["age"]}'),
    "one column, as it is anyway": (
        "histogram",
        {**A, "k": 5, "bins": 20},
        "copy",
        '{"columns":["age"]}',
    ),
    "one column of the copy": (
        "histogram",
        {**A, "source": "copy", "bins": 20},
        "copy",
        '{"columns":["age"]}',
    ),
    "one column by the copy's method": (
        "histogram",
        {**A, "method": "whole"},
        "copy",
        '{"columns":["age"]}',
    ),
    "levels of one column": ("bars", {"columns": ["sex"]}, "copy", '{"columns":["sex"]}'),
    "other bins": ("histogram", {**A, "bins": 7}, "copy", '{"bins":7,"columns":["age"]}'),
    "other bins of the copy": (
        "histogram",
        {**A, "bins": 7, "source": "copy", "method": "whole"},
        "copy",
        '{"bins":7,"columns":["age"]}',
    ),
    "by any levels": (
        "scatter",
        {**AB, "by": "region"},
        "copy",
        '{"by":"region","columns":["age","bmi"]}',
    ),
    "by two columns": (
        "box",
        {"columns": ["age"], "by": ["region", "sex"]},
        "copy",
        '{"by":["region","sex"],"columns":["age"]}',
    ),
    "by one in a list": (
        "scatter",
        {**AB, "by": ["region"]},
        "copy",
        '{"by":"region","columns":["age","bmi"]}',
    ),
    "the copy, named": ("scatter", {**AB, "source": "copy"}, "copy", '{"columns":["age","bmi"]}'),
    "another grid": (
        "heatmap",
        {**AB, "grid": 9, "source": "copy"},
        "copy",
        '{"columns":["age","bmi"],"grid":9}',
    ),
    "other ends": (
        "histogram",
        {**A, "limits": {"age": [40, 60.5]}},
        "copy",
        '{"columns":["age"],"limits":{"age":[40.0,60.5]}}',
    ),
    "other ends of a grid": (
        "contour",
        {**AB, "limits": {"bmi": [20, 30]}, "grid": 7},
        "copy",
        '{"columns":["age","bmi"],"grid":7,"limits":{"bmi":[20.0,30.0]}}',
    ),
    "axes in any order": (
        "parallel",
        {"columns": ["diagnosis", "age", "sex", "ldl"], "pixels": 300, "gradient": False},
        "copy",
        '{"columns":["diagnosis","age","sex","ldl"],"gradient":false,"pixels":300}',
    ),
    "what a role says is sensitive": (
        "parallel",
        {"columns": ["diagnosis", "age"], "sensitive": ["diagnosis"], "diversity": 2},
        "copy",
        '{"columns":["diagnosis","age"]}',
    ),
    "any levels in a formula": (
        "residuals",
        {"formula": "bmi~age+C( region )"},
        "copy",
        '{"formula":"bmi ~ age + C(region)"}',
    ),
    "counts": (
        "heatmap",
        {**AB, "source": "counts"},
        "counts",
        '{"columns":["age","bmi"],"source":"counts"}',
    ),
    "counts by their usual method": (
        "heatmap",
        {**AB, "method": "generalization"},
        "counts",
        '{"columns":["age","bmi"],"source":"counts"}',
    ),
    "counts by another": (
        "heatmap",
        {**AB, "method": "suppression", "source": "counts", "grid": 30},
        "counts",
        '{"columns":["age","bmi"],"method":"suppression","source":"counts"}',
    ),
    "points of counts": (
        "scatter",
        {**AB, "method": "suppression"},
        "counts",
        '{"columns":["age","bmi"],"method":"suppression","source":"counts"}',
    ),
    "counts of what is not in the copy": (
        "heatmap",
        {"columns": ["age", "visit"], "source": "counts"},
        "counts",
        '{"columns":["age","visit"],"source":"counts"}',
    ),
}


@pytest.mark.parametrize(("kind", "body", "source", "text"), PASSES.values(), ids=PASSES)
def test_what_passes_is_asked_with_one_text(
    served: Served, kind: str, body: Body, source: str, text: str
) -> None:
    asked = passed(served, kind, body)

    assert asked.text == text
    assert asked.plot.source == source
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

LEFT_OUT = "the copy of the whole table leaves"
COLUMNS = f"columns: {LEFT_OUT} some of these out; /api/study says which it holds"
FIXED = "{}: the policy of this study fixes it; leave it out"
REFUSED: dict[str, tuple[str, Body, str, str, Body | None]] = {
    # kind, body, the code, the sentence, the nearest
    "a column that is left out": (
        "scatter",
        {"columns": ["visit", "age"]},
        "policy",
        COLUMNS,
        None,
    ),
    "a column that is left out of what can be counted": (
        "heatmap",
        {"columns": ["visit", "age"], "grid": 9},
        "policy",
        COLUMNS,
        {"columns": ["visit", "age"], "source": "counts"},
    ),
    "a formula of what is left out": (
        "qq",
        {"formula": "visit ~ age"},
        "policy",
        f"formula: {LEFT_OUT} some of its columns out; /api/study says which it holds",
        None,
    ),
    "an identifier": (
        "bars",
        {"columns": ["patient"]},
        "request",
        "columns: each is one that can be drawn; /api/study lists them",
        None,
    ),
    "nobody's column": (
        "scatter",
        {"columns": ["age", "Canary"]},
        "request",
        "columns: each is one that can be drawn; /api/study lists them",
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
    "counts by two": (
        "histogram",
        {**A, "by": ["sex", "region"], "source": "counts"},
        "policy",
        "by: two columns are drawn from the copy of the whole table alone; name one, or leave"
        " source and method out",
        {**A, "source": "counts"},
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
    "ends of counts": (
        "histogram",
        {**A, "limits": {"age": [40, 60]}, "source": "counts"},
        "policy",
        FIXED.format("limits"),
        {**A, "source": "counts"},
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
    "another grid of counts": (
        "heatmap",
        {**AB, "grid": 9, "source": "counts"},
        "policy",
        FIXED.format("grid"),
        {**AB, "source": "counts"},
    ),
    "rows of counts": (
        "scatter",
        {**AB, "source": "counts"},
        "policy",
        "source: this plot has no usual method of counts; name a method, or leave source out",
        AB,
    ),
    "a regression of counts": (
        "qq",
        {"formula": "bmi ~ age", "source": "counts"},
        "policy",
        "source: this plot has no usual method of counts; name a method, or leave source out",
        {"formula": "bmi ~ age"},
    ),
    "a method of the other source": (
        "heatmap",
        {**AB, "method": "suppression", "source": "copy"},
        "request",
        "source: the method draws from the other one; leave method or source out",
        None,
    ),
    "the copy's method for counts": (
        "heatmap",
        {**AB, "method": "whole", "source": "counts"},
        "request",
        "source: the method draws from the other one; leave method or source out",
        None,
    ),
    "another row method": (
        "scatter",
        {**AB, "method": "deterministic", "by": "region"},
        "policy",
        "method: the policy of this study does not allow it; /api/study lists those it does",
        {**AB, "by": "region"},
    ),
    "no such method": (
        "scatter",
        {**AB, "method": "Canary"},
        "request",
        "method: this plot has no such method; /api/study lists them",
        None,
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


@pytest.mark.parametrize("policy", [POLICY, 'preset = "research"\npublic = true\n'])
def test_ends_are_named_for_the_copy_alone(tmp_path: Path, policy: str) -> None:
    found = checked(serving(tmp_path, policy), "histogram", {**A, "limits": {"age": [40, 60]}})

    assert isinstance(found, Refusal)
    assert (found.code, found.says, found.nearest) == ("policy", FIXED.format("limits"), A)


@pytest.mark.parametrize("policy", [POLICY, 'preset = "research"\npublic = true\n'])
@pytest.mark.parametrize("source", ["copy", "counts"])
def test_a_study_of_one_source_has_none_to_choose(tmp_path: Path, policy: str, source: str) -> None:
    served = serving(tmp_path, policy)
    found = checked(served, "histogram", {**A, "source": source})

    assert isinstance(found, Refusal)
    assert (found.code, found.nearest) == ("policy", A)
    assert found.says == "source: all plots of this study come from one; leave it out"


# --- what is told ---------------------------------------------------------------------------------


def told_of(served: Served) -> Told:
    return study_facts(served.study.session, served.columns)


def test_columns_say_what_holds_them(served: Served) -> None:
    sources = {it["name"]: it["sources"] for it in told_of(served)["columns"]}

    assert sources.pop("visit") == ["counts"]
    assert "patient" not in sources
    assert all(it == ["copy", "counts"] for it in sources.values())


def test_every_plot_says_what_it_can_come_from(served: Served) -> None:
    told = {it["kind"]: it for it in told_of(served)["pictures"]}

    assert set(told) == set(PLOTS)
    both, copy = ["copy", "counts"], ["copy"]
    rows = (
        "correlations",
        "density",
        "ecdf",
        "violin",
        "residuals",
        "qq",
        "leverage",
        "survival",
        "over_time",
    )
    wanted = dict.fromkeys(PLOTS, both) | dict.fromkeys(rows, copy)
    assert {kind: it["sources"] for kind, it in told.items()} == wanted
    for kind, it in told.items():
        usual = [method["source"] for method in it["methods"] if method["usual"]]
        none_of_counts = ["counts"] if kind == "scatter" else []
        assert usual == [source for source in it["sources"] if source not in none_of_counts]


def test_settings_of_a_view_are_free_in_the_copy_alone(served: Served) -> None:
    told = {it["kind"]: it for it in told_of(served)["pictures"]}

    def numbers(kind: str) -> list[tuple[str, bool, list[str] | None]]:
        return [(it["name"], it["fixed"], it["methods"]) for it in told[kind]["parameters"]]

    assert numbers("histogram") == [
        ("k", True, None),
        ("bins", False, ["whole"]),
        ("bins", True, ["merge", "suppression", "generalization"]),
        ("overlay", False, None),
    ]
    assert ("grid", False, ["whole"]) in numbers("heatmap")
    assert ("pixels", False, ["whole"]) in numbers("parallel")
    assert ("diversity", True, ["k-member-cells"]) in numbers("parallel")
    assert ("diversity", False, ["whole"]) not in numbers("parallel")
    levels = ["sex", "region", "diagnosis"]
    assert sorted(told["scatter"]["by"]["rows"]) == sorted(levels)


def test_plots_of_the_copy_say_whether_they_take_ends(served: Served) -> None:
    told = told_of(served)["pictures"]

    taken = {"histogram", "heatmap", "contour", "parallel"}
    assert {it["kind"] for it in told if it["limits"]} == taken
    assert {it["kind"] for it in told if it["weights"]} == {"bars", "histogram"}


def test_a_plot_of_too_few_columns_of_the_copy_is_of_counts(tmp_path: Path) -> None:
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
    """Give kind and body of a request of each source and method, with each free parameter."""
    for picture in told["pictures"]:
        takes = picture["columns"]
        columns = [
            it["name"]
            for it in told["columns"]
            if takes and takes["kind"] in (it["kind"], "any") and "copy" in it["sources"]
        ]
        body: Body = {"formula": "bmi ~ age + C(region)"}
        if takes:
            body = {"columns": columns[: max(takes["least"], min(takes["most"], 3))]}
        if picture["kind"] == "survival":
            body = {"columns": ["age", "sex"], "event_is": SEXES}
        if picture["kind"] == "over_time":
            body = {"columns": ["age", "bmi"]}
        for method in picture["methods"]:
            base = {**body, "method": method["name"], "source": method["source"]}
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


def test_all_that_is_offered_is_taken_and_all_of_the_copy_is_drawn(served: Served) -> None:
    kinds = set()
    for kind, body in offered(told_of(served)):
        asked = passed(served, kind, body)
        if asked.plot.source == "counts":
            continue  # which the data may hold back
        view = served.study.session.view(PLOTS[kind], asked.plot)
        kinds.add(kind)
        assert (view.method == "whole") == (asked.plot.source == "copy"), body

    assert kinds == set(PLOTS)


# --- what is answered -----------------------------------------------------------------------------


@pytest.fixture
def own(tmp_path: Path) -> Served:
    """A server of this test alone."""
    return serving(tmp_path)


def test_a_plot_of_the_copy_is_recorded_and_found_again_byte_for_byte(own: Served) -> None:
    first = answered(own, ALICE, "scatter", {"columns": ["age", "ldl"], "by": "region"})
    named = {"columns": ["age", "ldl"], "by": "region", "source": "copy", "k": 5}
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


def test_the_copy_and_counts_are_two_questions(own: Served) -> None:
    sources = (None, "copy", "counts")
    views = [answered(own, ALICE, "histogram", {**A, "source": it}) for it in sources]

    sent = [json.loads(it.body) for it in views]
    assert len({it["id"] for it in sent}) == 2
    assert [it["view"]["method"] for it in sent] == ["whole", "whole", "merge"]


def test_axes_of_the_copy_may_stand_in_any_order(own: Served) -> None:
    for columns in (["diagnosis", "age", "bmi"], ["bmi", "diagnosis", "age", "sex"]):
        sent = json.loads(answered(own, ALICE, "parallel", {"columns": columns}).body)
        orders = json.loads(answer_orders(own, ALICE, sent["id"]).body)

        assert len(orders["moves"]) == len(columns) * (len(columns) - 1)
        assert all(move["allowed"] and not move["why"] for move in orders["moves"])


def test_axes_of_counts_keep_their_rules(own: Served) -> None:
    columns = ["age", "bmi", "glucose"]
    counts = {"columns": columns, "source": "counts"}
    sent = json.loads(answered(own, ALICE, "parallel", counts).body)
    orders = json.loads(answer_orders(own, ALICE, sent["id"]).body)
    assert not all(move["allowed"] for move in orders["moves"])

    refused = answered(own, ALICE, "parallel", {**counts, "columns": ["bmi", "glucose", "age"]})
    assert isinstance(refused, Refusal)
    assert refused.code == "order"


def test_where_counts_do_not_fit_what_was_released_the_copy_is_offered(own: Served) -> None:
    assert answered(own, ALICE, "histogram", {"columns": ["ldl"], "method": "merge"}).status == 200
    body = {"columns": ["ldl"], "method": "suppression"}
    found = answered(own, ALICE, "histogram", body)

    assert isinstance(found, Refusal)
    assert found.code == "leaving"
    assert found.nearest is not None
    assert answered(own, ALICE, "histogram", dict(found.nearest)).status == 200


def test_where_axes_of_counts_lock_a_plot_of_cells_the_copy_is_offered(own: Served) -> None:
    counts = {"columns": ["age", "bmi"], "source": "counts"}
    assert answered(own, ALICE, "parallel", counts).status == 200
    found = answered(own, ALICE, "heatmap", counts)

    assert isinstance(found, Refusal)
    assert (found.code, found.nearest) == ("leaving", {"columns": ["age", "bmi"]})


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


def test_budgets_count_further_counts_alone(tmp_path: Path) -> None:
    """And requests a minute all of them."""
    served = serving(tmp_path, WHOLE.replace("budget = 400", "budget = 1"))
    counts: Body = {**AB, "source": "counts"}
    free: list[tuple[str, Body]] = [
        ("histogram", A),
        ("bars", {"columns": ["sex"]}),
        ("box", A),
        ("scatter", AB),
        ("heatmap", AB),
    ]

    def left() -> Any:
        return study_json(served, ALICE)

    for kind, body in free:
        found = answered(served, ALICE, kind, body)
        assert found.status == 200
        view = json.loads(found.body)["id"]
        assert answer_again(served, ALICE, view, "again") == found
    assert left()["allowance"] | {"a_minute": 0} == {
        "views": 1,
        "used": 0,
        "a_minute": 0,
        "counts": "further counts",
    }
    assert answered(served, ALICE, "heatmap", counts).status == 200
    assert answered(served, ALICE, "heatmap", counts).status == 200, "asked for before"
    assert left()["allowance"]["used"] == 1

    refused = answered(served, ALICE, "box", {**A, "source": "counts"})

    assert isinstance(refused, Refusal)
    assert (refused.code, refused.nearest) == ("budget", A)
    assert answered(served, ALICE, "contour", AB).status == 200
    assert left()["allowance"]["used"] == 1
    told = overview(served, ALICE)["others"]
    assert [(it["name"], it["used"]) for it in told] == [(ALICE.name, 1)]
    seen = [it["outcome"] for it in log(served.ledger.store) if it["what"] == "box"]
    assert seen == ["answered", "budget"], "all are in the log"


def test_listed_tables_are_of_the_copy_and_free(tmp_path: Path) -> None:
    tables = 'budget = 1\ntables = [["sex", "region"]]\n'
    served = serving(tmp_path, WHOLE.replace("budget = 400\n", tables))
    listed: Body = {"columns": ["region", "sex"]}
    other: Body = {"columns": ["sex", "diagnosis"]}
    (told,) = (it for it in told_of(served)["pictures"] if it["kind"] == "crosstab")

    assert told["sources"] == ["copy", "counts"]
    usual = [it["source"] for it in told["methods"] if it["usual"]]
    assert usual == told["sources"]
    texts = {
        passed(served, "crosstab", body).text: passed(served, "crosstab", body).plot.source
        for body in (listed, {**listed, "source": "copy"}, {**listed, "source": "counts"}, other)
    }
    assert texts == {
        '{"columns":["region","sex"]}': "copy",
        '{"columns":["region","sex"],"source":"counts"}': "counts",
        '{"columns":["sex","diagnosis"]}': "copy",
    }
    for body in (listed, {**listed, "source": "copy"}, other):
        assert answered(served, ALICE, "crosstab", body).status == 200
    view = json.loads(answered(served, ALICE, "crosstab", listed).body)["view"]
    assert view["method"] == "whole"
    assert study_json(served, ALICE)["allowance"]["used"] == 0  # type: ignore[index]


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
    asked = passed(served, "histogram", {**body, "source": "copy"})
    assert asked.text == passed(served, "histogram", body).text
    assert passed(served, "histogram", asked.body).text == asked.text


def test_what_the_policy_derives_is_asked_for_as_any_column(tmp_path: Path) -> None:
    served = serving(tmp_path, WHOLE + '\n[derive]\nratio = "ldl / hdl"\nband = "cut(age, 50)"\n')

    found = json.loads(answered(served, ALICE, "histogram", {**A, "by": "band"}).body)
    columns = study_facts(served.study.session, served.columns)["columns"]
    (told,) = (it for it in columns if it["name"] == "ratio")
    counted = checked(served, "histogram", {"columns": ["ratio"], "source": "counts"})

    assert "band is cut(age, 50)" in found["says"]
    assert told["sources"] == ["copy"]
    assert isinstance(counted, Refusal)
    assert counted.says.startswith("columns: dates and what the policy derives are drawn from")


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
    "counts": (
        {"where": "age > 40", "source": "counts"},
        "policy",
        "source: parts and new columns are those of the copy of the whole table; leave source out",
        {**A, "where": "age > 40"},
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
