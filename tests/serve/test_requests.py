"""What is decided before anything is drawn: each rule, its sentence, and the nearest request."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import array
from pydantic import ValidationError

from discreet.explore.facts import NUMBERS, has_use, usual_number
from discreet.plots import PLOTS, PlotRequest
from discreet.plots.diagnostics import QQPlot
from discreet.plots.over_time import OverTimePlot
from discreet.plots.parallel import ParallelPlot
from discreet.plots.scatter import ScatterPlot
from discreet.policy import Policy
from discreet.policy.resolve import method_of
from discreet.serve.refusals import Refusal
from discreet.serve.requests import BODIES, LONGEST_FORMULA, LONGEST_NAME, Accepted, check
from discreet.serve.studies import Served
from tests.serve.cohort import PUBLIC, WHOLE, cohort, served_of

Body = dict[str, Any]

POLICIES = {"guarded": WHOLE, "public": PUBLIC}
Studies = Mapping[str, Served]


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> Studies:
    """Serve the cohort under each of the policies; a copy leaves out what numbers its rows."""
    table = cohort()
    table = table.append_column("visit", array(range(table.num_rows)))
    return {
        name: served_of(tmp_path_factory.mktemp(name), policy, table)
        for name, policy in POLICIES.items()
    }


def checked(served: Served, kind: str, body: Mapping[str, Any]) -> Accepted | Refusal:
    """Read a body as the server does, and check it."""
    whole = BODIES[kind].model_validate_json(json.dumps(body)).model_dump()
    return check(served.copy, served.columns, kind, whole)


def passed(served: Served, kind: str, body: Mapping[str, Any]) -> Accepted:
    """Check a body that no rule refuses."""
    wish = checked(served, kind, body)
    assert isinstance(wish, Accepted), (kind, body, wish)
    return wish


def in_python(served: Served, kind: str, body: Mapping[str, Any]) -> PlotRequest:
    """Ask for the same of the copy."""
    asked, made = dict(body), cast("Any", PLOTS[kind])
    way = {name: asked.pop(name) for name in ("method", "k", "q") if name in asked}
    columns = asked.pop("columns", ())
    plot = made(**asked) if PLOTS[kind].kind() == "formula" else made.of_columns(columns, **asked)
    return served.copy.settle(plot, **way)


# --- what passes ----------------------------------------------------------------------------------

A, AB = {"columns": ["age"]}, {"columns": ["age", "bmi"]}
LAST = ["age", "bmi", "diagnosis"]
ABS = {"columns": ["age", "bmi", "sex"]}
PASSES: dict[str, tuple[str, str, Body, str]] = {
    # policy, kind, body, the question as text
    "one column": ("guarded", "histogram", A, '{"columns":["age"]}'),
    "by two columns": (
        "guarded",
        "box",
        {"columns": ["age"], "by": ["region", "sex"]},
        '{"by":["region","sex"],"columns":["age"]}',
    ),
    "by one in a list": (
        "guarded",
        "scatter",
        {**AB, "by": ["region"]},
        '{"by":"region","columns":["age","bmi"]}',
    ),
    "other ends": (
        "guarded",
        "histogram",
        {**A, "limits": {"age": [40, 60.5]}},
        '{"columns":["age"],"limits":{"age":[40.0,60.5]}}',
    ),
    "axes as they are drawn anyway": (
        "guarded",
        "parallel",
        {"columns": LAST, "sensitive": [], "diversity": 2, "pixels": 400, "cost": "smaller"},
        '{"columns":["age","bmi","diagnosis"]}',
    ),
    "any levels in a formula, written out": (
        "guarded",
        "residuals",
        {"formula": "bmi~age+C( region )"},
        '{"formula":"bmi ~ age + C(region)"}',
    ),
    "the usual clusters": (
        "public",
        "parallel",
        {**ABS, "method": "k-member", "k": 3, "diversity": 2},
        '{"columns":["age","bmi","sex"]}',
    ),
    "other numbers": (
        "public",
        "parallel",
        {**ABS, "k": 4, "diversity": 1},
        '{"columns":["age","bmi","sex"],"diversity":1,"k":4}',
    ),
    "more pixels than there may be": (
        "public",
        "parallel",
        {**ABS, "pixels": 100_000},
        '{"columns":["age","bmi","sex"],"pixels":500}',
    ),
    "what is sensitive, in the order of the axes": (
        "public",
        "parallel",
        {**ABS, "sensitive": ["sex", "bmi", "sex"]},
        '{"columns":["age","bmi","sex"],"sensitive":["bmi","sex"]}',
    ),
}


@pytest.mark.parametrize(("policy", "kind", "body", "request_text"), PASSES.values(), ids=PASSES)
def test_what_passes_is_asked_with_one_text(
    studies: Studies, policy: str, kind: str, body: Body, request_text: str
) -> None:
    wish = passed(studies[policy], kind, body)
    assert wish.text == request_text
    assert wish.plot.plot.name == kind
    assert wish.plot.how.of_copy == (policy == "guarded")
    assert wish.body == json.loads(request_text)
    assert passed(studies[policy], kind, wish.body) == wish
    assert wish.plot == in_python(studies[policy], kind, wish.body)


# --- what is refused ------------------------------------------------------------------------------

NOT_DRAWN = "columns: each must be one that can be drawn; /api/study lists them"
BAD_BY = "by: must be a categorical column that can be drawn, and not one of the columns"
NOT_ALLOWED = "method: the policy of this study does not allow it; /api/study lists those it does"
NO_METHOD = "method: this plot has no such method; /api/study lists them"
UNREAD = (
    "formula: cannot be read; write columns that can be drawn as 'y ~ x + C(group)', with :, *, "
    "log, log10, exp and sqrt; a model may have one random term, (1 | group), a plot none"
)
FIXED = "{}: the policy of this study fixes it; leave it out"
USELESS = "{}: out of range, or without use for this method"
NO_ENDS = "limits: of some of the columns, each a lower and a larger upper number"
NO_COST = "cost: this method does not use it; leave it out"
NO_AXIS = "sensitive: each is one of the columns"

REQUEST: dict[str, tuple[str, str, Body, str]] = {
    # policy, kind, body, the sentence
    "nobody's column": ("guarded", "scatter", {"columns": ["age", "Canary"]}, NOT_DRAWN),
    "an identifier": ("guarded", "bars", {"columns": ["patient"]}, NOT_DRAWN),
    "a column twice": (
        "guarded",
        "scatter",
        {"columns": ["age", "age"]},
        "columns: name each only once",
    ),
    "levels for numbers": (
        "guarded",
        "scatter",
        {"columns": ["age", "sex"]},
        "columns: this plot takes continuous columns",
    ),
    "by numbers": ("guarded", "histogram", {**A, "by": "bmi"}, BAD_BY),
    "by itself": ("guarded", "bars", {"columns": ["sex"], "by": "sex"}, BAD_BY),
    "by a column twice": ("guarded", "box", {**A, "by": ["sex", "sex"]}, BAD_BY),
    "boxes by levels": (
        "guarded",
        "box",
        {**AB, "by": "sex"},
        "by: a box plot that is divided draws one column",
    ),
    "no formula": ("guarded", "residuals", {"formula": "Canary"}, UNREAD),
    "a formula of an identifier": ("guarded", "qq", {"formula": "age ~ C(patient)"}, UNREAD),
    "a formula that calls": ("guarded", "qq", {"formula": "age ~ open('Canary')"}, UNREAD),
    "ends the wrong way round": ("guarded", "histogram", {**A, "limits": {"age": [2, 1]}}, NO_ENDS),
    "ends of levels": ("guarded", "parallel", {**ABS, "limits": {"sex": [1, 2]}}, NO_ENDS),
    "a grid without use": ("guarded", "scatter", {**AB, "grid": 10}, USELESS.format("grid")),
    "noise on the copy": (
        "guarded",
        "qq",
        {"formula": "bmi ~ age", "noise_on": "variable"},
        "noise_on: this method does not use it; leave it out",
    ),
    "a sensitive column that is no axis": (
        "public",
        "parallel",
        {**AB, "sensitive": ["diagnosis"]},
        NO_AXIS,
    ),
    "the copy's method": ("public", "parallel", {**AB, "method": "whole"}, NO_METHOD),
    "one person in a cluster": (
        "public",
        "parallel",
        {**AB, "k": 1, "diversity": 2},
        USELESS.format("k"),
    ),
    "a cost without use": (
        "public",
        "parallel",
        {**AB, "method": "k-member-joint", "cost": "seed"},
        NO_COST,
    ),
}


@pytest.mark.parametrize(("policy", "kind", "body", "says"), REQUEST.values(), ids=REQUEST)
def test_what_no_policy_lets_pass(
    studies: Studies, policy: str, kind: str, body: Body, says: str
) -> None:
    found = checked(studies[policy], kind, body)
    assert isinstance(found, Refusal)
    assert (found.code, found.status, found.says, found.nearest) == ("request", 422, says, None)
    assert b"Canary" not in found.body


POLICY_SAYS: dict[str, tuple[str, Body, str, Body | None]] = {
    # kind, body, the sentence, the nearest
    "raw data": ("histogram", {**A, "method": "none"}, NOT_ALLOWED, A),
    "counts": (
        "heatmap",
        {**AB, "method": "suppression", "grid": 9},
        NOT_ALLOWED,
        AB | {"grid": 9},
    ),
    "another k": ("histogram", {**A, "k": 6}, FIXED.format("k"), A),
    "two other numbers": (
        "histogram",
        {**A, "k": 6, "q": 3, "bins": 19},
        FIXED.format("k and q"),
        {**A, "bins": 19},
    ),
    "what is sensitive": (
        "parallel",
        {**ABS, "sensitive": ["sex"]},
        "sensitive: for clusters of people in public data, and rows of a copy belong to nobody; "
        "leave it out",
        ABS,
    ),
    "all at once": (
        "scatter",
        {"columns": ["hdl", "age"], "by": "region", "method": "none", "k": 3, "trend": True},
        NOT_ALLOWED,
        {"columns": ["hdl", "age"], "by": "region", "trend": True},
    ),
    "a number, where what is left is wrong": (
        "scatter",
        {**AB, "k": 9, "grid": 9},
        FIXED.format("k"),
        None,
    ),
}


@pytest.mark.parametrize(("kind", "body", "says", "nearest"), POLICY_SAYS.values(), ids=POLICY_SAYS)
def test_what_the_policy_does_not_let_pass(
    studies: Studies, kind: str, body: Body, says: str, nearest: Body | None
) -> None:
    found = checked(studies["guarded"], kind, body)
    assert isinstance(found, Refusal)
    assert (found.code, found.status, found.says) == ("policy", 403, says)
    assert found.nearest == nearest
    assert b"Canary" not in found.body
    if nearest is not None:
        passed(studies["guarded"], kind, nearest)


@pytest.mark.parametrize("kind", [name for name, it in PLOTS.items() if not it.axes])
def test_of_a_public_table_clusters_alone_are_drawn(studies: Studies, kind: str) -> None:
    body: Body = {"formula": "bmi ~ age"}
    if PLOTS[kind].kind() != "formula":
        names = {"categorical": ["sex", "region"], "any": ["age", "sex"]}
        names["continuous"] = ["age", "bmi"]
        body = {"columns": names[PLOTS[kind].kind()][: PLOTS[kind].most() or 2]}
    found = checked(studies["public"], kind, body)
    assert isinstance(found, Refusal)
    assert (found.code, found.nearest) == ("policy", None)
    assert found.says.startswith("from a public table only parallel coordinates can be drawn")


# --- methods and numbers --------------------------------------------------------------------------


def test_numbers_that_hold_where_nobody_names_one() -> None:
    standard, noisy = Policy.preset("standard"), Policy.preset("research", papers={"q": 0.5})
    research = Policy.preset("research")

    def told(policy: Policy, method: str) -> list[Any]:
        return [usual_number(policy, method, name) for name in NUMBERS]

    assert told(standard, "whole") == [5, 0.0, 20, None, 2, 400]
    assert told(research, "probabilistic") == [3, 0.25, 20, 30, 2, 400]
    assert told(noisy, "probabilistic") == [3, 0.5, 20, 30, 2, 400]
    assert told(research, "condensation") == [3, 0.0, 20, 30, 2, 400]
    assert usual_number(Policy.preset("research", papers={"diversity": 4}), "", "diversity") == 4


USES: dict[str, tuple[str, str, str, str, bool]] = {
    # preset, kind, method, parameter
    "everybody's k": ("research", "histogram", "suppression", "k", True),
    "noise of noise": ("research", "scatter", "probabilistic", "q", True),
    "a grid of cells": ("research", "heatmap", "none", "grid", True),
    "a grid of rows in cells": ("research", "heatmap", "condensation", "grid", True),
    "pixels of axes": ("research", "parallel", "none", "pixels", True),
    "a cost": ("research", "parallel", "k-member", "cost", True),
    "a cost of cells": ("research", "parallel", "k-member-cells", "cost", False),
    "a cost of the copy": ("standard", "parallel", "whole", "cost", False),
    "a diversity of cells": ("research", "parallel", "k-member-cells", "diversity", True),
    "a diversity of the copy": ("standard", "parallel", "whole", "diversity", False),
    "noise on something": ("research", "qq", "probabilistic", "noise_on", True),
    "noise on a copy": ("datashield", "qq", "whole", "noise_on", False),
    "a trend": ("standard", "scatter", "whole", "trend", True),
}


@pytest.mark.parametrize(("preset", "kind", "method", "name", "used"), USES.values(), ids=USES)
def test_what_has_a_use(preset: str, kind: str, method: str, name: str, used: bool) -> None:
    assert has_use(Policy.preset(preset), PLOTS[kind], method, name) is used


# --- laws -----------------------------------------------------------------------------------------


@st.composite
def bodies(draw: st.DrawFn, policy: str) -> tuple[str, Body]:
    """Draw a picture and a body that its schema lets pass, mostly of columns there are."""
    kind = draw(st.sampled_from([*PLOTS] if policy == "guarded" else ["parallel"]))
    picture = PLOTS[kind]
    body: Body = {}
    names = st.sampled_from(
        ["age", "bmi", "glucose", "hdl", "sex", "region", "diagnosis", "nobody"]
    )
    if picture.kind() == "formula":
        formulas = ["bmi ~ age", "bmi ~ age + C(sex)", "hdl ~ log(age)", "age ~ C(region)", "age"]
        body["formula"] = draw(st.sampled_from(formulas))
    else:
        most = min(picture.most(), 4)
        body["columns"] = draw(
            st.lists(names, min_size=picture.least(), max_size=most, unique=True)
        )
    optional: dict[str, st.SearchStrategy[Any]] = {"method": st.sampled_from(PLOTS[kind].methods)}
    if "by" in picture.settings():
        optional["by"] = st.sampled_from(["sex", "region", "bmi"])
    if "weights" in picture.settings():
        optional["weights"] = st.sampled_from(["age", "sex", "nobody"])
    if kind == "parallel":
        optional["sensitive"] = st.lists(names, max_size=2)
    values: dict[str, st.SearchStrategy[Any]] = {
        "k": st.sampled_from([3, 5, 6]),
        "q": st.sampled_from([0.01, 0.25, 0.5, 1.0]),
        "bins": st.sampled_from([2, 20]),
        "grid": st.sampled_from([30, 1000]),
        "diversity": st.sampled_from([1, 2, 3]),
        "pixels": st.sampled_from([50, 400, 600]),
        "trend": st.booleans(),
        "percent": st.booleans(),
        "overlay": st.booleans(),
        "gradient": st.booleans(),
        "noise_on": st.sampled_from(QQPlot.parameters()["noise_on"].choices),
        "cost": st.sampled_from(ParallelPlot.parameters()["cost"].choices),
        "event_is": st.sampled_from([["1"], ["yes", "no"]]),
        "every": st.sampled_from(OverTimePlot.parameters()["every"].choices),
        "show": st.sampled_from(ScatterPlot.parameters()["show"].choices),
    }
    optional |= {name: values[name] for name in picture.parameters()}
    chosen = draw(st.lists(st.sampled_from([*optional]), unique=True, max_size=4))
    return kind, body | {name: draw(optional[name]) for name in chosen}


OF_POLICIES = pytest.mark.parametrize("policy", POLICIES)


@OF_POLICIES
@given(data=st.data())
def test_the_nearest_request_passes(studies: Studies, policy: str, data: st.DataObject) -> None:
    kind, body = data.draw(bodies(policy))
    found = checked(studies[policy], kind, body)
    if isinstance(found, Refusal):
        assert found.code in ("request", "policy")
        if found.nearest is not None:
            assert found.code == "policy"
            passed(studies[policy], kind, found.nearest)


@OF_POLICIES
@given(data=st.data())
def test_a_question_has_one_text_however_it_is_put(
    studies: Studies, policy: str, data: st.DataObject
) -> None:
    kind, body = data.draw(bodies(policy))
    copy, columns = studies[policy].copy, studies[policy].columns
    wish = check(copy, columns, kind, body)
    turned = {name: body[name] for name in data.draw(st.permutations([*body]))}
    again = check(copy, columns, kind, turned)
    assert again == wish
    if isinstance(wish, Refusal):
        return
    method = wish.body.get("method", method_of(copy.policy, PLOTS[kind], None))
    usual: Body = {"method": method}
    for name in PLOTS[kind].parameters():
        if has_use(copy.policy, PLOTS[kind], method, name):
            number = name in NUMBERS
            usual[name] = (
                usual_number(copy.policy, method, name) if number else PLOTS[kind].usual()[name]
            )
    named = data.draw(st.sets(st.sampled_from([*usual])))
    whole = {name: usual[name] for name in sorted(named)} | body
    put_in_full = check(copy, columns, kind, {"by": None, **whole})
    assert isinstance(put_in_full, Accepted)
    assert put_in_full.text == wish.text
    assert passed(studies[policy], kind, wish.body).text == wish.text


def test_different_questions_have_different_texts(studies: Studies) -> None:
    """Every combination of some values of all that clusters can be asked for with."""
    texts = {
        passed(studies["public"], "parallel", dict(zip(names, it, strict=True))).text
        for names in [("columns", "method", "k", "diversity", "pixels")]
        for it in itertools.product(
            itertools.permutations(["age", "bmi", "sex"]),
            ("k-member", "k-member-joint"),
            (3, 4),
            (2, 3),
            (400, 450),
        )
    }
    assert len(texts) == 6 * 2**4


@given(text=st.text(min_size=1, max_size=60) | st.text("agebmi~+-*:()C^1 .@'\"", max_size=40))
def test_any_formula_is_read_or_refused(studies: Studies, text: str) -> None:
    served = studies["guarded"]
    found = check(served.copy, served.columns, "residuals", {"formula": text or "~"})
    assert isinstance(found, Accepted) or found.code in ("request", "policy")


AB = {"columns": ["a", "b"]}
FORMULA = {"formula": "a ~ b"}


ENDS: tuple[tuple[str, Body], ...] = (
    ("parallel", {**AB, "k": 10**6, "diversity": 1000, "pixels": 1_000_000}),
    ("parallel", {"columns": [f"c{i}" for i in range(24)]}),
    ("scatter", {**AB, "k": 1, "q": 0.01, "grid": 2, "by": ["s", "t"]}),
    ("histogram", {"columns": ["a" * LONGEST_NAME], "bins": 1000, "method": "m" * 40}),
    ("qq", {"formula": "a" * LONGEST_FORMULA}),
)


def test_a_body_may_hold_what_lies_at_an_end() -> None:
    for kind, body in ENDS:
        BODIES[kind].model_validate_json(json.dumps(body))


WRONG: dict[str, tuple[str, Any, str]] = {
    # kind, body, the field that is wrong; "" for the whole
    "nothing": ("histogram", None, ""),
    "none of the columns": ("histogram", {"columns": []}, "columns"),
    "too many columns": ("histogram", AB, "columns"),
    "too many axes": ("parallel", {"columns": [f"c{i}" for i in range(25)]}, "columns"),
    "a name for a list": ("histogram", {"columns": "a"}, "columns"),
    "a number for a name": ("histogram", {"columns": [1]}, "columns"),
    "no name": ("histogram", {"columns": [""]}, "columns"),
    "too long a name": ("histogram", {"columns": ["a" * (LONGEST_NAME + 1)]}, "columns"),
    "too long a formula": ("qq", {"formula": "a" * (LONGEST_FORMULA + 1)}, "formula"),
    "no formula": ("qq", {"formula": ""}, "formula"),
    "columns beside a formula": ("qq", {"columns": ["a"], **FORMULA}, "columns"),
    "another's parameter": ("histogram", {"columns": ["a"], "grid": 30}, "grid"),
    "one end": ("histogram", {"columns": ["a"], "limits": {"a": [0]}}, "limits"),
    "ends of no axis": ("histogram", {"columns": ["a"], "limits": {}}, "limits"),
    "an end without end": ("histogram", {"columns": ["a"], "limits": {"a": ["-inf", 1]}}, "limits"),
    "a number in words": ("histogram", {"columns": ["a"], "k": "5"}, "k"),
    "yes for a number": ("histogram", {"columns": ["a"], "k": True}, "k"),
    "nobody": ("histogram", {"columns": ["a"], "k": 0}, "k"),
    "too many people": ("histogram", {"columns": ["a"], "k": 10**6 + 1}, "k"),
    "one bar": ("histogram", {"columns": ["a"], "bins": 1}, "bins"),
    "too many bars": ("histogram", {"columns": ["a"], "bins": 1001}, "bins"),
    "no noise": ("scatter", {**AB, "q": 0}, "q"),
    "a number for yes": ("scatter", {**AB, "trend": 1}, "trend"),
    "another word": ("parallel", {**AB, "cost": "dear"}, "cost"),
    "pixels between steps": ("parallel", {**AB, "pixels": 425}, "pixels"),
    "values of a secret": ("parallel", {**AB, "sensitive": {"b": ["x"]}}, "sensitive"),
    "too long a method": ("bars", {"columns": ["a"], "method": "m" * 41}, "method"),
    "three columns of levels": ("histogram", {"columns": ["a"], "by": ["s", "t", "u"]}, "by"),
    "none of the columns of levels": ("histogram", {"columns": ["a"], "by": []}, "by"),
    "no names of levels": ("histogram", {"columns": ["a"], "by": ["s", ""]}, "by"),
    "levels of a table": ("crosstab", {**AB, "by": "s"}, "by"),
    "an unknown key": ("histogram", {"columns": ["a"], "Canary": 1}, "Canary"),
}


@pytest.mark.parametrize(("kind", "body", "field"), WRONG.values(), ids=WRONG)
def test_what_a_body_may_not_hold(kind: str, body: Any, field: str) -> None:
    with pytest.raises(ValidationError, match=r"validation error") as told:
        BODIES[kind].model_validate_json(json.dumps(body))
    assert {str((*it["loc"], "")[0]) for it in told.value.errors()} == {field}
    assert "input_value" not in str(told.value)
