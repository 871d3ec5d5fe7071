"""Rounding methods compared on one table: each method at each number, column by column."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

import numpy as np

from discreet.arguments import Floats, check_whole, check_word
from discreet.errors import DiscreetError, InputError, RefusedError, one_of
from discreet.measure.information_loss import (
    entropy,
    il_dr_score,
    mean_absolute_correlation,
    sse_share,
)
from discreet.measure.models import regression_on, tree_on
from discreet.measure.pairs import Pair, Side, as_side
from discreet.measure.roundings_report import RoundingComparison, RoundingGrid, Trial
from discreet.progress import advance
from discreet.rounding import METHODS, c_of_k, known_method
from discreet.rounding.choice import FREEDMAN_DIACONIS
from discreet.rounding.rounding_set import REPRESENTATIVES, column_sets, encoded
from discreet.table import open_table, shown

KS = (20, 25, 34, 50, 100, 167)
"""The paper's numbers: for its 500 rows, c = 25, 20, 15, 10, 5 and 3."""
MOST_CLASSES = 10
"""A target of at most so many different whole numbers is taken for classes."""
NO_NUMBERS = "there is no column of numbers to round; give a table that has some"


@dataclass(frozen=True, eq=False)
class _Data:
    """What is rounded, and what is predicted: the classes, or one of the columns."""

    side: Side
    left_out: int
    notes: tuple[str, ...]
    target: str | None = None
    classes: tuple[str, ...] | None = None

    @property
    def model(self) -> str:
        if self.target is None:
            return ""
        return "regression" if self.classes is None else "tree"


def compare_roundings(
    source: object,
    methods: Sequence[str] | None = None,
    *,
    k: Sequence[int] = KS,
    target: str | None = None,
    drop: Sequence[str] = (),
    representative: str = "mean",
    folds: int = 10,
    name: str | None = None,
) -> RoundingComparison:
    """Round a table in many ways, and measure what each loses and gives away.

    Parameters
    ----------
    source : frame, path or array of shape (n, p)
        The original. Its continuous columns are rounded, one at a time.
    methods : sequence of str, optional
        Names of `discreet.rounding.METHODS`; all by default, those that need classes only where the
        target is one of classes.
    k : sequence of int, default (20, 25, 34, 50, 100, 167)
        Least numbers of rows at a rounding point, each at least 2. Methods that take a number of
        points are given c = n / k, rounded. Each method is tried with the rule of Freedman and
        Diaconis, too.
    target : str, optional
        A column to predict. Texts, yes/no and at most 10 different whole numbers are classes: they
        stay as they are, and decision trees are grown. Another column of numbers is rounded like
        the others, and linear regressions are fitted.
    drop : sequence of str, optional
        Columns that are left out.
    representative : {"mean", "median", "midpoint"}, default "mean"
        What stands for a region.
    folds : int, default 10
        In how many parts rows are held out from models.
    name : str, optional
        What the table is called; by default the name of its file.

    Returns
    -------
    RoundingComparison
        Exact numbers of raw data: for the custodian, and no release. A setting that cannot be used
        on the table (too few rows for k) is a trial that says why. Rows with a missing number or
        class are left out, as are constant columns; the comparison says so.

    Raises
    ------
    InputError
        If a name or a number is unknown or out of range, or there is nothing to round or predict.

    Notes
    -----
    **What it does not tell.** Columns are rounded one at a time, which makes no row k-anonymous.

    Examples
    --------
    >>> table = [[float(i % 12), float(i * i % 97)] for i in range(60)]
    >>> comparison = compare_roundings(table, ["optimal", "mdav", "equal_width"], k=(5, 10))
    >>> comparison
    RoundingComparison(a table: 9 settings)
    >>> means = comparison.grid.means("sse", "k")
    >>> means["optimal"] <= means["mdav"]
    True
    """
    data = _read(source, target, tuple(drop))
    ladder = sorted(check_whole("k", each, least=2) for each in k)
    if not ladder or len(set(ladder)) < len(ladder):
        raise InputError("k must be different whole numbers such as 20, 50, 100")
    names = _check_methods(methods, data)
    check_word("representative", representative, REPRESENTATIVES)
    unrounded = _measure_alone(data, data.side, check_whole("folds", folds, least=2))
    settings = list(_settings(names, ladder, len(data.side)))
    rounds: list[Trial] = []
    for done, setting in enumerate(settings):
        advance("comparing ways to round", done, len(settings))
        rounds.append(_try_setting(setting, data, representative, folds))
    advance("comparing ways to round", len(settings), len(settings))
    called = name or "a table"
    if not name and isinstance(source, str | Path):
        called = Path(shown(str(source))).name
    grid = RoundingGrid(
        name=called,
        trials=tuple(rounds),
        columns=tuple(data.side.numbers),
        rows=len(data.side),
        left_out=data.left_out,
        target=data.target,
        model=data.model,
        unrounded=MappingProxyType(unrounded),
        representative=representative,
        folds=folds,
        notes=data.notes,
    )
    return RoundingComparison(grid)


# --- what is asked --------------------------------------------------------------------------------


def _read(source: object, target: str | None, drop: tuple[str, ...]) -> _Data:
    """Read the numbers and the target, and leave out what cannot be rounded."""
    every, odd, numbering = _columns(source, target, drop)
    numbers, levels = dict(every.numbers), every.levels
    classes = None
    if target is not None and target in levels:
        classes = levels[target]
    elif target is not None:
        finite = numbers[target][np.isfinite(numbers[target])]
        if len(np.unique(finite)) <= MOST_CLASSES and (finite == np.floor(finite)).all():
            values = numbers.pop(target).tolist()
            classes = tuple("" if np.isnan(v) else f"{v:.0f}" for v in values)
    if not numbers:
        raise InputError(NO_NUMBERS)
    known = np.isfinite(np.column_stack(list(numbers.values()))).all(axis=1)
    if classes is not None:
        known &= np.array([word != "" for word in classes])
        classes = tuple(word for word, keep in zip(classes, known, strict=True) if keep)
    if known.sum() < 2:
        raise InputError("fewer than two rows have a finite number in every column; drop a column")
    kept = {name: values[known] for name, values in numbers.items()}
    constant = [name for name, values in kept.items() if np.ptp(values) == 0]
    side = Side.of({n: v for n, v in kept.items() if n not in constant})
    _check_left(side, target, classes)
    notes = [f"Not rounded, being no numbers: {', '.join(odd)}."] if odd else []
    notes += [f"Left out, being constant: {', '.join(constant)}."] if constant else []
    notes += [f"Left out, because it numbers the rows: {', '.join(numbering)}."] * bool(numbering)
    # How well one does who knows no row: a model that does no better has learned nothing.
    if classes is not None:
        most = 100 * max(Counter(classes).values()) / len(classes)
        notes.append(f"Guessing the most frequent class is right for {most:.3g} % of the rows.")
    elif target is not None:
        spread = side.numbers[target].var()
        notes.append(f"Guessing the mean of {target} has a mean squared error of {spread:.4g}.")
    return _Data(side, int((~known).sum()), tuple(notes), target, classes)


def _columns(
    source: object, target: str | None, drop: tuple[str, ...]
) -> tuple[Side, list[str], list[str]]:
    """Return the columns of numbers and the target, and the names of those left out.

    First those that are no numbers, then those that number the rows.
    """
    if isinstance(source, np.ndarray | list | tuple):
        side = as_side(source)
        _check_names(list(side.numbers), target, drop)
        left = {name: values for name, values in side.numbers.items() if name not in drop}
        return Side.of(left), [], []
    table = open_table(source, kinds={}, roles={}, unit=None, key=None)
    _check_names(list(table.columns), target, drop)
    kinds = {name: column.kind for name, column in table.columns.items() if name not in drop}
    every = [name for name, kind in kinds.items() if kind == "continuous"]
    counting = table.numbering([name for name in every if name != target])
    numbering = [name for name in every if name in counting]
    numbers = [name for name in every if name not in numbering]
    if target is not None and kinds[target] not in ("continuous", "categorical"):
        raise InputError(f"the target {target!r} holds neither numbers nor levels")
    if not numbers:
        raise InputError(NO_NUMBERS)
    levels = [name for name, kind in kinds.items() if name == target and kind == "categorical"]
    rows = table.rows([], levels=levels, gaps=numbers)
    side = Side.of(rows.numbers, rows.texts)
    return side, [name for name in kinds if name not in (*every, *levels)], numbering


def _check_names(names: Sequence[str], target: str | None, drop: tuple[str, ...]) -> None:
    lacking = [name for name in (*drop, *([target] if target else [])) if name not in names]
    if lacking:
        raise InputError(f"the table has no column {lacking[0]!r}; it has {one_of(names)}")
    if target in drop:
        raise InputError(f"{target!r} is the target and cannot be dropped")


def _check_left(side: Side, target: str | None, classes: tuple[str, ...] | None) -> None:
    if not side.numbers:
        raise InputError("every column of numbers is constant; there is nothing to round")
    if classes is not None and len(set(classes)) < 2:
        raise InputError(f"the target {target!r} has one class alone; name another")
    if classes is not None and 2 * len(set(classes)) > len(classes):
        raise InputError(
            f"the target {target!r} has another class in nearly every row, which no tree can"
            " learn; name another"
        )
    if target is not None and classes is None:
        if target not in side.numbers:
            raise InputError(f"the target {target!r} is constant; name another")
        if len(side.numbers) < 2:
            raise InputError("a regression needs a column of numbers beside the target")


def _check_methods(methods: Sequence[str] | None, data: _Data) -> tuple[str, ...]:
    allowed = [name for name, kind in METHODS.items() if data.classes or not kind.supervised]
    if methods is None:
        return tuple(allowed)
    given = [known_method(name).name for name in methods]
    if needy := [name for name in given if name not in allowed]:
        raise InputError(f"{needy[0]!r} finds points by classes; name a target that has classes")
    if not given or len(set(given)) < len(given):
        raise InputError("methods must be different names; leave them out to try all")
    return tuple(given)


def _settings(names: Sequence[str], ladder: Sequence[int], n: int) -> Iterator[Trial]:
    """Yield each method with each of its parameters, as trials that were not made yet."""
    for name in names:
        kind = METHODS[name]
        if not kind.parameter:
            yield Trial(name, "classes", "classes", refused="not tried")
            continue
        tried = set()
        for rung, k in enumerate(ladder):
            c = c_of_k(n, k)
            if kind.parameter == "c" and c in tried:
                continue  # two values of k may come to one number of points
            tried.add(c)
            yield Trial(name, kind.parameter, k=k, c=c, rung=rung, refused="not tried")
        yield Trial(name, kind.parameter, FREEDMAN_DIACONIS, refused="not tried")


# --- what comes of it -----------------------------------------------------------------------------


def _try_setting(setting: Trial, data: _Data, representative: str, folds: int) -> Trial:
    """Round by one setting and measure; where that is refused, say why."""
    n = len(data.side)
    if setting.family == "k" and setting.k is not None and n < 2 * setting.k:
        return replace(setting, refused="the table has fewer than 2 k rows: one point for all")
    if setting.family == "c" and setting.c == 1:
        return replace(setting, refused="c, the rows over k, would be 1: one point for all")
    matrix = data.side.matrix
    try:
        sets = column_sets(
            matrix,
            setting.method,
            k=setting.k or FREEDMAN_DIACONIS if setting.family == "k" else None,
            c=setting.c or FREEDMAN_DIACONIS if setting.family == "c" else None,
            representative=representative,
            classes=data.classes,
        )
        rounded = encoded(sets, matrix, "region", None)
        values = _measure(data, rounded, folds)
    except DiscreetError as error:
        return replace(setting, refused=str(error))
    shared = np.unique(rounded, axis=0, return_inverse=True, return_counts=True)
    others = shared[2][shared[1].ravel()]
    used = [each.counts[each.counts > 0] for each in sets]
    return replace(
        setting,
        points={name: len(counts) for name, counts in zip(data.side.numbers, used, strict=True)},
        fewest=min(int(counts.min()) for counts in used),
        below=None if setting.k is None else float((others < setting.k).mean()),
        alone=float((others == 1).mean()),
        values=MappingProxyType(values),
        refused=None,
    )


def _measure(data: _Data, rounded: Floats, folds: int) -> dict[str, float]:
    """Return the measures of a rounded table."""
    columns = {name: rounded[:, j] for j, name in enumerate(data.side.numbers)}
    after = Side.of(columns)
    pair = Pair(data.side, after, same_rows=True)
    score = il_dr_score(pair)
    return {
        "sse": sse_share(pair).total,
        "il_metrics": score.il_metrics,
        "il1s": score.il1s,
        "ddr": score.ddr,
        "idr": score.idr,
        "score": score.score,
        "score_by_sum": score.score_by_sum,
        **_measure_alone(data, after, folds),
    }


def _measure_alone(data: _Data, after: Side, folds: int) -> dict[str, float]:
    """Return what is measured of the table itself as well: entropy, correlation, the model."""
    try:
        correlation = mean_absolute_correlation(after)
    except RefusedError:  # fewer than two columns vary
        correlation = math.nan
    values = {"entropy": entropy(after).total, "correlation": correlation}
    if data.classes is not None:
        tree = tree_on(data.side.matrix, data.classes, after.matrix, folds)
        return {**values, "acc_o": 100 * tree.acc_o, "acc_v": 100 * tree.acc_v}
    if data.target is None:
        return values
    fit = regression_on(
        *_split_target(data.side, data.target), *_split_target(after, data.target), folds
    )
    return {**values, "mse": fit.mse, "r2": math.nan if fit.r2 is None else fit.r2}


def _split_target(side: Side, target: str) -> tuple[Floats, Floats]:
    """Return all columns but the target, and the target."""
    others = [values for name, values in side.numbers.items() if name != target]
    return np.column_stack(others), side.numbers[target]
