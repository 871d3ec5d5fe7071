"""Multiplicative noise: each value times a keyed factor near 1, for public or simulated data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from discreet.arguments import Floats, Labels, as_matrix, as_strata, check_parameters, ratio
from discreet.errors import RefusedError
from discreet.methods.base import check_normals, refuse_persons
from discreet.methods.probabilistic import keyed_normals

VERSION = b"discreet.methods.multiplicative"
"""What the noise of `multiplicative` belongs to: the same for every call of it."""


@dataclass(frozen=True)
class Multiplicative:
    """Values times a lognormal factor of mean 1 and standard deviation q.

    Parameters
    ----------
    q : float, default 0.25
        Standard deviation of the factor; above 0. A value moves by about q times itself.

    Notes
    -----
    With a standard normal e that is keyed to the record, s² = log(1 + q²) and x the value,

        y = x · exp(s e − s² / 2).

    The factor is above 0, has mean 1 and variance q², so that signs and zeros stay and

        E[y | x] = x,   Var[y | x] = q² x²,   Var[y] = Var[x] + q² E[x²].

    So E[x] = E[y], E[x²] = E[y²] / (1 + q²), and, as columns have factors of their own,
    E[x z] = E[y w] for two columns: `discreet.regression.corrected(..., multiplied=True)` uses it.

    **What it does not protect.** A value of 0 stays as it is, and one near 0 hardly moves; signs
    are told. The order of widely spread values is told. So it exists under the policy `research`
    alone: a guarded study adds noise in proportion to the column's spread, or groups rows.

    References
    ----------
    Avraam et al. (2021), section 2.3, names "the addition or multiplication of random stochastic
    noise" and draws pictures with addition. Kim and Winkler, "Multiplicative noise for masking
    continuous data", U.S. Bureau of the Census, Statistical Research Division 2003-01, compare a
    factor of truncated normal noise, and noise added to logarithms; this is the second, of mean 1.

    Examples
    --------
    >>> import numpy as np
    >>> x, normals = np.array([[100.0], [-10.0], [0.0]]), np.array([[1.0], [1.0], [1.0]])
    >>> method = Multiplicative(q=0.1)
    >>> method(x, normals, np.zeros(3, dtype=np.intp)).round(2).ravel().tolist()
    [109.94, -10.99, 0.0]
    """

    name: ClassVar[str] = "multiplicative"
    promises: ClassVar[str] = (
        "Each value is multiplied by a factor near 1 that belongs to its record: asking again, or"
        " reordering the rows, shows the same factor."
    )
    leaves_open: ClassVar[str] = (
        "Values of 0 stay, small ones hardly move, and signs are told; most records are recognised"
        " where many columns are shown together; another q takes the noise away by comparison."
    )
    least_k: ClassVar[int] = 1
    noise: ClassVar[float] = 0.25
    by_noise: ClassVar[bool] = True
    holds_k: ClassVar[bool] = False
    shared_by_k: ClassVar[bool] = False
    averages: ClassVar[bool] = False
    declared: ClassVar[tuple[str, ...]] = ()
    sentence: ClassVar[str] = (
        "each value was multiplied by a random factor of mean 1 and standard deviation {q}"
    )
    not_claimed: ClassVar[tuple[str, ...]] = (
        "k-anonymity of the rows: each row has noise of its own",
        "that values near 0, or the signs of values, are hidden",
        "that a fixed seed is enough: the noise rests on a secret",
    )
    k: ClassVar[int] = 1

    q: float = ratio(0.25, above=True)

    def __post_init__(self) -> None:
        check_parameters(self)

    def __call__(
        self, values: Floats, normals: Floats, strata: Labels, persons: Labels | None = None
    ) -> Floats:
        """Protect `values` (n rows, p columns) with `normals` (n, p); `strata` do not matter."""
        refuse_persons(self.name, persons)
        matrix = as_matrix(values)
        variance = np.log1p(self.q**2)
        with np.errstate(over="ignore", invalid="ignore"):
            factors = np.exp(np.sqrt(variance) * check_normals(normals, matrix) - variance / 2)
            out: Floats = matrix * factors
        if not np.isfinite(out).all():
            raise RefusedError("a column of X spans more than can be computed with; rescale it")
        return out


def multiplicative(
    X: ArrayLike,
    q: float,
    secret: bytes,
    keys: Floats | Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
) -> Floats:
    """Multiply each value by a factor of mean 1 and standard deviation q, keyed by a secret.

    Parameters
    ----------
    X : array-like of shape (n, p)
        Finite numbers.
    q
        As of `Multiplicative`.
    secret, keys, columns
        As of `probabilistic`: a record's factor of a column hangs on these alone.

    Notes
    -----
    The factors belong to the records alone: unlike noise that is added in proportion to a column's
    spread, they stay the same when other rows come or go.

    **What it does not protect.** See `Multiplicative`; and two releases with different q give the
    values away by division.

    References
    ----------
    Avraam et al. (2021), section 2.3.

    Examples
    --------
    >>> x = [[1.0, 5.0], [2.0, 4.0], [3.0, 6.0]]
    >>> secret = bytes(range(32))
    >>> once = multiplicative(x, q=0.25, secret=secret)
    >>> bool((multiplicative(x[::-1], q=0.25, secret=secret) == once[::-1]).all())
    True
    """
    method = Multiplicative(q)
    matrix = as_matrix(X)
    normals = keyed_normals(matrix, secret, keys, columns, VERSION)
    return method(matrix, normals, as_strata(None, len(matrix)))
