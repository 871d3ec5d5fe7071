"""Count methods: what of a grid of counts may be shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import CheckedParameters, Labels, check_whole, whole
from discreet.errors import BrokenPromiseError, InputError, RefusedError

Bins = NDArray[np.int64]
Mask = NDArray[np.bool_]
Counter = Callable[[tuple[int, ...]], Bins]
"""Counts the people in each cell of a grid that has so many cells along each axis."""

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


@dataclass(frozen=True)
class Suppression(CheckedParameters):
    """Cells of 1 to k - 1 people are not shown; k is at least 1 (Avraam et al. 2021, section 2.1).

    Examples
    --------
    >>> import numpy as np
    >>> guarded = Suppression(k=3)(lambda resolution: np.array([5, 2, 0, 3]), (4,))
    >>> guarded.counts.tolist(), guarded.shown.tolist(), guarded.hidden
    ([5, 0, 0, 3], [True, False, True, True], 1)
    """

    name: ClassVar[str] = "suppression"
    promises: ClassVar[str] = "Every cell shown has at least k people."
    leaves_open: ClassVar[str] = (
        "A total, or the same people counted on another grid, may reveal a hidden count."
    )

    k: int = whole(1, default=3)

    def __call__(self, count: Counter, resolution: tuple[int, ...]) -> Guarded:
        """Count once at `resolution` and hide the small cells."""
        return _guard(_count_grid(count, resolution), self.k)


@dataclass(frozen=True)
class Generalization(CheckedParameters):
    """Half as many cells along each axis, of which those of 1 to k - 1 people are not shown.

    See Avraam et al. (2021), sections 2.1 and 4.1 (a 30 by 30 grid becomes 15 by 15).

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
        "The grid is halved along each axis, and every cell shown has at least k people."
    )
    leaves_open: ClassVar[str] = (
        "The same people counted on a finer grid, or a total, may reveal a hidden count."
    )

    k: int = whole(1, default=3)

    def __call__(self, count: Counter, resolution: tuple[int, ...]) -> Guarded:
        """Count at half of `resolution`, and hide the small cells."""
        half = tuple(max(1, cells // 2) for cells in resolution)
        return _guard(_count_grid(count, half), self.k)


@dataclass(frozen=True)
class NoProtection:
    """Every cell is shown as it was counted."""

    name: ClassVar[str] = "none"
    promises: ClassVar[str] = "Nothing: counts are shown as they are."
    leaves_open: ClassVar[str] = "Everything: a cell may be a single person."

    def __call__(self, count: Counter, resolution: tuple[int, ...]) -> Guarded:
        """Count once at `resolution`."""
        return _guard(_count_grid(count, resolution), 1)


def check_counts(counts: Bins, shown: Mask, k: int) -> None:
    """Raise BrokenPromiseError if a shown count, and not 0, stands on fewer than `k` people."""
    if np.shape(counts) != np.shape(shown):
        raise BrokenPromiseError("counts and what is shown of them differ in shape")
    seen = set(np.asarray(counts)[np.asarray(shown, dtype=np.bool_)].tolist()) - {0}
    if seen and min(seen) < k:
        raise BrokenPromiseError("a cell that stands on fewer than k people is about to be shown")


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


def _count_grid(count: Counter, resolution: tuple[int, ...]) -> Bins:
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


def _guard(counts: Bins, k: int) -> Guarded:
    shown = (counts == 0) | (counts >= k)
    kept = np.where(shown, counts, 0)
    check_counts(kept, shown, k)
    return Guarded(kept, shown, counts.shape, int((~shown).sum()))


def merged_bins(counts: Bins, k: int, least_gap: int = LEAST_GAP) -> Labels:
    """Return which joined bin each bin is in: neighbours are joined until each holds at least k.

    From the left; what is left over at the right end joins the last. Nothing is joined across a gap
    (`gaps_of`), where fewer than k lie: who lies in one is in the larger bin beside it. If all bins
    together hold fewer than k, that is refused.
    """
    if counts.sum() < k:
        raise RefusedError(
            "all bins together hold fewer than k rows; k is the least that is shown: widen the"
            " selection"
        )
    gap = gaps_of(counts, k, least_gap)
    groups, made = np.zeros(counts.size, dtype=np.intp), 0
    parts = np.split(np.arange(gap.size), np.flatnonzero(np.diff(gap)) + 1)
    for part in parts:
        if not gap[part[0]]:
            groups[part] = made + _join_bins(counts[part], k)
            made = int(groups[part[-1]]) + 1
    sizes = np.bincount(groups[~gap], counts[~gap])
    for part in parts:
        if gap[part[0]]:
            left, right = groups[part[0] - 1], groups[part[-1] + 1]
            groups[part] = left if sizes[left] >= sizes[right] else right
    return groups


def _join_bins(counts: Bins, k: int) -> Labels:
    """Join bins from the left until each holds k; the rest joins the last."""
    groups = np.empty(counts.size, dtype=np.intp)
    group = size = 0
    for i, count in enumerate(counts.tolist()):
        groups[i] = group
        size += count
        if size >= k:
            group, size = group + 1, 0
    last: Labels = np.minimum(groups, max(group - 1, 0))
    return last


def gaps_of(counts: Bins, k: int, least: int = LEAST_GAP) -> Mask:
    """Return which bins lie in a gap: a run of `least` or more that together hold fewer than k.

    On either side of a gap, as many of the nearest bins that lie in no other hold k. From the left,
    each gap is as long as it can be. A gap needs more bins where some can hold no value, as bins
    narrower than 1 of whole numbers.
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
