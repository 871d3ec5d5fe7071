"""What a form is made of, all of which is taken: names and rules, and no value."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from discreet.explore.facts import plot_facts, study_facts
from discreet.explore.from_copy import DrawableColumn
from discreet.methods import COPY_METHODS, METHODS
from discreet.plots import PLOTS
from discreet.policy import PRESETS, Policy
from discreet.serve.files import drawn
from discreet.serve.requests import BODIES, Accepted, check
from discreet.serve.studies import Served
from tests.serve.cohort import POLICY, cohort, served_of

Told = dict[str, Any]

COLUMNS = (
    DrawableColumn("age", "continuous"),
    DrawableColumn("bmi", "continuous"),
    DrawableColumn("sex", "categorical"),
    DrawableColumn("ill", "categorical"),
)
SEX = 'kinds.sex = "categorical"\n'
ROLES = '[roles]\npatient = "identifier"\ndiagnosis = "sensitive"\n'


def told_of(policy: Policy, columns: tuple[DrawableColumn, ...] = COLUMNS) -> dict[str, Told]:
    """Return the pictures that are told of, by kind."""
    return {it["kind"]: it for it in plot_facts(policy, columns)}


def served_under(preset: str, folder: Path, rows: int | None = None) -> Served:
    """Serve the cohort, or its first rows, under a preset."""
    table = cohort() if rows is None else cohort().slice(0, rows)
    public = "public = true\n" * (preset == "research")
    return served_of(folder, f'preset = "{preset}"\n{public}{SEX}{ROLES}', table)


def study_told(served: Served) -> Told:
    """Return what is told of a study that is served."""
    return study_facts(served.copy, served.columns)


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


@pytest.mark.parametrize(("preset", "k"), [("standard", 5), ("sacro", 10)])
def test_a_guarded_policy_fixes_what_its_copy_was_made_with(preset: str, k: int) -> None:
    told = told_of(Policy.preset(preset))
    k_alone, grid = ("k", k, True), ("grid", None, False)
    assert {kind: numbers_of(picture) for kind, picture in told.items()} == {
        "histogram": [k_alone, ("bins", 20, False), ("overlay", False, False)],
        "correlations": [],
        "density": [],
        "violin": [],
        "ecdf": [],
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
    served = served_of(tmp_path, POLICY)
    columns = {name: served.columns[name] for name in ("age", "bmi", "diagnosis")}
    told = study_facts(served.copy, columns)
    assert told["policy"] == {
        "name": "clinic",
        "regime": "guarded",
        "k": 5,
        "m": 20,
        "round_to": 5,
        "public": False,
        "promise": "Redrawn rows: nobody's. Each group behind them holds at least 20 people.",
    }
    of_all = {"label": None, "unit": None, "dates": False}
    assert told["columns"] == [
        {"name": "age", "kind": "continuous", **of_all},
        {"name": "bmi", "kind": "continuous", **of_all},
        {"name": "diagnosis", "kind": "categorical", **of_all},
    ]
    assert told["pictures"] == plot_facts(served.copy.policy, [*columns.values()])


def test_of_a_public_table_clusters_alone_are_told(tmp_path: Path) -> None:
    told = study_told(served_under("research", tmp_path))
    assert [it["kind"] for it in told["pictures"]] == ["parallel"]
    assert told["tables"] == []
    assert (told["policy"]["public"], told["policy"]["m"]) == (True, None)
    assert told["policy"]["promise"] == "PUBLIC: the rows are those of the table itself."


def test_plots_of_the_copy_say_what_they_take_beside_columns() -> None:
    told = told_of(Policy.preset("standard"))
    ends = {"histogram", "heatmap", "contour", "parallel"}
    assert {kind for kind, it in told.items() if it["limits"]} == ends
    assert {kind for kind, it in told.items() if it["weights"]} == {"bars", "histogram"}
    assert all(it["derivation"] for it in told.values())


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["standard", "research"])
def test_no_value_is_told(preset: str, tmp_path: Path) -> None:
    """Names and rules alone: neither a level, nor how many rows or levels there are."""
    served = served_under(preset, tmp_path)
    text = json.dumps(study_told(served))
    for value in ("north", "severe", "Patient", "patient", "442", str(len(served.copy.whole))):
        assert value not in text, value


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
            if picture["limits"]:
                yield picture["kind"], {**base, "limits": {"age": [30, 60]}}
            for it in picture["parameters"]:
                if not it["fixed"] and method["name"] in (it["methods"] or [method["name"]]):
                    for value in ends(it):
                        yield picture["kind"], {**base, it["name"]: value}


@pytest.mark.parametrize("preset", ["standard", pytest.param("research", marks=pytest.mark.slow)])
def test_all_that_is_offered_is_taken_and_drawn(preset: str, tmp_path: Path) -> None:
    served = served_under(preset, tmp_path, rows=150 if preset == "research" else None)
    told = study_told(served)
    kinds: set[str] = set()
    for kind, body in offered(told, served.columns):
        whole = BODIES[kind].model_validate_json(json.dumps(body)).model_dump()
        wish = check(served.copy, served.columns, kind, whole)
        assert isinstance(wish, Accepted), (kind, body, wish)
        assert drawn(wish).kind in (kind, "multiples", f"{kind}_density"), body
        kinds.add(kind)
    assert kinds == {it["kind"] for it in told["pictures"]}
