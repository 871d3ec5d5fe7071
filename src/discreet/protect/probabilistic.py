"""Probabilistic anonymisation: normal noise keyed by the custodian's secret."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from numpy.typing import ArrayLike

from discreet.errors import InputError
from discreet.protect.arguments import check_ratio
from discreet.protect.base import Floats, Labels, as_matrix, as_strata
from discreet.protect.canonical import check_normals, ordered_spread
from discreet.secret import Secret, row_keys

__all__ = ["Probabilistic", "probabilistic"]

VERSION = b"discreet.protect.probabilistic"
"""What the noise of `probabilistic` belongs to: the same for every call of it."""


@dataclass(frozen=True)
class Probabilistic:
    """Values plus normal noise of a standard deviation in proportion to the column's.

    Parameters
    ----------
    q : float, default 0.25
        Standard deviation of the noise as a share of the column's; above 0.

    Notes
    -----
    `q` is a ratio of standard deviations, as in the paper; DataSHIELD's `noise` is one of
    variances: its 0.25 is q = 0.5 here.

    It does not hide who stands out: noise in proportion to the column's sd leaves a far record
    far, and the more columns, the more records are recognised (q = 0.25: 9 % of records in two
    columns, 99 % in ten). See `probabilistic` for what else is left open.

    Examples
    --------
    >>> import numpy as np
    >>> x, normals = np.array([[1.0], [2.0], [3.0]]), np.array([[1.0], [0.0], [-2.0]])
    >>> Probabilistic(q=0.5)(x, normals, np.zeros(3, dtype=np.intp)).ravel().tolist()
    [1.5, 2.0, 2.0]
    """

    name: ClassVar[str] = "probabilistic"
    promises: ClassVar[str] = (
        "Each value carries normal noise that belongs to its record: asking again, filtering or"
        " reordering shows the same noise."
    )
    leaves_open: ClassVar[str] = (
        "Records that stand out stay recognisable, and so do most where many columns are shown"
        " together; another q, or noise made anew, takes the noise away by comparison."
    )

    q: float = 0.25

    def __post_init__(self) -> None:
        check_ratio("q", self.q, zero=False)

    def __call__(self, values: Floats, normals: Floats, strata: Labels) -> Floats:
        """Protect `values` (n rows, p columns) with `normals` (n, p); `strata` do not matter."""
        matrix = as_matrix(values)
        noise: Floats = self.q * ordered_spread(matrix)[1] * check_normals(normals, matrix)
        return matrix + noise


def probabilistic(
    X: ArrayLike,
    q: float,
    secret: bytes,
    keys: Floats | Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
) -> Floats:
    """Add to each column normal noise with q times its standard deviation, keyed by a secret.

    Parameters
    ----------
    X : array-like of shape (n, p)
        Finite numbers, no constant column.
    q : float
        Standard deviation of the noise as a share of the column's (divisor n - 1, over all
        rows); above 0. The paper's baseline is 0.25. DataSHIELD's `noise` is a share of the
        variance: its 0.25 is q = 0.5.
    secret : bytes
        At least 16 random bytes that only the custodian knows.
    keys : array of float or sequence of str, of length n, optional
        What tells one record from another: an identifier that stays with the record. Default:
        the record's own values.
    columns : sequence of str, of length p, optional
        The names of the columns, all different; a column's noise belongs to its name. Default:
        "0", "1" and so on.

    Returns
    -------
    ndarray of shape (n, p)
        The noised values, row for row.

    Raises
    ------
    InputError
        If q is not above 0, the secret too weak, or X, keys or columns malformed.
    RefusedError
        If a column is constant or has a single row.

    Notes
    -----
    The noise of an entry depends on the secret, the record's key and the column's name alone,
    not on the row's place or on the other rows, so the same record always carries the same unit
    noise. It is multiplied by the sd of the rows given.

    **What it does not protect.** Records that stand out; records of many columns together. Two
    releases with different q, or of different rows (hence another sd), give the values away by
    subtraction: protect once, then filter the result. Without `keys`, a corrected record gets
    new noise and its old and new values can be averaged.

    References
    ----------
    Avraam et al., "Privacy preserving data visualizations", EPJ Data Science 10:2 (2021),
    section 2.3.

    Examples
    --------
    >>> x = [[1.0, 5.0], [2.0, 4.0], [3.0, 6.0]]
    >>> secret = bytes(range(32))
    >>> once = probabilistic(x, q=0.25, secret=secret)
    >>> again = probabilistic(x[::-1], q=0.25, secret=secret)
    >>> bool((once == again[::-1]).all())
    True
    """
    method = Probabilistic(q)
    matrix = as_matrix(X)
    n, p = matrix.shape
    if not isinstance(secret, bytes):
        raise InputError("secret must be at least 16 random bytes")
    names = [str(j) for j in range(p)] if columns is None else list(columns)
    if len(names) != p:
        raise InputError("columns must hold one name for each column of X")
    if keys is not None and len(keys) != n:
        raise InputError("keys must hold one identifier for each row of X")
    owner = Secret.from_bytes(secret)
    marks = row_keys(owner, list(matrix.T) if keys is None else [keys])
    strata = as_strata(None, n)
    return method(matrix, owner.normals(VERSION, marks, names), strata)
