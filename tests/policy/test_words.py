"""What a policy says in plain words: each field that it sets, once."""

from __future__ import annotations

import dataclasses
import re
import tomllib
from importlib import resources
from typing import Any

import pytest

from discreet.policy import FIELDS, PAPER_FIELDS, PRESETS, Policy
from discreet.policy.words import ALWAYS, words
from tests.policy.test_identity import OF_PAPERS
from tests.policy.test_identity import OTHER as VALUES

# A value of every field that is not the usual one; no level and no number of it is said.
OTHER: dict[str, Any] = {
    **VALUES,
    **{f"papers.{name}": value for name, value in OF_PAPERS.items()},
    "papers": {},
    "papers.method": "mdav",
    "m": 30,
    "k": 7,
    "limits": {"age": [0, 717171]},
    "papers.edges": {"age": [0, 717171]},
    "bounds": {"age": [0, 717171]},
    "missing_values": {"age": [-717171]},
    "papers.hierarchies": {"ward": {"Canary": ["Canary1", "Canary2"]}},
    "ordered": {"ward": ["Canary1", "Canary2"]},
    "roles": {"patient": "identifier", "diagnosis": "sensitive", "age": "other"},
}
NEEDS: dict[str, dict[str, Any]] = {"m": {"k": 7}, "papers.q": {"method": "probabilistic"}}


def policy_with(field: str) -> Policy:
    """Return a policy in which a field holds another value than the usual one."""
    room, dot, name = field.partition(".")
    given = {**NEEDS.get(field, {}), (name if dot else field): OTHER[field]}
    return Policy.from_dict({room: given} if dot else given)


# As notes of the page say: words of the trade that nobody has to know.
NEVER = re.compile(r"\b(k|merge[ds]?|round_to|strat(?:um|a)|suppress\w*)\b(?!-)", re.IGNORECASE)


def said_of(policy: Policy, field: str) -> str:
    (found,) = [it.words for it in words(policy) if it.field == field]
    return found


def test_every_field_has_a_sentence_and_is_tried() -> None:
    assert {*OTHER} == {*FIELDS} | {f"papers.{name}" for name in PAPER_FIELDS}
    assert {*OTHER} >= {*ALWAYS}


@pytest.mark.parametrize("preset", PRESETS)
def test_each_field_that_a_preset_sets_is_said_once(preset: str) -> None:
    text = resources.files("discreet").joinpath("presets", f"{preset}.toml").read_text()
    policy = Policy.preset(preset)
    fields = [it.field for it in words(policy)]
    assert len(fields) == len({*fields})
    always = {it for it in ALWAYS if policy.papers or "." not in it}
    assert {*fields} >= {*tomllib.loads(text)} | always
    usual = Policy()
    differ = {it.name for it in dataclasses.fields(Policy) if it.compare}
    assert {*fields} >= {it for it in differ if getattr(policy, it) != getattr(usual, it)}


@pytest.mark.parametrize("field", OTHER)
def test_each_field_that_is_set_is_said_in_a_plain_sentence(field: str) -> None:
    policy = policy_with(field)
    said = said_of(policy, field)
    assert said[0].isupper() or said[0] == OTHER[field][0]
    assert said.endswith(".")
    assert "  " not in said
    assert " ." not in said
    assert "None" not in said
    assert NEVER.search(said) is None
    usual = Policy.from_dict({"papers": {}} if "." in field else {})
    assert said not in {it.words for it in words(usual)}, "another value says something else"
    told = " ".join(f"{it.words} {it.setting}" for it in words(policy))
    assert re.search("Canary|717171", told) is None, "no value of a column is said"


SETTINGS: list[tuple[dict[str, Any], str, str]] = [
    ({}, "k", "k = 5"),
    ({"papers": {"method": "base"}}, "papers.method", 'papers.method = "base"'),
    ({"papers": {}}, "papers", "papers"),
    ({"k": 7}, "m", "m = 28"),
    ({"private_files": False}, "private_files", "private_files = false"),
    ({"papers": {"strata": ["sex"]}}, "papers.strata", "papers.strata"),
    ({"left_out": 0.3}, "left_out", "left_out = 0.3"),
]


def test_the_setting_stands_beside_it() -> None:
    for given, field, setting in SETTINGS:
        (found,) = [it for it in words(Policy.from_dict(given)) if it.field == field]
        assert found.setting == setting


SAID: list[tuple[dict[str, Any], str, str]] = [
    ({}, "round_to", "Counts are rounded to 5; a count below 5 is not shown."),
    (
        {"roles": {"id": "identifier", "hiv": "sensitive", "cd4": "sensitive"}},
        "roles",
        "What columns tell: hiv and cd4 are sensitive; id is never shown.",
    ),
    (
        {"tables": [["sex", "ward"], ["ward", "died"]]},
        "tables",
        "Put into the copy, as counts with noise, are the cross-tables sex by ward; ward by died.",
    ),
]


def test_what_is_said() -> None:
    for given, field, said in SAID:
        assert said_of(Policy.from_dict(given), field) == said
