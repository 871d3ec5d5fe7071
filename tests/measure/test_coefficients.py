"""Coefficients of two tables: the paper's Table 3, statsmodels' formulas, and by hand."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from scipy import stats

from discreet.errors import InputError, RefusedError
from discreet.measure.models import Coefficients, coefficient_difference
from discreet.protect import deterministic

Columns = dict[str, Any]


def tables(n: int = 200, seed: int = 0) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Make a table and a noisy copy, with outcomes of both kinds."""
    rng = np.random.default_rng(seed)
    x = rng.normal(3, 1, n)
    sex, group = rng.choice(["f", "m"], n), rng.choice(["a", "b", "c"], n)
    y = 1 + 0.5 * x + 0.3 * (sex == "m") + rng.normal(0, 1, n)
    ill = y + rng.logistic(size=n) > 2.5
    frame = {"y": y, "x": x, "z": x + rng.gamma(2, 1, n), "sex": sex, "group": group}
    before = pd.DataFrame({**frame, "ill": ill, "sick": ill.astype(float)})
    after = before.assign(x=x + 0.3 * rng.normal(size=n), y=y + 0.3 * rng.normal(size=n))
    return before, after


def compared(before: Columns, after: Columns, formula: str, same_rows: bool = True) -> Coefficients:
    return coefficient_difference(
        pd.DataFrame(before), pd.DataFrame(after), formula, same_rows=same_rows
    )


PAPER = {
    "Intercept": ("3.519", "0.437", "8.054", "8.00e-16", 0.220),
    "C(Pclass)[T.2]": ("-1.067", "0.286", "-3.732", "0.0002", 0.159),
    "C(Pclass)[T.3]": ("-2.283", "0.281", "-8.135", "4.12e-16", 0.216),
    "C(Sex)[T.male]": ("-2.628", "0.194", "-13.527", "< 2e-16", 0.012),
    "Age": ("-0.033", "0.008", "-4.437", "9.13e-06", 0.205),
    "Fare": ("0.001", "0.002", "0.466", "0.641", 0.223),
    "C(Family)[T.True]": ("-0.091", "0.194", "-0.471", "0.638", 0.010),
}


def test_table_3(shared_data: Callable[[str], Path]) -> None:
    frame = pd.read_csv(shared_data("titanic.csv"))
    frame["Age"] = frame.Age.fillna(frame.Age.median())
    frame["Family"] = frame.SibSp + frame.Parch > 0
    strata = frame.Pclass.astype(str) + frame.Sex + frame.Family.astype(str)
    drawn = deterministic(frame[["Age", "Fare"]].to_numpy(), 3, strata.tolist())
    after = frame.assign(Age=drawn[:, 0], Fare=drawn[:, 1])
    formula = "Survived ~ C(Pclass) + C(Sex) + Age + Fare + C(Family)"

    found = coefficient_difference(frame, after, formula, categorical=["Survived", "Pclass"])

    assert (found.terms, found.model) == (tuple(PAPER), "logistic")
    for i, (estimate, se, z, p, difference) in enumerate(PAPER.values()):
        assert f"{found.original[i]:.3f}" == estimate
        assert f"{found.original_se[i]:.3f}" == se
        assert f"{found.original_statistic[i]:.3f}" == z
        assert _as_printed(found.original_p[i], p)
        assert found.difference[i] == pytest.approx(difference, abs=0.02)
    assert (found.overlap > 0.9).all()


def _as_printed(value: float, printed: str) -> bool:
    if printed.startswith("<"):
        return value < float(printed[1:])
    digits = len(printed.partition(".")[2])
    return printed == (f"{value:.2e}" if "e" in printed else f"{value:.{digits}f}")


FORMULAS = ["y ~ x", "y ~ x + z - 1", "y ~ x * C(sex) + C(group)", "y ~ 0 + C(group) + I(x**2)"]


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("outcome", ["y", "sick"])
def test_as_statsmodels_by_formula(formula: str, outcome: str) -> None:
    formula = formula.replace("y ~", f"{outcome} ~")
    before, after = tables()
    frames = {"original": before, "released": after[:150]}
    fit = {
        "y": lambda f: smf.ols(formula, f).fit(),
        "sick": lambda f: smf.logit(formula, f).fit(disp=0),
    }
    theirs = {name: fit[outcome](frame) for name, frame in frames.items()}

    ours = coefficient_difference(before, frames["released"], formula, same_rows=False)

    assert ours.model == {"y": "linear", "sick": "logistic"}[outcome]
    for name, result in theirs.items():
        spans = getattr(ours, f"{name}_interval")
        # patsy orders the terms differently.
        order = [ours.terms.index(term) for term in result.params.index]
        for mine, other in (
            (getattr(ours, name), result.params),
            (getattr(ours, f"{name}_se"), result.bse),
            (getattr(ours, f"{name}_statistic"), result.tvalues),
            (getattr(ours, f"{name}_p"), result.pvalues),
            (spans[0], result.conf_int()[0]),
            (spans[1], result.conf_int()[1]),
        ):
            np.testing.assert_allclose(mine[order], other, rtol=2e-6, atol=1e-9)


def test_linear_by_hand() -> None:
    # x: 0 to 3, mean 1.5, Sxx 5; b = 3/5, residuals -.1, .3, -.3, .1: s² = .2 / 2 = .1.
    found = compared(
        {"x": [0.0, 1, 2, 3], "y": [0.0, 1, 1, 2]},
        {"x": [0.0, 1, 2, 3], "y": [0.0, 2, 2, 4]},
        "y ~ x",
    )

    se = math.sqrt(0.1 / 5)
    assert (found.original[1], found.released[1]) == (pytest.approx(0.6), pytest.approx(1.2))
    assert (found.original_se[1], found.released_se[1]) == pytest.approx((se, 2 * se))
    assert found.difference[1] == pytest.approx(0.6 / se)
    assert (found.original_df, found.released_df) == (2, 2)
    half = stats.t.ppf(0.975, 2) * se
    # Twice the outcome, twice the interval: -0.008 to 1.208 lies within -0.017 to 2.417.
    assert found.original_interval[1][1] == pytest.approx(0.6 + half)
    assert found.released_interval[0][1] == pytest.approx(1.2 - 2 * half)
    assert found.overlap[1] == pytest.approx((1 + 1 / 2) / 2)


TWO_BY_TWO: Columns = {"g": list("aaaaabbbbb"), "ill": [1, 0, 0, 0, 0, 1, 1, 1, 0, 0]}


@pytest.mark.parametrize(
    "words", [{0: "no", 1: "yes"}, {0: "9", 1: "10"}, {0: "0", 1: "1"}, {0: "", 1: "x"}]
)
def test_logistic_by_hand(words: dict[int, str]) -> None:
    # Odds 1/4 and 3/2: intercept log(1/4), slope log 6, variance the sum of 1 / count of each cell.
    as_words = {**TWO_BY_TWO, "ill": [words[i] for i in TWO_BY_TWO["ill"]]}
    less = {**as_words, "ill": [words[i] for i in [1, 1, 0, 0, 0, 1, 1, 0, 0, 0]]}

    found = compared(as_words, less, "ill ~ C(g)")

    assert (found.model, found.terms) == ("logistic", ("Intercept", "C(g)[T.b]"))
    assert found.original == pytest.approx([math.log(1 / 4), math.log(6)])
    assert found.original_se[1] == pytest.approx(math.sqrt(1 + 1 / 4 + 1 / 3 + 1 / 2))
    assert found.released == pytest.approx([math.log(2 / 3), 0], abs=1e-12)
    assert found.original_df == found.released_df == math.inf
    assert found.difference[1] == pytest.approx(math.log(6) / found.original_se[1])


def test_numbers_0_and_1_yes_and_no_and_codes_are_one_outcome() -> None:
    before, after = tables()
    before, after = (frame.assign(code=np.where(frame.ill, 7, 3)) for frame in (before, after))

    found = [
        coefficient_difference(before, after, f"{name} ~ x + C(sex)", categorical=["code"])
        for name in ("sick", "ill", "code")
    ]

    assert [one.model for one in found] == ["logistic"] * 3
    for one in found[1:]:
        np.testing.assert_array_equal(one.original, found[0].original)
        np.testing.assert_array_equal(one.released_se, found[0].released_se)


def test_equal_tables() -> None:
    before, _ = tables()

    for formula in ("y ~ x + C(group)", "ill ~ x + C(group)"):
        found = coefficient_difference(before, before, formula)
        assert found.difference.tolist() == [0.0] * 4
        assert found.overlap == pytest.approx([1.0] * 4)


@pytest.mark.parametrize(("shift", "sign"), [(0.01, 1), (100.0, -1)])
def test_the_overlap_of_intervals_apart_is_negative(shift: float, sign: int) -> None:
    before, _ = tables()

    found = coefficient_difference(before, before.assign(y=before.y + shift), "y ~ x")

    low, high = found.original_interval
    assert found.overlap[0] == pytest.approx(1 - shift / (high - low)[0])
    assert np.sign(found.overlap[0]) == sign
    assert found.overlap[1] == pytest.approx(1)


@pytest.mark.parametrize("formula", ["y ~ x + C(sex)", "ill ~ x + C(sex)"])
def test_far_from_zero_and_in_other_units(formula: str) -> None:
    before, after = tables()
    near = coefficient_difference(before, after, formula)

    for scale, offset in ((1.0, 1e8), (1e-30, 0.0), (1e30, 0.0)):
        one, other = (frame.assign(x=scale * (frame.x + offset)) for frame in (before, after))
        far = coefficient_difference(one, other, formula)
        assert far.terms == near.terms == ("Intercept", "x", "C(sex)[T.m]")
        np.testing.assert_allclose(far.original[1] * scale, near.original[1], rtol=1e-6)
        np.testing.assert_allclose(far.original[2], near.original[2], rtol=1e-6)
        np.testing.assert_allclose(far.difference[1:], near.difference[1:], rtol=1e-5)
        np.testing.assert_allclose(far.overlap[1:], near.overlap[1:], rtol=1e-6)


def test_order_of_rows() -> None:
    before, after = tables()
    order = np.random.default_rng(1).permutation(len(before))

    for formula in ("y ~ x * C(group)", "ill ~ x + C(group)"):
        one = coefficient_difference(before, after, formula)
        other = coefficient_difference(before.iloc[order], after.iloc[order], formula)
        np.testing.assert_allclose(one.difference, other.difference, rtol=1e-9)


def test_an_outcome_between_backticks() -> None:
    before, after = ({**TWO_BY_TWO, "is ill": TWO_BY_TWO["ill"]} for _ in range(2))

    assert compared(before, after, "`is ill` ~ C(g)").model == "logistic"


def test_a_function_of_0_and_1_is_a_number() -> None:
    before, after = tables()

    assert coefficient_difference(before, after, "I(sick + 1) ~ x").model == "linear"


def test_prints_its_formula_and_plain_values() -> None:
    before, after = tables()

    found = coefficient_difference(before, after, "ill ~ sex + x")

    assert repr(found) == "Coefficients(ill ~ C(sex) + x; logistic)"
    plain = found.to_dict()
    assert json.loads(json.dumps(plain)) == plain
    assert plain["terms"] == ["Intercept", "C(sex)[T.m]", "x"]
    assert plain["original"]["p"] == found.original_p.tolist()
    assert set(plain) == {
        "formula", "model", "terms", "original", "released", "difference", "overlap"
    }  # fmt: skip


WRONG: dict[str, tuple[str, str]] = {
    "unknown column": ("y ~ X", "there is no column 'X'; did you mean 'x'"),
    "unknown outcome": ("who ~ x", "there is no column 'who'"),
    "three levels": ("group ~ x", "the outcome 'group' must have two levels"),
    "outcome on the right": ("ill ~ ill + x", "'ill' stands on the right"),
    "no formula": ("ill", "a formula needs one ~"),
    "python": ("y ~ __import__('os')", "has no place in a formula"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_formulas(case: str) -> None:
    formula, said = WRONG[case]
    before, after = tables()

    with pytest.raises(InputError, match=said):
        coefficient_difference(before, after, formula)


def test_a_formula_that_is_no_text() -> None:
    before, after = tables()

    with pytest.raises(InputError, match="a formula must be text"):
        coefficient_difference(before, after, 3)  # type: ignore[arg-type]


X = [1.0, 2, 3, 4, 5, 6]
REFUSED: dict[str, tuple[Columns, Columns, str, str]] = {
    "level lost": (
        {"y": X, "g": list("aabbcc")},
        {"y": X, "g": list("aabbbb")},
        "y ~ C(g)",
        "column 'g' of the released table lacks a level of the original",
    ),
    "outcome's level lost": (
        {"x": X, "g": list("abaabb")},
        {"x": X, "g": list("aaaaaa")},
        "g ~ x",
        "column 'g' of the released table lacks a level",
    ),
    "no more rows than terms": (
        {"x": X[:2], "y": [1.0, 3]},
        {"x": X[:2], "y": [1.0, 3]},
        "y ~ x",
        "model of the original table: there are no more rows than terms",
    ),
    "singular": (
        {"x": X, "z": [2.0, 1, 4, 3, 6, 6], "y": [1.0, 3, 2, 5, 4, 6]},
        {"x": X, "z": X, "y": [1.0, 3, 2, 5, 4, 6]},
        "y ~ x + z",
        "model of the released table: a term .* follows from the others",
    ),
    "no residual": (
        {"x": X, "y": X},
        {"x": X, "y": X},
        "y ~ x",
        "model of the original table: the model leaves no residual variance",
    ),
    "constant released outcome": (
        {"x": X, "y": [1.0, 3, 2, 5, 4, 6]},
        {"x": X, "y": [2.0] * 6},
        "y ~ x",
        "model of the released table: the model leaves no residual variance",
    ),
    "separated": (
        {"x": X, "y": [0, 1, 0, 1, 0, 1]},
        {"x": X, "y": [0, 0, 0, 1, 1, 1]},
        "y ~ x",
        "model of the released table: no logistic model fits",
    ),
    "separated in one level": (
        {"y": [0, 1, 0, 1, 1, 1], "g": list("aabbcc")},
        {"y": [0, 1, 0, 1, 0, 1], "g": list("aabbcc")},
        "y ~ C(g)",
        "model of the original table: no logistic model fits",
    ),
    "separated but for a tie": (
        {"x": [1.0, 2, 3, 3, 4, 5], "y": [0, 0, 0, 1, 1, 1]},
        {"x": X, "y": [0, 1, 0, 1, 0, 1]},
        "y ~ x",
        "model of the original table: no logistic model fits",
    ),
    "0 and 1 with noise": (
        {"x": X, "y": [0.0, 1, 0, 1, 0, 1]},
        {"x": X, "y": [0.1, 1, 0, 1, 0, 1]},
        "y ~ x",
        "the outcome 'y' is 0 or 1 in the original table and something else",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.filterwarnings("error")
def test_refused(case: str) -> None:
    before, after, formula, said = REFUSED[case]

    with pytest.raises(RefusedError, match=said):
        compared(before, after, formula)
