"""Groups of at least k rows that lie near each other, and rows redrawn from them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from discreet.arguments import (
    CheckedParameters,
    Floats,
    Labels,
    as_matrix,
    as_strata,
    check_ratio,
    check_whole,
    whole,
)
from discreet.errors import BrokenPromiseError, RefusedError
from discreet.methods.base import (
    check_groups_of_persons,
    check_normals,
    lexicographic,
    means_of_persons,
    persons_in,
    rows_by_stratum,
    standardise,
)
from discreet.progress import advance
from discreet.rounding.groups import GAIN

TASK = "grouping"


def mdav(X: ArrayLike, k: int) -> Labels:
    """Return groups of at least k rows by exact MDAV on standardised columns, in the order made.

    While 3k rows or more are left: take the row r farthest from the centroid of what is left
    and group it with its k - 1 nearest; then the row s farthest from r, with its k - 1 nearest.
    Of 2k to 3k - 1 rows left one group is made around the farthest and one of the rest; fewer
    are one group.

    Parameters
    ----------
    X : array-like of shape (n, p)
        Finite numbers, no constant column.
    k : int
        The least number of rows in a group; 2 <= k <= n.

    Raises
    ------
    InputError
        If k is no whole number of at least 2, or X malformed.
    RefusedError
        If there are fewer than k rows or a column is constant.

    Notes
    -----
    Ties go to the row whose z-scores come first in lexicographic order, so the order of the file
    decides nothing but which of several equal rows goes where. Nothing is approximated. Time grows
    about with n to the power 1.2 to 1.3 for 4 columns, faster for more.

    **What it does not protect.** Labels are private. Means of such groups are k-anonymous once;
    released for several k, or for several sets of columns, they give records away exactly. Means
    also keep the total of each column.

    References
    ----------
    Domingo-Ferrer and Torra (2005), section 3. The groups have the means that sdcMicro 5.8.1 gives
    (method "mdav").

    Examples
    --------
    >>> mdav([[1, 1], [9, 9], [1, 2], [8, 9], [2, 1], [9, 8]], k=3).tolist()
    [0, 1, 0, 1, 0, 1]
    """
    return _group_rows(X, k, None)


def vmdav(X: ArrayLike, k: int, gamma: float = GAIN) -> Labels:
    """Return groups of at least k rows by V-MDAV on standardised columns, in the order made.

    While k rows or more are left: take the row farthest from the centroid of all rows and group
    it with its k - 1 nearest. Then, up to 2k - 1: of the rows left take the one nearest to any
    row of the group; it joins if it is nearer to the group than `gamma` times its distance from
    the nearest other row left (the last row left always does, unless gamma is 0), else the group
    is done. Rows left at last join the group whose centroid, as it was made, is nearest.

    `X`, k and errors are as of `mdav`. `gamma`, at least 0, is the gain factor: 0 lets no row join,
    and the authors use 0.2 for scattered rows and 1.1 for rows in clusters.

    Notes
    -----
    Ties as in `mdav`; of equally near centroids that of the group made first counts. Groups hold
    k rows or more, most of them at most 2k - 1; rows left at last may bring one up to 3k - 2.

    **What it does not protect.** As of `mdav`, for several gamma too. How large a group is tells
    how its rows lie.

    References
    ----------
    Solanas, Martínez-Ballesté and Domingo-Ferrer (2006).

    Examples
    --------
    >>> vmdav([[1, 1], [9, 9], [1, 2], [8, 9], [2, 1], [9, 8], [1, 1.1]], k=3).tolist()
    [1, 0, 1, 0, 1, 0, 1]
    """
    return _group_rows(X, k, check_ratio("gamma", gamma, zero=True))


def _group_rows(X: ArrayLike, k: int, gamma: float | None) -> Labels:
    """Return the groups of rows in the order of the file; refuse what cannot be grouped."""
    matrix = as_matrix(X)
    if check_whole("k", k, least=2) > len(matrix):
        raise RefusedError("k must be at most the number of rows; choose a smaller k")
    z = standardise(matrix)[0]
    order = lexicographic(z, matrix)
    labels = np.empty(len(z), dtype=np.intp)
    labels[order] = strata_groups(z[order], [len(z)], int(k), gamma)
    return labels


def groups_in_order(
    z: Floats, strata: Labels, k: int, *ties: Floats, gamma: float | None = None
) -> tuple[Labels, Labels]:
    """Return an order of standardised rows, stratum by stratum, and the group of each row in it.

    `ties` order rows that are equal. Groups are those of MDAV; with `gamma`, of V-MDAV.
    """
    sizes = [len(rows) for rows in rows_by_stratum(strata, k)]
    order = lexicographic(strata, z, *ties)
    return order, strata_groups(z[order], sizes, k, gamma)


def strata_groups(
    ordered: Floats, sizes: Sequence[int], k: int, gamma: float | None = None
) -> Labels:
    """Return the groups of standardised rows in lexicographic order, stratum after stratum.

    Strata have `sizes` of at least k rows. What was made is counted again, apart from how.
    """
    total = len(ordered)
    labels = np.full(total, -1, dtype=np.intp)
    start = made = 0
    for size in sizes:
        rows = ordered[start : start + size]
        if rows.shape[1] == 1:
            groups = _group_column(rows, k, gamma)
        elif gamma is not None:
            groups = _variable(rows, k, float(gamma), start, total)
        else:
            groups = _fixed(rows, k, start, total)
        labels[start : start + size] = made + groups
        made += int(groups.max()) + 1
        start += size
    for part in np.split(labels, np.cumsum(sizes)[:-1]):
        members = np.bincount(part - part.min())
        if part.min() < 0 or members[members > 0].min() < k:
            raise BrokenPromiseError(
                "a group was counted again and holds fewer than k rows; please report this"
            )
    return labels


def _fixed(ordered: Floats, k: int, before: int, total: int) -> Labels:
    """Return the MDAV groups of one stratum, the rows `before` of `total` being done."""
    from discreet.kernels.mdav import mdav_steps, rows_left, sow

    left = sow(np.ascontiguousarray(ordered), k)
    while rows := rows_left(left):
        mdav_steps(left, k, max(0, rows - math.ceil(total / 100)))
        advance(TASK, before + len(ordered) - rows_left(left), total)
    return left.labels


def _variable(ordered: Floats, k: int, gamma: float, before: int, total: int) -> Labels:
    """Return the V-MDAV groups of one stratum, the rows `before` of `total` being done."""
    from discreet.kernels.mdav import rows_left, sow, vmdav_steps

    left = sow(np.ascontiguousarray(ordered), k)
    while (rows := rows_left(left)) >= k:
        vmdav_steps(left, k, gamma, max(0, rows - math.ceil(total / 100)))
        advance(TASK, before + len(ordered) - rows_left(left), total)
    advance(TASK, before + len(ordered), total)
    return _join_rest(ordered, left.labels)


def _group_column(ordered: Floats, k: int, gamma: float | None = None) -> Labels:
    """Return the groups of one column in order, whose farthest row is always at an end."""
    from discreet.kernels.columns import mdav_labels, vmdav_labels

    values = np.ascontiguousarray(ordered[:, 0])
    starts = np.arange(len(values) + 1, dtype=np.intp)
    if gamma is None:
        labels = mdav_labels(values, starts, k)
    else:
        labels = vmdav_labels(values, starts, k, float(gamma))
    if (values[1:] != values[:-1]).all():
        return labels
    return labels[np.lexsort((labels, values))]  # of equal rows the first in the groups made first


def _join_rest(ordered: Floats, labels: Labels) -> Labels:
    """Let each row without a group join the one whose centroid is nearest, the first of such."""
    rest, grouped = np.flatnonzero(labels < 0), labels >= 0
    names = labels[grouped]
    members = np.bincount(names)
    centroids = [np.bincount(names, column) / members for column in ordered[grouped].T]
    for row in rest:
        gaps = np.zeros(len(members))
        for centroid, at in zip(centroids, ordered[row], strict=True):
            gaps += (centroid - at) ** 2
        labels[row] = gaps.argmin()
    return labels


def means_of(matrix: Floats, mean: Floats, order: Labels, groups: Labels) -> Floats:
    """Return each row's group mean; `groups` are those of the rows in `order`.

    Summed in that order and about the `mean` of each column, so that neither the order of the
    file nor a large offset shows in the last digits.
    """
    members = np.bincount(groups)
    ordered = matrix[order]
    out = np.empty_like(matrix)
    for j in range(matrix.shape[1]):
        total = np.bincount(groups, ordered[:, j] - mean[j])
        out[order, j] = (total / members + mean[j])[groups]
    return out


def check_shared(rows: Floats, strata: Labels, k: int) -> None:
    """Count again, apart from how rows were grouped, that k rows or more share each one."""
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


OFF_FLATS = 0.2
"""The share of covariance given up where a group has no more rows than there are columns."""


@dataclass(frozen=True)
class Condensation(CheckedParameters):
    """Rows redrawn, with keyed noise, from the mean and covariance of their MDAV group.

    `k` is the least number of rows in a group, at least 2. A stratum of fewer rows and a constant
    column are refused.

    Notes
    -----
    The columns are standardised over all rows; within each stratum rows are grouped by MDAV;
    a row becomes ``mean + A @ normals`` with the mean of its group, ``A @ A.T`` the covariance
    of its group and ``normals`` its own. Where a group has no more rows than there are columns,
    its correlations are drawn in by a fifth: else its rows and those drawn from them lie in one
    flat, and seven known columns of ten gave the others within 5 % of a standard deviation for
    59 % of records (guessing: 4 %). The rows of a group are exchangeable, so who knows the
    true values finds a record's own released row with a chance of about 1/k. Groups are not
    kept. Permuted rows (with their normals) give the permuted result to the last bit.

    With `persons` it is their means (in each stratum) that are grouped, so that a group holds at
    least k people with all their rows; each weighs the same in the group's mean and covariance.

    **What it does not protect.** Where many records lie close together, a released row still
    lies near true ones: nothing that looks like the data does otherwise. Far records stretch
    their group: clip the columns (to the mean of the k smallest and largest values) first, or
    standard deviations and correlations come out wrong. Two releases of the same records with
    another k or other columns can be compared, so protect once.

    References
    ----------
    Aggarwal and Yu, "A condensation approach to privacy preserving data mining", EDBT 2004,
    section 2. Groups: Domingo-Ferrer and Mateo-Sanz, "Practical data-oriented microaggregation
    for statistical disclosure control", IEEE TKDE 14(1), 2002, by way of MDAV.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[1.0], [2.0], [3.0], [10.0], [11.0], [12.0]])
    >>> normals, strata = np.zeros((6, 1)), np.zeros(6, dtype=np.intp)
    >>> Condensation(k=3)(x, normals, strata).round(6).ravel().tolist()
    [2.0, 2.0, 2.0, 11.0, 11.0, 11.0]
    """

    name: ClassVar[str] = "condensation"
    promises: ClassVar[str] = (
        "Each row is redrawn from the mean and covariance of a group of at least k records, so"
        " the rows of a group cannot be told apart."
    )
    leaves_open: ClassVar[str] = (
        "Where many records lie close together a released row still lies near true ones, and far"
        " records distort their group unless the columns are clipped first."
    )
    least_k: ClassVar[int] = 2
    noise: ClassVar[float] = 0.0
    by_noise: ClassVar[bool] = False
    shared_by_k: ClassVar[bool] = False
    averages: ClassVar[bool] = False
    declared: ClassVar[tuple[str, ...]] = ()
    sentence: ClassVar[str] = (
        "similar records were put into groups of at least {k}, and each row was drawn"
        " anew from its group's means and spreads"
    )
    not_claimed: ClassVar[tuple[str, ...]] = (
        "k-anonymity in the sense of equal rows: the rows of a group cannot be told apart, but"
        " are not equal",
        "that values are hidden where many records lie close together",
    )

    k: int = whole(2, default=5)

    def __call__(
        self, values: Floats, normals: Floats, strata: Labels, persons: Labels | None = None
    ) -> Floats:
        """Protect `values` (n rows, p columns) within `strata`, with `normals` (n, p).

        All rows of a person in a stratum are in one group.
        """
        matrix = as_matrix(values)
        labels = as_strata(strata, len(matrix))
        noise = check_normals(normals, matrix)
        z, mean, sd = standardise(matrix)
        out = np.empty_like(z)
        shares = None
        if persons is None:
            # Equal rows go by their noise, so that the file's order tells nothing.
            order, groups = groups_in_order(z, labels, self.k, noise)
            sizes = np.bincount(groups)
        else:
            order, groups, shares = _groups_of_persons(z, noise, labels, persons, self.k)
            sizes = persons_in(groups, persons[order])
        out[order] = _redraw(z[order], noise[order], groups, sizes, shares)
        return out * sd + mean


def _groups_of_persons(
    z: Floats, noise: Floats, strata: Labels, persons: Labels, k: int
) -> tuple[Labels, Labels, Floats]:
    """Return an order of rows, the group of each in it, and its share of a person.

    What is grouped are the means of people, each in a stratum.
    """
    means, strata_of, at = means_of_persons(np.column_stack([z, noise]), strata, persons)
    p = z.shape[1]
    first, groups_of_means = groups_in_order(means[:, :p], strata_of, k, means[:, p:])
    group_of = np.empty_like(groups_of_means)
    group_of[first] = groups_of_means
    order = lexicographic(strata, z, noise)
    groups = group_of[at[order]]
    check_groups_of_persons(groups, persons[order], k)
    return order, groups, (1.0 / np.bincount(at))[at[order]]


def _redraw(
    z: Floats, noise: Floats, groups: Labels, sizes: Labels, shares: Floats | None = None
) -> Floats:
    """Return each row drawn anew from the mean and covariance of its group.

    `sizes` are how many people each group holds. Of one who has several rows each weighs a share:
    else the group's moments would be those of whoever has very many.
    """
    p = z.shape[1]
    weights = np.ones(len(z)) if shares is None else shares
    mean = np.stack([np.bincount(groups, z[:, j] * weights) / sizes for j in range(p)], axis=1)
    gap = z - mean[groups]
    # Divisor m, not m - 1: m rows drawn from it have, on average, the sum of squares about the
    # group's mean that its members have, so the column's sd is kept; m - 1 would add a quarter
    # to that part at m = 5.
    covariance = np.empty((len(sizes), p, p))
    for i in range(p):
        for j in range(i + 1):
            entry = np.bincount(groups, gap[:, i] * gap[:, j] * weights) / sizes
            covariance[:, i, j] = covariance[:, j, i] = entry
    # Groups of too few rows to fill the space of their columns have noise of their own: else m rows
    # and the m drawn from them lie in one flat of m - 1 dimensions, and who knows some columns
    # solves for the others.
    own = np.einsum("gij,ij->gij", covariance, np.eye(p))
    flat = (sizes <= p)[:, None, None]
    covariance = np.where(flat, (1 - OFF_FLATS) * covariance + OFF_FLATS * own, covariance)
    # The symmetric square root: unlike a factor, there is but one.
    spreads, axes = np.linalg.eigh(covariance)
    stretch = np.sqrt(np.clip(spreads, 0, None))
    root = np.einsum("gik,gk,gjk->gij", axes, stretch, axes)
    out = mean[groups]
    for i in range(p):
        for j in range(p):
            out[:, i] += root[groups, i, j] * noise[:, j]
    return out
