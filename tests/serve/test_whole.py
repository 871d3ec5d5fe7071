"""A server of a study file: what is asked of its copy, answered as the copy answers in Python."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pyarrow import array

from discreet.explore.facts import study_facts
from discreet.plots.histogram import HistogramPlot
from discreet.serve.answers import answer
from discreet.serve.refusals import Refusal
from discreet.serve.requests import BODIES, Accepted, check
from discreet.serve.studies import Served
from discreet.serve.tokens import Caller
from tests.serve.cohort import WHOLE, cohort, served_of

Body = dict[str, Any]

ALICE, BOB = Caller("token alice", "analyst"), Caller("token bob", "analyst")
A = {"columns": ["age"]}


def serving(folder: Path, policy: str = WHOLE) -> Served:
    """Serve the cohort with a column that numbers its rows, which the copy leaves out."""
    table = cohort()
    return served_of(folder, policy, table.append_column("visit", array(range(table.num_rows))))


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Served:
    return serving(tmp_path_factory.mktemp("whole"))


def checked(found: Served, kind: str, body: Mapping[str, Any]) -> Accepted | Refusal:
    """Read a body as the server does, and check it."""
    read = BODIES[kind].model_validate_json(json.dumps(body)).model_dump()
    return check(found.copy, found.columns, kind, read)


def passed(found: Served, kind: str, body: Mapping[str, Any]) -> Accepted:
    asked = checked(found, kind, body)
    assert isinstance(asked, Accepted), (kind, body, asked)
    return asked


def answered(found: Served, caller: Caller, kind: str, body: Mapping[str, Any]) -> Any:
    """Return what is sent for a body."""
    read = BODIES[kind].model_validate_json(json.dumps(body)).model_dump()
    return answer(found, caller, kind, read)


def test_columns_are_those_of_the_copy(served: Served) -> None:
    told = study_facts(served.copy, served.columns)["columns"]
    assert {it["name"] for it in told} == {*cohort().column_names} - {"patient"}


OLD: Body = {"where": "age >= 50 and sex == '1'", "assign": {"ratio": "ldl / hdl"}}


def test_a_part_with_a_new_column_is_answered_as_in_python(served: Served) -> None:
    body = {"columns": ["ratio"], "by": "region", **OLD}
    part = served.copy.assign(OLD["assign"]).where(OLD["where"])
    found = json.loads(answered(served, ALICE, "histogram", body).body)
    in_python = part.draw(HistogramPlot("ratio", by="region")).sealed()
    assert found["view"] == json.loads(in_python.to_json())
    assert f"ratio is ldl / hdl; where {OLD['where']}" in found["says"]
    asked = passed(served, "histogram", body)
    assert passed(served, "histogram", asked.body).text == asked.text


NOT_DERIVED: dict[str, tuple[Body, str, str, Body | None]] = {
    # what is asked, the code, the sentence, the nearest
    "no condition": (
        {"where": "age +"},
        "request",
        "where: cannot be read; compare columns of the copy: age >= 50 and sex == 'F'",
        None,
    ),
    "what identifies": (
        {"where": "patient == 'Canary'"},
        "request",
        "where: cannot be read; compare columns of the copy: age >= 50 and sex == 'F'",
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
        "assign: cannot be read; give each new name columns of the copy, computed: log(bmi)",
        None,
    ),
    "a name that is taken": (
        {"assign": {"bmi": "age"}},
        "request",
        "assign: there is a column of that name; choose another one",
        None,
    ),
    "no value": (
        {"assign": {"new": "log(-age)"}},
        "policy",
        "assign: the result has no value in any row of the copy",
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
