"""k-member clustering of the records of a pair of axes, by the bins they fill.

What a plain loop over records does, cluster by cluster, with less work. Counts only fall, so the
bin of most records, and the pixel that reaches most others, are found by going through them
once for each number, from the highest down. As long as a seed's bin holds k records it is a
cluster by itself and no other bin changes, so multiples of k go at once, in the order in which
they would have gone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.bits import FAR, clear_bit, first_from, place_of, rows_of_bits
from discreet.kernels.compiled import kernel
from discreet.kernels.growth import CLUSTERS, PARTS, RECORDS, ROOM, grow

__all__ = ["cluster_bins", "deal_out"]

Whole = NDArray[np.int64]
Short = NDArray[np.int32]
Places = NDArray[np.intp]


@kernel
def cluster_bins(
    left: Whole,
    right: Whole,
    counts: Whole,
    heights: tuple[int, int],
    k: int,
    along: int,
    by_span: bool,
) -> tuple[Whole, Whole, Whole]:
    """Return boxes, sizes and parts of the clusters of k records or more.

    `left`, `right` and `counts` are bins sorted by (left, right), of k records or more together.
    Seeds are of the bin of most records (`along` -1), or of the pixel of the left (0) or right
    (1) axis that reaches most pixels of the other. Boxes (m, 4) are half-open pixels; parts (t, 3)
    are bin, cluster and how many records, sorted.
    """
    pixels = np.empty((left.size, 2), dtype=np.int32)
    pixels[:, 0] = left
    pixels[:, 1] = right
    records = counts.sum()
    free = counts.astype(np.int32)
    rows = rows_of_bits(pixels, heights[0], heights[1])
    reached = np.zeros(heights[0], dtype=np.int32)
    for b in range(left.size):
        reached[left[b]] += 1
    boxes = np.empty((records // k, 4), dtype=np.int64)
    parts = np.empty((left.size + records // k, 3), dtype=np.int32)
    told = np.zeros(ROOM + k + 1, dtype=np.int64)
    told[RECORDS] = records
    if along < 0:
        _seed_by_bins(pixels, free, rows, reached, boxes, parts, told, heights[1], k, by_span)
    else:
        _seed_by_pixels(
            pixels, free, rows, reached, boxes, parts, told, heights[along], along, k, by_span
        )
    sizes = np.full(len(boxes), k)
    joins = _join_left_over(pixels, free, boxes, told, sizes)
    return boxes, sizes, _sorted_parts(parts[: told[PARTS]], joins, left.size)


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
    top = 0
    for at in range(bins.size):
        top = max(top, counts[bins[at]])
    if top <= most:
        return
    place = np.zeros(top + 1, dtype=np.int64)
    for at in range(bins.size):
        for level in range(counts[bins[at]], most, -k):
            place[level] += 1
    made = 0
    for level in range(top, most, -1):
        place[level], made = made, made + place[level]
    for at in range(bins.size):
        b = bins[at]
        i, j = pixels[b, 0], pixels[b, 1]
        while counts[b] > most:
            cluster, part = told[CLUSTERS] + place[counts[b]], told[PARTS] + place[counts[b]]
            boxes[cluster, 0], boxes[cluster, 1] = i, i + 1
            boxes[cluster, 2], boxes[cluster, 3] = j, j + 1
            parts[part, 0], parts[part, 1], parts[part, 2] = b, cluster, k
            place[counts[b]] += 1
            counts[b] -= k
            if counts[b] == 0:
                clear_bit(rows, i, j)
                reached[i] -= 1
    told[CLUSTERS] += made
    told[PARTS] += made
    told[RECORDS] -= made * k


# --- seeds: the bin of most records -----------------------------------------------------------


@kernel
def _seed_by_bins(
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
    shift = 1
    while told[RECORDS] >= k:
        wide = ((width - 1) >> shift) + 1
        held = np.zeros((((reached.size - 1) >> shift) + 1) * wide, dtype=np.int32)
        for b in range(counts.size):
            held[(pixels[b, 0] >> shift) * wide + (pixels[b, 1] >> shift)] += counts[b]
        _sweep_blocks(
            pixels, counts, rows, reached, boxes, parts, told, held, wide, shift, k, by_span
        )
        shift += 1


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
def _seed_by_pixels(
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
    shift = 1
    while told[RECORDS] >= k:
        tree = _plant(counts, last, shift)
        _sweep_lines(
            pixels, counts, rows, reached, boxes, parts, told, lines, last, tree, shift, k, by_span
        )
        shift += 1


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


# --- what is left over, and who is where ------------------------------------------------------


@kernel
def _join_left_over(pixels: Short, counts: Short, boxes: Whole, told: Whole, sizes: Whole) -> Whole:
    """Let what is left join the clusters whose boxes grow least.

    Return which bins, which clusters they join and how many records of each. Once one has joined
    a cluster, that does not grow for others of its bin.
    """
    made = 0
    joins = np.empty((told[RECORDS], 3), dtype=np.int64)
    b = 0
    while told[RECORDS] > 0:
        if counts[b] > 0:
            i, j, best, least = pixels[b, 0], pixels[b, 1], 0, FAR
            for cluster in range(len(boxes)):
                over = max(boxes[cluster, 0] - i, i + 1 - boxes[cluster, 1], 0)
                along = max(boxes[cluster, 2] - j, j + 1 - boxes[cluster, 3], 0)
                if over + along < least:
                    best, least = cluster, over + along
                    if least == 0:
                        break
            boxes[best, 0], boxes[best, 1] = min(boxes[best, 0], i), max(boxes[best, 1], i + 1)
            boxes[best, 2], boxes[best, 3] = min(boxes[best, 2], j), max(boxes[best, 3], j + 1)
            sizes[best] += counts[b]
            joins[made, 0], joins[made, 1], joins[made, 2] = b, best, counts[b]
            made += 1
            told[RECORDS] -= counts[b]
            counts[b] = 0
        b += 1
    return joins[:made]


@kernel
def _sorted_parts(parts: Short, joins: Whole, bins: int) -> Whole:
    """Return bin, cluster and number of records of each part and join, sorted."""
    place = np.zeros(bins + 1, dtype=np.int64)
    for part in range(len(parts)):
        place[parts[part, 0] + 1] += 1
    for join in range(len(joins)):
        b, cluster = joins[join, 0], joins[join, 1]
        place[b + 1] += 1
        # One that joins a cluster its bin is a part of adds to that part.
        part = np.searchsorted(parts[:, 1], cluster)
        while part < len(parts) and parts[part, 1] == cluster:
            if parts[part, 0] == b:
                parts[part, 2] += joins[join, 2]
                place[b + 1] -= 1
                joins[join, 2] = 0
            part += 1
    for b in range(bins):
        place[b + 1] += place[b]
    out = np.empty((place[bins], 3), dtype=np.int64)
    for part in range(len(parts)):
        b = parts[part, 0]
        out[place[b], 0], out[place[b], 1], out[place[b], 2] = b, parts[part, 1], parts[part, 2]
        place[b] += 1
    for join in range(len(joins)):
        b, cluster = joins[join, 0], joins[join, 1]
        if joins[join, 2] > 0:
            at = place[b]
            while at > 0 and out[at - 1, 0] == b and out[at - 1, 1] > cluster:
                out[at] = out[at - 1]
                at -= 1
            out[at, 0], out[at, 1], out[at, 2] = b, cluster, joins[join, 2]
    return out


@kernel
def deal_out(parts: Whole, bin_of: Places, order: Places, bins: int) -> Places:
    """Return the cluster of each record: those of a bin go to its parts, in `order`.

    `parts` are bin, cluster and number, sorted; `bin_of` is the bin of each record, and `order`
    has each record once.
    """
    at = np.zeros(bins + 1, dtype=np.intp)
    for part in range(len(parts)):
        at[parts[part, 0] + 1] += 1
    for b in range(bins):
        at[b + 1] += at[b]
    left = parts[:, 2].copy()
    labels = np.empty(bin_of.size, dtype=np.intp)
    for record in order:
        part = at[bin_of[record]]
        labels[record] = parts[part, 1]
        left[part] -= 1
        if left[part] == 0:
            at[bin_of[record]] += 1
    return labels
