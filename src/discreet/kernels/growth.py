"""A cluster of records on a pair of axes grows from a seed by the records nearest to it.

A bin is a pair of pixels, left and right, and stands for its records. Bins are sorted, and known
by their place: of two equally near ones the lower counts. They are looked for row by row, a row
being a left pixel, from the seed's outwards, until a row is farther off than what was found.

What all of it works on is handed on array by array, for numba counts the references to those of
a tuple at each call:

- `pixels` (b, 2) of each bin, and `counts` (b,): how many of its records are in no cluster yet.
- `rows`: the bits of bins that have such records; `reached` (h,): how many of them each row has.
- `boxes` (m, 4) of the clusters made: half-open pixels, left and right.
- `parts` (t, 3): bin, cluster, how many records, in the order in which they were taken.
- `told`: how many records are left, how many clusters and parts there are; then room for the
  nearest bins, k + 1 numbers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.bits import FAR, clear_bit, first_from, last_to, merged_in, place_of
from discreet.kernels.compiled import kernel

__all__ = ["CLUSTERS", "PARTS", "RECORDS", "ROOM", "grow"]

Whole = NDArray[np.int64]
Short = NDArray[np.int32]

RECORDS, CLUSTERS, PARTS, ROOM = 0, 1, 2, 3
PLACES = 32
"""So many bits of a key tell a bin; those above them tell how far off it is."""
NONE = FAR // 2 << PLACES
"""The worst key as long as what is kept is not enough."""


@kernel
def grow(
    pixels: Short,
    counts: Short,
    rows: Whole,
    reached: Short,
    boxes: Whole,
    parts: Short,
    told: Whole,
    seed: int,
    k: int,
    by_span: bool,
) -> None:
    """Make a cluster of k records around a bin that has one left; k or more are left in all."""
    cluster, part = told[CLUSTERS], told[PARTS]
    b, need, found = seed, k, 0
    i, j = int(pixels[b, 0]), int(pixels[b, 1])
    top, bottom, low, high = i, i, j, j
    while True:
        amount = min(counts[b], need)
        counts[b] -= amount
        if counts[b] == 0:
            clear_bit(rows, i, j)
            reached[i] -= 1
        parts[part, 0], parts[part, 1], parts[part, 2] = b, cluster, amount
        part += 1
        need -= amount
        if need == 0:
            break
        if by_span:
            i, j = _nearest_to_box(rows, reached, top, bottom, low, high)
            b = place_of(rows, i, j)
        else:
            if found == 0:
                _nearest_to_seed(counts, rows, reached, told, i, j, need)
            b = told[ROOM + found] & ((1 << PLACES) - 1)
            found += 1
            i, j = int(pixels[b, 0]), int(pixels[b, 1])
        top, bottom = min(top, i), max(bottom, i)
        low, high = min(low, j), max(high, j)
    boxes[cluster, 0], boxes[cluster, 1] = top, bottom + 1
    boxes[cluster, 2], boxes[cluster, 3] = low, high + 1
    told[RECORDS] -= k
    told[CLUSTERS] = cluster + 1
    told[PARTS] = part


# --- by distance from the seed ----------------------------------------------------------------


@merged_in
def _nearest_to_seed(
    counts: Short, rows: Whole, reached: Short, told: Whole, i: int, j: int, need: int
) -> None:
    """Find the bins nearest to two pixels that hold what is needed; their keys are told."""
    height = reached.size
    size, held, worst = 0, 0, NONE
    gap = 0
    while (gap << PLACES) < worst and (gap <= i or i + gap < height):
        for side in range(2 if gap > 0 else 1):
            row = i - gap if side == 0 else i + gap
            if row < 0 or row >= height or reached[row] == 0:
                continue
            at = first_from(rows, row, j)
            while ((gap + at - j) << PLACES) < worst:
                key = ((gap + at - j) << PLACES) + place_of(rows, row, at)
                if key < worst:
                    size, held, worst = _keep(counts, told, key, need, size, held)
                at = first_from(rows, row, at + 1)
            at = last_to(rows, row, j - 1)
            while ((gap + j - at) << PLACES) < worst:
                key = ((gap + j - at) << PLACES) + place_of(rows, row, at)
                if key < worst:
                    size, held, worst = _keep(counts, told, key, need, size, held)
                at = last_to(rows, row, at - 1)
        gap += 1


@merged_in
def _keep(
    counts: Short, told: Whole, key: int, need: int, size: int, held: int
) -> tuple[int, int, int]:
    """Put a bin in its place among the nearest; let go of those that are not needed then."""
    mask = (1 << PLACES) - 1
    at = size + ROOM
    while at > ROOM and told[at - 1] > key:
        told[at] = told[at - 1]
        at -= 1
    told[at] = key
    size += 1
    held += counts[key & mask]
    while held - counts[told[ROOM + size - 1] & mask] >= need:
        size -= 1
        held -= counts[told[ROOM + size] & mask]
    worst = told[ROOM + size - 1] if held >= need else NONE
    return size, held, worst


# --- by what the box grows --------------------------------------------------------------------


@merged_in
def _nearest_to_box(
    rows: Whole, reached: Short, top: int, bottom: int, low: int, high: int
) -> tuple[int, int]:
    """Return the pixels of the bin that the box grows least for."""
    height = reached.size
    best, row, column = FAR, -1, -1
    for i in range(top, bottom + 1):
        if reached[i] > 0:
            cost, j = _nearest_in_row(rows, i, low, high)
            if cost < best:
                best, row, column = cost, i, j
                if cost == 0:
                    return row, column
    gap = 1
    while gap <= best and (gap <= top or bottom + gap < height):
        for side in range(2):
            i = top - gap if side == 0 else bottom + gap
            if 0 <= i < height and reached[i] > 0:
                cost, j = _nearest_in_row(rows, i, low, high)
                # A row above all that were looked in comes first, one below them last.
                if gap + cost <= best - side:
                    best, row, column = gap + cost, i, j
        gap += 1
    return row, column


@merged_in
def _nearest_in_row(rows: Whole, i: int, low: int, high: int) -> tuple[int, int]:
    """Return how far from columns low to high the nearest bin of a row is, and its column."""
    after = first_from(rows, i, low)
    if after <= high:
        return 0, after
    back = last_to(rows, i, low - 1)
    if low - back <= after - high:
        return low - back, back
    return after - high, after
