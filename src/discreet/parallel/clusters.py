"""Clusters of at least k records between two neighbouring axes, as the paper makes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import CheckedParameters, check_whole, whole
from discreet.errors import BrokenPromiseError, InputError, RefusedError, one_of
from discreet.parallel.pixels import COSTS, TRIED, PairBins, Seeding, choose_seeding
from discreet.progress import advance

Whole = NDArray[np.int64]
Places = NDArray[np.intp]

AXES = {"both": -1, "left": 0, "right": 1}
HELD_PIXELS, HELD_RECORDS = 2**13, 2**31 - 1
"""What the kernels can hold: a bit for each pair of pixels, and counts of 32 bits."""
TASK, STEPS = "clustering over all axes", 50  # how progress is named, and how often it is told


@dataclass(frozen=True, eq=False)
class PairClusters:
    """Clusters of the records of a pair of axes.

    `boxes` (m, 4) are half-open pixels of each cluster, in the order in which they were made: left
    low, left high, right low, right high. `sizes` (m,) is how many records each has. `parts` (t, 3)
    are bin, cluster and how many of the bin's records are in it; sorted. `seeding` is the metric of
    the seeds, and `cost`, "seed" or "span", what a record costs that a cluster takes.
    """

    boxes: Whole
    sizes: Whole
    parts: Whole
    seeding: Seeding
    cost: str

    def __repr__(self) -> str:
        return f"PairClusters(seeding={self.seeding}, cost={self.cost!r})"

    @property
    def range(self) -> int:
        """The cluster range: pixels spanned on both axes, summed over clusters."""
        return int(self.boxes[:, 1::2].sum() - self.boxes[:, ::2].sum())


def cluster_pair(
    bins: PairBins,
    k: int,
    kinds: tuple[str, str] = ("continuous", "continuous"),
    *,
    cost: str = "smaller",
    seeding: Seeding | None = None,
) -> PairClusters:
    """Cluster the records of a pair of axes, at least k together, by k-member clustering.

    Until fewer than k records are left, a cluster grows from a seed: record by record the one of
    least cost is taken until there are k. Records left at last join the cluster whose box grows
    least. (Section 4.1 of the paper, after Byun et al. 2007.)

    Parameters
    ----------
    bins : PairBins
        The records, as `pair_bins` counts them.
    k : int
        The least number of records in a cluster; at least 2, at most the number of records.
    kinds : (str, str), default two continuous axes
        "continuous" or "categorical", of the left and the right axis. They decide on the metric of
        the seeds; see `choose_seeding`.
    cost : {"smaller", "seed", "span"}
        What a record costs. "seed": the pixels between it and the seed on both axes. "span": the
        pixels that the cluster's box grows on both. "smaller": both are tried, and the clusters of
        the smaller range are returned; "span" if equal.
    seeding : Seeding, optional
        The metric of the seeds, where it is not to be chosen.

    Notes
    -----
    A seed is a record of the bin, or of the pixel, of the highest metric. Once that is 1 for all,
    bins are put together by 2, 4, 8, ... adjacent ones, by as few as it takes that some hold two
    records. Ties, which the paper leaves open: the lowest bin in the order of (left, right), the
    lowest pixel, the cluster made first.

    **What it does not protect.** The edges of a box are pixels of records of its cluster. Who knows
    which clusters a record is in, between several pairs of axes or at several resolutions, narrows
    it down to a few pixels; paths through clusters of several pairs are hardly ever shared by k
    records. Sizes and the order of making tell where records lie dense. A cluster whose records all
    have one value of a sensitive axis gives that away.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet.parallel.pixels import pair_bins
    >>> left, right = np.array([0, 0, 1, 8, 9, 9, 5]), np.array([2, 3, 2, 7, 7, 9, 5])
    >>> clusters = cluster_pair(pair_bins(left, right, (10, 10)), 3)
    >>> clusters.boxes.tolist(), clusters.sizes.tolist(), clusters.range
    ([[0, 2, 2, 4], [5, 10, 5, 10]], [3, 4], 14)
    """
    _check_bins(bins)
    KMember(k)  # refuses a k that it does not declare
    if cost not in COSTS:
        raise InputError(f"cost is one of {one_of(COSTS)}")
    if bins.size < k:
        raise RefusedError("there are fewer records than k; ask for a smaller k")
    k, seeding = int(k), choose_seeding(bins, *kinds) if seeding is None else seeding
    if cost != "smaller":
        return _clusters(bins, k, seeding, cost)
    both = [_clusters(bins, k, seeding, each) for each in TRIED]
    return min(both, key=lambda found: found.range)


def members(clusters: PairClusters, bins: PairBins, bin_of: Places, rank: Places) -> Places:
    """Say which cluster each record is in, as places among the clusters: they are private.

    `bin_of` is the bin of each record, see `bin_of_records`. `rank` is the place of each in an
    order that depends on values alone: 0 to n - 1, each once. Records of one bin are dealt out to
    its parts, cluster after cluster, in this order.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet.parallel.pixels import bin_of_records, pair_bins
    >>> left, right = np.array([4, 0, 4, 0]), np.array([4, 1, 4, 1])
    >>> bins = pair_bins(left, right, (5, 5))
    >>> bin_of = bin_of_records(bins, left, right)
    >>> members(cluster_pair(bins, 2), bins, bin_of, np.arange(4)).tolist()
    [1, 0, 1, 0]
    """
    n = bins.size
    if rank.shape != (n,) or bin_of.shape != (n,):
        raise InputError("give one bin and one rank for each record that was counted")
    order = np.full(n, -1, dtype=np.intp)
    if n and rank.min() >= 0 and rank.max() < n:
        order[rank] = np.arange(n)
    if n and order.min() < 0:
        raise InputError("rank must give each record a place of its own, from 0 on")
    if n and bin_of.min() < 0:
        raise InputError("bin_of must be places among the bins, from 0 on")
    if not np.array_equal(np.bincount(bin_of, minlength=len(bins.counts)), bins.counts):
        raise InputError("the bins of the records are not those that were counted")
    counts = np.bincount(clusters.parts[:, 0], weights=clusters.parts[:, 2])
    if not np.array_equal(counts, bins.counts):
        raise InputError("the clusters are not those of these bins")
    from discreet.kernels.pairs import deal_out

    return deal_out(clusters.parts, bin_of.astype(np.intp, copy=False), order, len(bins.counts))


def check_clusters(labels: Places, boxes: Whole, left: Whole, right: Whole, k: int) -> None:
    """Count again that each cluster has k records or more, and that its box contains them.

    `labels` (n,) is the cluster of each record, `boxes` (m, 4) are half-open pixels, and `left` and
    `right` (n,) the pixels of each record.
    """
    if not len(labels) == len(left) == len(right):
        raise BrokenPromiseError("there is not one label for each record")
    if len(labels) and not (labels.min() >= 0 and labels.max() < len(boxes)):
        raise BrokenPromiseError("a record is in none of the clusters")
    if (np.bincount(labels, minlength=len(boxes)) < k).any():
        raise BrokenPromiseError("a cluster has fewer than k records")
    for side, (low, high) in zip((left, right), ((0, 1), (2, 3)), strict=True):
        # The edges of a cluster's box, beside each of its records.
        inside = (boxes[labels, low] <= side) & (side < boxes[labels, high])
        if not inside.all():
            raise BrokenPromiseError("the box of a cluster does not contain all of its records")


def _clusters(bins: PairBins, k: int, seeding: Seeding, cost: str) -> PairClusters:
    from discreet.kernels.pairs import cluster_bins, sort_parts

    left, right, counts = (
        np.ascontiguousarray(column, dtype=np.int64)
        for column in (bins.left, bins.right, bins.counts)
    )
    heights = int(bins.heights[0]), int(bins.heights[1])
    # numpy asks the system for large pages, which kernels do not: a third of the time.
    boxes = np.empty((bins.size // k, 4), dtype=np.int64)
    taken = np.empty((len(counts) + len(boxes), 3), dtype=np.int32)
    along, by_span = AXES[seeding.axis], cost == "span"
    many, strays = cluster_bins(left, right, counts, heights, k, along, by_span, boxes, taken)
    sizes = np.full(len(boxes), k, dtype=np.int64)
    np.add.at(sizes, strays[:, 1], strays[:, 2])
    parts = np.empty((many + len(strays), 3), dtype=np.int64)
    total = sort_parts(taken[:many], strays, len(bins.counts), parts)
    return PairClusters(boxes, sizes, parts[:total], seeding, cost)


def _check_bins(bins: PairBins) -> None:
    """Refuse what the kernels, which look nothing up, would go astray with."""
    if not isinstance(bins, PairBins):
        raise InputError("bins are a PairBins; make them of two arrays of pixels by pair_bins")
    sides, heights, counts = (bins.left, bins.right), bins.heights, bins.counts
    for column in (*sides, counts):
        if not isinstance(column, np.ndarray) or column.ndim != 1 or column.dtype.kind not in "iu":
            raise InputError("bins must be arrays of whole numbers; make them by pair_bins")
    if len(heights) != 2:
        raise InputError("heights must be two, of the left and the right axis")
    for height in heights:
        check_whole("the height of an axis", height, 1)
    if not len(bins.left) == len(bins.right) == len(counts):
        raise InputError("bins must have a left pixel, a right pixel and a count each")
    if not len(counts):
        raise RefusedError("there are fewer records than k; no record has a pixel on both axes")
    # The greatest count by itself, too: a sum of such may be too great for its type.
    if max(heights) > HELD_PIXELS or max(int(counts.max()), bins.size) > HELD_RECORDS:
        raise InputError("there are more pixels or records than can be clustered")
    if any(side.min() < 0 or side.max() >= h for side, h in zip(sides, heights, strict=True)):
        raise InputError("bins must lie on their axes; make them by pair_bins")
    places = bins.left.astype(np.int64, copy=False) * heights[1] + bins.right
    if (np.diff(places) <= 0).any() or counts.min() < 1:
        raise InputError("bins must be sorted and hold a record each; make them by pair_bins")


def cluster_jointly(pixels: NDArray[np.integer], k: int) -> Places:
    """Return the cluster of each record: over all axes at once, at least k together, greedily.

    The first cluster grows from the record farthest from the mean, each other one from the record
    farthest from the seed before. Record by record the one is taken for which the cluster's box
    grows least, until there are k. Records left at last join the cluster whose box grows least.
    Clusters are numbered in the order they were made, and counted again.

    Parameters
    ----------
    pixels : array of int, shape (n, p)
        The pixel of each record on each axis; from 0 to 2**13 - 1.
    k : int
        The least number of records in a cluster; at least 2, at most n.

    Notes
    -----
    Byun et al. (2007), section 4, with pixels in place of generalisation; Fig. 10 of the paper.
    Ties go to the row that is lowest in lexicographic order, or to the cluster made first. Time
    grows about with the square of n.

    **What it does not protect.** Every path through the clusters is shared by k records, but the
    edges of a box are pixels of records. Labels say who is clustered with whom: they are private.

    Examples
    --------
    >>> import numpy as np
    >>> cluster_jointly(np.array([[0, 0], [9, 9], [1, 0], [9, 8], [5, 9]]), 2).tolist()
    [0, 1, 0, 1, 1]
    """
    table = np.asarray(pixels)
    if table.ndim != 2 or table.dtype.kind not in "iu" or (table.size and table.min() < 0):
        raise InputError("pixels must be a table of whole numbers of at least 0")
    if table.max(initial=0) >= HELD_PIXELS:
        raise InputError(f"pixels must be below {HELD_PIXELS}; give the axes fewer of them")
    KMemberJoint(k)  # refuses a k that it does not declare
    if len(table) < k:
        raise RefusedError("there are fewer records than k; ask for a smaller k")
    rows, row_of, counts = np.unique(
        table.astype(np.int64), axis=0, return_inverse=True, return_counts=True
    )
    parts = _parts(np.ascontiguousarray(rows), counts.astype(np.int64), int(k))
    from discreet.kernels.pairs import deal_out

    order = np.arange(len(table))
    labels = deal_out(parts, row_of.reshape(-1).astype(np.intp), order, len(rows))
    if np.bincount(labels).min() < k:
        raise BrokenPromiseError("a cluster over all axes has fewer than k records")
    return labels


def _parts(rows: Whole, counts: Whole, k: int) -> Whole:
    """Return row, cluster and how many records, sorted; `counts` is written over."""
    from discreet.kernels.jointly import LEFT, PARTS, RECORDS, SEED, joint_steps, place_strays

    n, (different, axes) = int(counts.sum()), rows.shape
    mean = (2 * (rows * counts[:, None]).sum(axis=0) + n) // (2 * n)
    boxes = np.empty((n // k, axes, 2), dtype=np.int64)
    parts = np.empty((different + n // k + k, 3), dtype=np.int64)
    left = np.arange(different, dtype=np.int64)
    tally = np.zeros(5, dtype=np.int64)
    tally[RECORDS], tally[LEFT] = n, different
    tally[SEED] = np.abs(rows - mean).sum(axis=1).argmax()
    step = max(k, n // STEPS)
    while tally[RECORDS] >= k:
        joint_steps(rows, counts, left, boxes, parts, tally, k, int(tally[RECORDS]) - step)
        advance(TASK, n - int(tally[RECORDS]), n)
    place_strays(rows, counts, boxes, parts, tally)
    made = parts[: tally[PARTS]]
    sorted_parts: Whole = made[np.lexsort((made[:, 1], made[:, 0]))]
    return sorted_parts


# --- the ways to cluster parallel coordinates: what each takes, promises and does not protect -----


@dataclass(frozen=True)
class KMember(CheckedParameters):
    """Records clustered pair by pair of axes, as the paper prints it (section 4.1)."""

    name: ClassVar[str] = "k-member"
    promises: ClassVar[str] = "Every cluster between two axes stands on at least k records."
    leaves_open: ClassVar[str] = (
        "The edges of a cluster are pixels of its records, and clusters of several pairs that"
        " share a record narrow it down to a few pixels; most paths of clusters are of one record."
    )

    k: int = whole(2)


@dataclass(frozen=True)
class KMemberJoint(CheckedParameters):
    """Records clustered over all axes at once: the variant that the paper compares with."""

    name: ClassVar[str] = "k-member-joint"
    promises: ClassVar[str] = "Every path of clusters over all axes stands on at least k records."
    leaves_open: ClassVar[str] = (
        "The edges of a cluster are pixels of its records, and one that lies apart from all others"
        " is such an edge."
    )

    k: int = whole(2)
