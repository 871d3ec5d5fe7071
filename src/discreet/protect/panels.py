"""Grids of one level each, beside the grid of all persons: which cells, how coarse, shown where."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.protect.counts import Bins, check_counts

__all__ = ["LevelCells", "cells_of_levels", "in_blocks", "shows_enough", "widths_of_blocks"]

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class LevelCells:
    """What of the grids of several levels may be shown.

    Attributes
    ----------
    widths : tuple of int
        How many cells of the grid of all make one, along each axis.
    counts : ndarray of int, of shape (levels, ...)
        Persons of each level in each cell; 0 where the cell is not shown.
    shown : ndarray of bool, of shape (levels, ...)
        Whether the cell's count may be shown: of all levels or of none.
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

    Parameters
    ----------
    counts : ndarray of int, of shape (levels, ...)
        Persons of each level in each cell of the grid, of one or more axes, that the picture of all
        persons has.
    told : ndarray of bool, of the shape of the grid
        Which cells that picture shows.
    k : int
        The least number of persons of each level in a cell that is shown.
    share : float
        Which share of the persons of each level are to be in shown cells, 0 to 1; with 0 cells
        stay as they are.
    show_empty : bool, default False
        Show cells in which there is nobody of a level.

    Returns
    -------
    LevelCells or None
        None where even the coarsest grid, of two to four cells along each axis, does not show
        enough, or nothing is shown.

    Notes
    -----
    The sum over all levels of a shown cell is one of counts that stand on k persons each and have
    nobody in common: cells that the picture of all shows, and the hidden ones of a block once they
    hold k together and may each still hold anything from none to k - 1. Which blocks those are does
    not depend on the levels, and each grid is made of whole blocks of the one before. So neither
    the picture of all nor those by another column, taken from it, leave fewer than k. Who is in no
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
    """List how many cells are joined along each axis: 1, 2, 4 ..., as long as two are left.

    Examples
    --------
    >>> widths_of_blocks((15, 3))
    [(1, 1), (2, 2), (4, 2), (8, 2)]
    """
    most = [1 << ((cells + 1) // 2).bit_length() - 1 for cells in shape]
    steps = range(max(most).bit_length())
    return [tuple(min(1 << step, limit) for limit in most) for step in steps]


def in_blocks(counts: NDArray[np.generic], widths: tuple[int, ...]) -> Bins:
    """Sum the last axes of counts over blocks of so many cells; the last block may be smaller.

    Examples
    --------
    >>> import numpy as np
    >>> in_blocks(np.array([[1, 2, 3], [4, 5, 6]]), (2,)).tolist()
    [[3, 3], [9, 6]]
    """
    sums = counts.astype(np.int64)
    for axis, width in enumerate(widths, start=counts.ndim - len(widths)):
        sums = np.add.reduceat(sums, np.arange(0, sums.shape[axis], width), axis=axis)
    return sums


def shows_enough(kept: Bins, totals: Bins, share: float) -> bool:
    """Say whether each level has a share of its persons in the cells that are shown."""
    shown = kept.sum(axis=tuple(range(1, kept.ndim)))
    return bool((shown >= share * totals).all())


def _tells_none(rest: Bins, hidden: Bins, k: int, least: int) -> Mask:
    """Say where the sum of hidden cells is of k persons and leaves each what it may hold.

    That is `least` to k - 1 persons: 1 at least, where empty cells are told apart.
    """
    others = hidden - 1
    most, fewest = rest - others * least, rest - others * (k - 1)
    found: Mask = (rest >= k) & (most >= k - 1) & (fewest <= least)
    return found


def _spread(blocks: Mask, widths: tuple[int, ...], shape: tuple[int, ...]) -> Mask:
    """Give each cell what its block has."""
    places = [np.arange(cells) // width for cells, width in zip(shape, widths, strict=True)]
    spread: Mask = blocks[np.ix_(*places)]
    return spread
