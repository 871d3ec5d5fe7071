"""One cluster grows from a seed: by hand, and as a plain loop over records."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from benchmarks.naive_members import naive_clusters
from discreet.kernels.pairs import (
    BAND,
    CLUSTERS,
    PARTS,
    RECORDS,
    ROOM,
    State,
    cluster_bins,
    deal_out,
    grow,
    rows_of_bits,
    seed_by_bins,
    seed_by_pixels,
    sort_parts,
)

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

    grow(
        State(pixels, counts, rows, reached, boxes, parts, told),
        places.index(seed),
        k,
        cost == "span",
    )

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
    state = State(pixels, counts, rows, reached, boxes, parts, told)
    if along < 0:
        seed_by_bins(state, width, k, False)
    else:
        side = (height, width)[along]
        seed_by_pixels(state, side, along, k, False)
    assert told[CLUSTERS] == made
    assert told[RECORDS] == counts.sum()
    taken = parts[: told[PARTS]]
    assert taken[:, 1].tolist() == sorted(taken[:, 1].tolist())
    firsts = np.unique(taken[:, 1], return_index=True)[1]
    left = {place: int(count) for place, count in zip(places, counts, strict=True) if count}
    return [places[b] for b in taken[firsts, 0]], left


SEED_CASES: dict[str, tuple[Bins, int, int, list[tuple[int, int]], Bins]] = {
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


@pytest.mark.parametrize(
    ("bins", "k", "along", "order", "left"), SEED_CASES.values(), ids=SEED_CASES
)
def test_seeds_by_hand(bins: Bins, k: int, along: int, order: Any, left: Any) -> None:
    assert seeds(bins, k, along) == (order, left)


Whole = NDArray[np.int64]

ALONG = {"over-plotting": -1, "divergence": 0, "convergence": 1}
METRICS = sorted(ALONG)
COSTS = ["seed", "span"]


def both(left: Any, right: Any, heights: tuple[int, int], k: int, metric: str, cost: str) -> Any:
    """Return boxes and parts of the kernel, and those of the naive algorithm."""
    left, right = np.asarray(left, dtype=np.int64), np.asarray(right, dtype=np.int64)
    bins, bin_of, counts = np.unique(
        left * heights[1] + right, return_inverse=True, return_counts=True
    )
    i, j = np.divmod(bins, heights[1])
    boxes = np.empty((len(left) // k, 4), dtype=np.int64)
    taken = np.empty((len(bins) + len(boxes), 3), dtype=np.int32)
    total, strays = cluster_bins(
        i, j, counts, heights, k, ALONG[metric], cost == "span", boxes, taken
    )
    sorted_parts = np.empty((total + len(strays), 3), dtype=np.int64)
    found = boxes, sorted_parts[: sort_parts(taken[:total], strays, len(bins), sorted_parts)]
    labels, naive_boxes = naive_clusters(left, right, heights, k, metric, cost)
    parts, amounts = np.unique(np.column_stack([bin_of, labels]), axis=0, return_counts=True)
    naive = (naive_boxes, np.column_stack([parts, amounts]))
    return [part.tolist() for part in found], [part.tolist() for part in naive]


@st.composite
def pairs(draw: st.DrawFn) -> tuple[list[int], list[int], tuple[int, int], int]:
    heights = draw(st.tuples(st.integers(2, 12), st.integers(2, 12)))
    # Few of the pixels, so that bins hold several records, or all.
    used = [draw(st.integers(1, height)) for height in heights]
    k = draw(st.integers(2, 7))
    records = st.tuples(
        *(st.integers(height - few, height - 1) for height, few in zip(heights, used, strict=True))
    )
    drawn = draw(st.lists(records, min_size=k, max_size=60))
    return [i for i, _ in drawn], [j for _, j in drawn], heights, k


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("metric", METRICS)
@given(given=pairs())
def test_as_the_naive_algorithm_on_small_grids(metric: str, cost: str, given: Any) -> None:
    left, right, heights, k = given
    found, naive = both(left, right, heights, k, metric, cost)

    assert found == naive


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("metric", METRICS)
def test_as_the_naive_algorithm_on_many_small_grids(metric: str, cost: str) -> None:
    rng = np.random.default_rng(6)
    for _ in range(80):
        height, width = (int(side) for side in rng.integers(1, 13, 2))
        k = int(rng.integers(2, 8))
        # Spread evenly, or most of them near one end.
        i, j = rng.random((2, rng.integers(k, 61))) ** rng.choice([0.3, 1, 4], (2, 1))
        left, right = (i * height).astype(np.int64), (j * width).astype(np.int64)
        found, naive = both(left, right, (height, width), k, metric, cost)
        assert found == naive


def columns(kind: str, n: int) -> tuple[Whole, Whole]:
    """Return records on axes of 400 pixels."""
    rng = np.random.default_rng(n)
    x, y = rng.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], size=n).T

    def spread(values: NDArray[np.float64]) -> Whole:
        low, high = np.quantile(values, [0.001, 0.999])
        return np.asarray(np.clip((values - low) / (high - low) * 399, 0, 399), dtype=np.int64)

    def levels(values: NDArray[np.float64], number: int) -> Whole:
        number_of = np.clip((values + 2) * number / 4, 0, number - 1).astype(np.int64)
        return np.asarray(number_of * 399 // (number - 1))

    made = {
        "normal": (spread(x), spread(y)),
        "uniform": (rng.integers(0, 400, n), rng.integers(0, 400, n)),
        "skewed": (spread(np.exp(2 * x)), spread(np.exp(2 * y))),
        "mixed": (spread(x), levels(y, 5)),
        "categorical": (levels(x, 5), levels(y, 4)),
        "one pixel": (spread(x), np.zeros(n, dtype=np.int64)),
    }
    return made[kind]


KINDS = ["normal", "uniform", "skewed", "mixed", "categorical", "one pixel"]


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [2, 3, 10])
def test_as_the_naive_algorithm_on_a_thousand(k: int, kind: str, metric: str, cost: str) -> None:
    left, right = columns(kind, 1000)
    found, naive = both(left, right, (400, 400), k, metric, cost)

    assert found == naive


@pytest.mark.slow
@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("kind", ["normal", "skewed", "mixed"])
def test_as_the_naive_algorithm_on_ten_thousand(kind: str, metric: str, cost: str) -> None:
    left, right = columns(kind, 10_000)
    found, naive = both(left, right, (400, 400), 3, metric, cost)

    assert found == naive


DEALT: dict[str, tuple[Any, Any, Any]] = {
    "by bin, then cluster": (
        [[1, 0, 2], [0, 1, 1], [1, 1, 1], [0, 2, 3]],
        [],
        [[0, 1, 1], [0, 2, 3], [1, 0, 2], [1, 1, 1]],
    ),
    "adds to the part of its cluster": (
        [[0, 0, 2], [1, 0, 1], [0, 1, 3]],
        [[1, 0, 2]],
        [[0, 0, 2], [0, 1, 3], [1, 0, 3]],
    ),
    "a part of its own, the last": (
        [[0, 0, 3], [1, 1, 3]],
        [[0, 1, 1]],
        [[0, 0, 3], [0, 1, 1], [1, 1, 3]],
    ),
    "the first": (
        [[0, 0, 3], [1, 1, 3], [1, 2, 3]],
        [[1, 0, 2]],
        [[0, 0, 3], [1, 0, 2], [1, 1, 3], [1, 2, 3]],
    ),
    "between": (
        [[1, 0, 3], [0, 1, 3], [1, 2, 3]],
        [[1, 1, 1]],
        [[0, 1, 3], [1, 0, 3], [1, 1, 1], [1, 2, 3]],
    ),
    "of a bin no cluster has": (
        [[1, 0, 3]],
        [[0, 0, 1], [2, 0, 1]],
        [[0, 0, 1], [1, 0, 3], [2, 0, 1]],
    ),
}


@pytest.mark.parametrize(("parts", "strays", "expected"), DEALT.values(), ids=DEALT)
def test_sorted_parts(parts: Any, strays: Any, expected: Any) -> None:
    out = np.zeros((len(parts) + len(strays), 3), dtype=np.int64)
    stray_parts = np.array(strays, dtype=np.int64).reshape(-1, 3)

    total = sort_parts(np.array(parts, dtype=np.int32), stray_parts, 3, out)

    assert out[:total].tolist() == expected


def test_records_of_a_bin_are_dealt_out_in_order() -> None:
    parts = np.array([[0, 0, 2], [0, 2, 1], [1, 1, 2]])
    bin_of = np.array([0, 1, 0, 1, 0])

    assert deal_out(parts, bin_of, np.array([4, 3, 2, 1, 0]), 2).tolist() == [2, 1, 0, 1, 0]
    assert deal_out(parts, bin_of, np.array([0, 1, 2, 3, 4]), 2).tolist() == [0, 1, 0, 1, 2]
