"""One-dimensional k-means: the regions with the least sum of squares, exact or very nearly so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from discreet.arguments import Floats, Labels, check_whole
from discreet.errors import RefusedError
from discreet.rounding.base import (
    MOST_REGIONS,
    RegionMethod,
    SortedColumn,
    edges_at,
    scaled,
    sorted_column,
)
from discreet.rounding.intervals import EqualFrequency, EqualWidth

__all__ = ["KMeans", "kmeans"]

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
        How many regions; at least 1. A column of fewer different values has a region for each.
    exact : bool, default False
        Find the least sum of squares of all partitions (to about 1e-8 of it) even of long
        columns: of more than 4096 different values that times c are more than a million. Time
        and memory grow with c times their number.

    Raises
    ------
    RefusedError
        If `exact` would need too much memory; if c, and the different values, are more than a
        million.

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
    Senavirathne and Torra (2019), section
    3.2.3. Wang and Song, "Ckmeans.1d.dp: optimal k-means clustering in one dimension by dynamic
    programming", The R Journal 3 (2011).

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
        "A region may hold a single record, which its point then gives away; far values are often"
        " alone in theirs."
    )

    c: int
    exact: bool = False

    def __post_init__(self) -> None:
        check_whole("c", self.c, least=1)

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
        from discreet.kernels.clusters import cost_about_means, lloyd, prefix_sums

        tried = SortedColumn(values, column.counts)
        sums, rivals = prefix_sums(values, column.counts), _rivals(tried, c)
        if self.exact or different <= FEW or c * different <= SHORT:
            cuts = _best(sums, c)
        else:
            starts = [*_sampled(tried, sums, c), *rivals]
            found = [lloyd(values, *sums, start, ROUNDS) for start in starts]
            cuts = _refined(tried, sums, min(found, key=lambda each: _cost(sums, each)))
        bounds = [np.concatenate([[0], each, [different]]) for each in (cuts, *rivals)]
        costs = [cost_about_means(values, column.counts, each) for each in bounds]
        return edges_at(column.values, bounds[int(np.argmin(costs))][1:-1])


def kmeans(x: ArrayLike, c: int, exact: bool = False) -> Floats:
    """Return the inner edges of the regions that k-means finds in one column.

    Parameters
    ----------
    x : array-like of shape (n,)
        Finite numbers.
    c : int
        How many regions; at least 1.
    exact : bool, default False
        Whether the least sum of squares is found even in long columns; see `KMeans`.

    Returns
    -------
    ndarray of shape (c - 1,)
        Rising, each belongs to the region above; fewer where there are fewer different numbers.

    Examples
    --------
    >>> kmeans([10, 0, 2, 1, 9], c=2).tolist()
    [5.5]
    """
    return KMeans(c, exact)(sorted_column(x))


def _sampled(column: SortedColumn, sums: Sums, c: int) -> list[Labels]:
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


def _refined(column: SortedColumn, sums: Sums, cuts: Labels) -> Labels:
    """Return better cuts: the best among places within the regions, as long as they help.

    First few places for each region, and cuts may go anywhere, as they must where values are
    very unevenly spread; then many places, and no cut passes its neighbours.
    """
    c = len(cuts) + 1
    if 2 * WIDELY * c * c <= ROOM:
        cuts = _passes(column, sums, cuts, WIDELY, near=False)
    return _passes(column, sums, cuts, NEARBY, near=True)


def _passes(column: SortedColumn, sums: Sums, cuts: Labels, parts: int, *, near: bool) -> Labels:
    from discreet.kernels.clusters import lloyd

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
    from discreet.kernels.clusters import best_cuts

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
    from discreet.kernels.clusters import cost_of

    return cost_of(*sums, np.concatenate([[0], cuts, [len(sums[0]) - 1]]))
