"""Microaggregation: each record becomes the mean of its group of k or more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from discreet.errors import BrokenPromiseError
from discreet.protect.arguments import check_whole
from discreet.protect.base import Floats, Labels, as_matrix, as_strata
from discreet.protect.canonical import standardise
from discreet.protect.grouping import groups_in_order
from discreet.protect.persons import by_person

__all__ = ["Microaggregation", "check_shared", "means_of"]


@dataclass(frozen=True)
class Microaggregation:
    """Rows replaced by the means of their MDAV groups, over all columns jointly.

    Parameters
    ----------
    k : int, default 5
        The least number of rows in a group; at least 2.

    Raises
    ------
    RefusedError
        If a stratum is smaller than k or a column constant.
    BrokenPromiseError
        If a released row, counted again, is shared by fewer than k.

    Notes
    -----
    The columns are standardised over all rows; within each stratum rows are grouped by MDAV; a
    row becomes the mean of its group. Every released row is shared by at least k rows of its
    stratum over all columns: k-anonymity of the rows, the strata among their columns. Permuted
    rows give the permuted result to the last bit. `normals` are not used. Where `persons` says
    that some have several rows, it is their means that are grouped, and a released row is shared
    by at least k persons.

    **What it does not protect.** The mean of each column stays what it was, so the means of two
    versions that differ in one person give that person away; so do groups for several k or for
    several sets of columns. Where records lie close together a mean lies near each of them. Far
    records pull the mean of their group: clip the columns first. Spread within groups is lost.

    References
    ----------
    Domingo-Ferrer and Torra, "Ordinal, continuous and heterogeneous k-anonymity through
    microaggregation", Data Mining and Knowledge Discovery 11 (2005), section 3.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[1.0], [2.0], [3.0], [10.0], [11.0], [12.0]])
    >>> Microaggregation(k=3)(x, np.zeros((6, 1)), np.zeros(6, dtype=np.intp)).round(6).ravel()
    array([ 2.,  2.,  2., 11., 11., 11.])
    """

    name: ClassVar[str] = "microaggregation"
    promises: ClassVar[str] = (
        "Each row is the mean of a group of at least k records, and is shared by all of them: the"
        " rows are k-anonymous over the columns of the group."
    )
    leaves_open: ClassVar[str] = (
        "Where many records lie close together the mean lies near each of them; means of columns"
        " are kept, so versions that differ in few persons give them away."
    )

    k: int = 5

    def __post_init__(self) -> None:
        check_whole("k", self.k, least=2)

    def __call__(
        self, values: Floats, normals: Floats, strata: Labels, persons: Labels | None = None
    ) -> Floats:
        """Protect `values` (n rows, p columns) within `strata`; `normals` do not matter.

        Of persons with several rows the means are protected, and all rows become that of theirs.
        """
        matrix = as_matrix(values)
        labels = as_strata(strata, len(matrix))
        z, mean, _ = standardise(matrix)
        z, matrix, labels, at = by_person(z, matrix, labels, persons)
        order, groups = groups_in_order(z, labels, self.k)
        out = means_of(matrix, mean, order, groups)
        check_shared(out, labels, self.k)
        return out[at]


def means_of(matrix: Floats, mean: Floats, order: Labels, groups: Labels) -> Floats:
    """Return each row's group mean; `groups` are those of the rows in `order`.

    Sums are taken in that order and about the `mean` of each column, so that neither the order
    of the file nor a large offset shows in the last digits.
    """
    members = np.bincount(groups)
    ordered = matrix[order]
    out = np.empty_like(matrix)
    for j in range(matrix.shape[1]):
        total = np.bincount(groups, ordered[:, j] - mean[j])
        out[order, j] = (total / members + mean[j])[groups]
    return out


def check_shared(rows: Floats, strata: Labels, k: int) -> None:
    """Count again, apart from how rows were grouped, that k rows or more share each one.

    Raises
    ------
    BrokenPromiseError
        If some row is shared by fewer than `k` of its stratum.
    """
    columns = [*rows.T, strata]
    order = np.lexsort(columns)
    new = np.zeros(len(strata), dtype=np.bool_)
    new[0] = True
    for column in columns:
        new[1:] |= np.diff(column[order]) != 0
    if np.diff(np.append(np.flatnonzero(new), len(new))).min() < k:
        raise BrokenPromiseError(
            "a released row was counted again and is shared by fewer than k; please report this"
        )
