"""Plots of the copy and what lights up in them, asked of a server: as the study draws them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from discreet.explore import Study
from discreet.explore.from_copy import WholeTable
from discreet.serve.record import log
from discreet.serve.tokens import add_token
from tests.serve.cohort import NAME, studies_of
from tests.serve.conftest import Running, running

Body = dict[str, Any]


@pytest.fixture(scope="module")
def study(served: Running) -> Study:
    """The same study file, as it is opened in Python."""
    return Study(served.served.file)


@pytest.fixture(scope="module")
def whole(served: Running) -> WholeTable:
    return served.served.copy.whole


@pytest.fixture(scope="module")
def analyst(served: Running) -> Iterator[httpx.Client]:
    with served.client() as found:
        yield found


PART: Body = {"where": "age >= 45 and sex == '1'", "assign": {"ratio": "ldl / hdl"}}
PLOTS: dict[str, tuple[str, Body]] = {
    "histogram of a part": ("histogram", {"columns": ["ratio"], **PART}),
    "box by two levels": ("box", {"columns": ["bmi"], "by": ["region", "sex"]}),
    "cross-table of a part": ("crosstab", {"columns": ["region", "diagnosis"], **PART}),
    "parallel axes": ("parallel", {"columns": ["age", "region", "bmi"]}),
    "residuals": ("residuals", {"formula": "bmi ~ age + C(sex)"}),
}


def of_study(study: Study, kind: str, body: Body) -> Any:
    """Draw in Python what a body asks for."""
    given = {name: it for name, it in body.items() if name not in ("columns", "formula")}
    if "assign" in given:
        study = study.assign(**given.pop("assign"))
    if "where" in given:
        study = study.where(given.pop("where"))
    by = given.pop("by", None)
    divided = {} if by is None else {"by": tuple(by) if isinstance(by, list) else by}
    if "formula" in body:
        view: Any = getattr(study, kind)(body["formula"], **divided, **given)
    elif kind in ("correlations", "parallel"):
        view = getattr(study, kind)(body["columns"], **divided, **given)
    else:
        view = getattr(study, kind)(*body["columns"], **divided, **given)
    return {name: it for name, it in json.loads(view.to_json()).items() if name != "provenance"}


@pytest.mark.parametrize("name", PLOTS)
def test_a_plot_of_the_copy_is_the_one_that_the_study_draws(
    study: Study, analyst: httpx.Client, name: str
) -> None:
    kind, body = PLOTS[name]
    answer = analyst.post(f"/api/copy/{kind}", json=body)
    assert answer.status_code == 200, answer.text
    assert answer.json() == {"view": of_study(study, kind, body)}
    assert analyst.post(f"/api/copy/{kind}", json=body).content == answer.content


WRONG: dict[str, tuple[str, Body, int, str]] = {
    # kind, body, status, the end of what is said
    "another key": ("histogram", {"columns": ["age"], "x": 1}, 422, "no more keys"),
    "no such column": ("histogram", {"columns": ["nobody"]}, 422, "/api/study lists them"),
    "who is who": ("bars", {"columns": ["patient"]}, 422, "/api/study lists them"),
    "no condition": ("bars", {"columns": ["sex"], "where": "age +"}, 422, "sex == 'F'"),
    "few rows": ("bars", {"columns": ["sex"], "where": "age > 1000"}, 403, "ask for a larger part"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_drawn_is_refused_in_fixed_words(analyst: httpx.Client, name: str) -> None:
    kind, body, status, says = WRONG[name]
    answer = analyst.post(f"/api/copy/{kind}", json=body)
    assert answer.status_code == status
    assert answer.json()["error"]["says"].endswith(says)


def test_exploring_is_recorded_once_a_caller(served: Running) -> None:
    with served.client(add_token(served.studies.store, NAME, "erin")) as erin:
        for bins in range(5, 12):
            body = {"columns": ["age"], "bins": bins}
            assert erin.post("/api/copy/histogram", json=body).status_code == 200
        assert erin.post("/api/copy/light", json={}).status_code == 200
    rows = [it for it in log(served.studies.store) if it["caller"] == "token erin"]
    assert [(it["what"], it["outcome"]) for it in rows] == [("copy", "answered")]


def brute(whole: WholeTable, axes: list[Body], keep: list[bool]) -> list[int]:
    copy = whole.copy
    counts: dict[tuple[int, ...], int] = {}
    for row in (i for i, yes in enumerate(keep) if yes):
        at = []
        for axis in axes:
            if "levels" in axis:
                word = copy.strata[axis["column"]][row]
                at.append(axis["levels"].index(word) if word in axis["levels"] else -1)
                continue
            value, inner = copy.columns[axis["column"]][row], axis["edges"][1:-1]
            at.append(-1 if np.isnan(value) else sum(value >= edge for edge in inner))
        if -1 not in at:
            counts[tuple(at)] = counts.get(tuple(at), 0) + 1
    sizes = [len(axis["levels"]) if "levels" in axis else len(axis["edges"]) - 1 for axis in axes]
    return [counts.get(place, 0) for place in np.ndindex(*sizes)]


def drawn_axis(whole: WholeTable, chance: random.Random) -> Body:
    copy = whole.copy
    name = chance.choice([*copy.columns, *copy.strata])
    if name in copy.strata:
        words = sorted({*copy.strata[name]} - {""})
        return {"column": name, "levels": chance.sample(words, chance.randint(1, len(words)))}
    values = copy.columns[name][np.isfinite(copy.columns[name])]
    found = {float(np.quantile(values, chance.random())) for _ in range(chance.randint(3, 9))}
    return {"column": name, "edges": sorted(found | {float(values.min()) - chance.random()})}


def drawn_clause(whole: WholeTable, chance: random.Random) -> tuple[Body, list[bool]]:
    copy = whole.copy
    axis = drawn_axis(whole, chance)
    name = axis["column"]
    if "levels" in axis:
        some = axis["levels"][:2]
        return {"column": name, "levels": some}, [it in some for it in copy.strata[name]]
    low, high = axis["edges"][0], axis["edges"][-1]
    clause: Body = {"column": name, "from": low, "to": high, "closed": chance.random() < 0.5}
    values = copy.columns[name]
    below = values <= high if clause["closed"] else values < high
    if chance.random() < 0.3:
        del clause["from"]
        low = -np.inf
    return clause, ((values >= low) & below).tolist()


@pytest.mark.parametrize("seed", range(2))
def test_lights_are_the_rows_counted_one_by_one(
    whole: WholeTable, analyst: httpx.Client, seed: int
) -> None:
    chance = random.Random(seed)
    clauses = [drawn_clause(whole, chance) for _ in range(chance.randint(0, 2))]
    cards = [[drawn_axis(whole, chance) for _ in range(chance.randint(1, 2))] for _ in range(4)]
    age = whole.copy.columns["age"]
    where = ["age >= 50", "age < 60"] if seed % 2 else []
    keep = [
        all(holds[i] for _, holds in clauses) and (not where or 50 <= age[i] < 60)
        for i in range(len(age))
    ]
    body: Body = {"where": where, "light": {"all": [it for it, _ in clauses]} if clauses else None}
    body["cards"] = [{"kind": "any", "columns": ["age"], "marks": {"axes": it}} for it in cards]
    answer = analyst.post("/api/copy/light", json=body)
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert found["rows"] == sum(keep)
    assert [it["counts"] for it in found["cards"]] == [brute(whole, it, keep) for it in cards]


def test_marks_of_plots_hold_the_rows_that_the_plots_count(analyst: httpx.Client) -> None:
    new = {"band": "cut(age, 50, 60)", "ratio": "ldl / hdl"}
    part = {"where": "age >= 45", "assign": new}
    shown = [
        analyst.post(f"/api/copy/{kind}", json={"columns": [name], **part}).json()["view"]
        for kind, name in (("histogram", "ratio"), ("bars", "band"), ("histogram", "age"))
    ]
    axes = [
        {"column": view["columns"][0], **{k: view[k] for k in ("edges", "levels") if k in view}}
        for view in shown
    ]
    body: Body = {"where": [part["where"]], "assign": [[*it] for it in new.items()]}
    body["cards"] = [{"marks": {"axes": [axis]}} for axis in axes]
    found = analyst.post("/api/copy/light", json=body).json()
    assert [it["counts"] for it in found["cards"]] == [view["counts"] for view in shown]


AXIS = {"column": "age", "edges": [20.0, 40.0, 60.0]}
NO_AXIS = "cards: each axis has a column of the copy, with edges that rise or with levels"
UNLIT: dict[str, tuple[Body, str]] = {
    "edges that fall": ({"cards": [{"marks": {"axes": [{**AXIS, "edges": [3.0, 2.0]}]}}]}, NO_AXIS),
    "neither edges nor levels": ({"cards": [{"marks": {"axes": [{"column": "age"}]}}]}, NO_AXIS),
    "levels of a number": (
        {"cards": [{"marks": {"axes": [{"column": "bmi", "levels": ["a"]}]}}]},
        NO_AXIS,
    ),
    "too many marks": (
        {"cards": [{"marks": {"axes": [{**AXIS, "edges": [*map(float, range(1000))]}] * 2}}]},
        NO_AXIS,
    ),
    "too many marks together": (
        {"cards": [{"marks": {"axes": [{**AXIS, "edges": [*map(float, range(22))]}] * 4}}] * 5},
        NO_AXIS,
    ),
    "a column that is none": (
        {"light": {"all": [{"column": "patient", "levels": ["Patient 0001"]}]}},
        "light: columns of the copy, each between two numbers or of some levels",
    ),
    "other keys": ({"cards": [], "x": 1}, "the body: JSON as /api/openapi.json describes it"),
    "no number": (
        {"light": {"all": [{"column": "age", "from": "1"}]}},
        "light: not as /api/openapi.json describes it",
    ),
}


@pytest.mark.parametrize("name", UNLIT)
def test_what_cannot_light_up_is_refused_in_fixed_words(analyst: httpx.Client, name: str) -> None:
    body, says = UNLIT[name]
    answer = analyst.post("/api/copy/light", json=body)
    assert answer.status_code == 422
    assert answer.json()["error"]["says"].startswith(says)


def test_a_mistake_is_marked_at_its_place(analyst: httpx.Client) -> None:
    body = {"where": ["age > 40", "age > 40 and nobody == 3"]}
    place = analyst.post("/api/copy/light", json=body).json()["error"]["place"]
    assert place == {"parameter": "where", "entry": 1, "start": 13, "end": 19}


def test_who_asks_too_often_is_told_to_wait(tmp_path: Path) -> None:
    studies = studies_of(tmp_path, a_minute=2)
    with running(studies, tmp_path) as server, server.client() as analyst:
        answers = [analyst.post("/api/copy/light", json={}) for _ in range(50)]
        codes = [it.status_code for it in answers]
        assert codes[:20] == [200] * 20
        assert 429 in codes
        assert answers[codes.index(429)].headers["retry-after"] == "5"


def test_a_part_is_told_by_its_size_and_its_columns(
    study: Study, whole: WholeTable, analyst: httpx.Client
) -> None:
    body = {"where": ["age >= 50", "sex == '1'"], "assign": [["ratio", "ldl / hdl"]]}
    answer = analyst.post("/api/copy/part", json=body)
    part = study.assign(ratio="ldl / hdl").where("age >= 50").where("sex == '1'")
    found = answer.json()
    columns = {it["name"]: it for it in found["columns"]}
    assert found["size"] == part.scatter("ratio", "age").origin.total
    assert found["total"] == len(whole)
    assert list(columns)[-1] == "ratio"
    plain = {"dates": False, "coded": False}
    assert columns["ratio"] == {"name": "ratio", "kind": "number", "levels": None, **plain}
    assert (columns["sex"]["levels"], columns["sex"]["coded"]) == (["1", "2"], True)
    few = analyst.post("/api/copy/part", json={"where": ["age > 1000"]})
    assert (few.status_code, few.json()["error"]["code"]) == (403, "policy")
