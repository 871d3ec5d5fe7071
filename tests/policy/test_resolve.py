"""Every refusal that needs no data says which parameter it is about, and by which rule."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from discreet.errors import DiscreetError, InputError, RefusedError
from discreet.policy import Policy, resolve
from discreet.table import open_table

TABLE = open_table(
    pa.table({"x": [1.5, 2, 3], "y": [2.5, 1, 0], "sex": ["f", "m", "f"], "ill": ["a", "b", "a"]}),
    kinds={},
    roles={"ill": "sensitive", "sex": "quasi-identifier"},
    unit=None,
    key=None,
)
STANDARD, RESEARCH = Policy.preset("standard"), Policy.preset("research")

REFUSALS: dict[str, tuple[Policy, str, list[str], dict[str, Any], type[DiscreetError], str, str]]
REFUSALS = {
    "no column": (STANDARD, "box", [], {}, InputError, "columns", ""),
    "one axis": (STANDARD, "parallel", ["x"], {}, InputError, "columns", ""),
    "no such column": (STANDARD, "histogram", ["z"], {}, InputError, "columns", ""),
    "by numbers": (STANDARD, "histogram", ["x"], {"by": "y"}, InputError, "by", ""),
    "by itself": (STANDARD, "bars", ["sex"], {"by": "sex"}, InputError, "by", ""),
    "boxes": (STANDARD, "box", ["x", "y"], {"by": "sex"}, InputError, "by", "one column"),
    "points": (
        RESEARCH,
        "scatter",
        ["x", "y"],
        {"by": "sex", "method": "none"},
        InputError,
        "by",
        "points",
    ),
    "no method": (RESEARCH, "bars", ["sex"], {"method": "suppression"}, InputError, "method", ""),
    "raw": (STANDARD, "bars", ["sex"], {"method": "none"}, RefusedError, "method", ""),
    "k": (STANDARD, "histogram", ["x"], {"k": 7}, RefusedError, "numbers", ""),
    "bins": (RESEARCH, "histogram", ["x"], {"bins": 1}, InputError, "numbers", ""),
    "noise": (
        RESEARCH,
        "qq",
        ["x", "y"],
        {"noise_on": "variable"},
        InputError,
        "noise_on",
        "unused",
    ),
    "cost": (
        RESEARCH,
        "parallel",
        ["x", "y"],
        {"method": "none", "cost": "seed"},
        InputError,
        "cost",
        "unused",
    ),
    "limits": (
        RESEARCH,
        "parallel",
        ["x", "y"],
        {"limits": {"z": [0, 1]}},
        InputError,
        "limits",
        "",
    ),
    "no secret": (
        RESEARCH,
        "parallel",
        ["x", "y"],
        {"sensitive": "ill"},
        InputError,
        "sensitive",
        "",
    ),
}


@pytest.mark.parametrize("case", REFUSALS.values(), ids=REFUSALS)
def test_a_refusal_names_its_parameter(case: Any) -> None:
    policy, plot, names, how, error, parameter, rule = case

    with pytest.raises(error, match=r".+") as refused:
        resolve(policy, TABLE, plot, names, **how)

    assert (refused.value.parameter, refused.value.rule) == (parameter, rule)


def test_axes_are_resolved_with_all_that_they_need() -> None:
    found = resolve(RESEARCH, TABLE, "parallel", ["x", "ill"], pixels=900, diversity=3)

    assert (found.axes.pixels, found.axes.diversity) == (500, 3)
    assert dict(found.axes.sensitive) == {"ill": ()}
    assert resolve(STANDARD, TABLE, "parallel", ["x", "y"]).axes.diversity == 1
