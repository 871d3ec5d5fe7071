"""What models learn from a released or a rounded table, held against the original."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.arguments import Floats, Labels, check_whole
from discreet.errors import InputError, RefusedError, needing
from discreet.measure.linkage import in_sds
from discreet.measure.pairs import Pair, Side, as_pair, keyed_order
from discreet.regression import Asked, Model, estimated, read_formula
from discreet.regression.families import LINEAR, LOGISTIC
from discreet.regression.formula import parse_again

SMALLEST_SPLIT, SMALLEST_LEAF, DEEPEST, COMPLEXITY = 20, 7, 30, 0.01
"""The defaults of rpart: minsplit, minbucket, maxdepth and cp."""


@dataclass(frozen=True)
class RegressionFit:
    """What a linear regression learned from rounded data.

    Attributes
    ----------
    mse : float
        The mean squared error of its predictions of original values, over all held-out rows, in
        the target's unit squared; `mse_by_fold` has it for each fold.
    r2 : float or None
        R² of the fit to the whole rounded table, on that table; None where the rounded target
        is constant.
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

    `acc_v` and `acc_o` are the shares of held-out rows whose class it tells from their rounded and
    from their original values, `baseline` that of the most common class.
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
        In how many parts rows are held out, each once; 2 to n.

    Returns
    -------
    RegressionFit
        The original given twice is the model without rounding, to compare with.

    Notes
    -----
    Who builds a model on a release uses it on persons as they are: it is fitted to the rounded x
    and y of the other folds, and predicts from the **original** x of a fold's rows.

    **What it does not tell.** R² is of each method's own rounded data, so R² of different roundings
    cannot be compared; MSE can. The rounding points were found on all rows, those held out as well.
    Nothing here speaks of risk.

    Examples
    --------
    >>> x = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]
    >>> y = [1.0, 3.0, 5.0, 7.0, 9.0, 11.0]
    >>> rounded_x = [[0.5], [0.5], [2.5], [2.5], [4.5], [4.5]]
    >>> fit = regression_on(x, y, rounded_x, [2.0, 2.0, 6.0, 6.0, 10.0, 10.0], folds=3)
    >>> round(fit.mse, 9), round(fit.r2, 9)  # the points lie on the line
    (0.0, 1.0)
    """
    with needing("scikit-learn", "a regression held out in folds"):
        from sklearn.linear_model import LinearRegression

    x, rounded = _both(original_x, rounded_x)
    y = _check_numbers("original_y", original_y, len(x))
    target = _check_numbers("rounded_y", rounded_y, len(x))
    order, part = _fold_order(x, y, folds)
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
    original_x, rounded_x, folds
        As in `regression_on`; every class is dealt evenly to the folds.
    classes : sequence of n texts or numbers
        The class of each record, which is not rounded; at least two.

    Returns
    -------
    TreeFit
        Acc_V, the accuracy on rounded held-out rows; Acc_O, on the same rows as they were; and the
        share of the most common class.

    Notes
    -----
    The trees are scikit-learn's, with the defaults of rpart, which the paper used. They are **not
    rpart**: its complexity counts misclassified rows, here it is the Gini index of leaves; and
    between equally good splits a fixed generator decides, there the order of columns.

    **What it does not tell.** The rounding points were found on all rows, those held out as well;
    where they were found with the help of the classes (MDLP, ChiMerge), Acc_V is too good for that
    alone, and Acc_O is the one to compare by. Nothing here speaks of risk.

    Examples
    --------
    >>> x = [[float(i)] for i in range(60)]
    >>> rounded = [[float(i // 10 * 10 + 4.5)] for i in range(60)]
    >>> fit = tree_on(x, ["low"] * 30 + ["high"] * 30, rounded, folds=5)
    >>> fit.acc_v, fit.acc_o, fit.baseline
    (1.0, 1.0, 0.5)
    """
    x, rounded = _both(original_x, rounded_x)
    codes = _codes(classes, len(x))
    order, part = _fold_order(x, codes, folds, dealt=True)
    x, rounded, codes = x[order], rounded[order], codes[order]
    right = np.empty((2, len(codes)), dtype=np.bool_)
    for train, test in _splits(part):
        tree = _grow_tree(rounded[train], codes[train])
        for place, rows in enumerate((rounded, x)):
            right[place, test] = tree.predict(rows[test]) == codes[test]
    acc_v, acc_o = (float(row.mean()) for row in right)
    by_fold = [tuple(float(row[test].mean()) for _, test in _splits(part)) for row in right]
    baseline = int(np.bincount(codes).max()) / len(codes)
    return TreeFit(acc_v, acc_o, baseline, by_fold[0], by_fold[1])


def folds_of(values: Floats, folds: int, classes: Labels | None = None) -> Labels:
    """Return the fold, from 0 on and as even as can be, in which each original row is held out.

    Rows are dealt in the order of a digest of their values (`keyed_order`), so that all methods are
    judged by the same folds, and a permuted table has the same rows in each. With `classes`, each
    class is dealt to the folds in turn, so that they differ by one row of it at most.
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


def _fold_order(
    x: Floats, y: Floats | Labels, folds: int, *, dealt: bool = False
) -> tuple[Labels, Labels]:
    """Return an order of rows that their values alone decide, and the fold of each row in it."""
    values: Floats = np.column_stack([x, y]).astype(np.float64)
    part = folds_of(values, folds, y if dealt else None)  # type: ignore[arg-type]
    order = keyed_order(values)
    return order, part[order]


def _splits(part: Labels) -> Iterator[tuple[NDArray[np.bool_], NDArray[np.bool_]]]:
    """Give for each fold the rows to learn from and the rows that are held out."""
    for fold in range(int(part.max()) + 1):
        out = part == fold
        yield ~out, out


def _grow_tree(x: Floats, codes: Labels) -> Any:
    """Grow a tree like one of rpart; see `tree_on`."""
    with needing("scikit-learn", "a decision tree"):
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
    before, after = _check_numbers("original_x", original), _check_numbers("rounded_x", rounded)
    if before.shape != after.shape:
        raise InputError(
            "original_x and rounded_x must be of one shape: the same records and columns in the"
            " same order"
        )
    if not (before != before[0]).any():
        raise RefusedError("every column of x is constant, so there is nothing to learn from")
    return in_sds(before, after)


def _check_numbers(name: str, values: ArrayLike, rows: int | None = None) -> Floats:
    """Return finite numbers: a table, or one for each of so many rows."""
    each = "as many in each row" if rows is None else "one for each row of x"
    try:
        given = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):  # numpy's message quotes the cell
        raise InputError(f"{name} must contain only numbers, {each}") from None
    if rows is None and (given.ndim != 2 or 0 in given.shape):
        raise InputError(f"{name} must be a table of at least one row and one column")
    if rows is not None and given.shape != (rows,):
        raise InputError(f"{name} must hold one number for each row of x")
    if not np.isfinite(given).all():
        raise InputError(f"{name} contains missing or infinite values; leave those rows out of all")
    return given


def _codes(classes: Sequence[object] | NDArray[Any], n: int) -> Labels:
    """Return a number for the class of each row, in the order of their texts."""
    words = [str(word) for word in np.asarray(classes, dtype=object).ravel()]
    if len(words) != n:
        raise InputError("classes must hold one class for each row of x")
    levels, codes = np.unique(np.array(words), return_inverse=True)
    if len(levels) < 2:
        raise InputError("classes must hold at least two classes; there is nothing to distinguish")
    return codes.astype(np.intp)


LEVEL = 0.95
"""The level of the confidence intervals."""


@dataclass(frozen=True, eq=False, repr=False)
class Coefficients:
    """The same model fitted to the original and to the released table; prints its formula only.

    Attributes
    ----------
    formula, model : str
        The formula in its normal form, and what was fitted: "linear" or "logistic".
    terms : tuple of str
        The names of the coefficients: Intercept, x, C(sex)[T.level], ...
    original, original_se, released, released_se : ndarray
        Estimates and standard errors, one for each of `terms`.
    original_df, released_df : float
        Residual degrees of freedom; infinite for the logistic model, whose tests are normal.
    """

    formula: str
    model: str
    terms: tuple[str, ...]
    original: Floats
    original_se: Floats
    original_df: float
    released: Floats
    released_se: Floats
    released_df: float

    def __repr__(self) -> str:
        return f"Coefficients({self.formula}; {self.model})"

    @property
    def difference(self) -> Floats:
        """The absolute differences of the estimates, in standard errors of the original."""
        out: Floats = np.abs(self.original - self.released) / self.original_se
        return out

    @property
    def overlap(self) -> Floats:
        """The overlap of the confidence intervals, averaged over the shares of either."""
        (low, high), (low_after, high_after) = self.original_interval, self.released_interval
        common = np.minimum(high, high_after) - np.maximum(low, low_after)
        out: Floats = (common / (high - low) + common / (high_after - low_after)) / 2
        return out

    @property
    def original_statistic(self) -> Floats:
        """Estimate by standard error in the original: t (linear) or z (logistic)."""
        return self.original / self.original_se

    @property
    def released_statistic(self) -> Floats:
        """Estimate by standard error in the released table: t (linear) or z (logistic)."""
        return self.released / self.released_se

    @property
    def original_p(self) -> Floats:
        """The two-sided p values in the original."""
        return _two_sided(self.original_statistic, self.original_df)

    @property
    def released_p(self) -> Floats:
        """The two-sided p values in the released table."""
        return _two_sided(self.released_statistic, self.released_df)

    @property
    def original_interval(self) -> tuple[Floats, Floats]:
        """The ends of the 95 % confidence intervals in the original."""
        return _interval(self.original, self.original_se, self.original_df)

    @property
    def released_interval(self) -> tuple[Floats, Floats]:
        """The ends of the 95 % confidence intervals in the released table."""
        return _interval(self.released, self.released_se, self.released_df)

    def to_dict(self) -> dict[str, Any]:
        """Return the two models and their differences as plain values."""
        tables = {
            "original": (self.original, self.original_se, self.original_p),
            "released": (self.released, self.released_se, self.released_p),
        }
        return {
            "formula": self.formula,
            "model": self.model,
            "terms": list(self.terms),
            **{
                table: {"estimates": b.tolist(), "standard errors": se.tolist(), "p": p.tolist()}
                for table, (b, se, p) in tables.items()
            },
            "difference": self.difference.tolist(),
            "overlap": self.overlap.tolist(),
        }


def coefficient_difference(
    original: object,
    released: object = None,
    formula: str = "",
    *,
    categorical: Sequence[str] = (),
    same_rows: bool = True,
) -> Coefficients:
    """Fit the same regression to two tables, and compare the coefficients.

    Parameters
    ----------
    original, released, categorical, same_rows
        Two tables of the same columns; see `as_pair`. The models do not ask whether rows
        correspond, but if they do, a row with a missing number in one is left out of both.
    formula : str
        It is read and never run. The model is logistic where the outcome is a categorical column of
        two levels (the event is the later one, by number if both are numbers, else by alphabet) or
        a column of the numbers 0 and 1 alone; else it is linear.

    Returns
    -------
    Coefficients
        Estimates, standard errors, tests and intervals of both, the standardised differences d =
        abs(b_or − b_an) / SE(b_or), and the overlap of the 95 % confidence intervals.

    Raises
    ------
    InputError
        If the formula cannot be read, an outcome has levels that are not two, or the tables do not
        fit each other.
    RefusedError
        If a level of the original is missing in the released table, or one of them, which is named,
        lets no such model be fitted.

    Notes
    -----
    Levels are coded against the first level of the original in order. The overlap is (common /
    length before + common / length after) / 2: 1 if the intervals are equal, 0 if they touch, and
    negative if they lie apart (Karr et al. 2006).

    **What it does not tell.** One model, and not whether it is a good one. In standard errors the
    same bias is small in a small table and large in a large one. The released table's standard
    errors take its rows for observations, and know nothing of the protection. Estimates of the
    original are its custodian's to see: with a term for one person they show that person.

    Examples
    --------
    >>> import pandas as pd
    >>> before = pd.DataFrame({"x": [0.0, 1, 2, 3], "y": [0.0, 1, 1, 2]})
    >>> after = pd.DataFrame({"x": [0.5, 0.5, 2.5, 2.5], "y": [0.5, 0.5, 1.4, 1.6]})
    >>> models = coefficient_difference(before, after, "y ~ x")
    >>> models.terms, models.original.round(2).tolist(), models.released.round(2).tolist()
    (('Intercept', 'x'), [0.1, 0.6], [0.25, 0.5])
    >>> models.difference.round(2).tolist(), models.overlap.round(2).tolist()
    ([0.57, 0.71], [0.67, 0.68])
    """
    pair = as_pair(original, released, categorical=categorical, same_rows=same_rows)
    outcome, event = _event(pair, formula)
    model = model_of(pair, formula)
    for name in (*model.levels, *([outcome] if event is not None else [])):
        if set(pair.original.levels[name]) != set(pair.released.levels[name]):
            raise RefusedError(
                f"column {name!r} of the released table lacks a level of the original, so the two"
                " models have different terms; merge its levels in both, or leave it out"
            )
    logistic = event is not None or _is_binary(pair, model)
    kind = "logistic" if logistic else "linear"
    (terms, *before), (_, *after) = (
        _fit(table, model, side, event, logistic)
        for table, side in (("original", pair.original), ("released", pair.released))
    )
    return Coefficients(model.formula, kind, terms, *before, *after)


def model_of(pair: Pair, formula: str) -> Model:
    """Read the formula of a regression on the columns of a pair."""
    kinds = dict.fromkeys(pair.original.numbers, "continuous")
    kinds |= dict.fromkeys(pair.original.levels, "categorical")
    outcome, event = _event(pair, formula)
    if event is not None:
        kinds[outcome] = "continuous"
    return read_formula(formula, kinds)


def _event(pair: Pair, formula: str) -> tuple[str, str | None]:
    """Return the outcome, and if it is categorical the level that is the event."""
    left = formula.partition("~")[0] if isinstance(formula, str) else ""
    outcome = left.strip().strip("`")
    if outcome not in pair.original.levels:
        return outcome, None
    levels = sorted(set(pair.original.levels[outcome]))
    if len(levels) != 2:
        raise InputError(
            f"the outcome {outcome!r} must have two levels (a missing one is a level too); merge"
            " levels, or name a continuous column"
        )
    try:
        return outcome, max(levels, key=float)
    except ValueError:
        return outcome, levels[-1]


def _is_binary(pair: Pair, model: Model) -> bool:
    """Whether the outcome is a column of the numbers 0 and 1, in both tables."""
    name = model.outcome
    if not parse_again(model).outcome.plain:
        return False
    before, after = (set(np.unique(side.numbers[name])) for side in (pair.original, pair.released))
    if before != {0.0, 1.0}:
        return False
    if after - before:
        raise RefusedError(
            f"the outcome {name!r} is 0 or 1 in the original table and something else in the"
            " released one, so no logistic model fits both; release it as levels"
        )
    return True


def _fit(
    table: str, model: Model, side: Side, event: str | None, logistic: bool
) -> tuple[Any, ...]:
    """Return the terms, the estimates, their standard errors, and the degrees of freedom."""
    happened = None
    if event is not None:
        happened = np.array([word == event for word in side.levels[model.outcome]])
    elif logistic:
        happened = side.numbers[model.outcome] == 1
    asked = Asked(LOGISTIC if logistic else LINEAR, parse_again(model))
    try:
        found = estimated(asked, side.numbers, side.levels, happened)
    except RefusedError as error:
        raise RefusedError(f"the model of the {table} table: {error}") from None
    df = math.inf if found.freedom is None else float(found.freedom)
    return found.terms, found.values, np.sqrt(found.variances), df


def _two_sided(statistic: Floats, df: float) -> Floats:
    from scipy.stats import t

    out: Floats = 2 * t.sf(np.abs(statistic), df)
    return out


def _interval(estimates: Floats, se: Floats, df: float) -> tuple[Floats, Floats]:
    from scipy.stats import t

    half = t.ppf((1 + LEVEL) / 2, df) * se
    return estimates - half, estimates + half
