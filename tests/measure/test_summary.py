"""What a report says in sentences, and what must not be claimed."""

import re
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
from discreet.measure.summary import claims_of, listed, out_of, per_cent, rings, summary
from discreet.measure.utility import Preservation
from discreet.methods import ROW_METHODS

LEARN, GOOD, NOT = (
    "What somebody could learn about a person",
    "What the table is good for",
    "What the table cannot be used for",
)


def measured(**given: Any) -> Measured:
    return Measured(**{"columns": ("age", "pay"), "risks": {}, **given})


def told(found: Measured, heading: str, **made: Any) -> str:
    return " ".join(dict(summary(found, made)).get(heading, ()))


def linked(count: float, trials: int = 1000, baseline: float | None = 0.001) -> Measured:
    return measured(risks={"linkage": Estimate("linked", count, trials, baseline)})


# What the first sentence says of estimates: of the worst attack, as far as it beats guessing.
WORST = {
    "the only one": (
        {"linkage": (300, 0.001)},
        "finds that person's row, in about 30 of 100 cases; guessing finds about 1 of 1000.",
    ),
    "records that stand in the table": (
        {"linkage": (20, 0.001), "records": (600, 0.02)},
        "is high (half of the cases or more): a person's record stands in the released table",
    ),
    "of records what chance leaves": (
        {"linkage": (80, 0.001), "records": (900, 0.88)},
        "is moderate (5 to 20 of 100 cases): who knows a person's true values",
    ),
    "none beats guessing": ({"linkage": (1, 0.001), "records": (900, 0.9)}, "No attack that was"),
    "the far ones": (
        {"linkage": (80, 0.001), "far_linkage": (700, 0.001)},
        "is high (half of the cases or more): of those who differ most",
    ),
}


@pytest.mark.parametrize(("risks", "says"), WORST.values(), ids=WORST)
def test_the_first_sentence_is_on_the_worst_attack(
    risks: dict[str, tuple[int, float]], says: str
) -> None:
    found = measured(risks={k: Estimate(k, n, 1000, by) for k, (n, by) in risks.items()})
    (heading, (first,)), *_ = summary(found, {"method": "whole"})

    assert heading == "In short"
    assert says in first


def test_an_attack_that_was_made_for_the_report_may_be_the_worst() -> None:
    found = Success("told apart", 0.8, 0.72, 0.86, 0.5, "guessing", 100)
    (_, (first,)), *_ = summary(linked(20), {}, ("Membership of anybody", found))

    assert "(Membership of anybody) is considerable" in first
    assert "right in 80.0 % (72.0 to 86.0 %; guessing 50.0 %), in about 30 of 100 cases" in first
    assert "Membership" not in summary(linked(500), {}, ("Membership of anybody", found))[0][1][0]


def test_an_attack_that_rings_is_the_worst() -> None:
    found = replace(Success("told apart", 0.8, 0.72, 0.86, 0.5, "guessing", 100), rings=True)
    (_, (first,)), *_ = summary(linked(500), {}, ("Membership of anybody", found))

    assert "Membership of anybody" in first
    assert "which is more than it may be" in first


@pytest.mark.parametrize(
    ("risks", "rung"),
    [
        ({"linkage": (300, 0.001)}, False),
        ({"linkage": (600, 0.001)}, True),
        ({"records": (300, 0.02)}, True),
        ({"records": (420, 0.22)}, True),
        ({"records": (419, 0.22)}, False),
        ({"records": (900, 0.88)}, False),
        ({"records": (300, 0.02), "linkage": (400, 0.001)}, True),
        ({"records": (300, 0.02), "near_5": (400, 0.001)}, True),
        ({"records": (100, 0.02), "linkage": (400, 0.001)}, False),
        ({}, False),
    ],
)
def test_what_rings(risks: dict[str, tuple[int, float]], rung: bool) -> None:
    found = measured(risks={k: Estimate(k, n, 1000, by) for k, (n, by) in risks.items()})

    assert rings(found) is rung


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0.174, "about 17 of 100"),
        (0.0149, "about 1 of 100"),
        (0.0049, "about 5 of 1000"),
        (0.00012, "about 1 of 10,000"),
        (0.00004, "fewer than 1 of 10,000"),
        (0.9951, "more than 99 of 100"),
        (0.994, "about 99 of 100"),
        (0.0, "none"),
        (1.0, "all"),
    ],
)
def test_shares_are_cases(share: float, words: str) -> None:
    assert out_of(share) == words


@given(st.floats(0, 1))
def test_a_share_is_never_told_as_none_or_all_unless_it_is(share: float) -> None:
    assert (out_of(share) == "none") == (share == 0)
    assert (out_of(share) == "all") == (share == 1)
    number = re.search(r"about (\d+) of (10,000|\d+)", out_of(share))
    if number:
        many = int(number[2].replace(",", ""))
        assert abs(int(number[1]) / many - share) <= 0.5 / many + 1e-12


@pytest.mark.parametrize(
    ("share", "words"),
    [(0.107, "about 11 %"), (0.004, "less than 1 %"), (0.0, "0 %"), (1.7, "about 170 %")],
)
def test_displacements_are_whole_per_cents(share: float, words: str) -> None:
    assert per_cent(share) == words


def test_names_are_joined_as_in_a_sentence() -> None:
    assert listed(["a"]) == "a"
    assert listed(("a", "b", "c")) == "a, b and c"


class TestLinkage:
    def test_the_sentence_of_the_issue(self) -> None:
        assert told(linked(17, 100, 0.01), LEARN).startswith(
            "Someone who knows a person's true values finds that person's row in about 17 of 100"
            " cases; guessing would find it in about 1 of 100."
        )

    @pytest.mark.parametrize(
        ("count", "words"),
        [
            (620, "high (half of the cases or more): the row is found about 620 times as often as"),
            (300, "considerable (20 to 50 of 100 cases): the row is found about 300 times"),
            (100, "moderate (5 to 20 of 100 cases): the row is found about 100 times"),
            (20, "low (fewer than 5 of 100 cases): the row is found about 20 times as often as by"),
            (0, "in no case; guessing would find it in about 1 of 1000. The risk of this"),
            (0, "cases); it cannot be told apart from guessing, which says nothing of other"),
            (1000, "in every case; guessing"),
        ],
    )
    def test_the_risk_has_a_word_and_is_held_beside_guessing(self, count: int, words: str) -> None:
        assert words in told(linked(count), LEARN)

    def test_a_high_risk_says_what_follows(self) -> None:
        assert "must be taken as found" in told(linked(620), LEARN)
        assert "must be taken as found" not in told(linked(300), LEARN)

    def test_what_does_not_beat_guessing_proves_nothing(self) -> None:
        words = told(linked(3, 1000, 0.002), LEARN)
        assert "cannot be told apart from guessing, which says nothing of other attacks" in words

    def test_where_guessing_finds_people_too_the_risk_is_high_all_the_same(self) -> None:
        words = told(linked(98, 100, 0.97), LEARN)
        said = "The risk of this attack is high (half of the cases or more); guessing alone would"
        assert f"{said} find about as many." in words
        assert "must be taken as found" in words

    @pytest.mark.parametrize(
        ("count", "words"),
        [(0, "in fewer than 5 of 1000 cases"), (1000, "in all but fewer than 5 of 1000 cases")],
    )
    def test_of_rounded_counts_none_and_all_are_not_told(self, count: int, words: str) -> None:
        risks = {key: Estimate(key, count, 1000, 0.001) for key in ("linkage", "near_5")}
        sentences = told(measured(risks=risks, rounded_to=5), LEARN)
        assert words in sentences
        share = words.removeprefix("in ").removesuffix(" cases").capitalize()
        assert f"{share} released rows lie" in sentences
        assert "in no case" not in sentences
        assert "No released row" not in sentences

    def test_without_guessing_nothing_is_held_beside_it(self) -> None:
        assert "guessing" not in told(linked(170, baseline=None), LEARN)

    @pytest.mark.parametrize(
        ("count", "words"), [(0, "none is found"), (1, "about 1 is found"), (5, "all are found")]
    )
    def test_the_farthest_are_counted(self, count: int, words: str) -> None:
        found = measured(risks={"far_linkage": Estimate("far", count, 5, 0.01)})
        assert f"Of the 5 records that differ most from the others, {words}" in told(found, LEARN)

    @pytest.mark.parametrize(("count", "words"), [(0, "hardly any is"), (20, "nearly all are")])
    def test_the_farthest_are_counted_coarsely(self, count: int, words: str) -> None:
        risks = {"far_linkage": Estimate("far", count, 20, 0.01)}
        assert f"{words} found" in told(measured(risks=risks, rounded_to=5), LEARN)

    @pytest.mark.parametrize(
        ("count", "words"),
        [
            (340, "About 34 of 100 released rows lie so near"),
            (0, "No released row lies so near"),
            (1000, "All released rows lie so near"),
        ],
    )
    def test_nearness(self, count: int, words: str) -> None:
        found = measured(risks={"near_5": Estimate("near", count, 1000, 0.02)})
        assert words in told(found, LEARN)
        assert "by chance about 2 of 100 would" in told(found, LEARN)


FEW = "released rows that fewer than 7 rows share in all columns"


class TestShared:
    @pytest.mark.parametrize(
        ("count", "words"), [(930, "about 93 of 100"), (1, "about 1 of 1000"), (1000, "all")]
    )
    def test_rows_that_few_share_are_told_as_a_share(self, count: int, words: str) -> None:
        found = measured(risks={"below_k": Estimate(FEW, count, 1000)})
        assert told(found, LEARN).endswith(
            "Columns were rounded one at a time, so the table is not k-anonymous:"
            f" {words} are {FEW}."
        )

    def test_that_all_are_shared_is_no_promise(self) -> None:
        said = told(measured(risks={"below_k": Estimate(FEW, 0, 1000)}), LEARN)
        assert said.endswith(f"There are no {FEW}; but nothing promises that.")
        assert "not k-anonymous" not in said

    def test_it_is_said_of_columns_that_were_rounded_alone(self) -> None:
        for found in (measured(), linked(17)):
            assert "one at a time" not in told(found, LEARN)

    def test_it_stands_between_the_persons_found_and_the_strata(self) -> None:
        risks = {
            "linkage": Estimate("linked", 1, 100, 0.01),
            "near_5": Estimate("near", 1, 100, 0.01),
            "below_k": Estimate("few", 9, 100),
        }
        said = told(measured(risks=risks, strata=("sex",), k=7), LEARN)
        places = [said.index(words) for words in ("so near", "one at a time", "level of sex")]
        assert places == sorted(places)


class TestStrata:
    def test_alone_in_a_stratum(self) -> None:
        words = told(measured(strata=("sex", "town"), k=1), LEARN)
        assert "Some row is the only one of its combination of sex and town" in words

    def test_shared_strata(self) -> None:
        one, two = (told(measured(strata=some, k=7), LEARN) for some in (("sex",), ("sex", "ill")))
        assert one.endswith("Every level of sex that occurs is shared by at least 7 rows.")
        assert "Every combination of sex and ill that occurs is shared by at least 7 rows." in two

    def test_a_main_risk_that_was_not_measured_is_missed_aloud(self) -> None:
        assert "was NOT measured here" in told(measured(strata=("sex",), k=7), LEARN)
        assert "NOT measured" not in told(linked(17, 100, 0.01), LEARN)

    def test_the_sensitive_column(self) -> None:
        given: dict[str, Any] = {"strata": ("sex",), "sensitive": "ill", "k": 7, "l": 1}
        found = Estimate("given away", 40, 100, 0.6)
        words = told(measured(risks={"attribute_disclosure": found}, **given), LEARN)
        assert "For about 40 of 100 rows, all rows of the same sex have the same ill" in words

    def test_a_varied_sensitive_column_may_still_be_guessed(self) -> None:
        given: dict[str, Any] = {"strata": ("sex",), "sensitive": "ill", "k": 7, "l": 2}
        found = Estimate("given away", 0, 100, 0.6)
        words = told(measured(risks={"attribute_disclosure": found}, **given), LEARN)
        assert "each has at least 2 different values" in words
        assert "may still be likely" in words


class TestUse:
    def test_displacements_are_told_as_shares_of_the_spread(self) -> None:
        words = told(measured(displacement={"age": 0.0114, "pay": 0.0473}), GOOD)
        assert "about 11 % in age and about 22 % in pay" in words

    @pytest.mark.parametrize(
        ("u", "words"),
        [
            (0.000117, "can hardly do so (U = 0.00012;"),
            (1e-33, "can hardly do so (U is below 0.0001;"),
            (0.01, "can to some degree do so (U = 0.01;"),
            (0.24, "can easily do so (U = 0.24;"),
        ],
    )
    def test_telling_the_tables_apart(self, u: float, words: str) -> None:
        assert words in told(measured(u=u), GOOD)
        assert "averages alone" in told(measured(u=u), GOOD)

    def test_summaries(self) -> None:
        kept = Preservation(
            means=MappingProxyType({}),
            spreads=MappingProxyType({"age": 0.8, "pay": 0.95}),
            quantiles=MappingProxyType({}),
            correlations=MappingProxyType({("age", "pay"): -0.12}),
            levels=MappingProxyType({}),
        )
        words = told(measured(preservation=kept), GOOD)
        assert "The spread of age changed by more than a tenth." in words
        assert "The correlations of columns changed by 0.12 at most." in words

    @pytest.mark.parametrize(
        ("moved", "words"),
        [
            (0.5, "no coefficient moved by more than 0.5 of its own uncertainty"),
            (0.42, "no coefficient moved by more than 0.5 of its own uncertainty"),
            (0.0, "no coefficient moved by more than 0.1 of its own uncertainty"),
            (1.5, "gives other answers for x: they differ by more than the original"),
        ],
    )
    def test_a_regression(self, moved: float, words: str) -> None:
        model = Coefficients(
            "y ~ x", "linear", ("Intercept", "x"), np.array([1.0, 2.0]), np.array([0.5, 0.2]), 9.0,
            np.array([1.0, 2.0 + 0.2 * moved]), np.array([0.5, 0.2]), 9.0,
        )  # fmt: skip
        assert words in told(measured(model=model), GOOD)
        if moved == 0.0:  # rounding may hide a tenth
            assert "more than 0.1 of" in told(measured(model=model, rounded_to=5), GOOD)


class TestLimits:
    def test_of_somebody_elses_table_it_is_not_said_what_was_changed(self) -> None:
        assert "Looking somebody up" in told(measured(), NOT)
        assert "changed most" not in told(measured(), NOT)
        assert "changed most" in told(measured(), NOT, method="probabilistic")

    @pytest.mark.parametrize("method", ["deterministic", "microaggregation", "rounding"])
    def test_averaged_rows_make_results_look_surer(self, method: str) -> None:
        assert "look surer than they are" in told(measured(), NOT, method=method)
        assert "look surer" not in told(measured(), NOT, method="probabilistic")

    def test_columns_that_moved_further_than_they_differ_are_named(self) -> None:
        assert "Single values of pay: they moved" in told(
            measured(displacement={"age": 0.1, "pay": 1.2}), NOT
        )

    def test_a_reason_of_several_stands_once(self) -> None:
        found = measured(not_measured={"linkage": "no rows", "rmd1": "too few", "rmd2": "no rows."})
        told = dict(summary(found, {}))["What was not measured, or is not shown"]

        assert len(told) == 2
        assert told[0].startswith("How many persons are found by their true values; the robust")
        assert told[0].endswith("(risk2): no rows.")

    def test_what_was_not_measured_is_told_with_the_reason(self) -> None:
        found = measured(not_measured={"linkage": "rows do not correspond.", "else": "no"})
        assert told(found, "What was not measured, or is not shown") == (
            "How many persons are found by their true values: rows do not correspond. else: no."
        )


class TestMadeAndClaims:
    @pytest.mark.parametrize(
        ("made", "words"),
        [
            ({"method": "deterministic", "k": 3}, "Each value was replaced by the mean of 3"),
            ({"method": "microaggregation", "k": 5}, "groups of at least 5, and each row shows"),
            ({"method": "condensation", "k": 5}, "each row was drawn anew"),
            ({"method": "probabilistic", "q": 0.25}, "(q = 0.25)."),
            (
                {"method": "rounding", "k": 7, "rounding": "kmeans"},
                "Similar records were put into groups of at least 7 (found by kmeans), and each row"
                " shows its group's means.",
            ),
            (
                {
                    "method": "column-rounding",
                    "rounding": "optimal",
                    "representative": "median",
                    "encoding": "nearest",
                },
                "Each column was rounded by itself: every value became one of a few points (found"
                " by optimal; the median of a region stands for it; encoding: nearest).",
            ),
        ],
    )
    def test_methods_are_told_in_words(self, made: dict[str, Any], words: str) -> None:
        assert words in told(measured(), "How it was made", **made)

    def test_an_unknown_method_is_not_told(self) -> None:
        assert "How it was made" not in dict(summary(measured(), {"method": "somebody else's"}))

    @pytest.mark.parametrize("method", [*ROW_METHODS, "column-rounding"])
    def test_every_method_of_rows_is_told(self, method: str) -> None:
        how = {"k": 5, "q": 0.5, "rounding": "base", "representative": "mean", "encoding": "region"}
        told_of = told(measured(), "How it was made", method=method, **how)
        assert told_of.endswith(".")
        assert "None" not in told_of

    @given(st.floats(0, 1), st.floats(0, 1))
    def test_the_summary_itself_makes_none_of_the_claims(self, share: float, guess: float) -> None:
        found = linked(1000 * share, 1000, guess)
        for method in ("deterministic", "microaggregation", "rounding", "column-rounding"):
            words = " ".join(s for _, told in summary(found, {"method": method}) for s in told)
            assert not re.search(r"anonym|GDPR|safe|non-disclosive|guarantee", words)


# --- What must not be claimed of a table, whatever it was made by -------------------------------


@pytest.mark.parametrize("method", [*ROW_METHODS, "column-rounding"])
def test_every_method_of_rows_has_what_must_not_be_claimed(method: str) -> None:
    assert len(claims_of(method)) > len(claims_of(None))


@pytest.mark.parametrize("method", [*ROW_METHODS, "column-rounding", None])
def test_no_release_is_anonymous_or_differentially_private(method: str | None) -> None:
    claims = " ".join(claims_of(method))
    for word in ("anonymous", "differential privacy", "another release", "larger k"):
        assert word in claims


def test_centroids_and_noise_are_not_k_anonymous() -> None:
    assert claims_of("deterministic")[0].startswith("k-anonymity of the rows")
    assert claims_of("probabilistic")[0].startswith("k-anonymity of the rows")


def test_columns_rounded_alone_are_not_k_anonymous_and_rows_rounded_are() -> None:
    assert claims_of("column-rounding")[0].startswith("k-anonymity of the rows")
    assert "hides whose row it is" in claims_of("column-rounding")[1]
    assert claims_of("rounding") == claims_of("microaggregation")
    assert claims_of("rounding")[0].startswith("k-anonymity of this table together with other")
