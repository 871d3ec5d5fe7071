"""What every row method is: a frozen value of parameters that is called with arrays.

A row method takes the values of one column group, standard normal noise keyed by the secret
(drawn elsewhere, so that a method is a pure function), the stratum of each row and whose it is, and
returns protected values of the same shape. It keeps nothing of what it saw.
"""

from __future__ import annotations

from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.errors import InputError, RefusedError

__all__ = [
    "Described",
    "Floats",
    "Labels",
    "RowMethod",
    "as_matrix",
    "as_strata",
    "sd_of",
    "spread",
]

Floats = NDArray[np.float64]
Labels = NDArray[np.intp]


class Described(Protocol):
    """What every method says of itself: one sentence each, shown beside every picture."""

    name: ClassVar[str]
    promises: ClassVar[str]
    leaves_open: ClassVar[str]


class RowMethod(Described, Protocol):
    """Rows in, protected rows out."""

    def __call__(
        self, values: Floats, normals: Floats, strata: Labels, persons: Labels | None = None
    ) -> Floats:
        """Protect `values` (n rows, p columns) within `strata`, with `normals` (n, p).

        `persons` says whose each row is, where a person may have several.
        """
        ...


def as_matrix(values: ArrayLike) -> Floats:
    """Return `values` as n rows of p finite columns, without a copy where it is one already."""
    try:
        matrix = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):  # numpy's message quotes the cell
        raise InputError("X must hold numbers alone, as many in each row") from None
    if matrix.ndim == 1:
        matrix = matrix[:, None]
    if matrix.ndim != 2 or matrix.shape[0] == 0 or matrix.shape[1] == 0:
        raise InputError("X must be a table of at least one row and one column")
    if not np.isfinite(matrix).all():
        raise InputError(
            "X holds missing or infinite values; leave those rows out before protecting the rest"
        )
    return matrix


def as_strata(strata: ArrayLike | None, n: int) -> Labels:
    """Return one whole number from 0 on for each of `n` rows; one stratum where none is given."""
    if strata is None:
        return np.zeros(n, dtype=np.intp)
    given = np.asarray(strata)
    if given.shape != (n,):
        raise InputError("strata must hold one label for each row of X")
    return np.unique(given, return_inverse=True)[1].astype(np.intp)


def spread(matrix: Floats) -> tuple[Floats, Floats]:
    """Return mean and standard deviation (divisor n-1) of each column; refuse constant ones."""
    if len(matrix) < 2:
        raise RefusedError("X has too few rows for a standard deviation")
    mean = matrix.mean(axis=0)
    sd = matrix.std(axis=0, ddof=1)
    constant = np.flatnonzero((sd == 0) | (np.ptp(matrix, axis=0) == 0))
    if constant.size:
        raise RefusedError(
            f"column {constant[0]} of X is constant and cannot be standardised; leave it out"
        )
    return mean, sd


def sd_of(column: str, values: Floats) -> float:
    """Return the standard deviation (divisor n-1) of a column; refuse a constant one by name."""
    with np.errstate(over="ignore", invalid="ignore"):
        sd = float(np.std(np.sort(values), ddof=1))
    # The sum of a constant's many values may be rounded, and its deviation be no 0.
    if not 0 < sd < np.inf or values.min() == values.max():
        raise RefusedError(
            f"column {column!r} is constant (but for fewer than k values), or too wide for its"
            " numbers, and cannot be shown; leave it out"
        )
    return sd
