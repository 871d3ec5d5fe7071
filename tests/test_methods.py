"""Every method says of itself what is shown beside what it makes."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from discreet import rounding
from discreet.arguments import parameters_of
from discreet.errors import InputError
from discreet.methods import METHODS, ROW_METHODS, TABLE_METHODS
from discreet.plots import How

ALL = {**METHODS, **rounding.METHODS}


@pytest.mark.parametrize("name", ALL)
def test_a_method_says_what_it_promises_and_what_not(name: str) -> None:
    method = ALL[name]
    assert method.name == name
    for told in (method.promises, method.leaves_open):
        assert told[0].isupper()
        assert told.endswith(".")


@pytest.mark.parametrize("name", TABLE_METHODS)
def test_a_method_of_tables_states_all_that_others_read_of_it(name: str) -> None:
    method = TABLE_METHODS[name]
    filled = method.sentence.format(
        k=5, q=0.25, rounding="mdav", representative="mean", encoding="region"
    )
    assert filled[0].islower()
    assert "{" not in filled
    assert method.least_k >= 1
    assert method.noise >= 0
    assert all(claim.startswith(("k-anonymity", "that ")) for claim in method.not_claimed)
    assert len(method.not_claimed) >= 2
    assert set(method.declared) <= {item.name for item in dataclasses.fields(How)}


def test_what_rests_on_the_kind_of_a_method() -> None:
    def those(fact: str) -> list[str]:
        return [name for name, method in ROW_METHODS.items() if getattr(method, fact)]

    assert those("by_noise") == ["probabilistic", "multiplicative"]
    assert those("shared_by_k") == ["microaggregation", "rounding"]
    assert those("averages") == ["deterministic", "microaggregation", "rounding"]
    assert [method.least_k for method in ROW_METHODS.values()] == [3, 1, 1, 2, 2, 2]
    assert {name: ROW_METHODS[name].noise for name in those("noise")} == {
        "deterministic": 0.1,
        "probabilistic": 0.25,
        "multiplicative": 0.25,
    }


@pytest.mark.parametrize("name", ALL)
def test_a_method_declares_what_it_may_be_asked_with(name: str) -> None:
    method: Any = ALL[name]
    declared = parameters_of(method)
    usual = {key: 3 for key, each in declared.items() if each.default is dataclasses.MISSING}
    for key, each in declared.items():
        bad = each.least - 1 if each.whole else ("no such word" if each.words else -0.5)
        with pytest.raises(InputError, match=key):
            method(**{**usual, key: bad})
        if each.default is not dataclasses.MISSING:
            each.check(key, each.default)
