"""Which bins of a pair of axes the clusters of its records grow from, one after the other.

As a plain loop would choose them that goes through all bins for each, with less work. Counts only
fall, so the bin of most records, and the pixel that reaches most others, are found by going
through them once for each number, from the highest down. As long as the seed's bin holds more
than k records it is a cluster by itself and nothing else changes, so multiples of k go at once, in
the order in which they would have gone. The arrays are those of `growth`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.bits import clear_bit, first_from, place_of
from discreet.kernels.compiled import kernel
from discreet.kernels.growth import CLUSTERS, PARTS, RECORDS, grow

__all__ = ["BAND", "seed_by_bins", "seed_by_pixels"]

Whole = NDArray[np.int64]
Short = NDArray[np.int32]

BITS = 32
"""More than a pixel has: blocks of 2 ** BITS pixels hold them all."""
BAND = 1 << 20
"""So many numbers of records of a bin are told apart at a time, however many it has."""


@kernel
def _peel(
    pixels: Short,
    counts: Short,
    rows: Whole,
    reached: Short,
    boxes: Whole,
    parts: Short,
    told: Whole,
    bins: Short,
    k: int,
    most: int,
) -> None:
    """Take clusters of k of one bin from `bins`, until none has more than `most` records.

    `most` is k - 1 or k. Bins of more records go first, then those of a lower number.
    """
    top = _highest(counts, bins)
    while top > most:
        low = max(most, top - BAND)
        _peel_band(pixels, counts, rows, reached, boxes, parts, told, bins, k, top, low)
        top = _highest(counts, bins)


@kernel
def _highest(counts: Short, bins: Short) -> int:
    """Return how many records the fullest of some bins has, 0 if there are no bins."""
    top = 0
    for at in range(bins.size):
        top = max(top, counts[bins[at]])
    return top


@kernel
def _peel_band(
    pixels: Short,
    counts: Short,
    rows: Whole,
    reached: Short,
    boxes: Whole,
    parts: Short,
    told: Whole,
    bins: Short,
    k: int,
    top: int,
    low: int,
) -> None:
    """Take clusters of k as long as a bin has more than `low` records; none has more than `top`."""
    place = np.zeros(top - low + 1, dtype=np.int64)
    for at in range(bins.size):
        for level in range(counts[bins[at]], low, -k):
            place[level - low] += 1
    made = 0
    for level in range(top - low, 0, -1):
        place[level], made = made, made + place[level]
    for at in range(bins.size):
        b = bins[at]
        i, j = pixels[b, 0], pixels[b, 1]
        while counts[b] > low:
            level = counts[b] - low
            cluster, part = told[CLUSTERS] + place[level], told[PARTS] + place[level]
            boxes[cluster, 0], boxes[cluster, 1] = i, i + 1
            boxes[cluster, 2], boxes[cluster, 3] = j, j + 1
            parts[part, 0], parts[part, 1], parts[part, 2] = b, cluster, k
            place[level] += 1
            counts[b] -= k
            if counts[b] == 0:
                clear_bit(rows, i, j)
                reached[i] -= 1
    told[CLUSTERS] += made
    told[PARTS] += made
    told[RECORDS] -= made * k


# --- seeds: the bin of most records -----------------------------------------------------------


@kernel
def seed_by_bins(
    pixels: Short,
    counts: Short,
    rows: Whole,
    reached: Short,
    boxes: Whole,
    parts: Short,
    told: Whole,
    width: int,
    k: int,
    by_span: bool,
) -> None:
    """Grow clusters from the bins of most records, then from the densest blocks of bins."""
    bins = np.arange(counts.size).astype(np.int32)
    _peel(pixels, counts, rows, reached, boxes, parts, told, bins, k, k - 1)
    top = k - 1
    while top > 1 and told[RECORDS] >= k:
        following = 0
        for b in range(counts.size):
            if counts[b] == top:
                grow(pixels, counts, rows, reached, boxes, parts, told, b, k, by_span)
                if told[RECORDS] < k:
                    return
            else:
                following = max(following, counts[b])
        top = following
    for shift in range(1, BITS):
        if told[RECORDS] < k:
            return
        wide = ((width - 1) >> shift) + 1
        held = np.zeros((((reached.size - 1) >> shift) + 1) * wide, dtype=np.int32)
        for b in range(counts.size):
            held[(pixels[b, 0] >> shift) * wide + (pixels[b, 1] >> shift)] += counts[b]
        _sweep_blocks(
            pixels, counts, rows, reached, boxes, parts, told, held, wide, shift, k, by_span
        )


@kernel
def _sweep_blocks(
    pixels: Short,
    counts: Short,
    rows: Whole,
    reached: Short,
    boxes: Whole,
    parts: Short,
    told: Whole,
    held: Short,
    wide: int,
    shift: int,
    k: int,
    by_span: bool,
) -> None:
    """Grow clusters from the blocks of 2 ** shift pixels a side that hold most, until none has two.

    No bin holds more than one record.
    """
    top = held.max()
    while top > 1:
        following = 0
        for block in range(held.size):
            if held[block] == top:
                i, j = (block // wide) << shift, (block % wide) << shift
                seed = _first_in_block(rows, reached, i, j, j + (1 << shift))
                part = told[PARTS]
                grow(pixels, counts, rows, reached, boxes, parts, told, seed, k, by_span)
                if told[RECORDS] < k:
                    return
                for at in range(part, told[PARTS]):
                    b = parts[at, 0]
                    held[(pixels[b, 0] >> shift) * wide + (pixels[b, 1] >> shift)] -= 1
            following = max(following, held[block])
        top = following


@kernel
def _first_in_block(rows: Whole, reached: Short, i: int, low: int, high: int) -> int:
    """Return the first bin with a record, from row i on, of columns low to high; there is one."""
    while True:
        if reached[i] > 0:
            j = first_from(rows, i, low)
            if j < high:
                return place_of(rows, i, j)
        i += 1


# --- seeds: the pixel that reaches most -------------------------------------------------------


@kernel
def seed_by_pixels(
    pixels: Short,
    counts: Short,
    rows: Whole,
    reached: Short,
    boxes: Whole,
    parts: Short,
    told: Whole,
    height: int,
    along: int,
    k: int,
    by_span: bool,
) -> None:
    """Grow clusters from the pixel that reaches most others, then from the fullest of blocks."""
    lines = pixels[:, along].copy()
    ends = np.zeros(height + 1, dtype=np.int64)
    for b in range(lines.size):
        ends[lines[b] + 1] += 1
    reach = ends[1:].copy()
    for pixel in range(height):
        ends[pixel + 1] += ends[pixel]
    order = np.empty(lines.size, dtype=np.int32)
    place = ends.copy()
    for b in range(lines.size):
        order[place[lines[b]]] = b
        place[lines[b]] += 1
    _sweep_pixels(
        pixels, counts, rows, reached, boxes, parts, told, lines, order, ends, reach, k, by_span
    )
    last = np.full(height, -1)  # the bin that each pixel has left, if it has one
    for b in range(lines.size):
        if counts[b] > 0:
            last[lines[b]] = b
    for shift in range(1, BITS):
        if told[RECORDS] < k:
            return
        tree = _plant(counts, last, shift)
        _sweep_lines(
            pixels, counts, rows, reached, boxes, parts, told, lines, last, tree, shift, k, by_span
        )


@kernel
def _sweep_pixels(
    pixels: Short,
    counts: Short,
    rows: Whole,
    reached: Short,
    boxes: Whole,
    parts: Short,
    told: Whole,
    lines: Short,
    order: Short,
    ends: Whole,
    reach: Whole,
    k: int,
    by_span: bool,
) -> None:
    """Grow clusters from the pixel that reaches most others, as long as one reaches two.

    `lines` are the pixels of the bins on the axis, `order` the bins in the order of these and
    `ends` where those of each end; `reach` is how many others each reaches.
    """
    # Of each pixel: the number of records looked for (0: not begun), the next bin to look at, and
    # the highest lower number seen on the way.
    sweeps = np.zeros((reach.size, 3), dtype=np.int64)
    top = reach.max()
    while top > 1 and told[RECORDS] >= k:
        following = 0
        for pixel in range(reach.size):
            if reach[pixel] == top:
                begin, end = ends[pixel], ends[pixel + 1]
                if sweeps[pixel, 0] == 0:
                    sweeps[pixel, 0] = k
                    bins = order[begin:end]
                    # A bin that keeps a record is reached as before: the pixel stays on top.
                    _peel(pixels, counts, rows, reached, boxes, parts, told, bins, k, k)
                    if told[RECORDS] < k:
                        return
                seed = _fullest(counts, order, begin, end, sweeps, pixel)
                part = told[PARTS]
                grow(pixels, counts, rows, reached, boxes, parts, told, seed, k, by_span)
                if told[RECORDS] < k:
                    return
                for at in range(part, told[PARTS]):
                    if counts[parts[at, 0]] == 0:
                        reach[lines[parts[at, 0]]] -= 1
            following = max(following, reach[pixel])
        top = following


@kernel
def _fullest(counts: Short, order: Short, begin: int, end: int, sweeps: Whole, pixel: int) -> int:
    """Return which of a pixel's bins has most records; there is one, and none has more than k."""
    level, at, lower = sweeps[pixel, 0], begin + sweeps[pixel, 1], sweeps[pixel, 2]
    while True:
        while at < end:
            b = order[at]
            at += 1
            if counts[b] == level:
                sweeps[pixel, 0], sweeps[pixel, 1], sweeps[pixel, 2] = level, at - begin, lower
                return int(b)
            lower = max(lower, counts[b])
        level, at, lower = lower, begin, 0


@kernel
def _sweep_lines(
    pixels: Short,
    counts: Short,
    rows: Whole,
    reached: Short,
    boxes: Whole,
    parts: Short,
    told: Whole,
    lines: Short,
    last: Whole,
    tree: Whole,
    shift: int,
    k: int,
    by_span: bool,
) -> None:
    """Grow clusters from the blocks of 2 ** shift pixels that hold most, until none has two.

    No pixel has more than one bin left.
    """
    size = tree.size // 2
    while tree[1] > 1 and told[RECORDS] >= k:
        node = 1
        while node < size:
            node *= 2
            if tree[node] < tree[node + 1]:
                node += 1
        pixel = (node - size) << shift
        while last[pixel] < 0 or counts[last[pixel]] == 0:
            pixel += 1
        part = told[PARTS]
        grow(pixels, counts, rows, reached, boxes, parts, told, last[pixel], k, by_span)
        for at in range(part, told[PARTS]):
            node = size + (lines[parts[at, 0]] >> shift)
            tree[node] -= parts[at, 2]
            while node > 1:
                node //= 2
                tree[node] = max(tree[2 * node], tree[2 * node + 1])


@kernel
def _plant(counts: Short, last: Whole, shift: int) -> Whole:
    """Return a tournament of blocks: node i holds the greater of nodes 2i and 2i + 1."""
    size = 1
    while size < ((last.size - 1) >> shift) + 1:
        size *= 2
    tree = np.zeros(2 * size, dtype=np.int64)
    for pixel in range(last.size):
        if last[pixel] >= 0:
            tree[size + (pixel >> shift)] += counts[last[pixel]]
    for node in range(size - 1, 0, -1):
        tree[node] = max(tree[2 * node], tree[2 * node + 1])
    return tree
