"""Regions that tell the classes of a column apart, and none where they do not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from discreet.arguments import Floats, Labels, check_parameters, ratio, whole
from discreet.errors import InputError
from discreet.rounding.base import SortedColumn, edges_at, sorted_column

ALIKE = 1e-12
"""Bits of entropy by which equally good cuts may differ, as their sums are rounded."""


@dataclass(frozen=True)
class Mdlp:
    """Cuts that lower the entropy of the class by more than they take to describe.

    Notes
    -----
    A set of rows is cut in two where the mean entropy of the class in its two parts is least (of
    equally good cuts, at the lowest), and each part again, as long as the gain is above the least
    description length of Fayyad and Irani (1993). Where the column says nothing of the class there
    is one region.

    **What it does not protect.** Regions may hold few rows. Edges lie where the class changes, so
    they tell of it, even if the class itself is not released.

    Examples
    --------
    >>> column = sorted_column(range(12), ["low"] * 6 + ["high"] * 6)
    >>> Mdlp()(column).tolist()
    [5.5]
    """

    name: ClassVar[str] = "mdlp"
    parameter: ClassVar[str] = ""
    supervised: ClassVar[bool] = True
    promises: ClassVar[str] = (
        "Every value becomes the point of an interval; intervals part where that tells the classes"
        " apart by more than it takes to say."
    )
    leaves_open: ClassVar[str] = (
        "An interval may hold few records, and its ends tell where the class changes."
    )

    def __call__(self, column: SortedColumn) -> Floats:
        """Return the inner edges, none where the class does not depend on the column."""
        counts = _class_counts(column)
        # Where runs of values of one and the same class begin, mixed values alone; and the end.
        pure = np.count_nonzero(counts, axis=1) == 1
        which = np.where(pure, counts.argmax(axis=1), -1)
        new = (which[1:] != which[:-1]) | (which[1:] < 0)
        starts = np.concatenate([[0], np.flatnonzero(new) + 1, [len(counts)]])
        below = np.concatenate([np.zeros((1, counts.shape[1])), np.cumsum(counts, axis=0)])[starts]
        cuts, parts = [], [(0, len(starts) - 1)]
        while parts:
            first, end = parts.pop()
            cut = _best_cut(below[first : end + 1])
            if cut is not None:
                cuts.append(first + cut)
                parts += [(first, first + cut), (first + cut, end)]
        return edges_at(column.values, starts[np.sort(np.array(cuts, dtype=np.intp))])


@dataclass(frozen=True)
class ChiMerge:
    """Neighbouring values merged while their classes do not differ significantly (Kerber 1992).

    Parameters
    ----------
    significance : float, default 0.95
        From 0 to below 1: how sure it must be that neighbouring regions differ.
    most : int, optional
        The largest number of regions: merging goes on until it is reached. At least `fewest`.
    fewest : int, default 1
        The smallest number of regions: merging stops there.

    Notes
    -----
    Begins with a region for each different value, and merges the neighbours of the least chi-square
    until each pair is above the quantile `significance`. An expected count of 0 is taken as 0.1, as
    Kerber does.

    **What it does not protect.** Regions may hold few rows. Of many pairs some differ by chance, so
    a column that says nothing of the class is parted too, at any significance.

    Examples
    --------
    >>> column = sorted_column(range(12), ["low"] * 6 + ["high"] * 6)
    >>> ChiMerge()(column).tolist()
    [5.5]
    """

    name: ClassVar[str] = "chimerge"
    parameter: ClassVar[str] = ""
    supervised: ClassVar[bool] = True
    promises: ClassVar[str] = (
        "Every value becomes the point of an interval; neighbouring intervals differ in their"
        " classes by more than chance, pair by pair."
    )
    leaves_open: ClassVar[str] = (
        "An interval may hold few records, and its ends tell where the class changes."
    )

    significance: float = ratio(0.95)
    most: int | None = whole(1, default=None)
    fewest: int = whole(1, default=1)

    def __post_init__(self) -> None:
        check_parameters(self)
        if self.significance >= 1:
            raise InputError("significance must be below 1")
        if self.most is not None and self.most < self.fewest:
            raise InputError("most must be at least `fewest`")

    def __call__(self, column: SortedColumn) -> Floats:
        """Return the inner edges, rising."""
        from scipy.stats import chi2

        from discreet.kernels.columns import merge_by_chi_square

        table = _class_counts(column).astype(np.float64)
        freedom = int(np.count_nonzero(table.any(axis=0))) - 1
        threshold = float(chi2.ppf(self.significance, freedom)) if freedom else math.inf
        most = len(table) if self.most is None else self.most
        begins = merge_by_chi_square(table, threshold, self.fewest, most)
        return edges_at(column.values, np.flatnonzero(begins)[1:])


def _class_counts(column: SortedColumn) -> Labels:
    if column.class_counts is None:
        raise InputError("regions are found by a class here; give the class of each row")
    return column.class_counts


def _entropy(counts: Floats) -> Floats:
    """Return the entropy of the classes in each row, in bits."""
    shares = counts / counts.sum(axis=-1, keepdims=True)
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    # In order of size, so that renamed classes give the same sum.
    return np.asarray(-np.sort(shares * logs, axis=-1).sum(axis=-1), dtype=np.float64)


def _best_cut(below: Floats) -> int | None:
    """Return the best cut of a set of rows, or None where it tells too little.

    `below` are the counts of each class below each boundary, from its first to its last.
    """
    if len(below) < 3:
        return None
    whole = below[-1] - below[0]
    lower, upper = below[1:-1] - below[0], below[-1] - below[1:-1]
    n, low_entropy, high_entropy = whole.sum(), _entropy(lower), _entropy(upper)
    parted = (lower.sum(axis=1) * low_entropy + upper.sum(axis=1) * high_entropy) / n
    cut = int(np.flatnonzero(parted <= parted.min() + ALIKE)[0])
    entropy = float(_entropy(whole))
    q, q1, q2 = (int(np.count_nonzero(part)) for part in (whole, lower[cut], upper[cut]))
    # log2(3^q - 2), with a power that is no number too large where there are many classes.
    described = q * math.log2(3) + math.log2(1 - 2 / 3.0 ** min(q, 600))
    described -= q * entropy - q1 * low_entropy[cut] - q2 * high_entropy[cut]
    gain = entropy - parted[cut]
    return cut + 1 if gain > (math.log2(n - 1) + described) / n else None


def mdlp(x: ArrayLike, y: ArrayLike) -> Floats:
    """Return the inner edges of the regions of Fayyad and Irani, of `x` with classes `y`: `Mdlp`.

    Examples
    --------
    >>> mdlp([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], list("aaaabbbb")).tolist()
    [4.5]
    """
    return Mdlp()(sorted_column(x, y))


def chimerge(
    x: ArrayLike, y: ArrayLike, significance: float = 0.95, most: int | None = None, fewest: int = 1
) -> Floats:
    """Return the inner edges, rising, of the regions of Kerber, of `x` with classes `y`.

    Examples
    --------
    >>> chimerge([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], list("aaaabbbb")).tolist()
    [4.5]
    """
    return ChiMerge(significance, most, fewest)(sorted_column(x, y))
