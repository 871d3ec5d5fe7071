"""Clusters of a pair of axes: each seeding step by hand, left-overs, laws, and the check."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from benchmarks.naive_members import naive_clusters
from discreet.errors import BrokenPromiseError, InputError
from discreet.parallel.clusters import (
    PairClusters,
    check_clusters,
    cluster_jointly,
    cluster_pair,
    members,
)
from discreet.parallel.pixels import (
    METRICS,
    TRIED,
    PairBins,
    Seeding,
    bin_of_records,
    bins_of_grid,
    choose_seeding,
    pair_bins,
)

Whole = NDArray[np.int64]
Records = list[tuple[int, int]]


def sides(records: Records) -> tuple[Whole, Whole]:
    left, right = np.array(records, dtype=np.int64).T
    return left, right


def clustered(records: Records, k: int, metric: str, cost: str, height: int = 10) -> PairClusters:
    bins = pair_bins(*sides(records), (height, height))
    return cluster_pair(bins, k, cost=cost, seeding=Seeding(metric))


# --- by hand ----------------------------------------------------------------------------------

Case = tuple[Records, int, str, list[list[int]], list[int]]

REACH: Records = [(1, 0), (1, 2), (1, 5), (4, 3), (4, 3), (4, 3)]

CASES: dict[str, Case] = {
    "the bin of most records": (
        [(8, 8), (2, 2), (2, 2), (2, 2), (2, 3), (8, 9), (8, 9), (9, 9)],
        4,
        "over-plotting",
        [[2, 3, 2, 4], [8, 10, 8, 10]],
        [4, 4],
    ),
    "ties: the lowest left, then the lowest right": (
        [(3, 1), (3, 1), (1, 3), (1, 3), (1, 2), (1, 2)],
        2,
        "over-plotting",
        [[1, 2, 2, 3], [1, 2, 3, 4], [3, 4, 1, 2]],
        [2, 2, 2],
    ),
    "what is left of a bin": (
        # 5 and 4 hold two each; then 3 of the first are the most, then 2 of the second
        [(0, 0)] * 5 + [(7, 7)] * 4,
        2,
        "over-plotting",
        [[0, 1, 0, 1], [7, 8, 7, 8], [0, 1, 0, 1], [7, 8, 7, 8]],
        [3, 2, 2, 2],
    ),
    # left pixel 1 reaches three right ones; when 1 and 4 reach one each, the block of pixels 4 and
    # 5 holds most, and at last the block of all
    "divergence, then blocks of pixels": (
        REACH,
        2,
        "divergence",
        [[1, 2, 0, 3], [4, 5, 3, 4], [1, 5, 3, 6]],
        [2, 2, 2],
    ),
    "convergence is its mirror image": (
        [(right, left) for left, right in REACH],
        2,
        "convergence",
        [[0, 3, 1, 2], [3, 4, 4, 5], [3, 6, 1, 5]],
        [2, 2, 2],
    ),
    # with over-plotting the bin of three goes first, then blocks of 2, 4 and 8 pixels a side:
    # (1, 0) alone, (1, 0) and (1, 2), all
    "the same by over-plotting": (
        REACH,
        2,
        "over-plotting",
        [[4, 5, 3, 4], [1, 2, 0, 3], [1, 5, 3, 6]],
        [2, 2, 2],
    ),
    # (0, 0) is emptied: pixel 0 reaches one and pixel 2 is on top. (0, 3) is 3 from both boxes.
    "a bin of a multiple of k is emptied": (
        [(0, 0), (0, 0), (0, 3), (2, 1), (2, 2)],
        2,
        "divergence",
        [[0, 1, 0, 4], [2, 3, 1, 3]],
        [3, 2],
    ),
    # pixel 2 reaches three, then one; pixel 0 is on top till (0, 0) is empty; (2, 3) joins the
    # first, whose box grows by one
    "one of more than k is not": (
        [(0, 0)] * 5 + [(0, 3), (2, 1), (2, 2), (2, 3)],
        2,
        "divergence",
        [[2, 3, 1, 4], [0, 1, 0, 1], [0, 1, 0, 1], [0, 1, 0, 4]],
        [3, 2, 2, 2],
    ),
    # not (3, 2), the lowest of pixel 3; (3, 9) is nearer to (3, 6). Then pixels reach one each, and
    # (7, 7) makes the fullest block; (3, 2) is left over, 4 from the first box and 9 from the other
    "in the pixel the bin of most records": (
        [(3, 2), (3, 6), (3, 6), (3, 9), (7, 7), (7, 7), (7, 7)],
        3,
        "divergence",
        [[3, 4, 2, 10], [7, 8, 7, 8]],
        [4, 3],
    ),
    # blocks of 2 x 2: (9, 8) and (9, 9) share one; then of 8 x 8: (0, 0) and (5, 6)
    "all bins hold one: blocks of bins": (
        [(0, 0), (5, 5), (5, 5), (5, 6), (9, 9), (9, 8)],
        2,
        "over-plotting",
        [[5, 6, 5, 6], [9, 10, 8, 10], [0, 6, 0, 7]],
        [2, 2, 2],
    ),
    # the block of 2 x 2 at (4, 4) holds three, that at (0, 0) two
    "the fullest block, and its first bin": (
        [(0, 0), (1, 1), (4, 5), (5, 4), (5, 5), (9, 0)],
        3,
        "over-plotting",
        [[4, 6, 4, 6], [0, 10, 0, 2]],
        [3, 3],
    ),
    # pixels reach one each: (0, 6), (1, 0) are a block, (2, 9), (3, 3) another; the first of the
    # order of (right, left) in the block of right pixels 0 and 1 is (1, 0)
    "blocks of pixels on the right": (
        [(1, 0), (7, 1), (0, 6), (9, 9)],
        2,
        "convergence",
        [[0, 2, 0, 7], [7, 10, 1, 10]],
        [2, 2],
    ),
    "left over: in order, boxes grow as they take": (
        # (3, 3), then (4, 4): 3 + 3 off the first, then 1 + 1
        [(0, 0)] * 4 + [(9, 9)] * 4 + [(3, 3), (4, 4)],
        4,
        "over-plotting",
        [[0, 5, 0, 5], [9, 10, 9, 10]],
        [6, 4],
    ),
}


@pytest.mark.parametrize("cost", ["seed", "span"])
@pytest.mark.parametrize(("records", "k", "metric", "boxes", "sizes"), CASES.values(), ids=CASES)
def test_by_hand(records: Records, k: int, metric: str, boxes: Any, sizes: Any, cost: str) -> None:
    found = clustered(records, k, metric, cost)
    assert found.boxes.tolist() == boxes
    assert found.sizes.tolist() == sizes
    assert naive_clusters(*sides(records), (10, 10), k, metric, cost).boxes.tolist() == boxes


def test_parts_say_whose_records_are_where() -> None:
    found = clustered([(0, 0)] * 5 + [(0, 3), (2, 1), (2, 2), (2, 3)], 2, "divergence", "seed")
    # bins (0, 0), (0, 3), (2, 1), (2, 2), (2, 3)
    assert found.parts.tolist() == [
        [0, 1, 2],
        [0, 2, 2],
        [0, 3, 1],
        [1, 3, 1],
        [2, 0, 1],
        [3, 0, 1],
        [4, 0, 1],
    ]


def test_one_left_over_joins_the_part_its_bin_has() -> None:
    # seven of one bin: clusters of 3, 3, and one that joins the first
    found = clustered([(4, 4)] * 7, 3, "over-plotting", "span")
    assert found.parts.tolist() == [[0, 0, 4], [0, 1, 3]]


def test_one_left_over_may_join_a_cluster_made_before_those_of_its_bin() -> None:
    # From (1, 0) grows the first, whose box has (2, 2) in it but none of its records; the other
    # takes one of them, and the second is left over.
    records = [(1, 0), (1, 2), (2, 0), (2, 2), (2, 2), (5, 0), (5, 1)]
    found = clustered(records, 3, "divergence", "seed")
    assert found.boxes.tolist() == [[1, 3, 0, 3], [2, 6, 0, 3]]
    assert found.sizes.tolist() == [4, 3]
    assert [part for part in found.parts.tolist() if part[0] == 3] == [[3, 0, 1], [3, 1, 1]]


# --- which cost, which seeding ----------------------------------------------------------------


def test_the_smaller_range_is_taken_and_said() -> None:
    rng = np.random.default_rng(3)
    costs = set()
    for _ in range(12):
        left, right = rng.integers(0, 40, (2, 60))
        bins = pair_bins(left, right, (40, 40))
        seed, span = (cluster_pair(bins, 5, cost=cost) for cost in ("seed", "span"))
        found = cluster_pair(bins, 5)
        costs.add(found.cost)
        assert found.cost == ("seed" if seed.range < span.range else "span")
        assert found.range == min(seed.range, span.range)
    assert costs == {"seed", "span"}


@pytest.mark.parametrize("metric", METRICS)
def test_the_cost_of_the_smaller_clusters_is_taken(metric: str) -> None:
    rng = np.random.default_rng(5)
    left, right = rng.normal(30, 12, (2, 2000)).clip(0, 59).astype(np.int64)
    bins, seeding = pair_bins(left, right, (60, 60)), Seeding(metric)
    made = [cluster_pair(bins, 7, cost=cost, seeding=seeding) for cost in TRIED]
    found = cluster_pair(bins, 7, seeding=seeding)
    best = min(made, key=lambda clusters: clusters.range)
    assert found.cost == best.cost
    assert found.boxes.tolist() == best.boxes.tolist()
    assert found.parts.tolist() == best.parts.tolist()


@pytest.mark.parametrize("left", ["continuous", "categorical"])
@pytest.mark.parametrize("right", ["continuous", "categorical"])
def test_kinds_choose_the_seeding(left: str, right: str) -> None:
    bins = pair_bins(*sides(REACH), (10, 10))
    assert cluster_pair(bins, 2, (left, right)).seeding == choose_seeding(bins, left, right)


# --- laws -------------------------------------------------------------------------------------


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Whole, Whole, tuple[int, int], int]:
    heights = draw(st.tuples(st.integers(2, 12), st.integers(2, 12)))
    k = draw(st.integers(2, 7))
    records = st.tuples(st.integers(0, heights[0] - 1), st.integers(0, heights[1] - 1))
    left, right = sides(draw(st.lists(records, min_size=k, max_size=60)))
    return left, right, heights, k


some_cost = st.sampled_from(["seed", "span", "smaller"])
some_seeding = st.one_of(st.none(), st.sampled_from(METRICS).map(Seeding))
some_kinds = st.tuples(*[st.sampled_from(["continuous", "categorical"])] * 2)


@given(pairs(), some_cost, some_seeding, some_kinds, st.randoms(use_true_random=False))
def test_laws(
    given: Any, cost: str, seeding: Seeding | None, kinds: tuple[str, str], chance: Any
) -> None:
    left, right, heights, k = given
    n, bins = len(left), pair_bins(left, right, heights)
    found = cluster_pair(bins, k, kinds, cost=cost, seeding=seeding)
    bin_of = bin_of_records(bins, left, right)
    labels = members(found, bins, bin_of, np.arange(n))

    assert len(found.boxes) == n // k
    assert found.sizes.min() >= k
    assert found.parts[:, 2].min() >= 1
    assert np.bincount(found.parts[:, 0], found.parts[:, 2]).tolist() == bins.counts.tolist()
    assert np.bincount(found.parts[:, 1], found.parts[:, 2]).tolist() == found.sizes.tolist()
    keys = [tuple(part) for part in found.parts[:, :2].tolist()]
    assert keys == sorted(set(keys))
    assert np.bincount(labels).tolist() == found.sizes.tolist()
    check_clusters(labels, found.boxes, left, right, k)
    # Boxes are no larger than they must be.
    for cluster, box in enumerate(found.boxes.tolist()):
        over, along = left[labels == cluster], right[labels == cluster]
        assert box == [over.min(), over.max() + 1, along.min(), along.max() + 1]

    # The order of records is that of nothing: who has which rank keeps his cluster.
    order = np.array(chance.sample(range(n), n))
    again = pair_bins(left[order], right[order], heights)
    same = cluster_pair(again, k, kinds, cost=cost, seeding=seeding)
    assert same.boxes.tolist() == found.boxes.tolist()
    assert same.parts.tolist() == found.parts.tolist()
    moved = bin_of_records(again, left[order], right[order])
    assert members(same, again, moved, order).tolist() == labels[order].tolist()


# --- bad input --------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 2.0, True])
def test_k_is_a_whole_number_of_at_least_two(k: Any) -> None:
    with pytest.raises(InputError, match="k must be a whole number of at least 2"):
        cluster_pair(bins_of_grid(np.array([[5]])), k)


def make(left: Any, right: Any, counts: Any, heights: Any = (4, 4)) -> PairBins:
    return PairBins(np.array(left), np.array(right), np.array(counts), heights)


BROKEN_BINS: dict[str, tuple[PairBins, str]] = {
    "not sorted": (make([1, 0], [0, 0], [2, 2]), "sorted"),
    "an empty one": (make([0, 1], [0, 0], [4, 0]), "hold a record"),
    "off the axis": (make([0, 4], [0, 0], [2, 2]), "lie on their axes"),
    "a count too few": (make([0, 1], [0, 0], [2]), "a count each"),
    "axes without end": (make([0, 1], [0, 0], [2, 2], (2**20, 4)), "more pixels or records"),
    "parts of records": (make([0, 1, 2], [0, 0, 0], [1.9] * 3), "arrays of whole numbers"),
    "records without end": (make([0, 1], [0, 0], [2**31, 2]), "more pixels or records"),
}


@pytest.mark.parametrize(("bins", "match"), BROKEN_BINS.values(), ids=BROKEN_BINS)
def test_bins_that_are_none(bins: PairBins, match: str) -> None:
    with pytest.raises(InputError, match=match):
        cluster_pair(bins, 2)


BROKEN_MEMBERS: dict[str, tuple[Any, Any, str]] = {
    "a record too few": ([0, 0, 0], [0, 1, 2], "one bin and one rank"),
    "a rank twice": ([0, 0, 0, 1], [0, 1, 1, 3], "rank must give"),
    "another bin": ([0, 0, 1, 1], [0, 1, 2, 3], "not those that were counted"),
    "no such bin": ([0, 0, 0, 2], [0, 1, 2, 3], "not those that were counted"),
    "below all bins": ([0, 0, 0, -1], [0, 1, 2, 3], "from 0 on"),
}


@pytest.mark.parametrize(("bin_of", "rank", "match"), BROKEN_MEMBERS.values(), ids=BROKEN_MEMBERS)
def test_members_of_other_records(bin_of: Any, rank: Any, match: str) -> None:
    bins = bins_of_grid(np.array([[3, 1]]))
    with pytest.raises(InputError, match=match):
        members(cluster_pair(bins, 2), bins, np.array(bin_of), np.array(rank))


# --- the check --------------------------------------------------------------------------------

BOXES = np.array([[0, 2, 0, 1], [3, 4, 5, 9]])
LEFT, RIGHT = np.array([0, 1, 3, 3]), np.array([0, 0, 5, 8])

BROKEN: dict[str, tuple[Any, Any, str]] = {
    "a label too few": ([0, 0, 1], BOXES, "one label for each"),
    "no such cluster": ([0, 0, 1, 2], BOXES, "in none of the clusters"),
    "a cluster of one": ([0, 1, 1, 1], [[0, 4, 0, 9], [0, 4, 0, 9]], "fewer than k"),
    "left above": ([0, 0, 1, 1], [[0, 1, 0, 1], [3, 4, 5, 9]], "does not contain"),
    "left below": ([0, 0, 1, 1], [[1, 2, 0, 1], [3, 4, 5, 9]], "does not contain"),
    "right above": ([0, 0, 1, 1], [[0, 2, 0, 1], [3, 4, 5, 8]], "does not contain"),
    "right below": ([0, 0, 1, 1], [[0, 2, 0, 1], [3, 4, 6, 9]], "does not contain"),
}


@pytest.mark.parametrize(("labels", "boxes", "match"), BROKEN.values(), ids=BROKEN)
def test_the_check_finds_what_is_broken(labels: Any, boxes: Any, match: str) -> None:
    with pytest.raises(BrokenPromiseError, match=match):
        check_clusters(np.array(labels), np.array(boxes), LEFT, RIGHT, 2)


JOINT_CASES: dict[str, tuple[Any, int, list[int]]] = {
    # mean (4.8, 5.2), so (5, 5): (0, 0) is 10 off it, (9, 9) 8; then (9, 9) is the farthest
    "two ends, the rest to the nearest": (
        [[0, 0], [9, 9], [1, 0], [9, 8], [5, 9]],
        2,
        [0, 1, 0, 1, 1],
    ),
    # mean 3.5, rounded up: 0 is 4 off, 7 is 3
    "a half is rounded up": ([[0], [1], [6], [7]], 2, [0, 0, 1, 1]),
    # mean 3: both ends are 3 off; the lower goes first
    "the lowest of ties": ([[6], [0], [6], [0]], 2, [1, 0, 1, 0]),
    # mean (9, 9): (20, 20) is 22 off it, (0, 0) is 18; (0, 3) is left over
    "the farthest first, what is left over to the nearest box": (
        [[0, 0], [2, 0], [3, 0], [0, 3], [20, 20], [20, 20], [20, 20]],
        3,
        [1, 1, 1, 1, 0, 0, 0],
    ),
    "one cluster": ([[3, 3], [1, 1], [2, 2]], 2, [0, 0, 0]),
    "all alike": ([[3, 3]] * 5, 2, [0, 0, 0, 1, 1]),
}


@pytest.mark.parametrize(("pixels", "k", "labels"), JOINT_CASES.values(), ids=JOINT_CASES)
def test_jointly_by_hand(pixels: Any, k: int, labels: list[int]) -> None:
    found = cluster_jointly(np.array(pixels), k).tolist()
    # Of equal rows any may be the one.
    assert sorted(zip(pixels, found, strict=True)) == sorted(zip(pixels, labels, strict=True))


def naively(pixels: Whole, k: int) -> list[tuple[list[int], int]]:
    """Return the rows, sorted, each with its cluster."""
    rows = sorted(pixels.tolist())
    table = np.array(rows)
    there, labels = np.ones(len(rows), dtype=np.bool_), np.full(len(rows), -1)
    mean = [(2 * total + len(rows)) // (2 * len(rows)) for total in table.sum(axis=0).tolist()]
    seed = int(np.abs(table - mean).sum(axis=1).argmax())
    boxes: list[tuple[Whole, Whole]] = []

    def growth(low: Whole, high: Whole) -> Whole:
        grown = np.maximum(np.maximum(low - table, table - high), 0)
        return np.asarray(grown.sum(axis=1))

    while there.sum() >= k:
        low = high = table[seed]
        for _ in range(k):
            costs = np.where(there, growth(low, high), 10**9)
            if not (labels == len(boxes)).any():
                costs = np.where(np.arange(len(rows)) == seed, -1, costs)
            taken = int(costs.argmin())
            there[taken], labels[taken] = False, len(boxes)
            low, high = np.minimum(low, table[taken]), np.maximum(high, table[taken])
        boxes.append((low, high))
        away = np.abs(table - table[seed]).sum(axis=1)
        seed = int(np.where(there, away, -1).argmax())
    for row in np.flatnonzero(there):
        costs = np.array([growth(low, high)[row] for low, high in boxes])
        best = int(costs.argmin())
        labels[row] = best
        low, high = boxes[best]
        boxes[best] = np.minimum(low, table[row]), np.maximum(high, table[row])
    return sorted(zip(rows, labels.tolist(), strict=True))


@st.composite
def tables(draw: st.DrawFn) -> tuple[Whole, int]:
    k, axes = draw(st.integers(2, 6)), draw(st.integers(1, 4))
    pixel = st.integers(0, draw(st.sampled_from([1, 3, 20, 400])))
    rows = draw(st.lists(st.tuples(*[pixel] * axes), min_size=k, max_size=40))
    return np.array(rows, dtype=np.int64), k


@given(tables(), st.randoms(use_true_random=False))
def test_laws_of_joint_clusters(given: tuple[Whole, int], chance: Any) -> None:
    pixels, k = given
    labels = cluster_jointly(pixels, k)
    assert sorted(zip(pixels.tolist(), labels.tolist(), strict=True)) == naively(pixels, k)
    sizes = np.bincount(labels)
    assert len(sizes) == len(pixels) // k
    assert sizes.min() >= k
    order = np.array(chance.sample(range(len(pixels)), len(pixels)))
    again = cluster_jointly(pixels[order], k)
    assert sorted(zip(pixels[order].tolist(), again.tolist(), strict=True)) == sorted(
        zip(pixels.tolist(), labels.tolist(), strict=True)
    )


@pytest.mark.parametrize("k", [3])
def test_as_the_naive_algorithm_on_a_thousand(k: int) -> None:
    pixels = np.random.default_rng(k).normal(200, 60, (1000, 5)).astype(np.int64).clip(0, 399)
    labels = cluster_jointly(pixels, k)
    assert sorted(zip(pixels.tolist(), labels.tolist(), strict=True)) == naively(pixels, k)


@pytest.mark.parametrize("k", [1, 2.0, True])
def test_k_of_joint_clusters_is_a_whole_number(k: Any) -> None:
    with pytest.raises(InputError, match="k must be a whole number of at least 2"):
        cluster_jointly(np.zeros((5, 2), dtype=np.int64), k)


@pytest.mark.parametrize(
    "pixels",
    [
        np.array([[0, 0], [0, 2**13], [1, 1]]),
        np.array([[0, 0], [0, 2**64 - 1], [1, 1]], dtype=np.uint64),
    ],
)
def test_pixels_are_no_more_than_clusters_can_hold(pixels: Any) -> None:
    with pytest.raises(InputError, match="pixels must be below 8192"):
        cluster_jointly(pixels, 3)
