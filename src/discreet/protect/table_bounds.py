"""What an attacker can work out of a cross-table some counts of which are hidden."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BrokenPromiseError, InputError
from discreet.protect.base import Floats, Labels
from discreet.protect.counts import Bins

__all__ = ["Mask", "bounds", "check_table"]

Mask = NDArray[np.bool_]

SLACK = 1e-6


def check_table(counts: Bins, shown: Mask, k: int) -> None:
    """Work out again, as an attacker would, what is about to be shown of a cross-table.

    Parameters
    ----------
    counts : ndarray of int, of shape (r + 1, c + 1)
        Persons in each cell, margins last; what is not shown is not looked at.
    shown : ndarray of bool, of the shape of `counts`
        Whether the count is shown.
    k : int
        The least number of persons in a cell that is shown and not empty.

    Raises
    ------
    BrokenPromiseError
        If a count of 1 to k - 1 is shown, the shown counts do not add up, or they leave a hidden
        one a range narrower than k - 1.

    Notes
    -----
    Solves linear programs over all tables of counts from 0 on that have the shown counts and add
    up; a table of counts is a flow in a network, so bounds of real numbers are those of whole
    numbers. One solution serves all cells; a cell's own two programs are left out where the
    solutions so far lie far enough apart.

    Examples
    --------
    >>> import numpy as np
    >>> counts = np.array([[0, 0, 32], [0, 0, 49], [40, 41, 81]])
    >>> shown = np.array([[False, False, True], [False, False, True], [True, True, True]])
    >>> check_table(counts, shown, k=5)
    """
    if np.shape(counts) != np.shape(shown) or np.ndim(counts) != 2:
        raise BrokenPromiseError("counts and what is shown of them are no table, or of two shapes")
    seen = np.asarray(counts)[np.asarray(shown, dtype=np.bool_)]
    if ((seen != 0) & (seen < k)).any():
        raise BrokenPromiseError("a cell that stands on fewer than k persons is about to be shown")
    attack = _Attack.of(counts, shown)
    try:
        lows, highs = attack.ranges(enough=k - 1 - SLACK)
    except InputError:
        raise BrokenPromiseError("the counts about to be shown do not add up") from None
    if (highs - lows < k - 1 - SLACK).any():
        raise BrokenPromiseError("a hidden cell can be worked out from what is about to be shown")


def bounds(counts: Bins, shown: Mask) -> tuple[Floats, Floats]:
    """Work out what an attacker knows of a cross-table of which some counts are hidden.

    Parameters
    ----------
    counts : ndarray of int, of shape (r + 1, c + 1)
        Persons in each cell, margins last; what is not shown is not looked at.
    shown : ndarray of bool, of the shape of `counts`
        Whether the count is shown.

    Returns
    -------
    lows, highs : ndarray of float, of the shape of `counts`
        The least and the largest count that each cell can have; both the count itself where it is
        shown, and inf where there is no largest.

    Raises
    ------
    InputError
        If the arrays are no table, or no table of counts from 0 on has the shown ones.

    Notes
    -----
    The attacker knows the shown counts and margins exactly and no more: that counts are at least 0
    and add up.

    Examples
    --------
    >>> import numpy as np
    >>> counts = np.array([[0, 0, 6], [0, 8, 20], [14, 12, 26]])
    >>> lows, highs = bounds(counts, np.array([[0, 0, 1], [0, 1, 1], [1, 1, 1]], dtype=bool))
    >>> lows[0].tolist(), highs[0].tolist()
    ([2.0, 4.0, 6.0], [2.0, 4.0, 6.0])
    """
    if np.shape(counts) != np.shape(shown) or np.ndim(counts) != 2 or min(np.shape(counts)) < 2:
        raise InputError("counts and shown must be tables with margins, of one shape")
    attack = _Attack.of(counts, shown)
    low, high = attack.ranges(enough=np.inf)
    lows = np.array(counts, dtype=np.float64)
    highs = lows.copy()
    lows[~attack.shown], highs[~attack.shown] = low, high
    return lows, highs


@dataclass(frozen=True, eq=False)
class _Attack:
    """All tables that agree with what is shown: ``matrix @ hidden == total``, from 0 on."""

    shown: Mask
    sign: Floats
    rows: Labels
    columns: Labels
    total: Floats
    ceiling: float

    @classmethod
    def of(cls, counts: Bins, shown: Mask) -> _Attack:
        known = np.asarray(shown, dtype=np.bool_)
        sign = np.ones(known.shape)
        sign[-1, :-1] = sign[:-1, -1] = -1.0
        seen = np.where(known, sign * counts, 0.0)
        rows, columns = np.nonzero(~known)
        total = -np.concatenate([seen.sum(axis=1), seen.sum(axis=0)])
        # No corner of what is possible lies beyond the sum of all totals, half of this: a count
        # that can be larger has no end.
        ceiling = 2.0 * float(np.abs(total).sum()) + 2.0
        return cls(known, sign[rows, columns], rows, columns, total, ceiling)

    def ranges(self, enough: float) -> tuple[Floats, Floats]:
        """Return bounds of each hidden count: exact, or at least `enough` apart."""
        n = len(self.sign)
        solution = self._extreme(np.zeros(n))
        low, high = solution.copy(), solution.copy()

        def solve(weights: Floats, most: Floats | None = None) -> None:
            solution = self._extreme(weights, most)
            np.minimum(low, solution, out=low)
            np.maximum(high, solution, out=high)

        narrow = high - low < enough
        before = n + 1
        while np.isfinite(enough) and 0 < narrow.sum() < before:
            before = int(narrow.sum())
            # Many at once: each as far up as is enough, and what holds more than that down.
            rising = narrow & (low < enough)
            # Weights differ, for a sum of all would be a total, and the same whatever they are.
            weights = np.where(rising, -1.0 - np.arange(n) / n, 1.0)
            solve(weights, np.where(rising, np.ceil(low + enough), self.ceiling))
            narrow = high - low < enough
        most = self._most()
        for entry in np.flatnonzero(narrow):
            weights = np.zeros(n)
            for sign, done in ((-1.0, high >= most - SLACK), (1.0, low <= SLACK)):
                if high[entry] - low[entry] < enough and not done[entry]:
                    weights[entry] = sign
                    solve(weights)
        high[high > self.ceiling / 2] = np.inf
        return np.round(low), np.round(high)

    def _extreme(self, weights: Floats, most: Floats | None = None) -> Floats:
        """Return the hidden counts, none above `most`, whose weighted sum is least."""
        from scipy.optimize import linprog

        n = len(weights)
        matrix, held = self._sums
        if self.total[~held].any():
            raise InputError("the shown counts do not add up")
        if n == 0:
            return np.zeros(0)
        upper = np.full(n, self.ceiling) if most is None else most
        found = linprog(
            weights,
            A_eq=matrix,
            b_eq=self.total[held],
            bounds=np.column_stack([np.zeros(n), upper]),
            method="highs-ds",
        )
        if found.status == 2:
            raise InputError("the shown counts do not add up to those of any table")
        if found.status != 0:
            raise BrokenPromiseError("the bounds of the hidden counts could not be worked out")
        return np.asarray(found.x, dtype=np.float64)

    @cached_property
    def _sums(self) -> tuple[Any, Mask]:
        """The matrix of what adds up to the totals, and which lines hold a hidden count."""
        from scipy.sparse import csr_array

        n, (r, c) = len(self.sign), self.shown.shape
        lines = np.concatenate([self.rows, r + self.columns])
        places = np.concatenate([np.arange(n), np.arange(n)])
        matrix = csr_array((np.tile(self.sign, 2), (lines, places)), shape=(r + c, n))
        held = np.bincount(lines, minlength=r + c) > 0
        return matrix[np.flatnonzero(held)], held

    def _most(self) -> Floats:
        """Return a bound from above of each hidden count, from its row and column alone."""
        most = np.full(len(self.sign), self.ceiling)
        r = len(self.shown)
        for lines, totals in ((self.rows, self.total[:r]), (self.columns, self.total[r:])):
            ups = np.bincount(lines, self.sign > 0, minlength=len(totals))
            all_alike = (ups == 0) | (ups == np.bincount(lines, minlength=len(totals)))
            most = np.where(all_alike[lines], np.minimum(most, np.abs(totals)[lines]), most)
        return most
