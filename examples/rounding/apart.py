"""Two things the paper's numbers can be held against without its data splits and its code."""

from __future__ import annotations

import numpy as np
import pandas as pd

from discreet.measure.models import tree_on
from discreet.rounding import Rounder

__all__ = ["accuracy_of_codes", "least_mse"]


def least_mse(table: pd.DataFrame, target: str) -> float:
    """Return the least mean squared error that any regression line can have on all rows.

    It is that of least squares on those very rows; no line that learned from others is below it.
    """
    y = table[target].to_numpy(dtype=float)
    x = np.column_stack([np.ones(len(y)), table.drop(columns=target).to_numpy(dtype=float)])
    solved = np.linalg.lstsq(x, y, rcond=None)[0]
    return float(np.mean(np.square(y - x @ solved)))


def accuracy_of_codes(table: pd.DataFrame, target: str, method: str) -> float:
    """Return Acc_O in per cent where a tree learns from the numbers of intervals, not from points.

    1 for the lowest interval, 2 for the next: a tree that learned from them is then asked about
    values in quite another unit. Whether the paper did that, it does not say.
    """
    classes = table[target].astype(str).tolist()
    x = table.drop(columns=target).to_numpy(dtype=float)
    rounder = Rounder(method).fit(x, np.asarray(classes))
    codes = [
        1.0 + np.searchsorted(found.edges, column, side="right")
        for found, column in zip(rounder.sets_, x.T, strict=True)
    ]
    return 100 * tree_on(x, classes, np.column_stack(codes)).acc_o
