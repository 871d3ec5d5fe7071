"""Resampling: regions of the centroids of bootstrap samples, the paper's own method."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from discreet.arguments import Floats, Labels, check_whole
from discreet.errors import InputError, one_of
from discreet.rounding.base import Regions, SortedColumn, sorted_column
from discreet.rounding.clusters import KMeans
from discreet.rounding.intervals import EqualFrequency, EqualWidth, equal_frequency_cuts
from discreet.secret import generator

__all__ = ["Resampling", "bootstrap_means", "bootstrap_medians", "resampling"]

QUANTILES = 10
PLAIN_UP_TO = 2000
"""Rows of a quantile whose samples are drawn row by row; that takes the square of them."""
CHUNK = 500_000
UNEVEN = 0.2
"""Skewness or kurtosis of a mean above which the farthest rows are drawn one by one."""
FAR_ROWS = 50
CENTRES = ("mean", "median")
THEN = {each.name: each for each in (KMeans, EqualWidth, EqualFrequency)}


@dataclass(frozen=True)
class Resampling:
    """Regions of the centroids of bootstrap samples of the ten quantiles of a column.

    Parameters
    ----------
    c : int
        How many regions; at least 1.
    centre : {"mean", "median"}, default "mean"
        The centroid of a bootstrap sample.
    then : {"kmeans", "equal_width", "equal_frequency"}, default "kmeans"
        How the centroids are parted into c.
    seed : int, default 0
        Which bootstrap samples are drawn; at least 0.

    Raises
    ------
    InputError
        If a parameter is out of range or unknown.
    RefusedError
        If c is more than a million.

    Notes
    -----
    The rows are parted into ten quantiles as by `EqualFrequency`. In each, of m rows, m samples of
    m rows are drawn with replacement, and the centroid of each is kept; the centroids of all are
    parted into c regions by `then`, and the edges hold for the column. Permuted rows give the same
    edges. Regions in which no row lies are kept, as in `EqualWidth`.

    Samples are drawn as such where a quantile has up to 2000 rows. Of a larger one the means are
    drawn from their law in O(m) steps: by Cornish and Fisher, from the sample's own skewness and
    kurtosis; where a few far rows make the mean uneven, it is drawn exactly how often each of the
    50 farthest is in a sample. Medians are order statistics of the sample, and drawn from their
    exact law at any size. The rounding set says which it was: its parameter `law` is "bootstrap"
    or, where some means were drawn from their law, "approximation".

    The means of m rows differ by their standard deviation over the root of m. With many rows the
    centroids shrink to the ten means of the quantiles: with c above 10 what is parted then is the
    noise of the samples, and regions between hold few rows or none.

    **What it does not protect.** Nothing is promised of how many rows share a point. `seed` is no
    secret, and the samples hide nothing: another seed gives about the same edges.

    References
    ----------
    Senavirathne and Torra (2019), section
    3.2.4 and Algorithm 1.

    Examples
    --------
    >>> column = sorted_column([*range(0, 40), *range(100, 140)])
    >>> edges = Resampling(c=2)(column)
    >>> bool(39 < edges[0] < 100)
    True
    >>> Resampling(c=2).regions(column).found["law"]
    'bootstrap'
    """

    name: ClassVar[str] = "resampling"
    parameter: ClassVar[str] = "c"
    supervised: ClassVar[bool] = False
    promises: ClassVar[str] = (
        "Every value becomes the point of one of c intervals, which are found among centroids of"
        " bootstrap samples."
    )
    leaves_open: ClassVar[str] = (
        "An interval may hold a single record, which its point then gives away; many records make"
        " it little else than ten means."
    )

    c: int
    centre: str = "mean"
    then: str = "kmeans"
    seed: int = 0

    def __post_init__(self) -> None:
        check_whole("c", self.c, least=1)
        check_whole("seed", self.seed, least=0)
        if self.centre not in CENTRES:
            raise InputError(f"centre must be one of {one_of(CENTRES)}")
        if self.then not in THEN:
            raise InputError(f"then must be one of {one_of(THEN)}")

    def __call__(self, column: SortedColumn) -> Floats:
        """Return the inner edges, found among the centroids."""
        return self.regions(column).edges

    def regions(self, column: SortedColumn) -> Regions:
        """Return the inner edges, and by which law centroids were drawn."""
        parts = _quantiles(column)
        edges = THEN[self.then](self.c)(sorted_column(self._centroids(parts)))
        plain = max(map(len, parts)) <= PLAIN_UP_TO
        law = "bootstrap" if plain or self.centre == "median" else "approximation"
        return Regions(edges, found={"law": law})

    def resampled(self, column: SortedColumn) -> Floats:
        """Return a centroid for each row of the column: as many as rows in each quantile."""
        return self._centroids(_quantiles(column))

    def _centroids(self, parts: list[Floats]) -> Floats:
        draw = bootstrap_means if self.centre == "mean" else bootstrap_medians
        return np.concatenate([draw(rows, self.seed, i) for i, rows in enumerate(parts)])


def _quantiles(column: SortedColumn) -> list[Floats]:
    """Return the rows of each quantile, rising."""
    cuts = equal_frequency_cuts(column, QUANTILES)
    return np.split(np.repeat(column.values, column.counts), column.starts[cuts])


def bootstrap_means(rows: Floats, *words: int, plain_up_to: int = PLAIN_UP_TO) -> Floats:
    """Return the means of as many bootstrap samples as there are rows."""
    low, high = rows[0], rows[-1]
    if low == high:
        return rows.copy()
    middle = float((rows - low).mean() + low)
    gaps = rows - middle  # so that an offset costs no digits
    means = (_drawn if len(rows) <= plain_up_to else _from_law)(gaps, words)
    return np.clip(middle + means, low, high)


def _drawn(rows: Floats, words: tuple[int, ...]) -> Floats:
    m = len(rows)
    draws = generator("resampling", *words)
    out = np.empty(m)
    at_once = CHUNK // m
    for first in range(0, m, at_once):
        samples = min(at_once, m - first)
        which = draws.integers(0, m, size=(samples, m), dtype=np.int32)
        out[first : first + samples] = rows[which].mean(axis=1)
    return out


def _from_law(rows: Floats, words: tuple[int, ...]) -> Floats:
    m = len(rows)
    draws = generator("resampling", *words)
    _, _, skewness, kurtosis = _shape(rows)
    if max(abs(skewness) / math.sqrt(m), kurtosis / m) <= UNEVEN:
        return _cornish_fisher(rows, np.full(m, float(m)), draws.standard_normal(m)) / m
    # A mean that hangs on how often a few far rows are drawn: these are drawn as they are, and
    # the many others by their law, given how many they must be.
    order = np.argsort(-np.abs(rows), kind="stable")
    alone = min(FAR_ROWS, m // 2)
    far, near = rows[order[:alone]], rows[order[alone:]]
    times = draws.binomial(m, alone / m, size=m)
    drawn = far[draws.integers(0, alone, size=times.sum())]
    sums = np.bincount(np.repeat(np.arange(m), times), weights=drawn, minlength=m)
    others = (m - times).astype(np.float64)
    return (sums + _cornish_fisher(near, others, draws.standard_normal(m))) / m


def _shape(rows: Floats) -> tuple[float, float, float, float]:
    """Return mean, standard deviation, skewness and excess kurtosis (divisor n)."""
    mean = float(rows.mean())
    gaps = rows - mean
    squares = gaps * gaps
    sd = math.sqrt(squares.mean())
    if sd == 0:
        return mean, 0.0, 0.0, 0.0
    z2 = squares / sd**2
    return mean, sd, float((z2 * gaps).mean()) / sd, float((z2 * z2).mean()) - 3


def _cornish_fisher(rows: Floats, size: Floats, normals: Floats) -> Floats:
    """Return sums of `size` rows drawn with replacement, out of standard normal numbers."""
    mean, sd, skewness, kurtosis = _shape(rows)
    g1, g2 = skewness / np.sqrt(size), kurtosis / size
    z = normals
    cubic = g2 / 24 * (z**3 - 3 * z) - g1**2 / 36 * (2 * z**3 - 5 * z)
    return size * mean + np.sqrt(size) * sd * (z + g1 / 6 * (z * z - 1) + cubic)


def bootstrap_medians(rows: Floats, *words: int) -> Floats:
    """Return the medians of as many bootstrap samples as there are rows, by their exact law.

    Notes
    -----
    Drawing m rows is drawing m uniform numbers u and taking the rows ⌈m·u⌉; the r-th smallest row
    comes of the r-th smallest u, which has a beta law. Of an even m both middle ones are drawn,
    the upper given the lower: the least of m - r uniform numbers above it.
    """
    m = len(rows)
    draws = generator("resampling", *words)
    rank = (m + 1) // 2
    lower = draws.beta(rank, m - rank + 1, size=m)
    found: Floats = rows[_row_of(lower, m)]
    if m % 2:
        return found
    upper = lower + (1 - lower) * draws.beta(1, m - rank, size=m)
    above = rows[_row_of(upper, m)]
    middle: Floats = np.clip(found / 2 + above / 2, found, above)
    return middle


def _row_of(uniforms: Floats, m: int) -> Labels:
    return np.minimum((uniforms * m).astype(np.intp), m - 1)


def resampling(
    x: ArrayLike, c: int, centre: str = "mean", then: str = "kmeans", seed: int = 0
) -> Floats:
    """Return the inner edges of c regions of bootstrap centroids; see `Resampling`.

    Parameters
    ----------
    x : array-like of shape (n,)
        Finite numbers.
    c : int
        How many; at least 1.
    centre : {"mean", "median"}, default "mean"
        The centroid of a bootstrap sample.
    then : {"kmeans", "equal_width", "equal_frequency"}, default "kmeans"
        How the centroids are parted.
    seed : int, default 0
        Which samples are drawn; at least 0.

    Returns
    -------
    ndarray of edges, rising
        Each belongs to the interval above.

    Examples
    --------
    >>> edges = resampling([*range(0, 40), *range(100, 140)], c=2, centre="median")
    >>> bool(39 < edges[0] < 100)
    True
    """
    return Resampling(c, centre, then, seed)(sorted_column(x))
