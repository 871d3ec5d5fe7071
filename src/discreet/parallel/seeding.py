"""By what property of pixels the seeds of clusters are chosen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.errors import InputError, RefusedError, one_of
from discreet.parallel.pixels import PairBins

__all__ = ["COSTS", "KINDS", "METRICS", "TRIED", "Seeding", "choose_seeding"]

KINDS = ("continuous", "categorical")
COSTS = ("seed", "span", "smaller")
"""What a record, or a cell, costs that a cluster takes; see `cluster_pair`."""
TRIED = ("span", "seed")
"""What "smaller" tries; the first wins a tie."""
METRICS = ("over-plotting", "convergence", "divergence")


@dataclass(frozen=True)
class Seeding:
    """The metric that a seed is the highest of.

    Attributes
    ----------
    metric : str
        "over-plotting": the bin of most records; "convergence": the right pixel that most left
        pixels reach; "divergence": the left pixel that reaches most right pixels.
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
    """Choose the metric of the seeds of a pair of axes, and with it the axis.

    Parameters
    ----------
    bins : PairBins
        The occupied bins, of at least one record.
    left_kind, right_kind : str
        "continuous" or "categorical".

    Returns
    -------
    Seeding
        Two categorical axes: over-plotting. One of each: convergence if its degree is greater
        than that of divergence, else divergence. Two continuous axes: over-plotting, unless the
        greater of convergence and divergence is greater than its degree.

    Raises
    ------
    InputError
        If a kind is another word.
    RefusedError
        If there is no record.

    Notes
    -----
    Degrees are means over occupied bins or pixels, so that convergence is greater than divergence
    where fewer right than left pixels are occupied. The paper leaves open what ties are; a tie of
    over-plotting with another is over-plotting here.

    **What it does not tell.** Whether the clusters will be small: the paper found these choices
    the better ones on its data.

    References
    ----------
    Dasgupta and Kosara, "Adaptive privacy-preserving visualization using parallel coordinates"
    (2011), section 4.1.1, steps 1 to 5.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet.parallel.pixels import bins_of_grid
    >>> bins = bins_of_grid(np.array([[1, 1, 1], [0, 0, 1]]))
    >>> choose_seeding(bins, "continuous", "categorical")
    Seeding(metric='divergence')
    >>> choose_seeding(bins, "continuous", "categorical").axis
    'left'
    """
    if left_kind not in KINDS or right_kind not in KINDS:
        raise InputError(f"the kind of an axis is one of {one_of(KINDS)}")
    occupied = len(bins.counts)
    if not occupied:
        raise RefusedError("no record has a pixel on both axes; leave one of the axes out")
    if left_kind == right_kind == "categorical":
        return Seeding("over-plotting")
    lefts = np.count_nonzero(np.bincount(bins.left))
    rights = np.count_nonzero(np.bincount(bins.right))
    # The mean of over-plotting is records over bins, the others' bins over pixels: whole numbers
    # multiplied out compare without rounding.
    if left_kind == right_kind and bins.size * min(lefts, rights) >= occupied**2:
        return Seeding("over-plotting")
    return Seeding("convergence" if rights < lefts else "divergence")
