"""MDAV and V-MDAV: groups of at least k rows that lie near each other."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from discreet.errors import BrokenPromiseError, RefusedError
from discreet.progress import advance
from discreet.protect.arguments import check_ratio, check_whole
from discreet.protect.base import Floats, Labels, as_matrix
from discreet.protect.canonical import lexicographic, rows_by_stratum, standardise

__all__ = ["GAIN", "groups_in_order", "mdav", "strata_groups", "strata_variable_groups", "vmdav"]

TASK = "grouping"
GAIN = 0.2
"""How much nearer to a group than to the rest a row must be to join it: what Solanas et al. use."""
FEW = 2000
"""So many rows take less time in numpy than it takes to load the kernels."""

BLOCKS = 64
"""How many rows share one of the minima among which the nearest are first looked for."""


def mdav(X: ArrayLike, k: int) -> Labels:
    """Group rows into groups of at least k by exact MDAV on standardised columns.

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

    Returns
    -------
    ndarray of int, of shape (n,)
        The group of each row, numbered from 0 in the order they were made.

    Raises
    ------
    InputError
        If k is no whole number of at least 2, or X malformed.
    RefusedError
        If there are fewer than k rows or a column is constant.
    BrokenPromiseError
        If a group, counted again, holds fewer than k rows.

    Notes
    -----
    Ties go to the row whose z-scores come first in lexicographic order, so the order of the
    file does not matter; which of several equal rows goes where is the only thing it decides.
    Nothing is approximated. Time grows about with n to the power 1.2 to 1.3 for 4 columns, faster
    for more.

    **What it does not protect.** Labels say who is grouped with whom: they are private. Means
    of such groups are k-anonymous once; released for several k, or for several sets of columns,
    they give records away exactly. Means also keep the total of each column exactly.

    References
    ----------
    Domingo-Ferrer and Torra, "Ordinal, continuous and heterogeneous k-anonymity through
    microaggregation", Data Mining and Knowledge Discovery 11 (2005), section 3. The groups have
    the means that sdcMicro 5.8.1 gives (method "mdav").

    Examples
    --------
    >>> mdav([[1, 1], [9, 9], [1, 2], [8, 9], [2, 1], [9, 8]], k=3).tolist()
    [0, 1, 0, 1, 0, 1]
    """
    z, order = _in_order(X, k)
    labels = np.empty(len(z), dtype=np.intp)
    labels[order] = strata_groups(z[order], [len(z)], int(k))
    return labels


def vmdav(X: ArrayLike, k: int, gamma: float = GAIN) -> Labels:
    """Group rows into groups of at least k by V-MDAV on standardised columns.

    While k rows or more are left: take the row farthest from the centroid of all rows and group
    it with its k - 1 nearest. Then, up to 2k - 1: of the rows left take the one nearest to any
    row of the group; it joins if it is nearer to the group than `gamma` times its distance from
    the nearest other row left (the last row left always does, unless gamma is 0), else the group
    is done. Rows left at last join the group whose centroid, as it was made, is nearest.

    Parameters
    ----------
    X : array-like of shape (n, p)
        Finite numbers, no constant column.
    k : int
        The least number of rows in a group; 2 <= k <= n.
    gamma : float, default 0.2
        The gain factor; at least 0, which lets no row join. The authors use 0.2 for scattered
        rows and 1.1 for rows in clusters.

    Returns
    -------
    ndarray of int, of shape (n,)
        The group of each row, numbered from 0 in the order they were made.

    Raises
    ------
    InputError
        If k is no whole number of at least 2, gamma negative, or X malformed.
    RefusedError
        If there are fewer than k rows or a column is constant.
    BrokenPromiseError
        If a group, counted again, holds fewer than k rows.

    Notes
    -----
    Ties as in `mdav`; of equally near centroids that of the group made first counts. Groups hold
    k rows or more, most of them at most 2k - 1; rows left at last may bring one up to 3k - 2.
    Time grows about as that of `mdav`.

    **What it does not protect.** As of `mdav`: labels are private, and means of groups for
    several k or gamma give records away. How large a group is tells how its rows lie.

    References
    ----------
    Solanas, Martínez-Ballesté and Domingo-Ferrer, "V-MDAV: a multivariate microaggregation with
    variable group size", COMPSTAT 2006.

    Examples
    --------
    >>> vmdav([[1, 1], [9, 9], [1, 2], [8, 9], [2, 1], [9, 8], [1, 1.1]], k=3).tolist()
    [1, 0, 1, 0, 1, 0, 1]
    """
    gamma = check_ratio("gamma", gamma, zero=True)
    z, order = _in_order(X, k)
    labels = np.empty(len(z), dtype=np.intp)
    labels[order] = strata_variable_groups(z[order], [len(z)], int(k), gamma)
    return labels


def _in_order(X: ArrayLike, k: int) -> tuple[Floats, Labels]:
    """Return standardised rows and their canonical order; refuse what cannot be grouped."""
    matrix = as_matrix(X)
    if check_whole("k", k, least=2) > len(matrix):
        raise RefusedError("k must be at most the number of rows; choose a smaller k")
    z = standardise(matrix)[0]
    return z, lexicographic(z, matrix)


def groups_in_order(
    z: Floats, strata: Labels, k: int, *ties: Floats, gamma: float | None = None
) -> tuple[Labels, Labels]:
    """Return an order of rows, stratum by stratum, and the group of each row in it.

    Parameters
    ----------
    z : ndarray of shape (n, p)
        Standardised rows.
    strata : ndarray of int, of shape (n,)
        The stratum of each row, numbered from 0.
    k : int
        The least number of rows in a group.
    *ties : ndarrays of shape (n, q)
        What orders rows that are equal.
    gamma : float, optional
        The gain factor of V-MDAV; without one the groups are those of MDAV.

    Returns
    -------
    tuple of ndarray of int, of shape (n,)

    Raises
    ------
    RefusedError
        If a stratum holds fewer than `k` rows.
    BrokenPromiseError
        If a group, counted again, does.
    """
    sizes = [len(rows) for rows in rows_by_stratum(strata, k)]
    order = lexicographic(strata, z, *ties)
    if gamma is None:
        return order, strata_groups(z[order], sizes, k)
    return order, strata_variable_groups(z[order], sizes, k, gamma)


def strata_groups(ordered: Floats, sizes: Sequence[int], k: int) -> Labels:
    """Return the MDAV groups of rows in canonical order, stratum after stratum.

    Parameters
    ----------
    ordered : ndarray of shape (n, p)
        Standardised rows; those of a stratum follow one another, in lexicographic order.
    sizes : sequence of int
        How many rows each stratum has; at least k.
    k : int
        The least number of rows in a group.

    Returns
    -------
    ndarray of int, of shape (n,)
        The group of each row; no group lies in two strata.

    Raises
    ------
    BrokenPromiseError
        If a group, counted again, holds fewer than k rows.
    """
    total = len(ordered)
    if ordered.shape[1] == 1:
        return _by_stratum(lambda rows, _: _on_a_line(rows, k), ordered, sizes, k)
    make = _few if total < FEW else _many
    return _by_stratum(lambda rows, before: make(rows, k, before, total), ordered, sizes, k)


def strata_variable_groups(ordered: Floats, sizes: Sequence[int], k: int, gamma: float) -> Labels:
    """Return the V-MDAV groups of rows in canonical order, stratum after stratum.

    Parameters
    ----------
    ordered, sizes, k
        As in `strata_groups`.
    gamma : float
        The gain factor; at least 0.

    Returns
    -------
    ndarray of int, of shape (n,)
        The group of each row; no group lies in two strata.

    Raises
    ------
    BrokenPromiseError
        If a group, counted again, holds fewer than k rows.
    """
    total = len(ordered)
    if ordered.shape[1] == 1:
        return _by_stratum(lambda rows, _: _on_a_line(rows, k, gamma), ordered, sizes, k)
    return _by_stratum(
        lambda rows, before: _variable(rows, k, float(gamma), before, total), ordered, sizes, k
    )


def _by_stratum(
    make: Callable[[Floats, int], Labels], ordered: Floats, sizes: Sequence[int], k: int
) -> Labels:
    """Return the groups made of each stratum, given how many rows are done before it."""
    labels = np.full(len(ordered), -1, dtype=np.intp)
    start = made = 0
    for size in sizes:
        rows = slice(start, start + size)
        labels[rows] = made + make(ordered[rows], start)
        made = int(labels[rows].max()) + 1
        start += size
    _check_groups(labels, sizes, k)
    return labels


def _check_groups(labels: Labels, sizes: Sequence[int], k: int) -> None:
    """Count the groups of each stratum again, apart from how they were made."""
    for part in np.split(labels, np.cumsum(sizes)[:-1]):
        members = np.bincount(part - part.min())
        if part.min() < 0 or members[members > 0].min() < k:
            raise BrokenPromiseError(
                "a group was counted again and holds fewer than k rows; please report this"
            )


# --- by the kernels ---------------------------------------------------------------------------


def _many(ordered: Floats, k: int, before: int, total: int) -> Labels:
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
    return _joined(ordered, left.labels)


def _on_a_line(ordered: Floats, k: int, gamma: float | None = None) -> Labels:
    """Return the groups of one column in order, whose farthest row is always at an end."""
    from discreet.kernels.partitions import mdav_labels, vmdav_labels

    values = np.ascontiguousarray(ordered[:, 0])
    starts = np.arange(len(values) + 1, dtype=np.intp)
    if gamma is None:
        found = mdav_labels(values, starts, k)
    else:
        found = vmdav_labels(values, starts, k, float(gamma))
    if (values[1:] != values[:-1]).all():
        return found
    return found[np.lexsort((found, values))]  # of equal rows the first in the groups made first


def _joined(ordered: Floats, labels: Labels) -> Labels:
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


# --- by numpy, for few rows -------------------------------------------------------------------


def _few(ordered: Floats, k: int, before: int, total: int) -> Labels:
    """Return the MDAV groups of one stratum, the rows `before` of `total` being done."""
    left = _Left(ordered)
    told = left.count
    while left.count >= 3 * k:
        left.measure(left.centroid())
        left.measure(left.point(left.farthest()))
        left.group(left.nearest(k))
        left.measure(left.point(left.farthest()))
        left.group(left.nearest(k))
        left.compact()
        if told - left.count >= total / 100:
            told = left.count
            advance(TASK, before + len(ordered) - told, total)
    if left.count >= 2 * k:
        left.measure(left.centroid())
        left.measure(left.point(left.farthest()))
        left.group(left.nearest(k))
    left.compact(always=True)
    left.group(np.arange(left.count, dtype=np.intp))
    advance(TASK, before + len(ordered), total)
    return left.labels


class _Left:
    """The rows not yet grouped, in canonical order, and their distances from one point.

    Grouped rows are only noted down until a quarter are; then the columns are made anew. The
    sum of what is left is kept to twice double precision, so that the centroid is the rounded
    true one, whichever rows have left and when.
    """

    def __init__(self, ordered: Floats) -> None:
        self.count = len(ordered)
        self.labels: Labels = np.full(self.count, -1, dtype=np.intp)
        self._made = 0
        self._columns = np.ascontiguousarray(ordered.T)
        self._rows = np.arange(self.count, dtype=np.intp)
        self._gone: Labels = np.empty(self.count, dtype=np.intp)
        self._distance: Floats = np.empty(self.count)
        self._gap: Floats = np.empty(self.count)
        self._sums = [_twice_sum(column.tolist()) for column in self._columns]

    def centroid(self) -> list[float]:
        return [high / self.count for high, _ in self._sums]

    def point(self, place: int) -> list[float]:
        return [float(column[place]) for column in self._columns]

    def measure(self, point: Sequence[float]) -> None:
        """Set the squared distance of every row from `point`."""
        distance, gap = self._distance, self._gap
        for j, (column, at) in enumerate(zip(self._columns, point, strict=True)):
            out = gap if j else distance
            np.subtract(column, at, out=out)
            np.multiply(out, out, out=out)
            if j:
                np.add(distance, gap, out=distance)

    def farthest(self) -> int:
        """Return the first of the farthest rows."""
        self._distance[self._departed()] = -1.0
        return int(self._distance.argmax())

    def nearest(self, k: int) -> Labels:
        """Return the `k` nearest rows, of equally near ones the first."""
        self._distance[self._departed()] = np.inf
        return _smallest(self._distance, k)

    def group(self, places: Labels) -> None:
        """Make a group of the rows at `places`; they are left no longer."""
        self.labels[self._rows[places]] = self._made
        gone = self._rows.size - self.count
        self._gone[gone : gone + places.size] = places
        self._made += 1
        self.count -= places.size
        for j, column in enumerate(self._columns):
            self._sums[j] = _twice_sum([*self._sums[j], *(-column[places]).tolist()])

    def compact(self, *, always: bool = False) -> None:
        """Let go of the rows that have left, if they are a quarter of all."""
        size = self._rows.size
        if not always and 4 * (size - self.count) < size:
            return
        stay = np.ones(size, dtype=np.bool_)
        stay[self._departed()] = False
        self._columns = np.ascontiguousarray(self._columns[:, stay])
        self._rows = self._rows[stay]
        self._distance = np.empty(self.count)
        self._gap = np.empty(self.count)

    def _departed(self) -> Labels:
        return self._gone[: self._rows.size - self.count]


def _twice_sum(terms: Sequence[float]) -> tuple[float, float]:
    """Return the sum of `terms` as a double and the double of what that leaves over."""
    high = math.fsum(terms)
    return high, math.fsum([*terms, -high])


def _smallest(values: Floats, k: int) -> Labels:
    """Return the places of the `k` smallest values, of equal ones the first.

    The k-th smallest of some of the values bounds the k-th smallest of all, so that all but a
    few are ruled out by one comparison.
    """
    width = values.size // BLOCKS
    if width > 4 * k:
        minima = values[: BLOCKS * width].reshape(BLOCKS, width).min(axis=0)
        candidates = np.flatnonzero(values <= np.partition(minima, k - 1)[k - 1])
    else:
        candidates = np.arange(values.size, dtype=np.intp)
    few = values[candidates]
    limit = np.partition(few, k - 1)[k - 1]
    below = candidates[few < limit]
    return np.concatenate([below, candidates[few == limit][: k - below.size]])
