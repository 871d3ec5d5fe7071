"""Rows rounded over all columns jointly (microaggregation), or each column by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from discreet.arguments import Floats, Labels, as_matrix, as_strata, check_parameters, whole, word
from discreet.errors import InputError, RefusedError
from discreet.methods.base import (
    by_person,
    check_normals,
    lexicographic,
    refuse_persons,
    rows_by_stratum,
    standardise,
)
from discreet.methods.microaggregation import check_shared, groups_in_order, means_of, strata_groups
from discreet.rounding.base import sorted_column
from discreet.rounding.choice import FREEDMAN_DIACONIS, known_method, settled
from discreet.rounding.groups import GAIN
from discreet.rounding.rounding_set import (
    ENCODINGS,
    REPRESENTATIVES,
    RoundingSet,
    column_sets,
    encoded,
    regions_of,
)

OF_ROWS: Mapping[str, Callable[[Floats, Labels, int], tuple[Labels, Labels]]] = MappingProxyType(
    {"mdav": groups_in_order, "vmdav": partial(groups_in_order, gamma=GAIN)}
)
"""What groups rows themselves rather than the values of each column."""


@dataclass(frozen=True)
class Rounding:
    """Rows rounded over all columns jointly: every released row is shared by k or more.

    Parameters
    ----------
    method : str, default "mdav"
        How rounding points are found: "mdav" and "vmdav" group the rows themselves. Any other
        rounds the columns one by one; rows that share all their regions with k or more are a
        group, the rest are grouped by MDAV. One that needs classes is refused.
    k : int, default 5
        The least number of rows that share a released row; at least 2.
    c : int, optional
        How many regions each column is parted into; by default so many that there are about as
        many cells as groups of k: the p-th root of n / k, at least 2.

    Notes
    -----
    Columns are standardised over all rows; a row becomes the mean of its group, within its stratum:
    k-anonymity of the rows, the strata among their columns. A stratum of fewer than k rows and a
    constant column are refused. Persons with several rows are grouped by their means. Permuted rows
    give the permuted result to the last bit.

    **What it does not protect.** The mean of each column stays what it was, so the means of two
    versions that differ in one person give that person away; so do groups for several settings or
    sets of columns. Where records lie close together a mean lies near each of them; where k are
    equal in all columns their values are told: of whole numbers in one column 77 to 82 % by
    regions, 52 % by MDAV. Far records pull the mean of their group: clip the columns first. With
    many columns few rows share all their regions, and nearly all are grouped by MDAV.

    References
    ----------
    Domingo-Ferrer and Torra (2005), section 3. Senavirathne and Torra (2019), section 3, who round
    one column at a time; jointly is what their conclusion leaves to later work.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[1.0], [2.0], [3.0], [10.0], [11.0], [12.0]])
    >>> method = Rounding(method="equal_width", k=3, c=2)
    >>> method(x, np.zeros((6, 1)), np.zeros(6, dtype=np.intp)).round(6).ravel()
    array([ 2.,  2.,  2., 11., 11., 11.])
    """

    name: ClassVar[str] = "rounding"
    promises: ClassVar[str] = (
        "Each row is the mean of a group of at least k records, and is shared by all of them: the"
        " rows are k-anonymous over the columns of the group."
    )
    leaves_open: ClassVar[str] = (
        "Where many records lie close together the mean lies near each of them, and where k are "
        "equal it is their value; means of columns are kept, so versions that differ in few "
        "people reveal them."
    )
    least_k: ClassVar[int] = 2
    noise: ClassVar[float] = 0.0
    by_noise: ClassVar[bool] = False
    shared_by_k: ClassVar[bool] = True
    averages: ClassVar[bool] = True
    declared: ClassVar[tuple[str, ...]] = ("rounding", "c")
    sentence: ClassVar[str] = (
        "similar records were put into groups of at least {k} (found by {rounding}), and"
        " each row shows its group's means"
    )
    not_claimed: ClassVar[tuple[str, ...]] = (
        "k-anonymity of this table together with other tables or plots of the same data",
        "that values are hidden where many records lie close together: a group's mean lies near"
        " all of them",
    )

    method: str = "mdav"
    k: int = whole(2, default=5)
    c: int | None = whole(1, default=None)

    def __post_init__(self) -> None:
        check_parameters(self)
        kind = known_method(self.method)
        if kind.supervised:
            raise InputError(
                f"{kind.name!r} rounds one column at a time, by a class; it cannot round rows"
            )
        if self.c is not None and kind.name in OF_ROWS:
            raise InputError(f"{kind.name!r} groups rows by k alone and does not use c")

    def __call__(
        self, values: Floats, normals: Floats, strata: Labels, persons: Labels | None = None
    ) -> Floats:
        """Round `values` (n rows, p columns) within `strata`; `normals` do not matter.

        Of people with several rows the means are rounded, and all rows become that of theirs.
        """
        matrix = as_matrix(values)
        labels = as_strata(strata, len(matrix))
        z, mean, _ = standardise(matrix)
        z, matrix, labels, at = by_person(z, matrix, labels, persons)
        grouped = OF_ROWS.get(known_method(self.method).name)
        if grouped is not None:
            order, groups = grouped(z, labels, self.k)
        else:
            rows_by_stratum(labels, self.k)
            order = lexicographic(labels, z)
            groups = _join_cells(
                self._cells(matrix, labels)[order], labels[order], z[order], self.k
            )
        out = means_of(matrix, mean, order, groups)
        check_shared(out, labels, self.k)
        return out[at]

    def share_by_regions(self, values: Floats, strata: Labels) -> float | None:
        """Return the share of rows that share all their regions with k rows of their stratum.

        The others are grouped by MDAV. None where rows themselves are grouped, by `mdav` and
        `vmdav`.
        """
        if known_method(self.method).name in OF_ROWS:
            return None
        matrix = as_matrix(values)
        cells = self._cells(matrix, as_strata(strata, len(matrix)))
        return float((np.bincount(cells)[cells] >= self.k).mean())

    def _cells(self, matrix: Floats, strata: Labels) -> Labels:
        """Return for each row the number of its combination of stratum and regions."""
        regions = self.c or max(2, round((len(matrix) / self.k) ** (1 / matrix.shape[1])))
        cells = strata
        for values in matrix.T:
            column = sorted_column(values)
            edges = settled(self.method, column, c=regions)(column)
            within = regions_of(values + 0.0, edges)
            cells = np.unique(cells * (len(edges) + 1) + within, return_inverse=True)[1]
        return cells.astype(np.intp)


@dataclass(frozen=True)
class Microaggregation:
    """Rows replaced by the means of their MDAV groups: `Rounding` by "mdav", by its own name.

    The two are told apart by names in policies, pins and reports. `k` is the least number of rows
    in a group, at least 2.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[1.0], [2.0], [3.0], [10.0], [11.0], [12.0]])
    >>> Microaggregation(k=3)(x, np.zeros((6, 1)), np.zeros(6, dtype=np.intp)).round(6).ravel()
    array([ 2.,  2.,  2., 11., 11., 11.])
    """

    name: ClassVar[str] = "microaggregation"
    promises: ClassVar[str] = Rounding.promises
    leaves_open: ClassVar[str] = (
        "Where many records lie close together the mean lies near each of them; means of "
        "columns are kept, so versions that differ in few people reveal them."
    )
    least_k: ClassVar[int] = 2
    noise: ClassVar[float] = 0.0
    by_noise: ClassVar[bool] = False
    shared_by_k: ClassVar[bool] = True
    averages: ClassVar[bool] = True
    declared: ClassVar[tuple[str, ...]] = ()
    sentence: ClassVar[str] = (
        "similar records were put into groups of at least {k}, and each row shows its group's means"
    )
    not_claimed: ClassVar[tuple[str, ...]] = Rounding.not_claimed

    k: int = whole(2, default=5)

    def __post_init__(self) -> None:
        check_parameters(self)

    def __call__(
        self, values: Floats, normals: Floats, strata: Labels, persons: Labels | None = None
    ) -> Floats:
        """Protect `values` (n rows, p columns) within `strata`, as `Rounding` does by MDAV."""
        return Rounding("mdav", self.k)(values, normals, strata, persons)


@dataclass(frozen=True)
class ColumnRounding:
    """Each column rounded by itself, as the rounding paper does it: for public data.

    Parameters
    ----------
    method : str, default "mdav"
        How rounding points are found. Supervised methods take the strata for classes.
    k, c : int or "freedman-diaconis", optional
        As of `discreet.rounding.settled`: the least number of rows in a region of one column, or
        how many regions.
    representative : {"mean", "median", "midpoint"}, default "mean"
        What stands for a region.
    encoding : {"region", "nearest", "stochastic"}, default "region"
        Which point replaces a value.

    Notes
    -----
    Regions are found over all rows, whatever their strata; fewer than k are refused. A base is the
    smallest that leaves k rows at each multiple, to full precision. **What it does not protect.**
    Rows of several columns are hardly ever shared by k: it is not k-anonymity.

    References
    ----------
    Senavirathne and Torra (2019), section 3.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[1.0], [2.0], [3.0], [10.0], [11.0], [12.0]])
    >>> ColumnRounding(k=3)(x, np.zeros((6, 1)), np.zeros(6, dtype=np.intp)).ravel()
    array([ 2.,  2.,  2., 11., 11., 11.])
    """

    name: ClassVar[str] = "column-rounding"
    promises: ClassVar[str] = (
        "Each value is a point that stands for a region of its column; by microaggregation at"
        " least k records share it, in that column."
    )
    leaves_open: ClassVar[str] = (
        "Rows of several columns are hardly ever shared by k records: it is no k-anonymity of "
        "the rows. A region of few records reveals them."
    )
    least_k: ClassVar[int] = 1
    noise: ClassVar[float] = 0.0
    by_noise: ClassVar[bool] = False
    shared_by_k: ClassVar[bool] = False
    averages: ClassVar[bool] = False
    declared: ClassVar[tuple[str, ...]] = ()
    sentence: ClassVar[str] = (
        "each column was rounded by itself: every value became one of a few points (found by"
        " {rounding}; the {representative} of a region stands for it; encoding: {encoding})"
    )
    not_claimed: ClassVar[tuple[str, ...]] = (
        "k-anonymity of the rows: columns were rounded one at a time, and few rows are shared in"
        " all of them",
        "that a point shared by k records in one column hides whose row it is",
    )

    method: str = "mdav"
    k: int | str | None = whole(1, default=None, or_word=FREEDMAN_DIACONIS)
    c: int | str | None = whole(1, default=None, or_word=FREEDMAN_DIACONIS)
    representative: str = word("mean", REPRESENTATIVES)
    encoding: str = word("region", ENCODINGS)

    def __post_init__(self) -> None:
        check_parameters(self)
        if self.k is not None and self.c is not None:
            raise InputError("k and c both set the size of regions; give one of them")
        known_method(self.method)

    def __call__(
        self, values: Floats, normals: Floats, strata: Labels, persons: Labels | None = None
    ) -> Floats:
        """Round each column of `values` (n rows, p columns); `normals` decide what is drawn."""
        from scipy.special import ndtr

        refuse_persons(self.name, persons)
        matrix = as_matrix(values)
        uniforms = None
        if self.encoding == "stochastic":
            uniforms = np.asarray(ndtr(check_normals(normals, matrix)))
        names = [str(j) for j in range(matrix.shape[1])]
        return encoded(self.sets(matrix, strata, names), matrix, self.encoding, uniforms)

    def sets(self, matrix: Floats, strata: Labels, names: list[str]) -> tuple[RoundingSet, ...]:
        """Return the rounding set of each column of `matrix`."""
        kind = known_method(self.method)
        if kind.supervised and len(np.unique(strata)) < 2:
            raise RefusedError(
                f"{kind.name!r} finds regions by a class, and there is none; name the column that"
                " holds it as a stratum"
            )
        return column_sets(
            matrix,
            self.method,
            k=self.k,
            c=self.c,
            representative=self.representative,
            names=names,
            classes=strata,
            exact=True,
        )


def _join_cells(cells: Labels, strata: Labels, z: Floats, k: int) -> Labels:
    """Return groups of at least k rows: cells of as many, the other rows as MDAV groups them.

    Rows are in canonical order, stratum after stratum. Where fewer than k of a stratum are left
    over, they join the large cell whose mean is nearest to theirs.
    """
    small = np.bincount(cells)[cells] < k
    groups = np.where(small, -1, cells)
    made = int(cells.max()) + 1
    for rows in np.split(np.arange(len(cells)), np.flatnonzero(np.diff(strata)) + 1):
        left = rows[small[rows]]
        if not left.size:
            continue
        if left.size >= k:
            groups[left] = made + strata_groups(z[left], [left.size], k)
            made = int(groups[left].max()) + 1
        else:
            groups[left] = _nearest(z[left].mean(axis=0), groups[rows], z[rows])
    return np.unique(groups, return_inverse=True)[1].astype(np.intp)


def _nearest(at: Floats, groups: Labels, z: Floats) -> int:
    """Return the group, but those numbered -1, whose mean is nearest to a point."""
    names, place = np.unique(groups[groups >= 0], return_inverse=True)
    grouped = z[groups >= 0]
    members = np.bincount(place)
    means = np.column_stack([np.bincount(place, column) / members for column in grouped.T])
    return int(names[np.square(means - at).sum(axis=1).argmin()])
