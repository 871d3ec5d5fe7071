"""k-member clustering of the records of a pair of axes, by the bins they fill."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.bits import FAR, rows_of_bits
from discreet.kernels.compiled import kernel
from discreet.kernels.growth import PARTS, RECORDS, ROOM
from discreet.kernels.seeds import seed_by_bins, seed_by_pixels

__all__ = ["cluster_bins"]

Whole = NDArray[np.int64]
Short = NDArray[np.int32]


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
    `parts` (b + n // k, 3), bin, cluster and how many records, in the order in which they were
    taken. Strays are what is left over at last, fewer than k records, which boxes know of as well.
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
    if along < 0:
        seed_by_bins(pixels, free, rows, reached, boxes, parts, told, heights[1], k, by_span)
    else:
        seed_by_pixels(
            pixels, free, rows, reached, boxes, parts, told, heights[along], along, k, by_span
        )
    return int(told[PARTS]), _place_strays(pixels, free, boxes, told)


@kernel
def _place_strays(pixels: Short, counts: Short, boxes: Whole, told: Whole) -> Whole:
    """Put what is left over into the clusters whose boxes grow least.

    Return the strays: bin, cluster and how many records. Once one is in a cluster, that does not
    grow for others of its bin.
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
