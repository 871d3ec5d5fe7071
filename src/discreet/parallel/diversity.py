"""Which clusters of neighbouring gaps light up together, and how diverse that must be."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import check_whole
from discreet.errors import InputError

Whole = NDArray[np.int64]
Numbers = NDArray[np.integer]
Sets = NDArray[np.uint8]  # a row is a set of values: a bit for each, eight to a byte

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
    none. All are lit with none where l values are all there are, which hide nothing (section
    4.2.3).

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
    See sections 4.2.2 and 4.2.3 of the paper (`discreet.parallel`). Several sensitive columns: call
    it for each gap by itself.

    **What it does not protect.** Treating some clusters alone tells who has a named value: the
    odds of one rose from 22 % to 27-45 % in the treated clusters, and were 0 in the others. And l
    values are lit, but by whom, and how many by each, the boxes may tell. For data that must be
    kept safe see `discreet.parallel.cells`, which treats all alike.

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
    values_of = _value_sets(np.asarray(after), codes, (len(boxes_after), len(occur)))
    starts = np.flatnonzero(np.diff(shared.left, prepend=-1))
    reached: Sets = np.bitwise_or.reduceat(values_of[shared.right], starts, axis=0)
    clusters = shared.left[starts]
    short = _sizes(reached) < diversity
    if len(named):
        some = codes != NO_VALUE
        sensitive = np.isin(occur, list(named))[codes[some]]
        of_them = np.asarray(before)[some][sensitive]
        short &= np.bincount(of_them, minlength=int(clusters[-1]) + 1)[clusters] > 0
    lit = np.repeat(~short, np.diff(starts, append=len(shared.left)))
    extra = _completions(sides[0][clusters[short]], reached[short], sides[1], values_of, diversity)
    pairs = [*_pairs(shared.left[lit], shared.right[lit])]
    ends = np.append(starts[1:], len(shared.left))
    for cluster, start, end, new in zip(
        clusters[short].tolist(), starts[short], ends[short], extra, strict=True
    ):
        others = [*shared.right[start:end].tolist(), *new] if new else []
        pairs += [(cluster, other) for other in others]
    return tuple(sorted(pairs))


# --- what a cluster reaches, and what may be added ----------------------------------------------


def _value_sets(clusters: Numbers, codes: Whole, shape: tuple[int, int]) -> Sets:
    """Return the set of values that the members of each cluster have."""
    sets = np.zeros((shape[0], -(-shape[1] // 8)), dtype=np.uint8)
    some = codes != NO_VALUE
    bits = np.left_shift(1, codes[some] % 8).astype(np.uint8)
    np.bitwise_or.at(sets, (clusters[some], codes[some] // 8), bits)
    return sets


def _sizes(sets: Sets) -> NDArray[np.intp]:
    """Return how many values each set has."""
    counted: NDArray[np.intp] = np.bitwise_count(sets).sum(axis=-1, dtype=np.intp)
    return counted


class _Offers:
    """The clusters that may be added, sorted by where they start on the shared axis.

    Of those that offer the same values at the same place the first is enough: the others never
    bring a new one.
    """

    def __init__(self, sides: Whole, sets: Sets, numbers: Whole) -> None:
        keys = np.column_stack([sides, numbers])  # a number for each different set
        self.first = np.unique(keys, axis=0, return_index=True)[1]
        self.low, self.high = sides[self.first].T
        self.sets = sets[self.first]
        self.widest = int(np.max(self.high - self.low, initial=0))

    def completing(self, low: int, high: int, reached: Sets, least: int) -> list[int]:
        """List what is added between these pixels to reach enough; nothing, if it does not."""
        ends = self.low.searchsorted([low - self.widest, high])
        near = slice(int(ends[0]), int(ends[1]))
        over = np.minimum(self.high[near], high) - np.maximum(self.low[near], low)
        near_by = np.lexsort([self.first[near], -over])
        near_by = near_by[over[near_by] > 0]
        sets, first = self.sets[near][near_by], self.first[near][near_by]
        added: list[int] = []
        while _sizes(reached) < least:
            # Who brought nothing new when its turn came brings nothing later.
            new = (sets & ~reached).any(axis=1)
            if not new.any():
                return []
            best = int(new.argmax())
            added.append(int(first[best]))
            reached = reached | sets[best]
        return added


def _completions(
    sides: Whole, reached: Sets, offered_sides: Whole, offered_sets: Sets, least: int
) -> list[list[int]]:
    """List for each cluster that falls short what is added to it; nothing, if that is too little.

    What is added hangs on the cluster's side and on what it reaches alone: each is completed once.
    """
    every = np.vstack([reached, offered_sets])
    known, number = np.unique(every, axis=0, return_inverse=True)
    number = number.reshape(-1)
    offers = _Offers(offered_sides, offered_sets, number[len(sides) :])
    asked = np.column_stack([sides, number[: len(sides)]])
    wants, which = np.unique(asked, axis=0, return_inverse=True)
    completed = [
        offers.completing(low, high, known[have], least) for low, high, have in wants.tolist()
    ]
    return [completed[want] for want in which.reshape(-1)]


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
