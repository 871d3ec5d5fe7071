"""k-means in one dimension, of values or (resampling) of centroids of bootstrap samples."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from discreet.arguments import CheckedParameters, Floats, Labels, whole, word
from discreet.errors import RefusedError
from discreet.rounding.base import (
    MOST_REGIONS,
    RegionMethod,
    Regions,
    SortedColumn,
    edges_at,
    scaled,
    sorted_column,
)
from discreet.rounding.intervals import EqualFrequency, EqualWidth, equal_frequency_cuts
from discreet.secret import generator

QUICK, MOST_EXACT = 100_000_000, 1_000_000_000
"""Up to so many different values times c the exact program is taken by itself, or if it is asked
for: it keeps a number of four bytes for each."""
PLACES, ROOM = 2048, 50_000_000
"""So many places of a longer column are looked at, twice, where they are no more times c."""
ROUNDS = 300

Sums = tuple[Floats, Floats, Floats]


@dataclass(frozen=True)
class KMeans(CheckedParameters):
    """Regions whose rows lie as close as possible about their means (k-means in one dimension).

    Parameters
    ----------
    c : int
        How many regions; at least 1, at most a million or as many as there are different values.
    exact : bool, default False
        Find the least sum of squares of all partitions (to about 1e-8 of it) even where different
        values times c are more than 1e8; more than 1e9 are refused, as they take too much memory.

    Notes
    -----
    Without `exact`, longer columns are cut at the best of some thousand places, equally frequent
    and equally wide ones, or as `EqualWidth` or `EqualFrequency` do; Lloyd's rounds follow until
    no value moves. **Nothing certifies** that no partition costs less then; but cuts of as many
    regions as those of `EqualWidth` and `EqualFrequency` never cost more. (Wang and Song 2011 have
    the exact program.)

    **What it does not protect.** A region may hold a single row, outliers above all: nothing is
    promised of how many rows share a point. Regions depend on all values.

    Examples
    --------
    >>> KMeans(c=2)(sorted_column([0.0, 1.0, 2.0, 9.0, 10.0])).tolist()
    [5.5]
    """

    name: ClassVar[str] = "kmeans"
    parameter: ClassVar[str] = "c"
    supervised: ClassVar[bool] = False
    promises: ClassVar[str] = (
        "Every value becomes the mean of one of c regions, chosen so that values lie close to them."
    )
    leaves_open: ClassVar[str] = (
        "A region may hold a single record, which its point then reveals; outliers are often "
        "alone in theirs."
    )

    c: int = whole(1)
    exact: bool = False

    def __call__(self, column: SortedColumn) -> Floats:
        """Return the inner edges of the regions of `column`."""
        values, different = scaled(column.values), len(column.values)
        c = min(self.c, different)
        if c in (1, different):
            return edges_at(column.values, np.arange(1, c))
        if c > MOST_REGIONS:
            raise RefusedError("c makes more than a million regions; take a smaller c")
        if self.exact and c * different > MOST_EXACT:
            raise RefusedError(
                "so many regions of so long a column take too much memory with"
                " exact=True; leave it out, or choose a smaller c"
            )
        from discreet.kernels.columns import cost_about_means, lloyd, prefix_sums

        tried = SortedColumn(values, column.counts)
        sums, rivals = prefix_sums(values, column.counts), _rivals(tried, c)
        if self.exact or c * different <= QUICK:
            cuts = _best(sums, c)
        else:
            starts = [_cuts_at_places(tried, sums, c), *rivals]
            candidates = [lloyd(values, *sums, start, ROUNDS) for start in starts]
            cuts = min(candidates, key=lambda each: _cost(sums, each))
        bounds = [np.concatenate([[0], each, [different]]) for each in (cuts, *rivals)]
        costs = [cost_about_means(values, column.counts, each) for each in bounds]
        return edges_at(column.values, bounds[int(np.argmin(costs))][1:-1])


def kmeans(x: ArrayLike, c: int, exact: bool = False) -> Floats:
    """Return the inner edges, rising, of the regions that k-means finds in `x`; see `KMeans`.

    Examples
    --------
    >>> kmeans([10, 0, 2, 1, 9], c=2).tolist()
    [5.5]
    """
    return KMeans(c, exact)(sorted_column(x))


def _cuts_at_places(column: SortedColumn, sums: Sums, c: int) -> Labels:
    """Return the best cuts at some places: equally many by rows and by width; or even ones."""
    share = np.arange(1, PLACES) / PLACES
    low, high = column.values[0], column.values[-1]
    by_rows = np.searchsorted(column.starts, share * column.n)
    by_width = np.searchsorted(column.values, low + share * (high - low))
    places = np.unique(np.concatenate([by_rows, by_width, [0, len(column.values)]]))
    if not 2 * c < len(places) <= ROOM // c:
        return np.linspace(0, len(column.values), c + 1).astype(np.intp)[1:-1]
    rows, total, squares = (np.take(each, places, axis=-1) for each in sums)
    return places[_best((rows, total, squares), c)]


def _rivals(column: SortedColumn, c: int) -> list[Labels]:
    """Return the cuts at equal widths and frequencies, where that makes c regions of some rows."""
    methods: tuple[RegionMethod, ...] = (EqualWidth(c), EqualFrequency(c))
    cuts = [np.unique(np.searchsorted(column.values, method(column))) for method in methods]
    return [each for each in cuts if len(each) == c - 1 and each[0] > 0]


def _best(sums: Sums, c: int) -> Labels:
    """Return the best cuts into c regions."""
    from discreet.kernels.columns import best_cuts

    m = len(sums[0]) - 1
    lows = np.concatenate([[0], np.arange(1, c), [m]])
    highs = np.concatenate([[0], np.arange(m - c + 1, m), [m]])
    return best_cuts(*sums, lows, highs)


def _cost(sums: Sums, cuts: Labels) -> float:
    from discreet.kernels.columns import cost_of

    return cost_of(*sums, np.concatenate([[0], cuts, [len(sums[0]) - 1]]))


QUANTILES = 10
PLAIN_UP_TO = 2000
"""Rows of a quantile whose samples are drawn row by row; that takes the square of them."""
CHUNK = 500_000
THEN = {each.name: each for each in (KMeans, EqualWidth, EqualFrequency)}


@dataclass(frozen=True)
class Resampling(CheckedParameters):
    """Regions of the centroids of bootstrap samples of the ten quantiles of a column.

    Parameters
    ----------
    c : int
        How many regions; at least 1, at most a million.
    centre : {"mean", "median"}, default "mean"
        The centroid of a bootstrap sample.
    then : {"kmeans", "equal_width", "equal_frequency"}, default "kmeans"
        How the centroids are parted into c.
    seed : int, default 0
        Which bootstrap samples are drawn; at least 0.

    Notes
    -----
    The rows are parted into ten quantiles as by `EqualFrequency`. In each, of m rows, m samples of
    m rows are drawn with replacement, and the centroid of each is kept; the centroids of all are
    parted into c regions by `then`. Regions in which no row lies are kept.

    Samples are drawn as such where a quantile has up to 2000 rows. Of a larger one means are drawn
    from the normal law that they have nearly. The rounding set says which it was: its parameter
    `law` is "bootstrap" or "approximation". With many rows the centroids shrink to the ten means
    of the quantiles.

    **What it does not protect.** Nothing is promised of how many rows share a point. `seed` is no
    secret, and the samples hide nothing: another seed gives about the same edges.

    Examples
    --------
    >>> column = sorted_column([*range(0, 40), *range(100, 140)])
    >>> edges = Resampling(c=2)(column)
    >>> bool(39 < edges[0] < 100), Resampling(c=2).regions(column).found["law"]
    (True, 'bootstrap')
    """

    name: ClassVar[str] = "resampling"
    parameter: ClassVar[str] = "c"
    supervised: ClassVar[bool] = False
    promises: ClassVar[str] = (
        "Every value becomes the point of one of c intervals, which are found among centroids of"
        " bootstrap samples."
    )
    leaves_open: ClassVar[str] = (
        "An interval may hold a single record, which its point then reveals; many records make "
        "it little else than ten means."
    )

    c: int = whole(1)
    centre: str = word("mean", ("mean", "median"))
    then: str = word("kmeans", THEN)
    seed: int = whole(0, default=0)

    def __call__(self, column: SortedColumn) -> Floats:
        """Return the inner edges, found among the centroids."""
        return self.regions(column).edges

    def regions(self, column: SortedColumn) -> Regions:
        """Return the inner edges, and by which law centroids were drawn."""
        parts = _quantiles(column)
        edges = THEN[self.then](self.c)(sorted_column(self.centroids(parts)))
        plain = max(map(len, parts)) <= PLAIN_UP_TO
        law = "bootstrap" if plain or self.centre == "median" else "approximation"
        return Regions(edges, found={"law": law})

    def centroids(self, parts: list[Floats]) -> Floats:
        """Return a centroid for each row of the quantiles: as many as rows in each."""
        draw = bootstrap_means if self.centre == "mean" else bootstrap_medians
        return np.concatenate([draw(rows, self.seed, i) for i, rows in enumerate(parts)])


def _quantiles(column: SortedColumn) -> list[Floats]:
    """Return the rows of each quantile, rising."""
    cuts = equal_frequency_cuts(column, QUANTILES)
    return np.split(np.repeat(column.values, column.counts), column.starts[cuts])


def bootstrap_means(rows: Floats, *words: int, plain_up_to: int = PLAIN_UP_TO) -> Floats:
    """Return the means of as many bootstrap samples as there are rows; of many, as normal ones."""
    m, low, high = len(rows), rows[0], rows[-1]
    if low == high:
        return rows.copy()
    middle = float((rows - low).mean() + low)
    gaps = rows - middle  # so that an offset costs no digits
    draws = generator("resampling", *words)
    means: Floats = np.empty(m)
    if m > plain_up_to:
        means = gaps.std() / math.sqrt(m) * draws.standard_normal(m)
    else:
        at_once = CHUNK // m
        for first in range(0, m, at_once):
            samples = min(at_once, m - first)
            which = draws.integers(0, m, size=(samples, m), dtype=np.int32)
            means[first : first + samples] = gaps[which].mean(axis=1)
    out: Floats = np.clip(middle + means, low, high)
    return out


def bootstrap_medians(rows: Floats, *words: int) -> Floats:
    """Return the medians of as many bootstrap samples as there are rows, by their exact law.

    Drawing m rows is drawing m uniform numbers u and taking the rows ⌈m·u⌉; the r-th smallest row
    comes of the r-th smallest u, which has a beta law. Of an even m both middle ones are drawn,
    the upper given the lower: the least of m - r uniform numbers above it.
    """
    m = len(rows)
    draws = generator("resampling", *words)
    rank = (m + 1) // 2
    lower = draws.beta(rank, m - rank + 1, size=m)
    medians: Floats = rows[_row_of(lower, m)]
    if m % 2:
        return medians
    upper = lower + (1 - lower) * draws.beta(1, m - rank, size=m)
    above = rows[_row_of(upper, m)]
    middle: Floats = np.clip(medians / 2 + above / 2, medians, above)
    return middle


def _row_of(uniforms: Floats, m: int) -> Labels:
    return np.minimum((uniforms * m).astype(np.intp), m - 1)


def resampling(
    x: ArrayLike, c: int, centre: str = "mean", then: str = "kmeans", seed: int = 0
) -> Floats:
    """Return the inner edges, rising, of regions of bootstrap centroids of `x`: `Resampling`.

    Examples
    --------
    >>> edges = resampling([*range(0, 40), *range(100, 140)], c=2, centre="median")
    >>> bool(39 < edges[0] < 100)
    True
    """
    return Resampling(c, centre, then, seed)(sorted_column(x))
