"""The order in which clusters are made, which is that of their seeds: by hand."""

from typing import Any

import numpy as np
import pytest

from discreet.kernels.bits import rows_of_bits
from discreet.kernels.pairs import (
    BAND,
    CLUSTERS,
    PARTS,
    RECORDS,
    ROOM,
    seed_by_bins,
    seed_by_pixels,
)

Bins = dict[tuple[int, int], int]


def seeds(bins: Bins, k: int, along: int) -> tuple[list[tuple[int, int]], dict[Any, int]]:
    """Return the bin that each cluster grew from, and what is left."""
    places = sorted(bins)
    pixels = np.array(places, dtype=np.int32)
    counts = np.array([bins[place] for place in places], dtype=np.int32)
    height, width = (int(side) + 1 for side in pixels.max(axis=0))
    rows, reached = rows_of_bits(pixels, height, width), np.bincount(pixels[:, 0]).astype(np.int32)
    made = int(counts.sum()) // k
    boxes = np.empty((made, 4), dtype=np.int64)
    parts = np.empty((len(bins) + made, 3), dtype=np.int32)
    told = np.zeros(ROOM + k + 1, dtype=np.int64)
    told[RECORDS] = counts.sum()
    if along < 0:
        seed_by_bins(pixels, counts, rows, reached, boxes, parts, told, width, k, False)
    else:
        side = (height, width)[along]
        seed_by_pixels(pixels, counts, rows, reached, boxes, parts, told, side, along, k, False)
    assert told[CLUSTERS] == made
    assert told[RECORDS] == counts.sum()
    taken = parts[: told[PARTS]]
    assert taken[:, 1].tolist() == sorted(taken[:, 1].tolist())
    firsts = np.unique(taken[:, 1], return_index=True)[1]
    left = {place: int(count) for place, count in zip(places, counts, strict=True) if count}
    return [places[b] for b in taken[firsts, 0]], left


CASES: dict[str, tuple[Bins, int, int, list[tuple[int, int]], Bins]] = {
    # 9, 8, 6, 5, then two ties at 3, the lower first
    "multiples of k, the most first": (
        {(0, 0): 8, (0, 5): 9},
        3,
        -1,
        [(0, 5), (0, 0), (0, 5), (0, 0), (0, 5)],
        {(0, 0): 2},
    ),
    "then what is left of them": (
        {(0, 0): 4, (3, 3): 2, (9, 9): 5},
        3,
        -1,
        # of 1, 2, 2 the lowest of two takes one of the first
        [(9, 9), (0, 0), (3, 3)],
        {(9, 9): 2},
    ),
    # left pixel 1 reaches three; (1, 1), of 7, stays above 3 only once
    "the pixel that reaches most, above k": (
        {(0, 0): 9, (0, 1): 9, (1, 0): 1, (1, 1): 7, (1, 2): 1},
        3,
        0,
        # 7 and 4; 1, 1, 1 of pixel 1, the lowest, with two of (0, 0), the nearest and the lowest;
        # pixel 0 reaches as many as pixel 1, and is the lower: 9, 7, 6, 4, 3 and at last 3 or 1
        [(1, 1), (1, 1), (1, 0), (0, 1), (0, 0), (0, 1), (0, 0), (0, 1), (1, 1)],
        {},
    ),
    # Two right pixels are reached by two each: the lower, and in it the bin of more. Then pixels
    # 0, 4 and 7 by one, of 5, 1 and 2 records; at last a block of all holds two, of which (9, 0) is
    # the first in the order of (right, left).
    "the right pixel that is reached by most": (
        {(0, 4): 1, (5, 4): 2, (0, 7): 2, (5, 7): 2, (9, 0): 5},
        2,
        1,
        [(5, 4), (0, 7), (9, 0), (9, 0), (5, 7), (9, 0)],
        {},
    ),
}


def test_more_records_than_are_told_apart_at_a_time() -> None:
    # In a band and below it by turns: what is at hand is always what has most.
    bins = {(0, 0): BAND + 4, (0, 1): 2 * BAND + 3, (0, 2): BAND}
    k = BAND // 2
    order, left = seeds(bins, k, -1)

    counts, expected = dict(bins), []
    while max(counts.values()) >= k:
        best = max(counts, key=lambda place: (counts[place], -place[1]))
        counts[best] -= k
        expected.append(best)
    assert order == expected
    assert left == {place: count for place, count in counts.items() if count}


@pytest.mark.parametrize(("bins", "k", "along", "order", "left"), CASES.values(), ids=CASES)
def test_by_hand(bins: Bins, k: int, along: int, order: Any, left: Any) -> None:
    assert seeds(bins, k, along) == (order, left)
