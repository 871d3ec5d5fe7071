"""Draw data of given moments that are not normal: Vale and Maurelli (1983), on Fleishman (1978).

Each column is a cubic of a standard normal, whose coefficients are solved from its skewness and
kurtosis; the normals are correlated so that the cubics have the correlations asked for.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.errors import InputError

__all__ = ["Moments", "ValeMaurelli", "fleishman", "intermediate_correlation", "moments_of"]

Floats = NDArray[np.float64]
Cubic = tuple[float, float, float]

SOLVED = 1e-9  # how far an equation may be from its right-hand side
SMALLEST_EIGENVALUE = 1e-6  # of a correlation matrix that had to be repaired
#: Where the search for b, c and d begins: at a normal, and at cubics of more and more skewness.
STARTS = tuple(itertools.product((1.0, 0.75, 0.5), (0.0, 0.3, 0.6), (0.0, 0.1, 0.25, -0.1)))


@dataclass(frozen=True)
class Moments:
    """What a simulated table is to have, column by column, and the correlations of the columns.

    `kurtosis` is the excess: 0 for a normal.
    """

    mean: tuple[float, ...]
    sd: tuple[float, ...]
    skewness: tuple[float, ...]
    kurtosis: tuple[float, ...]
    correlation: tuple[tuple[float, ...], ...]

    def __post_init__(self) -> None:
        """Check that there are as many of each, and that the correlations are some."""
        columns = len(self.mean)
        if not columns == len(self.sd) == len(self.skewness) == len(self.kurtosis):
            raise InputError("mean, sd, skewness and kurtosis need one number for each column")
        if not all(sd > 0 for sd in self.sd):
            raise InputError("every sd must be above 0; leave constant columns out")
        wanted = np.asarray(self.correlation, dtype=np.float64)
        if wanted.shape != (columns, columns):
            raise InputError("correlation needs as many rows and columns as there are means")
        if not (np.allclose(wanted, wanted.T) and np.allclose(np.diag(wanted), 1)):
            raise InputError("correlation must be symmetric, with ones on its diagonal")
        if np.linalg.eigvalsh(wanted)[0] <= 0:
            raise InputError(
                "correlation must be positive definite; no data have correlations like these"
            )


@dataclass(frozen=True)
class ValeMaurelli:
    """Solved once, drawn from often.

    `cubics` are b, c and d of each column (a is -c), `factor` the Cholesky factor of the
    correlations of the normals. `repaired` says that those were not positive definite, and that
    the nearest that are were taken, so that the correlations drawn are near the ones asked for.
    """

    moments: Moments
    cubics: tuple[Cubic, ...]
    factor: Floats
    repaired: bool

    @classmethod
    def of(cls, moments: Moments) -> ValeMaurelli:
        """Solve the equations of both papers."""
        pairs = zip(moments.skewness, moments.kurtosis, strict=True)
        cubics = tuple(fleishman(skewness, kurtosis) for skewness, kurtosis in pairs)
        normal = np.eye(len(cubics))
        for i, j in itertools.combinations(range(len(cubics)), 2):
            wanted = moments.correlation[i][j]
            normal[i, j] = normal[j, i] = intermediate_correlation(cubics[i], cubics[j], wanted)
        repaired = bool(np.linalg.eigvalsh(normal)[0] <= 0)
        if repaired:
            normal = nearest_correlation(normal)
        factor = np.asarray(np.linalg.cholesky(normal), dtype=np.float64)
        return cls(moments, cubics, factor, repaired)

    def draw(self, rows: int, chance: np.random.Generator) -> Floats:
        """Draw a table of so many rows, a column for each mean."""
        normal = chance.standard_normal((rows, len(self.cubics))) @ self.factor.T
        b, c, d = np.asarray(self.cubics).T
        standard = -c + normal * (b + normal * (c + normal * d))
        drawn: Floats = np.asarray(self.moments.mean) + np.asarray(self.moments.sd) * standard
        return drawn


def moments_of(data: ArrayLike) -> Moments:
    """Measure the moments of a table: rows of finite numbers, no constant column.

    The sd has the divisor n - 1. Skewness and excess kurtosis are the mean third and fourth power
    of z-scores with the divisor n, the kurtosis less 3.
    """
    x = np.asarray(data, dtype=np.float64)
    if x.ndim != 2 or len(x) < 2 or not np.isfinite(x).all():
        raise InputError("moments need a table of at least two rows of finite numbers")
    spread = x.std(axis=0)
    if not (spread > 0).all():
        raise InputError("moments need columns that vary; leave constant columns out")
    z = (x - x.mean(axis=0)) / spread
    correlation = z.T @ z / len(z)
    np.fill_diagonal(correlation, 1.0)
    return Moments(
        mean=tuple(x.mean(axis=0).tolist()),
        sd=tuple(x.std(axis=0, ddof=1).tolist()),
        skewness=tuple((z**3).mean(axis=0).tolist()),
        kurtosis=tuple(((z**4).mean(axis=0) - 3).tolist()),
        correlation=tuple(map(tuple, correlation.tolist())),
    )


def fleishman(skewness: float, kurtosis: float) -> Cubic:
    """Return b, c and d: -c + bZ + cZ² + dZ³ of a normal Z has this skewness and excess kurtosis.

    Its mean is 0 and its variance 1. Of several solutions it is the one most correlated with Z, by
    b + 3d: others fold the normal over. A cubic reaches a kurtosis of about 1.65 skewness² - 1
    and more.
    """
    if not (math.isfinite(skewness) and math.isfinite(kurtosis)):
        raise InputError("skewness and kurtosis must be finite numbers")
    found = [cubic for start in STARTS if (cubic := solved(start, abs(skewness), kurtosis))]
    if not found:
        raise InputError(
            f"No cubic of a normal has skewness {skewness:g} and excess kurtosis {kurtosis:g}."
            " Choose a kurtosis above about 1.65 skewness² - 1"
        )
    b, c, d = max(found, key=lambda cubic: cubic[0] + 3 * cubic[2])
    return b, math.copysign(c, skewness), d


def solved(start: Cubic, skewness: float, kurtosis: float) -> Cubic | None:
    """Solve Fleishman's equations from one start; None where that leads nowhere."""
    from scipy.optimize import root

    found = root(equations, start, args=(skewness, kurtosis), tol=1e-13)
    if np.abs(equations(found.x, skewness, kurtosis)).max() > SOLVED or found.x[0] <= 0:
        return None
    b, c, d = map(float, found.x)
    return (b, c, d) if c >= -SOLVED else None


def equations(cubic: ArrayLike, skewness: float, kurtosis: float) -> Floats:
    """Return how far the variance, skewness and kurtosis of a cubic are from the ones wanted."""
    b, c, d = np.asarray(cubic, dtype=np.float64)
    variance = b**2 + 6 * b * d + 2 * c**2 + 15 * d**2
    third = 2 * c * (b**2 + 24 * b * d + 105 * d**2 + 2)
    fourth = 24 * (
        b * d + c**2 * (1 + b**2 + 28 * b * d) + d**2 * (12 + 48 * b * d + 141 * c**2 + 225 * d**2)
    )
    return np.array([variance - 1, third - skewness, fourth - kurtosis])


def intermediate_correlation(first: Cubic, second: Cubic, wanted: float) -> float:
    """Return the correlation of two normals whose cubics have the correlation `wanted`."""
    (b1, c1, d1), (b2, c2, d2) = first, second
    linear = b1 * b2 + 3 * b1 * d2 + 3 * d1 * b2 + 9 * d1 * d2
    roots = np.roots([6 * d1 * d2, 2 * c1 * c2, linear, -wanted])
    real = roots.real[(np.abs(roots.imag) < SOLVED) & (np.abs(roots.real) <= 1 + SOLVED)]
    if not real.size:
        raise InputError(
            f"Columns of these shapes cannot have the correlation {wanted:g}; choose one nearer"
            " to 0, or shapes that are more alike"
        )
    nearest = real[np.abs(real - wanted).argmin()]
    return float(np.clip(nearest, -1, 1))


def nearest_correlation(matrix: Floats) -> Floats:
    """Return a positive definite correlation matrix near one that is not: eigenvalues clipped."""
    values, vectors = np.linalg.eigh(matrix)
    lifted = (vectors * np.maximum(values, SMALLEST_EIGENVALUE)) @ vectors.T
    scale = np.sqrt(np.diag(lifted))
    near: Floats = lifted / np.outer(scale, scale)
    return near
