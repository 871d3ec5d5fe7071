"""Cross-tables of the same persons that are shown together: whether they give a cell away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats
from discreet.errors import BrokenPromiseError, InputError
from discreet.protect.counts import Bins

__all__ = ["MOST_JOINT", "LinkedTable", "bins_give_away", "in_circles", "tables_give_away"]

Mask = NDArray[np.bool_]

MOST_JOINT = 2000
"""So many cells has the joint table of some columns at most; of larger ones nothing is proved."""
SLACK = 1e-6


@dataclass(frozen=True, eq=False)
class LinkedTable:
    """A cross-table of two columns without margins: its counts (r, c), and which are `shown`."""

    columns: tuple[str, str]
    counts: Bins
    shown: Mask


def tables_give_away(tables: Sequence[LinkedTable], k: int) -> bool:
    """Whether tables of the same persons leave a hidden cell fewer than `k` possible values.

    An attacker knows all shown cells of all tables, every sum of a line, and that counts are at
    least 0 and those of one joint table of all columns. Linear programs over its cells bound each
    hidden one. A joint table of more than 2000 cells is not solved: then this is taken to be so.

    The bounds are those of real numbers. In circles of three tables or more whole numbers may
    have narrower ones; that is not looked at.

    Parameters
    ----------
    tables : sequence of LinkedTable
        At least one. A column that several share has the same levels in each.
    k : int
        How many values a hidden cell must be able to have.

    Returns
    -------
    bool

    Raises
    ------
    InputError
        If tables that share a column differ in how many persons have its levels.

    References
    ----------
    Linked tables: Willenborg and de Waal, "Elements of Statistical Disclosure Control" (2001).

    Examples
    --------
    >>> import numpy as np
    >>> table = LinkedTable(("a", "b"), np.array([[20, 3], [9, 30]]), np.zeros((2, 2), np.bool_))
    >>> tables_give_away([table], k=5)
    False
    >>> shown = np.array([[True, False], [True, True]])
    >>> tables_give_away([LinkedTable(("a", "b"), table.counts, shown)], k=5)
    True
    """
    sizes = _sizes(tables)
    if np.prod([float(size) for size in sizes.values()]) > MOST_JOINT:
        return True
    cells = {name: of for name, of in zip(sizes, np.indices([*sizes.values()]), strict=True)}
    known: list[Floats] = []
    hidden: list[Floats] = []
    totals: list[float] = []
    for table in tables:
        (a, b), (r, c) = table.columns, table.counts.shape
        place = (cells[a] * c + cells[b]).ravel()
        for i, j in np.ndindex(r, c):
            line = (place == i * c + j).astype(np.float64)
            (known if table.shown[i, j] else hidden).append(line)
            totals += [float(table.counts[i, j])] if table.shown[i, j] else []
        for name, sums in ((a, table.counts.sum(1)), (b, table.counts.sum(0))):
            known += [
                (cells[name].ravel() == level).astype(np.float64) for level in range(len(sums))
            ]
            totals += sums.astype(np.float64).tolist()
    return bool(hidden) and _narrow(np.array(known), np.array(totals), np.array(hidden), k - 1)


def _sizes(tables: Sequence[LinkedTable]) -> dict[str, int]:
    """Return how many levels each column has; refuse tables that are not of the same persons."""
    sums: dict[str, list[int]] = {}
    for table in tables:
        lines = (table.counts.sum(1).tolist(), table.counts.sum(0).tolist())
        for name, found in zip(table.columns, lines, strict=True):
            if sums.setdefault(name, found) != found:
                raise InputError("the tables are not of the same persons: their margins differ")
    return {name: len(found) for name, found in sorted(sums.items())}


def _narrow(known: Floats, totals: Floats, hidden: Floats, width: float) -> bool:
    """Whether a hidden sum of cells, from 0 on, has a range of whole numbers below a width."""
    low, high = np.full(len(hidden), np.inf), np.full(len(hidden), -np.inf)
    solve = _solver(known, totals)

    def narrow() -> Mask:
        with np.errstate(invalid="ignore"):
            return ~(np.floor(high + SLACK) - np.ceil(low - SLACK) >= width)

    def take(weights: Floats) -> None:
        found = hidden @ solve(weights @ hidden)
        np.minimum(low, found, out=low)
        np.maximum(high, found, out=high)

    # Many at once first, with weights that differ: sums of lines would be the same anywhere.
    steps = 1.0 + np.arange(len(hidden)) / len(hidden)
    for signs in (steps, -steps, np.where(np.arange(len(hidden)) % 2, steps, -steps)):
        take(signs)
        take(np.where(narrow(), signs, 0.0))
    for entry in np.flatnonzero(narrow()):
        for sign in (1.0, -1.0):
            if narrow()[entry]:
                weights = np.zeros(len(hidden))
                weights[entry] = sign
                take(weights)
        if narrow()[entry]:
            return True
    return False


def _solver(known: Floats, totals: Floats) -> Any:
    """Return what finds the cells of the least weight, from 0 on, that have the known sums."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    matrix = csr_array(known)

    def solve(weights: Floats) -> Floats:
        found = linprog(weights, A_eq=matrix, b_eq=totals, bounds=(0, None), method="highs-ds")
        if found.status != 0:
            raise BrokenPromiseError("the bounds of the hidden counts could not be worked out")
        return np.asarray(found.x, dtype=np.float64)

    return solve


def in_circles(
    tables: Sequence[tuple[str, str]], table: tuple[str, str]
) -> tuple[tuple[str, str], ...]:
    """Return those of some tables beside which one must be looked at, itself among them.

    Tables are ways between columns. Where all sums of lines are known, tables tell more together
    than each does only where they go round in circles: else what each leaves possible fits
    whatever the others do. So a table that shares one of its columns with no other is left out,
    again and again.

    Examples
    --------
    >>> in_circles([("a", "b"), ("b", "c"), ("c", "d")], ("b", "c"))
    (('b', 'c'),)
    >>> in_circles([("a", "b"), ("b", "c"), ("c", "d"), ("c", "a")], ("b", "c"))
    (('a', 'b'), ('b', 'c'), ('c', 'a'))
    """
    left = list(tables)
    while True:
        ends = Counter(name for pair in left for name in pair)
        kept = [pair for pair in left if min(ends[name] for name in pair) > 1]
        if len(kept) == len(left):
            break
        left = kept
    if table not in left:
        return (table,)
    names, before = {*table}, 0
    while len(names) > before:
        before = len(names)
        names |= {name for pair in left if names & {*pair} for name in pair}
    return tuple(pair for pair in left if names & {*pair})


def bins_give_away(counts: Bins, shown: Mask, k: int, *, show_empty: bool = False) -> bool:
    """Whether the shown bins of a column leave a hidden one of some persons too few values.

    An attacker knows how many persons have a value, and that a hidden bin holds fewer than `k`,
    from 0 on, or from 1 on where `show_empty` tells empty ones apart. All values between must stay
    possible for each, where anybody is in one.

    Examples
    --------
    >>> import numpy as np
    >>> shown = np.array([True, False, True, False])
    >>> bins_give_away(np.array([9, 2, 9, 3]), shown, k=5)
    True
    >>> bins_give_away(np.array([9, 4, 9, 0]), shown, k=5)
    False
    >>> bins_give_away(np.array([9, 0, 9, 0]), shown, k=5)
    False
    """
    hidden = np.asarray(counts)[~np.asarray(shown, dtype=np.bool_)]
    left, others, least = int(hidden.sum()), hidden.size - 1, int(show_empty)
    if not left:
        return False
    return left - others * (k - 1) > least or left - others * least < k - 1
