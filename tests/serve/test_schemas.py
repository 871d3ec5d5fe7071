"""What a body may hold: what is too much, too little, or of another type, is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from discreet.plots import PLOTS
from discreet.serve.schemas import BODIES, LONGEST_FORMULA, LONGEST_NAME

Body = dict[str, Any]
AB = {"columns": ["a", "b"]}
FORMULA = {"formula": "a ~ b"}

RIGHT: dict[str, tuple[str, Body]] = {
    "columns alone": ("histogram", {"columns": ["a"]}),
    "nothing beside": ("histogram", {"columns": ["a"], "by": None, "k": None, "method": None}),
    "all of a histogram": (
        "histogram",
        {"columns": ["a"], "by": "s", "method": "merge", "k": 5, "q": 0.5, "bins": 20},
    ),
    "all of a scatter": (
        "scatter",
        {**AB, "by": "s", "method": "m", "k": 1, "q": 100, "grid": 2, "trend": True},
    ),
    "all of axes": (
        "parallel",
        {
            **AB,
            "sensitive": ["b"],
            "method": "m",
            "k": 10**6,
            "diversity": 1000,
            "pixels": 450,
            "cost": "span",
            "gradient": False,
        },
    ),
    "no secret": ("parallel", {**AB, "sensitive": []}),
    "as many axes as there may be": ("parallel", {"columns": [f"c{i}" for i in range(24)]}),
    "more pixels than are drawn": ("parallel", {**AB, "pixels": 1_000_000}),
    "as many boxes as there may be": ("box", {"columns": [f"c{i}" for i in range(24)]}),
    "a formula": ("qq", {**FORMULA, "noise_on": "variable"}),
    "a long formula": ("qq", {"formula": "a" * LONGEST_FORMULA}),
    "a long name": ("bars", {"columns": ["a" * LONGEST_NAME]}),
    "a name of signs": ("bars", {"columns": ["'; --\u202e\U0001f600"]}),
    "the least of all": ("heatmap", {**AB, "k": 1, "q": 0.01, "grid": 2}),
}


@pytest.mark.parametrize(("kind", "body"), RIGHT.values(), ids=RIGHT)
def test_what_a_body_may_hold(kind: str, body: Body) -> None:
    read = BODIES[kind].model_validate_json(json.dumps(body)).model_dump()

    assert {name: value for name, value in read.items() if value is not None} == {
        name: value for name, value in body.items() if value is not None
    }


WRONG: dict[str, tuple[str, Any, str]] = {
    # kind, body, the field that is wrong; "" for the whole
    "nothing": ("histogram", None, ""),
    "a list": ("histogram", ["a"], ""),
    "no columns": ("histogram", {}, "columns"),
    "null for columns": ("histogram", {"columns": None}, "columns"),
    "none of the columns": ("histogram", {"columns": []}, "columns"),
    "too many columns": ("histogram", AB, "columns"),
    "too few columns": ("scatter", {"columns": ["a"]}, "columns"),
    "too many axes": ("parallel", {"columns": [f"c{i}" for i in range(25)]}, "columns"),
    "a name for a list": ("histogram", {"columns": "a"}, "columns"),
    "a number for a name": ("histogram", {"columns": [1]}, "columns"),
    "no name": ("histogram", {"columns": [""]}, "columns"),
    "too long a name": ("histogram", {"columns": ["a" * (LONGEST_NAME + 1)]}, "columns"),
    "too long a formula": ("qq", {"formula": "a" * (LONGEST_FORMULA + 1)}, "formula"),
    "no formula": ("qq", {"formula": ""}, "formula"),
    "columns beside a formula": ("qq", {"columns": ["a"], **FORMULA}, "columns"),
    "a formula beside columns": ("histogram", {"columns": ["a"], **FORMULA}, "formula"),
    "another's parameter": ("histogram", {"columns": ["a"], "grid": 30}, "grid"),
    "ends of axes": ("histogram", {"columns": ["a"], "limits": {"a": [0, 1]}}, "limits"),
    "edges": ("histogram", {"columns": ["a"], "edges": {"a": [0, 1]}}, "edges"),
    "a number in words": ("histogram", {"columns": ["a"], "k": "5"}, "k"),
    "half a person": ("histogram", {"columns": ["a"], "k": 5.5}, "k"),
    "a whole number with a point": ("histogram", {"columns": ["a"], "k": 5.0}, "k"),
    "yes for a number": ("histogram", {"columns": ["a"], "k": True}, "k"),
    "nobody": ("histogram", {"columns": ["a"], "k": 0}, "k"),
    "too many persons": ("histogram", {"columns": ["a"], "k": 10**6 + 1}, "k"),
    "a huge number": ("histogram", {"columns": ["a"], "k": 10**40}, "k"),
    "one bar": ("histogram", {"columns": ["a"], "bins": 1}, "bins"),
    "too many bars": ("histogram", {"columns": ["a"], "bins": 1001}, "bins"),
    "no noise": ("scatter", {**AB, "q": 0}, "q"),
    "less than no noise": ("scatter", {**AB, "q": -1}, "q"),
    "a number for yes": ("scatter", {**AB, "trend": 1}, "trend"),
    "a word for yes": ("scatter", {**AB, "trend": "true"}, "trend"),
    "another word": ("parallel", {**AB, "cost": "dear"}, "cost"),
    "noise on all": ("qq", {**FORMULA, "noise_on": "all"}, "noise_on"),
    "pixels between steps": ("parallel", {**AB, "pixels": 425}, "pixels"),
    "few pixels": ("parallel", {**AB, "pixels": 0}, "pixels"),
    "values of a secret": ("parallel", {**AB, "sensitive": {"b": ["x"]}}, "sensitive"),
    "too long a method": ("bars", {"columns": ["a"], "method": "m" * 41}, "method"),
    "a list of levels": ("histogram", {"columns": ["a"], "by": ["s"]}, "by"),
    "a secret of bars": ("bars", {"columns": ["a"], "sensitive": ["a"]}, "sensitive"),
    "levels of a table": ("crosstab", {**AB, "by": "s"}, "by"),
    "an unknown key": ("histogram", {"columns": ["a"], "Canary": 1}, "Canary"),
}


@pytest.mark.parametrize(("kind", "body", "field"), WRONG.values(), ids=WRONG)
def test_what_a_body_may_not_hold(kind: str, body: Any, field: str) -> None:
    with pytest.raises(ValidationError, match=r"validation error") as told:
        BODIES[kind].model_validate_json(json.dumps(body))
    assert {str((*it["loc"], "")[0]) for it in told.value.errors()} == {field}
    assert "input_value" not in str(told.value)


NOT_JSON = [b"", b"{", b"\xff\xfe", b'{"columns": ["a"], "q": NaN}', b'{"columns": ["a"]} x']


@pytest.mark.parametrize("data", NOT_JSON)
def test_what_is_no_json(data: bytes) -> None:
    with pytest.raises(ValidationError, match=r"validation error"):
        BODIES["histogram"].model_validate_json(data)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_a_number_is_finite(number: str) -> None:
    with pytest.raises(ValidationError, match=r"validation error"):
        BODIES["scatter"].model_validate_json(f'{{"columns": ["a", "b"], "q": {number}}}')


@pytest.mark.parametrize("kind", PLOTS)
def test_a_schema_is_told_for_every_picture(kind: str) -> None:
    picture = PLOTS[kind]
    schema = BODIES[kind].model_json_schema()

    assert schema["additionalProperties"] is False
    assert schema["description"] == picture.says
    assert schema["required"] == ["formula" if picture.of_formula else "columns"]
    beside = {"by"} if picture.by else set()
    beside |= {"sensitive"} if kind == "parallel" else set()
    assert set(schema["properties"]) == {
        *schema["required"],
        "method",
        *picture.parameters,
        *beside,
    }
