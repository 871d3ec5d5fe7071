"""Means of the cells of a table: which may be shown by the rules of output checking, how exactly.

A magnitude table has more to hide than one of counts: a mean of many persons may be that of one
who has nearly all of it, and who knows the others takes them away from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels
from discreet.errors import BrokenPromiseError, InputError, RefusedError
from discreet.protect.cells import CellSuppression
from discreet.protect.counts import Bins, rounded
from discreet.protect.values import step_above, stepped
from discreet.table import BEYOND, Contributions, Magnitudes

__all__ = ["DOMINANCE", "MOST_MEANS", "P_PERCENT", "CellMeans", "GuardedMeans", "windows"]

Mask = NDArray[np.bool_]
Ends = tuple[float, float]
Dominance = tuple[tuple[int, float], ...]
Entries = list[list[Contributions]]

DOMINANCE: Dominance = ((1, 50.0), (2, 85.0))
P_PERCENT = 10.0
MOST_MEANS = 200
"""So many cells a table of means has at most."""
ALL_CELLS = 2.0
"""A sum of cells is told this many times as coarsely, for everybody in it is in a cell, too."""
SLACK = 1e-6
OF_SUMS = 1e-9
"""So many widths of the axis a mean may be off where an engine adds up many numbers."""


@dataclass(frozen=True, eq=False)
class GuardedMeans:
    """What of a table of means may be shown.

    All are (r + 1, c + 1), the margins last and all cells together in the corner: `counts` persons,
    rounded, 0 where they are not `shown`; `means` multiples of their `units`, both NaN there.
    """

    counts: Bins
    means: Floats
    units: Floats
    shown: Mask

    def __post_init__(self) -> None:
        for held in (self.counts, self.means, self.units, self.shown):
            held.setflags(write=False)


@dataclass(frozen=True)
class CellMeans:
    """Means of cells by the rules of output checking, rounded so that no person moves one far.

    A cell, a margin or the total is hidden where

    - it stands on fewer than k persons,
    - its n largest contributions are more than a share of it (dominance), or all but the two
      largest are less than p % of the largest (the p % rule); contributions are distances from
      0, and the same again distances from the middle of the axis,
    - more than half of its persons have one value, and fewer than k another one,
    - a value lies farther beyond the ends of the axis than the axis is wide.

    With these others are hidden as in a cross-table (`CellSuppression`), until no sum gives a
    hidden count back. What is shown is rounded: counts to `step`, and a mean to a unit of 1, 2 or 5
    times a power of ten that, taken n times, is at least as wide as the axis; of margins and the
    total twice as wide. Where more than half of all have one of two values, so that a mean is
    nearly a count, it is as wide as k of these counts. Neither the axis nor n, as it is shown, is
    one person's, so the unit is not either.

    Parameters
    ----------
    k : int, default 5
        The least number of persons of a mean; at least 2.
    step : int, default 5
        What counts are rounded to.
    dominance : tuple of (int, float), default ((1, 50), (2, 85))
        Each a number of largest contributions and the most per cent that they may be.
    p_percent : float, default 10
        How many per cent of the largest contribution all but the two largest must be at least.

    Raises
    ------
    RefusedError
        If there are more than 200 cells, nothing may be shown, or the sums that are shown leave
        a hidden one less than the width of the axis.
    BrokenPromiseError
        If, counted again on the output, a rule does not hold.

    Notes
    -----
    **What it does not protect.** Whoever knows all persons of a cell but one, and the cell's size,
    knows the last one's value within a window as wide as the axis or wider; of the margins there is
    a window each, and where all of them meet it is narrower. That a cell is hidden says that
    one of the rules hides it or another one. Other means, boxes or histograms of the same values
    are not looked at.

    References
    ----------
    Hundepool et al., "Handbook on Statistical Disclosure Control", 2nd edition, section 4.2:
    dominance, the p % rule, and that both are of contributions from 0 on. Where some are negative
    Statistics New Zealand (Microdata access output guide, 2013) takes absolute values, and so does
    this. ACRO has (2, 90 %) and 10 %; the guidelines for output checking of Brandt et al. (2010)
    have 50 % for the largest.

    Examples
    --------
    >>> values = np.array([20.0, 23, 24, 27, 31, 33, 21, 24, 25, 29, 30, 400])
    >>> means = CellMeans(k=5, step=1)(values, np.repeat([0, 1], 6), (2, 1), (20.0, 40.0))
    >>> means.shown[:, 0].tolist()
    [True, False, False]
    """

    name: ClassVar[str] = "cell-means"
    promises: ClassVar[str] = (
        "Every mean stands on at least k persons of whom none dominates it, and is rounded to a"
        " unit, of which one person moves it by two at most."
    )
    leaves_open: ClassVar[str] = (
        "Who knows all persons of a cell but one knows the last one's value roughly; other figures"
        " of the same persons may tell more."
    )

    k: int = 5
    step: int = 5
    dominance: Dominance = DOMINANCE
    p_percent: float = P_PERCENT

    def __post_init__(self) -> None:
        if self.k < 2 or self.step < 1 or not self.dominance or not self.p_percent > 0:
            raise InputError("means of cells need a k of 2 or more, a step, and rules of dominance")

    def __call__(
        self,
        values: Floats,
        places: Labels,
        shape: tuple[int, int],
        axis: Ends,
        bounds: Ends = (-np.inf, np.inf),
    ) -> GuardedMeans:
        """Guard the means of `values` (n,), each in the cell of a `shape` that `places` says.

        `axis` are the public ends of the column, `bounds` those that nobody's value is beyond.
        """
        if np.prod(shape) > MOST_MEANS:
            raise RefusedError(f"there are more than {MOST_MEANS} means; merge levels")
        values, places = np.asarray(values, dtype=np.float64), np.asarray(places, dtype=np.intp)
        table = Magnitudes.of(values, places, shape, axis, self.most)
        return self.guarded(table, axis, bounds)

    @property
    def most(self) -> int:
        """How many of the smallest and of the largest values of a cell the rules look at."""
        return max(self.k, 2, *(n for n, _ in self.dominance))

    def guarded(
        self, table: Magnitudes, axis: Ends, bounds: Ends = (-np.inf, np.inf)
    ) -> GuardedMeans:
        """Guard the means of cells of whose values no more is known than the rules look at."""
        shape, entries = table.shape, self._entries(table)
        sizes = _of_each(entries, lambda it: it.size).astype(np.int64)
        unsafe = _of_each(entries, lambda it: it.size > 0 and not self._is_safe(it, axis))
        shown = CellSuppression(self.k)(sizes[:-1, :-1], unsafe.astype(np.bool_)).shown
        counts = np.where(shown, rounded(sizes, self.step), 0)
        fewest = np.maximum(counts - self.step // 2, self.k)
        width = axis[1] - axis[0]
        # Where nearly all have one of two values a mean is a count, and a count is one of k.
        apart = 0.0 if table.pair is None else abs(table.pair[0] - table.pair[1])
        window = max(width, (self.k - 1) * apart)
        units = np.full(sizes.shape, np.nan)
        means = units.copy()
        for i, j in np.argwhere(shown).tolist():
            unit, held = step_above(_share(i, j, shape) * window / fewest[i, j]), entries[i][j]
            units[i, j] = unit
            means[i, j] = stepped(np.array(float(held.total / held.size)), unit)
        out = GuardedMeans(counts, means, units, shown)
        self._count_again(table, axis, out)
        low, high = windows(sizes, out, axis, bounds)
        prior = np.maximum(sizes, 1) * ((bounds[1] - bounds[0]) / width)
        narrow = ~shown & (sizes > 0) & (high - low < np.minimum(window / width, prior) - SLACK)
        if narrow.any():
            raise RefusedError("the means that could be shown would give a hidden one away")
        return out

    def _entries(self, table: Magnitudes) -> Entries:
        """Return what is known of each cell, of each margin, and of all."""
        rows, columns = table.shape
        lines = [[*table.cells[i * columns : (i + 1) * columns]] for i in range(rows)]
        lines.append([self._joined([line[j] for line in lines]) for j in range(columns)])
        return [[*line, self._joined(line)] for line in lines]

    def _joined(self, cells: Sequence[Contributions]) -> Contributions:
        return Contributions.joined(cells, self.most)

    def _is_safe(self, held: Contributions, axis: Ends) -> bool:
        """Whether the mean of some values may be shown by itself."""
        low, high = axis
        if held.size < self.k:
            return False
        reach = BEYOND * (high - low)
        if held.lows[0] < low - reach or held.highs[-1] > high + reach:
            return False
        alike = _most_alike(held)
        if 2 * alike > held.size and held.size - alike < self.k:
            return False
        return not any(self._concentrated(held, it) for it in (0.0, (low + high) / 2))

    def _concentrated(self, held: Contributions, cut: float) -> bool:
        """Whether a few distances from a cut are most of all; the largest are at the two ends."""
        away, total = np.abs(held.ends - cut), held.away(cut)
        largest = np.argsort(-away, kind="stable")
        parts = away[largest]
        few = any(parts[:n].sum() > share / 100 * float(total) for n, share in self.dominance)
        two = (abs(Fraction(it) - Fraction(cut)) for it in held.ends[largest[:2]].tolist())
        others = float(total - sum(two, Fraction(0)))
        return few or bool(others < self.p_percent / 100 * parts[0])

    def _count_again(self, table: Magnitudes, axis: Ends, out: GuardedMeans) -> None:
        """Look at each shown mean again, by sums of floats, by code of its own."""
        rows, columns = table.shape
        width, cells = axis[1] - axis[0], np.arange(rows * columns).reshape(table.shape)
        for i, j in np.argwhere(out.shown).tolist():
            lines = cells if i == rows else cells[[i]]
            at = lines.ravel() if j == columns else lines[:, j]
            n, off, total = table.again[:, at].sum(1)
            ends = np.concatenate([table.cells[it].ends for it in at.tolist()])
            parts, unit = np.sort(np.abs(ends))[::-1], out.units[i, j]
            wrong = abs(table.middle + off / n - out.means[i, j])
            most = [(parts[:m].sum(), share / 100 * total) for m, share in self.dominance]
            rules = [
                n >= self.k,
                n * unit >= width * (1 - SLACK),
                wrong <= unit * (0.5 + SLACK) + OF_SUMS * width,
                abs(n - out.counts[i, j]) <= self.step // 2,
                all(few <= share * (1 + SLACK) for few, share in most),
                total - parts[:2].sum() >= self.p_percent / 100 * parts[0] * (1 - SLACK),
            ]
            if not all(rules):
                raise BrokenPromiseError("a mean is about to be shown that may not be")


def _most_alike(held: Contributions) -> int:
    """Return how often the most frequent value is there, if nearly all have it; else no more.

    Where fewer than k have another one it is the last of the k smallest, and the first of the k
    largest.
    """
    ends = held.ends
    values, times = np.unique(ends, return_counts=True)
    if held.lows[-1] == held.highs[0]:  # and so are all between
        times[values == held.lows[-1]] += held.size - len(ends)
    return int(times.max())


def windows(
    sizes: Bins, means: GuardedMeans, axis: Ends, bounds: Ends = (-np.inf, np.inf)
) -> tuple[Floats, Floats]:
    """Return between what the sum of each cell lies, for whoever knows all that is shown.

    Linear programs over all cells and margins: each shown mean is what is shown but for half its
    unit, all add up, and every contribution is within `bounds`. How many persons each has is taken
    to be known exactly. Sums are of distances from the middle of the axis, in widths of it.

    Examples
    --------
    >>> sizes = np.array([[6, 6], [6, 6], [12, 12]])
    >>> shown = np.array([[False, False], [True, True], [True, True]])
    >>> means, units = (np.where(shown, it, np.nan) for it in (5.0, 1.0))
    >>> low, high = windows(sizes, GuardedMeans(sizes, means, units, shown), (0.0, 10.0))
    >>> low[0, 0].round(2), high[0, 0].round(2)
    (np.float64(-0.9), np.float64(0.9))
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    middle, width = (axis[0] + axis[1]) / 2, axis[1] - axis[0]
    with np.errstate(invalid="ignore"):
        low, high = (
            np.where(
                means.shown,
                sizes * (means.means - middle + sign * means.units / 2),
                np.where(sizes > 0, sizes * (end - middle), 0.0),
            )
            / width
            for sign, end in zip((-1.0, 1.0), bounds, strict=True)
        )
    low, high = low - SLACK / 10, high + SLACK / 10  # of arithmetic
    # No corner of what is possible lies beyond the sum of all ends: what is larger has no end.
    known = np.concatenate([it[np.isfinite(it)] for it in (low, high)])
    ceiling = 4 * float(np.abs(known).sum()) + 4
    matrix = csr_array(_sums(*sizes.shape))
    limits = np.clip(np.column_stack([low.ravel(), high.ravel()]), -ceiling, ceiling)
    for entry in np.flatnonzero(~means.shown & (sizes > 0)):
        for sign, ends in ((1.0, low), (-1.0, high)):
            weights = np.zeros(sizes.size)
            weights[entry] = sign
            found = linprog(
                weights, A_eq=matrix, b_eq=np.zeros(matrix.shape[0]), bounds=limits, method="highs"
            )
            if found.status != 0:
                raise BrokenPromiseError("the bounds of hidden means could not be worked out")
            ends.flat[entry] = found.fun * sign
    endless = ceiling / 2
    return np.where(low < -endless, -np.inf, low), np.where(high > endless, np.inf, high)


def _sums(rows: int, columns: int) -> Floats:
    """Return what is 0 of all entries of a table: each line less its margin."""
    at = np.arange(rows * columns).reshape(rows, columns)
    out = np.zeros((rows + columns, rows * columns))
    for equation, line in enumerate([*at, *at.T]):
        out[equation, line[:-1]] = 1.0
        out[equation, line[-1]] = -1.0
    return out


def _of_each(entries: Entries, what: Any) -> NDArray[Any]:
    return np.array([[what(it) for it in line] for line in entries])


def _share(i: int, j: int, shape: tuple[int, int]) -> float:
    """Say how many widths of the axis an entry's rounding has; a line of one cell is that cell."""
    rows, columns = shape
    is_sum = (i == rows and rows > 1) or (j == columns and columns > 1)
    return ALL_CELLS if is_sum else 1.0
