"""What one table holds, with nothing to compare it to: its entropy and its correlations."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from discreet.errors import InputError, RefusedError
from discreet.measure.information_loss import covariances
from discreet.measure.intervals import moments
from discreet.measure.pairs import Floats, as_side

__all__ = [
    "Entropy",
    "entropy",
    "mean_absolute_correlation",
]


@dataclass(frozen=True)
class Entropy:
    """The Shannon entropy of columns, in bits.

    Attributes
    ----------
    columns : mapping of str to float
        By continuous column, from 0 (constant) to log2 n (no value twice).
    """

    columns: Mapping[str, float]

    @property
    def total(self) -> float:
        """The sum over columns, as if they had nothing to do with one another."""
        return math.fsum(self.columns.values())

    def to_dict(self) -> dict[str, Any]:
        """Return the entropies as plain values."""
        return {"total": self.total, "columns": dict(self.columns)}

    def __str__(self) -> str:
        return f"entropy: {self.total:.4g} bits"


def entropy(table: object, *, categorical: Sequence[str] = ()) -> Entropy:
    """Return the Shannon entropy of the values of each continuous column.

    Parameters
    ----------
    table : array, frame or path
        One table; see `as_side`.
    categorical : sequence of str, default none
        Columns of codes that are levels, and are left out; texts and yes/no are left out anyway.

    Returns
    -------
    Entropy
        −Σ p log2 p over the different values of each column, p being the share of rows that
        have a value; and the sum over columns as `.total`. A missing or infinite value is left
        out of its column.

    Raises
    ------
    InputError
        If no column is continuous, or one has no finite number.

    Notes
    -----
    Equal numbers are one value, others are different however close: rounding lowers the
    entropy, noise raises it. Of n different values it is log2 n, whatever they are. A column of
    c rounding points has log2 c at most.

    **What it does not tell.** The entropy of the rows: the paper's total counts what columns
    have in common once for each. Nor does a low entropy protect; a single value alone in its
    region hardly changes it.

    References
    ----------
    Shannon, "A mathematical theory of communication" (1948).
    Senavirathne and Torra, "Rounding based continuous data discretization for statistical
    disclosure control" (2019), section 5.3.

    Examples
    --------
    >>> found = entropy([[1.0, 5.0], [1.0, 6.0], [2.0, 7.0], [2.0, 8.0]])
    >>> dict(found.columns), found.total
    ({'0': 1.0, '1': 2.0}, 3.0)
    """
    side = as_side(table, categorical=categorical)
    if not side.numbers:
        raise InputError("there is no continuous column whose entropy could be taken")
    found = {name: _bits(name, values) for name, values in side.numbers.items()}
    return Entropy(MappingProxyType(found))


def mean_absolute_correlation(table: object, *, categorical: Sequence[str] = ()) -> float:
    """Return the mean of |r| over all pairs of continuous columns.

    Parameters
    ----------
    table : array, frame or path
        One table; see `as_side`.
    categorical : sequence of str, default none
        Columns of codes that are levels, and are left out; texts and yes/no are left out anyway.

    Returns
    -------
    float
        From 0 to 1: the mean of the absolute correlations (Pearson) above the diagonal.

    Raises
    ------
    RefusedError
        If fewer than two columns vary, or a column spans more than can be computed with.

    Notes
    -----
    Columns that are constant are left out, and so is a row of which a number is missing or
    infinite.

    **What it does not tell.** Which pairs, and in which direction: two tables of opposite
    correlations have the same mean. On few rows it is above 0 by chance alone.

    References
    ----------
    Senavirathne and Torra, "Rounding based continuous data discretization for statistical
    disclosure control" (2019), section 5.3.

    Examples
    --------
    >>> round(mean_absolute_correlation([[1, 1, 0], [2, 2, 0], [3, 1, 0], [4, 2, 0]]), 12)
    0.4472135955
    """
    side = as_side(table, categorical=categorical)
    known = side.matrix[np.isfinite(side.matrix).all(axis=1)] if side.numbers else np.empty((0, 0))
    varies = (known != known[:1]).any(axis=0)
    if varies.sum() < 2:
        raise RefusedError("fewer than two continuous columns vary, so there is no correlation")
    mean, sd = moments(known[:, varies])
    if not sd.all():
        raise RefusedError("a column varies too little to be computed with; rescale it")
    r = np.abs(covariances((known[:, varies] - mean) / sd))
    above = r[np.triu_indices(len(r), k=1)]
    return math.fsum(np.minimum(above, 1.0).tolist()) / above.size


def _bits(name: str, values: Floats) -> float:
    known = values[np.isfinite(values)]
    if not known.size:
        raise InputError(f"column {name!r} has no finite number; leave it out")
    shares = np.unique(known, return_counts=True)[1] / known.size
    # The sum may be −0 or a rounding below 0.
    return max(0.0, -math.fsum((shares * np.log2(shares)).tolist()))
