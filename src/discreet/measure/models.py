"""What models learn from a rounded table, held against the original: regression and trees."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.arguments import Floats, Labels, check_whole
from discreet.errors import InputError, RefusedError
from discreet.measure.estimate import keyed_order
from discreet.measure.linkage import moments

__all__ = ["RegressionFit", "TreeFit", "regression_on", "tree_on"]


FARTHEST = 1e9
"""Values further off than this many standard deviations are a mistake of units."""
SMALLEST_SPLIT, SMALLEST_LEAF, DEEPEST, COMPLEXITY = 20, 7, 30, 0.01
"""The defaults of rpart: minsplit, minbucket, maxdepth and cp."""


@dataclass(frozen=True)
class RegressionFit:
    """What a linear regression learned from rounded data.

    Attributes
    ----------
    mse : float
        The mean squared error of its predictions of original values, over all held-out rows, in
        the target's unit squared.
    r2 : float or None
        R² of the fit to the whole rounded table, on that table; None where the rounded target
        is constant.
    mse_by_fold : tuple of float
        The mean squared error in each fold; folds are the same for every rounding of the data.
    """

    mse: float
    r2: float | None
    mse_by_fold: tuple[float, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the fit as plain values."""
        return {**asdict(self), "mse_by_fold": list(self.mse_by_fold)}

    def __str__(self) -> str:
        r2 = "none" if self.r2 is None else f"{self.r2:.3f}"
        return f"linear regression: MSE {self.mse:.4g}, R² {r2}"


@dataclass(frozen=True)
class TreeFit:
    """What a classification tree learned from rounded data.

    Attributes
    ----------
    acc_v : float
        The share of held-out rows whose class it tells from their rounded values.
    acc_o : float
        The share of held-out rows whose class it tells from their original values.
    baseline : float
        The share of the most common class: what who always names it gets right.
    acc_v_by_fold, acc_o_by_fold : tuple of float
        The same in each fold; folds are the same for every rounding of the data.
    """

    acc_v: float
    acc_o: float
    baseline: float
    acc_v_by_fold: tuple[float, ...]
    acc_o_by_fold: tuple[float, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the fit as plain values."""
        by_fold = {name: list(getattr(self, name)) for name in ("acc_v_by_fold", "acc_o_by_fold")}
        return {**asdict(self), **by_fold}

    def __str__(self) -> str:
        return (
            f"decision tree: accuracy {100 * self.acc_v:.1f} % on rounded rows,"
            f" {100 * self.acc_o:.1f} % on original rows (most common class"
            f" {100 * self.baseline:.1f} %)"
        )


def regression_on(
    original_x: ArrayLike,
    original_y: ArrayLike,
    rounded_x: ArrayLike,
    rounded_y: ArrayLike,
    folds: int = 10,
) -> RegressionFit:
    """Fit a linear regression to rounded rows, and predict original ones that were held out.

    Parameters
    ----------
    original_x, rounded_x : array of shape (n, p)
        The same records in the same order; finite numbers.
    original_y, rounded_y : array of shape (n,)
        What is predicted, before and after rounding.
    folds : int, default 10
        In how many parts rows are held out, each once; 2 to n. See `folds_of`.

    Returns
    -------
    RegressionFit
        MSE on original values, and R² of the fit to the rounded data. The same call with the
        original twice gives the model without rounding, to compare with.

    Raises
    ------
    InputError
        If shapes do not fit, a value is missing, or `folds` is out of its range.
    RefusedError
        If every column of x is constant, or a column spans more than can be computed with.

    Notes
    -----
    For each fold a model (ordinary least squares with an intercept) is fitted to the rounded x
    and y of the other rows. It predicts from the **original** x of the fold's rows, and its
    squared errors are about their **original** y: who builds a model on a release uses it on
    persons as they are. All columns are measured in standard deviations of the original first,
    which changes nothing but rounding errors, and the choice where columns depend on one
    another (the shortest coefficients).

    **The target is rounded too**, where usually only what identifies somebody would be. The
    paper found models on fully rounded data better than with the target left as it is: on the
    Boston data as good as the unrounded model or better in 26 of 55 cases, and never with the
    target unmasked. It explains it by the stronger correlation that the same treatment of all
    columns leaves (section 5.2).

    **What it does not tell.** R² is of each method's own rounded data, so R² of different
    roundings cannot be compared (section 5.1); MSE can. The rounding points were found on all
    rows, those held out as well. Nothing here speaks of risk.

    References
    ----------
    Senavirathne and Torra, "Rounding based continuous data discretization for statistical
    disclosure control" (2019), sections 3.3.4, 5.1 and 5.2.

    Examples
    --------
    >>> x = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]
    >>> y = [1.0, 3.0, 5.0, 7.0, 9.0, 11.0]
    >>> rounded_x = [[0.5], [0.5], [2.5], [2.5], [4.5], [4.5]]
    >>> found = regression_on(x, y, rounded_x, [2.0, 2.0, 6.0, 6.0, 10.0, 10.0], folds=3)
    >>> round(found.mse, 9), round(found.r2, 9)  # the points lie on the line
    (0.0, 1.0)
    """
    from sklearn.linear_model import LinearRegression

    x, rounded = _both(original_x, rounded_x)
    y, target = _target("original_y", original_y, len(x)), _target("rounded_y", rounded_y, len(x))
    order, part = _in_order(x, y, folds)
    x, rounded, y, target = x[order], rounded[order], y[order], target[order]
    errors = np.empty(len(y))
    for train, test in _splits(part):
        model = LinearRegression().fit(rounded[train], target[train])
        errors[test] = np.square(y[test] - model.predict(x[test]))
    by_fold = tuple(float(errors[test].mean()) for _, test in _splits(part))
    r2 = None
    if (target != target[0]).any():
        r2 = float(LinearRegression().fit(rounded, target).score(rounded, target))
    return RegressionFit(math.fsum(errors.tolist()) / len(y), r2, by_fold)


def tree_on(
    original_x: ArrayLike,
    classes: Sequence[object] | NDArray[Any],
    rounded_x: ArrayLike,
    folds: int = 10,
) -> TreeFit:
    """Grow a decision tree on rounded rows, and classify rounded and original held-out ones.

    Parameters
    ----------
    original_x, rounded_x : array of shape (n, p)
        The same records in the same order; finite numbers.
    classes : sequence of n texts or numbers
        The class of each record, which is not rounded; at least two.
    folds : int, default 10
        In how many parts rows are held out, each once; 2 to n. Every class is dealt evenly to
        the folds. See `folds_of`.

    Returns
    -------
    TreeFit
        Acc_V, the accuracy on rounded held-out rows; Acc_O, on the same rows as they were; and
        the share of the most common class. The same call with the original twice gives the
        tree without rounding, to compare with.

    Raises
    ------
    InputError
        If shapes do not fit, a value is missing, there is one class alone, or `folds` is out of
        its range.
    RefusedError
        If every column of x is constant, or a column spans more than can be computed with.

    Notes
    -----
    The trees are scikit-learn's, grown like those of rpart, which the paper used, by its
    defaults: splits by the Gini index, none of fewer than 20 rows, no leaf of fewer than 7, 30
    levels at most, and pruned at a complexity of 0.01 of the root. They are CART as rpart's
    defaults, **not rpart**: its complexity counts misclassified rows, here it is the Gini index
    of leaves; and between equally good splits a fixed generator decides, there the order of
    columns. Columns are measured in standard deviations of the original, as trees compare
    numbers to 7 digits.

    **What it does not tell.** The rounding points were found on all rows, those held out as
    well; where they were found with the help of the classes (MDLP, ChiMerge), Acc_V is too good
    for that alone, and Acc_O is the one to compare by (section 5.1). A test of n rows tells
    accuracies apart that differ by about 2 √(n_d) / n, n_d being the rows on which two
    trees differ. Nothing here speaks of risk.

    References
    ----------
    Senavirathne and Torra, "Rounding based continuous data discretization for statistical
    disclosure control" (2019), sections 3.3.4, 5.1 and 5.3. Breiman, Friedman, Olshen and Stone,
    Classification and Regression Trees (1984).

    Examples
    --------
    >>> x = [[float(i)] for i in range(60)]
    >>> rounded = [[float(i // 10 * 10 + 4.5)] for i in range(60)]
    >>> found = tree_on(x, ["low"] * 30 + ["high"] * 30, rounded, folds=5)
    >>> found.acc_v, found.acc_o, found.baseline
    (1.0, 1.0, 0.5)
    """
    x, rounded = _both(original_x, rounded_x)
    codes = _codes(classes, len(x))
    order, part = _in_order(x, codes, folds, dealt=True)
    x, rounded, codes = x[order], rounded[order], codes[order]
    right = np.empty((2, len(codes)), dtype=np.bool_)
    for train, test in _splits(part):
        tree = _grown(rounded[train], codes[train])
        for place, rows in enumerate((rounded, x)):
            right[place, test] = tree.predict(rows[test]) == codes[test]
    acc_v, acc_o = (float(row.mean()) for row in right)
    by_fold = [tuple(float(row[test].mean()) for _, test in _splits(part)) for row in right]
    baseline = int(np.bincount(codes).max()) / len(codes)
    return TreeFit(acc_v, acc_o, baseline, by_fold[0], by_fold[1])


def folds_of(values: Floats, folds: int, classes: Labels | None = None) -> Labels:
    """Return the fold, from 0 on and as even as can be, in which each original row is held out.

    Rows are dealt in the order of a digest of their values (`keyed_order`), so that all methods are
    judged by the same folds, and a permuted table has the same rows in each. Only rows that are
    equal in the original, and rounded differently, may change places. With `classes`, each class is
    dealt to the folds in turn, so that they differ by one row of it at most.
    """
    count = check_whole("folds", folds, least=2)
    if count > len(values):
        raise InputError("folds must be at most the number of rows; choose fewer folds")
    order = keyed_order(values)
    if classes is not None:
        order = order[np.argsort(classes[order], kind="stable")]
    part = np.empty(len(order), dtype=np.intp)
    part[order] = np.arange(len(order)) % count
    return part


def _in_order(
    x: Floats, y: Floats | Labels, folds: int, *, dealt: bool = False
) -> tuple[Labels, Labels]:
    """Return an order of rows that their values alone decide, and the fold of each row in it.

    Sums over rows are then made in one order, and results do not depend on the file's.
    """
    values: Floats = np.column_stack([x, y]).astype(np.float64)
    part = folds_of(values, folds, y if dealt else None)  # type: ignore[arg-type]
    order = keyed_order(values)
    return order, part[order]


def _splits(part: Labels) -> Iterator[tuple[NDArray[np.bool_], NDArray[np.bool_]]]:
    """Give for each fold the rows to learn from and the rows that are held out."""
    for fold in range(int(part.max()) + 1):
        held = part == fold
        yield ~held, held


def _grown(x: Floats, codes: Labels) -> Any:
    """Grow a tree like one of rpart; see `tree_on`."""
    from sklearn.tree import DecisionTreeClassifier

    shares = np.bincount(codes) / len(codes)
    gini = max(0.0, 1 - float(np.square(shares).sum()))
    return DecisionTreeClassifier(
        criterion="gini",
        min_samples_split=SMALLEST_SPLIT,
        min_samples_leaf=SMALLEST_LEAF,
        max_depth=DEEPEST,
        ccp_alpha=COMPLEXITY * gini,
        random_state=0,
    ).fit(x, codes)


def _both(original: ArrayLike, rounded: ArrayLike) -> tuple[Floats, Floats]:
    """Return both tables in standard deviations of the original, columns that vary there."""
    before, after = _matrix("original_x", original), _matrix("rounded_x", rounded)
    if before.shape != after.shape:
        raise InputError(
            "original_x and rounded_x must be of one shape: the same records and columns in the"
            " same order"
        )
    mean, sd = moments(before)
    varies = sd > 0
    if not varies.any():
        raise RefusedError("every column of x is constant, so there is nothing to learn from")
    with np.errstate(over="ignore"):
        before = (before[:, varies] - mean[varies]) / sd[varies]
        after = (after[:, varies] - mean[varies]) / sd[varies]
    if not np.abs(after).max() <= FARTHEST:
        raise RefusedError(
            "a column of rounded_x lies too far from the original to be compared; check its unit"
        )
    return before, after


def _matrix(name: str, values: ArrayLike) -> Floats:
    try:
        matrix = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):  # numpy's message quotes the cell
        raise InputError(f"{name} must hold numbers alone, as many in each row") from None
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise InputError(f"{name} must be a table of at least one row and one column")
    if not np.isfinite(matrix).all():
        raise InputError(f"{name} holds missing or infinite values; leave those rows out of all")
    return matrix


def _target(name: str, values: ArrayLike, n: int) -> Floats:
    try:
        given = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):  # numpy's message quotes the cell
        raise InputError(f"{name} must hold numbers alone, one for each row of x") from None
    if given.shape != (n,):
        raise InputError(f"{name} must hold one number for each row of x")
    if not np.isfinite(given).all():
        raise InputError(f"{name} holds missing or infinite values; leave those rows out of all")
    return given


def _codes(classes: Sequence[object] | NDArray[Any], n: int) -> Labels:
    """Return a number for the class of each row, in the order of their texts."""
    words = [str(word) for word in np.asarray(classes, dtype=object).ravel()]
    if len(words) != n:
        raise InputError("classes must hold one class for each row of x")
    levels, codes = np.unique(np.array(words), return_inverse=True)
    if len(levels) < 2:
        raise InputError("classes must hold at least two classes; there is nothing to tell apart")
    return codes.astype(np.intp)
