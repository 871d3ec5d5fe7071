"""Models of four families: held against hand-worked numbers and against other libraries."""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet.errors import InputError, RefusedError
from discreet.regression import estimated, read_model
from discreet.regression.families import concordance

KINDS = {
    **dict.fromkeys(["y", "x", "days", "alk.phos"], "continuous"),
    **dict.fromkeys(["died", "sex"], "categorical"),
}


@pytest.mark.parametrize(
    ("formula", "family", "written", "event"),
    [
        ("y ~ x + sex", "linear", "y ~ x + C(sex)", None),
        ("log(y) ~ x", "linear", "log(y) ~ x", None),
        ("died ~ x", "logistic", "died ~ x", "died"),
        ("y ~ x * sex", "poisson", "y ~ x + C(sex) + x:C(sex)", None),
        (" survival( days ,died )~sex", "cox", "survival(days, died) ~ C(sex)", "died"),
        ("survival(days, `alk.phos`) ~ x", "cox", "survival(days, `alk.phos`) ~ x", "alk.phos"),
    ],
)
def test_a_formula_is_read(formula: str, family: str, written: str, event: str | None) -> None:
    asked = read_model(formula, family, KINDS)
    assert (asked.formula, asked.event, asked.family) == (written, event, family)
    assert event not in asked.numbers


@pytest.mark.parametrize(
    ("formula", "family", "says"),
    [
        (
            "y ~ x",
            "probit",
            "family is unknown; choose one of 'linear', 'logistic', 'poisson', 'cox'",
        ),
        ("y", "cox", "needs one ~"),
        ("y ~ z", "linear", "no column 'z'"),
        ("log(y) ~ x", "logistic", "one column of levels or codes"),
        ("sec ~ x", "logistic", "no column 'sec'; did you mean 'sex'"),
        ("died ~ x + died", "logistic", "is also on the right"),
        ("days ~ x", "cox", r"'survival\(days, died\) ~ age \+ sex'"),
        ("survival(days, dead) ~ x", "cox", "no column 'dead'"),
        ("survival(days, died) ~ died", "cox", "'died' is also on the right"),
        ("survival(days, days) ~ x", "cox", "'days' is also on the right"),
        ("survival(days, died) ~ 0 + x", "cox", "no intercept to remove"),
        ("survival(days, died) ~ x ~ y", "cox", "needs one ~"),
    ],
)
def test_what_is_no_formula_of_a_family_is_refused(formula: str, family: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_model(formula, family, KINDS)


def test_a_logistic_model_of_two_groups_is_its_odds() -> None:
    asked = read_model("died ~ sex", "logistic", KINDS)
    sex = ["f"] * 40 + ["m"] * 40
    died = np.array([i < 10 for i in range(40)] + [i < 20 for i in range(40)])
    found = estimated(asked, {}, {"sex": sex}, died)
    assert found.terms == ("Intercept", "C(sex)[T.m]")
    assert found.values == pytest.approx([math.log(10 / 30), math.log(3)], abs=1e-6)
    assert found.variances[1] == pytest.approx(1 / 10 + 1 / 30 + 1 / 20 + 1 / 20, rel=1e-5)
    assert (found.rows, found.events) == (80, 30)
    # of pairs of an event and none: 20 x 30 in the right order, 10 x 20 in the wrong, ties half
    assert found.quality[1] == pytest.approx((600 + 0.5 * (300 + 400)) / 1500)


def test_a_poisson_model_of_two_groups_is_worked_by_hand() -> None:
    """Means of 2 and 6, whose squared distances are 2 + 2 and 8 + 8, by the squares of 4 and 12."""
    asked = read_model("y ~ sex", "poisson", KINDS)
    counts, sex = [1.0, 3, 1, 3, 4, 8, 4, 8], ["f"] * 4 + ["m"] * 4
    found = estimated(asked, {"y": counts}, {"sex": sex})
    assert found.values == pytest.approx([math.log(2), math.log(3)], abs=1e-8)
    of_f, of_m = 4 / 8**2, 16 / 24**2
    assert found.variances == pytest.approx([8 / 7 * of_f, 8 / 7 * (of_f + of_m)])
    assert (found.rows, found.events, found.freedom) == (8, None, None)
    alone = sum(y * math.log(y / 4) for y in counts)  # of sums that are 0
    left = sum(y * math.log(y / (2 if of == "f" else 6)) for y, of in zip(counts, sex, strict=True))
    assert found.quality[0] == "explained share of the deviance"
    assert found.quality[1] == pytest.approx(1 - left / alone)
    moves = np.asarray(found.moves() if found.moves else None)
    assert 8 / 7 * (moves**2).sum(axis=0) == pytest.approx(found.variances)


def test_a_cox_model_of_three_rows_is_worked_by_hand() -> None:
    """Partial likelihood e^b / (2 e^b + 1) * 1 / (1 + e^b), whose top is at e^b = 1 / sqrt(2)."""
    asked = read_model("survival(days, died) ~ x", "cox", KINDS)
    found = estimated(
        asked, {"days": [1.0, 2.0, 3.0], "x": [1.0, 0.0, 1.0]}, {}, np.array([True, True, False])
    )
    assert found.terms == ("x",)
    assert found.values[0] == pytest.approx(-math.log(2) / 2, abs=1e-6)


def test_far_from_zero_it_is_what_it_is_near_it() -> None:
    random = np.random.default_rng(2)
    x, days = random.normal(size=200), random.exponential(size=200)
    happened = random.uniform(size=200) < 0.6
    asked = read_model("survival(days, died) ~ x", "cox", KINDS)
    found = estimated(asked, {"days": days, "x": x}, {}, happened)
    moved = estimated(asked, {"days": days, "x": 1e6 + 10 * x}, {}, happened)
    assert moved.values * 10 == pytest.approx(found.values, rel=1e-5)
    assert moved.variances * 100 == pytest.approx(found.variances, rel=1e-5)


def test_what_has_no_estimates_is_refused() -> None:
    logistic = read_model("died ~ x + sex", "logistic", KINDS)
    cox = read_model("survival(days, died) ~ x", "cox", KINDS)
    x, sex = np.arange(60.0), ["f", "m"] * 30
    with pytest.raises(RefusedError, match="no finite estimates"):
        estimated(logistic, {"x": x}, {"sex": sex}, x > 30)
    with pytest.raises(RefusedError, match="no finite estimates"):  # no event among the women
        estimated(logistic, {"x": x % 7}, {"sex": sex}, (x % 2 == 1) & (x % 3 == 0))
    with pytest.raises(RefusedError, match="no finite estimates"):
        estimated(cox, {"days": x, "x": x}, {}, x < 59)
    with pytest.raises(RefusedError, match="only one value"):
        estimated(cox, {"days": x, "x": x}, {}, x < 0)
    with pytest.raises(RefusedError, match="as many coefficients as rows"):
        estimated(logistic, {"x": x[:3]}, {"sex": sex[:3]}, x[:3] > 1)
    with pytest.raises(RefusedError, match="no residual variance"):
        estimated(read_model("y ~ x", "linear", KINDS), {"y": 2 * x, "x": x}, {})
    poisson = read_model("y ~ sex", "poisson", KINDS)
    with pytest.raises(RefusedError, match="is a count, 0 or more, and this one has numbers below"):
        estimated(poisson, {"y": x - 1}, {"sex": sex})
    with pytest.raises(RefusedError, match="no finite estimates"):  # none among the men
        estimated(poisson, {"y": 1.0 - x % 2}, {"sex": sex})


def test_concordance_is_that_of_all_pairs() -> None:
    random = np.random.default_rng(7)
    times, risk = random.integers(1, 9, 60).astype(float), random.integers(0, 5, 60).astype(float)
    happened = random.uniform(size=60) < 0.5
    right = pairs = 0.0
    for i in range(60):
        for j in range(60):
            first = times[i] < times[j] or (times[i] == times[j] and not happened[j])
            if happened[i] and first:
                pairs += 1
                right += (risk[i] > risk[j]) + 0.5 * (risk[i] == risk[j])
    assert concordance(times, happened, risk) == pytest.approx(right / pairs)


def rows_with_weights() -> tuple[dict[str, np.ndarray], dict[str, list[str]], np.ndarray]:
    draw = np.random.default_rng(11)
    n = 120
    x, sex = draw.normal(5, 2, n), draw.choice(["f", "m"], n).tolist()
    numbers = {"x": x, "y": 3 + 2 * x + draw.normal(0, 2, n)}
    return numbers, {"sex": sex}, draw.integers(1, 5, n).astype(float)


@pytest.mark.parametrize("family", ["linear", "logistic", "poisson"])
def test_weights_are_the_weighted_equations_and_their_sandwich(family: str) -> None:
    numbers, texts, weights = rows_with_weights()
    numbers["y"] = np.maximum(numbers["y"], 0)
    happened = numbers["y"] > 13 if family == "logistic" else None
    formula = "y ~ x + sex" if happened is None else "died ~ x + sex"
    asked = read_model(formula, family, KINDS)

    found = estimated(asked, numbers, texts, happened, weights)

    matrix = np.column_stack([np.ones(120), numbers["x"], np.array(texts["sex"]) == "m"])
    at = matrix @ found.values
    if family == "linear":
        left, bread = numbers["y"] - at, weights
    elif happened is None:
        left, bread = numbers["y"] - np.exp(at), weights * np.exp(at)
    else:
        chance = 1 / (1 + np.exp(-at))
        left, bread = happened - chance, weights * chance * (1 - chance)
    each = (weights * left)[:, None] * matrix
    assert np.abs(each.sum(axis=0)).max() < 1e-4
    inverse = np.linalg.inv(matrix.T @ (bread[:, None] * matrix))
    expected = inverse @ (each.T @ each) @ inverse * 120 / 119
    assert found.variances == pytest.approx(np.diag(expected), rel=1e-5)
    again = estimated(asked, numbers, texts, happened, weights * 1e6)
    assert again.variances == pytest.approx(found.variances, rel=1e-6)


@pytest.mark.parametrize("family", ["linear", "logistic", "poisson"])
def test_whole_weights_are_rows_repeated_and_ones_are_none(family: str) -> None:
    numbers, texts, weights = rows_with_weights()
    numbers["y"] = np.maximum(numbers["y"], 0)
    happened = numbers["y"] > 13 if family == "logistic" else None
    asked = read_model("y ~ x + sex" if happened is None else "died ~ x + sex", family, KINDS)
    times = weights.astype(int)

    found = estimated(asked, numbers, texts, happened, weights)
    repeated = estimated(
        asked,
        {name: np.repeat(it, times) for name, it in numbers.items()},
        {"sex": np.repeat(texts["sex"], times).tolist()},
        None if happened is None else np.repeat(happened, times),
    )
    ones = estimated(asked, numbers, texts, happened, np.ones(120))
    plain = estimated(asked, numbers, texts, happened)

    assert found.values == pytest.approx(repeated.values, abs=1e-5)
    assert found.quality[1] == pytest.approx(repeated.quality[1], abs=1e-6)
    assert ones.values == pytest.approx(plain.values, abs=1e-5)
    assert ones.quality[1] == pytest.approx(plain.quality[1], abs=1e-6)
    assert (ones.rows, ones.events, found.rows) == (plain.rows, plain.events, 120)


def test_weights_of_what_cannot_be_estimated_are_refused() -> None:
    numbers, texts, weights = rows_with_weights()
    died = read_model("died ~ x", "logistic", KINDS)
    with pytest.raises(RefusedError, match="completely, or nearly so"):
        estimated(died, numbers, texts, numbers["x"] > 5, weights)
    cox = read_model("survival(days, died) ~ x", "cox", KINDS)
    with pytest.raises(InputError, match="a Cox model has no weights here"):
        estimated(cox, {**numbers, "days": numbers["x"]}, texts, numbers["x"] > 5, weights)


# --- by persons -----------------------------------------------------------------------------------


def test_errors_by_persons_by_hand() -> None:
    # Persons with the means 2 and 6 where x is 0, and 2 and 6 where it is 1: each is 2 off its
    # group's 4, half of the group, so 1. Four persons: 4 / 3 of 1 + 1, and of 1 + 1 + 1 + 1.
    asked = read_model("y ~ x", "linear", {"x": "continuous", "y": "continuous"})
    columns = {"x": [0, 0, 0, 0, 1, 1, 1, 1], "y": [1, 3, 5, 7, 2, 2, 6, 6]}
    found = estimated(asked, columns, {}, persons=np.repeat([4, 7, 1, 9], 2))
    assert found.variances == pytest.approx([8 / 3, 16 / 3])
    assert found.persons == 4
    weighted = estimated(
        asked, columns, {}, weights=np.full(8, 3.0), persons=np.repeat([4, 7, 1, 9], 2)
    )
    assert weighted.variances == pytest.approx(found.variances)
    with pytest.raises(RefusedError, match="as many coefficients as there are people"):
        estimated(asked, columns, {}, persons=np.repeat([0, 1], 4))


FAMILIES_BY_PERSONS = {"logistic": ("e ~ x", "logistic"), "cox": ("survival(t, e) ~ x", "cox")}


@pytest.mark.parametrize(
    ("formula", "family"), FAMILIES_BY_PERSONS.values(), ids=FAMILIES_BY_PERSONS
)
def test_persons_whose_rows_agree_count_once(formula: str, family: str) -> None:
    random = np.random.default_rng(8)
    x, t = random.normal(size=300), random.exponential(size=300)
    happened = random.random(300) < 1 / (1 + np.exp(-x))
    kinds = {"x": "continuous", "t": "continuous", "e": "categorical"}
    asked = read_model(formula, family, kinds)
    columns = {"x": x, "t": t} if family == "cox" else {"x": x}
    twice = {name: np.repeat(values, 2) for name, values in columns.items()}
    once = estimated(asked, columns, {}, happened, persons=np.arange(300))
    again = estimated(asked, twice, {}, np.repeat(happened, 2), persons=np.repeat(range(300), 2))
    rows = estimated(asked, columns, {}, happened)
    near = 0.02 if family == "cox" else 1e-5  # ties of Efron and of Breslow
    assert again.variances == pytest.approx(once.variances, rel=near)
    assert once.variances == pytest.approx(rows.variances, rel=0.3)  # as the model holds
