"""Codes by which trees know the levels of a column: they rise with the mean of what is drawn.

Trees tell 256 codes apart. Where a column has more levels, and the table many rows, neighbours
share a code where that loses least, and levels that tell all of a column keep their places.
"""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels

__all__ = ["MANY_ROWS", "MOST_LEVEL_CODES", "level_codes"]

MOST_LEVEL_CODES = 256
"""Levels are known by so many codes at most."""
SHRUNK = 5
"""So many rows of the usual target stand beside those of each level, where levels are ordered."""
MANY_ROWS = 30_000
"""From so many rows that take part on, more levels than codes are joined where that loses least."""
FINEST = 1 << 10
TINY = 1e-9

Codes = NDArray[np.uint8]
Whole = NDArray[np.int64]


class _Run(NamedTuple):
    """Neighbours that share a code, and where they are best parted: most is gained first."""

    gain: float
    start: int
    stop: int
    cut: int


def level_codes(level: Labels, target: Whole, count: int, rows: int) -> Codes:
    """Return the code of each level: they rise with the mean of the target.

    Parameters
    ----------
    level : ndarray of int of shape (n,)
        The level of each row, from 0.
    target : ndarray of int of shape (n,)
        What is drawn next, of each row.
    count : int
        How many levels there are.
    rows : int
        How many rows take part in all.

    Notes
    -----
    Of at most 256 levels each has a code. Of more, neighbours share one: below 30,000 rows as many
    rows as any other code has, from there on those that are nearest (`_joined`). A flight's hour is
    one of 6,936: if each tenth code held two hours of the day, their flights would be mixed up.

    Examples
    --------
    >>> import numpy as np
    >>> level_codes(np.array([0, 0, 1, 1, 2, 2]), np.array([5, 7, 1, 1, 3, 2]), 3, 6).tolist()
    [2, 0, 1]
    """
    size = np.bincount(level, minlength=count)
    total = np.bincount(level, target, minlength=count).astype(np.float64)
    usual = total.sum() / max(int(size.sum()), 1)
    many = rows >= MANY_ROWS and count > MOST_LEVEL_CODES
    shrunk = _shrunk(size, total, target) if many else SHRUNK
    mean = (total + shrunk * usual) / np.maximum(size + shrunk, TINY)
    order = np.argsort(mean, kind="stable")
    code = np.empty(count, dtype=np.int64)
    if count <= MOST_LEVEL_CODES:
        code[order] = np.arange(count)
    elif many:
        code[order] = _joined(size[order], total[order], MOST_LEVEL_CODES)
    else:
        before = np.cumsum(size[order]) - size[order]
        code[order] = before * MOST_LEVEL_CODES // max(int(size.sum()), 1)
    return code.astype(np.uint8)


def _shrunk(size: Labels, total: Floats, target: Whole) -> float:
    """Return how many rows of the usual target stand beside those of each level: five at most.

    As many as rows of a level tell less than levels do: none where a level has one value alone.
    """
    rows, levels = int(size.sum()), int((size > 0).sum())
    if levels < 2 or rows <= levels:
        return SHRUNK
    squares = float((target * target).sum())
    of_levels = float((total * total / np.maximum(size, 1)).sum())
    within = max(squares - of_levels, 0.0) / (rows - levels)
    each = (rows - float((size * size).sum()) / rows) / (levels - 1)
    spread = (of_levels - float(total.sum()) ** 2 / rows) / (levels - 1) - within
    if spread <= 0 or each <= 0:
        return SHRUNK
    return float(min(SHRUNK, np.rint(within / (spread / each) * FINEST) / FINEST))


def _joined(size: Labels, total: Floats, most: int) -> Labels:
    """Return the code of each of some levels in order, of which neighbours share one.

    Runs of levels are parted where squared distances to their means fall most, one after the other.

    Examples
    --------
    >>> import numpy as np
    >>> _joined(np.array([1, 1, 9, 1]), np.array([0.0, 1.0, 90.0, 11.0]), 2).tolist()
    [0, 0, 1, 1]
    """
    rows, sums = (np.concatenate([[0.0], np.cumsum(it)]) for it in (size, total))
    starts, runs = [0], [_parted(rows, sums, 0, len(size))]
    while len(starts) < most:
        run = heapq.heappop(runs)
        if run.gain >= 0:
            break
        starts.append(run.cut)
        for start, stop in ((run.start, run.cut), (run.cut, run.stop)):
            heapq.heappush(runs, _parted(rows, sums, start, stop))
    first = np.zeros(len(size), dtype=np.intp)
    first[starts] = 1
    return np.cumsum(first) - 1


def _parted(rows: Floats, sums: Floats, start: int, stop: int) -> _Run:
    """Return where a run of levels is parted best, and what is gained, as a number below 0."""
    held, whole = rows[stop] - rows[start], sums[stop] - sums[start]
    if stop - start < 2 or held <= 0:
        return _Run(0.0, start, stop, start)
    below, low = (it[start + 1 : stop] - it[start] for it in (rows, sums))
    above, high = held - below, whole - low
    usual = whole * whole / held
    parts = low * low / np.maximum(below, 1) + high * high / np.maximum(above, 1)
    gain = np.where((below > 0) & (above > 0), parts - usual, 0.0)
    at = int(np.argmax(gain))
    found = float(gain[at])
    return _Run(-found if found > TINY * (usual + 1) else 0.0, start, stop, start + 1 + at)
