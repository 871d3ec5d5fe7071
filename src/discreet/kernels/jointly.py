"""k-member clustering of rows of pixels over all axes at once.

Rows are different from one another, sorted, and stand for as many records as `counts` says. A
cluster is a box; what a row costs is how many pixels the box grows on all axes to contain it. A
row is no nearer to a box than to its seed by more than the box has grown since, so most rows are
passed over by one comparison. Pixels are few enough that distances over all axes are far below
2 ** 62: whoever calls this looks after that.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.compiled import kernel

Whole = NDArray[np.int64]

RECORDS, CLUSTERS, PARTS, LEFT, SEED = 0, 1, 2, 3, 4


@kernel
def joint_steps(
    rows: Whole,
    counts: Whole,
    left: Whole,
    boxes: Whole,
    parts: Whole,
    told: Whole,
    k: int,
    enough: int,
) -> None:
    """Make clusters of k records until fewer than k are left, or no more than `enough`.

    `rows` (d, p); `counts` (d,): how many records of each are left; `left` (d,): which rows have
    any. Written: `boxes` (m, p, 2), half-open, and `parts` (t, 3): row, cluster, how many records.
    `told`: how many records are left, how many clusters and parts are made, how many rows are
    left, and the row that is the next seed.
    """
    away = np.empty(told[LEFT], dtype=np.int64)
    while told[RECORDS] >= k and told[RECORDS] > enough:
        seed, cluster = told[SEED], told[CLUSTERS]
        for at in range(told[LEFT]):
            away[at] = _distance(rows, left[at], seed)
        box = boxes[cluster]
        for axis in range(rows.shape[1]):
            box[axis, 0], box[axis, 1] = rows[seed, axis], rows[seed, axis] + 1
        grown, need = 0, k
        while need > 0:
            row, cost = _cheapest(rows, counts, left, told[LEFT], away, box, grown)
            _widen(box, rows, row)
            amount = min(counts[row], need)
            counts[row] -= amount
            part = told[PARTS]
            parts[part, 0], parts[part, 1], parts[part, 2] = row, cluster, amount
            told[PARTS] = part + 1
            need -= amount
            grown += cost
        told[RECORDS] -= k
        told[CLUSTERS] += 1
        _move_up(counts, left, away, told)


@kernel
def _distance(rows: Whole, one: int, other: int) -> int:
    """Return how many pixels two rows are apart on all axes."""
    out = 0
    for axis in range(rows.shape[1]):
        out += abs(rows[one, axis] - rows[other, axis])
    return out


@kernel
def _growth(box: Whole, rows: Whole, row: int) -> int:
    """Return how many pixels a box grows to contain a row."""
    out = 0
    for axis in range(rows.shape[1]):
        out += max(box[axis, 0] - rows[row, axis], rows[row, axis] + 1 - box[axis, 1], 0)
    return out


@kernel
def _widen(box: Whole, rows: Whole, row: int) -> None:
    """Let a box contain a row."""
    for axis in range(rows.shape[1]):
        box[axis, 0] = min(box[axis, 0], rows[row, axis])
        box[axis, 1] = max(box[axis, 1], rows[row, axis] + 1)


@kernel
def _cheapest(
    rows: Whole, counts: Whole, left: Whole, size: int, away: Whole, box: Whole, grown: int
) -> tuple[int, int]:
    """Return the row that a box grows least for, and by how much; it has grown by so much.

    One of the rows has records left.
    """
    first = 0
    while counts[left[first]] == 0:
        first += 1
    best, least = left[first], _growth(box, rows, left[first])
    for at in range(first + 1, size):
        if away[at] - grown < least and counts[left[at]] > 0:
            cost = _growth(box, rows, left[at])
            if cost < least:
                best, least = left[at], cost
    return best, least


@kernel
def _move_up(counts: Whole, left: Whole, away: Whole, told: Whole) -> None:
    """Keep the rows that have records left; the one farthest from the seed is the next seed."""
    stay, far = 0, -1
    for at in range(told[LEFT]):
        if counts[left[at]] > 0:
            if away[at] > far:
                far, told[SEED] = away[at], left[at]
            left[stay] = left[at]
            stay += 1
    told[LEFT] = stay


@kernel
def place_strays(rows: Whole, counts: Whole, boxes: Whole, parts: Whole, told: Whole) -> None:
    """Put what is left at last into the clusters whose boxes grow least, the first of such."""
    for row in range(len(rows)):
        if counts[row] > 0:
            best, least = 0, _growth(boxes[0], rows, row)
            for cluster in range(1, len(boxes)):
                cost = _growth(boxes[cluster], rows, row)
                if cost < least:
                    best, least = cluster, cost
            _widen(boxes[best], rows, row)
            part = told[PARTS]
            parts[part, 0], parts[part, 1], parts[part, 2] = row, best, counts[row]
            told[PARTS] = part + 1
            counts[row] = 0
