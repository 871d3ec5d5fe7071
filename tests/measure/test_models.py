"""Models of released and rounded data: against plain twins, and what is refused."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats
from sklearn.datasets import load_iris, load_wine
from sklearn.tree import DecisionTreeClassifier

from discreet.errors import InputError, RefusedError
from discreet.measure import models as module
from discreet.measure.models import (
    Coefficients,
    coefficient_difference,
    folds_of,
    regression_on,
    tree_on,
)
from discreet.methods import deterministic

Floats = NDArray[np.float64]
Labels = NDArray[np.intp]


def rounded(x: Floats, size: int) -> Floats:
    """Round each column to the means of `size` neighbours."""
    frame = pd.DataFrame(x)
    ranks = frame.rank(method="first").sub(1).floordiv(size)
    return np.column_stack([frame[j].groupby(ranks[j]).transform("mean") for j in frame])


def boston(path: Path) -> tuple[Floats, Floats]:
    table = pd.read_csv(path).to_numpy(dtype=float)
    return table[:, :-1], table[:, -1]


@given(st.integers(2, 12), st.integers(12, 40), st.randoms(use_true_random=False))
def test_folds_are_even_and_belong_to_the_rows(folds: int, n: int, chance: Any) -> None:
    x = np.arange(n, dtype=float)[:, None] ** 2
    order = chance.sample(range(n), n)
    part = folds_of(x, folds)
    sizes = np.bincount(part, minlength=folds)
    assert sizes.sum() == n
    assert np.ptp(sizes) <= 1
    assert (folds_of(x[order], folds) == part[order]).all()


@given(st.integers(2, 8), st.lists(st.integers(0, 2), min_size=8, max_size=40))
def test_classes_are_dealt_evenly(folds: int, classes: list[int]) -> None:
    codes = np.array(classes, dtype=np.intp)
    part = folds_of(np.arange(len(codes), dtype=float)[:, None], folds, codes)
    assert np.ptp(np.bincount(part, minlength=folds)) <= 1
    for level in range(3):
        assert np.ptp(np.bincount(part[codes == level], minlength=folds)) <= 1


def test_on_a_line_by_hand() -> None:
    # the slope through any two of the points 1.5, 2 and 5.5, 6 and 9.5, 10 is 1, the step .5
    x = np.array([[1.0], [2], [5], [6], [9], [10]])
    y = x[:, 0] * 3
    found = regression_on(x, y, rounded(x, 2), rounded(y[:, None], 2)[:, 0] + 1, folds=2)
    assert found.mse == pytest.approx(1)
    assert found.r2 == pytest.approx(1)
    assert found.mse_by_fold == pytest.approx((1, 1))
    assert str(found) == "linear regression: MSE 1, R² 1.000"


def test_a_constant_target() -> None:
    x = np.arange(6.0)[:, None]
    y = np.array([0.0, 2, 4, 6, 8, 10])
    found = regression_on(x, y, x, np.full(6, 5.0), folds=3)
    assert found.mse == pytest.approx(np.var(y))
    assert found.r2 is None
    assert str(found).endswith("R² none")
    assert json.loads(json.dumps(found.to_dict()))["r2"] is None


def plain_regression(
    x: Floats, y: Floats, rx: Floats, ry: Floats, part: Labels
) -> tuple[float, float]:
    """Solve each fold's least squares with an intercept, and the whole table's."""

    def solved(a: Floats, b: Floats) -> Floats:
        design = np.column_stack([np.ones(len(a)), a])
        beta: Floats = np.asarray(np.linalg.lstsq(design, b, rcond=None)[0], dtype=np.float64)
        return beta

    def predicted(beta: Floats, a: Floats) -> Floats:
        out: Floats = beta[0] + a @ beta[1:]
        return out

    squares = 0.0
    for fold in range(part.max() + 1):
        out = part == fold
        beta = solved(rx[~out], ry[~out])
        squares += np.square(y[out] - predicted(beta, x[out])).sum()
    residual = ry - predicted(solved(rx, ry), rx)
    return squares / len(y), 1 - np.square(residual).sum() / np.square(ry - ry.mean()).sum()


@pytest.mark.parametrize(("size", "folds"), [(1, 10), (25, 3)])
def test_formulas_on_real_data(shared_data: Callable[[str], Path], size: int, folds: int) -> None:
    x, y = boston(shared_data("boston.csv"))
    rx, ry = rounded(x, size), rounded(y[:, None], size)[:, 0]
    z = (x - x.mean(axis=0)) / x.std(axis=0, ddof=1)
    part = folds_of(np.column_stack([x, y]), folds)
    rz = (rx - x.mean(axis=0)) / x.std(axis=0, ddof=1)
    found = regression_on(x, y, rx, ry, folds)
    assert (found.mse, found.r2) == pytest.approx(plain_regression(z, y, rz, ry, part), rel=1e-8)
    counts = np.bincount(part)
    assert found.mse == pytest.approx(np.average(found.mse_by_fold, weights=counts))


def test_columns_that_depend_on_one_another_or_stay_constant() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(80, 2))
    y = x.sum(axis=1) + rng.normal(size=80)
    more = np.column_stack([x, x[:, 0] - x[:, 1], np.full(80, 7.0)])
    # rows are dealt by all their values, so those that follow are told by the folds alone
    one = regression_on(more, y, more, y)
    mse, r2 = plain_regression(x, y, x, y, folds_of(np.column_stack([more[:, :3], y]), 10))
    assert (one.mse, one.r2) == pytest.approx((mse, r2))


def test_a_tree_by_hand() -> None:
    # rounding moves 25 to 29 over to the points of the other class: 5 rows of 50 are lost
    x = np.arange(50.0)[:, None]
    classes = ["low"] * 30 + ["high"] * 20
    moved = np.where(x < 25, 10.0, 40.0)
    found = tree_on(x, classes, moved, folds=5)
    assert found.acc_v == found.acc_o == 45 / 50
    assert found.baseline == 30 / 50
    assert len(found.acc_v_by_fold) == 5
    assert str(found) == (
        "decision tree: accuracy 90.0 % on rounded rows, 90.0 % on original rows (most common"
        " class 60.0 %)"
    )
    assert json.loads(json.dumps(found.to_dict()))["acc_o"] == 0.9


def test_rounded_and_original_rows_are_told_apart() -> None:
    # rounded 0 and 10, so the tree splits at 5; of the originals, 6 of 30 lie beyond it
    low, high = np.linspace(0, 6.1, 30), np.linspace(9, 12, 30)
    x = np.concatenate([low, high])[:, None]
    found = tree_on(x, [0] * 30 + [1] * 30, np.repeat([0.0, 10.0], 30)[:, None], folds=3)
    assert found.acc_v == 1
    assert found.acc_o == 1 - (low > 5).sum() / 60


def plain_tree(x: Floats, y: Labels, rx: Floats, part: Labels) -> tuple[float, float]:
    """Grow a tree on the rounded rows of all folds but one, and ask it of those of that one."""
    right_v = right_o = 0
    for fold in range(part.max() + 1):
        out = part == fold
        shares = np.bincount(y[~out]) / (~out).sum()
        tree = DecisionTreeClassifier(
            min_samples_split=20,
            min_samples_leaf=7,
            max_depth=30,
            ccp_alpha=0.01 * (1 - np.square(shares).sum()),
            random_state=0,
        ).fit(rx[~out], y[~out])
        right_v += (tree.predict(rx[out]) == y[out]).sum()
        right_o += (tree.predict(x[out]) == y[out]).sum()
    return right_v / len(y), right_o / len(y)


@pytest.mark.parametrize(("load", "size"), [(load_iris, 1), (load_wine, 10), (load_iris, 25)])
def test_formulas_on_flowers_and_wine(load: Callable[..., Any], size: int) -> None:
    x, y = load(return_X_y=True)
    rx = rounded(x, size)
    part = folds_of(np.column_stack([x, y]), 10, y)
    names = np.array(["a", "b", "c"])[y]
    z, rz = ((of - x.mean(axis=0)) / x.std(axis=0, ddof=1) for of in (x, rx))
    found = tree_on(x, names, rx)
    # iris has equal rows of one class, which are interchangeable
    assert (found.acc_v, found.acc_o) == pytest.approx(plain_tree(z, y, rz, part))
    assert found.baseline == np.bincount(y).max() / len(y)
    assert found.acc_v > 0.85
    if size == 1:
        assert found.acc_v == found.acc_o


@pytest.mark.slow
def test_permuted_rows_change_no_bit_and_units_nothing() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(60, 2))
    y = x[:, 0] + rng.normal(size=60)
    rx, ry, classes = x.round(0), y.round(0), np.where(x[:, 1] > 0, "up", "down")
    line, tree = regression_on(x, y, rx, ry), tree_on(x, classes, rx)
    for order in (rng.permutation(60) for _ in range(10)):
        assert regression_on(x[order], y[order], rx[order], ry[order]) == line
        assert tree_on(x[order], classes[order], rx[order]) == tree
    for factor in (0.25, 1e6):  # turned round, ranks change, and so do the folds
        assert regression_on(factor * x, y, factor * rx, ry).mse == pytest.approx(line.mse)
        assert tree_on(factor * x, classes, factor * rx) == tree


@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_far_from_zero(offset: float) -> None:
    x = np.random.default_rng(4).uniform(size=(200, 2)).round(4) + offset
    y = x[:, 0] - offset
    classes = x[:, 1] - offset > 0.5
    assert regression_on(x, y, x, y).mse < 1e-12
    assert tree_on(x, classes, x).acc_o > 0.95


def test_folds_do_not_depend_on_the_rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Labels] = []

    def recorded(values: Floats, folds: int, classes: Labels | None = None) -> Labels:
        seen.append(folds_of(values, folds, classes))
        return seen[-1]

    monkeypatch.setattr(module, "folds_of", recorded)
    x, y = load_wine(return_X_y=True)
    for size in (1, 10, 50):
        tree_on(x, y, rounded(x, size))
        regression_on(x, y, rounded(x, size), rounded(y[:, None], size)[:, 0])
    trees, lines = seen[::2], seen[1::2]
    assert all((part == trees[0]).all() for part in trees)
    assert all((part == lines[0]).all() for part in lines)


X, Y = [[1.0], [2.0], [3.0], [4.0]], [1.0, 2.0, 3.0, 5.0]
BAD: dict[str, tuple[Callable[[], object], str]] = {
    "shapes": (lambda: regression_on(X, Y, X[:3], Y), "original_x and rounded_x must be of one"),
    "words": (lambda: tree_on([["a"]], ["b"], X), "original_x must contain only numbers"),
    "gap": (lambda: tree_on(X, Y, [[1.0], [2.0], [3.0], [math.nan]]), "rounded_x contains missing"),
    "target": (lambda: regression_on(X, Y[:3], X, Y), "original_y must hold one number for each"),
    "classes": (lambda: tree_on(X, "abc", X), "classes must hold one class for each row"),
    "one class": (lambda: tree_on(X, ["a"] * 4, X), "at least two classes"),
    "many folds": (lambda: regression_on(X, Y, X, Y, folds=5), "at most the number of rows"),
    "one fold": (lambda: tree_on(X, Y, X, folds=1), "folds must be a whole number of at least 2"),
}


@pytest.mark.parametrize(("call", "message"), BAD.values(), ids=BAD)
def test_bad_input(call: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()


def test_what_is_refused() -> None:
    with pytest.raises(RefusedError, match="every column of x is constant"):
        regression_on([[1.0]] * 4, Y, X, Y)
    with pytest.raises(RefusedError, match="too far from the original"):
        tree_on(X, ["a", "b"] * 2, [[1e12], [2.0], [3.0], [4.0]])
    with pytest.raises(RefusedError, match="spans more than can be computed with"):
        regression_on([[1e308], [-1e308], [1.0], [2.0]], Y, X, Y)


# --- the same regression on two tables ------------------------------------------------------

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
    drawn = deterministic(frame[["Age", "Fare"]].to_numpy(), 3, strata.tolist(), ties="tree")
    after = frame.assign(Age=drawn[:, 0], Fare=drawn[:, 1])
    formula = "Survived ~ C(Pclass) + C(Sex) + Age + Fare + C(Family)"
    found = coefficient_difference(frame, after, formula, categorical=["Survived", "Pclass"])
    assert (found.terms, found.model) == (tuple(PAPER), "logistic")
    for i, (estimate, se, z, p, difference) in enumerate(PAPER.values()):
        assert f"{found.original[i]:.3f}" == estimate
        assert f"{found.original_se[i]:.3f}" == se
        assert f"{found.original_statistic[i]:.3f}" == z
        assert _as_printed(found.original_p[i], p)
        assert f"{found.difference[i]:.3f}" == f"{difference:.3f}"
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


@pytest.mark.parametrize("words", [{0: "9", 1: "10"}, {0: "", 1: "x"}])
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


WRONG: dict[str, tuple[str, str]] = {
    "unknown column": ("y ~ X", "there is no column 'X'; did you mean 'x'"),
    "three levels": ("group ~ x", "the outcome 'group' must have two levels"),
    "outcome on the right": ("ill ~ ill + x", "'ill' is also on the right"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_formulas(case: str) -> None:
    formula, said = WRONG[case]
    before, after = tables()
    with pytest.raises(InputError, match=said):
        coefficient_difference(before, after, formula)


XS = [1.0, 2, 3, 4, 5, 6]
REFUSED: dict[str, tuple[Columns, Columns, str, str]] = {
    "level lost": (
        {"y": XS, "g": list("aabbcc")},
        {"y": XS, "g": list("aabbbb")},
        "y ~ C(g)",
        "column 'g' of the released table lacks a level of the original",
    ),
    "no more rows than terms": (
        {"x": XS[:2], "y": [1.0, 3]},
        {"x": XS[:2], "y": [1.0, 3]},
        "y ~ x",
        "model of the original table: the model has as many coefficients as rows",
    ),
    "singular": (
        {"x": XS, "z": [2.0, 1, 4, 3, 6, 6], "y": [1.0, 3, 2, 5, 4, 6]},
        {"x": XS, "z": XS, "y": [1.0, 3, 2, 5, 4, 6]},
        "y ~ x + z",
        "model of the released table: a term .* follows from the others",
    ),
    "separated": (
        {"x": XS, "y": [0, 1, 0, 1, 0, 1]},
        {"x": XS, "y": [0, 0, 0, 1, 1, 1]},
        "y ~ x",
        "model of the released table: the model has no finite estimates",
    ),
    "0 and 1 with noise": (
        {"x": XS, "y": [0.0, 1, 0, 1, 0, 1]},
        {"x": XS, "y": [0.1, 1, 0, 1, 0, 1]},
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
