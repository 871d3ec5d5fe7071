"""Noise keyed by the custodian's secret: normal noise added, or values times a factor near 1."""

from __future__ import annotations

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
    ratio,
    whole,
    word,
)
from discreet.errors import InputError, RefusedError
from discreet.keys import row_keys
from discreet.methods.base import (
    check_normals,
    distance_to_others,
    ordered_spread,
    refuse_persons,
    standardise,
)
from discreet.secret import Secret

VERSION = b"discreet.methods.probabilistic"
"""What the noise of `probabilistic` belongs to: the same for every call of it."""


@dataclass(frozen=True)
class Probabilistic(CheckedParameters):
    """Values plus normal noise of a standard deviation in proportion to the column's.

    Parameters
    ----------
    q : float, default 0.25
        Standard deviation of the noise as a share of the column's; above 0. DataSHIELD's `noise`
        is a ratio of variances: its 0.25 is q = 0.5 here.
    far_noise : {"even", "by-distance"}, default "even"
        The same noise for all, or more of it for records that lie far from others, in proportion
        to the distance of their k-th nearest other record.
    k : int, default 5
        Which neighbour "by-distance" looks at; at least 1 and below the number of rows.

    Notes
    -----
    "by-distance" multiplies a record's noise by d / median(d), where d is the Euclidean distance
    of z-scores to its k-th nearest other record: never by less than 1, and never to a standard
    deviation above d itself (in sds of the column), which is where it would take the others'
    place. Where so many records coincide that the median is 0, that second limit alone holds:
    d / q. The half of the records that lies densest carries the same noise as with "even".

    What it costs: far records carry the sd, the correlation and a fitted line, and these are what
    is noised most. On 495 lognormal records and 5 far ones (two columns, q = 0.25, k = 5) the
    share of the far 5 whose nearest released row is their own falls from 1.00 to 0.25, and the
    sd of a released column grows by half to twofold. It hides *which* of several far records a
    released row is, not *that* it is one of them: a single far one stays linked in 40 % of sets
    (75 % at q = 0.5).

    **What it does not protect.** Even noise leaves a far record far, and "by-distance" still shows
    that somebody is. The more columns, the more records are recognised (q = 0.25: 9 % of records in
    two columns, 99 % in ten). See `probabilistic` for what else is left open.

    References
    ----------
    Avraam et al. (2021), sections 2.3 and 5.2: a "higher level of noise may deliberately be added
    to outliers or to points with high leverage". How much higher is not from there.

    Examples
    --------
    >>> import numpy as np
    >>> x, normals = np.array([[1.0], [2.0], [3.0]]), np.array([[1.0], [0.0], [-2.0]])
    >>> Probabilistic(q=0.5)(x, normals, np.zeros(3, dtype=np.intp)).ravel().tolist()
    [1.5, 2.0, 2.0]
    """

    name: ClassVar[str] = "probabilistic"
    promises: ClassVar[str] = (
        "Each value has normal noise that belongs to its record: asking again, or reordering "
        "the rows, gives the same noise."
    )
    leaves_open: ClassVar[str] = (
        "Records that stand out stay recognisable, and so do most where many columns are shown "
        "together; another q, or noise made anew, removes the noise by comparison."
    )
    least_k: ClassVar[int] = 1
    noise: ClassVar[float] = 0.25
    by_noise: ClassVar[bool] = True
    shared_by_k: ClassVar[bool] = False
    averages: ClassVar[bool] = False
    declared: ClassVar[tuple[str, ...]] = ()
    sentence: ClassVar[str] = (
        "random noise was added to each value, in proportion to the spread of its column (q = {q})"
    )
    not_claimed: ClassVar[tuple[str, ...]] = (
        "k-anonymity of the rows: each row has its own noise",
        "that records far from the others are hidden: noise in proportion to the spread hides"
        " nobody who stands out",
        "that a fixed seed is enough: the noise rests on a secret",
    )

    q: float = ratio(0.25, above=True)
    far_noise: str = word("even", ("even", "by-distance"))
    k: int = whole(1, default=5)

    def __call__(
        self, values: Floats, normals: Floats, strata: Labels, persons: Labels | None = None
    ) -> Floats:
        """Protect `values` (n rows, p columns) with `normals` (n, p); `strata` do not matter."""
        refuse_persons(self.name, persons)
        matrix = as_matrix(values)
        noise: Floats = self.q * ordered_spread(matrix)[1] * check_normals(normals, matrix)
        if self.far_noise == "by-distance":
            if self.k >= len(matrix):
                raise RefusedError("k must be below the number of rows; choose a smaller k")
            every = np.arange(len(matrix))
            distance = distance_to_others(standardise(matrix)[0], self.k, every)
            usual = float(np.median(distance))
            limit = distance / self.q
            share = np.minimum(distance / usual, limit) if usual > 0 else limit
            noise *= np.maximum(1.0, share)[:, None]
        return matrix + noise


def probabilistic(
    X: ArrayLike,
    q: float,
    secret: bytes,
    keys: Floats | Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    far_noise: str = "even",
    k: int = 5,
) -> Floats:
    """Add to each column normal noise with q times its standard deviation, keyed by a secret.

    Parameters
    ----------
    X : array-like of shape (n, p)
        Finite numbers, no constant column.
    q, far_noise, k
        As of `Probabilistic`. The sd is over all rows; the paper's baseline is q = 0.25.
    secret : bytes
        At least 16 random bytes that only the custodian knows.
    keys : array of float or sequence of str, of length n, optional
        What tells one record from another: an identifier that stays with the record. Default:
        the record's own values.
    columns : sequence of str, of length p, optional
        The names of the columns, all different; a column's noise belongs to its name. Default:
        "0", "1" and so on.

    Notes
    -----
    The noise of an entry depends on the secret, the record's key and the column's name alone,
    not on the row's place or on the other rows, so the same record always carries the same unit
    noise. It is multiplied by the sd of the rows given and, with "by-distance", by a factor that
    depends on where the other rows lie.

    **What it does not protect.** Records that stand out; records of many columns together. Two
    releases with different q, or of different rows (hence another sd), give the values away by
    subtraction: protect once, then filter the result. Without `keys`, a corrected record gets
    new noise and its old and new values can be averaged.

    References
    ----------
    Avraam et al. (2021), section 2.3.

    Examples
    --------
    >>> x = [[1.0, 5.0], [2.0, 4.0], [3.0, 6.0]]
    >>> secret = bytes(range(32))
    >>> once = probabilistic(x, q=0.25, secret=secret)
    >>> again = probabilistic(x[::-1], q=0.25, secret=secret)
    >>> bool((once == again[::-1]).all())
    True
    """
    method = Probabilistic(q, far_noise, k)
    matrix = as_matrix(X)
    normals = keyed_normals(matrix, secret, keys, columns, VERSION)
    return method(matrix, normals, as_strata(None, len(matrix)))


def keyed_normals(
    matrix: Floats,
    secret: bytes,
    keys: Floats | Sequence[str] | None,
    columns: Sequence[str] | None,
    version: bytes,
) -> Floats:
    """Return standard normal noise for each value, keyed by a secret: see `probabilistic`."""
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
    return owner.normals(version, marks, names)


# --- multiplicative noise: each value times a keyed factor near 1, for public or simulated data ---


MULTIPLICATIVE_VERSION = b"discreet.methods.multiplicative"
"""What the noise of `multiplicative` belongs to: the same for every call of it."""


@dataclass(frozen=True)
class Multiplicative(CheckedParameters):
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
        "Each value is multiplied by a factor near 1 that belongs to its record: asking again, "
        "or reordering the rows, gives the same factor."
    )
    leaves_open: ClassVar[str] = (
        "Values of 0 stay, small ones hardly move, and signs are kept; most records are "
        "recognised where many columns are shown together; another q removes the noise by "
        "comparison."
    )
    least_k: ClassVar[int] = 1
    noise: ClassVar[float] = 0.25
    by_noise: ClassVar[bool] = True
    shared_by_k: ClassVar[bool] = False
    averages: ClassVar[bool] = False
    declared: ClassVar[tuple[str, ...]] = ()
    sentence: ClassVar[str] = (
        "each value was multiplied by a random factor of mean 1 and standard deviation {q}"
    )
    not_claimed: ClassVar[tuple[str, ...]] = (
        "k-anonymity of the rows: each row has its own noise",
        "that values near 0, or the signs of values, are hidden",
        "that a fixed seed is enough: the noise rests on a secret",
    )
    k: ClassVar[int] = 1

    q: float = ratio(0.25, above=True)

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

    The parameters are those of `probabilistic`; a record's factor of a column hangs on secret, key
    and column alone: unlike noise that is added in proportion to a column's spread, it stays the
    same when other rows come or go.

    Notes
    -----
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
    normals = keyed_normals(matrix, secret, keys, columns, MULTIPLICATIVE_VERSION)
    return method(matrix, normals, as_strata(None, len(matrix)))
