"""What every row method is: a frozen value of parameters that is called with arrays.

A row method takes the values of one column group, standard normal noise keyed by the secret
(drawn elsewhere, so that a method is a pure function), the stratum of each row and whose it is, and
returns protected values of the same shape. It keeps nothing of what it saw.

Its arithmetic does not depend, to the last bit, on the order of the rows: what is summed over rows
is sorted first, so that nothing of the file's order is left in the last digits.
"""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

import numpy as np

from discreet.arguments import Described, Floats, Labels, as_strata
from discreet.errors import BrokenPromiseError, InputError, RefusedError

TINY = 1e-100
"""Z-scores nearer to zero than this are zero, so that no squared distance underflows."""
CHUNK = 1 << 20
"""How many distances are held at a time."""


class RowMethod(Described, Protocol):
    """Rows in, protected rows out: a frozen class that states all that others must know of it.

    Attributes
    ----------
    least_k : int
        The least k that it can be asked for with.
    noise : float
        The noise that it carries where nobody says how much, as a share of a column's sd.
    by_noise : bool
        Whether it is values with noise and nothing else: it is asked for with q, and k plays no
        part. Other methods carry noise in guarded studies alone.
    shared_by_k : bool
        Whether each released row is shared by k, however many columns it has.
    averages : bool
        Whether rows become means of rows near them, so that results look surer than they are.
    declared : tuple of str
        Fields of a policy, beside k, q and those of all methods, that decide its values.
    sentence : str
        How a report says what was done; in braces what is filled in.
    not_claimed : tuple of str
        What must not be claimed of a table made by it.
    """

    least_k: ClassVar[int]
    noise: ClassVar[float]
    by_noise: ClassVar[bool]
    shared_by_k: ClassVar[bool]
    averages: ClassVar[bool]
    declared: ClassVar[tuple[str, ...]]
    sentence: ClassVar[str]
    not_claimed: ClassVar[tuple[str, ...]]

    @property
    def k(self) -> Any:
        """The least number of rows or people that it counts on."""

    def __call__(
        self, values: Floats, normals: Floats, strata: Labels, persons: Labels | None = None
    ) -> Floats:
        """Protect `values` (n rows, p columns) within `strata`, with `normals` (n, p).

        `persons` says whose each row is, where a person may have several.
        """
        ...


def sd_of(column: str, values: Floats) -> float:
    """Return the standard deviation (divisor n-1) of a column; refuse a constant one by name."""
    with np.errstate(over="ignore", invalid="ignore"):
        sd = float(np.std(np.sort(values), ddof=1))
    # The sum of a constant's many values may be rounded, and its deviation be no 0.
    return checked_sd(column, 0.0 if values.min() == values.max() else sd)


def checked_sd(column: str, sd: float) -> float:
    """Return a standard deviation, or refuse the column, by name, that it shows to be constant."""
    if not 0 < sd < np.inf:
        raise RefusedError(
            f"column {column!r} is constant (but for fewer than k values), or too wide for its"
            " numbers, and cannot be shown; leave it out"
        )
    return sd


def ordered_spread(matrix: Floats) -> tuple[Floats, Floats]:
    """Return mean and sd (divisor n-1) of each column, summed in the order of its values."""
    if len(matrix) < 2:
        raise RefusedError("X has too few rows for a standard deviation")
    with np.errstate(over="ignore", invalid="ignore"):
        ordered = np.sort(np.asfortranarray(matrix), axis=0)
        mean, sd = ordered.mean(axis=0), ordered.std(axis=0, ddof=1)
        constant = np.flatnonzero((sd == 0) | (np.ptp(ordered, axis=0) == 0))
    if constant.size:
        raise RefusedError(
            f"column {constant[0]} of X is constant and cannot be standardised; leave it out"
        )
    if not (np.isfinite(mean).all() and np.isfinite(sd).all()):
        raise RefusedError("a column of X spans more than can be computed with; rescale it")
    return mean, sd


def standardise(matrix: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the z-scores of `matrix` over all its rows, and each column's mean and sd."""
    mean, sd = ordered_spread(matrix)
    z = np.ascontiguousarray((matrix - mean) / sd)
    z[np.abs(z) < TINY] = 0.0
    return z, mean, sd


def lexicographic(*blocks: Floats | Labels) -> Labels:
    """Return the order of rows by the columns of `blocks`, the first column first."""
    columns = [column for block in blocks for column in np.atleast_2d(block.T)]
    order = np.argsort(columns[0])
    if (np.diff(columns[0][order]) != 0).all():  # several times faster than a stable sort
        return order
    return np.lexsort(columns[::-1])


def different_rows(values: Floats) -> tuple[Floats, Labels, Labels]:
    """Return the different rows, by value, which one each row is, and how many rows each one is."""
    order = np.argsort(values[:, 0])
    tied = np.zeros(len(values) + 1, dtype=np.bool_)
    tied[1:-1] = values[order[1:], 0] == values[order[:-1], 0]
    some = np.flatnonzero(tied[1:] | tied[:-1])
    order[some] = order[some][lexicographic(values[order[some]])]
    ordered = values[order]
    first = np.ones(len(values), dtype=np.bool_)
    after = np.flatnonzero(tied[:-1])
    first[after] = (ordered[after] != ordered[after - 1]).any(axis=1)
    inverse = np.empty(len(values), dtype=np.intp)
    inverse[order] = np.cumsum(first) - 1
    return ordered[first], inverse, np.bincount(inverse)


def distance_to_others(values: Floats, m: int, rows: Labels) -> Floats:
    """Return how far some rows are from the m-th nearest of all others; infinite for fewer."""
    from scipy.spatial import cKDTree

    points, inverse, weights = different_rows(values)
    tree = cKDTree(points)
    out = np.where(weights > m, 0.0, np.inf)
    wanted = np.zeros(len(points), dtype=np.bool_)
    wanted[inverse[rows]] = True
    in_tree = np.asarray(tree.indices)  # neighbours in a row
    asked = in_tree[wanted[in_tree] & (weights[in_tree] <= m)]
    size = min(m + 1, len(points))
    step = max(1, CHUNK // size)
    for start in range(0, len(asked), step):
        part = asked[start : start + step]
        gap, near = tree.query(points[part], k=range(1, size + 1), workers=-1)
        reached = np.cumsum(weights[near], axis=1) > m  # itself is the first
        nearest = gap[np.arange(len(part)), reached.argmax(axis=1)]
        out[part] = np.where(reached[:, -1], nearest, np.inf)
    return out[inverse[rows]]


def rows_by_stratum(strata: Labels, k: int) -> list[Labels]:
    """Return the rows of each stratum; refuse a stratum of fewer than `k`."""
    sizes = np.bincount(strata)
    if (sizes < k).any():
        raise RefusedError(
            "a stratum holds fewer than k rows; every one must hold at least k: join strata or"
            " choose a smaller k"
        )
    return np.split(np.argsort(strata, kind="stable"), np.cumsum(sizes)[:-1])


def check_normals(normals: Floats, matrix: Floats) -> Floats:
    """Return `normals` if they are one finite number for each entry of `matrix`."""
    given = np.asarray(normals, dtype=np.float64)
    if given.shape != matrix.shape or not np.isfinite(given).all():
        raise InputError("normals must hold one finite number for each value of X")
    return given


# --- persons with several rows ------------------------------------------------------------------


def several_rows(persons: Labels | None) -> Labels | None:
    """Return `persons`, or None where no two rows are of one person."""
    if persons is None or len(np.unique(persons)) == len(persons):
        return None
    return persons


def means_of_persons(
    values: Floats, strata: Labels, persons: Labels
) -> tuple[Floats, Labels, Labels]:
    """Return the mean row of each person in each stratum, its stratum, and where each row went."""
    n = len(values)
    who, stratum = as_strata(persons, n), as_strata(strata, n)
    pairs, at = np.unique(stratum * (int(who.max()) + 1) + who, return_inverse=True)
    order = np.lexsort([*values.T, at])
    rows = np.bincount(at)
    means = [np.bincount(at[order], column[order]) / rows for column in values.T]
    return (
        np.column_stack(means),
        (pairs // (int(who.max()) + 1)).astype(np.intp),
        at.astype(np.intp),
    )


def by_person(
    z: Floats, values: Floats, strata: Labels, persons: Labels | None
) -> tuple[Floats, Floats, Labels, Labels | slice]:
    """Return standardised and plain rows with one for each person, and where each row went.

    Where no people are given the rows are as they were.
    """
    if persons is None:
        return z, values, strata, slice(None)
    both, strata_of, at = means_of_persons(np.column_stack([z, values]), strata, persons)
    return both[:, : z.shape[1]].copy(), both[:, z.shape[1] :].copy(), strata_of, at


def persons_in(labels: Labels, persons: Labels | None) -> Labels:
    """Return how many people have rows of each label from 0 on; rows where None is given."""
    if persons is None:
        return np.bincount(labels)
    pairs = np.unique(np.stack([labels, persons]), axis=1)
    return np.bincount(pairs[0], minlength=int(labels.max(initial=-1)) + 1)


def check_groups_of_persons(groups: Labels, persons: Labels, k: int) -> None:
    """Count again, apart from how they were made, that groups of rows are of k people or more."""
    members: dict[int, set[int]] = {}
    for group, person in zip(groups.tolist(), persons.tolist(), strict=True):
        members.setdefault(group, set()).add(person)
    if any(len(group_of) < k for group_of in members.values()):
        raise BrokenPromiseError(
            "a group was counted again and holds fewer than k people; please report this"
        )


def refuse_persons(method: str, persons: Labels | None) -> None:
    """Refuse people with several rows where a method can only count rows."""
    if several_rows(persons) is not None:
        raise RefusedError(
            f"some people have several rows, and method {method!r} counts only rows; open the "
            "study with rows='condensation', 'microaggregation' or 'rounding', which make "
            "groups of people, or make one row per person first (a mean or a last value)"
        )
