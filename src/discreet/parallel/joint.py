"""Clusters of at least k records over all axes at once: what the paper compares with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import check_whole
from discreet.errors import BrokenPromiseError, InputError, RefusedError
from discreet.parallel.clusters import HELD_PIXELS
from discreet.progress import advance

__all__ = ["cluster_jointly", "joint_boxes", "joint_ranges"]

Whole = NDArray[np.int64]
Places = NDArray[np.intp]

TASK = "clustering over all axes"
STEPS = 50
"""How often progress is told."""


def cluster_jointly(pixels: NDArray[np.integer], k: int) -> Places:
    """Cluster records over all axes at once, at least k together, by greedy k-member clustering.

    The first cluster grows from the record farthest from the mean, each other one from the record
    farthest from the seed before. Record by record the one is taken for which the cluster's box
    grows least, until there are k. Records left at last join the cluster whose box grows least.

    Parameters
    ----------
    pixels : array of int, shape (n, p)
        The pixel of each record on each axis; from 0 to 2**13 - 1.
    k : int
        The least number of records in a cluster; at least 2, at most n.

    Returns
    -------
    array of int, shape (n,)
        The cluster of each record, numbered from 0 in the order they were made.

    Raises
    ------
    InputError
        If k is no whole number of at least 2, or pixels are no table of such whole numbers.
    RefusedError
        If there are fewer records than k.
    BrokenPromiseError
        If a cluster, counted again, holds fewer than k records.

    Notes
    -----
    Distances and growth are pixels, summed over the axes; the mean is rounded to pixels. Ties go
    to the row that is lowest in lexicographic order, or to the cluster made first, so the order of
    records does not matter but for which of several equal ones goes where. Time grows about with
    the square of n, at a few comparisons a pair of records for each k.

    **What it does not protect.** Every path through the clusters is shared by k records, but the
    edges of a box are pixels of records. Labels say who is clustered with whom: they are private.

    References
    ----------
    Byun et al., "Efficient k-anonymization using clustering techniques" (2007), section 4, with
    pixels in place of generalisation. Dasgupta and Kosara, "Adaptive privacy-preserving
    visualization using parallel coordinates" (2011), Fig. 10.

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
    check_whole("k", k, 2)
    if len(table) < k:
        raise RefusedError("there are fewer records than k; ask for a smaller k")
    rows, row_of, counts = np.unique(
        table.astype(np.int64), axis=0, return_inverse=True, return_counts=True
    )
    parts = _parts(np.ascontiguousarray(rows), counts.astype(np.int64), int(k))
    from discreet.kernels.dealing import deal_out

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
    told = np.zeros(5, dtype=np.int64)
    told[RECORDS], told[LEFT] = n, different
    told[SEED] = np.abs(rows - mean).sum(axis=1).argmax()
    step = max(k, n // STEPS)
    while told[RECORDS] >= k:
        joint_steps(rows, counts, left, boxes, parts, told, k, int(told[RECORDS]) - step)
        advance(TASK, n - int(told[RECORDS]), n)
    place_strays(rows, counts, boxes, parts, told)
    made = parts[: told[PARTS]]
    sorted_parts: Whole = made[np.lexsort((made[:, 1], made[:, 0]))]
    return sorted_parts


def joint_boxes(labels: Places, pixels: NDArray[np.integer]) -> Whole:
    """Return the box of each cluster on each axis.

    Parameters
    ----------
    labels : array of int, shape (n,)
        The cluster of each record, from 0 on; none is empty.
    pixels : array of int, shape (n, p)
        The pixel of each record on each axis.

    Returns
    -------
    array of int, shape (m, p, 2)
        Low and high of each cluster on each axis: half-open pixels.

    Raises
    ------
    InputError
        If there is not one label for each record, or a number is left out among them.

    Notes
    -----
    **What it does not protect.** Each edge is the pixel of a record.

    Examples
    --------
    >>> import numpy as np
    >>> joint_boxes(np.array([0, 1, 0]), np.array([[4, 0], [7, 7], [2, 1]])).tolist()
    [[[2, 5], [0, 2]], [[7, 8], [7, 8]]]
    """
    if len(labels) != len(pixels) or not len(labels):
        raise InputError("give one label for each record, and at least one record")
    if labels.min() < 0 or not np.bincount(labels).all():
        raise InputError("clusters must be numbered from 0, and hold a record each")
    order = np.argsort(labels, kind="stable")
    inside = pixels[order].astype(np.int64, copy=False)
    begins = np.flatnonzero(np.diff(labels[order], prepend=-1))
    low, high = np.minimum.reduceat(inside, begins), np.maximum.reduceat(inside, begins) + 1
    return np.stack([low, high], axis=2)


def joint_ranges(boxes: Whole) -> Whole:
    """Return the cluster range of each pair of neighbouring axes.

    Parameters
    ----------
    boxes : array of int, shape (m, p, 2)
        The box of each cluster on each axis, half-open pixels.

    Returns
    -------
    array of int, shape (p - 1,)
        Pixels spanned on both axes of the pair, summed over clusters: to be compared with the
        `range` of clusters that were made for that pair alone.

    Notes
    -----
    **What it does not tell.** How many clusters lie over one another.

    References
    ----------
    Dasgupta and Kosara, "Adaptive privacy-preserving visualization using parallel coordinates"
    (2011), section 4.1.3 and Fig. 10.

    Examples
    --------
    >>> import numpy as np
    >>> joint_ranges(np.array([[[0, 2], [0, 1], [5, 9]], [[4, 5], [3, 4], [0, 2]]])).tolist()
    [5, 8]
    """
    spans = (boxes[:, :, 1] - boxes[:, :, 0]).sum(axis=0)
    ranges: Whole = spans[:-1] + spans[1:]
    return ranges
