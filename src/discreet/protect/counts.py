"""Count methods: what of a grid of counts may be shown, of all persons and of each level."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Labels, check_parameters, check_whole, ratio, whole
from discreet.errors import BrokenPromiseError, InputError, RefusedError

__all__ = [
    "LEAST_GAP",
    "Bins",
    "Generalization",
    "Guarded",
    "Merge",
    "Merged",
    "NoProtection",
    "Suppression",
    "about",
    "cells_of_levels",
    "check_counts",
    "in_blocks",
    "joined_bins",
    "rounded",
    "shows_enough",
    "widths_of_blocks",
]

Bins = NDArray[np.int64]
Mask = NDArray[np.bool_]
Counter = Callable[[tuple[int, ...]], Bins]
"""Counts the persons in each cell of a grid that has so many cells along each axis."""
GroupCounter = Callable[[Labels], Bins]
"""Counts the persons in each merged bin, given which merged bin each original bin belongs to."""

LEAST_GAP = 3  # bins: shorter runs of few persons are joined to their neighbours


@dataclass(frozen=True, eq=False)
class Guarded:
    """What of a grid of `resolution` cells may be shown.

    `counts` are 0 where a cell is not shown, of which there are `hidden`. Empty cells are shown; a
    view that tells them from hidden ones says that someone is there.
    """

    counts: Bins
    shown: Mask
    resolution: tuple[int, ...]
    hidden: int

    def __post_init__(self) -> None:
        self.counts.setflags(write=False)
        self.shown.setflags(write=False)


@dataclass(frozen=True, eq=False)
class Merged:
    """Neighbouring bins joined.

    `groups` says which merged bin each original one belongs to, from 0 on, from left to right;
    `counts` are the persons in each merged bin. Original bins that lie in a `gap` hold fewer than
    k persons, who are counted in the merged bin beside it.
    """

    groups: Labels
    counts: Bins
    gap: Mask

    def __post_init__(self) -> None:
        self.groups.setflags(write=False)
        self.counts.setflags(write=False)
        self.gap.setflags(write=False)


@dataclass(frozen=True)
class Suppression:
    """Cells of 1 to k - 1 persons are not shown.

    Parameters
    ----------
    k : int, default 3
        The least number of persons in a cell that is shown; at least 1.

    References
    ----------
    Avraam et al. (2021), section 2.1.

    Examples
    --------
    >>> import numpy as np
    >>> guarded = Suppression(k=3)(lambda resolution: np.array([5, 2, 0, 3]), (4,))
    >>> guarded.counts.tolist(), guarded.shown.tolist(), guarded.hidden
    ([5, 0, 0, 3], [True, False, True, True], 1)
    """

    name: ClassVar[str] = "suppression"
    promises: ClassVar[str] = "Every cell that is shown stands on at least k persons."
    leaves_open: ClassVar[str] = (
        "A total, or the same persons counted on another grid, may give a hidden count back."
    )

    k: int = whole(1, default=3)

    def __post_init__(self) -> None:
        check_parameters(self)

    def __call__(self, count: Counter, resolution: tuple[int, ...]) -> Guarded:
        """Count once at `resolution` and hide the small cells."""
        return _guarded(_counted(count, resolution), self.k)


@dataclass(frozen=True)
class Generalization:
    """Half as many cells along each axis, of which those of 1 to k - 1 persons are not shown.

    Parameters
    ----------
    k : int, default 3
        The least number of persons in a cell that is shown; at least 1.
    shown_share : float, optional
        Halve again until the cells shown hold at least this share of all counts, or one cell is
        left along each axis; above 0 and at most 1. The resolution then depends on the data and
        says a little about them. Default: halve once.

    References
    ----------
    Avraam et al. (2021), sections 2.1 and 4.1 (a 30 by 30 grid becomes 15 by 15).

    Examples
    --------
    >>> import numpy as np
    >>> values = np.array([0, 0, 1, 2, 2, 3])
    >>> guarded = Generalization(k=3)(lambda r: np.histogram(values, r[0], (0, 4))[0], (4,))
    >>> guarded.resolution, guarded.counts.tolist()
    ((2,), [3, 3])
    """

    name: ClassVar[str] = "generalization"
    promises: ClassVar[str] = (
        "The grid is halved along each axis, once or until enough persons show, and every cell that"
        " is shown stands on at least k persons."
    )
    leaves_open: ClassVar[str] = (
        "The same persons counted on a finer grid, or a total, may give a hidden count back."
    )

    k: int = whole(1, default=3)
    shown_share: float | None = ratio(None, above=True, most=1)

    def __post_init__(self) -> None:
        check_parameters(self)

    def __call__(self, count: Counter, resolution: tuple[int, ...]) -> Guarded:
        """Count at half of `resolution`, and coarser if need be, and hide the small cells."""
        while True:
            resolution = tuple(max(1, cells // 2) for cells in resolution)
            counts = _counted(count, resolution)
            guarded = _guarded(counts, self.k)
            if self.shown_share is None or max(resolution) == 1:
                return guarded
            if guarded.counts.sum() >= self.shown_share * counts.sum():
                return guarded


@dataclass(frozen=True)
class Merge:
    """Neighbouring bins of one axis joined until each holds at least k persons.

    From the left, bins are joined until they hold k; what is left over at the right end joins
    the last. Nothing is joined across a gap (`gaps_of`), where fewer than k persons lie. Joined
    bins are counted anew, for a person may be in several.

    Parameters
    ----------
    k : int, default 5
        The least number of persons in a bin; at least 1. If all bins together hold fewer, that is
        refused.

    Notes
    -----
    Which bins were joined depends on the data: an edge says that to its left k is just reached.
    Who lies in a gap is counted in the larger bin beside it: all counts together are everybody,
    so that no total, nor another plot on the same bins, tells how many a gap holds.

    Examples
    --------
    >>> import numpy as np
    >>> counts = np.array([40, 0, 2, 0, 9])
    >>> method = Merge(k=5)
    >>> merged = method(lambda r: counts, (5,), lambda groups: np.bincount(groups, counts))
    >>> merged.groups.tolist(), merged.counts.tolist(), merged.gap.tolist()
    ([0, 0, 0, 0, 1], [42, 9], [False, True, True, True, False])
    """

    name: ClassVar[str] = "merge"
    promises: ClassVar[str] = (
        "Neighbouring bins are joined until each stands on k persons, but not across a gap, in"
        " which none or fewer than k lie."
    )
    leaves_open: ClassVar[str] = (
        "Where bins are joined, and where gaps are, says roughly where few persons are; another"
        " grid of the same column may tell more."
    )

    k: int = whole(1, default=5)

    def __post_init__(self) -> None:
        check_parameters(self)

    def __call__(
        self,
        count: Counter,
        resolution: tuple[int, ...],
        count_groups: GroupCounter,
        least_gap: int = LEAST_GAP,
    ) -> Merged:
        """Count at `resolution`, join, and count what was joined until every bin holds k.

        A run of fewer than `least_gap` bins is no gap.
        """
        if len(resolution) != 1:
            raise InputError("merge joins the bins of one axis; choose another method for a grid")
        counts = _counted(count, resolution)
        gap = gaps_of(counts, self.k, least_gap)
        groups, made = np.zeros(counts.size, dtype=np.intp), 0
        for part in _runs(gap):
            if not gap[part[0]]:
                groups[part] = made + joined_bins(counts[None, part], self.k)
                made = int(groups[part[-1]]) + 1
        held = np.bincount(groups[~gap], counts[~gap])
        for part in _runs(gap):
            if gap[part[0]]:  # whoever lies in a gap is counted on its larger side
                left, right = groups[part[0] - 1], groups[part[-1] + 1]
                groups[part] = left if held[left] >= held[right] else right
        while True:
            counts = _counted(lambda _: count_groups(groups), (int(groups[-1]) + 1,))  # noqa: B023
            if (counts >= self.k).all():
                break
            if counts.size == 1:
                raise RefusedError(
                    "all bins together hold fewer than k persons; k is the least that is shown:"
                    " widen the selection"
                )
            groups = joined_bins(counts[None, :], self.k)[groups]
        check_counts(counts, np.ones(counts.shape, dtype=np.bool_), self.k)
        for part in _runs(gap):  # no gap is left where its two sides were joined
            gap[part] &= gap[part[0]] and groups[part[0] - 1] != groups[part[-1] + 1]
        return Merged(groups, counts, gap)


@dataclass(frozen=True)
class NoProtection:
    """Every cell is shown as it was counted."""

    name: ClassVar[str] = "none"
    promises: ClassVar[str] = "Nothing: counts are shown as they are."
    leaves_open: ClassVar[str] = "Everything: a cell may stand on a single person."

    def __call__(self, count: Counter, resolution: tuple[int, ...]) -> Guarded:
        """Count once at `resolution`."""
        return _guarded(_counted(count, resolution), 1)


def check_counts(counts: Bins, shown: Mask, k: int) -> None:
    """Count again what is about to be shown, and raise BrokenPromiseError if it may not be.

    A count that is `shown` and not 0 stands on `k` persons or more, and is not negative.

    Examples
    --------
    >>> import numpy as np
    >>> check_counts(np.array([0, 2, 5]), np.array([True, False, True]), k=3)
    """
    if np.shape(counts) != np.shape(shown):
        raise BrokenPromiseError("counts and what is shown of them differ in shape")
    seen = set(np.asarray(counts)[np.asarray(shown, dtype=np.bool_)].tolist()) - {0}
    if seen and min(seen) < k:
        raise BrokenPromiseError("a cell that stands on fewer than k persons is about to be shown")


def about(count: int, k: int) -> int:
    """Return how many were left out as a reader may know it: to the nearest 5, 0 below k."""
    return 0 if count < k else 5 * ((count + 2) // 5)


def rounded(counts: Bins, base: int) -> Bins:
    """Round counts to the nearest multiple of a `base` of at least 1, halves upwards.

    Slows down who combines counts, and does not stop them: a secret yes/no column was decoded
    from counts rounded to 5 in 98 % of records. A total is to be rounded itself, not summed.

    Examples
    --------
    >>> import numpy as np
    >>> rounded(np.array([0, 2, 3, 7, 8]), 5).tolist()
    [0, 0, 5, 5, 10]
    """
    step = check_whole("base", base, least=1)
    return (np.asarray(counts, dtype=np.int64) + step // 2) // step * step


def _counted(count: Counter, resolution: tuple[int, ...]) -> Bins:
    """Return a copy of the counts of a grid, made sure of."""
    if not resolution:
        raise InputError("resolution must name the number of cells along at least one axis")
    for cells in resolution:
        check_whole("resolution", cells, least=1)
    counts = count(resolution)
    given = np.array(counts, dtype=np.int64)
    if given.shape != resolution or (given != counts).any() or (given < 0).any():
        raise BrokenPromiseError("counts are not one whole number for each cell asked for")
    return given


def _guarded(counts: Bins, k: int) -> Guarded:
    shown = (counts == 0) | (counts >= k)
    kept = np.where(shown, counts, 0)
    check_counts(kept, shown, k)
    return Guarded(kept, shown, counts.shape, int((~shown).sum()))


def joined_bins(counts: Bins, k: int) -> Labels:
    """Join bins from the left until each holds k of each level; the rest joins the last.

    `counts` (levels, bins) are the persons of each level in each bin.

    Examples
    --------
    >>> import numpy as np
    >>> joined_bins(np.array([[4, 2, 0, 7, 1], [9, 1, 9, 9, 9]]), k=7).tolist()
    [0, 0, 0, 0, 0]
    """
    groups = np.empty(counts.shape[1], dtype=np.intp)
    group, held = 0, np.zeros(counts.shape[0], dtype=np.int64)
    for i, persons in enumerate(counts.T):
        groups[i] = group
        held = held + persons
        if (held >= k).all():
            group, held = group + 1, np.zeros_like(held)
    last: Labels = np.minimum(groups, max(group - 1, 0))
    return last


def gaps_of(counts: Bins, k: int, least: int = LEAST_GAP) -> Mask:
    """Say which bins lie in a gap: a run of `least` or more that together hold fewer than k.

    On either side of a gap, as many of the nearest bins that lie in no other hold k. From the left,
    each gap is as long as it can be. A gap needs more bins where some can hold no value, as bins
    narrower than 1 of whole numbers.

    Examples
    --------
    >>> import numpy as np
    >>> gaps_of(np.array([9, 1, 0, 0, 2, 6, 1, 0, 0, 0]), k=5).astype(int).tolist()
    [0, 1, 1, 1, 1, 0, 0, 0, 0, 0]
    """
    gap = np.zeros(counts.size, dtype=np.bool_)
    start = after = 0  # `after` is where the gap before ends
    while start < counts.size:
        end = start + int(np.searchsorted(np.cumsum(counts[start:]), k))
        beside = (counts[max(after, start - least) : start], counts[end : end + least])
        if end - start >= least and all(bins.sum() >= k for bins in beside):
            gap[start:end] = True
            start = after = end
        start += 1
    return gap


def _runs(gap: Mask) -> list[Labels]:
    """Return the bins of each gap, and those between gaps, from left to right."""
    return np.split(np.arange(gap.size), np.flatnonzero(np.diff(gap)) + 1)


@dataclass(frozen=True, eq=False)
class LevelCells:
    """What of the grids of several levels may be shown.

    `widths` is how many cells of the grid of all make one, along each axis; `counts` (levels, ...)
    are 0 where a cell is not `shown`, which it is of all levels or of none.
    """

    widths: tuple[int, ...]
    counts: Bins
    shown: Mask

    def __post_init__(self) -> None:
        self.counts.setflags(write=False)
        self.shown.setflags(write=False)


def cells_of_levels(
    counts: Bins, told: Mask, k: int, share: float, *, show_empty: bool = False
) -> LevelCells | None:
    """Make cells coarser until every level shows enough, and show each for all levels or none.

    `counts` (levels, ...) are the persons of each level in each cell of the grid that the plot of
    all persons has, and `told` which cells that plot shows. A shown cell holds k persons of each
    level or, with `show_empty`, nobody; shown cells hold a `share` of the persons of each level, 0
    to 1 (with 0 cells stay as they are). None is returned where even the coarsest grid, of two to
    four cells along each axis, does not show enough, or nothing is shown.

    Notes
    -----
    The sum over all levels of a shown cell is one of counts that stand on k persons each and have
    nobody in common: cells that the plot of all shows, and the hidden ones of a block once they
    hold k together and may each still hold anything from none to k - 1. Which blocks those are does
    not depend on the levels, and each grid is made of whole blocks of the one before. So neither
    the plot of all nor those by another column, taken from it, leave fewer than k. Who is in no
    such block yet is not counted.

    Examples
    --------
    >>> import numpy as np
    >>> counts = np.array([[5, 1, 5, 5], [5, 3, 0, 6]])
    >>> found = cells_of_levels(counts, counts.sum(axis=0) >= 3, k=3, share=0.85)
    >>> found.widths, found.counts.tolist()
    ((2,), [[6, 10], [8, 6]])
    """
    everyone, axes = counts.sum(axis=0), tuple(range(1, counts.ndim))
    totals, held = counts.sum(axis=axes), told.copy()
    for widths in widths_of_blocks(told.shape):
        if max(widths) > 1:
            rest, hidden = in_blocks(np.where(held, 0, everyone), widths), in_blocks(~held, widths)
            held |= _spread(_tells_none(rest, hidden, k, int(show_empty)), widths, told.shape)
        found = in_blocks(np.where(held, counts, 0), widths)
        alone = in_blocks(np.where(held, 0, everyone), widths) == 0
        shown = (found >= k) | ((found == 0) & show_empty & alone)
        shown[:] = shown.all(axis=0)
        kept = np.where(shown, found, 0)
        check_counts(kept, shown, k)
        if kept.any() and shows_enough(kept, totals, share):
            return LevelCells(widths, kept, shown)
        if share == 0:
            break
    return None


def widths_of_blocks(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """List how many cells are joined along each axis: 1, 2, 4 ..., as long as two are left."""
    most = [1 << ((cells + 1) // 2).bit_length() - 1 for cells in shape]
    steps = range(max(most).bit_length())
    return [tuple(min(1 << step, limit) for limit in most) for step in steps]


def in_blocks(counts: NDArray[np.generic], widths: tuple[int, ...]) -> Bins:
    """Sum the last axes of counts over blocks of so many cells; the last block may be smaller."""
    sums = counts.astype(np.int64)
    for axis, width in enumerate(widths, start=counts.ndim - len(widths)):
        sums = np.add.reduceat(sums, np.arange(0, sums.shape[axis], width), axis=axis)
    return sums


def shows_enough(kept: Bins, totals: Bins, share: float) -> bool:
    """Say whether each level has a share of its persons in the cells that are shown."""
    shown = kept.sum(axis=tuple(range(1, kept.ndim)))
    return bool((shown >= share * totals).all())


def _tells_none(rest: Bins, hidden: Bins, k: int, least: int) -> Mask:
    """Say where the sum of hidden cells is of k persons and leaves each `least` to k - 1."""
    others = hidden - 1
    most, fewest = rest - others * least, rest - others * (k - 1)
    found: Mask = (rest >= k) & (most >= k - 1) & (fewest <= least)
    return found


def _spread(blocks: Mask, widths: tuple[int, ...], shape: tuple[int, ...]) -> Mask:
    """Give each cell what its block has."""
    places = [np.arange(cells) // width for cells, width in zip(shape, widths, strict=True)]
    spread: Mask = blocks[np.ix_(*places)]
    return spread
