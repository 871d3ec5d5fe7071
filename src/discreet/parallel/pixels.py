"""Pixels of pairs of axes, the bins that records fill, and by which of them clusters are seeded."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import check_whole
from discreet.errors import InputError, RefusedError, one_of

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]

MOST_PIXELS = 500
PIXEL_STEP = 50
MOST_BINS = 2**62  # so many pairs of pixels have a number of 64 bits each
KINDS = ("continuous", "categorical")
COSTS = ("seed", "span", "smaller")
"""What a record, or a cell, costs that a cluster takes; see `cluster_pair`."""
TRIED = ("span", "seed")
"""What "smaller" tries; the first wins a tie."""
METRICS = ("over-plotting", "convergence", "divergence")

# A pass over the whole grid costs as much as sorting an eighth as many records, or as searching
# for a 64th: fewer records than that are sorted, or searched for.
SORTED_SHARE = 8
SEARCHED_SHARE = 64


@dataclass(frozen=True, eq=False)
class PairBins:
    """The occupied bins of a pair of axes.

    `left` and `right` (b,) are the pixel of each bin on either axis, sorted, none twice; `counts`
    (b,) how many records run from the one to the other; `heights` how many pixels each axis has.
    """

    left: Whole
    right: Whole
    counts: Whole
    heights: tuple[int, int]

    def __repr__(self) -> str:
        return f"PairBins(heights={self.heights})"

    @property
    def size(self) -> int:
        """How many records there are."""
        return int(self.counts.sum())


@dataclass(frozen=True)
class PairMetrics:
    """Screen-space metrics of a pair of axes; see `pair_metrics`.

    Over-plotting, divergence and convergence are the mean number of records of an occupied bin, of
    right pixels that an occupied left pixel reaches, of left pixels that reach an occupied right
    pixel. The others are in bits, as counted: without a correction for the number of records.
    """

    over_plotting: float
    divergence: float
    convergence: float
    mutual_information: float
    left_entropy: float
    right_entropy: float
    joint_entropy: float


@dataclass(frozen=True)
class Information:
    """Mutual information in `bits`, corrected, and its standard `error` in bits."""

    bits: float
    error: float


def pair_bins(
    left: NDArray[np.integer], right: NDArray[np.integer], heights: tuple[int, int]
) -> PairBins:
    """Count the records of each pair of pixels: the raw data, and most often one record a bin.

    `left` and `right` (n,) are the pixel of each record on either axis, from 0 to its height less
    1.

    Examples
    --------
    >>> import numpy as np
    >>> bins = pair_bins(np.array([2, 0, 2]), np.array([1, 0, 1]), (3, 2))
    >>> bins.left.tolist(), bins.right.tolist(), bins.counts.tolist()
    ([0, 2], [0, 1], [1, 2])
    """
    keys = _keys(left, right, heights)
    heights = int(heights[0]), int(heights[1])
    grid = heights[0] * heights[1]
    if SORTED_SHARE * len(keys) < grid:
        cells, counts = np.unique(keys, return_counts=True)
    else:
        dense = np.bincount(keys, minlength=grid)
        cells = np.flatnonzero(dense)
        counts = dense[cells]
    over, along = np.divmod(cells, heights[1])
    return PairBins(over, along, counts.astype(np.int64, copy=False), heights)


def bins_of_grid(counts: NDArray[np.integer]) -> PairBins:
    """Return the occupied bins of a grid of counts, shape (left pixels, right pixels).

    Examples
    --------
    >>> import numpy as np
    >>> bins_of_grid(np.array([[0, 3], [1, 0]])).counts.tolist()
    [3, 1]
    """
    grid = whole_grid(counts)
    left, right = np.nonzero(grid)
    return PairBins(left, right, grid[left, right], (grid.shape[0], grid.shape[1]))


def whole_grid(counts: NDArray[np.integer]) -> Whole:
    """Return counts as a grid of two sides, or refuse them."""
    grid = np.asarray(counts)
    if grid.ndim != 2 or grid.dtype.kind not in "iu" or grid.min(initial=0) < 0:
        raise InputError("counts must be a grid of two sides, of whole numbers of at least 0")
    return grid.astype(np.int64)


def bin_of_records(
    bins: PairBins, left: NDArray[np.integer], right: NDArray[np.integer]
) -> NDArray[np.intp]:
    """Say which of the bins, of the same records or of more, each record is in.

    Examples
    --------
    >>> import numpy as np
    >>> left, right = np.array([2, 0, 2]), np.array([1, 0, 1])
    >>> bin_of_records(pair_bins(left, right, (3, 2)), left, right).tolist()
    [1, 0, 1]
    """
    keys = _keys(left, right, bins.heights)
    grid = bins.heights[0] * bins.heights[1]
    cells = bins.left * bins.heights[1] + bins.right
    if SEARCHED_SHARE * len(keys) < grid:
        bin_of = np.searchsorted(cells, keys)
        there = bin_of < len(cells)
        there[there] = cells[bin_of[there]] == keys[there]
    else:
        place = np.full(grid, -1, dtype=np.intp)
        place[cells] = np.arange(len(cells))
        bin_of = place[keys]
        there = bin_of >= 0
    if not there.all():
        raise InputError("a record is in none of the bins; give the bins of the same records")
    return bin_of


def resolution(pixels: int) -> int:
    """Return how many pixels an axis gets if `pixels` are asked for.

    A multiple of 50, from 50 to 500; more is answered as 500, and another number is refused. The
    limits (section 6.4 of the paper) keep a reader from asking for one resolution after the other,
    whose clusters differ. Ten are left, and all ten narrow records down further than one does.

    Examples
    --------
    >>> resolution(400), resolution(1080)
    (400, 500)
    """
    check_whole("pixels", pixels)
    if pixels > MOST_PIXELS:
        return MOST_PIXELS
    nearest = max(PIXEL_STEP, PIXEL_STEP * ((2 * int(pixels) + PIXEL_STEP) // (2 * PIXEL_STEP)))
    if pixels != nearest:
        raise InputError(
            f"pixels must be a multiple of {PIXEL_STEP}, at least {PIXEL_STEP}; the nearest"
            f" allowed is {nearest}"
        )
    return nearest


def level_pixels(levels: int, height: int) -> tuple[int, ...]:
    """Return the pixel of each of `levels` levels, spread evenly over an axis of `height` pixels.

    Examples
    --------
    >>> level_pixels(5, 400), level_pixels(1, 400)
    ((0, 100, 200, 299, 399), (200,))
    """
    _check_levels(levels, height)
    if levels == 1:
        return (height // 2,)
    gaps = levels - 1
    return tuple((2 * i * (height - 1) + gaps) // (2 * gaps) for i in range(levels))


def level_bands(levels: int, height: int) -> tuple[tuple[int, int], ...]:
    """Return a half-open band of pixels for each of `levels` levels, which together fill an axis.

    Examples
    --------
    >>> level_bands(3, 400)
    ((0, 133), (133, 266), (266, 400))
    """
    _check_levels(levels, height)
    edges = [i * height // levels for i in range(levels + 1)]
    return tuple(itertools.pairwise(edges))


def pair_metrics(bins: PairBins) -> PairMetrics:
    """Return the screen-space metrics of a pair of axes (Dasgupta and Kosara 2010, "Pargnostics").

    Mutual information, the left entropy plus the right one less the joint one, does not tell how
    far two columns depend on one another: where bins hold few records each, independent columns
    have a high one as well; `information` corrects for that.

    Examples
    --------
    >>> import numpy as np
    >>> found = pair_metrics(bins_of_grid(np.array([[2, 0], [0, 1], [0, 1]])))
    >>> found.divergence, found.convergence, found.mutual_information, found.joint_entropy
    (1.0, 1.5, 1.0, 1.5)
    """
    _check_records(bins)
    lefts, rights = _pixel_counts(bins.left, bins.counts), _pixel_counts(bins.right, bins.counts)
    occupied = len(bins.counts)
    return PairMetrics(
        over_plotting=bins.size / occupied,
        divergence=occupied / len(lefts),
        convergence=occupied / len(rights),
        mutual_information=max(0.0, _mean(bins, _gains(bins))),
        left_entropy=_entropy(lefts),
        right_entropy=_entropy(rights),
        joint_entropy=_entropy(bins.counts),
    )


def information(bins: PairBins) -> Information:
    """Return the mutual information of a pair of axes in bits, corrected for chance, with an error.

    The correction is Miller's (1955) and Madow's: half a nat a record is taken off for each
    occupied bin beyond what the two axes by themselves account for. The error is the standard
    deviation over records of log2 p_ij / (p_i p_j), over the root of their number (Paninski 2003).
    Corrected information may be below 0: that is no sign of dependence.

    **What it does not tell.** The correction falls short where most bins hold one record: use cells
    that hold several. The error is rough below some hundred records and near independence.

    Examples
    --------
    >>> import numpy as np
    >>> found = information(bins_of_grid(np.array([[50, 20], [10, 20]])))
    >>> round(found.bits, 3), round(found.error, 3)
    (0.084, 0.05)
    """
    _check_records(bins)
    gains = _gains(bins)
    plain = _mean(bins, gains)
    pixels = (
        _pixel_counts(bins.left, bins.counts).size + _pixel_counts(bins.right, bins.counts).size
    )
    chance = (len(bins.counts) - pixels + 1) / (2 * bins.size * math.log(2))
    spread = _mean(bins, (gains - plain) ** 2)
    return Information(bits=plain - chance, error=math.sqrt(spread / bins.size))


def _keys(left: NDArray[np.integer], right: NDArray[np.integer], heights: tuple[int, int]) -> Whole:
    """Return one number for each record, in the order of (left, right)."""
    sides = [np.asarray(left), np.asarray(right)]
    if any(side.ndim != 1 or side.dtype.kind not in "iu" for side in sides):
        raise InputError("pixels must be whole numbers, one for each record on each axis")
    if sides[0].size != sides[1].size:
        raise InputError("there must be as many pixels on the left axis as on the right")
    if len(heights) != 2:
        raise InputError("heights must be two, of the left and the right axis")
    for name, side, height in zip(("left", "right"), sides, heights, strict=True):
        check_whole("the height of an axis", height)
        if height < 1 or (side.size and (side.min() < 0 or side.max() >= height)):
            raise InputError(f"the pixels of the {name} axis must be from 0 to its height less 1")
    if int(heights[0]) * int(heights[1]) > MOST_BINS:
        raise InputError("there are more pairs of pixels than can be numbered; lower the heights")
    over, along = (side.astype(np.int64, copy=False) for side in sides)
    return over * heights[1] + along


def _check_levels(levels: int, height: int) -> None:
    check_whole("the number of levels", levels)
    check_whole("the height of an axis", height)
    if not 1 <= levels <= height:
        raise InputError(
            "an axis must have at least one level and no more levels than pixels; join levels"
        )


def _check_records(bins: PairBins) -> None:
    if not len(bins.counts):
        raise RefusedError("no record has a pixel on both axes; leave one of the axes out")


def _pixel_counts(pixels: Whole, counts: Whole) -> Whole:
    """Return how many records each occupied pixel of one axis holds."""
    held = np.bincount(pixels, weights=counts)
    return held[held > 0].astype(np.int64)


def _entropy(counts: Whole) -> float:
    shares = counts / counts.sum()
    return max(0.0, -float(np.sum(shares * np.log2(shares))))  # −0 or a rounding below 0


def _gains(bins: PairBins) -> Floats:
    """Return log2 p_ij / (p_i p_j) of each bin: exactly 0 where the two axes are independent."""
    lefts = np.bincount(bins.left, weights=bins.counts)[bins.left]
    rights = np.bincount(bins.right, weights=bins.counts)[bins.right]
    gains: Floats = np.log2(bins.counts * float(bins.size) / (lefts * rights))
    return gains


def _mean(bins: PairBins, values: Floats) -> float:
    """Return the mean over records of what each bin has."""
    return float(np.sum(bins.counts * values)) / bins.size


@dataclass(frozen=True)
class Seeding:
    """The metric that a seed is the highest of.

    "over-plotting": the bin of most records; "convergence": the right pixel that most left pixels
    reach; "divergence": the left pixel that reaches most right pixels.
    """

    metric: str

    def __post_init__(self) -> None:
        if self.metric not in METRICS:
            raise InputError(f"the metric of a seeding is one of {one_of(METRICS)}")

    @property
    def axis(self) -> str:
        """Which axis seeds are looked for on: "left", "right" or "both"."""
        return {"over-plotting": "both", "convergence": "right", "divergence": "left"}[self.metric]


def choose_seeding(bins: PairBins, left_kind: str, right_kind: str) -> Seeding:
    """Choose the metric of the seeds of a pair of axes (section 4.1.1 of the paper, steps 1 to 5).

    Two categorical axes: over-plotting. One of each: convergence if its degree is greater than that
    of divergence, else divergence. Two continuous axes: over-plotting, unless the greater of
    convergence and divergence is greater than its degree. Degrees are means over occupied bins or
    pixels. A tie of over-plotting with another, which the paper leaves open, is over-plotting here.

    Examples
    --------
    >>> import numpy as np
    >>> bins = bins_of_grid(np.array([[1, 1, 1], [0, 0, 1]]))
    >>> choose_seeding(bins, "continuous", "categorical")
    Seeding(metric='divergence')
    """
    if left_kind not in KINDS or right_kind not in KINDS:
        raise InputError(f"the kind of an axis is one of {one_of(KINDS)}")
    _check_records(bins)
    occupied = len(bins.counts)
    if left_kind == right_kind == "categorical":
        return Seeding("over-plotting")
    lefts = np.count_nonzero(np.bincount(bins.left))
    rights = np.count_nonzero(np.bincount(bins.right))
    # The mean of over-plotting is records over bins, the others' bins over pixels: whole numbers
    # multiplied out compare without rounding.
    if left_kind == right_kind and bins.size * min(lefts, rights) >= occupied**2:
        return Seeding("over-plotting")
    return Seeding("convergence" if rights < lefts else "divergence")
