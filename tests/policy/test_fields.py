"""What each field of a policy may hold: every one is walked, with values that are wrong."""

import dataclasses
import math
from collections.abc import Mapping
from datetime import date, datetime
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from discreet.errors import InputError
from discreet.policy import FIELDS, PAPER_FIELDS, PaperSettings, Policy
from discreet.policy.fields import Field, plain
from tests.policy.test_identity import OF_PAPERS, OTHER

ALL = [*FIELDS, *(f"papers.{name}" for name in PAPER_FIELDS)]

NO_WORD: list[Any] = ["", "Guarded", "standard ", None, 3, True, ["guarded"], {"guarded": 1}]
NO_YES: list[Any] = [None, 0, 1, "true", "yes", [True], 1.0]
NO_NAME: list[Any] = ["", 3, True, ["a"], {"a": "b"}, 1.5]
NO_NUMBER: list[Any] = ["1", True, [1], {"a": 1}, math.nan, math.inf, -math.inf, 1j, 10**400]
NO_WHOLE: list[Any] = [None, 5.0, -1, *NO_NUMBER]
NO_TABLE: list[Any] = [None, "age", 3, True, ["age"], [["age", "continuous"]]]
NO_NAMES: list[Any] = [None, "age", 3, {"age": 1}, [""], [3], [None], [["age"]], ["age", 3]]

# What is no pair of ends, whether they may be infinite or not.
NO_ENDS: list[Any] = [
    {"age": 3},
    {"age": []},
    {"age": [0]},
    {"age": [0, 1, 2]},
    {"age": [1, 0]},
    {"age": [1, 1]},
    {"age": ["0", "1"]},
    {"age": [0, None]},
    {"age": [math.nan, 1]},
    {"age": [0, math.nan]},
    {"age": [0, 10**400]},
    {"age": [False, True]},
    {"age": {"low": 0, "high": 1}},
    {3: [0, 1]},
    {None: [0, 1]},
    *NO_TABLE,
]

# Of every field: what is refused, and what the message says is allowed.
NO_PAIRS: list[Any] = [
    [["age"]],
    [["age", "age"]],
    [["age", "bmi", "glucose"]],
    [["age", "bmi"], ["age"]],
    [["age", ""]],
    [["age", 3]],
    [[["age", "bmi"]]],
    ["ab"],
    ["age", "bmi"],
]
WRONG: Mapping[str, tuple[list[Any], str]] = {
    "name": ([None, *NO_NAME], "a name"),
    "papers": ([3, "research", True, ["bins"]], "a table of the papers' settings"),
    "k": ([0, 10**6 + 1, *NO_WHOLE], "a whole number from 1 to 1000000"),
    "papers.q": ([-0.1, 100.5, *NO_NUMBER], "a number from 0 to 100"),
    "papers.method": (
        ["mdlp", "equal_width", "suppression", "whole", *NO_WORD],
        "one of 'deterministic', 'probabilistic', 'multiplicative', 'condensation', 'mdav',"
        " 'vmdav', 'optimal', 'equal-width', 'equal-frequency', 'kmeans', 'resampling', 'base'",
    ),
    "papers.missing": (["drop", *NO_WORD], "one of 'complete', 'median', 'mean'"),
    "dates": (
        [
            {"visit": "%d/%m"},
            {"visit": "day first"},
            {"visit": 3},
            {"": "%d/%m/%Y"},
            "%d/%m/%Y",
            ["visit"],
        ],
        "a table of columns, each with how its dates are written, such as '%d/%m/%Y'",
    ),
    "missing_values": (
        [
            {"age": 99},
            {"age": ["99"]},
            {"age": [99, 99]},
            {"age": [99, 99.0]},
            {"age": [True]},
            {"age": [math.nan]},
            {"age": [math.inf]},
            {"age": [[99]]},
            {3: [99]},
            *NO_TABLE,
        ],
        "a table of columns, each with a list of different numbers",
    ),
    "papers.missing_levels": (["binomial", *NO_WORD], "one of 'complete', 'level', 'drawn'"),
    "papers.hierarchies": (
        [{"ward": 3}, {"ward": [["a"]]}, {"ward": [["a", 1]]}, {"ward": ["ab"]}, *NO_TABLE],
        "a table of columns, each a CSV file or nested tables of names whose leaves are levels",
    ),
    "ordered": (
        [{"ward": ["a", "a"]}, {"ward": "ab"}, {"ward": [1, 2]}, *NO_TABLE],
        "a table of columns, each with its levels from first to last",
    ),
    "papers.most_suppressed": ([None, -0.01, 1.01, *NO_NUMBER], "a number from 0 to 1"),
    "papers.diversity": ([0, 1001, *NO_WHOLE], "a whole number from 1 to 1000"),
    "papers.closeness": ([None, -0.01, 1.01, *NO_NUMBER], "a number from 0 to 1"),
    "papers.metric": (["manhattan", *NO_WORD], "one of 'euclidean', 'mahalanobis'"),
    "papers.ties": (["random", *NO_WORD], "one of 'keyed', 'tree'"),
    "papers.c": ([0, -1, 5.0, 10**6 + 1, *NO_NUMBER], "a whole number from 1 to 1000000"),
    "answers": ([-1, 5.0, 10**6 + 1, *NO_NUMBER], "a whole number from 0 to 1000000"),
    "answer_noise": ([0, -1, 5.0, 10**6 + 1, *NO_NUMBER], "a whole number from 1 to 1000000"),
    "m": ([0, -1, 5.0, 10**6 + 1, *NO_NUMBER], "a whole number from 1 to 1000000"),
    "left_out": ([0, 0.09, 0.51, None, *NO_NUMBER], "a number from 0.1 to 0.5"),
    "papers.bins": ([1, 0, 1001, *NO_WHOLE], "a whole number from 2 to 1000"),
    "papers.grid": ([1, 0, 1001, *NO_WHOLE], "a whole number from 2 to 1000"),
    "papers.pixels": (
        [0, 25, 49, 51, 399, 550, 1000, -50, *NO_WHOLE],
        "a multiple of 50 from 50 to 500",
    ),
    "tables": ([*NO_PAIRS, *NO_NAMES[1:4]], "a list of pairs of different column names"),
    "round_to": ([0, 1001, *NO_WHOLE], "a whole number from 1 to 1000"),
    "papers.strata": (NO_NAMES, "a list of column names"),
    "limits": (
        [{"age": [0, math.inf]}, {"age": [-math.inf, 0]}, *NO_ENDS],
        "a table of columns, each with a lower and a larger upper number",
    ),
    "papers.edges": (
        [
            {"age": 3},
            {"age": []},
            {"age": [0]},
            {"age": [0, 1, 1]},
            {"age": [0, 2, 1]},
            {"age": [0, 1, math.inf]},
            {"age": [-math.inf, 0]},
            {"age": [0, math.nan, 1]},
            {"age": [0, 1, 10**400]},
            {"age": ["0", "1"]},
            {"age": [0, None, 1]},
            {"age": [False, True]},
            {"age": list(range(102))},
            {"bmi": [0, 1], "age": [1]},
            {3: [0, 1]},
            *NO_TABLE,
        ],
        "a table of columns, each with 2 to 101 numbers that rise",
    ),
    "bounds": (
        [
            {"age": [math.inf, math.inf]},
            {"age": [-math.inf, -math.inf]},
            {"age": [math.inf, 0]},
            {"age": [0, -math.inf]},
            *NO_ENDS,
        ],
        "a table of columns, each with a lower and a larger upper number, or inf",
    ),
    "papers.outside": (["drop", *NO_WORD], "one of 'keep', 'reflect', 'clip'"),
    "papers.far_noise": (["odd", *NO_WORD], "one of 'even', 'by-distance'"),
    "residual_df": ([0, 10**6 + 1, *NO_WHOLE], "a whole number from 1 to 1000000"),
    "kinds": (
        [{"age": "number"}, {"age": None}, {"age": ["continuous"]}, {3: "continuous"}, *NO_TABLE],
        "a table of columns, each one of 'continuous', 'categorical'",
    ),
    "roles": (
        [{"age": "secret"}, {"age": None}, {"age": ["other"]}, {3: "other"}, *NO_TABLE],
        "a table of columns, each one of 'identifier', 'quasi-identifier', 'sensitive', 'other'",
    ),
    "derive": (
        [{"band": 3}, {"band": ""}, {"band": ["age"]}, {"": "age"}, {3: "age"}, *NO_TABLE[1:]],
        "a table of new columns, each an expression of others",
    ),
    "labels": (
        [
            *({"bmi": 3}, {"bmi": ""}, {"bmi": ["BMI"]}, {"": "BMI"}, {3: "BMI"}, *NO_TABLE[1:]),
            *({"bmi": "B" * 81}, {"age": "Age", "bmi": "B" * 1000}),
        ],
        "a table of columns, each with the text that is drawn in place of its name, of at most 80"
        " letters",
    ),
    "withhold": (NO_NAMES[1:] if NO_NAMES[0] is None else NO_NAMES, "a list of column names"),
    "unit": ([*NO_NAME, True, 0], "a name, or false: a row is a person"),
    "key": (NO_NAME, "a name"),
    "study": (NO_NAME, "a name"),
    "public": (NO_YES, "true or false"),
    "versions": ([0, 101, *NO_WHOLE], "a whole number from 1 to 100"),
    "copy": (["", "server", 3, None, ["served"]], "one of 'browser', 'served'"),
    "copy_rows": ([-1, 10**9 + 1, *NO_WHOLE], "a whole number from 0 to 1000000000"),
    "audience": (["", " ", "a" * 201, "two\nlines", 5, ["us"]], "a line of at most 200 letters"),
    "until": (
        ["", "2027", "31.12.2027", "2027-02-30", "20271231", 2027, datetime(2027, 12, 31)],
        "a day, written as 2027-12-31",
    ),
    "combine": (NO_YES, "true or false"),
    "private_files": (NO_YES, "true or false"),
    "copy_bytes": ([-1, 10**10 + 1, *NO_WHOLE], "a whole number from 0 to 10000000000"),
}


def test_every_field_has_a_rule_and_a_table_of_what_breaks_it() -> None:
    declared = {it.name for it in dataclasses.fields(Policy)} - {"folder", "file"}
    assert {*FIELDS} == declared
    assert {*PAPER_FIELDS} == {it.name for it in dataclasses.fields(PaperSettings)}
    assert set(WRONG) == set(ALL)


@pytest.mark.parametrize("field", ALL)
def test_what_is_wrong_is_refused_by_the_name_of_its_field(field: str) -> None:
    values, allowed = WRONG[field]
    for value in values:
        with pytest.raises(InputError, match=rf"^{field} of the policy must be ") as told:
            make(field, value)
        assert str(told.value) == f"{field} of the policy must be {allowed}", value


def make(field: str, value: Any) -> Policy:
    """Make a policy with a value, even if it is None, which `preset` passes over among papers'."""
    _, dot, name = field.partition(".")
    if not dot:
        least = {} if field != "papers" else {"residual_df": 10}
        return Policy.preset("research", **least, **{field: value})
    own = {"method": "deterministic"} | {name: value}
    return Policy.from_dict({"k": 3, "papers": own})


# The ends of what a field may hold, and that it may be empty; laws of test_policy draw the rest.
ENDS: Mapping[str, list[Any]] = {
    "k": [1, 10**6],
    "m": [None, 1, 10**6],
    "answers": [None, 0, 10**6],
    "answer_noise": [None, 1, 10**6],
    "left_out": [0.1, 0.5],
    "round_to": [1, 1000],
    "residual_df": [1, 10**6],
    "versions": [1, 100],
    "copy_rows": [0, 10**9],
    "copy_bytes": [0, 10**10],
    "audience": [None, "a" * 200],
    "until": [None, "0001-01-01", date(2027, 12, 31)],
    "papers": [None, PaperSettings(), PaperSettings(q=0.5)],
    "papers.q": [None, 0, 100],
    "papers.c": [None, 1, 10**6],
    "papers.bins": [2, 1000],
    "papers.grid": [2, 1000],
    "papers.pixels": [50, 500],
    "papers.most_suppressed": [0, 1],
    "papers.closeness": [0, 1],
    "papers.edges": [{}, {"age": (-1, 0)}, {"age": list(range(101))}],
    "limits": [{}, {"age": (-1.5, 2)}, {"age": [np.float64(0), 1e308]}],
    "bounds": [{}, {"age": [0, math.inf], "bmi": (-math.inf, math.inf)}, {"age": [-math.inf, 0]}],
    "missing_values": [{"age": []}, {"age": (-9, 9.5), "income": [-999]}],
    "tables": [None, [], (("age", "bmi"),), [["age", "bmi"], ["bmi", "age"]]],
    "labels": [None, {}, {"bmi": "B" * 80}],
    "derive": [None, {}],
    "withhold": [None, []],
    "unit": [None, "patient", False],
}


def field_of(name: str) -> Field:
    """Return a field by its name, with that of its table."""
    room, dot, own = name.partition(".")
    return PAPER_FIELDS[own] if dot else FIELDS[room]


def test_what_is_right_is_kept() -> None:
    for field, values in ENDS.items():
        of, _, name = field.rpartition(".")
        for value in values:
            policy = make(field, value)
            kept = getattr(policy.papers if of else policy, name)
            assert kept == field_of(field).rule.freeze(value)


def test_a_policy_is_not_made_of_what_can_be_changed() -> None:
    values = {**OTHER, **{f"papers.{name}": value for name, value in OF_PAPERS.items()}}
    tables = {name: value for name, value in values.items() if isinstance(value, dict | list)}
    assert len(tables) == 14
    for field, value in tables.items():
        room, _, name = field.rpartition(".")
        kind: Any = PaperSettings if room else Policy
        with pytest.raises(InputError, match=f"^{field} of the policy must be frozen; use Polic"):
            kind(**{name: value})


FROZEN: list[tuple[str, Any, Any]] = [
    ("kinds", {"age": "continuous"}, MappingProxyType({"age": "continuous"})),
    ("limits", {"age": [0, 120.5]}, MappingProxyType({"age": (0, 120.5)})),
    ("papers.edges", {"age": [0, 1, 2.5]}, MappingProxyType({"age": (0, 1, 2.5)})),
    ("tables", [["age", "bmi"], ("x", "y")], (("age", "bmi"), ("x", "y"))),
    ("papers.strata", ["sex", "ward"], ("sex", "ward")),
    ("k", 5, 5),
    ("tables", "age", "age"),
    ("tables", ["age"], ("age",)),
]


def test_values_are_frozen_all_the_way_and_written_as_plain_ones() -> None:
    for field, given, kept in FROZEN:
        freeze = field_of(field).rule.freeze
        found = freeze(given)
        assert (found, type(found)) == (kept, type(kept))
        assert freeze(found) == found
        written = plain(found)
        assert (freeze(written), type(written)) == (found, type(given))
    assert plain((("age", "bmi"), ("x", "y"))) == [["age", "bmi"], ["x", "y"]]
    assert plain(None) is None


def test_what_was_given_is_copied() -> None:
    limits = {"age": [0, 120]}
    kept = FIELDS["limits"].rule.freeze(limits)
    limits["age"][0] = 7
    limits["bmi"] = [0, 1]
    assert kept == {"age": (0, 120)}
    with pytest.raises(TypeError, match="does not support item assignment"):
        kept["age"] = (7, 8)
