"""Which clusters of neighbouring gaps light up together, and how diverse that must be."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import check_whole
from discreet.errors import InputError

Whole = NDArray[np.int64]
Numbers = NDArray[np.integer]

Joins = tuple[tuple[int, int], ...]  # (cluster in one gap, cluster in the next), sorted

NO_VALUE = -1
MOST_LABELS = 2**31  # below this two labels make one number of 64 bits
LEFT_SIDE, RIGHT_SIDE = slice(0, 2), slice(2, 4)  # of a box


@dataclass(frozen=True, eq=False, repr=False)
class Splits:
    """How the clusters of one gap run into those of the next.

    `left` and `right` (s,) are pairs of clusters with a record in common, sorted, none twice;
    `shared` (s,) is how many records each pair has in common.
    """

    left: Whole
    right: Whole
    shared: Whole


def splits(left_labels: Numbers, right_labels: Numbers) -> Splits:
    """Count the records that clusters of neighbouring gaps have in common.

    The labels, from 0 to 2**31 - 1, are the cluster of each record in a gap and in the next.

    **What it does not protect.** Most pairs have a single record in common: who sees the pairs of
    a record's clusters sees the record. Splits are the leak, not the cure that the paper (section
    4.2.1) takes them for.

    Examples
    --------
    >>> import numpy as np
    >>> found = splits(np.array([0, 0, 0, 1]), np.array([1, 1, 2, 0]))
    >>> found.left.tolist(), found.right.tolist(), found.shared.tolist()
    ([0, 0, 1], [1, 2, 0], [2, 1, 1])
    """
    left, right = _labels(left_labels, "left_labels"), _labels(right_labels, "right_labels")
    _check_as_many(left, right)
    across = int(right.max(initial=0)) + 1
    pairs, shared = np.unique(left * across + right, return_counts=True)
    return Splits(pairs // across, pairs % across, shared.astype(np.int64, copy=False))


def joined(left_labels: Numbers, right_labels: Numbers, least: int = 1) -> Joins:
    """Name the clusters of neighbouring gaps that have at least `least` records in common, sorted.

    Labels are those of `splits`; 1 is the paper's `least`. With k what is lit stands on k records,
    but the boxes of clusters of records are still drawn to the pixel.

    Examples
    --------
    >>> import numpy as np
    >>> joined(np.array([0, 0, 0, 1]), np.array([1, 1, 2, 0]), least=2)
    ((0, 1),)
    """
    check_whole("least", least, 1)
    pairs = splits(left_labels, right_labels)
    enough = pairs.shared >= least
    return _pairs(pairs.left[enough], pairs.right[enough])


def diverse_joins(
    before: Numbers,
    after: Numbers,
    values: Numbers,
    boxes_before: Numbers,
    boxes_after: Numbers,
    *,
    diversity: int,
    named: Collection[int] = (),
) -> Joins:
    """Return the pairs of clusters of a sensitive gap and the gap before it that light up together.

    A cluster that is not treated is lit with all that its records run into. So is a treated one if
    the members of those have at least l different values; else there are added clusters whose boxes
    share pixels of the shared axis with its own, most shared pixels first (ties: the lower number)
    and only such as bring a new value, until there are l; if these are not to be had it is lit with
    none. All are lit with none where l values are all there are, which hide nothing (sections 4.2.2
    and 4.2.3 of the paper).

    Parameters
    ----------
    before, after : array of int, shape (n,)
        The cluster of each record in the gap before, and in the sensitive gap: that between the
        shared axis and the sensitive one.
    values : array of int, shape (n,)
        The value of each record on the sensitive axis, as a number of at least 0 (its pixel, its
        level); -1 if it has none, which counts for no diversity.
    boxes_before, boxes_after : array of int, shape (m, 4)
        The half-open pixels of the clusters of either gap.
    diversity : int
        How many different values must be reached; at least 2, at most as many as occur.
    named : collection of int, default ()
        The values that are sensitive: clusters with a record of one of them are treated. None
        named: all clusters are treated.

    Notes
    -----
    **What it does not protect.** Treating some clusters alone tells who has a named value: the odds
    of one rose from 22 % to 27-45 % in the treated clusters, and were 0 in the others. And l values
    are lit, but by whom, and how many by each, the boxes may tell. For data that must be kept safe
    see `discreet.parallel.cells`, which treats all alike.

    Examples
    --------
    Cluster 0 runs into clusters 0 and 1, which have the values 0 and 1; its box overlaps that of
    cluster 2, which brings value 2. Cluster 1 reaches two values, and overlaps no others.

    >>> import numpy as np
    >>> before, after = np.array([0, 0, 1, 1, 1]), np.array([0, 1, 2, 2, 2])
    >>> boxes_before = np.array([[0, 9, 0, 5], [0, 9, 6, 8]])
    >>> boxes_after = np.array([[0, 1, 0, 1], [3, 4, 1, 2], [4, 8, 2, 4]])
    >>> values = np.array([0, 1, 2, 2, 3])
    >>> diverse_joins(before, after, values, boxes_before, boxes_after, diversity=3)
    ((0, 0), (0, 1), (0, 2))
    """
    shared = splits(before, after)
    codes, occur = _code_values(values, named)
    _check_as_many(codes, np.asarray(before))
    sides = _side(boxes_before, RIGHT_SIDE, before), _side(boxes_after, LEFT_SIDE, after)
    check_whole("diversity", diversity, 2)
    if diversity > len(occur):
        raise InputError(
            "diversity is more than the number of values that the sensitive axis has; lower it,"
            " or have fewer levels joined"
        )
    if diversity == len(occur):  # l of l values hide nothing: the paper (4.2.3) shows nothing
        return ()
    values_of: list[set[int]] = [set() for _ in boxes_after]
    for cluster, code in zip(np.asarray(after).tolist(), codes.tolist(), strict=True):
        if code != NO_VALUE:
            values_of[cluster].add(code)
    of_named = np.isin(np.asarray(values), list(named))
    treated = {*(np.asarray(before)[of_named] if len(named) else shared.left).tolist()}
    runs: defaultdict[int, list[int]] = defaultdict(list)
    for cluster, other in _pairs(shared.left, shared.right):
        runs[cluster].append(other)
    pairs = []
    for cluster, others in runs.items():
        lit = others
        if cluster in treated:
            lit = _completed(others, sides[0][cluster], sides[1], values_of, diversity)
        pairs += [(cluster, other) for other in lit]
    return tuple(sorted(pairs))


def _completed(
    lit: list[int], side: Whole, sides: Whole, values_of: list[set[int]], least: int
) -> list[int]:
    """Return clusters with others beside them until they have enough values, or none at all.

    Added are those whose `sides` share pixels with this one's `side`, most pixels first.
    """
    reached = set().union(*(values_of[other] for other in lit))
    over = np.minimum(sides[:, 1], side[1]) - np.maximum(sides[:, 0], side[0])
    near = np.flatnonzero(over > 0)
    added: list[int] = []
    for other in near[np.argsort(-over[near], kind="stable")].tolist():
        if len(reached) >= least:
            break
        if values_of[other] - reached:
            added.append(other)
            reached |= values_of[other]
    return [*lit, *added] if len(reached) >= least else []


def _pairs(left: Whole, right: Whole) -> Joins:
    return tuple(zip(left.tolist(), right.tolist(), strict=True))


# --- what is given ------------------------------------------------------------------------------


def _labels(labels: Numbers, name: str, least: int = 0) -> Whole:
    given = np.asarray(labels)
    if given.ndim != 1 or given.dtype.kind not in "iu" or given.min(initial=least) < least:
        raise InputError(f"{name} must be whole numbers of at least {least}, one for each record")
    if given.max(initial=least) >= MOST_LABELS:
        raise InputError(f"{name} must be below {MOST_LABELS}; number them from 0 on")
    return given.astype(np.int64, copy=False)


def _check_as_many(one: Numbers, other: Numbers) -> None:
    if len(one) != len(other):
        raise InputError("labels and values must be of the same records, as many of each")


def _code_values(values: Numbers, named: Collection[int]) -> tuple[Whole, Whole]:
    """Return the place of each record's value among those that occur, and what occurs."""
    given = _labels(values, "values", NO_VALUE)
    occur, codes = np.unique(given, return_inverse=True)
    if not np.isin(list(named), occur[occur != NO_VALUE]).all():
        raise InputError("a named sensitive value does not occur; name values of the records")
    if occur.size and occur[0] == NO_VALUE:
        return codes - 1, occur[1:]
    return codes.astype(np.int64, copy=False), occur


def _side(boxes: Numbers, side: slice, labels: Numbers) -> Whole:
    """Return the half-open pixels (m, 2) of each box on one of its axes."""
    given = np.asarray(boxes)
    if given.ndim != 2 or given.shape[1] != 4 or given.dtype.kind not in "iu":
        raise InputError("boxes must be whole numbers, four for each cluster")
    if np.max(labels, initial=-1) >= len(given):
        raise InputError("a record is in a cluster that has no box; give the boxes of all")
    return given[:, side].astype(np.int64)
