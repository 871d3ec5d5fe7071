"""k-means in one dimension, of values or (resampling) of centroids of bootstrap samples."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from discreet.arguments import Floats, Labels, check_parameters, whole, word
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

FEW = 4096
SHORT = 1_000_000
"""Up to so many different values, or so many times c, the exact program is quick for everyone."""
WIDELY, NEARBY = 8, 64
"""For each region so many places are looked at, twice: equal shares of rows, and of width."""
ROOM = 50_000_000
"""How many numbers the first guess may take for its program, of four bytes each."""
MOST_EXACT = 1_000_000_000
ROUNDS = 300
PASSES, GAIN = 10, 1e-6
"""Places are looked at so many times, as long as that saves so large a share of the cost."""

Sums = tuple[Floats, Floats, Floats]


@dataclass(frozen=True)
class KMeans:
    """Regions whose rows lie as close as possible about their means (k-means in one dimension).

    Parameters
    ----------
    c : int
        How many regions; at least 1, at most a million or as many as there are different values.
    exact : bool, default False
        Find the least sum of squares of all partitions (to about 1e-8 of it) even of long
        columns: of more than 4096 different values that times c are more than a million. Time
        and memory grow with c times their number; too much memory is refused.

    Notes
    -----
    Without `exact`, long columns are first cut at the best of some thousand places, equally
    frequent and equally wide ones; the regions of `EqualWidth` and `EqualFrequency`, where these
    are c in number and none is empty, are two other guesses. From each, Lloyd's rounds follow
    until no value moves. The best is refined at the best of more places around its cuts, again
    and again. The cost has been within 1.0001 of the least in columns of one bulk or a few
    clumps, with thin and with heavy tails, but **nothing certifies that**: clumps far apart that
    hold few of the values, each of which needs several cuts, may be passed over.

    In the end the cuts are held against those of `EqualWidth` and `EqualFrequency`, each cost
    being summed about the means of its own regions: with as many regions, and none empty, these
    never cost less. Before that, sums of squares are kept to about 32 digits, so that outliers
    cost none; that takes longer where clumps lie so far apart that 16 digits cannot tell costs.

    **What it does not protect.** A region may hold a single row, outliers above all: nothing is
    promised of how many rows share a point. Regions depend on all values.

    References
    ----------
    Senavirathne and Torra (2019), section 3.2.3. Wang and Song, "Ckmeans.1d.dp: optimal k-means
    clustering in one dimension by dynamic programming", The R Journal 3 (2011).

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

    def __post_init__(self) -> None:
        check_parameters(self)

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
        if self.exact or different <= FEW or c * different <= SHORT:
            cuts = _best(sums, c)
        else:
            starts = [*_sample_cuts(tried, sums, c), *rivals]
            candidates = [lloyd(values, *sums, start, ROUNDS) for start in starts]
            cuts = _refine(tried, sums, min(candidates, key=lambda each: _cost(sums, each)))
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


def _sample_cuts(column: SortedColumn, sums: Sums, c: int) -> list[Labels]:
    """Return the best cuts at some places of a column, where there is room to look for them."""
    parts = max(FEW // 2, WIDELY * c)
    if 2 * parts * c > ROOM:
        return []
    places = _places(column, np.array([0]), np.array([len(column.values)]), parts)
    return [_best(sums, c, places)] if len(places) > 2 * c else []


def _rivals(column: SortedColumn, c: int) -> list[Labels]:
    """Return the cuts at equal widths and frequencies, where that makes c regions of some rows."""
    methods: tuple[RegionMethod, ...] = (EqualWidth(c), EqualFrequency(c))
    cuts = [np.unique(np.searchsorted(column.values, method(column))) for method in methods]
    return [each for each in cuts if len(each) == c - 1 and each[0] > 0]


def _refine(column: SortedColumn, sums: Sums, cuts: Labels) -> Labels:
    """Return better cuts: the best among places within the regions, as long as they help.

    First few places for each region, and cuts may go anywhere, as they must where values are
    very unevenly spread; then many places, and no cut passes its neighbours.
    """
    c = len(cuts) + 1
    if 2 * WIDELY * c * c <= ROOM:
        cuts = _passes(column, sums, cuts, WIDELY, near=False)
    return _passes(column, sums, cuts, NEARBY, near=True)


def _passes(column: SortedColumn, sums: Sums, cuts: Labels, parts: int, *, near: bool) -> Labels:
    from discreet.kernels.columns import lloyd

    cost = _cost(sums, cuts)
    for _ in range(PASSES):
        bounds = np.concatenate([[0], cuts, [len(column.values)]])
        places = _places(column, bounds[:-1], bounds[1:], parts)
        at = np.searchsorted(places, bounds) if near else None
        better = lloyd(column.values, *sums, _best(sums, len(bounds) - 1, places, at), ROUNDS)
        before, cost = cost, _cost(sums, better)
        if not cost < before:
            break
        cuts = better
        if cost > (1 - GAIN) * before:
            break
    return cuts


def _best(sums: Sums, c: int, places: Labels | None = None, bounds: Labels | None = None) -> Labels:
    """Return the best cuts into c regions, among all or some places.

    With `bounds` (c + 1 of the places, by number) no cut passes the bounds beside its own.
    """
    from discreet.kernels.columns import best_cuts

    rows, total, squares = (
        sums if places is None else (np.take(each, places, axis=-1) for each in sums)
    )
    m = len(rows) - 1
    lows, highs = np.arange(c - 1) + 1, np.arange(m - c + 1, m)
    if bounds is not None:
        lows, highs = bounds[:-2] + 1, bounds[2:] - 1
    lows = np.concatenate([[0], lows, [m]])
    highs = np.concatenate([[0], highs, [m]])
    cuts = best_cuts(rows, total, squares, lows, highs)
    return cuts if places is None else places[cuts]


def _places(column: SortedColumn, begins: Labels, ends: Labels, parts: int) -> Labels:
    """Return the ends of some regions, and places within: so many by rows, so many by width."""
    if 2 * parts * len(begins) >= len(column.values):
        return np.arange(len(column.values) + 1)
    share = np.arange(parts) / parts
    first, rows = column.starts[begins], column.starts[ends] - column.starts[begins]
    low = column.values[begins]
    width = column.values[ends - 1] - low
    by_rows = np.searchsorted(column.starts, (first[:, None] + share * rows[:, None]).ravel())
    by_width = np.searchsorted(column.values, (low[:, None] + share * width[:, None]).ravel())
    return np.unique(np.concatenate([by_rows, by_width, begins, [len(column.values)]]))


def _cost(sums: Sums, cuts: Labels) -> float:
    from discreet.kernels.columns import cost_of

    return cost_of(*sums, np.concatenate([[0], cuts, [len(sums[0]) - 1]]))


QUANTILES = 10
PLAIN_UP_TO = 2000
"""Rows of a quantile whose samples are drawn row by row; that takes the square of them."""
CHUNK = 500_000
UNEVEN = 0.2
"""Skewness or kurtosis of a mean above which the farthest rows are drawn one by one."""
FAR_ROWS = 50
THEN = {each.name: each for each in (KMeans, EqualWidth, EqualFrequency)}


@dataclass(frozen=True)
class Resampling:
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
    parted into c regions by `then`, and the edges hold for the column. Permuted rows give the same
    edges. Regions in which no row lies are kept, as in `EqualWidth`.

    Samples are drawn as such where a quantile has up to 2000 rows. Of a larger one the means are
    drawn from their law in O(m) steps: by Cornish and Fisher, from the sample's own skewness and
    kurtosis; where a few far rows make the mean uneven, it is drawn exactly how often each of the
    50 farthest is in a sample. Medians are drawn from their exact law at any size. The rounding set
    says which it was: its parameter `law` is "bootstrap" or "approximation".

    The means of m rows differ by their standard deviation over the root of m. With many rows the
    centroids shrink to the ten means of the quantiles: with c above 10 what is parted then is the
    noise of the samples, and regions between hold few rows or none.

    **What it does not protect.** Nothing is promised of how many rows share a point. `seed` is no
    secret, and the samples hide nothing: another seed gives about the same edges.

    References
    ----------
    Senavirathne and Torra (2019), section 3.2.4 and Algorithm 1.

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

    def __post_init__(self) -> None:
        check_parameters(self)

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
    means = (_draw_means if len(rows) <= plain_up_to else _from_law)(gaps, words)
    return np.clip(middle + means, low, high)


def _draw_means(rows: Floats, words: tuple[int, ...]) -> Floats:
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
