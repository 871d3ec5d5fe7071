"""Tables rounded column by column: a rounding set for each, and all of them applied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from discreet.protect.base import Floats
from discreet.protect.rounding.intervals import Base
from discreet.protect.rounding.rounding_set import RoundingSet, rounding_set
from discreet.protect.rounding.settling import is_supervised, settled
from discreet.protect.rounding.sorted_column import sorted_column

__all__ = ["column_sets", "encoded"]


def column_sets(
    matrix: Floats,
    method: Any,
    *,
    k: Any = None,
    c: Any = None,
    representative: str = "mean",
    names: Sequence[str | None] | None = None,
    classes: ArrayLike | None = None,
    exact: bool = False,
) -> tuple[RoundingSet, ...]:
    """Return the rounding set of each column of a table.

    Parameters
    ----------
    matrix : ndarray of shape (n, p)
        Finite numbers.
    method, k, c
        As of `settled`.
    representative : {"mean", "median", "midpoint"}, default "mean"
        What stands for a region.
    names : sequence of str or None, of length p, optional
        What the columns are called.
    classes : array-like of shape (n,), optional
        The class of each row; looked at by supervised methods alone.
    exact : bool, default False
        Whether a base that is looked for is the smallest there is, and not of two digits: for
        public data.

    Raises
    ------
    InputError
        If a parameter is wrong.
    RefusedError
        If the method cannot keep its promise on a column.
    """
    of = classes if is_supervised(method) else None
    out = []
    for name, values in zip(names or [None] * matrix.shape[1], matrix.T, strict=True):
        column = sorted_column(values, of)
        chosen = settled(method, column, k=k, c=c)
        if exact and isinstance(chosen, Base):
            chosen = replace(chosen, digits=None)
        out.append(rounding_set(column, chosen, representative, name))
    return tuple(out)


def encoded(
    sets: Sequence[RoundingSet], matrix: Floats, encoding: str, uniforms: Floats | None
) -> Floats:
    """Return a table whose columns are replaced by points of their sets.

    Parameters
    ----------
    sets : sequence of RoundingSet
        One for each column.
    matrix : ndarray of shape (n, p)
        Finite numbers.
    encoding : {"region", "nearest", "stochastic"}
        See `RoundingSet.encode`.
    uniforms : ndarray of shape (n, p) or None
        Numbers from 0 to 1, for "stochastic" alone.
    """
    columns = [
        found.encode(matrix[:, j], encoding, None if uniforms is None else uniforms[:, j])
        for j, found in enumerate(sets)
    ]
    return np.column_stack(columns)
