"""k-member clustering of the records of a pair of axes, by the bins they fill.

A bin is a pair of pixels, left and right, and stands for its records. Bins are sorted, and known
by their place: of two equally near ones the lower counts. They are looked for row by row, a row
being a left pixel, from the seed's outwards, until a row is farther off than what was found.

What all of it works on is a `State`. Who works on it often takes its arrays one by one, for numba
counts the references to those of a tuple at each call.

Seeds are chosen as a plain loop would choose them that goes through all bins for each, with less
work. Counts only fall, so the bin of most records, and the pixel that reaches most others, are
found by going through them once for each number, from the highest down. As long as the seed's
bin holds more than k records it is a cluster by itself and nothing else changes, so multiples of
k go at once, in the order in which they would have gone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, cast

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from discreet.kernels.compiled import kernel

Whole = NDArray[np.int64]
Short = NDArray[np.int32]
Function = TypeVar("Function", bound=Callable[..., Any])


class State(NamedTuple):
    """What is left to cluster, and what has been clustered.

    `pixels` (b, 2) of each bin, and `counts` (b,): how many of its records are in no cluster yet.
    `rows` are the bits of bins that have such records, and `reached` (h,) how many of them each row
    has. `boxes` (m, 4) of the clusters made are half-open pixels, left and right; `parts` (t, 3)
    are bin, cluster and how many records, in the order in which they were taken. `told` is how many
    records are left, how many clusters and parts there are; then room for the nearest bins, k + 1
    numbers.
    """

    pixels: Short
    counts: Short
    rows: Whole
    reached: Short
    boxes: Whole
    parts: Short
    told: Whole


# Rows of bits are an array (h, words, 3) of 64 bits; column j of row i is bit j & 63 of word
# j >> 6. The first of the three says what is set now, the second what was set at first, the third
# how many were set at first in all words before. Words are signed, for numba makes a float of a
# signed and an unsigned number; no bit is lost by that.

FAR = 1 << 30
"""As far as no column is: where nothing is found."""


def merged_in(function: Function) -> Function:
    """Compile `function` into those that call it, as one with them.

    A loop that calls nothing need not count the references to the arrays it works on.
    """
    return cast("Function", numba.njit(forceinline=True, nogil=True)(function))


def _instruction(name: str, *flags: int) -> Callable[[int], int]:
    """Return one instruction of the processor that counts bits of a word."""

    def typed(context: Any, word: Any) -> tuple[Any, Any]:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            constants = [context.get_constant(types.boolean, flag) for flag in flags]
            return getattr(builder, name)(arguments[0], *constants)

        return types.int64(types.int64), generate

    return cast("Callable[[int], int]", intrinsic(typed))


_zeros_below = _instruction("cttz", 0)
_zeros_above = _instruction("ctlz", 0)
_ones = _instruction("ctpop")


@kernel
def rows_of_bits(pixels: Short, height: int, width: int) -> Whole:
    """Return rows in which pixels (b, 2), row and column, are set; they are sorted."""
    rows = np.zeros((height, (width + 63) >> 6, 3), dtype=np.int64)
    for b in range(len(pixels)):
        rows[pixels[b, 0], pixels[b, 1] >> 6, 0] |= 1 << (pixels[b, 1] & 63)
    place = 0
    for i in range(height):
        for word in range(rows.shape[1]):
            rows[i, word, 1], rows[i, word, 2] = rows[i, word, 0], place
            place += _ones(rows[i, word, 0])
    return rows


@merged_in
def clear_bit(rows: Whole, i: int, j: int) -> None:
    """Clear the bit of row i and column j."""
    rows[i, j >> 6, 0] &= ~(1 << (j & 63))


@merged_in
def place_of(rows: Whole, i: int, j: int) -> int:
    """Return how many bits were set at first before that of row i and column j."""
    return int(rows[i, j >> 6, 2] + _ones(rows[i, j >> 6, 1] & ~(-1 << (j & 63))))


@merged_in
def first_from(rows: Whole, i: int, j: int) -> int:
    """Return the first column from j on, 0 or more, that is set in row i, else `FAR`."""
    at = j >> 6
    if at >= rows.shape[1]:
        return FAR
    word = rows[i, at, 0] & (-1 << (j & 63))
    while word == 0:
        at += 1
        if at == rows.shape[1]:
            return FAR
        word = rows[i, at, 0]
    return (at << 6) + _zeros_below(word)


@merged_in
def last_to(rows: Whole, i: int, j: int) -> int:
    """Return the last column up to j, which is one of the row's or -1, that is set, else `-FAR`."""
    if j < 0:
        return -FAR
    at = j >> 6
    word = rows[i, at, 0] & ~((-1 << (j & 63)) << 1)
    while word == 0:
        at -= 1
        if at < 0:
            return -FAR
        word = rows[i, at, 0]
    return (at << 6) + 63 - _zeros_above(word)


RECORDS, CLUSTERS, PARTS, ROOM = 0, 1, 2, 3
PLACES = 32
"""So many bits of a key tell a bin; those above them tell how far off it is."""
NONE = FAR // 2 << PLACES
"""The worst key as long as what is kept is not enough."""


@kernel
def grow(state: State, seed: int, k: int, by_span: bool) -> None:
    """Make a cluster of k records around a bin that has one left; k or more are left in all."""
    pixels, counts, rows, reached, boxes, parts, told = state
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


BITS = 32
"""More than a pixel has: blocks of 2 ** BITS pixels hold them all."""
BAND = 1 << 20
"""So many numbers of records of a bin are told apart at a time, however many it has."""


@kernel
def _peel(state: State, bins: Short, k: int, most: int) -> None:
    """Take clusters of k of one bin from `bins`, until none has more than `most` records.

    `most` is k - 1 or k. Bins of more records go first, then those of a lower number.
    """
    pixels, counts, rows, reached, boxes, parts, told = state
    top = _highest(counts, bins)
    while top > most:
        low = max(most, top - BAND)
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
        top = _highest(counts, bins)


@kernel
def _highest(counts: Short, bins: Short) -> int:
    """Return how many records the fullest of some bins has, 0 if there are no bins."""
    top = 0
    for at in range(bins.size):
        top = max(top, counts[bins[at]])
    return top


# --- seeds: the bin of most records -----------------------------------------------------------


@kernel
def seed_by_bins(state: State, width: int, k: int, by_span: bool) -> None:
    """Grow clusters from the bins of most records, then from the densest blocks of bins."""
    pixels, counts, reached, told = state.pixels, state.counts, state.reached, state.told
    bins = np.arange(counts.size).astype(np.int32)
    _peel(state, bins, k, k - 1)
    top = k - 1
    while top > 1 and told[RECORDS] >= k:
        following = 0
        for b in range(counts.size):
            if counts[b] == top:
                grow(state, b, k, by_span)
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
        _sweep_blocks(state, held, wide, shift, k, by_span)


@kernel
def _sweep_blocks(state: State, held: Short, wide: int, shift: int, k: int, by_span: bool) -> None:
    """Grow clusters from the blocks of 2 ** shift pixels a side that hold most, as long as two."""
    pixels, rows, reached, parts, told = (
        state.pixels,
        state.rows,
        state.reached,
        state.parts,
        state.told,
    )
    top = held.max()
    while top > 1:
        following = 0
        for block in range(held.size):
            if held[block] == top:
                i, j = (block // wide) << shift, (block % wide) << shift
                seed = _first_in_block(rows, reached, i, j, j + (1 << shift))
                part = told[PARTS]
                grow(state, seed, k, by_span)
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
def seed_by_pixels(state: State, height: int, along: int, k: int, by_span: bool) -> None:
    """Grow clusters from the pixel that reaches most others, then from the fullest of blocks."""
    pixels, counts, told = state.pixels, state.counts, state.told
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
    _sweep_pixels(state, lines, order, ends, reach, k, by_span)
    last = np.full(height, -1)  # the bin that each pixel has left, if it has one
    for b in range(lines.size):
        if counts[b] > 0:
            last[lines[b]] = b
    for shift in range(1, BITS):
        if told[RECORDS] < k:
            return
        tree = _plant(counts, last, shift)
        _sweep_lines(state, lines, last, tree, shift, k, by_span)


@kernel
def _sweep_pixels(
    state: State, lines: Short, order: Short, ends: Whole, reach: Whole, k: int, by_span: bool
) -> None:
    """Grow clusters from the pixel that reaches most others, as long as one reaches two.

    `lines` are the pixels of the bins on the axis, `order` the bins in the order of these and
    `ends` where those of each end; `reach` is how many others each reaches.
    """
    counts, parts, told = state.counts, state.parts, state.told
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
                    _peel(state, bins, k, k)
                    if told[RECORDS] < k:
                        return
                seed = _fullest(counts, order, begin, end, sweeps, pixel)
                part = told[PARTS]
                grow(state, seed, k, by_span)
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
    state: State, lines: Short, last: Whole, tree: Whole, shift: int, k: int, by_span: bool
) -> None:
    """Grow clusters from the blocks of 2 ** shift pixels that hold most, until none has two."""
    counts, parts, told = state.counts, state.parts, state.told
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
        grow(state, last[pixel], k, by_span)
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


@kernel
def cluster_bins(
    left: Whole,
    right: Whole,
    counts: Whole,
    heights: tuple[int, int],
    k: int,
    along: int,
    by_span: bool,
    boxes: Whole,
    parts: Short,
) -> tuple[int, Whole]:
    """Make clusters of k records; return how many parts they have, and what strays there are.

    `left`, `right` and `counts` are b bins sorted by (left, right), of n >= k records together.
    Seeds are of the bin of most records (`along` -1), or of the pixel of the left (0) or right
    (1) axis that reaches most pixels of the other. Written: `boxes` (n // k, 4), half-open pixels;
    `parts` (b + n // k, 3), in the order in which they were taken. Strays are what is left over at
    last, fewer than k records, which boxes know of as well.
    """
    pixels = np.empty((left.size, 2), dtype=np.int32)
    pixels[:, 0] = left
    pixels[:, 1] = right
    free = counts.astype(np.int32)
    rows = rows_of_bits(pixels, heights[0], heights[1])
    reached = np.zeros(heights[0], dtype=np.int32)
    for b in range(left.size):
        reached[left[b]] += 1
    told = np.zeros(ROOM + k + 1, dtype=np.int64)
    told[RECORDS] = counts.sum()
    state = State(pixels, free, rows, reached, boxes, parts, told)
    if along < 0:
        seed_by_bins(state, heights[1], k, by_span)
    else:
        seed_by_pixels(state, heights[along], along, k, by_span)
    return int(told[PARTS]), _place_strays(pixels, free, boxes, told)


@kernel
def _place_strays(pixels: Short, counts: Short, boxes: Whole, told: Whole) -> Whole:
    """Put what is left over into the clusters whose boxes grow least; return bin, cluster, number.

    Once one is in a cluster, that does not grow for others of its bin.
    """
    made = 0
    strays = np.empty((told[RECORDS], 3), dtype=np.int64)
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
            strays[made, 0], strays[made, 1], strays[made, 2] = b, best, counts[b]
            made += 1
            told[RECORDS] -= counts[b]
            counts[b] = 0
        b += 1
    return strays[:made]


Places = NDArray[np.intp]


@kernel
def sort_parts(parts: Short, strays: Whole, bins: int, out: Whole) -> int:
    """Write parts and strays in one, sorted by bin and cluster; return how many there are.

    Parts are sorted by cluster, and may be written over, as strays may. `out` has room for all.
    """
    place = np.zeros(bins + 1, dtype=np.int64)
    for part in range(len(parts)):
        place[parts[part, 0] + 1] += 1
    for stray in range(len(strays)):
        b, cluster = strays[stray, 0], strays[stray, 1]
        place[b + 1] += 1
        # One in a cluster that its bin is a part of adds to that part.
        part = np.searchsorted(parts[:, 1], cluster)
        while part < len(parts) and parts[part, 1] == cluster:
            if parts[part, 0] == b:
                parts[part, 2] += strays[stray, 2]
                place[b + 1] -= 1
                strays[stray, 2] = 0
            part += 1
    for b in range(bins):
        place[b + 1] += place[b]
    total = place[bins]
    for part in range(len(parts)):
        b = parts[part, 0]
        out[place[b], 0], out[place[b], 1], out[place[b], 2] = b, parts[part, 1], parts[part, 2]
        place[b] += 1
    for stray in range(len(strays)):
        b, cluster = strays[stray, 0], strays[stray, 1]
        if strays[stray, 2] > 0:
            at = place[b]
            while at > 0 and out[at - 1, 0] == b and out[at - 1, 1] > cluster:
                out[at] = out[at - 1]
                at -= 1
            out[at, 0], out[at, 1], out[at, 2] = b, cluster, strays[stray, 2]
    return int(total)


@kernel
def deal_out(parts: Whole, bin_of: Places, order: Places, bins: int) -> Places:
    """Return the cluster of each record: those of a bin go to its sorted parts, in `order`."""
    # Narrow columns, for records come in any order and look anywhere.
    at = np.zeros(bins + 1, dtype=np.int32)
    names, left = np.empty(len(parts), dtype=np.int32), np.empty(len(parts), dtype=np.int32)
    for part in range(len(parts)):
        at[parts[part, 0] + 1] += 1
        names[part], left[part] = parts[part, 1], parts[part, 2]
    for b in range(bins):
        at[b + 1] += at[b]
    labels = np.empty(bin_of.size, dtype=np.intp)
    for record in order:
        part = at[bin_of[record]]
        labels[record] = names[part]
        left[part] -= 1
        if left[part] == 0:
            at[bin_of[record]] += 1
    return labels
