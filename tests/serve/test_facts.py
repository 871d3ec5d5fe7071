"""What a form is made of, all of which is taken; and what the custodian sees: nothing raw."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from discreet.errors import DiscreetError
from discreet.plots import PLOTS
from discreet.policy import PRESETS, Policy
from discreet.protect import COPY_METHODS, METHODS
from discreet.serve.files import drawn
from discreet.serve.requests import BODIES, Accepted, check
from discreet.study import Study
from discreet.study.facts import plot_facts, study_facts
from discreet.study.session import DrawableColumn
from tests.serve.cohort import cohort, opened

Told = dict[str, Any]

COLUMNS = (
    DrawableColumn("age", "continuous", "other"),
    DrawableColumn("bmi", "continuous", "other"),
    DrawableColumn("sex", "categorical", "other"),
    DrawableColumn("ill", "categorical", "sensitive"),
)
SEX = 'kinds.sex = "categorical"\n'
ROLES = '[roles]\npatient = "identifier"\ndiagnosis = "sensitive"\n'


def told_of(policy: Policy, columns: tuple[DrawableColumn, ...] = COLUMNS) -> dict[str, Told]:
    """Return the pictures that are told of, by kind."""
    return {it["kind"]: it for it in plot_facts(policy, columns)}


def opened_under(preset: str, folder: Path, rows: int | None = None) -> Study:
    """Open the cohort, or its first rows, under a preset."""
    table = cohort() if rows is None else cohort().slice(0, rows)
    return opened(folder, f'preset = "{preset}"\n{SEX}{ROLES}', table)


# --- what is told ---------------------------------------------------------------------------------

# Of each policy the methods of each picture, the usual one first.
ALL_ROWS = "deterministic probabilistic multiplicative condensation microaggregation rounding"
GUARDED = dict.fromkeys(PLOTS, "whole")
RESEARCH = {
    "histogram": "suppression generalization ROWS none",
    "correlations": "ROWS",
    "density": "ROWS",
    "violin": "ROWS",
    "ecdf": "ROWS",
    "scatter": "ROWS suppression generalization none",
    "heatmap": "generalization suppression ROWS none",
    "contour": "generalization suppression ROWS none",
    "box": "suppression generalization ROWS none",
    "bars": "none",
    "crosstab": "none",
    "parallel": "k-member k-member-joint none",
    "survival": "none",
    "over_time": "none",
    "residuals": "ROWS suppression generalization none",
    "qq": "ROWS suppression generalization none",
    "leverage": "ROWS suppression generalization none",
}


@pytest.mark.parametrize("preset", PRESETS)
def test_methods_are_told_the_usual_one_first(preset: str) -> None:
    told = told_of(Policy.preset(preset))
    expected = RESEARCH if preset == "research" else GUARDED

    found = {kind: [it["name"] for it in picture["methods"]] for kind, picture in told.items()}
    assert found == {
        kind: text.replace("ROWS", ALL_ROWS).split() for kind, text in expected.items()
    }
    for picture in told.values():
        assert [it["usual"] for it in picture["methods"]] == [
            True,
            *[False] * (len(picture["methods"]) - 1),
        ]
        for it in picture["methods"]:
            assert it["rows"] == (it["name"] in COPY_METHODS)
            assert it["promises"] == METHODS[it["name"]].promises
            assert it["leaves_open"] == METHODS[it["name"]].leaves_open


def numbers_of(picture: Told) -> list[tuple[str, Any, bool]]:
    """Return name, usual value and whether it is fixed, of each parameter."""
    return [(it["name"], it["usual"], it["fixed"]) for it in picture["parameters"]]


@pytest.mark.parametrize(
    ("preset", "k"), [("standard", 5), ("datashield", 3), ("sacro", 10), ("opensafely", 8)]
)
def test_a_guarded_policy_fixes_what_its_copy_was_made_with(preset: str, k: int) -> None:
    told = told_of(Policy.preset(preset))

    k_alone, grid = ("k", k, True), ("grid", None, False)
    assert {kind: numbers_of(picture) for kind, picture in told.items()} == {
        "histogram": [k_alone, ("bins", 20, False), ("overlay", False, False)],
        "correlations": [k_alone],
        "density": [k_alone],
        "violin": [k_alone],
        "ecdf": [k_alone],
        "scatter": [k_alone, ("trend", False, False), ("show", "auto", False)],
        "heatmap": [k_alone, grid],
        "contour": [k_alone, grid],
        "box": [k_alone],
        "bars": [("percent", False, False)],
        "crosstab": [],
        "parallel": [k_alone, ("pixels", 400, False), ("gradient", True, False)],
        "survival": [("event_is", None, False)],
        "over_time": [("every", "auto", False)],
        "residuals": [k_alone],
        "qq": [k_alone],
        "leverage": [k_alone],
    }


def test_research_leaves_all_numbers_open() -> None:
    told = told_of(Policy.preset("research"))

    k, q, grid = ("k", 3, False), ("q", 0.25, False), ("grid", 30, False)
    assert {kind: numbers_of(picture) for kind, picture in told.items()} == {
        "histogram": [k, q, ("bins", 20, False), ("overlay", False, False)],
        "correlations": [k, q],
        "density": [k, q],
        "violin": [k, q],
        "ecdf": [k, q],
        "scatter": [k, q, grid, ("trend", False, False), ("show", "auto", False)],
        "heatmap": [k, q, grid],
        "contour": [k, q, grid],
        "box": [k, q, grid],
        "bars": [("percent", False, False)],
        "crosstab": [],
        "parallel": [
            k,
            ("diversity", 2, False),
            ("pixels", 400, False),
            ("cost", "smaller", False),
            ("gradient", True, False),
        ],
        "survival": [("event_is", None, False)],
        "over_time": [("every", "auto", False)],
        "residuals": [k, q, grid],
        "qq": [k, q, grid, ("noise_on", "points", False)],
        "leverage": [k, q, grid],
    }


def test_a_parameter_says_what_it_may_be_and_for_which_methods() -> None:
    told = told_of(Policy.preset("research"))
    of = {(kind, it["name"]): it for kind, pic in told.items() for it in pic["parameters"]}

    def span(kind: str, name: str) -> list[Any]:
        """Return type, least, most and step."""
        return [of[kind, name][it] for it in ("type", "least", "most", "step")]

    assert span("histogram", "bins") == ["integer", 2, 1000, 1]
    assert span("histogram", "k") == ["integer", 3, None, None]  # what each of its methods takes
    assert span("parallel", "diversity") == ["integer", 1, 1000, 1]
    assert span("parallel", "pixels") == ["integer", 50, None, 50]
    assert span("scatter", "q") == ["number", 0.01, 100, None]
    assert span("scatter", "trend") == ["yes_no", None, None, None]
    assert of["parallel", "cost"]["choices"] == ["seed", "span", "smaller"]
    assert of["qq", "noise_on"]["choices"] == ["points", "variable"]
    assert of["histogram", "bins"]["methods"] is None
    assert of["scatter", "trend"]["methods"] is None
    assert of["heatmap", "grid"]["methods"] is None
    assert of["scatter", "grid"]["methods"] == ["suppression", "generalization"]
    assert of["parallel", "cost"]["methods"] == ["k-member"]
    assert of["qq", "noise_on"]["methods"] == ["probabilistic", "multiplicative"]


NUMBERS_ALONE, LEVELS_ALONE = COLUMNS[:2], COLUMNS[2:]
OF_ONE_NUMBER = {
    *("histogram", "density", "ecdf", "violin", "box", "over_time"),
    *("residuals", "qq", "leverage"),
}
ENOUGH: dict[str, tuple[tuple[DrawableColumn, ...], set[str]]] = {
    "nothing": ((), set()),
    "one number": (COLUMNS[:1], OF_ONE_NUMBER),
    "numbers": (NUMBERS_ALONE, {*PLOTS} - {"bars", "crosstab"}),
    "one column of levels": (COLUMNS[2:3], {"bars"}),
    "levels": (LEVELS_ALONE, {"bars", "crosstab", "parallel"}),
    "one of each": (COLUMNS[1:3], OF_ONE_NUMBER | {"bars", "parallel", "survival"}),
    "all": (COLUMNS, {*PLOTS}),
}


@pytest.mark.parametrize(("columns", "kinds"), ENOUGH.values(), ids=ENOUGH)
def test_pictures_are_told_of_for_which_there_are_columns(
    columns: tuple[DrawableColumn, ...], kinds: set[str]
) -> None:
    assert set(told_of(Policy.preset("standard"), columns)) == kinds


def test_what_a_picture_takes() -> None:
    told = told_of(Policy.preset("standard"))

    assert told["histogram"]["columns"] == {"least": 1, "most": 1, "kind": "continuous"}
    assert told["crosstab"]["columns"] == {"least": 2, "most": 2, "kind": "categorical"}
    assert told["parallel"]["columns"] == {"least": 2, "most": 24, "kind": "any"}
    places = [{"name": "time", "kind": "continuous"}, {"name": "event", "kind": "any"}]
    assert told["survival"]["columns"] == {
        **{"least": 2, "most": 2, "kind": "any"},
        "places": places,
    }
    assert (told["qq"]["takes"], told["qq"]["columns"]) == ("formula", None)
    assert {it["takes"] for kind, it in told.items() if told[kind]["columns"]} == {"columns"}


BY: dict[str, tuple[str, str, Any]] = {
    "the copy": ("standard", "histogram", {"columns": [], "rows": ["sex", "ill"]}),
    "all under research": (
        "research",
        "heatmap",
        {"columns": ["sex", "ill"], "rows": ["sex", "ill"]},
    ),
    "curves under research": ("research", "ecdf", {"columns": [], "rows": ["sex", "ill"]}),
    "points under research": ("research", "scatter", {"columns": [], "rows": ["sex", "ill"]}),
    "a table": ("standard", "crosstab", None),
    "axes": ("research", "parallel", None),
    "a regression": ("research", "qq", None),
}


@pytest.mark.parametrize(("preset", "kind", "by"), BY.values(), ids=BY)
def test_by_what_a_picture_is_divided(preset: str, kind: str, by: Any) -> None:
    assert told_of(Policy.preset(preset))[kind]["by"] == by


def test_what_is_told_of_a_study(tmp_path: Path) -> None:
    policy = 'name = "clinic"\n' + ROLES
    study = opened(tmp_path, policy)
    columns = {
        it.name: it for it in study.session.drawable() if it.name in ("age", "bmi", "diagnosis")
    }
    told = study_facts(study.session, columns)

    assert told["policy"] == {
        "name": "clinic",
        "regime": "guarded",
        "k": 5,
        "m": 20,
        "round_to": 5,
        "public": False,
        "promise": "At least 5 persons stand behind everything you see.",
    }
    of_all = {"label": None, "unit": None, "dates": False}
    number = {"kind": "continuous", "role": "other", **of_all}
    assert told["columns"] == [
        {"name": "age", **number},
        {"name": "bmi", **number},
        {"name": "diagnosis", "kind": "categorical", "role": "sensitive", **of_all},
    ]
    assert told["pictures"] == plot_facts(study.policy, [*columns.values()])


@pytest.mark.parametrize("preset", PRESETS)
def test_no_value_is_told(preset: str, tmp_path: Path) -> None:
    """Names and rules alone: neither a level, nor how many rows or levels there are."""
    study = opened_under(preset, tmp_path)
    text = json.dumps(study_facts(study.session, {it.name: it for it in study.session.drawable()}))

    for value in ("north", "severe", "Patient", "patient", "442"):
        assert value not in text, value


# --- all that is told of is taken -----------------------------------------------------------------

FEW_LEVELS = "more than the sensitive column 'diagnosis' has values"
# Which of the requests below the data do not let be shown, and why.
HELD_BACK = (
    "no bin holds k persons",
    "every cell of the grid is suppressed",
    "no point is shown, so there is no trend",
    "lie too far apart to be drawn side by side",
    FEW_LEVELS,
)


def ends(parameter: Told) -> list[Any]:
    """Return the ends of a range, or all there is to choose from."""
    if parameter["type"] == "yes_no":
        return [True, False]
    if parameter["name"] == "every":
        return ["auto"]  # no column of the cohort holds dates
    if parameter["type"] == "word":
        return [*parameter["choices"]]
    if parameter["type"] == "words":
        return [["1"], ["1", "2"]]
    most = {"k": 12, "pixels": 1_000_000}.get(parameter["name"], parameter["most"])
    return [parameter["least"], most]


def columns_for(picture: Told, columns: Mapping[str, DrawableColumn]) -> Told:
    """Return columns, or a formula, that a picture can be drawn of."""
    if picture["takes"] == "formula":
        return {"formula": "bmi ~ age + C(sex)"}
    if picture["kind"] == "parallel":
        return {"columns": ["age", "bmi", "diagnosis"]}
    takes = picture["columns"]
    if picture["kind"] == "survival":
        return {"columns": ["age", "sex"], "event_is": ["1"]}
    if picture["kind"] == "over_time":
        return {"columns": ["age"]}
    names = [it for it in ("age", "bmi", "sex", "region") if columns[it].kind == takes["kind"]]
    return {"columns": names[: takes["least"]]}


def offered(told: Told, columns: Mapping[str, DrawableColumn]) -> Iterator[tuple[str, Told]]:
    """Give kind and body of a request of each method, with each end of each parameter."""
    for picture in told["pictures"]:
        body = columns_for(picture, columns)
        for method in picture["methods"]:
            base = {**body, "method": method["name"]}
            yield picture["kind"], base
            by = (picture["by"] or {}).get("rows" if method["rows"] else "columns", [])
            for name in by:
                if name not in body["columns"]:
                    yield picture["kind"], {**base, "by": name}
            for it in picture["parameters"]:
                if not it["fixed"] and method["name"] in (it["methods"] or [method["name"]]):
                    for value in ends(it):
                        yield picture["kind"], {**base, it["name"]: value}


@pytest.mark.parametrize(
    "preset",
    [pytest.param(it, marks=[pytest.mark.slow] * (it != "standard")) for it in PRESETS],
)
def test_all_that_is_offered_is_taken(preset: str, tmp_path: Path) -> None:
    study = opened_under(preset, tmp_path, rows=150 if preset == "research" else None)
    columns = {it.name: it for it in study.session.drawable()}
    asked = list(offered(study_facts(study.session, columns), columns))
    kinds: set[str] = set()
    held_back: list[str] = []
    for kind, body in asked:
        whole = BODIES[kind].model_validate_json(json.dumps(body)).model_dump()
        wish = check(study, columns, kind, whole)
        assert isinstance(wish, Accepted), (kind, body, wish)
        try:
            view = drawn(wish)
        except DiscreetError as error:
            held_back.append(str(error))
        else:
            assert view.kind in (kind, "multiples", f"{kind}_density"), body
            kinds.add(kind)

    assert kinds == set(PLOTS)
    assert [it for it in held_back if not any(reason in it for reason in HELD_BACK)] == []
    assert len(held_back) <= len(asked) / 8
