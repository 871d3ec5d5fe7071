"""Opening a study: whatever is declared must fit the table, before anything is asked."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import discreet as dc

TABLE = pa.table(
    {
        "x": [1.0, 2.0, 3.0],
        "y": [3.0, 4.0, 5.0],
        "sex": [1, 2, 1],
        "name": ["u", "v", "w"],
    }
)

WRONG: dict[str, tuple[dict[str, Any], type[dc.DiscreetError], str]] = {
    "a group of levels": ({"groups": [["x", "name"]]}, dc.RefusedError, "'name' identifies"),
    "a group of nothing": ({"groups": [["x", "w"]]}, dc.InputError, "there is no column 'w'"),
    "limits of nothing": ({"policy": {"limits": {"w": (0, 1)}}}, dc.InputError, "no column 'w'"),
    "edges of nothing": ({"policy": {"edges": {"w": (0, 1)}}}, dc.InputError, "no column 'w'"),
    "bounds of nothing": ({"policy": {"bounds": {"w": (0, 1)}}}, dc.InputError, "no column 'w'"),
    "bounds of levels": (
        {"policy": {"bounds": {"sex": (0, 1)}}, "kinds": {"sex": "categorical"}},
        dc.InputError,
        "column 'sex' is categorical; numbers are needed",
    ),
    "another preset": ({"policy": "strict"}, dc.InputError, "policy must be a Policy"),
}


@pytest.mark.parametrize(("given", "error", "match"), WRONG.values(), ids=WRONG)
def test_what_does_not_fit_is_refused_at_the_door(
    given: dict[str, Any], error: type[dc.DiscreetError], match: str
) -> None:
    named = {"policy": "standard"} | given
    if isinstance(named["policy"], dict):
        named["policy"] = dc.Policy.preset("standard", **named["policy"])

    with pytest.raises(error, match=match):
        dc.open(TABLE, **named)


def test_numbers_that_are_named_as_strata_become_levels() -> None:
    study = dc.open(TABLE, strata=["sex"])

    with pytest.raises(dc.InputError, match="column 'sex' is categorical"):
        study.histogram("sex")


def test_single_fields_override_the_policy() -> None:
    study = dc.open(TABLE, "sacro", k=12, rows="deterministic", groups=[["x", "y"]])

    assert (study.policy.name, study.policy.k, study.policy.rows) == ("sacro", 12, "deterministic")
    assert study.groups == (("x", "y"),)
