"""One cluster grows from a seed: by hand, and as a plain loop over records."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.kernels.bits import rows_of_bits
from discreet.kernels.pairs import CLUSTERS, PARTS, RECORDS, ROOM, grow

Pixels = tuple[int, int]
Grown = tuple[list[tuple[int, int, int]], list[int]]


def grown(bins: dict[Pixels, int], seed: Pixels, k: int, cost: str) -> Grown:
    """Return what is taken, in order: left, right, how many; and the box."""
    places = sorted(bins)
    pixels = np.array(places, dtype=np.int32)
    counts = np.array([bins[place] for place in places], dtype=np.int32)
    height, width = (int(side) + 1 for side in pixels.max(axis=0))
    told = np.zeros(ROOM + k + 1, dtype=np.int64)
    told[RECORDS] = counts.sum()
    boxes, parts = np.zeros((1, 4), dtype=np.int64), np.zeros((len(bins), 3), dtype=np.int32)
    rows, reached = rows_of_bits(pixels, height, width), np.bincount(pixels[:, 0]).astype(np.int32)

    grow(pixels, counts, rows, reached, boxes, parts, told, places.index(seed), k, cost == "span")

    taken = [(*places[b], amount) for b, _, amount in parts[: told[PARTS]].tolist()]
    assert told[CLUSTERS] == 1
    assert told[RECORDS] == counts.sum() == sum(bins.values()) - k
    left = [place for place, count in zip(places, counts.tolist(), strict=True) if count]
    assert reached.tolist() == [sum(i == row for i, _ in left) for row in range(height)]
    assert (
        rows[:, :, 0]
        == rows_of_bits(np.array(left, np.int32).reshape(-1, 2), height, width)[:, :, 0]
    ).all()
    return taken, boxes[0].tolist()


CASES: dict[str, tuple[dict[Pixels, int], int, str, Grown]] = {
    "a bin of k": ({(5, 5): 3, (5, 6): 1}, 3, "seed", ([(5, 5, 3)], [5, 6, 5, 6])),
    "of more than k": ({(5, 5): 7}, 3, "span", ([(5, 5, 3)], [5, 6, 5, 6])),
    "what is needed of the last": (
        {(5, 5): 1, (5, 7): 9},
        3,
        "seed",
        ([(5, 5, 1), (5, 7, 2)], [5, 6, 5, 8]),
    ),
    # all are one pixel off
    "ties: lowest left, then lowest right": (
        {(5, 5): 1, (4, 5): 1, (5, 4): 1, (5, 6): 1, (6, 5): 1},
        3,
        "seed",
        ([(5, 5, 1), (4, 5, 1), (5, 4, 1)], [4, 6, 4, 6]),
    ),
    "ties of the span": (
        {(5, 5): 1, (4, 5): 1, (5, 4): 1, (5, 6): 1, (6, 5): 1},
        3,
        "span",
        ([(5, 5, 1), (4, 5, 1), (5, 4, 1)], [4, 6, 4, 6]),
    ),
    # from (5, 5): 3, 4, 6 pixels
    "nearest to the seed": (
        {(5, 5): 2, (5, 8): 1, (8, 8): 1, (1, 5): 1},
        4,
        "seed",
        ([(5, 5, 2), (5, 8, 1), (1, 5, 1)], [1, 6, 5, 9]),
    ),
    # once the box reaches (5, 8), (8, 8) is 3 off and (1, 5) still 4
    "the box grows least": (
        {(5, 5): 2, (5, 8): 1, (8, 8): 1, (1, 5): 1},
        4,
        "span",
        ([(5, 5, 2), (5, 8, 1), (8, 8, 1)], [5, 9, 5, 9]),
    ),
    # (2, 0), (0, 2) are 2 off; then (2, 2) is 2 from the box, and 0 once (0, 2) is in it
    "within the box": (
        {(0, 0): 1, (2, 0): 1, (0, 2): 1, (2, 2): 1, (3, 0): 1},
        4,
        "span",
        ([(0, 0, 1), (0, 2, 1), (2, 0, 1), (2, 2, 1)], [0, 3, 0, 3]),
    ),
    "far to the right, words apart": (
        {(0, 10): 1, (0, 139): 1, (0, 300): 1, (130, 10): 1},
        3,
        "seed",
        ([(0, 10, 1), (0, 139, 1), (130, 10, 1)], [0, 131, 10, 140]),
    ),
}


@pytest.mark.parametrize(("bins", "k", "cost", "expected"), CASES.values(), ids=CASES)
def test_by_hand(bins: dict[Pixels, int], k: int, cost: str, expected: Grown) -> None:
    assert grown(bins, next(iter(bins)), k, cost) == expected


def plainly(bins: dict[Pixels, int], seed: Pixels, k: int, cost: str) -> Grown:
    left = dict(bins)
    taken: list[Pixels] = []
    box = [seed[0], seed[0] + 1, seed[1], seed[1] + 1]

    def price(place: Pixels) -> Any:
        if cost == "seed":
            return abs(place[0] - seed[0]) + abs(place[1] - seed[1]), place
        over = max(box[0] - place[0], place[0] + 1 - box[1], 0)
        return over + max(box[2] - place[1], place[1] + 1 - box[3], 0), place

    while len(taken) < k:
        best = min((place for place in left if left[place]), key=price)
        i, j = best
        left[best] -= 1
        taken.append(best)
        box[:] = [min(box[0], i), max(box[1], i + 1), min(box[2], j), max(box[3], j + 1)]
    order = sorted(set(taken), key=taken.index)
    return [(*place, taken.count(place)) for place in order], box


@st.composite
def bins_and_k(draw: st.DrawFn) -> tuple[dict[Pixels, int], int]:
    height, width = draw(st.integers(1, 12)), draw(st.sampled_from([1, 5, 12, 64, 70, 200]))
    places = st.tuples(st.integers(0, height - 1), st.integers(0, width - 1))
    bins = draw(st.dictionaries(places, st.integers(1, 4), min_size=2, max_size=25))
    return bins, draw(st.integers(1, min(9, sum(bins.values()))))


@given(bins_and_k(), st.sampled_from(["seed", "span"]))
def test_as_a_plain_loop_over_records(given: tuple[dict[Pixels, int], int], cost: str) -> None:
    bins, k = given
    for seed in list(bins)[:3]:
        assert grown(bins, seed, k, cost) == plainly(bins, seed, k, cost)
