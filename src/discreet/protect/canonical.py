"""Arithmetic whose result does not depend, to the last bit, on the order of the rows.

Floating point sums depend on the order of their terms. What is summed over rows is therefore
sorted first, so that a permuted file gives the permuted result and nothing of the file's order
is left in the last digits.
"""

from __future__ import annotations

import numpy as np

from discreet.errors import InputError, RefusedError
from discreet.protect.base import Floats, Labels, spread

__all__ = ["check_normals", "lexicographic", "ordered_spread", "rows_by_stratum", "standardise"]

TINY = 1e-100
"""Z-scores nearer to zero than this are zero, so that no squared distance underflows."""


def ordered_spread(matrix: Floats) -> tuple[Floats, Floats]:
    """Return mean and sd (divisor n-1) of each column, summed in the order of its values."""
    with np.errstate(over="ignore", invalid="ignore"):
        mean, sd = spread(np.sort(np.asfortranarray(matrix), axis=0))
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
