"""What a report says in sentences, and what must not be claimed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.measure.attacks import Success
from discreet.measure.evaluate import Measured
from discreet.measure.models import Coefficients
from discreet.measure.pairs import Estimate
from discreet.measure.summary import claims_of, out_of, rings, summary
from discreet.measure.utility import Preservation
from discreet.methods import ROW_METHODS

LEARN, GOOD, NOT, HOW, MISSING = (
    "What somebody could learn about a person",
    "What the table can be used for",
    "What the table cannot be used for",
    "How it was made",
    "What was not measured, or is not shown",
)


def measured(
    risks: Mapping[str, tuple[float, float | None]] | None = None, **more: Any
) -> Measured:
    """Return what was measured, with risks of so many in 1000 and what guessing would give."""
    trials = more.pop("trials", 1000)
    found = {
        key: Estimate(key, count, trials, guess) for key, (count, guess) in (risks or {}).items()
    }
    return Measured(**{"columns": ("age", "pay"), "risks": found, **more})


def said(found: Measured, heading: str, **made: Any) -> str:
    return " ".join(dict(summary(found, made)).get(heading, ()))


def linked(count: float, guess: float | None = 0.001, **more: Any) -> Measured:
    return measured({"linkage": (count, guess)}, **more)


# --- the first sentence, and what rings ---------------------------------------------------------

# What the first sentence says of estimates: of the worst attack, as far as it beats guessing.
WORST = {
    "the only one": (
        {"linkage": (300, 0.001)},
        "finds that person's row, in about 30 of 100 cases; guessing finds about 1 of 1000.",
    ),
    "records that stand in the table": (
        {"linkage": (20, 0.001), "records": (600, 0.02)},
        "is high (half of the cases or more): a person's record appears in the released table",
    ),
    "of records what chance leaves": (
        {"linkage": (80, 0.001), "records": (900, 0.88)},
        "is moderate (5 to 20 of 100 cases): somebody who knows a person's true values",
    ),
    "none beats guessing": ({"linkage": (1, 0.001), "records": (900, 0.9)}, "No attack that was"),
    "the far ones": (
        {"linkage": (80, 0.001), "far_linkage": (700, 0.001)},
        "is high (half of the cases or more): the row of a person who differs most",
    ),
}


@pytest.mark.parametrize(("risks", "says"), WORST.values(), ids=WORST)
def test_the_first_sentence_is_on_the_worst_attack(
    risks: dict[str, tuple[float, float | None]], says: str
) -> None:
    (heading, (first,)), *_ = summary(measured(risks), {"method": "whole"})
    assert heading == "In short"
    assert says in first


def test_an_attack_that_was_made_for_the_report_may_be_the_worst() -> None:
    name, found = "Membership of anybody", Success("of", 0.8, 0.72, 0.86, 0.5, "guessing", 100)
    (_, (first,)), *_ = summary(linked(20), {}, (name, found))
    (_, (loud,)), *_ = summary(linked(500), {}, (name, replace(found, rings=True)))
    assert "(Membership of anybody) is considerable" in first
    assert "right in 80.0 % (72.0 to 86.0 %; guessing 50.0 %), in about 30 of 100 cases" in first
    assert "Membership" not in summary(linked(500), {}, (name, found))[0][1][0]
    assert "Membership of anybody" in loud
    assert "which is more than allowed" in loud


@pytest.mark.parametrize(
    ("risks", "rung"),
    [
        ({"linkage": (300, 0.001)}, False),
        ({"linkage": (600, 0.001)}, True),
        ({"records": (420, 0.22)}, True),
        ({"records": (419, 0.22)}, False),
        ({"records": (300, 0.02), "linkage": (400, 0.001)}, True),
        ({"records": (300, 0.02), "near_5": (400, 0.001)}, True),
        ({"records": (100, 0.02), "linkage": (400, 0.001)}, False),
        ({}, False),
    ],
)
def test_what_rings(risks: dict[str, tuple[float, float | None]], rung: bool) -> None:
    assert rings(measured(risks)) is rung


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0.0149, "about 1 of 100"),
        (0.0049, "about 5 of 1000"),
        (0.00012, "about 1 of 10,000"),
        (0.00004, "fewer than 1 of 10,000"),
        (0.9951, "more than 99 of 100"),
        (0.994, "about 99 of 100"),
    ],
)
def test_shares_are_cases(share: float, words: str) -> None:
    assert out_of(share) == words


@given(st.floats(0, 1))
def test_a_share_is_never_called_none_or_all_unless_it_is(share: float) -> None:
    assert (out_of(share) == "none") == (share == 0)
    assert (out_of(share) == "all") == (share == 1)
    number = re.search(r"about (\d+) of (10,000|\d+)", out_of(share))
    if number:
        many = int(number[2].replace(",", ""))
        assert abs(int(number[1]) / many - share) <= 0.5 / many + 1e-12


FEW = "released rows that fewer than 7 rows share in all columns"
SHARED = {"below_k": Estimate(FEW, 930, 1000)}
KEPT = Preservation(
    means=MappingProxyType({}),
    spreads=MappingProxyType({"age": 0.8, "pay": 0.95}),
    quantiles=MappingProxyType({}),
    correlations=MappingProxyType({("age", "pay"): -0.12}),
    levels=MappingProxyType({}),
)
BY_SEX: dict[str, Any] = {"strata": ("sex",), "sensitive": "ill", "k": 7, "trials": 100}
GUESSES = (
    "The risk of this attack is high (half of the cases or more); guessing alone would find about"
    " as many."
)


def moved(by: float, **more: Any) -> Measured:
    """Return what was measured of a regression one of whose coefficients moved so far."""
    model = Coefficients(
        "y ~ x", "linear", ("Intercept", "x"), np.array([1.0, 2.0]), np.array([0.5, 0.2]), 9.0,
        np.array([1.0, 2.0 + 0.2 * by]), np.array([0.5, 0.2]), 9.0,
    )  # fmt: skip
    return measured(model=model, **more)


NONE, ALL = (
    measured({"linkage": (n, 0.001), "near_5": (n, 0.001)}, rounded_to=5) for n in (0, 1000)
)
NO_FEW = Measured(columns=("age",), risks={"below_k": Estimate(FEW, 0, 1000)})
VARIED = measured({"attribute_disclosure": (0, 0.6)}, l=2, **BY_SEX)
ALONE = measured(strata=("sex", "town"), k=1)
#: What is said of what was measured, below which heading.
SAID: Mapping[str, Sequence[tuple[Measured, str]]] = {
    LEARN: (
        (
            linked(17, 0.01, trials=100),
            "Somebody who knows a person's true values finds that person's row in about "
            "17 of 100 cases; guessing would find it in about 1 of 100.",
        ),
        (
            linked(620),
            "high (half of the cases or more): the row is found about 620 times as often as",
        ),
        (linked(620), "can be found"),
        (linked(300), "considerable (20 to 50 of 100 cases): the row is found about 300 times"),
        (linked(100), "moderate (5 to 20 of 100 cases): the row is found"),
        (linked(20), "low (fewer than 5 of 100 cases): the row is found about 20"),
        (
            linked(3, 0.002),
            "cannot be distinguished from guessing, which says nothing about other attacks",
        ),
        (linked(98, 0.97, trials=100), GUESSES),
        (NONE, "in fewer than 5 of 1000 cases"),
        (ALL, "in all but fewer than 5 of 1000"),
        (
            measured({"far_linkage": (1, 0.01)}, trials=5),
            "Of the 5 records that differ most from the others, about 1 is found",
        ),
        (measured({"far_linkage": (0, 0.01)}, trials=20, rounded_to=5), "hardly any is found"),
        (measured({"far_linkage": (20, 0.01)}, trials=20, rounded_to=5), "nearly all are found"),
        (measured({"near_5": (340, 0.02)}), "About 34 of 100 released rows lie so near"),
        (
            Measured(columns=("age",), risks=SHARED),
            "Columns were rounded one at a time, so the table is not k-anonymous: about 93 of 100"
            f" are {FEW}.",
        ),
        (NO_FEW, f"There are no {FEW}, but this is not guaranteed."),
        (ALONE, "Some row is the only one with its combination of sex and town"),
        (
            measured(strata=("sex",), k=7),
            "Every level of sex that occurs is shared by at least 7 rows.",
        ),
        (
            measured(strata=("sex", "ill"), k=7),
            "Every combination of sex and ill that occurs is shared by at least 7 rows.",
        ),
        (
            measured({"attribute_disclosure": (40, 0.6)}, l=1, **BY_SEX),
            "For about 40 of 100 rows, all rows of the same sex have the same ill",
        ),
        (VARIED, "each has at least 2 different values"),
    ),
    GOOD: (
        (
            measured(displacement={"age": 0.0114, "pay": 0.0473}),
            "about 11 % in age and about 22 % in pay",
        ),
        (measured(u=0.000117), "can hardly do so (U = 0.00012;"),
        (measured(u=1e-33), "can hardly do so (U is below 0.0001;"),
        (measured(u=0.01), "can to some degree do so (U = 0.01;"),
        (measured(preservation=KEPT), "The spread of age changed by more than a tenth."),
        (measured(preservation=KEPT), "The correlations of columns changed by 0.12 at most."),
        (moved(0.5), "no coefficient moved by more than 0.5 of its own"),
        (moved(0.0), "no coefficient moved by more than 0.1 of"),
        (moved(1.5), "gives other answers for x: they differ by more than the original"),
    ),
    NOT: (
        (measured(), "Looking somebody up"),
        (measured(displacement={"age": 0.1, "pay": 1.2}), "Single values of pay: they"),
    ),
    MISSING: (
        (
            measured(not_measured={"linkage": "rows do not correspond.", "else": "no"}),
            "How many people are found by their true values: rows do not correspond. else: no.",
        ),
        (
            measured(not_measured={"linkage": "no rows", "rmd1": "too few", "rmd2": "no rows."}),
            "found by their true values; the robust distance risk (risk2): no rows.",
        ),
    ),
}
NEVER_SAID: Sequence[tuple[Measured, str, str]] = (
    (linked(17, 0.01, trials=100), LEARN, "NOT measured"),
    (linked(17, 0.01, trials=100), LEARN, "one at a time"),
    (linked(300), LEARN, "can be found"),
    (linked(170, None), LEARN, "guessing"),
    (NONE, LEARN, "in no case"),
    (NONE, LEARN, "No released row"),
    (ALL, LEARN, "in every case"),
    (NO_FEW, LEARN, "not k-anonymous"),
    (measured(), NOT, "changed most"),
)


@pytest.mark.parametrize("heading", SAID)
def test_what_is_said(heading: str) -> None:
    for found, words in SAID[heading]:
        assert words in said(found, heading)


def test_what_is_not_said() -> None:
    for found, heading, words in NEVER_SAID:
        assert words not in said(found, heading)


# --- how it was made, and what must not be claimed ------------------------------------------------

METHODS = (*ROW_METHODS, "column-rounding")


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_its_words_and_claims(method: str) -> None:
    how = {"k": 5, "q": 0.5, "rounding": "base", "representative": "mean", "encoding": "region"}
    made = said(measured(), HOW, method=method, **how)
    assert made.endswith(".")
    assert "None" not in made
    assert "changed most" in said(measured(), NOT, method=method)
    averages = method in ("deterministic", "microaggregation", "rounding")
    if averages or method == "probabilistic":
        assert (
            "look more certain than they are" in said(measured(), NOT, method=method)
        ) == averages
    assert len(claims_of(method)) > len(claims_of(None))


@pytest.mark.parametrize("method", [*METHODS, None])
def test_no_release_is_anonymous_or_differentially_private(method: str | None) -> None:
    claims = " ".join(claims_of(method))
    for word in ("anonymous", "differential privacy", "another release", "larger k"):
        assert word in claims


@given(st.floats(0, 1), st.floats(0, 1))
def test_the_summary_itself_makes_none_of_the_claims(share: float, guess: float) -> None:
    for method in ("deterministic", "microaggregation", "rounding", "column-rounding"):
        sentences = summary(linked(1000 * share, guess), {"method": method})
        words = " ".join(it for _, each in sentences for it in each)
        assert not re.search(r"anonym|GDPR|safe|non-disclosive|guarantee", words)


def test_which_methods_are_not_k_anonymous() -> None:
    for method in ("deterministic", "probabilistic", "column-rounding"):
        assert claims_of(method)[0].startswith("k-anonymity of the rows")
    assert "hides whose row it is" in claims_of("column-rounding")[1]
    assert claims_of("rounding") == claims_of("microaggregation")
    assert claims_of("rounding")[0].startswith("k-anonymity of this table together with other")
