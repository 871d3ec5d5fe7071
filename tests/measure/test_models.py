"""Models of rounded data: against plain twins, what folds are, and what is refused."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.datasets import load_iris, load_wine
from sklearn.tree import DecisionTreeClassifier

from discreet.errors import InputError, RefusedError
from discreet.measure import models as module
from discreet.measure.models import folds_of, regression_on, tree_on

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


# --- folds ------------------------------------------------------------------------------------


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


# --- regression -------------------------------------------------------------------------------


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


@pytest.mark.parametrize("size", [1, 5, 25, 100])
@pytest.mark.parametrize("folds", [10, 3])
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


def test_boston_as_is_known(shared_data: Callable[[str], Path]) -> None:
    x, y = boston(shared_data("boston.csv"))
    found = regression_on(x, y, x, y)

    assert 22 < found.mse < 25  # 23.7 or so, by ten folds
    assert found.r2 == pytest.approx(0.7406, abs=1e-4)  # as every textbook has it


def test_columns_that_depend_on_one_another_or_stay_constant() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(80, 2))
    y = x.sum(axis=1) + rng.normal(size=80)
    more = np.column_stack([x, x[:, 0] - x[:, 1], np.full(80, 7.0)])

    # rows are dealt by all their values, so those that follow are told by the folds alone
    one = regression_on(more, y, more, y)
    mse, r2 = plain_regression(x, y, x, y, folds_of(np.column_stack([more[:, :3], y]), 10))
    assert (one.mse, one.r2) == pytest.approx((mse, r2))


# --- trees ------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("load", [load_iris, load_wine])
@pytest.mark.parametrize("size", [1, 10, 25])
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


@pytest.mark.parametrize("kind", [list, tuple, np.array, pd.Series, pd.Categorical])
def test_classes_of_every_kind(kind: Callable[[Any], Any]) -> None:
    x, y = load_iris(return_X_y=True)

    assert tree_on(x, kind([f"c{code}" for code in y]), x) == tree_on(x, [f"c{c}" for c in y], x)


# --- laws -------------------------------------------------------------------------------------


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


# --- what is refused --------------------------------------------------------------------------

X, Y = [[1.0], [2.0], [3.0], [4.0]], [1.0, 2.0, 3.0, 5.0]
BAD: dict[str, tuple[Callable[[], object], str]] = {
    "shapes": (lambda: regression_on(X, Y, X[:3], Y), "original_x and rounded_x must be of one"),
    "no table": (lambda: regression_on(Y, Y, X, Y), "original_x must be a table"),
    "words": (lambda: tree_on([["a"]], ["b"], X), "original_x must hold numbers alone"),
    "ragged": (lambda: tree_on(X, Y, [[1.0], [2.0, 3.0]]), "rounded_x must hold numbers alone"),
    "gap": (lambda: tree_on(X, Y, [[1.0], [2.0], [3.0], [math.nan]]), "rounded_x holds missing"),
    "target": (lambda: regression_on(X, Y[:3], X, Y), "original_y must hold one number for each"),
    "target of words": (lambda: regression_on(X, Y, X, list("abcd")), "rounded_y must hold numb"),
    "gap in the target": (
        lambda: regression_on(X, [1, 2, 3, math.inf], X, Y),
        "original_y holds missing or infinite",
    ),
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
